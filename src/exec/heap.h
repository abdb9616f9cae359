/* The heap of device malloc and free: one allocation of device memory, cut into pieces.
 *
 * What is where is noted on the host, so that a kernel which writes past a piece spoils its
 * neighbours but not the heap. The same calls in the same order give the same addresses. */
#ifndef WEIR_EXEC_HEAP_H
#define WEIR_EXEC_HEAP_H

#include <stdbool.h>
#include <stdint.h>

#include "exec/mem.h"

struct ptx_heap;

/* Takes `bytes` of device memory. */
enum weir_status ptx_heap_new(struct ptx_mem *mem, uint64_t bytes, struct ptx_heap **out,
                              struct weir_err *err);
/* The device memory goes with the device. */
void ptx_heap_free(struct ptx_heap *h);
/* Address of a piece, aligned to 16; 0 if there is none so large. No bytes are a piece as well, as
 * CUDA has it. */
uint64_t ptx_heap_take(struct ptx_heap *h, uint64_t bytes);
/* False: `addr` is not a piece that is in use. */
bool ptx_heap_give(struct ptx_heap *h, uint64_t addr);

#endif
