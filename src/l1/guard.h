/* A wall around the policies of plug-ins: a hook that answers what is no answer, or writes outside
 * of its memory, ends the run with an error that names it. Which hook runs is noted, so that
 * whoever listens to crashes can name it too. Policies that are built in are called directly. */
#ifndef WEIR_L1_GUARD_H
#define WEIR_L1_GUARD_H

#include "l1/hooks.h"

struct weir_guarded {
  struct weir_policy_ops ops; /* first: what a chain has. The hooks of `own`, guarded */
  const struct weir_policy_ops *own;
  const char *file;
  uint32_t number; /* from 1 on */
};

/* A guarded policy that lives as long as the process. NULL: there are too many. */
struct weir_guarded *weir_guard(const struct weir_policy_ops *own, const char *file);

/* ---- hooks that are asked by parameters alone ---- */

size_t weir_ask_state_size(const struct weir_part *part, const void *cfg,
                           const struct weir_geometry *g);
uint64_t weir_ask_storage_bits(const struct weir_part *part, const void *cfg,
                               const struct weir_geometry *g);
bool weir_ask_needs_tags(const struct weir_policy_ops *o, const void *cfg);

/* ---- what is noted ---- */

/* The hook of a plug-in that runs. No pointers: it may lie in memory that another process reads,
 * which knows the same plug-ins, after this one crashed. */
struct weir_hook_note {
  volatile uint32_t policy, hook; /* policy 0: none runs */
};

/* This thread notes there from now on; NULL: in memory of its own. */
void weir_hook_note_in(struct weir_hook_note *note);
/* What this thread has noted. As the next two, in a signal handler too. */
struct weir_hook_note weir_hook_noted(void);
/* False: no hook of a plug-in. */
bool weir_hook_who(struct weir_hook_note note, const char **file, const char **policy,
                   const char **hook);
/* What a hook did that ended its process by this signal; 0: by exit(). NULL: the signal is none of
 * a crash. */
const char *weir_hook_crash(int number);

#endif
