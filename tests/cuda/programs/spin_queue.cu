/* Persistent blocks share a queue of tasks that make further tasks, and leave when a flag says that
 * all are done. */
#include "common.h"

const int CAPACITY = 1 << 16, DEPTH = 11;

struct queue {
  unsigned head, tail, open, is_done;
  unsigned tasks[CAPACITY]; /* depth in the upper bits, 0: not there yet */
};

__global__ void workers(queue *q, unsigned long long *sum, unsigned *visits) {
  __shared__ unsigned task;
  for (;;) {
    if (threadIdx.x == 0) {
      task = 0;
      for (;;) {
        if (*(volatile unsigned *)&q->is_done) break;
        unsigned h = *(volatile unsigned *)&q->head;
        if (h == *(volatile unsigned *)&q->tail) continue;
        if (atomicCAS(&q->head, h, h + 1) != h) continue;
        while ((task = *(volatile unsigned *)&q->tasks[h]) == 0) {
        }
        __threadfence();
        break;
      }
    }
    __syncthreads();
    unsigned mine = task;
    __syncthreads();
    if (mine == 0) return;
    unsigned depth = mine >> 24, id = mine & 0xffffff;
    if (threadIdx.x < 32) atomicAdd(sum, (unsigned long long)id * (threadIdx.x + 1));
    if (threadIdx.x != 0) continue;
    atomicAdd(visits + depth, 1);
    unsigned n = depth < DEPTH ? 2 : 0;
    if (n > 0) atomicAdd(&q->open, n);
    for (unsigned k = 0; k < n; k++) {
      unsigned at = atomicAdd(&q->tail, 1);
      *(volatile unsigned *)&q->tasks[at] = (depth + 1) << 24 | (id * 2 + k);
    }
    __threadfence();
    if (atomicSub(&q->open, 1) == 1) *(volatile unsigned *)&q->is_done = 1;
  }
}

int main() {
  queue *q;
  unsigned long long *sum, total;
  unsigned *visits, host[DEPTH + 1], first = 1u << 24 | 1, one = 1;
  OK(cudaMalloc(&q, sizeof *q));
  OK(cudaMalloc(&sum, sizeof *sum));
  OK(cudaMalloc(&visits, sizeof host));
  OK(cudaMemset(q, 0, sizeof *q));
  OK(cudaMemset(sum, 0, sizeof *sum));
  OK(cudaMemset(visits, 0, sizeof host));
  OK(cudaMemcpy(&q->tasks[0], &first, sizeof first, cudaMemcpyHostToDevice));
  OK(cudaMemcpy(&q->tail, &one, sizeof one, cudaMemcpyHostToDevice));
  OK(cudaMemcpy(&q->open, &one, sizeof one, cudaMemcpyHostToDevice));
  workers<<<264, 128>>>(q, sum, visits);
  OK(cudaMemcpy(&total, sum, sizeof total, cudaMemcpyDeviceToHost));
  OK(cudaMemcpy(host, visits, sizeof host, cudaMemcpyDeviceToHost));
  for (int d = 1; d <= DEPTH; d++)
    printf("%u ", host[d]);
  printf("sum %llu\n", total);
  return 0;
}
