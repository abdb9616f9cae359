#include "sim/engine.h"

#include <inttypes.h>

#include "base/mem.h"
#include "machine/bounds.h"
#include "sim/engine_core.h"
#include "sim/need.h"
#include "sim/pool.h"
#include "sim/verify.h"

/* With several threads a window is cut into DEPTH steps. What is sent in a step arrives DEPTH steps
 * later at the soonest, so a thread need only know that the others have come so far, and waits for
 * none that is less behind. BURST steps are made without an exchange; or fewer, if something
 * happens that only an exchange can pass on: a block has ended, whose place is to be filled, or a
 * part of an L1 says something to the others. It then comes before DEPTH more steps have begun,
 * which is in time. */
enum { DEPTH = WEIR_MAIL_SIDES / 2, BURST = 32 };

/* ---- mail ---- */

static uint32_t n_components(const struct weir_sim *sim) {
  return sim->n_sms + sim->n_channels;
}

static bool deliver_box(struct weir_sim *sim, const struct weir_mail *b) {
  bool ok = true;
  for (uint32_t k = 0; k < b->n; k++) {
    __builtin_prefetch(&b->v[k + WEIR_MAIL_AHEAD]);
    ok &= weir_sim_deliver(sim, weir_sim_component(sim, b->v[k].dst), &b->v[k]);
  }
  return ok;
}

static uint8_t side_of(uint64_t step) {
  return (uint8_t)(step % WEIR_MAIL_SIDES);
}

/* What was sent in a step, to the components of one thread. An inbox is in order of delivery
 * however it is filled, so threads may do this at the same time. */
static bool deliver_share(struct weir_sim *sim, uint32_t thread, uint64_t step) {
  bool ok = true;
  for (uint32_t i = 0; i < sim->o.threads; i++) {
    const struct weir_mail *b = &sim->shares[i].out.box[side_of(step)][thread % WEIR_MAIL_BOXES];
    if (sim->o.threads <= WEIR_MAIL_BOXES) {
      ok &= deliver_box(sim, b);
      continue;
    }
    for (uint32_t k = 0; k < b->n; k++) { /* the box is shared by several threads */
      uint32_t to = weir_sim_component(sim, b->v[k].dst);
      if (weir_pool_owner(sim->pool, to) == thread) ok &= weir_sim_deliver(sim, to, &b->v[k]);
    }
  }
  return ok;
}

/* ---- what the exchange is told ---- */

static void forget(struct share *s) {
  s->wake = s->soft_wake = WEIR_NEVER;
  s->last_events = s->n_retiring = 0;
  s->is_busy = false;
}

static bool has_failed(const struct weir_sm *sm) {
  return sm->is_failed || weir_l1_fault(sm->l1) != NULL;
}

static void tell_sm(struct share *s, const struct weir_sm *sm) {
  s->wake = weir_min64(s->wake, sm->wake);
  if (sm->is_settled) s->soft_wake = weir_min64(s->soft_wake, sm->soft_wake);
  s->last_events += sm->last_event;
  s->is_busy |= !weir_sm_is_idle(sm);
  s->is_failed |= has_failed(sm);
  if (sm->n_retired > 0) s->retiring[s->n_retiring++] = (uint16_t)sm->id;
}

static void tell_channel(struct share *s, const struct weir_channel *c) {
  s->wake = weir_min64(s->wake, c->wake);
  s->is_busy |= !weir_channel_is_idle(c);
}

/* After anything was changed between bursts that a share cannot be told of in passing. */
static void tell_all(struct weir_sim *sim) {
  for (uint32_t i = 0; i < sim->o.threads; i++)
    forget(&sim->shares[i]);
  for (uint32_t i = 0; i < sim->n_sms; i++)
    tell_sm(&sim->shares[0], &sim->sms[i]);
  for (uint32_t i = 0; i < sim->n_channels; i++)
    tell_channel(&sim->shares[0], &sim->channels[i]);
}

/* At a kernel's end (credits mostly), and before owners change. A thread may rest from now on: what
 * it sent in earlier steps, and was delivered, must not lie there any more. */
static bool deliver_all(struct weir_sim *sim) {
  bool ok = true;
  for (uint32_t i = 0; i < sim->o.threads; i++) {
    struct weir_outbox *o = &sim->shares[i].out;
    for (uint64_t step = sim->step - sim->depth; step < sim->step; step++)
      for (uint32_t k = 0; k < WEIR_MAIL_BOXES; k++)
        ok &= deliver_box(sim, &o->box[side_of(step)][k]);
    for (unsigned side = 0; side < WEIR_MAIL_SIDES; side++)
      weir_outbox_turn(o, (uint8_t)side);
  }
  tell_all(sim);
  return ok;
}

