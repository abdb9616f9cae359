/* The decoupled L1: a tag store with more entries than there are data lines. A line that is touched
 * for the first time gets a tag only, and its load bypasses the cache; a data line is given when
 * the tag has counted enough references. Counts are aged whenever data lines change hands, so that
 * references count only if they are close together.
 *
 * A tag without a data line is a candidate, one with a line is committed. SM 0 works this way, SM 1
 * as the original L1; every few hundred cycles both tell their hits, and the other SMs follow the
 * better one. In both modes every data line has its tag here: the original L1 is this one without
 * candidates. */
#include <assert.h>
#include <inttypes.h>
#include <string.h>

#include "l1/inspect.h"
#include "l1/parts.h"

#define MEASURES(X) X(POINTS, "points") X(RELATIVE, "relative")
enum measure { MEASURES(WEIR_CHOICE_ID) };
#define PENDINGS(X) X(PENDING_HIT, "hit") X(PENDING_MISS, "miss")
enum pending { PENDINGS(WEIR_CHOICE_ID) };
#define BYPASSES(X) X(COUNT_MISS, "miss") X(COUNT_NOT, "skip")
enum bypass { BYPASSES(WEIR_CHOICE_ID) };
#define LAYOUTS(X) X(MINIMAL, "minimal") X(LISTED, "listed")
enum layout { LAYOUTS(WEIR_CHOICE_ID) };
#define ON_FAILS(X) X(STALL, "stall") X(BYPASS, "bypass")
enum on_fail { ON_FAILS(WEIR_CHOICE_ID) };
#define AGINGS(X) X(DEC1, "dec1") X(SHIFT, "shift_on_evict")
enum aging { AGINGS(WEIR_CHOICE_ID) };
#define EVICTED_RCS(X) X(ZERO, "zero") X(KEEP, "keep")
enum evicted_rc { EVICTED_RCS(WEIR_CHOICE_ID) };
#define CMPS(X) X(GE, "ge") X(GT, "gt")
enum cmp { CMPS(WEIR_CHOICE_ID) };
struct decoupled_cfg {
  int64_t tag_ways, threshold, rc_bits, rc_init, extra_latency;
  enum cmp cmp;
  enum aging aging;
  enum on_fail on_fail;
  enum evicted_rc rc_on_evict;
  enum layout layout;
  bool rc_on_hit, age_twice, age_on_store, evict_committed, t1_first_touch;
  bool duel, duel_reset;
  int64_t duel_interval, duel_diff, duel_min_loads;
  enum bypass duel_bypass;
  enum pending duel_pending;
  enum measure duel_measure;
};

/* The counters; all loads. */
struct decoupled_stats {
  uint64_t commits, commits_rc1, commits_rc2, commits_rc3, commits_rc8;
  uint64_t tag_evictions_rc0, tag_evictions_rc1, tag_evictions_rc2, tag_evictions_rc3, collateral;
  uint64_t aged;
  uint64_t bypass_first, bypass_below, bypass_no_tag, bypass_admitted;
  uint64_t duel_original, duel_decoupled, duel_kept, mode_switches, mode;
  uint64_t cycles_decoupled, cycles_original;
  uint64_t lookups, candidates, committed;
  uint64_t end_new, end_original, end_followers, followers;
};

/* State: this header, then the tags of all sets, then the data lines as policies see them. */
struct decoupled {
  uint32_t ways, tag_ways; /* in force */
  uint32_t n_inserted;
  bool is_on;           /* false: as the original L1 */
  uint64_t mode_since;  /* cycle of the kernel */
  uint64_t last_end;    /* cycle in which its last block ended; 0: it had none */
  uint64_t hits, loads; /* of this window */
  struct window {
    uint64_t number, hits, loads; /* number 0: none */
  } received[2];                  /* of the leaders */
};

/* Of each set. */
struct set_info {
  uint32_t free_lines, n_tags;
};

_Static_assert(sizeof(struct decoupled_stats) <= WEIR_MAX_PART_STATS * sizeof(uint64_t),
               "more counters than the engine adds up");

static const struct decoupled_cfg *cfg_of(const struct weir_policy *p) {
  return weir_cfg(p);
}
static uint32_t tag_ways_for(const struct decoupled_cfg *c, uint32_t ways) {
  return c->tag_ways > 0 ? (uint32_t)c->tag_ways : 2 * ways;
}
static uint32_t most_tag_ways(const struct weir_policy *p) {
  return tag_ways_for(cfg_of(p), p->geometry->ways);
}
static size_t state_size(const void *cfg, const struct weir_geometry *g) {
  return sizeof(struct decoupled) +
         (size_t)g->sets * tag_ways_for(cfg, g->ways) * sizeof(struct weir_dec_tag) +
         (size_t)g->sets * g->ways * sizeof(struct weir_line);
}

