/* Shared by the stream tests: random numbers that repeat, and a kernel whose every third
 * instruction accesses memory. */
#ifndef TESTS_STREAM_UTIL_H
#define TESTS_STREAM_UTIL_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "stream/block.h"

static inline uint64_t rnd(uint64_t *state) {
  uint64_t z = *state += UINT64_C(0x9e3779b97f4a7c15);
  z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
  z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
  return z ^ z >> 31;
}

static inline uint32_t below(uint64_t *state, uint32_t n) {
  return (uint32_t)(rnd(state) % n);
}

static inline uint32_t rnd_mask(uint64_t *s) {
  uint32_t r = (uint32_t)rnd(s);
  switch (below(s, 6)) {
  case 0:
    return UINT32_MAX;
  case 1:
    return UINT32_MAX >> below(s, 32);
  case 2:
    return UINT32_C(1) << below(s, 32);
  case 3:
    return (UINT32_MAX >> below(s, 16)) & (UINT32_MAX << below(s, 16));
  case 4:
    return below(s, 8) ? r : 0;
  default:
    return r & (uint32_t)rnd(s) & (uint32_t)rnd(s);
  }
}

enum { TEST_INSNS = 20000 };

static inline const struct weir_kernel_info *test_kernel(void) {
  static struct weir_static insns[TEST_INSNS];
  static struct weir_kernel_info k = {.name = "test", .n_insns = TEST_INSNS, .insns = insns};
  for (uint32_t i = 0; i < TEST_INSNS; i++)
    insns[i].width = i % 3 ? 0 : 4;
  return &k;
}

#endif
