/* Studies of two small workloads with two schemes on two machines. Argument: the source folder. */
#include "study/matrix.h"

#include <dirent.h>
#include <math.h>
#include <stdio.h>
#include <unistd.h>

#include "session/data.h"
#include "testing.h"

enum { WORKLOADS = 2, GPUS = 2, SCHEMES = 2, CELLS = GPUS * SCHEMES };

static const char *source;
static char scratch[] = "/tmp/weir-test-matrix-XXXXXX"; /* where studies put their folders */

static struct weir_param_group bypass_params;
static const struct weir_param_group *const groups[] = {
    &ptx_exec_params, &weir_core_params, &weir_sm_params,   &weir_l1_params, &weir_noc_params,
    &weir_l2_params,  &weir_l3_params,   &weir_dram_params, &bypass_params,  NULL};
static const char *const gpus[] = {"fermi-s3", "fermi-s0"};
static const char *const schemes[] = {"baseline", "bypass-all"};

struct rig {
  struct weir_settings settings[CELLS];
  struct weir_setup setups[CELLS];
  struct weir_study_setup study_setups[CELLS];
  struct weir_study_workload workloads[WORKLOADS];
  char paths[WORKLOADS][512];
  struct ptx_exec_cfg exec;
  struct weir_study study;
};

static void load_machine(struct weir_settings *s, const char *gpu) {
  char path[512];
  snprintf(path, sizeof path, "%s/gpus/%s.yaml", source, gpu);
  assert_int_equal(weir_settings_init(s, groups, NULL), WEIR_OK);
  assert_int_equal(weir_data_machine(s, path, NULL), WEIR_OK);
}

static void rig_init(struct rig *r, uint32_t jobs) {
  static const char *const names[WORKLOADS] = {"vecadd", "reduction"};
  *r = (struct rig){0};
  for (size_t i = 0; i < CELLS; i++) {
    const char *scheme = schemes[i % SCHEMES], *gpu = gpus[i / SCHEMES];
    char path[512];
    load_machine(&r->settings[i], gpu);
    snprintf(path, sizeof path, "%s/schemes/%s.yaml", source, scheme);
    assert_int_equal(weir_setup_load(&r->setups[i], scheme, path, &r->settings[i], NULL), WEIR_OK);
    assert_int_equal(weir_setup_fit(&r->setups[i], gpu, &r->settings[i], groups, NULL), WEIR_OK);
    r->study_setups[i] =
        (struct weir_study_setup){.setup = &r->setups[i], .settings = &r->settings[i]};
  }
  for (size_t i = 0; i < WORKLOADS; i++) {
    snprintf(r->paths[i], sizeof r->paths[i], "%s/workloads/%s/%s.yaml", source, names[i],
             names[i]);
    r->workloads[i] =
        (struct weir_study_workload){.name = names[i], .path = r->paths[i], .input = "test"};
  }
  assert_int_equal(weir_settings_fill(&r->settings[0], &ptx_exec_params, &r->exec, NULL), WEIR_OK);
  r->study = (struct weir_study){.workloads = r->workloads,
                                 .gpus = gpus,
                                 .schemes = schemes,
                                 .setups = r->study_setups,
                                 .n_workloads = WORKLOADS,
                                 .n_gpus = GPUS,
                                 .n_schemes = SCHEMES,
                                 .exec = &r->exec,
                                 .jobs = jobs,
                                 .check = true};
}

static bool is_empty(const char *folder) {
  DIR *dir = opendir(folder);
  bool empty = true;
  assert_non_null(dir);
  for (struct dirent *d; (d = readdir(dir)) != NULL;)
    empty &= d->d_name[0] == '.';
  closedir(dir);
  return empty;
}

static void rig_run(struct rig *r, const struct weir_study_hooks *hooks) {
  struct weir_err err;
  enum weir_status st = weir_study_run(&r->study, hooks, &err);
  if (st != WEIR_OK) fail_msg("%s", err.msg);
  assert_true(is_empty(scratch));
}

static void rig_free(struct rig *r) {
  weir_study_free(&r->study);
  for (size_t i = 0; i < CELLS; i++) {
    weir_setup_free(&r->setups[i]);
    weir_settings_free(&r->settings[i]);
  }
}

