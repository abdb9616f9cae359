/* Lines in sets: the conventional L1, and the sectored one, whose lines come in parts. */
#include <string.h>

#include "l1/organisation/lines.h"

/* State: this header, then for each set how full it is, then the ways as policies see them, then
 * (with many ways) a table from line to way. All of it in one block without pointers. */
struct lines {
  uint32_t ways;       /* in force */
  uint32_t table_mask; /* 0: few ways, sets are searched */
  uint32_t room, used; /* lines that there are data for, and those that have some */
  uint32_t n_held;     /* of these, for loads on their way that bypass */
  uint32_t hand;       /* the set that gives up a line next if all data are taken */
};

struct room {
  uint16_t first, used; /* ways below `first` are not empty */
};

enum { SEARCHED_WAYS = 8 };

static size_t table_entries(const struct weir_geometry *g) {
  size_t n = 16;
  if (g->ways <= SEARCHED_WAYS) return 0;
  while (n < 2 * (size_t)g->sets * g->ways)
    n *= 2;
  return n;
}

static size_t lines_offset(const struct weir_geometry *g) {
  return (sizeof(struct lines) + g->sets * sizeof(struct room) + 15) / 16 * 16;
}

static size_t state_size(const void *cfg, const struct weir_geometry *g) {
  (void)cfg;
  return lines_offset(g) + (size_t)g->sets * g->ways * sizeof(struct weir_line) +
         table_entries(g) * sizeof(uint32_t);
}

/* Accessors of const state give up const: callers that only look take the result as const. */
static struct weir_line *lines_of(const struct weir_policy *p) {
  return (struct weir_line *)((char *)p->state + lines_offset(p->geometry));
}
static struct weir_line *set_of(const struct weir_policy *p, uint32_t set) {
  return lines_of(p) + (size_t)set * p->geometry->ways;
}
static uint32_t *table_of(const struct weir_policy *p) {
  return (uint32_t *)(lines_of(p) + (size_t)p->geometry->sets * p->geometry->ways);
}
static struct room *room_of(const struct weir_policy *p, uint32_t set) {
  return (struct room *)((char *)p->state + sizeof(struct lines)) + set;
}
static bool on_fill(const struct weir_policy *p) {
  return ((const struct weir_lines_cfg *)p->cfg)->on_fill;
}

static enum weir_status init(struct weir_policy *p, struct weir_err *err) {
  (void)err;
  struct lines *s = p->state;
  size_t n = table_entries(p->geometry);
  s->ways = p->geometry->ways;
  s->room = p->geometry->sets * s->ways;
  s->table_mask = n > 0 ? (uint32_t)n - 1 : 0;
  return WEIR_OK;
}

/* ---- from line to way ---- */

static uint64_t key_of(const struct weir_policy *p, uint64_t addr) {
  return (addr >> __builtin_ctz(p->geometry->line_bytes)) + 1;
}

static uint32_t home(const struct lines *s, uint64_t key) {
  return (uint32_t)((key * UINT64_C(0x9e3779b97f4a7c15)) >> 40) & s->table_mask;
}

/* The way that holds the line; -1: none. Entries of the table are 1 + the number of the line. */
static int find(const struct weir_policy *p, uint32_t set, uint64_t key) {
  const struct lines *s = p->state;
  const struct weir_line *l = set_of(p, set);
  if (s->table_mask == 0) {
    for (uint32_t i = 0; i < s->ways; i++)
      if (l[i].tag == key) return (int)i;
    return -1;
  }
  const struct weir_line *all = lines_of(p);
  const uint32_t *table = table_of(p);
  for (uint32_t i = home(s, key); table[i] != 0; i = (i + 1) & s->table_mask)
    if (all[table[i] - 1].tag == key) return (int)(&all[table[i] - 1] - l);
  return -1;
}

static void table_put(struct weir_policy *p, const struct weir_line *l) {
  const struct lines *s = p->state;
  if (s->table_mask == 0) return;
  uint32_t *table = table_of(p), i = home(s, l->tag);
  while (table[i] != 0)
    i = (i + 1) & s->table_mask;
  table[i] = (uint32_t)(l - lines_of(p)) + 1;
}

