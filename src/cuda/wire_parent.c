/* Weir's end of a wire. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "base/mem.h"
#include "cuda/wire_code.h"

/* ---- connections ---- */

enum weir_status weir_wire_listen(const char *path, int *fd, struct weir_err *err) {
  enum { WAITING = 64 };
  struct sockaddr_un at = {.sun_family = AF_UNIX};
  if (strlen(path) >= sizeof at.sun_path)
    return weir_fail(err, WEIR_EINVAL, "%s: too long a name for a socket; use a shorter $TMPDIR",
                     path);
  memcpy(at.sun_path, path, strlen(path));
  *fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (*fd >= 0 && bind(*fd, (const struct sockaddr *)&at, sizeof at) == 0 &&
      listen(*fd, WAITING) == 0)
    return WEIR_OK;
  int code = errno;
  if (*fd >= 0) close(*fd);
  *fd = -1;
  return weir_fail(err, WEIR_EIO, "cannot make a socket at %s: %s", path, strerror(code));
}

enum weir_status weir_wire_adopt(int fd, struct weir_stream_pool *pool, struct weir_wire **out,
                                 struct weir_err *err) {
  enum weir_status st = wire_new(fd, out, err);
  if (!st) (*out)->pool = pool;
  return st;
}

enum weir_status weir_wire_accept(int listener, struct weir_stream_pool *pool,
                                  struct weir_wire **out, struct weir_err *err) {
  int fd;
  *out = NULL;
  while ((fd = accept4(listener, NULL, NULL, SOCK_CLOEXEC)) < 0 && errno == EINTR)
    continue;
  if (fd < 0) return weir_fail(err, WEIR_EIO, "cannot take a connection: %s", strerror(errno));
  return weir_wire_adopt(fd, pool, out, err);
}

enum weir_status weir_wire_meet(struct weir_wire *w, struct weir_err *err) {
  return wire_get_hello(w, false, err);
}

enum weir_status weir_wire_greet(struct weir_wire *w, const struct weir_wire_options *o,
                                 struct weir_err *err) {
  wire_put_hello(w, NULL, o);
  return wire_flush(w, err);
}

const char *weir_wire_program(const struct weir_wire *w) {
  return w->program;
}

pid_t weir_wire_pid(const struct weir_wire *w) {
  return w->pid;
}

static enum weir_status unsound(struct weir_wire *w, const char *what, const char *why,
                                struct weir_err *err) {
  return wire_fail(w, err, WEIR_EPARSE, "the program sent a %s that makes no sense: %s", what, why);
}

/* ---- blocks ---- */

static enum weir_status get_spans(struct weir_wire *w, struct weir_warp_stream *s, uint64_t n_spans,
                                  struct weir_err *err) {
  uint64_t n = 0;
  for (uint64_t i = 0; i < n_spans; i++) {
    /* A stream's first chunk is a small one; the program's spans are its chunks. */
    uint64_t room = (i ? WEIR_CHUNK_BYTES : WEIR_CHUNK_SMALL) - WEIR_STREAM_SLACK;
    if (!weir_stream_seal(s, (size_t)n, true)) {
      weir_stream_pool_status(s->pool, &w->error);
      return wire_fail(w, err, WEIR_ENOMEM, "out of memory for streams");
    }
    enum weir_status st = wire_take64(w, &n, 1, err);
    if (!st && (!n || n > room)) st = unsound(w, "block", "a span of impossible length", err);
    if (!st) st = wire_take(w, s->last->data, (size_t)n, err);
    if (st) return st;
  }
  weir_stream_seal(s, (size_t)n, false);
  return WEIR_OK;
}

static enum weir_status get_warps(struct weir_wire *w, struct weir_block_stream *b,
                                  struct weir_err *err) {
  for (uint32_t i = 0; i < b->n_warps; i++) {
    uint64_t v[2];
    enum weir_status st = wire_take64(w, v, 2, err);
    if (!st) st = get_spans(w, &b->warps[i], v[1], err);
    if (st) return st;
    b->warps[i].n_insns = v[0];
  }
  return w->left ? unsound(w, "block", "bytes after its end", err) : WEIR_OK;
}

