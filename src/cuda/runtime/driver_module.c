/* Modules, libraries and their functions. A library is a module that needs no context, a kernel of
 * it a function. */
#include "cuda/runtime/driver.h"
#include "cuda/runtime/pending.h"

#include <stdlib.h>
#include <string.h>

/* ---- messages ---- */

enum { JIT_WALL_TIME = 2, JIT_INFO = 3, JIT_INFO_BYTES, JIT_ERROR, JIT_ERROR_BYTES };

static void **value_of(const struct cu_jit *jit, int option) {
  for (unsigned i = 0; i < jit->n; i++)
    if (jit->options[i] == option) return &jit->values[i];
  return NULL;
}

static char *buffer_of(const struct cu_jit *jit, int buffer, int bytes, size_t *n) {
  void **at = value_of(jit, buffer), **size = value_of(jit, bytes);
  *n = size != NULL ? (size_t)(uint32_t)(uintptr_t)*size : 0;
  char *log = at != NULL && *n > 0 ? *at : NULL;
  if (log != NULL) log[0] = 0;
  return log;
}

void cu_log_begin(struct weir_gpu_log *log, const struct cu_jit *jit) {
  size_t n;
  void **time = value_of(jit, JIT_WALL_TIME), **info_bytes = value_of(jit, JIT_INFO_BYTES);
  *log = (struct weir_gpu_log){0};
  buffer_of(jit, JIT_INFO, JIT_INFO_BYTES, &n);
  if (info_bytes != NULL) *info_bytes = NULL;
  if (time != NULL) memset(time, 0, sizeof(float)); /* no compiler ran */
  log->at = buffer_of(jit, JIT_ERROR, JIT_ERROR_BYTES, &n);
  log->size = n;
  if (log->at != NULL) weir_gpu_log = log;
}

/* The option with the buffer's size gets how much of it was used. */
void cu_log_end(const struct weir_gpu_log *log, const struct cu_jit *jit) {
  void **bytes = value_of(jit, JIT_ERROR_BYTES);
  weir_gpu_log = NULL;
  if (bytes != NULL) *bytes = (void *)(uintptr_t)log->used;
}

/* ---- loading ---- */

static int load_linked(const struct cu_linked *l, struct weir_gpu_module **out) {
  const char **texts = weir_gpu_host_calloc(l->n + 1, sizeof *texts);
  if (texts == NULL) return WEIR_E_MemoryAllocation;
  const char *p = l->text;
  for (uint64_t i = 0; i < l->n; i++) {
    texts[i] = p;
    p += strlen(p) + 1;
  }
  int error = weir_gpu_module_load_texts(texts, l->n, out);
  free(texts);
  return error;
}

/* Behind blanks and comments. */
static const char *first_word(const char *p) {
  for (;;) {
    p += strspn(p, " \t\r\n\f\v");
    const char *end = strncmp(p, "//", 2) == 0   ? strchr(p, '\n')
                      : strncmp(p, "/*", 2) == 0 ? strstr(p, "*/")
                                                 : NULL;
    if (end == NULL) return p;
    p = end + 1 + (*end == '*');
  }
}

/* A driver tells what is no PTX from PTX with errors. */
static bool is_ptx(const char *text) {
  return strncmp(first_word(text), ".version", 8) == 0;
}

static int load_image(const void *image, struct weir_gpu_module **out) {
  const char *text = image;
  uint32_t magic;
  if (image == NULL) return WEIR_E_InvalidValue;
  if (strnlen(text, sizeof magic) < sizeof magic) return WEIR_E_InvalidKernelImage;
  memcpy(&magic, image, sizeof magic);
  if (strncmp(text, CU_LINKED_MAGIC, sizeof CU_LINKED_MAGIC - 1) == 0)
    return load_linked(image, out);
  bool is_text = (magic & 0x80808080) == 0 && strncmp(text, "\177ELF", 4) != 0;
  if (is_text && !is_ptx(text)) {
    weir_gpu_say("the image that a program loads is no PTX: it does not begin with .version");
    return WEIR_E_InvalidKernelImage;
  }
  return weir_gpu_module_load(image, 0, out);
}

/* A program expects errors in its PTX from the load, not from the first use. */
static int parse(int error, struct weir_gpu_module **m) {
  size_t n;
  if (error != 0) return error;
  (*m)->is_to_link = true; /* which finds what nothing defines */
  error = weir_gpu_module_kernels(*m, NULL, 0, &n);
  if (error != 0) weir_gpu_module_close(*m);
  return error;
}

int cu_module_load(const void *image, struct weir_gpu_module **out) {
  return parse(load_image(image, out), out);
}

