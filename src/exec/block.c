/* Blocks of a launch. */
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "exec/run.h"
#include "exec/simt.h"

void ptx_block_free(struct ptx_cta *c) {
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

static bool alloc_warp(struct ptx_run *r, struct ptx_cta *c, uint32_t index) {
  struct ptx_warp *w = &c->warps[index];
  uint32_t local_step = r->local_bytes + (r->dev->mem.is_chunked ? PTX_LOCAL_SLACK : 0u);
  *w = (struct ptx_warp){
      .reg = weir_aligned_alloc(64, r->prog->reg_bytes),
      .prog = r->prog,
      .cta = c,
      .stat = r->stat,
      .code = r->has_spins ? ptx_spin_code(&r->spin) : r->code,
      .mem = &r->dev->mem,
      .reach = r->reach,
      .strays = r->dev->mem.is_chunked && !r->dev->is_strict ? &r->strays : NULL,
      .tex = r->dev->tex,
      .func_stats = &r->mem_stats,
      .counter = &r->counter,
      .shared = c->shared,
      .shared_bytes = r->shared_bytes,
      .local = r->local_bytes ? weir_calloc(LANES, local_step) : NULL,
      .local_bytes = r->local_bytes,
      .local_step = local_step,
      .max_depth = (uint32_t)r->dev->cfg.max_depth,
      .param = r->params,
      .param_bytes = (uint32_t)r->prog->entry->param_bytes,
      .index = index,
      .launch_executed = &r->executed,
      .spin = r->has_spins ? &r->spin : NULL,
  };
  if (w->reg == NULL || (w->local == NULL && r->local_bytes != 0)) return false;
  memset(w->reg, 0, r->prog->reg_bytes);
  ptx_fixed_fill(r, w->reg);
  return true;
}

enum weir_status ptx_block_alloc(struct ptx_run *r, struct ptx_cta *c, struct weir_err *err) {
  *c = (struct ptx_cta){.n_warps = r->n_warps,
                        .launch = &r->launch,
                        .printed_limit = (size_t)r->dev->cfg.printf_bytes,
                        .heap = r->dev->heap};
  c->warps = weir_calloc(r->n_warps, sizeof *c->warps);
  c->shared = weir_aligned_alloc(64, ptx_shared_mapped(r->shared_bytes ? r->shared_bytes : 1));
  bool ok = c->warps != NULL && c->shared != NULL;
  for (uint32_t k = 0; ok && k < r->n_warps; k++)
    ok = alloc_warp(r, c, k);
  if (!ok) {
    ptx_block_free(c);
    return weir_fail(err, WEIR_ENOMEM, "out of memory for a block of %u warps", r->n_warps);
  }
  ptx_sregs_fill(r, c, PTX_SREG_FIXED);
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

enum weir_status ptx_block_start(struct ptx_run *r, struct ptx_cta *c, uint64_t id,
                                 struct weir_err *err) {
  const uint32_t *g = r->launch.grid;
  c->id = id;
  c->ctaid[0] = (uint32_t)(id % g[0]);
  c->ctaid[1] = (uint32_t)(id / g[0] % g[1]);
  c->ctaid[2] = (uint32_t)(id / g[0] / g[1]);
  ptx_sregs_fill(r, c, PTX_SREG_BLOCK);
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

enum weir_status ptx_run_warp(struct ptx_run *r, struct ptx_cta *c, struct ptx_warp *w,
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