/* Components, and the mail to them. With crossbars, which want the mail of each in its order, all
 * of it lies in the first box. */
static void share_out(struct weir_sim *sim) {
  for (uint32_t i = 0; i < sim->o.threads; i++)
    sim->shares[i].n_components = 0;
  for (uint32_t i = 0; i < n_components(sim); i++) {
    struct share *s = &sim->shares[sim->pool != NULL ? weir_pool_owner(sim->pool, i) : 0];
    s->components[s->n_components++] = (uint16_t)i;
    if (i < sim->n_sms)
      sim->sms[i].port.out = &s->out;
    else
      sim->channels[i - sim->n_sms].outbox = &s->out;
  }
  for (uint32_t dst = 0;
       sim->pool != NULL && !sim->has_fifo && dst < sim->n_sms + (uint32_t)sim->m->l2.slices; dst++)
    sim->box_of[dst] =
        (uint8_t)(weir_pool_owner(sim->pool, weir_sim_component(sim, dst)) % WEIR_MAIL_BOXES);
}

/* Mail lies sorted by the present owners; it is out before they change. */
static bool balance(struct weir_sim *sim) {
  enum { STEPS = 1024 };
  if (sim->pool == NULL || (sim->step < sim->weigh_at && !weir_pool_is_late(sim->pool)))
    return true;
  sim->weigh_at = sim->step + STEPS;
  if (!weir_pool_weigh(sim->pool)) return true;
  bool ok = deliver_all(sim);
  weir_pool_hand_over(sim->pool);
  share_out(sim);
  return ok;
}

/* ---- a burst of steps ---- */

/* News and mail of other cores take as long to come as many messages take to be delivered. They are
 * sent for while there is something else to do: first the news, when it is there where the mail
 * lies, and then the beginning of that. The rest is sent for while that is delivered. */
enum glance { NOTHING_YET, NEWS, MAIL_PLACE, MAIL };

static enum glance look_ahead(struct weir_sim *sim, uint32_t thread, uint64_t step,
                              enum glance done) {
  uint32_t box = thread % WEIR_MAIL_BOXES;
  if (done == NOTHING_YET) {
    weir_pool_hint(sim->pool, thread);
    return NEWS;
  }
  if (done == NEWS && !weir_pool_has_ended(sim->pool, thread, step)) return NEWS;
  for (uint32_t i = 0; i < sim->o.threads && done < MAIL; i++) {
    const struct weir_mail *b = &sim->shares[i].out.box[side_of(step)][box];
    if (i == thread) continue;
    if (done == NEWS) __builtin_prefetch(b);
    for (uint32_t k = 0; done == MAIL_PLACE && k < b->n && k < WEIR_MAIL_AHEAD; k += 2)
      __builtin_prefetch(&b->v[k]);
  }
  return done < MAIL ? done + 1 : MAIL;
}

struct span {
  uint64_t from, to;
};

static uint64_t run_sm(const struct weir_sim *sim, struct weir_sm *sm, struct span t) {
  uint64_t n = 0;
  if (sim->o.literal) sm->wake = weir_min64(sm->wake, t.from);
  for (; sm->wake < t.to && !sm->is_failed; n++) {
    uint64_t now = sm->wake, next = weir_sm_cycle(sm, now);
    sm->wake = sim->o.literal ? now + 1 : next;
  }
  return n;
}

static uint64_t run_sampled(const struct weir_sim *sim, struct weir_sm *sm, struct span t) {
  uint64_t n = 0;
  for (; sm->sample_at < t.to; t.from = weir_max64(t.from, sm->sample_at)) {
    n += run_sm(sim, sm, (struct span){t.from, sm->sample_at});
    weir_sim_sample(sim, sm);
  }
  return n + run_sm(sim, sm, t);
}

static uint64_t run_channel(const struct weir_sim *sim, struct weir_channel *c, struct span t) {
  uint64_t n = 0;
  if (sim->o.literal) c->wake = weir_min64(c->wake, t.from);
  for (; c->wake < t.to; n++) {
    uint64_t now = c->wake;
    if (sim->o.literal) weir_channel_poke(c);
    weir_channel_cycle(c, now);
    if (sim->o.literal) c->wake = now + 1;
  }
  return n;
}

