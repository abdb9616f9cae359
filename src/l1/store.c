/* Stores and atomics: kept, written through, or sent on while the line ends. */
#include "l1/pipeline.h"

/* Pending sectors that a store overwrites are dropped when they arrive. */
static void poison(struct weir_l1 *l1, uint64_t addr, uint32_t sectors) {
  uint32_t e = weir_l1_mshr_find(&l1->mshr, addr);
  if (e != UINT32_MAX && l1->m->l1.store_poisons_pending)
    l1->mshr.entry[e].dropped |= (uint16_t)(sectors & l1->mshr.entry[e].issued);
}

enum store_mode { EVICT, THROUGH, ALLOCATE, KEEP };

static enum store_mode store_mode(const struct weir_l1 *l1, const struct weir_access *a,
                                  const struct weir_probe *r) {
  const struct weir_l1_cfg *c = &l1->m->l1;
  if (a->op == WEIR_ATOMIC) return EVICT;
  if (l1->chain.hook[WEIR_H_store].n > 0)
    switch (weir_chain_store(&l1->chain, a, view(l1, a->set), r->way)) {
    case WEIR_WRITE_BACK:
      if (!l1->chain.org_ops->has_dirty || r->way < 0) break;
      if (l1->miss.cap < 2)
        weir_chain_refuse(
            &l1->chain,
            "a policy keeps stores; a miss that replaces a dirty line sends two packets, and "
            "l1.miss_queue must be at least 2");
      return KEEP;
    case WEIR_WRITE_THROUGH:
      return THROUGH;
    case WEIR_WRITE_EVICT:
      return EVICT;
    case WEIR_WRITE_PASS:
      break;
    }
  if (a->is_local && c->local_wb && l1->chain.org_ops->has_dirty && r->way >= 0) return KEEP;
  return c->write == WEIR_L1_WRITE_EVICT     ? EVICT
         : c->write == WEIR_L1_WRITE_THROUGH ? THROUGH
                                             : ALLOCATE;
}

static void count_store(struct weir_l1 *l1, const struct weir_access *a, uint32_t had) {
  struct weir_pc_stats *pc = &l1->pc[a->insn];
  unsigned n = n_sectors(l1, a->sectors);
  unsigned missed = n_sectors(l1, a->sectors & ~had);
  pc->requests++;
  pc->sectors += n;
  if (a->op == WEIR_ATOMIC) {
    l1->stats.atomics++;
    l1->stats.atomic_hits += had != 0;
    l1->stats.atomic_sectors += n;
    return;
  }
  l1->stats.stores++;
  l1->stats.store_hits += had != 0;
  l1->stats.local_stores += a->is_local;
  l1->stats.local_store_hits += a->is_local && had != 0;
  l1->stats.store_sectors += n;
  l1->stats.store_sectors_missed += missed;
}

/* May a load after it find the line? One that is on its way is found whatever the store does. */
static enum weir_taped_as taped_as(const struct weir_l1 *l1, const struct weir_access *a,
                                   uint32_t ended, enum store_mode mode) {
  if (mode == ALLOCATE) return WEIR_TAPED_FILLS;
  bool ends = mode == EVICT && ended == l1->all;
  return ends && weir_l1_mshr_find(&l1->mshr, a->addr) == UINT32_MAX ? WEIR_TAPED_ENDS
                                                                     : WEIR_TAPED_STORE;
}

/* A line that it has got, or had. */
static void keep_words(struct weir_l1 *l1, const struct weir_l1_req *q, int way,
                       enum store_mode mode) {
  uint32_t *words = words_in(l1, q->a.set, way);
  if (mode == ALLOCATE)
    *words |= q->touched;
  else
    *words &= ~words_of(q->a.sectors);
}

