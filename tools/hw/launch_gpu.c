/* Does on a GPU what launch files say, checks what came out, and times it.
 *
 *   launch_gpu [OPTIONS] LAUNCHFILE ...
 *     --input A,B,...   of each file those of these inputs that it has (default: its first); a file
 *                       without inputs is run whatever is asked for
 *     --build NAME      of files with several builds this one (default: all; INPUT@BUILD as well)
 *     --runs N          runs of each, the table has the median (default: 11)
 *     --ptx FILE        kernels from there, such as with cache operators written into the loads
 *     --cubins DIR      kernels from machine code: DIR/MODULE.cubin for a module MODULE of a file
 *     --carveout N      percent of the L1's memory to be shared memory: 0, the largest L1, to 100
 *     --pitched         2D textures lie in rows, as weir has them, instead of in arrays, whose
 * order is the GPU's (rows must be multiples of 32 bytes)
 *     --against DIR     every other run with modules from DIR/MODULE where there is such a file,
 * and with what DIR/carveouts says (lines KERNEL PERCENT): a row for each side, N runs of each. DIR
 * is that of all files, or has a folder for each, NAME
 *     --each FILE       a row for each run
 *     --launches FILE   a row for each launch
 *     --together        all files in one process, buffers made by all CPUs; ends at a failure
 *     --profile N       --together, with the profiler on for the first N launches of each run
 *     --modules         only tells which modules are used: file, workload, input, module, and
 *                       "linked" or "single"
 *
 * Files are read, buffers made and results checked by weir's own code; only memory, textures and
 * launches are CUDA's. Unless they are run together, a file is run in a process of its own: what
 * breaks a GPU's context breaks no other file.
 *
 * One row per input, with tabs: workload, input, kernels from, launches, microseconds of all
 * launches together (median, least and most of N runs, each from the initial contents, with nothing
 * of them in the L2), a checksum of all buffers at the end, and "ok", or what is wrong. The exit
 * code is 1 if anything is. tools/hw/launch_gpu.sh builds and runs it. */
#include <cuda.h>
#include <cudaProfiler.h>
#include <errno.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <xxhash.h>

#include "exec/tex.h"
#include "launch/launchfile.h"
#include "ptx/ir.h"

enum { MAX_RUNS = 1001, FLUSH_BYTES = 256 << 20, PARAM_BYTES = 4096, LOG_BYTES = 4096 };

struct options {
  const char *inputs, *build, *ptx, *cubins, *against;
  FILE *launches, *each;
  int runs, carveout, profiled; /* -1: as the driver chooses; 0: no profiler */
  bool together, modules, pitched;
};

/* An input of a file, read and its buffers made, perhaps by another thread. */
struct job {
  const char *file;
  char input[WEIR_INPUT_NAME];
  struct weir_launchfile *lf;
  uint8_t **init;
  enum weir_status st;
  struct weir_err err;
  bool is_ready;
};

struct run {
  const struct options *o;
  struct weir_launchfile *lf;
  /* The file's own modules, and those that are run in turn with them. */
  struct side {
    char folder[4096];
    struct ptx_module *text[WEIR_LF_MODULES]; /* for the parameters of kernels */
    CUmodule module[WEIR_LF_MODULES];         /* one, if they are linked */
    char *carveouts;                          /* the file; NULL: none */
  } sides[2];
  struct side *side; /* whose turn it is */
  CUdeviceptr *dev;
  uint8_t **host;
  uint64_t *addresses; /* of buffers, then handles of textures */
  CUarray *arrays;     /* of textures; NULL: the buffer itself */
  CUdeviceptr flush;
  CUmodule flusher;
  CUevent begin, end;
  uint32_t n_launches;
  int number; /* of the run */
  double us;
};

/* ---- errors: this process ends, and its parent tells ---- */

static const char *current = "";

static void fail(const char *what, const char *why) {
  printf("%s\tFAILED: %s: %s\n", current, what, why);
  exit(1);
}

static void must(CUresult r, const char *what) {
  const char *s = NULL;
  if (r == CUDA_SUCCESS) return;
  cuGetErrorName(r, &s);
  fail(what, s != NULL ? s : "unknown error of CUDA");
}

static void check(enum weir_status st, struct weir_err *err) {
  if (st == WEIR_OK) return;
  char *line = strchr(err->msg, '\n');
  if (line != NULL) *line = 0;
  fail("weir", err->msg);
}

static void *alloc(size_t n, size_t size) {
  void *p = calloc(n + 1, size);
  if (p == NULL) fail("calloc", "out of memory");
  return p;
}

/* ---- modules ---- */

static char *read_all(const char *path) {
  FILE *f = fopen(path, "rb");
  if (f == NULL || fseek(f, 0, SEEK_END) != 0) fail(path, strerror(errno));
  long n = ftell(f);
  rewind(f);
  char *text = alloc((size_t)n, 1);
  if (fread(text, 1, (size_t)n, f) != (size_t)n) fail(path, "cannot be read");
  fclose(f);
  return text;
}

