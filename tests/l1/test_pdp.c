/* Protecting distance, fixed and found. */
#include "rig_rep.h"

static const struct weir_policy_ops *const policy = &weir_policy_pdp;

static unsigned left(const struct weir_policy *p, uint32_t set, uint32_t way) {
  return weir_pdp_left(p, set, (int)way);
}
#define STAT_OF(stats, f) (*part_stat(&policy->part, stats, #f))
#define STAT(f)           STAT_OF(weir_l1_part_stats(g.l1, 1), f)

/* A load; "-": it bypassed, else hits and misses as 'h' and 'm'. */
static char load(char name) {
  int outcome = rep_read(0, name);
  return outcome == RIG_BYPASSED ? '-' : outcome == WEIR_HIT ? 'h' : 'm';
}
static const char *loads(const char *names) {
  static char text[64];
  size_t n = 0;
  for (; *names != '\0'; names++)
    text[n++] = load(*names);
  text[n] = '\0';
  return text;
}

/* The example of the paper: a distance of 7; z is not in the L1, and a store to it is an access. */
static void test_example(void **state) {
  (void)state;
  rep_open(policy, PARAMS("distance=7"));
  assert_string_equal(loads("abcda"), "mmmmh");
  rep_store(0, 'z');
  assert_string_equal(loads("db"), "hh");
  rep_store(0, 'z');
  assert_string_equal(loads("c"), "h");
  EXPECT(0, "a1 b4 c6 d3");
  assert_int_equal(load('b'), 'h');
  EXPECT(0, "a0 b6 c5 d2");
  assert_int_equal(load('e'), 'm');
  EXPECT(0, "e6 b5 c4 d1");
  assert_int_equal(load('f'), '-');
  EXPECT(0, "e5 b4 c3 d0");
  assert_int_equal(load('g'), 'm');
  EXPECT(0, "e4 b3 c2 g6");
  assert_int_equal(STAT(misses), 7);
  assert_int_equal(STAT(bypasses), 1);
  assert_int_equal(STAT(replaced), 2);
  assert_int_equal(STAT(replaced_protected), 0);
  assert_int_equal(rig_stats(&g)->bypass_reason[WEIR_R_PREDICTOR], 1);
  rig_close(&g);
}

static void test_model(void **state) {
  (void)state;
  /* Hits per access of a line's stay: .0217 .0182 .0769 .0690 .0625 .0571 .0526 .0811 .0769 */
  const uint32_t n[9] = {10, 0, 30, 0, 0, 0, 0, 20, 0};
  assert_int_equal(weir_pdp_best(n, 9, 1, 9, 100, 4), 8);
  assert_int_equal(weir_pdp_best(n, 7, 1, 7, 100, 4), 3);
  assert_int_equal(weir_pdp_best(n, 2, 1, 2, 100, 4), 1);
  /* The same counts, each of four distances, the last of which ends at 34. */
  assert_int_equal(weir_pdp_best(n, 9, 4, 34, 100, 4), 12);
  assert_int_equal(weir_pdp_best(n, 9, 4, 34, 60, 4), 32);
  const uint32_t last[3] = {0, 0, 5};
  assert_int_equal(weir_pdp_best(last, 3, 4, 10, 20, 4), 10);
  /* No reuse: the shortest. Nothing seen: nothing to say. */
  const uint32_t none[3] = {0};
  assert_int_equal(weir_pdp_best(none, 3, 4, 12, 20, 4), 4);
  assert_int_equal(weir_pdp_best(none, 3, 4, 12, 0, 4), 0);
  /* Reuses of what was remembered before the counts began. */
  assert_int_equal(weir_pdp_best(last, 3, 4, 12, 2, 4), 12);
}

/* As many accesses as the set has ways; no more than there can be. */
static void test_default(void **state) {
  (void)state;
  rep_open(policy, DEFAULTS);
  assert_string_equal(loads("abcde"), "mmmmm");
  EXPECT(0, "e3 b0 c1 d2");
  weir_l1_kernel_end(g.l1, g.now);
  assert_int_equal(STAT(distance), 4);
  rig_close(&g);
  rep_open(policy, PARAMS("max_distance=3"));
  assert_string_equal(loads("a"), "m");
  EXPECT(0, "a2 - - -");
  rig_close(&g);
}

