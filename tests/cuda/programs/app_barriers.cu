/* libcu++: a producer and consumers of a block with cuda::barrier, semaphores, a grid-wide counter,
 * atomic_ref. */
#include "common.h"
#include <cuda/atomic>
#include <cuda/barrier>
#include <cuda/std/array>
#include <cuda/std/tuple>

#define STAGE 64
#pragma nv_diag_suppress static_var_with_dynamic_init

__global__ void pipeline(const int *in, int pieces, long long *sums) {
  __shared__ cuda::barrier<cuda::thread_scope_block> full[2], empty[2];
  __shared__ int buffer[2][STAGE];
  if (threadIdx.x == 0)
    for (int b = 0; b < 2; b++) {
      init(&full[b], 32 + STAGE);
      init(&empty[b], 32 + STAGE);
    }
  __syncthreads();
  if (threadIdx.x < 32) {
    for (int p = 0; p < pieces; p++) {
      int b = p & 1;
      if (p >= 2) empty[b].arrive_and_wait();
      for (int i = threadIdx.x; i < STAGE; i += 32)
        buffer[b][i] = in[(blockIdx.x * pieces + p) * STAGE + i] * 3 + p;
      (void)full[b].arrive();
    }
  } else {
    int t = threadIdx.x - 32;
    long long sum = 0;
    for (int p = 0; p < pieces; p++) {
      int b = p & 1;
      full[b].arrive_and_wait();
      sum += (long long)buffer[b][t] * buffer[b][STAGE - 1 - t];
      if (p + 2 < pieces) (void)empty[b].arrive();
    }
    sums[blockIdx.x * STAGE + t] = sum;
  }
}

__global__ void last_block(const long long *sums, int n, long long *partial, unsigned *arrived,
                           cuda::std::tuple<int, float> tag, long long *result) {
  long long mine = 0;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
    mine += sums[i];
  cuda::atomic_ref<long long, cuda::thread_scope_device> to(partial[blockIdx.x]);
  to.fetch_add(mine, cuda::memory_order_relaxed);
  __syncthreads();
  if (threadIdx.x == 0) {
    cuda::atomic_ref<unsigned, cuda::thread_scope_device> count(*arrived);
    if (count.fetch_add(1, cuda::memory_order_acq_rel) + 1 == gridDim.x) {
      long long all = cuda::std::get<0>(tag);
      for (unsigned b = 0; b < gridDim.x; b++)
        all = all * 3 + cuda::atomic_ref<long long, cuda::thread_scope_device>(partial[b]).load();
      *result = all + (long long)(cuda::std::get<1>(tag) * 4);
    }
  }
}

__device__ cuda::atomic<int, cuda::thread_scope_device> best{-1};

__global__ void race(const int *in, int n, cuda::std::array<int, 4> weight) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  int v = in[i] * weight[i & 3], seen = best.load(cuda::memory_order_relaxed);
  while (seen < v && !best.compare_exchange_weak(seen, v))
    ;
}

__global__ void read_best(int *out) {
  *out = best.fetch_max(5);
}

int main() {
  const int blocks = 3, pieces = 7, n = blocks * pieces * STAGE;
  static int in[n];
  static long long sums[blocks * STAGE], result;
  unsigned seed = 808;
  for (int &v : in)
    v = next_random(&seed) % 2000;
  int *d_in, *d_best, top;
  long long *d_sums, *d_partial;
  unsigned *d_arrived;
  OK(cudaMalloc(&d_in, sizeof in));
  OK(cudaMalloc(&d_best, 4));
  OK(cudaMalloc(&d_sums, sizeof sums));
  OK(cudaMalloc(&d_partial, 64));
  OK(cudaMalloc(&d_arrived, 4));
  OK(cudaMemset(d_partial, 0, 64));
  OK(cudaMemset(d_arrived, 0, 4));
  OK(cudaMemcpy(d_in, in, sizeof in, cudaMemcpyHostToDevice));
  pipeline<<<blocks, 32 + STAGE>>>(d_in, pieces, d_sums);
  last_block<<<4, 48>>>(d_sums, blocks * STAGE, d_partial, d_arrived,
                        cuda::std::make_tuple(11, 2.5f), d_partial + 7);
  race<<<(n + 127) / 128, 128>>>(d_in, n, cuda::std::array<int, 4>{1, 3, 2, 5});
  read_best<<<1, 1>>>(d_best);
  OK(cudaMemcpy(sums, d_sums, sizeof sums, cudaMemcpyDeviceToHost));
  OK(cudaMemcpy(&result, d_partial + 7, 8, cudaMemcpyDeviceToHost));
  OK(cudaMemcpy(&top, d_best, 4, cudaMemcpyDeviceToHost));
  printf("sums %08x, result %lld, best %d\n", checksum(sums, sizeof sums), result, top);
}
