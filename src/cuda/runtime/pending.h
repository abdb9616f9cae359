/* Work that cannot be done when it is submitted: kernels that wait, and what is behind them.
 *
 * A kernel that waits for a word of memory to change (by the host, by a kernel or copy of another
 * stream) is put aside, and the call that launched it returns. Later work of the same stream, of
 * streams that wait for its events, and of the default stream is kept here, in the order of the
 * calls. Every call that enters the library first goes on with kernels whose words have changed,
 * and with what that sets free; a call that waits does so until its stream is empty. In between a
 * thread of the library looks at those words, for programs that write a word and wait for the
 * answer without a call. */
#ifndef WEIR_CUDA_RUNTIME_PENDING_H
#define WEIR_CUDA_RUNTIME_PENDING_H

#include "cuda/runtime/stream.h"

/* Has new work of the stream to wait? */
bool weir_gpu_must_wait(const struct weir_gpu_stream *s);
/* Adds a copy of `op`. */
int weir_gpu_pend(struct weir_gpu_stream *s, const struct weir_gpu_op *op);
/* Adds a kernel that has begun and waits. */
int weir_gpu_pend_parked(struct weir_gpu_stream *s, struct weir_gpu_running *g);
/* The event goes away. */
void weir_gpu_pend_forget(const struct weir_gpu_event *e);

/* Goes on with what can go on now. */
WEIR_GPU_SHARED void weir_gpu_poke(void);
/* Is work of the stream, or work that it waits for, not done? Launches that do more than look at
 * words that stay the same get some time before. */
bool weir_gpu_is_pending(struct weir_gpu_stream *s);
/* The same of an event. */
bool weir_gpu_is_event_pending(const struct weir_gpu_event *e);

/* The host waits. WEIR_E_LaunchTimeout, which is then the device's error: nothing can come any
 * more. The lock is given back in between. */
int weir_gpu_wait_stream(struct weir_gpu_stream *s);
int weir_gpu_wait_event(struct weir_gpu_event *e);
WEIR_GPU_SHARED int weir_gpu_wait_all(void);

/* All of it is forgotten. */
WEIR_GPU_SHARED void weir_gpu_pend_drop(void);
/* The same when the program ends. */
void weir_gpu_pend_close(void);

#endif
