/* Lines of instructions. Almost every line belongs to the instruction that followed the one before
 * it last time: then two comparisons and a mask are all there is to do, and its addresses. */
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

#include "base/mem.h"
#include "trace/accelsim_kernel.h"

enum { MAX_REG = 255, MAX_INSNS = 1 << 20, WINDOW_BYTES = 1 << 24 };

/* Local memory of threads is laid out as hardware does, word by word over the lanes of a warp,
 * above all addresses that GPUs have (49 bits). */
#define LOCAL_BASE (UINT64_C(1) << 50)
/* As in PTX execution: a larger stride could wrap round. */
#define MAX_STRIDE (INT64_C(1) << 48)

static inline unsigned hex_digit(char c) {
  static const uint8_t value[256] = {
      ['0'] = 1,  ['1'] = 2,  ['2'] = 3,  ['3'] = 4,  ['4'] = 5,  ['5'] = 6,
      ['6'] = 7,  ['7'] = 8,  ['8'] = 9,  ['9'] = 10, ['a'] = 11, ['b'] = 12,
      ['c'] = 13, ['d'] = 14, ['e'] = 15, ['f'] = 16, ['A'] = 11, ['B'] = 12,
      ['C'] = 13, ['D'] = 14, ['E'] = 15, ['F'] = 16};
  return (unsigned)value[(uint8_t)c] - 1;
}

/* At most `max` digits, at least one, up to a space or the line's end. */
static inline bool hex(const char **p, unsigned max, uint64_t *out) {
  const char *s = *p;
  uint64_t v = 0;
  unsigned d, n = 0;
  for (; (d = hex_digit(*s)) < 16; s++, n++)
    v = v << 4 | d;
  if (!n || n > max || (*s != ' ' && *s != '\n')) return false;
  *out = v;
  *p = s;
  return true;
}

static inline bool address(const char **p, uint64_t *out) {
  if ((*p)[0] != '0' || (*p)[1] != 'x') return false;
  const char *s = *p + 2;
  if (!hex(&s, 16, out)) return false;
  *p = s;
  return true;
}

static inline bool decimal(const char **p, uint64_t max, uint64_t *out) {
  const char *s = *p;
  uint64_t v = 0;
  for (; *s >= '0' && *s <= '9'; s++) {
    unsigned d = (unsigned)(*s - '0');
    if (v > (max - d) / 10) return false;
    v = v * 10 + d;
  }
  if (s == *p || (*s != ' ' && *s != '\n')) return false;
  *out = v;
  *p = s;
  return true;
}

static inline bool integer(const char **p, int64_t *out) {
  const char *s = *p;
  bool is_negative = *s == '-';
  uint64_t v;
  s += is_negative;
  if (!address(&s, &v) && !decimal(&s, UINT64_MAX, &v)) return false;
  if (is_negative && v > (uint64_t)INT64_MAX + 1) return false;
  *out = (int64_t)(is_negative ? 0 - v : v);
  *p = s;
  return true;
}

static inline void spaces(const char **p) {
  while (**p == ' ')
    ++*p;
}

static unsigned token_len(const char *p) {
  unsigned n = 0;
  while (p[n] != ' ' && p[n] != '\n')
    n++;
  return n;
}

static enum weir_status bad_token(struct weir_acc_kernel *k, const char *p, const char *what,
                                  struct weir_err *err) {
  unsigned n = token_len(p);
  if (!n) return WEIR_ACC_FAIL(k, p, WEIR_EPARSE, "the line ends where %s should follow", what);
  return WEIR_ACC_FAIL(k, p, WEIR_EPARSE, "'%.*s' is not %s", (int)(n < 40 ? n : 40), p, what);
}

/* A line in its parts. */
struct parts {
  const char *mask_at, *tail, *tail_end;
  uint32_t mask, pc, line;
  struct weir_sass_line op;
};