/* Accessors of const state give up const: callers that only look take the result as const. */
static struct weir_dec_tag *tags_of(const struct weir_policy *p, uint32_t set) {
  struct weir_dec_tag *all = (struct weir_dec_tag *)((struct decoupled *)p->state + 1);
  return all + (size_t)set * most_tag_ways(p);
}
static struct weir_line *lines_of(const struct weir_policy *p, uint32_t set) {
  struct weir_line *all = (struct weir_line *)tags_of(p, p->geometry->sets);
  return all + (size_t)set * p->geometry->ways;
}
static struct decoupled_stats *count(struct weir_policy *p) {
  return weir_stats_edit(p);
}

const struct weir_dec_tag *weir_decoupled_tags(const struct weir_policy *p, uint32_t set,
                                               uint32_t *n) {
  *n = ((const struct decoupled *)p->state)->tag_ways;
  return tags_of(p, set);
}

bool weir_decoupled_is_on(const struct weir_policy *p) {
  return ((const struct decoupled *)p->state)->is_on;
}

/* ---- set-up ---- */

/* Without lines and tags. Lines that cannot have a tag cannot be used. */
static void clear(struct weir_policy *p, uint32_t machine_ways) {
  struct decoupled *s = p->state;
  s->tag_ways = tag_ways_for(cfg_of(p), machine_ways);
  s->ways = machine_ways < s->tag_ways ? machine_ways : s->tag_ways;
  s->n_inserted = 0;
  memset(s + 1, 0, p->state_bytes - sizeof *s);
  for (uint32_t set = 0; set < p->geometry->sets; set++)
    *(struct set_info *)weir_set_edit(p, set) = (struct set_info){.free_lines = s->ways};
}

static uint32_t most_rc(const struct decoupled_cfg *c) {
  return (1u << c->rc_bits) - 1;
}

static bool is_enough(const struct decoupled_cfg *c, uint32_t rc) {
  return c->cmp == GT ? rc > (uint32_t)c->threshold : rc >= (uint32_t)c->threshold;
}

/* With threshold 0 every load is admitted: that is the original L1, and there is no duel. */
static bool has_duel(const struct weir_policy *p) {
  const struct decoupled_cfg *c = cfg_of(p);
  return c->duel && c->threshold > 0 && p->geometry->n_sms >= 2;
}
static bool is_leader(const struct weir_policy *p) {
  return has_duel(p) && p->geometry->sm < 2;
}

static enum weir_status init(struct weir_policy *p, struct weir_err *err) {
  const struct decoupled_cfg *c = cfg_of(p);
  struct decoupled *s = p->state;
  if (!is_enough(c, most_rc(c)))
    return weir_fail(err, WEIR_EINVAL,
                     "decoupled.threshold %" PRId64 " is never reached: decoupled.rc_bits %" PRId64
                     " count to %u",
                     c->threshold, c->rc_bits, most_rc(c));
  if ((uint64_t)c->rc_init > most_rc(c))
    return weir_fail(err, WEIR_EINVAL,
                     "decoupled.rc_init %" PRId64 " is too much: decoupled.rc_bits %" PRId64
                     " count to %u",
                     c->rc_init, c->rc_bits, most_rc(c));
  s->is_on = c->threshold > 0 && (!has_duel(p) || p->geometry->sm == 0);
  count(p)->mode = s->is_on;
  clear(p, p->geometry->ways);
  return WEIR_OK;
}

/* ---- looking ---- */

static uint64_t key_of(const struct weir_policy *p, uint64_t addr) {
  return (addr >> __builtin_ctz(p->geometry->line_bytes)) + 1;
}

static struct weir_dec_tag *find(const struct weir_policy *p, uint32_t set, uint64_t key) {
  const struct decoupled *s = p->state;
  struct weir_dec_tag *t = tags_of(p, set);
  for (uint32_t i = 0; i < s->tag_ways; i++)
    if (t[i].key == key) return &t[i];
  return NULL;
}

static struct weir_set view(const struct weir_policy *p, uint32_t set) {
  const struct decoupled *s = p->state;
  return (struct weir_set){.line = lines_of(p, set), .index = set, .ways = s->ways};
}

static bool loses_to(const struct weir_dec_tag *a, const struct weir_dec_tag *b) {
  return a->rc != b->rc ? a->rc < b->rc : (int32_t)(a->inserted - b->inserted) < 0;
}

/* The entry that a new line would get: a free one, or the one with the fewest references.
 * Candidates go first: what aging has done to a committed tag says nothing about its data. NULL:
 * all are committed and wait for their data. */
