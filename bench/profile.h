/* Where the time of this program goes: a sampling profiler that reads the program's own symbols. */
#ifndef WEIR_BENCH_PROFILE_H
#define WEIR_BENCH_PROFILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum prof_group {
  PROF_LIBRARY,
  PROF_OTHER,
  PROF_STREAM,
  /* execution */
  PROF_LOOP,
  PROF_ARITH,
  PROF_MEM,
  PROF_COUNT,
  PROF_BLOCK,
  PROF_EXECUTION_END,
  /* timing */
  PROF_SM = PROF_EXECUTION_END,
  PROF_L1,
  PROF_L2,
  PROF_DRAM,
  PROF_EXCHANGE,
  PROF_GROUPS
};
extern const char *const prof_group_names[PROF_GROUPS];

/* Read the symbols. False: there are none, every sample would be "other". */
bool prof_open(void);
void prof_close(void);
/* Between start and stop of the same profile CPU time is sampled; may be repeated. */
void prof_start(void);
void prof_stop(void);

/* Sort what was sampled since the last call into groups and functions. */
struct prof_counts {
  uint64_t n, group[PROF_GROUPS], lost; /* lost: samples beyond the buffer */
};
void prof_settle(struct prof_counts *out);

struct prof_hot {
  const char *name;
  enum prof_group group;
  uint64_t n;
};
/* The functions with most samples of all profiles so far; returns how many there are, at most max.
 */
size_t prof_hottest(struct prof_hot *out, size_t max);

#endif
