/* ccws, request by request and in the engine.
 *   test_l1_ccws SOURCE_FOLDER */
#include "l1/inspect.h"
#include "rig_pol.h"

static const char *folder;
static const struct weir_policy_ops *const policy = &weir_policy_ccws;

static struct port t;
static struct part_cfg cfg;
static uint64_t start; /* of the kernel */

static const char *const small[] = {"l1.sets=4", "l1.ways=1", "l1.index=linear", NULL};

static void open_l1(uint64_t warps) {
  port_open(&t, policy, &cfg, small);
  t.now = start = 1000;
  t.view.insns_issued = 5000; /* of kernels before */
  port_kernel(&t, warps);
  t.view.insns_issued += UINT64_C(1) << 40; /* lost lines are worth nothing until a test says so */
}
static void defaults(void) {
  part_defaults(&policy->part, &cfg);
}
static void issued(uint64_t n) {
  t.view.insns_issued = 5000 + n;
}
static void load(uint32_t warp, uint64_t addr) {
  port_access(&t, WEIR_LOAD, warp, 0, addr, false);
}
static uint64_t may_load(void) {
  uint64_t set = 0;
  for (uint32_t w = 0; w < 8; w++)
    if (weir_l1_gate(t.l1, w, WEIR_LOAD)) set |= UINT64_C(1) << w;
  return set;
}
static uint64_t score(uint32_t warp) {
  return weir_ccws_score(port_policy(&t), warp, t.now - start);
}
static void event(uint32_t warp, enum weir_warp_event e) {
  weir_l1_warp(t.l1, warp, e, t.now);
}

/* Two lines of one set with one way, in turn: each load after the second finds its line among those
 * that were lost. Afterwards line 0 is lost if n is even. */
static void thrash(uint32_t warp, unsigned n) {
  for (unsigned i = 0; i < n; i++)
    load(warp, i % 2 * 512);
}
/* The warp has lost the line and loads it now: its score rises in this cycle. */
static void lose_line(uint32_t warp, uint64_t addr) {
  struct weir_l1_req q = {.a = {.addr = addr, .warp = warp, .sectors = 1}};
  assert_int_equal(weir_l1_present(t.l1, &q, 0, t.now).answer, WEIR_L1_WAIT);
  struct weir_msg m = *weir_l1_peek(t.l1);
  weir_l1_pop(t.l1);
  assert_true(weir_l1_fill(t.l1, &m, t.now));
  weir_l1_drain(t.l1, t.now);
}
static void lose_now(uint32_t warp) {
  lose_line(warp, 0);
}

/* Four warps, budget 400. Of 1000 instructions 5 hits are worth 16, which is below the base; 50 are
 * worth 160, and for 60 cycles the budget does not reach the youngest. */
static void test_scores(void **state) {
  (void)state;
  defaults();
  open_l1(0xf);
  thrash(2, 6);
  assert_int_equal(STAT(vta_hits), 4);
  issued(1000);
  port_step(&t);
  lose_now(2);
  assert_int_equal(STAT(vta_hits), 5);
  assert_int_equal(score(2), 100);
  assert_int_equal(may_load(), 0xf);
  port_close(&t);

  open_l1(0xf);
  load(2, 512);
  thrash(2, 50);
  assert_int_equal(STAT(vta_hits), 49);
  assert_int_equal(STAT(raised), 0);
  port_until(&t, t.now + 50);
  issued(1000);
  uint64_t at = t.now;
  lose_now(2);
  assert_int_equal(STAT(vta_hits), 50);
  assert_int_equal(score(2), 160);
  assert_int_equal(may_load(), 0x7); /* 160, 260, 360, 460: warps 2, 0, 1 and not 3 */
  assert_true(weir_l1_gate(t.l1, 3, WEIR_STORE));
  assert_true(weir_l1_gate(t.l1, 3, WEIR_ATOMIC));
  assert_true(weir_l1_gate(t.l1, 3, WEIR_OTHER));
  assert_int_equal(weir_l1_next_tick(t.l1), at + 60);
  port_until(&t, at + 59);
  assert_int_equal(score(2), 101);
  assert_int_equal(may_load(), 0x7);
  port_until(&t, at + 60);
  assert_int_equal(score(2), 100);
  assert_int_equal(may_load(), 0xf);
  assert_int_equal(weir_l1_next_tick(t.l1), WEIR_NEVER);
  weir_l1_kernel_end(t.l1, at + 100);
  assert_int_equal(STAT(held_warp_cycles), 60);
  assert_int_equal(STAT(warp_cycles), 4 * (at + 100 - start));
  assert_int_equal(STAT(cycles), at + 100 - start);
  port_close(&t);
}

/* ---- lost lines ---- */

