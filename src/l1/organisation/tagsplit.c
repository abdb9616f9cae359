/* The tag-split cache: a set is made of chunk groups as large as a line. The chunks of a group may
 * belong to different lines whose upper tag bits (the group's shared tag) agree, and the chunks of
 * a line may lie in any groups of its set. Requests stay as wide as a line.
 *
 * A line number is [shared tag][private tag][set]. Chunks carry all of it here (tag and set
 * determine it, also where the set is a hash); only the shared tags decide who may lie where. A way
 * is a chunk: chunk c of group g is way g * chunks + c.
 *
 * Nothing is ever dirty: on a machine whose stores allocate or write back they go through. */
#include <string.h>

#include "l1/nru.h"
#include "l1/parts.h"

#define STORE_INVALS(X) X(INVAL_CHUNK, "chunk") X(INVAL_LINE, "line")
enum store_inval { STORE_INVALS(WEIR_CHOICE_ID) };
#define AGES(X) X(IN_USE, "valid") X(ALL_KEEP, "all_keep") X(ALL_ZERO, "all_zero")
enum nru_age { AGES(WEIR_CHOICE_ID) };
struct tagsplit_cfg {
  int64_t chunk_bytes, private_bits, extra_latency;
  enum nru_age nru_age;
  enum store_inval store_inval;
  bool nru_keep_last, coarse_group, whole_group, prefer_match, pending_is_part;
};

struct tagsplit_stats {
  uint64_t reservations, chunks_fetched, chunks_matching, chunks_empty;
  uint64_t victims, victims_used, retags, collateral_inval, groups_whole, agings;
  uint64_t seen_chunks, seen_lines, seen_mixed_groups;
};

enum { MAX_CHUNKS = 16 }; /* of a line: one bit each in a mask of sectors */

/* State: this header, the shared tags of all groups, the chunks as policies see them. */
struct tagsplit {
  uint32_t chunks, groups; /* of a group; of a set */
  uint32_t chunk_sectors;
  uint32_t shared_shift; /* line number to shared tag */
};

struct count { /* of a set: valid or pending chunks, and the lines that they belong to */
  uint32_t chunks, lines;
};

static const struct tagsplit_cfg *cfg_of(const struct weir_policy *p) {
  return p->cfg;
}

static uint32_t groups_of(const struct weir_policy *p) {
  return ((const struct tagsplit *)p->state)->groups;
}

/* Accessors of const state give up const: callers that only look take the result as const. */
static uint64_t *shared_of(const struct weir_policy *p, uint32_t set) {
  return (uint64_t *)((char *)p->state + sizeof(struct tagsplit)) + (size_t)set * groups_of(p);
}
static struct weir_line *chunks_of(const struct weir_policy *p, uint32_t set) {
  const struct weir_geometry *g = p->geometry;
  return (struct weir_line *)shared_of(p, g->sets) + (size_t)set * g->ways;
}
/* Of each chunk, besides what policies see, whether it was used lately. */
static bool is_used(const struct weir_policy *p, uint32_t set, uint32_t way) {
  return weir_nru_used(p, set, way) != 0;
}
static struct tagsplit_stats *stats_of(struct weir_policy *p) {
  return weir_stats_edit(p);
}

/* ---- set-up ---- */

static uint32_t chunks_per_line(const struct tagsplit_cfg *c, uint32_t line_bytes) {
  uint32_t n = line_bytes / (uint32_t)c->chunk_bytes;
  return n > 0 ? n : 1;
}

static uint32_t ways(const void *cfg, uint32_t machine_ways, uint32_t line_bytes) {
  return machine_ways * chunks_per_line(cfg, line_bytes);
}

static size_t state_size(const void *cfg, const struct weir_geometry *g) {
  size_t n = (size_t)g->sets * g->ways;
  return sizeof(struct tagsplit) + n / chunks_per_line(cfg, g->line_bytes) * sizeof(uint64_t) +
         n * sizeof(struct weir_line);
}

/* Of a 32-bit address, which is what tags are counted for; wider addresses add to the shared tag.
 */
static uint32_t tag_bits(const struct weir_geometry *g) {
  uint32_t rest = weir_bits((uint64_t)g->sets * g->line_bytes);
  return rest < 32 ? 32 - rest : 0;
}

static uint32_t private_bits(const struct tagsplit_cfg *c, const struct weir_geometry *g) {
  uint32_t bits = (uint32_t)c->private_bits, most = tag_bits(g);
  return bits < most ? bits : most;
}

