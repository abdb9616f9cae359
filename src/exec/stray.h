/* Accesses that miss the allocations but not the memory: a GPU does not notice them. They are made,
 * and counted by instruction. */
#ifndef WEIR_EXEC_STRAY_H
#define WEIR_EXEC_STRAY_H

#include "exec/core.h"

/* The first access of an instruction that missed, and how many did. */
struct ptx_stray {
  struct ptx_fault first;
  uint64_t count;
  uint64_t block;
  uint32_t warp;
  char near[300];
};

struct ptx_strays {
  struct ptx_mem *mem;
  struct ptx_stray *v;
  size_t n, cap;
};

/* As on an H200: shared memory is given out in such units, and so many bytes behind a thread's own
 * are mapped. */
enum { PTX_SHARED_UNIT = 128, PTX_LOCAL_SLACK = 576 };
/* What a block with so many bytes of shared memory has mapped. */
static inline uint64_t ptx_shared_mapped(uint32_t bytes) {
  return ((uint64_t)bytes + PTX_SHARED_UNIT - 1) / PTX_SHARED_UNIT * PTX_SHARED_UNIT;
}

/* What an instruction of a program may reach: the allocation that its last access was in, and that
 * in which its pointer starts, if it is known. */
struct ptx_reach {
  uint64_t lo, hi;
  uint64_t home_lo, home_hi; /* home_hi 0: not known */
  bool is_read_only;
};

/* Where the pointers of a program's instructions start, by micro-operation. False: no memory. */
bool ptx_homes_find(struct ptx_program *p);
/* For a launch with these parameters. */
void ptx_homes_fill(const struct ptx_program *p, const struct ptx_mem *m, const uint8_t *params,
                    struct ptx_reach *reach);

/* The access that `f` describes misses: false if it is a fault. f->home: as in struct ptx_fault. */
bool ptx_stray_note(struct ptx_warp *w, const struct ptx_fault *f);

#endif