static void load_module(struct run *g, const char *path, const char *text, CUmodule *out) {
  if (g->o->cubins != NULL) {
    const char *slash = strrchr(path, '/');
    char cubin[12288];
    snprintf(cubin, sizeof cubin, "%s/%s.cubin", g->o->cubins, slash != NULL ? slash + 1 : path);
    must(cuModuleLoad(out, cubin), cubin);
  } else {
    must(cuModuleLoadData(out, text), path);
  }
}

/* The file that a module is read from. */
static const char *path_of(const struct run *g, uint32_t m, char *room, size_t n) {
  const char *path = g->lf->modules[m], *slash = strrchr(path, '/');
  if (g->o->ptx != NULL) return g->o->ptx;
  if (g->side->folder[0] == 0) return path;
  snprintf(room, n, "%s/%s", g->side->folder, slash != NULL ? slash + 1 : path);
  return access(room, R_OK) == 0 ? room : path;
}

static void load_side(struct run *g) {
  char room[8192];
  struct ptx_diags diags = {0};
  char log[LOG_BYTES] = "";
  CUlinkState link = NULL;
  CUjit_option options[] = {CU_JIT_ERROR_LOG_BUFFER, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES};
  void *values[] = {log, (void *)(uintptr_t)sizeof log};
  const char *ptx = g->o->ptx;
  if (ptx != NULL && g->lf->n_modules != 1) fail(ptx, "the launch file has several modules");
  if (g->lf->link && g->o->cubins != NULL) fail(g->o->cubins, "the modules are to be linked");
  if (g->lf->link) must(cuLinkCreate(2, options, values, &link), "cuLinkCreate");
  for (uint32_t m = 0; m < g->lf->n_modules; m++) {
    const char *path = path_of(g, m, room, sizeof room);
    char *text = read_all(path);
    if (ptx_parse(text, strlen(text), path, &g->side->text[m], &diags) != WEIR_OK)
      fail(path, "cannot be parsed");
    if (link != NULL)
      must(cuLinkAddData(link, CU_JIT_INPUT_PTX, text, strlen(text) + 1, path, 0, NULL, NULL), log);
    else
      load_module(g, path, text, &g->side->module[m]);
    free(text);
  }
  if (link == NULL) return;
  void *image;
  size_t bytes;
  must(cuLinkComplete(link, &image, &bytes), log);
  must(cuModuleLoadData(&g->side->module[0], image), "the linked modules");
  must(cuLinkDestroy(link), "cuLinkDestroy");
}

/* DIR/NAME, or DIR itself. */
static void find_other_side(struct run *g) {
  struct side *s = &g->sides[1];
  char path[8192];
  snprintf(s->folder, sizeof s->folder, "%s/%s", g->o->against, g->lf->name);
  if (access(s->folder, R_OK) != 0) snprintf(s->folder, sizeof s->folder, "%s", g->o->against);
  snprintf(path, sizeof path, "%s/carveouts", s->folder);
  if (access(path, R_OK) == 0) s->carveouts = read_all(path);
}

static int n_sides(const struct run *g) {
  return g->o->against != NULL ? 2 : 1;
}

static void load_modules(struct run *g) {
  for (int i = 0; i < n_sides(g); i++) {
    g->side = &g->sides[i];
    load_side(g);
  }
  g->side = g->sides;
}

/* What a kernel prefers; -1: nothing. */
static int carveout_of(const struct run *g, const char *kernel) {
  size_t n = strlen(kernel);
  for (const char *p = g->side->carveouts; p != NULL && *p != 0;) {
    if (strncmp(p, kernel, n) == 0 && p[n] == ' ') return atoi(p + n);
    p += strcspn(p, "\n");
    p += *p == '\n';
  }
  return g->o->carveout;
}

static const struct ptx_func *find_kernel(struct run *g, const char *name, CUfunction *out) {
  for (uint32_t m = 0; m < g->lf->n_modules; m++) {
    const struct ptx_func *f = ptx_find_func(g->side->text[m], name);
    if (f == NULL || !f->is_entry) continue;
    must(cuModuleGetFunction(out, g->side->module[g->lf->link ? 0 : m], name), name);
    return f;
  }
  fail(name, "no module has this kernel");
  return NULL;
}

/* ---- textures and surfaces ---- */

static CUarray_format format_of(struct ptx_texel x) {
  bool is_signed = x.kind == PTX_CHANNEL_SIGNED;
  if (x.kind == PTX_CHANNEL_FLOAT) return x.bits == 16 ? CU_AD_FORMAT_HALF : CU_AD_FORMAT_FLOAT;
  if (x.bits == 8) return is_signed ? CU_AD_FORMAT_SIGNED_INT8 : CU_AD_FORMAT_UNSIGNED_INT8;
  if (x.bits == 16) return is_signed ? CU_AD_FORMAT_SIGNED_INT16 : CU_AD_FORMAT_UNSIGNED_INT16;
  return is_signed ? CU_AD_FORMAT_SIGNED_INT32 : CU_AD_FORMAT_UNSIGNED_INT32;
}

