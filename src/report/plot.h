/* Figures of a page as SVG. */
#ifndef WEIR_REPORT_PLOT_H
#define WEIR_REPORT_PLOT_H

#include "report/page.h"

struct weir_plot_options {
  const char *figure; /* one of weir_plot_figures */
  const char *title;  /* NULL: what is drawn; "": none */
  const char *x, *y;  /* keys of the heat map; NULL: what was varied */
  const char *value;  /* of the heat map: a statistic, or "speedup"; NULL: that, if there is one */
  double width, height; /* 0: as it needs */
};

extern const char *const weir_plot_figures[]; /* ends with NULL */

enum weir_status weir_plot(const struct weir_page *p, const struct weir_plot_options *o,
                           struct weir_text *out, struct weir_err *err);

#endif
