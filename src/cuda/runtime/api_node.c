/* Nodes of graphs: for each kind adding it, asking for and replacing what it does, in a graph and
 * in an instance. */
#include "cuda/runtime/api.h"

#include <stdlib.h>

#include "cuda/runtime/array.h"
#include "cuda/runtime/graph.h"

static int add(void **out, void *graph, void *const *deps, size_t n, const struct weir_gpu_op *op) {
  struct weir_gpu_graph *g = weir_gpu_handle(graph, WEIR_GPU_GRAPH);
  struct weir_gpu_node *node;
  if (g == NULL || out == NULL || (n > 0 && deps == NULL)) return WEIR_E_InvalidValue;
  int error = weir_gpu_graph_add(g, (struct weir_gpu_node *const *)deps, n, op, &node);
  if (error == 0) *out = node;
  return error;
}

/* The node of a graph or, with `exec`, of an instance; NULL if it is none or of another kind. */
static struct weir_gpu_node *find(void *exec, void *node, enum weir_gpu_op_kind kind) {
  struct weir_gpu_node *n = weir_gpu_handle(node, WEIR_GPU_NODE);
  if (n != NULL && exec != NULL) {
    const struct weir_gpu_exec *e = weir_gpu_handle(exec, WEIR_GPU_EXEC);
    n = e != NULL ? weir_gpu_graph_find(e->graph, n) : NULL;
  }
  return n != NULL && n->op.kind == kind ? n : NULL;
}

static int set(void *exec, void *node, const struct weir_gpu_op *op) {
  struct weir_gpu_node *n = find(exec, node, op->kind);
  return n != NULL ? weir_gpu_node_set(n, op) : WEIR_E_InvalidValue;
}

/* Of calls with an instance, which must not be NULL. */
static int set_in_exec(void *exec, void *node, const struct weir_gpu_op *op) {
  return exec != NULL ? set(exec, node, op) : WEIR_E_InvalidValue;
}

/* `make` fills in `op` and gives an error; then `use`. */
#define WITH_OP(make, use)                                                                         \
  do {                                                                                             \
    struct weir_gpu_op op;                                                                         \
    int error_ = cudart_enter();                                                                   \
    if (error_ == 0) error_ = (make);                                                              \
    if (error_ == 0) {                                                                             \
      error_ = (use);                                                                              \
      if (op.kind == WEIR_GPU_OP_KERNEL) free(op.u.kernel.params);                                 \
    }                                                                                              \
    return cudart_leave(error_);                                                                   \
  } while (0)

/* ---- kernels ---- */

static int of_kernel(struct weir_gpu_op *op, const struct cuda_kernel_params *p) {
  *op = (struct weir_gpu_op){.kind = WEIR_GPU_OP_KERNEL};
  if (p == NULL) return WEIR_E_InvalidValue;
  int error = cudart_launch_of(p->func, p->grid, p->block, p->args, p->shared, &op->u.kernel);
  if (error == 0) error = weir_gpu_launch_check(&op->u.kernel);
  if (error != 0) free(op->u.kernel.params);
  return error;
}

CUDA_API(cudaGraphAddKernelNode, void **out, void *graph, void *const *deps, size_t n,
         const struct cuda_kernel_params *params) {
  WITH_OP(of_kernel(&op, params), add(out, graph, deps, n, &op));
}

CUDA_API(cudaGraphKernelNodeSetParams, void *node, const struct cuda_kernel_params *params) {
  WITH_OP(of_kernel(&op, params), set(NULL, node, &op));
}

CUDA_API(cudaGraphExecKernelNodeSetParams, void *exec, void *node,
         const struct cuda_kernel_params *params) {
  WITH_OP(of_kernel(&op, params), set_in_exec(exec, node, &op));
}

/* The pointers to the parameters live with the node. */
static int kernel_params(struct weir_gpu_node *n, struct cuda_kernel_params *p) {
  if (n == NULL || p == NULL) return WEIR_E_InvalidValue;
  const struct weir_gpu_launch *l = &n->op.u.kernel;
  const struct ptx_func *f = l->kernel->entry;
  free(n->args);
  n->args = weir_gpu_host_calloc(f->n_params + 1u, sizeof *n->args);
  if (n->args == NULL) return WEIR_E_MemoryAllocation;
  for (uint32_t i = 0; i < f->n_params; i++)
    n->args[i] = l->params + f->params[i].offset;
  const void *func = l->kernel->host != NULL ? l->kernel->host : l->kernel;
  *p = (struct cuda_kernel_params){.func = cudart_ptr(cudart_addr(func)),
                                   .grid = {l->grid[0], l->grid[1], l->grid[2]},
                                   .block = {l->block[0], l->block[1], l->block[2]},
                                   .shared = (unsigned)l->dyn_shared,
                                   .args = n->args};
  return 0;
}

