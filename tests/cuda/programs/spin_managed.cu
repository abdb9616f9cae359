/* The host writes managed memory while a kernel waits for it, and waits for the kernel's answer. */
#include "common.h"
#include <cuda/atomic>

struct box {
  int stage, input, output;
};

__global__ void steps(box *b) {
  cuda::atomic_ref<int, cuda::thread_scope_system> stage(b->stage);
  int sum = 0;
  for (int k = 0; k < 3; k++) {
    while (stage.load(cuda::memory_order_acquire) != 2 * k + 1) {
    }
    sum += b->input;
    b->output = sum * (k + 2);
    stage.store(2 * k + 2, cuda::memory_order_release);
  }
}

int main() {
  int concurrent = 0;
  box *b;
  OK(cudaDeviceGetAttribute(&concurrent, cudaDevAttrConcurrentManagedAccess, 0));
  OK(cudaMallocManaged(&b, sizeof *b));
  printf("concurrent %d\n", concurrent);
  b->stage = b->input = b->output = 0;
  steps<<<1, 1>>>(b);
  cuda::atomic_ref<int, cuda::thread_scope_system> stage(b->stage);
  for (int k = 0; k < 3; k++) {
    b->input = 10 + 7 * k;
    stage.store(2 * k + 1, cuda::memory_order_release);
    while (stage.load(cuda::memory_order_acquire) != 2 * k + 2) {
    }
    printf("answer %d\n", b->output);
  }
  OK(cudaDeviceSynchronize());
  OK(cudaFree(b));
  return 0;
}
