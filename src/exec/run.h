/* A launch that runs (run.c), and what its parts offer one another. */
#ifndef WEIR_EXEC_RUN_H
#define WEIR_EXEC_RUN_H

#include "exec/core.h"
#include "exec/exec.h"
#include "exec/fault.h"
#include "exec/spin.h"
#include "exec/stray.h"

struct ptx_run {
  struct ptx_device *dev;
  const struct ptx_program *prog;
  struct ptx_launch launch;
  uint8_t *params;
  struct ptx_uop *code; /* the program's, with handlers of the chosen vector width */
  struct ptx_pc_stat *stat;
  struct ptx_reach *reach; /* per micro-operation, as stat */
  struct ptx_strays strays;
  struct weir_func_stats mem_stats; /* memory accesses, counted by the handlers */
  struct weir_line_counter counter;
  struct weir_kernel_info info;
  struct weir_stream_pool pool;
  bool want_streams, has_pool, has_spins, is_interleaved;
  uint32_t n_warps, n_threads, shared_bytes, local_bytes;
  uint64_t n_blocks, next_block; /* of the grid; first that has not been set up */
  uint64_t executed, launch_index;
  struct ptx_cta *ctas; /* one, or a wave */
  uint32_t n_ctas, cap_ctas;
  uint32_t n_delivered; /* of a finished wave */
  uint64_t blocks_done;
  enum ptx_fault_kind fault;
  bool is_open;         /* a wave has begun and not ended */
  int64_t quiet;        /* rounds in which nothing was stored */
  int64_t patience;     /* quiet rounds before it is put aside (again) */
  struct ptx_spin spin; /* of a launch that can spin (`has_spins`) */
  struct spin_check {   /* three stretches of so many rounds are compared */
    int64_t rounds, at, stretch;
    bool is_same, is_off, has_met;
  } check;
  bool is_parked, is_certain; /* it will do nothing until a watched word changes */
  struct ptx_words watched;
  uint64_t n_rounds, next_probe;
  uint64_t slice_begin;    /* value of `executed` when it last went on */
  uint64_t grid_workspace; /* of a cooperative launch */
  struct ptx_fifo printed;
  struct weir_block_stream marker; /* stands for a block where no streams are wanted */
};

#define EACH_WARP(r, c, w)                                                                         \
  for (struct ptx_cta *c = (r)->ctas; c < (r)->ctas + (r)->n_ctas; c++)                            \
    for (struct ptx_warp *w = c->warps; w < c->warps + c->n_warps; w++)

/* Local memory of a thread. */
static inline uint32_t ptx_local_bytes(const struct ptx_device *dev,
                                       const struct ptx_program *prog) {
  return prog->is_recursive ? (uint32_t)dev->cfg.stack_bytes : prog->local_bytes;
}

/* ---- sregs.c: constants, parameters and special registers of the register block ---- */

enum ptx_sreg_scope { PTX_SREG_FIXED, PTX_SREG_BLOCK };
void ptx_sregs_fill(const struct ptx_run *r, struct ptx_cta *cta, enum ptx_sreg_scope scope);
void ptx_fixed_fill(const struct ptx_run *r, uint8_t *reg);

/* ---- block.c: a block's memory, its start, its warps ---- */

enum weir_status ptx_block_alloc(struct ptx_run *r, struct ptx_cta *c, struct weir_err *err);
enum weir_status ptx_block_start(struct ptx_run *r, struct ptx_cta *c, uint64_t id,
                                 struct weir_err *err);
void ptx_block_free(struct ptx_cta *c);
/* Up to `budget` instructions of a warp; *n of them were executed. */
enum weir_status ptx_run_warp(struct ptx_run *r, struct ptx_cta *c, struct ptx_warp *w,
                              uint64_t budget, uint64_t *n, struct weir_err *err);

/* ---- wait.c: warps and launches that wait ---- */

/* A warp that has stored nothing for long need not run while what it looks at stays the same. */
enum weir_status ptx_wait_sleep(struct ptx_run *r, struct ptx_cta *c, struct ptx_warp *w,
                                bool *changed, struct weir_err *err);
void ptx_wait_wake_all(struct ptx_run *r);
/* From now on loads are watched, and stretches of so many rounds compared. */
void ptx_wait_check(struct ptx_run *r, int64_t rounds);
/* Something was stored: nobody spins for sure. */
void ptx_wait_end_check(struct ptx_run *r);
/* After a round in which nothing was stored: is it known now that the wave spins? */
bool ptx_wait_finds_spin(struct ptx_run *r);
/* After any other round. */
void ptx_wait_probe(struct ptx_run *r);
bool ptx_wait_may_park(const struct ptx_run *r);
/* Puts the launch aside, if there is something outside of it that it can wait for. */
enum weir_status ptx_wait_park(struct ptx_run *r, bool is_certain, struct weir_err *err);
/* Puts it aside if it has looked at the host's memory for long, and goes on storing: the host may
 * wait for that. */
void ptx_wait_end_slice(struct ptx_run *r);
/* A launch that was put aside goes on. */
void ptx_wait_resume(struct ptx_run *r);

/* ---- wave.c: blocks that run together ---- */

/* Runs the wave that has begun, or the next one, until it ends or is put aside. */
enum weir_status ptx_wave_run(struct ptx_run *r, struct weir_err *err);
/* What the blocks of the wave printed joins what earlier ones did, in the order of block ids; and
 * all of it goes to whom it is for. */
enum weir_status ptx_wave_collect(struct ptx_run *r, struct weir_err *err);
void ptx_wave_deliver(struct ptx_run *r);
enum weir_status ptx_wave_report_stuck(struct ptx_run *r, enum ptx_stuck how, struct weir_err *err);

#endif
