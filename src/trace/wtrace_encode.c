/* Streams to parts. Memory for a part is as large as a whole group may be, and only what is used
 * is ever touched. */
#include <stdlib.h>

#include "base/mem.h"
#include "trace/wtrace_code.h"

enum { ROOM = WT_MAX_GROUP + (1 << 12) };

bool wt_encoder_init(struct wt_encoder *e) {
  *e = (struct wt_encoder){0};
  for (int i = 0; i < WT_N_PARTS; i++) {
    e->at[i] = e->part[i] = weir_malloc(ROOM);
    if (!e->part[i]) return false;
  }
  return true;
}

void wt_encoder_free(struct wt_encoder *e) {
  for (int i = 0; i < WT_N_PARTS; i++)
    free(e->part[i]);
  wt_model_free(&e->model);
}

bool wt_encoder_kernel(struct wt_encoder *e, const struct weir_kernel_info *k) {
  wt_model_free(&e->model);
  e->kernel = k;
  e->next_block = 0;
  if (!wt_model_init(&e->model, k)) return false;
  wt_encoder_restart(e, 0, 0, false);
  return true;
}

static void start_warp(struct wt_encoder *e, uint32_t warp) {
  e->pos = 0;
  e->mask = e->prev_mask = UINT32_MAX;
  wt_model_warp(&e->model, warp);
}

void wt_encoder_restart(struct wt_encoder *e, uint64_t block, uint32_t warp, bool is_inside) {
  for (int i = 0; i < WT_N_PARTS; i++)
    e->at[i] = e->part[i];
  e->n_insns = e->n_mem = 0;
  wt_model_reset(&e->model);
  e->block = block;
  e->warp = warp;
  e->is_inside = is_inside;
  if (is_inside) start_warp(e, warp);
}

void wt_encoder_head(struct wt_encoder *e, uint32_t kernel, bool is_cut) {
  uint8_t *p = wt_put_leb(e->part[WT_P_HEAD], kernel);
  *p++ = (uint8_t)((e->is_inside ? 1 : 0) | (is_cut ? 2 : 0));
  p = wt_put_leb(p, e->block);
  p = wt_put_leb(p, e->warp);
  e->at[WT_P_HEAD] = wt_put_leb(p, e->n_insns);
}

static inline void op(struct wt_encoder *e, unsigned code) {
  *e->at[WT_P_OPS]++ = (uint8_t)code;
}

static inline void op_leb(struct wt_encoder *e, unsigned code, uint64_t v) {
  op(e, code);
  e->at[WT_P_OPS] = wt_put_leb(e->at[WT_P_OPS], v);
}

void wt_encode_block(struct wt_encoder *e, uint64_t id) {
  op_leb(e, WT_O_BLOCK, id - e->next_block);
  e->next_block = id + 1;
}

void wt_encode_warp(struct wt_encoder *e, uint32_t warp) {
  start_warp(e, warp);
}

void wt_encode_end(struct wt_encoder *e) {
  op(e, WT_O_END);
}

static void encode_mask(struct wt_encoder *e, uint32_t mask) {
  if (mask == UINT32_MAX) {
    op(e, WT_O_FULL);
  } else if (mask == e->prev_mask) {
    op(e, WT_O_BACK);
  } else if (mask == (e->mask ^ e->prev_mask)) {
    op(e, WT_O_SIBLING);
  } else {
    op(e, WT_O_MASK);
    wt_store32(e->at[WT_P_MASKS], mask);
    e->at[WT_P_MASKS] += 4;
  }
  e->prev_mask = e->mask;
  e->mask = mask;
}

static void encode_state(struct wt_encoder *e, uint32_t insn, uint32_t mask) {
  if (insn > e->pos)
    op_leb(e, WT_O_FORWARD, insn - e->pos - 1);
  else if (insn < e->pos)
    op_leb(e, WT_O_BACKWARD, e->pos - insn - 1);
  e->pos = insn;
  if (mask != e->mask) encode_mask(e, mask);
}

void wt_encode_run(struct wt_encoder *e, uint32_t insn, uint32_t mask, uint32_t n) {
  encode_state(e, insn, mask);
  if (n <= 0x80)
    op(e, n - 1);
  else
    op_leb(e, WT_O_LONG, n);
  e->pos += n;
  e->n_insns += n;
}

/* The first byte says in bit 0 whether the number counts bytes (1) or units of the access's
 * alignment, and holds six bits of it. */
static void encode_base(struct wt_encoder *e, const struct wt_slot *s, uint64_t miss) {
  uint8_t *p = e->at[WT_P_BASES];
  bool is_odd = miss & ((UINT64_C(1) << s->align) - 1);
  uint64_t z = wt_zigzag(is_odd ? (int64_t)miss : (int64_t)miss >> s->align);
  unsigned first = (unsigned)(z & 0x3f) << 1 | is_odd;
  z >>= 6;
  *p++ = (uint8_t)(first | (z ? 0x80 : 0));
  e->at[WT_P_BASES] = z ? wt_put_leb(p, z) : p;
}

static void predict_and_encode(struct wt_encoder *e, struct wt_slot *s, uint64_t base) {
  struct wt_guess g;
  encode_base(e, s, base - wt_guess(&e->model, s, &g));
  wt_learn(&e->model, s, &g, base);
}

