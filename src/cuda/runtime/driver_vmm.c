/* Virtual memory: ranges of addresses, memory without an address, and mapping one to the other.
 * Memory is a file without a name, so that it can be mapped in several places. */
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "cuda/runtime/driver.h"

enum { GRANULARITY = 2 << 20, PINNED_TYPE = 1, LOCATION_DEVICE = 1 };

/* Where ranges begin: behind the device's own memory, at the same addresses in every run. */
static const uint64_t FIRST_RANGE = UINT64_C(0x210000000000);

struct cu_memory_props { /* CUmemAllocationProp */
  int type, handle_types;
  struct cuda_location location;
  void *security;
  unsigned char compression, rdma;
  unsigned short usage;
  unsigned char reserved[4];
};

struct physical {
  struct weir_gpu_handle handle;
  struct cu_memory_props props;
  int fd;
  uint64_t bytes;
  unsigned n_users; /* the program, until it releases it, and mappings */
};

struct mapping {
  uint64_t base, bytes;
  struct physical *memory;
  int access; /* CUmemAccess_flags */
  struct mapping *next;
};

struct range {
  struct weir_gpu_handle handle;
  uint64_t base, bytes;
  struct mapping *mappings;
  struct range *next;
};

static struct range *ranges;

static bool is_whole(uint64_t n) {
  return n != 0 && n % GRANULARITY == 0;
}

/* ---- addresses ---- */

static void *reserve_at(uint64_t addr, size_t bytes) {
  const int flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE;
  void *p = mmap(cudart_ptr(addr), bytes, PROT_NONE, flags | MAP_FIXED_NOREPLACE, -1, 0);
  if (p != MAP_FAILED && cudart_addr(p) != addr) { /* a kernel that takes it as a hint */
    munmap(p, bytes);
    p = MAP_FAILED;
  }
  return p;
}

static uint64_t behind_all(uint64_t align) {
  uint64_t end = FIRST_RANGE;
  for (const struct range *r = ranges; r != NULL; r = r->next)
    if (r->base + r->bytes > end) end = r->base + r->bytes;
  /* A gap, so that running over the end is found. */
  return (end + GRANULARITY + align - 1) / align * align;
}

static int reserve(uint64_t *out, size_t bytes, size_t align, uint64_t addr, uint64_t flags) {
  if (out == NULL || !is_whole(bytes) || flags != 0 || addr % GRANULARITY != 0)
    return WEIR_E_InvalidValue;
  if ((align & (align - 1)) != 0) return WEIR_E_InvalidValue;
  if (align < GRANULARITY) align = GRANULARITY;
  struct range *r = weir_gpu_new(WEIR_GPU_RANGE, sizeof *r);
  if (r == NULL) return WEIR_E_MemoryAllocation;
  void *p = addr != 0 ? reserve_at(addr, bytes) : MAP_FAILED;
  if (p == MAP_FAILED) p = reserve_at(behind_all(align), bytes);
  if (p == MAP_FAILED) {
    weir_gpu_drop(r);
    return WEIR_E_MemoryAllocation;
  }
  r->base = cudart_addr(p);
  r->bytes = bytes;
  r->next = ranges;
  ranges = r;
  *out = r->base;
  return 0;
}

CUDA_API(cuMemAddressReserve, uint64_t *out, size_t bytes, size_t align, uint64_t addr,
         unsigned long long flags) {
  CU_CALL_ANY(reserve(out, bytes, align, addr, flags));
}

static int free_range(uint64_t base, size_t bytes) {
  struct range **at = &ranges;
  while (*at != NULL && (*at)->base != base)
    at = &(*at)->next;
  struct range *r = *at;
  if (r == NULL || r->bytes != bytes || r->mappings != NULL) return WEIR_E_InvalidValue;
  *at = r->next;
  munmap(cudart_ptr(base), bytes);
  weir_gpu_drop(r);
  return 0;
}

CUDA_API(cuMemAddressFree, uint64_t base, size_t bytes) {
  CU_CALL_ANY(free_range(base, bytes));
}

/* ---- memory ---- */

static bool is_supported(const struct cu_memory_props *p) {
  return p->type == PINNED_TYPE && p->location.type == LOCATION_DEVICE;
}

static int granularity(size_t *out, const struct cu_memory_props *p) {
  if (out == NULL || p == NULL) return WEIR_E_InvalidValue;
  *out = GRANULARITY;
  return 0;
}

CUDA_API(cuMemGetAllocationGranularity, size_t *out, const struct cu_memory_props *props,
         int option) {
  (void)option; /* the least and the recommended one are the same */
  CU_CALL_ANY(granularity(out, props));
}

