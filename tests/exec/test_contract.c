/* Which products and sums are fused. The expectations are what ptxas 13.0 makes for sm_90; kernels
 * compared with an H200 are in tests/contract. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "exec/contract.h"

struct sample {
  const char *body;
  /* The sums that are fused, by their destination: '=' and the product's, '-' in front if it is
   * negated on the way, ' when it is the second operand, * when its factors must be kept. */
  const char *fused;
};

static const char head[] =
    ".version 8.0\n.target sm_90\n.address_size 64\n.const .align 4 .b32 con[4];\n"
    ".visible .entry k(.param .u64 dest) {\n"
    "  .reg .f32 a, b, c, d, e, t, u, v, w, x, y, z; .reg .f64 A, B, C, T, U;\n"
    "  .reg .b16 ha, hb, hc, ht, hu, hv; .reg .b32 pa, pb, pc, pd, pe, pt, pu, pv, pw;\n"
    "  .reg .pred p, q; .reg .u32 i, n; .reg .u64 out;\n  ld.param.u64 out, [dest];\n"
    "  ld.global.v4.f32 {a, b, c, d}, [out]; ld.global.f32 e, [out+16];\n"
    "  ld.global.v2.f64 {A, B}, [out]; ld.global.f64 C, [out+16];\n"
    "  ld.global.v4.b16 {ha, hb, hc, hv}, [out]; ld.global.v4.b32 {pa, pb, pc, pd}, [out];\n"
    "  ld.global.u32 n, [out+32]; ld.global.b32 pe, [out+16]; setp.lt.u32 p, n, 5;\n";
/* A body stores what it computed: S x; is a store of a 32-bit register. */

static char *expand(const char *body) {
  char *text = calloc(1, sizeof head + 40 * strlen(body) + 64);
  assert_non_null(text);
  strcpy(text, head);
  char *at = text + strlen(text);
  for (const char *s = body; *s != '\0'; s++)
    at +=
        s[0] == 'S' && s[1] == ' ' ? sprintf(at, "st.global.b32 [out+64],") : sprintf(at, "%c", *s);
  strcpy(at, "\n  ret;\n}\n");
  return text;
}

static void describe(const struct ptx_func *f, const struct ptx_fused *fused, char *out) {
  const char *start = out;
  out[0] = '\0';
  for (uint32_t i = 0; fused != NULL && i < f->n_insns; i++) {
    if (fused[i].mul == PTX_NOT_FUSED) continue;
    const struct ptx_insn *mul = &f->insns[fused[i].mul];
    assert_int_equal(fused[i].is_copy, fused[fused[i].mul].is_kept);
    out += sprintf(out, "%s%s=%s%s%s%s", out == start ? "" : " ",
                   f->regs[f->insns[i].opnds[0].reg].name, fused[i].is_negated ? "-" : "",
                   f->regs[mul->opnds[0].reg].name, fused[i].is_second ? "'" : "",
                   fused[i].is_copy ? "*" : "");
  }
}

static void check(const struct sample *s) {
  char *text = expand(s->body), got[512];
  struct ptx_module *m;
  struct ptx_diags diags = {0};
  struct weir_arena arena = {0};
  const struct ptx_fused *fused;
  if (ptx_parse(text, strlen(text), "test.ptx", &m, &diags) != WEIR_OK)
    fail_msg("%s: %s", s->body, diags.v[0].msg);
  assert_true(ptx_contract(m->funcs[0], &arena, &fused));
  describe(m->funcs[0], fused, got);
  if (strcmp(got, s->fused) != 0)
    fail_msg("%s\n  fused: %s\n  expected: %s", s->body, got, s->fused);
  weir_arena_free(&arena);
  ptx_module_free(m);
  ptx_diags_free(&diags);
  free(text);
}

#define CHECK(...)                                                                                 \
  do {                                                                                             \
    static const struct sample samples[] = {__VA_ARGS__};                                          \
    (void)state;                                                                                   \
    for (size_t i = 0; i < sizeof samples / sizeof *samples; i++)                                  \
      check(&samples[i]);                                                                          \
  } while (0)

