#include "report/query.h"

#include <inttypes.h>
#include <math.h>
#include <sqlite3.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "base/mem.h"
#include "base/table.h"

/* ---- values ---- */

/* Six digits, and all of those before the point. */
static void put_short_real(struct weir_text *t, double v) {
  char text[64];
  double size = fabs(v);
  if (v != 0 && (size < 1e-4 || size >= 1e15)) {
    snprintf(text, sizeof text, "%.6g", v);
  } else {
    int before = size >= 1 ? (int)floor(log10(size)) + 1 : 0;
    snprintf(text, sizeof text, "%.*f", before < 6 ? 6 - before : 0, v);
    size_t n = strlen(text);
    while (strchr(text, '.') != NULL && (text[n - 1] == '0' || text[n - 1] == '.')) {
      bool is_point = text[n - 1] == '.';
      text[--n] = 0;
      if (is_point) break;
    }
  }
  weir_text_puts(t, text);
}

/* Bytes that are no text, as SQL writes them. */
static void put_blob(struct weir_text *t, sqlite3_stmt *q, int column) {
  const unsigned char *bytes = sqlite3_column_blob(q, column);
  int n = sqlite3_column_bytes(q, column);
  weir_text_puts(t, "x'");
  for (int i = 0; i < n; i++)
    weir_text_printf(t, "%02x", bytes[i]);
  weir_text_puts(t, "'");
}

static void put_text(struct weir_text *t, sqlite3_stmt *q, int column) {
  const char *text = (const char *)sqlite3_column_text(q, column);
  if (text == NULL)
    t->failed = true;
  else
    weir_text_escape(t, text);
}

/* Of a table every row is one line. */
static void put_line(struct weir_text *t, sqlite3_stmt *q, int column) {
  size_t from = t->n;
  put_text(t, q, column);
  for (size_t i = from; i < t->n; i++)
    if ((unsigned char)t->v[i] < ' ' || t->v[i] == 0x7f) t->v[i] = ' ';
}

static void put_value(struct weir_text *t, sqlite3_stmt *q, int column, bool is_table) {
  switch (sqlite3_column_type(q, column)) {
  case SQLITE_NULL:
    if (is_table) weir_text_puts(t, "-");
    break;
  case SQLITE_INTEGER:
    weir_text_printf(t, "%" PRId64, (int64_t)sqlite3_column_int64(q, column));
    break;
  case SQLITE_FLOAT:
    if (is_table)
      put_short_real(t, sqlite3_column_double(q, column));
    else
      weir_text_real(t, sqlite3_column_double(q, column));
    break;
  case SQLITE_BLOB:
    put_blob(t, q, column);
    break;
  default:
    if (is_table)
      put_line(t, q, column);
    else
      put_text(t, q, column);
  }
}

/* ---- pieces ---- */

enum weir_status weir_pieces_hand_on(struct weir_pieces *p, size_t least, struct weir_err *err) {
  if (p->text.failed) return weir_no_memory(err);
  if (p->text.n == 0 || p->text.n < least) return WEIR_OK;
  enum weir_status st = p->to->put(p->to->self, p->text.v, p->text.n, err);
  p->text.n = 0;
  return st;
}

/* ---- tables ---- */

/* Cells in the order of rows: how wide a column is, and which side it keeps to, is known at the
 * end. */
struct cells {
  struct weir_arena a;
  const char **v;
  size_t n, cap;
  bool *is_text; /* of each column */
};

static enum weir_status take_row(struct cells *c, sqlite3_stmt *stmt, int n_columns,
                                 struct weir_text *scratch, struct weir_err *err) {
  for (int i = 0; i < n_columns; i++) {
    scratch->n = 0;
    weir_text_puts(scratch, "");
    put_value(scratch, stmt, i, true);
    int type = sqlite3_column_type(stmt, i);
    c->is_text[i] |= type == SQLITE_TEXT || type == SQLITE_BLOB;
    const char *copy = scratch->failed ? NULL : weir_arena_strndup(&c->a, scratch->v, scratch->n);
    if (copy == NULL || !WEIR_PUSH(*c, copy)) return weir_no_memory(err);
  }
  return WEIR_OK;
}

static enum weir_status lay_out(const struct cells *c, sqlite3_stmt *stmt, int n_columns,
                                struct weir_text *out, struct weir_err *err) {
  struct weir_column *columns = weir_calloc((size_t)n_columns, sizeof *columns);
  for (int i = 0; columns != NULL && i < n_columns; i++) {
    const char *head = sqlite3_column_name(stmt, i);
    columns[i] = (struct weir_column){head != NULL ? head : "?", NULL,
                                      c->is_text[i] || c->n == 0 ? WEIR_LEFT : WEIR_RIGHT};
  }
  struct weir_table *t = columns != NULL ? weir_table_new(columns, (size_t)n_columns) : NULL;
  for (size_t i = 0; t != NULL && i < c->n; i++)
    weir_table_cell(t, "%s", c->v[i]);
  enum weir_status st = t != NULL ? weir_table_text(t, out, err) : weir_no_memory(err);
  weir_table_free(t);
  free(columns);
  return st;
}

static enum weir_status show_table(struct weir_query *q, size_t i, struct weir_pieces *o,
                                   struct weir_err *err) {
  sqlite3_stmt *stmt = weir_query_stmt(q, i);
  int n = sqlite3_column_count(stmt);
  struct cells c = {.is_text = weir_calloc((size_t)n + 1, 1)};
  struct weir_text scratch = {0};
  bool is_row = true;
  enum weir_status st = c.is_text != NULL ? WEIR_OK : weir_no_memory(err);
  while (st == WEIR_OK) {
    st = weir_query_step(q, i, &is_row, err);
    if (st != WEIR_OK || !is_row) break;
    st = take_row(&c, stmt, n, &scratch, err);
  }
  if (st == WEIR_OK && n > 0) st = lay_out(&c, stmt, n, &o->text, err);
  weir_text_free(&scratch);
  weir_arena_free(&c.a);
  free(c.is_text);
  free(c.v);
  return st;
}

