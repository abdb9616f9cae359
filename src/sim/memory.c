#include "sim/memory.h"

#include "base/fifo.h"
#include "base/mem.h"
#include "sim/reply.h"

enum { SECTOR = 32 };

static uint64_t channel_addr(const struct weir_slice *s, uint64_t addr) {
  return weir_addr_local(&s->channel->m->map, addr, s->id);
}

static uint32_t set_of(const struct weir_slice *s, uint64_t addr) {
  return weir_addr_set(&s->channel->m->map, addr);
}

/* ---- set-up ---- */

static bool slice_init(struct weir_slice *s, struct weir_channel *c, uint32_t id) {
  const struct weir_l2_cfg *l2 = &c->m->l2;
  uint32_t n_entries = (uint32_t)l2->mshr_entries, n_waiters = n_entries * (uint32_t)l2->mshr_merge;
  s->channel = c;
  s->id = id;
  s->wake = WEIR_NEVER;
  s->entry = weir_calloc(n_entries, sizeof *s->entry);
  s->waiter = weir_calloc(n_waiters, sizeof *s->waiter);
  s->credit = weir_calloc(c->n_sms, sizeof *s->credit);
  bool merges = l2->merge_reads > 1 && !c->has_fifo;
  bool waits = l2->store_wait_cyc > 0;
  if (merges) s->groups = weir_calloc(WEIR_READ_GROUPS, sizeof *s->groups);
  if (waits) s->last = weir_calloc(WEIR_LAST_READS, sizeof *s->last);
  if ((merges && s->groups == NULL) || (waits && s->last == NULL) ||
      !weir_lines_init(&s->lines, l2->sets, l2->ways) ||
      !weir_mshrs_init(&s->mshr, n_entries, n_waiters) || s->entry == NULL || s->waiter == NULL ||
      s->credit == NULL)
    return false;
  for (uint32_t k = 0; k < c->n_sms; k++)
    s->credit[k] = (uint32_t)(c->has_fifo ? c->m->noc.input_buffer : c->m->noc.reply_buffer);
  return true;
}

bool weir_channel_init(struct weir_channel *c, const struct weir_machine *m, uint32_t index) {
  *c = (struct weir_channel){
      .m = m, .wake = WEIR_NEVER, .dram_next = WEIR_NEVER, .dram_wake = WEIR_NEVER};
  c->n_slices = (uint32_t)(m->l2.slices / m->dram.channels);
  c->index = index;
  c->first_slice = index * c->n_slices;
  c->n_sms = (uint32_t)m->sm.count;
  c->line_shift = (unsigned)__builtin_ctzll((uint64_t)m->l2.line);
  c->has_l3 = m->l3.enabled;
  c->together = (unsigned)(m->l2.sectored ? m->l2.fetch_bytes : m->l2.line) / SECTOR;
  c->is_whole = !m->l2.sectored && m->l2.whole_lines;
  c->has_fifo = m->noc.crossbar == WEIR_XBAR_FIFO;
  c->halves = c->has_fifo ? 1 : (uint32_t)m->l2.partitions;
  c->has_homes = c->halves > 1 && m->l2.home;
  c->reads_partial = m->l2.partial_reads && m->l2.sectored && !c->has_l3;
  c->merges_writes = weir_merges_writes(m);
  for (unsigned n = 0; n < sizeof c->flits / sizeof *c->flits; n++)
    c->flits[n] = weir_flits(&m->noc, n * SECTOR);
  c->slices = weir_calloc(c->n_slices, sizeof *c->slices);
  int64_t write_queue = c->has_l3 ? m->l3.write_queue : m->l2.write_queue;
  if (c->slices == NULL || !weir_dram_init(&c->dram, &m->dram, m->l2.line, write_queue))
    return false;
  if (c->has_l3 && !weir_l3_init(&c->l3, m, &c->dram)) return false;
  for (uint32_t i = 0; i < c->n_slices; i++)
    if (!slice_init(&c->slices[i], c, c->first_slice + i)) return false;
  return true;
}

void weir_channel_free(struct weir_channel *c) {
  for (uint32_t i = 0; c->slices != NULL && i < c->n_slices; i++) {
    struct weir_slice *s = &c->slices[i];
    weir_lines_free(&s->lines);
    weir_mshrs_free(&s->mshr);
    free(s->entry);
    free(s->waiter);
    free(s->credit);
    free(s->in.v);
    free(s->credits.v);
    free(s->out.v);
    free(s->groups);
    free(s->last);
  }
  free(c->slices);
  free(c->done.v);
  weir_l3_free(&c->l3);
  weir_dram_free(&c->dram);
}

