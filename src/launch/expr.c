/* The compiler for launch-file expressions.
 *
 * One pass: precedence climbing emits code for a stack machine. Types are static, so `1 + x` with a
 * double x emits a conversion of the entry under the top. A piece whose operands are all constants
 * is run at once and replaced by its value, unless running it fails: `n == 0 ? 0 : 8 / n` is legal
 * with n = 0, and the division fails only if it is reached. */
#include "launch/expr.h"

#include <ctype.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/number.h"
#include "base/suggest.h"
#include "launch/expr_code.h"

enum {
  DEPTH_MAX = 48,       /* nested parentheses, calls, prefix operators, conditionals */
  TEXT_MAX = 64 * 1024, /* bytes in one expression */
  NAME_MAX_BYTES = 64,
  NUMBER_MAX = 400, /* characters of a double; 1e-300 can be written out */
  SUGGEST_MAX = 64  /* names offered to the speller */
};

struct code {
  struct insn *v;
  size_t n, cap;
};

struct weir_expr {
  const struct insn *code;
  size_t n;
  const char *text;
  size_t len;
  struct weir_where where;
  bool is_double, has_address;
};

/* ---- messages ---- */

/* The expression's own text in the source, or NULL if it does not stand there as it is (escapes,
 * folded lines). *skip: characters from the value's place to its text (a quote). */
static const char *verbatim(const struct weir_where *w, const char *text, size_t len,
                            unsigned *skip) {
  if (!w->source || !w->line || !w->col) return NULL;
  const char *s = w->source, *end = s + w->source_len;
  for (unsigned line = 1; line < w->line; line++) {
    s = memchr(s, '\n', (size_t)(end - s));
    if (!s) return NULL;
    s++;
  }
  for (unsigned col = 1; col < w->col && s < end; col++) {
    s++;
    while (s < end && ((unsigned char)*s & 0xc0) == 0x80)
      s++;
  }
  *skip = s < end && (*s == '"' || *s == '\'');
  s += *skip;
  return (size_t)(end - s) >= len && memcmp(s, text, len) == 0 ? s : NULL;
}

__attribute__((format(printf, 8, 9))) static enum weir_status
fail_in(struct weir_err *err, enum weir_status code, const struct weir_where *base,
        const char *text, size_t len, uint32_t at, uint32_t width, const char *fmt, ...) {
  struct weir_where w = *base;
  unsigned skip = 0;
  bool exact = verbatim(base, text, len, &skip) != NULL;
  if (exact) {
    w.col += skip + at;
    w.width = width;
  }
  va_list ap;
  va_start(ap, fmt);
  weir_vfail_at(err, code, &w, fmt, ap);
  va_end(ap);
  if (!exact && at) weir_err_add(err, "at character %" PRIu32 " of the expression", at + 1);
  return code;
}

/* ---- the compiler ---- */

struct parser {
  const char *s; /* the text, with a NUL after it */
  size_t len, pos;
  const struct weir_expr_scope *scope;
  const struct weir_where *where;
  struct weir_err *err;
  struct code code;
  unsigned depth, sp;
  bool has_address;
};

/* A piece just compiled: code from `start` to the end so far. */
struct piece {
  size_t start;
  bool is_double, is_const;
};

#define FAIL(p, at, width, ...)                                                                    \
  fail_in((p)->err, WEIR_EPARSE, (p)->where, (p)->s, (p)->len, (uint32_t)(at), (uint32_t)(width),  \
          __VA_ARGS__)
#define TRY(call)                                                                                  \
  do {                                                                                             \
    enum weir_status try_status = (call);                                                          \
    if (try_status != WEIR_OK) return try_status;                                                  \
  } while (0)

static enum weir_status emit(struct parser *p, enum op op, int64_t v, size_t at, size_t width) {
  struct insn in = {.op = (uint16_t)op,
                    .width = (uint16_t)(width < 200 ? width : 200),
                    .at = (uint32_t)at,
                    .v.i = v};
  if (WEIR_PUSH(p->code, in)) return WEIR_OK;
  return weir_fail(p->err, WEIR_ENOMEM, "out of memory");
}

