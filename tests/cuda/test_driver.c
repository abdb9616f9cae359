/* Calls the stand-in for libcuda as programs do that load PTX themselves: from text and from files
 * of the tree, with errors, parameters packed by hand, several modules and contexts; and together
 * with libcudart. Argument: the PTX of workload vecadd. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "driver.h"

#define OK(call)          assert_int_equal((call), SUCCESS)
#define FAILS(call, code) assert_int_equal((call), (code))

static const char *vecadd_path;

/* out[i] = out[i] * factor + plus, for i < n; and a store to nowhere. */
#define HEAD                                                                                       \
  ".version 7.8\n"                                                                                 \
  ".target sm_75\n"                                                                                \
  ".address_size 64\n"
#define SCALE(factor)                                                                              \
  HEAD ".visible .global .align 4 .u32 factor = " factor ";\n"                                     \
       ".visible .entry scale(.param .u64 out, .param .u32 n, .param .u32 plus)\n"                 \
       "{\n"                                                                                       \
       "  .reg .pred %p<2>;\n"                                                                     \
       "  .reg .b32 %r<9>;\n"                                                                      \
       "  .reg .b64 %rd<5>;\n"                                                                     \
       "  ld.param.u64 %rd1, [out];\n"                                                             \
       "  ld.param.u32 %r1, [n];\n"                                                                \
       "  ld.param.u32 %r2, [plus];\n"                                                             \
       "  mov.u32 %r3, %ctaid.x;\n"                                                                \
       "  mov.u32 %r4, %ntid.x;\n"                                                                 \
       "  mov.u32 %r5, %tid.x;\n"                                                                  \
       "  mad.lo.u32 %r6, %r3, %r4, %r5;\n"                                                        \
       "  setp.ge.u32 %p1, %r6, %r1;\n"                                                            \
       "  @%p1 bra DONE;\n"                                                                        \
       "  mul.wide.u32 %rd2, %r6, 4;\n"                                                            \
       "  add.u64 %rd3, %rd1, %rd2;\n"                                                             \
       "  ld.global.u32 %r7, [factor];\n"                                                          \
       "  ld.global.u32 %r8, [%rd3];\n"                                                            \
       "  mad.lo.u32 %r8, %r8, %r7, %r2;\n"                                                        \
       "  st.global.u32 [%rd3], %r8;\n"                                                            \
       "DONE:\n"                                                                                   \
       "  ret;\n"                                                                                  \
       "}\n"                                                                                       \
       ".visible .entry fault()\n"                                                                 \
       "{\n"                                                                                       \
       "  .reg .b64 %rd<2>;\n"                                                                     \
       "  mov.u64 %rd1, 64;\n"                                                                     \
       "  st.global.u64 [%rd1], %rd1;\n"                                                           \
       "  ret;\n"                                                                                  \
       "}\n"

static const char by_3[] = SCALE("3"), by_5[] = SCALE("5");

/* Two texts that only run together. */
static const char caller[] = HEAD ".extern .func (.param .b32 r) twice (.param .b32 x);\n"
                                  ".visible .entry apply(.param .u64 at)\n"
                                  "{\n"
                                  "  .reg .b32 %r<3>;\n"
                                  "  .reg .b64 %rd<2>;\n"
                                  "  ld.param.u64 %rd1, [at];\n"
                                  "  ld.global.u32 %r1, [%rd1];\n"
                                  "  {\n"
                                  "  .param .b32 a;\n"
                                  "  .param .b32 b;\n"
                                  "  st.param.b32 [a], %r1;\n"
                                  "  call.uni (b), twice, (a);\n"
                                  "  ld.param.b32 %r2, [b];\n"
                                  "  }\n"
                                  "  st.global.u32 [%rd1], %r2;\n"
                                  "  ret;\n"
                                  "}\n";
static const char callee[] = HEAD ".visible .func (.param .b32 r) twice (.param .b32 x)\n"
                                  "{\n"
                                  "  .reg .b32 %r<2>;\n"
                                  "  ld.param.b32 %r1, [x];\n"
                                  "  add.u32 %r1, %r1, %r1;\n"
                                  "  st.param.b32 [r], %r1;\n"
                                  "  ret;\n"
                                  "}\n";

/* *out = the texel at (x, y), of an object or of the module's own texture; and one that is stored
 * through a surface. */
#define LOOK(name, texture)                                                                        \
  ".visible .entry " name "(.param .u64 tex, .param .u64 out, .param .f32 x, .param .f32 y)\n"     \
  "{\n"                                                                                            \
  "  .reg .f32 %f<7>;\n"                                                                           \
  "  .reg .b64 %rd<3>;\n"                                                                          \
  "  ld.param.u64 %rd1, [tex];\n"                                                                  \
  "  ld.param.u64 %rd2, [out];\n"                                                                  \
  "  ld.param.f32 %f5, [x];\n"                                                                     \
  "  ld.param.f32 %f6, [y];\n"                                                                     \
  "  tex.2d.v4.f32.f32 {%f1, %f2, %f3, %f4}, [" texture ", {%f5, %f6}];\n"                         \
  "  st.global.f32 [%rd2], %f1;\n"                                                                 \
  "  ret;\n"                                                                                       \
  "}\n"
static const char looks[] = HEAD ".global .texref image;\n"
                                 ".global .surfref canvas;\n" LOOK("object", "%rd1")
                                     LOOK("reference", "image") ".visible .entry paint()\n"
                                                                "{\n"
                                                                "  .reg .b32 %r<4>;\n"
                                                                "  mov.u32 %r1, 4;\n"
                                                                "  mov.u32 %r2, 1;\n"
                                                                "  mov.u32 %r3, 0x42c80000;\n"
                                                                "  sust.b.2d.b32.trap [canvas, "
                                                                "{%r1, %r2}], %r3;\n"
                                                                "  ret;\n"
                                                                "}\n";

/* ---- helpers ---- */

static void *context;

static int start(void **state) {
  (void)state;
  OK(cuCtxCreate_v4(&context, NULL, 0, 0));
  return 0;
}

static int stop(void **state) {
  (void)state;
  OK(cuCtxDestroy_v2(context));
  return 0;
}

static void *function(void *module, const char *name) {
  void *f;
  OK(cuModuleGetFunction(&f, module, name));
  return f;
}

static void *load(const char *text) {
  void *m;
  OK(cuModuleLoadData(&m, text));
  return m;
}

static uint64_t device_words(const unsigned *from, size_t n) {
  uint64_t p;
  OK(cuMemAlloc_v2(&p, n * sizeof *from));
  OK(cuMemcpyHtoD_v2(p, from, n * sizeof *from));
  return p;
}

