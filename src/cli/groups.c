/* Every parameter and statistic table of the program. A new component adds its line here. */
#include "base/config.h"
#include "cli/cmd.h"
#include "ptx/exec.h"
#include "sim/derived.h"
#include "stream/func_stats.h"

const struct weir_param_group *const weir_param_groups[] = {
    &ptx_exec_params, &weir_core_params, &weir_sm_params,   &weir_l1_params,
    &weir_noc_params, &weir_l2_params,   &weir_dram_params, NULL,
};

const struct weir_stat_group *const weir_stat_groups[] = {
    &weir_func_stat_group, &weir_derived_stat_group, &weir_sm_stat_group,   &weir_l1_stat_group,
    &weir_pc_stat_group,   &weir_l2_stat_group,      &weir_dram_stat_group, NULL,
};

enum weir_status weir_cli_settings_file(struct weir_settings *s, const char *path,
                                        struct weir_err *err) {
  struct weir_config c;
  enum weir_status status = weir_config_load(&c, path, err);
  if (!status) status = weir_settings_config(s, WEIR_LAYER_USER, &c, 0, err);
  weir_config_free(&c);
  return status;
}
