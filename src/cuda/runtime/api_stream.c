/* Streams and events. */
#include "cuda/runtime/api.h"

#include <string.h>

#include "cuda/runtime/graph.h"

/* ---- streams ---- */

enum { LEAST_PRIORITY = 0, GREATEST_PRIORITY = -5 };

static int new_stream(void **out, unsigned flags, int priority) {
  struct weir_gpu_stream *s;
  if (out == NULL || flags > 1) return WEIR_E_InvalidValue;
  if (priority > LEAST_PRIORITY) priority = LEAST_PRIORITY;
  if (priority < GREATEST_PRIORITY) priority = GREATEST_PRIORITY;
  int error = weir_gpu_stream_new(flags, priority, &s);
  if (error == 0) *out = s;
  return error;
}

CUDA_API(cudaStreamCreate, void **out) {
  CUDA_CALL(new_stream(out, 0, 0));
}

CUDA_API(cudaStreamCreateWithFlags, void **out, unsigned flags) {
  CUDA_CALL(new_stream(out, flags, 0));
}

CUDA_API(cudaStreamCreateWithPriority, void **out, unsigned flags, int priority) {
  CUDA_CALL(new_stream(out, flags, priority));
}

static int free_stream(void *stream) {
  struct weir_gpu_stream *s = weir_gpu_stream_of(stream);
  return s != NULL ? weir_gpu_stream_free(s) : WEIR_E_InvalidResourceHandle;
}

CUDA_API(cudaStreamDestroy, void *stream) {
  CUDA_CALL(free_stream(stream));
}

/* An expression that uses the stream `s`. */
#define WITH_STREAM(stream, ...)                                                                   \
  do {                                                                                             \
    struct weir_gpu_stream *s;                                                                     \
    CUDA_CALL((s = weir_gpu_stream_of(stream)) != NULL ? (__VA_ARGS__)                             \
                                                       : WEIR_E_InvalidResourceHandle);            \
  } while (0)

CUDA_API(cudaStreamSynchronize, void *stream) {
  WITH_STREAM(stream, weir_gpu_stream_sync(s));
}
CUDA_ALIAS(cudaStreamSynchronize, _ptsz);

CUDA_API(cudaStreamQuery, void *stream) {
  WITH_STREAM(stream, weir_gpu_stream_query(s));
}
CUDA_ALIAS(cudaStreamQuery, _ptsz);

CUDA_API(cudaStreamGetFlags, void *stream, unsigned *flags) {
  WITH_STREAM(stream, flags != NULL ? (*flags = s->flags, 0) : WEIR_E_InvalidValue);
}
CUDA_ALIAS(cudaStreamGetFlags, _ptsz);

CUDA_API(cudaStreamGetPriority, void *stream, int *priority) {
  WITH_STREAM(stream, priority != NULL ? (*priority = s->priority, 0) : WEIR_E_InvalidValue);
}
CUDA_ALIAS(cudaStreamGetPriority, _ptsz);

CUDA_API(cudaStreamGetId, void *stream, unsigned long long *id) {
  WITH_STREAM(stream, id != NULL ? (*id = s->handle.id, 0) : WEIR_E_InvalidValue);
}
CUDA_ALIAS(cudaStreamGetId, _ptsz);

CUDA_API(cudaStreamGetDevice, void *stream, int *device) {
  WITH_STREAM(stream, device != NULL ? (*device = 0, 0) : WEIR_E_InvalidValue);
}
CUDA_ALIAS(cudaStreamGetDevice, _ptsz);

CUDA_API(cudaDeviceGetStreamPriorityRange, int *least, int *greatest) {
  if (least != NULL) *least = LEAST_PRIORITY;
  if (greatest != NULL) *greatest = GREATEST_PRIORITY;
  CUDA_CALL(0);
}

/* Attributes are about the L2 and about waiting: nothing depends on them. */
CUDA_API(cudaStreamSetAttribute, void *stream, int attribute, const void *value) {
  (void)attribute;
  WITH_STREAM(stream, value != NULL ? 0 : WEIR_E_InvalidValue);
}
CUDA_ALIAS(cudaStreamSetAttribute, _ptsz);

CUDA_API(cudaStreamGetAttribute, void *stream, int attribute, void *value) {
  enum { VALUE_BYTES = 64 };
  (void)attribute;
  WITH_STREAM(stream, value != NULL ? (memset(value, 0, VALUE_BYTES), 0) : WEIR_E_InvalidValue);
}
CUDA_ALIAS(cudaStreamGetAttribute, _ptsz);

