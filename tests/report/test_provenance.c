/* How outputs were made: what a new commit changes in them, and the way back. */
#include "report/provenance.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "machine/machine.h"
#include "testing.h"
#include "trace/wtrace.h"

static const struct weir_param_group *const groups[] = {&weir_sm_params, &weir_l1_params, NULL};
static char path[] = "/tmp/weir-provenance-XXXXXX";

static void settings(struct weir_settings *s, const char *set) {
  struct weir_err err;
  assert_int_equal(weir_settings_init(s, groups, &err), WEIR_OK);
  if (set != NULL && weir_settings_assign(s, set, &err) != WEIR_OK) fail_msg("%s", err.msg);
}

/* As if a file had said it. */
static void say(struct weir_settings *s, const char *key, const char *value) {
  struct weir_err err;
  if (weir_settings_set(s, WEIR_LAYER_FILE, key, value, NULL, &err) != WEIR_OK)
    fail_msg("%s", err.msg);
}

static void sample(struct weir_provenance *p, const char *commit, const char *set) {
  struct weir_settings base, own, user;
  settings(&base, NULL);
  settings(&own, NULL);
  say(&own, "sm.count", "7");
  settings(&user, set);
  weir_provenance_init(p, "1.2.3", commit, "run");
  weir_provenance_argument(p, "spmv");
  weir_provenance_argument(p, "caf\xe9");
  weir_provenance_settings(p, &user, &base);
  assert_true(weir_provenance_machine(p, "named", &base, false));
  assert_true(weir_provenance_machine(p, "own\xff.yaml", &own, true));
  weir_provenance_machine_file(p, "own\xff.yaml", "weir: 1\nmachine: {sm: {count: 7}}\n");
  assert_false(weir_provenance_machine(p, "named", &base, false)); /* once */
  weir_provenance_file(p, "tags.yaml", "a: \"b\"\n# c\n");
  weir_provenance_input(p, "workload", "spmv", "eval", "xxh128:1", NULL);
  weir_provenance_input(p, "trace", "t", NULL, "xxh128:2", "{\"format\": 1}");
  assert_int_equal(weir_provenance_check(p, NULL), WEIR_OK);
  weir_settings_free(&base);
  weir_settings_free(&own);
  weir_settings_free(&user);
}

static json_t *result(const struct weir_provenance *p) {
  return weir_provenance_first(p, json_pack("{s:i, s:[i]}", "weir_result", 1, "runs", 5));
}

static char *dump(json_t *o) {
  char *text = json_dumps(o, JSON_INDENT(1));
  assert_non_null(text);
  json_decref(o);
  return text;
}

/* Two builds: all that differs is one line of the block, which is the first key. */
static void commits_differ_inside_only(void **state) {
  (void)state;
  struct weir_provenance a, b;
  sample(&a, "1111", "l1.sets=8");
  sample(&b, "2222-dirty", "l1.sets=8");
  json_t *one = result(&a), *two = result(&b);
  const char *key = json_object_iter_key(json_object_iter(one));
  assert_string_equal(key, "provenance");
  json_t *block = json_object_get(one, "provenance"), *other = json_object_get(two, "provenance");
  assert_false(json_equal(block, other));
  assert_int_equal(json_object_set_new(other, "commit", json_string("1111")), 0);
  assert_true(json_equal(block, other));
  assert_int_equal(json_object_del(one, "provenance"), 0);
  assert_int_equal(json_object_del(two, "provenance"), 0);
  char *left = dump(one), *right = dump(two), *without = dump(result(NULL));
  assert_string_equal(left, right);
  assert_string_equal(left, without);
  free(left);
  free(right);
  free(without);
  weir_provenance_free(&a);
  weir_provenance_free(&b);
}

