/* Functions chosen at run time: a table on the device, a pointer read by the host, a member
 * pointer. */
#include "common.h"

typedef int (*operation)(int, int);

__device__ int add(int a, int b) {
  return a + b;
}
__device__ int subtract(int a, int b) {
  return a - b;
}
__device__ int multiply(int a, int b) {
  return a * b;
}
__device__ __noinline__ int mix(int a, int b) {
  return (a << 3) ^ (b * 31);
}

__device__ operation table[] = {add, subtract, multiply, mix};
__device__ operation favourite = mix;

__global__ void by_table(const int *which, int *out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = table[which[i]](i, i + 5);
}

__global__ void by_argument(operation f, int *out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = f(out[i], i);
}

struct machine {
  int state;
  __device__ void up(int n) {
    state += n;
  }
  __device__ void flip(int n) {
    state = -state * n;
  }
};

__global__ void by_member(int *out, int n) {
  void (machine::*step[2])(int) = {&machine::up, &machine::flip};
  int i = threadIdx.x;
  machine m = {i};
  for (int k = 0; k < n; k++)
    (m.*step[(i + k) % 2])(k + 1);
  out[i] = m.state;
}

int main() {
  const int n = 300;
  int which[n], result[n], *dwhich, *out;
  unsigned seed = 9;
  for (int i = 0; i < n; i++)
    which[i] = next_random(&seed) % 4;
  OK(cudaMalloc(&dwhich, sizeof which));
  OK(cudaMalloc(&out, sizeof result));
  OK(cudaMemcpy(dwhich, which, sizeof which, cudaMemcpyHostToDevice));
  by_table<<<3, 128>>>(dwhich, out, n);
  OK(cudaMemcpy(result, out, sizeof result, cudaMemcpyDeviceToHost));
  printf("table %d %d, sum %08x\n", result[1], result[n - 1], checksum(result, sizeof result));
  operation f;
  OK(cudaMemcpyFromSymbol(&f, favourite, sizeof f));
  by_argument<<<3, 128>>>(f, out, n);
  OK(cudaMemcpy(result, out, sizeof result, cudaMemcpyDeviceToHost));
  printf("argument %d %d, sum %08x\n", result[1], result[n - 1], checksum(result, sizeof result));
  by_member<<<1, 64>>>(out, 5);
  OK(cudaMemcpy(result, out, 64 * sizeof(int), cudaMemcpyDeviceToHost));
  printf("member %d %d, sum %08x\n", result[0], result[63], checksum(result, 64 * sizeof(int)));
  return 0;
}
