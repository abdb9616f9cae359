/* The public session: designs, runs, statistics by name, and what is refused. Argument: the source
 * folder. */
#include <fenv.h>
#include <locale.h>
#include <math.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../sim/synth.h"
#include "base/mem.h"
#include "l1/design.h"
#include "study/classify_here.h"
#include "testing.h"
#include "weir/sim.h"
#include "weir/version.h"

static char trace_file[1024], overlap_file[1024];

static struct weir_session *open_with(const char *const *schemes, size_t n) {
  struct weir_session *s;
  struct weir_err err;
  if (weir_session_open(&s, "fermi-s3", NULL, &err) != WEIR_OK) fail_msg("%s", err.msg);
  for (size_t i = 0; i < n; i++)
    if (weir_session_add(s, &(struct weir_line_up){.scheme = schemes[i]}, &err) != WEIR_OK)
      fail_msg("%s", err.msg);
  return s;
}

static void run(struct weir_session *s, const char *what, const char *input) {
  struct weir_err err;
  if (weir_session_run(s, what, input, &err) != WEIR_OK) fail_msg("%s", err.msg);
}

static struct weir_statistic read_stat(const struct weir_session *s, size_t design, size_t kernel,
                                       const char *name) {
  struct weir_statistic v;
  struct weir_err err;
  if (weir_session_stat(s, design, kernel, name, &v, &err) != WEIR_OK) fail_msg("%s", err.msg);
  return v;
}

static const char *const three[] = {"baseline", "decoupled", "pc-bypass"};

/* Alone a workload is timed while it is executed, beside others from a recording. */
static void test_designs_do_not_depend_on_each_other(void **state) {
  struct weir_session *all = open_with(three, 3);
  (void)state;
  run(all, "reduction", "test");
  assert_int_equal(weir_session_n_designs(all), 3);
  for (size_t i = 0; i < 3; i++) {
    struct weir_session *one = open_with(&three[i], 1);
    assert_string_equal(weir_session_design(all, i), three[i]);
    run(one, "reduction", "test");
    size_t n = weir_session_n_stats(one, 0);
    assert_true(n > 100);
    assert_int_equal(n, weir_session_n_stats(all, i));
    for (size_t k = 0; k < n; k++) {
      struct weir_statistic a, b;
      assert_int_equal(weir_session_stat_at(one, 0, WEIR_ALL_KERNELS, k, &a, NULL), WEIR_OK);
      assert_int_equal(weir_session_stat_at(all, i, WEIR_ALL_KERNELS, k, &b, NULL), WEIR_OK);
      assert_string_equal(a.name, b.name);
      if (a.count != b.count || (a.value != b.value && !isnan(a.value)))
        fail_msg("%s of %s: %g alone, %g beside others", a.name, three[i], a.value, b.value);
    }
    weir_session_close(one);
  }
  assert_null(weir_session_design(all, 3));
  assert_int_not_equal(read_stat(all, 0, WEIR_ALL_KERNELS, "cycles").count,
                       read_stat(all, 1, WEIR_ALL_KERNELS, "cycles").count);
  weir_session_close(all);
}

static void test_kernels_add_up(void **state) {
  struct weir_session *s = open_with(three, 2);
  (void)state;
  run(s, "bfs", "test");
  assert_true(weir_session_n_kernels(s) >= 1);
  assert_null(weir_session_kernel(s, weir_session_n_kernels(s)));
  for (size_t i = 0; i < weir_session_n_stats(s, 1); i++) {
    struct weir_statistic all, one;
    uint64_t sum = 0;
    assert_int_equal(weir_session_stat_at(s, 1, WEIR_ALL_KERNELS, i, &all, NULL), WEIR_OK);
    assert_non_null(all.unit);
    assert_non_null(all.help);
    for (size_t k = 0; k < weir_session_n_kernels(s); k++) {
      assert_int_equal(weir_session_stat_at(s, 1, k, i, &one, NULL), WEIR_OK);
      sum += one.count;
    }
    if (all.kind == WEIR_COUNTER) assert_int_equal(sum, all.count);
    assert_int_equal(read_stat(s, 1, WEIR_ALL_KERNELS, all.name).count, all.count);
  }
  assert_true(read_stat(s, 1, WEIR_ALL_KERNELS, "launches").count > 1);
  assert_true(read_stat(s, 1, WEIR_ALL_KERNELS, "storage.bits_per_sm").count > 0);
  assert_true(read_stat(s, 1, WEIR_ALL_KERNELS, "energy.total_nj").value > 0);
  weir_session_close(s);
}

