/* pemp, request by request and in the engine.
 *   test_l1_pemp SOURCE_FOLDER */
#include "rig_pol.h"

static const char *folder;
static const struct weir_policy_ops *const policy = &weir_policy_pemp;

static struct port t;
static struct part_cfg cfg;
static uint64_t start; /* of the kernel */

static void defaults(void) {
  part_defaults(&policy->part, &cfg);
}
static void begin_kernel(void) {
  start = t.now;
  port_kernel(&t, 1);
}
static void open_on(const char *a, const char *b, const char *c) {
  const char *const set[] = {"l1.index=linear", "l1.sets=4", "l1.write=evict", a, b, c, NULL};
  port_open(&t, policy, &cfg, set);
  t.now = 1000;
  begin_kernel();
}
/* Cycles of the kernel. */
static void until(uint64_t cycle) {
  assert_true(t.now <= start + cycle);
  port_until(&t, start + cycle);
}
static uint64_t line(uint64_t set, uint64_t n) {
  return 128 * (4 * n + set);
}
static unsigned load(uint64_t addr) {
  return port_load(&t, 0, addr);
}
/* A load of a line that was never loaded before, in this cycle. */
static bool is_bypassed_now(void) {
  static uint64_t next = 1 << 20;
  const struct weir_access a = {.addr = line(3, next++), .sectors = 1};
  return port_is_bypassed(&t, &a);
}
/* Loads of set 0 of which so many miss. */
static void accesses(unsigned n, unsigned misses) {
  static uint64_t next = 1 << 24;
  assert_true(misses > 0 && misses <= n);
  for (unsigned i = 0; i < n; i++) {
    next += i < misses;
    assert_int_equal(load(line(0, next)), i < misses ? 0 : HIT_L1);
  }
}
/* An armed filter, at the end of the first sample. */
static void arm(void) {
  load(line(1, 1 << 10));
  until((uint64_t)GET(sample));
  assert_int_equal(STAT(armed), 1);
}

/* ---- periods ---- */

static bool arms(unsigned n, unsigned misses) {
  open_on("l1.ways=2", NULL, NULL);
  if (n > 0) accesses(n, misses);
  until((uint64_t)GET(sample) - 1);
  assert_int_equal(STAT(samples), 0);
  until((uint64_t)GET(sample));
  assert_int_equal(STAT(samples), 1);
  assert_int_equal(STAT(accesses), n);
  assert_int_equal(STAT(misses), n > 0 ? misses : 0);
  bool is_armed = STAT(armed) == 1;
  assert_int_equal(is_bypassed_now(), is_armed);
  port_close(&t);
  return is_armed;
}

static void test_threshold(void **state) {
  (void)state;
  defaults();
  assert_false(arms(0, 0));
  assert_false(arms(100, 70)); /* not above */
  assert_true(arms(100, 71));
  assert_true(arms(1, 1));
  SET(threshold, 1);
  assert_false(arms(10, 10));
  SET(threshold, 0);
  assert_true(arms(50, 1));
}

static void test_periods(void **state) {
  (void)state;
  defaults();
  open_on("l1.ways=2", NULL, NULL);
  assert_int_equal(weir_l1_next_tick(t.l1), start + 2000); /* though no block has come */
  until(100);
  load(line(0, 1));
  until(1999);
  assert_false(is_bypassed_now());
  until(2000);
  assert_true(is_bypassed_now());
  until(9999);
  assert_true(is_bypassed_now());
  until(10000);
  assert_false(is_bypassed_now()); /* the next sample */
  assert_int_equal(load(line(0, 1)), HIT_L1);
  assert_int_equal(load(line(0, 1)), HIT_L1);
  until(12000); /* one miss of three: the counters had begun at 0 */
  assert_int_equal(STAT(samples), 2);
  assert_int_equal(STAT(armed), 1);
  assert_int_equal(STAT(accesses), 2 + 3);
  assert_int_equal(STAT(misses), 2 + 1);
  assert_false(is_bypassed_now());
  until(15000);
  weir_l1_kernel_end(t.l1, t.now);
  assert_int_equal(STAT(cycles), 15000);
  assert_int_equal(STAT(armed_cycles), 8000);
  port_close(&t);
}

