#include "cli/program_record.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/demangle.h"
#include "base/mem.h"
#include "base/text.h"

struct recorder {
  struct weir_program_recording *r;
  struct weir_wtrace_writer *writer;
  struct session *first;
  uint64_t n_whole; /* launches that were recorded to their end */
  bool is_terminal, showed;
  time_t shown;
};

/* A process: its modules have numbers of its own. */
struct session {
  struct session *next;
  struct recorder *rec;
  struct {
    struct numbered {
      uint64_t id;
      size_t module;
    } * v;
    size_t n, cap;
  } modules;
};

static enum weir_status no_memory(struct weir_err *err) {
  return weir_fail(err, WEIR_ENOMEM, "out of memory");
}

static enum weir_status begin(void *self, const char *program, void **session,
                              struct weir_err *err) {
  struct recorder *rec = self;
  struct session *s = weir_calloc(1, sizeof *s);
  (void)program;
  if (s == NULL) return no_memory(err);
  s->rec = rec;
  s->next = rec->first;
  rec->first = s;
  *session = s;
  return WEIR_OK;
}

/* ---- progress ---- */

/* A source that says now and then how far it is. */
struct watched {
  struct weir_block_source pub, *inner;
  struct recorder *rec;
};

static void show_progress(struct recorder *rec, const char *kernel, uint64_t block) {
  time_t now = time(NULL);
  if (!rec->is_terminal || now == rec->shown) return;
  if (rec->shown != 0) {
    char name[WEIR_DEMANGLED];
    fprintf(stderr, "\r\033[K%s: launch %" PRIu64 ", block %" PRIu64,
            weir_demangle(kernel, name, sizeof name), rec->r->n_launches, block);
    fflush(stderr);
    rec->showed = true;
  }
  rec->shown = now;
}

static enum weir_status next_block(struct weir_block_source *src, struct weir_block_stream **out,
                                   struct weir_err *err) {
  struct watched *w = src->self;
  enum weir_status st = w->inner->next(w->inner, out, err);
  if (st == WEIR_OK && *out != NULL) show_progress(w->rec, src->kernel->name, (*out)->id);
  return st;
}

static void release_block(struct weir_block_source *src, struct weir_block_stream *b) {
  struct watched *w = src->self;
  w->inner->release(w->inner, b);
}

/* ---- launches ---- */

static size_t module_of(const struct session *s, uint64_t id) {
  for (size_t i = 0; i < s->modules.n; i++)
    if (s->modules.v[i].id == id) return s->modules.v[i].module;
  return SIZE_MAX;
}

static enum weir_status note_kernel(struct session *s, const struct weir_wire_launch *l,
                                    struct weir_err *err) {
  struct weir_program_recording *r = s->rec->r;
  size_t module = module_of(s, l->module);
  for (size_t i = 0; i < r->kernels.n; i++)
    if (r->kernels.v[i].module == module && strcmp(r->kernels.v[i].name, l->info->name) == 0)
      return WEIR_OK;
  struct weir_recorded_kernel k = {
      .name = weir_strdup(l->info->name), .module = module, .n_insns = l->info->n_insns};
  if (k.name != NULL && WEIR_PUSH(r->kernels, k)) return WEIR_OK;
  free(k.name);
  return no_memory(err);
}

static enum weir_status launch(void *session, const struct weir_wire_event *e, uint64_t *cycles,
                               struct weir_err *err) {
  struct session *s = session;
  struct watched w = {.inner = e->source, .rec = s->rec};
  w.pub = (struct weir_block_source){
      .kernel = e->source->kernel, .next = next_block, .release = release_block, .self = &w};
  *cycles = 0;
  s->rec->r->n_launches++;
  enum weir_status st = note_kernel(s, &e->launch, err);
  return st == WEIR_OK ? weir_wtrace_record(s->rec->writer, &w.pub, err) : st;
}

static enum weir_status ended(void *session, const struct weir_wire_event *e, bool failed,
                              struct weir_err *err) {
  struct session *s = session;
  (void)err;
  s->rec->n_whole += !failed && e->launch.is_wanted;
  s->rec->r->n_failed += failed && !e->launch.is_wanted;
  return WEIR_OK;
}

