/* apcm, request by request and in the engine.
 *   test_l1_apcm SOURCE_FOLDER */
#include "rig_pol.h"

static const char *folder;
static const struct weir_policy_ops *const policy = &weir_policy_apcm;

static struct port t;
static struct part_cfg cfg;
static uint64_t start; /* of the kernel */

enum { P = 8, Q = 16, R = 24, U = 32 }; /* instructions; U is never monitored */
enum { WATCHED = 2, OTHER = 5 };        /* slots of warps */

static void defaults(void) {
  part_defaults(&policy->part, &cfg);
}
static void begin_kernel(void) {
  start = t.now;
  port_kernel(&t, 0xff << WATCHED);
}
static void open_on(const char *a, const char *b, const char *c, const char *d) {
  const char *const set[] = {"l1.index=linear", "sm.warps=16", a, b, c, d, NULL};
  port_open(&t, policy, &cfg, set);
  t.now = 1000;
  begin_kernel();
}
/* One set of two ways for what is tested; lines of set 1 are monitored. */
static void open_small(void) {
  open_on("l1.sets=2", "l1.ways=2", "l1.write=evict", NULL);
}
static uint64_t line(uint64_t n) {
  return 128 * 2 * n;
}
static uint64_t elsewhere(uint64_t n) {
  return 128 * (2 * n + 1);
}
static unsigned load_by(uint32_t warp, uint64_t pc, uint64_t addr) {
  return port_access(&t, WEIR_LOAD, warp, pc, addr, false);
}
/* By a warp that is not monitored. */
static unsigned load(uint64_t pc, uint64_t n) {
  return load_by(OTHER, pc, line(n));
}
static void watched(uint64_t pc, uint64_t n) {
  load_by(WATCHED, pc, elsewhere(n));
}
static void ends(void) {
  weir_l1_warp(t.l1, WATCHED, WEIR_WARP_ENDS, t.now);
}
/* An instruction whose lines have so many uses by the warp itself, and by others. */
static void teach(uint64_t pc, unsigned lines, unsigned intra, unsigned inter) {
  static uint64_t next = 1 << 20;
  assert_true(inter <= lines);
  for (unsigned i = 0; i < lines; i++)
    watched(pc, next + i);
  for (unsigned i = 0; i < intra; i++)
    watched(pc, next + i % lines);
  for (unsigned i = 0; i < inter; i++)
    for (unsigned k = 0; k < 2; k++) /* the second says nothing new */
      load_by(OTHER + k, pc, elsewhere(next + i));
  next += 1000;
}
/* Q's lines are protected for so many accesses. */
static void teach_intra(unsigned accesses) {
  teach(Q, 4, accesses, 0); /* 4 for each use of a line */
  ends();
  assert_int_equal(STAT(insns_intra), 1);
}

/* ---- kinds ---- */

static const char *kind_after(unsigned lines, unsigned intra, unsigned inter) {
  open_small();
  teach(P, lines, intra, inter);
  assert_int_equal(STAT(monitored), lines + intra + 2 * inter);
  assert_int_equal(load(P, 1), 0); /* nothing is known yet */
  ends();
  unsigned past = load(P, 2) & BYPASSED;
  const char *kind = STAT(insns_stream)  ? "stream"
                     : STAT(insns_intra) ? "intra"
                     : STAT(insns_inter) ? "inter"
                     : STAT(insns_mixed) ? "mixed"
                                         : "none";
  assert_int_equal(STAT(insns_stream) + STAT(insns_intra) + STAT(insns_inter) + STAT(insns_mixed),
                   1);
  assert_int_equal(past, STAT(insns_stream) ? BYPASSED : 0);
  assert_int_equal(STAT(bypassed_stream), STAT(insns_stream));
  port_close(&t);
  return kind;
}

