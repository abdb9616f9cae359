/* Calls the stand-in for libcudart as host code from nvcc does: registers a fat binary with its
 * kernels and variables, launches, copies, captures. Argument: the folder of test data. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <fenv.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifdef __x86_64__
#include <xmmintrin.h>
#endif

#include "cudart.h"

/* ---- what nvcc writes ---- */

static struct {
  uint32_t magic, version;
  const void *data;
  const void *const *aux;
} wrapper = {0x466243b1, 1, NULL, NULL};
static void **handle;

/* Host functions are only addresses here. */
static const char k_empty[] = "empty", k_add[] = "add", k_unpack[] = "unpack",
                  k_variables[] = "variables", k_reverse[] = "reverse", k_increment[] = "increment",
                  k_poke[] = "poke", k_bounded[] = "bounded", k_hello[] = "hello",
                  k_halves[] = "halves", k_missing[] = "missing";
static int counter;
static float factors[4];
static int *shared_word;

static void register_all(const char *folder) {
  static const char *const kernels[] = {k_empty,   k_add,       k_unpack, k_variables,
                                        k_reverse, k_increment, k_poke,   k_bounded,
                                        k_hello,   k_missing,   k_halves};
  char path[512];
  snprintf(path, sizeof path, "%s/host.fatbin", folder);
  FILE *f = fopen(path, "rb");
  if (f == NULL) exit(2);
  static char image[65536];
  size_t n = fread(image, 1, sizeof image, f);
  fclose(f);
  if (n == 0) exit(2);
  wrapper.data = image;
  handle = __cudaRegisterFatBinary(&wrapper);
  for (size_t i = 0; i < sizeof kernels / sizeof kernels[0]; i++)
    __cudaRegisterFunction(handle, kernels[i], NULL, kernels[i], -1, NULL, NULL, NULL, NULL, NULL);
  __cudaRegisterVar(handle, (char *)&counter, NULL, "counter", 0, sizeof counter, 0, 0);
  __cudaRegisterVar(handle, (char *)factors, NULL, "factors", 0, sizeof factors, 1, 0);
  __cudaRegisterManagedVar(handle, (void **)&shared_word, NULL, "shared_word", 0, sizeof(int), 0,
                           0);
  __cudaRegisterFatBinaryEnd(handle);
}

/* kernel<<<grid, block, shared, stream>>>(args) */
static int launch(const char *kernel, unsigned grid, unsigned block, size_t shared, void *stream,
                  void **args) {
  struct dim3 g = {grid, 1, 1}, b = {block, 1, 1};
  void *k, *s;
  if (__cudaPushCallConfiguration(g, b, shared, stream) != 0) return -1;
  int error = __cudaGetKernel(&k, kernel);
  assert_int_equal(__cudaPopCallConfiguration(&g, &b, &shared, &s), SUCCESS);
  assert_ptr_equal(s, stream);
  return error != 0 ? error : __cudaLaunchKernel(k, g, b, args, shared, s);
}

#define OK(call) assert_int_equal((call), SUCCESS)

static int reset(void **state) {
  (void)state;
  OK(cudaDeviceReset());
  (void)cudaGetLastError();
  return 0;
}

static int *device_words(const int *from, size_t n) {
  void *p;
  OK(cudaMalloc(&p, n * sizeof(int)));
  if (from != NULL) OK(cudaMemcpy(p, from, n * sizeof(int), H2D));
  return p;
}

static int word_at(const int *p) {
  int v;
  OK(cudaMemcpy(&v, p, sizeof v, D2H));
  return v;
}

/* ---- launches ---- */

static void adds(void **state) {
  (void)state;
  enum { N = 1000 };
  static float x[N], y[N];
  void *a, *b, *c;
  int n = N;
  for (int i = 0; i < N; i++)
    x[i] = (float)i;
  OK(cudaMalloc(&a, sizeof x));
  OK(cudaMalloc(&b, sizeof x));
  OK(cudaMalloc(&c, sizeof x));
  OK(cudaMemcpy(a, x, sizeof x, H2D));
  OK(cudaMemcpy(b, a, sizeof x, D2D));
  void *args[] = {&a, &b, &c, &n};
  OK(launch(k_add, 4, 256, 0, NULL, args));
  OK(cudaMemcpy(y, c, sizeof y, D2H));
  for (int i = 0; i < N; i++)
    assert_true(y[i] == 2 * x[i]);
  OK(cudaLaunchKernel(k_add, (struct dim3){4, 1, 1}, (struct dim3){256, 1, 1}, args, 0, NULL));
  OK(cudaGetLastError());
}

