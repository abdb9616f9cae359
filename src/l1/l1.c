/* The L1 pipeline: an organisation and policies, one MSHR mechanism with sector masks, miss queue,
 * bypass path. A request either is taken, with all it needs, or leaves no trace. */
#include "l1/l1.h"

#include <assert.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "l1/core.h"
#include "l1/mshr.h"
#include "l1/order.h"

#define S(f, u, h) WEIR_STAT(weir_l1_stats, f, u, h)
#define AT(f, i, n, u, h)                                                                          \
  {                                                                                                \
    .name = n, .unit = u, .help = h,                                                               \
    .offset = offsetof(struct weir_l1_stats, f) + sizeof(uint64_t) * (i)                           \
  }
const struct weir_stat weir_l1_stat_table[] = {
    S(loads, "request", "load requests taken"),
    S(hits, "request", "loads that found all their sectors"),
    S(hit_reserved, "request", "loads that joined a pending line and sent nothing"),
    S(misses, "request", "loads whose line was not there"),
    S(partial_misses, "request",
      "loads that sent for further sectors of a line that was there or pending"),
    S(bypassed, "request", "loads that went past the L1"),
    S(local_loads, "request", "of the loads, those from local memory"),
    S(local_hits, "request", "of these, hits"),
    S(local_hit_reserved, "request", "... joined a pending line"),
    S(local_misses, "request", "... misses"),
    S(local_partial_misses, "request", "... partial misses"),
    S(local_bypassed, "request", "... went past the L1"),
    AT(bypass_reason, WEIR_R_STATIC, "bypassed_static", "request",
       "bypassed because the instruction says so"),
    AT(bypass_reason, WEIR_R_PREDICTOR, "bypassed_predictor", "request", "... by a prediction"),
    AT(bypass_reason, WEIR_R_STALL, "bypassed_stall", "request",
       "... because a resource was missing"),
    AT(bypass_reason, WEIR_R_MODE, "bypassed_mode", "request", "... the cache was switched off"),
    AT(bypass_reason, WEIR_R_THRESHOLD, "bypassed_threshold", "request",
       "... the line had not shown enough reuse"),
    AT(bypass_reason, WEIR_R_PROFILE, "bypassed_profile", "request", "... by a profile"),
    S(stores, "request", "store requests taken"),
    S(store_hits, "request", "stores whose line was there"),
    S(local_stores, "request", "of the stores, those to local memory"),
    S(local_store_hits, "request", "of these, hits"),
    S(atomics, "request", "atomic requests taken"),
    S(atomic_hits, "request", "of these, those whose line was there"),
    S(probes, "request", "requests for which tags were read"),
    S(data_reads, "request", "loads that found something and read it"),
    S(data_writes, "request", "stores that wrote into the L1"),
    S(prefetches, "request", "requests that policies made"),
    S(prefetches_dropped, "request", "... and that were dropped, for lack of a resource or of use"),
    S(sectors, "sector", "sectors that loads asked for"),
    S(sectors_hit, "sector", "of these, there"),
    S(sectors_missed, "sector", "of these, neither there nor on their way"),
    S(sectors_bypassed, "sector", "sectors of bypassed loads"),
    S(store_sectors, "sector", "sectors that stores wrote"),
    S(store_sectors_missed, "sector", "of these, not there"),
    S(fills, "packet", "replies that arrived at the L1"),
    S(fill_sectors, "sector", "sectors that arrived with them"),
    S(allocations, "line", "ways that were given to a line"),
    AT(evictions, WEIR_BY_REPLACEMENT, "evictions", "line", "lines replaced"),
    AT(evictions, WEIR_BY_STORE, "evictions_store", "line", "lines ended by a store"),
    AT(evictions, WEIR_BY_FLUSH, "evictions_flush", "line", "lines ended by the next kernel"),
    AT(evictions, WEIR_BY_COLLATERAL, "evictions_collateral", "line",
       "lines that something else took along"),
    S(evictions_unused, "line", "lines replaced that were never hit after they came"),
    S(store_evictions, "request", "stores that invalidated a line or sectors of it"),
    S(mshr_merges, "request", "requests that joined an MSHR entry"),
    S(mshr_cycles, "cycle", "MSHR entries in use, summed over cycles"),
    {.name = "mshr_most",
     .unit = "entry",
     .help = "the most MSHR entries in use at once",
     .kind = WEIR_MAXIMUM,
     .offset = offsetof(struct weir_l1_stats, mshr_most)},
    {.name = "bytes",
     .unit = "byte",
     .help = "data that an SM's L1 has room for in this launch: on a unified array what shared "
             "memory leaves",
     .kind = WEIR_MAXIMUM,
     .offset = offsetof(struct weir_l1_stats, bytes)},
    S(requests, "packet", "packets sent to the L2"),
    S(request_flits, "flit", "flits of these"),
    S(reply_flits, "flit", "flits of data that came from the L2"),
    S(writebacks, "packet", "packets of dirty lines"),
    WEIR_STAT_END};
static const struct weir_check l1_checks[] = {
    {"loads == hits + hit_reserved + misses + partial_misses + bypassed",
     "every load has one class"},
    {"local_loads == local_hits + local_hit_reserved + local_misses + local_partial_misses + "
     "local_bypassed",
     "every load of local memory has one class"},
    {"bypassed == bypassed_static + bypassed_predictor + bypassed_stall + bypassed_mode + "
     "bypassed_threshold + bypassed_profile",
     "every bypass has one reason"},
    {"evictions + evictions_store + evictions_flush + evictions_collateral <= allocations + "
     "evictions_flush",
     "what ended had begun"},
    {"data_reads >= hits", "a hit reads"},
    {"data_writes <= stores", "a store writes once at most"},
    {NULL, NULL}};
const struct weir_stat_group weir_l1_stat_group = {"l1", "What the L1 caches did.",
                                                   weir_l1_stat_table, l1_checks};

#define P(f, u, h) WEIR_STAT(weir_pc_stats, f, u, h)
const struct weir_stat weir_pc_stat_table[] = {
    P(requests, "request", "requests of this instruction that the L1 took"),
    P(hits, "request", "hits"),
    P(hit_reserved, "request", "joined a pending line"),
    P(misses, "request", "misses"),
    P(partial_misses, "request", "partial misses"),
    P(bypassed, "request", "went past the L1"),
    P(sectors, "sector", "sectors touched"),
    P(sectors_missed, "sector", "of these, sent for (past the L1 or into it)"),
    WEIR_STAT_END};
const struct weir_stat_group weir_pc_stat_group = {
    "pc", "What one memory instruction did, summed over SMs.", weir_pc_stat_table, NULL};

enum { SECTOR = 32, MAX_BANKS = 64 };

struct ring {
  struct weir_msg *v;
  uint32_t head, n, cap;
};

struct weir_l1 {
  struct weir_chain chain; /* first: the parts' `core` is the chain, and thereby the L1 */
  const struct weir_machine *m;
  struct weir_mshrs mshr;
  struct ring miss, bypass;
  struct weir_order_queues order;
  uint32_t order_at; /* queue of the request that is presented */
  struct weir_kernel kernel;
  bool bypass_turn, is_sectored, widens_first;
  uint16_t all;        /* sectors of a line */
  unsigned sector_log; /* of their size */
  uint32_t line_shift, n_prefetches;
  uint64_t begin; /* of the kernel */
  struct {
    bool is_valid;
    uint32_t ways;
    uint64_t accepted; /* requests until then */
  } flushed;           /* what the organisation was last emptied to */
  uint64_t now;
  uint64_t bank_free[MAX_BANKS], probe_cycle, banks_used;
  uint64_t mshr_since;
  uint8_t *reused; /* of each way: was it hit since it was allocated? */
  struct weir_pc_stats *pc;
  struct weir_l1_stats stats;
};

