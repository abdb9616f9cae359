/* Which run each run of a page is compared with, and by how much it is faster. */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/number.h"
#include "base/suggest.h"
#include "report/page.h"

struct match {
  const struct weir_page *p;
  uint32_t *want; /* of each key the value that baselines have, or WEIR_PAGE_NONE: the run's own */
  uint32_t *base; /* all baselines, by the fixed keys that are the run's own */
  size_t n;
};

/* ---- which runs are baselines ---- */

static enum weir_status no_such(const struct weir_page *p, const char *name, const char *value,
                                struct weir_err *err) {
  weir_fail(err, WEIR_ENOENT, "--baseline %s=%s: no run has it", name, value);
  size_t key = weir_page_key(p, name);
  if (key == SIZE_MAX) {
    weir_err_add(err, "keys are workload, input, gpu, scheme, seed, and settings that were varied");
    return WEIR_ENOENT;
  }
  const char *near = weir_nearest(value, p->keys[key].values, p->keys[key].n_values);
  if (near != NULL) weir_err_add(err, "did you mean '%s'?", near);
  return WEIR_ENOENT;
}

/* KEY=VALUE[,...] */
static enum weir_status read_baseline(struct match *m, struct weir_err *err) {
  const char *at = m->p->baseline;
  char word[256];
  while (weir_next_word(&at, word, sizeof word)) {
    char *value = strchr(word, '=');
    if (value == NULL)
      return weir_fail(err, WEIR_EINVAL, "--baseline '%s': want KEY=VALUE, such as scheme=baseline",
                       word);
    *value++ = 0;
    size_t key = weir_page_key(m->p, word), i = 0;
    if (key == SIZE_MAX) return no_such(m->p, word, value, err);
    const struct weir_page_key *k = &m->p->keys[key];
    while (i < k->n_values && !weir_value_equal(k->values[i], value))
      i++;
    if (i == k->n_values) return no_such(m->p, word, value, err);
    m->want[key] = (uint32_t)i;
  }
  return WEIR_OK;
}

static int by_fixed(const struct match *m, uint32_t a, uint32_t b) {
  for (size_t k = 0; k < WEIR_PAGE_FIXED; k++) {
    uint32_t x = m->p->keys[k].of[a], y = m->p->keys[k].of[b];
    if (m->want[k] == WEIR_PAGE_NONE && x != y) return x < y ? -1 : 1;
  }
  return 0;
}

static int by_base(const void *a, const void *b, void *self) {
  uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
  int order = by_fixed(self, x, y);
  return order != 0 ? order : (x > y) - (x < y);
}

static void find_bases(struct match *m) {
  for (size_t i = 0; i < m->p->n; i++) {
    bool is_base = strcmp(m->p->runs[i].status, "ok") == 0;
    for (size_t k = 0; is_base && k < m->p->n_keys; k++)
      is_base = m->want[k] == WEIR_PAGE_NONE || m->p->keys[k].of[i] == m->want[k];
    if (is_base) m->base[m->n++] = (uint32_t)i;
  }
  if (m->n > 0) qsort_r(m->base, m->n, sizeof *m->base, by_base, m);
}

/* ---- the one of a run ---- */

/* A setting that one of the two does not have, since it belongs to a scheme, does not count. */
static bool has_settings_of(const struct match *m, uint32_t a, uint32_t b) {
  for (size_t k = WEIR_PAGE_FIXED; k < m->p->n_keys; k++) {
    const struct weir_page_key *key = &m->p->keys[k];
    uint32_t x = key->of[a], y = key->of[b];
    if (m->want[k] != WEIR_PAGE_NONE || x == y) continue;
    if (strcmp(key->values[x], "-") != 0 && strcmp(key->values[y], "-") != 0) return false;
  }
  return true;
}

static enum weir_status several(const struct match *m, uint32_t run, uint32_t a, uint32_t b,
                                struct weir_err *err) {
  const struct weir_page_run *v = m->p->runs;
  weir_fail(err, WEIR_EINVAL,
            "several runs are the baseline (%s) of %s on %s with %s: runs %" PRId64 " and %" PRId64,
            m->p->baseline, weir_page_text(m->p, WEIR_PAGE_WORKLOAD, run),
            weir_page_text(m->p, WEIR_PAGE_GPU, run), weir_page_text(m->p, WEIR_PAGE_SCHEME, run),
            v[a].id, v[b].id);
  weir_err_add(err,
               "remedy: --where chooses runs, or --baseline says more: 'weir diff %s#%" PRId64
               " %s#%" PRId64 "' shows in what the two differ",
               m->p->study, v[a].id, m->p->study, v[b].id);
  return WEIR_EINVAL;
}

