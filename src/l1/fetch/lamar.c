/* How much of a line does a miss fetch from sectors: all of it, or what the load touches? Lines of
 * which few sectors were used before they were replaced are remembered in a Bloom filter, by pairs
 * of neighbours; a miss to one of these fetches what it touches, any other the whole line.
 *
 * The filter has two arrays. Both are read and one is written; after so many insertions the other
 * one, which has the older half, is cleared and written from then on.
 *
 * The paper is known by its abstract and by what another says of it: that a predictor of two
 * granularities learns from the sectors that were used, in two arrays of bits, is theirs. */
#include <string.h>

#include "l1/parts.h"

#define MODES(X)                                                                                   \
  X(BY_FILTER, "predicted")                                                                        \
  X(ALWAYS_FINE, "fine") X(ALWAYS_COARSE, "coarse")
enum mode { MODES(WEIR_CHOICE_ID) };
struct lamar_cfg {
  enum mode mode;
  int64_t filter_bits, hashes, swap_after, few;
};

struct lamar_stats {
  uint64_t fine, coarse, partial, replaced, inserted, unused_sectors, swaps, bits_at_swaps;
};

/* State: this header, then the arrays, 64 bits to a word. */
struct lamar {
  uint32_t current;  /* the array that is written */
  uint32_t inserted; /* into it */
};

struct line {
  uint64_t key; /* as struct weir_line's tag: fetch_mask is not told what the set holds */
  uint16_t used;
};

enum { ARRAYS = 2, WORD = 64, PAIR = 1 }; /* PAIR: bits of a line number that do not count */

static const struct lamar_cfg *cfg_of(const struct weir_policy *p) {
  return weir_cfg(p);
}

static size_t words(const struct lamar_cfg *c) {
  return ((size_t)c->filter_bits + WORD - 1) / WORD;
}

static size_t state_size(const void *cfg, const struct weir_geometry *g) {
  (void)g;
  return sizeof(struct lamar) + ARRAYS * words(cfg) * sizeof(uint64_t);
}

/* Gives up const: callers that only look take the result as const. */
static uint64_t *array_of(const struct weir_policy *p, uint32_t i) {
  return (uint64_t *)((char *)p->state + sizeof(struct lamar)) + i * words(cfg_of(p));
}

/* ---- the filter ---- */

/* The bit of a pair of lines by the i-th hash. */
static uint32_t bit_of(const struct weir_policy *p, uint64_t key, uint32_t i) {
  uint64_t x = (((key - 1) >> PAIR) + 1) * UINT64_C(0x9e3779b97f4a7c15);
  x = (x ^ (x >> 29) ^ i) * UINT64_C(0xbf58476d1ce4e5b9);
  x ^= x >> 32;
  return (uint32_t)(((x & UINT32_MAX) * (uint64_t)cfg_of(p)->filter_bits) >> 32);
}

static bool is_in(const struct weir_policy *p, const uint64_t *array, uint64_t key) {
  for (uint32_t i = 0; i < (uint32_t)cfg_of(p)->hashes; i++) {
    uint32_t bit = bit_of(p, key, i);
    if ((array[bit / WORD] >> (bit % WORD) & 1) == 0) return false;
  }
  return true;
}

static void swap(struct weir_policy *p) {
  struct lamar *s = weir_state_edit(p);
  struct lamar_stats *st = weir_stats_edit(p);
  const uint64_t *full = array_of(p, s->current);
  for (size_t i = 0; i < words(cfg_of(p)); i++)
    st->bits_at_swaps += (uint64_t)__builtin_popcountll(full[i]);
  st->swaps++;
  s->current = 1 - s->current;
  s->inserted = 0;
  memset(array_of(p, s->current), 0, words(cfg_of(p)) * sizeof(uint64_t));
}

static void insert(struct weir_policy *p, uint64_t key) {
  struct lamar *s = weir_state_edit(p);
  uint64_t *array = array_of(p, s->current);
  for (uint32_t i = 0; i < (uint32_t)cfg_of(p)->hashes; i++) {
    uint32_t bit = bit_of(p, key, i);
    array[bit / WORD] |= UINT64_C(1) << (bit % WORD);
  }
  ((struct lamar_stats *)weir_stats_edit(p))->inserted++;
  if (++s->inserted == (uint32_t)cfg_of(p)->swap_after) swap(p);
}

/* ---- deciding ---- */

static uint64_t key_of(const struct weir_policy *p, const struct weir_access *a) {
  return a->addr / weir_geometry(p)->line_bytes + 1;
}

static bool is_there(const struct weir_policy *p, const struct weir_access *a) {
  const struct line *l = weir_line_peek(p, a->set, 0);
  for (uint32_t i = 0; i < weir_geometry(p)->ways; i++)
    if (l[i].key == key_of(p, a)) return true;
  return false;
}

static bool is_fine(const struct weir_policy *p, const struct weir_access *a) {
  if (cfg_of(p)->mode != BY_FILTER) return cfg_of(p)->mode == ALWAYS_FINE;
  return is_in(p, array_of(p, 0), key_of(p, a)) || is_in(p, array_of(p, 1), key_of(p, a));
}

/* What is missing of a line that is there is fetched, and no more. */
static uint32_t fetch_mask(const struct weir_policy *p, const struct weir_access *a,
                           uint32_t missing) {
  if (a->op != WEIR_LOAD || is_there(p, a) || is_fine(p, a)) return missing;
  return (1u << weir_geometry(p)->sectors) - 1;
}

/* ---- observing ---- */

static uint16_t touched(const struct weir_access *a) {
  return a->op != WEIR_PREFETCH ? a->sectors : 0;
}

