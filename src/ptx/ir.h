/* PTX as checked data: what the parser makes, the printer writes back and the decoder reads.
 *
 * Everything hangs on a struct ptx_module and lives in its arena. Instructions of a function are
 * one array; a label is an index into it. Modifiers stay in source order, so that printing gives
 * back what was read. */
#ifndef WEIR_PTX_IR_H
#define WEIR_PTX_IR_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "weir/err.h"

/* ---- opcodes, modifiers, special registers: one enum value per row of a .def file ---- */
enum ptx_op {
#define PTX_OP(id, text) PTX_OP_##id,
#include "ptx/ops.def"
#undef PTX_OP
  PTX_N_OPS
};

enum ptx_mod {
  PTX_M_none,
#define PTX_MOD(id, text) PTX_M_##id,
#include "ptx/mods.def"
#undef PTX_MOD
  PTX_N_MODS
};

enum ptx_sreg {
#define PTX_SREG(id, text, type) PTX_SR_##id,
#include "ptx/sregs.def"
#undef PTX_SREG
  PTX_N_SREGS
};

/* Fundamental types, in the order of mods.def's first rows: enum ptx_type and the modifiers
 * u8..pred share values. */
enum ptx_type {
  PTX_T_none,
  PTX_T_u8,
  PTX_T_u16,
  PTX_T_u32,
  PTX_T_u64,
  PTX_T_s8,
  PTX_T_s16,
  PTX_T_s32,
  PTX_T_s64,
  PTX_T_b8,
  PTX_T_b16,
  PTX_T_b32,
  PTX_T_b64,
  PTX_T_b128,
  PTX_T_f16,
  PTX_T_f16x2,
  PTX_T_bf16,
  PTX_T_bf16x2,
  PTX_T_tf32,
  PTX_T_f32,
  PTX_T_f64,
  PTX_T_pred,
  PTX_T_texref,
  PTX_T_samplerref,
  PTX_T_surfref,
  PTX_N_TYPES
};
unsigned ptx_type_bytes(enum ptx_type t);   /* pred: 1; opaque reference types: 8 */
const char *ptx_type_name(enum ptx_type t); /* without the dot */
static inline bool ptx_type_is_float(enum ptx_type t) {
  return t >= PTX_T_f16 && t <= PTX_T_f64;
}
static inline bool ptx_type_is_signed(enum ptx_type t) {
  return t >= PTX_T_s8 && t <= PTX_T_s64;
}

enum ptx_space {
  PTX_SPACE_none, /* generic, or a register */
  PTX_SPACE_reg,
  PTX_SPACE_sreg,
  PTX_SPACE_const,
  PTX_SPACE_global,
  PTX_SPACE_local,
  PTX_SPACE_param,
  PTX_SPACE_shared,
  PTX_SPACE_tex
};

enum ptx_linkage {
  PTX_LINK_none,
  PTX_LINK_visible,
  PTX_LINK_extern,
  PTX_LINK_weak,
  PTX_LINK_common
};

/* ---- variables ---- */
struct ptx_reloc { /* an initialiser that names an address: value at `offset` += address of `sym` */
  uint64_t offset;
  const char *name;    /* as written; generic() is noted */
  struct ptx_var *var; /* one of the two, resolved */
  struct ptx_func *func;
  int64_t addend;
  uint8_t bytes;
  uint8_t mask_byte; /* 0xff(sym): 1 + index of the byte taken, 0 = whole */
  bool is_generic;
};

struct ptx_var {
  const char *name;
  enum ptx_space space;
  enum ptx_type type;
  enum ptx_linkage linkage;
  uint8_t vec;    /* .v2/.v4, else 1 */
  uint32_t align; /* bytes */
  uint32_t n_dims;
  uint64_t dims[4];    /* 0 = [] */
  uint64_t bytes;      /* total, 0 for an unsized extern array */
  uint64_t offset;     /* params: offset in the parameter block; local/shared: set by the decoder */
  const uint8_t *init; /* NULL = zero; else `init_bytes` bytes, the rest is zero */
  uint64_t init_bytes;
  const struct ptx_reloc *relocs;
  uint32_t n_relocs;
  bool has_ptr_attr; /* .param .u64 .ptr .global .align N */
  enum ptx_space ptr_space;
  uint32_t ptr_align;
  const char *const *attrs; /* .attribute(...) texts, NULL-ended, may be NULL */
  uint32_t scope;           /* in a body: index into func->scopes */
  uint32_t reg;             /* space reg (a parameter that is a register): index into func->regs */
  uint32_t line, col;
};

