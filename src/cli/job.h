/* What commands that run for long share: how many cores there are, Ctrl-C, and files that can be
 * written at the end. */
#ifndef WEIR_CLI_JOB_H
#define WEIR_CLI_JOB_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "weir/err.h"

/* Cores that this process may use. */
uint32_t weir_cli_cores(void);
/* --jobs N */
enum weir_status weir_cli_jobs(const char *text, uint32_t *out, struct weir_err *err);

/* Between the two, signals that end a program are only noted. */
void weir_cli_signals_hold(void);
void weir_cli_signals_release(void);
/* The one that came, or 0. */
int weir_cli_signal(void);
/* As if it had come. */
void weir_cli_note_signal(int number);
/* A hook of studies. */
bool weir_cli_is_stopped(void *self);

/* "-" */
bool weir_cli_is_stdout(const char *path);
/* A long run should not end with a folder that is not there. `path` may be NULL. */
enum weir_status weir_cli_check_folder(const char *path, struct weir_err *err);
/* To a file, or to stdout. */
enum weir_status weir_cli_put(const char *path, const char *text, size_t n, struct weir_err *err);

#endif
