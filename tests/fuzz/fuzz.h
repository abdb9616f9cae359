/* What every fuzz target shares. A target reads bytes, uses a part of weir on them and returns 0; a
 * sanitizer report or a broken promise ends the process. */
#ifndef WEIR_TESTS_FUZZ_H
#define WEIR_TESTS_FUZZ_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Kept in every build, unlike assert. */
#define PROMISE(holds)                                                                             \
  do {                                                                                             \
    if (!(holds)) {                                                                                \
      fprintf(stderr, "%s:%d: broken promise: %s\n", __FILE__, __LINE__, #holds);                  \
      abort();                                                                                     \
    }                                                                                              \
  } while (0)

#endif
