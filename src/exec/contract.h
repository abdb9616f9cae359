/* Which products and sums become one fused multiply-add.
 *
 * PTX lets an assembler fuse `mul` and `add` or `sub` that have no rounding modifier, and the one
 * for the H200 does, so that results differ from the text's in the last place. What it fuses was
 * learnt from what it makes of generated kernels (tests/contract); contract.c has the rules. */
#ifndef WEIR_EXEC_CONTRACT_H
#define WEIR_EXEC_CONTRACT_H

#include "ptx/ir.h"

enum { PTX_NOT_FUSED = UINT32_MAX };

struct ptx_fused {       /* of an instruction */
  uint32_t mul;          /* a sum: the instruction whose product goes into it, or PTX_NOT_FUSED */
  bool is_second;        /* the product is the sum's second operand */
  bool is_negated;       /* and was negated on its way to it */
  bool is_kept, is_copy; /* a product: its factors are needed after they were written over; a sum:
                            takes its factors from there */
};

/* One for each instruction of the function, or NULL if nothing in it is fused. False: out of
 * memory. */
bool ptx_contract(const struct ptx_func *f, struct weir_arena *a, const struct ptx_fused **out);

#endif
