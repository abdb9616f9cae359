#include "analysis/sites.h"

#include "base/arena.h"

uint64_t weir_eviction_total(const struct weir_eviction *e) {
  uint64_t n = 0;
  for (uint32_t i = 0; i < WEIR_BETWEENS; i++)
    n += e->n[i];
  return n;
}

int weir_eviction_order(const void *a, const void *b) {
  const struct weir_eviction *x = a, *y = b;
  uint64_t m = weir_eviction_total(x), n = weir_eviction_total(y);
  if (m != n) return m > n ? -1 : 1;
  if (x->by != y->by) return x->by < y->by ? -1 : 1;
  return x->of < y->of ? -1 : x->of > y->of;
}

static uint64_t key(uint32_t by, uint32_t of) {
  return (uint64_t)by << 32 | of;
}

static bool add_eviction(struct weir_sites *s, const uint32_t *site,
                         const struct weir_eviction *e) {
  struct weir_eviction new = {.by = site[e->by], .of = site[e->of]};
  uint32_t i = weir_map_of(&s->pairs, key(new.by, new.of));
  if (i == UINT32_MAX || (i == s->evictions.n && !WEIR_PUSH(s->evictions, new))) return false;
  for (uint32_t w = 0; w < WEIR_BETWEENS; w++)
    s->evictions.v[i].n[w] += e->n[w];
  return true;
}

/* After sorting, the map has other numbers. */
static bool number_again(struct weir_sites *s) {
  weir_map_free(&s->pairs);
  for (size_t i = 0; i < s->evictions.n; i++)
    if (weir_map_of(&s->pairs, key(s->evictions.v[i].by, s->evictions.v[i].of)) == UINT32_MAX)
      return false;
  return true;
}

bool weir_sites_make(struct weir_sites *s, const struct weir_locality_set *set,
                     const uint32_t *site, uint32_t n) {
  *s = (struct weir_sites){.set = set, .v = weir_calloc(n + 1u, sizeof *s->v), .n = n};
  if (s->v == NULL) return false;
  for (uint32_t i = 0; i < set->loads.n; i++) {
    struct weir_site *to = &s->v[site[i]];
    if (to->n++ == 0) to->first = i;
    to->kernel = set->loads.v[i].kernel;
    weir_locality_add(&to->of, &set->loads.v[i].of);
  }
  for (size_t i = 0; i < set->evictions.n; i++)
    if (!add_eviction(s, site, &set->evictions.v[i])) return false;
  if (s->evictions.n > 0)
    qsort(s->evictions.v, s->evictions.n, sizeof *s->evictions.v, weir_eviction_order);
  return number_again(s);
}

void weir_sites_free(struct weir_sites *s) {
  free(s->v);
  free(s->evictions.v);
  weir_map_free(&s->pairs);
  *s = (struct weir_sites){0};
}

uint64_t weir_sites_lost(const struct weir_sites *s, uint32_t by, uint32_t of) {
  uint32_t i = s->pairs.n > 0 ? weir_index_find(&s->pairs.index, key(by, of)) : UINT32_MAX;
  return i != UINT32_MAX ? weir_eviction_total(&s->evictions.v[i]) : 0;
}
