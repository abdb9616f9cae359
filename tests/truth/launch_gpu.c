/* launch_gpu [--ptx FILE] [--input NAME] [--runs N] LAUNCHFILE: does on a GPU what a launch file
 * says, and times its kernels.
 *
 * The file is read, buffers are made and results are checked by weir's own code; only memory and
 * launches are CUDA's. --ptx takes the kernels from another file, such as one with cache operators
 * written into its loads. Prints, for the whole file: kernel, launches, microseconds of all
 * launches together (median, least and most of N runs, each from the initial contents, with the L2
 * flushed before it), a checksum of all buffers at the end, and whether the expected results hold.
 */
#include <cuda.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <xxhash.h>

#include "launch/launchfile.h"
#include "ptx/ir.h"

enum { MAX_RUNS = 1001, FLUSH_BYTES = 256 << 20 };

struct gpu_run {
  struct weir_launchfile *lf;
  struct ptx_module *text; /* for the parameters of kernels */
  CUmodule module;
  CUdeviceptr *dev, flush;
  uint8_t **host;
  uint64_t *addresses;
  CUevent begin, end;
  uint32_t n_launches;
  double us;
};

static void must(CUresult r, const char *what) {
  const char *s = NULL;
  if (r == CUDA_SUCCESS) return;
  cuGetErrorName(r, &s);
  fprintf(stderr, "launch_gpu: %s: %s\n", what, s != NULL ? s : "?");
  exit(100);
}

static void check(enum weir_status st, const struct weir_err *err) {
  if (st == WEIR_OK) return;
  fprintf(stderr, "launch_gpu: %s\n", err->msg);
  exit(1);
}

static char *read_all(const char *path) {
  FILE *f = fopen(path, "rb");
  if (f == NULL || fseek(f, 0, SEEK_END) != 0) {
    fprintf(stderr, "launch_gpu: cannot read %s\n", path);
    exit(2);
  }
  long n = ftell(f);
  rewind(f);
  char *text = calloc(1, (size_t)n + 1);
  if (text == NULL || fread(text, 1, (size_t)n, f) != (size_t)n) exit(100);
  fclose(f);
  return text;
}

static void open_run(struct gpu_run *g, const char *file, const char *input, const char *ptx) {
  struct weir_err err = {0};
  struct ptx_diags diags = {0};
  CUdevice device;
  CUcontext context;
  check(weir_launchfile_load(file, input, &g->lf, &err), &err);
  if (g->lf->n_modules != 1) {
    fprintf(stderr, "launch_gpu: %s has %u modules; one is supported\n", file, g->lf->n_modules);
    exit(2);
  }
  if (g->lf->n_textures > 0) {
    fprintf(stderr, "launch_gpu: %s has textures, which are not supported here\n", file);
    exit(2);
  }
  const char *path = ptx != NULL ? ptx : g->lf->modules[0];
  char *text = read_all(path);
  if (ptx_parse(text, strlen(text), path, &g->text, &diags) != WEIR_OK) {
    fprintf(stderr, "launch_gpu: %s: cannot be parsed\n", path);
    exit(2);
  }
  must(cuInit(0), "cuInit");
  must(cuDeviceGet(&device, 0), "cuDeviceGet");
  must(cuDevicePrimaryCtxRetain(&context, device), "cuDevicePrimaryCtxRetain");
  must(cuCtxSetCurrent(context), "cuCtxSetCurrent");
  must(cuModuleLoadData(&g->module, text), path);
  free(text);
  g->dev = calloc(g->lf->n_buffers + 1, sizeof *g->dev);
  g->host = calloc(g->lf->n_buffers + 1, sizeof *g->host);
  g->addresses = calloc(g->lf->n_buffers + 1, sizeof *g->addresses);
  if (g->dev == NULL || g->host == NULL || g->addresses == NULL) exit(100);
  for (uint32_t i = 0; i < g->lf->n_buffers; i++) {
    const struct weir_lf_buffer *b = &g->lf->buffers[i];
    must(cuMemAlloc(&g->dev[i], b->bytes > 0 ? b->bytes : 1), b->name);
    g->addresses[i] = g->dev[i];
    g->host[i] = calloc(1, b->bytes + 1);
    if (g->host[i] == NULL) exit(100);
  }
  must(cuMemAlloc(&g->flush, FLUSH_BYTES), "cuMemAlloc");
  must(cuEventCreate(&g->begin, CU_EVENT_DEFAULT), "cuEventCreate");
  must(cuEventCreate(&g->end, CU_EVENT_DEFAULT), "cuEventCreate");
}

