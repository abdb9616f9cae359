/* The order of work inside a cycle (it fixes ties): messages; one waiting request answered; the L1
 * sees the head of the LD/ST queue; one packet is injected; warps issue; the coalescer fills the
 * queue; blocks retire.
 *
 * An SM is called only in cycles in which something can happen: weir_sm_cycle says which is next.
 * What is counted per cycle (slots, stalls) is added up over the cycles between. */
#include "sim/sm.h"

#include "base/arena.h"
#include "base/fifo.h"
#include "base/mem.h"
#include "sim/constants.h"
#include "sim/memory.h"
#include "sim/sm_core.h"
#include "sim/texture.h"

/* ---- events that concern policies only ---- */

static uint64_t next_soft(const struct weir_sm *sm) {
  return weir_min64(sm->mail.in.n > 0 ? sm->mail.in.v[0].at : WEIR_NEVER,
                    weir_l1_next_tick(sm->l1));
}

/* Nothing here can change the time of a kernel any more, unless a block arrives. */
static bool has_no_work(const struct weir_sm *sm, uint64_t now) {
  if (sm->n_blocks > 0 || sm->ldst.queue.n > 0 || sm->ldst.inflight > 0 || !weir_l1_is_idle(sm->l1))
    return false;
  for (uint32_t i = 0; i < sm->n_arriving; i++)
    if (sm->arriving[i].at <= now) return false;
  return true;
}

bool weir_sm_is_over(const struct weir_sm *sm) {
  return sm->n_arriving == 0 && sm->port.writebacks == 0 && has_no_work(sm, 0);
}

bool weir_sm_hear(struct weir_sm *sm, const struct weir_broadcast *c) {
  if (!WEIR_PUSH(sm->mail.in, *c)) return false;
  struct weir_broadcast *v = sm->mail.in.v;
  size_t i = sm->mail.in.n - 1;
  for (; i > 0 && (c->at < v[i - 1].at || (c->at == v[i - 1].at && c->from < v[i - 1].from)); i--)
    v[i] = v[i - 1];
  v[i] = *c;
  sm->soft_wake = weir_min64(sm->soft_wake, c->at);
  return true;
}

/* Hear what has arrived until then. */
static void take_casts(struct weir_sm *sm, uint64_t until) {
  size_t n = 0;
  while (n < sm->mail.in.n && sm->mail.in.v[n].at <= until)
    n++;
  if (n == 0) return;
  for (size_t i = 0; i < n; i++) {
    const struct weir_broadcast *c = &sm->mail.in.v[i];
    weir_l1_broadcast_received(sm->l1, c->from, c->part, c->v, sm->now);
  }
  sm->mail.in.n -= n;
  memmove(sm->mail.in.v, sm->mail.in.v + n, sm->mail.in.n * sizeof *sm->mail.in.v);
}

static void take_ticks(struct weir_sm *sm, uint64_t now) {
  if (weir_l1_next_tick(sm->l1) <= now) weir_l1_tick(sm->l1, now);
}

/* An SM without work leaves these events until the exchange: only there is known whether the kernel
 * has ended before them. Should a block come first, they are run before it. */
void weir_sm_soft(struct weir_sm *sm, uint64_t end) {
  while (sm->soft_wake < end) {
    sm->now = sm->soft_wake;
    take_casts(sm, sm->now);
    take_ticks(sm, sm->now);
    sm->soft_wake = weir_max64(next_soft(sm), sm->now + 1);
  }
}

/* Broadcasts still under way are received now; wake-ups that have not come are forgotten. */
void weir_sm_kernel_end(struct weir_sm *sm, uint64_t end) {
  sm->now = end;
  take_casts(sm, WEIR_NEVER);
  weir_l1_kernel_end(sm->l1, end);
  sm->mail.out.n = 0;
  sm->soft_wake = WEIR_NEVER;
}

/* ---- set-up ---- */

