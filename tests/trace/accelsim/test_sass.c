/* What opcodes and their suffixes mean. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "trace/accelsim_sass.h"

static struct weir_sass_line line_of(const char *opcode, unsigned width) {
  return (struct weir_sass_line){.opcode = opcode, .n_opcode = strlen(opcode), .width = width};
}

static const struct meaning {
  const char *opcode;
  unsigned width; /* of the trace */
  uint8_t cls, space, bytes, cache_op, hint, scope;
} meanings[] = {
    {"LDG.E.SYS", 4, WEIR_C_LOAD, WEIR_SP_GLOBAL, 4, WEIR_CO_NONE, WEIR_EV_NONE, 4},
    {"LDG.E.64.STRONG.GPU", 8, WEIR_C_LOAD, WEIR_SP_GLOBAL, 8, WEIR_CO_CG, WEIR_EV_NONE, 3},
    {"LDG.E.STRONG.SYS", 4, WEIR_C_LOAD, WEIR_SP_GLOBAL, 4, WEIR_CO_CV, WEIR_EV_NONE, 4},
    {"LDG.E.STRONG.SM", 4, WEIR_C_LOAD, WEIR_SP_GLOBAL, 4, WEIR_CO_CA, WEIR_EV_NONE, 1},
    {"LDG.E.128.CONSTANT.SYS", 4, WEIR_C_LOAD, WEIR_SP_GLOBAL, 16, WEIR_CO_NC, WEIR_EV_NONE, 4},
    {"LDG.E.CI.U8", 4, WEIR_C_LOAD, WEIR_SP_GLOBAL, 1, WEIR_CO_NC, WEIR_EV_NONE, 0},
    {"LDG.E.EF.S16", 2, WEIR_C_LOAD, WEIR_SP_GLOBAL, 2, WEIR_CO_NONE, WEIR_EV_FIRST, 0},
    {"LDG.E.EL.LTC128B.64", 8, WEIR_C_LOAD, WEIR_SP_GLOBAL, 8, WEIR_CO_NONE, WEIR_EV_LAST, 0},
    {"LDG.E.NA", 4, WEIR_C_LOAD, WEIR_SP_GLOBAL, 4, WEIR_CO_NONE, WEIR_EV_NO_ALLOCATE, 0},
    {"LDG.E.CG", 4, WEIR_C_LOAD, WEIR_SP_GLOBAL, 4, WEIR_CO_CG, WEIR_EV_NONE, 0},
    {"LDGSTS.E.BYPASS.LTC128B.128", 16, WEIR_C_LOAD, WEIR_SP_GLOBAL, 16, WEIR_CO_CG, WEIR_EV_NONE,
     0},
    {"LD.E.64", 8, WEIR_C_LOAD, WEIR_SP_GENERIC, 8, WEIR_CO_NONE, WEIR_EV_NONE, 0},
    {"LDS.U.128", 16, WEIR_C_LOAD, WEIR_SP_SHARED, 16, WEIR_CO_NONE, WEIR_EV_NONE, 0},
    {"LDL.LU", 4, WEIR_C_LOAD, WEIR_SP_LOCAL, 4, WEIR_CO_LU, WEIR_EV_NONE, 0},
    {"LDSM.16.M88.4", 2, WEIR_C_LOAD, WEIR_SP_SHARED, 16, WEIR_CO_NONE, WEIR_EV_NONE, 0},
    {"LDC.64", 0, WEIR_C_MOVE, WEIR_SP_NONE, 0, WEIR_CO_NONE, WEIR_EV_NONE, 0},
    {"LDC.64", 8, WEIR_C_LOAD, WEIR_SP_CONST, 8, WEIR_CO_NONE, WEIR_EV_NONE, 0},
    {"ULDC", 0, WEIR_C_MOVE, WEIR_SP_NONE, 0, WEIR_CO_NONE, WEIR_EV_NONE, 0},
    {"STG.E.EF.64", 8, WEIR_C_STORE, WEIR_SP_GLOBAL, 8, WEIR_CO_NONE, WEIR_EV_FIRST, 0},
    {"STG.E.STRONG.GPU", 4, WEIR_C_STORE, WEIR_SP_GLOBAL, 4, WEIR_CO_CG, WEIR_EV_NONE, 3},
    {"STG.E.STRONG.SYS", 4, WEIR_C_STORE, WEIR_SP_GLOBAL, 4, WEIR_CO_WT, WEIR_EV_NONE, 4},
    {"ST.E", 4, WEIR_C_STORE, WEIR_SP_GENERIC, 4, WEIR_CO_NONE, WEIR_EV_NONE, 0},
    {"STS.U8", 1, WEIR_C_STORE, WEIR_SP_SHARED, 1, WEIR_CO_NONE, WEIR_EV_NONE, 0},
    {"STL.128", 16, WEIR_C_STORE, WEIR_SP_LOCAL, 16, WEIR_CO_NONE, WEIR_EV_NONE, 0},
    {"ATOMG.E.ADD.F64.RN.STRONG.GPU", 4, WEIR_C_ATOM, WEIR_SP_GLOBAL, 8, WEIR_CO_NONE, WEIR_EV_NONE,
     3},
    {"ATOM.E.CAS.64.STRONG.SYS", 8, WEIR_C_ATOM, WEIR_SP_GENERIC, 8, WEIR_CO_NONE, WEIR_EV_NONE, 4},
    {"ATOMS.POPC.INC.32", 4, WEIR_C_ATOM, WEIR_SP_SHARED, 4, WEIR_CO_NONE, WEIR_EV_NONE, 0},
    {"RED.E.ADD.F32.FTZ.RN.STRONG.GPU", 4, WEIR_C_ATOM, WEIR_SP_GENERIC, 4, WEIR_CO_NONE,
     WEIR_EV_NONE, 3},
    {"TEX.SCR.LL", 0, WEIR_C_TEX, WEIR_SP_NONE, 0, WEIR_CO_NONE, WEIR_EV_NONE, 0},
    {"MEMBAR.SC.GPU", 0, WEIR_C_FENCE, WEIR_SP_NONE, 0, WEIR_CO_NONE, WEIR_EV_NONE, 3},
    {"MEMBAR.ALL.CTA", 0, WEIR_C_FENCE, WEIR_SP_NONE, 0, WEIR_CO_NONE, WEIR_EV_NONE, 1},
    {"BAR.SYNC.DEFER_BLOCKING", 0, WEIR_C_BARRIER, WEIR_SP_NONE, 0, WEIR_CO_NONE, WEIR_EV_NONE, 0},
    {"BRA.CONV", 0, WEIR_C_BRANCH, WEIR_SP_NONE, 0, WEIR_CO_NONE, WEIR_EV_NONE, 0},
    {"EXIT", 0, WEIR_C_BRANCH, WEIR_SP_NONE, 0, WEIR_CO_NONE, WEIR_EV_NONE, 0},
    {"FADD.FTZ", 0, WEIR_C_FP32, WEIR_SP_NONE, 0, WEIR_CO_NONE, WEIR_EV_NONE, 0},
    {"FFMA", 0, WEIR_C_FFMA, WEIR_SP_NONE, 0, WEIR_CO_NONE, WEIR_EV_NONE, 0},
    {"FMNMX", 0, WEIR_C_FMAX, WEIR_SP_NONE, 0, WEIR_CO_NONE, WEIR_EV_NONE, 0},
    {"FMUL.FTZ", 0, WEIR_C_FMUL, WEIR_SP_NONE, 0, WEIR_CO_NONE, WEIR_EV_NONE, 0},
    {"HFMA2.MMA", 0, WEIR_C_FFMA, WEIR_SP_NONE, 0, WEIR_CO_NONE, WEIR_EV_NONE, 0},
    {"DADD", 0, WEIR_C_FP64, WEIR_SP_NONE, 0, WEIR_CO_NONE, WEIR_EV_NONE, 0},
    {"DMNMX", 0, WEIR_C_DMAX, WEIR_SP_NONE, 0, WEIR_CO_NONE, WEIR_EV_NONE, 0},
    {"DMUL", 0, WEIR_C_DMUL, WEIR_SP_NONE, 0, WEIR_CO_NONE, WEIR_EV_NONE, 0},
    {"IADD3", 0, WEIR_C_INT, WEIR_SP_NONE, 0, WEIR_CO_NONE, WEIR_EV_NONE, 0},
    {"IMNMX.U32", 0, WEIR_C_IMAX, WEIR_SP_NONE, 0, WEIR_CO_NONE, WEIR_EV_NONE, 0},
    {"IMUL", 0, WEIR_C_IMUL, WEIR_SP_NONE, 0, WEIR_CO_NONE, WEIR_EV_NONE, 0},
    {"DFMA", 0, WEIR_C_DFMA, WEIR_SP_NONE, 0, WEIR_CO_NONE, WEIR_EV_NONE, 0},
    {"IMAD.WIDE.U32", 0, WEIR_C_IMAD, WEIR_SP_NONE, 0, WEIR_CO_NONE, WEIR_EV_NONE, 0},
    {"IADD3.X", 0, WEIR_C_INT, WEIR_SP_NONE, 0, WEIR_CO_NONE, WEIR_EV_NONE, 0},
    {"ISETP.GE.AND", 0, WEIR_C_PRED, WEIR_SP_NONE, 0, WEIR_CO_NONE, WEIR_EV_NONE, 0},
    {"MUFU.RCP", 0, WEIR_C_SFU, WEIR_SP_NONE, 0, WEIR_CO_NONE, WEIR_EV_NONE, 0},
    {"HMMA.16816.F32", 0, WEIR_C_TENSOR, WEIR_SP_NONE, 0, WEIR_CO_NONE, WEIR_EV_NONE, 0},
    {"SHFL.IDX", 0, WEIR_C_WARP, WEIR_SP_NONE, 0, WEIR_CO_NONE, WEIR_EV_NONE, 0},
    {"F2I.TRUNC.NTZ", 0, WEIR_C_CVT, WEIR_SP_NONE, 0, WEIR_CO_NONE, WEIR_EV_NONE, 0},
    {"S2R", 0, WEIR_C_MOVE, WEIR_SP_NONE, 0, WEIR_CO_NONE, WEIR_EV_NONE, 0},
    {"CCTL.IVALL", 0, WEIR_C_OTHER, WEIR_SP_NONE, 0, WEIR_CO_NONE, WEIR_EV_NONE, 0},
    {"CCTL.E.PF2", 4, WEIR_C_OTHER, WEIR_SP_NONE, 0, WEIR_CO_NONE, WEIR_EV_NONE, 0},
};

