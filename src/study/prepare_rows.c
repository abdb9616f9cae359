#include "study/prepare_rows.h"

#include <stdio.h>

#include "base/temp.h"
#include "study/crew.h"
#include "trace/accelsim.h"

struct job {
  struct weir_worker worker;
  const struct weir_prepare_request *r;
  const char *file; /* rows may be many: they come back in a file */
};

struct answer {
  enum weir_status status;
  struct weir_err err;
};

/* ---- in its process ---- */

static struct weir_source source_of(const struct weir_prepare_request *r) {
  const struct weir_profile_request *p = &r->profile;
  struct weir_source s = {.kind = WEIR_SOURCE_LAUNCHES,
                          .path = p->path,
                          .input = p->input,
                          .exec = p->exec,
                          .opcode_class = r->opcode_class,
                          .n_opcodes = r->n_opcodes,
                          .choice = r->choice};
  if (p->trace == NULL) return s;
  s.kind = weir_is_accelsim(p->trace) ? WEIR_SOURCE_ACCELSIM : WEIR_SOURCE_TRACE;
  s.path = p->trace;
  return s;
}

static void work(const void *self, void *answer) {
  const struct job *j = self;
  struct answer *a = answer;
  struct weir_source source = source_of(j->r);
  struct weir_timing_options o = {.threads = j->r->profile.jobs, .check = j->r->profile.check};
  struct weir_rows rows;
  if (o.threads > 256) o.threads = 256;
  a->status =
      weir_prepare_rows(j->r->setup, j->r->settings, j->r->name, &source, &o, &rows, &a->err);
  if (a->status != WEIR_OK) return;
  a->status = weir_rows_save(&rows, j->file, j->r->name, &a->err);
  weir_rows_free(&rows);
}

/* ---- here ---- */

static enum weir_status end(void *self, void *job, struct weir_err *err) {
  struct job *j = job;
  struct answer a;
  (void)self;
  enum weir_status st = weir_worker_end(&j->worker, &a, sizeof a, err);
  if (st == WEIR_OK && a.status != WEIR_OK && err != NULL) *err = a.err;
  return st == WEIR_OK ? a.status : st;
}

static enum weir_status run_alone(const struct weir_profile_request *r, struct weir_crew *crew,
                                  struct weir_err *err) {
  struct job *j = weir_crew_job(crew, 0);
  bool any;
  enum weir_status st = weir_worker_start(&j->worker, work, j, sizeof(struct answer), err);
  if (st == WEIR_OK) weir_crew_add(crew);
  while (st == WEIR_OK && crew->n > 0) {
    if (r->progress != NULL) r->progress(r->self, 0, 1);
    st = weir_crew_wait(crew, end, NULL, &any, err);
    if (st == WEIR_OK && r->is_stopped != NULL && r->is_stopped(r->self))
      st = weir_fail(err, WEIR_ELIMIT, "interrupted");
  }
  if ((j = weir_crew_take(crew)) != NULL) weir_worker_kill(&j->worker);
  return st;
}

enum weir_status weir_prepare_rows_apart(const struct weir_prepare_request *r,
                                         struct weir_rows *rows, struct weir_err *err) {
  struct weir_crew crew;
  struct weir_temp folder;
  char file[4096];
  *rows = (struct weir_rows){0};
  enum weir_status st = weir_temp_make(&folder, err);
  if (st != WEIR_OK) return st;
  snprintf(file, sizeof file, "%s/prepared.rows", folder.path);
  st = weir_crew_init(&crew, 1, sizeof(struct job), err);
  if (st == WEIR_OK) {
    *(struct job *)weir_crew_job(&crew, 0) = (struct job){.r = r, .file = file};
    st = run_alone(&r->profile, &crew, err);
  }
  if (st == WEIR_OK) st = weir_rows_load(rows, file, err);
  weir_crew_free(&crew);
  weir_temp_remove(&folder);
  return st;
}
