/* Least recently used, with the priorities that PTX's eviction hints ask for: lines marked
 * evict_first (and those of streaming or last-use loads) go first, evict_last lines last. */
#include "base/list.h"
#include "l1/parts.h"

struct way {
  struct weir_link link; /* in the list of its set, whose first was not used for longest */
  bool is_kept;          /* evict_last */
};

static bool goes_first(const struct weir_access *a) {
  return a->evict_hint == WEIR_EV_FIRST || a->hint == WEIR_CO_CS || a->hint == WEIR_CO_LU;
}

static int victim(const struct weir_policy *p, const struct weir_access *a, struct weir_set set) {
  (void)a;
  const struct weir_list *order = weir_set_peek(p, set.index);
  const struct way *w = weir_line_peek(p, set.index, 0);
  int kept = WEIR_WAY_STALL;
  for (int n = order->first; n != 0; n = w[n - 1].link.next) {
    if (set.line[n - 1].pending_mask != 0) continue;
    if (!w[n - 1].is_kept) return n - 1;
    if (kept < 0) kept = n - 1;
  }
  return kept;
}

static void alloc(struct weir_policy *p, const struct weir_access *a, struct weir_set set,
                  int way) {
  struct way *w = weir_line_edit(p, set.index, 0);
  w[way].is_kept = a->evict_hint == WEIR_EV_LAST;
  if (goes_first(a))
    weir_list_prepend(weir_set_edit(p, set.index), WEIR_LINKS(w, link), (uint32_t)way + 1);
  else
    weir_list_append(weir_set_edit(p, set.index), WEIR_LINKS(w, link), (uint32_t)way + 1);
}

static void evict(struct weir_policy *p, const struct weir_access *a, struct weir_set set, int way,
                  enum weir_cause cause) {
  (void)a, (void)cause;
  struct way *w = weir_line_edit(p, set.index, 0);
  weir_list_remove(weir_set_edit(p, set.index), WEIR_LINKS(w, link), (uint32_t)way + 1);
}

static void lookup(struct weir_policy *p, const struct weir_access *a, struct weir_set set, int way,
                   enum weir_outcome outcome) {
  if (way < 0 || outcome == WEIR_MISS || a->evict_hint == WEIR_EV_UNCHANGED) return;
  const struct weir_list *order = weir_set_peek(p, set.index);
  if (order->last == way + 1 && !goes_first(a) && a->evict_hint != WEIR_EV_LAST) return;
  evict(p, a, set, way, WEIR_N_CAUSES);
  alloc(p, a, set, way);
}

static uint64_t storage_bits(const void *cfg, const struct weir_geometry *g) {
  (void)cfg;
  return weir_bits_of_lines(g, weir_bits(g->ways));
}

const struct weir_policy_ops weir_policy_lru = {
    .part = {WEIR_PART("lru", "replace the line that was not used for the longest time"),
             .set_bytes = sizeof(struct weir_list), .line_bytes = sizeof(struct way),
             .storage_bits = storage_bits},
    .victim = victim,
    .lookup = lookup,
    .alloc = alloc,
    .evict = evict};
