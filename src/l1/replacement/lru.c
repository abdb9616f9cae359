/* Least recently used, with the priorities that PTX's eviction hints ask for: lines marked
 * evict_first (and those of streaming or last-use loads) go first, evict_last lines last. */
#include "l1/parts.h"

/* The ways of a set from the oldest to the youngest. Numbers are way + 1, 0 = none, so that zeroed
 * memory is an empty list. */
struct link {
  uint16_t older, younger;
  bool is_kept; /* evict_last */
};
struct order {
  uint16_t oldest, youngest;
};

static bool goes_first(const struct weir_access *a) {
  return a->evict_hint == WEIR_EV_FIRST || a->hint == WEIR_CO_CS || a->hint == WEIR_CO_LU;
}

static void take_out(struct weir_policy *p, uint32_t set, int way) {
  struct order *o = weir_set_edit(p, set);
  struct link *l = weir_line_edit(p, set, way);
  if (l->older != 0)
    ((struct link *)weir_line_edit(p, set, l->older - 1))->younger = l->younger;
  else
    o->oldest = l->younger;
  if (l->younger != 0)
    ((struct link *)weir_line_edit(p, set, l->younger - 1))->older = l->older;
  else
    o->youngest = l->older;
}

static void put_youngest(struct weir_policy *p, uint32_t set, int way) {
  struct order *o = weir_set_edit(p, set);
  struct link *l = weir_line_edit(p, set, way);
  l->younger = 0;
  l->older = o->youngest;
  if (o->youngest != 0)
    ((struct link *)weir_line_edit(p, set, o->youngest - 1))->younger = (uint16_t)(way + 1);
  else
    o->oldest = (uint16_t)(way + 1);
  o->youngest = (uint16_t)(way + 1);
}

static void put_oldest(struct weir_policy *p, uint32_t set, int way) {
  struct order *o = weir_set_edit(p, set);
  struct link *l = weir_line_edit(p, set, way);
  l->older = 0;
  l->younger = o->oldest;
  if (o->oldest != 0)
    ((struct link *)weir_line_edit(p, set, o->oldest - 1))->older = (uint16_t)(way + 1);
  else
    o->youngest = (uint16_t)(way + 1);
  o->oldest = (uint16_t)(way + 1);
}

static void place(struct weir_policy *p, const struct weir_access *a, uint32_t set, int way) {
  ((struct link *)weir_line_edit(p, set, way))->is_kept = a->evict_hint == WEIR_EV_LAST;
  if (goes_first(a))
    put_oldest(p, set, way);
  else
    put_youngest(p, set, way);
}

static int victim(const struct weir_policy *p, const struct weir_access *a, struct weir_set set) {
  (void)a;
  const struct order *o = weir_set_peek(p, set.index);
  int kept = WEIR_WAY_STALL;
  for (uint16_t w = o->oldest; w != 0;) {
    const struct link *l = weir_line_peek(p, set.index, w - 1);
    if (set.line[w - 1].pending_mask == 0) {
      if (!l->is_kept) return w - 1;
      if (kept < 0) kept = w - 1;
    }
    w = l->younger;
  }
  return kept;
}

static void lookup(struct weir_policy *p, const struct weir_access *a, struct weir_set set, int way,
                   enum weir_outcome outcome) {
  if (way < 0 || outcome == WEIR_MISS || a->evict_hint == WEIR_EV_UNCHANGED) return;
  const struct order *o = weir_set_peek(p, set.index);
  if (o->youngest == way + 1 && !goes_first(a) && a->evict_hint != WEIR_EV_LAST) return;
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
             .set_bytes = sizeof(struct order),
             .line_bytes = sizeof(struct link),
             .storage_bits = storage_bits},
    .victim = victim,
    .lookup = lookup,
    .alloc = alloc,
    .evict = evict};