/* With a distance of 1 nothing is ever protected: lru. */
static void test_lru(void **state) {
  (void)state;
  char hits[2][600];
  for (unsigned i = 0; i < 2; i++) {
    rep_open(i == 0 ? &weir_policy_lru : policy, i == 0 ? DEFAULTS : PARAMS("distance=1"));
    for (uint64_t n = 0; n < sizeof hits[0]; n++)
      if (n % 7 == 3) {
        rep_store(0, (char)('a' + n * n % 9));
        hits[i][n] = 's';
      } else
        hits[i][n] = load((char)('a' + (n * n + n / 5) % 9));
    rig_close(&g);
  }
  assert_memory_equal(hits[0], hits[1], sizeof hits[0]);
  assert_non_null(memchr(hits[0], 'h', sizeof hits[0]));
}

/* Of lines that are not protected, the one that was not used for longest. */
static void test_oldest(void **state) {
  (void)state;
  rep_open(policy, PARAMS("distance=2"));
  assert_string_equal(loads("abcdac"), "mmmmhh");
  EXPECT(0, "a0 b0 c1 d0");
  assert_string_equal(loads("e"), "m");
  EXPECT(0, "a0 e1 c0 d0");
  assert_string_equal(loads("fg"), "mm");
  EXPECT(0, "g1 e0 c0 f0");
  rig_close(&g);
}

/* A way that waits for data is as one that is protected: a load bypasses instead of waiting. */
static void test_reserved(void **state) {
  (void)state;
  rep_init(policy, PARAMS("distance=1"));
  rig_open(&g, "l1.ways=2", NULL);
  rep_ask(0, 'a');
  rep_ask(0, 'b');
  assert_int_equal(rep_ask(0, 'c'), RIG_BYPASSED);
  EXPECT(0, "a0* b0*");
  rig_settle(&g);
  assert_int_equal(load('c'), 'm');
  EXPECT(0, "c0 b0");
  rig_close(&g);
}

/* A load that joins is an access, and protects anew. */
static void test_joining(void **state) {
  (void)state;
  rep_open(policy, PARAMS("distance=5"));
  rep_ask(0, 'a');
  rep_ask(0, 'b');
  EXPECT(0, "a3* b4* - -");
  assert_int_equal(rep_ask(0, 'a'), WEIR_HIT_PENDING);
  EXPECT(0, "a4* b3* - -");
  rig_settle(&g);
  weir_l1_kernel_end(g.l1, g.now);
  g.now += 1000;
  rig_kernel(&g);
  assert_int_equal(STAT(ended_protected), 2);
  assert_int_equal(STAT(ended_unused), 0);
  rig_close(&g);
}

/* Stores are accesses. One that hits ends the line, or protects it where it stays. */
static void test_stores(void **state) {
  (void)state;
  for (unsigned through = 0; through < 2; through++) {
    rep_init(policy, PARAMS("distance=5"));
    rig_open(&g, through ? "l1.write=through" : "l1.write=evict", NULL);
    rep_reads(0, "ab");
    rep_store(0, 'z');
    EXPECT(0, "a2 b3 - -");
    rep_store(0, 'a');
    EXPECT(0, through ? "a4 b2 - -" : "- b2 - -");
    assert_int_equal(STAT(protected_but_dead), 0);
    assert_int_equal(STAT(misses), 2);
    rig_close(&g);
  }
}

/* A store that takes a way cannot bypass: the oldest goes, protected or not. */
static void test_store_allocates(void **state) {
  (void)state;
  rep_init(policy, PARAMS("distance=9"));
  rig_open(&g, "l1.ways=2", "l1.write=alloc_nofetch", NULL);
  rep_reads(0, "aba");
  EXPECT(0, "a8 b7");
  rep_store(0, 'c');
  EXPECT(0, "a7 c8");
  assert_int_equal(STAT(replaced), 1);
  assert_int_equal(STAT(replaced_protected), 1);
  assert_int_equal(STAT(ended_unused), 1);
  rig_close(&g);
}

/* Where ways are given when data come: two loads find one way empty; by the time that the second
 * comes the first is protected, and the second is not kept. */
static void test_on_fill(void **state) {
  (void)state;
  rep_init(policy, PARAMS("distance=3"));
  g.lines.on_fill = true;
  rig_open(&g, "l1.ways=1", NULL);
  assert_int_equal(rep_ask(0, 'a'), WEIR_MISS);
  assert_int_equal(rep_ask(0, 'b'), WEIR_MISS);
  rig_settle(&g);
  EXPECT(0, "a2");
  assert_string_equal(loads("bbc"), "--m");
  EXPECT(0, "c2");
  rig_close(&g);
}

