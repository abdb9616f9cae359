/* What an L1 accepts, in order, for bounds and characterizations (tape.h). */
#include "base/arena.h"
#include "l1/pipeline.h"

bool weir_l1_tape_on(struct weir_l1 *l1) {
  if (l1->tape == NULL) l1->tape = weir_calloc(1, sizeof *l1->tape);
  return l1->tape != NULL;
}

struct weir_tape *weir_l1_tape(const struct weir_l1 *l1) {
  return l1->tape;
}

void weir_l1_tape_add(struct weir_l1 *l1, const struct weir_access *a, enum weir_taped_as as) {
  const struct weir_taped r = {.addr = a->addr,
                               .cycle = l1->now - l1->begin,
                               .cta = a->cta_uid,
                               .warp = a->cta_warp,
                               .nth = a->nth,
                               .insn = a->insn,
                               .sectors = a->sectors,
                               .as = (uint8_t)as,
                               .op = a->op,
                               .is_local = a->is_local};
  if (!WEIR_PUSH(*l1->tape, r)) l1->tape->has_failed = true;
}

void weir_l1_tape_kernel(struct weir_l1 *l1, uint32_t lines) {
  const struct weir_taped r = {.addr = l1->kernel.uid,
                               .as = WEIR_TAPED_KERNEL,
                               .op = WEIR_OTHER,
                               .lines = lines,
                               .is_flushed = l1->kernel.is_flushed};
  if (!WEIR_PUSH(*l1->tape, r)) l1->tape->has_failed = true;
}
