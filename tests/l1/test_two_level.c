/* two-level, request by request and in the engine.
 *   test_l1_two_level SOURCE_FOLDER */
#include "rig_pol.h"

static const char *folder;
static const struct weir_policy_ops *const policy = &weir_policy_two_level;

static struct port t;
static struct part_cfg cfg;
static uint64_t start; /* of the kernel */

static const char *const large[] = {"l1.sets=64",  "l1.ways=64",     "l1.index=linear",
                                    "sm.warps=64", "l1.write=evict", NULL};

static void defaults(void) {
  part_defaults(&policy->part, &cfg);
}
static uint64_t slots(unsigned n) {
  return n < 64 ? (UINT64_C(1) << n) - 1 : UINT64_MAX;
}
static void open_on(const char *const *set, unsigned warps) {
  port_open(&t, policy, &cfg, set);
  t.now = start = 1000;
  port_kernel(&t, slots(warps));
}
static const struct weir_l1_stats *l1_stats(void) {
  return weir_l1_get_stats(t.l1, t.now);
}
static unsigned load(uint64_t line) {
  return port_load(&t, 0, 128 * line);
}
/* Cycles of the kernel. */
static void until(uint64_t cycle) {
  port_until(&t, start + cycle);
}
/* A line that was never loaded before. */
static uint64_t new_line(void) {
  static uint64_t next = 1000;
  return next++;
}
static bool is_bypassed(void) {
  return (load(new_line()) & BYPASSED) != 0;
}

/* So many accesses, of which so many miss. */
static void accesses(unsigned n, unsigned misses) {
  uint64_t last = new_line();
  assert_true(misses > 0 && misses <= n);
  for (unsigned i = 0; i < n; i++) {
    if (i > 0 && i < misses) last = new_line();
    assert_int_equal(load(last), i < misses ? 0 : HIT_L1);
  }
}

/* What a sample of that kind leads to. */
static bool bypasses_after(unsigned n, unsigned misses, unsigned warps) {
  open_on(large, warps);
  if (n > 0) accesses(n, misses);
  assert_true(t.now < start + (uint64_t)GET(sample));
  until((uint64_t)GET(sample));
  assert_int_equal(STAT(samples), 1);
  assert_int_equal(STAT(accesses), n);
  assert_int_equal(STAT(misses), misses);
  bool past = is_bypassed();
  assert_int_equal(STAT(to_bypass), past);
  assert_int_equal(STAT(to_cache), !past);
  port_close(&t);
  return past;
}

/* Miss rates and warps of the paper's benchmarks, and where it puts them. */
static void test_decisions(void **state) {
  (void)state;
  defaults();
  SET(sample, 20000);
  for (unsigned w = 1; w <= 31; w += 10) {
    assert_false(bypasses_after(1000, 46, w));
    assert_true(bypasses_after(100, 99, w));
    assert_true(bypasses_after(31, 1, w)); /* too few to tell */
  }
  assert_false(bypasses_after(100, 73, 30));
  assert_true(bypasses_after(100, 72, 6));
  assert_true(bypasses_after(100, 68, 14));
  assert_true(bypasses_after(0, 0, 30));
}

static void test_edges(void **state) {
  (void)state;
  defaults();
  assert_false(bypasses_after(32, 1, 1));
  assert_false(bypasses_after(100, 49, 1));
  assert_true(bypasses_after(100, 50, 15)); /* neither threshold is below itself */
  assert_false(bypasses_after(100, 50, 16));
  assert_true(bypasses_after(100, 90, 15));
  assert_false(bypasses_after(100, 90, 16));
  assert_true(bypasses_after(100, 91, 31));
  SET(min_accesses, 0);
  assert_true(bypasses_after(0, 0, 31)); /* no rate at all */
  assert_false(bypasses_after(10, 1, 1));
  SET(low, 0);
  assert_true(bypasses_after(10, 1, 15));
  SET(low, 0.7);
  SET(high, 0.7);
  assert_false(bypasses_after(10, 6, 1));
  assert_true(bypasses_after(10, 7, 1));
  assert_true(bypasses_after(10, 8, 31));
}

