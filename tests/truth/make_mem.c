/* Kernels of loads, stores, atomics, and of instructions whose effect cannot be read. */
#include <string.h>

#include "maker.h"

static bool is(const char *a, const char *b) {
  return strcmp(a, b) == 0;
}

static unsigned vector_of(const struct maker *m) {
  return mk_has(m, PTX_M_v8) ? 8 : mk_has(m, PTX_M_v4) ? 4 : mk_has(m, PTX_M_v2) ? 2 : 1;
}

/* Generic instructions take turns among the spaces that can be reached so. */
static const char *generic_space(const struct maker *m, bool store) {
  static const char *const turn[] = {"global", "shared", "local", "const", "global"};
  if (m->form->op == PTX_OP_ldu || mk_has(m, PTX_M_L2_cache_hint)) return "global";
  return turn[mk_turn(m) % (store ? 3 : 5)];
}

/* Copies a thread's operands into shared memory; the address of its neighbour's is returned. */
static void data_in_shared(struct maker *m, struct reg addr) {
  struct reg mine = mk_reg(m, PTX_T_u64), x = mk_reg(m, PTX_T_b64);
  mk_line(m, ".shared .align 64 .b8 sm[8192];");
  mk_line(m, "mov.u64 %s, sm;", addr.name);
  mk_line(m, "mad.wide.u32 %s, %%ti, 64, %s;", mine.name, addr.name);
  for (int i = 0; i < 8; i++) {
    mk_line(m, "ld.global.b64 %s, [%%in+%d];", x.name, i * 8);
    mk_line(m, "st.shared.b64 [%s+%d], %s;", mine.name, i * 8, x.name);
  }
  mk_line(m, "bar.sync 0;");
  mk_line(m, "xor.b32 %%ni, %%ti, 1;");
  mk_line(m, "mad.wide.u32 %s, %%ni, 64, %s;", addr.name, addr.name);
}

static void data_in_local(struct maker *m, struct reg addr) {
  struct reg x = mk_reg(m, PTX_T_b64);
  mk_line(m, ".local .align 64 .b8 loc[128];");
  mk_line(m, "mov.u64 %s, loc;", addr.name);
  for (int i = 0; i < 8; i++) {
    mk_line(m, "ld.global.b64 %s, [%%in+%d];", x.name, i * 8);
    mk_line(m, "st.local.b64 [%s+%d], %s;", addr.name, i * 8, x.name);
  }
}

/* Address of 64 bytes of data in a space, for this thread. */
static struct reg data_in(struct maker *m, const char *space) {
  struct reg addr = mk_reg(m, PTX_T_u64);
  if (is(space, "shared")) {
    data_in_shared(m, addr);
  } else if (is(space, "local")) {
    data_in_local(m, addr);
  } else if (is(space, "const")) {
    mk_line(m, "and.b32 %%ni, %%ti, 63;");
    mk_line(m, "mov.u64 %s, ctab;", addr.name);
    mk_line(m, "mad.wide.u32 %s, %%ni, 64, %s;", addr.name, addr.name);
  } else if (is(space, "param")) {
    mk_line(m, "and.b32 %%ni, %%ti, 1;");
    mk_line(m, "mov.u64 %s, blob;", addr.name);
    mk_line(m, "mad.wide.u32 %s, %%ni, 32, %s;", addr.name, addr.name);
  } else {
    mk_line(m, "mov.u64 %s, %%in;", addr.name);
  }
  return addr;
}

static enum ptx_type wide_reg(enum ptx_type t) {
  if (ptx_type_is_float(t) || t == PTX_T_b128) return t;
  return ptx_type_is_signed(t) ? PTX_T_s64 : t >= PTX_T_b8 ? PTX_T_b64 : PTX_T_u64;
}

/* "{%x1, %x2}" or "%x1" */
static void list_regs(const struct reg *r, unsigned n, char *buf, size_t len) {
  size_t at = (size_t)snprintf(buf, len, "%s", n > 1 ? "{" : "");
  for (unsigned i = 0; i < n; i++)
    at += (size_t)snprintf(buf + at, len - at, "%s%s", i ? ", " : "", r[i].name);
  snprintf(buf + at, len - at, "%s", n > 1 ? "}" : "");
}

static void put_vector(FILE *f, const char *prefix, unsigned n) {
  for (unsigned i = 0; i < n; i++)
    fprintf(f, "%s%s%u", i ? ", " : n > 1 ? "{" : "", prefix, i);
  fputs(n > 1 ? "}" : "", f);
}

