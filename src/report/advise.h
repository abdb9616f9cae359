/* What to write on loads, and what that promises, as text and JSON. */
#ifndef WEIR_REPORT_ADVISE_H
#define WEIR_REPORT_ADVISE_H

#include <jansson.h>

#include "report/classify.h"
#include "report/interval.h"
#include "study/advise.h"

/* Repeats of the baseline, of what was found, and of the gain. */
struct weir_advise_verdict {
  struct weir_interval before, after, gain; /* gain: 1.1 for a tenth */
  bool is_good; /* the intervals are apart, and the gain is enough: it is advised */
};

struct weir_advise_verdict weir_advise_judge(const struct weir_advised *a, double least);

/* The table of loads, carve-outs, and what is promised. */
enum weir_status weir_advise_text(const struct weir_advised *a, const struct weir_advise_verdict *v,
                                  const struct weir_classify_about *about, double least,
                                  struct weir_text *out, struct weir_err *err);
/* NULL: no memory. */
json_t *weir_advise_json(const struct weir_advised *a, const struct weir_advise_verdict *v,
                         const struct weir_classify_about *about);

#endif
