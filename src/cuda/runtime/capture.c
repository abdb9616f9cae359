/* Capturing streams: work that would be done becomes nodes of a graph. A stream joins a capture by
 * waiting for an event that was recorded in it. */
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "cuda/runtime/graph.h"

enum { RELAXED = 2 };

static int set_tail(struct weir_gpu_node ***tail, size_t *n_tail, struct weir_gpu_node *const *v,
                    size_t n) {
  struct weir_gpu_node **copy = weir_malloc((n + 1) * sizeof(struct weir_gpu_node *));
  if (copy == NULL) return WEIR_E_MemoryAllocation;
  if (n > 0) memcpy(copy, v, n * sizeof(struct weir_gpu_node *));
  free(*tail);
  *tail = copy;
  *n_tail = n;
  return 0;
}

int weir_gpu_capture_tail(struct weir_gpu_stream *s, struct weir_gpu_node *const *deps, size_t n,
                          bool keep) {
  size_t n_old = keep ? s->n_tail : 0, n_all = n_old;
  struct weir_gpu_node **all = weir_malloc((n_old + n + 1) * sizeof(struct weir_gpu_node *));
  if (all == NULL) return WEIR_E_MemoryAllocation;
  if (n_old > 0) memcpy(all, s->tail, n_old * sizeof(struct weir_gpu_node *));
  for (size_t i = 0; i < n; i++) {
    size_t k = 0;
    while (k < n_all && all[k] != deps[i])
      k++;
    if (k == n_all) all[n_all++] = deps[i];
  }
  free(s->tail);
  s->tail = all;
  s->n_tail = n_all;
  return 0;
}

int weir_gpu_capture_begin(struct weir_gpu_stream *s, int mode, struct weir_gpu_graph *graph,
                           struct weir_gpu_node *const *deps, size_t n_deps) {
  if (s->capture != NULL) return WEIR_E_IllegalState;
  if (s->handle.id == 1) return WEIR_E_StreamCaptureUnsupported; /* the default stream */
  struct weir_gpu_capture *c = weir_calloc(1, sizeof *c);
  if (c == NULL) return WEIR_E_MemoryAllocation;
  c->owns_graph = graph == NULL;
  c->graph = graph != NULL ? graph : weir_gpu_graph_new();
  c->id = ++weir_gpu.next_id;
  c->origin = s;
  c->mode = mode;
  if (c->graph == NULL || set_tail(&s->tail, &s->n_tail, deps, n_deps) != 0) {
    if (c->owns_graph) weir_gpu_graph_free(c->graph);
    free(c);
    return WEIR_E_MemoryAllocation;
  }
  s->capture = c;
  return 0;
}

void weir_gpu_capture_leave(struct weir_gpu_stream *s) {
  struct weir_gpu_capture *c = s->capture;
  free(s->tail);
  s->tail = NULL;
  s->n_tail = 0;
  s->capture = NULL;
  if (c == NULL || c->origin != s) return;
  for (struct weir_gpu_stream *o = weir_gpu.streams; o != NULL; o = o->next)
    if (o->capture == c) weir_gpu_capture_leave(o);
  if (c->owns_graph) weir_gpu_graph_free(c->graph);
  free(c);
}

/* Marks all nodes that the origin has waited for. A node comes after what it depends on in the
 * graph's list, so one walk from the end is enough. */
static void mark_joined(const struct weir_gpu_stream *origin) {
  const struct weir_gpu_graph *g = origin->capture->graph;
  for (size_t i = 0; i < g->n_nodes; i++)
    g->nodes[i]->mark = 0;
  for (size_t i = 0; i < origin->n_tail; i++)
    origin->tail[i]->mark = 1;
  for (size_t i = g->n_nodes; i-- > 0;)
    for (size_t k = 0; g->nodes[i]->mark != 0 && k < g->nodes[i]->n_deps; k++)
      g->nodes[i]->deps[k]->mark = 1;
}

static bool is_joined(const struct weir_gpu_stream *other) {
  for (size_t i = 0; i < other->n_tail; i++)
    if (other->tail[i]->mark == 0) return false;
  return true;
}

int weir_gpu_capture_end(struct weir_gpu_stream *s, struct weir_gpu_graph **out) {
  struct weir_gpu_capture *c = s->capture;
  *out = NULL;
  if (c == NULL) return WEIR_E_IllegalState;
  if (c->origin != s) return WEIR_E_StreamCaptureUnmatched;
  int error = c->is_broken ? WEIR_E_StreamCaptureInvalidated : 0;
  mark_joined(s);
  for (const struct weir_gpu_stream *o = weir_gpu.streams; o != NULL && error == 0; o = o->next)
    if (o != s && o->capture == c && !is_joined(o)) error = WEIR_E_StreamCaptureUnjoined;
  if (error == 0) {
    *out = c->graph;
    c->owns_graph = false;
  }
  weir_gpu_capture_leave(s);
  return error;
}

int weir_gpu_capture_add(struct weir_gpu_stream *s, const struct weir_gpu_op *op) {
  if (s->capture->is_broken) return WEIR_E_StreamCaptureInvalidated;
  struct weir_gpu_node *n;
  int error = weir_gpu_graph_add(s->capture->graph, s->tail, s->n_tail, op, &n);
  return error != 0 ? error : set_tail(&s->tail, &s->n_tail, &n, 1);
}

int weir_gpu_capture_record(struct weir_gpu_event *e, struct weir_gpu_stream *s) {
  if (s->capture->is_broken) return WEIR_E_StreamCaptureInvalidated;
  e->capture = s->capture;
  e->capture_id = s->capture->id;
  return set_tail(&e->tail, &e->n_tail, s->tail, s->n_tail);
}

bool weir_gpu_capture_is_on(const struct weir_gpu_event *e) {
  for (const struct weir_gpu_stream *o = weir_gpu.streams; o != NULL; o = o->next)
    if (o->capture == e->capture) return o->capture->id == e->capture_id;
  return false;
}

int weir_gpu_capture_wait(struct weir_gpu_stream *s, struct weir_gpu_event *e) {
  if (!weir_gpu_capture_is_on(e)) return WEIR_E_CapturedEvent;
  if (e->capture->is_broken) return WEIR_E_InvalidValue;
  if (s->capture != NULL && s->capture != e->capture) return WEIR_E_StreamCaptureMerge;
  if (s->handle.id == 1) return WEIR_E_StreamCaptureImplicit;
  s->capture = e->capture;
  return weir_gpu_capture_tail(s, e->tail, e->n_tail, true);
}

void weir_gpu_capture_break(struct weir_gpu_capture *c) {
  c->is_broken = true;
}

bool weir_gpu_capture_is_relaxed(const struct weir_gpu_capture *c) {
  return c->mode == RELAXED;
}
