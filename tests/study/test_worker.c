#include "study/worker.h"

#include <signal.h>
#include <unistd.h>

#include "l1/guard.h"
#include "testing.h"

static void add_one(const void *self, void *answer) {
  *(int *)answer = *(const int *)self + 1;
}

static void exit_with_7(const void *self, void *answer) {
  (void)self, (void)answer;
  _exit(7);
}

static void be_killed(const void *self, void *answer) {
  (void)self, (void)answer;
  raise(SIGKILL);
}

static void sleep_long(const void *self, void *answer) {
  (void)self, (void)answer;
  for (;;)
    pause();
}

static void large(const void *self, void *answer) {
  (void)self;
  memset(answer, 'x', 1 << 20);
}

static void an_answer_comes_back(void **state) {
  (void)state;
  int n[3] = {1, 20, 300}, answer;
  struct weir_worker w[3];
  for (int i = 0; i < 3; i++)
    assert_int_equal(weir_worker_start(&w[i], add_one, &n[i], sizeof(int), NULL), WEIR_OK);
  for (int i = 3; i-- > 0;) {
    assert_int_equal(weir_worker_end(&w[i], &answer, sizeof answer, NULL), WEIR_OK);
    assert_int_equal(answer, n[i] + 1);
  }
}

static void an_answer_may_be_larger_than_a_pipe(void **state) {
  (void)state;
  struct weir_worker w;
  char *answer = malloc(1 << 20);
  assert_int_equal(weir_worker_start(&w, large, NULL, 1 << 20, NULL), WEIR_OK);
  assert_int_equal(weir_worker_end(&w, answer, 1 << 20, NULL), WEIR_OK);
  assert_int_equal(answer[(1 << 20) - 1], 'x');
  free(answer);
}

static void an_early_end_is_an_error_that_says_how(void **state) {
  (void)state;
  struct weir_worker w;
  struct weir_err err;
  int answer;
  assert_int_equal(weir_worker_start(&w, exit_with_7, NULL, sizeof answer, &err), WEIR_OK);
  assert_int_equal(weir_worker_end(&w, &answer, sizeof answer, &err), WEIR_EFAULT);
  assert_contains(err.msg, "exit code 7");
  assert_int_equal(weir_worker_start(&w, be_killed, NULL, sizeof answer, &err), WEIR_OK);
  assert_int_equal(weir_worker_end(&w, &answer, sizeof answer, &err), WEIR_ELIMIT);
  assert_contains(err.msg, "signal 9 (Killed)");
  assert_contains(err.msg, "--jobs");
}

static size_t crash(const void *cfg, const struct weir_geometry *g) {
  (void)g;
  if (cfg == NULL) abort();
  return (size_t) * (volatile const char *)cfg;
}
static uint64_t leave(const void *cfg, const struct weir_geometry *g) {
  (void)cfg, (void)g;
  _exit(0);
}
static const struct weir_policy_ops bad = {
    .part = {.abi = WEIR_POLICY_ABI, .name = "bad", .state_size = crash, .storage_bits = leave}};

static const struct weir_guarded *guarded;

static void ask_size(const void *self, void *answer) {
  *(int *)answer = 5;
  weir_ask_state_size(&guarded->ops.part, self, NULL);
}
static void ask_storage(const void *self, void *answer) {
  (void)answer;
  weir_ask_storage_bits(&guarded->ops.part, self, NULL);
}
static void ask_and_abort(const void *self, void *answer) {
  (void)answer;
  weir_ask_state_size(&guarded->ops.part, self, NULL);
  abort();
}

static void a_hook_that_ended_it_is_named(void **state) {
  (void)state;
  struct weir_worker w;
  struct weir_err err;
  int answer = 0;
  guarded = weir_guard(&bad, "bad.so");
  assert_int_equal(weir_worker_start(&w, ask_size, NULL, sizeof answer, &err), WEIR_OK);
  assert_int_equal(weir_worker_end(&w, &answer, sizeof answer, &err), WEIR_EFAULT);
  assert_contains(err.msg, "bad.so: policy bad: 'state_size' gave up (SIGABRT");
  assert_int_equal(answer, 5); /* what it had said until then */
  assert_int_equal(weir_worker_start(&w, ask_storage, NULL, sizeof answer, &err), WEIR_OK);
  assert_int_equal(weir_worker_end(&w, &answer, sizeof answer, &err), WEIR_EFAULT);
  assert_contains(err.msg, "bad.so: policy bad: 'storage_bits' called exit()");
  /* After it has returned it is none of its doing. */
  assert_int_equal(weir_worker_start(&w, ask_and_abort, "", sizeof answer, &err), WEIR_OK);
  assert_int_equal(weir_worker_end(&w, &answer, sizeof answer, &err), WEIR_EBUG);
  assert_null(strstr(err.msg, "bad"));
}

static void a_worker_can_be_ended(void **state) {
  (void)state;
  struct weir_worker w;
  assert_int_equal(weir_worker_start(&w, sleep_long, NULL, 1, NULL), WEIR_OK);
  pid_t pid = w.pid;
  weir_worker_kill(&w);
  assert_int_equal(kill(pid, 0), -1);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(an_answer_comes_back), cmocka_unit_test(an_answer_may_be_larger_than_a_pipe),
      cmocka_unit_test(an_early_end_is_an_error_that_says_how),
      cmocka_unit_test(a_hook_that_ended_it_is_named), cmocka_unit_test(a_worker_can_be_ended)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
