/* The library's way to malloc. Tests make the n-th call fail, to walk every out-of-memory path. */
#ifndef WEIR_BASE_MEM_H
#define WEIR_BASE_MEM_H

#include <stddef.h>

#include "weir/err.h"

/* As malloc, calloc, realloc, strdup; the result is freed by free(). */
void *weir_malloc(size_t bytes);
void *weir_calloc(size_t n, size_t size);
void *weir_realloc(void *p, size_t bytes);
char *weir_strdup(const char *s);
/* As aligned_alloc, for any number of bytes; `align` is a power of two. */
void *weir_aligned_alloc(size_t align, size_t bytes);

/* WEIR_ENOMEM, which `err` says. */
enum weir_status weir_no_memory(struct weir_err *err);

/* For tests: the call after `n` more successful ones fails, and every later one, in this thread.
 * Negative: none fail. */
void weir_malloc_fail_after(long n);

#endif