static struct weir_dec_tag *place_for(const struct weir_policy *p, uint32_t set) {
  const struct decoupled *s = p->state;
  struct weir_dec_tag *t = tags_of(p, set), *candidate = NULL, *committed = NULL;
  const struct weir_line *l = lines_of(p, set);
  for (uint32_t i = 0; i < s->tag_ways; i++) {
    if (t[i].key == 0) return &t[i];
    if (t[i].way == 0) {
      if (candidate == NULL || loses_to(&t[i], candidate)) candidate = &t[i];
    } else if (l[t[i].way - 1].pending_mask == 0) {
      if (committed == NULL || loses_to(&t[i], committed)) committed = &t[i];
    }
  }
  if (candidate == NULL) return committed;
  bool competes = committed != NULL && cfg_of(p)->evict_committed;
  return competes && loses_to(committed, candidate) ? committed : candidate;
}

static int free_way(const struct weir_policy *p, uint32_t set) {
  const struct decoupled *s = p->state;
  const struct weir_line *l = lines_of(p, set);
  for (uint32_t i = 0; i < s->ways; i++)
    if (l[i].tag == 0) return (int)i;
  return -1;
}

static int way_for(const struct weir_policy *p, const struct weir_access *a) {
  int way = free_way(p, a->set);
  return way >= 0 ? way : weir_l1_victim(p, a, view(p, a->set));
}

static uint32_t next_rc(const struct decoupled_cfg *c, const struct weir_dec_tag *t) {
  return t->rc < most_rc(c) ? t->rc + 1u : t->rc;
}

static bool is_admitted(const struct weir_policy *p, const struct weir_access *a,
                        const struct weir_dec_tag *t) {
  const struct decoupled_cfg *c = cfg_of(p);
  if (t != NULL) return is_enough(c, next_rc(c, t));
  return c->t1_first_touch && c->threshold == 1 && place_for(p, a->set) != NULL;
}

/* Of a line without data, where references are counted. */
static void judge(const struct weir_policy *p, const struct weir_access *a,
                  const struct weir_dec_tag *t, struct weir_probe *r) {
  if (!is_admitted(p, a, t)) {
    r->verdict = WEIR_BYPASS;
    r->reason = WEIR_R_THRESHOLD;
  } else if (cfg_of(p)->on_fail == BYPASS && way_for(p, a) < 0) {
    r->verdict = WEIR_BYPASS;
    r->reason = WEIR_R_STALL;
  }
}

static struct weir_probe probe(const struct weir_policy *p, const struct weir_access *a,
                               uint32_t want) {
  const struct decoupled *s = p->state;
  const struct weir_dec_tag *t = find(p, a->set, key_of(p, a->addr));
  struct weir_probe r = {.verdict = WEIR_CACHE, .want = want, .way = -1, .outcome = WEIR_MISS};
  if (s->is_on) r.extra = (uint32_t)cfg_of(p)->extra_latency;
  if (t != NULL && t->way != 0) {
    const struct weir_line *l = lines_of(p, a->set) + (t->way - 1);
    r.way = t->way - 1;
    r.valid = l->valid_mask;
    r.pending = l->pending_mask;
    r.outcome = l->pending_mask == 0 ? WEIR_HIT : WEIR_HIT_PENDING;
  } else if (s->is_on)
    judge(p, a, t, &r);
  return r;
}

/* Stores take no line, whatever the machine's do: with `fetch` 0 nothing is needed. */
static int can_reserve(const struct weir_policy *p, const struct weir_access *a,
                       const struct weir_probe *r, uint32_t fetch) {
  return r->way >= 0 || fetch == 0 || way_for(p, a) >= 0 ? 0 : -1;
}

/* ---- changing: tags and lines ---- */

static void drop_tag(struct weir_policy *p, uint32_t set, struct weir_dec_tag *t) {
  *t = (struct weir_dec_tag){0};
  ((struct set_info *)weir_set_edit(p, set))->n_tags--;
}

/* The line ends. Its tag, which is returned, is a candidate again, without references or with
 * them. */
static const struct weir_dec_tag *free_line(struct weir_policy *p, const struct weir_access *a,
                                            uint32_t set, int way, enum weir_cause cause) {
  const struct decoupled *s = p->state;
  struct weir_line *l = lines_of(p, set) + way;
  struct weir_dec_tag *t = find(p, set, l->tag);
  weir_l1_evict(p, a, view(p, set), way, cause);
  *l = (struct weir_line){0};
  ((struct set_info *)weir_set_edit(p, set))->free_lines++;
  t->way = 0;
  if (cfg_of(p)->rc_on_evict == ZERO) t->rc = 0;
  if (!s->is_on) drop_tag(p, set, t);
  return t;
}

