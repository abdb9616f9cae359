/* Re-reference interval prediction, the part that srrip, brrip, drrip and ship share: a line has a
 * value that says how far away its next use is thought to be. The largest means the distant future,
 * and such a line goes. Where there is none, all values grow until one has reached it. What differs
 * is the value with which a line comes. */
#ifndef WEIR_L1_REPLACEMENT_RRIP_H
#define WEIR_L1_REPLACEMENT_RRIP_H

#include "l1/parts.h"

#define WEIR_RRIP_PAPER                                                                            \
  "High Performance Cache Replacement Using Re-Reference Interval Prediction (ISCA 2010)"

/* Each policy has a table of those parameters and statistics that concern it. */
#define WEIR_RRIP_HITS(X) X(WEIR_RRIP_HP, "hp") X(WEIR_RRIP_FP, "fp")
enum weir_rrip_hit { WEIR_RRIP_HITS(WEIR_CHOICE_ID) };
#define WEIR_RRIP_STARTS(X) X(WEIR_START_SRRIP, "srrip") X(WEIR_START_BRRIP, "brrip")
enum weir_rrip_start { WEIR_RRIP_STARTS(WEIR_CHOICE_ID) };

struct weir_rrip_cfg {
  int64_t bits;
  enum weir_rrip_hit hit;
  bool hr_touch, reset;
  int64_t long_every;             /* brrip, drrip */
  int64_t psel_bits, duel_period; /* drrip */
  enum weir_rrip_start start;
  int64_t sig_bits, counter_bits, counter_start; /* ship */
};

struct weir_rrip_stats {
  uint64_t inserts, inserts_distant;
  uint64_t victims_distant, victims_aged1, victims_aged2, victims_aged3;
  uint64_t misses_srrip, misses_brrip, follower_inserts, follower_brrip, switches, psel,
      selector;                                                   /* drrip */
  uint64_t trained_up, trained_down, distant_used, zero_counters; /* ship */
};

#define WEIR_RRIP_PARAM(f, def, ...) WEIR_PARAM(weir_rrip_cfg, f, def, __VA_ARGS__)
#define WEIR_RRIP_PARAMS                                                                           \
  WEIR_RRIP_PARAM(bits, "2", .unit = "bit", .min = 1, .max = 8, .source = WEIR_RRIP_PAPER,         \
                  .help = "of a line's re-reference prediction value"),                            \
      WEIR_RRIP_PARAM(hit, "hp", .choices = WEIR_CHOICES(WEIR_RRIP_HITS),                          \
                      .source = WEIR_RRIP_PAPER,                                                   \
                      .help = "a hit line's value becomes 0 (hp: hit priority) or 1 less (fp: "    \
                              "frequency priority)"),                                              \
      WEIR_RRIP_PARAM(hr_touch, "false", .source = "guess",                                        \
                      .help = "a load that joins a pending line hits it")
#define WEIR_BRRIP_PARAM                                                                           \
  WEIR_RRIP_PARAM(long_every, "32", .unit = "line", .min = 1, .max = 1 << 20,                      \
                  .help = "brrip: one in so many lines is expected in a long time, the others in " \
                          "the distant future",                                                    \
                  .source = WEIR_RRIP_PAPER)

#define WEIR_RRIP_STAT(f, u, h)            WEIR_STAT(weir_rrip_stats, f, u, h)
#define WEIR_RRIP_RATIO(n, num, den, u, h) WEIR_STAT_RATIO(weir_rrip_stats, n, num, den, u, h)
#define WEIR_RRIP_STATS                                                                            \
  WEIR_RRIP_STAT(inserts, "line", "lines that came"),                                              \
      WEIR_RRIP_STAT(inserts_distant, "line", "of these, expected in the distant future"),         \
      WEIR_RRIP_RATIO("distant_share", inserts_distant, inserts, "1",                              \
                      "inserts_distant / inserts"),                                                \
      WEIR_RRIP_STAT(victims_distant, "line", "lines replaced that were distant already"),         \
      WEIR_RRIP_STAT(victims_aged1, "line", "... after all values of the set had grown by 1"),     \
      WEIR_RRIP_STAT(victims_aged2, "line", "... by 2"),                                           \
      WEIR_RRIP_STAT(victims_aged3, "line", "... by 3 or more")

static inline const struct weir_rrip_cfg *weir_rrip_cfg(const struct weir_policy *p) {
  return weir_cfg(p);
}
static inline struct weir_rrip_stats *weir_rrip_stats(struct weir_policy *p) {
  return weir_stats_edit(p);
}
/* State of a line begins with its value. */
static inline uint8_t weir_rrip_value(const struct weir_policy *p, uint32_t set, uint32_t way) {
  return *(const uint8_t *)weir_line_peek(p, set, (int)way);
}

/* Is it a use of the line in the way? */
bool weir_rrip_is_use(const struct weir_policy *p, int way, enum weir_outcome outcome);
/* A line came: expected in the distant future, or in a long time. */
void weir_rrip_insert(struct weir_policy *p, uint32_t set, int way, bool is_distant);
/* brrip's rule: is the line that comes now expected in the distant future? `n`: how many were since
 * one was not. */
bool weir_rrip_is_distant(const struct weir_policy *p, uint32_t *n);

/* As hooks; the storage is that of all values. */
uint64_t weir_rrip_storage(const void *cfg, const struct weir_geometry *g);
const char *weir_rrip_verify(const struct weir_policy *p);
int weir_rrip_victim(const struct weir_policy *p, const struct weir_access *a, struct weir_set set);
void weir_rrip_lookup(struct weir_policy *p, const struct weir_access *a, struct weir_set set,
                      int way, enum weir_outcome outcome);
void weir_rrip_evict(struct weir_policy *p, const struct weir_access *a, struct weir_set set,
                     int way, enum weir_cause cause);

#endif
