/* Schedulers: which warp issues, and what slots are lost to. */
#include "sim/sm_core.h"

void weir_sched_reset(struct weir_sm *sm, unsigned scheduler, uint64_t now) {
  struct weir_sched *c = &sm->sched[scheduler];
  *c = (struct weir_sched){.slots = c->slots,
                           .view = {.scheduler = scheduler, .age = sm->age},
                           .of_unit = {[WEIR_UNIT_SCHEDULER] = UINT64_MAX},
                           .soonest = WEIR_NEVER,
                           .label = WEIR_SLOT_NO_WARP,
                           .oldest = WEIR_NO_SLOT,
                           .since = now};
}

static void put_bit(uint64_t *mask, uint64_t bit, bool is_set) {
  *mask = is_set ? *mask | bit : *mask & ~bit;
}

/* What a branch depends on is there for it later than for others (sm.branch_guard_cyc). */
static uint64_t guard_ready(const struct weir_sm *sm, const struct weir_sm_warp *w,
                            const struct weir_static *s, uint64_t t) {
  const uint64_t more = (uint64_t)sm->m->sm.branch_guard_cyc;
  for (unsigned i = 0; i < s->n_src; i++)
    if (s->src[i] != WEIR_NO_REG && w->reg[s->src[i]] != WEIR_NEVER)
      t = weir_max64(t, w->reg[s->src[i]] + more);
  return t;
}

/* Does it go through the coalescer? */
static bool is_load(const struct weir_static *s, const struct weir_dyn *d) {
  return (s->cls == WEIR_C_LOAD || s->cls == WEIR_C_TEX) && d->has_addr &&
         (d->addrs.space == WEIR_SP_GLOBAL || d->addrs.space == WEIR_SP_LOCAL ||
          d->addrs.space == WEIR_SP_TEX);
}

/* Of a warp that runs; not before cycle `t`. */
void weir_sm_find_ready(struct weir_sm *sm, uint32_t slot, uint64_t t) {
  struct weir_sm_warp *w = &sm->warps[slot];
  const struct weir_static *s = &sm->kernel->insns[w->next.insn];
  if (sm->collect != NULL) w->not_before = t = weir_max64(t, w->not_before);
  for (unsigned i = 0; i < s->n_src; i++)
    if (s->src[i] != WEIR_NO_REG) t = weir_max64(t, w->reg[s->src[i]]);
  if (s->cls == WEIR_C_BRANCH && sm->has_paths) t = guard_ready(sm, w, s, t);
  for (unsigned i = 0; i < s->n_dst; i++)
    if (s->dst[i] != WEIR_NO_REG) t = weir_max64(t, w->reg[s->dst[i]]);
  if (w->load_at > t && is_load(s, &w->next)) t = w->load_at;
  sm->ready_at[slot] = t;
  sm->is_dirty = true;
  struct weir_sched *c = &sm->sched[sm->sched_of[slot]];
  const uint64_t bit = UINT64_C(1) << slot;
  c->awake &= ~bit;
  put_bit(&c->asleep, bit, t != WEIR_NEVER);
  c->soonest = weir_min64(c->soonest, t);
  c->view.warps |= bit;
  put_bit(&c->view.uses_memory, bit, w->next.has_addr);
  const uint8_t unit = sm->m->unit[s->cls];
  c->of_unit[sm->unit[slot]] &= ~bit;
  c->of_unit[unit] |= bit;
  sm->unit[slot] = unit;
}

/* A warp that runs does so no more. */
void weir_sm_stop_warp(struct weir_sm *sm, uint32_t slot, enum weir_warp_state state) {
  struct weir_sched *c = &sm->sched[sm->sched_of[slot]];
  sm->warps[slot].state = (uint8_t)state;
  sm->is_dirty = true;
  if (state == WEIR_W_DONE && c->oldest == slot) c->oldest = WEIR_NO_SLOT;
  const uint64_t others = ~(UINT64_C(1) << slot);
  c->awake &= others;
  c->asleep &= others;
  c->view.warps &= others;
  c->view.uses_memory &= others;
}

