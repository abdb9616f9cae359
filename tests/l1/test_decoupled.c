/* The decoupled organisation: every row of its transitions, every parameter, the duel; and that
 * runs with it are exact.
 *   test_l1_decoupled SOURCE_FOLDER */
#include "rig_dec.h"

#include <inttypes.h>

#include "l1/organisation/lines.h"

static const char *folder;

static void set_dec(struct part_cfg *c, const char *name, const char *text) {
  part_set(&weir_org_decoupled.part, c, name, text);
}
static void put_dec(struct part_cfg *c, const char *name, double value) {
  part_put(&weir_org_decoupled.part, c, name, value);
}

/* ---- worked examples ---- */

static void test_example(void **state) {
  (void)state;
  struct rig_dec g;
  rig_small(&g, NO_PARAMS);
  rig_expect(&g, 'A', 'B', "A:1");
  rig_expect(&g, 'B', 'B', "A:1 B:1");
  rig_expect(&g, 'A', 'M', "A*:2 B:0");
  rig_expect(&g, 'A', 'H', "A*:2 B:0");
  rig_expect(&g, 'C', 'B', "A*:2 B:0 C:1");
  rig_expect(&g, 'D', 'B', "A*:2 B:0 C:1 D:1");
  rig_expect(&g, 'E', 'B', "A*:2 C:1 D:1 E:1");
  rig_expect(&g, 'B', 'B', "A*:2 D:1 E:1 B:1"); /* C was the oldest of those with 1 */
  rig_expect(&g, 'A', 'H', "A*:2 D:1 E:1 B:1");
  rig_expect(&g, 'B', 'M', "A*:1 D:0 E:0 B*:2");
  rig_expect(&g, 'C', 'B', "A*:1 E:0 B*:2 C:1");
  rig_expect(&g, 'C', 'M', "A:0 E:0 B*:1 C*:2"); /* A was the least recently used */
  rig_expect(&g, 'D', 'B', "E:0 B*:1 C*:2 D:1");
  rig_expect(&g, 'C', 'H', "E:0 B*:1 C*:2 D:1");
  const void *n = rig_stats(&g);
  assert_int_equal(DEC(n, commits), 3);
  assert_int_equal(DEC(n, commits_rc2), 3);
  assert_int_equal(DEC(n, bypass_first), 8);
  assert_int_equal(DEC(n, bypass_below), 0);
  assert_int_equal(DEC(n, tag_evictions_rc0), 3); /* B, D, A */
  assert_int_equal(DEC(n, tag_evictions_rc1), 1); /* C */
  assert_int_equal(DEC(n, collateral), 0);
  assert_int_equal(DEC(n, aged), 1 + 3 + 1);
  assert_int_equal(DEC(n, lookups), 14);
  /* Before each load: */
  assert_int_equal(DEC(n, candidates), 0 + 1 + 2 + 1 + 1 + 2 + 3 + 3 + 3 + 3 + 2 + 2 + 2 + 2);
  assert_int_equal(DEC(n, committed), 0 + 0 + 0 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 2 + 2 + 2 + 2);
  assert_int_equal(rig_l1(&g)->evictions[WEIR_BY_REPLACEMENT], 1);
  assert_int_equal(rig_l1(&g)->bypass_reason[WEIR_R_THRESHOLD], 8);
  rig_shut(&g);
}

static void test_as_many_tags_as_lines(void **state) {
  (void)state;
  struct rig_dec g;
  rig_small(&g, SET("tag_ways=2"));
  rig_expect(&g, 'A', 'B', "A:1");
  rig_expect(&g, 'A', 'M', "A*:2");
  rig_expect(&g, 'B', 'B', "A*:2 B:1");
  rig_expect(&g, 'B', 'M', "A*:1 B*:2");
  rig_expect(&g, 'C', 'B', "B*:1 C:1"); /* A's tag takes its line along */
  rig_expect(&g, 'C', 'M', "B*:0 C*:2");
  rig_expect(&g, 'D', 'B', "C*:1 D:1");
  assert_int_equal(DEC(rig_stats(&g), collateral), 2);
  assert_int_equal(DEC(rig_stats(&g), tag_evictions_rc1), 1);
  assert_int_equal(DEC(rig_stats(&g), tag_evictions_rc0), 1);
  assert_int_equal(rig_l1(&g)->evictions[WEIR_BY_COLLATERAL], 2);
  rig_shut(&g);
}

/* ---- rows of the table ---- */

static void test_below_threshold(void **state) {
  (void)state;
  struct rig_dec g;
  rig_small(&g, SET("threshold=3"));
  rig_expect(&g, 'A', 'B', "A:1");
  rig_expect(&g, 'A', 'B', "A:2");
  rig_expect(&g, 'A', 'M', "A*:3");
  assert_int_equal(DEC(rig_stats(&g), bypass_first), 1);
  assert_int_equal(DEC(rig_stats(&g), bypass_below), 1);
  assert_int_equal(DEC(rig_stats(&g), commits_rc3), 1);
  rig_shut(&g);
}

static void test_pending(void **state) {
  (void)state;
  struct rig_dec g;
  rig_small(&g, NO_PARAMS);
  g.holds = true;
  rig_loads(&g, "AAA", "BMR");
  assert_string_equal(rig_tags(&g), "A*:2");
  rig_answer(&g);
  rig_expect(&g, 'A', 'H', "A*:2");
  assert_int_equal(g.inflight, 0);
  assert_null(weir_l1_verify(g.l1));
  rig_shut(&g);
}

/* The rig compares the state around every refused request. */
static void test_refusals(void **state) {
  (void)state;
  struct rig_dec g;
  rig_open_at(&g, 0,
              SET("l1.sets=1", "l1.ways=2", "sm.count=1", "l1.mshr_entries=1", "l1.mshr_merge=2",
                  "l1.bypass_queue=1"),
              NO_PARAMS);
  g.holds = true;
  rig_loads(&g, "AABB", "BMBF");
  assert_int_equal(g.last.why, WEIR_NO_MSHR);
  rig_loads(&g, "AA", "RF");
  assert_int_equal(g.last.why, WEIR_NO_MERGE);
  assert_int_equal(rig_present(&g, WEIR_LOAD, 'C').answer, WEIR_L1_WAIT); /* fills the queue */
  assert_int_equal(rig_present(&g, WEIR_LOAD, 'D').why, WEIR_NO_ICNT);
  rig_take_packets(&g);
  g.inflight = 1024;
  assert_int_equal(rig_present(&g, WEIR_LOAD, 'D').why, WEIR_NO_INFLIGHT);
  rig_shut(&g);
}

static void test_aging_spares(void **state) {
  (void)state;
  struct rig_dec g;
  rig_small(&g, SET("threshold=3"));
  rig_loads(&g, "AAABBBC", "BBMBBMB");
  assert_string_equal(rig_tags(&g), "A*:2 B*:3 C:1");
  rig_expect(&g, 'C', 'B', "A*:2 B*:3 C:2");
  rig_expect(&g, 'D', 'B', "A*:2 B*:3 C:2 D:1");
  rig_expect(&g, 'A', 'H', "A*:2 B*:3 C:2 D:1");
  rig_expect(&g, 'C', 'M', "A*:1 B:0 C*:3 D:0"); /* neither C, nor B beyond its loss */
  rig_shut(&g);
}

