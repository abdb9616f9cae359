/* How errors are kept: peek leaves them, get takes them, success does not hide them. */
#include "common.h"

__global__ void noop() {}

int main() {
  SHOW(cudaPeekAtLastError());
  int device, *x;
  SHOW(cudaMalloc(&x, ~(size_t)0));
  SHOW(cudaPeekAtLastError());
  SHOW(cudaPeekAtLastError());
  SHOW(cudaGetDevice(&device)); /* succeeds, and the error is still there */
  SHOW(cudaPeekAtLastError());
  SHOW(cudaGetLastError());
  SHOW(cudaGetLastError());

  noop<<<1, 5000>>>();
  noop<<<1, 1>>>();
  SHOW(cudaDeviceSynchronize());
  SHOW(cudaGetLastError()); /* that of the first launch */
  SHOW(cudaGetLastError());

  SHOW(cudaMemcpy(NULL, NULL, 16, cudaMemcpyHostToDevice));
  SHOW(cudaSetDevice(-1)); /* the last error wins */
  SHOW(cudaGetLastError());

  cudaEvent_t event;
  OK(cudaEventCreate(&event));
  SHOW(cudaEventQuery(event));
  float ms;
  SHOW(cudaEventElapsedTime(&ms, event, event)); /* never recorded */
  SHOW(cudaGetLastError());
  OK(cudaEventDestroy(event));

  const cudaError_t some[] = {cudaSuccess,
                              cudaErrorInvalidValue,
                              cudaErrorMemoryAllocation,
                              cudaErrorInvalidConfiguration,
                              cudaErrorInvalidDevice,
                              cudaErrorNoKernelImageForDevice,
                              cudaErrorLaunchOutOfResources,
                              cudaErrorMisalignedAddress,
                              cudaErrorLaunchFailure,
                              cudaErrorNotReady,
                              cudaErrorNotSupported,
                              cudaErrorUnknown};
  for (cudaError_t e : some)
    printf("%d %s: %s\n", (int)e, cudaGetErrorName(e), cudaGetErrorString(e));
  printf("%s\n", cudaGetErrorName((cudaError_t)12345));
  printf("%s\n", cudaGetErrorString((cudaError_t)12345));
  return 0;
}
