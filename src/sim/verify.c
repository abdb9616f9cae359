#include "sim/verify.h"

#include <inttypes.h>
#include <stdio.h>

#include "base/ring.h"

/* ---- at the end of a kernel ---- */

static enum weir_status wrong_sm(struct weir_err *err, const struct weir_sm *sm, const char *what,
                                 uint64_t has, uint64_t wanted) {
  return weir_fail(err, WEIR_EBUG, "SM %u, after the kernel: %s: %" PRIu64 ", not %" PRIu64, sm->id,
                   what, has, wanted);
}

/* Length of a free list; `most` + 1 if it is longer or runs in a circle. */
static uint64_t free_loads(const struct weir_sm *sm, uint64_t most) {
  uint64_t n = 0;
  for (uint32_t i = sm->ldst.free_load; i != UINT32_MAX && n <= most;
       i = sm->ldst.loads[i].next_free)
    n++;
  return n;
}

static enum weir_status verify_warps(const struct weir_sm *sm, struct weir_err *err) {
  uint64_t busy = 0, loads = 0, stores = 0;
  for (int64_t i = 0; i < sm->m->sm.warps; i++) {
    busy += sm->warps[i].state != WEIR_W_FREE;
    loads += sm->warps[i].loads;
    stores += sm->warps[i].stores;
  }
  if (busy != 0) return wrong_sm(err, sm, "warps that have not ended", busy, 0);
  if (loads != 0) return wrong_sm(err, sm, "loads without an answer", loads, 0);
  if (stores != 0) return wrong_sm(err, sm, "stores without an acknowledgement", stores, 0);
  return WEIR_OK;
}

static enum weir_status verify_sm(const struct weir_sm *sm, struct weir_err *err) {
  enum weir_status st = verify_warps(sm, err);
  if (st != WEIR_OK) return st;
  if (free_loads(sm, sm->ldst.n_loads) != sm->ldst.n_loads)
    return wrong_sm(err, sm, "free entries for loads", free_loads(sm, sm->ldst.n_loads),
                    sm->ldst.n_loads);
  if (sm->ldst.inflight != 0) return wrong_sm(err, sm, "loads in flight", sm->ldst.inflight, 0);
  if (sm->ldst.queue.n != 0)
    return wrong_sm(err, sm, "requests in the LD/ST queue", sm->ldst.queue.n, 0);
  if (sm->n_blocks + sm->n_arriving + sm->n_retired != 0 || sm->ending != 0)
    return wrong_sm(err, sm, "blocks", sm->n_blocks + sm->n_arriving, 0);
  uint64_t room =
      (uint64_t)(sm->port.has_fifo ? sm->m->noc.input_buffer : sm->m->noc.request_buffer);
  for (int64_t i = 0; i < sm->m->l2.slices; i++)
    if (sm->port.credit[i] != room)
      return wrong_sm(err, sm, "credits for a slice, or for the crossbar", sm->port.credit[i],
                      room);
  const char *why = weir_l1_verify(sm->l1);
  if (why != NULL)
    return weir_fail(err, weir_l1_fault(sm->l1) != NULL ? weir_l1_fault_code(sm->l1) : WEIR_EBUG,
                     "SM %u, after the kernel: L1: %s", sm->id, why);
  return WEIR_OK;
}

static enum weir_status wrong_slice(struct weir_err *err, const struct weir_slice *s,
                                    const char *what, uint64_t has, uint64_t wanted) {
  return weir_fail(err, WEIR_EBUG, "L2 slice %u, after the kernel: %s: %" PRIu64 ", not %" PRIu64,
                   s->id, what, has, wanted);
}

static enum weir_status wrong_l3(struct weir_err *err, uint32_t channel, const char *what,
                                 uint64_t has, uint64_t wanted) {
  return weir_fail(err, WEIR_EBUG,
                   "L3 slice of channel %u, after the kernel: %s: %" PRIu64 ", not %" PRIu64,
                   channel, what, has, wanted);
}

