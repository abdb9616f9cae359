/* What lies behind the handle of weir/sim.h. */
#ifndef WEIR_SESSION_SESSION_H
#define WEIR_SESSION_SESSION_H

#include <fenv.h>
#include <locale.h>

#include "launch/workload.h"
#include "session/timing.h"

/* Where a statistic lies. */
enum weir_stat_place {
  WEIR_IN_RUN,
  WEIR_IN_DERIVED,
  WEIR_IN_SM,
  WEIR_IN_L1,
  WEIR_IN_PART,
  WEIR_IN_L2,
  WEIR_IN_L3,
  WEIR_IN_DRAM,
  WEIR_IN_ENERGY,
  WEIR_IN_EXECUTION /* the last of a list: a run of a trace does not have them */
};

struct weir_stat_row {
  const char *name;
  const struct weir_stat *stat;
  enum weir_stat_place place;
  uint32_t part;
};

struct weir_session_design {
  struct weir_session *session;
  size_t number;
  struct weir_settings settings; /* those of the session, of the scheme and its own */
  struct weir_setup setup;
  struct weir_timing timing;
  struct weir_tags *tags; /* what was prepared for the run, and the next three */
  struct weir_rows rows[WEIR_MAX_PARTS];
  uint32_t n_rows;
  struct weir_prepared prepared;
  struct {
    struct weir_stat_row *v;
    size_t n, cap;
  } stats;
};

/* What was executed of a kernel, the same for all designs. */
struct weir_executed {
  char *kernel;
  uint32_t n_insns;
  struct weir_func_stats stats;
};

struct weir_session {
  struct weir_arena arena;
  const char *gpu;
  struct weir_settings settings; /* the user's, and the machine's */
  struct {
    struct weir_session_design **v;
    size_t n, cap;
  } designs;
  uint32_t threads;
  bool check, has_stats; /* has_stats: the last run was good */
  struct {
    struct weir_executed *v;
    size_t n, cap;
    struct weir_func_stats sum;
    bool is_whole; /* false: no memory */
  } executed;      /* in the last run; n 0: a trace was read */
  int (*watch)(void *self, size_t design, const char *kernel, uint64_t cycle, uint64_t blocks);
  void *watch_self;
  void (*print)(void *self, const char *text, size_t bytes);
  void *print_self;
  /* Rounding and locale of the caller's thread, while it is in the library. */
  fenv_t their_fp;
  locale_t plain, their_locale; /* plain: "C" */
};

/* Begins anew; then a hook of sources, whose `self` is the session. */
void weir_session_forget_executed(struct weir_session *s);
void weir_session_executed(void *self, const struct weir_launch_report *l);
/* The list of a design's statistics. */
enum weir_status weir_session_list_stats(struct weir_session_design *d, struct weir_err *err);

#endif
