/* Managed memory: host and kernels use one pointer, also for a list and for a __managed__ variable.
 */
#include "common.h"

struct node {
  int value;
  struct node *next;
};

__managed__ int total = 5;
__device__ __managed__ float shared_table[4] = {1, 2, 3, 4};

__global__ void walk(const struct node *list, int *out) {
  int sum = 0, length = 0;
  for (const struct node *n = list; n; n = n->next) {
    sum += n->value;
    length++;
  }
  out[0] = sum;
  out[1] = length;
}

__global__ void add_up(const int *x, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) atomicAdd(&total, x[i]);
  if (i < 4) shared_table[i] *= shared_table[i];
}

int main() {
  const int n = 1500;
  int *x;
  OK(cudaMallocManaged(&x, n * sizeof *x));
  for (int i = 0; i < n; i++)
    x[i] = i % 10;
  total += 2;
  add_up<<<(n + 127) / 128, 128>>>(x, n);
  OK(cudaDeviceSynchronize());
  printf("total %d, table %g %g %g %g\n", total, shared_table[0], shared_table[1], shared_table[2],
         shared_table[3]);

  struct node *list = NULL;
  for (int i = 0; i < 20; i++) {
    struct node *item;
    OK(cudaMallocManaged(&item, sizeof *item));
    item->value = i * i;
    item->next = list;
    list = item;
  }
  int *out;
  OK(cudaMallocManaged(&out, 2 * sizeof *out, cudaMemAttachGlobal));
  walk<<<1, 1>>>(list, out);
  OK(cudaDeviceSynchronize());
  printf("list of %d adds up to %d\n", out[1], out[0]);
  cudaPointerAttributes at;
  OK(cudaPointerGetAttributes(&at, x));
  printf("type %d, same address %d\n", (int)at.type, at.devicePointer == x && at.hostPointer == x);
  cudaMemLocation here = {cudaMemLocationTypeDevice, 0};
  OK(cudaMemPrefetchAsync(x, n * sizeof *x, here, 0, NULL));
  OK(cudaMemAdvise(x, n * sizeof *x, cudaMemAdviseSetReadMostly, here));
  OK(cudaDeviceSynchronize());
  int second[4];
  OK(cudaMemcpy(second, x + 6, sizeof second, cudaMemcpyDefault));
  printf("copied %d %d %d %d\n", second[0], second[1], second[2], second[3]);
  OK(cudaFree(x));
  return 0;
}
