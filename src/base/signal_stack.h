/* A second stack for signal handlers of the calling thread: when a hook or a recursion has used up
 * the first, a handler with SA_ONSTACK can still say so. */
#ifndef WEIR_BASE_SIGNAL_STACK_H
#define WEIR_BASE_SIGNAL_STACK_H

#include <signal.h>
#include <stddef.h>

enum { WEIR_SIGNAL_STACK = 1 << 16 };

/* `space` outlives the thread's use of signals: it may lie at the beginning of its first stack. A
 * thread that has one, as a sanitizer gives, keeps it. */
static inline void weir_signal_stack(void *space, size_t bytes) {
  stack_t has;
  if (sigaltstack(NULL, &has) == 0 && (has.ss_flags & SS_DISABLE))
    sigaltstack(&(const stack_t){.ss_sp = space, .ss_size = bytes}, NULL);
}

#endif
