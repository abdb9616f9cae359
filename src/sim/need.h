/* The memory that a machine takes here, before any of it is allocated. */
#ifndef WEIR_SIM_NEED_H
#define WEIR_SIM_NEED_H

#include "sim/l1_port.h"

/* What a simulation may take, many times what the machines that come with weir need. */
#define WEIR_MOST_BYTES (UINT64_C(2) << 30)

/* WEIR_EINVAL: more than that; names the part that takes most, and what to lower. `design` is the
 * L1's. */
enum weir_status weir_machine_affordable(const struct weir_machine *m, const struct weir_l1_ops *l1,
                                         const void *design, struct weir_err *err);

#endif
