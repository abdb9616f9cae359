/* Loads that belong together, such as those that a compiler made of one by unrolling a loop: what
 * is said of them as one. */
#ifndef WEIR_ANALYSIS_SITES_H
#define WEIR_ANALYSIS_SITES_H

#include "analysis/locality.h"

struct weir_site {
  uint32_t kernel, first, n; /* its loads: the first that was numbered, and how many they are */
  struct weir_locality of;
};

struct weir_sites {
  const struct weir_locality_set *set;
  struct weir_site *v;
  uint32_t n;
  struct {
    struct weir_eviction *v; /* by and of are sites */
    size_t n, cap;
  } evictions; /* most misses first */
  struct weir_map pairs;
};

/* site[i]: that of load i, numbers below n, each used, those of one kernel. `set` outlives it.
 * False: no memory; it is to be freed then, too. */
bool weir_sites_make(struct weir_sites *s, const struct weir_locality_set *set,
                     const uint32_t *site, uint32_t n);
void weir_sites_free(struct weir_sites *s);

/* Misses of `of` on lines that `by` had evicted. */
uint64_t weir_sites_lost(const struct weir_sites *s, uint32_t by, uint32_t of);
uint64_t weir_eviction_total(const struct weir_eviction *e);
/* For qsort: most misses first. */
int weir_eviction_order(const void *a, const void *b);

#endif
