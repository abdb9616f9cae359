/* The decoupled organisation: what tests and reports need to know of it. */
#ifndef WEIR_L1_ORGANISATION_DECOUPLED_H
#define WEIR_L1_ORGANISATION_DECOUPLED_H

#include "l1/parts.h"

#define WEIR_DEC_MEASURES(X) X(WEIR_DEC_POINTS, "points") X(WEIR_DEC_RELATIVE, "relative")
enum weir_dec_measure { WEIR_DEC_MEASURES(WEIR_CHOICE_ID) };
#define WEIR_DEC_PENDINGS(X) X(WEIR_DEC_PENDING_HIT, "hit") X(WEIR_DEC_PENDING_MISS, "miss")
enum weir_dec_pending { WEIR_DEC_PENDINGS(WEIR_CHOICE_ID) };
#define WEIR_DEC_BYPASSES(X) X(WEIR_DEC_COUNT_MISS, "miss") X(WEIR_DEC_COUNT_NOT, "skip")
enum weir_dec_bypass { WEIR_DEC_BYPASSES(WEIR_CHOICE_ID) };
#define WEIR_DEC_LAYOUTS(X) X(WEIR_DEC_MINIMAL, "minimal") X(WEIR_DEC_LISTED, "listed")
enum weir_dec_layout { WEIR_DEC_LAYOUTS(WEIR_CHOICE_ID) };
#define WEIR_DEC_ON_FAILS(X) X(WEIR_DEC_STALL, "stall") X(WEIR_DEC_BYPASS, "bypass")
enum weir_dec_on_fail { WEIR_DEC_ON_FAILS(WEIR_CHOICE_ID) };
#define WEIR_DEC_AGINGS(X) X(WEIR_DEC_DEC1, "dec1") X(WEIR_DEC_SHIFT, "shift_on_evict")
enum weir_dec_aging { WEIR_DEC_AGINGS(WEIR_CHOICE_ID) };
#define WEIR_DEC_CMPS(X) X(WEIR_DEC_GE, "ge") X(WEIR_DEC_GT, "gt")
enum weir_dec_cmp { WEIR_DEC_CMPS(WEIR_CHOICE_ID) };
struct weir_decoupled_cfg {
  int64_t tag_ways, threshold, rc_bits, rc_init, extra_latency;
  enum weir_dec_cmp cmp;
  enum weir_dec_aging aging;
  enum weir_dec_on_fail on_fail;
  enum weir_dec_layout layout;
  bool rc_on_hit, age_twice, age_on_store, evict_committed, t1_first_touch;
  bool duel, duel_reset;
  int64_t duel_interval, duel_diff, duel_min_loads;
  enum weir_dec_bypass duel_bypass;
  enum weir_dec_pending duel_pending;
  enum weir_dec_measure duel_measure;
};

/* An entry of the tag store. */
struct weir_dec_tag {
  uint64_t key;      /* line number + 1; 0: free */
  uint32_t inserted; /* when, counted in insertions; compared as a difference */
  uint16_t way;      /* data line + 1; 0: a candidate, which has none */
  uint8_t rc;        /* references, aged */
};

/* The counters; all loads. */
struct weir_decoupled_stats {
  uint64_t commits, commits_rc1, commits_rc2, commits_rc3, commits_rc8;
  uint64_t tag_evictions_rc0, tag_evictions_rc1, tag_evictions_rc2, tag_evictions_rc3, collateral;
  uint64_t aged;
  uint64_t bypass_first, bypass_below, bypass_no_tag, bypass_admitted;
  uint64_t duel_original, duel_decoupled, duel_kept, mode_switches;
  uint64_t cycles_decoupled, cycles_original;
  uint64_t lookups, candidates, committed;
};

/* The entries of a set, free ones included, in no order. */
const struct weir_dec_tag *weir_decoupled_tags(const struct weir_policy *p, uint32_t set,
                                               uint32_t *n);
/* False: it behaves as the original L1. */
bool weir_decoupled_is_on(const struct weir_policy *p);

#endif
