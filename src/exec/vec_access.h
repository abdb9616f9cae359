/* Memory micro-operations: addresses of 32 lanes, their shape (uniform, strided, anything), one
 * bounds check for the whole warp, and what the access costs after coalescing. Not functions of
 * their own, since handlers are as fast as the compiler can fit all of this into them. */
#ifndef WEIR_EXEC_VEC_ACCESS_H
#define WEIR_EXEC_VEC_ACCESS_H

#include "exec/stray.h"
#include "exec/vec.h"
#include "stream/coalesce.h"
#include "stream/writer.h"

#define MAX_STRIDE (INT64_C(1) << 48)

struct access {
  uint64_t addr[LANES] __attribute__((aligned(64)));
  uint64_t base, lo, hi; /* lo: lowest address touched, hi: one past the highest */
  int64_t stride;
  enum weir_addr_kind kind;
  unsigned bytes; /* per lane */
};

static void lane_addresses(const struct ptx_warp *w, const struct ptx_uop *u, uint64_t *addr) {
  switch ((enum ptx_base)u->base_kind) {
  case PTX_BASE_REG64: {
    const uint64_t *a = REG(uint64_t, u->a);
    uint64_t imm = u->imm;
    EACH_LANE addr[i] = a[i] + imm;
    break;
  }
  case PTX_BASE_REG32: {
    const uint32_t *a = REG(uint32_t, u->a);
    uint32_t imm = (uint32_t)u->imm;
    EACH_LANE addr[i] = (uint32_t)(a[i] + imm);
    break;
  }
  case PTX_BASE_CONST:
  case PTX_BASE_FRAME: {
    uint64_t v = u->imm + (u->base_kind == PTX_BASE_FRAME ? w->local_base : 0);
    EACH_LANE addr[i] = v;
    break;
  }
  }
}

/* Find the shape of the active lanes' addresses and the range they touch. Inactive lanes of x->addr
 * get the first active lane's address where they would disturb. */
static void find_shape(struct access *x, uint32_t mask) {
  uint64_t *addr = x->addr;
  unsigned first = (unsigned)__builtin_ctz(mask), last = 31 - (unsigned)__builtin_clz(mask);
  uint64_t off = 0;
  int64_t s;
  if (mask == FULL) {
    s = (int64_t)(addr[1] - addr[0]);
    x->base = addr[0];
    /* The first eight by multiplication, which is slow in vectors of 64 bits; the others follow
     * eight lanes behind. */
    uint64_t step = 8 * (uint64_t)s;
    for (unsigned i = 0; i < 8; i++)
      off |= addr[i] ^ (addr[0] + (uint64_t)s * i);
    for (unsigned i = 8; i < LANES; i++)
      off |= addr[i] ^ (addr[i - 8] + step);
  } else if (first == last) {
    s = 0;
    x->base = addr[first];
  } else {
    unsigned next = (unsigned)__builtin_ctz(mask & (mask - 1));
    int64_t diff = (int64_t)(addr[next] - addr[first]), gap = (int64_t)(next - first);
    s = gap == 1 ? diff : diff / gap;
    x->base = addr[first] - (uint64_t)s * first;
    uint64_t base = x->base;
    EACH_LANE off |= (mask >> i) & 1 ? addr[i] ^ (base + (uint64_t)s * i) : 0;
  }
  /* A stride so large that addresses in between could wrap round is no shape: the range would not
   * hold them. */
  if (off == 0 && s < MAX_STRIDE && s > -MAX_STRIDE) {
    x->kind = s == 0 ? WEIR_ADDR_UNIFORM : WEIR_ADDR_STRIDE;
    x->stride = s;
    uint64_t p = x->base + (uint64_t)s * first, q = x->base + (uint64_t)s * last;
    x->lo = s < 0 ? q : p;
    x->hi = (s < 0 ? p : q) + x->bytes;
    return;
  }
  x->kind = WEIR_ADDR_LIST;
  if (mask != FULL) {
    uint64_t f = addr[first];
    EACH_LANE addr[i] = (mask >> i) & 1 ? addr[i] : f;
  }
  uint64_t lo = addr[0], hi = addr[0];
  EACH_LANE {
    lo = addr[i] < lo ? addr[i] : lo;
    hi = addr[i] > hi ? addr[i] : hi;
  }
  x->lo = lo;
  x->hi = hi + x->bytes;
}

