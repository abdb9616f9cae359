/* tex_gpu FILE: runs every case of tex_cases.c on a GPU through the CUDA driver and writes the
 * results to FILE: for each case its number, the driver's status and the number of bytes (32 bits
 * each, little-endian), then the bytes. A case that the driver refuses has none. */
#include <cuda.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tex_cases.h"

static void must(CUresult r, const char *what) {
  const char *s = NULL;
  if (r == CUDA_SUCCESS) return;
  cuGetErrorName(r, &s);
  fprintf(stderr, "tex_gpu: %s: %s\n", what, s != NULL ? s : "?");
  exit(1);
}

static void *alloc(size_t bytes) {
  void *p = calloc(1, bytes + 1);
  if (p == NULL) exit(1);
  return p;
}

/* ---- kernels, each text loaded once ---- */

struct kernel {
  char text[TEX_MAX_TEXT];
  CUfunction f;
  CUresult status;
};
static struct kernel *kernels;
static size_t n_kernels, cap_kernels;

static CUresult find_kernel(const struct tex_case *c, CUfunction *f) {
  char text[TEX_MAX_TEXT];
  tex_case_text(c, text);
  size_t i = 0;
  while (i < n_kernels && strcmp(kernels[i].text, text) != 0)
    i++;
  if (i == n_kernels) {
    if (n_kernels == cap_kernels) {
      cap_kernels = 2 * cap_kernels + 64;
      kernels = realloc(kernels, cap_kernels * sizeof *kernels);
      if (kernels == NULL) exit(1);
    }
    struct kernel *k = &kernels[n_kernels++];
    CUmodule module;
    strcpy(k->text, text);
    k->status = cuModuleLoadData(&module, text);
    if (k->status == CUDA_SUCCESS) k->status = cuModuleGetFunction(&k->f, module, "k");
  }
  *f = kernels[i].f;
  return kernels[i].status;
}

/* ---- textures ---- */

static CUarray_format format_of(struct ptx_texel x) {
  bool is_signed = x.kind == PTX_CHANNEL_SIGNED;
  if (x.kind == PTX_CHANNEL_FLOAT) return x.bits == 16 ? CU_AD_FORMAT_HALF : CU_AD_FORMAT_FLOAT;
  return x.bits == 8    ? (is_signed ? CU_AD_FORMAT_SIGNED_INT8 : CU_AD_FORMAT_UNSIGNED_INT8)
         : x.bits == 16 ? (is_signed ? CU_AD_FORMAT_SIGNED_INT16 : CU_AD_FORMAT_UNSIGNED_INT16)
                        : (is_signed ? CU_AD_FORMAT_SIGNED_INT32 : CU_AD_FORMAT_UNSIGNED_INT32);
}

struct place { /* of a case's texels */
  CUarray array;
  CUdeviceptr linear;
  size_t pitch;
  uint8_t *host;
};

static CUDA_MEMCPY3D whole(const struct tex_case *c, const struct place *p) {
  const struct ptx_texels *t = &c->desc.texels;
  size_t row = (size_t)t->width * ptx_texel_bytes(t->texel), height = t->height ? t->height : 1;
  return (CUDA_MEMCPY3D){.srcMemoryType = CU_MEMORYTYPE_HOST,
                         .srcHost = p->host,
                         .srcPitch = row,
                         .srcHeight = height,
                         .dstMemoryType = CU_MEMORYTYPE_ARRAY,
                         .dstArray = p->array,
                         .WidthInBytes = row,
                         .Height = height,
                         .Depth = ptx_texels_slices(t)};
}

static CUresult make_array(const struct tex_case *c, struct place *p) {
  const struct ptx_texels *t = &c->desc.texels;
  unsigned flags = t->is_layered ? CUDA_ARRAY3D_LAYERED : 0;
  if (t->dim == PTX_TEX_CUBE) flags |= CUDA_ARRAY3D_CUBEMAP;
  if (c->op >= TEX_SULD) flags |= CUDA_ARRAY3D_SURFACE_LDST;
  if (c->op == TEX_TLD4 && t->dim == PTX_TEX_2D && !t->is_layered)
    flags |= CUDA_ARRAY3D_TEXTURE_GATHER;
  bool has_depth = t->dim == PTX_TEX_3D || t->is_layered || t->dim == PTX_TEX_CUBE;
  CUDA_ARRAY3D_DESCRIPTOR d = {.Width = t->width,
                               .Height = t->height,
                               .Depth = has_depth ? ptx_texels_slices(t) : 0,
                               .Format = format_of(t->texel),
                               .NumChannels = t->texel.channels,
                               .Flags = flags};
  CUresult r = cuArray3DCreate(&p->array, &d);
  CUDA_MEMCPY3D copy = whole(c, p);
  return r == CUDA_SUCCESS ? cuMemcpy3D(&copy) : r;
}

