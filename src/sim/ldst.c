#include "sim/ldst.h"

#include "base/ring.h"
#include "sim/constants.h"
#include "sim/sm_core.h"
#include "sim/texture.h"

void weir_ldst_settle(struct weir_sm *sm, uint64_t now) {
  if (sm->ldst.failed < WEIR_N_SHORTAGES) {
    sm->stats.stall[sm->ldst.failed] += now - sm->ldst.since;
    if (sm->ldst.is_probed) sm->stats.stall_probed += now - sm->ldst.since;
  }
  sm->ldst.since = now;
}

/* ---- set-up ---- */

enum weir_status weir_ldst_init(struct weir_ldst *u, const struct weir_machine *m,
                                const struct weir_l1 *l1, struct weir_err *err) {
  u->failed = WEIR_N_SHORTAGES;
  bool ok = WEIR_RING_INIT(u->queue, m->sm.ldst_queue) && weir_order_init(&u->order, l1);
  u->n_loads = (uint32_t)(m->sm.inflight + m->sm.ldst_queue + m->sm.warps);
  u->n_loads += weir_order_room(&u->order) + weir_l1_pipe_room(m);
  u->loads = weir_calloc(u->n_loads, sizeof *u->loads);
  if (m->sm.texture_bytes > 0) ok &= (u->texture = weir_texture_new(m)) != NULL;
  if (m->sm.const_bytes > 0) ok &= (u->constants = weir_constants_new(&m->sm)) != NULL;
  if (!ok || u->loads == NULL)
    return weir_fail(err, WEIR_ENOMEM, "out of memory for machine %s", m->name);
  for (uint32_t i = 0; i < u->n_loads; i++)
    u->loads[i].next_free = i + 1 < u->n_loads ? i + 1 : UINT32_MAX;
  return WEIR_OK;
}

void weir_ldst_free(struct weir_ldst *u) {
  weir_order_free(&u->order);
  weir_texture_free(u->texture);
  weir_constants_free(u->constants);
  free(u->queue.v);
  free(u->loads);
}

/* ---- loads ---- */

uint32_t weir_ldst_copies(const struct weir_sm_warp *w, uint32_t keep, uint64_t *ready) {
  uint32_t left = 0;
  for (uint32_t back = keep + 1; back < WEIR_COPY_GROUPS; back++) {
    const struct weir_copies *c = &w->copies[(w->group - back) % WEIR_COPY_GROUPS];
    left += c->left;
    *ready = weir_max64(*ready, c->ready);
  }
  return left;
}

static void copy_done(struct weir_sm *sm, const struct weir_load *l, uint64_t ready) {
  struct weir_sm_warp *w = &sm->warps[l->a.warp];
  struct weir_copies *c = &w->copies[l->group % WEIR_COPY_GROUPS];
  uint64_t at = 0;
  c->left--;
  c->ready = weir_max64(c->ready, ready);
  if (w->state != WEIR_W_COPY || weir_ldst_copies(w, w->keeps, &at) > 0) return;
  w->state = WEIR_W_RUN;
  weir_sm_find_ready(sm, l->a.warp, at);
}

/* A texture read that is timed as tex1Dfetch, which has its own lanes. */
static bool is_fetch(const struct weir_sm *sm, const struct weir_static *s) {
  return s->is_fetch && sm->m->sm.fetch_lanes > 0;
}