/* Is there something for an exchange? Events of policies on an SM without work wait for one; it
 * must not be later than a window after them. */
static bool is_eventful(const struct weir_sim *sim, const struct weir_sm *sm) {
  if (sm->n_retired > 0 || has_failed(sm)) return true;
  if (!sim->has_soft) return false;
  return sm->mail.out.n > 0 || (sm->is_settled && sm->soft_wake < sim->end &&
                                sim->end - sm->soft_wake > sim->depth * sim->step_cyc);
}

/* True: there is something for an exchange. A cycle of an SM costs about twice that of a channel.
 */
static bool run_step(struct weir_sim *sim, uint32_t thread, uint64_t step, struct span t) {
  const struct share *s = &sim->shares[thread];
  bool any = false;
  enum glance done = sim->depth > 1 ? NOTHING_YET : MAIL;
  for (uint32_t k = 0; k < s->n_components; k++) {
    uint32_t i = s->components[k];
    if (done < MAIL && k >= s->n_components / 4)
      done = look_ahead(sim, thread, step + 1 - sim->depth, done);
    uint64_t work;
    if (i < sim->n_sms) {
      struct weir_sm *sm = &sim->sms[i];
      work = 2 * (sim->o.sampler == NULL ? run_sm(sim, sm, t) : run_sampled(sim, sm, t));
      any |= is_eventful(sim, sm);
    } else
      work = run_channel(sim, &sim->channels[i - sim->n_sms], t);
    if (sim->pool != NULL) weir_pool_count(sim->pool, i, work);
  }
  return any;
}

static void tell_own(const struct weir_sim *sim, struct share *s) {
  forget(s);
  for (uint32_t k = 0; k < s->n_components; k++) {
    uint32_t i = s->components[k];
    if (i < sim->n_sms)
      tell_sm(s, &sim->sms[i]);
    else
      tell_channel(s, &sim->channels[i - sim->n_sms]);
  }
}

/* Space for mail that other cores have read: it is asked for before it is written, as far as it was
 * needed last time. */
static void claim_space(const struct weir_sim *sim, uint32_t thread, uint8_t side) {
  const struct weir_outbox *o = &sim->shares[thread].out;
  for (uint32_t i = 0; i < sim->o.threads && i < WEIR_MAIL_BOXES; i++)
    for (uint32_t k = 0; i != thread && k < o->box[side][i].n && k < WEIR_MAIL_AHEAD; k += 2)
      weir_claim_line(&o->box[side][i].v[k]);
}

/* Before the first step all mail is there; later on it comes step by step. */
static void run_burst(void *self, uint32_t thread) {
  struct weir_sim *sim = self;
  struct share *s = &sim->shares[thread];
  bool ok = true;
  uint32_t n = 0;
  for (; n < sim->burst; n++) {
    uint64_t step = sim->step + n;
    struct span t = {.from = sim->now + n * sim->step_cyc,
                     .to = sim->now + (n + 1) * sim->step_cyc};
    if (sim->pool != NULL && !weir_pool_begin(sim->pool, thread, step)) break;
    for (uint32_t k = sim->depth; n == 0 && k > 0; k--)
      ok &= deliver_share(sim, thread, step - k);
    if (n >= sim->depth) ok &= deliver_share(sim, thread, step - sim->depth);
    claim_space(sim, thread, side_of(step));
    weir_outbox_turn(&s->out, side_of(step));
    bool is_last = run_step(sim, thread, step, t);
    if (sim->pool != NULL) weir_pool_end(sim->pool, thread, step, is_last);
  }
  s->n_steps = n;
  tell_own(sim, s);
  s->is_failed |= !ok;
}

/* Steps of a burst that begins now, the most there can be. */
static uint32_t most_steps(const struct weir_sim *sim) {
  uint64_t soft = WEIR_NEVER, n;
  if (sim->depth == 1) return 1;
  for (uint32_t i = 0; i < sim->o.threads; i++)
    soft = weir_min64(soft, sim->shares[i].soft_wake);
  n = soft > sim->now ? (soft - sim->now) / sim->step_cyc : 0;
  return (uint32_t)weir_min64(n, BURST - sim->depth) + sim->depth;
}

static void run_all(struct weir_sim *sim) {
  sim->burst = most_steps(sim);
  sim->end = sim->now + sim->burst * sim->step_cyc;
  if (sim->pool != NULL)
    weir_pool_turn(sim->pool);
  else
    run_burst(sim, 0);
  sim->step += sim->shares[0].n_steps;
  sim->end = sim->now + sim->shares[0].n_steps * sim->step_cyc;
}