static void test_threads_and_checks_change_nothing(void **state) {
  struct weir_session *s = open_with(three, 2);
  struct weir_err err;
  (void)state;
  run(s, "vecadd", "test");
  uint64_t cycles = read_stat(s, 1, WEIR_ALL_KERNELS, "cycles").count;
  assert_int_equal(weir_session_threads(s, 2, &err), WEIR_OK);
  weir_session_check(s, 1);
  run(s, "vecadd", "test");
  assert_int_equal(read_stat(s, 1, WEIR_ALL_KERNELS, "cycles").count, cycles);
  assert_int_equal(weir_session_threads(s, 0, &err), WEIR_EINVAL);
  weir_session_close(s);
}

static void test_settings_of_sessions_and_designs(void **state) {
  static const char *const small[] = {"l1.size=8K", NULL}, *const slow[] = {"l1.hit_latency=2000",
                                                                            NULL};
  struct weir_session *s;
  struct weir_err err;
  (void)state;
  assert_int_equal(weir_session_open(&s, "fermi-s3", small, &err), WEIR_OK);
  assert_int_equal(weir_session_add(s, &(struct weir_line_up){.scheme = "baseline"}, &err),
                   WEIR_OK);
  assert_int_equal(weir_session_add(s, &(struct weir_line_up){.settings = slow}, &err), WEIR_OK);
  run(s, "gather", "test");
  uint64_t fast = read_stat(s, 0, WEIR_ALL_KERNELS, "cycles").count,
           late = read_stat(s, 1, WEIR_ALL_KERNELS, "cycles").count,
           hits = read_stat(s, 0, WEIR_ALL_KERNELS, "l1.hits").count;
  assert_true(late > fast);
  weir_session_close(s);
  s = open_with(three, 1);
  run(s, "gather", "test");
  assert_true(read_stat(s, 0, WEIR_ALL_KERNELS, "l1.hits").count > hits); /* with its whole L1 */
  weir_session_close(s);
}

static void test_a_trace_runs(void **state) {
  struct weir_session *s = open_with(three, 2);
  struct weir_err err;
  (void)state;
  run(s, trace_file, NULL);
  assert_true(weir_session_n_kernels(s) > 0);
  assert_true(read_stat(s, 1, 0, "cycles").count > 0);
  assert_int_equal(weir_session_run(s, trace_file, "test", &err), WEIR_EINVAL);
  assert_int_equal(weir_session_n_kernels(s), 0); /* of the run that failed */
  weir_session_close(s);
}

/* ---- what is refused ---- */

static void expect(enum weir_status want, enum weir_status st, const struct weir_err *err,
                   const char *text) {
  if (st != want || err->code != want || strstr(err->msg, text) == NULL)
    fail_msg("status %d, message '%s', want %d and '%s'", st, err->msg, want, text);
}

static void test_bad_sessions_are_refused(void **state) {
  static const char *const unknown[] = {"l1.sizes=8K", NULL}, *const bad[] = {"l1.size=many", NULL};
  struct weir_session *s;
  struct weir_err err;
  (void)state;
  expect(WEIR_ENOENT, weir_session_open(&s, "fermi-s4x", NULL, &err), &err,
         "did you mean 'fermi-s4'?");
  assert_null(s);
  expect(WEIR_ENOENT, weir_session_open(&s, "fermi-s3", unknown, &err), &err, "'l1.size'");
  expect(WEIR_EINVAL, weir_session_open(&s, "fermi-s3", bad, &err), &err, "l1.size");
  weir_session_close(NULL);
}

static void test_bad_designs_are_refused(void **state) {
  struct weir_session *s = open_with(NULL, 0);
  struct weir_err err;
  (void)state;
  expect(WEIR_ENOENT, weir_session_add(s, &(struct weir_line_up){.scheme = "decuopled"}, &err),
         &err, "did you mean 'decoupled'?");
  expect(WEIR_EINVAL, weir_session_add(s, &(struct weir_line_up){.scheme = "coordinated"}, &err),
         &err, "classify WORKLOAD --tags FILE");
  expect(WEIR_EINVAL, weir_session_add(s, &(struct weir_line_up){.reserved = {&err}}, &err), &err,
         "reserved");
  assert_int_equal(weir_session_n_designs(s), 0);
  expect(WEIR_EINVAL, weir_session_run(s, "vecadd", "test", &err), &err, "weir_session_add first");
  weir_session_close(s);
  assert_int_equal(weir_session_open(&s, "v100-cfg", NULL, &err), WEIR_OK);
  expect(WEIR_EINVAL, weir_session_add(s, &(struct weir_line_up){.scheme = "tsc"}, &err), &err,
         "fixed size");
  weir_session_close(s);
}

