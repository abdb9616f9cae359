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

static uint64_t live_out(const struct ptx_func *f, const struct ptx_liveness *l, size_t block,
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
        uint64_t now = use | (live_out(f, l, b, k) & ~def);
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
        n.set[k] = live_out(f, l, b, k);
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

/* ---- the peak ---- */

struct peak {
  const struct ptx_func *f;
  const struct ptx_liveness *l;
  const uint64_t *first;
  uint8_t *cost;    /* of each register; whole words of a set */
  uint8_t *n_defs;  /* of each register: instructions that write it; 2 = several */
  uint32_t *def_at; /* of each register: 1 + the instruction that wrote it last */
  uint8_t *early;   /* of each instruction: enum early */
  uint32_t *order;  /* of a block's instructions */
  uint64_t *live;   /* where a walk is */
  uint8_t *counts;  /* of each instruction: what is live before it; NULL: nobody asks */
  uint32_t n;       /* what these cost */
  uint32_t at, segment;
  bool is_fixed, guarded;
};

/* Where an instruction may stand in its block. */
enum early { STAYS, MAY_RISE, RISES };

static void count_def(void *ctx, uint32_t reg, bool is_def) {
  uint8_t *n = ((struct peak *)ctx)->n_defs;
  if (is_def && n[reg] < 2) n[reg]++;
}

static bool is_plain_load(const struct ptx_insn *in) {
  return ptx_form(in->form)->cls == WEIR_C_LOAD && !ptx_has(in, PTX_M_param) &&
         !ptx_has(in, PTX_M_volatile) && !ptx_has(in, PTX_M_acquire) && !ptx_has(in, PTX_M_relaxed);
}

/* Loads are not moved across these. */
static bool ends_segment(const struct ptx_insn *in) {
  switch (ptx_form(in->form)->cls) {
  case WEIR_C_STORE:
  case WEIR_C_ATOM:
  case WEIR_C_BRANCH:
  case WEIR_C_BARRIER:
  case WEIR_C_WARP:
  case WEIR_C_FENCE:
  case WEIR_C_OTHER:
    return true;
  case WEIR_C_LOAD:
    return !is_plain_load(in) && !ptx_has(in, PTX_M_param);
  default:
    return false;
  }
}

/* What was written in this segment must be able to rise as well, and once: a register that several
 * instructions write holds another value above. */
static void check_reg(void *ctx, uint32_t reg, bool is_def) {
  struct peak *p = ctx;
  uint32_t def = p->def_at[reg];
  if (is_def)
    p->is_fixed |= p->n_defs[reg] > 1;
  else
    p->is_fixed |= def > p->segment && p->early[def - 1] == STAYS;
}

static void note_place(void *ctx, uint32_t reg, bool is_def) {
  struct peak *p = ctx;
  if (is_def) p->def_at[reg] = p->at + 1;
}

static void raise_source(void *ctx, uint32_t reg, bool is_def) {
  struct peak *p = ctx;
  uint32_t def = p->def_at[reg];
  if (!is_def && def > p->segment && def <= p->at) p->early[def - 1] = RISES;
}

/* Loads rise to the beginning of their segment, with what their addresses need. */
static void raise_loads(struct peak *p, uint32_t begin, uint32_t end) {
  p->segment = begin;
  for (p->at = begin; p->at < end; p->at++) {
    const struct ptx_insn *in = &p->f->insns[p->at];
    p->is_fixed = in->guarded;
    ptx_visit_regs(in, check_reg, p);
    p->early[p->at] = p->is_fixed ? STAYS : MAY_RISE;
    ptx_visit_regs(in, note_place, p);
  }
  for (p->at = end; p->at-- > begin;) {
    const struct ptx_insn *in = &p->f->insns[p->at];
    if (p->early[p->at] == MAY_RISE && is_plain_load(in)) p->early[p->at] = RISES;
    if (p->early[p->at] == RISES) ptx_visit_regs(in, raise_source, p);
  }
}

static void order_block(struct peak *p, const struct ptx_block *b, bool raise) {
  uint32_t n = 0, begin = b->first;
  for (uint32_t i = b->first; i <= b->last; i++) {
    bool is_end = ends_segment(&p->f->insns[i]);
    uint32_t end = is_end ? i : i + 1;
    if (!is_end && i < b->last) continue;
    memset(p->early + begin, STAYS, end - begin);
    if (raise) raise_loads(p, begin, end);
    for (uint32_t k = begin; k < end; k++)
      if (p->early[k] == RISES) p->order[n++] = k;
    for (uint32_t k = begin; k < end; k++)
      if (p->early[k] != RISES) p->order[n++] = k;
    if (is_end) p->order[n++] = i;
    begin = i + 1;
  }
}

static void add_live(struct peak *p, uint32_t reg) {
  if (!has(p->live, reg)) p->n += p->cost[reg];
  put(p->live, reg);
}

/* A result takes a register even where nobody needs it. */
static void write_result(void *ctx, uint32_t reg, bool is_def) {
  if (is_def) add_live(ctx, reg);
}

static void leave_result(void *ctx, uint32_t reg, bool is_def) {
  struct peak *p = ctx;
  if (!is_def || (p->guarded && !has(p->first, reg)) || !has(p->live, reg)) return;
  p->live[reg >> 6] &= ~(UINT64_C(1) << (reg & 63));
  p->n -= p->cost[reg];
}

static void read_source(void *ctx, uint32_t reg, bool is_def) {
  if (!is_def) add_live(ctx, reg);
}

/* Backward through a block in its order. */
static uint32_t walk_block(struct peak *p, size_t block) {
  const struct ptx_block *b = &p->f->cfg.blocks[block];
  uint32_t most = 0;
  p->n = 0;
  for (size_t k = 0; k < p->l->words; k++) {
    p->live[k] = live_out(p->f, p->l, block, k);
    for (uint64_t left = p->live[k]; left != 0; left &= left - 1)
      p->n += p->cost[k * 64 + (size_t)__builtin_ctzll(left)];
  }
  for (uint32_t i = b->last - b->first + 1; i-- > 0;) {
    const struct ptx_insn *in = &p->f->insns[p->order[i]];
    p->guarded = in->guarded;
    ptx_visit_regs(in, write_result, p);
    if (p->n > most) most = p->n;
    ptx_visit_regs(in, leave_result, p);
    ptx_visit_regs(in, read_source, p);
    if (p->n > most) most = p->n;
    if (p->counts != NULL) p->counts[p->order[i]] = (uint8_t)(p->n < UINT8_MAX ? p->n : UINT8_MAX);
  }
  return most;
}

/* Loads are moved up only as far as this many registers suffice. */
enum { MOST_FOR_LOADS = 64 };

static void find_costs(struct peak *p) {
  for (uint32_t i = 0; i < p->f->n_insns; i++)
    ptx_visit_regs(&p->f->insns[i], count_def, p);
  for (uint32_t r = 0; r < p->f->n_regs; r++)
    if (p->f->regs[r].type != PTX_T_pred)
      p->cost[r] = (uint8_t)((ptx_type_bytes(p->f->regs[r].type) + 3) / 4);
}

static uint32_t find_peak(struct peak *p) {
  uint32_t peak = 0, raised = 0;
  for (size_t b = 0; b < p->f->cfg.n_blocks; b++) {
    const struct ptx_block *block = &p->f->cfg.blocks[b];
    if (!block->reachable) continue;
    for (int raise = 0; raise < 2; raise++) {
      order_block(p, block, raise != 0);
      uint32_t n = walk_block(p, b), *most = raise ? &raised : &peak;
      if (n > *most) *most = n;
    }
  }
  if (raised > MOST_FOR_LOADS) raised = MOST_FOR_LOADS;
  return raised > peak ? raised : peak;
}

/* What is live at the entry (`l`) holds nothing yet. */
static bool new_peak(struct peak *p, const struct ptx_func *f, const struct ptx_liveness *l,
                     struct ptx_liveness *held) {
  size_t regs = f->n_regs + (size_t)64, insns = f->n_insns + (size_t)1;
  if (!ptx_liveness_find(f, l->in, held)) return false;
  *p = (struct peak){.f = f,
                     .l = held,
                     .first = l->in,
                     .cost = weir_calloc(regs, 1),
                     .n_defs = weir_calloc(regs, 1),
                     .def_at = weir_calloc(regs, sizeof *p->def_at),
                     .early = weir_calloc(insns, 1),
                     .order = weir_calloc(insns, sizeof *p->order),
                     .live = weir_calloc(held->words, sizeof *p->live)};
  bool ok = p->cost != NULL && p->n_defs != NULL && p->def_at != NULL && p->early != NULL &&
            p->order != NULL && p->live != NULL;
  if (ok) find_costs(p);
  return ok;
}

static void free_peak(struct peak *p, struct ptx_liveness *held) {
  ptx_liveness_free(held);
  free(p->cost);
  free(p->n_defs);
  free(p->def_at);
  free(p->early);
  free(p->order);
  free(p->live);
}

bool ptx_peak_registers(const struct ptx_func *f, const struct ptx_liveness *l, uint32_t *peak) {
  struct ptx_liveness held = {0};
  struct peak p = {0};
  *peak = 0;
  if (f->n_insns == 0) return true;
  bool ok = new_peak(&p, f, l, &held);
  if (ok) *peak = find_peak(&p);
  free_peak(&p, &held);
  return ok;
}

bool ptx_live_counts(const struct ptx_func *f, const struct ptx_liveness *l, uint8_t *live) {
  struct ptx_liveness held = {0};
  struct peak p = {0};
  if (f->n_insns == 0) return true;
  bool ok = new_peak(&p, f, l, &held);
  p.counts = live;
  for (size_t b = 0; ok && b < f->cfg.n_blocks; b++) {
    order_block(&p, &f->cfg.blocks[b], false);
    walk_block(&p, b);
  }
  free_peak(&p, &held);
  return ok;
}

/* ---- registers of a kernel ---- */

enum {
  OVERHEAD =
      3, /* the stack pointer, and the median of what is missing beside it (docs/timing.md) */
  REGISTER_FILE = 65536
};

static uint32_t at_most(uint32_t v, uint64_t limit) {
  return v < limit ? v : (uint32_t)limit;
}

uint32_t ptx_estimate_registers(const struct ptx_func *kernel, unsigned sm, uint32_t peak) {
  const uint32_t *n = kernel->maxntid[0] != 0 ? kernel->maxntid : kernel->reqntid;
  uint64_t threads = (uint64_t)n[0] * (n[1] ? n[1] : 1) * (n[2] ? n[2] : 1);
  uint64_t blocks = kernel->minnctapersm != 0 ? kernel->minnctapersm : 1;
  uint32_t regs = at_most(peak + OVERHEAD, sm < 35 ? 63 : 255);
  /* ptxas keeps to what lets the promised threads be resident. */
  if (threads != 0 && threads <= 1024 && blocks <= 32)
    regs = at_most(regs, REGISTER_FILE / ((threads + 31) / 32 * 32 * blocks) / 8 * 8);
  return kernel->maxnreg != 0 ? at_most(regs, kernel->maxnreg) : regs;
}