static void what_it_says(void **state) {
  (void)state;
  struct weir_provenance p;
  sample(&p, "1111", "l1.sets=8");
  json_t *r = p.root;
  assert_string_equal(json_string_value(json_object_get(r, "weir")), "1.2.3");
  assert_string_equal(json_string_value(json_array_get(json_object_get(r, "arguments"), 1)),
                      "caf\\xe9");
  json_t *set = json_object_get(r, "settings"), *machines = json_object_get(r, "machines");
  assert_int_equal(json_object_size(set), 1);
  assert_string_equal(json_string_value(json_object_get(set, "l1.sets")), "8");
  assert_int_equal(json_array_size(machines), 2);
  assert_null(json_object_get(json_array_get(machines, 0), "values"));
  json_t *values = json_object_get(json_array_get(machines, 1), "values");
  assert_int_equal(json_object_size(values), 1);
  assert_string_equal(json_string_value(json_object_get(values, "sm.count")), "7");
  json_t *files = json_object_get(json_array_get(machines, 1), "files");
  assert_string_equal(json_string_value(json_object_get(json_array_get(files, 0), "name")),
                      "own\\xff.yaml");
  json_t *trace = json_array_get(json_object_get(r, "inputs"), 1);
  assert_int_equal(
      json_integer_value(json_object_get(json_object_get(trace, "provenance"), "format")), 1);
  weir_provenance_free(&p);
}

/* Of size, sets and ways two give the third: that one was said counts, whatever it was before. */
static void what_others_follow_from_is_kept(void **state) {
  (void)state;
  struct weir_provenance p;
  struct weir_settings base, user;
  settings(&base, NULL);
  settings(&user, "l1.size=16K");                                              /* the default */
  assert_int_equal(weir_settings_assign(&user, "sm.count=15", NULL), WEIR_OK); /* that, too */
  assert_int_equal(weir_settings_assign(&user, "l1.ways=8", NULL), WEIR_OK);
  assert_int_equal(weir_settings_derive(&user, "l1.sets", "16", "l1.size and l1.ways", NULL),
                   WEIR_OK);
  weir_provenance_init(&p, "1.2.3", "1111", "run");
  weir_provenance_settings(&p, &user, &base);
  char *text = json_dumps(json_object_get(p.root, "settings"), 0);
  assert_string_equal(text, "{\"l1.size\": \"16K\", \"l1.ways\": \"8\"}");
  free(text);
  weir_settings_free(&base);
  weir_settings_free(&user);
  weir_provenance_free(&p);
}

static char *hash_of_scheme(const char *machine_has) {
  struct weir_provenance p;
  struct weir_settings s;
  struct weir_scheme scheme = {.name = "own"};
  settings(&s, NULL);
  say(&s, "l1.mshr_entries", machine_has);
  s.n_sources++;
  say(&s, "l1.mshr_entries", "64");
  weir_provenance_init(&p, "1.2.3", "1111", "run");
  weir_provenance_scheme(&p, "own.yaml", &scheme, &s, s.n_sources, NULL);
  const json_t *o = json_array_get(json_object_get(p.root, "schemes"), 0);
  char *hash = strdup(json_string_value(json_object_get(o, "hash")));
  weir_settings_free(&s);
  weir_provenance_free(&p);
  return hash;
}

/* A machine that has by itself what the scheme sets makes no other scheme of it. */
static void a_scheme_is_the_same_on_every_machine(void **state) {
  (void)state;
  char *one = hash_of_scheme("32"), *two = hash_of_scheme("64");
  assert_string_equal(one, two);
  free(one);
  free(two);
}

static void write_file(const char *text) {
  assert_int_equal(weir_file_write(path, text, strlen(text), NULL), WEIR_OK);
}

/* `csv`: the number of its format besides, or 0. */
static void read_back(const struct weir_provenance *p, int csv) {
  struct weir_err err;
  json_t *back;
  if (weir_provenance_read(path, &back, &err) != WEIR_OK) fail_msg("%s", err.msg);
  assert_int_equal(json_integer_value(json_object_get(back, "csv")), csv);
  json_object_del(back, "csv");
  assert_true(json_equal(back, p->root));
  json_decref(back);
}

static void it_comes_back_from_every_output(void **state) {
  (void)state;
  struct weir_provenance p;
  struct weir_text text = {0};
  struct weir_wtrace_writer *w;
  sample(&p, "1111", NULL);
  char *json = dump(result(&p));
  write_file(json);
  read_back(&p, 0);
  free(json);
  weir_provenance_lines(&p, &text);
  weir_text_puts(&text, "gpu,workload\n1,#2\n");
  write_file(text.v);
  read_back(&p, WEIR_CSV_FORMAT);
  text.n = 0;
  weir_provenance_text(&p, &text);
  assert_int_equal(weir_wtrace_create(path, NULL, &w, NULL), WEIR_OK);
  assert_int_equal(weir_wtrace_provenance(w, text.v, NULL), WEIR_OK);
  assert_int_equal(weir_wtrace_finish(w, NULL, NULL), WEIR_OK);
  read_back(&p, 0);
  weir_text_free(&text);
  weir_provenance_free(&p);
}

