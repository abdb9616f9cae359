/* The tag-split organisation. */
#ifndef WEIR_L1_ORGANISATION_TAGSPLIT_H
#define WEIR_L1_ORGANISATION_TAGSPLIT_H

#include "l1/parts.h"

struct weir_tagsplit_cfg {
  int64_t chunk_bytes, private_bits, extra_latency;
  const char *nru_age, *store_inval;
  bool nru_keep_last, coarse_group, prefer_match, pending_is_part;
};

/* Of each chunk, besides what policies see. */
struct weir_tagsplit_chunk {
  uint8_t used; /* its NRU bit */
};

struct weir_tagsplit_stats {
  uint64_t reservations, chunks_fetched, chunks_matching, chunks_empty;
  uint64_t victims, victims_used, retags, collateral_inval, groups_whole, agings;
  uint64_t seen_chunks, seen_lines, seen_mixed_groups;
};

#endif
