/* Rules of advice: each at its threshold, from both sides; and loads that are spoken of as one. */
#include "testing.h"

#include "analysis/advice.h"

enum { N = 1000, LINES = 128 };

/* A workload of one kernel with four loads of a thousand references each, all of them hits of a
 * line that was used long ago: no rule applies. */
struct workload {
  struct weir_machine machine;
  struct weir_locality_load loads[4];
  struct weir_locality_kernel kernel;
  struct weir_eviction evictions[4];
  struct weir_locality_set set;
  uint32_t site[4];
};

static struct weir_locality *of(struct workload *w, uint32_t load) {
  return &w->loads[load].of;
}

static void begin(struct workload *w) {
  *w = (struct workload){.machine.l1 = {.line = 128, .sector = 32},
                         .kernel = {.lines_most = LINES, .lines_least = LINES},
                         .site = {0, 1, 2, 3}};
  for (uint32_t i = 0; i < 4; i++)
    *of(w, i) = (struct weir_locality){.references = N,
                                       .sectors = 4 * N,
                                       .answered = N / 2,
                                       .sent = N / 2,
                                       .opt = N / 2 + 30, /* neither close nor far */
                                       .needs = {N},
                                       .fits = N,
                                       .cause = {N}};
  w->set = (struct weir_locality_set){.machine = &w->machine,
                                      .loads = {w->loads, 4, 4},
                                      .kernels = {&w->kernel, 1, 1},
                                      .evictions = {w->evictions, 0, 4}};
}

static void evicts(struct workload *w, uint32_t by, uint32_t whom, uint64_t n) {
  w->evictions[w->set.evictions.n++] =
      (struct weir_eviction){.by = by, .of = whom, .n = {0, n, 0, 0}};
}

static struct weir_advices advise(struct workload *w) {
  struct weir_sites s;
  struct weir_advices a;
  uint32_t n = 0;
  for (uint32_t i = 0; i < 4; i++)
    if (w->site[i] >= n) n = w->site[i] + 1;
  assert_true(weir_sites_make(&s, &w->set, w->site, n));
  assert_true(weir_advise(&s, &a));
  weir_sites_free(&s);
  return a;
}

/* The only advice is of that kind. */
static struct weir_advice only(struct workload *w, enum weir_advice_kind kind) {
  struct weir_advices a = advise(w);
  assert_int_equal(a.n, 1);
  assert_int_equal(a.n_found, 1);
  assert_int_equal(a.v[0].kind, kind);
  return a.v[0];
}

static void none(struct workload *w) {
  assert_int_equal(advise(w).n, 0);
}

static void test_none(void **state) {
  (void)state;
  struct workload w;
  begin(&w);
  none(&w);
  w.set.loads.n = 0;
  none(&w);
}

static void test_streams(void **state) {
  (void)state;
  struct workload w;
  begin(&w);
  of(&w, 1)->lone = 949;
  none(&w);
  of(&w, 1)->lone = 950;
  struct weir_advice a = only(&w, WEIR_ADVICE_STREAMS);
  assert_int_equal(a.load, 1);
  assert_int_equal(a.concerned, N);
  assert_true(a.v[0] == 0.95);
  /* Not worth a word: less than one of a hundred. */
  of(&w, 0)->references = 1000000;
  for (uint32_t i = 0; i < WEIR_ADVICE_KINDS; i++)
    if (i < advise(&w).n) assert_int_not_equal(advise(&w).v[i].kind, WEIR_ADVICE_STREAMS);
}

static void test_sparse(void **state) {
  (void)state;
  struct workload w;
  begin(&w);
  of(&w, 0)->sectors = 2 * N;
  of(&w, 0)->cause[WEIR_NO_MISS] = 501;
  none(&w);
  of(&w, 0)->cause[WEIR_NO_MISS] = 500;
  struct weir_advice a = only(&w, WEIR_ADVICE_SPARSE);
  assert_true(a.v[0] == 2 && a.v[1] == 4 && a.v[2] == 0.5);
  assert_int_equal(a.concerned, 500);
  of(&w, 0)->sectors = 2 * N + 1;
  none(&w);
  of(&w, 0)->sectors = N;
  w.machine.l1.sectored = true;
  none(&w);
}