static enum weir_status init(struct weir_policy *p, struct weir_err *err) {
  struct tagsplit *s = p->state;
  const struct weir_geometry *g = p->geometry;
  int64_t chunk = cfg_of(p)->chunk_bytes;
  if ((chunk & (chunk - 1)) != 0 || chunk > (int64_t)g->line_bytes)
    return weir_fail(
        err, WEIR_EINVAL,
        "tag-split.chunk_bytes is a power of two and no more than a line, which has %u bytes",
        g->line_bytes);
  if (chunk < (int64_t)g->sector_bytes)
    return weir_fail(err, WEIR_EINVAL,
                     "tag-split.chunk_bytes %d is less than what loads ask for: set l1.sector, "
                     "which is %u, to %d too",
                     (int)chunk, g->sector_bytes, (int)chunk);
  s->chunk_sectors = (uint32_t)chunk / g->sector_bytes;
  s->chunks = g->sectors / s->chunk_sectors;
  s->groups = g->ways / s->chunks;
  s->shared_shift = weir_bits(g->sets) + private_bits(cfg_of(p), g);
  return WEIR_OK;
}

/* ---- looking ---- */

static uint64_t key_of(const struct weir_policy *p, uint64_t addr) {
  return addr / p->geometry->line_bytes + 1;
}

static uint64_t shared_tag(const struct weir_policy *p, uint64_t key) {
  return (key - 1) >> ((const struct tagsplit *)p->state)->shared_shift;
}

static uint16_t chunk_mask(const struct weir_policy *p, uint32_t offset) {
  uint32_t n = ((const struct tagsplit *)p->state)->chunk_sectors;
  return (uint16_t)(((1u << n) - 1) << (offset * n));
}

/* All sectors of the chunks that these sectors lie in. */
static uint32_t whole_chunks(const struct weir_policy *p, uint32_t sectors) {
  const struct tagsplit *s = p->state;
  uint32_t all = 0;
  for (uint32_t i = 0; i < s->chunks; i++)
    if (sectors & chunk_mask(p, i)) all |= chunk_mask(p, i);
  return all;
}

static struct weir_set view(const struct weir_policy *p, uint32_t set) {
  return (struct weir_set){.line = chunks_of(p, set), .index = set, .ways = p->geometry->ways};
}

static enum weir_outcome outcome_of(const struct weir_policy *p, const struct weir_probe *r) {
  uint32_t ready = r->want & r->valid, pending = r->want & r->pending;
  if (ready == r->want) return WEIR_HIT;
  if ((ready | pending) == r->want) return WEIR_HIT_PENDING;
  if (ready != 0 || (pending != 0 && cfg_of(p)->pending_is_part)) return WEIR_PARTIAL;
  return WEIR_MISS;
}

static struct weir_probe probe(const struct weir_policy *p, const struct weir_access *a,
                               uint32_t want) {
  struct weir_probe r = {.verdict = WEIR_CACHE, .want = whole_chunks(p, want), .way = -1};
  const struct weir_line *l = chunks_of(p, a->set);
  uint64_t key = key_of(p, a->addr);
  for (uint32_t i = 0; i < p->geometry->ways; i++) {
    if (l[i].tag != key) continue;
    r.valid |= l[i].valid_mask;
    r.pending |= l[i].pending_mask;
  }
  r.outcome = outcome_of(p, &r);
  if (r.outcome == WEIR_HIT) r.extra = (uint32_t)cfg_of(p)->extra_latency;
  return r;
}

/* ---- finding places ---- */

/* Where the missing chunks of a request would go, in order of their offsets, and who would have to
 * leave. */
struct plan {
  uint32_t n, n_victims, n_matching, n_empty, n_used;
  uint32_t place[MAX_CHUNKS], victim[MAX_CHUNKS];
  bool retags[MAX_CHUNKS]; /* the victim's group goes with it */
  bool is_group;           /* a line that lies in one group: all that was there is replaced */
};

struct group {
  uint32_t n, n_pending, n_used; /* chunks that are valid or pending; used: of the valid ones */
};

static struct group look_at(const struct weir_policy *p, uint32_t set, uint32_t group) {
  const struct tagsplit *s = p->state;
  struct group g = {0};
  const struct weir_line *l = chunks_of(p, set);
  for (uint32_t i = group * s->chunks; i < (group + 1) * s->chunks; i++) {
    g.n += l[i].tag != 0;
    g.n_pending += l[i].pending_mask != 0;
    g.n_used += l[i].valid_mask != 0 && is_used(p, set, i);
  }
  return g;
}

