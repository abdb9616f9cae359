/* What is made once and kept: tags, and the rows of a policy. Argument: the source folder. */
#include "study/prepare.h"

#include <dirent.h>
#include <stdio.h>
#include <unistd.h>

#include "base/file.h"
#include "session/data.h"
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
  struct weir_preparations all;
};

static void rig_init(struct rig *r, const char *assignment) {
  *r = (struct rig){0};
  snprintf(r->path, sizeof r->path, "%s/gpus/fermi-s4.yaml", source);
  assert_int_equal(weir_settings_init(&r->settings, groups, NULL), WEIR_OK);
  assert_int_equal(weir_data_machine(&r->settings, r->path, NULL), WEIR_OK);
  if (assignment != NULL)
    assert_int_equal(weir_settings_assign(&r->settings, assignment, NULL), WEIR_OK);
  assert_int_equal(weir_machine_fill(&r->machine, "fermi-s4", &r->settings, NULL), WEIR_OK);
  assert_int_equal(weir_settings_fill(&r->settings, &ptx_exec_params, &r->exec, NULL), WEIR_OK);
  assert_int_equal(weir_settings_fill(&r->settings, &weir_cls_params, &r->cls, NULL), WEIR_OK);
  snprintf(r->path, sizeof r->path, "%s/workloads/gather/gather.yaml", source);
  snprintf(r->folder, sizeof r->folder, "%s/a/b", scratch);
  r->request = (struct weir_prepare_request){.name = WEIR_PREPARE_CLASSIFY,
                                             .profile = {.path = r->path,
                                                         .exec = &r->exec,
                                                         .machine = &r->machine,
                                                         .cls = &r->cls,
                                                         .jobs = 2},
                                             .settings = &r->settings,
                                             .folder = r->folder};
}

static void rig_free(struct rig *r) {
  weir_preparations_free(&r->all);
  weir_settings_free(&r->settings);
}

/* As a command that begins anew would. */
static void forget(struct rig *r) {
  weir_preparations_free(&r->all);
}

static const struct weir_preparation *prepared(struct rig *r) {
  const struct weir_preparation *p;
  struct weir_err err;
  if (weir_prepare(&r->all, &r->request, &p, &err) != WEIR_OK) fail_msg("%s", err.msg);
  assert_int_equal(p->keep_error.code, WEIR_OK);
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
  char key[WEIR_PREPARE_KEY];
  uint8_t tags[18];
  rig_init(&r, NULL);
  const struct weir_preparation *p = prepared(&r);
  assert_int_equal(p->n_runs, 2);
  assert_false(p->was_kept);
  assert_string_equal(p->input, "profile");
  assert_false(p->is_same_input); /* the first input would be timed */
  /* One that this study has already. */
  assert_ptr_equal(prepared(&r), p);
  assert_int_equal(r.all.n, 1);
  memcpy(key, p->key, sizeof key);
  memcpy(tags, weir_tags_find(p->tags, "gather", 18), sizeof tags);
  forget(&r);
  p = prepared(&r);
  assert_true(p->was_kept);
  assert_int_equal(p->n_runs, 0);
  assert_string_equal(p->key, key);
  assert_memory_equal(weir_tags_find(p->tags, "gather", 18), tags, sizeof tags);
  rig_free(&r);
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
    const struct weir_preparation *p = prepared(&r);
    if (i == 0) memcpy(key, p->key, sizeof key);
    assert_int_equal(strcmp(key, p->key) == 0, cases[i].is_same);
    forget(&r);
    /* Which input will be timed does not matter, and is noted. */
    r.request.profile.input = "profile";
    p = prepared(&r);
    assert_int_equal(strcmp(key, p->key) == 0, cases[i].is_same);
    assert_true(p->is_same_input && p->was_kept);
    rig_free(&r);
    if (i + 1 == COUNT(cases)) remove_files(r.folder);
  }
}

