/* Launches: blocks in id order, waves where blocks can feel one another, statistics, and what a
 * fault says. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "exec/core.h"
#include "exec/exec.h"
#include "exec/fault.h"
#include "exec/heap.h"
#include "exec/image.h"
#include "exec/simt.h"
#include "exec/spin.h"
#include "exec/stray.h"
#include "exec/tex_object.h"

const struct weir_param ptx_exec_table[] = {
    WEIR_PARAM(ptx_exec_cfg, wave, "160", .min = 1, .max = 65536, .unit = "block",
               .help = "blocks that run together where blocks can feel one another"),
    WEIR_PARAM(ptx_exec_cfg, wave_memory, "4G", .min = 1048576, .max = 1099511627776.0,
               .unit = "byte",
               .help = "registers, shared and local memory that a widened wave may take; a wave "
                       "whose blocks spin is widened to as many blocks of the grid as fit"),
    WEIR_PARAM(ptx_exec_cfg, interleave, "false",
               .help =
                   "the blocks of every kernel run together in waves, not only where blocks can "
                   "feel one another"),
    WEIR_PARAM(ptx_exec_cfg, quantum, "256", .min = 1, .max = 1000000000, .unit = "insn",
               .help = "instructions of one warp before the next warp of the block (or wave) runs"),
    WEIR_PARAM(ptx_exec_cfg, yield_after, "32", .min = 1, .max = 1000000,
               .help = "backward branches of a loop that watches memory before other lanes of the "
                       "warp get their turn"),
    WEIR_PARAM(ptx_exec_cfg, deadlock_quanta, "20000", .min = 1, .max = 1000000000,
               .help = "rounds without a store, barrier or exit after which a launch that waits is "
                       "given up, if it is not known earlier that it waits for ever"),
    WEIR_PARAM(ptx_exec_cfg, clock_factor, "4", .min = 1, .max = 1000, .unit = "cycle",
               .help = "what %clock advances per executed warp instruction (not simulated cycles)"),
    WEIR_PARAM(ptx_exec_cfg, max_instructions, "0", .min = 0, .max = 1e18, .unit = "insn",
               .help =
                   "end a launch with an error after this many warp instructions; 0 = no limit"),
    WEIR_PARAM(ptx_exec_cfg, stack_bytes, "64K", .min = 1024, .max = 16777216, .unit = "byte",
               .help = "largest local memory of one thread: local variables and call frames"),
    WEIR_PARAM(ptx_exec_cfg, max_depth, "1000", .min = 1, .max = 65000,
               .help = "deepest nesting of calls"),
    WEIR_PARAM(ptx_exec_cfg, heap, "8M", .min = 16, .max = 17179869184.0, .unit = "byte",
               .help = "heap of malloc in kernels; made by the first launch that can use it"),
    WEIR_PARAM(
        ptx_exec_cfg, printf_bytes, "1M", .min = 1, .max = 1099511627776.0, .unit = "byte",
        .help =
            "buffer of printf in kernels for one launch: 8 bytes a call and each of its arguments, "
            "and the strings; when it is full the oldest output is lost"),
    WEIR_PARAM(ptx_exec_cfg, device_memory, "16G", .min = 1048576, .max = 1099511627776.0,
               .unit = "byte",
               .help = "device memory that can be allocated (reserved, used only where written)"),
    WEIR_PARAM(
        ptx_exec_cfg, stream_memory, "256M", .min = 1048576, .max = 1099511627776.0, .unit = "byte",
        .help = "warp streams kept in memory before they spill to a compressed temporary file",
        .when = "streams"),
    WEIR_PARAM(ptx_exec_cfg, sm_count, "132", .min = 1, .max = 4096,
               .help = "what %nsmid tells the program; block b runs on %smid = b modulo this"),
    WEIR_PARAM(ptx_exec_cfg, contract, "true",
               .help = "mul and add or sub without a rounding modifier become one fused "
                       "multiply-add where the assembler for an H200 fuses them; false = as the "
                       "text has it"),
    WEIR_PARAM(ptx_exec_cfg, simd, "auto", .choices = WEIR_CHOICES(PTX_SIMDS),
               .help = "vector code used for execution; results are the same for all"),
    WEIR_PARAM_END};

const struct weir_param_group ptx_exec_params = {.prefix = "exec",
                                                 .when = "executed",
                                                 .about = "Functional execution of PTX.",
                                                 .table = ptx_exec_table,
                                                 .cfg_bytes = sizeof(struct ptx_exec_cfg)};

enum weir_status ptx_device_init(struct ptx_device *dev, const struct ptx_exec_cfg *cfg,
                                 struct weir_err *err) {
  *dev = (struct ptx_device){.cfg = *cfg};
  return ptx_mem_init(&dev->mem, (uint64_t)cfg->device_memory, err);
}

enum weir_status ptx_device_init_same(struct ptx_device *dev, const struct ptx_exec_cfg *cfg,
                                      struct weir_err *err) {
  *dev = (struct ptx_device){.cfg = *cfg};
  return ptx_mem_init_same(&dev->mem, (uint64_t)cfg->device_memory, err);
}

void ptx_device_free(struct ptx_device *dev) {
  ptx_heap_free(dev->heap);
  dev->heap = NULL;
  ptx_tex_table_free(dev->tex);
  dev->tex = NULL;
  ptx_mem_free_all(&dev->mem);
}

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

/* ---- choosing vector code ---- */

static enum weir_status choose_handlers(enum ptx_simd simd, const ptx_fn **out,
                                        struct weir_err *err) {
  static const char *const names[] = {PTX_SIMDS(WEIR_CHOICE_NAME)};
  bool is_auto = simd == PTX_SIMD_AUTO;
#ifdef WEIR_HAVE_AVX512
  __builtin_cpu_init();
  bool has512 = __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
                __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl") &&
                __builtin_cpu_supports("avx512cd") && __builtin_cpu_supports("fma");
  if (has512 && (is_auto || simd == PTX_SIMD_AVX512)) {
    *out = ptx_handlers_avx512;
    return WEIR_OK;
  }
#endif
#ifdef WEIR_HAVE_AVX2
  __builtin_cpu_init();
  bool has256 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") &&
                __builtin_cpu_supports("bmi2");
  if (has256 && (is_auto || simd == PTX_SIMD_AVX2)) {
    *out = ptx_handlers_avx2;
    return WEIR_OK;
  }
#endif
  *out = ptx_handlers_base;
  if (is_auto || simd == PTX_SIMD_BASE) return WEIR_OK;
  weir_fail(err, WEIR_EINVAL, "exec.simd=%s: this host or this build does not have it",
            names[simd]);
  weir_err_add(err, "remedy: exec.simd=auto");
  return WEIR_EINVAL;
}