/* ---- messages from SMs ---- */

/* Credits that arrive in the same cycle are added up: their order is of no matter. */
static bool put_credit(struct weir_slice *s, const struct weir_msg *q) {
  struct weir_credit credit = {.at = q->at, .sm = q->src, .flits = q->flits};
  if (!WEIR_FIFO_PUSH(s->credits, credit)) return false;
  struct weir_credit *v = s->credits.v + s->credits.head;
  uint32_t n = s->credits.n - 1, i = n;
  while (i > 0 && v[i - 1].at > credit.at)
    i--;
  if (i < n) {
    memmove(v + i + 1, v + i, (n - i) * sizeof *v);
    v[i] = credit;
  }
  return true;
}

bool weir_channel_put(struct weir_channel *c, const struct weir_msg *q) {
  struct weir_slice *s = &c->slices[q->dst - c->n_sms - c->first_slice];
  bool is_credit = q->kind == WEIR_MSG_CREDIT;
  if (!(is_credit ? put_credit(s, q) : weir_inbox_put(&s->in, q))) return false;
  /* Nobody looks at a credit that is not wanted, or at a request behind a head that waits. */
  if (is_credit ? s->wants_credit : s->head_wait == WEIR_L2_NOTHING) {
    s->wake = weir_min64(s->wake, q->at);
    c->wake = weir_min64(c->wake, q->at);
  }
  return true;
}

/* ---- DRAM side ---- */

/* DRAM cycle d begins in core cycle ceil(d * core / dram). */
static void set_dram_next(struct weir_channel *c, uint64_t d) {
  uint64_t core = (uint64_t)c->m->core.clock_mhz, dram = (uint64_t)c->m->dram.clock_mhz;
  c->dram_next = d;
  c->dram_wake = d == WEIR_NEVER ? WEIR_NEVER : (d * core + dram - 1) / dram;
}

/* The first DRAM cycle that begins after core cycle `now`. */
static void wake_dram(struct weir_channel *c, uint64_t now) {
  if (c->dram_next == c->dram_done + 1) return;
  uint64_t d = now * (uint64_t)c->m->dram.clock_mhz / (uint64_t)c->m->core.clock_mhz + 1;
  if (d < c->dram_next) set_dram_next(c, d);
}

/* To the L3 or the DRAM: what they give back carries the number of the slice and of the MSHR, and
 * in its low bits the sectors. */
static void push_sectors(struct weir_slice *s, uint64_t addr, uint8_t sectors, uint32_t e) {
  struct weir_channel *c = s->channel;
  uint64_t base = channel_addr(s, weir_line_of(s, addr));
  uint32_t token = (s->id - c->first_slice) << 27 | e << 8;
  if (c->has_l3) {
    weir_l3_read(&c->l3, base, sectors, token);
    return;
  }
  if (!weir_dram_read(&c->dram, base, sectors, token)) c->outbox->is_failed = true;
}

/* A read whose data end in DRAM cycle `done_at` is on its way to the L2, where it may pass others
 * if it is not delayed as long as they are. */
static void send_data(struct weir_channel *c, uint64_t done_at, uint32_t token) {
  uint64_t core = (uint64_t)c->m->core.clock_mhz, dram = (uint64_t)c->m->dram.clock_mhz;
  struct done done = {(done_at * core + dram - 1) / dram + (uint64_t)c->m->dram.extra_latency +
                          weir_jitter(&c->m->jitter, WEIR_JITTER_MEMORY, c->index, c->n_reads++),
                      token};
  if (!WEIR_FIFO_PUSH(c->done, done)) {
    c->outbox->is_failed = true;
    return;
  }
  struct done *v = c->done.v + c->done.head;
  for (uint32_t i = c->done.n - 1; i > 0 && v[i - 1].at > done.at; i--) {
    v[i] = v[i - 1];
    v[i - 1] = done;
  }
}

/* DRAM cycles that begin in core cycles up to `now`. */
static void run_dram(struct weir_channel *c, uint64_t now) {
  while (c->dram_wake <= now) {
    uint64_t d = c->dram_next, next, done_at;
    uint32_t token;
    if (weir_dram_step(&c->dram, d, &token, &done_at, &next) > 0 && token != WEIR_DRAM_NO_TOKEN)
      send_data(c, done_at, token);
    c->dram_done = d;
    set_dram_next(c, next);
  }
}

/* ---- L2: lines ---- */