bool weir_sm_is_gated(const struct weir_sm *sm, uint32_t slot) {
  if (!sm->has_gate) return false;
  const struct weir_sm_warp *w = &sm->warps[slot];
  const struct weir_static *s = &sm->kernel->insns[w->next.insn];
  uint8_t space = w->next.has_addr ? w->next.addrs.space : WEIR_SP_NONE;
  bool is_cached = space == WEIR_SP_GLOBAL || space == WEIR_SP_LOCAL || space == WEIR_SP_TEX;
  return !weir_l1_gate(sm->l1, slot,
                       !is_cached               ? WEIR_OTHER
                       : s->cls == WEIR_C_ATOM  ? WEIR_ATOMIC
                       : s->cls == WEIR_C_STORE ? WEIR_STORE
                                                : WEIR_LOAD);
}

/* Until at most `keep` ended groups of copies are under way. */
static void wait_copies(struct weir_sm *sm, uint32_t slot, uint32_t keep) {
  struct weir_sm_warp *w = &sm->warps[slot];
  uint64_t ready = sm->ready_at[slot];
  if (weir_ldst_copies(w, keep, &ready) > 0) {
    w->keeps = (uint8_t)keep;
    weir_sm_stop_warp(sm, slot, WEIR_W_COPY);
  } else if (ready > sm->ready_at[slot]) {
    weir_sm_find_ready(sm, slot, ready);
  }
}

static void take_unit(struct weir_sched *c, unsigned unit, uint64_t until) {
  c->unit_free[unit] = until;
  c->busy |= 1u << unit;
}

/* Of one unit the SM has the schedulers take turns, as at the LD/ST unit. */
static void take_shared_unit(struct weir_sm *sm, const struct weir_sched *c, uint8_t cls,
                             uint64_t now) {
  const unsigned n = (unsigned)sm->m->sm.schedulers;
  const uint64_t interval = (uint64_t)sm->m->sm.interval[cls];
  for (unsigned i = 0; i < n; i++)
    take_unit(&sm->sched[i], sm->m->unit_of_sm, now + weir_max64(interval, 1));
  sm->next_first = (c->view.scheduler + 1) % n;
}

/* A kernel's parameters, which are loads without an address: the SM's first read brings them. */
static uint64_t params_there(struct weir_sm *sm, uint64_t now) {
  if (sm->params_at == WEIR_NEVER) sm->params_at = now + (uint64_t)sm->m->sm.param_cold_cyc;
  return sm->params_at;
}

/* Whatever is no access to memory begins to execute: in its unit, or on the way there. */
static void start(struct weir_sm *sm, struct weir_sched *c, uint32_t slot, uint64_t now) {
  struct weir_sm_warp *w = &sm->warps[slot];
  const struct weir_static *s = &sm->kernel->insns[w->next.insn];
  if (sm->collect != NULL) {
    if (!weir_collect_put(sm, slot, now)) take_unit(c, sm->m->unit[s->cls], WEIR_NEVER);
    return;
  }
  uint64_t ready = now + (uint64_t)(sm->m->sm.latency[s->cls] + sm->m->sm.dependent_extra);
  if (s->space == WEIR_SP_PARAM) ready = weir_max64(ready, params_there(sm, now));
  for (unsigned i = 0; i < s->n_dst; i++)
    if (s->dst[i] != WEIR_NO_REG) w->reg[s->dst[i]] = ready;
}

static void read_clock(struct weir_sm *sm, uint32_t slot, uint64_t now) {
  const struct weir_dyn *d = &sm->warps[slot].next;
  if (sm->clocks == NULL) return;
  sm->port.out->is_failed |= !weir_clocks_read(sm->clocks, slot, d->insn, d->mask, now);
}

