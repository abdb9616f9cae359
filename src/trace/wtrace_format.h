/* The bytes of a .wtrace that writer and reader share; docs/wtrace.md draws them. */
#ifndef WEIR_TRACE_WTRACE_FORMAT_H
#define WEIR_TRACE_WTRACE_FORMAT_H

#include <endian.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "trace/wtrace.h"

#define WT_MAGIC "\x89wtrace\n"
#define WT_END   "wtrace.\n"

enum {
  WT_MAGIC_BYTES = 8,
  WT_HEAD_BYTES = 16, /* of the file, before the text; of a section */
  WT_TRAILER_BYTES = 32,
  WT_MAX_TEXT = 4096,
  WT_MAX_NAME = 1 << 20,
  WT_SLACK = 64, /* readable bytes after every part in memory */

  /* Before compression. A group is cut anywhere at WT_GROUP_CUT bytes. */
  WT_GROUP_CUT = 4 << 20,
  WT_GROUP_TARGET = 2 << 20,
  WT_MAX_GROUP = WT_GROUP_CUT + (1 << 16),
  WT_MAX_TABLE = 16 << 20,
  WT_MAX_KERNEL = 16 << 20,
  WT_MAX_INDEX = 16 << 20,
  WT_MAX_PROVENANCE = 16 << 20
};

/* Versions from which something is there. */
enum { WT_WITH_PROVENANCE = 3, WT_WITH_PARTS = 4 /* of classes */ };

/* Sections. */
enum { WT_TABLE = 'T', WT_KERNEL = 'K', WT_GROUP = 'G', WT_INDEX = 'I', WT_PROVENANCE = 'P' };

/* Parts of a group; trailing empty ones are left out. */
enum {
  WT_P_HEAD,
  WT_P_OPS,
  WT_P_BASES,
  WT_P_MASKS,
  WT_P_FORMS,  /* strides and heads of lists */
  WT_P_PLANES, /* bytes 0..7 of the lanes of lists, a part each */
  WT_N_PARTS = WT_P_PLANES + 8
};

/* Operations. 0..0x7f: that many + 1 instructions without addresses. */
enum {
  WT_O_UNIFORM = 0x80,
  WT_O_STRIDE = 0x81,
  WT_O_NEW_STRIDE = 0x82,
  WT_O_LIST = 0x83,
  WT_O_FORWARD = 0x84,
  WT_O_BACKWARD = 0x85,
  WT_O_FULL = 0x86,
  WT_O_BACK = 0x87,
  WT_O_SIBLING = 0x88,
  WT_O_MASK = 0x89,
  WT_O_LONG = 0x8a,
  WT_O_BLOCK = 0x8b,
  WT_O_END = 0x8c,
  WT_O_SPACE = 0x90, /* + enum weir_space */

  WT_L_LOW = 0,   /* lanes count from the lowest address that lists of this instruction had */
  WT_L_FIRST = 1, /* from the lowest active lane */
  WT_L_CHAIN = 2  /* from the active lane below */
};

static inline uint64_t wt_zigzag(int64_t v) {
  return (uint64_t)v << 1 ^ (uint64_t)(v >> 63);
}

static inline int64_t wt_unzigzag(uint64_t z) {
  return (int64_t)(z >> 1 ^ (0 - (z & 1)));
}

static inline void wt_store32(uint8_t *p, uint32_t v) {
  v = htole32(v);
  memcpy(p, &v, 4);
}

static inline void wt_store64(uint8_t *p, uint64_t v) {
  v = htole64(v);
  memcpy(p, &v, 8);
}

static inline uint64_t wt_load64(const uint8_t *p) {
  uint64_t v;
  memcpy(&v, p, 8);
  return le64toh(v);
}

/* LEB128; up to 10 bytes. */
static inline uint8_t *wt_put_leb(uint8_t *p, uint64_t v) {
  for (; v >= 0x80; v >>= 7)
    *p++ = (uint8_t)(v | 0x80);
  *p++ = (uint8_t)v;
  return p;
}

/* Reads at most 10 bytes, without regard to any end: WT_SLACK bytes are readable beyond it. Bits
 * that do not fit are dropped. */
static inline uint64_t wt_get_leb(const uint8_t **p) {
  uint64_t v = *(*p)++;
  if (__builtin_expect(v < 0x80, 1)) return v;
  v &= 0x7f;
  for (unsigned shift = 7; shift < 70; shift += 7) {
    uint64_t b = *(*p)++;
    v |= (b & 0x7f) << (shift & 63);
    if (b < 0x80) break;
  }
  return v;
}

/* A growing piece of memory. Failing to grow is kept. */
struct wt_buf {
  uint8_t *v;
  size_t n, cap;
  bool failed;
};
void wt_buf_reserve(struct wt_buf *b, size_t more);
void wt_buf_add(struct wt_buf *b, const void *bytes, size_t n);
void wt_buf_leb(struct wt_buf *b, uint64_t v);
void wt_buf_byte(struct wt_buf *b, uint8_t v);
void wt_buf_text(struct wt_buf *b, const char *text); /* length and bytes; NULL as "" */
void wt_buf_free(struct wt_buf *b);

/* Reading with an end. After the first number that is not all there, everything is 0. */
struct wt_cursor {
  const uint8_t *p, *end;
  bool is_bad;
};
uint64_t wt_read_leb(struct wt_cursor *c);
uint32_t wt_read_u32(struct wt_cursor *c); /* larger numbers are bad */
uint8_t wt_read_byte(struct wt_cursor *c);

/* Kernel descriptions; wtrace_kernel.c. */
enum weir_status wt_info_check(const struct weir_kernel_info *k, const char **why);
void wt_put_table(struct wt_buf *b, const struct weir_kernel_info *k);
void wt_put_info(struct wt_buf *b, const struct weir_kernel_info *k, uint64_t table_at);
/* Both return NULL or what is wrong; WT_NO_MEMORY is one of the reasons. *out is from malloc and
 * freed by weir_wtrace_info_free. */
extern const char WT_NO_MEMORY[];
const char *wt_get_info(const uint8_t *bytes, size_t n, uint32_t version,
                        struct weir_kernel_info **out, uint64_t *table_at);
const char *wt_get_table(const uint8_t *bytes, size_t n, uint32_t version,
                         struct weir_kernel_info *k);
/* What is known of the text; wtrace_outline.c. Nothing is put if nothing is. */
void wt_put_outline(struct wt_buf *b, const struct weir_kernel_info *k);
const char *wt_get_outline(const uint8_t *bytes, size_t n, struct weir_kernel_info *k);
void wt_outline_free(const struct weir_outline *o);

#endif
