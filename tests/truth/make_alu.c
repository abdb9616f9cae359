/* Kernels of arithmetic, logic, comparison, conversion, moves and addresses. */
#include <string.h>

#include "maker.h"

/* ---- operand kinds that the type alone does not give ---- */

static enum truth_kind special_kind(const struct maker *m, char slot, enum ptx_type t) {
  switch ((int)m->form->op) {
  case PTX_OP_shl:
  case PTX_OP_shr:
    return slot == 'b' ? TK_SHIFT : TK_NONE;
  case PTX_OP_shf:
    return slot == 'c' ? TK_SHIFT : TK_NONE;
  case PTX_OP_bfe:
    return slot == 'b' || slot == 'c' ? TK_FIELD : TK_NONE;
  case PTX_OP_bfi:
    return slot == 'c' || slot == 'e' ? TK_FIELD : TK_NONE;
  case PTX_OP_szext:
    return slot == 'b' ? TK_SHIFT : TK_NONE;
  case PTX_OP_bmsk:
    return TK_SHIFT;
  case PTX_OP_fns:
    return slot == 'b' ? TK_BASE : slot == 'c' ? TK_NTH : TK_NONE;
  case PTX_OP_rem:
    return slot == 'b' ? TK_DIVISOR : TK_NONE;
  case PTX_OP_div:
    return slot == 'b' && !ptx_type_is_float(t) ? TK_DIVISOR : TK_NONE;
  case PTX_OP_sin:
  case PTX_OP_cos:
    return TK_TRIG;
  case PTX_OP_lg2:
    return TK_NEAR1;
  case PTX_OP_ex2:
  case PTX_OP_tanh:
    if (t == PTX_T_f16 || t == PTX_T_f16x2) return TK_ARG16;
    if (t == PTX_T_bf16 || t == PTX_T_bf16x2) return TK_ARGBF16;
    return m->form->op == PTX_OP_ex2 ? TK_EX2 : TK_TANH;
  case PTX_OP_cvt:
    if (slot == 'w' && ptx_insn_type(&m->insn, 0) < PTX_T_f16 && t == PTX_T_f32) return TK_WHOLE32;
    if (slot == 'w' && ptx_insn_type(&m->insn, 0) < PTX_T_f16 && t == PTX_T_f64) return TK_WHOLE64;
    if (slot == 'w' && t == ptx_insn_type(&m->insn, 0) && t == PTX_T_f32) return TK_WHOLE32;
    if (slot == 'w' && t == ptx_insn_type(&m->insn, 0) && t == PTX_T_f64) return TK_WHOLE64;
    return TK_NONE;
  default:
    return TK_NONE;
  }
}

/* Types without a register type of their own: packed halves and the like. */
static enum ptx_type slot_type(const struct maker *m, const struct ptx_slot *s) {
  if (s->kind == 'P' || s->kind == 'p') return PTX_T_pred;
  return ptx_slot_type_of(s, &m->insn);
}

static unsigned cases_of(const struct maker *m) {
  if (m->v && m->v->family == TF_HALF && m->form->op == PTX_OP_set) return TRUTH_BLOCK;
  switch ((int)weir_class_part_of(m->form->cls)) {
  case WEIR_C_SFU:
    return 2048;
  case WEIR_C_FP32:
  case WEIR_C_FP64:
  case WEIR_C_FDIV:
  case WEIR_C_DDIV:
    return 512;
  case WEIR_C_CVT:
  case WEIR_C_IDIV:
  case WEIR_C_IMUL:
    return 256;
  default:
    return TRUTH_BLOCK;
  }
}

/* ---- carry: set in front, read behind ---- */

static bool reads_carry(const struct maker *m) {
  return m->form->op == PTX_OP_addc || m->form->op == PTX_OP_subc || m->form->op == PTX_OP_madc;
}

static bool subtracts(const struct maker *m) {
  return m->form->op == PTX_OP_sub || m->form->op == PTX_OP_subc;
}

struct args {
  char text[160];
  size_t n;
};

static void put_arg(struct args *a, const char *s) {
  a->n += (size_t)snprintf(a->text + a->n, sizeof a->text - a->n, "%s%s", a->n ? ", " : "", s);
}

