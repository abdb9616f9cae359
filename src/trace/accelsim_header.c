#include <limits.h>
#include <string.h>

#include "base/suggest.h"
#include "trace/accelsim_kernel.h"

enum kind { TEXT, NUMBER, ADDRESS, DIM, FLAG, FREE };
enum { MAX_THREADS = 1024, OLDEST_TRACER = 4, NEWEST_TRACER = 5 };

enum field_id {
  NAME,
  ID,
  GRID,
  BLOCK,
  SHMEM,
  NREGS,
  BINARY,
  STREAM,
  SHBASE,
  LOCALBASE,
  NVBIT,
  TRACER,
  LINEINFO
};
static const struct field {
  const char *name;
  enum kind kind;
} fields[] = {
    [NAME] = {"kernel name", TEXT},
    [ID] = {"kernel id", NUMBER},
    [GRID] = {"grid dim", DIM},
    [BLOCK] = {"block dim", DIM},
    [SHMEM] = {"shmem", NUMBER},
    [NREGS] = {"nregs", NUMBER},
    [BINARY] = {"binary version", NUMBER},
    [STREAM] = {"cuda stream id", NUMBER},
    [SHBASE] = {"shmem base_addr", ADDRESS},
    [LOCALBASE] = {"local mem base_addr", ADDRESS},
    [NVBIT] = {"nvbit version", FREE},
    [TRACER] = {"accelsim tracer version", NUMBER},
    [LINEINFO] = {"enable lineinfo", FLAG},
};
enum { N_FIELDS = sizeof fields / sizeof *fields };

/* Decimal digits, or 0x and hexadecimal ones. False if there are none or they do not fit. */
static bool number(const char **p, uint64_t *out) {
  const char *s = *p;
  unsigned base = 10;
  uint64_t v = 0;
  if (s[0] == '0' && (s[1] | 32) == 'x') {
    base = 16;
    s += 2;
  }
  const char *from = s;
  for (;; s++) {
    unsigned c = (unsigned char)*s, letter = (c | 32) - 'a';
    unsigned d = c - '0' < 10 ? c - '0' : base == 16 && letter < 6 ? letter + 10 : 99;
    if (d == 99) break;
    if (v > (UINT64_MAX - d) / base) return false;
    v = v * base + d;
  }
  *out = v;
  *p = s;
  return s > from;
}

static const char *past_equals(const char *p) {
  while (*p == ' ')
    p++;
  if (*p != '=') return NULL;
  p++;
  while (*p == ' ')
    p++;
  return p;
}

enum weir_status weir_acc_value(struct weir_acc_kernel *k, const char *name, const char *p,
                                uint64_t max, uint64_t *out, struct weir_err *err) {
  const char *at = past_equals(p);
  if (!at) return WEIR_ACC_FAIL(k, p, WEIR_EPARSE, "'=' expected after '%s'", name);
  p = at;
  if (!number(&p, out) || p != k->end)
    return WEIR_ACC_FAIL(k, at, WEIR_EPARSE, "%s: '%.*s' is not a number", name,
                         (int)(k->end - at < 40 ? k->end - at : 40), at);
  if (*out > max)
    return WEIR_ACC_FAIL(k, at, WEIR_EINVAL, "%s is %llu; %llu is the most", name,
                         (unsigned long long)*out, (unsigned long long)max);
  return WEIR_OK;
}

enum weir_status weir_acc_triple(struct weir_acc_kernel *k, const char *name, const char *p,
                                 uint32_t out[3], struct weir_err *err) {
  const char *at = past_equals(p);
  if (!at) return WEIR_ACC_FAIL(k, p, WEIR_EPARSE, "'=' expected after '%s'", name);
  p = at;
  bool in_parens = *p == '(';
  p += in_parens;
  for (int i = 0; i < 3; i++) {
    uint64_t v;
    if (!number(&p, &v) || v > UINT32_MAX || (i < 2 && *p++ != ','))
      return WEIR_ACC_FAIL(k, at, WEIR_EPARSE, "%s: three numbers expected", name);
    out[i] = (uint32_t)v;
  }
  if (in_parens && *p++ != ')') p = NULL;
  if (p != k->end) return WEIR_ACC_FAIL(k, at, WEIR_EPARSE, "%s: three numbers expected", name);
  return WEIR_OK;
}

static enum weir_status set_number(struct weir_acc_kernel *k, int i, const char *p,
                                   struct weir_err *err) {
  uint64_t v = 0, max = fields[i].kind == FLAG ? 1 : UINT64_MAX;
  if (i == SHMEM || i == NREGS || i == BINARY || i == TRACER) max = INT32_MAX;
  enum weir_status st = weir_acc_value(k, fields[i].name, p, max, &v, err);
  if (st) return st;
  if (i == TRACER && (v < OLDEST_TRACER || v > NEWEST_TRACER))
    return WEIR_ACC_FAIL(k, NULL, WEIR_EINVAL,
                         "tracer version %llu is not supported; versions %d and %d are",
                         (unsigned long long)v, OLDEST_TRACER, NEWEST_TRACER);
  if (i == ID) k->h.id = v;
  if (i == SHMEM) k->h.shared_bytes = (uint32_t)v;
  if (i == NREGS) k->h.n_regs = (uint32_t)v;
  if (i == BINARY) k->h.binary_version = (uint32_t)v;
  if (i == STREAM) k->h.stream = v;
  if (i == SHBASE) k->h.shared_base = v;
  if (i == LOCALBASE) k->h.local_base = v;
  if (i == TRACER) k->h.tracer_version = (uint32_t)v;
  if (i == LINEINFO) k->h.has_lines = v != 0;
  return WEIR_OK;
}

