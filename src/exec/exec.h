/* Running PTX kernels: images in device memory, programs, launches.
 *
 *   struct ptx_device dev;
 *   ptx_device_init(&dev, &params, &err);                            memory and settings
 *   ptx_image_load(&dev, module, &image, &err);                      variables are placed and set
 *   ptx_program_build(image, "kernel", &params, &prog, &err);        decoded
 *   ptx_run_begin(&dev, prog, &launch, want_streams, &run, &err);
 *   while (ptx_run_next(run, &block, &err) == WEIR_OK && block) ...  executes a block (or a wave)
 *                                                                    and gives its streams
 *   ptx_run_stats(run, &stats);
 *   ptx_run_end(run);
 */
#ifndef WEIR_EXEC_EXEC_H
#define WEIR_EXEC_EXEC_H

#include "base/registry.h"
#include "exec/mem.h"
#include "ptx/ir.h"
#include "stream/block.h"
#include "stream/func_stats.h"
#include "weir/param.h"

/* exec.simd */
#define PTX_SIMDS(X)                                                                               \
  X(PTX_SIMD_AUTO, "auto")                                                                         \
  X(PTX_SIMD_BASE, "base") X(PTX_SIMD_AVX2, "avx2") X(PTX_SIMD_AVX512, "avx512")
enum ptx_simd { PTX_SIMDS(WEIR_CHOICE_ID) };

/* exec.*: settings of functional execution. None of them may change with the machine that is
 * simulated. */
struct ptx_exec_cfg {
  int64_t wave, wave_memory, quantum, yield_after, deadlock_quanta, clock_factor, max_instructions,
      stack_bytes, max_depth, heap, printf_bytes, device_memory, stream_memory, sm_count;
  bool contract; /* fuse products and sums as an assembler does (exec/contract.h) */
  enum ptx_simd simd;
  bool interleave;
};
extern const struct weir_param ptx_exec_table[];
extern const struct weir_param_group ptx_exec_params;

/* Receives what kernels say, when a launch has ended (or failed): text of n bytes, blocks in id
 * order, each in the order of its execution. A function that is NULL: that text is dropped. */
struct ptx_output {
  void *self;
  void (*print)(void *self, const char *text, size_t n);    /* printf; a CUDA program's stdout */
  void (*complain)(void *self, const char *text, size_t n); /* assert; a CUDA program's stderr */
};

struct ptx_tex_table;
struct ptx_device {
  struct ptx_mem mem;
  struct ptx_tex_table *tex; /* textures and surfaces (exec/tex.h); NULL until there is one */
  struct ptx_exec_cfg cfg;
  uint64_t n_launches;
  struct ptx_output output; /* set after ptx_device_init, if wanted */
  uint64_t n_lost;          /* printf calls whose text was lost (exec.printf_bytes) */
  struct ptx_heap *heap;    /* of device malloc; made by the first launch that can use it */
  bool is_strict; /* accesses outside of allocations are faults where there is memory, too; only
                     memory with chunks has such places */
  uint64_t grid_workspace; /* where blocks of a cooperative launch meet; 0: not made yet */
};
enum weir_status ptx_device_init(struct ptx_device *dev, const struct ptx_exec_cfg *cfg,
                                 struct weir_err *err);
/* The same with device addresses that are host addresses (ptx_mem_init_same). */
enum weir_status ptx_device_init_same(struct ptx_device *dev, const struct ptx_exec_cfg *cfg,
                                      struct weir_err *err);
void ptx_device_free(struct ptx_device *dev);

/* A module whose variables have addresses. Keeps a pointer to the module. */
struct ptx_image;
enum weir_status ptx_image_load(struct ptx_device *dev, const struct ptx_module *m,
                                struct ptx_image **out, struct weir_err *err);
void ptx_image_free(struct ptx_image *image);
/* Address and size of a module-scope variable in global or constant memory. */
enum weir_status ptx_image_var(const struct ptx_image *image, const char *name, uint64_t *addr,
                               uint64_t *bytes, struct weir_err *err);

struct ptx_program;
enum weir_status ptx_program_build(const struct ptx_image *image, const char *kernel,
                                   const struct ptx_exec_cfg *cfg, struct ptx_program **out,
                                   struct weir_err *err);
void ptx_program_free(struct ptx_program *prog);
const struct ptx_func *ptx_program_entry(const struct ptx_program *prog);
const struct ptx_module *ptx_program_module(const struct ptx_program *prog);
/* Static instructions of the kernel, as in its weir_kernel_info. */
uint32_t ptx_program_n_insns(const struct ptx_program *prog);
/* Its functions, the entry first; *first is the static index of the function's first instruction.
 * NULL after the last. */
const struct ptx_func *ptx_program_func(const struct ptx_program *prog, uint32_t i,
                                        uint32_t *first);

