#include "maker.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"

const char *const truth_family_names[TF_N] = {"int",  "float", "compare", "cvt",   "memory",
                                              "atom", "warp",  "half",    "matrix"};

static void full_name(const struct ptx_insn *in, char *buf, size_t len) {
  size_t n = (size_t)snprintf(buf, len, "%s", ptx_op_name((enum ptx_op)in->op));
  for (unsigned i = 0; i < in->n_mods && n < len; i++)
    n += (size_t)snprintf(buf + n, len - n, ".%s", ptx_mod_name((enum ptx_mod)in->mods[i]));
}

static bool is_half(enum ptx_type t) {
  return t >= PTX_T_f16x2 && t <= PTX_T_tf32;
}

static enum truth_family family_of(const struct ptx_form *f, const struct ptx_insn *in) {
  bool cvt = f->op == PTX_OP_cvt;
  if (f->op == PTX_OP_mma || f->op == PTX_OP_wmma || f->op == PTX_OP_ldmatrix ||
      f->op == PTX_OP_stmatrix || f->op == PTX_OP_movmatrix || f->op == PTX_OP_cp)
    return TF_MATRIX;
  if (is_half(ptx_insn_type(in, 0)) || is_half(ptx_insn_type(in, 1)) || ptx_has(in, PTX_M_relu) ||
      (!cvt && ptx_has(in, PTX_M_f16)) || (cvt && ptx_has(in, PTX_M_satfinite)))
    if (ptx_insn_type(in, 0) > PTX_T_b128 || ptx_insn_type(in, 1) > PTX_T_b128) return TF_HALF;
  switch ((int)f->op) {
  case PTX_OP_cvt:
    return TF_CVT;
  case PTX_OP_setp:
  case PTX_OP_set:
  case PTX_OP_testp:
    return TF_COMPARE;
  case PTX_OP_atom:
  case PTX_OP_red:
    return TF_ATOM;
  default:
    break;
  }
  switch ((int)weir_class_part_of(f->cls)) {
  case WEIR_C_FP32:
  case WEIR_C_FP64:
  case WEIR_C_FDIV:
  case WEIR_C_DDIV:
  case WEIR_C_SFU:
    return TF_FLOAT;
  case WEIR_C_LOAD:
  case WEIR_C_STORE:
  case WEIR_C_MOVE:
  case WEIR_C_OTHER:
    return TF_MEMORY;
  case WEIR_C_BARRIER:
  case WEIR_C_FENCE:
  case WEIR_C_WARP:
  case WEIR_C_BRANCH:
    return TF_WARP;
  default:
    return TF_INT;
  }
}

static void name_variant(struct maker *m, const char *use) {
  struct truth_variant *v = m->v = truth_add(m->set);
  full_name(&m->insn, m->opcode, sizeof m->opcode);
  if (!v) return;
  v->form = m->insn.form;
  v->n_mods = m->insn.n_mods;
  memcpy(v->mods, m->insn.mods, sizeof v->mods);
  snprintf(v->name, sizeof v->name, "%s%s%s", m->opcode, use ? "@" : "", use ? use : "");
  v->family = family_of(m->form, &m->insn);
  v->n_cases = TRUTH_BLOCK;
}

void mk_begin(struct maker *m, const char *use) {
  name_variant(m, use);
  m->decl = open_memstream(&m->decl_text, &m->decl_len);
  m->code = open_memstream(&m->code_text, &m->code_len);
  m->outer = open_memstream(&m->outer_text, &m->outer_len);
  m->n_regs = 0;
  if (!m->decl || !m->code || !m->outer) abort();
}

void mk_without(struct maker *m, enum truth_status status, const char *why) {
  name_variant(m, NULL);
  if (!m->v) return;
  m->v->status = status;
  m->v->why = why;
}

static const char prologue[] = "  .reg .b32 %ti, %ci, %ni;\n"
                               "  .reg .b64 %in, %out, %off;\n"
                               "  mov.u32 %ti, %tid.x;\n"
                               "  mov.u32 %ci, %ctaid.x;\n"
                               "  mov.u32 %ni, %ntid.x;\n"
                               "  mad.lo.u32 %ci, %ci, %ni, %ti;\n"
                               "  ld.param.u64 %in, [pin];\n"
                               "  ld.param.u64 %out, [pout];\n"
                               "  mul.wide.u32 %off, %ci, 64;\n"
                               "  add.u64 %in, %in, %off;\n"
                               "  shr.u64 %off, %off, 1;\n"
                               "  add.u64 %out, %out, %off;\n";