/* From memory, or from the file `path`. */
static int load(void **out, const void *image, const char *path, const struct cu_jit *jit) {
  struct weir_gpu_module *m = NULL;
  struct weir_gpu_log log;
  if (out == NULL || (jit->n > 0 && (jit->options == NULL || jit->values == NULL)))
    return WEIR_E_InvalidValue;
  cu_log_begin(&log, jit);
  int error =
      path == NULL ? cu_module_load(image, &m) : parse(weir_gpu_module_load_file(path, &m), &m);
  cu_log_end(&log, jit);
  if (error == 0) *out = m;
  return error;
}

CUDA_API(cuModuleLoadData, void **out, const void *image) {
  CU_CALL(load(out, image, NULL, &(struct cu_jit){0}));
}

CUDA_API(cuModuleLoadDataEx, void **out, const void *image, unsigned n, const int *options,
         void **values) {
  CU_CALL(load(out, image, NULL, &(struct cu_jit){n, options, values}));
}

CUDA_API(cuModuleLoadFatBinary, void **out, const void *image) {
  CU_CALL(load(out, image, NULL, &(struct cu_jit){0}));
}

CUDA_API(cuModuleLoad, void **out, const char *path) {
  CU_CALL(path != NULL ? load(out, NULL, path, &(struct cu_jit){0}) : WEIR_E_InvalidValue);
}

/* A library is of no context. */
static int load_library(void **out, const void *image, const char *path, const struct cu_jit *jit) {
  int error = load(out, image, path, jit);
  if (error == 0) ((struct weir_gpu_module *)*out)->owner = 0;
  return error;
}

CUDA_API(cuLibraryLoadData, void **out, const void *image, const int *jit, void **jit_values,
         unsigned n_jit, const int *options, void **values, unsigned n) {
  (void)options, (void)values, (void)n;
  CU_CALL_ANY(load_library(out, image, NULL, &(struct cu_jit){n_jit, jit, jit_values}));
}

CUDA_API(cuLibraryLoadFromFile, void **out, const char *path, const int *jit, void **jit_values,
         unsigned n_jit, const int *options, void **values, unsigned n) {
  (void)options, (void)values, (void)n;
  CU_CALL_ANY(path != NULL ? load_library(out, NULL, path, &(struct cu_jit){n_jit, jit, jit_values})
                           : WEIR_E_InvalidValue);
}

struct weir_gpu_module *cu_module_of(const void *handle) {
  struct weir_gpu_module *m = weir_gpu.modules;
  while (m != NULL && m != handle)
    m = m->next;
  return m;
}

static int unload(const void *handle) {
  struct weir_gpu_module *m = cu_module_of(handle);
  if (m == NULL) return WEIR_E_InvalidResourceHandle;
  weir_gpu_wait_all(); /* for kernels of it */
  weir_gpu_module_close(m);
  return 0;
}

CUDA_API(cuModuleUnload, const void *module) {
  CU_CALL(unload(module));
}

CUDA_API(cuLibraryUnload, const void *library) {
  CU_CALL_ANY(unload(library));
}

CUDA_API(cuModuleGetLoadingMode, int *mode) {
  enum { LAZY = 2 };
  CU_CALL_ANY(cu_put(mode, LAZY));
}

CUDA_API(cuLibraryGetModule, void **out, const void *library) {
  CU_CALL(out == NULL                     ? WEIR_E_InvalidValue
          : cu_module_of(library) == NULL ? WEIR_E_InvalidResourceHandle
                                          : (*out = cu_module_of(library), 0));
}

/* ---- what is in them ---- */

static int get_function(void **out, const void *handle, const char *name) {
  struct weir_gpu_module *m = cu_module_of(handle);
  struct weir_gpu_kernel *k;
  if (out == NULL || name == NULL) return WEIR_E_InvalidValue;
  if (m == NULL) return WEIR_E_InvalidResourceHandle;
  int error = weir_gpu_kernel_find(m, name, &k);
  if (error == 0) *out = k;
  return error;
}

CUDA_API(cuModuleGetFunction, void **out, const void *module, const char *name) {
  CU_CALL(get_function(out, module, name));
}

CUDA_API(cuLibraryGetKernel, void **out, const void *library, const char *name) {
  CU_CALL_ANY(get_function(out, library, name));
}

