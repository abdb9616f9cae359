/* The linker: PTX texts that cuModuleLoadData takes together. A real driver makes machine code of
 * them; programs do nothing with it but load it. */
#include "cuda/runtime/driver.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct link {
  struct weir_gpu_handle handle;
  struct cu_jit jit; /* the arrays are the program's */
  struct cu_linked *out;
  bool is_complete;
};

static struct link *link_of(const void *handle) {
  return weir_gpu_handle(handle, WEIR_GPU_LINK);
}

static int new_link(unsigned n, const int *options, void **values, void **out) {
  if (out == NULL || (n > 0 && (options == NULL || values == NULL))) return WEIR_E_InvalidValue;
  struct link *l = weir_gpu_new(WEIR_GPU_LINK, sizeof *l);
  if (l == NULL) return WEIR_E_MemoryAllocation;
  l->jit = (struct cu_jit){n, options, values};
  l->out = weir_gpu_host_calloc(1, sizeof *l->out);
  if (l->out == NULL) {
    weir_gpu_drop(l);
    return WEIR_E_MemoryAllocation;
  }
  memcpy(l->out->magic, CU_LINKED_MAGIC, sizeof l->out->magic);
  *out = l;
  return 0;
}

CUDA_API(cuLinkCreate_v2, unsigned n, const int *options, void **values, void **out) {
  CU_CALL(new_link(n, options, values, out));
}
CUDA_OLD_NAME(cuLinkCreate, cuLinkCreate_v2);

static int add_text(struct link *l, const char *text, size_t bytes) {
  size_t n = strnlen(text, bytes), used = l->out->bytes;
  struct cu_linked *grown = weir_gpu_host_realloc(l->out, sizeof *grown + used + n + 1);
  if (grown == NULL) return WEIR_E_MemoryAllocation;
  l->out = grown;
  memcpy(grown->text + used, text, n);
  grown->text[used + n] = 0;
  grown->bytes += n + 1;
  grown->n++;
  return 0;
}

static int add_data(const void *handle, int type, const void *data, size_t bytes,
                    const char *name) {
  enum { PTX = 1, LAST_TYPE = 5 };
  struct link *l = link_of(handle);
  if (l == NULL) return WEIR_E_InvalidResourceHandle;
  if (data == NULL || type < 0 || type > LAST_TYPE || l->is_complete) return WEIR_E_InvalidValue;
  if (type == PTX) return add_text(l, data, bytes);
  weir_gpu_say("cuLinkAddData: input %s of type %d cannot be linked: only PTX can\n"
               "  remedy: give the linker PTX (CU_JIT_INPUT_PTX), from nvcc -ptx",
               name != NULL ? name : "without a name", type);
  return WEIR_E_NotSupported;
}

CUDA_API(cuLinkAddData_v2, const void *link, int type, const void *data, size_t bytes,
         const char *name, unsigned n, const int *options, void **values) {
  (void)n, (void)options, (void)values;
  CU_CALL(add_data(link, type, data, bytes, name));
}
CUDA_OLD_NAME(cuLinkAddData, cuLinkAddData_v2);

static int add_open_file(const void *handle, int type, FILE *f, const char *path) {
  if (fseek(f, 0, SEEK_END) != 0) return WEIR_E_FileNotFound;
  long n = ftell(f);
  char *data = n > 0 ? weir_gpu_host_calloc(1, (size_t)n) : NULL;
  rewind(f);
  int error = data == NULL || fread(data, 1, (size_t)n, f) != (size_t)n
                  ? WEIR_E_FileNotFound
                  : add_data(handle, type, data, (size_t)n, path);
  free(data);
  return error;
}

static int add_file(const void *handle, int type, const char *path) {
  if (path == NULL) return WEIR_E_InvalidValue;
  FILE *f = fopen(path, "rb");
  if (f == NULL) return WEIR_E_FileNotFound;
  int error = add_open_file(handle, type, f, path);
  fclose(f);
  return error;
}

CUDA_API(cuLinkAddFile_v2, const void *link, int type, const char *path, unsigned n,
         const int *options, void **values) {
  (void)n, (void)options, (void)values;
  CU_CALL(add_file(link, type, path));
}
CUDA_OLD_NAME(cuLinkAddFile, cuLinkAddFile_v2);

/* Loads it once, so that errors show here. */
static int complete(const void *handle, void **out, size_t *bytes) {
  struct link *l = link_of(handle);
  struct weir_gpu_module *m;
  struct weir_gpu_log log;
  if (l == NULL || l->is_complete) return WEIR_E_InvalidResourceHandle;
  if (out == NULL || l->out->n == 0) return WEIR_E_InvalidValue;
  cu_log_begin(&log, &l->jit);
  int error = cu_module_load(l->out, &m);
  cu_log_end(&log, &l->jit);
  if (error != 0) return error;
  weir_gpu_module_close(m);
  l->is_complete = true;
  *out = l->out;
  if (bytes != NULL) *bytes = sizeof *l->out + l->out->bytes;
  return 0;
}

CUDA_API(cuLinkComplete, const void *link, void **out, size_t *bytes) {
  CU_CALL(complete(link, out, bytes));
}

static int free_link(const void *handle) {
  struct link *l = link_of(handle);
  if (l == NULL) return WEIR_E_InvalidResourceHandle;
  free(l->out);
  weir_gpu_drop(l);
  return 0;
}

CUDA_API(cuLinkDestroy, const void *link) {
  CU_CALL(free_link(link));
}