static void signs(void **state) {
  CHECK(
      {"mul.f32 t,a,b; add.f32 u,t,c; S u;", "u=t"}, {"mul.f32 t,a,b; add.f32 u,c,t; S u;", "u=t'"},
      {"mul.f32 t,a,b; sub.f32 u,t,c; S u;", "u=t"}, {"mul.f32 t,a,b; sub.f32 u,c,t; S u;", "u=t'"},
      {"mul.f32 t,a,b; neg.f32 v,t; add.f32 u,v,c; S u;", "u=-t"},
      {"mul.f32 t,a,b; neg.f32 v,t; neg.f32 w,v; sub.f32 u,c,w; S u;", "u=t'"},
      {"mul.f32 t,a,b; abs.f32 v,t; add.f32 u,v,c; S u;", ""},
      {"mul.f32 t,a,a; abs.f32 v,t; add.f32 u,v,c; S u;", "u=t"},
      {"mul.f32 t,a,a; abs.f32 v,t; sub.f32 u,c,v; S u;", ""},
      {"mul.f64 T,A,A; abs.f64 U,T; add.f64 U,U,C; st.global.f64 [out],U;", ""},
      {"mul.f32 t,a,b; mov.b32 i,t; mov.b32 v,i; add.f32 u,v,c; S u;", "u=t"},
      {"mul.bf16x2 pt,pa,pb; neg.bf16x2 pu,pt; add.bf16x2 pv,pu,pc; S pv;", ""},
      {"mul.bf16 ht,ha,hb; neg.bf16 hu,ht; add.bf16 hv,hu,hc; st.global.b16 [out],hv;", "hv=-ht"});
}

static void modifiers(void **state) {
  CHECK({"mul.rn.f32 t,a,b; add.f32 u,t,c; S u;", ""},
        {"mul.f32 t,a,b; add.rn.f32 u,t,c; S u;", ""},
        {"mul.rz.f32 t,a,b; add.f32 u,t,c; S u;", ""},
        {"mul.f32 t,a,b; add.sat.f32 u,t,c; S u;", "u=t"},
        {"mul.sat.f32 t,a,b; add.f32 u,t,c; S u;", ""},
        {"mul.ftz.f32 t,a,b; add.f32 u,t,c; S u;", ""},
        {"mul.f32 t,a,b; add.ftz.f32 u,t,c; S u;", ""},
        {"mul.ftz.f32 t,a,b; add.ftz.f32 u,t,c; S u;", "u=t"},
        {"mul.ftz.f32 t,a,b; neg.f32 v,t; add.ftz.f32 u,v,c; S u;", "u=-t"},
        {"mul.f32 t,a,b; neg.ftz.f32 v,t; add.f32 u,v,c; S u;", ""},
        {"mul.f64 T,A,B; add.f64 U,T,C; st.global.f64 [out],U;", "U=T"},
        {"mul.f16 ht,ha,hb; sub.f16 hu,hc,ht; st.global.b16 [out],hu;", "hu=ht'"},
        {"mul.f16x2 pt,pa,pb; add.f16x2 pu,pt,pc; S pu;", "pu=pt"},
        {"mul.f16x2 pt,pa,pb; add.bf16x2 pu,pt,pc; S pu;", ""});
}

static void readers(void **state) {
  CHECK({"mul.f32 t,a,b; add.f32 u,t,c; S u; S t;", ""},
        {"mul.f32 t,a,b; add.f32 u,t,c; sub.f32 v,d,t; S u; S v;", "u=t v=t'"},
        {"mul.f32 t,a,b; add.f32 u,t,c; mul.f32 v,t,d; S u; S v;", ""},
        {"mul.f32 t,a,b; add.f32 u,t,c; fma.rn.f32 v,d,e,t; S u; S v;", ""},
        {"mul.f32 t,a,b; add.f32 u,t,c; max.f32 v,t,d; S u;", "u=t"}, /* dead code */
        {"mul.f32 t,a,b; add.f32 u,t,t; S u;", ""},
        {"mul.f32 t,a,b; mul.f32 v,a,b; add.f32 u,t,v; S u;", ""},
        {"mul.f32 t,a,b; mul.f32 v,b,a; sub.f32 u,t,v; S u;", "u=t"},
        {"mul.f32 t,a,b; mul.f32 v,a,b; add.f32 u,t,v; add.f32 w,c,v; S u; S w;", ""},
        {"mul.f32 t,a,b; mul.f32 v,a,b; add.f32 u,t,c; S u; S v;", "u=t"});
}

static void candidates(void **state) {
  CHECK({"mul.f32 t,a,b; mul.f32 u,c,d; add.f32 v,t,u; S v;", "v=t"},
        {"mul.f32 t,a,b; mul.f32 u,c,d; add.f32 v,u,t; S v;", "v=u"},
        {"mul.f32 t,a,b; mul.f32 u,c,d; add.f32 v,t,u; S v; S t;", "v=u'"},
        {"mul.f32 t,a,b; mul.f32 u,c,d; add.f32 w,u,e; add.f32 v,t,u; S v; S w;", "v=t"},
        {"mul.f32 t,a,b; mul.f32 u,c,d; add.f32 v,t,u; add.f32 w,t,e; S v; S w;", "v=u'"},
        {"mul.f32 t,a,b; mul.f32 u,c,d; add.f32 v,t,u; sub.f32 w,u,t; S v; S w;", "v=t w=t'"},
        {"mul.f32 t,a,b; mul.f32 u,c,d; mul.f32 v,e,a; add.f32 w,t,u; add.f32 x,u,v; "
         "add.f32 y,v,t; S w; S x; S y;",
         "w=t x=v' y=v"},
        /* packed: one pass, in which readers are counted */
        {"mul.f16x2 pt,pa,pb; mul.f16x2 pu,pc,pd; add.f16x2 pv,pu,pe; add.f16x2 pw,pt,pu; S pv; S "
         "pw;",
         "pv=pu pw=pt"},
        {"mul.f16x2 pt,pa,pb; mul.f16x2 pu,pc,pd; add.f16x2 pv,pt,pe; add.f16x2 pw,pt,pu; S pv; S "
         "pw;",
         "pv=pt pw=pu'"});
}