static const struct weir_study_hooks no_hooks;

static enum weir_status time_directly(void *self, struct weir_block_source *src,
                                      struct weir_err *err) {
  struct weir_sim_result last;
  void **v = self;
  enum weir_status st = weir_sim_kernel(v[0], src, &last, err);
  weir_sim_result_add(v[1], &last);
  return st;
}

/* A run gives what the simulator gives without all this. */
static void assert_direct(struct rig *r, size_t workload, size_t cell) {
  char trace[600];
  struct weir_sim *sim;
  struct weir_sim_result sum = {0};
  struct weir_recording rec = {
      .path = r->paths[workload], .input = "test", .exec = &r->exec, .out = trace, .level = 1};
  struct weir_sim_options o = {.threads = 1, .watchdog = WEIR_WATCHDOG_CYCLES};
  snprintf(trace, sizeof trace, "%s/direct.wtrace", scratch);
  assert_int_equal(weir_record(&rec, NULL, NULL), WEIR_OK);
  assert_int_equal(weir_setup_sim(&r->setups[cell], NULL, &o, &sim, NULL), WEIR_OK);
  void *self[] = {sim, &sum};
  assert_int_equal(weir_replay(trace, time_directly, self, NULL), WEIR_OK);
  weir_sim_free(sim);
  unlink(trace);
  sum.limited_by = NULL;
  assert_memory_equal(&sum, &r->study.runs[workload * CELLS + cell].sum, sizeof sum);
}

static void results_do_not_depend_on_the_number_of_jobs(void **state) {
  (void)state;
  struct rig one, many;
  rig_init(&one, 1);
  rig_init(&many, 3);
  rig_run(&one, &no_hooks);
  rig_run(&many, &no_hooks);
  for (size_t i = 0; i < weir_study_n_runs(&one.study); i++) {
    const struct weir_run *a = &one.study.runs[i], *b = &many.study.runs[i];
    assert_int_equal(a->state, WEIR_RUN_DONE);
    assert_int_equal(b->state, WEIR_RUN_DONE);
    assert_true(a->sum.cycles > 0);
    assert_int_equal(a->launches, b->launches);
    assert_int_equal(a->storage_bits, b->storage_bits);
    assert_memory_equal(&a->sum, &b->sum, sizeof a->sum);
  }
  assert_true(weir_study_at(&one.study, 0, 0, 1)->sum.l1.bypassed > 0);
  assert_direct(&one, 0, 3);
  assert_direct(&one, 1, 0);
  rig_free(&one);
  rig_free(&many);
}

/* Each repeat is a run of its own with the next seed, and all schemes have the same seeds. */
static void repeats_have_seeds(void **state) {
  (void)state;
  enum { N = 3 };
  struct rig many, one;
  rig_init(&many, 2);
  for (size_t i = 0; i < CELLS; i++)
    many.setups[i].machine.jitter = (struct weir_jitter_cfg){.seed = 4, .dispatch = 9, .memory = 9};
  many.study.repeats = N;
  rig_run(&many, &no_hooks);
  assert_int_equal(weir_study_n_runs(&many.study), WORKLOADS * CELLS * N);
  assert_int_equal(many.study.n_executions, WORKLOADS);
  assert_int_equal(many.study.n_replays, WORKLOADS * CELLS * N);
  for (size_t r = 0; r < N; r++) {
    rig_init(&one, 1);
    for (size_t i = 0; i < CELLS; i++) {
      one.setups[i].machine.jitter = many.setups[i].machine.jitter;
      one.setups[i].machine.jitter.seed += (int64_t)r + 1;
    }
    rig_run(&one, &no_hooks);
    for (size_t i = 0; i < WORKLOADS * CELLS; i++)
      assert_memory_equal(&many.study.runs[i * N + r].sum, &one.study.runs[i].sum,
                          sizeof one.study.runs[i].sum);
    rig_free(&one);
  }
  assert_int_not_equal(weir_study_repeat(&many.study, 1, 0, 0, 0)->sum.cycles,
                       weir_study_repeat(&many.study, 1, 0, 0, 1)->sum.cycles);
  rig_free(&many);
}

