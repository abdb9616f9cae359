/* Pieces of SVG. Numbers have two decimals: the same data gives the same bytes anywhere. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "report/chart.h"

/* Colours that people with other eyes can tell apart, darker and lighter ones in turn. */
const char *const weir_palette[] = {"#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00",
                                    "#56b4e9", "#7f3fbf", "#8c510a", "#1b7837", "#b2182b",
                                    "#4d6fd1", "#a6a21a", "#35978f", "#e78ac3", "#5e4fa2"};

size_t weir_palette_n(void) {
  return sizeof weir_palette / sizeof *weir_palette;
}

void weir_svg_escape(struct weir_text *out, const char *s) {
  for (; *s != 0; s++) {
    unsigned char c = (unsigned char)*s;
    const char *as = c == '<'   ? "&lt;"
                     : c == '>' ? "&gt;"
                     : c == '&' ? "&amp;"
                     : c == '"' ? "&quot;"
                     : c < ' '  ? " "
                                : NULL;
    if (as != NULL)
      weir_text_puts(out, as);
    else
      weir_text_add(out, s, 1);
  }
}

double weir_svg_width(const char *text) {
  return 6.6 * (double)weir_text_width(text);
}

void weir_svg_begin(struct weir_text *out, double width, double height, const char *title) {
  weir_text_printf(out,
                   "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%.0f\" height=\"%.0f\" "
                   "viewBox=\"0 0 %.0f %.0f\" role=\"img\"",
                   width, height, width, height);
  weir_text_puts(out, " font-family=\"Helvetica, Arial, 'DejaVu Sans', sans-serif\" "
                      "font-size=\"11\" fill=\"#222\">\n<title>");
  weir_svg_escape(out, title != NULL ? title : "");
  /* Text is dark, whatever the page is on which the figure stands. */
  weir_text_puts(out, "</title>\n<rect width=\"100%\" height=\"100%\" fill=\"#fff\"/>\n");
}

void weir_svg_end(struct weir_text *out) {
  weir_text_puts(out, "</svg>\n");
}

void weir_svg_rect(struct weir_text *out, double x, double y, double w, double h,
                   const char *colour, const char *hover) {
  weir_text_printf(out, "<rect x=\"%.2f\" y=\"%.2f\" width=\"%.2f\" height=\"%.2f\" %s%s%s", x, y,
                   w, h, colour[0] == '#' ? "fill=\"" : "", colour, colour[0] == '#' ? "\"" : "");
  if (hover == NULL) {
    weir_text_puts(out, "/>\n");
    return;
  }
  weir_text_puts(out, "><title>");
  weir_svg_escape(out, hover);
  weir_text_puts(out, "</title></rect>\n");
}

void weir_svg_line(struct weir_text *out, double x1, double y1, double x2, double y2,
                   const char *style) {
  weir_text_printf(out, "<line x1=\"%.2f\" y1=\"%.2f\" x2=\"%.2f\" y2=\"%.2f\" %s/>\n", x1, y1, x2,
                   y2, style);
}

void weir_svg_text(struct weir_text *out, double x, double y, enum weir_anchor anchor, double turn,
                   const char *text) {
  static const char *const anchors[] = {"start", "middle", "end"};
  weir_text_printf(out, "<text x=\"%.2f\" y=\"%.2f\" text-anchor=\"%s\"", x, y, anchors[anchor]);
  if (turn != 0) weir_text_printf(out, " transform=\"rotate(%.0f %.2f %.2f)\"", turn, x, y);
  weir_text_puts(out, ">");
  weir_svg_escape(out, text);
  weir_text_puts(out, "</text>\n");
}

/* ---- axes ---- */

struct weir_ticks weir_ticks_of(double low, double high) {
  static const double steps[] = {1, 2, 2.5, 5, 10};
  double length = high - low;
  if (!(length > 0)) length = 1;
  double unit = pow(10, floor(log10(length / 5)));
  double step = unit * 10;
  for (size_t i = 0; i < sizeof steps / sizeof *steps; i++)
    if (length / (unit * steps[i]) <= 7) {
      step = unit * steps[i];
      break;
    }
  struct weir_ticks t = {.first = floor(low / step + 1e-9) * step, .step = step};
  t.n = (size_t)(ceil((high - t.first) / step - 1e-9)) + 1;
  if (t.n < 2) t.n = 2;
  return t;
}

const char *weir_tick_text(const struct weir_ticks *t, size_t i, char buf[32]) {
  double v = t->first + (double)i * t->step;
  int digits = t->step >= 1 && t->step == floor(t->step) ? 0 : (int)ceil(-log10(t->step) - 1e-9);
  double scaled = t->step * pow(10, digits);
  if (fabs(scaled - round(scaled)) > 1e-6) digits++; /* 0.25 */
  if (fabs(v) < t->step / 1000) v = 0;
  snprintf(buf, 32, "%.*f", digits > 0 ? digits : 0, v);
  return buf;
}

/* ---- legends ---- */

enum { ROW = 16, KEY = 16, GAP = 14 };

/* Places names in rows; draws them where `out` is not NULL. Returns the height. */
static double place_names(struct weir_text *out, const struct weir_legend *l, double x, double y,
                          double width) {
  double at = 0, row = 0;
  for (size_t i = 0; i < l->n; i++) {
    double need = KEY + weir_svg_width(l->names[i]) + GAP;
    if (at > 0 && at + need > width) {
      at = 0;
      row += ROW;
    }
    if (out != NULL) {
      char style[96];
      bool is_hollow = l->hollow != NULL && l->hollow[i];
      snprintf(style, sizeof style, "fill=\"%s\" stroke=\"%s\"", is_hollow ? "none" : l->colours[i],
               l->colours[i]);
      weir_svg_rect(out, x + at, y + row, 10, 10, style, NULL);
      weir_svg_text(out, x + at + KEY, y + row + 9, WEIR_ANCHOR_START, 0, l->names[i]);
    }
    at += need;
  }
  return row + ROW;
}

double weir_legend_height(const struct weir_legend *l, double width) {
  return place_names(NULL, l, 0, 0, width);
}

double weir_svg_legend(struct weir_text *out, const struct weir_legend *l, double x, double y,
                       double width) {
  return place_names(out, l, x, y, width);
}
