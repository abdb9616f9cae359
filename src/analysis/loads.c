#include "analysis/loads.h"

#include <stdlib.h>
#include <string.h>

#include "ptx/arrays.h"
#include "ptx/isa.h"

/* ---- which instructions ---- */

static bool is_global_load(const struct ptx_insn *in) {
  static const enum ptx_mod others[] = {PTX_M_shared,     PTX_M_shared_cta,    PTX_M_local,
                                        PTX_M_const,      PTX_M_param,         PTX_M_param_entry,
                                        PTX_M_param_func, PTX_M_shared_cluster};
  if (in->op != PTX_OP_ld) return false;
  for (size_t i = 0; i < sizeof others / sizeof *others; i++)
    if (ptx_has(in, others[i])) return false;
  return true;
}

/* A cache operator, an L1 priority or an order of memory is the programmer's word. */
static bool is_fixed(const struct ptx_insn *in) {
  static const enum ptx_mod words[] = {PTX_M_ca,
                                       PTX_M_cg,
                                       PTX_M_cs,
                                       PTX_M_lu,
                                       PTX_M_cv,
                                       PTX_M_volatile,
                                       PTX_M_relaxed,
                                       PTX_M_acquire,
                                       PTX_M_mmio,
                                       PTX_M_L1_evict_normal,
                                       PTX_M_L1_evict_unchanged,
                                       PTX_M_L1_evict_first,
                                       PTX_M_L1_evict_last,
                                       PTX_M_L1_no_allocate};
  for (size_t i = 0; i < sizeof words / sizeof *words; i++)
    if (ptx_has(in, words[i])) return true;
  return false;
}

static bool is_sync(const struct ptx_insn *in) {
  return in->op == PTX_OP_call ||
         (ptx_form(in->form)->cls == WEIR_C_BARRIER && !ptx_has(in, PTX_M_arrive));
}

/* ---- one function ---- */

struct builder {
  struct weir_loads *loads;
  struct weir_load_part *part;
  const struct ptx_func *f;
  struct weir_arrays arrays;
  struct {
    struct weir_lnode *v;
    size_t n, cap;
  } nodes;
  struct {
    struct weir_ledge *v;
    size_t n, cap;
  } edges;
  struct {
    struct weir_static_load *v;
    size_t n, cap;
  } list;           /* of all functions */
  uint32_t *entry;  /* of each block: its first node */
  uint32_t unknown; /* number for the next array that is like no other */
};

/* A generic load from shared or local memory is none of global memory. */
static bool is_elsewhere(const struct builder *b, uint32_t array) {
  if (array == WEIR_NO_ARRAY) return false;
  enum ptx_space space = b->arrays.v[array].var->space;
  return space == PTX_SPACE_shared || space == PTX_SPACE_local || space == PTX_SPACE_const;
}

static const char *array_name(struct builder *b, uint32_t array) {
  const struct weir_array *a = &b->arrays.v[array];
  return a->offset == 0 ? weir_arena_printf(&b->loads->arena, "%s", a->var->name)
                        : weir_arena_printf(&b->loads->arena, "%s+%llu", a->var->name,
                                            (unsigned long long)a->offset);
}

static const char *file_path(const struct ptx_module *m, uint32_t index) {
  for (uint32_t i = 0; i < m->n_files; i++)
    if (m->files[i].index == index) return m->files[i].name;
  return NULL;
}

static const char *file_name(const char *path) {
  const char *slash = path != NULL ? strrchr(path, '/') : NULL;
  return slash != NULL ? slash + 1 : path;
}

/* Of the function itself: what begins within one is no array of its own. */
static uint32_t param_of(const struct builder *b, uint32_t array) {
  if (array == WEIR_NO_ARRAY || b->arrays.v[array].offset != 0) return WEIR_NO_PARAM;
  for (uint32_t i = 0; i < b->f->n_params; i++)
    if (&b->f->params[i] == b->arrays.v[array].var) return i;
  return WEIR_NO_PARAM;
}

