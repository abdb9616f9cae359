/* Curves, and points with names, as SVG. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/mem.h"
#include "report/chart.h"

enum { LEFT = 64, RIGHT = 20, TOP = 10, TITLE = 20, BOTTOM = 44, WIDTH = 560, HEIGHT = 320 };

struct plane {
  struct weir_text *out;
  double x, y, w, h;
  double x0, x1, y0, y1;
};

static double px(const struct plane *p, double v) {
  return p->x + (p->x1 > p->x0 ? (v - p->x0) / (p->x1 - p->x0) : 0.5) * p->w;
}

static double py(const struct plane *p, double v) {
  return p->y + p->h - (p->y1 > p->y0 ? (v - p->y0) / (p->y1 - p->y0) : 0.5) * p->h;
}

static void widen(double *low, double *high, double v) {
  if (isnan(v)) return;
  if (isnan(*low) || v < *low) *low = v;
  if (isnan(*high) || v > *high) *high = v;
}

static void put_y(const struct plane *p, const struct weir_ticks *t, const char *name) {
  char text[32];
  for (size_t i = 0; i < t->n; i++) {
    double y = py(p, t->first + (double)i * t->step);
    weir_svg_line(p->out, p->x, y, p->x + p->w, y, "stroke=\"#ddd\"");
    weir_svg_text(p->out, p->x - 6, y + 4, WEIR_ANCHOR_END, 0, weir_tick_text(t, i, text));
  }
  if (name != NULL) weir_svg_text(p->out, 14, p->y + p->h / 2, WEIR_ANCHOR_MIDDLE, -90, name);
}

static void put_x_name(const struct plane *p, const char *name) {
  weir_svg_line(p->out, p->x, p->y + p->h, p->x + p->w, p->y + p->h, "stroke=\"#222\"");
  if (name != NULL)
    weir_svg_text(p->out, p->x + p->w / 2, p->y + p->h + 34, WEIR_ANCHOR_MIDDLE, 0, name);
}

/* 16384 as "16 KB". */
static void size_text(double bytes, char out[24]) {
  static const char *const units[] = {"B", "KB", "MB", "GB"};
  size_t unit = 0;
  while (bytes >= 1024 && unit + 1 < sizeof units / sizeof *units) {
    bytes /= 1024;
    unit++;
  }
  snprintf(out, 24, "%.4g %s", bytes, units[unit]);
}

static void put_x_sizes(const struct plane *p) {
  char text[24];
  double step = ceil((p->x1 - p->x0) / 9);
  size_t n = step > 0 ? (size_t)((p->x1 - p->x0) / step + 1e-9) : 0;
  for (size_t i = 0; i <= n; i++) {
    double e = p->x0 + (double)i * step;
    size_text(pow(2, e), text);
    weir_svg_line(p->out, px(p, e), p->y, px(p, e), p->y + p->h, "stroke=\"#eee\"");
    weir_svg_text(p->out, px(p, e), p->y + p->h + 16, WEIR_ANCHOR_MIDDLE, 0, text);
  }
}

static void put_x_numbers(const struct plane *p, const struct weir_ticks *t) {
  char text[32];
  for (size_t i = 0; i < t->n; i++) {
    double x = px(p, t->first + (double)i * t->step);
    weir_svg_line(p->out, x, p->y, x, p->y + p->h, "stroke=\"#eee\"");
    weir_svg_text(p->out, x, p->y + p->h + 16, WEIR_ANCHOR_MIDDLE, 0, weir_tick_text(t, i, text));
  }
}

static struct weir_ticks ticks_for(double *low, double *high) {
  if (isnan(*low)) *low = 0, *high = 1;
  if (*low == *high) *high = *low + 1;
  struct weir_ticks t = weir_ticks_of(*low, *high);
  *low = t.first;
  *high = t.first + (double)(t.n - 1) * t.step;
  return t;
}

/* Begins the drawing: the size of the plane, without its axes. */
static void begin(struct plane *p, const struct weir_chart *c, double legend) {
  double width = c->width > 0 ? c->width : WIDTH, height = c->height > 0 ? c->height : HEIGHT;
  p->x = LEFT;
  p->y = TOP + (c->title != NULL ? TITLE : 0) + legend;
  p->w = width - LEFT - RIGHT;
  p->h = fmax(height - p->y - BOTTOM, 40);
  weir_svg_begin(p->out, width, height, c->title);
  if (c->title != NULL) weir_svg_text(p->out, LEFT, TOP + 10, WEIR_ANCHOR_START, 0, c->title);
}

