/* What a slice knows of the reads that came last: those of the same sectors soon after one another
 * are one (l2.merge_reads), and stores wait for those of their line (l2.store_wait_cyc). */
#ifndef WEIR_SIM_READ_GROUP_H
#define WEIR_SIM_READ_GROUP_H

#include "machine/machine.h"
#include "machine/msg.h"
#include "sim/lines.h"

/* The last ones of a slice, by a hash of what they read and for whom. */
enum { WEIR_READ_GROUPS = 256 };
struct weir_read_group {
  uint64_t addr, at; /* at: when the first was taken */
  uint32_t n;
  uint8_t sectors, sms;
};

/* The SMs whose reads can be one with those of this one. */
static inline uint8_t weir_sms_of(const struct weir_l2_cfg *l2, uint16_t sm) {
  return (uint8_t)(l2->merge_groups == 1 ? 0 : sm / 2 % (uint16_t)l2->merge_groups);
}

static inline struct weir_read_group *weir_group_of(struct weir_read_group *groups,
                                                    const struct weir_l2_cfg *l2,
                                                    const struct weir_msg *q) {
  const uint64_t line = q->addr >> __builtin_ctzll((uint64_t)l2->line);
  return &groups[(weir_lines_tag(line + 1) + 29 * weir_sms_of(l2, q->src)) % WEIR_READ_GROUPS];
}

static inline bool weir_can_merge(const struct weir_msg *q) {
  return q->kind == WEIR_MSG_READ && (q->flags & (WEIR_REQ_PART | WEIR_REQ_MARK)) == 0;
}

/* Is it one with reads that came before? */
static inline bool weir_is_member(struct weir_read_group *groups, const struct weir_l2_cfg *l2,
                                  const struct weir_msg *q) {
  const struct weir_read_group *g = weir_group_of(groups, l2, q);
  return weir_can_merge(q) && g->n > 0 && g->addr == q->addr && g->sectors == q->sectors &&
         g->sms == weir_sms_of(l2, q->src) && g->n < (uint32_t)l2->merge_reads &&
         q->at < g->at + (uint64_t)l2->merge_cyc;
}

static inline void weir_begin_group(struct weir_read_group *groups, const struct weir_l2_cfg *l2,
                                    const struct weir_msg *q, uint64_t now) {
  if (weir_can_merge(q))
    *weir_group_of(groups, l2, q) = (struct weir_read_group){
        .addr = q->addr, .at = now, .n = 1, .sectors = q->sectors, .sms = weir_sms_of(l2, q->src)};
}

/* Is it one of those that data go to? */
static inline bool weir_has_sm(const uint16_t *sms, uint32_t n, uint16_t sm) {
  while (n-- > 0)
    if (sms[n] == sm) return true;
  return false;
}

/* The lines that were read last, by a hash. */
enum { WEIR_LAST_READS = 64 };
struct weir_last_read {
  uint64_t line, at;
};

static inline struct weir_last_read *weir_last_read_of(struct weir_last_read *last, uint64_t line) {
  return &last[weir_lines_tag(line + 1) % WEIR_LAST_READS];
}

#endif
