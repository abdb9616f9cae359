/* What SMs do over time, as Perfetto and chrome://tracing read it: the JSON form of trace events.
 * SMs are processes, warp slots their threads, a nanosecond is a cycle. docs/timeline.md. */
#ifndef WEIR_REPORT_TIMELINE_H
#define WEIR_REPORT_TIMELINE_H

#include "base/text.h"
#include "sim/sample.h"

struct weir_timeline_options {
  const bool *sms; /* outlives the timeline */
  uint32_t n_sms;
  uint64_t every;       /* cycles */
  uint64_t limit;       /* bytes, about; what comes later is left out */
  const char *gpu, *by; /* machine and scheme */
};

struct weir_timeline;
/* NULL: out of memory. */
struct weir_timeline *weir_timeline_new(const struct weir_timeline_options *o);
void weir_timeline_free(struct weir_timeline *t);
/* For the simulations that it is to show, one at a time. Launches lie one after the other, in the
 * order in which they are timed. */
const struct weir_sampler *weir_timeline_sampler(const struct weir_timeline *t);
/* All of it; *full_at: the time from which on it has not everything, UINT64_MAX: it has. */
enum weir_status weir_timeline_text(struct weir_timeline *t, struct weir_text *out,
                                    uint64_t *full_at, struct weir_err *err);

#endif
