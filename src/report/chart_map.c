/* Numbers as coloured cells, as SVG. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "report/chart.h"

enum { CELL_W = 62, CELL_H = 26, TOP = 10, TITLE = 20 };

static double mix(double a, double b, double share) {
  return a + (b - a) * share;
}

/* Light for the least to dark blue for the most; with a middle, orange below it and blue above. */
void weir_heat_colour(double v, double least, double most, double middle, char out[8]) {
  static const double low[3] = {213, 94, 0}, high[3] = {0, 90, 160}, none[3] = {247, 247, 242};
  double share, from = isnan(middle) ? least : middle;
  const double *to = high;
  if (!isnan(middle) && v < middle) to = low;
  double length = to == low ? from - least : most - from;
  if (!isnan(middle)) length = fmax(middle - least, most - middle); /* both sides alike */
  share = length > 0 ? fabs(v - from) / length : 0;
  share = share > 1 ? 1 : share;
  snprintf(out, 8, "#%02x%02x%02x", (unsigned)(mix(none[0], to[0], share) + 0.5) & 255u,
           (unsigned)(mix(none[1], to[1], share) + 0.5) & 255u,
           (unsigned)(mix(none[2], to[2], share) + 0.5) & 255u);
}

/* Three or four digits. */
static void number_text(double v, char out[24]) {
  double size = fabs(v);
  if (isnan(v))
    snprintf(out, 24, "-");
  else if (size >= 1e6)
    snprintf(out, 24, "%.3g", v);
  else if (size >= 100 || v == floor(v))
    snprintf(out, 24, "%.0f", v);
  else
    snprintf(out, 24, "%.3f", v);
}

static void put_cell(const struct weir_heat *h, struct weir_text *out, double x, double y, double w,
                     double height, size_t i, double least, double most) {
  char colour[8] = "#cccccc", number[24], style[64];
  struct weir_text hover = {0};
  double v = h->value[i];
  if (!isnan(v)) weir_heat_colour(v, least, most, h->middle, colour);
  number_text(v, number);
  weir_text_printf(&hover, "%s, %s: %s", h->rows[i / h->n_columns], h->columns[i % h->n_columns],
                   number);
  weir_svg_rect(out, x, y, w - 1, height - 1, colour, hover.v);
  out->failed = out->failed || hover.failed;
  weir_text_free(&hover);
  unsigned long rgb = strtoul(colour + 1, NULL, 16);
  double light = 0.3 * (double)(rgb >> 16 & 255) + 0.59 * (double)(rgb >> 8 & 255) +
                 0.11 * (double)(rgb & 255);
  snprintf(style, sizeof style, "<g fill=\"%s\">", light < 140 ? "#fff" : "#222");
  weir_text_puts(out, style);
  weir_svg_text(out, x + w / 2, y + height / 2 + 4, WEIR_ANCHOR_MIDDLE, 0, number);
  weir_text_puts(out, "</g>\n");
}

static void range_of(const struct weir_heat *h, double *least, double *most) {
  *least = *most = (double)NAN;
  for (size_t i = 0; i < h->n_rows * h->n_columns; i++) {
    double v = h->value[i];
    if (isnan(v)) continue;
    if (isnan(*least) || v < *least) *least = v;
    if (isnan(*most) || v > *most) *most = v;
  }
}

void weir_heat_svg(const struct weir_heat *h, struct weir_text *out) {
  double left = 30, head = 0, least, most;
  for (size_t i = 0; i < h->n_rows; i++)
    left = fmax(left, weir_svg_width(h->rows[i]) + 34);
  for (size_t i = 0; i < h->n_columns; i++)
    head = fmax(head, weir_svg_width(h->columns[i]));
  double w = h->chart.width > 0 ? (h->chart.width - left - 12) / (double)h->n_columns : CELL_W;
  bool is_turned = head > w - 4;
  double top = TOP + (h->chart.title != NULL ? TITLE : 0) + (h->chart.x != NULL ? 16 : 0) +
               (is_turned ? head * 0.7 + 14 : 18);
  double cell_h = h->chart.height > 0 ? (h->chart.height - top - 10) / (double)h->n_rows : CELL_H;
  double width = left + w * (double)h->n_columns + (is_turned ? fmax(head * 0.5, 12) : 12);
  if (h->chart.title != NULL) width = fmax(width, weir_svg_width(h->chart.title) + 16);
  weir_svg_begin(out, width, top + cell_h * (double)h->n_rows + 10, h->chart.title);
  if (h->chart.title != NULL) weir_svg_text(out, 8, TOP + 10, WEIR_ANCHOR_START, 0, h->chart.title);
  if (h->chart.x != NULL)
    weir_svg_text(out, left, TOP + (h->chart.title != NULL ? TITLE : 0) + 10, WEIR_ANCHOR_START, 0,
                  h->chart.x);
  if (h->chart.y != NULL)
    weir_svg_text(out, 14, top + cell_h * (double)h->n_rows / 2, WEIR_ANCHOR_MIDDLE, -90,
                  h->chart.y);
  range_of(h, &least, &most);
  for (size_t i = 0; i < h->n_columns; i++)
    weir_svg_text(out, left + ((double)i + 0.5) * w, top - 6,
                  is_turned ? WEIR_ANCHOR_START : WEIR_ANCHOR_MIDDLE, is_turned ? -40 : 0,
                  h->columns[i]);
  for (size_t r = 0; r < h->n_rows; r++) {
    double y = top + (double)r * cell_h;
    weir_svg_text(out, left - 6, y + cell_h / 2 + 4, WEIR_ANCHOR_END, 0, h->rows[r]);
    for (size_t c = 0; c < h->n_columns; c++)
      put_cell(h, out, left + (double)c * w, y, w, cell_h, r * h->n_columns + c, least, most);
  }
  weir_svg_end(out);
}
