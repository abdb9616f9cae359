/* Tables. Cells are kept as text in row order; layout happens when a table is written. */
#include "base/table.h"

#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/mem.h"

enum { GAP = 2 };

struct weir_table {
  struct weir_column *column;
  size_t n_columns;
  struct {
    char **v; /* NULL in the first cell of a row: a rule */
    size_t n, cap;
  } cell;
  bool failed;
};

struct weir_table *weir_table_new(const struct weir_column *columns, size_t n) {
  struct weir_table *t = weir_calloc(1, sizeof *t);
  struct weir_column *copy = weir_calloc(n, sizeof *copy);
  if (!t || !copy || n == 0) {
    free(t);
    free(copy);
    return NULL;
  }
  memcpy(copy, columns, n * sizeof *copy);
  t->column = copy;
  t->n_columns = n;
  return t;
}

void weir_table_free(struct weir_table *t) {
  if (!t) return;
  for (size_t i = 0; i < t->cell.n; i++)
    free(t->cell.v[i]);
  free(t->cell.v);
  free(t->column);
  free(t);
}

/* Takes `text` over. */
static void push(struct weir_table *t, char *text) {
  if (t->failed || !WEIR_PUSH(t->cell, text)) {
    t->failed = true;
    free(text);
  }
}

void weir_table_cell(struct weir_table *t, const char *fmt, ...) {
  struct weir_text raw = {0}, text = {0};
  va_list ap;
  va_start(ap, fmt);
  weir_text_vprintf(&raw, fmt, ap);
  va_end(ap);
  if (!raw.failed && raw.v) weir_text_escape(&text, raw.v);
  if (raw.failed || text.failed || !text.v) {
    weir_text_free(&text);
    t->failed = true;
  } else {
    push(t, text.v);
  }
  weir_text_free(&raw);
}

void weir_table_end_row(struct weir_table *t) {
  while (!t->failed && t->cell.n % t->n_columns)
    weir_table_cell(t, "%s", "");
}

void weir_table_rule(struct weir_table *t) {
  weir_table_end_row(t);
  for (size_t i = 0; i < t->n_columns; i++)
    push(t, NULL);
}

static enum weir_status finish(const struct weir_table *t, const struct weir_text *out,
                               struct weir_err *err) {
  if (t->failed || out->failed) return weir_fail(err, WEIR_ENOMEM, "out of memory for a table");
  return WEIR_OK;
}

static size_t n_rows(const struct weir_table *t) {
  return (t->cell.n + t->n_columns - 1) / t->n_columns; // NOLINT(*DivideZero): it has columns
}

static const char *cell_at(const struct weir_table *t, size_t row, size_t col) {
  size_t i = row * t->n_columns + col;
  return i < t->cell.n && t->cell.v[i] ? t->cell.v[i] : "";
}

static bool is_rule(const struct weir_table *t, size_t row) {
  return !t->cell.v[row * t->n_columns];
}

static bool has_units(const struct weir_table *t) {
  for (size_t i = 0; i < t->n_columns; i++) {
    if (t->column[i].unit) return true;
  }
  return false;
}

static size_t column_width(const struct weir_table *t, size_t col) {
  size_t width = weir_text_width(t->column[col].head);
  const char *unit = t->column[col].unit;
  if (unit && weir_text_width(unit) > width) width = weir_text_width(unit);
  for (size_t row = 0; row < n_rows(t); row++) {
    size_t w = weir_text_width(cell_at(t, row, col));
    if (w > width) width = w;
  }
  return width;
}

static void put_cell(const struct weir_table *t, struct weir_text *out, size_t col, const char *s,
                     size_t width) {
  size_t pad = width - weir_text_width(s);
  if (col) weir_text_pad(out, ' ', GAP);
  if (t->column[col].align == WEIR_RIGHT) weir_text_pad(out, ' ', pad);
  weir_text_puts(out, s);
  if (t->column[col].align == WEIR_LEFT) weir_text_pad(out, ' ', pad);
}

