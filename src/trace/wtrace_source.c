/* The blocks of one kernel of a .wtrace, a group at a time; and the check of a whole file. */
#include <stdio.h>
#include <stdlib.h>

#include "base/mem.h"
#include "trace/wtrace_read.h"

struct source {
  struct weir_block_source pub;
  const struct weir_wtrace *t;
  struct weir_stream_pool *pool;
  struct weir_kernel_info *info;
  uint32_t kernel, next_group;
  uint64_t first_block, n_blocks; /* n_blocks: decoded so far */
  bool is_fresh, is_whole, has_group;
  struct wt_section section;
  struct wt_decoder dec;
};

static enum weir_status no_memory(const struct weir_wtrace *t, struct weir_err *err) {
  return weir_fail(err, WEIR_ENOMEM, "out of memory reading '%s'", t->path);
}

/* `why` of a decoder as an error at a section. */
static enum weir_status fail_at(const struct weir_wtrace *t, uint64_t at, const char *what,
                                const char *why, struct weir_err *err) {
  if (why == WT_NO_MEMORY) return no_memory(t, err);
  return wt_damaged(t, at, what, err, "%s", why);
}

enum weir_status weir_wtrace_info(const struct weir_wtrace *t, uint32_t kernel,
                                  struct weir_kernel_info **out, struct weir_err *err) {
  struct wt_section s = {0};
  struct weir_kernel_info *k = NULL;
  uint64_t at, table_at = 0;
  char what[80];
  *out = NULL;
  if (kernel >= t->n_kernels)
    return weir_fail(err, WEIR_EINVAL, "%s has %u kernels, counted from 0: there is no kernel %u",
                     t->path, t->n_kernels, kernel);
  at = t->kernels[kernel].at;
  snprintf(what, sizeof what, "the description of kernel %u", kernel);
  enum weir_status st = wt_section_read(t, &s, at, WT_KERNEL, what, err);
  if (!st) {
    const char *why = wt_get_info(s.part[0], s.n[0], t->version, &k, &table_at);
    if (why) st = fail_at(t, at, what, why, err);
  }
  snprintf(what, sizeof what, "the instruction table of kernel %u", kernel);
  if (!st) st = wt_section_read(t, &s, table_at, WT_TABLE, what, err);
  if (!st) {
    const char *why = wt_get_table(s.part[0], s.n[0], t->version, k);
    if (!why && s.n_parts > 1) why = wt_get_outline(s.part[1], s.n[1], k);
    if (why) st = fail_at(t, table_at, what, why, err);
  }
  wt_section_free(&s);
  if (st) {
    weir_wtrace_info_free(k);
    return st;
  }
  *out = k;
  return WEIR_OK;
}

static void name_group(const struct source *s, char *what, size_t n) {
  snprintf(what, n, "block group %u of kernel %u", s->next_group - 1, s->kernel);
}

static enum weir_status load_group(struct source *s, struct weir_err *err) {
  const struct wt_kernel_entry *k = &s->t->kernels[s->kernel];
  const struct wt_group_entry *g = &s->t->groups[k->first_group + s->next_group++];
  char what[80];
  name_group(s, what, sizeof what);
  enum weir_status st = wt_section_read(s->t, &s->section, g->at, WT_GROUP, what, err);
  if (st) return st;
  for (unsigned i = 0; i < WT_N_PARTS; i++) {
    static const uint8_t nothing[WT_SLACK];
    bool is_there = i < s->section.n_parts;
    s->dec.at[i] = is_there ? s->section.part[i] : nothing;
    s->dec.end[i] = s->dec.at[i] + (is_there ? s->section.n[i] : 0);
  }
  const char *why = wt_decode_group(&s->dec, s->kernel, s->is_fresh);
  s->is_fresh = false;
  s->has_group = true;
  return why ? fail_at(s->t, g->at, what, why, err) : WEIR_OK;
}

/* At the end of a kernel that was read from its beginning. */
static enum weir_status check_counts(const struct source *s, struct weir_err *err) {
  const struct weir_wtrace_counts *c = &s->t->kernels[s->kernel].counts;
  if (s->dec.in_block)
    return weir_fail(err, WEIR_EPARSE, "%s: kernel %u ends inside block %llu", s->t->path,
                     s->kernel, (unsigned long long)s->dec.block);
  if (!s->is_whole) return WEIR_OK;
  if (s->n_blocks == c->n_blocks && s->dec.n_insns == c->n_insns && s->dec.n_mem == c->n_mem)
    return WEIR_OK;
  return weir_fail(err, WEIR_EPARSE,
                   "%s: kernel %u has %llu blocks, %llu instructions and %llu accesses; the index "
                   "says %llu, %llu and %llu",
                   s->t->path, s->kernel, (unsigned long long)s->n_blocks,
                   (unsigned long long)s->dec.n_insns, (unsigned long long)s->dec.n_mem,
                   (unsigned long long)c->n_blocks, (unsigned long long)c->n_insns,
                   (unsigned long long)c->n_mem);
}

static enum weir_status decode_block(struct source *s, struct weir_block_stream **out,
                                     struct weir_err *err) {
  struct weir_err inner = {0};
  bool done = false;
  *out = NULL;
  while (!done) {
    if (!s->has_group) {
      if (s->next_group == s->t->kernels[s->kernel].n_groups) return check_counts(s, err);
      enum weir_status st = load_group(s, err);
      if (st) return st;
    }
    const char *why = wt_decode(&s->dec, s->pool, &done, &inner);
    if (why) {
      char what[80];
      if (inner.code) {
        if (err) *err = inner;
        return inner.code;
      }
      name_group(s, what, sizeof what);
      return fail_at(s->t, s->section.at, what, why, err);
    }
    if (!done) s->has_group = false;
  }
  *out = s->dec.stream;
  s->dec.stream = NULL;
  s->n_blocks++;
  return WEIR_OK;
}

