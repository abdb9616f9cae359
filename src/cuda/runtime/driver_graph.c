/* Graphs. Those of libcudart, but for copies, whose description differs. */
#include "cuda/runtime/driver.h"
#include "cuda/runtime/graph.h"

/* ---- graphs ---- */

CU_FORWARD(cuGraphCreate, cudaGraphCreate, (void **out, unsigned flags), (out, flags));
CU_FORWARD(cuGraphDestroy, cudaGraphDestroy, (void *graph), (graph));
CU_FORWARD(cuGraphClone, cudaGraphClone, (void **out, void *graph), (out, graph));
CU_FORWARD(cuGraphNodeFindInClone, cudaGraphNodeFindInClone, (void **out, void *node, void *clone),
           (out, node, clone));
CU_FORWARD(cuGraphGetNodes, cudaGraphGetNodes, (void *graph, void **nodes, size_t *n),
           (graph, nodes, n));
CU_FORWARD(cuGraphGetRootNodes, cudaGraphGetRootNodes, (void *graph, void **nodes, size_t *n),
           (graph, nodes, n));
CU_FORWARD(cuGraphDestroyNode, cudaGraphDestroyNode, (void *node), (node));
CU_FORWARD(cuGraphNodeGetType, cudaGraphNodeGetType, (void *node, int *type), (node, type));

/* Before CUDA 12.3, edges have no data. */
CUDA_API(cuGraphAddDependencies, void *graph, void *const *from, void *const *to, size_t n) {
  CU_CALL(cudart_edit_edges(graph, from, to, n, true));
}

CUDA_API(cuGraphAddDependencies_v2, void *graph, void *const *from, void *const *to,
         const void *edges, size_t n) {
  (void)edges;
  CU_CALL(cudart_edit_edges(graph, from, to, n, true));
}

CUDA_API(cuGraphRemoveDependencies, void *graph, void *const *from, void *const *to, size_t n) {
  CU_CALL(cudart_edit_edges(graph, from, to, n, false));
}

CUDA_API(cuGraphRemoveDependencies_v2, void *graph, void *const *from, void *const *to,
         const void *edges, size_t n) {
  (void)edges;
  CU_CALL(cudart_edit_edges(graph, from, to, n, false));
}

CUDA_API(cuGraphGetEdges, void *graph, void **from, void **to, size_t *n) {
  CU_CALL(cudart_edges(graph, from, to, NULL, n));
}

CUDA_API(cuGraphGetEdges_v2, void *graph, void **from, void **to, void *edges, size_t *n) {
  CU_CALL(cudart_edges(graph, from, to, edges, n));
}

CUDA_API(cuGraphNodeGetDependencies, void *node, void **deps, size_t *n) {
  CU_CALL(cudart_neighbours(node, deps, NULL, n, true));
}

CUDA_API(cuGraphNodeGetDependencies_v2, void *node, void **deps, void *edges, size_t *n) {
  CU_CALL(cudart_neighbours(node, deps, edges, n, true));
}

CUDA_API(cuGraphNodeGetDependentNodes, void *node, void **deps, size_t *n) {
  CU_CALL(cudart_neighbours(node, deps, NULL, n, false));
}

CUDA_API(cuGraphNodeGetDependentNodes_v2, void *node, void **deps, void *edges, size_t *n) {
  CU_CALL(cudart_neighbours(node, deps, edges, n, false));
}

CU_FORWARD(cuDeviceGetGraphMemAttribute, cudaDeviceGetGraphMemAttribute,
           (int device, int attribute, void *value), (device, attribute, value));
CU_FORWARD(cuDeviceSetGraphMemAttribute, cudaDeviceSetGraphMemAttribute,
           (int device, int attribute, void *value), (device, attribute, value));
CU_FORWARD(cuDeviceGraphMemTrim, cudaDeviceGraphMemTrim, (int device), (device));

/* ---- instances ---- */

