/* Synthetic kernels and machines for the tests of the timing model: written by hand, instruction by
 * instruction, or made from a seed. */
#ifndef TESTS_SIM_SYNTH_H
#define TESTS_SIM_SYNTH_H

#include "base/settings.h"
#include "l1/l1.h"
#include "sim/engine.h"

/* With a sanitizer, which looks for other things than wrong results, some tests run no code that
 * others do not run in a tenth of the time. */
#if defined __SANITIZE_ADDRESS__ || defined __SANITIZE_THREAD__
enum { IS_SANITIZED = true };
#else
enum { IS_SANITIZED = false };
#endif

enum { SYNTH_INSNS = 64 };

struct synth_op {
  uint32_t block, warp, insn, mask;
  bool has_addr;
  struct weir_addrs addrs;
  uint64_t lane[WEIR_LANES];
};

struct synth {
  struct weir_kernel_info info;
  struct weir_static insns[SYNTH_INSNS];
  struct synth_op *ops; /* of each warp in order; warps in any order */
  size_t n, cap;
  uint32_t n_blocks, next_block, n_released;
  struct weir_stream_pool pool;
  struct weir_block_source source;
};

/* A kernel of `n_blocks` blocks of `n_warps` warps without instructions. Failures of the host end
 * the test. */
void synth_init(struct synth *s, uint32_t n_blocks, uint32_t n_warps);
void synth_free(struct synth *s);

/* A static instruction; registers from 0, -1 = none. Returns its index. */
uint32_t synth_insn(struct synth *s, enum weir_class cls, int dst, int src);
/* One that accesses memory. */
uint32_t synth_access(struct synth *s, enum weir_class cls, enum weir_space space, unsigned width,
                      int dst, int src);

/* For `warps` warps; 0: all of the block. */
uint32_t synth_barrier(struct synth *s, unsigned id, unsigned warps, bool arrive);

/* The next dynamic instruction of a warp. */
void synth_put(struct synth *s, uint32_t block, uint32_t warp, uint32_t insn);
/* All lanes at `base`. */
void synth_uniform(struct synth *s, uint32_t block, uint32_t warp, uint32_t insn, uint64_t base);
void synth_stride(struct synth *s, uint32_t block, uint32_t warp, uint32_t insn, uint32_t mask,
                  uint64_t base, int64_t stride);
void synth_list(struct synth *s, uint32_t block, uint32_t warp, uint32_t insn, uint32_t mask,
                const uint64_t lane[WEIR_LANES]);

/* Blocks, barriers, loads, stores, atomics, fences, every class, space and cache operator. */
void synth_random(struct synth *s, uint64_t seed);

/* The blocks from the first on. */
struct weir_block_source *synth_source(struct synth *s);

struct machine {
  struct weir_settings settings;
  struct weir_machine m;
};

/* The settings of a file of gpus/ (NULL: the defaults), then assignments "l1.ways=2", ended by
 * NULL. Returns what weir_machine_fill returned. */
enum weir_status machine_try(struct machine *x, const char *file, const char *const *set,
                             struct weir_err *err);
/* The same; a refusal ends the test. */
void machine_init(struct machine *x, const char *file, const char *const *set);
/* The same, with all slices as far from an SM, and kernels that end with their last block. */
void machine_init_plain(struct machine *x, const char *file, const char *const *set);
/* Small machines of all kinds that weir_machine_fill accepts; counts what it refused. */
void machine_random(struct machine *x, uint64_t seed, uint32_t *n_refused);
void machine_free(struct machine *x);
/* Every setting that is not the default, as arguments of --set. */
void machine_print(const struct machine *x);

/* A design of parts that stand together on the machine, with default parameters; every third is the
 * machine's own. It is what x->m and the seed say, and lives as long as `d`. */
struct random_design {
  struct weir_design d;
  char cfg[WEIR_MAX_PARTS][1024];
  char name[200];
};
void design_random(struct random_design *d, const struct weir_machine *m, uint64_t seed);

/* Run kernels one after the other on a new simulator; a failure ends the test. NULL design: the
 * machine's own. */
void synth_run(const struct machine *x, const struct weir_design *d, struct synth *const *kernels,
               unsigned n, const struct weir_sim_options *o, struct weir_sim_result *r);
/* Prints what differs. */
bool same_result(const struct weir_sim_result *a, const struct weir_sim_result *b);

#endif
