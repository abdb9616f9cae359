/* The rules, as observed of ptxas 13.0 for sm_90:
 *
 * - A product takes part if it has no rounding modifier, no .sat and no guard, and a sum if it has
 *   no rounding modifier. Both have one type, and both or neither .ftz.
 * - All that reads the product must be such sums in the same basic block. It may go to them through
 *   mov, neg (not of bf16x2), a multiplication by 1 or -1 (not packed), and abs (f32) if it
 *   is a square and is not negated after. Sums may be guarded.
 * - In the order of the text, sums take in products that nothing else reads, the first operand if
 *   both are; then, in a second pass, those with several readers, of two the one with fewer (as
 *   they were before that pass), else the first. The other product is then the addend, so that no
 *   sum after this one takes it in. Packed types have only the second pass.
 * - In the first pass two equal products that are added, one of which nothing else reads, become
 *   one that is read twice by the same sum, which no sum can take in.
 *
 * Basic blocks are those of the assembler at that stage: a chain of blocks without another way in
 * or out is one; fences, calls, divisions and roots with IEEE rounding and, under a guard, memory
 * accesses, shuffles and votes end one, because they become calls, loops or branches. Dead code
 * does not count. The assembler unrolls loops before, which is not followed here: what a loop
 * carries from one iteration into the next stays apart. */
#include "exec/contract.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "exec/decode_operand.h"
#include "ptx/isa.h"
#include "ptx/liveness.h"

enum { NONE = UINT32_MAX };

/* What a register holds: result `id` of an instruction (or what it held at the chain's start),
 * negated or not. */
struct value {
  uint32_t id;
  bool is_neg;
  bool needs_ftz; /* on its way it passed an instruction with .ftz: only such may look through */
  bool is_square; /* on its way it passed an abs that changes nothing */
  bool is_const;  /* known at assembly time */
  bool has_bits;  /* and here */
  uint64_t bits;
};

struct product {
  uint32_t n_uses, n_other; /* readers left; of these such as cannot take it in */
  uint32_t n_readers;       /* before the second pass */
  uint32_t section, at;     /* where in the chain */
  struct value a, b;
  bool is_candidate;
};

struct sum {
  uint32_t insn;
  struct value v[2];
  uint32_t product[2]; /* that can be taken in: its instruction; or NONE */
  bool is_stale[2];    /* a factor has been written over since */
  bool is_negated[2];  /* by the sum, with the value's own sign */
};

struct walk {
  const struct ptx_func *f;
  struct ptx_fused *out;
  struct ptx_liveness live;
  uint8_t *dead;                /* of each instruction */
  struct product *product;      /* of each instruction */
  struct value *held;           /* by each register; valid if chain_of says so */
  uint32_t *chain_of, *written; /* of each register: chain of the last write, place in it */
  uint32_t *touched;            /* registers written in the chain */
  uint32_t *sole_def;           /* of each register: the only instruction that writes it, or NONE */
  struct sum *sums;             /* of the chain */
  uint32_t n_sums, n_touched, chain, section, at, n_values;
  bool found;
};

/* ---- instructions ---- */

static bool has_rounding(const struct ptx_insn *in) {
  return ptx_has(in, PTX_M_rn) || ptx_has(in, PTX_M_rz) || ptx_has(in, PTX_M_rm) ||
         ptx_has(in, PTX_M_rp);
}

static bool is_arithmetic(const struct ptx_insn *in) {
  enum ptx_type t = ptx_insn_type(in, 0);
  return (t >= PTX_T_f16 && t <= PTX_T_bf16x2) || t == PTX_T_f32 || t == PTX_T_f64;
}

static bool is_product(const struct ptx_insn *in) {
  return in->op == PTX_OP_mul && is_arithmetic(in) && !has_rounding(in) && !in->guarded &&
         !ptx_has(in, PTX_M_sat) && in->opnds[0].kind == PTX_O_reg;
}

static bool is_sum(const struct ptx_insn *in) {
  return (in->op == PTX_OP_add || in->op == PTX_OP_sub) && is_arithmetic(in) && !has_rounding(in) &&
         ptx_insn_type(in, 1) == PTX_T_none && in->n_opnds == 3;
}

