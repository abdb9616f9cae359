/* First in, first out, growing: for struct { T *v; uint32_t head, n, cap; }. */
#ifndef WEIR_BASE_FIFO_H
#define WEIR_BASE_FIFO_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "base/mem.h"

/* Room for one more behind v[head + n - 1]. False: the host is out of memory. */
static inline bool weir_fifo_room(void **v, uint32_t *head, uint32_t n, uint32_t *cap,
                                  size_t element) {
  if (*head + n < *cap) return true;
  if (*head > n) { /* more is free in front than is used: no need to grow */
    memmove(*v, (char *)*v + *head * element, n * element);
    *head = 0;
    return true;
  }
  uint32_t more = *cap ? 2 * *cap : 64;
  void *grown = weir_realloc(*v, more * element);
  if (grown == NULL) return false;
  *v = grown;
  *cap = more;
  return true;
}

/* Both evaluate `f` several times. PUSH is false when the host is out of memory. */
#define WEIR_FIFO_PUSH(f, value)                                                                   \
  (weir_fifo_room((void **)&(f).v, &(f).head, (f).n, &(f).cap, sizeof *(f).v)                      \
       ? ((f).v[(f).head + (f).n++] = (value), true)                                               \
       : false)
#define WEIR_FIFO_HEAD(f) ((f).v[(f).head])
#define WEIR_FIFO_POP(f)  ((f).head = --(f).n == 0 ? 0 : (f).head + 1)

#endif
