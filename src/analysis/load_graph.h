/* The load control-flow graph of a kernel: which of its loads can find each other's lines.
 *
 * Every global load is a node, and so is every block barrier; the rest of the control flow is plain
 * nodes. Two loads of one array have inter-instruction locality if one can follow the other without
 * a barrier and without a whole loop in between; loads that are connected by such pairs are a
 * group.
 *
 * Natural loops, dominators and post-dominators ignore artificial edges (from the end of a kernel
 * to its beginning: the next block of the SM). For a pair of loads u and v a path may not
 *   - touch a barrier;
 *   - go along the back edge of a loop, unless it is the innermost loop of both;
 *   - pass a loop in which neither is: enter its header, or go round it. An edge goes round a loop
 *     if both its ends are outside, its tail dominates the loop's header, its head post-dominates
 *     it and does not lead to it by forward edges: the branch with which compilers skip a loop
 *     that would run zero times. */
#ifndef WEIR_ANALYSIS_LOAD_GRAPH_H
#define WEIR_ANALYSIS_LOAD_GRAPH_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "weir/err.h"

enum weir_lnode_kind { WEIR_LNODE_PLAIN, WEIR_LNODE_LOAD, WEIR_LNODE_SYNC };

struct weir_lnode {
  enum weir_lnode_kind kind;
  uint32_t array; /* LOAD: loads with the same number go to the same array */
  uint32_t insn;  /* LOAD and SYNC: whatever the maker of the graph calls them by */
};

struct weir_ledge {
  uint32_t from, to;
  bool is_artificial;
};

struct weir_lloop {
  uint32_t header;
  uint32_t parent; /* the loop around it, WEIR_NO_LOOP if there is none */
};

struct weir_lpair { /* of nodes, or an edge and a loop that it goes round */
  uint32_t a, b;
};

#define WEIR_NO_LOOP  UINT32_MAX
#define WEIR_NO_GROUP UINT32_MAX

struct weir_load_graph {
  /* Given, and not owned. Control enters at node 0 and leaves at nodes without an edge, or with an
   * artificial one. What it cannot reach has no edges. */
  const struct weir_lnode *nodes;
  const struct weir_ledge *edges;
  uint32_t n_nodes, n_edges;
  /* Found, in the arena. */
  struct weir_lloop *loops; /* an outer one before those in it */
  uint32_t *loop_of;        /* of a node: its innermost loop */
  uint32_t n_loops;
  struct weir_lpair *round; /* a: edge, b: loop; by edge */
  uint32_t n_round;
  struct weir_lpair *local; /* locality edges: a < b, sorted */
  uint32_t n_local;
  uint32_t *group; /* of a node; of what is no load WEIR_NO_GROUP; numbered by their first loads */
  uint32_t n_groups;
  struct weir_arena arena;
};

/* Fill in what is found. Without `go_round` the edges round a loop do not pass it. */
enum weir_status weir_load_graph_solve(struct weir_load_graph *g, bool go_round,
                                       struct weir_err *err);
void weir_load_graph_free(struct weir_load_graph *g);

#endif