/* Invalid chunks of a group, lowest first. */
static void take_invalid(const struct weir_policy *p, uint32_t set, uint32_t group, uint32_t n,
                         struct plan *plan) {
  const struct tagsplit *s = p->state;
  const struct weir_line *l = chunks_of(p, set);
  for (uint32_t i = group * s->chunks; i < (group + 1) * s->chunks && plan->n < n; i++)
    if (l[i].tag == 0) plan->place[plan->n++] = i;
}

static void take_free(const struct weir_policy *p, uint32_t set, uint64_t shared, uint32_t n,
                      struct plan *plan) {
  const uint64_t *tag = shared_of(p, set);
  for (uint32_t g = 0; g < groups_of(p) && plan->n < n; g++)
    if (tag[g] == shared && look_at(p, set, g).n > 0) take_invalid(p, set, g, n, plan);
  plan->n_matching = plan->n;
  for (uint32_t g = 0; g < groups_of(p) && plan->n < n; g++)
    if (look_at(p, set, g).n == 0) take_invalid(p, set, g, n, plan);
  plan->n_empty = plan->n - plan->n_matching;
}

static bool is_leaving(const struct plan *plan, uint32_t way, uint32_t chunks) {
  for (uint32_t i = 0; i < plan->n_victims; i++)
    if (plan->victim[i] == way || (plan->retags[i] && plan->victim[i] / chunks == way / chunks))
      return true;
  return false;
}

enum { FIRST, SECOND, THIRD, FOURTH, NEVER }; /* in which order a chunk is replaced */

static unsigned rank(const struct weir_policy *p, const struct plan *plan, uint32_t set,
                     uint64_t key, uint32_t way) {
  const struct tagsplit *s = p->state;
  const struct weir_line *l = chunks_of(p, set) + way;
  if (l->valid_mask == 0 || l->tag == key || is_leaving(plan, way, s->chunks)) return NEVER;
  bool matches = shared_of(p, set)[way / s->chunks] == shared_tag(p, key);
  if (!matches && look_at(p, set, way / s->chunks).n_pending > 0) return NEVER;
  unsigned used = is_used(p, set, way) ? SECOND : FIRST;
  return cfg_of(p)->prefer_match && !matches ? used + THIRD : used;
}

/* A victim by chance among those of the best rank. False: there is none. */
static bool pick_victim(const struct weir_policy *p, uint32_t set, uint64_t key,
                        struct plan *plan) {
  uint32_t n[NEVER + 1] = {0};
  for (uint32_t i = 0; i < p->geometry->ways; i++)
    n[rank(p, plan, set, key, i)]++;
  unsigned best = FIRST;
  while (best < NEVER && n[best] == 0)
    best++;
  if (best == NEVER) return false;
  uint32_t k = weir_pick(p, n[best], plan->n_victims), way = 0;
  for (;; way++)
    if (rank(p, plan, set, key, way) == best && k-- == 0) break;
  const struct tagsplit *s = p->state;
  plan->retags[plan->n_victims] = shared_of(p, set)[way / s->chunks] != shared_tag(p, key);
  plan->victim[plan->n_victims++] = way;
  plan->n_used += is_used(p, set, way);
  return true;
}

static bool plan_chunks(const struct weir_policy *p, uint32_t set, uint64_t key, uint32_t n,
                        struct plan *plan) {
  const struct tagsplit *s = p->state;
  take_free(p, set, shared_tag(p, key), n, plan);
  while (plan->n < n) {
    if (!pick_victim(p, set, key, plan)) return false;
    uint32_t way = plan->victim[plan->n_victims - 1], first = way / s->chunks * s->chunks;
    if (!plan->retags[plan->n_victims - 1])
      plan->place[plan->n++] = way;
    else
      for (uint32_t i = first; i < first + s->chunks && plan->n < n; i++)
        plan->place[plan->n++] = i;
  }
  return true;
}

static unsigned group_rank(const struct weir_policy *p, uint32_t set, uint32_t group) {
  struct group g = look_at(p, set, group);
  if (g.n_pending > 0) return NEVER;
  return g.n_used == 0 ? FIRST : g.n_used < g.n ? SECOND : THIRD;
}

