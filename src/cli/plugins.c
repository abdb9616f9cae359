#include "analysis/classify.h"
#include "cli/cmd.h"
#include "cuda/device.h"

/* Options may stand in any order, but the settings that --set changes are made from the parameters
 * of all parts: plug-ins come before everything else. What is wrong with the command line is found
 * here already. */
int weir_cli_plugins(int argc, char **argv, const struct weir_usage *u, int plugin_option) {
  struct weir_args args = {.argc = argc, .argv = argv, .at = 1};
  struct weir_err err;
  for (int id; (id = weir_opt_next(&args, u)) != WEIR_OPT_END;) {
    if (id == WEIR_OPT_DONE) return args.exit_code;
    if (id == plugin_option && weir_groups_plugin(args.value, NULL, &err) != WEIR_OK)
      return weir_cli_error(&err);
  }
  return -1;
}

void weir_cli_groups_begin(void) {
  weir_groups_add(&weir_cls_params);
  weir_groups_add(&weir_cuda_params);
}
