/* profiled: the run before, its rows, and what comes of them. */
#include "base/mem.h"
#include "rig_pol.h"

static const struct weir_policy_ops *const policy = &weir_policy_profiled;

static struct port t;
static struct part_cfg cfg;
static struct weir_rows rows; /* of all SMs that were profiled */

static void defaults(void) {
  part_defaults(&policy->part, &cfg);
}
static void with(const char *filter, int64_t threshold) {
  part_set(&policy->part, &cfg, "filter", filter);
  SET(threshold, threshold);
}

/* An SM of nine, in the run before or with what came of that. */
static void open_sm(uint32_t sm, bool prepares) {
  const char *const set[] = {"l1.index=linear", "l1.sets=1024", "sm.count=9", NULL};
  struct weir_err err;
  struct weir_l1_host host = {.sm = &t, .id = sm, .view = port_view, .broadcast = port_broadcast};
  memset(&t, 0, sizeof t);
  machine_init(&t.x, NULL, set);
  design_with(&t.d, &t.x.m, policy, &cfg, true);
  t.d.policy[0].prepares = prepares;
  t.d.policy[0].rows = prepares ? NULL : &rows;
  t.l1 = weir_l1_create(&t.x.m, &t.d, &host, &err);
  if (t.l1 == NULL) fail_msg("%s", err.msg);
}
static void launch(uint32_t uid) {
  const struct weir_kernel k = {
      .name = "k", .id = 77, .uid = uid, .n_insns = 1, .n_ctas = 1, .ctas_per_sm = 1};
  assert_true(weir_l1_kernel_begin(t.l1, &k, 0, t.now));
}
static unsigned load(uint64_t line) {
  return port_load(&t, 0, 128 * line);
}
static void loads(uint64_t line, unsigned n) {
  for (unsigned i = 0; i < n; i++)
    assert_int_equal(load(line) & BYPASSED, 0);
}
/* The kernel is over: its rows. */
static void collect(void) {
  struct weir_row row;
  weir_l1_kernel_end(t.l1, t.now);
  for (uint32_t i = 0; weir_l1_row(t.l1, 1, i, &row); i++)
    assert_int_equal(weir_rows_add(&rows, &row, NULL), WEIR_OK);
  assert_int_equal(weir_l1_take_notes(t.l1, 1, &rows, NULL), WEIR_OK);
  struct weir_rows none = {0};
  assert_int_equal(weir_l1_take_notes(t.l1, 1, &none, NULL), WEIR_OK); /* they are gone */
  assert_int_equal(none.n, 0);
}
static void digest(void) {
  weir_rows_settle(&rows);
  open_sm(0, true);
  rows.n = weir_l1_digest(t.l1, 1, rows.v, rows.n);
  port_close(&t);
}
static bool admits(uint32_t sm, uint32_t uid, uint64_t line) {
  open_sm(sm, false);
  launch(uid);
  bool is_admitted = (load(line) & BYPASSED) == 0;
  assert_int_equal(weir_l1_get_stats(t.l1, t.now)->bypass_reason[WEIR_R_PROFILE], !is_admitted);
  port_close(&t);
  return is_admitted;
}

/* ---- the filters ---- */

enum { LINE = 5 };

static void profile_two(unsigned first, unsigned second) {
  weir_rows_free(&rows);
  const unsigned n[] = {first, second};
  for (uint32_t sm = 0; sm < 2; sm++) {
    open_sm(sm, true);
    launch(0);
    loads(LINE, n[sm]);
    loads(LINE + 1, 3); /* another line */
    collect();
    port_close(&t);
  }
  digest();
}

/* References by SM 0 and SM 1, a threshold: what local, global and both say on an SM. */
static void test_filters(void **state) {
  (void)state;
  static const struct {
    unsigned n[2], threshold, sm;
    bool local, global, both;
  } cases[] = {{{3, 0}, 2, 0, true, false, true},   {{1, 1}, 2, 0, false, true, true},
               {{1, 0}, 2, 0, false, false, false}, {{2, 1}, 3, 0, false, false, true},
               {{3, 0}, 2, 1, false, false, false}, {{3, 0}, 1, 1, false, true, true},
               {{0, 0}, 1, 0, false, false, false}};
  for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++) {
    defaults();
    profile_two(cases[i].n[0], cases[i].n[1]);
    with("local", cases[i].threshold);
    assert_int_equal(admits(cases[i].sm, 0, LINE), cases[i].local);
    with("global", cases[i].threshold);
    assert_int_equal(admits(cases[i].sm, 0, LINE), cases[i].global);
    with("both", cases[i].threshold);
    assert_int_equal(admits(cases[i].sm, 0, LINE), cases[i].both);
  }
}

