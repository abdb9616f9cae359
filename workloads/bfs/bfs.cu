// One level of a breadth-first search, one vertex per thread: a vertex whose frontier flag is set
// visits its neighbours and flags those not seen before for the next level. `frontier` holds two
// arrays of n flags which change places from level to level. Flags stream, edge lists diverge,
// costs are scattered. Threads that find the same neighbour write the same values, so the order
// between them does not show.
extern "C" __global__ void bfs(const unsigned *start, const unsigned *edge, unsigned char *frontier,
                               int *cost, int *changed, unsigned n, int level) {
  unsigned v = blockIdx.x * blockDim.x + threadIdx.x;
  if (v >= n) return;
  unsigned char *now = frontier + (level & 1 ? n : 0);
  unsigned char *next = frontier + (level & 1 ? 0 : n);
  if (!now[v]) return;
  now[v] = 0;
  for (unsigned e = start[v]; e < start[v + 1]; e++) {
    unsigned u = edge[e];
    if (cost[u] < 0) {
      cost[u] = level + 1;
      next[u] = 1;
      *changed = 1;
    }
  }
}