/* ---- registers ---- */
struct ptx_reg {
  const char *name; /* with its %; for %r<82> the name of one of them, "%r17" */
  enum ptx_type type;
  uint8_t vec; /* 1; vector registers (.reg .v4 .f32) are split by the parser into name.x ... */
};

struct ptx_reg_decl { /* what one name of a .reg directive made: regs[first .. first + n) */
  const char *name;   /* without <n> and without .x */
  enum ptx_type type;
  uint8_t vec; /* 1, 2 or 4 */
  bool is_range, is_param;
  uint32_t count; /* of a range; else 1 */
  uint32_t first;
  uint32_t scope;
};

struct ptx_scope { /* { ... } in a body; scope 0 is the body itself */
  uint32_t parent;
  uint32_t first, last; /* instructions [first, last) */
};

/* ---- operands ---- */
enum ptx_opnd_kind {
  PTX_O_none,
  PTX_O_reg,   /* reg; `neg` for !p, `minus` for -r */
  PTX_O_sreg,  /* sreg */
  PTX_O_int,   /* imm: 64-bit two's complement; is_unsigned if it had U or did not fit s64 */
  PTX_O_f32,   /* imm: 0f... bits */
  PTX_O_f64,   /* imm: bits of the double; 0d... or decimal */
  PTX_O_addr,  /* [base + imm]: reg, or var, or neither (absolute) */
  PTX_O_var,   /* address of a variable, + imm */
  PTX_O_func,  /* a function's name */
  PTX_O_label, /* label */
  PTX_O_vec,   /* {a, b, ...}: elem[0..n_elem) */
  PTX_O_list,  /* (a, b, ...): call arguments and results */
  PTX_O_pair,  /* p|q: elem[0], elem[1] */
  PTX_O_sink,  /* _ */
  PTX_O_table, /* .branchtargets / .calltargets / .callprototype label: table */
  PTX_O_tex    /* [texref or handle, {coords}] or [tex, sampler, {coords}]: elems */
};

struct ptx_operand {
  enum ptx_opnd_kind kind;
  bool neg;          /* !p */
  bool minus;        /* -r, in vmad */
  bool is_unsigned;  /* integer literal */
  bool has_base;     /* address: `reg` is its base */
  uint8_t component; /* 0, or 1..4 for .x .y .z .w / .r .g .b .a of a vector register (already
                        resolved in reg) */
  uint8_t
      half; /* video selectors: 0 none, 1..4 = b0..b3, 5 = h0, 6 = h1, and combinations in imm */
  uint16_t n_elem;
  enum ptx_sreg sreg;
  uint32_t reg;   /* index into func->regs */
  uint32_t label; /* instruction index (func->n_insns is the end) */
  uint64_t imm;   /* immediate bits or address offset (two's complement); of a label its index in
                     func->labels */
  struct ptx_var *var;
  struct ptx_func *func;
  struct ptx_table *table;
  struct ptx_operand *elem;
  uint32_t col;
};

/* .branchtargets, .calltargets, .callprototype */
struct ptx_table {
  const char *name;
  enum { PTX_BRANCHTARGETS, PTX_CALLTARGETS, PTX_CALLPROTOTYPE } kind;
  uint32_t n;
  const char **names;
  uint32_t *labels;              /* branch targets: instruction indices */
  struct ptx_func **funcs;       /* call targets */
  struct ptx_var *rets, *params; /* prototype */
  uint32_t n_rets, n_params;
  uint32_t line, at; /* `at`: instruction index in front of which it stood (for the printer) */
};

/* ---- instructions ---- */
enum { PTX_MAX_MODS = 14, PTX_MAX_OPNDS = 8 };

