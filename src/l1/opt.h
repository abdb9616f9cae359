/* The most hits that an L1 can have on the requests that it saw: Belady's choice, with bypass, of
 * so many lines wherever they lie. A bound on the hits of every L1 with as many lines that does not
 * prefetch; hits on lines under way are hits. */
#ifndef WEIR_L1_OPT_H
#define WEIR_L1_OPT_H

#include "l1/tape.h"
#include "machine/machine.h"

/* What is known of a request afterwards. */
enum { WEIR_OPT_HIT = 1, WEIR_OPT_KEEP = 2 }; /* KEEP: the line's next load hits */

struct weir_opt {
  uint64_t loads, hits;
  uint8_t *says; /* for each request of the tape */
};

/* `factor`: so many times the lines that the L1 has for a launch; `extra`: and so many more.
 * *out is to be freed. */
enum weir_status weir_opt_run(const struct weir_tape *t, uint32_t factor, uint32_t extra,
                              struct weir_opt *out, struct weir_err *err);
void weir_opt_free(struct weir_opt *o);

/* Lines that can be on their way without a place in the L1. */
uint32_t weir_opt_extra(const struct weir_machine *m);

#endif