/* Warps that have not ended; those at a barrier do not count as active. */
static void view_of(void *self, struct weir_sm_view *v) {
  struct weir_sm *sm = self;
  *v = (struct weir_sm_view){.ctas_resident = sm->n_blocks,
                             .ctas_max = sm->max_blocks,
                             .insns_issued = sm->stats.warp_insns};
  for (uint32_t i = 0; i < sm->n_order; i++) {
    uint8_t state = sm->warps[sm->order[i]].state;
    v->warps_resident += state != WEIR_W_DONE;
    v->warps_active += state == WEIR_W_RUN;
  }
  weir_ldst_settle(sm, weir_max64(sm->now, sm->ldst.since));
  v->resv_stall_cycles = sm->stats.stall[WEIR_NO_LINE] + sm->stats.stall[WEIR_NO_MSHR] +
                         sm->stats.stall[WEIR_NO_MERGE] + sm->stats.stall[WEIR_NO_QUEUE];
  for (unsigned s = 0; s < (unsigned)sm->m->sm.schedulers; s++)
    if (sm->now > sm->sched[s].since) weir_sched_settle(sm, &sm->sched[s], sm->now);
  for (unsigned i = 0; i < WEIR_N_ISSUE_SLOTS; i++) {
    v->issue_slots += sm->stats.slot[i];
    if (i == WEIR_SLOT_LOAD || i >= WEIR_SLOT_LDST) v->memory_slots += sm->stats.slot[i];
  }
  v->idle_slots = sm->stats.slot[WEIR_SLOT_NO_WARP];
  const struct weir_l1_stats *l1 = weir_l1_get_stats(sm->l1, sm->now);
  v->l1_hits = l1->hits;
  v->l1_loads = l1->loads;
}

static void send_broadcast(void *self, uint32_t part, const uint64_t v[4]) {
  struct weir_sm *sm = self;
  struct weir_broadcast c = {
      .at = sm->now + (uint64_t)sm->m->sm.broadcast_latency, .from = sm->id, .part = part};
  memcpy(c.v, v, sizeof c.v);
  sm->port.out->is_failed |= !WEIR_PUSH(sm->mail.out, c);
}

enum weir_status weir_sm_init(struct weir_sm *sm, const struct weir_machine *m,
                              const struct weir_design *design, uint32_t id, struct weir_err *err) {
  struct weir_l1_host host = {.sm = sm, .id = id, .view = view_of, .broadcast = send_broadcast};
  *sm = (struct weir_sm){
      .m = m, .id = id, .wake = WEIR_NEVER, .soft_wake = WEIR_NEVER, .collect_at = WEIR_NEVER};
  sm->warps = weir_calloc((size_t)m->sm.warps, sizeof *sm->warps);
  sm->blocks = weir_calloc((size_t)m->sm.blocks, sizeof *sm->blocks);
  sm->order = weir_calloc((size_t)m->sm.warps, sizeof *sm->order);
  sm->port.credit = weir_calloc((size_t)m->l2.slices, sizeof *sm->port.credit);
  if (sm->warps == NULL || sm->blocks == NULL || sm->order == NULL || sm->port.credit == NULL)
    return weir_fail(err, WEIR_ENOMEM, "out of memory for machine %s", m->name);
  sm->l1 = weir_l1_create(m, design, &host, err);
  if (sm->l1 == NULL) return err != NULL ? err->code : WEIR_EINVAL;
  enum weir_status st = weir_ldst_init(&sm->ldst, m, sm->l1, err);
  if (st != WEIR_OK) return st;
  if (m->sm.collector_units > 0) {
    sm->collect = weir_collect_new(m);
    if (sm->collect == NULL)
      return weir_fail(err, WEIR_ENOMEM, "out of memory for machine %s", m->name);
  }
  sm->n_code = (uint32_t)((m->sm.code_bytes + WEIR_CODE_LINE - 1) / WEIR_CODE_LINE);
  sm->code = weir_calloc(sm->n_code + (size_t)1, sizeof *sm->code);
  if (sm->code == NULL) return weir_fail(err, WEIR_ENOMEM, "out of memory for machine %s", m->name);
  sm->has_gate = weir_l1_has_gate(sm->l1);
  sm->asks_policies = sm->has_gate || weir_l1_has_scheduler(sm->l1);
  sm->own = weir_l1_own_scheduler(sm->l1);
  sm->hears_warps = weir_l1_hears_warps(sm->l1);
  sm->tells_views = weir_l1_has_scheduler(sm->l1) || weir_l1_hears_views(sm->l1);
  sm->hears_issue = weir_l1_hears_issue(sm->l1);
  sm->port.has_fifo = m->noc.crossbar == WEIR_XBAR_FIFO;
  for (int64_t i = 0; i < m->l2.slices; i++)
    sm->port.credit[i] =
        (uint32_t)(sm->port.has_fifo ? m->noc.input_buffer : m->noc.request_buffer);
  for (unsigned s = 0; s < (unsigned)m->sm.schedulers; s++)
    for (int64_t w = s; w < m->sm.warps; w += m->sm.schedulers) {
      sm->sched[s].slots |= UINT64_C(1) << w;
      sm->sched_of[w] = (uint8_t)s;
    }
  return WEIR_OK;
}

