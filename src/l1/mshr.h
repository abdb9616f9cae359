/* Lines that are waited for: one mechanism for all organisations, with sector masks. An entry lives
 * while sectors are on their way or waiters have not been answered. */
#ifndef WEIR_L1_MSHR_H
#define WEIR_L1_MSHR_H

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>

#include "base/index.h"
#include "base/mem.h"
#include "weir/policy.h"

enum { WEIR_NO_ENTRY = UINT32_MAX };

struct weir_waiter {
  uint32_t id, next, entry;
  uint16_t wait; /* 0: what it wants has come, its turn has not */
};

struct weir_mshr {
  uint64_t addr;
  uint32_t first, last; /* waiters in order of arrival */
  uint32_t n;           /* waiters, those that are being answered included */
  uint16_t issued, dropped;
  uint32_t next_free;
};

struct weir_mshrs {
  struct weir_mshr *v;
  struct weir_waiter *waiter;
  struct weir_access *access; /* of each waiter: what was presented */
  struct weir_index index;
  uint32_t n, n_entries, n_waiters, free_entry, free_waiter;
  uint32_t *ready; /* ring: waiters to be answered, one per cycle */
  uint32_t ready_head, ready_n;
};

bool weir_mshrs_init(struct weir_mshrs *m, uint32_t entries, uint32_t waiters);
void weir_mshrs_free(struct weir_mshrs *m);
bool weir_mshrs_clone(struct weir_mshrs *to, const struct weir_mshrs *from);
/* Are all entries and waiters free? NULL: yes, else what is not. */
const char *weir_mshrs_verify(const struct weir_mshrs *m);

static inline uint32_t weir_mshr_find(const struct weir_mshrs *m, uint64_t addr) {
  return m->n == 0 ? UINT32_MAX : weir_index_find(&m->index, addr);
}

static inline uint32_t weir_mshr_open(struct weir_mshrs *m, uint64_t addr) {
  uint32_t e = m->free_entry;
  m->free_entry = m->v[e].next_free;
  m->v[e] = (struct weir_mshr){.addr = addr, .first = UINT32_MAX, .last = UINT32_MAX};
  weir_index_put(&m->index, addr, e);
  m->n++;
  return e;
}

static inline void weir_mshr_answer(struct weir_mshrs *m, uint32_t w) {
  uint32_t at = m->ready_head + m->ready_n++;
  m->ready[at < m->n_waiters ? at : at - m->n_waiters] = w;
}

/* Returns the waiter: the name of the request that it may send. */
static inline uint32_t weir_mshr_wait(struct weir_mshrs *m, uint32_t e, uint32_t id,
                                      uint32_t wait) {
  struct weir_mshr *h = &m->v[e];
  uint32_t w = m->free_waiter;
  m->free_waiter = m->waiter[w].next;
  m->waiter[w] =
      (struct weir_waiter){.id = id, .entry = e, .wait = (uint16_t)wait, .next = UINT32_MAX};
  h->n++;
  if (wait == 0) {
    weir_mshr_answer(m, w);
    return w;
  }
  if (h->last != UINT32_MAX)
    m->waiter[h->last].next = w;
  else
    h->first = w;
  h->last = w;
  return w;
}

static inline void weir_mshr_close_if_done(struct weir_mshrs *m, uint32_t e) {
  struct weir_mshr *h = &m->v[e];
  if (h->n > 0 || h->issued != 0) return;
  weir_index_remove(&m->index, h->addr);
  h->next_free = m->free_entry;
  m->free_entry = e;
  m->n--;
}

/* Sectors came: those who waited for nothing else are answered in their turn. */
static inline void weir_mshr_arrive(struct weir_mshrs *m, uint32_t e, uint32_t arrived) {
  struct weir_mshr *h = &m->v[e];
  uint32_t *link = &h->first, last = UINT32_MAX;
  for (uint32_t w = h->first; w != UINT32_MAX; w = m->waiter[w].next) {
    m->waiter[w].wait &= (uint16_t)~arrived;
    if (m->waiter[w].wait == 0) {
      weir_mshr_answer(m, w);
      *link = m->waiter[w].next;
    } else {
      link = &m->waiter[w].next;
      last = w;
    }
  }
  h->last = last;
  h->issued &= (uint16_t)~arrived;
  h->dropped &= (uint16_t)~arrived;
}

/* The next to be answered; the caller has looked at ready_n. */
static inline uint32_t weir_mshr_drain(struct weir_mshrs *m) {
  uint32_t w = m->ready[m->ready_head], e = m->waiter[w].entry, id = m->waiter[w].id;
  if (++m->ready_head == m->n_waiters) m->ready_head = 0;
  m->ready_n--;
  m->waiter[w].next = m->free_waiter;
  m->free_waiter = w;
  m->v[e].n--;
  weir_mshr_close_if_done(m, e);
  return id;
}

#endif
