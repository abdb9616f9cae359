#include "stream/reader.h"

static void reset(struct weir_warp_reader *r, const struct weir_kernel_info *kernel) {
  memset(r, 0, offsetof(struct weir_warp_reader, addr));
  r->mask = r->prev_mask = UINT32_MAX;
  r->kernel = kernel;
  weir_addr_state_init(&r->addr);
}

void weir_reader_open(struct weir_warp_reader *r, struct weir_warp_stream *s,
                      const struct weir_kernel_info *kernel, bool consume) {
  reset(r, kernel);
  weir_span_open(&r->cursor, s, consume);
}

void weir_reader_open_bytes(struct weir_warp_reader *r, const uint8_t *bytes, size_t n,
                            const struct weir_kernel_info *kernel) {
  reset(r, kernel);
  r->p = r->span = bytes;
  r->end = bytes + n;
}

void weir_reader_open_filter(struct weir_warp_reader *r, struct weir_filter *f) {
  reset(r, f->in.kernel);
  r->filter = f;
  r->is_done = true; /* it has no bytes of its own */
}

void weir_reader_close(struct weir_warp_reader *r) {
  if (r->filter) weir_reader_close(&r->filter->in);
  r->filter = NULL;
  if (r->cursor.stream) weir_span_close(&r->cursor);
  r->p = r->end = r->span = NULL;
  r->run = 0;
  r->is_done = true;
}

static bool fail(struct weir_warp_reader *r, enum weir_status st, const char *why) {
  r->status = st;
  r->why = why;
  r->is_done = true;
  return false;
}

static bool malformed(struct weir_warp_reader *r, const char *why) {
  return fail(r, WEIR_EPARSE, why);
}

enum weir_status weir_reader_error(const struct weir_warp_reader *r, struct weir_err *err) {
  if (r->filter) r = &r->filter->in;
  if (!r->status) return WEIR_OK;
  if (r->status == WEIR_EPARSE) {
    uint64_t at = r->span_at + (r->p > r->span ? (uint64_t)(r->p - r->span) : 0);
    return weir_fail(err, WEIR_EPARSE, "malformed warp stream near byte %llu: %s",
                     (unsigned long long)at, r->why);
  }
  if (r->cursor.stream && weir_stream_pool_status(r->cursor.stream->pool, err)) return r->status;
  return weir_fail(err, r->status, "%s", r->why);
}

/* On true at least one byte is there. */
static bool refill(struct weir_warp_reader *r) {
  while (r->p == r->end) {
    size_t n = 0;
    const uint8_t *bytes = NULL;
    if (r->cursor.stream) {
      r->span_at += (uint64_t)(r->end - r->span);
      enum weir_status st = weir_span_next(&r->cursor, &bytes, &n, NULL);
      r->p = r->span = bytes;
      r->end = bytes ? bytes + n : NULL;
      if (st) return fail(r, st, "a stream could not be read back");
    }
    if (!bytes) return malformed(r, "it ends in the middle");
  }
  if (!r->is_begun) {
    r->is_begun = true;
    if (*r->p != WEIR_STREAM_VERSION) return malformed(r, "unknown version");
    r->p++;
    return r->p < r->end || refill(r);
  }
  return true;
}

static void set_mask(struct weir_warp_reader *r, uint32_t mask) {
  r->prev_mask = r->mask;
  r->mask = mask;
}

static bool get_stride(struct weir_warp_reader *r, int64_t *stride) {
  uint64_t z = 0;
  for (unsigned shift = 0; shift < 70; shift += 7) {
    uint8_t b = *r->p++;
    z |= (uint64_t)(b & 0x7f) << shift;
    if (!(b & 0x80)) {
      *stride = (int64_t)(z >> 1 ^ (0 - (z & 1)));
      return true;
    }
  }
  return malformed(r, "a stride of more than 10 bytes");
}

static bool get_mem(struct weir_warp_reader *r, unsigned token, struct weir_dyn *d) {
  uint32_t insn = r->next;
  if (insn >= r->kernel->n_insns) return malformed(r, "a position beyond the kernel's end");
  if (!r->kernel->insns[insn].width)
    return malformed(r, "addresses for an instruction that accesses no memory");
  unsigned k = insn % WEIR_ADDR_SLOTS, b = token & 15;
  struct weir_addr_slot *slot = &r->addr.slot[k];
  uint64_t base;
  if (!b) {
    base = slot->base + (uint64_t)(int64_t)slot->step;
  } else {
    unsigned n = b > 8 ? b - 8 : b;
    base = (b > 8 ? r->addr.last : slot->base) + (uint64_t)weir_load_signed(r->p, n);
    r->p += n;
  }
  weir_addr_moved(&r->addr, slot, base);
  d->addrs = (struct weir_addrs){.space = r->addr.space[k], .base = base};
  switch (token >> 4 & 3) {
  case WEIR_K_UNIFORM:
    d->addrs.kind = WEIR_ADDR_UNIFORM;
    break;
  case WEIR_K_STRIDE:
    d->addrs.kind = WEIR_ADDR_STRIDE;
    d->addrs.stride = slot->stride;
    break;
  case WEIR_K_NEW_STRIDE:
    d->addrs.kind = WEIR_ADDR_STRIDE;
    if (!get_stride(r, &d->addrs.stride)) return false;
    slot->stride = weir_fit32(d->addrs.stride);
    break;
  default: {
    d->addrs.kind = WEIR_ADDR_LIST;
    d->list_head = *r->p++;
    if (d->list_head & WEIR_LIST_RESERVED) return malformed(r, "an unknown form of address list");
    d->list = r->p;
    unsigned lanes = (unsigned)__builtin_popcount(r->mask);
    if (lanes) r->p += (lanes - 1) * ((d->list_head & 7u) + 1);
  }
  }
  if (r->p > r->end) return malformed(r, "it ends in the middle");
  d->insn = r->next++;
  d->mask = r->mask;
  d->has_addr = true;
  return true;
}

