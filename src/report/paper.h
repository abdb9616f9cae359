/* What became of a paper's figures: tables in its layout, and a verdict for each claim. */
#ifndef WEIR_REPORT_PAPER_H
#define WEIR_REPORT_PAPER_H

#include "base/text.h"
#include "study/paper_table.h"

enum weir_paper_format { WEIR_PAPER_TEXT, WEIR_PAPER_MARKDOWN };

/* How many claims of each verdict. */
struct weir_paper_counts {
  size_t n[WEIR_N_VERDICTS];
  size_t by_chance; /* gains that the control has, too */
};

/* The paper's name, what it leaves open. */
enum weir_status weir_paper_head(const struct weir_paper *p, enum weir_paper_format format,
                                 struct weir_text *out, struct weir_err *err);
/* A figure's table and claims; counts are added to. */
enum weir_status weir_paper_figure(struct weir_paper_table *t, enum weir_paper_format format,
                                   struct weir_paper_counts *counts, struct weir_text *out,
                                   struct weir_err *err);
void weir_paper_sum(const struct weir_paper_counts *c, struct weir_text *out);
/* Rows of a table in Markdown of several papers' counts: its head, and a paper's. */
void weir_paper_counts_head(struct weir_text *out);
void weir_paper_counts_row(const char *name, const struct weir_paper_counts *c,
                           struct weir_text *out);

#endif
