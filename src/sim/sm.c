/* The order of work inside a cycle (it fixes ties): messages; one waiting request answered; the L1
 * sees the head of the LD/ST queue; one packet is injected; warps issue; the coalescer fills the
 * queue; blocks retire.
 *
 * An SM is called only in cycles in which something can happen: weir_sm_cycle says which is next.
 * What is counted per cycle (slots, stalls) is added up over the cycles between. */
#include "sim/sm.h"

#include "base/arena.h"
#include "sim/fifo.h"
#include "sim/memory.h"

#define S(f, u, h) WEIR_STAT(weir_sm_stats, f, u, h)
#define SLOT(i, n, h)                                                                              \
  {                                                                                                \
    .name = n, .unit = "slot", .help = h,                                                          \
    .offset = offsetof(struct weir_sm_stats, slot) + sizeof(uint64_t) * (i)                        \
  }
#define KIND(f, n, i, u, h)                                                                        \
  {                                                                                                \
    .name = n, .unit = u, .help = h,                                                               \
    .offset = offsetof(struct weir_sm_stats, f) + sizeof(uint64_t) * (i)                           \
  }
const struct weir_stat weir_sm_stat_table[] = {
    S(warp_insns, "insn", "warp instructions issued"),
    S(thread_insns, "insn", "thread instructions issued"),
    S(blocks, "block", "blocks retired"),
    S(mem_insns, "insn", "memory instructions issued, shared and constant memory included"),
    S(load_insns, "insn", "load instructions from global and local memory that were answered"),
    S(load_insns_missed, "insn", "of these, those with a request that sent for something"),
    S(requests, "request", "line-sized requests to global and local memory"),
    S(shared_passes, "pass", "passes over the banks of shared memory"),
    SLOT(WEIR_SLOT_ISSUED, "slots_issued", "scheduler slots that issued an instruction"),
    SLOT(WEIR_SLOT_NO_WARP, "slots_no_warp", "no warp was resident"),
    SLOT(WEIR_SLOT_BARRIER, "slots_barrier", "the oldest warp waited at a barrier"),
    SLOT(WEIR_SLOT_LOAD, "slots_load", "the oldest warp waited for a load"),
    SLOT(WEIR_SLOT_DEPENDENCY, "slots_dependency", "the oldest warp waited for another result"),
    SLOT(WEIR_SLOT_UNIT, "slots_unit", "the oldest warp waited for an execution unit"),
    SLOT(WEIR_SLOT_FENCE, "slots_fence", "the oldest warp waited at a fence"),
    SLOT(WEIR_SLOT_GATE, "slots_gate", "a policy held the oldest warp back"),
    SLOT(WEIR_SLOT_LDST + WEIR_NO_DATA_PORT, "slots_ldst_data_port",
         "the LD/ST unit was full; its head waited for the data port"),
    SLOT(WEIR_SLOT_LDST + WEIR_NO_INFLIGHT, "slots_ldst_inflight",
         "... for the limit of loads in flight"),
    SLOT(WEIR_SLOT_LDST + WEIR_NO_LINE, "slots_ldst_line",
         "... because all ways of its set were reserved"),
    SLOT(WEIR_SLOT_LDST + WEIR_NO_QUEUE, "slots_ldst_queue", "... for the miss queue"),
    SLOT(WEIR_SLOT_LDST + WEIR_NO_MERGE, "slots_ldst_merge",
         "... because its line had too many waiters"),
    SLOT(WEIR_SLOT_LDST + WEIR_NO_MSHR, "slots_ldst_mshr", "... for a free MSHR"),
    SLOT(WEIR_SLOT_LDST + WEIR_NO_ICNT, "slots_ldst_icnt", "... for the interconnect's buffer"),
    SLOT(WEIR_SLOT_LDST + WEIR_NO_ORDER, "slots_ldst_order",
         "... for a place in its queue, where a policy orders requests"),
    SLOT(WEIR_SLOT_LDST + WEIR_N_SHORTAGES, "slots_ldst_busy",
         "... for nothing: requests were moving"),
    KIND(stall, "stall_data_port", WEIR_NO_DATA_PORT, "cycle",
         "the LD/ST head waited for the data port"),
    KIND(stall, "stall_inflight", WEIR_NO_INFLIGHT, "cycle",
         "... for the limit of loads in flight"),
    KIND(stall, "stall_line", WEIR_NO_LINE, "cycle",
         "... because all ways of its set were reserved"),
    KIND(stall, "stall_queue", WEIR_NO_QUEUE, "cycle", "... for the miss queue"),
    KIND(stall, "stall_merge", WEIR_NO_MERGE, "cycle", "... because its line had too many waiters"),
    KIND(stall, "stall_mshr", WEIR_NO_MSHR, "cycle", "... for a free MSHR"),
    KIND(stall, "stall_icnt", WEIR_NO_ICNT, "cycle", "... for the interconnect's buffer"),
    KIND(stall, "stall_order", WEIR_NO_ORDER, "cycle",
         "... for a place in its queue, where a policy orders requests"),
    S(stall_probed, "cycle", "of all these, those of requests whose tags were read"),
    KIND(resv_fail, "fail_data_port", WEIR_NO_DATA_PORT, "request",
         "requests that failed at least once: data port"),
    KIND(resv_fail, "fail_inflight", WEIR_NO_INFLIGHT, "request", "... loads in flight"),
    KIND(resv_fail, "fail_line", WEIR_NO_LINE, "request", "... line reserved"),
    KIND(resv_fail, "fail_queue", WEIR_NO_QUEUE, "request", "... miss queue"),
    KIND(resv_fail, "fail_merge", WEIR_NO_MERGE, "request", "... merge limit"),
    KIND(resv_fail, "fail_mshr", WEIR_NO_MSHR, "request", "... MSHR entries"),
    KIND(resv_fail, "fail_icnt", WEIR_NO_ICNT, "request", "... interconnect"),
    KIND(resv_fail, "fail_order", WEIR_NO_ORDER, "request", "... a policy's queue"),
    WEIR_STAT_END};
static const struct weir_check sm_checks[] = {
    {"slots_issued == warp_insns", "a slot that issues issues one instruction"},
    {"stall_probed <= stall_data_port + stall_inflight + stall_line + stall_queue + stall_merge + "
     "stall_mshr + stall_icnt + stall_order",
     "a head that waits has read its tags or not"},
    {NULL, NULL}};
const struct weir_stat_group weir_sm_stat_group = {"sm", "What the SMs did.", weir_sm_stat_table,
                                                   sm_checks};

static void settle_ldst(struct weir_sm *sm, uint64_t now) {
  if (sm->head_failed < WEIR_N_SHORTAGES) {
    sm->stats.stall[sm->head_failed] += now - sm->head_since;
    if (sm->head_probed) sm->stats.stall_probed += now - sm->head_since;
  }
  sm->head_since = now;
}

/* ---- events that concern policies only ---- */

static uint64_t next_soft(const struct weir_sm *sm) {
  return weir_min64(sm->heard.n > 0 ? sm->heard.v[0].at : WEIR_NEVER,
                    sm->l1_ops->next_tick(sm->l1));
}

/* Nothing here can change the time of a kernel any more, unless a block arrives. */
static bool has_no_work(const struct weir_sm *sm, uint64_t now) {
  if (sm->n_blocks > 0 || sm->q_n > 0 || sm->inflight > 0 || !sm->l1_ops->is_idle(sm->l1))
    return false;
  for (uint32_t i = 0; i < sm->n_arriving; i++)
    if (sm->arriving[i].at <= now) return false;
  return true;
}

bool weir_sm_is_over(const struct weir_sm *sm) {
  return sm->n_arriving == 0 && sm->writebacks == 0 && has_no_work(sm, 0);
}

