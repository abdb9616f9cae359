/* Opening a .wtrace: header, trailer, index. */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>
#include <xxhash.h>

#include "base/mem.h"
#include "base/output.h"
#include "trace/wtrace_read.h"

enum { KERNEL_BYTES = 7, COPY_BYTES = 3, GROUP_BYTES = 2 }; /* at least, in the index */

static enum weir_status no_memory(const struct weir_wtrace *t, struct weir_err *err) {
  return weir_fail(err, WEIR_ENOMEM, "out of memory reading '%s'", t->path);
}

/* ---- header and trailer ---- */

static enum weir_status check_begin(struct weir_wtrace *t, const uint8_t *head, size_t n,
                                    struct weir_err *err) {
  size_t magic = n < WT_MAGIC_BYTES ? n : WT_MAGIC_BYTES;
  if (memcmp(head, WT_MAGIC, magic) != 0) {
    weir_fail(err, WEIR_EPARSE, "%s: not a .wtrace file (its first bytes are not \\x89wtrace)",
              t->path);
    weir_err_add(err, "  remedy: make one with 'weir record -o FILE.wtrace WORKLOAD'");
    return WEIR_EPARSE;
  }
  if (n < WT_HEAD_BYTES)
    return weir_fail(err, WEIR_EPARSE,
                     "%s: truncated: the file ends at byte %llu, inside the header", t->path,
                     (unsigned long long)t->file_bytes);
  t->version = weir_load32(head + 8);
  if (t->version >= WEIR_WTRACE_OLDEST && t->version <= WEIR_WTRACE_VERSION) return WEIR_OK;
  weir_fail(err, WEIR_EPARSE,
            "%s: it is a .wtrace of version %u; this weir reads versions %d to %d", t->path,
            t->version, WEIR_WTRACE_OLDEST, WEIR_WTRACE_VERSION);
  weir_err_add(err, "  remedy: record it again, or use the weir that wrote it");
  return WEIR_EPARSE;
}

static enum weir_status read_header(struct weir_wtrace *t, struct weir_err *err) {
  uint8_t head[WT_HEAD_BYTES + WT_MAX_TEXT + 8];
  size_t n = t->file_bytes < WT_HEAD_BYTES ? (size_t)t->file_bytes : WT_HEAD_BYTES;
  enum weir_status st = wt_read_at(t, 0, head, n, err);
  if (!st) st = check_begin(t, head, n, err);
  if (st) return st;
  size_t text = weir_load32(head + 12), all = WT_HEAD_BYTES + text;
  if (text > WT_MAX_TEXT)
    return weir_fail(err, WEIR_EPARSE, "%s: the header is damaged: a text of %zu bytes", t->path,
                     text);
  if (t->file_bytes < all + 8)
    return weir_fail(err, WEIR_EPARSE,
                     "%s: truncated: the file ends at byte %llu, inside the header of %zu bytes",
                     t->path, (unsigned long long)t->file_bytes, all + 8);
  st = wt_read_at(t, WT_HEAD_BYTES, head + WT_HEAD_BYTES, text + 8, err);
  if (st) return st;
  uint64_t stored = wt_load64(head + all), sum = XXH64(head, all, 0);
  if (t->is_checked && stored != sum)
    return weir_fail(err, WEIR_EPARSE,
                     "%s: the header (bytes 0 to %zu) is damaged: its checksum is %016llx, but its "
                     "bytes give %016llx",
                     t->path, all + 7, (unsigned long long)stored, (unsigned long long)sum);
  t->first_section = all + 8;
  t->text = weir_malloc(text + 1);
  if (!t->text) return no_memory(t, err);
  memcpy(t->text, head + WT_HEAD_BYTES, text);
  t->text[text] = 0;
  return WEIR_OK;
}

/* The trailer is not what it should be: say what happened to the file. */
static enum weir_status diagnose(const struct weir_wtrace *t, struct weir_err *err) {
  uint64_t end;
  bool has_index;
  enum weir_status st = wt_scan(t, &end, &has_index, err);
  if (st) return st;
  unsigned long long bytes = t->file_bytes, at = end;
  if (!has_index)
    return weir_fail(err, WEIR_EPARSE,
                     "%s: truncated: the file ends at byte %llu, and its index is missing", t->path,
                     bytes);
  if (t->file_bytes - end != WT_TRAILER_BYTES)
    return weir_fail(err, WEIR_EPARSE,
                     "%s: the trailer at byte %llu has %llu bytes instead of %d: the file is %s",
                     t->path, at, bytes - at, WT_TRAILER_BYTES,
                     bytes - at < WT_TRAILER_BYTES ? "truncated" : "longer than what was written");
  uint8_t trailer[WT_TRAILER_BYTES];
  st = wt_read_at(t, end, trailer, sizeof trailer, err);
  if (st) return st;
  return weir_fail(
      err, WEIR_EPARSE,
      "%s: the trailer at byte %llu is damaged: its checksum is %016llx, but its bytes "
      "give %016llx",
      t->path, at, (unsigned long long)wt_load64(trailer + 24),
      (unsigned long long)XXH64(trailer, 24, 0));
}

