#include "cuda/runtime/graph.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "cuda/runtime/memory.h"

/* ---- what a node owns ---- */

static uint8_t *copy_params(const struct weir_gpu_launch *l) {
  size_t n = (size_t)l->kernel->entry->param_bytes;
  uint8_t *copy = weir_malloc(n + 1);
  if (copy != NULL) memcpy(copy, l->params, n);
  return copy;
}

int weir_gpu_op_own(struct weir_gpu_op *op) {
  if (op->kind == WEIR_GPU_OP_KERNEL) {
    int error = weir_gpu_kernel_load(op->u.kernel.kernel);
    if (error != 0) return error;
    op->u.kernel.params = copy_params(&op->u.kernel);
    return op->u.kernel.params != NULL ? 0 : WEIR_E_MemoryAllocation;
  }
  if (op->kind == WEIR_GPU_OP_ALLOC) {
    struct weir_gpu_block *b = weir_gpu_graph_block(op->u.memory.addr);
    if (b == NULL) return WEIR_E_InvalidValue;
    op->u.memory.block = b->id;
    b->n_nodes++;
    return 0;
  }
  if (op->kind != WEIR_GPU_OP_CHILD) return 0;
  struct weir_gpu_graph *copy;
  int error = weir_gpu_graph_clone(op->u.child, &copy);
  if (error != 0) return error;
  copy->is_child = true;
  op->u.child = copy;
  return weir_gpu_graph_order(copy);
}

void weir_gpu_op_disown(struct weir_gpu_op *op) {
  if (op->kind == WEIR_GPU_OP_KERNEL) free(op->u.kernel.params);
  if (op->kind == WEIR_GPU_OP_CHILD) weir_gpu_graph_free(op->u.child);
  if (op->kind == WEIR_GPU_OP_ALLOC) {
    struct weir_gpu_block *b = weir_gpu_graph_block(op->u.memory.addr);
    if (b != NULL && b->id == op->u.memory.block) weir_gpu_graph_block_left(b);
  }
}

int weir_gpu_node_set(struct weir_gpu_node *n, const struct weir_gpu_op *op) {
  struct weir_gpu_op now = *op;
  int error = weir_gpu_op_own(&now);
  if (error != 0) return error;
  weir_gpu_op_disown(&n->op);
  n->op = now;
  return 0;
}

/* ---- objects of the program ---- */

int weir_gpu_object_new(void *data, void (*destroy)(void *), uint64_t n_refs,
                        struct weir_gpu_object **out) {
  struct weir_gpu_object *o = weir_gpu_new(WEIR_GPU_USER_OBJECT, sizeof *o);
  if (o == NULL) return WEIR_E_MemoryAllocation;
  o->data = data;
  o->destroy = destroy;
  o->n_refs = n_refs;
  *out = o;
  return 0;
}

int weir_gpu_object_release(struct weir_gpu_object *o, uint64_t n) {
  if (n > o->n_refs) return WEIR_E_InvalidValue;
  o->n_refs -= n;
  if (o->n_refs > 0) return 0;
  struct weir_gpu_op last = {.kind = WEIR_GPU_OP_HOST, .u.host = {o->destroy, o->data}};
  weir_gpu_drop(o);
  struct weir_gpu_running *none;
  return weir_gpu_op_run(weir_gpu_stream_of(NULL), &last, &none);
}

int weir_gpu_graph_hold(struct weir_gpu_graph *g, struct weir_gpu_object *o, uint64_t n) {
  for (size_t i = 0; i < g->refs.n; i++)
    if (g->refs.v[i].object == o) {
      g->refs.v[i].n += n;
      return 0;
    }
  return WEIR_PUSH(g->refs, ((struct weir_gpu_ref){o, n})) ? 0 : WEIR_E_MemoryAllocation;
}

