/* mma_time_gpu: cycles of matrix instructions on a GPU: the latency of a chain in one warp, and the
 * interval at which a scheduler issues them when four warps have eight independent ones each.
 *
 *   gcc -O1 -I$CUDA_HOME/include tests/truth/mma_time_gpu.c -o mma_time_gpu -lcuda
 *   ./mma_time_gpu
 *
 * data/mma_time_h200.txt has what an H200 said; gpus/h200.yaml uses it. */
#include <cuda.h>
#include <stdio.h>
#include <stdlib.h>

static void must(CUresult r, const char *what) {
  const char *s = NULL;
  if (r == CUDA_SUCCESS) return;
  cuGetErrorName(r, &s);
  fprintf(stderr, "%s: %s\n", what, s ? s : "?");
  exit(1);
}

/* Accumulators are registers of the given letter; operands are the same for all. */
static const struct {
  const char *name, *insn, *operands;
  char acc;
} kinds[] = {
    {"m16n8k16.f32.f16", "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32",
     "{%r0,%r1,%r2,%r3}, {%r4,%r5}", 'f'},
    {"m16n8k16.f32.bf16", "mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32",
     "{%r0,%r1,%r2,%r3}, {%r4,%r5}", 'f'},
    {"m16n8k8.f32.f16", "mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32", "{%r0,%r1}, {%r4}",
     'f'},
    {"m16n8k8.f32.tf32", "mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32",
     "{%r0,%r1,%r2,%r3}, {%r4,%r5}", 'f'},
    {"m16n8k32.s32.s8", "mma.sync.aligned.m16n8k32.row.col.s32.s8.s8.s32",
     "{%r0,%r1,%r2,%r3}, {%r4,%r5}", 'i'},
};

enum { UNROLL = 8, LOOPS = 128, WARPS = 16, SCHEDULERS = 4, BYTES = 1 << 16, TRIES = 5 };

static void put_product(FILE *f, size_t kind, unsigned first) {
  char c = kinds[kind].acc, list[64];
  snprintf(list, sizeof list, "{%%%c%u,%%%c%u,%%%c%u,%%%c%u}", c, first, c, first + 1, c, first + 2,
           c, first + 3);
  fprintf(f, "%s %s, %s, %s;\n", kinds[kind].insn, list, kinds[kind].operands, list);
}

static char *text_of(size_t kind, unsigned groups) {
  char *text = NULL;
  size_t len = 0;
  FILE *f = open_memstream(&text, &len);
  if (!f) exit(1);
  fprintf(f, ".version 8.0\n.target sm_80\n.address_size 64\n.visible .entry k(.param .u64 out) {\n"
             ".reg .b32 %%r<8>, %%i<32>, %%n, %%t; .reg .f32 %%f<32>; .reg .pred %%p;\n"
             ".reg .b64 %%a, %%t0, %%t1;\nld.param.u64 %%a, [out]; mov.u32 %%t, %%tid.x;\n"
             "mad.wide.u32 %%a, %%t, 16, %%a;\n");
  for (unsigned i = 0; i < 8; i++)
    fprintf(f, "ld.global.b32 %%r%u, [%%a+%u];\n", i, 4 * (i % 2));
  for (unsigned i = 0; i < 32; i++) /* different ones, or they are computed once */
    fprintf(f, "add.u32 %%i%u, %%t, %u; cvt.rn.f32.u32 %%f%u, %%i%u;\n", i, 3 * i, i, i);
  fprintf(f, "bar.sync 0; mov.u64 %%t0, %%clock64; mov.u32 %%n, %d;\nL:\n", LOOPS);
  for (unsigned u = 0; u < UNROLL; u++)
    put_product(f, kind, 4 * (u % groups));
  fprintf(f, "sub.u32 %%n, %%n, 1; setp.ne.u32 %%p, %%n, 0; @%%p bra L;\n");
  for (unsigned i = 1; i < 32; i++)
    fprintf(f, "add.f32 %%f0, %%f0, %%f%u; add.u32 %%i0, %%i0, %%i%u;\n", i, i);
  fprintf(f, "bar.sync 0; mov.u64 %%t1, %%clock64; sub.u64 %%t1, %%t1, %%t0;\n"
             "st.global.u64 [%%a], %%t1; st.global.f32 [%%a+8], %%f0; st.global.u32 [%%a+12], "
             "%%i0;\nret;\n}\n");
  fclose(f);
  return text;
}

static double cycles(size_t kind, unsigned warps, unsigned groups, CUdeviceptr out) {
  CUmodule module;
  CUfunction f;
  unsigned long long best = ~0ull, got;
  void *args[] = {&out};
  char *text = text_of(kind, groups);
  must(cuModuleLoadData(&module, text), kinds[kind].name);
  must(cuModuleGetFunction(&f, module, "k"), "k");
  for (int i = 0; i < TRIES; i++) {
    must(cuMemsetD8(out, 0, BYTES), "memset");
    must(cuLaunchKernel(f, 1, 1, 1, 32 * warps, 1, 1, 0, 0, args, NULL), "launch");
    must(cuCtxSynchronize(), "run");
    must(cuMemcpyDtoH(&got, out, sizeof got), "copy");
    if (got < best) best = got;
  }
  must(cuModuleUnload(module), "unload");
  free(text);
  return (double)best;
}

int main(void) {
  CUdevice dev;
  CUcontext ctx;
  CUdeviceptr out;
  char name[128] = "?";
  int version = 0;
  must(cuInit(0), "init");
  must(cuDeviceGet(&dev, 0), "device");
  must(cuDevicePrimaryCtxRetain(&ctx, dev), "context");
  must(cuCtxSetCurrent(ctx), "context");
  must(cuMemAlloc(&out, BYTES), "memory");
  cuDeviceGetName(name, sizeof name, dev);
  cuDriverGetVersion(&version);
  printf("# %s, driver interface %d.%d; cycles by clock64, best of %d\n", name, version / 1000,
         version % 1000 / 10, TRIES);
  for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++) {
    double n = (double)UNROLL * LOOPS;
    printf("%-18s latency of a chain %.2f, interval of a scheduler %.2f\n", kinds[k].name,
           cycles(k, 1, 1, out) / n, cycles(k, WARPS, 8, out) / (n * WARPS / SCHEDULERS));
  }
  return 0;
}
