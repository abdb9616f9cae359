/* The fetch policy lamar: what a miss fetches, what the filter learns and forgets, and what is so
 * of its misses whatever it says. lamar SOURCE_FOLDER */
#include "rig_tsc.h"

static const char *folder;
static const struct weir_part *const part = &weir_policy_lamar.part;
#define STAT(g, f) (*part_stat(part, rig_part(g, 1)->stats, #f))

/* One set of four lines with sectors, lamar and LRU. */
static void init(struct rig *g, struct part_cfg *cfg) {
  memset(g, 0, sizeof *g);
  part_defaults(part, cfg);
  g->d = (struct weir_design){.org = &weir_org_sectored, .paranoid = true, .seed = 1};
  rig_add(g, &weir_policy_lamar, cfg);
  rig_add(g, &weir_policy_lru, NULL);
}

/* A load to an outcome, and what was sent for. */
static void expect(struct rig *g, uint64_t line, uint32_t sectors, int outcome, uint32_t fetch) {
  g->last.parts = 0;
  int got = rig_read(g, line, sectors);
  if (got != outcome || g->last.parts != fetch)
    fail_msg("line %d, sectors %x: outcome %d, fetched %x", (int)line, sectors, got, g->last.parts);
}

enum { OTHERS = 1000 };
/* Four lines that have nothing to do with others, used whole: what was there is replaced. */
static void push_out(struct rig *g) {
  for (uint64_t i = 0; i < 4; i++)
    rig_read(g, OTHERS + 2 * i, 0xf);
}

/* ---- what is fetched ---- */

static void test_coarse(void **state) {
  (void)state;
  struct rig g;
  struct part_cfg cfg;
  init(&g, &cfg);
  rig_open(&g, NULL);
  expect(&g, 0, 0x1, WEIR_MISS, 0xf);
  expect(&g, 0, 0x6, WEIR_HIT, 0);
  assert_int_equal(STAT(&g, coarse), 1);
  assert_int_equal(STAT(&g, fine), 0);
  rig_close(&g);
}

/* Replaced after `n` sectors were used, and fetched again. */
static uint32_t fetched_again(uint32_t n, uint32_t few) {
  struct rig g;
  struct part_cfg cfg;
  init(&g, &cfg);
  part_put(part, &cfg, "few", few);
  rig_open(&g, NULL);
  for (uint32_t i = 0; i < n; i++)
    rig_read(&g, 6, 1u << i);
  push_out(&g);
  assert_int_equal(STAT(&g, replaced), 1);
  assert_int_equal(STAT(&g, inserted), n <= few);
  assert_int_equal(STAT(&g, unused_sectors), 4 - n);
  assert_int_equal(rig_read(&g, 6, 0x8), WEIR_MISS);
  uint32_t fetch = g.last.parts;
  rig_close(&g);
  return fetch;
}

static void test_few_used(void **state) {
  (void)state;
  assert_int_equal(fetched_again(1, 2), 0x8);
  assert_int_equal(fetched_again(2, 2), 0x8);
  assert_int_equal(fetched_again(3, 2), 0xf);
  assert_int_equal(fetched_again(4, 2), 0xf);
  assert_int_equal(fetched_again(1, 0), 0xf);
  assert_int_equal(fetched_again(3, 3), 0x8);
}

/* Neighbours share an entry; others do not. */
static void test_pairs(void **state) {
  (void)state;
  struct rig g;
  struct part_cfg cfg;
  init(&g, &cfg);
  rig_open(&g, NULL);
  rig_read(&g, 6, 0x1);
  push_out(&g);
  expect(&g, 7, 0x2, WEIR_MISS, 0x2);
  expect(&g, 5, 0x2, WEIR_MISS, 0xf);
  expect(&g, 8, 0x2, WEIR_MISS, 0xf);
  rig_close(&g);
}