static void test_bad_runs_are_refused(void **state) {
  static const char *const idle[] = {"pc-bypass.threshold=2", NULL};
  struct weir_session *s = open_with(three, 1);
  struct weir_statistic v;
  struct weir_err err;
  (void)state;
  expect(WEIR_ENOENT, weir_session_run(s, "vecad", NULL, &err), &err, "did you mean 'vecadd'?");
  expect(WEIR_EINVAL, weir_session_stat(s, 0, 0, "cycles", &v, &err), &err, "before a run");
  run(s, "vecadd", "test");
  expect(WEIR_ENOENT, weir_session_stat(s, 0, 0, "l1.hit", &v, &err), &err,
         "did you mean 'l1.hits'?");
  expect(WEIR_EINVAL, weir_session_stat(s, 1, 0, "cycles", &v, &err), &err, "design 1");
  expect(WEIR_EINVAL, weir_session_stat(s, 0, 1, "cycles", &v, &err), &err, "kernel 1");
  weir_session_close(s);
  /* A setting that nothing feels is a mistake. */
  assert_int_equal(weir_session_open(&s, "fermi-s3", idle, &err), WEIR_OK);
  assert_int_equal(weir_session_add(s, &(struct weir_line_up){0}, &err), WEIR_OK);
  expect(WEIR_EINVAL, weir_session_run(s, "vecadd", "test", &err), &err, "pc-bypass.threshold");
  weir_session_close(s);
}

static int stop(void *self, size_t design, const char *kernel, uint64_t cycle, uint64_t blocks) {
  size_t *n = self;
  assert_int_equal(design, 0);
  assert_string_equal(kernel, "vecadd");
  (void)cycle;
  (void)blocks;
  return ++*n < 3;
}

static void test_a_run_can_be_stopped(void **state) {
  struct weir_session *s = open_with(three, 2);
  struct weir_err err;
  size_t n = 0;
  (void)state;
  weir_session_watch(s, stop, &n);
  assert_int_equal(weir_session_run(s, "vecadd", "test", &err), WEIR_ELIMIT);
  assert_int_equal(n, 3);
  weir_session_watch(s, NULL, NULL);
  run(s, "vecadd", "test");
  weir_session_close(s);
}

/* ---- good manners ---- */

static off_t bytes_of(FILE *f) {
  struct stat info;
  assert_int_equal(fstat(fileno(f), &info), 0);
  return info.st_size;
}

static void test_prints_nothing_and_leaves_signals_alone(void **state) {
  struct sigaction before[NSIG], after;
  struct weir_err err;
  FILE *said = tmpfile();
  int out = dup(STDOUT_FILENO), errors = dup(STDERR_FILENO);
  (void)state;
  assert_non_null(said);
  for (int i = 1; i < NSIG; i++)
    sigaction(i, NULL, &before[i]);
  fflush(stdout);
  dup2(fileno(said), STDOUT_FILENO);
  dup2(fileno(said), STDERR_FILENO);
  struct weir_session *s = open_with(three, 3);
  enum weir_status good = weir_session_run(s, "vecadd", "test", &err);
  enum weir_status bad = weir_session_run(s, "nothing", "test", &err);
  weir_session_close(s);
  fflush(NULL);
  dup2(out, STDOUT_FILENO);
  dup2(errors, STDERR_FILENO);
  close(out);
  close(errors);
  assert_int_equal(good, WEIR_OK);
  assert_int_equal(bad, WEIR_ENOENT);
  assert_int_equal(bytes_of(said), 0);
  fclose(said);
  for (int i = 1; i < NSIG; i++) {
    if (sigaction(i, NULL, &after) != 0) continue;
    if (after.sa_handler != before[i].sa_handler) fail_msg("signal %d has another handler", i);
  }
}

