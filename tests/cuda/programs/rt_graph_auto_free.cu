/* Graphs that allocate: with cudaGraphInstantiateFlagAutoFreeOnLaunch a launch frees what the one
 * before left; one that frees by itself; memory that the program allocated and a graph frees; and
 * what capturing makes of cudaMallocAsync. */
#include "common.h"

__global__ void ramp(float *p, int n, float slope) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) p[i] = slope * (float)i;
}

__global__ void total(const float *p, float *out, int n) {
  float sum = 0;
  for (int i = 0; i < n; i++)
    sum += p[i];
  *out = sum;
}

enum { N = 300 };

int main() {
  cudaStream_t s;
  cudaGraph_t graph;
  cudaGraphExec_t exec;
  float *p, *out, value;
  OK(cudaStreamCreate(&s));
  OK(cudaMalloc(&out, sizeof(float)));

  OK(cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal));
  OK(cudaMallocAsync(&p, N * sizeof(float), s));
  ramp<<<3, 128, 0, s>>>(p, N, 0.5f);
  total<<<1, 1, 0, s>>>(p, out, N);
  OK(cudaStreamEndCapture(s, &graph));
  SHOW(cudaGraphInstantiate(&exec, graph, cudaGraphInstantiateFlagAutoFreeOnLaunch));
  for (int i = 0; i < 3; i++) {
    SHOW(cudaGraphLaunch(exec, s));
    SHOW(cudaStreamSynchronize(s));
    OK(cudaMemcpy(&value, out, sizeof value, cudaMemcpyDeviceToHost));
    printf("launch %d: %g\n", i, value);
  }
  SHOW(cudaFreeAsync(p, s));
  SHOW(cudaGraphLaunch(exec, s));
  SHOW(cudaStreamSynchronize(s));
  SHOW(cudaGraphExecDestroy(exec));
  SHOW(cudaFree(p));
  SHOW(cudaGraphDestroy(graph));

  OK(cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal));
  OK(cudaMallocAsync(&p, N * sizeof(float), s));
  ramp<<<3, 128, 0, s>>>(p, N, 2.0f);
  total<<<1, 1, 0, s>>>(p, out, N);
  OK(cudaFreeAsync(p, s));
  OK(cudaStreamEndCapture(s, &graph));
  SHOW(cudaGraphInstantiate(&exec, graph, 0));
  for (int i = 0; i < 3; i++)
    SHOW(cudaGraphLaunch(exec, s));
  SHOW(cudaStreamSynchronize(s));
  OK(cudaMemcpy(&value, out, sizeof value, cudaMemcpyDeviceToHost));
  printf("freed by itself: %g\n", value);
  SHOW(cudaFree(p));
  cudaGetLastError();
  SHOW(cudaGraphExecDestroy(exec));
  SHOW(cudaGraphDestroy(graph));

  /* The nodes of this graph use memory of cudaMalloc, freed and allocated again in between. */
  OK(cudaMalloc(&p, N * sizeof(float)));
  OK(cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal));
  ramp<<<3, 128, 0, s>>>(p, N, 3.0f);
  total<<<1, 1, 0, s>>>(p, out, N);
  OK(cudaStreamEndCapture(s, &graph));
  OK(cudaGraphInstantiate(&exec, graph, 0));
  OK(cudaGraphLaunch(exec, s));
  OK(cudaStreamSynchronize(s));
  OK(cudaMemcpy(&value, out, sizeof value, cudaMemcpyDeviceToHost));
  printf("memory of the program: %g\n", value);
  OK(cudaFree(p));
  float *again;
  OK(cudaMalloc(&again, N * sizeof(float)));
  printf("the same address: %d\n", again == p);
  SHOW(cudaGraphLaunch(exec, s));
  SHOW(cudaStreamSynchronize(s));
  OK(cudaMemcpy(&value, out, sizeof value, cudaMemcpyDeviceToHost));
  printf("allocated again: %g\n", value);
  return 0;
}
