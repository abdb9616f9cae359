#include "session/decisions.h"

#include <stdlib.h>
#include <string.h>

#include "base/demangle.h"
#include "base/json.h"
#include "base/mem.h"

/* Of launches as of samples: when there are too many, every second one goes. */
enum { LAUNCHES = 200 };

enum { BLOCKS, WARP_INSNS, LOADS, HITS, BYPASSED, N_OWN }; /* series that every L1 has */
static const struct {
  const char *name, *unit;
  bool is_level;
} own[N_OWN] = {{"blocks", "block", true},
                {"sm.warp_insns", "instruction", false},
                {"l1.loads", "request", false},
                {"l1.hits", "request", false},
                {"l1.bypassed", "request", false}};

struct launch {
  uint64_t cycle;
  char *kernel;
};

struct weir_decisions {
  const struct weir_setup *setup;
  struct weir_sampler sampler;
  bool is_watched; /* SM 0 */
  uint32_t n_series;
  uint64_t every, end;
  uint32_t n;
  uint64_t cycle[WEIR_DECISION_SAMPLES];
  struct launch launch[LAUNCHES];
  uint32_t n_launches;
  uint64_t seen, stride; /* launches; of which each so many-th is kept */
  bool is_failed;
  uint64_t value[]; /* [sample][series] */
};

/* Statistics that are sampled; ratios and maxima follow from others, or come at the end. */
static bool is_series(const struct weir_stat *s) {
  return s->kind == WEIR_COUNTER || s->kind == WEIR_LEVEL;
}

static uint32_t count_series(const struct weir_setup *setup) {
  const struct weir_part *part;
  uint32_t n = N_OWN;
  for (uint32_t i = 0; (part = weir_setup_part(setup, i)) != NULL; i++)
    for (const struct weir_stat *s = part->stats; s != NULL && s->name != NULL; s++)
      n += is_series(s);
  return n;
}

/* ---- samples ---- */

static void thin_samples(struct weir_decisions *d) {
  for (uint32_t i = 0; 2 * i < d->n; i++) {
    d->cycle[i] = d->cycle[2 * i];
    memmove(&d->value[i * d->n_series], &d->value[2 * i * d->n_series],
            d->n_series * sizeof *d->value);
  }
  d->n = (d->n + 1) / 2;
  d->every *= 2;
}

static bool is_due(const struct weir_decisions *d, uint64_t cycle) {
  return d->n == 0 || cycle >= d->cycle[d->n - 1] + d->every;
}

static void sample(void *self, const struct weir_sample *s) {
  struct weir_decisions *d = self;
  for (uint32_t i = 0; i < WEIR_MAX_PARTS; i++)
    if (s->part[i] != NULL && s->part_stats[i] == NULL) return; /* it has no work */
  if (!is_due(d, s->cycle)) return;
  if (d->n == WEIR_DECISION_SAMPLES) thin_samples(d);
  if (!is_due(d, s->cycle)) return;
  uint64_t *v = &d->value[(size_t)d->n * d->n_series];
  d->cycle[d->n++] = s->cycle;
  v[BLOCKS] = s->blocks;
  v[WARP_INSNS] = s->issued;
  v[LOADS] = s->l1_stats->loads;
  v[HITS] = s->l1_stats->hits;
  v[BYPASSED] = s->l1_stats->bypassed;
  uint32_t at = N_OWN;
  const struct weir_part *part;
  for (uint32_t i = 0; (part = weir_setup_part(d->setup, i)) != NULL; i++)
    for (const struct weir_stat *r = part->stats; r != NULL && r->name != NULL; r++)
      if (is_series(r)) memcpy(&v[at++], (const char *)s->part_stats[i] + r->offset, sizeof *v);
}

static void thin_launches(struct weir_decisions *d) {
  for (uint32_t i = 0; i < d->n_launches; i++) {
    if (i % 2 == 0)
      d->launch[i / 2] = d->launch[i];
    else
      free(d->launch[i].kernel);
  }
  d->n_launches = (d->n_launches + 1) / 2;
  d->stride *= 2;
}