static void a_workload_that_cannot_be_recorded_fails_alone(void **state) {
  (void)state;
  struct rig r;
  rig_init(&r, 2);
  r.workloads[0].path = "nowhere.yaml";
  rig_run(&r, &no_hooks);
  assert_int_equal(r.workloads[0].state, WEIR_RUN_FAILED);
  assert_contains(r.workloads[0].error, "nowhere.yaml");
  for (size_t i = 0; i < CELLS; i++) {
    assert_int_equal(r.study.runs[i].state, WEIR_RUN_FAILED);
    assert_null(r.study.runs[i].error);
    assert_int_equal(r.study.runs[CELLS + i].state, WEIR_RUN_DONE);
  }
  rig_free(&r);
}

/* No block fits on the second machine. */
static void runs_that_fail_leave_the_others_alone(void **state) {
  (void)state;
  struct rig r;
  rig_init(&r, 2);
  for (size_t i = SCHEMES; i < CELLS; i++)
    r.setups[i].machine.sm.warps = 1;
  rig_run(&r, &no_hooks);
  for (size_t w = 0; w < WORKLOADS; w++) {
    assert_int_equal(weir_study_at(&r.study, w, 0, 1)->state, WEIR_RUN_DONE);
    assert_int_equal(weir_study_at(&r.study, w, 1, 1)->state, WEIR_RUN_FAILED);
    assert_contains(weir_study_at(&r.study, w, 1, 1)->error, "not even one block fits");
  }
  rig_free(&r);
}

static void a_setup_that_is_refused_is_not_run(void **state) {
  (void)state;
  struct rig r;
  rig_init(&r, 2);
  r.study_setups[1].error = "it does not fit";
  rig_run(&r, &no_hooks);
  for (size_t w = 0; w < WORKLOADS; w++)
    for (size_t i = 0; i < CELLS; i++)
      assert_int_equal(r.study.runs[w * CELLS + i].state, i == 1 ? WEIR_RUN_FAILED : WEIR_RUN_DONE);
  for (size_t i = 0; i < CELLS; i++)
    r.study_setups[i].error = "nor does this";
  weir_study_free(&r.study);
  rig_run(&r, &no_hooks);
  assert_int_equal(r.workloads[0].state, WEIR_RUN_WAITING); /* nothing to record it for */
  rig_free(&r);
}

static void a_trace_is_replayed_as_it_is(void **state) {
  (void)state;
  struct rig r, launch;
  char trace[] = "test_matrix_XXXXXX.wtrace";
  rig_init(&r, 1);
  rig_init(&launch, 1);
  int fd = mkstemps(trace, 7);
  assert_true(fd >= 0);
  close(fd);
  struct weir_recording rec = {
      .path = r.paths[0], .input = "test", .exec = &r.exec, .out = trace, .level = 1};
  assert_int_equal(weir_record(&rec, NULL, NULL), WEIR_OK);
  r.workloads[0] = (struct weir_study_workload){.name = "trace", .path = trace, .is_trace = true};
  r.study.n_workloads = launch.study.n_workloads = 1;
  rig_run(&r, &no_hooks);
  rig_run(&launch, &no_hooks);
  assert_int_equal(access(trace, R_OK), 0);
  for (size_t i = 0; i < CELLS; i++)
    assert_memory_equal(&r.study.runs[i].sum, &launch.study.runs[i].sum,
                        sizeof r.study.runs[i].sum);
  unlink(trace);
  rig_free(&r);
  rig_free(&launch);
}

/* ---- hooks ---- */

struct watch {
  size_t started, ended, records, stop_after; /* runs; stop_after 0: never */
};

static void watch_event(void *self, const struct weir_study *s, enum weir_study_event event,
                        const struct weir_study_workload *workload, const struct weir_run *run) {
  struct watch *w = self;
  assert_true(run == NULL || run < s->runs + weir_study_n_runs(s));
  assert_true((event == WEIR_STUDY_WAITING) == (workload == NULL));
  if (run == NULL) {
    w->records += event == WEIR_STUDY_ENDED;
    return;
  }
  w->started += event == WEIR_STUDY_STARTED;
  w->ended += event == WEIR_STUDY_ENDED;
}

static bool watch_stop(void *self) {
  const struct watch *w = self;
  return w->stop_after > 0 && w->ended >= w->stop_after;
}

