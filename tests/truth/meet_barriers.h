/* Texts of kernels in which threads come to barriers from anywhere; part of meet_cases.c. */
#ifndef WEIR_TESTS_MEET_BARRIERS_H
#define WEIR_TESTS_MEET_BARRIERS_H

#include <stddef.h>
#include <stdint.h>

struct meet_barrier {
  const char *name;
  uint32_t threads;
  const char *outer; /* functions; NULL: none */
  const char *body;
};
extern const struct meet_barrier meet_barriers[];
extern const size_t meet_n_barriers;

#endif
