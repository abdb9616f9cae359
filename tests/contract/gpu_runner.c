/* Runs the kernels of gen.py on a GPU and writes what they stored.
 *
 *   gpu_runner FOLDER ptx|cubin > results
 *
 * A line for each kernel: its name and the hash (FNV-1a, 64 bits) of its 2048 bytes of results, or
 * the error of the driver. With `ptx` the driver's own assembler translates the module. */
#include <cuda.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { OUT_BYTES = 2048 };

static void need(CUresult r, const char *what) {
  if (r == CUDA_SUCCESS) return;
  const char *name = NULL;
  cuGetErrorName(r, &name);
  fprintf(stderr, "%s: %s\n", what, name ? name : "?");
  exit(1);
}

static char *slurp(const char *path, size_t *n) {
  FILE *f = fopen(path, "rb");
  if (!f) return NULL;
  fseek(f, 0, SEEK_END);
  *n = (size_t)ftell(f);
  rewind(f);
  char *b = calloc(*n + 1, 1);
  if (fread(b, 1, *n, f) != *n) exit(1);
  fclose(f);
  return b;
}

static uint64_t hash(const uint8_t *b, size_t n) {
  uint64_t h = UINT64_C(0xcbf29ce484222325);
  for (size_t i = 0; i < n; i++)
    h = (h ^ b[i]) * UINT64_C(0x100000001b3);
  return h;
}

static void run_kernel(CUmodule m, const char *name, CUdeviceptr in, CUdeviceptr out, FILE *raw) {
  static uint8_t result[OUT_BYTES];
  uint32_t n = 3;
  void *args[] = {&in, &out, &n};
  CUfunction f;
  CUresult r = cuModuleGetFunction(&f, m, name);
  if (!r) r = cuMemsetD8(out, 0, OUT_BYTES);
  if (!r) r = cuLaunchKernel(f, 1, 1, 1, 32, 1, 1, 0, NULL, args, NULL);
  if (!r) r = cuCtxSynchronize();
  if (!r) r = cuMemcpyDtoH(result, out, OUT_BYTES);
  if (r) {
    printf("%s error %d\n", name, (int)r);
    return;
  }
  printf("%s %016" PRIx64 "\n", name, hash(result, OUT_BYTES));
  if (raw) fwrite(result, 1, OUT_BYTES, raw);
}

int main(int argc, char **argv) {
  if (argc < 3) return 2;
  char path[4096];
  size_t n;
  CUdevice dev;
  CUcontext ctx;
  need(cuInit(0), "cuInit");
  need(cuDeviceGet(&dev, 0), "cuDeviceGet");
  need(cuDevicePrimaryCtxRetain(&ctx, dev), "context");
  need(cuCtxSetCurrent(ctx), "context");
  snprintf(path, sizeof path, "%s/in.bin", argv[1]);
  char *data = slurp(path, &n);
  if (!data) return 2;
  CUdeviceptr in, out;
  need(cuMemAlloc(&in, n), "cuMemAlloc");
  need(cuMemAlloc(&out, OUT_BYTES), "cuMemAlloc");
  need(cuMemcpyHtoD(in, data, n), "cuMemcpyHtoD");
  FILE *raw = argc > 3 ? fopen(argv[3], "wb") : NULL;
  for (int k = 0;; k++) {
    snprintf(path, sizeof path, "%s/m%02d.ptx", argv[1], k);
    char *text = slurp(path, &n);
    if (!text) break;
    snprintf(path, sizeof path, "%s/m%02d.%s", argv[1], k, argv[2]);
    char *image = slurp(path, &n);
    CUmodule m;
    CUresult r = image ? cuModuleLoadData(&m, image) : CUDA_ERROR_FILE_NOT_FOUND;
    if (r) printf("# %s: error %d\n", path, (int)r);
    for (char *at = text; !r && (at = strstr(at, ".entry ")); at++) {
      char name[64];
      if (sscanf(at, ".entry %63[^(]", name) == 1) run_kernel(m, name, in, out, raw);
    }
    if (!r) cuModuleUnload(m);
    free(image);
    free(text);
  }
  if (raw) fclose(raw);
  return 0;
}
