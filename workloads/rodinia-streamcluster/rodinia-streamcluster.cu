// One round of online clustering (Rodinia's streamcluster): what it would cost, and save, to open a
// new centre at point x. A point per thread: the squared distance to x, against the cost that the
// point has now; the difference goes to the point's own row of the work memory, either into the
// column of the new centre or into that of the point's present one.
//
// Coordinates are dimension-major: each step of the distance loads a coalesced line of the
// thread's coordinates, which no one needs again before the next launch, and the one word of x,
// the same for all. A point's record has 32 bytes, so a warp's load of one field touches eight
// lines, three fields of which come out of the same lines. The rows of the work memory have one
// column for each centre and one more: a line or more for each thread.
#include "../suite.h"

struct point {
  float weight;
  float *coordinates; // the host's
  long long centre;   // index of the point that is its centre
  float cost;
};

extern "C" __global__ void streamcluster_cost(int points, int dimensions, long long x,
                                              struct point *record, int centres, int stride,
                                              float *coordinate, float *work, int *column_of,
                                              bool *moves) {
  int block = blockIdx.x + gridDim.x * blockIdx.y;
  int t = blockDim.x * block + threadIdx.x;
  if (t >= points) return;
  float *saved = work + t * stride;
  int other = (int)x;
  float sum = 0.0f;
  LOOP
  for (int d = 0; d < dimensions; d++) {
    float difference = coordinate[d * points + t] - coordinate[d * points + other];
    sum = fmaf(difference, difference, sum);
  }
  float cost = sum * record[t].weight;
  if (cost < record[t].cost) {
    moves[t] = true;
    saved[centres] += cost - record[t].cost;
  } else {
    saved[column_of[record[t].centre]] += record[t].cost - cost;
  }
}
