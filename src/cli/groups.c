/* Every parameter and statistic table of the program. A new component adds its line here. */
#include "cli/cmd.h"

#ifdef WEIR_HAVE_EXEC_PARAMS
extern const struct weir_param_group ptx_exec_params;
#endif
#ifdef WEIR_HAVE_FUNC_STATS
extern const struct weir_stat_group weir_func_stats;
#endif

const struct weir_param_group *const weir_param_groups[] = {
#ifdef WEIR_HAVE_EXEC_PARAMS
    &ptx_exec_params,
#endif
    NULL,
};

const struct weir_stat_group *const weir_stat_groups[] = {
#ifdef WEIR_HAVE_FUNC_STATS
    &weir_func_stats,
#endif
    NULL,
};
