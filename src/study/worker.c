#include "study/worker.h"

#include <errno.h>
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/mem.h"

/* In the new process, which never returns. */
static void serve(int fd, pid_t parent, void (*work)(const void *, void *), const void *self,
                  size_t bytes) {
  /* Ctrl-C goes to every process of a terminal, and other signals may go to a whole group; the
   * first one decides what becomes of the others, and none outlives it. */
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != parent) _exit(1);
  for (const int *n = (const int[]){SIGINT, SIGTERM, SIGHUP, SIGQUIT, 0}; *n != 0; n++)
    signal(*n, SIG_IGN);
  void *answer = weir_calloc(1, bytes);
  if (answer == NULL) _exit(1);
  work(self, answer);
  _exit(write(fd, answer, bytes) == (ssize_t)bytes ? 0 : 1);
}

enum weir_status weir_worker_start(struct weir_worker *w, void (*work)(const void *, void *),
                                   const void *self, size_t bytes, struct weir_err *err) {
  int ends[2];
  *w = (struct weir_worker){.fd = -1};
  if (pipe(ends) != 0) return weir_fail(err, WEIR_EIO, "cannot open a pipe: %s", strerror(errno));
  pid_t parent = getpid();
  w->pid = fork();
  if (w->pid == 0) serve(ends[1], parent, work, self, bytes);
  close(ends[1]);
  w->fd = ends[0];
  if (w->pid > 0) return WEIR_OK;
  weir_fail(err, WEIR_EIO, "cannot start a process: %s", strerror(errno));
  close(ends[0]);
  return WEIR_EIO;
}

static int wait_for(struct weir_worker *w) {
  int status = 0;
  while (waitpid(w->pid, &status, 0) < 0 && errno == EINTR) {
  }
  close(w->fd);
  *w = (struct weir_worker){.fd = -1};
  return status;
}

/* Any other was sent by somebody, or by the system for a limit. */
static bool is_own_fault(int number) {
  return number == SIGSEGV || number == SIGBUS || number == SIGFPE || number == SIGILL ||
         number == SIGABRT;
}

enum weir_status weir_worker_end(struct weir_worker *w, void *answer, size_t bytes,
                                 struct weir_err *err) {
  size_t got = 0;
  ssize_t n;
  while (got < bytes &&
         ((n = read(w->fd, (char *)answer + got, bytes - got)) > 0 || (n < 0 && errno == EINTR)))
    got += n > 0 ? (size_t)n : 0;
  int status = wait_for(w);
  if (got == bytes && WIFEXITED(status) && WEXITSTATUS(status) == 0) return WEIR_OK;
  if (!WIFSIGNALED(status)) /* nothing of weir's ends it so: a plug-in did, or memory was short */
    return weir_fail(err, WEIR_EFAULT, "its process ended with exit code %d and without an answer",
                     WEXITSTATUS(status));
  enum weir_status st = is_own_fault(WTERMSIG(status)) ? WEIR_EBUG : WEIR_ELIMIT;
  weir_fail(err, st, "its process was ended by signal %d (%s)", WTERMSIG(status),
            strsignal(WTERMSIG(status)));
  if (WTERMSIG(status) == SIGKILL)
    weir_err_add(err, "perhaps memory was short: fewer runs at once (--jobs) need less");
  return st;
}

void weir_worker_kill(struct weir_worker *w) {
  kill(w->pid, SIGKILL);
  wait_for(w);
}
