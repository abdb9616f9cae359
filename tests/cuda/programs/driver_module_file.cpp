/* A module from a file, with shared memory, a constant and two streams; and modules that cannot be
 * loaded. */
#include "driver.h"
#include <cstring>
#include <unistd.h>

static const char text[] = R"(
.version 7.0
.target sm_70
.address_size 64
.visible .const .align 4 .b32 scale[2] = {2, 3};
.extern .shared .align 4 .b8 part[];
.visible .entry turn(.param .u64 x) {
  .reg .b32 %r<8>;
  .reg .b64 %rd<6>;
  mov.u32 %r1, %tid.x;
  mov.u32 %r2, %ntid.x;
  mov.u32 %r3, %ctaid.x;
  ld.param.u64 %rd1, [x];
  mad.lo.u32 %r4, %r3, %r2, %r1;
  mul.wide.u32 %rd2, %r4, 4;
  add.u64 %rd1, %rd1, %rd2;
  ld.global.u32 %r5, [%rd1];
  ld.const.u32 %r6, [scale + 4];
  mul.lo.u32 %r5, %r5, %r6;
  mov.u64 %rd3, part;
  cvta.shared.u64 %rd3, %rd3;
  mul.wide.u32 %rd4, %r1, 4;
  add.u64 %rd5, %rd3, %rd4;
  st.u32 [%rd5], %r5;
  bar.sync 0;
  sub.u32 %r7, %r2, %r1;
  sub.u32 %r7, %r7, 1;
  mul.wide.u32 %rd4, %r7, 4;
  add.u64 %rd5, %rd3, %rd4;
  ld.u32 %r5, [%rd5];
  st.global.u32 [%rd1], %r5;
  ret;
}
)";

int main() {
  char path[] = "/tmp/module-XXXXXX";
  int file = mkstemp(path);
  if (file < 0 || write(file, text, strlen(text)) != (ssize_t)strlen(text)) return 2;
  close(file);
  CUdevice device;
  CUcontext context;
  CUmodule module;
  CUfunction turn;
  CUstream stream;
  CUdeviceptr x, scale;
  size_t bytes;
  DRIVER_OK(cuInit(0));
  DRIVER_OK(cuDeviceGet(&device, 0));
  DRIVER_OK(cuCtxCreate(&context, NULL, 0, device));
  DRIVER_OK(cuModuleLoad(&module, path));
  unlink(path);
  DRIVER_OK(cuModuleGetFunction(&turn, module, "turn"));
  DRIVER_OK(cuModuleGetGlobal(&scale, &bytes, module, "scale"));
  DRIVER_OK(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
  DRIVER_OK(cuMemAlloc(&x, 256 * sizeof(int)));
  int host[256], five = 5;
  void *args[] = {&x};
  for (int round = 0; round < 2; round++) {
    DRIVER_OK(cuMemsetD32(x, 10, 256));
    DRIVER_OK(cuMemsetD32(x + 4, 77, 3));
    DRIVER_OK(cuCtxSynchronize());
    DRIVER_OK(cuLaunchKernel(turn, 4, 1, 1, 64, 1, 1, 64 * sizeof(int), stream, args, NULL));
    DRIVER_OK(cuStreamSynchronize(stream));
    DRIVER_OK(cuMemcpyDtoH(host, x, sizeof host));
    printf("%d %d %d %d %d\n", host[0], host[59], host[60], host[62], host[63]);
    DRIVER_OK(cuMemcpyHtoD(scale + 4, &five, sizeof five));
  }
  int registers, shared, threads;
  DRIVER_OK(cuFuncGetAttribute(&registers, CU_FUNC_ATTRIBUTE_NUM_REGS, turn));
  DRIVER_OK(cuFuncGetAttribute(&shared, CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES, turn));
  DRIVER_OK(cuFuncGetAttribute(&threads, CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK, turn));
  printf("scale %zu bytes, registers %d, shared %d, threads %d\n", bytes, registers > 0, shared,
         threads);
  printf("no such file: %s\n", name_of(cuModuleLoad(&module, "/nowhere/module.ptx")));
  printf("not PTX: %s\n",
         name_of(cuModuleLoadData(&module, ".version 7.0\n.target sm_70\nnonsense;\n")));
  printf("too many threads: %s\n",
         name_of(cuLaunchKernel(turn, 1, 1, 1, 2048, 1, 1, 0, 0, args, NULL)));
  DRIVER_OK(cuStreamDestroy(stream));
  DRIVER_OK(cuCtxDestroy(context));
  return 0;
}