static int scale(void *f, uint64_t at, unsigned n, unsigned plus, void *stream) {
  void *args[] = {&at, &n, &plus};
  return cuLaunchKernel(f, (n + 31) / 32, 1, 1, 32, 1, 1, 0, stream, args, NULL);
}

static unsigned word_at(uint64_t at) {
  unsigned v;
  OK(cuMemcpyDtoH_v2(&v, at, sizeof v));
  return v;
}

/* ---- the start ---- */

static void needs_init(void **state) {
  (void)state;
  int n;
  void *c;
  uint64_t p;
  FAILS(cuDeviceGetCount(&n), NOT_INITIALIZED);
  FAILS(cuCtxCreate_v2(&c, 0, 0), NOT_INITIALIZED);
  FAILS(cuInit(1), INVALID_VALUE);
  OK(cuInit(0));
  FAILS(cuMemAlloc_v2(&p, 4), INVALID_CONTEXT);
  OK(cuCtxGetCurrent(&c));
  assert_null(c);
}

static void device(void **state) {
  (void)state;
  int n, d, major, minor, value;
  char name[64];
  size_t bytes;
  OK(cuDriverGetVersion(&n));
  assert_int_equal(n, 13000);
  OK(cuDeviceGetCount(&n));
  assert_int_equal(n, 1);
  OK(cuDeviceGet(&d, 0));
  assert_int_equal(d, 0);
  FAILS(cuDeviceGet(&d, 1), INVALID_DEVICE);
  OK(cuDeviceGetName(name, sizeof name, 0));
  assert_non_null(strstr(name, "H200"));
  OK(cuDeviceGetName(name, 5, 0));
  assert_string_equal(name, "weir");
  OK(cuDeviceComputeCapability(&major, &minor, 0));
  OK(cuDeviceGetAttribute(&value, 75, 0));
  assert_int_equal(major, 9);
  assert_int_equal(major, value);
  FAILS(cuDeviceGetAttribute(&value, 9999, 0), INVALID_VALUE);
  OK(cuDeviceTotalMem_v2(&bytes, 0));
  assert_true(bytes >= (size_t)1 << 30);
}

static void errors(void **state) {
  (void)state;
  const char *s;
  OK(cuGetErrorName(INVALID_PTX, &s));
  assert_string_equal(s, "CUDA_ERROR_INVALID_PTX");
  OK(cuGetErrorName(SUCCESS, &s));
  assert_string_equal(s, "CUDA_SUCCESS");
  OK(cuGetErrorString(OUT_OF_MEMORY, &s));
  assert_string_equal(s, "out of memory");
  FAILS(cuGetErrorName(9, &s), INVALID_VALUE); /* only the runtime has it */
  assert_null(s);
  FAILS(cuGetErrorString(12345, &s), INVALID_VALUE);
}

static void not_supported(void **state) {
  (void)state;
  void *c;
  FAILS(cuCtxAttach(&c, 0), NOT_SUPPORTED);
  FAILS(cuCtxAttach(&c, 0), NOT_SUPPORTED);
}

static void proc_address(void **state) {
  (void)state;
  void *p, *q;
  int status;
  OK(cuGetProcAddress_v2("cuMemAlloc", &p, 12000, 0, &status));
  assert_ptr_equal(p, (void *)(uintptr_t)cuMemAlloc_v2);
  assert_int_equal(status, 0);
  OK(cuGetProcAddress("cuCtxCreate", &p, 11000, 0));
  assert_ptr_equal(p, (void *)(uintptr_t)cuCtxCreate_v2);
  OK(cuGetProcAddress("cuCtxCreate", &p, 13000, 0));
  assert_ptr_equal(p, (void *)(uintptr_t)cuCtxCreate_v4);
  OK(cuGetProcAddress("cuLaunchKernel", &p, 13000, 0));
  OK(cuGetProcAddress("cuLaunchKernel", &q, 13000, 2)); /* for the thread's own stream */
  assert_non_null(q);
  FAILS(cuGetProcAddress("cuNothing", &p, 13000, 0), NOT_FOUND);
  OK(cuGetProcAddress_v2("cuNothing", &p, 13000, 0, &status));
  assert_null(p);
  assert_int_equal(status, 1);
  OK(cuGetProcAddress_v2("cuLibraryLoadData", &p, 11000, 0, &status));
  assert_null(p);
  assert_int_equal(status, 2);
}

/* ---- contexts ---- */

static void push_and_pop(void **state) {
  (void)state;
  void *a, *b, *c;
  OK(cuCtxCreate_v2(&a, 0, 0));
  OK(cuCtxCreate_v2(&b, 0, 0));
  OK(cuCtxGetCurrent(&c));
  assert_ptr_equal(c, b);
  OK(cuCtxPopCurrent_v2(&c));
  assert_ptr_equal(c, b);
  OK(cuCtxGetCurrent(&c));
  assert_ptr_equal(c, a);
  OK(cuCtxPushCurrent_v2(b));
  OK(cuCtxSetCurrent(a)); /* replaces b */
  OK(cuCtxPopCurrent_v2(NULL));
  OK(cuCtxPopCurrent_v2(&c));
  assert_ptr_equal(c, a);
  FAILS(cuCtxPopCurrent_v2(&c), INVALID_CONTEXT);
  FAILS(cuCtxPushCurrent_v2(&c), INVALID_CONTEXT);
  OK(cuCtxPushCurrent_v2(a));
  OK(cuCtxDestroy_v2(b));
  OK(cuCtxDestroy_v2(a));
  FAILS(cuCtxDestroy_v2(a), CONTEXT_IS_DESTROYED);
  FAILS(cuCtxSynchronize(), INVALID_CONTEXT);
}

static void *other_thread(void *arg) {
  void *c = arg;
  int device = 1;
  OK(cuCtxGetCurrent(&c));
  assert_null(c);
  FAILS(cuCtxSynchronize(), INVALID_CONTEXT);
  OK(cuCtxSetCurrent(arg));
  OK(cuCtxGetDevice(&device));
  assert_int_equal(device, 0);
  return NULL;
}

static void context_of_thread(void **state) {
  (void)state;
  pthread_t t;
  assert_int_equal(pthread_create(&t, NULL, other_thread, context), 0);
  assert_int_equal(pthread_join(t, NULL), 0);
}