static void test_kinds(void **state) {
  (void)state;
  defaults();
  assert_string_equal(kind_after(8, 0, 0), "stream");
  assert_string_equal(kind_after(8, 1, 0), "stream");
  assert_string_equal(kind_after(8, 0, 1), "stream");
  assert_string_equal(kind_after(8, 2, 0), "intra"); /* 0.25 is not below */
  assert_string_equal(kind_after(8, 0, 2), "inter");
  assert_string_equal(kind_after(8, 1, 1), "mixed");
  assert_string_equal(kind_after(4, 4, 2), "intra");
  assert_string_equal(kind_after(4, 3, 2), "mixed");
  assert_string_equal(kind_after(4, 2, 4), "inter");
  assert_string_equal(kind_after(4, 2, 3), "mixed");
  SET(stream_below, 0);
  assert_string_equal(kind_after(8, 0, 0), "intra"); /* of none the first */
  defaults();
  SET(dominates, 1);
  assert_string_equal(kind_after(4, 2, 2), "intra");
  assert_string_equal(kind_after(4, 2, 3), "inter");
}

/* What another warp brought is no line of the monitored one. */
static void test_only_its_lines(void **state) {
  (void)state;
  defaults();
  open_small();
  for (uint64_t i = 0; i < 4; i++)
    load_by(OTHER, P, elsewhere(i));
  for (uint64_t i = 0; i < 4; i++)
    watched(P, i);
  port_access(&t, WEIR_STORE, WATCHED, P, elsewhere(2), false); /* loads only */
  ends();
  assert_int_equal(STAT(insns_stream), 1);
  assert_int_equal(STAT(monitored), 8);
  port_close(&t);
  /* Uses count for the instruction that brought the line. */
  open_small();
  for (uint64_t i = 0; i < 4; i++) {
    watched(P, i);
    watched(Q, 100 + i);
    watched(R, i);
  }
  ends();
  assert_int_equal(STAT(insns_intra), 1);
  assert_int_equal(STAT(insns_stream), 1);
  assert_int_equal(load(Q, 1) & BYPASSED, BYPASSED);
  assert_int_equal(load(P, 2), 0);
  assert_int_equal(load(R, 3), 0); /* it brought nothing, and is unknown */
  port_close(&t);
}

static void test_end_of_monitoring(void **state) {
  (void)state;
  defaults();
  SET(loads, 10);
  open_small();
  for (uint64_t i = 0; i < 9; i++)
    load_by(i < 4 ? WATCHED : OTHER, P, elsewhere(i));
  assert_int_equal(load(P, 1), 0); /* the tenth: known from here on */
  assert_int_equal(STAT(insns_stream), 1);
  assert_int_equal(STAT(bypassed_stream), 0);
  assert_int_equal(load(P, 2) & BYPASSED, BYPASSED);
  assert_int_equal(STAT(monitored), 10);
  port_close(&t);

  defaults();
  open_small();
  watched(P, 1);
  weir_l1_warp(t.l1, OTHER, WEIR_WARP_ENDS, t.now);
  weir_l1_warp(t.l1, WATCHED, WEIR_WARP_WAITS, t.now);
  assert_int_equal(STAT(insns_stream), 0);
  weir_l1_cta_begin(t.l1, &(struct weir_cta){.slot = 1, .warps = 1}, t.now); /* changes nothing */
  load_by(0, P, elsewhere(7));
  weir_l1_cta_end(t.l1, &(struct weir_cta){.slot = 1, .warps = 1}, t.now);
  assert_int_equal(STAT(insns_stream), 0);
  weir_l1_cta_end(t.l1, &(struct weir_cta){.warps = 0xff << WATCHED}, t.now);
  assert_int_equal(STAT(insns_stream), 1);
  port_close(&t);
}

/* The table of instructions and the array of lines are small. */
static void test_tables(void **state) {
  (void)state;
  defaults();
  SET(entries, 2);
  open_small();
  watched(P, 1);
  watched(Q, 2);
  watched(R, 3);
  watched(R, 4);
  ends();
  assert_int_equal(STAT(untracked), 2);
  assert_int_equal(STAT(insns_stream), 2);
  assert_int_equal(load(P, 1) & BYPASSED, BYPASSED);
  assert_int_equal(load(R, 2), 0);
  port_close(&t);

  defaults();
  SET(hash_bits, 2); /* words 2, 6 and 66: 2, 1 ^ 2, 1 ^ 2 */
  open_small();
  watched(8, 1);
  watched(24, 2);
  watched(64 * 4 + 8, 3);
  ends();
  assert_int_equal(STAT(insns_stream), 2);
  port_close(&t);

  /* A B A C B: C takes the place of B, which is then brought again: four lines, one use. */
  defaults();
  SET(array, 2);
  SET(stream_below, 0.26);
  open_small();
  for (const char *s = "ABACB"; *s != '\0'; s++)
    watched(P, (uint64_t)*s);
  ends();
  assert_int_equal(STAT(insns_stream), 1);
  port_close(&t);
  SET(array, 3); /* three lines, two uses */
  open_small();
  for (const char *s = "ABACB"; *s != '\0'; s++)
    watched(P, (uint64_t)*s);
  ends();
  assert_int_equal(STAT(insns_intra), 1);
  port_close(&t);
}