static bool is_slow_division(const struct ptx_insn *in) {
  enum ptx_type t = ptx_insn_type(in, 0);
  if (in->op == PTX_OP_rsqrt) return t == PTX_T_f64 && !ptx_has(in, PTX_M_ftz);
  if (in->op == PTX_OP_rcp || in->op == PTX_OP_sqrt) return has_rounding(in);
  if (in->op != PTX_OP_div && in->op != PTX_OP_rem) return false;
  return ptx_type_is_float(t) ? has_rounding(in) : t != PTX_T_u32;
}

struct kept {
  const struct walk *w;
  uint32_t insn;
  bool any;
};
static void note_other_def(void *ctx, uint32_t reg, bool is_def) {
  struct kept *k = ctx;
  k->any |= is_def && k->w->sole_def[reg] != k->insn;
}

/* Under a guard: may a result stay what it was before? */
static bool keeps_result(const struct walk *w, uint32_t i) {
  struct kept k = {.w = w, .insn = i};
  ptx_visit_regs(&w->f->insns[i], note_other_def, &k);
  return k.any;
}

/* What becomes a call or a branch at any rate. Fences between proxies do not. */
static bool is_branchy(const struct ptx_insn *in) {
  switch (in->op) {
  case PTX_OP_call:
  case PTX_OP_brkpt:
  case PTX_OP_pmevent:
    return true;
  case PTX_OP_griddepcontrol:
    return ptx_has(in, PTX_M_launch_dependents);
  case PTX_OP_fence:
  case PTX_OP_membar:
    return !ptx_has(in, PTX_M_proxy) && !ptx_has(in, PTX_M_mbarrier_init);
  default:
    return is_slow_division(in);
  }
}

/* Does the assembler end a basic block here, in the middle of the text's? Where nothing is kept it
 * leaves out the guard of an instruction that cannot fail. */
static bool ends_section(const struct walk *w, uint32_t i) {
  const struct ptx_insn *in = &w->f->insns[i];
  if (is_branchy(in)) return true;
  if (!in->guarded) return false;
  if (in->op == PTX_OP_shfl ||
      (in->op == PTX_OP_ld && (ptx_has(in, PTX_M_param) || ptx_has(in, PTX_M_const))))
    return keeps_result(w, i);
  return ptx_form(in->form)->cls > WEIR_C_SFU;
}

/* ---- values ---- */

/* Numbers of values: what a register held at first, products, and all else that is written. */
static uint32_t id_of_product(const struct walk *w, uint32_t i) {
  return w->f->n_regs + i;
}

static struct value new_value(struct walk *w) {
  return (struct value){.id = w->f->n_regs + w->f->n_insns + w->n_values++};
}

static struct product *product_of(struct walk *w, const struct value *v) {
  if (v->id < w->f->n_regs || v->id - w->f->n_regs >= w->f->n_insns) return NULL;
  struct product *p = &w->product[v->id - w->f->n_regs];
  return p->is_candidate ? p : NULL;
}

static struct value immediate(const struct ptx_operand *o, enum ptx_type t) {
  return (struct value){.id = NONE, .is_const = true, .has_bits = true, .bits = dec_imm_bits(o, t)};
}

static bool is_immediate(const struct ptx_operand *o) {
  return o->kind == PTX_O_int || o->kind == PTX_O_f32 || o->kind == PTX_O_f64;
}

static struct value value_of_reg(const struct walk *w, uint32_t reg) {
  if (w->chain_of[reg] == w->chain) return w->held[reg];
  uint32_t def = w->sole_def[reg];
  const struct ptx_insn *in = def != NONE ? &w->f->insns[def] : NULL;
  if (in != NULL && in->op == PTX_OP_mov && !in->guarded && in->n_opnds == 2 &&
      is_immediate(&in->opnds[1]))
    return immediate(&in->opnds[1], ptx_insn_type(in, 0));
  return (struct value){.id = reg};
}

static struct value value_of(const struct walk *w, const struct ptx_operand *o, enum ptx_type t) {
  if (o->kind == PTX_O_reg) return value_of_reg(w, o->reg);
  if (is_immediate(o)) return immediate(o, t);
  return (struct value){.id = NONE};
}

