/* The program: finds the command and calls it. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/suggest.h"
#include "cli/cmd.h"
#include "cli/job.h"
#include "cli/version.h"

const struct weir_command weir_commands[] = {
    {"run", "execute a workload, a launch file or a CUDA program, and time it on a machine",
     weir_cmd_run},
    {"replay", "time a recorded or foreign trace on a machine", weir_cmd_replay},
    {"compare", "time workloads with several L1 designs, side by side", weir_cmd_compare},
    {"sweep", "run every combination of values, and keep the runs in a store", weir_cmd_sweep},
    {"worker", "do one share of a sweep", weir_cmd_worker},
    {"reproduce", "run the figures of a paper, and say which of its claims come true",
     weir_cmd_reproduce},
    {"show", "show the results in a store as a table", weir_cmd_show},
    {"report", "write results as an HTML page with charts and tables", weir_cmd_report},
    {"plot", "draw a figure of results as SVG", weir_cmd_plot},
    {"merge", "join stores of results", weir_cmd_merge},
    {"query", "ask a store of results with SQL", weir_cmd_query},
    {"export", "write a store of results as CSV", weir_cmd_export},
    {"diff", "compare two results: settings and statistics that differ most", weir_cmd_diff},
    {"characterize", "say what kind of workload it is, and what to do about it",
     weir_cmd_characterize},
    {"classify", "say which loads should use the L1, and write it into their PTX",
     weir_cmd_classify},
    {"record", "write what a workload, launch file or CUDA program executes to a trace",
     weir_cmd_record},
    {"trace", "look into a trace or check it", weir_cmd_trace},
    {"lint", "check PTX files and list what cannot be executed", weir_cmd_lint},
    {"check-policy", "run the rules that every policy must keep on a plug-in",
     weir_cmd_check_policy},
    {"list", "list the built-in workloads, machines or parameters", weir_cmd_list},
    {"explain", "say what a parameter or statistic means and where its value comes from",
     weir_cmd_explain},
    {"help", "explain a command", weir_cmd_help},
    {"docs", NULL, weir_cmd_docs},
    {NULL, NULL, NULL},
};

const struct weir_command *weir_command_find(const char *name) {
  for (const struct weir_command *c = weir_commands; c->name; c++) {
    if (!strcmp(c->name, name)) return c;
  }
  return NULL;
}

void weir_cli_overview(FILE *out) {
  fputs("weir simulates the memory hierarchy of a GPU.\n\n"
        "Usage: weir COMMAND [OPTION]... [ARGUMENT]...\n\nCommands:\n",
        out);
  for (const struct weir_command *c = weir_commands; c->name; c++) {
    if (c->help) fprintf(out, "  %-14s%s\n", c->name, c->help);
  }
  fputs("\nA first run:  weir run vecadd\n"
        "More:         weir help COMMAND\n"
        "Exit codes:   0 good, 1 the run failed, 2 wrong usage or input, 3 weir itself is wrong\n",
        out);
}

int weir_cli_unknown_command(const char *name) {
  const char *names[sizeof weir_commands / sizeof *weir_commands];
  size_t n = 0;
  for (const struct weir_command *c = weir_commands; c->name; c++) {
    if (c->help) names[n++] = c->name;
  }
  const char *near = weir_nearest(name, names, n);
  fprintf(stderr, "weir: there is no command '%s'\n", name);
  if (near) fprintf(stderr, "  did you mean '%s'?\n", near);
  fputs("Try 'weir --help'.\n", stderr);
  return WEIR_EXIT_USAGE;
}

static int dispatch(int argc, char **argv) {
  if (argc < 2) {
    weir_cli_overview(stderr);
    return WEIR_EXIT_USAGE;
  }
  if (!strcmp(argv[1], "--version") || !strcmp(argv[1], "-V")) {
    printf("weir %s (%s)\n", weir_cli_version(), weir_cli_commit_id());
    return WEIR_EXIT_OK;
  }
  if (!strcmp(argv[1], "--help") || !strcmp(argv[1], "-h")) {
    weir_cli_overview(stdout);
    return WEIR_EXIT_OK;
  }
  const struct weir_command *c = weir_command_find(argv[1]);
  return c ? c->run(argc - 1, argv + 1) : weir_cli_unknown_command(argv[1]);
}

/* A file that is opened must not become stdout because that was closed. What is put there refuses
 * to be written. */
static void fill_standard(void) {
  for (int fd = 0; fd <= STDERR_FILENO; fd++)
    if (fcntl(fd, F_GETFD) < 0 && errno == EBADF)
      open("/dev/null", fd == STDIN_FILENO ? O_WRONLY : O_RDONLY);
}

int main(int argc, char **argv) {
  fill_standard();
  weir_cli_signals_begin();
  weir_cli_groups_begin();
  int exit_code = dispatch(argc, argv);
  weir_cli_discard();
  /* A full disk must not look like success. */
  if (fflush(stdout) != 0 || ferror(stdout)) {
    perror("weir: cannot write the output");
    return exit_code != WEIR_EXIT_OK ? exit_code : WEIR_EXIT_FAILED;
  }
  return exit_code;
}
