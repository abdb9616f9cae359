#include "sim/memory.h"

#include "sim/fifo.h"

#define S(f, u, h) WEIR_STAT(weir_l2_stats, f, u, h)
const struct weir_stat weir_l2_stat_table[] = {
    S(reads, "request", "read requests accepted"),
    S(read_hits, "request", "reads that found all their sectors"),
    S(read_pending, "request", "reads whose missing sectors were all on their way"),
    S(read_misses, "request", "reads whose line was not there"),
    S(read_partial, "request", "reads whose line was there without all sectors"),
    S(read_sectors, "sector", "sectors read"),
    S(read_sectors_missed, "sector", "of these, neither there nor on their way"),
    S(writes, "request", "write requests accepted"),
    S(write_hits, "request", "writes whose line was there"),
    S(write_misses, "request", "writes whose line was not there"),
    S(write_sectors, "sector", "sectors written"),
    S(write_sectors_missed, "sector", "of these, not there before"),
    S(atomics, "request", "atomic requests accepted"),
    S(fills, "sector", "sectors that came from DRAM"),
    S(evictions, "line", "lines replaced"),
    S(writeback_sectors, "sector", "dirty sectors sent to DRAM"),
    S(marks_set, "request", "reads that marked their line"),
    S(marks_returned, "request", "reads that were told of a mark and took it away"),
    S(stall_mshr, "cycle", "the head of the input waited for a free MSHR"),
    S(stall_merge, "cycle", "the head of the input waited because its line had too many waiters"),
    S(stall_line, "cycle", "the head of the input waited because all ways of its set were pending"),
    S(stall_dram, "cycle", "the head of the input waited for the DRAM queue"),
    S(stall_reply, "cycle", "the head of the input waited for the reply queue"),
    WEIR_STAT_END};
const struct weir_stat_group weir_l2_stat_group = {"l2", "What the L2 slices did.",
                                                   weir_l2_stat_table, NULL};

enum { SECTOR = 32, OUT_LIMIT = 64 };

uint32_t weir_slice_of(const struct weir_machine *m, uint64_t addr) {
  uint64_t n = (uint64_t)m->l2.slices, block = addr / (uint64_t)m->l2.interleave, q = block / n;
  if (m->l2.hash[0] == 'l') return (uint32_t)(block % n);
  /* Any function of the quotient keeps the map one-to-one. */
  q = (q ^ q >> 7 ^ q >> 15) * UINT64_C(0x9e3779b97f4a7c15) >> 40;
  return (uint32_t)((block + q) % n);
}

/* Byte of the channel at which a line of one of its slices lies: slices of a channel are
 * interleaved as they are in memory. */
static uint64_t channel_addr(const struct weir_slice *s, uint64_t addr) {
  const struct weir_l2_cfg *l2 = &s->channel->m->l2;
  uint64_t inter = (uint64_t)l2->interleave, block = addr / inter / (uint64_t)l2->slices;
  return (block * s->channel->n_slices + (s->id - s->channel->first_slice)) * inter + addr % inter;
}

