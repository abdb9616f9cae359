/* Hints and carve-outs by search, on small workloads. Argument: the source folder. */
#include "study/advise.h"

#include <dirent.h>
#include <stdio.h>
#include <unistd.h>

#include "base/settings.h"
#include "session/data.h"
#include "session/groups.h"
#include "testing.h"

static const char *source;
static char scratch[] = "/tmp/weir-test-advise-XXXXXX"; /* where trials put their folders */

struct rig {
  struct weir_settings settings;
  struct weir_setup setup;
  struct ptx_exec_cfg exec;
  struct weir_cls_cfg cls;
  char path[512], gpu[512];
  struct weir_advise_request request;
  uint32_t n_progress, most, stop_after;
};

static void note_progress(void *self, uint32_t done, uint32_t most) {
  struct rig *r = self;
  assert_true(done <= most || most == 0);
  r->n_progress++;
  r->most = most;
}

static bool is_stopped(void *self) {
  const struct rig *r = self;
  return r->stop_after > 0 && r->n_progress >= r->stop_after;
}

static void rig_init(struct rig *r, const char *workload, const char *gpu, const char *assignment) {
  struct weir_line_up line_up = {.scheme = "baseline"};
  struct weir_err err;
  *r = (struct rig){0};
  snprintf(r->gpu, sizeof r->gpu, "%s/gpus/%s.yaml", source, gpu);
  snprintf(r->path, sizeof r->path, "%s/workloads/%s/%s.yaml", source, workload, workload);
  assert_int_equal(weir_settings_init(&r->settings, weir_param_groups(), NULL), WEIR_OK);
  assert_int_equal(weir_data_machine(&r->settings, r->gpu, NULL), WEIR_OK);
  if (assignment != NULL)
    assert_int_equal(weir_settings_assign(&r->settings, assignment, NULL), WEIR_OK);
  if (weir_setup_open(&r->setup, r->gpu, &line_up, &r->settings, false, &err) != WEIR_OK)
    fail_msg("%s", err.msg);
  assert_int_equal(weir_settings_fill(&r->settings, &ptx_exec_params, &r->exec, NULL), WEIR_OK);
  weir_param_defaults(weir_cls_params.table, &r->cls);
  r->request = (struct weir_advise_request){.what = {.path = r->path,
                                                     .input = "test",
                                                     .exec = &r->exec,
                                                     .cls = &r->cls,
                                                     .jobs = 2,
                                                     .check = true,
                                                     .progress = note_progress,
                                                     .is_stopped = is_stopped,
                                                     .self = r},
                                            .setup = &r->setup,
                                            .trials = 12,
                                            .repeats = 2,
                                            .least = 0.01};
}

static void rig_free(struct rig *r) {
  weir_setup_free(&r->setup);
  weir_settings_free(&r->settings);
  DIR *dir = opendir(scratch);
  assert_non_null(dir);
  for (struct dirent *d; (d = readdir(dir)) != NULL;)
    if (d->d_name[0] != '.') fail_msg("%s is left over", d->d_name);
  closedir(dir);
}

static void advise(struct rig *r, struct weir_advised *a) {
  struct weir_err err;
  if (weir_advise_run(&r->request, a, &err) != WEIR_OK) fail_msg("%s", err.msg);
}

/* Five copies of one load go past the L1 together, and each repeat is faster. */
static void copies(void **state) {
  (void)state;
  struct rig r;
  struct weir_advised a;
  rig_init(&r, "transpose", "fermi-s4", NULL);
  advise(&r, &a);
  assert_int_equal(a.profile.n_loads, 5);
  assert_int_equal(a.n_trials, 3); /* as it is, all, and the one load */
  assert_int_equal(a.n_kept, 1);
  assert_int_equal(weir_advised_hints(&a), 5);
  for (uint32_t i = 0; i < 5; i++) {
    assert_int_equal(a.loads[i].unit, 0);
    assert_int_equal(a.loads[i].hint, WEIR_HINT_CG);
    assert_true(a.loads[i].is_tried && a.loads[i].alone > 1);
  }
  assert_int_equal(a.n_repeats, 2);
  for (uint32_t i = 0; i < 2; i++)
    assert_true(a.after[i] < a.before[i]);
  assert_true(a.before[0] != a.before[1]); /* seeds differ */
  assert_int_equal(a.kernels[0].carveout, 0);
  assert_true(a.kernels[0].best < a.kernels[0].cycles);
  weir_advised_drop(&a);
  assert_int_equal(weir_advised_hints(&a), 0);
  assert_int_equal(a.kernels[0].best, a.kernels[0].cycles);
  weir_advised_free(&a);
  rig_free(&r);
}

