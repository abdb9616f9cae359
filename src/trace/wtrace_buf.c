#include <stdlib.h>

#include "base/mem.h"
#include "trace/wtrace_format.h"

void wt_buf_reserve(struct wt_buf *b, size_t more) {
  if (b->failed || b->cap - b->n >= more) return;
  size_t cap = b->cap ? b->cap * 2 : 256;
  while (cap - b->n < more)
    cap *= 2;
  uint8_t *v = weir_realloc(b->v, cap);
  if (!v) {
    b->failed = true;
    return;
  }
  b->v = v;
  b->cap = cap;
}

void wt_buf_add(struct wt_buf *b, const void *bytes, size_t n) {
  wt_buf_reserve(b, n);
  if (b->failed || !n) return;
  memcpy(b->v + b->n, bytes, n);
  b->n += n;
}

void wt_buf_leb(struct wt_buf *b, uint64_t v) {
  uint8_t bytes[10] = {0};
  const uint8_t *end = wt_put_leb(bytes, v);
  wt_buf_add(b, bytes, (size_t)(end - bytes));
}

void wt_buf_byte(struct wt_buf *b, uint8_t v) {
  wt_buf_add(b, &v, 1);
}

void wt_buf_text(struct wt_buf *b, const char *text) {
  size_t n = text ? strlen(text) : 0;
  wt_buf_leb(b, n);
  wt_buf_add(b, text, n);
}

void wt_buf_free(struct wt_buf *b) {
  free(b->v);
  *b = (struct wt_buf){0};
}

static uint64_t bad(struct wt_cursor *c) {
  c->is_bad = true;
  c->p = c->end;
  return 0;
}

uint64_t wt_read_leb(struct wt_cursor *c) {
  uint64_t v = 0;
  for (unsigned shift = 0; shift < 64; shift += 7) {
    if (c->p == c->end) return bad(c);
    uint64_t b = *c->p++;
    if (shift == 63 && b > 1) return bad(c);
    v |= (b & 0x7f) << shift;
    if (b < 0x80) return v;
  }
  return bad(c);
}

uint32_t wt_read_u32(struct wt_cursor *c) {
  uint64_t v = wt_read_leb(c);
  return v > UINT32_MAX ? (uint32_t)bad(c) : (uint32_t)v;
}

uint8_t wt_read_byte(struct wt_cursor *c) {
  return c->p == c->end ? (uint8_t)bad(c) : *c->p++;
}