static void issue(struct weir_sm *sm, struct weir_sched *c, uint32_t slot, uint64_t now) {
  struct weir_sm_warp *w = &sm->warps[slot];
  const struct weir_static *s = &sm->kernel->insns[w->next.insn];
  sm->stats.warp_insns++;
  sm->stats.thread_insns +=
      w->next.mask == UINT32_MAX ? 32u : (unsigned)__builtin_popcount(w->next.mask);
  if (sm->m->unit[s->cls] == sm->m->unit_of_sm)
    take_shared_unit(sm, c, s->cls, now);
  else if (sm->m->sm.interval[s->cls] > 1 && (sm->collect == NULL || w->next.has_addr))
    take_unit(c, sm->m->unit[s->cls], now + (uint64_t)sm->m->sm.interval[s->cls]);
  if (__builtin_expect(sm->m->slots[s->cls] > 1, 0))
    take_unit(c, WEIR_UNIT_SCHEDULER, now + sm->m->slots[s->cls]);
  c->view.last = slot;
  sm->last_event = weir_max64(sm->last_event, now);
  if (sm->hears_issue) weir_l1_issued(sm->l1, c->view.scheduler, slot, now);
  if (__builtin_expect(s->reads_clock, 0)) read_clock(sm, slot, now);
  if (w->next.has_addr) {
    sm->stats.mem_insns++;
    weir_ldst_start(sm, slot, now);
  } else
    start(sm, c, slot, now);
  bool is_barrier = s->cls == WEIR_C_BARRIER, is_fence = s->cls == WEIR_C_FENCE;
  bool is_atom = s->cls == WEIR_C_ATOM && sm->m->sm.atom_waits;
  bool is_group = s->cls == WEIR_C_OTHER && (s->ends_copies || s->waits_copies);
  struct weir_barrier barrier = w->barrier;
  if (sm->is_ahead) {
    sm->is_ahead = false;
    weir_sm_take_next(sm, slot, now);
  } else
    weir_sm_advance(sm, slot, now);
  if (w->state == WEIR_W_DONE) weir_sm_tell_warp(sm, slot, WEIR_WARP_ENDS, now);
  if (is_barrier) {
    weir_sm_reach_barrier(sm, slot, barrier, !s->bar_arrive, now);
  } else if (is_fence && w->stores > 0 && w->state == WEIR_W_RUN) {
    weir_sm_stop_warp(sm, slot, WEIR_W_FENCE);
  } else if (is_atom && w->atoms > 0 && w->state == WEIR_W_RUN) {
    weir_sm_stop_warp(sm, slot, WEIR_W_ATOM);
  } else if (is_group) {
    w->group += s->ends_copies;
    if (s->waits_copies > 0 && w->state == WEIR_W_RUN) wait_copies(sm, slot, s->waits_copies - 1u);
  }
}

/* Move warps whose registers are ready now to the awake set. */
static void wake_warps(struct weir_sm *sm, struct weir_sched *c, uint64_t now) {
  if (c->soonest > now) return;
  c->soonest = WEIR_NEVER;
  for (uint64_t left = c->asleep; left != 0; left &= left - 1) {
    uint64_t at = sm->ready_at[__builtin_ctzll(left)];
    if (at <= now)
      c->awake |= left & -left;
    else
      c->soonest = weir_min64(c->soonest, at);
  }
  c->asleep &= ~c->awake;
}

/* Warps whose next instruction needs a unit that is busy. */
static uint64_t lack_unit(struct weir_sched *c, uint64_t now) {
  uint64_t lack = 0;
  for (uint32_t left = c->busy; left != 0; left &= left - 1) {
    unsigned unit = (unsigned)__builtin_ctz(left);
    if (c->unit_free[unit] > now)
      lack |= c->of_unit[unit];
    else
      c->busy &= ~(1u << unit);
  }
  return lack;
}

/* Warps that can issue now, unless a gate holds them back. */
static uint64_t ready_warps(const struct weir_sm *sm, struct weir_sched *c, uint64_t now,
                            bool ldst_taken) {
  uint64_t ready = c->awake;
  if (ldst_taken || sm->ldst.coalescer.is_busy || sm->ldst.shared_free > now)
    ready &= ~c->view.uses_memory;
  else if (sm->ldst.free_load == UINT32_MAX)
    ready &= ~c->view.uses_memory | c->of_unit[WEIR_C_STORE];
  return c->busy != 0 ? ready & ~lack_unit(c, now) : ready;
}

