#include "exec/chunk.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "exec/mem.h"

#define KIB UINT64_C(1024)
#define MIB (1024 * KIB)

/* As an H200 (driver 580) has it: tests/truth/data/oob_h200.txt. Addresses come from several areas,
 * which do not touch. In that of pages lies the driver's own memory, too. */
enum area { PAGES, LARGE, HUGE_ONES, MANAGED, ASYNC };
enum { GAP = 2 << 20, DRIVER_BEFORE = 160 << 20, DRIVER_BEHIND = 72 << 20 };

static const struct {
  uint64_t unit;  /* chunks begin at multiples of it */
  uint64_t small; /* allocations of up to so many bytes share a chunk of one unit */
  uint64_t page;  /* others are mapped in multiples of this */
} pools[PTX_N_POOLS] = {
    [PTX_POOL_DEVICE] = {2 * MIB, 1 * MIB, 2 * MIB},
    [PTX_POOL_MODULE] = {2 * MIB, 1 * MIB, 2 * MIB},
    [PTX_POOL_PINNED] = {2 * MIB, 1 * MIB, 4 * KIB},
    [PTX_POOL_MANAGED] = {2 * MIB, 1 * MIB, 4 * KIB},
    [PTX_POOL_ASYNC] = {32 * MIB, 32 * MIB, 32 * MIB},
    [PTX_POOL_DRIVER] = {2 * MIB, 0, 2 * MIB},
};
enum { ALIGN = 512 };

static enum area area_of(enum ptx_pool pool, uint64_t bytes) {
  if (pool == PTX_POOL_MANAGED) return MANAGED;
  if (pool == PTX_POOL_ASYNC) return ASYNC;
  if (pool == PTX_POOL_DRIVER || bytes <= 2 * MIB) return PAGES;
  return bytes < 32 * MIB || pool == PTX_POOL_PINNED ? LARGE : HUGE_ONES;
}

static uint64_t round_up(uint64_t n, uint64_t unit) {
  return (n + unit - 1) / unit * unit;
}

/* What is small enough has a page for itself; behind a very large one something of the driver's is
 * mapped. */
static uint64_t mapped_bytes(enum ptx_pool pool, uint64_t bytes, enum area area) {
  if (area == HUGE_ONES) return round_up(bytes, 2 * MIB) + 2 * MIB;
  return bytes <= 2 * MIB ? pools[pool].unit : round_up(bytes, pools[pool].page);
}

static size_t upper(const struct ptx_chunks *c, uint64_t addr) {
  return ptx_above(c->v, c->n, sizeof *c->v, addr);
}

struct ptx_chunk *ptx_chunk_find(const struct ptx_mem *m, uint64_t addr) {
  size_t i = upper(&m->chunks, addr);
  struct ptx_chunk *c = i > 0 ? &m->chunks.v[i - 1] : NULL;
  return c != NULL && addr - c->base < c->bytes ? c : NULL;
}

void ptx_chunks_free(struct ptx_chunks *c) {
  free(c->v);
  *c = (struct ptx_chunks){0};
}

/* ---- chunks ---- */

static struct ptx_chunk *insert(struct ptx_chunks *c, size_t i, struct ptx_chunk chunk) {
  if (c->n == c->cap) {
    size_t cap = c->cap != 0 ? 2 * c->cap : 16;
    struct ptx_chunk *v = weir_realloc(c->v, cap * sizeof *v);
    if (v == NULL) return NULL;
    c->v = v;
    c->cap = cap;
  }
  memmove(c->v + i + 1, c->v + i, (c->n - i) * sizeof *c->v);
  c->v[i] = chunk;
  c->n++;
  return &c->v[i];
}

/* How far apart two chunks must be. Large ones follow on pages. */
static uint64_t gap(enum area low, enum area high) {
  return low == high || (low == PAGES && high == LARGE) ? 0 : GAP;
}

static bool is_packed(const struct ptx_mem *m, size_t i) {
  const struct ptx_chunk *c = &m->chunks.v[i];
  if (i == 0) return c->base == m->base;
  uint64_t end = round_up(c[-1].base + c[-1].bytes, GAP);
  return c->base - end <= gap(c[-1].area, c->area);
}

/* The lowest gap that holds it. */
static struct ptx_chunk *place_chunk(struct ptx_mem *m, enum ptx_pool pool, uint64_t bytes,
                                     uint64_t align) {
  struct ptx_chunks *c = &m->chunks;
  const uint64_t end = m->base + m->reserved;
  enum area area = area_of(pool, bytes);
  struct ptx_chunk made = {
      .bytes = mapped_bytes(pool, bytes, area), .pool = (uint8_t)pool, .area = (uint8_t)area};
  if (align < pools[pool].unit) align = pools[pool].unit;
  while (c->n_packed < c->n && is_packed(m, c->n_packed))
    c->n_packed++;
  for (size_t i = c->n_packed; i <= c->n; i++) {
    uint64_t at = m->base, limit = end;
    if (i > 0) at = c->v[i - 1].base + c->v[i - 1].bytes + gap(c->v[i - 1].area, area);
    if (i < c->n) limit = c->v[i].base - gap(area, c->v[i].area);
    made.base = round_up(at, align);
    if (made.base <= limit && made.bytes <= limit - made.base) return insert(c, i, made);
  }
  return NULL;
}