int weir_gpu_graph_let_go(struct weir_gpu_graph *g, struct weir_gpu_object *o, uint64_t n) {
  for (size_t i = 0; i < g->refs.n; i++) {
    struct weir_gpu_ref *r = &g->refs.v[i];
    if (r->object != o || r->n < n) continue;
    r->n -= n;
    if (r->n == 0) *r = g->refs.v[--g->refs.n];
    return weir_gpu_object_release(o, n);
  }
  return WEIR_E_InvalidValue;
}

static int hold_same(struct weir_gpu_graph *to, const struct weir_gpu_graph *from) {
  int error = 0;
  for (size_t i = 0; i < from->refs.n && error == 0; i++) {
    error = weir_gpu_graph_hold(to, from->refs.v[i].object, from->refs.v[i].n);
    if (error == 0) from->refs.v[i].object->n_refs += from->refs.v[i].n;
  }
  return error;
}

/* ---- nodes and edges ---- */

struct weir_gpu_graph *weir_gpu_graph_new(void) {
  return weir_gpu_new(WEIR_GPU_GRAPH, sizeof(struct weir_gpu_graph));
}

static void free_node(struct weir_gpu_node *n) {
  weir_gpu_op_disown(&n->op);
  free(n->deps);
  free(n->args);
  weir_gpu_drop(n);
}

void weir_gpu_graph_free(struct weir_gpu_graph *g) {
  if (g == NULL) return;
  for (size_t i = 0; i < g->n_nodes; i++)
    free_node(g->nodes[i]);
  free(g->nodes);
  for (size_t i = 0; i < g->refs.n; i++)
    weir_gpu_object_release(g->refs.v[i].object, g->refs.v[i].n);
  free(g->refs.v);
  weir_gpu_drop(g);
}

/* Room for one more pointer; grows in powers of two. */
static bool push(struct weir_gpu_node ***v, size_t *n, struct weir_gpu_node *x) {
  if ((*n & (*n - 1)) == 0) {
    void *more = weir_realloc(*v, (*n != 0 ? 2 * *n : 1) * sizeof **v);
    if (more == NULL) return false;
    *v = more;
  }
  (*v)[(*n)++] = x;
  return true;
}

int weir_gpu_graph_depend(struct weir_gpu_node *node, struct weir_gpu_node *on) {
  for (size_t i = 0; i < node->n_deps; i++)
    if (node->deps[i] == on) return 0;
  return push(&node->deps, &node->n_deps, on) ? 0 : WEIR_E_MemoryAllocation;
}

/* The array keeps its room, which push() derives from its length: so it is copied. */
static int without(struct weir_gpu_node ***v, size_t *n, const struct weir_gpu_node *x) {
  struct weir_gpu_node **kept = NULL;
  size_t n_kept = 0;
  for (size_t i = 0; i < *n; i++)
    if ((*v)[i] != x && !push(&kept, &n_kept, (*v)[i])) {
      free(kept);
      return WEIR_E_MemoryAllocation;
    }
  free(*v);
  *v = kept;
  *n = n_kept;
  return 0;
}

int weir_gpu_graph_undepend(struct weir_gpu_node *node, struct weir_gpu_node *on) {
  return without(&node->deps, &node->n_deps, on);
}

int weir_gpu_graph_add(struct weir_gpu_graph *g, struct weir_gpu_node *const *deps, size_t n_deps,
                       const struct weir_gpu_op *op, struct weir_gpu_node **out) {
  for (size_t i = 0; i < n_deps; i++) {
    const struct weir_gpu_node *d = weir_gpu_handle(deps[i], WEIR_GPU_NODE);
    if (d == NULL || d->graph != g) return WEIR_E_InvalidValue;
  }
  struct weir_gpu_node *n = weir_gpu_new(WEIR_GPU_NODE, sizeof *n);
  if (n == NULL) return WEIR_E_MemoryAllocation;
  n->op = *op;
  n->graph = g;
  int error = weir_gpu_op_own(&n->op);
  if (error != 0) {
    n->op.kind = WEIR_GPU_OP_EMPTY;
    free_node(n);
    return error;
  }
  for (size_t i = 0; i < n_deps && error == 0; i++)
    error = weir_gpu_graph_depend(n, deps[i]);
  if (error == 0 && !push(&g->nodes, &g->n_nodes, n)) error = WEIR_E_MemoryAllocation;
  if (error != 0) {
    free_node(n);
    return error;
  }
  *out = n;
  return 0;
}

