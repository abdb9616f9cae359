#include "analysis/load_graph.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

enum { NONE = UINT32_MAX };

/* ---- directed graphs as rows of successors ---- */

struct digraph {
  uint32_t n;
  uint32_t *first; /* successors of v: to[first[v] .. first[v + 1]) */
  uint32_t *to;
  uint32_t *via; /* the number that each edge had when it was given */
};

struct arc {
  uint32_t from, to, via;
};

static bool make_digraph(struct weir_arena *a, uint32_t n, const struct arc *arcs, size_t n_arcs,
                         struct digraph *d) {
  d->n = n;
  d->first = weir_arena_array(a, (size_t)n + 2, sizeof *d->first);
  d->to = weir_arena_array(a, n_arcs + 1, sizeof *d->to);
  d->via = weir_arena_array(a, n_arcs + 1, sizeof *d->via);
  if (d->first == NULL || d->to == NULL || d->via == NULL) return false;
  for (size_t i = 0; i < n_arcs; i++)
    d->first[arcs[i].from + 2]++;
  for (uint32_t v = 0; v < n; v++)
    d->first[v + 2] += d->first[v + 1];
  for (size_t i = 0; i < n_arcs; i++) {
    uint32_t at = d->first[arcs[i].from + 1]++;
    d->to[at] = arcs[i].to;
    d->via[at] = arcs[i].via;
  }
  return true;
}

/* ---- dominators (Cooper, Harvey, Kennedy 2001) ---- */

struct dominators {
  uint32_t *idom, *in, *out; /* in, out: when a walk of the tree comes to a node and leaves it */
};

/* Depth first from the root; `order` gets the nodes as they are left, `number` their places. */
static uint32_t post_order(const struct digraph *d, uint32_t root, uint32_t *order,
                           uint32_t *number, uint32_t *stack, uint32_t *next) {
  uint32_t n = 0, top = 0;
  for (uint32_t v = 0; v < d->n; v++) {
    number[v] = NONE;
    next[v] = d->first[v];
  }
  stack[top++] = root;
  number[root] = 0;
  while (top > 0) {
    uint32_t v = stack[top - 1];
    if (next[v] == d->first[v + 1]) {
      number[v] = n;
      order[n++] = v;
      top--;
      continue;
    }
    uint32_t to = d->to[next[v]++];
    if (number[to] != NONE) continue;
    number[to] = 0;
    stack[top++] = to;
  }
  return n;
}

static uint32_t meet(const uint32_t *idom, const uint32_t *number, uint32_t a, uint32_t b) {
  while (a != b) {
    while (number[a] < number[b])
      a = idom[a];
    while (number[b] < number[a])
      b = idom[b];
  }
  return a;
}

static void find_idoms(const struct digraph *pred, uint32_t root, const uint32_t *order, uint32_t n,
                       const uint32_t *number, uint32_t *idom) {
  idom[root] = root;
  for (bool changed = true; changed;) {
    changed = false;
    for (uint32_t i = n - 1; i-- > 0;) {
      uint32_t v = order[i], best = NONE;
      for (uint32_t k = pred->first[v]; k < pred->first[v + 1]; k++) {
        uint32_t p = pred->to[k];
        if (idom[p] == NONE) continue;
        best = best == NONE ? p : meet(idom, number, p, best);
      }
      changed |= idom[v] != best;
      idom[v] = best;
    }
  }
}

/* A node is above another if its interval holds the other's. */
static bool find_intervals(struct weir_arena *a, uint32_t n, uint32_t root, struct dominators *t,
                           uint32_t *stack, uint32_t *next) {
  struct arc *arcs = weir_arena_array(a, (size_t)n + 1, sizeof *arcs);
  struct digraph tree;
  size_t n_arcs = 0;
  uint32_t top = 0, clock = 0;
  if (arcs == NULL) return false;
  for (uint32_t v = 0; v < n; v++)
    if (v != root && t->idom[v] != NONE) arcs[n_arcs++] = (struct arc){t->idom[v], v, 0};
  if (!make_digraph(a, n, arcs, n_arcs, &tree)) return false;
  memcpy(next, tree.first, (size_t)n * sizeof *next);
  stack[top++] = root;
  t->in[root] = clock++;
  while (top > 0) {
    uint32_t v = stack[top - 1];
    if (next[v] == tree.first[v + 1]) {
      t->out[v] = clock++;
      top--;
      continue;
    }
    uint32_t to = tree.to[next[v]++];
    t->in[to] = clock++;
    stack[top++] = to;
  }
  return true;
}

