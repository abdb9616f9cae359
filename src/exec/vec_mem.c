/* Memory micro-operations: addresses of 32 lanes, their shape (uniform, strided, anything), one
 * bounds check for the whole warp, the data, and what the access costs after coalescing. */
#include "exec/vec.h"

#include "exec/matrix.h"
#include "exec/spin.h"
#include "exec/stray.h"
#include "exec/sync.h"
#include "exec/tex_insn.h"
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
static __attribute__((cold, noinline)) bool miss(struct ptx_warp *w, const struct ptx_uop *u,
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
    if (!miss(w, u, i, x->addr[i], x->bytes, home, PTX_SPACE_global, is_store)) return false;
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
      if (!miss(w, u, i, x->addr[i], x->bytes, 0, space, is_store)) return false;
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

static void account(struct ptx_warp *w, const struct ptx_uop *u, const struct access *x,
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

static inline bool locate(struct ptx_warp *w, const struct ptx_uop *u, const struct access *x,
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

/* One scalar register of T, memory of the same width. */
#define MOVE_IN(T)                                                                                 \
  do {                                                                                             \
    T *d = REG(T, u->d);                                                                           \
    if (x->kind == WEIR_ADDR_UNIFORM && p.lane_step == 0) {                                        \
      T v;                                                                                         \
      memcpy(&v, AT(x->base), sizeof v);                                                           \
      if (mask == FULL) {                                                                          \
        EACH_LANE d[i] = v;                                                                        \
      } else {                                                                                     \
        EACH_LANE d[i] = (mask >> i) & 1 ? v : d[i];                                               \
      }                                                                                            \
    } else if (mask == FULL && x->kind == WEIR_ADDR_STRIDE && x->stride == (int64_t)sizeof(T) &&   \
               p.lane_step == 0) {                                                                 \
      memcpy(d, AT(x->base), sizeof(T) * LANES);                                                   \
    } else if (mask == FULL) {                                                                     \
      for (unsigned i = 0; i < LANES; i++)                                                         \
        memcpy(&d[i], HOST(i), sizeof(T));                                                         \
    } else {                                                                                       \
      for (uint32_t m = mask; m != 0; m &= m - 1) {                                                \
        unsigned i = (unsigned)__builtin_ctz(m);                                                   \
        memcpy(&d[i], HOST(i), sizeof(T));                                                         \
      }                                                                                            \
    }                                                                                              \
  } while (0)

#define MOVE_OUT(T)                                                                                \
  do {                                                                                             \
    const T *b = REG(T, u->b);                                                                     \
    if (mask == FULL && x->kind == WEIR_ADDR_STRIDE && x->stride == (int64_t)sizeof(T) &&          \
        p.lane_step == 0) {                                                                        \
      memcpy(AT(x->base), b, sizeof(T) * LANES);                                                   \
    } else {                                                                                       \
      for (uint32_t m = mask; m != 0; m &= m - 1) {                                                \
        unsigned i = (unsigned)__builtin_ctz(m);                                                   \
        memcpy(HOST(i), &b[i], sizeof(T));                                                         \
      }                                                                                            \
    }                                                                                              \
  } while (0)

static inline void load_data(struct ptx_warp *w, const struct ptx_uop *u, const struct access *x,
                             uint32_t mask, struct place p) {
  if (u->n_vec == 1 && u->size == u->reg_bytes && u->size == 4) {
    MOVE_IN(uint32_t);
    return;
  }
  if (u->n_vec == 1 && u->size == u->reg_bytes && u->size == 8) {
    MOVE_IN(uint64_t);
    return;
  }
  for (uint32_t m = mask; m != 0; m &= m - 1) {
    unsigned i = (unsigned)__builtin_ctz(m);
    const uint8_t *s = HOST(i);
    if (u->size == 16)
      memcpy(w->reg + u->d + 16 * (size_t)i, s, 16);
    else if (u->n_vec == 1)
      lane_put(w, u->d, u->reg_bytes, i, read_bytes(s, u->size, u->is_signed));
    else
      for (unsigned k = 0; k < u->n_vec; k++)
        if (u->x.list[k] != UINT32_MAX)
          lane_put(w, u->x.list[k], u->reg_bytes, i,
                   read_bytes(s + k * u->size, u->size, u->is_signed));
  }
}

static inline void store_data(struct ptx_warp *w, const struct ptx_uop *u, const struct access *x,
                              uint32_t mask, struct place p) {
  if (u->n_vec == 1 && u->size == u->reg_bytes && u->size == 4) {
    MOVE_OUT(uint32_t);
    return;
  }
  if (u->n_vec == 1 && u->size == u->reg_bytes && u->size == 8) {
    MOVE_OUT(uint64_t);
    return;
  }
  for (uint32_t m = mask; m != 0; m &= m - 1) {
    unsigned i = (unsigned)__builtin_ctz(m);
    uint8_t *t = HOST(i);
    if (u->size == 16)
      memcpy(t, w->reg + u->b + 16 * (size_t)i, 16);
    else if (u->n_vec == 1) {
      uint64_t v = lane_get(w, u->b, u->reg_bytes, i);
      memcpy(t, &v, u->size);
    } else
      for (unsigned k = 0; k < u->n_vec; k++) {
        uint64_t v = lane_get(w, u->x.list[k], u->reg_bytes, i);
        memcpy(t + k * u->size, &v, u->size);
      }
  }
}

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
    if (!locate(w, u, &x, mask, space, is_store, &p)) return;
    move(w, u, &x, mask, p);
    account(w, u, &x, mask, space, dir);
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
    if (!locate(w, u, &x, now, where, is_store, &p)) {
      w->fault.generic = keep[w->fault.lane];
      return;
    }
    move(w, u, &x, now, p);
    account(w, u, &x, now, where, dir);
    /* Each space is a warp instruction of its own to the stream, and so to the statistics. */
    if (left != mask) w->stat[u - w->code].execs++;
    left &= ~now;
  }
}

HANDLER(ld) {
  access_memory(w, u, mask, u->space, u->size, u->n_vec, WEIR_DIR_LOAD, load_data);
}
HANDLER(st) {
  w->is_stored = true;
  access_memory(w, u, mask, u->space, u->size, u->n_vec, WEIR_DIR_STORE, store_data);
}

/* The common ones with everything known at compile time. */
#define LOAD_DATA(T)                                                                               \
  static inline void load_##T(struct ptx_warp *w, const struct ptx_uop *u, const struct access *x, \
                              uint32_t mask, struct place p) {                                     \
    p.lane_step = 0;                                                                               \
    MOVE_IN(T);                                                                                    \
  }                                                                                                \
  static inline void store_##T(struct ptx_warp *w, const struct ptx_uop *u,                        \
                               const struct access *x, uint32_t mask, struct place p) {            \
    p.lane_step = 0;                                                                               \
    MOVE_OUT(T);                                                                                   \
  }
