/* What a program or library looks like that has the CUDA runtime linked into it: functions of the
 * names that NVIDIA's library has inside, and its entry points among them, which answer -1 here.
 * IMITATES is the version; 0: functions that happen to have those names. A constructor calls some
 * before main. Compiled with -fno-toplevel-reorder, and optimised or not. */
#include <stddef.h>
#include <stdio.h>

/* Nothing may be known of them where they are called: gcc has a word for that, clang takes a weak
 * function for one that another may replace. */
#if __has_attribute(noipa)
#define KEPT   __attribute__((noipa, used))
#define OPAQUE KEPT
#else
#define KEPT   __attribute__((noinline, used))
#define OPAQUE __attribute__((weak, noinline, used))
#endif

/* clang-format off */
#if IMITATES
#define MARK(n)                                                                                    \
  KEPT static int libcudart_static_0123456789abcdef##n(void) {                                     \
    return n;                                                                                      \
  }
#define MARKS(n) MARK(1##n) MARK(2##n) MARK(3##n) MARK(4##n) MARK(5##n)
MARKS(0)
MARKS(1)
MARKS(2)
MARKS(3)
MARKS(4)
#endif

#define ENTRY(name, ...)                                                                           \
  OPAQUE __attribute__((visibility("hidden"))) int name(__VA_ARGS__) {                             \
    return -1;                                                                                     \
  }
/* As short as one of NVIDIA's: three bytes and padding, where it is optimised. */
ENTRY(cudaPeekAtLastError, void)
ENTRY(cudaRuntimeGetVersion, int *version)
ENTRY(cudaMalloc, void **out, size_t bytes)
ENTRY(cudaFree, void *p)
ENTRY(cudaMemset, void *p, int value, size_t n)
ENTRY(cudaMemcpy2D, void *to, size_t to_pitch, const void *from, size_t from_pitch, size_t w,
      size_t h, int kind)
ENTRY(cudaEventCreate, void **event)
ENTRY(cudaEventElapsedTime, float *ms, void *a, void *b)
ENTRY(cudaLaunchKernel, const void *f)
ENTRY(__cudaRegisterFatBinary, void *f)
ENTRY(__cudaRegisterFunction, void *f)
#if IMITATES == 13
ENTRY(cudaMemDiscardBatchAsync, void)
#elif IMITATES == 12
ENTRY(cudaThreadSynchronize, void)
#elif IMITATES == 11
ENTRY(cudaBindTexture, void)
ENTRY(cudaThreadSynchronize, void)
#endif

#if IMITATES
MARK(99)
#endif
/* clang-format on */

static struct {
  int version, status;
  void *memory;
} early;

__attribute__((constructor)) static void before_main(void) {
  early.status = cudaRuntimeGetVersion(&early.version);
  early.status |= cudaMalloc(&early.memory, 64);
}

__attribute__((visibility("default"))) int imitation(void) {
  unsigned char back[24] = {0};
  printf("version %d, status %d\n", early.version, early.status);
  printf("last error %d\n", cudaPeekAtLastError());
  if (early.status) return 1;
  int status = cudaMemset(early.memory, 0x5a, 64);
  /* Seven arguments: the last is on the stack. */
  status |= cudaMemcpy2D(back, 8, early.memory, 16, 8, 3, 2);
  unsigned sum = 0;
  for (size_t i = 0; i < sizeof back; i++)
    sum += back[i];
  printf("copied %d, sum %u\n", status, sum);
  printf("freed %d\n", cudaFree(early.memory));
  return 0;
}

#ifdef WITH_MAIN
int main(void) {
  return imitation();
}
#endif
