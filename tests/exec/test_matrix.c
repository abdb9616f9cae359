/* Matrix instructions and asynchronous copies against plain C: fragments placed as the manual draws
 * them, one instruction at a time; wmma from memory to memory. */
#include <math.h>
#include <stdio.h>

#include "exec/fp.h"
#include "vm.h"

enum { IN = 16384 /* word of `out` at which operands begin */, AT_B = 1024, AT_C = 2048 };

static uint64_t rng_state;
static uint32_t rng(void) {
  rng_state = rng_state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
  return (uint32_t)(rng_state >> 33);
}

enum type { F16, BF16, TF32, F32, F64, S32, S8, U8, S4, U4, B1 };
static const char *const type_name[] = {"f16", "bf16", "tf32", "f32", "f64", "s32",
                                        "s8",  "u8",   "s4",   "u4",  "b1"};
static const unsigned type_bits[] = {16, 16, 32, 32, 64, 32, 8, 8, 4, 4, 1};

static bool is_float(enum type t) {
  return t <= F64;
}

/* Small whole numbers and simple fractions: every sum is exact, in whatever order. */
static uint64_t encode(enum type t, double v) {
  float f = (float)v;
  uint32_t w;
  uint64_t d;
  memcpy(&w, &f, sizeof w);
  memcpy(&d, &v, sizeof d);
  switch (t) {
  case F16:
    return ptx_half_round(v, false);
  case BF16:
    return ptx_half_round(v, true);
  case TF32:
  case F32:
    return w;
  case F64:
    return d;
  default:
    return (uint64_t)(int64_t)v & ((UINT64_C(1) << type_bits[t]) - 1);
  }
}

static double decode(enum type t, uint64_t x) {
  float f;
  double d;
  uint32_t w = (uint32_t)x;
  memcpy(&f, &w, sizeof f);
  memcpy(&d, &x, sizeof d);
  switch (t) {
  case F16:
    return ptx_half_value((uint16_t)x, false);
  case BF16:
    return ptx_half_value((uint16_t)x, true);
  case TF32:
  case F32:
    return (double)f;
  case F64:
    return d;
  case S32:
    return (int32_t)w;
  case S8:
    return (int8_t)x;
  case S4:
    return (double)((int64_t)(x << 60) >> 60);
  default:
    return (double)x;
  }
}

static double some(enum type t) {
  int r = (int)(rng() % 15) - 7;
  switch (t) {
  case U8:
    return rng() % 256;
  case S8:
    return (int)(rng() % 256) - 128;
  case U4:
    return rng() % 16;
  case S4:
    return (int)(rng() % 16) - 8;
  case B1:
    return rng() % 2;
  case S32:
    return (int32_t)(rng() << 4) >> 5;
  default:
    return r * 0.25;
  }
}

struct problem {
  unsigned m, n, k;
  enum type a, b, c, d;
  bool is_and;
  double va[32 * 256], vb[256 * 32], vc[1024], vd[1024];
};

static void fill(struct problem *p) {
  for (unsigned i = 0; i < p->m * p->k; i++)
    p->va[i] = some(p->a);
  for (unsigned i = 0; i < p->k * p->n; i++)
    p->vb[i] = some(p->b);
  for (unsigned i = 0; i < p->m * p->n; i++) {
    p->vc[i] = some(p->c);
    unsigned row = i / p->n, col = i % p->n;
    double sum = p->vc[i];
    for (unsigned k = 0; k < p->k; k++) {
      double x = p->va[row * p->k + k], y = p->vb[k * p->n + col];
      sum += p->a != B1 ? x * y : p->is_and ? (x != 0 && y != 0) : x != y;
    }
    p->vd[i] = sum;
  }
}

static void put_bits(uint32_t *words, size_t bit, unsigned width, uint64_t v) {
  for (unsigned i = 0; i < width; i++, bit++) {
    words[bit / 32] &= ~(1u << bit % 32);
    words[bit / 32] |= (uint32_t)(v >> i & 1) << bit % 32;
  }
}

static uint64_t get_bits(const uint32_t *words, size_t bit, unsigned width) {
  uint64_t v = 0;
  for (unsigned i = 0; i < width; i++, bit++)
    v |= (uint64_t)(words[bit / 32] >> bit % 32 & 1) << i;
  return v;
}

/* ---- mma: the manual's figures ---- */

struct pos {
  unsigned row, col;
};

/* Element i of a lane, by the formulas under each figure. */
static struct pos a_at(const struct problem *p, unsigned lane, unsigned i) {
  unsigned g = lane >> 2, t = lane & 3;
  switch (type_bits[p->a] * 1000 + p->k) {
  case 16008: /* m16n8k8 */
    return (struct pos){i < 2 ? g : g + 8, t * 2 + (i & 1)};
  case 16016: /* m16n8k16 */
    return (struct pos){i < 2 || (i >= 4 && i < 6) ? g : g + 8,
                        i < 4 ? t * 2 + (i & 1) : t * 2 + (i & 1) + 8};
  case 32004: /* m16n8k4 .tf32 */
    return (struct pos){i == 0 ? g : g + 8, t};
  case 32008:
    return (struct pos){i == 0 || i == 2 ? g : g + 8, i < 2 ? t : t + 4};
  case 64004:
    return (struct pos){p->m == 8 || i == 0 ? g : g + 8, t};
  case 64008:
    return (struct pos){i == 0 || i == 2 ? g : g + 8, i < 2 ? t : t + 4};
  case 64016:
    return (struct pos){i % 2 == 0 ? g : g + 8, i % 2 == 0 ? i * 2 + t : i * 2 - 2 + t};
  case 8016:
    return (struct pos){p->m == 8 || i < 4 ? g : g + 8, t * 4 + (i & 3)};
  case 8032:
    return (struct pos){i < 4 || (i >= 8 && i < 12) ? g : g + 8,
                        i < 8 ? t * 4 + (i & 3) : t * 4 + (i & 3) + 16};
  case 4032:
    return (struct pos){p->m == 8 || i < 8 ? g : g + 8, t * 8 + (i & 7)};
  case 4064:
    return (struct pos){i < 8 || (i >= 16 && i < 24) ? g : g + 8,
                        i < 16 ? t * 8 + (i & 7) : t * 8 + (i & 7) + 32};
  case 1128:
    return (struct pos){p->m == 8 || i < 32 ? g : g + 8, t * 32 + (i & 31)};
  default: /* m16n8k256 */
    return (struct pos){i < 32 || (i >= 64 && i < 96) ? g : g + 8,
                        i < 64 ? t * 32 + (i & 31) : t * 32 + (i & 31) + 128};
  }
}