static uint64_t key_of(const struct weir_slice *s, uint64_t addr) {
  return (addr >> s->channel->line_shift) + 1;
}

/* Sectors of the line at `addr` to the L3 or the DRAM; full: those that are whole. */
static void write_back(struct weir_slice *s, uint64_t addr, uint8_t sectors, uint8_t full) {
  struct weir_channel *c = s->channel;
  uint64_t base = channel_addr(s, addr);
  s->stats.writeback_sectors += weir_n_sectors(sectors);
  if (c->has_l3)
    weir_l3_write(&c->l3, base, sectors, full);
  else if (!weir_dram_write(&c->dram, base, sectors))
    c->outbox->is_failed = true;
}

/* Of a line that is replaced, what must be read before it can be written back. */
static uint8_t incomplete(const struct weir_channel *c, const struct weir_mem_line *l) {
  return c->reads_partial ? l->dirty & l->partial : 0;
}

static void evict(struct weir_slice *s, const struct weir_mem_line *l) {
  struct weir_channel *c = s->channel;
  uint64_t addr = (l->line - 1) << c->line_shift;
  uint8_t dirty = weir_line_dirty(l, c->is_whole), lacks = incomplete(c, l);
  s->stats.evictions++;
  s->stats.partial_sectors += weir_n_sectors(lacks);
  if (lacks != 0 && !weir_dram_read(&c->dram, channel_addr(s, addr), lacks, WEIR_DRAM_NO_TOKEN))
    c->outbox->is_failed = true;
  if (dirty != 0) write_back(s, addr, dirty, dirty & l->valid);
}

static struct weir_mem_line *take_way(struct weir_slice *s, uint32_t set, uint32_t way,
                                      uint64_t key) {
  const struct weir_mem_line *l = weir_lines_at(&s->lines, set, way);
  if (l->line != 0) evict(s, l);
  struct weir_mem_line *taken = weir_lines_take(&s->lines, set, way, key);
  if (s->channel->has_homes) weir_lines_settle(&s->lines, set, way, s->channel->halves);
  return taken;
}

/* Sectors that go back to the DRAM if the way is taken; *reads: those that are read for it. */
static uint8_t victim_sectors(const struct weir_slice *s, uint32_t set, uint32_t way,
                              uint8_t *reads) {
  const struct weir_mem_line *l = weir_lines_at(&s->lines, set, way);
  *reads = incomplete(s->channel, l);
  return weir_line_dirty(l, s->channel->is_whole);
}

/* ---- L2: requests ---- */

/* Sectors have been read, written or written back: the next request is taken when the data port is
 * free again. */
static void use_port(struct weir_slice *s, uint8_t sectors, uint64_t now) {
  uint64_t port = (uint64_t)s->channel->m->l2.port_bytes;
  if (port == 0) return;
  s->eject_free =
      weir_max64(s->eject_free, now) + (weir_n_sectors(sectors) * SECTOR + port - 1) / port;
}

static void note_read(struct weir_slice *s, uint64_t addr, uint64_t now) {
  if (s->last == NULL) return;
  const uint64_t line = addr >> s->channel->line_shift;
  *weir_last_read_of(s->last, line) = (struct weir_last_read){.line = line, .at = now};
}

/* A store keeps the port while its line is read. */
static void wait_for_read(struct weir_slice *s, uint64_t addr) {
  if (s->last == NULL) return;
  const uint64_t line = addr >> s->channel->line_shift;
  const struct weir_last_read *r = weir_last_read_of(s->last, line);
  if (r->line != line || r->at == 0) return;
  s->eject_free = weir_max64(s->eject_free, r->at + (uint64_t)s->channel->m->l2.store_wait_cyc);
}

static bool refuse(struct weir_slice *s, enum weir_l2_wait why) {
  s->head_wait = (uint8_t)why;
  return false;
}

/* Places of the queues towards the DRAM, or of those in front of the L3, that requests take. */
static uint32_t read_places(const struct weir_channel *c, uint8_t sectors) {
  return c->has_l3 ? sectors != 0 : weir_dram_read_places(&c->dram, sectors);
}
static uint32_t write_places(const struct weir_channel *c, uint8_t sectors) {
  return c->has_l3 ? weir_n_sectors(sectors) : weir_dram_write_places(&c->dram, sectors);
}

static bool has_write_room(const struct weir_channel *c, uint32_t writes) {
  return c->has_l3 ? weir_l3_has_write_room(&c->l3, writes)
                   : weir_dram_has_write_room(&c->dram, writes);
}