/* For a line that lies in one group: an empty one, else one by chance, rather one of which nothing
 * was used lately. UINT32_MAX: none. */
static uint32_t group_for(const struct weir_policy *p, uint32_t set) {
  uint32_t n[NEVER + 1] = {0};
  for (uint32_t g = 0; g < groups_of(p); g++) {
    if (look_at(p, set, g).n == 0) return g;
    n[group_rank(p, set, g)]++;
  }
  unsigned best = FIRST;
  while (best < NEVER && n[best] == 0)
    best++;
  if (best == NEVER) return UINT32_MAX;
  uint32_t k = weir_pick(p, n[best], 0), g = 0;
  for (;; g++)
    if (group_rank(p, set, g) == best && k-- == 0) return g;
}

static bool plan_group(const struct weir_policy *p, uint32_t set, struct plan *plan) {
  const struct tagsplit *s = p->state;
  uint32_t g = group_for(p, set);
  if (g == UINT32_MAX) return false;
  plan->is_group = true;
  for (plan->n = 0; plan->n < s->chunks; plan->n++)
    plan->place[plan->n] = g * s->chunks + plan->n;
  return true;
}

static bool make_plan(const struct weir_policy *p, const struct weir_access *a,
                      const struct weir_probe *r, uint32_t fetch, struct plan *plan) {
  const struct tagsplit *s = p->state;
  uint32_t n = (uint32_t)__builtin_popcount(fetch) / s->chunk_sectors;
  *plan = (struct plan){0};
  bool in_one = r->together ? cfg_of(p)->coarse_group : cfg_of(p)->whole_group;
  if (in_one && n == s->chunks) return plan_group(p, a->set, plan);
  return plan_chunks(p, a->set, key_of(p, a->addr), n, plan);
}

static int can_reserve(const struct weir_policy *p, const struct weir_access *a,
                       const struct weir_probe *r, uint32_t fetch) {
  struct plan plan;
  return make_plan(p, a, r, fetch, &plan) ? 0 : -1;
}

/* ---- changing ---- */

static bool has_line(const struct weir_policy *p, uint32_t set, uint64_t key) {
  const struct weir_line *l = chunks_of(p, set);
  for (uint32_t i = 0; i < p->geometry->ways; i++)
    if (l[i].tag == key) return true;
  return false;
}

static void end_chunk(struct weir_policy *p, const struct weir_access *a, uint32_t set,
                      uint32_t way, enum weir_cause cause) {
  struct weir_line *l = chunks_of(p, set) + way;
  struct count *c = weir_set_edit(p, set);
  uint64_t key = l->tag;
  weir_l1_evict(p, a, view(p, set), (int)way, cause);
  *l = (struct weir_line){0};
  if (cfg_of(p)->nru_age == ALL_ZERO) *weir_nru_edit(p, set, way) = 0;
  c->chunks--;
  c->lines -= !has_line(p, set, key);
}

static void end_group(struct weir_policy *p, const struct weir_access *a, uint32_t way,
                      enum weir_cause cause_of_others) {
  const struct tagsplit *s = p->state;
  uint32_t first = way / s->chunks * s->chunks;
  for (uint32_t i = first; i < first + s->chunks; i++) {
    if (chunks_of(p, a->set)[i].tag == 0) continue;
    stats_of(p)->collateral_inval += i != way && cause_of_others == WEIR_BY_COLLATERAL;
    end_chunk(p, a, a->set, i, i == way ? WEIR_BY_REPLACEMENT : cause_of_others);
  }
}

static void make_room(struct weir_policy *p, const struct weir_access *a, const struct plan *plan) {
  struct tagsplit_stats *st = stats_of(p);
  if (plan->is_group) end_group(p, a, plan->place[0], WEIR_BY_REPLACEMENT);
  for (uint32_t i = 0; i < plan->n_victims; i++) {
    st->retags += plan->retags[i];
    if (plan->retags[i])
      end_group(p, a, plan->victim[i], WEIR_BY_COLLATERAL);
    else
      end_chunk(p, a, a->set, plan->victim[i], WEIR_BY_REPLACEMENT);
  }
  st->groups_whole += plan->is_group;
  st->chunks_matching += plan->n_matching;
  st->chunks_empty += plan->n_empty;
  st->victims += plan->n_victims;
  st->victims_used += plan->n_used;
}