/* When one is full, all stop: 255 lines, and none of the uses that came later. */
static void test_counters_are_full(void **state) {
  (void)state;
  defaults();
  open_small();
  for (uint64_t i = 0; i < 254; i++)
    watched(P, i);
  for (uint64_t i = 0; i < 63; i++)
    watched(P, 253);
  watched(P, 1000);
  for (uint64_t i = 0; i < 400; i++)
    watched(P, 1000);
  ends();
  assert_int_equal(STAT(insns_stream), 1); /* 63 of 255 */
  port_close(&t);
}

/* ---- protection ---- */

/* The line of a protected instruction stays for so many accesses to its set, though all others came
 * later; the access with which that ends still finds it protected. */
static void test_protected(void **state) {
  (void)state;
  for (unsigned n = 1; n <= 9; n += 4) {
    defaults();
    open_small();
    teach_intra(n);
    assert_int_equal(load(Q, 1), 0);
    for (uint64_t i = 0; i < n; i++)
      assert_int_equal(load(U, 10 + i), 0);
    assert_int_equal(load(U, 10 + n - 1), HIT_L1);
    assert_int_equal(STAT(pinned), 1);
    load(U, 50); /* now it is the one that was not used for longest */
    assert_int_equal(load(U, 10 + n - 1), HIT_L1);
    assert_int_equal(load(U, 1), 0);
    port_close(&t);

    open_small(); /* one access fewer: it is still there */
    teach_intra(n);
    load(Q, 1);
    for (uint64_t i = 0; i < n; i++)
      load(U, 10 + i);
    assert_int_equal(load(U, 1), HIT_L1);
    port_close(&t);
  }
}

/* min(15, 4 x intra / lines), rounded down. */
static void test_how_long(void **state) {
  (void)state;
  static const struct {
    unsigned lines, intra;
    unsigned accesses;
  } cases[] = {{4, 100, 15}, {4, 15, 15}, {3, 4, 5}, {8, 3, 1}, {5, 9, 7}};
  for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++) {
    defaults();
    open_small();
    teach(Q, cases[i].lines, cases[i].intra, 0);
    ends();
    load(Q, 1);
    for (uint64_t k = 0; k < cases[i].accesses; k++)
      load(U, 10 + k);
    assert_int_equal(load(U, 1), HIT_L1);
    port_close(&t);
    open_small();
    teach(Q, cases[i].lines, cases[i].intra, 0);
    ends();
    load(Q, 1);
    for (uint64_t k = 0; k < cases[i].accesses + 1; k++)
      load(U, 10 + k);
    assert_int_equal(load(U, 1), 0);
    port_close(&t);
  }
}

/* A hit of Q's renews it; one of another instruction is a use for LRU and no more. */
static void test_refreshed(void **state) {
  (void)state;
  defaults();
  open_small();
  teach_intra(4);
  load(Q, 1);
  for (uint64_t i = 0; i < 3; i++)
    load(U, 10 + i);
  assert_int_equal(load(Q, 1), HIT_L1);
  assert_int_equal(STAT(refreshed), 1);
  for (uint64_t i = 0; i < 4; i++)
    load(U, 20 + i);
  assert_int_equal(load(U, 1), HIT_L1);
  assert_int_equal(STAT(refreshed), 1);
  port_close(&t);

  open_small();
  teach_intra(2);
  load(Q, 1);
  load(U, 2);
  assert_int_equal(load(U, 1), HIT_L1); /* the third access: not protected from here on, but used */
  load(U, 3);
  assert_int_equal(load(U, 1), HIT_L1);
  assert_int_equal(STAT(refreshed), 0);
  load(U, 4);
  load(U, 5);
  assert_int_equal(load(U, 1), 0);
  port_close(&t);
}