/* Each parameter at the place that the kernel has for it. */
static void parameters(void **state) {
  (void)state;
  struct {
    char tag;
    double weight;
    short count[3];
  } parcel = {'x', 2.5, {1, 2, 3}};
  char last = 9;
  double out[4];
  void *p;
  OK(cudaMalloc(&p, sizeof out));
  OK(launch(k_unpack, 1, 1, 0, NULL, (void *[]){&parcel, &last, &p}));
  OK(cudaMemcpy(out, p, sizeof out, D2H));
  assert_true(out[0] == 'x' && out[1] == 2.5 && out[2] == 3 && out[3] == 9);
}

static void variables(void **state) {
  (void)state;
  float f[4] = {0, 0, 42, 0}, out[2];
  void *p, *address;
  size_t bytes;
  int value = 100;
  OK(cudaMalloc(&p, sizeof out));
  OK(launch(k_variables, 1, 1, 0, NULL, (void *[]){&p}));
  OK(cudaMemcpy(out, p, sizeof out, D2H));
  assert_true(out[0] == 3 && out[1] == 6);
  OK(cudaMemcpyToSymbol(factors, f, sizeof f, 0, H2D));
  OK(cudaMemcpyToSymbol(&counter, &value, sizeof value, 0, H2D));
  OK(launch(k_variables, 1, 1, 0, NULL, (void *[]){&p}));
  OK(cudaMemcpy(out, p, sizeof out, D2H));
  assert_true(out[0] == 42 && out[1] == 101);
  OK(cudaMemcpyFromSymbol(&value, &counter, sizeof value, 0, D2H));
  assert_int_equal(value, 101);
  OK(cudaGetSymbolAddress(&address, &counter));
  assert_int_equal(word_at(address), 101);
  OK(cudaGetSymbolSize(&bytes, factors));
  assert_int_equal(bytes, sizeof factors);
  assert_int_equal(cudaMemcpyToSymbol(factors, f, sizeof f, 8, H2D), INVALID_VALUE);
  assert_int_equal(cudaMemcpyToSymbol(&value, f, sizeof value, 0, H2D), INVALID_SYMBOL);
  /* The host reads a managed variable through the pointer that the runtime fills in. */
  assert_true(__cudaInitModule(handle));
  assert_int_equal(*shared_word, 27);
}

static void dynamic_shared(void **state) {
  (void)state;
  int data[64], out[64];
  for (int i = 0; i < 64; i++)
    data[i] = i;
  int *p = device_words(data, 64);
  OK(launch(k_reverse, 1, 64, sizeof data, NULL, (void *[]){&p}));
  OK(cudaMemcpy(out, p, sizeof out, D2H));
  for (int i = 0; i < 64; i++)
    assert_int_equal(out[i], 63 - i);
  assert_int_equal(launch(k_reverse, 1, 64, 64 << 10, NULL, (void *[]){&p}), INVALID_VALUE);
  OK(cudaFuncSetAttribute(k_reverse, 8, 64 << 10));
  OK(launch(k_reverse, 1, 64, 64 << 10, NULL, (void *[]){&p}));
  assert_int_equal(cudaFuncSetAttribute(k_reverse, 8, 1 << 20), INVALID_VALUE);
}

/* Subnormal numbers, and sums that are rounded, whatever the host's settings are. */
static void host_arithmetic(void **state) {
  (void)state;
  float x[2] = {1.5e-38f, 1.0f / 3}, out[2][2];
  void *p;
  OK(cudaMalloc(&p, sizeof x));
  for (int i = 0; i < 2; i++) {
    OK(cudaMemcpy(p, x, sizeof x, H2D));
#ifdef __x86_64__
    if (i == 1) _mm_setcsr(_mm_getcsr() | 0x8040); /* flush to zero, take subnormals for zero */
#endif
    if (i == 1) fesetround(FE_UPWARD);
    int error = launch(k_halves, 1, 2, 0, NULL, (void *[]){&p});
    assert_int_equal(fegetround(), i == 1 ? FE_UPWARD : FE_TONEAREST);
    fesetenv(FE_DFL_ENV);
    OK(error);
    OK(cudaMemcpy(out[i], p, sizeof x, D2H));
  }
  assert_true(out[0][0] > 0);
  assert_memory_equal(out[0], out[1], sizeof out[0]);
}

