/* The preferred division between shared memory and L1: which values are taken, what is told of
 * them, and that a launch that needs more shared memory than was preferred runs. */
#include <cuda.h>

#include "common.h"

__global__ void rotate(int *out, int by) {
  extern __shared__ int room[];
  room[threadIdx.x] = (int)threadIdx.x * 3;
  __syncthreads();
  out[blockIdx.x * blockDim.x + threadIdx.x] = room[(threadIdx.x + by) % blockDim.x];
}

static void told(const char *when) {
  cudaFuncAttributes a;
  int of_driver = -99;
  cudaFunction_t f;
  OK(cudaFuncGetAttributes(&a, rotate));
  OK(cudaGetFuncBySymbol(&f, (const void *)rotate));
  int asked = cuFuncGetAttribute(&of_driver, CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT, f);
  printf("%s: carveout %d, the driver says %d (%d)\n", when, a.preferredShmemCarveout, of_driver,
         asked);
}

int main() {
  static const int values[] = {0, 1, 50, 99, 100, -1, 33, 101, -2, 1000};
  enum { BLOCKS = 6, THREADS = 256 };
  int *out, host[BLOCKS * THREADS];
  OK(cudaMalloc(&out, sizeof host));
  told("at first");
  for (int v : values) {
    cudaError_t s =
        cudaFuncSetAttribute(rotate, cudaFuncAttributePreferredSharedMemoryCarveout, v);
    printf("set %d: %s, last %s\n", v, cudaGetErrorName(s), cudaGetErrorName(cudaGetLastError()));
    told("then");
    for (int bytes : {1024, 40000}) {
      rotate<<<BLOCKS, THREADS, bytes>>>(out, v + 7);
      SHOW(cudaDeviceSynchronize());
      OK(cudaMemcpy(host, out, sizeof host, cudaMemcpyDeviceToHost));
      printf("sum %08x\n", checksum(host, sizeof host));
    }
  }
  cudaFunction_t f;
  OK(cudaGetFuncBySymbol(&f, (const void *)rotate));
  for (int v : values) {
    int s = cuFuncSetAttribute(f, CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT, v);
    printf("driver sets %d: %d\n", v, s);
    told("then");
  }
  SHOW(cudaFuncSetAttribute((const void *)&f, cudaFuncAttributePreferredSharedMemoryCarveout, 50));
  return 0;
}