/* ---- exchange ---- */

static enum weir_status place_next(struct weir_sim *sim, struct weir_sm *sm, uint64_t at,
                                   struct weir_err *err) {
  struct weir_block_stream *b;
  if (sim->is_source_done) return WEIR_OK;
  enum weir_status st = sim->source->next(sim->source, &b, err);
  if (st != WEIR_OK) return st;
  if (b == NULL)
    sim->is_source_done = true;
  else
    weir_sm_place(sm, b,
                  at + weir_jitter(&sim->m->jitter, WEIR_JITTER_DISPATCH, sim->n_kernels, b->id));
  return WEIR_OK;
}

/* When a block that ended in that cycle is taken note of (sm.retire_tenths). */
static uint64_t retire(struct weir_sim *sim, uint64_t ended) {
  if (sim->m->sm.retire_tenths == 0) return ended;
  const uint64_t at = weir_max64(10 * ended, sim->retire_free);
  sim->retire_free = at + (uint64_t)sim->m->sm.retire_tenths;
  return sim->retired_at = at / 10;
}

/* Blocks that ended are given back and their places filled, in the order (cycle, SM). */
static enum weir_status dispatch(struct weir_sim *sim, struct weir_err *err) {
  bool any = false;
  for (uint32_t i = 0; i < sim->o.threads; i++) {
    struct share *s = &sim->shares[i];
    any |= s->n_retiring > 0;
    while (s->n_retiring > 0)
      sim->has_retired[s->retiring[--s->n_retiring]] = true;
  }
  while (any) {
    struct weir_sm *best = NULL;
    for (uint32_t i = 0; i < sim->n_sms; i++) {
      struct weir_sm *sm = &sim->sms[i];
      if (sim->has_retired[i] && (best == NULL || sm->retired[0].at < best->retired[0].at))
        best = sm;
    }
    if (best == NULL) break;
    uint64_t cycle = retire(sim, best->retired[0].at);
    sim->source->release(sim->source, best->retired[0].stream);
    sim->blocks_done++;
    sim->has_retired[best->id] = --best->n_retired > 0;
    memmove(best->retired, best->retired + 1, best->n_retired * sizeof best->retired[0]);
    enum weir_status st = place_next(sim, best, cycle + (uint64_t)sim->m->sm.dispatch_latency, err);
    if (st != WEIR_OK) return st;
    sim->shares[0].wake = weir_min64(sim->shares[0].wake, best->wake);
    sim->shares[0].is_busy |= !weir_sm_is_idle(best);
  }
  return WEIR_OK;
}

/* What SMs told one another: everybody hears it but the speaker. */
static bool deliver_casts(struct weir_sim *sim) {
  bool ok = true;
  for (uint32_t i = 0; i < sim->n_sms; i++) {
    struct weir_broadcasts *said = &sim->sms[i].mail.out;
    for (size_t c = 0; c < said->n; c++)
      for (uint32_t k = 0; k < sim->n_sms; k++) {
        if (k == i) continue;
        struct weir_sm *to = &sim->sms[k];
        ok &= weir_sm_hear(to, &said->v[c]);
        /* One without work leaves it until an exchange. */
        if (!to->is_settled) to->wake = weir_min64(to->wake, said->v[c].at);
      }
    said->n = 0;
  }
  return ok;
}

static bool is_idle(const struct weir_sim *sim) {
  if (weir_sim_is_carrying(sim)) return false;
  for (uint32_t i = 0; i < sim->o.threads; i++)
    if (sim->shares[i].is_busy) return false;
  return true;
}

static bool is_finished(struct weir_sim *sim) {
  if (!sim->is_source_done || !is_idle(sim)) return false;
  sim->shares[0].is_failed |= !deliver_all(sim);
  return is_idle(sim);
}

/* The kernel has ended, though credits may be on their way. */
static bool is_over(const struct weir_sim *sim) {
  if (!sim->is_source_done) return false;
  for (uint32_t i = 0; i < sim->n_sms; i++)
    if (!weir_sm_is_over(&sim->sms[i])) return false;
  return true;
}

enum weir_status weir_sim_fault(const struct weir_sm *sm, struct weir_err *err) {
  const char *fault = weir_l1_fault(sm->l1);
  if (fault == NULL) return WEIR_OK;
  return weir_fail(err, weir_l1_fault_code(sm->l1), "%s (SM %u)", fault, sm->id);
}

