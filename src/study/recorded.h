/* Streams of workloads that are recorded ahead, for several processes: a folder of traces, by a
 * hash of all that they depend on. */
#ifndef WEIR_STUDY_RECORDED_H
#define WEIR_STUDY_RECORDED_H

#include "base/settings.h"
#include "study/matrix.h"

/* Gives every workload that is executed its file in `folder`, there or not (struct
 * weir_study_workload, `streams`). `settings` are those of the execution; names live in the arena.
 */
enum weir_status weir_recorded_names(struct weir_study *s, const struct weir_settings *settings,
                                     const char *folder, struct weir_arena *a,
                                     struct weir_err *err);

#endif