static void test_miss_rate_alone(void **state) {
  (void)state;
  defaults();
  SET(levels, 1);
  assert_false(bypasses_after(100, 73, 6));
  assert_false(bypasses_after(100, 90, 6));
  assert_true(bypasses_after(100, 91, 31));
  assert_true(bypasses_after(31, 1, 31));
  SET(high, 0.6);
  assert_false(bypasses_after(100, 60, 1));
  assert_true(bypasses_after(100, 61, 31));
  SET(high, 0.3); /* below `low`, which has no say */
  assert_true(bypasses_after(100, 31, 31));
}

static void test_codes(void **state) {
  (void)state;
  defaults();
  SET(hold, 1);
  open_on(large, 20);
  static const unsigned misses[] = {10, 95, 60, 70, 100};
  for (unsigned i = 0; i < 5; i++) {
    accesses(100, misses[i]);
    until((i + 1) * UINT64_C(5001));
  }
  until(6 * UINT64_C(5001));
  assert_int_equal(STAT(samples), 6);
  assert_int_equal(STAT(code_low), 1);
  assert_int_equal(STAT(code_high), 2);
  assert_int_equal(STAT(code_between), 2);
  assert_int_equal(STAT(few), 1);
  assert_int_equal(STAT(to_cache), 3);
  assert_int_equal(STAT(to_bypass), 3);
  assert_int_equal(STAT(accesses), 500);
  assert_int_equal(STAT(misses), 335);
  assert_int_equal(STAT(warps), 120);
  port_close(&t);
}

/* ---- time ---- */

static bool is_bypassed_now(void) {
  const struct weir_access a = {.addr = 128 * new_line(), .sectors = 1};
  return port_is_bypassed(&t, &a);
}

/* The first sample begins with the first block; edges come before the accesses of their cycle. */
static void test_phases(void **state) {
  (void)state;
  const struct weir_cta c = {.warps = 0xf};
  defaults();
  SET(sample, 100);
  SET(hold, 700);
  open_on(large, 0);
  assert_int_equal(weir_l1_next_tick(t.l1), WEIR_NEVER);
  until(50);
  weir_l1_cta_begin(t.l1, &c, t.now);
  assert_int_equal(weir_l1_next_tick(t.l1), start + 150);
  until(60);
  weir_l1_cta_begin(t.l1, &(struct weir_cta){.slot = 1, .warps = 0xf0},
                    t.now); /* begins nothing anew */
  assert_int_equal(weir_l1_next_tick(t.l1), start + 150);
  until(149);
  assert_false(is_bypassed_now());
  until(150);
  assert_true(is_bypassed_now()); /* too few accesses */
  until(849);
  assert_true(is_bypassed_now());
  until(850);
  assert_false(is_bypassed_now());
  assert_int_equal(STAT(samples), 1);
  until(949);
  assert_false(is_bypassed_now());
  until(950);
  assert_true(is_bypassed_now());
  assert_int_equal(STAT(samples), 2);
  assert_int_equal(STAT(accesses), 3);
  until(1000);
  weir_l1_kernel_end(t.l1, t.now);
  assert_int_equal(STAT(cycles), 950);
  assert_int_equal(STAT(sample_cycles), 200);
  assert_int_equal(STAT(bypass_cycles), 750);
  assert_int_equal(STAT(cache_cycles), 0);
  port_close(&t);

  SET(hold, 0);
  SET(min_accesses, 1);
  open_on(large, 4);
  accesses(4, 1);
  until(100);
  assert_int_equal(weir_l1_next_tick(t.l1), WEIR_NEVER); /* as long as the kernel */
  until(1000000);
  assert_false(is_bypassed_now());
  weir_l1_kernel_end(t.l1, t.now);
  assert_int_equal(STAT(sample_cycles), 100);
  assert_int_equal(STAT(cache_cycles), 999900);
  port_close(&t);
}

