#include "exec/mem.h"

#include "base/mem.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

enum { MIN_ALIGN = 512, LARGE = 1 << 20, LARGE_ALIGN = 2 << 20, FAR = 1 << 30 };

/* There in a program that was built with ThreadSanitizer. */
extern void __tsan_init(void) __attribute__((weak)); // NOLINT(*reserved-identifier,cert-*)

/* `at` NULL: anywhere. */
static enum weir_status reserve(struct ptx_mem *m, void *at, uint64_t base, uint64_t reserve_bytes,
                                struct weir_err *err) {
  *m = (struct ptx_mem){0};
  int fixed = at != NULL ? MAP_FIXED_NOREPLACE : 0;
  void *p = mmap(at, reserve_bytes, PROT_READ | PROT_WRITE,
                 MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | fixed, -1, 0);
  if (p != MAP_FAILED && at != NULL && p != at) { /* a kernel that does not know the flag */
    munmap(p, reserve_bytes);
    p = MAP_FAILED;
  }
  if (p == MAP_FAILED) {
    weir_fail(err, WEIR_ENOMEM, "cannot reserve %" PRIu64 " MiB of address space for device memory",
              reserve_bytes >> 20);
    weir_err_add(err, "remedy: lower exec.device_memory");
    return WEIR_ENOMEM;
  }
  m->host = p;
  m->base = base;
  m->reserved = reserve_bytes;
  m->origin = (uintptr_t)p - base;
  return WEIR_OK;
}

enum weir_status ptx_mem_init(struct ptx_mem *m, uint64_t reserve_bytes, struct weir_err *err) {
  return reserve(m, NULL, PTX_GLOBAL_BASE, reserve_bytes, err);
}

enum weir_status ptx_mem_init_same(struct ptx_mem *m, uint64_t reserve_bytes,
                                   struct weir_err *err) {
  uint64_t base = __tsan_init != NULL ? PTX_SAME_BASE_TSAN : PTX_SAME_BASE;
  enum weir_status st = reserve(m, (void *)(uintptr_t)base, base, reserve_bytes, err);
  m->is_chunked = st == WEIR_OK;
  return st;
}

void ptx_mem_free_all(struct ptx_mem *m) {
  for (size_t i = 0; i < m->n_allocs; i++)
    free((char *)m->allocs[i].name);
  free(m->allocs);
  ptx_chunks_free(&m->chunks);
  if (m->host != NULL) munmap(m->host, m->reserved);
  *m = (struct ptx_mem){0};
}

static char *copy_name(const char *name) {
  size_t n = strlen(name) + 1;
  char *copy = weir_malloc(n);
  return copy != NULL ? memcpy(copy, name, n) : NULL;
}

size_t ptx_mem_upper(const struct ptx_mem *m, uint64_t addr) {
  return ptx_above(m->allocs, m->n_allocs, sizeof *m->allocs, addr);
}

/* Where the next allocation can begin, but for its alignment. */
static uint64_t behind(const struct ptx_alloc *a) {
  return a->base + a->bytes + MIN_ALIGN;
}

/* Index of the first allocation with room before it. A program that allocates very often asks for
 * nearly the same each time, so most of them need not be looked at again. */
static size_t skip_packed(struct ptx_mem *m) {
  size_t i = m->n_packed;
  for (; i < m->n_allocs; i++) {
    uint64_t at = i > 0 ? behind(&m->allocs[i - 1]) : m->base;
    uint64_t start = (at + MIN_ALIGN - 1) & ~(uint64_t)(MIN_ALIGN - 1);
    if (start + MIN_ALIGN <= m->allocs[i].base) break;
  }
  m->n_packed = i;
  return i;
}

/* Put an allocation at place i of the table. */
static enum weir_status insert(struct ptx_mem *m, size_t i, struct ptx_alloc a,
                               struct weir_err *err) {
  a.name = copy_name(a.name);
  if (a.name == NULL) return weir_fail(err, WEIR_ENOMEM, "out of memory");
  if (m->n_allocs == m->cap_allocs) {
    size_t cap = m->cap_allocs ? m->cap_allocs * 2 : 16;
    void *v = weir_realloc(m->allocs, cap * sizeof *m->allocs);
    if (v == NULL) {
      free((char *)a.name);
      return weir_fail(err, WEIR_ENOMEM, "out of memory");
    }
    m->allocs = v;
    m->cap_allocs = cap;
  }
  memmove(m->allocs + i + 1, m->allocs + i, (m->n_allocs - i) * sizeof *m->allocs);
  m->allocs[i] = a;
  m->n_allocs++;
  return WEIR_OK;
}

/* The lowest gap that holds the bytes and a guard behind them. Nothing is adopted in such memory:
 * all allocations lie in the range. */