void weir_sm_free(struct weir_sm *sm) {
  if (sm->l1 != NULL) weir_l1_destroy(sm->l1);
  weir_ldst_free(&sm->ldst);
  weir_collect_free(sm->collect);
  weir_clocks_free(sm->clocks);
  weir_reorderer_free(sm->reorderer);
  free(sm->warps);
  free(sm->blocks);
  free(sm->order);
  free(sm->code);
  free(sm->regs);
  free(sm->port.credit);
  free(sm->port.replies.v);
  free(sm->port.credits.v);
  free(sm->port.fills.v);
  free(sm->mail.in.v);
  free(sm->mail.out.v);
}

/* Room for streams in another order is made when a kernel first asks for it. */
static bool take_order(struct weir_sm *sm, const struct weir_reordered *r) {
  const struct weir_reorder_counts counts = {&sm->stats.warp_insns, &sm->stats.thread_insns,
                                             &sm->stats.insns_left_out};
  sm->reordered = r;
  if (sm->reorderer == NULL && r != NULL)
    sm->reorderer = weir_reorderer_new((uint32_t)sm->m->sm.warps, counts);
  if (sm->reorderer == NULL) return r == NULL;
  return weir_reorderer_kernel(sm->reorderer, r);
}

/* Of the array that L1 and shared memory have together. */
static uint32_t shared_taken(const struct weir_machine *m, const struct weir_kernel_info *k,
                             uint32_t blocks) {
  const uint64_t own = (uint64_t)k->static_shared + k->dyn_shared;
  if (k->carveout == 0 || own == 0)
    return (uint32_t)weir_max64(weir_shared_of_blocks(m, blocks, own),
                                weir_preferred_carveout(m, k->carveout));
  return (uint32_t)weir_max64(blocks * (own + weir_shared_of_system(m)),
                              weir_preferred_carveout(m, k->carveout));
}