static uint64_t count_of_run(void) {
  static const char *const set[] = {"energy.tag_nj=0.0015", NULL};
  struct weir_session *s;
  struct weir_err err;
  if (weir_session_open(&s, "fermi-s3", set, &err) ||
      weir_session_add(s, &(struct weir_line_up){.scheme = "decoupled"}, &err) ||
      weir_session_run(s, "reduction", "test", &err))
    return 0;
  struct weir_statistic cycles = {0}, energy = {0};
  weir_session_stat(s, 0, WEIR_ALL_KERNELS, "cycles", &cycles, &err);
  weir_session_stat(s, 0, WEIR_ALL_KERNELS, "energy.total_nj", &energy, &err);
  weir_session_close(s);
  uint64_t bits;
  memcpy(&bits, &energy.value, sizeof bits);
  return cycles.count ^ bits;
}

static void *thread(void *out) {
  for (int i = 0; i < 3; i++)
    ((uint64_t *)out)[i] = count_of_run();
  return NULL;
}

static void test_threads_have_their_sessions(void **state) {
  enum { N = 4 };
  pthread_t threads[N];
  uint64_t want = count_of_run(), got[N][3] = {{0}};
  (void)state;
  assert_int_not_equal(want, 0);
  for (int i = 0; i < N; i++)
    assert_int_equal(pthread_create(&threads[i], NULL, thread, got[i]), 0);
  for (int i = 0; i < N; i++)
    assert_int_equal(pthread_join(threads[i], NULL), 0);
  for (int i = 0; i < N; i++)
    for (int k = 0; k < 3; k++)
      assert_int_equal(got[i][k], want);
}

/* A locale with a decimal comma, if there is one, and another rounding. */
static void test_the_callers_thread_stays_as_it_is(void **state) {
  uint64_t want = count_of_run();
  (void)state;
  assert_int_not_equal(want, 0);
  locale_t comma = newlocale(LC_ALL_MASK, "de_DE.UTF-8", (locale_t)0), before = (locale_t)0;
  if (comma != (locale_t)0) before = uselocale(comma);
  assert_int_equal(fesetround(FE_UPWARD), 0);
  uint64_t got = count_of_run();
  int rounding = fegetround();
  fesetround(FE_TONEAREST);
  if (comma != (locale_t)0) {
    assert_true(uselocale(before) == comma);
    freelocale(comma);
  }
  assert_int_equal(rounding, FE_UPWARD);
  assert_int_equal(got, want);
}

static enum weir_status open_add(const char *setting, long fail_after, struct weir_err *err) {
  struct weir_session *s;
  const char *const settings[] = {setting, NULL};
  weir_malloc_fail_after(fail_after);
  enum weir_status st = weir_session_open(&s, "fermi-s3", settings, err);
  if (st == WEIR_OK) st = weir_session_add(s, &(struct weir_line_up){.scheme = "decoupled"}, err);
  if (st == WEIR_OK) st = weir_session_run(s, trace_file, NULL, err);
  weir_malloc_fail_after(-1);
  weir_session_close(s);
  return st;
}

/* Each of the first allocations, then ever fewer of the many. */
static void fail_each(const char *setting) {
  struct weir_err err = {0};
  enum weir_status st = WEIR_ENOMEM;
  for (long n = 0; st != WEIR_OK && n < 1000000; n += 1 + n / 20) {
    st = open_add(setting, n, &err);
    if (st != WEIR_OK && st != WEIR_ENOMEM) fail_msg("allocation %ld: %s", n, err.msg);
  }
  assert_int_equal(st, WEIR_OK);
}

static void test_every_allocation_may_fail(void **state) {
  (void)state;
  fail_each(NULL);
}

/* Launches are written down and read twice. */
static void test_every_allocation_of_a_warm_run_may_fail(void **state) {
  (void)state;
  fail_each("launch.l2=warm");
}

static enum weir_answer pass(const struct weir_policy *p, const struct weir_access *a) {
  (void)p, (void)a;
  return WEIR_PASS;
}

/* A policy that does not say what it costs: no number stands for that. It stays among the policies.
 */