static bool find_dominators(struct weir_arena *a, const struct digraph *succ,
                            const struct digraph *pred, uint32_t root, struct dominators *t) {
  size_t n = succ->n;
  uint32_t *mem = weir_arena_array(a, 7 * n + 7, sizeof *mem);
  if (mem == NULL) return false;
  uint32_t *order = mem + 3 * n, *number = mem + 4 * n, *stack = mem + 5 * n, *next = mem + 6 * n;
  *t = (struct dominators){mem, mem + n, mem + 2 * n};
  for (size_t v = 0; v < n; v++)
    t->idom[v] = NONE;
  uint32_t reached = post_order(succ, root, order, number, stack, next);
  find_idoms(pred, root, order, reached, number, t->idom);
  return find_intervals(a, (uint32_t)n, root, t, stack, next);
}

static bool dominates(const struct dominators *t, uint32_t a, uint32_t b) {
  return t->idom[a] != NONE && t->idom[b] != NONE && t->in[a] <= t->in[b] && t->out[b] <= t->out[a];
}

/* ---- the work on one graph ---- */

struct solver {
  struct weir_load_graph *g;
  struct weir_arena arena;   /* scratch */
  struct digraph succ, pred; /* without artificial edges */
  struct digraph all;        /* successors, with them */
  struct dominators dom, post;
  uint8_t *is_back; /* of each edge: it leads to a node that dominates its tail */
  uint8_t *mark;
  uint32_t *stack;
};

static bool make_graphs(struct solver *s) {
  const struct weir_load_graph *g = s->g;
  struct arc *arcs = weir_arena_array(&s->arena, (size_t)g->n_edges + 1, sizeof *arcs);
  uint32_t n = 0;
  if (arcs == NULL) return false;
  for (uint32_t i = 0; i < g->n_edges; i++)
    arcs[i] = (struct arc){g->edges[i].from, g->edges[i].to, i};
  if (!make_digraph(&s->arena, g->n_nodes, arcs, g->n_edges, &s->all)) return false;
  for (uint32_t i = 0; i < g->n_edges; i++)
    if (!g->edges[i].is_artificial) arcs[n++] = (struct arc){g->edges[i].from, g->edges[i].to, i};
  if (!make_digraph(&s->arena, g->n_nodes, arcs, n, &s->succ)) return false;
  for (uint32_t i = 0; i < n; i++)
    arcs[i] = (struct arc){arcs[i].to, arcs[i].from, arcs[i].via};
  return make_digraph(&s->arena, g->n_nodes, arcs, n, &s->pred);
}

/* Mark what leads to the marked nodes on the stack; with `forward_only` without back edges. */
static void mark_back(struct solver *s, uint32_t top, bool forward_only) {
  while (top > 0) {
    uint32_t v = s->stack[--top];
    for (uint32_t k = s->pred.first[v]; k < s->pred.first[v + 1]; k++) {
      uint32_t from = s->pred.to[k];
      if (s->mark[from] || (forward_only && s->is_back[s->pred.via[k]])) continue;
      s->mark[from] = 1;
      s->stack[top++] = from;
    }
  }
}

/* Where control leaves: exits, and every node from which none can be reached. */
static void mark_exits(struct solver *s, uint8_t *leaves) {
  const struct weir_load_graph *g = s->g;
  uint32_t top = 0;
  for (uint32_t v = 0; v < g->n_nodes; v++)
    leaves[v] = s->succ.first[v] == s->succ.first[v + 1];
  for (uint32_t i = 0; i < g->n_edges; i++)
    if (g->edges[i].is_artificial) leaves[g->edges[i].from] = 1;
  memset(s->mark, 0, g->n_nodes);
  for (uint32_t v = 0; v < g->n_nodes; v++)
    if (leaves[v]) {
      s->mark[v] = 1;
      s->stack[top++] = v;
    }
  mark_back(s, top, false);
  for (uint32_t v = 0; v < g->n_nodes; v++)
    leaves[v] |= !s->mark[v];
}