struct ptx_insn {
  uint16_t op;   /* enum ptx_op */
  uint16_t form; /* row of isa.def that it matched */
  uint8_t n_mods, n_opnds;
  bool guarded, guard_neg;
  uint32_t guard; /* register of @p */
  uint16_t mods[PTX_MAX_MODS];
  /* In source order. A call always has a list of results (maybe empty), the function or register, a
   * list of arguments (maybe empty) and, if it is indirect, a table. */
  struct ptx_operand *opnds;
  uint32_t line, col; /* in the PTX text */
  uint32_t loc;       /* index + 1 into func->locs in force here, 0 = none */
};

struct ptx_loc { /* .loc file line col [, function_name L, inlined_at ...] */
  uint32_t file, line, col;
  const char *rest; /* the text after the column, printed back; NULL if none */
  uint32_t at;      /* instruction index in front of which it stood */
};

struct ptx_label {
  const char *name;
  uint32_t at; /* instruction index */
  uint32_t scope;
};

struct ptx_pragma { /* .pragma "nounroll"; anywhere in a body */
  const char *text;
  uint32_t at;
};

struct ptx_block { /* basic block [first, last] */
  uint32_t first, last;
  uint32_t n_succ;
  const uint32_t *succ;
  uint32_t ipdom; /* block index; == n_blocks means the virtual exit */
  bool in_loop;   /* can reach itself */
  bool reachable;
};

struct ptx_cfg {
  uint32_t n_blocks;
  struct ptx_block *blocks;
  uint32_t *block_of; /* per instruction */
};

struct ptx_func {
  const char *name;
  enum ptx_linkage linkage;
  bool is_entry, has_body, is_noreturn;
  struct ptx_var *rets, *params;
  uint32_t n_rets, n_params;
  uint64_t param_bytes; /* size of the parameter block of an entry */
  struct ptx_reg *regs;
  uint32_t n_regs;
  struct ptx_reg_decl *reg_decls;
  uint32_t n_reg_decls;
  struct ptx_scope *scopes;
  uint32_t n_scopes;
  struct ptx_var *
      *vars; /* .shared .local .global .const .param(call frame) declared in the body, any scope */
  uint32_t n_vars;
  struct ptx_insn *insns;
  uint32_t n_insns;
  struct ptx_label *labels;
  uint32_t n_labels;
  struct ptx_loc *locs;
  uint32_t n_locs;
  struct ptx_pragma *pragmas;
  uint32_t n_pragmas;
  struct ptx_table **tables;
  uint32_t n_tables;
  uint32_t maxntid[3], reqntid[3], minnctapersm, maxnreg, maxnctapersm; /* 0 = not given */
  const char *const *extra_directives; /* performance directives kept as text (.explicitcluster
                                          ...), NULL-ended or NULL */
  struct ptx_cfg cfg;                  /* built by ptx_cfg_build */
  const struct ptx_module *module;     /* in whose text it stands */
  uint32_t line, col;
};

struct ptx_file {
  uint32_t index;
  const char *name;
  const char *rest; /* timestamp, size as written; NULL if none */
};

struct ptx_alias { /* .alias name, of; and what linking made of declarations */
  struct ptx_func *name, *of;
};

struct ptx_var_link { /* a declaration whose variable is defined in another module */
  const struct ptx_var *var, *of;
};

struct ptx_part { /* a module that was linked; its file numbers count from file_base on */
  const struct ptx_module *module;
  uint32_t file_base;
};

/* Recognised but not executable yet: a list of (construct, count, first line). */
struct ptx_unsupported {
  const char *what;
  uint32_t count, first_line;
};