static void test_lost_lines(void **state) {
  (void)state;
  defaults();
  open_l1(0xf);
  load(0, 0);
  load(1, 512); /* warp 0 loses line 0 to it */
  load(1, 0);   /* which warp 1 never had */
  assert_int_equal(STAT(vta_hits), 0);
  load(2, 1024); /* now 0 is warp 1's loss, and was warp 0's before */
  load(0, 0);
  assert_int_equal(STAT(vta_hits), 1);
  load(3, 1024); /* lost by warp 2 */
  assert_int_equal(STAT(vta_hits), 1);
  load(1, 0);
  assert_int_equal(STAT(vta_hits), 2);
  assert_int_equal(STAT(vta_probes), 7);
  /* A line that a store ended was not lost to anybody. */
  load(0, 128);
  port_access(&t, WEIR_STORE, 1, 0, 128, false);
  load(0, 128);
  assert_int_equal(STAT(vta_hits), 2);
  port_close(&t);
}

/* Two sets of eight, by the last bit of the line number; the line pushed first goes first. */
static void test_lost_lines_are_few(void **state) {
  (void)state;
  defaults();
  open_l1(0xf);
  for (uint64_t i = 0; i <= 9; i++)
    load(0, 512 * i); /* even lines; 0 to 8 are lost, 0 is forgotten */
  load(0, 0);         /* 9 is lost: 1 is forgotten */
  assert_int_equal(STAT(vta_hits), 0);
  load(0, 512); /* 0 is lost: 2 is forgotten */
  assert_int_equal(STAT(vta_hits), 0);
  load(0, 512 * 3);
  assert_int_equal(STAT(vta_hits), 1);
  port_close(&t);
  open_l1(0xf);
  for (uint64_t i = 0; i <= 8; i++)
    load(0, 512 * i);
  for (uint64_t i = 0; i <= 8; i++)
    load(0, 128 + 512 * i); /* odd lines disturb nobody */
  load(0, 0);
  load(0, 128);
  assert_int_equal(STAT(vta_hits), 2);
  port_close(&t);
}

/* ---- against the definition, cycle by cycle ---- */

enum { N = 8 };
struct literal {
  uint64_t present, age[N], next_age;
};

static uint64_t literal_allowed(const struct literal *m) {
  uint64_t left = m->present, sum = 0, set = 0;
  uint64_t cutoff = (uint64_t)GET(base) * (uint64_t)__builtin_popcountll(m->present);
  while (left != 0) {
    uint32_t best = UINT32_MAX;
    for (uint32_t w = 0; w < N; w++)
      if ((left >> w & 1) && (best == UINT32_MAX || score(w) > score(best) ||
                              (score(w) == score(best) && m->age[w] < m->age[best])))
        best = w;
    sum += score(best);
    if (sum <= cutoff) set |= UINT64_C(1) << best;
    left &= ~(UINT64_C(1) << best);
  }
  return set;
}

/* Warps lose lines, end, and come again with their block; most cycles nothing happens. */
static void test_gates_follow_scores(void **state) {
  (void)state;
  uint64_t rng = 5, ticks = 0, gated = 0;
  struct literal m = {.present = 0xff};
  defaults();
  SET(watchdog, 1000000000);
  open_l1(0xff);
  for (uint32_t w = 0; w < N; w++)
    m.age[w] = m.next_age++;
  for (unsigned i = 0; i < 20000; i++) {
    t.now++;
    if (weir_l1_next_tick(t.l1) <= t.now) weir_l1_tick(t.l1, t.now), ticks++;
    if (below(&rng, 20) == 0) {
      issued(500 + below(&rng, 20000));
      load(below(&rng, N), 512 * below(&rng, 3));
    }
    if (below(&rng, 400) == 0) {
      uint32_t w = below(&rng, N);
      if (m.present >> w & 1) event(w, WEIR_WARP_ENDS);
      m.present &= ~(UINT64_C(1) << w);
    }
    if (below(&rng, 1000) == 0 || m.present == 0) { /* the block ends and another comes */
      const struct weir_cta c = {.warps = 0xff};
      weir_l1_cta_end(t.l1, &c, t.now);
      weir_l1_cta_begin(t.l1, &c, t.now);
      m.present = 0xff;
      for (uint32_t w = 0; w < N; w++)
        m.age[w] = m.next_age++;
    }
    assert_int_equal(may_load(), literal_allowed(&m));
    gated += may_load() != m.present;
  }
  assert_true(STAT(raised) > 50);
  assert_in_range(gated, 2000, 19000);
  assert_true(ticks < 2000); /* it sleeps */
  port_close(&t);
}

/* Of two with the same score the older comes first, and it may have all of the budget but not more.
 */