static bool place_spaced(struct ptx_mem *m, uint64_t bytes, uint64_t align, uint64_t *addr) {
  if (align < MIN_ALIGN) align = MIN_ALIGN;
  if (bytes >= LARGE && align < LARGE_ALIGN) align = LARGE_ALIGN;
  const uint64_t end = m->base + m->reserved;
  size_t i = skip_packed(m);
  uint64_t at = i > 0 ? behind(&m->allocs[i - 1]) : m->base;
  while (bytes <= m->reserved) {
    uint64_t start = (at + align - 1) & ~(align - 1);
    uint64_t limit = i < m->n_allocs ? m->allocs[i].base : end;
    *addr = start;
    if (start + bytes + MIN_ALIGN <= limit) return true;
    if (i == m->n_allocs) return false;
    at = behind(&m->allocs[i]);
    i++;
  }
  return false;
}

enum weir_status ptx_mem_alloc_in(struct ptx_mem *m, enum ptx_pool pool, uint64_t bytes,
                                  uint64_t align, const char *name, bool read_only, uint64_t *addr,
                                  struct weir_err *err) {
  uint64_t at;
  if (m->is_chunked ? !ptx_chunk_place(m, pool, bytes, align, &at)
                    : !place_spaced(m, bytes, align, &at)) {
    weir_fail(err, WEIR_ENOMEM,
              "device memory is full: '%s' wants %" PRIu64 " bytes, %" PRIu64 " MiB exist in all",
              name, bytes, m->reserved >> 20);
    weir_err_add(err, "remedy: raise exec.device_memory");
    return WEIR_ENOMEM;
  }
  enum weir_status st = insert(
      m, ptx_mem_upper(m, at),
      (struct ptx_alloc){.base = at, .bytes = bytes, .name = name, .is_read_only = read_only}, err);
  if (st == WEIR_OK)
    *addr = at;
  else if (m->is_chunked)
    ptx_chunk_leave(m, at, bytes);
  return st;
}

enum weir_status ptx_mem_alloc(struct ptx_mem *m, uint64_t bytes, uint64_t align, const char *name,
                               bool read_only, uint64_t *addr, struct weir_err *err) {
  return ptx_mem_alloc_in(m, PTX_POOL_DEVICE, bytes, align, name, read_only, addr, err);
}

enum weir_status ptx_mem_adopt(struct ptx_mem *m, uint64_t addr, uint64_t bytes, const char *name,
                               bool read_only, struct weir_err *err) {
  uint64_t end = addr + bytes;
  size_t i = ptx_mem_upper(m, addr);
  bool in_window = addr < PTX_GLOBAL_BASE && end > PTX_PARAM_BASE;
  bool in_range = addr < m->base + m->reserved && end > m->base;
  bool overlaps = (i > 0 && m->allocs[i - 1].base + m->allocs[i - 1].bytes > addr) ||
                  (i < m->n_allocs && m->allocs[i].base < end);
  if (m->origin != 0 || bytes == 0 || end < addr || in_window || in_range || overlaps)
    return weir_fail(err, WEIR_EINVAL,
                     "%" PRIu64 " bytes at host address 0x%" PRIx64 " cannot be device memory too",
                     bytes, addr);
  return insert(m, i,
                (struct ptx_alloc){.base = addr,
                                   .bytes = bytes,
                                   .name = name,
                                   .is_read_only = read_only,
                                   .is_adopted = true},
                err);
}

void ptx_mem_clear(const struct ptx_mem *m, uint64_t addr, uint64_t bytes) {
  uint64_t page = 4096, lo = (addr + page - 1) & ~(page - 1), hi = (addr + bytes) & ~(page - 1);
  /* Pages that the program has locked (mlockall) cannot be given back. */
  if (lo >= hi || madvise(ptx_mem_host(m, lo), (size_t)(hi - lo), MADV_DONTNEED) != 0) {
    memset(ptx_mem_host(m, addr), 0, (size_t)bytes);
    return;
  }
  memset(ptx_mem_host(m, addr), 0, (size_t)(lo - addr));
  memset(ptx_mem_host(m, hi), 0, (size_t)(addr + bytes - hi));
}

enum weir_status ptx_mem_release(struct ptx_mem *m, uint64_t addr, struct weir_err *err) {
  size_t i = ptx_mem_upper(m, addr);
  if (i == 0 || m->allocs[i - 1].base != addr)
    return weir_fail(err, WEIR_EINVAL, "0x%" PRIx64 " is not the start of an allocation", addr);
  i--;
  if (i < m->n_packed) m->n_packed = i;
  const struct ptx_alloc gone = m->allocs[i];
  memmove(m->allocs + i, m->allocs + i + 1, (m->n_allocs - i - 1) * sizeof *m->allocs);
  m->n_allocs--;
  free((char *)gone.name);
  if (!gone.is_adopted && m->is_chunked)
    ptx_chunk_leave(m, gone.base, gone.bytes);
  else if (!gone.is_adopted)
    ptx_mem_clear(m, gone.base, gone.bytes);
  return WEIR_OK;
}