/* One kernel; `imm` >= 0 gives the table of lop3: four instructions with tables imm ... imm + 3. */
static void generic(struct maker *m, const char *use, int imm, bool cross_carry) {
  mk_begin(m, use);
  const struct ptx_form *f = m->form;
  struct reg src[PTX_MAX_SLOTS] = {{{0}}}, dst[2] = {{{0}}};
  enum ptx_type dst_type[2] = {PTX_T_none, PTX_T_none};
  enum ptx_type first = ptx_insn_type(&m->insn, 0);
  bool packed = first == PTX_T_f16x2 || first == PTX_T_bf16x2;
  bool boolean_pair =
      f->op == PTX_OP_setp && f->slots[0].kind == 'P' && (f->n_slots == 4 || packed);
  for (unsigned i = 0; i < f->n_slots; i++) {
    const struct ptx_slot *s = &f->slots[i];
    if (s->kind == 'i' || strchr("drP", s->kind)) continue;
    enum ptx_type t = slot_type(m, s);
    enum truth_kind k = special_kind(m, s->kind, t);
    src[i] = mk_in(m, t, k == TK_NONE ? mk_kind(t) : k);
  }
  if (m->v) m->v->n_cases = (uint16_t)cases_of(m);
  if (reads_carry(m)) {
    struct reg a = mk_in(m, PTX_T_u32, TK_B32), b = mk_in(m, PTX_T_u32, TK_B32),
               c = mk_reg(m, PTX_T_u32);
    bool sub = subtracts(m) != cross_carry;
    mk_line(m, "%s.cc.u32 %s, %s, %s;", sub ? "sub" : "add", c.name, a.name, b.name);
  }
  for (int rep = 0; rep < (imm >= 0 && f->slots[0].kind == 'd' ? 4 : 1); rep++) {
    struct args a = {.n = 0};
    for (unsigned i = 0; i < f->n_slots; i++) {
      const struct ptx_slot *s = &f->slots[i];
      char buf[64];
      if (s->kind == 'i') {
        snprintf(buf, sizeof buf, "%d", imm + rep);
        put_arg(&a, buf);
      } else if (strchr("drP", s->kind)) {
        dst_type[0] = slot_type(m, s);
        dst[0] = mk_reg(m, dst_type[0]);
        snprintf(buf, sizeof buf, "%s", dst[0].name);
        if (s->kind == 'r' || boolean_pair) {
          dst_type[1] = PTX_T_pred;
          dst[1] = mk_reg(m, PTX_T_pred);
          snprintf(buf, sizeof buf, "%s|%s", dst[0].name, dst[1].name);
        }
        put_arg(&a, buf);
      } else if (s->kind == 'p' && mk_has(m, PTX_M_or)) {
        snprintf(buf, sizeof buf, "!%.11s", src[i].name);
        put_arg(&a, buf);
      } else {
        put_arg(&a, src[i].name);
      }
    }
    mk_line(m, "%s %s;", m->opcode, a.text);
    if (mk_has(m, PTX_M_cc)) {
      dst_type[1] = PTX_T_u32;
      dst[1] = mk_reg(m, PTX_T_u32);
      bool sub = subtracts(m) != (cross_carry && !reads_carry(m));
      mk_line(m, "%s.u32 %s, 0, 0;", sub ? "subc" : "addc", dst[1].name);
    }
    mk_out(m, dst_type[0], dst[0]);
    if (dst_type[1] != PTX_T_none) mk_out(m, dst_type[1], dst[1]);
  }
  mk_end(m);
}

void mk_generic(struct maker *m) {
  char use[32];
  if (m->form->op != PTX_OP_lop3) {
    generic(m, NULL, -1, false);
    bool carries = mk_has(m, PTX_M_cc) || reads_carry(m);
    if (carries &&
        (m->form->op == PTX_OP_sub || m->form->op == PTX_OP_subc || m->form->op == PTX_OP_addc))
      generic(m, reads_carry(m) ? (subtracts(m) ? "after-add" : "after-sub") : "read-by-addc", -1,
              true);
    return;
  }
  bool with_pred = m->form->slots[0].kind == 'r';
  for (int t = 0; t < 256; t += with_pred ? 37 : 4) {
    snprintf(use, sizeof use, with_pred ? "%d" : "%d-%d", t, t + 3);
    generic(m, use, t, false);
  }
}

/* ---- video ---- */

