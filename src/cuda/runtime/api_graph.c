/* Graphs made by hand, and what is done with any. */
#include "cuda/runtime/api.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cuda/runtime/graph.h"

static struct weir_gpu_graph *graph_of(const void *p) {
  return weir_gpu_handle(p, WEIR_GPU_GRAPH);
}
static struct weir_gpu_node *node_of(const void *p) {
  return weir_gpu_handle(p, WEIR_GPU_NODE);
}
static struct weir_gpu_exec *exec_of(const void *p) {
  return weir_gpu_handle(p, WEIR_GPU_EXEC);
}

/* ---- graphs ---- */

static int put_graph(void **out, struct weir_gpu_graph *g) {
  if (g == NULL) return WEIR_E_MemoryAllocation;
  *out = g;
  return 0;
}

CUDA_API(cudaGraphCreate, void **out, unsigned flags) {
  CUDA_CALL(out != NULL && flags == 0 ? put_graph(out, weir_gpu_graph_new()) : WEIR_E_InvalidValue);
}

static int destroy_graph(struct weir_gpu_graph *g) {
  if (g == NULL || g->is_child) return WEIR_E_InvalidValue;
  weir_gpu_graph_free(g);
  return 0;
}

CUDA_API(cudaGraphDestroy, void *graph) {
  CUDA_CALL(destroy_graph(graph_of(graph)));
}

static int clone_graph(void **out, const struct weir_gpu_graph *g) {
  struct weir_gpu_graph *copy;
  if (out == NULL || g == NULL) return WEIR_E_InvalidValue;
  if (weir_gpu_graph_has_memory(g)) return WEIR_E_NotSupported;
  int error = weir_gpu_graph_clone(g, &copy);
  if (error == 0) *out = copy;
  return error;
}

CUDA_API(cudaGraphClone, void **out, void *graph) {
  CUDA_CALL(clone_graph(out, graph_of(graph)));
}

static int find_in_clone(void **out, void *node, void *clone) {
  const struct weir_gpu_node *n = node_of(node);
  const struct weir_gpu_graph *g = graph_of(clone);
  if (out == NULL || n == NULL || g == NULL) return WEIR_E_InvalidValue;
  *out = weir_gpu_graph_find(g, n);
  return *out != NULL ? 0 : WEIR_E_InvalidValue;
}

CUDA_API(cudaGraphNodeFindInClone, void **out, void *node, void *clone) {
  CUDA_CALL(find_in_clone(out, node, clone));
}

/* ---- what there is ---- */

static size_t n_before(const struct weir_gpu_node *n) {
  return n->n_deps;
}

/* All nodes, or those that wait for nothing; *n is the room, then the number. */
static int list_nodes(void *graph, void **out, size_t *n, bool roots_only) {
  const struct weir_gpu_graph *g = graph_of(graph);
  if (g == NULL || n == NULL) return WEIR_E_InvalidValue;
  size_t room = out != NULL ? *n : 0, found = 0;
  for (size_t i = 0; i < g->n_nodes; i++) {
    if (roots_only && n_before(g->nodes[i]) != 0) continue;
    if (found < room) out[found] = g->nodes[i];
    found++;
  }
  for (size_t i = found; i < room; i++)
    out[i] = NULL;
  if (out == NULL || found < room) *n = found;
  return 0;
}

CUDA_API(cudaGraphGetNodes, void *graph, void **nodes, size_t *n) {
  CUDA_CALL(list_nodes(graph, nodes, n, false));
}

CUDA_API(cudaGraphGetRootNodes, void *graph, void **nodes, size_t *n) {
  CUDA_CALL(list_nodes(graph, nodes, n, true));
}

enum { EDGE_BYTES = 8 };

