/* Writing kernels: registers, operands and results of one variant under construction. */
#ifndef WEIR_TESTS_TRUTH_MAKER_H
#define WEIR_TESTS_TRUTH_MAKER_H

#include "truth.h"

struct maker {
  struct truth_set *set;
  const struct ptx_form *form;
  struct ptx_insn insn;      /* op and modifiers of the variant */
  struct truth_variant *v;   /* NULL after a failed allocation: everything else does nothing */
  char opcode[112];          /* the instruction with its modifiers */
  FILE *decl, *code, *outer; /* outer: functions in front of the kernel */
  char *decl_text, *code_text, *outer_text;
  size_t decl_len, code_len, outer_len;
  unsigned n_regs;
};

struct reg {
  char name[12];
};

/* Begins a variant "opcode@use" (use may be NULL). Slots are loaded and results stored through the
 * functions below. */
void mk_begin(struct maker *m, const char *use);
void mk_end(struct maker *m);
/* A variant that has no kernel. */
void mk_without(struct maker *m, enum truth_status status, const char *why);

struct reg mk_reg(struct maker *m, enum ptx_type t); /* a fresh register that can hold the type */
struct reg mk_in(struct maker *m, enum ptx_type t,
                 enum truth_kind kind); /* loaded from the next slot */
void mk_in_kind(struct maker *m, unsigned slot, enum truth_kind kind); /* without a load */
void mk_out(struct maker *m, enum ptx_type t, struct reg r);           /* stored to the next slot */
void mk_out_slot(struct maker *m, unsigned slot,
                 enum ptx_type t); /* slot stored by the kernel itself */
void mk_line(struct maker *m, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

const char *mk_reg_type(enum ptx_type t); /* as in .reg */
const char *mk_mem_type(enum ptx_type t); /* as in ld and st of operands */
enum truth_kind mk_kind(enum ptx_type t);
static inline bool mk_has(const struct maker *m, enum ptx_mod mod) {
  return ptx_has(&m->insn, mod);
}
/* The space named by the modifiers, as `from`: "global", "shared", ... or "" for generic. */
const char *mk_space(const struct maker *m);

void mk_generic(struct maker *m); /* arithmetic, logic, comparison, conversion */
void mk_mov(struct maker *m);
void mk_video(struct maker *m);
void mk_address(struct maker *m); /* cvta, isspacep */
void mk_load(struct maker *m);
void mk_store(struct maker *m);
void mk_atomic(struct maker *m);
void mk_silent(struct maker *m); /* prefetch, fences and others without a result */
void mk_warp(struct maker *m);
void mk_barrier(struct maker *m);
void mk_mbarrier(struct maker *m);
void mk_control(struct maker *m);
void mk_matrix(struct maker *m); /* mma, wmma, ldmatrix, stmatrix, movmatrix */
void mk_copy(struct maker *m);   /* cp.async */

/* A number that depends on the modifiers alone, so that a choice does not change with the table. */
unsigned mk_turn(const struct maker *m);
/* ", %x5" if the form takes a cache policy, which is made in front; else "". */
const char *mk_policy(struct maker *m, char buf[24]);

/* Constraints of the manual that isa.def does not write down. */
bool mk_valid(const struct ptx_insn *in);

#endif
