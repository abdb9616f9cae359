/* Not recently used: a bit says that a line, or a sector of it, was used since all bits of the set
 * were last cleared.
 *
 * By lines, the first line without the bit goes, and when there is none all bits are cleared. By
 * sectors, the bits, their clearing and the choice by chance are those of a tag-split cache, but
 * the line of the chosen sector goes. */
#include "l1/nru.h"
#include "l1/parts.h"

#define UNITS(X) X(BY_LINE, "line") X(BY_SECTOR, "sector")
enum unit { UNITS(WEIR_CHOICE_ID) };
struct nru_cfg {
  enum unit unit;
  bool hr_touch;
};

static bool is_by_sector(const struct nru_cfg *cfg) {
  return cfg->unit == BY_SECTOR;
}
static bool by_sector(const struct weir_policy *p) {
  return is_by_sector(weir_cfg(p));
}

/* ---- by sectors ---- */

static uint16_t held(const struct weir_line *l) {
  return l->valid_mask | l->pending_mask | l->written_mask | l->dirty_mask;
}

/* Sectors of a way that can be chosen: with the bit, or without it. */
static uint32_t eligible(const struct weir_policy *p, struct weir_set set, uint32_t way,
                         bool with_bit) {
  const struct weir_line *l = &set.line[way];
  uint16_t bits = weir_nru_used(p, set.index, way);
  return l->pending_mask != 0 ? 0 : (uint32_t)(held(l) & (with_bit ? bits : (uint16_t)~bits));
}

static int by_chance(const struct weir_policy *p, struct weir_set set, bool with_bit) {
  uint32_t n = 0;
  for (uint32_t w = 0; w < set.ways; w++)
    n += (uint32_t)__builtin_popcount(eligible(p, set, w, with_bit));
  if (n == 0) return WEIR_WAY_STALL;
  uint32_t k = weir_pick(p, n, 0), w = 0;
  for (;; w++) {
    uint32_t here = (uint32_t)__builtin_popcount(eligible(p, set, w, with_bit));
    if (k < here) return (int)w;
    k -= here;
  }
}

static bool is_write(const struct weir_access *a) {
  return a->op == WEIR_STORE || a->op == WEIR_ATOMIC;
}

struct touch {
  struct weir_set set;
  uint32_t way;
  struct weir_nru_parts parts; /* of the way */
};

static struct weir_nru_parts look(const void *self, uint32_t way) {
  const struct touch *t = self;
  return way == t->way ? t->parts : (struct weir_nru_parts){.needed = held(&t->set.line[way])};
}

/* Sectors of the way were used. What the access sends for or writes the way does not show yet. */
static void touch_sectors(struct weir_policy *p, const struct weir_access *a, struct weir_set set,
                          uint32_t way) {
  uint16_t coming = is_write(a) ? a->sectors : a->fetch, here = held(&set.line[way]) | coming;
  const struct touch t = {set, way, {(uint16_t)((a->sectors & here) | coming), here}};
  weir_nru_touch(p, set, look, &t, false);
}

/* ---- by lines ---- */

static int first_way(const struct weir_policy *p, struct weir_set set) {
  int any = WEIR_WAY_STALL;
  for (uint32_t w = 0; w < set.ways; w++) {
    if (!weir_can_go(set, w)) continue;
    if (!weir_nru_used(p, set.index, w)) return (int)w;
    if (any < 0) any = (int)w;
  }
  return any;
}

/* ---- hooks ---- */

static int victim(const struct weir_policy *p, const struct weir_access *a, struct weir_set set) {
  (void)a;
  if (!by_sector(p)) return first_way(p, set);
  int way = by_chance(p, set, false);
  return way >= 0 ? way : by_chance(p, set, true);
}

static void touch(struct weir_policy *p, const struct weir_access *a, struct weir_set set,
                  uint32_t way) {
  if (by_sector(p))
    touch_sectors(p, a, set, way);
  else
    *weir_nru_edit(p, set.index, way) = 1;
}

static void lookup(struct weir_policy *p, const struct weir_access *a, struct weir_set set, int way,
                   enum weir_outcome outcome) {
  const struct nru_cfg *cfg = weir_cfg(p);
  if (way < 0 || outcome == WEIR_MISS) return;
  if (by_sector(p) ? is_write(a) : outcome == WEIR_HIT_PENDING && !cfg->hr_touch) return;
  touch(p, a, set, (uint32_t)way);
}

static void alloc(struct weir_policy *p, const struct weir_access *a, struct weir_set set,
                  int way) {
  *weir_nru_edit(p, set.index, (uint32_t)way) = 0;
  touch(p, a, set, (uint32_t)way);
}

/* A line with the bit goes only where none was without it: all bits are cleared. */
static void evict(struct weir_policy *p, const struct weir_access *a, struct weir_set set, int way,
                  enum weir_cause cause) {
  (void)a;
  if (!by_sector(p) && cause == WEIR_BY_REPLACEMENT && weir_nru_used(p, set.index, (uint32_t)way))
    for (uint32_t w = 0; w < set.ways; w++)
      *weir_nru_edit(p, set.index, w) = 0;
  *weir_nru_edit(p, set.index, (uint32_t)way) = 0;
}

static uint64_t storage_bits(const void *cfg, const struct weir_geometry *g) {
  return weir_bits_of_lines(g, is_by_sector(cfg) ? g->sectors : 1);
}

#define P(f, def, ...) WEIR_PARAM(nru_cfg, f, def, __VA_ARGS__)
static const struct weir_param params[] = {
    P(unit, "line", .choices = WEIR_CHOICES(UNITS), .help = "what has a bit"),
    P(hr_touch, "false", .source = "guess",
      .help = "by lines: a load that joins a pending line uses it", .when = "unit=line"),
    WEIR_PARAM_END};

const struct weir_policy_ops weir_policy_nru = {
    .part = {WEIR_PART("nru",
                       "replace a line that was not used since all were last marked as unused"),
             .reference = "High Performance Cache Replacement Using Re-Reference Interval "
                          "Prediction (ISCA 2010)",
             WEIR_PART_PARAMS(params, nru_cfg), .line_bytes = sizeof(uint16_t),
             .storage_bits = storage_bits},
    .organisations = "conventional|sectored|decoupled",
    .victim = victim,
    .lookup = lookup,
    .alloc = alloc,
    .evict = evict};
