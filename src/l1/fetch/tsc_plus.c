/* Mode selection of the tag-split cache: do loads fetch the chunks that they touch (fine), or their
 * whole line (coarse)? On SM 0 some sets always do the one and as many the other. The mode in which
 * misses times traffic is less is what all other sets do; other SMs are told when it changes. */
#include "l1/inspect.h"
#include "l1/parts.h"

#define MODES(X)                                                                                   \
  X(BY_SAMPLES, "sampled")                                                                         \
  X(ALWAYS_FINE, "fine") X(ALWAYS_COARSE, "coarse")
enum mode { MODES(WEIR_CHOICE_ID) };
struct tsc_plus_cfg {
  enum mode mode;
  int64_t samplers, halve_above;
};

struct tsc_plus_stats {
  uint64_t fine, coarse, sampled_misses_fine, sampled_misses_coarse, sampled_traffic_fine,
      sampled_traffic_coarse, halvings, changes, mode;
  uint64_t end_sampler, end_followers, followers;
};

enum { FINE, COARSE };

static const struct tsc_plus_cfg *cfg_of(const struct weir_policy *p) {
  return weir_cfg(p);
}

static uint8_t role(const struct weir_policy *p, uint32_t set) {
  return *(const uint8_t *)weir_set_peek(p, set);
}

static bool is_sampled(const struct tsc_plus_cfg *cfg) {
  return cfg->mode == BY_SAMPLES;
}

/* Sets that sample each mode: at most all of them together. */
static uint32_t samplers(const struct tsc_plus_cfg *cfg, const struct weir_geometry *g) {
  uint32_t n = (uint32_t)cfg->samplers;
  if (g->sm != 0 || !is_sampled(cfg)) return 0;
  return n < g->sets / 2 ? n : g->sets / 2;
}

/* One of the sets that have no role yet, by chance. */
static void appoint(struct weir_policy *p, uint32_t i, enum weir_tsc_role r) {
  uint32_t sets = weir_geometry(p)->sets, k = weir_pick(p, sets - i, i);
  for (uint32_t set = 0; set < sets; set++)
    if (role(p, set) == WEIR_TSC_FOLLOWER && k-- == 0) {
      *(uint8_t *)weir_set_edit(p, set) = (uint8_t)r;
      return;
    }
}

static enum weir_status init(struct weir_policy *p, struct weir_err *err) {
  (void)err;
  struct weir_tsc_plus_state *s = weir_state_edit(p);
  uint32_t n = samplers(cfg_of(p), weir_geometry(p));
  for (uint32_t i = 0; i < 2 * n; i++)
    appoint(p, i, i < n ? WEIR_TSC_FINE : WEIR_TSC_COARSE);
  s->is_coarse = cfg_of(p)->mode == ALWAYS_COARSE;
  ((struct tsc_plus_stats *)weir_stats_edit(p))->mode = s->is_coarse;
  return WEIR_OK;
}

static bool is_coarse(const struct weir_policy *p, uint32_t set) {
  const struct weir_tsc_plus_state *s = weir_state_peek(p);
  uint8_t r = role(p, set);
  return r == WEIR_TSC_FOLLOWER ? s->is_coarse : r == WEIR_TSC_COARSE;
}

static uint32_t fetch_mask(const struct weir_policy *p, const struct weir_access *a,
                           uint32_t missing) {
  uint32_t all = (1u << weir_geometry(p)->sectors) - 1;
  return is_coarse(p, a->set) ? all | WEIR_FETCH_TOGETHER : missing;
}

static bool coarse_is_better(const struct weir_tsc_plus_state *s) {
  return (uint64_t)s->misses[FINE] * s->traffic[FINE] >
         (uint64_t)s->misses[COARSE] * s->traffic[COARSE];
}

static void decide(struct weir_policy *p) {
  struct weir_tsc_plus_state *s = weir_state_edit(p);
  bool better = coarse_is_better(s);
  if (better == s->is_coarse) return;
  struct tsc_plus_stats *st = weir_stats_edit(p);
  s->is_coarse = better;
  st->mode = better;
  st->changes++;
  weir_ask_broadcast(p, (const uint64_t[4]){better});
}

/* A miss of a sampler set: a packet there, and one of 32 bytes back for each sector. */
static void count(struct weir_policy *p, unsigned mode, uint32_t sectors) {
  struct weir_tsc_plus_state *s = weir_state_edit(p);
  struct tsc_plus_stats *st = weir_stats_edit(p);
  uint32_t packets = 1 + (uint32_t)__builtin_popcount(sectors);
  s->misses[mode]++;
  s->traffic[mode] += packets;
  *(mode == FINE ? &st->sampled_misses_fine : &st->sampled_misses_coarse) += 1;
  *(mode == FINE ? &st->sampled_traffic_fine : &st->sampled_traffic_coarse) += packets;
  if (s->misses[mode] > (uint32_t)cfg_of(p)->halve_above) {
    for (unsigned i = FINE; i <= COARSE; i++) {
      s->misses[i] /= 2;
      s->traffic[i] /= 2;
    }
    st->halvings++;
  }
  decide(p);
}

static void lookup(struct weir_policy *p, const struct weir_access *a, struct weir_set set, int way,
                   enum weir_outcome outcome) {
  (void)set, (void)way, (void)outcome;
  if (a->op != WEIR_LOAD) return;
  struct tsc_plus_stats *st = weir_stats_edit(p);
  *(is_coarse(p, a->set) ? &st->coarse : &st->fine) += 1;
  uint8_t r = role(p, a->set);
  if (r != WEIR_TSC_FOLLOWER && a->fetch != 0)
    count(p, r == WEIR_TSC_FINE ? FINE : COARSE, a->fetch);
}

