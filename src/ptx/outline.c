#include "ptx/outline.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "ptx/isa.h"
#include "ptx/registers.h"

struct planner {
  const struct ptx_func *f;
  struct weir_outline_insn *out;
  struct ptx_outline_loops *loops;
  /* Of each instruction: first and last branch to it; from == NONE: there is none. */
  uint32_t *from, *until;
  /* Of each register, in a loop and in all the function: so many instructions write it, 2 =
   * several; the last one that does. */
  uint8_t *writes, *all_writes;
  uint32_t *writer, *any_writer;
  uint8_t *reads; /* in a loop; 2 = several */
  uint32_t at;
};

enum { NONE = UINT32_MAX, MOST_TRIPS = 4096 };

static enum weir_class class_of(const struct ptx_insn *in) {
  return ptx_form(in->form)->cls;
}

/* ---- branches ---- */

static void note_branch(struct planner *p, uint32_t from, uint32_t to) {
  if (to >= p->f->n_insns) return;
  if (p->from[to] == NONE || from < p->from[to]) p->from[to] = from;
  if (p->until[to] == NONE || from > p->until[to]) p->until[to] = from;
}

static void find_branches(struct planner *p) {
  for (uint32_t i = 0; i < p->f->n_insns; i++)
    p->from[i] = p->until[i] = NONE;
  for (uint32_t i = 0; i < p->f->n_insns; i++) {
    const struct ptx_insn *in = &p->f->insns[i];
    if (in->op == PTX_OP_bra) note_branch(p, i, in->opnds[0].label);
    if (in->op != PTX_OP_brx || in->opnds[1].table == NULL) continue;
    for (uint32_t k = 0; k < in->opnds[1].table->n; k++)
      note_branch(p, i, in->opnds[1].table->labels[k]);
  }
}

/* Is it a loop that is entered at its first instruction and left behind its last, with nothing but
 * branches forward in it? */
static bool is_plain_loop(const struct planner *p, uint32_t first, uint32_t last) {
  for (uint32_t i = first; i <= last; i++) {
    const struct ptx_insn *in = &p->f->insns[i];
    if (i > first && p->from[i] != NONE && (p->from[i] < first || p->until[i] > last)) return false;
    if (i == last) break;
    if (in->op == PTX_OP_bra && (in->opnds[0].label <= i || in->opnds[0].label > last))
      return false;
    if (in->op == PTX_OP_brx || in->op == PTX_OP_call || in->op == PTX_OP_ret ||
        in->op == PTX_OP_exit || in->op == PTX_OP_trap)
      return false;
  }
  return true;
}

static bool keeps_loops(const struct ptx_insn *in) {
  switch (class_of(in)) {
  case WEIR_C_IDIV:
  case WEIR_C_FDIV:
  case WEIR_C_DDIV:
  case WEIR_C_ATOM:
  case WEIR_C_BARRIER:
  case WEIR_C_FENCE:
  case WEIR_C_TEX:
  case WEIR_C_OTHER:
    return true;
  case WEIR_C_LOAD:
    return in->op == PTX_OP_cp || ptx_has(in, PTX_M_acquire);
  case WEIR_C_STORE:
    return ptx_has(in, PTX_M_release);
  default:
    return false;
  }
}

/* ---- registers of a loop ---- */

static void note_reg(void *ctx, uint32_t reg, bool is_def) {
  struct planner *p = ctx;
  uint8_t *n = is_def ? &p->writes[reg] : &p->reads[reg];
  if (*n < 2) ++*n;
  if (is_def) p->writer[reg] = p->at;
}

static void note_any(void *ctx, uint32_t reg, bool is_def) {
  struct planner *p = ctx;
  if (!is_def) return;
  if (p->all_writes[reg] < 3) p->all_writes[reg]++;
  /* The first one: a loop's own comes after what is there before the loop. */
  if (p->all_writes[reg] == 1) p->any_writer[reg] = p->at;
}

static void find_regs(struct planner *p, uint32_t first, uint32_t last) {
  memset(p->writes, 0, p->f->n_regs);
  memset(p->reads, 0, p->f->n_regs);
  for (p->at = first; p->at <= last; p->at++)
    ptx_visit_regs(&p->f->insns[p->at], note_reg, p);
}

static bool always_runs(const struct planner *p, uint32_t i) {
  return !p->f->insns[i].guarded && !(p->out[i].flags & WEIR_OUTLINE_COVERED);
}

static void mark_covered(struct planner *p, uint32_t first, uint32_t last) {
  for (uint32_t i = first; i < last; i++)
    if (p->f->insns[i].op == PTX_OP_bra)
      for (uint32_t k = i + 1; k < p->f->insns[i].opnds[0].label && k < last; k++)
        p->out[k].flags |= WEIR_OUTLINE_COVERED;
}