/* ---- special registers ---- */

enum sreg_scope { SREG_FIXED, SREG_BLOCK };

static enum sreg_scope scope_of(unsigned s) {
  switch (s) {
  case PTX_SR_ctaid_x:
  case PTX_SR_ctaid_y:
  case PTX_SR_ctaid_z:
  case PTX_SR_clusterid_x:
  case PTX_SR_clusterid_y:
  case PTX_SR_clusterid_z:
  case PTX_SR_smid:
    return SREG_BLOCK;
  default:
    return SREG_FIXED;
  }
}

static uint64_t sreg_value(const struct ptx_run *r, const struct ptx_cta *cta, uint32_t warp,
                           uint32_t lane, unsigned s) {
  const uint32_t *b = r->launch.block, *g = r->launch.grid;
  uint32_t t = warp * LANES + lane;
  switch (s) {
  case PTX_SR_tid_x:
    return t % b[0];
  case PTX_SR_tid_y:
    return t / b[0] % b[1];
  case PTX_SR_tid_z:
    return t / b[0] / b[1];
  case PTX_SR_ntid_x:
    return b[0];
  case PTX_SR_ntid_y:
    return b[1];
  case PTX_SR_ntid_z:
    return b[2];
  case PTX_SR_ctaid_x:
  case PTX_SR_clusterid_x:
    return cta->ctaid[0];
  case PTX_SR_ctaid_y:
  case PTX_SR_clusterid_y:
    return cta->ctaid[1];
  case PTX_SR_ctaid_z:
  case PTX_SR_clusterid_z:
    return cta->ctaid[2];
  case PTX_SR_nctaid_x:
  case PTX_SR_nclusterid_x:
    return g[0];
  case PTX_SR_nctaid_y:
  case PTX_SR_nclusterid_y:
    return g[1];
  case PTX_SR_nctaid_z:
  case PTX_SR_nclusterid_z:
    return g[2];
  case PTX_SR_cluster_nctaid_x:
  case PTX_SR_cluster_nctaid_y:
  case PTX_SR_cluster_nctaid_z:
  case PTX_SR_cluster_nctarank:
    return 1;
  case PTX_SR_laneid:
    return lane;
  case PTX_SR_warpid:
    return warp;
  case PTX_SR_nwarpid:
    return r->n_warps;
  case PTX_SR_smid:
    return cta->id % (uint64_t)r->dev->cfg.sm_count;
  case PTX_SR_nsmid:
    return (uint64_t)r->dev->cfg.sm_count;
  case PTX_SR_gridid:
    return r->launch_index;
  case PTX_SR_lanemask_eq:
    return UINT32_C(1) << lane;
  case PTX_SR_lanemask_lt:
    return (UINT32_C(1) << lane) - 1;
  case PTX_SR_lanemask_le:
    return ((UINT32_C(1) << lane) - 1) | UINT32_C(1) << lane;
  case PTX_SR_lanemask_gt:
    return ~(((UINT32_C(1) << lane) - 1) | UINT32_C(1) << lane);
  case PTX_SR_lanemask_ge:
    return ~((UINT32_C(1) << lane) - 1);
  case PTX_SR_total_smem_size:
  case PTX_SR_aggr_smem_size:
    return r->shared_bytes;
  case PTX_SR_dynamic_smem_size:
    return r->launch.dyn_shared;
  case PTX_SR_envreg1:
    return r->grid_workspace >> 32;
  case PTX_SR_envreg2:
    return r->grid_workspace & UINT32_MAX;
  default:
    return 0; /* environment, performance counters and clusters: nothing there */
  }
}

static void put_lane(uint8_t *slot, unsigned bytes, uint32_t lane, uint64_t v) {
  memcpy(slot + (size_t)lane * bytes, &v, bytes);
}

static void fill_sregs(const struct ptx_run *r, struct ptx_cta *cta, enum sreg_scope scope) {
  for (uint32_t k = 0; k < r->prog->n_sregs; k++) {
    const struct ptx_sreg_slot *s = &r->prog->sregs[k];
    if (scope_of(s->sreg) != scope) continue;
    if (scope == SREG_BLOCK) { /* the same for all threads of the block */
      uint8_t lanes[8 * LANES];
      uint64_t v = sreg_value(r, cta, 0, 0, s->sreg);
      for (uint32_t lane = 0; lane < LANES; lane++)
        put_lane(lanes, s->bytes, lane, v);
      for (uint32_t w = 0; w < cta->n_warps; w++)
        memcpy(cta->warps[w].reg + s->slot, lanes, (size_t)s->bytes * LANES);
      continue;
    }
    for (uint32_t w = 0; w < cta->n_warps; w++)
      for (uint32_t lane = 0; lane < LANES; lane++)
        put_lane(cta->warps[w].reg + s->slot, s->bytes, lane, sreg_value(r, cta, w, lane, s->sreg));
  }
}

/* Constants and parameters are the same for all warps. */
static void fill_fixed(const struct ptx_run *r, uint8_t *reg) {
  for (uint32_t k = 0; k < r->prog->n_consts; k++) {
    const struct ptx_const_slot *c = &r->prog->consts[k];
    for (uint32_t lane = 0; lane < LANES; lane++)
      put_lane(reg + c->slot, c->bytes, lane, c->value);
  }
  for (uint32_t k = 0; k < r->prog->n_params; k++) {
    const struct ptx_param_slot *p = &r->prog->params[k];
    uint64_t v = 0;
    memcpy(&v, r->params + p->offset, p->bytes);
    if (p->is_signed && p->bytes < 8)
      v = (uint64_t)((int64_t)(v << (64 - 8 * p->bytes)) >> (64 - 8 * p->bytes));
    for (uint32_t lane = 0; lane < LANES; lane++)
      put_lane(reg + p->slot, p->reg_bytes, lane, v);
  }
}

/* ---- blocks ---- */

