/* Finding the entries of fat binaries, and choosing one. Nothing that the bytes say is used before
 * it was compared with what is there. */
#include "cuda/fatbin.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/text.h"

enum {
  HEADER_BYTES = 16,
  HEADER_VERSION = 1,
  ENTRY_BYTES = 64, /* the part of an entry's header that all have */
  ENTRY_VERSION = 0x0101,
  ALIGN = 8,       /* of a fat binary in a section */
  REMEDY_SM = 75,  /* the oldest that nvcc 13 knows */
  MAX_LISTED = 32, /* entries in a message */
};
#define MAGIC 0xba55ed50u
#define MAX_IMAGE_BYTES                                                                            \
  (UINT64_C(1) << 36) /* of an image in memory; beyond it a header is wrong                        \
                       */

/* A fat binary that is being read: image `image` of `f`, at `at` of what the user gave. */
struct reader {
  struct weir_fatbin *f;
  const uint8_t *bytes;
  uint64_t len, at;
  struct weir_err *err;
};

static uint64_t get(const uint8_t *p, unsigned bytes) {
  uint64_t v = 0;
  for (unsigned i = 0; i < bytes; i++)
    v |= (uint64_t)p[i] << 8 * i;
  return v;
}

__attribute__((format(printf, 3, 4))) static enum weir_status
bad(const struct reader *r, uint64_t at, const char *fmt, ...) {
  char what[256];
  va_list ap;
  va_start(ap, fmt);
  vsnprintf(what, sizeof what, fmt, ap);
  va_end(ap);
  return weir_fail(r->err, WEIR_EPARSE, "fat binary, image %u, byte %llu: %s", r->f->n_images,
                   (unsigned long long)at, what);
}

/* `bytes` at `offset` of an entry's header, which ends at `hdr`. */
static bool is_inside(uint64_t offset, uint64_t bytes, uint64_t hdr) {
  return offset >= ENTRY_BYTES && offset <= hdr && bytes <= hdr - offset;
}

static enum weir_status read_strings(const struct reader *r, uint64_t at, uint64_t hdr,
                                     struct weir_fatbin_entry *e) {
  const uint8_t *p = r->bytes + at;
  uint64_t options = get(p + 20, 4), name = get(p + 32, 4), name_bytes = get(p + 36, 4);
  if (name_bytes != 0) {
    if (!is_inside(name, name_bytes, hdr))
      return bad(r, at, "the entry's name (%llu bytes at %llu) is outside its header of %llu bytes",
                 (unsigned long long)name_bytes, (unsigned long long)name, (unsigned long long)hdr);
    e->name = (const char *)p + name;
    e->name_bytes = (size_t)name_bytes;
  }
  if (options == 0) return WEIR_OK;
  if (!is_inside(options, 8, hdr))
    return bad(r, at, "the entry's options (at %llu) are outside its header of %llu bytes",
               (unsigned long long)options, (unsigned long long)hdr);
  uint64_t start = get(p + options, 4), bytes = get(p + options + 4, 4);
  if (bytes == 0) return WEIR_OK;
  if (!is_inside(start, bytes, hdr))
    return bad(r, at,
               "the entry's options (%llu bytes at %llu) are outside its header of %llu bytes",
               (unsigned long long)bytes, (unsigned long long)start, (unsigned long long)hdr);
  e->options = (const char *)p + start;
  e->options_bytes = (size_t)bytes;
  return WEIR_OK;
}

/* The entry at `at`; the image ends at `end`. */
static enum weir_status read_entry(struct reader *r, uint64_t at, uint64_t end, uint64_t *next) {
  const uint8_t *p = r->bytes + at;
  uint64_t left = end - at;
  if (left < ENTRY_BYTES)
    return bad(r, at,
               "truncated: an entry's header has %d bytes or more, and the image ends after %llu",
               ENTRY_BYTES, (unsigned long long)left);
  uint64_t version = get(p + 2, 2), hdr = get(p + 4, 4), size = get(p + 8, 8);
  if (version != ENTRY_VERSION)
    return bad(r, at, "no entry begins there: its version is 0x%04llx, not 0x%04x",
               (unsigned long long)version, ENTRY_VERSION);
  if (hdr < ENTRY_BYTES || hdr > left)
    return bad(r, at,
               "the entry's header has %llu bytes: at least %d, and %llu are left in the image",
               (unsigned long long)hdr, ENTRY_BYTES, (unsigned long long)left);
  if (size > left - hdr)
    return bad(r, at, "truncated: the entry has %llu bytes, and %llu are left in the image",
               (unsigned long long)size, (unsigned long long)(left - hdr));
  struct weir_fatbin_entry e = {
      .image = r->f->n_images,
      .kind = (unsigned)get(p, 2),
      .sm = (unsigned)get(p + 28, 4),
      .version = {(unsigned)get(p + 26, 2), (unsigned)get(p + 24, 2)},
      .flags = get(p + 40, 8),
      .data = p + hdr,
      .data_bytes = (size_t)size,
      .packed_bytes = (size_t)get(p + 16, 4),
      .text_bytes = get(p + 56, 8),
  };
  if (e.packed_bytes > size)
    return bad(r, at, "the entry has %zu compressed bytes, and room for %llu", e.packed_bytes,
               (unsigned long long)size);
  enum weir_status status = read_strings(r, at, hdr, &e);
  if (status != WEIR_OK) return status;
  if (!WEIR_PUSH(*r->f, e)) return weir_fail(r->err, WEIR_ENOMEM, "out of memory");
  *next = at + hdr + size;
  return WEIR_OK;
}

