/* What the host program is like must not change what kernels are and compute: its locale, its
 * floating-point environment, the stacks of its threads, its address space. Argument: a folder with
 * a locale "comma" (LOCPATH) whose numbers have decimal commas; without it that is not tested. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <fenv.h>
#include <limits.h>
#include <locale.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "driver.h"

#define OK(call) assert_int_equal((call), SUCCESS)

/* Literals as people write them; sums and quotients that every rounding mode makes different. */
static const char text[] = ".version 7.8\n"
                           ".target sm_75\n"
                           ".address_size 64\n"
                           ".visible .global .align 4 .f32 small = 1e-40;\n"
                           ".visible .entry work(.param .u64 out)\n"
                           "{\n"
                           "  .reg .f32 %f<4>;\n"
                           "  .reg .f64 %d<3>;\n"
                           "  .reg .b64 %rd<2>;\n"
                           "  ld.param.u64 %rd1, [out];\n"
                           "  mov.f32 %f1, 1.75;\n"
                           "  st.global.f32 [%rd1], %f1;\n"
                           "  ld.global.f32 %f2, [small];\n"
                           "  add.rn.f32 %f2, %f2, %f2;\n"
                           "  st.global.f32 [%rd1+4], %f2;\n"
                           "  mov.f64 %d1, 0.1;\n"
                           "  div.rn.f64 %d2, %d1, 3.0;\n"
                           "  st.global.f64 [%rd1+8], %d2;\n"
                           "  sqrt.rn.f32 %f3, 0fC0000000;\n"
                           "  st.global.f32 [%rd1+16], %f3;\n"
                           "  ret;\n"
                           "}\n";

static const char *locales;

/* A module of its own each time: it is parsed, decoded and executed. */
static bool is_right(void) {
  static const uint32_t wanted[5] = {0x3fe00000, 0x000116c2 * 2u, 0x11111111, 0x3fa11111,
                                     0x7fffffff};
  void *module, *function;
  uint64_t at;
  uint32_t got[5] = {0};
  void *params[] = {&at};
  bool ok = cuModuleLoadData(&module, text) == SUCCESS &&
            cuModuleGetFunction(&function, module, "work") == SUCCESS &&
            cuMemAlloc_v2(&at, sizeof got) == SUCCESS &&
            cuLaunchKernel(function, 1, 1, 1, 1, 1, 1, 0, NULL, params, NULL) == SUCCESS &&
            cuCtxSynchronize() == SUCCESS && cuMemcpyDtoH_v2(got, at, sizeof got) == SUCCESS &&
            cuMemFree_v2(at) == SUCCESS && cuModuleUnload(module) == SUCCESS;
  ok &= memcmp(got, wanted, sizeof got) == 0;
  if (!ok)
    fprintf(stderr, "got %08x %08x %08x %08x %08x\n", got[0], got[1], got[2], got[3], got[4]);
  return ok;
}

static int open_device(void **state) {
  void *context;
  int device;
  (void)state;
  if (cuInit(0) != SUCCESS || cuDeviceGet(&device, 0) != SUCCESS) return -1;
  return cuDevicePrimaryCtxRetain(&context, device) || cuCtxSetCurrent(context) ? -1 : 0;
}

static void test_plain(void **state) {
  (void)state;
  assert_true(is_right());
}

static void test_rounding(void **state) {
  (void)state;
  static const int modes[] = {FE_UPWARD, FE_DOWNWARD, FE_TOWARDZERO};
  for (size_t i = 0; i < sizeof modes / sizeof *modes; i++) {
    fesetround(modes[i]);
    bool ok = is_right();
    int after = fegetround();
    fesetround(FE_TONEAREST);
    assert_true(ok);
    assert_int_equal(after, modes[i]);
  }
}

static void test_traps(void **state) {
  (void)state;
  feclearexcept(FE_ALL_EXCEPT);
  feenableexcept(FE_ALL_EXCEPT);
  bool ok = is_right();
  int after = fegetexcept();
  fedisableexcept(FE_ALL_EXCEPT);
  assert_true(ok);
  assert_int_equal(after, FE_ALL_EXCEPT);
  assert_int_equal(fetestexcept(FE_ALL_EXCEPT), 0); /* what kernels raise is theirs */
}

#ifdef __x86_64__
static void test_flush_to_zero(void **state) {
  (void)state;
  unsigned before = __builtin_ia32_stmxcsr();
  __builtin_ia32_ldmxcsr(before | 0x8040);
  bool ok = is_right();
  unsigned after = __builtin_ia32_stmxcsr();
  __builtin_ia32_ldmxcsr(before);
  assert_true(ok);
  assert_int_equal(after & 0x8040, 0x8040);
}
#endif

static void test_locale(void **state) {
  (void)state;
  if (locales == NULL || setenv("LOCPATH", locales, 1) != 0 || setlocale(LC_ALL, "comma") == NULL)
    skip();
  char number[16];
  snprintf(number, sizeof number, "%.1f", 1.5);
  assert_string_equal(number, "1,5");
  bool ok = is_right();
  snprintf(number, sizeof number, "%.1f", 2.5);
  setlocale(LC_ALL, "C");
  assert_true(ok);
  assert_string_equal(number, "2,5");
}

static void *work(void *ok) {
  void *context;
  *(bool *)ok = cuDevicePrimaryCtxRetain(&context, 0) == SUCCESS &&
                cuCtxSetCurrent(context) == SUCCESS && is_right();
  return NULL;
}

/* The smallest stack that there can be. */
static void test_small_stack(void **state) {
  (void)state;
  size_t bytes = (size_t)PTHREAD_STACK_MIN;
  char *stack = aligned_alloc(4096, bytes);
  pthread_attr_t attr;
  pthread_t thread = 0;
  bool ok = false;
  assert_non_null(stack);
  pthread_attr_init(&attr);
  if (pthread_attr_setstack(&attr, stack, bytes) != 0 ||
      pthread_create(&thread, &attr, work, &ok) != 0)
    skip(); /* thread-local memory of a sanitizer's alone is more */
  pthread_join(thread, NULL);
  pthread_attr_destroy(&attr);
  free(stack);
  assert_true(ok);
}

static int main_of_child(void) {
  return open_device(NULL) == 0 && is_right() ? 0 : 1;
}

/* As `ulimit -v`: in a process of its own, which this test starts with a word more. */
static void test_little_address_space(void **state) {
  (void)state;
#if defined __SANITIZE_ADDRESS__ || defined __SANITIZE_THREAD__
  skip(); /* that takes more than there would be */
#endif
  pid_t child = fork();
  if (child == 0) {
    struct rlimit limit = {.rlim_cur = 1u << 30, .rlim_max = 1u << 30};
    setrlimit(RLIMIT_AS, &limit);
    execl("/proc/self/exe", "test_host", "child", (char *)NULL);
    _exit(9);
  }
  int status = -1;
  assert_int_equal(waitpid(child, &status, 0), child);
  assert_true(WIFEXITED(status));
  assert_int_equal(WEXITSTATUS(status), 0);
}

int main(int argc, char **argv) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_plain),
      cmocka_unit_test(test_rounding),
      cmocka_unit_test(test_traps),
#ifdef __x86_64__
      cmocka_unit_test(test_flush_to_zero),
#endif
      cmocka_unit_test(test_locale),
      cmocka_unit_test(test_small_stack),
      cmocka_unit_test(test_little_address_space),
  };
  if (argc > 1 && strcmp(argv[1], "child") == 0) return main_of_child();
  if (argc > 1) locales = argv[1];
  return cmocka_run_group_tests(tests, open_device, NULL);
}
