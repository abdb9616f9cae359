#include "session/streams.h"

#include "base/text.h"
#include "trace/accelsim.h"

struct writing {
  const struct weir_recording *r;
  struct weir_wtrace_writer *writer;
};

static enum weir_status write_kernel(void *self, struct weir_block_source *src,
                                     struct weir_err *err) {
  struct writing *w = self;
  return w->r->kernel != NULL ? w->r->kernel(w->r->self, w->writer, src, err)
                              : weir_wtrace_record(w->writer, src, err);
}

static void tell_launch(void *self, const struct weir_launch_report *l) {
  const struct writing *w = self;
  if (w->r->launched != NULL) w->r->launched(w->r->launched_self, l);
}

static enum weir_status create(struct writing *w, const struct weir_launchfile *lf,
                               struct weir_err *err) {
  struct weir_text source = {0};
  weir_text_printf(&source, "%s%s%s", lf->name, lf->input != NULL ? ", input " : "",
                   lf->input != NULL ? lf->input : "");
  struct weir_wtrace_opts opts = {.level = w->r->level, .source = source.v, .output = w->r->output};
  enum weir_status st = weir_wtrace_create(w->r->out, &opts, &w->writer, err);
  weir_text_free(&source);
  return st == WEIR_OK && w->r->provenance != NULL
             ? weir_wtrace_provenance(w->writer, w->r->provenance, err)
             : st;
}

static enum weir_status execute(struct writing *w, struct ptx_device *dev, struct weir_err *err) {
  struct weir_workload *load;
  enum weir_status st = weir_workload_open(dev, w->r->path, w->r->input, &load, err);
  if (st != WEIR_OK) return st;
  st = create(w, weir_workload_file(load), err);
  if (st == WEIR_OK) {
    struct weir_workload_hooks h = {
        .launched = tell_launch, .simulate = write_kernel, .self = w, .want_streams = true};
    st = weir_workload_run(load, &h, err);
  }
  if (st == WEIR_OK) st = weir_workload_check(load, err);
  weir_workload_close(load);
  return st;
}

enum weir_status weir_record(const struct weir_recording *r, struct weir_wtrace_counts *total,
                             struct weir_err *err) {
  struct writing w = {.r = r};
  struct ptx_device dev;
  enum weir_status st = ptx_device_init(&dev, r->exec, err);
  if (st != WEIR_OK) return st;
  dev.output = r->printed;
  st = execute(&w, &dev, err);
  ptx_device_free(&dev);
  if (st == WEIR_OK) return weir_wtrace_finish(w.writer, total, err);
  weir_wtrace_abandon(w.writer);
  return st;
}

/* ---- reading back ---- */

struct choosing {
  const struct weir_launch_choice *choice; /* NULL: all */
  uint64_t seen, taken;
};

static bool is_over(const struct choosing *c) {
  return c->choice != NULL && c->taken == c->choice->count;
}

/* Of the next launch. */
static bool is_taken(struct choosing *c) {
  bool is = c->choice == NULL || c->seen >= c->choice->skip;
  c->seen++;
  c->taken += is;
  return is;
}

static enum weir_status check_any(const struct choosing *c, const char *file,
                                  struct weir_err *err) {
  if (c->choice == NULL || c->taken > 0) return WEIR_OK;
  return weir_fail(err, WEIR_EINVAL, "%s has %llu launch%s: none is left after the first %llu",
                   file, (unsigned long long)c->seen, c->seen == 1 ? "" : "es",
                   (unsigned long long)c->choice->skip);
}

