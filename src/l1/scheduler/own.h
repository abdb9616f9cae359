/* The scheduler of a machine (sm.scheduler): asked where no policy of the chain picks warps. */
#ifndef WEIR_L1_SCHEDULER_OWN_H
#define WEIR_L1_SCHEDULER_OWN_H

#include "machine/machine.h"
#include "weir/policy.h"

struct weir_two_level_active_cfg {
  int64_t warps;
};
struct weir_fetch_groups_cfg {
  int64_t group;
};

/* Parameters of whichever it is. */
union weir_own_cfg {
  struct weir_two_level_active_cfg two_level_active;
  struct weir_fetch_groups_cfg fetch_groups;
};

const struct weir_policy_ops *weir_scheduler_of(const struct weir_machine *m,
                                                union weir_own_cfg *cfg);

#endif