bool weir_channel_init(struct weir_channel *c, const struct weir_machine *m, uint32_t index) {
  *c = (struct weir_channel){.m = m, .wake = WEIR_NEVER, .dram_next = WEIR_NEVER};
  c->n_slices = (uint32_t)(m->l2.slices / m->dram.channels);
  c->first_slice = index * c->n_slices;
  c->n_sms = (uint32_t)m->sm.count;
  c->slices = calloc(c->n_slices, sizeof *c->slices);
  if (c->slices == NULL || !weir_dram_init(&c->dram, &m->dram)) return false;
  for (uint32_t i = 0; i < c->n_slices; i++) {
    struct weir_slice *s = &c->slices[i];
    uint32_t n_waiters = (uint32_t)(m->l2.mshr_entries * m->l2.mshr_merge);
    s->channel = c;
    s->id = c->first_slice + i;
    s->lines = calloc((size_t)(m->l2.sets * m->l2.ways), sizeof *s->lines);
    s->mshr = calloc((size_t)m->l2.mshr_entries, sizeof *s->mshr);
    s->waiter = calloc(n_waiters, sizeof *s->waiter);
    s->credit = calloc(c->n_sms, sizeof *s->credit);
    if (!weir_index_init(&s->index, (uint32_t)m->l2.mshr_entries) || s->lines == NULL ||
        s->mshr == NULL || s->waiter == NULL || s->credit == NULL)
      return false;
    for (uint32_t k = 0; k < (uint32_t)m->l2.mshr_entries; k++)
      s->mshr[k].next_free = k + 1;
    s->mshr[m->l2.mshr_entries - 1].next_free = UINT32_MAX;
    for (uint32_t k = 0; k < n_waiters; k++)
      s->waiter[k].next = k + 1 < n_waiters ? k + 1 : UINT32_MAX;
    for (uint32_t k = 0; k < c->n_sms; k++)
      s->credit[k] = (uint32_t)m->noc.reply_buffer;
  }
  return true;
}

void weir_channel_free(struct weir_channel *c) {
  for (uint32_t i = 0; c->slices != NULL && i < c->n_slices; i++) {
    struct weir_slice *s = &c->slices[i];
    free(s->lines);
    free(s->mshr);
    free(s->waiter);
    free(s->credit);
    free(s->in.v);
    free(s->credits.v);
    free(s->out.v);
    weir_index_free(&s->index);
  }
  free(c->slices);
  free(c->outbox.v);
  free(c->done.v);
  free(c->writes.v);
  weir_dram_free(&c->dram);
}

/* ---- clocks: DRAM cycle d begins in core cycle ceil(d * core / dram) ---- */

static uint64_t core_of(const struct weir_channel *c, uint64_t d) {
  uint64_t core = (uint64_t)c->m->core.clock_mhz, dram = (uint64_t)c->m->dram.clock_mhz;
  return d == WEIR_NEVER ? WEIR_NEVER : (d * core + dram - 1) / dram;
}
/* The last DRAM cycle that has begun by core cycle t. */
static uint64_t dram_of(const struct weir_channel *c, uint64_t t) {
  return t * (uint64_t)c->m->dram.clock_mhz / (uint64_t)c->m->core.clock_mhz;
}

/* ---- replies ---- */

static void push_reply(struct weir_slice *s, const struct weir_msg *req, uint8_t flags,
                       uint64_t ready) {
  const struct weir_machine *m = s->channel->m;
  struct weir_msg r = *req;
  r.dst = req->src;
  r.src = s->channel->n_sms + s->id;
  r.kind = req->kind == WEIR_MSG_WRITE ? WEIR_MSG_ACK : WEIR_MSG_DATA;
  r.at = ready;
  r.flags |= flags;
  unsigned n = req->kind == WEIR_MSG_WRITE  ? 0
               : req->kind == WEIR_MSG_ATOM ? 1
                                            : (unsigned)__builtin_popcount(req->sectors);
  r.flits = weir_flits(&m->noc, n * SECTOR);
  if (!WEIR_FIFO_PUSH(s->out, r)) s->channel->outbox.is_failed = true;
}

/* One packet per slice and cycle enters the reply network, if its port is free and the SM has room.
 */
static uint64_t inject_replies(struct weir_slice *s, uint64_t now) {
  struct weir_channel *c = s->channel;
  if (s->out.n == 0) return WEIR_NEVER;
  struct weir_msg *r = &s->out.v[s->out.head];
  uint64_t can = weir_max64(r->at, s->port_free);
  if (can > now) return can;
  if (s->credit[r->dst] < r->flits) return WEIR_NEVER; /* a credit wakes us */
  s->credit[r->dst] -= r->flits;
  s->port_free = now + r->flits;
  r->at = now + r->flits - 1 + (uint64_t)c->m->noc.reply_cyc;
  weir_outbox_put(&c->outbox, r);
  WEIR_FIFO_POP(s->out);
  return s->out.n > 0 ? weir_max64(s->port_free, s->out.v[s->out.head].at) : WEIR_NEVER;
}