/* References of all SMs in place of their number. */
static void test_total(void **state) {
  (void)state;
  defaults();
  profile_two(3, 1);
  part_set(&policy->part, &cfg, "global", "total");
  for (const char *const *f = (const char *const[]){"global", "both", NULL}; *f != NULL; f++) {
    with(*f, 4);
    assert_true(admits(0, 0, LINE) && admits(1, 0, LINE) && admits(8, 0, LINE));
    with(*f, 5);
    assert_false(admits(0, 0, LINE) || admits(1, 0, LINE) || admits(8, 0, LINE));
  }
  with("local", 4);
  assert_false(admits(0, 0, LINE)); /* has no say there */
}

/* Nine SMs are three rows. */
static void test_many_sms(void **state) {
  (void)state;
  static const unsigned n[9] = {2, 0, 0, 5, 1, 0, 0, 3, 4};
  defaults();
  weir_rows_free(&rows);
  for (uint32_t sm = 0; sm < 9; sm++) {
    open_sm(sm, true);
    launch(0);
    loads(LINE, n[sm]);
    collect();
    port_close(&t);
  }
  digest();
  assert_int_equal(rows.n, 1 + 1 + 3); /* the launch, all SMs, and these */
  for (uint32_t sm = 0; sm < 9; sm++)
    for (unsigned threshold = 1; threshold < 11; threshold++) {
      with("local", threshold);
      assert_int_equal(admits(sm, 0, LINE), n[sm] >= threshold);
      with("global", threshold);
      assert_int_equal(admits(sm, 0, LINE), threshold <= 5);
      with("both", threshold);
      assert_int_equal(admits(sm, 0, LINE), n[sm] + 5 - (n[sm] > 0) >= threshold);
    }
}

/* Launches of one kernel are told apart; one that the profile does not have caches everything. */
static void test_launches(void **state) {
  (void)state;
  defaults();
  weir_rows_free(&rows);
  open_sm(0, true);
  launch(0);
  loads(LINE, 2);
  collect();
  launch(1);
  loads(LINE + 1, 2);
  collect();
  launch(2); /* without a load: as if it had not been */
  collect();
  port_close(&t);
  digest();
  assert_true(admits(0, 0, LINE));
  assert_false(admits(0, 0, LINE + 1));
  assert_false(admits(0, 1, LINE));
  assert_true(admits(0, 1, LINE + 1));
  assert_true(admits(0, 2, LINE) && admits(0, 2, LINE + 1));
  assert_true(admits(0, 3, LINE) && admits(0, 3, LINE + 1));
}

/* ---- what counts ---- */

static void test_stores(void **state) {
  (void)state;
  for (unsigned i = 0; i < 2; i++) {
    defaults();
    SET(count_stores, i == 1);
    with("local", 3);
    weir_rows_free(&rows);
    open_sm(0, true);
    launch(0);
    loads(LINE, 1);
    port_access(&t, WEIR_STORE, 0, 0, 128 * LINE, false);
    port_access(&t, WEIR_ATOMIC, 0, 0, 128 * LINE, false);
    collect();
    port_close(&t);
    digest();
    assert_int_equal(admits(0, 0, LINE), i == 1);
  }
}