LOAD_DATA(uint32_t)
LOAD_DATA(uint64_t)
HANDLER(ldg_b32) {
  access_memory(w, u, mask, PTX_SPACE_global, 4, 1, WEIR_DIR_LOAD, load_uint32_t);
}
HANDLER(ldg_b64) {
  access_memory(w, u, mask, PTX_SPACE_global, 8, 1, WEIR_DIR_LOAD, load_uint64_t);
}
HANDLER(stg_b32) {
  w->is_stored = true;
  access_memory(w, u, mask, PTX_SPACE_global, 4, 1, WEIR_DIR_STORE, store_uint32_t);
}
HANDLER(stg_b64) {
  w->is_stored = true;
  access_memory(w, u, mask, PTX_SPACE_global, 8, 1, WEIR_DIR_STORE, store_uint64_t);
}
HANDLER(lds_b32) {
  access_memory(w, u, mask, PTX_SPACE_shared, 4, 1, WEIR_DIR_LOAD, load_uint32_t);
}
HANDLER(sts_b32) {
  w->is_stored = true;
  access_memory(w, u, mask, PTX_SPACE_shared, 4, 1, WEIR_DIR_STORE, store_uint32_t);
}

/* ---- atomics: lanes in order; aux = enum ptx_atom, aux2 = enum ptx_atom_type ---- */
static inline uint64_t atomic_int(unsigned op, uint64_t old, uint64_t b, uint64_t c, unsigned size,
                                  bool is_signed) {
  uint64_t all = size == 8 ? ~UINT64_C(0) : (UINT64_C(1) << (8 * size)) - 1;
  unsigned shift = 64 - 8 * size;
  int64_t so = (int64_t)(old << shift) >> shift, sb = (int64_t)(b << shift) >> shift;
  b &= all;
  switch ((enum ptx_atom)op) {
  case PTX_ATOM_ADD:
    return (old + b) & all;
  case PTX_ATOM_MIN:
    return is_signed ? (so < sb ? old : b) : (old < b ? old : b);
  case PTX_ATOM_MAX:
    return is_signed ? (so > sb ? old : b) : (old > b ? old : b);
  case PTX_ATOM_INC:
    return old >= b ? 0 : old + 1;
  case PTX_ATOM_DEC:
    return old == 0 || old > b ? b : old - 1;
  case PTX_ATOM_AND:
    return old & b;
  case PTX_ATOM_OR:
    return old | b;
  case PTX_ATOM_XOR:
    return old ^ b;
  case PTX_ATOM_EXCH:
    return b;
  case PTX_ATOM_CAS:
    return old == b ? c & all : old;
  }
  return old;
}

