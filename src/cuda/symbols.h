/* What the stand-ins for libcudart and libcuda export, as tables: for its reference page and its
 * test. */
#ifndef WEIR_CUDA_SYMBOLS_H
#define WEIR_CUDA_SYMBOLS_H

#include "base/text.h"

enum weir_cuda_state { WEIR_CUDA_WORKS, WEIR_CUDA_OLD, WEIR_CUDA_REFUSED };

struct weir_cuda_symbol {
  const char *name;
  enum weir_cuda_state state;
};
/* Sorted by name; end with a NULL name. Of libcudart and of libcuda. */
extern const struct weir_cuda_symbol weir_cuda_symbols[];
extern const struct weir_cuda_symbol weir_cuda_driver_symbols[];

/* The reference page, in Markdown. */
void weir_cuda_symbols_page(struct weir_text *out);

#endif