static void table(void **state) {
  (void)state;
  for (size_t i = 0; i < sizeof meanings / sizeof *meanings; i++) {
    const struct meaning *m = &meanings[i];
    struct weir_sass_line l = line_of(m->opcode, m->width);
    struct weir_static s = {0};
    uint32_t lanes;
    if (weir_sass_decode(&l, NULL, 0, &s, &lanes) != WEIR_SASS_FINE) fail_msg("%s", m->opcode);
    if (s.cls != m->cls || s.space != m->space || s.width != m->bytes ||
        s.cache_op != m->cache_op || s.evict_hint != m->hint || s.scope != m->scope)
      fail_msg("%s: class %d space %d width %d operator %d hint %d scope %d", m->opcode, s.cls,
               s.space, s.width, s.cache_op, s.evict_hint, s.scope);
    assert_int_equal(lanes, UINT32_MAX);
  }
}

static void trouble(void **state) {
  (void)state;
  static const struct {
    const char *opcode;
    unsigned width;
    enum weir_sass_trouble what;
  } cases[] = {
      {"FOO", 0, WEIR_SASS_UNKNOWN},        {"LDGX.E", 4, WEIR_SASS_UNKNOWN},
      {"LDG.E.SOON", 4, WEIR_SASS_UNKNOWN}, {"UTMALDG.2D", 0, WEIR_SASS_UNKNOWN},
      {"LDG.E", 0, WEIR_SASS_NO_ADDRESS},   {"STS", 0, WEIR_SASS_NO_ADDRESS},
      {"FADD", 4, WEIR_SASS_ADDRESS},       {"LDG.E", 12, WEIR_SASS_WIDTH},
      {"LDG.E", 64, WEIR_SASS_WIDTH},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    struct weir_sass_line l = line_of(cases[i].opcode, cases[i].width);
    struct weir_static s = {0};
    uint32_t lanes;
    if (weir_sass_decode(&l, NULL, 0, &s, &lanes) != cases[i].what) fail_msg("%s", cases[i].opcode);
  }
}

