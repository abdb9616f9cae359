/* Shared by the vec_*.c files, which are compiled once per vector width (WEIR_VEC_SUFFIX names it).
 *
 * A handler computes all 32 lanes and stores those of the mask. Loops are written so that the
 * compiler turns them into vector code of whatever width the file is built for; the results are the
 * same for every width. */
#ifndef WEIR_EXEC_VEC_H
#define WEIR_EXEC_VEC_H

#include <string.h>

#include "exec/core.h"

#if defined(__SSE2__)
#include <immintrin.h>
#endif

#ifndef WEIR_VEC_SUFFIX
#define WEIR_VEC_SUFFIX base
#endif
#define VEC_CAT2(a, b) a##_##b
#define VEC_CAT(a, b)  VEC_CAT2(a, b)
/* Name of a handler in this build of the file. */
#define HN(id) VEC_CAT(ptx_h_##id, WEIR_VEC_SUFFIX)

/* Lanes are independent even where the destination is a source: registers are the same or disjoint.
 */
#if defined(__clang__)
#define EACH_LANE                                                                                  \
  _Pragma("clang loop vectorize(assume_safety)") for (unsigned i = 0; i < LANES; i++)
#else
#define EACH_LANE _Pragma("GCC ivdep") for (unsigned i = 0; i < LANES; i++)
#endif

#define REG(T, off) ((T *)__builtin_assume_aligned(w->reg + (off), 64))
#define PRED(off)   (*(uint32_t *)(void *)(w->reg + (off)))

#define PTX_H(id) void HN(id)(struct ptx_warp * w, const struct ptx_uop *u, uint32_t mask);
#include "exec/handlers.def"
#undef PTX_H
#define HANDLER(id) void HN(id)(struct ptx_warp * w, const struct ptx_uop *u, uint32_t mask)

/* Store EXPR (of lane i) into register d of type T under the mask. */
#define STORE_LANES(T, EXPR)                                                                       \
  do {                                                                                             \
    T *d = REG(T, u->d);                                                                           \
    if (__builtin_expect(mask == FULL, 1)) {                                                       \
      EACH_LANE d[i] = (T)(EXPR);                                                                  \
    } else {                                                                                       \
      EACH_LANE d[i] = (T)((mask >> i) & 1 ? (T)(EXPR) : d[i]);                                    \
    }                                                                                              \
  } while (0)

/* Copy 32 computed lanes to register d under the mask. */
#define BLEND(T, t) STORE_LANES(T, (t)[i])

/* One lane of a register of 1, 2, 4 or 8 bytes. */
static inline uint64_t lane_get(const struct ptx_warp *w, uint32_t off, unsigned bytes,
                                unsigned i) {
  const uint8_t *p = w->reg + off;
  switch (bytes) {
  case 1:
    return p[i];
  case 2:
    return ((const uint16_t *)(const void *)p)[i];
  case 4:
    return ((const uint32_t *)(const void *)p)[i];
  default:
    return ((const uint64_t *)(const void *)p)[i];
  }
}
static inline void lane_put(struct ptx_warp *w, uint32_t off, unsigned bytes, unsigned i,
                            uint64_t v) {
  uint8_t *p = w->reg + off;
  switch (bytes) {
  case 1:
    p[i] = (uint8_t)v;
    break;
  case 2:
    ((uint16_t *)(void *)p)[i] = (uint16_t)v;
    break;
  case 4:
    ((uint32_t *)(void *)p)[i] = (uint32_t)v;
    break;
  default:
    ((uint64_t *)(void *)p)[i] = v;
    break;
  }
}

/* Bit i of the result = lane i of t is not 0 (t holds 0 or all ones). */
static inline uint32_t mask_of32(const uint32_t *t) {
#if defined(__AVX512F__)
  __m512i lo = _mm512_load_si512((const void *)t), hi = _mm512_load_si512((const void *)(t + 16));
  return (uint32_t)_mm512_test_epi32_mask(lo, lo) | (uint32_t)_mm512_test_epi32_mask(hi, hi) << 16;
#elif defined(__AVX2__)
  uint32_t r = 0;
  for (unsigned k = 0; k < 4; k++)
    r |= (uint32_t)_mm256_movemask_ps(_mm256_load_ps((const float *)(const void *)(t + 8 * k)))
         << (8 * k);
  return r;
#elif defined(__SSE2__)
  uint32_t r = 0;
  for (unsigned k = 0; k < 8; k++)
    r |= (uint32_t)_mm_movemask_ps(_mm_load_ps((const float *)(const void *)(t + 4 * k)))
         << (4 * k);
  return r;
#else
  uint32_t r = 0;
  for (unsigned i = 0; i < LANES; i++)
    r |= (t[i] & 1) << i;
  return r;
#endif
}

#endif
