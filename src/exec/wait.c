/* Warps that wait for others, and launches that wait for the host. */
#include <string.h>

#include "exec/run.h"

enum {
  LONGEST_LOOP = 16384, /* instructions after which a warp that spins should be where it was */
  QUIET_BEFORE = 2,     /* rounds without a store before loads are watched */
  STRETCHES = 3,        /* that must be the same */
  LONGEST = 1024,       /* rounds of one stretch */
  SLICE = 1000000       /* instructions of a launch that looks at the host's memory before the host
                           gets its turn */
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
    st = ptx_run_warp(r, c, w, 1, &n, err);
    *changed |= w->is_stored;
    has_met |= w->has_met;
  }
  *is_loop |= n == 0 && !has_met; /* it waits for others */
  return st;
}

enum weir_status ptx_wait_sleep(struct ptx_run *r, struct ptx_cta *c, struct ptx_warp *w,
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

void ptx_wait_check(struct ptx_run *r, int64_t rounds) {
  r->check.rounds = rounds;
  r->check.stretch = 0;
  r->check.is_same = true;
  watch_loads(r, true);
  next_stretch(r);
}

void ptx_wait_end_check(struct ptx_run *r) {
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

bool ptx_wait_finds_spin(struct ptx_run *r) {
  struct spin_check *k = &r->check;
  if (!r->has_spins || k->is_off || r->quiet < QUIET_BEFORE) return false;
  if (!r->spin.is_checking) {
    ptx_wait_check(r, 1);
    return false;
  }
  if (++k->at < k->rounds) return false;
  k->is_same &= is_same_stretch(r);
  next_stretch(r);
  if (++k->stretch < STRETCHES) return false;
  if (k->is_same) return true;
  if (k->rounds < LONGEST) {
    ptx_wait_check(r, 2 * k->rounds);
    return false;
  }
  watch_loads(r, false);
  k->is_off = true;
  return false;
}

/* Blocks may wait by meeting at barriers again and again, or by storing what is there already: now
 * and then it is looked whether that is all they do. */
void ptx_wait_probe(struct ptx_run *r) {
  enum { FIRST = 64, RARELY = 1024 };
  uint64_t n = ++r->n_rounds;
  if (!r->has_spins || r->spin.is_checking || r->check.is_off || n < FIRST || n < r->next_probe)
    return;
  r->next_probe = n + (n < RARELY ? n : RARELY);
  ptx_wait_check(r, 1);
}

void ptx_wait_wake_all(struct ptx_run *r) {
  r->spin.is_stored = false;
  EACH_WARP(r, c, w) w->is_asleep = false;
}

enum weir_status ptx_wait_park(struct ptx_run *r, bool is_certain, struct weir_err *err) {
  enum weir_status st = WEIR_OK;
  bool changed = false;
  r->is_certain = true;
  ptx_spin_record(&r->spin, true);
  ptx_wait_wake_all(r);
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
  ptx_wait_end_check(r);
  if (changed) r->quiet = 0;
  r->is_parked = st == WEIR_OK && !changed && r->watched.n > 0;
  return st;
}

bool ptx_wait_may_park(const struct ptx_run *r) {
  return ptx_run_can_park(r) && r->next_block == r->n_ctas;
}

static bool is_slice_over(const struct ptx_run *r) {
  return ptx_wait_may_park(r) && r->spin.frozen.n > 0 && r->executed - r->slice_begin > SLICE;
}

void ptx_wait_end_slice(struct ptx_run *r) {
  if (!is_slice_over(r)) return;
  ptx_wait_end_check(r);
  ptx_spin_take(&r->spin, &r->watched);
  r->is_certain = false;
  r->is_parked = r->watched.n > 0;
  r->slice_begin = r->executed;
}

void ptx_wait_resume(struct ptx_run *r) {
  enum { PARTS = 16 };
  bool is_new = ptx_words_changed(&r->watched, &r->dev->mem);
  if (is_new) r->quiet = 0;
  r->patience = is_new ? 0 : r->quiet + r->dev->cfg.deadlock_quanta / PARTS;
  r->is_parked = false;
  r->slice_begin = r->executed;
  r->watched.n = 0;
  if (r->quiet > 0) ptx_wait_check(r, 1); /* it does not end with a barrier */
  ptx_spin_thaw(&r->spin);
  /* What was remembered of memory and textures may be gone. */
  ptx_wait_wake_all(r);
  memset(r->reach, 0, r->prog->n_code * sizeof *r->reach);
  if (r->prog->homes != NULL) ptx_homes_fill(r->prog, &r->dev->mem, r->params, r->reach);
  EACH_WARP(r, c, w) w->tex = r->dev->tex;
}