static void test_undeclared_storage_is_no_statistic(void **state) {
  static const struct weir_policy_ops shy = {
      .part = {.abi = WEIR_POLICY_ABI, .name = "shy", .help = "x"}, .route = pass};
  struct weir_session *s;
  struct weir_statistic v;
  struct weir_err err;
  (void)state;
  assert_true(weir_policy_add(&shy, NULL));
  assert_int_equal(weir_session_open(&s, "fermi-s3", NULL, &err), WEIR_OK);
  assert_int_equal(weir_session_add(s, &(struct weir_line_up){.policies = "lru,shy"}, &err),
                   WEIR_OK);
  run(s, trace_file, NULL);
  expect(WEIR_ENOENT, weir_session_stat(s, 0, WEIR_ALL_KERNELS, "storage.bits_per_sm", &v, &err),
         &err, "does not declare");
  for (size_t i = 0; i < weir_session_n_stats(s, 0); i++) {
    assert_int_equal(weir_session_stat_at(s, 0, WEIR_ALL_KERNELS, i, &v, &err), WEIR_OK);
    assert_string_not_equal(v.name, "storage.bits_per_sm");
  }
  assert_true(read_stat(s, 0, WEIR_ALL_KERNELS, "storage.baseline_bits_per_sm").count > 0);
  weir_session_close(s);
}

/* ---- what is executed ---- */

static void test_execution_has_statistics(void **state) {
  struct weir_session *one = open_with(three, 1), *two = open_with(three, 2);
  struct weir_statistic v;
  struct weir_err err;
  (void)state;
  run(one, "reduction", "test");
  run(two, "reduction", "test");
  uint64_t sum = 0, all = read_stat(one, 0, WEIR_ALL_KERNELS, "func.warp_insns").count;
  for (size_t k = 0; k < weir_session_n_kernels(one); k++)
    sum += read_stat(one, 0, k, "func.warp_insns").count;
  assert_true(all > 0);
  assert_int_equal(sum, all);
  assert_int_equal(read_stat(two, 1, WEIR_ALL_KERNELS, "func.warp_insns").count, all);
  assert_int_equal(read_stat(two, 0, WEIR_ALL_KERNELS, "sm.warp_insns").count, all);
  size_t n = weir_session_n_stats(one, 0);
  /* A trace was executed when it was recorded. */
  run(one, trace_file, NULL);
  assert_true(weir_session_n_stats(one, 0) < n);
  expect(WEIR_ENOENT, weir_session_stat(one, 0, WEIR_ALL_KERNELS, "func.warp_insns", &v, &err),
         &err, "nothing was executed");
  assert_int_equal(weir_session_stat_at(one, 0, WEIR_ALL_KERNELS, n - 1, &v, &err), WEIR_EINVAL);
  run(one, "reduction", "test");
  assert_int_equal(weir_session_n_stats(one, 0), n);
  assert_int_equal(read_stat(one, 0, WEIR_ALL_KERNELS, "func.warp_insns").count, all);
  weir_session_close(one);
  weir_session_close(two);
}

/* ---- what is prepared ---- */

struct seen {
  uint64_t loads;
};
static void seen_begin(struct weir_policy *p, const struct weir_kernel *k) {
  (void)k;
  ((struct seen *)weir_state_edit(p))->loads = 0;
}
static void seen_lookup(struct weir_policy *p, const struct weir_access *a, struct weir_set set,
                        int way, enum weir_outcome outcome) {
  (void)set, (void)way, (void)outcome;
  ((struct seen *)weir_state_edit(p))->loads += a->op == WEIR_LOAD;
}
static bool seen_row(const struct weir_policy *p, uint32_t i, struct weir_row *row) {
  row->key = weir_geometry(p)->sm;
  row->v[0] = ((const struct seen *)weir_state_peek(p))->loads;
  return i == 0 && row->v[0] > 0;
}
/* Whatever an SM that had loads does bypasses. */
static enum weir_answer seen_route(const struct weir_policy *p, const struct weir_access *a) {
  (void)a;
  return weir_prepared(p, weir_kernel_id(p), weir_geometry(p)->sm) != NULL ? WEIR_BYPASS
                                                                           : WEIR_PASS;
}
static bool no_row(const struct weir_policy *p, uint32_t i, struct weir_row *row) {
  (void)p, (void)i, (void)row;
  return false;
}
static const struct weir_policy_ops seen = {.part = {.abi = WEIR_POLICY_ABI,
                                                     .name = "seen",
                                                     .help = "bypasses on SMs that had loads",
                                                     .state_bytes = sizeof(struct seen),
                                                     .kernel_begin = seen_begin},
                                            .prepare = "seen",
                                            .route = seen_route,
                                            .lookup = seen_lookup,
                                            .row = seen_row};