static struct pos b_at(const struct problem *p, unsigned lane, unsigned i) {
  unsigned g = lane >> 2, t = lane & 3;
  switch (type_bits[p->b]) {
  case 16:
    return (struct pos){i < 2 ? t * 2 + (i & 1) : t * 2 + (i & 1) + 8, g};
  case 8:
    return (struct pos){i < 4 ? t * 4 + (i & 3) : t * 4 + (i & 3) + 16, g};
  case 4:
    return (struct pos){i < 8 ? t * 8 + (i & 7) : t * 8 + (i & 7) + 32, g};
  case 1:
    return (struct pos){i < 32 ? t * 32 + (i & 31) : t * 32 + (i & 31) + 128, g};
  default:
    return (struct pos){t + 4 * i, g};
  }
}

static struct pos c_at(unsigned lane, unsigned i) {
  return (struct pos){i < 2 ? lane >> 2 : (lane >> 2) + 8, (lane & 3) * 2 + (i & 1)};
}

/* m8n8k4 of f16: `layout` 'r' or 'c'. */
static struct pos quad_at(char which, char layout, enum type t, unsigned lane, unsigned i) {
  unsigned up = lane < 16 ? 0 : 4;
  if (which == 'a')
    return layout == 'r' ? (struct pos){lane % 4 + up, i} : (struct pos){i % 4 + up, lane % 4};
  if (which == 'b')
    return layout == 'r' ? (struct pos){lane % 4, i + up} : (struct pos){i, lane % 4 + up};
  if (t == F16) return (struct pos){lane % 4 + up, i};
  return (struct pos){(lane & 1) + (i & 2) + up, (i & 4) + (lane & 2) + (i & 1)};
}

static unsigned n_elems(unsigned rows, unsigned cols) {
  return rows * cols / 32;
}

static unsigned n_words(enum type t, unsigned elems) {
  return elems * type_bits[t] / 32;
}

static void list_regs(FILE *f, char prefix, enum type t, unsigned words) {
  unsigned n = t == F64 ? words / 2 : words;
  fprintf(f, "{");
  for (unsigned i = 0; i < n; i++)
    fprintf(f, "%s%%%c%c%u", i ? ", " : "", prefix, t == F64 ? 'd' : 'r', i);
  fprintf(f, "}");
}

static void load_regs(FILE *f, char prefix, enum type t, unsigned words, unsigned at) {
  for (unsigned i = 0; i < words; i += t == F64 ? 2 : 1)
    fprintf(f, "ld.global.%s %%%c%c%u, [%%in+%u];\n", t == F64 ? "b64" : "b32", prefix,
            t == F64 ? 'd' : 'r', t == F64 ? i / 2 : i, 4 * (at + i));
}

/* A kernel whose lanes load fragments of `wa`, `wb`, `wc` words each, 64 words apart. */
static char *mma_text(const char *insn, const struct problem *p, unsigned wa, unsigned wb,
                      unsigned wc, unsigned wd) {
  char *text = NULL;
  size_t len = 0;
  FILE *f = open_memstream(&text, &len);
  fprintf(f,
          ".visible .entry k(.param .u64 out) {\n.reg .b32 %%ar<8>, %%br<8>, %%cr<8>, %%xr<8>, "
          "%%l;\n.reg .b64 %%ad<8>, %%bd<8>, %%cd<8>, %%xd<8>, %%in, %%o;\nld.param.u64 %%o, "
          "[out];\nmov.u32 %%l, %%laneid;\nmad.wide.u32 %%in, %%l, 256, %%o;\nmad.wide.u32 %%o, "
          "%%l, 32, %%o;\nadd.u64 %%in, %%in, %d;\n",
          4 * IN);
  load_regs(f, 'a', p->a, wa, 0);
  load_regs(f, 'b', p->b, wb, 16);
  load_regs(f, 'c', p->c, wc, 32);
  fprintf(f, "%s ", insn);
  list_regs(f, 'x', p->d, wd);
  fprintf(f, ", ");
  list_regs(f, 'a', p->a, wa);
  fprintf(f, ", ");
  list_regs(f, 'b', p->b, wb);
  fprintf(f, ", ");
  list_regs(f, 'c', p->c, wc);
  fprintf(f, ";\n");
  for (unsigned i = 0; i < wd; i += p->d == F64 ? 2 : 1)
    fprintf(f, "st.global.%s [%%o+%u], %%x%c%u;\n", p->d == F64 ? "b64" : "b32", 4 * i,
            p->d == F64 ? 'd' : 'r', p->d == F64 ? i / 2 : i);
  fprintf(f, "ret;\n}\n");
  fclose(f);
  return text;
}

static double wanted(const struct problem *p, double sum, bool satfinite) {
  if (p->d != S32) return sum;
  if (satfinite) return fmin(fmax(sum, -2147483648.0), 2147483647.0);
  return (int32_t)(uint32_t)(int64_t)sum;
}

