/* Hints into PTX: the text of a module with `.ca`, `.cg` or a priority in the L1 on some of its
 * loads, byte for byte the same elsewhere.
 *
 * The operator stands behind the state space, where the grammar wants it: ld.global.ca.f32. Of a
 * non-coherent load `.ca` goes beside .nc, and `.cg` takes its place, because ptxas (13.0, sm_75
 * and sm_90) makes the same instruction of ld.global.cg.nc as of ld.global.nc. A load that promises
 * less is always right. Priorities (.L1::no_allocate, .L1::evict_last) stand behind .nc, and both
 * have an effect. */
#ifndef WEIR_ANALYSIS_RETAG_H
#define WEIR_ANALYSIS_RETAG_H

#include "base/text.h"
#include "ptx/ir.h"
#include "stream/hint.h"

struct weir_retag {
  const struct ptx_insn *insn; /* of the module */
  enum weir_hint hint;         /* not WEIR_HINT_NONE */
};

/* Has this load a place for an operator? */
bool weir_can_retag(const struct ptx_insn *in);
/* Does the module's version and target have priorities in the L1? From PTX 7.4 and sm_70 on. */
bool weir_has_l1_priorities(const struct ptx_module *m);
/* `list` may be in any order and is sorted; an instruction stands there once. */
enum weir_status weir_retag(const struct ptx_module *m, struct weir_retag *list, size_t n,
                            struct weir_text *out, struct weir_err *err);

#endif
