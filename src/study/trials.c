#include "study/trials.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "session/streams.h"
#include "study/crew.h"

/* ---- one piece of work, in its process ---- */

struct job {
  struct weir_worker worker;
  const struct weir_trials *t;
  struct weir_trial *trial; /* NULL: record */
  uint32_t threads;
};

struct answer {
  enum weir_status status;
  struct weir_err err;
  uint64_t cycles;
  struct weir_trial_kernel kernels[]; /* then those of loads */
};

static struct weir_trial_load *loads_of(struct answer *a, const struct weir_profile *p) {
  return (struct weir_trial_load *)(void *)(a->kernels + p->n_kernels);
}

static size_t answer_bytes(const struct weir_profile *p) {
  return sizeof(struct answer) + p->n_kernels * sizeof(struct weir_trial_kernel) +
         p->n_loads * sizeof(struct weir_trial_load);
}

static void record(const void *self, void *answer) {
  const struct job *j = self;
  const struct weir_profile_request *r = j->t->r;
  struct answer *a = answer;
  struct weir_recording recording = {
      .path = r->path, .input = r->input, .exec = r->exec, .out = j->t->trace, .level = 1};
  a->status = weir_record(&recording, NULL, &a->err);
}

static bool make_hints(const struct job *j, struct weir_arena *arena, struct weir_hints *out) {
  const struct weir_profile *p = j->t->p;
  for (uint32_t k = 0; k < p->n_kernels; k++) {
    const struct weir_profiled_kernel *kernel = &p->kernels[k];
    uint32_t *insn = weir_arena_array(arena, kernel->loads.n + 1u, sizeof *insn);
    if (insn == NULL) return false;
    for (uint32_t i = 0; i < kernel->loads.n; i++)
      insn[i] = kernel->loads.v[i].insn;
    out[k] = (struct weir_hints){.kernel = kernel->loads.kernel,
                                 .n_insns = kernel->loads.n_insns,
                                 .insn = insn,
                                 .hint = j->trial->hints + kernel->first,
                                 .n = kernel->loads.n,
                                 .carveout = j->trial->carveouts[k]};
  }
  return true;
}

/* What a kernel did in all its launches. */
static void count_kernel(const struct weir_profile *p, const struct weir_timed_kernel *row,
                         struct answer *a) {
  a->cycles += row->result.cycles;
  for (uint32_t k = 0; k < p->n_kernels; k++) {
    const struct weir_loads *l = &p->kernels[k].loads;
    if (strcmp(l->kernel, row->kernel) != 0 || l->n_insns != row->n_insns) continue;
    a->kernels[k].cycles += row->result.cycles;
    a->kernels[k].launches += row->launches;
    for (uint32_t i = 0; i < l->n; i++) {
      const struct weir_pc_stats *s = &row->insn_stats[l->v[i].insn];
      struct weir_trial_load *to = &loads_of(a, p)[p->kernels[k].first + i];
      to->requests += s->requests;
      to->hits += s->hits + s->hit_reserved;
    }
  }
}

static void set_jitter(const struct weir_trial *trial, struct weir_jitter_cfg *j) {
  if (!trial->has_jitter) return;
  if (j->dispatch == 0 && j->memory == 0) j->dispatch = j->memory = WEIR_TRIAL_JITTER;
  j->seed = trial->seed;
}

static void time_hinted(const struct job *j, struct weir_hinted *h, struct answer *a) {
  struct weir_setup setup = *j->t->setup;
  set_jitter(j->trial, &setup.machine.jitter);
  weir_timing_begin(h->timing, &setup,
                    &(struct weir_timing_options){.threads = j->threads, .check = j->t->r->check});
  a->status = weir_timing_workload(h->timing, "trial", NULL, &a->err);
  if (a->status == WEIR_OK) a->status = weir_replay(j->t->trace, weir_hinted_kernel, h, &a->err);
  if (a->status == WEIR_OK && j->t->r->check) a->status = weir_timing_check(h->timing, &a->err);
  for (size_t i = 0; i < h->timing->kernels.n; i++)
    count_kernel(j->t->p, &h->timing->kernels.v[i], a);
  for (uint32_t k = 0; k < j->t->p->n_kernels; k++)
    a->kernels[k].had = h->had[k];
  weir_timing_end(h->timing);
}

static void replay(const void *self, void *answer) {
  const struct job *j = self;
  const struct weir_profile *p = j->t->p;
  struct answer *a = answer;
  struct weir_arena arena = {0};
  struct weir_timing timing;
  struct weir_hints *hints = weir_arena_array(&arena, p->n_kernels + 1u, sizeof *hints);
  struct weir_hinted h = {
      .timing = &timing,
      .v = hints,
      .n = p->n_kernels,
      .had = weir_arena_array(&arena, p->n_kernels + 1u, sizeof(struct weir_launched_with))};
  if (hints == NULL || h.had == NULL || !make_hints(j, &arena, hints))
    a->status = weir_no_memory(&a->err);
  else
    time_hinted(j, &h, a);
  weir_hinted_free(&h);
  weir_arena_free(&arena);
}

