/* Barriers of a block: which lanes of a warp have come, which warps count. */
#include "exec/barrier.h"

#include "exec/lanes.h"
#include "exec/splits.h"
#include "exec/sync.h"
#include "stream/writer.h"

/* Writes the arrival that was held back. */
static void put_arrival(struct ptx_warp *w, bool is_partial) {
  struct ptx_arrival a = w->arrival;
  w->arrival.mask = 0;
  if (a.mask == 0 || w->writer == NULL) return;
  const struct weir_static *s = &w->prog->statics[a.pc];
  struct weir_barrier b = {(uint8_t)a.id, (uint8_t)a.warps, is_partial};
  struct weir_addrs addrs = {
      .kind = WEIR_ADDR_UNIFORM, .space = WEIR_SP_GLOBAL, .base = weir_barrier_pack(b)};
  if (is_partial || s->bar_id != a.id || s->bar_warps != a.warps)
    weir_put_mem(w->writer, a.pc, a.mask, &addrs);
  else
    weir_put(w->writer, a.pc, a.mask);
}

static void pass_barrier(struct ptx_warp *w, struct ptx_split *s) {
  s->state = PTX_S_RUN;
  s->pc++;
  w->is_held = false;
  if (w->current < 0) w->current = (int32_t)(s - w->splits);
}

static void finish_barrier(struct ptx_cta *cta, uint32_t id) {
  struct ptx_bar *b = &cta->bar[id];
  for (uint32_t k = 0; k < cta->n_warps; k++) {
    struct ptx_warp *w = &cta->warps[k];
    for (uint32_t i = 0; i < w->n_splits; i++) {
      struct ptx_split *s = &w->splits[i];
      if (s->state != PTX_S_BAR || s->bar_id != id || !s->is_counted) continue;
      const struct ptx_uop *u = &w->code[s->pc];
      if (u->d != UINT32_MAX && u->aux == PTX_BAR_POPC)
        EACH_BIT(lane, s->mask) REG32(u->d)[lane] = b->n_true;
      else if (u->d != UINT32_MAX && u->aux >= PTX_BAR_AND) {
        bool r = u->aux == PTX_BAR_AND ? b->n_true == b->n_voted : b->n_true > 0;
        PRED(u->d) = (PRED(u->d) & ~s->mask) | (r ? s->mask : 0);
      }
      pass_barrier(w, s);
    }
  }
  *b = (struct ptx_bar){0};
}

static void check_barrier(struct ptx_cta *cta, uint32_t id) {
  const struct ptx_bar *b = &cta->bar[id];
  uint32_t expected = b->expected != 0 ? b->expected : cta->n_live_warps * LANES;
  if (b->is_open && b->arrived >= expected) finish_barrier(cta, id);
}

static bool barrier_fault(struct ptx_warp *w, const struct ptx_split *at, enum ptx_bar_fault why) {
  w->fault.kind = PTX_F_BARRIER;
  w->fault.why = (uint8_t)why;
  w->fault.pc = at->pc;
  w->fault.lane = (uint32_t)__builtin_ctz(at->mask);
  w->fault.addr = at->bar_id;
  w->fault.bytes = at->bar_count;
  return false;
}

/* Is this leaf one of those that wait for the rest of their warp, and (alone < 0) all of them? */
static bool is_coming(const struct ptx_split *s, int32_t i, int32_t alone) {
  return s->state == PTX_S_BAR && !s->is_counted && (alone < 0 || i == alone);
}

/* The warp counts at the barrier at which its lanes (or the leaf `alone`) have come. False: a
 * fault. */
static bool count_warp(struct ptx_warp *w, const struct ptx_split *first, int32_t alone) {
  uint32_t id = first->bar_id, kind = w->code[first->pc].aux;
  struct ptx_bar *b = &w->cta->bar[id];
  uint32_t red = kind >= PTX_BAR_POPC ? kind : PTX_BAR_SYNC;
  if (b->is_open && b->red != red) return barrier_fault(w, first, PTX_BAR_KINDS);
  if (b->is_open && b->expected != first->bar_count) return barrier_fault(w, first, PTX_BAR_COUNTS);
  b->is_open = true;
  b->red = (uint8_t)red;
  b->expected = first->bar_count;
  b->arrived += LANES;
  put_arrival(w, false);
  for (uint32_t i = 0; i < w->n_splits; i++) {
    struct ptx_split *s = &w->splits[i];
    const struct ptx_uop *u = &w->code[s->pc];
    if (!is_coming(s, (int32_t)i, alone)) continue;
    s->is_counted = true;
    if (kind >= PTX_BAR_POPC) {
      uint32_t p = (PRED(u->c) ^ (u->aux2 ? FULL : 0)) & s->mask;
      b->n_true += (uint32_t)__builtin_popcount(p);
      b->n_voted += (uint32_t)__builtin_popcount(s->mask);
    } else if (kind == PTX_BAR_ARRIVE)
      pass_barrier(w, s);
    else
      w->is_held = alone >= 0;
  }
  check_barrier(w->cta, id);
  return true;
}

