/* Loads: a hit, a miss with all it needs, or a bypass. */
#include "l1/pipeline.h"

static bool wants_bypass(const struct weir_l1 *l1, const struct weir_access *a) {
  if (!l1->m->l1.enabled) return true;
  switch (a->hint) {
  case WEIR_CO_CG:
  case WEIR_CO_CV:
  case WEIR_CO_VOLATILE:
  case WEIR_CO_RELAXED:
  case WEIR_CO_ACQUIRE:
    return true;
  default:
    return a->evict_hint == WEIR_EV_NO_ALLOCATE;
  }
}

static void count_load(struct weir_l1 *l1, const struct weir_access *a, enum weir_taped_as as,
                       uint64_t *kind, uint64_t *local_kind, uint64_t *pc_kind, uint32_t missed,
                       uint32_t fetched) {
  struct weir_pc_stats *pc = &l1->pc[a->insn];
  unsigned n = n_sectors(l1, a->sectors);
  l1->stats.loads++;
  ++*kind;
  if (a->is_local) {
    l1->stats.local_loads++;
    l1->stats.local_load_sectors += n;
    ++*local_kind;
  } else if (l1->is_texture) {
    l1->stats.texture_sectors += n;
    l1->stats.texture_sectors_missed += n_sectors(l1, missed);
  } else
    l1->stats.global_load_sectors += n;
  pc->requests++;
  ++*pc_kind;
  pc->sectors += n;
  pc->sectors_missed += n_sectors(l1, missed);
  pc->sectors_fetched += n_sectors(l1, fetched);
  if (l1->tape != NULL) weir_l1_tape_add(l1, a, as);
}
#define COUNT_LOAD(l1, a, as, f, missed, fetched)                                                  \
  count_load(l1, a, as, &(l1)->stats.f, &(l1)->stats.local_##f, &(l1)->pc[(a)->insn].f, missed,    \
             fetched)

/* The smallest half of a half (of a half ...) of the line that has all these sectors. */
static uint16_t segment(uint16_t sectors) {
  unsigned first = (unsigned)__builtin_ctz(sectors), last = 31u - (unsigned)__builtin_clz(sectors);
  unsigned log2 = first == last ? 0 : 32u - (unsigned)__builtin_clz(first ^ last);
  return (uint16_t)(((1u << (1u << log2)) - 1) << (first >> log2 << log2));
}

static uint16_t asked_for(const struct weir_l1 *l1, uint16_t sectors) {
  enum weir_bypass_gran gran = l1->m->l1.bypass_gran;
  return gran == WEIR_BYPASS_LINE      ? l1->all
         : gran == WEIR_BYPASS_SECTORS ? sectors
                                       : segment(sectors);
}

static struct weir_l1_result take_bypass(struct weir_l1 *l1, const struct weir_l1_req *q,
                                         const struct weir_probe *r, uint32_t inflight,
                                         enum weir_reason reason, enum weir_shortage why,
                                         bool mark) {
  const struct weir_access *a = &q->a;
  if (inflight >= (uint32_t)l1->m->sm.inflight) return failed(WEIR_NO_INFLIGHT, r != NULL);
  if (l1->bypass.n == l1->bypass.cap) return failed(WEIR_NO_ICNT, r != NULL);
  struct weir_probe again;
  if (l1->holds) {
    const struct weir_org_ops *org = l1->chain.org_ops;
    if (!org->hold(&l1->chain.org, a, l1->miss.n < l1->miss.cap))
      return failed(WEIR_NO_LINE, r != NULL);
    if (r != NULL && r->way >= 0) { /* what was there of the line may have gone for it */
      again = org->probe(&l1->chain.org, a, r->want);
      r = &again;
    }
  }
  struct weir_access x = seen(l1, a);
  x.shortage = (uint8_t)why;
  x.fetch =
      r != NULL && r->fetches_line && !l1->m->l1.sectored ? l1->all : asked_for(l1, a->sectors);
  if (r != NULL) {
    l1->stats.probes++;
    weir_chain_lookup(&l1->chain, &x, view(l1, x.set), r->way, r->outcome);
    l1->chain.org_ops->commit_bypass(&l1->chain.org, &x, r);
  }
  weir_chain_bypass(&l1->chain, &x);
  l1->chain.accepted++;
  send(l1, &l1->bypass,
       (struct weir_msg){.kind = WEIR_MSG_READ,
                         .at = l1->now + (r != NULL ? r->extra : 0),
                         .addr = a->addr,
                         .parts = x.fetch,
                         .id = q->id,
                         .flags = WEIR_REQ_BYPASS | (mark ? WEIR_REQ_MARK : 0)},
       0, 0);
  COUNT_LOAD(l1, a, wants_bypass(l1, a) ? WEIR_TAPED_PAST : WEIR_TAPED_BYPASS, bypassed, a->sectors,
             x.fetch);
  l1->stats.bypass_reason[reason]++;
  l1->stats.sectors_bypassed += n_sectors(l1, a->sectors);
  return (struct weir_l1_result){.answer = WEIR_L1_WAIT, .is_missing = true};
}