void mk_end(struct maker *m) {
  fclose(m->decl);
  fclose(m->code);
  fclose(m->outer);
  char *text = NULL;
  size_t len = 0;
  FILE *f = open_memstream(&text, &len);
  if (!f) abort();
  fprintf(f,
          "%s.visible .entry KERNEL(.param .u64 pin, .param .u64 pout, .param .align 16 .b8 "
          "blob[%d])\n{\n%s%s%s  "
          "ret;\n}\n",
          m->outer_text, TRUTH_BLOB, prologue, m->decl_text, m->code_text);
  fclose(f);
  free(m->decl_text);
  free(m->code_text);
  free(m->outer_text);
  if (m->v)
    m->v->text = text;
  else
    free(text);
}

unsigned truth_type_bytes(enum ptx_type t) {
  switch ((int)t) {
  case PTX_T_none:
    return 0;
  case PTX_T_u8:
  case PTX_T_s8:
  case PTX_T_b8:
  case PTX_T_pred:
    return 1;
  case PTX_T_u16:
  case PTX_T_s16:
  case PTX_T_b16:
  case PTX_T_f16:
  case PTX_T_bf16:
    return 2;
  case PTX_T_u64:
  case PTX_T_s64:
  case PTX_T_b64:
  case PTX_T_f64:
    return 8;
  case PTX_T_b128:
    return 16;
  default:
    return 4;
  }
}

const char *truth_type_name(enum ptx_type t) {
  return ptx_mod_name((enum ptx_mod)t); /* types are the first modifiers */
}

const char *mk_reg_type(enum ptx_type t) {
  switch ((int)t) {
  case PTX_T_u8:
  case PTX_T_b8:
    return "u32"; /* narrow values live in wider registers, so that extension is seen */
  case PTX_T_s8:
    return "s32";
  case PTX_T_f16:
  case PTX_T_bf16:
    return "b16";
  case PTX_T_f16x2:
  case PTX_T_bf16x2:
  case PTX_T_tf32:
    return "b32";
  default:
    return truth_type_name(t);
  }
}

const char *mk_mem_type(enum ptx_type t) {
  switch ((int)t) {
  case PTX_T_u8:
  case PTX_T_b8:
  case PTX_T_s8:
    return "b32";
  case PTX_T_f16:
  case PTX_T_bf16:
    return "b16";
  case PTX_T_f16x2:
  case PTX_T_bf16x2:
  case PTX_T_tf32:
    return "b32";
  default:
    return truth_type_name(t);
  }
}

enum truth_kind mk_kind(enum ptx_type t) {
  switch ((int)t) {
  case PTX_T_f16:
    return TK_F16;
  case PTX_T_f16x2:
    return TK_F16X2;
  case PTX_T_bf16:
    return TK_BF16;
  case PTX_T_bf16x2:
    return TK_BF16X2;
  case PTX_T_f32:
    return TK_F32;
  case PTX_T_f64:
    return TK_F64;
  case PTX_T_pred:
    return TK_PRED;
  default:
    return truth_type_bytes(t) == 2 ? TK_B16 : truth_type_bytes(t) <= 4 ? TK_B32 : TK_B64;
  }
}

void mk_line(struct maker *m, const char *fmt, ...) {
  va_list ap;
  va_start(ap, fmt);
  fputs("  ", m->code);
  vfprintf(m->code, fmt, ap);
  fputs("\n", m->code);
  va_end(ap);
}

struct reg mk_reg(struct maker *m, enum ptx_type t) {
  struct reg r;
  snprintf(r.name, sizeof r.name, "%%x%u", m->n_regs++);
  fprintf(m->decl, "  .reg .%s %s;\n", mk_reg_type(t), r.name);
  return r;
}

void mk_in_kind(struct maker *m, unsigned slot, enum truth_kind kind) {
  if (!m->v || slot >= TRUTH_IN) return;
  m->v->in_kind[slot] = (uint8_t)kind;
  if (m->v->n_in <= slot) m->v->n_in = (uint8_t)(slot + 1);
}

