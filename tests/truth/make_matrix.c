/* Kernels of matrix instructions and asynchronous copies.
 *
 * mma takes its fragments from the operands of each lane. wmma's fragments have no layout to
 * compare, so that its kernels go all the way: A, B and C are loaded, multiplied and stored. */
#include <string.h>

#include "maker.h"
#include "ptx/matrix.h"

static enum truth_kind elements(uint8_t elem) {
  switch ((enum ptx_elem)elem) {
  case PTX_E_F16:
    return TK_MAT_F16;
  case PTX_E_BF16:
    return TK_MAT_BF16;
  case PTX_E_TF32:
  case PTX_E_F32:
    return TK_MAT_F32;
  case PTX_E_F64:
    return TK_MAT_F64;
  default:
    return TK_B64;
  }
}

/* Sums of f16, bf16 and tf32 are not exact; those of f64 are a chain of exact steps. */
static uint8_t inexact(uint8_t elem) {
  return elem == PTX_E_F32 ? PTX_T_f32 : elem == PTX_E_F16 ? PTX_T_f16 : PTX_T_none;
}

struct list {
  char text[160];
};

static void add_reg(struct list *l, unsigned i, const char *name) {
  size_t at = strlen(l->text);
  snprintf(l->text + at, sizeof l->text - at, "%s%s", i ? ", " : "", name);
}

/* ---- mma ---- */

/* A fragment from the lane's operands at byte *at on; what does not fit comes from the neighbour's.
 */
static struct list take_fragment(struct maker *m, const struct ptx_frag *f, unsigned *at) {
  struct list l = {""};
  *at = (*at + 7) / 8 * 8;
  for (unsigned r = 0; r < f->n_regs; r++, *at += f->reg_bytes) {
    enum ptx_type t = f->reg_bytes == 8 ? PTX_T_f64 : PTX_T_b32;
    struct reg x = mk_reg(m, t);
    bool own = *at < TRUTH_IN_BYTES;
    mk_line(m, "ld.global.%s %s, [%s+%u];", t == PTX_T_f64 ? "f64" : "b32", x.name,
            own ? "%in" : "%near", own ? *at : *at - TRUTH_IN_BYTES);
    if (own) mk_in_kind(m, *at / 8, elements(f->elem));
    add_reg(&l, r, x.name);
  }
  return l;
}

static void mma(struct maker *m) {
  struct ptx_matrix x;
  if (!ptx_matrix_of(&m->insn, &x)) {
    mk_without(m, TS_NOT_RUN, "no such shape");
    return;
  }
  mk_begin(m, NULL);
  if (m->v) m->v->d_type = inexact(x.frag[PTX_FRAG_D].elem);
  unsigned at = 0;
  fprintf(m->decl, "  .reg .b64 %%near;\n");
  mk_line(m, "xor.b64 %%near, %%in, 64;");
  struct list a = take_fragment(m, &x.frag[PTX_FRAG_A], &at);
  struct list b = take_fragment(m, &x.frag[PTX_FRAG_B], &at);
  struct list c = take_fragment(m, &x.frag[PTX_FRAG_C], &at), d = {""};
  const struct ptx_frag *f = &x.frag[PTX_FRAG_D];
  struct reg r[PTX_FRAG_REGS];
  for (unsigned i = 0; i < f->n_regs; i++) {
    r[i] = mk_reg(m, f->reg_bytes == 8 ? PTX_T_f64 : PTX_T_b32);
    add_reg(&d, i, r[i].name);
  }
  mk_line(m, "%s {%s}, {%s}, {%s}, {%s};", m->opcode, d.text, a.text, b.text, c.text);
  for (unsigned i = 0; i < f->n_regs; i++) {
    mk_line(m, "st.global.%s [%%out+%u], %s;", f->reg_bytes == 8 ? "f64" : "b32", i * f->reg_bytes,
            r[i].name);
    mk_out_slot(m, i * f->reg_bytes / 8, PTX_T_b64);
  }
  mk_end(m);
}