static void test_all_protected(void **state) {
  (void)state;
  defaults();
  open_small();
  teach_intra(12);
  teach(P, 4, 0, 0); /* too late */
  load(Q, 1);
  load(Q, 2);
  assert_int_equal(load(U, 3) & BYPASSED, BYPASSED);
  assert_int_equal(load(Q, 4) & BYPASSED, BYPASSED);
  assert_int_equal(load(P, 5) & BYPASSED, BYPASSED);
  assert_int_equal(STAT(all_protected), 3);
  assert_int_equal(STAT(all_reserved), 0);
  assert_int_equal(STAT(bypassed_unknown), 2);
  assert_int_equal(STAT(bypassed_intra), 1);
  assert_int_equal(weir_l1_get_stats(t.l1, t.now)->bypass_reason[WEIR_R_STALL], 3);
  assert_int_equal(load(U, 1), HIT_L1);
  assert_int_equal(load(U, 2), HIT_L1);
  port_access(&t, WEIR_STORE, OTHER, U, line(1), false); /* its protection goes with the line */
  assert_int_equal(load(U, 3), 0);
  assert_int_equal(load(U, 4), 0); /* in the place of 3 */
  assert_int_equal(load(U, 2), HIT_L1);
  port_close(&t);

  /* By the kind of the instruction, and what is on its way cannot go either. */
  open_on("l1.sets=2", "l1.ways=1", NULL, NULL);
  teach(P, 4, 0, 4);
  teach(Q, 4, 8, 0);
  teach(R, 4, 3, 2);
  ends();
  assert_int_equal(load(Q, 1), 0);
  assert_int_equal(load(P, 2) & BYPASSED, BYPASSED);
  assert_int_equal(load(R, 3) & BYPASSED, BYPASSED);
  assert_int_equal(STAT(bypassed_inter), 1);
  assert_int_equal(STAT(bypassed_mixed), 1);
  for (unsigned i = 0; i < 6; i++)
    load(R, 3);
  assert_int_equal(STAT(all_protected), 8);
  struct weir_l1_req q = {.a = {.addr = line(7), .pc = U, .warp = OTHER, .sectors = 1}};
  port_step(&t);
  assert_int_equal(weir_l1_present(t.l1, &q, 0, t.now).answer, WEIR_L1_WAIT);
  assert_int_equal(weir_l1_peek(t.l1)->flags & WEIR_REQ_BYPASS, 0);
  struct weir_msg m = *weir_l1_peek(t.l1);
  weir_l1_pop(t.l1);
  assert_int_equal(load(U, 8) & BYPASSED, BYPASSED);
  assert_int_equal(STAT(all_protected), 8);
  assert_int_equal(STAT(all_reserved), 1);
  assert_true(weir_l1_fill(t.l1, &m, t.now));
  assert_int_equal(weir_l1_drain(t.l1, t.now), 0);
  port_close(&t);
}

/* A store that takes a way takes the oldest, protected or not. */
static void test_stores_take_ways(void **state) {
  (void)state;
  defaults();
  open_on("l1.sets=2", "l1.ways=2", "l1.write=alloc_nofetch", "l1.sectored=true");
  teach_intra(12);
  load(Q, 1);
  load(Q, 2);
  port_access(&t, WEIR_STORE, OTHER, U, line(3), false);
  assert_int_equal(load(U, 2), HIT_L1);
  assert_int_equal(load(U, 3), HIT_L1);
  port_close(&t);
}

/* Where the way is taken when the line has come, one that finds none is not stored. */
static void test_on_fill(void **state) {
  (void)state;
  defaults();
  open_on("l1.sets=2", "l1.ways=1", "l1.alloc=fill", NULL);
  teach_intra(12);
  assert_int_equal(load(Q, 1), 0);
  assert_int_equal(load(U, 2), 0);
  assert_int_equal(STAT(not_placed), 1);
  assert_int_equal(load(U, 1), HIT_L1);
  assert_int_equal(STAT(all_protected), 0);
  port_close(&t);
}

