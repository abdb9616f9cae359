/* Functions that CUDA's device library gives and no module defines: vprintf, malloc, free,
 * __assertfail. */
#ifndef WEIR_PTX_BUILTIN_H
#define WEIR_PTX_BUILTIN_H

#include "ptx/core.h"

enum ptx_builtin {
  PTX_B_NONE,
  PTX_B_vprintf,
  PTX_B_malloc,
  PTX_B_free,
  PTX_B_assertfail,
};
/* x.list of PTX_K_BUILTIN: slots of the result (UINT32_MAX = none) and of the arguments */
enum { PTX_B_RESULT, PTX_B_ARGS, PTX_B_SLOTS = PTX_B_ARGS + 5 };

/* Which of them a function without a body is, by name and parameters. */
enum ptx_builtin ptx_builtin_find(const struct ptx_func *f);
/* A call of one of them (aux) by the lanes of the mask. Faults are noted in the warp. */
void ptx_builtin_call(struct ptx_warp *w, const struct ptx_uop *u, uint32_t mask);

/* Host memory at a generic address of a lane, and how many bytes follow it in the same object; NULL
 * (and a fault is noted) if there is none. */
const uint8_t *ptx_lane_bytes(struct ptx_warp *w, uint32_t lane, uint64_t addr, uint64_t *left);

#endif
