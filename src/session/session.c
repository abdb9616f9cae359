/* Sessions: settings, designs, and running. */
#include "session/session.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/temp.h"
#include "launch/workload.h"
#include "session/data.h"
#include "session/effects.h"
#include "session/groups.h"
#include "session/prepare.h"
#include "trace/accelsim.h"
#include "weir/version.h"

static enum weir_status no_memory(struct weir_err *err) {
  return weir_fail(err, WEIR_ENOMEM, "out of memory");
}

const char *weir_version(void) {
  return WEIR_VERSION_STRING;
}

int weir_abi_version(void) {
  return WEIR_ABI_VERSION;
}

enum weir_status weir_load_plugin(const char *path, struct weir_err *err) {
  return weir_groups_plugin(path, NULL, err);
}

/* ---- the caller's thread ---- */

/* Results and what numbers are read as must not depend on how the program rounds, whether it
 * flushes denormals, and which locale it has. */
static void enter(struct weir_session *s) {
  fegetenv(&s->their_fp);
  fesetenv(FE_DFL_ENV);
  s->their_locale = uselocale(s->plain);
}

static void leave(struct weir_session *s) {
  uselocale(s->their_locale);
  fesetenv(&s->their_fp);
}

/* ---- settings ---- */

static enum weir_status assign_all(struct weir_settings *s, const char *const *settings,
                                   struct weir_err *err) {
  enum weir_status st = WEIR_OK;
  for (; st == WEIR_OK && settings != NULL && *settings != NULL; settings++)
    st = weir_settings_assign(s, *settings, err);
  return st;
}

static enum weir_status open_session(struct weir_session *s, const char *machine,
                                     const char *const *settings, struct weir_err *err) {
  s->threads = 1;
  s->gpu = weir_arena_printf(&s->arena, "%s", machine);
  if (s->gpu == NULL) return no_memory(err);
  enum weir_status st = weir_settings_init(&s->settings, weir_param_groups(), err);
  if (st == WEIR_OK) st = assign_all(&s->settings, settings, err);
  return st == WEIR_OK ? weir_data_machine(&s->settings, s->gpu, err) : st;
}

enum weir_status weir_session_open(struct weir_session **out, const char *machine,
                                   const char *const *settings, struct weir_err *err) {
  *out = NULL;
  struct weir_session *s = weir_calloc(1, sizeof *s);
  if (s == NULL) return no_memory(err);
  s->plain = newlocale(LC_ALL_MASK, "C", (locale_t)0);
  if (s->plain == (locale_t)0) {
    free(s);
    return no_memory(err);
  }
  enter(s);
  enum weir_status st = open_session(s, machine, settings, err);
  leave(s);
  if (st == WEIR_OK)
    *out = s;
  else
    weir_session_close(s);
  return st;
}

enum weir_status weir_session_threads(struct weir_session *s, unsigned n, struct weir_err *err) {
  if (n < 1 || n > 256)
    return weir_fail(err, WEIR_EINVAL, "%u threads: want a number from 1 to 256", n);
  s->threads = n;
  return WEIR_OK;
}

void weir_session_check(struct weir_session *s, int is_wanted) {
  s->check = is_wanted != 0;
}

void weir_session_watch(struct weir_session *s,
                        int (*watch)(void *self, size_t design, const char *kernel, uint64_t cycle,
                                     uint64_t blocks),
                        void *self) {
  s->watch = watch;
  s->watch_self = self;
}

void weir_session_output(struct weir_session *s,
                         void (*print)(void *self, const char *text, size_t bytes), void *self) {
  s->print = print;
  s->print_self = self;
}

/* ---- designs ---- */

static void free_prepared(struct weir_session_design *d) {
  for (uint32_t i = 0; i < d->n_rows; i++)
    weir_rows_free(&d->rows[i]);
  d->n_rows = 0;
  weir_tags_free(d->tags);
  d->tags = NULL;
  d->prepared = (struct weir_prepared){0};
}

static void free_design(struct weir_session_design *d) {
  if (d == NULL) return;
  weir_timing_end(&d->timing);
  free_prepared(d);
  weir_setup_free(&d->setup);
  weir_settings_free(&d->settings);
  free(d->stats.v);
  free(d);
}

