#include "report/compare.h"

#include <math.h>

#include "base/stat_io.h"
#include "l1/organisation/opt.h"
#include "sim/derived.h"

double weir_compare_repeat(const struct weir_study *s, size_t workload, size_t gpu, size_t scheme,
                           size_t repeat, size_t baseline) {
  const struct weir_run *run = weir_study_repeat(s, workload, gpu, scheme, repeat);
  const struct weir_run *base = weir_study_repeat(s, workload, gpu, baseline, repeat);
  if (run->state != WEIR_RUN_DONE || base->state != WEIR_RUN_DONE || run->sum.cycles == 0)
    return (double)NAN;
  return (double)base->sum.cycles / (double)run->sum.cycles;
}

/* Did all of a cell end? */
static bool is_done(const struct weir_study *s, size_t workload, size_t gpu, size_t scheme) {
  return weir_study_at(s, workload, gpu, scheme)->state == WEIR_RUN_DONE;
}

struct weir_interval weir_compare_speedup(const struct weir_study *s, size_t workload, size_t gpu,
                                          size_t scheme, size_t baseline) {
  double logs[WEIR_MAX_REPEATS];
  size_t n = weir_study_repeats(s);
  if (n == 1 || !is_done(s, workload, gpu, scheme) || !is_done(s, workload, gpu, baseline)) {
    double one = n == 1 ? weir_compare_repeat(s, workload, gpu, scheme, 0, baseline) : (double)NAN;
    return (struct weir_interval){one, (double)NAN, (double)NAN};
  }
  for (size_t r = 0; r < n; r++)
    logs[r] = log(weir_compare_repeat(s, workload, gpu, scheme, r, baseline));
  return weir_interval_of_logs(logs, n);
}

double weir_compare_kernel_repeat(const struct weir_study *s, size_t workload, size_t gpu,
                                  size_t scheme, size_t kernel, size_t repeat, size_t baseline) {
  const struct weir_run *run = weir_study_repeat(s, workload, gpu, scheme, repeat);
  const struct weir_run *base = weir_study_repeat(s, workload, gpu, baseline, repeat);
  if (run->state != WEIR_RUN_DONE || base->state != WEIR_RUN_DONE || kernel >= run->n_kernels ||
      kernel >= base->n_kernels || run->kernels[kernel].result.cycles == 0)
    return (double)NAN;
  return (double)base->kernels[kernel].result.cycles / (double)run->kernels[kernel].result.cycles;
}

struct weir_interval weir_compare_kernel(const struct weir_study *s, size_t workload, size_t gpu,
                                         size_t scheme, size_t kernel, size_t baseline) {
  double logs[WEIR_MAX_REPEATS];
  size_t n = weir_study_repeats(s);
  for (size_t r = 0; r < n; r++) {
    double one = weir_compare_kernel_repeat(s, workload, gpu, scheme, kernel, r, baseline);
    if (n == 1 || isnan(one)) return (struct weir_interval){one, (double)NAN, (double)NAN};
    logs[r] = log(one);
  }
  return weir_interval_of_logs(logs, n);
}

