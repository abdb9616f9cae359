/* The page itself: a template, its style and its scripts, Chart.js, and the data, in one file. */
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/mem.h"
#include "report/page.h"
#include "report/page_files.inc"
#include "weir_build.h"

enum { CHART_BYTES = 4 << 20 };

/* ---- Chart.js ---- */

static enum weir_status read_chart(char **text, size_t *n, struct weir_err *err) {
  struct weir_err why;
  const char *path = getenv("WEIR_CHART_JS");
  if (path == NULL || path[0] == 0) path = WEIR_CHART_JS;
  enum weir_status st = weir_file_read(path, CHART_BYTES, NULL, text, n, &why);
  if (st == WEIR_ENOMEM) return weir_no_memory(err);
  if (st != WEIR_OK) {
    weir_fail(err, st, "the page needs Chart.js for its charts: %s", why.msg);
    weir_err_add(err, "remedy: apt-get install libjs-chart.js, or set WEIR_CHART_JS to a "
                      "chart.min.js of version 3");
    return st;
  }
  if (strstr(*text, "Chart.js v3.") != NULL && strstr(*text, "</script") == NULL) return WEIR_OK;
  free(*text);
  return weir_fail(err, WEIR_EINVAL,
                   "'%s' is not Chart.js of version 3 (chart.min.js of Debian's "
                   "package libjs-chart.js)",
                   path);
}

/* ---- pieces ---- */

static void put_escaped(struct weir_text *out, const char *s) {
  for (; *s != 0; s++) {
    const char *as = *s == '<' ? "&lt;" : *s == '>' ? "&gt;" : *s == '&' ? "&amp;" : NULL;
    if (as != NULL)
      weir_text_puts(out, as);
    else
      weir_text_add(out, s, 1);
  }
}

/* Within a script nothing may look like its end. */
static int put_json(const char *bytes, size_t n, void *self) {
  struct weir_text *out = self;
  for (size_t i = 0, from = 0; i <= n; i++) {
    if (i < n && bytes[i] != '<') continue;
    weir_text_add(out, bytes + from, i - from);
    if (i < n) weir_text_puts(out, "\\u003c");
    from = i + 1;
  }
  return out->failed ? -1 : 0;
}

struct pieces {
  const struct weir_page *p;
  const char *version;
  const char *chart;
  size_t n_chart;
  json_t *model;
};

static void put_piece(const struct pieces *v, const char *name, size_t n, struct weir_text *out) {
  for (const struct page_file *f = page_files; f->name != NULL; f++)
    if (strlen(f->name) == n && strncmp(f->name, name, n) == 0) {
      weir_text_add(out, (const char *)f->bytes, f->n);
      return;
    }
  if (n == 5 && strncmp(name, "title", n) == 0)
    put_escaped(out, v->p->title);
  else if (n == 7 && strncmp(name, "version", n) == 0)
    put_escaped(out, v->version);
  else if (n == 5 && strncmp(name, "chart", n) == 0)
    weir_text_add(out, v->chart, v->n_chart);
  else if (n == 5 && strncmp(name, "model", n) == 0 &&
           json_dump_callback(v->model, put_json, out, JSON_COMPACT | JSON_REAL_PRECISION(7)) != 0)
    out->failed = true;
}

/* {{NAME}} in the template is a file beside it, or one of the pieces. */
static void fill(const struct pieces *v, const char *from, size_t n, struct weir_text *out) {
  const char *end = from + n;
  while (from < end) {
    const char *open = memmem(from, (size_t)(end - from), "{{", 2);
    const char *close = open != NULL ? memmem(open, (size_t)(end - open), "}}", 2) : NULL;
    if (close == NULL) break;
    weir_text_add(out, from, (size_t)(open - from));
    put_piece(v, open + 2, (size_t)(close - open - 2), out);
    from = close + 2;
  }
  weir_text_add(out, from, (size_t)(end - from));
}

enum weir_status weir_page_html(const struct weir_page *p, const char *version,
                                struct weir_text *out, struct weir_err *err) {
  struct pieces v = {.p = p, .version = version};
  char *chart;
  enum weir_status st = read_chart(&chart, &v.n_chart, err);
  if (st != WEIR_OK) return st;
  v.chart = chart;
  v.model = weir_page_model(p);
  if (v.model != NULL) fill(&v, (const char *)page_html, sizeof page_html, out);
  st = v.model != NULL && !out->failed ? WEIR_OK : weir_no_memory(err);
  json_decref(v.model);
  free(chart);
  return st;
}