static enum weir_status read_regs(struct weir_acc_kernel *k, const char **p, unsigned max,
                                  uint8_t *regs, unsigned *n, const char *what,
                                  struct weir_err *err) {
  uint64_t v;
  if (!decimal(p, UINT32_MAX, &v)) return bad_token(k, *p, what, err);
  if (v > max)
    return WEIR_ACC_FAIL(k, NULL, WEIR_EPARSE, "%llu is more than %s may be, %u",
                         (unsigned long long)v, what, max);
  *n = (unsigned)v;
  for (unsigned i = 0; i < *n; i++) {
    spaces(p);
    const char *at = *p;
    if (**p != 'R') return bad_token(k, at, "a register", err);
    ++*p;
    if (!decimal(p, UINT32_MAX, &v)) return bad_token(k, at, "a register", err);
    if (v > MAX_REG)
      return WEIR_ACC_FAIL(k, at, WEIR_EPARSE, "there is no register R%llu; R%d is the last",
                           (unsigned long long)v, MAX_REG);
    regs[i] = (uint8_t)v;
  }
  spaces(p);
  return WEIR_OK;
}

/* The immediate operand: version 4 began without, version 5 always writes it. */
static enum weir_status read_imm(struct weir_acc_kernel *k, const char *p, bool *has_imm,
                                 int64_t *imm, struct weir_err *err) {
  spaces(&p);
  *has_imm = *p != '\n';
  if (!*has_imm && k->h.tracer_version == 4) return WEIR_OK;
  if (!integer(&p, imm)) return bad_token(k, p, "the immediate", err);
  if (p != k->end)
    return WEIR_ACC_FAIL(k, p + 1, WEIR_EPARSE, "'%.*s' is more than this line should hold",
                         (int)(k->end - p - 1 < 40 ? k->end - p - 1 : 40), p + 1);
  return WEIR_OK;
}

static enum weir_status split(struct weir_acc_kernel *k, struct parts *x, struct weir_err *err) {
  const char *p = k->line;
  uint64_t v;
  enum weir_status st;
  *x = (struct parts){.line = 0};
  if (k->h.has_lines) {
    if (!decimal(&p, UINT32_MAX, &v)) return bad_token(k, p, "a source line", err);
    x->line = (uint32_t)v;
    spaces(&p);
  }
  if (p[0] == '0' && p[1] == 'x') p += 2;
  if (!hex(&p, 8, &v)) return bad_token(k, p, "a pc", err);
  x->pc = (uint32_t)v;
  spaces(&p);
  x->mask_at = p;
  if (!hex(&p, 8, &v)) return bad_token(k, p, "a mask of at most 8 hexadecimal digits", err);
  x->mask = (uint32_t)v;
  spaces(&p);
  x->tail = p;
  st = read_regs(k, &p, WEIR_MAX_DST, x->op.dst, &x->op.n_dst, "a number of results", err);
  if (st) return st;
  x->op.opcode = p;
  x->op.n_opcode = token_len(p);
  if (!x->op.n_opcode || *p < 'A' || *p > 'Z') return bad_token(k, p, "an opcode", err);
  p += x->op.n_opcode;
  spaces(&p);
  st = read_regs(k, &p, WEIR_MAX_SRC, x->op.src, &x->op.n_src, "a number of sources", err);
  if (st) return st;
  if (!decimal(&p, 256, &v)) return bad_token(k, p, "a width in bytes", err);
  x->op.width = (unsigned)v;
  x->tail_end = v ? p : k->end;
  return v ? WEIR_OK : read_imm(k, p, &x->op.has_imm, &x->op.imm, err);
}

static uint64_t hash(const char *head, size_t n_head, const char *tail, size_t n_tail) {
  return XXH3_64bits_withSeed(tail, n_tail, XXH3_64bits(head, n_head));
}

static enum weir_status no_memory(struct weir_err *err) {
  return weir_fail(err, WEIR_ENOMEM, "out of memory for the instructions of a trace");
}

static enum weir_status grow_slots(struct weir_acc_kernel *k, struct weir_err *err) {
  uint32_t n = k->n_slots ? 2 * k->n_slots : 256;
  uint32_t *slots = weir_calloc(n, sizeof *slots);
  if (!slots) return no_memory(err);
  for (uint32_t i = 0; i < k->insns.n; i++) {
    const struct weir_acc_insn *s = &k->insns.v[i];
    uint64_t h = hash(s->head, s->n_head, s->tail, s->n_tail) & (n - 1);
    while (slots[h])
      h = (h + 1) & (n - 1);
    slots[h] = i + 1;
  }
  free(k->slots);
  k->slots = slots;
  k->n_slots = n;
  return WEIR_OK;
}

