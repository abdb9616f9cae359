/* The text of PTX entries: raw, one LZ4 block, or one zstd frame. */
#include <ctype.h>
#include <lz4.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zstd.h>

#include "base/mem.h"
#include "cuda/fatbin.h"

enum {
  KNOWN_FLAGS = WEIR_FATBIN_64BIT | WEIR_FATBIN_DEBUG | WEIR_FATBIN_LINUX | WEIR_FATBIN_LZ4 |
                WEIR_FATBIN_ZSTD | WEIR_FATBIN_ARCH | WEIR_FATBIN_FAMILY,
  PACKED_FLAGS = WEIR_FATBIN_LZ4 | WEIR_FATBIN_ZSTD,
  /* Bytes that one compressed byte can become, at the very best. */
  LZ4_BEST = 255,
  ZSTD_BEST = 32768,
};

__attribute__((format(printf, 4, 5))) static enum weir_status bad(const struct weir_fatbin_entry *e,
                                                                  enum weir_status code,
                                                                  struct weir_err *err,
                                                                  const char *fmt, ...) {
  char label[WEIR_FATBIN_LABEL], what[256];
  va_list ap;
  va_start(ap, fmt);
  vsnprintf(what, sizeof what, fmt, ap);
  va_end(ap);
  return weir_fail(err, code, "fat binary, image %u, %s: %s", e->image, weir_fatbin_label(e, label),
                   what);
}

static enum weir_status check_flags(const struct weir_fatbin_entry *e, struct weir_err *err) {
  if (e->kind != WEIR_FATBIN_PTX)
    return bad(e, WEIR_EINVAL, err, "this is not PTX, which is what weir executes");
  if (e->flags & ~(uint64_t)KNOWN_FLAGS)
    return bad(
        e, WEIR_EPARSE, err,
        "flags 0x%llx are not known (0x%llx in all); it may be stored in a way newer than weir",
        (unsigned long long)(e->flags & ~(uint64_t)KNOWN_FLAGS), (unsigned long long)e->flags);
  if ((e->flags & PACKED_FLAGS) == PACKED_FLAGS)
    return bad(e, WEIR_EPARSE, err, "its flags (0x%llx) say LZ4 and zstd",
               (unsigned long long)e->flags);
  return WEIR_OK;
}

static enum weir_status check_raw_sizes(const struct weir_fatbin_entry *e, struct weir_err *err) {
  if (e->packed_bytes != 0 || e->text_bytes != 0)
    return bad(e, WEIR_EPARSE, err,
               "its flags (0x%llx) say that it is not compressed, its sizes (%zu and %llu bytes) "
               "that it is",
               (unsigned long long)e->flags, e->packed_bytes, (unsigned long long)e->text_bytes);
  if (e->data_bytes > WEIR_FATBIN_MAX_TEXT)
    return bad(e, WEIR_ELIMIT, err, "%zu bytes of text; %d are allowed", e->data_bytes,
               WEIR_FATBIN_MAX_TEXT);
  return WEIR_OK;
}

/* What a compressed entry becomes must be possible, so that a few bytes cannot ask for much memory.
 */
static enum weir_status check_packed_sizes(const struct weir_fatbin_entry *e,
                                           struct weir_err *err) {
  uint64_t best = e->flags & WEIR_FATBIN_LZ4 ? LZ4_BEST : ZSTD_BEST;
  if (e->packed_bytes == 0 || e->text_bytes == 0)
    return bad(e, WEIR_EPARSE, err, "compressed, but its sizes are %zu and %llu bytes",
               e->packed_bytes, (unsigned long long)e->text_bytes);
  if (e->text_bytes > WEIR_FATBIN_MAX_TEXT)
    return bad(e, WEIR_ELIMIT, err, "%llu bytes of text; %d are allowed",
               (unsigned long long)e->text_bytes, WEIR_FATBIN_MAX_TEXT);
  if (e->packed_bytes > WEIR_FATBIN_MAX_TEXT)
    return bad(e, WEIR_ELIMIT, err, "%zu compressed bytes; %d are allowed", e->packed_bytes,
               WEIR_FATBIN_MAX_TEXT);
  if (e->text_bytes / best > e->packed_bytes)
    return bad(e, WEIR_EPARSE, err, "%zu compressed bytes cannot become the %llu that it declares",
               e->packed_bytes, (unsigned long long)e->text_bytes);
  return WEIR_OK;
}

static enum weir_status unpack(const struct weir_fatbin_entry *e, char *to, struct weir_err *err) {
  size_t want = (size_t)e->text_bytes, got;
  if (e->flags & WEIR_FATBIN_LZ4) {
    int n = LZ4_decompress_safe((const char *)e->data, to, (int)e->packed_bytes, (int)want);
    if (n < 0)
      return bad(e, WEIR_EPARSE, err,
                 "its LZ4 data is damaged near byte %lld, or becomes more than "
                 "the %zu bytes that it declares",
                 -(long long)n, want);
    got = (size_t)n;
  } else {
    got = ZSTD_decompress(to, want, e->data, e->packed_bytes);
    if (ZSTD_isError(got))
      return bad(e, WEIR_EPARSE, err, "its zstd data cannot be decompressed: %s",
                 ZSTD_getErrorName(got));
  }
  if (got != want)
    return bad(e, WEIR_EPARSE, err,
               "decompressed it has %zu bytes and not the %zu that it declares", got, want);
  return WEIR_OK;
}

/* Text is filled up with NULs to a multiple of eight bytes. */
static enum weir_status check_text(const struct weir_fatbin_entry *e, const char *text, size_t *len,
                                   struct weir_err *err) {
  size_t n = *len;
  while (n > 0 && text[n - 1] == '\0')
    n--;
  const char *nul = n > 0 ? memchr(text, '\0', n) : NULL;
  if (nul != NULL)
    return bad(e, WEIR_EPARSE, err, "byte %zu of %zu of its text is a NUL", (size_t)(nul - text),
               n);
  size_t blank = 0;
  while (blank < n && isspace((unsigned char)text[blank]))
    blank++;
  if (blank == n) return bad(e, WEIR_EPARSE, err, "it has no text");
  *len = n;
  return WEIR_OK;
}

enum weir_status weir_fatbin_text(const struct weir_fatbin_entry *e, char **text, size_t *len,
                                  struct weir_err *err) {
  bool is_packed = (e->flags & PACKED_FLAGS) != 0;
  *text = NULL;
  *len = 0;
  enum weir_status status = check_flags(e, err);
  if (status == WEIR_OK) status = is_packed ? check_packed_sizes(e, err) : check_raw_sizes(e, err);
  if (status != WEIR_OK) return status;
  size_t n = is_packed ? (size_t)e->text_bytes : e->data_bytes;
  char *to = weir_malloc(n + 1);
  if (to == NULL) return weir_fail(err, WEIR_ENOMEM, "out of memory");
  if (is_packed)
    status = unpack(e, to, err);
  else if (n > 0)
    memcpy(to, e->data, n);
  if (status == WEIR_OK) status = check_text(e, to, &n, err);
  if (status != WEIR_OK) {
    free(to);
    return status;
  }
  to[n] = '\0';
  *text = to;
  *len = n;
  return WEIR_OK;
}
