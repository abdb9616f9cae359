/* The L1 pipeline: an organisation and policies, one MSHR mechanism with sector masks, miss queue,
 * bypass path. A request either is taken, with all it needs, or leaves no trace. */
#include "l1/l1.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/arena.h"
#include "l1/guard.h"
#include "l1/parts.h"
#include "l1/pipeline.h"

/* ---- set-up ---- */

void weir_l1_destroy(struct weir_l1 *l1) {
  weir_chain_free(&l1->chain);
  weir_l1_mshrs_free(&l1->mshr);
  free(l1->miss.v);
  free(l1->bypass.v);
  free(l1->pipe.v);
  free(l1->split.v);
  free(l1->words);
  free(l1->reused);
  free(l1->pc);
  if (l1->tape != NULL) free(l1->tape->v);
  free(l1->tape);
  free(l1);
}

static bool ask_order(struct weir_l1 *l1, struct weir_err *err) {
  const struct weir_chain *c = &l1->chain;
  const struct weir_hook_list *h = &c->hook[WEIR_H_order];
  if (h->n == 0) return true;
  const struct weir_policy_ops *who = c->ops[h->who[0]];
  struct weir_order o = who->order(&c->policy[h->who[0]]);
  if (o.queues > WEIR_MAX_QUEUES || o.depth > WEIR_MAX_DEPTH || (o.queues > 0 && o.depth == 0)) {
    weir_fail(err, WEIR_EINVAL,
              "policy %s asks for %u queues of %u requests; there can be %d of 1 to %d",
              who->part.name, o.queues, o.depth, WEIR_MAX_QUEUES, WEIR_MAX_DEPTH);
    return false;
  }
  l1->order = o;
  return true;
}

static struct weir_geometry geometry(const struct weir_machine *m, const struct weir_design *d,
                                     uint32_t sm) {
  uint32_t ways = (uint32_t)m->l1.ways; /* with a unified array: the most a kernel can have */
  if (d->org->ways != NULL) ways = d->org->ways(d->org_cfg, ways, (uint32_t)m->l1.line);
  return (struct weir_geometry){.sets = (uint32_t)m->l1.sets,
                                .ways = ways,
                                .line_bytes = (uint32_t)m->l1.line,
                                .sector_bytes = (uint32_t)m->l1.sector,
                                .sectors = (uint32_t)(m->l1.line / m->l1.sector),
                                .sm = sm,
                                .n_sms = (uint32_t)m->sm.count,
                                .warps = (uint32_t)m->sm.warps,
                                .ctas = (uint32_t)m->sm.blocks,
                                .schedulers = (uint32_t)m->sm.schedulers,
                                .seed = d->seed + weir_jitter_seed(&m->jitter)};
}

/* A waiter is a load in flight, or a prefetch, of which there is one for each entry at most. */
static uint32_t most_waiters(const struct weir_machine *m) {
  uint64_t product = (uint64_t)m->l1.mshr_entries * (uint64_t)m->l1.mshr_merge;
  uint64_t most = (uint64_t)m->sm.inflight + (uint64_t)m->l1.mshr_entries;
  return (uint32_t)(product < most ? product : most);
}

/* Loads and atomics in flight, and prefetches. */
static uint32_t most_reads(const struct weir_machine *m) {
  return (uint32_t)(m->sm.inflight + m->l1.mshr_entries);
}

double weir_l1_bytes(const struct weir_machine *m, const struct weir_design *design) {
  struct weir_design baseline;
  const struct weir_design *d = design;
  const struct weir_l1_mshrs *mshr = NULL;
  const struct weir_index *index = NULL;
  if (d == NULL) {
    weir_design_baseline(&baseline, m);
    d = &baseline;
  }
  struct weir_geometry g = geometry(m, d, 0);
  return sizeof(struct weir_l1) + weir_chain_bytes(d, &g) +
         (double)g.sets * g.ways * (weir_keeps_words(m) ? 1 + sizeof(uint32_t) : 1) +
         (double)(m->l1.miss_queue + m->l1.bypass_queue) * sizeof(struct weir_msg) +
         (double)weir_l1_pipe_room(m) * sizeof(struct piped) + weir_split_bytes(m, most_reads(m)) +
         (double)m->l1.mshr_entries * (sizeof *mshr->table.v + sizeof *mshr->entry +
                                       2 * (sizeof *index->key + sizeof *index->value)) +
         (double)most_waiters(m) *
             (sizeof *mshr->table.waiter + sizeof *mshr->waiter + sizeof *mshr->ready.v);
}