static void begin(void *self, const struct weir_kernel_info *k, uint64_t start) {
  struct weir_decisions *d = self;
  char name[WEIR_DEMANGLED];
  if (d->n_launches == LAUNCHES) thin_launches(d);
  if (d->seen++ % d->stride != 0) return;
  struct launch l = {start, weir_strdup(weir_demangle(k->name, name, sizeof name))};
  d->is_failed |= l.kernel == NULL;
  if (l.kernel != NULL) d->launch[d->n_launches++] = l;
}

/* What was seen behind the end may come from any time. */
static void end(void *self, uint64_t end) {
  struct weir_decisions *d = self;
  while (d->n > 0 && d->cycle[d->n - 1] >= end)
    d->n--;
  d->end = end;
}

/* ---- what came of it ---- */

static json_t *values_of(const struct weir_decisions *d, uint32_t series) {
  json_t *list = json_array();
  for (uint32_t i = 0; i < d->n; i++)
    weir_json_push(&list, json_integer((json_int_t)d->value[(size_t)i * d->n_series + series]));
  return list;
}

/* What was never counted is left out. */
static void put_series(const struct weir_decisions *d, json_t **o, const char *name,
                       const char *unit, bool is_level, uint32_t series) {
  bool is_zero = d->n == 0 || d->value[(size_t)(d->n - 1) * d->n_series + series] == 0;
  if (is_zero && !is_level) return;
  weir_json_put(o, name,
                json_pack("{s:s, s:s, s:o}", "kind", is_level ? "level" : "count", "unit", unit,
                          "values", values_of(d, series)));
}

static json_t *series_json(const struct weir_decisions *d) {
  json_t *o = json_object();
  uint32_t at = N_OWN;
  const struct weir_part *part;
  for (uint32_t i = 0; i < N_OWN; i++)
    put_series(d, &o, own[i].name, own[i].unit, own[i].is_level, i);
  for (uint32_t i = 0; (part = weir_setup_part(d->setup, i)) != NULL; i++)
    for (const struct weir_stat *s = part->stats; s != NULL && s->name != NULL; s++) {
      char name[160];
      if (!is_series(s)) continue;
      snprintf(name, sizeof name, "%s.%s", part->name, s->name);
      put_series(d, &o, name, s->unit, s->kind == WEIR_LEVEL, at++);
    }
  return o;
}

json_t *weir_decisions_json(const struct weir_decisions *d) {
  json_t *cycles = json_array(), *launches = json_array();
  for (uint32_t i = 0; i < d->n; i++)
    weir_json_push(&cycles, json_integer((json_int_t)d->cycle[i]));
  for (uint32_t i = 0; i < d->n_launches; i++)
    weir_json_push(&launches, json_pack("{s:I, s:o}", "cycle", (json_int_t)d->launch[i].cycle,
                                        "kernel", weir_json_text(d->launch[i].kernel)));
  json_t *o =
      json_pack("{s:i, s:I, s:I, s:I, s:o, s:o, s:o}", "sm", 0, "every", (json_int_t)d->every,
                "end", (json_int_t)d->end, "launched", (json_int_t)d->seen, "launches", launches,
                "cycles", cycles, "series", series_json(d));
  if (!d->is_failed) return o;
  json_decref(o);
  return NULL;
}

/* ---- beginning and end ---- */

struct weir_decisions *weir_decisions_new(const struct weir_setup *setup) {
  uint32_t n = count_series(setup);
  struct weir_decisions *d =
      weir_calloc(1, sizeof *d + (size_t)WEIR_DECISION_SAMPLES * n * sizeof *d->value);
  if (d == NULL) return NULL;
  d->setup = setup;
  d->n_series = n;
  d->every = WEIR_DECISION_EVERY;
  d->stride = 1;
  d->is_watched = true;
  d->sampler = (struct weir_sampler){.every = WEIR_DECISION_EVERY,
                                     .sms = &d->is_watched,
                                     .n_sms = 1,
                                     .self = d,
                                     .begin = begin,
                                     .sample = sample,
                                     .end = end};
  return d;
}

void weir_decisions_free(struct weir_decisions *d) {
  for (uint32_t i = 0; d != NULL && i < d->n_launches; i++)
    free(d->launch[i].kernel);
  free(d);
}

const struct weir_sampler *weir_decisions_sampler(const struct weir_decisions *d) {
  return &d->sampler;
}