static enum weir_status add_module(struct session *s, const struct weir_wire_event *e,
                                   struct weir_err *err) {
  struct weir_program_recording *r = s->rec->r;
  struct numbered n = {.id = e->module, .module = r->modules.n};
  for (size_t i = 0; i < r->modules.n; i++)
    if (r->modules.v[i].n_text == e->n_text &&
        memcmp(r->modules.v[i].text, e->text, e->n_text) == 0)
      n.module = i;
  if (!WEIR_PUSH(s->modules, n)) return no_memory(err);
  if (n.module < r->modules.n) return WEIR_OK;
  struct weir_recorded_module m = {
      .name = weir_strdup(e->name), .text = weir_malloc(e->n_text + 1), .n_text = e->n_text};
  if (m.text != NULL) memcpy(m.text, e->text, e->n_text + 1);
  if (m.name != NULL && m.text != NULL && WEIR_PUSH(r->modules, m)) return WEIR_OK;
  free(m.name);
  free(m.text);
  return no_memory(err);
}

static enum weir_status other(void *session, const struct weir_wire_event *e,
                              struct weir_err *err) {
  struct session *s = session;
  if (e->kind == WEIR_WIRE_MODULE) return add_module(s, e, err);
  return weir_wtrace_copy(s->rec->writer, e->copy.kind, e->copy.addr, e->copy.bytes, err);
}

/* ---- all of it ---- */

static enum weir_status create(struct recorder *rec, const struct weir_program *p,
                               struct weir_err *err) {
  struct weir_text source = {0};
  for (char **a = p->argv; *a != NULL; a++)
    weir_text_printf(&source, "%s%s", a == p->argv ? "" : " ", *a);
  struct weir_wtrace_opts opts = {
      .level = rec->r->level, .source = source.v, .output = rec->r->output};
  enum weir_status st =
      source.failed ? no_memory(err) : weir_wtrace_create(rec->r->out, &opts, &rec->writer, err);
  weir_text_free(&source);
  if (st == WEIR_OK && rec->r->provenance != NULL)
    st = weir_wtrace_provenance(rec->writer, rec->r->provenance, err);
  return st;
}

static void free_sessions(struct recorder *rec) {
  for (struct session *s = rec->first, *next; s != NULL; s = next) {
    next = s->next;
    free(s->modules.v);
    free(s);
  }
}

enum weir_status weir_program_record(struct weir_program *p, struct weir_program_recording *r,
                                     struct weir_program_result *result, struct weir_err *err) {
  struct recorder rec = {.r = r, .is_terminal = !r->is_quiet && isatty(STDERR_FILENO)};
  const struct weir_program_hooks hooks = {
      .begin = begin, .launch = launch, .ended = ended, .other = other, .self = &rec};
  p->options.want_streams = true;
  p->is_stdout_ours = true;
  enum weir_status st = create(&rec, p, err);
  if (st != WEIR_OK) {
    weir_wtrace_abandon(rec.writer);
    return st;
  }
  st = weir_program_run(p, &hooks, result, err);
  if (rec.showed) fputs("\r\033[K", stderr);
  free_sessions(&rec);
  if (st == WEIR_OK) weir_program_notes(p, result, r->is_quiet);
  if (st == WEIR_OK && r->n_launches == 0)
    st = weir_fail(err, WEIR_ENOENT, "%s: there is nothing to record", p->name);
  if (st != WEIR_OK) {
    weir_wtrace_abandon(rec.writer);
    return st;
  }
  r->n_failed += r->n_launches - rec.n_whole;
  if (r->n_failed > 0)
    fprintf(stderr, "weir: %" PRIu64 " of %" PRIu64 " launches did not end: recorded in part\n",
            r->n_failed, result->n_launches);
  return weir_wtrace_finish(rec.writer, &r->total, err);
}

void weir_program_recording_free(struct weir_program_recording *r) {
  for (size_t i = 0; i < r->modules.n; i++) {
    free(r->modules.v[i].name);
    free(r->modules.v[i].text);
  }
  for (size_t i = 0; i < r->kernels.n; i++)
    free(r->kernels.v[i].name);
  free(r->modules.v);
  free(r->kernels.v);
}