static void make_array(struct run *g, uint32_t i) {
  const struct weir_lf_texture *x = &g->lf->textures[i];
  const struct ptx_texels *t = &x->desc.texels;
  unsigned flags = (t->is_layered ? CUDA_ARRAY3D_LAYERED : 0) |
                   (t->dim == PTX_TEX_CUBE ? CUDA_ARRAY3D_CUBEMAP : 0) |
                   (x->is_surface ? CUDA_ARRAY3D_SURFACE_LDST : 0);
  if (t->dim == PTX_TEX_2D && !t->is_layered && !x->is_surface)
    flags |= CUDA_ARRAY3D_TEXTURE_GATHER;
  bool has_depth = t->dim == PTX_TEX_3D || t->is_layered || t->dim == PTX_TEX_CUBE;
  CUDA_ARRAY3D_DESCRIPTOR d = {.Width = t->width,
                               .Height = t->dim == PTX_TEX_1D ? 0 : t->height,
                               .Depth = has_depth ? ptx_texels_slices(t) : 0,
                               .Format = format_of(t->texel),
                               .NumChannels = t->texel.channels,
                               .Flags = flags};
  must(cuArray3DCreate(&g->arrays[i], &d), x->name);
}

static void make_texture(struct run *g, uint32_t i) {
  const struct weir_lf_texture *x = &g->lf->textures[i];
  const struct ptx_tex_desc *d = &x->desc;
  const struct ptx_texels *t = &d->texels;
  CUDA_RESOURCE_DESC from = {.resType = CU_RESOURCE_TYPE_LINEAR};
  CUDA_TEXTURE_DESC tex = {.filterMode = (CUfilter_mode)d->filter};
  unsigned long long object;
  if (t->is_buffer) {
    from.res.linear.devPtr = g->dev[x->buffer];
    from.res.linear.format = format_of(t->texel);
    from.res.linear.numChannels = t->texel.channels;
    from.res.linear.sizeInBytes = (size_t)t->width * ptx_texel_bytes(t->texel);
  } else if (g->o->pitched && t->dim == PTX_TEX_2D && !t->is_layered && !x->is_surface) {
    from.resType = CU_RESOURCE_TYPE_PITCH2D;
    from.res.pitch2D.devPtr = g->dev[x->buffer];
    from.res.pitch2D.format = format_of(t->texel);
    from.res.pitch2D.numChannels = t->texel.channels;
    from.res.pitch2D.width = t->width;
    from.res.pitch2D.height = t->height;
    from.res.pitch2D.pitchInBytes = (size_t)t->width * ptx_texel_bytes(t->texel);
  } else {
    make_array(g, i);
    from.resType = CU_RESOURCE_TYPE_ARRAY;
    from.res.array.hArray = g->arrays[i];
  }
  for (unsigned k = 0; k < 3; k++)
    tex.addressMode[k] = (CUaddress_mode)d->address[k];
  if (d->read == PTX_TEX_ELEMENT) tex.flags |= CU_TRSF_READ_AS_INTEGER;
  if (d->is_normalised) tex.flags |= CU_TRSF_NORMALIZED_COORDINATES;
  memcpy(tex.borderColor, d->border, sizeof tex.borderColor);
  if (x->is_surface)
    must(cuSurfObjectCreate(&object, &from), x->name);
  else
    must(cuTexObjectCreate(&object, &from, &tex, NULL), x->name);
  g->addresses[g->lf->n_buffers + i] = object;
}

/* Between an array and its buffer's copy on the host. */
static void copy_array(struct run *g, uint32_t i, bool to_gpu) {
  const struct weir_lf_texture *x = &g->lf->textures[i];
  const struct ptx_texels *t = &x->desc.texels;
  size_t row = (size_t)t->width * ptx_texel_bytes(t->texel), height = t->height ? t->height : 1;
  CUDA_MEMCPY3D c = {.WidthInBytes = row, .Height = height, .Depth = (size_t)ptx_texels_slices(t)};
  if (g->arrays[i] == NULL) return;
  if (to_gpu) {
    c.srcMemoryType = CU_MEMORYTYPE_HOST;
    c.srcHost = g->host[x->buffer];
    c.srcPitch = row;
    c.srcHeight = height;
    c.dstMemoryType = CU_MEMORYTYPE_ARRAY;
    c.dstArray = g->arrays[i];
  } else {
    c.srcMemoryType = CU_MEMORYTYPE_ARRAY;
    c.srcArray = g->arrays[i];
    c.dstMemoryType = CU_MEMORYTYPE_HOST;
    c.dstHost = g->host[x->buffer];
    c.dstPitch = row;
    c.dstHeight = height;
  }
  must(cuMemcpy3D(&c), x->name);
}

/* ---- an empty L2 ---- */

