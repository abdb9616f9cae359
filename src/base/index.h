/* From a line address to a small number: open addressing, linear probing, deletion by shifting
 * back. Fixed size. */
#ifndef WEIR_BASE_INDEX_H
#define WEIR_BASE_INDEX_H

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>

#include "base/mem.h"

struct weir_index {
  uint64_t *key; /* line + 1, 0 = empty */
  uint32_t *value;
  uint32_t mask;
};

static inline bool weir_index_init(struct weir_index *x, uint32_t entries) {
  uint32_t n = 8;
  while (n < 2 * entries)
    n *= 2;
  x->key = weir_calloc(n, sizeof *x->key);
  x->value = weir_calloc(n, sizeof *x->value);
  x->mask = n - 1;
  return x->key != NULL && x->value != NULL;
}

static inline void weir_index_free(struct weir_index *x) {
  free(x->key);
  free(x->value);
}

static inline uint32_t weir_index_slot(const struct weir_index *x, uint64_t line) {
  return (uint32_t)((line * UINT64_C(0x9e3779b97f4a7c15)) >> 40) & x->mask;
}

/* UINT32_MAX: not there. */
static inline uint32_t weir_index_find(const struct weir_index *x, uint64_t line) {
  for (uint32_t i = weir_index_slot(x, line);; i = (i + 1) & x->mask) {
    if (x->key[i] == line + 1) return x->value[i];
    if (x->key[i] == 0) return UINT32_MAX;
  }
}

static inline void weir_index_put(struct weir_index *x, uint64_t line, uint32_t value) {
  uint32_t i = weir_index_slot(x, line);
  while (x->key[i] != 0)
    i = (i + 1) & x->mask;
  x->key[i] = line + 1;
  x->value[i] = value;
}

static inline void weir_index_remove(struct weir_index *x, uint64_t line) {
  uint32_t i = weir_index_slot(x, line);
  while (x->key[i] != line + 1)
    i = (i + 1) & x->mask;
  for (uint32_t k = (i + 1) & x->mask; x->key[k] != 0; k = (k + 1) & x->mask) {
    uint32_t home = weir_index_slot(x, x->key[k] - 1);
    if (((k - home) & x->mask) < ((k - i) & x->mask)) continue; /* it would move before its home */
    x->key[i] = x->key[k];
    x->value[i] = x->value[k];
    i = k;
  }
  x->key[i] = 0;
}

#endif
