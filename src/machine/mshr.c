#include "machine/mshr.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

bool weir_mshrs_init(struct weir_mshrs *m, uint32_t entries, uint32_t waiters) {
  *m = (struct weir_mshrs){.n_entries = entries, .n_waiters = waiters};
  m->v = weir_calloc(entries, sizeof *m->v);
  m->waiter = weir_calloc(waiters, sizeof *m->waiter);
  if (m->v == NULL || m->waiter == NULL) return false;
  for (uint32_t i = 0; i < entries; i++)
    m->v[i].next_free = i + 1 < entries ? i + 1 : WEIR_NO_ENTRY;
  for (uint32_t i = 0; i < waiters; i++)
    m->waiter[i].next = i + 1 < waiters ? i + 1 : WEIR_NO_WAITER;
  return true;
}

void weir_mshrs_free(struct weir_mshrs *m) {
  free(m->v);
  free(m->waiter);
}

void weir_mshrs_copy(struct weir_mshrs *to, const struct weir_mshrs *from) {
  memcpy(to->v, from->v, from->n_entries * sizeof *from->v);
  memcpy(to->waiter, from->waiter, from->n_waiters * sizeof *from->waiter);
  to->n = from->n;
  to->free_entry = from->free_entry;
  to->free_waiter = from->free_waiter;
}

const char *weir_mshrs_verify(const struct weir_mshrs *m) {
  uint32_t n = 0;
  for (uint32_t i = m->free_entry; i != WEIR_NO_ENTRY && n <= m->n_entries; i = m->v[i].next_free)
    n++;
  if (n != m->n_entries || m->n != 0) return "MSHRs are not all free";
  n = 0;
  for (uint32_t i = m->free_waiter; i != WEIR_NO_WAITER && n <= m->n_waiters; i = m->waiter[i].next)
    n++;
  return n != m->n_waiters ? "places for those who wait for MSHRs are not all free" : NULL;
}
