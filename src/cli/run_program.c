#include "cli/run_program.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/json.h"
#include "base/mem.h"
#include "base/stat_io.h"
#include "cli/cmd.h"
#include "cli/job.h"
#include "cli/timing.h"
#include "report/run.h"
#include "session/effects.h"

/* A process of the program. */
struct session {
  struct session *next;
  struct run *run;
  char *program, *name; /* name: in the report, from its first launch on */
  uint64_t order;       /* of that, from 1 */
  struct weir_timing timing;
  struct weir_run_report report;
  uint64_t n_unwanted, n_failed;
};

struct run {
  const struct weir_run_program *o;
  const char *gpu;
  struct weir_program program;
  struct weir_program_result result;
  struct weir_setup setup;
  struct weir_timing_options with;
  struct weir_cli_watch watch;
  struct weir_timing timing; /* of all processes, at the end */
  struct weir_run_report report;
  struct session *first, **last;
  uint64_t n_reported; /* sessions */
};

static enum weir_status no_memory(struct weir_err *err) {
  return weir_fail(err, WEIR_ENOMEM, "out of memory");
}

/* ---- launches ---- */

/* Processes of one program are told apart by a number: "app", "app:2". */
static char *session_name(const struct session *of) {
  size_t room = strlen(of->program) + 24, same = 1;
  for (const struct session *s = of->run->first; s != NULL; s = s->next)
    same += s->name != NULL && strcmp(s->program, of->program) == 0;
  char *name = weir_malloc(room);
  if (name == NULL) return NULL;
  if (same == 1)
    snprintf(name, room, "%s", of->program);
  else
    snprintf(name, room, "%s:%zu", of->program, same);
  return name;
}

/* With its first launch: a process that launches nothing needs no machine. */
static enum weir_status begin_report(struct session *s, struct weir_err *err) {
  struct run *r = s->run;
  if (s->name != NULL) return WEIR_OK;
  s->order = ++r->n_reported;
  s->name = session_name(s);
  if (s->name == NULL) return no_memory(err);
  enum weir_status st = weir_run_report_init(&s->report, r->o->t->json != NULL, err);
  if (st != WEIR_OK) return st;
  s->report.per_sm = r->o->t->views.per_sm;
  s->report.keeps_launches = r->o->per_launch;
  weir_run_report_begin(&s->report, s->name);
  if (r->o->is_functional) return WEIR_OK;
  weir_timing_begin(&s->timing, &r->setup, &r->with);
  s->report.timing = &s->timing;
  return weir_timing_workload(&s->timing, s->name, NULL, err);
}

static enum weir_status begin(void *self, const char *program, void **session,
                              struct weir_err *err) {
  struct run *r = self;
  struct session *s = weir_calloc(1, sizeof *s);
  if (s == NULL) return no_memory(err);
  s->run = r;
  s->program = weir_strdup(program);
  *r->last = s;
  r->last = &s->next;
  *session = s;
  return s->program != NULL ? WEIR_OK : no_memory(err);
}

static enum weir_status launch(void *session, const struct weir_wire_event *e, uint64_t *cycles,
                               struct weir_err *err) {
  struct session *s = session;
  struct weir_err again;
  enum weir_status st = begin_report(s, err);
  if (st != WEIR_OK) return st;
  st = weir_timing_kernel(&s->timing, e->source, err);
  if (st == WEIR_OK)
    *cycles = s->timing.last.cycles;
  else if (weir_timing_restart(&s->timing, &again) != WEIR_OK)
    *err = again;
  return st;
}