struct ptx_module {
  struct weir_arena arena;
  const char *path;   /* for messages */
  const char *source; /* the text (kept for messages) */
  size_t source_len;
  unsigned version_major, version_minor;
  const char *target;    /* "sm_75" and further words as written, "sm_75, texmode_independent" */
  unsigned sm;           /* 75 */
  unsigned address_bits; /* 64 */
  struct ptx_var **vars; /* module scope, in order */
  uint32_t n_vars;
  struct ptx_func **funcs; /* in order; a forward declaration is merged with its body */
  uint32_t n_funcs;
  struct ptx_file *files;
  uint32_t n_files;
  const char *const
      *sections; /* .section ... { } kept as text, n of them, printed back at the end */
  uint32_t n_sections;
  struct ptx_alias *aliases;
  uint32_t n_aliases;
  /* order in which module-level things stood, for the printer: kind and index; v variable, f
   * function with its body, d declaration of a function, p pragma, a alias, i file, s section */
  struct ptx_item {
    char kind;
    uint32_t index;
  } * items;
  uint32_t n_items;
  const char **pragmas; /* module level */
  uint32_t n_pragmas;
  const struct ptx_unsupported *unsupported; /* filled when the module is loaded */
  uint32_t n_unsupported;
  /* of a module that ptx_link made */
  const struct ptx_var_link *var_links; /* sorted by the address of var */
  uint32_t n_var_links;
  const struct ptx_part *parts;
  uint32_t n_parts;
};

/* ---- the front end's functions ---- */

/* A list of problems: the parser recovers at ';' and goes on, up to 20. */
struct ptx_diags {
  struct weir_err *v;
  size_t n, cap;
};
void ptx_diags_free(struct ptx_diags *d);

/* Parse, resolve, check types and build control-flow graphs. `text` need not end in NUL and is
 * copied. On failure *out is NULL and diags has at least one entry (parse and type errors). Free
 * with ptx_module_free. */
enum weir_status ptx_parse(const char *text, size_t len, const char *path, struct ptx_module **out,
                           struct ptx_diags *diags);
void ptx_module_free(struct ptx_module *m);

/* Makes one module of several that were compiled apart (nvcc -rdc=true): declarations find their
 * definitions. It keeps pointers to the modules, which must outlive it, and cannot be printed.
 * Symbols that are defined twice or nowhere are an error that names the places. */
enum weir_status ptx_link(const struct ptx_module *const *modules, uint32_t n,
                          struct ptx_module **out, struct weir_err *err);

/* Copies up to `max` entries of what cannot be executed; returns how many there are. 0 = everything
 * runs. */
size_t ptx_unsupported(const struct ptx_module *m, struct ptx_unsupported *out, size_t max);

/* Print as PTX; parse(print(m)) prints the same text. malloc'ed, NUL-ended; NULL when out of
 * memory. */
char *ptx_print(const struct ptx_module *m);
char *ptx_print_insn(const struct ptx_func *f,
                     const struct ptx_insn *in); /* one line, no newline; malloc'ed */
char *ptx_print_dot(const struct ptx_func *f);   /* control-flow graph as Graphviz */

/* Can control leave the function from this block? */
bool ptx_block_leaves(const struct ptx_func *f, const struct ptx_block *b);

struct ptx_func *ptx_find_func(const struct ptx_module *m, const char *name);
struct ptx_var *ptx_find_var(const struct ptx_module *m, const char *name);
/* What a name of a function or variable stands for, once aliases and links are followed. */
struct ptx_func *ptx_callee(const struct ptx_module *m, struct ptx_func *f);
const struct ptx_var *ptx_linked_var(const struct ptx_module *m, const struct ptx_var *v);

static inline bool ptx_has(const struct ptx_insn *in, enum ptx_mod m) {
  for (unsigned i = 0; i < in->n_mods; i++)
    if (in->mods[i] == (uint16_t)m) return true;
  return false;
}
/* The k-th modifier that is a type (k = 0: first), or PTX_T_none. */
static inline enum ptx_type ptx_insn_type(const struct ptx_insn *in, unsigned k) {
  for (unsigned i = 0; i < in->n_mods; i++)
    if (in->mods[i] < PTX_N_TYPES && k-- == 0) return (enum ptx_type)in->mods[i];
  return PTX_T_none;
}
const char *ptx_op_name(enum ptx_op op);
const char *ptx_mod_name(enum ptx_mod m);   /* without the dot */
const char *ptx_sreg_name(enum ptx_sreg s); /* with the % */
bool ptx_sreg_is_clock(enum ptx_sreg s);

#endif