static enum weir_status get_block(struct weir_wire *w, struct weir_block_stream **out,
                                  struct weir_err *err) {
  const struct weir_kernel_info *k = w->info;
  uint64_t v[2];
  enum weir_status st = wire_take64(w, v, 2, err);
  if (st) return st;
  if (v[1] != k->n_warps) return unsound(w, "block", "a wrong number of warps", err);
  if (v[0] < w->next_block || v[0] >= weir_volume(k->grid))
    return unsound(w, "block", "its id is not in order, or not of the grid", err);
  w->next_block = v[0] + 1;
  struct weir_err why;
  struct weir_block_stream *b;
  st = weir_block_begin(w->pool, v[0], k->n_warps, &b, &why);
  if (st) return wire_fail(w, err, st, "%s", why.msg);
  st = get_warps(w, b, err);
  if (st)
    weir_block_release(b);
  else
    *out = b;
  return st;
}

/* ---- frames of a launch ---- */

static enum weir_status get_end(struct weir_wire *w, struct weir_err *err) {
  uint64_t v[2];
  enum weir_status st = wire_take64(w, v, 2, err);
  if (st) return st;
  if (v[0] > WEIR_EBUG) return unsound(w, "result", "it is unknown", err);
  if (v[1] != WIRE_N_STATS || w->left != sizeof w->stats)
    return unsound(w, "result", "a wrong number of statistics", err);
  st = wire_take(w, &w->stats, sizeof w->stats, err);
  if (st) return st;
  w->result = (enum weir_status)v[0];
  w->in_launch = false;
  w->has_end = true;
  w->n_ended = w->launch.number;
  return WEIR_OK;
}

/* A message or a stray, until the launch's blocks are taken. */
static enum weir_status keep_note(struct weir_wire *w, struct weir_err *err) {
  struct wire_note note = {.type = w->type};
  enum weir_status st = wire_rest(w, WIRE_MAX_TEXT, &note.bytes, &note.n, err);
  if (st || WEIR_PUSH(w->notes, note)) return st;
  free(note.bytes);
  return wire_fail(w, err, WEIR_ENOMEM, "out of memory for a message");
}

/* Up to the launch's end (*out NULL), or a block if one is wanted. */
static enum weir_status go_on(struct weir_wire *w, struct weir_block_stream **out,
                              struct weir_err *err) {
  enum weir_status st = WEIR_OK;
  if (out) *out = NULL;
  while (!st && w->in_launch) {
    st = wire_head(w, err);
    if (st) return st;
    if (w->is_closed)
      return wire_fail(w, err, WEIR_EIO, "the program ended in the middle of kernel %s",
                       w->info->name);
    if (w->type == WIRE_BLOCK && w->launch.has_streams) {
      st = out ? get_block(w, out, err) : wire_skip(w, err);
      if (out) return st;
    } else if (w->type == WIRE_MESSAGE || w->type == WIRE_STRAY) {
      st = keep_note(w, err);
    } else if (w->type == WIRE_END) {
      st = get_end(w, err);
    } else {
      st = unsound(w, "frame", "it does not belong into a launch", err);
    }
  }
  return st;
}

static enum weir_status next_block(struct weir_block_source *src, struct weir_block_stream **out,
                                   struct weir_err *err) {
  struct weir_wire *w = src->self;
  enum weir_status st = go_on(w, out, err);
  if (!st && !*out && w->result)
    st = weir_fail(err, WEIR_EFAULT, "kernel %s failed", w->info->name);
  return st;
}

static void release_block(struct weir_block_source *src, struct weir_block_stream *b) {
  (void)src;
  weir_block_release(b);
}

