/* Kernels that allocate: lists that live from one launch to the next, and a heap that runs out. */
#include "common.h"

struct node {
  int value;
  struct node *next;
};

__device__ struct node *heads[32];
__device__ int freed;

__global__ void build(int length) {
  struct node *head = NULL;
  for (int i = 0; i < length + (int)threadIdx.x; i++) {
    struct node *n = (struct node *)malloc(sizeof *n);
    n->value = i * (threadIdx.x + 1);
    n->next = head;
    head = n;
  }
  heads[threadIdx.x] = head;
}

__global__ void sums(int *out) {
  int sum = 0;
  for (struct node *n = heads[threadIdx.x]; n; n = n->next)
    sum += n->value;
  out[threadIdx.x] = sum;
}

__global__ void release() {
  for (struct node *n = heads[threadIdx.x]; n;) {
    struct node *next = n->next;
    free(n);
    n = next;
    atomicAdd(&freed, 1);
  }
}

__global__ void arrays(int *out) {
  int *mine = new int[20 + threadIdx.x];
  for (int i = 0; i < 20 + (int)threadIdx.x; i++)
    mine[i] = i ^ (int)threadIdx.x;
  out[threadIdx.x] = mine[19] + mine[5];
  delete[] mine;
}

__global__ void too_much(int *out) {
  void *p = malloc((size_t)1 << 40);
  out[0] = p == NULL;
  free(p);
  free(NULL);
  long long *aligned = (long long *)malloc(40);
  out[1] = (size_t)aligned % 16 == 0;
  free(aligned);
}

int main() {
  int host[32], *out, count;
  OK(cudaDeviceSetLimit(cudaLimitMallocHeapSize, 4 << 20));
  size_t heap;
  OK(cudaDeviceGetLimit(&heap, cudaLimitMallocHeapSize));
  printf("heap %d\n", heap >= 4 << 20);
  OK(cudaMalloc(&out, sizeof host));
  for (int round = 0; round < 2; round++) {
    build<<<1, 32>>>(10);
    sums<<<1, 32>>>(out);
    OK(cudaMemcpy(host, out, sizeof host, cudaMemcpyDeviceToHost));
    release<<<1, 32>>>();
    OK(cudaMemcpyFromSymbol(&count, freed, sizeof count));
    printf("%d %d, freed %d, sum %08x\n", host[0], host[31], count, checksum(host, sizeof host));
  }
  arrays<<<1, 32>>>(out);
  OK(cudaMemcpy(host, out, sizeof host, cudaMemcpyDeviceToHost));
  printf("%d %d, sum %08x\n", host[0], host[31], checksum(host, sizeof host));
  too_much<<<1, 1>>>(out);
  OK(cudaMemcpy(host, out, 2 * sizeof(int), cudaMemcpyDeviceToHost));
  printf("too much gives nothing %d, aligned %d\n", host[0], host[1]);
  return 0;
}
