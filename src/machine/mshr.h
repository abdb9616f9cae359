/* Lines that are waited for, and who waits for them: of the L1, of the L2 and of the L3. Entries
 * and waiters are numbers; what their owner knows of them besides lies in arrays of its own. */
#ifndef WEIR_MACHINE_MSHR_H
#define WEIR_MACHINE_MSHR_H

#include <stdbool.h>
#include <stdint.h>

enum { WEIR_NO_ENTRY = UINT32_MAX, WEIR_NO_WAITER = UINT32_MAX };

struct weir_waiter {
  uint32_t next, entry;
  uint16_t wait; /* sectors that have not come */
};

struct weir_mshr {
  uint32_t first, last; /* those that wait for sectors, in order of arrival */
  uint32_t n;           /* waiters that were not released */
  uint32_t next_free;
};

struct weir_mshrs {
  struct weir_mshr *v;
  struct weir_waiter *waiter;
  uint32_t n, n_entries, n_waiters; /* n: entries that are open */
  uint32_t free_entry, free_waiter; /* WEIR_NO_ENTRY: none is */
};

/* False: out of memory; free() takes what is there. */
bool weir_mshrs_init(struct weir_mshrs *m, uint32_t entries, uint32_t waiters);
void weir_mshrs_free(struct weir_mshrs *m);
/* Of two of the same size. */
void weir_mshrs_copy(struct weir_mshrs *to, const struct weir_mshrs *from);
/* Are all entries and waiters free? NULL: yes, else what is not. */
const char *weir_mshrs_verify(const struct weir_mshrs *m);

/* There is one to be had. */
static inline uint32_t weir_mshr_open(struct weir_mshrs *m) {
  uint32_t e = m->free_entry;
  m->free_entry = m->v[e].next_free;
  m->v[e] = (struct weir_mshr){.first = WEIR_NO_WAITER, .last = WEIR_NO_WAITER};
  m->n++;
  return e;
}

/* Nobody waits any more. */
static inline void weir_mshr_close(struct weir_mshrs *m, uint32_t e) {
  m->v[e].next_free = m->free_entry;
  m->free_entry = e;
  m->n--;
}

/* One more waiter, and there is one to be had. One for whom all sectors are there (wait 0) counts
 * until it is released, but is not told of arrivals. */
static inline uint32_t weir_mshr_wait(struct weir_mshrs *m, uint32_t e, uint32_t wait) {
  struct weir_mshr *h = &m->v[e];
  uint32_t w = m->free_waiter;
  m->free_waiter = m->waiter[w].next;
  m->waiter[w] = (struct weir_waiter){.entry = e, .wait = (uint16_t)wait, .next = WEIR_NO_WAITER};
  h->n++;
  if (wait == 0) return w;
  if (h->last != WEIR_NO_WAITER)
    m->waiter[h->last].next = w;
  else
    h->first = w;
  h->last = w;
  return w;
}

/* Sectors came. Those who waited for nothing else leave the list of the entry and are given back as
 * one of their own, linked by `next` in order of arrival. */
static inline uint32_t weir_mshr_arrive(struct weir_mshrs *m, uint32_t e, uint32_t sectors) {
  struct weir_mshr *h = &m->v[e];
  uint32_t done = WEIR_NO_WAITER, *to_done = &done, *to_stay = &h->first, last = WEIR_NO_WAITER;
  for (uint32_t w = h->first; w != WEIR_NO_WAITER;) {
    struct weir_waiter *x = &m->waiter[w];
    x->wait &= (uint16_t)~sectors;
    if (x->wait == 0) {
      *to_done = w;
      to_done = &x->next;
    } else {
      *to_stay = w;
      to_stay = &x->next;
      last = w;
    }
    w = x->next;
  }
  *to_done = *to_stay = WEIR_NO_WAITER;
  h->last = last;
  return done;
}

/* It was answered; returns the one behind it in the list that it is in. */
static inline uint32_t weir_mshr_release(struct weir_mshrs *m, uint32_t w) {
  uint32_t next = m->waiter[w].next;
  m->waiter[w].next = m->free_waiter;
  m->free_waiter = w;
  m->v[m->waiter[w].entry].n--;
  return next;
}

#endif