static void table_remove(struct weir_policy *p, const struct weir_line *l) {
  const struct lines *s = p->state;
  if (s->table_mask == 0) return;
  const struct weir_line *all = lines_of(p);
  uint32_t *table = table_of(p), i = home(s, l->tag), me = (uint32_t)(l - all) + 1;
  while (table[i] != me)
    i = (i + 1) & s->table_mask;
  for (uint32_t k = (i + 1) & s->table_mask; table[k] != 0; k = (k + 1) & s->table_mask) {
    uint32_t h = home(s, all[table[k] - 1].tag);
    if (((k - h) & s->table_mask) < ((k - i) & s->table_mask)) continue; /* would pass its home */
    table[i] = table[k];
    i = k;
  }
  table[i] = 0;
}

/* ---- looking ---- */

static struct weir_set view(const struct weir_policy *p, uint32_t set) {
  const struct lines *s = p->state;
  return (struct weir_set){.line = set_of(p, set), .index = set, .ways = s->ways};
}

static struct weir_probe probe(const struct weir_policy *p, const struct weir_access *a,
                               uint32_t want) {
  int way = find(p, a->set, key_of(p, a->addr));
  struct weir_probe r = {.verdict = WEIR_CACHE, .want = want, .way = way, .outcome = WEIR_MISS};
  if (way < 0) return r;
  const struct weir_line *l = set_of(p, a->set) + way;
  r.valid = l->valid_mask;
  r.pending = l->pending_mask;
  uint32_t missing = want & ~r.valid;
  r.outcome = missing == 0                  ? WEIR_HIT
              : (missing & ~r.pending) == 0 ? WEIR_HIT_PENDING
                                            : WEIR_PARTIAL;
  return r;
}

static int free_way(const struct weir_policy *p, uint32_t set) {
  const struct lines *s = p->state;
  const struct weir_line *l = set_of(p, set);
  const struct room *r = room_of(p, set);
  if (r->used == s->ways) return -1;
  uint32_t i = r->first;
  while (l[i].tag != 0)
    i++;
  return (int)i;
}

static int way_for(const struct weir_policy *p, const struct weir_access *a) {
  int way = free_way(p, a->set);
  return way >= 0 ? way : weir_l1_victim(p, a, view(p, a->set));
}

/* Tags without data: a line of another set has to go, of the next one round that has any. */
static bool lacks_data(const struct weir_policy *p, uint32_t set) {
  const struct lines *s = p->state;
  return s->used == s->room && room_of(p, set)->used < s->ways;
}

static int data_victim(const struct weir_policy *p, const struct weir_access *a, uint32_t *set) {
  const struct lines *s = p->state;
  const uint32_t n = p->geometry->sets;
  for (uint32_t k = 0; k < n; k++) {
    *set = s->hand + k < n ? s->hand + k : s->hand + k - n;
    int way = room_of(p, *set)->used > 0 ? weir_l1_victim(p, a, view(p, *set)) : -1;
    if (way >= 0) return way;
  }
  return -1;
}

/* The line that goes if one comes for the access; -1: none has to, -2: none can. */
static int victim_for(const struct weir_policy *p, const struct weir_access *a, uint32_t *set) {
  *set = a->set;
  int way = lacks_data(p, a->set) ? data_victim(p, a, set) : way_for(p, a);
  if (way < 0) return -2;
  return set_of(p, *set)[way].tag != 0 ? way : -1;
}

static int can_reserve(const struct weir_policy *p, const struct weir_access *a,
                       const struct weir_probe *r, uint32_t fetch) {
  uint32_t set;
  if (r->way >= 0 || (on_fill(p) && fetch != 0)) return 0;
  int way = victim_for(p, a, &set);
  return way < -1 ? -1 : way >= 0 && set_of(p, set)[way].dirty_mask != 0;
}

/* ---- changing ---- */

static void empty(struct weir_policy *p, uint32_t set, int way) {
  struct weir_line *l = set_of(p, set) + way;
  table_remove(p, l);
  *l = (struct weir_line){0};
  struct room *r = room_of(p, set);
  ((struct lines *)p->state)->used--;
  r->used--;
  if (way < r->first) r->first = (uint16_t)way;
}

