/* First in, first out, of a fixed size: for struct { T *v; uint32_t head, n, cap; }. Where nothing
 * limits how many wait, see fifo.h. */
#ifndef WEIR_BASE_RING_H
#define WEIR_BASE_RING_H

#include <stdint.h>
#include <string.h>

#include "base/mem.h"

/* The place of the i-th behind `head`, i < cap. */
static inline uint32_t weir_ring_at(uint32_t head, uint32_t i, uint32_t cap) {
  uint32_t at = head + i;
  return at < cap ? at : at - cap;
}

/* All evaluate `r` several times. SLOT is where the next one is to be written; there is room. */
#define WEIR_RING_INIT(r, size)                                                                    \
  ((r).cap = (uint32_t)(size), (r).v = weir_calloc((r).cap, sizeof *(r).v), (r).v != NULL)
#define WEIR_RING_SLOT(r)        (&(r).v[weir_ring_at((r).head, (r).n++, (r).cap)])
#define WEIR_RING_PUSH(r, value) (*WEIR_RING_SLOT(r) = (value))
#define WEIR_RING_HEAD(r)        ((r).v[(r).head])
#define WEIR_RING_POP(r)         ((r).head = weir_ring_at((r).head, 1, (r).cap), (void)(r).n--)
/* Of two of the same size. */
#define WEIR_RING_COPY(to, from)                                                                   \
  ((to).head = (from).head, (to).n = (from).n,                                                     \
   (void)memcpy((to).v, (from).v, (from).cap * sizeof *(from).v))

#endif
