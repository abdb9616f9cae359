/* What can be written on a load about the L1, and what it makes of the instruction: hints are tried
 * on recorded streams as if the text had them. */
#ifndef WEIR_STREAM_HINT_H
#define WEIR_STREAM_HINT_H

#include "stream/stream.h"

enum weir_hint {
  WEIR_HINT_NONE, /* as the text is */
  WEIR_HINT_CA,
  WEIR_HINT_CG,
  WEIR_HINT_NO_ALLOCATE,
  WEIR_HINT_EVICT_LAST,
  WEIR_N_HINTS
};

/* As PTX has it, without the dot: "cg", "L1::no_allocate"; of none "". */
const char *weir_hint_word(enum weir_hint h);
/* A load without an operator of its own, with the hint. */
void weir_hint_put(struct weir_static *s, enum weir_hint h);
/* Does a load with it go past the L1? */
static inline bool weir_hint_bypasses(enum weir_hint h) {
  return h == WEIR_HINT_CG || h == WEIR_HINT_NO_ALLOCATE;
}

#endif
