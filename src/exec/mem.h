/* Device memory: one reserved range of host memory, a table of allocations, and the windows of
 * generic addresses.
 *
 * Device addresses are fixed numbers, so that streams and messages are the same everywhere. They
 * are no host addresses, except in memory made by ptx_mem_init_same: there the range lies at its
 * device address in the host too, so that a host program and its kernels can share pointers, and
 * further memory of the host can be added. */
#ifndef WEIR_EXEC_MEM_H
#define WEIR_EXEC_MEM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "exec/chunk.h"
#include "weir/err.h"

#define PTX_GLOBAL_BASE UINT64_C(0x7f0000000000)
#define PTX_SHARED_BASE                                                                            \
  UINT64_C(0x7e0000000000) /* generic address = base + offset in the block's shared memory */
#define PTX_LOCAL_BASE                                                                             \
  UINT64_C(0x7d0000000000) /* generic address = base + offset in the thread's local memory */
#define PTX_PARAM_BASE                                                                             \
  UINT64_C(0x7c0000000000) /* generic address = base + offset in the kernel's parameters */
#define PTX_WINDOW UINT64_C(0x10000000000) /* all windows are this large */
/* For ptx_mem_init_same: far from where Linux puts programs, libraries, heaps and stacks. */
#define PTX_SAME_BASE UINT64_C(0x200000000000)
/* A program under ThreadSanitizer can have memory only where that expects it. */
#define PTX_SAME_BASE_TSAN UINT64_C(0x7f2000000000)

struct ptx_alloc {
  uint64_t base, bytes;
  const char *name;  /* for messages; owned by the table */
  bool is_read_only; /* for kernels: constant memory */
  bool is_adopted;   /* memory of the host program, outside the range */
  bool is_hosts;     /* the host program reads and writes it while kernels run */
};

struct ptx_mem {
  uint8_t *host; /* host address of `base` */
  uint64_t base, reserved;
  uintptr_t origin;         /* host address of device address a: origin + a (modulo 2^64) */
  struct ptx_alloc *allocs; /* sorted by base */
  size_t n_allocs, cap_allocs;
  size_t n_packed; /* between the first so many nothing more fits; unused with chunks */
  bool is_chunked; /* allocations lie as a GPU's driver puts them (chunk.h), without gaps */
  struct ptx_chunks chunks;
};

enum weir_status ptx_mem_init(struct ptx_mem *m, uint64_t reserve_bytes, struct weir_err *err);
/* The same from PTX_SAME_BASE on, with device addresses that are host addresses, and allocations
 * that lie as on a GPU (chunk.h). */
enum weir_status ptx_mem_init_same(struct ptx_mem *m, uint64_t reserve_bytes, struct weir_err *err);
void ptx_mem_free_all(struct ptx_mem *m);
/* Zeroed memory; `align` a power of two (at least 512 is used, 2 MiB for large ones). Without
 * chunks a gap follows every allocation, so that running over its end is found. */
enum weir_status ptx_mem_alloc(struct ptx_mem *m, uint64_t bytes, uint64_t align, const char *name,
                               bool read_only, uint64_t *addr, struct weir_err *err);
/* The same in another pool than PTX_POOL_DEVICE. */
enum weir_status ptx_mem_alloc_in(struct ptx_mem *m, enum ptx_pool pool, uint64_t bytes,
                                  uint64_t align, const char *name, bool read_only, uint64_t *addr,
                                  struct weir_err *err);
/* Let kernels use memory that the host program has, under its host address. Only with
 * ptx_mem_init_same. WEIR_EINVAL where it overlaps an allocation or a window of generic addresses.
 */
enum weir_status ptx_mem_adopt(struct ptx_mem *m, uint64_t addr, uint64_t bytes, const char *name,
                               bool read_only, struct weir_err *err);
/* The allocation at `addr` is the host's as well: it may change while a kernel runs. */
void ptx_mem_share(struct ptx_mem *m, uint64_t addr);
enum weir_status ptx_mem_release(struct ptx_mem *m, uint64_t addr, struct weir_err *err);
/* Makes memory of the range zero, and gives its pages back. */
void ptx_mem_clear(const struct ptx_mem *m, uint64_t addr, uint64_t bytes);
/* Allocation that holds `addr`, or NULL. */
const struct ptx_alloc *ptx_mem_find(const struct ptx_mem *m, uint64_t addr);
/* Index of the first allocation whose base is above `addr`. */
size_t ptx_mem_upper(const struct ptx_mem *m, uint64_t addr);
/* Is there memory for all of these bytes, allocated or not? Only in memory with chunks. */
bool ptx_mem_is_mapped(const struct ptx_mem *m, uint64_t addr, uint64_t bytes);
/* Describe where `bytes` at `addr` lie: "12 bytes past the end of 'x' (0x..., 400 bytes)". `home`
 * other than 0: as seen from the allocation that holds this address. */
void ptx_mem_describe(const struct ptx_mem *m, uint64_t addr, uint64_t bytes, uint64_t home,
                      char *buf, size_t len);

static inline uint8_t *ptx_mem_host(const struct ptx_mem *m, uint64_t addr) {
  return (uint8_t *)(m->origin + addr);
}

#endif
