#include "sim/dram.h"

#include <stdlib.h>

#include "sim/msg.h"

#define S(f, u, h) WEIR_STAT(weir_dram_stats, f, u, h)
const struct weir_stat weir_dram_stat_table[] = {
    S(reads, "access", "column reads (one atom each)"),
    S(writes, "access", "column writes"),
    S(activates, "command", "rows opened"),
    S(precharges, "command", "rows closed"),
    S(row_hits, "access",
      "column accesses to a row that was open when they became the oldest of it"),
    S(row_misses, "access", "column accesses for which a closed bank was opened"),
    S(row_conflicts, "access", "column accesses for which another row had to be closed first"),
    S(busy_cyc, "cycle", "DRAM cycles in which the data bus moved data"),
    WEIR_STAT_END};
const struct weir_stat_group weir_dram_stat_group = {"dram", "What the DRAM channels did.",
                                                     weir_dram_stat_table, NULL};

bool weir_dram_init(struct weir_dram *d, const struct weir_dram_cfg *cfg) {
  *d = (struct weir_dram){.cfg = cfg, .bank_count = (unsigned)cfg->banks};
  d->req = calloc((size_t)cfg->queue, sizeof *d->req);
  d->bank = calloc((size_t)cfg->banks, sizeof *d->bank);
  d->next_col_group = calloc((size_t)cfg->bank_groups, sizeof *d->next_col_group);
  if (d->req == NULL || d->bank == NULL || d->next_col_group == NULL) return false;
  while ((INT64_C(1) << d->col_shift) < cfg->row_bytes)
    d->col_shift++;
  for (int64_t i = 0; i < cfg->queue; i++)
    d->req[i].next = (int16_t)(i + 1 < cfg->queue ? i + 1 : -1);
  for (unsigned b = 0; b < d->bank_count; b++)
    d->bank[b] = (struct weir_dram_bank){.open_row = UINT64_MAX, .head = -1, .tail = -1, .hit = -1};
  return true;
}

void weir_dram_free(struct weir_dram *d) {
  free(d->req);
  free(d->bank);
  free(d->next_col_group);
}

void weir_dram_push(struct weir_dram *d, uint64_t addr, bool is_write, uint32_t token) {
  int16_t i = d->free;
  struct weir_dram_req *r = &d->req[i];
  d->free = r->next;
  uint64_t page = addr >> d->col_shift;
  r->row = page / d->bank_count;
  r->bank = (uint8_t)((page + r->row) %
                      d->bank_count); /* a stride of whole rows does not stay in one bank */
  r->is_write = is_write;
  r->was_opened = false;
  r->token = token;
  r->seq = d->next_seq++;
  r->next = -1;
  d->n++;
  struct weir_dram_bank *b = &d->bank[r->bank];
  if (b->tail >= 0)
    d->req[b->tail].next = i;
  else
    b->head = i;
  b->tail = i;
  if (b->hit < 0 && b->open_row == r->row) b->hit = i;
}

static void unlink_req(struct weir_dram *d, struct weir_dram_bank *b, int16_t i) {
  int16_t prev = -1;
  for (int16_t k = b->head; k != i; k = d->req[k].next)
    prev = k;
  int16_t next = d->req[i].next;
  if (prev >= 0)
    d->req[prev].next = next;
  else
    b->head = next;
  if (b->tail == i) b->tail = prev;
  b->hit = -1;
  for (int16_t k = b->head; k >= 0; k = d->req[k].next)
    if (d->req[k].row == b->open_row) {
      b->hit = k;
      break;
    }
  d->req[i].next = d->free;
  d->free = i;
  d->n--;
}

/* Earliest cycle of the column command for request r of an open bank. */
static uint64_t column_time(const struct weir_dram *d, const struct weir_dram_bank *b,
                            const struct weir_dram_req *r, unsigned group) {
  const struct weir_dram_cfg *c = d->cfg;
  uint64_t t = weir_max64(weir_max64(b->next_col, d->next_col), d->next_col_group[group]);
  uint64_t lead = (uint64_t)(r->is_write ? c->t_wl : c->t_cl);
  if (d->bus_free > t + lead) t = d->bus_free - lead;
  if (!r->is_write && d->write_end != 0) t = weir_max64(t, d->write_end + (uint64_t)c->t_cdlr);
  return t;
}

