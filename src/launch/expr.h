/* Expressions of launch files: C's operators over signed 64-bit integers and doubles.
 *
 * An expression is compiled once, with the values of the variables known, and run once per
 * element. Every node has a static type, so a run has no type tests. docs/launch-file.md is the
 * definition; nothing here is undefined in C's sense. */
#ifndef WEIR_LAUNCH_EXPR_H
#define WEIR_LAUNCH_EXPR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "ptx/ir.h"
#include "weir/err.h"

struct weir_value {
  bool is_double;
  union {
    int64_t i;
    double d;
  };
};

/* What changes from one run to the next. */
enum weir_expr_slot { WEIR_SLOT_I, WEIR_SLOT_PREV, WEIR_SLOT_K, WEIR_N_SLOTS };

enum weir_expr_kind {
  WEIR_EXPR_CONST,  /* a variable: value */
  WEIR_EXPR_SLOT,   /* i, prev, k: index; value.is_double says its type */
  WEIR_EXPR_BUFFER, /* first argument of at(): index; value.is_double says what at() gives */
  WEIR_EXPR_ADDRESS /* written $name: index */
};

struct weir_expr_name {
  const char *name;
  enum weir_expr_kind kind;
  uint32_t index;
  struct weir_value value;
};

/* The names an expression may use. Variables, buffers and addresses are told apart by where they
 * stand, so the same name may be there once as each. */
struct weir_expr_scope {
  const struct weir_expr_name *names;
  size_t n;
};

struct weir_expr_array { /* a buffer as at() sees it */
  const void *data;
  uint64_t count;
  enum ptx_type type;
};

struct weir_expr_ctx {
  int64_t slot[WEIR_N_SLOTS]; /* bits of the double where the scope said so */
  const struct weir_expr_array *arrays;
  const uint64_t *addresses;
};

struct weir_expr;

/* Compile `len` bytes of text into `arena`. `where` is the place of the first character (for
 * messages; its strings must outlive the expression). */
enum weir_status weir_expr_parse(struct weir_arena *arena, const char *text, size_t len,
                                 const struct weir_expr_scope *scope,
                                 const struct weir_where *where, struct weir_expr **out,
                                 struct weir_err *err);
/* Run. `ctx` may be NULL for an expression of variables only. */
enum weir_status weir_expr_eval(const struct weir_expr *e, const struct weir_expr_ctx *ctx,
                                struct weir_value *out, struct weir_err *err);

bool weir_expr_is_double(const struct weir_expr *e);
bool weir_expr_has_address(const struct weir_expr *e);
/* The buffers that at() reads: *pos starts at 0; false when there are no more. */
bool weir_expr_next_array(const struct weir_expr *e, size_t *pos, uint32_t *index);

/* Is the text a name that expressions keep for themselves (i, prev, k, a function)? */
bool weir_expr_is_reserved(const char *name);
/* Is the text a name at all: a letter or _, then letters, digits and _? */
bool weir_expr_is_name(const char *text);

/* Truncation, saturating; NaN gives 0. */
int64_t weir_double_to_s64(double d);
uint64_t weir_double_to_u64(double d);
/* One element of a buffer. Storing converts: integers wrap, floats round to nearest, a double into
 * an integer type truncates (saturating at 64 bits, then wrapping); a NaN is stored as the positive
 * quiet one. */
void weir_element_store(enum ptx_type type, void *at, struct weir_value v);
struct weir_value weir_element_load(enum ptx_type type, const void *at);
/* 0 when buffers cannot have this type. */
unsigned weir_element_bytes(enum ptx_type type);
const char *weir_element_name(enum ptx_type type);

#endif