static void take_places(struct weir_policy *p, const struct weir_access *a, const struct plan *plan,
                        uint32_t fetch) {
  const struct tagsplit *s = p->state;
  struct count *c = weir_set_edit(p, a->set);
  uint64_t key = key_of(p, a->addr);
  c->lines += !has_line(p, a->set, key);
  for (uint32_t i = 0, offset = 0; offset < s->chunks; offset++) {
    if ((fetch & chunk_mask(p, offset)) == 0) continue;
    uint32_t way = plan->place[i++];
    shared_of(p, a->set)[way / s->chunks] = shared_tag(p, key);
    chunks_of(p, a->set)[way] =
        (struct weir_line){.tag = key, .pending_mask = chunk_mask(p, offset)};
    c->chunks++;
    weir_l1_alloc(p, a, view(p, a->set), (int)way);
  }
}

struct touch {
  const struct weir_line *line;
  uint64_t key;
  uint32_t sectors;
  bool counts_invalid;
};

static struct weir_nru_parts look(const void *self, uint32_t way) {
  const struct touch *t = self;
  const struct weir_line *l = &t->line[way];
  bool is_touched = l->tag == t->key && ((l->valid_mask | l->pending_mask) & t->sectors) != 0;
  return (struct weir_nru_parts){.touched = is_touched, .needed = l->tag != 0 || t->counts_invalid};
}

/* Chunks of the line, among `sectors`, were accessed. */
static void touch(struct weir_policy *p, const struct weir_access *a, uint32_t sectors) {
  const struct tagsplit_cfg *cfg = cfg_of(p);
  const struct touch t = {chunks_of(p, a->set), key_of(p, a->addr), sectors,
                          cfg->nru_age != IN_USE};
  stats_of(p)->agings += weir_nru_touch(p, view(p, a->set), look, &t, cfg->nru_keep_last);
}

/* For the core's count of chunks that nobody came back to: what the access itself touches. */
static void tell_reused(struct weir_policy *p, const struct weir_access *a) {
  const struct weir_line *l = chunks_of(p, a->set);
  uint64_t key = key_of(p, a->addr);
  for (uint32_t i = 0; i < p->geometry->ways; i++)
    if (l[i].tag == key && (l[i].valid_mask & a->sectors) != 0) weir_l1_reused(p, a->set, (int)i);
}

static uint32_t mixed_groups(const struct weir_policy *p, uint32_t set) {
  const struct tagsplit *s = p->state;
  uint32_t n = 0;
  for (uint32_t g = 0; g < s->groups; g++) {
    const struct weir_line *l = chunks_of(p, set) + g * s->chunks;
    uint64_t first = 0;
    bool is_mixed = false;
    for (uint32_t i = 0; i < s->chunks; i++) {
      if (first == 0) first = l[i].tag;
      is_mixed |= l[i].tag != 0 && l[i].tag != first;
    }
    n += is_mixed;
  }
  return n;
}

static uint32_t reserve(struct weir_policy *p, const struct weir_access *a,
                        const struct weir_probe *r, uint32_t fetch) {
  struct tagsplit_stats *st = stats_of(p);
  const struct count *c = weir_set_peek(p, a->set);
  struct plan plan;
  make_plan(p, a, r, fetch, &plan);
  tell_reused(p, a);
  make_room(p, a, &plan);
  take_places(p, a, &plan, fetch);
  touch(p, a, r->want);
  st->reservations++;
  st->chunks_fetched += plan.n;
  st->seen_chunks += c->chunks;
  st->seen_lines += c->lines;
  st->seen_mixed_groups += mixed_groups(p, a->set);
  return 0;
}

static void commit_hit(struct weir_policy *p, const struct weir_access *a,
                       const struct weir_probe *r) {
  tell_reused(p, a);
  touch(p, a, r->want);
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
  struct weir_line *l = chunks_of(p, a->set);
  uint64_t key = key_of(p, a->addr);
  int first = -1;
  for (uint32_t i = 0; i < p->geometry->ways; i++) {
    uint16_t mask = l[i].pending_mask;
    if (l[i].tag != key || (mask & arrived) == 0) continue;
    l[i].pending_mask = 0;
    if (mask & dropped) {
      end_chunk(p, a, a->set, i, WEIR_BY_STORE);
      continue;
    }
    l[i].valid_mask = mask;
    if (first < 0) first = (int)i;
  }
  return first;
}

