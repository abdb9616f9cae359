/* A kernel that stays: it serves requests which the host posts in mapped memory, four boxes at
 * once, until it is told to leave; other kernels run meanwhile. */
#include "common.h"
#include <cuda/atomic>

const int BOXES = 4;

struct box {
  int state; /* 0 free, 1 posted, 2 answered, 3 leave */
  int n, data[16], result;
};

__global__ void serve(box *boxes, int *served) {
  box *b = &boxes[blockIdx.x];
  cuda::atomic_ref<int, cuda::thread_scope_system> state(b->state);
  __shared__ int what;
  for (;;) {
    if (threadIdx.x == 0) {
      do
        what = state.load(cuda::memory_order_acquire);
      while (what != 1 && what != 3);
    }
    __syncthreads();
    if (what == 3) return;
    int v = threadIdx.x < b->n ? b->data[threadIdx.x] * (threadIdx.x + 1) : 0;
    for (int d = 16; d > 0; d /= 2)
      v += __shfl_down_sync(~0u, v, d);
    if (threadIdx.x == 0) {
      b->result = v;
      served[blockIdx.x]++;
      __threadfence_system();
      state.store(2, cuda::memory_order_release);
    }
    __syncthreads();
  }
}

__global__ void aside(int *x) {
  *x += 4;
}

int main() {
  box *boxes;
  int *served, host[BOXES], *x, y;
  cudaStream_t a, b;
  cudaFuncAttributes loaded;
  OK(cudaFuncGetAttributes(&loaded, serve));
  OK(cudaFuncGetAttributes(&loaded, aside));
  OK(cudaStreamCreateWithFlags(&a, cudaStreamNonBlocking));
  OK(cudaStreamCreateWithFlags(&b, cudaStreamNonBlocking));
  OK(cudaHostAlloc(&boxes, BOXES * sizeof *boxes, cudaHostAllocMapped));
  OK(cudaMalloc(&served, sizeof host));
  OK(cudaMemset(served, 0, sizeof host));
  OK(cudaMalloc(&x, sizeof *x));
  OK(cudaMemset(x, 0, sizeof *x));
  OK(cudaDeviceSynchronize());
  for (int i = 0; i < BOXES; i++)
    boxes[i].state = 0;
  serve<<<BOXES, 32, 0, a>>>(boxes, served);
  for (int r = 0; r < 6; r++) {
    for (int i = 0; i < BOXES; i++) {
      boxes[i].n = 3 + i;
      for (int k = 0; k < boxes[i].n; k++)
        boxes[i].data[k] = r * 10 + i + k;
      cuda::atomic_ref<int, cuda::thread_scope_system>(boxes[i].state).store(1);
    }
    if (r % 2 == 0) aside<<<1, 1, 0, b>>>(x);
    for (int i = 0; i < BOXES; i++) {
      cuda::atomic_ref<int, cuda::thread_scope_system> state(boxes[i].state);
      while (state.load() != 2) {
      }
      printf("%d%c", boxes[i].result, i + 1 < BOXES ? ' ' : '\n');
    }
  }
  for (int i = 0; i < BOXES; i++)
    cuda::atomic_ref<int, cuda::thread_scope_system>(boxes[i].state).store(3);
  OK(cudaDeviceSynchronize());
  OK(cudaMemcpy(host, served, sizeof host, cudaMemcpyDeviceToHost));
  OK(cudaMemcpy(&y, x, sizeof y, cudaMemcpyDeviceToHost));
  printf("served %d %d %d %d, aside %d\n", host[0], host[1], host[2], host[3], y);
  return 0;
}