/* The same on what is timed, and for any kernel what that was: the blocks of the grid. */
static bool grid_row(const struct weir_policy *p, uint32_t i, struct weir_row *row) {
  row->kernel = 0;
  row->key = ((const struct seen *)weir_state_peek(p))->loads;
  return i == 0;
}
static void grid_begin(struct weir_policy *p, const struct weir_kernel *k) {
  ((struct seen *)weir_state_edit(p))->loads = k->n_ctas;
}
static enum weir_answer grid_route(const struct weir_policy *p, const struct weir_access *a) {
  (void)a;
  return weir_prepared(p, 0, ((const struct seen *)weir_state_peek(p))->loads) != NULL ? WEIR_BYPASS
                                                                                       : WEIR_PASS;
}
#define GRID(text, on_timed)                                                                       \
  {                                                                                                \
    .part = {.abi = WEIR_POLICY_ABI,                                                               \
             .name = text,                                                                         \
             .help = "bypasses in grids that it knows",                                            \
             .state_bytes = sizeof(struct seen),                                                   \
             .kernel_begin = grid_begin},                                                          \
    .prepare = text, .prepares_on_timed = on_timed, .route = grid_route, .row = grid_row           \
  }
static const struct weir_policy_ops grid = GRID("grid", false),
                                    grid_timed = GRID("grid-timed", true);
static const struct weir_policy_ops blind = {
    .part = {.abi = WEIR_POLICY_ABI, .name = "blind", .help = "no rows"}, .row = no_row};
static const struct weir_policy_ops reader = {
    .part = {.abi = WEIR_POLICY_ABI, .name = "reader", .help = "reads none"},
    .prepare = "blind",
    .route = seen_route};

static void test_rows_are_prepared(void **state) {
  static const char *const schemes[] = {"baseline", "reader", "seen"};
  struct weir_err err;
  (void)state;
  assert_true(weir_policy_add(&seen, NULL) && weir_policy_add(&blind, NULL) &&
              weir_policy_add(&reader, NULL));
  struct weir_session *s = open_with(schemes, 3), *one = open_with(schemes + 2, 1);
  weir_session_check(s, 1);
  for (unsigned i = IS_SANITIZED ? 1 : 0; i < 2; i++) { /* gather is long */
    const char *what = i == 0 ? "gather" : trace_file;
    run(s, what, NULL);
    uint64_t base = read_stat(s, 0, WEIR_ALL_KERNELS, "cycles").count,
             loads = read_stat(s, 0, WEIR_ALL_KERNELS, "l1.loads").count;
    assert_int_equal(read_stat(s, 1, WEIR_ALL_KERNELS, "cycles").count, base);
    assert_int_equal(read_stat(s, 1, WEIR_ALL_KERNELS, "l1.bypassed").count, 0);
    assert_int_equal(read_stat(s, 2, WEIR_ALL_KERNELS, "l1.bypassed").count, loads);
    run(one, what, NULL);
    assert_int_equal(read_stat(one, 0, WEIR_ALL_KERNELS, "cycles").count,
                     read_stat(s, 2, WEIR_ALL_KERNELS, "cycles").count);
  }
  expect(WEIR_EINVAL, weir_session_add(s, &(struct weir_line_up){.scheme = "coordinated"}, &err),
         &err, "which this library cannot do");
  weir_session_close(s);
  weir_session_close(one);
}

/* The inputs `test` and `profile` have grids of other sizes. */
static void test_rows_of_what_is_timed(void **state) {
  static const char *const schemes[] = {"grid", "grid-timed"};
  (void)state;
  assert_true(weir_policy_add(&grid, NULL) && weir_policy_add(&grid_timed, NULL));
  struct weir_session *s = open_with(schemes, 2);
  run(s, "gather", "test");
  assert_int_equal(read_stat(s, 0, WEIR_ALL_KERNELS, "l1.bypassed").count, 0);
  assert_int_equal(read_stat(s, 1, WEIR_ALL_KERNELS, "l1.bypassed").count,
                   read_stat(s, 1, WEIR_ALL_KERNELS, "l1.loads").count);
  weir_session_close(s);
}

static int stop_at_once(void *self, size_t design, const char *kernel, uint64_t cycle,
                        uint64_t blocks) {
  (void)self, (void)design, (void)kernel, (void)cycle, (void)blocks;
  return 0;
}