/* ---- DRAM side ---- */

static void wake_dram(struct weir_channel *c, uint64_t now) {
  c->dram_next = weir_min64(c->dram_next, dram_of(c, now) + 1);
}

/* Column accesses of a sector: one per atom. Only the last one carries the token. */
static unsigned atoms_of(const struct weir_channel *c) {
  return (unsigned)(SECTOR / c->m->dram.atom_bytes);
}

static void push_sectors(struct weir_slice *s, uint64_t addr, uint8_t sectors, uint32_t where,
                         uint64_t now) {
  struct weir_channel *c = s->channel;
  uint64_t base = channel_addr(s, addr);
  for (uint8_t left = sectors; left != 0; left &= (uint8_t)(left - 1)) {
    unsigned k = (unsigned)__builtin_ctz(left), atoms = atoms_of(c);
    for (unsigned a = 0; a < atoms; a++)
      weir_dram_push(&c->dram, base + k * SECTOR + a * (uint64_t)c->m->dram.atom_bytes, false,
                     a + 1 < atoms ? UINT32_MAX : (s->id - c->first_slice) << 27 | where << 3 | k);
  }
  wake_dram(c, now);
}

/* DRAM cycles that begin in core cycles up to `now`. */
static void run_dram(struct weir_channel *c, uint64_t now) {
  uint64_t limit = dram_of(c, now);
  while (c->dram_next <= limit) {
    uint64_t d = c->dram_next, done_at;
    while (c->writes.n > 0 && weir_dram_has_room(&c->dram, 1)) {
      weir_dram_push(&c->dram, WEIR_FIFO_HEAD(c->writes), true, 0);
      WEIR_FIFO_POP(c->writes);
    }
    uint32_t token;
    if (weir_dram_step(&c->dram, d, &token, &done_at, &c->dram_next) > 0 && token != UINT32_MAX) {
      struct done done = {core_of(c, done_at) + (uint64_t)c->m->dram.extra_latency, token};
      if (!WEIR_FIFO_PUSH(c->done, done)) c->outbox.is_failed = true;
    }
    if (c->writes.n > 0) c->dram_next = weir_min64(c->dram_next, d + 1);
    c->last_event = weir_max64(c->last_event, now);
  }
}

/* ---- L2 ---- */

static uint64_t line_addr(const struct weir_slice *s, const struct weir_l2_line *l) {
  return (l->line - 1) * (uint64_t)s->channel->m->l2.line;
}

static void evict(struct weir_slice *s, struct weir_l2_line *l) {
  s->stats.evictions++;
  uint64_t base = channel_addr(s, line_addr(s, l));
  for (uint8_t left = l->dirty; left != 0; left &= (uint8_t)(left - 1)) {
    s->stats.writeback_sectors++;
    uint64_t at = base + (unsigned)__builtin_ctz(left) * SECTOR;
    for (unsigned a = 0; a < atoms_of(s->channel); a++)
      if (!WEIR_FIFO_PUSH(s->channel->writes, at + a * (uint64_t)s->channel->m->dram.atom_bytes))
        s->channel->outbox.is_failed = true;
  }
}

static uint32_t set_of(const struct weir_slice *s, uint64_t addr) {
  const struct weir_l2_cfg *l2 = &s->channel->m->l2;
  uint64_t local = addr / (uint64_t)l2->interleave / (uint64_t)l2->slices;
  uint64_t per = (uint64_t)(l2->interleave / l2->line),
           n = local * per + addr % (uint64_t)l2->interleave / (uint64_t)l2->line;
  return (uint32_t)((n ^ n / (uint64_t)l2->sets) % (uint64_t)l2->sets);
}

