/* Options of the commands that time kernels: which L1, which settings, what to show. */
#ifndef WEIR_CLI_TIMING_OPTS_H
#define WEIR_CLI_TIMING_OPTS_H

#include "base/settings.h"
#include "cli/opt.h"
#include "report/run.h"

struct weir_timing_opts {
  const char *gpu; /* NULL: none was named */
  const char *json;
  struct weir_line_up line_up;
  struct {
    const char **v;
    size_t n, cap;
  } bypass; /* ended by NULL, which counts */
  uint32_t threads;
  const char *l2; /* --cold or --warm; NULL: neither */
  struct weir_timing_views views;
  bool check, quiet;
  struct weir_settings settings;
};

/* Ids of options in this range are for weir_timing_option. */
enum {
  WEIR_TIMING_OPT_SCHEME = 1000,
  WEIR_TIMING_OPT_TAGS,
  WEIR_TIMING_OPT_BYPASS,
  WEIR_TIMING_OPT_POLICIES,
  WEIR_TIMING_OPT_ORGANISATION,
  WEIR_TIMING_OPT_THREADS,
  WEIR_TIMING_OPT_CONFIG,
  WEIR_TIMING_OPT_SET,
  WEIR_TIMING_OPT_COLD,
  WEIR_TIMING_OPT_WARM,
  WEIR_TIMING_OPT_JSON,
  WEIR_TIMING_OPT_PER_LOAD,
  WEIR_TIMING_OPT_PER_SM,
  WEIR_TIMING_OPT_CLOCKS,
  WEIR_TIMING_OPT_ALL,
  WEIR_TIMING_OPT_CHECK,
  WEIR_TIMING_OPT_QUIET,
  WEIR_TIMING_OPT_END
};

/* Rows of a struct weir_opt table. */
#define WEIR_TIMING_OPTIONS                                                                        \
  {"scheme", 'S', "NAME",                                                                          \
   "L1 design: one of 'weir list schemes', or a file ending in .yaml (default: baseline)",         \
   WEIR_TIMING_OPT_SCHEME},                                                                        \
      {"tags", 0, "FILE",                                                                          \
       "what a compiler says about the loads, for schemes that decide by it: made by\n"            \
       "'weir classify'",                                                                          \
       WEIR_TIMING_OPT_TAGS},                                                                      \
      {"bypass", 0, "FILE:LINE",                                                                   \
       "tag the loads from global memory of a source line cg: they bypass the L1; may be "         \
       "repeated;\n"                                                                               \
       "the scheme is static unless another is named, which must decide by tags",                  \
       WEIR_TIMING_OPT_BYPASS},                                                                    \
      {"policies", 'P', "LIST",                                                                    \
       "the L1's chain of policies, instead of the scheme's: names of 'weir list policies'; the\n" \
       "first answer counts",                                                                      \
       WEIR_TIMING_OPT_POLICIES},                                                                  \
      {"organisation", 'O', "NAME", "the L1's organisation, instead of the scheme's",              \
       WEIR_TIMING_OPT_ORGANISATION},                                                              \
      {"threads", 't', "N", "host threads for timing; the results are the same for any number",    \
       WEIR_TIMING_OPT_THREADS},                                                                   \
      {"config", 'c', "FILE", "read settings from a file (KEY: VALUE); --set wins over it",        \
       WEIR_TIMING_OPT_CONFIG},                                                                    \
      {"set", 's', "KEY=VALUE", "set a parameter ('weir list params'); may be repeated",           \
       WEIR_TIMING_OPT_SET},                                                                       \
      WEIR_L2_OPTIONS(WEIR_TIMING_OPT_COLD, WEIR_TIMING_OPT_WARM),                                 \
      {"json", 'j', "FILE", "write all statistics as JSON ('-': to stdout, instead of the table)", \
       WEIR_TIMING_OPT_JSON},                                                                      \
      {"per-load", 0, NULL, "show what each memory instruction did in the L1 (in JSON always)",    \
       WEIR_TIMING_OPT_PER_LOAD},                                                                  \
      {"per-sm", 0, NULL, "show what each SM did, in JSON too", WEIR_TIMING_OPT_PER_SM},           \
      {"clocks", 0, NULL,                                                                          \
       "show the cycles from each read of a clock (clock(), %clock64, %globaltimer, ...) to the\n" \
       "next one of the same threads, by source line, in JSON too; what a kernel reads itself "    \
       "is\n"                                                                                      \
       "no cycles, but counted instructions (docs/programs.md)",                                   \
       WEIR_TIMING_OPT_CLOCKS},                                                                    \
      {"all", 'a', NULL, "print every statistic with its meaning", WEIR_TIMING_OPT_ALL},           \
      {"check", 0, NULL, "verify the conservation rules of the statistics",                        \
       WEIR_TIMING_OPT_CHECK},                                                                     \
  {                                                                                                \
    "quiet", 'q', NULL, "print nothing but errors", WEIR_TIMING_OPT_QUIET                          \
  }

/* Those that are neutral, for struct weir_usage. */
#define WEIR_TIMING_NEUTRAL " threads config set cold warm json per-load all check quiet"

static inline bool weir_is_timing_option(int id) {
  return id >= WEIR_TIMING_OPT_SCHEME && id < WEIR_TIMING_OPT_END;
}
/* Returns -1 to go on, else the exit code: something is wrong and that was said. */
int weir_timing_option(struct weir_timing_opts *o, const char *command, int id, const char *value);
void weir_timing_opts_free(struct weir_timing_opts *o);
/* An option that was given and only makes sense when something is timed, or NULL. */
const char *weir_timing_only(const struct weir_timing_opts *o);

/* All runs, to a file or to stdout ("-"). */
enum weir_status weir_timing_opts_json(const struct weir_run_report *r, const char *path,
                                       struct weir_err *err);

#endif