/* Addition in global memory is done by the memory's own unit: single precision flushes subnormals
 * there (PTX ISA, atom), and in double precision a NaN comes back as it was, not quieted (H200).
 * Shared memory does as the add instruction. */
static uint64_t atomic_fadd(uint64_t old, uint64_t b, unsigned size, bool is_global) {
  if (size == 4) {
    uint32_t x = is_global ? ptx_f32_flush((uint32_t)old) : (uint32_t)old;
    uint32_t y = is_global ? ptx_f32_flush((uint32_t)b) : (uint32_t)b, r;
    float p, q, sum;
    memcpy(&p, &x, sizeof p);
    memcpy(&q, &y, sizeof q);
    sum = p + q;
    memcpy(&r, &sum, sizeof r);
    return sum != sum ? PTX_F32_NAN : is_global ? ptx_f32_flush(r) : r;
  }
  double p, q, sum;
  uint64_t r;
  memcpy(&p, &old, sizeof p);
  memcpy(&q, &b, sizeof q);
  sum = p + q;
  memcpy(&r, &sum, sizeof r);
  if (sum == sum) return r;
  if (is_global && ptx_f64_is_nan(b)) return b;
  if (is_global && ptx_f64_is_nan(old)) return old;
  return ptx_f64_nan(b, old, old); /* of two NaNs, that in shared memory (H200) */
}

/* add.noftz: every half of the word on its own. */
static uint64_t atomic_hadd(uint64_t old, uint64_t b, unsigned size, bool is_bf16) {
  uint16_t x[2] = {(uint16_t)old, (uint16_t)(old >> 16)}, y[2] = {(uint16_t)b, (uint16_t)(b >> 16)};
  ptx_half_add(x, x, y, y, (struct ptx_halfmode){.is_bf16 = is_bf16, .n = (uint8_t)(size / 2)});
  return x[0] | (size == 4 ? (uint64_t)x[1] << 16 : 0);
}

/* atom.exch and atom.cas on 16 bytes. */
static void atomic_wide(struct ptx_warp *w, const struct ptx_uop *u, uint8_t *t, unsigned i) {
  uint64_t old[2], *d = REG(uint64_t, u->d) + 2 * i;
  const uint64_t *b = REG(uint64_t, u->b) + 2 * i, *c = REG(uint64_t, u->c) + 2 * i;
  memcpy(old, t, sizeof old);
  const uint64_t *now = u->aux == PTX_ATOM_EXCH ? b : old[0] == b[0] && old[1] == b[1] ? c : old;
  w->is_stored |= now[0] != old[0] || now[1] != old[1];
  memcpy(t, now, sizeof old);
  if (u->d != UINT32_MAX) memcpy(d, old, sizeof old);
}