struct reg mk_in(struct maker *m, enum ptx_type t, enum truth_kind kind) {
  unsigned slot = m->v ? m->v->n_in : 0;
  mk_in_kind(m, slot, kind);
  if (m->v) m->v->in_type[slot] = (uint8_t)t;
  struct reg r = mk_reg(m, t);
  if (t == PTX_T_pred) {
    struct reg n = mk_reg(m, PTX_T_u32);
    mk_line(m, "ld.global.u32 %s, [%%in+%u];", n.name, slot * 8);
    mk_line(m, "setp.ne.u32 %s, %s, 0;", r.name, n.name);
  } else if (t == PTX_T_b128) {
    struct reg lo = mk_reg(m, PTX_T_b64), hi = mk_reg(m, PTX_T_b64);
    mk_in_kind(m, slot + 1, kind);
    mk_line(m, "ld.global.b64 %s, [%%in+%u];", lo.name, slot * 8);
    mk_line(m, "ld.global.b64 %s, [%%in+%u];", hi.name, slot * 8 + 8);
    mk_line(m, "mov.b128 %s, {%s, %s};", r.name, lo.name, hi.name);
  } else {
    mk_line(m, "ld.global.%s %s, [%%in+%u];", mk_mem_type(t), r.name, slot * 8);
  }
  return r;
}

void mk_out_slot(struct maker *m, unsigned slot, enum ptx_type t) {
  if (!m->v || slot >= TRUTH_OUT) return;
  m->v->out_type[slot] = (uint8_t)t;
  if (m->v->n_out <= slot) m->v->n_out = (uint8_t)(slot + 1);
}

void mk_out(struct maker *m, enum ptx_type t, struct reg r) {
  unsigned slot = m->v ? m->v->n_out : 0;
  mk_out_slot(m, slot, t);
  if (t == PTX_T_pred) {
    struct reg n = mk_reg(m, PTX_T_u32);
    mk_line(m, "selp.u32 %s, 1, 0, %s;", n.name, r.name);
    mk_line(m, "st.global.u8 [%%out+%u], %s;", slot * 8, n.name);
  } else if (t == PTX_T_b128) {
    struct reg lo = mk_reg(m, PTX_T_b64), hi = mk_reg(m, PTX_T_b64);
    mk_out_slot(m, slot, PTX_T_b64);
    mk_out_slot(m, slot + 1, PTX_T_b64);
    mk_line(m, "mov.b128 {%s, %s}, %s;", lo.name, hi.name, r.name);
    mk_line(m, "st.global.b64 [%%out+%u], %s;", slot * 8, lo.name);
    mk_line(m, "st.global.b64 [%%out+%u], %s;", slot * 8 + 8, hi.name);
  } else {
    mk_line(m, "st.global.%s [%%out+%u], %s;", mk_mem_type(t), slot * 8, r.name);
  }
}

const char *mk_space(const struct maker *m) {
  static const struct {
    enum ptx_mod mod;
    const char *name;
  } spaces[] = {
      {PTX_M_global, "global"},         {PTX_M_shared, "shared"},     {PTX_M_shared_cta, "shared"},
      {PTX_M_shared_cluster, "shared"}, {PTX_M_local, "local"},       {PTX_M_const, "const"},
      {PTX_M_param, "param"},           {PTX_M_param_entry, "param"}, {PTX_M_param_func, "func"}};
  for (size_t i = 0; i < sizeof spaces / sizeof *spaces; i++)
    if (mk_has(m, spaces[i].mod)) return spaces[i].name;
  return "";
}

/* ---- the set ---- */

struct truth_variant *truth_add(struct truth_set *s) {
  if (s->n == s->cap) {
    size_t cap = s->cap ? 2 * s->cap : 1024;
    struct truth_variant *v = realloc(s->v, cap * sizeof *v);
    if (!v) return NULL;
    s->v = v;
    s->cap = cap;
  }
  struct truth_variant *v = &s->v[s->n++];
  memset(v, 0, sizeof *v);
  return v;
}

void truth_free(struct truth_set *s) {
  for (size_t i = 0; i < s->n; i++)
    free(s->v[i].text);
  free(s->v);
  *s = (struct truth_set){0};
}

