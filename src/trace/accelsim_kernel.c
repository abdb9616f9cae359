#include "trace/accelsim_kernel.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/text.h"

enum { MAX_UNKNOWN_SHOWN = 24, LOCAL_ALIGN = 16 };

static bool starts(const struct weir_acc_kernel *k, const char *word) {
  size_t n = strlen(word);
  return (size_t)(k->end - k->line) >= n && !memcmp(k->line, word, n);
}

static bool is_word(const struct weir_acc_kernel *k, const char *word) {
  return starts(k, word) && k->line + strlen(word) == k->end;
}

enum weir_status weir_acc_line(struct weir_acc_kernel *k, struct weir_err *err) {
  if (k->is_held) {
    k->is_held = false;
    return WEIR_OK;
  }
  for (;;) {
    enum weir_status st = weir_text_in_line(&k->in, &k->line, &k->end, err);
    if (st || !k->line) return st;
    bool is_comment = k->line[0] == '#' && !starts(k, "#BEGIN_TB") && !starts(k, "#END_TB");
    if (k->line != k->end && !is_comment) return WEIR_OK;
  }
}

/* What stands at the end or in the line, for messages. */
static enum weir_status unexpected(struct weir_acc_kernel *k, const char *wanted,
                                   struct weir_err *err) {
  if (!k->line)
    return WEIR_ACC_FAIL(k, NULL, WEIR_EPARSE, "the file ends here, where %s should follow",
                         wanted);
  return WEIR_ACC_FAIL(k, k->line, WEIR_EPARSE, "%s expected, not '%.*s'", wanted,
                       (int)(k->end - k->line < 40 ? k->end - k->line : 40), k->line);
}

static enum weir_status want_value(struct weir_acc_kernel *k, const char *name, uint64_t max,
                                   uint64_t *out, struct weir_err *err) {
  char wanted[32];
  enum weir_status st = weir_acc_line(k, err);
  if (st) return st;
  snprintf(wanted, sizeof wanted, "'%s = '", name);
  if (!k->line || !starts(k, name)) return unexpected(k, wanted, err);
  return weir_acc_value(k, name, k->line + strlen(name), max, out, err);
}

static enum weir_status read_insts(struct weir_acc_kernel *k, struct weir_warp_writer *w,
                                   uint64_t warp, uint64_t n, struct weir_err *err) {
  k->last = UINT32_MAX;
  for (uint64_t i = 0; i < n; i++) {
    enum weir_status st = weir_acc_line(k, err);
    if (st) return st;
    if (!k->line || k->line[0] == '#' || starts(k, "warp") || starts(k, "thread")) {
      return WEIR_ACC_FAIL(k, NULL, WEIR_EPARSE, "%s after %llu of the %llu instructions promised",
                           k->line ? "the warp ends" : "the file ends", (unsigned long long)i,
                           (unsigned long long)n);
    }
    if ((st = weir_acc_insn_read(k, w, warp, err))) return st;
  }
  return WEIR_OK;
}

static enum weir_status read_warp(struct weir_acc_kernel *k, uint64_t block, uint32_t i,
                                  struct weir_warp_writer *w, struct weir_err *err) {
  uint64_t v, n;
  enum weir_status st = want_value(k, "warp", UINT32_MAX, &v, err);
  if (st) return st;
  if (v != i)
    return WEIR_ACC_FAIL(k, NULL, WEIR_EPARSE, "warp %llu where warp %u of %u should follow",
                         (unsigned long long)v, i, k->info.n_warps);
  if ((st = want_value(k, "insts", UINT64_MAX, &n, err))) return st;
  if ((st = read_insts(k, w, block * k->info.n_warps + i, n, err))) return st;
  if (w) weir_writer_park(w);
  /* An instruction too many would be taken for something else. */
  if ((st = weir_acc_line(k, err))) return st;
  if (k->line && !starts(k, "warp") && k->line[0] != '#')
    return WEIR_ACC_FAIL(k, NULL, WEIR_EPARSE,
                         "warp %u has more than the %llu instructions promised", i,
                         (unsigned long long)n);
  k->is_held = true;
  return WEIR_OK;
}

