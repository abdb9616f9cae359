/* A matrix of runs: what the command line of weir compare, sweep and worker asks for, and what is
 * made of it. */
#ifndef WEIR_CLI_COMPARE_H
#define WEIR_CLI_COMPARE_H

#include "cli/classify_program.h"
#include "cli/compare_progress.h"
#include "cli/provenance.h"
#include "study/axis.h"
#include "study/keeper.h"
#include "study/search.h"

struct weir_names {
  const char **v;
  size_t n, cap;
};

struct weir_compared_program {
  char **argv;
  struct weir_classify_program it;
};

/* A parameter that takes several values. */
struct weir_set_axis {
  const char *key;
  struct weir_axis_values values;
};

/* A machine with one value of each axis. */
struct weir_variant {
  const char *gpu;
  const char *const *values; /* of each axis */
  const char *label;         /* "l1.size=16K, l1.ways=4"; "": there are no axes */
};

struct weir_comparison {
  struct weir_names workloads, schemes, gpus, sets, configs, constraints, bypasses;
  struct weir_names bests; /* KEY=VALUES */
  bool searches_all;       /* of these, every value is tried */
  struct {
    struct weir_set_axis *v;
    size_t n, cap;
  } axes;
  struct {
    struct weir_metric {
      const char *name, *expression;
    } * v;
    size_t n, cap;
  } metrics;
  const char *input, *baseline_name, *tags, *csv, *json;
  const char *study_file; /* NULL: none */
  uint32_t jobs;
  bool check, quiet, per_kernel;
  bool is_sweep;          /* a set-up that is refused is a result, whichever it is */
  bool may_search;        /* a sweep with schemes that are the best of several values */
  const char *store_path; /* NULL: no store */
  struct weir_store_options store_options;
  struct weir_keeper_options keeping;
  const char *plan_path;    /* which share each run belongs to; NULL: their identities say it */
  const char *streams;      /* folder of streams that are recorded ahead; NULL: none are */
  struct weir_slurm *slurm; /* on a cluster; NULL: here */
  struct {
    struct weir_compared_program *v;
    size_t n, cap;
  } programs; /* of compare one at most */
  struct weir_program_choice choice;
  const char *l2; /* --cold or --warm; NULL: neither */
  /* Made from these. */
  struct weir_arena arena;
  struct weir_plan plan;
  struct weir_settings exec_settings;
  struct ptx_exec_cfg exec;
  struct weir_variant *variants;
  size_t n_variants;
  /* Searches: behind the schemes that are shown come columns for each value of each. */
  const char **trials; /* [scheme] KEY=VALUE; NULL: it is no trial */
  struct {
    struct weir_study_search *v;
    size_t n, cap;
  } searches;
  size_t n_shown;
  struct weir_settings *settings; /* [variant][scheme], as the next two */
  struct weir_setup *setups;
  struct weir_study_setup *study_setups;
  size_t n_setups, baseline;
  struct weir_preparations preparations;
  struct weir_study_prep *preps; /* [workload][variant][scheme] */
  struct weir_study study;       /* its machines are the variants */
  struct weir_keeper *keeper;
  struct weir_compare_progress progress;
  struct weir_prov prov;
};

/* ---- options ---- */

enum {
  WEIR_CMP_WORKLOADS = 4000,
  WEIR_CMP_SCHEMES,
  WEIR_CMP_GPUS,
  WEIR_CMP_TAGS,
  WEIR_CMP_BYPASS,
  WEIR_CMP_INPUT,
  WEIR_CMP_CONFIG,
  WEIR_CMP_SET,
  WEIR_CMP_BEST,
  WEIR_CMP_SEARCH,
  WEIR_CMP_NO_CONTRACT,
  WEIR_CMP_COLD,
  WEIR_CMP_WARM,
  WEIR_CMP_REPEAT,
  WEIR_CMP_JOBS,
  WEIR_CMP_MEMORY,
  WEIR_CMP_STORE,
  WEIR_CMP_WAIT,
  WEIR_CMP_RETRY,
  WEIR_CMP_CHECK,
  WEIR_CMP_QUIET,
  WEIR_CMP_PLUGIN,
  WEIR_CMP_DECISIONS
};