/* Counting, by far the most frequent. */
static inline void atomic_add_u32(struct ptx_warp *w, const struct ptx_uop *u,
                                  const struct access *x, uint32_t mask, struct place p) {
  const uint32_t *b = REG(uint32_t, u->b);
  uint32_t unused[LANES], *d = u->d != UINT32_MAX ? REG(uint32_t, u->d) : unused, changes = 0;
  for (uint32_t m = mask; m != 0; m &= m - 1) {
    unsigned i = (unsigned)__builtin_ctz(m);
    uint32_t old, now;
    memcpy(&old, HOST(i), sizeof old);
    now = old + b[i];
    changes |= b[i];
    memcpy(HOST(i), &now, sizeof now);
    d[i] = old;
  }
  w->is_stored |= changes != 0;
}

static void atomic_data(struct ptx_warp *w, const struct ptx_uop *u, const struct access *x,
                        uint32_t mask, struct place p) {
  bool in_shared = p.origin == (uintptr_t)w->shared;
  bool is_int = u->aux2<PTX_ATOM_FLOAT, is_half = u->aux2> PTX_ATOM_FLOAT;
  if (is_int && u->aux == PTX_ATOM_ADD && u->size == 4 &&
      (u->reg_bytes == 4 || u->d == UINT32_MAX)) {
    atomic_add_u32(w, u, x, mask, p);
    return;
  }
  for (uint32_t m = mask; m != 0; m &= m - 1) {
    unsigned i = (unsigned)__builtin_ctz(m);
    uint8_t *t = HOST(i);
    if (u->size == 16) {
      atomic_wide(w, u, t, i);
      continue;
    }
    uint64_t old = read_bytes(t, u->size, false), b = lane_get(w, u->b, u->size, i);
    uint64_t c = u->aux == PTX_ATOM_CAS ? lane_get(w, u->c, u->size, i) : 0;
    uint64_t now = is_int    ? atomic_int(u->aux, old, b, c, u->size, u->aux2 == PTX_ATOM_SIGNED)
                   : is_half ? atomic_hadd(old, b, u->size, u->aux2 == PTX_ATOM_BF16)
                             : atomic_fadd(old, b, u->size, !in_shared);
    w->is_stored |= now != old;
    memcpy(t, &now, u->size);
    if (u->d != UINT32_MAX) lane_put(w, u->d, u->reg_bytes, i, old);
  }
}
HANDLER(atom) {
  access_memory(w, u, mask, u->space, u->size, 1, WEIR_DIR_ATOM, atomic_data);
}

/* In place of a load, store or atomic while the launch is watched (spin.h). A load may overwrite
 * its address. */
HANDLER(watch) {
  uint64_t addr[LANES] __attribute__((aligned(64)));
  lane_addresses(w, u, addr);
  struct ptx_spin_before before = ptx_spin_before(w, u, mask, addr);
  w->spin->plain[u - w->code].fn(w, u, mask);
  if (w->fault.kind == PTX_F_NONE) ptx_spin_note(w, u, mask, addr, &before);
}

/* A read of the kernel's parameters through an address in a register. */
HANDLER(ldparam) {
  access_memory(w, u, mask, PTX_SPACE_param, u->size, u->n_vec, WEIR_DIR_LOAD, load_data);
}

/* ---- matrices and asynchronous copies ---- */

/* What access_memory does before the data move, for lanes that must all be in one space: of a
 * generic access it is found, and addresses become relative to it. */
