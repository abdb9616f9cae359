/* Reports of a study that nobody ran: two workloads, three schemes, one machine. */
#include "report/compare.h"

#include <math.h>

#include "testing.h"

enum { WORKLOADS = 2, SCHEMES = 3 };

static const char *const gpus[] = {"g"};
static const char *const schemes[] = {"old", "new", "broken"};
static struct weir_settings no_settings;
static struct weir_setup setups[SCHEMES];
static struct weir_study_setup study_setups[SCHEMES];
static struct weir_study_workload workloads[WORKLOADS];
static struct weir_run runs[WORKLOADS * SCHEMES];
static char kernel_reason[] = "no block fits\nsecond line";

static struct weir_run done(uint64_t cycles, uint64_t hits, uint64_t bypassed, uint64_t storage) {
  struct weir_run r = {.state = WEIR_RUN_DONE, .launches = 1, .storage_bits = storage};
  r.sum.cycles = cycles;
  r.sum.l1 = (struct weir_l1_stats){
      .loads = 100, .hits = hits, .bypassed = bypassed, .misses = 100 - hits - bypassed};
  r.sum.l1.requests = 100 - hits;
  r.sum.l1.request_flits = 1;
  r.sum.l1.reply_flits = 100 - hits;
  return r;
}

/* old: 1000 and 4000 cycles, new: 500 and 2000; "broken" fails on the second workload. */
static struct weir_study sample(void) {
  for (size_t i = 0; i < SCHEMES; i++) {
    setups[i] = (struct weir_setup){.machine.sm.count = 1};
    study_setups[i] = (struct weir_study_setup){.setup = &setups[i], .settings = &no_settings};
  }
  workloads[0] = (struct weir_study_workload){.name = "a", .input = "small"};
  workloads[1] = (struct weir_study_workload){.name = "b,c", .input = "small"};
  runs[0] = done(1000, 50, 0, 80);
  runs[1] = done(500, 60, 40, 160);
  runs[2] = done(2000, 0, 100, 0);
  runs[3] = done(4000, 10, 0, 80);
  runs[4] = done(2000, 10, 0, 160);
  runs[5] = (struct weir_run){.state = WEIR_RUN_FAILED, .error = kernel_reason};
  return (struct weir_study){.workloads = workloads,
                             .gpus = gpus,
                             .schemes = schemes,
                             .setups = study_setups,
                             .n_workloads = WORKLOADS,
                             .n_gpus = 1,
                             .n_schemes = SCHEMES,
                             .runs = runs};
}

static void means_are_over_what_ended(void **state) {
  (void)state;
  struct weir_study s = sample();
  struct weir_compare_mean m = weir_compare_mean(&s, 0, 1, 0);
  assert_int_equal(m.n, 2);
  assert_float_equal(m.speedup.mean, 2, 1e-9);
  assert_float_equal(m.hit_rate_l1, (1.0 + 0.1) / 2, 1e-9);
  assert_float_equal(m.hit_rate_stream, (0.6 + 0.1) / 2, 1e-9);
  assert_float_equal(m.bypass_rate, 0.2, 1e-9);
  assert_float_equal(m.requests, sqrt(40.0 / 50 * 1), 1e-9);
  assert_float_equal(m.flits, sqrt(41.0 / 51 * 1), 1e-9);
  assert_true(isnan(m.dram)); /* no accesses, no ratio */
  assert_int_equal(m.cycles, 2500);
  assert_int_equal(m.storage_bits, 80);
  m = weir_compare_mean(&s, 0, 2, 0);
  assert_int_equal(m.n, 1);
  assert_float_equal(m.speedup.mean, 0.5, 1e-9);
  assert_true(isnan(m.hit_rate_l1)); /* all were bypassed */
  assert_int_equal(m.storage_bits, -80);
}

static void the_baseline_can_be_any_scheme(void **state) {
  (void)state;
  struct weir_study s = sample();
  assert_float_equal(weir_compare_speedup(&s, 0, 0, 0, 1).mean, 0.5, 1e-9);
  assert_float_equal(weir_compare_mean(&s, 0, 0, 1).speedup.mean, 0.5, 1e-9);
  assert_true(isnan(weir_compare_speedup(&s, 1, 0, 0, 2).mean));
}

