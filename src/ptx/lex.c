/* The lexer. Columns count characters, so that a caret stands right also behind a comment in UTF-8.
 */
#include "ptx/lex.h"

#include <stdlib.h>
#include <string.h>

enum { C_SPACE = 1, C_WORD = 2, C_DIGIT = 4, C_HEX = 8, C_START = 16 };

static unsigned char_class(unsigned char c) {
  static const unsigned char table[128] = {
      ['\t'] = C_SPACE,
      ['\v'] = C_SPACE,
      ['\f'] = C_SPACE,
      ['\r'] = C_SPACE,
      [' '] = C_SPACE,
      ['$'] = C_WORD | C_START,
      ['_'] = C_WORD | C_START,
      ['0' ... '9'] = C_WORD | C_DIGIT | C_HEX,
      ['a' ... 'f'] = C_WORD | C_START | C_HEX,
      ['g' ... 'z'] = C_WORD | C_START,
      ['A' ... 'F'] = C_WORD | C_START | C_HEX,
      ['G' ... 'Z'] = C_WORD | C_START,
  };
  return c < 128 ? table[c] : 0;
}

static bool is_word(char c) {
  return char_class((unsigned char)c) & C_WORD;
}

static bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

void ptx_lex_init(struct ptx_lexer *lx, const char *text, size_t len) {
  *lx = (struct ptx_lexer){
      .start = text, .p = text, .end = text + len, .line_start = text, .line = 1};
}

static char peek(const struct ptx_lexer *lx, size_t i) {
  return (size_t)(lx->end - lx->p) > i ? lx->p[i] : '\0';
}

static void new_line(struct ptx_lexer *lx) { /* p stands behind the \n */
  lx->line++;
  lx->line_start = lx->p;
  lx->hidden = 0;
}

static void skip_char(struct ptx_lexer *lx) {
  unsigned char c = (unsigned char)*lx->p++;
  if (c == '\n') {
    new_line(lx);
  } else if ((c & 0xc0) == 0x80) {
    lx->hidden++;
  }
}

/* Returns false at a comment that does not end. */
static bool skip_space(struct ptx_lexer *lx) {
  for (;;) {
    while (lx->p < lx->end && (*lx->p == '\n' || char_class((unsigned char)*lx->p) == C_SPACE))
      skip_char(lx);
    if (peek(lx, 0) == '/' && peek(lx, 1) == '/') {
      while (lx->p < lx->end && *lx->p != '\n')
        skip_char(lx);
    } else if (peek(lx, 0) == '/' && peek(lx, 1) == '*') {
      const char *start = lx->p;
      struct ptx_lexer save = *lx;
      lx->p += 2;
      while (lx->p < lx->end && !(*lx->p == '*' && peek(lx, 1) == '/'))
        skip_char(lx);
      if (lx->p == lx->end) {
        *lx = save;
        lx->p = start;
        return false;
      }
      lx->p += 2;
    } else {
      return true;
    }
  }
}

static void finish(struct ptx_lexer *lx, struct ptx_tok *t, enum ptx_tok_kind kind, size_t len) {
  t->kind = kind;
  t->len = len > UINT32_MAX ? UINT32_MAX : (uint32_t)len;
  lx->p += len;
}

static void bad(struct ptx_lexer *lx, struct ptx_tok *t, size_t len, const char *what) {
  t->what = what;
  finish(lx, t, PTX_TOK_bad, len);
}

static unsigned digit_value(char c) {
  if (is_digit(c)) return (unsigned)(c - '0');
  if (c >= 'a' && c <= 'f') return (unsigned)(c - 'a') + 10;
  if (c >= 'A' && c <= 'F') return (unsigned)(c - 'A') + 10;
  return 99;
}

/* Digits [from, to) in a base; false when they do not fit 64 bits or are not digits of the base. */
static bool read_digits(const char *s, size_t from, size_t to, unsigned base, uint64_t *out) {
  uint64_t v = 0;
  if (from == to) return false;
  for (size_t i = from; i < to; i++) {
    unsigned d = digit_value(s[i]);
    if (d >= base || __builtin_mul_overflow(v, base, &v) || __builtin_add_overflow(v, d, &v))
      return false;
  }
  *out = v;
  return true;
}

/* 1.5, 1., 1e5, 1.5e-3: `len` characters that were found to have this shape. */
static void decimal_float(struct ptx_lexer *lx, struct ptx_tok *t, size_t len) {
  char buf[128];
  if (len >= sizeof buf) {
    bad(lx, t, len, "number has too many digits");
    return;
  }
  memcpy(buf, lx->p, len);
  buf[len] = '\0';
  double d = strtod(buf, NULL);
  memcpy(&t->imm, &d, sizeof d);
  finish(lx, t, PTX_TOK_f64, len);
}

/* Length of a decimal number with point or exponent at p, or 0. */
static size_t float_shape(const struct ptx_lexer *lx) {
  size_t i = 0, digits = 0;
  while (is_digit(peek(lx, i)))
    i++, digits++;
  bool has_point = peek(lx, i) == '.';
  if (has_point) {
    i++;
    while (is_digit(peek(lx, i)))
      i++, digits++;
  }
  if (!digits) return 0;
  bool has_exp = false;
  if (peek(lx, i) == 'e' || peek(lx, i) == 'E') {
    size_t j = i + 1;
    if (peek(lx, j) == '+' || peek(lx, j) == '-') j++;
    if (is_digit(peek(lx, j))) {
      has_exp = true;
      while (is_digit(peek(lx, j)))
        j++;
      i = j;
    }
  }
  return (has_point || has_exp) && !is_word(peek(lx, i)) ? i : 0;
}

