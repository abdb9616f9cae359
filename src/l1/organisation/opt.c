/* No organisation that could be built: an L1 that knows which requests to answer. They are the hits
 * of the upper bound on the requests that the machine's own L1 accepted in a run before this one,
 * each known by its block, its warp and its number there, since their order is another one now. All
 * other loads go past; those whose line a later hit finds fetch it whole, unless the machine
 * fetches sectors. */
#include "l1/organisation/opt.h"

#include "l1/org.h"
#include "l1/scheme.h"
#include "weir/param.h"

#define BELADY                                                                                     \
  "L. A. Belady, A study of replacement algorithms for a virtual-storage computer, 1966"

static const struct weir_param params[] = {
    WEIR_PARAM(weir_opt_cfg, chunks, "false",
               .help =
                   "as many lines as the L1 has 32-byte chunks: the bound of designs that store "
                   "parts of lines; false: as many as it has lines"),
    WEIR_PARAM_END};

struct launch {
  uint32_t uid;
};

static void kernel_begin(struct weir_policy *p, const struct weir_kernel *k) {
  ((struct launch *)weir_state_edit(p))->uid = k->uid;
}

static struct weir_set view(const struct weir_policy *p, uint32_t set) {
  static const struct weir_line nothing;
  (void)p;
  return (struct weir_set){.line = &nothing, .index = set, .ways = 1};
}

static struct weir_probe probe(const struct weir_policy *p, const struct weir_access *a,
                               uint32_t want) {
  const struct launch *l = weir_state_peek(p);
  const struct weir_row *row = weir_find_row(p->rows, p->n_rows, weir_opt_kernel(l->uid),
                                             weir_opt_key(a->cta_uid, a->cta_warp, a->nth));
  uint8_t says = row != NULL ? weir_opt_says(row, a->nth) : 0;
  struct weir_probe r = {.outcome = WEIR_MISS,
                         .verdict = WEIR_BYPASS,
                         .reason = WEIR_R_PROFILE,
                         .want = want,
                         .way = -1,
                         .fetches_line = (says & WEIR_OPT_KEEP) != 0};
  if (a->op == WEIR_LOAD ? says & WEIR_OPT_HIT : says & WEIR_OPT_KEEP) {
    r.outcome = WEIR_HIT;
    r.verdict = WEIR_CACHE;
    r.valid = want;
    r.way = 0; /* a store may leave its data there */
  }
  return r;
}

static int can_reserve(const struct weir_policy *p, const struct weir_access *a,
                       const struct weir_probe *r, uint32_t fetch) {
  (void)p, (void)a, (void)r, (void)fetch;
  return 0;
}

static uint32_t reserve(struct weir_policy *p, const struct weir_access *a,
                        const struct weir_probe *r, uint32_t fetch) {
  (void)p, (void)a, (void)r, (void)fetch;
  return 0;
}

static void commit(struct weir_policy *p, const struct weir_access *a, const struct weir_probe *r) {
  (void)p, (void)a, (void)r;
}

static void write(struct weir_policy *p, const struct weir_access *a, const struct weir_probe *r,
                  bool is_dirty, bool allocates) {
  (void)p, (void)a, (void)r, (void)is_dirty, (void)allocates;
}

static int fill(struct weir_policy *p, const struct weir_access *a, uint32_t arrived,
                uint32_t dropped, uint32_t room) {
  (void)p, (void)a, (void)arrived, (void)dropped, (void)room;
  return -1;
}

static uint32_t invalidate(struct weir_policy *p, const struct weir_access *a, uint32_t sectors,
                           enum weir_cause cause) {
  (void)p, (void)a, (void)sectors, (void)cause;
  return 0;
}

static void invalidate_way(struct weir_policy *p, uint32_t set, int way) {
  (void)p, (void)set, (void)way;
}

static void flush(struct weir_policy *p, uint32_t machine_ways, uint32_t lines) {
  (void)p, (void)machine_ways, (void)lines;
}

const struct weir_org_ops weir_org_opt = {
    .part = {WEIR_PART("opt", "no hardware, a bound: what could be hit with as many lines is"),
             .reference = BELADY, WEIR_PART_PARAMS(params, weir_opt_cfg),
             .state_bytes = sizeof(struct launch), .kernel_begin = kernel_begin},
    .is_sectored = true,
    .has_victim_rule = true,
    .has_dirty = true,
    .prepare = WEIR_PREPARE_OPT,
    .view = view,
    .probe = probe,
    .can_reserve = can_reserve,
    .reserve = reserve,
    .commit_hit = commit,
    .commit_bypass = commit,
    .write = write,
    .fill = fill,
    .invalidate = invalidate,
    .invalidate_way = invalidate_way,
    .flush = flush};
