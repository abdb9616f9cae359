#include "report/compare.h"

#include <math.h>

#include "base/stat_io.h"
#include "sim/derived.h"

double weir_compare_speedup(const struct weir_study *s, size_t workload, size_t gpu, size_t scheme,
                            size_t baseline) {
  const struct weir_run *run = weir_study_at(s, workload, gpu, scheme);
  const struct weir_run *base = weir_study_at(s, workload, gpu, baseline);
  if (run->state != WEIR_RUN_DONE || base->state != WEIR_RUN_DONE || run->sum.cycles == 0)
    return (double)NAN;
  return (double)base->sum.cycles / (double)run->sum.cycles;
}

const char *weir_compare_reason(const struct weir_study *s, size_t workload, size_t gpu,
                                size_t scheme) {
  const struct weir_run *run = weir_study_at(s, workload, gpu, scheme);
  const struct weir_study_prep *prep = weir_study_prep(s, workload, gpu, scheme);
  const char *setup = weir_study_setup(s, gpu, scheme)->error;
  if (run->state != WEIR_RUN_FAILED) return NULL;
  if (run->error != NULL) return run->error;
  if (setup != NULL) return setup;
  return prep != NULL && prep->error != NULL ? prep->error : s->workloads[workload].error;
}

/* ---- means ---- */

struct mean {
  double sum;
  size_t n;
};

static void add_rate(struct mean *m, const struct weir_derived *d, const char *name) {
  double v = weir_stat_value(weir_stat_find(weir_derived_stat_table, name), d);
  if (isnan(v)) return;
  m->sum += v;
  m->n++;
}

/* What the baseline never did has no ratio. */
static void add_ratio(struct mean *m, uint64_t v, uint64_t base) {
  if (base == 0) return;
  m->sum += log((double)v / (double)base);
  m->n++;
}

static double arithmetic(const struct mean *m) {
  return m->n > 0 ? m->sum / (double)m->n : (double)NAN;
}

static double geometric(const struct mean *m) {
  return m->n > 0 ? exp(m->sum / (double)m->n) : (double)NAN;
}

static uint64_t flits(const struct weir_sim_result *r) {
  return r->l1.request_flits + r->l1.reply_flits;
}

static uint64_t dram_accesses(const struct weir_sim_result *r) {
  return r->dram.reads + r->dram.writes;
}

static uint64_t energy(const struct weir_setup *s, const struct weir_sim_result *r) {
  struct weir_energy e;
  weir_energy(&s->energy, &s->machine, r, &e);
  return e.total_fj;
}

struct weir_compare_mean weir_compare_mean(const struct weir_study *s, size_t gpu, size_t scheme,
                                           size_t baseline) {
  struct mean speedup = {0}, hit = {0}, stream = {0}, bypass = {0}, stall = {0}, requests = {0},
              flit = {0}, dram = {0}, joule = {0};
  const struct weir_setup *setup = weir_study_setup(s, gpu, scheme)->setup,
                          *base_setup = weir_study_setup(s, gpu, baseline)->setup;
  struct weir_compare_mean out = {0};
  for (size_t w = 0; w < s->n_workloads; w++) {
    const struct weir_run *run = weir_study_at(s, w, gpu, scheme);
    const struct weir_run *base = weir_study_at(s, w, gpu, baseline);
    struct weir_derived d;
    if (run->state != WEIR_RUN_DONE || base->state != WEIR_RUN_DONE) continue;
    weir_derive(&run->sum, (uint32_t)setup->machine.sm.count, &d);
    add_ratio(&speedup, base->sum.cycles, run->sum.cycles);
    add_rate(&hit, &d, "hit_rate_l1");
    add_rate(&stream, &d, "hit_rate_stream");
    add_rate(&bypass, &d, "bypass_rate");
    add_rate(&stall, &d, "stall_frac");
    add_ratio(&requests, run->sum.l1.requests, base->sum.l1.requests);
    add_ratio(&flit, flits(&run->sum), flits(&base->sum));
    add_ratio(&dram, dram_accesses(&run->sum), dram_accesses(&base->sum));
    add_ratio(&joule, energy(setup, &run->sum), energy(base_setup, &base->sum));
    out.cycles += run->sum.cycles;
    out.has_storage =
        run->storage_bits != WEIR_NOT_DECLARED && base->storage_bits != WEIR_NOT_DECLARED;
    if (out.has_storage)
      out.storage_bits = (int64_t)run->storage_bits - (int64_t)base->storage_bits;
    out.n++;
  }
  out.speedup = geometric(&speedup);
  out.hit_rate_l1 = arithmetic(&hit);
  out.hit_rate_stream = arithmetic(&stream);
  out.bypass_rate = arithmetic(&bypass);
  out.stall_frac = arithmetic(&stall);
  out.requests = geometric(&requests);
  out.flits = geometric(&flit);
  out.dram = geometric(&dram);
  out.energy = geometric(&joule);
  return out;
}