/* ---- several at a time ---- */

struct shift {
  struct weir_trials *t;
  struct weir_crew crew; /* of struct job */
  struct answer *answer;
};

static void tell(const struct weir_trials *t, bool is_recording) {
  if (t->r->progress != NULL) t->r->progress(t->r->self, t->n_done, is_recording ? 0 : t->most);
}

static void take(const struct weir_profile *p, struct answer *a, struct weir_trial *trial) {
  trial->cycles = a->cycles;
  memcpy(trial->kernels, a->kernels, p->n_kernels * sizeof *trial->kernels);
  memcpy(trial->loads, loads_of(a, p), p->n_loads * sizeof *trial->loads);
}

static enum weir_status end(void *self, void *job, struct weir_err *err) {
  struct shift *s = self;
  struct job *j = job;
  enum weir_status st = weir_worker_end(&j->worker, s->answer, answer_bytes(s->t->p), err);
  if (st != WEIR_OK) return st;
  if (s->answer->status != WEIR_OK) {
    *err = s->answer->err;
    return s->answer->status;
  }
  if (j->trial != NULL) {
    take(s->t->p, s->answer, j->trial);
    s->t->n_done++;
  }
  tell(s->t, j->trial == NULL);
  return WEIR_OK;
}

static enum weir_status start(struct shift *s, struct weir_trial *trial, uint32_t threads,
                              struct weir_err *err) {
  struct job *j = weir_crew_job(&s->crew, s->crew.n);
  *j = (struct job){.t = s->t, .trial = trial, .threads = threads};
  enum weir_status st =
      weir_worker_start(&j->worker, trial == NULL ? record : replay, j, answer_bytes(s->t->p), err);
  if (st == WEIR_OK) weir_crew_add(&s->crew);
  return st;
}

static enum weir_status wait_for_some(struct shift *s, bool is_recording, struct weir_err *err) {
  const struct weir_profile_request *r = s->t->r;
  bool any;
  enum weir_status st = weir_crew_wait(&s->crew, end, s, &any, err);
  if (st == WEIR_OK && !any) tell(s->t, is_recording);
  if (st == WEIR_OK && r->is_stopped != NULL && r->is_stopped(r->self))
    st = weir_fail(err, WEIR_ELIMIT, "interrupted");
  return st;
}

/* A trial that is alone gets the cores of the others as threads, which change no result. */
static enum weir_status work(struct shift *s, struct weir_trial *v, uint32_t n,
                             struct weir_err *err) {
  enum weir_status st = WEIR_OK;
  bool is_recording = v == NULL;
  uint32_t next = 0, threads = n == 1 ? s->t->r->jobs : 1;
  while (st == WEIR_OK && (s->crew.n > 0 || next < n)) {
    while (st == WEIR_OK && !weir_crew_is_full(&s->crew) && next < n) {
      st = start(s, is_recording ? NULL : &v[next], threads, err);
      next++;
    }
    if (st == WEIR_OK) st = wait_for_some(s, is_recording, err);
  }
  for (struct job *j; (j = weir_crew_take(&s->crew)) != NULL;)
    weir_worker_kill(&j->worker);
  return st;
}

enum weir_status weir_trials_run(struct weir_trials *t, struct weir_trial *v, uint32_t n,
                                 struct weir_err *err) {
  struct shift s = {.t = t, .answer = weir_calloc(1, answer_bytes(t->p))};
  enum weir_status st = weir_crew_init(&s.crew, t->r->jobs, sizeof(struct job), err);
  if (st == WEIR_OK) st = s.answer != NULL ? work(&s, v, n, err) : weir_no_memory(err);
  weir_crew_free(&s.crew);
  free(s.answer);
  return st;
}

enum weir_status weir_trials_open(struct weir_trials *t, struct weir_err *err) {
  if (t->r->trace != NULL) {
    snprintf(t->trace, sizeof t->trace, "%s", t->r->trace);
    return WEIR_OK;
  }
  enum weir_status st = weir_temp_make(&t->folder, err);
  if (st != WEIR_OK) return st;
  snprintf(t->trace, sizeof t->trace, "%s/advise.wtrace", t->folder.path);
  tell(t, true);
  return weir_trials_run(t, NULL, 1, err);
}

bool weir_trial_make(struct weir_trial *trial, const struct weir_profile *p, struct weir_arena *a) {
  *trial =
      (struct weir_trial){.hints = weir_arena_array(a, p->n_loads + 1u, 1),
                          .carveouts = weir_arena_array(a, p->n_kernels + 1u, 1),
                          .kernels = weir_arena_array(a, p->n_kernels + 1u, sizeof *trial->kernels),
                          .loads = weir_arena_array(a, p->n_loads + 1u, sizeof *trial->loads)};
  return trial->hints != NULL && trial->carveouts != NULL && trial->kernels != NULL &&
         trial->loads != NULL;
}

void weir_trials_close(struct weir_trials *t) {
  weir_temp_remove(&t->folder);
}