static void hex_float(struct ptx_lexer *lx, struct ptx_tok *t, size_t len, size_t digits) {
  if (len != digits + 2 || !read_digits(lx->p, 2, len, 16, &t->imm)) {
    bad(lx, t, len,
        digits == 8 ? "a 0f number has exactly 8 hexadecimal digits"
                    : "a 0d number has exactly 16 hexadecimal digits");
    return;
  }
  finish(lx, t, digits == 8 ? PTX_TOK_f32 : PTX_TOK_f64, len);
}

static void number(struct ptx_lexer *lx, struct ptx_tok *t) {
  size_t len = 0;
  while (is_word(peek(lx, len)))
    len++;
  char x = lx->p[0] == '0' ? (char)(peek(lx, 1) | 0x20) : '\0';
  if (x == 'f' || (x == 'd' && len > 2)) {
    hex_float(lx, t, len, x == 'f' ? 8 : 16);
    return;
  }
  size_t shape = x == 'x' || x == 'b' ? 0 : float_shape(lx);
  if (shape) {
    decimal_float(lx, t, shape);
    return;
  }
  size_t end = len;
  if (end > 1 && (lx->p[end - 1] == 'U' || lx->p[end - 1] == 'u')) {
    end--;
    t->is_unsigned = true;
  }
  size_t from = 0;
  unsigned base = 10;
  if (x == 'x' || x == 'b') {
    from = 2;
    base = x == 'x' ? 16 : 2;
  } else if (lx->p[0] == '0' && end > 1) {
    from = 1;
    base = 8;
  }
  if (!read_digits(lx->p, from, end, base, &t->imm)) {
    bad(lx, t, len, "not a number, or it does not fit 64 bits");
    return;
  }
  if (t->imm > INT64_MAX) t->is_unsigned = true;
  finish(lx, t, PTX_TOK_int, len);
}

/* .word or .word::word; the parts behind :: may begin with a digit (L2::128B), as may .1d after an
 * opcode. */
static void dot_word(struct ptx_lexer *lx, struct ptx_tok *t) {
  size_t len = 1;
  while (is_word(peek(lx, len)))
    len++;
  while (len > 1 && peek(lx, len) == ':' && peek(lx, len + 1) == ':' &&
         is_word(peek(lx, len + 2))) {
    len += 2;
    while (is_word(peek(lx, len)))
      len++;
  }
  finish(lx, t, PTX_TOK_dot, len);
}

static void string(struct ptx_lexer *lx, struct ptx_tok *t) {
  size_t len = 1;
  uint32_t hidden = 0;
  for (;; len++) {
    if ((size_t)(lx->end - lx->p) <= len || lx->p[len] == '\n') {
      bad(lx, t, len, "string without its closing quote");
      return;
    }
    if (lx->p[len] == '"') break;
    if (((unsigned char)lx->p[len] & 0xc0) == 0x80) hidden++;
    if (lx->p[len] == '\\' && peek(lx, len + 1) != '\n' && peek(lx, len + 1) != '\0') len++;
  }
  finish(lx, t, PTX_TOK_string, len + 1);
  lx->hidden += hidden;
}

static void punct(struct ptx_lexer *lx, struct ptx_tok *t) {
  static const char two[][2] = {{'<', '<'}, {'>', '>'}, {'=', '='}, {'!', '='}, {'<', '='},
                                {'>', '='}, {'&', '&'}, {'|', '|'}, {'@', '@'}};
  char c = lx->p[0], next = peek(lx, 1);
  for (size_t i = 0; i < sizeof two / sizeof *two; i++) {
    if (c == two[i][0] && next == two[i][1]) {
      t->punct = PTX_PUNCT2(c, next);
      finish(lx, t, PTX_TOK_punct, 2);
      return;
    }
  }
  if (c && strchr("{}()[]<>;:,=+-*/%&|^!~?@.", c)) {
    t->punct = (unsigned char)c;
    finish(lx, t, PTX_TOK_punct, 1);
  } else if ((unsigned char)c >= 0x80) {
    size_t len = 1;
    while (((unsigned char)peek(lx, len) & 0xc0) == 0x80 && len < 4)
      len++, lx->hidden++;
    bad(lx, t, len, "character outside comments and strings that is not ASCII");
  } else {
    bad(lx, t, 1, "character that has no meaning in PTX");
  }
}

void ptx_lex_next(struct ptx_lexer *lx, struct ptx_tok *t) {
  bool complete = skip_space(lx);
  t->s = lx->p;
  t->line = lx->line;
  t->col = (uint32_t)(lx->p - lx->line_start) - lx->hidden + 1;
  t->is_unsigned = false;
  t->punct = 0;
  t->imm = 0;
  t->what = NULL;
  if (!complete) {
    bad(lx, t, (size_t)(lx->end - lx->p), "comment without its end");
    return;
  }
  if (lx->p == lx->end) {
    finish(lx, t, PTX_TOK_end, 0);
    return;
  }
  char c = *lx->p;
  unsigned class = char_class((unsigned char)c);
  if (class & C_START || (c == '%' && is_word(peek(lx, 1)))) {
    size_t len = 1;
    while (is_word(peek(lx, len)))
      len++;
    finish(lx, t, PTX_TOK_ident, len);
  } else if (class & C_DIGIT) {
    number(lx, t);
  } else if (c == '.' && is_digit(peek(lx, 1)) && !(lx->p > lx->start && is_word(lx->p[-1])) &&
             float_shape(lx)) {
    decimal_float(lx, t, float_shape(lx));
  } else if (c == '.' && is_word(peek(lx, 1))) {
    dot_word(lx, t);
  } else if (c == '"') {
    string(lx, t);
  } else {
    punct(lx, t);
  }
}
