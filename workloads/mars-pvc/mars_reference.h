// Grouping as the kernels of mars.h do it: in the order that the sorting network gives to equal
// keys.
#ifndef WEIR_WORKLOADS_MARS_REFERENCE_H
#define WEIR_WORKLOADS_MARS_REFERENCE_H

#include "../reference.h"

struct mars_entry {
  int32_t key, key_bytes, val, val_bytes;
};

struct mars {
  uint8_t *keys, *vals, *out_keys, *out_vals; // before and after
  struct mars_entry *index;
  int32_t (*ranges)[2];
  int (*compare)(const uint8_t *, const uint8_t *);
};

static inline int mars_order(const struct mars *m, const struct mars_entry *a,
                             const struct mars_entry *b) {
  if (a->key < 0 || b->key < 0) return (b->key < 0) - (a->key < 0);
  return m->compare(m->keys + a->key, m->keys + b->key);
}

// A record behind those that are there: n of them, and *keys and *vals bytes.
static inline void mars_add(struct mars *m, uint32_t n, const void *key, const void *val,
                            int32_t key_bytes, int32_t val_bytes, int32_t *keys, int32_t *vals) {
  memcpy(m->keys + *keys, key, (size_t)key_bytes);
  memcpy(m->vals + *vals, val, (size_t)val_bytes);
  m->index[n] = (struct mars_entry){*keys, key_bytes, *vals, val_bytes};
  *keys += key_bytes;
  *vals += val_bytes;
}

// Sorts n records in a network of `size`, after which they are the last n entries; packs them in
// that order, and finds the groups. Returns their number.
static inline uint32_t mars_group(struct mars *m, uint32_t n, uint32_t size) {
  for (uint32_t i = n; i < size; i++)
    m->index[i] = (struct mars_entry){-1, -1, -1, -1};
  for (uint32_t k = 2; k <= size; k *= 2)
    for (uint32_t j = k / 2; j > 0; j /= 2)
      for (uint32_t i = 0; i < size; i++) {
        struct mars_entry *a = &m->index[i], *b = &m->index[i ^ j], t = *a;
        if (b > a && mars_order(m, a, b) == (i & k ? -1 : 1)) {
          *a = *b;
          *b = t;
        }
      }
  struct mars_entry *e = m->index + size - n;
  int32_t keys = 0, vals = 0;
  uint32_t groups = 0;
  for (uint32_t i = 0; i < n; i++) {
    if (i == 0 || m->compare(m->keys + e[i].key, m->out_keys + e[i - 1].key) != 0)
      m->ranges[groups++][0] = (int32_t)i;
    memcpy(m->out_keys + keys, m->keys + e[i].key, (size_t)e[i].key_bytes);
    memcpy(m->out_vals + vals, m->vals + e[i].val, (size_t)e[i].val_bytes);
    e[i].key = keys;
    e[i].val = vals;
    keys += e[i].key_bytes;
    vals += e[i].val_bytes;
  }
  for (uint32_t g = 0; g < groups; g++)
    m->ranges[g][1] = g + 1 < groups ? m->ranges[g + 1][0] : (int32_t)n;
  return groups;
}

// What a launch file must know beforehand.
static inline void mars_want(const char *name, uint32_t is, uint32_t var) {
  if (is == var) return;
  fprintf(stderr, "%s is %" PRIu32 ", not %" PRIu32 "\n", name, is, var);
  exit(1);
}

#endif
