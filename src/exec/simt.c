/* SIMT execution of one warp: the loop over its instructions, and those of control. */
#include "exec/simt.h"

#include <stdlib.h>
#include <string.h>

#include "exec/barrier.h"
#include "exec/builtin.h"
#include "exec/call.h"
#include "exec/exchange.h"
#include "exec/lanes.h"
#include "exec/splits.h"
#include "exec/sync.h"
#include "stream/writer.h"

/* Loops that look at nothing others write can wait for nothing: they rarely yield. */
enum { PLAIN_LOOP_FACTOR = 4096 };

bool ptx_warp_start(struct ptx_warp *w, uint32_t live) {
  w->live = live;
  w->arrival.mask = 0;
  w->is_held = false;
  w->executed = 0;
  w->fault.kind = PTX_F_NONE;
  PRED(SLOT_TRUE) = FULL;
  PRED(SLOT_CC) = 0;
  PRED(SLOT_FALSE) = 0;
  const struct ptx_fn_info *f = &w->prog->funcs[0];
  for (uint32_t i = 0; i < f->n_zero; i++)
    memset(w->reg + f->zero[i].at, 0,
           f->zero[i].lane_bytes ? (size_t)f->zero[i].lane_bytes * LANES : 4);
  return ptx_split_first(w, live);
}

void ptx_warp_free(struct ptx_warp *w) {
  for (uint32_t i = 0; i < w->n_splits; i++)
    if (w->splits[i].state != PTX_S_FREE) free(w->splits[i].saved);
  free(w->splits);
  w->splits = NULL;
  w->n_splits = w->cap_splits = 0;
}

/* ---- instructions of control ---- */

/* A side of a branch. */
struct side {
  uint32_t mask, pc;
  bool is_guarded; /* an assembler makes guarded instructions of it */
};

/* The leaf keeps one side, the other becomes a leaf of its own. Both run to `rpc`. */
static bool diverge_leaf(struct ptx_warp *w, int32_t leaf, struct side stay, struct side go,
                         uint32_t rpc) {
  int32_t parent;
  uint32_t meet;
  if (!ptx_split_join(w, leaf, rpc, &parent, &meet)) return false;
  int32_t n = ptx_split_add(w, leaf, PTX_S_RUN, go.pc, go.mask);
  if (n < 0) return false;
  struct ptx_split *s = &w->splits[leaf];
  w->splits[n].parent = parent;
  w->splits[n].rpc = meet;
  w->splits[n].is_guarded = s->is_guarded && go.is_guarded;
  s->parent = parent;
  s->rpc = meet;
  s->pc = stay.pc;
  s->mask = stay.mask;
  s->is_guarded &= stay.is_guarded;
  if (go.pc == meet) ptx_split_arrive(w, n);
  return true;
}

static bool branch_indexed(struct ptx_warp *w, int32_t leaf, const struct ptx_uop *u, uint32_t mask,
                           uint32_t pc) {
  const uint32_t *index = REG32(u->a);
  EACH_BIT(i, mask)
  if (index[i] >= u->target) {
    w->fault.kind = PTX_F_BRANCH;
    w->fault.lane = i;
    w->fault.addr = index[i];
    w->fault.bytes = u->target;
    return false;
  }
  uint32_t left = mask, others = w->splits[leaf].mask & ~mask;
  int32_t at = leaf;
  if (others != 0) { /* lanes whose guard is false fall through */
    if (!diverge_leaf(w, leaf, (struct side){mask, pc, false}, (struct side){others, pc + 1, false},
                      u->rpc))
      return false;
  }
  while (left != 0) {
    uint32_t target = u->x.list[index[__builtin_ctz(left)]], same = 0;
    EACH_BIT(i, left) same |= (uint32_t)(u->x.list[index[i]] == target) << i;
    if (same == left) {
      w->splits[at].pc = target;
      return true;
    }
    if (!diverge_leaf(w, at, (struct side){left & ~same, pc, false},
                      (struct side){same, target, false}, u->rpc))
      return false;
    left &= ~same;
  }
  return true;
}

static void lanes_exit(struct ptx_warp *w, uint32_t mask) {
  w->live &= ~mask;
  w->is_stored = true;
  for (uint32_t i = 0; i < w->n_splits; i++)
    if (w->splits[i].state == PTX_S_JOIN) {
      w->splits[i].expected &= ~mask;
      ptx_join_settle(w, (int32_t)i);
    }
  if (ptx_barrier_leave(w) && w->live != 0) ptx_exchange_check(w);
}

