/* Statistics as tables: a counter is a plain uint64_t in its owner's struct plus one row here. */
#ifndef WEIR_STAT_H
#define WEIR_STAT_H

#include <stddef.h>
#include <stdint.h>

enum weir_stat_kind {
  WEIR_COUNTER, /* adds up over kernels and units */
  WEIR_MAXIMUM, /* the largest of its parts */
  WEIR_RATIO,   /* offset / den_offset x scale, computed when shown; never stored */
  WEIR_LEVEL    /* of one unit, as it is now: for samples over time, and no result */
};

struct weir_stat {
  const char *name, *unit, *help;
  enum weir_stat_kind kind;
  size_t offset, den_offset; /* of uint64_t fields */
  double scale;              /* of a ratio; 0 = 1 */
};

#define WEIR_STAT(S, f, u, h)                                                                      \
  {                                                                                                \
    .name = #f, .unit = u, .help = h, .kind = WEIR_COUNTER,                                        \
    .offset = offsetof(struct S, f) + 0 * sizeof(_Generic(((struct S *)0)->f, uint64_t : 1))       \
  }
#define WEIR_STAT_MAXIMUM(S, f, u, h)                                                              \
  {                                                                                                \
    .name = #f, .unit = u, .help = h, .kind = WEIR_MAXIMUM,                                        \
    .offset = offsetof(struct S, f) + 0 * sizeof(_Generic(((struct S *)0)->f, uint64_t : 1))       \
  }
#define WEIR_STAT_LEVEL(S, f, u, h)                                                                \
  {                                                                                                \
    .name = #f, .unit = u, .help = h, .kind = WEIR_LEVEL,                                          \
    .offset = offsetof(struct S, f) + 0 * sizeof(_Generic(((struct S *)0)->f, uint64_t : 1))       \
  }
#define WEIR_STAT_RATIO(S, n, num, den, u, h)                                                      \
  {                                                                                                \
    .name = n, .unit = u, .help = h, .kind = WEIR_RATIO, .offset = offsetof(struct S, num),        \
    .den_offset = offsetof(struct S, den)                                                          \
  }
#define WEIR_STAT_END                                                                              \
  { .name = NULL }

#ifdef __cplusplus
extern "C" {
#endif

/* into += from, row by row (counters add, maxima take the larger, levels stay). */
void weir_stat_sum(const struct weir_stat *table, void *into, const void *from);
/* later -= earlier, row by row; a maximum stays what it is. */
void weir_stat_subtract(const struct weir_stat *table, void *later, const void *earlier);
/* A conservation rule: both sides are sums of named statistics, "loads == hits + misses". */
struct weir_check {
  const char *rule, *why;
};

#ifdef __cplusplus
}
#endif

#endif
