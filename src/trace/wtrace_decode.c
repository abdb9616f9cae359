/* Parts to streams. Nothing that is read is trusted: positions are checked against the kernel, and
 * the ends of parts after each operation (WT_SLACK covers the longest one). */
#include "trace/wtrace_code.h"

bool wt_decoder_init(struct wt_decoder *d, const struct weir_kernel_info *k) {
  *d = (struct wt_decoder){.kernel = k};
  d->n_blocks = weir_volume(k->grid);
  return wt_model_init(&d->model, k);
}

void wt_decoder_free(struct wt_decoder *d) {
  if (d->stream) weir_block_release(d->stream);
  wt_model_free(&d->model);
}

static void start_warp(struct wt_decoder *d, uint32_t warp) {
  d->warp = warp;
  d->pos = 0;
  d->mask = d->prev_mask = UINT32_MAX;
  wt_model_warp(&d->model, warp);
}

/* The group goes on with a block that began in an earlier one. */
static const char *resume(struct wt_decoder *d, uint64_t block, uint32_t warp, bool is_fresh) {
  if (warp >= d->kernel->n_warps || block >= d->n_blocks) return "a block beyond the grid";
  if (is_fresh) {
    d->block = block;
    d->next_block = block + 1;
    d->in_block = true; /* without a stream: what belongs to it is skipped */
  } else if (!d->in_block || d->block != block || d->warp != warp) {
    return "it does not go on where the group before it ended";
  }
  start_warp(d, warp);
  return NULL;
}

const char *wt_decode_group(struct wt_decoder *d, uint32_t kernel, bool is_fresh) {
  struct wt_cursor c = {.p = d->at[WT_P_HEAD], .end = d->end[WT_P_HEAD]};
  uint32_t of_kernel = wt_read_u32(&c);
  uint8_t flags = wt_read_byte(&c);
  uint64_t block = wt_read_leb(&c);
  uint32_t warp = wt_read_u32(&c);
  d->group_insns = wt_read_leb(&c);
  if (c.is_bad || c.p != c.end || flags > 3) return "its head is malformed";
  if (of_kernel != kernel) return "it belongs to another kernel";
  d->group_began = d->n_insns;
  d->is_cut = flags & 2;
  wt_model_reset(&d->model);
  if (flags & 1) return resume(d, block, warp, is_fresh);
  if (is_fresh)
    d->in_block = false;
  else if (d->in_block)
    return "the group before it ended inside a block";
  if (!is_fresh && block < d->next_block) return "its blocks are out of order";
  d->next_block = block;
  return NULL;
}

static bool overran(const struct wt_decoder *d) {
  bool is_over = false;
  for (int i = WT_P_BASES; i < WT_N_PARTS; i++)
    is_over |= d->at[i] > d->end[i];
  return is_over;
}

static uint64_t get_base(struct wt_decoder *d, const struct wt_slot *s) {
  uint64_t first = *d->at[WT_P_BASES]++, z = first >> 1 & 0x3f;
  if (first & 0x80) z |= wt_get_leb(&d->at[WT_P_BASES]) << 6;
  int64_t miss = wt_unzigzag(z);
  return (uint64_t)miss << (first & 1 ? 0 : s->align);
}

static uint64_t predict_and_decode(struct wt_decoder *d, struct wt_slot *s) {
  struct wt_guess g;
  uint64_t base = wt_guess(&d->model, s, &g) + get_base(d, s);
  wt_learn(&d->model, s, &g, base);
  return base;
}

/* The next n numbers of the planes, as if there were always 32: WT_SLACK covers the rest, and
 * compilers make vector code of it. */
static void get_lanes(struct wt_decoder *d, uint64_t v[WEIR_LANES], unsigned n, unsigned bytes) {
  for (unsigned i = 0; i < WEIR_LANES; i++)
    v[i] = d->at[WT_P_PLANES][i];
  for (unsigned b = 1; b < bytes; b++)
    for (unsigned i = 0; i < WEIR_LANES; i++)
      v[i] |= (uint64_t)d->at[WT_P_PLANES + b][i] << (8 * b);
  for (unsigned b = 0; b < bytes; b++)
    d->at[WT_P_PLANES + b] += n;
}