static struct physical *new_physical(const struct cu_memory_props *p, size_t bytes) {
  struct physical *m = weir_gpu_new(WEIR_GPU_PHYSICAL, sizeof *m);
  if (m == NULL) return NULL;
  m->props = *p;
  m->bytes = bytes;
  m->n_users = 1;
  m->fd = memfd_create("weir device memory", MFD_CLOEXEC);
  if (m->fd >= 0 && ftruncate(m->fd, (off_t)bytes) == 0) return m;
  if (m->fd >= 0) close(m->fd);
  weir_gpu_drop(m);
  return NULL;
}

static int create(uint64_t *out, size_t bytes, const struct cu_memory_props *p, uint64_t flags) {
  uint64_t left, total;
  if (out == NULL || p == NULL || !is_whole(bytes) || flags != 0) return WEIR_E_InvalidValue;
  if (!is_supported(p)) return WEIR_E_NotSupported;
  if (p->location.id != 0) return WEIR_E_InvalidDevice;
  weir_gpu_memory_info(&left, &total);
  struct physical *m = bytes <= left ? new_physical(p, bytes) : NULL;
  if (m == NULL) return WEIR_E_MemoryAllocation;
  weir_gpu.used_bytes += bytes;
  *out = cudart_addr(m);
  return 0;
}

CUDA_API(cuMemCreate, uint64_t *out, size_t bytes, const struct cu_memory_props *props,
         unsigned long long flags) {
  CU_CALL_ANY(create(out, bytes, props, flags));
}

static struct physical *physical_of(uint64_t handle) {
  return weir_gpu_handle(cudart_ptr(handle), WEIR_GPU_PHYSICAL);
}

static void leave_physical(struct physical *m) {
  if (--m->n_users > 0) return;
  close(m->fd);
  weir_gpu.used_bytes -= m->bytes;
  weir_gpu_drop(m);
}

/* Mapped memory stays until it is unmapped. */
static int release(struct physical *m) {
  if (m == NULL) return WEIR_E_InvalidValue;
  leave_physical(m);
  return 0;
}

CUDA_API(cuMemRelease, uint64_t handle) {
  CU_CALL_ANY(release(physical_of(handle)));
}

static int get_props(struct cu_memory_props *out, uint64_t handle) {
  const struct physical *m = physical_of(handle);
  if (out == NULL || m == NULL) return WEIR_E_InvalidValue;
  *out = m->props;
  return 0;
}

CUDA_API(cuMemGetAllocationPropertiesFromHandle, struct cu_memory_props *out, uint64_t handle) {
  CU_CALL_ANY(get_props(out, handle));
}

/* ---- mapping ---- */

static struct range *range_of(uint64_t base, uint64_t bytes) {
  struct range *r = ranges;
  while (r != NULL &&
         (base < r->base || base - r->base > r->bytes || bytes > r->bytes - (base - r->base)))
    r = r->next;
  return r;
}

void cu_reserved(uint64_t addr, uint64_t *base, uint64_t *bytes) {
  const struct range *r = range_of(addr, 1);
  if (r == NULL) return;
  *base = r->base;
  *bytes = r->bytes;
}

static struct mapping *mapping_of(uint64_t addr) {
  struct range *r = range_of(addr, 1);
  struct mapping *m = r != NULL ? r->mappings : NULL;
  while (m != NULL && addr - m->base >= m->bytes)
    m = m->next;
  return m;
}

static bool overlaps(const struct mapping *m, uint64_t base, uint64_t bytes) {
  return base < m->base + m->bytes && m->base < base + bytes;
}

static int map(uint64_t base, size_t bytes, size_t offset, uint64_t handle, uint64_t flags) {
  struct physical *p = physical_of(handle);
  if (p == NULL || !is_whole(bytes) || base % GRANULARITY != 0 || flags != 0)
    return WEIR_E_InvalidValue;
  if (offset != 0) return WEIR_E_NotSupported; /* by CUDA, too */
  if (bytes > p->bytes) return WEIR_E_InvalidValue;
  struct range *r = range_of(base, bytes);
  if (r == NULL) return WEIR_E_InvalidValue;
  for (const struct mapping *m = r->mappings; m != NULL; m = m->next)
    if (overlaps(m, base, bytes)) return WEIR_E_InvalidValue;
  struct mapping *m = weir_gpu_host_calloc(1, sizeof *m);
  if (m == NULL) return WEIR_E_MemoryAllocation;
  if (mmap(cudart_ptr(base), bytes, PROT_NONE, MAP_SHARED | MAP_FIXED, p->fd, 0) == MAP_FAILED) {
    free(m);
    return WEIR_E_MemoryAllocation;
  }
  *m = (struct mapping){.base = base, .bytes = bytes, .memory = p, .next = r->mappings};
  r->mappings = m;
  p->n_users++;
  return 0;
}