static void check_mma(const char *insn, struct problem *p, bool satfinite) {
  struct vm vm;
  unsigned ea = n_elems(p->m, p->k), eb = n_elems(p->k, p->n), ec = n_elems(p->m, p->n);
  char *text =
      mma_text(insn, p, n_words(p->a, ea), n_words(p->b, eb), n_words(p->c, ec), n_words(p->d, ec));
  vm_open(&vm, text);
  fill(p);
  for (unsigned lane = 0; lane < 32; lane++) {
    uint32_t *in = vm.out + IN + 64 * (size_t)lane;
    for (unsigned i = 0; i < ea; i++) {
      struct pos x = a_at(p, lane, i);
      put_bits(in, (size_t)i * type_bits[p->a], type_bits[p->a],
               encode(p->a, p->va[x.row * p->k + x.col]));
    }
    for (unsigned i = 0; i < eb; i++) {
      struct pos x = b_at(p, lane, i);
      put_bits(in + 16, (size_t)i * type_bits[p->b], type_bits[p->b],
               encode(p->b, p->vb[x.row * p->n + x.col]));
    }
    for (unsigned i = 0; i < ec; i++) {
      struct pos x = c_at(lane, i);
      put_bits(in + 32, (size_t)i * type_bits[p->c], type_bits[p->c],
               encode(p->c, p->vc[x.row * p->n + x.col]));
    }
  }
  vm_run(&vm, "k", LINE(1, 32));
  for (unsigned lane = 0; lane < 32; lane++)
    for (unsigned i = 0; i < ec; i++) {
      struct pos x = c_at(lane, i);
      double got = decode(
          p->d, get_bits(vm.out + 8 * (size_t)lane, (size_t)i * type_bits[p->d], type_bits[p->d]));
      double want = wanted(p, p->vd[x.row * p->n + x.col], satfinite);
      if (got != want)
        fail_msg("%s: row %u, column %u is %g, expected %g", insn, x.row, x.col, got, want);
    }
  vm_close(&vm);
  free(text);
}

static void mma_shapes(void **state) {
  (void)state;
  static const struct {
    unsigned m, n, k;
    enum type a, b, c;
  } shapes[] = {
      {16, 8, 8, F16, F16, F16},   {16, 8, 8, F16, F16, F32},   {16, 8, 16, F16, F16, F16},
      {16, 8, 16, F16, F16, F32},  {16, 8, 8, BF16, BF16, F32}, {16, 8, 16, BF16, BF16, F32},
      {16, 8, 4, TF32, TF32, F32}, {16, 8, 8, TF32, TF32, F32}, {8, 8, 4, F64, F64, F64},
      {16, 8, 4, F64, F64, F64},   {16, 8, 8, F64, F64, F64},   {16, 8, 16, F64, F64, F64},
      {8, 8, 16, S8, U8, S32},     {16, 8, 16, U8, S8, S32},    {16, 8, 32, S8, S8, S32},
      {16, 8, 32, U8, U8, S32},    {8, 8, 32, S4, U4, S32},     {16, 8, 32, U4, S4, S32},
      {16, 8, 64, S4, S4, S32},    {16, 8, 64, U4, U4, S32},    {8, 8, 128, B1, B1, S32},
      {16, 8, 128, B1, B1, S32},   {16, 8, 256, B1, B1, S32},
  };
  static struct problem p;
  rng_state = 5;
  for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++)
    for (unsigned way = 0; way < 2; way++) {
      char insn[128];
      p = (struct problem){.m = shapes[i].m,
                           .n = shapes[i].n,
                           .k = shapes[i].k,
                           .a = shapes[i].a,
                           .b = shapes[i].b,
                           .c = shapes[i].c,
                           .d = shapes[i].c,
                           .is_and = way};
      bool is_int = !is_float(p.a) && p.a != B1;
      snprintf(insn, sizeof insn, "mma.sync.aligned.m%un%uk%u.row.col%s.%s.%s.%s.%s%s", p.m, p.n,
               p.k, is_int && way ? ".satfinite" : "", type_name[p.d], type_name[p.a],
               type_name[p.b], type_name[p.c],
               p.a != B1 ? ""
               : way     ? ".and.popc"
                         : ".xor.popc");
      check_mma(insn, &p, is_int && way);
    }
}

static void mma_quads(void **state) {
  (void)state;
  static const enum type types[][2] = {{F16, F16}, {F32, F16}, {F32, F32}}; /* D, C */
  static struct problem quad[4];
  rng_state = 6;
  for (unsigned way = 0; way < 12; way++) {
    char la = way & 1 ? 'c' : 'r', lb = way & 2 ? 'c' : 'r', insn[128];
    enum type td = types[way / 4][0], tc = types[way / 4][1];
    struct vm vm;
    for (unsigned q = 0; q < 4; q++) {
      quad[q] = (struct problem){.m = 8, .n = 8, .k = 4, .a = F16, .b = F16, .c = tc, .d = td};
      fill(&quad[q]);
    }
    snprintf(insn, sizeof insn, "mma.sync.aligned.m8n8k4.%s.%s.%s.f16.f16.%s",
             la == 'c' ? "col" : "row", lb == 'c' ? "col" : "row", type_name[td], type_name[tc]);
    char *text = mma_text(insn, &quad[0], 2, 2, n_words(tc, 8), n_words(td, 8));
    vm_open(&vm, text);
    for (unsigned lane = 0; lane < 32; lane++) {
      uint32_t *in = vm.out + IN + 64 * (size_t)lane;
      struct problem *p = &quad[lane / 4 % 4];
      for (unsigned i = 0; i < 4; i++) {
        struct pos a = quad_at('a', la, F16, lane, i), b = quad_at('b', lb, F16, lane, i);
        put_bits(in, 16 * i, 16, encode(F16, p->va[a.row * 4 + a.col]));
        put_bits(in + 16, 16 * i, 16, encode(F16, p->vb[b.row * 8 + b.col]));
      }
      for (unsigned i = 0; i < 8; i++) {
        struct pos c = quad_at('c', 'r', tc, lane, i);
        put_bits(in + 32, (size_t)i * type_bits[tc], type_bits[tc],
                 encode(tc, p->vc[c.row * 8 + c.col]));
      }
    }
    vm_run(&vm, "k", LINE(1, 32));
    for (unsigned lane = 0; lane < 32; lane++)
      for (unsigned i = 0; i < 8; i++) {
        struct pos d = quad_at('d', 'r', td, lane, i);
        double got = decode(
            td, get_bits(vm.out + 8 * (size_t)lane, (size_t)i * type_bits[td], type_bits[td]));
        assert_true(got == quad[lane / 4 % 4].vd[d.row * 8 + d.col]);
      }
    vm_close(&vm);
    free(text);
  }
}

/* ---- wmma ---- */

static void put_matrix(uint32_t *words, const double *v, unsigned rows, unsigned cols, enum type t,
                       bool col, unsigned stride) {
  for (unsigned r = 0; r < rows; r++)
    for (unsigned c = 0; c < cols; c++)
      put_bits(words, (size_t)type_bits[t] * (col ? c * stride + r : r * stride + c), type_bits[t],
               encode(t, v[r * cols + c]));
}

