/* Tags that are found once and kept. Argument: the source folder. */
#include "study/prepare.h"

#include <dirent.h>
#include <stdio.h>
#include <unistd.h>

#include "base/file.h"
#include "testing.h"

static const char *source;
static char scratch[] = "/tmp/weir-test-prepare-XXXXXX";

static const struct weir_param_group *const groups[] = {
    &ptx_exec_params, &weir_core_params, &weir_sm_params,   &weir_l1_params,  &weir_noc_params,
    &weir_l2_params,  &weir_l3_params,   &weir_dram_params, &weir_cls_params, NULL};

struct rig {
  struct weir_settings settings;
  struct weir_machine machine;
  struct ptx_exec_cfg exec;
  struct weir_cls_cfg cls;
  char path[512], folder[512];
  struct weir_prepare_request request;
};

static void rig_init(struct rig *r, const char *assignment) {
  struct weir_config c;
  *r = (struct rig){0};
  snprintf(r->path, sizeof r->path, "%s/gpus/fermi-s4.yaml", source);
  assert_int_equal(weir_settings_init(&r->settings, groups, NULL), WEIR_OK);
  assert_int_equal(weir_config_load(&c, r->path, NULL), WEIR_OK);
  assert_int_equal(
      weir_settings_config(&r->settings, WEIR_LAYER_FILE, &c, weir_config_at(&c, "machine"), NULL),
      WEIR_OK);
  weir_config_free(&c);
  if (assignment != NULL)
    assert_int_equal(weir_settings_assign(&r->settings, assignment, NULL), WEIR_OK);
  assert_int_equal(weir_machine_fill(&r->machine, "fermi-s4", &r->settings, NULL), WEIR_OK);
  assert_int_equal(weir_settings_fill(&r->settings, &ptx_exec_params, &r->exec, NULL), WEIR_OK);
  assert_int_equal(weir_settings_fill(&r->settings, &weir_cls_params, &r->cls, NULL), WEIR_OK);
  snprintf(r->path, sizeof r->path, "%s/workloads/gather/gather.yaml", source);
  snprintf(r->folder, sizeof r->folder, "%s/a/b", scratch);
  r->request = (struct weir_prepare_request){.profile = {.path = r->path,
                                                         .exec = &r->exec,
                                                         .machine = &r->machine,
                                                         .cls = &r->cls,
                                                         .jobs = 2},
                                             .settings = &r->settings,
                                             .folder = r->folder};
}

static struct weir_preparation prepared(struct rig *r) {
  struct weir_preparation p;
  struct weir_err err;
  if (weir_prepare(&r->request, &p, &err) != WEIR_OK) fail_msg("%s", err.msg);
  assert_non_null(p.tags);
  assert_int_equal(p.keep_error.code, WEIR_OK);
  return p;
}

static void remove_files(const char *folder) {
  DIR *dir = opendir(folder);
  for (struct dirent *d; dir != NULL && (d = readdir(dir)) != NULL;)
    if (d->d_name[0] != '.') unlinkat(dirfd(dir), d->d_name, 0);
  if (dir != NULL) closedir(dir);
  rmdir(folder);
}

static void kept(void **state) {
  (void)state;
  struct rig r;
  rig_init(&r, NULL);
  struct weir_preparation first = prepared(&r);
  assert_int_equal(first.n_runs, 2);
  assert_false(first.was_kept);
  assert_string_equal(first.input, "profile");
  assert_false(first.is_same_input); /* the first input would be timed */
  struct weir_preparation second = prepared(&r);
  assert_true(second.was_kept);
  assert_int_equal(second.n_runs, 0);
  assert_string_equal(first.key, second.key);
  const uint8_t *a = weir_tags_find(first.tags, "gather", 18);
  const uint8_t *b = weir_tags_find(second.tags, "gather", 18);
  assert_memory_equal(a, b, 18);
  /* One that this study has already. */
  r.request.before = &first;
  r.request.n_before = 1;
  struct weir_preparation third = prepared(&r);
  assert_ptr_equal(third.tags, first.tags);
  assert_null(third.own);
  assert_false(third.was_kept);
  weir_preparation_free(&third);
  weir_preparation_free(&second);
  weir_preparation_free(&first);
  weir_settings_free(&r.settings);
  remove_files(r.folder);
}

/* What tags depend on makes another key, what they do not depend on none. */
static void keys(void **state) {
  (void)state;
  static const struct {
    const char *set;
    bool is_same;
  } cases[] = {
      {NULL, true}, {"cls.high=0.9", false}, {"l1.sets=64", false}, {"exec.wave=32", false}};
  char key[WEIR_PREPARE_KEY] = "";
  for (size_t i = 0; i < COUNT(cases); i++) {
    struct rig r;
    rig_init(&r, cases[i].set);
    struct weir_preparation p = prepared(&r);
    if (i == 0) memcpy(key, p.key, sizeof key);
    assert_int_equal(strcmp(key, p.key) == 0, cases[i].is_same);
    weir_preparation_free(&p);
    /* Which input will be timed does not matter, and is noted. */
    r.request.profile.input = "profile";
    struct weir_preparation same = prepared(&r);
    assert_int_equal(strcmp(key, same.key) == 0, cases[i].is_same);
    assert_true(same.is_same_input && same.was_kept);
    weir_preparation_free(&same);
    weir_settings_free(&r.settings);
    if (i + 1 == COUNT(cases)) remove_files(r.folder);
  }
}

static void damage(void **state) {
  (void)state;
  struct rig r;
  char path[700];
  rig_init(&r, NULL);
  struct weir_preparation p = prepared(&r);
  snprintf(path, sizeof path, "%s/classify-%s.yaml", r.folder, p.key);
  weir_preparation_free(&p);
  assert_int_equal(weir_file_write(path, "weir-tags: 9\n", 13, NULL), WEIR_OK);
  p = prepared(&r);
  assert_int_equal(p.n_runs, 2);
  weir_preparation_free(&p);
  p = prepared(&r);
  assert_true(p.was_kept);
  weir_preparation_free(&p);
  remove_files(r.folder);
  /* Nowhere to keep it: the tags are there all the same. */
  snprintf(r.folder, sizeof r.folder, "/proc/nowhere");
  struct weir_err err;
  assert_int_equal(weir_prepare(&r.request, &p, &err), WEIR_OK);
  assert_non_null(p.tags);
  assert_int_not_equal(p.keep_error.code, WEIR_OK);
  weir_preparation_free(&p);
  r.request.folder = NULL;
  p = prepared(&r);
  assert_int_equal(p.n_runs, 2);
  weir_preparation_free(&p);
  r.request.profile.path = "nowhere.yaml";
  assert_int_equal(weir_prepare(&r.request, &p, &err), WEIR_ENOENT);
  weir_settings_free(&r.settings);
}

int main(int argc, char **argv) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(kept), cmocka_unit_test(keys),
                                     cmocka_unit_test(damage)};
  if (argc < 2 || mkdtemp(scratch) == NULL) return 1;
  source = argv[1];
  setenv("TMPDIR", scratch, 1);
  int failed = cmocka_run_group_tests_name("prepare", tests, NULL, NULL);
  char above[600];
  snprintf(above, sizeof above, "%s/a", scratch);
  rmdir(above);
  rmdir(scratch);
  return failed;
}