static void free_cta(struct ptx_cta *c) {
  for (uint32_t w = 0; c->warps != NULL && w < c->n_warps; w++) {
    ptx_warp_free(&c->warps[w]);
    free(c->warps[w].sleeps_on.v);
    free(c->warps[w].reg);
    free(c->warps[w].local);
  }
  free(c->warps);
  free(c->shared);
  ptx_fifo_free(&c->printed);
  weir_text_free(&c->complaint);
  if (c->stream != NULL) weir_block_release(c->stream);
  *c = (struct ptx_cta){0};
}

static enum weir_status alloc_cta(struct ptx_run *r, struct ptx_cta *c, struct weir_err *err) {
  *c = (struct ptx_cta){.n_warps = r->n_warps,
                        .launch = &r->launch,
                        .printed_limit = (size_t)r->dev->cfg.printf_bytes,
                        .heap = r->dev->heap};
  c->warps = weir_calloc(r->n_warps, sizeof *c->warps);
  c->shared = weir_aligned_alloc(64, ptx_shared_mapped(r->shared_bytes ? r->shared_bytes : 1));
  bool ok = c->warps != NULL && c->shared != NULL;
  for (uint32_t k = 0; ok && k < r->n_warps; k++) {
    struct ptx_warp *w = &c->warps[k];
    w->reg = weir_aligned_alloc(64, r->prog->reg_bytes);
    w->max_depth = (uint32_t)r->dev->cfg.max_depth;
    w->local_step = r->local_bytes + (r->dev->mem.is_chunked ? PTX_LOCAL_SLACK : 0u);
    w->local = r->local_bytes ? weir_calloc(LANES, w->local_step) : NULL;
    ok = w->reg != NULL && (w->local != NULL || r->local_bytes == 0);
    if (!ok) break;
    memset(w->reg, 0, r->prog->reg_bytes);
    fill_fixed(r, w->reg);
    w->prog = r->prog;
    w->cta = c;
    w->code = r->has_spins ? ptx_spin_code(&r->spin) : r->code;
    w->spin = r->has_spins ? &r->spin : NULL;
    w->stat = r->stat;
    w->mem = &r->dev->mem;
    w->reach = r->reach;
    w->strays = r->dev->mem.is_chunked && !r->dev->is_strict ? &r->strays : NULL;
    w->tex = r->dev->tex;
    w->func_stats = &r->mem_stats;
    w->counter = &r->counter;
    w->shared = c->shared;
    w->shared_bytes = r->shared_bytes;
    w->local_bytes = r->local_bytes;
    w->param = r->params;
    w->param_bytes = (uint32_t)r->prog->entry->param_bytes;
    w->index = k;
    w->launch_executed = &r->executed;
  }
  if (!ok) {
    free_cta(c);
    return weir_fail(err, WEIR_ENOMEM, "out of memory for a block of %u warps", r->n_warps);
  }
  fill_sregs(r, c, SREG_FIXED);
  return WEIR_OK;
}

/* What the block before has used: the stack of a recursive program is large, and mostly untouched.
 */
static void clear_local(struct ptx_warp *w) {
  bool is_all = w->local_used == w->local_bytes || (w->strays != NULL && w->strays->n > 0);
  if (is_all)
    memset(w->local, 0, (size_t)LANES * w->local_step);
  else
    for (uint32_t lane = 0; lane < LANES; lane++)
      memset(w->local + (size_t)lane * w->local_step, 0, w->local_used);
  w->local_used = w->prog->funcs[0].local_bytes;
}

static enum weir_status start_block(struct ptx_run *r, struct ptx_cta *c, uint64_t id,
                                    struct weir_err *err) {
  const uint32_t *g = r->launch.grid;
  c->id = id;
  c->ctaid[0] = (uint32_t)(id % g[0]);
  c->ctaid[1] = (uint32_t)(id / g[0] % g[1]);
  c->ctaid[2] = (uint32_t)(id / g[0] / g[1]);
  fill_sregs(r, c, SREG_BLOCK);
  memset(c->bar, 0, sizeof c->bar);
  /* Undefined on hardware; zero keeps results the same everywhere. */
  memset(c->shared, 0, ptx_shared_mapped(r->shared_bytes));
  c->n_live_warps = c->n_warps;
  if (r->want_streams) {
    enum weir_status st = weir_block_begin(&r->pool, id, c->n_warps, &c->stream, err);
    if (st != WEIR_OK) return st;
  }
  for (uint32_t k = 0; k < c->n_warps; k++) {
    struct ptx_warp *w = &c->warps[k];
    uint32_t left = r->n_threads - k * LANES;
    w->writer = r->want_streams ? &c->stream->writers[k] : NULL;
    w->is_asleep = false;
    w->n_quiet = 0;
    if (w->local != NULL) clear_local(w);
    if (!ptx_warp_start(w, left >= LANES ? FULL : (UINT32_C(1) << left) - 1))
      return weir_fail(err, WEIR_ENOMEM, "out of memory");
  }
  return WEIR_OK;
}

/* ---- running ---- */

/* Up to `budget` instructions of a warp; *n of them were executed. */
static enum weir_status run_warp(struct ptx_run *r, struct ptx_cta *c, struct ptx_warp *w,
                                 uint64_t budget, uint64_t *n, struct weir_err *err) {
  const struct ptx_exec_cfg *cfg = &r->dev->cfg;
  const struct ptx_scene scene = {r->prog, r->dev, &r->launch};
  if (cfg->max_instructions > 0) {
    uint64_t left = (uint64_t)cfg->max_instructions - r->executed;
    if (left == 0) {
      r->fault = PTX_F_LIMIT;
      return ptx_report_limit(&scene, c, w, err);
    }
    budget = budget < left ? budget : left;
  }
  w->is_stored = w->has_met = false;
  *n = ptx_warp_run(w, budget, (uint32_t)cfg->yield_after);
  r->executed += *n;
  w->has_run |= *n > 0;
  if (w->fault.kind == PTX_F_NONE) return WEIR_OK;
  r->fault = w->fault.kind;
  return ptx_report_fault(&scene, c, w, err);
}

/* ---- warps that wait ---- */

enum {
  LONGEST_LOOP = 16384, /* instructions after which a warp that spins should be where it was */
  QUIET_QUANTA = 8      /* without a store before it is looked at */
};