static void hold(struct walk *w, uint32_t reg, struct value v) {
  if (w->chain_of[reg] != w->chain) w->touched[w->n_touched++] = reg;
  w->chain_of[reg] = w->chain;
  w->written[reg] = w->at;
  w->held[reg] = v;
}

static bool same_factor(const struct value *a, const struct value *b) {
  if (a->is_const || b->is_const)
    return a->has_bits && b->has_bits && a->bits == b->bits && a->is_neg == b->is_neg;
  return a->id == b->id && a->id != NONE;
}

static bool same_product(const struct product *p, const struct product *q) {
  bool minus = p->a.is_neg ^ p->b.is_neg ^ q->a.is_neg ^ q->b.is_neg;
  return !minus && ((same_factor(&p->a, &q->a) && same_factor(&p->b, &q->b)) ||
                    (same_factor(&p->a, &q->b) && same_factor(&p->b, &q->a)));
}

/* ---- what an instruction does to its registers ---- */

static void use_otherwise(struct walk *w, struct value v) {
  struct product *p = product_of(w, &v);
  if (p == NULL) return;
  p->n_uses++;
  p->n_other++;
}

static void note_read(void *ctx, uint32_t reg, bool is_def) {
  struct walk *w = ctx;
  if (!is_def) use_otherwise(w, value_of_reg(w, reg));
}

/* Under a guard the old value goes on: somebody chooses between the two. */
static void note_kept(void *ctx, uint32_t reg, bool is_def) {
  struct walk *w = ctx;
  if (is_def) use_otherwise(w, value_of_reg(w, reg));
}

struct write_ctx {
  struct walk *w;
  const struct value *v; /* NULL: each register gets one of its own */
};
static void note_write(void *ctx, uint32_t reg, bool is_def) {
  struct write_ctx *c = ctx;
  if (is_def) hold(c->w, reg, c->v != NULL ? *c->v : new_value(c->w));
}

static void write_result(struct walk *w, uint32_t i, const struct value *v) {
  const struct ptx_insn *in = &w->f->insns[i];
  if (in->guarded && !w->dead[i]) ptx_visit_regs(in, note_kept, w);
  struct write_ctx c = {w, in->guarded ? NULL : v};
  ptx_visit_regs(in, note_write, &c);
}

/* +1, -1, or 0 if it is neither. */
static int unit_of(const struct value *v, enum ptx_type t) {
  if (!v->has_bits) return 0;
  uint64_t one = t == PTX_T_f32    ? UINT64_C(0x3f800000)
                 : t == PTX_T_f64  ? UINT64_C(0x3ff0000000000000)
                 : t == PTX_T_bf16 ? 0x3f80
                                   : 0x3c00;
  uint64_t sign = UINT64_C(1) << (8 * ptx_type_bytes(t) - 1);
  uint64_t bits = v->bits & (sign | (sign - 1));
  int unit = bits == one ? 1 : bits == (one | sign) ? -1 : 0;
  return v->is_neg ? -unit : unit;
}

static bool is_packed(enum ptx_type t) {
  return t == PTX_T_f16x2 || t == PTX_T_bf16x2;
}

/* Is it no product, or one of this type? */
static bool fits_type(struct walk *w, const struct value *v, enum ptx_type t) {
  const struct product *p = product_of(w, v);
  return p == NULL || ptx_insn_type(&w->f->insns[p - w->product], 0) == t;
}

static bool is_square(struct walk *w, const struct value *v) {
  const struct product *p = product_of(w, v);
  return p != NULL && same_factor(&p->a, &p->b) && p->a.is_neg == p->b.is_neg;
}

/* A multiplication by 1 or -1 passes on its other factor. */
static bool passes_factor(struct walk *w, const struct ptx_insn *in, struct value *v) {
  enum ptx_type t = ptx_insn_type(in, 0);
  if (!is_product(in) || is_packed(t)) return false;
  for (unsigned k = 1; k < 3; k++) {
    struct value one = value_of(w, &in->opnds[3 - k], t);
    int unit = unit_of(&one, t);
    *v = value_of(w, &in->opnds[k], t);
    if (unit == 0 || v->is_const || !fits_type(w, v, t)) continue;
    v->is_neg ^= unit < 0;
    return true;
  }
  return false;
}