static void test_store_ends_a_line(void **state) {
  (void)state;
  struct rig_dec g;
  rig_small(&g, NO_PARAMS);
  rig_loads(&g, "AABBCD", "BMBMBB");
  assert_string_equal(rig_tags(&g), "A*:1 B*:2 C:1 D:1");
  rig_store(&g, 'B');
  assert_string_equal(rig_tags(&g), "A*:0 B:0 C:0 D:0");
  rig_store(&g, 'B'); /* a candidate: nothing */
  rig_store(&g, 'E'); /* not there: nothing */
  assert_string_equal(rig_tags(&g), "A*:0 B:0 C:0 D:0");
  assert_int_equal(rig_l1(&g)->evictions[WEIR_BY_STORE], 1);
  assert_int_equal(rig_l1(&g)->store_evictions, 1);
  rig_expect(&g, 'B', 'B', "A*:0 B:1 C:0 D:0");
  rig_shut(&g);

  rig_small(&g, SET("age_on_store=false"));
  rig_loads(&g, "AABBCD", "BMBMBB");
  rig_store(&g, 'B');
  assert_string_equal(rig_tags(&g), "A*:1 B:0 C:1 D:1");
  rig_shut(&g);
}

static void test_store_to_a_pending_line(void **state) {
  (void)state;
  struct rig_dec g;
  for (int ages = 0; ages < 2; ages++) {
    rig_small(&g, SET(ages ? "age_on_store=true" : "age_on_store=false"));
    g.holds = true;
    rig_loads(&g, "AAC", "BMB");
    rig_store(&g, 'A');
    assert_string_equal(rig_tags(&g), "A*:2 C:1");
    rig_loads(&g, "A", "R"); /* answered, too */
    rig_answer(&g);
    assert_string_equal(rig_tags(&g), ages ? "A:0 C:0" : "A:0 C:1");
    assert_int_equal(g.inflight, 0);
    assert_int_equal(rig_l1(&g)->evictions[WEIR_BY_STORE], 1);
    assert_null(weir_l1_verify(g.l1));
    rig_shut(&g);
  }
}

static void test_atomic(void **state) {
  (void)state;
  struct rig_dec g;
  rig_small(&g, NO_PARAMS);
  rig_loads(&g, "AA", "BM");
  assert_int_equal(rig_present(&g, WEIR_ATOMIC, 'A').answer, WEIR_L1_WAIT);
  rig_take_packets(&g);
  assert_string_equal(rig_tags(&g), "A:0");
  assert_int_equal(rig_present(&g, WEIR_ATOMIC, 'B').answer, WEIR_L1_WAIT);
  rig_take_packets(&g);
  assert_string_equal(rig_tags(&g), "A:0");
  rig_shut(&g);
}

/* Machines whose stores keep or take lines: one that is there stays, one that is not gets none. */
static void test_other_stores(void **state) {
  (void)state;
  struct rig_dec g;
  for (int i = 0; i < 2; i++) {
    rig_open_at(&g, 0,
                SET("l1.sets=1", "l1.ways=2", "sm.count=1",
                    i ? "l1.write=through" : "l1.write=alloc_nofetch"),
                NO_PARAMS);
    rig_loads(&g, "AAC", "BMB");
    rig_store(&g, 'A');
    rig_store(&g, 'C');
    rig_store(&g, 'D');
    assert_string_equal(rig_tags(&g), "A*:2 C:1");
    rig_expect(&g, 'A', 'H', "A*:2 C:1");
    g.holds = true;
    rig_loads(&g, "BBDD", "BMBM"); /* all lines are reserved */
    rig_store(&g, 'E');
    rig_shut(&g);
  }
}

static void test_kernel_start(void **state) {
  (void)state;
  struct rig_dec g;
  rig_small(&g, NO_PARAMS);
  rig_loads(&g, "AAB", "BMB");
  weir_l1_kernel_end(g.l1, g.now);
  rig_kernel(&g);
  assert_string_equal(rig_tags(&g), "");
  rig_check(&g);
  assert_int_equal(rig_l1(&g)->evictions[WEIR_BY_FLUSH], 1);
  rig_expect(&g, 'A', 'B', "A:1");
  rig_shut(&g);
}

/* ---- bypasses that another policy asks for ---- */

struct wish {
  bool admit, blocked, prefetch;
};
static enum weir_answer wish_admit(const struct weir_policy *p, const struct weir_access *a,
                                   struct weir_set set) {
  (void)a, (void)set;
  return ((const struct wish *)weir_cfg(p))->admit ? WEIR_BYPASS : WEIR_PASS;
}
static enum weir_answer wish_blocked(const struct weir_policy *p, const struct weir_access *a,
                                     enum weir_shortage why) {
  (void)a, (void)why;
  return ((const struct wish *)weir_cfg(p))->blocked ? WEIR_BYPASS : WEIR_PASS;
}
/* After a load of A, line B. */
static void wish_lookup(struct weir_policy *p, const struct weir_access *a, struct weir_set set,
                        int way, enum weir_outcome outcome) {
  (void)set, (void)way, (void)outcome;
  if (((const struct wish *)weir_cfg(p))->prefetch && a->addr == 0) weir_ask_prefetch(p, 128, 0xf);
}
static const struct weir_policy_ops wish_ops = {
    .part = {.abi = WEIR_POLICY_ABI, .name = "wish", .cfg_bytes = sizeof(struct wish)},
    .reason = WEIR_R_PREDICTOR,
    .admit = wish_admit,
    .blocked = wish_blocked,
    .lookup = wish_lookup};

static void rig_wish(struct rig_dec *g, const struct wish *w, const char *const *params) {
  struct weir_err err;
  rig_small(g, params);
  weir_l1_destroy(g->l1);
  g->design.policy[1].ops = &wish_ops;
  g->design.policy[1].cfg = w;
  g->design.n_policies = 2;
  assert_int_equal(rig_create(g, 0, &err), WEIR_OK);
}

static void test_predicted_bypass_counts(void **state) {
  (void)state;
  struct rig_dec g;
  struct wish w = {.admit = true};
  rig_wish(&g, &w, NO_PARAMS);
  rig_expect(&g, 'A', 'B', "A:1");
  rig_expect(&g, 'A', 'B', "A:2"); /* enough, but not admitted */
  rig_expect(&g, 'A', 'B', "A:3");
  assert_int_equal(DEC(rig_stats(&g), bypass_first), 1);
  assert_int_equal(DEC(rig_stats(&g), bypass_admitted), 2);
  assert_int_equal(rig_l1(&g)->bypass_reason[WEIR_R_PREDICTOR], 3);
  w.admit = false;
  rig_expect(&g, 'A', 'M', "A*:4");
  assert_int_equal(DEC(rig_stats(&g), commits_rc3), 1);
  w.admit = true; /* what is there is not asked about */
  rig_expect(&g, 'A', 'H', "A*:4");
  rig_shut(&g);
}

static void test_blocked_bypass_counts(void **state) {
  (void)state;
  struct rig_dec g;
  struct wish w = {.blocked = true};
  rig_wish(&g, &w, NO_PARAMS);
  g.holds = true;
  rig_loads(&g, "AABBCC", "BMBMBB"); /* all lines are reserved */
  assert_string_equal(rig_tags(&g), "A*:1 B*:2 C:2");
  assert_int_equal(rig_l1(&g)->bypass_reason[WEIR_R_STALL], 1);
  assert_int_equal(DEC(rig_stats(&g), bypass_admitted), 1);
  rig_loads(&g, "AAAAAAA", "RRRRRRR");
  rig_expect(&g, 'A', 'B', "A*:1 B*:2 C:2"); /* no place for a waiter: a committed tag, no trace */
  rig_shut(&g);
}

