/* Video instructions, decoded: parts of registers, one operation on 1, 2 or 4 of them at once, and
 * what is done with the result. */
#ifndef WEIR_EXEC_VIDEO_H
#define WEIR_EXEC_VIDEO_H

#include <stdbool.h>
#include <stdint.h>

enum ptx_video_op {
  PTX_V_ADD,
  PTX_V_SUB,
  PTX_V_ABSDIFF,
  PTX_V_AVRG,
  PTX_V_MIN,
  PTX_V_MAX,
  PTX_V_SHL,
  PTX_V_SHR,
  PTX_V_SET
};
/* What follows: nothing (or the result goes into a part of c), or an operation with c. */
enum ptx_video_then { PTX_V_PLAIN, PTX_V_THEN_ADD, PTX_V_THEN_MIN, PTX_V_THEN_MAX };

struct ptx_video {
  uint8_t op, then;
  uint8_t cmp;     /* enum ptx_cmp of PTX_V_SET */
  uint8_t lanes;   /* parts that are worked on at once: 1, 2 or 4 */
  uint8_t mask;    /* of these, the ones whose result is wanted */
  uint8_t a_at[4]; /* which part of {b, a} each takes as first operand; of one: its selector */
  uint8_t b_at[4]; /* and as second */
  uint8_t d_at;    /* selector of the destination */
  uint8_t scale;   /* mad: bits by which the sum is shifted down */
  bool d_signed, a_signed, b_signed;
  bool sat, wrap;     /* wrap: of a shift amount; else it is clamped */
  bool neg_ab, neg_c; /* mad */
  bool plus_one;
};

#endif