/* Reads n 16-byte words, so that the L2 has nothing else and nothing that it must write back. */
static const char flusher[] =
    ".version 7.0\n.target sm_52\n.address_size 64\n"
    ".visible .entry weir_flush(.param .u64 from, .param .u32 n)\n{\n"
    "  .reg .pred %p; .reg .b32 %i, %n, %k, %b, %d, %x<4>; .reg .b64 %f, %a;\n"
    "  ld.param.u64 %f, [from]; cvta.to.global.u64 %f, %f; ld.param.u32 %n, [n];\n"
    "  mov.u32 %b, %ntid.x; mov.u32 %i, %ctaid.x; mov.u32 %d, %tid.x;\n"
    "  mad.lo.u32 %i, %i, %b, %d; mov.u32 %k, %nctaid.x; mul.lo.u32 %b, %b, %k;\n"
    "again:\n"
    "  setp.ge.u32 %p, %i, %n;\n  @%p ret;\n"
    "  mad.wide.u32 %a, %i, 16, %f;\n"
    "  ld.volatile.global.v4.u32 {%x0, %x1, %x2, %x3}, [%a];\n"
    "  add.u32 %i, %i, %b;\n  bra again;\n}\n";

static void open_flusher(struct run *g) {
  must(cuMemAlloc(&g->flush, FLUSH_BYTES), "cuMemAlloc");
  must(cuMemsetD8(g->flush, 0, FLUSH_BYTES), "cuMemsetD8");
  must(cuModuleLoadData(&g->flusher, flusher), "the kernel that empties the L2");
}

static void flush_l2(struct run *g) {
  CUfunction f;
  unsigned n = FLUSH_BYTES / 16;
  void *args[] = {&g->flush, &n};
  must(cuModuleGetFunction(&f, g->flusher, "weir_flush"), "weir_flush");
  must(cuLaunchKernel(f, 1024, 1, 1, 256, 1, 1, 0, NULL, args, NULL), "weir_flush");
  must(cuCtxSynchronize(), "cuCtxSynchronize");
}

/* ---- a run ---- */

static void open_run(struct run *g) {
  if (g->o->against != NULL) find_other_side(g);
  load_modules(g);
  uint32_t n = g->lf->n_buffers, n_textures = g->lf->n_textures;
  g->dev = alloc(n, sizeof *g->dev);
  g->host = alloc(n, sizeof *g->host);
  g->addresses = alloc(n + n_textures, sizeof *g->addresses);
  g->arrays = alloc(n_textures, sizeof(CUarray));
  for (uint32_t i = 0; i < n; i++) {
    const struct weir_lf_buffer *b = &g->lf->buffers[i];
    must(cuMemAlloc(&g->dev[i], b->bytes), b->name);
    g->addresses[i] = g->dev[i];
    g->host[i] = alloc(b->bytes, 1);
  }
  for (uint32_t i = 0; i < n_textures; i++)
    make_texture(g, i);
  open_flusher(g);
  must(cuEventCreate(&g->begin, CU_EVENT_DEFAULT), "cuEventCreate");
  must(cuEventCreate(&g->end, CU_EVENT_DEFAULT), "cuEventCreate");
}

static void unload_modules(struct run *g) {
  for (struct side *s = g->sides; s < g->sides + n_sides(g); s++)
    for (uint32_t m = 0; m < g->lf->n_modules; m++) {
      if (s->module[m] != NULL) must(cuModuleUnload(s->module[m]), "cuModuleUnload");
      ptx_module_free(s->text[m]);
      s->module[m] = NULL;
      s->text[m] = NULL;
    }
}

static void close_run(struct run *g) {
  for (uint32_t i = 0; i < g->lf->n_textures; i++) {
    uint64_t object = g->addresses[g->lf->n_buffers + i];
    g->lf->textures[i].is_surface ? cuSurfObjectDestroy(object) : cuTexObjectDestroy(object);
    if (g->arrays[i] != NULL) cuArrayDestroy(g->arrays[i]);
  }
  for (uint32_t i = 0; i < g->lf->n_buffers; i++) {
    cuMemFree(g->dev[i]);
    free(g->host[i]);
  }
  unload_modules(g);
  free(g->sides[1].carveouts);
  cuMemFree(g->flush);
  cuModuleUnload(g->flusher);
  cuEventDestroy(g->begin);
  cuEventDestroy(g->end);
  free(g->dev);
  free(g->host);
  free(g->addresses);
  free(g->arrays);
}

static void print_launch(struct run *g, const char *kernel, const struct weir_launch_shape *s,
                         double us) {
  if (g->o->launches == NULL) return;
  fprintf(g->o->launches, "%s\t%s\t%d\t%u\t%s\t%u,%u,%u\t%u,%u,%u\t%u\t%.2f\t%d\n", g->lf->name,
          g->lf->input, g->number, g->n_launches, kernel, s->grid[0], s->grid[1], s->grid[2],
          s->block[0], s->block[1], s->block[2], s->dyn_shared_bytes, us,
          g->n_launches < (uint32_t)g->o->profiled);
}