void weir_ldst_answer(struct weir_sm *sm, uint32_t id, uint64_t at) {
  struct weir_load *l = &sm->ldst.loads[id];
  l->ready_at = weir_max64(l->ready_at, at);
  if (--l->n_left > 0) return;
  struct weir_sm_warp *w = &sm->warps[l->a.warp];
  const struct weir_static *s = &sm->kernel->insns[l->insn];
  uint64_t ready = l->ready_at + (uint64_t)sm->m->sm.load_extra + l->back_cyc;
  if (s->cls == WEIR_C_TEX)
    ready += (uint64_t)(is_fetch(sm, s) ? sm->m->sm.fetch_extra : sm->m->sm.texture_extra);
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
  if (s->cls == WEIR_C_ATOM) w->atoms--;
  if (l->is_copy) copy_done(sm, l, ready);
  if (w->state == WEIR_W_ATOM && w->atoms == 0) {
    w->state = WEIR_W_RUN;
    weir_sm_find_ready(sm, l->a.warp, ready);
  } else if (w->state == WEIR_W_RUN && sm->ready_at[l->a.warp] == WEIR_NEVER)
    weir_sm_find_ready(sm, l->a.warp, 0);
  if (sm->ldst.free_load == UINT32_MAX) sm->is_dirty = true;
  l->next_free = sm->ldst.free_load;
  sm->ldst.free_load = id;
}

/* sm.store_end_cyc: blocks end without the acknowledgements of their stores, which may come to a
 * warp slot that others have by then. */
static bool ends_early(const struct weir_sm *sm) {
  return sm->m->sm.store_end_cyc > 0;
}

void weir_ldst_acknowledge(struct weir_sm *sm, uint32_t slot) {
  struct weir_sm_warp *w = &sm->warps[slot];
  w->stores--;
  sm->ldst.stores--;
  if (!ends_early(sm)) sm->blocks[w->block].pending--;
  if (w->state == WEIR_W_FENCE && w->stores == 0) {
    w->state = WEIR_W_RUN;
    weir_sm_find_ready(sm, slot, 0);
  }
}

/* ---- LD/ST head ---- */

static void note_failure(struct weir_sm *sm, struct weir_l1_req *q, enum weir_shortage why,
                         bool is_probed) {
  sm->ldst.failed = (uint8_t)why;
  sm->ldst.is_probed = is_probed;
  if (q->kinds >> why & 1) return;
  sm->stats.resv_fail[why]++;
  q->kinds |= 1u << why;
}

/* A store is counted as one when it begins; each of its packets is acknowledged. */
static void expect_more(struct weir_sm *sm, uint32_t slot, uint32_t n) {
  struct weir_sm_warp *w = &sm->warps[slot];
  w->stores += n;
  sm->ldst.stores += n;
  if (!ends_early(sm)) sm->blocks[w->block].pending += n;
}

/* The L1 has taken it. */
static void accept(struct weir_sm *sm, const struct weir_l1_req *q,
                   const struct weir_l1_result *r) {
  if (r->is_missing) sm->ldst.loads[q->id].is_missing = true;
  const bool has_left = r->answer == WEIR_L1_HIT || r->answer == WEIR_L1_SENT;
  if (q->a.op == WEIR_STORE && has_left && ends_early(sm))
    sm->blocks[sm->warps[q->id].block].pending--;
  if (r->answer == WEIR_L1_HIT && q->a.op == WEIR_STORE)
    weir_ldst_acknowledge(sm, q->id);
  else if (r->answer == WEIR_L1_HIT)
    weir_ldst_answer(sm, q->id, r->ready_at);
  else if (r->answer == WEIR_L1_WAIT)
    sm->ldst.inflight++;
  else if (r->packets > 1)
    expect_more(sm, q->id, r->packets - 1);
}

/* What became of the head of a queue: true if the L1 has taken it. A cycle belongs to one shortage,
 * the first; and to none in which the queue has `moved`. */
static bool take(struct weir_sm *sm, struct weir_l1_req *q, const struct weir_l1_result *r,
                 bool moved, uint64_t now) {
  if (r->answer == WEIR_L1_LATER) return false;
  if (r->answer != WEIR_L1_FAILED) {
    accept(sm, q, r);
    return true;
  }
  if (sm->ldst.failed < WEIR_N_SHORTAGES) return false;
  note_failure(sm, q, r->why, r->is_probed);
  if (moved) sm->ldst.since = now + 1;
  return false;
}

