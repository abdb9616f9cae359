/* What the parser makes of single constructs. */
#include <stdio.h>

#include "../base/testing.h"
#include "ptx/isa.h"

#define HEAD ".version 8.0\n.target sm_75\n.address_size 64\n"

static struct ptx_module *parse(const char *text) {
  struct ptx_module *m;
  struct ptx_diags d = {0};
  if (ptx_parse(text, strlen(text), "test", &m, &d) != WEIR_OK) fail_msg("%s", d.v[0].msg);
  return m;
}

static void bad(const char *text, const char *message) {
  struct ptx_module *m;
  struct ptx_diags d = {0};
  assert_int_equal(ptx_parse(text, strlen(text), "test", &m, &d), WEIR_EPARSE);
  assert_null(m);
  assert_true(d.n > 0);
  assert_contains(d.v[0].msg, message);
  ptx_diags_free(&d);
}

static void header(void **state) {
  (void)state;
  struct ptx_module *m = parse(".version 7.8\n.target sm_90a, texmode_independent\n");
  assert_int_equal(m->version_major, 7);
  assert_int_equal(m->version_minor, 8);
  assert_int_equal(m->sm, 90);
  assert_int_equal(m->address_bits, 64);
  assert_string_equal(m->target, "sm_90a, texmode_independent");
  ptx_module_free(m);
  m = parse(".version 3.0\n.target sm_30, map_f64_to_f32\n");
  assert_int_equal(m->n_unsupported, 1);
  ptx_module_free(m);
}

static void parameter_block(void **state) {
  (void)state;
  struct ptx_module *m =
      parse(HEAD ".entry k(.param .u8 a, .param .u64 b, .param .u16 c,"
                 ".param .align 16 .b8 d[20], .param .f32 e, .param .v4 .f32 f) { ret; }\n");
  const struct ptx_func *f = ptx_find_func(m, "k");
  static const uint64_t offset[] = {0, 8, 16, 32, 52, 64};
  for (unsigned i = 0; i < 6; i++)
    assert_int_equal(f->params[i].offset, offset[i]);
  assert_int_equal(f->param_bytes, 80);
  assert_null(ptx_find_func(m, "nobody"));
  ptx_module_free(m);
}

static void initialisers(void **state) {
  (void)state;
  struct ptx_module *m =
      parse(HEAD ".global .u32 g;\n.global .u16 a[2][3] = {{1, 2}, {3}};\n"
                 ".global .s32 b = -2;\n.global .f32 c[2] = {1.5, 0f40000000};\n"
                 ".global .u64 p[2] = {0, generic(g)+4};\n.global .u8 m = 0xff00(g);\n"
                 ".const .u32 e = 7 / 2 * 10 + (1 << 4) - 3 % 2;\n");
  const struct ptx_var *a = ptx_find_var(m, "a");
  assert_int_equal(a->bytes, 12);
  assert_int_equal(a->init_bytes, 8);
  assert_memory_equal(a->init, "\1\0\2\0\0\0\3\0", 8);
  assert_memory_equal(ptx_find_var(m, "b")->init, "\xfe\xff\xff\xff", 4);
  assert_memory_equal(ptx_find_var(m, "c")->init, "\0\0\xc0\x3f\0\0\0\x40", 8);
  const struct ptx_var *p = ptx_find_var(m, "p");
  assert_int_equal(p->n_relocs, 1);
  assert_int_equal(p->relocs[0].offset, 8);
  assert_int_equal(p->relocs[0].addend, 4);
  assert_true(p->relocs[0].is_generic);
  assert_ptr_equal(p->relocs[0].var, ptx_find_var(m, "g"));
  assert_int_equal(ptx_find_var(m, "m")->relocs[0].mask_byte, 2);
  assert_int_equal(ptx_find_var(m, "e")->init[0], 45);
  assert_null(ptx_find_var(m, "g")->init);
  ptx_module_free(m);
}

