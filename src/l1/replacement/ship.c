/* Signature-based hit prediction: a line remembers which instruction brought it. A table of
 * counters learns by instruction whether such lines are hit; those that never are come as the next
 * ones to go. */
#include <inttypes.h>
#include <string.h>

#include "l1/replacement/rrip.h"

#define PAPER "SHiP: Signature-based Hit Predictor for High Performance Caching (MICRO 2011)"

struct line {
  uint8_t value; /* first: see rrip.h */
  bool was_hit, was_distant;
  uint16_t signature;
};

static size_t n_counters(const struct weir_rrip_cfg *c) {
  return (size_t)1 << c->sig_bits;
}
static uint32_t most(const struct weir_policy *p) {
  return (1u << weir_rrip_cfg(p)->counter_bits) - 1;
}

static size_t state_size(const void *cfg, const struct weir_geometry *g) {
  (void)g;
  return n_counters(cfg);
}

static uint16_t signature(const struct weir_policy *p, uint64_t pc) {
  return (uint16_t)((pc >> 2 ^ pc >> 16) & (n_counters(weir_rrip_cfg(p)) - 1));
}

static void begin(struct weir_policy *p) {
  memset(weir_state_edit(p), (int)weir_rrip_cfg(p)->counter_start, n_counters(weir_rrip_cfg(p)));
}

static enum weir_status init(struct weir_policy *p, struct weir_err *err) {
  if (weir_rrip_cfg(p)->counter_start > most(p))
    return weir_fail(err, WEIR_EINVAL,
                     "ship.counter_start %" PRId64 " is too much: ship.counter_bits %" PRId64
                     " count to %u",
                     weir_rrip_cfg(p)->counter_start, weir_rrip_cfg(p)->counter_bits, most(p));
  begin(p);
  return WEIR_OK;
}

/* Only loads teach: a store that hits may be what ends the line. */
static void lookup(struct weir_policy *p, const struct weir_access *a, struct weir_set set, int way,
                   enum weir_outcome outcome) {
  weir_rrip_lookup(p, a, set, way, outcome);
  if (a->op != WEIR_LOAD || !weir_rrip_is_use(p, way, outcome)) return;
  struct line *l = weir_line_edit(p, set.index, way);
  uint8_t *counter = (uint8_t *)weir_state_edit(p) + l->signature;
  weir_rrip_stats(p)->distant_used += l->was_distant && !l->was_hit;
  l->was_hit = true;
  if (*counter == most(p)) return;
  ++*counter;
  weir_rrip_stats(p)->trained_up++;
}

static void alloc(struct weir_policy *p, const struct weir_access *a, struct weir_set set,
                  int way) {
  struct line *l = weir_line_edit(p, set.index, way);
  l->signature = signature(p, a->pc);
  l->was_hit = false;
  l->was_distant = ((const uint8_t *)weir_state_peek(p))[l->signature] == 0;
  weir_rrip_insert(p, set.index, way, l->was_distant);
}

/* What a store or a new kernel ends was not given up for want of use. */
static void evict(struct weir_policy *p, const struct weir_access *a, struct weir_set set, int way,
                  enum weir_cause cause) {
  const struct line *l = weir_line_peek(p, set.index, way);
  uint8_t *counter = (uint8_t *)weir_state_edit(p) + l->signature;
  weir_rrip_evict(p, a, set, way, cause);
  if (cause == WEIR_BY_REPLACEMENT && !l->was_hit && *counter > 0) {
    --*counter;
    weir_rrip_stats(p)->trained_down++;
  }
}

static void kernel_begin(struct weir_policy *p, const struct weir_kernel *k) {
  (void)k;
  if (weir_rrip_cfg(p)->reset) begin(p);
}

static void kernel_end(struct weir_policy *p, const struct weir_kernel *k, uint64_t cycle) {
  (void)k, (void)cycle;
  const uint8_t *counter = weir_state_peek(p);
  uint64_t n = 0;
  for (size_t i = 0; i < n_counters(weir_rrip_cfg(p)); i++)
    n += counter[i] == 0;
  weir_rrip_stats(p)->zero_counters = n;
}

static uint64_t storage_bits(const void *cfg, const struct weir_geometry *g) {
  const struct weir_rrip_cfg *c = cfg;
  enum { OUTCOME = 1 };
  return weir_rrip_storage(c, g) + weir_bits_of_lines(g, (uint64_t)c->sig_bits + OUTCOME) +
         n_counters(c) * (uint64_t)c->counter_bits;
}

static const char *verify(const struct weir_policy *p) {
  const uint8_t *counter = weir_state_peek(p);
  uint8_t largest = 0;
  for (size_t i = 0; i < n_counters(weir_rrip_cfg(p)); i++)
    if (counter[i] > largest) largest = counter[i];
  return largest > most(p) ? "a counter is larger than its bits hold" : weir_rrip_verify(p);
}

static const struct weir_param params[] = {
    WEIR_RRIP_PARAMS,
    WEIR_RRIP_PARAM(sig_bits, "14", .unit = "bit", .min = 1, .max = 16, .source = PAPER,
                    .help = "of a hashed instruction address; the table has 2 to the power of this "
                            "counters (7 is a size for an L1)"),
    WEIR_RRIP_PARAM(counter_bits, "3", .unit = "bit", .min = 1, .max = 8, .help = "of a counter",
                    .source = PAPER),
    WEIR_RRIP_PARAM(counter_start, "1", .min = 0, .max = 255, .source = "guess",
                    .help = "what the counters begin with; at 0 lines come as distant"),
    WEIR_RRIP_PARAM(reset, "false", .source = "guess",
                    .help = "forget the table when a kernel begins"),
    WEIR_PARAM_END};

static const struct weir_stat stats[] = {
    WEIR_RRIP_STATS,
    WEIR_RRIP_STAT(distant_used, "line", "lines expected in the distant future that were hit"),
    WEIR_RRIP_STAT(trained_up, "event", "hits that raised the counter of their line"),
    WEIR_RRIP_STAT(trained_down, "event", "lines replaced without a hit that lowered it"),
    WEIR_STAT_MAXIMUM(weir_rrip_stats, zero_counters, "counter",
                      "counters at 0 when the kernel ended, the most of all SMs"),
    WEIR_STAT_END};

const struct weir_policy_ops weir_policy_ship = {
    .part = {WEIR_PART("ship", "as srrip, but lines of instructions whose lines are not hit come "
                               "as the next ones to go"),
             WEIR_PART_PARAMS(params, weir_rrip_cfg), WEIR_PART_STATS(stats, weir_rrip_stats),
             .reference = PAPER, .line_bytes = sizeof(struct line), .state_size = state_size,
             .init = init, .storage_bits = storage_bits, .verify = verify,
             .kernel_begin = kernel_begin, .kernel_end = kernel_end},
    .victim = weir_rrip_victim,
    .lookup = lookup,
    .alloc = alloc,
    .evict = evict};
