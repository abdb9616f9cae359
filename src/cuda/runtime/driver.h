/* What the entry points of libcuda have in common.
 *
 * Many of them are entry points of libcudart under another name. Those are forwarded to the same
 * code (api_*.c), which libcuda has too; here it begins with cu_enter and ends with cu_leave. */
#ifndef WEIR_CUDA_RUNTIME_DRIVER_H
#define WEIR_CUDA_RUNTIME_DRIVER_H

#include "cuda/runtime/api.h"
#include "cuda/runtime/context.h"

/* The body of an entry point that needs a current context: an expression that gives an error code,
 * under the lock. */
#define CU_CALL(...)                                                                               \
  do {                                                                                             \
    int error_ = cu_enter();                                                                       \
    if (error_ == 0) error_ = (__VA_ARGS__);                                                       \
    return cu_leave(error_);                                                                       \
  } while (0)

/* The body of one that needs no more than cuInit. */
#define CU_CALL_ANY(...)                                                                           \
  do {                                                                                             \
    int error_ = cu_enter_any();                                                                   \
    if (error_ == 0) error_ = (__VA_ARGS__);                                                       \
    return cu_leave(error_);                                                                       \
  } while (0)

/* An entry point that libcudart has as well, with the same arguments. */
#define CU_FORWARD(name, cuda_name, params, args)                                                  \
  CUDA_EXPORT int cuda_name params;                                                                \
  CUDA_EXPORT int name params;                                                                     \
  int name params {                                                                                \
    return cuda_name args;                                                                         \
  }                                                                                                \
  extern CUDA_EXPORT __typeof__(name) name

int cu_enter(void);
int cu_enter_any(void);
/* Gives the lock back; errors that only the runtime has become the driver's. */
int cu_leave(int error);
/* The context that a handle means, or the current one for NULL; NULL: none. */
struct weir_gpu_context *cu_context_of(const void *handle);
/* 0 for the only device. */
int cu_device(int device);

/* Options of the compiler that the driver has and this one has not. Only those about messages
 * matter. */
struct cu_jit {
  unsigned n;
  const int *options;
  void **values;
};
/* Messages go to the program's buffers between these. */
void cu_log_begin(struct weir_gpu_log *log, const struct cu_jit *jit);
void cu_log_end(const struct weir_gpu_log *log, const struct cu_jit *jit);

/* What cuLinkComplete makes: texts one after the other, each with its NUL. */
struct cu_linked {
  char magic[8];
  uint64_t n, bytes; /* texts; of all */
  char text[];
};
#define CU_LINKED_MAGIC "weirlink"

/* A copy as programs describe it: CUDA_MEMCPY3D. */
enum cu_memory_type { CU_HOST = 1, CU_DEVICE, CU_ARRAY, CU_UNIFIED };
struct cu_side {
  size_t x, y, z, level;
  int type;
  const void *host;
  uint64_t device;
  const void *array;
  const void *context; /* of copies between contexts */
  size_t pitch, height;
};
struct cu_copy {
  struct cu_side src, dst;
  size_t width, height, depth;
};
/* Fails where a handle is none. */
int cu_copy_of(const struct cu_copy *c, struct weir_gpu_copy *out);

/* The range of addresses, of cuMemAddressReserve, that holds an address; else nothing is set. */
void cu_reserved(uint64_t addr, uint64_t *base, uint64_t *bytes);

struct weir_gpu_format;
/* Of an array of CUarray_format `format`. */
int cu_format_of(int format, unsigned channels, struct weir_gpu_format *out);

/* A module, parsed so that errors show now. `image`: what cuModuleLoadData takes. */
int cu_module_load(const void *image, struct weir_gpu_module **out);
/* NULL: no module that is loaded. */
struct weir_gpu_module *cu_module_of(const void *handle);

/* Writes where a program wants it. */
static inline int cu_put(int *out, int value) {
  if (out == NULL) return WEIR_E_InvalidValue;
  *out = value;
  return 0;
}

#endif
