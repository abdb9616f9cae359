/* Registers of a warp `w`, and the lanes of a mask. */
#ifndef WEIR_EXEC_LANES_H
#define WEIR_EXEC_LANES_H

#define PRED(off)  (*(uint32_t *)(void *)(w->reg + (off)))
#define REG32(off) ((uint32_t *)(void *)(w->reg + (off)))
#define REG64(off) ((uint64_t *)(void *)(w->reg + (off)))
#define EACH_BIT(i, mask)                                                                          \
  for (uint32_t i##_left = (mask), i; i##_left != 0 && (i = (uint32_t)__builtin_ctz(i##_left), 1); \
       i##_left &= i##_left - 1)

#endif
