/* The baseline L1: tags, one MSHR mechanism with sector masks, miss queue, bypass path. A request
 * either is taken, with all it needs, or leaves no trace. */
#include "l1/l1.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "sim/index.h"

#define S(f, u, h) WEIR_STAT(weir_l1_stats, f, u, h)
const struct weir_stat weir_l1_stat_table[] = {
    S(loads, "request", "load requests taken"),
    S(hits, "request", "loads that found all their sectors"),
    S(hit_reserved, "request", "loads that joined a pending line and sent nothing"),
    S(misses, "request", "loads whose line was not there"),
    S(partial_misses, "request",
      "loads that sent for further sectors of a line that was there or pending"),
    S(bypassed, "request", "loads that went past the L1"),
    S(stores, "request", "store requests taken"),
    S(store_hits, "request", "stores whose line was there"),
    S(atomics, "request", "atomic requests taken"),
    S(sectors, "sector", "sectors that loads asked for"),
    S(sectors_hit, "sector", "of these, there"),
    S(sectors_missed, "sector", "of these, neither there nor on their way"),
    S(sectors_bypassed, "sector", "sectors of bypassed loads"),
    S(store_sectors, "sector", "sectors that stores wrote"),
    S(store_sectors_missed, "sector", "of these, not there"),
    S(fills, "sector", "sectors that arrived"),
    S(evictions, "line", "lines replaced"),
    S(evictions_unused, "line", "of these, never hit after they were filled"),
    S(store_evictions, "line", "lines or sectors dropped by stores"),
    S(mshr_merges, "request", "requests that joined an MSHR entry"),
    S(requests, "packet", "packets sent to the L2"),
    WEIR_STAT_END};
static const struct weir_check l1_checks[] = {
    {"loads == hits + hit_reserved + misses + partial_misses + bypassed",
     "every load has one class"},
    {NULL, NULL}};
const struct weir_stat_group weir_l1_stat_group = {"l1", "What the L1 caches did.",
                                                   weir_l1_stat_table, l1_checks};

enum { SECTOR = 32 };

struct line {
  uint64_t line; /* number + 1, 0 = empty */
  uint64_t used;
  uint8_t valid, pending, dirty, partial;
  bool was_hit;
};

struct waiter {
  uint32_t id, next, mshr;
  uint8_t wait;
};

struct mshr {
  uint64_t addr;
  uint32_t first, last; /* waiters in order of arrival */
  uint32_t n;           /* waiters, those that are being answered included */
  uint32_t where;       /* the way that had its line last, if it had one: a guess */
  uint8_t issued, dropped;
  uint32_t next_free;
};

struct ring {
  struct weir_msg *v;
  uint32_t head, n, cap;
};

struct weir_l1 {
  const struct weir_machine *m;
  uint32_t sm, ways, n_sets;
  struct line *lines;
  struct mshr *mshr;
  struct waiter *waiter;
  struct weir_index index;
  uint32_t free_mshr, free_waiter, n_mshr;
  struct {
    uint32_t *v;
    uint32_t head, n, cap;
  } ready; /* waiters to be answered, one per cycle */
  struct ring miss, bypass;
  bool bypass_turn;
  uint64_t stamp, port_free;
  uint8_t all; /* sectors of a line */
  struct weir_l1_stats stats;
};

static bool ring_init(struct ring *r, int64_t cap) {
  r->cap = (uint32_t)cap;
  r->v = calloc(r->cap, sizeof *r->v);
  return r->v != NULL;
}
static bool ring_full(const struct ring *r) {
  return r->n == r->cap;
}
static struct weir_msg *ring_push(struct ring *r) {
  return &r->v[(r->head + r->n++) % r->cap];
}
static void ring_pop(struct ring *r) {
  r->head = (r->head + 1) % r->cap;
  r->n--;
}