static bool is_misaligned(const struct access *x, uint32_t mask, unsigned align) {
  uint64_t bits = 0;
  if (x->kind == WEIR_ADDR_UNIFORM) return (x->base & (align - 1)) != 0;
  if (x->kind == WEIR_ADDR_STRIDE && ((x->lo | (uint64_t)x->stride) & (align - 1)) == 0)
    return false;
  EACH_LANE bits |= (mask >> i) & 1 ? x->addr[i] : 0;
  return (bits & (align - 1)) != 0;
}

static __attribute__((cold, noinline)) void set_fault(struct ptx_warp *w, const struct ptx_uop *u,
                                                      enum ptx_fault_kind kind, unsigned lane,
                                                      uint64_t addr, unsigned bytes, uint8_t space,
                                                      bool is_store) {
  (void)u;
  if (w->fault.kind != PTX_F_NONE) return;
  w->fault.kind = kind;
  w->fault.lane = lane;
  w->fault.addr = addr;
  w->fault.generic = 0;
  w->fault.home = 0;
  w->fault.bytes = bytes;
  w->fault.space = space;
  w->fault.is_store = is_store;
}

/* One lane's access is outside of its allocation: it is counted, or a fault. */
static __attribute__((cold, noinline)) bool note_miss(struct ptx_warp *w, const struct ptx_uop *u,
                                                      unsigned lane, uint64_t addr, unsigned bytes,
                                                      uint64_t home, uint8_t space, bool is_store) {
  struct ptx_fault f = {.kind = PTX_F_BOUNDS,
                        .pc = (uint32_t)(u - w->code),
                        .lane = lane,
                        .addr = addr,
                        .home = home,
                        .bytes = bytes,
                        .space = space,
                        .is_store = is_store};
  if (ptx_stray_note(w, &f)) return true;
  set_fault(w, u, PTX_F_BOUNDS, lane, addr, bytes, space, is_store);
  w->fault.home = home;
  return false;
}

/* Lane by lane. A lane of an allocation that its pointer does not belong to has missed, too. */
static __attribute__((cold, noinline)) bool check_lanes(struct ptx_warp *w, const struct ptx_uop *u,
                                                        const struct access *x, uint32_t mask,
                                                        bool is_store) {
  const struct ptx_reach *r = &w->reach[u - w->code];
  for (uint32_t m = mask; m != 0; m &= m - 1) {
    unsigned i = (unsigned)__builtin_ctz(m);
    const struct ptx_alloc *al = ptx_mem_find(w->mem, x->addr[i]);
    bool is_in = al != NULL && x->addr[i] - al->base + x->bytes <= al->bytes;
    bool is_home = r->home_hi == 0 || (x->addr[i] >= r->home_lo && x->addr[i] < r->home_hi);
    /* A GPU guards constants only against instructions that cannot write them. */
    bool is_guarded = is_in && is_store && al->is_read_only;
    if (is_guarded && (al->is_adopted || w->strays == NULL)) {
      set_fault(w, u, PTX_F_READONLY, i, x->addr[i], x->bytes, PTX_SPACE_const, is_store);
      return false;
    }
    if (is_in && is_home && !is_guarded) continue;
    uint64_t home = is_home || !is_in ? 0 : r->home_hi - 1;
    if (!note_miss(w, u, i, x->addr[i], x->bytes, home, PTX_SPACE_global, is_store)) return false;
  }
  return true;
}

/* All active lanes lie within allocations of global memory (and may be written). */
static inline bool check_global(struct ptx_warp *w, const struct ptx_uop *u, const struct access *x,
                                uint32_t mask, bool is_store) {
  struct ptx_reach *r = &w->reach[u - w->code];
  if (x->lo >= r->lo && x->hi <= r->hi && x->lo < x->hi && !(is_store && r->is_read_only))
    return true;
  const struct ptx_alloc *al = ptx_mem_find(w->mem, x->lo);
  bool is_home = r->home_hi == 0 || (al != NULL && al->base >= r->home_lo && al->base < r->home_hi);
  if (al != NULL && is_home && x->hi > x->lo && x->hi <= al->base + al->bytes &&
      !(is_store && al->is_read_only)) {
    r->lo = al->base;
    r->hi = al->base + al->bytes;
    r->is_read_only = al->is_read_only;
    return true;
  }
  return check_lanes(w, u, x, mask, is_store);
}

