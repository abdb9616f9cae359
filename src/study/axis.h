/* The values of an axis of a sweep, as a user writes them:
 *
 *   16K,32K,48K          one after the other
 *   16K..128K x2         from, to, and a factor: 16K 32K 64K 128K
 *   4..16 +4             or a step; also with decimals, 0.1..0.5 +0.1; 4..16 is 4..16 +1
 *   [0,8K],[0,96K]       values that have commas themselves, without the brackets
 *
 * and all of these in one list. */
#ifndef WEIR_STUDY_AXIS_H
#define WEIR_STUDY_AXIS_H

#include "base/arena.h"
#include "weir/err.h"

enum { WEIR_AXIS_MOST = 10000 };

struct weir_axis_values {
  const char *const *v; /* in the arena; none comes twice */
  size_t n;             /* at least 1 */
};

/* The error says what is wrong with which value. */
enum weir_status weir_axis_read(struct weir_arena *a, const char *text,
                                struct weir_axis_values *out, struct weir_err *err);

#endif
