/* What nvcc puts into host code: registration of device code, and <<< >>>. */
#include "cuda/runtime/api.h"
#include "cuda/runtime/pending.h"

#include <string.h>

/* ---- registration ---- */

CUDA_EXPORT void **__cudaRegisterFatBinary(void *wrapper);
void **__cudaRegisterFatBinary(void *wrapper) {
  weir_gpu_enter_always();
  struct weir_gpu_module *m = weir_gpu_module_register(wrapper);
  weir_gpu_leave(0);
  return (void **)m;
}

CUDA_EXPORT void __cudaRegisterFatBinaryEnd(void **handle);
void __cudaRegisterFatBinaryEnd(void **handle) {
  (void)handle; /* nothing is loaded before it is used */
}

CUDA_EXPORT void __cudaUnregisterFatBinary(void **handle);
void __cudaUnregisterFatBinary(void **handle) {
  weir_gpu_enter_always();
  weir_gpu_pend_drop(); /* the program ends */
  weir_gpu_module_close((struct weir_gpu_module *)handle);
  weir_gpu_leave(0);
}

CUDA_EXPORT void __cudaRegisterFunction(void **handle, const char *host, char *device,
                                        const char *name, int limit, void *tid, void *bid,
                                        void *block, void *grid, int *warp);
void __cudaRegisterFunction(void **handle, const char *host, char *device, const char *name,
                            int limit, void *tid, void *bid, void *block, void *grid, int *warp) {
  (void)device, (void)limit, (void)tid, (void)bid, (void)block, (void)grid, (void)warp;
  weir_gpu_enter_always();
  weir_gpu_kernel_add((struct weir_gpu_module *)handle, name, host);
  weir_gpu_leave(0);
}

/* Before CUDA 12, names of variables and textures of the global scope begin with "::". */
static const char *plain_name(const char *name) {
  return strncmp(name, "::", 2) == 0 ? name + 2 : name;
}

static struct weir_gpu_var *add_var(void **handle, const void *host, const char *name,
                                    size_t bytes) {
  return weir_gpu_var_add((struct weir_gpu_module *)handle, plain_name(name), host, bytes);
}

CUDA_EXPORT void __cudaRegisterVar(void **handle, char *host, char *device, const char *name,
                                   int is_extern, size_t bytes, int is_constant, int is_global);
void __cudaRegisterVar(void **handle, char *host, char *device, const char *name, int is_extern,
                       size_t bytes, int is_constant, int is_global) {
  (void)device, (void)is_extern, (void)is_constant, (void)is_global;
  weir_gpu_enter_always();
  add_var(handle, host, name, bytes);
  weir_gpu_leave(0);
}

CUDA_EXPORT void __cudaRegisterManagedVar(void **handle, void **host, char *device,
                                          const char *name, int is_extern, size_t bytes,
                                          int is_constant, int is_global);
void __cudaRegisterManagedVar(void **handle, void **host, char *device, const char *name,
                              int is_extern, size_t bytes, int is_constant, int is_global) {
  (void)device, (void)is_extern, (void)is_constant, (void)is_global;
  weir_gpu_enter_always();
  struct weir_gpu_var *v = add_var(handle, host, name, bytes);
  if (v != NULL) v->managed = host;
  weir_gpu_leave(0);
}

CUDA_EXPORT void __cudaRegisterHostVar(void **handle, const char *name, char *host, size_t bytes);
void __cudaRegisterHostVar(void **handle, const char *name, char *host, size_t bytes) {
  (void)handle, (void)host, (void)bytes;
  weir_gpu_enter_always();
  weir_gpu_say("variable %s of the host cannot be used by kernels", name);
  weir_gpu_leave(0);
}

/* The host's pointers to managed variables are valid on return. */
CUDA_EXPORT char __cudaInitModule(void **handle);
char __cudaInitModule(void **handle) {
  int error = weir_gpu_enter();
  if (error == 0) error = weir_gpu_module_init((struct weir_gpu_module *)handle);
  return cudart_return(weir_gpu_leave(error)) == 0;
}

/* ---- <<< >>> ---- */

struct configuration {
  struct cuda_dim3 grid, block;
  size_t shared;
  void *stream;
};
/* An argument of a launch may itself launch. */
enum { MAX_NESTED = 64 };
static __thread struct configuration configurations[MAX_NESTED];
static __thread unsigned n_configurations;

CUDA_EXPORT unsigned __cudaPushCallConfiguration(struct cuda_dim3 grid, struct cuda_dim3 block,
                                                 size_t shared, void *stream);
unsigned __cudaPushCallConfiguration(struct cuda_dim3 grid, struct cuda_dim3 block, size_t shared,
                                     void *stream) {
  if (n_configurations == MAX_NESTED) return 1;
  configurations[n_configurations++] = (struct configuration){grid, block, shared, stream};
  return 0;
}

CUDA_API(__cudaPopCallConfiguration, struct cuda_dim3 *grid, struct cuda_dim3 *block,
         size_t *shared, void *stream) {
  if (n_configurations == 0) return cudart_return(WEIR_E_MissingConfiguration);
  const struct configuration *c = &configurations[--n_configurations];
  *grid = c->grid;
  *block = c->block;
  *shared = c->shared;
  memcpy(stream, &c->stream, sizeof c->stream);
  return 0;
}

static int kernel_of(void **out, const void *host) {
  struct weir_gpu_kernel *k = weir_gpu_kernel_of(host);
  *out = k;
  return k != NULL ? 0 : WEIR_E_InvalidDeviceFunction;
}

CUDA_API(__cudaGetKernel, void **out, const void *host) {
  CUDA_CALL(kernel_of(out, host));
}

CUDA_API(cudaGetKernel, void **out, const void *host) {
  CUDA_CALL(kernel_of(out, host));
}

CUDA_API(cudaGetFuncBySymbol, void **out, const void *host) {
  CUDA_CALL(kernel_of(out, host));
}