static void count_tag_eviction(struct weir_policy *p, uint32_t rc) {
  struct decoupled_stats *n = count(p);
  ++*(rc == 0   ? &n->tag_evictions_rc0
      : rc == 1 ? &n->tag_evictions_rc1
      : rc == 2 ? &n->tag_evictions_rc2
                : &n->tag_evictions_rc3);
}

/* A tag for the access's line; NULL: there is no place. *took_line: a data line went with the tag
 * that stood there. */
static struct weir_dec_tag *insert(struct weir_policy *p, const struct weir_access *a,
                                   bool *took_line) {
  struct decoupled *s = p->state;
  struct weir_dec_tag *t = place_for(p, a->set);
  if (t == NULL) return NULL;
  if (t->key != 0) {
    count_tag_eviction(p, t->rc);
    if (t->way != 0) {
      free_line(p, a, a->set, t->way - 1, WEIR_BY_COLLATERAL);
      count(p)->collateral++;
      *took_line = true;
    }
    drop_tag(p, a->set, t);
  }
  *t = (struct weir_dec_tag){
      .key = key_of(p, a->addr), .inserted = s->n_inserted++, .rc = (uint8_t)cfg_of(p)->rc_init};
  ((struct set_info *)weir_set_edit(p, a->set))->n_tags++;
  return t;
}

/* Data lines of the set were given or taken: references count for less, but not those of the tag
 * that is new or got a line, and of the one that lost it. */
static void age(struct weir_policy *p, uint32_t set, const struct weir_dec_tag *spared,
                const struct weir_dec_tag *lost, bool has_given, bool has_taken) {
  const struct decoupled *s = p->state;
  const struct decoupled_cfg *c = cfg_of(p);
  if (!s->is_on) return;
  bool shifts = c->aging == SHIFT;
  unsigned by = shifts ? has_taken : has_given && has_taken && c->age_twice ? 2 : 1;
  struct weir_dec_tag *t = tags_of(p, set);
  for (uint32_t i = 0; i < s->tag_ways; i++) {
    if (&t[i] == spared || &t[i] == lost) continue;
    unsigned rc = t[i].rc, less = shifts ? rc >> by : rc > by ? rc - by : 0;
    count(p)->aged += rc - less;
    t[i].rc = (uint8_t)less;
  }
}

/* ---- changing: what the pipeline accepted ---- */

/* For the duel, and how full the set was. */
static void observe(struct weir_policy *p, const struct weir_access *a, bool is_hit) {
  struct decoupled *s = p->state;
  if (a->op != WEIR_LOAD) return;
  s->loads++;
  s->hits += is_hit;
  if (!s->is_on) return;
  const struct set_info *i = weir_set_peek(p, a->set);
  uint32_t committed = s->ways - i->free_lines;
  count(p)->lookups++;
  count(p)->committed += committed;
  count(p)->candidates += i->n_tags - committed;
}

static void count_commit(struct weir_policy *p, uint32_t rc) {
  struct decoupled_stats *n = count(p);
  n->commits++;
  ++*(rc <= 1   ? &n->commits_rc1
      : rc == 2 ? &n->commits_rc2
      : rc < 8  ? &n->commits_rc3
                : &n->commits_rc8);
}

static uint32_t reserve(struct weir_policy *p, const struct weir_access *a,
                        const struct weir_probe *r, uint32_t fetch) {
  const struct decoupled *s = p->state;
  struct weir_dec_tag *t = find(p, a->set, key_of(p, a->addr));
  const struct weir_dec_tag *lost = NULL;
  bool took_line = false;
  assert(r->way < 0); /* a line comes whole, so nothing more is fetched for one that is there */
  (void)r;
  observe(p, a, false);
  if (t != NULL)
    t->rc = (uint8_t)next_rc(cfg_of(p), t);
  else if (s->is_on)
    t = insert(p, a, &took_line);
  int way = way_for(p, a);
  struct weir_line *l = lines_of(p, a->set) + way;
  if (l->tag != 0) {
    lost = free_line(p, a, a->set, way, WEIR_BY_REPLACEMENT);
    took_line = true;
  }
  if (t == NULL) t = insert(p, a, &took_line); /* as the original L1: that of the line that went */
  t->way = (uint16_t)(way + 1);
  *l = (struct weir_line){.tag = t->key};
  ((struct set_info *)weir_set_edit(p, a->set))->free_lines--;
  weir_l1_alloc(p, a, view(p, a->set), way);
  l->pending_mask = (uint16_t)fetch;
  if (!s->is_on) return 0;
  count_commit(p, t->rc);
  age(p, a->set, t, lost, true, took_line);
  return 0;
}