CUDA_API(cudaGraphKernelNodeGetParams, void *node, struct cuda_kernel_params *params) {
  CUDA_CALL(kernel_params(find(NULL, node, WEIR_GPU_OP_KERNEL), params));
}

/* Those that are no int are hints, and change nothing. */
static int set_node_attribute(struct weir_gpu_node *n, int id, int value) {
  if (n == NULL) return WEIR_E_InvalidValue;
  struct weir_gpu_launch *l = &n->op.u.kernel;
  if (id == CUDA_ATTRIBUTE_COOPERATIVE) l->is_cooperative = value != 0;
  if (id != CUDA_ATTRIBUTE_CARVEOUT) return 0;
  if (!weir_gpu_is_percent(value)) return WEIR_E_InvalidValue;
  l->carveout = (uint8_t)(value + 1);
  return 0;
}

static int get_node_attribute(const struct weir_gpu_node *n, int id, int *value) {
  if (n == NULL || value == NULL) return WEIR_E_InvalidValue;
  const struct weir_gpu_launch *l = &n->op.u.kernel;
  if (id == CUDA_ATTRIBUTE_COOPERATIVE) *value = l->is_cooperative;
  if (id == CUDA_ATTRIBUTE_CARVEOUT) *value = l->carveout - 1;
  return 0;
}

CUDA_API(cudaGraphKernelNodeSetAttribute, void *node, int id, const void *value) {
  CUDA_CALL(value != NULL
                ? set_node_attribute(find(NULL, node, WEIR_GPU_OP_KERNEL), id, *(const int *)value)
                : WEIR_E_InvalidValue);
}

CUDA_API(cudaGraphKernelNodeGetAttribute, void *node, int id, void *value) {
  CUDA_CALL(get_node_attribute(find(NULL, node, WEIR_GPU_OP_KERNEL), id, value));
}

static int copy_attributes(struct weir_gpu_node *to, const struct weir_gpu_node *from) {
  if (to == NULL || from == NULL) return WEIR_E_InvalidValue;
  to->op.u.kernel.is_cooperative = from->op.u.kernel.is_cooperative;
  to->op.u.kernel.carveout = from->op.u.kernel.carveout;
  return 0;
}

CUDA_API(cudaGraphKernelNodeCopyAttributes, void *to, void *from) {
  CUDA_CALL(
      copy_attributes(find(NULL, to, WEIR_GPU_OP_KERNEL), find(NULL, from, WEIR_GPU_OP_KERNEL)));
}

/* ---- copies ---- */

static int checked(struct weir_gpu_op *op) {
  return weir_gpu_copy_check(&op->u.copy);
}

static int of_copy(struct weir_gpu_op *op, const struct cuda_copy3d *p) {
  *op = (struct weir_gpu_op){.kind = WEIR_GPU_OP_COPY};
  if (p == NULL) return WEIR_E_InvalidValue;
  int error = cudart_copy3d(p, &op->u.copy);
  return error != 0 ? error : checked(op);
}

static int of_line(struct weir_gpu_op *op, void *dst, const void *src, size_t bytes, int kind) {
  *op = (struct weir_gpu_op){
      .kind = WEIR_GPU_OP_COPY,
      .u.copy = weir_gpu_copy_line(cudart_addr(dst), cudart_addr(src), bytes, kind)};
  return checked(op);
}

static int of_symbol(struct weir_gpu_op *op, void *dst, const void *src, const void *symbol,
                     size_t bytes, size_t offset, int kind) {
  uint64_t addr;
  int error = cudart_symbol(symbol, bytes, offset, &addr);
  if (error != 0) return error;
  return dst != NULL ? of_line(op, dst, cudart_ptr(addr), bytes, kind)
                     : of_line(op, cudart_ptr(addr), src, bytes, kind);
}

