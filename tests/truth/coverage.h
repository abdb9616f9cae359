/* What the replay found, per variant; bounds of approximate instructions; the coverage page. */
#ifndef WEIR_TESTS_TRUTH_COVERAGE_H
#define WEIR_TESTS_TRUTH_COVERAGE_H

#include "truth.h"

enum coverage_state { NOT_TRIED, COVERED, DIFFERS, FAILS, NO_DATA, N_STATES };

struct coverage_row {
  enum coverage_state state;
  size_t agree; /* cases */
};

/* Is `got` within the bound for `want`, in case i? False for exact instructions. Notes the error.
 */
bool bounds_allow(const struct truth_variant *v, unsigned i, enum ptx_type t, uint64_t got,
                  uint64_t want);
/* Are the elements of type t in 8 bytes of a matrix product within the bound? `magnitude` has the
 * sums of what was added, without signs. */
bool bounds_allow_sums(enum ptx_type t, uint64_t got, uint64_t want, uint64_t magnitude);
/* Prints the measured errors; 1 if a stated bound exceeds the documented one. */
int bounds_report(void);
/* "2 ulp; measured 1" of the rows for an instruction, "" if it is exact. */
void bounds_text(const struct truth_variant *v, char *buf, size_t len);

bool coverage_write(const struct truth_set *s, const struct coverage_row *rows, const char *path);
bool coverage_check(const struct truth_set *s, const struct coverage_row *rows, const char *path);

#endif