static enum weir_status trouble(struct weir_acc_kernel *k, const struct parts *x,
                                enum weir_sass_trouble bad, struct weir_err *err) {
  int n = x->op.n_opcode < 80 ? (int)x->op.n_opcode : 80;
  const char *op = x->op.opcode;
  switch (bad) {
  case WEIR_SASS_NO_ADDRESS:
    return WEIR_ACC_FAIL(k, op, WEIR_EPARSE, "%.*s accesses memory but has no addresses", n, op);
  case WEIR_SASS_ADDRESS:
    return WEIR_ACC_FAIL(k, op, WEIR_EPARSE, "%.*s has addresses but accesses no memory", n, op);
  case WEIR_SASS_WIDTH:
    return WEIR_ACC_FAIL(k, op, WEIR_EPARSE, "%.*s cannot access %u bytes", n, op, x->op.width);
  case WEIR_SASS_BARRIER_COUNT:
    WEIR_ACC_FAIL(k, op, WEIR_EINVAL,
                  "%.*s: the trace gives %lld, a number of threads, and not which barrier it is", n,
                  op, (long long)x->op.imm);
    weir_err_add(err, "remedy: --opcode-class %.*s=other leaves these barriers out", n, op);
    return WEIR_EINVAL;
  case WEIR_SASS_FINE:
  case WEIR_SASS_UNKNOWN:
    break;
  }
  return WEIR_OK;
}

static enum weir_status add_insn(struct weir_acc_kernel *k, const struct parts *x,
                                 struct weir_err *err) {
  struct weir_acc_insn s = {.n_head = (uint32_t)(x->mask_at - k->line),
                            .n_tail = (uint32_t)(x->tail_end - x->tail),
                            .has_addr = x->op.width > 0,
                            .n_opcode = (uint16_t)(x->op.n_opcode < 80 ? x->op.n_opcode : 80)};
  enum weir_sass_trouble bad = weir_sass_decode(&x->op, k->over, k->n_over, &s.s, &s.lanes);
  if (bad > WEIR_SASS_UNKNOWN) return trouble(k, x, bad, err);
  if (k->insns.n == MAX_INSNS)
    return WEIR_ACC_FAIL(k, NULL, WEIR_ELIMIT, "more than %d different instructions", MAX_INSNS);
  s.trouble = (uint8_t)bad;
  s.s.pc = x->pc;
  s.s.line = x->line;
  s.head = weir_arena_strndup(&k->arena, k->line, s.n_head);
  s.tail = weir_arena_strndup(&k->arena, x->tail, s.n_tail);
  if (!s.head || !s.tail || !WEIR_PUSH(k->insns, s)) return no_memory(err);
  struct weir_acc_insn *in = &k->insns.v[k->insns.n - 1];
  in->opcode = in->tail + (x->op.opcode - x->tail);
  return k->insns.n * 2 > k->n_slots ? grow_slots(k, err) : WEIR_OK;
}

static enum weir_status find_insn(struct weir_acc_kernel *k, bool is_first, uint32_t *out,
                                  uint32_t *mask, const char **p, struct weir_err *err) {
  struct parts x;
  enum weir_status st = split(k, &x, err);
  if (st) return st;
  size_t n_head = (size_t)(x.mask_at - k->line), n_tail = (size_t)(x.tail_end - x.tail);
  *mask = x.mask;
  *p = x.tail_end;
  if (k->n_slots == 0 && (st = grow_slots(k, err))) return st;
  uint64_t h = hash(k->line, n_head, x.tail, n_tail) & (k->n_slots - 1);
  for (; k->slots[h]; h = (h + 1) & (k->n_slots - 1)) {
    const struct weir_acc_insn *s = &k->insns.v[k->slots[h] - 1];
    if (s->n_head != n_head || s->n_tail != n_tail || memcmp(s->head, k->line, n_head) != 0 ||
        memcmp(s->tail, x.tail, n_tail) != 0)
      continue;
    *out = k->slots[h] - 1;
    return WEIR_OK;
  }
  if (!is_first) return WEIR_ACC_FAIL(k, NULL, WEIR_EIO, "the file was changed while it was read");
  *out = (uint32_t)k->insns.n;
  k->slots[h] = *out + 1;
  return add_insn(k, &x, err);
}

