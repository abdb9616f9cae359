/* Least recently used, with the priorities that PTX's eviction hints ask for: lines marked
 * evict_first (and those of streaming or last-use loads) go first, evict_last lines last. */
#include "base/list.h"
#include "l1/parts.h"

struct way {
  struct weir_link link;
  bool is_kept; /* evict_last */
};

static bool goes_first(const struct weir_access *a) {
  return a->evict_hint == WEIR_EV_FIRST || a->hint == WEIR_CO_CS || a->hint == WEIR_CO_LU;
}

/* The ways of a set, the one that was used longest ago first. */
static struct weir_list *order(struct weir_policy *p, uint32_t set) {
  return weir_set_edit(p, set);
}

static struct way *ways(struct weir_policy *p, uint32_t set) {
  return weir_line_edit(p, set, 0);
}

static void take_out(struct weir_policy *p, uint32_t set, int way) {
  weir_list_remove(order(p, set), WEIR_LINKS(ways(p, set), link), (uint32_t)way + 1);
}

static void place(struct weir_policy *p, const struct weir_access *a, uint32_t set, int way) {
  struct way *w = ways(p, set);
  w[way].is_kept = a->evict_hint == WEIR_EV_LAST;
  if (goes_first(a))
    weir_list_prepend(order(p, set), WEIR_LINKS(w, link), (uint32_t)way + 1);
  else
    weir_list_append(order(p, set), WEIR_LINKS(w, link), (uint32_t)way + 1);
}

static int victim(const struct weir_policy *p, const struct weir_access *a, struct weir_set set) {
  (void)a;
  const struct weir_list *o = weir_set_peek(p, set.index);
  const struct way *w = weir_line_peek(p, set.index, 0);
  int kept = WEIR_WAY_STALL;
  for (int n = o->first; n != 0; n = w[n - 1].link.next) {
    if (set.line[n - 1].pending_mask != 0) continue;
    if (!w[n - 1].is_kept) return n - 1;
    if (kept < 0) kept = n - 1;
  }
  return kept;
}

static void lookup(struct weir_policy *p, const struct weir_access *a, struct weir_set set, int way,
                   enum weir_outcome outcome) {
  if (way < 0 || outcome == WEIR_MISS || a->evict_hint == WEIR_EV_UNCHANGED) return;
  if (order(p, set.index)->last == way + 1 && !goes_first(a) && a->evict_hint != WEIR_EV_LAST)
    return;
  take_out(p, set.index, way);
  place(p, a, set.index, way);
}

static void alloc(struct weir_policy *p, const struct weir_access *a, struct weir_set set,
                  int way) {
  place(p, a, set.index, way);
}

static void evict(struct weir_policy *p, const struct weir_access *a, struct weir_set set, int way,
                  enum weir_cause cause) {
  (void)a, (void)cause;
  take_out(p, set.index, way);
}

static uint64_t storage_bits(const void *cfg, const struct weir_geometry *g) {
  (void)cfg;
  uint64_t bits = 0;
  while ((UINT64_C(1) << bits) < g->ways)
    bits++;
  return bits * g->sets * g->ways;
}

const struct weir_policy_ops weir_policy_lru = {
    .part = {.abi = WEIR_POLICY_ABI,
             .name = "lru",
             .help = "replace the line that was not used for the longest time",
             .set_bytes = sizeof(struct weir_list),
             .line_bytes = sizeof(struct way),
             .storage_bits = storage_bits},
    .victim = victim,
    .lookup = lookup,
    .alloc = alloc,
    .evict = evict};
