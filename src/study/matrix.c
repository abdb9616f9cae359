#include "study/matrix.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/temp.h"
#include "study/matrix_job.h"
#include "study/search.h"

const char *weir_study_label(const struct weir_study *s, size_t scheme) {
  return s->labels != NULL ? s->labels[scheme] : s->schemes[scheme];
}

size_t weir_study_repeats(const struct weir_study *s) {
  return s->repeats > 1 ? s->repeats : 1;
}

/* Runs of one workload. */
static size_t runs_of_each(const struct weir_study *s) {
  return s->n_gpus * s->n_schemes * weir_study_repeats(s);
}

size_t weir_study_n_runs(const struct weir_study *s) {
  return s->n_workloads * runs_of_each(s);
}

size_t weir_study_shown(const struct weir_study *s) {
  return s->n_shown > 0 ? s->n_shown : s->n_schemes;
}

/* The column whose runs it shows. */
static size_t run_column(const struct weir_study *s, size_t workload, size_t gpu, size_t scheme) {
  size_t trial;
  const struct weir_study_search *x = weir_search_of(s, scheme, &trial);
  if (x == NULL || trial != SIZE_MAX) return scheme;
  trial = weir_search_best(s, x, workload, gpu);
  return x->first + (trial != SIZE_MAX ? trial : 0);
}

struct weir_run *weir_study_repeat(const struct weir_study *s, size_t workload, size_t gpu,
                                   size_t scheme, size_t repeat) {
  if (s->n_searches > 0) scheme = run_column(s, workload, gpu, scheme);
  size_t cell = (workload * s->n_gpus + gpu) * s->n_schemes + scheme;
  return &s->runs[cell * weir_study_repeats(s) + repeat];
}

struct weir_run *weir_study_at(const struct weir_study *s, size_t workload, size_t gpu,
                               size_t scheme) {
  struct weir_run *first = weir_study_repeat(s, workload, gpu, scheme, 0), *unended = NULL;
  for (size_t r = 0; r < weir_study_repeats(s); r++) {
    if (first[r].state == WEIR_RUN_FAILED) return &first[r];
    if (first[r].state != WEIR_RUN_DONE && unended == NULL) unended = &first[r];
  }
  return unended != NULL ? unended : first;
}

uint64_t weir_study_seed(const struct weir_study_setup *setup, size_t repeat) {
  return (uint64_t)setup->setup->machine.jitter.seed + repeat + 1;
}

const struct weir_study_setup *weir_study_setup(const struct weir_study *s, size_t gpu,
                                                size_t scheme) {
  return &s->setups[gpu * s->n_schemes + scheme];
}

const struct weir_study_prep *weir_study_prep(const struct weir_study *s, size_t workload,
                                              size_t gpu, size_t scheme) {
  const struct weir_study_prep *p =
      s->preps != NULL ? &s->preps[(workload * s->n_gpus + gpu) * s->n_schemes + scheme] : NULL;
  return p != NULL && (p->n_made > 0 || p->error != NULL) ? p : NULL;
}

struct weir_study_place weir_study_place(const struct weir_study *s, size_t run) {
  size_t repeats = weir_study_repeats(s), cell = run / repeats;
  return (struct weir_study_place){.workload = cell / s->n_schemes / s->n_gpus,
                                   .gpu = cell / s->n_schemes % s->n_gpus,
                                   .scheme = cell % s->n_schemes,
                                   .repeat = run % repeats};
}

const char *weir_study_reason(const struct weir_study *s, size_t run) {
  struct weir_study_place at = weir_study_place(s, run);
  const struct weir_study_prep *prep = weir_study_prep(s, at.workload, at.gpu, at.scheme);
  const char *setup = weir_study_setup(s, at.gpu, at.scheme)->error;
  if (s->runs[run].state != WEIR_RUN_FAILED) return NULL;
  if (s->runs[run].error != NULL) return s->runs[run].error;
  if (setup != NULL) return setup;
  return prep != NULL && prep->error != NULL ? prep->error : s->workloads[at.workload].error;
}

/* ---- which piece is next ---- */

struct matrix {
  struct weir_study *study;
  const struct weir_study_hooks *hooks;
  struct weir_crew crew;   /* of struct weir_study_job */
  struct weir_temp folder; /* a killed recording leaves files in it, too */
};

static void tell(struct matrix *m, enum weir_study_event event,
                 const struct weir_study_workload *workload, const struct weir_run *run) {
  if (m->hooks->event != NULL) m->hooks->event(m->hooks->self, m->study, event, workload, run);
}

static bool is_stopped(struct matrix *m) {
  return m->hooks->is_stopped != NULL && m->hooks->is_stopped(m->hooks->self);
}