/* A prefetch is no load of the duel, and brings nothing that was not admitted. */
static void test_prefetch(void **state) {
  (void)state;
  struct rig_dec g;
  struct wish w = {.prefetch = true};
  rig_wish(&g, &w, SET("threshold=0"));
  rig_loads(&g, "AB", "MH");
  assert_int_equal(rig_l1(&g)->prefetches, 1);
  rig_shut(&g);
  rig_wish(&g, &w, NO_PARAMS);
  rig_expect(&g, 'A', 'B', "A:1");
  assert_int_equal(rig_l1(&g)->prefetches_dropped, 1);
  rig_expect(&g, 'B', 'B', "A:1 B:1");
  rig_expect(&g, 'A', 'M', "A*:2 B:0"); /* B has aged before it is asked for */
  rig_expect(&g, 'B', 'B', "A*:2 B:1");
  rig_expect(&g, 'A', 'H', "A*:1 B*:2");
  assert_int_equal(rig_l1(&g)->prefetches, 1);
  assert_int_equal(DEC(rig_stats(&g), lookups), 5);
  rig_shut(&g);
}

/* ---- corners ---- */

static void test_committed_tags_are_pinned(void **state) {
  (void)state;
  struct rig_dec g;
  rig_small(&g, NO_PARAMS);
  rig_loads(&g, "AABBCCBBC", "BMBMBMHHH");
  assert_string_equal(rig_tags(&g), "A:0 B*:1 C*:2");
  rig_loads(&g, "DE", "BB");
  rig_loads(&g, "D", "M"); /* takes B's line: C was used last */
  assert_string_equal(rig_tags(&g), "B:0 C*:1 D*:2 E:0");
  rig_loads(&g, "EE", "BM");
  assert_string_equal(rig_tags(&g), "B:0 C:0 D*:1 E*:2");
  rig_shut(&g);

  rig_small(&g, SET("evict_committed=true"));
  rig_loads(&g, "AABBCD", "BMBMBB");
  assert_string_equal(rig_tags(&g), "A*:1 B*:2 C:1 D:1");
  rig_expect(&g, 'E', 'B',
             "B*:1 C:0 D:0 E:1"); /* A is the oldest with 1, and takes its line along */
  assert_int_equal(DEC(rig_stats(&g), collateral), 1);
  rig_expect(&g, 'F', 'B', "B*:1 D:0 E:1 F:1"); /* candidates with less go first */
  assert_int_equal(DEC(rig_stats(&g), collateral), 1);
  rig_shut(&g);
}

static void test_all_tags_reserved(void **state) {
  (void)state;
  struct rig_dec g;
  for (int i = 0; i < 2; i++) {
    rig_small(&g, SET("tag_ways=2", i ? "evict_committed=true" : "evict_committed=false"));
    g.holds = true;
    rig_loads(&g, "AABBC", "BMBMB");
    assert_string_equal(rig_tags(&g), "A*:1 B*:2");
    assert_int_equal(DEC(rig_stats(&g), bypass_no_tag), 1);
    assert_int_equal(DEC(rig_stats(&g), bypass_first), 2);
    rig_answer(&g);
    rig_expect(&g, 'C', 'B', "B*:1 C:1");
    rig_shut(&g);
  }
}

static void test_first_count(void **state) {
  (void)state;
  struct rig_dec g;
  rig_small(&g, SET("rc_init=0"));
  rig_expect(&g, 'A', 'B', "A:0");
  rig_expect(&g, 'A', 'B', "A:1");
  rig_expect(&g, 'A', 'M', "A*:2");
  rig_shut(&g);
  rig_small(&g, SET("cmp=gt"));
  rig_expect(&g, 'A', 'B', "A:1");
  rig_expect(&g, 'A', 'B', "A:2");
  rig_expect(&g, 'A', 'M', "A*:3");
  rig_shut(&g);
}

static void test_threshold_0(void **state) {
  (void)state;
  struct rig_dec g;
  rig_small(&g, SET("threshold=0"));
  assert_false(weir_decoupled_is_on(g.org));
  rig_loads(&g, "ABACAB", "MMHMHM");
  assert_int_equal(rig_l1(&g)->bypassed, 0);
  assert_int_equal(rig_l1(&g)->evictions[WEIR_BY_REPLACEMENT], 2);
  rig_store(&g, 'A');
  rig_loads(&g, "BA", "HM");
  assert_int_equal(DEC(rig_stats(&g), commits), 0);
  assert_int_equal(DEC(rig_stats(&g), aged), 0);
  assert_int_equal(DEC(rig_stats(&g), lookups), 0);
  rig_shut(&g);
}

static void test_threshold_1(void **state) {
  (void)state;
  struct rig_dec g;
  rig_small(&g, SET("threshold=1"));
  rig_expect(&g, 'A', 'B', "A:1");
  rig_expect(&g, 'B', 'B', "A:1 B:1");
  rig_expect(&g, 'A', 'M', "A*:2 B:0");
  rig_expect(&g, 'B', 'M', "A*:1 B*:1"); /* with threshold 2 it would bypass */
  assert_int_equal(DEC(rig_stats(&g), commits_rc1), 1);
  rig_shut(&g);
  rig_small(&g, NO_PARAMS);
  rig_loads(&g, "ABAB", "BBMB");
  rig_shut(&g);
}

static void test_first_touch(void **state) {
  (void)state;
  struct rig_dec g;
  rig_small(&g, SET("threshold=1", "t1_first_touch=true"));
  rig_expect(&g, 'A', 'M', "A*:1");
  rig_expect(&g, 'B', 'M', "A*:0 B*:1");
  rig_expect(&g, 'C', 'M', "A:0 B*:0 C*:1");
  rig_expect(&g, 'A', 'M', "A*:1 B:0 C*:0");
  rig_shut(&g);
  rig_small(&g, SET("t1_first_touch=true")); /* only with threshold 1 */
  rig_loads(&g, "A", "B");
  rig_shut(&g);

  rig_small(&g, SET("threshold=1", "t1_first_touch=true", "tag_ways=2"));
  rig_loads(&g, "AB", "MM");
  rig_expect(&g, 'C', 'M', "B*:0 C*:1"); /* with A's tag and line; aged once */
  assert_int_equal(DEC(rig_stats(&g), collateral), 1);
  assert_int_equal(rig_l1(&g)->evictions[WEIR_BY_REPLACEMENT], 0);
  g.holds = true;
  rig_loads(&g, "DEF", "MMB"); /* both tags wait for data: no tag, no line */
  assert_int_equal(DEC(rig_stats(&g), bypass_no_tag), 1);
  rig_shut(&g);

  rig_small(&g, SET("threshold=1", "t1_first_touch=true", "tag_ways=2", "rc_init=4",
                    "aging=shift_on_evict"));
  rig_loads(&g, "AB", "MM");
  assert_string_equal(rig_tags(&g), "A*:4 B*:4"); /* nothing was taken */
  rig_expect(&g, 'C', 'M', "B*:2 C*:4");
  rig_shut(&g);
}

