/* The L1's latency in front of its tags (l1.latency_at=tags), at the exact cycle: who pays it, who
 * goes past it, and what a request that waits at the tags holds up. */
#include "rig.h"

#include "l1/parts.h"

enum { A = 0x10000, B = 0x20000, C = 0x30000 };
#define TAGS "l1.latency_at=tags"

static struct rig g;
static struct synth s;
static struct code c;
static struct weir_sim_result r;

static void one_warp(void) {
  synth_init(&s, 1, 1);
  c = rig_code(&s, WEIR_SP_GLOBAL);
}
static void load(uint32_t insn, uint64_t base) { /* a whole line */
  synth_stride(&s, 0, 0, insn, UINT32_MAX, base, 4);
}
static void put(uint32_t insn) {
  synth_put(&s, 0, 0, insn);
}
static uint64_t run(void) {
  return rig_run(&g, &s, &r);
}
static void end(void) {
  synth_free(&s);
  rig_close(&g);
}

/* ---- who pays ---- */

static void test_miss(void **state) {
  (void)state;
  rig_open(&g, TAGS, NULL);
  one_warp();
  load(c.ld0, A);
  put(c.use0);
  assert_int_equal(run(), HIT + DRAM_LINE);
  assert_int_equal(r.l1.misses, 1);
  synth_free(&s);
  one_warp();
  load(c.ld0, A);
  put(c.use0);
  assert_int_equal(run(), HIT + L2_LINE);
  end();
}

/* A hit takes what it takes with the latency behind the probe. */
static void test_hit(void **state) {
  (void)state;
  rig_open(&g, TAGS, NULL);
  one_warp();
  load(c.ld0, A);
  put(c.use0);
  load(c.ld1, A); /* issued one cycle after the first use */
  put(c.use1);
  assert_int_equal(run(), HIT + DRAM_LINE + 1 + L1_HIT);
  assert_int_equal(r.l1.hits, 1);
  end();
  rig_open(&g, TAGS, "l1.perfect=true", NULL);
  one_warp();
  load(c.ld0, A);
  put(c.use0);
  assert_int_equal(run(), L1_HIT);
  end();
}

/* Loads that bypass by their instruction, or without an L1. */
static void test_bypass(void **state) {
  (void)state;
  rig_open(&g, TAGS, NULL);
  rig_warm_l2(&g, A, 1);
  one_warp();
  load(c.cg, A);
  put(c.use0);
  assert_int_equal(run(), L2_LINE);
  assert_int_equal(r.l1.bypassed, 1);
  end();
  rig_open(&g, TAGS, "l1.enabled=false", NULL);
  rig_warm_l2(&g, A, 1);
  one_warp();
  load(c.ld0, A);
  put(c.use0);
  assert_int_equal(run(), L2_LINE);
  end();
}

/* A store goes to the tags; an atomic goes to the L2. */
static uint64_t time_of(enum weir_class cls, const char *at) {
  rig_open(&g, at, NULL);
  rig_warm_l2(&g, A, 1);
  synth_init(&s, 1, 1);
  load(synth_access(&s, cls, WEIR_SP_GLOBAL, 4, -1, -1), A);
  uint64_t t = run();
  end();
  return t;
}

static void test_writes(void **state) {
  (void)state;
  const char *data = "l1.latency_at=data";
  assert_int_equal(time_of(WEIR_C_STORE, TAGS), time_of(WEIR_C_STORE, data) + HIT);
  assert_int_equal(time_of(WEIR_C_ATOM, TAGS), time_of(WEIR_C_ATOM, data));
}

/* ---- policies: before a lookup, after it, and where a resource is missing ---- */

static enum weir_answer route(const struct weir_policy *p, const struct weir_access *a) {
  (void)p, (void)a;
  return WEIR_BYPASS;
}
static enum weir_answer admit(const struct weir_policy *p, const struct weir_access *a,
                              struct weir_set set) {
  (void)p, (void)a, (void)set;
  return WEIR_BYPASS;
}
static enum weir_answer blocked(const struct weir_policy *p, const struct weir_access *a,
                                enum weir_shortage why) {
  (void)p, (void)a, (void)why;
  return WEIR_BYPASS;
}
#define PART(n) .part = {.abi = WEIR_POLICY_ABI, .name = n}, .reason = WEIR_R_MODE
static const struct weir_policy_ops routes = {PART("routes"), .route = route};
static const struct weir_policy_ops admits = {PART("admits"), .admit = admit};
static const struct weir_policy_ops yields = {PART("yields"), .blocked = blocked};

/* One load of a line that the L2 has; with `set` another before it takes the only MSHR. */
static uint64_t time_with(const struct weir_policy_ops *policy, const char *set) {
  struct weir_design d;
  struct weir_err err;
  struct weir_sim_options o = {.threads = 1, .watchdog = 100000, .check = true};
  rig_open(&g, TAGS, set, NULL);
  rig_warm_l2(&g, A, 1);
  weir_sim_free(g.sim);
  weir_design_baseline(&d, &g.x.m);
  d.policy[d.n_policies++].ops = policy;
  d.paranoid = true;
  assert_int_equal(weir_sim_new(&g.x.m, &d, &o, &g.sim, &err), WEIR_OK);
  one_warp();
  if (set != NULL) load(c.ld1, B);
  load(c.ld0, A);
  put(c.use0);
  uint64_t t = run();
  assert_int_equal(r.l1.bypassed, 1);
  end();
  return t;
}