/* The other way to tags, beside the first in one folder. */
static void traffic(void **state) {
  (void)state;
  struct rig r;
  char path[700], key[WEIR_PREPARE_KEY];
  rig_init(&r, NULL);
  memcpy(key, prepared(&r)->key, sizeof key);
  r.request.name = WEIR_PREPARE_TRAFFIC;
  const struct weir_preparation *p = prepared(&r);
  assert_int_equal(r.all.n, 2);
  assert_int_equal(p->n_runs, 3); /* two loads, and none of them */
  assert_string_not_equal(p->key, key);
  assert_string_equal(p->name, "traffic");
  const uint8_t *tags = weir_tags_find(p->tags, "gather", 18);
  assert_int_equal(tags[17], WEIR_TAG_CG); /* a line for a word that nobody needs again */
  snprintf(path, sizeof path, "%s/traffic-%s.yaml", r.folder, p->key);
  assert_int_equal(access(path, R_OK), 0);
  forget(&r);
  p = prepared(&r);
  assert_true(p->was_kept);
  assert_int_equal(weir_tags_find(p->tags, "gather", 18)[17], WEIR_TAG_CG);
  rig_free(&r);
  remove_files(r.folder);
}

static void damage(void **state) {
  (void)state;
  struct rig r;
  struct weir_err err;
  char path[700];
  rig_init(&r, NULL);
  const struct weir_preparation *p = prepared(&r);
  snprintf(path, sizeof path, "%s/classify-%s.yaml", r.folder, p->key);
  assert_int_equal(weir_file_write(path, "weir-tags: 9\n", 13, NULL), WEIR_OK);
  forget(&r);
  assert_int_equal(prepared(&r)->n_runs, 2);
  forget(&r);
  assert_true(prepared(&r)->was_kept);
  forget(&r);
  remove_files(r.folder);
  /* Nowhere to keep it: the tags are there all the same. */
  snprintf(r.folder, sizeof r.folder, "/proc/nowhere");
  assert_int_equal(weir_prepare(&r.all, &r.request, &p, &err), WEIR_OK);
  assert_non_null(p->tags);
  assert_int_not_equal(p->keep_error.code, WEIR_OK);
  forget(&r);
  r.request.folder = NULL;
  assert_int_equal(prepared(&r)->n_runs, 2);
  forget(&r);
  r.request.profile.path = "nowhere.yaml";
  assert_int_equal(weir_prepare(&r.all, &r.request, &p, &err), WEIR_ENOENT);
  assert_int_equal(r.all.n, 0);
  rig_free(&r);
}

/* ---- rows ---- */

enum { INSNS = 64 };
struct watched {
  uint64_t loads[INSNS];
};

static void watch_begin(struct weir_policy *p, const struct weir_kernel *k) {
  (void)k;
  memset(weir_state_edit(p), 0, sizeof(struct watched));
}
static void watch_lookup(struct weir_policy *p, const struct weir_access *a, struct weir_set set,
                         int way, enum weir_outcome outcome) {
  (void)set, (void)way, (void)outcome;
  if (a->op == WEIR_LOAD && a->insn < INSNS)
    ((struct watched *)weir_state_edit(p))->loads[a->insn]++;
}
/* Of each instruction, and of the SM. */
static bool watch_row(const struct weir_policy *p, uint32_t i, struct weir_row *row) {
  const struct watched *w = weir_state_peek(p);
  if (i > INSNS) return false;
  row->key = i < INSNS ? i : 1000 + weir_geometry(p)->sm;
  for (uint32_t k = 0; k < INSNS; k++)
    row->v[0] += i < INSNS && k != i ? 0 : w->loads[k];
  row->v[1] = 1;
  if (i == INSNS) row->kernel = 0;
  return true;
}
static size_t watch_digest(const struct weir_policy *p, struct weir_row *rows, size_t n) {
  size_t kept = 0;
  for (size_t i = 1; i < n; i++)
    assert_true(rows[i - 1].kernel < rows[i].kernel ||
                (rows[i - 1].kernel == rows[i].kernel && rows[i - 1].key < rows[i].key));
  assert_int_equal(weir_geometry(p)->sm, 0);
  for (size_t i = 0; i < n; i++)
    if (rows[i].v[0] > 0) rows[kept++] = rows[i];
  return kept;
}
static bool endless_row(const struct weir_policy *p, uint32_t i, struct weir_row *row) {
  (void)p, (void)row;
  return i != UINT32_MAX;
}

static const struct weir_policy_ops watcher = {.part = {.abi = WEIR_POLICY_ABI,
                                                        .name = "watcher",
                                                        .help = "counts loads",
                                                        .state_bytes = sizeof(struct watched),
                                                        .kernel_begin = watch_begin},
                                               .lookup = watch_lookup,
                                               .row = watch_row,
                                               .digest = watch_digest};