static unsigned wmma_regs(const struct problem *p, char which) {
  enum type t = which == 'a' ? p->a : which == 'b' ? p->b : which == 'c' ? p->c : p->d;
  unsigned rows = which == 'b' ? p->k : p->m, cols = which == 'a' ? p->k : p->n;
  if ((which == 'a' || which == 'b') && t == F16) return 8;
  return n_words(t, n_elems(rows, cols));
}

static void wmma_case(struct problem *p, unsigned way, const char *space, unsigned pad) {
  bool col[4] = {way & 1, way & 2, way & 4, way & 8}; /* A, B, C, D */
  if (p->a >= S4) col[0] = false, col[1] = true;
  unsigned stride[4] = {(col[0] ? p->m : p->k), (col[1] ? p->k : p->n), (col[2] ? p->m : p->n),
                        (col[3] ? p->m : p->n)};
  for (unsigned i = 0; i < 4; i++) /* lines lie multiples of 16 bytes apart */
    stride[i] += pad * 128 / type_bits[i == 0 ? p->a : i == 1 ? p->b : i == 2 ? p->c : p->d];
  const char *row_col[] = {"row", "col"};
  char *text = NULL, shape[32], types[32];
  size_t len = 0;
  struct vm vm;
  bool shared = *space == 's', generic = *space == 0;
  FILE *f = open_memstream(&text, &len);
  snprintf(shape, sizeof shape, "m%un%uk%u", p->m, p->n, p->k);
  snprintf(types, sizeof types, "%s.%s.%s.%s", type_name[p->d], type_name[p->a], type_name[p->b],
           type_name[p->c]);
  if (p->a == F16) snprintf(types, sizeof types, "%s.%s", type_name[p->d], type_name[p->c]);
  fprintf(f,
          ".visible .entry k(.param .u64 out) {\n.reg .b32 %%ar<8>, %%br<8>, %%cr<8>, %%xr<8>, "
          "%%l, %%w;\n.reg .b64 %%ad<8>, %%bd<8>, %%cd<8>, %%xd<8>, %%in, %%o, %%s, %%t;\n"
          ".reg .pred %%p;\n.shared .align 128 .b8 sm[16384];\nld.param.u64 %%o, [out];\n"
          "add.u64 %%in, %%o, %d;\n",
          4 * IN);
  if (shared) /* operands to shared memory, a word of each lane at a time */
    fprintf(f, "mov.u32 %%l, %%laneid;\nLOOP: mad.wide.u32 %%t, %%l, 4, %%in;\n"
               "ld.global.b32 %%w, [%%t];\nmov.u64 %%s, sm;\nmad.wide.u32 %%t, %%l, 4, %%s;\n"
               "st.shared.b32 [%%t], %%w;\nadd.u32 %%l, %%l, 32;\nsetp.lt.u32 %%p, %%l, 4096;\n"
               "@%%p bra LOOP;\nmov.u64 %%in, sm;\nbar.warp.sync -1;\n");
  const char *dot = generic ? "" : ".";
  for (unsigned i = 0; i < 3; i++) {
    char which = (char)('a' + i);
    enum type t = i == 0 ? p->a : i == 1 ? p->b : p->c;
    fprintf(f, "wmma.load.%c.sync.aligned.%s.%s%s%s.%s ", which, row_col[col[i]], shape, dot, space,
            type_name[t]);
    list_regs(f, which, t, wmma_regs(p, which));
    fprintf(f, ", [%%in+%u], %u;\n", 4 * (i == 0 ? 0 : i == 1 ? AT_B : AT_C), stride[i]);
  }
  fprintf(f, "wmma.mma%s.sync.aligned.%s.%s.%s.%s ",
          p->a != B1  ? ""
          : p->is_and ? ".and.popc"
                      : ".xor.popc",
          row_col[col[0]], row_col[col[1]], shape, types);
  list_regs(f, 'x', p->d, wmma_regs(p, 'd'));
  for (char which = 'a'; which <= 'c'; which++) {
    fprintf(f, ", ");
    list_regs(f, which, which == 'a' ? p->a : which == 'b' ? p->b : p->c, wmma_regs(p, which));
  }
  fprintf(f, ";\nwmma.store.d.sync.aligned.%s.%s%s.%s [%%o], ", row_col[col[3]], shape,
          generic ? "" : ".global", type_name[p->d]);
  list_regs(f, 'x', p->d, wmma_regs(p, 'd'));
  fprintf(f, ", %u;\nret;\n}\n", stride[3]);
  fclose(f);
  vm_open(&vm, text);
  fill(p);
  put_matrix(vm.out + IN, p->va, p->m, p->k, p->a, col[0], stride[0]);
  put_matrix(vm.out + IN + AT_B, p->vb, p->k, p->n, p->b, col[1], stride[1]);
  put_matrix(vm.out + IN + AT_C, p->vc, p->m, p->n, p->c, col[2], stride[2]);
  vm_run(&vm, "k", LINE(1, 32));
  for (unsigned i = 0; i < p->m * p->n; i++) {
    unsigned r = i / p->n, c = i % p->n;
    size_t at = col[3] ? c * stride[3] + r : r * stride[3] + c;
    double got = decode(p->d, get_bits(vm.out, type_bits[p->d] * at, type_bits[p->d]));
    double want = wanted(p, p->vd[i], false);
    if (got != want) fail_msg("%s way %u: %u,%u is %g, expected %g", text, way, r, c, got, want);
  }
  vm_close(&vm);
  free(text);
}

