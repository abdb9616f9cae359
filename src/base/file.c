/* Whole files. Sizes are not believed: a file is read until it ends or the limit is passed. */
#include "base/file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zstd.h>

#include "base/mem.h"
#include "base/output.h"

enum { CHUNK = 64 << 10 };

struct bytes {
  char *v;
  size_t n, cap;
};

/* What a reading step needs to say what went wrong. */
struct job {
  const char *path;
  const struct weir_where *where;
  size_t limit;
  struct weir_err *err;
  bool is_start; /* what is beyond the limit is left */
};

static enum weir_status no_memory(const struct job *j) {
  return weir_fail_at(j->err, WEIR_ENOMEM, j->where, "out of memory while reading '%s'", j->path);
}

static enum weir_status too_big(const struct job *j) {
  return weir_fail_at(j->err, WEIR_ELIMIT, j->where, "'%s' is larger than the limit of %zu bytes",
                      j->path, j->limit);
}

/* Room for `more` bytes and a NUL. */
static enum weir_status reserve(const struct job *j, struct bytes *b, size_t more) {
  if (more < b->cap - b->n) return WEIR_OK;
  return weir_vec_grow((void **)&b->v, &b->cap, b->n + more + 1, 1) ? WEIR_OK : no_memory(j);
}

static enum weir_status read_all(const struct job *j, int fd, struct bytes *b) {
  for (;;) {
    enum weir_status status = reserve(j, b, CHUNK);
    if (status) return status;
    ssize_t got = read(fd, b->v + b->n, b->cap - b->n - 1);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) {
      return weir_fail_at(j->err, WEIR_EIO, j->where, "cannot read '%s': %s", j->path,
                          strerror(errno));
    }
    if (got == 0) break;
    b->n += (size_t)got;
    if (!j->limit || b->n <= j->limit) continue;
    if (!j->is_start) return too_big(j);
    b->n = j->limit;
    break;
  }
  b->v[b->n] = '\0';
  return WEIR_OK;
}

static enum weir_status unpack(const struct job *j, const struct bytes *packed, struct bytes *b) {
  ZSTD_DStream *z = ZSTD_createDStream();
  if (!z) return no_memory(j);
  ZSTD_inBuffer in = {packed->v, packed->n, 0};
  enum weir_status status = WEIR_OK;
  size_t hint = 1;
  bool held_back = false; /* output that found no room: there may be more with no input left */
  while (!status && (in.pos < in.size || held_back)) {
    if ((status = reserve(j, b, CHUNK))) break;
    ZSTD_outBuffer out = {b->v, b->cap - 1, b->n};
    hint = ZSTD_decompressStream(z, &out, &in);
    b->n = out.pos;
    held_back = hint && out.pos == out.size;
    if (ZSTD_isError(hint)) {
      status = weir_fail_at(j->err, WEIR_EPARSE, j->where, "'%s' is not sound zstd data: %s",
                            j->path, ZSTD_getErrorName(hint));
    } else if (j->limit && b->n > j->limit) {
      status = too_big(j);
    }
  }
  if (!status && hint) {
    status = weir_fail_at(j->err, WEIR_EPARSE, j->where, "'%s' ends in the middle of its zstd data",
                          j->path);
  }
  ZSTD_freeDStream(z);
  if (!status) b->v[b->n] = '\0';
  return status;
}

static bool has_suffix(const char *s, const char *suffix) {
  size_t n = strlen(s), m = strlen(suffix);
  return n >= m && !strcmp(s + n - m, suffix);
}

