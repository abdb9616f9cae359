#include "trace/accelsim_text.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <lzma.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/output.h"

/* BUFFER is also the longest line. xz -9 needs 65 MiB to unpack. */
enum { BUFFER = 256 << 10, PACKED = 64 << 10 };
#define XZ_MEMORY (UINT64_C(128) << 20)

struct weir_xz {
  lzma_stream z;
  uint8_t in[PACKED];
};

static enum weir_status fail_here(const struct weir_text_in *t, struct weir_err *err,
                                  enum weir_status code, const char *what) {
  struct weir_where w = {.file = t->path};
  return weir_fail_at(err, code, &w, "%s", what);
}

static enum weir_status start_xz(struct weir_text_in *t, struct weir_err *err) {
  t->xz->z.next_in = t->xz->in;
  t->xz->z.avail_in = 0;
  if (lzma_stream_decoder(&t->xz->z, XZ_MEMORY, LZMA_CONCATENATED) == LZMA_OK) return WEIR_OK;
  return fail_here(t, err, WEIR_ENOMEM, "out of memory for unpacking xz data");
}

static bool has_suffix(const char *s, const char *suffix) {
  size_t n = strlen(s), m = strlen(suffix);
  return n >= m && !strcmp(s + n - m, suffix);
}

static enum weir_status open_fd(struct weir_text_in *t, const struct weir_where *where,
                                struct weir_err *err) {
  struct stat st;
  t->fd = open(t->path, O_RDONLY | O_CLOEXEC);
  if (t->fd >= 0 && fstat(t->fd, &st) == 0 && S_ISDIR(st.st_mode))
    return weir_fail_at(err, WEIR_EINVAL, where, "'%s' is a folder, not a file", t->path);
  if (t->fd >= 0) return weir_input_opened(t->fd, t->path, where, err);
  enum weir_status code = errno == ENOENT || errno == ENOTDIR ? WEIR_ENOENT : WEIR_EIO;
  return weir_fail_at(err, code, where, "cannot open '%s': %s", t->path, strerror(errno));
}

enum weir_status weir_text_in_open(struct weir_text_in *t, const char *path,
                                   const struct weir_where *where, struct weir_err *err) {
  *t = (struct weir_text_in){.path = path, .fd = -1, .is_xz = has_suffix(path, ".xz")};
  enum weir_status st = open_fd(t, where, err);
  if (!st) {
    t->buf = weir_malloc(BUFFER + 1);
    if (t->is_xz) t->xz = weir_calloc(1, sizeof *t->xz);
    t->next = t->end = t->buf;
    if (!t->buf || (t->is_xz && !t->xz)) st = fail_here(t, err, WEIR_ENOMEM, "out of memory");
  }
  if (!st && t->is_xz) st = start_xz(t, err);
  if (st) weir_text_in_close(t);
  return st;
}

void weir_text_in_close(struct weir_text_in *t) {
  if (t->fd >= 0) close(t->fd);
  if (t->xz) lzma_end(&t->xz->z);
  free(t->xz);
  free(t->buf);
  t->fd = -1;
  t->xz = NULL;
  t->buf = NULL;
}

enum weir_status weir_text_in_rewind(struct weir_text_in *t, struct weir_err *err) {
  if (lseek(t->fd, 0, SEEK_SET) != 0)
    return fail_here(t, err, WEIR_EIO,
                     "cannot be read a second time; a file is needed, not a pipe");
  t->line = t->at = t->packed = 0;
  t->is_end = false;
  t->next = t->end = t->buf;
  return t->is_xz ? start_xz(t, err) : WEIR_OK;
}

static enum weir_status read_some(struct weir_text_in *t, void *to, size_t room, size_t *got,
                                  struct weir_err *err) {
  ssize_t n;
  do
    n = read(t->fd, to, room);
  while (n < 0 && errno == EINTR);
  if (n < 0) return fail_here(t, err, WEIR_EIO, strerror(errno));
  *got = (size_t)n;
  return WEIR_OK;
}

