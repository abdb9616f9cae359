/* Kernels that wait, and the host's ways to wait for them. Each case runs in a process of its own,
 * so that what it leaves behind is not the next one's, and one that would never end is ended. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "driver.h"

/* `steps` looks at the host's word up to n times, or until it is not 0, and counts; so it does more
 * than to look. `watch` looks at the host's word, and waits for the other. `take` needs a heap. */
static const char text[] =
    ".version 7.8\n"
    ".target sm_75\n"
    ".address_size 64\n"
    ".extern .func (.param .b64 r) malloc (.param .b64 n);\n"
    ".visible .entry steps(.param .u64 word, .param .u64 count, .param .u32 n)\n"
    "{\n"
    "  .reg .pred %p<3>;\n"
    "  .reg .b32 %r<4>;\n"
    "  .reg .b64 %rd<3>;\n"
    "  ld.param.u64 %rd1, [word];\n"
    "  ld.param.u64 %rd2, [count];\n"
    "  ld.param.u32 %r3, [n];\n"
    "  mov.u32 %r2, 0;\n"
    "LOOP:\n"
    "  add.u32 %r2, %r2, 1;\n"
    "  st.volatile.global.u32 [%rd2], %r2;\n"
    "  ld.volatile.global.u32 %r1, [%rd1];\n"
    "  setp.ne.u32 %p1, %r1, 0;\n"
    "  @%p1 bra DONE;\n"
    "  setp.ne.u32 %p2, %r2, %r3;\n"
    "  @%p2 bra LOOP;\n"
    "DONE:\n"
    "  st.volatile.global.u32 [%rd2+4], %r2;\n"
    "  ret;\n"
    "}\n"
    ".visible .entry watch(.param .u64 word, .param .u64 stop)\n"
    "{\n"
    "  .reg .pred %p<2>;\n"
    "  .reg .b32 %r<3>;\n"
    "  .reg .b64 %rd<3>;\n"
    "  ld.param.u64 %rd1, [word];\n"
    "  ld.param.u64 %rd2, [stop];\n"
    "LOOP:\n"
    "  ld.volatile.global.u32 %r1, [%rd1];\n"
    "  ld.volatile.global.u32 %r2, [%rd2];\n"
    "  setp.eq.u32 %p1, %r2, 0;\n"
    "  @%p1 bra LOOP;\n"
    "  st.global.u32 [%rd2+4], %r2;\n"
    "  ret;\n"
    "}\n"
    ".visible .entry take()\n"
    "{\n"
    "  .reg .b64 %rd<3>;\n"
    "  .param .b64 n;\n"
    "  .param .b64 r;\n"
    "  mov.u64 %rd1, 16;\n"
    "  st.param.b64 [n], %rd1;\n"
    "  call.uni (r), malloc, (n);\n"
    "  ld.param.b64 %rd2, [r];\n"
    "  ret;\n"
    "}\n";

enum { MANY = 500000 }; /* steps; far more than until the host gets its turn */

static struct {
  void *module, *stream, *other, *event;
  volatile uint32_t *words; /* pinned: that which is looked at, a count, and the count at the end */
} at;

static bool open_device(void) {
  void *context, *p;
  bool ok = cuInit(0) == SUCCESS && cuDevicePrimaryCtxRetain(&context, 0) == SUCCESS &&
            cuCtxSetCurrent(context) == SUCCESS && cuModuleLoadData(&at.module, text) == SUCCESS &&
            cuStreamCreate(&at.stream, 1) == SUCCESS && cuStreamCreate(&at.other, 1) == SUCCESS &&
            cuEventCreate(&at.event, 0) == SUCCESS && cuMemAllocHost_v2(&p, 4096) == SUCCESS;
  if (!ok) return false;
  at.words = p;
  for (int i = 0; i < 4; i++)
    at.words[i] = 0;
  return true;
}

static bool launch(const char *kernel, void *stream, void **args) {
  void *f;
  return cuModuleGetFunction(&f, at.module, kernel) == SUCCESS &&
         cuLaunchKernel(f, 1, 1, 1, 1, 1, 1, 0, stream, args, NULL) == SUCCESS;
}

static bool launch_steps(uint32_t n) {
  uint64_t word = (uint64_t)(uintptr_t)at.words, count = word + 4;
  return launch("steps", at.stream, (void *[]){&word, &count, &n});
}

/* ---- cases: true is right ---- */

static bool asks_for_event(void) {
  int error = NOT_READY;
  if (!open_device() || !launch_steps(MANY) || cuEventRecord(at.event, at.stream) != SUCCESS)
    return false;
  for (int i = 0; i < 2000 && error == NOT_READY; i++)
    error = cuEventQuery(at.event);
  return error == SUCCESS && at.words[2] == MANY;
}

/* It is not asked whether it is ready, but looked for its result between calls. */
static bool calls_anything(void) {
  size_t left, total;
  if (!open_device() || !launch_steps(MANY)) return false;
  for (int i = 0; i < 20000 && at.words[2] == 0; i++)
    if (cuMemGetInfo_v2(&left, &total) != SUCCESS) return false;
  return at.words[2] == MANY && cuCtxSynchronize() == SUCCESS;
}

/* What cannot begin when its turn comes is an error of the device: the call has returned long ago.
 */
static bool cannot_begin(void) {
  uint64_t stop;
  if (!open_device() || cuMemAlloc_v2(&stop, 8) != SUCCESS || cuMemsetD8_v2(stop, 0, 8) != SUCCESS)
    return false;
  uint64_t host = (uint64_t)(uintptr_t)at.words;
  bool ok = cuCtxSetLimit(2, (size_t)1 << 45) == SUCCESS &&
            launch("watch", at.stream, (void *[]){&host, &stop}) &&
            launch("take", at.stream, NULL) &&
            cuStreamWriteValue32_v2(at.other, stop, 1, 0) == SUCCESS;
  return ok && cuCtxSynchronize() == OUT_OF_MEMORY;
}

/* While the library's own thread goes on with a kernel. A child that has nothing to do with the
 * device ends; the parent's kernel is not its own. */
static bool forks(void) {
  if (!open_device() || !launch_steps(0)) return false;
  for (int i = 0; i < 5; i++) {
    nanosleep(&(struct timespec){.tv_nsec = 50000000}, NULL);
    pid_t child = fork();
    if (child == 0) {
      alarm(600);
      exit(3);
    }
    int status;
    if (waitpid(child, &status, 0) != child || !WIFEXITED(status) || WEXITSTATUS(status) != 3)
      return false;
  }
  at.words[0] = 1;
  return cuCtxSynchronize() == SUCCESS && at.words[2] > 0;
}

/* ---- each in its process ---- */

static void expect(bool (*is_right)(void)) {
  int status = -1;
  pid_t child = fork();
  if (child == 0) {
    alarm(600);
    _exit(is_right() ? 0 : 1);
  }
  assert_int_equal(waitpid(child, &status, 0), child);
  assert_true(WIFEXITED(status));
  assert_int_equal(WEXITSTATUS(status), 0);
}

#define CASE(name)                                                                                 \
  static void test_##name(void **state) {                                                          \
    (void)state;                                                                                   \
    expect(name);                                                                                  \
  }
CASE(asks_for_event)
CASE(calls_anything)
CASE(cannot_begin)
CASE(forks)

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_asks_for_event),
      cmocka_unit_test(test_calls_anything),
      cmocka_unit_test(test_cannot_begin),
      cmocka_unit_test(test_forks),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