/* One way to write a list: what each lane's number is, and how many bits they take. */
struct form {
  uint64_t v[WEIR_LANES], all;
  unsigned bits;
};

static unsigned width_of(uint64_t v) {
  return (unsigned)(64 - __builtin_clzll(v | 1));
}

static void add_lane(struct form *f, unsigned i, uint64_t v) {
  f->v[i] = v;
  f->all |= v;
  f->bits += width_of(v);
}

/* Between what an ideal coder would need and what lanes of equal width do. */
static unsigned cost_of(const struct form *f, unsigned n) {
  return f->bits + n * width_of(f->all);
}

static void put_lanes(struct wt_encoder *e, const struct form *f, unsigned from, unsigned n,
                      unsigned bytes) {
  for (unsigned b = 0; b < bytes; b++) {
    uint8_t *p = e->at[WT_P_PLANES + b];
    for (unsigned i = from; i < n; i++)
      *p++ = (uint8_t)(f->v[i] >> (8 * b));
    e->at[WT_P_PLANES + b] = p;
  }
}

/* The addresses of active lanes, upwards. */
struct lanes {
  uint64_t a[WEIR_LANES], lowest;
  unsigned n, shift; /* all differ by multiples of 1 << shift */
};

static void collect(const struct weir_dyn *d, struct lanes *l) {
  uint64_t lane[WEIR_LANES], differ = 0x80;
  weir_expand(d, lane);
  l->n = 0;
  l->lowest = UINT64_MAX;
  for (uint32_t m = d->mask; m; m &= m - 1) {
    uint64_t a = lane[__builtin_ctz(m)];
    l->a[l->n++] = a;
    differ |= a - l->a[0];
    if (a < l->lowest) l->lowest = a;
  }
  l->shift = (unsigned)__builtin_ctzll(differ);
}

static unsigned choose_form(const struct lanes *l, const struct wt_slot *s, uint64_t miss,
                            struct form form[3]) {
  memset(form, 0, 3 * sizeof *form);
  bool fits =
      l->n && s->has_low && l->lowest >= s->low && !((l->a[0] - s->low) & ((1u << l->shift) - 1));
  for (unsigned i = 0; i < l->n; i++) {
    if (fits) add_lane(&form[WT_L_LOW], i, (l->a[i] - s->low) >> l->shift);
    if (!i) continue;
    add_lane(&form[WT_L_FIRST], i, wt_zigzag((int64_t)(l->a[i] - l->a[0]) >> l->shift));
    add_lane(&form[WT_L_CHAIN], i, wt_zigzag((int64_t)(l->a[i] - l->a[i - 1]) >> l->shift));
  }
  unsigned first = cost_of(&form[WT_L_FIRST], l->n), chain = cost_of(&form[WT_L_CHAIN], l->n);
  unsigned best = chain < first ? chain : first;
  if (fits && cost_of(&form[WT_L_LOW], l->n) < best + 2 * width_of(wt_zigzag((int64_t)miss)))
    return WT_L_LOW;
  return chain < first ? WT_L_CHAIN : WT_L_FIRST;
}

static void encode_list(struct wt_encoder *e, struct wt_slot *s, const struct weir_dyn *d) {
  struct lanes l;
  struct form form[3];
  struct wt_guess g;
  collect(d, &l);
  uint64_t base = l.n ? l.a[0] : s->base, miss = base - wt_guess(&e->model, s, &g);
  unsigned mode = choose_form(&l, s, miss, form), bytes = (width_of(form[mode].all) + 7) / 8;
  *e->at[WT_P_FORMS]++ = (uint8_t)(mode << 6 | l.shift << 3 | (bytes - 1));
  if (mode != WT_L_LOW) encode_base(e, s, miss);
  put_lanes(e, &form[mode], mode == WT_L_LOW ? 0 : 1, l.n, bytes);
  wt_learn(&e->model, s, &g, base);
  wt_learn_low(s, l.n, l.lowest);
}

void wt_encode_mem(struct wt_encoder *e, const struct weir_dyn *d) {
  encode_state(e, d->insn, d->mask);
  struct wt_slot *s = &e->model.slot[e->model.slot_of[d->insn]];
  if (s->space != d->addrs.space) {
    op(e, WT_O_SPACE | d->addrs.space);
    s->space = d->addrs.space;
  }
  switch (d->addrs.kind) {
  case WEIR_ADDR_UNIFORM:
    op(e, WT_O_UNIFORM);
    predict_and_encode(e, s, d->addrs.base);
    break;
  case WEIR_ADDR_STRIDE:
    if (d->addrs.stride == s->stride) {
      op(e, WT_O_STRIDE);
    } else {
      op(e, WT_O_NEW_STRIDE);
      e->at[WT_P_FORMS] = wt_put_leb(e->at[WT_P_FORMS], wt_zigzag(d->addrs.stride));
      s->stride = d->addrs.stride;
    }
    predict_and_encode(e, s, d->addrs.base);
    break;
  case WEIR_ADDR_LIST:
    op(e, WT_O_LIST);
    encode_list(e, s, d);
    break;
  }
  e->pos++;
  e->n_insns++;
  e->n_mem++;
}