static void test_all_lines_reserved(void **state) {
  (void)state;
  struct rig_dec g;
  rig_small(&g, NO_PARAMS);
  g.holds = true;
  rig_loads(&g, "AABBCC", "BMBMBF");
  assert_int_equal(g.last.why, WEIR_NO_LINE);
  assert_string_equal(rig_tags(&g), "A*:1 B*:2 C:1");
  rig_answer(&g);
  rig_expect(&g, 'C', 'M', "A:0 B*:1 C*:2");
  rig_shut(&g);

  rig_small(&g, SET("on_fail=bypass"));
  g.holds = true;
  rig_loads(&g, "AABBCC", "BMBMBB");
  assert_string_equal(rig_tags(&g), "A*:1 B*:2 C:2");
  assert_int_equal(rig_l1(&g)->bypass_reason[WEIR_R_STALL], 1);
  assert_int_equal(rig_l1(&g)->bypass_reason[WEIR_R_THRESHOLD], 3);
  assert_int_equal(DEC(rig_stats(&g), bypass_admitted), 1);
  rig_answer(&g);
  rig_expect(&g, 'C', 'M', "A:0 B*:1 C*:3");
  rig_shut(&g);
}

static void test_duplicates(void **state) {
  (void)state;
  struct rig_dec g;
  rig_small(&g, SET("threshold=3"));
  g.holds = true;
  rig_loads(&g, "AAA", "BBM"); /* none is merged with what is under way */
  assert_int_equal(g.n_held, 3);
  rig_answer(&g);
  rig_loads(&g, "A", "H");
  rig_shut(&g);
}

/* A line has come and gone again while loads that waited for it are still being answered. */
static void test_late_join(void **state) {
  (void)state;
  struct rig_dec g;
  rig_small(&g, SET("threshold=1"));
  g.holds = true;
  rig_loads(&g, "AAAA", "BMRR");
  struct weir_msg m = g.held[1];
  m.kind = WEIR_MSG_DATA;
  g.now += 10;
  assert_true(weir_l1_fill(g.l1, &m, g.now)); /* nobody has been answered yet */
  rig_store(&g, 'A');
  assert_string_equal(rig_tags(&g), "A:0");
  rig_expect(&g, 'A', 'R', "A:0"); /* enough references, but its data are at hand: no trace */
  unsigned n = 0;
  while (weir_l1_drain(g.l1, g.now) != UINT32_MAX)
    n++;
  assert_int_equal(n, 4);
  rig_shut(&g);
}

/* ---- parameters ---- */

static void test_latency(void **state) {
  (void)state;
  struct rig_dec g;
  for (uint64_t extra = 0; extra < 4; extra++) {
    char text[32];
    snprintf(text, sizeof text, "extra_latency=%" PRIu64, extra);
    rig_small(&g, SET(text));
    for (const char *names = "AAB"; *names != '\0'; names++) { /* bypass, miss, bypass */
      uint64_t at = g.now + 10;
      rig_load(&g, *names);
      assert_int_equal(g.sent_at, at + extra);
    }
    rig_loads(&g, "A", "H");
    assert_int_equal(g.last.ready_at, g.now + 1 + extra);
    uint64_t at = g.now + 10;
    rig_store(&g, 'A');
    assert_int_equal(g.sent_at, at + extra);
    rig_shut(&g);
  }
  rig_small(&g, SET("threshold=0", "extra_latency=3"));
  rig_loads(&g, "AA", "MH");
  assert_int_equal(g.last.ready_at, g.now + 1);
  rig_shut(&g);
}

static void test_default_is_one_cycle(void **state) {
  (void)state;
  struct rig_dec g;
  rig_small(&g, NO_PARAMS);
  rig_loads(&g, "AAA", "BMH");
  assert_int_equal(g.last.ready_at, g.now + 1 + 1);
  rig_shut(&g);
}

static void test_shifting(void **state) {
  (void)state;
  struct rig_dec g;
  rig_small(&g, SET("threshold=4", "aging=shift_on_evict"));
  rig_loads(&g, "AAAABBBBCCCD", "BBBMBBBMBBBB");
  assert_string_equal(rig_tags(&g), "A*:4 B*:4 C:3 D:1"); /* lines were given, none taken */
  rig_expect(&g, 'C', 'M', "A:0 B*:2 C*:4 D:0");
  assert_int_equal(DEC(rig_stats(&g), aged), 2 + 1);
  rig_store(&g, 'C');
  assert_string_equal(rig_tags(&g), "A:0 B*:1 C:0 D:0");
  rig_shut(&g);
}

static void test_aging_twice(void **state) {
  (void)state;
  struct rig_dec g;
  rig_small(&g, SET("threshold=3", "age_twice=true"));
  rig_loads(&g, "AAABBB", "BBMBBM");
  assert_string_equal(rig_tags(&g), "A*:2 B*:3"); /* once: the line was free */
  rig_loads(&g, "DCCC", "BBBM");
  assert_string_equal(rig_tags(&g), "A:0 B*:1 D:0 C*:3");
  rig_shut(&g);
  rig_small(&g, SET("tag_ways=2", "rc_init=2", "threshold=3", "age_twice=true"));
  rig_loads(&g, "AABB", "BMBM");
  assert_string_equal(rig_tags(&g), "A*:2 B*:3");
  rig_expect(&g, 'C', 'B', "B*:2 C:2"); /* A's line was taken, none was given */
  rig_shut(&g);
  rig_small(&g, SET("threshold=4", "age_twice=true", "aging=shift_on_evict"));
  rig_loads(&g, "AAAABBBBCCCC", "BBBMBBBMBBBM");
  assert_string_equal(rig_tags(&g), "A:0 B*:2 C*:4"); /* halving knows evictions only */
  rig_shut(&g);
}

static void test_hits_count(void **state) {
  (void)state;
  struct rig_dec g;
  rig_small(&g, SET("rc_on_hit=true", "rc_bits=2"));
  g.holds = true;
  rig_loads(&g, "AAA", "BMR");
  assert_string_equal(rig_tags(&g), "A*:2"); /* not while it is on its way */
  rig_answer(&g);
  rig_expect(&g, 'A', 'H', "A*:3");
  rig_expect(&g, 'A', 'H', "A*:3"); /* saturated */
  rig_shut(&g);
}

/* The other reading: counts go on with hits and outlive the data line, so that among candidates the
 * tag with many references stays. By the first one A would lose its tag to E. */
static void test_counts_stay(void **state) {
  (void)state;
  struct rig_dec g;
  rig_small(&g, SET("rc_on_hit=true", "rc_on_evict=keep"));
  rig_expect(&g, 'A', 'B', "A:1");
  rig_expect(&g, 'A', 'M', "A*:2");
  rig_expect(&g, 'A', 'H', "A*:3");
  rig_expect(&g, 'A', 'H', "A*:4");
  rig_expect(&g, 'B', 'B', "A*:4 B:1");
  rig_expect(&g, 'B', 'M', "A*:3 B*:2");
  rig_expect(&g, 'C', 'B', "A*:3 B*:2 C:1");
  rig_expect(&g, 'C', 'M', "A:3 B*:1 C*:2"); /* neither who gets the line ages nor who loses it */
  rig_expect(&g, 'D', 'B', "A:3 B*:1 C*:2 D:1");
  rig_expect(&g, 'E', 'B', "A:3 B*:1 C*:2 E:1");
  rig_expect(&g, 'A', 'M', "A*:4 B:1 C*:1 E:0");
  assert_int_equal(DEC(rig_stats(&g), commits_rc3), 1);
  rig_shut(&g);
  rig_small(&g, SET("rc_on_hit=true"));
  rig_loads(&g, "AAAABBCCDE", "BMHHBMBMBB");
  assert_string_equal(rig_tags(&g), "B*:1 C*:2 D:1 E:1");
  rig_shut(&g);
}

