/* Fragments: what the modifiers of a matrix instruction ask for, and where elements are. */
#include "ptx/matrix.h"

#include "ptx/rounding.h"

enum { LANES = 32 };

/* ---- what the modifiers say ---- */

struct shape {
  enum ptx_mod mod;
  uint16_t m, n, k;
};
static const struct shape shapes[] = {
    {PTX_M_m16n16k16, 16, 16, 16}, {PTX_M_m8n32k16, 8, 32, 16},   {PTX_M_m32n8k16, 32, 8, 16},
    {PTX_M_m16n16k8, 16, 16, 8},   {PTX_M_m8n8k4, 8, 8, 4},       {PTX_M_m8n8k16, 8, 8, 16},
    {PTX_M_m8n8k32, 8, 8, 32},     {PTX_M_m8n8k128, 8, 8, 128},   {PTX_M_m16n8k4, 16, 8, 4},
    {PTX_M_m16n8k8, 16, 8, 8},     {PTX_M_m16n8k16, 16, 8, 16},   {PTX_M_m16n8k32, 16, 8, 32},
    {PTX_M_m16n8k64, 16, 8, 64},   {PTX_M_m16n8k128, 16, 8, 128}, {PTX_M_m16n8k256, 16, 8, 256},
};

static const struct {
  enum ptx_mod mod;
  uint8_t elem, bits;
} elems[] = {
    {PTX_M_f16, PTX_E_F16, 16}, {PTX_M_bf16, PTX_E_BF16, 16}, {PTX_M_tf32, PTX_E_TF32, 32},
    {PTX_M_f32, PTX_E_F32, 32}, {PTX_M_f64, PTX_E_F64, 64},   {PTX_M_s32, PTX_E_S32, 32},
    {PTX_M_s8, PTX_E_S8, 8},    {PTX_M_u8, PTX_E_U8, 8},      {PTX_M_s4, PTX_E_S4, 4},
    {PTX_M_u4, PTX_E_U4, 4},    {PTX_M_b1, PTX_E_B1, 32},
};

static uint8_t bits_of(uint8_t elem) {
  for (size_t i = 0; i < sizeof elems / sizeof *elems; i++)
    if (elems[i].elem == elem) return elems[i].bits;
  return 0;
}

/* The element types among the modifiers, in order; at most four. */
static unsigned list_elems(const struct ptx_insn *in, uint8_t out[4]) {
  unsigned n = 0;
  for (unsigned i = 0; i < in->n_mods; i++)
    for (size_t k = 0; k < sizeof elems / sizeof *elems && n < 4; k++)
      if (in->mods[i] == (uint16_t)elems[k].mod) out[n++] = elems[k].elem;
  return n;
}

static const struct shape *shape_of(const struct ptx_insn *in) {
  for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++)
    if (ptx_has(in, shapes[i].mod)) return &shapes[i];
  return NULL;
}

static void set_frag(struct ptx_matrix *x, enum ptx_role role, uint8_t elem, const struct shape *s,
                     bool is_wmma) {
  struct ptx_frag *f = &x->frag[role];
  unsigned k = elem == PTX_E_B1 ? s->k / 32u : s->k;
  f->elem = elem;
  f->role = (uint8_t)role;
  f->bits = bits_of(elem);
  f->rows = (uint16_t)(role == PTX_FRAG_B ? k : s->m);
  f->cols = (uint16_t)(role == PTX_FRAG_A ? k : s->n);
  f->reg_bytes = elem == PTX_E_F64 ? 8 : 4;
  f->n_regs = (uint8_t)((unsigned)f->rows * f->cols * f->bits / (8u * f->reg_bytes) / LANES);
  bool is_operand = role == PTX_FRAG_A || role == PTX_FRAG_B;
  if (is_wmma && is_operand && elem == PTX_E_F16) f->n_regs = PTX_FRAG_REGS;
}

