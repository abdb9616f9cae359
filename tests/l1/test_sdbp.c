/* Sampling dead block prediction. */
#include "rig_rep.h"

static const struct weir_policy_ops *const policy = &weir_policy_sdbp;

enum { P = 0x100, Q = 0x104, R = 0x108 };
#define STAT_OF(stats, f) (*part_stat(&policy->part, stats, #f))
#define STAT(f)           STAT_OF(weir_l1_part_stats(g.l1, 1), f)

static unsigned sum(uint64_t pc) {
  return weir_sdbp_sum(rig_part(&g, 1), pc);
}
static int read_by(uint64_t pc, char name) {
  g.pc = pc;
  return rep_read(0, name);
}
static bool is_there(char name) {
  return strchr(rep_set(0), name) != NULL;
}

/* One set; a sampler that remembers one line. */
static void open_small(void) {
  rep_open(policy, PARAMS("sampler_ways=1"));
}
/* P is dead, the set full of its lines, and the sampler knows another. */
static void open_dead(void) {
  open_small();
  for (const char *s = "abcd"; *s != '\0'; s++)
    assert_int_equal(read_by(P, *s), WEIR_MISS);
  assert_int_equal(sum(P), 9);
  assert_int_equal(read_by(P, 'y'), RIG_BYPASSED);
}

static void test_learns(void **state) {
  (void)state;
  open_small();
  read_by(P, 'a');
  assert_int_equal(sum(P), 0);
  read_by(P, 'b'); /* a goes from the sampler */
  assert_int_equal(sum(P), 3);
  read_by(P, 'c');
  assert_int_equal(sum(P), 6);
  assert_int_equal(read_by(P, 'd'), WEIR_MISS); /* asked before it taught */
  assert_int_equal(sum(P), 9);
  assert_int_equal(sum(Q), 0);
  assert_int_equal(read_by(P, 'e'), RIG_BYPASSED);
  assert_int_equal(sum(P), 9); /* the most that there is */
  assert_int_equal(STAT(predictions), 5);
  assert_int_equal(STAT(dead_predictions), 1);
  assert_int_equal(STAT(bypasses), 1);
  assert_int_equal(rig_stats(&g)->bypass_reason[WEIR_R_PREDICTOR], 1);
  /* The sampler knows e, which the L1 does not: P was not the last. */
  assert_int_equal(read_by(Q, 'e'), WEIR_MISS);
  assert_int_equal(sum(P), 6);
  assert_int_equal(sum(Q), 0);
  assert_int_equal(read_by(P, 'e'), WEIR_HIT); /* nor was Q */
  assert_int_equal(sum(Q), 0);
  read_by(P, 'e');
  read_by(P, 'e');
  read_by(P, 'e');
  assert_int_equal(sum(P), 0);
  assert_int_equal(STAT(sampled), 10);
  assert_int_equal(STAT(sampler_hits), 5);
  rig_close(&g);
}

/* Dead lines go first; of several, the one that was not used for longest. */
static void test_victims(void **state) {
  (void)state;
  open_dead();
  assert_int_equal(read_by(P, 'd'), WEIR_HIT);
  assert_int_equal(read_by(P, 'b'), WEIR_HIT);
  assert_int_equal(STAT(marked), 2);
  assert_int_equal(read_by(Q, 'e'), WEIR_MISS);
  EXPECT(0, "a b c e");
  assert_int_equal(read_by(Q, 'f'), WEIR_MISS);
  EXPECT(0, "a f c e");
  assert_int_equal(STAT(dead_replaced), 2);
  assert_int_equal(read_by(R, 'g'), WEIR_MISS); /* no dead one is left */
  EXPECT(0, "g f c e");
  assert_int_equal(STAT(replaced), 3);
  assert_int_equal(STAT(dead_replaced), 2);
  assert_int_equal(STAT(false_dead), 0);
  rig_close(&g);
}

/* A line comes as alive, whoever brings it. */
static void test_comes_alive(void **state) {
  (void)state;
  open_dead();
  assert_int_equal(read_by(P, 'd'), WEIR_HIT);
  assert_int_equal(read_by(Q, 'e'), WEIR_MISS); /* into d's way */
  assert_int_equal(read_by(R, 'f'), WEIR_MISS);
  EXPECT(0, "f b c e");
  rig_close(&g);
}

static void test_false_dead(void **state) {
  (void)state;
  open_dead();
  read_by(P, 'd');
  assert_int_equal(STAT(false_dead), 0);
  assert_int_equal(read_by(Q, 'd'), WEIR_HIT);
  assert_int_equal(STAT(false_dead), 1);
  assert_int_equal(read_by(R, 'd'), WEIR_HIT); /* Q took it back */
  assert_int_equal(STAT(false_dead), 1);
  read_by(Q, 'e');
  EXPECT(0, "e b c d");
  rig_close(&g);
}

