/* The loads of kernels in PTX: their arrays, their groups, and what is no load. */
#include <stdio.h>

#include "../base/testing.h"
#include "analysis/loads.h"

struct kernel {
  struct ptx_module *module;
  struct ptx_device dev;
  struct ptx_image *image;
  struct ptx_program *prog;
  struct weir_loads loads;
};

static void build(struct kernel *k, const char *params, const char *body, bool go_round) {
  char text[8192];
  int n = snprintf(text, sizeof text,
                   ".version 8.0\n.target sm_75\n.address_size 64\n"
                   ".global .align 4 .f32 table[16];\n"
                   ".func helper() { ret; }\n"
                   ".visible .entry k(%s)\n{\n.reg .pred %%p<4>; .reg .b32 %%r<40>;\n"
                   ".reg .b64 %%rd<40>; .reg .f32 %%f<40>; .shared .align 4 .b8 tile[64];\n%s}\n",
                   params, body);
  struct ptx_diags d = {0};
  struct weir_err err;
  struct ptx_exec_cfg cfg;
  weir_param_defaults(ptx_exec_table, &cfg);
  if (ptx_parse(text, (size_t)n, "loads", &k->module, &d) != WEIR_OK) fail_msg("%s", d.v[0].msg);
  assert_int_equal(ptx_device_init(&k->dev, &cfg, &err), WEIR_OK);
  assert_int_equal(ptx_image_load(&k->dev, k->module, &k->image, &err), WEIR_OK);
  if (ptx_program_build(k->image, "k", &cfg, &k->prog, &err) != WEIR_OK) fail_msg("%s", err.msg);
  if (weir_loads_find(&k->loads, k->prog, go_round, &err) != WEIR_OK) fail_msg("%s", err.msg);
}

static void destroy(struct kernel *k) {
  weir_loads_free(&k->loads);
  ptx_program_free(k->prog);
  ptx_image_free(k->image);
  ptx_device_free(&k->dev);
  ptx_module_free(k->module);
}

/* Loads as "array" or "-" for an unknown one, "!" behind one that is fixed, in their groups:
 * "{a b} {-}". Loads in no group come last. */
static const char *text_of(const struct weir_loads *l) {
  static char text[1024];
  size_t n = 0;
  text[0] = 0;
  for (uint32_t g = 0; g <= l->n_groups; g++) {
    bool is_rest = g == l->n_groups;
    const char *mark = is_rest ? " " : g > 0 ? " {" : "{";
    for (uint32_t i = 0; i < l->n; i++) {
      if (l->v[i].group != (is_rest ? WEIR_NO_GROUP : g)) continue;
      n += (size_t)snprintf(text + n, sizeof text - n, "%s%s%s", mark,
                            l->v[i].array != NULL ? l->v[i].array : "-",
                            l->v[i].is_fixed ? "!" : "");
      mark = " ";
    }
    if (!is_rest) n += (size_t)snprintf(text + n, sizeof text - n, "}");
  }
  return text;
}

static void assert_loads(const char *params, const char *body, const char *want) {
  struct kernel k;
  build(&k, params, body, true);
  assert_string_equal(text_of(&k.loads), want);
  destroy(&k);
}

#define FOUR ".param .u64 A, .param .u64 B, .param .u64 C, .param .u64 D"
#define POINTERS                                                                                   \
  "ld.param.u64 %rd1, [A]; ld.param.u64 %rd2, [B]; ld.param.u64 %rd3, [C]; "                       \
  "ld.param.u64 %rd4, [D];\n"

/* Nine loads of four arrays, two guarded loops, a barrier. */
static const char fixture_body[] =
    POINTERS "ld.global.u32 %r1, [%rd1]; ld.global.u32 %r2, [%rd2];\n"
             "@%p1 bra AFTER1;\n"
             "LOOP1: ld.global.u32 %r3, [%rd3];\n"
             "ld.global.u32 %r4, [%rd3+4]; @%p2 bra LOOP1;\n"
             "AFTER1: ld.global.u32 %r5, [%rd1+4];\n"
             "@%p1 bra AFTER2;\n"
             "LOOP2: ld.global.u32 %r6, [%rd4];\n"
             "ld.global.u32 %r7, [%rd2+4]; @%p2 bra LOOP2;\n"
             "AFTER2: ld.global.u32 %r8, [%rd3+8]; bar.sync 0;\n"
             "ld.global.u32 %r9, [%rd1+8]; ret;\n";

