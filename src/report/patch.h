/* Changes of a source as a unified diff. */
#ifndef WEIR_REPORT_PATCH_H
#define WEIR_REPORT_PATCH_H

#include "analysis/cuda_hint.h"

/* A comment above a line, without its end. */
struct weir_patch_note {
  uint32_t line; /* from 1 on */
  const char *text;
};

struct weir_patch {
  const struct weir_cuda_text *source;
  const char *name; /* behind a/ and b/ */
  struct weir_cuda_edits *edits;
  const struct weir_patch_note *notes;
  size_t n_notes;
};

/* Functions that edits need come first in the file. */
enum weir_status weir_patch_text(const struct weir_patch *p, struct weir_text *out,
                                 struct weir_err *err);

#endif