/* When the last block of an SM ends, by what the SM does in the duel; over two launches. */
static void test_ends(void **state) {
  (void)state;
  struct rig_dec g;
  const struct weir_cta c = {.warps = 1};
  for (uint32_t sm = 0; sm < 3; sm++) {
    rig_of_three(&g, sm, NO_PARAMS);
    for (unsigned i = 0; i < 2; i++) {
      weir_l1_cta_begin(g.l1, &c, g.begin);
      weir_l1_cta_end(g.l1, &c, g.begin + 100);
      weir_l1_cta_end(g.l1, &c, g.begin + 200 + 100 * i);
      weir_l1_kernel_end(g.l1, g.now = g.begin + 900);
      rig_kernel(&g);
    }
    weir_l1_kernel_end(g.l1, g.now = g.begin + 900); /* a launch without blocks here */
    assert_int_equal(DEC(rig_stats(&g), end_new), sm == 0 ? 500 : 0);
    assert_int_equal(DEC(rig_stats(&g), end_original), sm == 1 ? 500 : 0);
    assert_int_equal(DEC(rig_stats(&g), end_followers), sm == 2 ? 500 : 0);
    assert_int_equal(DEC(rig_stats(&g), followers), sm == 2 ? 2 : 0);
    rig_shut(&g);
  }
}

static void test_saturation(void **state) {
  (void)state;
  struct rig_dec g;
  struct wish w = {.admit = true};
  rig_wish(&g, &w, NO_PARAMS);
  for (int i = 0; i < 100; i++)
    rig_load(&g, 'A');
  assert_string_equal(rig_tags(&g), "A:63");
  w.admit = false;
  rig_expect(&g, 'A', 'M', "A*:63");
  assert_int_equal(DEC(rig_stats(&g), commits_rc8), 1);
  rig_shut(&g);
}

static void test_tag_ways(void **state) {
  (void)state;
  struct rig_dec g;
  uint32_t n;
  rig_open_at(&g, 0, SET("l1.sets=1", "l1.ways=6", "sm.count=1"), NO_PARAMS);
  weir_decoupled_tags(g.org, 0, &n);
  assert_int_equal(n, 12); /* twice the data ways */
  rig_shut(&g);
  rig_small(&g, SET("tag_ways=3"));
  rig_loads(&g, "ABCDA", "BBBBB"); /* A's tag went with D's */
  assert_string_equal(rig_tags(&g), "C:1 D:1 A:1");
  rig_shut(&g);
  /* Fewer tags than lines: lines without a tag are wasted, in both modes. */
  for (int i = 0; i < 2; i++) {
    rig_open_at(&g, 0, SET("l1.sets=1", "l1.ways=4", "sm.count=1"),
                SET("tag_ways=2", i ? "threshold=0" : "threshold=1"));
    rig_loads(&g, "AABBCC", i ? "MHMHMH" : "BMBMBM");
    assert_int_equal(weir_org_decoupled.view(g.org, 0).ways, 2);
    assert_int_equal(rig_l1(&g)->allocations - rig_l1(&g)->evictions[WEIR_BY_REPLACEMENT] -
                         rig_l1(&g)->evictions[WEIR_BY_COLLATERAL],
                     2);
    rig_shut(&g);
  }
}

static void test_unified_array(void **state) {
  (void)state;
  struct rig_dec g;
  uint32_t n;
  rig_open_at(&g, 0, SET("l1.sets=1", "sm.count=1", "l1.unified_bytes=1024", "sm.shared_bytes=512"),
              NO_PARAMS);
  const struct weir_kernel k = {.name = "test", .n_insns = 1};
  rig_loads(&g, "AAB", "BMB");
  weir_l1_kernel_end(g.l1, g.now);
  assert_true(weir_l1_kernel_begin(g.l1, &k, 512, g.now + 100));
  weir_decoupled_tags(g.org, 0, &n);
  assert_int_equal(n, 8); /* four ways are left */
  rig_check(&g);
  rig_loads(&g, "AABBCCDDEE", "BMBMBMBMBM");
  assert_int_equal(rig_l1(&g)->evictions[WEIR_BY_REPLACEMENT], 1);
  rig_shut(&g);
}

static void test_refused_parameters(void **state) {
  (void)state;
  static const struct {
    const char *bits, *other, *word;
  } cases[] = {{"rc_bits=2", "threshold=4", "decoupled.threshold 4 is never reached"},
               {"rc_bits=2", "rc_init=4", "decoupled.rc_init 4 is too much"}};
  struct rig_dec g;
  struct weir_err err;
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    assert_int_equal(rig_try(&g, 0, SET("sm.count=1"), SET(cases[i].bits, cases[i].other), &err),
                     WEIR_EINVAL);
    assert_non_null(strstr(err.msg, cases[i].word));
    machine_free(&g.x);
  }
  assert_int_equal(
      rig_try(&g, 0, SET("sm.count=1"), SET("rc_bits=2", "threshold=3", "cmp=gt"), &err),
      WEIR_EINVAL);
  machine_free(&g.x);
  rig_open_at(&g, 0, SET("sm.count=1"), SET("rc_bits=2", "threshold=3"));
  rig_shut(&g);
}

/* A policy may wish a line away; it ends like one that was replaced. */
static void test_invalidated_way(void **state) {
  (void)state;
  struct rig_dec g;
  rig_small(&g, NO_PARAMS);
  rig_loads(&g, "AABB", "BMBM");
  weir_org_decoupled.invalidate_way(g.org, 0, 1);
  assert_string_equal(rig_tags(&g), "A*:0 B:0");
  weir_org_decoupled.invalidate_way(g.org, 0, 1); /* empty now */
  rig_check(&g);
  g.holds = true;
  rig_loads(&g, "CC", "BM");
  weir_org_decoupled.invalidate_way(g.org, 0, 1); /* pending: it stays */
  assert_string_equal(rig_tags(&g), "A*:0 B:0 C*:2");
  rig_shut(&g);
}

static void test_storage(void **state) {
  (void)state;
  struct part_cfg c;
  struct weir_geometry geometry = {.sets = 32, .ways = 4, .line_bytes = 128};
  uint64_t (*bits)(const void *, const struct weir_geometry *) =
      weir_org_decoupled.part.storage_bits;
  part_defaults(&weir_org_decoupled.part, &c);
  assert_int_equal(bits(&c, &geometry), 4960);
  assert_int_equal(bits(&c, &geometry) / 8, 620);
  set_dec(&c, "layout", "listed");
  assert_int_equal(bits(&c, &geometry), 5184);
  assert_int_equal(bits(&c, &geometry) / 8, 648);
  set_dec(&c, "layout", "minimal");
  put_dec(&c, "tag_ways", 16);
  assert_int_equal(bits(&c, &geometry), 4960 + 256 * 30);
  put_dec(&c, "tag_ways", 1); /* fewer tags than before: nothing is added */
  assert_int_equal(bits(&c, &geometry), 0);
  put_dec(&c, "tag_ways", 0);
  geometry.sets = 64; /* 48 KB: a position of three bits, free lines 0 to 6 */
  geometry.ways = 6;
  assert_int_equal(bits(&c, &geometry), 64 * 12 * (19 + 2 + 6 + 3) + 64 * 3 - 64 * 6 * (19 + 2));
}

/* ---- modes and the duel, seen from one SM ---- */