static struct weir_l1 *l1_of(const struct weir_policy *part) {
  return part->core;
}

/* ---- queues ---- */

static bool ring_init(struct ring *r, int64_t cap) {
  r->cap = (uint32_t)cap;
  r->v = weir_calloc(r->cap, sizeof *r->v);
  return r->v != NULL;
}
static struct weir_msg *ring_push(struct ring *r) {
  uint32_t at = r->head + r->n++;
  return &r->v[at < r->cap ? at : at - r->cap];
}
static void ring_pop(struct ring *r) {
  if (++r->head == r->cap) r->head = 0;
  r->n--;
}

/* The 32-byte sectors that parts of a line lie in. */
static uint8_t fold(const struct weir_l1 *l1, uint32_t parts) {
  uint32_t out = 0;
  unsigned each = SECTOR >> l1->sector_log;
  if (each == 1) return (uint8_t)parts;
  for (unsigned i = 0; parts >> i != 0; i++)
    out |= (parts >> i & 1) << i / each;
  return (uint8_t)out;
}

static unsigned n_sectors(const struct weir_l1 *l1, uint32_t parts) {
  return weir_n_sectors(fold(l1, parts));
}

/* The sectors of a message, from its parts; `full` are the parts that a store writes whole. */
static void send(struct weir_l1 *l1, struct ring *r, struct weir_msg msg, uint32_t full) {
  unsigned bytes = weir_n_parts(msg.parts) << l1->sector_log;
  unsigned data = msg.kind == WEIR_MSG_READ ? 0 : msg.kind == WEIR_MSG_ATOM ? SECTOR : bytes;
  msg.sectors = fold(l1, msg.parts);
  msg.full = (uint8_t)(msg.sectors & ~fold(l1, l1->all & ~full));
  msg.flits = weir_flits(&l1->m->noc, data);
  assert(r->n < r->cap); /* whoever sends has asked for room */
  *ring_push(r) = msg;
  l1->stats.requests++;
  l1->stats.request_flits += msg.flits;
}

/* ---- set-up ---- */

static void destroy(struct weir_l1 *l1) {
  weir_chain_free(&l1->chain);
  weir_mshrs_free(&l1->mshr);
  free(l1->miss.v);
  free(l1->bypass.v);
  weir_order_free(&l1->order);
  free(l1->reused);
  free(l1->pc);
  free(l1);
}

static bool open_queues(struct weir_l1 *l1, struct weir_err *err) {
  const struct weir_chain *c = &l1->chain;
  if (c->orderer == WEIR_MAX_PARTS) return true;
  struct weir_order o = c->ops[c->orderer]->order(&c->policy[c->orderer]);
  if (o.queues > WEIR_MAX_QUEUES || o.depth > WEIR_MAX_DEPTH || (o.queues > 0 && o.depth == 0)) {
    weir_fail(err, WEIR_EINVAL,
              "policy %s asks for %u queues of %u requests; there can be %d of 1 to %d",
              c->ops[c->orderer]->part.name, o.queues, o.depth, WEIR_MAX_QUEUES, WEIR_MAX_DEPTH);
    return false;
  }
  if (weir_order_init(&l1->order, o)) return true;
  weir_fail(err, WEIR_ENOMEM, "out of memory");
  return false;
}

static struct weir_geometry geometry(const struct weir_machine *m, const struct weir_design *d,
                                     uint32_t sm) {
  uint32_t ways = (uint32_t)m->l1.ways; /* with a unified array: the most a kernel can have */
  if (d->org->ways != NULL) ways = d->org->ways(d->org_cfg, ways, (uint32_t)m->l1.line);
  return (struct weir_geometry){.sets = (uint32_t)m->l1.sets,
                                .ways = ways,
                                .line_bytes = (uint32_t)m->l1.line,
                                .sector_bytes = (uint32_t)m->l1.sector,
                                .sectors = (uint32_t)(m->l1.line / m->l1.sector),
                                .sm = sm,
                                .n_sms = (uint32_t)m->sm.count,
                                .warps = (uint32_t)m->sm.warps,
                                .ctas = (uint32_t)m->sm.blocks,
                                .schedulers = (uint32_t)m->sm.schedulers,
                                .seed = d->seed};
}

/* A waiter is a load in flight, or a prefetch, of which there is one for each entry at most. */
static uint32_t most_waiters(const struct weir_machine *m) {
  uint64_t product = (uint64_t)m->l1.mshr_entries * (uint64_t)m->l1.mshr_merge;
  uint64_t most = (uint64_t)m->sm.inflight + (uint64_t)m->l1.mshr_entries;
  return (uint32_t)(product < most ? product : most);
}

static double bytes(const struct weir_machine *m, const void *design) {
  struct weir_design baseline;
  const struct weir_design *d = design;
  const struct weir_mshrs *mshr = NULL;
  const struct weir_index *index = NULL;
  if (d == NULL) {
    weir_design_baseline(&baseline, m);
    d = &baseline;
  }
  struct weir_geometry g = geometry(m, d, 0);
  return sizeof(struct weir_l1) + weir_chain_bytes(d, &g) + (double)g.sets * g.ways +
         (double)(m->l1.miss_queue + m->l1.bypass_queue) * sizeof(struct weir_msg) +
         (double)m->l1.mshr_entries *
             (sizeof *mshr->v + 2 * (sizeof *index->key + sizeof *index->value)) +
         (double)most_waiters(m) * (sizeof *mshr->waiter + sizeof *mshr->ready);
}

static struct weir_l1 *create(const struct weir_machine *m, const void *design,
                              const struct weir_l1_host *host, struct weir_err *err) {
  struct weir_design baseline;
  const struct weir_design *d = design;
  if (d == NULL) {
    weir_design_baseline(&baseline, m);
    d = &baseline;
  }
  if (weir_design_check(d, m, err) != WEIR_OK) return NULL;
  struct weir_l1 *l1 = weir_calloc(1, sizeof *l1);
  if (l1 == NULL) return weir_fail(err, WEIR_ENOMEM, "out of memory"), NULL;
  struct weir_geometry g = geometry(m, d, host->id);
  l1->m = m;
  l1->is_sectored = d->org->is_sectored;
  l1->widens_first = d->org->widens_first;
  l1->all = (uint16_t)((1u << g.sectors) - 1);
  l1->sector_log = (unsigned)__builtin_ctzll((uint64_t)m->l1.sector);
  l1->line_shift = (uint32_t)__builtin_ctzll((uint64_t)m->l1.line);
  l1->probe_cycle = WEIR_NEVER;
  l1->reused = weir_calloc((size_t)g.sets * g.ways, 1);
  bool ok = l1->reused != NULL &&
            weir_mshrs_init(&l1->mshr, (uint32_t)m->l1.mshr_entries, most_waiters(m)) &&
            ring_init(&l1->miss, m->l1.miss_queue) && ring_init(&l1->bypass, m->l1.bypass_queue);
  if (!ok) weir_fail(err, WEIR_ENOMEM, "out of memory");
  if (!ok || !weir_chain_init(&l1->chain, d, &g, host, err) || !open_queues(l1, err)) {
    destroy(l1);
    return NULL;
  }
  return l1;
}

static bool ring_clone(struct ring *to, const struct ring *from) {
  if (!ring_init(to, from->cap)) return false;
  memcpy(to->v, from->v, from->cap * sizeof *from->v);
  to->head = from->head;
  to->n = from->n;
  return true;
}