static void lookup(struct weir_policy *p, const struct weir_access *a, struct weir_set set, int way,
                   enum weir_outcome outcome) {
  struct lamar_stats *st = weir_stats_edit(p);
  if (way >= 0) ((struct line *)weir_line_edit(p, set.index, way))->used |= touched(a);
  if (a->op != WEIR_LOAD || a->fetch == 0) return;
  if (outcome == WEIR_PARTIAL)
    st->partial++;
  else
    *(is_fine(p, a) ? &st->fine : &st->coarse) += 1;
}

static void alloc(struct weir_policy *p, const struct weir_access *a, struct weir_set set,
                  int way) {
  *(struct line *)weir_line_edit(p, set.index, way) =
      (struct line){.key = set.line[way].tag, .used = touched(a)};
}

/* A line that a store or the next kernel ends might have been used more. */
static void evict(struct weir_policy *p, const struct weir_access *a, struct weir_set set, int way,
                  enum weir_cause cause) {
  (void)a;
  struct line *l = weir_line_edit(p, set.index, way), was = *l;
  struct lamar_stats *st = weir_stats_edit(p);
  *l = (struct line){0};
  if (cause != WEIR_BY_REPLACEMENT) return;
  st->replaced++;
  st->unused_sectors +=
      (uint64_t)__builtin_popcount((unsigned)set.line[way].valid_mask & ~(unsigned)was.used);
  if (cfg_of(p)->mode == BY_FILTER && __builtin_popcount(was.used) <= cfg_of(p)->few)
    insert(p, was.key);
}

/* ---- the rest ---- */

static const char *verify_array(const struct weir_policy *p, uint32_t i) {
  uint32_t bits = (uint32_t)cfg_of(p)->filter_bits, last = bits % WORD;
  const uint64_t *v = array_of(p, i);
  return last != 0 && v[words(cfg_of(p)) - 1] >> last != 0 ? "the filter has bits beyond its end"
                                                           : NULL;
}

static const char *verify(const struct weir_policy *p) {
  const struct lamar *s = weir_state_peek(p);
  const struct weir_geometry *g = weir_geometry(p);
  if (s->current >= ARRAYS || s->inserted >= (uint32_t)cfg_of(p)->swap_after)
    return "the filter was not swapped";
  for (uint32_t set = 0; set < g->sets; set++)
    for (uint32_t i = 0; i < g->ways; i++) {
      const struct line *l = weir_line_peek(p, set, (int)i);
      if (l->key == 0 && l->used != 0) return "an empty line has used sectors";
      if ((l->used >> g->sectors) != 0) return "a line has used sectors that it has not";
    }
  const char *bad = verify_array(p, 0);
  return bad != NULL ? bad : verify_array(p, 1);
}

#define PAPER                                                                                      \
  "M. Rhu et al., A Locality-Aware Memory Hierarchy for Energy-Efficient GPUs, MICRO 2013"
#define P(f, def, ...) WEIR_PARAM(lamar_cfg, f, def, __VA_ARGS__, .source = "guess")
static const struct weir_param params[] = {
    P(mode, "predicted", .choices = WEIR_CHOICES(MODES),
      .help = "what a miss fetches: what the filter says; what the load touches; the whole line"),
    P(filter_bits, "1024", .unit = "bit", .min = 1, .max = 1 << 20,
      .help = "of each of the two arrays of the filter", .when = "mode=predicted"),
    P(hashes, "2", .min = 1, .max = 16, .help = "bits of an array that stand for a pair of lines",
      .when = "mode=predicted"),
    P(swap_after, "4096", .min = 1, .max = 1 << 24,
      .help = "insertions into an array before the other one is cleared and written",
      .when = "mode=predicted"),
    P(few, "2", .unit = "sector", .min = 0, .max = 16,
      .help = "a line that is replaced with no more used sectors is fetched by sectors later",
      .when = "mode=predicted"),
    WEIR_PARAM_END};

#define S(f, u, h) WEIR_STAT(lamar_stats, f, u, h)
static const struct weir_stat stats[] = {
    S(fine, "request", "loads that missed, to fetch what they touch"),
    S(coarse, "request", "... to fetch the whole line"),
    S(partial, "request", "loads that fetched what a line lacked"),
    S(replaced, "line", "lines that others took the place of"),
    S(inserted, "line", "of these, those with few used sectors, which went into the filter"),
    S(unused_sectors, "sector", "of lines that were replaced, fetched and never used"),
    S(swaps, "1", "times that an array of the filter had its insertions"),
    S(bits_at_swaps, "bit", "that were set in it then"),
    WEIR_STAT_RATIO(lamar_stats, "bits_at_swap", bits_at_swaps, swaps, "bit",
                    "the same of one swap; near lamar.filter_bits, everything seems to be in it"),
    WEIR_STAT_RATIO(lamar_stats, "inserted_share", inserted, replaced, "1",
                    "of the lines that were replaced, those that went into the filter"),
    WEIR_STAT_END};

/* The published figure is that of the sectors, which the organisation has: bits of use and the
 * filter are not in it, and so they are not in ours. */
const struct weir_policy_ops weir_policy_lamar = {
    .part = {WEIR_PART("lamar",
                       "misses fetch what they touch of lines that were used little, else all"),
             .reference = PAPER, WEIR_PART_PARAMS(params, lamar_cfg),
             WEIR_PART_STATS(stats, lamar_stats), .line_bytes = sizeof(struct line),
             .state_size = state_size, .storage_bits = weir_no_storage, .verify = verify},
    .organisations = "sectored",
    .fetch_mask = fetch_mask,
    .lookup = lookup,
    .alloc = alloc,
    .evict = evict};
