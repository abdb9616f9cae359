/* Counter-based replacement and bypassing: access intervals and uses of lines. */
#include "rig_rep.h"

static const struct weir_policy_ops *const policy = &weir_policy_aip;

enum { P = 0x100, Q = 0x104 };
#define STAT_OF(stats, f) (*part_stat(&policy->part, stats, #f))
#define STAT(f)           STAT_OF(weir_l1_part_stats(g.l1, 1), f)

static unsigned count(const struct weir_policy *p, uint32_t set, uint32_t way) {
  return weir_aip_line(p, set, (int)way).count;
}

static int read_by(uint64_t pc, char name) {
  g.pc = pc;
  return rep_read(0, name);
}
static void read_all(uint64_t pc, const char *names) {
  for (; *names != '\0'; names++)
    read_by(pc, *names);
}
/* Accesses to the set, of a line that is not there. */
static void pass(unsigned n) {
  while (n-- > 0)
    rep_store(0, 'z');
}

/* "3": the table's threshold for an instruction and a line; "3!": it is sure. */
static const char *entry(uint64_t pc, char name) {
  static char text[16];
  struct weir_aip e = weir_aip_entry(rig_part(&g, 1), pc, (uint64_t)(name - 'a'));
  snprintf(text, sizeof text, "%u%s", e.past, e.is_sure ? "!" : "");
  return text;
}
#define ENTRY(pc, name, text) assert_string_equal(entry(pc, name), text)

static int way_of(char name) {
  for (uint32_t w = 0; w < 4; w++)
    if (rig_way(&g, w).tag == (uint64_t)(name - 'a') + 1) return (int)w;
  return -1;
}
static struct weir_aip line(char name) {
  assert_true(way_of(name) >= 0);
  return weir_aip_line(rig_part(&g, 1), 0, way_of(name));
}

/* Four lines that were never there, by instructions of which nothing is known about them. */
static void four_others(void) {
  static unsigned next;
  for (unsigned i = 0; i < 4; i++, next++) {
    g.pc = 4 * (next % 50);
    rig_read(&g, 10000 + next, 15);
  }
}
/* The line comes, is used again after an interval, and goes. */
static void stay(char name, unsigned interval) {
  read_by(P, name);
  pass(interval - 1);
  read_by(P, name);
  four_others();
  assert_int_equal(way_of(name), -1);
}

/* sample=1: whatever should bypass is cached. */
static void open_cached(const char *mode) {
  rep_open(policy, PARAMS("sample=1", mode));
}

static void test_counters(void **state) {
  (void)state;
  open_cached("mode=aip");
  rep_reads(0, "ab");
  EXPECT(0, "a1 b0 - -");
  rep_read(0, 'a');
  EXPECT(0, "a0 b1 - -");
  assert_int_equal(line('a').most, 2);
  assert_int_equal(line('b').most, 0);
  rep_read(0, 'a'); /* a shorter interval changes nothing */
  assert_int_equal(line('a').most, 2);
  pass(4);
  EXPECT(0, "a4 b6 - -");
  pass(20);
  EXPECT(0, "a15 b15 - -");
  rep_read(0, 'b');
  assert_int_equal(line('b').most, 15);
  rig_close(&g);
}

static void test_table(void **state) {
  (void)state;
  open_cached("mode=aip");
  ENTRY(P, 'a', "0");
  stay('a', 3);
  ENTRY(P, 'a', "3");
  stay('a', 3);
  ENTRY(P, 'a', "3!");
  assert_int_equal(STAT(confirmed), STAT(replaced) - 1);
  stay('a', 2);
  ENTRY(P, 'a', "2");
  ENTRY(Q, 'a', "0");
  ENTRY(P, 'b', "0");
  read_by(P, 'b'); /* its first stay, without a use: as the table begins */
  four_others();
  ENTRY(P, 'b', "0!");
  rig_close(&g);
}

/* A threshold of 3 and, in this stay, intervals up to 2: given up after 4. */
static void expire(bool is_sure, bool is_newest, unsigned after, char goes) {
  open_cached("mode=aip");
  stay('a', 3);
  if (is_sure) stay('a', 3);
  read_all(P, "bcda");
  pass(1);
  read_by(P, 'a');
  assert_int_equal(line('a').past, 3);
  assert_int_equal(line('a').most, 2);
  assert_int_equal(line('a').is_sure, is_sure);
  if (is_newest)
    pass(1);
  else
    read_by(P, 'd');
  pass(after - 1);
  assert_int_equal(line('a').count, after);
  assert_int_equal(line('a').is_expired, goes == 'a');
  uint64_t n = STAT(expired);
  read_by(P, 'm');
  assert_int_equal(way_of(goes), -1);
  assert_int_equal(STAT(expired), n + (goes == 'a'));
  rig_close(&g);
}