struct weir_l1 *weir_l1_create(const struct weir_machine *m, const struct weir_design *design,
                               const struct weir_l1_host *host, struct weir_err *err) {
  struct weir_design baseline;
  const struct weir_design *d = design;
  if (d == NULL) {
    weir_design_baseline(&baseline, m);
    d = &baseline;
  }
  if (weir_design_check(d, m, err) != WEIR_OK) return NULL;
  struct weir_l1 *l1 = weir_calloc(1, sizeof *l1);
  if (l1 == NULL) return weir_fail(err, WEIR_ENOMEM, "out of memory"), NULL;
  struct weir_geometry g = geometry(m, d, host->id);
  l1->m = m;
  l1->is_sectored = d->org->is_sectored;
  l1->widens_first = d->org->widens_first;
  l1->holds = m->l1.bypass_room && m->l1.enabled && !m->l1.perfect && d->org->hold != NULL;
  l1->all = (uint16_t)((1u << g.sectors) - 1);
  l1->sector_log = (unsigned)__builtin_ctzll((uint64_t)m->l1.sector);
  l1->line_shift = (uint32_t)__builtin_ctzll((uint64_t)m->l1.line);
  l1->entered.cycle = l1->probed.cycle = WEIR_NEVER;
  l1->blocked.why = WEIR_N_SHORTAGES;
  l1->is_plain = weir_design_is_plain(d) && !d->paranoid;
  l1->hit_cyc = weir_l1_pipe_room(m) > 0 ? 0 : (uint64_t)m->l1.hit_latency;
  l1->reused = weir_calloc((size_t)g.sets * g.ways, 1);
  const bool has_words = weir_keeps_words(m) && d->org == &weir_org_sectored;
  if (has_words) l1->words = weir_calloc((size_t)g.sets * g.ways, sizeof *l1->words);
  bool ok = l1->reused != NULL && (!has_words || l1->words != NULL) &&
            weir_l1_mshrs_init(&l1->mshr, (uint32_t)m->l1.mshr_entries, most_waiters(m)) &&
            WEIR_RING_INIT(l1->miss, m->l1.miss_queue) &&
            WEIR_RING_INIT(l1->bypass, m->l1.bypass_queue) &&
            WEIR_RING_INIT(l1->pipe, weir_l1_pipe_room(m)) &&
            weir_split_init(&l1->split, m, most_reads(m));
  if (!ok) weir_fail(err, WEIR_ENOMEM, "out of memory");
  if (!ok || !weir_chain_init(&l1->chain, m, d, &g, host, err) || !ask_order(l1, err)) {
    weir_l1_destroy(l1);
    return NULL;
  }
  return l1;
}

struct weir_l1 *weir_l1_clone(const struct weir_l1 *l1, const struct weir_l1_host *host) {
  struct weir_l1 *c = weir_calloc(1, sizeof *c);
  if (c == NULL) return NULL;
  *c = *l1;
  const struct weir_geometry *g = &l1->chain.geometry;
  c->mshr = (struct weir_l1_mshrs){0};
  c->miss.v = c->bypass.v = NULL;
  c->pipe.v = NULL;
  c->split.v = NULL;
  c->tape = NULL;
  const size_t n_ways = (size_t)g->sets * g->ways;
  c->reused = weir_malloc(n_ways);
  if (l1->words != NULL) c->words = weir_malloc(n_ways * sizeof *c->words);
  c->pc = weir_malloc((l1->kernel.n_insns + 1) * sizeof *c->pc);
  bool ok = weir_chain_clone(&c->chain, &l1->chain, host) && c->reused != NULL && c->pc != NULL &&
            (l1->words == NULL || c->words != NULL) && weir_l1_mshrs_clone(&c->mshr, &l1->mshr) &&
            WEIR_RING_INIT(c->miss, l1->miss.cap) && WEIR_RING_INIT(c->bypass, l1->bypass.cap) &&
            WEIR_RING_INIT(c->pipe, l1->pipe.cap) && weir_split_clone(&c->split, &l1->split);
  if (!ok) {
    weir_l1_destroy(c);
    return NULL;
  }
  WEIR_RING_COPY(c->miss, l1->miss);
  WEIR_RING_COPY(c->bypass, l1->bypass);
  WEIR_RING_COPY(c->pipe, l1->pipe);
  memcpy(c->reused, l1->reused, n_ways);
  if (l1->words != NULL) memcpy(c->words, l1->words, n_ways * sizeof *c->words);
  if (l1->pc != NULL) memcpy(c->pc, l1->pc, (l1->kernel.n_insns + 1) * sizeof *c->pc);
  return c;
}

uint64_t weir_l1_parts_hash(const struct weir_l1 *l1) {
  return weir_chain_hash(&l1->chain);
}

/* ---- kernels ---- */

static void carry_out(struct weir_l1 *l1);

/* Is it as it was emptied last? An SM that had no block of a small kernel need not be emptied
 * again. An organisation that acts by itself can change without a request. */
static bool is_empty(const struct weir_l1 *l1, uint32_t lines) {
  const struct weir_part *part = &l1->chain.org_ops->part;
  return l1->flushed.is_valid && l1->flushed.lines == lines &&
         l1->flushed.accepted == l1->chain.accepted && part->tick == NULL &&
         part->broadcast_received == NULL;
}

