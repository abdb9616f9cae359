/* A graph that allocates and does not free: it can be launched again once the memory was freed, by
 * whatever call. */
#include "common.h"

__global__ void stamp(int *p, int n, int value) {
  for (int i = threadIdx.x; i < n; i += blockDim.x)
    p[i] = value + i;
}

enum { N = 777 };

static int *look_at;
static void look(const char *when) {
  int host[N];
  cudaError_t status = cudaMemcpy(host, look_at, sizeof host, cudaMemcpyDeviceToHost);
  printf("%s: %s", when, cudaGetErrorName(status));
  if (status == cudaSuccess) printf(", sum %08x", checksum(host, sizeof host));
  printf("\n");
  cudaGetLastError();
}

static cudaGraph_t build(int value, cudaGraphNode_t *alloc, int **memory) {
  cudaGraph_t graph;
  cudaGraphNode_t kernel;
  cudaMemAllocNodeParams a = {};
  cudaKernelNodeParams k = {};
  OK(cudaGraphCreate(&graph, 0));
  a.poolProps.allocType = cudaMemAllocationTypePinned;
  a.poolProps.location.type = cudaMemLocationTypeDevice;
  a.bytesize = N * sizeof(int);
  OK(cudaGraphAddMemAllocNode(alloc, graph, NULL, 0, &a));
  *memory = (int *)a.dptr;
  int n = N;
  void *args[] = {memory, &n, &value};
  k.func = (void *)stamp;
  k.gridDim = dim3(1);
  k.blockDim = dim3(64);
  k.kernelParams = args;
  OK(cudaGraphAddKernelNode(&kernel, graph, alloc, 1, &k));
  return graph;
}

int main() {
  cudaGraphNode_t alloc, dup;
  cudaGraphExec_t exec, other;
  cudaGraph_t graph, clone, freeing;
  int *p;
  graph = build(100, &alloc, &p);
  look_at = p;
  SHOW(cudaFree(p));
  SHOW(cudaGraphInstantiate(&exec, graph, 0));
  SHOW(cudaFree(p));
  SHOW(cudaGraphInstantiate(&other, graph, 0));
  SHOW(cudaGraphClone(&clone, graph));
  SHOW(cudaGraphDestroyNode(alloc));
  cudaGetLastError();
  look("before the first launch");
  SHOW(cudaGraphLaunch(exec, 0));
  SHOW(cudaDeviceSynchronize());
  look("after the first launch");
  SHOW(cudaGraphLaunch(exec, 0));
  SHOW(cudaDeviceSynchronize());
  SHOW(cudaFree(p));
  SHOW(cudaFree(p));
  cudaGetLastError();
  SHOW(cudaGraphLaunch(exec, 0));
  look("after cudaFree and the next launch");
  SHOW(cudaFreeAsync(p, 0));
  SHOW(cudaGraphLaunch(exec, 0));
  look("after cudaFreeAsync and the next launch");
  /* A graph of its own frees. */
  OK(cudaGraphCreate(&freeing, 0));
  SHOW(cudaGraphAddMemFreeNode(&dup, freeing, NULL, 0, p));
  SHOW(cudaGraphInstantiate(&other, freeing, 0));
  SHOW(cudaGraphLaunch(other, 0));
  SHOW(cudaDeviceSynchronize());
  SHOW(cudaGraphLaunch(other, 0));
  SHOW(cudaDeviceSynchronize());
  cudaGetLastError();
  SHOW(cudaGraphLaunch(exec, 0));
  look("after a graph that frees and the next launch");
  SHOW(cudaGraphExecDestroy(exec));
  look("after the graph's end");
  SHOW(cudaFree(p));
  SHOW(cudaGraphDestroy(graph));
  SHOW(cudaGraphInstantiate(&other, freeing, 0));
  SHOW(cudaGetLastError());
  SHOW(cudaDeviceGraphMemTrim(0));
  SHOW(cudaDeviceSynchronize());
  return 0;
}