/* The addresses of the active lanes, upwards, from their numbers. */
static void get_addresses(unsigned mode, unsigned shift, uint64_t from,
                          const uint64_t v[WEIR_LANES], uint64_t a[WEIR_LANES]) {
  if (mode == WT_L_LOW) {
    for (unsigned i = 0; i < WEIR_LANES; i++)
      a[i] = from + (v[i] << shift);
    return;
  }
  a[0] = from;
  for (unsigned i = 1; i < WEIR_LANES; i++)
    a[i] = (uint64_t)wt_unzigzag(v[i - 1]) << shift;
  if (mode == WT_L_FIRST) {
    for (unsigned i = 1; i < WEIR_LANES; i++)
      a[i] += from;
  } else {
    uint64_t sum = from; /* in a register: through memory each step would wait for the last */
    for (unsigned i = 1; i < WEIR_LANES; i++)
      a[i] = sum += a[i];
  }
}

static uint64_t lowest_of(const uint64_t *a, unsigned n) {
  uint64_t low = UINT64_MAX;
  for (unsigned i = 0; i < n; i++)
    low = a[i] < low ? a[i] : low;
  return low;
}

static const char *get_list(struct wt_decoder *d, struct wt_slot *s, uint64_t lane[WEIR_LANES]) {
  unsigned head = *d->at[WT_P_FORMS]++, mode = head >> 6, shift = head >> 3 & 7;
  unsigned bytes = (head & 7) + 1, n = (unsigned)__builtin_popcount(d->mask);
  uint64_t v[WEIR_LANES], a[WEIR_LANES];
  struct wt_guess g;
  if (mode > WT_L_CHAIN) return "an unknown form of address list";
  if (mode == WT_L_LOW && (!s->has_low || !n)) return "a list that counts from nowhere";
  uint64_t base = wt_guess(&d->model, s, &g);
  if (mode != WT_L_LOW) base += get_base(d, s);
  get_lanes(d, v, n - (mode != WT_L_LOW && n), bytes);
  get_addresses(mode, shift, mode == WT_L_LOW ? s->low : base, v, a);
  wt_learn(&d->model, s, &g, mode == WT_L_LOW ? a[0] : base);
  if (mode != WT_L_LOW) wt_learn_low(s, n, lowest_of(a, n)); /* else none is lower */
  if (d->mask == UINT32_MAX) {
    memcpy(lane, a, sizeof a);
    return NULL;
  }
  unsigned i = 0;
  for (uint32_t m = d->mask; m; m &= m - 1)
    lane[__builtin_ctz(m)] = a[i++];
  return NULL;
}

static const char *get_mem(struct wt_decoder *d, unsigned code) {
  if (d->pos >= d->kernel->n_insns) return "a position beyond the kernel's end";
  uint32_t at = d->model.slot_of[d->pos];
  if (at == UINT32_MAX) return "addresses for an instruction that accesses no memory";
  struct wt_slot *s = &d->model.slot[at];
  struct weir_addrs a = {.space = s->space};
  uint64_t lane[WEIR_LANES];
  switch (code) {
  case WT_O_UNIFORM:
    a.kind = WEIR_ADDR_UNIFORM;
    a.base = predict_and_decode(d, s);
    break;
  case WT_O_NEW_STRIDE:
    s->stride = wt_unzigzag(wt_get_leb(&d->at[WT_P_FORMS]));
    /* fall through */
  case WT_O_STRIDE:
    a.kind = WEIR_ADDR_STRIDE;
    a.stride = s->stride;
    a.base = predict_and_decode(d, s);
    break;
  default: {
    a.kind = WEIR_ADDR_LIST;
    a.lane = lane;
    const char *why = get_list(d, s, lane);
    if (why) return why;
  }
  }
  if (overran(d)) return "a part ends in the middle";
  if (d->stream) weir_put_mem(&d->stream->writers[d->warp], d->pos, d->mask, &a);
  d->pos++;
  d->n_insns++;
  d->n_mem++;
  return NULL;
}

static const char *get_run(struct wt_decoder *d, uint64_t n) {
  if (!n || d->pos > d->kernel->n_insns || n > d->kernel->n_insns - d->pos)
    return "a position beyond the kernel's end";
  if (d->stream) weir_put_run(&d->stream->writers[d->warp], d->pos, (uint32_t)n, d->mask);
  d->pos += (uint32_t)n;
  d->n_insns += n;
  return NULL;
}