bool weir_l1_kernel_begin(struct weir_l1 *l1, const struct weir_kernel *k, uint32_t shared_used,
                          uint64_t now) {
  const struct weir_l1_cfg *c = &l1->m->l1;
  const struct weir_org_ops *org = l1->chain.org_ops;
  uint32_t lines = weir_l1_lines(l1->m, shared_used), sets = (uint32_t)c->sets;
  uint32_t ways = c->pool && org->has_pool ? (uint32_t)c->ways
                  : lines / sets > 0       ? lines / sets
                                           : 1;
  if (!org->has_pool) lines = ways * sets;
  free(l1->pc);
  l1->pc = weir_calloc(k->n_insns + 1, sizeof *l1->pc);
  if (l1->pc == NULL) return false;
  l1->kernel = *k;
  l1->kernel.is_flushed = c->flush_on_kernel || c->unified_bytes > 0;
  l1->begin = l1->now = l1->mshr_since = now;
  l1->blocked.why = WEIR_N_SHORTAGES;
  l1->stats.mshr_most = 0;
  l1->stats.bytes = (uint64_t)lines * (uint64_t)c->line;
  if (l1->kernel.is_flushed && !is_empty(l1, lines)) {
    org->flush(&l1->chain.org, ways, lines);
    l1->flushed.is_valid = true;
    l1->flushed.lines = lines;
    l1->flushed.accepted = l1->chain.accepted;
  }
  if (l1->tape != NULL) weir_l1_tape_kernel(l1, lines);
  weir_chain_forget_wakes(&l1->chain);
  l1->chain.kernel_id = k->id;
  weir_chain_kernel_begin(&l1->chain, &l1->kernel);
  const struct weir_policy_ops *own = l1->chain.own_ops;
  if (own->part.kernel_begin != NULL) own->part.kernel_begin(&l1->chain.own, &l1->kernel);
  carry_out(l1);
  return true;
}

void weir_l1_kernel_end(struct weir_l1 *l1, uint64_t now) {
  l1->now = now;
  weir_chain_kernel_end(&l1->chain, &l1->kernel, now - l1->begin);
  l1->chain.n_asks = 0; /* nothing runs any more */
}

/* ---- what organisations ask and tell ---- */

int weir_l1_victim(const struct weir_policy *org, const struct weir_access *a,
                   struct weir_set set) {
  return weir_chain_victim(&l1_of(org)->chain, a, set);
}

void weir_l1_evict(struct weir_policy *org, const struct weir_access *a, struct weir_set set,
                   int way, enum weir_cause cause) {
  struct weir_l1 *l1 = l1_of(org);
  const struct weir_line *l = &set.line[way];
  struct weir_access none = {.addr = (l->tag - 1) << l1->line_shift, .set = set.index};
  l1->stats.evictions[cause]++;
  if (cause == WEIR_BY_REPLACEMENT && !*reused(l1, set.index, way)) l1->stats.evictions_unused++;
  weir_chain_evict(&l1->chain, a != NULL ? a : &none, set, way, cause);
  if (l->dirty_mask == 0 || cause == WEIR_BY_FLUSH) return;
  l1->stats.writebacks++;
  send(l1, &l1->miss,
       (struct weir_msg){
           .kind = WEIR_MSG_WRITE, .addr = none.addr, .parts = l->dirty_mask, .id = UINT32_MAX},
       l->dirty_mask, 0);
}

void weir_l1_alloc(struct weir_policy *org, const struct weir_access *a, struct weir_set set,
                   int way) {
  struct weir_l1 *l1 = l1_of(org);
  l1->stats.allocations++;
  *reused(l1, set.index, way) = 0;
  l1->allocated = way;
  if (l1->words != NULL) *words_in(l1, set.index, way) = 0;
  weir_chain_alloc(&l1->chain, a, set, way);
}

void weir_l1_reused(struct weir_policy *org, uint32_t set, int way) {
  *reused(l1_of(org), set, way) = 1;
}

uint64_t weir_l1_port_free(const struct weir_l1 *l1, uint64_t now) {
  uint64_t t = WEIR_NEVER;
  for (int64_t i = 0; i < l1->m->l1.banks; i++)
    if (l1->bank_free[i] > now) t = weir_min64(t, l1->bank_free[i]);
  return t;
}

/* The parts' own invariants, after every request at first, later after some: they look at all of
 * their state, and what is wrong mostly stays so. */