/* ld and st of a function's parameters: the value goes through a function, which loads it (by the
 * variant of ld, or by a plain one of the same type) and gives it back widened. Offsets and types
 * of both sides agree, as the manual demands. */
static void through_function(struct maker *m) {
  enum ptx_type t = ptx_insn_type(&m->insn, 0), rt = wide_reg(t);
  unsigned n = vector_of(m);
  bool load = m->form->op == PTX_OP_ld;
  char plain[32], list[96];
  if (t == PTX_T_b128) { /* seen on the H200: what comes back has zeros there */
    mk_without(m, TS_NOT_RUN, "ptxas 13.0 loses the upper 64 bits in a call");
    return;
  }
  snprintf(plain, sizeof plain, "%s.%s", n == 1 ? "" : n == 2 ? ".v2" : ".v4", truth_type_name(t));
  mk_begin(m, NULL);
  fprintf(m->outer,
          ".func (.param .align 32 .b8 back[32]) fKERNEL(.param .align 32 .b8 given[32])\n{\n");
  fprintf(m->outer, "  .reg .%s %%v<%u>;\n  %s%s ", truth_type_name(rt), n,
          load ? m->opcode : "ld.param", load ? "" : plain);
  put_vector(m->outer, "%v", n);
  fprintf(m->outer, ", [given];\n");
  for (unsigned i = 0; i < n; i++)
    fprintf(m->outer, "  st.param.%s [back+%u], %%v%u;\n", truth_type_name(rt), i * 8, i);
  fprintf(m->outer, "  ret;\n}\n");
  struct reg v[8], d[8];
  for (unsigned i = 0; i < n; i++)
    v[i] = mk_in(m, t, mk_kind(t));
  list_regs(v, n, list, sizeof list);
  mk_line(m, "{");
  mk_line(m, ".param .align 32 .b8 a[32];");
  mk_line(m, ".param .align 32 .b8 r[32];");
  mk_line(m, "%s%s [a], %s;", load ? "st.param" : m->opcode, load ? plain : "", list);
  mk_line(m, "call (r), fKERNEL, (a);");
  for (unsigned i = 0; i < n; i++) {
    d[i] = mk_reg(m, rt);
    mk_line(m, "ld.param.%s %s, [r+%u];", truth_type_name(rt), d[i].name, i * 8);
  }
  mk_line(m, "}");
  for (unsigned i = 0; i < n; i++)
    mk_out(m, rt, d[i]);
  mk_end(m);
}

void mk_load(struct maker *m) {
  enum ptx_type t = ptx_insn_type(&m->insn, 0), rt = wide_reg(t);
  unsigned n = vector_of(m);
  const char *space = mk_space(m), *use = NULL;
  if (is(space, "func")) {
    through_function(m);
    return;
  }
  if (is(space, "")) use = space = generic_space(m, false);
  mk_begin(m, use);
  struct reg a = data_in(m, space), d[8];
  if (use) mk_line(m, "cvta.%s.u64 %s, %s;", space, a.name, a.name);
  for (unsigned i = 0; i < n; i++)
    d[i] = mk_reg(m, rt);
  char list[96];
  list_regs(d, n, list, sizeof list);
  /* An offset where it keeps the alignment of every type. */
  char policy[24];
  mk_policy(m, policy);
  mk_line(m, "%s %s, [%s%s]%s;", m->opcode, list, a.name, is(space, "param") ? "" : "+32", policy);
  for (unsigned i = 0; i < n; i++)
    mk_out(m, rt, d[i]);
  mk_end(m);
}

