/* libcu++: atomics with orders and scopes, a barrier object, and a semaphore between blocks. */
#include "common.h"
#include <cuda/atomic>
#include <cuda/barrier>
#pragma nv_diag_suppress static_var_with_dynamic_init

__global__ void ordered(int *data, int *flags, int *out) {
  cuda::atomic_ref<int, cuda::thread_scope_device> flag(flags[0]);
  if (blockIdx.x == 0) { /* the first block writes, then raises the flag */
    data[threadIdx.x] = threadIdx.x * 3;
    __syncthreads();
    if (threadIdx.x == 0) flag.store(1, cuda::memory_order_release);
  } else {
    if (threadIdx.x == 0)
      while (flag.load(cuda::memory_order_acquire) == 0) {
      }
    __syncthreads();
    out[threadIdx.x] = data[blockDim.x - 1 - threadIdx.x];
  }
}

__global__ void meets(int *out) {
  using barrier = cuda::barrier<cuda::thread_scope_block>;
  __shared__ barrier point;
  __shared__ int part[64];
  if (threadIdx.x == 0) init(&point, blockDim.x);
  __syncthreads();
  int v = threadIdx.x;
  for (int round = 0; round < 4; round++) {
    part[threadIdx.x] = v;
    point.arrive_and_wait();
    v += part[(threadIdx.x + 1) % 64];
    barrier::arrival_token token = point.arrive();
    v ^= round; /* work between arriving and waiting */
    point.wait(std::move(token));
  }
  out[threadIdx.x] = v;
}

__device__ cuda::atomic<long long, cuda::thread_scope_system> total(5);

__global__ void adds(int n) {
  for (int i = threadIdx.x; i < n; i += blockDim.x)
    total.fetch_add(i, cuda::memory_order_relaxed);
  if (threadIdx.x == 0) total.fetch_max(3);
}

int main() {
  int *data, host[64];
  OK(cudaMalloc(&data, 3 * sizeof host));
  OK(cudaMemset(data, 0, 3 * sizeof host));
  ordered<<<2, 64>>>(data, data + 64, data + 128);
  OK(cudaMemcpy(host, data + 128, sizeof host, cudaMemcpyDeviceToHost));
  printf("ordered %d %d, sum %08x\n", host[0], host[63], checksum(host, sizeof host));
  meets<<<1, 64>>>(data);
  OK(cudaMemcpy(host, data, sizeof host, cudaMemcpyDeviceToHost));
  printf("meets %d %d, sum %08x\n", host[0], host[63], checksum(host, sizeof host));
  adds<<<3, 32>>>(100);
  long long sum;
  OK(cudaMemcpyFromSymbol(&sum, total, sizeof sum));
  printf("adds %lld\n", sum);
  return 0;
}