static void launch_kernel(struct run *g, CUfunction f, const struct weir_lf_launch *l,
                          const struct weir_launch_shape *s, void *block, size_t bytes) {
  void *extra[] = {CU_LAUNCH_PARAM_BUFFER_POINTER, block, CU_LAUNCH_PARAM_BUFFER_SIZE, &bytes,
                   CU_LAUNCH_PARAM_END};
  CUlaunchAttribute together = {.id = CU_LAUNCH_ATTRIBUTE_COOPERATIVE, .value.cooperative = 1};
  CUlaunchConfig config = {.gridDimX = s->grid[0],
                           .gridDimY = s->grid[1],
                           .gridDimZ = s->grid[2],
                           .blockDimX = s->block[0],
                           .blockDimY = s->block[1],
                           .blockDimZ = s->block[2],
                           .sharedMemBytes = s->dyn_shared_bytes,
                           .attrs = &together,
                           .numAttrs = l->cooperative};
  float ms;
  must(cuEventRecord(g->begin, NULL), "cuEventRecord");
  must(cuLaunchKernelEx(&config, f, NULL, extra), l->kernel);
  must(cuEventRecord(g->end, NULL), "cuEventRecord");
  must(cuEventSynchronize(g->end), l->kernel);
  must(cuEventElapsedTime(&ms, g->begin, g->end), "cuEventElapsedTime");
  g->us += 1e3 * (double)ms;
  print_launch(g, l->kernel, s, 1e3 * (double)ms);
  if (++g->n_launches == (uint32_t)g->o->profiled) must(cuProfilerStop(), "cuProfilerStop");
}

static void launch_once(struct run *g, uint32_t i, uint32_t k) {
  static struct weir_lf_param params[WEIR_LF_ARGS];
  const struct weir_lf_launch *l = &g->lf->launches[i];
  struct weir_launch_shape shape;
  struct weir_err err = {0};
  char block[PARAM_BYTES];
  CUfunction function = NULL;
  const struct ptx_func *f = find_kernel(g, l->kernel, &function);
  if (f->param_bytes > sizeof block) fail(l->kernel, "too many bytes of parameters");
  for (uint32_t p = 0; p < f->n_params; p++)
    params[p] = (struct weir_lf_param){.name = f->params[p].name,
                                       .type = f->params[p].type,
                                       .bytes = f->params[p].bytes,
                                       .offset = f->params[p].offset,
                                       .is_array = f->params[p].n_dims > 0};
  check(weir_launch_shape(g->lf, i, k, &shape, &err), &err);
  check(
      weir_launch_args(g->lf, i, k, g->addresses, params, f->n_params, block, f->param_bytes, &err),
      &err);
  if (shape.dyn_shared_bytes > 48 << 10)
    must(cuFuncSetAttribute(function, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES,
                            (int)shape.dyn_shared_bytes),
         l->kernel);
  int carveout = carveout_of(g, l->kernel);
  if (carveout >= 0)
    must(cuFuncSetAttribute(function, CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT, carveout),
         l->kernel);
  launch_kernel(g, function, l, &shape, block, f->param_bytes);
}

static void set_and_launch(struct run *g, uint32_t i, uint32_t k) {
  const struct weir_lf_launch *l = &g->lf->launches[i];
  struct weir_err err = {0};
  for (uint32_t s = 0; s < l->n_sets; s++) {
    uint32_t b = l->sets[s].buffer;
    check(weir_launch_set(g->lf, i, s, k, g->host[b], &err), &err);
    must(cuMemcpyHtoD(g->dev[b], g->host[b], g->lf->buffers[b].bytes), "cuMemcpyHtoD");
  }
  launch_once(g, i, k);
}

static void launch(struct run *g, uint32_t i) {
  const struct weir_lf_launch *l = &g->lf->launches[i];
  struct weir_err err = {0};
  bool holds = false;
  for (uint32_t k = 0; k < l->repeat && !holds; k++) {
    for (uint32_t j = i; j < i + l->together; j++)
      set_and_launch(g, j, k);
    if (!l->has_until) continue;
    const struct weir_lf_buffer *b = &g->lf->buffers[l->until_buffer];
    uint8_t element[16];
    uint64_t offset;
    check(weir_until_offset(g->lf, i, k, &offset, &err), &err);
    must(cuMemcpyDtoH(element, g->dev[l->until_buffer] + offset, b->element_bytes), "cuMemcpyDtoH");
    check(weir_until_holds(g->lf, i, k, element, &holds, &err), &err);
  }
  if (l->has_until && !holds) fail(l->kernel, "the condition of 'until' never holds");
}

/* What a kernel writes to variables of its module is there in the next run. */
static bool has_variables(const struct run *g) {
  for (uint32_t m = 0; m < g->lf->n_modules; m++)
    for (uint32_t v = 0; v < g->sides[0].text[m]->n_vars; v++)
      if (g->sides[0].text[m]->vars[v]->space == PTX_SPACE_global) return true;
  return false;
}

