/* Memory that lives and dies together: allocate freely, free once. */
#ifndef WEIR_BASE_ARENA_H
#define WEIR_BASE_ARENA_H

#include <stddef.h>

struct weir_arena {
  struct weir_arena_block *head;
  size_t used, limit; /* limit 0 = none; beyond it allocations return NULL */
};

/* Zeroed memory aligned to 16, or NULL. */
void *weir_arena_alloc(struct weir_arena *a, size_t bytes);
/* Array of n elements; NULL also when n * size overflows. */
void *weir_arena_array(struct weir_arena *a, size_t n, size_t size);
/* Such an array of what `v` has; of none, not NULL either. */
void *weir_arena_copy(struct weir_arena *a, const void *v, size_t n, size_t size);
char *weir_arena_strndup(struct weir_arena *a, const char *s, size_t n);
char *weir_arena_printf(struct weir_arena *a, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));
void weir_arena_free(struct weir_arena *a);

/* Growable array for building: `WEIR_PUSH(vec, value)` with struct { T *v; size_t n, cap; }.
 * Evaluates to false when the host is out of memory. Freed by free(vec.v). */
int weir_vec_grow(void **v, size_t *cap, size_t need, size_t elem);
#define WEIR_PUSH(vec, value)                                                                      \
  (((vec).n < (vec).cap ||                                                                         \
    weir_vec_grow((void **)&(vec).v, &(vec).cap, (vec).n + 1, sizeof *(vec).v))                    \
       ? ((vec).v[(vec).n++] = (value), 1)                                                         \
       : 0)

#endif
