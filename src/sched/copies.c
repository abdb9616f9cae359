/* A kernel with the copies of its unrolled loops.
 *
 * The iterations of a group run as one, so each needs registers of its own, or the scoreboard would
 * have one wait for the other. A register that is written in every iteration, for sure, by some
 * instruction W, holds the value of the iteration before until W, and that of this one from there
 * on. So in iteration k of a group whatever stands in front of W means instance k-1, and the rest
 * instance k. The last instance, and the one before the first, is the register itself: whatever
 * group comes next, and what follows the loop, finds the value there. */
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "sched/reorder.h"

static uint32_t body_of(const struct weir_unrolled *l) {
  return l->last - l->first + 1;
}

static uint32_t n_sizes(uint32_t unroll) {
  uint32_t n = 0;
  for (; unroll > 1; unroll /= 2)
    n++;
  return n;
}

static uint32_t n_variants(const struct weir_unrolled *l) {
  return l->unroll - 1u + n_sizes(l->unroll);
}

uint32_t weir_copy_of(const struct weir_unrolled *l, uint32_t insn, uint32_t size, uint32_t k) {
  uint32_t variant = k;
  if (k + 1 == size) {
    variant = l->unroll - 1u;
    for (uint32_t n = l->unroll; n > size; n /= 2)
      variant++;
  }
  return l->copies_at + variant * body_of(l) + (insn - l->first);
}

/* ---- which loops ---- */

static uint32_t factor_of(const struct weir_reorder_cfg *cfg, const struct weir_kernel_info *k,
                          const struct weir_outline_loop *l) {
  int64_t body = l->last - l->first + 1, constants = 0;
  if (cfg->order != WEIR_INSNS_LOOPS || l->flags != 0) return 1;
  for (uint32_t i = l->first; i <= l->last; i++) {
    if (k->insns[i].reads_clock) return 1;
    constants += (k->outline->insns[i].flags & WEIR_OUTLINE_CONSTANT) != 0;
  }
  if (body - constants > cfg->body) return 1;
  int64_t n = cfg->unroll;
  if (l->trips != 0) n = l->trips < cfg->full ? l->trips : cfg->full;
  while (n > 1 && n * body > cfg->window)
    n /= 2;
  return (uint32_t)n;
}

static bool find_loops(const struct weir_reorder_cfg *cfg, struct weir_reordered *r) {
  const struct weir_outline *text = r->ptx->outline;
  r->loops = weir_calloc(text->n_loops + (size_t)1, sizeof *r->loops);
  if (r->loops == NULL) return false;
  for (uint32_t i = 0; i < text->n_loops; i++) {
    uint32_t n = factor_of(cfg, r->ptx, &text->loops[i]);
    if (n < 2) continue;
    r->loops[r->n_loops++] = (struct weir_unrolled){
        .first = text->loops[i].first, .last = text->loops[i].last, .unroll = (uint8_t)n};
  }
  return true;
}

/* ---- registers ---- */

struct renaming {
  const struct weir_kernel_info *k;
  const struct weir_unrolled *l;
  /* Of each register: where it is written for sure, 1 + instruction; instance 0, the others follow;
   * 0: it has none. */
  uint32_t *written, *instance;
};

/* False: there are more registers than numbers for them; *n_regs is as before then. */
static bool name_instances(struct renaming *x, uint32_t *n_regs) {
  const struct weir_outline_insn *text = x->k->outline->insns;
  uint32_t n = *n_regs;
  memset(x->written, 0, x->k->n_regs * sizeof *x->written);
  memset(x->instance, 0, x->k->n_regs * sizeof *x->instance);
  for (uint32_t i = x->l->first; i <= x->l->last; i++) {
    const struct weir_static *s = &x->k->insns[i];
    /* A step is made once for all iterations of a group. */
    if (text[i].flags & (WEIR_OUTLINE_GUARDED | WEIR_OUTLINE_COVERED | WEIR_OUTLINE_STEP)) continue;
    for (unsigned d = 0; d < s->n_dst; d++) {
      uint16_t reg = s->dst[d];
      if (reg == WEIR_NO_REG || x->written[reg] != 0) continue;
      x->written[reg] = i + 1;
      x->instance[reg] = n;
      n += x->l->unroll - 1u;
    }
  }
  if (n >= WEIR_NO_REG) return false;
  *n_regs = n;
  return true;
}

static uint16_t rename_reg(const struct renaming *x, uint16_t reg, uint32_t insn, bool is_def,
                           uint32_t size, uint32_t k) {
  if (reg == WEIR_NO_REG || x->written[reg] == 0) return reg;
  uint32_t at = x->written[reg] - 1;
  bool is_own = insn > at || (insn == at && is_def);
  if (is_own ? k + 1 == size : k == 0) return reg;
  return (uint16_t)(x->instance[reg] + (is_own ? k : k - 1));
}

