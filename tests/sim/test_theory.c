/* The model against closed forms: latencies of real machines' descriptions, bandwidth of whatever
 * is the bottleneck, LRU against stack distances, Little's law. test_theory SOURCE_FOLDER */
#include "rig.h"

#include <stdio.h>

static const char *folder;

static const char *const machines[] = {"fermi-s0", "fermi-s3", "gtx480-cfg", "v100-cfg", "h200"};
enum { MACHINES = sizeof machines / sizeof *machines };

static void open_machine(struct rig *g, const char *name, const char *const *set) {
  char path[4096];
  struct weir_err err;
  struct weir_sim_options o = {.threads = 1, .watchdog = 1000000, .check = true};
  snprintf(path, sizeof path, "%s/gpus/%s.yaml", folder, name);
  machine_init(&g->x, path, set);
  assert_int_equal(weir_sim_new(&g->x.m, &weir_l1_pipeline, NULL, &o, &g->sim, &err), WEIR_OK);
}

/* ---- pointer chases: each load's address depends on the load before ---- */

/* Cycles per load of one warp that goes round `n` lines `rounds` times. */
static uint64_t chase(struct rig *g, unsigned n, unsigned rounds, struct weir_sim_result *r) {
  struct synth s;
  synth_init(&s, 1, 1);
  uint32_t ld = synth_access(&s, WEIR_C_LOAD, WEIR_SP_GLOBAL, 4, 0, 0);
  uint64_t line = (uint64_t)g->x.m.l1.line;
  for (unsigned i = 0; i < n * rounds; i++)
    synth_uniform(&s, 0, 0, ld, 0x100000 + i % n * line);
  uint64_t t = rig_run(g, &s, r);
  synth_free(&s);
  return t;
}

static uint64_t reply_flits(const struct weir_machine *m) {
  return weir_flits(&m->noc, m->l1.sectored ? 32 : (unsigned)m->l1.line);
}

static uint64_t l1_latency(const struct weir_machine *m) {
  return (uint64_t)(1 + m->l1.hit_latency + m->sm.load_extra);
}
static uint64_t l2_latency(const struct weir_machine *m) {
  return (uint64_t)(1 + m->noc.request_cyc + m->l2.latency + m->noc.reply_cyc + m->sm.load_extra) +
         reply_flits(m) - 1;
}

/* A load that reaches the L2 in core cycle `at` and opens a row: core cycles until the last of its
 * sectors is in the L2. */
static uint64_t dram_time(const struct weir_machine *m, uint64_t at) {
  uint64_t core = (uint64_t)m->core.clock_mhz, dram = (uint64_t)m->dram.clock_mhz;
  uint64_t sectors = m->l2.sectored && m->l1.sectored ? 1 : (uint64_t)m->l2.line / 32,
           columns = sectors * 32 / (uint64_t)m->dram.atom_bytes;
  int64_t gap = m->dram.t_ccdl > m->dram.t_ccd ? m->dram.t_ccdl : m->dram.t_ccd;
  if (m->dram.burst_cyc > gap) gap = m->dram.burst_cyc;
  uint64_t command = at * dram / core + 1,
           end = command + (uint64_t)(m->dram.t_rcd + m->dram.t_cl + m->dram.burst_cyc) +
                 (columns - 1) * (uint64_t)gap;
  return (end * core + dram - 1) / dram + (uint64_t)m->dram.extra_latency - at;
}

static void test_latencies(void **state) {
  (void)state;
  for (unsigned i = 0; i < MACHINES; i++) {
    struct rig g;
    struct weir_sim_result r;
    open_machine(&g, machines[i], NULL);
    const struct weir_machine *m = &g.x.m;
    /* One line: the first load comes from DRAM, the others from the L1. The last result ends the
     * block: no use is needed. */
    uint64_t once = chase(&g, 1, 1, &r);
    uint64_t accepted = r.start + 1 + (uint64_t)m->noc.request_cyc;
    assert_int_equal(r.dram.row_misses, 1);
    assert_int_equal(once, l2_latency(m) + dram_time(m, accepted));
    /* The L2 has the line, the L1 was emptied: one load from the L2, 99 from the L1. */
    uint64_t t = chase(&g, 1, 100, &r);
    assert_int_equal(r.l2.read_hits, 1);
    assert_int_equal(r.l1.hits, 99);
    assert_int_equal(t, l2_latency(m) + 99 * l1_latency(m));
    rig_close(&g);
    /* More lines than one L1 holds, and fewer than the L2: every load of the second kernel goes to
     * the L2. */
    const char *const small[] = {"l1.unified_bytes=0", "l1.ways=1", "l1.flush_on_kernel=true",
                                 NULL};
    open_machine(&g, machines[i], small);
    unsigned n = 2 * (unsigned)g.x.m.l1.sets * (unsigned)g.x.m.l1.ways;
    chase(&g, n, 1, &r);
    t = chase(&g, n, 1, &r);
    assert_int_equal(r.l1.misses, n);
    assert_int_equal(r.l2.read_hits, n);
    assert_int_equal(t, n * l2_latency(&g.x.m));
    rig_close(&g);
  }
}