/* A way for the access's line; there is one. */
static struct weir_line *take(struct weir_policy *p, const struct weir_access *a, int *way) {
  struct lines *s = p->state;
  uint32_t set;
  int old = victim_for(p, a, &set);
  if (lacks_data(p, a->set)) s->hand = (set + 1) % p->geometry->sets;
  if (old >= 0) {
    weir_l1_evict(p, a, view(p, set), old, WEIR_BY_REPLACEMENT);
    empty(p, set, old);
  }
  *way = old >= 0 && set == a->set ? old : free_way(p, a->set);
  struct weir_line *l = set_of(p, a->set) + *way;
  s->used++;
  l->tag = key_of(p, a->addr);
  table_put(p, l);
  struct room *r = room_of(p, a->set);
  r->used++;
  if (r->first == *way) r->first++;
  weir_l1_alloc(p, a, view(p, a->set), *way);
  return l;
}

static uint32_t reserve(struct weir_policy *p, const struct weir_access *a,
                        const struct weir_probe *r, uint32_t fetch) {
  int way = r->way;
  if (way < 0 && on_fill(p)) return 0;
  struct weir_line *l = way >= 0 ? set_of(p, a->set) + way : take(p, a, &way);
  l->pending_mask |= (uint16_t)fetch;
  return 0;
}

static void commit_nothing(struct weir_policy *p, const struct weir_access *a,
                           const struct weir_probe *r) {
  (void)p, (void)a, (void)r;
}

static void write_line(struct weir_policy *p, const struct weir_access *a,
                       const struct weir_probe *r, bool is_dirty, bool allocates) {
  int way = r->way;
  if (way < 0 && !allocates) return;
  struct weir_line *l = way >= 0 ? set_of(p, a->set) + way : take(p, a, &way);
  uint16_t whole = a->sectors & a->full;
  if (is_dirty) {
    l->dirty_mask |= a->sectors;
    l->valid_mask |= whole;
  } else if (allocates) {
    l->written_mask =
        (uint16_t)((l->written_mask | (a->sectors & ~a->full & ~l->valid_mask)) & ~whole);
    l->valid_mask |= whole;
  }
}

/* Data of whatever line can give up its own. */
static bool hold(struct weir_policy *p, const struct weir_access *a, bool has_room) {
  struct lines *s = p->state;
  if (s->used == s->room) {
    uint32_t set;
    int way = has_room ? data_victim(p, a, &set) : -1;
    if (way < 0) return false;
    s->hand = (set + 1) % p->geometry->sets;
    weir_l1_evict(p, a, view(p, set), way, WEIR_BY_REPLACEMENT);
    empty(p, set, way);
  }
  s->used++;
  s->n_held++;
  return true;
}

static void release(struct weir_policy *p) {
  struct lines *s = p->state;
  s->used--;
  s->n_held--;
}

/* Sectors of which something is here, or will be. A dirty sector may be known in part only. */
static uint16_t held(const struct weir_line *l) {
  return l->valid_mask | l->pending_mask | l->written_mask | l->dirty_mask;
}

static void drop_if_empty(struct weir_policy *p, const struct weir_access *a, uint32_t set, int way,
                          enum weir_cause cause) {
  if (held(set_of(p, set) + way) != 0) return;
  weir_l1_evict(p, a, view(p, set), way, cause);
  empty(p, set, way);
}

static int fill(struct weir_policy *p, const struct weir_access *a, uint32_t arrived,
                uint32_t dropped, uint32_t room) {
  int way = find(p, a->set, key_of(p, a->addr));
  if (way < 0) {
    /* Allocating on miss, its way was given up meanwhile: only the waiters get the data. */
    if (!on_fill(p) || (arrived & ~dropped) == 0) return -1;
    uint32_t set;
    int old = victim_for(p, a, &set);
    if (old < -1 || (old >= 0 && set_of(p, set)[old].dirty_mask != 0 && room == 0)) return -1;
    take(p, a, &way);
  }
  struct weir_line *l = set_of(p, a->set) + way;
  l->pending_mask &= (uint16_t)~arrived;
  l->written_mask &= (uint16_t)~arrived;
  l->valid_mask |= (uint16_t)(arrived & ~dropped);
  drop_if_empty(p, a, a->set, way, WEIR_BY_STORE);
  return l->tag != 0 ? way : -1;
}