/* ---- wmma ---- */

struct chain { /* of one warp's matrices: A and B in the first 1024 bytes, C in the next */
  const char *shape, *type, *c_type, *d_type; /* as written */
  bool col[PTX_FRAGS];
  const char *space[PTX_FRAGS];
  unsigned wider; /* of the fragment under test: lines lie so many times their length apart */
  struct ptx_matrix x;
};

static const char *elem_name(uint8_t elem) {
  static const char *const names[] = {"",    "f16", "bf16", "tf32", "f32", "f64",
                                      "s32", "s8",  "u8",   "s4",   "u4",  "b1"};
  return names[elem];
}

/* What the other instructions of the chain must be, given the one under test. */
static bool find_chain(const struct maker *m, struct chain *c) {
  static const struct {
    enum ptx_mod mod;
    const char *name;
  } shapes[] = {{PTX_M_m16n16k16, "m16n16k16"}, {PTX_M_m8n32k16, "m8n32k16"},
                {PTX_M_m32n8k16, "m32n8k16"},   {PTX_M_m16n16k8, "m16n16k8"},
                {PTX_M_m8n8k4, "m8n8k4"},       {PTX_M_m8n8k32, "m8n8k32"},
                {PTX_M_m8n8k128, "m8n8k128"}};
  *c = (struct chain){.wider = 1};
  for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++)
    if (mk_has(m, shapes[i].mod)) c->shape = shapes[i].name;
  if (!ptx_matrix_of(&m->insn, &c->x) || c->shape == NULL) return false;
  c->col[PTX_FRAG_B] = true;
  for (unsigned r = 0; r < PTX_FRAGS; r++)
    c->space[r] = ".global";
  return true;
}

/* The element types of a chain that begins with a load or ends with a store. */
static void complete_types(const struct maker *m, struct chain *c) {
  uint8_t e = PTX_E_NONE;
  for (unsigned r = 0; r < PTX_FRAGS; r++)
    if (c->x.frag[r].n_regs) e = c->x.frag[r].elem;
  bool is_operand = mk_has(m, PTX_M_a) || mk_has(m, PTX_M_b);
  if (is_operand) {
    c->type = elem_name(e);
    c->c_type = e == PTX_E_F64 ? "f64" : e >= PTX_E_S8 ? "s32" : "f32";
  } else {
    c->c_type = elem_name(e);
    c->type = mk_has(m, PTX_M_m16n16k8)   ? "tf32"
              : mk_has(m, PTX_M_m8n8k4)   ? "f64"
              : mk_has(m, PTX_M_m8n8k32)  ? "s4"
              : mk_has(m, PTX_M_m8n8k128) ? "b1"
              : e == PTX_E_S32            ? "s8"
                                          : "f16";
  }
  c->d_type = c->c_type;
}

static enum truth_kind chain_kind(const struct chain *c) {
  bool wide = !strcmp(c->c_type, "f32");
  if (!strcmp(c->type, "f16")) return wide ? TK_WMMA_F16 : TK_MAT_F16;
  if (!strcmp(c->type, "bf16")) return TK_WMMA_BF16;
  if (!strcmp(c->type, "tf32")) return TK_MAT_F32;
  return !strcmp(c->type, "f64") ? TK_MAT_F64 : TK_B64;
}

/* An instruction of the chain as modifiers, from which its fragments are known. */
static void parse_opcode(const char *text, struct ptx_insn *in) {
  in->n_mods = 0;
  in->op = PTX_OP_wmma;
  for (const char *s = strchr(text, '.'); s && *s == '.';) {
    size_t n = strcspn(s + 1, ".");
    if (in->n_mods < PTX_MAX_MODS) in->mods[in->n_mods++] = (uint16_t)ptx_mod_find(s + 1, n);
    s += n + 1;
  }
}