static void barriers(void **state) {
  (void)state;
  struct weir_sass_line l = line_of("BAR.SYNC", 0);
  struct weir_static s = {0};
  uint32_t lanes;
  l.has_imm = true;
  l.imm = 3;
  assert_int_equal(weir_sass_decode(&l, NULL, 0, &s, &lanes), WEIR_SASS_FINE);
  assert_int_equal(s.bar_id, 3);
  assert_int_equal(s.scope, 0);
  assert_int_equal(s.bar_warps, 0);
  assert_false(s.bar_arrive);
  l.opcode = "BAR.ARV";
  l.n_opcode = strlen(l.opcode);
  assert_int_equal(weir_sass_decode(&l, NULL, 0, &s, &lanes), WEIR_SASS_FINE);
  assert_true(s.bar_arrive);
  l.imm = 16;
  assert_int_equal(weir_sass_decode(&l, NULL, 0, &s, &lanes), WEIR_SASS_BARRIER_COUNT);
  l.imm = -1;
  assert_int_equal(weir_sass_decode(&l, NULL, 0, &s, &lanes), WEIR_SASS_BARRIER_COUNT);
}

/* The trace names the first register of each operand. */
static void registers(void **state) {
  (void)state;
  static const struct {
    const char *opcode;
    unsigned width;
    int dst, src[3]; /* negative: none */
    unsigned n_dst, n_src;
    uint8_t want_dst[4], want_src[8];
  } cases[] = {
      {"FADD", 0, 1, {2, 3, -1}, 1, 2, {1}, {2, 3}},
      {"MOV", 0, 255, {255, -1, -1}, 0, 0, {0}, {0}},
      {"DFMA", 0, 2, {4, 6, 8}, 2, 6, {2, 3}, {4, 5, 6, 7, 8, 9}},
      {"IMAD.WIDE", 0, 2, {0, 5, 6}, 2, 4, {2, 3}, {0, 5, 6, 7}},
      {"IMAD", 0, 2, {0, 5, 6}, 1, 3, {2}, {0, 5, 6}},
      {"CS2R", 0, 2, {-1, -1, -1}, 2, 0, {2, 3}, {0}},
      {"CS2R.32", 0, 2, {-1, -1, -1}, 1, 0, {2}, {0}},
      {"F2F.F64.F32", 0, 2, {4, -1, -1}, 2, 1, {2, 3}, {4}},
      {"F2F.F32.F64", 0, 2, {4, -1, -1}, 1, 1, {2}, {4}},
      {"LDG.E.128", 16, 4, {2, -1, -1}, 4, 2, {4, 5, 6, 7}, {2, 3}},
      {"LDG.E.U8", 1, 4, {2, -1, -1}, 1, 2, {4}, {2, 3}},
      {"LDG.E", 4, 5, {3, -1, -1}, 1, 1, {5}, {3}}, /* no pair begins there */
      {"LDS.64", 8, 4, {2, -1, -1}, 2, 1, {4, 5}, {2}},
      {"STG.E.128", 16, -1, {2, 8, -1}, 0, 6, {0}, {2, 3, 8, 9, 10, 11}},
      {"STG.E", 4, -1, {2, 255, -1}, 0, 2, {0}, {2, 3}},
      {"STG.E.128", 16, -1, {19, 0, -1}, 0, 5, {0}, {19, 0, 1, 2, 3}},
      {"LDGSTS.E.128", 16, -1, {7, 8, -1}, 0, 3, {0}, {7, 8, 9}},
      {"LDGSTS.E.128", 16, -1, {6, 9, -1}, 0, 2, {0}, {6, 9}},
      {"LDSM.16.M88.2", 2, 4, {2, -1, -1}, 2, 1, {4, 5}, {2}},
      {"LDG.E.128", 16, 253, {2, -1, -1}, 2, 2, {253, 254}, {2, 3}},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    struct weir_sass_line l = line_of(cases[i].opcode, cases[i].width);
    struct weir_static s = {0};
    uint32_t lanes;
    if (cases[i].dst >= 0) l.dst[l.n_dst++] = (uint8_t)cases[i].dst;
    for (int k = 0; k < 3 && cases[i].src[k] >= 0; k++)
      l.src[l.n_src++] = (uint8_t)cases[i].src[k];
    assert_int_equal(weir_sass_decode(&l, NULL, 0, &s, &lanes), WEIR_SASS_FINE);
    if (s.n_dst != cases[i].n_dst || s.n_src != cases[i].n_src) fail_msg("%s", cases[i].opcode);
    for (unsigned k = 0; k < s.n_dst; k++)
      assert_int_equal(s.dst[k], cases[i].want_dst[k]);
    for (unsigned k = 0; k < s.n_src; k++)
      assert_int_equal(s.src[k], cases[i].want_src[k]);
  }
}

