/* "Did you mean ...?" */
#ifndef WEIR_BASE_SUGGEST_H
#define WEIR_BASE_SUGGEST_H

#include <stddef.h>

/* The name nearest to `word` by edit distance (insert, delete, replace, swap neighbours; case
 * counts half), or NULL when none is near enough to be meant. The first of equals wins. */
const char *weir_nearest(const char *word, const char *const *names, size_t n);

#endif
