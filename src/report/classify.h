/* Classified loads, as text and JSON. */
#ifndef WEIR_REPORT_CLASSIFY_H
#define WEIR_REPORT_CLASSIFY_H

#include <jansson.h>

#include "base/text.h"
#include "study/profile.h"

/* Where the counts come from. */
struct weir_classify_about {
  const char *workload, *input, *gpu; /* input may be "" */
};

/* A table of loads, and a line that sums them up. */
enum weir_status weir_classify_text(const struct weir_profile *p,
                                    const struct weir_classify_about *about, struct weir_text *out,
                                    struct weir_err *err);
/* NULL: no memory. */
json_t *weir_classify_json(const struct weir_profile *p, const struct weir_classify_about *about);

#endif