/* A new kernel begins with a sample, whatever the last one ended in. */
static void test_kernels(void **state) {
  (void)state;
  defaults();
  open_on("l1.ways=2", NULL, NULL);
  arm();
  until(2500);
  weir_l1_kernel_end(t.l1, t.now);
  t.now += 10;
  begin_kernel();
  assert_false(is_bypassed_now());
  assert_int_equal(weir_l1_next_tick(t.l1), start + 2000);
  until(1999);
  assert_int_equal(STAT(samples), 1);
  until(2000);
  assert_int_equal(STAT(armed), 2);
  assert_int_equal(load(line(1, 1 << 10)) & BYPASSED, BYPASSED); /* emptied */
  assert_int_equal(STAT(false_misses), 0);
  port_close(&t);

  open_on("l1.ways=2", "l1.flush_on_kernel=false", NULL);
  load(line(0, 1));
  weir_l1_kernel_end(t.l1, t.now);
  t.now += 10;
  begin_kernel();
  arm();
  assert_int_equal(load(line(0, 1)), HIT_L1); /* the copy has what stayed */
  assert_int_equal(STAT(false_misses), 0);
  port_close(&t);
}

/* ---- the copy ---- */

static void test_filter(void **state) {
  (void)state;
  defaults();
  open_on("l1.ways=2", NULL, NULL);
  load(line(0, 1));
  load(line(0, 2));
  load(line(2, 3));
  load(line(0, 4)); /* 1 goes */
  until(2000);
  assert_int_equal(load(line(0, 4)), HIT_L1);
  assert_int_equal(load(line(0, 2)), HIT_L1);
  assert_int_equal(load(line(2, 3)), HIT_L1);
  assert_int_equal(load(line(0, 1)) & BYPASSED, BYPASSED);
  assert_int_equal(load(line(0, 1)) & BYPASSED, BYPASSED); /* nothing was allocated for it */
  port_access(&t, WEIR_STORE, 0, 0, line(0, 4), false);
  assert_int_equal(load(line(0, 4)) & BYPASSED, BYPASSED); /* the store ended it */
  assert_int_equal(STAT(predictions), 6);
  assert_int_equal(STAT(predicted_hits), 3);
  assert_int_equal(STAT(bypassed), 3);
  assert_int_equal(STAT(right), 6);
  assert_int_equal(STAT(false_hits), 0);
  assert_int_equal(STAT(false_misses), 0);
  assert_int_equal(weir_l1_get_stats(t.l1, t.now)->bypass_reason[WEIR_R_PREDICTOR], 3);
  port_close(&t);
}

/* Presented in this cycle: is it sent on the way past the L1? */
static bool goes_past(enum weir_op op, uint64_t addr) {
  struct weir_l1_req q = {.a = {.addr = addr, .op = (uint8_t)op, .sectors = 1, .full = 1}};
  assert_true(weir_l1_present(t.l1, &q, 0, t.now).answer != WEIR_L1_FAILED);
  port_well(&t);
  const struct weir_msg *m = weir_l1_peek(t.l1);
  bool past = m != NULL && m->flags & WEIR_REQ_BYPASS;
  while (weir_l1_peek(t.l1) != NULL)
    weir_l1_pop(t.l1);
  return past;
}

/* Two requests in one cycle, in two banks: a store ends a line, and the copy still has it. In the
 * next cycle it has not. */
