/* The decoupled sectored cache: a frame, as large as a line, has several tags, and each of its
 * sectors belongs to one of them. Sector i of a line can only lie at place i of the frame that has
 * the line's tag. So lines share a frame as long as they use different sectors, and take single
 * sectors from each other where they do not.
 *
 * A way is a tag: tag t of frame f is way f * tags + t. To which tag a sector belongs, a pointer in
 * hardware, is here what the masks of the tags say: of a frame's tags one at most has a bit.
 *
 * Nothing is ever dirty: on a machine whose stores allocate or write back they go through. */
#include <string.h>

#include "l1/parts.h"

struct dsc_cfg {
  int64_t tags;
  bool take_pending;
};

struct dsc_stats {
  uint64_t reservations, tags_free, victims, stolen, stolen_pending, emptied, extra_repl_cycles,
      seen_lines, seen_sectors;
};

/* State: this header, then the tags of all sets. Of each way, besides, when it was used last. */
struct dsc {
  uint64_t uses; /* so far; the clock of LRU */
  uint32_t tags; /* of a frame */
};

static const struct dsc_cfg *cfg_of(const struct weir_policy *p) {
  return p->cfg;
}

static uint32_t tags_of(const struct weir_policy *p) {
  return ((const struct dsc *)p->state)->tags;
}

/* Gives up const: callers that only look take the result as const. */
static struct weir_line *ways_of(const struct weir_policy *p, uint32_t set) {
  return (struct weir_line *)((char *)p->state + sizeof(struct dsc)) +
         (size_t)set * p->geometry->ways;
}

static uint64_t used_at(const struct weir_policy *p, uint32_t set, uint32_t way) {
  return *(const uint64_t *)weir_line_peek(p, set, (int)way);
}

static struct dsc_stats *stats_of(struct weir_policy *p) {
  return weir_stats_edit(p);
}

/* ---- set-up ---- */

static uint32_t ways(const void *cfg, uint32_t machine_ways, uint32_t line_bytes) {
  (void)line_bytes;
  return machine_ways * (uint32_t)((const struct dsc_cfg *)cfg)->tags;
}

static size_t state_size(const void *cfg, const struct weir_geometry *g) {
  (void)cfg;
  return sizeof(struct dsc) + (size_t)g->sets * g->ways * sizeof(struct weir_line);
}

static enum weir_status init(struct weir_policy *p, struct weir_err *err) {
  (void)err;
  ((struct dsc *)p->state)->tags = (uint32_t)cfg_of(p)->tags;
  return WEIR_OK;
}

/* ---- looking ---- */

static uint64_t key_of(const struct weir_policy *p, uint64_t addr) {
  return (addr >> __builtin_ctz(p->geometry->line_bytes)) + 1;
}

static int find(const struct weir_policy *p, uint32_t set, uint64_t key) {
  const struct weir_line *l = ways_of(p, set);
  for (uint32_t i = 0; i < p->geometry->ways; i++)
    if (l[i].tag == key) return (int)i;
  return -1;
}

static uint16_t held(const struct weir_line *l) {
  return l->valid_mask | l->pending_mask;
}

static struct weir_set view(const struct weir_policy *p, uint32_t set) {
  return (struct weir_set){.line = ways_of(p, set), .index = set, .ways = p->geometry->ways};
}

static struct weir_probe probe(const struct weir_policy *p, const struct weir_access *a,
                               uint32_t want) {
  int way = find(p, a->set, key_of(p, a->addr));
  struct weir_probe r = {.verdict = WEIR_CACHE, .want = want, .way = way, .outcome = WEIR_MISS};
  if (way < 0) return r;
  const struct weir_line *l = ways_of(p, a->set) + way;
  r.valid = l->valid_mask;
  r.pending = l->pending_mask;
  uint32_t missing = want & ~r.valid;
  r.outcome = missing == 0                  ? WEIR_HIT
              : (missing & ~r.pending) == 0 ? WEIR_HIT_PENDING
                                            : WEIR_PARTIAL;
  return r;
}

/* ---- finding places ---- */

/* What the other tags of a way's frame hold: sectors on their way, and all. */
struct others {
  uint32_t pending, held;
};

static struct others others_of(const struct weir_policy *p, uint32_t set, uint32_t way) {
  const struct weir_line *l = ways_of(p, set);
  uint32_t first = way / tags_of(p) * tags_of(p);
  struct others o = {0};
  for (uint32_t i = first; i < first + tags_of(p); i++) {
    if (i == way) continue;
    o.pending |= l[i].pending_mask;
    o.held |= held(&l[i]);
  }
  return o;
}