/* Selectors by number; of several lanes: which parts, or which lanes are wanted. */
static void selector(unsigned lanes, bool is_mask, unsigned n, char *buf, size_t len) {
  static const char *const one[] = {"", ".b0", ".b1", ".b2", ".b3", ".h0", ".h1"};
  if (lanes == 1) {
    snprintf(buf, len, "%s", is_mask ? one[1 + n % 6] : one[n % 7]);
    return;
  }
  size_t at = (size_t)snprintf(buf, len, lanes == 2 ? ".h" : ".b");
  unsigned mask = 1 + n % ((1u << lanes) - 1);
  for (unsigned k = lanes; k-- > 0;) {
    unsigned part = is_mask ? k : n >> (3 * k) & (2 * lanes - 1);
    if (!is_mask || (mask >> k & 1)) at += (size_t)snprintf(buf + at, len - at, "%u", part);
  }
}

/* Two instructions: with whole registers (or the usual parts), and with parts chosen by the
 * modifiers. */
static void video(struct maker *m, const char *use, const char *sign[3]) {
  unsigned lanes = ptx_video_lanes(m->form->op), n = mk_turn(m) + (use ? (unsigned)use[0] : 0);
  bool is_shift = m->form->op == PTX_OP_vshl || m->form->op == PTX_OP_vshr;
  bool has_then = mk_has(m, PTX_M_add) || mk_has(m, PTX_M_min) || mk_has(m, PTX_M_max);
  mk_begin(m, use);
  struct reg a = mk_in(m, PTX_T_b32, TK_B32), b = mk_in(m, PTX_T_b32, is_shift ? TK_SHIFT : TK_B32),
             c = mk_in(m, PTX_T_b32, TK_B32);
  for (unsigned k = 0; k < 2; k++) {
    struct reg d = mk_reg(m, PTX_T_b32);
    char sa[16] = "", sb[16] = "", sd[16] = "";
    /* Saturation to a part of the destination is wrong as well. */
    bool merges =
        lanes == 1 && !has_then && m->form->op != PTX_OP_vmad && !mk_has(m, PTX_M_sat) && k > 0;
    if (k > 0) selector(lanes, false, n, sa, sizeof sa);
    if (k > 0) selector(lanes, false, n / 7 + 5 * k, sb, sizeof sb);
    if (merges || (lanes > 1 && k > 0)) selector(lanes, true, n / 49, sd, sizeof sd);
    bool has_c = m->form->slots[3].kind != 0 && !m->form->slots[3].optional;
    if (has_c || merges)
      mk_line(m, "%s %s%s, %s%s%s, %s%s%s, %s%s;", m->opcode, d.name, sd, sign[0], a.name, sa,
              sign[1], b.name, sb, sign[2], c.name);
    else
      mk_line(m, "%s %s, %s%s, %s%s;", m->opcode, d.name, a.name, sa, b.name, sb);
    mk_out(m, PTX_T_b32, d);
  }
  mk_end(m);
}

/* ptxas 13.0 makes sequences of other instructions of these, which do not do what the manual says:
 * seen on the H200 where a number of more than 31 bits is saturated, compared or merged. */
static bool is_wrong_there(const struct maker *m) {
  if (ptx_video_lanes(m->form->op) > 1 || m->form->op == PTX_OP_vset) return false;
  bool d = ptx_type_is_signed(ptx_insn_type(&m->insn, 0));
  bool a = ptx_type_is_signed(ptx_insn_type(&m->insn, 1));
  bool b = ptx_type_is_signed(ptx_insn_type(&m->insn, 2));
  bool clips = mk_has(m, PTX_M_sat) || mk_has(m, PTX_M_min) || mk_has(m, PTX_M_max);
  if (m->form->op == PTX_OP_vmad) return a != b || (d && !a);
  if (m->form->op == PTX_OP_vshl || m->form->op == PTX_OP_vshr) return clips;
  return clips && (d != a || a != b);
}

void mk_video(struct maker *m) {
  static const char *const uses[] = {NULL, "minus-a", "minus-b", "minus-c"};
  bool negates = m->form->op == PTX_OP_vmad && !mk_has(m, PTX_M_po);
  if (is_wrong_there(m)) {
    mk_without(m, TS_NOT_RUN, "ptxas 13.0 does not do what the manual says");
    return;
  }
  for (unsigned k = 0; k < (negates ? 4 : 1); k++)
    video(m, uses[k], (const char *[3]){k == 1 ? "-" : "", k == 2 ? "-" : "", k == 3 ? "-" : ""});
}

/* ---- mov ---- */