static void tell(struct rig_dec *g, uint64_t window, uint64_t hits0, uint64_t loads0,
                 uint64_t hits1, uint64_t loads1) {
  g->now += 10;
  weir_l1_broadcast_received(g->l1, 0, 0, (const uint64_t[4]){window, hits0, loads0, 0}, g->now);
  weir_l1_broadcast_received(g->l1, 1, 0, (const uint64_t[4]){window, hits1, loads1, 0}, g->now);
  rig_check(g);
}

static void test_roles(void **state) {
  (void)state;
  struct rig_dec g;
  for (uint32_t sm = 0; sm < 3; sm++) {
    rig_of_three(&g, sm, NO_PARAMS);
    assert_int_equal(weir_decoupled_is_on(g.org), sm == 0);
    assert_int_equal(weir_l1_next_tick(g.l1), sm < 2 ? g.begin + 500 : WEIR_NEVER);
    tell(&g, 1, 90, 100, 10, 100); /* the new design is better */
    assert_int_equal(weir_decoupled_is_on(g.org), sm != 1);
    tell(&g, 2, 10, 100, 90, 100);
    assert_int_equal(weir_decoupled_is_on(g.org), sm == 0);
    rig_shut(&g);
    rig_of_three(&g, sm, SET("duel=false"));
    assert_true(weir_decoupled_is_on(g.org));
    assert_int_equal(weir_l1_next_tick(g.l1), WEIR_NEVER);
    tell(&g, 1, 10, 100, 90, 100);
    assert_true(weir_decoupled_is_on(g.org));
    rig_shut(&g);
    rig_of_three(&g, sm, SET("threshold=0"));
    assert_false(weir_decoupled_is_on(g.org));
    assert_int_equal(weir_l1_next_tick(g.l1), WEIR_NEVER);
    rig_shut(&g);
  }
  rig_small(&g, NO_PARAMS); /* one SM: no duel */
  assert_true(weir_decoupled_is_on(g.org));
  assert_int_equal(weir_l1_next_tick(g.l1), WEIR_NEVER);
  rig_shut(&g);
}

static void test_leaders_tell(void **state) {
  (void)state;
  struct rig_dec g;
  /* SM 0: two bypasses, a miss, a merge, two hits; a store does not count. */
  rig_of_three(&g, 0, NO_PARAMS);
  g.holds = true;
  rig_loads(&g, "AABA", "BMBR");
  rig_answer(&g);
  rig_loads(&g, "AA", "HH");
  rig_store(&g, 'C');
  g.now = g.begin + 500;
  weir_l1_tick(g.l1, g.now);
  assert_int_equal(g.n_casts, 1);
  assert_memory_equal(g.cast, ((uint64_t[4]){1, 3, 6, 0}), sizeof g.cast);
  assert_int_equal(weir_l1_next_tick(g.l1), g.begin + 1000);
  g.now = g.begin + 1000;
  weir_l1_tick(g.l1, g.now);
  assert_memory_equal(g.cast, ((uint64_t[4]){2, 0, 0, 0}), sizeof g.cast);
  rig_loads(&g, "A", "H");
  weir_l1_kernel_end(g.l1, g.now);
  rig_kernel(&g); /* a new window begins with it */
  assert_int_equal(weir_l1_next_tick(g.l1), g.begin + 500);
  weir_l1_tick(g.l1, g.begin + 500);
  assert_memory_equal(g.cast, ((uint64_t[4]){1, 0, 0, 0}), sizeof g.cast);
  rig_shut(&g);

  rig_of_three(&g, 0, SET("duel_bypass=skip", "duel_pending=miss", "duel_interval=100"));
  assert_int_equal(weir_l1_next_tick(g.l1), g.begin + 100);
  g.holds = true;
  rig_loads(&g, "AABA", "BMBR");
  rig_answer(&g);
  rig_loads(&g, "AA", "HH");
  weir_l1_tick(g.l1, g.begin + 100);
  assert_memory_equal(g.cast, ((uint64_t[4]){1, 2, 4, 0}), sizeof g.cast);
  rig_shut(&g);

  rig_of_three(&g, 1, NO_PARAMS);
  rig_loads(&g, "AAB", "MHM");
  weir_l1_tick(g.l1, g.begin + 500);
  assert_memory_equal(g.cast, ((uint64_t[4]){1, 1, 3, 0}), sizeof g.cast);
  rig_shut(&g);
}

static void test_follower_decides(void **state) {
  (void)state;
  struct rig_dec g;
  rig_of_three(&g, 2, NO_PARAMS);
  tell(&g, 1, 70, 100, 80, 100); /* miss rates 0.3 and 0.2: exactly ten points, not more */
  assert_true(weir_decoupled_is_on(g.org));
  tell(&g, 2, 699, 1000, 800, 1000);
  assert_false(weir_decoupled_is_on(g.org));
  tell(&g, 3, 15, 15, 0, 100); /* too few loads */
  assert_false(weir_decoupled_is_on(g.org));
  tell(&g, 4, 100, 100, 0, 15);
  assert_false(weir_decoupled_is_on(g.org));
  tell(&g, 5, 16, 16, 0, 16);
  assert_true(weir_decoupled_is_on(g.org));
  weir_l1_broadcast_received(g.l1, 0, 0, (const uint64_t[4]){6, 0, 100, 0},
                             g.now); /* one half says nothing */
  assert_true(weir_decoupled_is_on(g.org));
  weir_l1_broadcast_received(g.l1, 1, 0, (const uint64_t[4]){6, 100, 100, 0}, g.now);
  assert_false(weir_decoupled_is_on(g.org));
  const void *n = rig_stats(&g);
  assert_int_equal(DEC(n, duel_decoupled), 2);
  assert_int_equal(DEC(n, duel_original), 2);
  assert_int_equal(DEC(n, duel_kept), 2);
  assert_int_equal(DEC(n, mode_switches), 4);
  rig_shut(&g);

  rig_of_three(&g, 2, SET("duel_diff=0"));
  tell(&g, 1, 20, 100, 40, 200); /* equal */
  assert_true(weir_decoupled_is_on(g.org));
  tell(&g, 2, 99, 1000, 100, 1000);
  assert_false(weir_decoupled_is_on(g.org));
  rig_shut(&g);

  rig_of_three(&g, 2, SET("duel_measure=relative"));
  tell(&g, 1, 780, 1000, 800, 1000); /* 0.22 is 0.2 and ten per cent of it */
  assert_true(weir_decoupled_is_on(g.org));
  tell(&g, 2, 779, 1000, 800, 1000);
  assert_false(weir_decoupled_is_on(g.org));
  rig_shut(&g);

  rig_of_three(&g, 2, SET("duel_min_loads=200"));
  tell(&g, 1, 199, 199, 0, 200);
  assert_false(weir_decoupled_is_on(g.org));
  tell(&g, 2, 200, 200, 0, 200);
  assert_true(weir_decoupled_is_on(g.org));
  rig_shut(&g);
}