const struct ptx_alloc *ptx_mem_find(const struct ptx_mem *m, uint64_t addr) {
  size_t i = ptx_mem_upper(m, addr);
  if (i == 0) return NULL;
  const struct ptx_alloc *a = &m->allocs[i - 1];
  return addr - a->base < a->bytes ? a : NULL;
}

void ptx_mem_share(struct ptx_mem *m, uint64_t addr) {
  size_t i = ptx_mem_upper(m, addr);
  if (i > 0 && m->allocs[i - 1].base == addr) m->allocs[i - 1].is_hosts = true;
}

/* Memory of the host's comes in whole pages. */
static bool in_pages_of(const struct ptx_alloc *a, uint64_t addr, uint64_t bytes) {
  const uint64_t page = 4096;
  return a->is_adopted && addr >= a->base / page * page &&
         addr + bytes <= (a->base + a->bytes + page - 1) / page * page;
}

bool ptx_mem_is_mapped(const struct ptx_mem *m, uint64_t addr, uint64_t bytes) {
  const struct ptx_chunk *c = ptx_chunk_find(m, addr);
  if (addr + bytes < addr) return false;
  if (c != NULL) return addr + bytes <= c->base + c->bytes;
  size_t i = ptx_mem_upper(m, addr);
  return (i > 0 && in_pages_of(&m->allocs[i - 1], addr, bytes)) ||
         (i < m->n_allocs && in_pages_of(&m->allocs[i], addr, bytes));
}

static void describe_distance(uint64_t n, const char *which, const struct ptx_alloc *a, char *buf,
                              size_t len) {
  char far[64];
  if (n == 0)
    snprintf(far, sizeof far, "just");
  else if (n > FAR)
    snprintf(far, sizeof far, "far");
  else
    snprintf(far, sizeof far, "%" PRIu64 " byte%s", n, n == 1 ? "" : "s");
  snprintf(buf, len, "%s %s '%s' (0x%" PRIx64 ", %" PRIu64 " bytes)", far, which, a->name, a->base,
           a->bytes);
}

static void describe_inside(const struct ptx_alloc *a, uint64_t addr, char *buf, size_t len) {
  snprintf(buf, len, "inside '%s' (0x%" PRIx64 ", %" PRIu64 " bytes), at byte %" PRIu64, a->name,
           a->base, a->bytes, addr - a->base);
}

/* An address in the allocation `in`, by a pointer that belongs to `home`. */
static void describe_from(const struct ptx_alloc *home, const struct ptx_alloc *in, uint64_t addr,
                          char *buf, size_t len) {
  bool is_past = addr > home->base;
  describe_distance(is_past ? addr - (home->base + home->bytes) : home->base - addr,
                    is_past ? "past the end of" : "before", home, buf, len);
  size_t n = strlen(buf);
  if (in == NULL || n + 3 > len) return;
  memcpy(buf + n, ", ", 3);
  describe_inside(in, addr, buf + n + 2, len - n - 2);
}

static void describe_crossing(const struct ptx_alloc *a, uint64_t addr, char *buf, size_t len) {
  snprintf(buf, len,
           "crossing the end of '%s' (0x%" PRIx64 ", %" PRIu64 " bytes) from byte %" PRIu64 " on",
           a->name, a->base, a->bytes, addr - a->base);
}

void ptx_mem_describe(const struct ptx_mem *m, uint64_t addr, uint64_t bytes, uint64_t home,
                      char *buf, size_t len) {
  const struct ptx_alloc *from = home != 0 ? ptx_mem_find(m, home) : NULL;
  if (from != NULL) {
    describe_from(from, ptx_mem_find(m, addr), addr, buf, len);
    return;
  }
  size_t i = ptx_mem_upper(m, addr);
  const struct ptx_alloc *below = i > 0 ? &m->allocs[i - 1] : NULL;
  const struct ptx_alloc *above = i < m->n_allocs ? &m->allocs[i] : NULL;
  uint64_t past = below ? addr - (below->base + below->bytes) : UINT64_MAX;
  uint64_t before = above ? above->base - addr : UINT64_MAX;
  bool is_in = below && addr - below->base < below->bytes;
  if (is_in && bytes > below->bytes - (addr - below->base))
    describe_crossing(below, addr, buf, len);
  else if (is_in)
    describe_inside(below, addr, buf, len);
  else if (below && past <= before)
    describe_distance(past, "past the end of", below, buf, len);
  else if (above)
    describe_distance(before, "before", above, buf, len);
  else
    snprintf(buf, len, "nothing is allocated");
}
