// Breadth-first search by levels, a node per thread, two kernels for each level: the first visits
// the neighbours of the nodes of the level and marks those never seen, the second makes the marked
// ones the next level and seen.
//
// Flags are bytes and stream; the edges of a thread's node lie some 24 bytes behind those of its
// neighbour's, and whether a node was seen is a scattered byte. Start and number of a node's edges
// are loaded anew for every edge, since the stores between could have changed them. Threads that
// find the same node write the same values.
#include "../suite.h"

#define THREADS 512

struct node {
  int first, edges;
};

extern "C" __global__ void bfs_visit(node *nodes, int *edge, bool *level, bool *marked, bool *seen,
                                     int *cost, int n) {
  int v = blockIdx.x * THREADS + threadIdx.x;
  if (v < n && level[v]) {
    level[v] = false;
    LOOP for (int e = nodes[v].first; e < nodes[v].edges + nodes[v].first; e++) {
      int u = edge[e];
      if (!seen[u]) {
        cost[u] = cost[v] + 1;
        marked[u] = true;
      }
    }
  }
}

extern "C" __global__ void bfs_advance(bool *level, bool *marked, bool *seen, bool *again, int n) {
  int v = blockIdx.x * THREADS + threadIdx.x;
  if (v < n && marked[v]) {
    level[v] = true;
    seen[v] = true;
    *again = true;
    marked[v] = false;
  }
}