static __attribute__((cold, noinline)) bool
check_range_lanes(struct ptx_warp *w, const struct ptx_uop *u, const struct access *x,
                  uint32_t mask, uint64_t limit, uint8_t space, bool is_store) {
  for (uint32_t m = mask; m != 0; m &= m - 1) {
    unsigned i = (unsigned)__builtin_ctz(m);
    if (x->addr[i] > limit || limit - x->addr[i] < x->bytes) {
      if (!note_miss(w, u, i, x->addr[i], x->bytes, 0, space, is_store)) return false;
    }
  }
  return true;
}

static inline bool check_range(struct ptx_warp *w, const struct ptx_uop *u, const struct access *x,
                               uint32_t mask, uint64_t limit, uint8_t space, bool is_store) {
  if (x->lo < x->hi && x->hi <= limit) return true;
  return check_range_lanes(w, u, x, mask, limit, space, is_store);
}

/* Lanes' own copies of local memory are interleaved by words on the device: word k of all lanes is
 * one 128-byte line. The stream carries those addresses, so that coalescing is what hardware sees.
 */
static void local_stream_addresses(const struct ptx_warp *w, const struct access *x,
                                   struct weir_addrs *a, uint64_t *buf) {
  uint64_t warp_id = (uint64_t)w->cta->id * w->cta->n_warps + w->index;
  uint64_t base = PTX_LOCAL_BASE + warp_id * (uint64_t)w->local_bytes * LANES;
  EACH_LANE buf[i] = base + (x->addr[i] & ~UINT64_C(3)) * LANES + (x->addr[i] & 3) + 4 * i;
  a->kind = x->kind == WEIR_ADDR_UNIFORM ? WEIR_ADDR_STRIDE : WEIR_ADDR_LIST;
  a->base = buf[0];
  a->stride = 4;
  a->lane = buf;
}

static void account_access(struct ptx_warp *w, const struct ptx_uop *u, const struct access *x,
                           uint32_t mask, uint8_t space, enum weir_mem_dir dir) {
  struct weir_addrs a = {.kind = x->kind, .base = x->base, .stride = x->stride, .lane = x->addr};
  uint64_t buf[LANES] __attribute__((aligned(64)));
  switch (space) {
  case PTX_SPACE_local: {
    unsigned sectors, words = (x->bytes + 3) / 4;
    struct weir_func_stats *s = w->func_stats;
    a.space = WEIR_SP_LOCAL;
    local_stream_addresses(w, x, &a, buf);
    s->mem_insns++;
    s->mem_lanes += (unsigned)__builtin_popcount(mask);
    s->mem[WEIR_SP_LOCAL][dir]++;
    s->local_requests +=
        (uint64_t)weir_count_lines(w->counter, &a, mask, x->bytes < 4 ? x->bytes : 4, &sectors) *
        words;
    s->local_sectors += (uint64_t)sectors * words;
    break;
  }
  case PTX_SPACE_param: /* a move, as far as memory goes */
    if (w->writer != NULL) weir_put(w->writer, (uint32_t)(u - w->code), mask);
    return;
  case PTX_SPACE_shared:
  case PTX_SPACE_const:
  default:
    a.space = space == PTX_SPACE_shared  ? WEIR_SP_SHARED
              : space == PTX_SPACE_const ? WEIR_SP_CONST
                                         : WEIR_SP_GLOBAL;
    weir_count_mem(w->func_stats, w->counter, dir, &a, mask, x->bytes);
    break;
  }
  if (w->writer != NULL) weir_put_mem(w->writer, (uint32_t)(u - w->code), mask, &a);
}

/* Resolve a generic access: the space of its lanes, addresses made relative to it. Returns the
 * lanes that share the first active lane's space; the rest is done by another round. */
static uint32_t resolve_generic(struct access *x, uint32_t mask, uint8_t *space) {
  if (x->lo >= PTX_GLOBAL_BASE) {
    *space = PTX_SPACE_global;
    return mask;
  }
  unsigned first = (unsigned)__builtin_ctz(mask);
  uint64_t a = x->addr[first], window;
  if (a >= PTX_GLOBAL_BASE)
    *space = PTX_SPACE_global, window = 0;
  else if (a >= PTX_SHARED_BASE)
    *space = PTX_SPACE_shared, window = PTX_SHARED_BASE;
  else if (a >= PTX_LOCAL_BASE)
    *space = PTX_SPACE_local, window = PTX_LOCAL_BASE;
  else if (a >= PTX_PARAM_BASE)
    *space = PTX_SPACE_param, window = PTX_PARAM_BASE;
  else
    *space = PTX_SPACE_global, window = 0;
  uint32_t same = 0;
  for (uint32_t m = mask; m != 0; m &= m - 1) {
    unsigned i = (unsigned)__builtin_ctz(m);
    bool in = window == 0 ? x->addr[i] >= PTX_GLOBAL_BASE || x->addr[i] < PTX_PARAM_BASE
                          : x->addr[i] - window < PTX_WINDOW;
    if (in) same |= 1u << i;
  }
  EACH_LANE x->addr[i] -= window;
  find_shape(x, same);
  return same;
}