static enum weir_status read_trailer(struct weir_wtrace *t, struct weir_err *err) {
  uint8_t trailer[WT_TRAILER_BYTES];
  if (t->file_bytes - t->first_section < WT_TRAILER_BYTES) return diagnose(t, err);
  enum weir_status st =
      wt_read_at(t, t->file_bytes - WT_TRAILER_BYTES, trailer, sizeof trailer, err);
  if (st) return st;
  t->index_at = wt_load64(trailer);
  if (memcmp(trailer + 16, WT_END, 8) != 0) return diagnose(t, err);
  bool is_sound =
      wt_load64(trailer + 8) == t->file_bytes && wt_load64(trailer + 24) == XXH64(trailer, 24, 0);
  return t->is_checked && !is_sound ? diagnose(t, err) : WEIR_OK;
}

/* ---- index ---- */

static const char *get_events(struct weir_wtrace *t, struct wt_cursor *c) {
  uint32_t n = wt_read_u32(c), n_kernels = 0;
  if (n > t->n_kernels + (uint64_t)(c->end - c->p) / COPY_BYTES) return "too many events";
  t->events = weir_calloc(n + (size_t)1, sizeof *t->events);
  if (!t->events) return WT_NO_MEMORY;
  for (uint32_t i = 0; i < n; i++) {
    struct weir_event *e = &t->events[t->n_events++];
    uint8_t kind = wt_read_byte(c);
    if (kind >= WEIR_N_EVENTS) return "an unknown event";
    e->kind = (enum weir_event_kind)kind;
    if (kind == WEIR_EVENT_KERNEL) {
      e->kernel = n_kernels++;
    } else {
      e->addr = wt_read_leb(c);
      e->bytes = wt_read_leb(c);
    }
  }
  return n_kernels == t->n_kernels ? NULL : "not every kernel is an event";
}

static const char *get_groups(struct weir_wtrace *t, struct wt_kernel_entry *k, size_t *cap,
                              struct wt_cursor *c) {
  uint32_t n = wt_read_u32(c);
  uint64_t at = k->at, block = 0;
  if (n > (uint64_t)(c->end - c->p) / GROUP_BYTES) return "more groups than the index has bytes";
  if (n > UINT32_MAX - t->n_groups) return "too many groups";
  if (t->n_groups + n > *cap) {
    size_t need = *cap * 2 > t->n_groups + n ? *cap * 2 : t->n_groups + (size_t)n;
    struct wt_group_entry *grown = weir_realloc(t->groups, need * sizeof *grown);
    if (!grown) return WT_NO_MEMORY;
    t->groups = grown;
    *cap = need;
  }
  k->first_group = t->n_groups;
  k->n_groups = n;
  for (uint32_t i = 0; i < n; i++) {
    uint64_t by = wt_read_leb(c), first = wt_read_leb(c);
    if (by > t->file_bytes - at || first >> 1 > UINT64_MAX - block) return "a group out of place";
    at += by;
    block += first >> 1;
    t->groups[t->n_groups++] =
        (struct wt_group_entry){.at = at, .block = block, .is_inside = first & 1};
  }
  return NULL;
}

static const char *get_kernels(struct weir_wtrace *t, struct wt_cursor *c) {
  size_t cap = 0;
  t->kernels = weir_calloc(t->n_kernels + (size_t)1, sizeof *t->kernels);
  if (!t->kernels) return WT_NO_MEMORY;
  for (uint32_t i = 0; i < t->n_kernels; i++) {
    struct wt_kernel_entry *k = &t->kernels[i];
    k->at = wt_read_leb(c);
    if (k->at > t->file_bytes) return "a kernel out of place";
    k->counts.n_blocks = wt_read_leb(c);
    k->counts.n_insns = wt_read_leb(c);
    k->counts.n_mem = wt_read_leb(c);
    k->counts.stream_bytes = wt_read_leb(c);
    k->counts.file_bytes = wt_read_leb(c);
    const char *why = get_groups(t, k, &cap, c);
    if (why) return why;
  }
  return NULL;
}

static enum weir_status read_provenance(struct weir_wtrace *t, struct weir_err *err) {
  struct wt_section s = {0};
  uint64_t at = t->content_bytes;
  enum weir_status st = wt_section_read(t, &s, at, WT_PROVENANCE, "the provenance", err);
  if (!st && at + s.bytes != t->file_bytes - WT_TRAILER_BYTES)
    st = wt_damaged(t, at, "the provenance", err, "it does not end where the trailer begins");
  if (!st) t->provenance = weir_malloc(s.n[0] + 1);
  if (t->provenance) {
    memcpy(t->provenance, s.part[0], s.n[0]);
    t->provenance[s.n[0]] = 0;
  } else if (!st) {
    st = no_memory(t, err);
  }
  wt_section_free(&s);
  return st;
}