static void test_statistics(void **state) {
  (void)state;
  defaults();
  profile_two(2, 1); /* LINE + 1: three on both */
  with("local", 2);
  open_sm(1, false);
  launch(0);
  loads(LINE + 1, 3);
  assert_int_equal(load(LINE) & BYPASSED, BYPASSED);     /* only global would admit it */
  assert_int_equal(load(LINE + 9) & BYPASSED, BYPASSED); /* nobody would */
  port_access(&t, WEIR_STORE, 0, 0, 128 * (LINE + 9), false);
  assert_int_equal(STAT(loads), 5);
  assert_int_equal(STAT(admitted), 3);
  assert_int_equal(STAT(hits), 2);
  assert_int_equal(STAT(bypassed), 2);
  assert_int_equal(STAT(only_global), 1);
  assert_int_equal(STAT(only_local), 0);
  assert_int_equal(STAT(unprofiled), 0);
  launch(1);
  loads(LINE + 9, 2);
  assert_int_equal(STAT(unprofiled), 2);
  assert_int_equal(STAT(loads), 5);
  port_close(&t);
  profile_two(2, 0);
  with("local", 2);
  open_sm(0, false);
  launch(0);
  loads(LINE, 1);
  assert_int_equal(STAT(only_local), 1);
  port_close(&t);
}

/* Where nobody wants rows nothing is counted. */
static void test_not_prepared(void **state) {
  (void)state;
  struct weir_rows none = {0};
  defaults();
  weir_rows_free(&rows);
  open_sm(0, false);
  launch(0);
  loads(LINE, 3);
  loads(LINE + 1, 1);
  assert_false(weir_note(port_policy(&t), &(struct weir_row){.key = 1}));
  assert_int_equal(weir_l1_take_notes(t.l1, 1, &none, NULL), WEIR_OK);
  assert_int_equal(none.n, 0);
  assert_int_equal(STAT(unprofiled), 4);
  port_close(&t);
}

/* A reference that cannot be counted ends the run: it would be missing in silence. */
static void test_nothing_is_lost(void **state) {
  (void)state;
  struct weir_l1_req q = {.a = {.addr = 128 * LINE, .sectors = 1, .full = 1}};
  defaults();
  open_sm(0, true);
  launch(0);
  port_step(&t);
  weir_malloc_fail_after(0);
  assert_int_equal(weir_l1_present(t.l1, &q, 0, t.now).answer, WEIR_L1_WAIT);
  weir_malloc_fail_after(-1);
  assert_string_equal(weir_l1_fault(t.l1), "out of memory");
  weir_l1_destroy(t.l1);
  machine_free(&t.x);
}

/* A copy has its own, or there is none. */
static void test_copies(void **state) {
  (void)state;
  struct weir_l1_host host = {.sm = &t, .view = port_view, .broadcast = port_broadcast};
  struct weir_l1 *copy = NULL;
  defaults();
  weir_rows_free(&rows);
  open_sm(0, true);
  launch(0);
  loads(LINE, 2);
  for (long n = 0; copy == NULL; n++) {
    weir_malloc_fail_after(n);
    copy = weir_l1_clone(t.l1, &host);
    weir_malloc_fail_after(-1);
  }
  struct weir_rows of_copy = {0};
  loads(LINE, 1);
  collect();
  port_close(&t);
  weir_l1_kernel_end(copy, 100);
  assert_int_equal(weir_l1_take_notes(copy, 1, &of_copy, NULL), WEIR_OK);
  weir_l1_destroy(copy);
  weir_rows_settle(&rows);
  weir_rows_settle(&of_copy);
  assert_int_equal(of_copy.n, 2); /* of all SMs, and of this one */
  assert_int_equal(of_copy.v[0].v[1], 2);
  assert_int_equal(rows.n, 2 + 1);
  assert_int_equal(rows.v[0].v[1], 3);
  weir_rows_free(&of_copy);
}

/* Every line and SM must have a key. */
static void test_keys(void **state) {
  (void)state;
  defaults();
  engine_refuses(policy, &cfg, rig_and("l1.line=32", "l1.sector=32", "sm.count=121", "l2.line=32"),
                 "profiled cannot tell the lines of 121 SMs apart by keys of 64 bits: lines of 32 "
                 "bytes are too small (l1.line) for so many (sm.count)");
}

/* ---- the engine ---- */

static void engine_profile(const struct machine *x, struct synth *s, unsigned way,
                           struct weir_rows *out, struct weir_sim_result *r) {
  struct weir_design d;
  struct weir_sim *sim;
  struct weir_err err;
  *out = (struct weir_rows){0};
  design_with(&d, &x->m, policy, &cfg, false);
  d.policy[0].prepares = true;
  must(weir_sim_new(&x->m, &d, &engine_ways[way], &sim, &err), &err);
  for (unsigned i = 0; i < 2; i++) {
    must(weir_sim_kernel(sim, synth_source(s), &r[i], &err), &err);
    must(weir_sim_rows(sim, 1, out, &err), &err);
  }
  must(weir_sim_digest(sim, 1, out, &err), &err);
  weir_sim_free(sim);
}