CUDA_API(cudaStreamCopyAttributes, void *to, void *from) {
  WITH_STREAM(to, weir_gpu_stream_of(from) != NULL ? 0 : WEIR_E_InvalidResourceHandle);
}
CUDA_ALIAS(cudaStreamCopyAttributes, _ptsz);

/* Both sides see managed memory at any time. */
CUDA_API(cudaStreamAttachMemAsync, void *stream, void *ptr, size_t bytes, unsigned flags) {
  (void)bytes, (void)flags;
  WITH_STREAM(stream, ptr != NULL ? 0 : WEIR_E_InvalidValue);
}
CUDA_ALIAS(cudaStreamAttachMemAsync, _ptsz);

/* ---- events ---- */

static int new_event(void **out, unsigned flags) {
  struct weir_gpu_event *e;
  enum { DISABLE_TIMING = 2, INTERPROCESS = 4, KNOWN = 7 };
  if (out == NULL || flags > KNOWN) return WEIR_E_InvalidValue;
  if ((flags & INTERPROCESS) != 0)
    return (flags & DISABLE_TIMING) != 0 ? WEIR_E_NotSupported : WEIR_E_InvalidValue;
  int error = weir_gpu_event_new(flags, &e);
  if (error == 0) *out = e;
  return error;
}

CUDA_API(cudaEventCreate, void **out) {
  CUDA_CALL(new_event(out, 0));
}

CUDA_API(cudaEventCreateWithFlags, void **out, unsigned flags) {
  CUDA_CALL(new_event(out, flags));
}

static struct weir_gpu_event *event_of(const void *event) {
  return weir_gpu_handle(event, WEIR_GPU_EVENT);
}

static int free_event(void *event) {
  struct weir_gpu_event *e = event_of(event);
  return e != NULL ? weir_gpu_event_free(e) : WEIR_E_InvalidResourceHandle;
}

CUDA_API(cudaEventDestroy, void *event) {
  CUDA_CALL(free_event(event));
}

static int record(void *event, void *stream) {
  struct weir_gpu_event *e = event_of(event);
  struct weir_gpu_stream *s = weir_gpu_stream_of(stream);
  return e != NULL && s != NULL ? weir_gpu_event_record(e, s) : WEIR_E_InvalidResourceHandle;
}

CUDA_API(cudaEventRecord, void *event, void *stream) {
  CUDA_CALL(record(event, stream));
}
CUDA_ALIAS(cudaEventRecord, _ptsz);

/* An external record of a captured stream is a node, which records when the graph runs. */
static int record_with(void *event, void *stream, unsigned flags) {
  enum { EXTERNAL = 1 };
  if (flags > EXTERNAL) return WEIR_E_InvalidValue;
  struct weir_gpu_event *e = event_of(event);
  if (e == NULL) return WEIR_E_InvalidResourceHandle;
  if (flags == 0) return record(event, stream);
  const struct weir_gpu_op op = {.kind = WEIR_GPU_OP_RECORD, .u.event = e};
  return cudart_submit(stream, &op);
}

CUDA_API(cudaEventRecordWithFlags, void *event, void *stream, unsigned flags) {
  CUDA_CALL(record_with(event, stream, flags));
}
CUDA_ALIAS(cudaEventRecordWithFlags, _ptsz);

static int sync_event(void *event) {
  struct weir_gpu_event *e = event_of(event);
  return e != NULL ? weir_gpu_event_sync(e) : WEIR_E_InvalidResourceHandle;
}

CUDA_API(cudaEventSynchronize, void *event) {
  CUDA_CALL(sync_event(event));
}

static int query_event(void *event) {
  struct weir_gpu_event *e = event_of(event);
  return e != NULL ? weir_gpu_event_query(e) : WEIR_E_InvalidResourceHandle;
}

CUDA_API(cudaEventQuery, void *event) {
  CUDA_CALL(query_event(event));
}

static int elapsed(float *ms, void *from, void *to) {
  const struct weir_gpu_event *a = event_of(from), *b = event_of(to);
  if (ms == NULL) return WEIR_E_InvalidValue;
  return a != NULL && b != NULL ? weir_gpu_event_elapsed(ms, a, b) : WEIR_E_InvalidResourceHandle;
}

CUDA_API(cudaEventElapsedTime, float *ms, void *from, void *to) {
  CUDA_CALL(elapsed(ms, from, to));
}
CUDA_ALIAS(cudaEventElapsedTime, _v2);

static int wait_event(void *stream, void *event, unsigned flags) {
  enum { EXTERNAL = 1 };
  struct weir_gpu_event *e = event_of(event);
  struct weir_gpu_stream *s = weir_gpu_stream_of(stream);
  if (e == NULL || s == NULL) return WEIR_E_InvalidResourceHandle;
  if (flags > EXTERNAL) return WEIR_E_InvalidValue;
  if (flags == 0 || s->capture == NULL) return weir_gpu_event_wait(s, e);
  return weir_gpu_submit(s, &(struct weir_gpu_op){.kind = WEIR_GPU_OP_WAIT, .u.event = e});
}