/* Is there a header at r->at, and where does the image end? */
static enum weir_status read_header(const struct reader *r, uint64_t *end) {
  uint64_t left = r->len - r->at;
  if (left < HEADER_BYTES)
    return bad(r, r->at, "truncated: a header has %d bytes, and %llu are left", HEADER_BYTES,
               (unsigned long long)left);
  const uint8_t *p = r->bytes + r->at;
  uint64_t magic = get(p, 4), version = get(p + 4, 2), hdr = get(p + 6, 2), size = get(p + 8, 8);
  if (magic != MAGIC)
    return bad(r, r->at, "no fat binary begins there: its first word is 0x%08llx, not 0x%08x",
               (unsigned long long)magic, MAGIC);
  if (version != HEADER_VERSION || hdr != HEADER_BYTES)
    return bad(r, r->at, "version %llu with a header of %llu bytes; known is version %d with %d",
               (unsigned long long)version, (unsigned long long)hdr, HEADER_VERSION, HEADER_BYTES);
  if (size > left - HEADER_BYTES)
    return bad(r, r->at, "truncated: the image has %llu bytes, and %llu are left",
               (unsigned long long)size, (unsigned long long)(left - HEADER_BYTES));
  *end = r->at + HEADER_BYTES + size;
  return WEIR_OK;
}

/* The image at r->at; r->at is behind it afterwards. */
static enum weir_status read_image(struct reader *r) {
  uint64_t end = 0;
  enum weir_status status = read_header(r, &end);
  for (uint64_t at = r->at + HEADER_BYTES; status == WEIR_OK && at < end;)
    status = read_entry(r, at, end, &at);
  if (status != WEIR_OK) return status;
  /* A program with nothing for the device has an image without entries; so has every program that
   * was linked with -rdc=true. */
  if (end > r->at + HEADER_BYTES) r->f->n_images++;
  r->at = end;
  return WEIR_OK;
}

/* Linkers fill up to the next image with zeros. */
static void skip_padding(struct reader *r) {
  while (r->at < r->len && r->at % ALIGN != 0 && r->bytes[r->at] == 0)
    r->at++;
}

enum weir_status weir_fatbin_open(struct weir_fatbin *f, const void *bytes, size_t len,
                                  struct weir_err *err) {
  struct reader r = {.f = f, .bytes = bytes, .len = len, .err = err};
  *f = (struct weir_fatbin){0};
  enum weir_status status = WEIR_OK;
  do {
    status = read_image(&r);
    skip_padding(&r);
  } while (status == WEIR_OK && r.at < r.len);
  if (status != WEIR_OK) weir_fatbin_free(f);
  return status;
}

static enum weir_status read_memory(struct weir_fatbin *f, const void *bytes,
                                    struct weir_err *err) {
  struct reader r = {.f = f, .bytes = bytes, .len = MAX_IMAGE_BYTES, .err = err};
  return read_image(&r);
}

static enum weir_status read_linked(struct weir_fatbin *f, const struct weir_fatbin_wrapper *w,
                                    struct weir_err *err) {
  if (w->aux == NULL)
    return weir_fail(err, WEIR_EPARSE,
                     "the fat binary's wrapper has version 2 and no list of linked objects");
  enum weir_status status = WEIR_OK;
  for (const void *const *p = w->aux; status == WEIR_OK && *p != NULL; p++)
    status = read_memory(f, *p, err);
  return status;
}

enum weir_status weir_fatbin_open_wrapper(struct weir_fatbin *f, const void *wrapper,
                                          struct weir_err *err) {
  struct weir_fatbin_wrapper w;
  *f = (struct weir_fatbin){0};
  if (wrapper == NULL) return weir_fail(err, WEIR_EINVAL, "the fat binary's wrapper is NULL");
  memcpy(&w, wrapper, sizeof w); /* a program need not align it */
  if (w.magic != WEIR_FATBIN_MAGIC)
    return weir_fail(err, WEIR_EPARSE,
                     "no fat binary's wrapper: its first word is 0x%08x, not 0x%08x", w.magic,
                     WEIR_FATBIN_MAGIC);
  enum weir_status status;
  if (w.version == 1 && w.data == NULL)
    status = weir_fail(err, WEIR_EPARSE, "the fat binary's wrapper holds no fat binary");
  else if (w.version == 1)
    status = read_memory(f, w.data, err);
  else if (w.version == 2)
    status = read_linked(f, &w, err);
  else
    status = weir_fail(err, WEIR_EPARSE,
                       "the fat binary's wrapper has version %u; known are 1 and 2", w.version);
  if (status != WEIR_OK) weir_fatbin_free(f);
  return status;
}

