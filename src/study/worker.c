#include "study/worker.h"

#include <errno.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "l1/guard.h"

/* What both processes see. */
struct weir_worker_memory {
  struct weir_hook_note note; /* the hook that ran last, if it never ended */
  _Alignas(max_align_t) char answer[];
};

/* In the new process, which never returns. */
static void serve(const struct weir_worker *w, int fd, pid_t parent,
                  void (*work)(const void *, void *), const void *self) {
  /* Ctrl-C goes to every process of a terminal, and other signals may go to a whole group; the
   * first one decides what becomes of the others, and none outlives it. */
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != parent) _exit(1);
  for (const int *n = (const int[]){SIGINT, SIGTERM, SIGHUP, SIGQUIT, 0}; *n != 0; n++)
    signal(*n, SIG_IGN);
  weir_hook_note_in(&w->shared->note);
  work(self, w->shared->answer);
  _exit(write(fd, "", 1) == 1 ? 0 : 1);
}

static void forget(struct weir_worker *w) {
  if (w->fd >= 0) close(w->fd);
  if (w->shared != NULL) munmap(w->shared, w->bytes);
  *w = (struct weir_worker){.fd = -1, .peak_bytes = w->peak_bytes};
}

static enum weir_status cannot(struct weir_worker *w, const char *what, struct weir_err *err) {
  weir_fail(err, WEIR_EIO, "cannot %s: %s", what, strerror(errno));
  forget(w);
  return WEIR_EIO;
}

enum weir_status weir_worker_start(struct weir_worker *w, void (*work)(const void *, void *),
                                   const void *self, size_t bytes, struct weir_err *err) {
  int ends[2];
  *w = (struct weir_worker){.fd = -1, .bytes = sizeof *w->shared + bytes};
  void *shared = mmap(NULL, w->bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (shared == MAP_FAILED) return weir_fail(err, WEIR_ENOMEM, "out of memory");
  w->shared = shared;
  if (pipe(ends) != 0) return cannot(w, "open a pipe", err);
  pid_t parent = getpid();
  w->fd = ends[0];
  w->pid = fork();
  if (w->pid == 0) serve(w, ends[1], parent, work, self);
  close(ends[1]);
  return w->pid > 0 ? WEIR_OK : cannot(w, "start a process", err);
}

static int wait_for(struct weir_worker *w) {
  int status = 0;
  struct rusage used = {0};
  while (wait4(w->pid, &status, 0, &used) < 0 && errno == EINTR) {
  }
  w->peak_bytes = (uint64_t)used.ru_maxrss * 1024;
  return status;
}

/* A hook of a plug-in, of that signal or, without one, of exit(). */
static bool is_of_hook(struct weir_hook_note note, int signal_number, struct weir_err *err) {
  const char *file, *policy, *hook, *what = weir_hook_crash(signal_number);
  if (what == NULL || !weir_hook_who(note, &file, &policy, &hook)) return false;
  weir_fail(err, WEIR_EFAULT, "%s: policy %s: '%s' %s", file, policy, hook, what);
  return true;
}

static enum weir_status how_it_ended(int status, struct weir_hook_note note, struct weir_err *err) {
  int number = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
  if (is_of_hook(note, number, err)) return WEIR_EFAULT;
  if (number == 0) /* nothing of weir's ends it so: a plug-in did, or memory was short */
    return weir_fail(err, WEIR_EFAULT, "its process ended with exit code %d and without an answer",
                     WEXITSTATUS(status));
  /* Others than those of a crash were sent by somebody, or by the system for a limit. */
  enum weir_status st = weir_hook_crash(number) != NULL ? WEIR_EBUG : WEIR_ELIMIT;
  weir_fail(err, st, "its process was ended by signal %d (%s)", number, strsignal(number));
  if (number == SIGKILL)
    weir_err_add(err, "perhaps memory was short: fewer runs at once (--jobs) need less");
  return st;
}

enum weir_status weir_worker_end(struct weir_worker *w, void *answer, size_t bytes,
                                 struct weir_err *err) {
  char done;
  ssize_t n;
  while ((n = read(w->fd, &done, 1)) < 0 && errno == EINTR) {
  }
  int status = wait_for(w);
  bool is_good = n == 1 && WIFEXITED(status) && WEXITSTATUS(status) == 0;
  memcpy(answer, w->shared->answer, bytes);
  enum weir_status st = is_good ? WEIR_OK : how_it_ended(status, w->shared->note, err);
  forget(w);
  return st;
}

void weir_worker_kill(struct weir_worker *w) {
  kill(w->pid, SIGKILL);
  wait_for(w);
  forget(w);
}