enum { WEIR_CMP_WAIT_MS = 1000 }; /* --wait, if it is not given */

/* Rows of a struct weir_opt table: what is run, */
#define WEIR_CMP_WHAT                                                                              \
  {"workloads", 'w', "LIST",                                                                       \
   "what to run, as the arguments: names of 'weir list workloads', launch files (.yaml),\n"        \
   "traces (.wtrace); 'all': every built-in one but simt/*, if it has the input",                  \
   WEIR_CMP_WORKLOADS},                                                                            \
      {"schemes", 'S', "LIST",                                                                     \
       "L1 designs: names of 'weir list schemes', files ending in .yaml, or a policy's name, for " \
       "the\n"                                                                                     \
       "baseline with that policy; 'all' that can run; 'designs': but for those that papers\n"     \
       "compared theirs with (default: these, and the policies of plug-ins)",                      \
       WEIR_CMP_SCHEMES},                                                                          \
      {"plugin", 'p', "FILE.so",                                                                   \
       "load a policy of your own (docs/tutorial-own-policy.md); may be repeated",                 \
       WEIR_CMP_PLUGIN},                                                                           \
      {"gpus", 'g', "LIST",                                                                        \
       "machines: names of 'weir list gpus', or files ending in .yaml (default: fermi-s3)",        \
       WEIR_CMP_GPUS},                                                                             \
      {"tags", 0, "FILE",                                                                          \
       "what a compiler says about the loads, for schemes that decide by it: made by\n"            \
       "'weir classify'",                                                                          \
       WEIR_CMP_TAGS},                                                                             \
      {"bypass", 0, "FILE:LINE",                                                                   \
       "tag the loads from global memory of a source line cg: they bypass the L1, where a "        \
       "scheme\n"                                                                                  \
       "decides by tags (static); may be repeated",                                                \
       WEIR_CMP_BYPASS},                                                                           \
      {"input", 'i', "NAME",                                                                       \
       "which of the workloads' inputs (default: their first); NAME@BUILD: and of their builds",   \
       WEIR_CMP_INPUT},                                                                            \
      WEIR_PROGRAM_OPTIONS
/* with which settings, */
#define WEIR_CMP_SETTINGS(set_arg, set_help)                                                       \
  {"config", 'c', "FILE", "read settings from a file (KEY: VALUE); --set wins over it",            \
   WEIR_CMP_CONFIG},                                                                               \
      {"set", 's', set_arg, set_help, WEIR_CMP_SET},                                               \
      WEIR_NO_CONTRACT_OPTION(WEIR_CMP_NO_CONTRACT), WEIR_L2_OPTIONS(WEIR_CMP_COLD, WEIR_CMP_WARM)
/* how often and how many at a time, and */
#define WEIR_CMP_HOW                                                                               \
  {"repeat", 'r', "N",                                                                             \
   "run each workload N times on each machine with each scheme, with seeds 1 to N of delays\n"     \
   "by chance: jitter.dispatch and jitter.memory, 0 to 16 cycles unless set",                      \
   WEIR_CMP_REPEAT},                                                                               \
      {"jobs", 0, "N",                                                                             \
       "runs at a time (default: one for each core); the results are the same for any number",     \
       WEIR_CMP_JOBS},                                                                             \
  {                                                                                                \
    "memory", 0, "BYTES",                                                                          \
        "start fewer runs at a time if together they would need more, by what earlier runs of "    \
        "the\nworkload needed (\"8G\"; default: four fifths of what the machine has)",             \
        WEIR_CMP_MEMORY                                                                            \
  }
/* where runs are kept. */
#define WEIR_CMP_STORING                                                                           \
  {"wait", 0, "SECONDS", "for another process that writes to the store (default: 1)",              \
   WEIR_CMP_WAIT},                                                                                 \
  {                                                                                                \
    "retry", 0, NULL, "run those again that failed before", WEIR_CMP_RETRY                         \
  }