CUDA_API(cuMemMap, uint64_t base, size_t bytes, size_t offset, uint64_t handle,
         unsigned long long flags) {
  CU_CALL_ANY(map(base, bytes, offset, handle, flags));
}

enum { ACCESS_NONE = 0, ACCESS_READ = 1, ACCESS_READ_WRITE = 3 };

/* The host reads and writes it, too, for copies. */
static int give_access(struct mapping *m, int access) {
  int prot = access != ACCESS_NONE ? PROT_READ | PROT_WRITE : PROT_NONE;
  if (m->access != ACCESS_NONE) weir_gpu_free(m->base, 1u << WEIR_GPU_MAPPED, WEIR_E_InvalidValue);
  m->access = ACCESS_NONE;
  if (mprotect(cudart_ptr(m->base), m->bytes, prot) != 0) return WEIR_E_MemoryAllocation;
  if (access == ACCESS_NONE) return 0;
  int error = weir_gpu_adopt(m->base, m->bytes, access == ACCESS_READ);
  if (error == 0) m->access = access;
  return error;
}

static int set_access(uint64_t base, size_t bytes, const struct cuda_access_desc *list, size_t n) {
  struct range *r = range_of(base, bytes);
  if (r == NULL || list == NULL || n == 0) return WEIR_E_InvalidValue;
  uint64_t found = 0;
  int error = 0, access = list[n - 1].flags;
  if (access != ACCESS_NONE && access != ACCESS_READ && access != ACCESS_READ_WRITE)
    return WEIR_E_InvalidValue;
  for (size_t i = 0; i < n; i++)
    if (list[i].location.type == LOCATION_DEVICE && list[i].location.id != 0)
      return WEIR_E_InvalidDevice;
  for (struct mapping *m = r->mappings; m != NULL && error == 0; m = m->next) {
    if (m->base < base || m->base + m->bytes > base + bytes) continue;
    error = give_access(m, access);
    found += m->bytes;
  }
  return error != 0 ? error : found == bytes ? 0 : WEIR_E_InvalidValue;
}

CUDA_API(cuMemSetAccess, uint64_t base, size_t bytes, const struct cuda_access_desc *list,
         size_t n) {
  CU_CALL_ANY(set_access(base, bytes, list, n));
}

static int get_access(unsigned long long *flags, const struct cuda_location *location,
                      uint64_t addr) {
  const struct mapping *m = mapping_of(addr);
  if (flags == NULL || location == NULL || m == NULL) return WEIR_E_InvalidValue;
  *flags = (unsigned long long)m->access;
  return 0;
}

CUDA_API(cuMemGetAccess, unsigned long long *flags, const struct cuda_location *location,
         uint64_t addr) {
  CU_CALL_ANY(get_access(flags, location, addr));
}

static void unmap_one(struct mapping *m) {
  give_access(m, ACCESS_NONE);
  (void)mmap(cudart_ptr(m->base), m->bytes, PROT_NONE,
             MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1, 0);
  leave_physical(m->memory);
  free(m);
}

/* Whole mappings, all that lie in it; there may be none. */
static int unmap(uint64_t base, size_t bytes) {
  struct range *r = range_of(base, bytes);
  if (r == NULL || bytes == 0) return WEIR_E_InvalidValue;
  for (struct mapping **at = &r->mappings; *at != NULL;) {
    struct mapping *m = *at;
    if (m->base < base || m->base + m->bytes > base + bytes) {
      at = &m->next;
      continue;
    }
    *at = m->next;
    unmap_one(m);
  }
  return 0;
}

CUDA_API(cuMemUnmap, uint64_t base, size_t bytes) {
  CU_CALL_ANY(unmap(base, bytes));
}

static int retain(uint64_t *out, const void *addr) {
  const struct mapping *m = mapping_of(cudart_addr(addr));
  if (out == NULL || m == NULL) return WEIR_E_InvalidValue;
  m->memory->n_users++;
  *out = cudart_addr(m->memory);
  return 0;
}

CUDA_API(cuMemRetainAllocationHandle, uint64_t *out, const void *addr) {
  CU_CALL_ANY(retain(out, addr));
}