static int get_variable(uint64_t *out, size_t *bytes, const void *handle, const char *name) {
  struct weir_gpu_module *m = cu_module_of(handle);
  uint64_t addr, n;
  if (name == NULL || (out == NULL && bytes == NULL)) return WEIR_E_InvalidValue;
  if (m == NULL) return WEIR_E_InvalidResourceHandle;
  int error = weir_gpu_module_var(m, name, &addr, &n);
  struct weir_gpu_kernel *k;
  if (error == WEIR_E_SymbolNotFound && weir_gpu_kernel_find(m, name, &k) == 0)
    return WEIR_E_InvalidValue; /* it is no variable */
  if (error != 0) return error;
  if (out != NULL) *out = addr;
  if (bytes != NULL) *bytes = n;
  return 0;
}

CUDA_API(cuModuleGetGlobal_v2, uint64_t *out, size_t *bytes, const void *module, const char *name) {
  CU_CALL(get_variable(out, bytes, module, name));
}

CUDA_API(cuLibraryGetGlobal, uint64_t *out, size_t *bytes, const void *library, const char *name) {
  CU_CALL(get_variable(out, bytes, library, name));
}

CUDA_API(cuLibraryGetManaged, uint64_t *out, size_t *bytes, const void *library, const char *name) {
  CU_CALL_ANY(get_variable(out, bytes, library, name));
}

static int functions(void **out, unsigned room, unsigned *n, const void *handle) {
  struct weir_gpu_module *m = cu_module_of(handle);
  size_t found;
  if (m == NULL) return WEIR_E_InvalidResourceHandle;
  if (out == NULL && n == NULL) return WEIR_E_InvalidValue;
  int error = weir_gpu_module_kernels(m, (struct weir_gpu_kernel **)out, room, &found);
  if (n != NULL) *n = (unsigned)found;
  return error;
}

CUDA_API(cuModuleGetFunctionCount, unsigned *n, const void *module) {
  CU_CALL(functions(NULL, 0, n, module));
}

CUDA_API(cuModuleEnumerateFunctions, void **out, unsigned room, const void *module) {
  CU_CALL(functions(out, room, NULL, module));
}

CUDA_API(cuLibraryGetKernelCount, unsigned *n, const void *library) {
  CU_CALL_ANY(functions(NULL, 0, n, library));
}

CUDA_API(cuLibraryEnumerateKernels, void **out, unsigned room, const void *library) {
  CU_CALL_ANY(functions(out, room, NULL, library));
}

/* ---- functions ---- */

static int module_of_function(void **out, const void *function) {
  const struct weir_gpu_kernel *k = weir_gpu_kernel_of(function);
  if (out == NULL) return WEIR_E_InvalidValue;
  if (k == NULL) return WEIR_E_InvalidResourceHandle;
  *out = k->module;
  return 0;
}

CUDA_API(cuFuncGetModule, void **out, const void *function) {
  CU_CALL(module_of_function(out, function));
}

CUDA_API(cuKernelGetLibrary, void **out, const void *kernel) {
  CU_CALL_ANY(module_of_function(out, kernel));
}

static int function_of_kernel(void **out, const void *kernel) {
  struct weir_gpu_kernel *k = weir_gpu_kernel_of(kernel);
  if (out == NULL) return WEIR_E_InvalidValue;
  *out = k;
  return k != NULL ? 0 : WEIR_E_InvalidResourceHandle;
}

CUDA_API(cuKernelGetFunction, void **out, const void *kernel) {
  CU_CALL(function_of_kernel(out, kernel));
}

static int load_function(const void *function) {
  struct weir_gpu_kernel *k = weir_gpu_kernel_of(function);
  return k != NULL ? weir_gpu_kernel_load(k) : WEIR_E_InvalidResourceHandle;
}

CUDA_API(cuFuncLoad, const void *function) {
  CU_CALL(load_function(function));
}

CUDA_API(cuFuncIsLoaded, int *state, const void *function) {
  const struct weir_gpu_kernel *k;
  CU_CALL((k = weir_gpu_kernel_of(function)) != NULL ? cu_put(state, k->program != NULL)
                                                     : WEIR_E_InvalidResourceHandle);
}

static int get_attribute(int *out, int attribute, const void *function) {
  struct weir_gpu_kernel *k = weir_gpu_kernel_of(function);
  struct weir_gpu_figures f;
  if (out == NULL || attribute < 0 || attribute > 15) return WEIR_E_InvalidValue;
  if (k == NULL) return WEIR_E_InvalidResourceHandle;
  int error = weir_gpu_kernel_figures(k, &f);
  if (error != 0) return error;
  const int values[16] = {f.max_threads,
                          (int)f.shared,
                          (int)f.constant,
                          (int)f.local,
                          f.regs,
                          f.ptx_version,
                          (int)weir_gpu.props.capability,
                          0, /* the L1 is used for all loads */
                          f.max_dynamic_shared,
                          k->carveout};
  *out = values[attribute]; /* those behind are about clusters */
  return 0;
}