static void test_copy_is_a_cycle_behind(void **state) {
  (void)state;
  defaults();
  open_on("l1.ways=2", "l1.probes_per_cycle=2", "l1.banks=4");
  load(line(0, 1));
  load(line(1, 1));
  until(2000);
  until(2100);
  assert_false(goes_past(WEIR_STORE, line(0, 1)));
  struct weir_l1_req q = {.a = {.addr = line(0, 1), .op = WEIR_LOAD, .sectors = 4}};
  assert_int_equal(weir_l1_next_tick(t.l1), start + 2101);
  assert_int_equal(weir_l1_present(t.l1, &q, 0, t.now).answer, WEIR_L1_WAIT); /* a normal miss */
  port_well(&t);
  assert_int_equal(weir_l1_peek(t.l1)->flags & WEIR_REQ_BYPASS, 0);
  struct weir_msg m = *weir_l1_peek(t.l1);
  weir_l1_pop(t.l1);
  assert_int_equal(STAT(predicted_hits), 1);
  assert_int_equal(STAT(false_hits), 1);
  assert_int_equal(STAT(right), 0);
  /* That miss has allocated the line again: in the next cycle the copy knows. */
  until(2101);
  assert_int_equal(weir_l1_next_tick(t.l1), start + 10000);
  assert_false(goes_past(WEIR_LOAD, line(0, 1)));
  assert_int_equal(STAT(right), 1); /* it is on its way */
  until(2102);
  assert_true(weir_l1_fill(t.l1, &m, t.now));
  assert_int_equal(weir_l1_drain(t.l1, t.now), 0);
  assert_int_equal(weir_l1_drain(t.l1, t.now), 0);
  until(2120);
  goes_past(WEIR_STORE, line(1, 1));
  until(2121);
  assert_true(goes_past(WEIR_LOAD, line(1, 1)));
  assert_int_equal(STAT(bypassed), 1);
  assert_int_equal(STAT(false_misses), 0);
  port_close(&t);
}

/* Allocated on fill, a line comes into the tags before the loads of that cycle: those are the ones
 * that the copy sends past it. */
static void test_false_miss(void **state) {
  (void)state;
  defaults();
  open_on("l1.ways=2", "l1.alloc=fill", NULL);
  struct weir_l1_req q = {.a = {.addr = line(0, 1), .sectors = 1}};
  until(1990);
  assert_int_equal(weir_l1_present(t.l1, &q, 0, t.now).answer, WEIR_L1_WAIT);
  struct weir_msg m = *weir_l1_peek(t.l1);
  weir_l1_pop(t.l1);
  until(2010);
  assert_true(weir_l1_fill(t.l1, &m, t.now));
  assert_int_equal(weir_l1_drain(t.l1, t.now), 0);
  assert_true(goes_past(WEIR_LOAD, line(0, 1)));
  assert_int_equal(STAT(bypassed), 1);
  assert_int_equal(STAT(false_misses), 1);
  assert_int_equal(STAT(right), 0);
  until(2020);
  assert_false(goes_past(WEIR_LOAD, line(0, 1)));
  assert_int_equal(STAT(right), 1);
  port_close(&t);
}

/* What changed while nobody looked is known when the filter is armed; what changes in that very
 * cycle, before its loads, is not. */
static void test_edge(void **state) {
  (void)state;
  defaults();
  open_on("l1.ways=2", "l1.alloc=fill", NULL);
  struct weir_l1_req q[2] = {{.a = {.addr = line(0, 1), .sectors = 1}},
                             {.a = {.addr = line(1, 1), .sectors = 1}}};
  struct weir_msg m[2];
  until(1980);
  for (unsigned i = 0; i < 2; i++) {
    assert_int_equal(weir_l1_present(t.l1, &q[i], 0, t.now).answer, WEIR_L1_WAIT);
    m[i] = *weir_l1_peek(t.l1);
    weir_l1_pop(t.l1);
    t.now++;
  }
  until(1990);
  assert_true(weir_l1_fill(t.l1, &m[0], t.now));
  assert_int_equal(weir_l1_drain(t.l1, t.now), 0);
  t.now = start + 2000; /* fills come before ticks */
  assert_true(weir_l1_fill(t.l1, &m[1], t.now));
  assert_int_equal(weir_l1_drain(t.l1, t.now), 0);
  weir_l1_tick(t.l1, t.now);
  assert_int_equal(STAT(armed), 1);
  assert_int_equal(weir_l1_next_tick(t.l1), start + 2001);
  assert_true(goes_past(WEIR_LOAD, line(1, 1)));
  until(2010);
  assert_false(goes_past(WEIR_LOAD, line(1, 1)));
  until(2020);
  assert_false(goes_past(WEIR_LOAD, line(0, 1)));
  assert_int_equal(STAT(false_misses), 1);
  port_close(&t);
}