/* How the warp goes on after an instruction of control: with the next one, with the leaf that is
 * current now, not at all for the moment, or with a fault. */
enum step { STEP_NEXT, STEP_ENTER, STEP_STOP, STEP_FAULT };

static void put_record(struct ptx_warp *w, uint32_t pc, uint32_t mask) {
  if (w->writer != NULL) weir_put(w->writer, pc, mask);
}

static enum step enter_if(bool ok) {
  return ok ? STEP_ENTER : STEP_FAULT;
}

/* Some lanes take the branch. The side that does not stand at the meeting point goes on; of two,
 * the one in program order. */
static bool branch_apart(struct ptx_warp *w, const struct ptx_uop *u, uint32_t m, uint32_t pc) {
  struct side next = {w->splits[w->current].mask & ~m, pc + 1, u->aux2 & PTX_BRA_NEXT_GUARDED};
  struct side there = {m, u->target, u->aux2 & PTX_BRA_TARGET_GUARDED};
  w->stat[pc].diverged++;
  return pc + 1 == u->rpc ? diverge_leaf(w, w->current, there, next, u->rpc)
                          : diverge_leaf(w, w->current, next, there, u->rpc);
}

static enum step step_brx(struct ptx_warp *w, const struct ptx_uop *u, uint32_t m, uint32_t pc) {
  uint32_t active = w->splits[w->current].mask;
  put_record(w, pc, m);
  if (!branch_indexed(w, w->current, u, m, pc)) return STEP_FAULT;
  w->stat[pc].diverged += w->splits[w->current].mask != active;
  return STEP_ENTER;
}

static enum step step_call(struct ptx_warp *w, const struct ptx_uop *u, uint32_t m, uint32_t pc) {
  put_record(w, pc, m);
  return enter_if(ptx_call_enter(w, w->current, u->x.call, m, pc));
}

static enum step step_icall(struct ptx_warp *w, const struct ptx_uop *u, uint32_t m, uint32_t pc) {
  put_record(w, pc, m);
  return enter_if(ptx_call_indirect(w, w->current, u, m, pc));
}

static enum step step_builtin(struct ptx_warp *w, const struct ptx_uop *u, uint32_t m,
                              uint32_t pc) {
  put_record(w, pc, m);
  ptx_builtin_call(w, u, m);
  return w->fault.kind == PTX_F_NONE ? STEP_NEXT : STEP_FAULT;
}

/* After lanes have left the leaf. */
static enum step leave_leaf(struct ptx_warp *w, int32_t leaf) {
  if (w->splits[leaf].mask != 0) return STEP_ENTER;
  ptx_split_free(w, leaf);
  if (w->live != 0 && ptx_split_pick(w, leaf, false)) return STEP_ENTER;
  w->current = -1;
  return STEP_STOP;
}

static void take_lanes(struct ptx_warp *w, uint32_t m, uint32_t pc) {
  struct ptx_split *s = &w->splits[w->current];
  s->pc = pc + 1;
  s->mask &= ~m;
}

static enum step step_ret(struct ptx_warp *w, const struct ptx_uop *u, uint32_t m, uint32_t pc) {
  (void)u;
  int32_t leaf = w->current;
  put_record(w, pc, m);
  take_lanes(w, m, pc);
  return ptx_call_return(w, leaf, m) ? leave_leaf(w, leaf) : STEP_FAULT;
}

static enum step step_exit(struct ptx_warp *w, const struct ptx_uop *u, uint32_t m, uint32_t pc) {
  (void)u;
  int32_t leaf = w->current;
  put_record(w, pc, m);
  take_lanes(w, m, pc);
  lanes_exit(w, m);
  if (w->fault.kind != PTX_F_NONE)
    return STEP_STOP; /* of what others waited for; its place is known */
  return leave_leaf(w, leaf);
}

static enum step step_trap(struct ptx_warp *w, const struct ptx_uop *u, uint32_t m, uint32_t pc) {
  (void)u;
  put_record(w, pc, m);
  w->fault.kind = PTX_F_TRAP;
  w->fault.lane = (uint32_t)__builtin_ctz(m);
  return STEP_FAULT;
}

