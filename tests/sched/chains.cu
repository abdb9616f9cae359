// make_ptx: compute_90
// Loads whose addresses come from loads.
#include "common.h"

KERNEL chase(const int *next, int *out, int trips) {
  int at = TID;
  for (int i = 0; i < trips; i++)
    at = next[at];
  out[TID] = at;
}

KERNEL chase_until(const int *next, int *out) {
  int at = TID, n = 0;
  while (at >= 0) {
    at = next[at];
    n++;
  }
  out[TID] = n;
}

struct node {
  const node *next;
  float weight;
  int key;
};

KERNEL chase_pointers(const node *const *heads, float *out) {
  float s = 0;
  for (const node *n = heads[TID]; n != nullptr; n = n->next)
    s += n->weight;
  out[TID] = s;
}

KERNEL find_key(const node *const *heads, const int *keys, float *out) {
  int key = keys[TID];
  float found = -1;
  for (const node *n = heads[key & 1023]; n != nullptr; n = n->next)
    if (n->key == key) {
      found = n->weight;
      break;
    }
  out[TID] = found;
}

KERNEL gather_one(const int *index, const float *a, float *out, int trips) {
  float s = 0;
  for (int i = threadIdx.x; i < trips; i += 256)
    s += a[index[i]];
  out[TID] = s;
}

KERNEL gather_weighted(const int *__restrict__ index, const float *__restrict__ weight,
                       const float *__restrict__ a, float *__restrict__ out, int first, int last) {
  float s = 0;
  for (int i = first + TID; i < last; i += 64)
    s = fmaf(weight[i], a[index[i]], s);
  out[TID] = s;
}

KERNEL gather_two_levels(const int *outer, const int *inner, const float *a, float *out,
                         int trips) {
  float s = 0;
  for (int i = threadIdx.x; i < trips; i += 256)
    s += a[inner[outer[i]]];
  out[TID] = s;
}

KERNEL gather_three(const int *index, const float *x, const float *y, const float *z, float *out,
                    int trips) {
  float s = 0;
  for (int i = 0; i < trips; i++) {
    int at = index[i * 32 + (threadIdx.x & 31)];
    s += x[at] * y[at] + z[at];
  }
  out[TID] = s;
}

KERNEL gather_once(const int *index, const float *a, float *out) {
  out[TID] = a[index[TID]];
}

KERNEL gather_two_once(const int *outer, const int *inner, const float *a, float *out) {
  out[TID] = a[inner[outer[TID]]] + a[inner[TID]];
}

KERNEL scatter(const int *index, const float *a, float *out, int trips) {
  for (int i = threadIdx.x; i < trips; i += 256)
    out[index[i]] = a[i];
}

KERNEL binary_steps(const int *sorted, const int *keys, int *out, int n) {
  int key = keys[TID], low = 0, high = n;
  while (low < high) {
    int middle = (low + high) / 2;
    if (sorted[middle] < key)
      low = middle + 1;
    else
      high = middle;
  }
  out[TID] = low;
}

KERNEL tree_walk(const int4 *nodes, const float *keys, int *out, int depth) {
  int at = 0;
  float key = keys[TID];
  for (int d = 0; d < depth; d++) {
    int4 n = nodes[at];
    at = key < __int_as_float(n.x) ? n.y : n.z;
  }
  out[TID] = at;
}

// A row's bounds from memory, its elements behind indices.
KERNEL ranges(const int *__restrict__ begin, const int *__restrict__ column,
              const float *__restrict__ x, float *__restrict__ out, int rows) {
  for (int row = TID; row < rows; row += STEP) {
    float s = 0;
    for (int k = begin[row]; k < begin[row + 1]; k++)
      s += x[column[k]];
    out[row] = s;
  }
}