static enum weir_status next(struct weir_block_source *src, struct weir_block_stream **out,
                             struct weir_err *err) {
  struct source *s = src->self;
  for (;;) {
    enum weir_status st = decode_block(s, out, err);
    if (st || !*out || (*out)->id >= s->first_block) return st;
    weir_block_release(*out);
  }
}

static void release(struct weir_block_source *src, struct weir_block_stream *b) {
  (void)src;
  weir_block_release(b);
}

/* The last group that begins before the block does. */
static uint32_t find_group(const struct weir_wtrace *t, uint32_t kernel, uint64_t block) {
  const struct wt_kernel_entry *k = &t->kernels[kernel];
  const struct wt_group_entry *g = t->groups ? t->groups + k->first_group : NULL;
  uint32_t lo = 0, hi = k->n_groups;
  while (g != NULL && hi - lo > 1) {
    uint32_t mid = lo + (hi - lo) / 2;
    if (g[mid].block < block || (g[mid].block == block && !g[mid].is_inside))
      lo = mid;
    else
      hi = mid;
  }
  return lo;
}

enum weir_status weir_wtrace_source_open(const struct weir_wtrace *t, uint32_t kernel,
                                         uint64_t first_block, struct weir_stream_pool *pool,
                                         struct weir_block_source **out, struct weir_err *err) {
  struct weir_kernel_info *info;
  *out = NULL;
  enum weir_status st = weir_wtrace_info(t, kernel, &info, err);
  if (st) return st;
  struct source *s = weir_calloc(1, sizeof *s);
  if (!s || !wt_decoder_init(&s->dec, info)) {
    free(s);
    weir_wtrace_info_free(info);
    return no_memory(t, err);
  }
  s->t = t;
  s->pool = pool;
  s->info = info;
  s->kernel = kernel;
  s->first_block = first_block;
  s->next_group = find_group(t, kernel, first_block);
  s->is_fresh = true;
  s->is_whole = s->next_group == 0;
  s->pub = (struct weir_block_source){
      .kernel = info, .file = t->path, .next = next, .release = release, .self = s};
  *out = &s->pub;
  return WEIR_OK;
}

void weir_wtrace_source_close(struct weir_block_source *src) {
  if (!src) return;
  struct source *s = src->self;
  wt_decoder_free(&s->dec);
  wt_section_free(&s->section);
  weir_wtrace_info_free(s->info);
  free(s);
}

/* ---- the whole file ---- */

static enum weir_status verify_block(const struct weir_wtrace *t, uint32_t kernel,
                                     const struct weir_block_source *src,
                                     struct weir_block_stream *b, uint64_t n[2],
                                     struct weir_err *err) {
  for (uint32_t i = 0; i < b->n_warps; i++) {
    struct weir_warp_reader r;
    struct weir_dyn d;
    weir_reader_open(&r, &b->warps[i], src->kernel, true);
    for (; weir_next(&r, &d); n[0]++)
      n[1] += d.has_addr;
    struct weir_err inner;
    enum weir_status st = weir_reader_error(&r, &inner);
    weir_reader_close(&r);
    if (st)
      return weir_fail(err, st, "%s: kernel %u, block %llu, warp %u: %s", t->path, kernel,
                       (unsigned long long)b->id, i, inner.msg);
  }
  return WEIR_OK;
}

static enum weir_status verify_kernel(const struct weir_wtrace *t, uint32_t kernel,
                                      struct weir_stream_pool *pool, struct weir_err *err) {
  struct weir_block_source *src;
  struct weir_block_stream *b;
  uint64_t n[2] = {0};
  enum weir_status st = weir_wtrace_source_open(t, kernel, 0, pool, &src, err);
  if (st) return st;
  while (!(st = src->next(src, &b, err)) && b) {
    st = verify_block(t, kernel, src, b, n, err);
    src->release(src, b);
    if (st) break;
  }
  weir_wtrace_source_close(src);
  const struct weir_wtrace_counts *c = &t->kernels[kernel].counts;
  if (!st && (n[0] != c->n_insns || n[1] != c->n_mem))
    st = weir_fail(err, WEIR_EPARSE,
                   "%s: kernel %u: its streams give %llu instructions, %llu of them with "
                   "addresses, but its groups %llu and %llu",
                   t->path, kernel, (unsigned long long)n[0], (unsigned long long)n[1],
                   (unsigned long long)c->n_insns, (unsigned long long)c->n_mem);
  return st;
}

enum weir_status weir_wtrace_verify(const struct weir_wtrace *t, struct weir_err *err) {
  enum { POOL_BYTES = 64 << 20 };
  struct weir_stream_pool pool;
  uint64_t end;
  bool has_index;
  enum weir_status st = wt_scan(t, &end, &has_index, err);
  if (!st && (!has_index || end != t->file_bytes - WT_TRAILER_BYTES))
    st = weir_fail(err, WEIR_EPARSE, "%s: its sections end at byte %llu instead of %llu", t->path,
                   (unsigned long long)end, (unsigned long long)t->file_bytes - WT_TRAILER_BYTES);
  if (!st) st = weir_stream_pool_init(&pool, POOL_BYTES, NULL, err);
  if (st) return st;
  for (uint32_t k = 0; !st && k < t->n_kernels; k++)
    st = verify_kernel(t, k, &pool, err);
  weir_stream_pool_free(&pool);
  return st;
}
