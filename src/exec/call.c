/* Calls: arguments, results, registers that a recursive call saves. */
#include "exec/call.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "exec/image.h"
#include "exec/lanes.h"
#include "exec/splits.h"

static void copy_lanes(struct ptx_warp *w, uint32_t to, const uint8_t *from, uint32_t lane_bytes,
                       uint32_t mask) {
  if (lane_bytes == 0) {
    uint32_t v;
    memcpy(&v, from, sizeof v);
    PRED(to) = (PRED(to) & ~mask) | (v & mask);
    return;
  }
  EACH_BIT(i, mask)
  memcpy(w->reg + to + (size_t)i * lane_bytes, from + (size_t)i * lane_bytes, lane_bytes);
}

/* All sources are read before any destination is written: a recursive call passes its own
 * parameters on. */
static bool copy_all(struct ptx_warp *w, const struct ptx_copy *c, uint32_t n, uint32_t mask,
                     const struct ptx_split *restore, const struct ptx_fn_info *f) {
  size_t bytes = 0;
  for (uint32_t k = 0; k < n; k++)
    bytes += c[k].lane_bytes ? (size_t)c[k].lane_bytes * LANES : 4;
  uint8_t few[8 * 8 * LANES]; /* room for eight arguments, which is nearly always enough */
  uint8_t *tmp = bytes <= sizeof few ? few : weir_malloc(bytes), *p = tmp;
  if (tmp == NULL) {
    w->fault.kind = PTX_F_NOMEM;
    return false;
  }
  for (uint32_t k = 0; k < n; k++) {
    size_t b = c[k].lane_bytes ? (size_t)c[k].lane_bytes * LANES : 4;
    memcpy(p, w->reg + c[k].from, b);
    p += b;
  }
  if (restore != NULL && restore->saved != NULL)
    for (uint32_t k = 0; k < f->n_contents; k++)
      copy_lanes(w, f->contents[k].at, restore->saved + (f->contents[k].at - f->reg_lo),
                 f->contents[k].lane_bytes, mask);
  p = tmp;
  for (uint32_t k = 0; k < n; k++) {
    copy_lanes(w, c[k].to, p, c[k].lane_bytes, mask);
    p += c[k].lane_bytes ? (size_t)c[k].lane_bytes * LANES : 4;
  }
  if (tmp != few) free(tmp);
  return true;
}

/* Local memory up to `end` for one call more. */
static bool take_stack(struct ptx_warp *w, int32_t leaf, uint64_t end, uint32_t mask) {
  if (end > w->local_bytes || w->splits[leaf].depth >= w->max_depth) {
    w->fault.kind = PTX_F_STACK;
    w->fault.lane = (uint32_t)__builtin_ctz(mask);
    w->fault.addr = end;
    w->fault.bytes = w->splits[leaf].depth;
    return false;
  }
  if (end > w->local_used) w->local_used = (uint32_t)end;
  return true;
}

static bool save_registers(struct ptx_warp *w, const struct ptx_fn_info *f,
                           struct ptx_split *join) {
  size_t bytes = f->reg_hi - f->reg_lo;
  join->saved = weir_malloc(bytes ? bytes : 1);
  if (join->saved == NULL) {
    w->fault.kind = PTX_F_NOMEM;
    return false;
  }
  memcpy(join->saved, w->reg + f->reg_lo, bytes);
  return true;
}

/* Registers that may be read before they are written; register parameters just were. */
static void zero_registers(struct ptx_warp *w, const struct ptx_fn_info *f,
                           const struct ptx_call *c, uint32_t mask) {
  static const uint8_t zeros[8 * LANES];
  for (uint32_t k = 0; k < f->n_zero; k++) {
    bool is_formal = false;
    for (uint32_t q = 0; q < c->n_in; q++)
      is_formal |= c->in[q].to == f->zero[k].at;
    if (!is_formal) copy_lanes(w, f->zero[k].at, zeros, f->zero[k].lane_bytes, mask);
  }
}

