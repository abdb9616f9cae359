/* weir help [COMMAND] */
#include <stdio.h>

#include "cli/cmd.h"
#include "cli/opt.h"

static const struct weir_usage usage = {
    .command = "help",
    .synopsis = "[COMMAND]",
    .about = "Explain a command, with its options and examples; without a name, list the commands.",
    .opts = (const struct weir_opt[]){{.name = NULL}},
    .examples = "  weir help run\n",
};

int weir_cmd_help(int argc, char **argv) {
  struct weir_args args = {.argc = argc, .argv = argv, .at = 1};
  const char *name = NULL;
  for (int opt; (opt = weir_opt_next(&args, &usage)) != WEIR_OPT_END;) {
    if (opt == WEIR_OPT_DONE) return args.exit_code;
    if (name) return weir_cli_usage("help", "one command at a time");
    name = args.value;
  }
  if (!name) {
    weir_cli_overview(stdout);
    return WEIR_EXIT_OK;
  }
  const struct weir_command *c = weir_command_find(name);
  if (!c) return weir_cli_unknown_command(name);
  char *ask[] = {(char *)c->name, (char *)"--help", NULL};
  return c->run(2, ask);
}