static void commit_hit(struct weir_policy *p, const struct weir_access *a,
                       const struct weir_probe *r) {
  const struct decoupled *s = p->state;
  const struct decoupled_cfg *c = cfg_of(p);
  observe(p, a, r->outcome == WEIR_HIT || c->duel_pending == PENDING_HIT);
  if (!s->is_on || !c->rc_on_hit || r->outcome != WEIR_HIT) return;
  struct weir_dec_tag *t = find(p, a->set, key_of(p, a->addr));
  t->rc = (uint8_t)next_rc(c, t);
}

static void commit_bypass(struct weir_policy *p, const struct weir_access *a,
                          const struct weir_probe *r) {
  struct decoupled *s = p->state;
  const struct decoupled_cfg *c = cfg_of(p);
  bool took_line = false;
  observe(p, a, false);
  if (c->duel_bypass == COUNT_NOT) s->loads--;
  if (!s->is_on || r->way >= 0) return;
  struct weir_dec_tag *t = find(p, a->set, key_of(p, a->addr));
  if (t != NULL) {
    t->rc = (uint8_t)next_rc(c, t);
    ++*(is_enough(c, t->rc) ? &count(p)->bypass_admitted : &count(p)->bypass_below);
    return;
  }
  t = insert(p, a, &took_line);
  ++*(t != NULL ? &count(p)->bypass_first : &count(p)->bypass_no_tag);
  if (took_line) age(p, a->set, t, NULL, false, true);
}

/* A line that is there takes what is written; one that is not gets no place by a store. */
static void write_line(struct weir_policy *p, const struct weir_access *a,
                       const struct weir_probe *r, bool is_dirty, bool allocates) {
  (void)p, (void)a, (void)r, (void)is_dirty, (void)allocates;
}

/* A store ended the line, or its arrival. */
static void end_by_store(struct weir_policy *p, const struct weir_access *a, int way,
                         enum weir_cause cause) {
  const struct weir_dec_tag *lost = free_line(p, a, a->set, way, cause);
  if (cfg_of(p)->age_on_store) age(p, a->set, NULL, lost, false, true);
}

static int fill(struct weir_policy *p, const struct weir_access *a, uint32_t arrived,
                uint32_t dropped, uint32_t room) {
  (void)room;
  const struct weir_dec_tag *t = find(p, a->set, key_of(p, a->addr));
  assert(t != NULL && t->way != 0); /* a line that waits for its data is never given up */
  int way = t->way - 1;
  struct weir_line *l = lines_of(p, a->set) + way;
  l->pending_mask = 0;
  if ((arrived & dropped) != 0) {
    end_by_store(p, a, way, WEIR_BY_STORE);
    return -1;
  }
  l->valid_mask = (uint16_t)arrived;
  return way;
}

static uint32_t invalidate(struct weir_policy *p, const struct weir_access *a, uint32_t sectors,
                           enum weir_cause cause) {
  (void)sectors; /* always the whole line */
  const struct weir_dec_tag *t = find(p, a->set, key_of(p, a->addr));
  if (t == NULL || t->way == 0 || lines_of(p, a->set)[t->way - 1].pending_mask != 0) return 0;
  end_by_store(p, a, t->way - 1, cause);
  return 1;
}

static void invalidate_way(struct weir_policy *p, uint32_t set, int way) {
  const struct weir_line *l = lines_of(p, set) + way;
  if (l->tag == 0 || l->pending_mask != 0) return;
  const struct weir_dec_tag *lost = free_line(p, NULL, set, way, WEIR_BY_COLLATERAL);
  age(p, set, NULL, lost, false, true);
}

static void flush(struct weir_policy *p, uint32_t ways, uint32_t lines) {
  (void)lines;
  const struct decoupled *s = p->state;
  for (uint32_t set = 0; set < p->geometry->sets; set++)
    for (uint32_t w = 0; w < s->ways; w++)
      if (lines_of(p, set)[w].tag != 0) weir_l1_evict(p, NULL, view(p, set), (int)w, WEIR_BY_FLUSH);
  clear(p, ways);
}

/* ---- modes ---- */

static void settle_mode(struct weir_policy *p, uint64_t cycle) {
  struct decoupled *s = p->state;
  *(s->is_on ? &count(p)->cycles_decoupled : &count(p)->cycles_original) += cycle - s->mode_since;
  s->mode_since = cycle;
}

/* Lines stay. Their tags begin with what admits a line; candidates end with the mode. */
static void set_mode(struct weir_policy *p, bool is_on, uint64_t cycle) {
  struct decoupled *s = p->state;
  if (s->is_on == is_on) return;
  settle_mode(p, cycle);
  s->is_on = is_on;
  count(p)->mode = is_on;
  count(p)->mode_switches++;
  for (uint32_t set = 0; set < p->geometry->sets; set++) {
    struct weir_dec_tag *t = tags_of(p, set);
    for (uint32_t i = 0; i < s->tag_ways; i++)
      if (t[i].way != 0)
        t[i].rc = (uint8_t)cfg_of(p)->threshold;
      else if (t[i].key != 0)
        drop_tag(p, set, &t[i]);
  }
}

