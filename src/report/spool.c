#include "report/spool.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/temp.h"

static enum weir_status cannot(const char *what, struct weir_err *err) {
  weir_fail(err, WEIR_EIO, "cannot %s a temporary file: %s", what, strerror(errno));
  weir_err_add(err, "remedy: $TMPDIR names the folder; --json needs room there for all launches");
  return WEIR_EIO;
}

static enum weir_status open_file(struct weir_spool *s, struct weir_err *err) {
  const char *folder = getenv("TMPDIR");
  struct weir_temp t;
  if (s->file != NULL) return WEIR_OK;
  if (weir_temp_file(&t, folder != NULL && folder[0] != '\0' ? folder : "/tmp", 0600, NULL) !=
      WEIR_OK)
    return cannot("make", err);
  int fd = dup(t.fd);
  weir_temp_remove(&t); /* it goes with the last descriptor */
  s->file = fd >= 0 ? fdopen(fd, "w+") : NULL;
  if (s->file != NULL) return WEIR_OK;
  if (fd >= 0) close(fd);
  return cannot("open", err);
}

/* Lines of one element begin with as many blanks as it lies deep. */
static bool put_indented(FILE *f, const char *text, unsigned depth) {
  bool ok = fprintf(f, "%*s", (int)depth, "") >= 0;
  for (const char *end; ok && (end = strchr(text, '\n')) != NULL; text = end + 1)
    ok = fwrite(text, 1, (size_t)(end + 1 - text), f) > 0 && fprintf(f, "%*s", (int)depth, "") >= 0;
  return ok && fputs(text, f) >= 0;
}

enum weir_status weir_spool_add(struct weir_spool *s, const json_t *o, unsigned depth,
                                struct weir_err *err) {
  enum weir_status st = open_file(s, err);
  if (st != WEIR_OK) return st;
  char *text = json_dumps(o, JSON_INDENT(1));
  if (text == NULL) return weir_fail(err, WEIR_ENOMEM, "out of memory");
  bool ok = (s->n == 0 || fputs(",\n", s->file) >= 0) && put_indented(s->file, text, depth);
  free(text);
  s->n++;
  return ok ? WEIR_OK : cannot("write", err);
}

enum weir_status weir_spool_copy(struct weir_spool *s, unsigned depth,
                                 enum weir_status (*put)(void *self, const char *text, size_t n,
                                                         struct weir_err *err),
                                 void *self, struct weir_err *err) {
  char buf[1 << 16];
  if (s->n == 0) return put(self, "[]", 2, err);
  if (fflush(s->file) != 0 || fseeko(s->file, 0, SEEK_SET) != 0) return cannot("write", err);
  enum weir_status st = put(self, "[\n", 2, err);
  for (size_t n; st == WEIR_OK && (n = fread(buf, 1, sizeof buf, s->file)) > 0;)
    st = put(self, buf, n, err);
  if (st == WEIR_OK && ferror(s->file)) st = cannot("read", err);
  int n = snprintf(buf, sizeof buf, "\n%*s]", (int)depth - 1, "");
  return st == WEIR_OK ? put(self, buf, (size_t)n, err) : st;
}

void weir_spool_close(struct weir_spool *s) {
  if (s->file != NULL) fclose(s->file);
  *s = (struct weir_spool){0};
}
