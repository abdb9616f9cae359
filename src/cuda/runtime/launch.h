/* Launching kernels. */
#ifndef WEIR_CUDA_RUNTIME_LAUNCH_H
#define WEIR_CUDA_RUNTIME_LAUNCH_H

#include "cuda/runtime/memory.h"
#include "cuda/runtime/module.h"

struct weir_gpu_launch {
  struct weir_gpu_kernel *kernel;
  uint32_t grid[3], block[3];
  uint64_t dyn_shared;
  bool is_cooperative;
  uint8_t carveout; /* of this launch: percent + 1; 0: what the kernel prefers */
  uint8_t *params;  /* the parameter block, ptx_func.param_bytes long */
};

/* A preference for shared memory as programs give it; false: none. */
static inline bool weir_gpu_is_percent(int carveout) {
  return carveout >= 0 && carveout <= 100;
}

/* The parameter block from pointers to the arguments; the kernel must be loaded. Freed by free().
 * NULL: out of memory. */
WEIR_GPU_SHARED uint8_t *weir_gpu_pack(const struct weir_gpu_kernel *k, void *const *args);
/* Does the machine have such grids and blocks? */
WEIR_GPU_SHARED bool weir_gpu_is_configuration(const uint32_t grid[3], const uint32_t block[3]);
/* The error that the launch call itself returns; loads the kernel. */
WEIR_GPU_SHARED int weir_gpu_launch_check(const struct weir_gpu_launch *l);
/* Makes it ready to run, as *out. */
struct weir_gpu_running;
int weir_gpu_launch_begin(const struct weir_gpu_launch *l, uint64_t stream,
                          struct weir_gpu_running **out);
/* Executes it, to its end and then tells weir; or, false, until it waits for something that is not
 * its own. A fault is kept in weir_gpu.sticky, and is no error here: on a real machine the kernel
 * would not have started yet. */
bool weir_gpu_launch_go_on(struct weir_gpu_running *g);
/* Of one that waits: is there a use in going on? */
enum ptx_wake weir_gpu_launch_wake(const struct weir_gpu_running *g);
/* Of one that waits: it fails, for nothing will come. */
void weir_gpu_launch_give_up(struct weir_gpu_running *g);
/* The same without a result; `why` is what the user is told. */
void weir_gpu_launch_drop(struct weir_gpu_running *g, const char *why);

/* Blocks of the kernel that fit on one SM. */
WEIR_GPU_SHARED int weir_gpu_occupancy(struct weir_gpu_kernel *k, uint64_t threads,
                                       uint64_t dyn_shared, int *blocks);
/* What a kernel takes. */
struct weir_gpu_figures {
  size_t shared, constant, local;
  int max_threads, regs, ptx_version, max_dynamic_shared;
};
/* Loads the kernel. Registers are estimated from the PTX: no compiler has assigned them. */
WEIR_GPU_SHARED int weir_gpu_kernel_figures(struct weir_gpu_kernel *k, struct weir_gpu_figures *f);
/* Sets the most dynamic shared memory that it may be launched with. */
WEIR_GPU_SHARED int weir_gpu_kernel_max_shared(struct weir_gpu_kernel *k, int bytes);

/* Tells weir of a copy, for traces. */
/* The part of the program that --profiler-region asks for begins or ends. Returns 0. */
WEIR_GPU_SHARED int weir_gpu_region(bool is_inside);
void weir_gpu_tell_copy(const struct weir_gpu_copy *c);

/* Estimates, in nanoseconds: what is used where weir does not time. */
double weir_gpu_estimate_copy(uint64_t bytes, bool crosses);

#endif