static enum weir_status keep(struct matrix *m, size_t run, struct weir_err *err) {
  return m->hooks->keep != NULL ? m->hooks->keep(m->hooks->keeper, m->study, run, err) : WEIR_OK;
}

static void trace_path(const struct matrix *m, size_t workload, char *path, size_t len) {
  const struct weir_study_workload *w = &m->study->workloads[workload];
  if (w->is_trace || w->streams != NULL)
    snprintf(path, len, "%s", w->is_trace ? w->path : w->streams);
  else
    snprintf(path, len, "%s/%zu.wtrace", m->folder.path, workload);
}

/* NaN: not known. */
static double cost_of(const struct weir_study *s, size_t run) {
  return s->costs != NULL ? s->costs[run] : NAN;
}

static bool is_longer(double a, double b) {
  return !isnan(b) && (isnan(a) || a > b);
}

/* Of the runs of a workload that wait, the longest; those of unknown length in their order. */
static bool longest_waiting(const struct weir_study *s, size_t workload, size_t *run) {
  size_t first = workload * runs_of_each(s);
  bool any = false;
  for (size_t i = first; i < first + runs_of_each(s); i++) {
    if (s->runs[i].state != WEIR_RUN_WAITING) continue;
    if (!any || is_longer(cost_of(s, i), cost_of(s, *run))) *run = i;
    any = true;
  }
  return any;
}

/* The next run of a workload, or, before the first, its recording. */
static bool next_of(struct matrix *m, size_t workload, struct weir_study_job *j) {
  struct weir_study *s = m->study;
  size_t run = 0;
  *j = (struct weir_study_job){.study = s, .workload = &s->workloads[workload]};
  if (j->workload->state == WEIR_RUN_RUNNING || !longest_waiting(s, workload, &run)) return false;
  if (j->workload->state == WEIR_RUN_WAITING) return true;
  if (s->only_records) return false;
  struct weir_study_place at = weir_study_place(s, run);
  const struct weir_study_setup *setup = weir_study_setup(s, at.gpu, at.scheme);
  const struct weir_study_prep *prep = weir_study_prep(s, workload, at.gpu, at.scheme);
  j->run = &s->runs[run];
  j->setup = setup->setup;
  j->seed = weir_study_seed(setup, at.repeat);
  assert(prep == NULL || prep->is_ready); /* whoever leaves it out has found the run in a store */
  if (prep != NULL) j->prepared = &prep->prepared;
  return true;
}

/* Workload by workload: an interrupted study has whole rows, and few recordings lie on the disk. */
static bool next_job(struct matrix *m, struct weir_study_job *j) {
  for (size_t i = 0; i < m->study->n_workloads; i++)
    if (next_of(m, m->study->order[i], j)) {
      trace_path(m, m->study->order[i], j->trace, sizeof j->trace);
      j->folder = m->folder.path;
      return true;
    }
  return false;
}

/* What it may need: what the workload's other runs did or, before the first has ended, some. */
static uint64_t need_of(const struct weir_study_job *j) {
  enum { SOME = 256 };
  return j->workload->peak > 0 ? j->workload->peak : (uint64_t)SOME << 20;
}

/* One at least always runs. */
static bool has_room(const struct matrix *m, const struct weir_study_job *next) {
  uint64_t taken = need_of(next);
  if (weir_crew_is_full(&m->crew)) return false;
  for (size_t i = 0; i < m->crew.n; i++) {
    const struct weir_study_job *j = weir_crew_job(&m->crew, i);
    taken += j->reserved;
  }
  return m->crew.n == 0 || m->study->memory == 0 || taken <= m->study->memory;
}

/* ---- beginnings and ends ---- */

/* A run that cannot be tried. */
static enum weir_status fail_run(struct matrix *m, size_t run, struct weir_err *err) {
  m->study->runs[run].state = WEIR_RUN_FAILED;
  return keep(m, run, err);
}

/* Nothing of a workload can run: its cells fail, and the reason stands with the workload. */
static enum weir_status fail_workload(struct matrix *m, const struct weir_study_workload *w,
                                      struct weir_err *err) {
  struct weir_study *s = m->study;
  size_t first = (size_t)(w - s->workloads) * runs_of_each(s);
  enum weir_status st = WEIR_OK;
  for (size_t i = first; st == WEIR_OK && i < first + runs_of_each(s); i++)
    if (s->runs[i].state == WEIR_RUN_WAITING) st = fail_run(m, i, err);
  return st;
}

/* A trace goes when its last run has ended: the folder stays small. */
static void drop_trace(const struct weir_study *s, const struct weir_study_job *j) {
  size_t workload = (size_t)(j->workload - s->workloads);
  if (j->workload->is_trace || j->workload->streams != NULL) return;
  for (size_t i = 0; i < runs_of_each(s); i++) {
    enum weir_run_state state = s->runs[workload * runs_of_each(s) + i].state;
    if (state == WEIR_RUN_WAITING || state == WEIR_RUN_RUNNING) return;
  }
  unlink(j->trace);
}