/* Where only the way matters: *v becomes the value that the instruction passes on. */
static bool passes_on(struct walk *w, const struct ptx_insn *in, struct value *v) {
  enum ptx_type t = ptx_insn_type(in, 0);
  if (in->guarded || in->n_opnds < 2 || in->opnds[0].kind != PTX_O_reg) return false;
  *v = value_of(w, &in->opnds[1], t);
  if (in->op == PTX_OP_mov) return in->opnds[1].kind == PTX_O_reg || is_immediate(&in->opnds[1]);
  if (!is_arithmetic(in)) return false;
  if (in->op == PTX_OP_neg && fits_type(w, v, t) && t != PTX_T_bf16x2 && !v->is_square)
    v->is_neg ^= true;
  else if (in->op == PTX_OP_abs && fits_type(w, v, t) && t == PTX_T_f32 && is_square(w, v))
    v->is_square = true, v->is_neg = false;
  else if (!passes_factor(w, in, v))
    return false;
  v->needs_ftz |= ptx_has(in, PTX_M_ftz);
  return true;
}

/* ---- products and sums ---- */

static bool is_stale(const struct walk *w, uint32_t mul) {
  const struct ptx_insn *in = &w->f->insns[mul];
  for (unsigned k = 1; k < 3; k++) {
    uint32_t reg = in->opnds[k].reg;
    if (in->opnds[k].kind == PTX_O_reg && w->chain_of[reg] == w->chain &&
        w->written[reg] >= w->product[mul].at)
      return true;
  }
  return false;
}

static void add_sum(struct walk *w, uint32_t i) {
  const struct ptx_insn *in = &w->f->insns[i];
  enum ptx_type t = ptx_insn_type(in, 0);
  bool ftz = ptx_has(in, PTX_M_ftz);
  struct sum s = {.insn = i, .product = {NONE, NONE}};
  for (unsigned k = 0; k < 2; k++) {
    s.v[k] = value_of(w, &in->opnds[k + 1], t);
    s.is_negated[k] = s.v[k].is_neg ^ (k == 1 && in->op == PTX_OP_sub);
  }
  bool twice = s.v[0].id == s.v[1].id;
  for (unsigned k = 0; k < 2; k++) {
    struct product *p = product_of(w, &s.v[k]);
    if (p == NULL) continue;
    uint32_t mul = s.v[k].id - w->f->n_regs;
    const struct ptx_insn *m = &w->f->insns[mul];
    p->n_uses++;
    if (twice || ptx_insn_type(m, 0) != t || ptx_has(m, PTX_M_ftz) != ftz ||
        p->section != w->section || (s.v[k].needs_ftz && !ftz) ||
        (s.v[k].is_square && s.is_negated[k])) {
      p->n_other++;
      continue;
    }
    s.product[k] = mul;
    s.is_stale[k] = is_stale(w, mul);
  }
  if (s.product[0] != NONE || s.product[1] != NONE) w->sums[w->n_sums++] = s;
}

static bool all_const(const struct walk *w, const struct ptx_insn *in) {
  if (!is_arithmetic(in) || in->n_opnds < 2 || in->guarded || in->opnds[0].kind != PTX_O_reg)
    return false;
  for (unsigned k = 1; k < in->n_opnds; k++)
    if (!value_of(w, &in->opnds[k], ptx_insn_type(in, 0)).is_const) return false;
  return true;
}

static void add_product(struct walk *w, uint32_t i) {
  const struct ptx_insn *in = &w->f->insns[i];
  enum ptx_type t = ptx_insn_type(in, 0);
  w->product[i] = (struct product){.is_candidate = true,
                                   .section = w->section,
                                   .at = w->at,
                                   .a = value_of(w, &in->opnds[1], t),
                                   .b = value_of(w, &in->opnds[2], t)};
}

/* What reads its operands in earnest; true if its result is a product that may be taken in. */
static bool read_operands(struct walk *w, uint32_t i) {
  const struct ptx_insn *in = &w->f->insns[i];
  if (w->dead[i]) return false;
  if (is_sum(in)) {
    add_sum(w, i);
    return false;
  }
  ptx_visit_regs(in, note_read, w);
  if (!is_product(in)) return false;
  add_product(w, i);
  return true;
}

