/* What the parser's files share. Not for use outside ptx_parse. */
#ifndef WEIR_PTX_PARSE_H
#define WEIR_PTX_PARSE_H

#include <stdarg.h>

#include "ptx/ir.h"
#include "ptx/isa.h"
#include "ptx/lex.h"

enum {
  PARSE_MAX_ERRORS = 20,
  PARSE_MAX_SCOPES = 64,    /* nested { } */
  PARSE_MAX_DEPTH = 64,     /* nested expressions and initialisers */
  PARSE_MAX_REGS = 1 << 20, /* of one function */
  PARSE_MAX_LIST = 4096,    /* elements of { } and ( ) */
  PARSE_MAX_NAME = 65536
};
#define PARSE_MAX_BYTES (UINT64_C(1) << 40) /* of one variable */

enum bind_kind { BIND_REG, BIND_VECREG, BIND_RANGE, BIND_VAR, BIND_FUNC };

/* What a name means in one scope; inner meanings hide outer ones. */
struct binding {
  enum bind_kind kind;
  uint32_t depth;      /* 0 module, 1 function, 2.. inner scopes */
  uint32_t reg, count; /* BIND_REG, BIND_VECREG, BIND_RANGE: first register and how many */
  struct ptx_var *var;
  struct ptx_func *func;
  struct binding *outer; /* the meaning it hides */
  struct ident *ident;
  struct binding *made; /* next one made in the same scope */
};

struct label_ref {
  struct ident *ident;
  uint32_t scope, index;
  struct label_ref *next; /* same name, in the same function */
};

struct ident {
  const char *name;
  uint32_t len, hash;
  struct binding *top;
  struct label_ref *labels; /* valid if `func_serial` is the current function's */
  struct ptx_table *table;
  uint32_t func_serial;
};

/* A name that may be declared later in the body. */
struct fixup {
  struct ident *ident;
  uint32_t scope;
  struct ptx_tok at;
  struct ptx_operand *opnd; /* label operand, or */
  struct ptx_table *table;  /* entry `slot` of a table, or */
  uint32_t slot;
  bool is_table; /* opnd names a table */
};

#define VEC(T)                                                                                     \
  struct {                                                                                         \
    T *v;                                                                                          \
    size_t n, cap;                                                                                 \
  }

struct parser {
  struct ptx_lexer lx;
  struct ptx_tok tok;
  struct ptx_module *m;
  struct ptx_diags *diags;
  uint64_t diag_at[PARSE_MAX_ERRORS]; /* line and column of each, which keeps them in order */
  size_t first_diag, last_diag;       /* where this parse began; the one just reported */
  bool stop;                          /* out of memory, or too many errors: unwind */
  bool no_memory;
  uint32_t depth;  /* of expressions */
  uint32_t braces; /* opened by the current statement */
  struct weir_arena *arena;

  struct ident **idents; /* open addressing */
  size_t n_idents, cap_idents;

  /* the function being read */
  struct ptx_func *func;
  uint32_t func_serial;
  uint32_t scope;       /* current one */
  uint32_t scope_depth; /* binding depth: 0 module, 1 body */
  uint32_t inner_ranges;
  struct binding *made[PARSE_MAX_SCOPES + 2];
  uint32_t loc; /* in force */

  VEC(struct ptx_insn) insns;
  VEC(struct ptx_reg) regs;
  VEC(struct ptx_reg_decl) reg_decls;
  VEC(struct ptx_scope) scopes;
  VEC(struct ptx_label) labels;
  VEC(struct ptx_loc) locs;
  VEC(struct ptx_pragma) pragmas;
  VEC(struct ptx_table *) tables;
  VEC(struct ptx_var *) func_vars;
  VEC(struct fixup) fixups;
  VEC(struct ptx_operand) opnds; /* a stack for lists being read */

  /* the module */
  VEC(struct ptx_var *) vars;
  VEC(struct ptx_func *) funcs;
  VEC(struct ptx_file) files;
  VEC(const char *) sections;
  VEC(const char *) mod_pragmas;
  VEC(struct ptx_alias) aliases;
  VEC(struct ptx_item) items;
  /* an initialiser being read */
  VEC(uint8_t) bytes;
  VEC(struct ptx_reloc) relocs;
};

