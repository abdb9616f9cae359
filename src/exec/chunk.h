/* Where a GPU's driver puts allocations: memory is mapped in chunks, and small allocations share
 * one. What lies between them is memory like any other, so that an access which misses its
 * allocation reaches what it would reach there. */
#ifndef WEIR_EXEC_CHUNK_H
#define WEIR_EXEC_CHUNK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Allocations of different pools share no chunk. */
enum ptx_pool {
  PTX_POOL_DEVICE, /* cudaMalloc */
  PTX_POOL_MODULE, /* variables */
  PTX_POOL_PINNED,
  PTX_POOL_MANAGED,
  PTX_POOL_ASYNC,  /* cudaMallocAsync */
  PTX_POOL_DRIVER, /* its own: mapped, and nobody's */
  PTX_N_POOLS
};

struct ptx_chunk {
  uint64_t base, bytes;
  uint64_t tail; /* from here on nothing is allocated; an offset */
  uint64_t hole; /* before that no free piece is larger */
  uint32_t n_live;
  uint8_t pool, area;
  bool is_shared; /* by small allocations */
  bool is_dirty;  /* outside of its allocations it may not be zero */
};

struct ptx_chunks {
  struct ptx_chunk *v; /* sorted by base */
  size_t n, cap;
  size_t n_packed; /* between the first so many there is no room */
  bool has_driver; /* the driver's own memory is there */
  struct {         /* of each pool: for so many bytes there is no room before that address */
    uint64_t bytes, before;
  } full[PTX_N_POOLS];
};

/* Index of the first of `n` records, each of `step` bytes, whose base is above `addr`. They are
 * sorted by their base, a uint64_t with which they begin. */
static inline size_t ptx_above(const void *records, size_t n, size_t step, uint64_t addr) {
  size_t lo = 0, hi = n;
  while (lo < hi) {
    size_t mid = lo + (hi - lo) / 2;
    const uint64_t *base = (const void *)((const char *)records + mid * step);
    if (*base <= addr)
      lo = mid + 1;
    else
      hi = mid;
  }
  return lo;
}

struct ptx_mem;
/* Finds a place, and makes its chunk if need be; false: there is none, or no memory for the table.
 * The caller enters the allocation into its table. */
bool ptx_chunk_place(struct ptx_mem *m, enum ptx_pool pool, uint64_t bytes, uint64_t align,
                     uint64_t *addr);
/* An allocation that is no longer in the table. */
void ptx_chunk_leave(struct ptx_mem *m, uint64_t addr, uint64_t bytes);
/* The chunk that holds an address; NULL: nothing is mapped there. */
struct ptx_chunk *ptx_chunk_find(const struct ptx_mem *m, uint64_t addr);
void ptx_chunks_free(struct ptx_chunks *c);

#endif