/* Loads that wait say whether the line is dead, and nothing else. */
static void test_joining(void **state) {
  (void)state;
  open_dead();
  uint64_t sampled = STAT(sampled);
  g.pc = Q;
  assert_int_equal(rep_ask(0, 'e'), WEIR_MISS);
  assert_int_equal(STAT(sampled), sampled + 1);
  g.pc = P;
  assert_int_equal(rep_ask(0, 'e'), WEIR_HIT_PENDING);
  assert_int_equal(rep_ask(0, 'e'), WEIR_HIT_PENDING);
  assert_int_equal(STAT(sampled), sampled + 1);
  assert_int_equal(STAT(marked), 2);
  assert_int_equal(STAT(false_dead), 0);
  rig_settle(&g);
  assert_int_equal(sum(P), 9);
  assert_int_equal(read_by(R, 'f'), WEIR_MISS);
  assert_false(is_there('e'));
  rig_close(&g);
}

static void test_stores(void **state) {
  (void)state;
  open_small();
  read_by(P, 'a');
  g.pc = Q;
  rep_store(0, 'b');
  rep_store(0, 'a');
  EXPECT(0, "- - - -");
  assert_int_equal(sum(P), 0);
  assert_int_equal(STAT(sampled), 1);
  assert_int_equal(STAT(replaced), 0);
  assert_int_equal(STAT(predictions), 1);
  rig_close(&g);
}

/* The sampler gives up what it thinks dead, else what was not used for longest. */
static void test_sampler(void **state) {
  (void)state;
  rep_open(policy, PARAMS("sampler_ways=2", "threshold=3"));
  read_by(P, 'a');
  read_by(P, 'b');
  read_by(R, 'c'); /* a goes: P is dead from now on */
  assert_int_equal(sum(P), 3);
  assert_int_equal(read_by(P, 'd'), RIG_BYPASSED); /* b goes, which came when P was not */
  assert_int_equal(sum(P), 6);
  assert_int_equal(STAT(sampler_dead), 0);
  read_by(R, 'e'); /* c is older, but d is dead */
  assert_int_equal(sum(P), 9);
  assert_int_equal(sum(R), 0);
  assert_int_equal(STAT(sampler_dead), 1);
  read_by(R, 'c'); /* used again: e is the older one */
  read_by(Q, 'f');
  read_by(Q, 'c');
  assert_int_equal(STAT(sampler_hits), 2);
  rig_close(&g);
  /* As many as it has ways. */
  rep_open(policy, DEFAULTS);
  for (const char *name = "abcdefghijkl"; *name != '\0'; name++)
    read_by(P, *name);
  assert_int_equal(sum(P), 0);
  read_by(P, 'm');
  assert_int_equal(sum(P), 3);
  read_by(P, 'b');
  assert_int_equal(sum(P), 0);
  rig_close(&g);
}

static void test_watched(void **state) {
  (void)state;
  rep_init(policy, DEFAULTS);
  rig_open(&g, "l1.sets=32", "l1.index=linear", NULL);
  for (uint32_t set = 0; set < 32; set++) {
    uint64_t n = STAT(sampled);
    rep_read(set, 'a');
    assert_int_equal(STAT(sampled) - n, set % 8 == 0);
  }
  /* Each has its own tags. */
  for (uint32_t set = 0; set < 32; set += 8)
    rep_read(set, 'a');
  assert_int_equal(STAT(sampler_hits), 4);
  rig_close(&g);
}

static void test_partial_tags(void **state) {
  (void)state;
  open_small();
  rig_read(&g, 5, 15);
  rig_read(&g, 5 + (1 << 16), 15);
  assert_int_equal(STAT(sampler_hits), 1);
  rig_read(&g, 5 + (1 << 15), 15);
  assert_int_equal(STAT(sampler_hits), 1);
  rig_close(&g);
}

/* Instructions that meet in one table do not meet in all. */
static void test_hashes(void **state) {
  (void)state;
  open_small();
  read_by(P, 'a');
  read_by(Q, 'b');
  unsigned met[4] = {0};
  for (uint64_t i = 0; i < 4096; i++)
    met[sum(4 * i)]++;
  assert_int_equal(met[3], 1); /* P alone */
  assert_in_range(met[1], 24, 96);
  assert_true(met[2] <= 4);
  assert_int_equal(sum((uint64_t)P << 16), 3); /* 16 bits of signature, slice by slice */
  rig_close(&g);
}

