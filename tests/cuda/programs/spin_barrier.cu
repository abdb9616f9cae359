/* A grid barrier made by hand: an atomic counter and a volatile spin, with as many blocks as an
 * H200 holds at once (132 SMs, 32 blocks each). */
#include "common.h"

const int BLOCKS = 132 * 32, THREADS = 64, ROUNDS = 4;

__device__ unsigned arrived;

__device__ void everybody(unsigned round) {
  __syncthreads();
  if (threadIdx.x == 0) {
    __threadfence();
    atomicAdd(&arrived, 1);
    volatile unsigned *seen = &arrived;
    while (*seen < round * gridDim.x) {
    }
    __threadfence();
  }
  __syncthreads();
}

/* Every round takes the value of a thread of the block opposite. */
__global__ void __launch_bounds__(THREADS) rounds(unsigned *a, unsigned *b) {
  unsigned i = blockIdx.x * THREADS + threadIdx.x, n = gridDim.x * THREADS;
  for (unsigned r = 1; r <= ROUNDS; r++) {
    b[i] = a[n - 1 - i] * 5 + a[(i + 97 * THREADS) % n] + r;
    everybody(r);
    unsigned *t = a;
    a = b;
    b = t;
  }
}

int main() {
  const size_t n = (size_t)BLOCKS * THREADS;
  unsigned *a, *b, *host = (unsigned *)malloc(n * sizeof *host);
  OK(cudaMalloc(&a, n * sizeof *a));
  OK(cudaMalloc(&b, n * sizeof *b));
  for (size_t i = 0; i < n; i++)
    host[i] = (unsigned)i * 7;
  OK(cudaMemcpy(a, host, n * sizeof *a, cudaMemcpyHostToDevice));
  rounds<<<BLOCKS, THREADS>>>(a, b);
  OK(cudaDeviceSynchronize());
  OK(cudaMemcpy(host, a, n * sizeof *a, cudaMemcpyDeviceToHost));
  unsigned count;
  OK(cudaMemcpyFromSymbol(&count, arrived, sizeof count));
  printf("arrivals %u, first %u, last %u, sum %08x\n", count, host[0], host[n - 1],
         checksum(host, n * sizeof *host));
  return 0;
}