/* r = r + constant, and nothing else in the loop writes r. */
static bool is_step(const struct planner *p, uint32_t i, int64_t *by) {
  const struct ptx_insn *in = &p->f->insns[i];
  if ((in->op != PTX_OP_add && in->op != PTX_OP_sub) || in->n_opnds != 3 || !always_runs(p, i))
    return false;
  enum ptx_type t = ptx_insn_type(in, 0);
  if (t != PTX_T_s32 && t != PTX_T_u32 && t != PTX_T_s64 && t != PTX_T_u64) return false;
  const struct ptx_operand *o = in->opnds;
  if (ptx_has(in, PTX_M_cc) || ptx_has(in, PTX_M_sat) || o[0].kind != PTX_O_reg ||
      o[1].kind != PTX_O_reg || o[2].kind != PTX_O_int || o[0].reg != o[1].reg ||
      p->writes[o[0].reg] != 1)
    return false;
  *by = in->op == PTX_OP_add ? (int64_t)o[2].imm : -(int64_t)o[2].imm;
  return *by == (int32_t)*by && *by != 0;
}

static void mark_steps(struct planner *p, uint32_t first, uint32_t last) {
  int64_t by;
  for (uint32_t i = first; i < last; i++)
    if (is_step(p, i, &by)) {
      p->out[i].flags |= WEIR_OUTLINE_STEP;
      p->out[i].offset = (int32_t)by;
    }
}

/* ---- its end ---- */

static bool is_stepped(const struct planner *p, const struct ptx_operand *o) {
  return o->kind == PTX_O_reg && p->writes[o->reg] == 1 &&
         (p->out[p->writer[o->reg]].flags & WEIR_OUTLINE_STEP);
}

static bool is_fixed(const struct planner *p, const struct ptx_operand *o) {
  return o->kind == PTX_O_int || (o->kind == PTX_O_reg && p->writes[o->reg] == 0);
}

static bool goes_on(const struct ptx_insn *test, int64_t v, int64_t end) {
  return ptx_has(test, PTX_M_lt)   ? v < end
         : ptx_has(test, PTX_M_le) ? v <= end
         : ptx_has(test, PTX_M_gt) ? v > end
         : ptx_has(test, PTX_M_ge) ? v >= end
         : ptx_has(test, PTX_M_ne) ? v != end
                                   : ptx_has(test, PTX_M_eq) && v == end;
}

/* Where it begins with a constant and ends at one. */
static uint32_t count_trips(const struct planner *p, uint32_t test_at, uint32_t last) {
  const struct ptx_insn *test = &p->f->insns[test_at], *back = &p->f->insns[last];
  const struct ptx_operand *o = test->opnds;
  enum ptx_type t = ptx_insn_type(test, 0);
  if (o[1].kind != PTX_O_reg || o[2].kind != PTX_O_int || p->all_writes[o[1].reg] != 2 ||
      (t != PTX_T_s32 && t != PTX_T_u32 && t != PTX_T_s64 && t != PTX_T_u64))
    return 0;
  uint32_t step_at = p->writer[o[1].reg], begin_at = p->any_writer[o[1].reg];
  const struct ptx_insn *begin = &p->f->insns[begin_at];
  if (begin_at >= step_at || begin->op != PTX_OP_mov || begin->guarded ||
      begin->opnds[1].kind != PTX_O_int)
    return 0;
  int64_t by = p->out[step_at].offset, v = (int64_t)begin->opnds[1].imm, end = (int64_t)o[2].imm;
  if (step_at < test_at) v += by;
  for (uint32_t n = 1; n <= MOST_TRIPS; n++, v += by)
    if (goes_on(test, v, end) == back->guard_neg) return n;
  return 0;
}

static bool is_steady(struct planner *p, uint32_t first, uint32_t last, uint32_t *trips) {
  const struct ptx_insn *back = &p->f->insns[last];
  if (!back->guarded || p->writes[back->guard] != 1) return false;
  uint32_t at = p->writer[back->guard];
  const struct ptx_insn *test = &p->f->insns[at];
  if (at < first || test->op != PTX_OP_setp || !always_runs(p, at) || test->n_opnds != 3 ||
      test->opnds[0].kind != PTX_O_reg)
    return false;
  const struct ptx_operand *a = &test->opnds[1], *b = &test->opnds[2];
  if (!(is_stepped(p, a) && is_fixed(p, b)) && !(is_stepped(p, b) && is_fixed(p, a))) return false;
  if (p->reads[back->guard] == 1) p->out[at].flags |= WEIR_OUTLINE_TEST;
  *trips = count_trips(p, at, last);
  return true;
}

static bool says_nounroll(const struct ptx_func *f, uint32_t first) {
  for (uint32_t i = 0; i < f->n_pragmas; i++)
    if (f->pragmas[i].at == first && strstr(f->pragmas[i].text, "nounroll") != NULL) return true;
  return false;
}