static void put_curve(const struct plane *p, const struct weir_lines *l, size_t at) {
  const struct weir_curve *c = &l->curves[at];
  const char *colour = weir_palette[at % weir_palette_n()];
  weir_text_printf(p->out, "<polyline fill=\"none\" stroke=\"%s\" stroke-width=\"1.6\" points=\"",
                   colour);
  for (size_t i = 0; i < c->n; i++)
    weir_text_printf(p->out, "%s%.2f,%.2f", i > 0 ? " " : "",
                     px(p, l->is_log2 ? log2(c->x[i]) : c->x[i]), py(p, c->y[i]));
  weir_text_puts(p->out, "\"><title>");
  weir_svg_escape(p->out, c->name);
  weir_text_puts(p->out, "</title></polyline>\n");
}

void weir_lines_svg(const struct weir_lines *l, struct weir_text *out) {
  struct plane p = {
      .out = out, .x0 = (double)NAN, .x1 = (double)NAN, .y0 = l->least, .y1 = l->most};
  const char **names = weir_calloc(2 * l->n + 1, sizeof *names);
  if (names == NULL) {
    out->failed = true;
    return;
  }
  for (size_t i = 0; i < l->n; i++) {
    names[i] = l->curves[i].name;
    names[l->n + i] = weir_palette[i % weir_palette_n()];
    for (size_t k = 0; k < l->curves[i].n; k++) {
      double x = l->curves[i].x[k];
      widen(&p.x0, &p.x1, l->is_log2 ? log2(x) : x);
      widen(&p.y0, &p.y1, l->curves[i].y[k]);
    }
  }
  const struct weir_legend legend = {.names = names, .colours = names + l->n, .n = l->n};
  double width = (l->chart.width > 0 ? l->chart.width : WIDTH) - LEFT - RIGHT;
  begin(&p, &l->chart, weir_legend_height(&legend, width) + 8);
  weir_svg_legend(out, &legend, LEFT, TOP + (l->chart.title != NULL ? TITLE : 0), width);
  struct weir_ticks ty = ticks_for(&p.y0, &p.y1);
  put_y(&p, &ty, l->chart.y);
  if (l->is_log2) {
    put_x_sizes(&p);
  } else {
    struct weir_ticks tx = ticks_for(&p.x0, &p.x1);
    put_x_numbers(&p, &tx);
  }
  put_x_name(&p, l->chart.x);
  for (size_t i = 0; i < l->n; i++)
    put_curve(&p, l, i);
  weir_svg_end(out);
  free(names);
}

/* A name stands right of its point, or left of it near the edge, and moves down from others. */
static void put_spot(const struct plane *p, const struct weir_spots *s, size_t at, double *used) {
  const struct weir_spot *v = &s->spots[at];
  double x = px(p, v->x), y = py(p, v->y), label = y + 4;
  bool is_left = x + 8 + weir_svg_width(v->name) > p->x + p->w;
  for (bool is_moved = true; is_moved;) {
    is_moved = false;
    for (size_t i = 0; i < at; i++)
      if (fabs(used[i] - label) < 11 && fabs(px(p, s->spots[i].x) - x) < 110) {
        label = used[i] + 11.5;
        is_moved = true;
      }
  }
  used[at] = label;
  weir_text_printf(p->out, "<circle cx=\"%.2f\" cy=\"%.2f\" r=\"4.5\" fill=\"%s\"><title>", x, y,
                   v->colour);
  weir_svg_escape(p->out, v->name);
  weir_text_printf(p->out, ": %.3f, %.3f</title></circle>\n", v->x, v->y);
  weir_svg_text(p->out, is_left ? x - 8 : x + 8, label,
                is_left ? WEIR_ANCHOR_END : WEIR_ANCHOR_START, 0, v->name);
}

void weir_spots_svg(const struct weir_spots *s, struct weir_text *out) {
  struct plane p = {
      .out = out, .x0 = (double)NAN, .x1 = (double)NAN, .y0 = (double)NAN, .y1 = (double)NAN};
  double *used = weir_calloc(s->n + 1, sizeof *used);
  if (used == NULL) {
    out->failed = true;
    return;
  }
  for (size_t i = 0; i < s->n; i++) {
    widen(&p.x0, &p.x1, s->spots[i].x);
    widen(&p.y0, &p.y1, s->spots[i].y);
  }
  double x_room = 0.04 * (p.x1 - p.x0), y_room = 0.04 * (p.y1 - p.y0); /* not on the edges */
  p.x0 -= p.x0 > 0 && p.x0 < x_room ? p.x0 : x_room;
  p.x1 += x_room;
  p.y0 -= y_room;
  p.y1 += y_room;
  begin(&p, &s->chart, 0);
  struct weir_ticks tx = ticks_for(&p.x0, &p.x1), ty = ticks_for(&p.y0, &p.y1);
  put_x_numbers(&p, &tx);
  put_y(&p, &ty, s->chart.y);
  put_x_name(&p, s->chart.x);
  for (size_t i = 0; i < s->n; i++)
    put_spot(&p, s, i, used);
  weir_svg_end(out);
  free(used);
}
