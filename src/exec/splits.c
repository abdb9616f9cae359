/* The tree of a warp's lanes. */
#include "exec/splits.h"

#include <stdlib.h>

#include "base/mem.h"

static int32_t new_split(struct ptx_warp *w) {
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

void ptx_split_free(struct ptx_warp *w, int32_t n) {
  free(w->splits[n].saved);
  w->splits[n].saved = NULL;
  w->splits[n].state = PTX_S_FREE;
}

int32_t ptx_split_add(struct ptx_warp *w, int32_t like, enum ptx_split_state state, uint32_t pc,
                      uint32_t mask) {
  int32_t n = new_split(w);
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

void ptx_join_settle(struct ptx_warp *w, int32_t n) {
  struct ptx_split *s = &w->splits[n];
  if (s->state != PTX_S_JOIN || s->mask != s->expected) return;
  if (s->expected == 0) {
    ptx_split_free(w, n);
    return;
  }
  free(s->saved);
  s->saved = NULL;
  s->is_call = false;
  s->state = PTX_S_RUN;
  s->n_back = 0;
}

void ptx_split_arrive(struct ptx_warp *w, int32_t n) {
  struct ptx_split *s = &w->splits[n], *join = &w->splits[s->parent];
  int32_t parent = s->parent;
  join->mask |= s->mask;
  ptx_split_free(w, n);
  ptx_join_settle(w, parent);
}

/* Let the lanes that wait at a join go on without the others. */
static int32_t release_join(struct ptx_warp *w, int32_t j) {
  int32_t n = ptx_split_add(w, j, PTX_S_RUN, w->splits[j].pc, w->splits[j].mask);
  if (n < 0) return n;
  w->splits[j].expected &= ~w->splits[j].mask;
  w->splits[j].mask = 0;
  ptx_join_settle(w, j);
  return n;
}

bool ptx_split_pick(struct ptx_warp *w, int32_t after, bool spinning) {
  uint32_t count = w->is_held ? 0 : w->n_splits;
  for (int pass = 0; pass < 2; pass++)
    for (uint32_t k = 1; k <= count; k++) {
      uint32_t i = ((uint32_t)after + k) % count;
      struct ptx_split *s = &w->splits[i];
      bool can_run = s->state == PTX_S_RUN;
      bool can_release = s->state == PTX_S_JOIN && s->mask != 0 && (spinning || pass == 1);
      if (!can_run && !can_release) continue;
      w->current = can_run ? (int32_t)i : release_join(w, (int32_t)i);
      if (w->current >= 0) w->splits[w->current].n_back = 0;
      return w->current >= 0;
    }
  w->current = -1;
  return false;
}

bool ptx_split_first(struct ptx_warp *w, uint32_t live) {
  w->n_splits = 0;
  w->current = new_split(w);
  if (w->current < 0) return false;
  w->splits[0] = (struct ptx_split){.pc = w->prog->funcs[0].entry,
                                    .mask = live,
                                    .rpc = PTX_NO_RPC,
                                    .parent = -1,
                                    .state = PTX_S_RUN};
  return true;
}

bool ptx_split_part(struct ptx_warp *w, int32_t leaf, uint32_t mask, uint32_t pc) {
  uint32_t rest = w->splits[leaf].mask & ~mask;
  if (rest == 0) return true;
  int32_t n = ptx_split_add(w, leaf, PTX_S_RUN, pc + 1, rest);
  if (n < 0) return false;
  w->splits[n].is_guarded = w->splits[leaf].is_guarded;
  w->splits[leaf].mask = mask;
  if (w->splits[n].pc == w->splits[n].rpc) ptx_split_arrive(w, n);
  return true;
}
