/* Runtime and driver API in one program: one context, one memory, streams of either for both. */
#include "common.h"
#include "driver.h"

static const char text[] = R"(
.version 7.0
.target sm_70
.address_size 64
.visible .entry negate(.param .u64 x) {
  .reg .b32 %r<3>;
  .reg .b64 %rd<3>;
  mov.u32 %r1, %tid.x;
  ld.param.u64 %rd1, [x];
  mul.wide.u32 %rd2, %r1, 4;
  add.u64 %rd1, %rd1, %rd2;
  ld.global.u32 %r2, [%rd1];
  neg.s32 %r2, %r2;
  st.global.u32 [%rd1], %r2;
  ret;
}
)";

__global__ void count_up(int *x) {
  x[threadIdx.x] += threadIdx.x;
}

int main() {
  int *x, host[64];
  OK(cudaMalloc(&x, sizeof host)); /* makes the primary context current */
  OK(cudaMemset(x, 0, sizeof host));
  CUcontext current, primary;
  CUmodule module;
  CUfunction negate;
  DRIVER_OK(cuCtxGetCurrent(&current));
  DRIVER_OK(cuDevicePrimaryCtxRetain(&primary, 0));
  printf("one context %d\n", current != NULL && current == primary);
  DRIVER_OK(cuModuleLoadData(&module, text));
  DRIVER_OK(cuModuleGetFunction(&negate, module, "negate"));
  cudaStream_t stream;
  OK(cudaStreamCreate(&stream));
  void *args[] = {&x};
  for (int round = 0; round < 3; round++) {
    count_up<<<1, 64, 0, stream>>>(x);
    DRIVER_OK(cuLaunchKernel(negate, 1, 1, 1, 64, 1, 1, 0, stream, args, NULL));
  }
  OK(cudaStreamSynchronize(stream));
  DRIVER_OK(cuMemcpyDtoH(host, (CUdeviceptr)x, sizeof host));
  printf("%d %d %d, sum %08x\n", host[0], host[1], host[63], checksum(host, sizeof host));

  CUdeviceptr y;
  DRIVER_OK(cuMemAlloc(&y, sizeof host));
  DRIVER_OK(cuMemsetD32(y, 100, 64));
  count_up<<<1, 64>>>((int *)y);
  OK(cudaMemcpy(host, (void *)y, sizeof host, cudaMemcpyDeviceToHost));
  printf("%d %d\n", host[0], host[63]);
  CUdeviceptr base;
  size_t bytes;
  DRIVER_OK(cuMemGetAddressRange(&base, &bytes, (CUdeviceptr)(x + 5)));
  printf("range %zu bytes, begins %d\n", bytes, base == (CUdeviceptr)x);
  cudaPointerAttributes at;
  OK(cudaPointerGetAttributes(&at, (void *)y));
  printf("type %d\n", (int)at.type);
  cudaFunction_t f;
  OK(cudaGetFuncBySymbol(&f, (const void *)count_up));
  void *y_args[] = {&y};
  DRIVER_OK(cuLaunchKernel(f, 1, 1, 1, 32, 1, 1, 0, NULL, y_args, NULL));
  OK(cudaFree((void *)y));
  DRIVER_OK(cuMemFree((CUdeviceptr)x));
  DRIVER_OK(cuModuleUnload(module));
  OK(cudaDeviceSynchronize());
  return 0;
}