/* Four products of 8x8x4 at once, of lanes 0-3 and 16-19, 4-7 and 20-23, and so on. */
static void set_quads(struct ptx_matrix *x, const struct ptx_insn *in) {
  unsigned n = 0;
  for (unsigned i = 0; i < in->n_mods; i++) {
    if (in->mods[i] != PTX_M_row && in->mods[i] != PTX_M_col) continue;
    x->frag[n++ == 0 ? PTX_FRAG_A : PTX_FRAG_B].is_col = in->mods[i] == PTX_M_col;
  }
  for (unsigned r = 0; r < PTX_FRAGS; r++) {
    struct ptx_frag *f = &x->frag[r];
    bool is_operand = r == PTX_FRAG_A || r == PTX_FRAG_B;
    f->is_quad = 1;
    f->n_regs = (uint8_t)(is_operand ? 2 : f->bits / 4);
  }
}

static bool set_mma(const struct ptx_insn *in, struct ptx_matrix *x) {
  const struct shape *s = shape_of(in);
  uint8_t e[4];
  unsigned n = list_elems(in, e);
  bool is_wmma = in->op == PTX_OP_wmma;
  if (s == NULL || (n != 4 && !(is_wmma && n == 2))) return false;
  if (n == 2) e[3] = e[1], e[1] = e[2] = PTX_E_F16; /* wmma of f16 names D and C only */
  for (unsigned r = 0; r < PTX_FRAGS; r++)
    set_frag(x, (enum ptx_role)r, e[r], s, is_wmma);
  if (s->mod == PTX_M_m8n8k4 && e[1] == PTX_E_F16) set_quads(x, in);
  x->satfinite = ptx_has(in, PTX_M_satfinite);
  x->is_and = ptx_has(in, PTX_M_and);
  x->rnd = ptx_has(in, PTX_M_rz)   ? PTX_RZ
           : ptx_has(in, PTX_M_rm) ? PTX_RM
           : ptx_has(in, PTX_M_rp) ? PTX_RP
                                   : PTX_RN;
  return true;
}

static enum ptx_role role_in_memory(const struct ptx_insn *in) {
  return ptx_has(in, PTX_M_a)   ? PTX_FRAG_A
         : ptx_has(in, PTX_M_b) ? PTX_FRAG_B
         : ptx_has(in, PTX_M_c) ? PTX_FRAG_C
                                : PTX_FRAG_D;
}

/* Up to four matrices of 8x8 elements of 16 bits, a register each: as C of f16. */
static bool set_rows(const struct ptx_insn *in, struct ptx_matrix *x) {
  bool is_load = in->op == PTX_OP_ldmatrix;
  enum ptx_role role = is_load ? PTX_FRAG_D : PTX_FRAG_A;
  x->n_mats = ptx_has(in, PTX_M_x4) ? 4 : ptx_has(in, PTX_M_x2) ? 2 : 1;
  x->trans = ptx_has(in, PTX_M_trans);
  x->frag[role] = (struct ptx_frag){
      .elem = PTX_E_F16, .role = (uint8_t)role, .bits = 16, .n_regs = x->n_mats, .reg_bytes = 4};
  return true;
}

bool ptx_matrix_of(const struct ptx_insn *in, struct ptx_matrix *x) {
  *x = (struct ptx_matrix){.stride_at = UINT32_MAX};
  uint8_t e[4];
  switch ((int)in->op) {
  case PTX_OP_mma:
    return set_mma(in, x);
  case PTX_OP_wmma:
    if (ptx_has(in, PTX_M_mma)) return set_mma(in, x);
    x->is_col = ptx_has(in, PTX_M_col);
    if (shape_of(in) == NULL || list_elems(in, e) != 1) return false;
    set_frag(x, role_in_memory(in), e[0], shape_of(in), true);
    return true;
  case PTX_OP_ldmatrix:
  case PTX_OP_stmatrix:
    return set_rows(in, x);
  default:
    return false;
  }
}