static bool reach(struct ptx_warp *w, const struct ptx_uop *u, struct access *x, uint32_t mask,
                  uint8_t *space, unsigned align, bool is_store, struct place *p) {
  uint64_t keep[LANES];
  memcpy(keep, x->addr, sizeof keep);
  find_shape(x, mask);
  if (is_misaligned(x, mask, align)) {
    uint32_t m = mask;
    while (!(keep[__builtin_ctz(m)] & (align - 1)))
      m &= m - 1;
    unsigned i = (unsigned)__builtin_ctz(m);
    set_fault(w, u, PTX_F_ALIGN, i, keep[i], align, *space, is_store);
    return false;
  }
  bool is_generic = *space == PTX_SPACE_none;
  uint32_t same = is_generic ? resolve_generic(x, mask, space) : mask;
  if (same != mask) {
    unsigned i = (unsigned)__builtin_ctz(mask & ~same);
    set_fault(w, u, PTX_F_BOUNDS, i, keep[i], x->bytes, PTX_SPACE_global, is_store);
  } else if (locate(w, u, x, mask, *space, is_store, p)) {
    return true;
  }
  if (is_generic) w->fault.generic = keep[w->fault.lane];
  return false;
}

/* The record of an instruction has other lanes than executed it, and statistics are those of the
 * records. */
static void count_lanes(struct ptx_warp *w, const struct ptx_uop *u, uint32_t recorded,
                        uint32_t executed) {
  w->stat[u - w->code].lanes += weir_mask_lanes(recorded) - weir_mask_lanes(executed);
}

/* Row r of matrix m lies where lane 8 * m + r says. A register holds a matrix row by row, so that
 * its lanes together are the rows one after the other. */
static void matrix_rows(struct ptx_warp *w, const struct ptx_uop *u, uint32_t mask, bool is_store) {
  const struct ptx_matrix *x = u->x.matrix;
  struct access rows = {.bytes = 16};
  uint32_t lanes = x->n_mats == 4 ? FULL : (1u << (8 * x->n_mats)) - 1;
  uint8_t space = u->space;
  struct place p;
  lane_addresses(w, u, rows.addr);
  if (!reach(w, u, &rows, lanes, &space, 16, is_store, &p)) return;
  for (unsigned m = 0; m < x->n_mats; m++) {
    uint16_t t[2 * LANES] __attribute__((aligned(64)));
    const uint16_t *from = REG(uint16_t, x->reg[PTX_FRAG_A][m]);
    for (unsigned r = 0; r < 8; r++) {
      uint8_t *host = AT(rows.addr[8 * m + r]);
      if (!is_store) {
        uint16_t line[8];
        memcpy(line, host, sizeof line);
        for (unsigned c = 0; c < 8; c++)
          t[x->trans ? 8 * c + r : 8 * r + c] = line[c];
        continue;
      }
      uint16_t line[8];
      for (unsigned c = 0; c < 8; c++)
        line[c] = from[x->trans ? 8 * c + r : 8 * r + c];
      memcpy(host, line, sizeof line);
    }
    if (is_store) continue;
    const uint32_t *pairs = (const uint32_t *)(const void *)t;
    uint32_t *d = REG(uint32_t, x->reg[PTX_FRAG_D][m]);
    EACH_LANE d[i] = (mask >> i) & 1 ? pairs[i] : d[i];
  }
  account(w, u, &rows, lanes, space, is_store ? WEIR_DIR_STORE : WEIR_DIR_LOAD);
  count_lanes(w, u, lanes, mask);
}
HANDLER(ldmatrix) {
  matrix_rows(w, u, mask, false);
}
HANDLER(stmatrix) {
  w->is_stored = true;
  matrix_rows(w, u, mask, true);
}

