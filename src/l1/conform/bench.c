#include "l1/conform/bench.h"

#include <string.h>

static uint64_t mix(uint64_t x) {
  x = (x ^ (x >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
  x = (x ^ (x >> 27)) * UINT64_C(0x94d049bb133111eb);
  return x ^ (x >> 31);
}

/* A choice of the stimulus: the same whatever the L1 does. */
static uint32_t choose(const struct weir_bench *b, uint32_t sm, uint64_t what, uint32_t n) {
  return (uint32_t)(mix(b->seed * 1000003 + what * 31 + sm) % n);
}

static void note(struct weir_bench *b, uint64_t what) {
  b->log = mix(b->log * 31 + what);
}

/* ---- rows that somebody else prepared ---- */

enum weir_status weir_bench_rows(struct weir_rows *rows, struct weir_err *err) {
  enum { ROWS = 64 };
  static const uint64_t values[] = {0, 1, 3, 100, UINT32_MAX, UINT64_MAX};
  const struct weir_bench dice = {.seed = 5};
  enum weir_status st = WEIR_OK;
  *rows = (struct weir_rows){0};
  for (uint32_t i = 0; st == WEIR_OK && i < ROWS; i++) {
    struct weir_row r = {.kernel = choose(&dice, i, 0, BENCH_KERNELS + 2)}; /* any, or unknown */
    r.key = choose(&dice, i, 1, 3) > 0 ? UINT64_C(8) * choose(&dice, i, 2, BENCH_INSNS)
                                       : UINT64_C(128) * choose(&dice, i, 2, BENCH_LINES);
    for (uint32_t k = 0; k < sizeof r.v / sizeof *r.v; k++)
      r.v[k] = values[choose(&dice, i, 3 + k, sizeof values / sizeof *values)];
    st = weir_rows_add(rows, &r, err);
  }
  weir_rows_settle(rows);
  return st;
}

/* ---- what the L1 asks of its SM ---- */

static void view(void *self, struct weir_sm_view *v) {
  struct weir_bench_sm *s = self;
  const struct weir_l1_stats *st = weir_l1_get_stats(s->l1, s->b->now);
  *v = (struct weir_sm_view){.warps_resident = 8 * s->ctas,
                             .warps_active = 6 * s->ctas,
                             .ctas_resident = s->ctas,
                             .ctas_max = 4,
                             .l1_hits = st->hits,
                             .l1_loads = st->loads,
                             .insns_issued = s->b->now,
                             .issue_slots = 2 * s->b->now,
                             .idle_slots = s->b->now / 4,
                             .memory_slots = s->b->now / 2};
}

static void broadcast(void *self, uint32_t part, const uint64_t v[4]) {
  struct weir_bench_sm *s = self;
  struct weir_bench *b = s->b;
  if (b->n_casts == 64) {
    b->bad = "more broadcasts than a policy should need";
    return;
  }
  struct weir_bench_cast c = {.at = b->now + 20, .from = s->id, .part = part};
  memcpy(c.v, v, sizeof c.v);
  b->cast[b->n_casts++] = c;
}

static struct weir_l1_host host_of(struct weir_bench *b, uint32_t i) {
  return (struct weir_l1_host){.sm = &b->sm[i], .id = i, .view = view, .broadcast = broadcast};
}

/* ---- set-up ---- */

bool weir_bench_init(struct weir_bench *b, const struct weir_machine *m,
                     const struct weir_design *d, uint64_t seed, struct weir_err *err) {
  *b = (struct weir_bench){.m = m, .seed = seed};
  for (uint32_t i = 0; i < BENCH_SMS; i++) {
    struct weir_l1_host host = host_of(b, i);
    b->sm[i] = (struct weir_bench_sm){.b = b, .id = i, .req.a.op = WEIR_N_OPS};
    b->sm[i].l1 = weir_l1_create(m, d, &host, err);
    if (b->sm[i].l1 == NULL || !weir_order_init(&b->sm[i].order, b->sm[i].l1)) {
      weir_bench_free(b);
      return false;
    }
  }
  return true;
}

void weir_bench_free(struct weir_bench *b) {
  for (uint32_t i = 0; i < BENCH_SMS; i++) {
    if (b->sm[i].l1 != NULL) weir_l1_destroy(b->sm[i].l1);
    weir_order_free(&b->sm[i].order);
    b->sm[i].l1 = NULL;
    b->sm[i].order = (struct weir_order_queues){0};
  }
}

bool weir_bench_clone(struct weir_bench *to, const struct weir_bench *from) {
  *to = *from;
  bool ok = true;
  for (uint32_t i = 0; i < BENCH_SMS; i++) {
    struct weir_l1_host host = host_of(to, i);
    to->sm[i].b = to;
    to->sm[i].l1 = weir_l1_clone(from->sm[i].l1, &host);
    ok &= to->sm[i].l1 != NULL && weir_order_clone(&to->sm[i].order, &from->sm[i].order);
  }
  return ok;
}

static struct weir_kernel kernel_of(const struct weir_bench *b) {
  return (struct weir_kernel){.name = "bench",
                              .id = 1 + b->uid % BENCH_KERNELS,
                              .uid = b->uid,
                              .n_insns = BENCH_INSNS,
                              .n_ctas = 1000,
                              .warps_per_cta = 8,
                              .ctas_per_sm = 4};
}

static void cta(struct weir_bench_sm *s, uint32_t slot, bool ends) {
  const struct weir_cta c = {
      .slot = slot, .uid = s->b->uid * 100 + slot, .warps = UINT64_C(0xff) << 8 * slot};
  for (uint32_t w = 8 * slot; !ends && w < 8 * slot + 8; w++)
    s->age[w] = s->next_age++;
  (ends ? weir_l1_cta_end : weir_l1_cta_begin)(s->l1, &c, s->b->now);
  s->ctas = ends ? s->ctas - 1 : s->ctas + 1;
}

void weir_bench_kernel(struct weir_bench *b) {
  const struct weir_kernel k = kernel_of(b);
  for (uint32_t i = 0; i < BENCH_SMS; i++) {
    weir_l1_max_ctas(b->sm[i].l1, &k); /* asked as in a run; blocks come whatever it says */
    if (!weir_l1_kernel_begin(b->sm[i].l1, &k, 0, b->now)) b->bad = "out of memory";
    for (uint32_t c = 0; c < 4; c++)
      cta(&b->sm[i], c, false);
  }
}

/* ---- requests ---- */

/* The line that request n is for: two streams of small sets of lines, and one that never returns.
 */
static uint64_t line_of(const struct weir_bench *b, uint32_t sm, uint64_t n) {
  switch (choose(b, sm, 7 * n, 4)) {
  case 0:
    return choose(b, sm, 7 * n + 1, 8);
  case 1:
  case 2:
    return 8 + choose(b, sm, 7 * n + 1, 40);
  default:
    return 48 + n % (BENCH_LINES - 48);
  }
}

static void next_request(struct weir_bench_sm *s) {
  struct weir_bench *b = s->b;
  uint32_t id = 0;
  while (id < BENCH_LOADS && s->used[id])
    id++;
  if (id == BENCH_LOADS) return;
  uint64_t n = s->n_presented++;
  uint32_t kind = choose(b, s->id, 7 * n + 2, 20), insn = choose(b, s->id, 7 * n + 3, BENCH_INSNS);
  uint32_t all = (1u << b->m->l1.line / 32) - 1, mask = choose(b, s->id, 7 * n + 4, all) + 1;
  uint32_t warp = choose(b, s->id, 7 * n + 5, 32);
  s->req = (struct weir_l1_req){.a = {.addr = line_of(b, s->id, n) * (uint64_t)b->m->l1.line,
                                      .pc = 8 * insn,
                                      .insn = insn,
                                      .warp = warp,
                                      .warp_uid = b->uid * 32 + warp,
                                      .cta = warp / 8,
                                      .cta_uid = b->uid * 100 + warp / 8,
                                      .sectors = (uint16_t)mask,
                                      .full = (uint16_t)(kind < 2 ? mask : 0),
                                      .tag = (uint8_t)(insn % 4),
                                      .hint = insn == 7 ? WEIR_CO_CG : WEIR_CO_NONE,
                                      .evict_hint = insn == 6   ? WEIR_EV_FIRST
                                                    : insn == 5 ? WEIR_EV_LAST
                                                                : WEIR_EV_NONE,
                                      .is_local = choose(b, s->id, 7 * n + 6, 8) == 0,
                                      .op = kind < 3    ? WEIR_STORE
                                            : kind == 3 ? WEIR_ATOMIC
                                                        : WEIR_LOAD},
                                .id = id};
}

/* True: the L1 has taken it. */
static bool present_one(struct weir_bench_sm *s, struct weir_l1_req *q) {
  struct weir_bench *b = s->b;
  uint64_t before = weir_l1_parts_hash(s->l1);
  struct weir_l1_result r = weir_l1_present(s->l1, q, s->inflight, b->now);
  note(b, (uint64_t)r.answer * 16 + r.why);
  if (r.answer == WEIR_L1_FAILED || r.answer == WEIR_L1_LATER) {
    if (weir_l1_parts_hash(s->l1) != before) b->bad = "a refused request left a trace";
    return false;
  }
  bool is_store = q->a.op == WEIR_STORE;
  s->loads += !is_store;
  s->stores += is_store;
  s->used[q->id] = r.answer != WEIR_L1_HIT;
  if (r.answer == WEIR_L1_HIT) {
    s->answered += !is_store;
    s->acked += is_store;
  } else {
    s->load[q->id] = q->a;
    if (r.answer == WEIR_L1_WAIT) s->inflight++;
  }
  return true;
}

static void present(struct weir_bench_sm *s) {
  struct weir_bench *b = s->b;
  if (s->req.a.op == WEIR_N_OPS) next_request(s);
  if (s->req.a.op == WEIR_N_OPS) return;
  if (weir_l1_has_gate(s->l1) && !weir_l1_gate(s->l1, s->req.a.warp, (enum weir_op)s->req.a.op)) {
    s->gated++;
    note(b, 99);
    return;
  }
  if (weir_order_room(&s->order) == 0) {
    if (present_one(s, &s->req)) s->req.a.op = WEIR_N_OPS;
    return;
  }
  uint64_t before = weir_l1_parts_hash(s->l1);
  if (weir_order_push(&s->order, s->l1, &s->req, b->now)) {
    s->used[s->req.id] = true;
    s->req.a.op = WEIR_N_OPS;
  } else if (weir_l1_parts_hash(s->l1) != before)
    b->bad = "a request that found its queue full left a trace";
}

/* Where a policy orders requests: the one that it chooses. */
static void present_chosen(struct weir_bench_sm *s) {
  if (s->order.total == 0) return;
  struct weir_l1_req *q = weir_order_head(&s->order, s->l1);
  if (present_one(s, q)) weir_order_pop(&s->order, s->l1, s->b->now);
}

/* ---- memory ---- */

/* In every fourth phase the interconnect takes little: queues fill up. */
static bool is_jammed(const struct weir_bench *b) {
  return b->now / 64 % 4 == 1 && b->now % 16 != 0;
}

static void inject(struct weir_bench_sm *s) {
  struct weir_bench *b = s->b;
  const struct weir_msg *p = weir_l1_peek(s->l1);
  if (p == NULL || p->at > b->now || b->n_msgs == BENCH_MSGS || is_jammed(b)) return;
  struct weir_msg m = *p;
  uint64_t line = m.addr / (uint64_t)b->m->l1.line % BENCH_LINES;
  m.src = (uint16_t)s->id;
  m.at = b->now + 20 + choose(b, s->id, b->now, 40);
  m.flags &= (uint8_t)~WEIR_REP_MARKED;
  if (m.kind == WEIR_MSG_READ) {
    if (b->known[line] && b->marked[line]) m.flags |= WEIR_REP_MARKED;
    b->known[line] = 1;
    b->marked[line] = (m.flags & WEIR_REQ_MARK) != 0;
  }
  b->msg[b->n_msgs++] = m;
  weir_l1_pop(s->l1);
}

static void answer(struct weir_bench_sm *s, uint32_t id) {
  if (id >= BENCH_LOADS || !s->used[id]) {
    s->b->bad = "a request was answered twice";
    return;
  }
  s->used[id] = false;
}

/* True: it was taken. */
static bool arrive(struct weir_bench_sm *s, const struct weir_msg *m, bool *filled) {
  struct weir_bench *b = s->b;
  if (m->kind == WEIR_MSG_WRITE) {
    if (m->id != UINT32_MAX) {
      answer(s, m->id);
      s->acked++;
    }
  } else if (m->flags & WEIR_REQ_BYPASS) {
    weir_l1_bypass_return(s->l1, &s->load[m->id], m, b->now);
    answer(s, m->id);
    s->inflight--;
    s->answered++;
  } else {
    if (*filled || !weir_l1_fill(s->l1, m, b->now)) return false;
    *filled = true;
  }
  return true;
}

/* ---- warps ---- */

/* Now and then a warp waits for a few cycles. */
static void barrier(struct weir_bench_sm *s) {
  struct weir_bench *b = s->b;
  uint64_t phase = b->now % 31;
  if (phase != 0 && phase != 9) return;
  uint32_t warp = choose(b, s->id, b->now - phase, 32);
  s->at_barrier = phase == 0 ? UINT64_C(1) << warp : 0;
  if (weir_l1_hears_warps(s->l1))
    weir_l1_warp(s->l1, warp, phase == 0 ? WEIR_WARP_WAITS : WEIR_WARP_RUNS, b->now);
}

/* Some of the slots, the same for a while. */
static uint64_t some(const struct weir_bench_sm *s, uint64_t what, uint32_t cycles) {
  return mix(mix(s->b->seed * 1000003 + s->b->now / cycles) + what * 31 + s->id);
}

static bool is_held(const struct weir_bench_sm *s, const struct weir_sched_view *v, uint32_t warp) {
  return weir_l1_has_gate(s->l1) &&
         !weir_l1_gate(s->l1, warp, v->uses_memory >> warp & 1 ? WEIR_LOAD : WEIR_OTHER);
}

/* To be told the same again changes nothing; looked at in some cycles, for it takes time. */
static void tell_view(struct weir_bench_sm *s, struct weir_sched_view v, uint64_t ready) {
  struct weir_bench *b = s->b;
  for (uint64_t left = ready; left != 0; left &= left - 1)
    if (is_held(s, &v, (uint32_t)__builtin_ctzll(left))) v.held |= left & -left;
  weir_l1_sched_update(s->l1, &v, b->now);
  if (b->now % 8 != s->id) return;
  uint64_t before = weir_l1_parts_hash(s->l1);
  uint32_t casts = b->n_casts;
  weir_l1_sched_update(s->l1, &v, b->now);
  if (weir_l1_parts_hash(s->l1) != before || b->n_casts != casts)
    b->bad = "'sched_update' changed something when it was told the same again";
}

static void pick(struct weir_bench_sm *s, const struct weir_sched_view *v, uint64_t ready) {
  struct weir_bench *b = s->b;
  s->offered += ready != 0;
  while (ready != 0) {
    int w = weir_l1_pick_warp(s->l1, v, ready);
    note(b, (uint64_t)w + 100);
    if (w < 0) return;
    ready &= ~(UINT64_C(1) << w);
    s->picked++;
    if (is_held(s, v, (uint32_t)w)) continue;
    s->last[v->scheduler] = (uint32_t)w;
    weir_l1_issued(s->l1, v->scheduler, (uint32_t)w, b->now);
    return;
  }
}

static void schedule(struct weir_bench_sm *s) {
  uint32_t n = (uint32_t)s->b->m->sm.schedulers;
  for (uint32_t k = 0; k < n; k++) {
    struct weir_sched_view v = {.scheduler = k, .last = s->last[k], .age = s->age};
    for (uint32_t w = k; w < 32; w += n)
      v.warps |= UINT64_C(1) << w;
    v.warps &= ~s->at_barrier;
    v.waits_memory = v.warps & some(s, 1, 8) & some(s, 2, 32);
    v.uses_memory = v.warps & some(s, 3, 4);
    uint64_t ready = v.warps & ~v.waits_memory & some(s, 4, 2);
    if (weir_l1_hears_views(s->l1)) tell_view(s, v, ready);
    pick(s, &v, ready);
  }
}

static void step_sm(struct weir_bench_sm *s, bool presents) {
  struct weir_bench *b = s->b;
  bool filled = false;
  uint32_t kept = 0;
  for (uint32_t i = 0; i < b->n_msgs; i++)
    if (b->msg[i].src != s->id || b->msg[i].at > b->now || !arrive(s, &b->msg[i], &filled))
      b->msg[kept++] = b->msg[i];
  b->n_msgs = kept;
  for (uint32_t i = 0; i < b->n_casts; i++)
    if (b->cast[i].at == b->now && b->cast[i].from != s->id)
      weir_l1_broadcast_received(s->l1, b->cast[i].from, b->cast[i].part, b->cast[i].v, b->now);
  uint32_t id = weir_l1_drain(s->l1, b->now);
  if (id != UINT32_MAX) {
    answer(s, id);
    s->inflight--;
    s->answered++;
    note(b, id);
  }
  if (weir_l1_next_tick(s->l1) <= b->now) weir_l1_tick(s->l1, b->now);
  present_chosen(s);
  if (presents) barrier(s);
  if (presents) schedule(s);
  if (presents) present(s);
  inject(s);
  if (presents && b->now % 97 == 96) {
    uint32_t slot = (uint32_t)(b->now / 97 % 4);
    cta(s, slot, true);
    cta(s, slot, false);
  }
  if (weir_l1_fault(s->l1) != NULL) b->bad = weir_l1_fault(s->l1);
}

static void step(struct weir_bench *b, bool presents) {
  for (uint32_t i = 0; i < BENCH_SMS; i++)
    step_sm(&b->sm[i], presents);
  uint32_t kept = 0;
  for (uint32_t i = 0; i < b->n_casts; i++)
    if (b->cast[i].at > b->now) b->cast[kept++] = b->cast[i];
  b->n_casts = kept;
  b->now++;
}

void weir_bench_step(struct weir_bench *b) {
  step(b, true);
}

/* What the policy has prepared in this kernel, and what it makes of that. */
static void collect_rows(struct weir_bench *b, uint32_t part) {
  struct weir_rows rows = {0};
  struct weir_row row;
  bool ok = true;
  for (uint32_t s = 0; s < BENCH_SMS; s++)
    for (uint32_t i = 0; ok && weir_l1_row(b->sm[s].l1, part, i, &row); i++)
      ok = weir_rows_add(&rows, &row, NULL) == WEIR_OK;
  for (uint32_t s = 0; ok && s < BENCH_SMS; s++)
    ok = weir_l1_take_notes(b->sm[s].l1, part, &rows, NULL) == WEIR_OK;
  weir_rows_settle(&rows);
  if (rows.n > 0) rows.n = weir_l1_digest(b->sm[0].l1, part, rows.v, rows.n);
  for (size_t i = 0; i < rows.n; i++) {
    note(b, rows.v[i].kernel * 31 + rows.v[i].key);
    for (unsigned k = 0; k < sizeof row.v / sizeof *row.v; k++)
      note(b, rows.v[i].v[k]);
  }
  weir_rows_free(&rows);
  for (uint32_t s = 0; b->bad == NULL && s < BENCH_SMS; s++)
    b->bad = weir_l1_fault(b->sm[s].l1);
  if (!ok) b->bad = "out of memory";
}

void weir_bench_drain(struct weir_bench *b) {
  bool busy = true;
  for (uint32_t n = 0; busy && n < 100000; n++) {
    step(b, false);
    busy = b->n_msgs > 0;
    for (uint32_t i = 0; i < BENCH_SMS; i++)
      busy |= !weir_l1_is_idle(b->sm[i].l1) || b->sm[i].order.total > 0 || b->sm[i].inflight > 0;
  }
  for (uint32_t i = 0; i < BENCH_SMS; i++) {
    struct weir_bench_sm *s = &b->sm[i];
    if (busy || s->loads != s->answered || s->stores != s->acked)
      b->bad = "not every request was answered";
    if (s->offered > 0 && s->picked == 0) b->bad = "no warp is ever picked";
    for (uint32_t c = 0; c < 4; c++)
      cta(s, c, true);
    weir_l1_kernel_end(s->l1, b->now);
    if (b->bad == NULL) b->bad = weir_l1_verify(s->l1);
  }
  for (uint32_t i = 1; weir_l1_part(b->sm[0].l1, i) != NULL; i++)
    collect_rows(b, i);
  b->uid++;
}

uint64_t weir_bench_hash(const struct weir_bench *b) {
  uint64_t h = b->log;
  for (uint32_t i = 0; i < BENCH_SMS; i++) {
    h = mix(h * 31 + weir_l1_parts_hash(b->sm[i].l1));
    h = mix(h * 31 + b->sm[i].loads * 7 + b->sm[i].answered);
  }
  return h;
}