static enum weir_status push(struct parser *p, enum op op, int64_t v, size_t at, size_t width) {
  if (++p->sp > WEIR_EXPR_STACK)
    return FAIL(p, at, width, "expression too deep: more than %d values at once", WEIR_EXPR_STACK);
  return emit(p, op, v, at, width);
}

/* Replace a piece of constants by its value if it has one. */
static void fold(struct parser *p, struct piece *x) {
  union bits v;
  const struct insn *at;
  struct insn *first = p->code.v + x->start;
  if (!x->is_const) return;
  if (weir_expr_run(first, p->code.v + p->code.n, NULL, &v, &at) != FAULT_NONE) {
    x->is_const = false;
    return;
  }
  first->op = OP_CONST;
  first->v = v;
  p->code.n = x->start + 1;
}

static void skip_space(struct parser *p) {
  while (p->pos < p->len && p->s[p->pos] != '\0' && strchr(" \t\r\n", p->s[p->pos]))
    p->pos++;
}

static bool accept(struct parser *p, char c) {
  skip_space(p);
  if (p->pos >= p->len || p->s[p->pos] != c) return false;
  p->pos++;
  return true;
}

static bool is_name_start(char c) {
  return isalpha((unsigned char)c) || c == '_';
}

static bool is_name_char(char c) {
  return isalnum((unsigned char)c) || c == '_';
}

static size_t name_len(const struct parser *p, size_t pos) {
  size_t n = 0;
  if (pos < p->len && is_name_start(p->s[pos]))
    while (pos + n < p->len && is_name_char(p->s[pos + n]))
      n++;
  return n;
}

/* What stands at `pos`, for messages: at most 16 characters, printable. */
static const char *shown(const struct parser *p, char buf[32]) {
  size_t n = name_len(p, p->pos);
  if (p->pos >= p->len) return "the end";
  if (n == 0) n = 1;
  if (n > 16) n = 16;
  if (!isprint((unsigned char)p->s[p->pos])) return "a character that is not ASCII text";
  snprintf(buf, 32, "'%.*s'", (int)n, p->s + p->pos);
  return buf;
}

enum arg_rule {
  ARGS_UNIFY,  /* all double if one is */
  ARGS_SAME,   /* one argument, either type */
  ARGS_DOUBLE, /* converted */
  ARGS_INT,    /* demanded */
  ARGS_TO_INT
};

static const struct function {
  const char *name;
  uint8_t n_args, rule, op_int, op_double;
} functions[] = {
    {"min", 2, ARGS_UNIFY, OP_MIN_I, OP_MIN_D},    {"max", 2, ARGS_UNIFY, OP_MAX_I, OP_MAX_D},
    {"abs", 1, ARGS_SAME, OP_ABS_I, OP_ABS_D},     {"floor", 1, ARGS_SAME, OP_NOP, OP_FLOOR_D},
    {"sqrt", 1, ARGS_DOUBLE, OP_NOP, OP_SQRT_D},   {"f32", 1, ARGS_DOUBLE, OP_NOP, OP_F32_D},
    {"fma32", 3, ARGS_DOUBLE, OP_NOP, OP_FMA32_D}, {"hash", 2, ARGS_INT, OP_HASH, OP_NOP},
    {"int", 1, ARGS_TO_INT, OP_NOP, OP_D2I},
};
enum { N_FUNCTIONS = sizeof functions / sizeof functions[0] };

static const char *const reserved[] = {"i", "prev", "k", "at", "inf", "nan", "input"};
enum { N_RESERVED = sizeof reserved / sizeof reserved[0] };

