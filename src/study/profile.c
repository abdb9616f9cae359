#include "study/profile.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/temp.h"
#include "session/streams.h"
#include "session/timing.h"
#include "study/block_lines.h"
#include "study/crew.h"

/* ---- runs ---- */

/* Which loads use the L1. */
struct run {
  enum { ONE_LOAD, WHOLE_GROUP, PAIR, NO_LOAD } of;
  uint32_t kernel;
  uint32_t which; /* load, group or pair of the kernel */
};

struct profiler {
  const struct weir_profile_request *r;
  struct weir_profile *p;
  struct weir_setup setup;
  struct run *runs;
  uint32_t n_runs, n_done;
  struct weir_temp folder;
  char trace[4096], lines[4096]; /* files of it: streams, and the rows of block_lines.h */
};

static bool is_chosen(const struct run *run, const struct weir_profile *p, uint32_t kernel,
                      uint32_t i) {
  const struct weir_profiled_kernel *k = &p->kernels[kernel];
  if (run->of == NO_LOAD || run->kernel != kernel) return false;
  if (run->of == ONE_LOAD) return run->which == i;
  if (run->of == WHOLE_GROUP) return run->which == k->loads.v[i].group;
  return k->traffic.pairs[run->which].a == i || k->traffic.pairs[run->which].b == i;
}

/* ---- one piece of work, in its process ---- */

struct job {
  struct weir_worker worker;
  const struct profiler *profiler;
  const struct run *run; /* NULL: record */
};

struct counts {
  uint64_t requests, hits, sectors;
};

struct answer {
  enum weir_status status;
  struct weir_err err;
  struct counts load[]; /* of all kernels, one after the other */
};

static size_t answer_bytes(const struct profiler *f) {
  return sizeof(struct answer) + f->p->n_loads * sizeof(struct counts);
}

static void record(const void *self, void *answer) {
  const struct job *j = self;
  const struct weir_profile_request *r = j->profiler->r;
  struct answer *a = answer;
  struct weir_recording recording = {
      .path = r->path, .input = r->input, .exec = r->exec, .out = j->profiler->trace, .level = 1};
  a->status = weir_record(&recording, NULL, &a->err);
}

static enum weir_status tag_loads(const struct job *j, struct weir_tags *t) {
  const struct weir_profile *p = j->profiler->p;
  enum weir_status st = WEIR_OK;
  for (uint32_t k = 0; st == WEIR_OK && k < p->n_kernels; k++) {
    const struct weir_loads *l = &p->kernels[k].loads;
    for (uint32_t i = 0; st == WEIR_OK && i < l->n; i++)
      if (!l->v[i].is_fixed)
        st = weir_tags_put(t, l->kernel, l->v[i].insn, UINT64_C(8) * l->v[i].insn, 0,
                           is_chosen(j->run, p, k, i) ? WEIR_TAG_CA : WEIR_TAG_CG);
  }
  return st;
}

/* What the loads of one kernel did in all its launches. */
static void count_loads(const struct profiler *f, const struct weir_timed_kernel *row,
                        struct answer *a) {
  for (uint32_t k = 0; k < f->p->n_kernels; k++) {
    const struct weir_profiled_kernel *kernel = &f->p->kernels[k];
    if (strcmp(kernel->loads.kernel, row->kernel) != 0) continue;
    for (uint32_t i = 0; i < kernel->loads.n && kernel->loads.v[i].insn < row->n_insns; i++) {
      const struct weir_pc_stats *s = &row->insn_stats[kernel->loads.v[i].insn];
      struct counts *c = &a->load[kernel->first + i];
      c->requests += s->requests;
      c->hits += s->hits + (f->r->cls->hr_is_hit ? s->hit_reserved : 0);
      c->sectors += s->sectors_fetched;
    }
  }
}

/* The kernels, and if no load uses the L1 their lines. */
static enum weir_status time_kernels(const struct profiler *f, const struct run *run,
                                     struct weir_timing *t, struct weir_block_lines *lines,
                                     struct weir_err *err) {
  if (run->of != NO_LOAD) return weir_replay(f->trace, weir_timing_kernel, t, err);
  enum weir_status st = weir_replay(f->trace, weir_block_lines_kernel, lines, err);
  if (st == WEIR_OK) st = weir_timing_rewind(t, err);
  weir_rows_settle(&lines->rows);
  return st == WEIR_OK ? weir_rows_save(&lines->rows, f->lines, "lines of blocks", err) : st;
}

