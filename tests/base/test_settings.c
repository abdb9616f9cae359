#include "base/settings.h"
#include "testing.h"

struct exec_cfg {
  int64_t quantum, wave;
};
struct l1_cfg {
  const char *policy;
  int64_t bytes;
};

static const struct weir_param exec_table[] = {
    WEIR_PARAM(exec_cfg, quantum, "32", .min = 1, .max = 1024, .unit = "instr", .help = "turn"),
    WEIR_PARAM(exec_cfg, wave, "160", .min = 1, .max = 4096, .help = "blocks"), WEIR_PARAM_END};
static const struct weir_param l1_table[] = {
    WEIR_PARAM(l1_cfg, policy, "lru", .choices = "lru|srrip", .help = "who goes"),
    WEIR_PARAM(l1_cfg, bytes, "16K", .min = 1024, .max = 1 << 20, .help = "size"), WEIR_PARAM_END};
static const struct weir_param_group exec_group = {"exec", "x", exec_table, sizeof(struct exec_cfg),
                                                   NULL};
static const struct weir_param_group l1_group = {"sm.l1", "x", l1_table, sizeof(struct l1_cfg),
                                                 NULL};
static const struct weir_param_group *const groups[] = {&exec_group, &l1_group, NULL};

static const char file_text[] = "exec:\n  quantum: 64\nsm:\n  l1: {bytes: 32K}\n";

static void layers_win_in_order_and_remember_their_origin(void **state) {
  (void)state;
  struct weir_settings s;
  struct weir_config c;
  char origin[200];
  assert_int_equal(weir_settings_init(&s, groups, NULL), WEIR_OK);
  assert_int_equal(s.n, 4);
  assert_string_equal(weir_settings_find(&s, "exec.quantum")->text, "32");
  assert_string_equal(weir_setting_origin(weir_settings_find(&s, "exec.quantum"), origin, 200),
                      "default");
  assert_int_equal(weir_settings_assign(&s, "exec.quantum=8", NULL), WEIR_OK);
  assert_int_equal(weir_settings_assign(&s, "exec.quantum=9", NULL), WEIR_OK);
  assert_int_equal(weir_config_parse(&c, "u.yaml", file_text, sizeof file_text - 1, NULL), WEIR_OK);
  assert_int_equal(weir_settings_config(&s, WEIR_LAYER_USER, &c, 0, NULL), WEIR_OK);
  assert_int_equal(weir_config_unused(&c, NULL, 0, NULL), WEIR_OK);
  weir_config_free(&c);
  const struct weir_setting *q = weir_settings_find(&s, "exec.quantum");
  assert_string_equal(q->text, "9");
  assert_string_equal(weir_setting_origin(q, origin, sizeof origin), "--set");
  const struct weir_setting *b = weir_settings_find(&s, "sm.l1.bytes");
  assert_string_equal(b->text, "32K");
  assert_string_equal(weir_setting_origin(b, origin, sizeof origin), "u.yaml:4:15");
  struct weir_where where = {.file = "m.yaml", .line = 1, .col = 1};
  assert_int_equal(weir_settings_set(&s, WEIR_LAYER_FILE, "sm.l1.bytes", "64K", &where, NULL),
                   WEIR_OK);
  assert_string_equal(b->text, "32K");
  struct exec_cfg e;
  struct l1_cfg l;
  assert_int_equal(weir_settings_fill(&s, &exec_group, &e, NULL), WEIR_OK);
  assert_int_equal(weir_settings_fill(&s, &l1_group, &l, NULL), WEIR_OK);
  assert_int_equal(e.quantum, 9);
  assert_int_equal(e.wave, 160);
  assert_int_equal(l.bytes, 32768);
  assert_string_equal(l.policy, "lru");
  weir_settings_free(&s);
}

