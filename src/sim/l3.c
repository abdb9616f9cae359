#include "sim/l3.h"
#include "base/mem.h"

#include "base/fifo.h"
#include "machine/msg.h"

#define S(f, u, h) WEIR_STAT(weir_l3_stats, f, u, h)
const struct weir_stat weir_l3_stat_table[] = {
    S(reads, "request", "reads of L2 slices that were taken"),
    S(read_hits, "request", "reads that found all their sectors"),
    S(read_pending, "request", "reads whose missing sectors were all on their way"),
    S(read_misses, "request", "reads whose line was not there"),
    S(read_partial, "request", "reads whose line was there without all sectors"),
    S(read_sectors, "sector", "sectors read"),
    S(read_sectors_missed, "sector", "of these, neither there nor on their way"),
    S(writes, "request", "lines whose dirty sectors the L2 wrote back"),
    S(write_hits, "request", "writes whose line was there"),
    S(write_misses, "request", "writes whose line was not there"),
    S(write_sectors, "sector", "sectors written"),
    S(fills, "sector", "sectors that came from DRAM"),
    S(evictions, "line", "lines replaced"),
    S(writeback_sectors, "sector", "dirty sectors sent to DRAM"),
    WEIR_STAT_END};
static const struct weir_check l3_checks[] = {
    {"reads == read_hits + read_pending + read_misses + read_partial",
     "every read has one outcome"},
    {"writes == write_hits + write_misses", "every write has one outcome"},
    {NULL, NULL}};
const struct weir_stat_group weir_l3_stat_group = {
    "l3", "What the L3 slices did, if there are any.", weir_l3_stat_table, l3_checks};

enum { SECTOR = 32 };

/* ---- set-up ---- */

bool weir_l3_init(struct weir_l3 *x, const struct weir_machine *m, struct weir_dram *dram) {
  const struct weir_l3_cfg *l3 = &m->l3;
  uint32_t n_mshrs = (uint32_t)l3->mshr_entries, n_waiters = n_mshrs * (uint32_t)l3->mshr_merge;
  *x = (struct weir_l3){.m = m, .dram = dram};
  x->line_shift = (unsigned)__builtin_ctzll((uint64_t)m->l2.line);
  x->set_shift = (unsigned)__builtin_ctzll((uint64_t)l3->sets);
  x->where = weir_calloc(n_mshrs, sizeof *x->where);
  x->token = weir_calloc(n_waiters, sizeof *x->token);
  return weir_lines_init(&x->lines, l3->sets, l3->ways) &&
         weir_mshrs_init(&x->mshr, n_mshrs, n_waiters) && x->where != NULL && x->token != NULL;
}

void weir_l3_free(struct weir_l3 *x) {
  weir_lines_free(&x->lines);
  weir_mshrs_free(&x->mshr);
  free(x->where);
  free(x->token);
  free(x->reads.v);
  free(x->writes.v);
  free(x->answers.v);
}

/* ---- what the L2 asks for ---- */

bool weir_l3_has_read_room(const struct weir_l3 *x) {
  return x->reads.n < (uint32_t)x->m->l3.queue;
}

bool weir_l3_has_write_room(const struct weir_l3 *x, uint32_t sectors) {
  return x->write_sectors + sectors <= (uint32_t)x->m->l2.write_queue;
}

void weir_l3_read(struct weir_l3 *x, uint64_t local, uint8_t sectors, uint32_t token) {
  struct weir_l3_req q = {.local = local, .token = token, .sectors = sectors};
  if (!WEIR_FIFO_PUSH(x->reads, q)) x->is_failed = true;
}

void weir_l3_write(struct weir_l3 *x, uint64_t local, uint8_t sectors, uint8_t full) {
  struct weir_l3_req q = {.local = local, .sectors = sectors, .full = full};
  x->write_sectors += weir_n_sectors(sectors);
  if (!WEIR_FIFO_PUSH(x->writes, q)) x->is_failed = true;
}

