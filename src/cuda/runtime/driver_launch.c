/* Launching kernels and functions of the host. */
#include "cuda/runtime/driver.h"

#include <stdlib.h>
#include <string.h>

/* What `extra` names: a parameter block that the program has packed itself. */
enum { EXTRA_END, EXTRA_BUFFER, EXTRA_SIZE };
struct packed {
  const void *at;
  size_t bytes;
};

static int read_extra(void *const *extra, struct packed *p) {
  *p = (struct packed){0};
  for (; (uintptr_t)extra[0] != EXTRA_END; extra += 2) {
    if ((uintptr_t)extra[0] == EXTRA_BUFFER)
      p->at = extra[1];
    else if ((uintptr_t)extra[0] == EXTRA_SIZE && extra[1] != NULL)
      memcpy(&p->bytes, extra[1], sizeof p->bytes);
    else
      return WEIR_E_InvalidValue;
  }
  return 0;
}

static size_t bytes_used(const struct ptx_func *f) {
  const struct ptx_var *last = f->n_params > 0 ? &f->params[f->n_params - 1] : NULL;
  return last != NULL ? last->offset + last->bytes : 0;
}

static int copy_packed(struct weir_gpu_launch *l, void *const *extra) {
  const struct ptx_func *f = l->kernel->entry;
  struct packed p;
  int error = read_extra(extra, &p);
  if (error != 0) return error;
  if (p.at == NULL) p.bytes = 0;
  if (p.at == NULL && f->n_params != 0) return WEIR_E_InvalidValue;
  if (p.bytes > bytes_used(f)) return WEIR_E_LaunchOutOfResources;
  l->params = weir_gpu_host_calloc(1, (size_t)f->param_bytes + 1);
  if (l->params == NULL) return WEIR_E_MemoryAllocation;
  if (p.bytes > 0) memcpy(l->params, p.at, p.bytes); /* the rest is 0 */
  return 0;
}

/* The kernel is in `l`; `args` or `extra` have its parameters. */
static int pack(struct weir_gpu_launch *l, void *const *args, void *const *extra) {
  if (l->kernel == NULL) return WEIR_E_InvalidResourceHandle;
  if (args != NULL && extra != NULL) return WEIR_E_InvalidValue;
  int error = weir_gpu_kernel_load(l->kernel);
  if (error != 0) return error;
  if (extra != NULL) return copy_packed(l, extra);
  if (args == NULL && l->kernel->entry->n_params != 0) return WEIR_E_InvalidValue;
  l->params = weir_gpu_pack(l->kernel, args);
  return l->params != NULL ? 0 : WEIR_E_MemoryAllocation;
}

static int launch(struct weir_gpu_launch l, const void *stream, void *const *args,
                  void *const *extra) {
  struct weir_gpu_op op = {.kind = WEIR_GPU_OP_KERNEL, .u.kernel = l};
  int error = pack(&op.u.kernel, args, extra);
  if (error == 0) error = cudart_submit(stream, &op);
  free(op.u.kernel.params);
  return error;
}

CUDA_API(cuLaunchKernel, const void *function, unsigned grid_x, unsigned grid_y, unsigned grid_z,
         unsigned block_x, unsigned block_y, unsigned block_z, unsigned shared, const void *stream,
         void **args, void **extra) {
  CU_CALL(launch((struct weir_gpu_launch){.kernel = weir_gpu_kernel_of(function),
                                          .grid = {grid_x, grid_y, grid_z},
                                          .block = {block_x, block_y, block_z},
                                          .dyn_shared = shared},
                 stream, args, extra));
}
CUDA_ALIAS(cuLaunchKernel, _ptsz);

CUDA_API(cuLaunchCooperativeKernel, const void *function, unsigned grid_x, unsigned grid_y,
         unsigned grid_z, unsigned block_x, unsigned block_y, unsigned block_z, unsigned shared,
         const void *stream, void **args) {
  CU_CALL(launch((struct weir_gpu_launch){.kernel = weir_gpu_kernel_of(function),
                                          .grid = {grid_x, grid_y, grid_z},
                                          .block = {block_x, block_y, block_z},
                                          .dyn_shared = shared,
                                          .is_cooperative = true},
                 stream, args, NULL));
}
CUDA_ALIAS(cuLaunchCooperativeKernel, _ptsz);

struct config {
  unsigned grid[3], block[3], shared;
  const void *stream;
  const struct cuda_launch_attribute *attributes;
  unsigned n_attributes;
};

/* Other attributes that say how a launch is scheduled change nothing here. Clusters would change
 * what the kernel sees. */
static int launch_ex(const struct config *c, const void *function, void *const *args,
                     void *const *extra) {
  struct weir_gpu_launch l = {.kernel = weir_gpu_kernel_of(function), .dyn_shared = c->shared};
  memcpy(l.grid, c->grid, sizeof l.grid);
  memcpy(l.block, c->block, sizeof l.block);
  for (unsigned i = 0; i < c->n_attributes; i++) {
    const struct cuda_launch_attribute *a = &c->attributes[i];
    const struct cuda_dim3 *n = &a->value.cluster;
    if (a->id == CUDA_ATTRIBUTE_COOPERATIVE) l.is_cooperative = a->value.cooperative != 0;
    if (a->id == CUDA_ATTRIBUTE_CARVEOUT) {
      if (!weir_gpu_is_percent(a->value.carveout)) return WEIR_E_InvalidValue;
      l.carveout = (uint8_t)(a->value.carveout + 1);
    }
    if (a->id != CUDA_ATTRIBUTE_CLUSTER || (uint64_t)n->x * n->y * n->z <= 1) continue;
    weir_gpu_say("a launch with clusters of %u x %u x %u blocks is not supported", n->x, n->y,
                 n->z);
    return WEIR_E_NotSupported;
  }
  return launch(l, c->stream, args, extra);
}

