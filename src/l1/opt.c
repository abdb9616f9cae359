#include "l1/opt.h"

#include "base/index.h"
#include "base/mem.h"

/* ---- the next load of each line ---- */

enum { NONE = UINT32_MAX };

/* From a line to the last request of it that was seen; those of a finished one are `NONE`. */
struct seen {
  struct weir_index index;
  uint32_t *last;
  uint32_t n;
};

static uint32_t *seen_at(struct seen *s, uint64_t addr) {
  uint32_t i = weir_index_find(&s->index, addr);
  if (i == UINT32_MAX) {
    i = s->n++;
    weir_index_put(&s->index, addr, i);
    s->last[i] = NONE;
  }
  return &s->last[i];
}

/* next[i]: the next load of the line of request i that an L1 could answer with what it had after i;
 * NONE: there is none. Of requests from `first` on, up to `end`. */
static bool find_next(const struct weir_tape *t, size_t first, size_t end, uint32_t *next) {
  struct seen s = {.last = weir_malloc((end - first + 1) * sizeof *s.last)};
  bool ok = weir_index_init(&s.index, (uint32_t)(end - first + 1)) && s.last != NULL;
  for (size_t i = end; ok && i-- > first;) {
    const struct weir_taped *r = &t->v[i];
    next[i] = NONE;
    if (r->as == WEIR_TAPED_KERNEL || r->as == WEIR_TAPED_PAST) continue;
    uint32_t *last = seen_at(&s, r->addr);
    next[i] = *last;
    if (r->as == WEIR_TAPED_ENDS) next[i] = *last = NONE;
    if (weir_is_taped_load(r)) *last = (uint32_t)i;
    if (r->as == WEIR_TAPED_FILLS) *last = NONE; /* what was there before it does not matter */
  }
  weir_index_free(&s.index);
  free(s.last);
  return ok;
}

/* ---- lines that are kept, by their next load: a set of numbers whose largest is found fast ----
 */

enum { LEVELS = 6, LOG = 6 };

struct marks {
  uint64_t *level[LEVELS]; /* a bit of a level: some of its 64 in the level below */
  uint32_t n_levels;
};

static bool marks_init(struct marks *m, size_t n) {
  *m = (struct marks){0};
  do {
    n = (n >> LOG) + 1;
    m->level[m->n_levels] = weir_calloc(n, sizeof **m->level);
    if (m->level[m->n_levels++] == NULL) return false;
  } while (n > 1);
  return true;
}

static void marks_free(struct marks *m) {
  for (uint32_t k = 0; k < m->n_levels; k++)
    free(m->level[k]);
}

static void marks_put(struct marks *m, size_t i) {
  for (uint32_t k = 0; k < m->n_levels; k++, i >>= LOG)
    m->level[k][i >> LOG] |= UINT64_C(1) << (i & 63);
}

static void marks_remove(struct marks *m, size_t i) {
  for (uint32_t k = 0; k < m->n_levels; k++, i >>= LOG)
    if ((m->level[k][i >> LOG] &= ~(UINT64_C(1) << (i & 63))) != 0) return;
}

static bool marks_has(const struct marks *m, size_t i) {
  return m->level[0][i >> LOG] >> (i & 63) & 1;
}

/* There is one. */
static size_t marks_largest(const struct marks *m) {
  size_t i = 0;
  for (uint32_t k = m->n_levels; k-- > 0;)
    i = i << LOG | (63 - (size_t)__builtin_clzll(m->level[k][i]));
  return i;
}

/* ---- Belady ---- */

/* A line that is wanted again is kept until then, unless there are too many: then that goes which
 * is wanted last, the new one included. A load hits if its line was kept for it. */
static void choose(const struct weir_tape *t, size_t first, size_t end, uint64_t lines,
                   const uint32_t *next, struct marks *kept, struct weir_opt *out) {
  uint64_t n = 0;
  for (size_t i = first; i < end; i++) {
    const struct weir_taped *r = &t->v[i];
    bool is_load = weir_is_taped_load(r);
    out->loads += is_load;
    if (marks_has(kept, i - first)) {
      out->says[i] = WEIR_OPT_HIT;
      out->hits++;
      marks_remove(kept, i - first);
      n--;
    }
    if (next[i] == NONE || !(is_load || r->as == WEIR_TAPED_FILLS)) continue;
    marks_put(kept, next[i] - first);
    if (++n <= lines) continue;
    marks_remove(kept, marks_largest(kept));
    n--;
  }
}

/* What is not separated by an empty L1. */
static enum weir_status run_part(const struct weir_tape *t, size_t first, size_t end,
                                 uint64_t lines, uint32_t *next, struct weir_opt *out,
                                 struct weir_err *err) {
  struct marks kept;
  bool ok = marks_init(&kept, end - first) && find_next(t, first, end, next);
  if (ok) choose(t, first, end, lines, next, &kept, out);
  marks_free(&kept);
  for (size_t i = first; ok && i < end; i++)
    if (next[i] != NONE && (out->says[next[i]] & WEIR_OPT_HIT)) out->says[i] |= WEIR_OPT_KEEP;
  return ok ? WEIR_OK : weir_fail(err, WEIR_ENOMEM, "out of memory");
}

enum weir_status weir_opt_run(const struct weir_tape *t, uint32_t factor, uint32_t extra,
                              struct weir_opt *out, struct weir_err *err) {
  *out = (struct weir_opt){.says = weir_calloc(t->n + 1, 1)};
  uint32_t *next = weir_malloc((t->n + 1) * sizeof *next);
  enum weir_status st = WEIR_OK;
  uint64_t lines = 0;
  if (out->says == NULL || next == NULL || t->has_failed || t->n >= NONE)
    st = weir_fail(err, WEIR_ENOMEM, "out of memory");
  for (size_t first = 0, i = 0; st == WEIR_OK && i < t->n; i++) {
    const struct weir_taped *r = &t->v[i];
    if (r->as == WEIR_TAPED_KERNEL && (i == first || !r->is_flushed) && lines < r->lines)
      lines = r->lines;
    bool is_last = i + 1 == t->n || (r[1].as == WEIR_TAPED_KERNEL && r[1].is_flushed);
    if (!is_last) continue;
    st = run_part(t, first, i + 1, lines * factor + extra, next, out, err);
    first = i + 1;
    lines = 0;
  }
  free(next);
  if (st != WEIR_OK) weir_opt_free(out);
  return st;
}

void weir_opt_free(struct weir_opt *o) {
  free(o->says);
  *o = (struct weir_opt){0};
}

uint32_t weir_opt_extra(const struct weir_machine *m) {
  return m->l1.alloc == WEIR_L1_ON_FILL ? (uint32_t)m->l1.mshr_entries : 0;
}