void weir_session_close(struct weir_session *s) {
  if (s == NULL) return;
  for (size_t i = 0; i < s->designs.n; i++)
    free_design(s->designs.v[i]);
  free(s->designs.v);
  weir_session_forget_executed(s);
  weir_settings_free(&s->settings);
  weir_arena_free(&s->arena);
  freelocale(s->plain);
  free(s);
}

static enum weir_status refuse_classified(const struct weir_setup *setup, const char *why,
                                          struct weir_err *err) {
  weir_fail(err, WEIR_EINVAL, "scheme %s wants the loads of each workload classified, %s",
            setup->scheme.name, why);
  weir_setup_say_tags(setup, "make tags first: weir classify WORKLOAD --tags FILE", err);
  weir_err_add(err, "then give them: .tags of the line-up");
  return WEIR_EINVAL;
}

static enum weir_status fill_design(struct weir_session_design *d, const struct weir_line_up *l,
                                    struct weir_err *err) {
  const struct weir_session *s = d->session;
  for (size_t i = 0; i < sizeof l->reserved / sizeof *l->reserved; i++)
    if (l->reserved[i] != NULL)
      return weir_fail(err, WEIR_EINVAL, "what is reserved in struct weir_line_up must be NULL");
  enum weir_status st = weir_settings_copy(&d->settings, &s->settings, err);
  if (st == WEIR_OK) st = assign_all(&d->settings, l->settings, err);
  if (st == WEIR_OK) st = weir_setup_open(&d->setup, s->gpu, l, &d->settings, false, err);
  if (st == WEIR_OK && weir_setup_is_classified(&d->setup) && weir_tag_maker() == NULL)
    st = refuse_classified(&d->setup, "which this library cannot do", err);
  return st == WEIR_OK ? weir_stat_rows(&d->setup, &d->session->arena, &d->stats, err) : st;
}

enum weir_status weir_session_add(struct weir_session *s, const struct weir_line_up *design,
                                  struct weir_err *err) {
  struct weir_session_design *d = weir_calloc(1, sizeof *d);
  if (d == NULL) return no_memory(err);
  d->session = s;
  d->number = s->designs.n;
  enter(s);
  enum weir_status st = fill_design(d, design, err);
  leave(s);
  if (st == WEIR_OK && !WEIR_PUSH(s->designs, d)) st = no_memory(err);
  if (st != WEIR_OK) free_design(d);
  s->has_stats &= st != WEIR_OK; /* the new one has none */
  return st;
}

size_t weir_session_n_designs(const struct weir_session *s) {
  return s->designs.n;
}

const char *weir_session_design(const struct weir_session *s, size_t design) {
  return design < s->designs.n ? s->designs.v[design]->setup.scheme.name : NULL;
}

/* ---- running ---- */

/* What is to be run, and the name that it was given. */
struct source {
  const char *name;
  struct weir_source from;
};

static enum weir_status find_source(struct weir_arena *a, const char *what, const char *input,
                                    struct source *out, struct weir_err *err) {
  size_t n = strlen(what);
  struct weir_source *from = &out->from;
  *out = (struct source){.name = what, .from = {.path = what, .input = input}};
  if (n > 7 && strcmp(what + n - 7, ".wtrace") == 0)
    from->kind = WEIR_SOURCE_TRACE;
  else if (weir_is_accelsim(what))
    from->kind = WEIR_SOURCE_ACCELSIM;
  if (from->kind == WEIR_SOURCE_LAUNCHES)
    return weir_is_launch_file(what) ? WEIR_OK : weir_data_workload(a, what, &from->path, err);
  return input == NULL
             ? WEIR_OK
             : weir_fail(err, WEIR_EINVAL, "%s: a trace has one input, not '%s'", what, input);
}