static enum weir_status replay(const char *trace, const struct weir_launch_choice *choice,
                               weir_take_kernel *kernel, void *self, struct weir_err *err) {
  struct choosing c = {.choice = choice};
  struct weir_stream_pool pool;
  struct weir_wtrace *t;
  enum weir_status st = weir_wtrace_open(trace, &t, err);
  if (st != WEIR_OK) return st;
  st = weir_stream_pool_init(&pool, WEIR_REPLAY_POOL_BYTES, NULL, err);
  if (st != WEIR_OK) {
    weir_wtrace_close(t);
    return st;
  }
  for (uint32_t i = 0; st == WEIR_OK && !is_over(&c) && i < weir_wtrace_n_events(t); i++) {
    struct weir_event e = weir_wtrace_event(t, i);
    struct weir_block_source *source;
    if (e.kind != WEIR_EVENT_KERNEL || !is_taken(&c)) continue;
    st = weir_wtrace_source_open(t, e.kernel, 0, &pool, &source, err);
    if (st != WEIR_OK) break;
    st = kernel(self, source, err);
    weir_wtrace_source_close(source);
  }
  weir_wtrace_close(t);
  weir_stream_pool_free(&pool);
  return st == WEIR_OK ? check_any(&c, trace, err) : st;
}

enum weir_status weir_replay(const char *trace, weir_take_kernel *kernel, void *self,
                             struct weir_err *err) {
  return replay(trace, NULL, kernel, self, err);
}

static enum weir_status replay_accelsim(const struct weir_source *s, weir_take_kernel *kernel,
                                        void *self, struct weir_err *err) {
  struct choosing c = {.choice = s->choice};
  struct weir_stream_pool pool;
  struct weir_accelsim *t = NULL;
  struct weir_accelsim_event e = {.kind = WEIR_ACCELSIM_MEMCPY};
  enum weir_status st = weir_stream_pool_init(&pool, WEIR_REPLAY_POOL_BYTES, NULL, err);
  if (st != WEIR_OK) return st;
  st = weir_accelsim_open(s->path, s->opcode_class, s->n_opcodes, &pool, &t, err);
  if (st == WEIR_OK && s->choice != NULL) weir_accelsim_skip(t, s->choice->skip);
  while (st == WEIR_OK && !is_over(&c) && e.kind != WEIR_ACCELSIM_END) {
    st = weir_accelsim_next(t, &e, err);
    if (st == WEIR_OK && e.kind == WEIR_ACCELSIM_KERNEL && is_taken(&c))
      st = kernel(self, e.source, err);
  }
  weir_accelsim_close(t);
  weir_stream_pool_free(&pool);
  return st == WEIR_OK ? check_any(&c, s->path, err) : st;
}

/* ---- any of them ---- */

struct executing {
  const struct weir_source *s;
  weir_take_kernel *kernel;
  void *self;
};

static void pass_launch(void *self, const struct weir_launch_report *l) {
  const struct executing *e = self;
  if (e->s->launched != NULL) e->s->launched(e->s->launched_self, l);
}

static enum weir_status pass_kernel(void *self, struct weir_block_source *src,
                                    struct weir_err *err) {
  const struct executing *e = self;
  return e->kernel(e->self, src, err);
}

static enum weir_status execute_launches(const struct weir_source *s, weir_take_kernel *kernel,
                                         void *self, struct weir_err *err) {
  struct ptx_device dev;
  struct weir_workload *w = NULL;
  struct executing e = {s, kernel, self};
  struct weir_workload_hooks h = {
      .launched = pass_launch, .simulate = pass_kernel, .self = &e, .want_streams = true};
  enum weir_status st = ptx_device_init(&dev, s->exec, err);
  if (st != WEIR_OK) return st;
  dev.output = s->printed;
  st = weir_workload_open(&dev, s->path, s->input, &w, err);
  if (st == WEIR_OK) st = weir_workload_run(w, &h, err);
  if (st == WEIR_OK) st = weir_workload_check(w, err);
  weir_workload_close(w);
  ptx_device_free(&dev);
  return st;
}

enum weir_status weir_source_run(const struct weir_source *s, weir_take_kernel *kernel, void *self,
                                 struct weir_err *err) {
  if (s->kind == WEIR_SOURCE_LAUNCHES) return execute_launches(s, kernel, self, err);
  if (s->kind == WEIR_SOURCE_TRACE) return replay(s->path, s->choice, kernel, self, err);
  return replay_accelsim(s, kernel, self, err);
}