/* What has come through the pipeline in front of the tags. */
static bool look_up(struct weir_sm *sm, uint64_t now) {
  bool moved = false;
  for (int64_t k = 0; k < sm->m->l1.probes_per_cycle && weir_l1_next_look_up(sm->l1) <= now; k++) {
    struct weir_l1_result r = weir_l1_look_up(sm->l1, sm->ldst.inflight, now);
    if (!take(sm, weir_l1_at_tags(sm->l1), &r, moved, now)) break;
    weir_l1_pop_look_up(sm->l1);
    moved = true;
  }
  return moved;
}

void weir_ldst_texels(struct weir_sm *sm, uint32_t load, uint64_t addr, uint64_t now) {
  struct weir_texture *t = sm->ldst.texture;
  if (t == NULL || !sm->ldst.loads[load].has_texels) return;
  for (uint32_t id; (id = weir_texture_came(t, addr)) != UINT32_MAX;) {
    sm->ldst.inflight--;
    weir_ldst_answer(sm, id, now);
  }
}

/* A texture read where there is a cache for them: the L1 sees it only if that lacks its line. */
static struct weir_l1_result present_texels(struct weir_sm *sm, struct weir_l1_req *q,
                                            uint64_t now) {
  struct weir_texture *t = sm->ldst.texture;
  struct weir_l1_result r = {.answer = WEIR_L1_HIT,
                             .ready_at = now + (uint64_t)sm->m->l1.hit_latency};
  switch (weir_texture_find(t, q->a.addr)) {
  case WEIR_TEXEL_HERE:
    weir_texture_hit(t, q->a.addr);
    sm->stats.texture_hits++;
    break;
  case WEIR_TEXEL_PENDING:
    if (sm->ldst.inflight >= (uint32_t)sm->m->sm.inflight)
      return (struct weir_l1_result){.answer = WEIR_L1_FAILED, .why = WEIR_NO_INFLIGHT};
    weir_texture_wait(t, q->a.addr, q->id);
    sm->stats.texture_joins++;
    r = (struct weir_l1_result){.answer = WEIR_L1_WAIT};
    break;
  case WEIR_TEXEL_AWAY:
    r = weir_l1_present(sm->l1, q, sm->ldst.inflight, now);
    if (r.answer == WEIR_L1_FAILED || r.answer == WEIR_L1_LATER) return r;
    weir_texture_sent(t, q->a.addr);
  }
  sm->stats.texture_requests++;
  return r;
}

static struct weir_l1_result present(struct weir_sm *sm, struct weir_l1_req *q, uint64_t now) {
  if (sm->ldst.texture != NULL && q->is_texture && q->a.op == WEIR_LOAD)
    return present_texels(sm, q, now);
  return weir_l1_present(sm->l1, q, sm->ldst.inflight, now);
}

static bool present_head(struct weir_sm *sm, uint64_t now) {
  bool moved = false;
  for (int64_t k = 0; k < sm->m->l1.probes_per_cycle && sm->ldst.queue.n > 0; k++) {
    struct weir_l1_req *q = &WEIR_RING_HEAD(sm->ldst.queue);
    struct weir_l1_result r = present(sm, q, now);
    if (!take(sm, q, &r, moved, now)) break;
    WEIR_RING_POP(sm->ldst.queue);
    moved = true;
  }
  return moved;
}

/* ---- order: queues between the LD/ST queue and the L1 ---- */

/* The L1 sees the request that a policy chooses; the next is chosen when it was taken. */
static bool present_chosen(struct weir_sm *sm, uint64_t now) {
  bool moved = false;
  for (int64_t k = 0; k < sm->m->l1.probes_per_cycle && sm->ldst.order.total > 0; k++) {
    struct weir_l1_req *q = weir_order_head(&sm->ldst.order, sm->l1);
    struct weir_l1_result r = present(sm, q, now);
    if (!take(sm, q, &r, moved, now)) break;
    weir_order_pop(&sm->ldst.order, sm->l1, now);
    moved = true;
  }
  return moved;
}

