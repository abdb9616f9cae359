// A convolutional network of fire modules, after SqueezeNet of the "Tango" suite: a convolution of
// 7x7, eight fires (1x1 to few maps, then 1x1 and 3x3 to many), three poolings by steps of 2, a
// convolution of 1x1 and an average, all in f64, a kernel for each layer.
//
// A block has a column of pixels, a thread one of them, of all features in turn; blocks have 111, 55,
// 27 or 13 threads. Lanes are in different rows, so that a load touches a line per lane; of these
// the neighbours in the line serve other blocks, and all lines of all maps are wanted again for the
// next feature, if they stay: 55 rows of 96 maps are 660 KB. Weights are the same for all lanes.
#include "../suite.h"

extern "C" __global__ void conv1(double *weight, int *red, int *green, int *blue, double *out,
                                 int features, int size, int n) {
  int x = 2 * threadIdx.x + 3, y = 2 * blockIdx.x + 3;
  LOOP
  for (int f = 0; f < features; f++) {
    double sum = 0;
    LOOP
    for (int i = x - 3; i <= x + 3; i++) {
      LOOP
      for (int j = y - 3; j <= y + 3; j++) {
        if (i < 0 || j < 0 || i >= size || j >= size) continue;
        int w = 147 * f + 7 * (i - x + 3) + j - y + 3, p = size * i + j;
        double part = red[p] * weight[w];
        part = fma((double)green[p], weight[w + 49], part);
        sum += fma((double)blue[p], weight[w + 98], part);
      }
    }
    if (sum < 0) sum = 0;
    out[n * n * f + n * ((x - 3) / 2) + (y - 3) / 2] = sum;
  }
}

// The largest of 3x3 pixels, at least 0, around every other one of n x n.
__device__ static inline void pool(double *in, double *out, int maps, int n) {
  int x = threadIdx.x, y = blockIdx.x;
  double most = 0;
  LOOP
  for (int m = 0; m < maps; m++) {
    if (x % 2 != 0) {
      if (y % 2 != 0) {
        LOOP
        for (int i = x - 1; i <= x + 1; i++) {
          if (i >= n) break;
          LOOP
          for (int j = y - 1; j <= y + 1; j++) {
            if (j >= n) break;
            double value = in[n * n * m + n * i + j];
            if (most < value) most = value;
          }
        }
        out[(n / 2) * (n / 2) * m + n / 2 * ((x - 1) / 2) + (y - 1) / 2] = most;
        most = 0;
      }
    }
  }
  __syncthreads();
}

// One by one pixel of all maps; `bias`: behind the weights there is a number for each feature.
__device__ static inline void mix(double *weight, double *in, double *out, int maps, int features,
                                  int n, bool bias) {
  int x = threadIdx.x, y = blockIdx.x;
  LOOP
  for (int f = 0; f < features; f++) {
    double sum = 0;
    LOOP
    for (int m = 0; m < maps; m++)
      sum = fma(in[n * n * m + n * x + y], weight[maps * f + m], sum);
    if (sum < 0) sum = 0;
    out[n * n * f + n * x + y] = bias ? sum + weight[maps * features + f] : sum;
  }
  __syncthreads();
}

__device__ static inline void conv3(double *weight, double *in, double *out, int maps, int features,
                                    int n) {
  int x = threadIdx.x, y = blockIdx.x;
  LOOP
  for (int f = 0; f < features; f++) {
    double total = 0;
    LOOP
    for (int m = 0; m < maps; m++) {
      double sum = 0;
      LOOP
      for (int i = x - 1; i <= x + 1; i++) {
        LOOP
        for (int j = y - 1; j <= y + 1; j++) {
          if (i < 0 || j < 0 || i >= n || j >= n) continue;
          int w = 9 * (maps * f + m) + 3 * (i - x + 1) + j - y + 1;
          sum = fma(in[n * n * m + n * i + j], weight[w], sum);
        }
      }
      total += sum;
    }
    if (total < 0) total = 0;
    out[n * n * f + n * x + y] = total;
  }
  __syncthreads();
}

#define POOL(k)                                                                                    \
  extern "C" __global__ void pool##k(double *in, double *out, int maps, int n) {                   \
    pool(in, out, maps, n);                                                                        \
  }
#define FIRE(k, bias)                                                                              \
  extern "C" __global__ void fire##k##_squeeze(double *weight, double *in, double *out, int maps,  \
                                               int features, int n) {                              \
    mix(weight, in, out, maps, features, n, bias);                                                 \
  }                                                                                                \
  extern "C" __global__ void fire##k##_expand1(double *weight, double *in, double *out, int maps,  \
                                               int features, int n) {                              \
    mix(weight, in, out, maps, features, n, false);                                                \
  }                                                                                                \
  extern "C" __global__ void fire##k##_expand3(double *weight, double *in, double *out, int maps,  \
                                               int features, int n) {                              \
    conv3(weight, in, out, maps, features, n);                                                     \
  }

POOL(1)
FIRE(2, false)
FIRE(3, false)
FIRE(4, false)
POOL(4)
FIRE(5, false)
FIRE(6, false)
FIRE(7, false)
FIRE(8, true)
POOL(8)
FIRE(9, false)

// Maps of n x n inside of maps with an edge around them.
extern "C" __global__ void conv10(double *weight, double *in, double *out, int maps, int features,
                                  int n) {
  int x = threadIdx.x, y = blockIdx.x;
  if (x != 0 && x != n + 1 && y != 0 && y != n + 1) {
    LOOP
    for (int f = 0; f < features; f++) {
      double sum = 0;
      LOOP
      for (int m = 0; m < maps; m++)
        sum = fma(in[n * n * m + n * (x - 1) + y - 1], weight[maps * f + m], sum);
      if (sum < 0) sum = 0;
      out[(n + 2) * (n + 2) * f + (n + 2) * x + y] = sum;
    }
  }
  __syncthreads();
}

// A map per thread; as in the original, the first of the next row is counted to each row.
extern "C" __global__ void pool10(double *in, double *out, int n) {
  int t = threadIdx.x;
  double sum = 0;
  LOOP
  for (int i = 0; i < n; i++) {
    LOOP
    for (int j = 0; j <= n; j++)
      sum += in[n * n * t + n * i + j];
  }
  out[t] = sum / (n * n);
  __syncthreads();
}