CU_FORWARD(cuGraphInstantiateWithFlags, cudaGraphInstantiateWithFlags,
           (void **out, void *graph, unsigned long long flags), (out, graph, flags));
CU_FORWARD(cuGraphInstantiateWithParams, cudaGraphInstantiateWithParams,
           (void **out, void *graph, struct cuda_instantiate_params *params), (out, graph, params));
CUDA_ALIAS(cuGraphInstantiateWithParams, _ptsz);

CUDA_API(cuGraphInstantiate_v2, void **out, void *graph, void **error_node, char *log,
         size_t log_bytes) {
  if (error_node != NULL) *error_node = NULL;
  if (log != NULL && log_bytes > 0) log[0] = 0;
  CU_CALL(cudart_instantiate(out, graph, 0));
}
CUDA_OLD_NAME(cuGraphInstantiate, cuGraphInstantiate_v2);

CU_FORWARD(cuGraphExecDestroy, cudaGraphExecDestroy, (void *exec), (exec));
CU_FORWARD(cuGraphExecGetFlags, cudaGraphExecGetFlags, (void *exec, unsigned long long *flags),
           (exec, flags));
CU_FORWARD(cuGraphLaunch, cudaGraphLaunch, (void *exec, void *stream), (exec, stream));
CUDA_ALIAS(cuGraphLaunch, _ptsz);
CU_FORWARD(cuGraphUpload, cudaGraphUpload, (void *exec, void *stream), (exec, stream));
CUDA_ALIAS(cuGraphUpload, _ptsz);
CU_FORWARD(cuGraphNodeSetEnabled, cudaGraphNodeSetEnabled,
           (void *exec, void *node, unsigned enabled), (exec, node, enabled));
CU_FORWARD(cuGraphNodeGetEnabled, cudaGraphNodeGetEnabled,
           (void *exec, void *node, unsigned *enabled), (exec, node, enabled));

CUDA_API(cuGraphExecUpdate_v2, void *exec, void *graph, struct cuda_update_info *info) {
  CU_CALL(cudart_exec_update(exec, graph, info));
}

static int update(void *exec, void *graph, void **error_node, int *result) {
  struct cuda_update_info info = {0};
  int error = cudart_exec_update(exec, graph, &info);
  if (error_node != NULL) *error_node = info.error_node;
  if (result != NULL) *result = info.result;
  return error;
}

CUDA_API(cuGraphExecUpdate, void *exec, void *graph, void **error_node, int *result) {
  CU_CALL(update(exec, graph, error_node, result));
}

/* ---- nodes ---- */

/* Where the driver has a context behind the parameters, or more of them, it is not needed. */
CU_FORWARD(cuGraphAddKernelNode_v2, cudaGraphAddKernelNode,
           (void **out, void *graph, void *const *deps, size_t n,
            const struct cuda_kernel_params *params),
           (out, graph, deps, n, params));
CUDA_OLD_NAME(cuGraphAddKernelNode, cuGraphAddKernelNode_v2);
CU_FORWARD(cuGraphKernelNodeGetParams, cudaGraphKernelNodeGetParams,
           (void *node, struct cuda_kernel_params *params), (node, params));
CU_FORWARD(cuGraphKernelNodeSetParams_v2, cudaGraphKernelNodeSetParams,
           (void *node, const struct cuda_kernel_params *params), (node, params));
CUDA_OLD_NAME(cuGraphKernelNodeSetParams, cuGraphKernelNodeSetParams_v2);
CU_FORWARD(cuGraphExecKernelNodeSetParams_v2, cudaGraphExecKernelNodeSetParams,
           (void *exec, void *node, const struct cuda_kernel_params *params), (exec, node, params));
CUDA_OLD_NAME(cuGraphExecKernelNodeSetParams, cuGraphExecKernelNodeSetParams_v2);
CU_FORWARD(cuGraphKernelNodeSetAttribute, cudaGraphKernelNodeSetAttribute,
           (void *node, int id, const void *value), (node, id, value));
