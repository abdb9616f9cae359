/* Kernels that fail in several ways, each in a process of its own: which error does the host see?
 */
#include "common.h"
#include <sys/wait.h>
#include <unistd.h>

__global__ void stops(int *x, int limit) {
  if (x[threadIdx.x] > limit) __trap();
  x[threadIdx.x] = -1;
}

__global__ void shared_load(int *x, int at) {
  __shared__ int part[32];
  part[threadIdx.x] = x[threadIdx.x];
  __syncthreads();
  x[threadIdx.x] = part[threadIdx.x + at];
}

__global__ void shared_store(int *x, int at) {
  __shared__ char part[256];
  *(volatile int *)&part[threadIdx.x * 4 + at] = x[threadIdx.x];
  __syncthreads();
  x[threadIdx.x] = part[threadIdx.x];
}

__global__ void null(int *x, const int *p) {
  *x = *p;
}

__global__ void atomic(int *x, long long at) {
  atomicAdd(&x[at], 1);
}

__device__ __noinline__ int deep(int n, volatile int *x) {
  int mine[32];
  for (int i = 0; i < 32; i++)
    mine[i] = x[i] + n;
  return n <= 0 ? mine[x[3] & 31] : deep(n - 1, x) + mine[(n + x[1]) & 31];
}

__global__ void stack(int *x, int n) {
  x[0] = deep(n, x);
}

static void child(int which) {
  int *x, host[32];
  for (int i = 0; i < 32; i++)
    host[i] = i;
  OK(cudaMalloc(&x, sizeof host));
  OK(cudaMemcpy(x, host, sizeof host, cudaMemcpyHostToDevice));
  switch (which) {
  case 0:
    stops<<<1, 32>>>(x, 40);
    break;
  case 1:
    stops<<<1, 32>>>(x, 20);
    break;
  case 2:
    null<<<1, 1>>>(x, NULL);
    break;
  case 3:
    shared_load<<<1, 32>>>(x, 1 << 17);
    break;
  case 4:
    shared_store<<<1, 32>>>(x, 1 << 19);
    break;
  case 5:
    shared_store<<<1, 32>>>(x, 2);
    break;
  case 6:
    atomic<<<1, 1>>>(x, 1ll << 42);
    break;
  case 7:
    stack<<<1, 1>>>(x, 3);
    break;
  default:
    stack<<<1, 1>>>(x, 100000);
    break;
  }
  cudaError_t e = cudaDeviceSynchronize();
  printf("%d: %d %s, %s\n", which, (int)e, cudaGetErrorName(e), cudaGetErrorString(e));
}

int main() {
  for (int which = 0; which < 9; which++) {
    fflush(stdout);
    pid_t pid = fork();
    if (pid == 0) {
      child(which);
      fflush(stdout);
      _exit(which);
    }
    int status;
    waitpid(pid, &status, 0);
    printf("exit %d\n", WEXITSTATUS(status));
  }
  return 0;
}
