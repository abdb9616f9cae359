/* A small machine whose every latency is known, for tests at the exact cycle. */
#ifndef TESTS_SIM_RIG_H
#define TESTS_SIM_RIG_H

#include "synth.h"

#include "../stream/util.h"

/* One SM, one scheduler, one slice, one channel; core and DRAM clock are equal. */
enum {
  REQUEST = 30,
  REPLY = 20,
  CREDIT = 10,
  HIT = 5,
  L2 = 7,
  RCD = 12,
  RP = 12,
  CL = 11,
  BURST = 1,
  CCDL = 3,
  EXTRA = 13,
  /* From a load's issue (its request is presented one cycle later and injected in that cycle) to
   * its data, which a dependent instruction can use in the same cycle. */
  L1_HIT = 1 + HIT,
  L2_LINE = 1 + REQUEST + L2 + 4 + REPLY, /* 8 + 128 bytes: 5 flits of 32 */
  L2_SECTOR = 1 + REQUEST + L2 + 1 + REPLY,
  /* A closed bank; the command can be issued in the cycle after the request was accepted. */
  DRAM_ONE = 1 + RCD + CL + BURST + EXTRA,
  DRAM_LINE = L2_LINE + DRAM_ONE + 3 * CCDL,
  DRAM_SECTOR = L2_SECTOR + DRAM_ONE
};

static const char *const rig_set[] = {
    "core.clock_mhz=1000",
    "sm.count=1",
    "sm.schedulers=1",
    "sm.ldst_queue=16",
    "sm.int_latency=4",
    "sm.dispatch_latency=10",
    "sm.launch_latency=50",
    "l1.hit_latency=5",
    "l1.sets=4",
    "l1.ways=4",
    "noc.request_cyc=30",
    "noc.reply_cyc=20",
    "noc.credit_cyc=10",
    "noc.flit_bytes=32",
    "noc.header_bytes=8",
    "l2.slices=1",
    "l2.latency=7",
    "dram.channels=1",
    "dram.clock_mhz=1000",
    "dram.extra_latency=13",
    "dram.t_rcd=12",
    "dram.t_cl=11",
    "dram.t_ccd=2",
    "dram.t_ccdl=3",
    "dram.burst_cyc=1",
};

struct rig {
  struct machine x;
  struct weir_sim *sim;
};

/* Further assignments, ended by NULL. */
static inline void rig_open(struct rig *g, ...) {
  const char *set[64];
  size_t n = sizeof rig_set / sizeof *rig_set;
  struct weir_err err;
  struct weir_sim_options o = {.threads = 1, .watchdog = 100000, .check = true};
  memcpy(set, rig_set, sizeof rig_set);
  va_list ap;
  va_start(ap, g);
  while ((set[n] = va_arg(ap, const char *)) != NULL)
    n++;
  va_end(ap);
  machine_init(&g->x, NULL, set);
  assert_int_equal(weir_sim_new(&g->x.m, NULL, &o, &g->sim, &err), WEIR_OK);
}

static inline void rig_close(struct rig *g) {
  weir_sim_free(g->sim);
  machine_free(&g->x);
}

/* The cycle of the last event, counted from the cycle in which the first instruction can issue. */
static inline uint64_t rig_run(struct rig *g, struct synth *s, struct weir_sim_result *r) {
  struct weir_err err;
  if (weir_sim_kernel(g->sim, synth_source(s), r, &err) != WEIR_OK) fail_msg("%s", err.msg);
  return r->cycles - 1 - (uint64_t)g->x.m.sm.start_delay;
}

/* A kernel of one warp that loads `n` lines from `base` on, one after the other: it leaves them in
 * the L2, and the next kernel starts with an empty L1. */
static inline void rig_warm_l2(struct rig *g, uint64_t base, unsigned n) {
  struct synth s;
  struct weir_sim_result r;
  synth_init(&s, 1, 1);
  uint32_t ld = synth_access(&s, WEIR_C_LOAD, WEIR_SP_GLOBAL, 4, 0, 0);
  for (unsigned i = 0; i < n; i++)
    synth_stride(&s, 0, 0, ld, UINT32_MAX, base + 128 * i, 4);
  rig_run(g, &s, &r);
  synth_free(&s);
}

/* The usual instructions. */
struct code {
  uint32_t ld0, ld1, ld2, use0, use1, use2, st, cg, fence, bar, add;
};

static inline struct code rig_code(struct synth *s, enum weir_space space) {
  struct code c;
  c.ld0 = synth_access(s, WEIR_C_LOAD, space, 4, 0, -1);
  c.ld1 = synth_access(s, WEIR_C_LOAD, space, 4, 1, -1);
  c.ld2 = synth_access(s, WEIR_C_LOAD, space, 4, 2, -1);
  c.use0 = synth_insn(s, WEIR_C_INT, 4, 0);
  c.use1 = synth_insn(s, WEIR_C_INT, 5, 1);
  c.use2 = synth_insn(s, WEIR_C_INT, 6, 2);
  c.st = synth_access(s, WEIR_C_STORE, space, 4, -1, -1);
  c.cg = synth_access(s, WEIR_C_LOAD, space, 4, 0, -1);
  s->insns[c.cg].cache_op = WEIR_CO_CG;
  c.fence = synth_insn(s, WEIR_C_FENCE, -1, -1);
  c.bar = synth_insn(s, WEIR_C_BARRIER, -1, -1);
  c.add = synth_insn(s, WEIR_C_INT, -1, -1);
  return c;
}

#endif
