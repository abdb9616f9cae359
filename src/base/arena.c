/* Arenas, growing arrays and the allocator hook. A block is never moved, so pointers stay valid
 * until the arena is freed. */
#include "base/arena.h"

#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

enum { ALIGN = 16, BLOCK_MIN = 4096, BLOCK_MAX = 1 << 20 };

struct weir_arena_block {
  struct weir_arena_block *next;
  size_t used, size;
  _Alignas(ALIGN) unsigned char data[];
};

static _Thread_local long fail_countdown = -1;

void weir_malloc_fail_after(long n) {
  fail_countdown = n;
}

static int may_allocate(void) {
  if (fail_countdown < 0) return 1;
  if (fail_countdown == 0) return 0;
  fail_countdown--;
  return 1;
}

void *weir_malloc(size_t bytes) {
  return may_allocate() ? malloc(bytes ? bytes : 1) : NULL;
}

void *weir_calloc(size_t n, size_t size) {
  return may_allocate() ? calloc(n ? n : 1, size ? size : 1) : NULL;
}

void *weir_realloc(void *p, size_t bytes) {
  return may_allocate() ? realloc(p, bytes ? bytes : 1) : NULL;
}

char *weir_strdup(const char *s) {
  size_t bytes = strlen(s) + 1;
  char *copy = weir_malloc(bytes);
  return copy ? memcpy(copy, s, bytes) : NULL;
}

void *weir_aligned_alloc(size_t align, size_t bytes) {
  if (!bytes) bytes = 1;
  if (bytes > SIZE_MAX - align || !may_allocate()) return NULL;
  return aligned_alloc(align, (bytes + align - 1) & ~(align - 1));
}

enum weir_status weir_no_memory(struct weir_err *err) {
  return weir_fail(err, WEIR_ENOMEM, "out of memory");
}

static struct weir_arena_block *add_block(struct weir_arena *a, size_t bytes) {
  /* Blocks double, so that many small arenas stay small and a big one has few blocks. */
  size_t size = a->head ? a->head->size * 2 : BLOCK_MIN;
  if (size > BLOCK_MAX) size = BLOCK_MAX;
  if (size < bytes) size = bytes;
  struct weir_arena_block *b = weir_calloc(1, sizeof *b + size);
  if (!b) return NULL;
  b->size = size;
  if (a->head && bytes > BLOCK_MAX) {
    /* A block made for one big object is full at once: keep filling the current one. */
    b->next = a->head->next;
    a->head->next = b;
  } else {
    b->next = a->head;
    a->head = b;
  }
  return b;
}

void *weir_arena_alloc(struct weir_arena *a, size_t bytes) {
  if (bytes > SIZE_MAX / 2) return NULL;
  size_t need = bytes ? (bytes + ALIGN - 1) / ALIGN * ALIGN : ALIGN;
  if (a->limit && (need > a->limit || a->used > a->limit - need)) return NULL;
  struct weir_arena_block *b = a->head;
  if (!b || b->size - b->used < need) b = add_block(a, need);
  if (!b) return NULL;
  void *p = b->data + b->used;
  b->used += need;
  a->used += need;
  return p;
}

void *weir_arena_array(struct weir_arena *a, size_t n, size_t size) {
  size_t bytes;
  if (__builtin_mul_overflow(n, size, &bytes)) return NULL;
  return weir_arena_alloc(a, bytes);
}

void *weir_arena_copy(struct weir_arena *a, const void *v, size_t n, size_t size) {
  void *copy = weir_arena_array(a, n, size);
  if (copy && n) memcpy(copy, v, n * size);
  return copy;
}

char *weir_arena_strndup(struct weir_arena *a, const char *s, size_t n) {
  if (n == SIZE_MAX) return NULL;
  char *copy = weir_arena_alloc(a, n + 1);
  if (copy && n) memcpy(copy, s, n); /* the arena is zeroed: the end is there */
  return copy;
}

char *weir_arena_printf(struct weir_arena *a, const char *fmt, ...) {
  va_list ap, again;
  va_start(ap, fmt);
  va_copy(again, ap);
  int n = vsnprintf(NULL, 0, fmt, ap);
  va_end(ap);
  char *s = n < 0 ? NULL : weir_arena_alloc(a, (size_t)n + 1);
  if (s) vsnprintf(s, (size_t)n + 1, fmt, again);
  va_end(again);
  return s;
}

void weir_arena_free(struct weir_arena *a) {
  for (struct weir_arena_block *b = a->head, *next; b; b = next) {
    next = b->next;
    free(b);
  }
  a->head = NULL;
  a->used = 0;
}

int weir_vec_grow(void **v, size_t *cap, size_t need, size_t elem) {
  size_t want = *cap < 8 ? 8 : *cap, bytes;
  while (want < need) {
    if (want > SIZE_MAX / 2) return 0;
    want *= 2;
  }
  if (want == *cap) want = *cap * 2;
  if (__builtin_mul_overflow(want, elem, &bytes)) return 0;
  void *grown = weir_realloc(*v, bytes);
  if (!grown) return 0;
  *v = grown;
  *cap = want;
  return 1;
}