/* A context takes with it what was made in it, and no more. */
static void context_owns(void **state) {
  (void)state;
  size_t before, after, total;
  uint64_t kept, gone;
  void *inner, *module, *stream, *f;
  OK(cuMemAlloc_v2(&kept, 1 << 20));
  OK(cuMemGetInfo_v2(&before, &total));
  OK(cuCtxCreate_v2(&inner, 0, 0));
  void *lib, *k, *primary;
  OK(cuLibraryLoadData(&lib, by_3, NULL, NULL, 0, NULL, NULL, 0));
  OK(cuDevicePrimaryCtxRetain(&primary, 0));
  OK(cuDevicePrimaryCtxRelease_v2(0));
  OK(cuMemAlloc_v2(&gone, 1 << 20));
  module = load(by_3);
  OK(cuStreamCreate(&stream, 1));
  void *of;
  OK(cuStreamGetCtx(stream, &of));
  assert_ptr_equal(of, inner);
  OK(cuCtxDestroy_v2(inner));
  OK(cuMemGetInfo_v2(&after, &total));
  assert_true(before == after);
  FAILS(cuMemFree_v2(gone), INVALID_VALUE);
  FAILS(cuModuleGetFunction(&f, module, "scale"), INVALID_HANDLE);
  FAILS(cuStreamSynchronize(stream), INVALID_HANDLE);
  OK(cuMemFree_v2(kept));
  OK(cuLibraryGetKernel(&k, lib, "scale"));
  OK(cuLibraryUnload(lib));
}

static void *hold(void *arg) {
  OK(cuCtxSetCurrent(arg));
  OK(cuCtxDestroy_v2(arg)); /* the other thread still has it */
  return NULL;
}

static void destroyed_elsewhere(void **state) {
  (void)state;
  void *c;
  uint64_t p;
  pthread_t t;
  OK(cuCtxCreate_v2(&c, 0, 0));
  assert_int_equal(pthread_create(&t, NULL, hold, c), 0);
  assert_int_equal(pthread_join(t, NULL), 0);
  FAILS(cuMemAlloc_v2(&p, 4), CONTEXT_IS_DESTROYED);
  OK(cuCtxPopCurrent_v2(NULL));
}

static void limits(void **state) {
  (void)state;
  size_t v;
  OK(cuCtxSetLimit(0, 2048));
  OK(cuCtxGetLimit(&v, 0));
  assert_int_equal(v, 2048);
  FAILS(cuCtxSetLimit(99, 1), INVALID_VALUE);
  FAILS(cuCtxSetLimit(3, 1), 215);
}

static void primary_context(void **state) {
  (void)state;
  void *a, *b;
  unsigned flags;
  int is_active;
  uint64_t p;
  OK(cuDevicePrimaryCtxGetState(0, &flags, &is_active));
  assert_int_equal(is_active, 0);
  OK(cuDevicePrimaryCtxRetain(&a, 0));
  OK(cuDevicePrimaryCtxRetain(&b, 0));
  assert_ptr_equal(a, b);
  FAILS(cuMemAlloc_v2(&p, 4), INVALID_CONTEXT); /* it is not current yet */
  OK(cuCtxSetCurrent(a));
  OK(cuMemAlloc_v2(&p, 4));
  OK(cuDevicePrimaryCtxGetState(0, &flags, &is_active));
  assert_int_equal(is_active, 1);
  FAILS(cuCtxDestroy_v2(a), INVALID_CONTEXT);
  OK(cuDevicePrimaryCtxRelease_v2(0));
  OK(cuMemFree_v2(p));
  OK(cuCtxSetCurrent(NULL));
  OK(cuDevicePrimaryCtxRelease_v2(0));
  FAILS(cuDevicePrimaryCtxRelease_v2(0), INVALID_CONTEXT);
}

/* ---- modules and launches ---- */

static void workload_from_file(void **state) {
  (void)state;
  enum { N = 1000 };
  static float a[N], b[N], c[N];
  for (int i = 0; i < N; i++) {
    a[i] = (float)i;
    b[i] = 0.5f;
  }
  void *m;
  uint64_t x, y, z;
  OK(cuModuleLoad(&m, vecadd_path));
  OK(cuMemAlloc_v2(&x, sizeof a));
  OK(cuMemAlloc_v2(&y, sizeof b));
  OK(cuMemAlloc_v2(&z, sizeof c));
  OK(cuMemcpyHtoD_v2(x, a, sizeof a));
  OK(cuMemcpyHtoD_v2(y, b, sizeof b));
  OK(cuMemsetD8_v2(z, 0xff, sizeof c));
  unsigned n = N;
  void *args[] = {&x, &y, &z, &n};
  OK(cuLaunchKernel(function(m, "vecadd"), (N + 127) / 128, 1, 1, 128, 1, 1, 0, NULL, args, NULL));
  OK(cuCtxSynchronize());
  OK(cuMemcpyDtoH_v2(c, z, sizeof c));
  for (int i = 0; i < N; i++)
    if (c[i] != (float)i + 0.5f) fail_msg("c[%d] is %g", i, (double)c[i]);
  FAILS(cuModuleLoad(&m, "no/such/file.ptx"), FILE_NOT_FOUND);
}

/* The same names in two modules are two things. */
static void two_modules(void **state) {
  (void)state;
  unsigned ones[] = {1, 1, 1};
  void *m3 = load(by_3), *m5 = load(by_5);
  uint64_t p = device_words(ones, 3), g3, g5;
  size_t bytes;
  OK(scale(function(m3, "scale"), p, 2, 0, NULL));
  OK(scale(function(m5, "scale"), p, 1, 7, NULL));
  assert_int_equal(word_at(p), 22);
  assert_int_equal(word_at(p + 4), 3);
  assert_int_equal(word_at(p + 8), 1);
  OK(cuModuleGetGlobal_v2(&g3, &bytes, m3, "factor"));
  assert_int_equal(bytes, 4);
  OK(cuModuleGetGlobal_v2(&g5, NULL, m5, "factor"));
  assert_true(g3 != g5);
  assert_int_equal(word_at(g3), 3);
  unsigned ten = 10;
  OK(cuMemcpyHtoD_v2(g3, &ten, sizeof ten));
  OK(scale(function(m3, "scale"), p + 8, 1, 0, NULL));
  assert_int_equal(word_at(p + 8), 10);
  assert_int_equal(word_at(g5), 5);
  uint64_t base;
  OK(cuMemGetAddressRange_v2(&base, &bytes, g3 + 1));
  assert_true(base == g3);
  OK(cuModuleUnload(m3));
  FAILS(cuModuleUnload(m3), INVALID_HANDLE);
  OK(scale(function(m5, "scale"), p, 1, 0, NULL));
  assert_int_equal(word_at(p), 110);
}

static void names_that_are_not_there(void **state) {
  (void)state;
  void *m = load(by_3), *f;
  uint64_t g;
  unsigned n;
  FAILS(cuModuleGetFunction(&f, m, "missing"), NOT_FOUND);
  FAILS(cuModuleGetFunction(&f, m, "factor"), NOT_FOUND);
  FAILS(cuModuleGetGlobal_v2(&g, NULL, m, "scale"), INVALID_VALUE);
  FAILS(cuModuleGetGlobal_v2(&g, NULL, m, "missing"), NOT_FOUND);
  FAILS(cuModuleGetFunction(&f, &m, "scale"), INVALID_HANDLE);
  OK(cuModuleGetFunctionCount(&n, m));
  assert_int_equal(n, 2);
}