CUDA_API(cudaGraphAddMemcpyNode, void **out, void *graph, void *const *deps, size_t n,
         const struct cuda_copy3d *params) {
  WITH_OP(of_copy(&op, params), add(out, graph, deps, n, &op));
}

CUDA_API(cudaGraphAddMemcpyNode1D, void **out, void *graph, void *const *deps, size_t n, void *dst,
         const void *src, size_t bytes, int kind) {
  WITH_OP(of_line(&op, dst, src, bytes, kind), add(out, graph, deps, n, &op));
}

CUDA_API(cudaGraphAddMemcpyNodeToSymbol, void **out, void *graph, void *const *deps, size_t n,
         const void *symbol, const void *src, size_t bytes, size_t offset, int kind) {
  WITH_OP(of_symbol(&op, NULL, src, symbol, bytes, offset, kind), add(out, graph, deps, n, &op));
}

CUDA_API(cudaGraphAddMemcpyNodeFromSymbol, void **out, void *graph, void *const *deps, size_t n,
         void *dst, const void *symbol, size_t bytes, size_t offset, int kind) {
  WITH_OP(of_symbol(&op, dst, NULL, symbol, bytes, offset, kind), add(out, graph, deps, n, &op));
}

CUDA_API(cudaGraphMemcpyNodeSetParams, void *node, const struct cuda_copy3d *params) {
  WITH_OP(of_copy(&op, params), set(NULL, node, &op));
}

CUDA_API(cudaGraphMemcpyNodeSetParams1D, void *node, void *dst, const void *src, size_t bytes,
         int kind) {
  WITH_OP(of_line(&op, dst, src, bytes, kind), set(NULL, node, &op));
}

CUDA_API(cudaGraphMemcpyNodeSetParamsToSymbol, void *node, const void *symbol, const void *src,
         size_t bytes, size_t offset, int kind) {
  WITH_OP(of_symbol(&op, NULL, src, symbol, bytes, offset, kind), set(NULL, node, &op));
}

CUDA_API(cudaGraphMemcpyNodeSetParamsFromSymbol, void *node, void *dst, const void *symbol,
         size_t bytes, size_t offset, int kind) {
  WITH_OP(of_symbol(&op, dst, NULL, symbol, bytes, offset, kind), set(NULL, node, &op));
}

CUDA_API(cudaGraphExecMemcpyNodeSetParams, void *exec, void *node,
         const struct cuda_copy3d *params) {
  WITH_OP(of_copy(&op, params), set_in_exec(exec, node, &op));
}

CUDA_API(cudaGraphExecMemcpyNodeSetParams1D, void *exec, void *node, void *dst, const void *src,
         size_t bytes, int kind) {
  WITH_OP(of_line(&op, dst, src, bytes, kind), set_in_exec(exec, node, &op));
}

CUDA_API(cudaGraphExecMemcpyNodeSetParamsToSymbol, void *exec, void *node, const void *symbol,
         const void *src, size_t bytes, size_t offset, int kind) {
  WITH_OP(of_symbol(&op, NULL, src, symbol, bytes, offset, kind), set_in_exec(exec, node, &op));
}

CUDA_API(cudaGraphExecMemcpyNodeSetParamsFromSymbol, void *exec, void *node, void *dst,
         const void *symbol, size_t bytes, size_t offset, int kind) {
  WITH_OP(of_symbol(&op, dst, NULL, symbol, bytes, offset, kind), set_in_exec(exec, node, &op));
}

static struct cuda_pitched memory_of(const struct weir_gpu_side *s, uint64_t width) {
  return (struct cuda_pitched){cudart_ptr(s->ptr), s->pitch, width, s->rows};
}

static struct cuda_pos pos_of(const struct weir_gpu_side *s, uint64_t elem) {
  return (struct cuda_pos){s->array != NULL ? s->x / elem : s->x, s->y, s->z};
}

static int copy_params(const struct weir_gpu_node *n, struct cuda_copy3d *p) {
  if (n == NULL || p == NULL) return WEIR_E_InvalidValue;
  const struct weir_gpu_copy *c = &n->op.u.copy;
  uint64_t elem = c->src.array != NULL   ? c->src.array->elem_bytes
                  : c->dst.array != NULL ? c->dst.array->elem_bytes
                                         : 1;
  *p = (struct cuda_copy3d){.src_array = c->src.array,
                            .src_pos = pos_of(&c->src, elem),
                            .dst_array = c->dst.array,
                            .dst_pos = pos_of(&c->dst, elem),
                            .extent = {c->width / elem, c->height, c->depth},
                            .kind = c->kind};
  if (c->src.array == NULL) p->src = memory_of(&c->src, c->width);
  if (c->dst.array == NULL) p->dst = memory_of(&c->dst, c->width);
  return 0;
}