/* Dominators of the reversed graph, from an exit behind all exits. */
static bool find_post_dominators(struct solver *s) {
  const struct weir_load_graph *g = s->g;
  uint32_t n = g->n_nodes, n_arcs = 0;
  struct digraph succ, pred;
  uint8_t *leaves = weir_arena_array(&s->arena, (size_t)n + 1, 1);
  struct arc *arcs = weir_arena_array(&s->arena, (size_t)n + g->n_edges + 1, sizeof *arcs);
  if (leaves == NULL || arcs == NULL) return false;
  mark_exits(s, leaves);
  for (uint32_t i = 0; i < g->n_edges; i++)
    if (!g->edges[i].is_artificial)
      arcs[n_arcs++] = (struct arc){g->edges[i].to, g->edges[i].from, 0};
  for (uint32_t v = 0; v < n; v++)
    if (leaves[v]) arcs[n_arcs++] = (struct arc){n, v, 0};
  if (!make_digraph(&s->arena, n + 1, arcs, n_arcs, &succ)) return false;
  for (uint32_t i = 0; i < n_arcs; i++)
    arcs[i] = (struct arc){arcs[i].to, arcs[i].from, 0};
  return make_digraph(&s->arena, n + 1, arcs, n_arcs, &pred) &&
         find_dominators(&s->arena, &succ, &pred, n, &s->post);
}

/* ---- loops ---- */

struct body {
  uint32_t header, size;
};

/* Mark the nodes of the natural loop of a header; returns how many there are. */
static uint32_t mark_body(struct solver *s, uint32_t header) {
  uint32_t top = 0, size = 0;
  memset(s->mark, 0, s->g->n_nodes);
  s->mark[header] = 1;
  for (uint32_t k = s->pred.first[header]; k < s->pred.first[header + 1]; k++) {
    uint32_t tail = s->pred.to[k];
    if (!s->is_back[s->pred.via[k]] || s->mark[tail]) continue;
    s->mark[tail] = 1;
    s->stack[top++] = tail;
  }
  mark_back(s, top, false);
  for (uint32_t v = 0; v < s->g->n_nodes; v++)
    size += s->mark[v];
  return size;
}

static int larger_first(const void *a, const void *b) {
  const struct body *x = a, *y = b;
  if (x->size != y->size) return x->size < y->size ? 1 : -1;
  return x->header < y->header ? -1 : x->header > y->header;
}

static bool find_loops(struct solver *s) {
  struct weir_load_graph *g = s->g;
  struct body *bodies = weir_arena_array(&s->arena, (size_t)g->n_nodes + 1, sizeof *bodies);
  g->loop_of = weir_arena_array(&g->arena, (size_t)g->n_nodes + 1, sizeof *g->loop_of);
  if (bodies == NULL || g->loop_of == NULL) return false;
  for (uint32_t i = 0; i < g->n_edges; i++) {
    const struct weir_ledge *e = &g->edges[i];
    s->is_back[i] = !e->is_artificial && dominates(&s->dom, e->to, e->from);
  }
  for (uint32_t v = 0; v < g->n_nodes; v++) {
    bool is_header = false;
    g->loop_of[v] = WEIR_NO_LOOP;
    for (uint32_t k = s->pred.first[v]; k < s->pred.first[v + 1]; k++)
      is_header |= s->is_back[s->pred.via[k]] != 0;
    if (is_header) bodies[g->n_loops++] = (struct body){v, mark_body(s, v)};
  }
  g->loops = weir_arena_array(&g->arena, (size_t)g->n_loops + 1, sizeof *g->loops);
  if (g->loops == NULL) return false;
  /* Loops with different headers are apart or one in the other: the smaller is the inner one. */
  qsort(bodies, g->n_loops, sizeof *bodies, larger_first);
  for (uint32_t l = 0; l < g->n_loops; l++) {
    uint32_t header = bodies[l].header;
    g->loops[l] = (struct weir_lloop){header, g->loop_of[header]};
    mark_body(s, header);
    for (uint32_t v = 0; v < g->n_nodes; v++)
      if (s->mark[v]) g->loop_of[v] = l;
  }
  return true;
}

/* Is the loop `inner`, or one around it, `loop`? */
static bool is_inside(const struct weir_load_graph *g, uint32_t inner, uint32_t loop) {
  for (; inner != WEIR_NO_LOOP; inner = g->loops[inner].parent)
    if (inner == loop) return true;
  return false;
}

struct pairs {
  struct weir_lpair *v;
  size_t n, cap;
};

static int by_pair(const void *a, const void *b) {
  const struct weir_lpair *x = a, *y = b;
  if (x->a != y->a) return x->a < y->a ? -1 : 1;
  return x->b < y->b ? -1 : x->b > y->b;
}

/* Move a list to the graph's arena, sorted. */
static bool keep_pairs(struct weir_load_graph *g, struct pairs *list, struct weir_lpair **out,
                       uint32_t *n) {
  *out = weir_arena_array(&g->arena, list->n + 1, sizeof **out);
  if (*out != NULL && list->n > 0) {
    qsort(list->v, list->n, sizeof *list->v, by_pair);
    memcpy(*out, list->v, list->n * sizeof *list->v);
  }
  *n = (uint32_t)list->n;
  free(list->v);
  *list = (struct pairs){0};
  return *out != NULL;
}

