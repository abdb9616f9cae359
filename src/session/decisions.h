/* What the policies of an L1 decide over the cycles of a workload: what SM 0 counts and its levels
 * (WEIR_LEVEL), in a bounded number of samples. Results are the same with and without, and so are
 * samples for any number of threads. */
#ifndef WEIR_SESSION_DECISIONS_H
#define WEIR_SESSION_DECISIONS_H

#include <jansson.h>

#include "session/setup.h"
#include "sim/sample.h"

enum {
  WEIR_DECISION_EVERY = 128,  /* cycles between two samples, until there are too many: then */
  WEIR_DECISION_SAMPLES = 200 /* every second one goes, and the time between them doubles */
};

struct weir_decisions;
/* Of one workload; the setup outlives it. NULL: no memory. */
struct weir_decisions *weir_decisions_new(const struct weir_setup *setup);
void weir_decisions_free(struct weir_decisions *d);
/* For the options of a timing; lives as long as `d`. */
const struct weir_sampler *weir_decisions_sampler(const struct weir_decisions *d);
/* As docs/outputs.md has it. NULL: no memory. */
json_t *weir_decisions_json(const struct weir_decisions *d);

#endif