static enum weir_status check_sms(const struct weir_sim *sim, struct weir_err *err) {
  for (uint32_t i = 0; i < sim->n_sms; i++) {
    const struct weir_sm *sm = &sim->sms[i];
    if (sm->is_failed) {
      if (err != NULL) *err = sm->err;
      return sm->status;
    }
    enum weir_status st = weir_sim_fault(sm, err);
    if (st != WEIR_OK) return st;
  }
  return WEIR_OK;
}

static enum weir_status check_shares(const struct weir_sim *sim, struct weir_err *err) {
  bool ok = true;
  for (uint32_t i = 0; i < sim->o.threads; i++)
    ok &= !sim->shares[i].is_failed && !sim->shares[i].out.is_failed;
  if (ok) return WEIR_OK;
  enum weir_status st = check_sms(sim, err);
  return st != WEIR_OK ? st : weir_fail(err, WEIR_ENOMEM, "out of memory");
}

/* Events of policies on SMs without work that lie before the burst's end: the kernel goes on, so
 * they happen. At a kernel's end weir_sm_kernel_end decides. */
static bool soften(struct weir_sim *sim) {
  bool over = is_over(sim);
  for (uint32_t i = 0; !over && i < sim->n_sms; i++)
    if (sim->sms[i].is_settled) weir_sm_soft(&sim->sms[i], sim->end);
  bool ok = deliver_casts(sim);
  tell_all(sim);
  return ok;
}

static enum weir_status exchange(struct weir_sim *sim, struct weir_err *err) {
  enum weir_status st = check_shares(sim, err);
  if (st == WEIR_OK) st = dispatch(sim, err);
  if (st != WEIR_OK) return st;
  bool ok = (!sim->has_fifo || weir_sim_carry(sim)) && balance(sim);
  if (sim->has_soft) ok &= soften(sim);
  return ok ? check_shares(sim, err) : weir_fail(err, WEIR_ENOMEM, "out of memory");
}

/* ---- set-up ---- */

static void free_shares(struct share *shares, uint32_t n) {
  for (uint32_t i = 0; shares != NULL && i < n; i++) {
    weir_outbox_free(&shares[i].out);
    free(shares[i].retiring);
    free(shares[i].components);
  }
  free(shares);
}

/* Zeros, of a type that is aligned to cache lines. */
static void *in_lines(uint32_t n, size_t size) {
  void *v = weir_aligned_alloc(64, n * size);
  if (v != NULL) memset(v, 0, n * size);
  return v;
}

static struct share *new_shares(uint32_t n, uint32_t n_sms, uint32_t n_all) {
  struct share *shares = in_lines(n, sizeof *shares);
  if (shares == NULL) return NULL;
  bool ok = true;
  for (uint32_t i = 0; i < n; i++) {
    for (unsigned k = 0; k < WEIR_MAIL_SIDES; k++)
      weir_outbox_turn(&shares[i].out, (uint8_t)k);
    shares[i].retiring = weir_calloc(n_sms, sizeof *shares[i].retiring);
    shares[i].components = weir_calloc(n_all, sizeof *shares[i].components);
    ok &= shares[i].retiring != NULL && shares[i].components != NULL;
  }
  if (ok) return shares;
  free_shares(shares, n);
  return NULL;
}

static void set_steps(struct weir_sim *sim) {
  uint64_t most = (uint64_t)sim->m->window,
           window = sim->o.window != 0 && sim->o.window < most ? sim->o.window : most;
  sim->depth = sim->o.threads > 1 && window >= DEPTH && !sim->has_fifo ? DEPTH : 1;
  sim->step_cyc = window / sim->depth;
  sim->step = sim->depth;
}

