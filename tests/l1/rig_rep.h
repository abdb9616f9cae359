/* One replacement policy with lines that are called a, b, c, ... in each set, and what the set
 * looks like as text; the same policy on random machines with every organisation that has room for
 * it. */
#ifndef TESTS_L1_RIG_REP_H
#define TESTS_L1_RIG_REP_H

#include <stdio.h>

#include "l1/replacement/rrip.h"
#include "rig_tsc.h"

static const char *folder;
static struct rig g;
static struct part_cfg cfg;
/* What a policy that is not of the rrip family shows of a line. */
static unsigned (*rep_value)(const struct weir_policy *p, uint32_t set, uint32_t way);

#define PARAMS(...) ((const char *const[]){__VA_ARGS__, NULL})
#define DEFAULTS    ((const char *const[]){NULL})

static inline const void *rep_cfg(const struct weir_policy_ops *o, const char *const *params) {
  memset(&cfg, 0, sizeof cfg);
  assert_true(o->part.cfg_bytes <= sizeof cfg);
  if (o->part.params == NULL) return NULL;
  rig_params(o->part.params, &cfg, params);
  return &cfg;
}

/* Conventional lines, four ways; the test opens the rig. */
static inline void rep_init(const struct weir_policy_ops *o, const char *const *params) {
  rig_init(&g);
  g.d.org = &weir_org_conventional;
  rig_add(&g, o, rep_cfg(o, params));
}

static inline void rep_open(const struct weir_policy_ops *o, const char *const *params) {
  rep_init(o, params);
  rig_open(&g, NULL);
}

static inline const struct weir_rrip_stats *rep_stats(void) {
  return (const struct weir_rrip_stats *)weir_l1_part_stats(g.l1, 1);
}

/* ---- lines by name ---- */

static inline uint64_t rep_line(uint32_t set, char name) {
  return (uint64_t)(name - 'a') * (uint64_t)g.x.m.l1.sets + set;
}
/* The load is answered before the next one, or not. */
static inline int rep_read(uint32_t set, char name) {
  return rig_read(&g, rep_line(set, name), 15);
}
static inline int rep_ask(uint32_t set, char name) {
  return rig_load(&g, rep_line(set, name), 15);
}
static inline void rep_store(uint32_t set, char name) {
  rig_store(&g, rep_line(set, name), 15);
}
static inline void rep_reads(uint32_t set, const char *names) {
  for (; *names != '\0'; names++)
    rep_read(set, *names);
}

static inline unsigned rep_rrip(const struct weir_policy *p, uint32_t set, uint32_t way) {
  return weir_rrip_value(p, set, way);
}

/* The ways of a set, "a2 b0* -": line, value, * waits for data. */
static inline const char *rep_set(uint32_t set) {
  static char text[512];
  struct weir_set v = rig_chain(&g)->org_ops->view(rig_part(&g, 0), set);
  bool is_rrip = g.d.policy[0].ops->victim == weir_rrip_victim;
  unsigned (*value)(const struct weir_policy *, uint32_t, uint32_t) =
      is_rrip ? rep_rrip : rep_value;
  size_t n = 0;
  for (uint32_t w = 0; w < v.ways; w++) {
    const struct weir_line *l = &v.line[w];
    n += (size_t)snprintf(text + n, sizeof text - n, "%s%c", w > 0 ? " " : "",
                          l->tag == 0 ? '-' : (char)('a' + (l->tag - 1) / (uint64_t)g.x.m.l1.sets));
    if (value != NULL && (l->tag != 0 || (is_rrip && value(rig_part(&g, 1), set, w) != 0)))
      n += (size_t)snprintf(text + n, sizeof text - n, "%u", value(rig_part(&g, 1), set, w));
    if (l->pending_mask != 0) n += (size_t)snprintf(text + n, sizeof text - n, "*");
  }
  return text;
}

#define EXPECT(set, text) assert_string_equal(rep_set(set), text)

/* A policy for rig_add: a load of this instruction asks for the next line of its set besides. */
enum { REP_PREFETCHES = 0x7700 };
static inline void rep_prefetch(struct weir_policy *p, const struct weir_access *a,
                                struct weir_set set, int way, enum weir_outcome outcome) {
  (void)set, (void)way, (void)outcome;
  const struct weir_geometry *geometry = weir_geometry(p);
  if (a->op == WEIR_LOAD && a->pc == REP_PREFETCHES)
    weir_ask_prefetch(p, a->addr + (uint64_t)geometry->sets * geometry->line_bytes, 15);
}
static const struct weir_policy_ops rep_prefetcher = {
    .part = {WEIR_PART("prefetcher", "asks for the next line of the set")}, .lookup = rep_prefetch};

/* ---- through the engine ---- */

static const struct weir_lines_cfg rep_on_miss = {.on_fill = false},
                                   rep_on_fill = {.on_fill = true};
static struct part_cfg rep_decoupled;

/* One of five: lines and sectors, allocated on miss and on fill, and the decoupled L1. */
static inline struct weir_design rep_design(const struct weir_policy_ops *o, unsigned i,
                                            const char *const *params) {
  struct weir_design d = {.org = i % 2 ? &weir_org_sectored : &weir_org_conventional,
                          .org_cfg = i < 2 ? &rep_on_miss : &rep_on_fill,
                          .n_policies = 1,
                          .seed = 1};
  if (i == 4) {
    part_defaults(&weir_org_decoupled.part, &rep_decoupled);
    d.org = &weir_org_decoupled;
    d.org_cfg = &rep_decoupled;
  }
  d.policy[0].ops = o;
  d.policy[0].cfg = rep_cfg(o, params);
  return d;
}

/* The same results however the engine runs; the policy's statistics are added to `sum`. */
static inline void rep_engine(const struct weir_policy_ops *o, const char *const *params,
                              uint64_t cases, void *sum) {
  uint64_t done = 0, n_decoupled = 0;
  bool is_for_all = o->organisations == NULL;
  for (uint64_t seed = 0; done < cases || (is_for_all && n_decoupled == 0); seed++) {
    struct weir_sim_result r;
    struct weir_design d = rep_design(o, (unsigned)(seed % (is_for_all ? 5 : 4)), params);
    d.paranoid = seed % 3 == 0;
    if (!rig_engine_random(&d, seed, &r)) continue;
    done++;
    n_decoupled += d.org == &weir_org_decoupled && r.part[0][0] > 0; /* lines were given */
    if (sum != NULL) weir_stat_sum(o->part.stats, sum, r.part[1]);
  }
}

/* A workload with conventional lines (0) or another of the five; statistics as above. Returns the
 * loads that hit. */
static inline uint64_t rep_workload_with(const struct weir_policy_ops *o, const char *const *params,
                                         const char *workload, unsigned i, void *sum) {
  struct weir_design d = rep_design(o, i, params);
  const struct launches *l = engine_on_fermi(folder, workload, &d);
  uint64_t hits = 0;
  for (uint32_t k = 0; k < l->n; k++) {
    hits += l->r[k].l1.hits;
    if (sum != NULL) weir_stat_sum(o->part.stats, sum, l->r[k].part[1]);
  }
  return hits;
}
static inline uint64_t rep_workload(const struct weir_policy_ops *o, const char *workload,
                                    unsigned i, void *sum) {
  return rep_workload_with(o, DEFAULTS, workload, i, sum);
}

#endif
