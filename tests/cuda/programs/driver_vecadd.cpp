/* The driver API from end to end: device, context, PTX text, a launch by arguments and by buffer.
 */
#include "driver.h"

static const char text[] = R"(
.version 7.0
.target sm_70
.address_size 64
.visible .global .align 4 .u32 launches = 3;
.visible .entry add(.param .u64 a, .param .u64 b, .param .u32 n) {
  .reg .pred %p;
  .reg .b32 %r<8>;
  .reg .b64 %rd<5>;
  mov.u32 %r1, %ctaid.x;
  mov.u32 %r2, %ntid.x;
  mov.u32 %r3, %tid.x;
  mad.lo.u32 %r4, %r1, %r2, %r3;
  ld.param.u32 %r5, [n];
  setp.ge.u32 %p, %r4, %r5;
  @%p bra end;
  ld.param.u64 %rd1, [a];
  ld.param.u64 %rd2, [b];
  mul.wide.u32 %rd3, %r4, 4;
  add.u64 %rd1, %rd1, %rd3;
  add.u64 %rd2, %rd2, %rd3;
  ld.global.u32 %r6, [%rd1];
  ld.global.u32 %r7, [%rd2];
  add.u32 %r6, %r6, %r7;
  st.global.u32 [%rd1], %r6;
  setp.ne.u32 %p, %r4, 0;
  @%p bra end;
  mov.u64 %rd4, launches;
  red.global.add.u32 [%rd4], 1;
end:
  ret;
}
)";

int main() {
  const unsigned n = 1000;
  unsigned a[n], b[n], sum = 0, launches;
  for (unsigned i = 0; i < n; i++) {
    a[i] = i * i;
    b[i] = 7 * i;
  }
  CUdevice device;
  CUcontext context;
  CUmodule module;
  CUfunction add;
  CUdeviceptr da, db, counter;
  size_t bytes;
  DRIVER_OK(cuInit(0));
  DRIVER_OK(cuDeviceGet(&device, 0));
  DRIVER_OK(cuDevicePrimaryCtxRetain(&context, device));
  DRIVER_OK(cuCtxSetCurrent(context));
  DRIVER_OK(cuModuleLoadData(&module, text));
  DRIVER_OK(cuModuleGetFunction(&add, module, "add"));
  DRIVER_OK(cuModuleGetGlobal(&counter, &bytes, module, "launches"));
  DRIVER_OK(cuMemAlloc(&da, sizeof a));
  DRIVER_OK(cuMemAlloc(&db, sizeof b));
  DRIVER_OK(cuMemcpyHtoD(da, a, sizeof a));
  DRIVER_OK(cuMemcpyHtoD(db, b, sizeof b));
  unsigned count = n;
  void *args[] = {&da, &db, &count};
  DRIVER_OK(cuLaunchKernel(add, 8, 1, 1, 128, 1, 1, 0, NULL, args, NULL));
  struct {
    CUdeviceptr a, b;
    unsigned n;
  } buffer = {da, db, n / 2};
  size_t buffer_bytes = 20;
  void *extra[] = {CU_LAUNCH_PARAM_BUFFER_POINTER, &buffer, CU_LAUNCH_PARAM_BUFFER_SIZE,
                   &buffer_bytes, CU_LAUNCH_PARAM_END};
  DRIVER_OK(cuLaunchKernel(add, 8, 1, 1, 128, 1, 1, 0, NULL, NULL, extra));
  DRIVER_OK(cuCtxSynchronize());
  DRIVER_OK(cuMemcpyDtoH(a, da, sizeof a));
  DRIVER_OK(cuMemcpyDtoH(&launches, counter, sizeof launches));
  for (unsigned i = 0; i < n; i++)
    sum = sum * 31 + a[i];
  printf("%u %u %u, sum %08x, launches %u in %zu bytes\n", a[1], a[499], a[999], sum, launches,
         bytes);
  CUresult missing = cuModuleGetFunction(&add, module, "subtract");
  const char *name, *message;
  DRIVER_OK(cuGetErrorName(missing, &name));
  DRIVER_OK(cuGetErrorString(missing, &message));
  printf("%s: %s\n", name, message);
  DRIVER_OK(cuMemFree(da));
  DRIVER_OK(cuMemFree(db));
  DRIVER_OK(cuModuleUnload(module));
  DRIVER_OK(cuDevicePrimaryCtxRelease(device));
  return 0;
}