static void everything_is_told(void **state) {
  (void)state;
  struct rig r;
  struct watch w = {0};
  struct weir_study_hooks hooks = {.event = watch_event, .is_stopped = watch_stop, .self = &w};
  rig_init(&r, 2);
  rig_run(&r, &hooks);
  assert_int_equal(w.started, WORKLOADS * CELLS);
  assert_int_equal(w.ended, WORKLOADS * CELLS);
  assert_int_equal(w.records, WORKLOADS);
  rig_free(&r);
}

static void what_has_ended_stays_when_it_is_stopped(void **state) {
  (void)state;
  struct rig r;
  struct watch w = {.stop_after = CELLS + 1};
  struct weir_study_hooks hooks = {.event = watch_event, .is_stopped = watch_stop, .self = &w};
  rig_init(&r, 1);
  rig_run(&r, &hooks);
  for (size_t i = 0; i < WORKLOADS * CELLS; i++)
    assert_int_equal(r.study.runs[i].state, i <= CELLS ? WEIR_RUN_DONE : WEIR_RUN_WAITING);
  rig_free(&r);
}

/* ---- what is known before, order, memory ---- */

struct keeping {
  size_t known, left;         /* runs that are not to be run */
  size_t kept, most, running; /* most: at the same time */
  size_t order[64], n_order;  /* in which runs were begun */
  bool is_broken;
};

static enum weir_status find_some(void *self, const struct weir_study *s, size_t run,
                                  struct weir_err *err) {
  const struct keeping *k = self;
  (void)err;
  if (run == k->known) s->runs[run] = (struct weir_run){.state = WEIR_RUN_DONE, .was_known = true};
  if (run == k->left) s->runs[run].state = WEIR_RUN_LEFT;
  return WEIR_OK;
}

static enum weir_status keep_all(void *self, const struct weir_study *s, size_t run,
                                 struct weir_err *err) {
  struct keeping *k = self;
  assert_true(s->runs[run].state == WEIR_RUN_DONE || s->runs[run].state == WEIR_RUN_FAILED);
  if (k->is_broken) return weir_fail(err, WEIR_EIO, "no room");
  k->kept++;
  return WEIR_OK;
}

static void count_running(void *self, const struct weir_study *s, enum weir_study_event event,
                          const struct weir_study_workload *workload, const struct weir_run *run) {
  struct keeping *k = self;
  if (workload == NULL) return;
  if (event == WEIR_STUDY_STARTED) k->running++;
  if (event == WEIR_STUDY_ENDED) k->running--;
  if (k->running > k->most) k->most = k->running;
  if (event == WEIR_STUDY_STARTED && run != NULL) k->order[k->n_order++] = (size_t)(run - s->runs);
}

static struct weir_study_hooks keeping_hooks(struct keeping *k) {
  return (struct weir_study_hooks){
      .event = count_running, .self = k, .find = find_some, .keep = keep_all, .keeper = k};
}

static void what_is_known_is_not_run(void **state) {
  (void)state;
  struct rig r;
  struct keeping k = {.known = 1, .left = CELLS};
  struct weir_study_hooks hooks = keeping_hooks(&k);
  rig_init(&r, 2);
  rig_run(&r, &hooks);
  assert_int_equal(k.kept, WORKLOADS * CELLS - 2);
  assert_int_equal(r.study.n_replays, WORKLOADS * CELLS - 2);
  assert_true(r.study.runs[1].was_known && r.study.runs[1].sum.cycles == 0);
  assert_int_equal(r.study.runs[CELLS].state, WEIR_RUN_LEFT);
  rig_free(&r);
}

static void a_run_that_cannot_be_kept_ends_the_study(void **state) {
  (void)state;
  struct rig r;
  struct weir_err err;
  struct keeping k = {.known = SIZE_MAX, .left = SIZE_MAX, .is_broken = true};
  struct weir_study_hooks hooks = keeping_hooks(&k);
  rig_init(&r, 1);
  assert_int_equal(weir_study_run(&r.study, &hooks, &err), WEIR_EIO);
  assert_string_equal(err.msg, "no room");
  assert_int_equal(r.study.n_replays, 1);
  rig_free(&r);
}

