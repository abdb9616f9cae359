/* The MSHRs of an L1: one mechanism for all organisations, with sector masks. Beyond what those of
 * other caches have, they are found by address, because a line need not be there any more, and
 * loads are answered one per cycle. An entry is open while sectors are on their way or waiters were
 * not answered. */
#ifndef WEIR_L1_MSHR_H
#define WEIR_L1_MSHR_H

#include <stdbool.h>
#include <stdint.h>

#include "base/index.h"
#include "base/ring.h"
#include "machine/mshr.h"
#include "weir/policy.h"

struct weir_l1_entry {
  uint64_t addr;
  uint16_t issued, dropped; /* sectors on their way; of these, those that a store has overwritten */
};

struct weir_l1_waiter {
  uint32_t id;          /* of the load */
  struct weir_access a; /* what was presented */
};

struct weir_l1_mshrs {
  struct weir_mshrs table;
  struct weir_l1_entry *entry;
  struct weir_l1_waiter *waiter;
  struct weir_index index;
  struct {
    uint32_t *v;
    uint32_t head, n, cap;
  } ready; /* waiters to be answered */
};

/* False: out of memory; free() takes what is there. */
bool weir_l1_mshrs_init(struct weir_l1_mshrs *m, uint32_t entries, uint32_t waiters);
void weir_l1_mshrs_free(struct weir_l1_mshrs *m);
bool weir_l1_mshrs_clone(struct weir_l1_mshrs *to, const struct weir_l1_mshrs *from);

static inline uint32_t weir_l1_mshr_find(const struct weir_l1_mshrs *m, uint64_t addr) {
  return m->table.n == 0 ? WEIR_NO_ENTRY : weir_index_find(&m->index, addr);
}

static inline uint32_t weir_l1_mshr_open(struct weir_l1_mshrs *m, uint64_t addr) {
  uint32_t e = weir_mshr_open(&m->table);
  m->entry[e] = (struct weir_l1_entry){.addr = addr};
  weir_index_put(&m->index, addr, e);
  return e;
}

/* Returns the waiter: the name of the request that it may send. */
static inline uint32_t weir_l1_mshr_wait(struct weir_l1_mshrs *m, uint32_t e, uint32_t wait,
                                         uint32_t id, const struct weir_access *a) {
  uint32_t w = weir_mshr_wait(&m->table, e, wait);
  m->waiter[w] = (struct weir_l1_waiter){.id = id, .a = *a};
  if (wait == 0) WEIR_RING_PUSH(m->ready, w);
  return w;
}

static inline void weir_l1_mshr_close_if_done(struct weir_l1_mshrs *m, uint32_t e) {
  if (m->table.v[e].n > 0 || m->entry[e].issued != 0) return;
  weir_index_remove(&m->index, m->entry[e].addr);
  weir_mshr_close(&m->table, e);
}

/* Sectors came: those who waited for nothing else are answered in their turn. */
static inline void weir_l1_mshr_arrive(struct weir_l1_mshrs *m, uint32_t e, uint32_t arrived) {
  uint32_t w = weir_mshr_arrive(&m->table, e, arrived);
  for (; w != WEIR_NO_WAITER; w = m->table.waiter[w].next)
    WEIR_RING_PUSH(m->ready, w);
  m->entry[e].issued &= (uint16_t)~arrived;
  m->entry[e].dropped &= (uint16_t)~arrived;
  weir_l1_mshr_close_if_done(m, e);
}

/* The next to be answered; the caller has looked at ready.n. */
static inline uint32_t weir_l1_mshr_drain(struct weir_l1_mshrs *m) {
  uint32_t w = WEIR_RING_HEAD(m->ready), e = m->table.waiter[w].entry;
  WEIR_RING_POP(m->ready);
  weir_mshr_release(&m->table, w);
  weir_l1_mshr_close_if_done(m, e);
  return m->waiter[w].id;
}

#endif
