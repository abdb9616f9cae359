#include "report/spool.h"

#include <errno.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/temp.h"
#include "base/text.h"

/* The file, which has no name. It is empty again when the last spool that has something in it is
 * closed. */
static struct {
  pthread_mutex_t lock;
  int fd;
  uint64_t end, n_users;
} file = {.lock = PTHREAD_MUTEX_INITIALIZER, .fd = -1};

static enum weir_status cannot(const char *what, struct weir_err *err) {
  weir_fail(err, WEIR_EIO, "cannot %s a temporary file: %s", what, strerror(errno));
  weir_err_add(err, "remedy: $TMPDIR names the folder; --json needs room there for all launches");
  return WEIR_EIO;
}

static enum weir_status no_memory(struct weir_err *err) {
  return weir_fail(err, WEIR_ENOMEM, "out of memory");
}

/* ---- adding ---- */

/* Lines of one element begin with as many blanks as it lies deep. */
static void put_indented(struct weir_text *out, const char *text, unsigned depth) {
  weir_text_pad(out, ' ', depth);
  for (const char *end; (end = strchr(text, '\n')) != NULL; text = end + 1) {
    weir_text_add(out, text, (size_t)(end + 1 - text));
    weir_text_pad(out, ' ', depth);
  }
  weir_text_puts(out, text);
}

static bool write_all(const char *text, size_t n, uint64_t at) {
  while (n > 0) {
    ssize_t put = pwrite(file.fd, text, n, (off_t)at);
    if (put < 0 && errno == EINTR) continue;
    if (put < 0) return false;
    text += put;
    at += (uint64_t)put;
    n -= (size_t)put;
  }
  return true;
}

static bool add_part(struct weir_spool *s, struct weir_spool_part part) {
  struct weir_spool_part *end = s->v + s->n;
  bool is_next = s->n > 0 && end[-1].at + end[-1].bytes == part.at;
  if (is_next) end[-1].bytes += part.bytes;
  return is_next || WEIR_PUSH(*s, part);
}

/* At the end of the file, whose lock is held. */
static enum weir_status write_down(struct weir_spool *s, const struct weir_text *text,
                                   struct weir_err *err) {
  bool is_first = s->n == 0;
  if (file.fd < 0) file.fd = weir_temp_unnamed(weir_temp_folder());
  if (file.fd < 0) return cannot("make", err);
  if (!write_all(text->v, text->n, file.end)) return cannot("write", err);
  if (!add_part(s, (struct weir_spool_part){file.end, text->n})) return no_memory(err);
  file.end += text->n;
  file.n_users += is_first;
  return WEIR_OK;
}

enum weir_status weir_spool_add(struct weir_spool *s, const json_t *o, unsigned depth,
                                struct weir_err *err) {
  struct weir_text out = {0};
  char *text = json_dumps(o, JSON_INDENT(1));
  if (text == NULL) return no_memory(err);
  if (s->n > 0) weir_text_puts(&out, ",\n");
  put_indented(&out, text, depth);
  free(text);
  enum weir_status st = out.failed ? no_memory(err) : WEIR_OK;
  if (st == WEIR_OK) {
    pthread_mutex_lock(&file.lock);
    st = write_down(s, &out, err);
    pthread_mutex_unlock(&file.lock);
  }
  weir_text_free(&out);
  return st;
}

/* ---- the end ---- */

enum weir_status weir_spool_copy(const struct weir_spool *s, unsigned depth,
                                 enum weir_status (*put)(void *self, const char *text, size_t n,
                                                         struct weir_err *err),
                                 void *self, struct weir_err *err) {
  char buf[1 << 16];
  if (s->n == 0) return put(self, "[]", 2, err);
  enum weir_status st = put(self, "[\n", 2, err);
  for (size_t i = 0; st == WEIR_OK && i < s->n; i++)
    for (uint64_t done = 0; st == WEIR_OK && done < s->v[i].bytes;) {
      uint64_t left = s->v[i].bytes - done;
      ssize_t n = pread(file.fd, buf, left < sizeof buf ? (size_t)left : sizeof buf,
                        (off_t)(s->v[i].at + done));
      if (n < 0 && errno == EINTR) continue;
      if (n == 0) errno = EIO; /* somebody has cut it */
      st = n > 0 ? put(self, buf, (size_t)n, err) : cannot("read", err);
      done += n > 0 ? (uint64_t)n : 0;
    }
  int n = snprintf(buf, sizeof buf, "\n%*s]", (int)depth - 1, "");
  return st == WEIR_OK ? put(self, buf, (size_t)n, err) : st;
}

void weir_spool_close(struct weir_spool *s) {
  pthread_mutex_lock(&file.lock);
  if (s->n > 0 && --file.n_users == 0) {
    close(file.fd);
    file.fd = -1;
    file.end = 0;
  }
  pthread_mutex_unlock(&file.lock);
  free(s->v);
  *s = (struct weir_spool){0};
}