/* Runs a warp until it is in the state in which it was, and records what it loads on the way: if it
 * stores nothing and these words stay as they are, it will do that again for ever. */
static enum weir_status close_loop(struct ptx_run *r, struct ptx_cta *c, struct ptx_warp *w,
                                   bool *is_loop, bool *changed, struct weir_err *err) {
  enum weir_status st = WEIR_OK;
  *is_loop = false;
  uint64_t n = 1, state = 0;
  uint32_t pc = UINT32_MAX, n_back = 0;
  bool has_met = false;
  for (uint32_t i = 0; i <= LONGEST_LOOP && st == WEIR_OK && w->live != 0; i++) {
    if (w->current >= 0) {
      const struct ptx_split *s = &w->splits[w->current];
      if (ptx_spin_is_blind(&w->code[s->pc])) break;
      if (pc == UINT32_MAX)
        pc = s->pc, n_back = s->n_back, state = ptx_warp_state(w);
      else
        *is_loop = s->pc == pc && s->n_back == n_back && ptx_warp_state(w) == state;
    }
    if (*is_loop || *changed || has_met || n == 0) break;
    st = run_warp(r, c, w, 1, &n, err);
    *changed |= w->is_stored;
    has_met |= w->has_met;
  }
  *is_loop |= n == 0 && !has_met; /* it waits for others */
  return st;
}

/* A warp that has stored nothing for long need not run while what it looks at stays the same. */
static enum weir_status try_sleep(struct ptx_run *r, struct ptx_cta *c, struct ptx_warp *w,
                                  bool *changed, struct weir_err *err) {
  bool is_loop, stored = false;
  const struct ptx_uop *code = w->code;
  w->code = r->spin.watching;
  ptx_spin_record(&r->spin, true);
  enum weir_status st = close_loop(r, c, w, &is_loop, &stored, err);
  ptx_spin_record(&r->spin, false);
  w->code = code;
  if (is_loop && !stored && w->live != 0) ptx_spin_sleep(&r->spin, w);
  *changed |= stored;
  return st;
}

static bool is_power_of_two(uint32_t n) {
  return (n & (n - 1)) == 0;
}

/* One quantum of every warp of a block. */
struct round {
  bool ran, changed, met, sleeps; /* of any warp */
};
static enum weir_status round_of_block(struct ptx_run *r, struct ptx_cta *c, struct round *all,
                                       struct weir_err *err) {
  for (uint32_t k = 0; k < c->n_warps; k++) {
    struct ptx_warp *w = &c->warps[k];
    uint64_t n = 0;
    if (w->live == 0) continue;
    if (w->is_asleep && !ptx_spin_wakes(w)) {
      all->sleeps = true;
      continue;
    }
    w->is_asleep = false;
    enum weir_status st = run_warp(r, c, w, (uint64_t)r->dev->cfg.quantum, &n, err);
    if (st != WEIR_OK) return st;
    all->ran |= n > 0;
    all->changed |= w->is_stored;
    all->met |= w->has_met;
    w->n_quiet = n > 0 && !w->is_stored && !w->has_met ? w->n_quiet + 1 : 0;
    if (w->n_quiet < QUIET_QUANTA || !r->has_spins || !is_power_of_two(w->n_quiet)) continue;
    st = try_sleep(r, c, w, &all->changed, err);
    if (st != WEIR_OK) return st;
  }
  return WEIR_OK;
}

static enum weir_status finish_block(struct ptx_cta *c, struct weir_err *err) {
  return c->stream != NULL ? weir_block_finish(c->stream, err) : WEIR_OK;
}

/* Add blocks to the wave until it has `n`, or the grid is used up. */
static enum weir_status widen(struct ptx_run *r, uint64_t n, struct weir_err *err) {
  if (n > r->n_ctas + (r->n_blocks - r->next_block)) n = r->n_ctas + (r->n_blocks - r->next_block);
  if (n > r->cap_ctas) {
    struct ptx_cta *v = weir_realloc(r->ctas, n * sizeof *v);
    if (v == NULL) return weir_fail(err, WEIR_ENOMEM, "out of memory");
    memset(v + r->cap_ctas, 0, (n - r->cap_ctas) * sizeof *v);
    r->ctas = v;
    /* Warps point at their block. */
    for (uint32_t i = 0; i < r->cap_ctas; i++)
      for (uint32_t k = 0; k < v[i].n_warps; k++)
        v[i].warps[k].cta = &v[i];
    r->cap_ctas = (uint32_t)n;
  }
  while (r->n_ctas < n) {
    struct ptx_cta *c = &r->ctas[r->n_ctas];
    enum weir_status st = c->warps == NULL ? alloc_cta(r, c, err) : WEIR_OK;
    if (st == WEIR_OK) st = start_block(r, c, r->next_block, err);
    if (st != WEIR_OK) return st;
    r->n_ctas++;
    r->next_block++;
  }
  return WEIR_OK;
}

static uint32_t local_bytes_of(const struct ptx_device *dev, const struct ptx_program *prog) {
  return prog->is_recursive ? (uint32_t)dev->cfg.stack_bytes : prog->local_bytes;
}

/* A GPU holds far fewer, so a kernel that needs more would hang there as well. The stack of a
 * recursive program is reserved, and hardly any of it used. */
uint64_t ptx_most_blocks(const struct ptx_device *dev, const struct ptx_program *prog,
                         const struct ptx_launch *l) {
  enum { USUAL_STACK = 2048 };
  uint64_t local = local_bytes_of(dev, prog);
  if (prog->is_recursive && local > USUAL_STACK) local = USUAL_STACK;
  uint64_t warp = sizeof(struct ptx_warp) + prog->reg_bytes + LANES * local;
  uint64_t threads = weir_volume(l->block);
  uint64_t shared = (uint64_t)prog->static_shared + l->dyn_shared;
  uint64_t n = (uint64_t)dev->cfg.wave_memory /
               (sizeof(struct ptx_cta) + shared + (threads + LANES - 1) / LANES * warp);
  return n > (uint64_t)dev->cfg.wave ? n : (uint64_t)dev->cfg.wave;
}