static const struct ptx_frag *fragment_of(const char *opcode, struct ptx_matrix *x) {
  struct ptx_insn in = {0};
  parse_opcode(opcode, &in);
  if (!ptx_matrix_of(&in, x)) return NULL;
  for (unsigned r = 0; r < PTX_FRAGS; r++)
    if (x->frag[r].n_regs) return &x->frag[r];
  return NULL;
}

static struct list new_fragment(struct maker *m, const struct ptx_frag *f) {
  struct list l = {""};
  for (unsigned i = 0; i < f->n_regs; i++) {
    enum ptx_type t = f->reg_bytes == 8 ? PTX_T_f64 : f->elem == PTX_E_F32 ? PTX_T_f32 : PTX_T_b32;
    add_reg(&l, i, mk_reg(m, t).name);
  }
  return l;
}

/* Bytes that a fragment's matrix takes, and elements from line to line. */
static unsigned line_elems(const struct ptx_matrix *x, const struct ptx_frag *f) {
  return (unsigned)(x->is_col ? f->rows : f->cols) * (f->elem == PTX_E_B1 ? 32u : 1u);
}

/* One load or the store; `test` is the opcode under test if this is it. */
static struct list move_matrix(struct maker *m, const struct chain *c, enum ptx_role role,
                               const char *test, const struct list *d) {
  static const char *const what[] = {"store.d", "load.a", "load.b", "load.c"};
  const char *type = role == PTX_FRAG_D ? c->d_type : role == PTX_FRAG_C ? c->c_type : c->type;
  char opcode[112];
  struct ptx_matrix x;
  snprintf(opcode, sizeof opcode, "wmma.%s.sync.aligned.%s.%s%s.%s", what[role],
           c->col[role] ? "col" : "row", c->shape, c->space[role], type);
  if (test) snprintf(opcode, sizeof opcode, "%s", test);
  const struct ptx_frag *f = fragment_of(opcode, &x);
  struct list l = {""};
  if (!f) return l;
  unsigned bytes = ptx_matrix_lines(&x, f) * ptx_matrix_line(&x, f) * (test ? c->wider : 1);
  unsigned at = role == PTX_FRAG_A ? 0 : role == PTX_FRAG_B ? 1024 - bytes : 1024;
  unsigned stride = line_elems(&x, f) * (test ? c->wider : 1);
  bool shared = strstr(opcode, ".shared") != NULL;
  l = role == PTX_FRAG_D ? *d : new_fragment(m, f);
  if (role == PTX_FRAG_D)
    mk_line(m, "%s [%s], {%s}, %u;", opcode, shared ? "%so" : "%go", l.text, stride);
  else
    mk_line(m, "%s {%s}, [%s+%u], %u;", opcode, l.text, shared ? "%si" : "%gi", at, stride);
  return l;
}

/* The warp's operands (2048 bytes) also in shared memory, and its results (1024) from there. */
static void chain_memory(struct maker *m) {
  fprintf(m->decl, "  .reg .b64 %%gi, %%go, %%si, %%so, %%sm1, %%sm2, %%mv;\n  .reg .b32 %%w;\n");
  mk_line(m, ".shared .align 128 .b8 smi[8192];");
  mk_line(m, ".shared .align 128 .b8 smo[4096];");
  mk_line(m, "ld.param.u64 %%gi, [pin];");
  mk_line(m, "ld.param.u64 %%go, [pout];");
  mk_line(m, "shr.u32 %%w, %%ci, 5;");
  mk_line(m, "mad.wide.u32 %%gi, %%w, 2048, %%gi;");
  mk_line(m, "mad.wide.u32 %%go, %%w, 1024, %%go;");
  mk_line(m, "shr.u32 %%w, %%ti, 5;");
  mk_line(m, "mov.u64 %%sm1, smi;");
  mk_line(m, "mov.u64 %%sm2, smo;");
  mk_line(m, "mad.wide.u32 %%si, %%w, 2048, %%sm1;");
  mk_line(m, "mad.wide.u32 %%so, %%w, 1024, %%sm2;");
  mk_line(m, "mad.wide.u32 %%sm1, %%ti, 64, %%sm1;");
  mk_line(m, "mad.wide.u32 %%sm2, %%ti, 32, %%sm2;");
  for (unsigned i = 0; i < TRUTH_IN; i++) {
    mk_line(m, "ld.global.b64 %%mv, [%%in+%u];", 8 * i);
    mk_line(m, "st.shared.b64 [%%sm1+%u], %%mv;", 8 * i);
  }
  for (unsigned i = 0; i < TRUTH_OUT; i++)
    mk_line(m, "st.shared.b64 [%%sm2+%u], 0;", 8 * i);
  mk_line(m, "bar.sync 0;");
}

