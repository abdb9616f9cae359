/* Loads of small workloads, profiled and classified. Argument: the source folder. */
#include "study/profile.h"

#include <dirent.h>
#include <stdio.h>
#include <unistd.h>

#include "base/settings.h"
#include "session/data.h"
#include "testing.h"

static const char *source;
static char scratch[] = "/tmp/weir-test-profile-XXXXXX"; /* where profiles put their folders */

static const struct weir_param_group *const groups[] = {
    &ptx_exec_params, &weir_core_params, &weir_sm_params,
    &weir_l1_params,  &weir_noc_params,  &weir_l2_params,
    &weir_l3_params,  &weir_dram_params, NULL};

struct rig {
  struct weir_settings settings;
  struct weir_machine machine;
  struct ptx_exec_cfg exec;
  struct weir_cls_cfg cls;
  char path[512];
  struct weir_profile_request request;
  uint32_t n_progress, stop_after;
};

static void note_progress(void *self, uint32_t done, uint32_t n_runs) {
  struct rig *r = self;
  assert_true(done <= n_runs);
  r->n_progress++;
}

static bool is_stopped(void *self) {
  const struct rig *r = self;
  return r->stop_after > 0 && r->n_progress >= r->stop_after;
}

static void rig_set(struct rig *r, const char *workload, uint32_t jobs, const char *assignment) {
  *r = (struct rig){0};
  snprintf(r->path, sizeof r->path, "%s/gpus/fermi-s4.yaml", source);
  assert_int_equal(weir_settings_init(&r->settings, groups, NULL), WEIR_OK);
  assert_int_equal(weir_data_machine(&r->settings, r->path, NULL), WEIR_OK);
  if (assignment != NULL)
    assert_int_equal(weir_settings_assign(&r->settings, assignment, NULL), WEIR_OK);
  assert_int_equal(weir_machine_fill(&r->machine, "fermi-s4", &r->settings, NULL), WEIR_OK);
  assert_int_equal(weir_settings_fill(&r->settings, &ptx_exec_params, &r->exec, NULL), WEIR_OK);
  weir_param_defaults(weir_cls_params.table, &r->cls);
  snprintf(r->path, sizeof r->path, "%s/workloads/%s/%s.yaml", source, workload, workload);
  r->request = (struct weir_profile_request){.path = r->path,
                                             .input = "test",
                                             .exec = &r->exec,
                                             .machine = &r->machine,
                                             .cls = &r->cls,
                                             .jobs = jobs,
                                             .check = true,
                                             .progress = note_progress,
                                             .is_stopped = is_stopped,
                                             .self = r};
}

static void rig_init(struct rig *r, const char *workload, uint32_t jobs) {
  rig_set(r, workload, jobs, NULL);
}

static void profile(struct rig *r, struct weir_profile *p) {
  struct weir_err err;
  if (weir_profile_run(&r->request, p, &err) != WEIR_OK) fail_msg("%s", err.msg);
}

static int left_over(void) {
  DIR *dir = opendir(scratch);
  int n = 0;
  assert_non_null(dir);
  for (struct dirent *d; (d = readdir(dir)) != NULL;)
    n += d->d_name[0] != '.';
  closedir(dir);
  return n;
}

/* A load for each run, and a run for each group of several. */
static void stencil(void **state) {
  (void)state;
  struct rig r;
  struct weir_profile p;
  rig_init(&r, "stencil", 2);
  r.cls.hr_is_hit = false;
  profile(&r, &p);
  assert_int_equal(p.n_kernels, 1);
  assert_int_equal(p.n_loads, 5);
  assert_int_equal(p.kernels[0].loads.n_groups, 1);
  assert_int_equal(p.n_runs, 6);
  assert_true(r.n_progress >= 7);
  for (uint32_t i = 0; i < 5; i++) {
    assert_int_equal(p.kernels[0].counts[i].alone, 0);
    assert_true(p.kernels[0].counts[i].accesses > 0);
  }
  /* Neighbours find the lines of each other. */
  assert_true(weir_group_extra(&p.kernels[0].loads, p.kernels[0].counts, 0) > 0);
  struct weir_tags *tags;
  assert_int_equal(weir_profile_tags(&p, &tags, NULL), WEIR_OK);
  const uint8_t *t = weir_tags_find(tags, "stencil", p.kernels[0].loads.n_insns);
  assert_non_null(t);
  for (uint32_t i = 0; i < 5; i++)
    assert_int_equal(t[p.kernels[0].loads.v[i].insn], p.kernels[0].tags[i]);
  weir_tags_free(tags);
  weir_profile_free(&p);
  weir_settings_free(&r.settings);
  assert_int_equal(left_over(), 0);
}