static void test_expiry(void **state) {
  (void)state;
  expire(true, false, 3, 'b');
  expire(true, false, 4, 'a');
  expire(false, false, 4, 'b');
  expire(false, false, 15, 'b');
  expire(true, true, 9, 'b');
}

/* Not only longer than before, also longer than in this stay. */
static void test_longest(void **state) {
  (void)state;
  open_cached("mode=aip");
  stay('a', 2);
  stay('a', 2);
  read_by(P, 'a');
  pass(4);
  read_by(P, 'a'); /* 5: longer than 2 */
  read_by(P, 'b');
  pass(4);
  assert_false(line('a').is_expired);
  pass(1);
  assert_true(line('a').is_expired);
  rig_close(&g);
}

/* Of several, the one that was not used for longest. */
static void test_oldest_expired(void **state) {
  (void)state;
  open_cached("mode=aip");
  for (unsigned i = 0; i < 2; i++) {
    stay('a', 1);
    stay('b', 1);
  }
  read_all(P, "cbad");
  pass(4);
  assert_true(line('a').is_expired && line('b').is_expired && !line('c').is_expired);
  read_by(P, 'm');
  assert_int_equal(way_of('b'), -1);
  read_by(P, 'n');
  assert_int_equal(way_of('a'), -1);
  assert_true(way_of('c') >= 0);
  rig_close(&g);
}

/* A line whose stay was without a use; by that instruction it bypasses, but every 16th time. */
static void test_bypass(void **state) {
  (void)state;
  rep_open(policy, DEFAULTS);
  read_all(P, "abcde");
  ENTRY(P, 'a', "0!");
  assert_int_equal(STAT(bypass_predictions), 0);
  for (unsigned i = 1; i <= 15; i++)
    assert_int_equal(read_by(P, 'a'), RIG_BYPASSED);
  ENTRY(P, 'a', "0!");
  assert_int_equal(read_by(P, 'a'), WEIR_MISS); /* b goes: it would bypass too */
  assert_int_equal(read_by(P, 'b'), RIG_BYPASSED);
  assert_int_equal(read_by(Q, 'b'), WEIR_MISS);
  assert_int_equal(read_by(P, 'a'), WEIR_HIT); /* the sample was worth it */
  read_all(P, "fghi");
  assert_int_equal(way_of('a'), -1);
  assert_int_equal(weir_aip_entry(rig_part(&g, 1), P, 0).is_sure, false);
  assert_int_equal(read_by(P, 'a'), WEIR_MISS);
  assert_int_equal(STAT(bypass_predictions), 17);
  assert_int_equal(STAT(bypasses), 16);
  assert_int_equal(STAT(sampled), 1);
  assert_int_equal(rig_stats(&g)->bypass_reason[WEIR_R_PREDICTOR], 16);
  rig_close(&g);
  rep_open(policy, PARAMS("sample=0"));
  read_all(P, "abcde");
  for (unsigned i = 0; i < 40; i++)
    assert_int_equal(read_by(P, 'a'), RIG_BYPASSED);
  rig_close(&g);
}

static void test_hash(void **state) {
  (void)state;
  open_cached("mode=aip");
  read_by(4 * 5, 'd'); /* line 3 */
  four_others();
  struct weir_policy *p = rig_part(&g, 1);
  static const struct {
    uint64_t pc, line;
    bool is_sure;
  } seen[] = {{4 * 5, 3, true},      {4 * 5 << 7, 3, true},       /* slices of 7 bits */
              {4 * 5, 3 << 7, true}, {4 * 5, (1 << 7) | 2, true}, /* 1 xor 2 */
              {4 * 5, 2, false},     {4 * 4, 3, false}};
  for (size_t i = 0; i < sizeof seen / sizeof *seen; i++)
    assert_int_equal(weir_aip_entry(p, seen[i].pc, seen[i].line).is_sure, seen[i].is_sure);
  rig_close(&g);
}

