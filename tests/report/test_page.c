/* Pages and figures of results: every way to run out of memory, and arithmetic that others rest on.
 */
#include "../study/store_rig.h"

#include <math.h>

#include "base/file.h"
#include "report/chart.h"
#include "report/grid.h"
#include "report/page.h"
#include "report/plot.h"

static const char compared[] =
    "{\"weir_compare\": 1, \"baseline\": \"baseline\", \"runs\": ["
    "{\"gpu\": \"g\", \"workload\": \"a\", \"input\": \"eval\", \"scheme\": \"baseline\", "
    "\"status\": "
    "\"ok\", \"cycles\": 200, \"seed\": 1, \"l1\": {\"loads\": 10, \"hits\": 4, \"misses\": 6}, "
    "\"kernels\": [{\"name\": \"k\", \"cycles\": 200}]},"
    "{\"gpu\": \"g\", \"workload\": \"a\", \"input\": \"eval\", \"scheme\": \"tsc\", \"status\": "
    "\"ok\", \"cycles\": 100, \"seed\": 1, \"l1\": {\"loads\": 10, \"hits\": 8, \"misses\": 2}, "
    "\"kernels\": [{\"name\": \"k\", \"cycles\": 100}]},"
    "{\"gpu\": \"g\", \"workload\": \"b\", \"input\": \"eval\", \"scheme\": \"baseline\", "
    "\"status\": "
    "\"ok\", \"cycles\": 80, \"seed\": 1},"
    "{\"gpu\": \"g\", \"workload\": \"b\", \"input\": \"eval\", \"scheme\": \"tsc\", \"status\": "
    "\"ok\", \"cycles\": 10, \"seed\": 1},"
    "{\"gpu\": \"g\", \"workload\": \"b\", \"input\": \"eval\", \"scheme\": \"swl\", \"status\": "
    "\"failed\", \"reason\": \"why\", \"seed\": 1}]}";

static const char *compare_file(void) {
  struct weir_err err;
  assert_int_equal(weir_file_write(in_dir("c.json"), compared, sizeof compared - 1, &err), WEIR_OK);
  return in_dir("c.json");
}

static void make_store(const char *name, unsigned runs) {
  struct weir_store *s = open_store(in_dir(name), WEIR_STORE_WRITE);
  for (unsigned n = 1; n <= runs; n++)
    put_some(s, n);
  weir_store_close(s);
}

/* ---- no memory ---- */

struct job {
  const char *file, *figure; /* NULL: a page */
};

static enum weir_status make(const struct job *j, struct weir_text *out, struct weir_err *err) {
  struct weir_page p;
  const struct weir_page_options o = {0};
  const struct weir_plot_options plot = {.figure = j->figure};
  enum weir_status st = weir_page_read(&p, &j->file, 1, &o, err);
  if (st == WEIR_OK && j->figure != NULL) {
    st = weir_plot(&p, &plot, out, err);
  } else if (st == WEIR_OK) {
    json_t *model = weir_page_model(&p);
    char *text = model != NULL ? json_dumps(model, JSON_COMPACT) : NULL;
    st = text != NULL ? WEIR_OK : weir_fail(err, WEIR_ENOMEM, "out of memory");
    if (text != NULL) weir_text_puts(out, text);
    if (out->failed) st = weir_fail(err, WEIR_ENOMEM, "out of memory");
    free(text);
    json_decref(model);
  }
  weir_page_free(&p);
  return st;
}

/* With the n-th allocation failing, for each n: an error or the whole text, and nothing between. */
static void assert_all_or_nothing(const char *file, const char *figure) {
  const struct job j = {file, figure};
  struct weir_text whole = {0};
  struct weir_err err;
  enum weir_status st = make(&j, &whole, &err);
  if (st != WEIR_OK) print_error("%s\n", err.msg);
  assert_int_equal(st, WEIR_OK);
  assert_true(whole.n > 0);
  st = WEIR_ENOMEM;
  for (long n = 0; st != WEIR_OK; n++) {
    struct weir_text out = {0};
    weir_malloc_fail_after(n);
    st = make(&j, &out, &err);
    weir_malloc_fail_after(-1);
    if (st == WEIR_OK)
      assert_string_equal(out.v, whole.v);
    else
      assert_int_equal(err.code, WEIR_ENOMEM);
    weir_text_free(&out);
  }
  weir_text_free(&whole);
}

