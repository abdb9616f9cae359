/* What setp and set do with the result of a comparison. */
#ifndef WEIR_EXEC_VEC_SET_H
#define WEIR_EXEC_VEC_SET_H

/* aux: kind of destination; aux2: Boolean operator with the predicate at x.list[1] (x.list[2] =
 * FULL if negated); the second destination q = BoolOp(!cmp, c) is at x.list[0], UINT32_MAX = none;
 * the first may be absent (d = UINT32_MAX). SET_B16: imm is what a true lane gets. */
enum { BOOL_NONE, BOOL_AND, BOOL_OR, BOOL_XOR };

static inline uint32_t set_combine(const struct ptx_warp *w, const struct ptx_uop *u, uint32_t r) {
  if (u->aux2 == BOOL_NONE) return r;
  uint32_t c = PRED(u->x.list[1]) ^ u->x.list[2];
  return u->aux2 == BOOL_AND ? r & c : u->aux2 == BOOL_OR ? r | c : r ^ c;
}

static inline void set_result(struct ptx_warp *w, const struct ptx_uop *u, uint32_t mask,
                              uint32_t r) {
  if (u->aux == SET_PRED) {
    PRED(u->d) = (PRED(u->d) & ~mask) | (r & mask);
    return;
  }
  uint32_t p = set_combine(w, u, r);
  if (u->aux == SET_PRED_FULL) {
    uint32_t q = set_combine(w, u, ~r);
    if (u->d != UINT32_MAX) PRED(u->d) = (PRED(u->d) & ~mask) | (p & mask);
    if (u->x.list[0] != UINT32_MAX) PRED(u->x.list[0]) = (PRED(u->x.list[0]) & ~mask) | (q & mask);
  } else if (u->aux == SET_F32)
    STORE_LANES(uint32_t, (p >> i) & 1 ? 0x3f800000u : 0u);
  else if (u->aux == SET_B16)
    STORE_LANES(uint16_t, (p >> i) & 1 ? (uint16_t)u->imm : 0u);
  else
    STORE_LANES(uint32_t, (p >> i) & 1 ? FULL : 0u);
}

#endif