static CUresult make_linear(const struct tex_case *c, struct place *p) {
  const struct ptx_texels *t = &c->desc.texels;
  size_t row = (size_t)t->width * ptx_texel_bytes(t->texel), height = t->height ? t->height : 1;
  CUresult r = cuMemAllocPitch(&p->linear, &p->pitch, row, height, 16);
  CUDA_MEMCPY2D copy = {.srcMemoryType = CU_MEMORYTYPE_HOST,
                        .srcHost = p->host,
                        .srcPitch = row,
                        .dstMemoryType = CU_MEMORYTYPE_DEVICE,
                        .dstDevice = p->linear,
                        .dstPitch = p->pitch,
                        .WidthInBytes = row,
                        .Height = height};
  return r == CUDA_SUCCESS ? cuMemcpy2D(&copy) : r;
}

static CUDA_RESOURCE_DESC resource(const struct tex_case *c, const struct place *p) {
  const struct ptx_texels *t = &c->desc.texels;
  CUDA_RESOURCE_DESC d = {.resType = CU_RESOURCE_TYPE_ARRAY, .res.array.hArray = p->array};
  if (t->is_buffer) {
    d.resType = CU_RESOURCE_TYPE_LINEAR;
    d.res.linear.devPtr = p->linear;
    d.res.linear.format = format_of(t->texel);
    d.res.linear.numChannels = t->texel.channels;
    d.res.linear.sizeInBytes = (size_t)t->width * ptx_texel_bytes(t->texel);
  } else if (c->is_pitched) {
    d.resType = CU_RESOURCE_TYPE_PITCH2D;
    d.res.pitch2D.devPtr = p->linear;
    d.res.pitch2D.format = format_of(t->texel);
    d.res.pitch2D.numChannels = t->texel.channels;
    d.res.pitch2D.width = t->width;
    d.res.pitch2D.height = t->height;
    d.res.pitch2D.pitchInBytes = p->pitch;
  }
  return d;
}

static CUresult make_object(const struct tex_case *c, const struct place *p, uint64_t *object) {
  CUDA_RESOURCE_DESC res = resource(c, p);
  CUDA_TEXTURE_DESC tex = {.filterMode = c->desc.filter == PTX_TEX_LINEAR
                                             ? CU_TR_FILTER_MODE_LINEAR
                                             : CU_TR_FILTER_MODE_POINT};
  CUtexObject t = 0;
  CUsurfObject s = 0;
  CUresult r;
  if (c->op >= TEX_SULD) {
    r = cuSurfObjectCreate(&s, &res);
    *object = s;
    return r;
  }
  for (unsigned k = 0; k < 3; k++)
    tex.addressMode[k] = (CUaddress_mode)c->desc.address[k];
  if (c->desc.read == PTX_TEX_ELEMENT) tex.flags |= CU_TRSF_READ_AS_INTEGER;
  if (c->desc.is_normalised) tex.flags |= CU_TRSF_NORMALIZED_COORDINATES;
  memcpy(tex.borderColor, c->desc.border, sizeof tex.borderColor);
  r = cuTexObjectCreate(&t, &res, &tex, NULL);
  *object = t;
  return r;
}

/* ---- cases ---- */

static void open_context(void) {
  CUdevice device;
  CUcontext context;
  must(cuDeviceGet(&device, 0), "device");
  must(cuDevicePrimaryCtxRetain(&context, device), "context");
  must(cuCtxSetCurrent(context), "context");
}

/* A kernel that faults takes its context along. */
static void reopen_context(void) {
  must(cuDevicePrimaryCtxReset(0), "reset");
  n_kernels = 0;
  open_context();
}