static enum weir_status report_stuck(struct ptx_run *r, enum ptx_stuck how, struct weir_err *err) {
  const struct ptx_scene scene = {r->prog, r->dev, &r->launch};
  r->fault = PTX_F_HANG;
  enum weir_status st = ptx_report_deadlock(&scene, r->ctas, r->n_ctas, how, err);
  if (r->is_interleaved && r->next_block < r->n_blocks)
    weir_err_add(err,
                 "%u of %" PRIu64
                 " blocks ran together (exec.wave_memory); others would start when "
                 "one of them ends",
                 r->n_ctas, r->n_blocks);
  return st;
}

/* What the blocks of the wave printed joins what earlier ones did, in the order of block ids. */
static enum weir_status collect_output(struct ptx_run *r, struct weir_err *err) {
  bool ok = true;
  for (uint32_t i = 0; r->prog->has_builtins && i < r->n_ctas; i++)
    ok &= ptx_fifo_move(&r->printed, &r->ctas[i].printed, (size_t)r->dev->cfg.printf_bytes);
  return ok ? WEIR_OK : weir_fail(err, WEIR_ENOMEM, "out of memory for the output of printf");
}

static void deliver_output(struct ptx_run *r) {
  const struct ptx_output *o = &r->dev->output;
  size_t n;
  const char *text = ptx_fifo_text(&r->printed, &n);
  if (n > 0 && o->print != NULL) o->print(o->self, text, n);
  ptx_fifo_clear(&r->printed);
  r->dev->n_lost += r->printed.n_lost;
  r->printed.n_lost = 0;
  for (uint32_t i = 0; i < r->n_ctas; i++) {
    const struct weir_text *t = &r->ctas[i].complaint;
    if (t->n > 0 && o->complain != NULL) o->complain(o->self, t->v, t->n);
  }
}

/* ---- waiting ---- */

enum {
  QUIET_BEFORE = 2, /* rounds without a store before loads are watched */
  STRETCHES = 3,    /* that must be the same */
  LONGEST = 1024,   /* rounds of one stretch */
  SLICE = 1000000   /* instructions of a launch that looks at the host's memory before the host
                       gets its turn */
};

#define EACH_WARP(r, c, w)                                                                         \
  for (struct ptx_cta *c = (r)->ctas; c < (r)->ctas + (r)->n_ctas; c++)                            \
    for (struct ptx_warp *w = c->warps; w < c->warps + c->n_warps; w++)

static void watch_loads(struct ptx_run *r, bool on) {
  if (!r->has_spins || r->spin.is_checking == on) return;
  r->spin.is_checking = on;
  EACH_WARP(r, c, w) w->code = ptx_spin_code(&r->spin);
}

static void next_stretch(struct ptx_run *r) {
  r->check.at = 0;
  EACH_WARP(r, c, w) {
    w->signature_before = w->signature;
    w->signature = (struct ptx_signature){0};
    w->has_run = false;
  }
}

static void begin_check(struct ptx_run *r, int64_t rounds) {
  r->check.rounds = rounds;
  r->check.stretch = 0;
  r->check.is_same = true;
  watch_loads(r, true);
  next_stretch(r);
}

/* Something was stored: nobody spins for sure. */
static void end_check(struct ptx_run *r) {
  watch_loads(r, false);
  r->check = (struct spin_check){0};
}

/* Did all warps that ran make the same loads as in the stretch before? One that makes none does
 * not wait for others: it computes. */
static bool is_same_stretch(const struct ptx_run *r) {
  bool is_same = true;
  EACH_WARP(r, c, w) {
    if (w->live == 0 || !w->has_run) continue;
    const struct ptx_signature *a = &w->signature, *b = &w->signature_before;
    bool first = r->check.stretch == 0;
    is_same &= a->n > 0 && (first || (a->max == b->max && a->min == b->min && a->bits == b->bits));
  }
  return is_same;
}

/* After a round in which nothing was stored: is it known now that the wave spins? */
static bool finds_spin(struct ptx_run *r) {
  struct spin_check *k = &r->check;
  if (!r->has_spins || k->is_off || r->quiet < QUIET_BEFORE) return false;
  if (!r->spin.is_checking) {
    begin_check(r, 1);
    return false;
  }
  if (++k->at < k->rounds) return false;
  k->is_same &= is_same_stretch(r);
  next_stretch(r);
  if (++k->stretch < STRETCHES) return false;
  if (k->is_same) return true;
  if (k->rounds < LONGEST) {
    begin_check(r, 2 * k->rounds);
    return false;
  }
  watch_loads(r, false);
  k->is_off = true;
  return false;
}

/* Blocks may wait by meeting at barriers again and again, or by storing what is there already: now
 * and then it is looked whether that is all they do. */
static void probe(struct ptx_run *r) {
  enum { FIRST = 64, RARELY = 1024 };
  uint64_t n = ++r->n_rounds;
  if (!r->has_spins || r->spin.is_checking || r->check.is_off || n < FIRST || n < r->next_probe)
    return;
  r->next_probe = n + (n < RARELY ? n : RARELY);
  begin_check(r, 1);
}

static void wake_all(struct ptx_run *r) {
  r->spin.is_stored = false;
  EACH_WARP(r, c, w) w->is_asleep = false;
}

/* Puts the launch aside, if there is something outside of it that it can wait for. */
static enum weir_status park(struct ptx_run *r, bool is_certain, struct weir_err *err) {
  enum weir_status st = WEIR_OK;
  bool changed = false;
  r->is_certain = true;
  ptx_spin_record(&r->spin, true);
  wake_all(r);
  watch_loads(r, true);
  EACH_WARP(r, c, w) {
    bool is_loop = true;
    if (st == WEIR_OK && !changed && w->live != 0)
      st = close_loop(r, c, w, &is_loop, &changed, err);
    r->is_certain &= is_loop;
  }
  r->is_certain = (r->is_certain && !r->check.has_met && !r->spin.is_cut) || is_certain;
  ptx_spin_record(&r->spin, false);
  ptx_spin_take(&r->spin, &r->watched);
  if (r->spin.is_out_of_memory) return weir_fail(err, WEIR_ENOMEM, "out of memory");
  end_check(r);
  if (changed) r->quiet = 0;
  r->is_parked = st == WEIR_OK && !changed && r->watched.n > 0;
  return st;
}

static bool may_park(const struct ptx_run *r) {
  return ptx_run_can_park(r) && r->next_block == r->n_ctas;
}