/* ---- CSV ---- */

static enum weir_status show_csv(struct weir_query *q, size_t i, struct weir_pieces *o,
                                 struct weir_err *err) {
  sqlite3_stmt *stmt = weir_query_stmt(q, i);
  int n = sqlite3_column_count(stmt);
  struct weir_text scratch = {0};
  bool is_row = true;
  enum weir_status st = WEIR_OK;
  for (int c = 0; c < n; c++)
    weir_csv_cell(&o->text, c == 0, sqlite3_column_name(stmt, c));
  weir_text_puts(&o->text, n > 0 ? "\n" : "");
  while (st == WEIR_OK) {
    st = weir_query_step(q, i, &is_row, err);
    if (st != WEIR_OK || !is_row) break;
    for (int c = 0; c < n; c++) {
      scratch.n = 0;
      weir_text_puts(&scratch, "");
      put_value(&scratch, stmt, c, false);
      o->text.failed |= scratch.failed;
      weir_csv_cell(&o->text, c == 0, scratch.v != NULL ? scratch.v : "");
    }
    weir_text_puts(&o->text, "\n");
    st = weir_pieces_hand_on(o, WEIR_PIECE, err);
  }
  weir_text_free(&scratch);
  return st;
}

/* ---- JSON ---- */

static void put_json_text(struct weir_text *out, const char *s) {
  json_t *text = s != NULL ? weir_json_text(s) : NULL;
  char *dumped = text != NULL ? json_dumps(text, JSON_ENCODE_ANY) : NULL;
  if (dumped != NULL)
    weir_text_puts(out, dumped);
  else
    out->failed = true;
  free(dumped);
  json_decref(text);
}

/* Of equal names the second becomes NAME:1: an object has each once. */
static void put_key(struct weir_text *out, sqlite3_stmt *stmt, int column) {
  const char *name = sqlite3_column_name(stmt, column);
  struct weir_text key = {0};
  int before = 0;
  for (int i = 0; name != NULL && i < column; i++)
    before += strcmp(sqlite3_column_name(stmt, i), name) == 0;
  weir_text_puts(&key, name != NULL ? name : "?");
  if (before > 0) weir_text_printf(&key, ":%d", before);
  put_json_text(out, key.v);
  weir_text_free(&key);
}

static void put_json_value(struct weir_text *out, sqlite3_stmt *stmt, int column) {
  struct weir_text text = {0};
  int type = sqlite3_column_type(stmt, column);
  if (type == SQLITE_NULL ||
      (type == SQLITE_FLOAT && !isfinite(sqlite3_column_double(stmt, column)))) {
    weir_text_puts(out, "null"); /* which has no infinity */
  } else if (type == SQLITE_TEXT) {
    put_json_text(out, (const char *)sqlite3_column_text(stmt, column));
  } else if (type == SQLITE_BLOB) {
    put_blob(&text, stmt, column);
    put_json_text(out, text.v);
  } else {
    put_value(out, stmt, column, false);
  }
  weir_text_free(&text);
}

static enum weir_status show_json(struct weir_query *q, size_t i, struct weir_pieces *o,
                                  struct weir_err *err) {
  sqlite3_stmt *stmt = weir_query_stmt(q, i);
  bool is_row = true, is_first = true;
  enum weir_status st = WEIR_OK;
  weir_text_puts(&o->text, "[");
  while (st == WEIR_OK) {
    st = weir_query_step(q, i, &is_row, err);
    if (st != WEIR_OK || !is_row) break;
    weir_text_puts(&o->text, is_first ? "\n {" : ",\n {");
    is_first = false;
    for (int c = 0; c < sqlite3_column_count(stmt); c++) {
      if (c > 0) weir_text_puts(&o->text, ", ");
      put_key(&o->text, stmt, c);
      weir_text_puts(&o->text, ": ");
      put_json_value(&o->text, stmt, c);
    }
    weir_text_puts(&o->text, "}");
    st = weir_pieces_hand_on(o, WEIR_PIECE, err);
  }
  weir_text_puts(&o->text, is_first ? "]" : "\n]");
  return st;
}

/* ---- all ---- */

enum weir_status weir_query_show(struct weir_query *q, enum weir_query_format format,
                                 const struct weir_sink *to, struct weir_err *err) {
  struct weir_pieces o = {.to = to};
  if (format == WEIR_QUERY_TABLE) o.text.screen = to->screen;
  bool is_json = format == WEIR_QUERY_JSON, is_list = is_json && weir_query_n(q) > 1;
  enum weir_status st = WEIR_OK;
  if (is_list) weir_text_puts(&o.text, "[\n");
  for (size_t i = 0; st == WEIR_OK && i < weir_query_n(q); i++) {
    if (i > 0) weir_text_puts(&o.text, is_json ? ",\n" : "\n");
    st = is_json                      ? show_json(q, i, &o, err)
         : format == WEIR_QUERY_TABLE ? show_table(q, i, &o, err)
                                      : show_csv(q, i, &o, err);
    if (st == WEIR_OK) st = weir_pieces_hand_on(&o, 1, err); /* the next one may take long */
  }
  if (is_json) weir_text_puts(&o.text, is_list ? "\n]\n" : "\n");
  if (st == WEIR_OK) st = weir_pieces_hand_on(&o, 0, err);
  weir_text_free(&o.text);
  return st;
}