/* Loads that wait for one line are one use, and all of them accesses. */
static void test_joining(void **state) {
  (void)state;
  open_cached("mode=aip");
  rep_ask(0, 'a');
  assert_int_equal(rep_ask(0, 'a'), WEIR_HIT_PENDING);
  assert_int_equal(line('a').count, 0);
  assert_int_equal(line('a').most, 1);
  rep_ask(0, 'a');
  rep_ask(0, 'a');
  assert_int_equal(line('a').count, 2);
  assert_int_equal(line('a').most, 1);
  rig_settle(&g);
  rep_read(0, 'a');
  assert_int_equal(line('a').most, 3);
  rig_close(&g);
}

/* Stores are accesses. What one ends was not given up, and teaches nothing. */
static void test_stores(void **state) {
  (void)state;
  open_cached("mode=aip");
  read_by(P, 'a');
  read_by(P, 'b');
  rep_store(0, 'a');
  EXPECT(0, "- b1 - -");
  ENTRY(P, 'a', "0");
  assert_int_equal(STAT(replaced), 0);
  rig_close(&g);
  rep_init(policy, DEFAULTS);
  rig_open(&g, "l1.write=through", NULL);
  read_by(P, 'a');
  pass(2);
  rep_store(0, 'a');
  assert_int_equal(line('a').most, 3);
  rig_close(&g);
}

static void test_kernels(void **state) {
  (void)state;
  for (unsigned reset = 0; reset < 2; reset++) {
    rep_init(policy, PARAMS("sample=1", reset ? "reset=true" : "reset=false"));
    rig_open(&g, "l1.flush_on_kernel=true", NULL);
    stay('a', 3);
    read_by(P, 'b');
    weir_l1_kernel_end(g.l1, g.now);
    rig_kernel(&g);
    EXPECT(0, "- - - -");
    ENTRY(P, 'a', reset ? "0" : "3");
    ENTRY(P, 'b', "0"); /* the flush teaches nothing */
    rig_close(&g);
  }
}

/* A line that was given up too early is loaded again within four times the ways. */
static void premature(unsigned after, bool flush, unsigned n) {
  rep_init(policy, PARAMS("sample=1"));
  rig_open(&g, "l1.flush_on_kernel=true", NULL);
  stay('a', 1);
  stay('a', 1);
  read_all(P, "bad");
  pass(3);
  uint64_t expired = STAT(expired), before = STAT(premature);
  read_by(P, 'm');
  assert_int_equal(way_of('a'), -1);
  assert_int_equal(STAT(expired), expired + 1);
  pass(after - 1);
  if (flush) {
    weir_l1_kernel_end(g.l1, g.now);
    rig_kernel(&g);
  }
  read_by(Q, 'a');
  assert_int_equal(STAT(premature), before + n);
  rep_store(0, 'a');
  read_by(Q, 'a'); /* once is enough */
  assert_int_equal(STAT(premature), before + n);
  rig_close(&g);
}

static void test_premature(void **state) {
  (void)state;
  premature(1, false, 1);
  premature(16, false, 1);
  premature(17, false, 0);
  premature(1, true, 0);
}

/* What goes as the least recently used was no prediction. */
static void test_not_premature(void **state) {
  (void)state;
  open_cached("mode=aip");
  read_all(P, "abcdea");
  assert_int_equal(STAT(replaced), 2);
  assert_int_equal(STAT(expired), 0);
  assert_int_equal(STAT(premature), 0);
  rig_close(&g);
}

/* Uses instead of intervals. */
static void test_lvp(void **state) {
  (void)state;
  open_cached("mode=lvp");
  for (unsigned i = 0; i < 2; i++) {
    read_by(P, 'a');
    pass(3);
    assert_int_equal(line('a').count, 0);
    read_by(P, 'a');
    pass(5);
    read_by(P, 'a');
    assert_int_equal(line('a').count, 2);
    four_others();
    ENTRY(P, 'a', i == 0 ? "2" : "2!");
  }
  read_all(P, "bcda");
  read_by(P, 'a');
  assert_false(line('a').is_expired);
  read_by(P, 'a');
  assert_false(line('a').is_expired); /* the newest */
  read_by(P, 'c');
  assert_true(line('a').is_expired);
  read_by(P, 'm');
  assert_int_equal(way_of('a'), -1);
  assert_true(way_of('b') >= 0);
  rig_close(&g);
}

static void test_lvp_saturates(void **state) {
  (void)state;
  open_cached("mode=lvp");
  for (unsigned i = 0; i < 30; i++)
    read_by(P, 'a');
  assert_int_equal(line('a').count, 15);
  rig_close(&g);
}