static void verify_parts(struct weir_l1 *l1) {
  enum { ALL = 256, ONE_IN = 16 };
  const struct weir_part *is;
  if (++l1->n_requests > ALL && l1->n_requests % ONE_IN != 0) return;
  for (uint32_t i = 0; i <= l1->chain.n; i++) {
    const struct weir_policy *p = weir_chain_part(&l1->chain, i, &is);
    const char *bad = is->verify != NULL ? is->verify(p) : NULL;
    if (bad != NULL) weir_chain_fault(&l1->chain, is->name, bad);
  }
  if (!weir_chain_is_sound(&l1->chain))
    weir_chain_fault(&l1->chain, l1->chain.org_ops->part.name,
                     "a part wrote outside of its memory");
}

/* False: another request of this cycle uses a bank of it. */
static bool take_banks(const struct weir_l1 *l1, struct bank_use *u, const struct weir_access *a) {
  if (l1->m->l1.probes_per_cycle == 1 || l1->m->sm.coalesce_by == WEIR_BY_BANKS) return true;
  uint64_t banks = banks_of(l1, a->addr, a->sectors);
  if (u->cycle != l1->now) *u = (struct bank_use){.cycle = l1->now};
  if (u->used & banks) return false;
  u->used |= banks;
  return true;
}

/* Into the pipeline in front of the tags. */
static struct weir_l1_result enter(struct weir_l1 *l1, const struct weir_l1_req *q) {
  if (l1->pipe.n == l1->pipe.cap) return (struct weir_l1_result){.answer = WEIR_L1_LATER};
  WEIR_RING_PUSH(l1->pipe, ((struct piped){*q, l1->now + (uint64_t)l1->m->l1.hit_latency}));
  return (struct weir_l1_result){.answer = WEIR_L1_PIPED};
}

struct weir_l1_result weir_l1_present(struct weir_l1 *l1, struct weir_l1_req *q, uint32_t inflight,
                                      uint64_t now) {
  struct weir_l1_result r;
  l1->now = now;
  l1->is_texture = q->is_texture;
  q->a.set = set_of(l1, q->a.addr);
  if (!take_banks(l1, &l1->entered, &q->a)) return (struct weir_l1_result){.answer = WEIR_L1_LATER};
  if (q->a.op != WEIR_LOAD || !weir_l1_route(l1, q, inflight, &r)) {
    if (l1->pipe.cap > 0 && q->a.op != WEIR_ATOMIC) return enter(l1, q);
    r = q->a.op == WEIR_LOAD ? weir_l1_load(l1, q, inflight) : weir_l1_store(l1, q, inflight);
  }
  if (l1->chain.n_asks > 0) carry_out(l1);
  if (l1->chain.paranoid) verify_parts(l1);
  return r;
}

void weir_l1_look_always(struct weir_l1 *l1) {
  l1->is_plain = false;
}

/* ---- the pipeline in front of the tags ---- */

/* As many as can enter while the first is on its way; those behind one that waits at the tags move
 * up, and none is lost. */
uint32_t weir_l1_pipe_room(const struct weir_machine *m) {
  bool is_ahead = m->l1.enabled && m->l1.latency_at == WEIR_L1_AT_TAGS;
  return is_ahead ? (uint32_t)(m->l1.hit_latency * m->l1.probes_per_cycle) : 0;
}

uint64_t weir_l1_next_look_up(const struct weir_l1 *l1) {
  return l1->pipe.n > 0 ? WEIR_RING_HEAD(l1->pipe).at : WEIR_NEVER;
}

struct weir_l1_req *weir_l1_at_tags(struct weir_l1 *l1) {
  return &WEIR_RING_HEAD(l1->pipe).q;
}

void weir_l1_pop_look_up(struct weir_l1 *l1) {
  WEIR_RING_POP(l1->pipe);
}

struct weir_l1_result weir_l1_look_up(struct weir_l1 *l1, uint32_t inflight, uint64_t now) {
  const struct weir_l1_req *q = &WEIR_RING_HEAD(l1->pipe).q;
  l1->now = now;
  l1->is_texture = q->is_texture;
  if (!take_banks(l1, &l1->probed, &q->a)) return (struct weir_l1_result){.answer = WEIR_L1_LATER};
  struct weir_l1_result r =
      q->a.op == WEIR_LOAD ? weir_l1_load(l1, q, inflight) : weir_l1_store(l1, q, inflight);
  if (l1->chain.n_asks > 0) carry_out(l1);
  if (l1->chain.paranoid) verify_parts(l1);
  return r;
}

/* ---- order: queues in front of the L1 ---- */

struct weir_order weir_l1_order(const struct weir_l1 *l1) {
  return l1->order;
}

uint32_t weir_l1_choose_queue(struct weir_l1 *l1, struct weir_l1_req *q, uint64_t now) {
  l1->now = now;
  q->a.set = set_of(l1, q->a.addr);
  return weir_chain_queue(&l1->chain, &q->a, l1->order.queues);
}

void weir_l1_queued(struct weir_l1 *l1, const struct weir_access *a, uint32_t queue) {
  struct weir_access x = seen(l1, a);
  weir_chain_queued(&l1->chain, &x, queue);
  if (l1->chain.n_asks > 0) carry_out(l1);
}

