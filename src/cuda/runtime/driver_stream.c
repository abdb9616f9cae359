/* Streams and events. */
#include "cuda/runtime/driver.h"

/* ---- streams ---- */

CU_FORWARD(cuStreamCreate, cudaStreamCreateWithFlags, (void **out, unsigned flags), (out, flags));
CU_FORWARD(cuStreamCreateWithPriority, cudaStreamCreateWithPriority,
           (void **out, unsigned flags, int priority), (out, flags, priority));
CU_FORWARD(cuStreamDestroy_v2, cudaStreamDestroy, (void *stream), (stream));
CUDA_OLD_NAME(cuStreamDestroy, cuStreamDestroy_v2);
CU_FORWARD(cuStreamSynchronize, cudaStreamSynchronize, (void *stream), (stream));
CUDA_ALIAS(cuStreamSynchronize, _ptsz);
CU_FORWARD(cuStreamQuery, cudaStreamQuery, (void *stream), (stream));
CUDA_ALIAS(cuStreamQuery, _ptsz);
CU_FORWARD(cuStreamGetFlags, cudaStreamGetFlags, (void *stream, unsigned *flags), (stream, flags));
CUDA_ALIAS(cuStreamGetFlags, _ptsz);
CU_FORWARD(cuStreamGetPriority, cudaStreamGetPriority, (void *stream, int *priority),
           (stream, priority));
CUDA_ALIAS(cuStreamGetPriority, _ptsz);
CU_FORWARD(cuStreamGetId, cudaStreamGetId, (void *stream, unsigned long long *id), (stream, id));
CUDA_ALIAS(cuStreamGetId, _ptsz);
CU_FORWARD(cuStreamGetDevice, cudaStreamGetDevice, (void *stream, int *device), (stream, device));
CUDA_ALIAS(cuStreamGetDevice, _ptsz);
CU_FORWARD(cuStreamSetAttribute, cudaStreamSetAttribute,
           (void *stream, int attribute, const void *value), (stream, attribute, value));
CUDA_ALIAS(cuStreamSetAttribute, _ptsz);
CU_FORWARD(cuStreamGetAttribute, cudaStreamGetAttribute, (void *stream, int attribute, void *value),
           (stream, attribute, value));
CUDA_ALIAS(cuStreamGetAttribute, _ptsz);
CU_FORWARD(cuStreamCopyAttributes, cudaStreamCopyAttributes, (void *to, void *from), (to, from));
CUDA_ALIAS(cuStreamCopyAttributes, _ptsz);
CU_FORWARD(cuStreamAttachMemAsync, cudaStreamAttachMemAsync,
           (void *stream, void *ptr, size_t bytes, unsigned flags), (stream, ptr, bytes, flags));
CUDA_ALIAS(cuStreamAttachMemAsync, _ptsz);
CU_FORWARD(cuStreamAddCallback, cudaStreamAddCallback,
           (void *stream, void (*fn)(void *, int, void *), void *data, unsigned flags),
           (stream, fn, data, flags));
CUDA_ALIAS(cuStreamAddCallback, _ptsz);
CU_FORWARD(cuStreamWaitEvent, cudaStreamWaitEvent, (void *stream, void *event, unsigned flags),
           (stream, event, flags));
CUDA_ALIAS(cuStreamWaitEvent, _ptsz);

static struct weir_gpu_context *context_of_stream(const struct weir_gpu_stream *s) {
  for (size_t i = 0; i < weir_gpu.handles.cap; i++) {
    struct weir_gpu_handle *h = weir_gpu.handles.slots[i].value;
    if (h != NULL && h->kind == WEIR_GPU_CONTEXT && h->id == s->handle.owner)
      return (struct weir_gpu_context *)h;
  }
  return weir_gpu_current(); /* the default streams are of any */
}

static int get_context(const void *stream, void **out) {
  const struct weir_gpu_stream *s = weir_gpu_stream_of(stream);
  if (s == NULL) return WEIR_E_InvalidResourceHandle;
  if (out == NULL) return WEIR_E_InvalidValue;
  *out = context_of_stream(s);
  return 0;
}

CUDA_API(cuStreamGetCtx, const void *stream, void **out) {
  CU_CALL(get_context(stream, out));
}
CUDA_ALIAS(cuStreamGetCtx, _ptsz);

CUDA_API(cuStreamGetCtx_v2, const void *stream, void **out, void **green) {
  if (green != NULL) *green = NULL;
  CU_CALL(get_context(stream, out));
}
CUDA_ALIAS(cuStreamGetCtx_v2, _ptsz);

/* ---- values in memory ---- */

enum wait { WAIT_GEQ, WAIT_EQ, WAIT_AND, WAIT_NOR, WAIT_MASK = 3 };

static bool is_there(uint64_t is, uint64_t wanted, unsigned flags, unsigned bytes) {
  switch (flags & WAIT_MASK) {
  case WAIT_GEQ:
    return bytes == 4 ? (int32_t)((uint32_t)is - (uint32_t)wanted) >= 0
                      : (int64_t)(is - wanted) >= 0;
  case WAIT_EQ:
    return is == wanted;
  case WAIT_AND:
    return (is & wanted) != 0;
  default:
    return (~(is | wanted) << (64 - 8 * bytes)) != 0;
  }
}

