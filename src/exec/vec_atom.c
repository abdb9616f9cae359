/* Atomics, and barriers that are objects in memory. */
#include "exec/sync.h"
#include "exec/vec_access.h"

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
