#include "stream/writer.h"

void weir_writer_begin(struct weir_warp_writer *w, struct weir_warp_stream *s) {
  w->next = w->run = 0;
  w->mask = w->prev_mask = UINT32_MAX;
  w->p = w->end = NULL;
  w->stream = s;
  w->is_failed = false;
  weir_addr_state_init(&w->addr);
}

static bool next_chunk(struct weir_warp_writer *w) {
  struct weir_warp_stream *s = w->stream;
  if (w->is_failed) return false;
  size_t used = w->p ? (size_t)(w->p - s->last->data) : 0;
  w->p = w->end = NULL;
  bool is_first = !s->first;
  if (!weir_stream_seal(s, used, true)) {
    w->is_failed = true;
    return false;
  }
  struct weir_chunk *c = s->last;
  w->p = c->data;
  w->end = c->data + (c->is_large ? WEIR_CHUNK_BYTES : WEIR_CHUNK_SMALL) - WEIR_STREAM_SLACK;
  if (is_first) *w->p++ = WEIR_STREAM_VERSION;
  return true;
}

/* A call writes at most RUN or LONG, JUMP or GOTO, a mask, SPACE, and MEM with its longest list:
 * 5 + 5 + 5 + 1 + (1 + 8 + 1 + 31 * 8) bytes. */
static inline bool have_room(struct weir_warp_writer *w) {
  return w->end - w->p >= WEIR_STREAM_SLACK || next_chunk(w);
}
_Static_assert(5 + 5 + 5 + 1 + 1 + 8 + 1 + 31 * 8 + 8 <= WEIR_STREAM_SLACK, "one call fits");
_Static_assert(WEIR_CHUNK_SMALL > 3 * WEIR_STREAM_SLACK, "a chunk holds something");

static inline uint8_t *put32(uint8_t *p, uint32_t v) {
  v = htole32(v);
  memcpy(p, &v, 4);
  return p + 4;
}

/* The low n bytes; writes 8. */
static inline uint8_t *put_low(uint8_t *p, uint64_t v, unsigned n) {
  v = htole64(v);
  memcpy(p, &v, 8);
  return p + n;
}

static inline uint64_t fold(int64_t v) {
  return (uint64_t)(v ^ (v >> 63));
}

/* Bytes of a signed number whose folded value (or the union of several) is given: 1..8. */
static inline unsigned folded_bytes(uint64_t f) {
  return (unsigned)(71 - __builtin_clzll(f << 1 | 1)) / 8;
}

static void flush_run(struct weir_warp_writer *w) {
  uint32_t n = w->run;
  if (!n) return;
  w->stream->n_insns += n;
  w->run = 0;
  if (n <= WEIR_RUN_MAX) {
    *w->p++ = (uint8_t)(n - 1);
  } else {
    *w->p++ = WEIR_T_LONG;
    w->p = put32(w->p, n);
  }
}

static void put_jump(struct weir_warp_writer *w, uint32_t insn) {
  bool back = insn < w->next;
  uint32_t d = (back ? w->next - insn : insn - w->next) - 1;
  if (d < WEIR_JUMP_MAX) {
    *w->p++ = (uint8_t)((back ? WEIR_T_JUMP_BACK : WEIR_T_JUMP) | d >> 8);
    *w->p++ = (uint8_t)d;
  } else {
    *w->p++ = WEIR_T_GOTO;
    w->p = put32(w->p, insn);
  }
}

static void put_mask(struct weir_warp_writer *w, uint32_t mask) {
  uint32_t ends = mask ? mask & -mask : 0;
  if (mask == UINT32_MAX) {
    *w->p++ = WEIR_T_FULL;
  } else if (mask == w->prev_mask) {
    *w->p++ = WEIR_T_BACK;
  } else if (mask == (w->mask ^ w->prev_mask)) {
    *w->p++ = WEIR_T_SIBLING;
  } else if (mask && !((mask + ends) & mask)) {
    unsigned first = (unsigned)__builtin_ctz(mask), last = 31u - (unsigned)__builtin_clz(mask);
    *w->p++ = (uint8_t)(WEIR_T_RANGE | last >> 3);
    *w->p++ = (uint8_t)(last << 5 | first);
  } else {
    *w->p++ = WEIR_T_MASK;
    w->p = put32(w->p, mask);
  }
  w->prev_mask = w->mask;
  w->mask = mask;
}

static inline void put_state(struct weir_warp_writer *w, uint32_t insn, uint32_t mask) {
  flush_run(w);
  if (insn != w->next) put_jump(w, insn);
  if (mask != w->mask) put_mask(w, mask);
  w->next = insn + 1;
}

void weir_put_slow(struct weir_warp_writer *w, uint32_t insn, uint32_t mask) {
  if (!have_room(w)) return;
  put_state(w, insn, mask);
  w->run = 1;
}