static enum weir_status read_id(struct weir_acc_kernel *k, uint64_t *id, struct weir_err *err) {
  uint32_t at[3];
  const uint32_t *g = k->info.grid;
  enum weir_status st = weir_acc_line(k, err);
  if (st) return st;
  if (!k->line || !starts(k, "thread block")) return unexpected(k, "'thread block = '", err);
  st = weir_acc_triple(k, "thread block", k->line + strlen("thread block"), at, err);
  if (st) return st;
  if (at[0] >= g[0] || at[1] >= g[1] || at[2] >= g[2])
    return WEIR_ACC_FAIL(k, NULL, WEIR_EPARSE,
                         "thread block %u,%u,%u lies outside the grid (%u,%u,%u)", at[0], at[1],
                         at[2], g[0], g[1], g[2]);
  *id = at[0] + g[0] * (at[1] + (uint64_t)g[1] * at[2]);
  if (*id != k->n_blocks)
    return WEIR_ACC_FAIL(
        k, NULL, WEIR_EPARSE,
        "thread block %u,%u,%u is number %llu of the grid; number %llu should follow", at[0], at[1],
        at[2], (unsigned long long)*id, (unsigned long long)k->n_blocks);
  return WEIR_OK;
}

/* Lines about clusters, which newer tracers of version 5 write: they do not change the streams. */
static enum weir_status skip_cluster(struct weir_acc_kernel *k, struct weir_err *err) {
  for (;;) {
    enum weir_status st = weir_acc_line(k, err);
    if (st) return st;
    if (!k->line || !starts(k, "cluster ") || k->h.tracer_version < 5) break;
  }
  k->is_held = true;
  return WEIR_OK;
}

static enum weir_status read_warps(struct weir_acc_kernel *k, struct weir_block_stream *b,
                                   uint64_t id, struct weir_err *err) {
  enum weir_status st = skip_cluster(k, err);
  for (uint32_t i = 0; i < k->info.n_warps && !st; i++) {
    st = read_warp(k, id, i, b ? &b->writers[i] : NULL, err);
    bool is_short = !st && i + 1 < k->info.n_warps && k->line && k->line[0] == '#';
    if (is_short)
      return WEIR_ACC_FAIL(k, NULL, WEIR_EPARSE, "the thread block ends after %u of its %u warps",
                           i + 1, k->info.n_warps);
  }
  if (st || (st = weir_acc_line(k, err))) return st;
  return k->line && is_word(k, "#END_TB") ? WEIR_OK : unexpected(k, "'#END_TB'", err);
}

/* One block; with `make` its streams. *is_end: there was none. */
static enum weir_status read_block(struct weir_acc_kernel *k, bool make,
                                   struct weir_block_stream **out, bool *is_end,
                                   struct weir_err *err) {
  struct weir_block_stream *b = NULL;
  uint64_t id = 0;
  enum weir_status st = weir_acc_line(k, err);
  if (st) return st;
  *is_end = k->line == NULL;
  if (*is_end) return WEIR_OK;
  if (!is_word(k, "#BEGIN_TB")) return unexpected(k, "'#BEGIN_TB'", err);
  if ((st = read_id(k, &id, err))) return st;
  if (make && (st = weir_block_begin(k->pool, id, k->info.n_warps, &b, err))) return st;
  st = read_warps(k, b, id, err);
  if (!st && b) st = weir_block_finish(b, err);
  if (st) {
    weir_block_release(b);
    return st;
  }
  k->n_blocks++;
  *out = b;
  return WEIR_OK;
}