/* Three bits: 8 accesses in steps of 2 with two bits. */
static void test_steps(void **state) {
  (void)state;
  rep_open(policy, PARAMS("distance=5", "max_distance=8", "bits=2"));
  static const char *const after[] = {"a3 - - -", "a2 - - -", "a2 - - -", "a1 - - -",
                                      "a1 - - -", "a0 - - -", "a0 - - -"};
  rep_read(0, 'a');
  for (size_t i = 0; i < sizeof after / sizeof *after; i++) {
    EXPECT(0, after[i]);
    rep_store(0, 'z');
  }
  rep_store(0, 'z'); /* nine accesses */
  rep_read(0, 'a');  /* the tenth ends a step, which counts */
  EXPECT(0, "a2 - - -");
  rig_close(&g);
  /* The longest that two bits can say. */
  rep_open(policy, PARAMS("distance=8", "max_distance=8", "bits=2"));
  rep_read(0, 'a');
  EXPECT(0, "a3 - - -");
  rig_close(&g);
}

static void test_occupancy(void **state) {
  (void)state;
  rep_init(policy, PARAMS("distance=1"));
  rig_open(&g, "l1.ways=2", NULL);
  rep_reads(0, "abbba"); /* uses of b after 1 and 1, of a after 4 */
  assert_int_equal(STAT(occupancy), 6);
  assert_int_equal(STAT(occupancy_used), 6);
  rep_read(0, 'c'); /* b goes, 2 after its last use, by the count with this one */
  assert_int_equal(STAT(occupancy_short), 2);
  for (unsigned i = 0; i < 15; i++)
    rep_store(0, 'z');
  rep_read(0, 'd'); /* a goes after 17 */
  assert_int_equal(STAT(occupancy_short), 2);
  assert_int_equal(STAT(occupancy_long), 17);
  rep_store(0, 'c'); /* c goes after 17 */
  assert_int_equal(STAT(occupancy_long), 34);
  assert_int_equal(STAT(occupancy), 42);
  rep_store(0, 'd');
  assert_int_equal(STAT(occupancy_short), 4);
  assert_int_equal(STAT(occupancy_used), 6);
  rig_close(&g);
}

/* Lines that nobody used, and lines that a kernel's beginning finds protected. */
static void test_dead(void **state) {
  (void)state;
  rep_init(policy, PARAMS("distance=3"));
  rig_open(&g, "l1.sets=2", "l1.flush_on_kernel=true", NULL);
  rep_reads(0, "aabcd"); /* a was hit and is not protected any more, nor is b */
  EXPECT(0, "a0 b0 c1 d2");
  rep_read(1, 'a');
  weir_l1_kernel_end(g.l1, g.now);
  rig_kernel(&g);
  EXPECT(0, "- - - -");
  assert_int_equal(STAT(ended_protected), 3); /* c, d and the other set's */
  assert_int_equal(STAT(ended_unused), 1);    /* b */
  assert_int_equal(STAT(protected_but_dead), 4);
  rep_reads(0, "abcde"); /* a goes without a hit */
  assert_int_equal(STAT(ended_unused), 2);
  assert_int_equal(STAT(replaced), 1);
  rig_close(&g);
}

/* ---- the distance that is found ---- */

static uint64_t found(void) {
  weir_l1_kernel_end(g.l1, g.now);
  return STAT(distance);
}

static void dynamic(uint32_t every, uint32_t step, const char *more) {
  static char text[3][32];
  snprintf(text[0], sizeof text[0], "sample_every=%u", every);
  snprintf(text[1], sizeof text[1], "step=%u", step);
  rep_init(policy, PARAMS("dynamic=true", "max_distance=16", "period=100", text[0], text[1],
                          more != NULL ? more : "reset=false"));
  g.is_fast = true;
  rig_open(&g, NULL);
}

/* Lines one after the other, again and again: as far apart as they are many. */
static void test_distances(void **state) {
  (void)state;
  for (uint32_t every = 1; every <= 16; every++)
    for (uint32_t lines = 1; lines <= 17; lines++)
      for (uint32_t step = 1; step <= 4; step += 3) {
        /* The sampler reaches back so far. */
        uint32_t reach = (16 + every - 1) / every * every;
        uint32_t best = (lines + step - 1) / step * step;
        if (lines > 16 || lines > reach) best = step;
        dynamic(every, step, NULL);
        for (uint32_t i = 0; i < 100; i++)
          rig_read(&g, i % lines, 15);
        assert_int_equal(found(), best);
        assert_int_equal(STAT(distances), 1);
        assert_int_equal(STAT(distance_sum), best);
        assert_int_equal(STAT(distance_changes), best != 4);
        assert_int_equal(STAT(sampled), 100 / every);
        rig_close(&g);
      }
}

