/* A page from the JSON of `weir compare`. */
#include <math.h>
#include <string.h>

#include "base/json.h"
#include "base/mem.h"
#include "report/page.h"

/* "l1.hits" is hits in l1; a name without a dot stands in the run itself. */
static double stat_of(const json_t *run, const char *name) {
  char group[64];
  const char *dot = strchr(name, '.');
  const json_t *v;
  if (strcmp(name, "storage.bits_per_sm") == 0) {
    v = json_object_get(run, "storage_bits");
  } else if (dot == NULL) {
    v = json_object_get(run, name);
  } else {
    snprintf(group, sizeof group, "%.*s", (int)(dot - name), name);
    const json_t *of = json_object_get(run, group);
    if (of == NULL) of = json_object_get(json_object_get(run, "parts"), group);
    v = json_object_get(of, dot + 1);
  }
  return json_is_number(v) ? json_number_value(v) : (double)NAN;
}

static const char *text_of(struct weir_page *p, const json_t *run, const char *key) {
  const json_t *v = json_object_get(run, key);
  const char *text = json_string_value(v), *copy = NULL;
  if (json_is_integer(v))
    copy = weir_arena_printf(&p->a, "%" JSON_INTEGER_FORMAT, json_integer_value(v));
  else if (text != NULL)
    copy = weir_arena_strndup(&p->a, text, strlen(text));
  if (copy == NULL && (text != NULL || json_is_integer(v))) p->failed = true;
  return copy;
}

static enum weir_status add_kernels(struct weir_page *p, const json_t *run, uint32_t at,
                                    struct weir_err *err) {
  const json_t *kernels = json_object_get(run, "kernels");
  enum weir_status st = WEIR_OK;
  for (size_t i = 0; st == WEIR_OK && i < json_array_size(kernels); i++) {
    const json_t *k = json_array_get(kernels, i);
    const char *name = json_string_value(json_object_get(k, "name"));
    double values[WEIR_PAGE_KERNEL_STATS];
    for (size_t s = 0; s < WEIR_PAGE_KERNEL_STATS; s++)
      values[s] = stat_of(k, weir_page_stats[s]);
    st = weir_page_add_kernel(p, at, (int64_t)i + 1, name != NULL ? name : "?", values, err);
  }
  return st;
}

static enum weir_status add_run(struct weir_page *p, const json_t *run, size_t at,
                                struct weir_err *err) {
  struct weir_page_run *r = &p->runs[at];
  r->id = (int64_t)at + 1;
  r->status = text_of(p, run, "status");
  if (r->status == NULL) r->status = "missing";
  r->message = text_of(p, run, "reason");
  for (size_t s = 0; s < p->n_stats; s++)
    p->values[at * p->n_stats + s] = stat_of(run, p->stats[s]);
  weir_page_add_decisions(p, at, json_incref(json_object_get(run, "decisions")));
  return add_kernels(p, run, (uint32_t)at, err);
}

enum weir_status weir_page_from_compare(struct weir_page *p, const json_t *root,
                                        struct weir_err *err) {
  const json_t *runs = json_object_get(root, "runs");
  const char *baseline = json_string_value(json_object_get(root, "baseline"));
  size_t n = json_array_size(runs);
  if (n == 0) return weir_fail(err, WEIR_ENOENT, "'%s' has no runs", p->study);
  enum weir_status st = weir_page_begin(p, n, WEIR_PAGE_FIXED, err);
  const char **texts = weir_arena_array(&p->a, n, sizeof *texts);
  if (texts == NULL) return weir_no_memory(err);
  for (size_t k = 0; st == WEIR_OK && k < WEIR_PAGE_FIXED; k++) {
    for (size_t i = 0; i < n; i++)
      texts[i] = text_of(p, json_array_get(runs, i), weir_page_fixed_names[k]);
    st = weir_page_set_key(p, k, weir_page_fixed_names[k], texts, false, err);
  }
  for (size_t i = 0; st == WEIR_OK && i < n; i++)
    st = add_run(p, json_array_get(runs, i), i, err);
  if (st != WEIR_OK || baseline == NULL) return st;
  p->baseline = weir_arena_printf(&p->a, "scheme=%s", baseline);
  return p->baseline != NULL ? WEIR_OK : weir_no_memory(err);
}