static enum weir_status verify_slice(const struct weir_slice *s, struct weir_err *err) {
  const struct weir_machine *m = s->channel->m;
  const char *bad = weir_mshrs_verify(&s->mshr);
  if (bad != NULL)
    return weir_fail(err, WEIR_EBUG, "L2 slice %u, after the kernel: %s", s->id, bad);
  uint64_t room = (uint64_t)(s->channel->has_fifo ? m->noc.input_buffer : m->noc.reply_buffer);
  for (int64_t i = 0; i < m->sm.count; i++)
    if (s->credit[i] != room)
      return wrong_slice(err, s, "credits for an SM, or for the crossbar", s->credit[i], room);
  for (int64_t i = 0; i < m->l2.sets * m->l2.ways; i++) {
    if (s->lines.v[i].pending != 0) return wrong_slice(err, s, "pending sectors of a line", 1, 0);
    for (int64_t k = i - i % m->l2.ways; k < i; k++)
      if (s->lines.v[i].line != 0 && s->lines.v[i].line == s->lines.v[k].line)
        return wrong_slice(err, s, "ways with the same line", 2, 1);
  }
  return WEIR_OK;
}

static enum weir_status verify_l3(const struct weir_channel *c, uint32_t channel,
                                  struct weir_err *err) {
  const struct weir_l3 *x = &c->l3;
  const char *bad = weir_mshrs_verify(&x->mshr);
  if (bad != NULL)
    return weir_fail(err, WEIR_EBUG, "L3 slice of channel %u, after the kernel: %s", channel, bad);
  if (x->write_sectors != 0)
    return wrong_l3(err, channel, "sectors in the write queue", x->write_sectors, 0);
  for (size_t i = 0; i < (size_t)x->lines.sets * x->lines.ways; i++)
    if (x->lines.v[i].pending != 0)
      return wrong_l3(err, channel, "pending sectors of a line", x->lines.v[i].pending, 0);
  return WEIR_OK;
}

enum weir_status weir_verify(const struct weir_parts *p, struct weir_err *err) {
  enum weir_status st = WEIR_OK;
  for (uint32_t i = 0; i < p->n_sms && st == WEIR_OK; i++)
    st = verify_sm(&p->sms[i], err);
  for (uint32_t i = 0; i < p->n_channels; i++) {
    const struct weir_channel *c = &p->channels[i];
    for (uint32_t k = 0; k < c->n_slices && st == WEIR_OK; k++)
      st = verify_slice(&c->slices[k], err);
    if (st == WEIR_OK && c->has_l3) st = verify_l3(c, i, err);
    if (st == WEIR_OK && !weir_channel_is_idle(c))
      st = weir_fail(err, WEIR_EBUG, "memory channel %u is not idle after the kernel", i);
  }
  return st;
}

/* ---- when nothing moves any more ---- */

/* An error has room for some 1,500 characters. */
enum { SHOWN_SMS = 2, SHOWN_WARPS = 3, SHOWN_SLICES = 3 };

static const char *shortage_name(unsigned kind) {
  static const char *const name[] = {[WEIR_NO_DATA_PORT] = "the data port",
                                     [WEIR_NO_INFLIGHT] = "the limit of loads in flight",
                                     [WEIR_NO_LINE] = "a way: all of its set are reserved",
                                     [WEIR_NO_QUEUE] = "the miss queue",
                                     [WEIR_NO_MERGE] = "the merge limit of its line",
                                     [WEIR_NO_MSHR] = "an MSHR",
                                     [WEIR_NO_ICNT] = "the bypass queue",
                                     [WEIR_NO_ORDER] = "a place in an order queue",
                                     [WEIR_N_SHORTAGES] = "nothing"};
  return name[kind];
}

/* Of a warp whose registers are ready and that nobody holds back: does it lack a unit? */
static bool lacks_unit(const struct weir_sm *sm, uint32_t slot, uint64_t now) {
  const struct weir_sched *c = &sm->sched[sm->sched_of[slot]];
  const struct weir_ldst *l = &sm->ldst;
  return c->unit_free[sm->unit[slot]] > now ||
         (sm->warps[slot].next.has_addr &&
          (l->coalescer.is_busy || l->shared_free > now || l->free_load == UINT32_MAX));
}

