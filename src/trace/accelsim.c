#include "trace/accelsim.h"

#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/mem.h"
#include "trace/accelsim_kernel.h"

struct weir_accelsim {
  struct weir_arena arena;
  char *path;
  struct weir_stream_pool *pool;
  struct weir_sass_override *over;
  size_t n_over;
  struct weir_text_in list;
  bool is_kernel, is_done; /* the path is a kernel's own file; it was handed out */
  uint64_t n_skipped;      /* kernels from here on */
  bool has_kernel;
  struct weir_acc_kernel kernel;
  char *kernel_path;
};

static bool ends(const char *s, size_t n, const char *suffix) {
  size_t m = strlen(suffix);
  return n >= m && !memcmp(s + n - m, suffix, m);
}

static bool is_kernel_name(const char *s, size_t n) {
  return ends(s, n, ".traceg") || ends(s, n, ".traceg.xz");
}

static enum weir_status no_memory(struct weir_err *err) {
  return weir_fail(err, WEIR_ENOMEM, "out of memory for a trace");
}

static enum weir_status parse_overrides(struct weir_accelsim *t, const char *const *texts, size_t n,
                                        struct weir_err *err) {
  t->over = weir_arena_array(&t->arena, n + 1, sizeof *t->over);
  if (!t->over) return no_memory(err);
  for (t->n_over = 0; t->n_over < n; t->n_over++) {
    const char *copy = weir_arena_strndup(&t->arena, texts[t->n_over], strlen(texts[t->n_over]));
    if (!copy) return no_memory(err);
    enum weir_status st = weir_sass_override_parse(copy, &t->over[t->n_over], err);
    if (st) return st;
  }
  return WEIR_OK;
}

enum weir_status weir_accelsim_open(const char *path, const char *const *opcode_class, size_t n,
                                    struct weir_stream_pool *pool, struct weir_accelsim **out,
                                    struct weir_err *err) {
  struct weir_accelsim *t = weir_calloc(1, sizeof *t);
  *out = NULL;
  if (!t) return no_memory(err);
  t->pool = pool;
  t->list.fd = -1;
  t->path = weir_arena_strndup(&t->arena, path, strlen(path));
  enum weir_status st = t->path ? parse_overrides(t, opcode_class, n, err) : no_memory(err);
  t->is_kernel = is_kernel_name(path, strlen(path));
  if (!st && !t->is_kernel) st = weir_text_in_open(&t->list, t->path, NULL, err);
  if (st)
    weir_accelsim_close(t);
  else
    *out = t;
  return st;
}

static void drop_kernel(struct weir_accelsim *t) {
  if (t->has_kernel) weir_acc_kernel_close(&t->kernel);
  t->has_kernel = false;
  free(t->kernel_path);
  t->kernel_path = NULL;
}

void weir_accelsim_skip(struct weir_accelsim *t, uint64_t n) {
  t->n_skipped = n;
}

void weir_accelsim_close(struct weir_accelsim *t) {
  if (!t) return;
  drop_kernel(t);
  weir_text_in_close(&t->list);
  weir_arena_free(&t->arena);
  free(t);
}

/* Takes over `path`, from malloc. */
static enum weir_status open_kernel(struct weir_accelsim *t, char *path,
                                    const struct weir_where *where, struct weir_accelsim_event *e,
                                    struct weir_err *err) {
  struct weir_acc_kernel *k = &t->kernel;
  if (t->n_skipped > 0) {
    t->n_skipped--;
    t->kernel_path = path;
    e->kind = WEIR_ACCELSIM_KERNEL;
    e->path = path;
    return WEIR_OK;
  }
  *k = (struct weir_acc_kernel){.in.fd = -1, .pool = t->pool, .over = t->over, .n_over = t->n_over};
  t->kernel_path = path;
  t->has_kernel = true;
  enum weir_status st = weir_acc_kernel_open(k, path, where, err);
  if (st) return st;
  e->kind = WEIR_ACCELSIM_KERNEL;
  e->path = path;
  e->id = k->h.id;
  e->stream = k->h.stream;
  e->binary_version = k->h.binary_version;
  e->tracer_version = k->h.tracer_version;
  e->n_insts = k->n_insts;
  e->source = &k->source;
  return WEIR_OK;
}

/* "0x" and hexadecimal digits, or decimal ones, up to `end`. */
static bool number(const char *p, const char *end, uint64_t *out) {
  char text[32], *stop;
  size_t n = (size_t)(end - p);
  if (!n || n >= sizeof text || *p < '0' || *p > '9') return false;
  memcpy(text, p, n);
  text[n] = 0;
  bool is_hex = text[0] == '0' && text[1] == 'x';
  if (strspn(text + (is_hex ? 2 : 0), "0123456789abcdefABCDEF") != n - (is_hex ? 2 : 0))
    return false;
  if (n - (is_hex ? 2 : 0) > (is_hex ? 16 : 19)) return false;
  *out = strtoull(text, &stop, is_hex ? 16 : 10);
  return !*stop;
}

