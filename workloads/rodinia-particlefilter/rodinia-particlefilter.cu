// A particle filter that follows a bright disc through noisy frames, in the four kernels per frame
// of the `float` version of Rodinia's particlefilter (whose numbers are doubles): move each particle
// and weigh it by the pixels of a disc around it, sum the weights, make a cumulative distribution of
// them, and draw new particles from it.
//
// Weighing goes through a list of 69 indices of each particle in global memory, written and read
// again with 276 bytes between the lanes of a warp, and gathers bytes of the frame; a single thread
// adds up the distribution; and in drawing each thread searches it from the start, so that all warps
// stream through the same 8 KB, each lane until its own end.
//
// The original lets other blocks see weights and the offset of the draw before or after one thread
// of the first block has changed them. Here normalised weights have an array of their own, the
// distribution is made of the others, and the other blocks always take the offset of the frame
// before, as they would if all blocks run at a time.
#include "../suite.h"
#include "double.h"

#define BLOCK 512 // at most
#define MODULUS 2147483647 // of the linear congruential generator

// The next number of generator `i`, from 0 to 1.
static __device__ double uniform(int *seed, int i) {
  int next = 1103515245 * seed[i] + 12345;
  seed[i] = next % MODULUS;
  return fabs(seed[i] / (double)MODULUS);
}

// Of normal distribution, by Box and Muller's transformation.
static __device__ double normal(int *seed, int i) {
  double u = uniform(seed, i), v = uniform(seed, i);
  double angle = double_cos(2.0 * 3.14159265358979324 * v);
  return sqrt(-2.0 * double_log(u)) * angle;
}

extern "C" __global__ void particle_weigh(double *x, double *y, double *old_x, double *old_y,
                                          int *index, int *disc, double *likelihood,
                                          unsigned char *video, double *weight, int *seed,
                                          double *sums, int particles, int pixels, int limit,
                                          int frame, int columns, int frames) {
  __shared__ double part[BLOCK];
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < particles) {
    x[i] = old_x[i];
    y[i] = old_y[i];
    weight[i] = 1 / (double)particles;
    x[i] = fma(5.0, normal(seed, i), x[i] + 1.0);
    y[i] = fma(2.0, normal(seed, i), y[i] - 2.0);
  }
  __syncthreads();
  if (i < particles) {
    LOOP for (int p = 0; p < pixels; p++) {
      int row = (int)x[i] + disc[2 * p + 1], column = (int)y[i] + disc[2 * p];
      index[i * pixels + p] = abs((row * columns + column) * frames + frame);
      if (index[i * pixels + p] >= limit) index[i * pixels + p] = 0;
    }
    double sum = 0.0;
    LOOP for (int p = 0; p < pixels; p++) {
      int value = video[index[i * pixels + p]];
      double dark = value - 100, bright = value - 228;
      sum += (dark * dark - bright * bright) / 50.0;
    }
    likelihood[i] = sum;
    likelihood[i] = likelihood[i] / pixels;
    weight[i] = weight[i] * double_exp(likelihood[i]);
  }
  part[threadIdx.x] = 0.0;
  __syncthreads();
  if (i < particles) part[threadIdx.x] = weight[i];
  __syncthreads();
  LOOP for (unsigned s = blockDim.x / 2; s > 0; s >>= 1) {
    if (threadIdx.x < s) part[threadIdx.x] += part[threadIdx.x + s];
    __syncthreads();
  }
  if (threadIdx.x == 0) sums[blockIdx.x] = part[0];
}

extern "C" __global__ void particle_sum(double *sums, int blocks) {
  if (blockIdx.x * blockDim.x + threadIdx.x == 0) {
    double sum = 0.0;
    LOOP for (int b = 0; b < blocks; b++) sum += sums[b];
    sums[0] = sum;
  }
}

extern "C" __global__ void particle_normalise(double *weight, double *normalised, int particles,
                                              double *sums, double *distribution, double *draw,
                                              double *offset, int *seed, int frame) {
  __shared__ double start, sum;
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (threadIdx.x == 0) sum = sums[0];
  __syncthreads();
  if (i < particles) normalised[i] = weight[i] / sum;
  __syncthreads();
  if (i == 0) {
    double scale = 1 / sum;
    distribution[0] = weight[0] * scale;
    LOOP for (int p = 1; p < particles; p++)
      distribution[p] = fma(weight[p], scale, distribution[p - 1]);
    offset[frame % 2] = 1 / (double)particles * uniform(seed, i);
  }
  __syncthreads();
  if (threadIdx.x == 0) start = offset[blockIdx.x ? (frame + 1) % 2 : frame % 2];
  __syncthreads();
  if (i < particles) draw[i] = start + i / (double)particles;
}

extern "C" __global__ void particle_draw(double *x, double *y, double *distribution, double *draw,
                                         double *new_x, double *new_y, int particles) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < particles) {
    int found = -1;
    LOOP for (int p = 0; p < particles; p++) {
      if (distribution[p] >= draw[i]) {
        found = p;
        break;
      }
    }
    if (found == -1) found = particles - 1;
    new_x[i] = x[found];
    new_y[i] = y[found];
  }
}