static void time_tagged(const struct profiler *f, const struct run *run,
                        const struct weir_tags *tags, struct answer *a) {
  struct weir_timing t;
  struct weir_block_lines lines = {.p = f->p, .timing = &t};
  struct weir_timing_options with = {.threads = 1, .check = f->r->check};
  if (f->r->here != NULL) with = *f->r->here;
  if (run->of == NO_LOAD) {
    with.read_tape = weir_block_lines_read;
    with.tape_self = &lines;
  }
  weir_timing_begin(&t, &f->setup, &with);
  a->status = weir_timing_workload(&t, "profile", &(struct weir_prepared){.tags = tags}, &a->err);
  if (a->status == WEIR_OK) a->status = time_kernels(f, run, &t, &lines, &a->err);
  if (a->status == WEIR_OK && with.check) a->status = weir_timing_check(&t, &a->err);
  for (size_t i = 0; i < t.kernels.n; i++)
    count_loads(f, &t.kernels.v[i], a);
  weir_timing_end(&t);
  weir_block_lines_free(&lines);
}

static void replay(const void *self, void *answer) {
  const struct job *j = self;
  struct answer *a = answer;
  struct weir_tags *tags;
  a->status = weir_tags_new(&tags);
  if (a->status == WEIR_OK) a->status = tag_loads(j, tags);
  if (a->status != WEIR_OK)
    weir_no_memory(&a->err);
  else
    time_tagged(j->profiler, j->run, tags, a);
  weir_tags_free(tags);
}

/* ---- several at a time ---- */

struct shift {
  struct profiler *f;
  struct weir_crew crew; /* of struct job */
  struct answer *answer;
  uint32_t next; /* run to start */
};

static void tell(const struct profiler *f) {
  if (f->r->progress != NULL) f->r->progress(f->r->self, f->n_done, f->n_runs);
}

/* What a run says about a load. */
static void take_load(struct weir_profiled_kernel *k, const struct run *run, uint32_t i,
                      const struct counts *got) {
  struct weir_load_counts *c = &k->counts[i];
  c->accesses = got->requests;
  switch (run->of) {
  case ONE_LOAD:
    c->alone = got->hits;
    if (k->traffic.alone != NULL) k->traffic.alone[i] = got->sectors;
    break;
  case WHOLE_GROUP:
    c->together = got->hits;
    break;
  case PAIR:
    k->traffic.pairs[run->which].together += got->sectors;
    break;
  case NO_LOAD:
    k->traffic.bypassed[i] = got->sectors;
    break;
  }
}

/* And about those that used the L1, or all if none did. */
static void take(struct profiler *f, const struct run *run, const struct answer *a) {
  for (uint32_t n = 0; n < f->p->n_kernels; n++) {
    struct weir_profiled_kernel *k = &f->p->kernels[n];
    for (uint32_t i = 0; i < k->loads.n; i++)
      if (run->of == NO_LOAD || is_chosen(run, f->p, n, i))
        take_load(k, run, i, &a->load[k->first + i]);
  }
}

static enum weir_status end(void *self, void *job, struct weir_err *err) {
  struct shift *s = self;
  struct job *j = job;
  enum weir_status st = weir_worker_end(&j->worker, s->answer, answer_bytes(s->f), err);
  if (st != WEIR_OK) return st;
  if (s->answer->status != WEIR_OK) {
    *err = s->answer->err;
    return s->answer->status;
  }
  if (j->run != NULL) {
    take(s->f, j->run, s->answer);
    s->f->n_done++;
  }
  tell(s->f);
  return WEIR_OK;
}

static enum weir_status start(struct shift *s, const struct run *run, struct weir_err *err) {
  struct job *j = weir_crew_job(&s->crew, s->crew.n);
  *j = (struct job){.profiler = s->f, .run = run};
  enum weir_status st =
      weir_worker_start(&j->worker, run == NULL ? record : replay, j, answer_bytes(s->f), err);
  if (st == WEIR_OK) weir_crew_add(&s->crew);
  return st;
}