bool weir_expr_is_reserved(const char *name) {
  for (unsigned f = 0; f < N_FUNCTIONS; f++)
    if (strcmp(functions[f].name, name) == 0) return true;
  for (unsigned r = 0; r < N_RESERVED; r++)
    if (strcmp(reserved[r], name) == 0) return true;
  return false;
}

bool weir_expr_is_name(const char *text) {
  if (!is_name_start(*text)) return false;
  size_t n = 0;
  while (is_name_char(text[n]))
    n++;
  return text[n] == '\0' && n <= NAME_MAX_BYTES;
}

static const struct weir_expr_name *find_name(const struct parser *p, const char *s, size_t n,
                                              bool (*wanted)(enum weir_expr_kind)) {
  for (size_t k = 0; k < p->scope->n; k++) {
    const struct weir_expr_name *x = &p->scope->names[k];
    if (wanted(x->kind) && strncmp(x->name, s, n) == 0 && x->name[n] == '\0') return x;
  }
  return NULL;
}

static bool wants_value(enum weir_expr_kind k) {
  return k == WEIR_EXPR_CONST || k == WEIR_EXPR_SLOT;
}
static bool wants_buffer(enum weir_expr_kind k) {
  return k == WEIR_EXPR_BUFFER;
}
static bool wants_address(enum weir_expr_kind k) {
  return k == WEIR_EXPR_ADDRESS;
}

static enum weir_status unknown_name(struct parser *p, size_t at, size_t n,
                                     bool (*wanted)(enum weir_expr_kind), const char *what,
                                     const char *remedy) {
  char word[NAME_MAX_BYTES + 1];
  const char *known[SUGGEST_MAX];
  size_t n_known = 0;
  snprintf(word, sizeof word, "%.*s", (int)(n < NAME_MAX_BYTES ? n : NAME_MAX_BYTES), p->s + at);
  for (size_t k = 0; k < p->scope->n && n_known < SUGGEST_MAX; k++)
    if (wanted(p->scope->names[k].kind)) known[n_known++] = p->scope->names[k].name;
  FAIL(p, at, n, "%s '%s' is not defined", what, word);
  const char *near = weir_nearest(word, known, n_known);
  if (near) {
    weir_err_add(p->err, "did you mean '%s'?", near);
  } else if (n_known == 0) {
    weir_err_add(p->err, "%s", remedy);
  } else {
    char list[256];
    size_t used = 0;
    for (size_t k = 0; k < n_known && used < sizeof list - NAME_MAX_BYTES - 8; k++)
      used += (size_t)snprintf(list + used, sizeof list - used, "%s%.*s", k ? ", " : "",
                               NAME_MAX_BYTES, known[k]);
    weir_err_add(p->err, "defined here: %s", list);
  }
  return WEIR_EPARSE;
}

static enum weir_status conditional(struct parser *p, struct piece *out);