/* The driver's own memory, with room for the first page in it. False: no memory for the table. */
static bool add_driver(struct ptx_mem *m) {
  struct ptx_chunks *c = &m->chunks;
  const uint64_t page = pools[PTX_POOL_DRIVER].unit, behind = DRIVER_BEFORE + page;
  if (c->has_driver || m->reserved / 4 < behind + DRIVER_BEHIND) return true;
  c->has_driver = true;
  return insert(c, 0,
                (struct ptx_chunk){
                    .base = m->base, .bytes = DRIVER_BEFORE, .pool = PTX_POOL_DRIVER}) != NULL &&
         insert(c, 1,
                (struct ptx_chunk){.base = m->base + behind,
                                   .bytes = DRIVER_BEHIND,
                                   .pool = PTX_POOL_DRIVER}) != NULL;
}

static struct ptx_chunk *new_chunk(struct ptx_mem *m, enum ptx_pool pool, uint64_t bytes,
                                   uint64_t align) {
  return add_driver(m) ? place_chunk(m, pool, bytes, align) : NULL;
}

static void remove_chunk(struct ptx_mem *m, struct ptx_chunk *chunk) {
  struct ptx_chunks *c = &m->chunks;
  size_t i = (size_t)(chunk - c->v);
  ptx_mem_clear(m, chunk->base, chunk->bytes);
  if (i < c->n_packed) c->n_packed = i;
  memmove(c->v + i, c->v + i + 1, (c->n - i - 1) * sizeof *c->v);
  c->n--;
}

/* ---- allocations in a chunk ---- */

static bool place_in_hole(const struct ptx_mem *m, struct ptx_chunk *c, uint64_t bytes,
                          uint64_t align, uint64_t *addr) {
  uint64_t at = c->base, largest = 0;
  for (size_t i = ptx_mem_upper(m, c->base - 1); at < c->base + c->tail; i++) {
    const struct ptx_alloc *a = &m->allocs[i];
    uint64_t start = round_up(at, align);
    if (start <= a->base && bytes <= a->base - start) {
      *addr = start;
      return true;
    }
    if (a->base - at > largest) largest = a->base - at;
    at = a->base + a->bytes;
  }
  c->hole = largest;
  return false;
}

static bool place_in(const struct ptx_mem *m, struct ptx_chunk *c, uint64_t bytes, uint64_t align,
                     uint64_t *addr) {
  if (bytes <= c->hole && place_in_hole(m, c, bytes, align, addr)) return true;
  uint64_t start = round_up(c->base + c->tail, align), end = c->base + c->bytes;
  *addr = start;
  return start <= end && bytes <= end - start;
}

/* A program that allocates very often asks for nearly the same each time, so chunks that had no
 * room need not be looked at again. */
static struct ptx_chunk *place_shared(struct ptx_mem *m, enum ptx_pool pool, uint64_t bytes,
                                      uint64_t align, uint64_t *addr) {
  struct ptx_chunks *c = &m->chunks;
  struct ptx_chunk *found = NULL;
  bool is_known = bytes >= c->full[pool].bytes && c->full[pool].before != 0;
  for (size_t i = is_known ? upper(c, c->full[pool].before - 1) : 0; i < c->n && !found; i++)
    if (c->v[i].pool == pool && c->v[i].is_shared && place_in(m, &c->v[i], bytes, align, addr))
      found = &c->v[i];
  if (found == NULL) {
    found = new_chunk(m, pool, pools[pool].unit, align);
    if (found == NULL) return NULL;
    found->is_shared = true;
    *addr = found->base;
  }
  c->full[pool].bytes = bytes;
  c->full[pool].before = found->base;
  return found;
}

/* Memory is zero when it is allocated. */
static void clean(const struct ptx_mem *m, const struct ptx_chunk *c, uint64_t addr,
                  uint64_t bytes) {
  if (c->is_dirty) memset(ptx_mem_host(m, addr), 0, (size_t)bytes);
}

bool ptx_chunk_place(struct ptx_mem *m, enum ptx_pool pool, uint64_t bytes, uint64_t align,
                     uint64_t *addr) {
  struct ptx_chunk *c;
  if (bytes > m->reserved) return false;
  if (bytes <= pools[pool].small) {
    if (align < ALIGN) align = ALIGN;
    c = place_shared(m, pool, bytes, align, addr);
  } else {
    c = new_chunk(m, pool, bytes, align);
    if (c != NULL) *addr = c->base;
  }
  if (c == NULL) return false;
  clean(m, c, *addr, bytes);
  c->n_live++;
  uint64_t end = *addr + bytes - c->base;
  if (end > c->tail) {
    uint64_t hole = *addr - c->base - c->tail; /* left by the alignment */
    if (hole > c->hole) c->hole = hole;
    c->tail = end;
  }
  return true;
}

void ptx_chunk_leave(struct ptx_mem *m, uint64_t addr, uint64_t bytes) {
  struct ptx_chunk *c = ptx_chunk_find(m, addr);
  if (c == NULL) return;
  memset(&m->chunks.full[c->pool], 0, sizeof m->chunks.full[c->pool]);
  if (--c->n_live == 0) {
    remove_chunk(m, c);
    return;
  }
  c->is_dirty = true;
  size_t i = ptx_mem_upper(m, addr);
  const struct ptx_alloc *before = i > 0 ? &m->allocs[i - 1] : NULL;
  uint64_t start =
      before != NULL && before->base >= c->base ? before->base + before->bytes - c->base : 0;
  if (addr + bytes - c->base == c->tail) {
    c->tail = start;
    return;
  }
  // NOLINTNEXTLINE(*NullDereference): what is not the tail has an allocation behind it
  uint64_t hole = m->allocs[i].base - c->base - start;
  if (hole > c->hole) c->hole = hole;
}
