#include "sim/dram.h"
#include "base/mem.h"

#include <stdlib.h>
#include <string.h>

#define S(f, u, h) WEIR_STAT(weir_dram_stats, f, u, h)
const struct weir_stat weir_dram_stat_table[] = {
    S(reads, "access", "column reads (one atom each)"),
    S(writes, "access", "column writes"),
    S(read_bytes, "byte", "data that reads moved: whole atoms"),
    S(write_bytes, "byte", "... that writes moved"),
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

enum { SECTOR = 32 };

bool weir_dram_init(struct weir_dram *d, const struct weir_dram_cfg *cfg, int64_t line,
                    int64_t write_queue) {
  int64_t atom = cfg->atom_bytes, waiting = write_queue * SECTOR / atom;
  *d = (struct weir_dram){.cfg = cfg,
                          .row_from = WEIR_NEVER,
                          .narrow = atom < SECTOR ? (unsigned)(SECTOR / atom) : 1,
                          .wide = atom > SECTOR ? (unsigned)(atom / SECTOR) : 1,
                          .pool = (uint32_t)weir_dram_pool(cfg, line),
                          .line_columns = (uint32_t)(line / atom)};
  d->input.limit = (uint32_t)(cfg->input_queue > 0 ? cfg->input_queue : waiting);
  unsigned n_banks = (unsigned)cfg->banks;
  d->n_masks = (n_banks + 63) / 64;
  d->req = weir_calloc(d->pool, sizeof *d->req);
  d->bank = weir_calloc((size_t)cfg->banks, sizeof *d->bank);
  d->row_at = weir_calloc((size_t)cfg->banks, sizeof *d->row_at);
  d->next_col_group = weir_calloc((size_t)cfg->bank_groups, sizeof *d->next_col_group);
  if (d->req == NULL || d->bank == NULL || d->row_at == NULL || d->next_col_group == NULL)
    return false;
  memset(d->closed, 0xff, sizeof d->closed);
  weir_bank_map_init(&d->map, cfg); /* checked with the machine */
  for (uint32_t i = 1; i <= d->pool; i++)
    weir_list_append(&d->free, WEIR_LINKS(d->req, link), i);
  for (unsigned b = 0; b < n_banks; b++)
    d->bank[b] = (struct weir_dram_bank){.open_row = UINT64_MAX,
                                         .group = (uint8_t)(b % (unsigned)cfg->bank_groups)};
  return true;
}

void weir_dram_free(struct weir_dram *d) {
  free(d->req);
  free(d->bank);
  free(d->row_at);
  free(d->next_col_group);
  free(d->input.v);
}

/* ---- which banks want what ---- */

/* After any change of a bank's requests or its row. */
static void sort_bank(struct weir_dram *d, unsigned bank) {
  struct weir_dram_bank *b = &d->bank[bank];
  unsigned m = bank / 64;
  uint64_t bit = UINT64_C(1) << bank % 64;
  d->col[m] &= ~bit;
  d->wait[m] &= ~bit;
  d->ready[m] &= ~bit;
  if (b->queue.first == 0) return;
  b->head_seq = d->req[b->queue.first - 1].seq;
  if (b->hit != 0) {
    b->hit_seq = d->req[b->hit - 1].seq;
    b->is_hit_write = d->req[b->hit - 1].is_write;
    d->col[m] |= bit;
  } else {
    d->wait[m] |= bit;
    d->row_at[bank] = d->closed[m] & bit ? b->next_act : b->next_pre;
    d->row_from = weir_min64(d->row_from, d->row_at[bank]);
  }
}

static void push_column(struct weir_dram *d, const struct weir_dram_item *x) {
  uint16_t i = d->free.first;
  struct weir_dram_req *r = &d->req[i - 1];
  weir_list_remove(&d->free, WEIR_LINKS(d->req, link), i);
  struct weir_place place = weir_bank_place(&d->map, x->addr);
  r->row = place.row;
  r->bank = (uint8_t)place.bank;
  r->is_write = x->is_write;
  r->was_opened = false;
  r->is_last = x->is_last;
  r->token = x->token;
  r->seq = d->next_seq++;
  d->n++;
  d->n_requests += x->is_last;
  struct weir_dram_bank *b = &d->bank[r->bank];
  d->n_busy += b->queue.first == 0;
  weir_list_append(&b->queue, WEIR_LINKS(d->req, link), i);
  bool is_first_hit = b->hit == 0 && b->open_row == r->row;
  if (is_first_hit) b->hit = i;
  if (is_first_hit || b->queue.first == i) sort_bank(d, r->bank);
}

void weir_dram_push(struct weir_dram *d, uint64_t addr, bool is_write, uint32_t token) {
  push_column(d, &(struct weir_dram_item){
                     .addr = addr, .token = token, .is_write = is_write, .is_last = true});
}

/* ---- requests ---- */

/* A column, into the queue or in front of it. */
static bool enter(struct weir_dram *d, const struct weir_dram_item *x) {
  bool by_request = d->cfg->input_queue > 0;
  if (!x->is_write && !by_request) {
    push_column(d, x);
    return true;
  }
  d->input.places += x->is_last || !by_request;
  return WEIR_FIFO_PUSH(d->input, *x);
}

/* Those of a request lie in one row and follow one another, the last one issued last, if dram.map
 * keeps a line in one bank. */
static bool request(struct weir_dram *d, uint64_t base, uint8_t sectors, bool is_write,
                    uint32_t token) {
  unsigned atom = (unsigned)d->cfg->atom_bytes;
  for (unsigned left = sectors; left != 0;) {
    unsigned k = (unsigned)__builtin_ctz(left) & ~(d->wide - 1);
    unsigned here = left & ((1u << d->wide) - 1) << k;
    left &= ~here;
    for (unsigned a = 1; a <= d->narrow; a++) {
      struct weir_dram_item x = {.addr = base + k * SECTOR + (a - 1) * atom,
                                 .token = a < d->narrow ? WEIR_DRAM_NO_TOKEN : token | here,
                                 .is_write = is_write,
                                 .is_last = left == 0 && a == d->narrow};
      if (!enter(d, &x)) return false;
    }
  }
  return true;
}

bool weir_dram_read(struct weir_dram *d, uint64_t base, uint8_t sectors, uint32_t token) {
  return request(d, base, sectors, false, token);
}

bool weir_dram_write(struct weir_dram *d, uint64_t base, uint8_t sectors) {
  return request(d, base, sectors, true, 0);
}

/* What waits in front of the queue enters it in order: column by column, or a request at a time. */
static void feed(struct weir_dram *d) {
  bool by_request = d->cfg->queue_counts == WEIR_DRAM_REQUESTS, is_last;
  while (d->input.n > 0 && weir_dram_has_room(d, 1))
    do {
      const struct weir_dram_item *x = &WEIR_FIFO_HEAD(d->input);
      is_last = x->is_last;
      d->input.places -= is_last || d->cfg->input_queue == 0;
      push_column(d, x);
      WEIR_FIFO_POP(d->input);
    } while (by_request && !is_last);
}

/* The hit has been served: the next one is behind it, if there is one. */
static void unlink_hit(struct weir_dram *d, struct weir_dram_bank *b) {
  uint16_t i = b->hit, k = d->req[i - 1].link.next;
  while (k != 0 && d->req[k - 1].row != b->open_row)
    k = d->req[k - 1].link.next;
  b->hit = k;
  weir_list_remove(&b->queue, WEIR_LINKS(d->req, link), i);
  weir_list_prepend(&d->free, WEIR_LINKS(d->req, link), i);
  d->n--;
  d->n_requests -= d->req[i - 1].is_last;
  d->n_busy -= b->queue.first == 0;
}

/* ---- commands ---- */

/* What all column commands of a kind wait for, whatever their bank. */
static uint64_t column_from(const struct weir_dram *d, bool is_write) {
  const struct weir_dram_cfg *c = d->cfg;
  uint64_t t = d->next_col, lead = (uint64_t)(is_write ? c->t_wl : c->t_cl);
  if (d->bus_free > t + lead) t = d->bus_free - lead;
  if (!is_write && d->write_end != 0) t = weir_max64(t, d->write_end + (uint64_t)c->t_cdlr);
  return t;
}

/* By the column command itself (an auto-precharge), as soon as the bank may: it is no command of
 * the row bus. */
static void close_row(struct weir_dram *d, unsigned bank) {
  struct weir_dram_bank *b = &d->bank[bank];
  d->closed[bank / 64] |= UINT64_C(1) << bank % 64;
  b->open_row = UINT64_MAX;
  b->next_act = weir_max64(b->next_act, b->next_pre + (uint64_t)d->cfg->t_rp);
  d->stats.precharges++;
}

static void issue_column(struct weir_dram *d, unsigned bank, uint64_t now, uint32_t *token,
                         uint64_t *done_at) {
  const struct weir_dram_cfg *c = d->cfg;
  struct weir_dram_bank *b = &d->bank[bank];
  struct weir_dram_req *r = &d->req[b->hit - 1];
  uint64_t start = now + (uint64_t)(r->is_write ? c->t_wl : c->t_cl),
           end = start + (uint64_t)c->burst_cyc;
  d->bus_free = end;
  d->next_col = now + (uint64_t)c->t_ccd;
  d->next_col_group[b->group] = now + (uint64_t)c->t_ccdl;
  d->stats.busy_cyc += (uint64_t)c->burst_cyc;
  if (!r->was_opened) d->stats.row_hits++;
  if (r->is_write) {
    d->write_end = end;
    b->next_pre = weir_max64(b->next_pre, end + (uint64_t)c->t_wr);
    d->stats.writes++;
    d->stats.write_bytes += (uint64_t)c->atom_bytes;
  } else {
    b->next_pre = weir_max64(b->next_pre, now + (uint64_t)c->t_rtpl);
    d->stats.reads++;
    d->stats.read_bytes += (uint64_t)c->atom_bytes;
    *token = r->token;
    *done_at = end;
  }
  unlink_hit(d, b);
  if (b->hit == 0 && c->page == WEIR_DRAM_CLOSED) close_row(d, bank);
  sort_bank(d, bank);
}

static void issue_row(struct weir_dram *d, unsigned bank, uint64_t now) {
  const struct weir_dram_cfg *c = d->cfg;
  struct weir_dram_bank *b = &d->bank[bank];
  struct weir_dram_req *r = &d->req[b->queue.first - 1];
  uint64_t *closed = &d->closed[bank / 64], bit = UINT64_C(1) << bank % 64;
  if ((*closed & bit) == 0) {
    *closed |= bit;
    b->open_row = UINT64_MAX;
    b->next_act = weir_max64(b->next_act, now + (uint64_t)c->t_rp);
    d->stats.precharges++;
    if (!r->was_opened) d->stats.row_conflicts++;
  } else {
    *closed &= ~bit;
    b->open_row = r->row;
    b->hit = b->queue.first;
    b->next_col = now + (uint64_t)c->t_rcd;
    b->next_pre = now + (uint64_t)c->t_ras;
    b->next_act = now + (uint64_t)c->t_rc;
    d->next_act = now + (uint64_t)c->t_rrd;
    d->stats.activates++;
    if (!r->was_opened) d->stats.row_misses++;
  }
  r->was_opened = true;
  sort_bank(d, bank);
}

static bool is_older(uint32_t a, uint32_t b) {
  return a - b > UINT32_MAX / 2;
}

/* The bank of the oldest column command that is legal now, -1 if none is; *soonest: when the first
 * of the others is. */
static int choose_column(const struct weir_dram *d, uint64_t now, uint64_t *soonest) {
  uint64_t from[2] = {column_from(d, false), column_from(d, true)};
  int best = -1;
  *soonest = WEIR_NEVER;
  for (unsigned m = 0; m < d->n_masks; m++)
    for (uint64_t left = d->col[m]; left != 0; left &= left - 1) {
      unsigned k = m * 64 + (unsigned)__builtin_ctzll(left);
      const struct weir_dram_bank *b = &d->bank[k];
      uint64_t t = weir_max64(b->next_col, d->next_col_group[b->group]);
      t = weir_max64(t, from[b->is_hit_write]);
      if (t > now)
        *soonest = weir_min64(*soonest, t);
      else if (best < 0 || is_older(b->hit_seq, d->bank[best].hit_seq))
        best = (int)k;
    }
  return best;
}

/* Banks whose time has come need not be asked again. */
static void find_ready(struct weir_dram *d, uint64_t now) {
  if (d->row_from > now) return;
  uint64_t from = WEIR_NEVER;
  for (unsigned m = 0; m < d->n_masks; m++) {
    for (uint64_t left = d->wait[m]; left != 0; left &= left - 1) {
      uint64_t t = d->row_at[m * 64 + (unsigned)__builtin_ctzll(left)];
      if (t <= now)
        d->ready[m] |= left & -left;
      else
        from = weir_min64(from, t);
    }
    d->wait[m] &= ~d->ready[m];
  }
  d->row_from = from;
}

/* The bank of the oldest row command that is legal now, -1 if none is. */
static int choose_row(const struct weir_dram *d, uint64_t now) {
  int best = -1;
  for (unsigned m = 0; m < d->n_masks; m++)
    for (uint64_t left = d->ready[m] & (d->next_act <= now ? UINT64_MAX : ~d->closed[m]); left != 0;
         left &= left - 1) {
      unsigned k = m * 64 + (unsigned)__builtin_ctzll(left);
      if (best < 0 || is_older(d->bank[k].head_seq, d->bank[best].head_seq)) best = (int)k;
    }
  return best;
}

/* When a row command can be legal next, after cycle `now`. */
static uint64_t next_row(const struct weir_dram *d, uint64_t now) {
  uint64_t t = d->row_from;
  for (unsigned m = 0; m < d->n_masks; m++) {
    if ((d->ready[m] & d->closed[m]) != 0) t = weir_min64(t, d->next_act);
    if ((d->ready[m] & ~d->closed[m]) != 0) t = now;
  }
  return t;
}

unsigned weir_dram_step(struct weir_dram *d, uint64_t now, uint32_t *token, uint64_t *done_at,
                        uint64_t *next) {
  uint64_t soonest;
  unsigned reads = 0;
  *next = WEIR_NEVER;
  feed(d);
  if (d->n == 0) return 0;
  find_ready(d, now);
  int col = choose_column(d, now, &soonest), row = choose_row(d, now);
  if (col >= 0) {
    reads = !d->bank[col].is_hit_write;
    issue_column(d, (unsigned)col, now, token, done_at);
    soonest = d->next_col;
  }
  if (row >= 0 && (col < 0 || d->cfg->dual_bus)) {
    issue_row(d, (unsigned)row, now);
    if (d->bank[row].hit != 0) soonest = weir_min64(soonest, d->bank[row].next_col);
  }
  if (d->n > 0) *next = weir_max64(weir_min64(soonest, next_row(d, now)), now + 1);
  if (d->input.n > 0 && weir_dram_has_room(d, 1)) *next = now + 1;
  return reads;
}
