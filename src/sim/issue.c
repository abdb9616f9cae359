/* Schedulers: which warp issues, and what slots are lost to. */
#include "sim/sm_core.h"

void weir_sched_reset(struct weir_sched *c, uint64_t now) {
  *c = (struct weir_sched){.warps = c->warps,
                           .mem = c->mem,
                           .soonest = WEIR_NEVER,
                           .label = WEIR_SLOT_NO_WARP,
                           .since = now};
}

/* Of a warp that runs; not before cycle `t`. */
void weir_sm_find_ready(struct weir_sm *sm, uint32_t slot, uint64_t t) {
  struct weir_sm_warp *w = &sm->warps[slot];
  const struct weir_static *s = &sm->kernel->insns[w->next.insn];
  for (unsigned i = 0; i < s->n_src; i++)
    if (s->src[i] != WEIR_NO_REG) t = weir_max64(t, w->reg[s->src[i]]);
  for (unsigned i = 0; i < s->n_dst; i++)
    if (s->dst[i] != WEIR_NO_REG) t = weir_max64(t, w->reg[s->dst[i]]);
  sm->ready_at[slot] = t;
  sm->is_dirty = true;
  struct weir_sched *c = &sm->sched[slot % (unsigned)sm->m->sm.schedulers];
  const uint64_t bit = UINT64_C(1) << slot;
  c->awake &= ~bit;
  c->asleep = t != WEIR_NEVER ? c->asleep | bit : c->asleep & ~bit;
  c->mem = w->next.has_addr ? c->mem | bit : c->mem & ~bit;
  c->soonest = weir_min64(c->soonest, t);
}