static bool goes_round(const struct solver *s, const struct weir_ledge *e, uint32_t loop) {
  const struct weir_load_graph *g = s->g;
  uint32_t header = g->loops[loop].header;
  return !e->is_artificial && !is_inside(g, g->loop_of[e->from], loop) &&
         !is_inside(g, g->loop_of[e->to], loop) && !s->mark[e->to] &&
         dominates(&s->dom, e->from, header) && dominates(&s->post, e->to, header);
}

static bool find_round(struct solver *s) {
  struct weir_load_graph *g = s->g;
  struct pairs list = {0};
  bool ok = true;
  for (uint32_t l = 0; l < g->n_loops; l++) {
    uint32_t header = g->loops[l].header;
    memset(s->mark, 0, g->n_nodes);
    s->mark[header] = 1;
    s->stack[0] = header;
    mark_back(s, 1, true);
    for (uint32_t i = 0; ok && i < g->n_edges; i++)
      if (goes_round(s, &g->edges[i], l)) ok = WEIR_PUSH(list, ((struct weir_lpair){i, l}));
  }
  return keep_pairs(g, &list, &g->round, &g->n_round) && ok;
}

/* ---- locality ---- */

/* A pair of loads, as far as the rules ask: their innermost loops. */
struct view {
  uint32_t u_loop, v_loop;
  const uint32_t *round_first; /* of each edge: its first entry in g->round */
};

static bool has_either(const struct weir_load_graph *g, const struct view *w, uint32_t loop) {
  return is_inside(g, w->u_loop, loop) || is_inside(g, w->v_loop, loop);
}

static bool may_follow(const struct solver *s, const struct view *w, uint32_t edge) {
  const struct weir_load_graph *g = s->g;
  const struct weir_ledge *e = &g->edges[edge];
  uint32_t loop = g->loop_of[e->to];
  if (g->nodes[e->to].kind == WEIR_LNODE_SYNC) return false;
  /* A header is in its own loop, and in none further inside. */
  bool to_header = loop != WEIR_NO_LOOP && g->loops[loop].header == e->to;
  if (s->is_back[edge]) {
    if (w->u_loop != loop || w->v_loop != loop) return false;
  } else if (to_header && !is_inside(g, g->loop_of[e->from], loop) && !has_either(g, w, loop)) {
    return false;
  }
  for (uint32_t k = w->round_first[edge]; k < w->round_first[edge + 1]; k++)
    if (!has_either(g, w, g->round[k].b)) return false;
  return true;
}

/* Mark what can be reached from a node. */
static void mark_reached(struct solver *s, const struct view *w, uint32_t from) {
  uint32_t top = 0;
  memset(s->mark, 0, s->g->n_nodes);
  s->stack[top++] = from;
  while (top > 0) {
    uint32_t v = s->stack[--top];
    for (uint32_t k = s->all.first[v]; k < s->all.first[v + 1]; k++) {
      uint32_t to = s->all.to[k];
      if (s->mark[to] || !may_follow(s, w, s->all.via[k])) continue;
      s->mark[to] = 1;
      s->stack[top++] = to;
    }
  }
}

struct load {
  uint32_t array, node, loop;
};

static int by_array(const void *a, const void *b) {
  const struct load *x = a, *y = b;
  if (x->array != y->array) return x->array < y->array ? -1 : 1;
  if (x->loop != y->loop) return x->loop < y->loop ? -1 : 1;
  return x->node < y->node ? -1 : x->node > y->node;
}

/* From one load to those of its array, one search for each loop that they are in: what the rules
 * forbid depends on nothing else. `own` are the loads of its array, by loop. */
static bool reach_others(struct solver *s, const uint32_t *round_first, const struct load *own,
                         size_t n, const struct load *u, struct pairs *out) {
  for (size_t i = 0; i < n;) {
    struct view w = {u->loop, own[i].loop, round_first};
    size_t end = i;
    while (end < n && own[end].loop == own[i].loop)
      end++;
    mark_reached(s, &w, u->node);
    for (; i < end; i++) {
      uint32_t v = own[i].node;
      struct weir_lpair pair = {v < u->node ? v : u->node, v < u->node ? u->node : v};
      if (v != u->node && s->mark[v] && !WEIR_PUSH(*out, pair)) return false;
    }
  }
  return true;
}