static void wmma_from_memory_to_memory(void **state) {
  (void)state;
  static const struct {
    unsigned m, n, k;
    enum type a, c, d;
  } kinds[] = {
      {16, 16, 16, F16, F32, F32},  {16, 16, 16, F16, F16, F16}, {16, 16, 16, F16, F32, F16},
      {16, 16, 16, F16, F16, F32},  {8, 32, 16, F16, F32, F32},  {32, 8, 16, F16, F16, F16},
      {16, 16, 16, BF16, F32, F32}, {8, 32, 16, BF16, F32, F32}, {32, 8, 16, BF16, F32, F32},
      {16, 16, 8, TF32, F32, F32},  {8, 8, 4, F64, F64, F64},    {16, 16, 16, S8, S32, S32},
      {8, 32, 16, U8, S32, S32},    {32, 8, 16, S8, S32, S32},   {16, 16, 16, U8, S32, S32},
      {8, 8, 32, S4, S32, S32},     {8, 8, 32, U4, S32, S32},    {8, 8, 128, B1, S32, S32},
  };
  static struct problem p;
  rng_state = 7;
  for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
    for (unsigned way = 0; way < 16; way++) {
      static const char *const spaces[] = {"global", "shared", ""};
      p = (struct problem){.m = kinds[i].m,
                           .n = kinds[i].n,
                           .k = kinds[i].k,
                           .a = kinds[i].a,
                           .b = kinds[i].a,
                           .c = kinds[i].c,
                           .d = kinds[i].d,
                           .is_and = way & 1};
      wmma_case(&p, way, spaces[way % 3], way / 3 % 2);
    }
}

/* Registers that wmma loaded are those of mma: A as mma's, B its two halves of 8 columns. */
static void wmma_fragments_are_those_of_mma(void **state) {
  (void)state;
  struct vm vm;
  static struct problem p;
  rng_state = 8;
  vm_open(&vm, KERNEL(".reg .b32 %a<8>, %b<8>; .reg .f32 %c<8>;\n"
                      "add.u64 %d1, %d30, 65536; add.u64 %d2, %d30, 69632;\n"
                      "wmma.load.a.sync.aligned.row.m16n16k16.global.f16 "
                      "{%a0,%a1,%a2,%a3,%a4,%a5,%a6,%a7}, [%d1], 16;\n"
                      "wmma.load.b.sync.aligned.col.m16n16k16.global.f16 "
                      "{%b0,%b1,%b2,%b3,%b4,%b5,%b6,%b7}, [%d2];\n"
                      "mov.f32 %c0, 0.0; mov.f32 %c1, 0.0; mov.f32 %c2, 0.0; mov.f32 %c3, 0.0;\n"
                      "mov.f32 %c4, 0.0; mov.f32 %c5, 0.0; mov.f32 %c6, 0.0; mov.f32 %c7, 0.0;\n"
                      "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%c0,%c1,%c2,%c3}, "
                      "{%a0,%a1,%a2,%a3}, {%b0,%b1}, {%c0,%c1,%c2,%c3};\n"
                      "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%c4,%c5,%c6,%c7}, "
                      "{%a4,%a5,%a6,%a7}, {%b6,%b7}, {%c4,%c5,%c6,%c7};\n"
                      "wmma.store.d.sync.aligned.col.m16n16k16.global.f32 [%d30], "
                      "{%c0,%c1,%c2,%c3,%c4,%c5,%c6,%c7}, 16;\n"));
  p = (struct problem){.m = 16, .n = 16, .k = 16, .a = F16, .b = F16, .c = F32, .d = F32};
  fill(&p);
  put_matrix(vm.out + IN, p.va, 16, 16, F16, false, 16);
  put_matrix(vm.out + IN + AT_B, p.vb, 16, 16, F16, true, 16);
  vm_run(&vm, "k", LINE(1, 32));
  for (unsigned i = 0; i < 256; i++)
    assert_true(decode(F32, vm.out[i % 16 * 16 + i / 16]) == p.vd[i] - p.vc[i]);
  vm_close(&vm);
}

/* ---- rows of 8x8 matrices ---- */

/* 32 rows of 16 bytes in shared memory, row r at place 31 - r; all four matrices each way. */
static void rows_of_matrices(void **state) {
  (void)state;
  struct vm vm;
  vm_open(&vm, KERNEL(".shared .align 16 .b8 sm[1024];\n"
                      "mov.u64 %d1, sm; sub.u32 %r1, 31, %r30; mad.wide.u32 %d2, %r1, 16, %d1;\n"
                      "mad.lo.u32 %r2, %r30, 0x80008, 0x10000;\n" /* elements 8r, 8r + 1, ... */
                      "add.u32 %r3, %r2, 0x20002; add.u32 %r4, %r2, 0x40004;\n"
                      "add.u32 %r5, %r2, 0x60006;\n"
                      "st.shared.v4.b32 [%d2], {%r2, %r3, %r4, %r5};\n"
                      "bar.warp.sync -1;\n"
                      "ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%r6, %r7, %r8, %r9}, [%d2];\n"
                      "ldmatrix.sync.aligned.m8n8.x4.trans.shared::cta.b16 {%r10, %r11, %r12, "
                      "%r13}, [%d2];\n"
                      "cvta.shared.u64 %d3, %d2;\n"
                      "ldmatrix.sync.aligned.m8n8.x2.b16 {%r14, %r15}, [%d3];\n"
                      "ldmatrix.sync.aligned.m8n8.x1.trans.b16 {%r16}, [%d3];\n"
                      "movmatrix.sync.aligned.m8n8.trans.b16 %r17, %r6;\n"
                      "stmatrix.sync.aligned.m8n8.x4.trans.shared.b16 [%d2+512], {%r10, %r11, "
                      "%r12, %r13};\n"
                      "stmatrix.sync.aligned.m8n8.x1.shared.b16 [%d2+512], {%r9};\n"
                      "bar.warp.sync -1;\n"
                      "ld.shared.v4.b32 {%r18, %r19, %r20, %r21}, [%d2+512];\n"
                      "mad.wide.u32 %d31, %r30, 64, %d30;\n"
                      "st.global.v4.b32 [%d31], {%r6, %r7, %r8, %r9};\n"
                      "st.global.v4.b32 [%d31+16], {%r10, %r11, %r12, %r13};\n"
                      "st.global.v4.b32 [%d31+32], {%r14, %r15, %r16, %r17};\n"
                      "st.global.v4.b32 [%d31+48], {%r18, %r19, %r20, %r21};\n"));
  vm_run(&vm, "k", LINE(1, 32));
  for (unsigned lane = 0; lane < 32; lane++) {
    const uint32_t *got = vm.out + 16 * (size_t)lane;
    for (unsigned m = 0; m < 4; m++) {
      uint32_t first = 64 * m + 8 * (lane / 4) + 2 * (lane % 4);
      uint32_t across = 64 * m + 16 * (lane % 4) + lane / 4;
      assert_int_equal(got[m], first | (first + 1) << 16);
      assert_int_equal(got[4 + m], across | (across + 8) << 16);
      if (m < 2) assert_int_equal(got[8 + m], got[m]);
    }
    assert_int_equal(got[10], got[4]);
    assert_int_equal(got[11], got[4]);
    for (unsigned i = 0; i < 4; i++) { /* twice transposed; then matrix 3 over matrix 0 */
      uint32_t row = lane < 8 ? lane + 24 : lane, e = 8 * row + 2 * i;
      assert_int_equal(got[12 + i], e | (e + 1) << 16);
    }
  }
  assert_int_equal(vm.stats.mem[WEIR_SP_SHARED][WEIR_DIR_LOAD], 5);
  assert_int_equal(vm.stats.mem[WEIR_SP_SHARED][WEIR_DIR_STORE], 3);
  vm_close(&vm);
}