void weir_fatbin_free(struct weir_fatbin *f) {
  free(f->v);
  *f = (struct weir_fatbin){0};
}

const char *weir_fatbin_label(const struct weir_fatbin_entry *e, char *buf) {
  const char *kind = e->kind == WEIR_FATBIN_PTX    ? "PTX"
                     : e->kind == WEIR_FATBIN_SASS ? "SASS"
                     : e->kind == WEIR_FATBIN_LTO  ? "link-time IR"
                                                   : NULL;
  char number[16];
  if (kind == NULL) snprintf(number, sizeof number, "kind %u", e->kind);
  snprintf(buf, WEIR_FATBIN_LABEL, "%s for %s%u%s", kind != NULL ? kind : number,
           e->kind == WEIR_FATBIN_PTX ? "compute_" : "sm_", e->sm,
           e->flags & WEIR_FATBIN_ARCH     ? "a"
           : e->flags & WEIR_FATBIN_FAMILY ? "f"
                                           : "");
  return buf;
}

static bool is_for(const struct weir_fatbin_entry *e, unsigned sm) {
  if (e->kind != WEIR_FATBIN_PTX || e->sm > sm) return false;
  if (e->flags & WEIR_FATBIN_ARCH) return e->sm == sm;
  if (e->flags & WEIR_FATBIN_FAMILY) return e->sm / 10 == sm / 10;
  return true;
}

/* Code for fewer machines uses what only they have. */
static unsigned narrowness(const struct weir_fatbin_entry *e) {
  return e->flags & WEIR_FATBIN_ARCH ? 2 : e->flags & WEIR_FATBIN_FAMILY ? 1 : 0;
}

static bool is_better(const struct weir_fatbin_entry *a, const struct weir_fatbin_entry *b) {
  return b == NULL || a->sm > b->sm || (a->sm == b->sm && narrowness(a) < narrowness(b));
}

static bool has_ptx(const struct weir_fatbin *f, unsigned image) {
  for (size_t i = 0; i < f->n; i++)
    if (f->v[i].image == image && f->v[i].kind == WEIR_FATBIN_PTX) return true;
  return false;
}

/* "SASS for sm_75, SASS for sm_90" */
static void list_entries(const struct weir_fatbin *f, unsigned image, bool only_ptx,
                         struct weir_text *list) {
  unsigned n = 0;
  for (size_t i = 0; i < f->n && n <= MAX_LISTED; i++) {
    char label[WEIR_FATBIN_LABEL];
    const struct weir_fatbin_entry *e = &f->v[i];
    if (e->image != image || (only_ptx && e->kind != WEIR_FATBIN_PTX)) continue;
    weir_text_printf(list, "%s%s", n > 0 ? ", " : "",
                     n < MAX_LISTED ? weir_fatbin_label(e, label) : "...");
    n++;
  }
}

static enum weir_status none_fits(const struct weir_fatbin *f, unsigned image, unsigned sm,
                                  struct weir_err *err) {
  struct weir_text list = {0};
  bool is_too_new = has_ptx(f, image);
  list_entries(f, image, is_too_new, &list);
  const char *what = list.failed ? "(out of memory)" : list.v;
  if (is_too_new)
    weir_fail(err, WEIR_ENOENT,
              "no PTX in this program that a machine of compute capability %u.%u runs, only %s",
              sm / 10, sm % 10, what);
  else
    weir_fail(err, WEIR_ENOENT, "no PTX in this program, which is what weir executes, only %s",
              what);
  unsigned to = sm < REMEDY_SM ? sm : REMEDY_SM;
  weir_err_add(err, "remedy: compile it with nvcc -gencode arch=compute_%u,code=compute_%u", to,
               to);
  weir_text_free(&list);
  return WEIR_ENOENT;
}

enum weir_status weir_fatbin_choose(const struct weir_fatbin *f, unsigned image, unsigned sm,
                                    const struct weir_fatbin_entry **out, struct weir_err *err) {
  const struct weir_fatbin_entry *best = NULL;
  *out = NULL;
  if (image >= f->n_images)
    return weir_fail(err, WEIR_EINVAL, "fat binary: no image %u, there are %u", image, f->n_images);
  for (size_t i = 0; i < f->n; i++) {
    const struct weir_fatbin_entry *e = &f->v[i];
    if (e->image == image && is_for(e, sm) && is_better(e, best)) best = e;
  }
  *out = best;
  return best != NULL ? WEIR_OK : none_fits(f, image, sm, err);
}