/* The sampler and the model by definition, for one set. */
struct oracle {
  struct {
    uint64_t line;
    bool is_known;
  } seen[4096];
  uint32_t n, count[17], total, distance;
};

static void oracle_access(struct oracle *o, uint64_t line, uint32_t every, bool all) {
  uint32_t at = ++o->n, reach = (16 + every - 1) / every;
  for (uint32_t back = 1; back < at; back++) {
    uint32_t i = at - back;
    if ((at - 1) / every - i / every >= reach) break;
    if (!o->seen[i].is_known || o->seen[i].line != line) continue;
    o->seen[i].is_known = false;
    if (back <= 16) o->count[back]++;
    break;
  }
  o->seen[at].line = line;
  o->seen[at].is_known = at % every == 0;
  o->total += all || at % every == 0;
}

static void oracle_find(struct oracle *o, bool halves) {
  double best = -1;
  for (uint32_t d = 1; d <= 16; d++) {
    double hits = 0, kept = 0;
    for (uint32_t i = 1; i <= d; i++)
      hits += o->count[i], kept += (double)i * o->count[i];
    double others = o->total > hits ? o->total - hits : 0;
    double e = hits / (kept + others * (d + 4));
    if (e > best) best = e, o->distance = d;
  }
  for (uint32_t d = 1; d <= 16; d++)
    o->count[d] = halves ? o->count[d] / 2 : 0;
  o->total = halves ? o->total / 2 : 0;
}

static void test_by_definition(void **state) {
  (void)state;
  static struct oracle o;
  uint64_t seen = 0;
  for (uint32_t seed = 0; seed < 48; seed++) {
    bool all = seed % 3 == 1, halves = seed % 3 == 2;
    uint32_t every = 1 + seed % 5;
    uint64_t x = seed + 1;
    memset(&o, 0, sizeof o);
    dynamic(every, 1, all ? "total=all" : halves ? "age=halve" : NULL);
    for (uint32_t i = 1; i <= 1000; i++) {
      x = x * UINT64_C(6364136223846793005) + 1442695040888963407;
      uint64_t line = x >> 60 < 6 ? i % (5 + i / 300 + seed % 3) : 100 + (x >> 40) % (3 + seed);
      oracle_access(&o, line, every, all);
      if (i % 5 == 2)
        rig_store(&g, line, 15);
      else
        rig_read(&g, line, 15);
      if (i % 100 != 0) continue;
      oracle_find(&o, halves);
      assert_int_equal(found(), o.distance);
      seen |= UINT64_C(1) << o.distance;
    }
    assert_int_equal(STAT(distances), 10);
    rig_close(&g);
  }
  assert_true(__builtin_popcountll(seen) > 5);
}

/* Only some sets are watched: with 8 sets and 4, every other one. */
static void test_watched(void **state) {
  (void)state;
  for (uint32_t set = 0; set < 8; set++) {
    rep_init(policy, PARAMS("dynamic=true", "period=20", "step=1", "sample_every=1"));
    rig_open(&g, "l1.sets=8", "l1.index=linear", NULL);
    for (unsigned i = 0; i < 20; i++)
      rep_read(set, (char)('a' + i % 3));
    assert_int_equal(STAT(sampled), set % 2 == 0 ? 20 : 0);
    assert_int_equal(found(), set % 2 == 0 ? 3 : 4);
    assert_int_equal(STAT(distances), set % 2 == 0 ? 1 : 0);
    rig_close(&g);
  }
  rep_init(policy, PARAMS("dynamic=true", "sampled_sets=3", "sample_every=1"));
  rig_open(&g, "l1.sets=8", "l1.index=linear", NULL);
  for (uint32_t set = 0; set < 8; set++)
    rep_read(set, 'a');
  assert_int_equal(STAT(sampled), 3); /* 0, 2 and 4 */
  rig_close(&g);
}

/* Lines whose numbers differ beyond 16 bits are one to the sampler. */
static void test_partial_tags(void **state) {
  (void)state;
  dynamic(1, 1, NULL);
  rig_read(&g, 5, 15);
  rig_read(&g, 5 + (1 << 15), 15);
  assert_int_equal(STAT(reuses), 0);
  rig_read(&g, 5 + (1 << 16), 15);
  assert_int_equal(STAT(reuses), 1);
  rig_close(&g);
}