static void test_no_memory(void **state) {
  (void)state;
  make_store("a.db", 3);
  assert_all_or_nothing(in_dir("a.db"), NULL);
  assert_all_or_nothing(compare_file(), NULL);
  assert_all_or_nothing(compare_file(), "speedup");
  assert_all_or_nothing(compare_file(), "composition");
  assert_all_or_nothing(compare_file(), "heat");
}

/* ---- speed-ups and means ---- */

static void test_means(void **state) {
  (void)state;
  struct weir_page p;
  struct weir_grid g;
  struct weir_err err;
  const char *file = compare_file();
  size_t n;
  assert_int_equal(weir_page_read(&p, &file, 1, &(struct weir_page_options){0}, &err), WEIR_OK);
  assert_true(p.n == 5 && p.kernels.n == 2);
  assert_true(p.runs[1].speedup == 2 && p.runs[3].speedup == 8 && isnan(p.runs[4].speedup));
  assert_true(p.kernels.v[1].speedup == 2);
  assert_true(weir_page_is_base(&p, 0) && !weir_page_is_base(&p, 1) && !p.runs[4].is_drawn);
  double value[5];
  for (size_t i = 0; i < 5; i++)
    value[i] = p.runs[i].speedup;
  assert_int_equal(weir_grid_of_schemes(&g, &p, false, &err), WEIR_OK);
  assert_true(g.rows.n_places == 2 && g.columns.n_places == 1);
  assert_string_equal(g.columns.names[0], "tsc");
  struct weir_interval mean = weir_grid_mean(&g, 0, value, &n, &err);
  assert_true(n == 2 && fabs(mean.mean - 4) < 1e-12); /* the root of 2 times 8 */
  assert_true(isnan(mean.low));
  weir_grid_free(&g);
  weir_page_free(&p);
}

static void test_only(void **state) {
  (void)state;
  struct weir_page p;
  struct weir_err err;
  const char *file = compare_file(), *const only[] = {"scheme=tsc", "workload=b"};
  const struct weir_page_options o = {.only = only, .n_only = 2};
  assert_int_equal(weir_page_read(&p, &file, 1, &o, &err), WEIR_OK);
  assert_true(p.n == 1 && p.kernels.n == 0 && p.runs[0].speedup == 8);
  assert_true(p.keys[WEIR_PAGE_SCHEME].n_values == 1 && p.runs[0].base == WEIR_PAGE_NONE);
  weir_page_free(&p);
}

/* ---- charts ---- */

static void test_ticks(void **state) {
  (void)state;
  char text[32];
  struct weir_ticks t = weir_ticks_of(0, 1.28);
  assert_true(t.first == 0 && fabs(t.step - 0.2) < 1e-12 && t.n == 8);
  assert_string_equal(weir_tick_text(&t, 3, text), "0.6");
  t = weir_ticks_of(0.9, 1.4);
  assert_true(t.first <= 0.9 && t.first + (double)(t.n - 1) * t.step >= 1.4 - 1e-9);
  t = weir_ticks_of(0, 1.5);
  assert_string_equal(weir_tick_text(&t, 1, text), "0.25");
  t = weir_ticks_of(0, 120000);
  assert_string_equal(weir_tick_text(&t, 1, text), "20000");
  t = weir_ticks_of(5, 5);
  assert_true(t.n >= 2 && t.step > 0);
}

static void test_colours(void **state) {
  (void)state;
  char colour[8];
  weir_heat_colour(1, 0.5, 2, 1, colour);
  assert_string_equal(colour, "#f7f7f2");
  weir_heat_colour(2, 0.5, 2, 1, colour);
  assert_string_equal(colour, "#005aa0");
  weir_heat_colour(0, 0, 2, 1, colour);
  assert_string_equal(colour, "#d55e00");
  weir_heat_colour(5, 5, 5, (double)NAN, colour);
  assert_string_equal(colour, "#f7f7f2");
}

static void test_escape(void **state) {
  (void)state;
  struct weir_text t = {0};
  weir_svg_escape(&t, "a<b> & \"c\"\n\xc2\xb5");
  assert_string_equal(t.v, "a&lt;b&gt; &amp; &quot;c&quot; \xc2\xb5");
  weir_text_free(&t);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_no_memory), cmocka_unit_test(test_means),
      cmocka_unit_test(test_only),      cmocka_unit_test(test_ticks),
      cmocka_unit_test(test_colours),   cmocka_unit_test(test_escape),
  };
  return cmocka_run_group_tests(tests, make_dir, remove_dir);
}