/* As many go from the LD/ST queue into theirs; they can be chosen in the next cycle. */
static bool fill_queues(struct weir_sm *sm, uint64_t now) {
  bool moved = false;
  for (int64_t k = 0; k < sm->m->l1.probes_per_cycle && sm->ldst.queue.n > 0; k++) {
    struct weir_l1_req *q = &WEIR_RING_HEAD(sm->ldst.queue);
    if (!weir_order_push(&sm->ldst.order, sm->l1, q, now)) {
      if (sm->ldst.failed < WEIR_N_SHORTAGES) break;
      note_failure(sm, q, WEIR_NO_ORDER, false);
      if (moved) sm->ldst.since = now + 1;
      break;
    }
    WEIR_RING_POP(sm->ldst.queue);
    moved = true;
  }
  return moved;
}

bool weir_ldst_present(struct weir_sm *sm, uint64_t now) {
  if (weir_ldst_waiting(&sm->ldst) == 0 && weir_l1_next_look_up(sm->l1) > now) return false;
  uint8_t failed = sm->ldst.failed;
  weir_ldst_settle(sm, now);
  sm->ldst.failed = WEIR_N_SHORTAGES;
  bool moved = look_up(sm, now);
  if (sm->ldst.order.shape.queues > 0) {
    moved |= present_chosen(sm, now);
    moved |= fill_queues(sm, now);
  } else
    moved |= present_head(sm, now);
  if (sm->ldst.failed != failed) sm->is_dirty = true; /* slots lost to the LD/ST unit name it */
  return moved;
}

/* ---- coalescer ---- */

/* By the bytes that its lanes write: sectors of a line that are written whole, and of each the
 * words, four bits each. */
static void count_written(const struct weir_coalescer *c, const struct weir_l1_cfg *l1,
                          const struct weir_request *r, struct weir_l1_req *q) {
  uint64_t written[256 / 64] = {0};
  const uint64_t line = (uint64_t)l1->line;
  for (uint32_t m = r->lanes; m != 0; m &= m - 1)
    for (uint64_t k = 0, at = c->lane[__builtin_ctz(m)] - r->line_addr; k < c->width; k++)
      if (at + k < line) written[(at + k) / 64] |= UINT64_C(1) << (at + k) % 64;
  q->a.full = 0;
  for (uint32_t left = r->sectors; left != 0; left &= left - 1) {
    const unsigned i = (unsigned)__builtin_ctz(left);
    const uint64_t at = i * (uint64_t)l1->sector, all = UINT64_MAX >> (64 - l1->sector);
    const uint64_t here = written[at / 64] >> at % 64 & all;
    if (here == all) q->a.full |= (uint16_t)(1u << i);
    if (i < 4) q->words |= (uint16_t)((unsigned)__builtin_popcountll(here) / 4 << 4 * i);
  }
  for (uint64_t w = 0; w < 32 && 4 * w < line; w++)
    if ((written[w / 16] >> w % 16 * 4 & 0xf) == 0xf) q->touched |= UINT32_C(1) << w;
}

static uint32_t words_read(const struct weir_coalescer *c, const struct weir_request *r) {
  uint32_t words = 0;
  for (uint32_t m = r->lanes; m != 0; m &= m - 1) {
    const uint64_t at = c->lane[__builtin_ctz(m)] - r->line_addr;
    for (uint64_t w = at / 4; w <= (at + c->width - 1) / 4 && w < 32; w++)
      words |= UINT32_C(1) << w;
  }
  return words;
}

/* The next request, into the queue. */
static void make_request(struct weir_sm *sm) {
  struct weir_coalescer *c = &sm->ldst.coalescer;
  const struct weir_request *r = &c->list[c->next++];
  struct weir_l1_req *q = WEIR_RING_SLOT(sm->ldst.queue);
  *q = (struct weir_l1_req){.a = c->a, .id = c->id, .is_word = (r->lanes & (r->lanes - 1)) == 0};
  q->a.addr = r->line_addr;
  q->a.sectors = (uint16_t)r->sectors;
  q->a.full = (uint16_t)(c->full & r->sectors);
  q->is_texture = c->is_texture;
  if (c->has_texels) q->a.sectors = (uint16_t)((1u << sm->m->l1.line / sm->m->l1.sector) - 1);
  if (c->is_exact) {
    count_written(c, &sm->m->l1, r, q);
    sm->ldst.has_words |= q->a.full != q->a.sectors;
  } else if (c->a.op == WEIR_LOAD)
    q->touched = c->reads_words ? words_read(c, r) : UINT32_MAX;
  if (!c->merges_writes) q->words = 0;
  q->a.nth = sm->warps[c->a.warp].n_requests++;
}

