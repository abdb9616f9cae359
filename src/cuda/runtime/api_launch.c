#include "cuda/runtime/api.h"

#include <stdlib.h>
#include <string.h>

int cudart_submit(const void *handle, const struct weir_gpu_op *op) {
  struct weir_gpu_stream *s = weir_gpu_stream_of(handle);
  return s != NULL ? weir_gpu_submit(s, op) : WEIR_E_InvalidResourceHandle;
}

/* ---- kernels ---- */

int cudart_launch_of(const void *func, struct cuda_dim3 grid, struct cuda_dim3 block, void **args,
                     size_t shared, struct weir_gpu_launch *out) {
  *out = (struct weir_gpu_launch){.kernel = weir_gpu_kernel_of(func),
                                  .grid = {grid.x, grid.y, grid.z},
                                  .block = {block.x, block.y, block.z},
                                  .dyn_shared = shared};
  if (out->kernel == NULL) return func != NULL ? cudart_no_kernel : WEIR_E_InvalidDeviceFunction;
  int error = weir_gpu_kernel_load(out->kernel);
  if (error != 0) return error;
  if (args == NULL && out->kernel->entry->n_params != 0) return WEIR_E_InvalidValue;
  out->params = weir_gpu_pack(out->kernel, args);
  return out->params != NULL ? 0 : WEIR_E_MemoryAllocation;
}

/* What a launch may have besides. */
struct special {
  bool is_cooperative;
  uint8_t carveout; /* as in struct weir_gpu_launch */
};

static int launch(const void *func, struct cuda_dim3 grid, struct cuda_dim3 block, void **args,
                  size_t shared, void *stream, struct special special) {
  struct weir_gpu_op op = {.kind = WEIR_GPU_OP_KERNEL};
  int error = cudart_launch_of(func, grid, block, args, shared, &op.u.kernel);
  op.u.kernel.is_cooperative = special.is_cooperative;
  op.u.kernel.carveout = special.carveout;
  if (error == 0) error = cudart_submit(stream, &op);
  free(op.u.kernel.params);
  bool is_bad = !weir_gpu_is_configuration(op.u.kernel.grid, op.u.kernel.block);
  return error == WEIR_E_InvalidValue && is_bad ? cudart_bad_configuration : error;
}

CUDA_API(cudaLaunchKernel, const void *func, struct cuda_dim3 grid, struct cuda_dim3 block,
         void **args, size_t shared, void *stream) {
  CUDA_CALL(launch(func, grid, block, args, shared, stream, (struct special){0}));
}
CUDA_ALIAS(cudaLaunchKernel, _ptsz);

CUDA_API(__cudaLaunchKernel, void *kernel, struct cuda_dim3 grid, struct cuda_dim3 block,
         void **args, size_t shared, void *stream) {
  CUDA_CALL(launch(kernel, grid, block, args, shared, stream, (struct special){0}));
}
CUDA_ALIAS(__cudaLaunchKernel, _ptsz);

CUDA_API(cudaLaunchCooperativeKernel, const void *func, struct cuda_dim3 grid,
         struct cuda_dim3 block, void **args, size_t shared, void *stream) {
  CUDA_CALL(
      launch(func, grid, block, args, shared, stream, (struct special){.is_cooperative = true}));
}
CUDA_ALIAS(cudaLaunchCooperativeKernel, _ptsz);

/* Other attributes that say how a launch is scheduled change nothing here. Clusters would change
 * what the kernel sees. */
static int launch_ex(const struct cuda_launch_config *c, const void *func, void **args) {
  struct special special = {0};
  for (unsigned i = 0; i < c->n_attributes; i++) {
    const struct cuda_launch_attribute *a = &c->attributes[i];
    if (a->id == CUDA_ATTRIBUTE_COOPERATIVE) special.is_cooperative = a->value.cooperative != 0;
    if (a->id == CUDA_ATTRIBUTE_CARVEOUT) {
      if (!weir_gpu_is_percent(a->value.carveout)) return WEIR_E_InvalidValue;
      special.carveout = (uint8_t)(a->value.carveout + 1);
    }
    const struct cuda_dim3 *n = &a->value.cluster;
    if (a->id == CUDA_ATTRIBUTE_CLUSTER && (uint64_t)n->x * n->y * n->z > 1) {
      weir_gpu_say("a launch with clusters of %u x %u x %u blocks is not supported", n->x, n->y,
                   n->z);
      return WEIR_E_NotSupported;
    }
  }
  return launch(func, c->grid, c->block, args, c->shared, c->stream, special);
}

CUDA_API(cudaLaunchKernelExC, const struct cuda_launch_config *config, const void *func,
         void **args) {
  CUDA_CALL(config != NULL ? launch_ex(config, func, args) : WEIR_E_InvalidValue);
}
CUDA_ALIAS(cudaLaunchKernelExC, _ptsz);

/* ---- functions of the host ---- */

CUDA_API(cudaLaunchHostFunc, void *stream, void (*fn)(void *), void *data) {
  const struct weir_gpu_op op = {.kind = WEIR_GPU_OP_HOST, .u.host = {fn, data}};
  CUDA_CALL(fn != NULL ? cudart_submit(stream, &op) : WEIR_E_InvalidValue);
}
CUDA_ALIAS(cudaLaunchHostFunc, _ptsz);

struct callback {
  void (*fn)(void *, int, void *);
  void *stream, *data;
};

static void call_back(void *p) {
  struct callback c = *(struct callback *)p;
  free(p);
  c.fn(c.stream, weir_gpu.sticky, c.data);
}

static int add_callback(void *stream, void (*fn)(void *, int, void *), void *data) {
  struct weir_gpu_stream *s = weir_gpu_stream_of(stream);
  if (s == NULL) return WEIR_E_InvalidResourceHandle;
  if (fn == NULL) return WEIR_E_InvalidValue;
  if (s->capture != NULL) return WEIR_E_StreamCaptureUnsupported;
  struct callback *c = weir_gpu_host_calloc(1, sizeof *c);
  if (c == NULL) return WEIR_E_MemoryAllocation;
  *c = (struct callback){fn, stream, data};
  int error =
      weir_gpu_submit(s, &(struct weir_gpu_op){.kind = WEIR_GPU_OP_HOST, .u.host = {call_back, c}});
  if (error != 0) free(c);
  return error;
}

CUDA_API(cudaStreamAddCallback, void *stream, void (*fn)(void *, int, void *), void *data,
         unsigned flags) {
  (void)flags;
  CUDA_CALL(add_callback(stream, fn, data));
}
CUDA_ALIAS(cudaStreamAddCallback, _ptsz);