void weir_gpu_graph_remove(struct weir_gpu_node *node) {
  struct weir_gpu_graph *g = node->graph;
  for (size_t i = 0; i < g->n_nodes; i++)
    without(&g->nodes[i]->deps, &g->nodes[i]->n_deps, node);
  without(&g->nodes, &g->n_nodes, node);
  free_node(node);
}

struct weir_gpu_node *weir_gpu_graph_find(const struct weir_gpu_graph *g,
                                          const struct weir_gpu_node *node) {
  for (size_t i = 0; i < g->n_nodes; i++)
    if (g->nodes[i]->origin == node && g->nodes[i]->origin_id == node->handle.id)
      return g->nodes[i];
  return NULL;
}

int weir_gpu_graph_clone(const struct weir_gpu_graph *g, struct weir_gpu_graph **out) {
  struct weir_gpu_graph *c = weir_gpu_graph_new();
  int error = c != NULL ? hold_same(c, g) : WEIR_E_MemoryAllocation;
  for (size_t i = 0; error == 0 && i < g->n_nodes; i++) {
    struct weir_gpu_node *from = g->nodes[i], *to;
    error = weir_gpu_graph_add(c, NULL, 0, &from->op, &to);
    if (error != 0) break;
    to->origin = from;
    to->origin_id = from->handle.id;
    to->is_disabled = from->is_disabled;
    from->mark = (uint32_t)i;
  }
  for (size_t i = 0; error == 0 && i < g->n_nodes; i++)
    for (size_t k = 0; error == 0 && k < g->nodes[i]->n_deps; k++)
      error = weir_gpu_graph_depend(c->nodes[i], c->nodes[g->nodes[i]->deps[k]->mark]);
  if (error != 0) {
    weir_gpu_graph_free(c);
    return error;
  }
  *out = c;
  return 0;
}

/* ---- execution ---- */

enum { WAITING, DONE };

static bool is_free_to_run(const struct weir_gpu_node *n) {
  for (size_t i = 0; i < n->n_deps; i++)
    if (n->deps[i]->mark == WAITING) return false;
  return true;
}

/* Again and again the first node whose dependencies are done: nodes that were added in a sensible
 * order stay in it. */
int weir_gpu_graph_order(struct weir_gpu_graph *g) {
  size_t n_done = 0;
  for (size_t i = 0; i < g->n_nodes; i++)
    g->nodes[i]->mark = WAITING;
  while (n_done < g->n_nodes) {
    size_t at = n_done;
    while (at < g->n_nodes && !is_free_to_run(g->nodes[at]))
      at++;
    if (at == g->n_nodes) return WEIR_E_InvalidValue;
    struct weir_gpu_node *n = g->nodes[at];
    memmove(g->nodes + n_done + 1, g->nodes + n_done,
            (at - n_done) * sizeof(struct weir_gpu_node *));
    g->nodes[n_done++] = n;
    n->mark = DONE;
  }
  return 0;
}

int weir_gpu_graph_run(const struct weir_gpu_graph *g, struct weir_gpu_stream *s) {
  int error = 0;
  for (size_t i = 0; i < g->n_nodes && error == 0; i++)
    if (!g->nodes[i]->is_disabled) error = weir_gpu_op_do(s, &g->nodes[i]->op);
  return error;
}

/* ---- memory of graphs ---- */

bool weir_gpu_graph_has_memory(const struct weir_gpu_graph *g) {
  for (size_t i = 0; i < g->n_nodes; i++)
    if (g->nodes[i]->op.kind == WEIR_GPU_OP_ALLOC || g->nodes[i]->op.kind == WEIR_GPU_OP_FREE)
      return true;
  return false;
}

