/* One L1 between a hand-made SM and a hand-made memory that answers at once: policies seen request
 * by request. Beside it, runs of the whole engine with a policy in front of the machine's own. */
#ifndef TESTS_L1_RIG_POL_H
#define TESTS_L1_RIG_POL_H

#include "../sim/rig.h"
#include "l1/core.h"
#include "l1/parts.h"
#include "rig_engine.h"

/* ---- one L1 ---- */

struct port {
  struct machine x;
  struct weir_design d;
  struct weir_l1 *l1;
  struct weir_sm_view view;
  uint64_t now;
  uint8_t reply; /* further flags of replies that tell of a mark */
};

static inline void port_view(void *self, struct weir_sm_view *v) {
  *v = ((const struct port *)self)->view;
}

static inline void port_broadcast(void *self, uint32_t part, const uint64_t v[4]) {
  (void)self, (void)part, (void)v;
}

static inline void port_well(const struct port *t) {
  const char *bad = weir_l1_fault(t->l1);
  if (bad != NULL) fail_msg("%s", bad);
}

/* The next cycle, or a later one; policies wake up on the way. */
static inline void port_until(struct port *t, uint64_t now) {
  while (weir_l1_next_tick(t->l1) <= now)
    weir_l1_tick(t->l1, weir_l1_next_tick(t->l1));
  t->now = now;
}
static inline void port_step(struct port *t) {
  port_until(t, t->now + 1);
}

/* A kernel with one block in the slots of `warps`; 0: without. */
static inline void port_kernel(struct port *t, uint64_t warps) {
  const struct weir_kernel k = {.name = "port", .n_insns = 1, .n_ctas = 1, .ctas_per_sm = 1};
  const struct weir_cta c = {.warps = warps};
  assert_true(weir_l1_kernel_begin(t->l1, &k, 0, t->now));
  if (warps != 0) weir_l1_cta_begin(t->l1, &c, t->now);
}

/* The machine's own design with a policy in front, or with one that names victims in lru's place.
 */
static inline void design_with(struct weir_design *d, const struct weir_machine *m,
                               const struct weir_policy_ops *o, const void *cfg, bool paranoid) {
  weir_design_baseline(d, m);
  d->policy[1] = d->policy[0];
  d->policy[0].ops = o;
  d->policy[0].cfg = cfg;
  d->n_policies = o->victim != NULL ? 1 : 2;
  d->paranoid = paranoid;
}

/* That of an SM; settings of the machine, ended by NULL. */
static inline void port_open_at(struct port *t, uint32_t sm, const struct weir_policy_ops *o,
                                const void *cfg, const char *const *set) {
  struct weir_err err;
  struct weir_l1_host host = {.sm = t, .id = sm, .view = port_view, .broadcast = port_broadcast};
  memset(t, 0, sizeof *t);
  machine_init(&t->x, NULL, set);
  design_with(&t->d, &t->x.m, o, cfg, true);
  t->l1 = weir_l1_create(&t->x.m, &t->d, &host, &err);
  if (t->l1 == NULL) fail_msg("%s", err.msg);
}
static inline void port_open(struct port *t, const struct weir_policy_ops *o, const void *cfg,
                             const char *const *set) {
  port_open_at(t, 0, o, cfg, set);
}

static inline void port_close(struct port *t) {
  port_well(t);
  const char *bad = weir_l1_verify(t->l1);
  if (bad != NULL) fail_msg("%s", bad);
  weir_l1_destroy(t->l1);
  machine_free(&t->x);
}

/* The policy in front; a chain is what an L1 begins with. */
static inline struct weir_policy *port_policy(struct port *t) {
  const struct weir_part *part;
  return weir_chain_part((struct weir_chain *)t->l1, 1, &part);
}

/* Of the test's `policy`: parameters in its `cfg`, statistics in its port `t` or elsewhere. */
#define SET(field, value)     part_put(&policy->part, &cfg, #field, (double)(value))
#define GET(field)            part_get(&policy->part, &cfg, #field)
#define STAT(field)           STAT_OF(port_policy(&t)->stats, field)
#define STAT_OF(stats, field) (*part_stat(&policy->part, stats, #field))

enum { HIT_L1 = 1 << 8, BYPASSED = 1 << 9 };

