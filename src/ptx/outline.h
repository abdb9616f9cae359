/* What the text of a function says to who orders its instructions (stream/outline.h). */
#ifndef WEIR_PTX_OUTLINE_H
#define WEIR_PTX_OUTLINE_H

#include "ptx/ir.h"
#include "stream/outline.h"

/* The loops of a function, its instructions numbered from 0 on. */
struct ptx_outline_loops {
  struct weir_outline_loop *v;
  size_t n, cap;
};

/* `out` has a place for each instruction; registers are numbered from `reg_base` on. Loops are
 * added to `loops`. False: out of memory. */
bool ptx_outline_find(const struct ptx_func *f, uint32_t reg_base, struct weir_outline_insn *out,
                      struct ptx_outline_loops *loops);

#endif