/* Cycles of the kernel in which a line was protected. */
static void test_residency(void **state) {
  (void)state;
  defaults();
  open_small();
  teach_intra(2);
  load(Q, 1);
  uint64_t from = t.now - 10; /* asked for, answered, drained, stored: 1 + 1 + 8 cycles */
  assert_int_equal(STAT(pinned_cycles), 0);
  port_until(&t, t.now + 500);
  load(U, 2);
  load(U, 2);
  uint64_t to = t.now - 1; /* a hit: asked for, and the port is free again */
  port_until(&t, t.now + 300);
  weir_l1_kernel_end(t.l1, t.now);
  assert_int_equal(STAT(pinned_cycles), to - from);
  assert_int_equal(STAT(cycles), t.now - start);
  port_close(&t);

  open_small();
  teach_intra(12);
  load(Q, 1);
  load(Q, 2);
  port_until(&t, t.now + 100);
  uint64_t before = STAT(pinned_cycles), at = t.now - 100 - 10;
  weir_l1_kernel_end(t.l1, t.now);
  assert_int_equal(STAT(pinned_cycles), before + 2 * (t.now - at));
  port_close(&t);
}

/* All is forgotten with the kernel, the protection of lines that stay included. */
static void test_kernels(void **state) {
  (void)state;
  for (unsigned i = 0; i < 2; i++) {
    defaults();
    open_on("l1.sets=2", "l1.ways=1", i ? "l1.flush_on_kernel=false" : NULL, NULL);
    teach(P, 4, 0, 0);
    teach(Q, 4, 12, 0);
    ends();
    assert_int_equal(load(P, 1) & BYPASSED, BYPASSED);
    load(Q, 2);
    weir_l1_kernel_end(t.l1, t.now);
    t.now += 10;
    begin_kernel();
    assert_int_equal(load(U, 2), i ? HIT_L1 : 0);
    assert_int_equal(load(P, 1), 0); /* in the place of 2 */
    assert_int_equal(load(Q, 3), 0);
    assert_int_equal(load(U, 4), 0);
    assert_int_equal(STAT(pinned), 1);
    teach(P, 4, 0, 0);
    ends();
    assert_int_equal(STAT(insns_stream), 2);
    assert_int_equal(load(P, 6) & BYPASSED, BYPASSED);
    port_close(&t);
  }
}

/* 128 lines: 16 x 35 bits, 64 x 30 bits, 4 bits of each line; and LRU, which the baseline has. */
static void test_storage(void **state) {
  (void)state;
  defaults();
  open_on("l1.sets=32", "l1.ways=4", "l1.line=128", NULL);
  assert_int_equal(
      policy->part.storage_bits(weir_cfg(port_policy(&t)), weir_geometry(port_policy(&t))),
      2992 + 128 * 2);
  port_close(&t);
}

/* ---- the engine ---- */

static void test_engine_exact(void **state) {
  (void)state;
  uint64_t sum[WEIR_MAX_PART_STATS] = {0};
  struct weir_sim_result r;
  defaults();
  SET(loads, 40); /* random kernels are short */
  SET(stream_below, 0.15);
  engine_random(policy, &cfg, 500, sum);
  assert_true(STAT_OF(sum, bypassed_stream) > 0 && STAT_OF(sum, pinned) > 0);
  assert_true(STAT_OF(sum, refreshed) > 0 && STAT_OF(sum, pinned_cycles) > 0);
  assert_true(STAT_OF(sum, all_protected) > 0 && STAT_OF(sum, all_reserved) > 0);
  defaults();
  engine_exact(folder, "gather", policy, &cfg, sum, &r);
  assert_true(r.l1.bypass_reason[WEIR_R_PREDICTOR] > 0);
}

int main(int argc, char **argv) {
  if (argc != 2) return 2;
  folder = argv[1];
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_kinds),
                                     cmocka_unit_test(test_only_its_lines),
                                     cmocka_unit_test(test_end_of_monitoring),
                                     cmocka_unit_test(test_tables),
                                     cmocka_unit_test(test_counters_are_full),
                                     cmocka_unit_test(test_protected),
                                     cmocka_unit_test(test_how_long),
                                     cmocka_unit_test(test_refreshed),
                                     cmocka_unit_test(test_all_protected),
                                     cmocka_unit_test(test_stores_take_ways),
                                     cmocka_unit_test(test_on_fill),
                                     cmocka_unit_test(test_residency),
                                     cmocka_unit_test(test_kernels),
                                     cmocka_unit_test(test_storage),
                                     cmocka_unit_test(test_engine_exact)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