/* Nothing of a kernel decides about the next. */
static void test_kernels(void **state) {
  (void)state;
  defaults();
  SET(sample, 2000);
  open_on(large, 8);
  accesses(100, 100);
  until(2000);
  assert_true(is_bypassed());
  weir_l1_cta_end(t.l1, &(struct weir_cta){.warps = 0xff}, t.now);
  weir_l1_kernel_end(t.l1, t.now);
  t.now = start = t.now + 10;
  port_kernel(&t, 0xf);
  assert_false(is_bypassed());
  assert_int_equal(weir_l1_next_tick(t.l1), start + 2000);
  accesses(100, 20);
  until(2000);
  assert_int_equal(STAT(code_low), 1);
  assert_int_equal(STAT(misses), 100 + 21);
  assert_int_equal(STAT(warps), 8 + 4);
  /* In the middle of a sample, and with warps that were never told to have ended. */
  until(97000);
  accesses(50, 50);
  weir_l1_kernel_end(t.l1, t.now);
  t.now = start = t.now + 10;
  port_kernel(&t, 0x3);
  accesses(40, 1);
  until(2000);
  assert_int_equal(STAT(samples), 3);
  assert_int_equal(STAT(accesses), 100 + 101 + 40);
  assert_int_equal(STAT(warps), 8 + 4 + 2);
  port_close(&t);
}

static void launch(uint64_t kernel, unsigned warps) {
  const struct weir_kernel k = {
      .name = "k", .id = kernel, .n_insns = 1, .n_ctas = 1, .ctas_per_sm = 1};
  const struct weir_cta c = {.warps = slots(warps)};
  t.now = start = t.now + 10;
  assert_true(weir_l1_kernel_begin(t.l1, &k, 0, t.now));
  if (warps > 0) weir_l1_cta_begin(t.l1, &c, t.now);
}
static void end_at(uint64_t cycle) {
  until(cycle);
  weir_l1_kernel_end(t.l1, t.now);
}

/* With `persist` the time of a kernel is that of all its launches. */
static void test_persist(void **state) {
  (void)state;
  defaults();
  SET(sample, 2000);
  SET(hold, 700);
  SET(persist, true);
  port_open(&t, policy, &cfg, large);
  launch(1, 8);
  accesses(50, 50);
  end_at(1500);
  launch(2, 8); /* has a time of its own */
  assert_int_equal(weir_l1_next_tick(t.l1), start + 2000);
  accesses(40, 4);
  end_at(1999);
  launch(1, 8);
  assert_int_equal(weir_l1_next_tick(t.l1), start + 500);
  accesses(20, 20);
  until(499);
  assert_false(is_bypassed_now());
  until(500);
  assert_true(is_bypassed_now());
  assert_int_equal(STAT(samples), 1);
  assert_int_equal(STAT(accesses), 71);
  assert_int_equal(STAT(warps), 8);
  end_at(600);
  launch(1, 0); /* without a block here: nothing changes */
  end_at(5000);
  launch(2, 8);
  assert_int_equal(weir_l1_next_tick(t.l1), start + 1);
  until(1);
  assert_int_equal(STAT(to_cache), 1);
  end_at(10);
  launch(1, 8);
  assert_int_equal(weir_l1_next_tick(t.l1), start + 600);
  assert_true(is_bypassed_now());
  until(600); /* the next sample */
  assert_false(is_bypassed_now());
  assert_int_equal(weir_l1_next_tick(t.l1), start + 2600);
  end_at(700);
  assert_int_equal(STAT(sample_cycles), 1500 + 1999 + 500 + 1 + 100);
  assert_int_equal(STAT(bypass_cycles), 100 + 600);
  assert_int_equal(STAT(cache_cycles), 9);
  port_close(&t);

  SET(hold, 0); /* a decision for all launches */
  SET(persist_kernels, 1);
  port_open(&t, policy, &cfg, large);
  launch(1, 8);
  end_at(2000);
  launch(1, 8);
  assert_int_equal(weir_l1_next_tick(t.l1), WEIR_NEVER);
  assert_true(is_bypassed_now());
  end_at(100000);
  launch(2, 8); /* takes the only place */
  end_at(10);
  launch(1, 8);
  assert_false(is_bypassed_now());
  end_at(10);
  port_close(&t);
}

/* ---- what is counted ---- */