static uint32_t ended_by_store(const struct weir_policy *p, uint32_t sectors) {
  const struct tagsplit *s = p->state;
  bool is_line = cfg_of(p)->store_inval == INVAL_LINE;
  return is_line ? (1u << s->chunks * s->chunk_sectors) - 1 : sectors;
}

static uint32_t invalidate(struct weir_policy *p, const struct weir_access *a, uint32_t sectors,
                           enum weir_cause cause) {
  const struct weir_line *l = chunks_of(p, a->set);
  uint64_t key = key_of(p, a->addr);
  uint32_t n = 0;
  for (uint32_t i = 0; i < p->geometry->ways; i++) {
    if (l[i].tag != key || (l[i].valid_mask & sectors) == 0) continue;
    end_chunk(p, a, a->set, i, cause);
    n++;
  }
  return n;
}

static void invalidate_way(struct weir_policy *p, uint32_t set, int way) {
  const struct weir_line *l = chunks_of(p, set) + way;
  if (l->valid_mask != 0) end_chunk(p, NULL, set, (uint32_t)way, WEIR_BY_COLLATERAL);
}

static void flush(struct weir_policy *p, uint32_t machine_ways, uint32_t lines) {
  (void)machine_ways, (void)lines;
  const struct weir_geometry *g = p->geometry;
  for (uint32_t set = 0; set < g->sets; set++)
    for (uint32_t i = 0; i < g->ways; i++) {
      if (chunks_of(p, set)[i].tag != 0)
        weir_l1_evict(p, NULL, view(p, set), (int)i, WEIR_BY_FLUSH);
      *weir_nru_edit(p, set, i) = 0;
    }
  size_t head = sizeof(struct tagsplit);
  memset((char *)p->state + head, 0, p->state_bytes - head);
  memset(p->sets, 0, p->set_bytes * g->sets);
}

/* ---- reports ---- */

/* Beyond the tags of lines of the same size with a valid bit. What these have for LRU, which the
 * paper subtracts too, is the lru policy's. */
static uint64_t storage_bits(const void *cfg, const struct weir_geometry *g) {
  const uint32_t per_group = chunks_per_line(cfg, g->line_bytes);
  uint64_t groups = (uint64_t)g->sets * (g->ways / per_group), chunks = groups * per_group;
  uint64_t tag = tag_bits(g), own = private_bits(cfg, g);
  uint64_t has = groups * (tag - own) + chunks * (own + 1 + weir_bits(per_group) + 1);
  uint64_t had = groups * (tag + 1);
  return has > had ? has - had : 0;
}

/* *is_new: no chunk below it is of its line. */
static const char *verify_chunk(const struct weir_policy *p, uint32_t set, uint32_t way,
                                bool *is_new) {
  const struct tagsplit *s = p->state;
  const struct weir_line *l = chunks_of(p, set), *c = l + way;
  uint16_t mask = c->valid_mask | c->pending_mask;
  *is_new = c->tag != 0;
  if (c->tag == 0) return mask != 0 ? "an empty chunk holds sectors" : NULL;
  if ((c->valid_mask & c->pending_mask) != 0) return "a chunk is both valid and pending";
  if (mask == 0 || mask != chunk_mask(p, (uint32_t)__builtin_ctz(mask) / s->chunk_sectors))
    return "a way does not hold one chunk";
  if (shared_of(p, set)[way / s->chunks] != shared_tag(p, c->tag))
    return "a chunk lies in a group with another shared tag";
  for (uint32_t i = 0; i < way; i++) {
    if (l[i].tag != c->tag) continue;
    *is_new = false;
    if (((l[i].valid_mask | l[i].pending_mask) & mask) != 0) return "a chunk is there twice";
  }
  return NULL;
}

static const char *verify(const struct weir_policy *p) {
  for (uint32_t set = 0; set < p->geometry->sets; set++) {
    const struct count *c = weir_set_peek(p, set);
    uint32_t chunks = 0, lines = 0;
    for (uint32_t i = 0; i < p->geometry->ways; i++) {
      bool is_new;
      const char *bad = verify_chunk(p, set, i, &is_new);
      if (bad != NULL) return bad;
      chunks += chunks_of(p, set)[i].tag != 0;
      lines += is_new;
    }
    if (c->chunks != chunks || c->lines != lines) return "a set's chunks are counted wrongly";
  }
  return NULL;
}