static void kernel_begin(struct weir_policy *p, const struct weir_kernel *k) {
  (void)k;
  struct decoupled *s = p->state;
  s->mode_since = s->last_end = s->hits = s->loads = 0;
  memset(s->received, 0, sizeof s->received);
  if (!has_duel(p)) return;
  if (is_leader(p))
    weir_ask_wake(p, (uint64_t)cfg_of(p)->duel_interval);
  else if (cfg_of(p)->duel_reset)
    set_mode(p, false, 0);
}

static void cta_end(struct weir_policy *p, const struct weir_cta *c, uint64_t cycle) {
  (void)c;
  ((struct decoupled *)p->state)->last_end = cycle;
}

/* A leader cannot leave its design, and may be the last to end. */
static void kernel_end(struct weir_policy *p, const struct weir_kernel *k, uint64_t cycle) {
  (void)k;
  const struct decoupled *s = p->state;
  struct decoupled_stats *n = count(p);
  settle_mode(p, cycle);
  *(!is_leader(p)          ? &n->end_followers
    : p->geometry->sm == 0 ? &n->end_new
                           : &n->end_original) += s->last_end;
  n->followers += !is_leader(p) && s->last_end > 0;
}

static void tick(struct weir_policy *p, uint64_t now) {
  struct decoupled *s = p->state;
  uint64_t interval = (uint64_t)cfg_of(p)->duel_interval;
  weir_ask_broadcast(p, (const uint64_t[4]){now / interval, s->hits, s->loads, 0});
  s->hits = s->loads = 0;
  weir_ask_wake(p, now + interval);
}

/* Is SM 0's miss rate higher by more than duel_diff? In whole numbers, so that equal is equal. */
static bool original_wins(const struct decoupled_cfg *c, const struct window w[2]) {
  int64_t l0 = (int64_t)w[0].loads, l1 = (int64_t)w[1].loads;
  int64_t m0 = (l0 - (int64_t)w[0].hits) * l1, m1 = (l1 - (int64_t)w[1].hits) * l0;
  return 100 * (m0 - m1) > c->duel_diff * (c->duel_measure == RELATIVE ? m1 : l0 * l1);
}

static void broadcast_received(struct weir_policy *p, uint32_t from_sm, const uint64_t v[4],
                               uint64_t cycle) {
  struct decoupled *s = p->state;
  const struct decoupled_cfg *c = cfg_of(p);
  if (!has_duel(p) || is_leader(p) || from_sm > 1) return;
  struct window *w = s->received;
  w[from_sm] = (struct window){.number = v[0], .hits = v[1], .loads = v[2]};
  if (w[0].number != w[1].number) return;
  uint64_t least = (uint64_t)c->duel_min_loads;
  if (w[0].loads < least || w[1].loads < least) {
    count(p)->duel_kept++;
    return;
  }
  bool is_on = !original_wins(c, w);
  ++*(is_on ? &count(p)->duel_decoupled : &count(p)->duel_original);
  set_mode(p, is_on, cycle);
}

/* ---- reports and checks ---- */

/* Beyond the conventional L1 with a status of two bits per tag, 32-bit addresses. `listed`: every
 * tag has an LRU counter, and Free Line counts to ways - 1, as in the paper's list of fields. */
static uint64_t storage_bits(const void *cfg, const struct weir_geometry *g) {
  const struct decoupled_cfg *c = cfg;
  enum { ADDRESS = 32, STATUS = 2 };
  uint64_t tag = ADDRESS - weir_bits(g->line_bytes) - weir_bits(g->sets), way = weir_bits(g->ways);
  uint64_t tags = (uint64_t)g->sets * tag_ways_for(c, g->ways), lines = (uint64_t)g->sets * g->ways;
  uint64_t entry = tag + STATUS + (uint64_t)c->rc_bits + way, line = tag + STATUS;
  uint64_t free_lines = weir_bits(g->ways + 1);
  if (c->layout == LISTED) {
    entry += way;
    line += way;
    free_lines = way;
  }
  uint64_t now = tags * entry + g->sets * free_lines, before = lines * line;
  return now > before ? now - before : 0;
}