static void mov_plain(struct maker *m) {
  enum ptx_type t = ptx_insn_type(&m->insn, 0);
  mk_begin(m, NULL);
  struct reg a = mk_in(m, t, mk_kind(t)), d = mk_reg(m, t);
  mk_line(m, "%s %s, %s;", m->opcode, d.name, a.name);
  mk_out(m, t, d);
  mk_end(m);
}

static void mov_vector(struct maker *m, enum ptx_type whole, enum ptx_type part, bool pack,
                       bool sink) {
  char use[32], list[80] = "";
  unsigned n = truth_type_bytes(whole) / truth_type_bytes(part);
  snprintf(use, sizeof use, "%s-%u%s", pack ? "pack" : "unpack", n, sink ? "-sink" : "");
  mk_begin(m, use);
  struct reg el[4], w;
  if (!pack) w = mk_in(m, whole, mk_kind(whole));
  for (unsigned i = 0; i < n; i++) {
    el[i] = pack ? mk_in(m, part, mk_kind(part)) : mk_reg(m, part);
    size_t at = strlen(list);
    snprintf(list + at, sizeof list - at, "%s%s", i ? ", " : "", sink && i == 0 ? "_" : el[i].name);
  }
  if (pack) {
    w = mk_reg(m, whole);
    mk_line(m, "%s %s, {%s};", m->opcode, w.name, list);
    mk_out(m, whole, w);
  } else {
    mk_line(m, "%s {%s}, %s;", m->opcode, list, w.name);
    for (unsigned i = sink ? 1 : 0; i < n; i++)
      mk_out(m, part, el[i]);
  }
  mk_end(m);
}

/* Special registers whose values the launch fixes. */
static void mov_sreg(struct maker *m) {
  static const enum ptx_sreg fixed[] = {PTX_SR_tid_x,
                                        PTX_SR_tid_y,
                                        PTX_SR_tid_z,
                                        PTX_SR_ntid_x,
                                        PTX_SR_ntid_y,
                                        PTX_SR_ntid_z,
                                        PTX_SR_ctaid_x,
                                        PTX_SR_ctaid_y,
                                        PTX_SR_ctaid_z,
                                        PTX_SR_nctaid_x,
                                        PTX_SR_nctaid_y,
                                        PTX_SR_nctaid_z,
                                        PTX_SR_laneid,
                                        PTX_SR_lanemask_eq,
                                        PTX_SR_lanemask_le,
                                        PTX_SR_lanemask_lt,
                                        PTX_SR_lanemask_ge,
                                        PTX_SR_lanemask_gt,
                                        PTX_SR_clusterid_x,
                                        PTX_SR_nclusterid_x,
                                        PTX_SR_cluster_ctaid_x,
                                        PTX_SR_cluster_nctaid_x,
                                        PTX_SR_cluster_ctarank,
                                        PTX_SR_cluster_nctarank,
                                        PTX_SR_dynamic_smem_size};
  for (size_t i = 0; i < sizeof fixed / sizeof *fixed; i++) {
    mk_begin(m, ptx_sreg_name(fixed[i]) + 1);
    if (m->v) m->v->n_cases = 2 * TRUTH_BLOCK;
    struct reg d = mk_reg(m, PTX_T_u32);
    mk_line(m, "%s %s, %s;", m->opcode, d.name, ptx_sreg_name(fixed[i]));
    mk_out(m, PTX_T_u32, d);
    mk_end(m);
  }
}

void mk_mov(struct maker *m) {
  enum ptx_type t = ptx_insn_type(&m->insn, 0);
  mov_plain(m);
  if (t == PTX_T_u32) mov_sreg(m);
  static const struct {
    enum ptx_type whole, part;
  } vec[] = {{PTX_T_b32, PTX_T_b16},
             {PTX_T_b64, PTX_T_b32},
             {PTX_T_b64, PTX_T_b16},
             {PTX_T_b128, PTX_T_b64}};
  for (size_t i = 0; i < sizeof vec / sizeof *vec; i++) {
    if (vec[i].whole != t) continue;
    mov_vector(m, t, vec[i].part, true, false);
    mov_vector(m, t, vec[i].part, false, false);
    if (t == PTX_T_b64) mov_vector(m, t, vec[i].part, false, true);
  }
}

/* ---- addresses ---- */