static void end_access(struct weir_sm *sm) {
  sm->ldst.coalescer.is_busy = false;
  sm->is_dirty = true;
}

/* The requests of one pass. It ends when all of them are in the queue. */
static bool make_pass(struct weir_sm *sm) {
  struct weir_ldst *u = &sm->ldst;
  struct weir_coalescer *c = &u->coalescer;
  const uint32_t before = c->next, due = ((c->pass + 1) * c->n + c->passes - 1) / c->passes;
  for (; c->next < due; make_request(sm))
    if (u->queue.n == u->queue.cap) return c->next > before;
  if (++c->pass == c->passes) end_access(sm);
  return true;
}

bool weir_ldst_coalesce(struct weir_sm *sm) {
  struct weir_ldst *u = &sm->ldst;
  struct weir_coalescer *c = &u->coalescer;
  if (c->passes > 0) return make_pass(sm);
  for (int64_t k = 0; k < sm->m->sm.coalesce_per_cycle && c->is_busy; k++) {
    if (u->queue.n == u->queue.cap) return k > 0;
    make_request(sm);
    if (c->next == c->n) end_access(sm);
  }
  return true;
}

static uint32_t groups_of(uint32_t mask, int64_t lanes) {
  uint32_t n = 0;
  for (; mask != 0; n++)
    mask &= ~(uint32_t)(((UINT64_C(1) << lanes) - 1)
                        << (uint64_t)__builtin_ctz(mask) / (uint64_t)lanes * (uint64_t)lanes);
  return n;
}

/* Cycles of the texture unit, 0 if there is none. */
static uint32_t texture_passes(const struct weir_sm *sm, const struct weir_static *s, uint32_t mask,
                               uint32_t n_requests) {
  if (s->cls != WEIR_C_TEX) return 0;
  if (!is_fetch(sm, s))
    return sm->m->sm.texture_lanes > 0 ? groups_of(mask, sm->m->sm.texture_lanes) : 0;
  const uint32_t groups = groups_of(mask, sm->m->sm.fetch_lanes);
  return groups > n_requests ? groups : n_requests;
}

/* Cycles that the coalescer takes, at least as many as the tags need. 0: as many requests in each
 * cycle as it can. */
static uint32_t passes_of(const struct weir_sm *sm, const struct weir_static *s,
                          const struct weir_addrs *a, uint32_t mask, unsigned words,
                          unsigned width) {
  const uint32_t n = sm->ldst.coalescer.n, each = (uint32_t)sm->m->sm.coalesce_per_cycle;
  uint32_t passes = texture_passes(sm, s, mask, n);
  if (passes == 0 && sm->m->sm.coalesce_by == WEIR_BY_BANKS)
    passes = words * weir_bank_passes_addrs(a, mask, width);
  if (passes == 0) return 0;
  const uint32_t tags = (n + each - 1) / each;
  return passes > tags ? passes : tags;
}

/* Sectors of each line that a store writes whole: exact for one dense access, else none is taken to
 * be whole. */
static uint32_t whole_sectors(const struct weir_addrs *a, uint32_t mask, unsigned width) {
  return mask == UINT32_MAX && a->kind == WEIR_ADDR_STRIDE && a->stride == (int64_t)width &&
                 a->base % 32 == 0
             ? 0xffff
             : 0;
}

/* Word k of a local access lies 128 bytes further on (stream.h); `of_warp` holds word 0. `lane` is
 * the list of `a`, if it is one. */