const char *weir_compare_reason(const struct weir_study *s, size_t workload, size_t gpu,
                                size_t scheme, size_t repeat) {
  return weir_study_reason(s,
                           (size_t)(weir_study_repeat(s, workload, gpu, scheme, repeat) - s->runs));
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

struct means {
  struct mean hit, stream, bypass, stall, requests, flit, dram, joule;
};

static void add_run(struct means *m, const struct weir_setup *setup, const struct weir_run *run,
                    const struct weir_setup *base_setup, const struct weir_run *base) {
  struct weir_derived d;
  weir_derive(&run->sum, (uint32_t)setup->machine.sm.count, &d);
  add_rate(&m->hit, &d, "hit_rate_l1");
  add_rate(&m->stream, &d, "hit_rate_stream");
  add_rate(&m->bypass, &d, "bypass_rate");
  add_rate(&m->stall, &d, "stall_frac");
  add_ratio(&m->requests, run->sum.l1.requests, base->sum.l1.requests);
  add_ratio(&m->flit, flits(&run->sum), flits(&base->sum));
  add_ratio(&m->dram, dram_accesses(&run->sum), dram_accesses(&base->sum));
  add_ratio(&m->joule, energy(setup, &run->sum), energy(base_setup, &base->sum));
}

static void add_workload(struct means *m, struct mean *speedups, const struct weir_study *s,
                         size_t w, size_t gpu, size_t scheme, size_t baseline,
                         struct weir_compare_mean *out) {
  uint64_t cycles = 0;
  for (size_t r = 0; r < weir_study_repeats(s); r++) {
    const struct weir_run *run = weir_study_repeat(s, w, gpu, scheme, r);
    const struct weir_run *base = weir_study_repeat(s, w, gpu, baseline, r);
    add_ratio(&speedups[r], base->sum.cycles, run->sum.cycles);
    add_run(m, weir_study_setup(s, gpu, scheme)->setup, run,
            weir_study_setup(s, gpu, baseline)->setup, base);
    cycles += run->sum.cycles;
    out->has_storage =
        run->storage_bits != WEIR_NOT_DECLARED && base->storage_bits != WEIR_NOT_DECLARED;
    if (out->has_storage)
      out->storage_bits = (int64_t)run->storage_bits - (int64_t)base->storage_bits;
  }
  out->cycles += cycles / weir_study_repeats(s);
  out->n++;
}

struct weir_compare_mean weir_compare_mean(const struct weir_study *s, size_t gpu, size_t scheme,
                                           size_t baseline) {
  struct means m = {0};
  struct mean speedups[WEIR_MAX_REPEATS] = {0};
  double logs[WEIR_MAX_REPEATS];
  struct weir_compare_mean out = {0};
  for (size_t w = 0; w < s->n_workloads; w++)
    if (is_done(s, w, gpu, scheme) && is_done(s, w, gpu, baseline))
      add_workload(&m, speedups, s, w, gpu, scheme, baseline, &out);
  for (size_t r = 0; r < weir_study_repeats(s); r++)
    logs[r] = arithmetic(&speedups[r]);
  out.speedup = weir_interval_of_logs(logs, weir_study_repeats(s));
  out.hit_rate_l1 = arithmetic(&m.hit);
  out.hit_rate_stream = arithmetic(&m.stream);
  out.bypass_rate = arithmetic(&m.bypass);
  out.stall_frac = arithmetic(&m.stall);
  out.requests = geometric(&m.requests);
  out.flits = geometric(&m.flit);
  out.dram = geometric(&m.dram);
  out.energy = geometric(&m.joule);
  return out;
}

/* ---- bounds ---- */

/* Does it hold as many lines as the machine's own L1, or parts of more? */
static bool has_parts(const struct weir_study *s, size_t gpu, size_t scheme) {
  const struct weir_design *d = &weir_study_setup(s, gpu, scheme)->setup->design;
  return d->org != NULL && d->org->ways != NULL;
}

static bool is_a_bound(const struct weir_study *s, size_t gpu, size_t scheme) {
  return weir_study_setup(s, gpu, scheme)->setup->scheme.role == WEIR_ROLE_BOUND;
}

size_t weir_compare_bound(const struct weir_study *s, size_t gpu, size_t scheme) {
  for (size_t c = 0; c < weir_study_shown(s); c++) {
    const struct weir_setup *b = weir_study_setup(s, gpu, c)->setup;
    const struct weir_opt_cfg *cfg = b->design.org_cfg;
    if (!is_a_bound(s, gpu, c) || b->design.org == NULL || cfg == NULL) continue;
    if (scheme == SIZE_MAX || cfg->chunks == has_parts(s, gpu, scheme)) return c;
  }
  return SIZE_MAX;
}

double weir_compare_share(const struct weir_study *s, size_t gpu, size_t scheme, size_t baseline) {
  const double LEAST = 1.02;
  size_t bound = weir_compare_bound(s, gpu, scheme);
  if (bound == SIZE_MAX || scheme == baseline || is_a_bound(s, gpu, scheme)) return (double)NAN;
  double most = weir_compare_mean(s, gpu, bound, baseline).speedup.mean;
  double has = weir_compare_mean(s, gpu, scheme, baseline).speedup.mean;
  return most >= LEAST ? (has - 1) / (most - 1) : (double)NAN;
}