static void destroy(struct weir_l1 *l1) {
  free(l1->lines);
  free(l1->mshr);
  free(l1->waiter);
  weir_index_free(&l1->index);
  free(l1->ready.v);
  free(l1->miss.v);
  free(l1->bypass.v);
  free(l1);
}

static struct weir_l1 *create(const struct weir_machine *m, uint32_t sm) {
  struct weir_l1 *l1 = calloc(1, sizeof *l1);
  if (l1 == NULL) return NULL;
  /* A waiter is a load in flight. */
  int64_t product = m->l1.mshr_entries * m->l1.mshr_merge;
  uint32_t n_waiters = (uint32_t)(product < m->sm.inflight ? product : m->sm.inflight);
  /* With a unified array the ways vary by kernel: room for the largest. */
  uint64_t most = (uint64_t)m->l1.ways;
  if (m->l1.unified_bytes > 0) most = (uint64_t)(m->l1.unified_bytes / (m->l1.line * m->l1.sets));
  l1->m = m;
  l1->sm = sm;
  l1->ways = (uint32_t)most;
  l1->n_sets = (uint32_t)m->l1.sets;
  l1->all = (uint8_t)((1u << (m->l1.line / SECTOR)) - 1);
  l1->lines = calloc((size_t)most * l1->n_sets, sizeof *l1->lines);
  l1->mshr = calloc((size_t)m->l1.mshr_entries, sizeof *l1->mshr);
  l1->waiter = calloc(n_waiters, sizeof *l1->waiter);
  l1->ready.cap = n_waiters;
  l1->ready.v = calloc(l1->ready.cap, sizeof *l1->ready.v);
  if (!weir_index_init(&l1->index, (uint32_t)m->l1.mshr_entries) || l1->lines == NULL ||
      l1->mshr == NULL || l1->waiter == NULL || l1->ready.v == NULL ||
      !ring_init(&l1->miss, m->l1.miss_queue) || !ring_init(&l1->bypass, m->l1.bypass_queue)) {
    destroy(l1);
    return NULL;
  }
  for (uint32_t i = 0; i < (uint32_t)m->l1.mshr_entries; i++)
    l1->mshr[i].next_free = i + 1 < (uint32_t)m->l1.mshr_entries ? i + 1 : UINT32_MAX;
  for (uint32_t i = 0; i < n_waiters; i++)
    l1->waiter[i].next = i + 1 < n_waiters ? i + 1 : UINT32_MAX;
  return l1;
}

static void kernel_begin(struct weir_l1 *l1, uint32_t shared_used) {
  const struct weir_l1_cfg *c = &l1->m->l1;
  if (c->unified_bytes > 0) {
    uint64_t left =
        (uint64_t)c->unified_bytes > shared_used ? (uint64_t)c->unified_bytes - shared_used : 0;
    uint64_t ways = left / (uint64_t)(c->line * c->sets);
    l1->ways = ways > 0 ? (uint32_t)ways : 1;
  }
  if (c->flush_on_kernel || c->unified_bytes > 0)
    memset(l1->lines, 0, (size_t)l1->ways * l1->n_sets * sizeof *l1->lines);
}

static uint32_t set_of(const struct weir_l1 *l1, uint64_t addr) {
  uint64_t n = addr / (uint64_t)l1->m->l1.line;
  if (l1->m->l1.index[0] == 'l') return (uint32_t)(n & (l1->n_sets - 1));
  /* GPGPU-Sim's Fermi hash, at line number n: low five bits with bits 6, 7, 8, 10, 12 of it. */
  uint64_t up = (n >> 6 & 7) | (n >> 7 & 8) | (n >> 8 & 16), set = (n & 31) ^ up;
  return (uint32_t)(l1->n_sets == 64 ? set | (n & 32) : set);
}