static void constants(void **state) {
  CHECK({"mul.f32 t,a,b; mul.f32 v,t,0f3F800000; add.f32 u,v,c; S u;", "u=t"},
        {"mul.f32 t,a,b; mul.f32 v,0fBF800000,t; add.f32 u,v,c; S u;", "u=-t"},
        {"mov.f32 w,0f3F800000; mul.f32 t,a,b; mul.f32 v,t,w; add.f32 u,v,c; S u;", "u=t"},
        {"mul.f32 t,a,b; mul.f32 v,t,0f40000000; add.f32 u,v,c; S u;", "u=v"},
        {"mul.f32 t,0f40400000,0f3EAAAAAB; add.f32 u,t,a; S u;", ""},
        {"mov.b16 hv,0x3C00; mul.f16 ht,ha,hb; mul.f16 ht,ht,hv; add.f16 hu,ht,hc; "
         "st.global.b16 [out],hu;",
         "hu=ht"},
        {"mov.b32 pv,0x3C003C00; mul.f16x2 pt,pa,pb; mul.f16x2 pw,pt,pv; add.f16x2 pu,pw,pc; S pu;",
         "pu=pw"});
}

static void blocks(void **state) {
  CHECK(
      {"mul.f32 t,a,b; @p bra L; add.f32 c,t,c; L: S c;", ""},
      {"@p bra L; mul.f32 t,a,b; add.f32 c,t,c; L: S c;", "c=t"},
      {"mul.f32 t,a,b; bra L; L: add.f32 c,t,c; S c;", "c=t"},
      {"mul.f32 t,a,b; add.f32 u,t,c; @p bra L; S t; L: S u;", ""},
      {"mul.f32 t,a,b; @p ret; add.f32 u,t,c; S u;", ""},
      {"mov.u32 i,0; L: mul.f32 t,a,c; add.f32 c,t,b; add.u32 i,i,1; setp.lt.u32 p,i,n; @p bra L; "
       "S c;",
       "c=t"},
      {"mov.u32 i,0; mul.f32 t,a,b; L: add.f32 c,t,c; mul.f32 t,a,c; add.u32 i,i,1; "
       "setp.lt.u32 p,i,n; @p bra L; S c;",
       ""},
      {"mul.f32 t,a,b; membar.gl; add.f32 u,t,c; S u;", ""},
      {"mul.f32 t,a,b; fence.sc.cta; add.f32 u,t,c; S u;", ""},
      {"mul.f32 t,a,b; fence.proxy.async; add.f32 u,t,c; S u;", "u=t"},
      {"mul.f32 t,a,b; membar.proxy.alias; add.f32 u,t,c; S u;", "u=t"},
      {"mul.f32 t,a,b; fence.mbarrier_init.release.cluster; add.f32 u,t,c; S u;", "u=t"},
      {"mul.f32 t,a,b; griddepcontrol.wait; add.f32 u,t,c; S u;", "u=t"},
      {"mul.f32 t,a,b; griddepcontrol.launch_dependents; add.f32 u,t,c; S u;", ""},
      {"mul.f32 t,a,b; bar.sync 0; add.f32 u,t,c; S u;", "u=t"},
      {"mul.f32 t,a,b; div.rn.f32 v,d,e; add.f32 u,t,c; S u; S v;", ""},
      {"mul.f32 t,a,b; div.full.f32 v,d,e; add.f32 u,t,c; S u; S v;", "u=t"},
      {"mul.f32 t,a,b; rem.s32 i,n,7; add.f32 u,t,c; S u; S i;", ""},
      {"mul.f32 t,a,b; rem.u32 i,n,7; add.f32 u,t,c; S u; S i;", "u=t"},
      {"mul.f32 t,a,b; @p st.global.f32 [out],d; add.f32 u,t,c; S u;", ""},
      {"mul.f32 t,a,b; @p shfl.sync.bfly.b32 i,n,1,31,-1; add.f32 u,t,c; S u; S i;", "u=t"},
      {"mul.f32 t,a,b; @p shfl.sync.bfly.b32 n,n,1,31,-1; add.f32 u,t,c; S u; S n;", ""},
      {"mov.u32 i,n; mul.f32 t,a,b; @p shfl.sync.up.b32 i|q,n,1,0,-1; add.f32 u,t,c; S u; S i;",
       ""},
      {"mul.f32 t,a,b; shfl.sync.bfly.b32 n,n,1,31,-1; add.f32 u,t,c; S u; S n;", "u=t"},
      {"mul.f32 t,a,b; @p ld.param.u32 i,[dest]; add.f32 u,t,c; S u; S i;", "u=t"},
      {"mul.f32 t,a,b; @p ld.param.u32 n,[dest]; add.f32 u,t,c; S u; S n;", ""},
      {"mul.f32 t,a,b; @p ld.const.u32 i,[con]; add.f32 u,t,c; S u; S i;", "u=t"},
      {"mul.f32 t,a,b; @p ld.const.u32 n,[con]; add.f32 u,t,c; S u; S n;", ""},
      {"mul.f32 t,a,b; @p ld.global.u32 i,[out]; add.f32 u,t,c; S u; S i;", ""},
      {"mul.f32 t,a,b; @p vote.sync.ballot.b32 i,p,-1; add.f32 u,t,c; S u; S i;", ""},
      {"mul.f32 t,a,b; st.global.f32 [out],d; add.f32 u,t,c; S u;", "u=t"});
}