/* One access from beginning to end. Returns the flags of what was sent, and the above. */
static inline unsigned port_access(struct port *t, enum weir_op op, uint32_t warp, uint64_t pc,
                                   uint64_t addr, bool is_marked) {
  struct weir_l1_req q = {
      .a = {.addr = addr, .pc = pc, .warp = warp, .op = (uint8_t)op, .sectors = 1, .full = 1}};
  port_step(t);
  struct weir_l1_result r = weir_l1_present(t->l1, &q, 0, t->now);
  port_well(t);
  assert_true(r.answer != WEIR_L1_FAILED && r.answer != WEIR_L1_LATER);
  const struct weir_msg *sent = weir_l1_peek(t->l1);
  if (sent == NULL) {
    port_step(t); /* the data port is free again */
    return HIT_L1;
  }
  struct weir_msg m = *sent;
  unsigned flags = m.flags;
  weir_l1_pop(t->l1);
  if (op == WEIR_STORE) return flags;
  m.flags |= is_marked ? WEIR_REP_MARKED | t->reply : 0;
  port_step(t);
  if (m.flags & WEIR_REQ_BYPASS) {
    weir_l1_bypass_return(t->l1, &q.a, &m, t->now);
    return flags | BYPASSED;
  }
  assert_true(weir_l1_fill(t->l1, &m, t->now));
  port_step(t);
  assert_int_equal(weir_l1_drain(t->l1, t->now), 0);
  port_until(t, t->now + 8); /* the fill leaves the data port */
  return flags;
}

static inline unsigned port_load(struct port *t, uint64_t pc, uint64_t addr) {
  return port_access(t, WEIR_LOAD, 0, pc, addr, false);
}

/* A load that misses, presented and answered in this cycle. Is it bypassed? */
static inline bool port_is_bypassed(struct port *t, const struct weir_access *a) {
  struct weir_l1_req q = {.a = *a};
  assert_int_equal(weir_l1_present(t->l1, &q, 0, t->now).answer, WEIR_L1_WAIT);
  port_well(t);
  struct weir_msg m = *weir_l1_peek(t->l1);
  weir_l1_pop(t->l1);
  if (m.flags & WEIR_REQ_BYPASS) {
    weir_l1_bypass_return(t->l1, &q.a, &m, t->now);
    return true;
  }
  assert_true(weir_l1_fill(t->l1, &m, t->now));
  assert_int_equal(weir_l1_drain(t->l1, t->now), 0);
  return false;
}

/* ---- the engine ---- */

/* The settings of the small machine of tests/sim/rig.h and up to four more, ended by NULL. */
static inline const char *const *rig_and(const char *a, const char *b, const char *c,
                                         const char *d) {
  static const char *set[sizeof rig_set / sizeof *rig_set + 5];
  const char *const more[] = {a, b, c, d, NULL};
  memcpy(set, rig_set, sizeof rig_set);
  memcpy(set + sizeof rig_set / sizeof *rig_set, more, sizeof more);
  return set;
}

static inline void part_add(const struct weir_policy_ops *o, const struct weir_sim_result *r,
                            void *sum) {
  if (sum != NULL) weir_stat_sum(o->part.stats, sum, r->part[1]);
}

/* Random machines and kernels, two launches of one kernel. `sum`: the policy's statistics. */
static inline void engine_random(const struct weir_policy_ops *o, const void *cfg, uint64_t cases,
                                 void *sum) {
  for (uint64_t seed = 1, done = 0; done < cases; seed++) {
    struct machine x;
    struct weir_design d;
    struct weir_sim_result r[2];
    struct synth s;
    const char *why;
    uint32_t n_refused = 0;
    machine_random(&x, seed * 7919, &n_refused);
    synth_random(&s, seed);
    if (weir_sm_fit(&x.m, &s.info, &why) > 0) {
      struct synth *const kernels[2] = {&s, &s};
      design_with(&d, &x.m, o, cfg, done % 4 == 0);
      engine_same(&x, &d, kernels, 2, r);
      part_add(o, &r[0], sum);
      part_add(o, &r[1], sum);
      done++;
    }
    synth_free(&s);
    machine_free(&x);
  }
}

/* A built-in workload on fermi-s3 in every way: the policy's statistics summed, and the first
 * launch. */
static inline void engine_exact(const char *folder, const char *workload,
                                const struct weir_policy_ops *o, const void *cfg, void *sum,
                                struct weir_sim_result *first) {
  struct machine x;
  struct weir_design d;
  engine_gpu(folder, "fermi-s3", &x);
  design_with(&d, &x.m, o, cfg, false);
  const struct launches *l = engine_workload_same(folder, workload, &x, &d);
  for (uint32_t k = 0; k < l->n; k++)
    part_add(o, &l->r[k], sum);
  *first = l->r[0];
  machine_free(&x);
}

/* The engine refuses the policy with these parameters, and says why. */
static inline void engine_refuses(const struct weir_policy_ops *o, const void *cfg,
                                  const char *const *set, const char *why) {
  struct machine x;
  struct weir_design d;
  struct weir_err err;
  struct weir_sim *sim;
  machine_init(&x, NULL, set);
  design_with(&d, &x.m, o, cfg, false);
  assert_int_equal(weir_sim_new(&x.m, &d, &engine_ways[0], &sim, &err), WEIR_EINVAL);
  assert_string_equal(err.msg, why);
  machine_free(&x);
}

#endif