static void make(struct maker *m) {
  switch ((int)m->form->op) {
  case PTX_OP_mov:
    mk_mov(m);
    break;
  case PTX_OP_cvta:
  case PTX_OP_isspacep:
    mk_address(m);
    break;
  case PTX_OP_ld:
  case PTX_OP_ldu:
    mk_load(m);
    break;
  case PTX_OP_st:
    mk_store(m);
    break;
  case PTX_OP_atom:
  case PTX_OP_red:
    mk_atomic(m);
    break;
  case PTX_OP_createpolicy:
  case PTX_OP_griddepcontrol:
  case PTX_OP_prefetch:
  case PTX_OP_prefetchu:
  case PTX_OP_applypriority:
  case PTX_OP_discard:
  case PTX_OP_membar:
  case PTX_OP_fence:
  case PTX_OP_nanosleep:
  case PTX_OP_pmevent:
    mk_silent(m);
    break;
  case PTX_OP_trap:
  case PTX_OP_brkpt:
    mk_without(m, TS_NOT_RUN, "ends the kernel");
    break;
  case PTX_OP_tex:
  case PTX_OP_tld4:
  case PTX_OP_txq:
  case PTX_OP_suld:
  case PTX_OP_sust:
  case PTX_OP_sured:
  case PTX_OP_suq:
    mk_without(m, TS_NOT_RUN, "has cases of its own, see above");
    break;
  case PTX_OP_shfl:
  case PTX_OP_vote:
  case PTX_OP_match:
  case PTX_OP_activemask:
  case PTX_OP_redux:
  case PTX_OP_elect:
    mk_warp(m);
    break;
  case PTX_OP_mma:
  case PTX_OP_wmma:
  case PTX_OP_ldmatrix:
  case PTX_OP_stmatrix:
  case PTX_OP_movmatrix:
    mk_matrix(m);
    break;
  case PTX_OP_cp:
    if (mk_has(m, PTX_M_mbarrier))
      mk_mbarrier(m);
    else
      mk_copy(m);
    break;
  case PTX_OP_bar:
  case PTX_OP_barrier:
    mk_barrier(m);
    break;
  case PTX_OP_mbarrier:
    mk_mbarrier(m);
    break;
  case PTX_OP_bra:
  case PTX_OP_brx:
  case PTX_OP_call:
  case PTX_OP_ret:
  case PTX_OP_exit:
    mk_control(m);
    break;
  default:
    if (ptx_video_lanes(m->form->op) > 0)
      mk_video(m);
    else
      mk_generic(m);
    break;
  }
}

unsigned mk_turn(const struct maker *m) {
  uint64_t h = m->form->op == PTX_OP_st;
  for (unsigned i = 0; i < m->insn.n_mods; i++)
    for (const char *s = ptx_mod_name((enum ptx_mod)m->insn.mods[i]); *s; s++)
      h = weir_splitmix64(h ^ (unsigned char)*s);
  return (unsigned)(h >> 40);
}

const char *mk_policy(struct maker *m, char buf[24]) {
  buf[0] = 0;
  if (!mk_has(m, PTX_M_L2_cache_hint)) return buf;
  struct reg p = mk_reg(m, PTX_T_b64);
  mk_line(m, "createpolicy.fractional.L2::evict_last.b64 %s;", p.name);
  snprintf(buf, 24, ", %s", p.name);
  return buf;
}

static const char *refusal(const char *list, const char *name) {
  size_t len = strlen(name);
  for (const char *s = list; s && *s;) {
    if (!strncmp(s, name, len) && s[len] == '\t') return s + len + 1;
    s = strchr(s, '\n');
    if (s) s++;
  }
  return NULL;
}

enum { ALL_UP_TO = 420 };