/* The line's way, or NULL. */
static struct weir_l2_line *find_line(struct weir_slice *s, uint64_t addr, uint32_t *set) {
  const struct weir_l2_cfg *l2 = &s->channel->m->l2;
  *set = set_of(s, addr);
  struct weir_l2_line *w = &s->lines[(size_t)*set * (size_t)l2->ways];
  uint64_t key = addr / (uint64_t)l2->line + 1;
  for (int64_t i = 0; i < l2->ways; i++)
    if (w[i].line == key) return &w[i];
  return NULL;
}

/* A way for a new line: an empty one, else the least recently used that waits for nothing; NULL if
 * there is none. */
static struct weir_l2_line *choose_way(struct weir_slice *s, uint32_t set) {
  const struct weir_l2_cfg *l2 = &s->channel->m->l2;
  struct weir_l2_line *w = &s->lines[(size_t)set * (size_t)l2->ways], *best = NULL;
  for (int64_t i = 0; i < l2->ways; i++) {
    if (w[i].line == 0) return &w[i];
    if (w[i].pending == 0 && (best == NULL || w[i].used < best->used)) best = &w[i];
  }
  return best;
}

static void take_way(struct weir_slice *s, struct weir_l2_line *l, uint64_t addr) {
  if (l->line != 0) evict(s, l);
  *l = (struct weir_l2_line){.line = addr / (uint64_t)s->channel->m->l2.line + 1};
}

static bool accept_write(struct weir_slice *s, const struct weir_msg *q, uint64_t now) {
  uint32_t set;
  struct weir_l2_line *l = find_line(s, q->addr, &set);
  bool hit = l != NULL;
  if (!hit) {
    l = choose_way(s, set);
    if (l == NULL) {
      s->head_stall = &s->stats.stall_line;
      return false;
    }
    take_way(s, l, q->addr);
    wake_dram(s->channel, now);
  }
  s->stats.writes++;
  s->stats.write_hits += hit;
  s->stats.write_misses += !hit;
  s->stats.write_sectors += (unsigned)__builtin_popcount(q->sectors);
  s->stats.write_sectors_missed +=
      (unsigned)__builtin_popcount(q->sectors & (uint8_t) ~(l->valid | l->partial));
  /* A sector written in part keeps what it has; if it has nothing, a read will fetch the rest. */
  uint8_t whole = q->full & q->sectors, in_part = (uint8_t)(q->sectors & ~q->full & ~l->valid);
  l->valid |= whole;
  l->partial = (uint8_t)((l->partial | in_part) & ~whole);
  l->dirty |= q->sectors;
  l->used = ++s->stamp;
  push_reply(s, q, 0, now + (uint64_t)s->channel->m->l2.latency);
  return true;
}

/* What an accepted read does to the mark of its line; returns the reply's flag. */
static uint8_t pass_mark(struct weir_slice *s, struct weir_l2_line *l, const struct weir_msg *q,
                         bool is_hit) {
  bool was_marked = is_hit && l->is_marked, sets = (q->flags & WEIR_REQ_MARK) != 0;
  l->is_marked = sets || (l->is_marked && !is_hit);
  s->stats.marks_set += sets;
  s->stats.marks_returned += was_marked;
  return was_marked ? WEIR_REP_MARKED : 0;
}