/* A whole matrix, address and stride those of the first lane: lane i stands for its i-th piece. */
static void matrix_whole(struct ptx_warp *w, const struct ptx_uop *u, uint32_t mask,
                         const struct ptx_frag *f, bool is_store) {
  const struct ptx_matrix *x = u->x.matrix;
  unsigned first = (unsigned)__builtin_ctz(mask), piece = u->size;
  unsigned line = ptx_matrix_line(x, f), lines = ptx_matrix_lines(x, f), n = line / piece;
  uint64_t stride = line, base[LANES];
  if (x->stride_at != UINT32_MAX)
    stride = (uint64_t)REG(uint32_t, x->stride_at)[first] * (f->elem == PTX_E_B1 ? 1 : f->bits) / 8;
  struct access a = {.bytes = piece};
  lane_addresses(w, u, base);
  for (unsigned i = 0; i < LANES; i++)
    a.addr[i] = base[first] + (i < lines * n ? i / n * stride + i % n * piece : 0);
  uint32_t lanes = lines * n == LANES ? FULL : (1u << lines * n) - 1;
  uint8_t space = u->space, bytes[PTX_MATRIX_BYTES];
  struct place p;
  if (!reach(w, u, &a, lanes, &space, piece < 16 ? piece : 16, is_store, &p)) return;
  if (is_store) ptx_matrix_give(x, f, w->reg, bytes);
  for (unsigned i = 0; i < lines * n; i++)
    if (is_store)
      memcpy(AT(a.addr[i]), bytes + (size_t)i * piece, piece);
    else
      memcpy(bytes + (size_t)i * piece, AT(a.addr[i]), piece);
  if (!is_store) ptx_matrix_take(x, f, w->reg, mask, bytes);
  account(w, u, &a, lanes, space, is_store ? WEIR_DIR_STORE : WEIR_DIR_LOAD);
  count_lanes(w, u, lanes, mask);
}
HANDLER(wmma_ld) {
  const struct ptx_frag *f = u->x.matrix->frag;
  while (f->n_regs == 0)
    f++;
  matrix_whole(w, u, mask, f, false);
}
HANDLER(wmma_st) {
  w->is_stored = true;
  matrix_whole(w, u, mask, &u->x.matrix->frag[PTX_FRAG_D], true);
}

/* How many bytes lane i copies; the rest of its place in shared memory becomes zero. */
static unsigned copy_bytes(const struct ptx_warp *w, const struct ptx_uop *u, unsigned i) {
  const struct ptx_copy_async *c = u->x.copy;
  if (c->how == PTX_COPY_ALL) return u->size;
  if (c->how == PTX_COPY_UNLESS) return ((PRED(c->at) >> i) & 1) != c->neg ? 0 : u->size;
  uint32_t n = REG(uint32_t, c->at)[i];
  return n < u->size ? n : u->size;
}

/* What each lane's copy reads, by how many bytes it is; `reads` are the lanes that read any. */
static bool read_copies(struct ptx_warp *w, const struct ptx_uop *u, uint32_t mask,
                        uint8_t data[LANES][16], uint32_t *reads) {
  *reads = 0;
  for (uint32_t left = mask, same; left != 0; left &= ~same) {
    unsigned n = copy_bytes(w, u, (unsigned)__builtin_ctz(left));
    same = 0;
    for (uint32_t m = left; m != 0; m &= m - 1)
      if (copy_bytes(w, u, (unsigned)__builtin_ctz(m)) == n) same |= m & -m;
    if (n == 0) continue;
    struct access from = {.bytes = n};
    struct place p;
    uint8_t space = PTX_SPACE_global;
    lane_addresses(w, u, from.addr);
    if (!reach(w, u, &from, same, &space, u->size, false, &p)) return false;
    for (uint32_t m = same; m != 0; m &= m - 1) {
      unsigned i = (unsigned)__builtin_ctz(m);
      memcpy(data[i], AT(from.addr[i]), n);
    }
    *reads |= same;
  }
  return true;
}

/* The copy is made at once. To the stream, as to the memory, it is a load from global memory and an
 * access to shared memory: a record each. */
HANDLER(cp_async) {
  const struct ptx_copy_async *c = u->x.copy;
  uint8_t data[LANES][16] = {{0}}, space = PTX_SPACE_shared;
  struct access from = {.bytes = u->size}, to = {.bytes = u->size};
  uint32_t reads;
  struct ptx_uop there = {.a = c->a, .imm = c->imm, .base_kind = c->base_kind};
  struct place p;
  w->is_stored = true;
  lane_addresses(w, &there, to.addr);
  if (!reach(w, u, &to, mask, &space, u->size, true, &p)) return;
  if (!read_copies(w, u, mask, data, &reads)) return;
  if (reads != 0) {
    lane_addresses(w, u, from.addr);
    find_shape(&from, reads);
    account(w, u, &from, reads, PTX_SPACE_global, WEIR_DIR_LOAD);
    w->stat[u - w->code].execs++;
    count_lanes(w, u, reads, 0);
  }
  for (uint32_t m = mask; m != 0; m &= m - 1) {
    unsigned i = (unsigned)__builtin_ctz(m);
    memcpy(AT(to.addr[i]), data[i], u->size);
  }
  account(w, u, &to, mask, PTX_SPACE_shared, WEIR_DIR_STORE);
}

