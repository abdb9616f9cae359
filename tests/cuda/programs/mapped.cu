/* Mapped host memory: kernels read and write it in place, the host sees it after a synchronisation.
 */
#include "common.h"

__global__ void reverse(const short *in, short *out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[n - 1 - i] = (short)(in[i] + 1);
}

__global__ void count(int *counter) {
  atomicAdd_system(counter, 1);
}

int main() {
  const int n = 3000;
  OK(cudaSetDeviceFlags(cudaDeviceMapHost));
  short *in, *out, *din, *dout;
  OK(cudaHostAlloc(&in, n * sizeof *in, cudaHostAllocMapped | cudaHostAllocWriteCombined));
  OK(cudaHostAlloc(&out, n * sizeof *out, cudaHostAllocMapped));
  OK(cudaHostGetDevicePointer((void **)&din, in, 0));
  OK(cudaHostGetDevicePointer((void **)&dout, out, 0));
  for (int i = 0; i < n; i++)
    in[i] = (short)(i * 3);
  reverse<<<(n + 63) / 64, 64>>>(din, dout, n);
  OK(cudaDeviceSynchronize());
  int wrong = 0;
  for (int i = 0; i < n; i++)
    wrong += out[n - 1 - i] != (short)(i * 3 + 1);
  printf("wrong %d, %d %d, sum %08x\n", wrong, out[0], out[n - 1], checksum(out, n * sizeof *out));
  unsigned flags;
  OK(cudaHostGetFlags(&flags, in));
  printf("write combined %d, mapped %d\n", (flags & cudaHostAllocWriteCombined) != 0,
         (flags & cudaHostAllocMapped) != 0);

  int *counter;
  OK(cudaHostAlloc(&counter, sizeof *counter, cudaHostAllocDefault));
  *counter = 10;
  for (int i = 0; i < 3; i++) {
    count<<<2, 50>>>(counter); /* unified addressing: the host's pointer will do */
    OK(cudaStreamSynchronize(0));
    printf("counter %d\n", *counter);
    *counter += 1000;
  }
  OK(cudaMemset(out, 0, n * sizeof *out));
  OK(cudaDeviceSynchronize());
  printf("cleared %d\n", out[0] == 0 && out[n - 1] == 0);
  OK(cudaFreeHost(in));
  OK(cudaFreeHost(out));
  OK(cudaFreeHost(counter));
  SHOW(cudaHostGetDevicePointer((void **)&din, &wrong, 0));
  return wrong != 0;
}
