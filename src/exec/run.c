/* Launches: what begins and ends one, and what can be asked of it. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "exec/heap.h"
#include "exec/image.h"
#include "exec/run.h"

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

/* ---- beginning ---- */

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
                                      .outline = r->prog->outline,
                                      .n_files = n_files,
                                      .files = files};
  memcpy(r->info.grid, r->launch.grid, sizeof r->info.grid);
  memcpy(r->info.block, r->launch.block, sizeof r->info.block);
  return true;
}

static void describe_run(struct ptx_run *r, struct ptx_device *dev, const struct ptx_program *prog,
                         const struct ptx_launch *launch) {
  r->dev = dev;
  r->prog = prog;
  r->launch = *launch;
  r->launch_index = dev->n_launches++;
  r->shared_bytes = prog->static_shared + launch->dyn_shared;
  r->is_interleaved = prog->is_interleaved || launch->cooperative || dev->cfg.interleave;
  r->local_bytes = ptx_local_bytes(dev, prog);
  r->n_threads = (uint32_t)weir_volume(launch->block);
  r->n_warps = (r->n_threads + LANES - 1) / LANES;
  r->n_blocks = weir_volume(launch->grid);
  r->strays.mem = &dev->mem;
}

static enum weir_status alloc_run(struct ptx_run *r, struct weir_err *err) {
  const struct ptx_program *prog = r->prog;
  size_t bytes = (size_t)prog->entry->param_bytes;
  r->params = weir_calloc(1, bytes + 16);
  r->code = weir_malloc(prog->n_code * sizeof *r->code);
  r->stat = weir_calloc(prog->n_code, sizeof *r->stat);
  r->reach = weir_calloc(prog->n_code, sizeof *r->reach);
  if (r->params == NULL || r->code == NULL || r->stat == NULL || r->reach == NULL || !fill_info(r))
    return weir_fail(err, WEIR_ENOMEM, "out of memory");
  if (bytes > 0) memcpy(r->params, r->launch.params, bytes);
  if (prog->homes != NULL) ptx_homes_fill(prog, &r->dev->mem, r->params, r->reach);
  return WEIR_OK;
}

/* The program's micro-operations with these handlers. */
static enum weir_status take_code(struct ptx_run *r, const ptx_fn *handlers, struct weir_err *err) {
  memcpy(r->code, r->prog->code, r->prog->n_code * sizeof *r->code);
  for (uint32_t i = 0; i < r->prog->n_code; i++) {
    r->code[i].fn = handlers[r->code[i].h];
    r->has_spins |= r->code[i].kind == PTX_K_BRA && r->code[i].aux;
  }
  if (r->has_spins &&
      !ptx_spin_init(&r->spin, r->prog, r->code, handlers[PTX_H_watch], r->launch.may_park))
    return weir_fail(err, WEIR_ENOMEM, "out of memory");
  return WEIR_OK;
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
  describe_run(r, dev, prog, launch);
  r->want_streams = want_streams;
  st = alloc_run(r, err);
  if (st == WEIR_OK) st = take_code(r, handlers, err);
  if (st == WEIR_OK && prog->uses_heap && dev->heap == NULL)
    st = ptx_heap_new(&dev->mem, (uint64_t)dev->cfg.heap, &dev->heap, err);
  if (st == WEIR_OK && launch->cooperative) st = prepare_grid(r, err);
  if (st == WEIR_OK && want_streams) {
    st = weir_stream_pool_init(&r->pool, (size_t)dev->cfg.stream_memory, NULL, err);
    r->has_pool = st == WEIR_OK;
  }
  if (st != WEIR_OK) {
    ptx_run_end(r);
    return st;
  }
  *out = r;
  return WEIR_OK;
}

enum weir_status ptx_run_next(struct ptx_run *r, struct weir_block_stream **out,
                              struct weir_err *err) {
  *out = NULL;
  if (r->n_delivered == r->n_ctas || r->is_parked) {
    if (r->next_block == r->n_blocks && !r->is_parked) return WEIR_OK;
    enum weir_status st = ptx_wave_run(r, err);
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
  ptx_wave_collect(r, NULL);
  ptx_wave_deliver(r);
  return ptx_wave_report_stuck(r, PTX_STUCK_SPINS, err);
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
    ptx_block_free(&r->ctas[i]);
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
