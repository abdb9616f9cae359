/* Tables. Cells are kept as text in row order; layout happens when a table is written. */
#include "base/table.h"

#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/mem.h"

enum { GAP = 2 };

struct cell {
  char *text;
  bool is_best;
};

struct weir_table {
  struct weir_column *column;
  size_t n_columns;
  struct {
    struct cell *v; /* no text in the first cell of a row: a rule */
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
    free(t->cell.v[i].text);
  free(t->cell.v);
  free(t->column);
  free(t);
}

/* Takes `text` over. */
static void push(struct weir_table *t, char *text) {
  struct cell cell = {.text = text};
  if (t->failed || !WEIR_PUSH(t->cell, cell)) {
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

void weir_table_best(struct weir_table *t) {
  if (t->cell.n > 0) t->cell.v[t->cell.n - 1].is_best = true;
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
  return i < t->cell.n && t->cell.v[i].text ? t->cell.v[i].text : "";
}

static bool is_best(const struct weir_table *t, size_t row, size_t col) {
  size_t i = row * t->n_columns + col;
  return i < t->cell.n && t->cell.v[i].is_best;
}

static bool is_rule(const struct weir_table *t, size_t row) {
  return !t->cell.v[row * t->n_columns].text;
}

/* ---- text ---- */

struct measure {
  size_t width;
  /* Where cells have a mark behind them, the others have a blank there: digits stand below digits.
   */
  bool has_marks;
};

/* Columns that are written side by side: the first `n_left` of the table, and [first, end). */
struct block {
  const struct weir_table *t;
  const struct weir_table_layout *layout;
  const struct measure *of; /* each column of the table */
  size_t first, end;
};

static bool has_units(const struct weir_table *t) {
  for (size_t i = 0; i < t->n_columns; i++) {
    if (t->column[i].unit) return true;
  }
  return false;
}

static struct measure measure(const struct weir_table *t, size_t col, bool is_bold) {
  struct measure m = {.width = weir_text_width(t->column[col].head)};
  const char *unit = t->column[col].unit;
  if (unit && weir_text_width(unit) > m.width) m.width = weir_text_width(unit);
  for (size_t row = 0; row < n_rows(t); row++) {
    size_t w = weir_text_width(cell_at(t, row, col));
    if (w > m.width) m.width = w;
    if (is_best(t, row, col) && !is_bold) m.has_marks = true;
  }
  m.width += m.has_marks;
  return m;
}

static void put_cell(const struct block *b, struct weir_text *out, size_t col, const char *s,
                     bool best) {
  const struct measure *m = &b->of[col];
  bool is_bold = best && b->layout->is_bold;
  size_t pad = m->width - weir_text_width(s) - m->has_marks;
  if (col != (b->layout->n_left > 0 ? 0 : b->first)) weir_text_pad(out, ' ', GAP);
  if (b->t->column[col].align == WEIR_RIGHT) weir_text_pad(out, ' ', pad);
  if (is_bold) weir_text_puts(out, "\033[1m");
  weir_text_puts(out, s);
  if (is_bold) weir_text_puts(out, "\033[0m");
  if (m->has_marks) weir_text_puts(out, best ? "*" : " ");
  if (b->t->column[col].align == WEIR_LEFT) weir_text_pad(out, ' ', pad);
}

/* No blanks before the end of a line: outputs are compared and pasted. */
static void end_line(struct weir_text *out) {
  while (!out->failed && out->n && out->v[out->n - 1] == ' ')
    out->n--;
  weir_text_puts(out, "\n");
}

static bool is_in(const struct block *b, size_t col) {
  return col < b->layout->n_left || (col >= b->first && col < b->end);
}

static void put_heads(const struct block *b, struct weir_text *out, bool units) {
  for (size_t i = 0; i < b->t->n_columns; i++) {
    const char *unit = b->t->column[i].unit;
    if (is_in(b, i)) put_cell(b, out, i, !units ? b->t->column[i].head : unit ? unit : "", false);
  }
  end_line(out);
}

static size_t block_width(const struct block *b) {
  size_t total = 0;
  for (size_t i = 0; i < b->t->n_columns; i++)
    if (is_in(b, i)) total += b->of[i].width + (total > 0 ? GAP : 0);
  return total;
}

static void put_block(const struct block *b, struct weir_text *out) {
  const struct weir_table *t = b->t;
  size_t total = block_width(b);
  put_heads(b, out, false);
  if (has_units(t)) put_heads(b, out, true);
  weir_text_pad(out, '-', total);
  end_line(out);
  for (size_t row = 0; row < n_rows(t); row++) {
    if (is_rule(t, row)) weir_text_pad(out, '-', total);
    for (size_t i = 0; !is_rule(t, row) && i < t->n_columns; i++)
      if (is_in(b, i)) put_cell(b, out, i, cell_at(t, row, i), is_best(t, row, i));
    end_line(out);
  }
}

enum weir_status weir_table_text_in(const struct weir_table *t, const struct weir_table_layout *l,
                                    struct weir_text *out, struct weir_err *err) {
  struct measure *of = weir_calloc(t->n_columns, sizeof *of);
  if (!of) return weir_fail(err, WEIR_ENOMEM, "out of memory for a table");
  struct block b = {.t = t, .layout = l, .of = of};
  for (size_t i = 0; i < t->n_columns; i++)
    of[i] = measure(t, i, l->is_bold);
  for (size_t at = l->n_left < t->n_columns ? l->n_left : 0; at < t->n_columns; at = b.end) {
    b.first = at;
    b.end = at + 1; /* one at least, however wide it is */
    while (b.end < t->n_columns) {
      b.end++;
      if (l->width == 0 || block_width(&b) <= l->width) continue;
      b.end--;
      break;
    }
    if (b.first > l->n_left) weir_text_puts(out, "\n");
    put_block(&b, out);
  }
  free(of);
  return finish(t, out, err);
}

enum weir_status weir_table_text(const struct weir_table *t, struct weir_text *out,
                                 struct weir_err *err) {
  return weir_table_text_in(t, &(struct weir_table_layout){0}, out, err);
}

/* ---- Markdown and CSV ---- */

static void put_head(const struct weir_column *c, struct weir_text *head) {
  weir_text_puts(head, c->head);
  if (c->unit) weir_text_printf(head, " [%s]", c->unit);
}

static void put_markdown(struct weir_text *out, const char *s, bool best) {
  weir_text_puts(out, best ? " **" : " ");
  for (; *s; s++) {
    if (*s == '|') weir_text_puts(out, "\\");
    weir_text_add(out, *s == '\n' ? " " : s, 1);
  }
  weir_text_puts(out, best ? "** |" : " |");
}

enum weir_status weir_table_markdown(const struct weir_table *t, struct weir_text *out,
                                     struct weir_err *err) {
  weir_text_puts(out, "|");
  for (size_t i = 0; i < t->n_columns; i++) {
    struct weir_text head = {0};
    put_head(&t->column[i], &head);
    if (head.failed) out->failed = true;
    put_markdown(out, head.v ? head.v : "", false);
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
      put_markdown(out, cell_at(t, row, i), is_best(t, row, i));
    weir_text_puts(out, "\n");
  }
  return finish(t, out, err);
}

void weir_csv_cell(struct weir_text *out, bool is_first, const char *s) {
  if (!is_first) weir_text_puts(out, ",");
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
    weir_csv_cell(out, i == 0, head.v ? head.v : "");
    weir_text_free(&head);
  }
  weir_text_puts(out, "\n");
  for (size_t row = 0; row < n_rows(t); row++) {
    if (is_rule(t, row)) continue;
    for (size_t i = 0; i < t->n_columns; i++)
      weir_csv_cell(out, i == 0, cell_at(t, row, i));
    weir_text_puts(out, "\n");
  }
  return finish(t, out, err);
}