/* It has looked at the host's memory for long, and goes on storing: the host may wait for that. */
static bool is_slice_over(const struct ptx_run *r) {
  return may_park(r) && r->spin.frozen.n > 0 && r->executed - r->slice_begin > SLICE;
}

static void park_slice(struct ptx_run *r) {
  end_check(r);
  ptx_spin_take(&r->spin, &r->watched);
  r->is_certain = false;
  r->is_parked = r->watched.n > 0;
  r->slice_begin = r->executed;
}

static void go_on(struct ptx_run *r) {
  enum { PARTS = 16 };
  bool is_new = ptx_words_changed(&r->watched, &r->dev->mem);
  if (is_new) r->quiet = 0;
  r->patience = is_new ? 0 : r->quiet + r->dev->cfg.deadlock_quanta / PARTS;
  r->is_parked = false;
  r->slice_begin = r->executed;
  r->watched.n = 0;
  if (r->quiet > 0) begin_check(r, 1); /* it does not end with a barrier */
  ptx_spin_thaw(&r->spin);
  /* What was remembered of memory and textures may be gone. */
  wake_all(r);
  memset(r->reach, 0, r->prog->n_code * sizeof *r->reach);
  if (r->prog->homes != NULL) ptx_homes_fill(r->prog, &r->dev->mem, r->params, r->reach);
  EACH_WARP(r, c, w) w->tex = r->dev->tex;
}

/* ---- waves ---- */

static enum weir_status begin_wave(struct ptx_run *r, struct weir_err *err) {
  end_check(r);
  r->n_ctas = 0;
  r->n_delivered = 0;
  r->quiet = 0;
  r->is_open = true;
  return widen(r,
               r->launch.cooperative ? r->n_blocks
               : r->is_interleaved   ? (uint64_t)r->dev->cfg.wave
                                     : 1,
               err);
}

static bool can_widen(const struct ptx_run *r) {
  return r->is_interleaved && r->next_block < r->n_blocks &&
         r->n_ctas < ptx_most_blocks(r->dev, r->prog, &r->launch);
}

static enum weir_status handle_round(struct ptx_run *r, const struct round *all,
                                     struct weir_err *err) {
  bool changed = all->changed || (all->met && !r->spin.is_checking);
  if (r->spin.is_stored) wake_all(r);
  r->quiet = changed ? 0 : r->quiet + 1;
  if (changed) r->patience = 0;
  r->check.has_met |= all->met;
  if (changed && (r->spin.is_checking || r->check.is_off)) end_check(r);
  bool is_quiet = r->quiet > r->dev->cfg.deadlock_quanta && (r->has_spins || r->is_interleaved);
  bool spins = !all->ran || is_quiet || (!changed && finds_spin(r));
  if (spins && can_widen(r)) {
    end_check(r);
    r->quiet = 0;
    return widen(r, ptx_most_blocks(r->dev, r->prog, &r->launch), err);
  }
  if (spins && (all->ran || all->sleeps) && may_park(r)) {
    if (r->quiet < r->patience) {
      begin_check(r, 1);
      return WEIR_OK;
    }
    enum weir_status st = park(r, is_quiet, err);
    if (st != WEIR_OK || r->is_parked) return st;
  }
  if (spins) {
    end_check(r);
    r->check.is_off = r->quiet > 0;
  }
  if (r->quiet > 0 && (!all->ran || is_quiet))
    return report_stuck(r,
                        all->ran      ? PTX_STUCK_QUIET
                        : all->sleeps ? PTX_STUCK_SPINS
                                      : PTX_STUCK_WAITS,
                        err);
  probe(r);
  if (is_slice_over(r)) park_slice(r);
  return WEIR_OK;
}

/* One quantum of every warp of the wave, then what is to be done about those that wait. */
static enum weir_status round_of_wave(struct ptx_run *r, bool *alive, struct weir_err *err) {
  enum weir_status st = WEIR_OK;
  struct round all = {0};
  *alive = false;
  for (uint32_t i = 0; i < r->n_ctas && st == WEIR_OK; i++) {
    if (r->ctas[i].n_live_warps == 0) continue;
    *alive = true;
    st = round_of_block(r, &r->ctas[i], &all, err);
  }
  if (st != WEIR_OK || !*alive) return st;
  return handle_round(r, &all, err);
}

static enum weir_status run_blocks(struct ptx_run *r, struct weir_err *err) {
  enum weir_status st = r->is_open ? WEIR_OK : begin_wave(r, err);
  bool alive = true;
  if (r->is_parked) go_on(r);
  while (st == WEIR_OK && alive && !r->is_parked)
    st = round_of_wave(r, &alive, err);
  if (st == WEIR_OK && r->is_parked) return WEIR_OK;
  r->is_open = false;
  for (uint32_t i = 0; i < r->n_ctas && st == WEIR_OK; i++)
    st = finish_block(&r->ctas[i], err);
  return st;
}

static enum weir_status run_wave(struct ptx_run *r, struct weir_err *err) {
  enum weir_status st = run_blocks(r, err);
  if (r->is_parked) return st;
  if (st == WEIR_OK)
    st = collect_output(r, err);
  else
    collect_output(r, NULL); /* what was printed before a fault helps to find it */
  if (st != WEIR_OK || r->next_block == r->n_blocks) deliver_output(r);
  return st;
}

/* ---- interface ---- */

