/* The commands, and what they share. */
#ifndef WEIR_CLI_CMD_H
#define WEIR_CLI_CMD_H

#include <stdio.h>

#include "base/arena.h"
#include "base/registry.h"
#include "base/settings.h"
#include "base/text.h"
#include "cli/opt.h"
#include "session/data.h"
#include "session/groups.h"
#include "weir/err.h"
#include "weir/policy.h"

enum { WEIR_EXIT_OK, WEIR_EXIT_FAILED, WEIR_EXIT_USAGE, WEIR_EXIT_INTERNAL };

/* argv[0] is the command's name; `weir help NAME` calls it with "--help". The result is the exit
 * code. */
int weir_cmd_advise(int argc, char **argv);
int weir_cmd_characterize(int argc, char **argv);
int weir_cmd_classify(int argc, char **argv);
int weir_cmd_check_policy(int argc, char **argv);
int weir_cmd_compare(int argc, char **argv);
int weir_cmd_diff(int argc, char **argv);
int weir_cmd_docs(int argc, char **argv);
int weir_cmd_explain(int argc, char **argv);
int weir_cmd_export(int argc, char **argv);
int weir_cmd_help(int argc, char **argv);
int weir_cmd_lint(int argc, char **argv);
int weir_cmd_list(int argc, char **argv);
int weir_cmd_merge(int argc, char **argv);
int weir_cmd_plot(int argc, char **argv);
int weir_cmd_query(int argc, char **argv);
int weir_cmd_record(int argc, char **argv);
int weir_cmd_replay(int argc, char **argv);
int weir_cmd_report(int argc, char **argv);
int weir_cmd_run(int argc, char **argv);
int weir_cmd_show(int argc, char **argv);
int weir_cmd_sweep(int argc, char **argv);
int weir_cmd_reproduce(int argc, char **argv);
int weir_cmd_trace(int argc, char **argv);
int weir_cmd_worker(int argc, char **argv);

struct weir_command {
  const char *name, *help;           /* help NULL: works, but is not listed */
  int (*run)(int argc, char **argv); /* NULL: `name` says what the commands after it are for */
};
extern const struct weir_command weir_commands[]; /* ends with a NULL name */
const struct weir_command *weir_command_find(const char *name);
/* The list of commands. */
void weir_cli_overview(FILE *out);
int weir_cli_unknown_command(const char *name);

/* What stdout or stderr is shown on: a terminal of some width, with colours unless the user does
 * not want them; or something else. */
const struct weir_screen *weir_cli_screen(int fd);
/* A text for stdout. */
struct weir_text weir_cli_text(void);
/* The value of --color; false: it is none. */
bool weir_cli_set_color(const char *when);
/* What makes a style, or nothing, for what is printed at once. */
const char *weir_cli_style(FILE *to, enum weir_style style);

/* Print "weir: MESSAGE" to stderr; returns the exit code for the error's status. */
int weir_cli_error(const struct weir_err *err);
/* A mistake on the command line: "weir COMMAND: message" and where to find help; returns 2. */
int weir_cli_usage(const char *command, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* Write a text to stdout and free it; returns the exit code (1 if it is incomplete or cannot be
 * written). */
int weir_cli_print(struct weir_text *text);

/* A table of a trace's kernels: one row for each launch, or, with `merged`, for each kernel. */
struct weir_wtrace;
enum weir_status weir_cli_trace_kernels(const struct weir_wtrace *t, bool merged,
                                        struct weir_text *out, struct weir_err *err);

/* Load those that a command line names. Returns -1 to go on, else the exit code: help was printed,
 * or something is wrong and that was said. */
int weir_cli_plugins(int argc, char **argv, const struct weir_usage *u, int plugin_option);

/* The parameters that only commands have: of classifying loads and of CUDA programs. First. */
void weir_cli_groups_begin(void);

#endif