bool weir_sm_kernel(struct weir_sm *sm, const struct weir_kernel_info *kernel,
                    const struct weir_reordered *reordered, uint32_t uid, uint32_t max_blocks,
                    uint64_t now) {
  struct weir_kernel k = weir_sm_about(kernel, uid, max_blocks);
  if (reordered != NULL) kernel = &reordered->info;
  if (reordered != NULL && reordered->has_own_pcs) k.n_insns = kernel->n_insns;
  if (!take_order(sm, reordered)) return false;
  const struct weir_sm_cfg *c = &sm->m->sm;
  sm->outline = c->rejoin_cyc > 0 ? (reordered != NULL ? reordered->ptx : kernel)->outline : NULL;
  sm->has_paths = c->branch_guard_cyc > 0 || c->rejoin_cyc > 0 || sm->n_code > 0;
  for (enum weir_class cls = 0; cls < WEIR_N_CLASSES; cls++)
    sm->has_paths |= sm->m->next_cyc[cls] > 1;
  sm->code_tag = k.id | 1;
  for (uint32_t i = 0; i < sm->n_code; i++)
    sm->code[i].ready = 0;
  sm->kernel = kernel;
  sm->max_blocks = max_blocks;
  sm->next_age = 0;
  sm->now = now;
  sm->regs_per_warp = kernel->n_regs + 1;
  free(sm->regs);
  sm->regs = weir_calloc((size_t)sm->regs_per_warp * (size_t)sm->m->sm.warps, sizeof *sm->regs);
  if (sm->regs == NULL) return false;
  for (int64_t i = 0; i < sm->m->sm.warps; i++)
    sm->warps[i].reg = sm->regs + (size_t)i * sm->regs_per_warp;
  sm->n_order = 0;
  sm->is_settled = true;
  sm->is_dirty = true;
  sm->last_event = sm->last_ack = now;
  sm->has_accessed = false;
  sm->params_at = WEIR_NEVER;
  sm->next_arrival = now;
  for (unsigned i = 0; i < sizeof sm->sched / sizeof *sm->sched; i++)
    weir_sched_reset(sm, i, now);
  if (sm->clocks != NULL) weir_clocks_begin(sm->clocks);
  if (sm->collect != NULL) weir_collect_reset(sm);
  sm->ldst.since = now;
  sm->ldst.shared_free = 0;
  if (sm->ldst.texture != NULL) weir_texture_empty(sm->ldst.texture);
  if (sm->ldst.constants != NULL) weir_constants_empty(sm->ldst.constants);
  if (sm->m->l1.flush_on_kernel || sm->m->l1.unified_bytes > 0) sm->ldst.has_words = false;
  sm->kernel_start = now;
  memcpy(sm->slot_base, sm->stats.slot, sizeof sm->slot_base);
  if (!weir_l1_kernel_begin(sm->l1, &k, shared_taken(sm->m, kernel, max_blocks), now)) return false;
  sm->soft_wake = next_soft(sm);
  return true;
}

void weir_sm_set_literal(struct weir_sm *sm) {
  sm->is_literal = true;
  weir_l1_look_always(sm->l1);
}

/* ---- messages ---- */

static void return_credit(struct weir_sm *sm, const struct weir_msg *r, uint64_t now) {
  const uint64_t at = now + (uint64_t)sm->m->noc.credit_cyc;
  struct weir_msg *credit = weir_outbox_slot(sm->port.out, r->src, at);
  if (credit != NULL)
    *credit = (struct weir_msg){.at = at,
                                .kind = WEIR_MSG_CREDIT,
                                .src = (uint16_t)sm->id,
                                .dst = r->src,
                                .flits = r->flits};
}

/* What a load or an atomic has asked for, or a part of it. */
static void take_data(struct weir_sm *sm, const struct weir_msg *r, uint64_t now) {
  struct weir_msg whole;
  if (r->flags & WEIR_REQ_PART) {
    if (!weir_l1_join(sm->l1, r, &whole)) {
      return_credit(sm, r, now);
      return;
    }
    r = &whole;
  }
  if (!(r->flags & WEIR_REQ_BYPASS)) {
    sm->port.out->is_failed |= !WEIR_FIFO_PUSH(sm->port.fills, *r);
    return;
  }
  sm->ldst.inflight--;
  weir_l1_bypass_return(sm->l1, &sm->ldst.loads[r->id].a, r, now);
  weir_ldst_texels(sm, r->id, r->addr, now);
  weir_ldst_answer(sm, r->id, now);
  return_credit(sm, r, now);
}

static uint64_t reply_cycles(const struct weir_sm *sm, const struct weir_msg *r) {
  const uint64_t each = (uint64_t)sm->m->noc.sm_flits;
  return (r->flits + each - 1) / each;
}

static void take_credits(struct weir_sm *sm, uint64_t now) {
  const struct weir_msg *r;
  for (; (r = weir_inbox_head(&sm->port.credits)) != NULL && r->at <= now;
       weir_inbox_pop(&sm->port.credits))
    sm->port.credit[r->src - (uint32_t)sm->m->sm.count] += r->flits;
}

