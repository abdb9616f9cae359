/* truth_gpu FOLDER: runs every variant on the GPU through the CUDA driver and writes its results,
 * one file per family (FAMILY.bin, see store.h), to FOLDER, with PROVENANCE.txt beside them. Needs
 * a GPU and libcuda; see tools/truth.sh. */
#include <cuda.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "store.h"

static CUdeviceptr d_in, d_out;
static uint8_t *h_in, *h_out, *h_again, *h_packed;
static FILE *files[TF_N];
static size_t n_run, n_failed, n_unstable;

static const char *cu_name(CUresult r) {
  const char *s = NULL;
  cuGetErrorName(r, &s);
  return s ? s : "?";
}

static void must(CUresult r, const char *what) {
  if (r == CUDA_SUCCESS) return;
  fprintf(stderr, "%s: %s\n", what, cu_name(r));
  exit(1);
}

static CUresult launch(CUfunction f, const struct truth_variant *v, uint8_t *out) {
  uint8_t blob[TRUTH_BLOB];
  truth_fill_blob(blob);
  void *args[] = {&d_in, &d_out, blob};
  CUresult r = cuMemcpyHtoD(d_in, h_in, (size_t)v->n_cases * TRUTH_IN_BYTES);
  if (r == CUDA_SUCCESS) r = cuMemsetD8(d_out, 0, (size_t)v->n_cases * TRUTH_OUT_BYTES);
  if (r == CUDA_SUCCESS)
    r = cuLaunchKernel(f, v->n_cases / TRUTH_BLOCK, 1, 1, TRUTH_BLOCK, 1, 1, 0, 0, args, NULL);
  if (r == CUDA_SUCCESS) r = cuCtxSynchronize();
  if (r == CUDA_SUCCESS) r = cuMemcpyDtoH(out, d_out, (size_t)v->n_cases * TRUTH_OUT_BYTES);
  return r;
}

static void run(CUmodule mod, const struct truth_variant *v, size_t index) {
  char name[32];
  CUfunction f;
  snprintf(name, sizeof name, "t%zu", index);
  must(cuModuleGetFunction(&f, mod, name), v->name);
  truth_fill_inputs(v, h_in);
  CUresult r = launch(f, v, h_out);
  if (r == CUDA_SUCCESS) r = launch(f, v, h_again);
  if (r != CUDA_SUCCESS) { /* the context is lost */
    fprintf(stderr, "%s: %s\n", v->name, cu_name(r));
    exit(1);
  }
  n_run++;
  truth_pack(v, h_again, h_packed);
  uint8_t *first = malloc(truth_result_bytes(v) + 1);
  if (!first) exit(1);
  truth_pack(v, h_out, first);
  if (memcmp(first, h_packed, truth_result_bytes(v)) != 0) {
    printf("%s: two runs differ, not stored\n", v->name);
    n_unstable++;
  } else {
    store_write(files[v->family], v, h_packed);
  }
  free(first);
}

static CUresult load(CUmodule *mod, const struct truth_set *s, size_t from, size_t to, char *log,
                     size_t len) {
  char *text = truth_module_text(s, from, to);
  if (!text) exit(1);
  CUjit_option opt[] = {CU_JIT_ERROR_LOG_BUFFER, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES};
  void *val[] = {log, (void *)(uintptr_t)len};
  log[0] = 0;
  CUresult r = cuModuleLoadDataEx(mod, text, 2, opt, val);
  free(text);
  return r;
}

static void run_range(const struct truth_set *s, size_t from, size_t to) {
  char log[2048];
  CUmodule mod;
  CUresult r = load(&mod, s, from, to, log, sizeof log);
  if (r != CUDA_SUCCESS) {
    if (to - from == 1) {
      printf("%s: refused by the driver: %s %s\n", s->v[from].name, cu_name(r), log);
      n_failed++;
      return;
    }
    for (size_t i = from; i < to; i++)
      if (truth_has_kernel(&s->v[i])) run_range(s, i, i + 1);
    return;
  }
  for (size_t i = from; i < to; i++)
    if (truth_has_kernel(&s->v[i])) run(mod, &s->v[i], i);
  must(cuModuleUnload(mod), "unload");
}

static void provenance(const char *dir, CUdevice dev, int argc, char **argv, double seconds) {
  char path[4096], gpu[128] = "?", date[64];
  int version = 0;
  time_t now = time(NULL);
  cuDeviceGetName(gpu, sizeof gpu, dev);
  cuDriverGetVersion(&version);
  strftime(date, sizeof date, "%Y-%m-%d %H:%M UTC", gmtime(&now));
  snprintf(path, sizeof path, "%s/PROVENANCE.txt", dir);
  FILE *f = fopen(path, "w");
  if (!f) return;
  fprintf(f, "date: %s\nGPU: %s\nCUDA driver interface: %d.%d\n", date, gpu, version / 1000,
          version % 1000 / 10);
  FILE *proc = fopen("/proc/driver/nvidia/version", "r");
  char line[256];
  if (proc && fgets(line, sizeof line, proc)) fprintf(f, "driver: %s", line);
  if (proc) fclose(proc);
  fprintf(f, "command:");
  for (int i = 0; i < argc; i++)
    fprintf(f, " %s", argv[i]);
  fprintf(f, "\nvariants run: %zu, refused: %zu, not repeatable: %zu, seconds: %.0f\n", n_run,
          n_failed, n_unstable, seconds);
  fclose(f);
}

int main(int argc, char **argv) {
  struct truth_set s;
  CUdevice dev;
  CUcontext ctx;
  time_t begin = time(NULL);
  if (argc != 2) return 2;
  char *refused = store_refused();
  if (!truth_build(&s, refused)) return 1;
  must(cuInit(0), "cuInit");
  must(cuDeviceGet(&dev, 0), "device");
  must(cuDevicePrimaryCtxRetain(&ctx, dev), "context");
  must(cuCtxSetCurrent(ctx), "context");
  enum { MOST = 4096 };
  must(cuMemAlloc(&d_in, MOST * TRUTH_IN_BYTES), "memory");
  must(cuMemAlloc(&d_out, MOST * TRUTH_OUT_BYTES), "memory");
  h_in = malloc(MOST * TRUTH_IN_BYTES);
  h_out = malloc(MOST * TRUTH_OUT_BYTES);
  h_again = malloc(MOST * TRUTH_OUT_BYTES);
  h_packed = malloc(MOST * TRUTH_OUT_BYTES);
  if (!h_in || !h_out || !h_again || !h_packed) return 1;
  for (int i = 0; i < TF_N; i++) {
    char path[4096];
    snprintf(path, sizeof path, "%s/%s.bin", argv[1], truth_family_names[i]);
    files[i] = fopen(path, "wb");
    if (!files[i]) return 1;
  }
  for (size_t from = 0; from < s.n;) {
    size_t to = truth_module(&s, &from);
    if (from >= s.n) break;
    run_range(&s, from, to);
    from = to;
  }
  for (int i = 0; i < TF_N; i++)
    fclose(files[i]);
  provenance(argv[1], dev, argc, argv, difftime(time(NULL), begin));
  printf("%zu variants run, %zu refused, %zu not repeatable\n", n_run, n_failed, n_unstable);
  free(refused);
  truth_free(&s);
  return 0;
}