/* Have all lanes of the warp that live come to one barrier? False: a fault. */
static bool gather_warp(struct ptx_warp *w) {
  const struct ptx_split *first = NULL, *other = NULL;
  uint32_t here = 0;
  for (uint32_t i = 0; i < w->n_splits; i++) {
    const struct ptx_split *s = &w->splits[i];
    if (!is_coming(s, (int32_t)i, -1)) continue;
    here |= s->mask;
    if (first == NULL) first = s;
    const struct ptx_uop *u = &w->code[s->pc], *v = &w->code[first->pc];
    bool is_same = v->is_aligned ? s->pc == first->pc : !u->is_aligned && u->aux == v->aux;
    if (!is_same) return true; /* they wait for one another for ever */
    if (s->bar_id != first->bar_id || s->bar_count != first->bar_count) other = s;
  }
  if (here == 0 || here != w->live) return true;
  if (other != NULL) return barrier_fault(w, other, PTX_BAR_LANES);
  return count_warp(w, first, -1);
}

/* Do only guards lie between the lanes of a leaf and their warp? */
static bool is_whole_warp(const struct ptx_warp *w, int32_t leaf) {
  uint32_t lanes = w->splits[leaf].mask;
  for (int32_t n = leaf; lanes != w->live; lanes = w->splits[n].expected) {
    if (!w->splits[n].is_guarded) return false;
    n = w->splits[n].parent;
    if (n < 0) return false;
  }
  return true;
}

/* Do these lanes have one value? Usually the whole register has, which is soon seen. */
static bool is_uniform_in(const uint32_t *r, uint32_t mask, uint32_t value) {
  uint32_t differ = 0;
  for (uint32_t i = 0; i < LANES; i++)
    differ |= r[i] ^ value;
  if (differ == 0) return true;
  differ = 0;
  EACH_BIT(i, mask) differ |= r[i] ^ value;
  return differ == 0;
}

bool ptx_barrier_wait(struct ptx_warp *w, int32_t leaf, const struct ptx_uop *u, uint32_t mask,
                      uint32_t pc) {
  uint32_t lane = (uint32_t)__builtin_ctz(mask), id = REG32(u->a)[lane];
  uint32_t count = u->b != UINT32_MAX ? REG32(u->b)[lane] : 0;
  bool is_uniform = is_uniform_in(REG32(u->a), mask, id) &&
                    (u->b == UINT32_MAX || is_uniform_in(REG32(u->b), mask, count));
  bool is_alone =
      u->is_aligned && u->aux < PTX_BAR_POPC && mask != w->live && is_whole_warp(w, leaf);
  if (!ptx_split_part(w, leaf, mask, pc)) return false;
  struct ptx_split *s = &w->splits[leaf];
  s->state = PTX_S_BAR;
  s->bar_id = (uint8_t)(id % WEIR_BARRIERS);
  s->bar_count = count;
  s->is_counted = false;
  s->pc = pc;
  w->current = -1;
  w->has_met = true;
  if (!is_uniform) return barrier_fault(w, s, PTX_BAR_LANES);
  bool is_none = count == 0 && u->aux == PTX_BAR_ARRIVE; /* of others, 0 is as without a number */
  if (count % LANES != 0 || count > 1024 || is_none) return barrier_fault(w, s, PTX_BAR_COUNT);
  put_arrival(w, true);
  w->arrival = (struct ptx_arrival){pc, mask, count / LANES, s->bar_id};
  return is_alone ? count_warp(w, s, leaf) : gather_warp(w);
}

bool ptx_barrier_leave(struct ptx_warp *w) {
  if (w->live != 0) return gather_warp(w);
  w->cta->n_live_warps--;
  for (uint32_t id = 0; id < WEIR_BARRIERS; id++)
    check_barrier(w->cta, id);
  return true;
}
