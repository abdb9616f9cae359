/* Cache operators into PTX: the text of a module with `.ca` or `.cg` on some of its loads, byte for
 * byte the same elsewhere.
 *
 * The operator stands behind the state space, where the grammar wants it: ld.global.ca.f32. Of a
 * non-coherent load `.ca` goes beside .nc, and `.cg` takes its place, because ptxas (13.0, sm_75
 * and sm_90) makes the same instruction of ld.global.cg.nc as of ld.global.nc. A load that promises
 * less is always right. */
#ifndef WEIR_ANALYSIS_RETAG_H
#define WEIR_ANALYSIS_RETAG_H

#include "base/text.h"
#include "ptx/ir.h"
#include "weir/policy.h"

struct weir_retag {
  const struct ptx_insn *insn; /* of the module */
  enum weir_tag tag;           /* WEIR_TAG_CA or WEIR_TAG_CG */
};

/* Has this load a place for an operator? */
bool weir_can_retag(const struct ptx_insn *in);
/* `list` may be in any order and is sorted; an instruction stands there once. */
enum weir_status weir_retag(const struct ptx_module *m, struct weir_retag *list, size_t n,
                            struct weir_text *out, struct weir_err *err);

#endif