enum weir_status weir_sim_new(const struct weir_machine *m, const struct weir_design *design,
                              const struct weir_sim_options *o, struct weir_sim **out,
                              struct weir_err *err) {
  *out = NULL;
  enum weir_status affordable = weir_machine_affordable(m, design, err);
  if (affordable != WEIR_OK) return affordable;
  struct weir_sim *sim = weir_calloc(1, sizeof *sim);
  if (sim == NULL) return weir_fail(err, WEIR_ENOMEM, "out of memory");
  sim->m = m;
  sim->o = *o;
  sim->n_sms = (uint32_t)m->sm.count;
  sim->n_channels = (uint32_t)m->dram.channels;
  sim->has_fifo = m->noc.crossbar == WEIR_XBAR_FIFO;
  if (sim->o.threads == 0) sim->o.threads = 1;
  if (sim->o.threads > n_components(sim)) sim->o.threads = n_components(sim);
  sim->sms = in_lines(sim->n_sms, sizeof *sim->sms);
  sim->channels = in_lines(sim->n_channels, sizeof *sim->channels);
  sim->shares = new_shares(sim->o.threads, sim->n_sms, n_components(sim));
  sim->has_retired = weir_calloc(sim->n_sms, sizeof *sim->has_retired);
  sim->units = weir_calloc(sim->n_sms, sizeof *sim->units);
  sim->units_before = weir_calloc(sim->n_sms, sizeof *sim->units);
  bool ok = sim->sms != NULL && sim->channels != NULL && sim->shares != NULL &&
            sim->has_retired != NULL && sim->units != NULL && sim->units_before != NULL;
  for (uint32_t i = 0; ok && i < sim->n_sms; i++) {
    enum weir_status st = weir_sm_init(&sim->sms[i], m, design, i, err);
    if (st != WEIR_OK) {
      weir_sim_free(sim);
      return st;
    }
  }
  for (uint32_t i = 0; ok && o->literal && i < sim->n_sms; i++)
    weir_sm_set_literal(&sim->sms[i]);
  for (uint32_t i = 0; ok && o->clocks && i < sim->n_sms; i++)
    ok = (sim->sms[i].clocks = weir_clocks_new((uint32_t)m->sm.warps)) != NULL;
  for (uint32_t i = 0; ok && o->tape && i < sim->n_sms; i++)
    ok = weir_l1_tape_on(sim->sms[i].l1);
  const struct weir_part *part;
  for (uint32_t i = 0; ok && (part = weir_sim_part(sim, i)) != NULL; i++)
    sim->has_soft |= part->tick != NULL || part->broadcast_received != NULL;
  for (uint32_t i = 0; ok && i < sim->n_channels; i++)
    ok = weir_channel_init(&sim->channels[i], m, i);
  if (ok && sim->has_fifo) ok = weir_sim_init_xbars(sim);
  if (ok) set_steps(sim);
  if (ok && sim->o.threads > 1) {
    const struct weir_pool_job job = {.self = sim, .run = run_burst};
    sim->pool = weir_pool_new(sim->o.threads, n_components(sim), sim->depth, &job);
    sim->box_of = weir_calloc(sim->n_sms + (uint32_t)m->l2.slices, 1);
    ok = sim->pool != NULL && sim->box_of != NULL;
    for (uint32_t i = 0; ok && i < sim->o.threads; i++)
      sim->shares[i].out.box_of = sim->box_of;
  }
  if (ok) share_out(sim);
  if (!ok) {
    weir_sim_free(sim);
    return weir_fail(err, WEIR_ENOMEM, "out of memory for machine %s", m->name);
  }
  *out = sim;
  return WEIR_OK;
}

void weir_sim_free(struct weir_sim *sim) {
  if (sim == NULL) return;
  weir_pool_free(sim->pool);
  weir_xbar_free(&sim->requests);
  weir_xbar_free(&sim->replies);
  for (uint32_t i = 0; sim->sms != NULL && i < sim->n_sms; i++)
    if (sim->sms[i].m != NULL) weir_sm_free(&sim->sms[i]);
  for (uint32_t i = 0; sim->channels != NULL && i < sim->n_channels; i++)
    if (sim->channels[i].m != NULL) weir_channel_free(&sim->channels[i]);
  free(sim->sms);
  free(sim->units);
  free(sim->units_before);
  free(sim->insns);
  weir_clock_pairs_free(&sim->clocks);
  weir_reordered_free(sim->reordered);
  free(sim->channels);
  free_shares(sim->shares, sim->o.threads);
  free(sim->has_retired);
  free(sim->box_of);
  free(sim);
}

/* ---- a kernel ---- */

static uint64_t next_event(const struct weir_sim *sim) {
  uint64_t t = weir_sim_is_carrying(sim) ? sim->now : WEIR_NEVER;
  for (uint32_t i = 0; i < sim->o.threads; i++) {
    t = weir_min64(t, sim->shares[i].wake);
    for (uint64_t step = sim->step - sim->depth; step < sim->step; step++)
      t = weir_min64(t, sim->shares[i].out.first[side_of(step)]);
  }
  return t;
}

/* What an SM without work does at the wish of its policies moves nobody, but others may hear of it:
 * it must not lie in the past of a burst. */
static uint64_t next_burst(const struct weir_sim *sim, uint64_t next) {
  for (uint32_t i = 0; i < sim->o.threads; i++)
    next = weir_min64(next, sim->shares[i].soft_wake);
  return weir_max64(next, sim->now);
}

