/* The lanes of a warp as a tree of nodes.
 *
 * A leaf is a set of lanes at one instruction. A join stands where the sides of a branch meet (the
 * immediate post-dominator), or behind a call, and collects lanes; when all that it expects have
 * arrived, it becomes a leaf. Lanes that exit are no longer expected.
 *
 *        join (pc 40, expects 0-31, has 8-15)
 *        /          \
 *   leaf 0-7      leaf 16-31
 *
 * That alone would be a reconvergence stack. But leaves stay schedulable: one that waits (barrier,
 * exchange) or spins (branches backward `yield_after` times) lets the next one run, in index order;
 * a join that has only some of its lanes is released for them if nothing else can run or the
 * running leaf spins. So a lane that holds a lock gets to release it. */
#ifndef WEIR_EXEC_SPLITS_H
#define WEIR_EXEC_SPLITS_H

#include "exec/core.h"

/* The lanes that run first: the warp has one leaf. False, as everywhere here, and a fault: no
 * memory. */
bool ptx_split_first(struct ptx_warp *w, uint32_t live);
/* A node like `like` in a given state. -1 (and a fault): no memory. */
int32_t ptx_split_add(struct ptx_warp *w, int32_t like, enum ptx_split_state state, uint32_t pc,
                      uint32_t mask);
void ptx_split_free(struct ptx_warp *w, int32_t n);

/* A join whose last lane arrived or left becomes a leaf, or nothing. */
void ptx_join_settle(struct ptx_warp *w, int32_t n);
/* Lanes of a leaf that reached the place where it meets its siblings. The leaf is gone afterwards.
 */
void ptx_split_arrive(struct ptx_warp *w, int32_t n);
/* The next leaf in index order after `after` becomes the current one. A spinning one gives way to
 * lanes waiting at joins as well. False: none can run. */
bool ptx_split_pick(struct ptx_warp *w, int32_t after, bool spinning);

/* Make sure that both sides of a branch meet at `rpc`: gives the join they go to, or the one they
 * already had. */
static inline bool ptx_split_join(struct ptx_warp *w, int32_t leaf, uint32_t rpc, int32_t *parent,
                                  uint32_t *meet) {
  struct ptx_split *s = &w->splits[leaf];
  *parent = s->parent;
  *meet = s->rpc;
  if (rpc == PTX_NO_RPC || rpc == s->rpc) return true;
  int32_t j = ptx_split_add(w, leaf, PTX_S_JOIN, rpc, 0);
  if (j < 0) return false;
  w->splits[j].expected = w->splits[leaf].mask;
  w->splits[j].is_guarded = w->splits[leaf].is_guarded;
  w->splits[leaf].is_guarded = true; /* as far as this join */
  *parent = j;
  *meet = rpc;
  return true;
}

/* Lanes of the leaf that do not take part go on at pc + 1 as a leaf of their own. */
bool ptx_split_part(struct ptx_warp *w, int32_t leaf, uint32_t mask, uint32_t pc);

#endif