enum { JIT_INFO = 3, JIT_INFO_BYTES, JIT_ERROR, JIT_ERROR_BYTES, JIT_TARGET = 9 };

static void wrong_ptx(void **state) {
  (void)state;
  char log[256], info[16] = "before";
  void *m;
  const int options[] = {JIT_TARGET, JIT_ERROR, JIT_ERROR_BYTES, JIT_INFO, JIT_INFO_BYTES};
  void *values[] = {(void *)90, log, (void *)sizeof log, info, (void *)sizeof info};
  static const char bad[] = HEAD ".visible .entry k()\n{\n  add.u32 %r1, %r1, 1;\n}\n";
  FAILS(cuModuleLoadDataEx(&m, bad, 5, options, values), INVALID_PTX);
  assert_non_null(strstr(log, ".ptx:6:"));
  assert_non_null(strstr(log, "%r1"));
  assert_int_equal((uintptr_t)values[2], strlen(log));
  assert_string_equal(info, "");
  /* A short buffer gets what fits. */
  memset(log, 'x', sizeof log);
  values[2] = (void *)10;
  FAILS(cuModuleLoadDataEx(&m, bad, 5, options, values), INVALID_PTX);
  assert_int_equal(strlen(log), 9);
  values[2] = (void *)sizeof log;
  OK(cuModuleLoadDataEx(&m, by_3, 5, options, values));
  assert_string_equal(log, "");
  assert_int_equal((uintptr_t)values[2], 0);
  FAILS(cuModuleLoadData(&m, "// PTX?\nnonsense"), INVALID_IMAGE);
  FAILS(cuModuleLoadData(&m, caller), INVALID_PTX); /* nothing defines what it calls */
  FAILS(cuModuleLoadData(&m, "\177ELF and so on"), 209);
  FAILS(cuModuleLoadData(&m, ""), INVALID_IMAGE);
  FAILS(cuModuleLoadData(&m, NULL), INVALID_VALUE);
}

/* CU_LAUNCH_PARAM_BUFFER_POINTER and _SIZE. */
static void packed_parameters(void **state) {
  (void)state;
  unsigned words[] = {4, 5};
  void *f = function(load(by_3), "scale");
  struct {
    uint64_t at;
    unsigned n, plus;
  } params = {device_words(words, 2), 2, 1};
  size_t bytes = sizeof params;
  void *extra[] = {(void *)1, &params, (void *)2, &bytes, NULL};
  OK(cuLaunchKernel(f, 1, 1, 1, 32, 1, 1, 0, NULL, NULL, extra));
  assert_int_equal(word_at(params.at), 13);
  assert_int_equal(word_at(params.at + 4), 16);
  bytes = 12; /* what is missing is 0 */
  OK(cuLaunchKernel(f, 1, 1, 1, 32, 1, 1, 0, NULL, NULL, extra));
  assert_int_equal(word_at(params.at), 39);
  bytes = 20;
  FAILS(cuLaunchKernel(f, 1, 1, 1, 32, 1, 1, 0, NULL, NULL, extra), OUT_OF_RESOURCES);
  void *none[] = {NULL};
  FAILS(cuLaunchKernel(f, 1, 1, 1, 32, 1, 1, 0, NULL, NULL, none), INVALID_VALUE);
  void *args[] = {&params.at, &params.n, &params.plus};
  FAILS(cuLaunchKernel(f, 1, 1, 1, 32, 1, 1, 0, NULL, args, extra), INVALID_VALUE);
  FAILS(cuLaunchKernel(f, 1, 1, 1, 32, 1, 1, 0, NULL, NULL, NULL), INVALID_VALUE);
}

static void wrong_launches(void **state) {
  (void)state;
  unsigned one = 1;
  void *f = function(load(by_3), "scale");
  uint64_t p = device_words(&one, 1);
  void *args[] = {&p, &one, &one};
  FAILS(cuLaunchKernel(f, 1, 1, 1, 2048, 1, 1, 0, NULL, args, NULL), INVALID_VALUE);
  FAILS(cuLaunchKernel(f, 0, 1, 1, 32, 1, 1, 0, NULL, args, NULL), INVALID_VALUE);
  FAILS(cuLaunchKernel(f, 1, 1, 1, 32, 1, 1, 1 << 20, NULL, args, NULL), INVALID_VALUE);
  FAILS(cuLaunchKernel(&p, 1, 1, 1, 32, 1, 1, 0, NULL, args, NULL), INVALID_HANDLE);
  FAILS(cuLaunchKernel(f, 1, 1, 1, 32, 1, 1, 0, &p, args, NULL), INVALID_HANDLE);
}

/* A fault is told from the next call on, and no new context helps. */
static void fault(void **state) {
  (void)state;
  void *c;
  uint64_t p;
  OK(cuCtxCreate_v2(&c, 0, 0));
  void *f = function(load(by_3), "fault");
  OK(cuLaunchKernel(f, 1, 1, 1, 1, 1, 1, 0, NULL, NULL, NULL));
  FAILS(cuCtxSynchronize(), ILLEGAL_ADDRESS);
  FAILS(cuMemAlloc_v2(&p, 4), ILLEGAL_ADDRESS);
  OK(cuCtxDestroy_v2(c));
  FAILS(cuMemAlloc_v2(&p, 4), ILLEGAL_ADDRESS);
  FAILS(cuCtxCreate_v2(&c, 0, 0), ILLEGAL_ADDRESS);
}

static void functions(void **state) {
  (void)state;
  void *f = function(load(by_3), "scale");
  int value, grid, block;
  const char *name;
  OK(cuFuncGetName(&name, f));
  assert_string_equal(name, "scale");
  OK(cuFuncGetAttribute(&value, 0, f));
  assert_int_equal(value, 1024);
  OK(cuFuncGetAttribute(&value, 5, f));
  assert_int_equal(value, 75);
  OK(cuFuncGetAttribute(&value, 6, f));
  assert_int_equal(value, 90);
  FAILS(cuFuncGetAttribute(&value, 16, f), INVALID_VALUE);
  FAILS(cuFuncGetAttribute(&value, 0, &f), INVALID_HANDLE);
  OK(cuOccupancyMaxPotentialBlockSize(&grid, &block, f, NULL, 0, 0));
  assert_int_equal(block, 1024);
  assert_int_equal(grid, 2 * 132);
  OK(cuOccupancyMaxPotentialBlockSize(&grid, &block, f, NULL, 0, 100));
  assert_int_equal(block, 100 / 32 * 32 == 96 ? 64 : 0); /* 32 blocks of 64 fill an SM; of 96, 21 */
}