CUDA_API(cudaGraphMemcpyNodeGetParams, void *node, struct cuda_copy3d *params) {
  CUDA_CALL(copy_params(find(NULL, node, WEIR_GPU_OP_COPY), params));
}

/* ---- fills ---- */

static int of_set(struct weir_gpu_op *op, const struct cuda_memset_params *p) {
  *op = (struct weir_gpu_op){.kind = WEIR_GPU_OP_SET};
  if (p == NULL) return WEIR_E_InvalidValue;
  op->u.set = (struct weir_gpu_set){.ptr = cudart_addr(p->dst),
                                    .pitch = p->pitch,
                                    .rows = p->height,
                                    .value = p->value,
                                    .elem_bytes = p->elem_bytes,
                                    .width = p->width,
                                    .height = p->height,
                                    .depth = 1};
  return weir_gpu_set_check(&op->u.set);
}

CUDA_API(cudaGraphAddMemsetNode, void **out, void *graph, void *const *deps, size_t n,
         const struct cuda_memset_params *params) {
  WITH_OP(of_set(&op, params), add(out, graph, deps, n, &op));
}

CUDA_API(cudaGraphMemsetNodeSetParams, void *node, const struct cuda_memset_params *params) {
  WITH_OP(of_set(&op, params), set(NULL, node, &op));
}

CUDA_API(cudaGraphExecMemsetNodeSetParams, void *exec, void *node,
         const struct cuda_memset_params *params) {
  WITH_OP(of_set(&op, params), set_in_exec(exec, node, &op));
}

static int set_params(const struct weir_gpu_node *n, struct cuda_memset_params *p) {
  if (n == NULL || p == NULL) return WEIR_E_InvalidValue;
  const struct weir_gpu_set *s = &n->op.u.set;
  *p = (struct cuda_memset_params){.dst = cudart_ptr(s->ptr),
                                   .pitch = s->pitch,
                                   .value = s->value,
                                   .elem_bytes = s->elem_bytes,
                                   .width = s->width,
                                   .height = s->height};
  return 0;
}

CUDA_API(cudaGraphMemsetNodeGetParams, void *node, struct cuda_memset_params *params) {
  CUDA_CALL(set_params(find(NULL, node, WEIR_GPU_OP_SET), params));
}

/* ---- functions of the host ---- */

static int of_host(struct weir_gpu_op *op, const struct cuda_host_params *p) {
  *op = (struct weir_gpu_op){.kind = WEIR_GPU_OP_HOST};
  if (p == NULL || p->fn == NULL) return WEIR_E_InvalidValue;
  op->u.host.fn = p->fn;
  op->u.host.data = p->data;
  return 0;
}

CUDA_API(cudaGraphAddHostNode, void **out, void *graph, void *const *deps, size_t n,
         const struct cuda_host_params *params) {
  WITH_OP(of_host(&op, params), add(out, graph, deps, n, &op));
}

CUDA_API(cudaGraphHostNodeSetParams, void *node, const struct cuda_host_params *params) {
  WITH_OP(of_host(&op, params), set(NULL, node, &op));
}

CUDA_API(cudaGraphExecHostNodeSetParams, void *exec, void *node,
         const struct cuda_host_params *params) {
  WITH_OP(of_host(&op, params), set_in_exec(exec, node, &op));
}

static int host_params(const struct weir_gpu_node *n, struct cuda_host_params *p) {
  if (n == NULL || p == NULL) return WEIR_E_InvalidValue;
  *p = (struct cuda_host_params){n->op.u.host.fn, n->op.u.host.data};
  return 0;
}

CUDA_API(cudaGraphHostNodeGetParams, void *node, struct cuda_host_params *params) {
  CUDA_CALL(host_params(find(NULL, node, WEIR_GPU_OP_HOST), params));
}

/* ---- graphs within graphs, and nothing ---- */

