#include "study/input_hash.h"

#include <endian.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <xxhash.h>

#include "base/file.h"
#include "base/mem.h"
#include "launch/launchfile.h"
#include "trace/accelsim.h"
#include "trace/wtrace.h"

static void put_text(XXH128_hash_t h, char out[WEIR_HASH_TEXT]) {
  snprintf(out, WEIR_HASH_TEXT, "xxh128:%016" PRIx64 "%016" PRIx64, (uint64_t)h.high64,
           (uint64_t)h.low64);
}

void weir_hash_bytes(const void *bytes, size_t n, char out[WEIR_HASH_TEXT]) {
  put_text(XXH3_128bits(bytes, n), out);
}

/* ---- several files ---- */

static enum weir_status cannot_read(const char *path, struct weir_err *err) {
  return weir_fail(err, errno == ENOENT || errno == ENOTDIR ? WEIR_ENOENT : WEIR_EIO,
                   "cannot open '%s': %s", path, strerror(errno));
}

enum weir_status weir_hash_may_read(const char *path, struct weir_err *err) {
  struct stat info;
  if (stat(path, &info) != 0 || S_ISREG(info.st_mode) || S_ISDIR(info.st_mode)) return WEIR_OK;
  weir_fail(err, WEIR_EINVAL, "'%s' cannot be read twice, and outputs say what was read", path);
  weir_err_add(err, "remedy: a file with the same contents, or --no-provenance");
  return WEIR_EINVAL;
}

/* At most `limit` bytes of a file, and how many there were. */
static enum weir_status add_file(XXH3_state_t *h, const char *path, uint64_t limit,
                                 struct weir_err *err) {
  enum { CHUNK = 1 << 18 };
  int fd = -1;
  uint64_t n = 0;
  ssize_t got = 0;
  char *chunk = weir_malloc(CHUNK);
  enum weir_status st =
      chunk != NULL ? weir_hash_may_read(path, err) : weir_fail(err, WEIR_ENOMEM, "out of memory");
  if (st == WEIR_OK) fd = open(path, O_RDONLY | O_CLOEXEC);
  if (st == WEIR_OK && fd < 0) st = cannot_read(path, err);
  while (st == WEIR_OK && n < limit) {
    got = read(fd, chunk, limit - n < CHUNK ? (size_t)(limit - n) : CHUNK);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) st = cannot_read(path, err);
    if (got <= 0) break;
    XXH3_128bits_update(h, chunk, (size_t)got);
    n += (uint64_t)got;
  }
  if (fd >= 0) close(fd);
  free(chunk);
  uint64_t bytes = htole64(n);
  XXH3_128bits_update(h, &bytes, sizeof bytes);
  return st;
}

typedef enum weir_status adder(XXH3_state_t *h, const void *self, struct weir_err *err);

static enum weir_status hash_with(adder *add, const void *self, char out[WEIR_HASH_TEXT],
                                  struct weir_err *err) {
  XXH3_state_t *h = XXH3_createState();
  if (h == NULL) return weir_fail(err, WEIR_ENOMEM, "out of memory");
  XXH3_128bits_reset(h);
  enum weir_status st = add(h, self, err);
  if (st == WEIR_OK) put_text(XXH3_128bits_digest(h), out);
  XXH3_freeState(h);
  return st;
}

static enum weir_status add_whole(XXH3_state_t *h, const void *path, struct weir_err *err) {
  return add_file(h, path, UINT64_MAX, err);
}

enum weir_status weir_hash_file(const char *path, char out[WEIR_HASH_TEXT], struct weir_err *err) {
  return hash_with(add_whole, path, out, err);
}

/* ---- launch files ---- */

static enum weir_status add_launchfile(XXH3_state_t *h, const void *self, struct weir_err *err) {
  const struct weir_launchfile *lf = self;
  enum weir_status st = add_whole(h, lf->path, err);
  for (uint32_t i = 0; st == WEIR_OK && i < lf->n_modules; i++)
    st = add_whole(h, lf->modules[i], err);
  for (uint32_t i = 0; st == WEIR_OK && i < lf->n_buffers; i++)
    if (lf->buffers[i].init.kind == WEIR_CONTENTS_FILE)
      st = add_whole(h, lf->buffers[i].init.path, err);
  return st;
}

enum weir_status weir_hash_launchfile(const char *path, const char *input, char out[WEIR_HASH_TEXT],
                                      char *input_name, bool *is_estimated, struct weir_err *err) {
  struct weir_launchfile *lf;
  enum weir_status st = weir_launchfile_load(path, input, &lf, err);
  if (st != WEIR_OK) return st;
  if (input_name != NULL)
    snprintf(input_name, WEIR_INPUT_NAME, "%s", lf->input != NULL ? lf->input : "");
  bool is_counted = true;
  for (uint32_t i = 0; i < lf->n_launches; i++)
    is_counted &= lf->launches[i].registers > 0;
  if (is_estimated != NULL) *is_estimated = !is_counted;
  st = hash_with(add_launchfile, lf, out, err);
  weir_launchfile_free(lf);
  return st;
}

/* ---- traces ---- */

struct content {
  const char *path;
  uint64_t bytes;
};

static enum weir_status add_content(XXH3_state_t *h, const void *self, struct weir_err *err) {
  const struct content *c = self;
  return add_file(h, c->path, c->bytes, err);
}

/* Lines of a list that name no file are commands; what is wrong with it is said when it is read. */
static enum weir_status add_accelsim(XXH3_state_t *h, const void *self, struct weir_err *err) {
  const char *list = self;
  struct weir_arena a = {0};
  char *text, *rest = NULL;
  size_t n;
  enum weir_status st = add_whole(h, list, err);
  if (st != WEIR_OK || weir_is_accelsim_kernel(list)) return st; /* without a list */
  st = weir_file_read(list, 0, NULL, &text, &n, err);
  if (st != WEIR_OK) return st;
  for (char *line = strtok_r(text, "\r\n", &rest); st == WEIR_OK && line != NULL;
       line = strtok_r(NULL, "\r\n", &rest)) {
    const char *path = weir_file_beside(&a, list, line);
    if (path == NULL)
      st = weir_fail(err, WEIR_ENOMEM, "out of memory");
    else if (access(path, R_OK) == 0)
      st = add_whole(h, path, err);
  }
  free(text);
  weir_arena_free(&a);
  return st;
}

enum weir_status weir_hash_trace(const char *path, char out[WEIR_HASH_TEXT], struct weir_err *err) {
  struct weir_wtrace *t;
  if (weir_is_accelsim(path)) return hash_with(add_accelsim, path, out, err);
  enum weir_status st = weir_wtrace_open(path, &t, err);
  if (st != WEIR_OK) return st;
  struct content c = {.path = path, .bytes = weir_wtrace_content_bytes(t)};
  weir_wtrace_close(t);
  return hash_with(add_content, &c, out, err);
}