/* A warp that runs does so no more. */
void weir_sm_stop_warp(struct weir_sm *sm, uint32_t slot, enum weir_warp_state state) {
  struct weir_sched *c = &sm->sched[slot % (unsigned)sm->m->sm.schedulers];
  sm->warps[slot].state = (uint8_t)state;
  sm->is_dirty = true;
  c->awake &= ~(UINT64_C(1) << slot);
  c->asleep &= ~(UINT64_C(1) << slot);
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

/* May the warp's next instruction issue now, apart from its registers and the LD/ST unit? */
static bool unit_is_free(const struct weir_sm *sm, const struct weir_sched *c, uint32_t slot,
                         uint64_t now) {
  const struct weir_sm_warp *w = &sm->warps[slot];
  const struct weir_static *s = &sm->kernel->insns[w->next.insn];
  if (c->unit_free[s->cls] > now || weir_sm_is_gated(sm, slot)) return false;
  return !w->next.has_addr || s->cls == WEIR_C_STORE || sm->ldst.free_load != UINT32_MAX;
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

static void issue(struct weir_sm *sm, struct weir_sched *c, uint32_t slot, uint64_t now) {
  struct weir_sm_warp *w = &sm->warps[slot];
  const struct weir_static *s = &sm->kernel->insns[w->next.insn];
  sm->stats.warp_insns++;
  sm->stats.thread_insns += (unsigned)__builtin_popcount(w->next.mask);
  c->unit_free[s->cls] = now + (uint64_t)sm->m->sm.interval[s->cls];
  c->units_until = weir_max64(c->units_until, c->unit_free[s->cls]);
  c->last = slot;
  sm->last_event = weir_max64(sm->last_event, now);
  if (w->next.has_addr) {
    sm->stats.mem_insns++;
    weir_ldst_start(sm, slot, now);
  } else
    for (unsigned i = 0; i < s->n_dst; i++)
      if (s->dst[i] != WEIR_NO_REG) w->reg[s->dst[i]] = now + (uint64_t)sm->m->sm.latency[s->cls];
  bool is_barrier = s->cls == WEIR_C_BARRIER, is_fence = s->cls == WEIR_C_FENCE;
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

/* Two-level: the active set gives up warps that wait for memory or cannot run, and takes the oldest
 * others. */
static void refill_active(struct weir_sm *sm, struct weir_sched *c) {
  for (uint64_t left = c->active; left != 0; left &= left - 1) {
    unsigned i = (unsigned)__builtin_ctzll(left);
    if (sm->warps[i].state != WEIR_W_RUN || sm->ready_at[i] == WEIR_NEVER)
      c->active &= ~(UINT64_C(1) << i);
  }
  for (uint32_t k = 0; k < sm->n_order && __builtin_popcountll(c->active) < sm->m->sm.active_warps;
       k++) {
    uint32_t i = sm->order[k];
    if ((c->warps >> i & 1) && sm->warps[i].state == WEIR_W_RUN && sm->ready_at[i] != WEIR_NEVER)
      c->active |= UINT64_C(1) << i;
  }
}

static int pick_warp(struct weir_sm *sm, struct weir_sched *c, uint64_t now, bool ldst_taken) {
  uint64_t can = c->awake;
  enum weir_scheduler policy = sm->m->sm.scheduler;
  if (policy == WEIR_TWO_LEVEL) {
    refill_active(sm, c);
    can &= c->active;
  }
  if (ldst_taken || sm->ldst.coalescer.is_busy || sm->ldst.shared_free > now) can &= ~c->mem;
  if (can == 0) return -1;
  if (policy == WEIR_GTO) {
    if ((can >> c->last & 1) && unit_is_free(sm, c, c->last, now)) return (int)c->last;
    int oldest = -1;
    for (uint64_t left = can; left != 0; left &= left - 1) {
      unsigned i = (unsigned)__builtin_ctzll(left);
      if ((oldest < 0 || sm->age[i] < sm->age[oldest]) && unit_is_free(sm, c, i, now))
        oldest = (int)i;
    }
    return oldest;
  }
  /* Round robin: the slots after the last one, then the others. */
  uint64_t after = c->last == 63 ? 0 : can & ~((UINT64_C(2) << c->last) - 1);
  for (int pass = 0; pass < 2; pass++)
    for (uint64_t left = pass == 0 ? after : can & ~after; left != 0; left &= left - 1) {
      unsigned i = (unsigned)__builtin_ctzll(left);
      if (unit_is_free(sm, c, i, now)) return (int)i;
    }
  return -1;
}

/* What the slots of a scheduler that issued nothing were lost to: the state of its oldest
 * unfinished warp. */
static uint8_t slot_label(const struct weir_sm *sm, const struct weir_sched *c, uint64_t now) {
  for (uint32_t k = 0; k < sm->n_order; k++) {
    uint32_t i = sm->order[k];
    const struct weir_sm_warp *w = &sm->warps[i];
    if (!(c->warps >> i & 1) || w->state == WEIR_W_DONE) continue;
    if (w->state == WEIR_W_BARRIER) return WEIR_SLOT_BARRIER;
    if (w->state == WEIR_W_FENCE) return WEIR_SLOT_FENCE;
    if (w->state == WEIR_W_COPY) return WEIR_SLOT_LOAD;
    if (sm->ready_at[i] == WEIR_NEVER) return WEIR_SLOT_LOAD;
    if (sm->ready_at[i] > now) return WEIR_SLOT_DEPENDENCY;
    if (w->next.has_addr && (sm->ldst.coalescer.is_busy || sm->ldst.free_load == UINT32_MAX))
      return (uint8_t)(WEIR_SLOT_LDST + sm->ldst.failed);
    return weir_sm_is_gated(sm, i) ? WEIR_SLOT_GATE : WEIR_SLOT_UNIT;
  }
  return WEIR_SLOT_NO_WARP;
}

void weir_sched_settle(struct weir_sm *sm, struct weir_sched *c, uint64_t now) {
  sm->stats.slot[c->label] += now - c->since;
  c->since = now;
}

static bool issue_all(struct weir_sm *sm, uint64_t now) {
  unsigned n = (unsigned)sm->m->sm.schedulers;
  bool any = false, ldst_taken = false;
  for (unsigned k = 0; k < n; k++) {
    unsigned s = (sm->first_sched + k) % n;
    struct weir_sched *c = &sm->sched[s];
    weir_sched_settle(sm, c, now);
    wake_warps(sm, c, now);
    int w = pick_warp(sm, c, now, ldst_taken);
    if (w < 0) {
      c->label = UINT8_MAX; /* decided below, when all have issued */
      continue;
    }
    if (sm->warps[w].next.has_addr) {
      ldst_taken = true;
      sm->next_first = (s + 1) % n; /* who won the LD/ST unit asks last next time */
    }
    issue(sm, c, (uint32_t)w, now);
    c->label = WEIR_SLOT_ISSUED;
    any = true;
  }
  sm->first_sched = sm->next_first;
  return any;
}

/* Nothing was issued: when can something, if nothing but time changes? */
static uint64_t next_issue(const struct weir_sm *sm, uint64_t now) {
  uint64_t at = WEIR_NEVER;
  for (unsigned s = 0; s < (unsigned)sm->m->sm.schedulers; s++) {
    const struct weir_sched *c = &sm->sched[s];
    at = weir_min64(at, weir_max64(c->soonest, now + 1));
    if (c->units_until <= now) { /* all units are free: no need to ask each warp for its own */
      if ((c->awake & c->mem) != 0 && sm->ldst.shared_free > now)
        at = weir_min64(at, sm->ldst.shared_free);
      continue;
    }
    for (uint64_t left = c->awake; left != 0; left &= left - 1) { /* awake, but its unit is busy */
      const struct weir_sm_warp *w = &sm->warps[__builtin_ctzll(left)];
      const struct weir_static *st = &sm->kernel->insns[w->next.insn];
      if (c->unit_free[st->cls] > now)
        at = weir_min64(at, c->unit_free[st->cls]);
      else if (w->next.has_addr && sm->ldst.shared_free > now)
        at = weir_min64(at, sm->ldst.shared_free);
    }
  }
  return at;
}

/* Steps 6 and 7. Schedulers are looked at when something has changed that they depend on, or when
 * time lets a warp go on; what their slots are lost to stays the same in between. */
bool weir_sm_issue(struct weir_sm *sm, uint64_t now, bool *queued, bool *retired, uint64_t *wake) {
  bool looks = sm->is_dirty || sm->issue_at <= now || sm->has_gate || sm->is_literal;
  bool issued = false;
  if (looks) {
    sm->is_dirty = false;
    issued = issue_all(sm, now);
  }
  *queued = sm->ldst.coalescer.is_busy && weir_ldst_coalesce(sm);
  *retired = sm->n_ending > 0 && weir_sm_retire_blocks(sm, now, wake);
  if (!looks && !sm->is_dirty) return false;
  for (unsigned s = 0; s < (unsigned)sm->m->sm.schedulers; s++) {
    struct weir_sched *c = &sm->sched[s];
    if (!looks) weir_sched_settle(sm, c, now);
    if (!looks || c->label == UINT8_MAX) c->label = slot_label(sm, c, now);
  }
  if (issued)
    sm->is_dirty = true; /* the slot of the next cycle is another one */
  else
    sm->issue_at = next_issue(sm, now);
  return issued;
}