/* A full counter stops all until the next distance is found. */
static void test_full(void **state) {
  (void)state;
  rep_init(policy, PARAMS("dynamic=true", "period=70000", "sample_every=1", "step=1"));
  g.is_fast = true;
  g.d.paranoid = false;
  rig_open(&g, NULL);
  for (uint32_t i = 0; i < 70000 - 1; i++)
    rig_read(&g, 1, 15);
  assert_int_equal(STAT(frozen), 1);
  assert_int_equal(STAT(reuses), 65535);
  rig_read(&g, 1, 15);
  assert_int_equal(found(), 1);
  rig_read(&g, 1, 15);
  assert_int_equal(STAT(reuses), 65536);
  assert_int_equal(STAT(frozen), 1);
  rig_close(&g);
}

/* The distance and the counts stay; the sampler is emptied with the L1. */
static void test_kernels(void **state) {
  (void)state;
  for (unsigned i = 0; i < 3; i++) {
    bool flush = i != 1, reset = i == 2;
    rep_init(policy, PARAMS("dynamic=true", "period=10", "step=1", "sample_every=1",
                            reset ? "reset=true" : "reset=false"));
    rig_open(&g, flush ? "l1.flush_on_kernel=true" : "l1.flush_on_kernel=false", NULL);
    rep_reads(0, "abcabcabca"); /* the tenth finds 3 */
    assert_int_equal(found(), 3);
    assert_int_equal(STAT(reuses), 7);
    rep_reads(0, "bca");
    assert_int_equal(STAT(reuses), 10);
    rig_kernel(&g);
    rep_reads(0, "bca");
    assert_int_equal(STAT(reuses), flush ? 10 : 13);
    assert_int_equal(found(), reset ? 4 : 3);
    rep_reads(0, "bcab"); /* ten, unless they are counted anew */
    assert_int_equal(STAT(distances), reset ? 1 : 2);
    rig_close(&g);
  }
}

/* A distance that becomes shorter holds for what is used from now on. */
static void test_change(void **state) {
  (void)state;
  rep_init(policy, PARAMS("dynamic=true", "period=8", "step=1", "sample_every=1", "distance=20"));
  rig_open(&g, NULL);
  rep_reads(0, "abcaaaa");
  EXPECT(0, "a19 b14 c15 -");
  rep_read(0, 'a'); /* a is used four times after 1 and once after 3: 5/28 is more than 4/24 */
  EXPECT(0, "a2 b13 c14 -");
  assert_int_equal(found(), 3);
  assert_int_equal(STAT(distance_changes), 1);
  rig_close(&g);
}

/* A line whose protection ends with the access that misses is not the one to go, though older. */
static void test_before(void **state) {
  (void)state;
  rep_init(policy, PARAMS("dynamic=true", "period=8", "step=1", "sample_every=1", "distance=9"));
  rig_open(&g, "l1.ways=2", NULL);
  rep_reads(0, "abbbbbbb"); /* the eighth finds 1 */
  EXPECT(0, "a1 b0");
  assert_int_equal(load('c'), 'm');
  EXPECT(0, "a0 c0");
  assert_int_equal(load('d'), 'm');
  EXPECT(0, "d0 c0");
  rig_close(&g);
}

/* What is only wanted in advance finds no way where all lines are protected. It is no access. */
static void test_prefetch(void **state) {
  (void)state;
  rep_init(policy, PARAMS("distance=9"));
  rig_add(&g, &rep_prefetcher, NULL);
  rig_open(&g, "l1.ways=2", NULL);
  g.pc = REP_PREFETCHES;
  assert_int_equal(load('a'), 'm');
  EXPECT(0, "a8 b8");
  assert_int_equal(load('b'), 'h');
  EXPECT(0, "a7 b8");
  assert_int_equal(rig_stats(&g)->prefetches, 1);
  assert_int_equal(rig_stats(&g)->prefetches_dropped, 1);
  assert_int_equal(STAT(misses), 1);
  rig_close(&g);
}

/* ---- */

static void test_refused(void **state) {
  (void)state;
  struct weir_err err;
  rep_init(policy, PARAMS("distance=65", "max_distance=64"));
  assert_false(rig_try(&g, &err, NULL));
  assert_string_equal(err.msg, "pdp.distance 65 is more than pdp.max_distance 64");
  rep_init(policy, DEFAULTS);
  rig_add(&g, &weir_policy_lru, NULL);
  assert_false(rig_try(&g, &err, NULL));
  assert_string_equal(err.msg, "two replacement policies: pdp and lru");
  rep_init(policy, DEFAULTS);
  g.d.org = &weir_org_tagsplit;
  assert_false(rig_try(&g, &err, NULL));
  assert_string_equal(err.msg,
                      "policy pdp works with the organisations conventional|sectored, not with "
                      "tag-split");
}