int cudart_edges(void *graph, void **from, void **to, void *edges, size_t *n) {
  const struct weir_gpu_graph *g = graph_of(graph);
  if (g == NULL || n == NULL || (from == NULL) != (to == NULL)) return WEIR_E_InvalidValue;
  size_t room = from != NULL ? *n : 0, found = 0;
  for (size_t i = 0; i < g->n_nodes; i++)
    for (size_t k = 0; k < g->nodes[i]->n_deps; k++, found++)
      if (found < room) {
        from[found] = g->nodes[i]->deps[k];
        to[found] = g->nodes[i];
      }
  if (edges != NULL) memset(edges, 0, EDGE_BYTES * (found < room ? found : room));
  if (from == NULL || found < room) *n = found;
  return 0;
}

static bool depends(const struct weir_gpu_node *n, const struct weir_gpu_node *on) {
  for (size_t i = 0; i < n->n_deps; i++)
    if (n->deps[i] == on) return true;
  return false;
}

int cudart_neighbours(void *node, void **out, void *edges, size_t *n, bool before) {
  const struct weir_gpu_node *self = node_of(node);
  if (self == NULL || n == NULL) return WEIR_E_InvalidValue;
  size_t room = out != NULL ? *n : 0, found = 0;
  const struct weir_gpu_graph *g = self->graph;
  for (size_t i = 0; i < g->n_nodes; i++) {
    struct weir_gpu_node *other = g->nodes[i];
    if (!(before ? depends(self, other) : depends(other, self))) continue;
    if (found < room) out[found] = other;
    found++;
  }
  if (edges != NULL) memset(edges, 0, EDGE_BYTES * (found < room ? found : room));
  if (out == NULL || found < room) *n = found;
  return 0;
}

int cudart_edit_edges(void *graph, void *const *from, void *const *to, size_t n, bool add) {
  const struct weir_gpu_graph *g = graph_of(graph);
  if (g == NULL || (n > 0 && (from == NULL || to == NULL))) return WEIR_E_InvalidValue;
  int error = 0;
  for (size_t i = 0; i < n && error == 0; i++) {
    struct weir_gpu_node *a = node_of(from[i]), *b = node_of(to[i]);
    if (a == NULL || b == NULL || a->graph != g || b->graph != g || a == b || depends(b, a) == add)
      return WEIR_E_InvalidValue;
    error = add ? weir_gpu_graph_depend(b, a) : weir_gpu_graph_undepend(b, a);
  }
  return error;
}

static int remove_node(struct weir_gpu_node *n) {
  if (n == NULL) return WEIR_E_InvalidValue;
  if (n->op.kind == WEIR_GPU_OP_ALLOC || n->op.kind == WEIR_GPU_OP_FREE) return WEIR_E_NotSupported;
  weir_gpu_graph_remove(n);
  return 0;
}

CUDA_API(cudaGraphDestroyNode, void *node) {
  CUDA_CALL(remove_node(node_of(node)));
}

static int node_type(const struct weir_gpu_node *n, int *type) {
  if (n == NULL || type == NULL) return WEIR_E_InvalidValue;
  *type = (int)n->op.kind;
  return 0;
}

CUDA_API(cudaGraphNodeGetType, void *node, int *type) {
  CUDA_CALL(node_type(node_of(node), type));
}

/* ---- instances ---- */

int cudart_instantiate(void **out, void *graph, uint64_t flags) {
  struct weir_gpu_graph *g = graph_of(graph);
  struct weir_gpu_exec *e;
  if (out == NULL || g == NULL) return WEIR_E_InvalidValue;
  int error = weir_gpu_exec_new(g, flags, &e);
  if (error == 0) *out = e;
  return error;
}

CUDA_API(cudaGraphInstantiateWithFlags, void **out, void *graph, unsigned long long flags) {
  CUDA_CALL(cudart_instantiate(out, graph, flags));
}

static int instantiate_with(void **out, void *graph, struct cuda_instantiate_params *p) {
  if (p == NULL) return WEIR_E_InvalidValue;
  int error = cudart_instantiate(out, graph, p->flags);
  p->error_node = NULL;
  p->result = error != 0;
  return error;
}