CUDA_API(cudaStreamWaitEvent, void *stream, void *event, unsigned flags) {
  CUDA_CALL(wait_event(stream, event, flags));
}
CUDA_ALIAS(cudaStreamWaitEvent, _ptsz);

/* ---- capture ---- */

static struct weir_gpu_graph *graph_of(const void *graph) {
  return weir_gpu_handle(graph, WEIR_GPU_GRAPH);
}

static int begin(void *stream, int mode, void *graph, void *const *deps, size_t n_deps) {
  struct weir_gpu_stream *s = weir_gpu_stream_of(stream);
  if (s == NULL) return WEIR_E_InvalidResourceHandle;
  if (mode < 0 || mode > 2) return WEIR_E_InvalidValue;
  for (size_t i = 0; i < n_deps; i++)
    if (weir_gpu_handle(deps[i], WEIR_GPU_NODE) == NULL) return WEIR_E_InvalidValue;
  return weir_gpu_capture_begin(s, mode, graph, (struct weir_gpu_node *const *)deps, n_deps);
}

CUDA_API(cudaStreamBeginCapture, void *stream, int mode) {
  CUDA_CALL(begin(stream, mode, NULL, NULL, 0));
}
CUDA_ALIAS(cudaStreamBeginCapture, _ptsz);

CUDA_API(cudaStreamBeginCaptureToGraph, void *stream, void *graph, void *const *deps,
         const void *edges, size_t n_deps, int mode) {
  (void)edges;
  CUDA_CALL(graph_of(graph) != NULL ? begin(stream, mode, graph_of(graph), deps, n_deps)
                                    : WEIR_E_InvalidValue);
}
CUDA_ALIAS(cudaStreamBeginCaptureToGraph, _ptsz);

static int end_capture(struct weir_gpu_stream *s, void **out) {
  struct weir_gpu_graph *g;
  if (out == NULL) return WEIR_E_InvalidValue;
  int error = weir_gpu_capture_end(s, &g);
  *out = g;
  return error;
}

CUDA_API(cudaStreamEndCapture, void *stream, void **graph) {
  WITH_STREAM(stream, end_capture(s, graph));
}
CUDA_ALIAS(cudaStreamEndCapture, _ptsz);

static int state_of(const struct weir_gpu_stream *s) {
  return s->capture == NULL      ? WEIR_GPU_CAPTURE_NONE
         : s->capture->is_broken ? WEIR_GPU_CAPTURE_BROKEN
                                 : WEIR_GPU_CAPTURE_ACTIVE;
}

CUDA_API(cudaStreamIsCapturing, void *stream, int *status) {
  WITH_STREAM(stream, status != NULL ? (*status = state_of(s), 0) : WEIR_E_InvalidValue);
}
CUDA_ALIAS(cudaStreamIsCapturing, _ptsz);

int cudart_capture_info(void *stream, int *status, unsigned long long *id, void **graph,
                        const void ***deps, const void **edges, size_t *n) {
  const struct weir_gpu_stream *s = weir_gpu_stream_of(stream);
  if (s == NULL) return WEIR_E_InvalidResourceHandle;
  if (status == NULL) return WEIR_E_InvalidValue;
  *status = state_of(s);
  if (*status != WEIR_GPU_CAPTURE_ACTIVE) return 0;
  if (id != NULL) *id = s->capture->id;
  if (graph != NULL) *graph = s->capture->graph;
  if (deps != NULL) *deps = (const void **)s->tail;
  if (edges != NULL) *edges = NULL;
  if (n != NULL) *n = s->n_tail;
  return 0;
}

int cudart_capture_update(void *stream, void *const *deps, size_t n, unsigned flags) {
  struct weir_gpu_stream *s = weir_gpu_stream_of(stream);
  if (s == NULL) return WEIR_E_InvalidResourceHandle;
  if (s->capture == NULL) return WEIR_E_IllegalState;
  if (flags > 1) return WEIR_E_InvalidValue;
  return weir_gpu_capture_tail(s, (struct weir_gpu_node *const *)deps, n, flags == 0);
}

CUDA_API(cudaThreadExchangeStreamCaptureMode, int *mode) {
  static __thread int current;
  if (mode == NULL || *mode < 0 || *mode > 2) return cudart_return(WEIR_E_InvalidValue);
  int before = current;
  current = *mode;
  *mode = before;
  return 0;
}
