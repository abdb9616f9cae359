/* The preferred carveout as an attribute of one launch, and of a kernel node of a graph. */
#include "common.h"

__global__ void weave(int *out, int n) {
  __shared__ int row[96];
  row[threadIdx.x] = (int)(threadIdx.x * threadIdx.x);
  __syncthreads();
  int i = blockIdx.x * 96 + threadIdx.x;
  if (i < n) out[i] = row[95 - threadIdx.x] + i;
}

enum { N = 500 };
static int *out;

static void show(const char *what) {
  int host[N];
  cudaError_t s = cudaDeviceSynchronize();
  OK(cudaMemcpy(host, out, sizeof host, cudaMemcpyDeviceToHost));
  OK(cudaMemset(out, 0, sizeof host));
  printf("%s: %s, sum %08x\n", what, cudaGetErrorName(s), checksum(host, sizeof host));
}

int main() {
  OK(cudaMalloc(&out, N * sizeof(int)));
  for (int v : {-1, 0, 25, 100, 101, -5}) {
    cudaLaunchAttribute a = {};
    a.id = cudaLaunchAttributePreferredSharedMemoryCarveout;
    a.val.sharedMemCarveout = (unsigned)v;
    cudaLaunchConfig_t c = {};
    c.gridDim = dim3(6);
    c.blockDim = dim3(96);
    c.attrs = &a;
    c.numAttrs = 1;
    printf("launch with %d: %s\n", v, cudaGetErrorName(cudaLaunchKernelEx(&c, weave, out, N + 0)));
    cudaGetLastError();
    show("then");
    cudaFuncAttributes f;
    OK(cudaFuncGetAttributes(&f, weave));
    printf("the kernel's own stays %d\n", f.preferredShmemCarveout);
  }
  cudaGraph_t graph;
  cudaGraphNode_t node;
  cudaGraphExec_t exec;
  cudaKernelNodeParams k = {};
  int n = N;
  void *args[] = {&out, &n};
  OK(cudaGraphCreate(&graph, 0));
  k.func = (void *)weave;
  k.gridDim = dim3(6);
  k.blockDim = dim3(96);
  k.kernelParams = args;
  OK(cudaGraphAddKernelNode(&node, graph, NULL, 0, &k));
  for (int v : {40, 100, -1, 101}) {
    cudaKernelNodeAttrValue value = {}, back = {};
    value.sharedMemCarveout = (unsigned)v;
    back.sharedMemCarveout = 77;
    cudaError_t s =
        cudaGraphKernelNodeSetAttribute(node, cudaLaunchAttributePreferredSharedMemoryCarveout, &value);
    cudaError_t g =
        cudaGraphKernelNodeGetAttribute(node, cudaLaunchAttributePreferredSharedMemoryCarveout, &back);
    printf("node %d: %s, %s, is %d\n", v, cudaGetErrorName(s), cudaGetErrorName(g),
           (int)back.sharedMemCarveout);
    cudaGetLastError();
  }
  OK(cudaGraphInstantiate(&exec, graph, 0));
  OK(cudaGraphLaunch(exec, 0));
  show("graph");
  return 0;
}
