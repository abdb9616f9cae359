/* weir help [COMMAND | gpu NAME | scheme NAME | policy NAME] */
#include <stdio.h>
#include <string.h>

#include "cli/cmd.h"
#include "cli/help_parts.h"
#include "cli/opt.h"

enum { OPT_GPU = 1, OPT_PLUGIN };

static const struct weir_usage usage = {
    .command = "help",
    .synopsis = "[COMMAND | gpu NAME | scheme NAME [--gpu NAME] | policy NAME [--plugin FILE.so]]",
    .about =
        "Explain a command, with its options and examples; without a name, list the commands.\n"
        "'help gpu NAME' shows every number of a machine, its source, where it was set, and what "
        "bandwidth follows;\n"
        "'help scheme NAME' what an L1 design is made of, its parameters and what it costs in "
        "bits;\n"
        "'help policy NAME' the parameters and statistics of one of its parts.",
    .opts =
        (const struct weir_opt[]){
            {"gpu", 'g', "NAME", "the machine on which a scheme is shown (default: fermi-s3)",
             OPT_GPU},
            {"plugin", 'p', "FILE.so", "with the policies of a plug-in", OPT_PLUGIN},
            {.name = NULL}},
    .examples = "  weir help run\n  weir help gpu fermi-s3\n"
                "  weir help scheme pc-bypass --gpu gcn-s2\n  weir help policy decoupled\n",
};

/* "gpu", "scheme" and "policy" are followed by a name. */
static bool takes_name(const char *topic) {
  return strcmp(topic, "gpu") == 0 || strcmp(topic, "scheme") == 0 || strcmp(topic, "policy") == 0;
}

static int help_command(const char *name) {
  const struct weir_command *c = weir_command_find(name);
  if (!c) return weir_cli_unknown_command(name);
  char *ask[] = {(char *)c->name, (char *)"--help", NULL};
  return c->run(2, ask);
}

int weir_cmd_help(int argc, char **argv) {
  struct weir_args args = {.argc = argc, .argv = argv, .at = 1};
  const char *topic = NULL, *name = NULL, *gpu = NULL;
  int code = weir_cli_plugins(argc, argv, &usage, OPT_PLUGIN);
  if (code >= 0) return code;
  for (int opt; (opt = weir_opt_next(&args, &usage)) != WEIR_OPT_END;) {
    if (opt == WEIR_OPT_DONE) return args.exit_code;
    if (opt == OPT_GPU) {
      gpu = args.value;
      continue;
    }
    if (opt == OPT_PLUGIN) continue; /* loaded already */
    if (topic && (name || !takes_name(topic)))
      return weir_cli_usage("help", "one command at a time");
    if (topic)
      name = args.value;
    else
      topic = args.value;
  }
  if (!topic) {
    weir_cli_overview(stdout);
    return WEIR_EXIT_OK;
  }
  if (gpu && strcmp(topic, "scheme") != 0)
    return weir_cli_usage("help", "--gpu goes with 'help scheme NAME'");
  if (strcmp(topic, "gpu") == 0) return weir_help_gpu(name);
  if (strcmp(topic, "scheme") == 0) return weir_help_scheme(name, gpu);
  return strcmp(topic, "policy") == 0 ? weir_help_policy(name) : help_command(topic);
}
