/* Groups of bars as SVG. */
#include <math.h>
#include <stdio.h>

#include "report/chart.h"

enum { LEFT = 58, RIGHT = 12, TOP = 10, TITLE = 20, LEGEND_GAP = 8 };

struct frame {
  const struct weir_bars *b;
  struct weir_text *out;
  double x, y, w, h; /* of the plot */
  double low, high;  /* of the axis */
  double group_w, bar_w;
  struct weir_ticks ticks;
};

static size_t parts_of(const struct weir_bars *b) {
  return b->parts != NULL ? b->n_parts : 1;
}

static double at(const struct weir_bars *b, size_t group, size_t bar, size_t part) {
  return b->value[(group * b->n_bars + bar) * parts_of(b) + part];
}

static double sum_of(const struct weir_bars *b, size_t group, size_t bar) {
  double sum = 0;
  for (size_t i = 0; i < parts_of(b); i++)
    sum += isnan(at(b, group, bar, i)) && parts_of(b) > 1 ? 0 : at(b, group, bar, i);
  return sum;
}

static void find_range(struct frame *f) {
  const struct weir_bars *b = f->b;
  double most = b->most, least = isnan(b->least) ? 0 : b->least;
  for (size_t i = 0; isnan(b->most) && i < b->n_groups * b->n_bars; i++) {
    double v = sum_of(b, i / b->n_bars, i % b->n_bars);
    if (b->high != NULL && b->high[i] > v) v = b->high[i];
    if (isnan(most) || v > most) most = v;
  }
  if (isnan(most) || most <= least) most = least + 1;
  f->ticks = weir_ticks_of(least, most);
  f->low = least;
  f->high = isnan(b->most) ? f->ticks.first + (double)(f->ticks.n - 1) * f->ticks.step : most;
}

static double y_of(const struct frame *f, double v) {
  double share = (v - f->low) / (f->high - f->low);
  share = share < 0 ? 0 : share > 1 ? 1 : share;
  return f->y + f->h * (1 - share);
}

static void put_axis(const struct frame *f) {
  char text[32];
  for (size_t i = 0; i < f->ticks.n; i++) {
    double v = f->ticks.first + (double)i * f->ticks.step;
    if (v < f->low - 1e-9 || v > f->high + 1e-9) continue;
    weir_svg_line(f->out, f->x, y_of(f, v), f->x + f->w, y_of(f, v), "stroke=\"#ddd\"");
    weir_svg_text(f->out, f->x - 6, y_of(f, v) + 4, WEIR_ANCHOR_END, 0,
                  weir_tick_text(&f->ticks, i, text));
  }
  if (f->b->chart.y != NULL)
    weir_svg_text(f->out, 14, f->y + f->h / 2, WEIR_ANCHOR_MIDDLE, -90, f->b->chart.y);
}

static double bar_x(const struct frame *f, size_t group, size_t bar) {
  double gap = f->b->n_means > 0 && group >= f->b->n_groups - f->b->n_means ? 8 : 0;
  return f->x + (double)group * f->group_w + f->group_w * 0.08 + (double)bar * f->bar_w + gap;
}

/* An interval: a line with two ends. */
static void put_interval(const struct frame *f, double x, size_t cell) {
  static const char style[] = "stroke=\"#222\" stroke-width=\"1\"";
  double low = f->b->low[cell], high = f->b->high[cell], cap = f->bar_w * 0.25;
  if (isnan(low) || isnan(high)) return;
  weir_svg_line(f->out, x, y_of(f, low), x, y_of(f, high), style);
  weir_svg_line(f->out, x - cap, y_of(f, low), x + cap, y_of(f, low), style);
  weir_svg_line(f->out, x - cap, y_of(f, high), x + cap, y_of(f, high), style);
}

static void put_bar(const struct frame *f, size_t group, size_t bar) {
  const struct weir_bars *b = f->b;
  double from = f->low, x = bar_x(f, group, bar), w = f->bar_w * 0.9;
  size_t cell = group * b->n_bars + bar;
  for (size_t i = 0; i < parts_of(b); i++) {
    double v = at(b, group, bar, i), to = (i == 0 ? 0 : from) + v;
    struct weir_text hover = {0};
    char style[96];
    if (isnan(v) || (v == 0 && parts_of(b) > 1)) continue;
    const char *colour = b->colours[b->parts != NULL ? i : bar];
    bool is_hollow = b->hollow != NULL && b->hollow[bar];
    snprintf(style, sizeof style, "fill=\"%s\" stroke=\"%s\" stroke-width=\"%s\"",
             is_hollow ? "#fff" : colour, is_hollow ? colour : "none", is_hollow ? "1.2" : "0");
    weir_text_printf(&hover, "%s, %s%s%s: %.3f", b->groups[group], b->bars[bar],
                     b->parts != NULL ? ", " : "", b->parts != NULL ? b->parts[i] : "", v);
    weir_svg_rect(f->out, x, y_of(f, to), w, fabs(y_of(f, from) - y_of(f, to)), style, hover.v);
    f->out->failed = f->out->failed || hover.failed;
    weir_text_free(&hover);
    from = to;
  }
  if (b->low != NULL && b->high != NULL) put_interval(f, x + w / 2, cell);
}