static struct line *find(struct weir_l1 *l1, uint64_t addr, uint32_t *set) {
  *set = set_of(l1, addr);
  struct line *w = &l1->lines[(size_t)*set * l1->ways];
  uint64_t key = addr / (uint64_t)l1->m->l1.line + 1;
  for (uint32_t i = 0; i < l1->ways; i++)
    if (w[i].line == key) return &w[i];
  return NULL;
}

/* An empty way, else the least recently used without pending sectors, else NULL. */
static struct line *victim(struct weir_l1 *l1, uint32_t set) {
  struct line *w = &l1->lines[(size_t)set * l1->ways], *best = NULL;
  for (uint32_t i = 0; i < l1->ways; i++) {
    if (w[i].line == 0) return &w[i];
    if (w[i].pending == 0 && (best == NULL || w[i].used < best->used)) best = &w[i];
  }
  return best;
}

static void send(struct weir_l1 *l1, struct ring *r, enum weir_msg_kind kind, uint64_t addr,
                 uint8_t sectors, uint8_t full, uint32_t id, uint8_t flags) {
  unsigned data = kind == WEIR_MSG_READ   ? 0
                  : kind == WEIR_MSG_ATOM ? SECTOR
                                          : (unsigned)__builtin_popcount(sectors) * SECTOR;
  *ring_push(r) = (struct weir_msg){.kind = (uint8_t)kind,
                                    .addr = addr,
                                    .sectors = sectors,
                                    .full = full,
                                    .id = id,
                                    .flags = flags,
                                    .flits = weir_flits(&l1->m->noc, data)};
  l1->stats.requests++;
}

/* Replace what a way holds. A dirty (local) line is written back; the caller has asked for room in
 * the miss queue. */
static void take(struct weir_l1 *l1, struct line *l, uint64_t addr) {
  if (l->line != 0) {
    l1->stats.evictions++;
    l1->stats.evictions_unused += !l->was_hit;
    if (l->dirty != 0)
      send(l1, &l1->miss, WEIR_MSG_WRITE, (l->line - 1) * (uint64_t)l1->m->l1.line, l->dirty,
           l->dirty, UINT32_MAX, 0);
  }
  *l = (struct line){.line = addr / (uint64_t)l1->m->l1.line + 1};
}

static uint64_t port_cycles(const struct weir_l1 *l1, unsigned sectors) {
  uint64_t bytes = (uint64_t)sectors * SECTOR, width = (uint64_t)l1->m->l1.port_bytes;
  return (bytes + width - 1) / width;
}

/* ---- loads ---- */

static bool goes_past(const struct weir_l1 *l1, const struct weir_l1_req *q) {
  if (!l1->m->l1.enabled) return true;
  switch (q->cache_op) {
  case WEIR_CO_CG:
  case WEIR_CO_CV:
  case WEIR_CO_VOLATILE:
  case WEIR_CO_RELAXED:
  case WEIR_CO_ACQUIRE:
    return true;
  default:
    return q->evict_hint == WEIR_EV_NO_ALLOCATE;
  }
}

static enum weir_l1_answer fail(enum weir_shortage *why, enum weir_shortage kind) {
  *why = kind;
  return WEIR_L1_FAILED;
}

static enum weir_l1_answer go_past(struct weir_l1 *l1, const struct weir_l1_req *q,
                                   uint32_t inflight, enum weir_shortage *why) {
  if (inflight >= (uint32_t)l1->m->sm.inflight) return fail(why, WEIR_NO_INFLIGHT);
  if (ring_full(&l1->bypass)) return fail(why, WEIR_NO_ICNT);
  uint8_t sectors = l1->m->l1.bypass_gran[0] == 'l' ? l1->all : q->sectors;
  send(l1, &l1->bypass, WEIR_MSG_READ, q->addr, sectors, 0, q->id, WEIR_REQ_BYPASS);
  l1->stats.loads++;
  l1->stats.bypassed++;
  l1->stats.sectors_bypassed += (unsigned)__builtin_popcount(q->sectors);
  return WEIR_L1_WAIT;
}