/* ---- parse.c ---- */
void parse_next(struct parser *p);
bool parse_error(struct parser *p, const struct ptx_tok *at, const char *fmt, ...)
    __attribute__((format(printf, 3, 4))); /* always false */
void parse_remedy(struct parser *p, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
bool parse_oom(struct parser *p); /* always false */
bool parse_is(const struct parser *p, unsigned punct);
bool parse_is_dot(const struct parser *p, const char *word);
bool parse_accept(struct parser *p, unsigned punct);
bool parse_accept_dot(struct parser *p, const char *word);
bool parse_expect(struct parser *p, unsigned punct, const char *after);
void parse_recover(struct parser *p);
void *parse_alloc(struct parser *p, size_t n, size_t size);
char *parse_text(struct parser *p, const char *s, size_t len);
/* Copy a list that was built in a VEC to the arena: PARSE_KEEP(f->insns, f->n_insns, p->insns). */
void *parse_keep(struct parser *p, const void *v, size_t n, size_t size);
#define PARSE_KEEP(dst, n_dst, vec)                                                                \
  ((dst) = parse_keep(p, (vec).v, (vec).n, sizeof *(vec).v), (n_dst) = (uint32_t)(vec).n)
bool parse_uint(struct parser *p, uint32_t *out, const char *what);
bool parse_name(struct parser *p, struct ident **out, struct ptx_tok *tok, const char *what);
bool parse_pragma(struct parser *p, const char **out);
bool parse_loc(struct parser *p);
bool parse_file(struct parser *p);
bool parse_section(struct parser *p);
const char *parse_show(const struct ptx_tok *t, char *buf, size_t len); /* token for a message */

/* ---- parse_sym.c ---- */
struct ident *sym_ident(struct parser *p, const char *s, size_t len);
struct binding *sym_find(struct parser *p, struct ident *id, uint32_t *reg);
bool sym_bind(struct parser *p, struct ident *id, const struct ptx_tok *at, struct binding b);
bool sym_push_scope(struct parser *p, const struct ptx_tok *at);
void sym_pop_scope(struct parser *p);
void sym_new_func(struct parser *p);
bool sym_label(struct parser *p, struct ident *id, const struct ptx_tok *at);
bool sym_resolve(struct parser *p);
bool sym_declare_regs(struct parser *p, struct ident *id, const struct ptx_tok *at,
                      enum ptx_type type, unsigned vec, bool is_range, uint32_t count,
                      bool is_param);

/* ---- parse_var.c ---- */
bool parse_var_decl(struct parser *p, enum ptx_linkage linkage); /* .global ... ; anywhere */
bool parse_param_list(struct parser *p, struct ptx_var **out, uint32_t *n, bool is_entry,
                      uint64_t *bytes);
bool parse_reg_decl(struct parser *p);
bool parse_type(struct parser *p, enum ptx_type *out);

/* ---- parse_expr.c ---- */
struct const_value {
  enum { CV_INT, CV_F32, CV_F64 } kind;
  bool is_unsigned;
  uint64_t bits;
};
bool parse_const(struct parser *p, struct const_value *out);
bool parse_const_int(struct parser *p, struct const_value *out);
bool parse_starts_const(const struct parser *p);
bool parse_init(struct parser *p, struct ptx_var *v);

/* ---- parse_func.c, parse_body.c, parse_insn.c ---- */
bool parse_func(struct parser *p, enum ptx_linkage linkage); /* at .entry or .func */
bool parse_body(struct parser *p, struct ptx_func *f);
bool parse_insn(struct parser *p);
bool parse_table(struct parser *p, struct ident *id, const struct ptx_tok *at);

/* ---- type.c, verify.c ---- */
/* May a register of type `reg` stand where the instruction has type `insn`? */
bool ptx_type_fits(enum ptx_type insn, enum ptx_type reg, bool wider_ok);
/* Check and complete (immediates get their type) the operands of an instruction; `toks` are their
 * first tokens. */
bool verify_insn(struct parser *p, struct ptx_insn *in, const struct ptx_tok *at,
                 const struct ptx_tok *toks);
bool verify_call(struct parser *p, struct ptx_insn *in, const struct ptx_tok *at,
                 const struct ptx_tok *toks);
/* Fills module->unsupported; false when out of memory. */
bool ptx_list_unsupported(struct ptx_module *m);

/* ---- cfg.c ---- */
bool ptx_cfg_build(struct ptx_func *f, struct weir_arena *a);

#endif
