/* Tables as plain text, Markdown or CSV. */
#ifndef WEIR_BASE_TABLE_H
#define WEIR_BASE_TABLE_H

#include <stddef.h>

#include "base/text.h"
#include "weir/err.h"

enum weir_align { WEIR_LEFT, WEIR_RIGHT };

struct weir_column {
  const char *head, *unit; /* unit NULL: none */
  enum weir_align align;
};

struct weir_table;

/* Columns are copied, their texts are not. NULL: no memory. */
struct weir_table *weir_table_new(const struct weir_column *columns, size_t n);
void weir_table_free(struct weir_table *t);
/* Append a cell, with what is not UTF-8 escaped (weir_text_escape); rows fill from left to right.
 * Out of memory shows when the table is written. */
void weir_table_cell(struct weir_table *t, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));
/* The last cell stands out: a '*' behind it in text, bold in Markdown, a style where styles show.
 */
void weir_table_best(struct weir_table *t);
/* The last cell has a style where styles show. */
void weir_table_style(struct weir_table *t, enum weir_style style);
/* Fill the rest of the row with empty cells; no effect at the start of a row. */
void weir_table_end_row(struct weir_table *t);
/* A thin line across (text only). */
void weir_table_rule(struct weir_table *t);

/* Each appends to `out`; WEIR_ENOMEM if anything was lost on the way. */
/* What is wider than the screen of `out` has its columns of text wrapped, the widest first. If that
 * is not enough, it is broken into blocks, of which each begins with the columns that name a row:
 * those of text before the first of numbers. */
enum weir_status weir_table_text(const struct weir_table *t, struct weir_text *out,
                                 struct weir_err *err);
enum weir_status weir_table_markdown(const struct weir_table *t, struct weir_text *out,
                                     struct weir_err *err);
/* RFC 4180, with LF line ends; a unit stands in the head as "name [unit]". */
enum weir_status weir_table_csv(const struct weir_table *t, struct weir_text *out,
                                struct weir_err *err);
/* A cell of such a line, for rows that are written as they come; a comma stands before all but the
 * first. */
void weir_csv_cell(struct weir_text *out, bool is_first, const char *s);

#endif
