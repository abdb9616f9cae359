#include "study/prepare_rows.h"

#include <poll.h>
#include <stdio.h>

#include "base/temp.h"
#include "study/worker.h"
#include "trace/accelsim.h"

struct job {
  const struct weir_prepare_request *r;
  char file[4096]; /* rows may be many: they come back in a file */
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
                          .n_opcodes = r->n_opcodes};
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

static enum weir_status wait_for(const struct weir_profile_request *r, struct weir_worker *w,
                                 struct weir_err *err) {
  enum { WAIT_MS = 200 };
  struct pollfd p = {.fd = w->fd, .events = POLLIN};
  struct answer a;
  for (int ready = 0; ready <= 0;) {
    if (r->progress != NULL) r->progress(r->self, 0, 1);
    ready = poll(&p, 1, WAIT_MS);
    if (r->is_stopped != NULL && r->is_stopped(r->self)) {
      weir_worker_kill(w);
      return weir_fail(err, WEIR_ELIMIT, "interrupted");
    }
  }
  enum weir_status st = weir_worker_end(w, &a, sizeof a, err);
  if (st == WEIR_OK && a.status != WEIR_OK && err != NULL) *err = a.err;
  return st == WEIR_OK ? a.status : st;
}

enum weir_status weir_prepare_rows_apart(const struct weir_prepare_request *r,
                                         struct weir_rows *rows, struct weir_err *err) {
  struct job j = {.r = r};
  struct weir_worker w;
  struct weir_temp folder;
  *rows = (struct weir_rows){0};
  enum weir_status st = weir_temp_make(&folder, err);
  if (st != WEIR_OK) return st;
  snprintf(j.file, sizeof j.file, "%s/prepared.rows", folder.path);
  st = weir_worker_start(&w, work, &j, sizeof(struct answer), err);
  if (st == WEIR_OK) st = wait_for(&r->profile, &w, err);
  if (st == WEIR_OK) st = weir_rows_load(rows, j.file, err);
  weir_temp_remove(&folder);
  return st;
}
