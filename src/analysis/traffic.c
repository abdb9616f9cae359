#include "analysis/traffic.h"

uint32_t weir_load_pairs(const struct weir_loads *l, struct weir_load_pair *out) {
  uint32_t n = 0;
  for (uint32_t distance = 1; distance < l->n; distance++)
    for (uint32_t a = 0; a + distance < l->n && n < WEIR_MOST_PAIRS; a++) {
      const struct weir_static_load *x = &l->v[a], *y = &l->v[a + distance];
      if (!x->is_fixed && !y->is_fixed && x->group == y->group)
        out[n++] = (struct weir_load_pair){.a = a, .b = a + distance};
    }
  return n;
}

/* What two loads save together beyond what each saves alone. */
static int64_t pair_gain(const struct weir_traffic *t, const struct weir_load_pair *p) {
  return (int64_t)t->alone[p->a] + (int64_t)t->alone[p->b] - (int64_t)p->together;
}

int64_t weir_traffic_saved(const struct weir_traffic *t, const enum weir_tag *tags, uint32_t load) {
  int64_t saved = (int64_t)t->bypassed[load] - (int64_t)t->alone[load];
  for (uint32_t i = 0; i < t->n_pairs; i++) {
    const struct weir_load_pair *p = &t->pairs[i];
    if ((p->a == load && tags[p->b] == WEIR_TAG_CA) || (p->b == load && tags[p->a] == WEIR_TAG_CA))
      saved += pair_gain(t, p);
  }
  return saved;
}

static bool has_room(const struct weir_traffic *t, uint64_t loads) {
  uint64_t lines = 0;
  for (size_t i = 0; i < t->n_uses; i++)
    if ((t->uses[i].loads & loads) != 0) lines += t->uses[i].lines;
  return lines <= t->room;
}

/* The next one; the number of loads: none. */
static uint32_t best_load(const struct weir_loads *l, const struct weir_traffic *t,
                          const enum weir_tag *tags, uint64_t chosen) {
  uint32_t best = l->n;
  int64_t most = 0;
  for (uint32_t i = 0; i < l->n; i++) {
    int64_t saved = tags[i] == WEIR_TAG_CG ? weir_traffic_saved(t, tags, i) : 0;
    if (saved <= most || !has_room(t, chosen | weir_load_bit(i))) continue;
    most = saved;
    best = i;
  }
  return best;
}

void weir_traffic_choose(const struct weir_loads *l, const struct weir_traffic *t,
                         enum weir_tag *out) {
  uint64_t chosen = 0;
  for (uint32_t i = 0; i < l->n; i++)
    out[i] = l->v[i].is_fixed ? WEIR_TAG_NONE : WEIR_TAG_CG;
  for (uint32_t i; (i = best_load(l, t, out, chosen)) < l->n;) {
    out[i] = WEIR_TAG_CA;
    chosen |= weir_load_bit(i);
  }
}
