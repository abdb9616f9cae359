/* What lies behind the handle of weir/sim.h. */
#ifndef WEIR_SESSION_SESSION_H
#define WEIR_SESSION_SESSION_H

#include <fenv.h>
#include <locale.h>

#include "launch/workload.h"
#include "session/stat_rows.h"
#include "session/timing.h"

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
  struct weir_stat_rows stats;
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

#endif