static void answer(struct weir_l1 *l1, uint32_t waiter) {
  l1->ready.v[(l1->ready.head + l1->ready.n++) % l1->ready.cap] = waiter;
}

/* wait = 0: what it wants has come already, its turn has not. */
static void wait_for(struct weir_l1 *l1, uint32_t e, uint32_t id, uint8_t wait) {
  struct mshr *h = &l1->mshr[e];
  uint32_t w = l1->free_waiter;
  l1->free_waiter = l1->waiter[w].next;
  l1->waiter[w] = (struct waiter){.id = id, .mshr = e, .wait = wait, .next = UINT32_MAX};
  h->n++;
  if (wait == 0) {
    answer(l1, w);
    return;
  }
  if (h->last != UINT32_MAX)
    l1->waiter[h->last].next = w;
  else
    h->first = w;
  h->last = w;
}

static enum weir_l1_answer load(struct weir_l1 *l1, const struct weir_l1_req *q, uint32_t inflight,
                                uint64_t now, enum weir_shortage *why) {
  const struct weir_l1_cfg *c = &l1->m->l1;
  if (goes_past(l1, q)) return go_past(l1, q, inflight, why);
  if (l1->port_free > now) return fail(why, WEIR_NO_DATA_PORT);
  uint32_t set, e = weir_index_find(&l1->index, q->addr);
  struct line *l = find(l1, q->addr, &set);
  uint8_t want = c->sectored ? q->sectors : l1->all, valid = l != NULL ? l->valid : 0;
  uint8_t missing = (uint8_t)(want & ~valid), n_want = (uint8_t)__builtin_popcount(q->sectors);
  if (missing == 0) {
    l->used = ++l1->stamp;
    l->was_hit = true;
    l1->port_free = now + port_cycles(l1, n_want);
    l1->stats.loads++;
    l1->stats.hits++;
    l1->stats.sectors += n_want;
    l1->stats.sectors_hit += n_want;
    return WEIR_L1_HIT;
  }
  uint8_t issued = e != UINT32_MAX ? l1->mshr[e].issued : 0;
  /* The line has come and gone again, but its entry still answers: the data are at hand. With
   * sectors nobody knows which, and they are fetched again. */
  if (!c->sectored && e != UINT32_MAX && issued == 0 && l == NULL) missing = 0;
  uint8_t fetch = (uint8_t)(missing & ~issued);
  bool needs_way = c->alloc[0] == 'm' && l == NULL && fetch != 0;
  if (inflight >= (uint32_t)l1->m->sm.inflight) return fail(why, WEIR_NO_INFLIGHT);
  struct line *way = l;
  if (needs_way && (way = victim(l1, set)) == NULL) return fail(why, WEIR_NO_LINE);
  uint32_t slots = (fetch != 0 ? 1u : 0u) + (needs_way && way->dirty != 0 ? 1u : 0u);
  if (l1->miss.n + slots > l1->miss.cap || (slots == 0 && c->hr_needs_mq && ring_full(&l1->miss)))
    return fail(why, WEIR_NO_QUEUE);
  if (e != UINT32_MAX && l1->mshr[e].n >= (uint32_t)c->mshr_merge) return fail(why, WEIR_NO_MERGE);
  if (e == UINT32_MAX && l1->free_mshr == UINT32_MAX) return fail(why, WEIR_NO_MSHR);

  bool is_new = e == UINT32_MAX;
  if (needs_way) take(l1, way, q->addr);
  if (is_new) {
    e = l1->free_mshr;
    l1->free_mshr = l1->mshr[e].next_free;
    l1->mshr[e] = (struct mshr){.addr = q->addr, .first = UINT32_MAX, .last = UINT32_MAX};
    weir_index_put(&l1->index, q->addr, e);
    l1->n_mshr++;
  } else
    l1->stats.mshr_merges++;
  if (way != NULL) {
    way->pending |= fetch;
    way->used = ++l1->stamp;
    l1->mshr[e].where = (uint32_t)(way - l1->lines);
  }
  wait_for(l1, e, q->id, missing);
  if (fetch != 0) {
    l1->mshr[e].issued |= fetch;
    send(l1, &l1->miss, WEIR_MSG_READ, q->addr, fetch, 0, e, 0);
  }
  l1->stats.loads++;
  l1->stats.sectors += n_want;
  l1->stats.sectors_hit += (unsigned)__builtin_popcount(q->sectors & valid);
  l1->stats.sectors_missed += (unsigned)__builtin_popcount(q->sectors & fetch);
  if (fetch == 0)
    l1->stats.hit_reserved++;
  else if (is_new && l == NULL)
    l1->stats.misses++;
  else
    l1->stats.partial_misses++;
  return WEIR_L1_WAIT;
}