static void operands(void **state) {
  (void)state;
  struct ptx_module *m = parse(
      HEAD ".shared .b8 s[64];\n.entry k() {\n.reg .b32 %r<9>; .reg .b64 %d<4>; .reg .f32 %f<4>;"
           ".reg .pred %p<4>; .reg .v4 .f32 v;\n"
           "ld.shared.u32 %r1, [s+8];\nld.global.u32 %r1, [%d1+-4];\nld.shared.u32 %r1, [12];\n"
           "add.f32 %f1, v.y, 1.5;\nsetp.lt.s32 %p1|_, %r1, -1;\nmov.u32 %r2, %tid.y;\n"
           "ld.global.v2.u32 {%r3, _}, [%d1];\n@!%p2 mov.u32 %r8, 4294967295U;\n"
           "add.f64 %d1, %d2, 0f3F800000;\nret;\n}\n");
  const struct ptx_func *f = m->funcs[0];
  const struct ptx_insn *in = f->insns;
  assert_ptr_equal(in[0].opnds[1].var, m->vars[0]);
  assert_int_equal(in[0].opnds[1].imm, 8);
  assert_false(in[0].opnds[1].has_base);
  assert_true(in[1].opnds[1].has_base);
  assert_int_equal((int64_t)in[1].opnds[1].imm, -4);
  assert_null(in[2].opnds[1].var);
  assert_false(in[2].opnds[1].has_base);
  assert_string_equal(f->regs[in[3].opnds[1].reg].name, "v.y");
  assert_int_equal(in[3].opnds[2].kind, PTX_O_f32);
  assert_int_equal(in[3].opnds[2].imm, 0x3fc00000);
  assert_int_equal(in[4].opnds[0].kind, PTX_O_pair);
  assert_int_equal(in[4].opnds[0].elem[1].kind, PTX_O_sink);
  assert_int_equal(in[5].opnds[1].sreg, PTX_SR_tid_y);
  assert_int_equal(in[6].opnds[0].n_elem, 2);
  assert_true(in[7].guarded && in[7].guard_neg);
  assert_string_equal(f->regs[in[7].guard].name, "%p2");
  assert_string_equal(f->regs[in[7].opnds[0].reg].name, "%r8");
  assert_int_equal(in[8].opnds[2].kind, PTX_O_f64);
  assert_int_equal(in[8].opnds[2].imm, 0x3ff0000000000000);
  ptx_module_free(m);
}

static void scopes_hide_names(void **state) {
  (void)state;
  struct ptx_module *m = parse(
      HEAD ".entry k() {\n.reg .b32 %r<5>;\nmov.u32 %r1, 1;\n{ .reg .b64 %r<3>;\n"
           "mov.u64 %r1, 2; mov.u32 %r4, 7; }\nmov.u32 %r1, 3;\n{ .reg .b16 %r1; mov.u16 %r1, 4;\n"
           "L: bra L; }\nL: bra L;\n}\n");
  const struct ptx_func *f = m->funcs[0];
  const struct ptx_insn *in = f->insns;
  assert_int_equal(f->regs[in[0].opnds[0].reg].type, PTX_T_b32);
  assert_int_equal(f->regs[in[1].opnds[0].reg].type, PTX_T_b64);
  assert_int_equal(f->regs[in[2].opnds[0].reg].type, PTX_T_b32);
  assert_int_equal(in[0].opnds[0].reg, in[3].opnds[0].reg);
  assert_int_equal(f->regs[in[4].opnds[0].reg].type, PTX_T_b16);
  assert_int_equal(in[5].opnds[0].label, 5);
  assert_int_equal(in[6].opnds[0].label, 6);
  assert_int_equal(f->n_scopes, 3);
  ptx_module_free(m);
}

static void calls(void **state) {
  (void)state;
  struct ptx_module *m = parse(
      HEAD
      ".func (.param .b32 r) f(.param .b32 a);\n.func none() { ret; }\n"
      ".entry k() {\n.param .b32 x; .param .b32 y;\ncall.uni (x), f, (y);\ncall none;\nret;\n}\n"
      ".func (.param .b32 r) f(.param .b32 a) { ret; }\n");
  const struct ptx_insn *in = ptx_find_func(m, "k")->insns;
  assert_int_equal(m->n_funcs, 3);
  assert_int_equal(m->n_unsupported, 0);
  assert_int_equal(in[0].opnds[0].n_elem, 1);
  assert_ptr_equal(in[0].opnds[1].func, ptx_find_func(m, "f"));
  assert_true(in[0].opnds[1].func->has_body); /* the body came later */
  assert_int_equal(in[0].opnds[2].elem[0].kind, PTX_O_var);
  assert_int_equal(in[1].n_opnds, 3);
  assert_int_equal(in[1].opnds[2].n_elem, 0);
  ptx_module_free(m);
}

static void line_information(void **state) {
  (void)state;
  struct ptx_module *m = parse(HEAD ".file 1 \"x.cu\"\n.entry k() {\n.loc 1 4 5\nret;\n"
                                    ".loc 1 7 2, function_name L, inlined_at 1 4 5\nexit;\n}\n");
  const struct ptx_func *f = m->funcs[0];
  assert_string_equal(m->files[0].name, "x.cu");
  assert_int_equal(f->locs[f->insns[0].loc - 1].line, 4);
  assert_int_equal(f->locs[f->insns[1].loc - 1].line, 7);
  assert_string_equal(f->locs[1].rest, "function_name L, inlined_at 1 4 5");
  ptx_module_free(m);
}

