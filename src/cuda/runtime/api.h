/* What the entry points of libcudart have in common. */
#ifndef WEIR_CUDA_RUNTIME_API_H
#define WEIR_CUDA_RUNTIME_API_H

#include "cuda/runtime/cuda_types.h"
#include "cuda/runtime/launch.h"
#include "cuda/runtime/stream.h"

#define CUDA_EXPORT __attribute__((visibility("default")))

/* An entry point: declared, then defined by the body that follows. */
#define CUDA_API(name, ...)                                                                        \
  CUDA_EXPORT int name(__VA_ARGS__);                                                               \
  int name(__VA_ARGS__)

/* The same function under the name that --default-stream per-thread uses. Work is done in the order
 * of the calls, so there is nothing to do differently. */
#define CUDA_ALIAS(name, suffix)                                                                   \
  extern CUDA_EXPORT __typeof__(name) name##suffix __attribute__((alias(#name)))

/* The same function under the name that earlier versions have. */
#define CUDA_OLD_NAME(old, name)                                                                   \
  extern CUDA_EXPORT __typeof__(name) old __attribute__((alias(#name)))

/* The body of an entry point: an expression that gives an error code, under the lock. */
#define CUDA_CALL(...)                                                                             \
  do {                                                                                             \
    int error_ = cudart_enter();                                                                   \
    if (error_ == 0) error_ = (__VA_ARGS__);                                                       \
    return cudart_leave(error_);                                                                   \
  } while (0)

/* The same also after a fault: for questions that need no working device. */
#define CUDA_ASK(...)                                                                              \
  do {                                                                                             \
    int error_ = weir_gpu_enter_always();                                                          \
    if (error_ == 0) error_ = (__VA_ARGS__);                                                       \
    return cudart_return(weir_gpu_leave(error_));                                                  \
  } while (0)

/* The same where a device that works is needed, but no context: none is made. */
#define CUDA_PLAIN(...)                                                                            \
  do {                                                                                             \
    int error_ = weir_gpu_enter();                                                                 \
    if (error_ == 0) error_ = (__VA_ARGS__);                                                       \
    return cudart_return(weir_gpu_leave(error_));                                                  \
  } while (0)

/* Errors that differ between versions: an impossible grid or block, and a function that is no
 * kernel. */
extern const int cudart_bad_configuration, cudart_no_kernel;
/* This is libcuda: what the runtime was told itself does not change. */
extern const bool cudart_is_driver;

/* Entry points are in libcudart and, under other names, in libcuda; each begins and ends them in
 * its way. Takes the lock; 0, or the error that the call gives. */
int cudart_enter(void);
/* Gives the lock back and returns what the call returns. */
int cudart_leave(int error);

/* Keeps an error for cudaGetLastError of this thread, and returns it. */
int cudart_return(int error);

/* Stream `handle` gets `op`. */
int cudart_submit(const void *handle, const struct weir_gpu_op *op);

static inline uint64_t cudart_addr(const void *p) {
  return (uintptr_t)p;
}
static inline void *cudart_ptr(uint64_t addr) {
  return (void *)(uintptr_t)addr;
}

/* A 3D copy of the program; fails where a handle is none. */
int cudart_copy3d(const struct cuda_copy3d *from, struct weir_gpu_copy *to);
/* The address of byte `offset` of a symbol, of which `bytes` are used. */
int cudart_symbol(const void *symbol, size_t bytes, size_t offset, uint64_t *addr);
/* A launch with its parameters packed, which the caller frees. */
int cudart_launch_of(const void *func, struct cuda_dim3 grid, struct cuda_dim3 block, void **args,
                     size_t shared, struct weir_gpu_launch *out);

/* Graphs, for entry points whose arguments differ between versions. `edges` may be NULL, else it
 * gets 8 zero bytes for each edge. */
int cudart_instantiate(void **out, void *graph, uint64_t flags);
int cudart_exec_update(void *exec, void *graph, struct cuda_update_info *info);
int cudart_edit_edges(void *graph, void *const *from, void *const *to, size_t n, bool add);
int cudart_edges(void *graph, void **from, void **to, void *edges, size_t *n);
int cudart_neighbours(void *node, void **out, void *edges, size_t *n, bool before);
int cudart_add_node(void **out, void *graph, void *const *deps, size_t n,
                    struct cuda_node_params *params);
int cudart_capture_info(void *stream, int *status, unsigned long long *id, void **graph,
                        const void ***deps, const void **edges, size_t *n);
int cudart_capture_update(void *stream, void *const *deps, size_t n, unsigned flags);

#endif