static bool has_read_room(const struct weir_channel *c, uint32_t reads, uint32_t writes) {
  return c->has_l3 ? reads == 0 || weir_l3_has_read_room(&c->l3)
                   : weir_dram_has_read_room(&c->dram, reads, writes);
}

/* What the head lacks of the queues towards the DRAM, given what it needs of them.
 *
 * A slice that waits keeps those behind it out of both: else one that needs a place could pass one
 * that needs four for ever, and stores that replace dirty lines a read. Each of the others is
 * served once at most before it, because the turn goes to the slice behind the one that was served.
 *
 * So the slice that waits first is served: the write queue empties into the DRAM queue, and that
 * one issues what it holds without needing anything of the L2, for a read that comes back is taken
 * at once, into its line. Both have room for a line when they are empty (checked with the machine).
 * With an L3 the queues are its own, and it empties them likewise. */
static enum weir_l2_wait queue_wait(const struct weir_slice *s) {
  const struct weir_channel *c = s->channel;
  if (!has_write_room(c, s->head_writes)) return WEIR_L2_WRITEBACK;
  if (!has_read_room(c, s->head_reads, s->head_writes)) return WEIR_L2_DRAM;
  if (!c->is_claimed || s->head_reads + s->head_writes == 0) return WEIR_L2_NOTHING;
  return s->head_writes > 0 ? WEIR_L2_WRITEBACK : WEIR_L2_DRAM;
}

static void use_queues(const struct weir_slice *s, uint64_t now) {
  struct weir_channel *c = s->channel;
  c->turn = (s->id - c->first_slice + 1) % c->n_slices;
  wake_dram(c, now);
}

static struct weir_l2_waiter answer_to(const struct weir_slice *s, const struct weir_msg *q) {
  return (struct weir_l2_waiter){.src = q->src,
                                 .id = q->id,
                                 .kind = q->kind,
                                 .parts = q->parts,
                                 .sectors = q->sectors,
                                 .flags = (uint8_t)(q->flags & ~WEIR_REQ_WORD),
                                 .place = (uint8_t)((q->addr - weir_line_of(s, q->addr)) / SECTOR)};
}

/* What an accepted read does to the mark of its line; returns the reply's flags. */
static uint8_t pass_mark(struct weir_slice *s, struct weir_mem_line *l, const struct weir_msg *q,
                         bool is_hit) {
  bool was_marked = is_hit && l->is_marked, sets = (q->flags & WEIR_REQ_MARK) != 0;
  uint8_t told = (uint8_t)(WEIR_REP_MARKED | (l->marker != q->src ? WEIR_REP_OTHER : 0));
  l->is_marked = sets || (l->is_marked && !is_hit);
  if (sets) l->marker = (uint16_t)q->src;
  s->stats.marks_set += sets;
  s->stats.marks_returned += was_marked;
  return was_marked ? told : 0;
}

/* A line without pending sectors gets an MSHR. */
static void take_mshr(struct weir_slice *s, struct weir_mem_line *l, uint64_t addr) {
  l->mshr = (uint16_t)weir_mshr_open(&s->mshr);
  s->entry[l->mshr] = (struct weir_l2_entry){.addr = addr, .where = (uint32_t)(l - s->lines.v)};
}

/* Sectors that a request must wait for; `l` may be NULL. */
static uint8_t lacking(const struct weir_slice *s, const struct weir_mem_line *l, uint8_t sectors) {
  if (l == NULL) return sectors;
  return (uint8_t)((sectors & ~l->valid) | (s->channel->is_whole ? l->pending : 0));
}

/* A request that lacks sectors. *way: that of its line, or the one it gets. NULL: it must wait. A
 * write that comes here goes on to the DRAM, and is answered when what it lacks has been fetched.
 */
