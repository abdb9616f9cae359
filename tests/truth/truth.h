/* Ground truth: every executable variant of every instruction, as a small kernel with operands.
 *
 * A variant is a form of isa.def with chosen modifiers (and, for some, a way of use). Its kernel
 * gives each thread one case: operands come from `in + 64 * i` (8 slots of 8 bytes), results go to
 * `out + 32 * i` (4 slots). Texts and operands are made here, from tables and hashes alone, so that
 * a GPU and the interpreter get exactly the same and only results need to be stored. */
#ifndef WEIR_TESTS_TRUTH_H
#define WEIR_TESTS_TRUTH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "ptx/isa.h"

enum {
  TRUTH_IN = 8,
  TRUTH_OUT = 4,
  TRUTH_IN_BYTES = 64,
  TRUTH_OUT_BYTES = 32,
  TRUTH_BLOCK = 128,
  TRUTH_BLOB = 64,   /* bytes of the third kernel parameter */
  TRUTH_CONST = 4096 /* bytes of the constant table of every module */
};

/* Operand kinds: which values a slot takes. */
enum truth_kind {
  TK_NONE,
  TK_B16, /* integers: edges and random bits */
  TK_B32,
  TK_B64,
  TK_F16,
  TK_F32,
  TK_F64,
  TK_PRED,
  TK_SHIFT,   /* shift amounts around 0, 31, 32, 63, 64, 255, 2^32 - 1 */
  TK_FIELD,   /* bit positions and lengths */
  TK_LANE,    /* lane numbers and deltas, some beyond 31 */
  TK_SEGMENT, /* third operand of shfl */
  TK_CLASS,   /* few different values, for match */
  TK_DIVISOR, /* integers, many of them small, some zero */
  TK_BASE,    /* fns: start bit */
  TK_NTH,     /* fns: signed offset */
  TK_COUNT,   /* inc and dec */
  TK_TRIG,
  TK_EX2,
  TK_NEAR1,
  TK_TANH,
  TK_WHOLE32, /* f32 and f64 values near whole numbers and the limits of integer types */
  TK_WHOLE64,
  TK_EXACT32, /* small multiples of a power of two, whose sums are exact */
  TK_EXACT64,
  TK_INDEX5, /* 0..4 */
  TK_EQUAL,  /* cas: equal to slot 0 in half of the cases */
  TK_BF16,
  TK_F16X2, /* pairs: the lower half is as the single value, the upper another one */
  TK_BF16X2,
  TK_EXACT16, /* as TK_EXACT32, of halves and pairs */
  TK_EXACTBF16,
  TK_MAT_F16, /* elements of matrices, as many as fit into 8 bytes */
  TK_MAT_BF16,
  TK_MAT_F32,
  TK_MAT_F64,
  TK_WMMA_F16, /* the first 16 lanes' slots hold A and B, the others' hold C of f32 */
  TK_WMMA_BF16,
  TK_ARG16, /* arguments of ex2 and tanh as halves; pairs where the type is one */
  TK_ARGBF16
};

enum truth_family {
  TF_INT,
  TF_FLOAT,
  TF_COMPARE,
  TF_CVT,
  TF_MEMORY,
  TF_ATOM,
  TF_WARP,
  TF_HALF,
  TF_MATRIX,
  TF_N
};

/* Why a variant has no ground truth. */
enum truth_status { TS_TRUTH, TS_NO_RESULT, TS_REFUSED, TS_NOT_RUN };

struct truth_variant {
  uint16_t form;
  uint8_t n_mods;
  uint16_t mods[PTX_MAX_MODS];
  char name[128];  /* the instruction as written, and how it is used: "shfl.sync.up.b32@partial" */
  char *text;      /* the kernel, named KERNEL */
  bool old_target; /* needs PTX 6.0 for sm_60 */
  enum truth_family family;
  enum truth_status status;
  const char *why; /* not TS_TRUTH: the reason */
  uint16_t n_cases;
  uint8_t n_in, n_out;
  uint8_t in_kind[TRUTH_IN], in_type[TRUTH_IN];
  uint8_t out_type[TRUTH_OUT];
  uint8_t d_type; /* matrix products of floats: results are elements of this type, not exact */
};

/* All variants, in the order of isa.def. `refused` lists variants that ptxas does not take, a line
 * each: name, a tab, the message; NULL = none. False when out of memory. */
struct truth_set {
  struct truth_variant *v;
  size_t n, cap;
  const char *refused;
};
bool truth_build(struct truth_set *s, const char *refused);
void truth_free(struct truth_set *s);
struct truth_variant *truth_add(struct truth_set *s); /* for the makers; NULL when out of memory */

/* Modules: runs of variants of one target that have a kernel. Returns the first variant after the
 * module that begins at `from`, and skips to the first with a kernel. */
size_t truth_module(const struct truth_set *s, size_t *from);
/* The module's text; kernels are named t<index of variant>. malloc'ed. */
char *truth_module_text(const struct truth_set *s, size_t from, size_t to);
bool truth_has_kernel(const struct truth_variant *v);

/* Modifier combinations of a form: all of them up to a limit, else a choice in which every pair of
 * modifier values that can stand together does so once. `valid` says which can. */
struct truth_combo {
  uint8_t n_mods;
  uint16_t mods[PTX_MAX_MODS];
};
struct truth_combo *truth_combos(const struct ptx_form *f, size_t limit,
                                 bool (*valid)(const struct ptx_insn *in), size_t *n);

/* Operands: slot `slot` of case i. */
uint64_t truth_operand(enum truth_kind kind, unsigned slot, unsigned i);
void truth_fill_inputs(const struct truth_variant *v, uint8_t *in); /* n_cases * TRUTH_IN_BYTES */
/* The same without the signs of matrices' elements, which gives the magnitudes that were added. */
void truth_fill_magnitudes(const struct truth_variant *v, uint8_t *in);
void truth_fill_blob(uint8_t blob[TRUTH_BLOB]);
uint8_t truth_const_byte(unsigned i);
uint64_t truth_input_hash(const struct truth_variant *v);

/* Of the fundamental types; the runner on a GPU machine links little else than isa.c. */
unsigned truth_type_bytes(enum ptx_type t);
const char *truth_type_name(enum ptx_type t);

/* Results as stored: per variant the bytes of every result, plane by plane (all lowest bytes, then
 * the next, ...), since variants of one instruction mostly differ in the lowest. */
unsigned truth_out_bytes(enum ptx_type t);
size_t truth_result_bytes(const struct truth_variant *v);
void truth_pack(const struct truth_variant *v, const uint8_t *out, uint8_t *packed);
void truth_unpack(const struct truth_variant *v, const uint8_t *packed, uint8_t *out);
extern const char *const truth_family_names[TF_N];

#endif