static void test_mode_switch(void **state) {
  (void)state;
  struct rig_dec g;
  rig_of_three(&g, 2, SET("threshold=3"));
  rig_loads(&g, "AB", "MM");
  assert_int_equal(g.last.ready_at, 0);
  uint64_t at = g.now + 10;
  tell(&g, 1, 90, 100, 10, 100);
  assert_string_equal(rig_tags(&g), "A*:3 B*:3"); /* lines stay */
  rig_loads(&g, "ABCC", "HHBB");
  g.holds = true;
  rig_loads(&g, "CD", "MB"); /* takes A's line */
  assert_string_equal(rig_tags(&g), "A:0 B*:2 C*:3 D:1");
  uint64_t back = g.now + 10;
  tell(&g, 2, 10, 100, 90, 100);
  assert_string_equal(rig_tags(&g), "B*:3 C*:3"); /* candidates end; a line on its way comes */
  rig_answer(&g);
  rig_loads(&g, "BCA", "HHM");
  uint64_t end = g.now + 100;
  weir_l1_kernel_end(g.l1, end);
  assert_int_equal(DEC(rig_stats(&g), cycles_decoupled), back - at);
  assert_int_equal(DEC(rig_stats(&g), cycles_original), end - g.begin - (back - at));
  rig_shut(&g);
}

static void test_mode_over_kernels(void **state) {
  (void)state;
  struct rig_dec g;
  for (int resets = 0; resets < 2; resets++) {
    rig_of_three(&g, 2, SET(resets ? "duel_reset=true" : "duel_reset=false"));
    tell(&g, 1, 90, 100, 10, 100);
    weir_l1_broadcast_received(g.l1, 0, 0, (const uint64_t[4]){2, 0, 100, 0}, g.now);
    weir_l1_kernel_end(g.l1, g.now);
    rig_kernel(&g);
    assert_int_equal(weir_decoupled_is_on(g.org), !resets);
    weir_l1_broadcast_received(g.l1, 1, 0, (const uint64_t[4]){2, 100, 100, 0},
                               g.now); /* of another kernel */
    assert_int_equal(weir_decoupled_is_on(g.org), !resets);
    rig_shut(&g);
  }
}

/* ---- runs ---- */

static void defaults(struct part_cfg *c) {
  part_defaults(&weir_org_decoupled.part, c);
}

static struct weir_design design_of(const struct weir_org_ops *org, const void *cfg) {
  struct weir_design d = {.org = org, .org_cfg = cfg, .n_policies = 1, .paranoid = true};
  d.policy[0].ops = &weir_policy_lru;
  return d;
}

enum { KERNELS = 3 };

static const void *part_of(const struct weir_sim_result *r) {
  return r->part[0];
}

static void conserve(const struct machine *x, const struct weir_sim_result *r) {
  const void *n = part_of(r);
  assert_int_equal(r->l1.bypass_reason[WEIR_R_THRESHOLD] + r->l1.bypass_reason[WEIR_R_STALL],
                   DEC(n, bypass_first) + DEC(n, bypass_below) + DEC(n, bypass_no_tag) +
                       DEC(n, bypass_admitted));
  assert_int_equal(DEC(n, commits), DEC(n, commits_rc1) + DEC(n, commits_rc2) +
                                        DEC(n, commits_rc3) + DEC(n, commits_rc8));
  assert_in_range(DEC(n, commits), 0, r->l1.misses);
  assert_int_equal(DEC(n, cycles_decoupled) + DEC(n, cycles_original),
                   r->cycles * (uint64_t)x->m.sm.count);
}

/* A parameter, drawn. */
static void random_cfg(struct part_cfg *c, uint64_t *r) {
  defaults(c);
  put_dec(c, "threshold", below(r, 8) == 0 ? 0 : 1 + below(r, 3));
  put_dec(c, "tag_ways", below(r, 2) == 0 ? 1 + below(r, 6) : 0);
  put_dec(c, "rc_bits", 4 + below(r, 3));
  put_dec(c, "rc_init", below(r, 3));
  set_dec(c, "cmp", below(r, 4) ? "ge" : "gt");
  set_dec(c, "aging", below(r, 3) ? "dec1" : "shift_on_evict");
  set_dec(c, "on_fail", below(r, 2) ? "stall" : "bypass");
  put_dec(c, "extra_latency", below(r, 4));
  put_dec(c, "rc_on_hit", below(r, 3) == 0);
  set_dec(c, "rc_on_evict", below(r, 3) ? "zero" : "keep");
  put_dec(c, "age_twice", below(r, 3) == 0);
  put_dec(c, "age_on_store", below(r, 3) != 0);
  put_dec(c, "evict_committed", below(r, 3) == 0);
  put_dec(c, "t1_first_touch", below(r, 2) == 0);
  put_dec(c, "duel", below(r, 4) != 0);
  put_dec(c, "duel_reset", below(r, 3) == 0);
  put_dec(c, "duel_interval", 1 + below(r, below(r, 2) ? 40 : 600));
  put_dec(c, "duel_diff", below(r, 20));
  put_dec(c, "duel_min_loads", 1 + below(r, 8));
  set_dec(c, "duel_bypass", below(r, 2) ? "miss" : "skip");
  set_dec(c, "duel_pending", below(r, 2) ? "hit" : "miss");
  set_dec(c, "duel_measure", below(r, 2) ? "points" : "relative");
}

/* A machine and kernels that fit it. */
struct scene {
  struct machine x;
  struct synth a, b;
  struct synth *kernels[KERNELS];
};

static void scene_free(struct scene *s) {
  synth_free(&s->a);
  synth_free(&s->b);
  machine_free(&s->x);
}

static void scene_random(struct scene *s, uint64_t seed) {
  uint32_t n_refused = 0;
  const char *why;
  for (;; seed += UINT64_C(1) << 32) {
    machine_random(&s->x, seed, &n_refused);
    synth_random(&s->a, seed);
    synth_random(&s->b, ~seed);
    s->kernels[0] = s->kernels[2] = &s->a;
    s->kernels[1] = &s->b;
    if (weir_sm_fit(&s->x.m, &s->a.info, &why) > 0 && weir_sm_fit(&s->x.m, &s->b.info, &why) > 0)
      return;
    scene_free(s);
  }
}

/* Whether random runs reach these depends on the machines; they have tests of their own. */
static bool is_rare(const char *name) {
  static const char *const names[] = {"commits_rc8",   "bypass_admitted", "bypass_no_tag",
                                      "duel_original", "duel_decoupled",  "duel_kept",
                                      "mode_switches"};
  for (size_t i = 0; i < sizeof names / sizeof *names; i++)
    if (strcmp(name, names[i]) == 0) return true;
  return false;
}

static void test_random_runs_are_exact(void **state) {
  (void)state;
  uint64_t sum[WEIR_MAX_PART_STATS] = {0};
  for (uint64_t seed = 0; seed < 40; seed++) {
    struct scene s;
    struct part_cfg c;
    struct weir_sim_result want[KERNELS];
    uint64_t r = seed + 99;
    scene_random(&s, seed);
    random_cfg(&c, &r);
    struct weir_design d = design_of(&weir_org_decoupled, &c);
    engine_same(&s.x, &d, s.kernels, KERNELS, want);
    for (unsigned k = 0; k < KERNELS; k++) {
      conserve(&s.x, &want[k]);
      weir_stat_sum(weir_org_decoupled.part.stats, sum, want[k].part[0]);
    }
    scene_free(&s);
  }
  for (const struct weir_stat *t = weir_org_decoupled.part.stats; t->name != NULL; t++) {
    uint64_t v;
    if (t->kind == WEIR_LEVEL) continue; /* no result, and no sum */
    memcpy(&v, (const char *)sum + t->offset, sizeof v);
    if (v == 0 && !is_rare(t->name)) fail_msg("%s was 0 in all cases", t->name);
  }
}

/* With threshold 0 it is the conventional L1, to the byte: on machines whose stores both can do,
 * and that have no pool of data. */