static struct weir_mem_line *accept_miss(struct weir_slice *s, const struct weir_msg *q,
                                         uint32_t set, uint32_t *way, uint8_t missing,
                                         uint64_t now) {
  struct weir_channel *c = s->channel;
  const struct weir_l2_cfg *l2 = &c->m->l2;
  struct weir_mem_line *l = weir_lines_at(&s->lines, set, *way);
  bool is_new = l == NULL, is_pending = l != NULL && l->pending != 0;
  uint8_t fetch = weir_line_fetch(l, missing, c->together),
          written = q->kind == WEIR_MSG_WRITE ? q->sectors : 0;
  if (is_new && (*way = weir_lines_choose(&s->lines, set)) == WEIR_NO_WAY)
    return refuse(s, WEIR_L2_LINE), NULL;
  if (is_pending && s->mshr.v[l->mshr].n >= (uint32_t)l2->mshr_merge)
    return refuse(s, WEIR_L2_MERGE), NULL;
  if (!is_pending && s->mshr.free_entry == WEIR_NO_ENTRY) return refuse(s, WEIR_L2_MSHR), NULL;
  uint8_t reads = 0, victim = is_new ? victim_sectors(s, set, *way, &reads) : 0;
  s->head_reads = read_places(c, fetch) + read_places(c, reads);
  s->head_writes = write_places(c, victim) + write_places(c, written);
  if (queue_wait(s) != WEIR_L2_NOTHING) return refuse(s, queue_wait(s)), NULL;
  if (is_new) l = take_way(s, set, *way, key_of(s, q->addr));
  if (!is_pending) take_mshr(s, l, q->addr);
  l->pending |= fetch;
  s->waiter[weir_mshr_wait(&s->mshr, l->mshr, c->is_whole ? l->pending : missing)] =
      answer_to(s, q);
  use_port(s, victim, now);
  if (written != 0) write_back(s, weir_line_of(s, q->addr), written, q->full);
  if (fetch != 0) push_sectors(s, q->addr, fetch, l->mshr);
  if (s->head_reads + s->head_writes > 0) use_queues(s, now);
  if (q->kind != WEIR_MSG_WRITE) s->stats.read_sectors_missed += weir_n_sectors(fetch & missing);
  if (q->kind == WEIR_MSG_READ) {
    s->stats.load_sectors_missed += weir_n_sectors(fetch & missing);
    s->stats.read_misses += is_new;
    s->stats.read_pending += !is_new && fetch == 0;
    s->stats.read_partial += !is_new && fetch != 0;
  }
  return l;
}

/* A way for a line that is only written: nothing is fetched. NULL: it must wait. */
static struct weir_mem_line *take_line(struct weir_slice *s, const struct weir_msg *q, uint32_t set,
                                       uint32_t *way, uint64_t now) {
  *way = weir_lines_choose(&s->lines, set);
  if (*way == WEIR_NO_WAY) return refuse(s, WEIR_L2_LINE), NULL;
  uint8_t reads, victim = victim_sectors(s, set, *way, &reads);
  s->head_reads = read_places(s->channel, reads);
  s->head_writes = write_places(s->channel, victim);
  if (queue_wait(s) != WEIR_L2_NOTHING) return refuse(s, queue_wait(s)), NULL;
  use_port(s, victim, now);
  struct weir_mem_line *l = take_way(s, set, *way, key_of(s, q->addr));
  if (s->head_reads + s->head_writes > 0) use_queues(s, now);
  return l;
}

/* The SM has used the line; true: it had not been near. */
static bool bring(const struct weir_slice *s, uint32_t set, uint32_t way, uint32_t sm) {
  const struct weir_channel *c = s->channel;
  if (c->halves == 1) return false;
  return weir_lines_bring(&s->lines, set, way, sm * c->halves / c->n_sms, c->halves);
}

static bool accept_write(struct weir_slice *s, const struct weir_msg *q, uint64_t now) {
  uint32_t set = set_of(s, q->addr), way = weir_lines_find(&s->lines, set, key_of(s, q->addr));
  struct weir_mem_line *l = weir_lines_at(&s->lines, set, way);
  bool hit = l != NULL;
  if (s->last != NULL && hit && l->pending != 0) return refuse(s, WEIR_L2_PENDING);
  uint8_t there = hit ? l->valid | l->partial : 0;
  uint8_t missing = s->channel->m->l2.write_miss == WEIR_L2_FORWARD ? lacking(s, l, q->sectors) : 0;
  if (missing != 0)
    l = accept_miss(s, q, set, &way, missing, now);
  else if (!hit)
    l = take_line(s, q, set, &way, now);
  if (l == NULL) return false;
  s->stats.writes++;
  s->stats.write_hits += hit;
  s->stats.write_misses += !hit;
  s->stats.write_sectors += weir_n_sectors(q->sectors);
  s->stats.write_sectors_missed += weir_n_sectors(q->sectors & (uint8_t)~there);
  weir_lines_touch(&s->lines, set, way);
  bring(s, set, way, q->src);
  if (missing != 0) return true;
  struct weir_l2_waiter answer = answer_to(s, q);
  weir_line_write(l, q->sectors, q->full);
  if (s->channel->merges_writes) weir_line_add(l, q->sectors & (uint8_t)~q->full, q->parts);
  use_port(s, q->sectors, now);
  wait_for_read(s, q->addr);
  weir_push_reply(s, q->addr, &answer, now);
  return true;
}