CU_FORWARD(cuGraphKernelNodeGetAttribute, cudaGraphKernelNodeGetAttribute,
           (void *node, int id, void *value), (node, id, value));
CU_FORWARD(cuGraphKernelNodeCopyAttributes, cudaGraphKernelNodeCopyAttributes,
           (void *to, void *from), (to, from));

struct kernel_params_2 {
  struct cuda_kernel_params common;
  void *kernel, *context;
};

CUDA_API(cuGraphKernelNodeGetParams_v2, void *node, struct kernel_params_2 *params) {
  if (params == NULL) return WEIR_E_InvalidValue;
  params->kernel = params->context = NULL;
  return cuGraphKernelNodeGetParams(node, &params->common);
}

CUDA_EXPORT int cudaGraphAddMemsetNode(void **out, void *graph, void *const *deps, size_t n,
                                       const struct cuda_memset_params *params);
CUDA_API(cuGraphAddMemsetNode, void **out, void *graph, void *const *deps, size_t n,
         const struct cuda_memset_params *params, const void *context) {
  (void)context;
  return cudaGraphAddMemsetNode(out, graph, deps, n, params);
}

CU_FORWARD(cuGraphMemsetNodeGetParams, cudaGraphMemsetNodeGetParams,
           (void *node, struct cuda_memset_params *params), (node, params));
CU_FORWARD(cuGraphMemsetNodeSetParams, cudaGraphMemsetNodeSetParams,
           (void *node, const struct cuda_memset_params *params), (node, params));

CUDA_EXPORT int cudaGraphExecMemsetNodeSetParams(void *exec, void *node,
                                                 const struct cuda_memset_params *params);
CUDA_API(cuGraphExecMemsetNodeSetParams, void *exec, void *node,
         const struct cuda_memset_params *params, const void *context) {
  (void)context;
  return cudaGraphExecMemsetNodeSetParams(exec, node, params);
}

CU_FORWARD(cuGraphAddHostNode, cudaGraphAddHostNode,
           (void **out, void *graph, void *const *deps, size_t n,
            const struct cuda_host_params *params),
           (out, graph, deps, n, params));
CU_FORWARD(cuGraphHostNodeGetParams, cudaGraphHostNodeGetParams,
           (void *node, struct cuda_host_params *params), (node, params));
CU_FORWARD(cuGraphHostNodeSetParams, cudaGraphHostNodeSetParams,
           (void *node, const struct cuda_host_params *params), (node, params));
CU_FORWARD(cuGraphExecHostNodeSetParams, cudaGraphExecHostNodeSetParams,
           (void *exec, void *node, const struct cuda_host_params *params), (exec, node, params));
CU_FORWARD(cuGraphAddChildGraphNode, cudaGraphAddChildGraphNode,
           (void **out, void *graph, void *const *deps, size_t n, void *child),
           (out, graph, deps, n, child));
CU_FORWARD(cuGraphExecChildGraphNodeSetParams, cudaGraphExecChildGraphNodeSetParams,
           (void *exec, void *node, void *child), (exec, node, child));
CU_FORWARD(cuGraphChildGraphNodeGetGraph, cudaGraphChildGraphNodeGetGraph,
           (void *node, void **graph), (node, graph));
CU_FORWARD(cuGraphAddEmptyNode, cudaGraphAddEmptyNode,
           (void **out, void *graph, void *const *deps, size_t n), (out, graph, deps, n));
CU_FORWARD(cuGraphAddEventRecordNode, cudaGraphAddEventRecordNode,
           (void **out, void *graph, void *const *deps, size_t n, void *event),
           (out, graph, deps, n, event));
CU_FORWARD(cuGraphAddEventWaitNode, cudaGraphAddEventWaitNode,
           (void **out, void *graph, void *const *deps, size_t n, void *event),
           (out, graph, deps, n, event));