static void coalesce_words(struct weir_coalescer *c, const struct weir_l1_cfg *l1,
                           struct weir_addrs *a, uint64_t lane[WEIR_LANES], uint32_t mask,
                           unsigned words) {
  unsigned n = 0;
  for (unsigned k = 0; k < words; k++) {
    if (k > 0) {
      a->base += 128;
      for (unsigned i = 0; a->kind == WEIR_ADDR_LIST && i < WEIR_LANES; i++)
        lane[i] += 128;
      weir_coalesce_addrs(a, mask, 4, (unsigned)l1->line, (unsigned)l1->sector, &c->of_warp);
    }
    memcpy(c->words + n, c->of_warp.r, c->of_warp.n * sizeof *c->words);
    n += c->of_warp.n;
  }
  c->list = c->words;
  c->n = n;
}

static void add_request(struct weir_coalescer *c, const struct weir_request *r) {
  for (uint32_t i = 0; i < c->n; i++)
    if (c->words[i].line_addr == r->line_addr) {
      c->words[i].lanes |= r->lanes;
      c->words[i].sectors |= r->sectors;
      return;
    }
  c->words[c->n++] = *r;
}

/* A texture instruction has a record for each further sector of a lane: together they are one
 * access, with one request for each line. The record after them is then the warp's next. */
static void coalesce_texels(struct weir_sm *sm, struct weir_sm_warp *w) {
  struct weir_coalescer *c = &sm->ldst.coalescer;
  enum { ROOM = sizeof c->words / sizeof *c->words };
  const struct weir_dyn first = w->next;
  unsigned width = sm->kernel->insns[first.insn].width;
  memcpy(c->words, c->of_warp.r, c->of_warp.n * sizeof *c->words);
  c->list = c->words;
  while ((sm->is_ahead = weir_next(&w->reader, &w->next)) && w->next.insn == first.insn &&
         w->next.has_addr && (w->next.mask & ~first.mask) == 0 && c->n + 2 * WEIR_LANES <= ROOM) {
    uint64_t lane[WEIR_LANES];
    weir_expand(&w->next, lane);
    weir_coalesce(lane, w->next.mask, width, (unsigned)sm->m->l1.line, (unsigned)sm->m->l1.sector,
                  &c->of_warp);
    for (unsigned i = 0; i < c->of_warp.n; i++)
      add_request(c, &c->of_warp.r[i]);
  }
}

/* A request for each sector of each line; a lane touches five at most (32 bytes in sectors of 8).
 */
static void coalesce_sectors(struct weir_coalescer *c) {
  _Static_assert(5 * WEIR_LANES <= sizeof c->words / sizeof *c->words, "room");
  uint32_t n = 0;
  for (uint32_t i = 0; i < c->of_warp.n; i++)
    for (uint32_t left = c->of_warp.r[i].sectors; left != 0; left &= left - 1) {
      c->words[n] = c->of_warp.r[i];
      c->words[n++].sectors = left & -left;
    }
  c->list = c->words;
  c->n = n;
}

/* Lanes of the mask with addresses that no lane before them has. */
static uint32_t first_of_each(const uint64_t lane[WEIR_LANES], uint32_t mask) {
  uint32_t first = 0;
  for (uint32_t m = mask; m != 0; m &= m - 1) {
    const unsigned k = (unsigned)__builtin_ctz(m);
    uint32_t others = first;
    while (others != 0 && lane[__builtin_ctz(others)] != lane[k])
      others &= others - 1;
    if (others == 0) first |= UINT32_C(1) << k;
  }
  return first;
}

/* Sectors of a line that an access of a lane touches. */
static uint32_t sectors_of(uint64_t line, uint64_t at, unsigned width,
                           const struct weir_l1_cfg *l1) {
  uint32_t sectors = 0;
  for (uint64_t k = at - line, end = k + width; k != end; k++)
    if (k < (uint64_t)l1->line) sectors |= UINT32_C(1) << k / (uint64_t)l1->sector;
  return sectors;
}

