/* From a 64-bit key to a small number, as base/index.h, growing as needed. */
#ifndef WEIR_ANALYSIS_MAP_H
#define WEIR_ANALYSIS_MAP_H

#include "base/index.h"

struct weir_map {
  struct weir_index index; /* without memory while n is 0 */
  uint32_t n;              /* keys, numbered 0 .. n-1 in the order in which they came */
};

static inline void weir_map_free(struct weir_map *m) {
  weir_index_free(&m->index);
  *m = (struct weir_map){0};
}

static inline bool weir_map_grow(struct weir_map *m) {
  struct weir_index new;
  if (m->index.key != NULL && 2 * m->n <= m->index.mask) return true;
  if (!weir_index_init(&new, m->n + 8)) {
    weir_index_free(&new);
    return false;
  }
  for (uint32_t i = 0; m->index.key != NULL && i <= m->index.mask; i++)
    if (m->index.key[i] != 0) weir_index_put(&new, m->index.key[i] - 1, m->index.value[i]);
  weir_index_free(&m->index);
  m->index = new;
  return true;
}

/* The number of a key, which gets the next one if it is new; UINT32_MAX: no memory. */
static inline uint32_t weir_map_of(struct weir_map *m, uint64_t key) {
  uint32_t i = m->n > 0 ? weir_index_find(&m->index, key) : UINT32_MAX;
  if (i != UINT32_MAX) return i;
  if (m->n == UINT32_MAX - 1 || !weir_map_grow(m)) return UINT32_MAX;
  weir_index_put(&m->index, key, m->n);
  return m->n++;
}

#endif