static struct weir_l1_result hit(struct weir_l1 *l1, const struct weir_access *a, uint64_t banks,
                                 const struct weir_probe *r) {
  unsigned n = n_sectors(l1, a->sectors);
  if (r != NULL) {
    struct weir_access x = seen(l1, a);
    weir_chain_lookup(&l1->chain, &x, view(l1, a->set), r->way, WEIR_HIT);
    if (r->way >= 0) *reused(l1, a->set, r->way) = 1;
    l1->chain.org_ops->commit_hit(&l1->chain.org, &x, r);
  }
  l1->chain.accepted++;
  use_port(l1, banks, a->sectors, l1->now);
  l1->stats.probes++;
  l1->stats.data_reads++;
  COUNT_LOAD(l1, a, WEIR_TAPED_HIT, hits, 0, 0);
  l1->stats.sectors += n;
  l1->stats.sectors_hit += n;
  return (struct weir_l1_result){.answer = WEIR_L1_HIT,
                                 .ready_at = l1->now + l1->hit_cyc + (r != NULL ? r->extra : 0)};
}

/* Sectors of which it reads nothing but what stores have left. */
static uint32_t stored(const struct weir_l1 *l1, const struct weir_l1_req *q, int way) {
  const uint32_t lacks = q->touched & ~*words_in(l1, q->a.set, way);
  uint32_t sectors = 0;
  for (uint32_t left = q->a.sectors; left != 0; left &= left - 1)
    if ((lacks & words_of(left & -left)) == 0) sectors |= left & -left;
  return sectors;
}

/* What a load that does not hit needs. */
struct need {
  uint32_t entry, missing, fetch;
  uint16_t issued;
};

static enum weir_shortage check_resources(const struct weir_l1 *l1, const struct weir_access *a,
                                          const struct weir_probe *r, const struct need *n,
                                          uint32_t inflight) {
  const struct weir_l1_cfg *c = &l1->m->l1;
  if (inflight >= (uint32_t)l1->m->sm.inflight) return WEIR_NO_INFLIGHT;
  int dirty = 0;
  if (n->fetch != 0) {
    dirty = l1->chain.org_ops->can_reserve(&l1->chain.org, a, r, n->fetch);
    if (dirty < 0) return WEIR_NO_LINE;
  }
  uint32_t slots = (n->fetch != 0 ? 1u : 0u) + (uint32_t)dirty;
  if (l1->miss.n + slots > l1->miss.cap ||
      (slots == 0 && c->hr_needs_mq && l1->miss.n == l1->miss.cap))
    return WEIR_NO_QUEUE;
  if (n->entry != UINT32_MAX)
    return l1->mshr.table.v[n->entry].n >= (uint32_t)c->mshr_merge ? WEIR_NO_MERGE
                                                                   : WEIR_N_SHORTAGES;
  return l1->mshr.table.free_entry == UINT32_MAX ? WEIR_NO_MSHR : WEIR_N_SHORTAGES;
}

/* The load that failed last is presented again while it cannot but fail for the same reason: of an
 * L1 that asks nobody, what is missing comes with a fill, with another request, or as said below.
 */
static bool is_still_blocked(const struct weir_l1 *l1, const struct weir_l1_req *q) {
  if (l1->blocked.why == WEIR_N_SHORTAGES || l1->blocked.addr != q->a.addr ||
      l1->blocked.id != q->id || l1->blocked.fills != l1->stats.fills ||
      l1->blocked.accepted != l1->chain.accepted)
    return false;
  switch (l1->blocked.why) {
  case WEIR_NO_LINE:
    return true;
  case WEIR_NO_QUEUE:
    return l1->miss.n == l1->blocked.miss;
  case WEIR_NO_MSHR:
    return l1->mshr.table.free_entry == UINT32_MAX;
  default:
    return false;
  }
}

static void note_blocked(struct weir_l1 *l1, const struct weir_l1_req *q, enum weir_shortage why) {
  l1->blocked.addr = q->a.addr;
  l1->blocked.id = q->id;
  l1->blocked.fills = l1->stats.fills;
  l1->blocked.accepted = l1->chain.accepted;
  l1->blocked.miss = l1->miss.n;
  l1->blocked.why = l1->is_plain ? why : WEIR_N_SHORTAGES;
}