static enum weir_status open_file(const struct job *j, int *fd) {
  *fd = open(j->path, O_RDONLY | O_CLOEXEC);
  struct stat st;
  if (*fd >= 0 && fstat(*fd, &st) == 0 && S_ISDIR(st.st_mode)) {
    close(*fd);
    return weir_fail_at(j->err, WEIR_EINVAL, j->where, "'%s' is a folder, not a file", j->path);
  }
  if (*fd >= 0) {
    enum weir_status status = weir_input_opened(*fd, j->path, j->where, j->err);
    if (status) close(*fd);
    return status;
  }
  enum weir_status code = errno == ENOENT || errno == ENOTDIR ? WEIR_ENOENT : WEIR_EIO;
  return weir_fail_at(j->err, code, j->where, "cannot open '%s': %s", j->path, strerror(errno));
}

/* ---- texts in place of files ---- */

struct stand_in {
  struct stand_in *next;
  const char *path;
  size_t n;
  char text[];
};
static struct stand_in *stand_ins;

bool weir_file_stand_in(const char *path, const char *text) {
  size_t n = strlen(text), n_path = strlen(path) + 1;
  struct stand_in *s = weir_malloc(sizeof *s + n + 1 + n_path);
  if (!s) return false;
  memcpy(s->text, text, n + 1);
  s->path = memcpy(s->text + n + 1, path, n_path);
  s->n = n;
  s->next = stand_ins;
  stand_ins = s;
  return true;
}

void weir_file_stand_ins_free(void) {
  for (struct stand_in *s = stand_ins, *next; s; s = next) {
    next = s->next;
    free(s);
  }
  stand_ins = NULL;
}

static const struct stand_in *find_stand_in(const char *path) {
  const struct stand_in *s = stand_ins;
  while (s && strcmp(s->path, path) != 0)
    s = s->next;
  return s;
}

static enum weir_status read_stand_in(const struct job *j, const struct stand_in *s, char **data,
                                      size_t *len) {
  struct bytes b = {0};
  enum weir_status status = reserve(j, &b, s->n);
  if (status) return status;
  memcpy(b.v, s->text, s->n + 1);
  *data = b.v;
  *len = s->n;
  return WEIR_OK;
}

static enum weir_status read_file(const struct job *j, char **data, size_t *len) {
  struct bytes raw = {0}, b = {0};
  int fd;
  *data = NULL;
  *len = 0;
  const struct stand_in *text = find_stand_in(j->path);
  if (text) return read_stand_in(j, text, data, len);
  enum weir_status status = open_file(j, &fd);
  if (status) return status;
  bool packed = has_suffix(j->path, ".zst");
  status = read_all(j, fd, packed ? &raw : &b);
  close(fd);
  if (!status && packed) status = unpack(j, &raw, &b);
  free(raw.v);
  if (status) {
    free(b.v);
    return status;
  }
  *data = b.v;
  *len = b.n;
  return WEIR_OK;
}

enum weir_status weir_file_read(const char *path, size_t limit_bytes,
                                const struct weir_where *where, char **data, size_t *len,
                                struct weir_err *err) {
  return read_file(&(struct job){path, where, limit_bytes, err, false}, data, len);
}

enum weir_status weir_file_read_start(const char *path, size_t most_bytes, char **data, size_t *len,
                                      struct weir_err *err) {
  /* The start of packed data is not worth its own way of unpacking. */
  size_t limit = has_suffix(path, ".zst") ? 0 : most_bytes;
  return read_file(&(struct job){path, NULL, limit, err, true}, data, len);
}

enum weir_status weir_file_write(const char *path, const void *data, size_t len,
                                 struct weir_err *err) {
  struct weir_output *o;
  enum weir_status st = weir_output_open(path, &o, err);
  if (st != WEIR_OK) return st;
  st = weir_output_write(o, data, len, err);
  if (st == WEIR_OK) return weir_output_commit(o, err);
  weir_output_discard(o);
  return st;
}

char *weir_file_beside(struct weir_arena *a, const char *beside, const char *name) {
  const char *slash = strrchr(beside, '/');
  if (name[0] == '/' || !slash) return weir_arena_strndup(a, name, strlen(name));
  return weir_arena_printf(a, "%.*s%s", (int)(slash - beside + 1), beside, name);
}