static void apply_store(struct weir_l1 *l1, const struct weir_l1_req *q, const struct weir_probe *r,
                        enum store_mode mode) {
  const struct weir_access *a = &q->a;
  struct weir_access x = seen(l1, a);
  const struct weir_org_ops *org = l1->chain.org_ops;
  weir_chain_lookup(&l1->chain, &x, view(l1, x.set), r->way, r->outcome);
  if (mode != EVICT) {
    if (l1->tape != NULL) weir_l1_tape_add(l1, a, taped_as(l1, a, 0, mode));
    l1->stats.data_writes += r->way >= 0 || mode == ALLOCATE;
    org->write(&l1->chain.org, &x, r, mode == KEEP, mode == ALLOCATE);
    if (l1->words != NULL && (r->way >= 0 || mode == ALLOCATE))
      keep_words(l1, q, r->way >= 0 ? r->way : l1->allocated, mode);
    return;
  }
  if (l1->words != NULL && r->way >= 0) keep_words(l1, q, r->way, mode);
  uint32_t sectors = l1->is_sectored ? a->sectors : l1->all;
  if (org->ended_by_store != NULL) sectors = org->ended_by_store(&l1->chain.org, sectors);
  if (l1->tape != NULL) weir_l1_tape_add(l1, a, taped_as(l1, a, sectors, mode));
  if (org->invalidate(&l1->chain.org, &x, sectors, WEIR_BY_STORE) > 0) l1->stats.store_evictions++;
  poison(l1, a->addr, sectors);
}

static uint8_t atom_flags(const struct weir_l1_req *q) {
  return (uint8_t)(WEIR_REQ_BYPASS | (q->is_word ? WEIR_REQ_WORD : 0));
}

struct weir_l1_result weir_l1_store(struct weir_l1 *l1, const struct weir_l1_req *q,
                                    uint32_t inflight) {
  const struct weir_access *a = &q->a;
  const struct weir_org_ops *org = l1->chain.org_ops;
  const struct weir_l1_cfg *c = &l1->m->l1;
  bool is_atom = a->op == WEIR_ATOMIC, is_on = c->enabled, has_tags = is_on && !c->perfect;
  struct weir_probe r = {.way = -1};
  uint32_t had = 0;
  enum store_mode mode = EVICT;
  int dirty = 0;
  if (is_on && is_busy(l1, banks_of(l1, a->addr, a->sectors), l1->now))
    return failed(WEIR_NO_DATA_PORT, true);
  if (is_on && c->perfect && !is_atom) { /* every line is there, though no tag says so */
    had = a->sectors;
    mode = a->is_local && c->local_wb && org->has_dirty ? KEEP
           : c->write == WEIR_L1_WRITE_EVICT            ? EVICT
                                                        : THROUGH;
  }
  if (has_tags) {
    r = org->probe(&l1->chain.org, a, a->sectors);
    had = r.valid | (r.way >= 0 ? view(l1, a->set).line[r.way].written_mask : 0u);
    mode = store_mode(l1, a, &r);
  }
  if (is_atom && inflight >= (uint32_t)l1->m->sm.inflight) return failed(WEIR_NO_INFLIGHT, is_on);
  if (mode == ALLOCATE && r.way < 0) {
    dirty = org->can_reserve(&l1->chain.org, a, &r, 0);
    if (dirty < 0) return failed(WEIR_NO_LINE, true);
  }
  if (has_tags && mode == EVICT) dirty = is_dirty(l1, a->set, r.way);
  if (mode != KEEP && l1->miss.n + 1 + (uint32_t)dirty > l1->miss.cap)
    return failed(WEIR_NO_QUEUE, is_on);
  if (is_on) l1->stats.probes++;
  if (has_tags)
    apply_store(l1, q, &r, mode);
  else
    l1->stats.data_writes += mode != EVICT;
  l1->chain.accepted++;
  uint32_t packets = 0;
  if (mode != KEEP)
    packets = send(l1, &l1->miss,
                   (struct weir_msg){.kind = is_atom ? WEIR_MSG_ATOM : WEIR_MSG_WRITE,
                                     .at = l1->now + r.extra,
                                     .addr = a->addr,
                                     .parts = a->sectors,
                                     .id = q->id,
                                     .flags = is_atom ? atom_flags(q) : 0},
                   a->full, q->words);
  count_store(l1, a, had);
  return (struct weir_l1_result){.answer = is_atom        ? WEIR_L1_WAIT
                                           : mode == KEEP ? WEIR_L1_HIT
                                                          : WEIR_L1_SENT,
                                 .packets = packets};
}
