/* Host threads share one device: each with its own stream and data, errors stay in their thread. */
#include "common.h"
#include <pthread.h>

__device__ unsigned finished;

__global__ void churn(unsigned *x, int n, unsigned rounds) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  unsigned v = x[i];
  for (unsigned r = 0; r < rounds; r++)
    v = v * 1664525u + r;
  x[i] = v;
  if (i == 0) atomicAdd(&finished, 1u);
}

struct job {
  int number;
  unsigned sum;
  cudaError_t error;
};

static void *work(void *arg) {
  struct job *job = (struct job *)arg;
  const int n = 256;
  unsigned host[n], *x;
  cudaStream_t stream;
  OK(cudaSetDevice(0));
  OK(cudaStreamCreate(&stream));
  OK(cudaMalloc(&x, sizeof host));
  for (int i = 0; i < n; i++)
    host[i] = i * (job->number + 1);
  OK(cudaMemcpyAsync(x, host, sizeof host, cudaMemcpyHostToDevice, stream));
  for (unsigned k = 1; k <= 5; k++)
    churn<<<2, 128, 0, stream>>>(x, n, k);
  OK(cudaMemcpyAsync(host, x, sizeof host, cudaMemcpyDeviceToHost, stream));
  OK(cudaStreamSynchronize(stream));
  job->sum = checksum(host, sizeof host);
  if (job->number == 2) churn<<<1, 4096, 0, stream>>>(x, n, 1); /* too large a block */
  job->error = cudaGetLastError();
  OK(cudaFree(x));
  OK(cudaStreamDestroy(stream));
  return NULL;
}

int main() {
  struct job jobs[6];
  pthread_t threads[6];
  for (int i = 0; i < 6; i++) {
    jobs[i].number = i;
    if (pthread_create(&threads[i], NULL, work, &jobs[i]) != 0) return 2;
  }
  for (int i = 0; i < 6; i++) {
    pthread_join(threads[i], NULL);
    printf("thread %d: sum %08x, %s\n", i, jobs[i].sum, cudaGetErrorName(jobs[i].error));
  }
  unsigned count;
  OK(cudaMemcpyFromSymbol(&count, finished, sizeof count));
  printf("launches %u, main has %s\n", count, cudaGetErrorName(cudaGetLastError()));
  return 0;
}
