#include "stream/hint.h"

const char *weir_hint_word(enum weir_hint h) {
  static const char *const words[WEIR_N_HINTS] = {"", "ca", "cg", "L1::no_allocate",
                                                  "L1::evict_last"};
  return words[h];
}

void weir_hint_put(struct weir_static *s, enum weir_hint h) {
  switch (h) {
  case WEIR_HINT_CA: /* beside .nc, which says the same */
    if (s->cache_op != WEIR_CO_NC) s->cache_op = WEIR_CO_CA;
    break;
  case WEIR_HINT_CG: /* in place of .nc */
    s->cache_op = WEIR_CO_CG;
    break;
  case WEIR_HINT_NO_ALLOCATE:
    s->evict_hint = WEIR_EV_NO_ALLOCATE;
    break;
  case WEIR_HINT_EVICT_LAST:
    s->evict_hint = WEIR_EV_LAST;
    break;
  default:
    break;
  }
}