static bool accept_read(struct weir_slice *s, const struct weir_msg *q, uint64_t now) {
  const struct weir_machine *m = s->channel->m;
  uint32_t set, e = weir_index_find(&s->index, q->addr);
  struct weir_l2_line *l = find_line(s, q->addr, &set);
  uint8_t missing = l != NULL ? (uint8_t)(q->sectors & ~l->valid) : q->sectors;
  bool is_atom = q->kind == WEIR_MSG_ATOM;
  if (missing != 0) {
    uint8_t to_fetch = (uint8_t)(missing & (l != NULL ? ~l->pending : 0xff));
    if (!m->l2.sectored && to_fetch != 0)
      to_fetch = (uint8_t)(((1u << (m->l2.line / SECTOR)) - 1) &
                           ~(l != NULL ? (unsigned)(l->valid | l->pending) : 0u));
    if (l == NULL && (l = choose_way(s, set)) == NULL) {
      s->head_stall = &s->stats.stall_line;
      return false;
    }
    if (e != UINT32_MAX ? s->mshr[e].n >= (uint32_t)m->l2.mshr_merge : s->free_mshr == UINT32_MAX) {
      s->head_stall = e != UINT32_MAX ? &s->stats.stall_merge : &s->stats.stall_mshr;
      return false;
    }
    if (!weir_dram_has_room(&s->channel->dram,
                            (uint32_t)__builtin_popcount(to_fetch) * atoms_of(s->channel))) {
      s->head_stall = &s->stats.stall_dram;
      return false;
    }
    bool is_new = l->line != q->addr / (uint64_t)m->l2.line + 1;
    if (is_new) take_way(s, l, q->addr);
    if (e == UINT32_MAX) {
      e = s->free_mshr;
      s->free_mshr = s->mshr[e].next_free;
      s->mshr[e] = (struct weir_l2_mshr){.line = q->addr,
                                         .where = (uint32_t)(l - s->lines),
                                         .first = UINT32_MAX,
                                         .last = UINT32_MAX};
      weir_index_put(&s->index, q->addr, e);
      s->n_mshr++;
    }
    uint32_t w = s->free_waiter;
    s->free_waiter = s->waiter[w].next;
    s->waiter[w] = (struct weir_l2_waiter){.msg = *q, .wait = missing, .next = UINT32_MAX};
    if (s->mshr[e].last != UINT32_MAX)
      s->waiter[s->mshr[e].last].next = w;
    else
      s->mshr[e].first = w;
    s->mshr[e].last = w;
    s->mshr[e].n++;
    l->pending |= to_fetch;
    if (to_fetch != 0) push_sectors(s, q->addr, to_fetch, e, now);
    s->stats.read_sectors_missed += (unsigned)__builtin_popcount(to_fetch & missing);
    if (!is_atom) {
      if (is_new)
        s->stats.read_misses++;
      else if (to_fetch == 0)
        s->stats.read_pending++;
      else
        s->stats.read_partial++;
    }
  } else if (!is_atom)
    s->stats.read_hits++;
  l->used = ++s->stamp;
  s->stats.atomics += is_atom;
  s->stats.reads += !is_atom;
  s->stats.read_sectors += (unsigned)__builtin_popcount(q->sectors);
  if (is_atom) l->dirty |= q->sectors;
  uint8_t mark = is_atom ? 0 : pass_mark(s, l, q, missing == 0);
  if (missing == 0) push_reply(s, q, mark, now + (uint64_t)m->l2.latency);
  return true;
}

/* A sector came from DRAM: answer those who waited for it only. */
static void fill(struct weir_slice *s, uint32_t e, unsigned sector, uint64_t now) {
  struct weir_l2_mshr *h = &s->mshr[e];
  struct weir_l2_line *l = &s->lines[h->where];
  uint8_t bit = (uint8_t)(1u << sector);
  l->pending &= (uint8_t)~bit;
  l->valid |= bit;
  l->partial &= (uint8_t)~bit;
  s->stats.fills++;
  uint32_t *link = &h->first, last = UINT32_MAX;
  for (uint32_t w = h->first; w != UINT32_MAX;) {
    uint32_t next = s->waiter[w].next;
    s->waiter[w].wait &= (uint8_t)~bit;
    if (s->waiter[w].wait == 0) {
      push_reply(s, &s->waiter[w].msg, 0, now + (uint64_t)s->channel->m->l2.latency);
      *link = next;
      s->waiter[w].next = s->free_waiter;
      s->free_waiter = w;
      h->n--;
    } else {
      link = &s->waiter[w].next;
      last = w;
    }
    w = next;
  }
  h->last = last;
  if (h->first == UINT32_MAX && l->pending == 0) {
    weir_index_remove(&s->index, h->line);
    h->next_free = s->free_mshr;
    s->free_mshr = e;
    s->n_mshr--;
  }
}