static void wmma_kernel(struct maker *m, struct chain *c, const char *use, const char *product) {
  bool is_mma = mk_has(m, PTX_M_mma), is_store = mk_has(m, PTX_M_store);
  enum ptx_role role = is_mma ? PTX_FRAGS : ptx_matrix_operand(&m->insn, is_store ? 1 : 0);
  mk_begin(m, use);
  if (m->v)
    m->v->d_type = !strcmp(c->d_type, "f32")   ? PTX_T_f32
                   : !strcmp(c->d_type, "f16") ? PTX_T_f16
                                               : PTX_T_none;
  for (unsigned s = 0; s < TRUTH_IN; s++)
    mk_in_kind(m, s, chain_kind(c));
  chain_memory(m);
  struct list f[PTX_FRAGS];
  for (unsigned r = PTX_FRAG_A; r < PTX_FRAGS; r++)
    f[r] = move_matrix(m, c, (enum ptx_role)r, role == r ? m->opcode : NULL, NULL);
  struct ptx_matrix x;
  char opcode[112];
  snprintf(opcode, sizeof opcode, "wmma.store.d.sync.aligned.row.%s.global.%s", c->shape,
           c->d_type);
  const struct ptx_frag *d = fragment_of(opcode, &x);
  f[PTX_FRAG_D] = new_fragment(m, d);
  mk_line(m, "%s {%s}, {%s}, {%s}, {%s};", product, f[PTX_FRAG_D].text, f[PTX_FRAG_A].text,
          f[PTX_FRAG_B].text, f[PTX_FRAG_C].text);
  move_matrix(m, c, PTX_FRAG_D, is_store ? m->opcode : NULL, &f[PTX_FRAG_D]);
  bool in_shared = is_store && mk_space(m)[0] == 's';
  mk_line(m, "bar.sync 0;");
  for (unsigned i = 0; i < TRUTH_OUT; i++) {
    if (in_shared) {
      mk_line(m, "ld.shared.b64 %%mv, [%%sm2+%u];", 8 * i);
      mk_line(m, "st.global.b64 [%%out+%u], %%mv;", 8 * i);
    }
    mk_out_slot(m, i, PTX_T_b64);
  }
  mk_end(m);
}

