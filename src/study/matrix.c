#include "study/matrix.h"

#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/temp.h"
#include "session/timing.h"
#include "study/worker.h"

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

struct weir_run *weir_study_repeat(const struct weir_study *s, size_t workload, size_t gpu,
                                   size_t scheme, size_t repeat) {
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

/* ---- one piece of work, in its process ---- */

struct job {
  const struct weir_study *study;
  struct weir_study_workload *workload;
  const struct weir_setup *setup;       /* NULL: record */
  uint64_t seed;                        /* of several repeats: that of this one */
  const struct weir_prepared *prepared; /* NULL: nothing */
  struct weir_run *run;
  char trace[4096];
  struct weir_worker worker;
};

struct answer {
  enum weir_status status;
  uint64_t launches;
  struct weir_sim_result sum;
  struct weir_err err;
};

static void record(const void *self, void *answer) {
  const struct job *j = self;
  struct answer *a = answer;
  /* The trace is read a few times and deleted: little is gained by making it small. */
  struct weir_recording r = {.path = j->workload->path,
                             .input = j->workload->input,
                             .exec = j->study->exec,
                             .out = j->trace,
                             .level = 1};
  a->status = weir_record(&r, NULL, &a->err);
}

static void replay(const void *self, void *answer) {
  const struct job *j = self;
  struct answer *a = answer;
  struct weir_timing t;
  struct weir_setup setup = *j->setup;
  if (weir_study_repeats(j->study) > 1) setup.machine.jitter.seed = (int64_t)j->seed;
  weir_timing_begin(&t, &setup,
                    &(struct weir_timing_options){.threads = 1, .check = j->study->check});
  a->status = weir_timing_workload(&t, j->workload->name, j->prepared, &a->err);
  if (a->status == WEIR_OK) {
    a->status = weir_replay(j->trace, weir_timing_kernel, &t, &a->err);
  }
  a->launches = t.launches;
  a->sum = t.sum;
  if (a->status == WEIR_OK && j->study->check) a->status = weir_timing_check(&t, &a->err);
  weir_timing_end(&t);
}

/* ---- which piece is next ---- */

struct matrix {
  struct weir_study *study;
  const struct weir_study_hooks *hooks;
  struct job *jobs; /* those that run */
  size_t n_jobs;
  struct pollfd *polls;
  struct weir_temp folder; /* a killed recording leaves files in it, too */
};

static void tell(struct matrix *m, enum weir_study_event event,
                 const struct weir_study_workload *workload, const struct weir_run *run) {
  if (m->hooks->event != NULL) m->hooks->event(m->hooks->self, m->study, event, workload, run);
}

static bool is_stopped(struct matrix *m) {
  return m->hooks->is_stopped != NULL && m->hooks->is_stopped(m->hooks->self);
}

static void trace_path(const struct matrix *m, size_t workload, char *path, size_t len) {
  const struct weir_study_workload *w = &m->study->workloads[workload];
  if (w->is_trace)
    snprintf(path, len, "%s", w->path);
  else
    snprintf(path, len, "%s/%zu.wtrace", m->folder.path, workload);
}

/* The next run of a workload, or, before the first, its recording. */
static bool next_of(struct matrix *m, size_t workload, struct job *j) {
  struct weir_study *s = m->study;
  size_t first = workload * runs_of_each(s), repeats = weir_study_repeats(s);
  *j = (struct job){.study = s, .workload = &s->workloads[workload]};
  if (j->workload->state == WEIR_RUN_RUNNING) return false;
  for (size_t i = 0; i < runs_of_each(s); i++) {
    if (s->runs[first + i].state != WEIR_RUN_WAITING) continue;
    if (j->workload->state == WEIR_RUN_WAITING) return true;
    size_t g = i / repeats / s->n_schemes, c = i / repeats % s->n_schemes;
    j->run = &s->runs[first + i];
    j->setup = weir_study_setup(s, g, c)->setup;
    j->seed = weir_study_seed(weir_study_setup(s, g, c), i % repeats);
    const struct weir_study_prep *prep = weir_study_prep(s, workload, g, c);
    if (prep != NULL) j->prepared = &prep->prepared;
    return true;
  }
  return false;
}

/* Workload by workload, so that an interrupted study has whole rows. */
static bool next_job(struct matrix *m, struct job *j) {
  for (size_t i = 0; i < m->study->n_workloads; i++)
    if (next_of(m, i, j)) {
      trace_path(m, i, j->trace, sizeof j->trace);
      return true;
    }
  return false;
}

/* ---- beginnings and ends ---- */

/* Nothing of a workload can run: its cells fail, and the reason stands with the workload. */
static void fail_workload(struct weir_study *s, const struct weir_study_workload *w) {
  size_t first = (size_t)(w - s->workloads) * runs_of_each(s);
  for (size_t i = 0; i < runs_of_each(s); i++)
    s->runs[first + i].state = WEIR_RUN_FAILED;
}

/* A trace goes when its last run has ended: the folder stays small. */
static void drop_trace(const struct weir_study *s, const struct job *j) {
  size_t workload = (size_t)(j->workload - s->workloads);
  if (j->workload->is_trace) return;
  for (size_t i = 0; i < runs_of_each(s); i++) {
    enum weir_run_state state = s->runs[workload * runs_of_each(s) + i].state;
    if (state == WEIR_RUN_WAITING || state == WEIR_RUN_RUNNING) return;
  }
  unlink(j->trace);
}

static enum weir_status settle(struct matrix *m, struct job *j, const struct answer *a,
                               struct weir_err *err) {
  enum weir_run_state state = a->status == WEIR_OK ? WEIR_RUN_DONE : WEIR_RUN_FAILED;
  char *error = a->status != WEIR_OK ? weir_strdup(a->err.msg) : NULL;
  if (j->run == NULL) {
    j->workload->state = state;
    j->workload->error = error;
    if (state == WEIR_RUN_FAILED) fail_workload(m->study, j->workload);
  } else {
    *j->run = (struct weir_run){state, error, a->launches, j->setup->storage_bits, a->sum};
    /* Pointers of another process. */
    j->run->sum.limited_by = NULL;
    for (uint32_t i = 0; i < WEIR_MAX_PARTS; i++)
      j->run->sum.parts[i] = weir_setup_part(j->setup, i);
  }
  drop_trace(m->study, j);
  tell(m, WEIR_STUDY_ENDED, j->workload, j->run);
  return a->status == WEIR_OK || error != NULL ? WEIR_OK
                                               : weir_fail(err, WEIR_ENOMEM, "out of memory");
}

static enum weir_status start(struct matrix *m, const struct job *next, struct weir_err *err) {
  struct job *j = &m->jobs[m->n_jobs];
  struct answer failed;
  *j = *next;
  failed.status = weir_worker_start(&j->worker, j->run == NULL ? record : replay, j,
                                    sizeof(struct answer), &failed.err);
  if (failed.status != WEIR_OK) return settle(m, j, &failed, err);
  if (j->run == NULL) {
    j->workload->state = WEIR_RUN_RUNNING;
    m->study->n_executions++;
  } else {
    j->run->state = WEIR_RUN_RUNNING;
    m->study->n_replays++;
  }
  m->n_jobs++;
  tell(m, WEIR_STUDY_STARTED, j->workload, j->run);
  return WEIR_OK;
}

static enum weir_status end(struct matrix *m, size_t i, struct weir_err *err) {
  struct answer a;
  struct job j = m->jobs[i];
  struct weir_err how;
  enum weir_status st = weir_worker_end(&j.worker, &a, sizeof a, &how);
  if (st != WEIR_OK) a = (struct answer){.status = st, .err = how};
  m->jobs[i] = m->jobs[--m->n_jobs];
  return settle(m, &j, &a, err);
}

/* ---- all of it ---- */

enum { WAIT_MS = 200 };

static enum weir_status wait_for_some(struct matrix *m, struct weir_err *err) {
  for (size_t i = 0; i < m->n_jobs; i++)
    m->polls[i] = (struct pollfd){.fd = m->jobs[i].worker.fd, .events = POLLIN};
  int ready = poll(m->polls, m->n_jobs, WAIT_MS);
  if (ready <= 0) {
    tell(m, WEIR_STUDY_WAITING, NULL, NULL);
    return WEIR_OK;
  }
  enum weir_status st = WEIR_OK;
  /* From the last: ending one moves the last into its place. */
  for (size_t i = m->n_jobs; st == WEIR_OK && i-- > 0;)
    if (m->polls[i].revents != 0) st = end(m, i, err);
  return st;
}

static void kill_all(struct matrix *m) {
  for (size_t i = 0; i < m->n_jobs; i++) {
    struct job *j = &m->jobs[i];
    weir_worker_kill(&j->worker);
    if (j->run == NULL)
      j->workload->state = WEIR_RUN_WAITING;
    else
      j->run->state = WEIR_RUN_WAITING;
  }
  m->n_jobs = 0;
}

static enum weir_status work(struct matrix *m, struct weir_err *err) {
  enum weir_status st = WEIR_OK;
  struct job next;
  while (st == WEIR_OK && !is_stopped(m)) {
    while (st == WEIR_OK && m->n_jobs < m->study->jobs && next_job(m, &next))
      st = start(m, &next, err);
    if (st != WEIR_OK || m->n_jobs == 0) break;
    st = wait_for_some(m, err);
  }
  kill_all(m);
  return st;
}

static enum weir_status prepare(struct weir_study *s, struct weir_err *err) {
  enum weir_status st = WEIR_OK;
  for (size_t w = 0; w < s->n_workloads; w++) {
    struct weir_study_workload *of = &s->workloads[w];
    of->state = of->is_trace ? WEIR_RUN_DONE : WEIR_RUN_WAITING;
    of->error = NULL;
    for (size_t g = 0; g < s->n_gpus; g++)
      for (size_t c = 0; c < s->n_schemes; c++) {
        const struct weir_study_prep *prep = weir_study_prep(s, w, g, c);
        bool can =
            weir_study_setup(s, g, c)->error == NULL && (prep == NULL || prep->error == NULL);
        for (size_t r = 0; !can && r < weir_study_repeats(s); r++)
          weir_study_repeat(s, w, g, c, r)->state = WEIR_RUN_FAILED;
      }
    if (of->fault == NULL) continue;
    of->state = WEIR_RUN_FAILED;
    of->error = weir_strdup(of->fault);
    if (of->error == NULL) st = weir_fail(err, WEIR_ENOMEM, "out of memory");
    fail_workload(s, of);
  }
  return st;
}

enum weir_status weir_study_run(struct weir_study *s, const struct weir_study_hooks *hooks,
                                struct weir_err *err) {
  struct matrix m = {.study = s, .hooks = hooks};
  s->runs = weir_calloc(weir_study_n_runs(s) + 1, sizeof *s->runs);
  m.jobs = weir_calloc(s->jobs, sizeof *m.jobs);
  m.polls = weir_calloc(s->jobs, sizeof *m.polls);
  enum weir_status st = s->runs != NULL && m.jobs != NULL && m.polls != NULL
                            ? weir_temp_make(&m.folder, err)
                            : weir_fail(err, WEIR_ENOMEM, "out of memory");
  if (st == WEIR_OK) st = prepare(s, err);
  if (st == WEIR_OK) st = work(&m, err);
  weir_temp_remove(&m.folder);
  free(m.jobs);
  free(m.polls);
  return st;
}

void weir_study_free(struct weir_study *s) {
  for (size_t i = 0; s->runs != NULL && i < weir_study_n_runs(s); i++)
    free(s->runs[i].error);
  for (size_t i = 0; s->runs != NULL && i < s->n_workloads; i++) {
    free(s->workloads[i].error);
    s->workloads[i].error = NULL;
  }
  free(s->runs);
  s->runs = NULL;
}
