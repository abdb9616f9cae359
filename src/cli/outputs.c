/* The files that a command writes: opened before its work, completed together at its end. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/arena.h"
#include "cli/job.h"

static struct {
  struct opened {
    const char *path; /* as the command line has it */
    struct weir_output *output;
  } * v;
  size_t n, cap;
} opened;

bool weir_cli_is_stdout(const char *path) {
  return path != NULL && (strcmp(path, "-") == 0 || weir_output_descriptor(path) == STDOUT_FILENO);
}

struct weir_output *weir_cli_opened(const char *path) {
  for (size_t i = 0; i < opened.n; i++)
    if (strcmp(opened.v[i].path, path) == 0) return opened.v[i].output;
  return NULL;
}

/* "weir ... --json f > f": what is printed would be lost with the file that is replaced. */
static bool is_standard(const struct weir_output *o, const char *path, int fd) {
  struct stat named, standard;
  return weir_output_is_file(o) && stat(path, &named) == 0 && fstat(fd, &standard) == 0 &&
         named.st_dev == standard.st_dev && named.st_ino == standard.st_ino;
}

static enum weir_status check(const struct weir_output *o, const char *option, const char *path,
                              struct weir_err *err) {
  if (weir_output_was_read(o))
    return weir_fail(err, WEIR_EINVAL, "%s '%s': this file is read, and would be replaced", option,
                     path);
  for (int fd = STDOUT_FILENO; fd <= STDERR_FILENO; fd++)
    if (is_standard(o, path, fd))
      return weir_fail(err, WEIR_EINVAL, "%s '%s': %s goes to this file already", option, path,
                       fd == STDOUT_FILENO ? "stdout" : "stderr");
  return WEIR_OK;
}

enum weir_status weir_cli_output(const char *option, const char *path, struct weir_err *err) {
  if (path == NULL || weir_cli_is_stdout(path)) return WEIR_OK;
  struct weir_err why;
  struct opened new = {.path = path};
  enum weir_status st = weir_output_open(path, &new.output, &why);
  if (st != WEIR_OK) return weir_fail(err, st, "%s: %s", option, why.msg);
  st = check(new.output, option, path, err);
  if (st == WEIR_OK && !WEIR_PUSH(opened, new)) st = weir_fail(err, WEIR_ENOMEM, "out of memory");
  if (st != WEIR_OK) weir_output_discard(new.output);
  return st;
}

enum weir_status weir_cli_put(const char *path, const void *bytes, size_t n, struct weir_err *err) {
  if (weir_cli_is_stdout(path))
    return fwrite(bytes, 1, n, stdout) == n && fflush(stdout) == 0
               ? WEIR_OK
               : weir_fail(err, WEIR_EIO, "cannot write to stdout: %s", strerror(errno));
  enum weir_status st = WEIR_OK;
  if (weir_cli_opened(path) == NULL) st = weir_cli_output("output", path, err);
  return st == WEIR_OK ? weir_output_write(weir_cli_opened(path), bytes, n, err) : st;
}

enum weir_status weir_cli_commit(struct weir_err *err) {
  enum weir_status st = WEIR_OK;
  size_t n = opened.n;
  opened.n = 0;
  for (size_t i = 0; i < n; i++)
    if (st == WEIR_OK)
      st = weir_output_commit(opened.v[i].output, err);
    else
      weir_output_discard(opened.v[i].output);
  return st;
}

void weir_cli_discard(void) {
  while (opened.n > 0)
    weir_output_discard(opened.v[--opened.n].output);
  free(opened.v);
  opened.v = NULL;
  opened.cap = 0;
}