static bool can_claim(const struct weir_policy *p, uint32_t set, uint32_t way, uint32_t fetch) {
  return cfg_of(p)->take_pending || (others_of(p, set, way).pending & fetch) == 0;
}

/* When a line that would lose sectors was used, the latest of them; 0: none would. */
static uint64_t loss_of(const struct weir_policy *p, uint32_t set, uint32_t way, uint32_t fetch) {
  const struct weir_line *l = ways_of(p, set);
  uint32_t first = way / tags_of(p) * tags_of(p);
  uint64_t last = 0;
  for (uint32_t i = first; i < first + tags_of(p); i++)
    if ((held(&l[i]) & fetch) != 0 && used_at(p, set, i) > last) last = used_at(p, set, i);
  return last;
}

/* A free tag, of the frame in which most of the wanted places are free, and of several such where
 * those who lose sectors were not used for longest; -1: none. */
static int free_tag(const struct weir_policy *p, uint32_t set, uint32_t fetch) {
  const struct weir_line *l = ways_of(p, set);
  int best = -1, most = -1;
  for (uint32_t i = 0; i < p->geometry->ways; i++) {
    if (l[i].tag != 0 || !can_claim(p, set, i, fetch)) continue;
    int n = __builtin_popcount(fetch & ~others_of(p, set, i).held);
    if (n < most) continue;
    if (n == most && loss_of(p, set, i, fetch) >= loss_of(p, set, (uint32_t)best, fetch)) continue;
    best = (int)i;
    most = n;
  }
  return best;
}

/* The tag that was not used for longest, of those that can go; -1: none. */
static int oldest_tag(const struct weir_policy *p, uint32_t set, uint32_t fetch) {
  struct weir_set s = view(p, set);
  int oldest = -1;
  for (uint32_t i = 0; i < s.ways; i++)
    if (weir_can_go(s, i) && can_claim(p, set, i, fetch) &&
        (oldest < 0 || used_at(p, set, i) < used_at(p, set, (uint32_t)oldest)))
      oldest = (int)i;
  return oldest;
}

/* The tag under which sectors of the access's line would be stored; -1: not now. */
static int tag_for(const struct weir_policy *p, const struct weir_access *a,
                   const struct weir_probe *r, uint32_t fetch) {
  if (r->way >= 0) return can_claim(p, a->set, (uint32_t)r->way, fetch) ? r->way : -1;
  int way = free_tag(p, a->set, fetch);
  return way >= 0 ? way : oldest_tag(p, a->set, fetch);
}

/* Stores, which fetch nothing, take no place. */
static int can_reserve(const struct weir_policy *p, const struct weir_access *a,
                       const struct weir_probe *r, uint32_t fetch) {
  return fetch == 0 || tag_for(p, a, r, fetch) >= 0 ? 0 : -1;
}

/* ---- changing ---- */

static void touch(struct weir_policy *p, uint32_t set, int way) {
  *(uint64_t *)weir_line_edit(p, set, way) = ++((struct dsc *)p->state)->uses;
}

static void end_line(struct weir_policy *p, const struct weir_access *a, uint32_t set, int way,
                     enum weir_cause cause) {
  weir_l1_evict(p, a, view(p, set), way, cause);
  ways_of(p, set)[way] = (struct weir_line){0};
}

/* Other lines of the frame give up these sectors; one that is on its way will go to its waiters
 * alone. Returns how many lines have nothing left. */
static uint32_t claim(struct weir_policy *p, const struct weir_access *a, uint32_t way,
                      uint32_t fetch) {
  struct weir_line *l = ways_of(p, a->set);
  uint32_t first = way / tags_of(p) * tags_of(p), emptied = 0;
  for (uint32_t i = first; i < first + tags_of(p); i++) {
    uint16_t lost = held(&l[i]) & (uint16_t)fetch;
    if (i == way || lost == 0) continue;
    stats_of(p)->stolen += (uint64_t)__builtin_popcount(lost);
    stats_of(p)->stolen_pending += (uint64_t)__builtin_popcount(lost & l[i].pending_mask);
    if (held(&l[i]) == lost) {
      end_line(p, a, a->set, (int)i, WEIR_BY_COLLATERAL);
      emptied++;
      continue;
    }
    l[i].valid_mask &= (uint16_t)~lost;
    l[i].pending_mask &= (uint16_t)~lost;
  }
  stats_of(p)->emptied += emptied;
  return emptied;
}