/* Registers are estimated, and an estimate that is too high does not make a launch impossible. */
static void many_registers(void **state) {
  (void)state;
  enum { LIVE = 120 };
  char text[16384];
  int blocks, n = snprintf(text, sizeof text,
                           ".version 7.0\n.target sm_70\n.address_size 64\n"
                           ".visible .entry heavy(.param .u64 x) { .reg .b32 %%r<%d>;\n"
                           ".reg .b64 %%rd; ld.param.u64 %%rd, [x]; mov.u32 %%r0, %%tid.x;\n",
                           LIVE + 1);
  for (int i = 1; i <= LIVE; i++)
    n += snprintf(text + n, sizeof text - (size_t)n, "add.u32 %%r%d, %%r0, %d;\n", i, i);
  for (int i = LIVE; i > 0; i--)
    n += snprintf(text + n, sizeof text - (size_t)n, "add.u32 %%r0, %%r0, %%r%d;\n", i);
  snprintf(text + n, sizeof text - (size_t)n, "st.global.u32 [%%rd], %%r0; ret; }\n");
  void *f = function(load(text), "heavy");
  OK(cuFuncGetAttribute(&n, 4, f));
  assert_true(n > 65536 / 1024);
  OK(cuOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, f, 1024, 0));
  assert_int_equal(blocks, 1);
  OK(cuOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, f, 256, 0));
  assert_int_equal(blocks, 2);
}

/* The calls of before CUDA 4. */
static void launch_in_pieces(void **state) {
  (void)state;
  unsigned words[] = {1, 2};
  void *f = function(load(by_3), "scale");
  uint64_t p = device_words(words, 2);
  OK(cuFuncSetBlockShape(f, 2, 1, 1));
  FAILS(cuFuncSetBlockShape(f, 0, 1, 1), INVALID_VALUE);
  OK(cuParamSetv(f, 0, &p, 8));
  OK(cuParamSeti(f, 8, 2));
  OK(cuParamSeti(f, 12, 4));
  FAILS(cuParamSeti(f, 4096, 4), INVALID_VALUE);
  OK(cuParamSetSize(f, 16));
  OK(cuLaunch(f));
  OK(cuLaunchGrid(f, 1, 1));
  assert_int_equal(word_at(p), 25);
  assert_int_equal(word_at(p + 4), 34);
}

static void libraries(void **state) {
  (void)state;
  unsigned word = 2;
  void *lib, *k, *f;
  OK(cuLibraryLoadData(&lib, by_5, NULL, NULL, 0, NULL, NULL, 0));
  OK(cuLibraryGetKernel(&k, lib, "scale"));
  OK(cuKernelGetFunction(&f, k));
  uint64_t p = device_words(&word, 1);
  OK(scale(f, p, 1, 0, NULL));
  OK(scale(k, p, 1, 0, NULL));
  assert_int_equal(word_at(p), 50);
  OK(cuLibraryUnload(lib));
  FAILS(cuLibraryGetKernel(&k, lib, "scale"), INVALID_HANDLE);
}

static void linker(void **state) {
  (void)state;
  enum { CUBIN = 0, PTX = 1 };
  unsigned word = 21;
  char log[256];
  const int options[] = {JIT_ERROR, JIT_ERROR_BYTES};
  void *values[] = {log, (void *)sizeof log}, *link, *image, *m;
  size_t bytes;
  OK(cuLinkCreate_v2(2, options, values, &link));
  OK(cuLinkAddData_v2(link, PTX, caller, sizeof caller, "caller", 0, NULL, NULL));
  FAILS(cuLinkAddData_v2(link, CUBIN, caller, 10, "cubin", 0, NULL, NULL), NOT_SUPPORTED);
  assert_int_not_equal(cuLinkComplete(link, &image, &bytes), SUCCESS);
  assert_non_null(strstr(log, "twice"));
  values[1] = (void *)sizeof log;
  OK(cuLinkAddData_v2(link, PTX, callee, sizeof callee, "callee", 0, NULL, NULL));
  OK(cuLinkComplete(link, &image, &bytes));
  assert_string_equal(log, "");
  OK(cuModuleLoadData(&m, image));
  OK(cuLinkDestroy(link));
  FAILS(cuLinkDestroy(link), INVALID_HANDLE);
  uint64_t p = device_words(&word, 1);
  void *args[] = {&p};
  OK(cuLaunchKernel(function(m, "apply"), 1, 1, 1, 1, 1, 1, 0, NULL, args, NULL));
  assert_int_equal(word_at(p), 42);
}

/* ---- memory ---- */

static void allocation(void **state) {
  (void)state;
  uint64_t p, q;
  size_t pitch, before, after, total;
  void *host;
  FAILS(cuMemAlloc_v2(&p, 0), INVALID_VALUE);
  FAILS(cuMemAlloc_v2(NULL, 4), INVALID_VALUE);
  FAILS(cuMemAlloc_v2(&p, (size_t)1 << 50), OUT_OF_MEMORY);
  OK(cuMemGetInfo_v2(&before, &total));
  OK(cuMemAlloc_v2(&p, 1000));
  OK(cuMemGetInfo_v2(&after, &total));
  assert_true(after < before);
  OK(cuMemFree_v2(p));
  FAILS(cuMemFree_v2(p), INVALID_VALUE);
  OK(cuMemAllocPitch_v2(&p, &pitch, 100, 3, 4));
  assert_true(pitch >= 100 && pitch % 32 == 0);
  FAILS(cuMemAllocPitch_v2(&q, &pitch, 100, 3, 5), INVALID_VALUE);
  OK(cuMemFree_v2(p));
  OK(cuMemAllocHost_v2(&host, 64));
  memset(host, 1, 64);
  FAILS(cuMemFree_v2((uintptr_t)host), INVALID_VALUE);
  OK(cuMemFreeHost(host));
  OK(cuMemAllocManaged(&p, 64, 1));
  *(unsigned *)(uintptr_t)p = 6;
  OK(scale(function(load(by_3), "scale"), p, 1, 0, NULL));
  OK(cuCtxSynchronize());
  assert_int_equal(*(unsigned *)(uintptr_t)p, 18);
  OK(cuMemFree_v2(p));
}

