#include "cli/characterize_classes.h"

#include <inttypes.h>
#include <string.h>

#include "base/mem.h"
#include "cli/cmd.h"
#include "cli/job.h"

static uint64_t line_of(enum weir_class_run run) {
  return run == WEIR_CLASS_LINE_32 ? 32 : run == WEIR_CLASS_LINE_64 ? 64 : 0;
}

/* What is different. Lines keep the bytes of the L1 and its sets, which a hash may be made for. */
static enum weir_status vary(struct weir_class_runs *c, enum weir_class_run run,
                             struct weir_err *err) {
  struct weir_settings *s = &c->settings[run];
  const struct weir_l1_cfg *l1 = &c->machine->l1;
  char text[64];
  if (run == WEIR_CLASS_PERFECT) return weir_settings_assign(s, "l1.perfect=true", err);
  if (line_of(run) == 0) return WEIR_OK;
  snprintf(text, sizeof text, "l1.line=%" PRIu64, line_of(run));
  enum weir_status st = weir_settings_assign(s, text, err);
  snprintf(text, sizeof text, "l1.ways=%" PRIu64,
           (uint64_t)l1->ways * (uint64_t)l1->line / line_of(run));
  if (st == WEIR_OK) st = weir_settings_assign(s, text, err);
  snprintf(text, sizeof text, "l1.sets=%" PRId64, l1->sets);
  if (st == WEIR_OK) st = weir_settings_assign(s, text, err);
  snprintf(text, sizeof text, "l1.size=%" PRId64, l1->sets * l1->ways * l1->line);
  return st == WEIR_OK ? weir_settings_assign(s, text, err) : st;
}

/* A machine that cannot be built is a result. */
static enum weir_status make_setup(struct weir_class_runs *c, enum weir_class_run run,
                                   struct weir_err *err) {
  struct weir_err unfit;
  struct weir_line_up line_up = {.scheme = run == WEIR_CLASS_BYPASS ? "bypass-all" : "baseline"};
  struct weir_settings *s = &c->settings[run];
  enum weir_status st = weir_settings_copy(s, c->given, err);
  if (st == WEIR_OK) st = weir_data_machine(s, c->gpu, err);
  if (st != WEIR_OK) return st;
  c->study_setups[run] = (struct weir_study_setup){.setup = &c->setups[run], .settings = s};
  st = vary(c, run, &unfit);
  if (st == WEIR_OK) st = weir_setup_open(&c->setups[run], c->gpu, &line_up, s, c->check, &unfit);
  if (st == WEIR_OK) return WEIR_OK;
  c->study_setups[run].error = weir_arena_strndup(&c->arena, unfit.msg, strlen(unfit.msg));
  return c->study_setups[run].error != NULL ? WEIR_OK : weir_no_memory(err);
}

static enum weir_status make_study(struct weir_class_runs *c, struct weir_study_workload *workload,
                                   struct weir_err *err) {
  static const char *const schemes[] = {"characterize"};
  static const char *const names[WEIR_CLASS_RUNS] = {"bypass-all", "l1.perfect=true", "l1.line=32",
                                                     "l1.line=64"};
  enum weir_status st = WEIR_OK;
  for (uint32_t i = 0; st == WEIR_OK && i < WEIR_CLASS_RUNS; i++) {
    c->gpus[i] = c->gpu;
    c->names[i] = names[i];
    if (line_of(i) < (uint64_t)c->machine->l1.line)
      st = make_setup(c, i, err);
    else
      c->study_setups[i] = (struct weir_study_setup){.setup = &c->setups[i],
                                                     .settings = &c->settings[i],
                                                     .is_left = true}; /* they are no longer */
  }
  c->study = (struct weir_study){.workloads = workload,
                                 .n_workloads = 1,
                                 .gpus = c->gpus,
                                 .variants = c->names,
                                 .n_gpus = WEIR_CLASS_RUNS,
                                 .schemes = schemes,
                                 .n_schemes = 1,
                                 .setups = c->study_setups,
                                 .exec = c->exec,
                                 .jobs = c->jobs,
                                 .check = c->check};
  return st;
}

enum weir_status weir_class_runs(struct weir_class_runs *c, struct weir_study_workload *workload,
                                 struct weir_run_classes *out, struct weir_err *err) {
  struct weir_study_hooks hooks = {.event = weir_compare_progress_event,
                                   .is_stopped = weir_cli_is_stopped,
                                   .self = &c->progress};
  enum weir_status st = make_study(c, workload, err);
  if (st != WEIR_OK) return st;
  weir_cli_signals_hold();
  if (!c->is_quiet) st = weir_compare_progress_begin(&c->progress, &c->study, err);
  if (st == WEIR_OK) st = weir_study_run(&c->study, &hooks, err);
  weir_cli_signals_release();
  weir_compare_progress_end(&c->progress);
  if (st == WEIR_OK && weir_cli_signal() != 0) st = weir_fail(err, WEIR_ELIMIT, "interrupted");
  for (uint32_t i = 0; st == WEIR_OK && i < WEIR_CLASS_RUNS; i++) {
    const struct weir_run *r = weir_study_at(&c->study, 0, i, 0);
    out->cycles[i] = r->state == WEIR_RUN_DONE ? r->sum.cycles : 0;
    out->why[i] = r->state == WEIR_RUN_DONE ? NULL : weir_study_reason(&c->study, i);
  }
  return st;
}

void weir_class_runs_free(struct weir_class_runs *c) {
  weir_study_free(&c->study);
  for (uint32_t i = 0; i < WEIR_CLASS_RUNS; i++) {
    weir_setup_free(&c->setups[i]);
    weir_settings_free(&c->settings[i]);
  }
  weir_arena_free(&c->arena);
}