static void count_seen(struct weir_policy *p, uint32_t set) {
  const struct weir_line *l = ways_of(p, set);
  for (uint32_t i = 0; i < p->geometry->ways; i++) {
    stats_of(p)->seen_lines += l[i].tag != 0;
    stats_of(p)->seen_sectors += (uint64_t)__builtin_popcount(held(&l[i]));
  }
}

/* One tag can be given up in a cycle; for each further one the L1's port is held a cycle longer. */
static uint32_t reserve(struct weir_policy *p, const struct weir_access *a,
                        const struct weir_probe *r, uint32_t fetch) {
  struct dsc_stats *st = stats_of(p);
  int way = tag_for(p, a, r, fetch);
  struct weir_line *l = ways_of(p, a->set) + way;
  uint32_t ended = 0;
  if (r->way < 0 && l->tag != 0) {
    end_line(p, a, a->set, way, WEIR_BY_REPLACEMENT);
    st->victims++;
    ended++;
  } else
    st->tags_free += r->way < 0;
  ended += claim(p, a, (uint32_t)way, fetch);
  l->pending_mask |= (uint16_t)fetch;
  if (r->way < 0) {
    l->tag = key_of(p, a->addr);
    weir_l1_alloc(p, a, view(p, a->set), way);
  }
  touch(p, a->set, way);
  st->reservations++;
  st->extra_repl_cycles += ended > 1 ? ended - 1 : 0;
  count_seen(p, a->set);
  return ended > 1 ? ended - 1 : 0;
}

static void commit_hit(struct weir_policy *p, const struct weir_access *a,
                       const struct weir_probe *r) {
  if (r->way >= 0) touch(p, a->set, r->way);
}

static void commit_bypass(struct weir_policy *p, const struct weir_access *a,
                          const struct weir_probe *r) {
  (void)p, (void)a, (void)r;
}

static void write_nothing(struct weir_policy *p, const struct weir_access *a,
                          const struct weir_probe *r, bool is_dirty, bool allocates) {
  (void)p, (void)a, (void)r, (void)is_dirty, (void)allocates;
}

static int fill(struct weir_policy *p, const struct weir_access *a, uint32_t arrived,
                uint32_t dropped, uint32_t room) {
  (void)room;
  int way = find(p, a->set, key_of(p, a->addr));
  if (way < 0) return -1;
  struct weir_line *l = ways_of(p, a->set) + way;
  uint16_t came = l->pending_mask & (uint16_t)arrived;
  l->pending_mask &= (uint16_t)~came;
  l->valid_mask |= came & (uint16_t)~dropped;
  if (held(l) != 0) return way;
  end_line(p, a, a->set, way, WEIR_BY_STORE);
  return -1;
}

static uint32_t invalidate(struct weir_policy *p, const struct weir_access *a, uint32_t sectors,
                           enum weir_cause cause) {
  int way = find(p, a->set, key_of(p, a->addr));
  if (way < 0) return 0;
  struct weir_line *l = ways_of(p, a->set) + way;
  uint32_t lost = l->valid_mask & sectors;
  if (lost == 0) return 0;
  if (held(l) == lost)
    end_line(p, a, a->set, way, cause);
  else
    l->valid_mask &= (uint16_t)~lost;
  return 1;
}

static void invalidate_way(struct weir_policy *p, uint32_t set, int way) {
  if (weir_can_go(view(p, set), (uint32_t)way)) end_line(p, NULL, set, way, WEIR_BY_COLLATERAL);
}

static void flush(struct weir_policy *p, uint32_t machine_ways, uint32_t lines) {
  (void)machine_ways, (void)lines;
  const struct weir_geometry *g = p->geometry;
  for (uint32_t set = 0; set < g->sets; set++)
    for (uint32_t i = 0; i < g->ways; i++) {
      if (ways_of(p, set)[i].tag != 0) end_line(p, NULL, set, (int)i, WEIR_BY_FLUSH);
      *(uint64_t *)weir_line_edit(p, set, (int)i) = 0;
    }
  ((struct dsc *)p->state)->uses = 0;
}

/* ---- reports ---- */