static enum weir_status settle_recording(struct matrix *m, struct weir_study_job *j,
                                         const struct weir_study_answer *a, char *error,
                                         struct weir_err *err) {
  j->workload->state = a->status == WEIR_OK ? WEIR_RUN_DONE : WEIR_RUN_FAILED;
  j->workload->error = error;
  return a->status == WEIR_OK ? WEIR_OK : fail_workload(m, j->workload, err);
}

static enum weir_status settle_run(struct matrix *m, struct weir_study_job *j,
                                   const struct weir_study_answer *a, char *error,
                                   struct weir_run_kernel *kernels, double seconds,
                                   struct weir_err *err) {
  *j->run = (struct weir_run){.state = a->status == WEIR_OK ? WEIR_RUN_DONE : WEIR_RUN_FAILED,
                              .error = error,
                              .launches = a->launches,
                              .storage_bits = j->setup->storage_bits,
                              .sum = a->sum,
                              .kernels = kernels,
                              .n_kernels = kernels != NULL ? (size_t)a->n_kernels : 0,
                              .decisions = j->decisions,
                              .seconds = seconds};
  /* Pointers of another process. */
  j->run->sum.limited_by = NULL;
  for (uint32_t i = 0; i < WEIR_MAX_PARTS; i++)
    j->run->sum.parts[i] = weir_setup_part(j->setup, i);
  return keep(m, (size_t)(j->run - m->study->runs), err);
}

static enum weir_status settle(struct matrix *m, struct weir_study_job *j,
                               const struct weir_study_answer *a, struct weir_run_kernel *kernels,
                               double seconds, struct weir_err *err) {
  char *error = a->status != WEIR_OK ? weir_strdup(a->err.msg) : NULL;
  bool is_short = a->status != WEIR_OK && error == NULL;
  enum weir_status st = j->run == NULL ? settle_recording(m, j, a, error, err)
                                       : settle_run(m, j, a, error, kernels, seconds, err);
  weir_search_go_on(m->study, (size_t)(j->workload - m->study->workloads));
  drop_trace(m->study, j);
  tell(m, WEIR_STUDY_ENDED, j->workload, j->run);
  return st == WEIR_OK && is_short ? weir_fail(err, WEIR_ENOMEM, "out of memory") : st;
}

static enum weir_status start(struct matrix *m, const struct weir_study_job *next,
                              struct weir_err *err) {
  struct weir_study_job *j = weir_crew_job(&m->crew, m->crew.n);
  struct weir_study_answer failed = {0};
  *j = *next;
  j->reserved = need_of(j);
  failed.status = weir_study_job_start(j, &failed.err);
  if (failed.status != WEIR_OK) return settle(m, j, &failed, NULL, 0, err);
  if (j->run == NULL) {
    j->workload->state = WEIR_RUN_RUNNING;
    m->study->n_executions++;
  } else {
    j->run->state = WEIR_RUN_RUNNING;
    m->study->n_replays++;
  }
  weir_crew_add(&m->crew);
  tell(m, WEIR_STUDY_STARTED, j->workload, j->run);
  return WEIR_OK;
}

static enum weir_status end(void *self, void *job, struct weir_err *err) {
  struct matrix *m = self;
  struct weir_study_job *j = job;
  struct weir_study_answer a;
  struct weir_run_kernel *kernels;
  double seconds;
  uint64_t peak;
  weir_study_job_end(j, &a, &kernels, &seconds, &peak);
  if (j->run != NULL && peak > j->workload->peak) j->workload->peak = peak;
  return settle(m, j, &a, kernels, seconds, err);
}

/* ---- all of it ---- */

static void kill_all(struct matrix *m) {
  for (struct weir_study_job *j; (j = weir_crew_take(&m->crew)) != NULL;) {
    weir_study_job_kill(j);
    if (j->run == NULL)
      j->workload->state = WEIR_RUN_WAITING;
    else
      j->run->state = WEIR_RUN_WAITING;
  }
}

static enum weir_status work(struct matrix *m, struct weir_err *err) {
  enum weir_status st = WEIR_OK;
  struct weir_study_job next;
  bool any;
  while (st == WEIR_OK && !is_stopped(m)) {
    while (st == WEIR_OK && next_job(m, &next) && has_room(m, &next))
      st = start(m, &next, err);
    if (st != WEIR_OK || m->crew.n == 0) break;
    st = weir_crew_wait(&m->crew, end, m, &any, err);
    if (st == WEIR_OK && !any) tell(m, WEIR_STUDY_WAITING, NULL, NULL);
  }
  kill_all(m);
  return st;
}