static enum weir_status number(struct parser *p, struct piece *out) {
  const char *s = p->s + p->pos;
  size_t n = 0, at = p->pos;
  bool is_hex = s[0] == '0' && (s[1] == 'x' || s[1] == 'X'), is_double = false;
  if (is_hex) {
    n = 2;
    while (isxdigit((unsigned char)s[n]))
      n++;
  } else {
    while (isdigit((unsigned char)s[n]))
      n++;
    if (s[n] == '.') {
      is_double = true;
      n++;
      while (isdigit((unsigned char)s[n]))
        n++;
    }
    size_t e = n + 1;
    if ((s[n] == 'e' || s[n] == 'E') &&
        (isdigit((unsigned char)s[e]) ||
         ((s[e] == '+' || s[e] == '-') && isdigit((unsigned char)s[e + 1])))) {
      is_double = true;
      n = e + 1;
      while (isdigit((unsigned char)s[n]))
        n++;
    }
  }
  if (is_name_char(s[n]) || (is_hex && n == 2) || s[n] == '.') {
    while (is_name_char(s[n]) || s[n] == '.')
      n++;
    FAIL(p, at, n, "'%.*s' is not a number", (int)(n < 40 ? n : 40), s);
    weir_err_add(p->err, "numbers are 12, 0x1f, 1.5 or 2e-3, without suffix");
    return WEIR_EPARSE;
  }
  union bits v = {0};
  if (is_double) {
    char copy[NUMBER_MAX + 1];
    if (n > NUMBER_MAX) return FAIL(p, at, n, "number longer than %d characters", NUMBER_MAX);
    memcpy(copy, s, n);
    copy[n] = '\0';
    if (!weir_parse_real(copy, &v.d)) return FAIL(p, at, n, "number too large for a double");
  } else {
    if (!is_hex && n > 1 && s[0] == '0') {
      FAIL(p, at, n, "'%.*s' starts with a zero", (int)(n < 40 ? n : 40), s);
      weir_err_add(p->err, "there are no octal numbers: leave the zero out");
      return WEIR_EPARSE;
    }
    for (size_t d = is_hex ? 2 : 0; d < n; d++) {
      uint64_t base = is_hex ? 16 : 10;
      uint64_t digit = isdigit((unsigned char)s[d])
                           ? (uint64_t)(s[d] - '0')
                           : (uint64_t)(tolower((unsigned char)s[d]) - 'a') + 10;
      if (v.u > (UINT64_MAX - digit) / base) return FAIL(p, at, n, "number does not fit 64 bits");
      v.u = v.u * base + digit;
    }
  }
  p->pos += n;
  *out = (struct piece){p->code.n, is_double, true};
  return push(p, OP_CONST, v.i, at, n);
}

static enum weir_status expect_char(struct parser *p, char c, const char *why) {
  char buf[32];
  if (accept(p, c)) return WEIR_OK;
  return FAIL(p, p->pos, 1, "expected '%c' %s, found %s", c, why, shown(p, buf));
}

/* at ( buffer , index ) */
static enum weir_status call_at(struct parser *p, size_t at, struct piece *out) {
  skip_space(p);
  size_t name_at = p->pos, n = name_len(p, p->pos);
  if (n == 0) return FAIL(p, name_at, 1, "at() needs the name of a buffer first");
  const struct weir_expr_name *x = find_name(p, p->s + name_at, n, wants_buffer);
  if (!x)
    return unknown_name(p, name_at, n, wants_buffer, "buffer",
                        "only formulas read buffers, and only those declared before their own");
  p->pos += n;
  TRY(expect_char(p, ',', "between the buffer and the index"));
  skip_space(p);
  size_t index_at = p->pos;
  struct piece index;
  TRY(conditional(p, &index));
  if (index.is_double) {
    FAIL(p, index_at, p->pos - index_at, "the index of at() must be an integer");
    weir_err_add(p->err, "write int(...) around it");
    return WEIR_EPARSE;
  }
  TRY(expect_char(p, ')', "after the index"));
  *out = (struct piece){index.start, x->value.is_double, false};
  return emit(p, OP_AT, x->index, at, p->pos - at);
}

