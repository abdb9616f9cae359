/* Writing a .wtrace: sections one after the other, then the index that was kept in memory. */
#include <stdlib.h>
#include <xxhash.h>
#include <zstd.h>

#include "base/mem.h"
#include "base/output.h"
#include "trace/wtrace_code.h"

enum { N_TABLES = 8, CHECK_EVERY = 64 };

struct table {
  struct wt_buf raw; /* its first part, of `first` bytes, and its second */
  size_t first;
  uint64_t at;
};

struct weir_wtrace_writer {
  char *path;
  struct weir_output *output;
  bool is_own; /* output: opened here, and completed here */
  bool in_kernel;
  uint64_t at; /* bytes written so far */
  uint32_t target, n_kernels, n_events;
  ZSTD_CCtx *zstd; /* NULL: nothing is compressed */
  struct wt_encoder enc;
  struct weir_kernel_info *kernel; /* a copy of its own */
  struct weir_wtrace_counts counts, total;
  struct wt_buf section, events, kernels, groups; /* groups: of the kernel, for the index */
  struct wt_buf provenance;
  uint32_t n_groups;
  uint64_t kernel_at, group_at, group_block;
  struct table
      tables[N_TABLES]; /* those written last, so that a kernel launched again shares one */
  uint32_t n_tables;
};

static enum weir_status no_memory(const struct weir_wtrace_writer *w, struct weir_err *err) {
  return weir_fail(err, WEIR_ENOMEM, "out of memory writing '%s'", w->path);
}

static enum weir_status write_all(struct weir_wtrace_writer *w, const uint8_t *p, size_t n,
                                  struct weir_err *err) {
  w->at += n;
  return weir_output_write(w->output, p, n, err);
}

/* ---- sections ---- */

/* Appends a part to `b`, compressed if that is smaller; gives the size it took. */
static bool pack(struct weir_wtrace_writer *w, struct wt_buf *b, const uint8_t *raw, size_t n,
                 size_t *stored) {
  *stored = n;
  wt_buf_reserve(b, ZSTD_compressBound(n) + 1);
  if (b->failed) return false;
  if (w->zstd && n) {
    size_t got = ZSTD_compress2(w->zstd, b->v + b->n, b->cap - b->n, raw, n);
    if (ZSTD_isError(got)) return false;
    if (got < n) {
      *stored = got;
      b->n += got;
      return true;
    }
  }
  wt_buf_add(b, raw, n);
  return !b->failed;
}

/* The section's head and the sizes of its parts can only be written when all parts are packed; the
 * parts wait in w->section behind a gap. */
static enum weir_status put_section(struct weir_wtrace_writer *w, uint8_t kind,
                                    const uint8_t *const *part, const size_t *n, unsigned n_parts,
                                    struct weir_err *err) {
  enum { GAP = WT_HEAD_BYTES + WT_N_PARTS * 20 };
  struct wt_buf *b = &w->section;
  uint8_t sizes[GAP], *s = sizes;
  b->n = 0;
  wt_buf_reserve(b, GAP);
  if (b->failed) return no_memory(w, err);
  b->n = GAP;
  for (unsigned i = 0; i < n_parts; i++) {
    size_t stored;
    if (!pack(w, b, part[i], n[i], &stored)) return no_memory(w, err);
    s = wt_put_leb(wt_put_leb(s, n[i]), stored);
  }
  size_t n_sizes = (size_t)(s - sizes);
  uint8_t *head = b->v + GAP - n_sizes - WT_HEAD_BYTES;
  size_t payload = b->n - GAP + n_sizes;
  memset(head, 0, WT_HEAD_BYTES);
  head[0] = kind;
  head[1] = (uint8_t)n_parts;
  wt_store32(head + 4, (uint32_t)payload);
  memcpy(head + WT_HEAD_BYTES, sizes, n_sizes);
  wt_store64(head + 8, XXH64(head + WT_HEAD_BYTES, payload, XXH64(head, 8, w->at)));
  return write_all(w, head, WT_HEAD_BYTES + payload, err);
}

