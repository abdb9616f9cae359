/* Samples of decisions, from looks that are made up here. */
#include "session/decisions.h"

#include <stdlib.h>
#include <string.h>

#include "testing.h"

struct counts {
  uint64_t switches, never, side;
};
static const struct weir_stat stats[] = {WEIR_STAT(counts, switches, "event", ""),
                                         WEIR_STAT(counts, never, "event", ""),
                                         WEIR_STAT_RATIO(counts, "share", never, switches, "1", ""),
                                         WEIR_STAT_LEVEL(counts, side, "1", ""), WEIR_STAT_END};
static const struct weir_org_ops org = {.part = {.name = "duel", .stats = stats}};

static void see(const struct weir_decisions *d, uint64_t cycle, bool has_work) {
  const struct weir_sampler *s = weir_decisions_sampler(d);
  const struct weir_l1_stats l1 = {.loads = cycle};
  const struct counts c = {.switches = cycle / 2, .side = cycle / 1000};
  s->sample(s->self, &(struct weir_sample){.cycle = cycle,
                                           .blocks = 3,
                                           .l1_stats = &l1,
                                           .part = {&org.part},
                                           .part_stats = {has_work ? &c.switches : NULL}});
}

/* Launches of `looks` looks each; behind the end of each lie some more. */
static json_t *watched(unsigned launches, unsigned looks) {
  struct weir_setup setup = {.design.org = &org};
  const struct weir_kernel_info kernel = {.name = "k"};
  struct weir_decisions *d = weir_decisions_new(&setup);
  if (d == NULL) return NULL;
  const struct weir_sampler *s = weir_decisions_sampler(d);
  assert_true(s->n_sms == 1 && s->sms[0] && s->every == WEIR_DECISION_EVERY);
  uint64_t now = 0;
  for (unsigned n = 0; n < launches; n++) {
    s->begin(s->self, &kernel, now);
    uint64_t end = now + (uint64_t)looks * WEIR_DECISION_EVERY;
    for (uint64_t at = now; at < end; at += WEIR_DECISION_EVERY)
      see(d, at, true);
    see(d, end, false);
    see(d, end + WEIR_DECISION_EVERY, true);
    see(d, end + 100 * WEIR_DECISION_EVERY, true);
    s->end(s->self, end);
    now = end;
  }
  json_t *o = weir_decisions_json(d);
  weir_decisions_free(d);
  return o;
}

static json_int_t number(const json_t *list, size_t i) {
  return json_integer_value(json_array_get(list, i));
}

static void all_looks_of_a_short_run_are_there(void **state) {
  (void)state;
  json_t *o = watched(1, 50), *series = json_object_get(o, "series");
  assert_int_equal(json_array_size(json_object_get(o, "cycles")), 50);
  assert_int_equal(json_integer_value(json_object_get(o, "every")), 128);
  assert_int_equal(json_integer_value(json_object_get(o, "end")), 50 * 128);
  for (size_t i = 0; i < 50; i++) {
    json_int_t at = number(json_object_get(o, "cycles"), i);
    assert_int_equal(at, 128 * i);
    assert_int_equal(number(json_object_get(json_object_get(series, "duel.switches"), "values"), i),
                     at / 2);
    assert_int_equal(number(json_object_get(json_object_get(series, "duel.side"), "values"), i),
                     at / 1000);
  }
  assert_string_equal(
      json_string_value(json_object_get(json_object_get(series, "duel.side"), "kind")), "level");
  assert_string_equal(
      json_string_value(json_object_get(json_object_get(series, "l1.loads"), "kind")), "count");
  assert_non_null(json_object_get(series, "blocks"));
  assert_null(json_object_get(series, "duel.never")); /* was never counted */
  assert_null(json_object_get(series, "duel.share"));
  json_decref(o);
}

static void a_long_run_has_no_more(void **state) {
  (void)state;
  for (unsigned looks = 190; looks < 5000; looks = looks * 5 / 4) {
    json_t *o = watched(1, looks), *cycles = json_object_get(o, "cycles");
    json_int_t every = json_integer_value(json_object_get(o, "every"));
    size_t n = json_array_size(cycles);
    assert_true(n <= WEIR_DECISION_SAMPLES && n > WEIR_DECISION_SAMPLES / 4);
    for (size_t i = 0; i < n; i++)
      assert_true(number(cycles, i) == (json_int_t)i * every);
    json_decref(o);
  }
}

static void launches_are_thinned_too(void **state) {
  (void)state;
  for (unsigned n = 1; n < 2000; n = n * 3 + 1) {
    json_t *o = watched(n, 3), *launches = json_object_get(o, "launches");
    size_t kept = json_array_size(launches);
    assert_int_equal(json_integer_value(json_object_get(o, "launched")), n);
    assert_true(kept == n || (kept <= 200 && kept >= 100));
    json_t *last = json_array_get(launches, kept - 1);
    json_int_t at = json_integer_value(json_object_get(last, "cycle"));
    assert_true(at % (3 * 128) == 0 && at >= (json_int_t)(n - (n + 99) / 100) * 3 * 128);
    assert_string_equal(json_string_value(json_object_get(last, "kernel")), "k");
    json_decref(o);
  }
}

static int watch(void) {
  json_t *o = watched(3, 5);
  json_decref(o);
  return o != NULL;
}

static void missing_memory_is_survived(void **state) {
  (void)state;
  assert_true(with_failing_memory(watch) > 3);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(all_looks_of_a_short_run_are_there),
                                     cmocka_unit_test(a_long_run_has_no_more),
                                     cmocka_unit_test(launches_are_thinned_too),
                                     cmocka_unit_test(missing_memory_is_survived)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