struct weir_l1 *weir_l1_clone(const struct weir_l1 *l1, const struct weir_l1_host *host) {
  struct weir_l1 *c = weir_calloc(1, sizeof *c);
  if (c == NULL) return NULL;
  *c = *l1;
  const struct weir_geometry *g = &l1->chain.geometry;
  c->mshr = (struct weir_mshrs){0};
  c->miss.v = c->bypass.v = NULL;
  c->order = (struct weir_order_queues){0};
  c->reused = weir_malloc((size_t)g->sets * g->ways);
  c->pc = weir_malloc((l1->kernel.n_insns + 1) * sizeof *c->pc);
  bool ok = weir_chain_clone(&c->chain, &l1->chain, host) && c->reused != NULL && c->pc != NULL &&
            weir_mshrs_clone(&c->mshr, &l1->mshr) && ring_clone(&c->miss, &l1->miss) &&
            ring_clone(&c->bypass, &l1->bypass) && weir_order_clone(&c->order, &l1->order);
  if (!ok) {
    destroy(c);
    return NULL;
  }
  memcpy(c->reused, l1->reused, (size_t)g->sets * g->ways);
  if (l1->pc != NULL) memcpy(c->pc, l1->pc, (l1->kernel.n_insns + 1) * sizeof *c->pc);
  return c;
}

uint64_t weir_l1_parts_hash(const struct weir_l1 *l1) {
  return weir_chain_hash(&l1->chain);
}

static uint32_t set_of(const struct weir_l1 *l1, uint64_t addr) {
  uint64_t n = addr >> l1->line_shift;
  uint32_t sets = l1->chain.geometry.sets;
  if (l1->m->l1.index[0] == 'l') return (uint32_t)(n & (sets - 1));
  /* GPGPU-Sim's Fermi hash, at line number n: low five bits with bits 6, 7, 8, 10, 12 of it. */
  uint64_t up = (n >> 6 & 7) | (n >> 7 & 8) | (n >> 8 & 16), set = (n & 31) ^ up;
  return (uint32_t)(sets == 64 ? set | (n & 32) : set);
}

static void carry_out(struct weir_l1 *l1);

/* Is it as it was emptied last? An SM that had no block of a small kernel need not be emptied
 * again. An organisation that acts by itself can change without a request. */
static bool is_empty(const struct weir_l1 *l1, uint32_t ways) {
  const struct weir_part *part = &l1->chain.org_ops->part;
  return l1->flushed.is_valid && l1->flushed.ways == ways &&
         l1->flushed.accepted == l1->chain.accepted && part->tick == NULL && part->heard == NULL;
}

static bool kernel_begin(struct weir_l1 *l1, const struct weir_kernel *k, uint32_t shared_used,
                         uint64_t now) {
  const struct weir_l1_cfg *c = &l1->m->l1;
  uint32_t ways = weir_l1_ways(l1->m, shared_used);
  free(l1->pc);
  l1->pc = weir_calloc(k->n_insns + 1, sizeof *l1->pc);
  if (l1->pc == NULL) return false;
  l1->kernel = *k;
  l1->kernel.is_flushed = c->flush_on_kernel || c->unified_bytes > 0;
  l1->begin = l1->now = l1->mshr_since = now;
  l1->stats.mshr_most = 0;
  l1->stats.bytes = (uint64_t)ways * (uint64_t)(c->sets * c->line);
  if (l1->kernel.is_flushed && !is_empty(l1, ways)) {
    l1->chain.org_ops->flush(&l1->chain.org, ways);
    l1->flushed.is_valid = true;
    l1->flushed.ways = ways;
    l1->flushed.accepted = l1->chain.accepted;
  }
  weir_chain_kernel_begin(&l1->chain, &l1->kernel);
  carry_out(l1);
  return true;
}

static void kernel_end(struct weir_l1 *l1, uint64_t now) {
  l1->now = now;
  weir_chain_kernel_end(&l1->chain, &l1->kernel, now - l1->begin);
  l1->chain.n_asks = 0; /* nothing runs any more */
}

/* ---- what organisations ask and tell ---- */

int weir_l1_victim(const struct weir_policy *org, const struct weir_access *a,
                   struct weir_set set) {
  return weir_chain_victim(&l1_of(org)->chain, a, set);
}

static uint8_t *reused(struct weir_l1 *l1, uint32_t set, int way) {
  return &l1->reused[(size_t)set * l1->chain.geometry.ways + (size_t)way];
}

void weir_l1_evict(struct weir_policy *org, const struct weir_access *a, struct weir_set set,
                   int way, enum weir_cause cause) {
  struct weir_l1 *l1 = l1_of(org);
  const struct weir_line *l = &set.line[way];
  struct weir_access none = {.addr = (l->tag - 1) << l1->line_shift, .set = set.index};
  l1->stats.evictions[cause]++;
  if (cause == WEIR_BY_REPLACEMENT && !*reused(l1, set.index, way)) l1->stats.evictions_unused++;
  weir_chain_evict(&l1->chain, a != NULL ? a : &none, set, way, cause);
  if (l->dirty_mask == 0 || cause == WEIR_BY_FLUSH) return;
  l1->stats.writebacks++;
  send(l1, &l1->miss,
       (struct weir_msg){
           .kind = WEIR_MSG_WRITE, .addr = none.addr, .parts = l->dirty_mask, .id = UINT32_MAX},
       l->dirty_mask);
}

void weir_l1_alloc(struct weir_policy *org, const struct weir_access *a, struct weir_set set,
                   int way) {
  struct weir_l1 *l1 = l1_of(org);
  l1->stats.allocations++;
  *reused(l1, set.index, way) = 0;
  weir_chain_alloc(&l1->chain, a, set, way);
}

void weir_l1_reused(struct weir_policy *org, uint32_t set, int way) {
  *reused(l1_of(org), set, way) = 1;
}

static struct weir_set view(const struct weir_l1 *l1, uint32_t set) {
  return l1->chain.org_ops->view(&l1->chain.org, set);
}

/* ---- banks ---- */

/* The banks that a request's sectors lie in. */
static uint64_t banks_of(const struct weir_l1 *l1, uint64_t addr, uint32_t sectors) {
  uint64_t width = (uint64_t)l1->m->l1.bank_bytes, n = (uint64_t)l1->m->l1.banks, set = 0;
  if (n == 1) return 1;
  for (unsigned left = sectors; left != 0; left &= left - 1) {
    uint64_t at = addr + ((uint64_t)__builtin_ctz(left) << l1->sector_log);
    for (uint64_t k = at / width; k <= (at + (UINT64_C(1) << l1->sector_log) - 1) / width; k++)
      set |= UINT64_C(1) << k % n;
  }
  return set;
}

static bool is_busy(const struct weir_l1 *l1, uint64_t banks, uint64_t now) {
  for (; banks != 0; banks &= banks - 1)
    if (l1->bank_free[__builtin_ctzll(banks)] > now) return true;
  return false;
}

/* The data port is as wide as all banks together; each bank has its share. */
static void use_port(struct weir_l1 *l1, uint64_t banks, uint32_t sectors, uint64_t now) {
  uint32_t bytes = (weir_n_parts(sectors) << l1->sector_log) * (uint32_t)l1->m->l1.banks;
  uint32_t width = (uint32_t)l1->m->l1.port_bytes;
  if (banks != 1) width *= (uint32_t)__builtin_popcountll(banks);
  uint64_t until = now + (bytes + width - 1) / width;
  for (; banks != 0; banks &= banks - 1)
    l1->bank_free[__builtin_ctzll(banks)] = until;
}