void weir_sm_rest(struct weir_sm *sm) {
  take_credits(sm, WEIR_NEVER);
}

/* Replies come through a port that moves so many flits per cycle; a crossbar's output has done so.
 */
static void take_messages(struct weir_sm *sm, uint64_t now) {
  const struct weir_msg *r;
  take_credits(sm, now);
  for (; (r = weir_inbox_head(&sm->port.replies)) != NULL && r->at <= now &&
         sm->port.eject_free <= now;
       weir_inbox_pop(&sm->port.replies)) {
    if (r->kind == WEIR_MSG_ACK && sm->m->sm.store_end_cyc > 0)
      sm->last_ack = now; /* nobody waits for it */
    else
      sm->last_event = now;
    sm->port.eject_free = now + (sm->port.has_fifo ? 1 : reply_cycles(sm, r));
    if (r->kind == WEIR_MSG_ACK) {
      if (r->id != UINT32_MAX)
        weir_ldst_acknowledge(sm, r->id);
      else
        sm->port.writebacks--;
      return_credit(sm, r, now);
    } else
      take_data(sm, r, now);
  }
}

/* One reply for the L1, then one load that waited for one. */
static bool take_fill(struct weir_sm *sm, uint64_t now) {
  bool took = false;
  if (sm->port.fills.n > 0 && weir_l1_fill(sm->l1, &WEIR_FIFO_HEAD(sm->port.fills), now)) {
    return_credit(sm, &WEIR_FIFO_HEAD(sm->port.fills), now);
    WEIR_FIFO_POP(sm->port.fills);
    took = true;
  }
  if (!weir_l1_has_drain(sm->l1)) return took;
  uint32_t id = weir_l1_drain(sm->l1, now);
  if (id != UINT32_MAX) {
    sm->ldst.inflight--;
    weir_ldst_answer(sm, id, now);
  }
  return took;
}

/* ---- injection ---- */

static uint64_t inject(struct weir_sm *sm, uint64_t now, bool *moved) {
  const struct weir_msg *p = weir_l1_peek(sm->l1);
  sm->port.wants_credit = false;
  if (p == NULL) return WEIR_NEVER;
  if (sm->port.inject_free > now || p->at > now) return weir_max64(sm->port.inject_free, p->at);
  uint32_t slice = weir_slice_of(sm->m, p->addr);
  uint32_t *credit = &sm->port.credit[sm->port.has_fifo ? 0 : slice];
  sm->port.wants_credit = *credit < p->flits;
  if (sm->port.wants_credit) return WEIR_NEVER;
  struct weir_msg out = *p;
  *credit -= out.flits;
  out.src = (uint16_t)sm->id;
  out.dst = (uint16_t)((uint32_t)sm->m->sm.count + slice);
  out.at = now + out.flits - 1 + (uint64_t)sm->m->noc.request_cyc;
  if (sm->port.has_fifo) out.at = now;
  sm->port.inject_free = now + out.flits;
  if (out.kind == WEIR_MSG_WRITE && out.id == UINT32_MAX) sm->port.writebacks++;
  weir_outbox_put(sm->port.out, &out);
  weir_l1_pop(sm->l1);
  *moved = true;
  return weir_l1_peek(sm->l1) != NULL ? sm->port.inject_free : WEIR_NEVER;
}

/* Nothing that moved in this cycle moves on in the next: when will something? */
static uint64_t next_event(const struct weir_sm *sm, uint64_t now) {
  uint64_t wake = sm->is_dirty ? now + 1 : weir_min64(sm->issue_at, sm->collect_at);
  uint64_t look_up = weir_l1_next_look_up(sm->l1);
  if (look_up > now) wake = weir_min64(wake, look_up);
  /* Behind a request that waits at the tags another may wait for the port. */
  if (sm->port.fills.n > 0 || sm->ldst.failed == WEIR_NO_DATA_PORT || look_up <= now)
    wake = weir_min64(wake, weir_max64(weir_l1_port_free(sm->l1, now), now + 1));
  for (uint32_t i = 0; i < sm->n_arriving; i++)
    wake = weir_min64(wake, sm->arriving[i].at);
  const struct weir_msg *r = weir_inbox_head(&sm->port.replies),
                        *c = weir_inbox_head(&sm->port.credits);
  if (r != NULL)
    wake = weir_min64(wake, weir_max64(weir_max64(r->at, sm->port.eject_free), now + 1));
  if (c == NULL || !sm->port.wants_credit) return wake;
  return weir_min64(wake, weir_max64(c->at, now + 1));
}

