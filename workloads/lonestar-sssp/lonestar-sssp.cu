// Shortest paths from node 0 (LonestarGPU's sssp, driven by topology): every node offers its
// distance plus the weight to each neighbour, by an atomic minimum, in launches over all nodes
// until none changes anything; a last kernel checks every edge.
//
// A thread has a node. For each edge it asks the graph for the node's degree, for the start of its
// edges by way of a table, for the target and the weight, and for both distances: since an atomic
// may come between two edges, all of these are loads again for each edge. The tables are read by
// neighbouring lanes and hit if the line is still there; targets and weights of a lane follow one
// another; the distances of targets are scattered.
#include "../suite.h"

#define FAR   1000000000u
#define NODES 1024 // of a block, in whichever number of threads

struct graph {
  unsigned nodes, edges;
  unsigned *degree, *row, *start, *target, *weight; // edges are numbered from 1
};

__device__ static unsigned first_edge(struct graph *g, unsigned n) {
  return g->degree[n] > 0 && g->row[n] < g->nodes ? g->start[g->row[n]] : 0;
}

__device__ static unsigned target_of(struct graph *g, unsigned n, unsigned nth) {
  if (nth >= g->degree[n]) return g->nodes;
  unsigned e = first_edge(g, n) + nth;
  return e && e <= g->edges ? g->target[e] : g->nodes;
}

__device__ static unsigned weight_of(struct graph *g, unsigned n, unsigned nth) {
  if (nth >= g->degree[n]) return FAR;
  unsigned e = first_edge(g, n) + nth;
  return e && e <= g->edges ? g->weight[e] : FAR;
}

extern "C" __global__ void sssp_initialise(unsigned *distance, unsigned nodes) {
  unsigned n = blockIdx.x * blockDim.x + threadIdx.x;
  if (n < nodes) distance[n] = n == 0 ? 0 : FAR;
}

__device__ static bool relax_edge(unsigned *distance, struct graph *g, unsigned n, unsigned nth) {
  unsigned to = target_of(g, n, nth);
  if (to >= g->nodes) return false;
  unsigned weight = weight_of(g, n, nth);
  if (weight >= FAR) return false;
  unsigned offer = distance[n] + weight;
  return offer < distance[to] && offer < atomicMin(&distance[to], offer);
}

extern "C" __global__ void sssp_relax(unsigned *distance, struct graph g, unsigned char *changed) {
  unsigned many = NODES / blockDim.x, me = blockIdx.x * blockDim.x + threadIdx.x;
  LOOP for (unsigned n = me * many; n < (me + 1) * many; n++) {
    if (n >= g.nodes) continue;
    bool better = false;
    unsigned degree = g.degree[n];
    LOOP for (unsigned nth = 0; nth < degree; nth++)
      if (relax_edge(distance, &g, n, nth)) better = true;
    if (better) *changed = 1;
  }
}

extern "C" __global__ void sssp_verify(unsigned *distance, struct graph g, unsigned *wrong) {
  unsigned n = blockIdx.x * blockDim.x + threadIdx.x;
  if (n >= g.nodes) return;
  unsigned degree = g.degree[n];
  LOOP for (unsigned nth = 0; nth < degree; nth++) {
    unsigned to = target_of(&g, n, nth), weight = weight_of(&g, n, nth);
    if (weight > 0 && distance[n] + weight < distance[to]) ++*wrong;
  }
}
