/* Functions of the host in a stream: they run between the kernels, in order. */
#include "common.h"

__global__ void add(int *x, int n, const int *value) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) x[i] += *value;
}

struct state {
  int *value; /* mapped: the next kernel reads it */
  int step;
  int order[8];
};

static void CUDART_CB next(void *data) {
  struct state *s = (struct state *)data;
  s->order[s->step] = *s->value;
  s->step++;
  *s->value *= 3;
}

static void CUDART_CB finished(cudaStream_t stream, cudaError_t status, void *data) {
  struct state *s = (struct state *)data;
  s->order[s->step++] = stream != NULL ? -1 - (int)status : 1000;
}

int main() {
  const int n = 100;
  int *x, host[n];
  struct state state = {};
  OK(cudaHostAlloc(&state.value, sizeof(int), cudaHostAllocMapped));
  *state.value = 1;
  OK(cudaMalloc(&x, sizeof host));
  cudaStream_t s;
  OK(cudaStreamCreate(&s));
  OK(cudaMemsetAsync(x, 0, sizeof host, s));
  for (int i = 0; i < 5; i++) {
    add<<<1, 128, 0, s>>>(x, n, state.value);
    OK(cudaLaunchHostFunc(s, next, &state));
  }
  OK(cudaStreamAddCallback(s, finished, &state, 0));
  OK(cudaMemcpyAsync(host, x, sizeof host, cudaMemcpyDeviceToHost, s));
  OK(cudaStreamSynchronize(s));
  printf("x %d %d, steps %d\n", host[0], host[n - 1], state.step);
  for (int i = 0; i < state.step; i++)
    printf("%d%c", state.order[i], i + 1 < state.step ? ' ' : '\n');
  OK(cudaStreamDestroy(s));
  OK(cudaFreeHost(state.value));
  return 0;
}
