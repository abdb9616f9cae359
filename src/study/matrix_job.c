#include "study/matrix_job.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/temp.h"
#include "session/decisions.h"
#include "session/timing.h"

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

/* ---- what each kernel did, from one process to the other ---- */

struct kernel_record { /* before a kernel's name */
  uint64_t launches, name_bytes;
  struct weir_sim_result result;
};

static enum weir_status send_results(const struct weir_timing *t, const char *decisions, int fd,
                                     struct weir_err *err) {
  FILE *f = fdopen(fd, "wb");
  uint64_t bytes = decisions != NULL ? strlen(decisions) : 0;
  if (f == NULL) return weir_fail(err, WEIR_ENOMEM, "out of memory");
  for (size_t i = 0; i < t->kernels.n; i++) {
    const struct weir_timed_kernel *k = &t->kernels.v[i];
    struct kernel_record r = {k->launches, strlen(k->kernel) + 1, k->result};
    fwrite(&r, sizeof r, 1, f);
    fwrite(k->kernel, r.name_bytes, 1, f);
  }
  fwrite(&bytes, sizeof bytes, 1, f);
  if (bytes > 0) fwrite(decisions, bytes, 1, f);
  bool is_bad = ferror(f) != 0;
  int why = errno;
  if (fclose(f) != 0) {
    why = errno;
    is_bad = true;
  }
  return is_bad ? weir_fail(err, WEIR_EIO, "cannot write to a temporary file: %s", strerror(why))
                : WEIR_OK;
}

static bool take_kernel(FILE *f, const struct weir_setup *setup, struct weir_run_kernel *k) {
  struct kernel_record r;
  if (fread(&r, sizeof r, 1, f) != 1) return false;
  *k = (struct weir_run_kernel){weir_malloc(r.name_bytes), r.launches, r.result};
  /* Pointers of another process. */
  k->result.limited_by = NULL;
  for (uint32_t i = 0; i < WEIR_MAX_PARTS; i++)
    k->result.parts[i] = weir_setup_part(setup, i);
  return k->name != NULL && fread(k->name, r.name_bytes, 1, f) == 1;
}

static bool take_decisions(FILE *f, char **out) {
  uint64_t bytes;
  *out = NULL;
  if (fread(&bytes, sizeof bytes, 1, f) != 1) return false;
  if (bytes == 0) return true;
  *out = weir_calloc(bytes + 1, 1);
  return *out != NULL && fread(*out, bytes, 1, f) == 1;
}

static enum weir_status take_results(struct weir_study_job *j, size_t n,
                                     struct weir_run_kernel **out, struct weir_err *err) {
  lseek(j->kernels, 0, SEEK_SET);
  FILE *f = fdopen(j->kernels, "rb");
  struct weir_run_kernel *v = weir_calloc(n + 1, sizeof *v);
  size_t got = 0;
  if (f != NULL) j->kernels = -1;
  while (f != NULL && v != NULL && got < n && take_kernel(f, j->setup, &v[got]))
    got++;
  bool is_whole = f != NULL && v != NULL && got == n && take_decisions(f, &j->decisions);
  if (f != NULL) fclose(f);
  *out = v;
  if (is_whole) return WEIR_OK;
  *out = NULL;
  free(j->decisions);
  j->decisions = NULL;
  if (v != NULL) weir_run_kernels_free(v, n);
  return weir_fail(err, WEIR_EIO, "its results cannot be read back");
}

void weir_run_kernels_free(struct weir_run_kernel *v, size_t n) {
  for (size_t i = 0; v != NULL && i < n; i++)
    free(v[i].name);
  free(v);
}

/* ---- in the new process ---- */

static void record(const void *self, void *answer) {
  const struct weir_study_job *j = self;
  struct weir_study_answer *a = answer;
  /* The trace is read a few times and deleted: little is gained by making it small. */
  struct weir_recording r = {.path = j->workload->path,
                             .input = j->workload->input,
                             .exec = j->study->exec,
                             .out = j->trace,
                             .level = 1};
  a->status = weir_record(&r, NULL, &a->err);
}

static enum weir_status send(const struct weir_study_job *j, const struct weir_timing *t,
                             const struct weir_decisions *d, struct weir_err *err) {
  json_t *o = d != NULL ? weir_decisions_json(d) : NULL;
  char *text = o != NULL ? json_dumps(o, JSON_COMPACT) : NULL;
  enum weir_status st = d == NULL || text != NULL ? send_results(t, text, j->kernels, err)
                                                  : weir_fail(err, WEIR_ENOMEM, "out of memory");
  json_decref(o);
  free(text);
  return st;
}

static void replay(const void *self, void *answer) {
  const struct weir_study_job *j = self;
  struct weir_study_answer *a = answer;
  struct weir_timing t;
  struct weir_setup setup = *j->setup;
  if (weir_study_repeats(j->study) > 1) setup.machine.jitter.seed = (int64_t)j->seed;
  struct weir_decisions *d = j->study->decisions ? weir_decisions_new(&setup) : NULL;
  weir_timing_begin(
      &t, &setup,
      &(struct weir_timing_options){.threads = 1,
                                    .check = j->study->check,
                                    .sampler = d != NULL ? weir_decisions_sampler(d) : NULL});
  a->status = d != NULL || !j->study->decisions
                  ? weir_timing_workload(&t, j->workload->name, j->prepared, &a->err)
                  : weir_fail(&a->err, WEIR_ENOMEM, "out of memory");
  if (a->status == WEIR_OK) a->status = weir_replay(j->trace, weir_timing_kernel, &t, &a->err);
  if (a->status == WEIR_OK) a->status = weir_tags_check_used(setup.tags, &a->err);
  a->launches = t.launches;
  a->sum = t.sum;
  if (a->status == WEIR_OK && j->study->check) a->status = weir_timing_check(&t, &a->err);
  a->n_kernels = t.kernels.n;
  if (a->status == WEIR_OK) a->status = send(j, &t, d, &a->err);
  weir_timing_end(&t);
  weir_decisions_free(d);
}

/* ---- and from outside ---- */

static void forget(struct weir_study_job *j) {
  if (j->kernels >= 0) close(j->kernels);
  j->kernels = -1;
}

enum weir_status weir_study_job_start(struct weir_study_job *j, struct weir_err *err) {
  j->kernels = -1;
  j->began = now();
  if (j->run != NULL) {
    j->kernels = weir_temp_unnamed(j->folder);
    if (j->kernels < 0)
      return weir_fail(err, WEIR_EIO, "%s: cannot make a temporary file: %s", j->folder,
                       strerror(errno));
  }
  enum weir_status st = weir_worker_start(&j->worker, j->run == NULL ? record : replay, j,
                                          sizeof(struct weir_study_answer), err);
  if (st != WEIR_OK) forget(j);
  return st;
}

void weir_study_job_end(struct weir_study_job *j, struct weir_study_answer *a,
                        struct weir_run_kernel **kernels, double *seconds, uint64_t *peak) {
  struct weir_err how;
  *kernels = NULL;
  enum weir_status st = weir_worker_end(&j->worker, a, sizeof *a, &how);
  *seconds = now() - j->began;
  *peak = j->worker.peak_bytes;
  if (st != WEIR_OK) *a = (struct weir_study_answer){.status = st, .err = how};
  if (a->status == WEIR_OK && j->run != NULL)
    a->status = take_results(j, (size_t)a->n_kernels, kernels, &a->err);
  forget(j);
}

void weir_study_job_kill(struct weir_study_job *j) {
  weir_worker_kill(&j->worker);
  forget(j);
}
