/* What must hold when a kernel has ended, and who waits for what when one cannot end. */
#ifndef WEIR_SIM_VERIFY_H
#define WEIR_SIM_VERIFY_H

#include "sim/memory.h"
#include "sim/sm.h"

struct weir_parts {
  const struct weir_sm *sms;
  const struct weir_channel *channels;
  uint32_t n_sms, n_channels;
};

/* Everything that was taken has been given back: MSHRs, waiters, queues, credits, loads in flight.
 * WEIR_EBUG names the first that has not. */
enum weir_status weir_verify(const struct weir_parts *p, struct weir_err *err);

/* Add to an error which warps, queues, MSHRs and credits wait for what: a few of each, and how many
 * more there are. */
void weir_describe(const struct weir_parts *p, uint64_t now, struct weir_err *err);

/* Is every warp that is left at a barrier, or has it ended? */
bool weir_waits_at_barriers(const struct weir_parts *parts);

#endif
