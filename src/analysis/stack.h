/* The stack of least recently used lines: how deep a line lies says how many lines an L1 of the
 * fully associative, least-recently-used kind needs to have it, for all sizes at once (Mattson et
 * al., 1970).
 *
 * A line that a store ends leaves its place empty, and the next line that comes to the top from
 * below the place, or from outside, takes it: so the answer stays exact. The depth of a line is the
 * number of places above it. Lines are small numbers; each step takes the logarithm of how many
 * there are. */
#ifndef WEIR_ANALYSIS_STACK_H
#define WEIR_ANALYSIS_STACK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct weir_stack {
  uint32_t *tree; /* Fenwick: places in use, by time; the newest is the top */
  uint32_t *at;   /* of each time: whose place it is, as line + 1; EMPTY; 0: nobody's */
  uint32_t now, cap, used;
  struct {
    uint32_t *v;
    size_t n, cap;
  } where; /* of each line: its time; 0: it is not there */
  struct {
    uint32_t *v;
    size_t n, cap;
  } empty; /* times of empty places, a heap: the newest first */
};

enum { WEIR_NOT_THERE = UINT32_MAX };

void weir_stack_free(struct weir_stack *s);
/* The line comes to the top. *depth: where it was, or WEIR_NOT_THERE. False: no memory. */
bool weir_stack_touch(struct weir_stack *s, uint32_t line, uint32_t *depth);
/* It ends. False: no memory. */
bool weir_stack_end(struct weir_stack *s, uint32_t line);
/* All lines do, and their places are gone. */
void weir_stack_clear(struct weir_stack *s);

#endif