static void tell_view(struct weir_sm *sm, struct weir_sched *c, uint64_t now) {
  c->view.waits_memory = c->view.warps & ~(c->awake | c->asleep);
  for (uint64_t left = sm->collect != NULL ? c->view.waits_memory : 0; left != 0; left &= left - 1)
    if (weir_sm_is_collecting(&sm->warps[__builtin_ctzll(left)], now))
      c->view.waits_memory &= ~(left & -left);
  for (uint64_t left = sm->has_gate ? c->awake : 0; left != 0; left &= left - 1)
    if (weir_sm_is_gated(sm, (uint32_t)__builtin_ctzll(left))) c->view.held |= left & -left;
  weir_l1_sched_update(sm->l1, &c->view, now);
  c->view.held = 0;
}

static int pick_warp(struct weir_sm *sm, struct weir_sched *c, uint64_t now, bool ldst_taken) {
  if (sm->tells_views) tell_view(sm, c, now);
  if (c->awake == 0) return WEIR_WARP_NONE;
  uint64_t ready = ready_warps(sm, c, now, ldst_taken);
  if (!sm->asks_policies) /* nobody but the machine's own */
    return ready != 0 ? sm->own.pick_warp(sm->own.p, &c->view, ready) : WEIR_WARP_NONE;
  while (ready != 0) {
    int w = weir_l1_pick_warp(sm->l1, &c->view, ready);
    if (w < 0 || !weir_sm_is_gated(sm, (uint32_t)w)) return w;
    ready &= ~(UINT64_C(1) << w);
  }
  return WEIR_WARP_NONE;
}

/* Of the scheduler's warps that have not ended; those that come are younger. */
static uint8_t oldest_warp(const struct weir_sm *sm, const struct weir_sched *c) {
  for (uint32_t k = 0; k < sm->n_order; k++) {
    uint32_t i = sm->order[k];
    if (c->slots >> i & 1 && sm->warps[i].state != WEIR_W_DONE) return (uint8_t)i;
  }
  return WEIR_NO_SLOT;
}

/* What the slots of a scheduler that issued nothing were lost to: the state of its oldest
 * unfinished warp. */
static uint8_t slot_label(const struct weir_sm *sm, struct weir_sched *c, uint64_t now) {
  if (c->oldest == WEIR_NO_SLOT) c->oldest = oldest_warp(sm, c);
  if (c->oldest == WEIR_NO_SLOT) return WEIR_SLOT_NO_WARP;
  const struct weir_sm_warp *w = &sm->warps[c->oldest];
  const uint64_t ready_at = sm->ready_at[c->oldest];
  if (w->state == WEIR_W_BARRIER) return WEIR_SLOT_BARRIER;
  if (w->state == WEIR_W_FENCE) return WEIR_SLOT_FENCE;
  if (w->state == WEIR_W_COPY || w->state == WEIR_W_ATOM ||
      (ready_at == WEIR_NEVER && !weir_sm_is_collecting(w, now)))
    return WEIR_SLOT_LOAD;
  if (ready_at > now) return WEIR_SLOT_DEPENDENCY;
  if (w->next.has_addr && (sm->ldst.coalescer.is_busy || sm->ldst.free_load == UINT32_MAX))
    return (uint8_t)(WEIR_SLOT_LDST + sm->ldst.failed);
  return weir_sm_is_gated(sm, c->oldest) ? WEIR_SLOT_GATE : WEIR_SLOT_UNIT;
}

void weir_sched_settle(struct weir_sm *sm, struct weir_sched *c, uint64_t now) {
  sm->stats.slot[c->label] += now - c->since;
  c->since = now;
}

static void put_label(struct weir_sm *sm, struct weir_sched *c, uint8_t label, uint64_t now) {
  if (c->label == label) return;
  weir_sched_settle(sm, c, now);
  c->label = label;
}

