/* Calls of the functions of CUDA's device library. */
#ifndef WEIR_EXEC_BUILTIN_H
#define WEIR_EXEC_BUILTIN_H

#include "exec/core.h"
#include "ptx/device_library.h"

/* x.list of PTX_K_BUILTIN: slots of the result (UINT32_MAX = none) and of the arguments */
enum { PTX_B_RESULT, PTX_B_ARGS, PTX_B_SLOTS = PTX_B_ARGS + 5 };

/* A call of one of them (aux) by the lanes of the mask. Faults are noted in the warp. */
void ptx_builtin_call(struct ptx_warp *w, const struct ptx_uop *u, uint32_t mask);

/* Host memory at a generic address of a lane, and how many bytes follow it in the same object; NULL
 * (and a fault is noted) if there is none. */
const uint8_t *ptx_lane_bytes(struct ptx_warp *w, uint32_t lane, uint64_t addr, uint64_t *left);

#endif
