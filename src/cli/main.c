/* The program: finds the command and calls it. */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/cmd.h"
#include "weir_build.h"

struct command {
  const char *name, *help; /* help NULL: not listed */
  int (*run)(int argc, char **argv);
};

static const struct command commands[] = {
#ifdef WEIR_HAVE_CMD_RUN
    {"run", "execute a launch file or a built-in workload", weir_cmd_run},
#endif
#ifdef WEIR_HAVE_CMD_LINT
    {"lint", "check PTX files and list what cannot be executed", weir_cmd_lint},
#endif
    {NULL, NULL, NULL},
};

int weir_cli_error(const struct weir_err *err) {
  fprintf(stderr, "weir: %s\n", err->msg);
  return weir_status_exit(err->code);
}

int weir_cli_usage(const char *command, const char *fmt, ...) {
  fprintf(stderr, "weir %s: ", command);
  va_list ap;
  va_start(ap, fmt);
  vfprintf(stderr, fmt, ap);
  va_end(ap);
  fprintf(stderr, "\nTry 'weir help %s'.\n", command);
  return WEIR_EXIT_USAGE;
}

const char *weir_cli_data_dir(void) {
  const char *env = getenv("WEIR_DATA");
  if (env && *env) return env;
  return access(WEIR_SOURCE_DATA "/workloads", R_OK | X_OK) == 0 ? WEIR_SOURCE_DATA
                                                                 : WEIR_INSTALL_DATA;
}

int main(int argc, char **argv) {
  if (argc > 1 && !strcmp(argv[1], "--version")) {
    puts("weir " WEIR_VERSION);
    return WEIR_EXIT_OK;
  }
  for (const struct command *c = commands; argc > 1 && c->name; c++) {
    if (!strcmp(c->name, argv[1])) return c->run(argc - 1, argv + 1);
  }
  return WEIR_EXIT_USAGE;
}