static void pointer_attributes(void **state) {
  (void)state;
  enum { CONTEXT = 1, TYPE, DEVICE_POINTER, HOST_POINTER, MANAGED = 8, ORDINAL, START = 11, SIZE };
  uint64_t p, value, host_ptr;
  void *of, *host;
  int type, ordinal, managed;
  OK(cuMemAlloc_v2(&p, 100));
  OK(cuPointerGetAttribute(&type, TYPE, p + 4));
  assert_int_equal(type, 2);
  OK(cuPointerGetAttribute(&of, CONTEXT, p));
  assert_ptr_equal(of, context);
  OK(cuPointerGetAttribute(&value, START, p + 4));
  assert_true(value == p);
  OK(cuPointerGetAttribute(&value, SIZE, p + 4));
  assert_int_equal(value, 100);
  FAILS(cuPointerGetAttribute(&value, HOST_POINTER, p), INVALID_VALUE);
  FAILS(cuPointerGetAttribute(&type, TYPE, (uintptr_t)&type), INVALID_VALUE);
  OK(cuMemAllocHost_v2(&host, 8));
  OK(cuPointerGetAttribute(&type, TYPE, (uintptr_t)host));
  assert_int_equal(type, 1);
  const int list[] = {TYPE, HOST_POINTER, MANAGED, ORDINAL};
  void *values[] = {&type, &host_ptr, &managed, &ordinal};
  OK(cuPointerGetAttributes(4, list, values, (uintptr_t)host));
  assert_true(host_ptr == (uintptr_t)host && !managed && ordinal == 0);
  OK(cuPointerGetAttributes(4, list, values, (uintptr_t)&type));
  assert_true(type == 0 && host_ptr == 0 && ordinal == -2);
}

static void copies_and_fills(void **state) {
  (void)state;
  unsigned words[8] = {1, 2, 3, 4, 5, 6, 7, 8}, back[8] = {0};
  uint64_t p = device_words(words, 8), q;
  OK(cuMemAlloc_v2(&q, sizeof words));
  OK(cuMemcpyDtoD_v2(q, p, sizeof words));
  OK(cuMemcpy((uintptr_t)back, q, sizeof words));
  assert_memory_equal(words, back, sizeof words);
  FAILS(cuMemcpyHtoD_v2(p, words, sizeof words + 4000), INVALID_VALUE);
  FAILS(cuMemcpyHtoD_v2((uintptr_t)back, words, 4), INVALID_VALUE);
  OK(cuMemsetD32_v2(p, 0x01020304, 2));
  OK(cuMemsetD16_v2(p + 8, 0x0506, 1));
  OK(cuMemsetD8_v2(p + 10, 7, 1));
  OK(cuMemcpyDtoH_v2(back, p, sizeof back));
  assert_int_equal(back[0], 0x01020304);
  assert_int_equal(back[2], 0x070506);
  /* Two rows of two words, into a host rectangle four words wide, at its second column. */
  memset(back, 0, sizeof back);
  OK(cuMemsetD2D32_v2(q, 8, 9, 1, 2));
  struct copy_2d c = {.src = {.type = 2, .device = q, .pitch = 8},
                      .dst = {.x = 4, .type = 1, .host = back, .pitch = 16},
                      .width = 8,
                      .height = 2};
  OK(cuMemcpy2D_v2(&c));
  static const unsigned expected[8] = {0, 9, 2, 0, 0, 9, 4, 0};
  assert_memory_equal(back, expected, sizeof back);
  c.src.pitch = 4;
  FAILS(cuMemcpy2D_v2(&c), INVALID_VALUE);
  c.src.type = 9;
  FAILS(cuMemcpy2D_v2(&c), INVALID_VALUE);
}

static void arrays(void **state) {
  (void)state;
  enum { HOST = 1, ARRAY = 3, FLOAT = 0x20 };
  struct array_2d d = {.width = 3, .height = 2, .format = FLOAT, .channels = 2}, is;
  float in[2][6] = {{1, 2, 3, 4, 5, 6}, {7, 8, 9, 10, 11, 12}}, out[2] = {0};
  void *a;
  OK(cuArrayCreate_v2(&a, &d));
  OK(cuArrayGetDescriptor_v2(&is, a));
  assert_memory_equal(&is, &d, sizeof d);
  struct copy_2d to = {.src = {.type = HOST, .host = in, .pitch = sizeof in[0]},
                       .dst = {.type = ARRAY, .array = a},
                       .width = sizeof in[0],
                       .height = 2};
  OK(cuMemcpy2D_v2(&to));
  struct copy_2d from = {.src = {.x = 8, .y = 1, .type = ARRAY, .array = a},
                         .dst = {.type = HOST, .host = out, .pitch = 8},
                         .width = 8,
                         .height = 1};
  OK(cuMemcpy2D_v2(&from));
  assert_true(out[0] == 9 && out[1] == 10);
  from.src.x = 24;
  FAILS(cuMemcpy2D_v2(&from), INVALID_VALUE);
  OK(cuArrayDestroy(a));
  FAILS(cuArrayDestroy(a), INVALID_HANDLE);
  d.format = 0x91; /* compressed blocks */
  FAILS(cuArrayCreate_v2(&a, &d), NOT_SUPPORTED);
}

static float look(void *f, uint64_t texture, float x, float y) {
  uint64_t out;
  float value;
  OK(cuMemAlloc_v2(&out, sizeof value));
  void *args[] = {&texture, &out, &x, &y};
  OK(cuLaunchKernel(f, 1, 1, 1, 1, 1, 1, 0, NULL, args, NULL));
  OK(cuMemcpyDtoH_v2(&value, out, sizeof value));
  OK(cuMemFree_v2(out));
  return value;
}

/* A texture of 4 x 2 floats: x + 10 * y. */
static void *numbered(unsigned flags) {
  enum { HOST = 1, ARRAY = 3, FLOAT = 0x20 };
  const struct array_3d d = {
      .width = 4, .height = 2, .format = FLOAT, .channels = 1, .flags = flags};
  static const float texels[2][4] = {{0, 1, 2, 3}, {10, 11, 12, 13}};
  void *a;
  OK(cuArray3DCreate_v2(&a, &d));
  const struct copy_2d to = {.src = {.type = HOST, .host = texels, .pitch = sizeof texels[0]},
                             .dst = {.type = ARRAY, .array = a},
                             .width = sizeof texels[0],
                             .height = 2};
  OK(cuMemcpy2D_v2(&to));
  return a;
}

enum { CLAMP = 1, LINEAR = 1, NORMALIZED = 2 };

