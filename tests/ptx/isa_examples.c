#include "isa_examples.h"

#include <stdio.h>
#include <string.h>

#include "exec/tex_insn.h"
#include "ptx/matrix.h"

const char isa_prologue[] = ".version 9.0\n"
                            ".target sm_90a\n"
                            ".address_size 64\n"
                            ".func f() { ret; }\n"
                            ".visible .entry k()\n"
                            "{\n"
                            "  .reg .pred %p<5>;\n"
                            "  .reg .b16 %h<9>;\n"
                            "  .reg .b32 %r<9>;\n"
                            "  .reg .b64 %d<9>;\n"
                            "  .reg .b128 %q<9>;\n"
                            "L:\n"
                            "T: .branchtargets L;\n";
const char isa_epilogue[] = "  ret;\n}\n";

struct out {
  char *s;
  size_t n, len;
};

__attribute__((format(printf, 2, 3))) static void put(struct out *o, const char *fmt, ...) {
  va_list ap;
  va_start(ap, fmt);
  int n = vsnprintf(o->s + o->n, o->len - o->n, fmt, ap);
  va_end(ap);
  o->n += (size_t)n < o->len - o->n ? (size_t)n : o->len - o->n - 1;
}

/* Registers without a type of their own, so that one of the right size fits every instruction type.
 */
static void put_reg(struct out *o, enum ptx_type t, unsigned n) {
  switch (t == PTX_T_pred ? 0 : ptx_type_bytes(t)) {
  case 0:
    put(o, "%%p%u", n % 5);
    break;
  case 1:
  case 2:
    put(o, "%%h%u", n);
    break;
  case 8:
    put(o, "%%d%u", n);
    break;
  case 16:
    put(o, "%%q%u", n);
    break;
  default:
    put(o, "%%r%u", n);
    break;
  }
}

static void put_data(struct out *o, const struct ptx_insn *in, enum ptx_type t) {
  unsigned n = ptx_has(in, PTX_M_v2)   ? 2
               : ptx_has(in, PTX_M_v4) ? 4
               : ptx_has(in, PTX_M_v8) ? 8
                                       : 1;
  if (n > 1) put(o, "{");
  for (unsigned i = 0; i < n; i++) {
    if (i) put(o, ", ");
    put_reg(o, t, i);
  }
  if (n > 1) put(o, "}");
}

static void put_fragment(struct out *o, const struct ptx_insn *in, unsigned operand) {
  struct ptx_matrix x;
  enum ptx_role role = ptx_matrix_operand(in, operand);
  if (role == PTX_FRAGS || !ptx_matrix_of(in, &x)) return;
  put(o, "{");
  for (unsigned i = 0; i < x.frag[role].n_regs; i++) {
    if (i) put(o, ", ");
    put_reg(o, x.frag[role].reg_bytes == 8 ? PTX_T_b64 : PTX_T_b32, i);
  }
  put(o, "}");
}

/* As many as the geometry has, in a vector of 1, 2 or 4. */
static void put_coordinates(struct out *o, const struct ptx_insn *in) {
  struct ptx_geometry g = ptx_geometry_of(in);
  unsigned n = g.n_axes + (g.is_layered ? 1u : 0u);
  put(o, n == 1   ? "[%%d1, {%%r1}]"
         : n == 2 ? "[%%d1, {%%r1, %%r2}]"
                  : "[%%d1, {%%r1, %%r2, %%r3, %%r4}]");
}

/* No instruction accesses more than 32 bytes of a lane. */
static bool too_wide(const struct ptx_form *f, const struct ptx_insn *in) {
  unsigned n = ptx_has(in, PTX_M_v2)   ? 2
               : ptx_has(in, PTX_M_v4) ? 4
               : ptx_has(in, PTX_M_v8) ? 8
                                       : 1;
  unsigned bytes = n * ptx_type_bytes(ptx_insn_type(in, 0));
  bool is_access = f->op == PTX_OP_ld || f->op == PTX_OP_st || f->op == PTX_OP_ldu;
  bool is_surface = f->op == PTX_OP_suld || f->op == PTX_OP_sust;
  if (is_surface && bytes > 16) return true;
  return is_access && n > 1 &&
         (bytes > 32 || (n == 8 && bytes < 32) || ptx_insn_type(in, 0) == PTX_T_b128);
}