static void a_part_of_a_file_can_be_read(void **state) {
  (void)state;
  static const char text[] = "name: x\nset:\n  exec: {wave: 7}\n  sm: {}\n";
  struct weir_settings s;
  struct weir_config c;
  assert_int_equal(weir_settings_init(&s, groups, NULL), WEIR_OK);
  assert_int_equal(weir_config_parse(&c, "l.yaml", text, sizeof text - 1, NULL), WEIR_OK);
  uint32_t top = weir_config_at(&c, "set");
  assert_int_equal(weir_settings_config(&s, WEIR_LAYER_FILE, &c, top, NULL), WEIR_OK);
  assert_string_equal(weir_settings_find(&s, "exec.wave")->text, "7");
  weir_config_free(&c);
  weir_settings_free(&s);
}

static void mistakes_are_explained(void **state) {
  (void)state;
  static const struct {
    const char *assignment, *says;
    enum weir_status code;
  } cases[] = {
      {"exec.quantum=0", "--set: exec.quantum: '0' is out of range\n  accepted: 1 to 1024 instr",
       WEIR_EINVAL},
      {"exec.quantm=1",
       "--set: there is no parameter 'exec.quantm'\n  did you mean 'exec.quantum'?", WEIR_ENOENT},
      {"wave=1", "did you mean 'exec.wave'?", WEIR_ENOENT},
      {"nothing.like.it=1", "'weir list params' shows all", WEIR_ENOENT},
      {"exec=1", "there is no parameter 'exec'", WEIR_ENOENT},
      {"exec.quantum", "KEY=VALUE", WEIR_EINVAL},
      {"=1", "KEY=VALUE", WEIR_EINVAL},
      {"sm.l1.policy=srip", "did you mean 'srrip'?", WEIR_EINVAL},
  };
  struct weir_settings s;
  struct weir_err err;
  assert_int_equal(weir_settings_init(&s, groups, NULL), WEIR_OK);
  for (size_t i = 0; i < COUNT(cases); i++) {
    assert_int_equal(weir_settings_assign(&s, cases[i].assignment, &err), cases[i].code);
    assert_contains(err.msg, cases[i].says);
  }
  static const char *const files[][2] = {
      {"exec:\n  quntum: 1\n", "f.yaml:2:3: there is no parameter 'exec.quntum'\n    quntum: 1\n"},
      {"exce: {}\n", "f.yaml:1:1: there is no parameter 'exce'\n"},
      {"exec: [1]\n", "exec: expected a single value, found a list"},
      {"exec: {wave: 0}\n", "f.yaml:1:14: exec.wave: '0' is out of range\n"},
  };
  for (size_t i = 0; i < COUNT(files); i++) {
    struct weir_config c;
    assert_int_equal(weir_config_parse(&c, "f.yaml", files[i][0], strlen(files[i][0]), NULL), 0);
    assert_int_not_equal(weir_settings_config(&s, WEIR_LAYER_USER, &c, 0, &err), WEIR_OK);
    assert_contains(err.msg, files[i][1]);
    weir_config_free(&c);
  }
  assert_int_equal(weir_settings_find(&s, "exec.wave")->layer, WEIR_LAYER_DEFAULT);
  weir_settings_free(&s);
}

static int build(void) {
  struct weir_settings s;
  struct weir_where where = {.file = "f.yaml", .line = 1, .col = 1};
  int good = weir_settings_init(&s, groups, NULL) == WEIR_OK &&
             weir_settings_assign(&s, "exec.wave=3", NULL) == WEIR_OK &&
             weir_settings_set(&s, WEIR_LAYER_USER, "exec.quantum", "3", &where, NULL) == WEIR_OK;
  weir_settings_free(&s);
  return good;
}

static void lack_of_memory_is_reported(void **state) {
  (void)state;
  assert_true(with_failing_memory(build) >= 3);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(layers_win_in_order_and_remember_their_origin),
      cmocka_unit_test(a_part_of_a_file_can_be_read),
      cmocka_unit_test(mistakes_are_explained),
      cmocka_unit_test(lack_of_memory_is_reported),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