/* The bytes of `init` are made once: they are the same in every run. */
static void run_once(struct run *g, uint8_t *const *init) {
  for (uint32_t i = 0; i < g->lf->n_buffers; i++)
    must(cuMemcpyHtoD(g->dev[i], init[i], g->lf->buffers[i].bytes), "cuMemcpyHtoD");
  for (uint32_t i = 0; i < g->lf->n_textures; i++) {
    uint32_t b = g->lf->textures[i].buffer;
    memcpy(g->host[b], init[b], g->lf->buffers[b].bytes);
    copy_array(g, i, true);
  }
  flush_l2(g);
  g->us = 0;
  g->n_launches = 0;
  if (g->o->profiled > 0) must(cuProfilerStart(), "cuProfilerStart");
  for (uint32_t i = 0; i < g->lf->n_launches; i += g->lf->launches[i].together)
    launch(g, i);
  if (g->n_launches < (uint32_t)g->o->profiled) must(cuProfilerStop(), "cuProfilerStop");
  g->number++;
}

static void read_back(struct run *g) {
  for (uint32_t i = 0; i < g->lf->n_buffers; i++)
    must(cuMemcpyDtoH(g->host[i], g->dev[i], g->lf->buffers[i].bytes), "cuMemcpyDtoH");
  for (uint32_t i = 0; i < g->lf->n_textures; i++)
    if (g->lf->textures[i].is_surface) copy_array(g, i, false);
}

static int by_value(const void *a, const void *b) {
  const double *x = a, *y = b;
  return (*x > *y) - (*x < *y);
}

/* Prints the row; the number of results that are not as expected. */
static uint32_t judge(struct run *g, double *us, int runs) {
  uint64_t sum = 0;
  uint32_t bad = 0;
  struct weir_err err = {0};
  read_back(g);
  qsort(us, (size_t)runs, sizeof *us, by_value);
  for (uint32_t i = 0; i < g->lf->n_buffers; i++)
    sum = XXH64(g->host[i], g->lf->buffers[i].bytes, sum);
  for (uint32_t i = 0; i < g->lf->n_expects; i++)
    bad += weir_expect_check(g->lf, i, g->host[g->lf->expects[i].buffer], &err) != WEIR_OK;
  printf("%s\t%s\t%s\t%u\t%.2f\t%.2f\t%.2f\t%016llx\t", g->lf->name, g->lf->input,
         g->side->folder[0] != 0 ? g->side->folder
         : g->o->ptx != NULL     ? g->o->ptx
         : g->o->cubins != NULL  ? g->o->cubins
                                 : "its file",
         g->n_launches, us[runs / 2], us[0], us[runs - 1], (unsigned long long)sum);
  if (g->lf->n_expects == 0)
    puts("nothing is expected");
  else if (bad == 0)
    puts("ok");
  else
    printf("WRONG: %u of %u; %.*s\n", bad, g->lf->n_expects, (int)strcspn(err.msg, "\n"), err.msg);
  return bad;
}

static void print_run(const struct run *g, int side, int i) {
  if (g->o->each != NULL)
    fprintf(g->o->each, "%s\t%s\t%d\t%d\t%.2f\n", g->lf->name, g->lf->input, side, i, g->us);
}

/* The sides in turn, so that what changes with time changes both. */
static uint32_t run_sides(struct run *g, const struct job *job) {
  static double us[2][MAX_RUNS];
  uint32_t bad = 0;
  for (int i = 0; i < g->o->runs; i++)
    for (int side = 0; side < n_sides(g); side++) {
      if (i + side > 0 && has_variables(g)) {
        unload_modules(g);
        load_modules(g);
      }
      g->side = &g->sides[side];
      run_once(g, job->init);
      us[side][i] = g->us;
      print_run(g, side, i);
      if (i + 1 == g->o->runs) bad += judge(g, us[side], g->o->runs);
    }
  return bad;
}

static uint32_t run_job(const struct job *job, const struct options *o) {
  static struct run g; /* large */
  struct weir_err err = job->err;
  g = (struct run){.o = o, .lf = job->lf};
  current = job->file;
  check(job->st, &err);
  open_run(&g);
  uint32_t bad = run_sides(&g, job);
  close_run(&g);
  if (o->launches != NULL) fflush(o->launches);
  if (o->each != NULL) fflush(o->each);
  fflush(stdout);
  return bad;
}

/* ---- files, and what they need before they are run ---- */

struct jobs {
  struct job *list;
  int n, next; /* to be prepared */
  pthread_mutex_t lock;
  pthread_cond_t ready;
};