/* Published for a matrix multiply: all its loads are ca. Rows of threads that run together wait for
 * the same lines, which is locality too. */
static void matmul(void **state) {
  (void)state;
  struct rig r;
  struct weir_profile p;
  rig_init(&r, "matmul-naive", 2);
  profile(&r, &p);
  for (uint32_t i = 0; i < p.n_loads; i++)
    assert_int_equal(p.kernels[0].tags[i],
                     p.kernels[0].counts[i].accesses > 0 ? WEIR_TAG_CA : WEIR_TAG_CM);
  weir_profile_free(&p);
  weir_settings_free(&r.settings);
}

/* The order in which runs end does not matter, and pending hits are hits if one says so. */
static void any_number_of_jobs(void **state) {
  (void)state;
  struct rig r;
  struct weir_profile one, three, pending;
  rig_init(&r, "spmv-vector", 1);
  r.cls.hr_is_hit = false;
  profile(&r, &one);
  r.request.jobs = 3;
  profile(&r, &three);
  r.cls.hr_is_hit = true;
  profile(&r, &pending);
  assert_int_equal(one.n_loads, three.n_loads);
  assert_int_equal(one.n_runs, three.n_runs);
  assert_memory_equal(one.kernels[0].counts, three.kernels[0].counts,
                      one.n_loads * sizeof *one.kernels[0].counts);
  bool more = false;
  for (uint32_t i = 0; i < one.n_loads; i++) {
    assert_true(pending.kernels[0].counts[i].alone >= one.kernels[0].counts[i].alone);
    more |= pending.kernels[0].counts[i].alone > one.kernels[0].counts[i].alone;
  }
  assert_true(more);
  weir_profile_free(&one);
  weir_profile_free(&three);
  weir_profile_free(&pending);
  weir_settings_free(&r.settings);
}

static void several_kernels(void **state) {
  (void)state;
  struct rig r;
  struct weir_profile p;
  rig_init(&r, "flag", 2);
  profile(&r, &p);
  assert_int_equal(p.n_kernels, 2);
  assert_int_equal(p.n_loads, 4);
  assert_int_equal(p.n_runs, 2); /* volatile loads have no class */
  assert_int_equal(p.kernels[1].first, 2);
  assert_int_equal(p.kernels[0].tags[0], WEIR_TAG_NONE);
  assert_int_equal(p.kernels[1].tags[0], WEIR_TAG_CG);
  weir_profile_free(&p);
  weir_settings_free(&r.settings);
}

/* 60 blocks of two warps, in two launches, four of them on an SM at once. Both loads of `a` read
 * two lines of a block, of which they have one in common; that of `b` reads one sector of one line.
 */
static void traffic(void **state) {
  (void)state;
  enum { LAUNCHES = 2, BLOCKS = 60, AT_ONCE = 4, SMS = 15, L1_LINES = 128 };
  static const struct weir_line_use want[] = {
      {1, 1 * AT_ONCE}, {2, 1 * AT_ONCE}, {3, 1 * AT_ONCE}, {4, 1 * AT_ONCE}};
  for (unsigned flushed = 0; flushed < 2; flushed++) {
    struct rig r;
    struct weir_profile p;
    rig_set(&r, "vecadd", 2, flushed ? "l1.flush_on_kernel=true" : "l1.flush_on_kernel=false");
    snprintf(r.path, sizeof r.path, "%s/tests/study/overlap/overlap.yaml", source);
    r.request.input = NULL;
    r.request.by_traffic = true;
    r.request.check = flushed;
    profile(&r, &p);
    assert_int_equal(p.n_runs, 3 + 1 + 1);
    const struct weir_traffic *t = &p.kernels[0].traffic;
    assert_int_equal(t->room, LAUNCHES * BLOCKS * L1_LINES);
    assert_int_equal(t->n_uses, COUNT(want));
    for (size_t i = 0; i < COUNT(want); i++) {
      assert_int_equal(t->uses[i].loads, want[i].loads);
      assert_int_equal(t->uses[i].lines, LAUNCHES * BLOCKS * want[i].lines);
    }
    assert_int_equal(t->n_pairs, 1);
    for (uint32_t i = 0; i < 2; i++)
      assert_int_equal(t->bypassed[i], LAUNCHES * BLOCKS * 2 * 4);
    assert_int_equal(t->bypassed[2], LAUNCHES * BLOCKS * 2);
    if (flushed) {
      for (uint32_t i = 0; i < 2; i++)
        assert_int_equal(t->alone[i], LAUNCHES * BLOCKS * 2 * 4);
      assert_int_equal(t->alone[2], LAUNCHES * SMS * 4);
      assert_int_equal(t->pairs[0].together, LAUNCHES * BLOCKS * 3 * 4);
      assert_int_equal(p.kernels[0].tags[0], WEIR_TAG_CG); /* saves nothing alone */
      assert_int_equal(p.kernels[0].tags[1], WEIR_TAG_CG);
    } else {
      assert_true(t->alone[0] < t->bypassed[0]); /* what the launch before has left */
      assert_int_equal(p.kernels[0].tags[0], WEIR_TAG_CA);
    }
    assert_int_equal(p.kernels[0].tags[2], WEIR_TAG_CA);
    weir_profile_free(&p);
    weir_settings_free(&r.settings);
    assert_int_equal(left_over(), 0);
  }
}

