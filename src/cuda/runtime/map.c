#include "cuda/runtime/map.h"

#include <stdlib.h>

#include "base/hash.h"
#include "base/mem.h"

/* The slot of a key, or the free one where it would go. */
static struct weir_gpu_slot *find(struct weir_gpu_slot *slots, size_t cap, uint64_t key) {
  size_t i = (size_t)weir_splitmix64(key) & (cap - 1);
  while (slots[i].key != 0 && slots[i].key != key)
    i = (i + 1) & (cap - 1);
  return &slots[i];
}

static bool grow(struct weir_gpu_map *m) {
  size_t live = 0;
  for (size_t i = 0; i < m->cap; i++)
    live += m->slots[i].value != NULL;
  size_t cap = 64;
  while (cap < 4 * (live + 1))
    cap *= 2;
  struct weir_gpu_slot *slots = weir_calloc(cap, sizeof *slots);
  if (slots == NULL) return false;
  for (size_t i = 0; i < m->cap; i++)
    if (m->slots[i].value != NULL) *find(slots, cap, m->slots[i].key) = m->slots[i];
  free(m->slots);
  *m = (struct weir_gpu_map){.slots = slots, .cap = cap, .used = live};
  return true;
}

bool weir_gpu_map_set(struct weir_gpu_map *m, uint64_t key, void *value) {
  if (2 * (m->used + 1) > m->cap && !grow(m)) return false;
  struct weir_gpu_slot *s = find(m->slots, m->cap, key);
  m->used += s->key == 0;
  *s = (struct weir_gpu_slot){key, value};
  return true;
}

void *weir_gpu_map_get(const struct weir_gpu_map *m, uint64_t key) {
  return m->cap != 0 && key != 0 ? find(m->slots, m->cap, key)->value : NULL;
}

void *weir_gpu_map_remove(struct weir_gpu_map *m, uint64_t key) {
  if (m->cap == 0 || key == 0) return NULL;
  struct weir_gpu_slot *s = find(m->slots, m->cap, key);
  void *value = s->value;
  s->value = NULL;
  return value;
}

void weir_gpu_map_free(struct weir_gpu_map *m) {
  free(m->slots);
  *m = (struct weir_gpu_map){0};
}