/* Of a 32-bit address. */
static uint32_t tag_bits(const struct weir_geometry *g) {
  uint32_t rest = weir_bits((uint64_t)g->sets * g->line_bytes);
  return rest < 32 ? 32 - rest : 0;
}

/* Beyond the tags of lines of the same size with a valid bit. A tag has a bit for each sector and
 * those that number the frame's tags, and one more: these fields are fitted to two figures that
 * were published. What conventional lines have for LRU is the lru policy's. */
static uint64_t storage_bits(const void *cfg, const struct weir_geometry *g) {
  uint64_t n = (uint64_t)((const struct dsc_cfg *)cfg)->tags, tag = tag_bits(g);
  return weir_bits_of_lines(g, tag + g->sectors + 1 + weir_bits(n)) -
         weir_bits_of_lines(g, tag + 1) / n;
}

static const char *verify_way(const struct weir_policy *p, uint32_t set, uint32_t way) {
  const struct weir_line *l = ways_of(p, set) + way;
  if (l->tag == 0) return held(l) != 0 ? "an empty tag holds sectors" : NULL;
  if (held(l) == 0) return "a line holds nothing";
  if ((l->valid_mask & l->pending_mask) != 0) return "a sector is both valid and pending";
  if ((held(l) & others_of(p, set, way).held) != 0) return "two lines have the same place";
  if (find(p, set, l->tag) != (int)way) return "a line has two tags";
  if (used_at(p, set, way) > ((const struct dsc *)p->state)->uses) return "a use is to come";
  return NULL;
}

static const char *verify(const struct weir_policy *p) {
  for (uint32_t set = 0; set < p->geometry->sets; set++)
    for (uint32_t i = 0; i < p->geometry->ways; i++) {
      const char *bad = verify_way(p, set, i);
      if (bad != NULL) return bad;
    }
  return NULL;
}

#define PAPER          "A. Seznec, Decoupled Sectored Caches, ISCA 1994"
#define P(f, def, ...) WEIR_PARAM(dsc_cfg, f, def, __VA_ARGS__)
static const struct weir_param params[] = {
    P(tags, "2", .unit = "tag", .min = 1, .max = 16,
      .source = "Tag-Split Cache for Efficient GPGPU Cache Utilization (ICS 2016)",
      .help = "of a frame: lines that can share it"),
    P(take_pending, "false", .source = "guess", .when = "tags>1",
      .help = "a sector that is on its way can lose its place to another line; who waits for it "
              "gets it all the same. false: the other line waits"),
    WEIR_PARAM_END};

#define S(f, u, h)               WEIR_STAT(dsc_stats, f, u, h)
#define RATIO(n, num, den, u, h) WEIR_STAT_RATIO(dsc_stats, n, num, den, u, h)
static const struct weir_stat stats[] = {
    S(reservations, "request", "misses and partial misses, each of which reserved sectors"),
    S(tags_free, "request", "... under a tag that was free"),
    S(victims, "line", "replaced for lack of a free tag"),
    S(stolen, "sector", "that other lines of a frame lost to a reservation"),
    S(stolen_pending, "sector", "... before they were there"),
    S(emptied, "line", "that had nothing left after that, and lost their tags"),
    S(extra_repl_cycles, "cycle",
      "for which the L1's port was held, since more than one tag was given up at once"),
    S(seen_lines, "line", "of the set, summed over reservations"),
    S(seen_sectors, "sector", "that these hold or wait for"),
    RATIO("lines_per_set", seen_lines, reservations, "line", "on average"),
    RATIO("sectors_per_set", seen_sectors, reservations, "sector", "on average"),
    WEIR_STAT_END};

const struct weir_org_ops weir_org_dsc = {
    .part = {WEIR_PART("dsc", "frames with several tags, whose sectors belong to one of them each"),
             .reference = PAPER, WEIR_PART_PARAMS(params, dsc_cfg),
             WEIR_PART_STATS(stats, dsc_stats), .line_bytes = sizeof(uint64_t),
             .state_size = state_size, .init = init, .storage_bits = storage_bits,
             .verify = verify},
    .is_sectored = true,
    .has_victim_rule = true,
    .ways = ways,
    .view = view,
    .probe = probe,
    .can_reserve = can_reserve,
    .reserve = reserve,
    .commit_hit = commit_hit,
    .commit_bypass = commit_bypass,
    .write = write_nothing,
    .fill = fill,
    .invalidate = invalidate,
    .invalidate_way = invalidate_way,
    .flush = flush};