/* Where ways are given when data come, by the instruction whose load that was. */
static void test_on_fill(void **state) {
  (void)state;
  rep_init(policy, PARAMS("sample=1"));
  g.lines.on_fill = true;
  rig_open(&g, NULL);
  stay('a', 3);
  ENTRY(P, 'a', "3");
  stay('a', 3);
  ENTRY(P, 'a', "3!");
  rig_close(&g);
}

/* A line that no instruction brought teaches nothing. */
static void test_prefetch(void **state) {
  (void)state;
  rep_init(policy, PARAMS("sample=1"));
  rig_add(&g, &rep_prefetcher, NULL);
  rig_open(&g, NULL);
  read_by(REP_PREFETCHES, 'a'); /* and b */
  EXPECT(0, "a0 b0 - -");
  four_others();
  assert_int_equal(way_of('b'), -1);
  ENTRY(REP_PREFETCHES, 'a', "0!");
  ENTRY(REP_PREFETCHES, 'b', "0");
  ENTRY(0, 'b', "0");
  assert_int_equal(STAT(replaced), 2);
  assert_int_equal(STAT(confirmed), 1);
  rig_close(&g);
}

static void test_storage_and_verify(void **state) {
  (void)state;
  for (unsigned lvp = 0; lvp < 2; lvp++) {
    rep_init(policy, PARAMS(lvp ? "mode=lvp" : "mode=aip"));
    rig_open(&g, "l1.sets=32", NULL);
    const struct weir_policy *p = rig_part(&g, 1);
    assert_int_equal(policy->part.storage_bits(weir_cfg(p), weir_geometry(p)),
                     128 * 128 * 5 + 128 * (lvp ? 16 : 20) + 128 * 2);
    rig_close(&g);
  }
  rep_open(policy, DEFAULTS);
  struct weir_policy *p = rig_part(&g, 1);
  uint8_t *last = (uint8_t *)weir_state_edit(p) + p->state_bytes - 1;
  *last = 15;
  assert_null(policy->part.verify(p));
  *last = 16;
  assert_string_equal(policy->part.verify(p), "a threshold is larger than its bits hold");
  *last = 0;
  STAT(sampled) = 1;
  assert_string_equal(policy->part.verify(p), "its predictions do not add up");
  STAT(sampled) = 0;
  STAT(expired) = 1;
  assert_string_equal(policy->part.verify(p), "more expired lines than lines replaced");
  STAT(expired) = 0;
  STAT(premature) = 1;
  assert_string_equal(policy->part.verify(p), "more lines too early than lines given up");
  STAT(premature) = 0;
  rig_close(&g);
}

static void test_engine(void **state) {
  (void)state;
  for (unsigned lvp = 0; lvp < 2; lvp++) {
    uint64_t sum[WEIR_MAX_PART_STATS] = {0};
    const char *const *params = PARAMS(lvp ? "mode=lvp" : "mode=aip");
    rep_engine(policy, params, 12, sum);
    assert_true(STAT_OF(sum, bypasses) > 0 && STAT_OF(sum, sampled) > 0);
    assert_true(STAT_OF(sum, replaced) > 0 && STAT_OF(sum, confirmed) > 0);
    memset(sum, 0, sizeof sum);
    assert_true(rep_workload_with(policy, params, "spmv", 0, sum) > 0);
    assert_true(STAT_OF(sum, bypasses) > 0 && STAT_OF(sum, expired) > 0);
    assert_true(STAT_OF(sum, premature) > 0);
  }
}

int main(int argc, char **argv) {
  if (argc != 2) return 2;
  folder = argv[1];
  rep_value = count;
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_counters),
      cmocka_unit_test(test_table),
      cmocka_unit_test(test_expiry),
      cmocka_unit_test(test_longest),
      cmocka_unit_test(test_oldest_expired),
      cmocka_unit_test(test_bypass),
      cmocka_unit_test(test_hash),
      cmocka_unit_test(test_joining),
      cmocka_unit_test(test_stores),
      cmocka_unit_test(test_kernels),
      cmocka_unit_test(test_premature),
      cmocka_unit_test(test_not_premature),
      cmocka_unit_test(test_lvp),
      cmocka_unit_test(test_lvp_saturates),
      cmocka_unit_test(test_on_fill),
      cmocka_unit_test(test_prefetch),
      cmocka_unit_test(test_storage_and_verify),
      cmocka_unit_test(test_engine),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