static void what_has_none_is_refused(void **state) {
  (void)state;
  static const struct {
    const char *text, *why;
  } t[] = {{"", "does not say how it was made"},
           {"{", "does not say how it was made"},
           {"{\"weir_result\": 1, \"provenance\": {\"format\": 1}}", "does not say how"},
           {"{\"provenance\": 7}", "does not say how"},
           {"{\"provenance\": {\"format\": 1", "does not say how"},
           {"# a remark\na,b\n", "does not say how"},
           {"#", "does not say how"},
           {"{\"provenance\": {\"format\": 1, \"arguments\": [1]}}", "does not say how"},
           {"{\"provenance\": {\"format\": 1, \"settings\": {\"a\": 1}}}", "does not say how"},
           {"{\"provenance\": {\"format\": 1, \"inputs\": {}}}", "does not say how"},
           {"{\"provenance\": {\"format\": 1, \"machines\": [\"a\"]}}", "does not say how"},
           {"{\"provenance\": {\"format\": 2}}", "in format 2; this weir knows 1"}};
  struct weir_err err;
  json_t *back;
  for (size_t i = 0; i < sizeof t / sizeof *t; i++) {
    write_file(t[i].text);
    assert_true(weir_provenance_read(path, &back, &err) != WEIR_OK);
    assert_contains(err.msg, t[i].why);
    assert_null(back);
  }
}

/* The block may be longer than what is looked at first. */
static void long_ones_come_back(void **state) {
  (void)state;
  enum { LONG = 3 << 20 };
  struct weir_provenance p;
  struct weir_text csv = {0};
  char *text = malloc(LONG + 1);
  assert_non_null(text);
  memset(text, 'x', LONG);
  text[LONG] = 0;
  sample(&p, "1111", NULL);
  weir_provenance_file(&p, "long", text);
  free(text);
  char *json = dump(result(&p));
  write_file(json);
  read_back(&p, 0);
  free(json);
  weir_provenance_lines(&p, &csv);
  weir_text_puts(&csv, "gpu,workload\n");
  write_file(csv.v);
  read_back(&p, WEIR_CSV_FORMAT);
  weir_text_free(&csv);
  weir_provenance_free(&p);
}

static void what_has_changed_is_named(void **state) {
  (void)state;
  struct weir_provenance a, b;
  const char *kind, *name;
  sample(&a, "1111", NULL);
  sample(&b, "2222", "l1.sets=8"); /* settings and commits are no inputs */
  assert_true(weir_provenance_is_like(&b, a.root, &kind, &name));
  weir_provenance_input(&b, "workload", "spmv", "profile", "xxh128:9", NULL); /* another input */
  assert_true(weir_provenance_is_like(&b, a.root, &kind, &name));
  weir_provenance_input(&b, "workload", "spmv", "eval", "xxh128:9", NULL);
  assert_false(weir_provenance_is_like(&b, a.root, &kind, &name));
  assert_string_equal(kind, "workload");
  assert_string_equal(name, "spmv");
  weir_provenance_free(&b);
  /* Names of any bytes. */
  sample(&b, "2222", NULL);
  weir_provenance_input(&a, "workload", "caf\xe9", NULL, "xxh128:1", NULL);
  weir_provenance_input(&b, "workload", "caf\xe9", NULL, "xxh128:2", NULL);
  assert_false(weir_provenance_is_like(&b, a.root, &kind, &name));
  assert_string_equal(name, "caf\\xe9");
  weir_provenance_free(&a);
  weir_provenance_free(&b);
}

static int begin(void **state) {
  (void)state;
  int fd = mkstemp(path);
  return fd < 0 ? -1 : close(fd);
}

static int end(void **state) {
  (void)state;
  return unlink(path);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(commits_differ_inside_only),
                                     cmocka_unit_test(what_it_says),
                                     cmocka_unit_test(what_others_follow_from_is_kept),
                                     cmocka_unit_test(a_scheme_is_the_same_on_every_machine),
                                     cmocka_unit_test(it_comes_back_from_every_output),
                                     cmocka_unit_test(long_ones_come_back),
                                     cmocka_unit_test(what_has_none_is_refused),
                                     cmocka_unit_test(what_has_changed_is_named)};
  return cmocka_run_group_tests(tests, begin, end);
}
