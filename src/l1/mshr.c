#include "l1/mshr.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

bool weir_l1_mshrs_init(struct weir_l1_mshrs *m, uint32_t entries, uint32_t waiters) {
  *m = (struct weir_l1_mshrs){0};
  m->entry = weir_calloc(entries, sizeof *m->entry);
  m->waiter = weir_calloc(waiters, sizeof *m->waiter);
  return m->entry != NULL && m->waiter != NULL && weir_mshrs_init(&m->table, entries, waiters) &&
         WEIR_RING_INIT(m->ready, waiters) && weir_index_init(&m->index, entries);
}

void weir_l1_mshrs_free(struct weir_l1_mshrs *m) {
  weir_mshrs_free(&m->table);
  free(m->entry);
  free(m->waiter);
  free(m->ready.v);
  weir_index_free(&m->index);
}

bool weir_l1_mshrs_clone(struct weir_l1_mshrs *to, const struct weir_l1_mshrs *from) {
  const struct weir_mshrs *t = &from->table;
  if (!weir_l1_mshrs_init(to, t->n_entries, t->n_waiters)) return false;
  weir_mshrs_copy(&to->table, t);
  memcpy(to->entry, from->entry, t->n_entries * sizeof *from->entry);
  memcpy(to->waiter, from->waiter, t->n_waiters * sizeof *from->waiter);
  WEIR_RING_COPY(to->ready, from->ready);
  memcpy(to->index.key, from->index.key, (from->index.mask + 1) * sizeof *from->index.key);
  memcpy(to->index.value, from->index.value, (from->index.mask + 1) * sizeof *from->index.value);
  return true;
}