/* From here on. */
static void test_tags_are_prepared(void **state) {
  static const char *const schemes[] = {"static", "static"};
  struct weir_err err;
  (void)state;
  weir_classify_here();
  struct weir_session *one = open_with(schemes, 1), *two = open_with(schemes, 2);
  weir_session_threads(two, 2, &err);
  run(one, "vecadd", "test");
  run(two, "vecadd", "test");
  uint64_t cycles = read_stat(one, 0, WEIR_ALL_KERNELS, "cycles").count;
  assert_true(read_stat(one, 0, WEIR_ALL_KERNELS, "l1.bypassed_static").count > 0);
  for (size_t i = 0; i < 2; i++)
    assert_int_equal(read_stat(two, i, WEIR_ALL_KERNELS, "cycles").count, cycles);
  expect(WEIR_EINVAL, weir_session_run(one, trace_file, NULL, &err), &err, "a trace has none");
  /* Stopped while it is prepared. */
  weir_session_watch(one, stop_at_once, NULL);
  assert_int_equal(weir_session_run(one, "vecadd", "test", &err), WEIR_ELIMIT);
  weir_session_close(one);
  weir_session_close(two);
}

/* By traffic the loads of overlap that nobody reads again bypass, and the one for all does not. */
static void test_tags_by_traffic(void **state) {
  static const char *const settings[] = {"l1.flush_on_kernel=true", NULL};
  struct weir_session *s;
  struct weir_err err;
  (void)state;
  if (weir_session_open(&s, "fermi-s3", settings, &err) != WEIR_OK) fail_msg("%s", err.msg);
  if (weir_session_add(s, &(struct weir_line_up){.scheme = "instruction-level"}, &err) != WEIR_OK)
    fail_msg("%s", err.msg);
  run(s, overlap_file, NULL);
  /* One of three loads, of 2 warps in 60 blocks of 2 launches. */
  assert_int_equal(read_stat(s, 0, WEIR_ALL_KERNELS, "l1.loads").count, 3 * 240);
  uint64_t used = read_stat(s, 0, WEIR_ALL_KERNELS, "coordinated.ca_loads").count;
  uint64_t past = read_stat(s, 0, WEIR_ALL_KERNELS, "coordinated.cg_bypassed").count;
  assert_int_equal(used, 240);
  assert_int_equal(past, 480);
  expect(WEIR_EINVAL, weir_session_run(s, trace_file, NULL, &err), &err, "traffic-KEY.yaml");
  weir_session_close(s);
}

static void test_version(void **state) {
  (void)state;
  assert_string_equal(weir_version(), WEIR_VERSION_STRING);
  assert_int_equal(weir_abi_version(), WEIR_ABI_VERSION);
}

int main(int argc, char **argv) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_designs_do_not_depend_on_each_other),
      cmocka_unit_test(test_kernels_add_up),
      cmocka_unit_test(test_threads_and_checks_change_nothing),
      cmocka_unit_test(test_settings_of_sessions_and_designs),
      cmocka_unit_test(test_a_trace_runs),
      cmocka_unit_test(test_bad_sessions_are_refused),
      cmocka_unit_test(test_bad_designs_are_refused),
      cmocka_unit_test(test_bad_runs_are_refused),
      cmocka_unit_test(test_a_run_can_be_stopped),
      cmocka_unit_test(test_prints_nothing_and_leaves_signals_alone),
      cmocka_unit_test(test_threads_have_their_sessions),
      cmocka_unit_test(test_the_callers_thread_stays_as_it_is),
      cmocka_unit_test(test_every_allocation_may_fail),
      cmocka_unit_test(test_every_allocation_of_a_warm_run_may_fail),
      cmocka_unit_test(test_undeclared_storage_is_no_statistic),
      cmocka_unit_test(test_execution_has_statistics),
      cmocka_unit_test(test_rows_are_prepared),
      cmocka_unit_test(test_rows_of_what_is_timed),
      cmocka_unit_test(test_tags_are_prepared),
      cmocka_unit_test(test_tags_by_traffic),
      cmocka_unit_test(test_version),
  };
  if (argc < 2) return 2;
  snprintf(overlap_file, sizeof overlap_file, "%s/tests/study/overlap/overlap.yaml", argv[1]);
  snprintf(trace_file, sizeof trace_file, "%s/tests/compat/wtrace/version2.wtrace", argv[1]);
  return cmocka_run_group_tests(tests, NULL, NULL);
}