static enum weir_status ended(void *session, const struct weir_wire_event *e, bool failed,
                              struct weir_err *err) {
  struct session *s = session;
  const struct weir_wire_launch *l = &e->launch;
  struct weir_launch_report row = {.kernel = l->info->name,
                                   .launch = (uint32_t)(l->number - 1),
                                   .info = l->info,
                                   .stats = e->stats};
  s->n_unwanted += !l->is_wanted;
  s->n_failed += l->is_wanted && failed;
  if (!l->is_wanted || failed) return WEIR_OK;
  enum weir_status st = begin_report(s, err);
  if (st != WEIR_OK) return st;
  json_t *o = weir_run_report_launch(&s->report, &row);
  size_t n = s->report.per_launch.n;
  if (n > 0) s->report.per_launch.v[n - 1].number = l->number; /* as the program counts */
  if (o != NULL && (json_object_set_new(o, "launch", json_integer((json_int_t)l->number)) != 0 ||
                    json_object_set_new(o, "stream", json_integer((json_int_t)l->stream)) != 0))
    s->report.is_failed = true;
  return weir_run_report_status(&s->report, err);
}

/* ---- the end ---- */

static json_t *stray_json(const struct weir_stray *s) {
  return json_pack(
      "{s:s, s:s, s:s, s:s, s:s, s:s, s:I, s:b, s:I, s:[iii], s:[iii]}", "kernel", s->kernel,
      "instruction", s->instruction, "ptx", s->position, "source", s->source, "access", s->access,
      "near", s->near, "address", (json_int_t)s->address, "in_another_allocation", (int)s->is_other,
      "count", (json_int_t)s->count, "block", (int)s->block[0], (int)s->block[1], (int)s->block[2],
      "thread", (int)s->thread[0], (int)s->thread[1], (int)s->thread[2]);
}

static json_t *strays_json(const struct session *s) {
  const struct weir_program_result *r = &s->run->result;
  json_t *list = json_array();
  for (size_t i = 0; list != NULL && i < r->strays.n; i++)
    if (r->strays.v[i].session == s) json_array_append_new(list, stray_json(&r->strays.v[i].s));
  return list;
}

static json_t *session_json(const struct session *s) {
  json_t *argv = json_array();
  for (char **a = s->run->o->argv; argv != NULL && *a != NULL; a++)
    json_array_append_new(argv, weir_json_text(*a));
  return json_pack("{s:o, s:s, s:b, s:{}, s:o, s:I, s:I, s:o}", "workload", weir_json_text(s->name),
                   "input", "", "results_checked", 0, "buffers", "command", argv,
                   "launches_not_wanted", (json_int_t)s->n_unwanted, "launches_failed",
                   (json_int_t)s->n_failed, "stray_accesses", strays_json(s));
}

static enum weir_status check_session(struct session *s, struct weir_err *err) {
  if (!s->run->o->t->check) return WEIR_OK;
  enum weir_status st =
      weir_stat_verify(weir_func_stat_table, weir_func_checks, &s->report.total, err);
  return st == WEIR_OK ? weir_timing_check(&s->timing, err) : st;
}

static enum weir_status join_session(struct run *r, struct session *s, struct weir_err *err) {
  if (s->report.launches == 0) return WEIR_OK;
  enum weir_status st = check_session(s, err);
  if (st == WEIR_OK)
    st = weir_run_report_end(&s->report, r->report.json_runs ? session_json(s) : NULL, err);
  if (st == WEIR_OK) st = weir_run_report_join(&r->report, &s->report, err);
  return st == WEIR_OK ? weir_timing_join(&r->timing, &s->timing, err) : st;
}

static enum weir_status join_sessions(struct run *r, struct weir_err *err) {
  enum weir_status st = WEIR_OK;
  for (uint64_t i = 1; st == WEIR_OK && i <= r->n_reported; i++)
    for (struct session *s = r->first; st == WEIR_OK && s != NULL; s = s->next)
      if (s->order == i) st = join_session(r, s, err);
  return st;
}