/* function ( expression { , expression } ) */
static enum weir_status call(struct parser *p, const struct function *f, size_t at,
                             struct piece *out) {
  struct piece arg = {0};
  bool mixed[3] = {false, false, false};
  *out = (struct piece){p->code.n, false, true};
  for (unsigned a = 0; a < f->n_args; a++) {
    if (a > 0) TRY(expect_char(p, ',', "before the next argument"));
    skip_space(p);
    size_t arg_at = p->pos;
    TRY(conditional(p, &arg));
    if (f->rule == ARGS_INT && arg.is_double) {
      FAIL(p, arg_at, p->pos - arg_at, "%s() takes integers", f->name);
      weir_err_add(p->err, "write int(...) around the argument");
      return WEIR_EPARSE;
    }
    if (f->rule == ARGS_DOUBLE && !arg.is_double) TRY(emit(p, OP_I2D, 0, arg_at, 1));
    mixed[a] = arg.is_double;
    out->is_double |= arg.is_double;
    out->is_const &= arg.is_const;
  }
  if (p->pos < p->len) skip_space(p);
  if (p->pos < p->len && p->s[p->pos] == ',')
    return FAIL(p, p->pos, 1, "%s() takes %d argument%s", f->name, f->n_args,
                f->n_args == 1 ? "" : "s");
  TRY(expect_char(p, ')', "after the arguments"));
  if (f->rule == ARGS_UNIFY && mixed[0] != mixed[1])
    TRY(emit(p, mixed[0] ? OP_I2D : OP_I2D_UNDER, 0, at, 1));
  out->is_double |= f->rule == ARGS_DOUBLE;
  TRY(emit(p, (enum op)(out->is_double ? f->op_double : f->op_int), 0, at, p->pos - at));
  if (f->rule == ARGS_TO_INT) out->is_double = false;
  p->sp -= (unsigned)f->n_args - 1;
  fold(p, out);
  return WEIR_OK;
}

/* name | function ( ... ) */
static enum weir_status name(struct parser *p, struct piece *out) {
  size_t at = p->pos, n = name_len(p, at);
  const char *s = p->s + at;
  p->pos += n;
  skip_space(p);
  if (p->pos < p->len && p->s[p->pos] == '(') {
    p->pos++;
    if (n == 2 && strncmp(s, "at", 2) == 0) return call_at(p, at, out);
    for (unsigned f = 0; f < N_FUNCTIONS; f++)
      if (strncmp(functions[f].name, s, n) == 0 && functions[f].name[n] == '\0')
        return call(p, &functions[f], at, out);
    FAIL(p, at, n, "there is no function '%.*s'", (int)(n < 40 ? n : 40), s);
    weir_err_add(p->err, "functions: min max abs sqrt floor int f32 fma32 hash at");
    return WEIR_EPARSE;
  }
  bool is_nan = n == 3 && strncmp(s, "nan", 3) == 0;
  if (is_nan || (n == 3 && strncmp(s, "inf", 3) == 0)) {
    union bits v = {.d = is_nan ? (double)NAN : (double)INFINITY};
    *out = (struct piece){p->code.n, true, true};
    return push(p, OP_CONST, v.i, at, n);
  }
  const struct weir_expr_name *x = find_name(p, s, n, wants_value);
  if (!x)
    return unknown_name(
        p, at, n, wants_value, "variable",
        "no variable is known here yet: define it before, under 'inputs' or 'vars'");
  *out = (struct piece){p->code.n, x->value.is_double, x->kind == WEIR_EXPR_CONST};
  if (x->kind == WEIR_EXPR_SLOT) return push(p, OP_SLOT, x->index, at, n);
  union bits v;
  if (x->value.is_double)
    v.d = x->value.d;
  else
    v.i = x->value.i;
  return push(p, OP_CONST, v.i, at, n);
}

/* $name */
static enum weir_status address(struct parser *p, struct piece *out) {
  size_t at = p->pos, n = name_len(p, at + 1);
  if (n == 0) return FAIL(p, at, 1, "expected the name of a buffer after '$'");
  const struct weir_expr_name *x = find_name(p, p->s + at + 1, n, wants_address);
  if (!x)
    return unknown_name(
        p, at + 1, n, wants_address, "buffer",
        "only arguments use addresses of buffers, which are declared under 'buffers'");
  p->pos += n + 1;
  p->has_address = true;
  *out = (struct piece){p->code.n, false, false};
  return push(p, OP_ADDRESS, x->index, at, n + 1);
}

