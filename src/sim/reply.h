/* Replies of an L2 slice, which wait for its port and for room at their SMs. */
#ifndef WEIR_SIM_REPLY_H
#define WEIR_SIM_REPLY_H

#include "sim/memory.h"

enum { WEIR_OUT_LIMIT = 64 }; /* replies that wait; a slice with more takes no request */

/* SMs ask for a part of a line where theirs are smaller. */
static inline uint64_t weir_line_of(const struct weir_slice *s, uint64_t addr) {
  return addr >> s->channel->line_shift << s->channel->line_shift;
}

/* To who waits for the line at `addr`, or has written it. */
void weir_push_reply(struct weir_slice *s, uint64_t addr, const struct weir_l2_waiter *w,
                     uint64_t now);
/* Those that can leave do; when the next one can. */
uint64_t weir_inject_replies(struct weir_slice *s, uint64_t now);
void weir_take_credits(struct weir_slice *s, uint64_t now);

#endif