/* Where lane i's bytes are: origin + i * lane_step + address. The origin of global memory lies
 * outside every object, so it is a number and not a pointer. */
struct place {
  uintptr_t origin;
  uint64_t lane_step;
};

static inline bool locate_lanes(struct ptx_warp *w, const struct ptx_uop *u, const struct access *x,
                                uint32_t mask, uint8_t space, bool is_store, struct place *p) {
  p->lane_step = 0;
  switch (space) {
  case PTX_SPACE_shared:
    p->origin = (uintptr_t)w->shared;
    return check_range(w, u, x, mask, w->shared_bytes, space, is_store);
  case PTX_SPACE_local:
    p->origin = (uintptr_t)w->local;
    p->lane_step = w->local_step;
    return check_range(w, u, x, mask, w->local_bytes, space, is_store);
  case PTX_SPACE_param:
    p->origin = (uintptr_t)w->param;
    if (is_store) {
      set_fault(w, u, PTX_F_READONLY, (unsigned)__builtin_ctz(mask), x->lo, x->bytes, space, true);
      return false;
    }
    return check_range(w, u, x, mask, w->param_bytes, space, is_store);
  default:
    p->origin = w->mem->origin;
    return check_global(w, u, x, mask, is_store);
  }
}

#define AT(addr) ((uint8_t *)(p.origin + (addr)))
#define HOST(i)  AT((i)*p.lane_step + x->addr[i])

static inline uint64_t read_bytes(const uint8_t *p, unsigned size, bool is_signed) {
  switch (size) {
  case 1:
    return is_signed ? (uint64_t)(int64_t)(int8_t)*p : *p;
  case 2: {
    uint16_t v;
    memcpy(&v, p, 2);
    return is_signed ? (uint64_t)(int64_t)(int16_t)v : v;
  }
  case 4: {
    uint32_t v;
    memcpy(&v, p, 4);
    return is_signed ? (uint64_t)(int64_t)(int32_t)v : v;
  }
  default: {
    uint64_t v;
    memcpy(&v, p, 8);
    return v;
  }
  }
}

/* Moves the data of lanes whose place is known. */
typedef void (*data_fn)(struct ptx_warp *, const struct ptx_uop *, const struct access *, uint32_t,
                        struct place);

static inline void access_memory(struct ptx_warp *w, const struct ptx_uop *u, uint32_t mask,
                                 uint8_t space, unsigned size, unsigned n_vec,
                                 enum weir_mem_dir dir, data_fn move) {
  bool is_store = dir != WEIR_DIR_LOAD;
  struct access x;
  x.bytes = size * n_vec;
  lane_addresses(w, u, x.addr);
  find_shape(&x, mask);
  if (is_misaligned(&x, mask, x.bytes)) {
    unsigned i = (unsigned)__builtin_ctz(mask);
    for (uint32_t m = mask; m != 0; m &= m - 1) {
      i = (unsigned)__builtin_ctz(m);
      if (x.addr[i] & (x.bytes - 1)) break;
    }
    set_fault(w, u, PTX_F_ALIGN, i, x.addr[i], x.bytes, space, is_store);
    return;
  }
  struct place p;
  if (space != PTX_SPACE_none) {
    if (!locate_lanes(w, u, &x, mask, space, is_store, &p)) return;
    move(w, u, &x, mask, p);
    account_access(w, u, &x, mask, space, dir);
    return;
  }
  uint32_t left = mask;
  uint64_t keep[LANES];
  memcpy(keep, x.addr, sizeof keep);
  while (left != 0) {
    uint8_t where;
    memcpy(x.addr, keep, sizeof keep);
    find_shape(&x, left);
    uint32_t now = resolve_generic(&x, left, &where);
    if (!locate_lanes(w, u, &x, now, where, is_store, &p)) {
      w->fault.generic = keep[w->fault.lane];
      return;
    }
    move(w, u, &x, now, p);
    account_access(w, u, &x, now, where, dir);
    /* Each space is a warp instruction of its own to the stream, and so to the statistics. */
    if (left != mask) w->stat[u - w->code].execs++;
    left &= ~now;
  }
}

#endif