static bool allocates(const struct weir_gpu_graph *g, uint64_t addr) {
  for (size_t i = 0; i < g->n_nodes; i++)
    if (g->nodes[i]->op.kind == WEIR_GPU_OP_ALLOC && g->nodes[i]->op.u.memory.addr == addr)
      return true;
  return false;
}

/* Before a launch: what it allocates must not be, unless that is freed now; what it frees and does
 * not allocate must be. */
int weir_gpu_exec_prepare(const struct weir_gpu_exec *e) {
  enum { AUTO_FREE = 1 };
  for (size_t i = 0; i < e->graph->n_nodes; i++) {
    const struct weir_gpu_op *op = &e->graph->nodes[i]->op;
    bool is_alloc = op->kind == WEIR_GPU_OP_ALLOC;
    if (!is_alloc && op->kind != WEIR_GPU_OP_FREE) continue;
    struct weir_gpu_block *b = weir_gpu_graph_block(op->u.memory.addr);
    if (b == NULL) continue; /* of the program; or of a device that was reset */
    if (is_alloc && (e->flags & AUTO_FREE) != 0) b->is_live = false;
    if (is_alloc && b->is_live) return WEIR_E_InvalidValue;
    if (!is_alloc && !b->is_live && !allocates(e->graph, op->u.memory.addr))
      return WEIR_E_InvalidValue;
  }
  return 0;
}

static bool is_instantiated(const struct weir_gpu_graph *g) {
  const struct weir_gpu_exec *e = weir_gpu_handle(g->exec, WEIR_GPU_EXEC);
  return e != NULL && e->handle.id == g->exec_id;
}

/* Of a graph that allocates or frees there is one instance at a time. */
int weir_gpu_exec_new(struct weir_gpu_graph *g, uint64_t flags, struct weir_gpu_exec **out) {
  if (weir_gpu_graph_has_memory(g) && is_instantiated(g)) return WEIR_E_NotSupported;
  struct weir_gpu_exec *e = weir_gpu_new(WEIR_GPU_EXEC, sizeof *e);
  if (e == NULL) return WEIR_E_MemoryAllocation;
  e->flags = flags;
  int error = weir_gpu_graph_clone(g, &e->graph);
  if (error == 0) error = weir_gpu_graph_order(e->graph);
  if (error != 0) {
    weir_gpu_exec_free(e);
    return error;
  }
  g->exec = e;
  g->exec_id = e->handle.id;
  *out = e;
  return 0;
}

void weir_gpu_exec_free(struct weir_gpu_exec *e) {
  weir_gpu_graph_free(e->graph);
  weir_gpu_drop(e);
}

int weir_gpu_exec_update(struct weir_gpu_exec *e, const struct weir_gpu_graph *g,
                         struct weir_gpu_node **culprit) {
  struct weir_gpu_graph *now;
  *culprit = NULL;
  int error = weir_gpu_graph_clone(g, &now);
  if (error == 0) error = weir_gpu_graph_order(now);
  if (error != 0) return error;
  bool same = now->n_nodes == e->graph->n_nodes;
  for (size_t i = 0; same && i < now->n_nodes; i++) {
    struct weir_gpu_node *a = e->graph->nodes[i], *b = now->nodes[i];
    same = a->op.kind == b->op.kind && a->n_deps == b->n_deps;
    if (!same) *culprit = b->origin;
  }
  if (!same) {
    weir_gpu_graph_free(now);
    return WEIR_E_GraphExecUpdateFailure;
  }
  /* Nodes keep the origin under which the program knows them. */
  for (size_t i = 0; i < now->n_nodes; i++) {
    now->nodes[i]->origin = e->graph->nodes[i]->origin;
    now->nodes[i]->origin_id = e->graph->nodes[i]->origin_id;
    now->nodes[i]->is_disabled = e->graph->nodes[i]->is_disabled;
  }
  weir_gpu_graph_free(e->graph);
  e->graph = now;
  return 0;
}