static struct need find_need(const struct weir_l1 *l1, const struct weir_access *a,
                             const struct weir_probe *r) {
  struct need n = {.entry = weir_l1_mshr_find(&l1->mshr, a->addr), .missing = r->want & ~r->valid};
  if (n.entry != UINT32_MAX) n.issued = l1->mshr.entry[n.entry].issued;
  /* The line has come and gone again, but its entry still answers: the data are at hand. With
   * sectors nobody knows which, and they are fetched again. */
  if (!l1->is_sectored && n.entry != UINT32_MAX && n.issued == 0 && r->way < 0) n.missing = 0;
  n.fetch = n.missing & ~(uint32_t)n.issued;
  if (n.fetch != 0 && !l1->widens_first && l1->chain.hook[WEIR_H_fetch_mask].n > 0)
    n.fetch |= weir_chain_fetch_mask(&l1->chain, a, n.fetch) & l1->all & ~r->valid & ~r->pending &
               ~(uint32_t)n.issued;
  return n;
}

static enum weir_outcome class_of(const struct weir_l1 *l1, const struct weir_probe *r,
                                  const struct need *n) {
  if (n->fetch == 0) return WEIR_HIT_PENDING;
  if (l1->chain.org_ops->outcome_stands) return r->outcome;
  return n->entry == UINT32_MAX && r->way < 0 && r->valid == 0 && r->pending == 0 ? WEIR_MISS
                                                                                  : WEIR_PARTIAL;
}

/* Its line has come and gone, but others still wait to be answered with it. */
static bool is_late(const struct weir_probe *r, const struct need *n) {
  return r->way < 0 && r->pending == 0 && n->entry != UINT32_MAX && n->issued == 0;
}

/* All resources are there. `id` is the load that waits; UINT32_MAX: a prefetch. */
static enum weir_outcome take_miss(struct weir_l1 *l1, const struct weir_access *a,
                                   const struct weir_probe *r, const struct need *n, uint32_t id) {
  bool is_new = n->entry == UINT32_MAX;
  uint32_t e = n->entry;
  settle_mshr(l1, l1->now);
  if (is_new) {
    e = weir_l1_mshr_open(&l1->mshr, a->addr);
    if (l1->mshr.table.n > l1->stats.mshr_most) l1->stats.mshr_most = l1->mshr.table.n;
  } else
    l1->stats.mshr_merges++;
  struct weir_access x = seen(l1, a);
  x.first_of_mshr = is_new;
  x.fetch = (uint16_t)n->fetch;
  enum weir_outcome outcome = class_of(l1, r, n);
  weir_chain_lookup(&l1->chain, &x, view(l1, x.set), r->way, outcome);
  if (n->fetch != 0)
    hold_port(l1, l1->chain.org_ops->reserve(&l1->chain.org, &x, r, n->fetch));
  else
    l1->chain.org_ops->commit_hit(&l1->chain.org, &x, r);
  l1->chain.accepted++;
  uint32_t w = weir_l1_mshr_wait(&l1->mshr, e, n->missing, id, a);
  if (n->fetch != 0) {
    l1->mshr.entry[e].issued |= (uint16_t)n->fetch;
    send(l1, &l1->miss,
         (struct weir_msg){.kind = WEIR_MSG_READ,
                           .at = l1->now + r->extra,
                           .addr = a->addr,
                           .parts = (uint16_t)n->fetch,
                           .id = w},
         0, 0);
  }
  return outcome;
}

bool weir_l1_route(struct weir_l1 *l1, const struct weir_l1_req *q, uint32_t inflight,
                   struct weir_l1_result *r) {
  const struct weir_chain *c = &l1->chain;
  uint32_t who = 0;
  enum weir_answer says;
  if (wants_bypass(l1, &q->a))
    *r = take_bypass(l1, q, NULL, inflight, WEIR_R_STATIC, WEIR_N_SHORTAGES, false);
  else if (c->hook[WEIR_H_route].n > 0 && (says = weir_chain_route(c, &q->a, &who)) >= WEIR_BYPASS)
    *r = take_bypass(l1, q, NULL, inflight, c->ops[who]->reason, WEIR_N_SHORTAGES,
                     says == WEIR_BYPASS_MARKED);
  else
    return false;
  return true;
}

