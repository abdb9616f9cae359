/* The tag-split organisation. */
#ifndef WEIR_L1_ORGANISATION_TAGSPLIT_H
#define WEIR_L1_ORGANISATION_TAGSPLIT_H

#include "l1/parts.h"

#define WEIR_STORE_INVALS(X) X(WEIR_INVAL_CHUNK, "chunk") X(WEIR_INVAL_LINE, "line")
enum weir_store_inval { WEIR_STORE_INVALS(WEIR_CHOICE_ID) };
#define WEIR_NRU_AGES(X)                                                                           \
  X(WEIR_NRU_VALID, "valid") X(WEIR_NRU_ALL_KEEP, "all_keep") X(WEIR_NRU_ALL_ZERO, "all_zero")
enum weir_nru_age { WEIR_NRU_AGES(WEIR_CHOICE_ID) };
struct weir_tagsplit_cfg {
  int64_t chunk_bytes, private_bits, extra_latency;
  enum weir_nru_age nru_age;
  enum weir_store_inval store_inval;
  bool nru_keep_last, coarse_group, prefer_match, pending_is_part;
};

struct weir_tagsplit_stats {
  uint64_t reservations, chunks_fetched, chunks_matching, chunks_empty;
  uint64_t victims, victims_used, retags, collateral_inval, groups_whole, agings;
  uint64_t seen_chunks, seen_lines, seen_mixed_groups;
};

#endif
