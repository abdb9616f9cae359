#include "l1/mshr.h"

bool weir_mshrs_init(struct weir_mshrs *m, uint32_t entries, uint32_t waiters) {
  *m = (struct weir_mshrs){.n_entries = entries, .n_waiters = waiters};
  m->v = weir_calloc(entries, sizeof *m->v);
  m->waiter = weir_calloc(waiters, sizeof *m->waiter);
  m->ready = weir_calloc(waiters, sizeof *m->ready);
  if (m->v == NULL || m->waiter == NULL || m->ready == NULL || !weir_index_init(&m->index, entries))
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
  free(m->ready);
  weir_index_free(&m->index);
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
