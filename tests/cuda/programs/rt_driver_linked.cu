/* A program of the driver API that nvcc linked as it links everything: the runtime is in it, and
 * nobody calls it. Its kernel is a text. */
#include <cuda.h>

#include <cstdio>
#include <cstring>

static const char module_text[] = R"(
.version 7.0
.target sm_75
.address_size 64
.visible .entry squares(.param .u64 out, .param .u32 n)
{
  .reg .pred %p<2>;
  .reg .b32 %r<8>;
  .reg .b64 %rd<4>;
  ld.param.u64 %rd1, [out];
  ld.param.u32 %r1, [n];
  mov.u32 %r2, %ctaid.x;
  mov.u32 %r3, %ntid.x;
  mov.u32 %r4, %tid.x;
  mad.lo.s32 %r5, %r2, %r3, %r4;
  setp.ge.u32 %p1, %r5, %r1;
  @%p1 bra DONE;
  mul.lo.u32 %r6, %r5, %r5;
  mul.wide.u32 %rd2, %r5, 4;
  add.s64 %rd3, %rd1, %rd2;
  st.global.u32 [%rd3], %r6;
DONE:
  ret;
}
)";

#define DO(call)                                                                                   \
  do {                                                                                             \
    CUresult status = (call);                                                                      \
    if (status != CUDA_SUCCESS) {                                                                  \
      printf("%s: %d\n", #call, (int)status);                                                      \
      return 1;                                                                                    \
    }                                                                                              \
  } while (0)

int main() {
  enum { N = 1000 };
  unsigned n = N, host[N], sum = 0;
  CUdevice device;
  CUcontext context;
  CUmodule module;
  CUfunction function;
  CUdeviceptr out;
  DO(cuInit(0));
  DO(cuDeviceGet(&device, 0));
  DO(cuDevicePrimaryCtxRetain(&context, device));
  DO(cuCtxSetCurrent(context));
  DO(cuModuleLoadData(&module, module_text));
  DO(cuModuleGetFunction(&function, module, "squares"));
  DO(cuMemAlloc(&out, sizeof host));
  void *args[] = {&out, &n};
  DO(cuLaunchKernel(function, 8, 1, 1, 128, 1, 1, 0, NULL, args, NULL));
  DO(cuMemcpyDtoH(host, out, sizeof host));
  for (unsigned i = 0; i < n; i++)
    sum += host[i];
  printf("sum %u, last %u\n", sum, host[n - 1]);
  DO(cuMemFree(out));
  DO(cuModuleUnload(module));
  DO(cuDevicePrimaryCtxRelease(device));
  return 0;
}