static void wmma(struct maker *m) {
  struct chain c;
  if (!find_chain(m, &c)) {
    mk_without(m, TS_NOT_RUN, "no such shape");
    return;
  }
  if (mk_has(m, PTX_M_mma)) {
    unsigned n = 0;
    for (unsigned i = 0; i < m->insn.n_mods; i++) {
      if (m->insn.mods[i] != PTX_M_row && m->insn.mods[i] != PTX_M_col) continue;
      c.col[n++ == 0 ? PTX_FRAG_A : PTX_FRAG_B] = m->insn.mods[i] == PTX_M_col;
    }
    c.type = elem_name(c.x.frag[PTX_FRAG_A].elem);
    c.c_type = elem_name(c.x.frag[PTX_FRAG_C].elem);
    c.d_type = elem_name(c.x.frag[PTX_FRAG_D].elem);
    wmma_kernel(m, &c, NULL, m->opcode);
    return;
  }
  complete_types(m, &c);
  enum ptx_role role = ptx_matrix_operand(&m->insn, mk_has(m, PTX_M_store) ? 1 : 0);
  c.col[role] = mk_has(m, PTX_M_col);
  char product[112], types[48];
  snprintf(types, sizeof types, ".%s.%s.%s.%s", c.d_type, c.type, c.type, c.c_type);
  if (!strcmp(c.type, "f16")) snprintf(types, sizeof types, ".%s.%s", c.d_type, c.c_type);
  snprintf(product, sizeof product, "wmma.mma%s.sync.aligned.%s.%s.%s%s",
           !strcmp(c.type, "b1") ? ".xor.popc" : "", c.col[PTX_FRAG_A] ? "col" : "row",
           c.col[PTX_FRAG_B] ? "col" : "row", c.shape, types);
  wmma_kernel(m, &c, NULL, product);
  const struct ptx_frag *f = &c.x.frag[role];
  if ((role == PTX_FRAG_A || role == PTX_FRAG_B) &&
      ptx_matrix_lines(&c.x, f) * ptx_matrix_line(&c.x, f) <= 512) {
    c.wider = 2;
    wmma_kernel(m, &c, "stride", product);
  }
}

/* ---- ldmatrix, stmatrix, movmatrix ---- */

static void rows(struct maker *m) {
  unsigned n = mk_has(m, PTX_M_x4) ? 4 : mk_has(m, PTX_M_x2) ? 2 : 1;
  bool is_load = m->form->op == PTX_OP_ldmatrix, generic = mk_space(m)[0] == 0;
  mk_begin(m, NULL);
  struct list l = {""};
  struct reg r[4], own = mk_reg(m, PTX_T_u64), at = mk_reg(m, PTX_T_u64), x = mk_reg(m, PTX_T_b64);
  mk_in_kind(m, 0, TK_B64);
  mk_in_kind(m, 1, TK_B64);
  mk_line(m, ".shared .align 128 .b8 sm[2048];");
  mk_line(m, "mov.u64 %s, sm;", own.name);
  mk_line(m,
          "mad.lo.u32 %%ni, %%ti, 7, 3;"); /* rows in another order, within the warp's 512 bytes */
  mk_line(m, "and.b32 %%ni, %%ni, 31;");
  mk_line(m, "and.b32 %%ci, %%ti, -32;");
  mk_line(m, "or.b32 %%ni, %%ni, %%ci;");
  mk_line(m, "mad.wide.u32 %s, %%ni, 16, %s;", at.name, own.name);
  mk_line(m, "mad.wide.u32 %s, %%ti, 16, %s;", own.name, own.name);
  for (unsigned i = 0; i < 2; i++) {
    mk_line(m, "ld.global.b64 %s, [%%in+%u];", x.name, 8 * i);
    mk_line(m, "st.shared.b64 [%s+%u], %s;", own.name, 8 * i, x.name);
  }
  if (generic) mk_line(m, "cvta.shared.u64 %s, %s;", at.name, at.name);
  mk_line(m, "bar.sync 0;");
  for (unsigned i = 0; i < n; i++) {
    r[i] = mk_reg(m, PTX_T_b32);
    if (!is_load) mk_line(m, "ld.global.b32 %s, [%%in+%u];", r[i].name, 4 * i);
    add_reg(&l, i, r[i].name);
  }
  if (is_load)
    mk_line(m, "%s {%s}, [%s];", m->opcode, l.text, at.name);
  else
    mk_line(m, "%s [%s], {%s};", m->opcode, at.name, l.text);
  mk_line(m, "bar.sync 0;");
  for (unsigned i = 0; i < 2; i++) {
    if (!is_load) {
      mk_line(m, "ld.shared.b64 %s, [%s+%u];", x.name, own.name, 8 * i);
      mk_line(m, "st.global.b64 [%%out+%u], %s;", 8 * i, x.name);
    }
    mk_out_slot(m, i, PTX_T_b64);
  }
  for (unsigned i = 0; is_load && i < n; i++)
    mk_line(m, "st.global.b32 [%%out+%u], %s;", 4 * i, r[i].name);
  mk_end(m);
}

