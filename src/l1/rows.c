#include "l1/rows.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/mem.h"
#include "base/text.h"

void weir_rows_free(struct weir_rows *r) {
  free(r->v);
  *r = (struct weir_rows){0};
}

static int compare(const void *a, const void *b) {
  const struct weir_row *x = a, *y = b;
  if (x->kernel != y->kernel) return x->kernel < y->kernel ? -1 : 1;
  return x->key < y->key ? -1 : x->key > y->key;
}

void weir_rows_settle(struct weir_rows *r) {
  size_t n = 0;
  if (r->n == 0) return;
  qsort(r->v, r->n, sizeof *r->v, compare);
  for (size_t i = 1; i < r->n; i++)
    if (compare(&r->v[n], &r->v[i]) != 0)
      r->v[++n] = r->v[i];
    else
      for (unsigned k = 0; k < sizeof r->v->v / sizeof *r->v->v; k++)
        r->v[n].v[k] += r->v[i].v[k];
  r->n = n + 1;
}

static enum weir_status make_room(struct weir_rows *r, struct weir_err *err) {
  weir_rows_settle(r);
  if (r->n < r->cap / 4 * 3) return WEIR_OK;
  if (r->n >= WEIR_ROWS_MOST)
    return weir_fail(err, WEIR_ELIMIT, "a preparation has more than %d rows", WEIR_ROWS_MOST);
  size_t cap = r->cap > 0 ? 2 * r->cap : 1024;
  struct weir_row *v = weir_realloc(r->v, cap * sizeof *v);
  if (v == NULL) return weir_fail(err, WEIR_ENOMEM, "out of memory");
  r->v = v;
  r->cap = cap;
  return WEIR_OK;
}

enum weir_status weir_rows_add(struct weir_rows *r, const struct weir_row *row,
                               struct weir_err *err) {
  enum weir_status st = r->n == r->cap ? make_room(r, err) : WEIR_OK;
  if (st == WEIR_OK) r->v[r->n++] = *row;
  return st;
}

/* ---- files ---- */

enum { COLUMNS = 6 };

/* "weir-rows 1 NUMBER ABOUT", then a line for each: kernel and key in hexadecimal, four values. */
enum weir_status weir_rows_save(const struct weir_rows *r, const char *path, const char *about,
                                struct weir_err *err) {
  struct weir_text out = {0};
  weir_text_printf(&out, "weir-rows 1 %zu %s\n", r->n, about);
  for (size_t i = 0; i < r->n; i++) {
    const struct weir_row *row = &r->v[i];
    weir_text_printf(&out,
                     "%016" PRIx64 " %" PRIx64 " %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64 "\n",
                     row->kernel, row->key, row->v[0], row->v[1], row->v[2], row->v[3]);
  }
  enum weir_status st = out.failed ? weir_fail(err, WEIR_ENOMEM, "out of memory")
                                   : weir_file_write(path, out.v, out.n, err);
  weir_text_free(&out);
  return st;
}

/* A line of numbers; *at moves behind it. */
static bool read_row(const char **at, struct weir_row *row) {
  uint64_t *const to[COLUMNS] = {&row->kernel, &row->key,  &row->v[0],
                                 &row->v[1],   &row->v[2], &row->v[3]};
  const char *s = *at;
  for (unsigned i = 0; i < COLUMNS; i++) {
    char *end;
    *to[i] = strtoull(s, &end, i < 2 ? 16 : 10);
    if (end == s || *end != (i + 1 < COLUMNS ? ' ' : '\n')) return false;
    s = end + 1;
  }
  *at = s;
  return true;
}

static enum weir_status read_rows(struct weir_rows *r, const char *path, const char *text,
                                  struct weir_err *err) {
  const char head[] = "weir-rows 1 ", *at = strchr(text, '\n');
  uint64_t n = 0;
  struct weir_row row;
  enum weir_status st = WEIR_OK;
  bool ok = at != NULL && strncmp(text, head, sizeof head - 1) == 0;
  if (ok) n = strtoull(text + sizeof head - 1, NULL, 10);
  if (ok) at++;
  for (uint64_t i = 0; ok && st == WEIR_OK && i < n; i++) {
    ok = read_row(&at, &row) && (r->n == 0 || compare(&r->v[r->n - 1], &row) < 0);
    if (ok) st = weir_rows_add(r, &row, err);
  }
  if (st != WEIR_OK || (ok && *at == '\0')) return st;
  return weir_fail(err, WEIR_EPARSE, "%s: this is no whole file of prepared rows", path);
}

enum weir_status weir_rows_load(struct weir_rows *r, const char *path, struct weir_err *err) {
  char *text;
  size_t len;
  *r = (struct weir_rows){0};
  enum weir_status st = weir_file_read(path, 0, NULL, &text, &len, err);
  if (st != WEIR_OK) return st;
  st = read_rows(r, path, text, err);
  free(text);
  if (st != WEIR_OK) weir_rows_free(r);
  return st;
}
