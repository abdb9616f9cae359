/* Kernels timed as if their text had other hints on its loads, and as if they preferred another
 * division of L1 and shared memory: recorded streams serve all of them. */
#ifndef WEIR_SESSION_HINTED_H
#define WEIR_SESSION_HINTED_H

#include "session/timing.h"
#include "stream/hint.h"

struct weir_hints {
  const char *kernel;
  uint32_t n_insns;     /* of the kernel: another one of this name is left alone */
  const uint32_t *insn; /* of so many loads, with an enum weir_hint for each */
  const uint8_t *hint;
  uint32_t n;
  uint8_t carveout; /* as in struct weir_kernel_info, where the kernel has none; 0: as it is */
};

struct weir_hinted {
  struct weir_timing *timing;
  const struct weir_hints *v;
  uint32_t n;
  /* What launches of each kernel had, to begin with and at most; NULL: not wanted. */
  struct weir_launched_with {
    uint32_t shared_bytes; /* of a block */
    uint8_t carveout;      /* the program's own */
  } * had;
  struct weir_static *insns; /* of the kernel that runs */
  uint32_t room;
};

/* A hook of weir_replay; `self` is the struct weir_hinted. */
enum weir_status weir_hinted_kernel(void *self, struct weir_block_source *source,
                                    struct weir_err *err);
void weir_hinted_free(struct weir_hinted *h);

#endif