/* ---- lanes that come one after the other ---- */

/* A function that is called from two places by two halves of a warp: its matrix instruction is
 * reached by two parts, and waits for both. The accumulator is also the result. */
static void parts_of_a_warp_meet(void **state) {
  (void)state;
  struct vm vm;
  vm_open(&vm, ".func (.param .f32 back) f(.param .f32 one) {\n.reg .b32 %h, %x; .reg .f32 %f<5>;\n"
               "ld.param.f32 %f1, [one]; mov.f32 %f2, %f1; mov.f32 %f3, %f1; mov.f32 %f4, %f1;\n"
               "mov.b32 %h, 0x3c003c00;\n" /* two halves of 1 */
               "mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 {%f1, %f2, %f3, %f4}, {%h, %h}, "
               "{0x3c003c00}, {%f1, %f2, %f3, %f4};\n"
               "movmatrix.sync.aligned.m8n8.trans.b16 %x, %h;\nadd.f32 %f1, %f1, %f4;\n"
               "st.param.f32 [back], %f1;\nret;\n}\n" //
          KERNEL("setp.lt.u32 %p1, %r30, 16; mov.f32 %f1, 1.0;\n@%p1 bra OTHER;\n"
                 "{ .param .f32 a, r; st.param.f32 [a], %f1; call (r), f, (a); ld.param.f32 %f2, "
                 "[r]; }\nbra DONE;\n"
                 "OTHER: { .param .f32 b, q; st.param.f32 [b], %f1; call (q), f, (b); "
                 "ld.param.f32 %f2, [q]; }\n"
                 "DONE: st.global.f32 [%d31], %f2;\n"));
  vm_run(&vm, "k", LINE(1, 32));
  EACH_WORD(i, 32) assert_true(decode(F32, vm.out[i]) == 18);
  vm_close(&vm);
}

/* ---- cp.async ---- */

static void copies_are_there_after_the_wait(void **state) {
  (void)state;
  struct vm vm;
  vm_open(&vm,
          KERNEL(".shared .align 16 .b8 sm[2048];\n"
                 "mov.u64 %d1, sm; mad.wide.u32 %d2, %r30, 64, %d1; mad.wide.u32 %d3, %r30, 16, "
                 "%d30; add.u64 %d3, %d3, 65536;\n"
                 "mov.b64 %d4, -1; st.shared.v2.b64 [%d2+48], {%d4, %d4};\n"
                 "cp.async.ca.shared.global [%d2], [%d3], 4;\n"
                 "cp.async.ca.shared.global [%d2+8], [%d3+8], 8;\n"
                 "cp.async.cg.shared::cta.global.L2::128B [%d2+16], [%d3], 16;\n"
                 "cp.async.commit_group;\n"
                 "and.b32 %r1, %r30, 15; setp.gt.u32 %p1, %r30, 20;\n"
                 "cp.async.ca.shared.global [%d2+32], [%d3], 16, %r1;\n"
                 "cp.async.cg.shared.global [%d2+48], [%d3], 16, %p1;\n"
                 "cp.async.commit_group; cp.async.wait_group 1; cp.async.wait_all;\n"
                 "mad.wide.u32 %d31, %r30, 64, %d30;\n"
                 "ld.shared.v4.b32 {%r2, %r3, %r4, %r5}, [%d2]; st.global.v4.b32 [%d31], {%r2, "
                 "%r3, %r4, %r5};\n"
                 "ld.shared.v4.b32 {%r2, %r3, %r4, %r5}, [%d2+16]; st.global.v4.b32 [%d31+16], "
                 "{%r2, %r3, %r4, %r5};\n"
                 "ld.shared.v4.b32 {%r2, %r3, %r4, %r5}, [%d2+32]; st.global.v4.b32 [%d31+32], "
                 "{%r2, %r3, %r4, %r5};\n"
                 "ld.shared.v4.b32 {%r2, %r3, %r4, %r5}, [%d2+48]; st.global.v4.b32 [%d31+48], "
                 "{%r2, %r3, %r4, %r5};\n"));
  rng_state = 9;
  for (unsigned i = 0; i < 128; i++)
    vm.out[IN + i] = rng() * 2 + 1;
  vm_run(&vm, "k", LINE(1, 32));
  for (unsigned lane = 0; lane < 32; lane++) {
    const uint32_t *in = vm.out + IN + 4 * (size_t)lane, *got = vm.out + 16 * (size_t)lane;
    uint8_t part[16] = {0};
    memcpy(part, in, lane & 15);
    assert_int_equal(got[0], in[0]);
    assert_memory_equal(got + 2, in + 2, 8);
    assert_memory_equal(got + 4, in, 16);
    assert_memory_equal(got + 8, part, 16);
    static const uint8_t none[16];
    assert_memory_equal(got + 12, lane > 20 ? (const void *)none : in, 16);
  }
  /* Each copy is a load from global and a store to shared memory. */
  assert_int_equal(vm.stats.mem[WEIR_SP_GLOBAL][WEIR_DIR_LOAD], 5);
  assert_int_equal(vm.stats.mem[WEIR_SP_SHARED][WEIR_DIR_STORE], 5 + 1);
  vm_close(&vm);
}

