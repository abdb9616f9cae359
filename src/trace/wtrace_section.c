/* Sections from a file: places, checksums, unpacking. */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
#include <xxhash.h>
#include <zstd.h>

#include "base/mem.h"
#include "trace/wtrace_read.h"

enum weir_status wt_damaged(const struct weir_wtrace *t, uint64_t at, const char *what,
                            struct weir_err *err, const char *fmt, ...) {
  char why[512];
  va_list ap;
  va_start(ap, fmt);
  vsnprintf(why, sizeof why, fmt, ap);
  va_end(ap);
  return weir_fail(err, WEIR_EPARSE, "%s: %s (section at byte %llu): %s", t->path, what,
                   (unsigned long long)at, why);
}

enum weir_status wt_read_at(const struct weir_wtrace *t, uint64_t at, void *bytes, size_t n,
                            struct weir_err *err) {
  for (uint8_t *p = bytes; n;) {
    ssize_t got = pread(t->fd, p, n, (off_t)at);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return weir_fail(err, WEIR_EIO, "cannot read '%s': %s", t->path, strerror(errno));
    if (!got)
      return weir_fail(err, WEIR_EPARSE, "%s: the file ends at byte %llu, in the middle", t->path,
                       (unsigned long long)at);
    p += got;
    at += (uint64_t)got;
    n -= (size_t)got;
  }
  return WEIR_OK;
}

static size_t most_raw(uint8_t kind) {
  switch (kind) {
  case WT_TABLE:
    return WT_MAX_TABLE;
  case WT_KERNEL:
    return WT_MAX_KERNEL;
  case WT_GROUP:
    return WT_MAX_GROUP;
  case WT_INDEX:
    return WT_MAX_INDEX;
  case WT_PROVENANCE:
    return WT_MAX_PROVENANCE;
  default:
    return 0;
  }
}

static bool grow(uint8_t **v, size_t *cap, size_t need) {
  if (*cap >= need) return true;
  free(*v);
  *v = weir_malloc(need);
  *cap = *v ? need : 0;
  return *v != NULL;
}

static enum weir_status no_memory(const struct weir_wtrace *t, struct weir_err *err) {
  return weir_fail(err, WEIR_ENOMEM, "out of memory reading '%s'", t->path);
}

static enum weir_status check_head(const struct weir_wtrace *t, const uint8_t *head, uint64_t at,
                                   size_t payload, const char *what, struct weir_err *err) {
  if (!most_raw(head[0]) || head[1] == 0 || head[1] > WT_N_PARTS || head[2] || head[3])
    return wt_damaged(t, at, what, err, "no section begins there (bytes %02x %02x %02x %02x)",
                      head[0], head[1], head[2], head[3]);
  uint64_t left = t->file_bytes - at - WT_HEAD_BYTES;
  if (payload > left)
    return wt_damaged(t, at, what, err,
                      "it needs %zu bytes and the file ends after %llu: the file is truncated or "
                      "the section's size is damaged",
                      payload, (unsigned long long)left);
  /* Parts are compressed only where that makes them smaller. */
  if (payload > most_raw(head[0]) + WT_N_PARTS * 20)
    return wt_damaged(t, at, what, err, "it is too large (%zu bytes)", payload);
  return WEIR_OK;
}

struct part_size {
  size_t raw, stored;
};

static const char *get_sizes(struct wt_section *s, struct part_size *size, struct wt_cursor *c) {
  size_t total = 0, most = most_raw(s->kind);
  for (unsigned i = 0; i < s->n_parts; i++) {
    uint64_t raw = wt_read_leb(c), stored = wt_read_leb(c);
    if (c->is_bad || raw > most || stored > raw || (raw && !stored))
      return "a part's size is wrong";
    /* zstd turns four bytes into 128 KiB at the very best. */
    if (raw / 32768 > stored) return "a part's size is wrong";
    size[i] = (struct part_size){.raw = (size_t)raw, .stored = (size_t)stored};
    total += (size_t)raw;
  }
  if (total > most) return "its parts are too large";
  uint64_t left = (uint64_t)(c->end - c->p);
  for (unsigned i = 0; i < s->n_parts; i++) {
    if (size[i].stored > left) return "its parts are larger than the section";
    left -= size[i].stored;
  }
  return left ? "bytes after its last part" : NULL;
}

