/* A kernel that stops itself, in a process of its own; and one that reads past the shared memory. */
#include "common.h"
#include <sys/wait.h>
#include <unistd.h>

__global__ void stops(int *x, int limit) {
  if (x[threadIdx.x] > limit)
    __trap();
  x[threadIdx.x] = -1;
}

__global__ void outside(int *x, int at) {
  __shared__ int part[32];
  part[threadIdx.x] = x[threadIdx.x];
  __syncthreads();
  x[threadIdx.x] = part[threadIdx.x + at];
}

__global__ void null(int *x, const int *p) {
  *x = *p;
}

static void child(int which) {
  int *x, host[32];
  for (int i = 0; i < 32; i++)
    host[i] = i;
  OK(cudaMalloc(&x, sizeof host));
  OK(cudaMemcpy(x, host, sizeof host, cudaMemcpyHostToDevice));
  if (which == 0)
    stops<<<1, 32>>>(x, 40);
  else if (which == 1)
    stops<<<1, 32>>>(x, 20);
  else if (which == 2)
    outside<<<1, 32>>>(x, 1 << 22);
  else
    null<<<1, 1>>>(x, NULL);
  cudaError_t e = cudaDeviceSynchronize();
  printf("%d: %d %s, %s\n", which, (int)e, cudaGetErrorName(e), cudaGetErrorString(e));
}

int main() {
  for (int which = 0; which < 4; which++) {
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
