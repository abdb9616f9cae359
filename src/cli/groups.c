/* Every parameter and statistic table of the program. A new component adds its line here. */
#include "cli/cmd.h"
#include "ptx/exec.h"
#include "sim/engine.h"
#include "stream/func_stats.h"

const struct weir_param_group *const weir_param_groups[] = {
    &ptx_exec_params, &weir_core_params, &weir_sm_params,   &weir_l1_params,
    &weir_noc_params, &weir_l2_params,   &weir_dram_params, NULL,
};

const struct weir_stat_group *const weir_stat_groups[] = {
    &weir_func_stat_group, &weir_sm_stat_group,   &weir_l1_stat_group,
    &weir_l2_stat_group,   &weir_dram_stat_group, NULL,
};