static enum weir_status start_kernel(struct weir_sim *sim, const struct weir_kernel_info *k,
                                     struct weir_sim_result *r, struct weir_err *err) {
  r->blocks_per_sm = weir_sm_fit(sim->m, k, &r->limited_by);
  if (r->blocks_per_sm == 0)
    return weir_fail(err, WEIR_EINVAL,
                     "kernel %s: not even one block fits on an SM of machine %s (%s)", k->name,
                     sim->m->name, r->limited_by);
  const struct weir_kernel about = weir_sm_about(k, sim->n_kernels, r->blocks_per_sm);
  const uint8_t *tags = NULL;
  if (sim->o.tags != NULL) {
    enum weir_status st = sim->o.tags(sim->o.tags_self, k, &tags, err);
    if (st != WEIR_OK) return st;
  }
  weir_reordered_free(sim->reordered);
  enum weir_status ordered = weir_reorder_kernel(sim->o.order, k, &sim->reordered, err);
  if (ordered != WEIR_OK) return ordered;
  uint32_t allowed = weir_l1_max_ctas(sim->sms[0].l1, &about);
  if (allowed < r->blocks_per_sm) {
    r->blocks_per_sm = allowed > 0 ? allowed : 1;
    r->limited_by = "policy";
  }
  for (uint32_t i = 0; i < sim->n_sms; i++) {
    if (!weir_sm_kernel(&sim->sms[i], k, sim->reordered, sim->n_kernels, r->blocks_per_sm,
                        sim->now))
      return weir_fail(err, WEIR_ENOMEM, "out of memory");
    sim->sms[i].tags = tags;
  }
  sim->n_kernels++;
  /* Round robin, one block per SM and cycle. */
  for (uint32_t n = 0; n < r->blocks_per_sm && !sim->is_source_done; n++)
    for (uint32_t i = 0; i < sim->n_sms && !sim->is_source_done; i++) {
      enum weir_status st = place_next(sim, &sim->sms[i], sim->now + n, err);
      if (st != WEIR_OK) return st;
    }
  return WEIR_OK;
}

static void rest(struct weir_sim *sim) {
  for (uint32_t i = 0; i < sim->n_channels; i++)
    weir_channel_rest(&sim->channels[i]);
  for (uint32_t i = 0; i < sim->n_sms; i++)
    weir_sm_rest(&sim->sms[i]);
}

static struct weir_parts parts_of(const struct weir_sim *sim) {
  return (struct weir_parts){.sms = sim->sms,
                             .channels = sim->channels,
                             .n_sms = sim->n_sms,
                             .n_channels = sim->n_channels};
}

/* Nothing moves: say who waits for what. */
static enum weir_status stuck(const struct weir_sim *sim, uint64_t quiet_since,
                              struct weir_err *err) {
  struct weir_parts parts = parts_of(sim);
  for (uint32_t i = 0; i < sim->n_sms; i++) {
    const struct weir_sm *sm = &sim->sms[i];
    if (weir_sm_is_idle(sm)) continue;
    weir_l1_blame(sm->l1);
    enum weir_status st = weir_sim_fault(sm, err);
    if (st == WEIR_EFAULT) return st;
  }
  const char *file = sim->source->file;
  enum weir_status st = file != NULL && weir_waits_at_barriers(&parts) ? WEIR_EFAULT : WEIR_EBUG;
  weir_fail(err, st, "%s%skernel %s: no progress since cycle %" PRIu64 " (now %" PRIu64 ")",
            file != NULL ? file : "", file != NULL ? ": " : "", sim->source->kernel->name,
            quiet_since, sim->now);
  if (st == WEIR_EFAULT)
    weir_err_add(err,
                 "warps wait at a barrier for others that never come to it: so the trace says");
  weir_describe(&parts, sim->now, err);
  return st;
}

static enum weir_status give_up(struct weir_sim *sim, enum weir_status st) {
  sim->is_broken = true;
  for (uint32_t i = 0; i < sim->n_sms; i++)
    weir_sm_abandon(&sim->sms[i], sim->source);
  return st;
}

/* The end of a kernel in which nothing happens any more (sm.access_end_cyc). */
static uint64_t end_of(const struct weir_sim *sim, uint64_t blocks_end, uint64_t last) {
  const uint64_t least = blocks_end + (uint64_t)sim->m->sm.access_end_cyc;
  for (uint32_t i = 0; i < sim->n_sms; i++)
    if (sim->sms[i].has_accessed) return weir_max64(last, least);
  return last;
}

