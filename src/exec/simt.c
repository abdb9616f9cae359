/* SIMT execution of one warp.
 *
 * The lanes of a warp are a tree of nodes. A leaf is a set of lanes at one instruction. A join
 * stands where the sides of a branch meet (the immediate post-dominator), or behind a call, and
 * collects lanes; when all that it expects have arrived, it becomes a leaf. Lanes that exit are no
 * longer expected.
 *
 *        join (pc 40, expects 0-31, has 8-15)
 *        /          \
 *   leaf 0-7      leaf 16-31
 *
 * That alone would be a reconvergence stack. But leaves stay schedulable: one that waits (barrier,
 * exchange) or spins (branches backward `yield_after` times) lets the next one run, in index order;
 * a join that has only some of its lanes is released for them if nothing else can run or the
 * running leaf spins. So a lane that holds a lock gets to release it. */
#include "exec/simt.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "exec/builtin.h"
#include "exec/image.h"
#include "exec/sync.h"
#include "stream/writer.h"

#define PRED(off)  (*(uint32_t *)(void *)(w->reg + (off)))
#define REG32(off) ((uint32_t *)(void *)(w->reg + (off)))
#define REG64(off) ((uint64_t *)(void *)(w->reg + (off)))
#define EACH_BIT(i, mask)                                                                          \
  for (uint32_t i##_left = (mask), i; i##_left != 0 && (i = (uint32_t)__builtin_ctz(i##_left), 1); \
       i##_left &= i##_left - 1)

enum {
  PLAIN_LOOP_FACTOR = 4096
}; /* loops that look at nothing others write can wait for nothing: they rarely yield */

/* ---- nodes ---- */

static int32_t new_node(struct ptx_warp *w) {
  for (uint32_t i = 0; i < w->n_splits; i++)
    if (w->splits[i].state == PTX_S_FREE) return (int32_t)i;
  if (w->n_splits == w->cap_splits) {
    uint32_t cap = w->cap_splits ? 2 * w->cap_splits : 8;
    void *v = weir_realloc(w->splits, cap * sizeof *w->splits);
    if (v == NULL) {
      w->fault.kind = PTX_F_NOMEM;
      return -1;
    }
    w->splits = v;
    w->cap_splits = cap;
  }
  w->splits[w->n_splits].state = PTX_S_FREE;
  return (int32_t)w->n_splits++;
}

static void free_node(struct ptx_warp *w, int32_t n) {
  free(w->splits[n].saved);
  w->splits[n].saved = NULL;
  w->splits[n].state = PTX_S_FREE;
}

/* A node like `like` in a given state. Returns -1 (and notes a fault) when out of memory. */
static int32_t add_node(struct ptx_warp *w, int32_t like, enum ptx_split_state state, uint32_t pc,
                        uint32_t mask) {
  int32_t n = new_node(w);
  if (n < 0) return n;
  struct ptx_split *s = &w->splits[n];
  *s = w->splits[like];
  s->saved = NULL;
  s->is_call = false;
  s->call = NULL;
  s->state = (uint8_t)state;
  s->pc = pc;
  s->mask = mask;
  s->expected = 0;
  s->n_back = 0;
  s->is_guarded = false;
  return n;
}

/* A join whose last lane arrived or left becomes a leaf, or nothing. */
static void settle_join(struct ptx_warp *w, int32_t n) {
  struct ptx_split *s = &w->splits[n];
  if (s->state != PTX_S_JOIN || s->mask != s->expected) return;
  if (s->expected == 0) {
    free_node(w, n);
    return;
  }
  free(s->saved);
  s->saved = NULL;
  s->is_call = false;
  s->state = PTX_S_RUN;
  s->n_back = 0;
}

/* Lanes of a leaf that reached the place where it meets its siblings. The leaf is gone afterwards.
 */
static void arrive(struct ptx_warp *w, int32_t n) {
  struct ptx_split *s = &w->splits[n], *join = &w->splits[s->parent];
  int32_t parent = s->parent;
  join->mask |= s->mask;
  free_node(w, n);
  settle_join(w, parent);
}

/* Let the lanes that wait at a join go on without the others. */
static int32_t release(struct ptx_warp *w, int32_t j) {
  int32_t n = add_node(w, j, PTX_S_RUN, w->splits[j].pc, w->splits[j].mask);
  if (n < 0) return n;
  w->splits[j].expected &= ~w->splits[j].mask;
  w->splits[j].mask = 0;
  settle_join(w, j);
  return n;
}

/* The next leaf in index order after `after`. A spinning one gives way to lanes waiting at joins as
 * well. */
static bool pick(struct ptx_warp *w, int32_t after, bool spinning) {
  uint32_t count = w->is_held ? 0 : w->n_splits;
  for (int pass = 0; pass < 2; pass++)
    for (uint32_t k = 1; k <= count; k++) {
      uint32_t i = ((uint32_t)after + k) % count;
      struct ptx_split *s = &w->splits[i];
      bool can_run = s->state == PTX_S_RUN;
      bool can_release = s->state == PTX_S_JOIN && s->mask != 0 && (spinning || pass == 1);
      if (!can_run && !can_release) continue;
      w->current = can_run ? (int32_t)i : release(w, (int32_t)i);
      if (w->current >= 0) w->splits[w->current].n_back = 0;
      return w->current >= 0;
    }
  w->current = -1;
  return false;
}

bool ptx_warp_start(struct ptx_warp *w, uint32_t live) {
  w->n_splits = 0;
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
  w->current = new_node(w);
  if (w->current < 0) return false;
  w->splits[0] = (struct ptx_split){.pc = w->prog->funcs[0].entry,
                                    .mask = live,
                                    .rpc = PTX_NO_RPC,
                                    .parent = -1,
                                    .state = PTX_S_RUN};
  return true;
}

void ptx_warp_free(struct ptx_warp *w) {
  for (uint32_t i = 0; i < w->n_splits; i++)
    if (w->splits[i].state != PTX_S_FREE) free(w->splits[i].saved);
  free(w->splits);
  w->splits = NULL;
  w->n_splits = w->cap_splits = 0;
}

/* ---- block barriers ----
 *
 * Lanes that come to a barrier wait for the rest of their warp, those that have exited left out;
 * only then does the warp count there. As on an H200:
 *
 *   barrier   the others may come to another barrier instruction, if that is one of the same kind
 *   bar       they must come to this instruction: what is aligned is for whole warps. But an
 *             assembler makes a short arm of a branch into guarded instructions, and of a guarded
 *             bar.sync or bar.arrive the warp counts at once, with all lanes waiting: so it is here
 *             where only such branches lie between these lanes and their warp */

/* Writes the arrival that was held back. */
static void put_arrival(struct ptx_warp *w, bool is_partial) {
  struct ptx_arrival a = w->arrival;
  w->arrival.mask = 0;
  if (a.mask == 0 || w->writer == NULL) return;
  const struct weir_static *s = &w->prog->statics[a.pc];
  struct weir_barrier b = {(uint8_t)a.id, (uint8_t)a.warps, is_partial};
  struct weir_addrs addrs = {
      .kind = WEIR_ADDR_UNIFORM, .space = WEIR_SP_GLOBAL, .base = weir_barrier_pack(b)};
  if (is_partial || s->scope != a.id || s->bar_warps != a.warps)
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

/* ---- exits ---- */

static void check_exchanges(struct ptx_warp *w);

static void lanes_exit(struct ptx_warp *w, uint32_t mask) {
  w->live &= ~mask;
  w->is_stored = true;
  for (uint32_t i = 0; i < w->n_splits; i++)
    if (w->splits[i].state == PTX_S_JOIN) {
      w->splits[i].expected &= ~mask;
      settle_join(w, (int32_t)i);
    }
  if (w->live == 0) {
    w->cta->n_live_warps--;
    for (uint32_t id = 0; id < WEIR_BARRIERS; id++)
      check_barrier(w->cta, id);
    return;
  }
  if (gather_warp(w)) check_exchanges(w);
}

/* ---- exchanges within the warp ---- */

/* The result of a shuffle for one lane: which lane it reads, and whether that lies in its segment.
 */
static bool shuffle_source(unsigned mode, uint32_t lane, uint32_t b, uint32_t c, uint32_t *from) {
  uint32_t bval = b & 31, cval = c & 31, seg = (c >> 8) & 31;
  int32_t max_lane = (int32_t)((lane & seg) | (cval & ~seg)), min_lane = (int32_t)(lane & seg), j;
  bool in;
  switch ((enum ptx_sync)mode) {
  case PTX_SYNC_SHFL_UP:
    j = (int32_t)lane - (int32_t)bval;
    in = j >= max_lane;
    break;
  case PTX_SYNC_SHFL_DOWN:
    j = (int32_t)(lane + bval);
    in = j <= max_lane;
    break;
  case PTX_SYNC_SHFL_BFLY:
    j = (int32_t)(lane ^ bval);
    in = j <= max_lane;
    break;
  default:
    j = min_lane | (int32_t)(bval & ~seg);
    in = j <= max_lane;
    break;
  }
  *from = in ? (uint32_t)j : lane;
  return in;
}

struct exchange {
  uint64_t value[LANES]; /* what each lane brings */
  uint32_t preds;        /* of votes */
  uint32_t mask;         /* lanes taking part */
};

static uint32_t reduce(const struct exchange *x, unsigned op, bool is_signed) {
  uint32_t r = (uint32_t)x->value[__builtin_ctz(x->mask)];
  EACH_BIT(i, x->mask & (x->mask - 1)) {
    uint32_t v = (uint32_t)x->value[i];
    bool less = is_signed ? (int32_t)v < (int32_t)r : v < r;
    switch ((enum ptx_sync)op) {
    case PTX_SYNC_RED_ADD:
      r += v;
      break;
    case PTX_SYNC_RED_MIN:
      r = less ? v : r;
      break;
    case PTX_SYNC_RED_MAX:
      r = less ? r : v;
      break;
    case PTX_SYNC_RED_AND:
      r &= v;
      break;
    case PTX_SYNC_RED_OR:
      r |= v;
      break;
    default:
      r ^= v;
      break;
    }
  }
  return r;
}

static void put_mask(struct ptx_warp *w, uint32_t at, uint32_t lanes, uint32_t value) {
  if (at != UINT32_MAX) PRED(at) = (PRED(at) & ~lanes) | (value & lanes);
}

/* Results for the lanes `mine` of one leaf, from what all lanes of the exchange brought. */
static void take_results(struct ptx_warp *w, const struct ptx_uop *u, uint32_t mine,
                         const struct exchange *x) {
  uint32_t pred_at = u->x.list[PTX_SYNC_PRED];
  switch ((enum ptx_sync)u->aux) {
  case PTX_SYNC_BARRIER:
    break;
  case PTX_SYNC_SHFL_UP:
  case PTX_SYNC_SHFL_DOWN:
  case PTX_SYNC_SHFL_BFLY:
  case PTX_SYNC_SHFL_IDX: {
    uint32_t got[LANES], in_range = 0;
    EACH_BIT(i, mine) {
      uint32_t from;
      if (shuffle_source(u->aux, i, REG32(u->b)[i], REG32(u->c)[i], &from)) in_range |= 1u << i;
      got[i] = x->mask >> from & 1 ? (uint32_t)x->value[from] : 0; /* as an H200 does */
    }
    if (u->d != UINT32_MAX) EACH_BIT(i, mine) REG32(u->d)[i] = got[i];
    put_mask(w, pred_at, mine, in_range);
    break;
  }
  case PTX_SYNC_VOTE_ALL:
    put_mask(w, u->d, mine, (x->preds & x->mask) == x->mask ? FULL : 0);
    break;
  case PTX_SYNC_VOTE_ANY:
    put_mask(w, u->d, mine, (x->preds & x->mask) != 0 ? FULL : 0);
    break;
  case PTX_SYNC_VOTE_UNI:
    put_mask(w, u->d, mine,
             (x->preds & x->mask) == x->mask || (x->preds & x->mask) == 0 ? FULL : 0);
    break;
  case PTX_SYNC_VOTE_BALLOT:
    if (u->d != UINT32_MAX) EACH_BIT(i, mine) REG32(u->d)[i] = x->preds & x->mask;
    break;
  case PTX_SYNC_MATCH_ANY:
  case PTX_SYNC_MATCH_ALL: {
    uint64_t wide = u->size == 8 ? ~UINT64_C(0) : UINT32_MAX;
    uint32_t all = 0;
    EACH_BIT(i, mine) {
      uint32_t same = 0;
      EACH_BIT(k, x->mask) same |= (uint32_t)(((x->value[k] ^ x->value[i]) & wide) == 0) << k;
      bool is_all = same == x->mask;
      if (is_all) all |= 1u << i;
      if (u->d != UINT32_MAX)
        REG32(u->d)[i] = u->aux == PTX_SYNC_MATCH_ANY ? same : is_all ? x->mask : 0;
    }
    if (u->aux == PTX_SYNC_MATCH_ALL) put_mask(w, pred_at, mine, all);
    break;
  }
  case PTX_SYNC_ELECT: {
    uint32_t leader = (uint32_t)__builtin_ctz(x->mask);
    if (u->d != UINT32_MAX) EACH_BIT(i, mine) REG32(u->d)[i] = leader;
    put_mask(w, pred_at, mine, UINT32_C(1) << leader);
    break;
  }
  default: {
    uint32_t r = reduce(x, u->aux, u->is_signed);
    if (u->d != UINT32_MAX) EACH_BIT(i, mine) REG32(u->d)[i] = r;
  }
  }
}

static void bring_values(struct ptx_warp *w, const struct ptx_uop *u, uint32_t mine,
                         struct exchange *x) {
  x->mask |= mine;
  if (u->aux >= PTX_SYNC_VOTE_ALL && u->aux <= PTX_SYNC_VOTE_BALLOT) {
    x->preds |= (PRED(u->a) ^ (u->aux2 ? FULL : 0)) & mine;
    return;
  }
  if (u->aux == PTX_SYNC_BARRIER || u->aux == PTX_SYNC_ELECT) return;
  if (u->size == 8)
    EACH_BIT(i, mine) x->value[i] = REG64(u->a)[i];
  else
    EACH_BIT(i, mine) x->value[i] = REG32(u->a)[i];
}

static bool is_shuffle(unsigned aux) {
  return aux >= PTX_SYNC_SHFL_UP && aux <= PTX_SYNC_SHFL_IDX;
}

/* Of some lanes, those that name the same members as the first. */
static uint32_t same_members(const uint32_t *members, uint32_t lanes) {
  uint32_t which = members[__builtin_ctz(lanes)], same = 0;
  EACH_BIT(i, lanes) same |= (uint32_t)(members[i] == which) << i;
  return same;
}

/* An exchange of which all lanes are in one leaf: the usual case. */
static void exchange_now(struct ptx_warp *w, const struct ptx_uop *u, uint32_t mine) {
  struct exchange x;
  x.preds = 0;
  x.mask = 0;
  bring_values(w, u, mine, &x);
  take_results(w, u, mine, &x);
}

/* Do two leaves wait for one another? A matrix instruction must be the very same for all lanes. */
static bool is_together(const struct ptx_warp *w, const struct ptx_split *a,
                        const struct ptx_split *b) {
  uint8_t kind = w->code[a->pc].aux;
  return b->state == PTX_S_SYNC && b->sync_mask == a->sync_mask && w->code[b->pc].aux == kind &&
         (a->pc == b->pc || !ptx_sync_is_matrix(kind));
}

/* Leaves that came one by one made one access, and there is one record of it. */
static void count_once(struct ptx_warp *w, const struct ptx_split *like) {
  uint64_t n = 0;
  for (uint32_t i = 0; i < w->n_splits; i++)
    n += is_together(w, like, &w->splits[i]);
  w->stat[like->pc].execs -= n - 1;
}

/* Leaves that wait with the same member mask at the same kind of exchange, once they hold all its
 * living lanes. */
static bool try_exchange(struct ptx_warp *w, uint32_t first) {
  const struct ptx_split like = w->splits[first];
  const struct ptx_uop *at = &w->code[like.pc];
  struct exchange x;
  memset(&x, 0, sizeof x);
  uint32_t have = 0;
  for (uint32_t i = first; i < w->n_splits; i++)
    if (is_together(w, &like, &w->splits[i])) have |= w->splits[i].mask;
  if ((like.sync_mask & w->live & ~have) != 0) return false;
  bool is_matrix = ptx_sync_is_matrix(at->aux);
  if (is_matrix) {
    at->fn(w, at, have);
    w->fault.pc = like.pc;
    if (at->aux == PTX_SYNC_MATRIX_MEM) count_once(w, &like);
  }
  for (int pass = is_matrix ? 1 : 0; pass < 2; pass++)
    for (uint32_t i = first; i < w->n_splits; i++) {
      struct ptx_split *s = &w->splits[i];
      if (!is_together(w, &like, s)) continue;
      const struct ptx_uop *u = &w->code[s->pc];
      if (pass == 0) {
        bring_values(w, u, s->mask, &x);
        continue;
      }
      if (!is_matrix) take_results(w, u, s->mask, &x);
      s->state = PTX_S_RUN;
      s->pc++;
    }
  return true;
}

/* Lanes that are together again go on together. */
static void merge_leaves(struct ptx_warp *w) {
  for (uint32_t i = 0; i < w->n_splits; i++)
    for (uint32_t k = i + 1; k < w->n_splits; k++) {
      struct ptx_split *a = &w->splits[i], *b = &w->splits[k];
      if (a->state != PTX_S_RUN || b->state != PTX_S_RUN || a->pc != b->pc ||
          a->parent != b->parent || a->rpc != b->rpc)
        continue;
      if ((int32_t)i == w->current || (int32_t)k == w->current) continue;
      a->mask |= b->mask;
      free_node(w, (int32_t)k);
    }
}

static void check_exchanges(struct ptx_warp *w) {
  bool any = false;
  for (uint32_t i = 0; i < w->n_splits; i++)
    if (w->splits[i].state == PTX_S_SYNC) any |= try_exchange(w, i);
  if (any) merge_leaves(w);
}

/* ---- branches ---- */

/* Make sure that both sides of a branch meet at `rpc`: returns the join they go to, or the one they
 * already had. */
static bool branch_join(struct ptx_warp *w, int32_t leaf, uint32_t rpc, int32_t *parent,
                        uint32_t *meet) {
  struct ptx_split *s = &w->splits[leaf];
  *parent = s->parent;
  *meet = s->rpc;
  if (rpc == PTX_NO_RPC || rpc == s->rpc) return true;
  int32_t j = add_node(w, leaf, PTX_S_JOIN, rpc, 0);
  if (j < 0) return false;
  w->splits[j].expected = w->splits[leaf].mask;
  w->splits[j].is_guarded = w->splits[leaf].is_guarded;
  w->splits[leaf].is_guarded = true; /* as far as this join */
  *parent = j;
  *meet = rpc;
  return true;
}

/* A side of a branch. */
struct side {
  uint32_t mask, pc;
  bool is_guarded; /* an assembler makes guarded instructions of it */
};

/* The leaf keeps one side, the other becomes a leaf of its own. Both run to `rpc`. */
static bool diverge(struct ptx_warp *w, int32_t leaf, struct side stay, struct side go,
                    uint32_t rpc) {
  int32_t parent;
  uint32_t meet;
  if (!branch_join(w, leaf, rpc, &parent, &meet)) return false;
  int32_t n = add_node(w, leaf, PTX_S_RUN, go.pc, go.mask);
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
  if (go.pc == meet) arrive(w, n);
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
    if (!diverge(w, leaf, (struct side){mask, pc, false}, (struct side){others, pc + 1, false},
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
    if (!diverge(w, at, (struct side){left & ~same, pc, false}, (struct side){same, target, false},
                 u->rpc))
      return false;
    left &= ~same;
  }
  return true;
}

/* ---- calls ---- */

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

/* Lanes `mask` of a leaf go to the function; the others wait behind the call. */
static bool call(struct ptx_warp *w, int32_t leaf, const struct ptx_call *c, uint32_t mask,
                 uint32_t pc) {
  const struct ptx_fn_info *callee = &w->prog->funcs[c->func],
                           *caller = &w->prog->funcs[w->prog->func_of[pc]];
  uint32_t active = w->splits[leaf].mask;
  uint64_t base = (uint64_t)w->splits[leaf].local_base + caller->local_bytes;
  if (base + callee->local_bytes > w->local_bytes || w->splits[leaf].depth >= w->max_depth) {
    w->fault.kind = PTX_F_STACK;
    w->fault.lane = (uint32_t)__builtin_ctz(mask);
    w->fault.addr = base + callee->local_bytes;
    w->fault.bytes = w->splits[leaf].depth;
    return false;
  }
  if (base + callee->local_bytes > w->local_used)
    w->local_used = (uint32_t)(base + callee->local_bytes);
  int32_t j = add_node(w, leaf, PTX_S_JOIN, pc + 1, active & ~mask);
  if (j < 0) return false;
  struct ptx_split *join = &w->splits[j], *s = &w->splits[leaf];
  join->expected = active;
  join->is_call = true;
  join->call = c;
  if (callee->is_recursive) {
    size_t bytes = callee->reg_hi - callee->reg_lo;
    join->saved = weir_malloc(bytes ? bytes : 1);
    if (join->saved == NULL) {
      w->fault.kind = PTX_F_NOMEM;
      return false;
    }
    memcpy(join->saved, w->reg + callee->reg_lo, bytes);
  }
  if (!copy_all(w, c->in, c->n_in, mask, NULL, callee)) return false;
  for (uint32_t k = 0; k < callee->n_zero; k++) {
    static const uint8_t zeros[8 * LANES];
    bool is_formal = false; /* a register parameter was just written */
    for (uint32_t q = 0; q < c->n_in; q++)
      is_formal |= c->in[q].to == callee->zero[k].at;
    if (!is_formal) copy_lanes(w, callee->zero[k].at, zeros, callee->zero[k].lane_bytes, mask);
  }
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

/* Each function is called by the lanes that want it; all meet behind the call. */
static bool call_indirect(struct ptx_warp *w, int32_t leaf, const struct ptx_uop *u, uint32_t mask,
                          uint32_t pc) {
  const uint64_t *addr = REG64(u->a);
  uint32_t waiting = w->splits[leaf].mask & ~mask, meet;
  int32_t join = -1;
  for (uint32_t left = mask; left != 0;) {
    uint32_t first = (uint32_t)__builtin_ctz(left), same = 0;
    const struct ptx_call *c = call_at(w, u, first);
    if (c == NULL) return false;
    EACH_BIT(i, left) same |= (uint32_t)(addr[i] == addr[first]) << i;
    if (same == mask) return call(w, leaf, c, mask, pc);
    if (join < 0) {
      if (!branch_join(w, leaf, pc + 1, &join, &meet)) return false;
      w->splits[join].mask |= waiting;
      w->splits[leaf].parent = join;
      w->splits[leaf].rpc = meet;
    }
    left &= ~same;
    int32_t n = left != 0 ? add_node(w, leaf, PTX_S_RUN, pc, same) : leaf;
    if (n < 0) return false;
    w->splits[n].mask = same;
    if (!call(w, n, c, same, pc)) return false;
  }
  return true;
}

/* Lanes `mask` of a leaf return: they leave the joins inside the function and arrive behind the
 * call. */
static bool ret(struct ptx_warp *w, int32_t leaf, uint32_t mask) {
  int32_t j = w->splits[leaf].parent;
  while (j >= 0 && !w->splits[j].is_call) {
    int32_t up = w->splits[j].parent;
    w->splits[j].expected &= ~mask;
    settle_join(w, j);
    j = up;
  }
  struct ptx_split *join = &w->splits[j];
  const struct ptx_call *c = join->call;
  if (!copy_all(w, c->out, c->n_out, mask, join, &w->prog->funcs[c->func])) return false;
  join->mask |= mask;
  settle_join(w, j);
  return true;
}

/* ---- the loop ---- */

/* Lanes of the leaf that do not take part go on at pc + 1 as a leaf of their own. */
static bool part(struct ptx_warp *w, int32_t leaf, uint32_t mask, uint32_t pc) {
  uint32_t rest = w->splits[leaf].mask & ~mask;
  if (rest == 0) return true;
  int32_t n = add_node(w, leaf, PTX_S_RUN, pc + 1, rest);
  if (n < 0) return false;
  w->splits[n].is_guarded = w->splits[leaf].is_guarded;
  w->splits[leaf].mask = mask;
  if (w->splits[n].pc == w->splits[n].rpc) arrive(w, n);
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

static bool wait_barrier(struct ptx_warp *w, int32_t leaf, const struct ptx_uop *u, uint32_t mask,
                         uint32_t pc) {
  uint32_t lane = (uint32_t)__builtin_ctz(mask), id = REG32(u->a)[lane];
  uint32_t count = u->b != UINT32_MAX ? REG32(u->b)[lane] : 0;
  bool is_uniform = is_uniform_in(REG32(u->a), mask, id) &&
                    (u->b == UINT32_MAX || is_uniform_in(REG32(u->b), mask, count));
  bool is_alone =
      u->is_aligned && u->aux < PTX_BAR_POPC && mask != w->live && is_whole_warp(w, leaf);
  if (!part(w, leaf, mask, pc)) return false;
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

/* Lanes that name another member mask belong to another exchange: each group becomes a leaf of its
 * own. False: no memory. */
static bool part_by_members(struct ptx_warp *w, int32_t leaf, const uint32_t *members,
                            uint32_t mask, uint32_t pc) {
  for (uint32_t left = mask; left != 0;) {
    uint32_t same = same_members(members, left);
    uint32_t which = members[__builtin_ctz(left)];
    left &= ~same;
    int32_t n = left != 0 ? add_node(w, leaf, PTX_S_SYNC, pc, same) : leaf;
    if (n < 0) return false;
    struct ptx_split *s = &w->splits[n];
    s->state = PTX_S_SYNC;
    s->sync_mask = which;
    s->pc = pc;
    s->mask = same;
  }
  return true;
}

/* Does every lane's group have all its living members here, which all name it? */
static bool has_whole_groups(const uint32_t *members, uint32_t mask, uint32_t live) {
  for (uint32_t left = mask; left != 0;) {
    uint32_t same = same_members(members, left);
    if ((members[__builtin_ctz(left)] & live & ~same) != 0) return false;
    left &= ~same;
  }
  return true;
}

/* Groups that are all there go on together. A shuffle is then one for all of them: it reads from
 * other groups as well. */
static void exchange_groups(struct ptx_warp *w, const struct ptx_uop *u, const uint32_t *members,
                            uint32_t mask) {
  if (is_shuffle(u->aux)) {
    exchange_now(w, u, mask);
    return;
  }
  for (uint32_t left = mask; left != 0;) {
    uint32_t same = same_members(members, left);
    exchange_now(w, u, same);
    left &= ~same;
  }
}

/* True if the leaf may go on at once. */
static bool wait_exchange(struct ptx_warp *w, int32_t leaf, const struct ptx_uop *u, uint32_t mask,
                          uint32_t pc) {
  bool is_matrix = ptx_sync_is_matrix(u->aux);
  uint32_t at = is_matrix ? UINT32_MAX : u->x.list[PTX_SYNC_MEMBERS];
  const uint32_t *members = at == UINT32_MAX ? NULL : REG32(at);
  uint32_t first = is_matrix ? FULL : members == NULL ? mask : members[__builtin_ctz(mask)];
  uint32_t differ = 0, without = 0;
  if (members != NULL) EACH_BIT(i, mask) {
      differ |= members[i] ^ first;
      without |= ~members[i] & UINT32_C(1) << i;
    }
  if (without != 0) {
    w->fault.kind = PTX_F_MEMBERS;
    w->fault.lane = (uint32_t)__builtin_ctz(without);
    w->fault.addr = members[w->fault.lane];
    return false;
  }
  if (differ == 0 ? (first & w->live & ~mask) == 0 : has_whole_groups(members, mask, w->live)) {
    if (is_matrix)
      u->fn(w, u, mask);
    else if (differ == 0)
      exchange_now(w, u, mask);
    else
      exchange_groups(w, u, members, mask);
    return w->fault.kind == PTX_F_NONE;
  }
  if (!part(w, leaf, mask, pc)) return false;
  if (differ == 0) {
    struct ptx_split *s = &w->splits[leaf];
    s->state = PTX_S_SYNC;
    s->sync_mask = first;
    s->pc = pc;
  } else if (!part_by_members(w, leaf, members, mask, pc))
    return false;
  w->current = -1;
  check_exchanges(w);
  return false;
}

/* How the warp goes on after an instruction of control: with the next one, with the leaf that is
 * current now, not at all for the moment, or with a fault. */
enum step { STEP_NEXT, STEP_ENTER, STEP_STOP, STEP_FAULT };

static void put(struct ptx_warp *w, uint32_t pc, uint32_t mask) {
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
  return pc + 1 == u->rpc ? diverge(w, w->current, there, next, u->rpc)
                          : diverge(w, w->current, next, there, u->rpc);
}

static enum step step_brx(struct ptx_warp *w, const struct ptx_uop *u, uint32_t m, uint32_t pc) {
  uint32_t active = w->splits[w->current].mask;
  put(w, pc, m);
  if (!branch_indexed(w, w->current, u, m, pc)) return STEP_FAULT;
  w->stat[pc].diverged += w->splits[w->current].mask != active;
  return STEP_ENTER;
}

static enum step step_call(struct ptx_warp *w, const struct ptx_uop *u, uint32_t m, uint32_t pc) {
  put(w, pc, m);
  return enter_if(call(w, w->current, u->x.call, m, pc));
}

static enum step step_icall(struct ptx_warp *w, const struct ptx_uop *u, uint32_t m, uint32_t pc) {
  put(w, pc, m);
  return enter_if(call_indirect(w, w->current, u, m, pc));
}

static enum step step_builtin(struct ptx_warp *w, const struct ptx_uop *u, uint32_t m,
                              uint32_t pc) {
  put(w, pc, m);
  ptx_builtin_call(w, u, m);
  return w->fault.kind == PTX_F_NONE ? STEP_NEXT : STEP_FAULT;
}

/* After lanes have left the leaf. */
static enum step leave_leaf(struct ptx_warp *w, int32_t leaf) {
  if (w->splits[leaf].mask != 0) return STEP_ENTER;
  free_node(w, leaf);
  if (w->live != 0 && pick(w, leaf, false)) return STEP_ENTER;
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
  put(w, pc, m);
  take_lanes(w, m, pc);
  return ret(w, leaf, m) ? leave_leaf(w, leaf) : STEP_FAULT;
}

static enum step step_exit(struct ptx_warp *w, const struct ptx_uop *u, uint32_t m, uint32_t pc) {
  (void)u;
  int32_t leaf = w->current;
  put(w, pc, m);
  take_lanes(w, m, pc);
  lanes_exit(w, m);
  if (w->fault.kind != PTX_F_NONE)
    return STEP_STOP; /* of what others waited for; its place is known */
  return leave_leaf(w, leaf);
}

static enum step step_trap(struct ptx_warp *w, const struct ptx_uop *u, uint32_t m, uint32_t pc) {
  (void)u;
  put(w, pc, m);
  w->fault.kind = PTX_F_TRAP;
  w->fault.lane = (uint32_t)__builtin_ctz(m);
  return STEP_FAULT;
}

static enum step step_bar(struct ptx_warp *w, const struct ptx_uop *u, uint32_t m, uint32_t pc) {
  if (!wait_barrier(w, w->current, u, m, pc)) return STEP_FAULT;
  return w->current >= 0 || pick(w, 0, false) ? STEP_ENTER : STEP_STOP;
}

static enum step step_sync(struct ptx_warp *w, const struct ptx_uop *u, uint32_t m, uint32_t pc) {
  int32_t leaf = w->current;
  if (u->aux != PTX_SYNC_MATRIX_MEM) put(w, pc, m);
  if (wait_exchange(w, leaf, u, m, pc)) return STEP_NEXT;
  if (w->fault.kind != PTX_F_NONE) return STEP_FAULT;
  return pick(w, leaf, false) ? STEP_ENTER : STEP_STOP;
}

static enum step step_sleep(struct ptx_warp *w, const struct ptx_uop *u, uint32_t m, uint32_t pc) {
  (void)u;
  put(w, pc, m);
  w->splits[w->current].pc = pc + 1;
  pick(w, w->current, true);
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
  if (w->live == 0 || (w->current < 0 && !pick(w, 0, false))) return 0;
  struct ptx_split *s;
  uint32_t pc, active, rpc;
enter:
  s = &w->splits[w->current];
  pc = s->pc, active = s->mask, rpc = s->rpc;
  w->local_base = s->local_base;
  for (;;) {
    if (pc == rpc) {
      int32_t was = w->current;
      arrive(w, was);
      if (!pick(w, was, false)) return n;
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
      put(w, pc++, 0);
      continue;
    }
    switch ((enum ptx_kind)u->kind) {
    case PTX_K_PLAIN:
      put(w, pc++, m);
      u->fn(w, u, m);
      continue;
    case PTX_K_MEM:
      u->fn(w, u, m);
      if (__builtin_expect(w->fault.kind != PTX_F_NONE, 0)) goto fault;
      pc++;
      continue;
    case PTX_K_NOP:
    case PTX_K_FENCE:
      put(w, pc++, m);
      continue;
    case PTX_K_BRA: {
      bool is_back = u->target <= pc;
      put(w, pc, m);
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
        s->n_back = 0;
        s->pc = pc;
        if (!pick(w, w->current, true)) return n;
        goto enter;
      }
      continue;
    }
    default:
      s->pc = pc;
      switch (control[u->kind](w, u, m, pc)) {
      case STEP_NEXT:
        pc++;
        continue;
      case STEP_ENTER:
        goto enter;
      case STEP_STOP:
        return n;
      case STEP_FAULT:
        goto fault;
      }
    }
  }
fault:
  w->fault.pc = pc;
  return n;
}