static void test_kernels(void **state) {
  (void)state;
  for (unsigned reset = 0; reset < 2; reset++) {
    rep_init(policy, PARAMS("sampler_ways=1", reset ? "reset=true" : "reset=false"));
    rig_open(&g, "l1.flush_on_kernel=true", NULL);
    read_by(P, 'a');
    read_by(P, 'b');
    weir_l1_kernel_end(g.l1, g.now);
    rig_kernel(&g);
    EXPECT(0, "- - - -");
    assert_int_equal(sum(P), reset ? 0 : 3);
    read_by(Q, 'b');
    assert_int_equal(STAT(sampler_hits), reset ? 0 : 1);
    assert_int_equal(sum(P), 0);
    assert_int_equal(STAT(replaced), 0);
    rig_close(&g);
  }
}

static void test_parameters(void **state) {
  (void)state;
  rep_open(policy, PARAMS("sampler_ways=1", "counter_bits=3", "threshold=21"));
  for (unsigned i = 0; i < 7; i++)
    assert_int_equal(read_by(P, (char)('a' + i)), WEIR_MISS);
  assert_int_equal(sum(P), 18);
  assert_int_equal(read_by(P, 'h'), WEIR_MISS);
  assert_int_equal(read_by(P, 'i'), RIG_BYPASSED);
  assert_int_equal(sum(P), 21);
  rig_close(&g);
}

static void test_storage_and_verify(void **state) {
  (void)state;
  static const struct {
    const char *param;
    uint64_t bits;
  } costs[] = {{"table_bits=8", 3 * 256 * 2 + 4 * 12 * 38 + 128},
               {"table_bits=12", 3 * 4096 * 2 + 4 * 12 * 38 + 128},
               {"sampled_sets=64", 3 * 256 * 2 + 32 * 12 * 38 + 128}};
  for (size_t i = 0; i < sizeof costs / sizeof *costs; i++) {
    rep_init(policy, PARAMS(costs[i].param));
    rig_open(&g, "l1.sets=32", NULL);
    const struct weir_policy *p = rig_part(&g, 1);
    assert_int_equal(policy->part.storage_bits(weir_cfg(p), weir_geometry(p)),
                     2 * 128 + costs[i].bits);
    rig_close(&g);
  }
  rep_open(policy, DEFAULTS);
  struct weir_policy *p = rig_part(&g, 1);
  uint8_t *last = (uint8_t *)weir_state_edit(p) + p->state_bytes - 1;
  *last = 3;
  assert_null(policy->part.verify(p));
  *last = 4;
  assert_string_equal(policy->part.verify(p), "a counter is larger than its bits hold");
  *last = 0;
  STAT(dead_predictions) = 1;
  assert_string_equal(policy->part.verify(p), "its predictions do not add up");
  STAT(dead_predictions) = 0;
  STAT(dead_replaced) = 1;
  assert_string_equal(policy->part.verify(p), "more dead lines than lines replaced");
  STAT(dead_replaced) = 0;
  STAT(false_dead) = 1;
  assert_string_equal(policy->part.verify(p), "more dead lines were hit than there were");
  STAT(false_dead) = 0;
  rig_close(&g);
}

static void test_engine(void **state) {
  (void)state;
  uint64_t all[WEIR_MAX_PART_STATS] = {0};
  rep_engine(policy, PARAMS("threshold=4", "sampler_ways=2"), 60, all);
  assert_true(STAT_OF(all, bypasses) > 0 && STAT_OF(all, marked) > 0);
  assert_true(STAT_OF(all, dead_replaced) > 0 && STAT_OF(all, false_dead) > 0);
  assert_true(STAT_OF(all, sampler_hits) > 0 && STAT_OF(all, sampler_dead) > 0);
  memset(all, 0, sizeof all);
  assert_true(rep_workload_with(policy, PARAMS("sampler_ways=4"), "spmv", 0, all) > 0);
  assert_true(STAT_OF(all, bypasses) > 0);
}

int main(int argc, char **argv) {
  if (argc != 2) return 2;
  folder = argv[1];
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_learns),
      cmocka_unit_test(test_victims),
      cmocka_unit_test(test_comes_alive),
      cmocka_unit_test(test_false_dead),
      cmocka_unit_test(test_joining),
      cmocka_unit_test(test_stores),
      cmocka_unit_test(test_sampler),
      cmocka_unit_test(test_watched),
      cmocka_unit_test(test_partial_tags),
      cmocka_unit_test(test_hashes),
      cmocka_unit_test(test_kernels),
      cmocka_unit_test(test_parameters),
      cmocka_unit_test(test_storage_and_verify),
      cmocka_unit_test(test_engine),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