static void fixture(void **state) {
  (void)state;
  struct kernel k;
  build(&k, FOUR, fixture_body, true);
  static const uint32_t group[] = {0, 1, 2, 2, 3, 4, 5, 6, 0};
  assert_int_equal(k.loads.n, 9);
  assert_int_equal(k.loads.n_groups, 7);
  for (uint32_t i = 0; i < 9; i++)
    assert_int_equal(k.loads.v[i].group, group[i]);
  assert_int_equal(weir_loads_in_group(&k.loads, 0), 2);
  assert_int_equal(weir_loads_in_group(&k.loads, 1), 1);
  assert_int_equal(k.loads.v[0].insn, 4);
  assert_int_equal(k.loads.n_insns, ptx_program_n_insns(k.prog));
  assert_int_equal(k.loads.parts[0].graph.n_loops, 2);
  assert_int_equal(k.loads.parts[0].graph.n_round, 2);
  struct weir_text dot = {0};
  weir_loads_dot(&k.loads, &dot);
  assert_contains(dot.v, "digraph \"k\"");
  assert_contains(dot.v, "round a loop");
  assert_contains(dot.v, "barrier");
  weir_text_free(&dot);
  destroy(&k);
  build(&k, FOUR, fixture_body, false);
  assert_string_equal(text_of(&k.loads), "{A A A} {B B} {C C C} {D}");
  destroy(&k);
}

static void arrays(void **state) {
  (void)state;
  /* Through the usual arithmetic; an index that is a parameter does not hide the pointer. */
  assert_loads(FOUR,
               "ld.param.u64 %rd1, [A]; ld.param.u64 %rd5, [B]; cvta.to.global.u64 %rd2, %rd1;\n"
               "mul.wide.u32 %rd3, %r1, 4; add.s64 %rd4, %rd3, %rd2; add.s64 %rd6, %rd4, %rd5;\n"
               "mad.wide.u32 %rd7, %r2, 4, %rd6; mov.u64 %rd8, %rd7; bar.sync 0;\n"
               "ld.global.f32 %f1, [%rd8]; bar.sync 0; ret;\n",
               "{A}");
  /* A pointer that walks. */
  assert_loads(FOUR,
               POINTERS "L: ld.global.f32 %f1, [%rd1]; add.s64 %rd1, %rd1, 4; @%p1 bra L; ret;\n",
               "{A}");
  /* One of two: not told apart, and like no other. */
  assert_loads(FOUR,
               POINTERS "selp.b64 %rd5, %rd1, %rd2, %p1; ld.global.f32 %f1, [%rd5];\n"
                        "ld.global.f32 %f2, [%rd5+4]; ld.global.f32 %f3, [%rd1]; ret;\n",
               "{-} {-} {A}");
  /* One that is loaded; a list that is walked. */
  assert_loads(FOUR,
               POINTERS "ld.global.u64 %rd5, [%rd1]; ld.global.f32 %f1, [%rd5];\n"
                        "L: ld.global.u64 %rd2, [%rd2+8]; @%p1 bra L; ret;\n",
               "{A} {-} {-}");
  /* One that starts in an array, or in a variable, and goes on along a list: by a sum with what was
   * loaded, by a choice, by what a call returned. */
  assert_loads(FOUR,
               POINTERS "cvta.to.global.u64 %rd5, %rd1;\n"
                        "L: ld.global.u64 %rd6, [%rd5]; add.s64 %rd5, %rd6, 8; @%p1 bra L; ret;\n",
               "{-}");
  assert_loads(FOUR,
               "mov.u64 %rd5, table;\nL: ld.global.u64 %rd6, [%rd5]; add.s64 %rd7, %rd6, 8;\n"
               "add.s64 %rd8, %rd6, 16; selp.b64 %rd5, %rd7, %rd8, %p2; @%p1 bra L; ret;\n",
               "{-}");
  assert_loads(FOUR,
               POINTERS "mov.u64 %rd5, table; ld.global.u64 %rd6, [%rd5];\n"
                        "selp.b64 %rd7, %rd5, %rd6, %p1; ld.global.f32 %f1, [%rd7];\n"
                        "atom.global.exch.b64 %rd8, [%rd1], 0; selp.b64 %rd9, %rd8, %rd5, %p1;\n"
                        "ld.global.f32 %f2, [%rd9]; ret;\n",
               "{table} {-} {-}");
  /* One of two of which only one is known to be a pointer. */
  assert_loads(FOUR,
               POINTERS "cvta.to.global.u64 %rd5, %rd1; @%p1 mov.u64 %rd5, %rd2;\n"
                        "ld.global.f32 %f1, [%rd5]; ret;\n",
               "{-}");
  /* A loaded step, known after the sum is seen; none at all instead of a pointer. */
  assert_loads(FOUR,
               POINTERS "bra M;\nL: add.s64 %rd5, %rd7, %rd6; ld.global.f32 %f1, [%rd5]; ret;\n"
                        "M: ld.global.u64 %rd6, [%rd2]; cvta.to.global.u64 %rd7, %rd1; bra L;\n",
               "{A} {B}");
  assert_loads(FOUR,
               POINTERS "cvta.to.global.u64 %rd5, %rd1; @%p1 mov.u64 %rd5, 0;\n"
                        "ld.global.f32 %f1, [%rd5]; ret;\n",
               "{A}");
  /* A loaded offset. */
  assert_loads(FOUR,
               POINTERS "ld.global.u64 %rd5, [%rd1]; add.s64 %rd6, %rd2, %rd5;\n"
                        "ld.global.f32 %f1, [%rd6]; ret;\n",
               "{A} {B}");
  /* Members of a structure; variables. */
  assert_loads(".param .align 8 .b8 s[16]",
               "ld.param.v2.u64 {%rd1, %rd2}, [s]; ld.global.f32 %f1, [%rd1];\n"
               "ld.global.f32 %f2, [%rd2]; ld.global.f32 %f3, [table+8]; mov.u64 %rd3, table;\n"
               "ld.global.f32 %f4, [%rd3]; ret;\n",
               "{s} {s+8} {table table}");
  /* What takes an address apart gives it away. */
  assert_loads(FOUR,
               POINTERS "mov.b64 {%r1, %r2}, %rd1; mov.b64 %rd5, {%r1, %r2};\n"
                        "ld.global.f32 %f1, [%rd5]; ret;\n",
               "{-}");
}

