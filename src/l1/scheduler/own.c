#include "l1/scheduler/own.h"

#include "l1/parts.h"

const struct weir_policy_ops *weir_scheduler_of(const struct weir_machine *m,
                                                union weir_own_cfg *cfg) {
  static const struct weir_policy_ops *const of[] = {
      [WEIR_LRR] = &weir_policy_lrr,       [WEIR_GTO] = &weir_policy_gto,
      [WEIR_GTY] = &weir_policy_gty,       [WEIR_TWO_LEVEL] = &weir_policy_two_level_active,
      [WEIR_OLDEST] = &weir_policy_oldest, [WEIR_FETCH_GROUPS] = &weir_policy_fetch_groups,
  };
  if (m->sm.scheduler == WEIR_FETCH_GROUPS)
    cfg->fetch_groups.group = m->sm.active_warps;
  else
    cfg->two_level_active.warps = m->sm.active_warps;
  return of[m->sm.scheduler];
}