void mk_store(struct maker *m) {
  enum ptx_type t = ptx_insn_type(&m->insn, 0);
  unsigned n = vector_of(m);
  const char *space = mk_space(m), *use = NULL;
  if (is(space, "func") || is(space, "param")) {
    through_function(m);
    return;
  }
  if (is(space, "")) use = space = generic_space(m, true);
  mk_begin(m, use);
  struct reg a = mk_reg(m, PTX_T_u64), v[8], x = mk_reg(m, PTX_T_b64);
  for (unsigned i = 0; i < n; i++)
    v[i] = mk_in(m, t, mk_kind(t));
  bool global = is(space, "global");
  if (global) {
    mk_line(m, "mov.u64 %s, %%out;", a.name);
  } else if (is(space, "shared")) {
    mk_line(m, ".shared .align 32 .b8 sm[4096];");
    mk_line(m, "mov.u64 %s, sm;", a.name);
    mk_line(m, "mad.wide.u32 %s, %%ti, 32, %s;", a.name, a.name);
  } else {
    mk_line(m, ".local .align 32 .b8 loc[32];");
    mk_line(m, "mov.u64 %s, loc;", a.name);
  }
  for (int i = 0; i < 4 && !global; i++)
    mk_line(m, "st.%s.b64 [%s+%d], 0;", space, a.name, i * 8);
  struct reg to = a;
  if (use) {
    to = mk_reg(m, PTX_T_u64);
    mk_line(m, "cvta.%s.u64 %s, %s;", space, to.name, a.name);
  }
  char list[96];
  list_regs(v, n, list, sizeof list);
  char policy[24];
  mk_policy(m, policy);
  mk_line(m, "%s [%s], %s%s;", m->opcode, to.name, list, policy);
  for (unsigned i = 0; i < 4; i++) {
    if (global) {
      mk_out_slot(m, i, PTX_T_b64);
      continue;
    }
    mk_line(m, "ld.%s.b64 %s, [%s+%u];", space, x.name, a.name, i * 8);
    mk_out(m, PTX_T_b64, x);
  }
  mk_end(m);
}

/* ---- atomics ---- */

static const char *atomic_space(struct maker *m, const char **use) {
  const char *space = mk_space(m);
  bool is_global = mk_has(m, PTX_M_L2_cache_hint) || mk_turn(m) % 2 == 0;
  if (is(space, "")) *use = space = is_global ? "global" : "shared";
  return space;
}

static void atomic_operands(struct maker *m, enum ptx_type t, bool shared_word, struct reg *v,
                            unsigned n) {
  bool cas = mk_has(m, PTX_M_cas), counts = mk_has(m, PTX_M_inc) || mk_has(m, PTX_M_dec);
  enum truth_kind k = mk_kind(t);
  if (counts) k = TK_COUNT;
  if (shared_word && t == PTX_T_f32) k = TK_EXACT32;
  if (shared_word && t == PTX_T_f64) k = TK_EXACT64;
  if (shared_word && (t == PTX_T_f16 || t == PTX_T_f16x2)) k = TK_EXACT16;
  if (shared_word && (t == PTX_T_bf16 || t == PTX_T_bf16x2)) k = TK_EXACTBF16;
  /* Slot 0 is what lies in memory: cas finds it in half of the cases. */
  for (unsigned i = 0; i < n; i++)
    v[i] = mk_in(m, t, cas && i == 1 ? TK_EQUAL : k);
}

/* Every thread has a word of its own: what came back, and what is in memory then. */
static void atomic_own(struct maker *m) {
  enum ptx_type t = ptx_insn_type(&m->insn, 0);
  const char *use = NULL, *space = atomic_space(m, &use);
  bool returns = m->form->op == PTX_OP_atom, cas = mk_has(m, PTX_M_cas);
  mk_begin(m, use);
  struct reg a = mk_reg(m, PTX_T_u64), v[3], d = mk_reg(m, t), last = mk_reg(m, t);
  atomic_operands(m, t, false, v, cas ? 3 : 2);
  if (m->v && ptx_type_is_float(t)) m->v->n_cases = 3 * TRUTH_BLOCK;
  const char *mt = mk_mem_type(t);
  if (is(space, "shared")) {
    mk_line(m, ".shared .align 16 .b8 sm[2048];");
    mk_line(m, "mov.u64 %s, sm;", a.name);
    mk_line(m, "mad.wide.u32 %s, %%ti, 16, %s;", a.name, a.name);
  } else {
    mk_line(m, "add.u64 %s, %%out, 16;", a.name);
  }
  mk_line(m, "st.%s.%s [%s], %s;", space, mt, a.name, v[0].name);
  struct reg to = a;
  if (use) {
    to = mk_reg(m, PTX_T_u64);
    mk_line(m, "cvta.%s.u64 %s, %s;", space, to.name, a.name);
  }
  char policy[24];
  mk_policy(m, policy);
  if (returns && cas)
    mk_line(m, "%s %s, [%s], %s, %s;", m->opcode, d.name, to.name, v[1].name, v[2].name);
  else if (returns)
    mk_line(m, "%s %s, [%s], %s%s;", m->opcode, d.name, to.name, v[1].name, policy);
  else
    mk_line(m, "%s [%s], %s%s;", m->opcode, to.name, v[1].name, policy);
  mk_line(m, "ld.volatile.%s.%s %s, [%s];", space, mt, last.name, a.name);
  if (returns) mk_out(m, t, d);
  mk_out(m, t, last);
  mk_end(m);
}

