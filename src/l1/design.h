/* What an L1 is put together from: one organisation and a chain of policies, with their parameters.
 */
#ifndef WEIR_L1_DESIGN_H
#define WEIR_L1_DESIGN_H

#include "l1/org.h"
#include "l1/rows.h"
#include "machine/machine.h"

enum { WEIR_MAX_PARTS = 9, WEIR_MAX_PART_STATS = 32 }; /* parts: organisation and policies */

struct weir_design_part {
  const struct weir_part *part;
  const void *cfg;
};

struct weir_design {
  const struct weir_org_ops *org;
  const void *org_cfg;
  const struct weir_rows *org_rows; /* prepared for it; NULL: none */
  struct {
    const struct weir_policy_ops *ops;
    const void *cfg;
    const struct weir_rows *rows; /* prepared for it; NULL: none */
    bool prepares;                /* this run is for its rows; of one policy at most */
  } policy[WEIR_MAX_PARTS - 1];
  uint32_t n_policies;
  uint64_t seed;
  bool paranoid; /* check that deciding hooks change nothing; verify after requests */
};

/* Ended by NULL. */
extern const struct weir_org_ops *const weir_organisations[];
extern const struct weir_policy_ops *const *const weir_policies;
const struct weir_org_ops *weir_organisation_find(const char *name);
const struct weir_policy_ops *weir_policy_find(const char *name);

enum { WEIR_MAX_POLICIES = 64 }; /* built-in ones and those of plug-ins */
/* One more, that lives as long as the process; `file` is the plug-in it is from. False: there are
 * too many. Not while a simulation runs. */
bool weir_policy_add(const struct weir_policy_ops *o, const char *file);
/* The plug-in that a policy is from; NULL: it is built in. */
const char *weir_policy_file(const struct weir_policy_ops *o);

/* Is `name` one of "a|b|c"? */
bool weir_is_listed(const char *list, const char *name);

/* Which questions of a scheme a policy answers: by the hooks that it has. */
enum weir_axis {
  WEIR_AXIS_ADMISSION = 1,
  WEIR_AXIS_REPLACEMENT = 2,
  WEIR_AXIS_FETCH = 4,
  WEIR_AXIS_ORDER = 8,
  WEIR_AXIS_THREADS = 16
};
/* 0: it only observes. */
unsigned weir_policy_axes(const struct weir_policy_ops *o);

/* What the machine's own parameters describe: lines, sectored or not, with LRU. */
void weir_design_baseline(struct weir_design *d, const struct weir_machine *m);
/* Made of the parts of such a one alone. */
bool weir_design_is_plain(const struct weir_design *d);
/* Can these parts stand together on this machine? Names both parties if not. */
enum weir_status weir_design_check(const struct weir_design *d, const struct weir_machine *m,
                                   struct weir_err *err);

#endif
