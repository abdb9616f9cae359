// One step of training a layered neural network, the part between `in` input units and 16 hidden
// ones: the forward pass makes partial sums of the hidden units, the backward pass adjusts the
// weights. A block of 16x16 threads has 16 inputs by 16 hidden units; unit 0 of each layer is the
// bias.
//
// A row of the weights is hidden + 1 = 17 floats, so half a warp reads 64 bytes that are seldom
// aligned, and neighbouring rows share a line. The second kernel reads most operands twice: a
// store stands between, and the compiler cannot know that it does not change them.
#include "../suite.h"

#define SIDE 16
#define ETA  0.3 // rate of learning, and share of the last change: doubles, as in the original
#define MOM  0.3

extern "C" __global__ void backprop_forward(float *unit, float *weight, float *partial,
                                            int hidden) {
  __shared__ float in[SIDE];
  __shared__ float product[SIDE][SIDE];
  int group = blockIdx.y, x = threadIdx.x, y = threadIdx.y;
  int input = group * SIDE + y + 1;
  int at = input * (hidden + 1) + x + 1;

  if (x == 0) in[y] = unit[input];
  __syncthreads();
  product[y][x] = weight[at];
  __syncthreads();
  product[y][x] = product[y][x] * in[y];
  __syncthreads();
  LOOP for (int level = 1; level <= 4; level++) { // sums of each column, by a tree
    int distance = 1 << level;
    if (y % distance == 0) product[y][x] = product[y][x] + product[y + distance / 2][x];
    __syncthreads();
  }
  weight[at] = product[y][x];
  __syncthreads();
  if (x == 0) partial[group * hidden + y] = product[x][y];
}

extern "C" __global__ void backprop_adjust(float *delta, int hidden, float *unit, float *weight,
                                           float *change) {
  int group = blockIdx.y, x = threadIdx.x, y = threadIdx.y;
  int input = group * SIDE + y + 1, output = x + 1;
  int at = input * (hidden + 1) + output;

  weight[at] += fma(ETA * delta[output], (double)unit[input], MOM * change[at]);
  change[at] = fma(ETA * delta[output], (double)unit[input], MOM * change[at]);
  __syncthreads();
  if (y == 0 && group == 0) { // weights of the bias
    weight[output] += fma(MOM, (double)change[output], ETA * delta[output]);
    change[output] = fma(MOM, (double)change[output], ETA * delta[output]);
  }
}