static void texture_objects(void **state) {
  (void)state;
  enum { OF_ARRAY, OF_PITCHED = 3, FLOAT = 0x20 };
  void *f = function(load(looks), "object"), *a = numbered(0);
  struct resource r = {.type = OF_ARRAY, .u.array = a}, back;
  struct texture t = {.address = {CLAMP, CLAMP, CLAMP}}, how;
  uint64_t object, p;
  OK(cuTexObjectCreate(&object, &r, &t, NULL));
  assert_true(look(f, object, 2.5f, 1.5f) == 12);
  assert_true(look(f, object, 99, 0) == 3);
  OK(cuTexObjectGetResourceDesc(&back, object));
  assert_ptr_equal(back.u.array, a);
  OK(cuTexObjectDestroy(object));
  t.filter = LINEAR;
  t.flags = NORMALIZED;
  OK(cuTexObjectCreate(&object, &r, &t, NULL));
  assert_true(look(f, object, 0.5f, 0.5f) == 6.5f);
  OK(cuTexObjectGetTextureDesc(&how, object));
  assert_int_equal(how.flags, NORMALIZED);
  OK(cuTexObjectDestroy(object));
  /* Rows in memory. */
  size_t pitch;
  OK(cuMemAllocPitch_v2(&p, &pitch, 16, 2, 4));
  OK(cuMemsetD32_v2(p + pitch + 4, 0x40a00000, 1)); /* 5 */
  r = (struct resource){.type = OF_PITCHED, .u.pitched = {p, FLOAT, 1, 4, 2, pitch}};
  t = (struct texture){0};
  OK(cuTexObjectCreate(&object, &r, &t, NULL));
  assert_true(look(f, object, 1, 1) == 5);
  OK(cuTexObjectDestroy(object));
  FAILS(cuTexObjectCreate(&object, &r, NULL, NULL), INVALID_VALUE);
  r.type = 9;
  FAILS(cuTexObjectCreate(&object, &r, &t, NULL), INVALID_VALUE);
}

static void texture_references(void **state) {
  (void)state;
  void *m = load(looks), *f = function(m, "reference"), *a = numbered(2), *ref, *again, *surf;
  FAILS(cuModuleGetTexRef(&ref, m, "none"), NOT_FOUND);
  FAILS(cuModuleGetTexRef(&ref, m, "canvas"), NOT_FOUND);
  OK(cuModuleGetTexRef(&ref, m, "image"));
  OK(cuTexRefSetArray(ref, a, 1));
  assert_true(look(f, 0, 1, 1) == 11);
  OK(cuModuleGetTexRef(&again, m, "image"));
  assert_ptr_equal(again, ref);
  OK(cuTexRefSetFilterMode(ref, LINEAR));
  OK(cuTexRefSetFlags(ref, NORMALIZED));
  assert_true(look(f, 0, 0.5f, 0.5f) == 6.5f);
  OK(cuTexRefGetArray(&again, ref));
  assert_ptr_equal(again, a);
  FAILS(cuTexRefSetAddressMode(ref, 3, 0), INVALID_VALUE);
  FAILS(cuTexRefSetArray(m, a, 1), INVALID_HANDLE);
  /* The texel that a kernel stores is what the next one reads. */
  OK(cuModuleGetSurfRef(&surf, m, "canvas"));
  OK(cuSurfRefSetArray(surf, a, 0));
  FAILS(cuSurfRefSetArray(surf, numbered(0), 0), INVALID_VALUE); /* not made for it */
  OK(cuLaunchKernel(function(m, "paint"), 1, 1, 1, 1, 1, 1, 0, NULL, NULL, NULL));
  OK(cuTexRefSetFilterMode(ref, 0));
  OK(cuTexRefSetFlags(ref, 0));
  assert_true(look(f, 0, 1, 1) == 100);
}

/* Memory behind a range grows; what was mapped first stays where it is. */
static void virtual_memory(void **state) {
  (void)state;
  const struct memory_props props = {.type = 1, .location = {1, 0}};
  const struct access rw = {{1, 0}, 3}, none = {{1, 0}, 0};
  struct memory_props is;
  size_t unit, before, after, total;
  uint64_t range, first, second, alias;
  unsigned words[] = {1, 2};
  OK(cuMemGetInfo_v2(&before, &total));
  OK(cuMemGetAllocationGranularity(&unit, &props, 0));
  FAILS(cuMemAddressReserve(&range, unit + 1, 0, 0, 0), INVALID_VALUE);
  OK(cuMemAddressReserve(&range, 4 * unit, 0, 0, 0));
  assert_int_equal(range % unit, 0);
  FAILS(cuMemCreate(&first, unit / 2, &props, 0), INVALID_VALUE);
  OK(cuMemCreate(&first, unit, &props, 0));
  OK(cuMemCreate(&second, unit, &props, 0));
  OK(cuMemGetAllocationPropertiesFromHandle(&is, first));
  assert_memory_equal(&is, &props, sizeof is);
  OK(cuMemMap(range, unit, 0, first, 0));
  FAILS(cuMemMap(range, unit, 0, second, 0), INVALID_VALUE);
  FAILS(cuMemcpyHtoD_v2(range, words, 8), INVALID_VALUE); /* no access yet */
  OK(cuMemSetAccess(range, unit, &rw, 1));
  OK(cuMemMap(range + unit, unit, 0, second, 0));
  OK(cuMemSetAccess(range, 2 * unit, &rw, 1));
  OK(cuMemRelease(first));
  OK(cuMemRelease(second));
  /* The kernel's words are on both sides of the border. */
  uint64_t at = range + unit - 4;
  OK(cuMemcpyHtoD_v2(at, words, 8));
  OK(scale(function(load(by_3), "scale"), at, 2, 0, NULL));
  OK(cuMemcpyDtoH_v2(words, at, 8));
  assert_int_equal(words[0], 3);
  assert_int_equal(words[1], 6);
  /* The same memory at a second address. */
  OK(cuMemCreate(&first, unit, &props, 0));
  OK(cuMemAddressReserve(&alias, 2 * unit, 0, 0, 0));
  OK(cuMemMap(alias, unit, 0, first, 0));
  OK(cuMemMap(alias + unit, unit, 0, first, 0));
  OK(cuMemSetAccess(alias, 2 * unit, &rw, 1));
  OK(cuMemsetD32_v2(alias, 77, 1));
  assert_int_equal(word_at(alias + unit), 77);
  OK(cuMemSetAccess(alias, unit, &none, 1));
  FAILS(cuMemsetD32_v2(alias, 78, 1), INVALID_VALUE);
  unsigned long long flags;
  OK(cuMemGetAccess(&flags, &props.location, alias));
  assert_int_equal(flags, 0);
  FAILS(cuMemAddressFree(alias, 2 * unit), INVALID_VALUE);
  OK(cuMemUnmap(alias, 2 * unit));
  OK(cuMemAddressFree(alias, 2 * unit));
  OK(cuMemRelease(first));
  FAILS(cuMemRelease(first), INVALID_VALUE);
  OK(cuMemUnmap(range, 2 * unit));
  OK(cuMemUnmap(range, unit));
  FAILS(cuMemUnmap(range, 5 * unit), INVALID_VALUE);
  FAILS(cuMemcpyHtoD_v2(at, words, 4), INVALID_VALUE);
  OK(cuMemAddressFree(range, 4 * unit));
  OK(cuMemGetInfo_v2(&after, &total));
  assert_true(before == after);
}

