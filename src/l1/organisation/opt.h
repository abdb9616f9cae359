/* What the bound's choice (l1/opt.h) looks like as prepared rows: each is for 128 requests of a
 * warp, with two bits for each of them. */
#ifndef WEIR_L1_ORGANISATION_OPT_H
#define WEIR_L1_ORGANISATION_OPT_H

#include "l1/opt.h"

struct weir_opt_cfg {
  bool chunks;
};

static inline uint64_t weir_opt_kernel(uint64_t launch) {
  return launch + 1; /* 0 would be any */
}
static inline uint64_t weir_opt_key(uint32_t cta, uint32_t warp, uint32_t nth) {
  return (uint64_t)cta << 32 | (uint64_t)(warp & 63) << 26 | (nth >> 7 & ((1u << 26) - 1));
}

/* The row of one request; those of equal keys are added up. */
static inline struct weir_row weir_opt_row(uint64_t launch, uint32_t cta, uint32_t warp,
                                           uint32_t nth, uint8_t says) {
  struct weir_row r = {.kernel = weir_opt_kernel(launch), .key = weir_opt_key(cta, warp, nth)};
  unsigned half = nth >> 6 & 1, bit = nth & 63;
  r.v[half] = (uint64_t)((says & WEIR_OPT_HIT) != 0) << bit;
  r.v[2 + half] = (uint64_t)((says & WEIR_OPT_KEEP) != 0) << bit;
  return r;
}

static inline uint8_t weir_opt_says(const struct weir_row *r, uint32_t nth) {
  unsigned half = nth >> 6 & 1, bit = nth & 63;
  return (uint8_t)((r->v[half] >> bit & 1 ? WEIR_OPT_HIT : 0) |
                   (r->v[2 + half] >> bit & 1 ? WEIR_OPT_KEEP : 0));
}

#endif
