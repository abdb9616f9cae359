/* The program's end of a wire. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "base/demangle.h"
#include "base/mem.h"
#include "cuda/wire_code.h"

static enum weir_status compile_kernels(struct weir_wire *w, struct weir_err *err) {
  char why[200];
  if (!w->options.kernels) return WEIR_OK;
  int code = regcomp(&w->kernels, w->options.kernels, REG_EXTENDED | REG_NOSUB);
  w->has_kernels = code == 0;
  if (!code) return WEIR_OK;
  regerror(code, &w->kernels, why, sizeof why);
  return wire_fail(w, err, WEIR_EINVAL, "'%.200s' is no regular expression: %s", w->options.kernels,
                   why);
}

enum weir_status weir_wire_open(int fd, const char *program, struct weir_wire **out,
                                struct weir_err *err) {
  struct weir_wire *w;
  *out = NULL;
  enum weir_status st = wire_new(fd, &w, err);
  if (st) return st;
  wire_put_hello(w, program, NULL);
  st = wire_flush(w, err);
  if (!st) st = wire_get_hello(w, true, err);
  if (!st) st = compile_kernels(w, err);
  if (st)
    weir_wire_close(w);
  else
    *out = w;
  return st;
}

enum weir_status weir_wire_connect(const char *path, const char *program, struct weir_wire **out,
                                   struct weir_err *err) {
  struct sockaddr_un to = {.sun_family = AF_UNIX};
  *out = NULL;
  if (strlen(path) >= sizeof to.sun_path)
    return weir_fail(err, WEIR_EINVAL, "%s: too long a name for a socket", path);
  memcpy(to.sun_path, path, strlen(path));
  int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (fd >= 0 && connect(fd, (const struct sockaddr *)&to, sizeof to) == 0)
    return weir_wire_open(fd, program, out, err);
  int code = errno;
  if (fd >= 0) close(fd);
  return weir_fail(err, WEIR_EIO, "cannot connect to weir at %s: %s", path, strerror(code));
}

const struct weir_wire_options *weir_wire_options(const struct weir_wire *w) {
  return &w->options;
}

/* By the name in the PTX, or by the one that reports show. */
static bool matches(const struct weir_wire *w, const char *kernel) {
  char name[WEIR_DEMANGLED];
  return !w->has_kernels || regexec(&w->kernels, kernel, 0, NULL, 0) == 0 ||
         regexec(&w->kernels, weir_demangle(kernel, name, sizeof name), 0, NULL, 0) == 0;
}

bool weir_wire_wants(struct weir_wire *w, const char *kernel) {
  const struct weir_wire_options *o = &w->options;
  if ((o->only_region && !w->is_in_region) || !matches(w, kernel)) return false;
  uint64_t i = w->n_matched++;
  return i >= o->skip && i - o->skip < o->count;
}

void weir_wire_region(struct weir_wire *w, bool is_inside) {
  w->is_in_region = is_inside;
}

enum weir_status weir_wire_module(struct weir_wire *w, uint64_t id, const char *name,
                                  const char *text, size_t n, struct weir_err *err) {
  size_t n_name = strlen(name);
  if (n_name > WIRE_MAX_TEXT) n_name = WIRE_MAX_TEXT;
  if (n > WIRE_MAX_MODULE)
    return weir_fail(err, WEIR_ELIMIT, "%s: a module of more than 256 MiB", name);
  wire_frame(w, WIRE_MODULE, 2 * sizeof(uint64_t) + n_name + n);
  wire_put64(w, id);
  wire_put64(w, n_name);
  wire_put(w, name, n_name);
  wire_put(w, text, n);
  return wire_status(w, err);
}

enum weir_status weir_wire_begin(struct weir_wire *w, const struct weir_wire_launch *l,
                                 struct weir_err *err) {
  struct wt_buf info = {0}, table = {0}, outline = {0};
  const char *why;
  if (wt_info_check(l->info, &why))
    return weir_fail(err, WEIR_EINVAL, "kernel %s: %s", l->info->name, why);
  wt_put_info(&info, l->info, 0);
  wt_put_table(&table, l->info);
  wt_put_outline(&outline, l->info);
  enum weir_status st = WEIR_OK;
  if (info.failed || table.failed || outline.failed) {
    st = weir_fail(err, WEIR_ENOMEM, "out of memory for kernel %s", l->info->name);
  } else {
    const uint64_t head[] = {
        l->number, l->stream,
        l->module, (l->has_streams ? WIRE_HAS_STREAMS : 0u) | (l->is_wanted ? WIRE_IS_WANTED : 0u),
        info.n,    table.n};
    wire_frame(w, WIRE_LAUNCH, sizeof head + info.n + table.n + outline.n);
    wire_put(w, head, sizeof head);
    wire_put(w, info.v, info.n);
    wire_put(w, table.v, table.n);
    wire_put(w, outline.v, outline.n);
    st = wire_flush(w, err); /* weir shows what is running */
  }
  wt_buf_free(&info);
  wt_buf_free(&table);
  wt_buf_free(&outline);
  return st;
}