/* Every pair of a group has a run, and no group; in this process it is the same. */
static void traffic_here(void **state) {
  (void)state;
  struct rig r;
  struct weir_profile p, here;
  struct weir_timing_options options = {.threads = 1};
  rig_init(&r, "stencil", 3);
  r.request.by_traffic = true;
  profile(&r, &p);
  assert_int_equal(p.n_runs, 5 + 10 + 1);
  r.request.here = &options;
  profile(&r, &here);
  const struct weir_traffic *x = &p.kernels[0].traffic, *y = &here.kernels[0].traffic;
  assert_memory_equal(x->pairs, y->pairs, 10 * sizeof *x->pairs);
  assert_memory_equal(x->bypassed, y->bypassed, 5 * sizeof *x->bypassed);
  assert_int_equal(x->n_uses, y->n_uses);
  assert_memory_equal(x->uses, y->uses, x->n_uses * sizeof *x->uses);
  assert_memory_equal(p.kernels[0].tags, here.kernels[0].tags, 5 * sizeof *p.kernels[0].tags);
  weir_profile_free(&p);
  weir_profile_free(&here);
  weir_settings_free(&r.settings);
  assert_int_equal(left_over(), 0);
}

static void inputs(void **state) {
  (void)state;
  struct weir_arena a = {0};
  const char *input;
  char path[512];
  snprintf(path, sizeof path, "%s/workloads/spmv/spmv.yaml", source);
  assert_int_equal(weir_profile_input(path, NULL, &a, &input, NULL), WEIR_OK);
  assert_string_equal(input, "profile");
  assert_int_equal(weir_profile_input(path, "eval", &a, &input, NULL), WEIR_OK);
  assert_string_equal(input, "eval");
  assert_int_equal(weir_profile_input(path, "none", &a, &input, NULL), WEIR_ENOENT);
  snprintf(path, sizeof path, "%s/workloads/simt/spin_lock.yaml", source);
  assert_int_equal(weir_profile_input(path, NULL, &a, &input, NULL), WEIR_OK);
  assert_true(input == NULL || strcmp(input, "profile") != 0);
  weir_arena_free(&a);
}

static void stopped(void **state) {
  (void)state;
  struct rig r;
  struct weir_profile p;
  struct weir_err err;
  rig_init(&r, "spmv", 2);
  r.stop_after = 3;
  assert_int_equal(weir_profile_run(&r.request, &p, &err), WEIR_ELIMIT);
  assert_contains(err.msg, "interrupted");
  r.stop_after = 0;
  r.request.path = "nowhere.yaml";
  assert_int_equal(weir_profile_run(&r.request, &p, &err), WEIR_ENOENT);
  r.request.path = r.path;
  r.exec.max_instructions = 10; /* the recording fails */
  assert_int_equal(weir_profile_run(&r.request, &p, &err), WEIR_ELIMIT);
  assert_contains(err.msg, "10");
  weir_settings_free(&r.settings);
  assert_int_equal(left_over(), 0);
}

int main(int argc, char **argv) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(stencil),
                                     cmocka_unit_test(matmul),
                                     cmocka_unit_test(any_number_of_jobs),
                                     cmocka_unit_test(several_kernels),
                                     cmocka_unit_test(traffic),
                                     cmocka_unit_test(traffic_here),
                                     cmocka_unit_test(inputs),
                                     cmocka_unit_test(stopped)};
  if (argc < 2 || mkdtemp(scratch) == NULL) return 1;
  source = argv[1];
  setenv("TMPDIR", scratch, 1);
  int failed = cmocka_run_group_tests_name("profile", tests, NULL, NULL);
  rmdir(scratch);
  return failed;
}