static void describe_warp(const struct weir_sm *sm, uint32_t slot, uint64_t now,
                          struct weir_err *err) {
  const struct weir_sm_warp *w = &sm->warps[slot];
  const struct weir_sm_block *b = &sm->blocks[w->block];
  char why[96];
  if (w->state == WEIR_W_DONE)
    snprintf(why, sizeof why, "has ended; %u loads and %u stores are unanswered", w->loads,
             w->stores);
  else if (w->state == WEIR_W_BARRIER)
    snprintf(why, sizeof why, "waits at barrier %u: %u of %u warps are there", w->at_barrier,
             b->barrier[w->at_barrier].arrived, weir_sm_barrier_wants(b, w->at_barrier));
  else if (w->state == WEIR_W_FENCE)
    snprintf(why, sizeof why, "waits at a fence for %u acknowledgements", w->stores);
  else if (w->state == WEIR_W_COPY)
    snprintf(why, sizeof why, "waits for asynchronous copies among %u loads", w->loads);
  else if (w->state == WEIR_W_ATOM)
    snprintf(why, sizeof why, "waits for %u atomics", w->atoms);
  else if (sm->ready_at[slot] == WEIR_NEVER)
    snprintf(why, sizeof why, "waits for one of %u loads", w->loads);
  else if (sm->ready_at[slot] > now)
    snprintf(why, sizeof why, "waits for a result until cycle %" PRIu64, sm->ready_at[slot]);
  else if (weir_sm_is_gated(sm, slot))
    snprintf(why, sizeof why, "is ready; a policy holds it back");
  else if (!lacks_unit(sm, slot, now))
    snprintf(why, sizeof why, "is ready; its scheduler does not pick it");
  else
    snprintf(why, sizeof why, "waits for its unit%s",
             sm->ldst.coalescer.is_busy ? ": the LD/ST unit is full" : "");
  if (w->state == WEIR_W_DONE)
    weir_err_add(err, "SM %u warp %u %s", sm->id, slot, why);
  else
    weir_err_add(err, "SM %u warp %u at pc 0x%x %s", sm->id, slot,
                 sm->kernel->insns[w->next.insn].pc, why);
}

static void describe_sm(const struct weir_sm *sm, uint64_t now, struct weir_err *err) {
  uint32_t shown = 0, more = 0;
  for (uint32_t k = 0; k < sm->n_order; k++) {
    const struct weir_sm_warp *w = &sm->warps[sm->order[k]];
    if (w->state == WEIR_W_DONE && w->loads + w->stores == 0) continue;
    if (shown == SHOWN_WARPS) {
      more++;
      continue;
    }
    shown++;
    describe_warp(sm, sm->order[k], now, err);
  }
  if (more > 0) weir_err_add(err, "SM %u: and %u more warps", sm->id, more);
  if (sm->ldst.queue.n > 0)
    weir_err_add(err, "SM %u LD/ST queue: %u of %" PRId64 "; line 0x%" PRIx64 " waits for %s",
                 sm->id, sm->ldst.queue.n, sm->m->sm.ldst_queue,
                 WEIR_RING_HEAD(sm->ldst.queue).a.addr, shortage_name(sm->ldst.failed));
  if (weir_l1_next_look_up(sm->l1) <= now)
    weir_err_add(err, "SM %u, at the tags of the L1: line 0x%" PRIx64 " waits for %s", sm->id,
                 weir_l1_at_tags(sm->l1)->a.addr, shortage_name(sm->ldst.failed));
  const struct weir_msg *out = weir_l1_peek(sm->l1);
  if (out != NULL) {
    uint32_t slice = weir_slice_of(sm->m, out->addr);
    weir_err_add(err, "SM %u interconnect: a packet of %u flits for L2 slice %u, credit for %u",
                 sm->id, out->flits, slice, sm->port.credit[sm->port.has_fifo ? 0 : slice]);
  }
  char text[200];
  weir_l1_describe(sm->l1, text, sizeof text);
  if (text[0] != '\0') weir_err_add(err, "SM %u L1: %s", sm->id, text);
  if (sm->ldst.inflight > 0)
    weir_err_add(err, "SM %u: %u loads in flight, %u fills wait for the L1", sm->id,
                 sm->ldst.inflight, sm->port.fills.n);
}

