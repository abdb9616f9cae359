#include "sim/need.h"

#include "sim/memory.h"
#include "sim/sm.h"

/* Sums are real numbers: the largest products of accepted values are beyond 64 bits. */
struct need {
  const char *what, *params;
  double bytes;
};

static double lines(int64_t sets, int64_t ways) {
  return (double)sets * (double)ways * (sizeof(struct weir_mem_line) + 1) +
         (double)sets * sizeof(struct weir_list);
}

static double sm_bytes(const struct weir_machine *m) {
  const struct weir_sm_cfg *c = &m->sm;
  struct weir_sm *sm = NULL;
  return sizeof *sm + (double)c->warps * sizeof *sm->warps +
         (double)c->blocks * sizeof *sm->blocks + (double)c->ldst_queue * sizeof *sm->ldst.queue.v +
         (double)(c->inflight + c->ldst_queue + c->warps) * sizeof *sm->ldst.loads +
         (double)weir_collect_bytes(m);
}

/* A request, its cycle, and the load that it is of. */
static double pipe_bytes(const struct weir_machine *m) {
  size_t each = sizeof(struct weir_l1_req) + sizeof(uint64_t) + sizeof(struct weir_load);
  return (double)weir_l1_pipe_room(m) * (double)each;
}

/* MSHRs, with what their owner knows of entries and waiters besides. */
static double waits(int64_t entries, int64_t merge, size_t entry, size_t waiter) {
  return (double)entries * (double)(sizeof(struct weir_mshr) + entry) +
         (double)entries * (double)merge * (double)(sizeof(struct weir_waiter) + waiter);
}

static struct need largest(const struct need *v, size_t n, double *sum) {
  struct need most = {0};
  *sum = 0;
  for (size_t i = 0; i < n; i++) {
    *sum += v[i].bytes;
    if (v[i].bytes > most.bytes) most = v[i];
  }
  return most;
}

enum weir_status weir_machine_affordable(const struct weir_machine *m,
                                         const struct weir_design *design, struct weir_err *err) {
  const struct weir_l2_cfg *l2 = &m->l2;
  const struct weir_l3_cfg *l3 = &m->l3;
  const struct weir_slice *slice = NULL;
  const struct weir_l3 *third = NULL;
  const struct weir_dram *dram = NULL;
  double sms = (double)m->sm.count, slices = (double)l2->slices,
         channels = (double)m->dram.channels;
  double has_l3 = l3->enabled ? channels : 0;
  const struct need needs[] = {
      {"SMs", "sm.count, sm.inflight or sm.ldst_queue", sms * sm_bytes(m)},
      {"L1s", "sm.count, l1.size, l1.mshr_* or the l1.*_queue", sms * weir_l1_bytes(m, design)},
      {"pipelines in front of the tags of L1s", "sm.count, l1.hit_latency or l1.probes_per_cycle",
       sms * pipe_bytes(m)},
      {"lines of the L2", "l2.slices, l2.sets or l2.ways", slices * lines(l2->sets, l2->ways)},
      {"L2 slices", "l2.slices, l2.mshr_entries or l2.mshr_merge",
       slices * (sizeof *slice + waits(l2->mshr_entries, l2->mshr_merge, sizeof *slice->entry,
                                       sizeof *slice->waiter))},
      {"credits between SMs and L2", "sm.count or l2.slices", sms * slices * 2 * sizeof(uint32_t)},
      {"L3", "dram.channels, l3.sets or l3.ways", has_l3 * lines(l3->sets, l3->ways)},
      {"L3 slices", "l3.mshr_entries or l3.mshr_merge",
       has_l3 *
           waits(l3->mshr_entries, l3->mshr_merge, sizeof *third->where, sizeof *third->token)},
      {"DRAM channels", "dram.channels, dram.queue or dram.banks",
       channels * (sizeof(struct weir_channel) +
                   (double)weir_dram_pool(&m->dram, m->l2.line) * sizeof *dram->req +
                   (double)m->dram.banks * (sizeof *dram->bank + sizeof *dram->row_at))},
  };
  double sum, limit = (double)WEIR_MOST_BYTES, gib = 0x1p30;
  struct need most = largest(needs, sizeof needs / sizeof *needs, &sum);
  if (sum <= limit) return WEIR_OK;
  weir_fail(err, WEIR_EINVAL, "machine %s: a simulation of it would take %.1f GB; at most %.0f",
            m->name, sum / gib, limit / gib);
  weir_err_add(err, "%.1f GB of it: %s", most.bytes / gib, most.what);
  weir_err_add(err, "remedy: lower %s", most.params);
  return WEIR_EINVAL;
}