static void answer(struct weir_l3 *x, uint32_t token, uint8_t sectors, uint64_t now) {
  for (unsigned left = sectors; left != 0; left &= left - 1) {
    struct weir_l3_answer a = {now + (uint64_t)x->m->l3.latency, token | (left & -left)};
    if (!WEIR_FIFO_PUSH(x->answers, a)) x->is_failed = true;
  }
}

/* ---- lines ---- */

static uint64_t key_of(const struct weir_l3 *x, uint64_t local) {
  return (local >> x->line_shift) + 1;
}

/* Strides of the number of sets do not stay in one. */
static uint32_t set_of(const struct weir_l3 *x, uint64_t local) {
  uint64_t n = local >> x->line_shift;
  return (uint32_t)((n ^ n >> x->set_shift) & (x->lines.sets - 1));
}

/* Places of the DRAM queue and of the write queue in front of it. If the one of reads and writes
 * that comes first waits for them, the other must not take them away. */
static bool has_room(struct weir_l3 *x, uint32_t reads, uint32_t writes) {
  if (reads + writes == 0) return true;
  if (!x->is_claimed && weir_dram_has_write_room(x->dram, writes) &&
      weir_dram_has_read_room(x->dram, reads, writes))
    return true;
  x->is_claimed = true;
  return false;
}

static uint32_t writes_of(const struct weir_l3 *x, const struct weir_mem_line *l) {
  return weir_dram_write_places(x->dram, l->dirty);
}

static struct weir_mem_line *take_way(struct weir_l3 *x, uint32_t set, uint32_t way, uint64_t key) {
  const struct weir_mem_line *l = weir_lines_at(&x->lines, set, way);
  x->stats.evictions += l->line != 0;
  x->stats.writeback_sectors += weir_n_sectors(l->dirty);
  if (!weir_dram_write(x->dram, (l->line - 1) << x->line_shift, l->dirty)) x->is_failed = true;
  return weir_lines_take(&x->lines, set, way, key);
}

/* ---- writes ---- */

static bool take_write(struct weir_l3 *x) {
  const struct weir_l3_req *q = &WEIR_FIFO_HEAD(x->writes);
  uint64_t key = key_of(x, q->local);
  uint32_t set = set_of(x, q->local), way = weir_lines_find(&x->lines, set, key);
  bool is_new = way == WEIR_NO_WAY;
  if (is_new) {
    way = weir_lines_choose(&x->lines, set);
    if (way == WEIR_NO_WAY) return false;
    if (!has_room(x, 0, writes_of(x, weir_lines_at(&x->lines, set, way)))) return false;
    take_way(x, set, way, key);
  }
  struct weir_mem_line *l = weir_lines_at(&x->lines, set, way);
  x->stats.writes++;
  x->stats.write_hits += !is_new;
  x->stats.write_misses += is_new;
  x->stats.write_sectors += weir_n_sectors(q->sectors);
  weir_line_write(l, q->sectors, q->full);
  weir_lines_touch(&x->lines, set, way);
  x->write_sectors -= weir_n_sectors(q->sectors);
  WEIR_FIFO_POP(x->writes);
  return true;
}

/* ---- reads ---- */

static void take_mshr(struct weir_l3 *x, struct weir_mem_line *l) {
  l->mshr = (uint16_t)weir_mshr_open(&x->mshr);
  x->where[l->mshr] = (uint32_t)(l - x->lines.v);
}

