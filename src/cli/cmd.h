/* The commands, and what they share. */
#ifndef WEIR_CLI_CMD_H
#define WEIR_CLI_CMD_H

#include "weir/err.h"

enum { WEIR_EXIT_OK, WEIR_EXIT_FAILED, WEIR_EXIT_USAGE, WEIR_EXIT_INTERNAL };

/* argv[0] is the command's name. The result is the exit code. */
int weir_cmd_docs(int argc, char **argv);
int weir_cmd_explain(int argc, char **argv);
int weir_cmd_help(int argc, char **argv);
int weir_cmd_lint(int argc, char **argv);
int weir_cmd_list(int argc, char **argv);
int weir_cmd_run(int argc, char **argv);

/* Print "weir: MESSAGE" to stderr; returns the exit code for the error's status. */
int weir_cli_error(const struct weir_err *err);
/* A mistake on the command line: "weir COMMAND: message" and where to find help; returns 2. */
int weir_cli_usage(const char *command, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* Folder that holds workloads/ and the other data: $WEIR_DATA, else the source tree this program
 * was built from if it is still there, else the folder of the installation. */
const char *weir_cli_data_dir(void);

#endif