/* ---- stores ---- */

/* Pending sectors that a store overwrites are dropped when they arrive. */
static void poison(struct weir_l1 *l1, uint64_t addr, uint8_t sectors) {
  uint32_t e = weir_index_find(&l1->index, addr);
  if (e != UINT32_MAX && l1->m->l1.store_poisons_pending)
    l1->mshr[e].dropped |= (uint8_t)(sectors & l1->mshr[e].issued);
}

static void drop(struct weir_l1 *l1, struct line *l, uint8_t sectors) {
  if (!l1->m->l1.sectored) sectors = l1->all;
  if ((l->valid & sectors) == 0) return;
  l->valid &= (uint8_t)~sectors;
  l->dirty &= (uint8_t)~sectors;
  l1->stats.store_evictions++;
  if (l->valid == 0 && l->pending == 0) l->line = 0;
}

static enum weir_l1_answer store(struct weir_l1 *l1, const struct weir_l1_req *q, uint32_t inflight,
                                 enum weir_shortage *why) {
  const struct weir_l1_cfg *c = &l1->m->l1;
  uint32_t set = 0;
  struct line *l = c->enabled ? find(l1, q->addr, &set) : NULL;
  bool is_atom = q->op == WEIR_ATOMIC, stays = q->is_local && c->local_wb && !is_atom && l != NULL;
  uint8_t had = l != NULL ? (uint8_t)(l->valid | l->partial) : 0;
  bool takes = c->write[0] == 'a' && !is_atom && c->enabled && l == NULL;
  if (is_atom && inflight >= (uint32_t)l1->m->sm.inflight) return fail(why, WEIR_NO_INFLIGHT);
  struct line *way = takes ? victim(l1, set) : NULL;
  if (takes && way == NULL) return fail(why, WEIR_NO_LINE);
  if (!stays && l1->miss.n + 1 + (takes && way->dirty != 0) > l1->miss.cap)
    return fail(why, WEIR_NO_QUEUE);
  if (stays) {
    l->dirty |= q->sectors;
    l->valid |= q->sectors & q->full;
  } else {
    if (takes) {
      take(l1, way, q->addr);
      l = way;
    }
    send(l1, &l1->miss, is_atom ? WEIR_MSG_ATOM : WEIR_MSG_WRITE, q->addr, q->sectors, q->full,
         q->id, is_atom ? WEIR_REQ_BYPASS : 0);
    if (c->write[0] == 'e' || is_atom) {
      if (l != NULL) drop(l1, l, q->sectors);
      if (c->enabled) poison(l1, q->addr, q->sectors);
    } else if (l != NULL && c->write[0] == 'a') {
      l->partial =
          (uint8_t)((l->partial | (q->sectors & ~q->full & ~l->valid)) & ~(q->sectors & q->full));
      l->valid |= q->sectors & q->full;
      l->used = ++l1->stamp;
    }
  }
  if (is_atom)
    l1->stats.atomics++;
  else {
    l1->stats.stores++;
    l1->stats.store_hits += had != 0;
    l1->stats.store_sectors += (unsigned)__builtin_popcount(q->sectors);
    l1->stats.store_sectors_missed += (unsigned)__builtin_popcount(q->sectors & ~had);
  }
  return is_atom ? WEIR_L1_WAIT : stays ? WEIR_L1_HIT : WEIR_L1_SENT;
}

