/* What is said when a kernel faults, hangs or reaches a limit. */
#ifndef WEIR_EXEC_FAULT_H
#define WEIR_EXEC_FAULT_H

#include "exec/core.h"
#include "exec/exec.h"
#include "exec/stray.h"
#include "stream/stray.h"

/* A launch, as far as messages need it. */
struct ptx_scene {
  const struct ptx_program *prog;
  const struct ptx_device *dev;
  const struct ptx_launch *launch;
};

/* The fault of a warp: what happened, where, and what can be done. */
enum weir_status ptx_report_fault(const struct ptx_scene *s, const struct ptx_cta *c,
                                  const struct ptx_warp *w, struct weir_err *err);
/* Accesses that missed, in words; what `tell` is given is valid until it returns. */
enum weir_status ptx_tell_stray(const struct ptx_scene *s, const struct ptx_stray *x,
                                void (*tell)(void *self, const struct weir_stray *stray),
                                void *self, struct weir_err *err);
/* Why a launch is given up. */
enum ptx_stuck {
  PTX_STUCK_WAITS, /* nothing can run */
  PTX_STUCK_SPINS, /* what runs looks at memory that nothing changes, and will find the same */
  PTX_STUCK_QUIET  /* nothing has changed for long */
};
/* Who waits where, up to a few. */
enum weir_status ptx_report_deadlock(const struct ptx_scene *s, const struct ptx_cta *ctas,
                                     uint32_t n_ctas, enum ptx_stuck how, struct weir_err *err);
/* exec.max_instructions are spent; `w` would have been next. */
enum weir_status ptx_report_limit(const struct ptx_scene *s, const struct ptx_cta *c,
                                  const struct ptx_warp *w, struct weir_err *err);

#endif
