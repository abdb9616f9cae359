/* weir run --timeline: which SMs are drawn, how often they are looked at, and the file. */
#ifndef WEIR_CLI_TIMELINE_H
#define WEIR_CLI_TIMELINE_H

#include "cli/opt.h"
#include "report/timeline.h"
#include "session/timing.h"

struct weir_cli_timeline {
  const char *file; /* NULL: none is wanted */
  const char *sms;  /* NULL: the first */
  uint64_t every, limit;
  const char *tuned; /* an option that goes with --timeline; NULL: none was given */
  bool *wanted;      /* by SM */
  struct weir_timeline *it;
};
#define WEIR_CLI_TIMELINE                                                                          \
  (struct weir_cli_timeline) {                                                                     \
    .every = 100, .limit = 64 << 20                                                                \
  }

enum {
  WEIR_TIMELINE_OPT_FILE = 5000,
  WEIR_TIMELINE_OPT_SMS,
  WEIR_TIMELINE_OPT_EVERY,
  WEIR_TIMELINE_OPT_LIMIT,
  WEIR_TIMELINE_OPT_END
};
#define WEIR_TIMELINE_OPTIONS                                                                      \
  {"timeline", 0, "FILE",                                                                          \
   "write what the warps of SMs wait for, L1 events, queues and what policies count, over time:\n" \
   "a trace for Perfetto (docs/timeline.md)",                                                      \
   WEIR_TIMELINE_OPT_FILE},                                                                        \
      {"timeline-sms", 0, "LIST", "SMs of the timeline: 0,3 or 0-7 or all (default: 0)",           \
       WEIR_TIMELINE_OPT_SMS},                                                                     \
      {"timeline-every", 0, "N", "cycles between two looks at an SM (default: 100)",               \
       WEIR_TIMELINE_OPT_EVERY},                                                                   \
  {                                                                                                \
    "timeline-limit", 0, "BYTES",                                                                  \
        "the most that the timeline may have; what comes later is left out (default: 64M)",        \
        WEIR_TIMELINE_OPT_LIMIT                                                                    \
  }
#define WEIR_TIMELINE_NEUTRAL " timeline timeline-sms timeline-every timeline-limit"

static inline bool weir_is_timeline_option(int id) {
  return id >= WEIR_TIMELINE_OPT_FILE && id < WEIR_TIMELINE_OPT_END;
}
/* Returns -1 to go on, else the exit code: something is wrong and that was said. */
int weir_timeline_option(struct weir_cli_timeline *t, const char *command, int id,
                         const char *value);
/* Lets what is made with the options be watched; nothing, if no timeline is wanted. After a
 * failure, too, weir_cli_timeline_free. */
enum weir_status weir_cli_timeline_open(struct weir_cli_timeline *t, const struct weir_setup *setup,
                                        struct weir_timing_options *with, struct weir_err *err);
/* The file, to be committed; and a note on stderr, if not all of it is there. */
enum weir_status weir_cli_timeline_write(struct weir_cli_timeline *t, struct weir_err *err);
void weir_cli_timeline_free(struct weir_cli_timeline *t);

#endif