static void test_policies(void **state) {
  (void)state;
  assert_int_equal(time_with(&routes, NULL), DRAM_LINE);
  assert_int_equal(time_with(&admits, NULL), HIT + DRAM_LINE);
  /* It is at the tags one cycle after the first, and finds the DRAM's row open behind it. */
  uint64_t t = time_with(&yields, "l1.mshr_entries=1");
  assert_in_range(t, HIT + 1 + L2_LINE, HIT + 1 + DRAM_LINE + 4 * CCDL + RP);
  assert_int_equal(r.l1.bypass_reason[WEIR_R_STALL], 1);
  assert_int_equal(r.sm.stall[WEIR_NO_MSHR], 0);
}

/* ---- in order, as many as enter while the first is on its way ---- */

/* One request enters in a cycle, and one leaves: hits one after the other take no longer. */
static void test_throughput(void **state) {
  (void)state;
  enum { N = 40 };
  static const char *const at[] = {TAGS, "l1.latency_at=data"};
  for (unsigned k = 0; k < 2; k++) {
    rig_open(&g, at[k], "l1.flush_on_kernel=false", NULL);
    rig_warm_l2(&g, A, 1);
    synth_init(&s, 1, 1);
    uint32_t ld = synth_access(&s, WEIR_C_LOAD, WEIR_SP_GLOBAL, 4, -1, -1);
    for (unsigned i = 0; i < N; i++)
      load(ld, A);
    assert_int_equal(run(), N - 1 + L1_HIT);
    assert_int_equal(r.l1.hits, N);
    end();
  }
}

/* The second waits at the tags until the line of the first has come and it was answered; a bypassed
 * load behind it does not. */
static void test_wait_at_tags(void **state) {
  (void)state;
  rig_open(&g, TAGS, "l1.mshr_entries=1", NULL);
  one_warp();
  load(c.ld1, A); /* at the tags in cycle 1 + HIT */
  load(c.ld2, B); /* one later, and until the fill */
  run();
  assert_int_equal(r.sm.stall[WEIR_NO_MSHR], DRAM_LINE - 2);
  assert_int_equal(r.sm.resv_fail[WEIR_NO_MSHR], 1);
  end();
  rig_open(&g, TAGS, "l1.mshr_entries=1", NULL);
  rig_warm_l2(&g, C, 1);
  one_warp();
  load(c.ld1, A);
  load(c.ld2, B);
  load(c.cg, C); /* issued in cycle 2 */
  put(c.use0);
  load(c.cg, C);
  put(c.use0);
  run();
  assert_int_equal(r.l1.bypassed, 2);
  assert_int_equal(r.sm.stall[WEIR_NO_MSHR], DRAM_LINE - 2);
  end();
}

/* Behind one that waits at the tags the pipeline fills up, and then the LD/ST queue: all that waits
 * there has moved up, and goes on one per cycle. */
static void test_full(void **state) {
  (void)state;
  enum { N = HIT + 3 };
  rig_open(&g, TAGS, "l1.mshr_entries=1", "sm.ldst_queue=1", NULL);
  synth_init(&s, 1, 1);
  uint32_t ld = synth_access(&s, WEIR_C_LOAD, WEIR_SP_GLOBAL, 4, -1, -1);
  load(ld, A);
  for (unsigned i = 0; i < N; i++)
    load(ld, B); /* the first opens the entry when that of A is free, the others join it */
  run();
  assert_int_equal(r.l1.misses, 2);
  assert_int_equal(r.l1.hit_reserved, N - 1);
  assert_int_equal(r.sm.resv_fail[WEIR_NO_MSHR], 1);
  assert_int_equal(r.sm.stall[WEIR_NO_MSHR], DRAM_LINE - 2);
  /* HIT in the pipeline, one in the queue, one in the coalescer; slots until it has room. */
  assert_int_equal(r.sm.warp_insns, 1 + N);
  end();
}

/* A pipeline takes memory, and is refused where it would take too much. */
static void test_memory(void **state) {
  (void)state;
  const char *const set[] = {TAGS, "l1.hit_latency=1000000", "l1.probes_per_cycle=64",
                             "sm.count=64", NULL};
  struct machine x;
  struct weir_sim *sim;
  struct weir_err err;
  struct weir_sim_options o = {.threads = 1};
  machine_init(&x, NULL, set);
  assert_int_equal(weir_sim_new(&x.m, NULL, &o, &sim, &err), WEIR_EINVAL);
  assert_non_null(strstr(err.msg, "l1.hit_latency"));
  machine_free(&x);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_miss),         cmocka_unit_test(test_hit),
      cmocka_unit_test(test_bypass),       cmocka_unit_test(test_writes),
      cmocka_unit_test(test_policies),     cmocka_unit_test(test_throughput),
      cmocka_unit_test(test_wait_at_tags), cmocka_unit_test(test_full),
      cmocka_unit_test(test_memory),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