static enum weir_status find_base(const struct match *m, uint32_t run, uint32_t *out,
                                  struct weir_err *err) {
  size_t low = 0, high = m->n;
  *out = WEIR_PAGE_NONE;
  while (low < high) {
    size_t mid = low + (high - low) / 2;
    if (by_fixed(m, m->base[mid], run) < 0)
      low = mid + 1;
    else
      high = mid;
  }
  for (size_t i = low; i < m->n && by_fixed(m, m->base[i], run) == 0; i++)
    if (m->base[i] == run) *out = run; /* its own, whatever else there is */
  for (; *out != run && low < m->n && by_fixed(m, m->base[low], run) == 0; low++) {
    uint32_t base = m->base[low];
    if (!has_settings_of(m, run, base)) continue;
    if (*out != WEIR_PAGE_NONE) return several(m, run, *out, base, err);
    *out = base;
  }
  return WEIR_OK;
}

static double ratio(double base, double value) {
  return base > 0 && value > 0 ? base / value : (double)NAN;
}

/* Those of the same number and name. */
static void compare_kernels(struct weir_page *p, size_t run) {
  const struct weir_page_run *r = &p->runs[run];
  if (r->base == WEIR_PAGE_NONE) return;
  const struct weir_page_run *base = &p->runs[r->base];
  for (size_t i = 0; i < r->n && i < base->n; i++) {
    struct weir_page_kernel *k = &p->kernels.v[r->first + i];
    const struct weir_page_kernel *of = &p->kernels.v[base->first + i];
    if (k->name != of->name || k->number != of->number) continue;
    k->speedup = ratio(p->kernel_values.v[(base->first + i) * WEIR_PAGE_KERNEL_STATS],
                       p->kernel_values.v[(r->first + i) * WEIR_PAGE_KERNEL_STATS]);
  }
}

/* ---- means ---- */

static int by_all_but_seed(const void *a, const void *b, void *self) {
  const struct weir_page *p = self;
  uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
  for (size_t k = 0; k < p->n_keys; k++) {
    uint32_t of_x = p->keys[k].of[x], of_y = p->keys[k].of[y];
    if (k != WEIR_PAGE_SEED && of_x != of_y) return of_x < of_y ? -1 : 1;
  }
  return 0;
}

enum weir_status weir_page_find_drawn(struct weir_page *p, struct weir_err *err) {
  uint32_t *order = weir_malloc((p->n + 1) * sizeof *order);
  if (order == NULL) return weir_no_memory(err);
  for (size_t i = 0; i < p->n; i++)
    order[i] = (uint32_t)i;
  if (p->n > 0) qsort_r(order, p->n, sizeof *order, by_all_but_seed, p);
  for (size_t first = 0, end; first < p->n; first = end) {
    bool are_good = true;
    for (end = first; end < p->n && by_all_but_seed(&order[first], &order[end], p) == 0; end++)
      are_good = are_good && strcmp(p->runs[order[end]].status, "ok") == 0;
    for (size_t i = first; i < end; i++)
      p->runs[order[i]].is_drawn = are_good;
  }
  free(order);
  return WEIR_OK;
}

static bool has_baseline(const struct weir_page *p) {
  const struct weir_page_key *k = &p->keys[WEIR_PAGE_SCHEME];
  for (size_t i = 0; i < k->n_values; i++)
    if (strcmp(k->values[i], "baseline") == 0) return true;
  return false;
}

static enum weir_status find_speedups(struct weir_page *p, struct match *m, struct weir_err *err) {
  for (size_t k = 0; k < p->n_keys; k++)
    m->want[k] = WEIR_PAGE_NONE;
  enum weir_status st = read_baseline(m, err);
  if (st == WEIR_OK) find_bases(m);
  for (size_t i = 0; st == WEIR_OK && i < p->n; i++) {
    struct weir_page_run *r = &p->runs[i];
    st = find_base(m, (uint32_t)i, &r->base, err);
    if (st != WEIR_OK || r->base == WEIR_PAGE_NONE) continue;
    r->speedup = ratio(weir_page_value(p, r->base, WEIR_PAGE_CYCLES),
                       weir_page_value(p, i, WEIR_PAGE_CYCLES));
    compare_kernels(p, i);
  }
  return st;
}

enum weir_status weir_page_compare(struct weir_page *p, const struct weir_page_options *o,
                                   struct weir_err *err) {
  if (o->baseline != NULL)
    p->baseline = o->baseline;
  else if (p->baseline == NULL && has_baseline(p))
    p->baseline = "scheme=baseline";
  if (p->baseline == NULL) return WEIR_OK;
  struct match m = {.p = p};
  m.want = weir_malloc((p->n_keys + 1) * sizeof *m.want);
  m.base = weir_malloc((p->n + 1) * sizeof *m.base);
  enum weir_status st =
      m.want != NULL && m.base != NULL ? find_speedups(p, &m, err) : weir_no_memory(err);
  free(m.want);
  free(m.base);
  return st;
}