static void add_job(struct jobs *jobs, const char *file, const char *input) {
  if ((jobs->n & (jobs->n - 1)) == 0) {
    size_t room = jobs->n == 0 ? 1 : 2 * (size_t)jobs->n;
    jobs->list = realloc(jobs->list, room * sizeof *jobs->list);
    if (jobs->list == NULL) fail("realloc", "out of memory");
  }
  struct job *job = &jobs->list[jobs->n++];
  *job = (struct job){.file = file};
  snprintf(job->input, sizeof job->input, "%s", input);
}

/* One input, with each of the file's builds unless one is chosen. */
static void add_builds(struct jobs *jobs, const struct weir_launchfile *lf, const char *file,
                       const char *input, const char *build) {
  char name[WEIR_INPUT_NAME + WEIR_INPUT_NAME];
  if (lf->n_builds == 0 || strchr(input, '@') != NULL) {
    add_job(jobs, file, input);
    return;
  }
  for (uint32_t b = 0; b < lf->n_builds; b++) {
    if (build != NULL && strcmp(build, lf->builds[b]) != 0) continue;
    snprintf(name, sizeof name, "%s@%s", input, lf->builds[b]);
    add_job(jobs, file, name);
  }
}

static bool has_input(const struct weir_launchfile *lf, const char *input) {
  size_t n = strcspn(input, "@");
  for (uint32_t i = 0; i < lf->n_inputs; i++)
    if (strlen(lf->inputs[i]) == n && strncmp(lf->inputs[i], input, n) == 0) return true;
  return false;
}

static void add_file(struct jobs *jobs, const char *file, const struct options *o) {
  struct weir_err err = {0};
  struct weir_launchfile *lf;
  current = file;
  check(weir_launchfile_load(file, NULL, &lf, &err), &err);
  if (o->inputs == NULL || lf->n_inputs == 0) add_builds(jobs, lf, file, lf->input_key, o->build);
  for (const char *p = o->inputs; p != NULL && *p != 0; p += strcspn(p, ","), p += *p == ',') {
    char name[WEIR_INPUT_NAME];
    snprintf(name, sizeof name, "%.*s", (int)strcspn(p, ","), p);
    if (has_input(lf, name)) add_builds(jobs, lf, file, name, o->build);
  }
  weir_launchfile_free(lf);
}

/* What is wrong is kept for the job's turn. */
static void prepare(struct job *job) {
  job->st =
      weir_launchfile_load(job->file, job->input[0] != 0 ? job->input : NULL, &job->lf, &job->err);
  if (job->st != WEIR_OK) return;
  job->init = calloc(job->lf->n_buffers + 1, sizeof *job->init);
  for (uint32_t i = 0; i < job->lf->n_buffers && job->st == WEIR_OK; i++) {
    if (job->init != NULL) job->init[i] = calloc(job->lf->buffers[i].bytes + 1, 1);
    if (job->init == NULL || job->init[i] == NULL) {
      snprintf(job->err.msg, sizeof job->err.msg, "out of memory");
      job->st = WEIR_ENOMEM;
      return;
    }
    job->st = weir_buffer_generate(job->lf, i, job->init[i], &job->err);
  }
}

static void release(struct job *job) {
  for (uint32_t i = 0; job->init != NULL && i < job->lf->n_buffers; i++)
    free(job->init[i]);
  free(job->init);
  weir_launchfile_free(job->lf);
}

static void *prepare_all(void *arg) {
  struct jobs *jobs = arg;
  pthread_mutex_lock(&jobs->lock);
  while (jobs->next < jobs->n) {
    struct job *job = &jobs->list[jobs->next++];
    pthread_mutex_unlock(&jobs->lock);
    prepare(job);
    pthread_mutex_lock(&jobs->lock);
    job->is_ready = true;
    pthread_cond_broadcast(&jobs->ready);
  }
  pthread_mutex_unlock(&jobs->lock);
  return NULL;
}

static int run_jobs(struct jobs *jobs, const struct options *o) {
  enum { MAX_THREADS = 64 };
  pthread_t threads[MAX_THREADS];
  long cpus = sysconf(_SC_NPROCESSORS_ONLN), n_threads = cpus < MAX_THREADS ? cpus : MAX_THREADS;
  uint32_t bad = 0;
  if (n_threads > jobs->n) n_threads = jobs->n;
  for (long t = 0; t < n_threads; t++)
    if (pthread_create(&threads[t], NULL, prepare_all, jobs) != 0) fail("pthread_create", "fails");
  for (int i = 0; i < jobs->n; i++) {
    pthread_mutex_lock(&jobs->lock);
    while (!jobs->list[i].is_ready)
      pthread_cond_wait(&jobs->ready, &jobs->lock);
    pthread_mutex_unlock(&jobs->lock);
    bad += run_job(&jobs->list[i], o);
    release(&jobs->list[i]);
  }
  for (long t = 0; t < n_threads; t++)
    pthread_join(threads[t], NULL);
  return bad > 0;
}