static bool add_load(struct builder *b, uint32_t i, uint32_t array) {
  const struct ptx_insn *in = &b->f->insns[i];
  struct weir_static_load load = {.func = b->f,
                                  .ptx = in,
                                  .insn = b->part->first + i,
                                  .param = param_of(b, array),
                                  .group = WEIR_NO_GROUP,
                                  .is_fixed = is_fixed(in)};
  if (in->loc != 0) {
    load.path = file_path(b->f->module, b->f->locs[in->loc - 1].file);
    load.file = file_name(load.path);
    load.line = b->f->locs[in->loc - 1].line;
  }
  if (array != WEIR_NO_ARRAY && (load.array = array_name(b, array)) == NULL) return false;
  return WEIR_PUSH(b->list, load);
}

/* The node of an instruction that has one. */
static bool add_node(struct builder *b, uint32_t i, bool *is_node) {
  const struct ptx_insn *in = &b->f->insns[i];
  struct weir_lnode node = {.kind = WEIR_LNODE_SYNC, .insn = i};
  *is_node = is_sync(in);
  if (is_global_load(in)) {
    uint32_t array = weir_array_of(&b->arrays, in);
    if (is_elsewhere(b, array)) return true;
    if (!add_load(b, i, array)) return false;
    *is_node = !is_fixed(in);
    node.kind = WEIR_LNODE_LOAD;
    node.array = array != WEIR_NO_ARRAY ? array : b->unknown++;
  }
  return !*is_node || WEIR_PUSH(b->nodes, node);
}

/* Nodes of a block, one after the other; those of dead code stand alone. */
static bool add_block(struct builder *b, const struct ptx_block *block) {
  size_t first = b->nodes.n;
  for (uint32_t i = block->first; i <= block->last; i++) {
    bool is_node;
    if (!add_node(b, i, &is_node)) return false;
    struct weir_ledge e = {(uint32_t)b->nodes.n - 2, (uint32_t)b->nodes.n - 1, false};
    if (is_node && b->nodes.n - first > 1 && block->reachable && !WEIR_PUSH(b->edges, e))
      return false;
  }
  struct weir_lnode plain = {.kind = WEIR_LNODE_PLAIN};
  return b->nodes.n > first || WEIR_PUSH(b->nodes, plain);
}

static bool add_block_edges(struct builder *b, uint32_t k, uint32_t last) {
  const struct ptx_block *block = &b->f->cfg.blocks[k];
  uint32_t from = b->entry[k + 1] - 1;
  for (uint32_t s = 0; s < block->n_succ; s++) {
    struct weir_ledge e = {from, b->entry[block->succ[s]], false};
    if (!WEIR_PUSH(b->edges, e)) return false;
  }
  struct weir_ledge out = {from, last, false};
  return !ptx_block_leaves(b->f, block) || WEIR_PUSH(b->edges, out);
}

static bool add_all(struct builder *b) {
  const struct ptx_cfg *cfg = &b->f->cfg;
  b->entry = weir_arena_array(&b->loads->arena, cfg->n_blocks + 1u, sizeof *b->entry);
  if (b->entry == NULL) return false;
  b->unknown = b->arrays.n;
  for (uint32_t k = 0; k < cfg->n_blocks; k++) {
    b->entry[k] = (uint32_t)b->nodes.n;
    if (!add_block(b, &cfg->blocks[k])) return false;
  }
  uint32_t last = (uint32_t)b->nodes.n;
  b->entry[cfg->n_blocks] = last;
  struct weir_lnode plain = {.kind = WEIR_LNODE_PLAIN};
  if (!WEIR_PUSH(b->nodes, plain)) return false;
  for (uint32_t k = 0; k < cfg->n_blocks; k++)
    if (cfg->blocks[k].reachable && !add_block_edges(b, k, last)) return false;
  /* After a block of threads the next one comes to the SM; what a call is followed by is not known.
   */
  struct weir_ledge again = {last, 0, true};
  return !b->f->is_entry || WEIR_PUSH(b->edges, again);
}