static void the_longest_come_first(void **state) {
  (void)state;
  struct rig r;
  double costs[WORKLOADS * CELLS];
  struct keeping k = {.known = SIZE_MAX, .left = SIZE_MAX};
  struct weir_study_hooks hooks = keeping_hooks(&k);
  for (size_t i = 0; i < WORKLOADS * CELLS; i++)
    costs[i] = (double)i;
  costs[2] = (double)NAN; /* nobody knows: before all others, and its workload, too */
  rig_init(&r, 1);
  r.study.costs = costs;
  rig_run(&r, &hooks);
  static const size_t first[CELLS] = {2, 3, 1, 0};
  for (size_t i = 0; i < CELLS; i++)
    assert_int_equal(k.order[i], first[i]);
  for (size_t i = CELLS; i < WORKLOADS * CELLS; i++)
    assert_int_equal(k.order[i], WORKLOADS * CELLS - 1 - (i - CELLS));
  rig_free(&r);
}

static void memory_limits_how_many_run(void **state) {
  (void)state;
  struct rig r;
  struct keeping k = {.known = SIZE_MAX, .left = SIZE_MAX};
  struct weir_study_hooks hooks = keeping_hooks(&k);
  rig_init(&r, 4);
  r.study.memory = 1 << 20;
  rig_run(&r, &hooks);
  assert_int_equal(k.most, 1);
  assert_int_equal(k.kept, WORKLOADS * CELLS);
  rig_free(&r);
}

static void kernels_add_up(void **state) {
  (void)state;
  struct rig r;
  rig_init(&r, 2);
  rig_run(&r, &no_hooks);
  for (size_t i = 0; i < WORKLOADS * CELLS; i++) {
    const struct weir_run *run = &r.study.runs[i];
    uint64_t cycles = 0, launches = 0, loads = 0;
    assert_true(run->n_kernels > 0 && run->seconds > 0);
    for (size_t n = 0; n < run->n_kernels; n++) {
      cycles += run->kernels[n].result.cycles;
      launches += run->kernels[n].launches;
      loads += run->kernels[n].result.l1.loads;
    }
    assert_int_equal(cycles, run->sum.cycles);
    assert_int_equal(launches, run->launches);
    assert_int_equal(loads, run->sum.l1.loads);
  }
  rig_free(&r);
}

static void a_folder_that_cannot_be_made_is_an_error(void **state) {
  (void)state;
  struct rig r;
  struct weir_err err;
  rig_init(&r, 1);
  setenv("TMPDIR", "/nowhere", 1);
  assert_int_equal(weir_study_run(&r.study, &no_hooks, &err), WEIR_EIO);
  assert_contains(err.msg, "TMPDIR");
  setenv("TMPDIR", scratch, 1);
  rig_free(&r);
}

int main(int argc, char **argv) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(results_do_not_depend_on_the_number_of_jobs),
      cmocka_unit_test(repeats_have_seeds),
      cmocka_unit_test(a_workload_that_cannot_be_recorded_fails_alone),
      cmocka_unit_test(runs_that_fail_leave_the_others_alone),
      cmocka_unit_test(a_setup_that_is_refused_is_not_run),
      cmocka_unit_test(a_trace_is_replayed_as_it_is),
      cmocka_unit_test(everything_is_told),
      cmocka_unit_test(what_has_ended_stays_when_it_is_stopped),
      cmocka_unit_test(what_is_known_is_not_run),
      cmocka_unit_test(a_run_that_cannot_be_kept_ends_the_study),
      cmocka_unit_test(the_longest_come_first),
      cmocka_unit_test(memory_limits_how_many_run),
      cmocka_unit_test(kernels_add_up),
      cmocka_unit_test(a_folder_that_cannot_be_made_is_an_error)};
  if (argc < 2 || mkdtemp(scratch) == NULL) return 1;
  source = argv[1];
  const struct weir_part *bypass = &weir_policy_find("bypass-all")->part;
  bypass_params = (struct weir_param_group){bypass->name, bypass->help, bypass->params,
                                            bypass->cfg_bytes, NULL};
  setenv("TMPDIR", scratch, 1);
  int failed = cmocka_run_group_tests(tests, NULL, NULL);
  rmdir(scratch);
  return failed;
}