struct weir_l1_result weir_l1_load(struct weir_l1 *l1, const struct weir_l1_req *q,
                                   uint32_t inflight) {
  const struct weir_access *a = &q->a;
  const struct weir_chain *c = &l1->chain;
  uint32_t who = 0;
  enum weir_answer says;
  uint64_t banks = banks_of(l1, a->addr, a->sectors);
  if (is_busy(l1, banks, l1->now)) return failed(WEIR_NO_DATA_PORT, true);
  if (is_still_blocked(l1, q)) return failed(l1->blocked.why, true);
  if (l1->m->l1.perfect) return hit(l1, a, banks, NULL);

  uint32_t want = l1->is_sectored ? a->sectors : l1->all, answer = 0;
  if (l1->widens_first) {
    answer = weir_chain_fetch_mask(c, a, want);
    want = answer & l1->all;
  }
  struct weir_probe r = c->org_ops->probe(&c->org, a, want);
  r.together = (answer & WEIR_FETCH_TOGETHER) != 0;
  uint32_t by_store = 0;
  if (l1->words != NULL && r.way >= 0 && (want & ~r.valid) != 0) {
    by_store = stored(l1, q, r.way) & ~r.valid;
    r.valid |= by_store;
  }
  if ((want & ~r.valid) == 0) {
    l1->stats.sectors_hit_stored += n_sectors(l1, by_store);
    return hit(l1, a, banks, &r);
  }
  struct need n = find_need(l1, a, &r);
  if (r.outcome == WEIR_MISS && n.entry == UINT32_MAX && c->hook[WEIR_H_admit].n > 0 &&
      (says = weir_chain_admit(c, a, view(l1, a->set), &who)) >= WEIR_BYPASS)
    return take_bypass(l1, q, &r, inflight, c->ops[who]->reason, WEIR_N_SHORTAGES,
                       says == WEIR_BYPASS_MARKED);
  if (r.verdict == WEIR_BYPASS)
    return take_bypass(l1, q, &r, inflight, r.reason, WEIR_N_SHORTAGES, false);
  enum weir_shortage why = check_resources(l1, a, &r, &n, inflight);
  if (why != WEIR_N_SHORTAGES) {
    if (c->hook[WEIR_H_blocked].n > 0 && (says = weir_chain_blocked(c, a, why)) >= WEIR_BYPASS) {
      struct weir_l1_result bypassed =
          take_bypass(l1, q, &r, inflight, WEIR_R_STALL, why, says == WEIR_BYPASS_MARKED);
      if (bypassed.answer != WEIR_L1_FAILED) return bypassed;
    }
    note_blocked(l1, q, why);
    return failed(why, true);
  }
  enum weir_outcome outcome = take_miss(l1, a, &r, &n, q->id);
  uint32_t missed = a->sectors & n.fetch;
  l1->stats.probes++;
  l1->stats.data_reads += (a->sectors & r.valid) != 0;
  l1->stats.sectors += n_sectors(l1, a->sectors);
  l1->stats.sectors_hit += n_sectors(l1, a->sectors & r.valid);
  l1->stats.sectors_hit_stored += n_sectors(l1, by_store);
  l1->stats.sectors_missed += n_sectors(l1, missed);
  if (outcome == WEIR_HIT_PENDING)
    COUNT_LOAD(l1, a, is_late(&r, &n) ? WEIR_TAPED_LATE : WEIR_TAPED_PENDING, hit_reserved, missed,
               n.fetch);
  else if (outcome == WEIR_MISS)
    COUNT_LOAD(l1, a, WEIR_TAPED_MISS, misses, missed, n.fetch);
  else
    COUNT_LOAD(l1, a, WEIR_TAPED_PARTIAL, partial_misses, missed, n.fetch);
  return (struct weir_l1_result){.answer = WEIR_L1_WAIT, .is_missing = n.fetch != 0};
}

/* ---- prefetches ---- */

void weir_l1_prefetch(struct weir_l1 *l1, uint64_t addr, uint32_t sectors) {
  struct weir_access a = {.addr = addr >> l1->line_shift << l1->line_shift,
                          .sectors = (uint16_t)(sectors & l1->all),
                          .op = WEIR_PREFETCH};
  a.set = set_of(l1, a.addr);
  uint32_t want = l1->is_sectored ? a.sectors : l1->all;
  struct weir_probe r = l1->chain.org_ops->probe(&l1->chain.org, &a, want);
  struct need n = find_need(l1, &a, &r);
  if (!l1->m->l1.enabled || n.fetch == 0 || r.verdict == WEIR_BYPASS ||
      l1->n_prefetches >= (uint32_t)l1->m->l1.mshr_entries ||
      check_resources(l1, &a, &r, &n, 0) != WEIR_N_SHORTAGES) {
    l1->stats.prefetches_dropped++;
    return;
  }
  take_miss(l1, &a, &r, &n, UINT32_MAX);
  l1->n_prefetches++;
  l1->stats.prefetches++;
}