/* The schedulers that issued, a bit each. */
static uint32_t issue_all(struct weir_sm *sm, uint64_t now) {
  unsigned n = (unsigned)sm->m->sm.schedulers;
  uint32_t issued = 0;
  bool ldst_taken = false;
  for (unsigned k = 0; k < n; k++) {
    unsigned s = sm->first_sched + k < n ? sm->first_sched + k : sm->first_sched + k - n;
    struct weir_sched *c = &sm->sched[s];
    wake_warps(sm, c, now);
    int w = pick_warp(sm, c, now, ldst_taken);
    if (w < 0) continue;
    if (sm->warps[w].next.has_addr) {
      ldst_taken = true;
      sm->next_first = (s + 1) % n; /* who won the LD/ST unit asks last next time */
    }
    issue(sm, c, (uint32_t)w, now);
    put_label(sm, c, WEIR_SLOT_ISSUED, now);
    issued |= 1u << s;
  }
  sm->first_sched = sm->next_first;
  return issued;
}

/* Warps that wait for memory are told apart from those with an instruction between issue and unit:
 * when does time alone end that? It decides what slots are lost to, and what policies see. */
static uint64_t next_collected(const struct weir_sm *sm, const struct weir_sched *c, uint64_t now) {
  uint64_t at = WEIR_NEVER, left = c->view.warps & ~(c->awake | c->asleep);
  if (!sm->tells_views) left &= c->oldest != WEIR_NO_SLOT ? UINT64_C(1) << c->oldest : 0;
  for (; left != 0; left &= left - 1) {
    const uint64_t t = sm->warps[__builtin_ctzll(left)].collected_at;
    if (t > now) at = weir_min64(at, t);
  }
  return at;
}

/* Nothing was issued: when can something, if nothing but time changes? */
static uint64_t next_issue(struct weir_sm *sm, uint64_t now) {
  uint64_t at = WEIR_NEVER;
  for (unsigned s = 0; s < (unsigned)sm->m->sm.schedulers; s++) {
    struct weir_sched *c = &sm->sched[s];
    at = weir_min64(at, weir_max64(c->soonest, now + 1));
    uint64_t lack = c->busy != 0 ? lack_unit(c, now) : 0;
    for (uint32_t left = c->busy; left != 0; left &= left - 1) {
      unsigned unit = (unsigned)__builtin_ctz(left);
      if (c->awake & c->of_unit[unit]) at = weir_min64(at, c->unit_free[unit]);
    }
    if ((c->awake & c->view.uses_memory & ~lack) != 0 && sm->ldst.shared_free > now)
      at = weir_min64(at, sm->ldst.shared_free);
    if (sm->collect != NULL) at = weir_min64(at, next_collected(sm, c, now));
  }
  return at;
}

/* Steps 6 and 7. Schedulers are looked at when something has changed that they depend on, or when
 * time lets a warp go on; what their slots are lost to stays the same in between. */
bool weir_sm_issue(struct weir_sm *sm, uint64_t now, bool *queued, bool *retired, uint64_t *wake) {
  bool looks = sm->is_dirty || sm->issue_at <= now || sm->asks_policies || sm->is_literal;
  uint32_t issued = 0;
  if (looks) {
    sm->is_dirty = false;
    issued = issue_all(sm, now);
  }
  *queued = sm->ldst.coalescer.is_busy && weir_ldst_coalesce(sm);
  *retired = sm->ending != 0 && weir_sm_retire_blocks(sm, now, wake);
  if (!looks && !sm->is_dirty) return false;
  for (unsigned s = 0; s < (unsigned)sm->m->sm.schedulers; s++)
    if (!(issued >> s & 1)) put_label(sm, &sm->sched[s], slot_label(sm, &sm->sched[s], now), now);
  if (issued != 0)
    sm->is_dirty = true; /* the slot of the next cycle is another one */
  else
    sm->issue_at = next_issue(sm, now);
  return issued != 0;
}
