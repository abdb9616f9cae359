#include "sim/clocks.h"

#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/mem.h"
#include "stream/stream.h"

/* ---- pairs ---- */

static int order(const struct weir_clock_pair *a, const struct weir_clock_pair *b) {
  if (a->from != b->from) return a->from < b->from ? -1 : 1;
  return a->to < b->to ? -1 : a->to > b->to;
}

/* The first that does not come before it. */
static size_t place_of(const struct weir_clock_pairs *p, const struct weir_clock_pair *x) {
  size_t low = 0, high = p->n;
  while (low < high) {
    size_t middle = low + (high - low) / 2;
    if (order(&p->v[middle], x) < 0)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

bool weir_clock_pairs_add(struct weir_clock_pairs *into, const struct weir_clock_pair *p) {
  size_t i = place_of(into, p);
  if (i < into->n && order(&into->v[i], p) == 0) {
    struct weir_clock_pair *at = &into->v[i];
    at->n += p->n;
    at->sum += p->sum;
    if (p->min < at->min) at->min = p->min;
    if (p->max > at->max) at->max = p->max;
    return true;
  }
  if (into->n == WEIR_CLOCK_PAIRS) {
    into->n_lost += p->n;
    return true;
  }
  if (!WEIR_PUSH(*into, *p)) return false;
  memmove(&into->v[i + 1], &into->v[i], (into->n - 1 - i) * sizeof *into->v);
  into->v[i] = *p;
  return true;
}

bool weir_clock_pairs_join(struct weir_clock_pairs *into, const struct weir_clock_pairs *from) {
  bool ok = true;
  for (size_t i = 0; ok && i < from->n; i++)
    ok = weir_clock_pairs_add(into, &from->v[i]);
  into->n_lost += from->n_lost;
  return ok;
}

void weir_clock_pairs_free(struct weir_clock_pairs *p) {
  free(p->v);
  *p = (struct weir_clock_pairs){0};
}

/* ---- an SM ---- */

/* The last read of each thread, where it has read at all. Threads that read together stand
 * together: no lane is in two of them. */
struct last_reads {
  uint32_t n;
  struct {
    uint32_t lanes, insn;
    uint64_t at;
  } v[WEIR_LANES];
};

struct weir_clocks {
  struct weir_clock_pairs pairs;
  struct last_reads of_slot[];
};

struct weir_clocks *weir_clocks_new(uint32_t n_slots) {
  struct weir_clocks *c;
  return weir_calloc(1, sizeof *c + n_slots * sizeof c->of_slot[0]);
}

void weir_clocks_free(struct weir_clocks *c) {
  if (c == NULL) return;
  weir_clock_pairs_free(&c->pairs);
  free(c);
}

void weir_clocks_begin(struct weir_clocks *c) {
  c->pairs.n = 0;
  c->pairs.n_lost = 0;
}

void weir_clocks_warp(struct weir_clocks *c, uint32_t slot) {
  c->of_slot[slot].n = 0;
}

bool weir_clocks_read(struct weir_clocks *c, uint32_t slot, uint32_t insn, uint32_t lanes,
                      uint64_t now) {
  struct last_reads *last = &c->of_slot[slot];
  bool ok = true;
  uint32_t kept = 0;
  if (lanes == 0) return true;
  for (uint32_t i = 0; i < last->n; i++) {
    uint32_t others = last->v[i].lanes & ~lanes;
    if (others != last->v[i].lanes) {
      uint64_t cycles = now - last->v[i].at;
      ok &= weir_clock_pairs_add(&c->pairs, &(struct weir_clock_pair){.from = last->v[i].insn,
                                                                      .to = insn,
                                                                      .n = 1,
                                                                      .min = cycles,
                                                                      .max = cycles,
                                                                      .sum = cycles});
    }
    if (others == 0) continue;
    last->v[kept] = last->v[i];
    last->v[kept++].lanes = others;
  }
  last->v[kept].lanes = lanes;
  last->v[kept].insn = insn;
  last->v[kept].at = now;
  last->n = kept + 1;
  return ok;
}

const struct weir_clock_pairs *weir_clocks_pairs(const struct weir_clocks *c) {
  return &c->pairs;
}
