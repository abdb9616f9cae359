/* The text of a CUDA source, read just so far that a load can be found in a line: comments, texts
 * and directives are known, kernels and their parameters are found. It is no parser: what is not
 * understood is not found. */
#ifndef WEIR_ANALYSIS_CUDA_TEXT_H
#define WEIR_ANALYSIS_CUDA_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct weir_cuda_text {
  const char *text;
  size_t n;
  char *mask;   /* the text with blanks for comments, characters of texts, and directives */
  size_t *line; /* where lines begin, and one more: the end */
  uint32_t n_lines;
};

/* `text` outlives it. False: no memory. */
bool weir_cuda_text_open(struct weir_cuda_text *t, const char *text, size_t n);
void weir_cuda_text_close(struct weir_cuda_text *t);

struct weir_cuda_param {
  const char *name, *type; /* in the mask, with lengths: "x", "const float" */
  size_t n_name, n_type;   /* the type: all before the star */
  bool is_const, is_restrict, is_volatile;
  size_t body, body_end; /* of its kernel */
};

/* The parameter number `index`, a pointer with one star, of the kernel `name` (as C++ has it,
 * without namespaces and template arguments) in whose body `at` lies. */
bool weir_cuda_param(const struct weir_cuda_text *t, const char *name, size_t at, uint32_t index,
                     struct weir_cuda_param *out);

/* In the mask. */
bool weir_cuda_is_word(char c);                                   /* part of an identifier */
size_t weir_cuda_skip(const struct weir_cuda_text *t, size_t at); /* blanks, lines as well */
/* What is no blank before `at`; `at` itself at the beginning. Where it stands is *where. */
char weir_cuda_before(const struct weir_cuda_text *t, size_t at, size_t *where);
/* The bracket that closes the one at `at`; `end`: there is none before. */
size_t weir_cuda_close(const struct weir_cuda_text *t, size_t at, size_t end);
/* The next place of an identifier from `at` on; `end`: none. */
size_t weir_cuda_find(const struct weir_cuda_text *t, const char *word, size_t n, size_t at,
                      size_t end);

#endif