CUDA_API(cuLaunchKernelEx, const struct config *config, const void *function, void **args,
         void **extra) {
  CU_CALL(config != NULL ? launch_ex(config, function, args, extra) : WEIR_E_InvalidValue);
}
CUDA_ALIAS(cuLaunchKernelEx, _ptsz);

CU_FORWARD(cuLaunchHostFunc, cudaLaunchHostFunc, (void *stream, void (*fn)(void *), void *data),
           (stream, fn, data));
CUDA_ALIAS(cuLaunchHostFunc, _ptsz);

/* ---- before CUDA 4 ---- */

/* A launch used to be put together by several calls. */
struct pieces {
  const struct weir_gpu_kernel *kernel;
  uint32_t block[3], shared;
  uint8_t params[4096];
  unsigned bytes;
  struct pieces *next;
};
static struct pieces *all_pieces;

static struct pieces *pieces_of(const void *function) {
  const struct weir_gpu_kernel *k = weir_gpu_kernel_of(function);
  struct pieces *p = all_pieces;
  while (p != NULL && p->kernel != k)
    p = p->next;
  if (p != NULL || k == NULL) return p;
  p = weir_gpu_host_calloc(1, sizeof *p);
  if (p == NULL) return NULL;
  *p = (struct pieces){.kernel = k, .block = {1, 1, 1}, .next = all_pieces};
  return all_pieces = p;
}

static int set_block(struct pieces *p, int x, int y, int z) {
  if (p == NULL) return WEIR_E_InvalidResourceHandle;
  if (x <= 0 || y <= 0 || z <= 0) return WEIR_E_InvalidValue;
  p->block[0] = (uint32_t)x;
  p->block[1] = (uint32_t)y;
  p->block[2] = (uint32_t)z;
  return 0;
}

CUDA_API(cuFuncSetBlockShape, const void *function, int x, int y, int z) {
  CU_CALL(set_block(pieces_of(function), x, y, z));
}

CUDA_API(cuFuncSetSharedSize, const void *function, unsigned bytes) {
  struct pieces *p;
  CU_CALL((p = pieces_of(function)) != NULL ? (p->shared = bytes, 0)
                                            : WEIR_E_InvalidResourceHandle);
}

static int set_size(struct pieces *p, unsigned bytes) {
  if (p == NULL) return WEIR_E_InvalidResourceHandle;
  if (bytes > sizeof p->params) return WEIR_E_InvalidValue;
  p->bytes = bytes;
  return 0;
}

CUDA_API(cuParamSetSize, const void *function, unsigned bytes) {
  CU_CALL(set_size(pieces_of(function), bytes));
}

static int set_param(struct pieces *p, int offset, const void *value, size_t bytes) {
  if (p == NULL) return WEIR_E_InvalidResourceHandle;
  if (offset < 0 || value == NULL || (size_t)offset + bytes > sizeof p->params)
    return WEIR_E_InvalidValue;
  memcpy(p->params + offset, value, bytes);
  return 0;
}

CUDA_API(cuParamSeti, const void *function, int offset, unsigned value) {
  CU_CALL(set_param(pieces_of(function), offset, &value, sizeof value));
}

CUDA_API(cuParamSetf, const void *function, int offset, float value) {
  CU_CALL(set_param(pieces_of(function), offset, &value, sizeof value));
}

CUDA_API(cuParamSetv, const void *function, int offset, const void *value, unsigned bytes) {
  CU_CALL(set_param(pieces_of(function), offset, value, bytes));
}

static int launch_pieces(const void *function, int width, int height, const void *stream) {
  struct pieces *p = pieces_of(function);
  if (p == NULL) return WEIR_E_InvalidResourceHandle;
  if (width <= 0 || height <= 0) return WEIR_E_InvalidValue;
  size_t bytes = p->bytes;
  void *extra[] = {(void *)EXTRA_BUFFER, p->params, (void *)EXTRA_SIZE, &bytes, NULL};
  struct weir_gpu_launch l = {.kernel = weir_gpu_kernel_of(function),
                              .grid = {(uint32_t)width, (uint32_t)height, 1},
                              .dyn_shared = p->shared};
  memcpy(l.block, p->block, sizeof l.block);
  return launch(l, stream, NULL, extra);
}

CUDA_API(cuLaunch, const void *function) {
  CU_CALL(launch_pieces(function, 1, 1, NULL));
}

CUDA_API(cuLaunchGrid, const void *function, int width, int height) {
  CU_CALL(launch_pieces(function, width, height, NULL));
}

CUDA_API(cuLaunchGridAsync, const void *function, int width, int height, const void *stream) {
  CU_CALL(launch_pieces(function, width, height, stream));
}