/* All threads of a block update one word; only the end is the same whatever the order. */
static void atomic_common(struct maker *m) {
  enum ptx_type t = ptx_insn_type(&m->insn, 0);
  const char *space = mk_space(m);
  char use[32];
  bool returns = m->form->op == PTX_OP_atom, counts = mk_has(m, PTX_M_inc) || mk_has(m, PTX_M_dec);
  if (is(space, "")) space = "global";
  snprintf(use, sizeof use, "common-%s", space);
  mk_begin(m, use);
  struct reg a = mk_reg(m, PTX_T_u64), v[2], d = mk_reg(m, t), p = mk_reg(m, PTX_T_pred),
             last = mk_reg(m, t);
  atomic_operands(m, t, true, v, 2);
  if (counts) mk_line(m, "mov.u32 %s, 99;", v[1].name);
  mk_line(m, ".shared .align 16 .b8 sm[16];");
  if (is(space, "shared")) {
    mk_line(m, "mov.u64 %s, sm;", a.name);
  } else {
    mk_line(m, "ld.param.u64 %s, [pout];", a.name);
    mk_line(m, "add.u64 %s, %s, 16;", a.name, a.name);
  }
  mk_line(m, "setp.eq.u32 %s, %%ti, 0;", p.name);
  mk_line(m, "@%s st.%s.%s [%s], %s;", p.name, space, mk_mem_type(t), a.name, v[0].name);
  mk_line(m, "bar.sync 0;");
  char policy[24];
  mk_policy(m, policy);
  if (returns)
    mk_line(m, "%s %s, [%s], %s%s;", m->opcode, d.name, a.name, v[1].name, policy);
  else
    mk_line(m, "%s [%s], %s%s;", m->opcode, a.name, v[1].name, policy);
  mk_line(m, "bar.sync 0;");
  mk_line(m, "ld.volatile.%s.%s %s, [%s];", space, mk_mem_type(t), last.name, a.name);
  mk_out(m, t, last);
  mk_end(m);
}

void mk_atomic(struct maker *m) {
  atomic_own(m);
  if (!mk_has(m, PTX_M_cas) && !mk_has(m, PTX_M_exch) && !is(mk_space(m), "")) atomic_common(m);
}

/* ---- no result ---- */

void mk_silent(struct maker *m) {
  mk_begin(m, NULL);
  if (m->v) {
    m->v->status = TS_NO_RESULT;
    m->v->why = "no result";
  }
  struct reg x = mk_in(m, PTX_T_u32, TK_B32), a = mk_reg(m, PTX_T_u64), d = mk_reg(m, PTX_T_u32);
  switch ((int)m->form->op) {
  case PTX_OP_prefetch:
  case PTX_OP_prefetchu:
    mk_line(m, ".local .align 16 .b8 loc[64];");
    mk_line(m, "mov.u64 %s, %s;", a.name, mk_has(m, PTX_M_local) ? "loc" : "%in");
    mk_line(m, "%s [%s];", m->opcode, a.name);
    break;
  case PTX_OP_applypriority:
  case PTX_OP_discard:
    mk_line(m, "ld.param.u64 %s, [pin];", a.name);
    mk_line(m, "%s [%s], 128;", m->opcode, a.name);
    break;
  case PTX_OP_createpolicy: { /* the bits of a policy are nobody's business */
    struct reg p = mk_reg(m, PTX_T_b64);
    if (mk_has(m, PTX_M_cvt))
      mk_line(m, "%s %s, 0x100000000;", m->opcode, p.name);
    else if (mk_has(m, PTX_M_range))
      mk_line(m, "%s %s, [%%in], 1024, 4096;", m->opcode, p.name);
    else
      mk_line(m, "%s %s, 0f3F000000;", m->opcode, p.name);
    break;
  }
  case PTX_OP_nanosleep:
    mk_line(m, "%s 20;", m->opcode);
    break;
  case PTX_OP_pmevent:
    mk_line(m, "%s 3;", m->opcode);
    break;
  default:
    mk_line(m, "%s;", m->opcode);
    break;
  }
  mk_line(m, "add.u32 %s, %s, 1;", d.name, x.name);
  mk_out(m, PTX_T_u32, d);
  mk_end(m);
}