/* The graph points to its nodes and edges for good. */
static bool keep_graph(struct builder *b) {
  struct weir_load_graph *g = &b->part->graph;
  struct weir_lnode *nodes = weir_arena_array(&b->loads->arena, b->nodes.n + 1, sizeof *nodes);
  struct weir_ledge *edges = weir_arena_array(&b->loads->arena, b->edges.n + 1, sizeof *edges);
  if (nodes == NULL || edges == NULL) return false;
  memcpy(nodes, b->nodes.v, b->nodes.n * sizeof *nodes);
  if (b->edges.n > 0) memcpy(edges, b->edges.v, b->edges.n * sizeof *edges);
  *g = (struct weir_load_graph){.nodes = nodes,
                                .edges = edges,
                                .n_nodes = (uint32_t)b->nodes.n,
                                .n_edges = (uint32_t)b->edges.n};
  return true;
}

/* Groups are numbered through all functions of a kernel. */
static void number_groups(struct builder *b, size_t first_load) {
  const struct weir_load_graph *g = &b->part->graph;
  size_t at = first_load;
  for (uint32_t v = 0; v < g->n_nodes; v++) {
    if (g->nodes[v].kind != WEIR_LNODE_LOAD) continue;
    while (b->list.v[at].insn != b->part->first + g->nodes[v].insn)
      at++;
    b->list.v[at].group = b->loads->n_groups + g->group[v];
  }
  b->loads->n_groups += g->n_groups;
}

static enum weir_status build_part(struct builder *b, bool go_round, struct weir_err *err) {
  size_t first_load = b->list.n;
  b->nodes.n = b->edges.n = 0;
  enum weir_status st = weir_arrays_find(&b->arrays, b->f, err);
  if (st != WEIR_OK) return st;
  bool ok = add_all(b) && keep_graph(b);
  weir_arrays_free(&b->arrays);
  if (!ok) return weir_fail(err, WEIR_ENOMEM, "out of memory");
  st = weir_load_graph_solve(&b->part->graph, go_round, err);
  if (st == WEIR_OK) number_groups(b, first_load);
  return st;
}

/* ---- a kernel ---- */

static enum weir_status build(struct builder *b, const struct ptx_program *prog, bool go_round,
                              struct weir_err *err) {
  struct weir_loads *l = b->loads;
  enum weir_status st = WEIR_OK;
  uint32_t first;
  while (ptx_program_func(prog, l->n_parts, &first) != NULL)
    l->n_parts++;
  l->parts = weir_arena_array(&l->arena, l->n_parts, sizeof *l->parts);
  if (l->parts == NULL) return weir_fail(err, WEIR_ENOMEM, "out of memory");
  for (uint32_t i = 0; st == WEIR_OK && i < l->n_parts; i++) {
    b->part = &l->parts[i];
    b->f = b->part->func = ptx_program_func(prog, i, &b->part->first);
    st = build_part(b, go_round, err);
  }
  if (st != WEIR_OK) return st;
  l->v = weir_arena_array(&l->arena, b->list.n + 1, sizeof *l->v);
  if (l->v == NULL) return weir_fail(err, WEIR_ENOMEM, "out of memory");
  if (b->list.n > 0) memcpy(l->v, b->list.v, b->list.n * sizeof *l->v);
  l->n = (uint32_t)b->list.n;
  return WEIR_OK;
}

enum weir_status weir_loads_find(struct weir_loads *l, const struct ptx_program *prog,
                                 bool go_round, struct weir_err *err) {
  *l = (struct weir_loads){.kernel = ptx_program_entry(prog)->name,
                           .module = ptx_program_module(prog),
                           .n_insns = ptx_program_n_insns(prog)};
  struct builder b = {.loads = l};
  enum weir_status st = build(&b, prog, go_round, err);
  free(b.nodes.v);
  free(b.edges.v);
  free(b.list.v);
  if (st != WEIR_OK) weir_loads_free(l);
  return st;
}