static enum weir_l1_answer present(struct weir_l1 *l1, const struct weir_l1_req *q,
                                   uint32_t inflight, uint64_t now, enum weir_shortage *why) {
  return q->op == WEIR_LOAD ? load(l1, q, inflight, now, why) : store(l1, q, inflight, why);
}

/* ---- arrivals ---- */

/* Where the sectors of a reply go: their line, if it is there; when allocating on fill, a way that
 * can be had. NULL: nowhere, the waiters alone get them. */
static struct line *place(struct weir_l1 *l1, const struct weir_msg *r, bool wanted) {
  uint32_t set;
  struct line *l = &l1->lines[l1->mshr[r->id].where];
  if (l->line == r->addr / (uint64_t)l1->m->l1.line + 1) return l;
  l = find(l1, r->addr, &set);
  if (l != NULL || !wanted || l1->m->l1.alloc[0] != 'f') return l;
  l = victim(l1, set);
  /* A fill never waits for the miss queue, which may itself wait for room beyond it. */
  if (l == NULL || (l->dirty != 0 && ring_full(&l1->miss))) return NULL;
  take(l1, l, r->addr);
  return l;
}

static void wake_waiters(struct weir_l1 *l1, struct mshr *h, uint8_t arrived) {
  uint32_t *link = &h->first, last = UINT32_MAX;
  for (uint32_t w = h->first; w != UINT32_MAX; w = l1->waiter[w].next) {
    l1->waiter[w].wait &= (uint8_t)~arrived;
    if (l1->waiter[w].wait == 0) {
      answer(l1, w);
      *link = l1->waiter[w].next;
    } else {
      link = &l1->waiter[w].next;
      last = w;
    }
  }
  h->last = last;
}

static void free_if_done(struct weir_l1 *l1, uint32_t e) {
  struct mshr *h = &l1->mshr[e];
  if (h->n > 0 || h->issued != 0) return;
  weir_index_remove(&l1->index, h->addr);
  h->next_free = l1->free_mshr;
  l1->free_mshr = e;
  l1->n_mshr--;
}

static bool fill(struct weir_l1 *l1, const struct weir_msg *r, uint64_t now) {
  if (l1->port_free > now) return false;
  uint8_t x = r->sectors;
  struct mshr *h = &l1->mshr[r->id];
  struct line *l = place(l1, r, (x & ~h->dropped) != 0);
  l1->port_free = now + port_cycles(l1, (unsigned)__builtin_popcount(x));
  l1->stats.fills += (unsigned)__builtin_popcount(x);
  if (l != NULL) {
    l->pending &= (uint8_t)~x;
    l->valid |= (uint8_t)(x & ~h->dropped);
    l->partial &= (uint8_t)~x;
    if (l->valid == 0 && l->pending == 0) l->line = 0;
  }
  h->issued &= (uint8_t)~x;
  h->dropped &= (uint8_t)~x;
  wake_waiters(l1, h, x);
  free_if_done(l1, r->id);
  return true;
}

static uint32_t drain(struct weir_l1 *l1) {
  if (l1->ready.n == 0) return UINT32_MAX;
  uint32_t w = l1->ready.v[l1->ready.head], e = l1->waiter[w].mshr;
  l1->ready.head = (l1->ready.head + 1) % l1->ready.cap;
  l1->ready.n--;
  l1->waiter[w].next = l1->free_waiter;
  l1->free_waiter = w;
  l1->mshr[e].n--;
  free_if_done(l1, e);
  return l1->waiter[w].id;
}

static bool has_drain(const struct weir_l1 *l1) {
  return l1->ready.n > 0;
}