/* ---- bandwidth: many warps, independent loads; the bottleneck is known ---- */

static void within(uint64_t got, double want, double part) {
  if ((double)got < want * (1 - part) || (double)got > want * (1 + part))
    fail_msg("%llu cycles, not %.0f within %.0f %%", (unsigned long long)got, want, 100 * part);
}

/* An L1 that is never short of anything. */
#define BIG "l1.sets=64", "l1.ways=8", "l1.mshr_entries=256", "l2.mshr_entries=256"

/* `warps` warps of `each` loads of whole lines, all different or (reuse) all in 16 lines. */
static uint64_t stream(struct rig *g, unsigned warps, unsigned each, bool reuse,
                       struct weir_sim_result *r) {
  struct synth s;
  synth_init(&s, 1, warps);
  uint32_t ld[8];
  for (int i = 0; i < 8; i++)
    ld[i] = synth_access(&s, WEIR_C_LOAD, WEIR_SP_GLOBAL, 4, i, -1);
  for (unsigned i = 0; i < each; i++)
    for (unsigned w = 0; w < warps; w++) {
      uint64_t line = i * warps + w;
      synth_stride(&s, 0, w, ld[i % 8], UINT32_MAX, 0x100000 + (reuse ? line % 16 : line) * 128, 4);
    }
  uint64_t t = rig_run(g, &s, r);
  synth_free(&s);
  return t;
}

/* One line per cycle from the L1. */
static void test_l1_bandwidth(void **state) {
  (void)state;
  struct rig g;
  struct weir_sim_result r;
  rig_open(&g, "l1.flush_on_kernel=false", NULL);
  stream(&g, 16, 1, true, &r);
  uint64_t t = stream(&g, 16, 200, true, &r);
  assert_int_equal(r.l1.hits, 3200);
  within(t, 3200, 0.05);
  rig_close(&g);
  rig_open(&g, "l1.flush_on_kernel=false", "l1.port_bytes=64", NULL);
  stream(&g, 16, 1, true, &r);
  within(stream(&g, 16, 200, true, &r), 2 * 3200, 0.05); /* half a line per cycle */
  rig_close(&g);
}

/* A slice sends a line in 5 flits. */
static void test_reply_bandwidth(void **state) {
  (void)state;
  struct rig g;
  struct weir_sim_result r;
  rig_open(&g, BIG, "l2.sets=1024", NULL);
  stream(&g, 16, 100, false, &r);
  uint64_t t = stream(&g, 16, 100, false, &r);
  assert_int_equal(r.l2.read_hits, 1600);
  within(t, 5 * 1600, 0.05);
  rig_close(&g);
}

/* Replies of one SM under way: buffer over the time until a credit is back. */
static void test_credit_bandwidth(void **state) {
  (void)state;
  struct rig g;
  struct weir_sim_result r;
  rig_open(&g, BIG, "l2.sets=1024", "noc.reply_buffer=10", NULL);
  stream(&g, 16, 100, false, &r);
  uint64_t t = stream(&g, 16, 100, false, &r);
  /* Two lines for each round: last flit, reply, credit. */
  within(t, 1600 / 2.0 * (4 + REPLY + CREDIT), 0.05);
  rig_close(&g);
}

/* Sequential lines of one channel: every column takes the data bus for `burst`; a row is opened in
 * one bank while another gives data. */
static void test_dram_bandwidth(void **state) {
  (void)state;
  struct rig g;
  struct weir_sim_result r;
  rig_open(&g, BIG, "dram.burst_cyc=4", "dram.t_ccd=2", "dram.t_ccdl=4", "dram.queue=64", NULL);
  uint64_t t = stream(&g, 16, 100, false, &r);
  assert_int_equal(r.dram.reads, 6400);
  within(t, 6400 * 4, 0.05);
  rig_close(&g);
  /* Half the clock: twice the time. */
  rig_open(&g, BIG, "dram.burst_cyc=4", "dram.t_ccd=2", "dram.t_ccdl=4", "dram.queue=64",
           "dram.clock_mhz=500", NULL);
  within(stream(&g, 16, 100, false, &r), 6400 * 8, 0.05);
  rig_close(&g);
}