enum weir_status weir_sim_kernel(struct weir_sim *sim, struct weir_block_source *source,
                                 struct weir_sim_result *result, struct weir_err *err) {
  struct weir_sim_result shape = {0};
  if (sim->is_broken) return weir_fail(err, WEIR_EINVAL, "an earlier kernel failed");
  sim->source = source;
  sim->is_source_done = false;
  sim->blocks_done = 0;
  for (uint32_t i = 0; sim->o.cold && i < sim->n_channels; i++)
    weir_channel_empty(&sim->channels[i]);
  sim->now += (uint64_t)sim->m->sm.launch_latency;
  sim->retire_free = 10 * sim->now;
  uint64_t start = sim->now, end = start, quiet_since = start, seen = 0;
  enum weir_status st = start_kernel(sim, source->kernel, &shape, err);
  if (st == WEIR_OK) weir_sim_samples_begin(sim);
  tell_all(sim);
  while (st == WEIR_OK && !is_finished(sim)) {
    uint64_t next = next_event(sim);
    if (next == WEIR_NEVER) return give_up(sim, stuck(sim, quiet_since, err));
    if (!sim->o.literal) sim->now = next_burst(sim, next);
    run_all(sim);
    st = exchange(sim, err);
    sim->now = sim->end;
    uint64_t events = 0;
    for (uint32_t i = 0; i < sim->o.threads; i++)
      events += sim->shares[i].last_events;
    if (events != seen) seen = events, quiet_since = sim->now;
    if (sim->o.watchdog != 0 && sim->now - quiet_since > sim->o.watchdog)
      return give_up(sim, stuck(sim, quiet_since, err));
    if (sim->o.progress != NULL &&
        !sim->o.progress(sim->o.self, sim->now - start, sim->blocks_done))
      return give_up(sim, weir_fail(err, WEIR_ELIMIT, "stopped"));
  }
  if (st != WEIR_OK) return give_up(sim, st);
  rest(sim);
  struct weir_parts parts = parts_of(sim);
  if (sim->o.check && (st = weir_verify(&parts, err)) != WEIR_OK) return give_up(sim, st);
  if (sim->has_fifo && (st = weir_sim_rest_xbars(sim, err)) != WEIR_OK) return give_up(sim, st);
  /* The cycle of the last event belongs to the kernel. */
  for (uint32_t i = 0; i < sim->n_sms; i++)
    end = weir_max64(end, sim->sms[i].last_event + 1);
  if (sim->m->sm.retire_tenths > 0) end = weir_max64(end, sim->retired_at + 1);
  const uint64_t blocks_end = end;
  for (uint32_t i = 0; i < sim->n_sms; i++) /* acknowledgements that no block has waited for */
    end = weir_max64(end, sim->sms[i].last_ack + 1);
  sim->now = end;
  weir_sim_samples_end(sim, end);
  for (uint32_t i = 0; i < sim->n_sms; i++)
    weir_sm_soft(&sim->sms[i], end);
  if (!deliver_casts(sim)) return give_up(sim, weir_fail(err, WEIR_ENOMEM, "out of memory"));
  sim->now = end = end_of(sim, blocks_end, end);
  for (uint32_t i = 0; i < sim->n_sms; i++) {
    weir_sm_close(&sim->sms[i]);
    weir_sm_settle(&sim->sms[i], end); /* policies may look at it then */
    weir_sm_kernel_end(&sim->sms[i], end);
    if ((st = weir_sim_fault(&sim->sms[i], err)) != WEIR_OK) return give_up(sim, st);
  }
  for (uint32_t i = 0; i < sim->n_channels; i++)
    weir_channel_settle(&sim->channels[i], end);
  struct weir_sim_result before = sim->total;
  weir_sim_add_up(sim, sim->units, &sim->total);
  *result = sim->total;
  weir_sim_subtract(sim, result, &before);
  if (!weir_sim_keep_details(sim, start))
    return give_up(sim, weir_fail(err, WEIR_ENOMEM, "out of memory"));
  result->start = start;
  result->cycles = end - start;
  result->drain = end - blocks_end;
  result->blocks_per_sm = shape.blocks_per_sm;
  result->limited_by = shape.limited_by;
  for (uint32_t i = 0; i < WEIR_MAX_PARTS; i++)
    result->parts[i] = weir_sim_part(sim, i);
  return WEIR_OK;
}
