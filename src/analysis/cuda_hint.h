/* Hints into CUDA sources: a load of a kernel's array becomes a call, where the line is understood.
 */
#ifndef WEIR_ANALYSIS_CUDA_HINT_H
#define WEIR_ANALYSIS_CUDA_HINT_H

#include "analysis/cuda_text.h"
#include "base/arena.h"
#include "base/text.h"
#include "stream/hint.h"

/* Of the text from `at` on, `n` bytes become `put`. */
struct weir_cuda_edit {
  size_t at, n;
  const char *put;
};

/* A function that loads a type with a hint, to be put at the top of the file. */
struct weir_cuda_helper {
  enum weir_hint hint;
  uint32_t type; /* row of a table */
  bool is_nc;    /* nothing writes the array while the kernel runs */
};

struct weir_cuda_edits {
  struct weir_arena *arena;
  struct {
    struct weir_cuda_edit *v;
    size_t n, cap;
  } list;
  struct {
    struct weir_cuda_helper *v;
    size_t n, cap;
  } helpers;       /* each once */
  bool has_failed; /* no memory */
};

struct weir_cuda_load {
  uint32_t line;      /* from 1 on */
  const char *kernel; /* as weir_cuda_param has it */
  uint32_t param;     /* which is the array */
  enum weir_hint hint;
};

/* Every read of the array in the line gets the hint. NULL if that was done, else why it was not:
 * then there is no edit for it. */
const char *weir_cuda_hint(const struct weir_cuda_text *t, const struct weir_cuda_load *load,
                           struct weir_cuda_edits *e);
/* The lines of the functions that edits need. */
void weir_cuda_helpers(const struct weir_cuda_edits *e, struct weir_text *out);
void weir_cuda_edits_free(struct weir_cuda_edits *e);

#endif