static void copy_insn(const struct renaming *x, struct weir_reordered *r, struct weir_static *table,
                      uint32_t insn, uint32_t size, uint32_t k) {
  uint32_t at = weir_copy_of(x->l, insn, size, k);
  struct weir_static *s = &table[at];
  *s = x->k->insns[insn];
  if (r->has_own_pcs) s->pc = at * 8;
  r->origin[at] = insn;
  r->is_left_out[at] =
      k + 1 < size && (x->k->outline->insns[insn].flags &
                       (WEIR_OUTLINE_STEP | WEIR_OUTLINE_TEST | WEIR_OUTLINE_BACK)) != 0;
  for (unsigned i = 0; i < s->n_src; i++)
    s->src[i] = rename_reg(x, s->src[i], insn, false, size, k);
  for (unsigned i = 0; i < s->n_dst; i++)
    s->dst[i] = rename_reg(x, s->dst[i], insn, true, size, k);
}

static void copy_loop(const struct renaming *x, struct weir_reordered *r,
                      struct weir_static *table) {
  for (uint32_t insn = x->l->first; insn <= x->l->last; insn++) {
    for (uint32_t k = 0; k + 1 < x->l->unroll; k++)
      copy_insn(x, r, table, insn, x->l->unroll, k);
    for (uint32_t size = x->l->unroll; size > 1; size /= 2)
      copy_insn(x, r, table, insn, size, size - 1);
  }
}

/* ---- the kernel ---- */

static void number_copies(struct weir_reordered *r) {
  for (uint32_t i = 0; i < r->n_loops; i++) {
    r->loops[i].copies_at = r->info.n_insns;
    r->info.n_insns += n_variants(&r->loops[i]) * body_of(&r->loops[i]);
  }
}

static bool make_copies(struct weir_reordered *r, struct weir_static *table) {
  const struct weir_kernel_info *k = r->ptx;
  struct renaming x = {.k = k,
                       .written = weir_calloc(k->n_regs + (size_t)1, sizeof *x.written),
                       .instance = weir_calloc(k->n_regs + (size_t)1, sizeof *x.instance)};
  bool ok = x.written != NULL && x.instance != NULL;
  uint32_t n_kept = 0;
  for (uint32_t i = 0; ok && i < k->n_insns; i++) {
    table[i] = k->insns[i];
    r->origin[i] = i;
  }
  for (uint32_t i = 0; ok && i < r->n_loops; i++) {
    x.l = &r->loops[i];
    if (!name_instances(&x, &r->info.n_regs)) continue;
    copy_loop(&x, r, table);
    r->loops[n_kept++] = r->loops[i];
  }
  r->n_loops = n_kept;
  free(x.written);
  free(x.instance);
  return ok;
}

/* A texture read has four results in PTX; machine code names those that somebody reads. */
static bool mask_results(struct weir_reordered *r, struct weir_static *table) {
  const struct weir_kernel_info *k = r->ptx;
  uint8_t *is_read = weir_calloc(k->n_regs + (size_t)1, 1);
  if (is_read == NULL) return false;
  for (uint32_t i = 0; i < k->n_insns; i++)
    for (unsigned n = 0; n < k->insns[i].n_src; n++)
      if (k->insns[i].src[n] != WEIR_NO_REG) is_read[k->insns[i].src[n]] = 1;
  for (uint32_t i = 0; i < k->n_insns; i++)
    for (unsigned n = 0; k->insns[i].cls == WEIR_C_TEX && n < k->insns[i].n_dst; n++)
      if (k->insns[i].dst[n] != WEIR_NO_REG && !is_read[k->insns[i].dst[n]])
        table[i].dst[n] = WEIR_NO_REG;
  free(is_read);
  return true;
}

enum weir_status weir_reorder_kernel(const struct weir_reorder_cfg *cfg,
                                     const struct weir_kernel_info *k, struct weir_reordered **out,
                                     struct weir_err *err) {
  *out = NULL;
  if (cfg == NULL || cfg->order == WEIR_INSNS_OFF || k->outline == NULL) return WEIR_OK;
  struct weir_reordered *r = weir_calloc(1, sizeof *r);
  if (r == NULL) return weir_no_memory(err);
  *r = (struct weir_reordered){.info = *k,
                               .ptx = k,
                               .window = (uint32_t)cfg->window,
                               .budget = (uint32_t)cfg->registers,
                               .has_own_pcs = cfg->pc == WEIR_PC_COPY,
                               .moves_textures = cfg->textures,
                               .moves_tests = cfg->tests};
  if (!k->regs_estimated && k->regs_per_thread != 0) r->budget = k->regs_per_thread;
  struct weir_static *table = NULL;
  bool ok = find_loops(cfg, r);
  if (ok) {
    number_copies(r);
    r->info.insns = table = weir_calloc(r->info.n_insns + (size_t)1, sizeof *table);
    r->origin = weir_calloc(r->info.n_insns + (size_t)1, sizeof *r->origin);
    r->is_left_out = weir_calloc(r->info.n_insns + (size_t)1, 1);
    ok = table != NULL && r->origin != NULL && r->is_left_out != NULL && make_copies(r, table);
    if (ok && r->moves_textures) ok = mask_results(r, table);
  }
  if (!ok) {
    if (table == NULL) r->info.insns = NULL;
    weir_reordered_free(r);
    return weir_no_memory(err);
  }
  *out = r;
  return WEIR_OK;
}

void weir_reordered_free(struct weir_reordered *r) {
  if (r == NULL) return;
  free((void *)(uintptr_t)r->info.insns);
  free(r->origin);
  free(r->is_left_out);
  free(r->loops);
  free(r);
}
