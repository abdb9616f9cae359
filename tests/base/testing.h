/* What every unit test includes. */
#ifndef WEIR_TESTS_BASE_TESTING_H
#define WEIR_TESTS_BASE_TESTING_H

/* cmocka needs these before it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "weir/err.h"

#define COUNT(a) (sizeof(a) / sizeof *(a))

#define assert_contains(text, part)                                                                \
  do {                                                                                             \
    if (!strstr((text), (part))) fail_msg("'%s' is not in:\n%s", (part), (text));                  \
  } while (0)

/* Call `attempt` (int (*)(void), nonzero = succeeded) with the allocator failing at the first call,
 * then at the second, ... until it succeeds; returns how many failures it survived. Sanitizers see
 * leaks and misuse. */
static inline int with_failing_memory(int (*attempt)(void)) {
  for (int n = 0; n < 10000; n++) {
    weir_malloc_fail_after(n);
    int good = attempt();
    weir_malloc_fail_after(-1);
    if (good) return n;
  }
  fail_msg("never succeeds");
  return 0;
}

#endif