static enum weir_status unpack(const struct weir_wtrace *t, struct wt_section *s, size_t payload,
                               const char *what, struct weir_err *err) {
  struct wt_cursor c = {.p = s->stored, .end = s->stored + payload};
  struct part_size size[WT_N_PARTS];
  const char *why = get_sizes(s, size, &c);
  if (why) return wt_damaged(t, s->at, what, err, "%s", why);
  size_t total = 0;
  for (unsigned i = 0; i < s->n_parts; i++)
    total += size[i].raw + WT_SLACK;
  if (!grow(&s->raw, &s->cap_raw, total)) return no_memory(t, err);
  uint8_t *to = s->raw;
  for (unsigned i = 0; i < s->n_parts; i++) {
    if (size[i].stored == size[i].raw) {
      if (size[i].raw) memcpy(to, c.p, size[i].raw);
    } else {
      size_t got = ZSTD_decompress(to, size[i].raw, c.p, size[i].stored);
      if (ZSTD_isError(got))
        return wt_damaged(t, s->at, what, err, "part %u cannot be decompressed: %s", i,
                          ZSTD_getErrorName(got));
      if (got != size[i].raw)
        return wt_damaged(t, s->at, what, err, "part %u has %zu bytes instead of %zu", i, got,
                          size[i].raw);
    }
    s->part[i] = to;
    s->n[i] = size[i].raw;
    to += size[i].raw;
    memset(to, 0, WT_SLACK);
    to += WT_SLACK;
    c.p += size[i].stored;
  }
  return WEIR_OK;
}

enum weir_status wt_section_read(const struct weir_wtrace *t, struct wt_section *s, uint64_t at,
                                 uint8_t kind, const char *what, struct weir_err *err) {
  uint8_t head[WT_HEAD_BYTES];
  s->at = at;
  if (at < t->first_section || at > t->file_bytes || t->file_bytes - at < WT_HEAD_BYTES)
    return wt_damaged(t, at, what, err, "the file has only %llu bytes: it is truncated or damaged",
                      (unsigned long long)t->file_bytes);
  enum weir_status st = wt_read_at(t, at, head, sizeof head, err);
  if (st) return st;
  size_t payload = weir_load32(head + 4);
  st = check_head(t, head, at, payload, what, err);
  if (st) return st;
  if (!grow(&s->stored, &s->cap_stored, payload + 1)) return no_memory(t, err);
  st = wt_read_at(t, at + WT_HEAD_BYTES, s->stored, payload, err);
  if (st) return st;
  uint64_t sum = XXH64(s->stored, payload, XXH64(head, 8, at)), stored_sum = wt_load64(head + 8);
  if (t->is_checked && sum != stored_sum)
    return wt_damaged(
        t, at, what, err,
        "its checksum is %016llx, but its %zu bytes give %016llx: the file is damaged",
        (unsigned long long)stored_sum, WT_HEAD_BYTES + payload, (unsigned long long)sum);
  s->kind = head[0];
  s->n_parts = head[1];
  s->bytes = WT_HEAD_BYTES + payload;
  if (!kind) return WEIR_OK;
  if (s->kind != kind)
    return wt_damaged(t, at, what, err, "there is a section of kind '%c'", s->kind);
  return unpack(t, s, payload, what, err);
}

void wt_section_free(struct wt_section *s) {
  free(s->stored);
  free(s->raw);
  *s = (struct wt_section){0};
}

static const char *name_of(uint8_t kind) {
  switch (kind) {
  case WT_TABLE:
    return "instruction table";
  case WT_KERNEL:
    return "kernel description";
  case WT_GROUP:
    return "block group";
  case WT_PROVENANCE:
    return "provenance";
  default:
    return "index";
  }
}

/* What comes after the index, unless it is too long for that or does not look like it. */
static bool is_trailer(const struct weir_wtrace *t, uint64_t at) {
  uint8_t bytes[WT_TRAILER_BYTES];
  if (t->file_bytes - at != WT_TRAILER_BYTES) return t->file_bytes - at < WT_TRAILER_BYTES;
  return wt_read_at(t, at, bytes, sizeof bytes, NULL) != WEIR_OK ||
         memcmp(bytes + 16, WT_END, 8) == 0;
}

enum weir_status wt_scan(const struct weir_wtrace *t, uint64_t *end, bool *has_index,
                         struct weir_err *err) {
  struct wt_section s = {0};
  enum weir_status st = WEIR_OK;
  unsigned long long n[256] = {0}, n_all = 0;
  *has_index = false;
  for (*end = t->first_section; !st && *end < t->file_bytes; n_all++) {
    if (*has_index && (n[WT_PROVENANCE] || is_trailer(t, *end))) break;
    uint8_t kind;
    char what[80];
    st = wt_read_at(t, *end, &kind, 1, err);
    if (st || (*has_index && kind != WT_PROVENANCE)) break;
    if (most_raw(kind))
      snprintf(what, sizeof what, "section %llu, %s %llu", n_all, name_of(kind), n[kind]++);
    else
      snprintf(what, sizeof what, "section %llu", n_all);
    st = wt_section_read(t, &s, *end, 0, what, err);
    if (st) break;
    *end += s.bytes;
    *has_index |= kind == WT_INDEX;
  }
  wt_section_free(&s);
  return st;
}
