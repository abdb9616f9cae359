/* The memory that a machine takes here, before any of it is allocated. */
#ifndef WEIR_SIM_NEED_H
#define WEIR_SIM_NEED_H

#include "l1/design.h"

/* What a simulation may take, many times what the machines that come with weir need. */
#define WEIR_MOST_BYTES (UINT64_C(2) << 30)

/* WEIR_EINVAL: more than that; names the part that takes most, and what to lower. `design` as
 * that of weir_sim_new. */
enum weir_status weir_machine_affordable(const struct weir_machine *m,
                                         const struct weir_design *design, struct weir_err *err);

#endif
