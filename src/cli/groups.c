/* Every parameter and statistic table of the program. A new component adds its line here. */
#include "cli/cmd.h"
#ifdef WEIR_HAVE_EXEC_PARAMS
#include "ptx/exec.h"
#endif
#ifdef WEIR_HAVE_FUNC_STATS
#include "stream/func_stats.h"
#endif

const struct weir_param_group *const weir_param_groups[] = {
#ifdef WEIR_HAVE_EXEC_PARAMS
    &ptx_exec_params,
#endif
    NULL,
};

const struct weir_stat_group *const weir_stat_groups[] = {
#ifdef WEIR_HAVE_FUNC_STATS
    &weir_func_stat_group,
#endif
    NULL,
};