CUDA_API(cudaGraphInstantiateWithParams, void **out, void *graph,
         struct cuda_instantiate_params *params) {
  CUDA_CALL(instantiate_with(out, graph, params));
}
CUDA_ALIAS(cudaGraphInstantiateWithParams, _ptsz);

static int destroy_exec(struct weir_gpu_exec *e) {
  if (e == NULL) return WEIR_E_InvalidValue;
  weir_gpu_exec_free(e);
  return 0;
}

CUDA_API(cudaGraphExecDestroy, void *exec) {
  CUDA_CALL(destroy_exec(exec_of(exec)));
}

static int exec_flags(const struct weir_gpu_exec *e, unsigned long long *flags) {
  if (e == NULL || flags == NULL) return WEIR_E_InvalidValue;
  *flags = e->flags;
  return 0;
}

CUDA_API(cudaGraphExecGetFlags, void *exec, unsigned long long *flags) {
  CUDA_CALL(exec_flags(exec_of(exec), flags));
}

/* A graph that is launched into a captured stream becomes a child of the captured graph. */
static int launch_graph(struct weir_gpu_exec *e, void *stream) {
  if (e == NULL) return WEIR_E_InvalidValue;
  const struct weir_gpu_stream *s = weir_gpu_stream_of(stream);
  int error = s != NULL && s->capture == NULL ? weir_gpu_exec_prepare(e) : 0;
  const struct weir_gpu_op op = {.kind = WEIR_GPU_OP_CHILD, .u.child = e->graph};
  return error != 0 ? error : cudart_submit(stream, &op);
}

CUDA_API(cudaGraphLaunch, void *exec, void *stream) {
  CUDA_CALL(launch_graph(exec_of(exec), stream));
}
CUDA_ALIAS(cudaGraphLaunch, _ptsz);

CUDA_API(cudaGraphUpload, void *exec, void *stream) {
  CUDA_CALL(exec_of(exec) != NULL && weir_gpu_stream_of(stream) != NULL ? 0 : WEIR_E_InvalidValue);
}
CUDA_ALIAS(cudaGraphUpload, _ptsz);

int cudart_exec_update(void *exec, void *graph, struct cuda_update_info *info) {
  enum { UPDATED, FAILED, TOPOLOGY_CHANGED };
  struct weir_gpu_exec *e = exec_of(exec);
  const struct weir_gpu_graph *g = graph_of(graph);
  struct weir_gpu_node *culprit;
  if (e == NULL || g == NULL || info == NULL) return WEIR_E_InvalidValue;
  int error = weir_gpu_exec_update(e, g, &culprit);
  *info = (struct cuda_update_info){.result = error == 0 ? UPDATED : TOPOLOGY_CHANGED,
                                    .error_node = culprit};
  return error;
}

static struct weir_gpu_node *in_exec(void *exec, void *node) {
  const struct weir_gpu_exec *e = exec_of(exec);
  const struct weir_gpu_node *n = node_of(node);
  return e != NULL && n != NULL ? weir_gpu_graph_find(e->graph, n) : NULL;
}

static int set_enabled(struct weir_gpu_node *n, unsigned enabled) {
  if (n == NULL) return WEIR_E_InvalidValue;
  n->is_disabled = enabled == 0;
  return 0;
}

CUDA_API(cudaGraphNodeSetEnabled, void *exec, void *node, unsigned enabled) {
  CUDA_CALL(set_enabled(in_exec(exec, node), enabled));
}

static int get_enabled(const struct weir_gpu_node *n, unsigned *enabled) {
  if (n == NULL || enabled == NULL) return WEIR_E_InvalidValue;
  *enabled = !n->is_disabled;
  return 0;
}

CUDA_API(cudaGraphNodeGetEnabled, void *exec, void *node, unsigned *enabled) {
  CUDA_CALL(get_enabled(in_exec(exec, node), enabled));
}

/* ---- objects of the program ---- */