/* Names stand under groups, turned where they would meet; with parts, those of bars above them. */
static double names_height(const struct weir_bars *b, double group_w, double bar_w, bool *is_turned,
                           bool *are_bars) {
  double widest = 0, widest_bar = 0;
  for (size_t i = 0; i < b->n_groups; i++)
    widest = fmax(widest, weir_svg_width(b->groups[i]));
  *is_turned = widest > group_w - 4;
  *are_bars = b->parts != NULL && b->n_bars > 1 && bar_w >= 9;
  for (size_t i = 0; *are_bars && i < b->n_bars; i++)
    widest_bar = fmax(widest_bar, weir_svg_width(b->bars[i]));
  return (*is_turned ? widest * 0.75 + 14 : 20) + widest_bar;
}

static void put_names(const struct frame *f, bool is_turned, bool are_bars) {
  const struct weir_bars *b = f->b;
  double below = 0;
  for (size_t i = 0; are_bars && i < b->n_bars; i++)
    below = fmax(below, weir_svg_width(b->bars[i]));
  for (size_t g = 0; g < b->n_groups; g++) {
    for (size_t i = 0; are_bars && i < b->n_bars; i++)
      weir_svg_text(f->out, bar_x(f, g, i) + f->bar_w * 0.45 + 4, f->y + f->h + 6, WEIR_ANCHOR_END,
                    -90, b->bars[i]);
    double x = f->x + ((double)g + 0.5) * f->group_w, y = f->y + f->h + 16 + below;
    if (is_turned)
      weir_svg_text(f->out, x + 4, y - 2, WEIR_ANCHOR_END, -40, b->groups[g]);
    else
      weir_svg_text(f->out, x, y, WEIR_ANCHOR_MIDDLE, 0, b->groups[g]);
  }
}

static struct weir_legend legend_of(const struct weir_bars *b) {
  return (struct weir_legend){.names = b->parts != NULL ? b->parts : b->bars,
                              .colours = b->colours,
                              .hollow = b->parts != NULL ? NULL : b->hollow,
                              .n = b->parts != NULL ? b->n_parts : b->n_bars};
}

void weir_bars_svg(const struct weir_bars *b, struct weir_text *out) {
  struct frame f = {.b = b, .out = out, .x = LEFT};
  const struct weir_legend legend = legend_of(b);
  double need = (double)(b->n_groups * b->n_bars) * 9 + LEFT + RIGHT;
  double width = b->chart.width > 0 ? b->chart.width : fmin(fmax(640, need), 2400);
  double top = TOP + (b->chart.title != NULL ? TITLE : 0);
  bool is_turned, are_bars;
  f.w = width - LEFT - RIGHT;
  f.group_w = (f.w - (b->n_means > 0 ? 8 : 0)) / (double)b->n_groups;
  f.bar_w = f.group_w * 0.84 / (double)b->n_bars;
  double names = names_height(b, f.group_w, f.bar_w, &is_turned, &are_bars);
  f.y = top + weir_legend_height(&legend, f.w) + LEGEND_GAP;
  double height = b->chart.height > 0 ? b->chart.height : f.y + 220 + names;
  f.h = fmax(height - f.y - names, 40);
  find_range(&f);
  weir_svg_begin(out, width, height, b->chart.title);
  if (b->chart.title != NULL)
    weir_svg_text(out, LEFT, TOP + 10, WEIR_ANCHOR_START, 0, b->chart.title);
  weir_svg_legend(out, &legend, LEFT, top, f.w);
  put_axis(&f);
  for (size_t g = 0; g < b->n_groups; g++)
    for (size_t i = 0; i < b->n_bars; i++)
      put_bar(&f, g, i);
  weir_svg_line(out, f.x, y_of(&f, f.low), f.x + f.w, y_of(&f, f.low), "stroke=\"#222\"");
  if (!isnan(b->mark))
    weir_svg_line(out, f.x, y_of(&f, b->mark), f.x + f.w, y_of(&f, b->mark),
                  "stroke=\"#222\" stroke-dasharray=\"4 3\"");
  put_names(&f, is_turned, are_bars);
  weir_svg_end(out);
}
