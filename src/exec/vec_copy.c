/* Matrices in memory and asynchronous copies. */
#include "exec/matrix.h"
#include "exec/vec_access.h"

/* What access_memory does before the data move, for lanes that must all be in one space: of a
 * generic access it is found, and addresses become relative to it. */
static bool reach_lanes(struct ptx_warp *w, const struct ptx_uop *u, struct access *x,
                        uint32_t mask, uint8_t *space, unsigned align, bool is_store,
                        struct place *p) {
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
  } else if (locate_lanes(w, u, x, mask, *space, is_store, p)) {
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
  if (!reach_lanes(w, u, &rows, lanes, &space, 16, is_store, &p)) return;
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
  account_access(w, u, &rows, lanes, space, is_store ? WEIR_DIR_STORE : WEIR_DIR_LOAD);
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
  if (!reach_lanes(w, u, &a, lanes, &space, piece < 16 ? piece : 16, is_store, &p)) return;
  if (is_store) ptx_matrix_give(x, f, w->reg, bytes);
  for (unsigned i = 0; i < lines * n; i++)
    if (is_store)
      memcpy(AT(a.addr[i]), bytes + (size_t)i * piece, piece);
    else
      memcpy(bytes + (size_t)i * piece, AT(a.addr[i]), piece);
  if (!is_store) ptx_matrix_take(x, f, w->reg, mask, bytes);
  account_access(w, u, &a, lanes, space, is_store ? WEIR_DIR_STORE : WEIR_DIR_LOAD);
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
    if (!reach_lanes(w, u, &from, same, &space, u->size, false, &p)) return false;
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
  if (!reach_lanes(w, u, &to, mask, &space, u->size, true, &p)) return;
  if (!read_copies(w, u, mask, data, &reads)) return;
  if (reads != 0) {
    lane_addresses(w, u, from.addr);
    find_shape(&from, reads);
    account_access(w, u, &from, reads, PTX_SPACE_global, WEIR_DIR_LOAD);
    w->stat[u - w->code].execs++;
    count_lanes(w, u, reads, 0);
  }
  for (uint32_t m = mask; m != 0; m &= m - 1) {
    unsigned i = (unsigned)__builtin_ctz(m);
    memcpy(AT(to.addr[i]), data[i], u->size);
  }
  account_access(w, u, &to, mask, PTX_SPACE_shared, WEIR_DIR_STORE);
}
