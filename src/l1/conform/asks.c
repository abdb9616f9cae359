/* A policy that does, at random, all that others seldom do: it keeps stores, sends them through or
 * ends their lines, and asks for wake-ups, broadcasts, invalidations, prefetches and the SM's view.
 * The suite lets it stand beside every part, so that none relies on their absence. */
#include "l1/conform/bench.h"

enum { SLOT_STORE = 11, SLOT_ASK, SLOT_WAY, SLOT_LINE };

struct state {
  uint64_t wakes, received, active;
};

static enum weir_write store(const struct weir_policy *p, const struct weir_access *a,
                             struct weir_set set, int way) {
  (void)a, (void)set, (void)way;
  switch (weir_pick(p, 6, SLOT_STORE)) {
  case 0:
    return WEIR_WRITE_PASS;
  case 1:
    return WEIR_WRITE_THROUGH;
  case 2:
    return WEIR_WRITE_EVICT;
  default:
    return WEIR_WRITE_BACK;
  }
}

/* Seldom enough for lines to become dirty. */
static void ask(struct weir_policy *p, const struct weir_access *a, struct weir_set set) {
  struct state *s = weir_state_edit(p);
  const uint64_t news[4] = {a->addr, a->cycle, s->wakes, s->received};
  switch (weir_pick(p, 24, SLOT_ASK)) {
  case 0:
    weir_ask_wake(p, a->cycle + 1 + weir_pick(p, 50, SLOT_LINE));
    break;
  case 1:
    if (a->cycle % 64 == 0) weir_ask_broadcast(p, news);
    break;
  case 2:
  case 3:
    weir_ask_prefetch(p, a->addr + weir_pick(p, 4, SLOT_LINE) * weir_geometry(p)->line_bytes, 1);
    break;
  case 4:
    s->active += weir_sm_view(p).warps_active;
    break;
  case 5:
  case 6:
    if (set.ways > 0) weir_ask_invalidate(p, set.index, (int)weir_pick(p, set.ways, SLOT_WAY));
    break;
  default:
    break;
  }
}

static void lookup(struct weir_policy *p, const struct weir_access *a, struct weir_set set, int way,
                   enum weir_outcome outcome) {
  (void)way, (void)outcome;
  ask(p, a, set);
}
static void alloc(struct weir_policy *p, const struct weir_access *a, struct weir_set set,
                  int way) {
  (void)way;
  ask(p, a, set);
}
static void fill(struct weir_policy *p, const struct weir_access *a, struct weir_set set, int way,
                 uint32_t flags) {
  (void)way, (void)flags;
  ask(p, a, set);
}
static void evict(struct weir_policy *p, const struct weir_access *a, struct weir_set set, int way,
                  enum weir_cause cause) {
  (void)way;
  if (cause != WEIR_BY_FLUSH) ask(p, a, set);
}

static void tick(struct weir_policy *p, uint64_t now) {
  struct state *s = weir_state_edit(p);
  s->wakes++;
  if (s->wakes % 3 == 0) weir_ask_wake(p, now + 7);
}
static void broadcast_received(struct weir_policy *p, uint32_t from, const uint64_t v[4],
                               uint64_t cycle) {
  (void)from, (void)cycle;
  ((struct state *)weir_state_edit(p))->received += v[0];
}

const struct weir_policy_ops weir_conform_asks = {
    .part = {WEIR_PART("asks", "keeps stores, asks for all"), .state_bytes = sizeof(struct state),
             .tick = tick, .broadcast_received = broadcast_received},
    .store = store,
    .lookup = lookup,
    .alloc = alloc,
    .fill = fill,
    .evict = evict};