static void guards(void **state) {
  CHECK({"mul.f32 t,a,b; @p add.f32 c,t,c; S c;", "c=t"},
        {"mul.f32 t,a,b; @p add.f32 t,t,c; S t;", ""},
        {"@p mul.f32 a,a,b; add.f32 u,a,c; S u;", ""},
        {"mul.f32 t,a,b; @p add.f32 c,t,c; @!p sub.f32 d,t,d; S c; S d;", "c=t d=t"},
        {"mul.f32 t,a,b; selp.f32 v,t,c,p; add.f32 u,v,d; S u;", ""},
        {"mul.f32 t,a,b; @p mov.f32 t,e; add.f32 u,t,c; S u;", ""});
}

/* Registers that are written again: the factors are those that the product had. */
static void overwritten(void **state) {
  CHECK({"mul.f32 a,a,b; add.f32 c,a,c; S c;", "c=a*"},
        {"mul.f32 t,a,b; mov.f32 a,d; add.f32 u,t,c; S u; S a;", "u=t*"},
        {"mul.f32 t,a,b; @p mov.f32 b,d; add.f32 u,t,c; S u; S b;", "u=t*"},
        {"mul.f32 t,a,b; mov.f32 c,d; add.f32 u,t,c; S u;", "u=t"},
        {"mul.f32 t,a,b; add.f32 u,t,c; mul.f32 t,c,d; add.f32 v,t,e; S u; S v;", "u=t v=t"});
}

static void debug_target(void **state) {
  (void)state;
  char *text = expand("mul.f32 t,a,b; add.f32 u,t,c; S u;");
  static char debug[4096];
  const char *at = strstr(text, "sm_90") + 5;
  snprintf(debug, sizeof debug, "%.*s, debug%s", (int)(at - text), text, at);
  struct ptx_module *m;
  struct ptx_diags diags = {0};
  struct weir_arena arena = {0};
  const struct ptx_fused *fused;
  assert_int_equal(ptx_parse(debug, strlen(debug), "test.ptx", &m, &diags), WEIR_OK);
  assert_true(ptx_contract(m->funcs[0], &arena, &fused));
  assert_null(fused);
  weir_arena_free(&arena);
  ptx_module_free(m);
  free(text);
}

static void out_of_memory(void **state) {
  (void)state;
  char *text = expand("mul.f32 t,a,b; add.f32 u,t,c; S u;");
  struct ptx_module *m;
  struct ptx_diags diags = {0};
  assert_int_equal(ptx_parse(text, strlen(text), "test.ptx", &m, &diags), WEIR_OK);
  bool ok = false;
  for (long n = 0; !ok; n++) {
    struct weir_arena arena = {0};
    const struct ptx_fused *fused;
    assert_true(n < 100);
    weir_malloc_fail_after(n);
    ok = ptx_contract(m->funcs[0], &arena, &fused);
    weir_malloc_fail_after(-1);
    assert_true(ok || n < 99);
    weir_arena_free(&arena);
  }
  ptx_module_free(m);
  free(text);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(signs),        cmocka_unit_test(modifiers),   cmocka_unit_test(readers),
      cmocka_unit_test(candidates),   cmocka_unit_test(constants),   cmocka_unit_test(blocks),
      cmocka_unit_test(guards),       cmocka_unit_test(overwritten), cmocka_unit_test(debug_target),
      cmocka_unit_test(out_of_memory)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
