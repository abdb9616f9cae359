#include "ptx/liveness.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "ptx/isa.h"

/* ---- what an instruction names ---- */

static void visit_operand(const struct ptx_operand *o, bool is_def, ptx_reg_visit visit,
                          void *ctx) {
  switch (o->kind) {
  case PTX_O_reg:
    visit(ctx, o->reg, is_def);
    break;
  case PTX_O_addr:
    if (o->has_base) visit(ctx, o->reg, false);
    break;
  default:
    for (uint16_t k = 0; k < o->n_elem; k++)
      visit_operand(&o->elem[k], is_def, visit, ctx);
  }
}

void ptx_visit_regs(const struct ptx_insn *in, ptx_reg_visit visit, void *ctx) {
  if (in->guarded) visit(ctx, in->guard, false);
  if (in->op == PTX_OP_call) {
    bool seen = false;
    for (unsigned k = 0; k < in->n_opnds; k++) {
      visit_operand(&in->opnds[k], in->opnds[k].kind == PTX_O_list && !seen, visit, ctx);
      seen |= in->opnds[k].kind == PTX_O_func || in->opnds[k].kind == PTX_O_reg;
    }
    return;
  }
  const struct ptx_form *f = ptx_form(in->form);
  for (unsigned k = 0; k < in->n_opnds; k++) {
    const struct ptx_slot *s = ptx_slot_at(f, in->n_opnds, k);
    bool is_def =
        s != NULL && (s->kind == 'd' || s->kind == 'o' || s->kind == 'r' || s->kind == 'P' ||
                      s->kind == 'D' || s->kind == 't' || s->kind == 'u' || s->kind == 'F');
    visit_operand(&in->opnds[k], is_def, visit, ctx);
  }
}

/* ---- liveness ---- */

static bool has(const uint64_t *set, uint32_t reg) {
  return set[reg >> 6] >> (reg & 63) & 1;
}

static void put(uint64_t *set, uint32_t reg) {
  set[reg >> 6] |= UINT64_C(1) << (reg & 63);
}

struct block_sets {
  uint64_t *use, *def;
  const uint64_t *first;
  bool guarded;
};

static void note_use(void *ctx, uint32_t reg, bool is_def) {
  struct block_sets *c = ctx;
  if (!is_def && !has(c->def, reg)) put(c->use, reg);
}

static void note_def(void *ctx, uint32_t reg, bool is_def) {
  struct block_sets *c = ctx;
  if (is_def && (!c->guarded || (c->first != NULL && has(c->first, reg)))) put(c->def, reg);
}

uint64_t ptx_live_out(const struct ptx_func *f, const struct ptx_liveness *l, size_t block,
                      size_t word) {
  const struct ptx_block *b = &f->cfg.blocks[block];
  uint64_t out = 0;
  for (uint32_t s = 0; s < b->n_succ; s++)
    out |= l->in[b->succ[s] * l->words + word];
  return out;
}

bool ptx_liveness_find(const struct ptx_func *f, const uint64_t *first, struct ptx_liveness *l) {
  size_t words = (f->n_regs + 63u) / 64, nb = f->cfg.n_blocks;
  *l = (struct ptx_liveness){.words = words ? words : 1};
  words = l->words;
  l->in = weir_calloc((nb + 1) * words, sizeof *l->in);
  uint64_t *sets = weir_calloc((2 * nb + 1) * words, sizeof *sets);
  if (l->in == NULL || sets == NULL) {
    ptx_liveness_free(l);
    free(sets);
    return false;
  }
  for (size_t b = 0; b < nb; b++) {
    struct block_sets c = {sets + 2 * b * words, sets + (2 * b + 1) * words, first, false};
    for (uint32_t i = f->cfg.blocks[b].first; i <= f->cfg.blocks[b].last; i++) {
      c.guarded = f->insns[i].guarded;
      ptx_visit_regs(&f->insns[i], note_use, &c); /* sources are read first */
      ptx_visit_regs(&f->insns[i], note_def, &c);
    }
  }
  for (bool changed = true; changed;) {
    changed = false;
    for (size_t b = nb; b-- > 0;)
      for (size_t k = 0; k < words; k++) {
        uint64_t use = sets[2 * b * words + k], def = sets[(2 * b + 1) * words + k];
        uint64_t now = use | (ptx_live_out(f, l, b, k) & ~def);
        changed |= now != l->in[b * words + k];
        l->in[b * words + k] = now;
      }
  }
  free(sets);
  return true;
}

/* ---- what is needed ---- */

struct need {
  uint64_t *set;
  bool wanted, has_result;
};

static void note_wanted(void *ctx, uint32_t reg, bool is_def) {
  struct need *n = ctx;
  if (!is_def) return;
  n->has_result = true;
  n->wanted |= has(n->set, reg);
}

static void note_done(void *ctx, uint32_t reg, bool is_def) {
  struct need *n = ctx;
  if (is_def) n->set[reg >> 6] &= ~(UINT64_C(1) << (reg & 63));
}

static void note_needed(void *ctx, uint32_t reg, bool is_def) {
  struct need *n = ctx;
  if (!is_def) put(n->set, reg);
}

/* Does it nothing but give results? */
static bool only_results(const struct ptx_insn *in) {
  if (in->op == PTX_OP_call) return false;
  enum weir_class cls = ptx_form(in->form)->cls;
  if (cls == WEIR_C_LOAD)
    return !ptx_has(in, PTX_M_volatile) && !ptx_has(in, PTX_M_acquire) &&
           !ptx_has(in, PTX_M_relaxed);
  return cls <= WEIR_C_SFU;
}

static bool step_back(const struct ptx_insn *in, struct need *n) {
  n->wanted = n->has_result = false;
  ptx_visit_regs(in, note_wanted, n);
  if (n->has_result && !n->wanted && only_results(in)) return true;
  if (!in->guarded) ptx_visit_regs(in, note_done, n);
  ptx_visit_regs(in, note_needed, n);
  return false;
}

bool ptx_needed_find(const struct ptx_func *f, struct ptx_liveness *l, uint8_t *dead) {
  size_t words = (f->n_regs + 63u) / 64, nb = f->cfg.n_blocks;
  *l = (struct ptx_liveness){.words = words ? words : 1};
  l->in = weir_calloc((nb + 1) * l->words, sizeof *l->in);
  if (l->in == NULL) return false;
  struct need n = {.set = l->in + nb * l->words};
  for (bool changed = true; changed;) {
    changed = false;
    for (size_t b = nb; b-- > 0;) {
      for (size_t k = 0; k < l->words; k++)
        n.set[k] = ptx_live_out(f, l, b, k);
      for (uint32_t i = f->cfg.blocks[b].last + 1; i-- > f->cfg.blocks[b].first;)
        dead[i] = step_back(&f->insns[i], &n);
      changed |= memcmp(n.set, l->in + b * l->words, l->words * sizeof *n.set) != 0;
      memcpy(l->in + b * l->words, n.set, l->words * sizeof *n.set);
    }
  }
  return true;
}

void ptx_liveness_free(struct ptx_liveness *l) {
  free(l->in);
  l->in = NULL;
}