void weir_loads_free(struct weir_loads *l) {
  for (uint32_t i = 0; l->parts != NULL && i < l->n_parts; i++)
    weir_load_graph_free(&l->parts[i].graph);
  weir_arena_free(&l->arena);
  *l = (struct weir_loads){0};
}

uint32_t weir_loads_in_group(const struct weir_loads *l, uint32_t group) {
  uint32_t n = 0;
  for (uint32_t i = 0; i < l->n; i++)
    n += l->v[i].group == group;
  return n;
}

/* ---- Graphviz ---- */

static const struct weir_static_load *load_at(const struct weir_loads *l, uint32_t insn) {
  for (uint32_t i = 0; i < l->n; i++)
    if (l->v[i].insn == insn) return &l->v[i];
  return NULL;
}

static void dot_node(const struct weir_loads *l, uint32_t p, uint32_t v, struct weir_text *out) {
  static const char *const colours[] = {"#8dd3c7", "#ffffb3", "#bebada", "#fb8072", "#80b1d3",
                                        "#fdb462", "#b3de69", "#fccde5", "#d9d9d9", "#bc80bd"};
  enum { N_COLOURS = sizeof colours / sizeof *colours };
  const struct weir_load_part *part = &l->parts[p];
  const struct weir_lnode *node = &part->graph.nodes[v];
  weir_text_printf(out, "  n%u_%u [", p, v);
  if (node->kind == WEIR_LNODE_LOAD) {
    const struct weir_static_load *load = load_at(l, part->first + node->insn);
    weir_text_printf(
        out, "label=\"pc 0x%x, line %u\\n%s\\ngroup %u\", style=filled, fillcolor=\"%s\"",
        load->insn * 8, load->line != 0 ? load->line : load->ptx->line,
        load->array != NULL ? load->array : "?", load->group + 1,
        weir_loads_in_group(l, load->group) > 1 ? colours[load->group % N_COLOURS] : "white");
  } else if (node->kind == WEIR_LNODE_SYNC) {
    weir_text_printf(out, "label=\"%s\", shape=hexagon",
                     part->func->insns[node->insn].op == PTX_OP_call ? "call" : "barrier");
  } else {
    weir_text_puts(out, v + 1 == part->graph.n_nodes ? "label=\"end\", shape=oval"
                                                     : "label=\"\", shape=point");
  }
  weir_text_puts(out, "];\n");
}

static void dot_part(const struct weir_loads *l, uint32_t p, struct weir_text *out) {
  const struct weir_load_graph *g = &l->parts[p].graph;
  for (uint32_t v = 0; v < g->n_nodes; v++)
    dot_node(l, p, v, out);
  for (uint32_t i = 0, r = 0; i < g->n_edges; i++) {
    bool is_round = r < g->n_round && g->round[r].a == i;
    while (r < g->n_round && g->round[r].a == i)
      r++;
    weir_text_printf(out, "  n%u_%u -> n%u_%u%s;\n", p, g->edges[i].from, p, g->edges[i].to,
                     g->edges[i].is_artificial ? " [style=dotted]"
                     : is_round                ? " [label=\"round a loop\", color=gray]"
                                               : "");
  }
  for (uint32_t i = 0; i < g->n_local; i++)
    weir_text_printf(out, "  n%u_%u -> n%u_%u [dir=none, color=red, constraint=false];\n", p,
                     g->local[i].a, p, g->local[i].b);
}

void weir_loads_dot(const struct weir_loads *l, struct weir_text *out) {
  weir_text_printf(out,
                   "digraph \"%s\" {\n  node [shape=box, fontname=monospace];\n"
                   "  // red: inter-instruction locality; dotted: the next block on the SM\n",
                   l->kernel);
  for (uint32_t p = 0; p < l->n_parts; p++)
    dot_part(l, p, out);
  weir_text_puts(out, "}\n");
}