static void wrong_launches(void **state) {
  (void)state;
  int *p = device_words(NULL, 128);
  assert_int_equal(launch(k_empty, 0, 1, 0, NULL, NULL), INVALID_VALUE);
  assert_int_equal(cudaPeekAtLastError(), INVALID_VALUE);
  assert_int_equal(cudaGetLastError(), INVALID_VALUE);
  OK(cudaGetLastError());
  assert_int_equal(launch(k_empty, 1, 1025, 0, NULL, NULL), INVALID_VALUE);
  assert_int_equal(launch(k_bounded, 1, 65, 0, NULL, (void *[]){&p}), INVALID_VALUE);
  OK(launch(k_bounded, 1, 64, 0, NULL, (void *[]){&p}));
  assert_int_equal(launch(k_missing, 1, 1, 0, NULL, NULL), INVALID_FUNCTION);
  assert_int_equal(
      cudaLaunchKernel("nothing", (struct dim3){1, 1, 1}, (struct dim3){1, 1, 1}, NULL, 0, NULL),
      INVALID_HANDLE);
  assert_int_equal(launch(k_empty, 1, 1, 0, p, NULL), INVALID_HANDLE);
  struct dim3 many = {1 << 20, 1, 1}, one = {1, 1, 1};
  assert_int_equal(cudaLaunchCooperativeKernel(k_empty, many, one, NULL, 0, NULL),
                   COOPERATIVE_TOO_LARGE);
  struct launch_attribute a = {.id = 4, .value.cluster = {2, 1, 1}};
  struct launch_config c = {many, one, 0, NULL, &a, 1};
  assert_int_equal(cudaLaunchKernelExC(&c, k_empty, NULL), NOT_SUPPORTED);
  a.value.cluster.x = 1;
  c.grid.x = 3;
  OK(cudaLaunchKernelExC(&c, k_empty, NULL));
}

/* A fault shows with the next call, and stays until the device is reset. */
static void faults(void **state) {
  (void)state;
  void *p;
  long long far = INT64_C(1) << 36; /* nearer there is memory that a GPU has mapped */
  int *words = device_words(NULL, 4);
  OK(launch(k_poke, 1, 1, 0, NULL, (void *[]){&words, &far}));
  OK(cudaGetLastError());
  assert_int_equal(cudaDeviceSynchronize(), ILLEGAL_ADDRESS);
  assert_int_equal(cudaGetLastError(), ILLEGAL_ADDRESS);
  OK(cudaGetLastError());
  assert_int_equal(cudaMalloc(&p, 4), ILLEGAL_ADDRESS);
  assert_int_equal(launch(k_empty, 1, 1, 0, NULL, NULL), ILLEGAL_ADDRESS);
  OK(cudaDeviceReset());
  (void)cudaGetLastError();
  words = device_words(NULL, 4);
  words = (int *)(void *)((char *)words + 2);
  far = 0;
  OK(launch(k_poke, 1, 1, 0, NULL, (void *[]){&words, &far}));
  assert_int_equal(cudaMemcpy(&far, words, 4, D2H), MISALIGNED);
}

/* ---- memory ---- */

static void one_address_for_both(void **state) {
  (void)state;
  void *pinned, *managed, *device;
  static int own[4] = {1};
  OK(cudaMallocHost(&pinned, 4));
  OK(cudaMallocManaged(&managed, 4, 1));
  int *const words[] = {pinned, managed, own};
  *words[0] = 10, *words[1] = 20;
  OK(cudaHostRegister(own, sizeof own, 0));
  assert_int_equal(cudaHostRegister(own, sizeof own, 0), ALREADY_REGISTERED);
  for (int i = 0; i < 3; i++) {
    void *word = words[i];
    OK(launch(k_increment, 1, 1, 0, NULL, (void *[]){&word}));
  }
  OK(cudaDeviceSynchronize());
  assert_int_equal(*words[0], 11);
  assert_int_equal(*words[1], 21);
  assert_int_equal(own[0], 2);
  OK(cudaHostGetDevicePointer(&device, own, 0));
  assert_ptr_equal(device, own);
  OK(cudaHostUnregister(own));
  assert_int_equal(cudaHostUnregister(own), NOT_REGISTERED);
  OK(cudaFreeHost(pinned));
  assert_int_equal(cudaFreeHost(managed), INVALID_VALUE);
  OK(cudaFree(managed));
}

/* Managed memory may be larger than the device's, of which nothing is left then. */
static void more_than_there_is(void **state) {
  (void)state;
  void *managed, *p;
  size_t left, all;
  OK(cudaMemGetInfo(&left, &all));
  OK(cudaMallocManaged(&managed, all + 4096, 1));
  OK(cudaMemGetInfo(&left, &all));
  assert_int_equal(left, 0);
  assert_int_equal(cudaMalloc(&p, 4), OUT_OF_MEMORY);
  (void)cudaGetLastError();
  OK(cudaFree(managed));
  OK(cudaMalloc(&p, 4));
  OK(cudaFree(p));
}