static inline bool is_this(const struct weir_acc_kernel *k, const struct weir_acc_insn *s,
                           uint32_t *mask, const char **p) {
  const char *m = k->line + s->n_head, *tail = m + 9, *end = tail + s->n_tail;
  uint64_t v;
  if (end > k->end || memcmp(k->line, s->head, s->n_head) != 0) return false;
  if (memcmp(tail, s->tail, s->n_tail) != 0 || !hex(&m, 8, &v)) return false;
  if (m + 1 != tail || (s->has_addr ? *end != ' ' : end != k->end)) return false;
  *mask = (uint32_t)v;
  *p = end;
  return true;
}

/* Addresses of one line, of all lanes in the mask. */
struct lanes {
  bool is_stride; /* base (of lane 0) and stride, else lane[] */
  uint64_t base;
  int64_t stride;
  uint64_t lane[WEIR_LANES];
};

static void expand(struct lanes *a) {
  if (!a->is_stride) return;
  for (unsigned i = 0; i < WEIR_LANES; i++)
    a->lane[i] = a->base + (uint64_t)a->stride * i;
  a->is_stride = false;
}

static unsigned count_tokens(const char *p) {
  unsigned n = 0;
  for (spaces(&p); *p != '\n'; spaces(&p), n++)
    p += token_len(p);
  return n;
}

static enum weir_status wrong_count(struct weir_acc_kernel *k, const char *list, uint32_t mask,
                                    const char *what, unsigned want, struct weir_err *err) {
  unsigned imm = k->h.tracer_version > 4, n = count_tokens(list);
  return WEIR_ACC_FAIL(k, list, WEIR_EPARSE,
                       "mask %08x has %d active lanes, so %u %s%s must follow; %u numbers do", mask,
                       __builtin_popcount(mask), want, what, imm ? " and the immediate" : "", n);
}

static enum weir_status read_list(struct weir_acc_kernel *k, const char **p, uint32_t mask,
                                  struct lanes *a, struct weir_err *err) {
  const char *list = *p;
  unsigned n = (unsigned)__builtin_popcount(mask);
  for (uint32_t m = mask; m; m &= m - 1) {
    spaces(p);
    if (address(p, &a->lane[__builtin_ctz(m)])) continue;
    /* What ends the line too early is likely the immediate. */
    bool is_last = (*p)[token_len(*p)] == '\n';
    if (is_last && ((*p)[0] != '0' || (*p)[1] != 'x'))
      return wrong_count(k, list, mask, "addresses", n, err);
    return bad_token(k, *p, "an address that begins with 0x", err);
  }
  if (**p == ' ' && (*p)[1] == '0' && (*p)[2] == 'x')
    return wrong_count(k, list, mask, "addresses", n, err);
  return WEIR_OK;
}

static enum weir_status read_base(struct weir_acc_kernel *k, const char **p, uint64_t *base,
                                  struct weir_err *err) {
  spaces(p);
  return address(p, base) ? WEIR_OK : bad_token(k, *p, "an address that begins with 0x", err);
}

static enum weir_status read_stride(struct weir_acc_kernel *k, const char **p, uint32_t mask,
                                    struct lanes *a, struct weir_err *err) {
  enum weir_status st = read_base(k, p, &a->base, err);
  if (st) return st;
  spaces(p);
  const char *at = *p;
  if (!integer(p, &a->stride)) return bad_token(k, at, "a stride", err);
  if (a->stride >= MAX_STRIDE || a->stride <= -MAX_STRIDE)
    return WEIR_ACC_FAIL(k, at, WEIR_EPARSE, "a stride of %lld bytes is too large",
                         (long long)a->stride);
  uint32_t lowest = mask & -mask;
  if (mask && ((mask + lowest) & mask))
    return WEIR_ACC_FAIL(k, NULL, WEIR_EPARSE,
                         "address mode 1, base and stride, with gaps in mask %08x: it does not say "
                         "which lanes the stride counts",
                         mask);
  a->is_stride = true;
  if (mask) a->base -= (uint64_t)a->stride * (unsigned)__builtin_ctz(mask);
  return WEIR_OK;
}