static void unsupported_at_once(void **state) {
  (void)state;
  struct ptx_module *m = parse(HEAD ".func far();\n.entry k() {\n.reg .b16 %h<3>; .reg .b64 "
                                    "%d<3>;\nfma.rn.oob.f16 %h1, %h1, %h2, %h2;\n"
                                    "fma.rn.oob.f16 %h1, %h1, %h2, %h2;\ncall far;\nP: "
                                    ".callprototype _ ();\ncall %d1, (), P;\nret;\n}\n");
  struct ptx_unsupported u[2];
  assert_int_equal(ptx_unsupported(m, u, 2), 2);
  assert_string_equal(u[0].what, "fma.rn.oob.f16");
  assert_int_equal(u[0].count, 2);
  assert_int_equal(u[0].first_line, 7);
  assert_contains(u[1].what, "far");
  ptx_module_free(m);
}

static void columns_count_characters(void **state) {
  (void)state;
  bad(HEAD ".entry k() { /* \xc3\xa4\xc3\xb6 */ foo; }\n", "test:4:23: unknown instruction 'foo'");
}

static void arbitrary_bytes(void **state) {
  (void)state;
  uint32_t seed = 7;
  static const char *const words[] = {HEAD,      ".entry k() {",
                                      "}",       "{",
                                      "(",       "[",
                                      "%r1",     ".reg .b32 %r<3>;",
                                      "add.s32", ",",
                                      ";",       "0x",
                                      "\"",      "/*",
                                      ".loc 1",  "= {",
                                      "L:",      "bra L;",
                                      "@",       "\xff",
                                      "1.5e",    ".global .u32 x"};
  for (int round = 0; round < 3000; round++) {
    char text[1024];
    size_t n = 0;
    for (int w = 0; w < 40 && n < sizeof text - 120; w++) {
      seed = seed * 1664525u + 1013904223u;
      n += (size_t)snprintf(text + n, sizeof text - n, "%s ", words[(seed >> 16) % COUNT(words)]);
    }
    struct ptx_module *m;
    struct ptx_diags d = {0};
    enum weir_status s = ptx_parse(text, n, "noise", &m, &d);
    assert_int_equal(s == WEIR_OK, m != NULL);
    assert_int_equal(s == WEIR_OK, d.n == 0);
    assert_true(d.n <= 20);
    ptx_module_free(m);
    ptx_diags_free(&d);
  }
}

static const char memory_text[] = HEAD
    ".global .u32 g[2] = {1, 2};\n.global .u64 q = g;\n.global .texref t;\n.func (.param .b32 r) "
    "f(.param .b32 a) { "
    "ret; }\n"
    ".entry k(.param .u64 p) {\n.reg .b32 %r<5>; .reg .pred %p<2>; .param .b32 x;\n.loc 1 2 3\n"
    "T: .branchtargets A;\nbrx.idx %r1, T;\n{ call (x), f, (x); }\nA: @%p1 bra A;\n.pragma "
    "\"nounroll\";\n"
    "tex.1d.v4.f32.s32 {%r1, %r2, %r3, %r4}, [t, {%r1}];\nret;\n}\n";

static int parse_and_print(void) {
  struct ptx_module *m;
  struct ptx_diags d = {0};
  enum weir_status s = ptx_parse(memory_text, sizeof memory_text - 1, "memory", &m, &d);
  char *t = m ? ptx_print(m) : NULL;
  int good = s == WEIR_OK && t;
  if (s != WEIR_OK) assert_null(m);
  free(t);
  ptx_module_free(m);
  ptx_diags_free(&d);
  return good;
}

static void out_of_memory(void **state) {
  (void)state;
  assert_true(with_failing_memory(parse_and_print) > 10);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(header),
      cmocka_unit_test(parameter_block),
      cmocka_unit_test(initialisers),
      cmocka_unit_test(operands),
      cmocka_unit_test(scopes_hide_names),
      cmocka_unit_test(calls),
      cmocka_unit_test(line_information),
      cmocka_unit_test(unsupported_at_once),
      cmocka_unit_test(columns_count_characters),
      cmocka_unit_test(arbitrary_bytes),
      cmocka_unit_test(out_of_memory),
  };
  return cmocka_run_group_tests_name("parse", tests, NULL, NULL);
}