struct ptx_launch {
  uint32_t grid[3], block[3];
  uint32_t dyn_shared;
  uint32_t regs_per_thread, static_shared_ptxas; /* as ptxas reported them; 0 = unknown */
  const void *params; /* the parameter block, ptx_func.param_bytes long */
  bool cooperative;   /* all blocks run together and may wait for one another (grid.sync()) */
  bool may_park;      /* it may wait for others than its own blocks: see ptx_run_is_parked */
};
/* Blocks of a cooperative launch of this kernel that can run together; a larger grid is refused.
 * The grid of `launch` does not matter. What the simulated machine can hold is the caller's to ask.
 */
uint64_t ptx_most_blocks(const struct ptx_device *dev, const struct ptx_program *prog,
                         const struct ptx_launch *launch);

/* What ended a launch that failed with WEIR_EFAULT or WEIR_ELIMIT; in brackets the CUDA error code
 * that a program would see. */
enum ptx_fault_kind {
  PTX_F_NONE,
  PTX_F_BOUNDS,   /* no memory at an address (700) */
  PTX_F_ALIGN,    /* (716) */
  PTX_F_READONLY, /* a store to constant memory or to parameters (700) */
  PTX_F_STACK,    /* calls too deep, or too much local memory (700) */
  PTX_F_TRAP,     /* trap or brkpt (719) */
  PTX_F_ASSERT,   /* an assertion failed (710) */
  PTX_F_HEAP,     /* free of what malloc did not give, or twice (719) */
  PTX_F_BRANCH,   /* an index outside of a table of branch targets (718) */
  PTX_F_CALL,     /* a call through an address at which no fitting function is (718) */
  PTX_F_TEXTURE,  /* no texture or surface of that handle that fits the instruction (700) */
  PTX_F_SURFACE,  /* an access outside of a surface that was to trap (719) */
  PTX_F_BARRIER,  /* at a barrier: a number that is not of whole warps, or others name another (715)
                   */
  PTX_F_MEMBERS,  /* an exchange by a lane that is not in the member mask which it names (715) */
  PTX_F_HANG,     /* threads that wait for one another, or spin, for ever (702) */
  PTX_F_LIMIT,    /* exec.max_instructions (702) */
  PTX_F_NOMEM     /* the host is out of memory (2) */
};

struct ptx_run;
enum weir_status ptx_run_begin(struct ptx_device *dev, const struct ptx_program *prog,
                               const struct ptx_launch *launch, bool want_streams,
                               struct ptx_run **out, struct weir_err *err);
/* Executes what is needed to deliver the next block in id order. *out is NULL at the end of the
 * grid. Without streams each call runs one block (or one wave) and *out is only a marker (non-NULL)
 * of progress. */
enum weir_status ptx_run_next(struct ptx_run *run, struct weir_block_stream **out,
                              struct weir_err *err);
/* Can it happen to this launch that it is parked? */
bool ptx_run_can_park(const struct ptx_run *run);
/* After ptx_run_next gave no block: the launch is not at its end, but waits for memory to change,
 * before any block was delivered. ptx_run_next goes on with it. */
bool ptx_run_is_parked(const struct ptx_run *run);
/* Is there a use in going on? */
enum ptx_wake {
  PTX_WAKE_NO,    /* it would find what it has found, and do the same again */
  PTX_WAKE_MAYBE, /* what it looks at is the same, but it counts, computes, or stores */
  PTX_WAKE_YES    /* a word that it looks at has changed */
};
enum ptx_wake ptx_run_wake(const struct ptx_run *run);
/* Ends a parked launch: nothing will come. Says who waits where. */
enum weir_status ptx_run_give_up(struct ptx_run *run, struct weir_err *err);
/* Give a delivered block back: its streams are dropped. */
void ptx_run_release(struct ptx_run *run, struct weir_block_stream *block);
/* All of it: begin, next until the end, stats. */
enum weir_status ptx_run_all(struct ptx_device *dev, const struct ptx_program *prog,
                             const struct ptx_launch *launch, struct weir_func_stats *stats,
                             struct weir_err *err);
/* Why ptx_run_next failed; PTX_F_NONE if it did not, or if the kernel is not to blame. */
enum ptx_fault_kind ptx_run_fault(const struct ptx_run *run);
/* Calls `tell` for each instruction whose accesses missed their allocations and went on. */
struct weir_stray;
enum weir_status ptx_run_strays(const struct ptx_run *run,
                                void (*tell)(void *self, const struct weir_stray *stray),
                                void *self, struct weir_err *err);
const struct weir_kernel_info *ptx_run_info(const struct ptx_run *run);
uint64_t ptx_run_blocks_done(const struct ptx_run *run);
void ptx_run_stats(const struct ptx_run *run, struct weir_func_stats *stats);
void ptx_run_end(struct ptx_run *run);

#endif