static const char *read_launch(struct weir_wire *w, const char *bytes, size_t n) {
  uint64_t v[6], zero;
  const uint8_t *p = (const uint8_t *)bytes;
  if (n < sizeof v) return "it is too short";
  memcpy(v, p, sizeof v);
  p += sizeof v;
  n -= sizeof v;
  if (v[4] > n || v[5] > n - v[4]) return "it is too short";
  if (v[0] <= w->n_ended) return "its number is not in order";
  if (v[3] > (WIRE_HAS_STREAMS | WIRE_IS_WANTED)) return "an unknown flag";
  weir_wtrace_info_free(w->info);
  w->info = NULL;
  const char *why = wt_get_info(p, (size_t)v[4], WEIR_WTRACE_VERSION, &w->info, &zero);
  p += v[4];
  n -= (size_t)(v[4] + v[5]);
  if (!why) why = wt_get_table(p, (size_t)v[5], WEIR_WTRACE_VERSION, w->info);
  if (!why && n > 0) why = wt_get_outline(p + v[5], n, w->info);
  w->launch = (struct weir_wire_launch){.info = w->info,
                                        .number = v[0],
                                        .stream = v[1],
                                        .module = v[2],
                                        .has_streams = v[3] & WIRE_HAS_STREAMS,
                                        .is_wanted = v[3] & WIRE_IS_WANTED};
  return why;
}

static enum weir_status get_launch(struct weir_wire *w, struct weir_wire_event *e,
                                   struct weir_err *err) {
  char *bytes;
  size_t n;
  enum weir_status st = wire_rest(w, WIRE_MAX_LAUNCH, &bytes, &n, err);
  if (st) return st;
  const char *why = read_launch(w, bytes, n);
  free(bytes);
  if (why == WT_NO_MEMORY) return wire_fail(w, err, WEIR_ENOMEM, "out of memory for a kernel");
  if (why) return unsound(w, "kernel", why, err);
  w->in_launch = true;
  w->next_block = 0;
  w->result = WEIR_OK;
  w->source = (struct weir_block_source){
      .kernel = w->info, .next = next_block, .release = release_block, .self = w};
  e->kind = WEIR_WIRE_LAUNCH;
  e->launch = w->launch;
  e->source = w->launch.has_streams ? &w->source : NULL;
  return WEIR_OK;
}

/* ---- other frames ---- */

static enum weir_status get_copy(struct weir_wire *w, struct weir_wire_event *e,
                                 struct weir_err *err) {
  uint64_t v[3];
  enum weir_status st = wire_take64(w, v, 3, err);
  if (st) return st;
  if (v[0] == WEIR_EVENT_KERNEL || v[0] >= WEIR_N_EVENTS || w->left)
    return unsound(w, "copy", "its kind is unknown", err);
  e->kind = WEIR_WIRE_COPY;
  e->copy = (struct weir_event){.kind = (enum weir_event_kind)v[0], .addr = v[1], .bytes = v[2]};
  return WEIR_OK;
}

/* Name and text are in one piece of memory, each with a NUL behind it. */
static enum weir_status get_module(struct weir_wire *w, struct weir_wire_event *e,
                                   struct weir_err *err) {
  uint64_t v[2];
  enum weir_status st = wire_take64(w, v, 2, err);
  if (st) return st;
  if (!v[0] || v[1] > WIRE_MAX_TEXT || v[1] > w->left || w->left - v[1] > WIRE_MAX_MODULE)
    return unsound(w, "module", "its length or number is impossible", err);
  size_t n_name = (size_t)v[1], n = (size_t)(w->left - v[1]);
  w->text = weir_calloc(n_name + n + 2, 1);
  if (!w->text) return wire_fail(w, err, WEIR_ENOMEM, "out of memory for a module");
  st = wire_take(w, w->text, n_name, err);
  if (!st) st = wire_take(w, w->text + n_name + 1, n, err);
  e->kind = WEIR_WIRE_MODULE;
  e->module = v[0];
  e->name = w->text;
  e->text = w->text + n_name + 1;
  e->n_text = n;
  return st;
}

static enum weir_status get_ask(struct weir_wire *w, struct weir_wire_event *e,
                                struct weir_err *err) {
  enum weir_status st = wire_take64(w, &e->asked, 1, err);
  if (st) return st;
  if (e->asked > w->n_ended || w->left)
    return unsound(w, "question", "that launch has not ended", err);
  e->kind = WEIR_WIRE_ASK;
  return WEIR_OK;
}

