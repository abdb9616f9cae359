/* Two levels: the warps of a scheduler, by slot, are divided into groups. Those of one group issue
 * in turn, and no others, until every one of them waits for memory (or cannot run, or is held back
 * by a gate); then it is the next group's turn. So groups come to a long wait one after the other,
 * and one computes while another waits.
 *
 * Group g of every scheduler are the slots from g * span on: slot w belongs to scheduler w modulo
 * their number, so `group` of a scheduler's own lie in group x schedulers consecutive ones. */
#include "l1/scheduler/order.h"

static const struct weir_param params[] = {
    WEIR_PARAM(weir_fetch_groups_cfg, group, "8", .unit = "warp", .min = 1, .max = 64,
               .help = "of a fetch group: consecutive slots of a scheduler"),
    WEIR_PARAM_END};

struct fetch_groups_stats {
  uint64_t switches;
};
#define S(f, u, h) WEIR_STAT(fetch_groups_stats, f, u, h)
static const struct weir_stat stats[] = {
    S(switches, "event", "another group became the active one"), WEIR_STAT_END};

struct groups {
  uint32_t active[WEIR_MAX_SCHEDULERS];
  uint8_t next[WEIR_MAX_SCHEDULERS][WEIR_MAX_WARPS]; /* of each group: where its next turn begins */
};

static uint32_t span_of(const struct weir_fetch_groups_cfg *cfg, const struct weir_geometry *g) {
  uint32_t span = (uint32_t)cfg->group * g->schedulers;
  return span < WEIR_MAX_WARPS ? span : WEIR_MAX_WARPS;
}

/* The slots from those of a group on. */
static uint64_t slots_from(uint32_t group, uint32_t span) {
  return group * span >= WEIR_MAX_WARPS ? 0 : UINT64_MAX << group * span;
}

static void sched_update(struct weir_policy *p, const struct weir_sched_view *v) {
  struct groups *s = weir_state_edit(p);
  uint32_t span = span_of(weir_cfg(p), weir_geometry(p)), *active = &s->active[v->scheduler];
  uint64_t able = v->warps & ~v->waits_memory & ~v->held, later = slots_from(*active + 1, span);
  if (able == 0 || (able & slots_from(*active, span) & ~later) != 0) return;
  *active = (uint32_t)__builtin_ctzll((able & later) != 0 ? able & later : able) / span;
  ((struct fetch_groups_stats *)weir_stats_edit(p))->switches++;
}

static int pick_warp(const struct weir_policy *p, const struct weir_sched_view *v, uint64_t ready) {
  const struct groups *s = weir_state_peek(p);
  uint32_t span = span_of(weir_cfg(p), weir_geometry(p)), g = s->active[v->scheduler];
  uint64_t can = ready & slots_from(g, span) & ~slots_from(g + 1, span);
  return can != 0 ? weir_first_from(can, s->next[v->scheduler][g]) : WEIR_WARP_NONE;
}

static void issued(struct weir_policy *p, uint32_t scheduler, uint32_t warp, uint64_t cycle) {
  (void)cycle;
  struct groups *s = weir_state_edit(p);
  uint32_t g = warp / span_of(weir_cfg(p), weir_geometry(p));
  s->next[scheduler][g] = (uint8_t)(warp + 1);
}

static void kernel_begin(struct weir_policy *p, const struct weir_kernel *k) {
  (void)k;
  *(struct groups *)weir_state_edit(p) = (struct groups){0};
}

/* The active group of each scheduler. Whose turn it is in a group a scheduler knows anyway. */
static uint64_t storage_bits(const void *cfg, const struct weir_geometry *g) {
  uint32_t span = span_of(cfg, g), groups = (g->warps + span - 1) / span;
  return (uint64_t)weir_bits(groups) * g->schedulers;
}

const struct weir_policy_ops weir_policy_fetch_groups = {
    .part = {WEIR_PART("fetch-groups",
                       "the warps of one group issue in turn; the next group's when "
                       "all of them wait for memory"),
             .reference = "V. Narasiman et al., Improving GPU Performance via Large Warps and "
                          "Two-Level Warp Scheduling, MICRO 2011",
             WEIR_PART_PARAMS(params, weir_fetch_groups_cfg),
             WEIR_PART_STATS(stats, fetch_groups_stats), .state_bytes = sizeof(struct groups),
             .storage_bits = storage_bits, .kernel_begin = kernel_begin},
    .pick_warp = pick_warp,
    .sched_update = sched_update,
    .issued = issued};