static uint64_t count_spans(const struct weir_warp_stream *s) {
  uint64_t n = 0;
  for (const struct weir_chunk *c = s->first; c; c = c->next)
    n++;
  return n;
}

static enum weir_status put_warp(struct weir_wire *w, struct weir_warp_stream *s,
                                 struct weir_err *err) {
  struct weir_span_cursor at;
  const uint8_t *bytes;
  size_t n;
  enum weir_status st;
  wire_put64(w, s->n_insns);
  wire_put64(w, count_spans(s));
  weir_span_open(&at, s, false);
  while (!(st = weir_span_next(&at, &bytes, &n, err)) && bytes) {
    wire_put64(w, n);
    wire_put(w, bytes, n);
  }
  weir_span_close(&at);
  /* The frame's length was promised: nothing more can be sent. */
  return st ? wire_fail(w, NULL, st, "a stream could not be read back") : WEIR_OK;
}

enum weir_status weir_wire_block(struct weir_wire *w, struct weir_block_stream *b,
                                 struct weir_err *err) {
  uint64_t bytes = (2 + 2 * (uint64_t)b->n_warps) * sizeof(uint64_t);
  for (uint32_t i = 0; i < b->n_warps; i++)
    bytes += b->warps[i].n_bytes + count_spans(&b->warps[i]) * sizeof(uint64_t);
  wire_frame(w, WIRE_BLOCK, bytes);
  wire_put64(w, b->id);
  wire_put64(w, b->n_warps);
  enum weir_status st = WEIR_OK;
  for (uint32_t i = 0; !st && i < b->n_warps; i++)
    st = put_warp(w, &b->warps[i], err);
  return st ? st : wire_status(w, err);
}

enum weir_status weir_wire_stray(struct weir_wire *w, const struct weir_stray *s,
                                 struct weir_err *err) {
  const uint64_t v[WIRE_N_STRAY] = {s->pc,        s->is_other, s->count,    s->address,
                                    s->block[0],  s->block[1], s->block[2], s->thread[0],
                                    s->thread[1], s->thread[2]};
  const char *const texts[WEIR_STRAY_TEXTS] = {s->kernel,      s->access,   s->near,
                                               s->instruction, s->position, s->source};
  size_t n = sizeof v;
  for (unsigned i = 0; i < WEIR_STRAY_TEXTS; i++)
    n += strlen(texts[i]) + 1;
  if (n > WIRE_MAX_TEXT) return WEIR_OK; /* names beyond all measure: rather none than half */
  wire_frame(w, WIRE_STRAY, n);
  wire_put(w, v, sizeof v);
  for (unsigned i = 0; i < WEIR_STRAY_TEXTS; i++)
    wire_put(w, texts[i], strlen(texts[i]) + 1);
  return wire_status(w, err);
}

enum weir_status weir_wire_end(struct weir_wire *w, const struct weir_func_stats *stats,
                               enum weir_status result, struct weir_err *err) {
  wire_frame(w, WIRE_END, (2 + WIRE_N_STATS) * sizeof(uint64_t));
  wire_put64(w, result);
  wire_put64(w, WIRE_N_STATS);
  wire_put(w, stats, sizeof *stats);
  return wire_flush(w, err);
}

enum weir_status weir_wire_copy(struct weir_wire *w, enum weir_event_kind kind, uint64_t addr,
                                uint64_t bytes, struct weir_err *err) {
  const uint64_t v[] = {kind, addr, bytes};
  wire_frame(w, WIRE_COPY, sizeof v);
  wire_put(w, v, sizeof v);
  return wire_status(w, err);
}

enum weir_status weir_wire_message(struct weir_wire *w, const char *text, struct weir_err *err) {
  size_t n = strlen(text);
  if (n > WIRE_MAX_TEXT) n = WIRE_MAX_TEXT;
  wire_frame(w, WIRE_MESSAGE, n);
  wire_put(w, text, n);
  return wire_flush(w, err);
}

enum weir_status weir_wire_times(struct weir_wire *w, uint64_t launch, struct weir_wire_times *out,
                                 struct weir_err *err) {
  uint64_t v[4];
  wire_frame(w, WIRE_ASK, sizeof launch);
  wire_put64(w, launch);
  enum weir_status st = wire_flush(w, err);
  if (!st) st = wire_head(w, err);
  if (st) return st;
  if (w->is_closed) return wire_fail(w, err, WEIR_EIO, "weir has ended before the program");
  if (w->type != WIRE_TIMES || w->left != sizeof v)
    return wire_fail(w, err, WEIR_EPARSE, "an answer of type %u instead of times", w->type);
  st = wire_take64(w, v, 4, err);
  if (!st && v[0] != launch)
    st = wire_fail(w, err, WEIR_EPARSE, "times of launch %llu instead of %llu",
                   (unsigned long long)v[0], (unsigned long long)launch);
  if (!st) *out = (struct weir_wire_times){v[0], v[1], v[2], v[3]};
  return st;
}