/* Can it be tried, for all that is known before? */
static bool can_run(const struct weir_study *s, size_t run) {
  struct weir_study_place at = weir_study_place(s, run);
  const struct weir_study_prep *prep = weir_study_prep(s, at.workload, at.gpu, at.scheme);
  return weir_study_setup(s, at.gpu, at.scheme)->error == NULL &&
         (prep == NULL || prep->error == NULL) && s->workloads[at.workload].error == NULL;
}

static enum weir_status prepare_workload(struct weir_study_workload *w, struct weir_err *err) {
  bool is_there = w->is_trace || (w->streams != NULL && access(w->streams, R_OK) == 0);
  w->state = w->fault != NULL ? WEIR_RUN_FAILED : is_there ? WEIR_RUN_DONE : WEIR_RUN_WAITING;
  w->error = NULL;
  w->peak = 0;
  if (w->fault == NULL) return WEIR_OK;
  w->error = weir_strdup(w->fault);
  return w->error != NULL ? WEIR_OK : weir_fail(err, WEIR_ENOMEM, "out of memory");
}

static enum weir_status prepare(struct matrix *m, struct weir_err *err) {
  struct weir_study *s = m->study;
  enum weir_status st = WEIR_OK;
  for (size_t w = 0; st == WEIR_OK && w < s->n_workloads; w++)
    st = prepare_workload(&s->workloads[w], err);
  for (size_t i = 0; st == WEIR_OK && i < weir_study_n_runs(s) && !is_stopped(m); i++) {
    struct weir_study_place at = weir_study_place(s, i);
    if (weir_study_setup(s, at.gpu, at.scheme)->is_left)
      s->runs[i].state = WEIR_RUN_LEFT;
    else if (m->hooks->find != NULL)
      st = m->hooks->find(m->hooks->keeper, s, i, err);
    if (st == WEIR_OK && s->runs[i].state == WEIR_RUN_WAITING && !can_run(s, i))
      st = fail_run(m, i, err);
  }
  weir_search_begin(s);
  for (size_t w = 0; w < s->n_workloads; w++)
    weir_search_go_on(s, w); /* where the first are known already */
  return st;
}

/* All that waits of it; NaN: of some it is not known. */
static double cost_of_workload(const struct weir_study *s, size_t workload) {
  size_t first = workload * runs_of_each(s);
  double most = 0;
  for (size_t i = first; i < first + runs_of_each(s); i++) {
    if (s->runs[i].state != WEIR_RUN_WAITING) continue;
    if (isnan(cost_of(s, i))) return NAN;
    most = cost_of(s, i) > most ? cost_of(s, i) : most;
  }
  return most;
}

/* The longest runs first, so that no core is left with one in the end; those of unknown length
 * before them. */
static void put_in_order(struct weir_study *s) {
  for (size_t i = 0; i < s->n_workloads; i++) {
    double cost = cost_of_workload(s, i);
    size_t at = i;
    for (; at > 0; at--) {
      double before = cost_of_workload(s, s->order[at - 1]);
      if (!is_longer(cost, before)) break;
      s->order[at] = s->order[at - 1];
    }
    s->order[at] = i;
  }
}

enum weir_status weir_study_run(struct weir_study *s, const struct weir_study_hooks *hooks,
                                struct weir_err *err) {
  struct matrix m = {.study = s, .hooks = hooks};
  s->runs = weir_calloc(weir_study_n_runs(s) + 1, sizeof *s->runs);
  s->order = weir_calloc(s->n_workloads + 1, sizeof *s->order);
  enum weir_status st = weir_crew_init(&m.crew, s->jobs, sizeof(struct weir_study_job), err);
  if (st == WEIR_OK && (s->runs == NULL || s->order == NULL))
    st = weir_fail(err, WEIR_ENOMEM, "out of memory");
  if (st == WEIR_OK) st = weir_temp_make(&m.folder, err);
  if (st == WEIR_OK) st = prepare(&m, err);
  if (st == WEIR_OK) put_in_order(s);
  if (st == WEIR_OK) st = work(&m, err);
  weir_temp_remove(&m.folder);
  weir_crew_free(&m.crew);
  return st;
}

void weir_run_forget(struct weir_run *r) {
  weir_run_kernels_free(r->kernels, r->n_kernels);
  free(r->decisions);
  r->kernels = NULL;
  r->decisions = NULL;
  r->n_kernels = 0;
}

void weir_study_free(struct weir_study *s) {
  for (size_t i = 0; s->runs != NULL && i < weir_study_n_runs(s); i++) {
    free(s->runs[i].error);
    weir_run_forget(&s->runs[i]);
  }
  for (size_t i = 0; s->runs != NULL && i < s->n_workloads; i++) {
    free(s->workloads[i].error);
    s->workloads[i].error = NULL;
  }
  free(s->runs);
  free(s->order);
  s->runs = NULL;
  s->order = NULL;
}