static void pointers(void **state) {
  (void)state;
  enum { UNREGISTERED, HOST, DEVICE, MANAGED };
  struct pointer_attributes a;
  void *pinned, *managed;
  int mine, *device = device_words(NULL, 4);
  OK(cudaMallocHost(&pinned, 4));
  OK(cudaMallocManaged(&managed, 4, 1));
  OK(cudaPointerGetAttributes(&a, device + 2));
  assert_true(a.type == DEVICE && a.device_ptr == device + 2 && a.host_ptr == NULL);
  OK(cudaPointerGetAttributes(&a, pinned));
  assert_true(a.type == HOST && a.host_ptr == pinned);
  OK(cudaPointerGetAttributes(&a, managed));
  assert_true(a.type == MANAGED && a.host_ptr == managed && a.device_ptr == managed);
  OK(cudaPointerGetAttributes(&a, &mine));
  assert_true(a.type == UNREGISTERED && a.device_ptr == NULL);
}

static void wrong_copies(void **state) {
  (void)state;
  int host[8] = {0}, *p = device_words(NULL, 4);
  void *q;
  size_t all, left;
  assert_int_equal(cudaMemcpy(p, host, 17, H2D), INVALID_VALUE);
  assert_int_equal(cudaMemcpy(host, p, 4, H2D), INVALID_VALUE);
  assert_int_equal(cudaMemcpy(p, host, 4, D2D), INVALID_VALUE);
  OK(cudaMemcpy(p, host, 16, ANY));
  OK(cudaMemcpy(p, host, 0, H2D));
  assert_int_equal(cudaMemset(host, 0, 4), INVALID_VALUE);
  assert_int_equal(cudaMemset(p, 0, 17), INVALID_VALUE);
  assert_int_equal(cudaFree(p + 1), INVALID_VALUE);
  OK(cudaFree(p));
  assert_int_equal(cudaFree(p), INVALID_VALUE);
  OK(cudaFree(NULL));
  OK(cudaMemGetInfo(&left, &all));
  assert_int_equal(left, all);
  assert_int_equal(cudaMalloc(&q, all + 1), OUT_OF_MEMORY);
  OK(cudaMalloc(&q, 0));
  assert_null(q);
}

static void rows(void **state) {
  (void)state;
  unsigned char host[6][8], back[6][8];
  void *p;
  size_t pitch;
  for (int i = 0; i < 48; i++)
    host[i / 8][i % 8] = (unsigned char)i;
  OK(cudaMallocPitch(&p, &pitch, 8, 6));
  assert_true(pitch >= 8 && pitch % 32 == 0);
  OK(cudaMemset2D(p, pitch, 255, 8, 6));
  OK(cudaMemcpy2D((char *)p + pitch + 2, pitch, &host[2][3], 8, 4, 3, H2D));
  OK(cudaMemcpy2D(back, 8, p, pitch, 8, 6, D2H));
  for (int y = 0; y < 6; y++)
    for (int x = 0; x < 8; x++) {
      bool in = y >= 1 && y < 4 && x >= 2 && x < 6;
      assert_int_equal(back[y][x], in ? host[y + 1][x + 1] : 255);
    }
}

static void arrays(void **state) {
  (void)state;
  short host[2][3][4], back[2][3][4] = {0};
  struct channel channel = {16, 0, 0, 0, 0};
  void *a;
  for (int i = 0; i < 24; i++)
    host[i / 12][i / 4 % 3][i % 4] = (short)i;
  OK(cudaMalloc3DArray(&a, &channel, (struct extent){4, 3, 2}, 0));
  struct copy3d in = {.src = {host, 8, 4, 3}, .dst_array = a, .extent = {4, 3, 2}, .kind = H2D};
  OK(cudaMemcpy3D(&in));
  struct copy3d out = {.src_array = a,
                       .src_pos = {1, 1, 1},
                       .dst = {back, 8, 4, 3},
                       .extent = {3, 2, 1},
                       .kind = D2H};
  OK(cudaMemcpy3D(&out));
  for (int y = 0; y < 2; y++)
    for (int x = 0; x < 3; x++)
      assert_int_equal(back[0][y][x], host[1][y + 1][x + 1]);
  assert_int_equal(cudaMemcpy2DToArray(a, 2, 0, host, 8, 8, 1, H2D), INVALID_VALUE);
  OK(cudaFreeArray(a));
  assert_int_equal(cudaFreeArray(a), INVALID_VALUE);
}

