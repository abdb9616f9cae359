/* Code that is loaded at run time. */
#include "cuda/runtime/api.h"
#include "cuda/runtime/pending.h"

struct library {
  struct weir_gpu_handle handle;
  struct weir_gpu_module *module;
};

static struct library *library_of(const void *p) {
  return weir_gpu_handle(p, WEIR_GPU_LIBRARY);
}

/* From memory, or from the file `path`. */
static int load(void **out, const void *data, const char *path) {
  if (out == NULL || (data == NULL && path == NULL)) return WEIR_E_InvalidValue;
  struct library *l = weir_gpu_new(WEIR_GPU_LIBRARY, sizeof *l);
  if (l == NULL) return WEIR_E_MemoryAllocation;
  int error = data != NULL ? weir_gpu_module_load(data, 0, &l->module)
                           : weir_gpu_module_load_file(path, &l->module);
  if (error != 0) {
    weir_gpu_drop(l);
    return error;
  }
  *out = l;
  return 0;
}

/* Options are those of a compiler, which there is not. */
CUDA_API(cudaLibraryLoadData, void **out, const void *code, int *jit, void **jit_values,
         unsigned n_jit, int *options, void **values, unsigned n) {
  (void)jit, (void)jit_values, (void)n_jit, (void)options, (void)values, (void)n;
  CUDA_CALL(load(out, code, NULL));
}

CUDA_API(cudaLibraryLoadFromFile, void **out, const char *path, int *jit, void **jit_values,
         unsigned n_jit, int *options, void **values, unsigned n) {
  (void)jit, (void)jit_values, (void)n_jit, (void)options, (void)values, (void)n;
  CUDA_CALL(load(out, NULL, path));
}

static int unload(struct library *l) {
  if (l == NULL) return WEIR_E_InvalidResourceHandle;
  weir_gpu_wait_all(); /* for kernels of it */
  weir_gpu_module_close(l->module);
  weir_gpu_drop(l);
  return 0;
}

CUDA_API(cudaLibraryUnload, void *library) {
  CUDA_CALL(unload(library_of(library)));
}

static int get_kernel(void **out, const struct library *l, const char *name) {
  struct weir_gpu_kernel *k;
  if (l == NULL) return WEIR_E_InvalidResourceHandle;
  if (out == NULL || name == NULL) return WEIR_E_InvalidValue;
  int error = weir_gpu_kernel_find(l->module, name, &k);
  if (error == 0) *out = k;
  return error;
}

CUDA_API(cudaLibraryGetKernel, void **out, void *library, const char *name) {
  CUDA_CALL(get_kernel(out, library_of(library), name));
}

static int get_variable(void **out, size_t *bytes, const struct library *l, const char *name) {
  uint64_t addr, n;
  if (l == NULL) return WEIR_E_InvalidResourceHandle;
  if (name == NULL) return WEIR_E_InvalidValue;
  int error = weir_gpu_module_var(l->module, name, &addr, &n);
  if (error != 0) return error;
  if (out != NULL) *out = cudart_ptr(addr);
  if (bytes != NULL) *bytes = n;
  return 0;
}

CUDA_API(cudaLibraryGetGlobal, void **out, size_t *bytes, void *library, const char *name) {
  CUDA_CALL(get_variable(out, bytes, library_of(library), name));
}

CUDA_API(cudaLibraryGetManaged, void **out, size_t *bytes, void *library, const char *name) {
  CUDA_CALL(get_variable(out, bytes, library_of(library), name));
}

static int kernels(void **out, unsigned room, unsigned *n, const struct library *l) {
  size_t found;
  if (l == NULL) return WEIR_E_InvalidResourceHandle;
  int error = weir_gpu_module_kernels(l->module, (struct weir_gpu_kernel **)out, room, &found);
  if (n != NULL) *n = (unsigned)found;
  return error;
}

CUDA_API(cudaLibraryGetKernelCount, unsigned *n, void *library) {
  CUDA_CALL(n != NULL ? kernels(NULL, 0, n, library_of(library)) : WEIR_E_InvalidValue);
}

CUDA_API(cudaLibraryEnumerateKernels, void **out, unsigned room, void *library) {
  CUDA_CALL(out != NULL ? kernels(out, room, NULL, library_of(library)) : WEIR_E_InvalidValue);
}