/* A sector that is missing is no hit, and no line is brought for it. */
static void test_sectors(void **state) {
  (void)state;
  defaults();
  open_on("l1.ways=2", "l1.sectored=true", NULL);
  load(line(0, 1));
  until(2000);
  struct weir_l1_req q = {.a = {.addr = line(0, 1), .sectors = 2}};
  assert_int_equal(weir_l1_present(t.l1, &q, 0, t.now).answer, WEIR_L1_WAIT);
  assert_int_equal(weir_l1_peek(t.l1)->flags & WEIR_REQ_BYPASS, 0);
  assert_int_equal(STAT(predicted_hits), 1);
  assert_int_equal(STAT(false_hits), 1);
  struct weir_msg m = *weir_l1_peek(t.l1);
  weir_l1_pop(t.l1);
  until(2010);
  assert_true(weir_l1_fill(t.l1, &m, t.now));
  assert_int_equal(weir_l1_drain(t.l1, t.now), 0);
  port_close(&t);
}

/* Stores and atomics are not counted and not filtered. */
static void test_stores(void **state) {
  (void)state;
  defaults();
  open_on("l1.ways=2", NULL, NULL);
  port_access(&t, WEIR_STORE, 0, 0, line(0, 1), false);
  load(line(1, 1));
  until(2000);
  assert_int_equal(STAT(accesses), 1);
  assert_int_equal(STAT(misses), 1);
  assert_false(goes_past(WEIR_STORE, line(0, 1)));
  assert_int_equal(STAT(predictions), 0);
  port_close(&t);
}

/* 16 KB in 128 lines: a tag of 20 bits and a valid bit for each. */
static void test_storage(void **state) {
  (void)state;
  defaults();
  port_open(&t, policy, &cfg, rig_and("l1.sets=32", "l1.ways=4", "l1.line=128", NULL));
  assert_int_equal(
      policy->part.storage_bits(weir_cfg(port_policy(&t)), weir_geometry(port_policy(&t))),
      128 * (20 + 1));
  port_close(&t);
}

/* ---- the engine ---- */

static void test_engine_exact(void **state) {
  (void)state;
  uint64_t sum[WEIR_MAX_PART_STATS] = {0};
  struct weir_sim_result r;
  defaults();
  SET(sample, 150); /* random kernels are short */
  SET(filter, 333);
  SET(threshold, 0.2);
  engine_random(policy, &cfg, CASES(80), sum);
  assert_true(STAT_OF(sum, bypassed) > 0 && STAT_OF(sum, predicted_hits) > 0);
  assert_true(STAT_OF(sum, samples) > STAT_OF(sum, armed) && STAT_OF(sum, false_hits) > 0);
  defaults();
  engine_exact(folder, "gather", policy, &cfg, sum, &r);
  assert_true(r.l1.bypass_reason[WEIR_R_PREDICTOR] > 0);
}

int main(int argc, char **argv) {
  if (argc != 2) return 2;
  folder = argv[1];
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_threshold),
                                     cmocka_unit_test(test_periods),
                                     cmocka_unit_test(test_kernels),
                                     cmocka_unit_test(test_filter),
                                     cmocka_unit_test(test_copy_is_a_cycle_behind),
                                     cmocka_unit_test(test_false_miss),
                                     cmocka_unit_test(test_edge),
                                     cmocka_unit_test(test_sectors),
                                     cmocka_unit_test(test_stores),
                                     cmocka_unit_test(test_storage),
                                     cmocka_unit_test(test_engine_exact)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