/* ---- streams ---- */

static void add_one(void *data) {
  ++*(int *)data;
}

static void streams_and_events(void **state) {
  (void)state;
  int calls = 0;
  float ms;
  unsigned words[] = {1, 0};
  uint64_t p = device_words(words, 2);
  void *s, *from, *to;
  OK(cuStreamCreate(&s, 0));
  OK(cuEventCreate(&from, 0));
  OK(cuEventCreate(&to, 0));
  OK(cuEventRecord(from, s));
  OK(scale(function(load(by_3), "scale"), p, 1, 1, s));
  OK(cuLaunchHostFunc(s, add_one, &calls));
  OK(cuEventRecord(to, s));
  OK(cuEventSynchronize(to));
  OK(cuEventElapsedTime(&ms, from, to));
  assert_true(ms > 0);
  assert_int_equal(calls, 1);
  assert_int_equal(word_at(p), 4);
  OK(cuStreamWriteValue64_v2(s, p, 0x100000002, 0));
  assert_int_equal(word_at(p), 2);
  OK(cuStreamWaitValue32_v2(s, p, 2, 1));
  FAILS(cuStreamWaitValue32_v2(s, p, 3, 1), NOT_SUPPORTED);
  OK(cuEventDestroy_v2(from));
  OK(cuEventDestroy_v2(to));
  OK(cuStreamDestroy_v2(s));
  FAILS(cuStreamSynchronize(s), INVALID_HANDLE);
}

static void graphs(void **state) {
  (void)state;
  unsigned word = 1;
  uint64_t p = device_words(&word, 1);
  void *s, *graph, *exec, *node, *f = function(load(by_3), "scale");
  OK(cuStreamCreate(&s, 1));
  OK(cuStreamBeginCapture_v2(s, 0));
  OK(scale(f, p, 1, 0, s));
  OK(cuStreamEndCapture(s, &graph));
  assert_int_equal(word_at(p), 1);
  OK(cuGraphInstantiateWithFlags(&exec, graph, 0));
  OK(cuGraphLaunch(exec, s));
  OK(cuGraphLaunch(exec, s));
  assert_int_equal(word_at(p), 9);
  OK(cuGraphExecDestroy(exec));
  OK(cuGraphDestroy(graph));
  OK(cuGraphCreate(&graph, 0));
  const struct memset_params set = {p, 4, 5, 4, 1, 1};
  OK(cuGraphAddMemsetNode(&node, graph, NULL, 0, &set, context));
  unsigned one = 1, two = 2, back = 0;
  void *args[] = {&p, &one, &two}, *second, *third;
  struct node_params kernel = {.u.kernel = {f, {1, 1, 1}, {1, 1, 1}, 0, args, NULL, NULL, NULL}};
  OK(cuGraphAddNode_v2(&second, graph, &node, NULL, 1, &kernel));
  struct node_params copy = {.type = 1,
                             .u.copy.copy = {.src = {.type = 2, .device = p},
                                             .dst = {.type = 1, .host = &back},
                                             .width = 4,
                                             .height = 1,
                                             .depth = 1}};
  OK(cuGraphAddNode_v2(&third, graph, &second, NULL, 1, &copy));
  OK(cuGraphInstantiateWithFlags(&exec, graph, 0));
  OK(cuGraphLaunch(exec, NULL));
  assert_int_equal(back, 17);
  OK(cuGraphExecDestroy(exec));
  OK(cuGraphDestroy(graph));
}

/* ---- with libcudart ---- */

/* One device, and the runtime's context is current where none is. */
static void both_libraries(void **state) {
  (void)state;
  enum { HOST_TO_DEVICE = 1, DEVICE_TO_HOST = 2 };
  unsigned word = 4;
  void *p, *c, *primary, *s;
  int is_active;
  unsigned flags;
  OK(cudaMalloc(&p, 4));
  OK(cudaMemcpy(p, &word, 4, HOST_TO_DEVICE));
  OK(cuCtxGetCurrent(&c));
  assert_non_null(c);
  OK(cuDevicePrimaryCtxRetain(&primary, 0));
  assert_ptr_equal(c, primary);
  OK(cuDevicePrimaryCtxGetState(0, &flags, &is_active));
  assert_int_equal(is_active, 1);
  OK(cudaStreamCreate(&s));
  OK(scale(function(load(by_5), "scale"), (uintptr_t)p, 1, 2, s));
  OK(cudaMemcpy(&word, p, 4, DEVICE_TO_HOST));
  assert_int_equal(word, 22);
  OK(cudaStreamDestroy(s));
  OK(cuDevicePrimaryCtxRelease_v2(0)); /* the runtime still has it */
  OK(cuMemFree_v2((uintptr_t)p));
  OK(cudaMalloc(&p, 4));
  OK(cudaFree(p));
}

int main(int argc, char **argv) {
  if (argc < 2) return 2;
  vecadd_path = argv[1];
#define IN_CONTEXT(test) cmocka_unit_test_setup_teardown(test, start, stop)
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(needs_init),
      cmocka_unit_test(device),
      cmocka_unit_test(errors),
      cmocka_unit_test(not_supported),
      cmocka_unit_test(proc_address),
      cmocka_unit_test(push_and_pop),
      cmocka_unit_test(primary_context),
      IN_CONTEXT(context_of_thread),
      IN_CONTEXT(context_owns),
      cmocka_unit_test(destroyed_elsewhere),
      IN_CONTEXT(limits),
      IN_CONTEXT(workload_from_file),
      IN_CONTEXT(two_modules),
      IN_CONTEXT(names_that_are_not_there),
      IN_CONTEXT(wrong_ptx),
      IN_CONTEXT(packed_parameters),
      IN_CONTEXT(wrong_launches),
      IN_CONTEXT(functions),
      IN_CONTEXT(many_registers),
      IN_CONTEXT(launch_in_pieces),
      IN_CONTEXT(libraries),
      IN_CONTEXT(linker),
      IN_CONTEXT(allocation),
      IN_CONTEXT(pointer_attributes),
      IN_CONTEXT(copies_and_fills),
      IN_CONTEXT(arrays),
      IN_CONTEXT(texture_objects),
      IN_CONTEXT(texture_references),
      IN_CONTEXT(virtual_memory),
      IN_CONTEXT(streams_and_events),
      IN_CONTEXT(graphs),
      cmocka_unit_test(both_libraries),
      IN_CONTEXT(fault), /* the last: it stays */
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