static CUresult launch(const struct tex_case *c, size_t index, CUfunction f, uint64_t object,
                       uint8_t *out) {
  CUdeviceptr d_in, d_out;
  uint8_t *in = alloc((size_t)c->n * TEX_IN_BYTES);
  tex_case_operands(c, index, in);
  must(cuMemAlloc(&d_in, (size_t)c->n * TEX_IN_BYTES), "memory");
  must(cuMemAlloc(&d_out, (size_t)c->n * TEX_OUT_BYTES), "memory");
  must(cuMemcpyHtoD(d_in, in, (size_t)c->n * TEX_IN_BYTES), "operands");
  must(cuMemsetD8(d_out, 0, (size_t)c->n * TEX_OUT_BYTES), "results");
  void *args[] = {&object, &d_in, &d_out};
  CUresult r =
      cuLaunchKernel(f, c->n / TEX_CASE_THREADS, 1, 1, TEX_CASE_THREADS, 1, 1, 0, 0, args, NULL);
  if (r == CUDA_SUCCESS) r = cuCtxSynchronize();
  if (r == CUDA_SUCCESS && !tex_case_writes(c))
    must(cuMemcpyDtoH(out, d_out, (size_t)c->n * TEX_OUT_BYTES), "results");
  cuMemFree(d_in);
  cuMemFree(d_out);
  free(in);
  return r;
}

static void read_back(const struct tex_case *c, const struct place *p, uint8_t *out) {
  CUDA_MEMCPY3D copy = whole(c, p);
  copy.srcMemoryType = CU_MEMORYTYPE_ARRAY;
  copy.srcArray = p->array;
  copy.srcHost = NULL;
  copy.dstMemoryType = CU_MEMORYTYPE_HOST;
  copy.dstArray = NULL;
  copy.dstHost = out;
  copy.dstPitch = copy.srcPitch;
  copy.dstHeight = copy.srcHeight;
  copy.srcPitch = 0;
  copy.srcHeight = 0;
  must(cuMemcpy3D(&copy), "array");
}

static CUresult run(const struct tex_case *c, size_t index, uint8_t *out) {
  CUfunction f = NULL;
  uint64_t object = 0;
  struct place p = {.host = alloc(tex_case_texel_bytes(c))};
  tex_case_texels(c, p.host);
  CUresult r = find_kernel(c, &f);
  if (r == CUDA_SUCCESS)
    r = c->desc.texels.is_buffer || c->is_pitched ? make_linear(c, &p) : make_array(c, &p);
  if (r == CUDA_SUCCESS) r = make_object(c, &p, &object);
  if (r == CUDA_SUCCESS) r = launch(c, index, f, object, out);
  if (r == CUDA_SUCCESS && tex_case_writes(c)) read_back(c, &p, out);
  if (cuCtxSynchronize() != CUDA_SUCCESS) {
    reopen_context();
    free(p.host);
    return r;
  }
  if (object != 0 && c->op >= TEX_SULD) cuSurfObjectDestroy(object);
  if (object != 0 && c->op < TEX_SULD) cuTexObjectDestroy(object);
  if (p.array != NULL) cuArrayDestroy(p.array);
  if (p.linear != 0) cuMemFree(p.linear);
  free(p.host);
  return r;
}

int main(int argc, char **argv) {
  size_t n, n_refused = 0, n_unstable = 0;
  struct tex_case *cases = tex_cases(&n);
  FILE *f = argc == 2 ? fopen(argv[1], "wb") : NULL;
  if (f == NULL || cases == NULL) {
    fprintf(stderr, "usage: tex_gpu FILE\n");
    return 2;
  }
  must(cuInit(0), "cuInit");
  open_context();
  for (size_t i = 0; i < n; i++) {
    size_t bytes = tex_case_result_bytes(&cases[i]);
    uint8_t *out = alloc(bytes), *again = alloc(bytes);
    CUresult r = run(&cases[i], i, out);
    if (r == CUDA_SUCCESS) run(&cases[i], i, again);
    if (r == CUDA_SUCCESS && memcmp(out, again, bytes) != 0) {
      printf("case %zu (%s): two runs differ\n", i, cases[i].mods);
      n_unstable++;
    }
    if (r != CUDA_SUCCESS) {
      const char *s = NULL;
      cuGetErrorName(r, &s);
      printf("case %zu (%s): %s\n", i, cases[i].mods, s);
      n_refused++;
    }
    uint32_t head[3] = {(uint32_t)i, (uint32_t)r, r == CUDA_SUCCESS ? (uint32_t)bytes : 0};
    fwrite(head, sizeof head, 1, f);
    fwrite(out, 1, head[2], f);
    free(out);
    free(again);
  }
  printf("%zu cases, %zu refused, %zu not repeatable\n", n, n_refused, n_unstable);
  tex_cases_free(cases, n);
  return fclose(f) == 0 ? 0 : 1;
}