static void test_partial(void **state) {
  (void)state;
  struct rig g;
  struct part_cfg cfg;
  init(&g, &cfg);
  rig_open(&g, NULL);
  rig_read(&g, 6, 0x1);
  push_out(&g);
  uint64_t coarse = STAT(&g, coarse);
  expect(&g, 6, 0x1, WEIR_MISS, 0x1);
  expect(&g, 6, 0x7, WEIR_PARTIAL, 0x6);
  expect(&g, 6, 0x8, WEIR_PARTIAL, 0x8); /* all that it wants is missing, and its line is there */
  expect(&g, 6, 0xf, WEIR_HIT, 0);
  assert_int_equal(STAT(&g, fine), 1);
  assert_int_equal(STAT(&g, partial), 2);
  assert_int_equal(STAT(&g, coarse), coarse);
  push_out(&g); /* four sectors were used: not inserted again, and the entry stays all the same */
  assert_int_equal(STAT(&g, inserted), 1);
  expect(&g, 6, 0x1, WEIR_MISS, 0x1);
  rig_close(&g);
}

/* While a whole line is on its way, another load of it sends nothing; of a part, the rest. */
static void test_pending(void **state) {
  (void)state;
  struct rig g;
  struct part_cfg cfg;
  init(&g, &cfg);
  rig_open(&g, NULL);
  assert_int_equal(rig_load(&g, 6, 0x1), WEIR_MISS);
  assert_int_equal(rig_load(&g, 6, 0x8), WEIR_HIT_PENDING);
  assert_int_equal(g.n_sent, 1);
  rig_settle(&g);
  push_out(&g); /* two sectors were used, one of them by the load that waited */
  assert_int_equal(STAT(&g, inserted), 1);
  assert_int_equal(STAT(&g, unused_sectors), 2);
  assert_int_equal(rig_load(&g, 6, 0x1), WEIR_MISS);
  assert_int_equal(rig_load(&g, 6, 0x3), WEIR_PARTIAL);
  assert_int_equal(g.n_sent, 2);
  assert_int_equal(g.sent[1].parts, 0x2);
  rig_close(&g);
}

/* ---- what is learned ---- */

static void test_other_ends(void **state) {
  (void)state;
  struct rig g;
  struct part_cfg cfg;
  init(&g, &cfg);
  rig_open(&g, NULL);
  rig_read(&g, 6, 0x1);
  rig_store(&g, 6, 0xf);
  expect(&g, 6, 0x1, WEIR_MISS, 0xf); /* a store ended it */
  rig_kernel(&g);
  expect(&g, 6, 0x1, WEIR_MISS, 0xf); /* a kernel did */
  assert_int_equal(STAT(&g, replaced), 0);
  push_out(&g);
  rig_kernel(&g); /* what was learned stays */
  expect(&g, 6, 0x1, WEIR_MISS, 0x1);
  rig_close(&g);
}

/* A store that leaves a sector behind does not end a line, and counts as a use. */
static void test_store(void **state) {
  (void)state;
  struct rig g;
  struct part_cfg cfg;
  init(&g, &cfg);
  rig_open(&g, NULL);
  rig_read(&g, 6, 0x1);
  rig_store(&g, 6, 0x6);
  expect(&g, 6, 0x2, WEIR_PARTIAL, 0x2); /* of a line that is there, no more than is asked for */
  push_out(&g);
  assert_int_equal(STAT(&g, replaced), 1);
  assert_int_equal(STAT(&g, inserted), 0); /* three sectors were used */
  rig_close(&g);
}

/* Two insertions to an array: the fourth one's swap clears the first two. */
static void test_swap(void **state) {
  (void)state;
  struct rig g;
  struct part_cfg cfg;
  init(&g, &cfg);
  part_put(part, &cfg, "swap_after", 2);
  part_put(part, &cfg, "filter_bits", 1 << 20);
  rig_open(&g, NULL);
  for (uint64_t i = 0; i < 3; i++)
    rig_read(&g, 2 * i, 0x1);
  push_out(&g);
  assert_int_equal(STAT(&g, swaps), 1);
  assert_int_equal(STAT(&g, bits_at_swaps), 4);
  expect(&g, 0, 0x1, WEIR_MISS, 0x1); /* all three are known */
  expect(&g, 2, 0x1, WEIR_MISS, 0x1);
  expect(&g, 4, 0x1, WEIR_MISS, 0x1);
  rig_kernel(&g);
  rig_read(&g, 6, 0x1);
  push_out(&g);
  assert_int_equal(STAT(&g, swaps), 2);
  assert_int_equal(STAT(&g, inserted), 4);
  expect(&g, 0, 0x1, WEIR_MISS, 0xf);
  expect(&g, 2, 0x1, WEIR_MISS, 0xf);
  expect(&g, 4, 0x1, WEIR_MISS, 0x1);
  rig_kernel(&g);
  expect(&g, 6, 0x1, WEIR_MISS, 0x1);
  rig_close(&g);
}

