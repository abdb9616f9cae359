// k-means clustering as Rodinia does it on a GPU: the points come as rows of features; one kernel
// makes columns of them, and then one launch per iteration finds the nearest centre of each point.
//
// The first kernel is the interesting one: a thread copies a row, so that each load of a warp
// touches a line of its own for each lane, 136 bytes from the next, and the rest of the line is
// used only if it is still there when the thread comes back for the next feature. The second reads
// the columns through a texture, whole lines, once for each centre, and the centres from constant
// memory.
//
// There is no host that would compute the new centres between two iterations: they are given, and
// come closer to those that the points were scattered around.
#include "../suite.h"

#define MOST_FEATURES 34
#define MOST_CENTRES 5
#define MOST_STEPS 4

struct centres {
  float at[MOST_STEPS * MOST_CENTRES * MOST_FEATURES];
  constexpr centres() : at() {
    for (int step = 0; step < MOST_STEPS; step++)
      for (int c = 0; c < MOST_CENTRES; c++)
        for (int f = 0; f < MOST_FEATURES; f++)
          at[(step * MOST_CENTRES + c) * MOST_FEATURES + f] =
              (c * 31 + f * 17) % 23 / 4.0f +
              ((c * 13 + f * 5 + step * 7) % 8 - 3.5f) / (1 << step);
  }
};
__constant__ centres centre_of;

// Rows to columns.
extern "C" __global__ void kmeans_swap(float *row, float *column, int points, int features) {
  int p = blockIdx.x * blockDim.x + threadIdx.x;
  if (p < points) {
    LOOP for (int f = 0; f < features; f++) column[f * points + p] = row[p * features + f];
  }
}

extern "C" __global__ void kmeans_nearest(cudaTextureObject_t column, int features, int points,
                                          int centres, int *nearest, int step) {
  unsigned p = (blockIdx.y * gridDim.x + blockIdx.x) * blockDim.x + threadIdx.x;
  if (p >= points) return;
  const float *centre = centre_of.at + step * MOST_CENTRES * MOST_FEATURES;
  int best = -1;
  float least = 3.40282347e38f;
  LOOP for (int c = 0; c < centres; c++) {
    float sum = 0.0f;
    LOOP for (int f = 0; f < features; f++) {
      float d = tex1Dfetch<float>(column, f * points + p) - centre[c * features + f];
      sum = fmaf(d, d, sum);
    }
    if (sum < least) {
      least = sum;
      best = c;
    }
  }
  nearest[p] = best;
}
