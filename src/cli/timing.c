#include "cli/timing.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/demangle.h"
#include "base/mem.h"
#include "base/table.h"
#include "cli/cmd.h"
#include "cli/job.h"

/* ---- progress, on a terminal ---- */

enum { FIRST_MS = 2000, EVERY_MS = 200 };

uint64_t weir_cli_ms(void) {
  struct timespec ts;
  clock_gettime(CLOCK_MONOTONIC, &ts);
  return (uint64_t)ts.tv_sec * 1000 + (uint64_t)ts.tv_nsec / 1000000;
}

static void show_progress(struct weir_cli_watch *w, const struct weir_timing *t, uint64_t cycle,
                          uint64_t blocks) {
  uint64_t now = weir_cli_ms();
  if (now < w->show_at) return;
  w->show_at = now + EVERY_MS;
  w->showed = true;
  double s = (double)(now - w->began) / 1000;
  uint64_t insns = weir_sim_issued(t->sim), n_blocks = weir_volume(t->running->grid);
  char cycles[27], name[WEIR_DEMANGLED];
  fprintf(stderr, "\r\033[K%s %s: block %" PRIu64, t->workload,
          weir_demangle(t->running->name, name, sizeof name), blocks);
  if (n_blocks > 0)
    fprintf(stderr, " of %" PRIu64 " (%.0f %%)", n_blocks,
            100.0 * (double)blocks / (double)n_blocks);
  fprintf(stderr, ", %s cycles, %.2f M warp insns/s", weir_text_thousands(cycle, cycles),
          (double)insns / 1e6 / (s > 0 ? s : 1));
  /* Blocks are taken to be alike; the first say little. */
  if (blocks * 50 > n_blocks && blocks < n_blocks)
    fprintf(stderr, ", %.0f s left", s * (double)(n_blocks - blocks) / (double)blocks);
  fflush(stderr);
}

static bool watch(void *self, const struct weir_timing *t, uint64_t cycle, uint64_t blocks) {
  struct weir_cli_watch *w = self;
  if (!w->is_begun) {
    w->is_begun = true;
    w->began = weir_cli_ms();
    w->show_at = w->began + FIRST_MS;
  }
  if (w->is_shown) show_progress(w, t, cycle, blocks);
  return !w->is_stoppable || weir_cli_signal() == 0;
}

static void ended(void *self) {
  struct weir_cli_watch *w = self;
  if (w->showed) fputs("\r\033[K", stderr);
  w->is_begun = w->showed = false;
}

void weir_cli_watch(struct weir_cli_watch *w, bool is_stoppable, struct weir_timing_options *o) {
  *w = (struct weir_cli_watch){.is_shown = isatty(STDERR_FILENO), .is_stoppable = is_stoppable};
  if (!w->is_shown && !w->is_stoppable) return;
  o->progress = watch;
  o->ended = ended;
  o->self = w;
}

/* ---- preparing ---- */

enum weir_status weir_cli_prepare_timed(struct weir_timed_profiles *profiles,
                                        const struct weir_cli_preparing *what,
                                        struct weir_prepared *prepared, struct weir_err *err) {
  const char *names[WEIR_MAX_PARTS];
  *prepared = (struct weir_prepared){0};
  if (weir_setup_preparations(what->setup, names) == 0) return WEIR_OK;
  struct weir_timed_profile new = {.workload = weir_strdup(what->workload)};
  weir_cli_signals_hold();
  enum weir_status st = weir_cli_prepare(&profiles->all, what, new.found, &new.n_found, err);
  weir_cli_signals_release();
  if (st == WEIR_OK && weir_cli_signal() != 0) st = weir_fail(err, WEIR_ELIMIT, "interrupted");
  if (st == WEIR_OK && (new.workload == NULL || !WEIR_PUSH(*profiles, new)))
    st = weir_fail(err, WEIR_ENOMEM, "out of memory");
  if (st != WEIR_OK) {
    free(new.workload);
    return st;
  }
  *prepared = weir_cli_prepared(what->setup, new.found, new.n_found);
  return WEIR_OK;
}