/* A filter of one bit is full at once. */
static void test_full(void **state) {
  (void)state;
  struct rig g;
  struct part_cfg cfg;
  init(&g, &cfg);
  part_put(part, &cfg, "filter_bits", 1);
  rig_open(&g, NULL);
  rig_read(&g, 6, 0x1);
  push_out(&g);
  expect(&g, 500, 0x4, WEIR_MISS, 0x4);
  rig_close(&g);
}

static void test_modes(void **state) {
  (void)state;
  for (int fine = 0; fine < 2; fine++) {
    struct rig g;
    struct part_cfg cfg;
    init(&g, &cfg);
    part_set(part, &cfg, "mode", fine ? "fine" : "coarse");
    rig_open(&g, NULL);
    expect(&g, 6, 0x1, WEIR_MISS, fine ? 0x1 : 0xf);
    push_out(&g);
    expect(&g, 6, 0x1, WEIR_MISS, fine ? 0x1 : 0xf);
    assert_int_equal(STAT(&g, inserted), 0);
    assert_int_equal(STAT(&g, fine) > 0, fine);
    assert_int_equal(STAT(&g, coarse) > 0, !fine);
    rig_close(&g);
  }
}

/* ---- against whole lines ---- */

struct counts {
  uint64_t misses, partial;
};

/* A stream of loads, each answered before the next. */
static struct counts stream(const struct weir_org_ops *org, const char *mode, uint64_t seed) {
  struct rig g;
  struct part_cfg cfg;
  init(&g, &cfg);
  g.d.org = org;
  g.is_fast = true;
  g.d.paranoid = false;
  part_set(part, &cfg, "mode", mode);
  part_put(part, &cfg, "swap_after", 64);
  if (org == &weir_org_conventional) {
    g.d.policy[0] = g.d.policy[1];
    g.d.n_policies = 1;
  }
  rig_open(&g, "l1.sets=4", NULL);
  for (unsigned i = 0; i < 20000; i++) {
    uint64_t r = rnd(&seed);
    uint64_t line = r % (r >> 40 & 1 ? 24 : 96);
    uint32_t sectors = r >> 48 & 0xf;
    rig_read(&g, line, line % 4 == 3 ? 0xf : sectors != 0 ? sectors : 1);
  }
  struct counts c = {rig_stats(&g)->misses, rig_stats(&g)->partial_misses};
  rig_close(&g);
  return c;
}

/* Without stores, and with every load answered before the next, a set's tags are those of whole
 * lines: LRU is told of the same accesses. So misses are the same, and what a line lacks comes on
 * top. */
static void test_never_fewer_misses(void **state) {
  (void)state;
  for (uint64_t seed = 1; seed <= CASES(8); seed++) {
    struct counts whole = stream(&weir_org_conventional, "predicted", seed);
    struct counts coarse = stream(&weir_org_sectored, "coarse", seed);
    struct counts fine = stream(&weir_org_sectored, "fine", seed);
    struct counts lamar = stream(&weir_org_sectored, "predicted", seed);
    assert_int_equal(whole.partial, 0);
    assert_int_equal(coarse.partial, 0);
    assert_int_equal(coarse.misses, whole.misses);
    assert_int_equal(fine.misses, whole.misses);
    assert_int_equal(lamar.misses, whole.misses);
    assert_true(lamar.partial > 0 && lamar.partial < fine.partial);
  }
}