static void what_is_a_load(void **state) {
  (void)state;
  assert_loads(FOUR,
               POINTERS "cvta.shared.u64 %rd6, %rd5; mov.u64 %rd7, tile; cvta.shared.u64 %rd8, "
                        "%rd7;\n"
                        "ld.shared.f32 %f1, [tile]; ld.f32 %f2, [%rd8]; ld.f32 %f3, [%rd1];\n"
                        "ld.global.cg.f32 %f4, [%rd1]; ld.volatile.global.f32 %f5, [%rd1];\n"
                        "ld.global.nc.f32 %f6, [%rd1]; ld.global.L1::no_allocate.f32 %f7, [%rd1];\n"
                        "ld.global.L2::128B.f32 %f8, [%rd1]; ret;\n",
               "{A A A} A! A! A!");
}

static void dead_code_and_calls(void **state) {
  (void)state;
  assert_loads(FOUR,
               POINTERS "ld.global.f32 %f1, [%rd1]; call helper; ld.global.f32 %f2, [%rd1];\n"
                        "bar.sync 0; ret; ld.global.f32 %f3, [%rd1];\n",
               "{A} {A} {A}");
  assert_loads(FOUR, "", "");
}

static int attempt(void) {
  static struct kernel *k;
  struct weir_loads l;
  if (k == NULL) {
    static struct kernel made;
    weir_malloc_fail_after(-1);
    build(&made, FOUR, fixture_body, true);
    k = &made;
    return 0;
  }
  if (weir_loads_find(&l, k->prog, true, NULL) != WEIR_OK) return 0;
  weir_loads_free(&l);
  destroy(k);
  k = NULL;
  return 1;
}

static void out_of_memory(void **state) {
  (void)state;
  assert_true(with_failing_memory(attempt) > 1);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(fixture),        cmocka_unit_test(arrays),
      cmocka_unit_test(what_is_a_load), cmocka_unit_test(dead_code_and_calls),
      cmocka_unit_test(out_of_memory),
  };
  return cmocka_run_group_tests_name("loads", tests, NULL, NULL);
}
