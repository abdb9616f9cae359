// A small convolutional network for pictures of 32x32 pixels, after CifarNet of the "Tango" suite:
// three convolutions of 5x5, each with a pooling of 3x3 by steps of 2, and two fully connected
// layers, all in f64 and in one block.
//
// A thread has a pixel and goes through all features; threads along x have different rows, so that
// a load of a picture touches a line (or half of one) for each lane, which the lane wants again for
// the columns beside it, for the next feature, and from the neighbours' rows. Weights are the same
// for all lanes. Of the 32x32 threads a quarter has pixels in the second layer, a 16th in the third.
#include "../suite.h"

#define EDGE 2 // of the 5x5 window around a pixel

#define FIT __maxnreg__(32) // a block of 1024 threads must fit into 32,768 registers

extern "C" __global__ void FIT conv1(double *weight, int *red, int *green, int *blue, double *out,
                                     int features) {
  int x = threadIdx.x, y = threadIdx.y;
  LOOP
  for (int f = 0; f < features; f++) {
    double sum = 0;
    LOOP
    for (int i = x - EDGE; i <= x + EDGE; i++) {
      LOOP
      for (int j = y - EDGE; j <= y + EDGE; j++) {
        if (i < 0 || j < 0 || i > 31 || j > 31) continue;
        int w = 75 * f + 5 * (i - x + EDGE) + j - y + EDGE, p = 32 * i + j;
        double part = red[p] * weight[w];
        part = fma((double)green[p], weight[w + 25], part);
        sum += fma((double)blue[p], weight[w + 50], part);
      }
    }
    out[1024 * f + 32 * x + y] = sum;
  }
}

// Of maps of n x n. Threads beyond them take part in the loops over features only.
__device__ static inline void conv(double *weight, double *in, double *out, int maps, int features,
                                   int n) {
  int x = threadIdx.x, y = threadIdx.y;
  LOOP
  for (int f = 0; f < features; f++) {
    double total = 0;
    LOOP
    for (int m = 0; m < maps; m++) {
      if (x < n) {
        if (y < n) {
          double sum = 0;
          LOOP
          for (int i = x - EDGE; i <= x + EDGE; i++) {
            LOOP
            for (int j = y - EDGE; j <= y + EDGE; j++) {
              if (i < 0 || j < 0 || i >= n || j >= n) continue;
              int w = 25 * (maps * f + m) + 5 * (i - x + EDGE) + j - y + EDGE;
              sum = fma(in[n * n * m + n * i + j], weight[w], sum);
            }
          }
          total += sum;
        }
      }
    }
    if (total < 0) total = 0;
    if (x < n && y < n) out[n * n * f + n * x + y] = total;
  }
}

extern "C" __global__ void FIT conv2(double *weight, double *in, double *out, int maps,
                                     int features) {
  conv(weight, in, out, maps, features, 16);
}
extern "C" __global__ void FIT conv3(double *weight, double *in, double *out, int maps,
                                     int features) {
  conv(weight, in, out, maps, features, 8);
}

// The largest of 3x3 pixels, at least 0, around every other one.
extern "C" __global__ void pool1(double *in, double *out, int maps) {
  int x = threadIdx.x, y = threadIdx.y;
  double most = 0;
  LOOP
  for (int m = 0; m < maps; m++) {
    if (x % 2 != 0) {
      if (y % 2 != 0) {
        LOOP
        for (int i = x - 1; i <= x + 1; i++) {
          if (i > 31) break;
          LOOP
          for (int j = y - 1; j <= y + 1; j++) {
            if (j > 31) break;
            double value = in[1024 * m + 32 * i + j];
            if (most < value) most = value;
          }
        }
        out[256 * m + 8 * (x - 1) + (y - 1) / 2] = most;
        most = 0;
      }
    }
  }
}

// The average of as many of 3x3 pixels as there are, around every other one of n x n.
__device__ static inline void pool_average(double *in, double *out, int maps, int n) {
  int x = threadIdx.x, y = threadIdx.y, count = 0;
  double sum = 0;
  LOOP
  for (int m = 0; m < maps; m++) {
    if (x % 2 != 0 && x < n) {
      if (y % 2 != 0 && y < n) {
        LOOP
        for (int i = x - 1; i <= x + 1; i++) {
          if (i >= n) break;
          LOOP
          for (int j = y - 1; j <= y + 1; j++) {
            if (j >= n) break;
            sum += in[n * n * m + n * i + j];
            count++;
          }
        }
        out[n * n / 4 * m + n / 2 * ((x - 1) / 2) + (y - 1) / 2] = sum / count;
        sum = 0;
        count = 0;
      }
    }
  }
}

extern "C" __global__ void pool2(double *in, double *out, int maps) {
  pool_average(in, out, maps, 16);
}
extern "C" __global__ void pool3(double *in, double *out, int maps) {
  pool_average(in, out, maps, 8);
}

// Fully connected: a neuron per thread, each with a row of weights of its own.
extern "C" __global__ void full1(double *weight, double *in, double *out, int maps) {
  int t = threadIdx.x;
  double sum = 0;
  LOOP
  for (int m = 0; m < maps; m++) {
    LOOP
    for (int i = 0; i < 4; i++) {
      LOOP
      for (int j = 0; j < 4; j++)
        sum = fma(in[16 * m + 4 * i + j], weight[16 * maps * t + 16 * m + 4 * i + j], sum);
    }
  }
  out[t] = sum;
}

extern "C" __global__ void full2(double *weight, double *in, double *out) {
  int t = threadIdx.x;
  if (t < 9) {
    double sum = 0;
    LOOP
    for (int i = 0; i < 64; i++)
      sum = fma(in[i], weight[64 * t + i], sum);
    out[t] = sum;
  }
}