static void add_counts(const struct run *r, struct weir_text *out) {
  uint64_t n_unwanted = 0, n_failed = 0;
  for (const struct session *s = r->first; s != NULL; s = s->next)
    n_unwanted += s->n_unwanted, n_failed += s->n_failed;
  weir_text_printf(out, "%" PRIu64 " launch%s", r->report.launches,
                   r->report.launches == 1 ? "" : "es");
  if (r->report.n_runs > 1) weir_text_printf(out, " of %" PRIu64 " processes", r->report.n_runs);
  if (n_unwanted > 0)
    weir_text_printf(out, "; %" PRIu64 " more executed only, as --kernels, --skip%s say",
                     n_unwanted,
                     r->o->choice.only_region ? ", --count and --profiler-region" : " and --count");
  if (n_failed > 0) weir_text_printf(out, "; %" PRIu64 " failed and not counted", n_failed);
  weir_text_puts(out, "\n");
  if (weir_cli_signal() != 0) weir_text_puts(out, "interrupted: there was more to time\n");
  if (r->o->is_functional)
    weir_text_puts(out,
                   "times and caches: leave --functional out; --gpu NAME chooses the machine\n");
}

/* To stderr: stdout is the program's. */
static enum weir_status report_text(const struct run *r, struct weir_err *err) {
  struct weir_text out = {.screen = weir_cli_screen(STDERR_FILENO)};
  enum weir_status st = weir_run_report_text(&r->report, false, &r->o->t->views, &out, err);
  add_counts(r, &out);
  if (st == WEIR_OK && out.failed) st = no_memory(err);
  if (st == WEIR_OK) fwrite(out.v, 1, out.n, stderr);
  weir_text_free(&out);
  return st;
}

static enum weir_status report(struct run *r, struct weir_err *err) {
  const struct weir_timing_opts *t = r->o->t;
  enum weir_status st = join_sessions(r, err);
  if (st == WEIR_OK && r->report.launches > 0 && !weir_program_is_interrupted(&r->result))
    st = weir_tags_check_used(r->setup.tags, err);
  /* Interrupted, nothing does not take the place of something. */
  bool is_worth = r->report.launches > 0 || (weir_cli_signal() == 0 && r->result.signal == 0);
  if (st == WEIR_OK && t->json != NULL && is_worth)
    st = weir_timing_opts_json(&r->report, t->json, err);
  if (st == WEIR_OK && is_worth) st = weir_cli_timeline_write(r->o->timeline, err);
  if (st == WEIR_OK && is_worth) st = weir_cli_commit(err);
  if (st == WEIR_OK && !t->quiet && r->report.launches > 0) st = report_text(r, err);
  return st;
}

/* ---- the command ---- */

/* A program runs once. */
static enum weir_status refuse_prepared(const struct run *r, struct weir_err *err) {
  const char *names[WEIR_MAX_PARTS], *program = r->o->argv[0];
  if (weir_setup_preparations(&r->setup, names) == 0) return WEIR_OK;
  if (weir_setup_is_classified(&r->setup)) {
    weir_fail(err, WEIR_EINVAL, "scheme %s wants the program's loads classified",
              r->setup.scheme.name);
    if (strcmp(names[0], WEIR_PREPARE_CLASSIFY) == 0) {
      weir_err_add(err, "make tags first: weir classify --tags FILE -- %s ...", program);
      weir_err_add(err, "then give them: --tags FILE");
    } else {
      weir_err_add(err, "weir compare does that: weir compare --schemes baseline,%s -- %s ...",
                   r->setup.scheme.name, program);
    }
    return WEIR_EINVAL;
  }
  weir_fail(err, WEIR_EINVAL, "scheme %s wants a run that %s watches before it",
            r->setup.scheme.name, names[0]);
  weir_err_add(err, "record the program first: weir record -o FILE.wtrace -- %s ...", program);
  weir_err_add(err, "then time it: weir replay FILE.wtrace --gpu %s ...", r->gpu);
  return WEIR_EINVAL;
}

static enum weir_status begin_timing(struct run *r, struct weir_err *err) {
  struct weir_timing_opts *t = r->o->t;
  r->with = (struct weir_timing_options){
      .threads = t->threads, .check = t->check, .clocks = t->views.clocks};
  enum weir_status st =
      weir_setup_open(&r->setup, r->gpu, &t->line_up, &t->settings, t->check, err);
  if (st == WEIR_OK) st = weir_cli_timeline_open(r->o->timeline, &r->setup, &r->with, err);
  weir_cli_watch(&r->watch, true, &r->with);
  weir_timing_begin(&r->timing, &r->setup, &r->with);
  r->report.timing = &r->timing;
  return st == WEIR_OK ? refuse_prepared(r, err) : st;
}

