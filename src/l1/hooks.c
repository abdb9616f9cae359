#include "l1/hooks.h"

#include "l1/design.h"

/* ---- hooks.def and weir/policy.h say the same ---- */

#define HOOK(in, kind, axis, name, type, params, ...)                                              \
  _Static_assert(                                                                                  \
      __builtin_types_compatible_p(__typeof__(((WEIR_HOOKS_OF_##in *)0)->name), type(*) params),   \
      "l1/hooks.def: " #name " is something else in weir/policy.h");
#include "l1/hooks.def"

/* All that follows the first hook of a struct is a hook. */
struct part_hooks {
#define FIELD_PART(name) void (*name)(void);
#define FIELD_POLICY(name)
#define HOOK(in, kind, axis, name, ...) FIELD_##in(name)
#include "l1/hooks.def"
};
#undef FIELD_PART
#undef FIELD_POLICY
struct policy_hooks {
#define FIELD_PART(name)
#define FIELD_POLICY(name)              void (*name)(void);
#define HOOK(in, kind, axis, name, ...) FIELD_##in(name)
#include "l1/hooks.def"
};
_Static_assert(offsetof(struct weir_part, state_size) + sizeof(struct part_hooks) ==
                   sizeof(struct weir_part),
               "weir/policy.h: a hook of struct weir_part is missing in l1/hooks.def, or a field "
               "that is none stands among them");
_Static_assert(offsetof(struct weir_policy_ops, needs_tags) + sizeof(struct policy_hooks) ==
                   sizeof(struct weir_policy_ops),
               "weir/policy.h: a hook of struct weir_policy_ops is missing in l1/hooks.def, or a "
               "field that is none stands among them");

/* ---- names and axes ---- */

const char *weir_hook_name(enum weir_hook h) {
  static const char *const names[WEIR_N_HOOKS] = {
#define HOOK(in, kind, axis, name, ...) #name,
#include "l1/hooks.def"
  };
  return names[h];
}

bool weir_policy_has_hooks(const struct weir_policy_ops *o) {
  bool any = false;
#define HAS_PURE(...)
#define HAS_SETUP(...)
#define HAS_OBSERVE(in, name)           HAS_DECIDE(in, name)
#define HAS_EVENT(in, name)             HAS_DECIDE(in, name)
#define HAS_DECIDE(in, name)            any |= WEIR_HOOK_##in(o, name) != NULL;
#define HOOK(in, kind, axis, name, ...) HAS_##kind(in, name)
#include "l1/hooks.def"
  return any;
}

unsigned weir_policy_axes(const struct weir_policy_ops *o) {
  /* What becomes of stores, and of loads that cannot be kept anyway, many policies say besides what
   * they are there for. */
  enum { WEIR_AXIS_NONE = 0, WEIR_AXIS_BESIDES = 1 << 16 };
  unsigned axes = 0;
#define HOOK(in, kind, axis, name, ...)                                                            \
  if (WEIR_HOOK_##in(o, name) != NULL) axes |= WEIR_AXIS_##axis;
#include "l1/hooks.def"
  if (axes == WEIR_AXIS_BESIDES) return WEIR_AXIS_ADMISSION;
  return axes & ~(unsigned)WEIR_AXIS_BESIDES;
}
