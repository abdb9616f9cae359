#include "study/block_lines.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "sim/sm.h"

/* ---- launches ---- */

static uint32_t find_kernel(const struct weir_profile *p, const struct weir_kernel_info *k) {
  for (uint32_t i = 0; i < p->n_kernels; i++)
    if (strcmp(p->kernels[i].loads.kernel, k->name) == 0) return i;
  return p->n_kernels;
}

/* As many as fit, or fewer if the grid has fewer for each SM. */
static uint32_t blocks_at_once(const struct weir_machine *m, const struct weir_kernel_info *k) {
  const char *why;
  uint64_t sms = (uint64_t)m->sm.count, each = (weir_volume(k->grid) + sms - 1) / sms;
  uint32_t fit = weir_sm_fit(m, k, &why);
  return each < fit ? (uint32_t)each : fit;
}

enum weir_status weir_block_lines_kernel(void *self, struct weir_block_source *source,
                                         struct weir_err *err) {
  struct weir_block_lines *x = self;
  const struct weir_kernel_info *k = source->kernel;
  const struct weir_noted_launch launch = {.kernel = find_kernel(x->p, k),
                                           .at_once = blocks_at_once(&x->timing->setup->machine, k),
                                           .blocks = weir_volume(k->grid)};
  if (!WEIR_PUSH(x->launches, launch)) return weir_no_memory(err);
  return weir_timing_kernel(x->timing, source, err);
}

/* ---- tapes ---- */

/* A line that a block read, and by which load. */
struct touch {
  uint64_t line, loads;
  uint32_t block;
};

static int compare(const void *a, const void *b) {
  const struct touch *x = a, *y = b;
  if (x->block != y->block) return x->block < y->block ? -1 : 1;
  return x->line < y->line ? -1 : x->line > y->line;
}

/* The set of a load of the kernel, by its instruction; 0 of one that cannot be chosen. */
static uint64_t *bits_of(const struct weir_loads *l) {
  uint64_t *bits = weir_calloc(l->n_insns + 1u, sizeof *bits);
  for (uint32_t i = 0; bits != NULL && i < l->n; i++)
    if (!l->v[i].is_fixed) bits[l->v[i].insn] = weir_load_bit(i);
  return bits;
}

/* What one SM took of a launch: the touches of `to`. Their number. */
static size_t find_touches(const struct weir_loads *l, const uint64_t *bits,
                           const struct weir_taped *v, size_t n, struct touch *to) {
  size_t found = 0;
  for (size_t i = 0; i < n; i++) {
    uint64_t set = v[i].insn < l->n_insns ? bits[v[i].insn] : 0;
    if (weir_is_taped_load(&v[i]) && !v[i].is_local && set != 0)
      to[found++] = (struct touch){.line = v[i].addr, .loads = set, .block = v[i].cta};
  }
  return found;
}

static enum weir_status add_touches(struct weir_block_lines *x,
                                    const struct weir_noted_launch *launch, struct touch *v,
                                    size_t n, struct weir_err *err) {
  enum weir_status st = WEIR_OK;
  qsort(v, n, sizeof *v, compare);
  for (size_t first = 0, i; st == WEIR_OK && first < n; first = i) {
    struct weir_row row = {.kernel = launch->kernel, .v = {launch->at_once}};
    for (i = first; i < n && compare(&v[first], &v[i]) == 0; i++)
      row.key |= v[i].loads;
    st = weir_rows_add(&x->rows, &row, err);
  }
  return st;
}

static enum weir_status read_launch(struct weir_block_lines *x,
                                    const struct weir_noted_launch *launch,
                                    const struct weir_taped *v, size_t n, struct weir_err *err) {
  const struct weir_loads *l = &x->p->kernels[launch->kernel].loads;
  uint64_t *bits = bits_of(l);
  struct touch *touches = weir_malloc((n + 1) * sizeof *touches);
  enum weir_status st = bits != NULL && touches != NULL ? WEIR_OK : weir_no_memory(err);
  if (st == WEIR_OK)
    st = add_touches(x, launch, touches, find_touches(l, bits, v, n, touches), err);
  free(bits);
  free(touches);
  return st;
}

/* Every SM is told of every launch, the first one speaks for all. */
static enum weir_status add_room(struct weir_block_lines *x, const struct weir_noted_launch *launch,
                                 uint32_t lines, struct weir_err *err) {
  const struct weir_row row = {.kernel = launch->kernel, .v = {launch->blocks * lines}};
  return weir_rows_add(&x->rows, &row, err);
}

enum weir_status weir_block_lines_read(void *self, const struct weir_timing *t, uint32_t sm,
                                       const struct weir_tape *tape, struct weir_err *err) {
  struct weir_block_lines *x = self;
  enum weir_status st = tape->has_failed ? weir_no_memory(err) : WEIR_OK;
  (void)t;
  for (size_t first = 0, end; st == WEIR_OK && first < tape->n; first = end) {
    /* A launch begins with what is not a request. */
    const struct weir_noted_launch *launch = &x->launches.v[tape->v[first].addr];
    for (end = first + 1; end < tape->n && tape->v[end].as != WEIR_TAPED_KERNEL;)
      end++;
    if (launch->kernel == x->p->n_kernels) continue;
    if (sm == 0) st = add_room(x, launch, tape->v[first].lines, err);
    if (st == WEIR_OK) st = read_launch(x, launch, tape->v + first, end - first, err);
  }
  return st;
}

void weir_block_lines_free(struct weir_block_lines *x) {
  free(x->launches.v);
  weir_rows_free(&x->rows);
}

/* ---- what comes of it ---- */

enum weir_status weir_block_lines_take(struct weir_profile *p, uint32_t kernel,
                                       const struct weir_rows *rows, struct weir_err *err) {
  struct weir_traffic *t = &p->kernels[kernel].traffic;
  size_t first = 0, n = 0;
  while (first < rows->n && rows->v[first].kernel < kernel)
    first++;
  while (first + n < rows->n && rows->v[first + n].kernel == kernel)
    n++;
  t->uses = weir_arena_array(&p->arena, n + 1, sizeof *t->uses);
  if (t->uses == NULL) return weir_no_memory(err);
  for (size_t i = 0; i < n; i++) {
    const struct weir_row *row = &rows->v[first + i];
    if (row->key == 0)
      t->room = row->v[0];
    else
      t->uses[t->n_uses++] = (struct weir_line_use){.loads = row->key, .lines = row->v[0]};
  }
  return WEIR_OK;
}