static void test_threshold_0_is_the_baseline(void **state) {
  (void)state;
  static const struct { bool on_fill; } on_miss = {false};
  struct part_cfg c;
  defaults(&c);
  put_dec(&c, "threshold", 0);
  struct weir_design d = design_of(&weir_org_decoupled, &c);
  struct weir_design base = design_of(&weir_org_conventional, &on_miss);
  for (uint64_t seed = 100; seed < 140; seed++) {
    struct scene s;
    struct weir_sim_result want[KERNELS], got[KERNELS];
    scene_random(&s, seed);
    s.x.m.l1.local_wb = s.x.m.l1.pool = s.x.m.l1.bypass_room = false;
    if (s.x.m.l1.write == WEIR_L1_WRITE_ALLOCATE) s.x.m.l1.write = WEIR_L1_WRITE_EVICT;
    engine_kernels(&s.x, &base, s.kernels, KERNELS, &engine_ways[0], want);
    engine_kernels(&s.x, &d, s.kernels, KERNELS, &engine_ways[0], got);
    for (unsigned k = 0; k < KERNELS; k++) {
      memset(got[k].part[0], 0, sizeof got[k].part[0]); /* the other organisation counts nothing */
      if (!same_result(&want[k], &got[k])) fail_msg("case %" PRIu64 ", kernel %u", seed, k);
    }
    scene_free(&s);
  }
}

/* A block of one warp for each SM, whose loads wait for one another. `twice`: each line is used
 * twice at once, so that the original L1 hits with every second load, and one that stores a line at
 * its second use never does. Else two lines again and again, each time with a new one between: too
 * much for two ways, but not for those who let the new ones pass. */
static void pattern(struct synth *s, uint32_t n_sms, unsigned rounds, bool twice) {
  synth_init(s, n_sms, 1);
  uint32_t ld = synth_access(s, WEIR_C_LOAD, WEIR_SP_GLOBAL, 4, 0, 0);
  for (uint32_t b = 0; b < n_sms; b++)
    for (uint64_t i = 0; i < rounds; i++) {
      synth_uniform(s, b, 0, ld, twice ? 128 * i : 0);
      synth_uniform(s, b, 0, ld, 128 * (twice ? i : 1));
      if (!twice) synth_uniform(s, b, 0, ld, 128 * (2 + i));
    }
}

static void expect_duel(const struct weir_sim_result *r, bool is_on, uint64_t cycles_decoupled) {
  const void *n = part_of(r);
  uint64_t wins = is_on ? DEC(n, duel_decoupled) : DEC(n, duel_original);
  assert_int_equal(is_on ? DEC(n, duel_original) : DEC(n, duel_decoupled), 0);
  /* Two followers, once for each whole window. One leader ends before the other: then nothing is
   * decided any more. */
  assert_in_range(wins, 2, 2 * ((r->cycles - 1) / 500));
  assert_int_equal(wins + DEC(n, duel_kept), 2 * ((r->cycles - 1) / 500));
  assert_int_equal(DEC(n, cycles_decoupled), cycles_decoupled);
}

static void test_duel_over_the_engine(void **state) {
  (void)state;
  static const char *const set[] = {"sm.count=4",
                                    "sm.dispatch_latency=10",
                                    "sm.broadcast_latency=100",
                                    "l1.sets=1",
                                    "l1.ways=2",
                                    "noc.request_cyc=10",
                                    "noc.reply_cyc=10",
                                    "noc.credit_cyc=10",
                                    "l2.latency=5",
                                    NULL};
  struct machine x;
  struct synth thrash, twice;
  struct part_cfg c;
  struct weir_sim_result want[KERNELS];
  machine_init(&x, NULL, set);
  defaults(&c);
  put_dec(&c, "duel_min_loads", 2);
  struct weir_design d = design_of(&weir_org_decoupled, &c);
  pattern(&thrash, 4, 200, false);
  pattern(&twice, 4, 200, true);
  struct synth *const kernels[KERNELS] = {&thrash, &thrash, &twice};
  engine_same(&x, &d, kernels, KERNELS, want);
  for (unsigned k = 0; k < KERNELS; k++)
    conserve(&x, &want[k]);
  /* The first window ends in cycle 500 and is heard of 100 cycles later. The mode outlives the
   * kernel. SM 0 never changes, nor does SM 1. */
  expect_duel(&want[0], true, want[0].cycles + 2 * (want[0].cycles - 600));
  expect_duel(&want[1], true, want[1].cycles * 3);
  expect_duel(&want[2], false, want[2].cycles + 2 * 600);
  assert_int_equal(DEC(part_of(&want[0]), mode_switches), 2);
  assert_int_equal(DEC(part_of(&want[1]), mode_switches), 0);
  assert_int_equal(DEC(part_of(&want[2]), mode_switches), 2);
  synth_free(&thrash);
  synth_free(&twice);
  machine_free(&x);
}

/* ---- built-in workloads ---- */

static void test_workloads(void **state) {
  (void)state;
  static const char *const names[] = {"gather", "spmv", "histogram"};
  struct machine x;
  struct part_cfg c;
  uint64_t sum[WEIR_MAX_PART_STATS] = {0};
  engine_gpu(folder, "fermi-s0", &x);
  defaults(&c);
  struct weir_design d = design_of(&weir_org_decoupled, &c);
  for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
    const struct launches *l = engine_workload_same(folder, names[i], &x, &d);
    for (uint32_t k = 0; k < l->n; k++) {
      conserve(&x, &l->r[k]);
      weir_stat_sum(weir_org_decoupled.part.stats, sum, l->r[k].part[0]);
    }
  }
  assert_true(DEC(sum, commits) > 0 && DEC(sum, bypass_first) > 0 && DEC(sum, duel_decoupled) > 0);
  machine_free(&x);
}

#define T cmocka_unit_test
int main(int argc, char **argv) {
  if (argc != 2) return 2;
  folder = argv[1];
  const struct CMUnitTest tests[] = {T(test_example),
                                     T(test_as_many_tags_as_lines),
                                     T(test_below_threshold),
                                     T(test_pending),
                                     T(test_refusals),
                                     T(test_aging_spares),
                                     T(test_store_ends_a_line),
                                     T(test_store_to_a_pending_line),
                                     T(test_atomic),
                                     T(test_other_stores),
                                     T(test_kernel_start),
                                     T(test_predicted_bypass_counts),
                                     T(test_blocked_bypass_counts),
                                     T(test_prefetch),
                                     T(test_committed_tags_are_pinned),
                                     T(test_all_tags_reserved),
                                     T(test_first_count),
                                     T(test_threshold_0),
                                     T(test_threshold_1),
                                     T(test_first_touch),
                                     T(test_all_lines_reserved),
                                     T(test_duplicates),
                                     T(test_late_join),
                                     T(test_latency),
                                     T(test_default_is_one_cycle),
                                     T(test_shifting),
                                     T(test_aging_twice),
                                     T(test_hits_count),
                                     T(test_counts_stay),
                                     T(test_ends),
                                     T(test_saturation),
                                     T(test_tag_ways),
                                     T(test_unified_array),
                                     T(test_refused_parameters),
                                     T(test_invalidated_way),
                                     T(test_storage),
                                     T(test_roles),
                                     T(test_leaders_tell),
                                     T(test_follower_decides),
                                     T(test_mode_switch),
                                     T(test_mode_over_kernels),
                                     T(test_random_runs_are_exact),
                                     T(test_threshold_0_is_the_baseline),
                                     T(test_duel_over_the_engine),
                                     T(test_workloads)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
