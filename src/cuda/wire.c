/* Frames over a socket, for both ends. */
#include "cuda/wire.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/mem.h"
#include "cuda/wire_code.h"

struct head {
  uint32_t type, zero;
  uint64_t bytes;
};

enum weir_status wire_new(int fd, struct weir_wire **out, struct weir_err *err) {
  struct weir_wire *w = *out = weir_calloc(1, sizeof *w);
  if (w) {
    w->in = weir_malloc(WIRE_BUFFER);
    w->fd = fd;
    wt_buf_reserve(&w->out, WIRE_BUFFER);
    if (w->in && !w->out.failed) return WEIR_OK;
  }
  if (w)
    weir_wire_close(w);
  else
    close(fd);
  *out = NULL;
  return weir_fail(err, WEIR_ENOMEM, "out of memory for a connection");
}

enum weir_status wire_fail(struct weir_wire *w, struct weir_err *err, enum weir_status code,
                           const char *fmt, ...) {
  if (!w->error.code) {
    va_list ap;
    va_start(ap, fmt);
    weir_vfail_at(&w->error, code, NULL, fmt, ap);
    va_end(ap);
  }
  return wire_status(w, err);
}

enum weir_status wire_status(struct weir_wire *w, struct weir_err *err) {
  if (w->error.code && err) *err = w->error;
  return w->error.code;
}

/* ---- sending ---- */

static void send_all(struct weir_wire *w, const uint8_t *bytes, size_t n) {
  while (n && !w->error.code) {
    ssize_t sent = send(w->fd, bytes, n, MSG_NOSIGNAL);
    if (sent < 0 && errno == EINTR) continue;
    if (sent < 0) {
      wire_fail(w, NULL, WEIR_EIO, "the connection between weir and the program is lost: %s",
                strerror(errno));
      return;
    }
    bytes += sent;
    n -= (size_t)sent;
  }
}

void wire_put(struct weir_wire *w, const void *bytes, size_t n) {
  if (w->out.n + n > WIRE_BUFFER) wire_flush(w, NULL);
  if (n > WIRE_BUFFER)
    send_all(w, bytes, n);
  else if (!w->error.code)
    wt_buf_add(&w->out, bytes, n); /* there is room: it was reserved */
}

void wire_put64(struct weir_wire *w, uint64_t v) {
  wire_put(w, &v, sizeof v);
}

void wire_frame(struct weir_wire *w, enum wire_frame type, uint64_t bytes) {
  struct head h = {.type = type, .bytes = bytes};
  wire_put(w, &h, sizeof h);
}

enum weir_status wire_flush(struct weir_wire *w, struct weir_err *err) {
  send_all(w, w->out.v, w->out.n);
  w->out.n = 0;
  return wire_status(w, err);
}

/* ---- receiving ---- */

/* At least one byte, or 0 at the end. */
static enum weir_status receive(struct weir_wire *w, uint8_t *bytes, size_t want, size_t *got,
                                struct weir_err *err) {
  if (w->in_at == w->in_end) {
    ssize_t n;
    while ((n = recv(w->fd, w->in, WIRE_BUFFER, 0)) < 0 && errno == EINTR)
      continue;
    /* A program that ends with answers unread resets the connection. */
    if (n < 0 && errno == ECONNRESET) n = 0;
    if (n < 0) return wire_fail(w, err, WEIR_EIO, "cannot read a connection: %s", strerror(errno));
    w->in_at = 0;
    w->in_end = (size_t)n;
  }
  *got = w->in_end - w->in_at < want ? w->in_end - w->in_at : want;
  memcpy(bytes, w->in + w->in_at, *got);
  w->in_at += *got;
  return WEIR_OK;
}

/* `*n` bytes; at the end of the connection fewer, which is for the caller to judge. */
static enum weir_status read_some(struct weir_wire *w, void *bytes, size_t *n,
                                  struct weir_err *err) {
  size_t done = 0;
  while (done < *n) {
    size_t got = 0;
    enum weir_status st = receive(w, (uint8_t *)bytes + done, *n - done, &got, err);
    if (st) return st;
    if (!got) break;
    done += got;
  }
  *n = done;
  return WEIR_OK;
}

static enum weir_status cut_off(struct weir_wire *w, struct weir_err *err) {
  return wire_fail(w, err, WEIR_EIO,
                   "the connection between weir and the program ended in the "
                   "middle of a %s",
                   w->in_launch ? "launch" : "message");
}

enum weir_status wire_head(struct weir_wire *w, struct weir_err *err) {
  struct head h;
  size_t n = sizeof h;
  enum weir_status st = wire_status(w, err);
  w->type = 0;
  w->left = 0;
  if (!st) st = read_some(w, &h, &n, err);
  if (st) return st;
  w->is_closed = n == 0;
  if (w->is_closed) return WEIR_OK;
  if (n < sizeof h) return cut_off(w, err);
  if (h.zero || h.type < WIRE_HELLO || h.type > WIRE_STRAY)
    return wire_fail(w, err, WEIR_EPARSE, "a frame of unknown type %#x", h.type);
  w->type = h.type;
  w->left = h.bytes;
  return WEIR_OK;
}

enum weir_status wire_take(struct weir_wire *w, void *bytes, size_t n, struct weir_err *err) {
  size_t got = n;
  enum weir_status st = wire_status(w, err);
  if (st) return st;
  if (n > w->left)
    return wire_fail(w, err, WEIR_EPARSE, "a frame of type %u that is too short", w->type);
  st = read_some(w, bytes, &got, err);
  if (st) return st;
  if (got < n) return cut_off(w, err);
  w->left -= n;
  return WEIR_OK;
}

enum weir_status wire_take64(struct weir_wire *w, uint64_t *v, size_t n, struct weir_err *err) {
  return wire_take(w, v, n * sizeof *v, err);
}

enum weir_status wire_skip(struct weir_wire *w, struct weir_err *err) {
  uint8_t bytes[4096];
  enum weir_status st = WEIR_OK;
  while (!st && w->left)
    st = wire_take(w, bytes, w->left < sizeof bytes ? (size_t)w->left : sizeof bytes, err);
  return st;
}

enum weir_status wire_rest(struct weir_wire *w, uint64_t max, char **out, size_t *n,
                           struct weir_err *err) {
  *out = NULL;
  if (w->left > max)
    return wire_fail(w, err, WEIR_EPARSE, "a frame of type %u with %llu bytes, more than %llu",
                     w->type, (unsigned long long)w->left, (unsigned long long)max);
  *n = (size_t)w->left;
  char *text = weir_malloc(*n + 1);
  if (!text) return wire_fail(w, err, WEIR_ENOMEM, "out of memory for a frame");
  text[*n] = 0;
  enum weir_status st = wire_take(w, text, *n, err);
  if (st)
    free(text);
  else
    *out = text;
  return st;
}

void weir_wire_close(struct weir_wire *w) {
  if (!w) return;
  wire_flush(w, NULL);
  close(w->fd);
  for (size_t i = 0; i < w->notes.n; i++)
    free(w->notes.v[i].bytes);
  free(w->notes.v);
  if (w->has_kernels) regfree(&w->kernels);
  weir_wtrace_info_free(w->info);
  weir_arena_free(&w->arena);
  wt_buf_free(&w->out);
  free(w->text);
  free(w->in);
  free(w);
}