static enum weir_status check_launch(const struct ptx_device *dev, const struct ptx_program *p,
                                     const struct ptx_launch *l, uint64_t shared,
                                     struct weir_err *err) {
  uint64_t threads = weir_volume(l->block);
  if (l->grid[0] == 0 || l->grid[1] == 0 || l->grid[2] == 0 || threads == 0)
    return weir_fail(
        err, WEIR_EINVAL, "kernel %s: grid (%u,%u,%u) and block (%u,%u,%u) must not be empty",
        p->entry->name, l->grid[0], l->grid[1], l->grid[2], l->block[0], l->block[1], l->block[2]);
  if (threads > 1024)
    return weir_fail(err, WEIR_EINVAL,
                     "kernel %s: a block of %" PRIu64 " threads is too large (1024 at most)",
                     p->entry->name, threads);
  const uint32_t *req = p->entry->reqntid, *max = p->entry->maxntid;
  for (int k = 0; k < 3; k++)
    if (req[0] != 0 && l->block[k] != (req[k] ? req[k] : 1))
      return weir_fail(err, WEIR_EINVAL,
                       "kernel %s requires blocks of (%u,%u,%u) threads (.reqntid), not (%u,%u,%u)",
                       p->entry->name, req[0], req[1] ? req[1] : 1, req[2] ? req[2] : 1,
                       l->block[0], l->block[1], l->block[2]);
  uint64_t limit = (uint64_t)max[0] * (max[1] ? max[1] : 1) * (max[2] ? max[2] : 1);
  if (max[0] != 0 && threads > limit)
    return weir_fail(err, WEIR_EINVAL,
                     "kernel %s allows blocks of at most %" PRIu64
                     " threads (.maxntid), not %" PRIu64,
                     p->entry->name, limit, threads);
  if (shared > 232448)
    return weir_fail(err, WEIR_EINVAL,
                     "kernel %s: %" PRIu64
                     " bytes of shared memory (%u static, %u dynamic) are too many; at most 232448",
                     p->entry->name, shared, p->static_shared, l->dyn_shared);
  uint64_t blocks = weir_volume(l->grid);
  if (l->cooperative && blocks > ptx_most_blocks(dev, p, l)) {
    weir_fail(err, WEIR_EINVAL,
              "kernel %s: a cooperative launch of %" PRIu64 " blocks; %" PRIu64
              " of them can run together",
              p->entry->name, blocks, ptx_most_blocks(dev, p, l));
    weir_err_add(err, "remedy: launch fewer blocks, or raise exec.wave_memory");
    return WEIR_EINVAL;
  }
  return WEIR_OK;
}

/* What the compiler puts for grid.sync() counts blocks in the second word of a record whose address
 * is in %envreg1 (high half) and %envreg2; the first word is the record's size. */
enum { GRID_WORKSPACE = 512 };

/* The device keeps one such record for the next launch. */
static enum weir_status prepare_grid(struct ptx_run *r, struct weir_err *err) {
  struct ptx_device *dev = r->dev;
  enum weir_status st = WEIR_OK;
  if (dev->grid_workspace == 0)
    st = ptx_mem_alloc(&dev->mem, GRID_WORKSPACE, 0, "workspace of grid.sync()", false,
                       &dev->grid_workspace, err);
  if (st != WEIR_OK) return st;
  r->grid_workspace = dev->grid_workspace;
  dev->grid_workspace = 0;
  uint32_t size = GRID_WORKSPACE;
  uint8_t *p = ptx_mem_host(&dev->mem, r->grid_workspace);
  memset(p, 0, GRID_WORKSPACE);
  memcpy(p, &size, sizeof size);
  return WEIR_OK;
}

static void return_grid(struct ptx_run *r) {
  struct ptx_device *dev = r->dev;
  if (r->grid_workspace == 0) return;
  if (dev->grid_workspace == 0)
    dev->grid_workspace = r->grid_workspace;
  else
    ptx_mem_release(&dev->mem, r->grid_workspace, NULL);
}

enum { MAX_FILES = 4096 }; /* source files by number; a larger one keeps its number and no name */

static bool fill_info(struct ptx_run *r) {
  const struct ptx_module *m = r->prog->image->module;
  uint32_t n_files = 0;
  for (uint32_t i = 0; i < m->n_files; i++)
    if (m->files[i].index < MAX_FILES && m->files[i].index >= n_files)
      n_files = m->files[i].index + 1;
  const char **files = weir_calloc(n_files + 1u, sizeof *files);
  if (files == NULL) return false;
  for (uint32_t i = 0; i < m->n_files; i++)
    if (m->files[i].index < n_files) files[m->files[i].index] = m->files[i].name;
  r->info = (struct weir_kernel_info){.name = r->prog->entry->name,
                                      .n_warps = r->n_warps,
                                      .n_regs = r->prog->n_stream_regs,
                                      .regs_per_thread = r->launch.regs_per_thread != 0
                                                             ? r->launch.regs_per_thread
                                                             : r->prog->regs_estimate,
                                      .regs_estimated = r->launch.regs_per_thread == 0,
                                      .static_shared = r->prog->static_shared,
                                      .dyn_shared = r->launch.dyn_shared,
                                      .local_bytes = r->local_bytes,
                                      .is_interleaved = r->is_interleaved,
                                      .reads_clock = r->prog->reads_clock,
                                      .n_insns = r->prog->n_code,
                                      .insns = r->prog->statics,
                                      .n_files = n_files,
                                      .files = files};
  memcpy(r->info.grid, r->launch.grid, sizeof r->info.grid);
  memcpy(r->info.block, r->launch.block, sizeof r->info.block);
  return true;
}

