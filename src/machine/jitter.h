/* Small delays by chance, to see how much of a result hangs on exact cycles. */
#ifndef WEIR_MACHINE_JITTER_H
#define WEIR_MACHINE_JITTER_H

#include "base/hash.h"
#include "base/registry.h"

struct weir_jitter_cfg {
  int64_t seed, dispatch, memory;
};
extern const struct weir_param_group weir_jitter_params;

/* For choices that are made by chance anyway. */
static inline uint64_t weir_jitter_seed(const struct weir_jitter_cfg *c) {
  return c->dispatch > 0 || c->memory > 0 ? (uint64_t)c->seed : 0;
}

enum weir_jitter_of { WEIR_JITTER_DISPATCH, WEIR_JITTER_MEMORY };

/* From 0 to `most` cycles. It follows from the seed, from what is delayed (which launch, or which
 * channel) and from its number there, and so from nothing that threads or windows could change. */
static inline uint64_t weir_jitter(const struct weir_jitter_cfg *c, enum weir_jitter_of what,
                                   uint64_t which, uint64_t number) {
  int64_t most = what == WEIR_JITTER_DISPATCH ? c->dispatch : c->memory;
  if (most == 0) return 0;
  uint64_t x = weir_splitmix64((uint64_t)c->seed * 2 + what);
  x = weir_splitmix64(weir_splitmix64(x + which) + number);
  return ((x >> 32) * (uint64_t)(most + 1)) >> 32;
}

#endif