static uint64_t port_free(const struct weir_l1 *l1, uint64_t now) {
  uint64_t t = WEIR_NEVER;
  for (int64_t i = 0; i < l1->m->l1.banks; i++)
    if (l1->bank_free[i] > now) t = weir_min64(t, l1->bank_free[i]);
  return t;
}

/* ---- MSHR occupancy, as an integral ---- */

static void settle_mshr(struct weir_l1 *l1, uint64_t now) {
  l1->stats.mshr_cycles += l1->mshr.n * (now - l1->mshr_since);
  l1->mshr_since = now;
}

/* ---- loads ---- */

/* A request that waits for its data port is one of those whose tags are read. */
static struct weir_l1_result failed(enum weir_shortage why, bool is_probed) {
  return (struct weir_l1_result){.answer = WEIR_L1_FAILED, .why = why, .is_probed = is_probed};
}

static bool says_past(const struct weir_l1 *l1, const struct weir_access *a) {
  if (!l1->m->l1.enabled) return true;
  switch (a->hint) {
  case WEIR_CO_CG:
  case WEIR_CO_CV:
  case WEIR_CO_VOLATILE:
  case WEIR_CO_RELAXED:
  case WEIR_CO_ACQUIRE:
    return true;
  default:
    return a->evict_hint == WEIR_EV_NO_ALLOCATE;
  }
}

/* The access as observers see it. */
static struct weir_access seen(const struct weir_l1 *l1, const struct weir_access *a) {
  struct weir_access x = *a;
  x.cycle = l1->now - l1->begin;
  x.kernel = l1->kernel.uid;
  x.shortage = WEIR_N_SHORTAGES;
  return x;
}