/* A request for different words of each line; lanes with the same word follow in further ones. */
static void coalesce_different(struct weir_coalescer *c, const struct weir_l1_cfg *l1,
                               const uint64_t lane[WEIR_LANES], unsigned width) {
  uint32_t n = 0;
  for (uint32_t i = 0; i < c->of_warp.n; i++) {
    const struct weir_request *r = &c->of_warp.r[i];
    for (uint32_t left = r->lanes; left != 0; left &= ~c->words[n++].lanes) {
      struct weir_request *q = &c->words[n];
      *q = (struct weir_request){.line_addr = r->line_addr, .lanes = first_of_each(lane, left)};
      for (uint32_t m = q->lanes; m != 0; m &= m - 1)
        q->sectors |= sectors_of(r->line_addr, lane[__builtin_ctz(m)], width, l1);
    }
  }
  c->list = c->words;
  c->n = n;
}

static void coalesce_atomic(struct weir_coalescer *c, const struct weir_l1_cfg *l1,
                            const struct weir_dyn *d, unsigned width) {
  uint64_t lane[WEIR_LANES];
  if (l1->atomics == WEIR_ATOM_SECTOR) coalesce_sectors(c);
  if (l1->atomics != WEIR_ATOM_WORDS) return;
  weir_expand(d, lane);
  coalesce_different(c, l1, lane, width);
}

/* ---- a warp's access ---- */

static void set_ready(struct weir_sm_warp *w, const struct weir_static *s, uint64_t at) {
  for (unsigned i = 0; i < s->n_dst; i++)
    if (s->dst[i] != WEIR_NO_REG) w->reg[s->dst[i]] = at;
}

/* A dependent instruction can issue so many cycles after one that takes `latency`. */
static uint64_t after(const struct weir_machine *m, int64_t latency) {
  return (uint64_t)(latency + m->sm.dependent_extra);
}

/* All that policies are told of it, but for the lines. A generic load has a tag, and may come to
 * local memory. */
static struct weir_access describe_access(const struct weir_sm *sm, uint32_t slot, uint32_t insn,
                                          bool is_local) {
  const struct weir_sm_warp *w = &sm->warps[slot];
  const struct weir_static *s = &sm->kernel->insns[insn];
  const uint32_t origin = sm->reordered != NULL ? sm->reordered->origin[insn] : insn;
  const bool is_own = sm->reordered != NULL && sm->reordered->has_own_pcs;
  return (struct weir_access){.insn = is_own ? insn : origin,
                              .pc = s->pc,
                              .warp = slot,
                              .warp_uid = sm->age[slot],
                              .cta = w->block,
                              .cta_uid = (uint32_t)sm->blocks[w->block].stream->id,
                              .cta_warp = w->in_block,
                              .op = s->cls == WEIR_C_ATOM    ? WEIR_ATOMIC
                                    : s->cls == WEIR_C_STORE ? WEIR_STORE
                                                             : WEIR_LOAD,
                              .is_local = is_local,
                              .tag =
                                  sm->tags != NULL && !is_local ? sm->tags[origin] : WEIR_TAG_NONE,
                              .hint = s->cache_op,
                              .evict_hint = s->evict_hint};
}

/* Passes but the first of the load in the coalescer, which it takes again when its data come. */
static uint32_t back_cycles(const struct weir_sm *sm, const struct weir_static *s) {
  const uint32_t passes = sm->ldst.coalescer.passes;
  return sm->m->sm.passes_back && s->cls == WEIR_C_LOAD && passes > 1 ? passes - 1 : 0;
}

/* The load that the requests in the coalescer belong to. */
static void start_load(struct weir_sm *sm, struct weir_sm_warp *w, const struct weir_static *s) {
  struct weir_ldst *u = &sm->ldst;
  struct weir_load *l = &u->loads[u->free_load];
  u->coalescer.id = u->free_load;
  u->free_load = l->next_free;
  *l = (struct weir_load){.a = u->coalescer.a,
                          .insn = (uint32_t)(s - sm->kernel->insns),
                          .n_left = u->coalescer.n,
                          .back_cyc = back_cycles(sm, s),
                          .has_texels = u->coalescer.has_texels};
  w->loads++;
  w->atoms += s->cls == WEIR_C_ATOM;
  if (s->is_copy) {
    l->is_copy = true;
    l->group = w->group;
    w->copies[w->group % WEIR_COPY_GROUPS].left++;
  }
  sm->blocks[w->block].pending++;
  set_ready(w, s, WEIR_NEVER);
}