static void test_pairs(void **state) {
  (void)state;
  struct workload w;
  begin(&w);
  evicts(&w, 0, 1, 50);
  evicts(&w, 1, 0, 49);
  none(&w); /* one direction alone is not each other */
  w.evictions[1].n[0] = 1;
  struct weir_advice a = only(&w, WEIR_ADVICE_EACH_OTHER);
  assert_int_equal(a.load, 0);
  assert_int_equal(a.other, 1);
  assert_int_equal(a.concerned, 100);
  assert_true(a.v[0] == 50 && a.v[1] == 50);
  of(&w, 0)->lone = N;
  struct weir_advices all = advise(&w);
  assert_int_equal(all.n, 2);
  assert_int_equal(all.v[0].kind, WEIR_ADVICE_STREAMS);
  assert_int_equal(all.v[1].kind, WEIR_ADVICE_POLLUTES);
  assert_int_equal(all.v[1].load, 0);
  assert_int_equal(all.v[1].other, 1);
  begin(&w);
  evicts(&w, 2, 2, 500); /* itself */
  none(&w);
}

static void test_sites(void **state) {
  (void)state;
  struct workload w;
  begin(&w);
  w.site[1] = 0; /* 0 and 1 are one; 2 and 3 become 1 and 2 */
  w.site[2] = 1;
  w.site[3] = 2;
  evicts(&w, 0, 2, 40);
  evicts(&w, 1, 2, 40);
  evicts(&w, 2, 0, 60);
  evicts(&w, 2, 1, 60);
  struct weir_advice a = only(&w, WEIR_ADVICE_EACH_OTHER);
  assert_int_equal(a.load, 0);
  assert_int_equal(a.other, 1);
  assert_true(a.v[0] == 120 && a.v[1] == 80);
  struct weir_sites s;
  assert_true(weir_sites_make(&s, &w.set, w.site, 3));
  assert_int_equal(s.v[0].n, 2);
  assert_int_equal(s.v[0].of.references, 2 * N);
  assert_int_equal(s.v[1].first, 2);
  assert_int_equal(s.evictions.n, 2);
  assert_int_equal(weir_eviction_total(&s.evictions.v[0]), 120); /* most first */
  assert_int_equal(weir_sites_lost(&s, 0, 1), 80);
  assert_int_equal(weir_sites_lost(&s, 0, 2), 0);
  weir_sites_free(&s);
}

/* Of 4000 references 3000 hit with 128 lines, 300 more with 256, 700 more with 1024. */
static void test_size(void **state) {
  (void)state;
  struct workload w;
  begin(&w);
  of(&w, 0)->fits = 0;
  of(&w, 0)->needs[0] = 0;
  of(&w, 0)->needs[8] = 300;
  of(&w, 0)->needs[10] = 700;
  struct weir_advice a = only(&w, WEIR_ADVICE_SIZE);
  assert_int_equal(a.concerned, 1000);
  assert_true(a.v[0] == 1024 && a.v[1] == 1.0 && a.v[2] == 0.75);
  assert_true(a.v[3] == 256 && a.v[4] == 0.825); /* half of what is missing to 90 % */
  of(&w, 0)->needs[0] = 600;                     /* 3600 of 4000 fit */
  of(&w, 0)->fits = 600;
  of(&w, 0)->needs[8] = 0;
  of(&w, 0)->needs[10] = 400;
  none(&w);
  of(&w, 0)->first = 400; /* nothing that a larger one could have */
  of(&w, 0)->needs[10] = 0;
  none(&w);
}

static void test_conflicts_and_sectors(void **state) {
  (void)state;
  struct workload w;
  begin(&w);
  of(&w, 3)->cause[WEIR_CONFLICT] = 49;
  of(&w, 3)->partial = 49;
  of(&w, 3)->opt += 49; /* so that the bound is as far as before */
  none(&w);
  of(&w, 3)->cause[WEIR_CONFLICT] = 50;
  assert_int_equal(only(&w, WEIR_ADVICE_CONFLICTS).concerned, 50);
  of(&w, 3)->cause[WEIR_CONFLICT] = 0;
  of(&w, 3)->partial = 50;
  assert_int_equal(only(&w, WEIR_ADVICE_SECTORS).load, 3);
}

