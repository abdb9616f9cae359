/* The lines of a set in the order of their last use, and how many accesses the set has had. What a
 * policy keeps for a set begins with a struct weir_recency, what it keeps for a line with a struct
 * weir_link.
 *
 * A victim is asked for before a request is accepted, and again when its lookup was told. The
 * answer must be the same, so it goes by the accesses that came before that request. */
#ifndef WEIR_L1_REPLACEMENT_RECENCY_H
#define WEIR_L1_REPLACEMENT_RECENCY_H

#include "base/list.h"
#include "weir/policy.h"

struct weir_recency {
  struct weir_list order; /* the first was not used for longest */
  uint64_t n;             /* accesses */
  uint64_t request;       /* number of the last of them among the requests of the L1 */
};

static inline const struct weir_recency *weir_recency(const struct weir_policy *p, uint32_t set) {
  return weir_set_peek(p, set);
}

/* The next way, upwards from the one that was not used for longest; -1: there is no other. */
static inline int weir_recency_first(const struct weir_policy *p, uint32_t set) {
  return weir_recency(p, set)->order.first - 1;
}
static inline int weir_recency_next(const struct weir_policy *p, uint32_t set, int way) {
  return ((const struct weir_link *)weir_line_peek(p, set, way))->next - 1;
}
#define WEIR_EACH_BY_RECENCY(p, set, way)                                                          \
  for (int way = weir_recency_first(p, set); way >= 0; way = weir_recency_next(p, set, way))

/* A line came; went; was used. */
static inline void weir_recency_add(struct weir_policy *p, uint32_t set, int way) {
  struct weir_recency *r = weir_set_edit(p, set);
  weir_list_append(&r->order, weir_line_edit(p, set, 0), p->line_bytes, (uint32_t)way + 1);
}
static inline void weir_recency_remove(struct weir_policy *p, uint32_t set, int way) {
  struct weir_recency *r = weir_set_edit(p, set);
  weir_list_remove(&r->order, weir_line_edit(p, set, 0), p->line_bytes, (uint32_t)way + 1);
}
static inline void weir_recency_use(struct weir_policy *p, uint32_t set, int way) {
  weir_recency_remove(p, set, way);
  weir_recency_add(p, set, way);
}

/* In `lookup`: an access to the set. */
static inline void weir_recency_count(struct weir_policy *p, uint32_t set) {
  struct weir_recency *r = weir_set_edit(p, set);
  r->n++;
  r->request = weir_accepted(p) + 1;
}
/* Has the request that is asked or told about been counted? Then it is the last. */
static inline bool weir_recency_is_counted(const struct weir_policy *p, uint32_t set) {
  return weir_recency(p, set)->request == weir_accepted(p) + 1;
}
/* Accesses before it. */
static inline uint64_t weir_recency_before(const struct weir_policy *p, uint32_t set) {
  return weir_recency(p, set)->n - weir_recency_is_counted(p, set);
}

/* Bits of an order, as those of lru. */
static inline uint64_t weir_recency_bits(const struct weir_geometry *g) {
  return weir_bits_of_lines(g, weir_bits(g->ways));
}

#endif
