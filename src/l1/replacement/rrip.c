#include "l1/replacement/rrip.h"

static uint8_t distant(const struct weir_policy *p) {
  return (uint8_t)((1u << weir_rrip_cfg(p)->bits) - 1);
}
static uint8_t *value_edit(struct weir_policy *p, uint32_t set, uint32_t way) {
  return weir_line_edit(p, set, (int)way);
}

/* The one that growing would bring to the largest value first; they grow when it goes. */
int weir_rrip_victim(const struct weir_policy *p, const struct weir_access *a,
                     struct weir_set set) {
  (void)a;
  int best = WEIR_WAY_STALL;
  uint8_t most = 0;
  for (uint32_t w = 0; w < set.ways; w++) {
    uint8_t v = weir_rrip_value(p, set.index, w);
    if (!weir_can_go(set, w) || (best >= 0 && v <= most)) continue;
    most = v;
    best = (int)w;
  }
  return best;
}

/* Lines that wait for data do not grow older. */
static void age(struct weir_policy *p, struct weir_set set, uint8_t by) {
  for (uint32_t w = 0; w < set.ways; w++)
    if (weir_can_go(set, w)) *value_edit(p, set.index, w) += by;
}

void weir_rrip_evict(struct weir_policy *p, const struct weir_access *a, struct weir_set set,
                     int way, enum weir_cause cause) {
  (void)a;
  uint8_t *v = value_edit(p, set.index, (uint32_t)way);
  if (cause == WEIR_BY_REPLACEMENT) {
    struct weir_rrip_stats *n = weir_rrip_stats(p);
    uint8_t by = (uint8_t)(distant(p) - *v);
    ++*(by == 0   ? &n->victims_distant
        : by == 1 ? &n->victims_aged1
        : by == 2 ? &n->victims_aged2
                  : &n->victims_aged3);
    if (by > 0) age(p, set, by);
  }
  *v = 0;
}

/* A load that joins a line under way, mostly of the same instruction, is part of one use. */
bool weir_rrip_is_use(const struct weir_policy *p, int way, enum weir_outcome outcome) {
  return way >= 0 && (outcome != WEIR_HIT_PENDING || weir_rrip_cfg(p)->hr_touch);
}

void weir_rrip_lookup(struct weir_policy *p, const struct weir_access *a, struct weir_set set,
                      int way, enum weir_outcome outcome) {
  (void)a;
  if (!weir_rrip_is_use(p, way, outcome)) return;
  uint8_t *v = value_edit(p, set.index, (uint32_t)way);
  *v = weir_rrip_cfg(p)->hit == WEIR_RRIP_HP || *v == 0 ? 0 : (uint8_t)(*v - 1);
}

void weir_rrip_insert(struct weir_policy *p, uint32_t set, int way, bool is_distant) {
  weir_rrip_stats(p)->inserts++;
  weir_rrip_stats(p)->inserts_distant += is_distant;
  *value_edit(p, set, (uint32_t)way) = (uint8_t)(distant(p) - !is_distant);
}

bool weir_rrip_is_distant(const struct weir_policy *p, uint32_t *n) {
  if (++*n < weir_rrip_cfg(p)->long_every) return true;
  *n = 0;
  return false;
}

uint64_t weir_rrip_storage(const void *cfg, const struct weir_geometry *g) {
  return weir_bits_of_lines(g, (uint64_t)((const struct weir_rrip_cfg *)cfg)->bits);
}

const char *weir_rrip_verify(const struct weir_policy *p) {
  const struct weir_geometry *g = weir_geometry(p);
  for (uint32_t set = 0; set < g->sets; set++)
    for (uint32_t w = 0; w < g->ways; w++)
      if (weir_rrip_value(p, set, w) > distant(p)) return "a value is larger than its bits hold";
  return NULL;
}