/* Token and base. The nearer of the slot's and the warp's last base is taken. */
static void put_base(struct weir_warp_writer *w, struct weir_addr_slot *slot, unsigned kind,
                     uint64_t base) {
  unsigned token = WEIR_T_MEM | kind << 4;
  int64_t from_slot = (int64_t)(base - slot->base);
  if (from_slot == slot->step) {
    *w->p++ = (uint8_t)token;
  } else {
    int64_t from_last = (int64_t)(base - w->addr.last);
    unsigned n = folded_bytes(fold(from_slot)), n_last = folded_bytes(fold(from_last));
    if (n_last < n) {
      *w->p++ = (uint8_t)(token | (8 + n_last));
      w->p = put_low(w->p, (uint64_t)from_last, n_last);
    } else {
      *w->p++ = (uint8_t)(token | n);
      w->p = put_low(w->p, (uint64_t)from_slot, n);
    }
  }
  weir_addr_moved(&w->addr, slot, base);
}

static void put_stride(struct weir_warp_writer *w, struct weir_addr_slot *slot, int64_t stride) {
  uint64_t z = (uint64_t)stride << 1 ^ (uint64_t)(stride >> 63);
  for (; z >= 0x80; z >>= 7)
    *w->p++ = (uint8_t)(z | 0x80);
  *w->p++ = (uint8_t)z;
  slot->stride = weir_fit32(stride);
}

static void put_list(struct weir_warp_writer *w, uint32_t mask, const uint64_t *lane) {
  uint64_t far[WEIR_LANES], near[WEIR_LANES], all = 0, all_far = 0, all_near = 0;
  unsigned n = 0;
  uint64_t base = mask ? lane[__builtin_ctz(mask)] : 0, below = base;
  for (uint32_t m = mask & (mask - 1); m; m &= m - 1, n++) {
    uint64_t a = lane[__builtin_ctz(m)];
    far[n] = a - base;
    near[n] = a - below;
    below = a;
    all |= far[n];
    all_far |= fold((int64_t)far[n]);
    all_near |= fold((int64_t)near[n]);
  }
  unsigned shift = (unsigned)__builtin_ctzll(all | 0x80);
  unsigned n_far = folded_bytes(all_far >> shift), n_near = folded_bytes(all_near >> shift);
  bool chained = n_near < n_far;
  unsigned bytes = chained ? n_near : n_far;
  const uint64_t *d = chained ? near : far;
  uint8_t *p = w->p;
  *p++ = (uint8_t)((chained ? WEIR_LIST_CHAINED : 0) | shift << 3 | (bytes - 1));
  for (unsigned i = 0; i < n; i++)
    p = put_low(p, (uint64_t)((int64_t)d[i] >> shift), bytes);
  w->p = p;
}

void weir_put_mem(struct weir_warp_writer *w, uint32_t insn, uint32_t mask,
                  const struct weir_addrs *a) {
  if (!have_room(w)) return;
  put_state(w, insn, mask);
  w->stream->n_insns++;
  unsigned k = insn % WEIR_ADDR_SLOTS;
  struct weir_addr_slot *slot = &w->addr.slot[k];
  if (w->addr.space[k] != a->space) {
    *w->p++ = (uint8_t)(WEIR_T_SPACE | a->space);
    w->addr.space[k] = a->space;
  }
  switch (a->kind) {
  case WEIR_ADDR_UNIFORM:
    put_base(w, slot, WEIR_K_UNIFORM, a->base);
    break;
  case WEIR_ADDR_STRIDE: {
    bool same = a->stride == slot->stride;
    put_base(w, slot, same ? WEIR_K_STRIDE : WEIR_K_NEW_STRIDE, a->base);
    if (!same) put_stride(w, slot, a->stride);
    break;
  }
  case WEIR_ADDR_LIST:
    put_base(w, slot, WEIR_K_LIST, mask ? a->lane[__builtin_ctz(mask)] : slot->base);
    put_list(w, mask, a->lane);
    break;
  }
}

void weir_writer_park(struct weir_warp_writer *w) {
  if (!w->p) return;
  weir_stream_seal(w->stream, (size_t)(w->p - w->stream->last->data), false);
  w->p = w->end = NULL;
}

enum weir_status weir_writer_finish(struct weir_warp_writer *w, struct weir_err *err) {
  if (have_room(w)) {
    flush_run(w);
    *w->p++ = WEIR_T_END;
    weir_writer_park(w);
    return WEIR_OK;
  }
  enum weir_status st = weir_stream_pool_status(w->stream->pool, err);
  return st ? st : weir_fail(err, WEIR_EBUG, "a warp's stream was lost");
}