static enum weir_status put_buffer(struct weir_wtrace_writer *w, uint8_t kind,
                                   const struct wt_buf *b, struct weir_err *err) {
  if (b->failed) return no_memory(w, err);
  const uint8_t *part = b->v;
  return put_section(w, kind, &part, &b->n, 1, err);
}

static enum weir_status put_header(struct weir_wtrace_writer *w, const char *text,
                                   struct weir_err *err) {
  uint8_t head[WT_HEAD_BYTES + WT_MAX_TEXT + 8];
  size_t n = text ? strlen(text) : 0;
  if (n > WT_MAX_TEXT) n = WT_MAX_TEXT;
  memcpy(head, WT_MAGIC, WT_MAGIC_BYTES);
  wt_store32(head + 8, WEIR_WTRACE_VERSION);
  wt_store32(head + 12, (uint32_t)n);
  if (n) memcpy(head + WT_HEAD_BYTES, text, n);
  wt_store64(head + WT_HEAD_BYTES + n, XXH64(head, WT_HEAD_BYTES + n, 0));
  return write_all(w, head, WT_HEAD_BYTES + n + 8, err);
}

/* ---- groups ---- */

static enum weir_status flush_group(struct weir_wtrace_writer *w, bool is_cut,
                                    struct weir_err *err) {
  struct wt_encoder *e = &w->enc;
  size_t n[WT_N_PARTS];
  unsigned n_parts = 0;
  wt_encoder_head(e, w->n_kernels - 1, is_cut);
  for (unsigned i = 0; i < WT_N_PARTS; i++) {
    n[i] = (size_t)(e->at[i] - e->part[i]);
    if (n[i]) n_parts = i + 1;
  }
  wt_buf_leb(&w->groups, w->at - w->group_at);
  wt_buf_leb(&w->groups, (e->block - w->group_block) << 1 | (e->is_inside ? 1 : 0));
  w->group_at = w->at;
  w->group_block = e->block;
  w->n_groups++;
  w->counts.n_insns += e->n_insns;
  w->counts.n_mem += e->n_mem;
  return put_section(w, WT_GROUP, (const uint8_t *const *)e->part, n, n_parts, err);
}

static enum weir_status end_kernel(struct weir_wtrace_writer *w, struct weir_err *err) {
  if (!w->in_kernel) return WEIR_OK;
  w->in_kernel = false;
  enum weir_status st = wt_encoder_bytes(&w->enc) ? flush_group(w, false, err) : WEIR_OK;
  w->counts.file_bytes += w->at - w->kernel_at;
  wt_buf_leb(&w->kernels, w->counts.n_blocks);
  wt_buf_leb(&w->kernels, w->counts.n_insns);
  wt_buf_leb(&w->kernels, w->counts.n_mem);
  wt_buf_leb(&w->kernels, w->counts.stream_bytes);
  wt_buf_leb(&w->kernels, w->counts.file_bytes);
  wt_buf_leb(&w->kernels, w->n_groups);
  wt_buf_add(&w->kernels, w->groups.v, w->groups.n);
  w->total.n_blocks += w->counts.n_blocks;
  w->total.n_insns += w->counts.n_insns;
  w->total.n_mem += w->counts.n_mem;
  w->total.stream_bytes += w->counts.stream_bytes;
  return st;
}

/* ---- kernels ---- */