/* NULL: it must wait. */
static struct weir_mem_line *take_miss(struct weir_l3 *x, const struct weir_l3_req *q, uint32_t set,
                                       uint32_t *way, uint8_t missing) {
  const struct weir_l3_cfg *l3 = &x->m->l3;
  struct weir_mem_line *l = weir_lines_at(&x->lines, set, *way);
  bool is_new = l == NULL, is_pending = l != NULL && l->pending != 0;
  uint8_t fetch = weir_line_fetch(l, missing, l3->sectored ? 1 : (unsigned)x->m->l2.line / SECTOR);
  if (is_new && (*way = weir_lines_choose(&x->lines, set)) == WEIR_NO_WAY) return NULL;
  if (is_pending && x->mshr.v[l->mshr].n >= (uint32_t)l3->mshr_merge) return NULL;
  if (!is_pending && x->mshr.free_entry == WEIR_NO_ENTRY) return NULL;
  uint32_t writes = is_new ? writes_of(x, weir_lines_at(&x->lines, set, *way)) : 0;
  if (!has_room(x, weir_dram_read_places(x->dram, fetch), writes)) return NULL;
  if (is_new) l = take_way(x, set, *way, key_of(x, q->local));
  if (!is_pending) take_mshr(x, l);
  x->token[weir_mshr_wait(&x->mshr, l->mshr, missing)] = q->token;
  l->pending |= fetch;
  if (!weir_dram_read(x->dram, q->local, fetch, (uint32_t)l->mshr << 8)) x->is_failed = true;
  x->stats.read_sectors_missed += weir_n_sectors(fetch & missing);
  x->stats.read_misses += is_new;
  x->stats.read_pending += !is_new && fetch == 0;
  x->stats.read_partial += !is_new && fetch != 0;
  return l;
}

static bool take_read(struct weir_l3 *x, uint64_t now) {
  const struct weir_l3_req *q = &WEIR_FIFO_HEAD(x->reads);
  uint32_t set = set_of(x, q->local), way = weir_lines_find(&x->lines, set, key_of(x, q->local));
  const struct weir_mem_line *l = weir_lines_at(&x->lines, set, way);
  uint8_t missing = l != NULL ? (uint8_t)(q->sectors & ~l->valid) : q->sectors;
  if (missing != 0 && take_miss(x, q, set, &way, missing) == NULL) return false;
  weir_lines_touch(&x->lines, set, way);
  x->stats.reads++;
  x->stats.read_hits += missing == 0;
  x->stats.read_sectors += weir_n_sectors(q->sectors);
  answer(x, q->token, (uint8_t)(q->sectors & ~missing), now);
  WEIR_FIFO_POP(x->reads);
  return true;
}

/* ---- a cycle ---- */

/* The one that comes first keeps its turn until it is served; the other may pass it meanwhile if it
 * leaves the DRAM's queues alone. None waits for ever: those queues empty by themselves, and so do
 * the MSHRs. */
bool weir_l3_cycle(struct weir_l3 *x, uint64_t now) {
  x->is_claimed = false;
  for (unsigned i = 0; i < 2; i++) {
    bool is_write = x->is_write_turn == (i == 0);
    if ((is_write ? x->writes.n : x->reads.n) == 0) continue;
    if (!(is_write ? take_write(x) : take_read(x, now))) continue;
    x->is_write_turn = !is_write;
    return true;
  }
  return false;
}

void weir_l3_fill(struct weir_l3 *x, uint32_t token, uint64_t now) {
  uint32_t e = token >> 8;
  struct weir_mem_line *l = &x->lines.v[x->where[e]];
  uint8_t sectors = (uint8_t)token;
  weir_line_fill(l, sectors);
  x->stats.fills += weir_n_sectors(sectors);
  for (uint32_t w = x->mshr.v[e].first; w != WEIR_NO_WAITER; w = x->mshr.waiter[w].next)
    answer(x, x->token[w], (uint8_t)(x->mshr.waiter[w].wait & sectors), now);
  uint32_t done = weir_mshr_arrive(&x->mshr, e, sectors);
  while (done != WEIR_NO_WAITER)
    done = weir_mshr_release(&x->mshr, done);
  if (l->pending == 0) weir_mshr_close(&x->mshr, e);
}

bool weir_l3_is_idle(const struct weir_l3 *x) {
  return x->reads.n == 0 && x->writes.n == 0 && x->answers.n == 0 && x->mshr.n == 0;
}