/* ---- injection: the two queues take turns ---- */

static const struct weir_msg *peek(const struct weir_l1 *l1) {
  const struct ring *r =
      l1->miss.n == 0 || (l1->bypass_turn && l1->bypass.n > 0) ? &l1->bypass : &l1->miss;
  return r->n > 0 ? &r->v[r->head] : NULL;
}

static void pop(struct weir_l1 *l1) {
  bool from_bypass = l1->miss.n == 0 || (l1->bypass_turn && l1->bypass.n > 0);
  ring_pop(from_bypass ? &l1->bypass : &l1->miss);
  l1->bypass_turn = !from_bypass;
}

static uint64_t port_free(const struct weir_l1 *l1) {
  return l1->port_free;
}

static const struct weir_l1_stats *get_stats(const struct weir_l1 *l1) {
  return &l1->stats;
}

static bool is_idle(const struct weir_l1 *l1) {
  return l1->n_mshr == 0 && l1->ready.n == 0 && l1->miss.n == 0 && l1->bypass.n == 0;
}

/* ---- checks and reports ---- */

static const char *verify(const struct weir_l1 *l1) {
  uint32_t mshrs = (uint32_t)l1->m->l1.mshr_entries, n = 0;
  for (uint32_t i = l1->free_mshr; i != UINT32_MAX && n <= mshrs; i = l1->mshr[i].next_free)
    n++;
  if (n != mshrs || l1->n_mshr != 0) return "MSHRs are not all free";
  n = 0;
  for (uint32_t i = l1->free_waiter; i != UINT32_MAX && n <= l1->ready.cap; i = l1->waiter[i].next)
    n++;
  if (n != l1->ready.cap) return "places for waiting loads are not all free";
  if (!is_idle(l1)) return "its queues are not empty";
  for (size_t i = 0; i < (size_t)l1->ways * l1->n_sets; i++) {
    if (l1->lines[i].line == 0) continue;
    if (l1->lines[i].pending != 0) return "a line has pending sectors";
    if (set_of(l1, (l1->lines[i].line - 1) * (uint64_t)l1->m->l1.line) != i / l1->ways)
      return "a line is in a set that is not its own";
    for (size_t k = i - i % l1->ways; k < i; k++)
      if (l1->lines[k].line == l1->lines[i].line) return "a line is in two ways of its set";
  }
  return NULL;
}

static void describe(const struct weir_l1 *l1, char *text, size_t len) {
  text[0] = '\0';
  for (uint32_t i = 0; l1->n_mshr > 0 && i < (uint32_t)l1->m->l1.mshr_entries; i++) {
    const struct mshr *h = &l1->mshr[i];
    if (weir_index_find(&l1->index, h->addr) != i) continue;
    snprintf(text, len,
             "%u MSHRs; that of line 0x%" PRIx64
             " waits for sectors 0x%x with %u loads; miss queue "
             "%u of %u, bypass queue %u of %u",
             l1->n_mshr, h->addr, h->issued, h->n, l1->miss.n, l1->miss.cap, l1->bypass.n,
             l1->bypass.cap);
    return;
  }
  if (l1->miss.n + l1->bypass.n > 0)
    snprintf(text, len, "miss queue %u of %u, bypass queue %u of %u", l1->miss.n, l1->miss.cap,
             l1->bypass.n, l1->bypass.cap);
}

const struct weir_l1_ops weir_l1_baseline = {.name = "baseline",
                                             .create = create,
                                             .destroy = destroy,
                                             .kernel_begin = kernel_begin,
                                             .fill = fill,
                                             .drain = drain,
                                             .has_drain = has_drain,
                                             .present = present,
                                             .peek = peek,
                                             .pop = pop,
                                             .port_free = port_free,
                                             .stats = get_stats,
                                             .is_idle = is_idle,
                                             .verify = verify,
                                             .describe = describe};
