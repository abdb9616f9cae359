#include "analysis/stack.h"

#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/mem.h"

enum { EMPTY = UINT32_MAX, FIRST_CAP = 1024 };

void weir_stack_free(struct weir_stack *s) {
  free(s->tree);
  free(s->at);
  free(s->where.v);
  free(s->empty.v);
  *s = (struct weir_stack){0};
}

/* ---- the tree ---- */

static void add(struct weir_stack *s, uint32_t time, uint32_t n) {
  for (; time <= s->cap; time += time & -time)
    s->tree[time] += n;
}

/* Places that are not newer. */
static uint32_t count(const struct weir_stack *s, uint32_t time) {
  uint32_t n = 0;
  for (; time > 0; time -= time & -time)
    n += s->tree[time];
  return n;
}

static void take(struct weir_stack *s, uint32_t time, uint32_t whose) {
  s->at[time] = whose;
  add(s, time, 1);
  s->used++;
}

static void leave(struct weir_stack *s, uint32_t time) {
  s->at[time] = 0;
  add(s, time, (uint32_t)-1);
  s->used--;
}

/* ---- empty places ---- */

static bool push_empty(struct weir_stack *s, uint32_t time) {
  if (!WEIR_PUSH(s->empty, time)) return false;
  uint32_t *v = s->empty.v;
  size_t i = s->empty.n - 1;
  for (; i > 0 && v[(i - 1) / 2] < time; i = (i - 1) / 2)
    v[i] = v[(i - 1) / 2];
  v[i] = time;
  return true;
}

static void pop_empty(struct weir_stack *s) {
  uint32_t *v = s->empty.v, last = v[--s->empty.n];
  size_t n = s->empty.n, i = 0;
  for (size_t k; (k = 2 * i + 1) < n; i = k) {
    if (k + 1 < n && v[k + 1] > v[k]) k++;
    if (v[k] <= last) break;
    v[i] = v[k];
  }
  if (n > 0) v[i] = last;
}

/* ---- room ---- */

/* The places in use, moved together, in a tree with room for as many more. */
static bool make_room(struct weir_stack *s) {
  uint32_t cap = FIRST_CAP;
  while (cap < 2 * s->used + 2)
    cap *= 2;
  uint32_t *tree = weir_calloc(cap + 1u, sizeof *tree), *at = weir_calloc(cap + 1u, sizeof *at);
  if (tree == NULL || at == NULL) {
    free(tree);
    free(at);
    return false;
  }
  uint32_t n = 0;
  s->empty.n = 0;
  for (uint32_t t = 1; t <= s->now; t++) {
    if (s->at[t] == 0) continue;
    at[++n] = s->at[t];
    if (s->at[t] != EMPTY) s->where.v[s->at[t] - 1] = n;
  }
  for (uint32_t t = n; t > 0; t--) /* the newest first: that is a heap, in the room it had */
    if (at[t] == EMPTY) s->empty.v[s->empty.n++] = t;
  for (uint32_t t = 1; t <= cap; t++) {
    tree[t] += at[t] != 0;
    uint32_t up = t + (t & -t);
    if (up <= cap) tree[up] += tree[t];
  }
  free(s->tree);
  free(s->at);
  s->tree = tree;
  s->at = at;
  s->now = n;
  s->cap = cap;
  return true;
}

static bool know(struct weir_stack *s, uint32_t line) {
  while (s->where.n <= line)
    if (!WEIR_PUSH(s->where, 0)) return false;
  return true;
}

/* ---- lines ---- */

bool weir_stack_touch(struct weir_stack *s, uint32_t line, uint32_t *depth) {
  if (!know(s, line) || (s->now == s->cap && !make_room(s))) return false;
  uint32_t old = s->where.v[line];
  bool has_empty = s->empty.n > 0 && s->empty.v[0] > old;
  *depth = old != 0 ? s->used - count(s, old) : (uint32_t)WEIR_NOT_THERE;
  if (has_empty) {
    leave(s, s->empty.v[0]);
    pop_empty(s);
  }
  /* In an L1 that has it, the empty place above is still to be filled; it lies where the line was.
   */
  if (old != 0 && has_empty) {
    s->at[old] = EMPTY;
    if (!push_empty(s, old)) return false;
  } else if (old != 0) {
    leave(s, old);
  }
  s->where.v[line] = ++s->now;
  take(s, s->now, line + 1);
  return true;
}

bool weir_stack_end(struct weir_stack *s, uint32_t line) {
  uint32_t old = line < s->where.n ? s->where.v[line] : 0;
  if (old == 0) return true;
  s->where.v[line] = 0;
  s->at[old] = EMPTY;
  return push_empty(s, old);
}

/* A tree that has become much too large would take long to clear again and again. */
void weir_stack_clear(struct weir_stack *s) {
  for (uint32_t t = 1; t <= s->now; t++)
    if (s->at[t] != 0 && s->at[t] != EMPTY) s->where.v[s->at[t] - 1] = 0;
  if (s->cap / 4 > s->now && s->cap > FIRST_CAP) {
    free(s->tree);
    free(s->at);
    s->tree = s->at = NULL;
    s->cap = 0;
  } else if (s->cap > 0) {
    memset(s->tree, 0, (s->cap + 1u) * sizeof *s->tree);
    memset(s->at, 0, (s->cap + 1u) * sizeof *s->at);
  }
  s->empty.n = 0;
  s->now = s->used = 0;
}