uint32_t weir_l1_next_queue(const struct weir_l1 *l1, const uint32_t *n) {
  return weir_chain_next_queue(&l1->chain, n, l1->order.queues);
}

void weir_l1_left_queue(struct weir_l1 *l1, const struct weir_access *a, uint32_t queue,
                        uint64_t now) {
  l1->now = now;
  struct weir_access x = seen(l1, a);
  weir_chain_left_queue(&l1->chain, &x, queue);
  if (l1->chain.n_asks > 0) carry_out(l1);
}

/* ---- what policies asked for ---- */

static void try_invalidate(struct weir_l1 *l1, const struct weir_ask *ask) {
  if (ask->set >= l1->chain.geometry.sets || ask->way < 0 ||
      (uint32_t)ask->way >= view(l1, ask->set).ways)
    return;
  if (is_dirty(l1, ask->set, ask->way) && l1->miss.n == l1->miss.cap) return;
  l1->chain.org_ops->invalidate_way(&l1->chain.org, ask->set, ask->way);
}

/* What is asked for while asks are carried out is forgotten: no hook can keep the L1 busy for
 * ever. */
static void carry_out(struct weir_l1 *l1) {
  struct weir_ask asks[WEIR_MAX_ASKS];
  uint32_t n = l1->chain.n_asks;
  memcpy(asks, l1->chain.asks, n * sizeof *asks);
  for (uint32_t i = 0; i < n; i++)
    if (asks[i].is_prefetch)
      weir_l1_prefetch(l1, asks[i].addr, asks[i].sectors);
    else
      try_invalidate(l1, &asks[i]);
  l1->chain.n_asks = 0;
}

/* ---- arrivals ---- */

static uint32_t reply_flags(const struct weir_msg *r) {
  return (r->flags & WEIR_REP_MARKED ? WEIR_REPLY_MARKED : 0u) |
         (r->flags & WEIR_REP_OTHER ? WEIR_REPLY_OTHER_SM : 0u);
}

/* What was presented, as observers see it when a reply has come. */
static struct weir_access answered(const struct weir_l1 *l1, const struct weir_access *a,
                                   const struct weir_msg *r) {
  struct weir_access x = *a;
  x.addr = r->addr;
  x.set = set_of(l1, r->addr);
  x.cycle = l1->now - l1->begin;
  x.kernel = l1->kernel.uid;
  x.sectors = x.fetch = r->parts;
  x.full = 0;
  return x;
}

bool weir_l1_join(struct weir_l1 *l1, const struct weir_msg *r, struct weir_msg *whole) {
  if (weir_split_join(&l1->split, l1->m, r, whole)) return true;
  l1->stats.reply_flits += r->flits;
  return false;
}

bool weir_l1_fill(struct weir_l1 *l1, const struct weir_msg *r, uint64_t now) {
  uint64_t banks = banks_of(l1, r->addr, r->parts);
  if (is_busy(l1, banks, now)) return false;
  uint32_t e = l1->mshr.table.waiter[r->id].entry;
  l1->now = now;
  struct weir_access a = answered(l1, &l1->mshr.waiter[r->id].a, r);
  int way = l1->chain.org_ops->fill(&l1->chain.org, &a, r->parts, l1->mshr.entry[e].dropped,
                                    l1->miss.cap - l1->miss.n);
  weir_chain_fill(&l1->chain, &a, view(l1, a.set), way, reply_flags(r));
  use_port(l1, banks, r->parts, now);
  l1->stats.fills++;
  l1->stats.fill_sectors += weir_n_sectors(r->sectors);
  l1->stats.reply_flits += r->flits;
  settle_mshr(l1, now);
  weir_l1_mshr_arrive(&l1->mshr, e, r->parts);
  if (l1->chain.n_asks > 0) carry_out(l1);
  return true;
}

void weir_l1_bypass_return(struct weir_l1 *l1, const struct weir_access *a,
                           const struct weir_msg *r, uint64_t now) {
  l1->stats.reply_flits += r->flits;
  if (a->op != WEIR_LOAD) return; /* an atomic's result */
  if (l1->holds) {
    l1->chain.org_ops->release(&l1->chain.org);
    l1->blocked.why = WEIR_N_SHORTAGES; /* what lacked a line may have it now */
  }
  if (l1->chain.hook[WEIR_H_bypass_return].n == 0) return;
  l1->now = now;
  struct weir_access x = answered(l1, a, r);
  weir_chain_bypass_return(&l1->chain, &x, reply_flags(r));
  if (l1->chain.n_asks > 0) carry_out(l1);
}

uint32_t weir_l1_drain(struct weir_l1 *l1, uint64_t now) {
  while (l1->mshr.ready.n > 0) {
    settle_mshr(l1, now);
    uint32_t id = weir_l1_mshr_drain(&l1->mshr);
    if (id != UINT32_MAX) return id;
    l1->n_prefetches--; /* nobody waits for it */
  }
  return UINT32_MAX;
}