CUDA_API(cuFuncGetAttribute, int *out, int attribute, const void *function) {
  CU_CALL(get_attribute(out, attribute, function));
}

CUDA_API(cuKernelGetAttribute, int *out, int attribute, const void *kernel, int device) {
  CU_CALL_ANY(device == 0 ? get_attribute(out, attribute, kernel) : WEIR_E_InvalidDevice);
}

CU_FORWARD(cuFuncSetAttribute, cudaFuncSetAttribute,
           (const void *function, int attribute, int value), (function, attribute, value));
CU_FORWARD(cuFuncSetCacheConfig, cudaFuncSetCacheConfig, (const void *function, int config),
           (function, config));
CU_FORWARD(cuFuncSetSharedMemConfig, cudaFuncSetSharedMemConfig, (const void *function, int config),
           (function, config));
CU_FORWARD(cuFuncGetName, cudaFuncGetName, (const char **name, const void *function),
           (name, function));
CUDA_OLD_NAME(cuKernelGetName, cuFuncGetName);
CU_FORWARD(cuFuncGetParamInfo, cudaFuncGetParamInfo,
           (const void *function, size_t i, size_t *offset, size_t *bytes),
           (function, i, offset, bytes));
CUDA_OLD_NAME(cuKernelGetParamInfo, cuFuncGetParamInfo);

CUDA_API(cuKernelSetAttribute, int attribute, int value, const void *kernel, int device) {
  return device == 0 ? cuFuncSetAttribute(kernel, attribute, value) : WEIR_E_InvalidDevice;
}

CUDA_API(cuKernelSetCacheConfig, const void *kernel, int config, int device) {
  return device == 0 ? cuFuncSetCacheConfig(kernel, config) : WEIR_E_InvalidDevice;
}

/* ---- occupancy ---- */

CU_FORWARD(cuOccupancyMaxActiveBlocksPerMultiprocessor,
           cudaOccupancyMaxActiveBlocksPerMultiprocessor,
           (int *blocks, const void *function, int threads, size_t shared),
           (blocks, function, threads, shared));
CU_FORWARD(cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags,
           cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags,
           (int *blocks, const void *function, int threads, size_t shared, unsigned flags),
           (blocks, function, threads, shared, flags));
CU_FORWARD(cuOccupancyAvailableDynamicSMemPerBlock, cudaOccupancyAvailableDynamicSMemPerBlock,
           (size_t * bytes, const void *function, int blocks, int threads),
           (bytes, function, blocks, threads));

/* The block that fills an SM best, the largest of several; `shared_of` is the program's. */
static int best_block(int *min_grid, int *block, struct weir_gpu_kernel *k,
                      size_t (*shared_of)(int threads), size_t shared, int limit) {
  int best = 0, warp = (int)weir_gpu.props.warp_size;
  struct weir_gpu_figures f;
  int error = weir_gpu_kernel_figures(k, &f);
  if (error != 0) return error;
  if (limit <= 0 || limit > f.max_threads) limit = f.max_threads;
  *block = *min_grid = 0;
  for (int n = (limit + warp - 1) / warp * warp; n > 0 && error == 0; n -= warp) {
    int threads = n < limit ? n : limit, blocks;
    size_t bytes = shared_of != NULL ? shared_of(threads) : shared;
    error = weir_gpu_occupancy(k, (uint64_t)threads, bytes, &blocks);
    if (error != 0 || blocks * threads <= best) continue;
    best = blocks * threads;
    *block = threads;
    *min_grid = blocks * (int)weir_gpu.props.sms;
  }
  return error;
}

static int potential(int *min_grid, int *block, const void *function, size_t (*shared_of)(int),
                     size_t shared, int limit, unsigned flags) {
  struct weir_gpu_kernel *k = weir_gpu_kernel_of(function);
  if (min_grid == NULL || block == NULL || flags > 1) return WEIR_E_InvalidValue;
  if (k == NULL) return WEIR_E_InvalidResourceHandle;
  return best_block(min_grid, block, k, shared_of, shared, limit);
}

CUDA_API(cuOccupancyMaxPotentialBlockSize, int *min_grid, int *block, const void *function,
         size_t (*shared_of)(int), size_t shared, int limit) {
  CU_CALL(potential(min_grid, block, function, shared_of, shared, limit, 0));
}

CUDA_API(cuOccupancyMaxPotentialBlockSizeWithFlags, int *min_grid, int *block, const void *function,
         size_t (*shared_of)(int), size_t shared, int limit, unsigned flags) {
  CU_CALL(potential(min_grid, block, function, shared_of, shared, limit, flags));
}