static void tell_message(struct weir_wire_event *e, const char *text) {
  e->kind = WEIR_WIRE_MESSAGE;
  e->text = text;
  e->n_text = strlen(text);
}

/* Numbers, then texts, of which none may lack its end. */
static enum weir_status tell_stray(struct weir_wire *w, const struct wire_note *note,
                                   struct weir_wire_event *e, struct weir_err *err) {
  uint64_t v[WIRE_N_STRAY];
  const char *texts[WEIR_STRAY_TEXTS], *p = note->bytes + sizeof v, *end = note->bytes + note->n;
  if (note->n < sizeof v) return unsound(w, "access", "it is too short", err);
  memcpy(v, note->bytes, sizeof v);
  for (unsigned i = 0; i < WEIR_STRAY_TEXTS; i++) {
    const char *nul = p < end ? memchr(p, 0, (size_t)(end - p)) : NULL;
    if (!nul) return unsound(w, "access", "it is too short", err);
    texts[i] = p;
    p = nul + 1;
  }
  if (p != end || v[0] >= w->info->n_insns || v[1] > 1 || !v[2])
    return unsound(w, "access", "its numbers are impossible", err);
  e->kind = WEIR_WIRE_STRAY;
  e->stray = (struct weir_stray){.pc = (uint32_t)v[0],
                                 .is_other = v[1] == 1,
                                 .count = v[2],
                                 .address = v[3],
                                 .kernel = texts[0],
                                 .access = texts[1],
                                 .near = texts[2],
                                 .instruction = texts[3],
                                 .position = texts[4],
                                 .source = texts[5]};
  for (unsigned k = 0; k < 3; k++) {
    e->stray.block[k] = (uint32_t)v[4 + k];
    e->stray.thread[k] = (uint32_t)v[7 + k];
  }
  return WEIR_OK;
}

static enum weir_status tell_note(struct weir_wire *w, struct weir_wire_event *e,
                                  struct weir_err *err) {
  struct wire_note note = w->notes.v[w->told];
  w->notes.v[w->told++].bytes = NULL;
  w->text = note.bytes;
  if (note.type == WIRE_STRAY) return tell_stray(w, &note, e, err);
  tell_message(e, note.bytes);
  return WEIR_OK;
}

static enum weir_status get_frame(struct weir_wire *w, struct weir_wire_event *e,
                                  struct weir_err *err) {
  enum weir_status st = wire_head(w, err);
  if (st || w->is_closed) return st;
  switch (w->type) {
  case WIRE_LAUNCH:
    return get_launch(w, e, err);
  case WIRE_COPY:
    return get_copy(w, e, err);
  case WIRE_MODULE:
    return get_module(w, e, err);
  case WIRE_ASK:
    return get_ask(w, e, err);
  case WIRE_MESSAGE:
    st = wire_rest(w, WIRE_MAX_TEXT, &w->text, &e->n_text, err);
    if (!st) tell_message(e, w->text);
    return st;
  default:
    return unsound(w, "frame", "it does not belong here", err);
  }
}

enum weir_status weir_wire_next(struct weir_wire *w, struct weir_wire_event *e,
                                struct weir_err *err) {
  *e = (struct weir_wire_event){.kind = WEIR_WIRE_CLOSED};
  free(w->text);
  w->text = NULL;
  enum weir_status st = go_on(w, NULL, err);
  if (!st) st = wire_status(w, err);
  if (st) return st;
  if (w->told < w->notes.n) return tell_note(w, e, err);
  w->told = w->notes.n = 0;
  if (w->has_end) {
    w->has_end = false;
    e->kind = WEIR_WIRE_END;
    e->launch = w->launch;
    e->stats = w->stats;
    e->result = w->result;
    return WEIR_OK;
  }
  return get_frame(w, e, err);
}

enum weir_status weir_wire_answer(struct weir_wire *w, const struct weir_wire_times *t,
                                  struct weir_err *err) {
  const uint64_t v[] = {t->launch, t->begin_ns, t->end_ns, t->cycles};
  wire_frame(w, WIRE_TIMES, sizeof v);
  wire_put(w, v, sizeof v);
  return wire_flush(w, err);
}