static enum weir_status put_table(struct weir_wtrace_writer *w, const struct weir_kernel_info *info,
                                  uint64_t *at, struct weir_err *err) {
  struct wt_buf raw = {0};
  wt_put_table(&raw, info);
  size_t first = raw.n;
  wt_put_outline(&raw, info);
  if (raw.failed || raw.n > WT_MAX_TABLE) {
    bool is_long = !raw.failed;
    wt_buf_free(&raw);
    if (!is_long) return no_memory(w, err);
    return weir_fail(err, WEIR_EINVAL, "kernel %s has too many instructions for a trace",
                     info->name);
  }
  for (uint32_t i = 0; i < N_TABLES; i++) {
    const struct table *t = &w->tables[i];
    if (!t->raw.n || t->raw.n != raw.n || memcmp(t->raw.v, raw.v, raw.n) != 0) continue;
    wt_buf_free(&raw);
    *at = t->at;
    return WEIR_OK;
  }
  struct table *t = &w->tables[w->n_tables++ % N_TABLES];
  wt_buf_free(&t->raw);
  *t = (struct table){.raw = raw, .first = first, .at = w->at};
  *at = w->at;
  const uint8_t *const part[] = {raw.v, raw.v + first};
  const size_t n[] = {first, raw.n - first};
  return put_section(w, WT_TABLE, part, n, raw.n > first ? 2 : 1, err);
}

static char *copy_text(const char *text) {
  size_t n = strlen(text ? text : "") + 1;
  char *copy = weir_malloc(n);
  return copy ? memcpy(copy, text ? text : "", n) : NULL;
}

/* Only what encoding needs: numbers, name and table. */
static struct weir_kernel_info *copy_info(const struct weir_kernel_info *info) {
  struct weir_kernel_info *k = weir_malloc(sizeof *k);
  if (!k) return NULL;
  *k = *info;
  k->files = NULL;
  k->n_files = 0;
  k->outline = NULL; /* is written with the table, from `info` */
  k->name = copy_text(info->name);
  struct weir_static *s = weir_malloc((info->n_insns + (size_t)1) * sizeof *s);
  k->insns = s;
  if (s && info->n_insns) memcpy(s, info->insns, info->n_insns * sizeof *s);
  if (s && k->name) return k;
  weir_wtrace_info_free(k);
  return NULL;
}

enum weir_status weir_wtrace_kernel(struct weir_wtrace_writer *w,
                                    const struct weir_kernel_info *info, struct weir_err *err) {
  const char *why;
  if (wt_info_check(info, &why))
    return weir_fail(err, WEIR_EINVAL, "kernel %s cannot be recorded: %s", info->name, why);
  enum weir_status st = end_kernel(w, err);
  if (st) return st;
  weir_wtrace_info_free(w->kernel);
  w->kernel = copy_info(info);
  if (!w->kernel || !wt_encoder_kernel(&w->enc, w->kernel)) return no_memory(w, err);
  w->counts = (struct weir_wtrace_counts){0};
  w->groups.n = 0;
  w->n_groups = 0;
  w->kernel_at = w->at;
  uint64_t table_at = 0;
  st = put_table(w, info, &table_at, err);
  if (st) return st;
  struct wt_buf raw = {0};
  wt_put_info(&raw, info, table_at);
  wt_buf_leb(&w->kernels, w->at);
  w->group_at = w->at;
  w->group_block = 0;
  wt_buf_byte(&w->events, WEIR_EVENT_KERNEL);
  w->n_events++;
  w->n_kernels++;
  w->in_kernel = true;
  if (raw.n > WT_MAX_KERNEL)
    st = weir_fail(err, WEIR_EINVAL, "kernel %s has too long names", info->name);
  else
    st = put_buffer(w, WT_KERNEL, &raw, err);
  wt_buf_free(&raw);
  return st;
}

/* ---- blocks ---- */

static enum weir_status put_warp(struct weir_wtrace_writer *w, struct weir_block_stream *b,
                                 uint32_t warp, struct weir_err *err) {
  struct weir_warp_reader r;
  struct weir_dyn d;
  enum weir_status st = WEIR_OK;
  weir_reader_open(&r, &b->warps[warp], w->kernel, false);
  wt_encode_warp(&w->enc, warp);
  for (unsigned n = 1; !st && weir_next(&r, &d); n++) {
    if (d.has_addr) {
      wt_encode_mem(&w->enc, &d);
    } else {
      uint32_t more = r.run; /* the rest of the run at once */
      wt_encode_run(&w->enc, d.insn, d.mask, 1 + more);
      r.run = 0;
      r.next += more;
    }
    if (n % CHECK_EVERY || wt_encoder_bytes(&w->enc) < WT_GROUP_CUT) continue;
    st = flush_group(w, true, err);
    wt_encoder_restart(&w->enc, b->id, warp, true);
  }
  if (!st && r.status) st = weir_reader_error(&r, err);
  weir_reader_close(&r);
  wt_encode_end(&w->enc);
  w->counts.stream_bytes += b->warps[warp].n_bytes;
  return st;
}

