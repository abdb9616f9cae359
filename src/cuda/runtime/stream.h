/* Streams, events, and the work that is submitted to them.
 *
 * Work is done when it is submitted, unless it is behind a kernel that waits (pending.h). A stream
 * therefore holds no queue, only how far it is in simulated time; and, while it is captured, the
 * graph that collects its work instead. */
#ifndef WEIR_CUDA_RUNTIME_STREAM_H
#define WEIR_CUDA_RUNTIME_STREAM_H

#include "cuda/runtime/launch.h"
#include "cuda/runtime/memory.h"
#include "cuda/runtime/state.h"

/* A point in the time of a stream: behind this launch and these copies. Launches run one after the
 * other on one machine, so a later number is a later time. */
struct weir_gpu_mark {
  uint64_t launch;  /* 0: none so far */
  double kernel_ns; /* when that launch ended, estimated; used where no weir gives times */
  double copy_ns;   /* what copies of this stream took, estimated always */
};

struct weir_gpu_graph;
struct weir_gpu_node;
struct weir_gpu_capture;

struct weir_gpu_stream {
  struct weir_gpu_handle handle;
  unsigned flags; /* 1: it does not wait for the default stream */
  int priority;
  struct weir_gpu_mark mark;
  struct weir_gpu_capture *capture; /* NULL: work is done */
  struct weir_gpu_node **tail;      /* of a capture: what the next node waits for */
  size_t n_tail;
  size_t n_pending;    /* work that is not done yet */
  uint64_t blocked_at; /* while pending work is walked */
  bool is_gone;        /* destroyed, with work pending */
  struct weir_gpu_stream *next;
};

struct weir_gpu_event {
  struct weir_gpu_handle handle;
  unsigned flags;
  bool is_recorded;
  struct weir_gpu_mark mark;
  uint64_t pending; /* number of the work that will record it; 0: it is recorded */
  /* Recorded in a stream that was captured: what came before it. */
  struct weir_gpu_capture *capture;
  uint64_t capture_id;
  struct weir_gpu_node **tail;
  size_t n_tail;
};

enum weir_gpu_op_kind { /* numbers: cudaGraphNodeType */
                        WEIR_GPU_OP_KERNEL = 0,
                        WEIR_GPU_OP_COPY = 1,
                        WEIR_GPU_OP_SET = 2,
                        WEIR_GPU_OP_HOST = 3,
                        WEIR_GPU_OP_CHILD = 4,
                        WEIR_GPU_OP_EMPTY = 5,
                        WEIR_GPU_OP_WAIT = 6,
                        WEIR_GPU_OP_RECORD = 7,
                        WEIR_GPU_OP_ALLOC = 10,
                        WEIR_GPU_OP_FREE = 11
};

struct weir_gpu_op {
  enum weir_gpu_op_kind kind;
  union {
    struct weir_gpu_launch kernel;
    struct weir_gpu_copy copy;
    struct weir_gpu_set set;
    struct {
      void (*fn)(void *);
      void *data;
    } host;
    struct weir_gpu_event *event;
    struct weir_gpu_graph *child; /* owned by the node */
    struct {
      uint64_t addr, bytes;
      uint64_t block; /* the id of what a node allocates */
    } memory;
  } u;
};

/* The stream that a program means by a handle: 0 and 1 are the default one, 2 the thread's own.
 * NULL: no such stream. */
WEIR_GPU_SHARED struct weir_gpu_stream *weir_gpu_stream_of(const void *handle);
WEIR_GPU_SHARED int weir_gpu_stream_new(unsigned flags, int priority, struct weir_gpu_stream **out);
WEIR_GPU_SHARED int weir_gpu_stream_free(struct weir_gpu_stream *s);
/* The host waits for all work of the stream. Or the error that a captured stream gives. */
WEIR_GPU_SHARED int weir_gpu_stream_sync(struct weir_gpu_stream *s);
/* The same without waiting: WEIR_E_NotReady. */
WEIR_GPU_SHARED int weir_gpu_stream_query(struct weir_gpu_stream *s);
/* After a copy for which the call waits. */
WEIR_GPU_SHARED int weir_gpu_copied(int error);
/* The host waits for everything. */
WEIR_GPU_SHARED int weir_gpu_sync_all(void);
/* The error of a call that a capture going on does not allow, such as cudaMalloc; breaks it. */
WEIR_GPU_SHARED int weir_gpu_check_capture(void);
/* Does the work, or adds a copy of it to the graph of a captured stream. */
WEIR_GPU_SHARED int weir_gpu_submit(struct weir_gpu_stream *s, const struct weir_gpu_op *op);
/* The same for a stream that is not captured. */
int weir_gpu_op_do(struct weir_gpu_stream *s, const struct weir_gpu_op *op);
/* Does it now; a kernel that waits is not done, and becomes *parked. */
int weir_gpu_op_run(struct weir_gpu_stream *s, const struct weir_gpu_op *op,
                    struct weir_gpu_running **parked);
/* Goes on with a kernel that waits; false: it still does. */
bool weir_gpu_kernel_go_on(struct weir_gpu_stream *s, struct weir_gpu_running *g);
int weir_gpu_op_check(const struct weir_gpu_op *op);
/* Makes what `op` points to a copy of its own, and frees that. */
int weir_gpu_op_own(struct weir_gpu_op *op);
void weir_gpu_op_disown(struct weir_gpu_op *op);
bool weir_gpu_stream_is_default(const struct weir_gpu_stream *s);
/* Does it wait for the default stream? */
bool weir_gpu_stream_is_blocking(const struct weir_gpu_stream *s);
/* A later point in time. */
void weir_gpu_mark_advance(struct weir_gpu_mark *to, const struct weir_gpu_mark *from);
/* What is left of one that was destroyed, when its work is done. */
void weir_gpu_stream_release(struct weir_gpu_stream *s);
void weir_gpu_streams_reset(void);

WEIR_GPU_SHARED int weir_gpu_event_new(unsigned flags, struct weir_gpu_event **out);
/* The stream has come to the place where it is recorded. */
void weir_gpu_event_reached(struct weir_gpu_event *e, struct weir_gpu_stream *s);
WEIR_GPU_SHARED int weir_gpu_event_free(struct weir_gpu_event *e);
WEIR_GPU_SHARED int weir_gpu_event_record(struct weir_gpu_event *e, struct weir_gpu_stream *s);
/* The host waits for it. */
WEIR_GPU_SHARED int weir_gpu_event_sync(struct weir_gpu_event *e);
WEIR_GPU_SHARED int weir_gpu_event_query(struct weir_gpu_event *e);
WEIR_GPU_SHARED int weir_gpu_event_wait(struct weir_gpu_stream *s, struct weir_gpu_event *e);
/* Milliseconds of simulated time. */
WEIR_GPU_SHARED int weir_gpu_event_elapsed(float *ms, const struct weir_gpu_event *from,
                                           const struct weir_gpu_event *to);

#endif