static enum weir_status fail_xz(const struct weir_text_in *t, lzma_ret ret, struct weir_err *err) {
  const char *why = "the xz data are damaged";
  enum weir_status code = WEIR_EPARSE;
  if (ret == LZMA_FORMAT_ERROR) return fail_here(t, err, code, "this is not an xz file");
  if (ret == LZMA_OPTIONS_ERROR) why = "the xz data use a filter that is not known";
  if (ret == LZMA_BUF_ERROR) why = "the file ends in the middle of its xz data";
  if (ret == LZMA_MEM_ERROR) why = "out of memory for unpacking xz data", code = WEIR_ENOMEM;
  if (ret == LZMA_MEMLIMIT_ERROR)
    why = "unpacking needs more than 128 MiB; repack with xz -9 or less", code = WEIR_ELIMIT;
  struct weir_where w = {.file = t->path};
  return weir_fail_at(err, code, &w, "%s, at byte %llu (after line %llu)", why,
                      (unsigned long long)(t->packed - t->xz->z.avail_in),
                      (unsigned long long)t->line);
}

static enum weir_status unpack(struct weir_text_in *t, char *to, size_t room, size_t *got,
                               struct weir_err *err) {
  lzma_stream *z = &t->xz->z;
  z->next_out = (uint8_t *)to;
  z->avail_out = room;
  bool is_eof = false;
  while (z->avail_out == room) {
    if (!z->avail_in && !is_eof) {
      size_t n = 0;
      enum weir_status st = read_some(t, t->xz->in, PACKED, &n, err);
      if (st) return st;
      z->next_in = t->xz->in;
      z->avail_in = n;
      t->packed += n;
      is_eof = n == 0;
    }
    lzma_ret ret = lzma_code(z, is_eof ? LZMA_FINISH : LZMA_RUN);
    if (ret == LZMA_STREAM_END) break;
    if (ret != LZMA_OK) return fail_xz(t, ret, err);
  }
  *got = room - z->avail_out;
  return WEIR_OK;
}

/* Moves what is left to the front and reads more behind it. */
static enum weir_status refill(struct weir_text_in *t, struct weir_err *err) {
  size_t left = (size_t)(t->end - t->next), got = 0;
  t->at += (uint64_t)(t->next - t->buf);
  memmove(t->buf, t->next, left);
  t->next = t->buf;
  t->end = t->buf + left;
  if (left == BUFFER) {
    t->line++;
    return weir_text_in_fail(t, NULL, NULL, err, WEIR_EPARSE,
                             "this line is longer than %d bytes: not an Accel-Sim trace", BUFFER);
  }
  enum weir_status st = t->is_xz ? unpack(t, t->end, BUFFER - left, &got, err)
                                 : read_some(t, t->end, BUFFER - left, &got, err);
  t->end += got;
  if (!st && !got) t->is_end = true;
  return st;
}

enum weir_status weir_text_in_line(struct weir_text_in *t, char **line, char **end,
                                   struct weir_err *err) {
  char *nl;
  size_t seen = 0;
  while (!(nl = memchr(t->next + seen, '\n', (size_t)(t->end - t->next) - seen))) {
    seen = (size_t)(t->end - t->next);
    if (t->is_end) {
      nl = t->end; /* the last line may lack its end */
      break;
    }
    enum weir_status st = refill(t, err);
    if (st) return st;
  }
  *line = NULL;
  if (nl == t->end && nl == t->next) return WEIR_OK;
  t->line++;
  *line = t->next;
  t->next = nl < t->end ? nl + 1 : nl;
  while (nl > *line && (nl[-1] == ' ' || nl[-1] == '\r'))
    nl--;
  *nl = '\n';
  *end = nl;
  return WEIR_OK;
}

enum weir_status weir_text_in_fail(const struct weir_text_in *t, const char *line, const char *at,
                                   struct weir_err *err, enum weir_status code, const char *fmt,
                                   ...) {
  struct weir_where w = {.file = t->path,
                         .line = t->line < UINT_MAX ? (unsigned)t->line : UINT_MAX,
                         .col = line && at ? (unsigned)(at - line) + 1 : 0};
  va_list ap;
  va_start(ap, fmt);
  weir_vfail_at(err, code, &w, fmt, ap);
  va_end(ap);
  if (t->is_xz && line)
    weir_err_add(err, "at byte %" PRIu64 " of the unpacked text",
                 t->at + (uint64_t)((at ? at : line) - t->buf));
  return code;
}