enum weir_status weir_wtrace_block(struct weir_wtrace_writer *w, struct weir_block_stream *b,
                                   struct weir_err *err) {
  if (!w->in_kernel) return weir_fail(err, WEIR_EBUG, "a block of a trace outside kernels");
  const struct weir_kernel_info *k = w->kernel;
  if (b->id < w->enc.next_block || b->id >= weir_volume(k->grid))
    return weir_fail(err, WEIR_EBUG, "kernel %s: block %llu is out of order or beyond the grid",
                     k->name, (unsigned long long)b->id);
  if (b->n_warps != k->n_warps)
    return weir_fail(err, WEIR_EBUG, "kernel %s: a block of %u warps instead of %u", k->name,
                     b->n_warps, k->n_warps);
  enum weir_status st = WEIR_OK;
  wt_encode_block(&w->enc, b->id);
  for (uint32_t i = 0; !st && i < b->n_warps; i++)
    st = put_warp(w, b, i, err);
  w->counts.n_blocks++;
  if (st || wt_encoder_bytes(&w->enc) < w->target) return st;
  st = flush_group(w, false, err);
  wt_encoder_restart(&w->enc, w->enc.next_block, 0, false);
  return st;
}

enum weir_status weir_wtrace_record(struct weir_wtrace_writer *w, struct weir_block_source *src,
                                    struct weir_err *err) {
  struct weir_block_stream *b;
  enum weir_status st = weir_wtrace_kernel(w, src->kernel, err);
  while (!st && !(st = src->next(src, &b, err)) && b) {
    st = weir_wtrace_block(w, b, err);
    src->release(src, b);
  }
  return st;
}

enum weir_status weir_wtrace_copy(struct weir_wtrace_writer *w, enum weir_event_kind kind,
                                  uint64_t addr, uint64_t bytes, struct weir_err *err) {
  if (kind == WEIR_EVENT_KERNEL || kind >= WEIR_N_EVENTS)
    return weir_fail(err, WEIR_EBUG, "not a kind of copy");
  enum weir_status st = end_kernel(w, err);
  wt_buf_byte(&w->events, (uint8_t)kind);
  wt_buf_leb(&w->events, addr);
  wt_buf_leb(&w->events, bytes);
  w->n_events++;
  return st;
}

/* ---- life ---- */

static void free_writer(struct weir_wtrace_writer *w) {
  ZSTD_freeCCtx(w->zstd);
  wt_encoder_free(&w->enc);
  weir_wtrace_info_free(w->kernel);
  wt_buf_free(&w->section);
  wt_buf_free(&w->events);
  wt_buf_free(&w->kernels);
  wt_buf_free(&w->groups);
  wt_buf_free(&w->provenance);
  for (int i = 0; i < N_TABLES; i++)
    wt_buf_free(&w->tables[i].raw);
  free(w->path);
  free(w);
}

void weir_wtrace_abandon(struct weir_wtrace_writer *w) {
  if (!w) return;
  if (w->is_own) weir_output_discard(w->output);
  free_writer(w);
}

static bool start_zstd(struct weir_wtrace_writer *w, int level) {
  if (level < 0) return true;
  w->zstd = ZSTD_createCCtx();
  if (!w->zstd) return false;
  ZSTD_CCtx_setParameter(w->zstd, ZSTD_c_compressionLevel, level ? level : WEIR_WTRACE_LEVEL);
  ZSTD_CCtx_setParameter(w->zstd, ZSTD_c_contentSizeFlag, 0); /* the section says it */
  return true;
}