static const char *get_jump(struct wt_decoder *d, const uint8_t **p, bool is_back) {
  uint64_t by = wt_get_leb(p);
  if (by > UINT32_MAX - 1) return "a jump that is too far";
  d->pos += is_back ? 0 - ((uint32_t)by + 1) : (uint32_t)by + 1;
  return NULL;
}

static const char *get_state(struct wt_decoder *d, unsigned code) {
  uint32_t mask;
  switch (code) {
  case WT_O_FULL:
    mask = UINT32_MAX;
    break;
  case WT_O_BACK:
    mask = d->prev_mask;
    break;
  case WT_O_SIBLING:
    mask = d->mask ^ d->prev_mask;
    break;
  case WT_O_MASK:
    mask = weir_load32(d->at[WT_P_MASKS]);
    d->at[WT_P_MASKS] += 4;
    if (d->at[WT_P_MASKS] > d->end[WT_P_MASKS]) return "a part ends in the middle";
    break;
  default: {
    unsigned space = code - WT_O_SPACE;
    if (code < WT_O_SPACE || space >= WEIR_N_SPACES || space == WEIR_SP_NONE ||
        space == WEIR_SP_GENERIC)
      return "an unknown operation";
    if (d->pos >= d->kernel->n_insns || d->model.slot_of[d->pos] == UINT32_MAX)
      return "a space for an instruction that accesses no memory";
    d->model.slot[d->model.slot_of[d->pos]].space = (uint8_t)space;
    return NULL;
  }
  }
  d->prev_mask = d->mask;
  d->mask = mask;
  return NULL;
}

static const char *begin_block(struct wt_decoder *d, uint64_t skip, struct weir_stream_pool *pool,
                               struct weir_err *err) {
  if (d->next_block >= d->n_blocks || skip >= d->n_blocks - d->next_block)
    return "a block beyond the grid";
  d->block = d->next_block + skip;
  d->next_block = d->block + 1;
  if (weir_block_begin(pool, d->block, d->kernel->n_warps, &d->stream, err)) return WT_NO_MEMORY;
  d->in_block = true;
  start_warp(d, 0);
  return NULL;
}

/* An END. A block whose beginning was skipped is dropped. */
static const char *end_warp(struct wt_decoder *d, bool *done, struct weir_err *err) {
  if (d->warp + 1 < d->kernel->n_warps) {
    start_warp(d, d->warp + 1);
    return NULL;
  }
  d->in_block = false;
  if (!d->stream) return NULL;
  if (weir_block_finish(d->stream, err)) return WT_NO_MEMORY;
  *done = true;
  return NULL;
}

static const char *end_group(struct wt_decoder *d) {
  if (d->is_cut != d->in_block) return "it ends where no group may end";
  for (int i = WT_P_BASES; i < WT_N_PARTS; i++)
    if (d->at[i] != d->end[i]) return "a part holds more than its operations use";
  if (d->n_insns - d->group_began != d->group_insns) return "its number of instructions is wrong";
  return NULL;
}

const char *wt_decode(struct wt_decoder *d, struct weir_stream_pool *pool, bool *done,
                      struct weir_err *err) {
  const uint8_t *p = d->at[WT_P_OPS], *end = d->end[WT_P_OPS];
  const char *why = NULL;
  *done = false;
  while (!why && !*done && p < end) {
    unsigned code = *p++;
    if (!d->in_block && code != WT_O_BLOCK) return "instructions outside blocks";
    if (code < WT_O_UNIFORM)
      why = get_run(d, code + 1);
    else if (code <= WT_O_LIST)
      why = get_mem(d, code);
    else if (code <= WT_O_BACKWARD)
      why = get_jump(d, &p, code == WT_O_BACKWARD);
    else if (code == WT_O_LONG)
      why = get_run(d, wt_get_leb(&p));
    else if (code == WT_O_END)
      why = end_warp(d, done, err);
    else if (code != WT_O_BLOCK)
      why = get_state(d, code);
    else
      why = d->in_block ? "a block inside a block" : begin_block(d, wt_get_leb(&p), pool, err);
  }
  d->at[WT_P_OPS] = p;
  if (p > end) return "a part ends in the middle";
  if (!why && !*done) why = end_group(d);
  return why;
}
