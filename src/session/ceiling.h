/* Upper bounds of an L1's hits (l1/opt.h), on what it has accepted itself. */
#ifndef WEIR_SESSION_CEILING_H
#define WEIR_SESSION_CEILING_H

#include "l1/opt.h"
#include "session/timing.h"

/* Lines that the L1 of a design can hold in the place of one of the machine's: 1, or the parts of a
 * line that it stores apart. */
uint32_t weir_ceiling_factor(const struct weir_design *d, const struct weir_machine *m);
/* Are the hits of an SM those of an L1? An L1 that prefetches, answers everything or is told what
 * to answer is not bound. */
enum weir_status weir_ceiling_check(const struct weir_timing *t, uint32_t sm,
                                    const struct weir_tape *tape, struct weir_err *err);
/* What the bound chooses on this tape, as rows for the organisation `opt`. */
enum weir_status weir_ceiling_rows(const struct weir_tape *tape, const struct weir_opt *opt,
                                   struct weir_rows *rows, struct weir_err *err);

#endif