static enum weir_status missing_blocks(struct weir_acc_kernel *k, struct weir_err *err) {
  const uint32_t *g = k->info.grid;
  if (k->n_blocks == k->n_grid) return WEIR_OK;
  return WEIR_ACC_FAIL(k, NULL, WEIR_EPARSE,
                       "the file ends after %llu of the %llu thread blocks of the grid (%u,%u,%u)",
                       (unsigned long long)k->n_blocks, (unsigned long long)k->n_grid, g[0], g[1],
                       g[2]);
}

struct unknown {
  const struct weir_acc_insn *s;
  uint64_t n;
};

static int by_count(const void *x, const void *y) {
  const struct unknown *a = x, *b = y;
  if (a->n != b->n) return a->n > b->n ? -1 : 1;
  size_t n = a->s->n_opcode < b->s->n_opcode ? a->s->n_opcode : b->s->n_opcode;
  int c = memcmp(a->s->opcode, b->s->opcode, n);
  return c ? c : (int)a->s->n_opcode - (int)b->s->n_opcode;
}

static enum weir_status report_unknown(struct weir_acc_kernel *k, const struct unknown *v, size_t n,
                                       size_t n_more, struct weir_err *err) {
  struct weir_text t = {0};
  for (size_t i = 0; i < n; i++)
    weir_text_printf(&t, "%s%.*s (%llu)", i ? ", " : "", v[i].s->n_opcode, v[i].s->opcode,
                     (unsigned long long)v[i].n);
  if (n_more) weir_text_puts(&t, ", and others");
  struct weir_where w = {.file = k->in.path};
  if (t.failed)
    weir_fail(err, WEIR_ENOMEM, "out of memory");
  else
    weir_fail_at(err, WEIR_EINVAL, &w, "opcodes that are not known, with how often they occur: %s",
                 t.v);
  bool failed = t.failed;
  weir_text_free(&t);
  t = (struct weir_text){0};
  for (int c = 0; c < WEIR_N_CLASSES; c++)
    weir_text_printf(&t, "%s%s", c ? " " : "", weir_class_name((enum weir_class)c));
  if (!failed && !t.failed)
    weir_err_add(err, "remedy: --opcode-class %.*s=CLASS, and so on; the classes are %s",
                 v[0].s->n_opcode, v[0].s->opcode, t.v);
  weir_text_free(&t);
  return failed ? WEIR_ENOMEM : WEIR_EINVAL;
}

static enum weir_status check_opcodes(struct weir_acc_kernel *k, struct weir_err *err) {
  struct unknown v[MAX_UNKNOWN_SHOWN];
  size_t n = 0, n_more = 0;
  for (size_t i = 0; i < k->insns.n; i++) {
    const struct weir_acc_insn *s = &k->insns.v[i];
    size_t j = 0;
    if (!s->trouble) continue;
    while (j < n &&
           (v[j].s->n_opcode != s->n_opcode || memcmp(v[j].s->opcode, s->opcode, s->n_opcode) != 0))
      j++;
    if (j == MAX_UNKNOWN_SHOWN) {
      n_more++;
      continue;
    }
    if (j == n) v[n++] = (struct unknown){.s = s};
    v[j].n += s->n_seen;
  }
  if (!n) return WEIR_OK;
  qsort(v, n, sizeof *v, by_count);
  return report_unknown(k, v, n, n_more, err);
}

static int by_key(const void *x, const void *y) {
  uint64_t a = *(const uint64_t *)x, b = *(const uint64_t *)y;
  return a < b ? -1 : a > b;
}

/* A barrier whose operands are registers may be any. Then barriers are not told apart: to wait for
 * the wrong one could take for ever. */
static void merge_barriers(struct weir_static *s, size_t n) {
  bool is_known = true;
  for (size_t i = 0; i < n; i++)
    is_known &= s[i].cls != WEIR_C_BARRIER || s[i].n_src == 0;
  for (size_t i = 0; i < n && !is_known; i++)
    if (s[i].cls == WEIR_C_BARRIER) s[i].bar_id = 0;
}