static enum step step_bar(struct ptx_warp *w, const struct ptx_uop *u, uint32_t m, uint32_t pc) {
  if (!ptx_barrier_wait(w, w->current, u, m, pc)) return STEP_FAULT;
  return w->current >= 0 || ptx_split_pick(w, 0, false) ? STEP_ENTER : STEP_STOP;
}

static enum step step_sync(struct ptx_warp *w, const struct ptx_uop *u, uint32_t m, uint32_t pc) {
  int32_t leaf = w->current;
  if (u->aux != PTX_SYNC_MATRIX_MEM) put_record(w, pc, m);
  if (ptx_exchange_wait(w, leaf, u, m, pc)) return STEP_NEXT;
  if (w->fault.kind != PTX_F_NONE) return STEP_FAULT;
  return ptx_split_pick(w, leaf, false) ? STEP_ENTER : STEP_STOP;
}

static enum step step_sleep(struct ptx_warp *w, const struct ptx_uop *u, uint32_t m, uint32_t pc) {
  (void)u;
  put_record(w, pc, m);
  w->splits[w->current].pc = pc + 1;
  ptx_split_pick(w, w->current, true);
  return STEP_STOP;
}

/* The current leaf's place is written down before the call. */
static enum step (*const control[])(struct ptx_warp *w, const struct ptx_uop *u, uint32_t m,
                                    uint32_t pc) = {
    [PTX_K_BRX] = step_brx,     [PTX_K_CALL] = step_call,       [PTX_K_ICALL] = step_icall,
    [PTX_K_RET] = step_ret,     [PTX_K_BUILTIN] = step_builtin, [PTX_K_EXIT] = step_exit,
    [PTX_K_TRAP] = step_trap,   [PTX_K_BAR] = step_bar,         [PTX_K_SYNC] = step_sync,
    [PTX_K_SLEEP] = step_sleep,
};

uint64_t ptx_warp_run(struct ptx_warp *w, uint64_t budget, uint32_t yield_after) {
  uint64_t n = 0;
  struct ptx_pc_stat *const stat = w->stat;
  const struct ptx_uop *const code = w->code;
  if (w->live == 0 || (w->current < 0 && !ptx_split_pick(w, 0, false))) return 0;
  struct ptx_split *s;
  uint32_t pc, active, rpc;
enter:
  s = &w->splits[w->current];
  pc = s->pc, active = s->mask, rpc = s->rpc;
  w->local_base = s->local_base;
  for (;;) {
    if (pc == rpc) {
      int32_t was = w->current;
      ptx_split_arrive(w, was);
      if (!ptx_split_pick(w, was, false)) return n;
      goto enter;
    }
    if (n == budget) {
      s->pc = pc;
      return n;
    }
    const struct ptx_uop *u = code + pc;
    uint32_t m = active & (PRED(u->guard) ^ u->guard_xor);
    stat[pc].execs++;
    stat[pc].lanes += weir_mask_lanes(m);
    n++;
    w->executed++;
    if (m == 0) {
      put_record(w, pc++, 0);
      continue;
    }
    switch ((enum ptx_kind)u->kind) {
    case PTX_K_PLAIN:
      put_record(w, pc++, m);
      u->fn(w, u, m);
      continue;
    case PTX_K_MEM:
      u->fn(w, u, m);
      if (__builtin_expect(w->fault.kind != PTX_F_NONE, 0)) goto fault;
      pc++;
      continue;
    case PTX_K_NOP:
    case PTX_K_FENCE:
      put_record(w, pc++, m);
      continue;
    case PTX_K_BRA: {
      bool is_back = u->target <= pc;
      put_record(w, pc, m);
      if (m == active)
        pc = u->target;
      else {
        s->pc = pc;
        if (!branch_apart(w, u, m, pc)) goto fault;
        s = &w->splits[w->current];
        pc = s->pc, active = s->mask, rpc = s->rpc;
        if (pc != u->target) continue;
      }
      if (is_back && ++s->n_back >= (u->aux ? yield_after : yield_after * PLAIN_LOOP_FACTOR)) {
        s->n_back = 0, s->pc = pc;
        if (!ptx_split_pick(w, w->current, true)) return n;
        goto enter;
      }
      continue;
    }
    default:
      s->pc = pc;
      enum step step = control[u->kind](w, u, m, pc);
      if (step == STEP_ENTER) goto enter;
      if (step == STEP_STOP) return n;
      if (step == STEP_FAULT) goto fault;
      pc++;
    }
  }
fault:
  w->fault.pc = pc;
  return n;
}