/* primary = number | name | function | $name | ( expression ) */
static enum weir_status primary(struct parser *p, struct piece *out) {
  char buf[32];
  skip_space(p);
  char c = p->pos < p->len ? p->s[p->pos] : '\0';
  if (isdigit((unsigned char)c) || (c == '.' && isdigit((unsigned char)p->s[p->pos + 1])))
    return number(p, out);
  if (is_name_start(c)) return name(p, out);
  if (c == '$') return address(p, out);
  if (c == '(') {
    p->pos++;
    TRY(conditional(p, out));
    return expect_char(p, ')', "to close the parenthesis");
  }
  FAIL(p, p->pos, 1, "expected a number, a name or '(', found %s", shown(p, buf));
  return WEIR_EPARSE;
}

/* unary = { - + ! ~ } primary */
static enum weir_status unary(struct parser *p, struct piece *out) {
  skip_space(p);
  size_t at = p->pos;
  char c = at < p->len ? p->s[at] : '\0';
  if (c == '\0' || !strchr("-+!~", c)) return primary(p, out);
  if (++p->depth > DEPTH_MAX) return FAIL(p, at, 1, "expression nested deeper than %d", DEPTH_MAX);
  p->pos++;
  TRY(unary(p, out));
  p->depth--;
  if (c == '~' && out->is_double) {
    FAIL(p, at, 1, "operator '~' needs an integer");
    weir_err_add(p->err, "write int(...) around the operand");
    return WEIR_EPARSE;
  }
  if (c == '-') TRY(emit(p, out->is_double ? OP_NEG_D : OP_NEG_I, 0, at, 1));
  if (c == '~') TRY(emit(p, OP_NOT_I, 0, at, 1));
  if (c == '!') TRY(emit(p, out->is_double ? OP_LNOT_D : OP_LNOT_I, 0, at, 1));
  if (c == '!') out->is_double = false;
  fold(p, out);
  return WEIR_OK;
}

static const struct binary {
  char text[3];
  uint8_t level, op_int, op_double; /* OP_NOP: integers only */
  bool gives_int;
} binaries[] = {
    /* longer ones first */
    {"||", 1, OP_OR_ELSE, OP_OR_ELSE, true}, {"&&", 2, OP_AND_THEN, OP_AND_THEN, true},
    {"==", 6, OP_EQ_I, OP_EQ_D, true},       {"!=", 6, OP_NE_I, OP_NE_D, true},
    {"<<", 8, OP_SHL_I, OP_NOP, true},       {">>", 8, OP_SHR_I, OP_NOP, true},
    {"<=", 7, OP_LE_I, OP_LE_D, true},       {">=", 7, OP_GE_I, OP_GE_D, true},
    {"<", 7, OP_LT_I, OP_LT_D, true},        {">", 7, OP_GT_I, OP_GT_D, true},
    {"|", 3, OP_OR_I, OP_NOP, true},         {"^", 4, OP_XOR_I, OP_NOP, true},
    {"&", 5, OP_AND_I, OP_NOP, true},        {"+", 9, OP_ADD_I, OP_ADD_D, false},
    {"-", 9, OP_SUB_I, OP_SUB_D, false},     {"*", 10, OP_MUL_I, OP_MUL_D, false},
    {"/", 10, OP_DIV_I, OP_DIV_D, false},    {"%", 10, OP_MOD_I, OP_MOD_D, false},
};

static const struct binary *peek_binary(struct parser *p) {
  skip_space(p);
  for (unsigned b = 0; b < sizeof binaries / sizeof binaries[0]; b++) {
    size_t n = strlen(binaries[b].text);
    if (p->len - p->pos >= n && memcmp(p->s + p->pos, binaries[b].text, n) == 0)
      return &binaries[b];
  }
  return NULL;
}

static enum weir_status binary(struct parser *p, unsigned level, struct piece *out);