static const char *stall_name(const struct weir_slice *s) {
  static const char *const name[] = {[WEIR_L2_NOTHING] = "its turn",
                                     [WEIR_L2_MSHR] = "an MSHR",
                                     [WEIR_L2_MERGE] = "the merge limit of its line",
                                     [WEIR_L2_LINE] = "a way: all of its set are pending",
                                     [WEIR_L2_PENDING] = "sectors of the line that it writes",
                                     [WEIR_L2_DRAM] = "the queue of the DRAM or L3",
                                     [WEIR_L2_WRITEBACK] = "the write queue",
                                     [WEIR_L2_REPLY] = "the reply queue"};
  return name[s->head_wait];
}

static bool slice_is_busy(const struct weir_slice *s) {
  return s->in.n > 0 || s->out.n > 0 || s->mshr.n > 0;
}

static void describe_slice(const struct weir_slice *s, struct weir_err *err) {
  const struct weir_msg *q = weir_inbox_head(&s->in);
  if (q != NULL)
    weir_err_add(err, "L2 slice %u input: %u; line 0x%" PRIx64 " of SM %u waits for %s", s->id,
                 s->in.n, q->addr, q->src, stall_name(s));
  if (s->out.n > 0) {
    q = &s->out.v[s->out.head];
    weir_err_add(err, "L2 slice %u replies: %u; the first has %u flits for SM %u, credit for %u",
                 s->id, s->out.n, q->flits, q->dst, s->credit[s->channel->has_fifo ? 0 : q->dst]);
  }
  if (s->mshr.n > 0)
    weir_err_add(err, "L2 slice %u: %u MSHRs wait for DRAM (its queue holds %u)", s->id, s->mshr.n,
                 s->channel->dram.n);
  if (s->channel->has_l3)
    weir_err_add(err, "its L3 slice: %u reads, %u write-backs, %u MSHRs", s->channel->l3.reads.n,
                 s->channel->l3.writes.n, s->channel->l3.mshr.n);
}

bool weir_waits_at_barriers(const struct weir_parts *p) {
  bool any = false;
  for (uint32_t i = 0; i < p->n_sms; i++)
    for (uint32_t k = 0; k < p->sms[i].n_order; k++) {
      const struct weir_sm_warp *w = &p->sms[i].warps[p->sms[i].order[k]];
      if (w->state != WEIR_W_BARRIER && w->state != WEIR_W_DONE) return false;
      any |= w->state == WEIR_W_BARRIER;
    }
  return any;
}

void weir_describe(const struct weir_parts *p, uint64_t now, struct weir_err *err) {
  uint32_t shown = 0, more = 0;
  if (err == NULL) return;
  for (uint32_t i = 0; i < p->n_sms; i++) {
    if (weir_sm_is_idle(&p->sms[i])) continue;
    if (shown++ < SHOWN_SMS)
      describe_sm(&p->sms[i], now, err);
    else
      more++;
  }
  if (more > 0) weir_err_add(err, "and %u more SMs", more);
  shown = more = 0;
  for (uint32_t i = 0; i < p->n_channels; i++)
    for (uint32_t k = 0; k < p->channels[i].n_slices; k++) {
      const struct weir_slice *s = &p->channels[i].slices[k];
      if (!slice_is_busy(s)) continue;
      if (shown++ < SHOWN_SLICES)
        describe_slice(s, err);
      else
        more++;
    }
  if (more > 0) weir_err_add(err, "and %u more L2 slices", more);
}