/* ---- mbarrier: an object of 8 bytes in shared memory ---- */

/* Its fields, of our own choosing: arrivals that are pending in this phase and expected in each (20
 * bits), bytes still to come (21 bits, may be negative), and the parity of the phase. A state is
 * the object as it was before the arrival. */
struct mbarrier {
  uint32_t pending, expected;
  int32_t bytes;
  bool phase;
};

static struct mbarrier mbarrier_of(uint64_t v) {
  return (struct mbarrier){.pending = v & 0xfffff,
                           .expected = v >> 20 & 0xfffff,
                           .bytes = (int32_t)((int64_t)(v << 3) >> 43),
                           .phase = v >> 63};
}

static uint64_t mbarrier_word(struct mbarrier b) {
  return (b.pending & 0xfffff) | (uint64_t)(b.expected & 0xfffff) << 20 |
         (uint64_t)((uint32_t)b.bytes & 0x1fffff) << 40 | (uint64_t)b.phase << 63;
}

static struct mbarrier mbarrier_step(const struct ptx_uop *u, struct mbarrier b, uint32_t n) {
  switch ((enum ptx_mbarrier)u->aux) {
  case PTX_MB_INIT:
    return (struct mbarrier){.pending = n, .expected = n};
  case PTX_MB_INVAL:
    return (struct mbarrier){0};
  case PTX_MB_EXPECT:
    b.bytes += (int32_t)n;
    return b;
  case PTX_MB_COMPLETE:
    b.bytes -= (int32_t)n;
    break;
  case PTX_MB_ARRIVE_EXPECT:
    b.bytes += (int32_t)n;
    n = 1;
    /* fall through */
  default:
    if (u->aux2) b.expected -= n; /* arrive_drop */
    b.pending -= n;
    break;
  }
  if (b.pending == 0 && b.bytes == 0) { /* the next phase begins */
    b.phase = !b.phase;
    b.pending = b.expected;
  }
  return b;
}

static void mbarrier_data(struct ptx_warp *w, const struct ptx_uop *u, const struct access *x,
                          uint32_t mask, struct place p) {
  uint32_t done = 0;
  for (uint32_t m = mask; m != 0; m &= m - 1) {
    unsigned i = (unsigned)__builtin_ctz(m);
    uint64_t old = read_bytes(HOST(i), 8, false);
    if (u->aux == PTX_MB_TEST || u->aux == PTX_MB_PARITY) {
      bool was = u->aux == PTX_MB_TEST ? REG(uint64_t, u->b)[i] >> 63 : REG(uint32_t, u->b)[i] & 1;
      done |= (uint32_t)((old >> 63 != 0) != was) << i;
      continue;
    }
    uint64_t now = mbarrier_word(mbarrier_step(u, mbarrier_of(old), REG(uint32_t, u->b)[i]));
    w->is_stored |= now != old;
    memcpy(HOST(i), &now, sizeof now);
    if (u->d != UINT32_MAX) REG(uint64_t, u->d)[i] = old;
  }
  if (u->aux >= PTX_MB_TEST && u->d != UINT32_MAX) PRED(u->d) = (PRED(u->d) & ~mask) | done;
}

HANDLER(mbarrier) {
  access_memory(w, u, mask, u->space, 8, 1,
                u->aux >= PTX_MB_TEST    ? WEIR_DIR_LOAD
                : u->aux <= PTX_MB_INVAL ? WEIR_DIR_STORE
                                         : WEIR_DIR_ATOM,
                mbarrier_data);
}

/* Textures and surfaces: nothing there becomes vector code. */
HANDLER(tex) {
  ptx_tex_exec(w, u, mask);
}
HANDLER(tex_query) {
  ptx_tex_query(w, u, mask);
}