/* However few there may be, there are no more. */
static void bound(void **state) {
  static const uint32_t most[] = {1, 2, 3, 4, 7};
  (void)state;
  struct rig r;
  struct weir_advised a;
  rig_init(&r, "spmv", "fermi-s4", NULL);
  for (size_t i = 0; i < COUNT(most); i++) {
    r.request.trials = most[i];
    advise(&r, &a);
    assert_true(a.n_trials >= 1 && a.n_trials <= most[i]);
    if (most[i] == 1) assert_int_equal(a.n_kept, 0);
    weir_advised_free(&a);
  }
  rig_free(&r);
}

/* A gain that is not enough is none. */
static void least(void **state) {
  (void)state;
  struct rig r;
  struct weir_advised a;
  rig_init(&r, "transpose", "fermi-s4", NULL);
  r.request.least = 2;
  advise(&r, &a);
  assert_true(a.found > 1);
  assert_int_equal(a.n_kept, 0);
  assert_int_equal(a.n_repeats, 0);
  assert_int_equal(weir_advised_hints(&a), 0);
  weir_advised_free(&a);
  rig_free(&r);
}

/* Sizes that leave no room for a block are not asked for, and what a program prefers stays. */
static void carveouts(void **state) {
  (void)state;
  struct rig r;
  struct weir_advised a;
  rig_init(&r, "transpose", "v100", "sm.count=2");
  r.request.trials = 40;
  advise(&r, &a);
  assert_int_equal(a.kernels[0].had.shared_bytes, 0);
  assert_true(a.n_trials > r.setup.machine.n_carveouts + 2);
  weir_advised_free(&a);
  rig_free(&r);
  rig_init(&r, "matmul-tiled", "v100", "sm.count=2");
  r.request.trials = 40;
  advise(&r, &a);
  assert_true(a.kernels[0].had.shared_bytes > 0);
  if (a.kernels[0].carveout != 0)
    assert_true(weir_preferred_carveout(&r.setup.machine, a.kernels[0].carveout) >=
                a.kernels[0].had.shared_bytes);
  weir_advised_free(&a);
  rig_free(&r);
}

/* Loads that say themselves how they are cached are left alone. */
static void own(void **state) {
  (void)state;
  struct rig r;
  struct weir_advised a;
  uint32_t n_fixed = 0;
  rig_init(&r, "flag", "fermi-s4", NULL);
  advise(&r, &a);
  for (uint32_t k = 0; k < a.profile.n_kernels; k++)
    for (uint32_t i = 0; i < a.profile.kernels[k].loads.n; i++) {
      const struct weir_advised_load *l = &a.loads[a.profile.kernels[k].first + i];
      if (!a.profile.kernels[k].loads.v[i].is_fixed) continue;
      assert_false(l->is_free || l->is_tried);
      n_fixed++;
    }
  assert_true(n_fixed > 0);
  weir_advised_free(&a);
  rig_free(&r);
}

static void stopped(void **state) {
  (void)state;
  struct rig r;
  struct weir_advised a;
  struct weir_err err;
  rig_init(&r, "spmv", "fermi-s4", NULL);
  r.stop_after = 3;
  assert_int_equal(weir_advise_run(&r.request, &a, &err), WEIR_ELIMIT);
  rig_free(&r);
}

int main(int argc, char **argv) {
  source = argc > 1 ? argv[1] : ".";
  if (mkdtemp(scratch) == NULL) return 1;
  setenv("TMPDIR", scratch, 1);
  const struct CMUnitTest tests[] = {cmocka_unit_test(copies), cmocka_unit_test(bound),
                                     cmocka_unit_test(least),  cmocka_unit_test(carveouts),
                                     cmocka_unit_test(own),    cmocka_unit_test(stopped)};
  int failed = cmocka_run_group_tests_name("advise", tests, NULL, NULL);
  rmdir(scratch);
  return failed;
}
