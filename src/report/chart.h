/* Charts as SVG, for papers: bars, stacks, lines, points with names, and maps of numbers. They know
 * nothing of runs. */
#ifndef WEIR_REPORT_CHART_H
#define WEIR_REPORT_CHART_H

#include <stdbool.h>
#include <stddef.h>

#include "base/text.h"

/* ---- chart_svg.c: what they share ---- */

struct weir_chart {
  const char *title, *x, *y; /* NULL: none */
  double width, height;      /* 0: as it needs */
};

enum weir_anchor { WEIR_ANCHOR_START, WEIR_ANCHOR_MIDDLE, WEIR_ANCHOR_END };

void weir_svg_begin(struct weir_text *out, double width, double height, const char *title);
void weir_svg_end(struct weir_text *out);
void weir_svg_rect(struct weir_text *out, double x, double y, double w, double h,
                   const char *colour, const char *hover);
void weir_svg_line(struct weir_text *out, double x1, double y1, double x2, double y2,
                   const char *style);
/* `turn`: degrees. */
void weir_svg_text(struct weir_text *out, double x, double y, enum weir_anchor anchor, double turn,
                   const char *text);
/* Appends what a reader sees as `s`. */
void weir_svg_escape(struct weir_text *out, const char *s);
/* How wide a text is, about; of the fonts that papers use none is wider. */
double weir_svg_width(const char *text);

/* From a to b in steps of 1, 2, 2.5 or 5 times a power of ten, 4 to 9 of them. */
struct weir_ticks {
  double first, step;
  size_t n;
};
struct weir_ticks weir_ticks_of(double low, double high);
/* As short as the step allows. */
const char *weir_tick_text(const struct weir_ticks *t, size_t i, char buf[32]);

/* Colours of series, from the first on again after the last. */
extern const char *const weir_palette[];
size_t weir_palette_n(void);

struct weir_legend {
  const char *const *names, *const *colours;
  const bool *hollow; /* NULL: none is */
  size_t n;
};
/* Rows of names with their colours between x and x + width; returns the height that they take. */
double weir_svg_legend(struct weir_text *out, const struct weir_legend *l, double x, double y,
                       double width);
double weir_legend_height(const struct weir_legend *l, double width);

/* ---- chart_bars.c ---- */

/* Groups of bars, each of which may be a stack of parts. */
struct weir_bars {
  struct weir_chart chart;
  const char *const *groups;
  size_t n_groups;
  const char *const *bars; /* in each group */
  size_t n_bars;
  const char *const *parts;   /* NULL: bars are one piece, and the legend is theirs */
  size_t n_parts;             /* 1 without parts */
  const char *const *colours; /* of bars, or of parts */
  const bool *hollow;         /* of bars: drawn by their outline; may be NULL */
  const double *value;        /* group by group, bar by bar, part by part; NaN: none */
  const double *low, *high;   /* group by group, bar by bar; NULL: no intervals */
  double least, most;         /* of the axis; NaN: from the values */
  double mark;                /* a line across; NaN: none */
  size_t n_means;             /* the last groups are means: set apart */
};
void weir_bars_svg(const struct weir_bars *b, struct weir_text *out);

/* ---- chart_map.c ---- */

/* A coloured cell for each pair of values; NaN: grey. */
struct weir_heat {
  struct weir_chart chart;
  const char *const *rows, *const *columns;
  size_t n_rows, n_columns;
  const double *value;
  double middle; /* what is neither good nor bad, such as a speed-up of 1; NaN: none */
};
void weir_heat_svg(const struct weir_heat *h, struct weir_text *out);
/* The colour of a value between the least and the most. */
void weir_heat_colour(double v, double least, double most, double middle, char out[8]);

/* ---- chart_lines.c ---- */

struct weir_curve {
  const char *name;
  const double *x, *y;
  size_t n;
};
struct weir_lines {
  struct weir_chart chart;
  const struct weir_curve *curves;
  size_t n;
  bool is_log2;       /* x: powers of two, written as sizes */
  double least, most; /* of y; NaN: from the values */
};
void weir_lines_svg(const struct weir_lines *l, struct weir_text *out);

struct weir_spot {
  const char *name, *colour;
  double x, y;
};
struct weir_spots {
  struct weir_chart chart;
  const struct weir_spot *spots;
  size_t n;
};
void weir_spots_svg(const struct weir_spots *s, struct weir_text *out);

#endif
