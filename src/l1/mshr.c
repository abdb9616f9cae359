#include "l1/mshr.h"

#include <string.h>

bool weir_mshrs_init(struct weir_mshrs *m, uint32_t entries, uint32_t waiters) {
  *m = (struct weir_mshrs){.n_entries = entries, .n_waiters = waiters};
  m->v = weir_calloc(entries, sizeof *m->v);
  m->waiter = weir_calloc(waiters, sizeof *m->waiter);
  m->access = weir_calloc(waiters, sizeof *m->access);
  m->ready = weir_calloc(waiters, sizeof *m->ready);
  if (m->v == NULL || m->waiter == NULL || m->access == NULL || m->ready == NULL ||
      !weir_index_init(&m->index, entries))
    return false;
  for (uint32_t i = 0; i < entries; i++)
    m->v[i].next_free = i + 1 < entries ? i + 1 : UINT32_MAX;
  for (uint32_t i = 0; i < waiters; i++)
    m->waiter[i].next = i + 1 < waiters ? i + 1 : UINT32_MAX;
  return true;
}

void weir_mshrs_free(struct weir_mshrs *m) {
  free(m->v);
  free(m->waiter);
  free(m->access);
  free(m->ready);
  weir_index_free(&m->index);
}

bool weir_mshrs_clone(struct weir_mshrs *to, const struct weir_mshrs *from) {
  if (!weir_mshrs_init(to, from->n_entries, from->n_waiters)) return false;
  memcpy(to->v, from->v, from->n_entries * sizeof *from->v);
  memcpy(to->waiter, from->waiter, from->n_waiters * sizeof *from->waiter);
  memcpy(to->access, from->access, from->n_waiters * sizeof *from->access);
  memcpy(to->ready, from->ready, from->n_waiters * sizeof *from->ready);
  memcpy(to->index.key, from->index.key, (from->index.mask + 1) * sizeof *from->index.key);
  memcpy(to->index.value, from->index.value, (from->index.mask + 1) * sizeof *from->index.value);
  to->n = from->n;
  to->free_entry = from->free_entry;
  to->free_waiter = from->free_waiter;
  to->ready_head = from->ready_head;
  to->ready_n = from->ready_n;
  return true;
}

const char *weir_mshrs_verify(const struct weir_mshrs *m) {
  uint32_t n = 0;
  for (uint32_t i = m->free_entry; i != UINT32_MAX && n <= m->n_entries; i = m->v[i].next_free)
    n++;
  if (n != m->n_entries || m->n != 0) return "MSHRs are not all free";
  n = 0;
  for (uint32_t i = m->free_waiter; i != UINT32_MAX && n <= m->n_waiters; i = m->waiter[i].next)
    n++;
  return n != m->n_waiters ? "places for waiting loads are not all free" : NULL;
}