static enum weir_status set_dim(struct weir_acc_kernel *k, int i, const char *p,
                                struct weir_err *err) {
  uint32_t *d = i == GRID ? k->info.grid : k->info.block;
  enum weir_status st = weir_acc_triple(k, fields[i].name, p, d, err);
  if (st) return st;
  if (!d[0] || !d[1] || !d[2])
    return WEIR_ACC_FAIL(k, NULL, WEIR_EINVAL, "%s (%u,%u,%u) is empty", fields[i].name, d[0], d[1],
                         d[2]);
  if (i == GRID) {
    if (d[0] > INT32_MAX || d[1] > UINT16_MAX || d[2] > UINT16_MAX)
      return WEIR_ACC_FAIL(k, NULL, WEIR_EINVAL,
                           "grid dim (%u,%u,%u) is larger than (2147483647,65535,65535)", d[0],
                           d[1], d[2]);
    k->n_grid = weir_volume(d);
    return WEIR_OK;
  }
  if (d[0] > MAX_THREADS || d[1] > MAX_THREADS || d[2] > MAX_THREADS ||
      weir_volume(d) > MAX_THREADS)
    return WEIR_ACC_FAIL(k, NULL, WEIR_EINVAL, "block dim (%u,%u,%u) has more than %d threads",
                         d[0], d[1], d[2], MAX_THREADS);
  k->info.n_warps = (uint32_t)((weir_volume(d) + WEIR_LANES - 1) / WEIR_LANES);
  return WEIR_OK;
}

static enum weir_status unknown_field(struct weir_acc_kernel *k, struct weir_err *err) {
  const char *names[N_FIELDS];
  char name[64];
  const char *eq = memchr(k->line, '=', (size_t)(k->end - k->line)), *end = eq ? eq : k->end;
  while (end > k->line + 1 && end[-1] == ' ')
    end--;
  size_t n = (size_t)(end - k->line) - 1;
  if (n >= sizeof name) n = sizeof name - 1;
  memcpy(name, k->line + 1, n);
  name[n] = 0;
  for (int i = 0; i < N_FIELDS; i++)
    names[i] = fields[i].name;
  const char *near = weir_nearest(name, names, N_FIELDS);
  WEIR_ACC_FAIL(k, NULL, WEIR_EPARSE, "the field '%s' of the header is not known", name);
  if (near) weir_err_add(err, "did you mean '%s'?", near);
  return WEIR_EPARSE;
}

static enum weir_status read_field(struct weir_acc_kernel *k, struct weir_err *err) {
  for (int i = 0; i < N_FIELDS; i++) {
    size_t n = strlen(fields[i].name);
    const char *p = k->line + 1 + n;
    if (k->end < p || memcmp(k->line + 1, fields[i].name, n) != 0) continue;
    const char *value = past_equals(p);
    if (!value) continue; /* "shmem" begins "shmem base_addr" */
    if (k->h.seen & 1u << i)
      return WEIR_ACC_FAIL(k, NULL, WEIR_EPARSE, "'%s' stands here a second time", fields[i].name);
    k->h.seen |= 1u << i;
    if (fields[i].kind == DIM) return set_dim(k, i, p, err);
    if (fields[i].kind == FREE) return WEIR_OK;
    if (fields[i].kind != TEXT) return set_number(k, i, p, err);
    k->info.name = weir_arena_strndup(&k->arena, value, (size_t)(k->end - value));
    return k->info.name ? WEIR_OK
                        : weir_fail(err, WEIR_ENOMEM, "out of memory for a kernel's name");
  }
  return unknown_field(k, err);
}

enum weir_status weir_acc_header_read(struct weir_acc_kernel *k, struct weir_err *err) {
  static const int needed[] = {NAME, GRID, BLOCK, TRACER};
  for (;;) {
    enum weir_status st = weir_acc_line(k, err);
    if (st) return st;
    if (!k->line || k->line[0] != '-') break;
    if ((st = read_field(k, err))) return st;
  }
  k->is_held = true;
  for (size_t i = 0; i < sizeof needed / sizeof *needed; i++)
    if (!(k->h.seen & 1u << needed[i]))
      return WEIR_ACC_FAIL(k, NULL, WEIR_EPARSE, "the header ends here without '-%s'",
                           fields[needed[i]].name);
  return WEIR_OK;
}