/* A fat binary as nvcc 11 makes it: not compressed, with a texture reference, which nvcc 13 does
 * not know any more. */
static const char old_ptx[] =
    ".version 7.8\n.target sm_75\n.address_size 64\n.global .texref tr;\n"
    ".visible .entry fetch(.param .u64 out) {\n"
    ".reg .b32 %r<8>; .reg .b64 %d<4>;\n"
    "ld.param.u64 %d0, [out]; cvta.to.global.u64 %d0, %d0; mov.u32 %r0, %tid.x;\n"
    "tex.1d.v4.s32.s32 {%r1, %r2, %r3, %r4}, [tr, {%r0}];\n"
    "mul.wide.u32 %d1, %r0, 4; add.s64 %d1, %d0, %d1; st.global.u32 [%d1], %r1; ret; }\n"
    ".visible .entry sample(.param .u64 out) {\n"
    ".reg .b32 %r<8>; .reg .f32 %f; .reg .b64 %d<4>;\n"
    "ld.param.u64 %d0, [out]; cvta.to.global.u64 %d0, %d0; mov.u32 %r0, %tid.x;\n"
    "cvt.rn.f32.u32 %f, %r0; tex.1d.v4.s32.f32 {%r1, %r2, %r3, %r4}, [tr, {%f}];\n"
    "mul.wide.u32 %d1, %r0, 4; add.s64 %d1, %d0, %d1; st.global.u32 [%d1], %r1; ret; }\n";

static void **register_old(void) {
  static struct {
    uint32_t magic;
    uint16_t version, head;
    uint64_t size;
    uint16_t kind, entry_version;
    uint32_t entry_head;
    uint64_t entry_size;
    uint32_t packed, options;
    uint16_t minor, major;
    uint32_t sm, name, name_bytes;
    uint64_t flags, unused, unpacked;
    char text[2048];
  } image;
  static struct {
    uint32_t magic, version;
    const void *data, *aux;
  } old = {0x466243b1, 1, &image, NULL};
  image.magic = 0xba55ed50, image.version = 1, image.head = 16;
  image.size = 64 + sizeof image.text;
  image.kind = 1, image.entry_version = 0x101, image.entry_head = 64;
  image.entry_size = sizeof image.text;
  image.minor = 8, image.major = 7, image.sm = 75, image.flags = 0x11;
  strcpy(image.text, old_ptx);
  return __cudaRegisterFatBinary(&old);
}

/* References of CUDA 11 are bound by the address of the program's variable. */
static void texture_references(void **state) {
  (void)state;
  static const char fetch[] = "fetch", sample[] = "sample";
  static struct {
    int normalized, filter, address[3];
    struct channel channel;
    int rest[21];
  } tr = {.address = {1, 1, 1}};
  int data[130], out[32], *q = device_words(NULL, 32);
  struct channel channel = {32, 0, 0, 0, 0};
  size_t offset;
  void *array;
  for (int i = 0; i < 130; i++)
    data[i] = 100 + i;
  int *p = device_words(data, 130);
  void **old = register_old();
  __cudaRegisterFunction(old, fetch, NULL, fetch, -1, NULL, NULL, NULL, NULL, NULL);
  __cudaRegisterFunction(old, sample, NULL, sample, -1, NULL, NULL, NULL, NULL, NULL);
  __cudaRegisterTexture(old, &tr, NULL, "::tr", 1, 0, 0);
  OK(cudaBindTexture(&offset, &tr, p, &channel, sizeof data));
  assert_int_equal(offset, 0);
  OK(launch(fetch, 1, 32, 0, NULL, (void *[]){&q}));
  OK(cudaMemcpy(out, q, sizeof out, D2H));
  for (int i = 0; i < 32; i++)
    assert_int_equal(out[i], 100 + i);
  /* From the middle: texels begin before, and the program is told by how much. */
  OK(cudaBindTexture(&offset, &tr, p + 129, &channel, 4));
  assert_int_equal(offset, 4);
  OK(launch(fetch, 1, 32, 0, NULL, (void *[]){&q}));
  assert_int_equal(word_at(q + 1), 229);
  assert_int_equal(cudaBindTexture(NULL, &tr, p + 129, &channel, 4), INVALID_VALUE);
  OK(cudaMallocArray(&array, &channel, 16, 0, 0));
  OK(cudaMemcpy2DToArray(array, 0, 0, data, 64, 64, 1, H2D));
  OK(cudaBindTextureToArray(&tr, array, &channel));
  OK(launch(sample, 1, 32, 0, NULL, (void *[]){&q}));
  assert_int_equal(word_at(q + 3), 103);
  assert_int_equal(word_at(q + 31), 115); /* clamped */
  OK(cudaUnbindTexture(&tr));
  assert_int_equal(cudaUnbindTexture(&old_ptx), INVALID_TEXTURE);
  __cudaUnregisterFatBinary(old);
}