static void test_order(void **state) {
  (void)state;
  defaults();
  open_l1(0x3);
  load(0, 128);
  load(0, 640);
  load(1, 0);
  load(1, 512);
  port_until(&t, t.now + 50);
  uint64_t at = t.now;
  issued(7); /* 1 * 8 * 200 / 7 */
  lose_line(1, 0);
  assert_int_equal(score(1), 228);
  assert_int_equal(may_load(), 0);
  port_until(&t, at + 27);
  assert_int_equal(may_load(), 0);
  port_until(&t, at + 28);
  assert_int_equal(may_load(), 0x2);
  port_until(&t, at + 40);
  issued(17); /* 2 * 8 * 200 / 17 */
  lose_line(0, 128);
  assert_int_equal(score(0), 188);
  assert_int_equal(score(1), 188);
  assert_int_equal(may_load(), 0x1);
  port_until(&t, at + 127); /* 101 and 101 */
  assert_int_equal(may_load(), 0x1);
  port_until(&t, at + 128);
  assert_int_equal(may_load(), 0x3);
  port_close(&t);
}

/* ---- the guard ---- */

/* One warp has used up the budget alone; nobody may load until it is forced. */
static void test_watchdog(void **state) {
  (void)state;
  defaults();
  SET(watchdog, 500);
  open_l1(0x3);
  thrash(1, 2);
  port_until(&t, t.now + 50);
  issued(8); /* one hit of eight instructions: a score of 200, all of the budget */
  lose_now(1);
  assert_int_equal(score(1), 200);
  assert_int_equal(may_load(), 0x2);
  thrash(1, 2);
  assert_true(score(1) > 200);
  assert_int_equal(may_load(), 0);
  thrash(1, 30); /* far above it */
  uint64_t at = t.now;
  assert_true(score(1) > 2000);
  assert_int_equal(STAT(forced), 0);
  port_until(&t, at + 500);
  assert_int_equal(may_load(), 0x2); /* the first in order */
  assert_true(STAT(forced) > 0);
  event(1, WEIR_WARP_WAITS);
  assert_int_equal(may_load(), 0x1); /* the next, while that one waits */
  event(1, WEIR_WARP_RUNS);
  port_until(&t, t.now + score(1) - 100);
  assert_int_equal(may_load(), 0x3);
  port_close(&t);
}

/* Those who may load wait at a barrier for one who may not. */
static void test_watchdog_at_a_barrier(void **state) {
  (void)state;
  defaults();
  SET(watchdog, 500);
  open_l1(0x7);
  thrash(0, 2);
  port_until(&t, t.now + 50);
  issued(12);
  lose_now(0); /* 200 of 300, then 100 */
  assert_int_equal(may_load(), 0x3);
  issued(4);
  thrash(0, 8);
  t.now += 1;
  assert_true(score(0) > 1000);
  issued(UINT64_C(1) << 40);
  port_until(&t, t.now + score(0) - 180); /* 180 and 100 */
  uint64_t at = t.now;
  assert_int_equal(may_load(), 0x3);
  event(0, WEIR_WARP_WAITS);
  event(1, WEIR_WARP_WAITS);
  assert_int_equal(may_load(), 0x3);
  port_until(&t, at + 79);
  assert_int_equal(may_load(), 0x3);
  port_until(&t, at + 80); /* the score is down before the guard acts */
  assert_int_equal(may_load(), 0x7);
  port_close(&t);

  SET(watchdog, 20);
  open_l1(0x7);
  thrash(0, 2);
  port_until(&t, t.now + 50);
  issued(12);
  lose_now(0);
  at = t.now;
  event(0, WEIR_WARP_WAITS);
  event(1, WEIR_WARP_WAITS);
  port_until(&t, at + 19);
  assert_int_equal(may_load(), 0x3);
  port_until(&t, at + 20);
  assert_int_equal(may_load(), 0x7);
  port_close(&t);
}

/* ---- beginnings ---- */

static void test_slots_begin_anew(void **state) {
  (void)state;
  const struct weir_cta c = {.warps = 0x3};
  defaults();
  open_l1(0x3);
  thrash(0, 4);
  issued(40);
  thrash(0, 2); /* the fourth hit: 160 of 200 */
  assert_true(score(0) > 100);
  assert_int_equal(may_load(), 0x1);
  weir_l1_cta_end(t.l1, &c, t.now);
  weir_l1_cta_begin(t.l1, &c, t.now);
  assert_int_equal(score(0), 100);
  assert_int_equal(may_load(), 0x3);
  uint64_t hits = STAT(vta_hits);
  load(0, 0); /* what the warp before had lost */
  assert_int_equal(STAT(vta_hits), hits);
  /* A kernel: hits and instructions are counted from 0 again. */
  thrash(0, 2);
  weir_l1_cta_end(t.l1, &c, t.now);
  weir_l1_kernel_end(t.l1, t.now);
  t.now = start = t.now + 10;
  port_kernel(&t, 0x3);
  thrash(0, 2);
  t.view.insns_issued += 16;
  port_step(&t);
  lose_now(0); /* 1 hit, 16 instructions, budget 200 */
  assert_int_equal(score(0), 100);
  t.view.insns_issued -= 10;
  thrash(0, 1);
  load(0, 512); /* 2 hits, 6 instructions */
  assert_true(score(0) > 100);
  port_close(&t);
}