static enum weir_status read_index(struct weir_wtrace *t, struct weir_err *err) {
  struct wt_section s = {0};
  enum weir_status st = wt_section_read(t, &s, t->index_at, WT_INDEX, "the index", err);
  t->content_bytes = t->index_at + s.bytes;
  bool is_last = t->content_bytes == t->file_bytes - WT_TRAILER_BYTES;
  if (!st && !is_last && t->version >= WT_WITH_PROVENANCE)
    st = read_provenance(t, err);
  else if (!st && !is_last)
    st = wt_damaged(t, t->index_at, "the index", err, "it does not end where the trailer begins");
  if (!st) {
    struct wt_cursor c = {.p = s.part[0], .end = s.part[0] + s.n[0]};
    t->n_kernels = wt_read_u32(&c);
    const char *why = NULL;
    if (t->n_kernels > (size_t)(c.end - c.p) / KERNEL_BYTES) why = "more kernels than it has bytes";
    if (!why) why = get_events(t, &c);
    if (!why) why = get_kernels(t, &c);
    if (!why && (c.is_bad || c.p != c.end)) why = "its size is wrong";
    if (why == WT_NO_MEMORY)
      st = no_memory(t, err);
    else if (why)
      st = wt_damaged(t, t->index_at, "the index", err, "%s", why);
  }
  wt_section_free(&s);
  return st;
}

/* ---- life ---- */

static enum weir_status open_fd(struct weir_wtrace *t, struct weir_err *err) {
  struct stat info;
  t->fd = open(t->path, O_RDONLY | O_CLOEXEC);
  if (t->fd < 0 || fstat(t->fd, &info) != 0)
    return weir_fail(err, errno == ENOENT || errno == ENOTDIR ? WEIR_ENOENT : WEIR_EIO,
                     "cannot open '%s': %s", t->path, strerror(errno));
  if (!S_ISREG(info.st_mode))
    return weir_fail(err, WEIR_EINVAL, "'%s' is not a regular file", t->path);
  t->file_bytes = (uint64_t)info.st_size;
  return weir_input_opened(t->fd, t->path, NULL, err);
}

static enum weir_status open_trace(const char *path, bool is_checked, struct weir_wtrace **out,
                                   struct weir_err *err) {
  *out = NULL;
  struct weir_wtrace *t = weir_calloc(1, sizeof *t);
  size_t n = strlen(path) + 1;
  if (t) t->fd = -1;
  if (!t || !(t->path = weir_malloc(n))) {
    free(t);
    return weir_fail(err, WEIR_ENOMEM, "out of memory reading '%s'", path);
  }
  memcpy(t->path, path, n);
  t->is_checked = is_checked;
  enum weir_status st = open_fd(t, err);
  if (!st) st = read_header(t, err);
  if (!st) st = read_trailer(t, err);
  if (!st) st = read_index(t, err);
  if (st) {
    weir_wtrace_close(t);
    return st;
  }
  *out = t;
  return WEIR_OK;
}

enum weir_status weir_wtrace_open(const char *path, struct weir_wtrace **out,
                                  struct weir_err *err) {
  return open_trace(path, true, out, err);
}

enum weir_status weir_wtrace_open_unchecked(const char *path, struct weir_wtrace **out,
                                            struct weir_err *err) {
  return open_trace(path, false, out, err);
}

void weir_wtrace_close(struct weir_wtrace *t) {
  if (!t) return;
  if (t->fd >= 0) close(t->fd);
  free(t->path);
  free(t->text);
  free(t->provenance);
  free(t->events);
  free(t->kernels);
  free(t->groups);
  free(t);
}

uint32_t weir_wtrace_version(const struct weir_wtrace *t) {
  return t->version;
}

const char *weir_wtrace_source_text(const struct weir_wtrace *t) {
  return t->text;
}

const char *weir_wtrace_provenance_text(const struct weir_wtrace *t) {
  return t->provenance;
}

uint64_t weir_wtrace_content_bytes(const struct weir_wtrace *t) {
  return t->content_bytes;
}

uint64_t weir_wtrace_file_bytes(const struct weir_wtrace *t) {
  return t->file_bytes;
}

uint32_t weir_wtrace_n_events(const struct weir_wtrace *t) {
  return t->n_events;
}

struct weir_event weir_wtrace_event(const struct weir_wtrace *t, uint32_t i) {
  return t->events[i];
}

uint32_t weir_wtrace_n_kernels(const struct weir_wtrace *t) {
  return t->n_kernels;
}

struct weir_wtrace_counts weir_wtrace_kernel_counts(const struct weir_wtrace *t, uint32_t kernel) {
  return t->kernels[kernel].counts;
}

uint32_t weir_wtrace_n_groups(const struct weir_wtrace *t, uint32_t kernel) {
  return t->kernels[kernel].n_groups;
}
