// Histograms of the angles between points of the sky, as Parboil's tpacf: one set of observed
// points and `sets` sets of random ones; a block of 256 threads compares a set with itself (the
// first sets + 1 blocks) or a random set with the observed one (the others). 256 points at a time
// lie in shared memory, each thread holds one point of the other set and runs through them; a
// binary search in constant memory finds the bin, and an atomic on shared memory counts it in one
// of 128 histograms, which two threads share.
//
// The loads are coalesced and rare, and each point of the other set is loaded once for every 256 of
// the first: a set of 487 points is 6 KB, which stays in an L1 from one pass to the next.
//
// The original lacks the barrier before shared memory is filled anew, and leaves the coordinates of
// threads without a point as they are; neither is so here.
#include "../suite.h"
#include "bounds.h"

#define THREADS    256
#define HISTOGRAMS 128

__constant__ float bounds[BINS + 1] = BOUNDS;

extern "C" __global__ void angle_histograms(unsigned long long *result, float *all_x, float *all_y,
                                            float *all_z, int sets, int points) {
  __shared__ float3 fixed[THREADS];
  __shared__ unsigned histogram[BINS][HISTOGRAMS];
  unsigned t = threadIdx.x, block = blockIdx.x, n = points;
  bool alone = block < sets + 1;
  LOOP
  for (unsigned i = t; i < BINS * HISTOGRAMS; i += THREADS)
    histogram[i / HISTOGRAMS][i % HISTOGRAMS] = 0;
  float *other_x, *other_y, *other_z, *x, *y, *z;
  if (alone) {
    x = other_x = all_x + n * block;
    y = other_y = all_y + n * block;
    z = other_z = all_z + n * block;
  } else {
    x = all_x;
    y = all_y;
    z = all_z;
    other_x = all_x + n * (block - sets);
    other_y = all_y + n * (block - sets);
    other_z = all_z + n * (block - sets);
  }
  LOOP
  for (unsigned i = 0; i < n; i += THREADS) {
    if (i > 0) __syncthreads();
    if (t + i < n) fixed[t] = make_float3(x[t + i], y[t + i], z[t + i]);
    __syncthreads();
    LOOP
    for (unsigned j = alone ? i + 1 : 0; j < n; j += THREADS) {
      float px = 0, py = 0, pz = 0;
      if (t + j < n) {
        px = other_x[t + j];
        py = other_y[t + j];
        pz = other_z[t + j];
      }
      LOOP
      for (unsigned k = 0; k < THREADS && k + i < n; k++) {
        float cosine = fmaf(fixed[k].z, pz, fmaf(fixed[k].y, py, fixed[k].x * px));
        unsigned low = 0, high = BINS;
        LOOP
        while (high > low + 1) {
          unsigned middle = (low + high) / 2;
          if (cosine >= bounds[middle])
            high = middle;
          else
            low = middle;
        }
        if (cosine < bounds[low] && cosine >= bounds[high] && (!alone || t + j > i + k) &&
            t + j < n)
          atomicAdd(&histogram[high - 1][t / 2], 1u);
      }
    }
  }
  unsigned column = t % (HISTOGRAMS / 2), row = t / (HISTOGRAMS / 2);
  LOOP
  for (unsigned half = HISTOGRAMS / 2; half > 0; half /= 2) {
    LOOP
    for (unsigned bin = row; bin - row < BINS; bin += THREADS / (HISTOGRAMS / 2)) {
      __syncthreads();
      if (column < half && bin < BINS) histogram[bin][column] += histogram[bin][column + half];
    }
  }
  __syncthreads();
  if (t < BINS) result[BINS * block + t] = histogram[t][0];
}
