/* A page's data as JSON: columns of numbers, and names by their place in lists. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "base/mem.h"
#include "report/chart.h"
#include "report/page.h"
#include "session/groups.h"

/* More kernels than these are not shown one by one: those that take longest are. */
enum { KERNELS_MOST = 12000, MESSAGE_BYTES = 300 };
/* Runs whose samples are shown: some 20 KB each. */
enum { DECISIONS_MOST = 100 };

/* A whole number is one, a rate has as many digits as anyone reads. */
static json_t *number(double v) {
  if (isnan(v) || isinf(v)) return json_null();
  if (v == floor(v) && fabs(v) < 9e15) return json_integer((json_int_t)v);
  char text[32];
  snprintf(text, sizeof text, "%.7g", v);
  return json_real(strtod(text, NULL));
}

static json_t *texts(const char *const *v, size_t n) {
  json_t *list = json_array();
  for (size_t i = 0; i < n; i++)
    weir_json_push(&list, weir_json_text(v[i]));
  return list;
}

static json_t *keys_json(const struct weir_page *p) {
  json_t *list = json_array();
  for (size_t k = 0; k < p->n_keys; k++) {
    const struct weir_page_key *key = &p->keys[k];
    json_t *of = json_array();
    for (size_t i = 0; i < p->n; i++)
      weir_json_push(&of, json_integer((json_int_t)key->of[i]));
    weir_json_push(&list, json_pack("{s:o, s:o, s:o, s:b}", "name", weir_json_text(key->name),
                                    "values", texts(key->values, key->n_values), "of", of,
                                    "setting", key->is_setting));
  }
  return list;
}

static json_t *schemes_json(const struct weir_page *p) {
  json_t *list = json_array();
  for (size_t i = 0; p->has_study && i < p->keys[WEIR_PAGE_SCHEME].n_values; i++)
    weir_json_push(&list, json_pack("{s:o, s:s}", "label", weir_json_text(p->schemes[i].label),
                                    "role", weir_role_name(p->schemes[i].role)));
  return list;
}

/* A statistic that no run has is left out. */
static json_t *stat_json(const struct weir_page *p, size_t stat) {
  const struct weir_stat *row = weir_stat_named(p->stats[stat], NULL);
  bool any = false;
  json_t *values = json_array();
  for (size_t i = 0; i < p->n; i++) {
    double v = weir_page_value(p, i, stat);
    any = any || !isnan(v);
    weir_json_push(&values, number(v));
  }
  if (values != NULL && !any) {
    json_decref(values);
    return json_null();
  }
  return json_pack("{s:o, s:s, s:s, s:b, s:o}", "name", weir_json_text(p->stats[stat]), "unit",
                   row != NULL ? row->unit : "", "help", row != NULL ? row->help : "", "asked",
                   stat >= weir_page_n_stats(), "values", values);
}

static json_t *stats_json(const struct weir_page *p) {
  json_t *list = json_array();
  for (size_t s = 0; s < p->n_stats; s++) {
    json_t *o = stat_json(p, s);
    if (json_is_null(o))
      json_decref(o);
    else
      weir_json_push(&list, o);
  }
  return list;
}

static json_t *part_json(const struct weir_page_part *part) {
  json_t *stats = json_array();
  for (size_t i = 0; i < sizeof part->stats / sizeof *part->stats && part->stats[i] != NULL; i++)
    weir_json_push(&stats, json_string(part->stats[i]));
  return json_pack("{s:s, s:s, s:o}", "label", part->label, "colour", part->colour, "stats", stats);
}

static json_t *stacks_json(void) {
  json_t *list = json_array();
  for (const struct weir_page_stack *s = weir_page_stacks; s->name != NULL; s++) {
    json_t *parts = json_array();
    for (size_t i = 0; s->parts[i].label != NULL; i++)
      weir_json_push(&parts, part_json(&s->parts[i]));
    weir_json_push(&list, json_pack("{s:s, s:s, s:s, s:s?, s:o}", "name", s->name, "title",
                                    s->title, "y", s->y, "whole", s->whole, "parts", parts));
  }
  return list;
}

/* Status and, where there is something to say, why. */
static void put_runs(const struct weir_page *p, json_t **o) {
  json_t *ids = json_array(), *status = json_array(), *speedup = json_array(), *base = json_array(),
         *messages = json_object(), *undrawn = json_array();
  for (size_t i = 0; i < p->n; i++) {
    const struct weir_page_run *r = &p->runs[i];
    char place[24];
    weir_json_push(&ids, json_integer((json_int_t)r->id));
    weir_json_push(&status, json_string(r->status));
    weir_json_push(&speedup, number(r->speedup));
    weir_json_push(&base, json_integer(r->base == WEIR_PAGE_NONE ? -1 : (json_int_t)r->base));
    if (!r->is_drawn) weir_json_push(&undrawn, json_integer((json_int_t)i));
    if (r->message == NULL) continue;
    snprintf(place, sizeof place, "%zu", i);
    char text[MESSAGE_BYTES];
    snprintf(text, sizeof text, "%s", r->message);
    weir_json_put(&messages, place, weir_json_text(text));
  }
  weir_json_put(o, "undrawn", undrawn);
  weir_json_put(o, "ids", ids);
  weir_json_put(o, "status", status);
  weir_json_put(o, "speedup", speedup);
  weir_json_put(o, "base", base);
  weir_json_put(o, "messages", messages);
}

/* ---- kernels ---- */

struct slow {
  double cycles;
  uint32_t kernel;
};