static void test_again(void **state) {
  (void)state;
  struct workload w;
  begin(&w);
  of(&w, 2)->after[WEIR_SAME_WARP] = 299;
  none(&w);
  of(&w, 2)->after[WEIR_SAME_WARP] = 300;
  of(&w, 2)->after_access[WEIR_SAME_WARP][3] = 270; /* nine of ten */
  of(&w, 2)->after_access[WEIR_SAME_WARP][9] = 30;
  struct weir_advice a = only(&w, WEIR_ADVICE_WARP_AGAIN);
  assert_true(a.v[0] == 0.3 && a.v[1] == 4 && a.v[2] == 0);
  of(&w, 2)->after_access[WEIR_SAME_WARP][3] = 269;
  of(&w, 2)->after_access[WEIR_SAME_WARP][WEIR_FAR] = 31;
  of(&w, 2)->after_access[WEIR_SAME_WARP][9] = 0;
  assert_true(only(&w, WEIR_ADVICE_WARP_AGAIN).v[2] == 1);
  of(&w, 2)->after[WEIR_SAME_WARP] = 0;
  of(&w, 2)->after[WEIR_SAME_BLOCK] = 400;
  assert_int_equal(only(&w, WEIR_ADVICE_BLOCK_AGAIN).concerned, 400);
}

static void test_warps(void **state) {
  (void)state;
  struct workload w;
  begin(&w);
  of(&w, 0)->lost[WEIR_SAME_BLOCK] = 300;
  of(&w, 0)->lost[WEIR_SAME_LAUNCH] = 99;
  none(&w); /* of 4000 */
  of(&w, 0)->lost[WEIR_SAME_LAUNCH] = 100;
  assert_int_equal(only(&w, WEIR_ADVICE_WARPS).concerned, 400);
  of(&w, 0)->lost[WEIR_SAME_WARP] = 172; /* less than seven of ten */
  none(&w);
}

static void test_bound(void **state) {
  (void)state;
  struct workload w;
  begin(&w); /* 120 of 4000 hits to gain */
  of(&w, 0)->opt += 80;
  assert_int_equal(only(&w, WEIR_ADVICE_BOUND).concerned, 200);
  of(&w, 0)->partial = 40; /* the line was there: now 160 */
  none(&w);
  of(&w, 0)->opt -= 80;
  assert_int_equal(only(&w, WEIR_ADVICE_ENOUGH).concerned, 4 * N);
  for (uint32_t i = 0; i < 4; i++)
    of(&w, i)->opt = of(&w, i)->answered = 49; /* nothing to speak of */
  none(&w);
}

static void test_order(void **state) {
  (void)state;
  struct workload w;
  begin(&w);
  for (uint32_t i = 0; i < 4; i++) {
    of(&w, i)->after[WEIR_SAME_WARP] = 400 + i;
    of(&w, i)->after[WEIR_SAME_BLOCK] = 500 + i;
    of(&w, i)->cause[WEIR_CONFLICT] = 100;
  }
  struct weir_advices a = advise(&w);
  assert_int_equal(a.n, WEIR_ADVICE_MOST);
  assert_int_equal(a.n_found, 12);
  assert_int_equal(a.v[0].concerned, 503);
  for (uint32_t i = 1; i < a.n; i++)
    assert_true(a.v[i].concerned <= a.v[i - 1].concerned);
  assert_int_equal(a.v[8].load, 0); /* of equal ones, the first load first */
  assert_int_equal(a.v[9].load, 1);
}

static int try_all(void) {
  struct workload w;
  struct weir_sites s;
  struct weir_advices a;
  begin(&w);
  for (uint32_t i = 0; i < 4; i++)
    evicts(&w, i, 3 - i, 100);
  bool ok = weir_sites_make(&s, &w.set, w.site, 4) && weir_advise(&s, &a);
  weir_sites_free(&s);
  return ok;
}

static void test_no_memory(void **state) {
  (void)state;
  assert_true(with_failing_memory(try_all) > 3);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_none),
      cmocka_unit_test(test_streams),
      cmocka_unit_test(test_sparse),
      cmocka_unit_test(test_pairs),
      cmocka_unit_test(test_sites),
      cmocka_unit_test(test_size),
      cmocka_unit_test(test_conflicts_and_sectors),
      cmocka_unit_test(test_again),
      cmocka_unit_test(test_warps),
      cmocka_unit_test(test_bound),
      cmocka_unit_test(test_order),
      cmocka_unit_test(test_no_memory),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