uint64_t weir_sm_cycle(struct weir_sm *sm, uint64_t now) {
  bool is_idle = has_no_work(sm, now);
  if (is_idle && sm->is_settled) {
    /* What comes is the acknowledgement of something the L1 wrote back. */
    take_messages(sm, now);
    return next_event(sm, now);
  }
  sm->is_settled = is_idle;
  if (!is_idle && sm->soft_wake < now) weir_sm_soft(sm, now);
  sm->now = now;
  take_messages(sm, now);
  if (!is_idle && sm->mail.in.n > 0) take_casts(sm, now);
  if (sm->n_arriving > 0) weir_sm_take_blocks(sm, now);
  bool filled = take_fill(sm, now);
  if (!is_idle) take_ticks(sm, now);
  bool moved = weir_ldst_present(sm, now);
  bool injected = false, queued, retired;
  uint64_t wake = inject(sm, now, &injected);
  if (sm->collect_at <= now || (sm->is_literal && sm->collect != NULL)) weir_collect_run(sm, now);
  bool issued = weir_sm_issue(sm, now, &queued, &retired, &wake);
  sm->soft_wake = next_soft(sm);
  /* The head may have got room by what was taken or injected; one fill is taken and one request
   * answered per cycle. */
  if (((moved || injected) &&
       (weir_ldst_waiting(&sm->ldst) > 0 || weir_l1_next_look_up(sm->l1) <= now)) ||
      (filled && sm->port.fills.n > 0) || issued || queued || retired || weir_l1_has_drain(sm->l1))
    return now + 1;
  if (!is_idle) wake = weir_min64(wake, weir_max64(sm->soft_wake, now + 1));
  return weir_min64(wake, next_event(sm, now));
}

/* The kernel ended in cycle `now`. Calls after it (late credits) saw no warps, so what is left of
 * the slots had none. */
void weir_sm_close(struct weir_sm *sm) {
  for (unsigned s = 0; s < (unsigned)sm->m->sm.schedulers; s++) {
    struct weir_sched *c = &sm->sched[s];
    if (sm->last_event + 1 > c->since) weir_sched_settle(sm, c, sm->last_event + 1);
    c->label = WEIR_SLOT_NO_WARP;
  }
}

void weir_sm_settle(struct weir_sm *sm, uint64_t now) {
  if (now > sm->ldst.since) weir_ldst_settle(sm, now);
  uint64_t used = 0;
  for (unsigned s = 0; s < (unsigned)sm->m->sm.schedulers; s++)
    if (now > sm->sched[s].since) weir_sched_settle(sm, &sm->sched[s], now);
  for (unsigned i = 0; i < WEIR_N_ISSUE_SLOTS; i++)
    if (i != WEIR_SLOT_NO_WARP) used += sm->stats.slot[i] - sm->slot_base[i];
  sm->stats.slot[WEIR_SLOT_NO_WARP] = sm->slot_base[WEIR_SLOT_NO_WARP] +
                                      (now - sm->kernel_start) * (uint64_t)sm->m->sm.schedulers -
                                      used;
}

bool weir_sm_is_idle(const struct weir_sm *sm) {
  return sm->n_blocks == 0 && sm->n_arriving == 0 && sm->ldst.queue.n == 0 &&
         !sm->ldst.coalescer.is_busy && sm->ldst.inflight == 0 && sm->ldst.stores == 0 &&
         sm->port.fills.n == 0 && sm->port.replies.n == 0 && weir_l1_is_idle(sm->l1);
}