static int by_cycles(const void *a, const void *b) {
  const struct slow *x = a, *y = b;
  if (x->cycles != y->cycles) return x->cycles > y->cycles ? -1 : 1;
  return (x->kernel > y->kernel) - (x->kernel < y->kernel);
}

static int by_place(const void *a, const void *b) {
  uint32_t x = ((const struct slow *)a)->kernel, y = ((const struct slow *)b)->kernel;
  return (x > y) - (x < y);
}

/* Those that are shown, in their order. */
static struct slow *choose_kernels(const struct weir_page *p, size_t *n) {
  struct slow *v = weir_malloc((p->kernels.n + 1) * sizeof *v);
  *n = p->kernels.n;
  if (v == NULL || *n == 0) return v;
  for (size_t i = 0; i < *n; i++) {
    double cycles = p->kernel_values.v[i * WEIR_PAGE_KERNEL_STATS];
    v[i] = (struct slow){isnan(cycles) ? 0 : cycles, (uint32_t)i};
  }
  if (*n <= KERNELS_MOST) return v;
  qsort(v, *n, sizeof *v, by_cycles);
  *n = KERNELS_MOST;
  qsort(v, *n, sizeof *v, by_place);
  return v;
}

static json_t *kernel_stat(const struct weir_page *p, const struct slow *v, size_t n, size_t stat) {
  bool any = false;
  json_t *values = json_array();
  for (size_t i = 0; i < n; i++) {
    double x = p->kernel_values.v[v[i].kernel * WEIR_PAGE_KERNEL_STATS + stat];
    any = any || !isnan(x);
    weir_json_push(&values, number(x));
  }
  if (any || values == NULL) return values;
  json_decref(values);
  return json_null();
}

static json_t *kernels_json(const struct weir_page *p) {
  size_t n;
  struct slow *v = choose_kernels(p, &n);
  json_t *run = json_array(), *number_of = json_array(), *name = json_array(),
         *speedup = json_array(), *stats = json_object();
  for (size_t i = 0; v != NULL && i < n; i++) {
    const struct weir_page_kernel *k = &p->kernels.v[v[i].kernel];
    weir_json_push(&run, json_integer((json_int_t)k->run));
    weir_json_push(&number_of, json_integer((json_int_t)k->number));
    weir_json_push(&name, json_integer((json_int_t)k->name));
    weir_json_push(&speedup, number(k->speedup));
  }
  for (size_t s = 0; v != NULL && s < WEIR_PAGE_KERNEL_STATS; s++) {
    json_t *values = kernel_stat(p, v, n, s);
    if (json_is_null(values))
      json_decref(values);
    else
      weir_json_put(&stats, weir_page_stats[s], values);
  }
  free(v);
  return json_pack("{s:o, s:o, s:o, s:o, s:o, s:o, s:I}", "run", run, "number", number_of, "name",
                   name, "speedup", speedup, "stats", stats, "names",
                   texts(p->kernel_names.v, p->kernel_names.n), "left_out",
                   (json_int_t)(p->kernels.n - n));
}

/* ---- samples ---- */

/* By the number of the run; and what their statistics mean. */
static void put_decisions(const struct weir_page *p, json_t **o) {
  json_t *all = json_object(), *help = json_object(), *of;
  size_t kept = 0, left = 0;
  const char *name;
  for (size_t i = 0; i < p->n; i++) {
    json_t *series = json_object_get(p->runs[i].decisions, "series");
    char place[24];
    if (series == NULL) continue;
    if (kept == DECISIONS_MOST) {
      left++;
      continue;
    }
    kept++;
    snprintf(place, sizeof place, "%zu", i);
    weir_json_put(&all, place, json_incref((json_t *)p->runs[i].decisions));
    json_object_foreach(series, name, of) {
      const struct weir_stat *row = weir_stat_named(name, NULL);
      if (row != NULL && json_object_get(help, name) == NULL)
        weir_json_put(&help, name, json_string(row->help));
    }
  }
  weir_json_put(o, "decisions", all);
  weir_json_put(o, "decision_help", help);
  weir_json_put(o, "decisions_left_out", json_integer((json_int_t)left));
}

/* Colours of series; quantiles of Student's t, from one degree of freedom on. */
static void put_constants(json_t **o) {
  enum { DEGREES = 60 };
  json_t *palette = json_array(), *student = json_array();
  for (size_t i = 0; i < weir_palette_n(); i++)
    weir_json_push(&palette, json_string(weir_palette[i]));
  for (size_t i = 1; i <= DEGREES; i++)
    weir_json_push(&student, number(weir_student_t(i)));
  weir_json_put(o, "palette", palette);
  weir_json_put(o, "student", student);
}

json_t *weir_page_model(const struct weir_page *p) {
  json_t *o =
      json_pack("{s:i, s:o, s:o, s:o, s:o}", "weir_page", 1, "title", weir_json_text(p->title),
                "study", weir_json_text_or_null(p->study), "baseline",
                weir_json_text_or_null(p->baseline), "schemes", schemes_json(p));
  weir_json_put(&o, "keys", keys_json(p));
  weir_json_put(&o, "stats", stats_json(p));
  weir_json_put(&o, "stacks", stacks_json());
  put_constants(&o);
  put_runs(p, &o);
  weir_json_put(&o, "kernels", kernels_json(p));
  put_decisions(p, &o);
  weir_json_put(&o, "characters", json_incref(p->characters));
  weir_json_put(&o, "provenance", json_incref(p->provenance));
  return o;
}
