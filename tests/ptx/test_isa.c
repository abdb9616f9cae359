/* isa.def: the table is sound, and every row parses from examples made of it. */
#include <stdio.h>

#include "../base/testing.h"
#include "isa_examples.h"

static void table_is_sound(void **state) {
  (void)state;
  const char *problem = ptx_isa_check();
  if (problem) fail_msg("isa.def: near \"%s\"", problem);
}

static void every_opcode_has_a_row(void **state) {
  (void)state;
  for (unsigned op = 0; op < PTX_N_OPS; op++) {
    size_t n;
    ptx_forms_of((enum ptx_op)op, &n);
    if (!n) fail_msg("'%s' has no row", ptx_op_name((enum ptx_op)op));
  }
}

static void names_are_found(void **state) {
  (void)state;
  for (unsigned m = 1; m < PTX_N_MODS; m++) {
    const char *s = ptx_mod_name((enum ptx_mod)m);
    assert_int_equal(ptx_mod_find(s, strlen(s)), m);
  }
  for (unsigned i = 0; i < PTX_N_SREGS; i++) {
    const char *s = ptx_sreg_name((enum ptx_sreg)i);
    assert_int_equal(ptx_sreg_find(s, strlen(s)), i);
  }
  assert_int_equal(ptx_op_find("nonsense", 8), PTX_N_OPS);
  assert_int_equal(ptx_mod_find("", 0), PTX_M_none);
}

static void every_row_parses(void **state) {
  (void)state;
  char insn[512];
  static char text[2048];
  unsigned examples = 0;
  for (size_t row = 0; row < ptx_n_forms(); row++) {
    for (unsigned k = 0; isa_example(row, k, insn, sizeof insn); k++, examples++) {
      if (!insn[0]) continue;
      int n = snprintf(text, sizeof text, "%s  %s\n%s", isa_prologue, insn, isa_epilogue);
      struct ptx_module *m;
      struct ptx_diags d = {0};
      if (ptx_parse(text, (size_t)n, "example", &m, &d) != WEIR_OK)
        fail_msg("row %zu: %s\n%s", row, insn, d.v[0].msg);
      const struct ptx_insn *in = &m->funcs[1]->insns[0];
      /* Another row may match first only if it means the same. */
      const struct ptx_form *want = ptx_form(row), *got = ptx_form(in->form);
      if (got != want && (got->exec != want->exec || got->cls != want->cls ||
                          strcmp(got->operands, want->operands)))
        fail_msg("%s matches row %u (%s %s) instead of row %zu (%s %s)", insn, in->form,
                 got->syntax, got->operands, row, want->syntax, want->operands);
      assert_int_equal(m->n_unsupported, got->exec ? 0 : 1);
      char *back = ptx_print_insn(m->funcs[1], in);
      assert_non_null(back);
      assert_string_equal(back, insn);
      free(back);
      ptx_module_free(m);
      ptx_diags_free(&d);
    }
  }
  assert_true(examples > 5000);
}

static void modifiers_in_any_order(void **state) {
  (void)state;
  const uint16_t mods[] = {PTX_M_add, PTX_M_global, PTX_M_gpu, PTX_M_relaxed, PTX_M_u32};
  const uint16_t twice[] = {PTX_M_add, PTX_M_add, PTX_M_u32};
  bool found = false;
  size_t n;
  const uint16_t *rows = ptx_forms_of(PTX_OP_atom, &n);
  for (size_t i = 0; i < n; i++) {
    found |= ptx_form_matches(ptx_form(rows[i]), mods, 5, true);
    assert_false(ptx_form_matches(ptx_form(rows[i]), mods, 5, false));
    assert_false(ptx_form_matches(ptx_form(rows[i]), twice, 3, true));
  }
  assert_true(found);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(table_is_sound),         cmocka_unit_test(every_opcode_has_a_row),
      cmocka_unit_test(names_are_found),        cmocka_unit_test(every_row_parses),
      cmocka_unit_test(modifiers_in_any_order),
  };
  return cmocka_run_group_tests_name("isa", tests, NULL, NULL);
}