static void launch_once(struct gpu_run *g, uint32_t i, uint32_t k) {
  const struct weir_lf_launch *l = &g->lf->launches[i];
  struct weir_launch_shape shape;
  struct weir_err err = {0};
  const struct ptx_func *f = ptx_find_func(g->text, l->kernel);
  struct weir_lf_param params[WEIR_LF_ARGS];
  char block[4096];
  CUfunction function;
  if (f == NULL) {
    fprintf(stderr, "launch_gpu: no kernel %s\n", l->kernel);
    exit(2);
  }
  size_t bytes = f->param_bytes;
  for (uint32_t p = 0; p < f->n_params; p++)
    params[p] = (struct weir_lf_param){.name = f->params[p].name,
                                       .type = f->params[p].type,
                                       .bytes = f->params[p].bytes,
                                       .offset = f->params[p].offset,
                                       .is_array = f->params[p].n_dims > 0};
  if (bytes > sizeof block) exit(2);
  check(weir_launch_shape(g->lf, i, k, &shape, &err), &err);
  check(weir_launch_args(g->lf, i, k, g->addresses, params, f->n_params, block, bytes, &err), &err);
  must(cuModuleGetFunction(&function, g->module, l->kernel), l->kernel);
  if (shape.dyn_shared_bytes > 48 << 10)
    must(cuFuncSetAttribute(function, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES,
                            (int)shape.dyn_shared_bytes),
         l->kernel);
  void *extra[] = {CU_LAUNCH_PARAM_BUFFER_POINTER, block, CU_LAUNCH_PARAM_BUFFER_SIZE, &bytes,
                   CU_LAUNCH_PARAM_END};
  float ms;
  must(cuEventRecord(g->begin, NULL), "cuEventRecord");
  must(cuLaunchKernel(function, shape.grid[0], shape.grid[1], shape.grid[2], shape.block[0],
                      shape.block[1], shape.block[2], shape.dyn_shared_bytes, NULL, NULL, extra),
       l->kernel);
  must(cuEventRecord(g->end, NULL), "cuEventRecord");
  must(cuEventSynchronize(g->end), l->kernel);
  must(cuEventElapsedTime(&ms, g->begin, g->end), "cuEventElapsedTime");
  g->us += 1e3 * (double)ms;
  g->n_launches++;
}

static void set_and_launch(struct gpu_run *g, uint32_t i, uint32_t k) {
  const struct weir_lf_launch *l = &g->lf->launches[i];
  struct weir_err err = {0};
  for (uint32_t s = 0; s < l->n_sets; s++) {
    uint32_t b = l->sets[s].buffer;
    check(weir_launch_set(g->lf, i, s, k, g->host[b], &err), &err);
    must(cuMemcpyHtoD(g->dev[b], g->host[b], g->lf->buffers[b].bytes), "cuMemcpyHtoD");
  }
  launch_once(g, i, k);
}

static void launch(struct gpu_run *g, uint32_t i) {
  const struct weir_lf_launch *l = &g->lf->launches[i];
  struct weir_err err = {0};
  for (uint32_t k = 0; k < l->repeat; k++) {
    for (uint32_t j = i; j < i + l->together; j++)
      set_and_launch(g, j, k);
    if (!l->has_until) continue;
    const struct weir_lf_buffer *b = &g->lf->buffers[l->until_buffer];
    uint8_t element[16];
    uint64_t offset;
    bool holds;
    check(weir_until_offset(g->lf, i, k, &offset, &err), &err);
    must(cuMemcpyDtoH(element, g->dev[l->until_buffer] + offset, b->element_bytes), "cuMemcpyDtoH");
    check(weir_until_holds(g->lf, i, k, element, &holds, &err), &err);
    if (holds) return;
  }
}

static void run_once(struct gpu_run *g) {
  struct weir_err err = {0};
  for (uint32_t i = 0; i < g->lf->n_buffers; i++) {
    check(weir_buffer_generate(g->lf, i, g->host[i], &err), &err);
    must(cuMemcpyHtoD(g->dev[i], g->host[i], g->lf->buffers[i].bytes), "cuMemcpyHtoD");
  }
  must(cuMemsetD8(g->flush, 0, FLUSH_BYTES), "cuMemsetD8");
  must(cuCtxSynchronize(), "cuCtxSynchronize");
  g->us = 0;
  g->n_launches = 0;
  for (uint32_t i = 0; i < g->lf->n_launches; i += g->lf->launches[i].together)
    launch(g, i);
}

static int by_value(const void *a, const void *b) {
  const double *x = a, *y = b;
  return (*x > *y) - (*x < *y);
}

int main(int argc, char **argv) {
  const char *ptx = NULL, *input = NULL, *file = NULL;
  int runs = 11;
  static double us[MAX_RUNS];
  static struct gpu_run g;
  for (int i = 1; i < argc; i++)
    if (strcmp(argv[i], "--ptx") == 0 && i + 1 < argc)
      ptx = argv[++i];
    else if (strcmp(argv[i], "--input") == 0 && i + 1 < argc)
      input = argv[++i];
    else if (strcmp(argv[i], "--runs") == 0 && i + 1 < argc)
      runs = atoi(argv[++i]);
    else
      file = argv[i];
  if (file == NULL || runs < 1 || runs > MAX_RUNS) {
    fprintf(stderr, "launch_gpu [--ptx FILE] [--input NAME] [--runs N] LAUNCHFILE\n");
    return 2;
  }
  open_run(&g, file, input, ptx);
  for (int i = 0; i < runs; i++) {
    run_once(&g);
    us[i] = g.us;
  }
  qsort(us, (size_t)runs, sizeof *us, by_value);
  uint64_t sum = 0;
  for (uint32_t i = 0; i < g.lf->n_buffers; i++) {
    must(cuMemcpyDtoH(g.host[i], g.dev[i], g.lf->buffers[i].bytes), "cuMemcpyDtoH");
    sum = XXH64(g.host[i], g.lf->buffers[i].bytes, sum);
  }
  uint32_t bad = 0;
  for (uint32_t i = 0; i < g.lf->n_expects; i++) {
    struct weir_err err = {0};
    if (weir_expect_check(g.lf, i, g.host[g.lf->expects[i].buffer], &err) == WEIR_OK) continue;
    fprintf(stderr, "%s: %s\n", g.lf->name, err.msg);
    bad++;
  }
  printf(
      "%-14s %-8s %-24s %4u launches  %10.2f us (%.2f to %.2f, %d runs)  buffers %016llx  %u of %u "
      "results as expected\n",
      g.lf->name, g.lf->input, ptx != NULL ? ptx : "untagged", g.n_launches, us[runs / 2], us[0],
      us[runs - 1], runs, (unsigned long long)sum, g.lf->n_expects - bad, g.lf->n_expects);
  return bad > 0;
}