/* What the block has accessed makes it end later: the one thing that takes longest. */
static void note_end(struct weir_sm_block *b, int64_t cycles) {
  if ((uint64_t)cycles > b->end_cyc) b->end_cyc = (uint32_t)cycles;
}

void weir_ldst_start(struct weir_sm *sm, uint32_t slot, uint64_t now) {
  struct weir_sm_warp *w = &sm->warps[slot];
  struct weir_coalescer *c = &sm->ldst.coalescer;
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
    sm->ldst.shared_free = now + passes;
    set_ready(w, s, now + after(sm->m, sm->m->sm.shared_latency) + passes - 1);
    return;
  }
  if (a.space == WEIR_SP_CONST || a.space == WEIR_SP_PARAM) {
    uint64_t more = 0;
    if (sm->ldst.constants != NULL && a.space == WEIR_SP_CONST)
      more = weir_constants_read(sm->ldst.constants, &w->next, now);
    set_ready(w, s, now + after(sm->m, sm->m->sm.const_latency) + more);
    return;
  }
  if (a.space == WEIR_SP_LOCAL && width > 4) words = width / 4, width = 4;
  c->full = whole_sectors(&a, w->next.mask, width);
  weir_coalesce_addrs(&a, w->next.mask, width, (unsigned)sm->m->l1.line, (unsigned)sm->m->l1.sector,
                      &c->of_warp);
  c->list = c->of_warp.r;
  c->n = c->of_warp.n;
  const bool keeps_words = weir_keeps_words(sm->m);
  c->is_exact = (sm->m->noc.request_flits == WEIR_FLITS_SECTORS || keeps_words) &&
                s->cls == WEIR_C_STORE && words == 1 && c->full == 0 && a.space != WEIR_SP_TEX;
  c->reads_words = keeps_words && sm->ldst.has_words && s->cls != WEIR_C_STORE &&
                   s->cls != WEIR_C_ATOM && words == 1 && a.space != WEIR_SP_TEX;
  c->is_texture = a.space == WEIR_SP_TEX;
  c->merges_writes = c->is_exact && weir_merges_writes(sm->m);
  c->width = width;
  if (c->is_exact || c->reads_words) weir_expand(&w->next, c->lane);
  if (s->cls == WEIR_C_ATOM) coalesce_atomic(c, &sm->m->l1, &w->next, width);
  if (words > 1) coalesce_words(c, &sm->m->l1, &a, lane, w->next.mask, words);
  if (c->n == 0) return; /* no lane takes part */
  c->a = describe_access(sm, slot, w->next.insn, a.space == WEIR_SP_LOCAL);
  c->has_texels = c->is_texture && sm->ldst.texture != NULL && c->a.op == WEIR_LOAD;
  if (c->has_texels) c->a.hint = WEIR_CO_CG; /* past the L1, if the texture cache lacks it */
  const uint32_t mask = w->next.mask;
  if (a.space == WEIR_SP_TEX) coalesce_texels(sm, w);
  sm->stats.requests += c->n;
  sm->has_accessed = true;
  note_end(&sm->blocks[w->block],
           s->cls == WEIR_C_STORE ? sm->m->sm.store_end_cyc : sm->m->sm.load_end_cyc);
  c->next = c->pass = 0;
  c->passes = passes_of(sm, s, &a, mask, words, width);
  c->is_busy = true;
  if (s->cls == WEIR_C_STORE) {
    c->id = slot;
    w->stores += c->n;
    sm->ldst.stores += c->n;
    sm->blocks[w->block].pending += c->n;
    return;
  }
  w->load_at = now + (uint64_t)sm->m->sm.load_next_cyc;
  start_load(sm, w, s);
}