static uint64_t load_value(uint64_t addr, unsigned bytes) {
  return bytes == 4 ? *(volatile uint32_t *)(uintptr_t)addr : *(volatile uint64_t *)(uintptr_t)addr;
}

/* Everything before it is done, so no work of this program makes the value come true any more; a
 * thread of the host might, but the call cannot wait for it without blocking that thread. */
static int wait_value(const void *stream, uint64_t addr, uint64_t value, unsigned flags,
                      unsigned bytes) {
  if (weir_gpu_stream_of(stream) == NULL) return WEIR_E_InvalidResourceHandle;
  if (weir_gpu_kind_of(addr) == WEIR_GPU_UNKNOWN || addr % bytes != 0) return WEIR_E_InvalidValue;
  if (is_there(load_value(addr, bytes), value, flags, bytes)) return 0;
  weir_gpu_say("cuStreamWaitValue%u: the value is not there yet, and work is done in the order of "
               "the calls\n  remedy: submit the work that writes it before the wait",
               8 * bytes);
  return WEIR_E_NotSupported;
}

/* `value` in words of four bytes. */
static int write_value(const void *stream, uint64_t addr, uint64_t value, unsigned bytes) {
  int error = addr % bytes == 0 ? 0 : WEIR_E_InvalidValue;
  for (unsigned i = 0; i < bytes && error == 0; i += 4) {
    struct weir_gpu_op op = {.kind = WEIR_GPU_OP_SET,
                             .u.set = {.ptr = addr + i,
                                       .value = (uint32_t)(value >> 8 * i),
                                       .elem_bytes = 4,
                                       .width = 1,
                                       .height = 1,
                                       .depth = 1}};
    error = cudart_submit(stream, &op);
  }
  return error;
}

