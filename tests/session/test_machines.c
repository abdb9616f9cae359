/* The machines of gpus/: every value that has an effect says where it comes from. */
#include "session/data.h"
#include "session/effects.h"
#include "session/groups.h"
#include "testing.h"

static bool is_machines(const struct weir_param_group *g) {
  static const char *const prefixes[] = {"core", "sm", "l1", "noc", "l2", "l3", "dram"};
  for (size_t i = 0; i < sizeof prefixes / sizeof *prefixes; i++)
    if (strcmp(g->prefix, prefixes[i]) == 0) return true;
  return false;
}

/* A default is nobody's word for this machine, whatever its row says; but a machine that says
 * nothing of a mechanism does not have it. */
static bool has_source(const struct weir_setting *v) {
  if (weir_setting_is_off(v)) return true;
  return v->derived != NULL || (v->layer == WEIR_LAYER_FILE && v->kind != WEIR_BY_NOBODY);
}

static unsigned check(const char *gpu) {
  struct weir_settings s;
  struct weir_machine m;
  struct weir_err err;
  struct weir_setup any_scheme = {0};
  struct weir_fact table[WEIR_N_FACTS + 1];
  struct weir_facts facts = weir_facts_of(&(struct weir_use){.setup = &any_scheme}, table);
  unsigned n_silent = 0;
  assert_int_equal(weir_settings_init(&s, weir_param_groups(), &err), WEIR_OK);
  assert_int_equal(weir_data_machine(&s, gpu, &err), WEIR_OK);
  assert_int_equal(weir_machine_fill(&m, gpu, &s, &err), WEIR_OK);
  assert_int_equal(weir_machine_settle(&m, &s, &err), WEIR_OK);
  for (size_t i = 0; i < s.n; i++) {
    const struct weir_setting *v = &s.v[i];
    if (!is_machines(v->group) || has_source(v) || !weir_has_effect(&s, v, &facts, NULL)) continue;
    n_silent++;
    print_error("gpus/%s.yaml does not say where %s.%s=%s comes from\n", gpu, v->group->prefix,
                v->param->name, v->text);
  }
  weir_settings_free(&s);
  return n_silent;
}

static void every_value_has_a_source(void **state) {
  (void)state;
  struct weir_arena a = {0};
  const char *const *names;
  size_t n;
  unsigned n_silent = 0;
  assert_int_equal(weir_data_gpus(&a, &names, &n, NULL), WEIR_OK);
  assert_true(n >= 11);
  for (size_t i = 0; i < n; i++)
    n_silent += check(names[i]);
  weir_arena_free(&a);
  assert_int_equal(n_silent, 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(every_value_has_a_source)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