static void text_of(struct weir_study *s, struct weir_text *out) {
  assert_int_equal(weir_compare_text(s, 0, false, out, NULL), WEIR_OK);
  assert_false(out->failed);
}

static void failures_stand_below_the_table(void **state) {
  (void)state;
  struct weir_study s = sample();
  struct weir_text out = {0};
  text_of(&s, &out);
  assert_contains(out.v, "g, input small: speed-up over old\n"
                         "workload          old    new  broken  fastest\n"
                         "---------------------------------------------\n"
                         "a               1.000  2.000   0.500  new\n"
                         "b,c             1.000  2.000  failed  new\n"
                         "---------------------------------------------\n"
                         "geometric mean  1.000  2.000  0.500*\n"
                         "\n"
                         "  old     1.000  \u2588");
  assert_contains(out.v, "* over the workloads that ended with both: broken 1 of 2\n"
                         "failed: b,c on g with broken: no block fits\n"
                         "  second line\n");
  weir_text_free(&out);
}

/* Classified on what is timed: marked. Not to be classified: said below. */
static void preparations_show(void **state) {
  (void)state;
  char name[] = WEIR_PREPARE_CLASSIFY;
  struct weir_tags *tags;
  assert_int_equal(weir_tags_new(&tags), WEIR_OK);
  const struct weir_preparation own = {.name = name,
                                       .tags = tags,
                                       .input = "small",
                                       .is_same_input = true},
                                other = {.name = name, .tags = tags, .input = "profile"};
  const struct weir_study_prep preps[WORKLOADS * SCHEMES] = {
      [1] = {.n_made = 1, .made = {&own}, .input = "small", .is_same_input = true},
      [4] = {.n_made = 1, .made = {&other}, .input = "profile"},
      [5] = {.input = "", .error = "no PTX"}};
  struct weir_study s = sample();
  struct weir_text out = {0}, csv = {0};
  s.preps = preps;
  runs[5].error = NULL;
  text_of(&s, &out);
  assert_contains(out.v, "a               1.000  2.000=   0.500  new\n"
                         "b,c             1.000   2.000  failed  new\n");
  assert_contains(out.v, "= loads were classified on the very input that is timed\n");
  assert_contains(out.v, "failed: b,c with schemes that are prepared: no PTX\n");
  assert_int_equal(weir_compare_csv(&s, 0, false, &csv, NULL), WEIR_OK);
  assert_contains(csv.v, ",speedup,profile_input,profile_is_timed,");
  assert_contains(csv.v, "\ng,a,small,new,ok,,1,160,500,2,small,yes,");
  assert_contains(csv.v, ",new,ok,,1,160,2000,2,profile,no,");
  assert_contains(csv.v, ",old,ok,,1,80,1000,1,,,");
  assert_contains(csv.v, ",broken,failed,no PTX,");
  json_t *json = weir_compare_json(&s, 0, false);
  json_t *run = json_array_get(json_object_get(json, "runs"), 1);
  assert_true(json_is_true(json_object_get(json_object_get(run, "profile"), "is_timed_input")));
  assert_null(json_object_get(json_array_get(json_object_get(json, "runs"), 0), "profile"));
  json_decref(json);
  weir_text_free(&out);
  weir_text_free(&csv);
  weir_tags_free(tags);
}

static void what_is_missing_is_a_dash(void **state) {
  (void)state;
  struct weir_study s = sample();
  struct weir_text out = {0};
  runs[4] = (struct weir_run){.state = WEIR_RUN_WAITING};
  runs[3] = (struct weir_run){.state = WEIR_RUN_WAITING};
  text_of(&s, &out);
  assert_contains(out.v, "b,c                  -       -  failed  -\n");
  assert_contains(out.v, "geometric mean  1.000*  2.000*  0.500*\n");
  weir_text_free(&out);
}