enum ptx_role ptx_matrix_operand(const struct ptx_insn *in, unsigned k) {
  bool is_store = in->op == PTX_OP_stmatrix || ptx_has(in, PTX_M_store);
  if (in->op == PTX_OP_ldmatrix || in->op == PTX_OP_stmatrix)
    return k == (is_store ? 1u : 0u) ? is_store ? PTX_FRAG_A : PTX_FRAG_D : PTX_FRAGS;
  if (in->op == PTX_OP_mma || ptx_has(in, PTX_M_mma))
    return k < PTX_FRAGS ? (enum ptx_role)k : PTX_FRAGS;
  return k == (is_store ? 1u : 0u) ? role_in_memory(in) : PTX_FRAGS;
}

/* ---- where elements are ---- */

unsigned ptx_frag_elems(const struct ptx_frag *f) {
  return f->n_regs * ptx_frag_per_register(f);
}

static void place_quad(const struct ptx_frag *f, unsigned lane, unsigned e, unsigned *row,
                       unsigned *col) {
  unsigned in_quad = lane % 4, upper = lane >= 16 ? 4 : 0;
  switch ((enum ptx_role)f->role) {
  case PTX_FRAG_A:
    *row = (f->is_col ? e : in_quad) + upper;
    *col = f->is_col ? in_quad : e;
    break;
  case PTX_FRAG_B:
    *row = f->is_col ? e : in_quad;
    *col = (f->is_col ? in_quad : e) + upper;
    break;
  default:
    if (f->bits == 16) {
      *row = in_quad + upper;
      *col = e;
    } else {
      *row = (lane & 1) + (e & 2) + upper;
      *col = (e & 4) + (lane & 2) + (e & 1);
    }
  }
}

void ptx_frag_place(const struct ptx_frag *f, unsigned lane, unsigned e, unsigned *row,
                    unsigned *col) {
  if (f->is_quad) {
    place_quad(f, lane, e, row, col);
    return;
  }
  unsigned g = lane / 4, t = lane % 4, p = ptx_frag_per_register(f);
  unsigned tall = f->rows >= 16 ? 16 : 8; /* rows of a block */
  e %= (unsigned)f->rows * f->cols / LANES;
  if (f->role == PTX_FRAG_A) {
    unsigned each = tall * f->cols / LANES, block = e / each, r = e % each / p, i = e % p;
    *row = 16 * block + g + (tall == 16 ? 8 * (r % 2) : 0);
    *col = (tall == 16 ? r / 2 : r) * 4 * p + t * p + i;
  } else if (f->role == PTX_FRAG_B) {
    unsigned each = f->rows / 4u, block = e / each, r = e % each / p, i = e % p;
    *row = r * 4 * p + t * p + i;
    *col = 8 * block + g;
  } else {
    unsigned each = tall / 4, block = e / each, wide = f->cols / 8u;
    e %= each;
    *row = 16 * (block / wide) + g + 8 * (e / 2);
    *col = 8 * (block % wide) + 2 * t + e % 2;
  }
}

/* ---- in memory ---- */

unsigned ptx_matrix_lines(const struct ptx_matrix *x, const struct ptx_frag *f) {
  return x->is_col ? f->cols : f->rows;
}

unsigned ptx_matrix_line(const struct ptx_matrix *x, const struct ptx_frag *f) {
  return (unsigned)(x->is_col ? f->rows : f->cols) * f->bits / 8;
}

unsigned ptx_frag_places(const struct ptx_matrix *x, const struct ptx_frag *f, bool in_memory,
                         uint16_t *at) {
  unsigned size = (unsigned)f->rows * f->cols, n = (f->is_quad ? 4 * size : size) / LANES;
  for (unsigned e = 0; e < n; e++)
    for (unsigned lane = 0; lane < LANES; lane++) {
      unsigned row, col, quad = f->is_quad ? lane / 4 % 4 : 0;
      ptx_frag_place(f, lane, e, &row, &col);
      unsigned place = in_memory && x->is_col ? col * f->rows + row : row * f->cols + col;
      at[e * LANES + lane] = (uint16_t)(quad * size + place);
    }
  return n;
}