bool weir_l1_has_drain(const struct weir_l1 *l1) {
  return l1->mshr.ready.n > 0;
}

/* ---- events of the SM ---- */

void weir_l1_broadcast_received(struct weir_l1 *l1, uint32_t from, uint32_t part,
                                const uint64_t v[4], uint64_t now) {
  l1->now = now;
  weir_chain_broadcast_received(&l1->chain, part, from, v, now - l1->begin);
  if (l1->chain.n_asks > 0) carry_out(l1);
}

void weir_l1_cta_begin(struct weir_l1 *l1, const struct weir_cta *c, uint64_t now) {
  l1->now = now;
  weir_chain_cta_begin(&l1->chain, c, now - l1->begin);
  if (l1->chain.n_asks > 0) carry_out(l1);
}

void weir_l1_cta_end(struct weir_l1 *l1, const struct weir_cta *c, uint64_t now) {
  l1->now = now;
  weir_chain_cta_end(&l1->chain, c, now - l1->begin);
  if (l1->chain.n_asks > 0) carry_out(l1);
}

uint64_t weir_l1_next_tick(const struct weir_l1 *l1) {
  uint64_t t = l1->chain.next_wake;
  return t == WEIR_NEVER ? WEIR_NEVER : l1->begin + t;
}

void weir_l1_tick(struct weir_l1 *l1, uint64_t now) {
  l1->now = now;
  weir_chain_tick(&l1->chain, now - l1->begin);
  if (l1->chain.n_asks > 0) carry_out(l1);
}

bool weir_l1_has_gate(const struct weir_l1 *l1) {
  return l1->chain.hook[WEIR_H_gate].n > 0;
}

bool weir_l1_gate(const struct weir_l1 *l1, uint32_t warp, enum weir_op op) {
  return weir_chain_gate(&l1->chain, warp, op);
}

bool weir_l1_has_scheduler(const struct weir_l1 *l1) {
  return l1->chain.hook[WEIR_H_pick_warp].n > 0;
}

struct weir_own_scheduler weir_l1_own_scheduler(const struct weir_l1 *l1) {
  return (struct weir_own_scheduler){l1->chain.own_ops->pick_warp, &l1->chain.own};
}

bool weir_l1_hears_views(const struct weir_l1 *l1) {
  return l1->chain.hook[WEIR_H_sched_update].n > 0 || l1->chain.own_ops->sched_update != NULL;
}

bool weir_l1_hears_issue(const struct weir_l1 *l1) {
  return l1->chain.hook[WEIR_H_issued].n > 0 || l1->chain.own_ops->issued != NULL;
}

void weir_l1_sched_update(struct weir_l1 *l1, const struct weir_sched_view *v, uint64_t now) {
  l1->now = now;
  struct weir_chain *c = &l1->chain;
  weir_chain_sched_update(c, v);
  weir_chain_forbid_asks(c, WEIR_H_sched_update); /* how often it is told is no part of the model */
  if (c->own_ops->sched_update != NULL) c->own_ops->sched_update(&c->own, v);
}

int weir_l1_pick_warp(const struct weir_l1 *l1, const struct weir_sched_view *v, uint64_t ready) {
  return weir_chain_pick_warp(&l1->chain, v, ready);
}

void weir_l1_issued(struct weir_l1 *l1, uint32_t scheduler, uint32_t warp, uint64_t now) {
  l1->now = now;
  struct weir_chain *c = &l1->chain;
  weir_chain_issued(c, scheduler, warp, now - l1->begin);
  if (c->own_ops->issued != NULL) c->own_ops->issued(&c->own, scheduler, warp, now - l1->begin);
  if (l1->chain.n_asks > 0) carry_out(l1);
}

bool weir_l1_hears_warps(const struct weir_l1 *l1) {
  return l1->chain.hook[WEIR_H_warp].n > 0;
}

void weir_l1_warp(struct weir_l1 *l1, uint32_t slot, enum weir_warp_event e, uint64_t now) {
  l1->now = now;
  weir_chain_warp(&l1->chain, slot, e, now - l1->begin);
  if (l1->chain.n_asks > 0) carry_out(l1);
}

uint32_t weir_l1_max_ctas(const struct weir_l1 *l1, const struct weir_kernel *k) {
  return weir_chain_max_ctas(&l1->chain, k);
}

/* ---- injection: the two queues take turns ---- */

static void cut_head(const struct weir_l1 *l1, struct ring *r) {
  if (r->n == 0) return;
  r->packet = weir_split_cut(&l1->split, &WEIR_RING_HEAD(*r));
  r->packet.flits = flits_of(l1, &r->packet);
}