static enum weir_status wait_for_some(struct shift *s, struct weir_err *err) {
  const struct weir_profile_request *r = s->f->r;
  bool any;
  enum weir_status st = weir_crew_wait(&s->crew, end, s, &any, err);
  if (st == WEIR_OK && !any) tell(s->f);
  if (st == WEIR_OK && r->is_stopped != NULL && r->is_stopped(r->self))
    st = weir_fail(err, WEIR_ELIMIT, "interrupted");
  return st;
}

static enum weir_status work(struct shift *s, struct weir_err *err) {
  enum weir_status st = s->f->r->trace == NULL ? start(s, NULL, err) : WEIR_OK;
  while (st == WEIR_OK && s->crew.n > 0)
    st = wait_for_some(s, err);
  s->f->n_runs = s->f->p->n_runs;
  while (st == WEIR_OK && (s->crew.n > 0 || s->next < s->f->n_runs)) {
    while (st == WEIR_OK && !weir_crew_is_full(&s->crew) && s->next < s->f->n_runs)
      st = start(s, &s->f->runs[s->next++], err);
    if (st == WEIR_OK) st = wait_for_some(s, err);
  }
  for (struct job *j; (j = weir_crew_take(&s->crew)) != NULL;)
    weir_worker_kill(&j->worker);
  return st;
}

/* The same without processes, one after the other. */
static enum weir_status work_here(struct shift *s, struct weir_err *err) {
  struct profiler *f = s->f;
  struct answer *a = s->answer;
  struct job j = {.profiler = f};
  f->n_runs = f->p->n_runs;
  if (f->r->trace == NULL) record(&j, a);
  for (uint32_t i = 0; a->status == WEIR_OK && i < f->n_runs; i++) {
    memset(a, 0, answer_bytes(f));
    j.run = &f->runs[i];
    replay(&j, a);
    if (a->status == WEIR_OK) take(f, j.run, a);
  }
  if (a->status != WEIR_OK && err != NULL) *err = a->err;
  return a->status;
}

static enum weir_status take_lines(struct profiler *f, struct weir_err *err) {
  struct weir_rows rows = {0};
  enum weir_status st = weir_rows_load(&rows, f->lines, err);
  for (uint32_t k = 0; st == WEIR_OK && k < f->p->n_kernels; k++)
    st = weir_block_lines_take(f->p, k, &rows, err);
  weir_rows_free(&rows);
  return st;
}

static enum weir_status place_files(struct profiler *f, struct weir_err *err) {
  enum weir_status st = WEIR_OK;
  if (f->r->trace == NULL || f->r->by_traffic) st = weir_temp_make(&f->folder, err);
  if (st != WEIR_OK) return st;
  if (f->folder.path != NULL) {
    snprintf(f->trace, sizeof f->trace, "%s/profile.wtrace", f->folder.path);
    snprintf(f->lines, sizeof f->lines, "%s/lines.rows", f->folder.path);
  }
  if (f->r->trace != NULL) snprintf(f->trace, sizeof f->trace, "%s", f->r->trace);
  return WEIR_OK;
}

static enum weir_status run_all(struct profiler *f, struct weir_err *err) {
  struct shift s = {.f = f, .answer = weir_calloc(1, answer_bytes(f))};
  enum weir_status st = weir_crew_init(&s.crew, f->r->jobs, sizeof(struct job), err);
  if (st == WEIR_OK) st = s.answer != NULL ? place_files(f, err) : weir_no_memory(err);
  if (st == WEIR_OK) st = f->r->here != NULL ? work_here(&s, err) : work(&s, err);
  if (st == WEIR_OK && f->r->by_traffic) st = take_lines(f, err);
  weir_temp_remove(&f->folder);
  weir_crew_free(&s.crew);
  free(s.answer);
  return st;
}

/* ---- loads, and the runs that they need ---- */

static enum weir_status add_kernel(struct weir_profile *p, const struct ptx_program *prog,
                                   bool go_round, struct weir_err *err) {
  struct weir_profiled_kernel *k = &p->kernels[p->n_kernels];
  enum weir_status st = weir_loads_find(&k->loads, prog, go_round, err);
  if (st != WEIR_OK) return st;
  p->n_kernels++;
  k->first = p->n_loads;
  k->counts = weir_arena_array(&p->arena, k->loads.n + 1u, sizeof *k->counts);
  k->tags = weir_arena_array(&p->arena, k->loads.n + 1u, sizeof *k->tags);
  p->n_loads += k->loads.n;
  return k->counts != NULL && k->tags != NULL ? WEIR_OK : weir_no_memory(err);
}