static struct weir_gpu_object *object_of(const void *p) {
  return weir_gpu_handle(p, WEIR_GPU_USER_OBJECT);
}

static int new_object(void **out, void *data, void (*destroy)(void *), unsigned n) {
  struct weir_gpu_object *o;
  if (out == NULL || destroy == NULL || n == 0 || n > INT32_MAX) return WEIR_E_InvalidValue;
  int error = weir_gpu_object_new(data, destroy, n, &o);
  if (error == 0) *out = o;
  return error;
}

CUDA_API(cudaUserObjectCreate, void **out, void *data, void (*destroy)(void *), unsigned n,
         unsigned flags) {
  enum { NO_SYNC = 1 }; /* the only way there is */
  CUDA_CALL(flags == NO_SYNC ? new_object(out, data, destroy, n) : WEIR_E_InvalidValue);
}

static int retain(struct weir_gpu_object *o, unsigned n) {
  if (o == NULL || n == 0 || n > INT32_MAX) return WEIR_E_InvalidValue;
  o->n_refs += n;
  return 0;
}

CUDA_API(cudaUserObjectRetain, void *object, unsigned n) {
  CUDA_CALL(retain(object_of(object), n));
}

CUDA_API(cudaUserObjectRelease, void *object, unsigned n) {
  CUDA_CALL(object_of(object) != NULL && n != 0 ? weir_gpu_object_release(object_of(object), n)
                                                : WEIR_E_InvalidValue);
}

static int hold(struct weir_gpu_graph *g, struct weir_gpu_object *o, unsigned n, unsigned flags) {
  enum { MOVE = 1 };
  if (g == NULL || o == NULL || n == 0 || flags > MOVE) return WEIR_E_InvalidValue;
  int error = weir_gpu_graph_hold(g, o, n);
  return error != 0 || flags == MOVE ? error : retain(o, n);
}

CUDA_API(cudaGraphRetainUserObject, void *graph, void *object, unsigned n, unsigned flags) {
  CUDA_CALL(hold(graph_of(graph), object_of(object), n, flags));
}

CUDA_API(cudaGraphReleaseUserObject, void *graph, void *object, unsigned n) {
  CUDA_CALL(graph_of(graph) != NULL && object_of(object) != NULL && n != 0
                ? weir_gpu_graph_let_go(graph_of(graph), object_of(object), n)
                : WEIR_E_InvalidValue);
}

/* ---- pictures ---- */

static int print_dot(const struct weir_gpu_graph *g, const char *path) {
  static const char *const names[] = {"kernel", "memcpy",     "memset",       "host", "child graph",
                                      "empty",  "event wait", "event record", "",     "",
                                      "alloc",  "free"};
  FILE *f = g != NULL && path != NULL ? fopen(path, "w") : NULL;
  if (f == NULL) return g == NULL || path == NULL ? WEIR_E_InvalidValue : WEIR_E_OperatingSystem;
  fprintf(f, "digraph graph_%llu {\n", (unsigned long long)g->handle.id);
  for (size_t i = 0; i < g->n_nodes; i++) {
    const struct weir_gpu_node *n = g->nodes[i];
    bool is_kernel = n->op.kind == WEIR_GPU_OP_KERNEL;
    fprintf(f, "  node_%llu [label=\"%s%s%s\"];\n", (unsigned long long)n->handle.id,
            names[n->op.kind], is_kernel ? " " : "", is_kernel ? n->op.u.kernel.kernel->name : "");
    for (size_t k = 0; k < n->n_deps; k++)
      fprintf(f, "  node_%llu -> node_%llu;\n", (unsigned long long)n->deps[k]->handle.id,
              (unsigned long long)n->handle.id);
  }
  fputs("}\n", f);
  return fclose(f) == 0 ? 0 : WEIR_E_OperatingSystem;
}

CUDA_API(cudaGraphDebugDotPrint, void *graph, const char *path, unsigned flags) {
  (void)flags; /* how much is said */
  CUDA_CALL(print_dot(graph_of(graph), path));
}