uint32_t weir_l1_send_split(struct weir_l1 *l1, struct ring *r, struct weir_msg *msg) {
  struct weir_msg rest = *msg, packet;
  uint32_t n = 0;
  do {
    packet = weir_split_cut(&l1->split, &rest);
    l1->stats.request_flits += flits_of(l1, &packet);
    n++;
  } while (weir_split_sent(&l1->split, &rest, &packet));
  l1->stats.requests += n;
  if (msg->kind != WEIR_MSG_WRITE) weir_split_open(&l1->split, msg, n);
  WEIR_RING_PUSH(*r, *msg);
  if (r->n == 1) cut_head(l1, r);
  return n;
}

/* The packet that leads a queue has gone. */
static void pop_packet(struct weir_l1 *l1, struct ring *r) {
  if (!weir_split_sent(&l1->split, &WEIR_RING_HEAD(*r), &r->packet)) WEIR_RING_POP(*r);
  cut_head(l1, r);
}

const struct weir_msg *weir_l1_peek(const struct weir_l1 *l1) {
  const struct ring *r =
      l1->miss.n == 0 || (l1->bypass_turn && l1->bypass.n > 0) ? &l1->bypass : &l1->miss;
  if (r->n == 0) return NULL;
  return l1->split.n > 1 ? &r->packet : &WEIR_RING_HEAD(*r);
}

void weir_l1_pop(struct weir_l1 *l1) {
  bool from_bypass = l1->miss.n == 0 || (l1->bypass_turn && l1->bypass.n > 0);
  struct ring *r = from_bypass ? &l1->bypass : &l1->miss;
  if (l1->split.n > 1)
    pop_packet(l1, r);
  else
    WEIR_RING_POP(*r);
  l1->bypass_turn = !from_bypass;
}

/* ---- checks and reports ---- */

const struct weir_l1_stats *weir_l1_get_stats(struct weir_l1 *l1, uint64_t now) {
  if (now > l1->mshr_since) settle_mshr(l1, now);
  return &l1->stats;
}

struct weir_l1_levels weir_l1_levels(const struct weir_l1 *l1) {
  return (struct weir_l1_levels){l1->mshr.table.n, l1->miss.n, l1->bypass.n};
}

const struct weir_pc_stats *weir_l1_get_pc_stats(const struct weir_l1 *l1) {
  return l1->pc;
}

const struct weir_part *weir_l1_part(const struct weir_l1 *l1, uint32_t i) {
  const struct weir_chain *c = &l1->chain;
  return i > c->n ? NULL : i == 0 ? &c->org_ops->part : &c->ops[i - 1]->part;
}

const uint64_t *weir_l1_part_stats(const struct weir_l1 *l1, uint32_t i) {
  const struct weir_chain *c = &l1->chain;
  return i > c->n ? NULL : i == 0 ? c->org.stats : c->policy[i - 1].stats;
}

enum weir_status weir_l1_try(const struct weir_machine *m, const struct weir_design *d,
                             struct weir_err *err) {
  struct weir_err own = {0};
  struct weir_err *why = err != NULL ? err : &own;
  struct weir_l1 *l1 = weir_l1_create(m, d, &(struct weir_l1_host){0}, why);
  if (l1 == NULL) return why->code;
  weir_l1_destroy(l1);
  return WEIR_OK;
}

static enum weir_status part_bits(const struct weir_part *part, const void *cfg,
                                  const struct weir_geometry *g, uint64_t *bits,
                                  struct weir_err *err) {
  const uint64_t MOST = UINT64_C(1) << 48; /* so that sums are numbers, whatever a plug-in says */
  *bits = WEIR_NOT_DECLARED;
  if (part->storage_bits == NULL) return WEIR_OK;
  *bits = weir_ask_storage_bits(part, cfg, g);
  if (*bits <= MOST) return WEIR_OK;
  const char *file = weir_policy_file(weir_policy_find(part->name));
  return weir_fail(err, file != NULL ? WEIR_EFAULT : WEIR_EBUG,
                   "%s%spolicy %s: 'storage_bits' says %" PRIu64 " bits, which nobody can build",
                   file != NULL ? file : "", file != NULL ? ": " : "", part->name, *bits);
}

enum weir_status weir_l1_storage(const struct weir_machine *m, const struct weir_design *d,
                                 uint64_t bits[WEIR_MAX_PARTS], struct weir_err *err) {
  const struct weir_geometry g = geometry(m, d, 0);
  enum weir_status st = part_bits(&d->org->part, d->org_cfg, &g, &bits[0], err);
  for (uint32_t i = 1; i < WEIR_MAX_PARTS; i++)
    bits[i] = 0;
  for (uint32_t i = 0; st == WEIR_OK && i < d->n_policies; i++)
    st = part_bits(&d->policy[i].ops->part, d->policy[i].cfg, &g, &bits[i + 1], err);
  return st;
}