bool truth_build(struct truth_set *s, const char *refused) {
  *s = (struct truth_set){.refused = refused};
  for (size_t row = 0; row < ptx_n_forms(); row++) {
    const struct ptx_form *f = ptx_form(row);
    if (!f->exec) continue;
    size_t limit = f->op == PTX_OP_ld || f->op == PTX_OP_st || f->op == PTX_OP_atom ||
                           f->op == PTX_OP_red || (f->op == PTX_OP_set && f->n_slots == 4)
                       ? 40
                   : ptx_video_lanes(f->op) > 0 ? 12
                   : f->op == PTX_OP_wmma       ? 16
                                                : ALL_UP_TO;
    size_t n = 0;
    struct truth_combo *c = truth_combos(f, limit, mk_valid, &n);
    if (n && !c) return false;
    for (size_t i = 0; i < n; i++) {
      struct maker m = {.set = s, .form = f};
      m.insn.op = (uint16_t)f->op;
      m.insn.form = (uint16_t)row;
      m.insn.n_mods = c[i].n_mods;
      memcpy(m.insn.mods, c[i].mods, sizeof c[i].mods);
      make(&m);
    }
    free(c);
  }
  for (size_t i = 0; i < s->n; i++) {
    const char *why = refusal(refused, s->v[i].name);
    if (!why) continue;
    s->v[i].status = TS_REFUSED;
    s->v[i].why = why;
  }
  return true;
}

bool truth_has_kernel(const struct truth_variant *v) {
  return v->text && (v->status == TS_TRUTH || v->status == TS_NO_RESULT);
}

enum { PER_MODULE = 48 };

size_t truth_module(const struct truth_set *s, size_t *from) {
  size_t i = *from;
  while (i < s->n && !truth_has_kernel(&s->v[i]))
    i++;
  *from = i;
  bool old = i < s->n && s->v[i].old_target;
  size_t kernels = 0;
  for (; i < s->n && kernels < PER_MODULE; i++) {
    if (!truth_has_kernel(&s->v[i])) continue;
    if (s->v[i].old_target != old) break;
    kernels++;
  }
  return i;
}

static void put_kernel(FILE *f, const char *text, size_t number) {
  for (const char *at; (at = strstr(text, "KERNEL")); text = at + 6) {
    fwrite(text, 1, (size_t)(at - text), f);
    fprintf(f, "t%zu", number);
  }
  fputs(text, f);
}

char *truth_module_text(const struct truth_set *s, size_t from, size_t to) {
  char *text = NULL;
  size_t len = 0;
  FILE *f = open_memstream(&text, &len);
  if (!f) return NULL;
  bool old = s->v[from].old_target;
  fprintf(f, ".version %s\n.target %s\n.address_size 64\n", old ? "6.0" : "8.6",
          old ? "sm_60" : "sm_90");
  fprintf(f, ".const .align 64 .b8 ctab[%d] = {", TRUTH_CONST);
  for (unsigned i = 0; i < TRUTH_CONST; i++)
    fprintf(f, "%s%u", i ? "," : "", truth_const_byte(i));
  fputs("};\n", f);
  for (size_t i = from; i < to; i++) {
    if (!truth_has_kernel(&s->v[i])) continue;
    fprintf(f, "// %s\n", s->v[i].name);
    put_kernel(f, s->v[i].text, i);
  }
  fclose(f);
  return text;
}

/* ---- results ---- */

unsigned truth_out_bytes(enum ptx_type t) {
  switch ((int)t) {
  case PTX_T_none:
    return 0;
  case PTX_T_pred:
    return 1;
  case PTX_T_u8:
  case PTX_T_s8:
  case PTX_T_b8:
    return 4;
  default:
    return truth_type_bytes(t);
  }
}

size_t truth_result_bytes(const struct truth_variant *v) {
  size_t n = 0;
  for (unsigned s = 0; s < v->n_out; s++)
    n += truth_out_bytes((enum ptx_type)v->out_type[s]);
  return n * v->n_cases;
}

void truth_pack(const struct truth_variant *v, const uint8_t *out, uint8_t *packed) {
  for (unsigned s = 0; s < v->n_out; s++)
    for (unsigned b = 0; b < truth_out_bytes((enum ptx_type)v->out_type[s]); b++)
      for (unsigned i = 0; i < v->n_cases; i++)
        *packed++ = out[(size_t)i * TRUTH_OUT_BYTES + s * 8 + b];
}

void truth_unpack(const struct truth_variant *v, const uint8_t *packed, uint8_t *out) {
  memset(out, 0, (size_t)v->n_cases * TRUTH_OUT_BYTES);
  for (unsigned s = 0; s < v->n_out; s++)
    for (unsigned b = 0; b < truth_out_bytes((enum ptx_type)v->out_type[s]); b++)
      for (unsigned i = 0; i < v->n_cases; i++)
        out[(size_t)i * TRUTH_OUT_BYTES + s * 8 + b] = *packed++;
}
