/* A graph built node by node, its parameters changed between launches, and a copy of it. */
#include "common.h"

__global__ void add(int *x, int n, int value) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) x[i] += value;
}

static int calls;
static void on_host(void *data) {
  calls += *(int *)data;
}

int main() {
  int n = 300, value = 5, weight = 2, *x;
  static int host[300], result[300];
  for (int i = 0; i < n; i++)
    host[i] = i * i;
  OK(cudaMalloc(&x, 2 * sizeof host));
  cudaGraph_t graph;
  OK(cudaGraphCreate(&graph, 0));
  cudaGraphNode_t in, set, kernel, out, call, after[3];
  OK(cudaGraphAddMemcpyNode1D(&in, graph, NULL, 0, x, host, sizeof host, cudaMemcpyHostToDevice));
  cudaMemsetParams fill = {};
  fill.dst = x + 300;
  fill.elementSize = 4;
  fill.value = 7;
  fill.width = 300;
  fill.height = 1;
  OK(cudaGraphAddMemsetNode(&set, graph, NULL, 0, &fill));
  void *args[] = {&x, &n, &value};
  cudaKernelNodeParams launch = {};
  launch.func = (void *)add;
  launch.gridDim = dim3(3);
  launch.blockDim = dim3(128);
  launch.kernelParams = args;
  after[0] = in;
  after[1] = set;
  OK(cudaGraphAddKernelNode(&kernel, graph, after, 2, &launch));
  OK(cudaGraphAddMemcpyNode1D(&out, graph, &kernel, 1, result, x, sizeof result,
                              cudaMemcpyDeviceToHost));
  cudaHostNodeParams host_call = {on_host, &weight};
  OK(cudaGraphAddHostNode(&call, graph, &out, 1, &host_call));
  size_t nodes;
  OK(cudaGraphGetNodes(graph, NULL, &nodes));
  cudaGraphNodeType type;
  OK(cudaGraphNodeGetType(kernel, &type));
  printf("nodes %zu, the kernel's type %d\n", nodes, (int)type);
  cudaGraphExec_t exec, second;
  OK(cudaGraphInstantiate(&exec, graph, 0));
  OK(cudaGraphLaunch(exec, 0));
  OK(cudaStreamSynchronize(0));
  printf("%d %d, calls %d, sum %08x\n", result[0], result[299], calls,
         checksum(result, sizeof result));
  value = -100;
  n = 150;
  OK(cudaGraphExecKernelNodeSetParams(exec, kernel, &launch));
  OK(cudaGraphLaunch(exec, 0));
  OK(cudaStreamSynchronize(0));
  printf("%d %d, calls %d, sum %08x\n", result[0], result[299], calls,
         checksum(result, sizeof result));
  cudaGraph_t copy;
  OK(cudaGraphClone(&copy, graph));
  OK(cudaGraphDestroy(graph));
  OK(cudaGraphInstantiate(&second, copy, 0));
  OK(cudaGraphLaunch(second, 0));
  OK(cudaDeviceSynchronize());
  printf("%d %d, calls %d\n", result[0], result[299], calls);
  OK(cudaMemcpy(result, x + 300, sizeof result, cudaMemcpyDeviceToHost));
  printf("filled with %d %d\n", result[0], result[299]);
  return 0;
}