static void walk_insn(struct walk *w, uint32_t i) {
  const struct ptx_insn *in = &w->f->insns[i];
  const struct value constant = {.id = NONE, .is_const = true},
                     product = {.id = id_of_product(w, i)};
  struct value passed;
  w->at++;
  if (ends_section(w, i)) w->section++;
  write_result(w, i,
               passes_on(w, in, &passed) ? &passed
               : all_const(w, in)        ? &constant
               : read_operands(w, i)     ? &product
                                         : NULL);
}

/* ---- decisions ---- */

static void take_in(struct walk *w, const struct sum *s, unsigned k) {
  uint32_t mul = s->product[k], other = s->product[1 - k];
  w->product[mul].n_uses--;
  if (other != NONE) w->product[other].n_other++;
  w->out[s->insn].mul = mul;
  w->out[s->insn].is_second = k == 1;
  w->out[s->insn].is_negated = s->v[k].is_neg;
  w->out[s->insn].is_copy = s->is_stale[k];
  w->out[mul].is_kept |= s->is_stale[k];
  w->found = true;
}

static void merge_equal(struct walk *w, struct sum *s) {
  if (s->product[0] == NONE || s->product[1] == NONE || s->is_negated[0] || s->is_negated[1])
    return;
  struct product *p = &w->product[s->product[0]], *q = &w->product[s->product[1]];
  if ((p->n_uses != 1 && q->n_uses != 1) || !same_product(p, q)) return;
  p->n_other++;
  q->n_other++;
  s->product[0] = s->product[1] = NONE;
}

/* The one of a sum's operands with fewer readers first. */
static unsigned first_choice(const struct walk *w, const struct sum *s) {
  uint32_t a = s->product[0], b = s->product[1];
  return a != NONE && b != NONE && w->product[b].n_readers < w->product[a].n_readers;
}

static void try_operands(struct walk *w, const struct sum *s, unsigned first, bool only_single) {
  for (unsigned i = 0; i < 2 && w->out[s->insn].mul == PTX_NOT_FUSED; i++) {
    unsigned k = first ^ i;
    const struct product *p = s->product[k] != NONE ? &w->product[s->product[k]] : NULL;
    if (p != NULL && p->n_other == 0 && (p->n_uses == 1 || !only_single)) take_in(w, s, k);
  }
}

static void decide(struct walk *w) {
  for (uint32_t i = 0; i < w->n_sums; i++) {
    struct sum *s = &w->sums[i];
    enum ptx_type t = ptx_insn_type(&w->f->insns[s->insn], 0);
    if (is_packed(t)) continue;
    merge_equal(w, s);
    try_operands(w, s, 0, true);
  }
  for (uint32_t i = 0; i < 2 * w->n_sums; i++) {
    uint32_t mul = w->sums[i / 2].product[i % 2];
    if (mul != NONE) w->product[mul].n_readers = w->product[mul].n_uses;
  }
  for (uint32_t i = 0; i < w->n_sums; i++)
    try_operands(w, &w->sums[i], first_choice(w, &w->sums[i]), false);
}

/* ---- chains of blocks ---- */

/* The block that can only be entered from `b`, which leads nowhere else; NONE if there is none. */
static uint32_t next_in_chain(const struct ptx_cfg *cfg, const uint32_t *n_preds, uint32_t b) {
  const struct ptx_block *block = &cfg->blocks[b];
  if (block->n_succ != 1 || block->succ[0] == b || n_preds[block->succ[0]] != 1) return NONE;
  return block->succ[0];
}

/* What lives on is read elsewhere. */
static void end_chain(struct walk *w, uint32_t block) {
  const struct ptx_block *b = &w->f->cfg.blocks[block];
  for (uint32_t i = 0; i < w->n_touched; i++) {
    uint32_t reg = w->touched[i];
    bool live = false;
    for (uint32_t s = 0; s < b->n_succ; s++)
      live |= ptx_is_live(&w->live, b->succ[s], reg);
    if (live) use_otherwise(w, w->held[reg]);
  }
}

static void walk_chain(struct walk *w, const uint32_t *n_preds, uint32_t head) {
  uint32_t last = head;
  w->chain++;
  w->n_sums = w->n_touched = w->section = w->at = 0;
  for (uint32_t b = head; b != NONE; b = next_in_chain(&w->f->cfg, n_preds, b)) {
    for (uint32_t i = w->f->cfg.blocks[b].first; i <= w->f->cfg.blocks[b].last; i++)
      walk_insn(w, i);
    last = b;
  }
  end_chain(w, last);
  decide(w);
}