static void issue_column(struct weir_dram *d, unsigned bank, uint64_t now, uint32_t *token,
                         uint64_t *done_at) {
  const struct weir_dram_cfg *c = d->cfg;
  struct weir_dram_bank *b = &d->bank[bank];
  int16_t i = b->hit;
  struct weir_dram_req *r = &d->req[i];
  unsigned group = bank % (unsigned)c->bank_groups;
  uint64_t start = now + (uint64_t)(r->is_write ? c->t_wl : c->t_cl),
           end = start + (uint64_t)c->burst_cyc;
  d->bus_free = end;
  d->next_col = now + (uint64_t)c->t_ccd;
  d->next_col_group[group] = now + (uint64_t)c->t_ccdl;
  d->stats.busy_cyc += (uint64_t)c->burst_cyc;
  if (!r->was_opened) d->stats.row_hits++;
  if (r->is_write) {
    d->write_end = end;
    b->next_pre = weir_max64(b->next_pre, end + (uint64_t)c->t_wr);
    d->stats.writes++;
  } else {
    b->next_pre = weir_max64(b->next_pre, now + (uint64_t)c->t_rtpl);
    d->stats.reads++;
    *token = r->token;
    *done_at = end;
  }
  unlink_req(d, b, i);
}

static void issue_row(struct weir_dram *d, unsigned bank, uint64_t now) {
  const struct weir_dram_cfg *c = d->cfg;
  struct weir_dram_bank *b = &d->bank[bank];
  struct weir_dram_req *r = &d->req[b->head];
  if (b->open_row != UINT64_MAX) {
    b->open_row = UINT64_MAX;
    b->hit = -1;
    b->next_act = weir_max64(b->next_act, now + (uint64_t)c->t_rp);
    d->stats.precharges++;
    if (!r->was_opened) d->stats.row_conflicts++;
    r->was_opened = true;
    return;
  }
  b->open_row = r->row;
  b->hit = b->head;
  b->next_col = now + (uint64_t)c->t_rcd;
  b->next_pre = now + (uint64_t)c->t_ras;
  b->next_act = now + (uint64_t)c->t_rc;
  d->next_act = now + (uint64_t)c->t_rrd;
  d->stats.activates++;
  if (!r->was_opened) d->stats.row_misses++;
  r->was_opened = true;
}

unsigned weir_dram_step(struct weir_dram *d, uint64_t now, uint32_t *token, uint64_t *done_at,
                        uint64_t *next) {
  const struct weir_dram_cfg *c = d->cfg;
  *next = WEIR_NEVER;
  if (d->n == 0) return 0;
  int col = -1, row = -1;
  uint64_t soonest = WEIR_NEVER;
  for (unsigned k = 0; k < d->bank_count; k++) {
    struct weir_dram_bank *b = &d->bank[k];
    if (b->head < 0) continue;
    if (b->hit >= 0) {
      uint64_t t = column_time(d, b, &d->req[b->hit], k % (unsigned)c->bank_groups);
      if (t <= now &&
          (col < 0 || d->req[b->hit].seq - d->req[d->bank[col].hit].seq > UINT32_MAX / 2))
        col = (int)k;
      soonest = weir_min64(soonest, t);
    } else {
      uint64_t t = b->open_row != UINT64_MAX ? b->next_pre : weir_max64(b->next_act, d->next_act);
      if (t <= now &&
          (row < 0 || d->req[b->head].seq - d->req[d->bank[row].head].seq > UINT32_MAX / 2))
        row = (int)k;
      soonest = weir_min64(soonest, t);
    }
  }
  unsigned reads = 0;
  if (col >= 0) {
    reads = !d->req[d->bank[col].hit].is_write;
    issue_column(d, (unsigned)col, now, token, done_at);
  }
  if (row >= 0 && (col < 0 || c->dual_bus)) issue_row(d, (unsigned)row, now);
  *next = soonest > now ? soonest : now + 1;
  if (d->n == 0) *next = WEIR_NEVER;
  return reads;
}