/* ---- streams ---- */

static char order[16];
static void note(void *text) {
  strcat(order, text);
}
static void note_status(void *stream, int status, void *text) {
  (void)stream;
  strcat(order, status == 0 ? text : "!");
}

static void streams(void **state) {
  (void)state;
  void *s, *t, *event;
  int *p = device_words((const int[]){0}, 1);
  order[0] = 0;
  OK(cudaStreamCreate(&s));
  OK(cudaStreamCreate(&t));
  OK(cudaEventCreate(&event));
  OK(launch(k_increment, 1, 1, 0, s, (void *[]){&p}));
  OK(cudaLaunchHostFunc(s, note, "a"));
  OK(cudaStreamAddCallback(s, note_status, "b", 0));
  OK(cudaEventRecord(event, s));
  OK(cudaStreamWaitEvent(t, event, 0));
  OK(launch(k_increment, 1, 1, 0, t, (void *[]){&p}));
  OK(cudaStreamSynchronize(t));
  OK(cudaStreamQuery(s));
  assert_string_equal(order, "ab");
  assert_int_equal(word_at(p), 2);
  OK(cudaStreamDestroy(s));
  assert_int_equal(cudaStreamSynchronize(s), INVALID_HANDLE);
  OK(cudaEventDestroy(event));
  assert_int_equal(cudaEventRecord(event, t), INVALID_HANDLE);
}

/* Without weir time is estimated, the same for the same work. */
static void elapsed_time(void **state) {
  (void)state;
  void *from, *to;
  float ms[3];
  int *p = device_words(NULL, 1);
  OK(cudaEventCreate(&from));
  OK(cudaEventCreate(&to));
  assert_int_equal(cudaEventElapsedTime(ms, from, to), INVALID_HANDLE);
  for (int i = 0; i < 3; i++) {
    OK(cudaEventRecord(from, NULL));
    for (int k = 0; k <= i / 2; k++)
      OK(launch(k_increment, 1, 1, 0, NULL, (void *[]){&p}));
    OK(cudaEventRecord(to, NULL));
    OK(cudaEventSynchronize(to));
    OK(cudaEventElapsedTime(&ms[i], from, to));
  }
  assert_true(ms[0] > 0 && ms[1] > 0.99f * ms[0] && ms[1] < 1.01f * ms[0]);
  assert_true(ms[2] > 1.99f * ms[0] && ms[2] < 2.01f * ms[0]);
}

/* ---- graphs ---- */

static void graph_by_hand(void **state) {
  (void)state;
  void *graph, *exec, *set, *add, *copy, *host, *clone, *nodes[8];
  int *p = device_words(NULL, 1), *q = device_words((const int[]){70}, 1), out = 0;
  size_t n = 8;
  order[0] = 0;
  struct kernel_params k = {.func = (void *)(uintptr_t)k_increment,
                            .grid = {1, 1, 1},
                            .block = {1, 1, 1},
                            .args = (void *[]){&p}};
  OK(cudaGraphCreate(&graph, 0));
  /* In an order that only its edges make right. */
  OK(cudaGraphAddMemcpyNode1D(&copy, graph, NULL, 0, &out, p, sizeof out, D2H));
  OK(cudaGraphAddKernelNode(&add, graph, NULL, 0, &k));
  struct memset_params fill = {p, 0, 5, 4, 1, 1};
  OK(cudaGraphAddMemsetNode(&set, graph, NULL, 0, &fill));
  OK(cudaGraphAddHostNode(&host, graph, &copy, 1, &(struct host_params){note, "h"}));
  OK(cudaGraphAddDependencies(graph, (void *[]){set, add}, (void *[]){add, copy}, NULL, 2));
  OK(cudaGraphGetNodes(graph, nodes, &n));
  assert_int_equal(n, 4);
  OK(cudaGraphClone(&clone, graph));
  OK(cudaGraphInstantiate(&exec, graph, 0));
  OK(cudaGraphLaunch(exec, NULL));
  OK(cudaGraphLaunch(exec, NULL));
  assert_int_equal(out, 6);
  assert_string_equal(order, "hh");
  k.args = (void *[]){&q};
  OK(cudaGraphExecKernelNodeSetParams(exec, add, &k));
  OK(cudaGraphLaunch(exec, NULL));
  assert_int_equal(out, 5);
  assert_int_equal(word_at(q), 71);
  struct update_info info;
  OK(cudaGraphExecUpdate(exec, clone, &info));
  OK(cudaGraphLaunch(exec, NULL));
  assert_int_equal(out, 6);
  OK(cudaGraphAddDependencies(graph, &copy, &set, NULL, 1));
  assert_int_equal(cudaGraphInstantiate(&exec, graph, 0), INVALID_VALUE); /* a cycle */
  OK(cudaGraphDestroy(graph));
  OK(cudaGraphDestroy(clone));
}

