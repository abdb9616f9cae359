/* What becomes of signals. A signal that was ignored when weir started stays ignored, also for the
 * programs and processes that it starts; any other that ends a process removes temporary files
 * first, or, while they are held, is only noted. One of a crash names the hook of a plug-in that
 * did it, and then ends the process as it would have without weir. */
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/uio.h>
#include <unistd.h>

#include "base/signal_stack.h"
#include "base/temp.h"
#include "cli/cmd.h"
#include "cli/job.h"
#include "l1/guard.h"

static atomic_int stop_signal; /* without locks: for handlers, and for threads */

void weir_cli_note_signal(int number) {
  atomic_store(&stop_signal, number);
}

int weir_cli_signal(void) {
  return atomic_load(&stop_signal);
}

bool weir_cli_is_stopped(void *self) {
  (void)self;
  return weir_cli_signal() != 0;
}

/* ---- crashes ---- */

static const int crashes[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT};
enum { N_CRASHES = sizeof crashes / sizeof *crashes };
static struct sigaction crash_before[N_CRASHES]; /* a sanitizer's, for example */
static pid_t first_process;
static atomic_int ending; /* the thread that crashed first */

/* Another that crashes meanwhile must not end the process before that one has said why. */
static void be_first(void) {
  int nobody = 0, self = gettid();
  if (!atomic_compare_exchange_strong(&ending, &nobody, self) && nobody != self)
    for (;;)
      pause();
}

/* Does a hook of a plug-in run in this thread? Then `what` is said of it; of one in another process
 * (study/worker.h) the first process says it. */
static bool name_hook(const char *what) {
  const char *file, *policy, *hook;
  if (!weir_hook_who(weir_hook_noted(), &file, &policy, &hook)) return false;
  if (getpid() != first_process) return true;
  const char *const words[] = {"weir: ", file, ": policy ", policy, ": '", hook, "' ", what, "\n"};
  enum { N_WORDS = sizeof words / sizeof *words };
  struct iovec line[N_WORDS];
  for (int i = 0; i < N_WORDS; i++)
    line[i] = (struct iovec){.iov_base = (void *)words[i], .iov_len = strlen(words[i])};
  ssize_t n = writev(STDERR_FILENO, line, N_WORDS);
  (void)n; /* there is nobody else to tell */
  return true;
}

static void on_crash(int number, siginfo_t *info, void *context) {
  (void)context;
  struct sigaction next = {.sa_handler = SIG_DFL};
  be_first();
  bool is_hook = name_hook(weir_hook_crash(number));
  weir_temps_remove();
  for (int i = 0; i < N_CRASHES && !is_hook; i++)
    if (crashes[i] == number) next = crash_before[i];
  sigaction(number, &next, NULL);
  /* It comes again when this returns. To a handler from before, which wants to see the fault
   * itself, that is left to the fault. */
  if (next.sa_handler == SIG_DFL || info->si_code <= 0) raise(number);
}

/* exit() in a hook would end the run in the middle of things, with the plug-in's exit code. */
static void on_exit_of_process(void) {
  be_first();
  bool is_hook = name_hook(weir_hook_crash(0));
  weir_temps_remove();
  if (is_hook) _exit(WEIR_EXIT_FAILED);
}

static void listen_to_crashes(void) {
  static char space[WEIR_SIGNAL_STACK];
  struct sigaction act = {.sa_sigaction = on_crash, .sa_flags = SA_ONSTACK | SA_SIGINFO};
  sigemptyset(&act.sa_mask);
  first_process = getpid();
  weir_signal_stack(space, sizeof space);
  for (int i = 0; i < N_CRASHES; i++) {
    sigaction(crashes[i], NULL, &crash_before[i]);
    if (crash_before[i].sa_handler != SIG_IGN) sigaction(crashes[i], &act, NULL);
  }
  atexit(on_exit_of_process);
}

/* ---- at the start ---- */

static struct sigaction child_action; /* as it was */

/* Blocked while its handler runs, the signal comes again when that returns. */
static void end_by(int number) {
  weir_temps_remove();
  signal(number, SIG_DFL);
  raise(number);
}

/* Writing then fails, and that is an error like a full disk. Not ignored: programs would inherit
 * that. */
static void too_large(int number) {
  (void)number;
}

static bool ends_a_process(int number) {
  switch (number) {
  case SIGKILL:
  case SIGSTOP:
  case SIGTSTP:
  case SIGTTIN:
  case SIGTTOU:
  case SIGCONT:
  case SIGCHLD:
  case SIGURG:
  case SIGWINCH:
    return false;
  default:
    return true;
  }
}

void weir_cli_signals_begin(void) {
  listen_to_crashes();
  struct sigaction act = {.sa_handler = end_by, .sa_flags = SA_ONSTACK}, old;
  sigemptyset(&act.sa_mask);
  for (int n = 1; n <= SIGRTMAX; n++) {
    if (!ends_a_process(n) || sigaction(n, NULL, &old) != 0 || old.sa_handler != SIG_DFL) continue;
    act.sa_handler = n == SIGXFSZ ? too_large : end_by;
    sigaction(n, &act, NULL);
  }
  /* Ignored, as some parents leave it, there would be no word of how a process ended. */
  act.sa_handler = SIG_DFL;
  sigaction(SIGCHLD, &act, &child_action);
}

void weir_cli_signals_exec(void) {
  sigaction(SIGCHLD, &child_action, NULL);
}

bool weir_cli_is_ignored(int number) {
  struct sigaction now;
  return sigaction(number, NULL, &now) == 0 && now.sa_handler == SIG_IGN;
}

/* ---- while they are held ---- */

static const int held[] = {SIGINT, SIGTERM, SIGHUP};
enum { N_HELD = sizeof held / sizeof *held };
static struct sigaction before[N_HELD];

void weir_cli_signals_hold(void) {
  struct sigaction act = {.sa_handler = weir_cli_note_signal};
  sigemptyset(&act.sa_mask);
  for (int i = 0; i < N_HELD; i++) {
    sigaction(held[i], NULL, &before[i]);
    if (before[i].sa_handler != SIG_IGN) sigaction(held[i], &act, NULL);
  }
}

void weir_cli_signals_release(void) {
  for (int i = 0; i < N_HELD; i++)
    sigaction(held[i], &before[i], NULL);
}