/* Instructions in the order of their pcs, so that straight code is a run of indices. */
static enum weir_status make_table(struct weir_acc_kernel *k, struct weir_err *err) {
  size_t n = k->insns.n;
  uint64_t *key = weir_malloc((n + 1) * sizeof *key);
  k->table = weir_calloc(n + 1, sizeof *k->table);
  if (!key || !k->table) {
    free(key);
    return weir_fail(err, WEIR_ENOMEM, "out of memory for the instructions of a trace");
  }
  for (size_t i = 0; i < n; i++)
    key[i] = (uint64_t)k->insns.v[i].s.pc << 32 | i;
  qsort(key, n, sizeof *key, by_key);
  uint32_t n_regs = 0;
  for (size_t i = 0; i < n; i++) {
    struct weir_acc_insn *in = &k->insns.v[(uint32_t)key[i]];
    in->index = (uint32_t)i;
    k->table[i] = in->s;
    for (unsigned r = 0; r < in->s.n_dst; r++)
      n_regs = in->s.dst[r] >= n_regs ? in->s.dst[r] + 1u : n_regs;
    for (unsigned r = 0; r < in->s.n_src; r++)
      n_regs = in->s.src[r] >= n_regs ? in->s.src[r] + 1u : n_regs;
  }
  free(key);
  merge_barriers(k->table, n);
  k->info.insns = k->table;
  k->info.n_insns = (uint32_t)n;
  k->info.n_regs = n_regs;
  return WEIR_OK;
}

static enum weir_status first_reading(struct weir_acc_kernel *k, struct weir_err *err) {
  struct weir_block_stream *none;
  bool is_end = false;
  enum weir_status st = weir_acc_header_read(k, err);
  while (!st && !is_end)
    st = read_block(k, false, &none, &is_end, err);
  if (!st) st = missing_blocks(k, err);
  if (!st) st = check_opcodes(k, err);
  if (!st) st = make_table(k, err);
  if (st) return st;
  k->info.regs_per_thread = k->h.n_regs;
  k->info.static_shared = k->h.shared_bytes;
  k->info.local_bytes = (uint32_t)((k->local_max + LOCAL_ALIGN - 1) / LOCAL_ALIGN * LOCAL_ALIGN);
  return WEIR_OK;
}

/* Back to the first block. */
static enum weir_status second_reading(struct weir_acc_kernel *k, struct weir_err *err) {
  enum weir_status st = weir_text_in_rewind(&k->in, err);
  k->is_held = false;
  k->n_blocks = 0;
  while (!st) {
    st = weir_acc_line(k, err);
    if (!st && (!k->line || k->line[0] != '-')) break;
  }
  k->is_held = true;
  return st;
}

static enum weir_status next_block(struct weir_block_source *src, struct weir_block_stream **out,
                                   struct weir_err *err) {
  struct weir_acc_kernel *k = src->self;
  bool is_end;
  *out = NULL;
  if (k->n_blocks == k->n_grid) return WEIR_OK;
  enum weir_status st = read_block(k, true, out, &is_end, err);
  return !st && is_end ? missing_blocks(k, err) : st;
}

static void release_block(struct weir_block_source *src, struct weir_block_stream *b) {
  (void)src;
  weir_block_release(b);
}

enum weir_status weir_acc_kernel_open(struct weir_acc_kernel *k, const char *path,
                                      const struct weir_where *where, struct weir_err *err) {
  enum weir_status st = weir_text_in_open(&k->in, path, where, err);
  if (!st) st = first_reading(k, err);
  if (!st) st = second_reading(k, err);
  k->source = (struct weir_block_source){.kernel = &k->info,
                                         .file = k->in.path,
                                         .next = next_block,
                                         .release = release_block,
                                         .self = k};
  return st;
}

void weir_acc_kernel_close(struct weir_acc_kernel *k) {
  weir_text_in_close(&k->in);
  free(k->insns.v);
  free(k->slots);
  free(k->table);
  weir_arena_free(&k->arena);
}