/* Work of two streams that are tied by events becomes a graph, and is not done meanwhile. */
static void captured(void **state) {
  (void)state;
  void *s, *t, *fork, *join, *graph, *exec;
  int status, *p = device_words((const int[]){0}, 1);
  OK(cudaStreamCreate(&s));
  OK(cudaStreamCreate(&t));
  OK(cudaEventCreate(&fork));
  OK(cudaEventCreate(&join));
  OK(cudaStreamBeginCapture(s, 0));
  OK(cudaStreamIsCapturing(s, &status));
  assert_int_equal(status, 1);
  OK(launch(k_increment, 1, 1, 0, s, (void *[]){&p}));
  OK(cudaEventRecord(fork, s));
  OK(cudaStreamWaitEvent(t, fork, 0));
  OK(launch(k_increment, 1, 1, 0, t, (void *[]){&p}));
  OK(cudaEventRecord(join, t));
  OK(cudaStreamWaitEvent(s, join, 0));
  OK(cudaStreamEndCapture(s, &graph));
  assert_int_equal(word_at(p), 0);
  OK(cudaGraphInstantiate(&exec, graph, 0));
  for (int i = 0; i < 10; i++)
    OK(cudaGraphLaunch(exec, s));
  assert_int_equal(word_at(p), 20);
  OK(cudaGraphExecDestroy(exec));
  OK(cudaGraphDestroy(graph));
}

static void wrong_captures(void **state) {
  (void)state;
  void *s, *t, *fork, *graph;
  int *p = device_words((const int[]){0}, 1);
  OK(cudaStreamCreate(&s));
  OK(cudaStreamCreate(&t));
  OK(cudaEventCreate(&fork));
  assert_int_equal(cudaStreamBeginCapture(NULL, 0), CAPTURE_UNSUPPORTED);
  assert_int_equal(cudaStreamEndCapture(s, &graph), ILLEGAL_STATE);
  OK(cudaStreamBeginCapture(s, 0));
  assert_int_equal(cudaStreamSynchronize(s), CAPTURE_UNSUPPORTED);
  assert_int_equal(cudaStreamEndCapture(s, &graph), CAPTURE_INVALIDATED);
  OK(cudaStreamBeginCapture(s, 0));
  assert_int_equal(cudaMemset(p, 0, 4), CAPTURE_IMPLICIT);
  assert_int_equal(cudaStreamEndCapture(s, &graph), CAPTURE_INVALIDATED);
  OK(cudaStreamBeginCapture(s, 0));
  OK(cudaEventRecord(fork, s));
  OK(cudaStreamWaitEvent(t, fork, 0));
  OK(launch(k_increment, 1, 1, 0, t, (void *[]){&p}));
  assert_int_equal(cudaStreamEndCapture(s, &graph), CAPTURE_UNJOINED);
  OK(launch(k_increment, 1, 1, 0, t, (void *[]){&p}));
  assert_int_equal(word_at(p), 1);
}

/* Memory that a captured stream allocates has the same address in every launch of the graph. */
static void memory_in_graphs(void **state) {
  (void)state;
  void *s, *p, *graph, *exec;
  int out = 0;
  OK(cudaStreamCreate(&s));
  OK(cudaMallocAsync(&p, 4, s));
  OK(cudaFreeAsync(p, s));
  OK(cudaStreamBeginCapture(s, 0));
  OK(cudaMallocAsync(&p, 4, s));
  OK(cudaMemsetAsync(p, 0, 4, s));
  OK(launch(k_increment, 1, 1, 0, s, (void *[]){&p}));
  OK(cudaMemcpyAsync(&out, p, 4, D2H, s));
  OK(cudaFreeAsync(p, s));
  OK(cudaStreamEndCapture(s, &graph));
  OK(cudaGraphInstantiate(&exec, graph, 0));
  for (int i = 0; i < 3; i++) {
    out = 0;
    OK(cudaGraphLaunch(exec, s));
    assert_int_equal(out, 1);
  }
}

