/* What nvcc makes without any option: the runtime is linked into the program, which is position
 * independent and keeps its table of symbols. An object's constructor uses the device before main,
 * its destructor after it. */
#include "common.h"

__constant__ int factors[4] = {3, 5, 7, 11};
__device__ unsigned n_odd;

__global__ void spread(int *out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  out[i] = i * factors[i % 4];
  if (out[i] % 2) atomicAdd(&n_odd, 1u);
}

template <class T>
__global__ void reversed(const T *in, T *out, int n) {
  for (int i = threadIdx.x; i < n; i += blockDim.x)
    out[n - 1 - i] = in[i];
}

struct early {
  int *memory, status;
  early() {
    status = cudaMalloc(&memory, 512 * sizeof(int));
    spread<<<4, 128>>>(memory, 512);
    if (!status) status = cudaGetLastError();
  }
  ~early() {
    printf("at the end: %s\n", cudaGetErrorName(cudaFree(memory)));
  }
};
static early first;

int main() {
  const int n = 512;
  int all[n], *back, version;
  unsigned odd;
  OK((cudaError_t)first.status);
  OK(cudaRuntimeGetVersion(&version));
  OK(cudaMalloc(&back, n * sizeof(int)));
  reversed<<<1, 96>>>(first.memory, back, n);
  OK(cudaDeviceSynchronize());
  OK(cudaMemcpy(all, back, sizeof all, cudaMemcpyDeviceToHost));
  OK(cudaMemcpyFromSymbol(&odd, n_odd, sizeof odd));
  printf("version %d, odd %u, sum %08x\n", version, odd, checksum(all, sizeof all));
  const int other[4] = {2, 4, 6, 8};
  OK(cudaMemcpyToSymbol(factors, other, sizeof other));
  spread<<<4, 128>>>(first.memory, n);
  OK(cudaMemcpy(all, first.memory, sizeof all, cudaMemcpyDeviceToHost));
  OK(cudaMemcpyFromSymbol(&odd, n_odd, sizeof odd));
  printf("odd %u, sum %08x\n", odd, checksum(all, sizeof all));
  spread<<<1, 4096>>>(first.memory, n);
  SHOW(cudaGetLastError());
  OK(cudaFree(back));
  return 0;
}