/* The right side of && or ||, run only if the left does not decide. */
static enum weir_status logical(struct parser *p, const struct binary *b, size_t at,
                                struct piece *left) {
  struct piece right;
  TRY(emit(p, left->is_double ? OP_BOOL_D : OP_BOOL_I, 0, at, 2));
  size_t jump = p->code.n;
  TRY(emit(p, (enum op)b->op_int, 0, at, 2));
  p->sp--;
  TRY(binary(p, b->level + 1u, &right));
  TRY(emit(p, right.is_double ? OP_BOOL_D : OP_BOOL_I, 0, at, 2));
  p->code.v[jump].v.i = (int64_t)(p->code.n - jump - 1);
  left->is_double = false;
  left->is_const &= right.is_const;
  fold(p, left);
  return WEIR_OK;
}

/* binary = unary { operator binary-of-higher-level } */
static enum weir_status binary(struct parser *p, unsigned level, struct piece *out) {
  const struct binary *b;
  TRY(unary(p, out));
  while ((b = peek_binary(p)) && b->level >= level) {
    size_t at = p->pos, width = strlen(b->text);
    p->pos += width;
    if (b->level <= 2) {
      TRY(logical(p, b, at, out));
      continue;
    }
    struct piece right;
    TRY(binary(p, b->level + 1u, &right));
    bool is_double = out->is_double || right.is_double;
    if (is_double && b->op_double == OP_NOP) {
      FAIL(p, at, width, "operator '%s' needs integers on both sides", b->text);
      weir_err_add(p->err, "write int(...) around the other kind");
      return WEIR_EPARSE;
    }
    if (out->is_double != right.is_double)
      TRY(emit(p, out->is_double ? OP_I2D : OP_I2D_UNDER, 0, at, 1));
    TRY(emit(p, (enum op)(is_double ? b->op_double : b->op_int), 0, at, width));
    p->sp--;
    out->is_double = is_double && !b->gives_int;
    out->is_const &= right.is_const;
    fold(p, out);
  }
  return WEIR_OK;
}

/* conditional = binary [ ? conditional : conditional ] */
static enum weir_status conditional(struct parser *p, struct piece *out) {
  if (++p->depth > DEPTH_MAX)
    return FAIL(p, p->pos, 1, "expression nested deeper than %d", DEPTH_MAX);
  TRY(binary(p, 1, out));
  skip_space(p);
  size_t at = p->pos;
  if (accept(p, '?')) {
    struct piece yes, no;
    if (out->is_double) TRY(emit(p, OP_BOOL_D, 0, at, 1));
    size_t to_no = p->code.n;
    TRY(emit(p, OP_JUMP_ZERO, 0, at, 1));
    p->sp--;
    TRY(conditional(p, &yes));
    size_t convert = p->code.n, to_end = convert + 1;
    TRY(emit(p, OP_NOP, 0, at, 1));
    TRY(emit(p, OP_JUMP, 0, at, 1));
    p->code.v[to_no].v.i = (int64_t)(p->code.n - to_no - 1);
    p->sp--;
    TRY(expect_char(p, ':', "of the '?'"));
    TRY(conditional(p, &no));
    if (no.is_double && !yes.is_double) p->code.v[convert].op = OP_I2D;
    if (yes.is_double && !no.is_double) TRY(emit(p, OP_I2D, 0, at, 1));
    p->code.v[to_end].v.i = (int64_t)(p->code.n - to_end - 1);
    out->is_double = yes.is_double || no.is_double;
    out->is_const = out->is_const && yes.is_const && no.is_const;
    fold(p, out);
  }
  p->depth--;
  return WEIR_OK;
}

static enum weir_status compile(struct parser *p, struct piece *out) {
  char buf[32];
  skip_space(p);
  if (p->pos >= p->len) return FAIL(p, 0, 1, "expected an expression, found nothing");
  TRY(conditional(p, out));
  skip_space(p);
  if (p->pos < p->len) {
    FAIL(p, p->pos, 1, "unexpected %s after the expression", shown(p, buf));
    if (p->s[p->pos] == '=') weir_err_add(p->err, "to compare, write ==");
    return WEIR_EPARSE;
  }
  return WEIR_OK;
}