static bool get_run(struct weir_warp_reader *r, uint32_t n, struct weir_dyn *d) {
  if (r->p > r->end) return malformed(r, "it ends in the middle");
  if (!n || (uint64_t)r->next + n > r->kernel->n_insns)
    return malformed(r, "a position beyond the kernel's end");
  r->run = n - 1;
  d->insn = r->next++;
  d->mask = r->mask;
  d->has_addr = false;
  return true;
}

static bool get_space(struct weir_warp_reader *r, unsigned space) {
  if (space == WEIR_SP_NONE || space == WEIR_SP_GENERIC) return malformed(r, "an unknown space");
  r->addr.space[r->next % WEIR_ADDR_SLOTS] = (uint8_t)space;
  return true;
}

/* Tokens from RANGE up, which say nothing of instructions executed. */
static bool get_state(struct weir_warp_reader *r, unsigned token) {
  const uint8_t *p = r->p;
  switch (token) {
  case WEIR_T_RANGE:
  case WEIR_T_RANGE + 1:
  case WEIR_T_RANGE + 2:
  case WEIR_T_RANGE + 3: {
    unsigned first = *p & 31, last = (token & 3) << 3 | *p >> 5;
    if (first > last) return malformed(r, "an empty range of lanes");
    set_mask(r, (UINT32_MAX >> (31 - last)) & (UINT32_MAX << first));
    r->p = p + 1;
    return true;
  }
  case WEIR_T_FULL:
    set_mask(r, UINT32_MAX);
    return true;
  case WEIR_T_SIBLING:
    set_mask(r, r->mask ^ r->prev_mask);
    return true;
  case WEIR_T_BACK:
    set_mask(r, r->prev_mask);
    return true;
  case WEIR_T_MASK:
    set_mask(r, weir_load32(p));
    r->p = p + 4;
    return true;
  case WEIR_T_GOTO:
    r->next = weir_load32(p);
    r->p = p + 4;
    return true;
  default:
    if (token >= WEIR_T_SPACE) return get_space(r, token & 7);
    return malformed(r, "an unknown token");
  }
}

static bool get_end(struct weir_warp_reader *r) {
  if (r->p != r->end) return malformed(r, "bytes after the end");
  r->is_done = true;
  return false;
}

static bool next_filtered(struct weir_warp_reader *r, struct weir_dyn *d) {
  if (!r->filter) return false;
  bool any = r->filter->next(r->filter, d);
  r->status = r->filter->in.status;
  return any;
}

bool weir_next_slow(struct weir_warp_reader *r, struct weir_dyn *d) {
  if (r->is_done) return next_filtered(r, d);
  for (;;) {
    if (r->p >= r->end || !r->is_begun) {
      if (r->p > r->end) return malformed(r, "it ends in the middle");
      if (!refill(r)) return false;
    }
    unsigned token = *r->p++;
    if (token < WEIR_T_MEM) return get_run(r, token + 1, d);
    if (token < WEIR_T_JUMP) return get_mem(r, token, d);
    if (token < WEIR_T_RANGE) {
      uint32_t by = ((token & 15) << 8 | *r->p++) + 1;
      r->next += token & 0x10 ? 0 - by : by;
    } else if (token == WEIR_T_LONG) {
      uint32_t n = weir_load32(r->p);
      r->p += 4;
      return get_run(r, n, d);
    } else if (token == WEIR_T_END) {
      return get_end(r);
    } else if (!get_state(r, token)) {
      return false;
    }
  }
}

static void expand_list(const struct weir_dyn *d, uint64_t out[WEIR_LANES]) {
  unsigned bytes = (d->list_head & 7u) + 1, shift = d->list_head >> 3 & 7;
  bool chained = d->list_head & WEIR_LIST_CHAINED;
  const uint8_t *p = d->list;
  uint64_t from = d->addrs.base;
  memset(out, 0, WEIR_LANES * sizeof *out);
  if (!d->mask) return;
  out[__builtin_ctz(d->mask)] = from;
  for (uint32_t m = d->mask & (d->mask - 1); m; m &= m - 1, p += bytes) {
    uint64_t a = from + ((uint64_t)weir_load_signed(p, bytes) << shift);
    out[__builtin_ctz(m)] = a;
    if (chained) from = a;
  }
}

void weir_expand(const struct weir_dyn *d, uint64_t out[WEIR_LANES]) {
  uint64_t base = d->addrs.base, stride = 0;
  if (d->addrs.kind == WEIR_ADDR_LIST) {
    expand_list(d, out);
    return;
  }
  if (d->addrs.kind == WEIR_ADDR_STRIDE) stride = (uint64_t)d->addrs.stride;
  for (unsigned i = 0; i < WEIR_LANES; i++)
    out[i] = base + i * stride;
}