static const struct weir_policy_ops endless = {
    .part = {.abi = WEIR_POLICY_ABI, .name = "endless", .help = "its rows never end"},
    .row = endless_row};

static void rows_rig(struct rig *r, const char *name, struct weir_setup *setup) {
  rig_init(r, NULL);
  *setup = (struct weir_setup){.machine = r->machine};
  r->request.name = name;
  r->request.setup = setup;
}

/* What SMs yield is added up; with more threads, or from the folder, it is the same. */
static void rows_kept(void **state) {
  (void)state;
  struct rig r;
  struct weir_setup setup;
  char path[700];
  rows_rig(&r, "watcher", &setup);
  const struct weir_preparation *p = prepared(&r);
  uint64_t by_pc = 0, by_sm = 0, kernel = p->rows.v[p->rows.n - 1].kernel;
  assert_int_equal(p->n_runs, 1);
  assert_null(p->tags);
  assert_int_not_equal(kernel, 0);
  for (size_t i = 0; i < p->rows.n; i++) {
    const struct weir_row *row = &p->rows.v[i];
    assert_ptr_equal(weir_find_row(p->rows.v, p->rows.n, row->kernel, row->key), row);
    if (row->kernel != 0) assert_int_equal(row->v[1], r.machine.sm.count);
    *(row->kernel != 0 ? &by_pc : &by_sm) += row->v[0];
  }
  assert_int_equal(by_pc, by_sm);
  assert_true(by_pc > 0);
  assert_null(weir_find_row(p->rows.v, p->rows.n, kernel, 999));
  assert_null(weir_find_row(NULL, 0, kernel, 1));
  size_t n = p->rows.n;
  struct weir_row *copy = malloc(n * sizeof *copy);
  memcpy(copy, p->rows.v, n * sizeof *copy);
  snprintf(path, sizeof path, "%s/watcher-%s.rows", r.folder, p->key);
  for (unsigned i = 0; i < 3; i++) {
    forget(&r);
    r.request.profile.jobs = 1 + i;
    if (i == 1) assert_int_equal(unlink(path), 0);
    if (i == 2) assert_int_equal(weir_file_write(path, "weir-rows 1 1 x\n", 16, NULL), WEIR_OK);
    p = prepared(&r);
    assert_int_equal(p->was_kept, i == 0);
    assert_int_equal(p->rows.n, n);
    assert_memory_equal(p->rows.v, copy, n * sizeof *copy);
  }
  free(copy);
  rig_free(&r);
  remove_files(r.folder);
}

static void rows_end(void **state) {
  (void)state;
  struct rig r;
  struct weir_setup setup;
  struct weir_err err;
  const struct weir_preparation *p;
  rows_rig(&r, "endless", &setup);
  assert_int_equal(weir_prepare(&r.all, &r.request, &p, &err), WEIR_EBUG);
  assert_non_null(strstr(err.msg, "policy endless: 'row' does not come to an end"));
  rig_free(&r);
}

static bool stop(void *self) {
  (void)self;
  return true;
}
static void rows_stopped(void **state) {
  (void)state;
  struct rig r;
  struct weir_setup setup;
  struct weir_err err;
  const struct weir_preparation *p;
  rows_rig(&r, "watcher", &setup);
  r.request.profile.is_stopped = stop;
  assert_int_equal(weir_prepare(&r.all, &r.request, &p, &err), WEIR_ELIMIT);
  rig_free(&r);
  assert_int_not_equal(access(r.folder, F_OK), 0); /* nothing is kept, and nothing is left */
}

int main(int argc, char **argv) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(kept),        cmocka_unit_test(keys),
                                     cmocka_unit_test(traffic),     cmocka_unit_test(damage),
                                     cmocka_unit_test(rows_kept),   cmocka_unit_test(rows_end),
                                     cmocka_unit_test(rows_stopped)};
  if (argc < 2 || mkdtemp(scratch) == NULL) return 1;
  source = argv[1];
  setenv("TMPDIR", scratch, 1);
  if (!weir_policy_add(&watcher, NULL) || !weir_policy_add(&endless, NULL)) return 1;
  int failed = cmocka_run_group_tests_name("prepare", tests, NULL, NULL);
  char above[600];
  snprintf(above, sizeof above, "%s/a", scratch);
  rmdir(above);
  rmdir(scratch);
  return failed;
}
