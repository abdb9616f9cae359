/* Memory that streams allocate and free in their own order, from the default pool and from another.
 */
#include "common.h"

__global__ void fill(int *x, int n, int value) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) x[i] = value + i;
}

__global__ void accumulate(const int *x, long long *sum, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) atomicAdd((unsigned long long *)sum, (unsigned long long)x[i]);
}

int main() {
  const int n = 777;
  int supported;
  OK(cudaDeviceGetAttribute(&supported, cudaDevAttrMemoryPoolsSupported, 0));
  printf("pools %d\n", supported);
  cudaStream_t s;
  OK(cudaStreamCreate(&s));
  long long *sum, total;
  OK(cudaMallocAsync(&sum, sizeof *sum, s));
  OK(cudaMemsetAsync(sum, 0, sizeof *sum, s));
  for (int round = 0; round < 6; round++) {
    int *x;
    OK(cudaMallocAsync(&x, n * sizeof *x, s));
    fill<<<4, 256, 0, s>>>(x, n, round * 100);
    accumulate<<<4, 256, 0, s>>>(x, sum, n);
    OK(cudaFreeAsync(x, s));
  }
  OK(cudaMemcpyAsync(&total, sum, sizeof total, cudaMemcpyDeviceToHost, s));
  OK(cudaStreamSynchronize(s));
  printf("total %lld\n", total);
  OK(cudaFreeAsync(sum, s));

  cudaMemPool_t pool, own;
  OK(cudaDeviceGetDefaultMemPool(&pool, 0));
  unsigned long long keep = ~0ull, got = 0;
  OK(cudaMemPoolSetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &keep));
  OK(cudaMemPoolGetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &got));
  printf("threshold kept %d\n", got == keep);
  cudaMemPoolProps how = {};
  how.allocType = cudaMemAllocationTypePinned;
  how.location.type = cudaMemLocationTypeDevice;
  OK(cudaMemPoolCreate(&own, &how));
  int *y, host[4];
  OK(cudaMallocFromPoolAsync(&y, n * sizeof *y, own, s));
  fill<<<4, 256, 0, s>>>(y, n, -5);
  OK(cudaMemcpyAsync(host, y, sizeof host, cudaMemcpyDeviceToHost, s));
  OK(cudaStreamSynchronize(s));
  printf("%d %d %d %d\n", host[0], host[1], host[2], host[3]);
  OK(cudaFree(y)); /* the plain call frees it as well */
  OK(cudaMemPoolTrimTo(own, 0));
  OK(cudaMemPoolDestroy(own));
  OK(cudaStreamDestroy(s));
  return 0;
}