static void put_slot(struct out *o, const struct ptx_insn *in, const struct ptx_slot *s,
                     unsigned n) {
  enum ptx_type t = ptx_slot_type_of(s, in);
  switch (s->kind) {
  case 'M':
    put(o, "[%%d%u]", n + 1);
    break;
  case 'X':
    put_coordinates(o, in);
    break;
  case 'L':
    put(o, "L");
    break;
  case 'T':
    put(o, "T");
    break;
  case 'C':
    put(o, "f");
    break;
  case 'i':
    put(o, "1");
    break;
  case 'P':
    put(o, in->op == PTX_OP_setp ? "%%p1|%%p2" : "%%p1");
    break;
  case 'p':
    put(o, "%%p3");
    break;
  case 'r':
    put_reg(o, t == PTX_T_none ? PTX_T_b32 : t, n);
    put(o, "|%%p1");
    break;
  case 'D':
  case 'S':
  case 't':
  case 's':
    put_data(o, in, t);
    break;
  case 'F':
  case 'G':
    put_fragment(o, in, n);
    break;
  case 'g':
    put(o, "{%%r1, %%r2, %%r3, %%r4}");
    break;
  case 'V':
  case 'v':
  case 'u':
    put(o, "%%r%u", n + 1);
    break;
  default:
    put_reg(o, t, n + 1);
    break;
  }
}

/* The k-th choice: group g at alternative a and the others at their first (k even: optional ones
 * left out, k odd: taken). */
static bool choose(const struct ptx_form *f, unsigned k, int pick[PTX_MAX_GROUPS]) {
  bool full = k & 1;
  for (unsigned g = 0; g < f->n_groups; g++)
    pick[g] = f->groups[g].optional && !full ? -1 : 0;
  k /= 2;
  if (k == 0) return true;
  k--;
  for (unsigned g = 0; g < f->n_groups; g++) {
    if (k < f->groups[g].n_alts) {
      pick[g] = (int)k;
      return true;
    }
    k -= f->groups[g].n_alts;
  }
  return false;
}

bool isa_example(size_t row, unsigned k, char *buf, size_t len) {
  const struct ptx_form *f = ptx_form(row);
  int pick[PTX_MAX_GROUPS];
  struct ptx_insn in = {.op = (uint16_t)f->op};
  struct out o = {buf, 0, len};
  unsigned last_pick = 2; /* every row has its two plain examples */
  for (unsigned g = 0; g < f->n_groups; g++)
    last_pick += 2u * f->groups[g].n_alts;
  if (k >= last_pick * 2 || !choose(f, k % last_pick, pick)) return false;
  for (unsigned g = 0; g < f->n_groups; g++) {
    if (pick[g] < 0) continue;
    const struct ptx_alt *a = &f->groups[g].alts[pick[g]];
    for (unsigned i = 0; i < a->n; i++)
      in.mods[in.n_mods++] = a->mods[i];
  }
  put(&o, "%s", ptx_op_name(f->op));
  for (unsigned i = 0; i < in.n_mods; i++)
    put(&o, ".%s", ptx_mod_name((enum ptx_mod)in.mods[i]));
  if (too_wide(f, &in)) {
    buf[0] = '\0';
    return true;
  }
  bool with_optional = k >= last_pick;
  for (unsigned s = 0, n = 0; s < f->n_slots; s++) {
    if (f->slots[s].optional && !with_optional) continue;
    put(&o, n ? ", " : " ");
    put_slot(&o, &in, &f->slots[s], n++);
  }
  put(&o, ";");
  return true;
}