static enum weir_status open_file(struct weir_wtrace_writer *w, struct weir_output *given,
                                  struct weir_err *err) {
  enum weir_status st = WEIR_OK;
  w->output = given;
  w->is_own = !given;
  if (w->is_own) st = weir_output_open(w->path, &w->output, err);
  if (!st && !weir_output_is_file(w->output))
    st =
        weir_fail(err, WEIR_EINVAL, "'%s' is not a regular file: a trace cannot go there", w->path);
  return st;
}

enum weir_status weir_wtrace_create(const char *path, const struct weir_wtrace_opts *opts,
                                    struct weir_wtrace_writer **out, struct weir_err *err) {
  static const struct weir_wtrace_opts defaults = {0};
  if (!opts) opts = &defaults;
  *out = NULL;
  if (opts->level > 19 || opts->target_bytes > WT_GROUP_CUT)
    return weir_fail(err, WEIR_EINVAL, "a trace's level is at most 19 and its groups 4 MiB");
  struct weir_wtrace_writer *w = weir_calloc(1, sizeof *w);
  if (!w) return weir_fail(err, WEIR_ENOMEM, "out of memory writing '%s'", path);
  w->target = opts->target_bytes ? opts->target_bytes : WT_GROUP_TARGET;
  w->path = copy_text(path);
  enum weir_status st = WEIR_OK;
  if (!w->path || !wt_encoder_init(&w->enc) || !start_zstd(w, opts->level))
    st = weir_fail(err, WEIR_ENOMEM, "out of memory writing '%s'", path);
  if (!st) st = open_file(w, opts->output, err);
  if (!st) st = put_header(w, opts->source, err);
  if (st) {
    weir_wtrace_abandon(w);
    return st;
  }
  *out = w;
  return WEIR_OK;
}

enum weir_status weir_wtrace_provenance(struct weir_wtrace_writer *w, const char *text,
                                        struct weir_err *err) {
  size_t n = strlen(text);
  if (n > WT_MAX_PROVENANCE)
    return weir_fail(err, WEIR_ELIMIT, "'%s': its provenance is larger than %d bytes", w->path,
                     WT_MAX_PROVENANCE);
  w->provenance.n = 0;
  wt_buf_add(&w->provenance, text, n);
  return w->provenance.failed ? no_memory(w, err) : WEIR_OK;
}

static enum weir_status put_index(struct weir_wtrace_writer *w, struct weir_err *err) {
  struct wt_buf b = {0};
  uint8_t trailer[WT_TRAILER_BYTES];
  if (w->events.failed || w->kernels.failed || w->groups.failed) return no_memory(w, err);
  wt_buf_leb(&b, w->n_kernels);
  wt_buf_leb(&b, w->n_events);
  wt_buf_add(&b, w->events.v, w->events.n);
  wt_buf_add(&b, w->kernels.v, w->kernels.n);
  wt_store64(trailer, w->at);
  enum weir_status st;
  if (b.n > WT_MAX_INDEX)
    st = weir_fail(err, WEIR_ELIMIT, "'%s': too many kernels for one trace", w->path);
  else
    st = put_buffer(w, WT_INDEX, &b, err);
  wt_buf_free(&b);
  if (!st && w->provenance.n) st = put_buffer(w, WT_PROVENANCE, &w->provenance, err);
  if (st) return st;
  wt_store64(trailer + 8, w->at + WT_TRAILER_BYTES);
  memcpy(trailer + 16, WT_END, 8);
  wt_store64(trailer + 24, XXH64(trailer, 24, 0));
  return write_all(w, trailer, sizeof trailer, err);
}

enum weir_status weir_wtrace_finish(struct weir_wtrace_writer *w, struct weir_wtrace_counts *total,
                                    struct weir_err *err) {
  enum weir_status st = end_kernel(w, err);
  if (!st) st = put_index(w, err);
  if (st) {
    weir_wtrace_abandon(w);
    return st;
  }
  if (w->is_own) st = weir_output_commit(w->output, err);
  w->total.file_bytes = w->at;
  if (total) *total = w->total;
  free_writer(w);
  return st;
}
