/* Tables. Cells are kept as text in row order; layout happens when a table is written. */
#include "base/table.h"

#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/mem.h"

enum { GAP = 2 };

struct cell {
  char *text;
  enum weir_style style;
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
  weir_table_style(t, WEIR_BEST);
}

void weir_table_style(struct weir_table *t, enum weir_style style) {
  if (t->cell.n > 0) t->cell.v[t->cell.n - 1].style = style;
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

static enum weir_style style_at(const struct weir_table *t, size_t row, size_t col) {
  size_t i = row * t->n_columns + col;
  return i < t->cell.n ? t->cell.v[i].style : WEIR_PLAIN;
}

static bool is_rule(const struct weir_table *t, size_t row) {
  return !t->cell.v[row * t->n_columns].text;
}

/* ---- text: widths ---- */

/* Text that is wrapped has so many columns at least; that of the last, which says most, some more.
 */
enum { LEAST = 12, LEAST_LAST = 18 };

struct measure {
  size_t natural, width; /* as wide as its widest cell; as it is written */
  /* Where cells have a mark behind them, the others have a blank there: digits stand below digits.
   */
  bool has_marks;
  const char *rest; /* of the cell that is written: the lines to come */
};

/* Columns that are written side by side: the first `n_names` of the table, and [first, end). */
struct block {
  const struct weir_table *t;
  struct measure *of; /* each column of the table */
  size_t n_names, first, end;
  size_t most; /* columns of the screen; 0: any */
};

static bool has_units(const struct weir_table *t) {
  for (size_t i = 0; i < t->n_columns; i++) {
    if (t->column[i].unit) return true;
  }
  return false;
}

static struct measure measure(const struct weir_table *t, size_t col, bool has_colour) {
  struct measure m = {.natural = weir_text_width(t->column[col].head)};
  const char *unit = t->column[col].unit;
  if (unit && weir_text_width(unit) > m.natural) m.natural = weir_text_width(unit);
  for (size_t row = 0; row < n_rows(t); row++) {
    size_t w = weir_text_width(cell_at(t, row, col));
    if (w > m.natural) m.natural = w;
    if (is_best(t, row, col) && !has_colour) m.has_marks = true;
  }
  m.natural += m.has_marks;
  m.width = m.natural;
  return m;
}

static bool is_in(const struct block *b, size_t col) {
  return col < b->n_names || (col >= b->first && col < b->end);
}

/* How narrow a column can be. Names of rows, which are looked for, stay whole unless they take too
 * much of the line. */
static size_t least(const struct block *b, size_t col) {
  size_t natural = b->of[col].natural;
  size_t w = col == 0 ? b->most / 3 : col + 1 == b->t->n_columns ? LEAST_LAST : LEAST;
  if (b->t->column[col].align == WEIR_RIGHT || b->most == 0) return natural;
  if (w < LEAST) w = LEAST;
  return natural < w ? natural : w;
}

static size_t block_width(const struct block *b, bool is_least) {
  size_t total = 0;
  for (size_t i = 0; i < b->t->n_columns; i++)
    if (is_in(b, i)) total += (is_least ? least(b, i) : b->of[i].width) + (total > 0 ? GAP : 0);
  return total;
}

/* How much it can spare, before others: the last column, which says most, half as soon. */
static size_t excess(const struct block *b, size_t col) {
  size_t width = b->of[col].width;
  if (!is_in(b, col) || width <= least(b, col)) return 0;
  return col + 1 == b->t->n_columns ? width / 2 : width;
}

/* The columns of a block have the width that they would like to have, less what is too much. */
static void narrow(const struct block *b) {
  for (size_t i = 0; i < b->t->n_columns; i++)
    b->of[i].width = b->of[i].natural;
  while (b->most > 0 && block_width(b, false) > b->most) {
    size_t widest = 0;
    for (size_t i = 1; i < b->t->n_columns; i++)
      if (excess(b, i) >= excess(b, widest)) widest = i;
    if (excess(b, widest) == 0) return;
    b->of[widest].width--;
  }
}

/* Columns of text before the first of numbers, but for what leaves too little beside it; where all
 * are text, one. */
static size_t n_names(const struct block *b) {
  size_t n = 0, width = 0;
  while (n < b->t->n_columns && b->t->column[n].align == WEIR_LEFT)
    n++;
  if (n == b->t->n_columns) n = n > 1;
  for (size_t i = 0; i < n; i++) {
    width += least(b, i) + GAP;
    if (i > 0 && width > b->most * 2 / 3) return i;
  }
  return n;
}

/* ---- text: lines ---- */

/* Bytes of `s` that stand on a line of `width` columns: all, or whole words, or of a word that is
 * too long what comes before a mark, or what there is room for. */
static size_t line_of(const char *s, size_t width) {
  size_t most = weir_text_fit(s, width), n = most;
  if (s[most] == 0) return most;
  while (n > 0 && s[n] != ' ')
    n--;
  if (n > 0) return n;
  for (n = most; n > 0 && strchr(",;|/=_:.", s[n - 1]) == NULL;)
    n--;
  if (n == 0) n = most;
  return n > 0 ? n : strlen(s); /* no room at all */
}

/* The next line of a cell; the mark of a best one stands behind its last. */
static void put_cell(const struct block *b, struct weir_text *out, size_t col, bool best,
                     enum weir_style style) {
  struct measure *m = &b->of[col];
  const char *line = m->rest;
  size_t n = line_of(line, m->width - m->has_marks);
  size_t used = weir_text_width_of(line, n) + m->has_marks;
  size_t pad = used < m->width ? m->width - used : 0;
  m->rest += n;
  if (*m->rest != 0) m->rest += strspn(m->rest, " ");
  if (col != (b->n_names > 0 ? 0 : b->first)) weir_text_pad(out, ' ', GAP);
  if (b->t->column[col].align == WEIR_RIGHT) weir_text_pad(out, ' ', pad);
  if (style != WEIR_PLAIN && n > 0) weir_text_style(out, style);
  weir_text_add(out, line, n);
  if (style != WEIR_PLAIN && n > 0) weir_text_style(out, WEIR_PLAIN);
  if (m->has_marks) weir_text_puts(out, best && *m->rest == 0 ? "*" : " ");
  if (b->t->column[col].align == WEIR_LEFT) weir_text_pad(out, ' ', pad);
}

/* No blanks before the end of a line: outputs are compared and pasted. */
static void end_line(struct weir_text *out) {
  while (!out->failed && out->n && out->v[out->n - 1] == ' ')
    out->n--;
  weir_text_puts(out, "\n");
}

enum part { HEADS, UNITS, CELLS };

static const char *text_of(const struct weir_table *t, enum part part, size_t row, size_t col) {
  const struct weir_column *c = &t->column[col];
  if (part == CELLS) return cell_at(t, row, col);
  return part == HEADS ? c->head : c->unit ? c->unit : "";
}

static void put_row(const struct block *b, struct weir_text *out, enum part part, size_t row) {
  const struct weir_table *t = b->t;
  bool is_done = false;
  for (size_t i = 0; i < t->n_columns; i++)
    b->of[i].rest = text_of(t, part, row, i);
  while (!is_done && !out->failed) {
    is_done = true;
    for (size_t i = 0; i < t->n_columns; i++) {
      if (!is_in(b, i)) continue;
      put_cell(b, out, i, part == CELLS && is_best(t, row, i),
               part == CELLS ? style_at(t, row, i) : WEIR_BOLD);
      is_done = is_done && *b->of[i].rest == 0;
    }
    end_line(out);
  }
}

static void put_rule(const struct block *b, struct weir_text *out) {
  weir_text_pad(out, '-', block_width(b, false));
  end_line(out);
}

static void put_block(const struct block *b, struct weir_text *out) {
  narrow(b);
  put_row(b, out, HEADS, 0);
  if (has_units(b->t)) put_row(b, out, UNITS, 0);
  put_rule(b, out);
  for (size_t row = 0; row < n_rows(b->t); row++) {
    if (is_rule(b->t, row))
      put_rule(b, out);
    else
      put_row(b, out, CELLS, row);
  }
}

enum weir_status weir_table_text(const struct weir_table *t, struct weir_text *out,
                                 struct weir_err *err) {
  struct measure *of = weir_calloc(t->n_columns, sizeof *of);
  if (!of) return weir_fail(err, WEIR_ENOMEM, "out of memory for a table");
  struct block b = {.t = t, .of = of, .most = out->screen != NULL ? out->screen->width : 0};
  for (size_t i = 0; i < t->n_columns; i++)
    of[i] = measure(t, i, out->screen != NULL && out->screen->has_colour);
  b.end = t->n_columns;
  if (b.most > 0 && block_width(&b, true) > b.most) b.n_names = n_names(&b);
  for (size_t at = b.n_names; at < t->n_columns; at = b.end) {
    b.first = at;
    b.end = at + 1; /* one at least, however wide it is */
    while (b.end < t->n_columns) {
      b.end++;
      if (b.most == 0 || block_width(&b, true) <= b.most) continue;
      b.end--;
      break;
    }
    if (b.first > b.n_names) weir_text_puts(out, "\n");
    put_block(&b, out);
  }
  free(of);
  return finish(t, out, err);
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
