/* Every PTX text of the tree parses, and printing what was parsed gives a text that parses and
 * prints to itself. */
#include <glob.h>
#include <stdio.h>

#include "../base/testing.h"
#include "base/file.h"
#include "ptx/ir.h"

static struct ptx_module *parse(const char *text, size_t len, const char *name) {
  struct ptx_module *m;
  struct ptx_diags d = {0};
  if (ptx_parse(text, len, name, &m, &d) != WEIR_OK) fail_msg("%s", d.n ? d.v[0].msg : name);
  assert_int_equal(d.n, 0);
  return m;
}

/* The printed module says the same as the first: names, sizes, instructions. */
static void same_meaning(const struct ptx_module *a, const struct ptx_module *b) {
  assert_int_equal(a->n_funcs, b->n_funcs);
  assert_int_equal(a->n_vars, b->n_vars);
  for (uint32_t i = 0; i < a->n_vars; i++) {
    const struct ptx_var *x = a->vars[i], *y = b->vars[i];
    assert_string_equal(x->name, y->name);
    assert_int_equal(x->bytes, y->bytes);
    assert_int_equal(x->align, y->align);
    assert_int_equal(x->init_bytes, y->init_bytes);
    if (x->init_bytes) assert_memory_equal(x->init, y->init, x->init_bytes);
    assert_int_equal(x->n_relocs, y->n_relocs);
  }
  for (uint32_t i = 0; i < a->n_funcs; i++) {
    const struct ptx_func *f = a->funcs[i], *g = b->funcs[i];
    assert_string_equal(f->name, g->name);
    assert_int_equal(f->n_insns, g->n_insns);
    assert_int_equal(f->n_regs, g->n_regs);
    assert_int_equal(f->param_bytes, g->param_bytes);
    assert_int_equal(f->cfg.n_blocks, g->cfg.n_blocks);
    for (uint32_t k = 0; k < f->n_insns; k++) {
      assert_int_equal(f->insns[k].op, g->insns[k].op);
      assert_int_equal(f->insns[k].form, g->insns[k].form);
      assert_int_equal(f->insns[k].n_opnds, g->insns[k].n_opnds);
      assert_int_equal(f->insns[k].loc, g->insns[k].loc);
    }
  }
}

static void round_trip(const char *path) {
  char *text;
  size_t len;
  struct weir_err err;
  if (weir_file_read(path, 0, NULL, &text, &len, &err) != WEIR_OK) fail_msg("%s", err.msg);
  struct ptx_module *m = parse(text, len, path);
  char *printed = ptx_print(m);
  assert_non_null(printed);
  struct ptx_module *again = parse(printed, strlen(printed), path);
  char *twice = ptx_print(again);
  assert_non_null(twice);
  assert_string_equal(printed, twice);
  same_meaning(m, again);
  for (uint32_t i = 0; i < m->n_funcs; i++) {
    char *dot = ptx_print_dot(m->funcs[i]);
    assert_non_null(dot);
    free(dot);
  }
  free(text);
  free(printed);
  free(twice);
  ptx_module_free(m);
  ptx_module_free(again);
}

static size_t all_of(const char *pattern) {
  char path[1024];
  const char *root = getenv("WEIR_SOURCE");
  snprintf(path, sizeof path, "%s/%s", root ? root : ".", pattern);
  glob_t g;
  if (glob(path, 0, NULL, &g)) return 0;
  size_t n = g.gl_pathc;
  for (size_t i = 0; i < n; i++)
    round_trip(g.gl_pathv[i]);
  globfree(&g);
  return n;
}

static void corpus(void **state) {
  (void)state;
  assert_true(all_of("tests/ptx/corpus/*.ptx") >= 10);
}

static void workloads(void **state) {
  (void)state;
  assert_true(all_of("workloads/*/*.ptx") >= 1);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(corpus), cmocka_unit_test(workloads)};
  return cmocka_run_group_tests_name("corpus", tests, NULL, NULL);
}
