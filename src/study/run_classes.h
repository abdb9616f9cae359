/* Classes of a workload by how long it takes on other L1s: further timed runs. */
#ifndef WEIR_STUDY_RUN_CLASSES_H
#define WEIR_STUDY_RUN_CLASSES_H

#include <stdbool.h>
#include <stdint.h>

/* The other L1s. */
enum weir_class_run {
  WEIR_CLASS_BYPASS,  /* that nothing uses (scheme bypass-all) */
  WEIR_CLASS_PERFECT, /* that has everything (l1.perfect) */
  WEIR_CLASS_LINE_32, /* of as many bytes, in lines of 32 and of 64 bytes, with more ways */
  WEIR_CLASS_LINE_64,
  WEIR_CLASS_RUNS
};

/* A speed-up of more or less than that is one. */
#define WEIR_CLASS_EPSILON 0.005
/* With an L1 that has everything: from here on the workload is sensitive to the L1. */
#define WEIR_CLASS_SENSITIVE 1.03

struct weir_run_classes {
  uint64_t cycles[WEIR_CLASS_RUNS]; /* 0: there is no such run */
  const char *why[WEIR_CLASS_RUNS]; /* there is none; NULL: it is not meant */
  uint64_t own;                     /* of the machine's own L1 */
};

/* How much faster; NaN: not known. */
double weir_class_speedup(const struct weir_run_classes *c, enum weir_class_run run);
/* "CNF": it is faster without the L1; "CI": it makes no difference; "CF": slower. NULL: not known.
 */
const char *weir_class_cache(const struct weir_run_classes *c);
/* "CLN": it is faster with shorter lines; "CLP": it is not. NULL: not known. */
const char *weir_class_line(const struct weir_run_classes *c);
/* False if that is not known, too. */
bool weir_class_is_sensitive(const struct weir_run_classes *c);

#endif