static void print_modules(const struct jobs *jobs) {
  for (int i = 0; i < jobs->n; i++) {
    struct weir_err err = {0};
    struct weir_launchfile *lf;
    const struct job *job = &jobs->list[i];
    current = job->file;
    check(weir_launchfile_load(job->file, job->input[0] != 0 ? job->input : NULL, &lf, &err), &err);
    for (uint32_t m = 0; m < lf->n_modules; m++)
      printf("%s\t%s\t%s\t%s\t%s\n", job->file, lf->name, lf->input, lf->modules[m],
             lf->link ? "linked" : "single");
    weir_launchfile_free(lf);
  }
}

/* In a process of its own, or all of them in this one. */
static int run_files(char *const *files, int n, const struct options *o) {
  struct jobs jobs = {.lock = PTHREAD_MUTEX_INITIALIZER, .ready = PTHREAD_COND_INITIALIZER};
  CUdevice device;
  CUcontext context;
  int failed = 0;
  for (int i = 0; i < n; i++)
    add_file(&jobs, files[i], o);
  if (o->modules) {
    print_modules(&jobs);
  } else if (jobs.n > 0) {
    must(cuInit(0), "cuInit");
    must(cuDeviceGet(&device, 0), "cuDeviceGet");
    must(cuDevicePrimaryCtxRetain(&context, device), "cuDevicePrimaryCtxRetain");
    must(cuCtxSetCurrent(context), "cuCtxSetCurrent");
    failed = run_jobs(&jobs, o);
  }
  free(jobs.list);
  return failed;
}

static int run_apart(char *const *file, const struct options *o) {
  int status = 1;
  fflush(stdout);
  pid_t child = fork();
  if (child == 0) {
    int code = run_files(file, 1, o);
    fflush(stdout);
    _exit(code);
  }
  if (child < 0 || waitpid(child, &status, 0) < 0) return 1;
  if (WIFSIGNALED(status)) printf("%s\tFAILED: signal %d\n", *file, WTERMSIG(status));
  return status != 0;
}

static FILE *open_table(const char *path, const char *head) {
  FILE *f = fopen(path, "w");
  if (f == NULL) fail(path, strerror(errno));
  fputs(head, f);
  fflush(f);
  return f;
}

/* Where the option at argv[i] ends, with its value; 0 if it is none. */
static int read_option(char **argv, int i, struct options *o) {
  const char *name = argv[i], *value = argv[i + 1];
  bool is_flag = true;
  if (strcmp(name, "--together") == 0)
    o->together = true;
  else if (strcmp(name, "--modules") == 0)
    o->modules = true;
  else if (strcmp(name, "--pitched") == 0)
    o->pitched = true;
  else
    is_flag = false;
  if (is_flag) return i;
  if (strncmp(name, "--", 2) != 0 || value == NULL) return 0;
  if (strcmp(name, "--ptx") == 0)
    o->ptx = value;
  else if (strcmp(name, "--input") == 0)
    o->inputs = value;
  else if (strcmp(name, "--build") == 0)
    o->build = value;
  else if (strcmp(name, "--cubins") == 0)
    o->cubins = value;
  else if (strcmp(name, "--runs") == 0)
    o->runs = atoi(value);
  else if (strcmp(name, "--carveout") == 0)
    o->carveout = atoi(value);
  else if (strcmp(name, "--profile") == 0)
    o->profiled = atoi(value);
  else if (strcmp(name, "--launches") == 0)
    o->launches = open_table(
        value, "workload\tinput\trun\tlaunch\tkernel\tgrid\tblock\tdyn_shared\tus\tprofiled\n");
  else if (strcmp(name, "--against") == 0)
    o->against = value;
  else if (strcmp(name, "--each") == 0)
    o->each = open_table(value, "workload\tinput\tside\trun\tus\n");
  else
    return 0;
  return i + 1;
}

int main(int argc, char **argv) {
  struct options o = {.runs = 11, .carveout = -1};
  int failed = 0, n = 0;
  bool wrong = false;
  for (int i = 1; i < argc; i++) {
    int last = read_option(argv, i, &o);
    if (last > 0) {
      i = last;
      continue;
    }
    wrong |= argv[i][0] == '-';
    argv[n++] = argv[i];
  }
  if (wrong || n == 0 || o.runs < 1 || o.runs > MAX_RUNS || o.carveout > 100 || o.profiled < 0) {
    fprintf(
        stderr,
        "launch_gpu [--input A,B,...] [--build NAME] [--runs N] [--ptx FILE] "
        "[--cubins DIR] [--carveout PERCENT] [--pitched]\n           [--against DIR] [--each FILE] "
        "[--launches FILE] [--together] [--profile N] [--modules] LAUNCHFILE ...\n");
    return 2;
  }
  if (o.modules) return run_files(argv, n, &o);
  puts("workload\tinput\tkernels\tlaunches\tus_median\tus_min\tus_max\tbuffers\tresult");
  fflush(stdout);
  if (o.together || o.profiled > 0) return run_files(argv, n, &o);
  for (int i = 0; i < n; i++)
    failed += run_apart(&argv[i], &o);
  return failed > 0;
}