static void test_warps(void **state) {
  (void)state;
  defaults();
  SET(sample, 1000);
  SET(hold, 1);
  open_on(large, 20);
  until(250);
  weir_l1_warp(t.l1, 3, WEIR_WARP_WAITS, t.now); /* it is still there */
  until(500);
  weir_l1_warp(t.l1, 3, WEIR_WARP_RUNS, t.now);
  for (uint32_t w = 0; w < 9; w++)
    weir_l1_warp(t.l1, w, WEIR_WARP_ENDS, t.now);
  until(1000);
  assert_int_equal(STAT(warps), 16); /* 15.5 */
  until(1001 + 501);
  weir_l1_cta_end(t.l1, &(struct weir_cta){.warps = slots(20)},
                  t.now); /* 11, and 9 that had ended */
  until(2001);
  assert_int_equal(STAT(warps), 16 + 6); /* 11 x 501 / 1000 */
  weir_l1_cta_begin(t.l1, &(struct weir_cta){.warps = slots(60)}, t.now);
  until(3002);
  assert_int_equal(STAT(warps), 16 + 6 + 31); /* as many as five bits hold */
  port_close(&t);

  /* It is the mean that decides, rounded. */
  static const uint64_t to[] = {645, 646};
  for (unsigned i = 0; i < 2; i++) {
    open_on(large, 24);
    accesses(40, 30);
    until(to[i]);
    weir_l1_cta_end(t.l1, &(struct weir_cta){.warps = slots(24)}, t.now);
    until(1000);
    assert_int_equal(STAT(warps), 15 + i); /* 15.48, 15.504 */
    assert_int_equal(STAT(to_cache), i);
    port_close(&t);
  }
}

static void test_what_counts(void **state) {
  (void)state;
  const char *const sectored[] = {"l1.sectored=true", "l1.sets=4",   "l1.ways=4",
                                  "l1.write=through", "l1.line=128", NULL};
  defaults();
  SET(sample, 1000);
  for (unsigned i = 0; i < 2; i++) {
    SET(count_stores, i == 1);
    open_on(sectored, 1);
    /* Two loads of one sector: the second joins the first. Then another sector of the line. */
    struct weir_l1_req q = {.a = {.addr = 0, .sectors = 1}};
    assert_int_equal(weir_l1_present(t.l1, &q, 0, ++t.now).answer, WEIR_L1_WAIT);
    assert_int_equal(weir_l1_present(t.l1, &q, 0, ++t.now).answer, WEIR_L1_WAIT);
    struct weir_msg m = *weir_l1_peek(t.l1);
    weir_l1_pop(t.l1);
    assert_null(weir_l1_peek(t.l1));
    port_step(&t);
    assert_true(weir_l1_fill(t.l1, &m, t.now));
    port_step(&t);
    assert_int_equal(weir_l1_drain(t.l1, t.now), 0);
    assert_int_equal(weir_l1_drain(t.l1, t.now), 0);
    q.a.sectors = 2;
    assert_int_equal(weir_l1_present(t.l1, &q, 0, ++t.now).answer, WEIR_L1_WAIT);
    m = *weir_l1_peek(t.l1);
    weir_l1_pop(t.l1);
    port_step(&t);
    assert_true(weir_l1_fill(t.l1, &m, t.now));
    port_step(&t);
    assert_int_equal(weir_l1_drain(t.l1, t.now), 0);
    port_until(&t, t.now + 8);
    assert_int_equal(load(0), HIT_L1);
    port_access(&t, WEIR_STORE, 0, 0, 0, false);
    port_access(&t, WEIR_STORE, 0, 0, 4096, false);
    port_access(&t, WEIR_ATOMIC, 0, 0, 8192, false);
    until(1000);
    assert_int_equal(l1_stats()->hit_reserved, 1);
    assert_int_equal(l1_stats()->partial_misses, 1);
    assert_int_equal(STAT(accesses), 4 + 3 * i);
    assert_int_equal(STAT(misses), 2 + 2 * i);
    port_close(&t);
  }
}

static void test_counters_are_full(void **state) {
  (void)state;
  defaults();
  SET(sample, 100000);
  open_on(large, 1);
  accesses(8190, 4000);
  until(99000);
  assert_int_equal(load(new_line()), 0); /* 8191 */
  for (unsigned i = 0; i < 20; i++)
    load(new_line());
  until(100000);
  assert_int_equal(STAT(accesses), 8191);
  assert_int_equal(STAT(misses), 4001);
  port_close(&t);
}

/* ---- stores ---- */

