/* Energy of the L1s, from counts and published constants; docs/energy.md says from where and how
 * far they reach. */
#ifndef WEIR_SESSION_ENERGY_H
#define WEIR_SESSION_ENERGY_H

#include "sim/engine.h"

struct weir_energy_cfg { /* nJ per access, mW per L1; what parts add is added to tag and static */
  double tag_nj, data_nj, table_nj, static_mw;
  double pc_bypass_tag_nj, pc_bypass_static_mw;
  double decoupled_tag_nj, decoupled_static_mw;
  double tag_split_tag_nj, tag_split_static_mw;
};
extern const struct weir_param_group weir_energy_params;

/* All L1s together. Energies are kept in femtojoules, so that they are counters as others are;
 * their rows show nanojoules. */
struct weir_energy {
  uint64_t tag_accesses, data_accesses, table_accesses;
  uint64_t tag_fj, data_fj, table_fj, static_fj, dynamic_fj, total_fj;
  uint64_t fj_per_nj;
};
extern const struct weir_stat weir_energy_stat_table[];
extern const struct weir_stat_group weir_energy_stat_group;

/* Of one kernel or a sum of them. */
void weir_energy(const struct weir_energy_cfg *cfg, const struct weir_machine *m,
                 const struct weir_sim_result *r, struct weir_energy *e);
double weir_energy_nj(uint64_t fj);

/* Why the numbers say less than they seem to: an L1 of another size than that of the constants.
 * Empty if it is of that size. Returns `buf`. */
const char *weir_energy_size_note(const struct weir_machine *m, char *buf, size_t len);
/* Has something been published about what this part adds, or is it what every L1 has? */
bool weir_energy_is_known(const struct weir_part *part);

#endif