/* Nothing that was set is ignored. */
static enum weir_status check_effects(struct weir_session *s, const struct source *what,
                                      struct weir_err *err) {
  size_t n = s->designs.n;
  const struct weir_settings **settings = weir_calloc(n, sizeof *settings);
  struct weir_use *uses = weir_calloc(n, sizeof *uses);
  bool ok = settings != NULL && uses != NULL;
  for (size_t i = 0; ok && i < n; i++) {
    settings[i] = &s->designs.v[i]->settings;
    uses[i] = (struct weir_use){.setup = &s->designs.v[i]->setup,
                                .is_executed = what->from.kind == WEIR_SOURCE_LAUNCHES,
                                .has_streams = what->from.kind == WEIR_SOURCE_LAUNCHES,
                                .tags_by = weir_setup_tags_by(&s->designs.v[i]->setup),
                                .has_results = true};
  }
  enum weir_status st = ok ? weir_uses_check(settings, uses, n, err) : no_memory(err);
  free(settings);
  free(uses);
  return st;
}

static bool watch(void *self, const struct weir_timing *t, uint64_t cycle, uint64_t blocks) {
  const struct weir_session_design *d = self;
  struct weir_session *s = d->session;
  leave(s);
  bool goes_on = s->watch(s->watch_self, d->number, t->running->name, cycle, blocks) != 0;
  enter(s);
  return goes_on;
}

static void print_text(void *self, const char *text, size_t bytes) {
  struct weir_session *s = self;
  leave(s);
  if (s->print != NULL) s->print(s->print_self, text, bytes);
  enter(s);
}

static struct ptx_output output_of(struct weir_session *s) {
  return (struct ptx_output){.self = s, .print = print_text, .complain = print_text};
}

static struct weir_timing_options options_of(struct weir_session_design *d) {
  const struct weir_session *s = d->session;
  return (struct weir_timing_options){.threads = s->threads,
                                      .check = s->check,
                                      .progress = s->watch != NULL ? watch : NULL,
                                      .self = d};
}

/* ---- preparing ---- */

static enum weir_status make_tags(struct weir_session_design *d, const char *name,
                                  const struct weir_source *from, struct weir_err *err) {
  struct weir_timing_options with = options_of(d);
  if (from->kind != WEIR_SOURCE_LAUNCHES)
    return refuse_classified(&d->setup, "by their PTX, and a trace has none", err);
  enum weir_status st = weir_tag_maker()(name, &d->setup, &d->settings, from, &with, &d->tags, err);
  d->prepared.tags = d->tags;
  return st;
}

static enum weir_status make_rows(struct weir_session_design *d, const char *name,
                                  const struct weir_source *from, struct weir_err *err) {
  struct weir_timing_options with = options_of(d);
  struct weir_rows *rows = &d->rows[d->n_rows++];
  enum weir_status st = weir_prepare_rows(&d->setup, &d->settings, name, from, &with, rows, err);
  if (st == WEIR_OK) weir_prepared_put(&d->prepared, &d->setup, name, rows);
  return st;
}

/* In this process, and on the workload's input for that if it has one. What kernels print there is
 * not the caller's. */
static enum weir_status prepare_by(struct weir_session_design *d, const char *name,
                                   const struct weir_source *from, struct weir_err *err) {
  char input[WEIR_INPUT_NAME];
  bool is_same;
  struct weir_source of = *from;
  enum weir_status st = WEIR_OK;
  if (of.kind == WEIR_SOURCE_LAUNCHES) {
    st = weir_preparation_input(name, of.path, of.input, input, &is_same, err);
    of.input = input[0] != 0 ? input : NULL;
  }
  of.printed = (struct ptx_output){0};
  of.launched = NULL;
  if (st != WEIR_OK) return st;
  return weir_prepares_tags(name) ? make_tags(d, name, &of, err) : make_rows(d, name, &of, err);
}

static enum weir_status prepare_design(struct weir_session_design *d,
                                       const struct weir_source *from, struct weir_err *err) {
  const char *names[WEIR_MAX_PARTS];
  uint32_t n = weir_setup_preparations(&d->setup, names);
  enum weir_status st = WEIR_OK;
  free_prepared(d);
  for (uint32_t i = 0; st == WEIR_OK && i < n; i++)
    st = prepare_by(d, names[i], from, err);
  return st;
}

static enum weir_status prepare_all(struct weir_session *s, const struct weir_source *from,
                                    struct weir_err *err) {
  enum weir_status st = WEIR_OK;
  for (size_t i = 0; st == WEIR_OK && i < s->designs.n; i++)
    st = prepare_design(s->designs.v[i], from, err);
  return st;
}