CU_FORWARD(cuGraphEventRecordNodeSetEvent, cudaGraphEventRecordNodeSetEvent,
           (void *node, void *event), (node, event));
CU_FORWARD(cuGraphEventWaitNodeSetEvent, cudaGraphEventWaitNodeSetEvent, (void *node, void *event),
           (node, event));
CU_FORWARD(cuGraphExecEventRecordNodeSetEvent, cudaGraphExecEventRecordNodeSetEvent,
           (void *exec, void *node, void *event), (exec, node, event));
CU_FORWARD(cuGraphExecEventWaitNodeSetEvent, cudaGraphExecEventWaitNodeSetEvent,
           (void *exec, void *node, void *event), (exec, node, event));
CU_FORWARD(cuGraphEventRecordNodeGetEvent, cudaGraphEventRecordNodeGetEvent,
           (void *node, void **event), (node, event));
CU_FORWARD(cuGraphEventWaitNodeGetEvent, cudaGraphEventWaitNodeGetEvent, (void *node, void **event),
           (node, event));
CU_FORWARD(cuGraphAddMemAllocNode, cudaGraphAddMemAllocNode,
           (void **out, void *graph, void *const *deps, size_t n, struct cuda_alloc_params *params),
           (out, graph, deps, n, params));
CU_FORWARD(cuGraphAddMemFreeNode, cudaGraphAddMemFreeNode,
           (void **out, void *graph, void *const *deps, size_t n, void *ptr),
           (out, graph, deps, n, ptr));
CU_FORWARD(cuGraphMemAllocNodeGetParams, cudaGraphMemAllocNodeGetParams,
           (void *node, struct cuda_alloc_params *params), (node, params));
CU_FORWARD(cuGraphMemFreeNodeGetParams, cudaGraphMemFreeNodeGetParams, (void *node, void *ptr),
           (node, ptr));

/* ---- copies ---- */

static int op_of(struct weir_gpu_op *op, const struct cu_copy *copy) {
  *op = (struct weir_gpu_op){.kind = WEIR_GPU_OP_COPY};
  if (copy == NULL) return WEIR_E_InvalidValue;
  int error = cu_copy_of(copy, &op->u.copy);
  return error != 0 ? error : weir_gpu_copy_check(&op->u.copy);
}

static int add_copy(void **out, void *graph, void *const *deps, size_t n,
                    const struct cu_copy *copy) {
  struct weir_gpu_graph *g = weir_gpu_handle(graph, WEIR_GPU_GRAPH);
  struct weir_gpu_node *node;
  struct weir_gpu_op op;
  if (g == NULL || out == NULL || (n > 0 && deps == NULL)) return WEIR_E_InvalidValue;
  int error = op_of(&op, copy);
  if (error == 0) error = weir_gpu_graph_add(g, (struct weir_gpu_node *const *)deps, n, &op, &node);
  if (error == 0) *out = node;
  return error;
}

CUDA_API(cuGraphAddMemcpyNode, void **out, void *graph, void *const *deps, size_t n,
         const struct cu_copy *copy, const void *context) {
  (void)context;
  CU_CALL(add_copy(out, graph, deps, n, copy));
}

static int set_copy(struct weir_gpu_node *node, const struct cu_copy *copy) {
  struct weir_gpu_op op;
  if (node == NULL || node->op.kind != WEIR_GPU_OP_COPY) return WEIR_E_InvalidValue;
  int error = op_of(&op, copy);
  return error != 0 ? error : weir_gpu_node_set(node, &op);
}

static struct weir_gpu_node *in_exec(const void *exec, const void *node) {
  const struct weir_gpu_exec *e = weir_gpu_handle(exec, WEIR_GPU_EXEC);
  const struct weir_gpu_node *n = weir_gpu_handle(node, WEIR_GPU_NODE);
  return e != NULL && n != NULL ? weir_gpu_graph_find(e->graph, n) : NULL;
}

