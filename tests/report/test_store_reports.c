/* Queries, exports and differences of stores: every way to run out of memory, and what a reader
 * sees while another process writes. */
#include "../study/store_rig.h"

#include "report/diff.h"
#include "report/export.h"
#include "report/query.h"

static enum weir_status keep(void *self, const char *text, size_t n, struct weir_err *err) {
  struct weir_text *t = self;
  weir_text_add(t, text, n);
  return t->failed ? weir_fail(err, WEIR_ENOMEM, "out of memory") : WEIR_OK;
}

static void make_store(const char *name, unsigned runs) {
  struct weir_store *s = open_store(in_dir(name), WEIR_STORE_WRITE);
  for (unsigned n = 1; n <= runs; n++)
    put_some(s, n);
  weir_store_close(s);
}

/* ---- no memory ---- */

/* With the n-th allocation failing, for each n: an error or the whole text, and nothing between. */
static void assert_all_or_nothing(enum weir_status (*make)(struct weir_text *out,
                                                           struct weir_err *err)) {
  struct weir_text whole = {0};
  struct weir_err err;
  assert_int_equal(make(&whole, &err), WEIR_OK);
  assert_true(whole.n > 0);
  enum weir_status st = WEIR_ENOMEM;
  for (long n = 0; st != WEIR_OK; n++) {
    struct weir_text out = {0};
    weir_malloc_fail_after(n);
    st = make(&out, &err);
    weir_malloc_fail_after(-1);
    if (st == WEIR_OK)
      assert_string_equal(out.v, whole.v);
    else
      assert_int_equal(err.code, WEIR_ENOMEM);
    weir_text_free(&out);
  }
  weir_text_free(&whole);
}

static enum weir_status show(enum weir_query_format format, const char *sql, struct weir_text *out,
                             struct weir_err *err) {
  struct weir_store *s;
  struct weir_query *q = NULL;
  const struct weir_sink to = {.put = keep, .self = out};
  enum weir_status st = weir_store_open(in_dir("a.db"), WEIR_STORE_READ, NULL, &s, err);
  if (st != WEIR_OK) return st;
  st = weir_query_open(s, sql, NULL, &q, err);
  if (st == WEIR_OK) st = weir_query_show(q, format, &to, err);
  weir_query_close(q);
  weir_store_close(s);
  return st;
}

static enum weir_status show_table(struct weir_text *out, struct weir_err *err) {
  return show(WEIR_QUERY_TABLE, "SELECT * FROM run_results; SELECT key, value FROM settings", out,
              err);
}

static enum weir_status show_csv(struct weir_text *out, struct weir_err *err) {
  return show(WEIR_QUERY_CSV, "SELECT *, setting(run, 'l1.size') FROM kernel_results", out, err);
}

static enum weir_status show_overview(struct weir_text *out, struct weir_err *err) {
  struct weir_store *s;
  enum weir_status st = weir_store_open(in_dir("a.db"), WEIR_STORE_READ, NULL, &s, err);
  if (st == WEIR_OK) st = weir_store_overview(s, "a.db", out, err);
  weir_store_close(s);
  return st;
}

static enum weir_status export(bool is_long, struct weir_text *out, struct weir_err *err) {
  struct weir_store *s; const struct weir_sink to = {.put = keep, .self = out};
  const struct weir_export_options o = {.is_long = is_long,
                                        .has_kernels = is_long,
                                        .where = is_long ? "seed > 1" : NULL};
  enum weir_status st = weir_store_open(in_dir("a.db"), WEIR_STORE_READ, NULL, &s, err);
  if (st == WEIR_OK) st = weir_export_csv(s, &o, &to, err);
  weir_store_close(s);
  return st;
}

static enum weir_status export_wide(struct weir_text *out, struct weir_err *err) {
  return export(false, out, err);
}

static enum weir_status export_long(struct weir_text *out, struct weir_err *err) {
  return export(true, out, err);
}

static enum weir_status diff(struct weir_text *out, struct weir_err *err) {
  const char *const names[] = {in_dir("a.db"), in_dir("b.db")};
  struct weir_arena a = {0};
  struct weir_diff_source source;
  struct weir_diff_side sides[2] = {0};
  struct weir_diff d;
  enum weir_status st = WEIR_OK;
  for (int i = 0; st == WEIR_OK && i < 2; i++) {
    st = weir_diff_source(names[i], &a, &source, err);
    if (st == WEIR_OK) st = weir_diff_read(&source, true, &sides[i], err);
  }
  if (st == WEIR_OK) {
    st = weir_diff(&sides[0], &sides[1], &d, err);
    if (st == WEIR_OK) {
      st = weir_diff_text(&d, &(struct weir_diff_view){0}, out, err);
      weir_diff_free(&d);
    }
  }
  for (int i = 0; i < 2; i++)
    weir_diff_side_free(&sides[i]);
  weir_arena_free(&a);
  return st;
}

static void all_or_nothing(void **state) {
  (void)state;
  make_store("a.db", 3);
  make_store("b.db", 4);
  assert_all_or_nothing(show_table);
  assert_all_or_nothing(show_csv);
  assert_all_or_nothing(show_overview);
  assert_all_or_nothing(export_wide);
  assert_all_or_nothing(export_long);
  assert_all_or_nothing(diff);
}

/* ---- while it is written ---- */

/* All statements of a query see one state, though a run is stored between them. */
static void statements_see_one_state(void **state) {
  (void)state;
  bool is_row;
  struct weir_err err;
  struct weir_query *q;
  struct weir_store *writer = open_store(in_dir("a.db"), WEIR_STORE_WRITE);
  put_some(writer, 1);
  struct weir_store *reader = open_store(in_dir("a.db"), WEIR_STORE_READ);
  const char *twice = "SELECT count(*) FROM runs; SELECT count(*) FROM runs";
  assert_int_equal(weir_query_open(reader, twice, NULL, &q, &err), WEIR_OK);
  for (size_t i = 0; i < 2; i++) {
    assert_int_equal(weir_query_step(q, i, &is_row, &err), WEIR_OK);
    assert_true(is_row);
    assert_int_equal(sqlite3_column_int(weir_query_stmt(q, i), 0), 1);
    put_some(writer, 2);
  }
  weir_query_close(q);
  assert_string_equal(asked_of(reader, "SELECT count(*) FROM runs"), "2");
  weir_store_close(reader);
  weir_store_close(writer);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(all_or_nothing, make_dir, remove_dir),
      cmocka_unit_test_setup_teardown(statements_see_one_state, make_dir, remove_dir)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