/* An object of the program goes with the last graph or instance that refers to it. */
static void objects_of_graphs(void **state) {
  (void)state;
  void *graph, *exec, *object;
  order[0] = 0;
  OK(cudaGraphCreate(&graph, 0));
  OK(cudaUserObjectCreate(&object, "x", note, 1, 1));
  OK(cudaGraphRetainUserObject(graph, object, 1, 1)); /* takes over the program's reference */
  OK(cudaGraphInstantiate(&exec, graph, 0));
  OK(cudaGraphDestroy(graph));
  assert_string_equal(order, "");
  OK(cudaGraphExecDestroy(exec));
  assert_string_equal(order, "x");
  assert_int_equal(cudaUserObjectRelease(object, 1), INVALID_VALUE);
}

/* ---- questions ---- */

static void device(void **state) {
  (void)state;
  int n, sms, version;
  struct {
    char name[256];
    char rest[752];
  } p;
  size_t memory;
  OK(cudaGetDeviceCount(&n));
  assert_int_equal(n, 1);
  assert_int_equal(cudaSetDevice(1), INVALID_DEVICE);
  OK(cudaDeviceGetAttribute(&sms, 16, 0));
  assert_int_equal(sms, 132);
  assert_int_equal(cudaDeviceGetAttribute(&sms, 9999, 0), INVALID_VALUE);
  OK(cudaGetDeviceProperties(&p, 0));
  assert_non_null(strstr(p.name, "weir"));
  memcpy(&memory, p.rest + 32, sizeof memory);
  assert_true(memory == (size_t)16 << 30);
  OK(cudaRuntimeGetVersion(&version));
  assert_int_equal(version, 13000);
  OK(cudaDeviceSetLimit(2, 32 << 20));
  OK(cudaDeviceGetLimit(&memory, 2));
  assert_int_equal(memory, 32 << 20);
}

static void functions(void **state) {
  (void)state;
  struct func_attributes a;
  int blocks;
  OK(cudaFuncGetAttributes(&a, k_bounded));
  assert_int_equal(a.max_threads, 64);
  assert_true(a.regs > 0 && a.ptx == 75 && a.max_dynamic == 48 << 10);
  OK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, k_empty, 1024, 0));
  assert_int_equal(blocks, 2);
  OK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, k_empty, 32, 0));
  assert_int_equal(blocks, 32);
  OK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, k_empty, 32, 100 << 10));
  assert_int_equal(blocks, 2);
}

static void errors(void **state) {
  (void)state;
  char unused[64];
  assert_string_equal(cudaGetErrorName(0), "cudaSuccess");
  assert_string_equal(cudaGetErrorString(0), "no error");
  assert_string_equal(cudaGetErrorName(700), "cudaErrorIllegalAddress");
  assert_string_equal(cudaGetErrorString(719), "unspecified launch failure");
  assert_string_equal(cudaGetErrorName(12345), "unrecognized error code");
  assert_string_equal(cudaGetErrorName(-1), "unrecognized error code");
  assert_int_equal(cudaIpcGetMemHandle(unused, NULL), NOT_SUPPORTED);
  assert_int_equal(cudaGetLastError(), NOT_SUPPORTED);
}

int main(int argc, char **argv) {
  if (argc != 2) return 2;
  register_all(argv[1]);
#define TEST(name) cmocka_unit_test_setup(name, reset)
  const struct CMUnitTest tests[] = {
      TEST(adds),
      TEST(parameters),
      TEST(variables),
      TEST(dynamic_shared),
      TEST(host_arithmetic),
      TEST(wrong_launches),
      TEST(faults),
      TEST(one_address_for_both),
      TEST(more_than_there_is),
      TEST(pointers),
      TEST(wrong_copies),
      TEST(rows),
      TEST(arrays),
      TEST(texture_references),
      TEST(streams),
      TEST(elapsed_time),
      TEST(graph_by_hand),
      TEST(captured),
      TEST(wrong_captures),
      TEST(memory_in_graphs),
      TEST(objects_of_graphs),
      TEST(device),
      TEST(functions),
      TEST(errors),
  };
  int failed = cmocka_run_group_tests(tests, NULL, NULL);
  __cudaUnregisterFatBinary(handle);
  return failed;
}