static int of_child(struct weir_gpu_op *op, void *child) {
  *op = (struct weir_gpu_op){.kind = WEIR_GPU_OP_CHILD,
                             .u.child = weir_gpu_handle(child, WEIR_GPU_GRAPH)};
  return op->u.child != NULL ? 0 : WEIR_E_InvalidValue;
}

CUDA_API(cudaGraphAddChildGraphNode, void **out, void *graph, void *const *deps, size_t n,
         void *child) {
  WITH_OP(of_child(&op, child), add(out, graph, deps, n, &op));
}

CUDA_API(cudaGraphExecChildGraphNodeSetParams, void *exec, void *node, void *child) {
  WITH_OP(of_child(&op, child), set_in_exec(exec, node, &op));
}

static int child_of(const struct weir_gpu_node *n, void **graph) {
  if (n == NULL || graph == NULL) return WEIR_E_InvalidValue;
  *graph = n->op.u.child;
  return 0;
}

CUDA_API(cudaGraphChildGraphNodeGetGraph, void *node, void **graph) {
  CUDA_CALL(child_of(find(NULL, node, WEIR_GPU_OP_CHILD), graph));
}

static int of_nothing(struct weir_gpu_op *op) {
  *op = (struct weir_gpu_op){.kind = WEIR_GPU_OP_EMPTY};
  return 0;
}

CUDA_API(cudaGraphAddEmptyNode, void **out, void *graph, void *const *deps, size_t n) {
  WITH_OP(of_nothing(&op), add(out, graph, deps, n, &op));
}

/* ---- events ---- */

static int of_event(struct weir_gpu_op *op, enum weir_gpu_op_kind kind, void *event) {
  *op = (struct weir_gpu_op){.kind = kind, .u.event = weir_gpu_handle(event, WEIR_GPU_EVENT)};
  return op->u.event != NULL ? 0 : WEIR_E_InvalidValue;
}

static int event_in(const struct weir_gpu_node *n, void **event) {
  if (n == NULL || event == NULL) return WEIR_E_InvalidValue;
  *event = n->op.u.event;
  return 0;
}

CUDA_API(cudaGraphAddEventRecordNode, void **out, void *graph, void *const *deps, size_t n,
         void *event) {
  WITH_OP(of_event(&op, WEIR_GPU_OP_RECORD, event), add(out, graph, deps, n, &op));
}

CUDA_API(cudaGraphAddEventWaitNode, void **out, void *graph, void *const *deps, size_t n,
         void *event) {
  WITH_OP(of_event(&op, WEIR_GPU_OP_WAIT, event), add(out, graph, deps, n, &op));
}

CUDA_API(cudaGraphEventRecordNodeSetEvent, void *node, void *event) {
  WITH_OP(of_event(&op, WEIR_GPU_OP_RECORD, event), set(NULL, node, &op));
}

CUDA_API(cudaGraphEventWaitNodeSetEvent, void *node, void *event) {
  WITH_OP(of_event(&op, WEIR_GPU_OP_WAIT, event), set(NULL, node, &op));
}

CUDA_API(cudaGraphExecEventRecordNodeSetEvent, void *exec, void *node, void *event) {
  WITH_OP(of_event(&op, WEIR_GPU_OP_RECORD, event), set_in_exec(exec, node, &op));
}

CUDA_API(cudaGraphExecEventWaitNodeSetEvent, void *exec, void *node, void *event) {
  WITH_OP(of_event(&op, WEIR_GPU_OP_WAIT, event), set_in_exec(exec, node, &op));
}

CUDA_API(cudaGraphEventRecordNodeGetEvent, void *node, void **event) {
  CUDA_CALL(event_in(find(NULL, node, WEIR_GPU_OP_RECORD), event));
}

CUDA_API(cudaGraphEventWaitNodeGetEvent, void *node, void **event) {
  CUDA_CALL(event_in(find(NULL, node, WEIR_GPU_OP_WAIT), event));
}

/* ---- memory ---- */

/* The memory has its address from now on. */
static int of_alloc(struct weir_gpu_op *op, struct cuda_alloc_params *p) {
  *op = (struct weir_gpu_op){.kind = WEIR_GPU_OP_ALLOC};
  if (p == NULL || p->bytes == 0) return WEIR_E_InvalidValue;
  op->u.memory.bytes = p->bytes;
  int error = weir_gpu_alloc(WEIR_GPU_DEVICE, p->bytes, WEIR_GPU_OF_GRAPH, &op->u.memory.addr);
  if (error == 0) p->ptr = cudart_ptr(op->u.memory.addr);
  return error;
}