static bool add_loop(struct planner *p, uint32_t first, uint32_t last) {
  struct weir_outline_loop loop = {.first = first, .last = last};
  mark_covered(p, first, last);
  find_regs(p, first, last);
  mark_steps(p, first, last);
  p->out[last].flags |= WEIR_OUTLINE_BACK;
  if (!is_steady(p, first, last, &loop.trips)) loop.flags |= WEIR_LOOP_UNSTEADY;
  if (says_nounroll(p->f, first)) loop.flags |= WEIR_LOOP_NOUNROLL;
  for (uint32_t i = first; i <= last; i++)
    if (keeps_loops(&p->f->insns[i])) loop.flags |= WEIR_LOOP_BLOCKED;
  return WEIR_PUSH(*p->loops, loop);
}

/* ---- instructions ---- */

static void note_address(const struct planner *p, uint32_t i, uint32_t reg_base) {
  const struct ptx_insn *in = &p->f->insns[i];
  enum weir_class cls = class_of(in);
  if (cls != WEIR_C_LOAD && cls != WEIR_C_STORE) return;
  for (unsigned k = 0; k < in->n_opnds; k++) {
    const struct ptx_operand *o = &in->opnds[k];
    if (o->kind != PTX_O_addr || !o->has_base || (int64_t)o->imm != (int32_t)o->imm) continue;
    uint32_t reg = reg_base + o->reg;
    if (reg >= WEIR_NO_REG) continue;
    p->out[i].base = (uint16_t)reg;
    p->out[i].offset = (int32_t)o->imm;
  }
}

static bool gives_constant(const struct ptx_insn *in) {
  if (in->op != PTX_OP_mov || in->guarded || in->n_opnds != 2) return false;
  enum ptx_opnd_kind kind = in->opnds[1].kind;
  return kind == PTX_O_int || kind == PTX_O_f32 || kind == PTX_O_f64;
}

static bool find_live(const struct planner *p) {
  struct ptx_liveness live;
  uint8_t *n = weir_calloc(p->f->n_insns + 1u, 1);
  bool ok = n != NULL && ptx_liveness_find(p->f, NULL, &live);
  if (ok) {
    ok = ptx_live_counts(p->f, &live, n);
    ptx_liveness_free(&live);
  }
  for (uint32_t i = 0; ok && i < p->f->n_insns; i++)
    p->out[i].live = n[i];
  free(n);
  return ok;
}

static bool find_all(struct planner *p, uint32_t reg_base) {
  const struct ptx_func *f = p->f;
  for (uint32_t i = 0; i < f->n_insns; i++) {
    p->out[i] = (struct weir_outline_insn){.base = WEIR_NO_REG};
    if (f->insns[i].guarded) p->out[i].flags |= WEIR_OUTLINE_GUARDED;
    if (gives_constant(&f->insns[i])) p->out[i].flags |= WEIR_OUTLINE_CONSTANT;
    note_address(p, i, reg_base);
    p->at = i;
    ptx_visit_regs(&f->insns[i], note_any, p);
  }
  for (uint32_t b = 0; b < f->cfg.n_blocks; b++)
    p->out[f->cfg.blocks[b].first].flags |= WEIR_OUTLINE_LEADER;
  find_branches(p);
  bool ok = find_live(p);
  for (uint32_t i = 0; ok && i < f->n_insns; i++) {
    const struct ptx_insn *in = &f->insns[i];
    if (in->op == PTX_OP_bra && in->opnds[0].label <= i && is_plain_loop(p, in->opnds[0].label, i))
      ok = add_loop(p, in->opnds[0].label, i);
  }
  return ok;
}

bool ptx_outline_find(const struct ptx_func *f, uint32_t reg_base, struct weir_outline_insn *out,
                      struct ptx_outline_loops *loops) {
  size_t regs = f->n_regs + (size_t)1, insns = f->n_insns + (size_t)1;
  struct planner p = {.f = f,
                      .out = out,
                      .loops = loops,
                      .from = weir_calloc(insns, sizeof *p.from),
                      .until = weir_calloc(insns, sizeof *p.until),
                      .writes = weir_calloc(regs, 1),
                      .all_writes = weir_calloc(regs, 1),
                      .reads = weir_calloc(regs, 1),
                      .writer = weir_calloc(regs, sizeof *p.writer),
                      .any_writer = weir_calloc(regs, sizeof *p.any_writer)};
  bool ok = p.from != NULL && p.until != NULL && p.writes != NULL && p.all_writes != NULL &&
            p.reads != NULL && p.writer != NULL && p.any_writer != NULL && find_all(&p, reg_base);
  free(p.from);
  free(p.until);
  free(p.writes);
  free(p.all_writes);
  free(p.reads);
  free(p.writer);
  free(p.any_writer);
  return ok;
}
