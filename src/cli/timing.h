/* Timing from the command line: progress on a terminal, signals, and schemes that are prepared. */
#ifndef WEIR_CLI_TIMING_H
#define WEIR_CLI_TIMING_H

#include "cli/prepare.h"
#include "report/timing.h"

/* Progress of the launch that runs; times are milliseconds. */
struct weir_cli_watch {
  uint64_t began, show_at;
  bool is_begun, is_shown, showed;
  bool is_stoppable; /* give up when weir_cli_signal() says so */
};

/* Milliseconds of a clock that only goes forward, for progress. */
uint64_t weir_cli_ms(void);

/* Let the options have it watched, which outlives what is made with them. */
void weir_cli_watch(struct weir_cli_watch *w, bool is_stoppable, struct weir_timing_options *o);

/* What the setup needs prepared for each workload, before weir_timing_workload, which gets
 * `prepared`. `settings` are those of the setup; `input` is the one that will be timed. */
enum weir_status weir_cli_prepare_timed(struct weir_timed_profiles *profiles,
                                        const struct weir_cli_preparing *what,
                                        struct weir_prepared *prepared, struct weir_err *err);

#endif