#define WEIR_CMP_DECISIONS_OPTION                                                                  \
  {                                                                                                \
    "decisions", 0, NULL,                                                                          \
        "keep what policies decide over time (selectors, modes, limits, counts of SM 0), in JSON " \
        "and\nin the store, for 'weir report'",                                                    \
        WEIR_CMP_DECISIONS                                                                         \
  }
#define WEIR_CMP_NEUTRAL " workloads config jobs memory check quiet store wait retry decisions"

/* ---- comparison.c ---- */

/* One of these, or an option of programs. */
enum weir_status weir_comparison_option(struct weir_comparison *c, int id, const char *value,
                                        struct weir_err *err);
/* What was left out. False: no memory. */
bool weir_comparison_defaults(struct weir_comparison *c);
/* After all options: workloads, machines, schemes, and the program's file. Opens the store. */
enum weir_status weir_comparison_open(struct weir_comparison *c, struct weir_err *err);
/* How it came about, before it runs. `is_wanted`: something will carry it. */
enum weir_status weir_comparison_provenance(struct weir_comparison *c, bool is_wanted,
                                            struct weir_err *err);
/* What prepared schemes need, for each workload and machine: runs are known by its names. It is
 * made when a run needs it that no store has. */
enum weir_status weir_comparison_name_preps(struct weir_comparison *c, struct weir_err *err);
/* All of it, the program first. */
enum weir_status weir_comparison_run(struct weir_comparison *c, struct weir_err *err);
/* What programs ended with: 0, or the exit code for weir. */
int weir_comparison_exit(const struct weir_comparison *c, bool is_error);
/* One more; `argv` lives on. */
enum weir_status weir_comparison_add_program(struct weir_comparison *c, char **argv,
                                             struct weir_err *err);
void weir_comparison_count(const struct weir_study *s, size_t *ended, size_t *failed);
void weir_comparison_free(struct weir_comparison *c);

/* ---- compare_axes.c ---- */

/* "KEY=VALUE,...": a setting, or an axis if there are several values. `option`,
 * "--set ", stands before it in messages. */
enum weir_status weir_comparison_axis(struct weir_comparison *c, const char *option,
                                      const char *assignment, struct weir_err *err);
/* Every machine with every combination of values. */
enum weir_status weir_comparison_variants(struct weir_comparison *c, struct weir_err *err);
/* Assigns the values of a variant. */
enum weir_status weir_variant_assign(const struct weir_comparison *c, const struct weir_variant *v,
                                     struct weir_settings *s, struct weir_err *err);
/* Do all constraints hold for a set-up, whether it can be built or not? */
enum weir_status weir_comparison_holds(const struct weir_comparison *c, size_t setup, bool *holds,
                                       struct weir_err *err);

/* ---- compare_best.c ---- */

/* After the schemes are known: which of them are searched for; adds a column for each value. */
enum weir_status weir_comparison_searches(struct weir_comparison *c, struct weir_err *err);

/* ---- compare_what.c ---- */

/* One more name, or several ("a,b,c"); `what` they are is for messages. None may come twice. */
enum weir_status weir_comparison_name(struct weir_names *list, const char *what, const char *name,
                                      struct weir_err *err);
enum weir_status weir_comparison_names(struct weir_comparison *c, struct weir_names *list,
                                       const char *what, const char *text, struct weir_err *err);
/* What the user set, of all parameters. */
enum weir_status weir_comparison_settings(const struct weir_comparison *c, struct weir_settings *s,
                                          struct weir_err *err);
/* Fill in the workloads; then machines, schemes and their setups; then the number of the baseline.
 */
enum weir_status weir_comparison_workloads(struct weir_comparison *c, struct weir_err *err);
enum weir_status weir_comparison_setups(struct weir_comparison *c, struct weir_err *err);
enum weir_status weir_comparison_baseline(struct weir_comparison *c, struct weir_err *err);
/* A setting without an effect in any of the runs is a mistake. */
enum weir_status weir_comparison_effects(struct weir_comparison *c, struct weir_err *err);
/* The program whose launches it is, which will be a trace; NULL: it is none. */
struct weir_compared_program *weir_comparison_program(const struct weir_comparison *c,
                                                      const struct weir_study_workload *w);

#endif