static void broadcast_received(struct weir_policy *p, uint32_t from_sm, const uint64_t v[4],
                               uint64_t cycle) {
  (void)from_sm, (void)cycle;
  struct weir_tsc_plus_state *s = weir_state_edit(p);
  struct tsc_plus_stats *st = weir_stats_edit(p);
  st->changes += s->is_coarse != (v[0] != 0);
  s->is_coarse = v[0] != 0;
  st->mode = s->is_coarse;
}

/* ---- when SMs end: the one that samples may be the last ---- */

static void kernel_begin(struct weir_policy *p, const struct weir_kernel *k) {
  (void)k;
  ((struct weir_tsc_plus_state *)weir_state_edit(p))->last_end = 0;
}

static void cta_end(struct weir_policy *p, const struct weir_cta *c, uint64_t cycle) {
  (void)c;
  ((struct weir_tsc_plus_state *)weir_state_edit(p))->last_end = cycle;
}

static void kernel_end(struct weir_policy *p, const struct weir_kernel *k, uint64_t cycle) {
  (void)k, (void)cycle;
  const struct weir_tsc_plus_state *s = weir_state_peek(p);
  struct tsc_plus_stats *st = weir_stats_edit(p);
  bool leads = samplers(cfg_of(p), weir_geometry(p)) > 0;
  *(leads ? &st->end_sampler : &st->end_followers) += s->last_end;
  st->followers += !leads && s->last_end > 0;
}

/* Four counters for the whole GPU; they are SM 0's. */
static uint64_t storage_bits(const void *cfg, const struct weir_geometry *g) {
  return samplers(cfg, g) > 0 ? UINT64_C(4) * 16 : 0;
}

static const char *verify(const struct weir_policy *p) {
  const struct weir_tsc_plus_state *s = weir_state_peek(p);
  uint32_t n[3] = {0};
  for (uint32_t set = 0; set < weir_geometry(p)->sets; set++)
    n[role(p, set)]++;
  if (n[WEIR_TSC_FINE] != samplers(cfg_of(p), weir_geometry(p)) ||
      n[WEIR_TSC_COARSE] != samplers(cfg_of(p), weir_geometry(p)))
    return "sampler sets were lost";
  for (unsigned i = FINE; i <= COARSE; i++)
    if (s->misses[i] > (uint32_t)cfg_of(p)->halve_above || s->traffic[i] > UINT16_MAX)
      return "a counter of the sampler sets is too large";
  if (samplers(cfg_of(p), weir_geometry(p)) > 0 && s->is_coarse != coarse_is_better(s))
    return "the mode is not what the counters say";
  return NULL;
}

#define PAPER          "Tag-Split Cache for Efficient GPGPU Cache Utilization (ICS 2016)"
#define P(f, def, ...) WEIR_PARAM(tsc_plus_cfg, f, def, __VA_ARGS__)
static const struct weir_param params[] = {
    P(mode, "sampled", .choices = WEIR_CHOICES(MODES), .source = PAPER,
      .help = "how the mode is found; fine and coarse: it is fixed, nothing is sampled"),
    P(samplers, "4", .unit = "set", .min = 1, .max = 1024, .source = PAPER,
      .help = "sets of SM 0 that sample each mode", .when = "mode=sampled"),
    P(halve_above, "1024", .unit = "request", .min = 1, .max = 4096, .source = PAPER,
      .help = "misses of a mode above which all counters are halved", .when = "mode=sampled"),
    WEIR_PARAM_END};

#define S(f, u, h) WEIR_STAT(tsc_plus_stats, f, u, h)
static const struct weir_stat stats[] = {
    S(fine, "request", "loads in fine mode, those of sampler sets included"),
    S(coarse, "request", "... in coarse mode"),
    S(sampled_misses_fine, "request", "misses of the sampler sets in fine mode"),
    S(sampled_misses_coarse, "request", "... in coarse mode"),
    S(sampled_traffic_fine, "packet", "sent and received for them, in fine mode"),
    S(sampled_traffic_coarse, "packet", "... in coarse mode"),
    S(halvings, "1", "times that all counters were halved"),
    S(changes, "1", "of the mode, on all SMs"),
    WEIR_STAT_LEVEL(tsc_plus_stats, mode, "1", "0: fine, 1: coarse, of all but sampler sets"),
    S(end_sampler, "cycle",
      "from the begin of a kernel to the end of its last block on SM 0, which samples"),
    S(end_followers, "cycle", "... on the other SMs, summed over them"),
    S(followers, "SM", "of these, with blocks, summed over launches"),
    WEIR_STAT_RATIO(
        tsc_plus_stats, "end_follower", end_followers, followers, "cycle",
        "the same of one of them on average; where the sampler's is more, sampling sets "
        "the kernel's time"),
    WEIR_STAT_END};

const struct weir_policy_ops weir_policy_tsc_plus = {
    .part = {WEIR_PART("tsc-plus",
                       "fetch touched chunks or whole lines, whichever sampler sets say is better"),
             .reference = PAPER, WEIR_PART_PARAMS(params, tsc_plus_cfg),
             WEIR_PART_STATS(stats, tsc_plus_stats),
             .state_bytes = sizeof(struct weir_tsc_plus_state), .set_bytes = sizeof(uint8_t),
             .init = init, .storage_bits = storage_bits, .is_per_gpu = true, .verify = verify,
             .kernel_begin = kernel_begin, .kernel_end = kernel_end, .cta_end = cta_end,
             .broadcast_received = broadcast_received},
    .organisations = "tag-split",
    .fetch_mask = fetch_mask,
    .lookup = lookup};