#define PAPER          "Tag-Split Cache for Efficient GPGPU Cache Utilization (ICS 2016)"
#define P(f, def, ...) WEIR_PARAM(tagsplit_cfg, f, def, __VA_ARGS__)
static const struct weir_param params[] = {
    P(chunk_bytes, "32", .unit = "byte", .min = 8, .max = 64, .source = PAPER,
      .help = "what is stored as one: 8, 16, 32 or 64, and no less than l1.sector"),
    P(private_bits, "8", .unit = "bit", .min = 0, .max = 20, .source = PAPER,
      .help = "tag bits that each chunk has of its own; the others are shared by a group"),
    P(extra_latency, "1", .unit = "cycle", .min = 0, .max = 1000, .source = PAPER,
      .help = "added to a hit, for comparing tags in two parts"),
    P(nru_age, "valid", .choices = WEIR_CHOICES(AGES), .source = "guess",
      .help = "which chunks must be marked as used before all marks of a set are cleared: those in "
              "use; all, invalid ones keeping their mark; all, invalid ones having none"),
    P(nru_keep_last, "false", .source = "guess",
      .help = "clearing spares the chunks of the access that caused it"),
    P(prefer_match, "false", .source = "guess",
      .help = "replace chunks of groups with the same shared tag first"),
    P(whole_group, "true", .source = "guess",
      .help = "a line of which a load touches everything, and nothing is there, lies in one group"),
    P(coarse_group, "true", .source = "guess",
      .help = "a line that is fetched whole by a fetch policy lies in one group", .when = "widens"),
    P(pending_is_part, "true", .source = "guess",
      .help = "a load some of whose chunks are on their way, and none there, is a partial miss"),
    P(store_inval, "chunk", .choices = WEIR_CHOICES(STORE_INVALS), .source = "guess",
      .help = "what a store invalidates: the chunks that it writes, or all of their line"),
    WEIR_PARAM_END};

#define S(f, u, h)               WEIR_STAT(tagsplit_stats, f, u, h)
#define RATIO(n, num, den, u, h) WEIR_STAT_RATIO(tagsplit_stats, n, num, den, u, h)
static const struct weir_stat stats[] = {
    S(reservations, "request", "misses and partial misses, each of which reserved chunks"),
    S(chunks_fetched, "chunk", "reserved and sent for"),
    S(chunks_matching, "chunk", "... that were invalid, in a group with the same shared tag"),
    S(chunks_empty, "chunk", "... in a group where nothing was"),
    S(victims, "chunk", "replaced by choice"),
    S(victims_used, "chunk", "... although used lately, for lack of others"),
    S(retags, "group", "that got another shared tag for a chunk that was chosen in them"),
    S(collateral_inval, "chunk", "that went with such a group"),
    S(groups_whole, "group", "taken as one, for a line that is fetched whole"),
    S(agings, "set", "times that all marks of a set were cleared"),
    S(seen_chunks, "chunk", "of the set, valid or pending, summed over reservations"),
    S(seen_lines, "line", "that these belong to"),
    S(seen_mixed_groups, "group", "of these that hold more than one line"),
    RATIO("victims_used_rate", victims_used, victims, "1", "of the victims, those used lately"),
    RATIO("chunks_per_set", seen_chunks, reservations, "chunk", "valid or pending, on average"),
    RATIO("lines_per_set", seen_lines, reservations, "line", "of which something is there"),
    RATIO("mixed_groups_per_set", seen_mixed_groups, reservations, "group",
          "that hold more than one line"),
    WEIR_STAT_END};

const struct weir_org_ops weir_org_tagsplit = {
    .part = {WEIR_PART("tag-split",
                       "chunks of lines, stored apart, in groups that share the upper tag bits"),
             .reference = PAPER, WEIR_PART_PARAMS(params, tagsplit_cfg),
             WEIR_PART_STATS(stats, tagsplit_stats), .set_bytes = sizeof(struct count),
             .line_bytes = sizeof(uint16_t), .state_size = state_size, .init = init,
             .storage_bits = storage_bits, .verify = verify},
    .is_sectored = true,
    .widens_first = true,
    .has_victim_rule = true,
    .outcome_stands = true,
    .ways = ways,
    .view = view,
    .probe = probe,
    .can_reserve = can_reserve,
    .reserve = reserve,
    .commit_hit = commit_hit,
    .commit_bypass = commit_bypass,
    .write = write_nothing,
    .fill = fill,
    .ended_by_store = ended_by_store,
    .invalidate = invalidate,
    .invalidate_way = invalidate_way,
    .flush = flush};