static struct load *list_loads(struct solver *s, size_t *n) {
  const struct weir_load_graph *g = s->g;
  struct load *loads = weir_arena_array(&s->arena, (size_t)g->n_nodes + 1, sizeof *loads);
  *n = 0;
  for (uint32_t v = 0; loads != NULL && v < g->n_nodes; v++)
    if (g->nodes[v].kind == WEIR_LNODE_LOAD)
      loads[(*n)++] = (struct load){g->nodes[v].array, v, g->loop_of[v]};
  if (*n > 0) qsort(loads, *n, sizeof *loads, by_array);
  return loads;
}

/* Either way may have found a pair. */
static void drop_doubles(struct weir_load_graph *g) {
  uint32_t n = 0;
  for (uint32_t i = 0; i < g->n_local; i++)
    if (n == 0 || by_pair(&g->local[n - 1], &g->local[i]) != 0) g->local[n++] = g->local[i];
  g->n_local = n;
}

static bool find_local(struct solver *s) {
  struct weir_load_graph *g = s->g;
  size_t n_loads;
  struct load *loads = list_loads(s, &n_loads);
  uint32_t *round_first = weir_arena_array(&s->arena, (size_t)g->n_edges + 2, sizeof *round_first);
  struct pairs list = {0};
  if (loads == NULL || round_first == NULL) return false;
  for (uint32_t k = 0; k < g->n_round; k++)
    round_first[g->round[k].a + 1]++;
  for (uint32_t i = 0; i < g->n_edges; i++)
    round_first[i + 1] += round_first[i];
  bool ok = true;
  for (size_t i = 0; ok && i < n_loads;) {
    size_t end = i;
    while (end < n_loads && loads[end].array == loads[i].array)
      end++;
    for (size_t u = i; ok && end - i > 1 && u < end; u++)
      ok = reach_others(s, round_first, loads + i, end - i, &loads[u], &list);
    i = end;
  }
  ok = keep_pairs(g, &list, &g->local, &g->n_local) && ok;
  if (ok) drop_doubles(g);
  return ok;
}

/* ---- groups ---- */

static uint32_t root_of(uint32_t *up, uint32_t v) {
  while (up[v] != v)
    v = up[v] = up[up[v]];
  return v;
}

/* The lowest node of a group is its root, so that numbers follow the first loads. */
static bool find_groups(struct solver *s) {
  struct weir_load_graph *g = s->g;
  uint32_t *up = weir_arena_array(&s->arena, (size_t)g->n_nodes + 1, sizeof *up);
  g->group = weir_arena_array(&g->arena, (size_t)g->n_nodes + 1, sizeof *g->group);
  if (up == NULL || g->group == NULL) return false;
  for (uint32_t v = 0; v < g->n_nodes; v++)
    up[v] = v;
  for (uint32_t i = 0; i < g->n_local; i++) {
    uint32_t a = root_of(up, g->local[i].a), b = root_of(up, g->local[i].b);
    up[a < b ? b : a] = a < b ? a : b;
  }
  for (uint32_t v = 0; v < g->n_nodes; v++) {
    uint32_t root = root_of(up, v);
    g->group[v] = g->nodes[v].kind != WEIR_LNODE_LOAD ? WEIR_NO_GROUP
                  : root == v                         ? g->n_groups++
                                                      : g->group[root];
  }
  return true;
}

/* ---- all of it ---- */

static bool solve(struct solver *s, bool go_round) {
  struct weir_load_graph *g = s->g;
  s->is_back = weir_arena_array(&s->arena, (size_t)g->n_edges + 1, 1);
  s->mark = weir_arena_array(&s->arena, (size_t)g->n_nodes + 1, 1);
  s->stack = weir_arena_array(&s->arena, (size_t)g->n_nodes + 1, sizeof *s->stack);
  if (s->is_back == NULL || s->mark == NULL || s->stack == NULL) return false;
  return make_graphs(s) && find_dominators(&s->arena, &s->succ, &s->pred, 0, &s->dom) &&
         find_post_dominators(s) && find_loops(s) && (!go_round || find_round(s)) &&
         find_local(s) && find_groups(s);
}

enum weir_status weir_load_graph_solve(struct weir_load_graph *g, bool go_round,
                                       struct weir_err *err) {
  struct solver s = {.g = g};
  bool ok = g->n_nodes == 0 || solve(&s, go_round);
  weir_arena_free(&s.arena);
  if (ok) return WEIR_OK;
  weir_load_graph_free(g);
  return weir_fail(err, WEIR_ENOMEM, "out of memory");
}

void weir_load_graph_free(struct weir_load_graph *g) {
  weir_arena_free(&g->arena);
  *g = (struct weir_load_graph){0};
}