/* A read that is one with another: it finds what that found, or waits with it, uncounted. */
static bool accept_merged(struct weir_slice *s, const struct weir_msg *q, uint64_t now) {
  uint32_t set = set_of(s, q->addr), way = weir_lines_find(&s->lines, set, key_of(s, q->addr));
  struct weir_mem_line *l = weir_lines_at(&s->lines, set, way);
  if (l == NULL || (q->sectors & ~(l->valid | l->pending)) != 0) return false;
  uint8_t missing = lacking(s, l, q->sectors);
  struct weir_l2_waiter answer = answer_to(s, q);
  answer.flags |= WEIR_REP_MERGED;
  if (missing != 0 && s->mshr.v[l->mshr].n >= (uint32_t)s->channel->m->l2.mshr_merge) return false;
  if (missing != 0)
    s->waiter[weir_mshr_wait(&s->mshr, l->mshr, s->channel->is_whole ? l->pending : missing)] =
        answer;
  else
    weir_push_reply(s, q->addr, &answer, now);
  bring(s, set, way, q->src);
  weir_group_of(s->groups, &s->channel->m->l2, q)->n++;
  s->stats.merged++;
  s->stats.merged_sectors += weir_n_sectors(q->sectors);
  return true;
}

static bool accept_read(struct weir_slice *s, const struct weir_msg *q, uint64_t now) {
  uint32_t set = set_of(s, q->addr), way = weir_lines_find(&s->lines, set, key_of(s, q->addr));
  struct weir_mem_line *l = weir_lines_at(&s->lines, set, way);
  uint8_t missing = lacking(s, l, q->sectors);
  bool is_atom = q->kind == WEIR_MSG_ATOM;
  if (missing != 0 && (l = accept_miss(s, q, set, &way, missing, now)) == NULL) return false;
  weir_lines_touch(&s->lines, set, way);
  const bool is_far = bring(s, set, way, q->src);
  s->stats.atomics += is_atom;
  s->stats.reads += !is_atom;
  s->stats.read_sectors += weir_n_sectors(q->sectors);
  *(is_atom ? &s->stats.atomic_sectors : &s->stats.load_sectors) += weir_n_sectors(q->sectors);
  if (is_atom) l->dirty |= q->sectors; // NOLINT(*NullDereference): a request has sectors
  uint8_t mark = is_atom ? 0 : pass_mark(s, l, q, missing == 0);
  if (missing == 0) {
    struct weir_l2_waiter answer = answer_to(s, q);
    answer.flags |= mark | (is_far ? WEIR_REP_FAR : 0);
    s->stats.read_hits += !is_atom;
    s->stats.far_reads += is_far && !is_atom;
    use_port(s, q->sectors, now);
    note_read(s, q->addr, now);
    weir_push_reply(s, q->addr, &answer, now);
  }
  return true;
}

/* Sectors came from DRAM: answer those who waited for nothing else. */
static void fill(struct weir_slice *s, uint32_t e, uint8_t sectors, uint64_t now) {
  struct weir_mem_line *l = &s->lines.v[s->entry[e].where];
  weir_line_fill(l, sectors);
  s->stats.fills += weir_n_sectors(sectors);
  uint32_t w = weir_mshr_arrive(&s->mshr, e, sectors);
  while (w != WEIR_NO_WAITER) {
    weir_push_reply(s, s->entry[e].addr, &s->waiter[w], now);
    w = weir_mshr_release(&s->mshr, w);
  }
  note_read(s, s->entry[e].addr, now);
  if (l->pending == 0) weir_mshr_close(&s->mshr, e);
  s->is_filled = true;
  s->wake = now;
}

/* ---- a slice's cycle ---- */

static void settle_head(struct weir_slice *s, uint64_t now) {
  uint64_t waited = now - s->head_stall_since;
  s->head_stall_since = now;
  switch ((enum weir_l2_wait)s->head_wait) {
  case WEIR_L2_NOTHING:
    break;
  case WEIR_L2_MSHR:
    s->stats.stall_mshr += waited;
    break;
  case WEIR_L2_MERGE:
    s->stats.stall_merge += waited;
    break;
  case WEIR_L2_LINE:
    s->stats.stall_line += waited;
    break;
  case WEIR_L2_PENDING:
    s->stats.stall_pending += waited;
    break;
  case WEIR_L2_DRAM:
    s->stats.stall_dram += waited;
    break;
  case WEIR_L2_WRITEBACK:
    s->stats.stall_writeback += waited;
    break;
  case WEIR_L2_REPLY:
    s->stats.stall_reply += waited;
    break;
  }
}