enum weir_status weir_expr_parse(struct weir_arena *arena, const char *text, size_t len,
                                 const struct weir_expr_scope *scope,
                                 const struct weir_where *where, struct weir_expr **out,
                                 struct weir_err *err) {
  static const struct weir_expr_scope nothing = {NULL, 0};
  static const struct weir_where nowhere = {0};
  if (!where) where = &nowhere;
  *out = NULL;
  if (len > TEXT_MAX)
    return weir_fail_at(err, WEIR_EPARSE, where, "expression longer than %d characters", TEXT_MAX);
  struct weir_expr *e = weir_arena_alloc(arena, sizeof *e);
  char *copy = weir_arena_strndup(arena, text, len);
  if (!e || !copy) return weir_fail(err, WEIR_ENOMEM, "out of memory");
  struct parser p = {
      .s = copy, .len = len, .scope = scope ? scope : &nothing, .where = where, .err = err};
  struct piece whole = {0};
  enum weir_status st = compile(&p, &whole);
  if (st == WEIR_OK) {
    struct insn *code = weir_arena_array(arena, p.code.n, sizeof *code);
    if (code) {
      memcpy(code, p.code.v, p.code.n * sizeof *code);
      *e = (struct weir_expr){code, p.code.n, copy, len, *where, whole.is_double, p.has_address};
      *out = e;
    } else {
      st = weir_fail(err, WEIR_ENOMEM, "out of memory");
    }
  }
  free(p.code.v);
  return st;
}

static bool uses_slot(const struct weir_expr *e, enum weir_expr_slot slot) {
  for (size_t n = 0; n < e->n; n++)
    if (e->code[n].op == OP_SLOT && e->code[n].v.i == (int64_t)slot) return true;
  return false;
}

static enum weir_status report(const struct weir_expr *e, const struct weir_expr_ctx *ctx,
                               enum fault fault, const struct insn *in, union bits top,
                               struct weir_err *err) {
  enum weir_status st = WEIR_EINVAL;
  if (fault == FAULT_DIVIDE)
    st = fail_in(err, st, &e->where, e->text, e->len, in->at, in->width, "division by zero");
  else if (fault == FAULT_INDEX)
    st = fail_in(err, st, &e->where, e->text, e->len, in->at, in->width,
                 "at(): index %" PRId64 " is outside 0..%" PRIu64, top.i,
                 ctx->arrays[in->v.i].count - 1);
  else
    return fail_in(err, WEIR_EBUG, &e->where, e->text, e->len, in->at, in->width,
                   "this name has no value here");
  if (uses_slot(e, WEIR_SLOT_I)) weir_err_add(err, "with i = %" PRId64, ctx->slot[WEIR_SLOT_I]);
  if (uses_slot(e, WEIR_SLOT_K)) weir_err_add(err, "with k = %" PRId64, ctx->slot[WEIR_SLOT_K]);
  return st;
}

enum weir_status weir_expr_eval(const struct weir_expr *e, const struct weir_expr_ctx *ctx,
                                struct weir_value *out, struct weir_err *err) {
  union bits v;
  const struct insn *at = NULL;
  enum fault fault = weir_expr_run(e->code, e->code + e->n, ctx, &v, &at);
  if (__builtin_expect(fault != FAULT_NONE, 0)) return report(e, ctx, fault, at, v, err);
  out->is_double = e->is_double;
  if (e->is_double)
    out->d = v.d;
  else
    out->i = v.i;
  return WEIR_OK;
}

bool weir_expr_is_double(const struct weir_expr *e) {
  return e->is_double;
}

bool weir_expr_has_address(const struct weir_expr *e) {
  return e->has_address;
}

bool weir_expr_next_array(const struct weir_expr *e, size_t *pos, uint32_t *index) {
  while (*pos < e->n) {
    const struct insn *in = &e->code[(*pos)++];
    if (in->op == OP_AT) {
      *index = (uint32_t)in->v.i;
      return true;
    }
  }
  return false;
}