static void count_load(struct weir_l1 *l1, const struct weir_access *a, uint64_t *kind,
                       uint64_t *local_kind, uint64_t *pc_kind, uint32_t missed) {
  struct weir_pc_stats *pc = &l1->pc[a->insn];
  l1->stats.loads++;
  ++*kind;
  if (a->is_local) {
    l1->stats.local_loads++;
    ++*local_kind;
  }
  pc->requests++;
  ++*pc_kind;
  pc->sectors += n_sectors(l1, a->sectors);
  pc->sectors_missed += n_sectors(l1, missed);
}
#define COUNT_LOAD(l1, a, f, missed)                                                               \
  count_load(l1, a, &(l1)->stats.f, &(l1)->stats.local_##f, &(l1)->pc[(a)->insn].f, missed)

static struct weir_l1_result go_past(struct weir_l1 *l1, const struct weir_l1_req *q,
                                     const struct weir_probe *r, uint32_t inflight,
                                     enum weir_reason reason, enum weir_shortage why, bool mark) {
  const struct weir_access *a = &q->a;
  if (inflight >= (uint32_t)l1->m->sm.inflight) return failed(WEIR_NO_INFLIGHT, r != NULL);
  if (l1->bypass.n == l1->bypass.cap) return failed(WEIR_NO_ICNT, r != NULL);
  struct weir_access x = seen(l1, a);
  x.shortage = (uint8_t)why;
  x.fetch = l1->m->l1.bypass_gran[0] == 'l' ? l1->all : a->sectors;
  if (r != NULL) {
    l1->stats.probes++;
    weir_chain_lookup(&l1->chain, &x, view(l1, x.set), r->way, r->outcome);
    l1->chain.org_ops->commit_bypass(&l1->chain.org, &x, r);
  }
  weir_chain_bypass(&l1->chain, &x);
  l1->chain.accepted++;
  send(l1, &l1->bypass,
       (struct weir_msg){.kind = WEIR_MSG_READ,
                         .at = l1->now + (r != NULL ? r->extra : 0),
                         .addr = a->addr,
                         .parts = x.fetch,
                         .id = q->id,
                         .flags = WEIR_REQ_BYPASS | (mark ? WEIR_REQ_MARK : 0)},
       0);
  COUNT_LOAD(l1, a, bypassed, a->sectors);
  l1->stats.bypass_reason[reason]++;
  l1->stats.sectors_bypassed += n_sectors(l1, a->sectors);
  return (struct weir_l1_result){.answer = WEIR_L1_WAIT, .is_missing = true};
}

static struct weir_l1_result hit(struct weir_l1 *l1, const struct weir_access *a, uint64_t banks,
                                 const struct weir_probe *r) {
  unsigned n = n_sectors(l1, a->sectors);
  if (r != NULL) {
    struct weir_access x = seen(l1, a);
    weir_chain_lookup(&l1->chain, &x, view(l1, a->set), r->way, WEIR_HIT);
    if (r->way >= 0) *reused(l1, a->set, r->way) = 1;
    l1->chain.org_ops->commit_hit(&l1->chain.org, &x, r);
  }
  l1->chain.accepted++;
  use_port(l1, banks, a->sectors, l1->now);
  l1->stats.probes++;
  l1->stats.data_reads++;
  COUNT_LOAD(l1, a, hits, 0);
  l1->stats.sectors += n;
  l1->stats.sectors_hit += n;
  return (struct weir_l1_result){.answer = WEIR_L1_HIT,
                                 .ready_at = l1->now + (uint64_t)l1->m->l1.hit_latency +
                                             (r != NULL ? r->extra : 0)};
}

/* What a load that does not hit needs. */
struct need {
  uint32_t entry, missing, fetch;
  uint16_t issued;
};

static enum weir_shortage check_resources(const struct weir_l1 *l1, const struct weir_access *a,
                                          const struct weir_probe *r, const struct need *n,
                                          uint32_t inflight) {
  const struct weir_l1_cfg *c = &l1->m->l1;
  if (inflight >= (uint32_t)l1->m->sm.inflight) return WEIR_NO_INFLIGHT;
  int dirty = 0;
  if (n->fetch != 0) {
    dirty = l1->chain.org_ops->can_reserve(&l1->chain.org, a, r, n->fetch);
    if (dirty < 0) return WEIR_NO_LINE;
  }
  uint32_t slots = (n->fetch != 0 ? 1u : 0u) + (uint32_t)dirty;
  if (l1->miss.n + slots > l1->miss.cap ||
      (slots == 0 && c->hr_needs_mq && l1->miss.n == l1->miss.cap))
    return WEIR_NO_QUEUE;
  if (n->entry != UINT32_MAX)
    return l1->mshr.v[n->entry].n >= (uint32_t)c->mshr_merge ? WEIR_NO_MERGE : WEIR_N_SHORTAGES;
  return l1->mshr.free_entry == UINT32_MAX ? WEIR_NO_MSHR : WEIR_N_SHORTAGES;
}

static struct need find_need(const struct weir_l1 *l1, const struct weir_access *a,
                             const struct weir_probe *r) {
  struct need n = {.entry = weir_mshr_find(&l1->mshr, a->addr), .missing = r->want & ~r->valid};
  if (n.entry != UINT32_MAX) n.issued = l1->mshr.v[n.entry].issued;
  /* The line has come and gone again, but its entry still answers: the data are at hand. With
   * sectors nobody knows which, and they are fetched again. */
  if (!l1->is_sectored && n.entry != UINT32_MAX && n.issued == 0 && r->way < 0) n.missing = 0;
  n.fetch = n.missing & ~(uint32_t)n.issued;
  if (n.fetch != 0 && !l1->widens_first && l1->chain.hook[WEIR_H_FETCH_MASK].n > 0)
    n.fetch |= weir_chain_fetch_mask(&l1->chain, a, n.fetch) & l1->all & ~r->valid & ~r->pending &
               ~(uint32_t)n.issued;
  return n;
}

static enum weir_outcome class_of(const struct weir_l1 *l1, const struct weir_probe *r,
                                  const struct need *n) {
  if (n->fetch == 0) return WEIR_HIT_PENDING;
  if (l1->chain.org_ops->outcome_stands) return r->outcome;
  return n->entry == UINT32_MAX && r->way < 0 && r->valid == 0 && r->pending == 0 ? WEIR_MISS
                                                                                  : WEIR_PARTIAL;
}

/* All resources are there. `id` is the load that waits; UINT32_MAX: a prefetch. */
static enum weir_outcome take_miss(struct weir_l1 *l1, const struct weir_access *a,
                                   const struct weir_probe *r, const struct need *n, uint32_t id) {
  bool is_new = n->entry == UINT32_MAX;
  uint32_t e = n->entry;
  settle_mshr(l1, l1->now);
  if (is_new) {
    e = weir_mshr_open(&l1->mshr, a->addr);
    if (l1->mshr.n > l1->stats.mshr_most) l1->stats.mshr_most = l1->mshr.n;
  } else
    l1->stats.mshr_merges++;
  struct weir_access x = seen(l1, a);
  x.first_of_mshr = is_new;
  x.fetch = (uint16_t)n->fetch;
  enum weir_outcome outcome = class_of(l1, r, n);
  weir_chain_lookup(&l1->chain, &x, view(l1, x.set), r->way, outcome);
  if (n->fetch != 0)
    l1->chain.org_ops->reserve(&l1->chain.org, &x, r, n->fetch);
  else
    l1->chain.org_ops->commit_hit(&l1->chain.org, &x, r);
  l1->chain.accepted++;
  uint32_t w = weir_mshr_wait(&l1->mshr, e, id, n->missing);
  if (n->fetch != 0) {
    l1->mshr.v[e].issued |= (uint16_t)n->fetch;
    send(l1, &l1->miss,
         (struct weir_msg){.kind = WEIR_MSG_READ,
                           .at = l1->now + r->extra,
                           .addr = a->addr,
                           .parts = (uint16_t)n->fetch,
                           .id = w},
         0);
  }
  return outcome;
}

static struct weir_l1_result load(struct weir_l1 *l1, const struct weir_l1_req *q,
                                  uint32_t inflight) {
  const struct weir_access *a = &q->a;
  const struct weir_chain *c = &l1->chain;
  uint32_t who = 0;
  enum weir_answer says;
  if (says_past(l1, a))
    return go_past(l1, q, NULL, inflight, WEIR_R_STATIC, WEIR_N_SHORTAGES, false);
  if (c->hook[WEIR_H_ROUTE].n > 0 && (says = weir_chain_route(c, a, &who)) >= WEIR_BYPASS)
    return go_past(l1, q, NULL, inflight, c->ops[who]->reason, WEIR_N_SHORTAGES,
                   says == WEIR_BYPASS_MARKED);
  uint64_t banks = banks_of(l1, a->addr, a->sectors);
  if (is_busy(l1, banks, l1->now)) return failed(WEIR_NO_DATA_PORT, true);
  if (l1->m->l1.perfect) return hit(l1, a, banks, NULL);

  uint32_t want = l1->is_sectored ? a->sectors : l1->all, answer = 0;
  if (l1->widens_first) {
    answer = weir_chain_fetch_mask(c, a, want);
    want = answer & l1->all;
  }
  struct weir_probe r = c->org_ops->probe(&c->org, a, want);
  r.together = (answer & WEIR_FETCH_TOGETHER) != 0;
  if ((want & ~r.valid) == 0) return hit(l1, a, banks, &r);
  struct need n = find_need(l1, a, &r);
  if (r.outcome == WEIR_MISS && n.entry == UINT32_MAX && c->hook[WEIR_H_ADMIT].n > 0 &&
      (says = weir_chain_admit(c, a, view(l1, a->set), &who)) >= WEIR_BYPASS)
    return go_past(l1, q, &r, inflight, c->ops[who]->reason, WEIR_N_SHORTAGES,
                   says == WEIR_BYPASS_MARKED);
  if (r.verdict == WEIR_BYPASS)
    return go_past(l1, q, &r, inflight, r.reason, WEIR_N_SHORTAGES, false);
  enum weir_shortage why = check_resources(l1, a, &r, &n, inflight);
  if (why != WEIR_N_SHORTAGES) {
    if (c->hook[WEIR_H_BLOCKED].n > 0 && (says = weir_chain_blocked(c, a, why)) >= WEIR_BYPASS) {
      struct weir_l1_result past =
          go_past(l1, q, &r, inflight, WEIR_R_STALL, why, says == WEIR_BYPASS_MARKED);
      if (past.answer != WEIR_L1_FAILED) return past;
    }
    return failed(why, true);
  }
  enum weir_outcome outcome = take_miss(l1, a, &r, &n, q->id);
  uint32_t missed = a->sectors & n.fetch;
  l1->stats.probes++;
  l1->stats.data_reads += (a->sectors & r.valid) != 0;
  l1->stats.sectors += n_sectors(l1, a->sectors);
  l1->stats.sectors_hit += n_sectors(l1, a->sectors & r.valid);
  l1->stats.sectors_missed += n_sectors(l1, missed);
  if (outcome == WEIR_HIT_PENDING)
    COUNT_LOAD(l1, a, hit_reserved, missed);
  else if (outcome == WEIR_MISS)
    COUNT_LOAD(l1, a, misses, missed);
  else
    COUNT_LOAD(l1, a, partial_misses, missed);
  return (struct weir_l1_result){.answer = WEIR_L1_WAIT, .is_missing = n.fetch != 0};
}

/* ---- stores ---- */

/* Pending sectors that a store overwrites are dropped when they arrive. */
static void poison(struct weir_l1 *l1, uint64_t addr, uint32_t sectors) {
  uint32_t e = weir_mshr_find(&l1->mshr, addr);
  if (e != UINT32_MAX && l1->m->l1.store_poisons_pending)
    l1->mshr.v[e].dropped |= (uint16_t)(sectors & l1->mshr.v[e].issued);
}

enum store_mode { EVICT, THROUGH, ALLOCATE, KEEP };

static enum store_mode store_mode(const struct weir_l1 *l1, const struct weir_access *a,
                                  const struct weir_probe *r) {
  const struct weir_l1_cfg *c = &l1->m->l1;
  if (a->op == WEIR_ATOMIC) return EVICT;
  if (l1->chain.hook[WEIR_H_STORE].n > 0)
    switch (weir_chain_store(&l1->chain, a, view(l1, a->set), r->way)) {
    case WEIR_WRITE_BACK:
      if (!l1->chain.org_ops->has_dirty || r->way < 0) break;
      if (l1->miss.cap < 2)
        weir_chain_refuse(
            &l1->chain,
            "a policy keeps stores; a miss that replaces a dirty line sends two packets, and "
            "l1.miss_queue must be at least 2");
      return KEEP;
    case WEIR_WRITE_THROUGH:
      return THROUGH;
    case WEIR_WRITE_EVICT:
      return EVICT;
    case WEIR_WRITE_PASS:
      break;
    }
  if (a->is_local && c->local_wb && l1->chain.org_ops->has_dirty && r->way >= 0) return KEEP;
  return c->write[0] == 'e' ? EVICT : c->write[0] == 't' ? THROUGH : ALLOCATE;
}

static void count_store(struct weir_l1 *l1, const struct weir_access *a, uint32_t had) {
  struct weir_pc_stats *pc = &l1->pc[a->insn];
  unsigned n = n_sectors(l1, a->sectors);
  unsigned missed = n_sectors(l1, a->sectors & ~had);
  pc->requests++;
  pc->sectors += n;
  if (a->op == WEIR_ATOMIC) {
    l1->stats.atomics++;
    l1->stats.atomic_hits += had != 0;
    return;
  }
  l1->stats.stores++;
  l1->stats.store_hits += had != 0;
  l1->stats.local_stores += a->is_local;
  l1->stats.local_store_hits += a->is_local && had != 0;
  l1->stats.store_sectors += n;
  l1->stats.store_sectors_missed += missed;
}

static void apply_store(struct weir_l1 *l1, const struct weir_access *a, const struct weir_probe *r,
                        enum store_mode mode) {
  struct weir_access x = seen(l1, a);
  const struct weir_org_ops *org = l1->chain.org_ops;
  weir_chain_lookup(&l1->chain, &x, view(l1, x.set), r->way, r->outcome);
  if (mode != EVICT) {
    l1->stats.data_writes += r->way >= 0 || mode == ALLOCATE;
    org->write(&l1->chain.org, &x, r, mode == KEEP, mode == ALLOCATE);
    return;
  }
  uint32_t sectors = l1->is_sectored ? a->sectors : l1->all;
  if (org->ended_by_store != NULL) sectors = org->ended_by_store(&l1->chain.org, sectors);
  if (org->invalidate(&l1->chain.org, &x, sectors, WEIR_BY_STORE) > 0) l1->stats.store_evictions++;
  poison(l1, a->addr, sectors);
}

/* Must it be written back when it ends? */
static bool is_dirty(const struct weir_l1 *l1, uint32_t set, int way) {
  return way >= 0 && view(l1, set).line[way].dirty_mask != 0;
}

static struct weir_l1_result store(struct weir_l1 *l1, const struct weir_l1_req *q,
                                   uint32_t inflight) {
  const struct weir_access *a = &q->a;
  const struct weir_org_ops *org = l1->chain.org_ops;
  const struct weir_l1_cfg *c = &l1->m->l1;
  bool is_atom = a->op == WEIR_ATOMIC, is_on = c->enabled, has_tags = is_on && !c->perfect;
  struct weir_probe r = {.way = -1};
  uint32_t had = 0;
  enum store_mode mode = EVICT;
  int dirty = 0;
  if (is_on && is_busy(l1, banks_of(l1, a->addr, a->sectors), l1->now))
    return failed(WEIR_NO_DATA_PORT, true);
  if (is_on && c->perfect && !is_atom) { /* every line is there, though no tag says so */
    had = a->sectors;
    mode = a->is_local && c->local_wb && org->has_dirty ? KEEP
           : c->write[0] == 'e'                         ? EVICT
                                                        : THROUGH;
  }
  if (has_tags) {
    r = org->probe(&l1->chain.org, a, a->sectors);
    had = r.valid | (r.way >= 0 ? view(l1, a->set).line[r.way].written_mask : 0u);
    mode = store_mode(l1, a, &r);
  }
  if (is_atom && inflight >= (uint32_t)l1->m->sm.inflight) return failed(WEIR_NO_INFLIGHT, is_on);
  if (mode == ALLOCATE && r.way < 0) {
    dirty = org->can_reserve(&l1->chain.org, a, &r, 0);
    if (dirty < 0) return failed(WEIR_NO_LINE, true);
  }
  if (has_tags && mode == EVICT) dirty = is_dirty(l1, a->set, r.way);
  if (mode != KEEP && l1->miss.n + 1 + (uint32_t)dirty > l1->miss.cap)
    return failed(WEIR_NO_QUEUE, is_on);
  if (is_on) l1->stats.probes++;
  if (has_tags)
    apply_store(l1, a, &r, mode);
  else
    l1->stats.data_writes += mode != EVICT;
  l1->chain.accepted++;
  if (mode != KEEP)
    send(l1, &l1->miss,
         (struct weir_msg){.kind = is_atom ? WEIR_MSG_ATOM : WEIR_MSG_WRITE,
                           .at = l1->now + r.extra,
                           .addr = a->addr,
                           .parts = a->sectors,
                           .id = q->id,
                           .flags = is_atom ? WEIR_REQ_BYPASS : 0},
         a->full);
  count_store(l1, a, had);
  return (struct weir_l1_result){.answer = is_atom        ? WEIR_L1_WAIT
                                           : mode == KEEP ? WEIR_L1_HIT
                                                          : WEIR_L1_SENT};
}

/* The parts' own invariants, after every request. */
static void verify_parts(struct weir_l1 *l1) {
  const struct weir_part *is;
  for (uint32_t i = 0; i <= l1->chain.n; i++) {
    const struct weir_policy *p = weir_chain_part(&l1->chain, i, &is);
    const char *bad = is->verify != NULL ? is->verify(p) : NULL;
    if (bad != NULL) weir_chain_fault(&l1->chain, is->name, bad);
  }
  if (!weir_chain_is_sound(&l1->chain))
    weir_chain_fault(&l1->chain, l1->chain.org_ops->part.name,
                     "a part wrote outside of its memory");
}

static struct weir_l1_result present(struct weir_l1 *l1, struct weir_l1_req *q, uint32_t inflight,
                                     uint64_t now) {
  l1->now = now;
  q->a.set = set_of(l1, q->a.addr);
  if (l1->m->l1.probes_per_cycle > 1) {
    uint64_t banks = banks_of(l1, q->a.addr, q->a.sectors);
    if (l1->probe_cycle != now) l1->probe_cycle = now, l1->banks_used = 0;
    if (l1->banks_used & banks) return (struct weir_l1_result){.answer = WEIR_L1_LATER};
    l1->banks_used |= banks;
  }
  struct weir_l1_result r = q->a.op == WEIR_LOAD ? load(l1, q, inflight) : store(l1, q, inflight);
  if (l1->chain.n_asks > 0) carry_out(l1);
  if (l1->chain.paranoid) verify_parts(l1);
  return r;
}

/* ---- order ---- */

static uint32_t order_room(const struct weir_l1 *l1) {
  return l1->order.shape.queues * l1->order.shape.depth;
}

static uint32_t order_n(const struct weir_l1 *l1) {
  return l1->order.total;
}

static bool order_push(struct weir_l1 *l1, struct weir_l1_req *q, uint64_t now) {
  l1->now = now;
  q->a.set = set_of(l1, q->a.addr);
  uint32_t queue = weir_chain_queue(&l1->chain, &q->a, l1->order.shape.queues);
  if (!weir_order_push(&l1->order, queue, q)) return false;
  struct weir_access x = seen(l1, &q->a);
  weir_chain_queued(&l1->chain, &x, queue);
  if (l1->chain.n_asks > 0) carry_out(l1);
  return true;
}

static struct weir_l1_req *order_head(struct weir_l1 *l1) {
  l1->order_at = weir_chain_next_queue(&l1->chain, l1->order.n, l1->order.shape.queues);
  return weir_order_head(&l1->order, l1->order_at);
}

static void order_pop(struct weir_l1 *l1, uint64_t now) {
  l1->now = now;
  struct weir_access x = seen(l1, &weir_order_head(&l1->order, l1->order_at)->a);
  weir_order_pop(&l1->order, l1->order_at);
  weir_chain_left_queue(&l1->chain, &x, l1->order_at);
  if (l1->chain.n_asks > 0) carry_out(l1);
}

/* ---- what policies asked for ---- */

static void try_prefetch(struct weir_l1 *l1, const struct weir_ask *ask) {
  struct weir_access a = {.addr = ask->addr >> l1->line_shift << l1->line_shift,
                          .sectors = (uint16_t)(ask->sectors & l1->all),
                          .op = WEIR_PREFETCH};
  a.set = set_of(l1, a.addr);
  uint32_t want = l1->is_sectored ? a.sectors : l1->all;
  struct weir_probe r = l1->chain.org_ops->probe(&l1->chain.org, &a, want);
  struct need n = find_need(l1, &a, &r);
  if (!l1->m->l1.enabled || n.fetch == 0 || r.verdict == WEIR_BYPASS ||
      l1->n_prefetches >= (uint32_t)l1->m->l1.mshr_entries ||
      check_resources(l1, &a, &r, &n, 0) != WEIR_N_SHORTAGES) {
    l1->stats.prefetches_dropped++;
    return;
  }
  take_miss(l1, &a, &r, &n, UINT32_MAX);
  l1->n_prefetches++;
  l1->stats.prefetches++;
}

static void try_invalidate(struct weir_l1 *l1, const struct weir_ask *ask) {
  if (ask->set >= l1->chain.geometry.sets || ask->way < 0 ||
      (uint32_t)ask->way >= view(l1, ask->set).ways)
    return;
  if (is_dirty(l1, ask->set, ask->way) && l1->miss.n == l1->miss.cap) return;
  l1->chain.org_ops->invalidate_way(&l1->chain.org, ask->set, ask->way);
}

/* What is asked for while asks are carried out is forgotten: no hook can keep the L1 busy for
 * ever. */
static void carry_out(struct weir_l1 *l1) {
  struct weir_ask asks[WEIR_MAX_ASKS];
  uint32_t n = l1->chain.n_asks;
  memcpy(asks, l1->chain.asks, n * sizeof *asks);
  for (uint32_t i = 0; i < n; i++)
    if (asks[i].is_prefetch)
      try_prefetch(l1, &asks[i]);
    else
      try_invalidate(l1, &asks[i]);
  l1->chain.n_asks = 0;
}

/* ---- arrivals ---- */

static uint32_t reply_flags(const struct weir_msg *r) {
  return (r->flags & WEIR_REP_MARKED ? WEIR_REPLY_MARKED : 0u) |
         (r->flags & WEIR_REP_OTHER ? WEIR_REPLY_OTHER_SM : 0u);
}

static bool fill(struct weir_l1 *l1, const struct weir_msg *r, uint64_t now) {
  uint64_t banks = banks_of(l1, r->addr, r->parts);
  if (is_busy(l1, banks, now)) return false;
  uint32_t e = l1->mshr.waiter[r->id].entry, id = l1->mshr.waiter[r->id].id;
  struct weir_access a = {.addr = r->addr,
                          .set = set_of(l1, r->addr),
                          .cycle = now - l1->begin,
                          .kernel = l1->kernel.uid,
                          .sectors = r->parts,
                          .fetch = r->parts,
                          .op = id == UINT32_MAX ? WEIR_PREFETCH : WEIR_LOAD};
  l1->now = now;
  if (id != UINT32_MAX) l1->chain.host.describe(l1->chain.host.sm, id, &a);
  int way = l1->chain.org_ops->fill(&l1->chain.org, &a, r->parts, l1->mshr.v[e].dropped,
                                    l1->miss.cap - l1->miss.n);
  weir_chain_fill(&l1->chain, &a, view(l1, a.set), way, reply_flags(r));
  use_port(l1, banks, r->parts, now);
  l1->stats.fills++;
  l1->stats.fill_sectors += weir_n_sectors(r->sectors);
  l1->stats.reply_flits += r->flits;
  settle_mshr(l1, now);
  weir_mshr_arrive(&l1->mshr, e, r->parts);
  weir_mshr_close_if_done(&l1->mshr, e);
  if (l1->chain.n_asks > 0) carry_out(l1);
  return true;
}

static void bypass_return(struct weir_l1 *l1, const struct weir_msg *r, uint64_t now) {
  l1->stats.reply_flits += r->flits;
  if (l1->chain.hook[WEIR_H_BYPASS_RETURN].n == 0) return;
  struct weir_access a = {.addr = r->addr,
                          .set = set_of(l1, r->addr),
                          .cycle = now - l1->begin,
                          .kernel = l1->kernel.uid,
                          .sectors = r->parts,
                          .fetch = r->parts};
  l1->now = now;
  l1->chain.host.describe(l1->chain.host.sm, r->id, &a);
  if (a.op != WEIR_LOAD) return; /* an atomic's result */
  weir_chain_bypass_return(&l1->chain, &a, reply_flags(r));
  if (l1->chain.n_asks > 0) carry_out(l1);
}

static uint32_t drain(struct weir_l1 *l1, uint64_t now) {
  while (l1->mshr.ready_n > 0) {
    settle_mshr(l1, now);
    uint32_t id = weir_mshr_drain(&l1->mshr);
    if (id != UINT32_MAX) return id;
    l1->n_prefetches--; /* nobody waits for it */
  }
  return UINT32_MAX;
}

static bool has_drain(const struct weir_l1 *l1) {
  return l1->mshr.ready_n > 0;
}

/* ---- events of the SM ---- */

static void heard(struct weir_l1 *l1, uint32_t from, uint32_t part, const uint64_t v[4],
                  uint64_t now) {
  l1->now = now;
  weir_chain_heard(&l1->chain, part, from, v, now - l1->begin);
  if (l1->chain.n_asks > 0) carry_out(l1);
}

static void cta_begin(struct weir_l1 *l1, const struct weir_cta *c, uint64_t now) {
  l1->now = now;
  weir_chain_cta(&l1->chain, c, now - l1->begin, false);
  if (l1->chain.n_asks > 0) carry_out(l1);
}

static void cta_end(struct weir_l1 *l1, const struct weir_cta *c, uint64_t now) {
  l1->now = now;
  weir_chain_cta(&l1->chain, c, now - l1->begin, true);
  if (l1->chain.n_asks > 0) carry_out(l1);
}

static uint64_t next_tick(const struct weir_l1 *l1) {
  uint64_t t = l1->chain.next_wake;
  return t == WEIR_NEVER ? WEIR_NEVER : l1->begin + t;
}

static void tick(struct weir_l1 *l1, uint64_t now) {
  l1->now = now;
  weir_chain_tick(&l1->chain, now - l1->begin);
  if (l1->chain.n_asks > 0) carry_out(l1);
}

static bool has_gate(const struct weir_l1 *l1) {
  return l1->chain.hook[WEIR_H_GATE].n > 0;
}

static bool gate(const struct weir_l1 *l1, uint32_t warp, enum weir_op op) {
  return weir_chain_gate(&l1->chain, warp, op);
}

static bool hears_warps(const struct weir_l1 *l1) {
  bool any = l1->chain.org_ops->part.warp != NULL;
  for (uint32_t i = 0; i < l1->chain.n; i++)
    any |= l1->chain.ops[i]->part.warp != NULL;
  return any;
}

static void warp(struct weir_l1 *l1, uint32_t slot, enum weir_warp_event e, uint64_t now) {
  l1->now = now;
  weir_chain_warp(&l1->chain, slot, e, now - l1->begin);
  if (l1->chain.n_asks > 0) carry_out(l1);
}

static uint32_t max_ctas(const struct weir_l1 *l1, const struct weir_kernel *k) {
  uint32_t most = UINT32_MAX;
  const struct weir_hook_list *h = &l1->chain.hook[WEIR_H_MAX_CTAS];
  for (uint32_t i = 0; i < h->n; i++) {
    uint32_t n = l1->chain.ops[h->who[i]]->max_ctas(&l1->chain.policy[h->who[i]], k);
    if (n < most) most = n;
  }
  return most;
}

/* ---- injection: the two queues take turns ---- */

static const struct weir_msg *peek(const struct weir_l1 *l1) {
  const struct ring *r =
      l1->miss.n == 0 || (l1->bypass_turn && l1->bypass.n > 0) ? &l1->bypass : &l1->miss;
  return r->n > 0 ? &r->v[r->head] : NULL;
}

static void pop(struct weir_l1 *l1) {
  bool from_bypass = l1->miss.n == 0 || (l1->bypass_turn && l1->bypass.n > 0);
  ring_pop(from_bypass ? &l1->bypass : &l1->miss);
  l1->bypass_turn = !from_bypass;
}

/* ---- checks and reports ---- */

static const struct weir_l1_stats *get_stats(struct weir_l1 *l1, uint64_t now) {
  if (now > l1->mshr_since) settle_mshr(l1, now);
  return &l1->stats;
}

static const struct weir_pc_stats *pc_stats(const struct weir_l1 *l1) {
  return l1->pc;
}

static const struct weir_part *part(const struct weir_l1 *l1, uint32_t i) {
  const struct weir_chain *c = &l1->chain;
  return i > c->n ? NULL : i == 0 ? &c->org_ops->part : &c->ops[i - 1]->part;
}

static const uint64_t *part_stats(const struct weir_l1 *l1, uint32_t i) {
  const struct weir_chain *c = &l1->chain;
  return i > c->n ? NULL : i == 0 ? c->org.stats : c->policy[i - 1].stats;
}

static uint64_t part_bits(const struct weir_l1 *l1, uint32_t i) {
  const struct weir_chain *c = &l1->chain;
  const struct weir_part *is = part(l1, i);
  return is->storage_bits != NULL ? is->storage_bits(i == 0 ? &c->org : &c->policy[i - 1]) : 0;
}

static uint64_t storage_bits(const struct weir_l1 *l1) {
  uint64_t bits = 0;
  for (uint32_t i = 0; i <= l1->chain.n; i++)
    bits += part_bits(l1, i);
  return bits;
}

enum weir_status weir_l1_storage(const struct weir_machine *m, const struct weir_design *d,
                                 uint64_t bits[WEIR_MAX_PARTS], struct weir_err *err) {
  struct weir_l1 *l1 = create(m, d, &(struct weir_l1_host){0}, err);
  if (l1 == NULL) return err != NULL ? err->code : WEIR_ENOMEM;
  for (uint32_t i = 0; i < WEIR_MAX_PARTS; i++)
    bits[i] = i <= l1->chain.n ? part_bits(l1, i) : 0;
  destroy(l1);
  return WEIR_OK;
}

uint64_t weir_l2_storage(const struct weir_machine *m, const struct weir_design *d) {
  uint64_t bits = d->org->part.l2_line_bits;
  for (uint32_t i = 0; i < d->n_policies; i++)
    bits += d->policy[i].ops->part.l2_line_bits;
  return bits * (uint64_t)(m->l2.slices * m->l2.sets * m->l2.ways);
}

static bool is_idle(const struct weir_l1 *l1) {
  return l1->mshr.n == 0 && l1->mshr.ready_n == 0 && l1->miss.n == 0 && l1->bypass.n == 0 &&
         l1->order.total == 0;
}

/* Ways that hold something are as many as were given to lines and not taken away. */
static const char *verify_ways(const struct weir_l1 *l1) {
  uint64_t resident = 0, ended = 0;
  for (uint32_t s = 0; s < l1->chain.geometry.sets; s++) {
    struct weir_set set = view(l1, s);
    for (uint32_t w = 0; w < set.ways; w++) {
      if (set.line[w].tag == 0) continue;
      resident++;
      if (set.line[w].pending_mask != 0) return "a line has pending sectors";
      if (set_of(l1, (set.line[w].tag - 1) << l1->line_shift) != s)
        return "a line is in a set that is not its own";
    }
  }
  for (unsigned i = 0; i < WEIR_N_CAUSES; i++)
    ended += l1->stats.evictions[i];
  return resident + ended != l1->stats.allocations ? "lines given and taken do not add up" : NULL;
}

static const char *verify(const struct weir_l1 *l1) {
  const char *bad = weir_mshrs_verify(&l1->mshr);
  if (bad == NULL && !is_idle(l1)) bad = "its queues are not empty";
  if (bad == NULL) bad = verify_ways(l1);
  for (uint32_t i = 0; bad == NULL && i <= l1->chain.n; i++) {
    const struct weir_policy *p = i == 0 ? &l1->chain.org : &l1->chain.policy[i - 1];
    const struct weir_part *is = i == 0 ? &l1->chain.org_ops->part : &l1->chain.ops[i - 1]->part;
    if (is->verify == NULL || (bad = is->verify(p)) == NULL) continue;
    weir_chain_fault(&l1->chain, is->name, bad);
    bad = l1->chain.fault;
  }
  return bad;
}

static const char *fault(const struct weir_l1 *l1) {
  return l1->chain.fault[0] != '\0' ? l1->chain.fault : NULL;
}

static enum weir_status fault_code(const struct weir_l1 *l1) {
  return l1->chain.fault_code;
}

/* Nothing moves any more: a fault, if a policy holds it up. */
static void blame(struct weir_l1 *l1) {
  weir_chain_blame_refusal(&l1->chain);
}

static void describe(const struct weir_l1 *l1, char *text, size_t len) {
  text[0] = '\0';
  for (uint32_t i = 0; l1->mshr.n > 0 && i < l1->mshr.n_entries; i++) {
    const struct weir_mshr *h = &l1->mshr.v[i];
    if (weir_mshr_find(&l1->mshr, h->addr) != i) continue;
    snprintf(text, len,
             "%u MSHRs; that of line 0x%" PRIx64
             " waits for sectors 0x%x with %u loads; miss queue "
             "%u of %u, bypass queue %u of %u",
             l1->mshr.n, h->addr, h->issued, h->n, l1->miss.n, l1->miss.cap, l1->bypass.n,
             l1->bypass.cap);
    return;
  }
  if (l1->miss.n + l1->bypass.n > 0)
    snprintf(text, len, "miss queue %u of %u, bypass queue %u of %u", l1->miss.n, l1->miss.cap,
             l1->bypass.n, l1->bypass.cap);
}

const struct weir_l1_ops weir_l1_pipeline = {.name = "l1",
                                             .create = create,
                                             .destroy = destroy,
                                             .kernel_begin = kernel_begin,
                                             .kernel_end = kernel_end,
                                             .bypass_return = bypass_return,
                                             .heard = heard,
                                             .cta_begin = cta_begin,
                                             .fill = fill,
                                             .drain = drain,
                                             .has_drain = has_drain,
                                             .next_tick = next_tick,
                                             .tick = tick,
                                             .present = present,
                                             .order_room = order_room,
                                             .order_n = order_n,
                                             .order_push = order_push,
                                             .order_head = order_head,
                                             .order_pop = order_pop,
                                             .peek = peek,
                                             .pop = pop,
                                             .has_gate = has_gate,
                                             .gate = gate,
                                             .hears_warps = hears_warps,
                                             .warp = warp,
                                             .cta_end = cta_end,
                                             .max_ctas = max_ctas,
                                             .port_free = port_free,
                                             .stats = get_stats,
                                             .pc_stats = pc_stats,
                                             .part = part,
                                             .part_stats = part_stats,
                                             .bytes = bytes,
                                             .storage_bits = storage_bits,
                                             .is_idle = is_idle,
                                             .verify = verify,
                                             .fault = fault,
                                             .fault_code = fault_code,
                                             .blame = blame,
                                             .describe = describe};
