/* The contract of an organisation: the part of an L1 that owns tags and says what is where. Exactly
 * one per L1. Its handle is a struct weir_policy, so that it has state, parameters, statistics and
 * services in the same way.
 *
 * probe only looks. When a request is accepted exactly one of reserve, commit_hit and commit_bypass
 * is called, and only these, write, fill, invalidate and flush change anything. */
#ifndef WEIR_L1_ORG_H
#define WEIR_L1_ORG_H

#include "weir/policy.h"

struct weir_probe {
  enum weir_outcome outcome; /* HIT, PARTIAL or MISS by what is valid; HIT_PENDING: all that is not
                                valid is pending */
  enum weir_answer verdict;  /* CACHE or BYPASS: the organisation's own opinion of a load */
  enum weir_reason reason;   /* what such a bypass is counted as */
  uint32_t want;             /* sectors that the request is for */
  uint32_t valid, pending;   /* of the whole line */
  int way;                   /* that holds the line; -1: none, or several */
  uint32_t extra;            /* cycles that this probe takes longer */
  bool fetches_line;         /* a bypass by its verdict asks for the whole line */
  bool together;             /* set by the core: WEIR_FETCH_TOGETHER was answered */
};

struct weir_org_ops {
  struct weir_part part;
  bool is_sectored;     /* false: a request is for the whole line */
  bool widens_first;    /* fetch_mask is asked before the probe */
  bool has_victim_rule; /* no replacement policy besides */
  bool has_dirty;       /* local stores can be kept */
  bool has_pool;        /* lines of data need not be those of a fixed way */
  /* A load that sends for something is what the probe said, MISS or PARTIAL. Else it is PARTIAL as
   * soon as an MSHR entry or a way has its line. */
  bool outcome_stands;
  /* It answers what a run before this one says: the preparation that makes its rows. NULL: none. */
  const char *prepare;
  /* Ways of a set for policies, if not the machine's. */
  uint32_t (*ways)(const void *cfg, uint32_t machine_ways, uint32_t line_bytes);

  struct weir_set (*view)(const struct weir_policy *, uint32_t set);
  struct weir_probe (*probe)(const struct weir_policy *, const struct weir_access *, uint32_t want);
  /* Can `fetch` further sectors of the line get a place? Returns the number of dirty ways that
   * would have to be written back, or -1: not now. */
  int (*can_reserve)(const struct weir_policy *, const struct weir_access *,
                     const struct weir_probe *, uint32_t fetch);
  /* Returns for how many cycles after this one the data port is held by it. */
  uint32_t (*reserve)(struct weir_policy *, const struct weir_access *, const struct weir_probe *,
                      uint32_t fetch);
  void (*commit_hit)(struct weir_policy *, const struct weir_access *, const struct weir_probe *);
  void (*commit_bypass)(struct weir_policy *, const struct weir_access *,
                        const struct weir_probe *);
  /* l1.bypass_room: a load that bypasses has the data of a line until it is answered. A line that
   * goes for it may have to be written back, if there is room for that. false: there are none now.
   * NULL: it needs none. */
  bool (*hold)(struct weir_policy *, const struct weir_access *, bool has_room);
  void (*release)(struct weir_policy *);
  /* A store to a line that stays; `is_dirty`: it is not sent on. `allocates`: where the line is not
   * there a way is taken for it (can_reserve was asked with fetch 0), and what is written whole can
   * be read. */
  void (*write)(struct weir_policy *, const struct weir_access *, const struct weir_probe *,
                bool is_dirty, bool allocates);
  /* Sectors arrived; those in `dropped` must not become valid. At most `room` dirty ways may be
   * written back for them. Returns the way, -1: nowhere. */
  int (*fill)(struct weir_policy *, const struct weir_access *, uint32_t arrived, uint32_t dropped,
              uint32_t room);
  /* What a store to these sectors invalidates; NULL: them, of whole lines all. */
  uint32_t (*ended_by_store)(const struct weir_policy *, uint32_t sectors);
  /* Valid sectors of the access's line go; those that are pending are the core's matter. Returns
   * how many ways lost something. */
  uint32_t (*invalidate)(struct weir_policy *, const struct weir_access *, uint32_t sectors,
                         enum weir_cause cause);
  void (*invalidate_way)(struct weir_policy *, uint32_t set, int way); /* by a policy's wish */
  /* A kernel begins: empty, with that many machine ways, in which at most `lines` are at a time. If
   * it has no pool, there are as many ways as lines. */
  void (*flush)(struct weir_policy *, uint32_t machine_ways, uint32_t lines);
};

#endif