/* The same rows in every way; all loads that the tags saw are in them, and so is every SM. */
static void check_rows(const struct machine *x, struct synth *s, struct weir_rows *first,
                       struct weir_sim_result *r) {
  uint64_t total = 0, own = 0;
  engine_profile(x, s, 0, first, r);
  for (unsigned way = 1; way < ENGINE_WAYS; way++) {
    struct weir_rows other;
    struct weir_sim_result again[2];
    engine_profile(x, s, way, &other, again);
    assert_int_equal(other.n, first->n);
    assert_memory_equal(other.v, first->v, other.n * sizeof *other.v);
    weir_rows_free(&other);
  }
  unsigned shift = weir_bits((uint64_t)(x->m.sm.count + 3) / 4 + 2);
  for (size_t i = 0; i < first->n; i++) {
    const struct weir_row *row = &first->v[i];
    if (row->key == UINT64_MAX) continue;
    if (row->key >> shift << shift == row->key)
      total += row->v[1];
    else
      own += row->v[0] + row->v[1] + row->v[2] + row->v[3];
  }
  uint64_t seen = 0;
  for (unsigned k = 0; k < 2; k++)
    seen += r[k].l1.loads - r[k].l1.bypassed;
  if (x->m.l1.perfect) seen = 0; /* its tags are not asked */
  assert_int_equal(total, seen);
  assert_int_equal(own, seen);
}

static void test_engine_exact(void **state) {
  (void)state;
  uint64_t sum[WEIR_MAX_PART_STATS] = {0};
  for (uint64_t seed = 1, done = 0; done < CASES(16); seed++) {
    struct machine x;
    struct synth s;
    struct weir_rows made;
    struct weir_design d;
    struct weir_sim_result base[2], r[2];
    const char *why;
    uint32_t n_refused = 0;
    machine_random(&x, seed * 104729, &n_refused);
    synth_random(&s, seed);
    if (weir_sm_fit(&x.m, &s.info, &why) > 0) {
      struct synth *const kernels[2] = {&s, &s};
      defaults();
      check_rows(&x, &s, &made, base);
      with(done % 3 == 0 ? "local" : done % 3 == 1 ? "global" : "both", 2);
      design_with(&d, &x.m, policy, &cfg, false);
      d.policy[0].rows = &made;
      engine_same(&x, &d, kernels, 2, r);
      part_add(policy, &r[0], sum);
      part_add(policy, &r[1], sum);
      SET(threshold, 1); /* every line has one */
      with("both", 1);
      engine_same(&x, &d, kernels, 2, r);
      for (unsigned k = 0; k < 2; k++) {
        assert_int_equal(r[k].cycles, base[k].cycles);
        assert_memory_equal(&r[k].l1, &base[k].l1, sizeof r[k].l1);
      }
      weir_rows_free(&made);
      done++;
    }
    synth_free(&s);
    machine_free(&x);
  }
  assert_true(STAT_OF(sum, bypassed) > 0 && STAT_OF(sum, hits) > 0);
  assert_true(STAT_OF(sum, only_local) > 0 && STAT_OF(sum, only_global) > 0);
  assert_int_equal(STAT_OF(sum, unprofiled), 0);
}

int main(int argc, char **argv) {
  (void)argc, (void)argv;
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_filters),      cmocka_unit_test(test_total),
      cmocka_unit_test(test_many_sms),     cmocka_unit_test(test_launches),
      cmocka_unit_test(test_stores),       cmocka_unit_test(test_statistics),
      cmocka_unit_test(test_not_prepared), cmocka_unit_test(test_nothing_is_lost),
      cmocka_unit_test(test_copies),       cmocka_unit_test(test_keys),
      cmocka_unit_test(test_engine_exact)};
  int failed = cmocka_run_group_tests(tests, NULL, NULL);
  weir_rows_free(&rows);
  return failed;
}