uint64_t weir_l1_storage_sum(const uint64_t bits[WEIR_MAX_PARTS]) {
  uint64_t sum = 0;
  for (uint32_t i = 0; i < WEIR_MAX_PARTS; i++) {
    if (bits[i] == WEIR_NOT_DECLARED) return WEIR_NOT_DECLARED;
    sum += bits[i];
  }
  return sum;
}

uint64_t weir_l2_storage(const struct weir_machine *m, const struct weir_design *d) {
  uint64_t bits = d->org->part.l2_line_bits;
  for (uint32_t i = 0; i < d->n_policies; i++)
    bits += d->policy[i].ops->part.l2_line_bits;
  return bits * (uint64_t)(m->l2.slices * m->l2.sets * m->l2.ways);
}

bool weir_l1_row(const struct weir_l1 *l1, uint32_t part, uint32_t i, struct weir_row *row) {
  return weir_chain_row(&l1->chain, part, i, row);
}

enum weir_status weir_l1_take_notes(struct weir_l1 *l1, uint32_t part, struct weir_rows *rows,
                                    struct weir_err *err) {
  return weir_chain_take_notes(&l1->chain, part, rows, err);
}

size_t weir_l1_digest(const struct weir_l1 *l1, uint32_t part, struct weir_row *rows, size_t n) {
  return weir_chain_digest(&l1->chain, part, rows, n);
}

bool weir_l1_is_idle(const struct weir_l1 *l1) {
  return l1->mshr.table.n == 0 && l1->mshr.ready.n == 0 && l1->miss.n == 0 && l1->bypass.n == 0 &&
         l1->pipe.n == 0;
}

/* Ways that hold something are as many as were given to lines and not taken away. */
static const char *verify_ways(const struct weir_l1 *l1) {
  uint64_t resident = 0, ended = 0;
  for (uint32_t s = 0; s < l1->chain.geometry.sets; s++) {
    struct weir_set set = view(l1, s);
    for (uint32_t w = 0; w < set.ways; w++) {
      if (set.line[w].tag == 0) continue;
      resident++;
      if (set.line[w].pending_mask != 0) return "a line has pending sectors";
      if (set_of(l1, (set.line[w].tag - 1) << l1->line_shift) != s)
        return "a line is in a set that is not its own";
    }
  }
  for (unsigned i = 0; i < WEIR_N_CAUSES; i++)
    ended += l1->stats.evictions[i];
  return resident + ended != l1->stats.allocations ? "lines given and taken do not add up" : NULL;
}

const char *weir_l1_verify(const struct weir_l1 *l1) {
  const char *bad = weir_mshrs_verify(&l1->mshr.table);
  if (bad == NULL && !weir_l1_is_idle(l1)) bad = "its queues are not empty";
  if (bad == NULL) bad = weir_split_verify(&l1->split);
  if (bad == NULL) bad = verify_ways(l1);
  for (uint32_t i = 0; bad == NULL && i <= l1->chain.n; i++) {
    const struct weir_policy *p = i == 0 ? &l1->chain.org : &l1->chain.policy[i - 1];
    const struct weir_part *is = i == 0 ? &l1->chain.org_ops->part : &l1->chain.ops[i - 1]->part;
    if (is->verify == NULL || (bad = is->verify(p)) == NULL) continue;
    weir_chain_fault(&l1->chain, is->name, bad);
    bad = l1->chain.fault;
  }
  return bad;
}

const char *weir_l1_fault(const struct weir_l1 *l1) {
  return l1->chain.fault[0] != '\0' ? l1->chain.fault : NULL;
}

enum weir_status weir_l1_fault_code(const struct weir_l1 *l1) {
  return l1->chain.fault_code;
}

/* Nothing moves any more: a fault, if a policy holds it up. */
void weir_l1_blame(struct weir_l1 *l1) {
  weir_chain_blame_refusal(&l1->chain);
}

void weir_l1_describe(const struct weir_l1 *l1, char *text, size_t len) {
  text[0] = '\0';
  const struct weir_mshrs *t = &l1->mshr.table;
  for (uint32_t i = 0; t->n > 0 && i < t->n_entries; i++) {
    const struct weir_l1_entry *h = &l1->mshr.entry[i];
    if (weir_l1_mshr_find(&l1->mshr, h->addr) != i) continue;
    snprintf(text, len,
             "%u MSHRs; that of line 0x%" PRIx64
             " waits for sectors 0x%x with %u loads; miss queue "
             "%u of %u, bypass queue %u of %u",
             t->n, h->addr, h->issued, t->v[i].n, l1->miss.n, l1->miss.cap, l1->bypass.n,
             l1->bypass.cap);
    return;
  }
  if (l1->miss.n + l1->bypass.n > 0)
    snprintf(text, len, "miss queue %u of %u, bypass queue %u of %u", l1->miss.n, l1->miss.cap,
             l1->bypass.n, l1->bypass.cap);
}