/* No blanks before the end of a line: outputs are compared and pasted. */
static void end_line(struct weir_text *out) {
  while (!out->failed && out->n && out->v[out->n - 1] == ' ')
    out->n--;
  weir_text_puts(out, "\n");
}

enum weir_status weir_table_text(const struct weir_table *t, struct weir_text *out,
                                 struct weir_err *err) {
  size_t *width = weir_calloc(t->n_columns, sizeof *width);
  if (!width) return weir_fail(err, WEIR_ENOMEM, "out of memory for a table");
  size_t total = GAP * (t->n_columns - 1);
  for (size_t i = 0; i < t->n_columns; i++)
    total += width[i] = column_width(t, i);
  for (size_t i = 0; i < t->n_columns; i++)
    put_cell(t, out, i, t->column[i].head, width[i]);
  end_line(out);
  for (size_t i = 0; has_units(t) && i < t->n_columns; i++) {
    put_cell(t, out, i, t->column[i].unit ? t->column[i].unit : "", width[i]);
  }
  if (has_units(t)) end_line(out);
  weir_text_pad(out, '-', total);
  end_line(out);
  for (size_t row = 0; row < n_rows(t); row++) {
    if (is_rule(t, row)) {
      weir_text_pad(out, '-', total);
    } else {
      for (size_t i = 0; i < t->n_columns; i++)
        put_cell(t, out, i, cell_at(t, row, i), width[i]);
    }
    end_line(out);
  }
  free(width);
  return finish(t, out, err);
}

static void put_head(const struct weir_column *c, struct weir_text *head) {
  weir_text_puts(head, c->head);
  if (c->unit) weir_text_printf(head, " [%s]", c->unit);
}

static void put_markdown(struct weir_text *out, const char *s) {
  weir_text_puts(out, " ");
  for (; *s; s++) {
    if (*s == '|') weir_text_puts(out, "\\");
    weir_text_add(out, *s == '\n' ? " " : s, 1);
  }
  weir_text_puts(out, " |");
}

enum weir_status weir_table_markdown(const struct weir_table *t, struct weir_text *out,
                                     struct weir_err *err) {
  weir_text_puts(out, "|");
  for (size_t i = 0; i < t->n_columns; i++) {
    struct weir_text head = {0};
    put_head(&t->column[i], &head);
    if (head.failed) out->failed = true;
    put_markdown(out, head.v ? head.v : "");
    weir_text_free(&head);
  }
  weir_text_puts(out, "\n|");
  for (size_t i = 0; i < t->n_columns; i++) {
    weir_text_puts(out, t->column[i].align == WEIR_RIGHT ? " ---: |" : " --- |");
  }
  weir_text_puts(out, "\n");
  for (size_t row = 0; row < n_rows(t); row++) {
    if (is_rule(t, row)) continue;
    weir_text_puts(out, "|");
    for (size_t i = 0; i < t->n_columns; i++)
      put_markdown(out, cell_at(t, row, i));
    weir_text_puts(out, "\n");
  }
  return finish(t, out, err);
}

static void put_csv(struct weir_text *out, size_t col, const char *s) {
  if (col) weir_text_puts(out, ",");
  if (!strpbrk(s, ",\"\r\n")) {
    weir_text_puts(out, s);
    return;
  }
  weir_text_puts(out, "\"");
  for (; *s; s++) {
    if (*s == '"') weir_text_puts(out, "\"");
    weir_text_add(out, s, 1);
  }
  weir_text_puts(out, "\"");
}

enum weir_status weir_table_csv(const struct weir_table *t, struct weir_text *out,
                                struct weir_err *err) {
  for (size_t i = 0; i < t->n_columns; i++) {
    struct weir_text head = {0};
    put_head(&t->column[i], &head);
    if (head.failed) out->failed = true;
    put_csv(out, i, head.v ? head.v : "");
    weir_text_free(&head);
  }
  weir_text_puts(out, "\n");
  for (size_t row = 0; row < n_rows(t); row++) {
    if (is_rule(t, row)) continue;
    for (size_t i = 0; i < t->n_columns; i++)
      put_csv(out, i, cell_at(t, row, i));
    weir_text_puts(out, "\n");
  }
  return finish(t, out, err);
}