/* Generic addresses of all spaces, in this order. */
static void all_spaces(struct maker *m, struct reg *g) {
  static const char *const from[] = {"global", "shared", "local", "const", "param"};
  static const char *const var[] = {"%in", "sm", "loc", "ctab", "blob"};
  mk_line(m, ".shared .align 16 .b8 sm[2048];");
  mk_line(m, ".local .align 16 .b8 loc[64];");
  for (int i = 0; i < 5; i++) {
    struct reg a = mk_reg(m, PTX_T_u64);
    g[i] = mk_reg(m, PTX_T_u64);
    mk_line(m, "mov.u64 %s, %s;", a.name, var[i]);
    mk_line(m, "cvta.%s.u64 %s, %s;", from[i], g[i].name, a.name);
  }
}

static void isspacep(struct maker *m) {
  struct reg g[5];
  mk_begin(m, NULL);
  all_spaces(m, g);
  struct reg d = mk_reg(m, PTX_T_u32), bit = mk_reg(m, PTX_T_u32);
  mk_line(m, "mov.u32 %s, 0;", d.name);
  for (unsigned i = 0; i < 5; i++) {
    struct reg p = mk_reg(m, PTX_T_pred);
    mk_line(m, "%s %s, %s;", m->opcode, p.name, g[i].name);
    mk_line(m, "selp.u32 %s, %u, 0, %s;", bit.name, 1u << i, p.name);
    mk_line(m, "or.b32 %s, %s, %s;", d.name, d.name, bit.name);
  }
  mk_out(m, PTX_T_u32, d);
  mk_end(m);
}

/* To the generic address, a load through it, and back: the value and whether the address came back.
 */
static void cvta(struct maker *m) {
  const char *space = mk_space(m);
  mk_begin(m, NULL);
  struct reg x = mk_in(m, PTX_T_u32, TK_B32), a = mk_reg(m, PTX_T_u64), g = mk_reg(m, PTX_T_u64),
             off = mk_reg(m, PTX_T_u64);
  struct reg d = mk_reg(m, PTX_T_u32), back = mk_reg(m, PTX_T_u64), p = mk_reg(m, PTX_T_pred);
  mk_line(m, ".shared .align 16 .b8 sm[2048];");
  mk_line(m, ".local .align 16 .b8 loc[64];");
  const char *var = !strcmp(space, "shared")  ? "sm"
                    : !strcmp(space, "local") ? "loc"
                    : !strcmp(space, "const") ? "ctab"
                                              : "blob";
  mk_line(m, "and.b32 %%ti, %%ti, 15;");
  mk_line(m, "mul.wide.u32 %s, %%ti, 4;", off.name);
  if (!strcmp(space, "global")) {
    mk_line(m, "mov.u64 %s, %%out;", a.name);
    mk_line(m, "add.u64 %s, %s, 8;", a.name, a.name);
    mk_line(m, "st.global.u32 [%s], %s;", a.name, x.name);
  } else {
    mk_line(m, "mov.u64 %s, %s;", a.name, var);
    mk_line(m, "add.u64 %s, %s, %s;", a.name, a.name, off.name);
  }
  if (!strcmp(space, "shared")) mk_line(m, "st.shared.u32 [%s], %%ti;", a.name);
  if (!strcmp(space, "local")) mk_line(m, "st.local.u32 [%s], %s;", a.name, x.name);
  const char *name = mk_has(m, PTX_M_shared_cta)       ? "shared::cta"
                     : mk_has(m, PTX_M_shared_cluster) ? "shared::cluster"
                     : mk_has(m, PTX_M_param_entry)    ? "param::entry"
                                                       : space;
  mk_line(m, "cvta.%s.u64 %s, %s;", name, g.name, a.name);
  mk_line(m, "ld.u32 %s, [%s];", d.name, g.name);
  mk_line(m, "cvta.to.%s.u64 %s, %s;", name, back.name, g.name);
  mk_line(m, "setp.eq.u64 %s, %s, %s;", p.name, back.name, a.name);
  mk_out(m, PTX_T_u32, d);
  mk_out(m, PTX_T_pred, p);
  mk_end(m);
}

void mk_address(struct maker *m) {
  if (m->form->op == PTX_OP_isspacep)
    isspacep(m);
  else if (ptx_insn_type(&m->insn, 0) == PTX_T_u32)
    mk_without(m, TS_NOT_RUN, "needs 32-bit addresses");
  else
    cvta(m);
}