bool ptx_call_enter(struct ptx_warp *w, int32_t leaf, const struct ptx_call *c, uint32_t mask,
                    uint32_t pc) {
  const struct ptx_fn_info *callee = &w->prog->funcs[c->func],
                           *caller = &w->prog->funcs[w->prog->func_of[pc]];
  uint32_t active = w->splits[leaf].mask;
  uint64_t base = (uint64_t)w->splits[leaf].local_base + caller->local_bytes;
  if (!take_stack(w, leaf, base + callee->local_bytes, mask)) return false;
  int32_t j = ptx_split_add(w, leaf, PTX_S_JOIN, pc + 1, active & ~mask);
  if (j < 0) return false;
  struct ptx_split *join = &w->splits[j], *s = &w->splits[leaf];
  join->expected = active;
  join->is_call = true;
  join->call = c;
  if (callee->is_recursive && !save_registers(w, callee, join)) return false;
  if (!copy_all(w, c->in, c->n_in, mask, NULL, callee)) return false;
  zero_registers(w, callee, c, mask);
  s->mask = mask;
  s->is_guarded = false;
  s->pc = callee->entry;
  s->rpc = PTX_NO_RPC;
  s->parent = j;
  s->local_base = (uint32_t)base;
  s->depth++;
  return true;
}

/* The call of a lane through an address; NULL (and a fault) if no function that fits is there. */
static const struct ptx_call *call_at(struct ptx_warp *w, const struct ptx_uop *u, uint32_t lane) {
  uint64_t addr = REG64(u->a)[lane];
  uint32_t i = ptx_func_at(w->prog->image->module, addr);
  uint32_t f = i != UINT32_MAX ? w->prog->func_at[i] : UINT32_MAX;
  if (f != UINT32_MAX && u->x.calls[f] != NULL) return u->x.calls[f];
  w->fault.kind = PTX_F_CALL;
  w->fault.lane = lane;
  w->fault.addr = addr;
  return NULL;
}

bool ptx_call_indirect(struct ptx_warp *w, int32_t leaf, const struct ptx_uop *u, uint32_t mask,
                       uint32_t pc) {
  const uint64_t *addr = REG64(u->a);
  uint32_t waiting = w->splits[leaf].mask & ~mask, meet;
  int32_t join = -1;
  for (uint32_t left = mask; left != 0;) {
    uint32_t first = (uint32_t)__builtin_ctz(left), same = 0;
    const struct ptx_call *c = call_at(w, u, first);
    if (c == NULL) return false;
    EACH_BIT(i, left) same |= (uint32_t)(addr[i] == addr[first]) << i;
    if (same == mask) return ptx_call_enter(w, leaf, c, mask, pc);
    if (join < 0) {
      if (!ptx_split_join(w, leaf, pc + 1, &join, &meet)) return false;
      w->splits[join].mask |= waiting;
      w->splits[leaf].parent = join;
      w->splits[leaf].rpc = meet;
    }
    left &= ~same;
    int32_t n = left != 0 ? ptx_split_add(w, leaf, PTX_S_RUN, pc, same) : leaf;
    if (n < 0) return false;
    w->splits[n].mask = same;
    if (!ptx_call_enter(w, n, c, same, pc)) return false;
  }
  return true;
}

bool ptx_call_return(struct ptx_warp *w, int32_t leaf, uint32_t mask) {
  int32_t j = w->splits[leaf].parent;
  while (j >= 0 && !w->splits[j].is_call) {
    int32_t up = w->splits[j].parent;
    w->splits[j].expected &= ~mask;
    ptx_join_settle(w, j);
    j = up;
  }
  struct ptx_split *join = &w->splits[j];
  const struct ptx_call *c = join->call;
  if (!copy_all(w, c->out, c->n_out, mask, join, &w->prog->funcs[c->func])) return false;
  join->mask |= mask;
  ptx_join_settle(w, j);
  return true;
}