static enum weir_status read_deltas(struct weir_acc_kernel *k, const char **p, uint32_t mask,
                                    struct lanes *a, struct weir_err *err) {
  uint64_t v = 0;
  int64_t delta;
  enum weir_status st = read_base(k, p, &v, err);
  if (st || !mask) return st;
  const char *list = *p;
  unsigned n = (unsigned)__builtin_popcount(mask) - 1;
  a->lane[__builtin_ctz(mask)] = v;
  for (uint32_t m = mask & (mask - 1); m; m &= m - 1) {
    spaces(p);
    if (!integer(p, &delta)) {
      if (**p == '\n') return wrong_count(k, list, mask, "differences", n, err);
      return bad_token(k, *p, "a difference", err);
    }
    v += (uint64_t)delta;
    a->lane[__builtin_ctz(m)] = v;
  }
  unsigned more = count_tokens(*p);
  if (more > 1 || (!more && k->h.tracer_version > 4))
    return wrong_count(k, list, mask, "differences", n, err);
  return WEIR_OK;
}

static enum weir_status read_addrs(struct weir_acc_kernel *k, const char *p, uint32_t mask,
                                   struct lanes *a, struct weir_err *err) {
  enum weir_status st;
  bool has_imm;
  int64_t imm;
  a->is_stride = false;
  spaces(&p);
  const char *mode = p;
  p += token_len(p);
  if (p != mode + 1 || *mode < '0' || *mode > '2')
    return bad_token(k, mode, "an address mode (0, 1 or 2)", err);
  if (*mode == '0')
    st = read_list(k, &p, mask, a, err);
  else if (*mode == '1')
    st = read_stride(k, &p, mask, a, err);
  else
    st = read_deltas(k, &p, mask, a, err);
  return st ? st : read_imm(k, p, &has_imm, &imm, err);
}

/* Lists that are a stride are written as one. */
static void put_list(struct weir_warp_writer *w, uint32_t insn, uint32_t mask, uint8_t space,
                     const uint64_t *lane) {
  unsigned first = (unsigned)__builtin_ctz(mask);
  uint32_t rest = mask & (mask - 1);
  struct weir_addrs a = {.kind = WEIR_ADDR_UNIFORM, .space = space, .base = lane[first]};
  if (rest) {
    unsigned next = (unsigned)__builtin_ctz(rest);
    int64_t stride = (int64_t)(lane[next] - lane[first]) / (int64_t)(next - first);
    a.base -= (uint64_t)stride * first;
    a.stride = stride;
    a.kind = stride ? WEIR_ADDR_STRIDE : WEIR_ADDR_UNIFORM;
    uint64_t off = stride >= MAX_STRIDE || stride <= -MAX_STRIDE;
    for (; rest; rest &= rest - 1) {
      unsigned i = (unsigned)__builtin_ctz(rest);
      off |= lane[i] ^ (a.base + (uint64_t)stride * i);
    }
    if (off) a = (struct weir_addrs){.kind = WEIR_ADDR_LIST, .space = space, .lane = lane};
  }
  weir_put_mem(w, insn, mask, &a);
}

static inline bool is_within(uint64_t addr, uint64_t window) {
  return window && addr - window < WINDOW_BYTES;
}

static uint8_t space_of(const struct weir_acc_kernel *k, uint64_t addr) {
  if (is_within(addr, k->h.shared_base)) return WEIR_SP_SHARED;
  return is_within(addr, k->h.local_base) ? WEIR_SP_LOCAL : WEIR_SP_GLOBAL;
}

/* Addresses of local memory, from the generic ones or the offsets of a thread's own. */
static enum weir_status to_local(struct weir_acc_kernel *k, const struct weir_acc_insn *s,
                                 uint64_t warp, uint32_t mask, uint64_t *lane,
                                 struct weir_err *err) {
  uint64_t base = LOCAL_BASE + warp * k->info.local_bytes * WEIR_LANES;
  for (uint32_t m = mask; m; m &= m - 1) {
    unsigned i = (unsigned)__builtin_ctz(m);
    uint64_t at = is_within(lane[i], k->h.local_base) ? lane[i] - k->h.local_base : lane[i];
    if (at >= WINDOW_BYTES)
      return WEIR_ACC_FAIL(k, NULL, WEIR_EPARSE, "0x%llx is no address of local memory",
                           (unsigned long long)lane[i]);
    if (at + s->s.width > k->local_max) k->local_max = at + s->s.width;
    lane[i] = base + (at & ~UINT64_C(3)) * WEIR_LANES + (at & 3) + 4 * i;
  }
  return WEIR_OK;
}

