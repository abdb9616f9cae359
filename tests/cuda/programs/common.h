/* What the test programs share: a call that must succeed, a fixed random sequence, a checksum. */
#ifndef PROGRAMS_COMMON_H
#define PROGRAMS_COMMON_H
#include <cstdio>
#include <cstdlib>

#define OK(call)                                                                                   \
  do {                                                                                             \
    cudaError_t status_ = (call);                                                                  \
    if (status_ != cudaSuccess) {                                                                  \
      printf("%s: %s\n", #call, cudaGetErrorName(status_));                                        \
      exit(1);                                                                                     \
    }                                                                                              \
  } while (0)

/* The result of a call that is expected to fail is printed, not acted on. */
#define SHOW(call) printf("%s: %s\n", #call, cudaGetErrorName(call))

static inline unsigned next_random(unsigned *seed) {
  *seed = *seed * 1664525u + 1013904223u;
  return *seed >> 8;
}

/* FNV-1a over bytes: two results are equal when their sums are. */
static inline unsigned checksum(const void *data, size_t bytes) {
  const unsigned char *p = (const unsigned char *)data;
  unsigned sum = 2166136261u;
  for (size_t i = 0; i < bytes; i++)
    sum = (sum ^ p[i]) * 16777619u;
  return sum;
}

#endif
