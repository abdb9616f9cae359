/* Bitonic sort of doubles of any sign, in shared memory where it fits and in global memory where
 * not. */
#include "common.h"

#define N     2048
#define LOCAL 512

__device__ inline void exchange(double &a, double &b, bool up) {
  if ((a > b) == up) {
    double t = a;
    a = b;
    b = t;
  }
}

__global__ void sort_local(double *data) {
  __shared__ double s[LOCAL];
  int base = blockIdx.x * LOCAL, t = threadIdx.x;
  s[t] = data[base + t];
  s[t + LOCAL / 2] = data[base + t + LOCAL / 2];
  for (int size = 2; size <= LOCAL; size *= 2)
    for (int stride = size / 2; stride > 0; stride /= 2) {
      __syncthreads();
      int pos = 2 * t - (t & (stride - 1));
      bool up = size == LOCAL ? (blockIdx.x & 1) == 0 : (t & (size / 2)) == 0;
      exchange(s[pos], s[pos + stride], up);
    }
  __syncthreads();
  data[base + t] = s[t];
  data[base + t + LOCAL / 2] = s[t + LOCAL / 2];
}

__global__ void merge_global(double *data, int size, int stride) {
  int t = blockIdx.x * blockDim.x + threadIdx.x;
  int pos = 2 * t - (t & (stride - 1));
  double a = data[pos], b = data[pos + stride];
  exchange(a, b, (pos & size) == 0);
  data[pos] = a;
  data[pos + stride] = b;
}

int main() {
  static double data[N];
  unsigned seed = 31;
  double sum = 0, after = 0;
  for (double &v : data) {
    v = ((int)next_random(&seed) - 8388608) / 1024.0 * (next_random(&seed) % 9);
    sum += v;
  }
  double *d;
  OK(cudaMalloc(&d, sizeof data));
  OK(cudaMemcpy(d, data, sizeof data, cudaMemcpyHostToDevice));
  sort_local<<<N / LOCAL, LOCAL / 2>>>(d);
  for (int size = 2 * LOCAL; size <= N; size *= 2)
    for (int stride = size / 2; stride > 0; stride /= 2)
      merge_global<<<N / 2 / 128, 128>>>(d, size, stride);
  OK(cudaMemcpy(data, d, sizeof data, cudaMemcpyDeviceToHost));
  int wrong = 0;
  for (int i = 0; i < N; i++) {
    after += data[i];
    wrong += i && data[i - 1] > data[i];
  }
  printf("%08x wrong %d sum %s first %.3f last %.3f\n", checksum(data, sizeof data), wrong,
         sum == after ? "kept" : "other", data[0], data[N - 1]);
}