static void bad_accesses_are_found(void **state) {
  (void)state;
  struct vm vm;
  vm_open(&vm, KERNEL_AS("copy", ".shared .align 16 .b8 sm[64];\nmov.u64 %d1, sm;\n"
                                 "cp.async.ca.shared.global [%d1], [%d30+262144], 16;\n")
                   KERNEL_AS("ignored", ".shared .align 16 .b8 sm[64];\nmov.u64 %d1, sm;\n"
                                        "cp.async.ca.shared.global [%d1], [%d30+262144], 16, 0;\n")
                       KERNEL_AS("far", ".shared .align 16 .b8 sm[64];\nmov.u64 %d1, sm;\n"
                                        "cp.async.ca.shared.global [%d1+64], [%d30], 16;\n")
                           KERNEL_AS("odd", ".shared .align 16 .b8 sm[64];\nmov.u64 %d1, sm;\n"
                                            "cp.async.ca.shared.global [%d1+4], [%d30], 8;\n")
                               KERNEL_AS("rows", ".shared .align 16 .b8 sm[64];\nmov.u64 %d1, sm;\n"
                                                 "mad.wide.u32 %d2, %r30, 16, %d1;\n"
                                                 "ldmatrix.sync.aligned.m8n8.x1.shared.b16 "
                                                 "{%r1}, [%d2];\n")
                                   KERNEL_AS("matrix",
                                             "wmma.load.a.sync.aligned.row.m16n16k16.global.u8 "
                                             "{%r1, %r2}, [%d30+262016], 16;\n"));
  expect_fault(&vm, "copy", LINE(1, 32), "load of 16 bytes");
  vm_run(&vm, "ignored", LINE(1, 32));
  expect_fault(&vm, "far", LINE(1, 32), "store of 16 bytes");
  expect_fault(&vm, "odd", LINE(1, 32), "aligned");
  expect_fault(&vm, "rows", LINE(1, 32), "ldmatrix");
  expect_fault(&vm, "matrix", LINE(1, 32), "wmma.load");
  vm_close(&vm);
}

/* ---- what the timing model is told ---- */

static void the_stream_says_what_moves(void **state) {
  (void)state;
  struct vm vm;
  struct ptx_program *prog;
  struct ptx_run *run;
  struct weir_block_stream *b;
  vm_open(&vm, KERNEL(".shared .align 128 .b8 sm[1024]; .reg .b32 %a<8>; .reg .f32 %c<8>;\n"
                      "mov.u64 %d1, sm; mad.wide.u32 %d2, %r30, 16, %d1;\n"
                      "cp.async.cg.shared.global [%d2], [%d30], 16;\n"
                      "cp.async.commit_group;\ncp.async.wait_group 2;\ncp.async.wait_all;\n"
                      "ldmatrix.sync.aligned.m8n8.x2.shared.b16 {%r1, %r2}, [%d2];\n"
                      "wmma.load.a.sync.aligned.row.m16n16k16.global.f16 "
                      "{%a0,%a1,%a2,%a3,%a4,%a5,%a6,%a7}, [%d30];\n"
                      "wmma.store.d.sync.aligned.row.m16n16k16.global.f32 [%d30], "
                      "{%c0,%c1,%c2,%c3,%c4,%c5,%c6,%c7};\n"
                      "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%c0,%c1,%c2,%c3}, "
                      "{%a0,%a1,%a2,%a3}, {%r1,%r2}, {%c4,%c5,%c6,%c7};\n"));
  uint64_t params[1] = {vm.out_addr};
  struct ptx_launch launch = {.grid = {1, 1, 1}, .block = {32, 1, 1}, .params = params};
  assert_int_equal(ptx_program_build(vm.image, "k", &vm.cfg, &prog, &vm.err), WEIR_OK);
  assert_int_equal(ptx_run_begin(&vm.dev, prog, &launch, true, &run, &vm.err), WEIR_OK);
  const struct weir_static *s = ptx_run_info(run)->insns + KERNEL_HEAD + 2;
  assert_true(s[0].cls == WEIR_C_LOAD && s[0].space == WEIR_SP_GENERIC && s[0].width == 16);
  assert_true(s[0].is_copy && !s[0].ends_copies && s[0].cache_op == WEIR_CO_CG && s[0].n_dst == 0);
  assert_true(s[1].cls == WEIR_C_OTHER && s[1].ends_copies && s[1].waits_copies == 0);
  assert_true(s[2].cls == WEIR_C_OTHER && !s[2].ends_copies && s[2].waits_copies == 3);
  assert_true(s[3].cls == WEIR_C_OTHER && s[3].ends_copies && s[3].waits_copies == 1);
  assert_true(s[4].cls == WEIR_C_LOAD && s[4].space == WEIR_SP_SHARED && s[4].width == 16);
  assert_true(s[5].cls == WEIR_C_LOAD && s[5].space == WEIR_SP_GLOBAL && s[5].width == 32);
  assert_true(s[5].n_dst == 4 && s[6].cls == WEIR_C_STORE && s[6].n_src == 3);
  assert_true(s[7].cls == WEIR_C_TENSOR && s[7].n_dst == 4 && s[7].n_src == 6);
  assert_int_equal(ptx_run_next(run, &b, &vm.err), WEIR_OK);
  struct weir_func_stats st;
  ptx_run_stats(run, &st);
  assert_int_equal(b->warps[0].n_insns, st.warp_insns);
  assert_int_equal(st.warp_insns, KERNEL_HEAD + 2 + 8 + 1 + 1); /* the copy twice; ret */
  assert_int_equal(st.global_sectors[WEIR_DIR_LOAD], 1 + 16);
  assert_int_equal(st.global_sectors[WEIR_DIR_STORE], 32);
  ptx_run_release(run, b);
  ptx_run_end(run);
  ptx_program_free(prog);
  vm_close(&vm);
}

/* ---- as a compiler writes it: tests/ptx/corpus/tensor.cu ---- */

static const char *source_tree;