static const char *verify_set(const struct weir_policy *p, uint32_t set) {
  const struct decoupled *s = p->state;
  const struct set_info *info = weir_set_peek(p, set);
  const struct weir_dec_tag *t = tags_of(p, set);
  const struct weir_line *l = lines_of(p, set);
  uint32_t n_tags = 0, committed = 0, resident = 0;
  for (uint32_t w = 0; w < s->ways; w++)
    resident += l[w].tag != 0;
  for (uint32_t i = 0; i < s->tag_ways; i++) {
    if (t[i].key == 0) continue;
    n_tags++;
    committed += t[i].way != 0;
    if (find(p, set, t[i].key) != &t[i]) return "a line has two tags";
    if (t[i].rc > most_rc(cfg_of(p))) return "a reference count is larger than its bits allow";
    if (t[i].way == 0 && !s->is_on) return "a candidate in the original mode";
    if (t[i].way != 0 && l[t[i].way - 1].tag != t[i].key) return "a tag points to another's line";
  }
  if (n_tags != info->n_tags) return "tags are not as many as were counted";
  if (committed != resident) return "a data line has no tag";
  if (committed + info->free_lines != s->ways) return "free lines are not as many as were counted";
  return NULL;
}

static const char *verify(const struct weir_policy *p) {
  const char *bad = NULL;
  for (uint32_t set = 0; bad == NULL && set < p->geometry->sets; set++)
    bad = verify_set(p, set);
  return bad;
}

/* ---- tables ---- */

#define PAPER        "Locality-Driven Dynamic GPU Cache Bypassing"
#define P(f, d, ...) WEIR_PARAM(decoupled_cfg, f, d, __VA_ARGS__)
static const struct weir_param params[] = {
    P(tag_ways, "0", .min = 0, .max = 4096, .help = "tags of a set; 0: twice the data ways",
      .source = PAPER ", Table 3 (8 for 4 data ways)"),
    P(threshold, "2", .min = 0, .max = 255,
      .help = "references after which a line gets data; 0: all get them, as in the original L1",
      .source = PAPER ", Table 3"),
    P(rc_bits, "6", .min = 1, .max = 8, .unit = "bit", .help = "of a reference count",
      .source = PAPER ", section 4.1", .when = "threshold>0"),
    P(rc_init, "1", .min = 0, .max = 255, .help = "reference count of a new tag", .source = "guess",
      .when = "threshold>0"),
    P(cmp, "ge", .choices = WEIR_CHOICES(CMPS),
      .help = "the count must reach the threshold, or exceed it", .source = "guess",
      .when = "threshold>0"),
    P(extra_latency, "1", .min = 0, .max = 1000, .unit = "cycle",
      .help = "that a probe of the larger tag store takes longer", .source = PAPER ", section 6.5",
      .when = "threshold>0"),
    P(aging, "dec1", .choices = WEIR_CHOICES(AGINGS),
      .help = "counts lose 1 when a data line is given or taken, or are halved when one is taken",
      .source = PAPER ", section 4.2", .when = "threshold>0"),
    P(age_twice, "false", .help = "dec1: giving a line that was taken from another ages twice",
      .source = "guess", .when = "threshold>0 and aging=dec1"),
    P(age_on_store, "true", .help = "a line that a store ends ages the others", .source = "guess",
      .when = "threshold>0"),
    P(rc_on_hit, "false", .help = "hits count as references too", .source = "guess",
      .when = "threshold>0"),
    P(rc_on_evict, "zero", .choices = WEIR_CHOICES(EVICTED_RCS),
      .help = "the count of a tag whose data line ends: none, or what it was (with rc_on_hit: all "
              "references that the tag store has seen)",
      .source = PAPER ", section 4.2 (zero)", .when = "threshold>0"),
    P(evict_committed, "false",
      .help = "tags with a data line can be replaced as long as there are candidates",
      .source = "guess", .when = "threshold>0"),
    P(t1_first_touch, "false", .help = "with threshold 1 the first touch gets a data line",
      .source = "guess", .when = "threshold=1"),
    P(on_fail, "stall", .choices = WEIR_CHOICES(ON_FAILS),
      .help = "what an admitted load does when all data lines of its set are reserved",
      .source = "guess", .when = "threshold>0"),
    P(duel, "true", .help = "SM 0 uses this design, SM 1 the original, the others the better one",
      .source = PAPER ", section 4.3", .when = "threshold>0 and sm.count>1"),
    P(duel_interval, "500", .min = 1, .max = 1e6, .unit = "cycle",
      .help = "between two comparisons", .source = PAPER ", Table 3",
      .when = "duel=true and threshold>0 and sm.count>1"),
    P(duel_diff, "10", .min = 0, .max = 100, .unit = "%",
      .help = "by which the new design's miss rate must be higher for the original to be used",
      .source = PAPER ", Table 3", .when = "duel=true and threshold>0 and sm.count>1"),
    P(duel_measure, "points", .choices = WEIR_CHOICES(MEASURES),
      .help = "the difference is one of miss rates, or a share of the original's",
      .source = "guess", .when = "duel=true and threshold>0 and sm.count>1"),
    P(duel_bypass, "miss", .choices = WEIR_CHOICES(BYPASSES),
      .help = "bypassed loads count as misses, or not at all", .source = "guess",
      .when = "duel=true and threshold>0 and sm.count>1"),
    P(duel_pending, "hit", .choices = WEIR_CHOICES(PENDINGS),
      .help = "what loads of a line that is on its way count as", .source = "guess",
      .when = "duel=true and threshold>0 and sm.count>1"),
    P(duel_min_loads, "16", .min = 1, .max = 1e6, .unit = "request",
      .help = "loads of a leader without which nothing is decided", .source = "guess",
      .when = "duel=true and threshold>0 and sm.count>1"),
    P(duel_reset, "false", .help = "each kernel starts with the original L1", .source = "guess",
      .when = "duel=true and threshold>0 and sm.count>1"),
    P(layout, "minimal", .choices = WEIR_CHOICES(LAYOUTS),
      .help = "which fields the storage is counted for: those needed, or those that the paper "
              "lists",
      .source = "guess"),
    WEIR_PARAM_END};