bool weir_sm_hear(struct weir_sm *sm, const struct weir_cast *c) {
  if (!WEIR_PUSH(sm->heard, *c)) return false;
  struct weir_cast *v = sm->heard.v;
  size_t i = sm->heard.n - 1;
  for (; i > 0 && (c->at < v[i - 1].at || (c->at == v[i - 1].at && c->from < v[i - 1].from)); i--)
    v[i] = v[i - 1];
  v[i] = *c;
  sm->soft_wake = weir_min64(sm->soft_wake, c->at);
  return true;
}

/* Hear what has arrived until then. */
static void take_casts(struct weir_sm *sm, uint64_t until) {
  size_t n = 0;
  while (n < sm->heard.n && sm->heard.v[n].at <= until)
    n++;
  if (n == 0) return;
  for (size_t i = 0; i < n; i++) {
    const struct weir_cast *c = &sm->heard.v[i];
    sm->l1_ops->heard(sm->l1, c->from, c->part, c->v, sm->now);
  }
  sm->heard.n -= n;
  memmove(sm->heard.v, sm->heard.v + n, sm->heard.n * sizeof *sm->heard.v);
}

static void take_ticks(struct weir_sm *sm, uint64_t now) {
  if (sm->l1_ops->next_tick(sm->l1) <= now) sm->l1_ops->tick(sm->l1, now);
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

/* Broadcasts still under way are heard now; wake-ups that have not come are forgotten. */
void weir_sm_kernel_end(struct weir_sm *sm, uint64_t end) {
  sm->now = end;
  take_casts(sm, WEIR_NEVER);
  sm->l1_ops->kernel_end(sm->l1, end);
  sm->said.n = 0;
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
  settle_ldst(sm, weir_max64(sm->now, sm->head_since));
  v->resv_stall_cycles = sm->stats.stall[WEIR_NO_LINE] + sm->stats.stall[WEIR_NO_MSHR] +
                         sm->stats.stall[WEIR_NO_MERGE] + sm->stats.stall[WEIR_NO_QUEUE];
  const struct weir_l1_stats *l1 = sm->l1_ops->stats(sm->l1, sm->now);
  v->l1_hits = l1->hits;
  v->l1_loads = l1->loads;
}

static void name_warp(const struct weir_sm *sm, uint32_t slot, uint32_t insn,
                      struct weir_access *a) {
  const struct weir_sm_warp *w = &sm->warps[slot];
  a->insn = insn;
  a->pc = sm->kernel->insns[insn].pc;
  a->warp = slot;
  a->warp_uid = sm->age[slot];
  a->cta = w->block;
  a->cta_uid = (uint32_t)sm->blocks[w->block].stream->id;
}

/* A generic load has a tag, and may come to local memory. */
static uint8_t tag_of(const struct weir_sm *sm, uint32_t insn, bool is_local) {
  return sm->tags != NULL && !is_local ? sm->tags[insn] : WEIR_TAG_NONE;
}

static void describe_load(void *self, uint32_t id, struct weir_access *a) {
  const struct weir_sm *sm = self;
  const struct weir_static *s = &sm->kernel->insns[sm->loads[id].insn];
  name_warp(sm, sm->loads[id].warp, sm->loads[id].insn, a);
  a->op = s->cls == WEIR_C_ATOM ? WEIR_ATOMIC : WEIR_LOAD;
  a->hint = s->cache_op;
  a->evict_hint = s->evict_hint;
  a->is_local = sm->loads[id].is_local;
  a->tag = tag_of(sm, sm->loads[id].insn, a->is_local);
}

static void say(void *self, uint32_t part, const uint64_t v[4]) {
  struct weir_sm *sm = self;
  struct weir_cast c = {
      .at = sm->now + (uint64_t)sm->m->sm.broadcast_latency, .from = sm->id, .part = part};
  memcpy(c.v, v, sizeof c.v);
  sm->out->is_failed |= !WEIR_PUSH(sm->said, c);
}

enum weir_status weir_sm_init(struct weir_sm *sm, const struct weir_machine *m,
                              const struct weir_l1_ops *l1_ops, const void *design, uint32_t id,
                              struct weir_err *err) {
  struct weir_l1_host host = {
      .sm = sm, .id = id, .view = view_of, .describe = describe_load, .broadcast = say};
  *sm = (struct weir_sm){.m = m,
                         .l1_ops = l1_ops,
                         .id = id,
                         .wake = WEIR_NEVER,
                         .soft_wake = WEIR_NEVER,
                         .head_failed = WEIR_N_SHORTAGES};
  sm->warps = calloc((size_t)m->sm.warps, sizeof *sm->warps);
  sm->blocks = calloc((size_t)m->sm.blocks, sizeof *sm->blocks);
  sm->order = calloc((size_t)m->sm.warps, sizeof *sm->order);
  sm->queue = calloc((size_t)m->sm.ldst_queue, sizeof *sm->queue);
  sm->credit = calloc((size_t)m->l2.slices, sizeof *sm->credit);
  if (sm->warps == NULL || sm->blocks == NULL || sm->order == NULL || sm->queue == NULL ||
      sm->credit == NULL)
    return weir_fail(err, WEIR_ENOMEM, "out of memory for machine %s", m->name);
  sm->l1 = l1_ops->create(m, design, &host, err);
  if (sm->l1 == NULL) return err != NULL ? err->code : WEIR_EINVAL;
  uint32_t room = l1_ops->order_room(sm->l1);
  sm->has_order = room > 0;
  sm->n_loads = (uint32_t)(m->sm.inflight + m->sm.ldst_queue + m->sm.warps) + room;
  sm->loads = calloc(sm->n_loads, sizeof *sm->loads);
  if (sm->loads == NULL)
    return weir_fail(err, WEIR_ENOMEM, "out of memory for machine %s", m->name);
  sm->has_gate = l1_ops->has_gate(sm->l1);
  sm->hears_warps = l1_ops->hears_warps(sm->l1);
  for (uint32_t i = 0; i < sm->n_loads; i++)
    sm->loads[i].next_free = i + 1 < sm->n_loads ? i + 1 : UINT32_MAX;
  for (int64_t i = 0; i < m->l2.slices; i++)
    sm->credit[i] = (uint32_t)m->noc.request_buffer;
  for (unsigned s = 0; s < (unsigned)m->sm.schedulers; s++)
    for (int64_t w = s; w < m->sm.warps; w += m->sm.schedulers)
      sm->sched[s].warps |= UINT64_C(1) << w;
  return WEIR_OK;
}

void weir_sm_free(struct weir_sm *sm) {
  if (sm->l1 != NULL) sm->l1_ops->destroy(sm->l1);
  free(sm->warps);
  free(sm->blocks);
  free(sm->order);
  free(sm->loads);
  free(sm->queue);
  free(sm->credit);
  free(sm->regs);
  free(sm->in.v);
  free(sm->credits.v);
  free(sm->fills.v);
  free(sm->heard.v);
  free(sm->said.v);
}

static uint64_t round_up(uint64_t v, int64_t unit) {
  uint64_t u = (uint64_t)unit;
  return (v + u - 1) / u * u;
}

/* What the blocks of a kernel can have of shared memory. On an H200 a preference decides, however
 * few blocks then fit; one always does. */
static uint64_t shared_room(const struct weir_machine *m, const struct weir_kernel_info *k,
                            uint64_t of_block) {
  uint64_t most = (uint64_t)m->sm.shared_bytes;
  if (k->carveout == 0 || m->l1.unified_bytes == 0 || m->n_carveouts == 0) return most;
  uint64_t room = weir_max64(weir_preferred_carveout(m, k->carveout),
                             weir_carveout(m, (uint32_t)weir_min64(of_block, most)));
  return weir_min64(room, most);
}

uint32_t weir_sm_registers(const struct weir_machine *m, const struct weir_kernel_info *k) {
  if (!k->regs_estimated || k->n_warps == 0) return k->regs_per_thread;
  /* Warps get whole units. */
  uint64_t units = (uint64_t)m->sm.registers / k->n_warps / (uint64_t)m->sm.register_unit;
  uint64_t most = units * (uint64_t)m->sm.register_unit / 32;
  return k->regs_per_thread < most ? k->regs_per_thread : (uint32_t)most;
}

uint32_t weir_sm_fit(const struct weir_machine *m, const struct weir_kernel_info *k,
                     const char **why) {
  uint64_t threads = weir_volume(k->block);
  uint64_t of_thread = weir_sm_registers(m, k);
  uint64_t regs = round_up(of_thread * 32, m->sm.register_unit) * k->n_warps;
  uint64_t shared = round_up((uint64_t)k->static_shared + k->dyn_shared, m->sm.shared_unit);
  struct {
    uint64_t have, need;
    const char *name;
  } limit[] = {{(uint64_t)m->sm.blocks, 1, "sm.blocks"},
               {(uint64_t)m->sm.warps, k->n_warps, "sm.warps"},
               {(uint64_t)m->sm.threads, threads, "sm.threads"},
               {(uint64_t)m->sm.registers, regs, "sm.registers"},
               {shared_room(m, k, shared), shared, "sm.shared_bytes"}};
  uint64_t fit = UINT32_MAX;
  for (size_t i = 0; i < sizeof limit / sizeof *limit; i++) {
    uint64_t n = limit[i].need == 0 ? UINT32_MAX : limit[i].have / limit[i].need;
    if (n < fit) {
      fit = n;
      *why = limit[i].name;
    }
  }
  return (uint32_t)fit;
}

struct weir_kernel weir_sm_about(const struct weir_kernel_info *k, uint32_t uid,
                                 uint32_t blocks_per_sm) {
  uint64_t n = weir_volume(k->grid);
  return (struct weir_kernel){.name = k->name,
                              .uid = uid,
                              .n_insns = k->n_insns,
                              .n_ctas = n < UINT32_MAX ? (uint32_t)n : UINT32_MAX,
                              .warps_per_cta = k->n_warps,
                              .ctas_per_sm = blocks_per_sm};
}

bool weir_sm_kernel(struct weir_sm *sm, const struct weir_kernel_info *kernel, uint32_t uid,
                    uint32_t max_blocks, uint64_t now) {
  sm->kernel = kernel;
  sm->max_blocks = max_blocks;
  sm->next_age = 0;
  sm->now = now;
  sm->regs_per_warp = kernel->n_regs + 1;
  free(sm->regs);
  sm->regs = calloc((size_t)sm->regs_per_warp * (size_t)sm->m->sm.warps, sizeof *sm->regs);
  if (sm->regs == NULL) return false;
  for (int64_t i = 0; i < sm->m->sm.warps; i++)
    sm->warps[i].reg = sm->regs + (size_t)i * sm->regs_per_warp;
  sm->n_order = 0;
  sm->is_settled = true;
  sm->is_dirty = true;
  sm->last_event = now;
  for (unsigned s = 0; s < 4; s++) {
    struct weir_sched *c = &sm->sched[s];
    c->awake = c->asleep = 0;
    c->soonest = WEIR_NEVER;
    c->active = 0;
    c->last = 0;
    c->label = WEIR_SLOT_NO_WARP;
    c->since = now;
    memset(c->unit_free, 0, sizeof c->unit_free);
    c->units_until = 0;
  }
  sm->head_since = now;
  sm->lsu_free = 0;
  sm->kernel_start = now;
  memcpy(sm->slot_base, sm->stats.slot, sizeof sm->slot_base);
  const struct weir_kernel k = weir_sm_about(kernel, uid, max_blocks);
  uint64_t shared = (uint64_t)max_blocks * (kernel->static_shared + kernel->dyn_shared);
  shared = weir_max64(shared, weir_preferred_carveout(sm->m, kernel->carveout));
  if (!sm->l1_ops->kernel_begin(sm->l1, &k, (uint32_t)shared, now)) return false;
  sm->soft_wake = next_soft(sm);
  return true;
}

/* ---- warps ---- */

/* Fetch the warp's next instruction and find out when its registers are ready. */
static void advance(struct weir_sm *sm, uint32_t slot, uint64_t now);
static void take_next(struct weir_sm *sm, uint32_t slot, uint64_t now);

/* Of a warp that runs; not before cycle `t`. */
static void find_ready(struct weir_sm *sm, uint32_t slot, uint64_t t) {
  struct weir_sm_warp *w = &sm->warps[slot];
  const struct weir_static *s = &sm->kernel->insns[w->next.insn];
  for (unsigned i = 0; i < s->n_src; i++)
    if (s->src[i] != WEIR_NO_REG) t = weir_max64(t, w->reg[s->src[i]]);
  for (unsigned i = 0; i < s->n_dst; i++)
    if (s->dst[i] != WEIR_NO_REG) t = weir_max64(t, w->reg[s->dst[i]]);
  sm->ready_at[slot] = t;
  sm->is_dirty = true;
  struct weir_sched *c = &sm->sched[slot % (unsigned)sm->m->sm.schedulers];
  const uint64_t bit = UINT64_C(1) << slot;
  c->awake &= ~bit;
  c->asleep = t != WEIR_NEVER ? c->asleep | bit : c->asleep & ~bit;
  c->mem = w->next.has_addr ? c->mem | bit : c->mem & ~bit;
  c->soonest = weir_min64(c->soonest, t);
}

/* A warp that runs does so no more. */
static void stop_warp(struct weir_sm *sm, uint32_t slot, enum weir_warp_state state) {
  struct weir_sched *c = &sm->sched[slot % (unsigned)sm->m->sm.schedulers];
  sm->warps[slot].state = (uint8_t)state;
  sm->is_dirty = true;
  c->awake &= ~(UINT64_C(1) << slot);
  c->asleep &= ~(UINT64_C(1) << slot);
}

static void finish_warp(struct weir_sm *sm, uint32_t slot) {
  struct weir_sm_warp *w = &sm->warps[slot];
  stop_warp(sm, slot, WEIR_W_DONE);
  weir_reader_close(&w->reader);
  if (--sm->blocks[w->block].n_left == 0) sm->n_ending++;
}

uint32_t weir_sm_barrier_wants(const struct weir_sm_block *b, uint32_t id) {
  return b->barrier[id].warps != 0 ? b->barrier[id].warps : b->n_left;
}

static void tell_warp(struct weir_sm *sm, uint32_t slot, enum weir_warp_event e, uint64_t now) {
  if (sm->hears_warps) sm->l1_ops->warp(sm->l1, slot, e, now);
}

static void release_barrier(struct weir_sm *sm, uint32_t block, uint32_t id, uint64_t now) {
  struct weir_sm_block *b = &sm->blocks[block];
  uint32_t arrived = b->barrier[id].arrived;
  if (arrived == 0 || arrived < weir_sm_barrier_wants(b, id)) return;
  b->barrier[id].arrived = b->barrier[id].warps = 0;
  for (uint32_t i = 0; i < (uint32_t)sm->m->sm.warps; i++) {
    struct weir_sm_warp *w = &sm->warps[i];
    if (w->state != WEIR_W_BARRIER || w->block != block || w->at_barrier != id) continue;
    w->state = WEIR_W_RUN;
    find_ready(sm, i, now + 1);
    tell_warp(sm, i, WEIR_WARP_RUNS, now);
  }
}

/* The warp has issued a barrier and stands at what follows it. One that has ended with it is
 * missing among those that are left, but not in a count. */
static void reach_barrier(struct weir_sm *sm, uint32_t slot, struct weir_barrier at, bool waits,
                          uint64_t now) {
  struct weir_sm_warp *w = &sm->warps[slot];
  struct weir_sm_block *b = &sm->blocks[w->block];
  if (at.is_partial || (w->state == WEIR_W_DONE && at.warps == 0)) return;
  if (waits && w->state == WEIR_W_RUN) {
    stop_warp(sm, slot, WEIR_W_BARRIER);
    w->at_barrier = at.id;
    tell_warp(sm, slot, WEIR_WARP_WAITS, now);
  }
  b->barrier[at.id].arrived++;
  if (at.warps != 0) b->barrier[at.id].warps = at.warps;
  release_barrier(sm, w->block, at.id, now);
}

static void advance(struct weir_sm *sm, uint32_t slot, uint64_t now) {
  struct weir_sm_warp *w = &sm->warps[slot];
  if (!weir_next(&w->reader, &w->next)) {
    if (w->reader.status != WEIR_OK) {
      sm->is_failed = true;
      sm->status = weir_reader_error(&w->reader, &sm->err);
    }
    finish_warp(sm, slot);
    for (uint32_t id = 0; id < WEIR_BARRIERS; id++)
      release_barrier(sm, w->block, id, now);
    return;
  }
  take_next(sm, slot, now);
}

/* The warp's next instruction is fetched. */
static void take_next(struct weir_sm *sm, uint32_t slot, uint64_t now) {
  struct weir_sm_warp *w = &sm->warps[slot];
  const struct weir_static *s = &sm->kernel->insns[w->next.insn];
  if (s->cls == WEIR_C_BARRIER) {
    w->barrier = weir_barrier_of(s, &w->next);
    w->next.has_addr = false; /* it was none */
  }
  find_ready(sm, slot, now + 1);
}

void weir_sm_place(struct weir_sm *sm, struct weir_block_stream *block, uint64_t at) {
  sm->arriving[sm->n_arriving].at = at;
  sm->arriving[sm->n_arriving++].stream = block;
  sm->wake = weir_min64(sm->wake, at);
}

static void arrive(struct weir_sm *sm, struct weir_block_stream *block, uint64_t now) {
  uint32_t b = 0;
  while (sm->blocks[b].is_used)
    b++;
  sm->blocks[b] = (struct weir_sm_block){
      .stream = block, .n_warps = block->n_warps, .n_left = block->n_warps, .is_used = true};
  sm->n_blocks++;
  uint32_t slot = 0;
  for (uint32_t k = 0; k < block->n_warps; k++, slot++) {
    while (sm->warps[slot].state != WEIR_W_FREE)
      slot++;
    struct weir_sm_warp *w = &sm->warps[slot];
    uint64_t *reg = w->reg;
    memset(reg, 0, sm->regs_per_warp * sizeof *reg);
    weir_reader_open(&w->reader, &block->warps[k], sm->kernel, true);
    w->reg = reg;
    w->state = WEIR_W_RUN;
    sm->age[slot] = sm->next_age++;
    w->block = b;
    w->loads = w->stores = 0;
    w->group = 0;
    memset(w->copies, 0, sizeof w->copies);
    sm->order[sm->n_order++] = slot;
    sm->blocks[b].warps |= UINT64_C(1) << slot;
    advance(sm, slot, now - 1);
  }
  const struct weir_cta cta = {.slot = b, .uid = (uint32_t)block->id, .warps = sm->blocks[b].warps};
  sm->l1_ops->cta_begin(sm->l1, &cta, now);
  for (uint64_t left = cta.warps; sm->hears_warps && left != 0; left &= left - 1)
    if (sm->warps[__builtin_ctzll(left)].state == WEIR_W_DONE) /* one without instructions */
      tell_warp(sm, (uint32_t)__builtin_ctzll(left), WEIR_WARP_ENDS, now);
}

static void take_blocks(struct weir_sm *sm, uint64_t now) {
  uint32_t kept = 0;
  for (uint32_t i = 0; i < sm->n_arriving; i++)
    if (sm->arriving[i].at <= now)
      arrive(sm, sm->arriving[i].stream, now);
    else
      sm->arriving[kept++] = sm->arriving[i];
  sm->n_arriving = kept;
}

/* ---- loads ---- */

/* Copies of the groups that a warp waits for if `keep` ended ones may be under way; *ready: when
 * the last of them is there, as far as it is known. */
static uint32_t copies_left(const struct weir_sm_warp *w, uint32_t keep, uint64_t *ready) {
  uint32_t left = 0;
  for (uint32_t back = keep + 1; back < WEIR_COPY_GROUPS; back++) {
    const struct weir_copies *c = &w->copies[(w->group - back) % WEIR_COPY_GROUPS];
    left += c->left;
    *ready = weir_max64(*ready, c->ready);
  }
  return left;
}

static void copy_done(struct weir_sm *sm, const struct weir_load *l, uint64_t ready) {
  struct weir_sm_warp *w = &sm->warps[l->warp];
  struct weir_copies *c = &w->copies[l->group % WEIR_COPY_GROUPS];
  uint64_t at = 0;
  c->left--;
  c->ready = weir_max64(c->ready, ready);
  if (w->state != WEIR_W_COPY || copies_left(w, w->keeps, &at) > 0) return;
  w->state = WEIR_W_RUN;
  find_ready(sm, l->warp, at);
}

static void load_done(struct weir_sm *sm, uint32_t id, uint64_t at) {
  struct weir_load *l = &sm->loads[id];
  l->ready_at = weir_max64(l->ready_at, at);
  if (--l->n_left > 0) return;
  struct weir_sm_warp *w = &sm->warps[l->warp];
  const struct weir_static *s = &sm->kernel->insns[l->insn];
  uint64_t ready = l->ready_at + (uint64_t)sm->m->sm.load_extra;
  if (s->cls != WEIR_C_ATOM) {
    sm->stats.load_insns++;
    sm->stats.load_insns_missed += l->is_missing;
  }
  for (unsigned i = 0; i < s->n_dst; i++)
    if (s->dst[i] != WEIR_NO_REG) w->reg[s->dst[i]] = ready;
  struct weir_sm_block *b = &sm->blocks[w->block];
  b->busy_until = weir_max64(b->busy_until, ready);
  b->pending--;
  w->loads--;
  if (l->is_copy) copy_done(sm, l, ready);
  if (w->state == WEIR_W_RUN && sm->ready_at[l->warp] == WEIR_NEVER) find_ready(sm, l->warp, 0);
  if (sm->free_load == UINT32_MAX) sm->is_dirty = true;
  l->next_free = sm->free_load;
  sm->free_load = id;
}

static void store_done(struct weir_sm *sm, uint32_t slot) {
  struct weir_sm_warp *w = &sm->warps[slot];
  w->stores--;
  sm->blocks[w->block].pending--;
  if (w->state == WEIR_W_FENCE && w->stores == 0) {
    w->state = WEIR_W_RUN;
    find_ready(sm, slot, 0);
  }
}

/* ---- messages ---- */

static void return_credit(struct weir_sm *sm, const struct weir_msg *r, uint64_t now) {
  struct weir_msg credit = {.at = now + (uint64_t)sm->m->noc.credit_cyc,
                            .kind = WEIR_MSG_CREDIT,
                            .src = (uint16_t)sm->id,
                            .dst = r->src,
                            .flits = r->flits};
  weir_outbox_put(sm->out, &credit);
}

/* Replies come through a port that moves one flit per cycle. */
static void take_messages(struct weir_sm *sm, uint64_t now) {
  const struct weir_msg *r;
  for (; (r = weir_inbox_head(&sm->credits)) != NULL && r->at <= now; weir_inbox_pop(&sm->credits))
    sm->credit[r->src - (uint32_t)sm->m->sm.count] += r->flits;
  for (; (r = weir_inbox_head(&sm->in)) != NULL && r->at <= now && sm->eject_free <= now;
       weir_inbox_pop(&sm->in)) {
    sm->last_event = now;
    sm->eject_free = now + r->flits;
    if (r->kind == WEIR_MSG_ACK) {
      if (r->id != UINT32_MAX)
        store_done(sm, r->id);
      else
        sm->writebacks--;
      return_credit(sm, r, now);
    } else if (r->flags & WEIR_REQ_BYPASS) {
      sm->inflight--;
      sm->l1_ops->bypass_return(sm->l1, r, now);
      load_done(sm, r->id, now);
      return_credit(sm, r, now);
    } else
      sm->out->is_failed |= !WEIR_FIFO_PUSH(sm->fills, *r);
  }
}

/* One reply for the L1, then one load that waited for one. */
static bool take_fill(struct weir_sm *sm, uint64_t now) {
  bool took = false;
  if (sm->fills.n > 0 && sm->l1_ops->fill(sm->l1, &WEIR_FIFO_HEAD(sm->fills), now)) {
    return_credit(sm, &WEIR_FIFO_HEAD(sm->fills), now);
    WEIR_FIFO_POP(sm->fills);
    took = true;
  }
  if (!sm->l1_ops->has_drain(sm->l1)) return took;
  uint32_t id = sm->l1_ops->drain(sm->l1, now);
  if (id != UINT32_MAX) {
    sm->inflight--;
    load_done(sm, id, now);
  }
  return took;
}

/* ---- LD/ST head ---- */

static void note_failure(struct weir_sm *sm, struct weir_l1_req *q, enum weir_shortage why,
                         bool is_probed) {
  sm->head_failed = (uint8_t)why;
  sm->head_probed = is_probed;
  if (q->kinds >> why & 1) return;
  sm->stats.resv_fail[why]++;
  q->kinds |= 1u << why;
}

/* The L1 has taken it. */
static void accept(struct weir_sm *sm, const struct weir_l1_req *q,
                   const struct weir_l1_result *r) {
  if (r->is_missing) sm->loads[q->id].is_missing = true;
  if (r->answer == WEIR_L1_HIT && q->a.op == WEIR_STORE)
    store_done(sm, q->id);
  else if (r->answer == WEIR_L1_HIT)
    load_done(sm, q->id, r->ready_at);
  else if (r->answer == WEIR_L1_WAIT)
    sm->inflight++;
}

static void pop_head(struct weir_sm *sm) {
  if (++sm->q_head == (uint32_t)sm->m->sm.ldst_queue) sm->q_head = 0;
  sm->q_n--;
}

static bool present_head(struct weir_sm *sm, uint64_t now) {
  bool moved = false;
  uint8_t failed = sm->head_failed;
  settle_ldst(sm, now);
  for (int64_t k = 0; k < sm->m->l1.probes_per_cycle && sm->q_n > 0; k++) {
    struct weir_l1_req *q = &sm->queue[sm->q_head];
    struct weir_l1_result r = sm->l1_ops->present(sm->l1, q, sm->inflight, now);
    if (r.answer == WEIR_L1_LATER) break;
    if (r.answer == WEIR_L1_FAILED) {
      note_failure(sm, q, r.why, r.is_probed);
      if (moved) sm->head_since = now + 1; /* in this cycle the queue did advance */
      break;
    }
    sm->head_failed = WEIR_N_SHORTAGES;
    accept(sm, q, &r);
    pop_head(sm);
    moved = true;
  }
  if (sm->q_n == 0) sm->head_failed = WEIR_N_SHORTAGES;
  if (sm->head_failed != failed) sm->is_dirty = true; /* slots lost to the LD/ST unit name it */
  return moved;
}

/* ---- order: queues between the LD/ST queue and the L1 ---- */

/* The L1 sees the request that a policy chooses; the next is chosen when it was taken. */
static bool present_chosen(struct weir_sm *sm, uint64_t now) {
  bool moved = false;
  for (int64_t k = 0; k < sm->m->l1.probes_per_cycle && sm->l1_ops->order_n(sm->l1) > 0; k++) {
    struct weir_l1_req *q = sm->l1_ops->order_head(sm->l1);
    struct weir_l1_result r = sm->l1_ops->present(sm->l1, q, sm->inflight, now);
    if (r.answer == WEIR_L1_LATER) break;
    if (r.answer == WEIR_L1_FAILED) {
      note_failure(sm, q, r.why, r.is_probed);
      if (moved) sm->head_since = now + 1;
      break;
    }
    accept(sm, q, &r);
    sm->l1_ops->order_pop(sm->l1, now);
    moved = true;
  }
  return moved;
}

/* As many go from the LD/ST queue into theirs; they can be chosen in the next cycle. A cycle
 * belongs to one shortage: that of the L1, else that of a queue. */
static bool fill_queues(struct weir_sm *sm, uint64_t now) {
  bool moved = false;
  for (int64_t k = 0; k < sm->m->l1.probes_per_cycle && sm->q_n > 0; k++) {
    struct weir_l1_req *q = &sm->queue[sm->q_head];
    if (!sm->l1_ops->order_push(sm->l1, q, now)) {
      if (sm->head_failed < WEIR_N_SHORTAGES) break;
      note_failure(sm, q, WEIR_NO_ORDER, false);
      if (moved) sm->head_since = now + 1;
      break;
    }
    pop_head(sm);
    moved = true;
  }
  return moved;
}

__attribute__((noinline)) static bool present_ordered(struct weir_sm *sm, uint64_t now) {
  if (sm->q_n + sm->l1_ops->order_n(sm->l1) == 0) return false;
  uint8_t failed = sm->head_failed;
  settle_ldst(sm, now);
  sm->head_failed = WEIR_N_SHORTAGES;
  bool taken = present_chosen(sm, now), queued = fill_queues(sm, now);
  if (sm->head_failed != failed) sm->is_dirty = true;
  return taken || queued;
}

/* Requests between the coalescer and the L1. */
static uint32_t n_waiting(const struct weir_sm *sm) {
  return sm->q_n + (sm->has_order ? sm->l1_ops->order_n(sm->l1) : 0);
}

/* ---- injection ---- */

static uint64_t inject(struct weir_sm *sm, uint64_t now, bool *moved) {
  const struct weir_msg *p = sm->l1_ops->peek(sm->l1);
  if (p == NULL) return WEIR_NEVER;
  if (sm->port_free > now || p->at > now) return weir_max64(sm->port_free, p->at);
  uint32_t slice = weir_slice_of(sm->m, p->addr);
  if (sm->credit[slice] < p->flits) return WEIR_NEVER;
  struct weir_msg out = *p;
  sm->credit[slice] -= out.flits;
  out.src = (uint16_t)sm->id;
  out.dst = (uint16_t)((uint32_t)sm->m->sm.count + slice);
  out.at = now + out.flits - 1 + (uint64_t)sm->m->noc.request_cyc;
  sm->port_free = now + out.flits;
  if (out.kind == WEIR_MSG_WRITE && out.id == UINT32_MAX) sm->writebacks++;
  weir_outbox_put(sm->out, &out);
  sm->l1_ops->pop(sm->l1);
  *moved = true;
  return sm->l1_ops->peek(sm->l1) != NULL ? sm->port_free : WEIR_NEVER;
}

/* ---- coalescer ---- */

static bool drain_coalescer(struct weir_sm *sm) {
  const struct weir_static *s = &sm->kernel->insns[sm->p_insn];
  for (int64_t k = 0; k < sm->m->sm.coalesce_per_cycle && sm->p_busy; k++) {
    if (sm->q_n == (uint32_t)sm->m->sm.ldst_queue) return k > 0;
    const struct weir_request *r = &sm->p_list[sm->p_next];
    uint32_t at = (sm->q_head + sm->q_n++) % (uint32_t)sm->m->sm.ldst_queue;
    bool is_store = s->cls == WEIR_C_STORE;
    struct weir_l1_req *q = &sm->queue[at];
    *q = (struct weir_l1_req){.a = {.addr = r->line_addr,
                                    .sectors = (uint16_t)r->sectors,
                                    .full = (uint16_t)(sm->p_full_all & r->sectors),
                                    .op = s->cls == WEIR_C_ATOM ? WEIR_ATOMIC
                                          : is_store            ? WEIR_STORE
                                                                : WEIR_LOAD,
                                    .is_local = sm->p_local,
                                    .tag = tag_of(sm, sm->p_insn, sm->p_local),
                                    .hint = s->cache_op,
                                    .evict_hint = s->evict_hint},
                              .id = is_store ? sm->p_warp : sm->p_load};
    name_warp(sm, sm->p_warp, sm->p_insn, &q->a);
    if (++sm->p_next == sm->p_n) {
      sm->p_busy = false;
      sm->is_dirty = true;
    }
  }
  return true;
}

/* ---- issue ---- */

/* Sectors of each line that a store writes whole: exact for one dense access, else none is taken to
 * be whole. */
static uint32_t whole_sectors(const struct weir_addrs *a, uint32_t mask, unsigned width) {
  return mask == UINT32_MAX && a->kind == WEIR_ADDR_STRIDE && a->stride == (int64_t)width &&
                 a->base % 32 == 0
             ? 0xffff
             : 0;
}

/* Word k of a local access lies 128 bytes further on (stream.h); `pending` holds word 0. `lane` is
 * the list of `a`, if it is one. */
static void coalesce_words(struct weir_sm *sm, struct weir_addrs *a, uint64_t lane[WEIR_LANES],
                           uint32_t mask, unsigned words) {
  unsigned n = 0;
  for (unsigned k = 0; k < words; k++) {
    if (k > 0) {
      a->base += 128;
      for (unsigned i = 0; a->kind == WEIR_ADDR_LIST && i < WEIR_LANES; i++)
        lane[i] += 128;
      weir_coalesce_addrs(a, mask, 4, (unsigned)sm->m->l1.line, (unsigned)sm->m->l1.sector,
                          &sm->pending);
    }
    memcpy(sm->words + n, sm->pending.r, sm->pending.n * sizeof *sm->words);
    n += sm->pending.n;
  }
  sm->p_list = sm->words;
  sm->p_n = n;
}

static void add_request(struct weir_sm *sm, const struct weir_request *r) {
  for (uint32_t i = 0; i < sm->p_n; i++)
    if (sm->words[i].line_addr == r->line_addr) {
      sm->words[i].lanes |= r->lanes;
      sm->words[i].sectors |= r->sectors;
      return;
    }
  sm->words[sm->p_n++] = *r;
}

/* A texture instruction has a record for each further sector of a lane: together they are one
 * access, with one request for each line. The record after them is then the warp's next. */
static void coalesce_texels(struct weir_sm *sm, struct weir_sm_warp *w) {
  enum { ROOM = sizeof sm->words / sizeof *sm->words };
  const struct weir_dyn first = w->next;
  unsigned width = sm->kernel->insns[first.insn].width;
  memcpy(sm->words, sm->pending.r, sm->pending.n * sizeof *sm->words);
  sm->p_list = sm->words;
  while ((sm->is_ahead = weir_next(&w->reader, &w->next)) && w->next.insn == first.insn &&
         w->next.has_addr && (w->next.mask & ~first.mask) == 0 &&
         sm->p_n + 2 * WEIR_LANES <= ROOM) {
    uint64_t lane[WEIR_LANES];
    weir_expand(&w->next, lane);
    weir_coalesce(lane, w->next.mask, width, (unsigned)sm->m->l1.line, (unsigned)sm->m->l1.sector,
                  &sm->pending);
    for (unsigned i = 0; i < sm->pending.n; i++)
      add_request(sm, &sm->pending.r[i]);
  }
}

static void start_access(struct weir_sm *sm, uint32_t slot, uint64_t now) {
  struct weir_sm_warp *w = &sm->warps[slot];
  const struct weir_static *s = &sm->kernel->insns[w->next.insn];
  uint64_t lane[WEIR_LANES];
  struct weir_addrs a = w->next.addrs;
  if (a.kind == WEIR_ADDR_LIST) {
    weir_expand(&w->next, lane);
    a.lane = lane;
  }
  unsigned words = 1, width = s->width;
  if (a.space == WEIR_SP_SHARED) {
    unsigned passes = weir_bank_passes_addrs(&a, w->next.mask, width);
    sm->stats.shared_passes += passes;
    sm->lsu_free = now + passes;
    for (unsigned i = 0; i < s->n_dst; i++)
      if (s->dst[i] != WEIR_NO_REG)
        w->reg[s->dst[i]] = now + (uint64_t)sm->m->sm.shared_latency + passes - 1;
    return;
  }
  if (a.space == WEIR_SP_CONST || a.space == WEIR_SP_PARAM) {
    for (unsigned i = 0; i < s->n_dst; i++)
      if (s->dst[i] != WEIR_NO_REG) w->reg[s->dst[i]] = now + (uint64_t)sm->m->sm.const_latency;
    return;
  }
  if (a.space == WEIR_SP_LOCAL && width > 4) words = width / 4, width = 4;
  sm->p_full_all = whole_sectors(&a, w->next.mask, width);
  weir_coalesce_addrs(&a, w->next.mask, width, (unsigned)sm->m->l1.line, (unsigned)sm->m->l1.sector,
                      &sm->pending);
  sm->p_list = sm->pending.r;
  sm->p_n = sm->pending.n;
  if (words > 1) coalesce_words(sm, &a, lane, w->next.mask, words);
  if (sm->p_n == 0) return; /* no lane takes part */
  sm->p_insn = w->next.insn;
  if (a.space == WEIR_SP_TEX) coalesce_texels(sm, w);
  sm->stats.requests += sm->p_n;
  sm->p_next = 0;
  sm->p_warp = slot;
  sm->p_local = a.space == WEIR_SP_LOCAL;
  sm->p_busy = true;
  if (s->cls == WEIR_C_STORE) {
    w->stores += sm->p_n;
    sm->blocks[w->block].pending += sm->p_n;
    return;
  }
  uint32_t id = sm->free_load;
  struct weir_load *l = &sm->loads[id];
  sm->free_load = l->next_free;
  *l = (struct weir_load){
      .warp = slot, .insn = sm->p_insn, .n_left = sm->p_n, .is_local = sm->p_local};
  sm->p_load = id;
  w->loads++;
  if (s->bar_arrive) {
    l->is_copy = true;
    l->group = w->group;
    w->copies[w->group % WEIR_COPY_GROUPS].left++;
  }
  sm->blocks[w->block].pending++;
  for (unsigned i = 0; i < s->n_dst; i++)
    if (s->dst[i] != WEIR_NO_REG) w->reg[s->dst[i]] = WEIR_NEVER;
}

bool weir_sm_is_gated(const struct weir_sm *sm, uint32_t slot) {
  if (!sm->has_gate) return false;
  const struct weir_sm_warp *w = &sm->warps[slot];
  const struct weir_static *s = &sm->kernel->insns[w->next.insn];
  uint8_t space = w->next.has_addr ? w->next.addrs.space : WEIR_SP_NONE;
  bool is_cached = space == WEIR_SP_GLOBAL || space == WEIR_SP_LOCAL || space == WEIR_SP_TEX;
  return !sm->l1_ops->gate(sm->l1, slot,
                           !is_cached               ? WEIR_OTHER
                           : s->cls == WEIR_C_ATOM  ? WEIR_ATOMIC
                           : s->cls == WEIR_C_STORE ? WEIR_STORE
                                                    : WEIR_LOAD);
}

/* May the warp's next instruction issue now, apart from its registers and the LD/ST unit? */
static bool unit_is_free(const struct weir_sm *sm, const struct weir_sched *c, uint32_t slot,
                         uint64_t now) {
  const struct weir_sm_warp *w = &sm->warps[slot];
  const struct weir_static *s = &sm->kernel->insns[w->next.insn];
  if (c->unit_free[s->cls] > now || weir_sm_is_gated(sm, slot)) return false;
  return !w->next.has_addr || s->cls == WEIR_C_STORE || sm->free_load != UINT32_MAX;
}

/* Until at most `keep` ended groups of copies are under way. */
static void wait_copies(struct weir_sm *sm, uint32_t slot, uint32_t keep) {
  struct weir_sm_warp *w = &sm->warps[slot];
  uint64_t ready = sm->ready_at[slot];
  if (copies_left(w, keep, &ready) > 0) {
    w->keeps = (uint8_t)keep;
    stop_warp(sm, slot, WEIR_W_COPY);
  } else if (ready > sm->ready_at[slot]) {
    find_ready(sm, slot, ready);
  }
}

static void issue(struct weir_sm *sm, struct weir_sched *c, uint32_t slot, uint64_t now) {
  struct weir_sm_warp *w = &sm->warps[slot];
  const struct weir_static *s = &sm->kernel->insns[w->next.insn];
  sm->stats.warp_insns++;
  sm->stats.thread_insns += (unsigned)__builtin_popcount(w->next.mask);
  c->unit_free[s->cls] = now + (uint64_t)sm->m->sm.interval[s->cls];
  c->units_until = weir_max64(c->units_until, c->unit_free[s->cls]);
  c->last = slot;
  sm->last_event = weir_max64(sm->last_event, now);
  if (w->next.has_addr) {
    sm->stats.mem_insns++;
    start_access(sm, slot, now);
  } else
    for (unsigned i = 0; i < s->n_dst; i++)
      if (s->dst[i] != WEIR_NO_REG) w->reg[s->dst[i]] = now + (uint64_t)sm->m->sm.latency[s->cls];
  bool is_barrier = s->cls == WEIR_C_BARRIER, is_fence = s->cls == WEIR_C_FENCE;
  bool is_group = s->cls == WEIR_C_OTHER && (s->bar_arrive || s->bar_warps);
  struct weir_barrier barrier = w->barrier;
  if (sm->is_ahead) {
    sm->is_ahead = false;
    take_next(sm, slot, now);
  } else
    advance(sm, slot, now);
  if (w->state == WEIR_W_DONE) tell_warp(sm, slot, WEIR_WARP_ENDS, now);
  if (is_barrier) {
    reach_barrier(sm, slot, barrier, !s->bar_arrive, now);
  } else if (is_fence && w->stores > 0 && w->state == WEIR_W_RUN) {
    stop_warp(sm, slot, WEIR_W_FENCE);
  } else if (is_group) {
    w->group += s->bar_arrive;
    if (s->bar_warps > 0 && w->state == WEIR_W_RUN) wait_copies(sm, slot, s->bar_warps - 1u);
  }
}

/* Move warps whose registers are ready now to the awake set. */
static void wake_warps(struct weir_sm *sm, struct weir_sched *c, uint64_t now) {
  if (c->soonest > now) return;
  c->soonest = WEIR_NEVER;
  for (uint64_t left = c->asleep; left != 0; left &= left - 1) {
    uint64_t at = sm->ready_at[__builtin_ctzll(left)];
    if (at <= now)
      c->awake |= left & -left;
    else
      c->soonest = weir_min64(c->soonest, at);
  }
  c->asleep &= ~c->awake;
}

/* Two-level: the active set gives up warps that wait for memory or cannot run, and takes the oldest
 * others. */
static void refill_active(struct weir_sm *sm, struct weir_sched *c) {
  for (uint64_t left = c->active; left != 0; left &= left - 1) {
    unsigned i = (unsigned)__builtin_ctzll(left);
    if (sm->warps[i].state != WEIR_W_RUN || sm->ready_at[i] == WEIR_NEVER)
      c->active &= ~(UINT64_C(1) << i);
  }
  for (uint32_t k = 0; k < sm->n_order && __builtin_popcountll(c->active) < sm->m->sm.active_warps;
       k++) {
    uint32_t i = sm->order[k];
    if ((c->warps >> i & 1) && sm->warps[i].state == WEIR_W_RUN && sm->ready_at[i] != WEIR_NEVER)
      c->active |= UINT64_C(1) << i;
  }
}

static int pick_warp(struct weir_sm *sm, struct weir_sched *c, uint64_t now, bool ldst_taken) {
  uint64_t can = c->awake;
  char policy = sm->m->sm.scheduler[0];
  if (policy == 't') {
    refill_active(sm, c);
    can &= c->active;
  }
  if (ldst_taken || sm->p_busy || sm->lsu_free > now) can &= ~c->mem;
  if (can == 0) return -1;
  if (policy == 'g') {
    if ((can >> c->last & 1) && unit_is_free(sm, c, c->last, now)) return (int)c->last;
    int oldest = -1;
    for (uint64_t left = can; left != 0; left &= left - 1) {
      unsigned i = (unsigned)__builtin_ctzll(left);
      if ((oldest < 0 || sm->age[i] < sm->age[oldest]) && unit_is_free(sm, c, i, now))
        oldest = (int)i;
    }
    return oldest;
  }
  /* Round robin: the slots after the last one, then the others. */
  uint64_t after = c->last == 63 ? 0 : can & ~((UINT64_C(2) << c->last) - 1);
  for (int pass = 0; pass < 2; pass++)
    for (uint64_t left = pass == 0 ? after : can & ~after; left != 0; left &= left - 1) {
      unsigned i = (unsigned)__builtin_ctzll(left);
      if (unit_is_free(sm, c, i, now)) return (int)i;
    }
  return -1;
}

/* What the slots of a scheduler that issued nothing were lost to: the state of its oldest
 * unfinished warp. */
static uint8_t slot_label(const struct weir_sm *sm, const struct weir_sched *c, uint64_t now) {
  for (uint32_t k = 0; k < sm->n_order; k++) {
    uint32_t i = sm->order[k];
    const struct weir_sm_warp *w = &sm->warps[i];
    if (!(c->warps >> i & 1) || w->state == WEIR_W_DONE) continue;
    if (w->state == WEIR_W_BARRIER) return WEIR_SLOT_BARRIER;
    if (w->state == WEIR_W_FENCE) return WEIR_SLOT_FENCE;
    if (w->state == WEIR_W_COPY) return WEIR_SLOT_LOAD;
    if (sm->ready_at[i] == WEIR_NEVER) return WEIR_SLOT_LOAD;
    if (sm->ready_at[i] > now) return WEIR_SLOT_DEPENDENCY;
    if (w->next.has_addr && (sm->p_busy || sm->free_load == UINT32_MAX))
      return (uint8_t)(WEIR_SLOT_LDST + sm->head_failed);
    return weir_sm_is_gated(sm, i) ? WEIR_SLOT_GATE : WEIR_SLOT_UNIT;
  }
  return WEIR_SLOT_NO_WARP;
}

static void settle_slots(struct weir_sm *sm, struct weir_sched *c, uint64_t now) {
  sm->stats.slot[c->label] += now - c->since;
  c->since = now;
}

static bool issue_all(struct weir_sm *sm, uint64_t now) {
  unsigned n = (unsigned)sm->m->sm.schedulers;
  bool any = false, ldst_taken = false;
  for (unsigned k = 0; k < n; k++) {
    unsigned s = (sm->first_sched + k) % n;
    struct weir_sched *c = &sm->sched[s];
    settle_slots(sm, c, now);
    wake_warps(sm, c, now);
    int w = pick_warp(sm, c, now, ldst_taken);
    if (w < 0) {
      c->label = UINT8_MAX; /* decided below, when all have issued */
      continue;
    }
    if (sm->warps[w].next.has_addr) {
      ldst_taken = true;
      sm->next_first = (s + 1) % n; /* who won the LD/ST unit asks last next time */
    }
    issue(sm, c, (uint32_t)w, now);
    c->label = WEIR_SLOT_ISSUED;
    any = true;
  }
  sm->first_sched = sm->next_first;
  return any;
}

/* ---- retirement ---- */

/* A block ends when its warps have, and all that they asked for has come. */
static bool retire_blocks(struct weir_sm *sm, uint64_t now, uint64_t *wake) {
  bool any = false;
  for (uint32_t b = 0; b < (uint32_t)sm->m->sm.blocks; b++) {
    struct weir_sm_block *k = &sm->blocks[b];
    if (!k->is_used || k->n_left > 0 || k->pending > 0) continue;
    if (k->busy_until > now) {
      *wake = weir_min64(*wake, k->busy_until);
      continue;
    }
    uint32_t kept = 0;
    for (uint32_t i = 0; i < sm->n_order; i++) {
      struct weir_sm_warp *w = &sm->warps[sm->order[i]];
      if (w->block == b && w->state == WEIR_W_DONE)
        w->state = WEIR_W_FREE;
      else
        sm->order[kept++] = sm->order[i];
    }
    sm->n_order = kept;
    sm->is_dirty = true;
    const struct weir_cta cta = {.slot = b, .uid = (uint32_t)k->stream->id, .warps = k->warps};
    sm->retired[sm->n_retired].cycle = now;
    sm->retired[sm->n_retired++].stream = k->stream;
    k->is_used = false;
    sm->n_ending--;
    sm->n_blocks--;
    sm->stats.blocks++;
    sm->l1_ops->cta_end(sm->l1, &cta, now);
    sm->last_event = weir_max64(sm->last_event, now);
    any = true;
  }
  return any;
}

/* Nothing was issued: when can something, if nothing but time changes? */
static uint64_t next_issue(const struct weir_sm *sm, uint64_t now) {
  uint64_t at = WEIR_NEVER;
  for (unsigned s = 0; s < (unsigned)sm->m->sm.schedulers; s++) {
    const struct weir_sched *c = &sm->sched[s];
    at = weir_min64(at, weir_max64(c->soonest, now + 1));
    if (c->units_until <= now) { /* all units are free: no need to ask each warp for its own */
      if ((c->awake & c->mem) != 0 && sm->lsu_free > now) at = weir_min64(at, sm->lsu_free);
      continue;
    }
    for (uint64_t left = c->awake; left != 0; left &= left - 1) { /* awake, but its unit is busy */
      const struct weir_sm_warp *w = &sm->warps[__builtin_ctzll(left)];
      const struct weir_static *st = &sm->kernel->insns[w->next.insn];
      if (c->unit_free[st->cls] > now)
        at = weir_min64(at, c->unit_free[st->cls]);
      else if (w->next.has_addr && sm->lsu_free > now)
        at = weir_min64(at, sm->lsu_free);
    }
  }
  return at;
}

/* Nothing that moved in this cycle moves on in the next: when will something? */
static uint64_t next_event(const struct weir_sm *sm, uint64_t now) {
  uint64_t wake = sm->is_dirty ? now + 1 : sm->issue_at;
  if (sm->fills.n > 0 || sm->head_failed == WEIR_NO_DATA_PORT)
    wake = weir_min64(wake, weir_max64(sm->l1_ops->port_free(sm->l1, now), now + 1));
  for (uint32_t i = 0; i < sm->n_arriving; i++)
    wake = weir_min64(wake, sm->arriving[i].at);
  const struct weir_msg *r = weir_inbox_head(&sm->in), *c = weir_inbox_head(&sm->credits);
  if (r != NULL) wake = weir_min64(wake, weir_max64(weir_max64(r->at, sm->eject_free), now + 1));
  return c != NULL ? weir_min64(wake, weir_max64(c->at, now + 1)) : wake;
}

/* Steps 6 and 7. Schedulers are looked at when something has changed that they depend on, or when
 * time lets a warp go on; what their slots are lost to stays the same in between. */
static bool issue_step(struct weir_sm *sm, uint64_t now, bool *queued, bool *retired,
                       uint64_t *wake) {
  bool looks = sm->is_dirty || sm->issue_at <= now || sm->has_gate || sm->is_literal;
  bool issued = false;
  if (looks) {
    sm->is_dirty = false;
    issued = issue_all(sm, now);
  }
  *queued = sm->p_busy && drain_coalescer(sm);
  *retired = sm->n_ending > 0 && retire_blocks(sm, now, wake);
  if (!looks && !sm->is_dirty) return false;
  for (unsigned s = 0; s < (unsigned)sm->m->sm.schedulers; s++) {
    struct weir_sched *c = &sm->sched[s];
    if (!looks) settle_slots(sm, c, now);
    if (!looks || c->label == UINT8_MAX) c->label = slot_label(sm, c, now);
  }
  if (issued)
    sm->is_dirty = true; /* the slot of the next cycle is another one */
  else
    sm->issue_at = next_issue(sm, now);
  return issued;
}

uint64_t weir_sm_cycle(struct weir_sm *sm, uint64_t now) {
  bool is_idle = has_no_work(sm, now);
  if (is_idle && sm->is_settled) {
    /* What comes is credits, or the acknowledgement of something the L1 wrote back. */
    take_messages(sm, now);
    return next_event(sm, now);
  }
  sm->is_settled = is_idle;
  if (!is_idle && sm->soft_wake < now) weir_sm_soft(sm, now);
  sm->now = now;
  take_messages(sm, now);
  if (!is_idle && sm->heard.n > 0) take_casts(sm, now);
  if (sm->n_arriving > 0) take_blocks(sm, now);
  bool filled = take_fill(sm, now);
  if (!is_idle) take_ticks(sm, now);
  bool moved =
      n_waiting(sm) > 0 && (sm->has_order ? present_ordered(sm, now) : present_head(sm, now));
  bool injected = false, queued, retired;
  uint64_t wake = inject(sm, now, &injected);
  bool issued = issue_step(sm, now, &queued, &retired, &wake);
  sm->soft_wake = next_soft(sm);
  /* The head may have got room by what was taken or injected; one fill is taken and one request
   * answered per cycle. */
  if (((moved || injected) && n_waiting(sm) > 0) || (filled && sm->fills.n > 0) || issued ||
      queued || retired || sm->l1_ops->has_drain(sm->l1))
    return now + 1;
  if (!is_idle) wake = weir_min64(wake, weir_max64(sm->soft_wake, now + 1));
  return weir_min64(wake, next_event(sm, now));
}

/* The kernel ended in cycle `now`. Calls after it (late credits) saw no warps, so what is left of
 * the slots had none. */
void weir_sm_settle(struct weir_sm *sm, uint64_t now) {
  if (now > sm->head_since) settle_ldst(sm, now);
  uint64_t used = 0;
  for (unsigned s = 0; s < (unsigned)sm->m->sm.schedulers; s++)
    if (now > sm->sched[s].since) settle_slots(sm, &sm->sched[s], now);
  for (unsigned i = 0; i < WEIR_N_ISSUE_SLOTS; i++)
    if (i != WEIR_SLOT_NO_WARP) used += sm->stats.slot[i] - sm->slot_base[i];
  sm->stats.slot[WEIR_SLOT_NO_WARP] = sm->slot_base[WEIR_SLOT_NO_WARP] +
                                      (now - sm->kernel_start) * (uint64_t)sm->m->sm.schedulers -
                                      used;
}

bool weir_sm_is_idle(const struct weir_sm *sm) {
  return sm->n_blocks == 0 && sm->n_arriving == 0 && sm->q_n == 0 && !sm->p_busy &&
         sm->inflight == 0 && sm->fills.n == 0 && sm->in.n == 0 && sm->credits.n == 0 &&
         sm->l1_ops->is_idle(sm->l1);
}

void weir_sm_abandon(struct weir_sm *sm, struct weir_block_source *source) {
  for (uint32_t i = 0; i < (uint32_t)sm->m->sm.warps; i++)
    if (sm->warps[i].state != WEIR_W_FREE && sm->warps[i].state != WEIR_W_DONE)
      weir_reader_close(&sm->warps[i].reader);
  for (uint32_t i = 0; i < (uint32_t)sm->m->sm.blocks; i++)
    if (sm->blocks[i].is_used) source->release(source, sm->blocks[i].stream);
  for (uint32_t i = 0; i < sm->n_arriving; i++)
    source->release(source, sm->arriving[i].stream);
  for (uint32_t i = 0; i < sm->n_retired; i++)
    source->release(source, sm->retired[i].stream);
}
