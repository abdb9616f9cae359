/* What becomes of signals. A signal that was ignored when weir started stays ignored, also for the
 * programs and processes that it starts; any other that ends a process removes temporary files
 * first, or, while they are held, is only noted. */
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/temp.h"
#include "cli/job.h"

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
  atexit(weir_temps_remove);
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