/* A head that was refused is presented again when what it waits for, or what it is counted under,
 * may have changed. */
static bool may_retry(const struct weir_slice *s) {
  if (s->is_poked || s->out.n >= WEIR_OUT_LIMIT) return true;
  switch ((enum weir_l2_wait)s->head_wait) {
  case WEIR_L2_NOTHING:
  case WEIR_L2_REPLY:
    return true;
  case WEIR_L2_DRAM:
  case WEIR_L2_WRITEBACK:
    if (queue_wait(s) != s->head_wait) return true;
    break; /* a fill may change which line is replaced, and with it what is needed */
  case WEIR_L2_MSHR:
  case WEIR_L2_MERGE:
  case WEIR_L2_LINE:
  case WEIR_L2_PENDING:
    break;
  }
  return s->is_filled;
}

/* Cycles for which a request takes the input port; tenths that are left over count for the next.
 */
static uint64_t request_cycles(struct weir_slice *s, uint32_t flits) {
  const struct weir_channel *c = s->channel;
  if (c->has_fifo) return 1;
  const uint32_t tenths = flits * (uint32_t)c->m->noc.slice_tenths + s->eject_rest;
  s->eject_rest = tenths % 10;
  return tenths / 10;
}

/* The head of the input has been taken. */
static void leave_input(struct weir_slice *s, const struct weir_msg *q, uint64_t now) {
  struct weir_channel *c = s->channel;
  uint64_t at = now + (uint64_t)c->m->noc.credit_cyc;
  struct weir_msg *credit = weir_outbox_slot(c->outbox, q->src, at);
  if (credit != NULL)
    *credit = (struct weir_msg){.at = at,
                                .kind = WEIR_MSG_CREDIT,
                                .src = (uint16_t)(c->n_sms + s->id),
                                .dst = q->src,
                                .flits = q->flits};
  weir_inbox_pop(&s->in);
}

/* Reads that are one with others before them do not wait for the port, nor keep it. */
static void take_merged(struct weir_slice *s, uint64_t now) {
  const struct weir_msg *q;
  while (s->groups != NULL && s->head_wait == WEIR_L2_NOTHING && s->out.n < WEIR_OUT_LIMIT &&
         (q = weir_inbox_head(&s->in)) != NULL && q->at <= now &&
         weir_is_member(s->groups, &s->channel->m->l2, q) && accept_merged(s, q, now))
    leave_input(s, q, now);
}

/* When the head can be taken. */
static uint64_t next_input(const struct weir_slice *s, const struct weir_msg *q, uint64_t now) {
  if (s->groups != NULL && weir_is_member(s->groups, &s->channel->m->l2, q))
    return weir_max64(q->at, now + 1);
  return weir_max64(q->at, s->eject_free);
}

/* The head of the input: one request per cycle. */
static uint64_t take_input(struct weir_slice *s, uint64_t now) {
  take_merged(s, now);
  const struct weir_msg *q = weir_inbox_head(&s->in);
  if (q == NULL) return WEIR_NEVER;
  if (weir_max64(q->at, s->eject_free) > now) return next_input(s, q, now);
  if (!may_retry(s)) return WEIR_NEVER;
  settle_head(s, now);
  s->head_wait = WEIR_L2_NOTHING;
  s->is_filled = s->is_poked = false;
  bool ok = s->out.n >= WEIR_OUT_LIMIT  ? refuse(s, WEIR_L2_REPLY)
            : q->kind == WEIR_MSG_WRITE ? accept_write(s, q, now)
                                        : accept_read(s, q, now);
  if (!ok) return WEIR_NEVER;
  if (s->groups != NULL) weir_begin_group(s->groups, &s->channel->m->l2, q, now);
  s->eject_free = weir_max64(s->eject_free, now + request_cycles(s, q->flits));
  leave_input(s, q, now);
  q = weir_inbox_head(&s->in);
  return q == NULL ? WEIR_NEVER : next_input(s, q, now);
}

/* For what only the DRAM can give it? */
static bool waits_for_queue(const struct weir_slice *s) {
  return s->head_wait == WEIR_L2_DRAM || s->head_wait == WEIR_L2_WRITEBACK;
}

