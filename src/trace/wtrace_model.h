/* What both sides remember while a group is written or read, to guess the base of the next access.
 *
 * Three guesses, of which only what is missing is stored:
 *   - an instruction's first access in a warp: that of the same warp in the block before, plus how
 *     far the warp before this one has moved since then (in the first block: the warp before, plus
 *     how far that had moved);
 *   - a later one: the last one plus the last step;
 *   - always: the warp's last access by any instruction plus the last distance from there.
 * Each instruction keeps the cost of the first two together and of the third, and takes the
 * cheaper. */
#ifndef WEIR_TRACE_WTRACE_MODEL_H
#define WEIR_TRACE_WTRACE_MODEL_H

#include "trace/wtrace_format.h"

/* Places for "the same warp in the block before", of all instructions together. */
enum { WT_MODEL_FIRSTS = 1 << 16 };

struct wt_slot {
  uint64_t base, first, low;
  int64_t step, from_warp, from_block, from_last, stride;
  uint32_t warp; /* serial number of the warp that used it last */
  uint32_t cost, cost_near;
  uint8_t space, align, own_space, own_stride;
  bool has_low;
};

struct wt_model {
  struct wt_slot *slot; /* of the instructions that access memory */
  uint32_t *slot_of;    /* by instruction; UINT32_MAX: accesses none */
  uint64_t *firsts;     /* by slot and warp of the block; 0: none yet */
  uint32_t n_slots, n_firsts, n_warps, n_insns;
  uint64_t last;
  uint32_t warp_serial, warp; /* of the file's group; of the block */
};

/* False: out of memory. */
bool wt_model_init(struct wt_model *m, const struct weir_kernel_info *k);
void wt_model_free(struct wt_model *m);
/* At the start of a group. */
void wt_model_reset(struct wt_model *m);

static inline void wt_model_warp(struct wt_model *m, uint32_t warp) {
  m->warp = warp;
  m->warp_serial++;
  m->last = 0;
}

/* The guess, and what is needed to learn from the truth. */
struct wt_guess {
  uint64_t main, near;
  uint64_t *first;
  bool is_first;
};

static inline uint64_t wt_guess(const struct wt_model *m, const struct wt_slot *s,
                                struct wt_guess *g) {
  g->near = m->last + (uint64_t)s->from_last;
  g->first = NULL;
  g->is_first = s->warp != m->warp_serial;
  if (!g->is_first) {
    g->main = s->base + (uint64_t)s->step;
  } else {
    size_t i = (size_t)(s - m->slot) * m->n_warps + m->warp;
    if (i < m->n_firsts) g->first = &m->firsts[i];
    if (g->first && *g->first)
      g->main = *g->first + (uint64_t)s->from_block;
    else
      g->main = s->first + (uint64_t)s->from_warp;
  }
  return s->cost_near < s->cost ? g->near : g->main;
}

/* A running mean of bits, in sixteenths. */
static inline uint32_t wt_cost(uint32_t cost, uint64_t miss) {
  return cost - cost / 8 + 2 * (uint32_t)(64 - __builtin_clzll(wt_zigzag((int64_t)miss) | 1));
}

static inline void wt_learn(struct wt_model *m, struct wt_slot *s, const struct wt_guess *g,
                            uint64_t base) {
  s->cost = wt_cost(s->cost, base - g->main);
  /* The near guess must be better by some: else the two take turns and no pattern is left. */
  s->cost_near = wt_cost(s->cost_near, base - g->near) + 1;
  if (g->is_first) {
    s->warp = m->warp_serial;
    s->from_warp = (int64_t)(base - s->first);
    s->first = base;
    if (g->first) {
      if (*g->first) s->from_block = (int64_t)(base - *g->first);
      *g->first = base;
    }
  } else {
    s->step = (int64_t)(base - s->base);
  }
  s->base = base;
  s->from_last = (int64_t)(base - m->last);
  m->last = base;
}

/* After a list of `n` active lanes. */
static inline void wt_learn_low(struct wt_slot *s, unsigned n, uint64_t lowest) {
  if (!n || (s->has_low && lowest >= s->low)) return;
  s->low = lowest;
  s->has_low = true;
}

#endif