/* ---- timing ---- */

static enum weir_status begin_design(struct weir_session_design *d, const char *workload,
                                     struct weir_err *err) {
  const struct weir_session *s = d->session;
  weir_timing_end(&d->timing);
  if (s->check) weir_setup_watch_plugins(&d->setup);
  struct weir_timing_options with = options_of(d);
  weir_timing_begin(&d->timing, &d->setup, &with);
  return weir_timing_workload(&d->timing, workload, &d->prepared, err);
}

/* The simulator goes, the rows stay. */
static enum weir_status end_design(struct weir_session_design *d, struct weir_err *err) {
  enum weir_status st = weir_tags_check_used(d->setup.tags, err);
  if (st == WEIR_OK && d->session->check) st = weir_timing_check(&d->timing, err);
  weir_timing_stop(&d->timing);
  return st;
}

static enum weir_status time_one(struct weir_session_design *d, const char *name,
                                 const struct weir_source *from, struct weir_err *err) {
  enum weir_status st = begin_design(d, name, err);
  if (st == WEIR_OK) st = weir_source_run(from, weir_timing_kernel, &d->timing, err);
  return st == WEIR_OK ? end_design(d, err) : st;
}

static enum weir_status time_all(struct weir_session *s, const char *name,
                                 const struct weir_source *from, struct weir_err *err) {
  enum weir_status st = WEIR_OK;
  for (size_t i = 0; st == WEIR_OK && i < s->designs.n; i++)
    st = time_one(s->designs.v[i], name, from, err);
  return st;
}

/* Executed once, however many designs there are. */
static enum weir_status record_and_time(struct weir_session *s, const struct source *what,
                                        struct weir_err *err) {
  char trace[4096];
  struct weir_temp folder;
  enum weir_status st = weir_temp_make(&folder, err);
  if (st != WEIR_OK) return st;
  snprintf(trace, sizeof trace, "%s/session.wtrace", folder.path);
  struct weir_recording r = {.path = what->from.path,
                             .input = what->from.input,
                             .exec = what->from.exec,
                             .out = trace,
                             .level = 1,
                             .printed = what->from.printed,
                             .launched = what->from.launched,
                             .launched_self = what->from.launched_self};
  st = weir_record(&r, NULL, err);
  if (st == WEIR_OK)
    st = time_all(s, what->name, &(struct weir_source){.kind = WEIR_SOURCE_TRACE, .path = trace},
                  err);
  weir_temp_remove(&folder);
  return st;
}

static enum weir_status run(struct weir_session *s, const char *what, const char *input,
                            struct weir_err *err) {
  struct ptx_exec_cfg cfg;
  struct source source;
  struct weir_arena a = {0};
  enum weir_status st = find_source(&a, what, input, &source, err);
  if (st == WEIR_OK) st = check_effects(s, &source, err);
  if (st == WEIR_OK) st = weir_settings_fill(&s->settings, &ptx_exec_params, &cfg, err);
  source.from.exec = &cfg;
  source.from.printed = output_of(s);
  source.from.launched = weir_session_executed;
  source.from.launched_self = s;
  if (st == WEIR_OK) st = prepare_all(s, &source.from, err);
  bool is_recorded = source.from.kind == WEIR_SOURCE_LAUNCHES && s->designs.n > 1;
  if (st == WEIR_OK)
    st = is_recorded ? record_and_time(s, &source, err)
                     : time_all(s, source.name, &source.from, err);
  weir_arena_free(&a);
  return st;
}

enum weir_status weir_session_run(struct weir_session *s, const char *what, const char *input,
                                  struct weir_err *err) {
  s->has_stats = false;
  if (s->designs.n == 0)
    return weir_fail(err, WEIR_EINVAL, "there is no design to time: weir_session_add first");
  weir_session_forget_executed(s);
  enter(s);
  enum weir_status st = run(s, what, input, err);
  leave(s);
  if (st == WEIR_OK && !s->executed.is_whole) st = no_memory(err);
  s->has_stats = st == WEIR_OK;
  return st;
}
