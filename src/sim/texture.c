#include "sim/texture.h"

#include <assert.h>
#include <stdlib.h>

#include "base/mem.h"
#include "machine/machine.h"

enum { NONE = UINT32_MAX };

struct line {
  uint64_t addr, used;  /* used 0: there is none */
  uint32_t first, last; /* that wait; NONE */
  bool is_pending;
};

struct waiter {
  uint32_t load, next;
};

struct weir_texture {
  struct line *line;
  struct waiter *waiter; /* as many as loads can be under way */
  uint32_t sets, ways, n_waiters, free_waiter;
  uint64_t line_bytes, clock;
};

struct weir_texture *weir_texture_new(const struct weir_machine *m) {
  struct weir_texture *t = weir_calloc(1, sizeof *t);
  if (t == NULL) return NULL;
  t->line_bytes = (uint64_t)m->l1.line;
  t->ways = (uint32_t)m->sm.texture_ways;
  t->sets = (uint32_t)(m->sm.texture_bytes / (m->l1.line * m->sm.texture_ways));
  t->n_waiters = (uint32_t)m->sm.inflight;
  t->line = weir_calloc((size_t)t->sets * t->ways, sizeof *t->line);
  t->waiter = weir_calloc(t->n_waiters, sizeof *t->waiter);
  if (t->line == NULL || t->waiter == NULL) {
    weir_texture_free(t);
    return NULL;
  }
  for (uint32_t i = 0; i < t->n_waiters; i++)
    t->waiter[i].next = i + 1 < t->n_waiters ? i + 1 : NONE;
  return t;
}

void weir_texture_free(struct weir_texture *t) {
  if (t == NULL) return;
  free(t->line);
  free(t->waiter);
  free(t);
}

void weir_texture_empty(struct weir_texture *t) {
  for (uint32_t i = 0; i < t->sets * t->ways; i++)
    t->line[i].used = 0;
}

static struct line *set_of(const struct weir_texture *t, uint64_t addr) {
  return &t->line[addr / t->line_bytes % t->sets * t->ways];
}

/* NULL: it is not there. */
static struct line *find(const struct weir_texture *t, uint64_t addr) {
  struct line *set = set_of(t, addr);
  for (uint32_t i = 0; i < t->ways; i++)
    if (set[i].used != 0 && set[i].addr == addr / t->line_bytes) return &set[i];
  return NULL;
}

enum weir_texel weir_texture_find(const struct weir_texture *t, uint64_t addr) {
  const struct line *l = find(t, addr);
  return l == NULL ? WEIR_TEXEL_AWAY : l->is_pending ? WEIR_TEXEL_PENDING : WEIR_TEXEL_HERE;
}

void weir_texture_hit(struct weir_texture *t, uint64_t addr) {
  find(t, addr)->used = ++t->clock;
}

void weir_texture_wait(struct weir_texture *t, uint64_t addr, uint32_t load) {
  struct line *l = find(t, addr);
  const uint32_t i = t->free_waiter;
  assert(i != NONE); /* no more loads are under way than there are waiters */
  t->free_waiter = t->waiter[i].next;
  t->waiter[i] = (struct waiter){.load = load, .next = NONE};
  if (l->first == NONE)
    l->first = i;
  else
    t->waiter[l->last].next = i;
  l->last = i;
  l->used = ++t->clock;
}

void weir_texture_sent(struct weir_texture *t, uint64_t addr) {
  struct line *set = set_of(t, addr), *oldest = NULL;
  for (uint32_t i = 0; i < t->ways; i++)
    if (!(set[i].used != 0 && set[i].is_pending) && (oldest == NULL || set[i].used < oldest->used))
      oldest = &set[i];
  if (oldest == NULL) return;
  *oldest = (struct line){.addr = addr / t->line_bytes,
                          .used = ++t->clock,
                          .first = NONE,
                          .last = NONE,
                          .is_pending = true};
}

uint32_t weir_texture_came(struct weir_texture *t, uint64_t addr) {
  struct line *l = find(t, addr);
  if (l == NULL || !l->is_pending) return NONE;
  const uint32_t i = l->first;
  if (i == NONE) {
    l->is_pending = false;
    return NONE;
  }
  l->first = t->waiter[i].next;
  t->waiter[i].next = t->free_waiter;
  t->free_waiter = i;
  return t->waiter[i].load;
}