/* In B mode loads leave no trace in the L1, and stores find what lies there. */
static void test_stores_keep_lines_right(void **state) {
  (void)state;
  defaults();
  SET(sample, 1000);
  SET(hold, 1000);
  for (unsigned i = 0; i < 2; i++) {
    const char *const set[] = {"l1.sets=64", "l1.ways=64", "l1.index=linear",
                               i == 0 ? "l1.write=evict" : "l1.write=through", NULL};
    open_on(set, 1);
    load(0);
    load(1);
    until(1000);
    uint64_t probes = l1_stats()->probes;
    assert_true(load(0) & BYPASSED); /* although it is there */
    assert_true(load(2) & BYPASSED);
    assert_int_equal(l1_stats()->probes, probes);
    assert_int_equal(l1_stats()->bypass_reason[WEIR_R_MODE], 2);
    port_access(&t, WEIR_STORE, 0, 0, 0, false);
    assert_int_equal(l1_stats()->probes, probes + 1);
    assert_int_equal(l1_stats()->store_hits, 1);
    until(2000);
    assert_int_equal(load(0), i == 0 ? 0 : HIT_L1);
    assert_int_equal(load(1), HIT_L1);
    assert_int_equal(load(2), 0); /* it did not enter */
    port_close(&t);
  }
}

/* Local lines would be the only copy if they were written back. */
static void test_local_stores_write_through(void **state) {
  (void)state;
  defaults();
  for (unsigned local = 0; local < 2; local++) {
    open_on(large, 1);
    load(0);
    struct weir_l1_req q = {
        .a = {.addr = 0, .op = WEIR_STORE, .sectors = 1, .full = 1, .is_local = local == 1}};
    port_step(&t);
    assert_int_equal(weir_l1_present(t.l1, &q, 0, t.now).answer, WEIR_L1_SENT);
    assert_non_null(weir_l1_peek(t.l1));
    assert_int_equal(weir_l1_peek(t.l1)->kind, WEIR_MSG_WRITE);
    weir_l1_pop(t.l1);
    port_step(&t);
    assert_int_equal(load(0), local ? HIT_L1 : 0);
    assert_int_equal(l1_stats()->writebacks, 0);
    port_close(&t);
  }
}

/* ---- reports ---- */

static void test_storage(void **state) {
  (void)state;
  defaults();
  open_on(large, 1);
  assert_int_equal(
      policy->part.storage_bits(weir_cfg(port_policy(&t)), weir_geometry(port_policy(&t))), 31);
  port_close(&t);
  SET(persist, true); /* 16 kernels: address, phase, the rest of 95,000 cycles, counters */
  open_on(large, 1);
  assert_int_equal(
      policy->part.storage_bits(weir_cfg(port_policy(&t)), weir_geometry(port_policy(&t))),
      31 + 16 * (32 + 2 + 17 + 31));
  port_close(&t);
}

static void test_refusals(void **state) {
  (void)state;
  defaults();
  SET(low, 0.95);
  engine_refuses(policy, &cfg, large, "two-level.low (0.95) is above two-level.high (0.9)");
}

/* The first words of the state are slots and times; what verify looks at comes after them. */
static void test_verify(void **state) {
  (void)state;
  defaults();
  open_on(large, 1);
  accesses(10, 5);
  until(5000);
  struct weir_policy *p = port_policy(&t);
  uint64_t *const fields[] = {&STAT(few), &STAT(to_cache), &STAT(bypass_cycles)};
  assert_null(policy->part.verify(p));
  for (unsigned i = 0; i < 3; i++) {
    ++*fields[i];
    assert_non_null(policy->part.verify(p));
    --*fields[i];
  }
  uint32_t *counters = (uint32_t *)((char *)p->state + 3 * sizeof(uint64_t));
  assert_int_equal(counters[0], 10);
  assert_int_equal(counters[1], 5);
  counters[1] = 11;
  assert_non_null(policy->part.verify(p));
  counters[0] = 8192;
  counters[1] = 5;
  assert_non_null(policy->part.verify(p));
  counters[0] = 8191;
  assert_null(policy->part.verify(p));
  port_close(&t);
}

/* ---- the engine ---- */

/* Warps that stream: everything misses, and after the first sample nothing enters the L1. A policy
 * that always caches is the machine alone. */