static void test_storage_and_verify(void **state) {
  (void)state;
  static const struct {
    const char *param[2];
    uint64_t bits;
  } costs[] = {{{"distance=9", "bits=8"}, 128 * 8},
               {{"distance=9", "bits=3"}, 128 * 3 + 32 * 5},
               {{"dynamic=true", "bits=8"}, 128 * 8 + 4 * (32 * 16 + 3) + 64 * 16 + 32},
               {{"dynamic=true", "sample_every=1"}, 128 * 8 + 4 * 256 * 16 + 64 * 16 + 32}};
  for (size_t i = 0; i < sizeof costs / sizeof *costs; i++) {
    rep_init(policy, PARAMS(costs[i].param[0], costs[i].param[1]));
    rig_open(&g, "l1.sets=32", NULL);
    const struct weir_policy *p = rig_part(&g, 1);
    assert_int_equal(policy->part.storage_bits(weir_cfg(p), weir_geometry(p)),
                     2 * 128 + costs[i].bits);
    rig_close(&g);
  }
  rep_open(policy, PARAMS("distance=7"));
  rep_read(0, 'a');
  assert_null(policy->part.verify(rig_part(&g, 1)));
  STAT(bypasses) = 2;
  assert_string_equal(policy->part.verify(rig_part(&g, 1)), "more bypasses than misses");
  STAT(bypasses) = 0;
  STAT(occupancy)++;
  assert_string_equal(policy->part.verify(rig_part(&g, 1)), "its counts do not add up");
  STAT(occupancy)--;
  part_put(&policy->part, &cfg, "distance", 5);
  assert_string_equal(policy->part.verify(rig_part(&g, 1)),
                      "a line is protected for longer than the distance");
  part_put(&policy->part, &cfg, "distance", 7);
  rig_close(&g);
}

static void test_engine(void **state) {
  (void)state;
  uint64_t sum[WEIR_MAX_PART_STATS] = {0};
  rep_engine(policy, PARAMS("distance=6"), 12, sum);
  assert_true(STAT_OF(sum, bypasses) > 0 && STAT_OF(sum, replaced) > 0);
  assert_true(STAT_OF(sum, occupancy_short) > 0 && STAT_OF(sum, occupancy_used) > 0);
  memset(sum, 0, sizeof sum);
  rep_engine(policy, PARAMS("dynamic=true", "period=64", "sample_every=2"), 12, sum);
  assert_true(STAT_OF(sum, bypasses) > 0 && STAT_OF(sum, distance_changes) > 0);
  assert_true(STAT_OF(sum, reuses) > 0 && STAT_OF(sum, distances) > 0);
  memset(sum, 0, sizeof sum);
  assert_true(rep_workload_with(policy, PARAMS("dynamic=true", "period=256"), "spmv", 0, sum) > 0);
  assert_true(STAT_OF(sum, bypasses) > 0 && STAT_OF(sum, distance_sum) > 0);
  assert_true(rep_workload(policy, "gather", 1, NULL) > 0);
}

int main(int argc, char **argv) {
  if (argc != 2) return 2;
  folder = argv[1];
  rep_value = left;
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_example),
      cmocka_unit_test(test_model),
      cmocka_unit_test(test_default),
      cmocka_unit_test(test_lru),
      cmocka_unit_test(test_oldest),
      cmocka_unit_test(test_reserved),
      cmocka_unit_test(test_joining),
      cmocka_unit_test(test_stores),
      cmocka_unit_test(test_store_allocates),
      cmocka_unit_test(test_on_fill),
      cmocka_unit_test(test_steps),
      cmocka_unit_test(test_occupancy),
      cmocka_unit_test(test_dead),
      cmocka_unit_test(test_distances),
      cmocka_unit_test(test_by_definition),
      cmocka_unit_test(test_watched),
      cmocka_unit_test(test_partial_tags),
      cmocka_unit_test(test_full),
      cmocka_unit_test(test_kernels),
      cmocka_unit_test(test_change),
      cmocka_unit_test(test_before),
      cmocka_unit_test(test_prefetch),
      cmocka_unit_test(test_refused),
      cmocka_unit_test(test_storage_and_verify),
      cmocka_unit_test(test_engine),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