#define S(f, u, h)         WEIR_STAT(decoupled_stats, f, u, h)
#define MEAN(n, num, u, h) WEIR_STAT_RATIO(decoupled_stats, n, num, lookups, u, h)
static const struct weir_stat stats[] = {
    S(commits, "line", "data lines given to lines with enough references"),
    S(commits_rc1, "line", "of these, with a reference count of 0 or 1"),
    S(commits_rc2, "line", "... of 2"),
    S(commits_rc3, "line", "... of 3 to 7"),
    S(commits_rc8, "line", "... of 8 and more"),
    S(tag_evictions_rc0, "tag", "tags replaced with a reference count of 0"),
    S(tag_evictions_rc1, "tag", "... of 1"),
    S(tag_evictions_rc2, "tag", "... of 2"),
    S(tag_evictions_rc3, "tag", "... of 3 and more"),
    S(collateral, "line", "data lines that went with their tag"),
    S(aged, "reference", "references that aging took away"),
    S(bypass_first, "request", "loads that bypassed the L1 because the line was new"),
    S(bypass_below, "request", "... had too few references"),
    S(bypass_no_tag, "request", "... was new and got no tag: all were reserved"),
    S(bypass_admitted, "request",
      "... had enough references, but another policy or a shortage made it bypass"),
    S(duel_original, "decision", "comparisons after which an SM used the original L1"),
    S(duel_decoupled, "decision", "... used this design"),
    S(duel_kept, "decision", "... went on as before: too few loads"),
    S(mode_switches, "switch", "changes of an SM between the two"),
    WEIR_STAT_LEVEL(decoupled_stats, mode, "1", "0: the original L1, 1: this design"),
    S(cycles_decoupled, "cycle", "in this design, summed over SMs"),
    S(cycles_original, "cycle", "in the original L1, summed over SMs"),
    S(lookups, "request", "loads looked up in this design"),
    S(candidates, "tag", "tags without data in the set of each of these loads, summed"),
    S(committed, "tag", "tags with data in the set of each of these loads, summed"),
    S(end_new, "cycle",
      "from the begin of a kernel to the end of its last block on SM 0, which leads with this "
      "design"),
    S(end_original, "cycle", "... on SM 1, which leads with the original L1"),
    S(end_followers, "cycle", "... on the other SMs, summed over them"),
    S(followers, "SM", "of these, with blocks, summed over launches"),
    WEIR_STAT_RATIO(decoupled_stats, "end_follower", end_followers, followers, "cycle",
                    "the same of one of them on average; where a leader's is more, the duel sets "
                    "the kernel's time"),
    MEAN("candidates_per_set", candidates, "tag", "tags without data in a set, seen by loads"),
    MEAN("committed_per_set", committed, "tag", "tags with data in a set, seen by loads"),
    WEIR_STAT_END};

const struct weir_org_ops weir_org_decoupled = {
    .part = {WEIR_PART("decoupled",
                       "more tags than data lines: a line is stored after some references"),
             .reference = "C. Li et al., " PAPER ", ICS 2015",
             WEIR_PART_PARAMS(params, decoupled_cfg), WEIR_PART_STATS(stats, decoupled_stats),
             .set_bytes = sizeof(struct set_info), .state_size = state_size, .init = init,
             .storage_bits = storage_bits, .verify = verify, .kernel_begin = kernel_begin,
             .kernel_end = kernel_end, .cta_end = cta_end, .tick = tick,
             .broadcast_received = broadcast_received},
    .view = view,
    .probe = probe,
    .can_reserve = can_reserve,
    .reserve = reserve,
    .commit_hit = commit_hit,
    .commit_bypass = commit_bypass,
    .write = write_line,
    .fill = fill,
    .invalidate = invalidate,
    .invalidate_way = invalidate_way,
    .flush = flush};
