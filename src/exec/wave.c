/* Waves: blocks that run together, a quantum of each warp in turn. */
#include <inttypes.h>
#include <string.h>

#include "base/mem.h"
#include "exec/run.h"

/* Quanta of a warp without a store before it is looked at. */
enum { QUIET_QUANTA = 8 };

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
    enum weir_status st = ptx_run_warp(r, c, w, (uint64_t)r->dev->cfg.quantum, &n, err);
    if (st != WEIR_OK) return st;
    all->ran |= n > 0;
    all->changed |= w->is_stored;
    all->met |= w->has_met;
    w->n_quiet = n > 0 && !w->is_stored && !w->has_met ? w->n_quiet + 1 : 0;
    if (w->n_quiet < QUIET_QUANTA || !r->has_spins || !is_power_of_two(w->n_quiet)) continue;
    st = ptx_wait_sleep(r, c, w, &all->changed, err);
    if (st != WEIR_OK) return st;
  }
  return WEIR_OK;
}

static enum weir_status finish_block(struct ptx_cta *c, struct weir_err *err) {
  return c->stream != NULL ? weir_block_finish(c->stream, err) : WEIR_OK;
}

/* Add blocks to the wave until it has `n`, or the grid is used up. */
static enum weir_status widen_wave(struct ptx_run *r, uint64_t n, struct weir_err *err) {
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
    enum weir_status st = c->warps == NULL ? ptx_block_alloc(r, c, err) : WEIR_OK;
    if (st == WEIR_OK) st = ptx_block_start(r, c, r->next_block, err);
    if (st != WEIR_OK) return st;
    r->n_ctas++;
    r->next_block++;
  }
  return WEIR_OK;
}

/* A GPU holds far fewer, so a kernel that needs more would hang there as well. The stack of a
 * recursive program is reserved, and hardly any of it used. */
uint64_t ptx_most_blocks(const struct ptx_device *dev, const struct ptx_program *prog,
                         const struct ptx_launch *l) {
  enum { USUAL_STACK = 2048 };
  uint64_t local = ptx_local_bytes(dev, prog);
  if (prog->is_recursive && local > USUAL_STACK) local = USUAL_STACK;
  uint64_t warp = sizeof(struct ptx_warp) + prog->reg_bytes + LANES * local;
  uint64_t threads = weir_volume(l->block);
  uint64_t shared = (uint64_t)prog->static_shared + l->dyn_shared;
  uint64_t n = (uint64_t)dev->cfg.wave_memory /
               (sizeof(struct ptx_cta) + shared + (threads + LANES - 1) / LANES * warp);
  return n > (uint64_t)dev->cfg.wave ? n : (uint64_t)dev->cfg.wave;
}

enum weir_status ptx_wave_report_stuck(struct ptx_run *r, enum ptx_stuck how,
                                       struct weir_err *err) {
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

enum weir_status ptx_wave_collect(struct ptx_run *r, struct weir_err *err) {
  bool ok = true;
  for (uint32_t i = 0; r->prog->has_builtins && i < r->n_ctas; i++)
    ok &= ptx_fifo_move(&r->printed, &r->ctas[i].printed, (size_t)r->dev->cfg.printf_bytes);
  return ok ? WEIR_OK : weir_fail(err, WEIR_ENOMEM, "out of memory for the output of printf");
}

void ptx_wave_deliver(struct ptx_run *r) {
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

static enum weir_status begin_wave(struct ptx_run *r, struct weir_err *err) {
  ptx_wait_end_check(r);
  r->n_ctas = 0;
  r->n_delivered = 0;
  r->quiet = 0;
  r->is_open = true;
  return widen_wave(r,
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
  if (r->spin.is_stored) ptx_wait_wake_all(r);
  r->quiet = changed ? 0 : r->quiet + 1;
  if (changed) r->patience = 0;
  r->check.has_met |= all->met;
  if (changed && (r->spin.is_checking || r->check.is_off)) ptx_wait_end_check(r);
  bool is_quiet = r->quiet > r->dev->cfg.deadlock_quanta && (r->has_spins || r->is_interleaved);
  bool spins = !all->ran || is_quiet || (!changed && ptx_wait_finds_spin(r));
  if (spins && can_widen(r)) {
    ptx_wait_end_check(r);
    r->quiet = 0;
    return widen_wave(r, ptx_most_blocks(r->dev, r->prog, &r->launch), err);
  }
  if (spins && (all->ran || all->sleeps) && ptx_wait_may_park(r)) {
    if (r->quiet < r->patience) {
      ptx_wait_check(r, 1);
      return WEIR_OK;
    }
    enum weir_status st = ptx_wait_park(r, is_quiet, err);
    if (st != WEIR_OK || r->is_parked) return st;
  }
  if (spins) {
    ptx_wait_end_check(r);
    r->check.is_off = r->quiet > 0;
  }
  if (r->quiet > 0 && (!all->ran || is_quiet))
    return ptx_wave_report_stuck(r,
                                 all->ran      ? PTX_STUCK_QUIET
                                 : all->sleeps ? PTX_STUCK_SPINS
                                               : PTX_STUCK_WAITS,
                                 err);
  ptx_wait_probe(r);
  ptx_wait_end_slice(r);
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
  if (r->is_parked) ptx_wait_resume(r);
  while (st == WEIR_OK && alive && !r->is_parked)
    st = round_of_wave(r, &alive, err);
  if (st == WEIR_OK && r->is_parked) return WEIR_OK;
  r->is_open = false;
  for (uint32_t i = 0; i < r->n_ctas && st == WEIR_OK; i++)
    st = finish_block(&r->ctas[i], err);
  return st;
}

enum weir_status ptx_wave_run(struct ptx_run *r, struct weir_err *err) {
  enum weir_status st = run_blocks(r, err);
  if (r->is_parked) return st;
  if (st == WEIR_OK)
    st = ptx_wave_collect(r, err);
  else
    ptx_wave_collect(r, NULL); /* what was printed before a fault helps to find it */
  if (st != WEIR_OK || r->next_block == r->n_blocks) ptx_wave_deliver(r);
  return st;
}