static void settle_head(struct weir_slice *s, uint64_t now) {
  if (s->head_stall != NULL) *s->head_stall += now - s->head_stall_since;
  s->head_stall_since = now;
}

/* Credits come at once: a request that waits for the reply queue must not hold them up. */
static uint64_t take_credits(struct weir_slice *s, uint64_t now) {
  const struct weir_msg *q;
  for (; (q = weir_inbox_head(&s->credits)) != NULL && q->at <= now; weir_inbox_pop(&s->credits))
    s->credit[q->src] += q->flits;
  return q == NULL ? WEIR_NEVER : q->at;
}

/* The head of the input: one request per cycle. */
static uint64_t take_input(struct weir_slice *s, uint64_t now) {
  struct weir_channel *c = s->channel;
  const struct weir_msg *q = weir_inbox_head(&s->in);
  if (q != NULL && q->at <= now) {
    if (s->eject_free > now) return s->eject_free;
    settle_head(s, now);
    s->head_stall = NULL;
    bool ok = true;
    if (s->out.n >= OUT_LIMIT) {
      s->head_stall = &s->stats.stall_reply;
      ok = false;
    } else
      ok = q->kind == WEIR_MSG_WRITE ? accept_write(s, q, now) : accept_read(s, q, now);
    if (!ok)
      return WEIR_NEVER; /* a fill, a reply or the DRAM will change something: each of them is an
                            event of this channel */
    struct weir_msg credit = {.at = now + (uint64_t)c->m->noc.credit_cyc,
                              .kind = WEIR_MSG_CREDIT,
                              .src = c->n_sms + s->id,
                              .dst = q->src,
                              .flits = q->flits};
    s->eject_free = now + q->flits;
    weir_inbox_pop(&s->in);
    weir_outbox_put(&c->outbox, &credit);
    c->last_event = weir_max64(c->last_event, now);
    q = weir_inbox_head(&s->in);
  }
  return q == NULL ? WEIR_NEVER : weir_max64(q->at, now + 1);
}

uint64_t weir_channel_cycle(struct weir_channel *c, uint64_t now) {
  uint64_t wake = WEIR_NEVER;
  run_dram(c, now);
  while (c->done.n > 0 && c->done.v[c->done.head].at <= now) {
    uint32_t token = WEIR_FIFO_HEAD(c->done).token;
    WEIR_FIFO_POP(c->done);
    fill(&c->slices[token >> 27], token >> 3 & 0xffffff, token & 7, now);
    c->last_event = weir_max64(c->last_event, now);
  }
  for (uint32_t i = 0; i < c->n_slices; i++) {
    struct weir_slice *s = &c->slices[i];
    wake = weir_min64(wake, take_credits(s, now));
    wake = weir_min64(wake, take_input(s, now));
    wake = weir_min64(wake, inject_replies(s, now));
    /* A head that failed is presented again whenever something of this slice changes; that may be
     * in this very cycle's injection, so look once more in the next one. */
    if (s->head_stall == &s->stats.stall_reply && s->out.n < OUT_LIMIT)
      wake = weir_min64(wake, now + 1);
  }
  if (c->done.n > 0) wake = weir_min64(wake, weir_max64(c->done.v[c->done.head].at, now + 1));
  wake = weir_min64(wake, weir_max64(core_of(c, c->dram_next), now + 1));
  return wake;
}

bool weir_channel_is_idle(const struct weir_channel *c) {
  if (c->done.n > 0 || c->dram.n > 0 || c->writes.n > 0) return false;
  for (uint32_t i = 0; i < c->n_slices; i++)
    if (c->slices[i].in.n > 0 || c->slices[i].credits.n > 0 || c->slices[i].out.n > 0 ||
        c->slices[i].n_mshr > 0)
      return false;
  return true;
}

void weir_channel_settle(struct weir_channel *c, uint64_t now) {
  for (uint32_t i = 0; i < c->n_slices; i++)
    if (now > c->slices[i].head_stall_since) settle_head(&c->slices[i], now);
}
