// Attention of a transformer, softmax(Q K^T / sqrt(d)) V, as it is written first: three kernels with
// the scores in memory between them; a head per block in z or y.
//
// In `scores` neighbouring lanes have neighbouring keys: each reads a row of its own, a line of which
// serves 32 steps if it stays; queries are the same for 16 lanes. `softmax` goes over a row three
// times. In `values` rows of V are coalesced and read by all blocks of a head.
#include "../suite.h"

// A score per thread, in blocks of 16 keys by 16 queries.
extern "C" __global__ void scores(float *query, float *key, float *score, int n, int d,
                                  float scale) {
  int j = blockIdx.x * blockDim.x + threadIdx.x, i = blockIdx.y * blockDim.y + threadIdx.y;
  int head = blockIdx.z;
  float *q = query + (head * n + i) * d, *k = key + (head * n + j) * d;
  float sum = 0;
  LOOP
  for (int c = 0; c < d; c++)
    sum = fmaf(q[c], k[c], sum);
  score[(head * n + i) * n + j] = sum * scale;
}

// A row per block of 128 threads.
extern "C" __global__ void softmax(float *score, int n) {
  __shared__ float part[128];
  int t = threadIdx.x;
  float *row = score + (blockIdx.y * n + blockIdx.x) * n;
  float most = row[0];
  LOOP
  for (int j = t; j < n; j += 128)
    most = fmaxf(most, row[j]);
  part[t] = most;
  LOOP
  for (int half = 64; half > 0; half /= 2) {
    __syncthreads();
    if (t < half) part[t] = fmaxf(part[t], part[t + half]);
  }
  __syncthreads();
  most = part[0];
  __syncthreads();
  float sum = 0;
  LOOP
  for (int j = t; j < n; j += 128) {
    float e = suite_expf(row[j] - most);
    row[j] = e;
    sum += e;
  }
  part[t] = sum;
  LOOP
  for (int half = 64; half > 0; half /= 2) {
    __syncthreads();
    if (t < half) part[t] += part[t + half];
  }
  __syncthreads();
  sum = part[0];
  LOOP
  for (int j = t; j < n; j += 128)
    row[j] = __fdiv_rn(row[j], sum);
}

// A component of a query's result per thread, in blocks of d components by 4 queries.
extern "C" __global__ void values(float *score, float *value, float *out, int n, int d) {
  int c = threadIdx.x, i = blockIdx.x * blockDim.y + threadIdx.y, head = blockIdx.y;
  float *p = score + (head * n + i) * n, *v = value + head * n * d + c;
  float sum = 0;
  LOOP
  for (int j = 0; j < n; j++)
    sum = fmaf(p[j], v[j * d], sum);
  out[(head * n + i) * d + c] = sum;
}
