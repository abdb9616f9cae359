/* Named barriers with a count of whole warps to which only parts of warps come; the others have
 * left. */
#include "common.h"

template <bool aligned> __device__ void meet(int id, int threads) {
  if (aligned)
    asm volatile("bar.sync %0, %1;" ::"r"(id), "r"(threads) : "memory");
  else
    asm volatile("barrier.sync %0, %1;" ::"r"(id), "r"(threads) : "memory");
}

template <bool aligned> __global__ void parts(int n, int *out) {
  __shared__ int data[128];
  int t = threadIdx.x;
  data[t] = t;
  __syncthreads();
  if (t >= n) {
    out[t] = -1;
    return;
  }
  data[t] = 5 * t + 1;
  meet<aligned>(1, (n + 31) / 32 * 32);
  out[t] = data[n - 1 - t];
  if (t % 32 == 7) return;
  meet<aligned>(2, (n + 31) / 32 * 32);
  out[t] += 1000;
}

int main() {
  int host[128], *out;
  OK(cudaMalloc(&out, sizeof host));
  for (int n : {32, 64, 128, 48, 33, 100, 1}) {
    parts<true><<<1, 128>>>(n, out);
    OK(cudaMemcpy(host, out, sizeof host, cudaMemcpyDeviceToHost));
    printf("bar %d: %d %d %d, sum %08x\n", n, host[0], host[40], host[127],
           checksum(host, sizeof host));
    parts<false><<<1, 128>>>(n, out);
    OK(cudaMemcpy(host, out, sizeof host, cudaMemcpyDeviceToHost));
    printf("barrier %d: %d %d %d, sum %08x\n", n, host[0], host[40], host[127],
           checksum(host, sizeof host));
    fflush(stdout);
  }
  return 0;
}
