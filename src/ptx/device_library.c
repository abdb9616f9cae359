#include "ptx/device_library.h"

#include <string.h>

struct signature {
  const char *name;
  enum ptx_builtin is;
  uint8_t result; /* bytes; 0 = none */
  uint8_t n_args, args[5];
};

static const struct signature known[] = {
    {"vprintf", PTX_B_vprintf, 4, 2, {8, 8}},
    {"malloc", PTX_B_malloc, 8, 1, {8}},
    {"free", PTX_B_free, 0, 1, {8}},
    {"__assertfail", PTX_B_assertfail, 0, 5, {8, 8, 4, 8, 8}},
};

enum ptx_builtin ptx_builtin_find(const struct ptx_func *f) {
  for (size_t i = 0; i < sizeof known / sizeof *known && !f->has_body; i++) {
    const struct signature *s = &known[i];
    if (strcmp(f->name, s->name) != 0) continue;
    bool fits = f->n_params == s->n_args && f->n_rets == (s->result ? 1u : 0u) &&
                (s->result == 0 || f->rets[0].bytes == s->result);
    for (uint32_t k = 0; fits && k < s->n_args; k++)
      fits = f->params[k].bytes == s->args[k];
    return fits ? s->is : PTX_B_NONE;
  }
  return PTX_B_NONE;
}