static bool walk_chains(struct walk *w) {
  const struct ptx_cfg *cfg = &w->f->cfg;
  uint32_t *n_preds = weir_calloc(2 * (size_t)cfg->n_blocks + 1, sizeof *n_preds);
  if (n_preds == NULL) return false;
  uint32_t *is_inner = n_preds + cfg->n_blocks;
  n_preds[0] = 1; /* the way in */
  for (uint32_t b = 0; b < cfg->n_blocks; b++)
    for (uint32_t s = 0; cfg->blocks[b].reachable && s < cfg->blocks[b].n_succ; s++)
      n_preds[cfg->blocks[b].succ[s]]++;
  for (uint32_t b = 0; b < cfg->n_blocks; b++) {
    uint32_t next = cfg->blocks[b].reachable ? next_in_chain(cfg, n_preds, b) : NONE;
    if (next != NONE) is_inner[next] = 1;
  }
  for (uint32_t b = 0; b < cfg->n_blocks; b++)
    if (cfg->blocks[b].reachable && !is_inner[b]) walk_chain(w, n_preds, b);
  free(n_preds);
  return true;
}

/* ---- the whole ---- */

struct def_ctx {
  uint32_t *sole_def, insn;
  uint8_t *seen;
};
static void note_def(void *ctx, uint32_t reg, bool is_def) {
  struct def_ctx *c = ctx;
  if (!is_def) return;
  c->sole_def[reg] = c->seen[reg] ? NONE : c->insn;
  c->seen[reg] = 1;
}

static bool prepare(struct walk *w) {
  size_t n = w->f->n_insns, regs = w->f->n_regs;
  w->dead = weir_calloc(n + 1, sizeof *w->dead);
  w->product = weir_calloc(n + 1, sizeof *w->product);
  w->sums = weir_calloc(n + 1, sizeof *w->sums);
  w->held = weir_calloc(regs + 1, sizeof *w->held);
  w->chain_of = weir_calloc(4 * regs + 1, sizeof *w->chain_of);
  struct def_ctx c = {.seen = weir_calloc(regs + 1, sizeof *c.seen)};
  bool ok = w->dead && w->product && w->sums && w->held && w->chain_of && c.seen;
  if (ok) {
    w->written = w->chain_of + regs;
    w->touched = w->written + regs;
    w->sole_def = w->touched + regs;
    memset(w->sole_def, 0xff, regs * sizeof *w->sole_def);
    c.sole_def = w->sole_def;
    for (; c.insn < n; c.insn++)
      ptx_visit_regs(&w->f->insns[c.insn], note_def, &c);
  }
  free(c.seen);
  return ok && ptx_needed_find(w->f, &w->live, w->dead);
}

/* What was compiled for a debugger (nvcc -G) is not optimised. */
static bool is_debug(const struct ptx_module *m) {
  return m != NULL && m->target != NULL && strstr(m->target, "debug") != NULL;
}

static bool may_contract(const struct ptx_func *f) {
  if (is_debug(f->module)) return false;
  bool products = false, sums = false;
  for (uint32_t i = 0; i < f->n_insns; i++) {
    products |= is_product(&f->insns[i]);
    sums |= is_sum(&f->insns[i]);
  }
  return products && sums;
}

bool ptx_contract(const struct ptx_func *f, struct weir_arena *a, const struct ptx_fused **out) {
  *out = NULL;
  if (!may_contract(f)) return true;
  struct walk w = {.f = f, .out = weir_arena_array(a, f->n_insns, sizeof *w.out)};
  if (w.out == NULL) return false;
  for (uint32_t i = 0; i < f->n_insns; i++)
    w.out[i].mul = PTX_NOT_FUSED;
  bool ok = prepare(&w) && walk_chains(&w);
  if (ok && w.found) *out = w.out;
  ptx_liveness_free(&w.live);
  free(w.dead);
  free(w.product);
  free(w.sums);
  free(w.held);
  free(w.chain_of);
  return ok;
}