static void run_slice(struct weir_slice *s, uint64_t now) {
  weir_take_credits(s, now);
  uint64_t in = take_input(s, now), out = weir_inject_replies(s, now);
  /* There may be room again only now that a reply has left. */
  if (s->head_wait == WEIR_L2_REPLY && s->out.n < WEIR_OUT_LIMIT) in = now + 1;
  s->wake = weir_min64(in, out);
}

/* ---- a channel's cycle ---- */

static void fill_slice(struct weir_channel *c, uint32_t token, uint64_t now) {
  fill(&c->slices[token >> 27], token >> 8 & 0xffff, (uint8_t)token, now);
}

/* What has come back from DRAM, and from the L3; returns when more comes. */
static uint64_t take_data(struct weir_channel *c, uint64_t now) {
  uint64_t wake = WEIR_NEVER;
  while (c->done.n > 0 && WEIR_FIFO_HEAD(c->done).at <= now) {
    uint32_t token = WEIR_FIFO_HEAD(c->done).token;
    WEIR_FIFO_POP(c->done);
    if (c->has_l3)
      weir_l3_fill(&c->l3, token, now);
    else
      fill_slice(c, token, now);
  }
  if (c->done.n > 0) wake = WEIR_FIFO_HEAD(c->done).at;
  while (c->l3.answers.n > 0 && WEIR_FIFO_HEAD(c->l3.answers).at <= now) {
    uint32_t token = WEIR_FIFO_HEAD(c->l3.answers).token;
    WEIR_FIFO_POP(c->l3.answers);
    fill_slice(c, token, now);
  }
  return wake;
}

/* One request of the L2 slices; returns when to look again. What it frees they see in the next
 * cycle. */
static uint64_t run_l3(struct weir_channel *c, uint64_t now) {
  uint32_t before = c->dram.n + c->dram.input.n;
  bool is_taken = weir_l3_cycle(&c->l3, now);
  c->outbox->is_failed |= c->l3.is_failed;
  if (c->dram.n + c->dram.input.n > before) wake_dram(c, now);
  if (is_taken) return now + 1;
  return c->l3.answers.n > 0 ? WEIR_FIFO_HEAD(c->l3.answers).at : WEIR_NEVER;
}

void weir_channel_cycle(struct weir_channel *c, uint64_t now) {
  run_dram(c, now);
  uint64_t wake = take_data(c, now);
  c->is_claimed = false;
  /* After the slice that used the queues last: none can shut the others out. */
  for (uint32_t k = 0, i = c->turn; k < c->n_slices; k++, i = i + 1 < c->n_slices ? i + 1 : 0) {
    struct weir_slice *s = &c->slices[i];
    if (s->wake <= now || (waits_for_queue(s) && may_retry(s))) run_slice(s, now);
    c->is_claimed |= waits_for_queue(s);
    wake = weir_min64(wake, s->wake);
  }
  if (c->has_l3) wake = weir_min64(wake, run_l3(c, now));
  c->wake = weir_min64(wake, c->dram_wake);
}

void weir_channel_poke(struct weir_channel *c) {
  for (uint32_t i = 0; i < c->n_slices; i++) {
    c->slices[i].wake = 0;
    c->slices[i].is_poked = true;
  }
}

bool weir_channel_is_idle(const struct weir_channel *c) {
  if (c->done.n > 0 || !weir_dram_is_idle(&c->dram) || !weir_l3_is_idle(&c->l3)) return false;
  for (uint32_t i = 0; i < c->n_slices; i++)
    if (c->slices[i].in.n > 0 || c->slices[i].out.n > 0 || c->slices[i].mshr.n > 0) return false;
  return true;
}

void weir_channel_rest(struct weir_channel *c) {
  for (uint32_t i = 0; i < c->n_slices; i++)
    weir_take_credits(&c->slices[i], WEIR_NEVER);
}

void weir_channel_empty(struct weir_channel *c) {
  for (uint32_t i = 0; i < c->n_slices; i++)
    weir_lines_clear(&c->slices[i].lines);
  for (uint32_t i = 0; i < c->n_slices; i++) {
    const struct weir_slice *s = &c->slices[i];
    if (s->groups != NULL) memset(s->groups, 0, WEIR_READ_GROUPS * sizeof *s->groups);
    if (s->last != NULL) memset(s->last, 0, WEIR_LAST_READS * sizeof *s->last);
  }
  if (c->has_l3) weir_lines_clear(&c->l3.lines);
}

void weir_channel_settle(struct weir_channel *c, uint64_t now) {
  for (uint32_t i = 0; i < c->n_slices; i++)
    if (now > c->slices[i].head_stall_since) settle_head(&c->slices[i], now);
}