static enum weir_status check_effects(const struct run *r, struct weir_err *err) {
  bool timed = !r->o->is_functional;
  const struct weir_settings *settings = &r->o->t->settings;
  return weir_uses_check(&settings,
                         &(struct weir_use){.setup = timed ? &r->setup : NULL,
                                            .is_executed = true,
                                            .is_program = true,
                                            .has_streams = timed,
                                            .has_results = timed},
                         1, err);
}

static enum weir_status tell_provenance(struct run *r, struct weir_err *err) {
  const struct weir_timing_opts *t = r->o->t;
  const char *scheme = weir_line_up_scheme(&t->line_up);
  struct weir_prov *p = r->o->prov;
  enum weir_status st = weir_prov_open(p, t->json != NULL, err);
  if (st != WEIR_OK) return st;
  weir_prov_option(p, "gpu", r->gpu);
  if (r->o->is_functional)
    scheme = NULL;
  else
    weir_prov_option(p, "scheme", scheme);
  st = weir_prov_setup(p, r->gpu, scheme, t->line_up.tags, &t->settings, err);
  if (st == WEIR_OK) st = weir_prov_program(p, r->o->argv[0], r->program.path, err);
  r->report.provenance = weir_prov_shown(p);
  return st == WEIR_OK ? weir_prov_close(p, err) : st;
}

static enum weir_status prepare(struct run *r, struct weir_err *err) {
  struct weir_timing_opts *t = r->o->t;
  enum weir_status st = weir_cli_output("--json", t->json, err);
  if (st == WEIR_OK) st = weir_run_report_init(&r->report, t->json != NULL, err);
  r->report.keeps_launches = r->o->per_launch;
  if (st == WEIR_OK) st = weir_data_machine(&t->settings, r->gpu, err);
  if (st == WEIR_OK)
    st = weir_program_open(&r->program, r->o->argv, &t->settings, r->gpu, &r->o->choice, err);
  if (st == WEIR_OK && !r->o->is_functional) st = begin_timing(r, err);
  if (st == WEIR_OK) st = check_effects(r, err);
  if (st == WEIR_OK) st = tell_provenance(r, err);
  r->program.options.want_streams = !r->o->is_functional;
  return st;
}

static enum weir_status run(struct run *r, struct weir_err *err) {
  const struct weir_program_hooks hooks = {
      .begin = begin, .launch = launch, .ended = ended, .self = r};
  enum weir_status st = prepare(r, err);
  if (st == WEIR_OK) st = weir_program_run(&r->program, &hooks, &r->result, err);
  if (st == WEIR_OK) st = report(r, err);
  return st;
}

static void free_run(struct run *r) {
  for (struct session *s = r->first, *next; s != NULL; s = next) {
    next = s->next;
    weir_run_report_free(&s->report);
    weir_timing_end(&s->timing);
    free(s->program);
    free(s->name);
    free(s);
  }
  weir_run_report_free(&r->report);
  weir_timing_end(&r->timing);
  weir_setup_free(&r->setup);
  weir_program_result_free(&r->result);
  weir_program_free(&r->program);
}

int weir_run_program(const struct weir_run_program *o) {
  struct run r = {.o = o, .gpu = o->t->gpu != NULL ? o->t->gpu : WEIR_PROGRAM_GPU};
  struct weir_err err;
  int code;
  r.last = &r.first;
  if (run(&r, &err) != WEIR_OK) {
    code = weir_cli_error(&err);
  } else {
    weir_program_notes(&r.program, &r.result, o->t->quiet);
    if (weir_cli_signal() != 0 && r.report.launches == 0)
      fputs("weir: interrupted before a launch was timed\n", stderr);
    code = r.result.exit_code;
    if (code == 0 && r.result.is_failed) code = WEIR_EXIT_FAILED;
    if (weir_cli_signal() != 0) code = 128 + weir_cli_signal();
  }
  free_run(&r);
  return code;
}