static void test_engine_modes(void **state) {
  (void)state;
  struct machine x;
  struct weir_design d;
  struct synth s;
  struct weir_sim_result r[2], alone[1];
  struct synth *const kernels[2] = {&s, &s};
  machine_init(&x, NULL, rig_and("l1.sets=4", "l1.ways=4", "sm.schedulers=2", NULL));
  synth_init(&s, 2, 4);
  struct code c = rig_code(&s, WEIR_SP_GLOBAL);
  for (uint32_t b = 0; b < 2; b++)
    for (uint32_t w = 0; w < 4; w++)
      for (uint64_t i = 0; i < 100; i++) {
        synth_stride(&s, b, w, c.ld0, UINT32_MAX, 0x10000 + 128 * (100 * (4 * b + w) + i), 4);
        synth_put(&s, b, w, c.use0);
      }
  defaults();
  SET(sample, 1000);
  design_with(&d, &x.m, policy, &cfg, true);
  engine_same(&x, &d, kernels, 2, r);
  for (unsigned k = 0; k < 2; k++) { /* a sample in each kernel */
    const void *st = r[k].part[1];
    assert_int_equal(STAT_OF(st, samples), 1);
    assert_int_equal(STAT_OF(st, code_high), 1);
    assert_int_equal(STAT_OF(st, warps), 8);
    assert_int_equal(STAT_OF(st, misses), STAT_OF(st, accesses));
    assert_int_equal(STAT_OF(st, accesses), r[k].l1.probes);
    assert_int_equal(r[k].l1.bypassed, r[k].l1.bypass_reason[WEIR_R_MODE]);
    assert_int_equal(r[k].l1.bypassed, 800 - STAT_OF(st, accesses));
    assert_int_equal(STAT_OF(st, cycles), STAT_OF(st, sample_cycles) + STAT_OF(st, bypass_cycles));
    assert_true(r[k].l1.bypassed > 400 && STAT_OF(st, cache_cycles) == 0);
    assert_true(STAT_OF(st, cycles) <= r[k].cycles && STAT_OF(st, cycles) + 2 >= r[k].cycles);
  }
  SET(low, 1);
  SET(high, 1);
  SET(warps, 0);
  SET(min_accesses, 0);
  design_with(&d, &x.m, policy, &cfg, true);
  engine_same(&x, &d, kernels, 1, r);
  engine_kernels(&x, NULL, kernels, 1, &engine_ways[0], alone);
  assert_int_equal(r[0].cycles, alone[0].cycles);
  assert_int_equal(r[0].l1.bypassed, 0);
  assert_memory_equal(&r[0].l1, &alone[0].l1, sizeof r[0].l1);
  assert_memory_equal(&r[0].sm, &alone[0].sm, sizeof r[0].sm);
  synth_free(&s);
  machine_free(&x);
}

static void test_engine_exact(void **state) {
  (void)state;
  uint64_t sum[WEIR_MAX_PART_STATS] = {0};
  struct weir_sim_result r;
  defaults();
  SET(sample, 60); /* random kernels are short */
  SET(hold, 140);
  SET(min_accesses, 4);
  SET(warps, 6);
  engine_random(policy, &cfg, 40, sum);
  assert_true(STAT_OF(sum, few) > 0 && STAT_OF(sum, code_low) > 0 && STAT_OF(sum, code_high) > 0 &&
              STAT_OF(sum, code_between) > 0);
  assert_true(STAT_OF(sum, to_cache) > 0 &&
              STAT_OF(sum, to_bypass) > STAT_OF(sum, few) + STAT_OF(sum, code_high));
  SET(persist, true);
  engine_random(policy, &cfg, 10, sum);
  defaults();
  SET(sample, 500);
  SET(hold, 3000);
  memset(sum, 0, sizeof sum);
  engine_exact(folder, "gather", policy, &cfg, sum, &r);
  engine_exact(folder, "spmv", policy, &cfg, sum, &r);
  assert_true(STAT_OF(sum, to_cache) > 0 && STAT_OF(sum, to_bypass) > 0);
}

#define T(f) cmocka_unit_test(f)
int main(int argc, char **argv) {
  if (argc != 2) return 2;
  folder = argv[1];
  const struct CMUnitTest tests[] = {T(test_decisions),
                                     T(test_edges),
                                     T(test_miss_rate_alone),
                                     T(test_codes),
                                     T(test_phases),
                                     T(test_kernels),
                                     T(test_persist),
                                     T(test_warps),
                                     T(test_what_counts),
                                     T(test_counters_are_full),
                                     T(test_stores_keep_lines_right),
                                     T(test_local_stores_write_through),
                                     T(test_storage),
                                     T(test_refusals),
                                     T(test_verify),
                                     T(test_engine_modes),
                                     T(test_engine_exact)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
