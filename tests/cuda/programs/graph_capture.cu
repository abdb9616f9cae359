/* A graph from what two streams do, launched several times with other data in the same places. */
#include "common.h"

__global__ void scale(int *x, int n, int factor) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) x[i] *= factor;
}

__global__ void join(const int *a, const int *b, int *c, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) c[i] += a[i] - b[i];
}

int main() {
  const int n = 512;
  const size_t bytes = n * sizeof(int);
  int *host, *result, *a, *b, *c;
  OK(cudaMallocHost(&host, bytes));
  OK(cudaMallocHost(&result, bytes));
  OK(cudaMalloc(&a, bytes));
  OK(cudaMalloc(&b, bytes));
  OK(cudaMalloc(&c, bytes));
  OK(cudaMemset(c, 0, bytes));
  cudaStream_t first, second;
  OK(cudaStreamCreateWithFlags(&first, cudaStreamNonBlocking));
  OK(cudaStreamCreateWithFlags(&second, cudaStreamNonBlocking));
  cudaEvent_t fork, back;
  OK(cudaEventCreateWithFlags(&fork, cudaEventDisableTiming));
  OK(cudaEventCreateWithFlags(&back, cudaEventDisableTiming));
  OK(cudaDeviceSynchronize());

  cudaGraph_t graph;
  OK(cudaStreamBeginCapture(first, cudaStreamCaptureModeGlobal));
  OK(cudaMemcpyAsync(a, host, bytes, cudaMemcpyHostToDevice, first));
  OK(cudaEventRecord(fork, first));
  OK(cudaStreamWaitEvent(second, fork, 0));
  OK(cudaMemcpyAsync(b, a, bytes, cudaMemcpyDeviceToDevice, second));
  scale<<<4, 128, 0, second>>>(b, n, 3);
  OK(cudaEventRecord(back, second));
  OK(cudaStreamWaitEvent(first, back, 0));
  scale<<<4, 128, 0, first>>>(a, n, 10);
  join<<<4, 128, 0, first>>>(a, b, c, n);
  OK(cudaMemcpyAsync(result, c, bytes, cudaMemcpyDeviceToHost, first));
  cudaStreamCaptureStatus status;
  OK(cudaStreamIsCapturing(first, &status));
  printf("capturing %d\n", status == cudaStreamCaptureStatusActive);
  OK(cudaStreamEndCapture(first, &graph));
  size_t nodes;
  OK(cudaGraphGetNodes(graph, NULL, &nodes));
  printf("nodes %zu\n", nodes);
  cudaGraphExec_t exec;
  OK(cudaGraphInstantiate(&exec, graph, 0));
  for (int round = 0; round < 3; round++) {
    for (int i = 0; i < n; i++)
      host[i] = i + round * 1000;
    OK(cudaGraphLaunch(exec, first));
    OK(cudaStreamSynchronize(first));
    printf("%d %d, sum %08x\n", result[0], result[n - 1], checksum(result, bytes));
  }
  OK(cudaGraphExecDestroy(exec));
  OK(cudaGraphDestroy(graph));
  return 0;
}
