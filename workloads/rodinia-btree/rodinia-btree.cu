// Searches in a B+ tree, a query per block and a key of a node per thread: at each level the thread
// whose key and whose neighbour's enclose the query's names the child, and after a barrier thread 0
// makes it the block's node. The first kernel follows both ends of a range of keys, the second
// looks for single keys and fetches their records.
//
// The 256 threads read a node's keys in whole lines (twice, the second time one key further), and
// each of them the block's own few words of state from global memory. The upper nodes are common to
// all blocks; leaves are as good as random.
#include "../suite.h"

#define ORDER 256

struct node {
  int place;
  int child[ORDER + 1]; // of a leaf: records
  int key[ORDER + 1];
  bool is_leaf;
  int keys;
};

extern "C" __global__ void btree_range(long height, node *nodes, long count, long *here_first,
                                       long *next_first, long *here_last, long *next_last,
                                       int *first, int *last, int *record, int *length) {
  int t = threadIdx.x, q = blockIdx.x;
  LOOP for (int level = 0; level < height; level++) {
    if (nodes[here_first[q]].key[t] <= first[q] && nodes[here_first[q]].key[t + 1] > first[q]) {
      if (nodes[here_first[q]].child[t] < count) next_first[q] = nodes[here_first[q]].child[t];
    }
    if (nodes[here_last[q]].key[t] <= last[q] && nodes[here_last[q]].key[t + 1] > last[q]) {
      if (nodes[here_last[q]].child[t] < count) next_last[q] = nodes[here_last[q]].child[t];
    }
    __syncthreads();
    if (t == 0) {
      here_first[q] = next_first[q];
      here_last[q] = next_last[q];
    }
    __syncthreads();
  }
  if (nodes[here_first[q]].key[t] == first[q]) record[q] = nodes[here_first[q]].child[t];
  __syncthreads();
  if (nodes[here_last[q]].key[t] == last[q])
    length[q] = nodes[here_last[q]].child[t] - record[q] + 1;
}

extern "C" __global__ void btree_find(long height, node *nodes, long count, int *records,
                                      long *here, long *next, int *key, int *found) {
  int t = threadIdx.x, q = blockIdx.x;
  LOOP for (int level = 0; level < height; level++) {
    if (nodes[here[q]].key[t] <= key[q] && nodes[here[q]].key[t + 1] > key[q]) {
      if (nodes[next[q]].child[t] < count) next[q] = nodes[next[q]].child[t];
    }
    __syncthreads();
    if (t == 0) here[q] = next[q];
    __syncthreads();
  }
  if (nodes[here[q]].key[t] == key[q]) found[q] = records[nodes[here[q]].child[t]];
}