static enum weir_status take_kernels(struct weir_profile *p, const struct weir_profile_request *r,
                                     struct weir_err *err) {
  enum weir_status st = WEIR_OK;
  p->kernels = weir_arena_array(&p->arena, r->n_programs + 1u, sizeof *p->kernels);
  if (p->kernels == NULL) return weir_no_memory(err);
  for (uint32_t i = 0; st == WEIR_OK && i < r->n_programs; i++)
    st = add_kernel(p, r->programs[i], r->cls->go_round, err);
  return st;
}

static enum weir_status find_kernels(struct weir_profile *p, bool go_round, struct weir_err *err) {
  const struct weir_launchfile *lf = weir_workload_file(p->workload);
  enum weir_status st = WEIR_OK;
  p->kernels = weir_arena_array(&p->arena, lf->n_launches + 1u, sizeof *p->kernels);
  if (p->kernels == NULL) return weir_no_memory(err);
  for (uint32_t i = 0; st == WEIR_OK && i < lf->n_launches; i++) {
    const struct ptx_program *prog = weir_workload_program(p->workload, i);
    bool is_new = true;
    for (uint32_t k = 0; k < i; k++)
      is_new &= weir_workload_program(p->workload, k) != prog;
    if (is_new) st = add_kernel(p, prog, go_round, err);
  }
  return st;
}

static void add_run(struct profiler *f, struct run run) {
  f->runs[f->p->n_runs++] = run;
}

static void add_runs(struct profiler *f, uint32_t kernel) {
  const struct weir_profiled_kernel *k = &f->p->kernels[kernel];
  const struct weir_loads *l = &k->loads;
  for (uint32_t i = 0; i < l->n; i++)
    if (!l->v[i].is_fixed) add_run(f, (struct run){ONE_LOAD, kernel, i});
  for (uint32_t i = 0; i < k->traffic.n_pairs; i++)
    add_run(f, (struct run){PAIR, kernel, i});
  for (uint32_t g = 0; !f->r->by_traffic && g < l->n_groups; g++)
    if (weir_loads_in_group(l, g) > 1) add_run(f, (struct run){WHOLE_GROUP, kernel, g});
}

static enum weir_status make_traffic(struct weir_profile *p, struct weir_profiled_kernel *k,
                                     struct weir_err *err) {
  struct weir_traffic *t = &k->traffic;
  t->bypassed = weir_arena_array(&p->arena, k->loads.n + 1u, sizeof *t->bypassed);
  t->alone = weir_arena_array(&p->arena, k->loads.n + 1u, sizeof *t->alone);
  t->pairs = weir_arena_array(&p->arena, WEIR_MOST_PAIRS, sizeof *t->pairs);
  if (t->bypassed == NULL || t->alone == NULL || t->pairs == NULL) return weir_no_memory(err);
  t->n_pairs = weir_load_pairs(&k->loads, t->pairs);
  return WEIR_OK;
}

static enum weir_status list_runs(struct profiler *f, struct weir_err *err) {
  struct weir_profile *p = f->p;
  enum weir_status st = WEIR_OK;
  /* Groups of several are fewer than loads. */
  size_t most = 2 * (size_t)p->n_loads + 1;
  for (uint32_t k = 0; st == WEIR_OK && f->r->by_traffic && k < p->n_kernels; k++) {
    st = make_traffic(p, &p->kernels[k], err);
    most += p->kernels[k].traffic.n_pairs;
  }
  if (st != WEIR_OK) return st;
  f->runs = weir_arena_array(&p->arena, most, sizeof *f->runs);
  if (f->runs == NULL) return weir_no_memory(err);
  for (uint32_t k = 0; k < p->n_kernels; k++)
    add_runs(f, k);
  if (f->r->by_traffic && p->n_runs > 0) add_run(f, (struct run){.of = NO_LOAD});
  return WEIR_OK;
}

/* ---- all of it ---- */

static enum weir_answer route(const struct weir_policy *p, const struct weir_access *a) {
  (void)p;
  return a->tag == WEIR_TAG_CG ? WEIR_BYPASS : WEIR_PASS;
}