static uint32_t invalidate(struct weir_policy *p, const struct weir_access *a, uint32_t sectors,
                           enum weir_cause cause) {
  int way = find(p, a->set, key_of(p, a->addr));
  if (way < 0) return 0;
  struct weir_line *l = set_of(p, a->set) + way;
  if (((l->valid_mask | l->written_mask | l->dirty_mask) & sectors) == 0) return 0;
  /* What a store overwrites whole needs no write-back; other bytes that were kept do. They go when
   * the line ends, and stay with one that cannot end yet. */
  l->dirty_mask &= (uint16_t) ~(sectors & a->full);
  uint16_t left = (uint16_t) ~(sectors & ~(l->pending_mask != 0 ? l->dirty_mask : 0u));
  if ((held(l) & (uint16_t)~sectors) == 0 && l->pending_mask == 0) {
    weir_l1_evict(p, a, view(p, a->set), way, cause);
    empty(p, a->set, way);
    return 1;
  }
  l->valid_mask &= left;
  l->written_mask &= left;
  return 1;
}

static void invalidate_way(struct weir_policy *p, uint32_t set, int way) {
  struct weir_line *l = set_of(p, set) + way;
  if (l->tag == 0 || l->pending_mask != 0) return;
  weir_l1_evict(p, NULL, view(p, set), way, WEIR_BY_COLLATERAL);
  empty(p, set, way);
}

static void flush(struct weir_policy *p, uint32_t ways, uint32_t room) {
  struct lines *s = p->state;
  for (uint32_t set = 0; set < p->geometry->sets; set++)
    for (uint32_t w = 0; w < s->ways; w++)
      if (set_of(p, set)[w].tag != 0) weir_l1_evict(p, NULL, view(p, set), (int)w, WEIR_BY_FLUSH);
  size_t head = sizeof *s;
  memset((char *)p->state + head, 0, p->state_bytes - head);
  s->ways = ways;
  s->room = room;
  s->used = s->n_held = s->hand = 0;
}

static const char *verify(const struct weir_policy *p) {
  const struct lines *s = p->state;
  uint32_t used = s->n_held;
  for (uint32_t set = 0; set < p->geometry->sets; set++) {
    const struct weir_line *l = set_of(p, set);
    for (uint32_t i = 0; i < s->ways; i++) {
      if (l[i].tag == 0) continue;
      used++;
      if (held(&l[i]) == 0) return "a line holds nothing";
      if (find(p, set, l[i].tag) != (int)i) return "a line cannot be found, or is in two ways";
    }
  }
  if (used != s->used || used > s->room) return "lines are not as many as were taken, or too many";
  return NULL;
}

#define LINES                                                                                      \
  .view = view, .probe = probe, .can_reserve = can_reserve, .reserve = reserve,                    \
  .commit_hit = commit_nothing, .commit_bypass = commit_nothing, .hold = hold, .release = release, \
  .write = write_line, .fill = fill, .invalidate = invalidate, .invalidate_way = invalidate_way,   \
  .flush = flush

const struct weir_org_ops weir_org_conventional = {
    .part = {WEIR_PART("conventional", "lines that are fetched whole"),
             .cfg_bytes = sizeof(struct weir_lines_cfg), .state_size = state_size, .init = init,
             .storage_bits = weir_no_storage, .verify = verify},
    .has_dirty = true,
    .has_pool = true,
    LINES};

/* Which sectors of a line are there. */
static uint64_t sector_bits(const void *cfg, const struct weir_geometry *g) {
  (void)cfg;
  return weir_bits_of_lines(g, g->sectors);
}

const struct weir_org_ops weir_org_sectored = {
    .part = {WEIR_PART("sectored", "lines whose 32-byte sectors are fetched on demand"),
             .cfg_bytes = sizeof(struct weir_lines_cfg), .state_size = state_size, .init = init,
             .storage_bits = sector_bits, .verify = verify},
    .is_sectored = true,
    .has_pool = true,
    LINES};