static void transpose(struct maker *m) {
  mk_begin(m, NULL);
  struct reg a = mk_in(m, PTX_T_b32, TK_B32), d = mk_reg(m, PTX_T_b32);
  mk_line(m, "%s %s, %s;", m->opcode, d.name, a.name);
  mk_out(m, PTX_T_b32, d);
  mk_end(m);
}

void mk_matrix(struct maker *m) {
  switch ((int)m->form->op) {
  case PTX_OP_mma:
    mma(m);
    break;
  case PTX_OP_wmma:
    wmma(m);
    break;
  case PTX_OP_movmatrix:
    transpose(m);
    break;
  default:
    rows(m);
  }
}

/* ---- cp.async ---- */

enum how { WHOLE, SIZED, IGNORED };

static void copy(struct maker *m, const char *opcode, const char *wait, unsigned bytes,
                 enum how how) {
  char use[32];
  snprintf(use, sizeof use, "%u%s", bytes,
           how == SIZED     ? "-size"
           : how == IGNORED ? "-ignore"
                            : "");
  mk_begin(m, opcode == m->opcode ? use : NULL);
  mk_in_kind(m, 0, TK_B64);
  mk_in_kind(m, 1, TK_B64);
  struct reg at = mk_reg(m, PTX_T_u64), x = mk_reg(m, PTX_T_b64), n = mk_reg(m, PTX_T_u32),
             p = mk_reg(m, PTX_T_pred);
  mk_line(m, ".shared .align 128 .b8 sm[2048];");
  mk_line(m, "mov.u64 %s, sm;", at.name);
  mk_line(m, "mad.wide.u32 %s, %%ti, 16, %s;", at.name, at.name);
  for (unsigned i = 0; i < 2; i++)
    mk_line(m, "st.shared.b64 [%s+%u], -1;", at.name, 8 * i);
  mk_line(m, "rem.u32 %s, %%ti, %u;", n.name, bytes + 1);
  mk_line(m, "setp.lt.u32 %s, %s, 3;", p.name, n.name);
  mk_line(m, "%s [%s], [%%in], %u%s%s;", opcode, at.name, bytes, how == WHOLE ? "" : ", ",
          how == SIZED     ? n.name
          : how == IGNORED ? p.name
                           : "");
  mk_line(m, "%s", wait);
  for (unsigned i = 0; i < 2; i++) {
    mk_line(m, "ld.shared.b64 %s, [%s+%u];", x.name, at.name, 8 * i);
    mk_out(m, PTX_T_b64, x);
  }
  mk_end(m);
}

void mk_copy(struct maker *m) {
  static const char plain[] = "cp.async.ca.shared.global";
  if (mk_has(m, PTX_M_commit_group))
    copy(m, plain, "cp.async.commit_group;\n  cp.async.wait_group 0;", 8, WHOLE);
  else if (mk_has(m, PTX_M_wait_group))
    copy(m, plain, "cp.async.commit_group;\n  cp.async.wait_group 0;", 16, WHOLE);
  else if (mk_has(m, PTX_M_wait_all))
    copy(m, plain, "cp.async.wait_all;", 4, WHOLE);
  else
    for (unsigned bytes = mk_has(m, PTX_M_cg) ? 16 : 4; bytes <= 16; bytes *= 2)
      for (enum how how = WHOLE; how <= IGNORED; how++)
        copy(m, m->opcode, "cp.async.wait_all;", bytes, how);
}
