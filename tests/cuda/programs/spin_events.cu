/* Work behind a kernel that waits for the host waits too: copies, fills, kernels, functions of the
 * host, and another stream that waits for an event. */
#include "common.h"

__global__ void gate(const volatile int *go, int *v) {
  while (*go == 0) {
  }
  v[0] = 1;
}

__global__ void times3(int *v) {
  v[0] = v[0] * 3;
}

__global__ void plus1(const int *from, int *to) {
  to[0] = from[0] + 1;
}

static int order[8], n_order;

static void note(void *p) {
  order[n_order++] = (int)(size_t)p;
}

int main() {
  int *go, *v, *pinned;
  cudaStream_t a, b;
  cudaEvent_t e;
  cudaFuncAttributes loaded;
  OK(cudaFuncGetAttributes(&loaded, gate));
  OK(cudaFuncGetAttributes(&loaded, times3));
  OK(cudaFuncGetAttributes(&loaded, plus1));
  OK(cudaStreamCreateWithFlags(&a, cudaStreamNonBlocking));
  OK(cudaStreamCreateWithFlags(&b, cudaStreamNonBlocking));
  OK(cudaEventCreate(&e));
  OK(cudaMallocHost(&go, sizeof *go));
  OK(cudaMallocHost(&pinned, 4 * sizeof *pinned));
  OK(cudaMalloc(&v, 4 * sizeof *v));
  OK(cudaMemset(v, 0, 4 * sizeof *v));
  OK(cudaDeviceSynchronize());
  *go = 0;
  for (int i = 0; i < 4; i++)
    pinned[i] = -9;
  gate<<<1, 1, 0, a>>>(go, v);
  times3<<<1, 1, 0, a>>>(v);
  OK(cudaMemcpyAsync(pinned, v, sizeof *v, cudaMemcpyDeviceToHost, a));
  OK(cudaMemsetAsync(v + 1, 1, sizeof *v, a));
  OK(cudaLaunchHostFunc(a, note, (void *)1));
  OK(cudaEventRecord(e, a));
  OK(cudaStreamWaitEvent(b, e, 0));
  plus1<<<1, 1, 0, b>>>(v, v + 2);
  OK(cudaLaunchHostFunc(b, note, (void *)2));
  OK(cudaMemcpyAsync(pinned + 1, v, 3 * sizeof *v, cudaMemcpyDeviceToHost, b));
  printf("nothing has come: %d %d, %d noted\n", pinned[0], pinned[1], n_order);
  *(volatile int *)go = 1;
  OK(cudaStreamSynchronize(b));
  printf("%d, %d %x %d, noted %d: %d %d\n", pinned[0], pinned[1], (unsigned)pinned[2], pinned[3],
         n_order, order[0], order[1]);
  OK(cudaDeviceSynchronize());
  OK(cudaEventDestroy(e));
  return 0;
}
