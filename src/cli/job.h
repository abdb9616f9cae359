/* What commands that run for long share: how many cores there are, signals, and outputs. */
#ifndef WEIR_CLI_JOB_H
#define WEIR_CLI_JOB_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/output.h"
#include "weir/err.h"

/* Cores that this process may use. */
uint32_t weir_cli_cores(void);
/* --jobs N */
enum weir_status weir_cli_jobs(const char *text, uint32_t *out, struct weir_err *err);

/* ---- signals.c ---- */

/* Before anything else: from now on signals that end a process remove temporary files first. */
void weir_cli_signals_begin(void);
/* In a new process, before it becomes a program: what weir was given is passed on. */
void weir_cli_signals_exec(void);
/* Of a signal that was ignored when weir started. */
bool weir_cli_is_ignored(int number);
/* Between the two, signals that end a program are only noted. */
void weir_cli_signals_hold(void);
void weir_cli_signals_release(void);
/* The one that came, or 0. */
int weir_cli_signal(void);
/* As if it had come. */
void weir_cli_note_signal(int number);
/* A hook of studies. */
bool weir_cli_is_stopped(void *self);

/* ---- outputs.c ---- */

/* "-", or another name of descriptor 1 (/dev/stdout). */
bool weir_cli_is_stdout(const char *path);
/* Opens an output, before the work: what is wrong with it is said now. `path` lives on; NULL or
 * stdout: there is nothing to do. `option` is what named it. */
enum weir_status weir_cli_output(const char *option, const char *path, struct weir_err *err);
/* One that is open, or NULL. */
struct weir_output *weir_cli_opened(const char *path);
/* Adds to an output, or to stdout. */
enum weir_status weir_cli_put(const char *path, const void *bytes, size_t n, struct weir_err *err);
/* All outputs are complete, and take the places of older files. */
enum weir_status weir_cli_commit(struct weir_err *err);
/* What is still open is given up. */
void weir_cli_discard(void);

#endif
