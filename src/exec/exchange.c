/* Exchanges between lanes of a warp. */
#include "exec/exchange.h"

#include <string.h>

#include "exec/lanes.h"
#include "exec/splits.h"
#include "exec/sync.h"

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

static uint32_t reduce_values(const struct exchange *x, unsigned op, bool is_signed) {
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
    uint32_t r = reduce_values(x, u->aux, u->is_signed);
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
      ptx_split_free(w, (int32_t)k);
    }
}

void ptx_exchange_check(struct ptx_warp *w) {
  bool any = false;
  for (uint32_t i = 0; i < w->n_splits; i++)
    if (w->splits[i].state == PTX_S_SYNC) any |= try_exchange(w, i);
  if (any) merge_leaves(w);
}

/* Lanes that name another member mask belong to another exchange: each group becomes a leaf of its
 * own. False: no memory. */
static bool part_by_members(struct ptx_warp *w, int32_t leaf, const uint32_t *members,
                            uint32_t mask, uint32_t pc) {
  for (uint32_t left = mask; left != 0;) {
    uint32_t same = same_members(members, left);
    uint32_t which = members[__builtin_ctz(left)];
    left &= ~same;
    int32_t n = left != 0 ? ptx_split_add(w, leaf, PTX_S_SYNC, pc, same) : leaf;
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

bool ptx_exchange_wait(struct ptx_warp *w, int32_t leaf, const struct ptx_uop *u, uint32_t mask,
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
  if (!ptx_split_part(w, leaf, mask, pc)) return false;
  if (differ == 0) {
    struct ptx_split *s = &w->splits[leaf];
    s->state = PTX_S_SYNC;
    s->sync_mask = first;
    s->pc = pc;
  } else if (!part_by_members(w, leaf, members, mask, pc))
    return false;
  w->current = -1;
  ptx_exchange_check(w);
  return false;
}