enum weir_status ptx_run_begin(struct ptx_device *dev, const struct ptx_program *prog,
                               const struct ptx_launch *launch, bool want_streams,
                               struct ptx_run **out, struct weir_err *err) {
  *out = NULL;
  uint64_t shared = (uint64_t)prog->static_shared + launch->dyn_shared;
  enum weir_status st = check_launch(dev, prog, launch, shared, err);
  const ptx_fn *handlers;
  if (st == WEIR_OK) st = choose_handlers(dev->cfg.simd, &handlers, err);
  if (st != WEIR_OK) return st;
  struct ptx_run *r = weir_calloc(1, sizeof *r);
  if (r == NULL) return weir_fail(err, WEIR_ENOMEM, "out of memory");
  r->dev = dev;
  r->prog = prog;
  r->launch = *launch;
  r->launch_index = dev->n_launches++;
  r->want_streams = want_streams;
  r->shared_bytes = (uint32_t)shared;
  r->is_interleaved = prog->is_interleaved || launch->cooperative || dev->cfg.interleave;
  r->local_bytes = local_bytes_of(dev, prog);
  r->n_threads = (uint32_t)weir_volume(launch->block);
  r->n_warps = (r->n_threads + LANES - 1) / LANES;
  r->n_blocks = weir_volume(launch->grid);
  size_t pbytes = (size_t)prog->entry->param_bytes;
  r->params = weir_calloc(1, pbytes + 16);
  r->code = weir_malloc(prog->n_code * sizeof *r->code);
  r->stat = weir_calloc(prog->n_code, sizeof *r->stat);
  r->reach = weir_calloc(prog->n_code, sizeof *r->reach);
  r->strays.mem = &dev->mem;
  if (r->params == NULL || r->code == NULL || r->stat == NULL || r->reach == NULL ||
      !fill_info(r)) {
    ptx_run_end(r);
    return weir_fail(err, WEIR_ENOMEM, "out of memory");
  }
  if (pbytes > 0) memcpy(r->params, launch->params, pbytes);
  if (prog->homes != NULL) ptx_homes_fill(prog, &dev->mem, r->params, r->reach);
  memcpy(r->code, prog->code, prog->n_code * sizeof *r->code);
  for (uint32_t i = 0; i < prog->n_code; i++) {
    r->code[i].fn = handlers[r->code[i].h];
    r->has_spins |= r->code[i].kind == PTX_K_BRA && r->code[i].aux;
  }
  if (r->has_spins &&
      !ptx_spin_init(&r->spin, prog, r->code, handlers[PTX_H_watch], launch->may_park)) {
    ptx_run_end(r);
    return weir_fail(err, WEIR_ENOMEM, "out of memory");
  }
  if (prog->uses_heap && dev->heap == NULL)
    st = ptx_heap_new(&dev->mem, (uint64_t)dev->cfg.heap, &dev->heap, err);
  if (st == WEIR_OK && launch->cooperative) st = prepare_grid(r, err);
  if (st != WEIR_OK) {
    ptx_run_end(r);
    return st;
  }
  if (want_streams) {
    st = weir_stream_pool_init(&r->pool, (size_t)dev->cfg.stream_memory, NULL, err);
    if (st != WEIR_OK) {
      ptx_run_end(r);
      return st;
    }
    r->has_pool = true;
  }
  *out = r;
  return WEIR_OK;
}

enum weir_status ptx_run_next(struct ptx_run *r, struct weir_block_stream **out,
                              struct weir_err *err) {
  *out = NULL;
  if (r->n_delivered == r->n_ctas || r->is_parked) {
    if (r->next_block == r->n_blocks && !r->is_parked) return WEIR_OK;
    enum weir_status st = run_wave(r, err);
    if (r->is_parked) return st;
    if (st == WEIR_OK && r->has_pool) st = weir_stream_pool_status(&r->pool, err);
    if (st != WEIR_OK) return st;
    if (!r->want_streams) r->n_delivered = r->n_ctas - 1;
  }
  struct ptx_cta *c = &r->ctas[r->n_delivered++];
  r->blocks_done = r->next_block - (r->n_ctas - r->n_delivered);
  *out = r->want_streams ? c->stream : &r->marker;
  c->stream = NULL;
  return WEIR_OK;
}

void ptx_run_release(struct ptx_run *run, struct weir_block_stream *block) {
  if (run->want_streams && block != NULL) weir_block_release(block);
}

bool ptx_run_can_park(const struct ptx_run *r) {
  return r->launch.may_park && r->has_spins;
}

bool ptx_run_is_parked(const struct ptx_run *r) {
  return r->is_parked;
}

enum ptx_wake ptx_run_wake(const struct ptx_run *r) {
  if (!r->is_parked || ptx_words_changed(&r->watched, &r->dev->mem)) return PTX_WAKE_YES;
  return r->is_certain ? PTX_WAKE_NO : PTX_WAKE_MAYBE;
}

enum weir_status ptx_run_give_up(struct ptx_run *r, struct weir_err *err) {
  r->is_parked = false;
  collect_output(r, NULL);
  deliver_output(r);
  return report_stuck(r, PTX_STUCK_SPINS, err);
}

enum ptx_fault_kind ptx_run_fault(const struct ptx_run *run) {
  return run->fault;
}

enum weir_status ptx_run_strays(const struct ptx_run *r,
                                void (*tell)(void *self, const struct weir_stray *stray),
                                void *self, struct weir_err *err) {
  const struct ptx_scene scene = {r->prog, r->dev, &r->launch};
  enum weir_status st = WEIR_OK;
  for (size_t i = 0; i < r->strays.n && st == WEIR_OK; i++)
    st = ptx_tell_stray(&scene, &r->strays.v[i], tell, self, err);
  return st;
}

const struct weir_kernel_info *ptx_run_info(const struct ptx_run *run) {
  return &run->info;
}

uint64_t ptx_run_blocks_done(const struct ptx_run *run) {
  return run->blocks_done;
}

void ptx_run_stats(const struct ptx_run *r, struct weir_func_stats *stats) {
  *stats = r->mem_stats;
  for (uint32_t pc = 0; pc < r->prog->n_code; pc++) {
    const struct ptx_pc_stat *s = &r->stat[pc];
    stats->warp_insns += s->execs;
    stats->thread_insns += s->lanes;
    stats->by_class[r->prog->statics[pc].cls] += s->execs;
    switch ((enum ptx_kind)r->code[pc].kind) {
    case PTX_K_BRA:
    case PTX_K_BRX:
      stats->branches += s->execs;
      stats->divergent_branches += s->diverged;
      break;
    case PTX_K_BAR:
      stats->barriers += s->execs;
      break;
    default:
      break;
    }
  }
}

enum weir_status ptx_run_all(struct ptx_device *dev, const struct ptx_program *prog,
                             const struct ptx_launch *launch, struct weir_func_stats *stats,
                             struct weir_err *err) {
  struct ptx_run *r;
  struct weir_block_stream *b = NULL;
  enum weir_status st = ptx_run_begin(dev, prog, launch, false, &r, err);
  if (st != WEIR_OK) return st;
  do
    st = ptx_run_next(r, &b, err);
  while (st == WEIR_OK && b != NULL);
  if (stats != NULL) ptx_run_stats(r, stats);
  ptx_run_end(r);
  return st;
}

void ptx_run_end(struct ptx_run *r) {
  if (r == NULL) return;
  for (uint32_t i = 0; i < r->cap_ctas; i++)
    free_cta(&r->ctas[i]);
  free(r->ctas);
  if (r->has_pool) weir_stream_pool_free(&r->pool);
  ptx_spin_free(&r->spin);
  free(r->watched.v);
  return_grid(r);
  ptx_fifo_free(&r->printed);
  free(r->params);
  free(r->code);
  free(r->stat);
  free(r->reach);
  free(r->strays.v);
  free((void *)r->info.files);
  free(r);
}