CUDA_API(cuGraphMemcpyNodeSetParams, const void *node, const struct cu_copy *copy) {
  CU_CALL(set_copy(weir_gpu_handle(node, WEIR_GPU_NODE), copy));
}

CUDA_API(cuGraphExecMemcpyNodeSetParams, const void *exec, const void *node,
         const struct cu_copy *copy, const void *context) {
  (void)context;
  CU_CALL(set_copy(in_exec(exec, node), copy));
}

static struct cu_side side_of(const struct weir_gpu_side *s) {
  return (struct cu_side){.x = s->x,
                          .y = s->y,
                          .z = s->z,
                          .type = s->array != NULL ? CU_ARRAY : CU_UNIFIED,
                          .device = s->ptr,
                          .array = s->array,
                          .pitch = s->pitch,
                          .height = s->rows};
}

static int get_copy(const struct weir_gpu_node *node, struct cu_copy *copy) {
  if (node == NULL || copy == NULL || node->op.kind != WEIR_GPU_OP_COPY) return WEIR_E_InvalidValue;
  const struct weir_gpu_copy *c = &node->op.u.copy;
  *copy = (struct cu_copy){side_of(&c->src), side_of(&c->dst), c->width, c->height, c->depth};
  return 0;
}

CUDA_API(cuGraphMemcpyNodeGetParams, const void *node, struct cu_copy *copy) {
  CU_CALL(get_copy(weir_gpu_handle(node, WEIR_GPU_NODE), copy));
}

/* ---- any kind ---- */

/* Where the copy lies in CUgraphNodeParams; the other kinds are as the runtime's. */
struct copy_node {
  int flags, reserved;
  void *context;
  struct cu_copy copy;
};

static struct cu_copy *copy_in(struct cuda_node_params *p) {
  return p->type == WEIR_GPU_OP_COPY ? &((struct copy_node *)&p->u)->copy : NULL;
}

/* A kernel of a library can stand where the function does. */
static void name_kernel(struct cuda_node_params *p) {
  struct kernel_params_2 *k = (struct kernel_params_2 *)&p->u;
  if (p->type == WEIR_GPU_OP_KERNEL && k->common.func == NULL) k->common.func = k->kernel;
}

static int add_node(void **out, void *graph, void *const *deps, size_t n,
                    struct cuda_node_params *p) {
  if (p == NULL) return WEIR_E_InvalidValue;
  if (copy_in(p) != NULL) return add_copy(out, graph, deps, n, copy_in(p));
  name_kernel(p);
  return cudart_add_node(out, graph, deps, n, p);
}

CUDA_API(cuGraphAddNode, void **out, void *graph, void *const *deps, size_t n,
         struct cuda_node_params *params) {
  CU_CALL(add_node(out, graph, deps, n, params));
}

CUDA_API(cuGraphAddNode_v2, void **out, void *graph, void *const *deps, const void *edges, size_t n,
         struct cuda_node_params *params) {
  (void)edges;
  CU_CALL(add_node(out, graph, deps, n, params));
}

CUDA_EXPORT int cudaGraphNodeSetParams(void *node, struct cuda_node_params *params);
CUDA_API(cuGraphNodeSetParams, void *node, struct cuda_node_params *params) {
  if (params == NULL) return WEIR_E_InvalidValue;
  if (copy_in(params) != NULL) return cuGraphMemcpyNodeSetParams(node, copy_in(params));
  name_kernel(params);
  return cudaGraphNodeSetParams(node, params);
}

CUDA_EXPORT int cudaGraphExecNodeSetParams(void *exec, void *node, struct cuda_node_params *params);
CUDA_API(cuGraphExecNodeSetParams, void *exec, void *node, struct cuda_node_params *params) {
  if (params == NULL) return WEIR_E_InvalidValue;
  if (copy_in(params) != NULL)
    return cuGraphExecMemcpyNodeSetParams(exec, node, copy_in(params), NULL);
  name_kernel(params);
  return cudaGraphExecNodeSetParams(exec, node, params);
}
