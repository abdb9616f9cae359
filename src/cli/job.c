#include "cli/job.h"

#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "base/number.h"

uint32_t weir_cli_cores(void) {
  cpu_set_t set;
  int n = sched_getaffinity(0, sizeof set, &set) == 0 ? CPU_COUNT(&set) : 1;
  return n > 0 ? (uint32_t)n : 1;
}

enum weir_status weir_cli_jobs(const char *text, uint32_t *out, struct weir_err *err) {
  int64_t n;
  if (!weir_parse_int(text, &n) || n < 1 || n > 1024)
    return weir_fail(err, WEIR_EINVAL, "--jobs %s: want a number from 1 to 1024", text);
  *out = (uint32_t)n;
  return WEIR_OK;
}

/* ---- signals ---- */

static atomic_int stop_signal; /* without locks: for handlers, and for threads */

void weir_cli_note_signal(int number) {
  atomic_store(&stop_signal, number);
}

static void handle_signals(void (*handler)(int)) {
  struct sigaction act = {.sa_handler = handler};
  sigemptyset(&act.sa_mask);
  sigaction(SIGINT, &act, NULL);
  sigaction(SIGTERM, &act, NULL);
  sigaction(SIGHUP, &act, NULL);
}

void weir_cli_signals_hold(void) {
  weir_cli_note_signal(0);
  handle_signals(weir_cli_note_signal);
}

void weir_cli_signals_release(void) {
  handle_signals(SIG_DFL);
}

int weir_cli_signal(void) {
  return atomic_load(&stop_signal);
}

bool weir_cli_is_stopped(void *self) {
  (void)self;
  return weir_cli_signal() != 0;
}

/* ---- files ---- */

bool weir_cli_is_stdout(const char *path) {
  return path != NULL && strcmp(path, "-") == 0;
}

enum weir_status weir_cli_check_folder(const char *path, struct weir_err *err) {
  const char *slash = path != NULL ? strrchr(path, '/') : NULL;
  char folder[4096] = ".";
  if (path == NULL || weir_cli_is_stdout(path)) return WEIR_OK;
  if (slash != NULL) snprintf(folder, sizeof folder, "%.*s/", (int)(slash - path), path);
  if (access(folder, W_OK | X_OK) == 0) return WEIR_OK;
  return weir_fail(err, WEIR_EIO, "cannot write %s: %s", path, strerror(errno));
}

enum weir_status weir_cli_put(const char *path, const char *text, size_t n, struct weir_err *err) {
  if (!weir_cli_is_stdout(path)) return weir_file_write(path, text, n, err);
  return fwrite(text, 1, n, stdout) == n ? WEIR_OK
                                         : weir_fail(err, WEIR_EIO, "cannot write to stdout");
}