/* With stores that is not so: one of them ends a whole line, and a sector here. */
static void test_stores_end_less(void **state) {
  (void)state;
  struct rig g;
  struct part_cfg cfg;
  init(&g, &cfg);
  rig_open(&g, NULL);
  rig_read(&g, 6, 0x1);
  rig_store(&g, 6, 0x1);
  expect(&g, 6, 0x2, WEIR_HIT, 0);
  rig_close(&g);
}

/* ---- the engine ---- */

static void design(struct weir_design *d, const struct weir_lines_cfg *lines,
                   const struct part_cfg *cfg) {
  *d = (struct weir_design){.org = &weir_org_sectored, .org_cfg = lines, .seed = 3};
  d->policy[d->n_policies++].ops = &weir_policy_lamar;
  d->policy[0].cfg = cfg;
  d->policy[d->n_policies++].ops = &weir_policy_lru;
}

static void test_engine(void **state) {
  (void)state;
  struct weir_design d;
  struct part_cfg cfg;
  struct weir_sim_result r;
  unsigned done = 0;
  uint64_t fine = 0, coarse = 0;
  part_defaults(part, &cfg);
  part_put(part, &cfg, "swap_after", 16);
  for (uint64_t seed = 1; done < CASES(80); seed++) {
    const struct weir_lines_cfg lines = {.on_fill = seed % 3 == 0};
    design(&d, &lines, &cfg);
    d.paranoid = seed % 4 == 0;
    if (!rig_engine_random(&d, seed, &r)) continue;
    fine += *part_stat(part, r.part[1], "fine");
    coarse += *part_stat(part, r.part[1], "coarse");
    done++;
  }
  assert_true(fine > 0 && coarse > 0);
}

/* Fetching what is touched is what sectors do without it. */
static void test_fine_is_none(void **state) {
  (void)state;
  struct machine x;
  struct weir_design d;
  struct part_cfg cfg;
  const struct weir_lines_cfg lines = {0};
  static struct launches with, without;
  part_defaults(part, &cfg);
  part_set(part, &cfg, "mode", "fine");
  engine_gpu(folder, "fermi-s3", &x);
  design(&d, &lines, &cfg);
  engine_workload(folder, "spmv", &x, &d, &engine_ways[0], &with);
  d.policy[0] = d.policy[1];
  d.n_policies = 1;
  engine_workload(folder, "spmv", &x, &d, &engine_ways[0], &without);
  for (uint32_t i = 0; i < with.n; i++) {
    assert_int_equal(with.r[i].cycles, without.r[i].cycles);
    assert_memory_equal(&with.r[i].l1, &without.r[i].l1, sizeof with.r[i].l1);
  }
  assert_true(with.r[0].l1.partial_misses > 0);
  machine_free(&x);
}

static void test_workload(void **state) {
  (void)state;
  struct weir_design d;
  struct part_cfg cfg;
  const struct weir_lines_cfg lines = {0};
  part_defaults(part, &cfg);
  design(&d, &lines, &cfg);
  const struct launches *l = engine_on_fermi(folder, "gather", &d);
  assert_true(*part_stat(part, l->r[0].part[1], "inserted") > 0);
}

int main(int argc, char **argv) {
  if (argc != 2) return 2;
  folder = argv[1];
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_coarse),
                                     cmocka_unit_test(test_few_used),
                                     cmocka_unit_test(test_pairs),
                                     cmocka_unit_test(test_partial),
                                     cmocka_unit_test(test_pending),
                                     cmocka_unit_test(test_other_ends),
                                     cmocka_unit_test(test_store),
                                     cmocka_unit_test(test_swap),
                                     cmocka_unit_test(test_full),
                                     cmocka_unit_test(test_modes),
                                     cmocka_unit_test(test_never_fewer_misses),
                                     cmocka_unit_test(test_stores_end_less),
                                     cmocka_unit_test(test_engine),
                                     cmocka_unit_test(test_fine_is_none),
                                     cmocka_unit_test(test_workload)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