#define VALUES(bits, type)                                                                         \
  CUDA_API(cuStreamWaitValue##bits##_v2, const void *stream, uint64_t addr, type value,            \
           unsigned flags) {                                                                       \
    CU_CALL(wait_value(stream, addr, value, flags, sizeof value));                                 \
  }                                                                                                \
  CUDA_ALIAS(cuStreamWaitValue##bits##_v2, _ptsz);                                                 \
  CUDA_OLD_NAME(cuStreamWaitValue##bits, cuStreamWaitValue##bits##_v2);                            \
  CUDA_OLD_NAME(cuStreamWaitValue##bits##_ptsz, cuStreamWaitValue##bits##_v2);                     \
  CUDA_API(cuStreamWriteValue##bits##_v2, const void *stream, uint64_t addr, type value,           \
           unsigned flags) {                                                                       \
    (void)flags;                                                                                   \
    CU_CALL(write_value(stream, addr, value, sizeof value));                                       \
  }                                                                                                \
  CUDA_ALIAS(cuStreamWriteValue##bits##_v2, _ptsz);                                                \
  CUDA_OLD_NAME(cuStreamWriteValue##bits, cuStreamWriteValue##bits##_v2);                          \
  CUDA_OLD_NAME(cuStreamWriteValue##bits##_ptsz, cuStreamWriteValue##bits##_v2)

VALUES(32, uint32_t);
VALUES(64, uint64_t);

struct memory_op {
  int operation;
  uint64_t addr, value; /* of 32 bits: in the lower half */
  unsigned flags;
  uint64_t alias;
};
_Static_assert(sizeof(struct memory_op) <= 48, "as large as CUDA's, which has room for more");
union memory_op_slot {
  struct memory_op op;
  uint64_t room[6];
};

static int do_memory_op(const void *stream, const struct memory_op *op) {
  enum { WAIT_32 = 1, WRITE_32 = 2, FLUSH = 3, WAIT_64 = 4, WRITE_64 = 5, BARRIER = 6 };
  switch (op->operation) {
  case WAIT_32:
    return wait_value(stream, op->addr, (uint32_t)op->value, op->flags, 4);
  case WAIT_64:
    return wait_value(stream, op->addr, op->value, op->flags, 8);
  case WRITE_32:
    return write_value(stream, op->addr, op->value, 4);
  case WRITE_64:
    return write_value(stream, op->addr, op->value, 8);
  case FLUSH:
  case BARRIER:
    return 0;
  default:
    return WEIR_E_InvalidValue;
  }
}

static int do_memory_ops(const void *stream, unsigned n, const union memory_op_slot *ops) {
  int error = ops != NULL || n == 0 ? 0 : WEIR_E_InvalidValue;
  for (unsigned i = 0; i < n && error == 0; i++)
    error = do_memory_op(stream, &ops[i].op);
  return error;
}

CUDA_API(cuStreamBatchMemOp_v2, const void *stream, unsigned n, const union memory_op_slot *ops,
         unsigned flags) {
  (void)flags;
  CU_CALL(do_memory_ops(stream, n, ops));
}
CUDA_ALIAS(cuStreamBatchMemOp_v2, _ptsz);
CUDA_OLD_NAME(cuStreamBatchMemOp, cuStreamBatchMemOp_v2);
CUDA_OLD_NAME(cuStreamBatchMemOp_ptsz, cuStreamBatchMemOp_v2);

/* ---- events ---- */

CU_FORWARD(cuEventCreate, cudaEventCreateWithFlags, (void **out, unsigned flags), (out, flags));
CU_FORWARD(cuEventDestroy_v2, cudaEventDestroy, (void *event), (event));
CUDA_OLD_NAME(cuEventDestroy, cuEventDestroy_v2);
CU_FORWARD(cuEventRecord, cudaEventRecord, (void *event, void *stream), (event, stream));
CUDA_ALIAS(cuEventRecord, _ptsz);
CU_FORWARD(cuEventRecordWithFlags, cudaEventRecordWithFlags,
           (void *event, void *stream, unsigned flags), (event, stream, flags));
CUDA_ALIAS(cuEventRecordWithFlags, _ptsz);
CU_FORWARD(cuEventSynchronize, cudaEventSynchronize, (void *event), (event));
CU_FORWARD(cuEventQuery, cudaEventQuery, (void *event), (event));
CU_FORWARD(cuEventElapsedTime, cudaEventElapsedTime, (float *ms, void *from, void *to),
           (ms, from, to));
CUDA_ALIAS(cuEventElapsedTime, _v2);

/* Of all work of a context: the default stream waits for it. */
CUDA_API(cuCtxRecordEvent, const void *context, void *event) {
  if (context == NULL) return WEIR_E_DeviceUninitialized;
  return cuEventRecord(event, NULL);
}

CUDA_API(cuCtxWaitEvent, const void *context, void *event) {
  if (context == NULL) return WEIR_E_DeviceUninitialized;
  return cuStreamWaitEvent(NULL, event, 0);
}

/* ---- capture ---- */

CU_FORWARD(cuStreamBeginCapture_v2, cudaStreamBeginCapture, (void *stream, int mode),
           (stream, mode));
CUDA_ALIAS(cuStreamBeginCapture_v2, _ptsz);

CUDA_API(cuStreamBeginCapture, void *stream) {
  enum { GLOBAL = 0 };
  return cuStreamBeginCapture_v2(stream, GLOBAL);
}
CUDA_ALIAS(cuStreamBeginCapture, _ptsz);

CU_FORWARD(cuStreamBeginCaptureToGraph, cudaStreamBeginCaptureToGraph,
           (void *stream, void *graph, void *const *deps, const void *edges, size_t n, int mode),
           (stream, graph, deps, edges, n, mode));
CUDA_ALIAS(cuStreamBeginCaptureToGraph, _ptsz);
CU_FORWARD(cuStreamEndCapture, cudaStreamEndCapture, (void *stream, void **graph), (stream, graph));
CUDA_ALIAS(cuStreamEndCapture, _ptsz);
CU_FORWARD(cuStreamIsCapturing, cudaStreamIsCapturing, (void *stream, int *status),
           (stream, status));
CUDA_ALIAS(cuStreamIsCapturing, _ptsz);
CU_FORWARD(cuThreadExchangeStreamCaptureMode, cudaThreadExchangeStreamCaptureMode, (int *mode),
           (mode));

CUDA_API(cuStreamGetCaptureInfo, void *stream, int *status, unsigned long long *id) {
  CU_CALL(cudart_capture_info(stream, status, id, NULL, NULL, NULL, NULL));
}
CUDA_ALIAS(cuStreamGetCaptureInfo, _ptsz);

CUDA_API(cuStreamGetCaptureInfo_v2, void *stream, int *status, unsigned long long *id, void **graph,
         const void ***deps, size_t *n) {
  CU_CALL(cudart_capture_info(stream, status, id, graph, deps, NULL, n));
}
CUDA_ALIAS(cuStreamGetCaptureInfo_v2, _ptsz);

CUDA_API(cuStreamGetCaptureInfo_v3, void *stream, int *status, unsigned long long *id, void **graph,
         const void ***deps, const void **edges, size_t *n) {
  CU_CALL(cudart_capture_info(stream, status, id, graph, deps, edges, n));
}
CUDA_ALIAS(cuStreamGetCaptureInfo_v3, _ptsz);

CUDA_API(cuStreamUpdateCaptureDependencies, void *stream, void **deps, size_t n, unsigned flags) {
  CU_CALL(cudart_capture_update(stream, deps, n, flags));
}
CUDA_ALIAS(cuStreamUpdateCaptureDependencies, _ptsz);

CUDA_API(cuStreamUpdateCaptureDependencies_v2, void *stream, void **deps, const void *edges,
         size_t n, unsigned flags) {
  (void)edges;
  CU_CALL(cudart_capture_update(stream, deps, n, flags));
}
CUDA_ALIAS(cuStreamUpdateCaptureDependencies_v2, _ptsz);