static void matrices(void **state) {
  (void)state;
  static const struct {
    const char *opcode;
    uint32_t lanes;
  } cases[] = {{"LDSM.16.M88", 0xff},
               {"LDSM.16.MT88.1", 0xff},
               {"LDSM.16.M88.2", 0xffff},
               {"STSM.16.M88.4", UINT32_MAX}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    struct weir_sass_line l = line_of(cases[i].opcode, 2);
    struct weir_static s = {0};
    uint32_t lanes;
    assert_int_equal(weir_sass_decode(&l, NULL, 0, &s, &lanes), WEIR_SASS_FINE);
    assert_int_equal(s.width, 16);
    assert_int_equal(lanes, cases[i].lanes);
  }
}

static void overrides(void **state) {
  (void)state;
  struct weir_sass_override over[3];
  struct weir_err err;
  struct weir_sass_line l = line_of("FADD.FTZ", 0), m = line_of("NEW.E.64.STRONG.GPU", 4);
  struct weir_static s = {0}, t = {0}, u = {0};
  uint32_t lanes;
  assert_int_equal(weir_sass_override_parse("FADD.FTZ=sfu", &over[0], &err), WEIR_OK);
  assert_int_equal(weir_sass_override_parse("FADD=fp64", &over[1], &err), WEIR_OK);
  assert_int_equal(weir_sass_override_parse("NEW=load", &over[2], &err), WEIR_OK);
  assert_int_equal(weir_sass_decode(&l, over, 3, &s, &lanes), WEIR_SASS_FINE);
  assert_int_equal(s.cls, WEIR_C_SFU);
  assert_int_equal(weir_sass_decode(&m, over, 3, &t, &lanes), WEIR_SASS_FINE);
  assert_int_equal(t.cls, WEIR_C_LOAD);
  assert_int_equal(t.space, WEIR_SP_GENERIC);
  assert_int_equal(t.width, 8);
  assert_int_equal(t.cache_op, WEIR_CO_CG);
  m.width = 0;
  assert_int_equal(weir_sass_decode(&m, over, 3, &u, &lanes), WEIR_SASS_NO_ADDRESS);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(table),     cmocka_unit_test(trouble),  cmocka_unit_test(barriers),
      cmocka_unit_test(registers), cmocka_unit_test(matrices), cmocka_unit_test(overrides),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
