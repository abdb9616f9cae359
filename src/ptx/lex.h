/* PTX text to tokens. A token points into the text; nothing is allocated. */
#ifndef WEIR_PTX_LEX_H
#define WEIR_PTX_LEX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum ptx_tok_kind {
  PTX_TOK_end,
  PTX_TOK_ident,  /* name, %name, $name, _ */
  PTX_TOK_dot,    /* .word, with :: parts; `s` and `len` include the dot */
  PTX_TOK_int,    /* bits in imm */
  PTX_TOK_f32,    /* 0f12345678 */
  PTX_TOK_f64,    /* 0d... or a decimal number with a point or exponent */
  PTX_TOK_string, /* with its quotes */
  PTX_TOK_punct,  /* one or two characters; `punct` */
  PTX_TOK_bad     /* `what` says why */
};

/* Two-character operators as one number. */
#define PTX_PUNCT2(a, b) ((unsigned)(a) << 8 | (unsigned)(b))

struct ptx_tok {
  enum ptx_tok_kind kind;
  bool is_unsigned; /* U suffix, or beyond s64 */
  uint32_t len;
  const char *s;
  uint32_t line, col;
  unsigned punct;
  uint64_t imm;
  const char *what;
};

struct ptx_lexer {
  const char *start, *p, *end;
  const char *line_start;
  uint32_t line;
  uint32_t hidden; /* bytes since line_start that continue a character, for columns */
};

void ptx_lex_init(struct ptx_lexer *lx, const char *text, size_t len);
void ptx_lex_next(struct ptx_lexer *lx, struct ptx_tok *tok);

#endif