static char *read_tensor(void) {
  char path[4096], *text = NULL;
  size_t len = 0;
  snprintf(path, sizeof path, "%s/tests/ptx/corpus/tensor.ptx", source_tree);
  FILE *in = fopen(path, "r"), *out = open_memstream(&text, &len);
  assert_true(in != NULL && out != NULL);
  for (int c; (c = getc(in)) != EOF;)
    putc(c, out);
  fclose(in);
  fclose(out);
  char *body = strstr(text, ".visible"); /* the vm has a head of its own */
  assert_non_null(body);
  memmove(text, body, strlen(body) + 1);
  return text;
}

static void run_compiled(struct vm *vm, const char *kernel, struct vm_shape shape, uint64_t b,
                         uint64_t c, uint64_t d, uint64_t e) {
  uint64_t more[4] = {b, c, d, e};
  if (vm_try(vm, kernel, shape, more, 4) != WEIR_OK) fail_msg("%s", vm->err.msg);
}

static void compiled_wmma(struct vm *vm) {
  enum { SIZE = 32, B_AT = 1024, C_AT = 2048 };
  static struct problem p;
  float alpha = 2;
  uint32_t bits;
  memcpy(&bits, &alpha, sizeof bits);
  p = (struct problem){.m = SIZE, .n = SIZE, .k = SIZE, .a = F16, .b = F16, .c = F32, .d = F32};
  fill(&p);
  put_matrix(vm->out, p.va, SIZE, SIZE, F16, false, SIZE);
  put_matrix(vm->out + B_AT, p.vb, SIZE, SIZE, F16, true, SIZE);
  put_matrix(vm->out + C_AT, p.vc, SIZE, SIZE, F32, false, SIZE);
  run_compiled(vm, "wmma_gemm", LINE(1, 128), vm->out_addr + 4 * B_AT, vm->out_addr + 4 * C_AT,
               SIZE | (uint64_t)bits << 32, 0);
  for (unsigned i = 0; i < SIZE * SIZE; i++)
    assert_true(decode(F32, vm->out[C_AT + i]) == 2 * (p.vd[i] - p.vc[i]) + p.vc[i]);
}

static void compiled_copies(struct vm *vm) {
  enum { SIZE = 64, B_AT = 1024, C_AT = 2048 };
  uint8_t *a = (uint8_t *)vm->out, *b = a + 4 * B_AT;
  for (unsigned i = 0; i < SIZE * SIZE; i++)
    a[i] = (uint8_t)rng(), b[i] = (uint8_t)rng();
  run_compiled(vm, "imma_staged", (struct vm_shape){{SIZE / 16, SIZE / 16, 1}, {32, 1, 1}, 0},
               vm->out_addr + 4 * B_AT, vm->out_addr + 4 * C_AT, SIZE, 0);
  for (unsigned i = 0; i < SIZE * SIZE; i++) {
    uint32_t sum = 0;
    for (unsigned k = 0; k < SIZE; k++)
      sum += (uint32_t)a[i / SIZE * SIZE + k] * b[i % SIZE * SIZE + k];
    assert_int_equal(vm->out[C_AT + i], sum);
  }
}

static void compiled_halves(struct vm *vm) {
  enum { COUNT = 100, Y_AT = 1024, U_AT = 2048, V_AT = 3072 };
  int sum[2] = {0, 0};
  memset(vm->out, 0, 4 * 4096);
  for (unsigned i = 0; i < COUNT; i++) {
    int lo = (int)(rng() % 9) - 4, hi = (int)(rng() % 9) - 4;
    sum[0] += lo, sum[1] += hi;
    vm->out[i] = (uint32_t)(encode(F16, lo) | encode(F16, hi) << 16);
    vm->out[U_AT + i] = (uint32_t)(encode(BF16, lo) | encode(BF16, hi) << 16);
  }
  run_compiled(vm, "halves", LINE(1, 128), vm->out_addr + 4 * Y_AT, vm->out_addr + 4 * U_AT,
               vm->out_addr + 4 * V_AT, COUNT);
  for (unsigned i = 0; i < COUNT; i++) {
    double lo = decode(BF16, vm->out[U_AT + i] & 0xffff),
           hi = decode(BF16, vm->out[U_AT + i] >> 16);
    assert_true(decode(BF16, vm->out[V_AT + i] & 0xffff) == lo * lo + 1);
    assert_true(decode(BF16, vm->out[V_AT + i] >> 16) == fmax(hi * hi + lo, 0));
  }
  assert_true(decode(F16, vm->out[Y_AT + COUNT] & 0xffff) == sum[0]);
  assert_true(decode(F16, vm->out[Y_AT + COUNT] >> 16) == sum[1]);
}

static void compiled_mma(struct vm *vm) {
  static struct problem p;
  p = (struct problem){.m = 16, .n = 8, .k = 16, .a = F16, .b = F16, .c = F32, .d = F32};
  fill(&p);
  put_matrix(vm->out, p.va, 16, 16, F16, false, 16);
  put_matrix(vm->out + 1024, p.vb, 16, 8, F16, true, 16);
  run_compiled(vm, "mma_inline", LINE(1, 32), vm->out_addr + 4096, vm->out_addr + 8192, 0, 0);
  for (unsigned i = 0; i < 128; i++)
    assert_true(decode(F32, vm->out[2048 + i]) == p.vd[i] - p.vc[i]);
}

static void compiled_programs(void **state) {
  (void)state;
  struct vm vm;
  char *text = read_tensor();
  rng_state = 10;
  vm_open(&vm, text);
  assert_int_equal(ptx_unsupported(vm.module, NULL, 0), 0);
  compiled_wmma(&vm);
  compiled_copies(&vm);
  compiled_halves(&vm);
  compiled_mma(&vm);
  vm_close(&vm);
  free(text);
}

int main(int argc, char **argv) {
  source_tree = argc > 1 ? argv[1] : ".";
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(compiled_programs),
      cmocka_unit_test(the_stream_says_what_moves),
      cmocka_unit_test(mma_shapes),
      cmocka_unit_test(mma_quads),
      cmocka_unit_test(wmma_from_memory_to_memory),
      cmocka_unit_test(wmma_fragments_are_those_of_mma),
      cmocka_unit_test(rows_of_matrices),
      cmocka_unit_test(parts_of_a_warp_meet),
      cmocka_unit_test(copies_are_there_after_the_wait),
      cmocka_unit_test(bad_accesses_are_found),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