/* Lane by lane: the lanes of each space are an access of their own. */
static enum weir_status put_resolved(struct weir_acc_kernel *k, const struct weir_acc_insn *s,
                                     struct weir_warp_writer *w, uint64_t warp, uint32_t mask,
                                     struct lanes *a, struct weir_err *err) {
  expand(a);
  while (mask) {
    bool is_generic = s->s.space == WEIR_SP_GENERIC;
    uint32_t group = is_generic ? 0 : mask;
    uint8_t space = is_generic ? space_of(k, a->lane[__builtin_ctz(mask)]) : s->s.space;
    for (uint32_t m = is_generic ? mask : 0; m; m &= m - 1) {
      unsigned i = (unsigned)__builtin_ctz(m);
      if (space_of(k, a->lane[i]) == space) group |= 1u << i;
    }
    if (space == WEIR_SP_LOCAL) {
      enum weir_status st = to_local(k, s, warp, group, a->lane, err);
      if (st) return st;
    } else if (space == WEIR_SP_SHARED) {
      for (uint32_t m = group; m; m &= m - 1) {
        unsigned i = (unsigned)__builtin_ctz(m);
        if (is_within(a->lane[i], k->h.shared_base)) a->lane[i] -= k->h.shared_base;
      }
    }
    if (w) put_list(w, s->index, group, space, a->lane);
    mask &= ~group;
  }
  return WEIR_OK;
}

static enum weir_status put_access(struct weir_acc_kernel *k, const struct weir_acc_insn *s,
                                   struct weir_warp_writer *w, uint64_t warp, uint32_t mask,
                                   const char *p, struct weir_err *err) {
  struct lanes a;
  enum weir_status st = read_addrs(k, p, mask, &a, err);
  if (st) return st;
  mask &= s->lanes;
  if (!mask) {
    if (w) weir_put(w, s->index, mask);
    return WEIR_OK;
  }
  if (s->s.space == WEIR_SP_GENERIC || s->s.space == WEIR_SP_LOCAL || s->s.space == WEIR_SP_SHARED)
    return put_resolved(k, s, w, warp, mask, &a, err);
  if (!a.is_stride) {
    put_list(w, s->index, mask, s->s.space, a.lane);
    return WEIR_OK;
  }
  struct weir_addrs out = {.kind = a.stride ? WEIR_ADDR_STRIDE : WEIR_ADDR_UNIFORM,
                           .space = s->s.space,
                           .base = a.base,
                           .stride = a.stride};
  weir_put_mem(w, s->index, mask, &out);
  return WEIR_OK;
}

enum weir_status weir_acc_insn_read(struct weir_acc_kernel *k, struct weir_warp_writer *w,
                                    uint64_t warp, struct weir_err *err) {
  uint32_t i = k->last < k->insns.n ? k->insns.v[k->last].after : 0, mask;
  const char *p;
  if (i >= k->insns.n || !is_this(k, &k->insns.v[i], &mask, &p)) {
    enum weir_status st = find_insn(k, w == NULL, &i, &mask, &p, err);
    if (st) return st;
    if (k->last < k->insns.n) k->insns.v[k->last].after = i;
  }
  k->last = i;
  struct weir_acc_insn *s = &k->insns.v[i];
  if (!w) {
    s->n_seen++;
    k->n_insts++;
    /* How much local memory there is follows from its addresses. */
    bool is_local = s->s.space == WEIR_SP_LOCAL || s->s.space == WEIR_SP_GENERIC;
    return s->s.width && is_local ? put_access(k, s, NULL, warp, mask, p, err) : WEIR_OK;
  }
  if (s->s.width) return put_access(k, s, w, warp, mask, p, err);
  weir_put(w, s->index, mask);
  return WEIR_OK;
}