static void reasons_are_said_once(void **state) {
  (void)state;
  struct weir_study s = sample();
  struct weir_text out = {0};
  char workload_reason[] = "no such file";
  study_setups[1].error = "cannot stand there";
  runs[1] = runs[4] = (struct weir_run){.state = WEIR_RUN_FAILED};
  workloads[0].error = workload_reason;
  runs[0] = runs[2] = (struct weir_run){.state = WEIR_RUN_FAILED};
  runs[3] = (struct weir_run){.state = WEIR_RUN_FAILED, .error = kernel_reason};
  text_of(&s, &out);
  assert_contains(out.v, "failed: new on g: cannot stand there\n"
                         "failed: a: no such file\n"
                         "failed: b,c on g with old, broken: no block fits\n");
  assert_string_equal(weir_compare_reason(&s, 0, 0, 1, 0), "cannot stand there");
  assert_string_equal(weir_compare_reason(&s, 0, 0, 0, 0), "no such file");
  assert_string_equal(weir_compare_reason(&s, 1, 0, 0, 0), kernel_reason);
  weir_text_free(&out);
}

static size_t count_columns(const char *line) {
  size_t n = 1;
  for (; *line != '\n'; line++)
    n += *line == ',';
  return n;
}

static void csv_has_a_row_for_each_run(void **state) {
  (void)state;
  struct weir_study s = sample();
  struct weir_text out = {0};
  assert_int_equal(weir_compare_csv(&s, 0, false, &out, NULL), WEIR_OK);
  assert_int_equal(
      strncmp(out.v, "gpu,workload,input,scheme,status,reason,launches,storage_bits,", 62), 0);
  assert_contains(out.v, ",cycles,speedup,profile_input,profile_is_timed,certainty,derived.ipc,");
  assert_contains(out.v, ",l1.loads,l1.hits,");
  assert_contains(out.v, "\ng,a,small,new,ok,,1,160,500,2,");
  assert_contains(out.v, "\ng,\"b,c\",small,broken,failed,no block fits,,,,,,,text,");
  const char *first = strchr(out.v, '\n') + 1;
  assert_int_equal(count_columns(out.v), count_columns(first));
  size_t lines = 0;
  for (const char *p = out.v; (p = strchr(p, '\n')) != NULL; p++)
    lines++;
  assert_int_equal(lines, 1 + WORKLOADS * SCHEMES);
  weir_text_free(&out);
}

static void an_l3_has_columns_and_only_where_there_is_one_values(void **state) {
  (void)state;
  struct weir_study s = sample();
  struct weir_text out = {0};
  json_t *root = weir_compare_json(&s, 0, false);
  assert_null(json_object_get(json_array_get(json_object_get(root, "runs"), 0), "l3"));
  json_decref(root);
  assert_int_equal(weir_compare_csv(&s, 0, false, &out, NULL), WEIR_OK);
  assert_contains(out.v, ",l3.");
  weir_text_free(&out);
  for (size_t i = 0; i < SCHEMES; i++)
    setups[i].machine.l3.enabled = true;
  root = weir_compare_json(&s, 0, false);
  assert_non_null(json_object_get(json_array_get(json_object_get(root, "runs"), 0), "l3"));
  json_decref(root);
}

static void json_has_everything(void **state) {
  (void)state;
  struct weir_study s = sample();
  json_t *root = weir_compare_json(&s, 0, false);
  assert_non_null(root);
  json_t *list = json_object_get(root, "runs"), *run = json_array_get(list, 1);
  assert_int_equal(json_array_size(list), WORKLOADS * SCHEMES);
  assert_int_equal(json_integer_value(json_object_get(run, "cycles")), 500);
  assert_float_equal(json_real_value(json_object_get(run, "speedup")), 2, 1e-9);
  assert_int_equal(json_integer_value(json_object_get(json_object_get(run, "l1"), "bypassed")), 40);
  assert_string_equal(json_string_value(json_object_get(json_array_get(list, 5), "reason")),
                      kernel_reason);
  assert_int_equal(json_array_size(json_object_get(root, "means")), SCHEMES);
  assert_int_equal(json_array_size(json_object_get(root, "setups")), SCHEMES);
  json_decref(root);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(means_are_over_what_ended),
      cmocka_unit_test(the_baseline_can_be_any_scheme),
      cmocka_unit_test(failures_stand_below_the_table),
      cmocka_unit_test(preparations_show),
      cmocka_unit_test(what_is_missing_is_a_dash),
      cmocka_unit_test(reasons_are_said_once),
      cmocka_unit_test(csv_has_a_row_for_each_run),
      cmocka_unit_test(an_l3_has_columns_and_only_where_there_is_one_values),
      cmocka_unit_test(json_has_everything)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