static enum weir_status read_memcpy(struct weir_accelsim *t, const char *line, const char *end,
                                    struct weir_accelsim_event *e, struct weir_err *err) {
  const char *a = line + strlen("MemcpyHtoD,"), *b = memchr(a, ',', (size_t)(end - a));
  e->kind = WEIR_ACCELSIM_MEMCPY;
  if (b && number(a, b, &e->addr) && number(b + 1, end, &e->bytes)) return WEIR_OK;
  return weir_text_in_fail(&t->list, line, a, err, WEIR_EPARSE,
                           "MemcpyHtoD needs an address and a number of bytes: '%.*s'",
                           (int)(end - a < 60 ? end - a : 60), a);
}

static enum weir_status refuse(struct weir_accelsim *t, const char *line, const char *end,
                               struct weir_err *err) {
  const char *comma = memchr(line, ',', (size_t)(end - line));
  size_t n = (size_t)((comma ? comma : end) - line);
  weir_text_in_fail(&t->list, line, line, err, WEIR_EINVAL, "the command '%.*s' is not supported",
                    (int)(n < 60 ? n : 60), line);
  if (ends(line, n, ".trace") || ends(line, n, ".trace.xz"))
    weir_err_add(err, "these are traces as the tracer leaves them: Accel-Sim's "
                      "post-traces-processing makes .traceg files of them");
  else if (ends(line, n, ".tracez"))
    weir_err_add(err, "traces of Accel-Sim 2 are another format; .traceg and .traceg.xz are read");
  else
    weir_err_add(err, "MemcpyHtoD,ADDRESS,BYTES and names of .traceg and .traceg.xz files are");
  return WEIR_EINVAL;
}

static enum weir_status named_kernel(struct weir_accelsim *t, const char *name, size_t n,
                                     struct weir_accelsim_event *e, struct weir_err *err) {
  const char *slash = strrchr(t->path, '/');
  size_t n_dir = name[0] != '/' && slash ? (size_t)(slash - t->path) + 1 : 0;
  char *path = weir_malloc(n_dir + n + 1);
  if (!path) return no_memory(err);
  memcpy(path, t->path, n_dir);
  memcpy(path + n_dir, name, n);
  path[n_dir + n] = 0;
  struct weir_where where = {.file = t->path, .line = e->line};
  return open_kernel(t, path, &where, e, err);
}

enum weir_status weir_accelsim_next(struct weir_accelsim *t, struct weir_accelsim_event *e,
                                    struct weir_err *err) {
  char *line, *end;
  *e = (struct weir_accelsim_event){.kind = WEIR_ACCELSIM_END};
  drop_kernel(t);
  if (t->is_kernel) {
    if (t->is_done) return WEIR_OK;
    t->is_done = true;
    size_t n = strlen(t->path) + 1;
    char *copy = weir_malloc(n);
    if (!copy) return no_memory(err);
    memcpy(copy, t->path, n);
    return open_kernel(t, copy, NULL, e, err);
  }
  do {
    enum weir_status st = weir_text_in_line(&t->list, &line, &end, err);
    if (st || !line) return st;
  } while (line == end || *line == '#');
  size_t n_line = (size_t)(end - line);
  e->line = t->list.line < UINT_MAX ? (unsigned)t->list.line : UINT_MAX;
  if (n_line > 11 && !memcmp(line, "MemcpyHtoD,", 11)) return read_memcpy(t, line, end, e, err);
  if (is_kernel_name(line, n_line) && !memchr(line, 0, n_line))
    return named_kernel(t, line, n_line, e, err);
  return refuse(t, line, end, err);
}

bool weir_is_accelsim_kernel(const char *path) {
  return is_kernel_name(path, strlen(path));
}

bool weir_is_accelsim(const char *path) {
  char text[512];
  if (weir_is_accelsim_kernel(path)) return access(path, R_OK) == 0;
  int fd = open(path, O_RDONLY | O_CLOEXEC);
  ssize_t got = fd < 0 ? -1 : read(fd, text, sizeof text - 1);
  if (fd >= 0) close(fd);
  if (got <= 0) return false;
  text[got] = 0;
  /* the first line that says something */
  const char *p = text;
  while (*p == '#' || *p == '\n' || *p == '\r' || *p == ' ')
    p += *p == '#' ? strcspn(p, "\n") : 1;
  size_t n = strcspn(p, "\r\n");
  return (n > 6 && !memcmp(p, "Memcpy", 6)) || is_kernel_name(p, n) ||
         (n > 6 && !memcmp(p, "kernel-", 7) && memmem(p, n, ".trace", 6));
}