static void test_storage(void **state) {
  (void)state;
  defaults();
  const char *const set[] = {"l1.sets=32", "l1.ways=4", "l1.line=128", "sm.warps=48", NULL};
  port_open(&t, policy, &cfg, set);
  assert_int_equal(
      policy->part.storage_bits(weir_cfg(port_policy(&t)), weir_geometry(port_policy(&t))), 23808);
  port_close(&t);
}

static void test_refusals(void **state) {
  (void)state;
  defaults();
  SET(vta_ways, 5);
  engine_refuses(policy, &cfg, small, "ccws.vta_entries is not a multiple of ccws.vta_ways");
}

/* ---- the engine ---- */

/* Eight warps go round three lines each, of which the L1 holds one set of four in all. */
static void test_engine_holds_warps_back(void **state) {
  (void)state;
  struct machine x;
  struct weir_design d;
  struct synth s;
  struct weir_sim_result r[2], free_run[1];
  struct synth *const kernels[2] = {&s, &s};
  for (unsigned lrr = 0; lrr < 2; lrr++) {
    defaults();
    machine_init(&x, NULL,
                 rig_and("l1.sets=1", "l1.ways=4", lrr ? "sm.scheduler=lrr" : "sm.scheduler=gto",
                         "sm.schedulers=2"));
    design_with(&d, &x.m, policy, &cfg, true);
    synth_init(&s, 2, 4);
    struct code c = rig_code(&s, WEIR_SP_GLOBAL);
    for (uint32_t b = 0; b < 2; b++)
      for (uint32_t w = 0; w < 4; w++)
        for (uint64_t i = 0; i < 60; i++) {
          synth_stride(&s, b, w, c.ld0, UINT32_MAX, 0x10000 + 128 * (3 * (4 * b + w) + i % 3), 4);
          synth_put(&s, b, w, c.use0);
        }
    engine_same(&x, &d, kernels, 2, r);
    engine_kernels(&x, NULL, kernels, 1, &engine_ways[0], free_run);
    const void *st = r[0].part[1];
    assert_true(STAT_OF(st, vta_hits) > 0 && STAT_OF(st, raised) > 0);
    assert_true(STAT_OF(st, held_warp_cycles) > 0);
    assert_int_equal(STAT_OF(st, warp_cycles),
                     STAT_OF(st, held_warp_cycles) + STAT_OF(st, allowed_warp_cycles));
    assert_true(r[0].sm.slot[WEIR_SLOT_GATE] > 0);
    assert_int_equal(free_run[0].sm.slot[WEIR_SLOT_GATE], 0);
    assert_true(r[0].l1.hits > 2 * free_run[0].l1.hits); /* what it is for */
    synth_free(&s);
    machine_free(&x);
  }
}

static void test_engine_exact(void **state) {
  (void)state;
  uint64_t sum[WEIR_MAX_PART_STATS] = {0};
  struct weir_sim_result r;
  defaults();
  SET(k, 64); /* random kernels are short */
  SET(watchdog, 300);
  engine_random(policy, &cfg, 40, sum);
  assert_true(STAT_OF(sum, raised) > 0 && STAT_OF(sum, held_warp_cycles) > 0 &&
              STAT_OF(sum, forced) > 0);
  defaults();
  memset(sum, 0, sizeof sum);
  engine_exact(folder, "gather", policy, &cfg, sum, &r);
  engine_exact(folder, "spmv", policy, &cfg, sum, &r);
  assert_true(STAT_OF(sum, vta_hits) > 0 && STAT_OF(sum, held_warp_cycles) > 0);
}

int main(int argc, char **argv) {
  if (argc != 2) return 2;
  folder = argv[1];
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_scores),
                                     cmocka_unit_test(test_lost_lines),
                                     cmocka_unit_test(test_lost_lines_are_few),
                                     cmocka_unit_test(test_gates_follow_scores),
                                     cmocka_unit_test(test_order),
                                     cmocka_unit_test(test_watchdog),
                                     cmocka_unit_test(test_watchdog_at_a_barrier),
                                     cmocka_unit_test(test_slots_begin_anew),
                                     cmocka_unit_test(test_storage),
                                     cmocka_unit_test(test_refusals),
                                     cmocka_unit_test(test_engine_holds_warps_back),
                                     cmocka_unit_test(test_engine_exact)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