static int of_free(struct weir_gpu_op *op, void *ptr) {
  *op = (struct weir_gpu_op){.kind = WEIR_GPU_OP_FREE, .u.memory = {.addr = cudart_addr(ptr)}};
  return weir_gpu_block_of(cudart_addr(ptr)) != NULL ? 0 : WEIR_E_InvalidValue;
}

CUDA_API(cudaGraphAddMemAllocNode, void **out, void *graph, void *const *deps, size_t n,
         struct cuda_alloc_params *params) {
  WITH_OP(of_alloc(&op, params), add(out, graph, deps, n, &op));
}

CUDA_API(cudaGraphAddMemFreeNode, void **out, void *graph, void *const *deps, size_t n, void *ptr) {
  WITH_OP(of_free(&op, ptr), add(out, graph, deps, n, &op));
}

static int alloc_params(const struct weir_gpu_node *n, struct cuda_alloc_params *p) {
  enum { PINNED = 1, DEVICE = 1 };
  if (n == NULL || p == NULL) return WEIR_E_InvalidValue;
  *p = (struct cuda_alloc_params){.pool = {.alloc_type = PINNED, .location = {DEVICE, 0}},
                                  .bytes = n->op.u.memory.bytes,
                                  .ptr = cudart_ptr(n->op.u.memory.addr)};
  return 0;
}

CUDA_API(cudaGraphMemAllocNodeGetParams, void *node, struct cuda_alloc_params *params) {
  CUDA_CALL(alloc_params(find(NULL, node, WEIR_GPU_OP_ALLOC), params));
}

static int freed_by(const struct weir_gpu_node *n, void **ptr) {
  if (n == NULL || ptr == NULL) return WEIR_E_InvalidValue;
  *ptr = cudart_ptr(n->op.u.memory.addr);
  return 0;
}

CUDA_API(cudaGraphMemFreeNodeGetParams, void *node, void *ptr) {
  CUDA_CALL(freed_by(find(NULL, node, WEIR_GPU_OP_FREE), ptr));
}

/* ---- any kind ---- */

static int of_params(struct weir_gpu_op *op, struct cuda_node_params *p) {
  if (p == NULL) return WEIR_E_InvalidValue;
  switch (p->type) {
  case WEIR_GPU_OP_KERNEL:
    return of_kernel(op, &p->u.kernel);
  case WEIR_GPU_OP_COPY:
    return of_copy(op, &p->u.copy.copy);
  case WEIR_GPU_OP_SET:
    return of_set(op, &p->u.set);
  case WEIR_GPU_OP_HOST:
    return of_host(op, &p->u.host);
  case WEIR_GPU_OP_CHILD:
    return of_child(op, p->u.graph);
  case WEIR_GPU_OP_EMPTY:
    return of_nothing(op);
  case WEIR_GPU_OP_WAIT:
  case WEIR_GPU_OP_RECORD:
    return of_event(op, (enum weir_gpu_op_kind)p->type, p->u.event);
  case WEIR_GPU_OP_ALLOC:
    return of_alloc(op, &p->u.alloc);
  case WEIR_GPU_OP_FREE:
    return of_free(op, p->u.free_ptr);
  default:
    weir_gpu_say("a graph node of type %d is not supported", p->type);
    return WEIR_E_NotSupported;
  }
}

int cudart_add_node(void **out, void *graph, void *const *deps, size_t n,
                    struct cuda_node_params *params) {
  struct weir_gpu_op op;
  int error = of_params(&op, params);
  if (error != 0) return error;
  error = add(out, graph, deps, n, &op);
  if (op.kind == WEIR_GPU_OP_KERNEL) free(op.u.kernel.params);
  return error;
}

CUDA_API(cudaGraphNodeSetParams, void *node, struct cuda_node_params *params) {
  WITH_OP(of_params(&op, params), set(NULL, node, &op));
}

CUDA_API(cudaGraphExecNodeSetParams, void *exec, void *node, struct cuda_node_params *params) {
  WITH_OP(of_params(&op, params), set_in_exec(exec, node, &op));
}