/* One column of each row in one bank: every access pays t_rc. */
static void test_row_cycle_bandwidth(void **state) {
  (void)state;
  struct rig g;
  struct synth s;
  struct weir_sim_result r;
  rig_open(&g, "dram.banks=1", "dram.bank_groups=1", "l1.sectored=true", "dram.t_rc=60",
           "dram.t_rp=20", "dram.t_ras=40", NULL);
  synth_init(&s, 1, 8);
  uint32_t ld[8];
  for (int i = 0; i < 8; i++)
    ld[i] = synth_access(&s, WEIR_C_LOAD, WEIR_SP_GLOBAL, 4, i, -1);
  for (unsigned i = 0; i < 400; i++)
    synth_uniform(&s, 0, i % 8, ld[i / 8 % 8], 0x100000 + i * UINT64_C(2048));
  uint64_t t = rig_run(&g, &s, &r);
  assert_int_equal(r.dram.activates, 400);
  within(t, 400 * 60, 0.05);
  synth_free(&s);
  rig_close(&g);
}

/* Loads in flight = rate times latency: with n allowed, n loads per latency. */
static void test_littles_law(void **state) {
  (void)state;
  for (unsigned n = 1; n <= 4; n++) {
    char inflight[32];
    struct rig g;
    struct weir_sim_result r;
    snprintf(inflight, sizeof inflight, "sm.inflight=%u", n);
    rig_open(&g, BIG, "l2.sets=1024", inflight, NULL);
    stream(&g, 4, 100, false, &r);
    uint64_t t = stream(&g, 4, 100, false, &r);
    assert_int_equal(r.l2.read_hits, 400);
    within(t, 400.0 / n * (L2_LINE - 1), 0.05);
    rig_close(&g);
  }
}

/* ---- LRU: a load hits if fewer than `ways` other lines of its set were used since ---- */

static void test_lru_oracle(void **state) {
  (void)state;
  enum { LOADS = 4000, SETS = 8, WAYS = 4, LINES = 64 };
  for (uint64_t seed = 1; seed <= 4; seed++) {
    uint64_t rng = seed, stack[SETS][LINES], hits = 0;
    unsigned depth[SETS] = {0};
    struct rig g;
    struct synth s;
    struct weir_sim_result r;
    rig_open(&g, "l1.sets=8", "l1.ways=4", NULL);
    synth_init(&s, 1, 1);
    uint32_t ld = synth_access(&s, WEIR_C_LOAD, WEIR_SP_GLOBAL, 4, 0, 0);
    for (unsigned i = 0; i < LOADS; i++) {
      /* Half of the loads go to a quarter of the lines. */
      uint64_t line = below(&rng, below(&rng, 2) ? LINES / 4 : LINES), *set = stack[line % SETS];
      unsigned n = depth[line % SETS], k = 0;
      while (k < n && set[k] != line)
        k++;
      hits += k < n && k < WAYS;
      if (k == n) depth[line % SETS]++;
      memmove(set + 1, set, k * sizeof *set);
      set[0] = line;
      synth_uniform(&s, 0, 0, ld, line * 128);
    }
    rig_run(&g, &s, &r);
    assert_int_equal(r.l1.hits, hits);
    assert_int_equal(r.l1.hits + r.l1.misses, LOADS);
    assert_true(hits > LOADS / 4 && hits < LOADS * 3 / 4);
    synth_free(&s);
    rig_close(&g);
  }
}

/* More ways never hurt LRU with the same sets. */
static void test_inclusion(void **state) {
  (void)state;
  uint64_t last = 0;
  for (unsigned ways = 1; ways <= 8; ways++) {
    char set[32];
    uint64_t rng = 7;
    struct rig g;
    struct synth s;
    struct weir_sim_result r;
    snprintf(set, sizeof set, "l1.ways=%u", ways);
    rig_open(&g, set, NULL);
    synth_init(&s, 1, 1);
    uint32_t ld = synth_access(&s, WEIR_C_LOAD, WEIR_SP_GLOBAL, 4, 0, 0);
    for (unsigned i = 0; i < 1000; i++)
      synth_uniform(&s, 0, 0, ld, below(&rng, 32) * UINT64_C(128));
    rig_run(&g, &s, &r);
    assert_true(r.l1.hits >= last);
    last = r.l1.hits;
    synth_free(&s);
    rig_close(&g);
  }
  assert_int_equal(last, 1000 - 32); /* everything fits */
}

#define T(f) cmocka_unit_test(f)
int main(int argc, char **argv) {
  if (argc != 2) return 2;
  folder = argv[1];
  const struct CMUnitTest tests[] = {
      T(test_latencies),        T(test_l1_bandwidth),   T(test_reply_bandwidth),
      T(test_credit_bandwidth), T(test_dram_bandwidth), T(test_row_cycle_bandwidth),
      T(test_littles_law),      T(test_lru_oracle),     T(test_inclusion),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
