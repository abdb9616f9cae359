/* Graphs of work, made by hand or by capturing streams; carried out in an order in which every node
 * comes after what it depends on. */
#ifndef WEIR_CUDA_RUNTIME_GRAPH_H
#define WEIR_CUDA_RUNTIME_GRAPH_H

#include "cuda/runtime/stream.h"

struct weir_gpu_node {
  struct weir_gpu_handle handle;
  struct weir_gpu_graph *graph;
  struct weir_gpu_op op; /* owns its parameters and child graph */
  struct weir_gpu_node **deps;
  size_t n_deps;
  struct weir_gpu_node *origin; /* in the graph that was cloned; may be gone */
  uint64_t origin_id;
  bool is_disabled;
  uint32_t mark; /* while the graph is walked */
  void **args;   /* what cudaGraphKernelNodeGetParams gave */
};

/* Something of the program's that lives as long as somebody refers to it; a graph may. */
struct weir_gpu_object {
  struct weir_gpu_handle handle;
  void (*destroy)(void *);
  void *data;
  uint64_t n_refs;
};
struct weir_gpu_ref {
  struct weir_gpu_object *object;
  uint64_t n;
};

struct weir_gpu_graph {
  struct weir_gpu_handle handle;
  struct weir_gpu_node **nodes;
  size_t n_nodes;
  struct {
    struct weir_gpu_ref *v;
    size_t n, cap;
  } refs;
  bool is_child;    /* belongs to a node: the program does not destroy it */
  const void *exec; /* the last instance; may be gone */
  uint64_t exec_id;
};

/* An instance: a clone in the order of execution. */
struct weir_gpu_exec {
  struct weir_gpu_handle handle;
  struct weir_gpu_graph *graph;
  uint64_t flags;
};

WEIR_GPU_SHARED struct weir_gpu_graph *weir_gpu_graph_new(void);
WEIR_GPU_SHARED void weir_gpu_graph_free(struct weir_gpu_graph *g);
/* `op` is copied; its parameter block and child graph become the node's own copies. */
WEIR_GPU_SHARED int weir_gpu_graph_add(struct weir_gpu_graph *g, struct weir_gpu_node *const *deps,
                                       size_t n_deps, const struct weir_gpu_op *op,
                                       struct weir_gpu_node **out);
WEIR_GPU_SHARED int weir_gpu_graph_depend(struct weir_gpu_node *node, struct weir_gpu_node *on);
WEIR_GPU_SHARED int weir_gpu_graph_undepend(struct weir_gpu_node *node, struct weir_gpu_node *on);
WEIR_GPU_SHARED void weir_gpu_graph_remove(struct weir_gpu_node *node);
WEIR_GPU_SHARED int weir_gpu_graph_clone(const struct weir_gpu_graph *g,
                                         struct weir_gpu_graph **out);
/* Replaces what a node does, by a copy of `op`. */
WEIR_GPU_SHARED int weir_gpu_node_set(struct weir_gpu_node *n, const struct weir_gpu_op *op);
/* The node of `g` that was cloned from `node`. */
WEIR_GPU_SHARED struct weir_gpu_node *weir_gpu_graph_find(const struct weir_gpu_graph *g,
                                                          const struct weir_gpu_node *node);
/* WEIR_E_InvalidValue: a cycle. */
WEIR_GPU_SHARED int weir_gpu_graph_order(struct weir_gpu_graph *g);
/* Carries out a graph that is in order. */
WEIR_GPU_SHARED int weir_gpu_graph_run(const struct weir_gpu_graph *g, struct weir_gpu_stream *s);

WEIR_GPU_SHARED int weir_gpu_object_new(void *data, void (*destroy)(void *), uint64_t n_refs,
                                        struct weir_gpu_object **out);
/* Takes `n` references away; with the last the program's function is called. */
WEIR_GPU_SHARED int weir_gpu_object_release(struct weir_gpu_object *o, uint64_t n);
/* The graph refers to it `n` times more, and its clones and instances do. */
WEIR_GPU_SHARED int weir_gpu_graph_hold(struct weir_gpu_graph *g, struct weir_gpu_object *o,
                                        uint64_t n);
WEIR_GPU_SHARED int weir_gpu_graph_let_go(struct weir_gpu_graph *g, struct weir_gpu_object *o,
                                          uint64_t n);

WEIR_GPU_SHARED int weir_gpu_exec_new(struct weir_gpu_graph *g, uint64_t flags,
                                      struct weir_gpu_exec **out);
/* Before each launch: 0, or why its memory does not allow it. */
WEIR_GPU_SHARED int weir_gpu_exec_prepare(const struct weir_gpu_exec *e);
/* Has it nodes that allocate or free? */
WEIR_GPU_SHARED bool weir_gpu_graph_has_memory(const struct weir_gpu_graph *g);
WEIR_GPU_SHARED void weir_gpu_exec_free(struct weir_gpu_exec *e);
/* Takes over parameters from a graph of the same shape; WEIR_E_GraphExecUpdateFailure if it is not.
 */
WEIR_GPU_SHARED int weir_gpu_exec_update(struct weir_gpu_exec *e, const struct weir_gpu_graph *g,
                                         struct weir_gpu_node **culprit);

/* ---- capture ---- */

enum weir_gpu_capture_state {
  WEIR_GPU_CAPTURE_NONE,
  WEIR_GPU_CAPTURE_ACTIVE,
  WEIR_GPU_CAPTURE_BROKEN
};

struct weir_gpu_capture {
  uint64_t id;
  struct weir_gpu_graph *graph;
  struct weir_gpu_stream *origin;
  int mode; /* cudaStreamCaptureMode: 0 global, 1 thread, 2 relaxed */
  bool is_broken, owns_graph;
};

/* `graph` NULL: a new one. */
WEIR_GPU_SHARED int weir_gpu_capture_begin(struct weir_gpu_stream *s, int mode,
                                           struct weir_gpu_graph *graph,
                                           struct weir_gpu_node *const *deps, size_t n_deps);
WEIR_GPU_SHARED int weir_gpu_capture_end(struct weir_gpu_stream *s, struct weir_gpu_graph **out);
int weir_gpu_capture_add(struct weir_gpu_stream *s, const struct weir_gpu_op *op);
int weir_gpu_capture_record(struct weir_gpu_event *e, struct weir_gpu_stream *s);
int weir_gpu_capture_wait(struct weir_gpu_stream *s, struct weir_gpu_event *e);
/* Sets what the next node of the stream waits for; `keep`: besides what it waits for already. */
WEIR_GPU_SHARED int weir_gpu_capture_tail(struct weir_gpu_stream *s,
                                          struct weir_gpu_node *const *deps, size_t n, bool keep);
/* Is the capture that the event was recorded in still going on? */
bool weir_gpu_capture_is_on(const struct weir_gpu_event *e);
void weir_gpu_capture_break(struct weir_gpu_capture *c);
bool weir_gpu_capture_is_relaxed(const struct weir_gpu_capture *c);
/* The stream goes away, or the capture ends. */
void weir_gpu_capture_leave(struct weir_gpu_stream *s);

#endif