/* Loads use the L1 or bypass it as their tags say, and nothing is learned. */
static const struct weir_policy_ops by_tag = {.part = {.abi = WEIR_POLICY_ABI,
                                                       .name = "by-tag",
                                                       .help = "profiling runs",
                                                       .storage_bits = weir_no_storage},
                                              .reason = WEIR_R_STATIC,
                                              .route = route};

/* The machine's own L1, and the policy. */
static void make_setup(struct profiler *f) {
  struct weir_design *d = &f->setup.design;
  f->setup.machine = *f->r->machine;
  weir_design_baseline(d, &f->setup.machine);
  d->policy[1] = d->policy[0];
  d->policy[0].ops = &by_tag;
  d->n_policies = 2;
}

static void classify_kernel(const struct profiler *f, struct weir_profiled_kernel *k) {
  for (uint32_t i = 0; i < k->loads.n; i++)
    if (!k->loads.v[i].is_fixed && weir_loads_in_group(&k->loads, k->loads.v[i].group) == 1)
      k->counts[i].together = k->counts[i].alone;
  weir_classify(f->r->cls, &k->loads, k->counts, k->tags);
}

static void choose_tags(struct profiler *f) {
  for (uint32_t i = 0; i < f->p->n_kernels; i++) {
    struct weir_profiled_kernel *k = &f->p->kernels[i];
    if (f->r->by_traffic)
      weir_traffic_choose(&k->loads, &k->traffic, k->tags);
    else
      classify_kernel(f, k);
  }
}

static enum weir_status open_workload(struct weir_profile *p, const struct weir_profile_request *r,
                                      struct weir_err *err) {
  enum weir_status st = ptx_device_init(&p->dev, r->exec, err);
  if (st != WEIR_OK) return st;
  st = weir_workload_open(&p->dev, r->path, r->input, &p->workload, err);
  if (st != WEIR_OK) ptx_device_free(&p->dev);
  return st == WEIR_OK ? find_kernels(p, r->cls->go_round, err) : st;
}

enum weir_status weir_profile_open(const struct weir_profile_request *r, struct weir_profile *p,
                                   struct weir_err *err) {
  *p = (struct weir_profile){0};
  enum weir_status st = weir_cls_check(r->cls, err);
  if (st == WEIR_OK) st = r->trace != NULL ? take_kernels(p, r, err) : open_workload(p, r, err);
  if (st != WEIR_OK) weir_profile_free(p);
  return st;
}

enum weir_status weir_profile_run(const struct weir_profile_request *r, struct weir_profile *p,
                                  struct weir_err *err) {
  struct profiler f = {.r = r, .p = p};
  enum weir_status st = weir_profile_open(r, p, err);
  if (st != WEIR_OK) return st;
  st = list_runs(&f, err);
  make_setup(&f);
  if (st == WEIR_OK && p->n_runs > 0) st = run_all(&f, err);
  if (st == WEIR_OK)
    choose_tags(&f);
  else
    weir_profile_free(p);
  return st;
}

void weir_profile_free(struct weir_profile *p) {
  for (uint32_t k = 0; k < p->n_kernels; k++)
    weir_loads_free(&p->kernels[k].loads);
  if (p->workload != NULL) {
    weir_workload_close(p->workload);
    ptx_device_free(&p->dev);
  }
  weir_arena_free(&p->arena);
  *p = (struct weir_profile){0};
}

enum weir_status weir_profile_tags(const struct weir_profile *p, struct weir_tags **out,
                                   struct weir_err *err) {
  enum weir_status st = weir_tags_new(out);
  for (uint32_t k = 0; st == WEIR_OK && k < p->n_kernels; k++) {
    const struct weir_profiled_kernel *kernel = &p->kernels[k];
    st = weir_tags_kernel(*out, kernel->loads.kernel);
    for (uint32_t i = 0; st == WEIR_OK && i < kernel->loads.n; i++) {
      const struct weir_static_load *load = &kernel->loads.v[i];
      if (kernel->tags[i] != WEIR_TAG_NONE)
        st = weir_tags_put(*out, kernel->loads.kernel, load->insn, UINT64_C(8) * load->insn,
                           load->line, kernel->tags[i]);
    }
  }
  if (st == WEIR_OK) return WEIR_OK;
  weir_tags_free(*out);
  *out = NULL;
  return weir_no_memory(err);
}
