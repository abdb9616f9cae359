/* An L1 without an SM: requests are presented by hand, and replies come when the test says so.
 * Lines are named by their number. After every call the parts are verified; a refused request must
 * leave no trace. */
#ifndef TESTS_L1_RIG_TSC_H
#define TESTS_L1_RIG_TSC_H

#include "l1/core.h"
#include "l1/inspect.h"
#include "l1/nru.h"
#include "l1/organisation/lines.h"
#include "l1/parts.h"
#include "rig_engine.h"

enum { RIG_LINE = 128, RIG_SENT = 256 };

struct rig {
  struct machine x;
  struct weir_design d;
  struct part_cfg tsc, plus, nru;
  struct weir_lines_cfg lines;
  struct weir_l1 *l1;
  uint64_t now, pc; /* pc: of the next request, and of the load that a reply answers */
  uint32_t next_id, sm;
  struct weir_msg sent[RIG_SENT]; /* reads without a reply, in order */
  uint32_t n_sent;
  struct weir_msg last; /* the last message of any kind */
  bool is_fast;         /* do not verify after every call */
  uint32_t n_casts;
  uint64_t cast[4];
};

static inline void rig_view(void *sm, struct weir_sm_view *v) {
  (void)sm;
  *v = (struct weir_sm_view){0};
}
static inline void rig_broadcast(void *sm, uint32_t part, const uint64_t v[4]) {
  struct rig *g = sm;
  (void)part;
  g->n_casts++;
  memcpy(g->cast, v, sizeof g->cast);
}

/* The defaults of all parts; a test changes them before rig_open. */
static inline void rig_init(struct rig *g) {
  memset(g, 0, sizeof *g);
  part_defaults(&weir_org_tagsplit.part, &g->tsc);
  part_defaults(&weir_policy_tsc_plus.part, &g->plus);
  part_defaults(&weir_policy_nru.part, &g->nru);
  g->d = (struct weir_design){.org = &weir_org_tagsplit, .paranoid = true, .seed = 1};
}

static inline void rig_add(struct rig *g, const struct weir_policy_ops *ops, const void *cfg) {
  g->d.policy[g->d.n_policies].ops = ops;
  g->d.policy[g->d.n_policies++].cfg = cfg;
}

static inline void rig_put_tsc(struct rig *g, const char *name, double value) {
  part_put(&weir_org_tagsplit.part, &g->tsc, name, value);
}
static inline void rig_set_tsc(struct rig *g, const char *name, const char *text) {
  part_set(&weir_org_tagsplit.part, &g->tsc, name, text);
}
/* Statistics of the organisation and of the policy that selects its mode. */
#define TSC(stats, field)  (*part_stat(&weir_org_tagsplit.part, stats, #field))
#define PLUS(stats, field) (*part_stat(&weir_policy_tsc_plus.part, stats, #field))
/* What has a bit: a line or a sector. */
static inline void rig_nru(struct rig *g, const char *unit) {
  part_set(&weir_policy_nru.part, &g->nru, "unit", unit);
}

static inline void rig_kernel(struct rig *g) {
  struct weir_kernel k = {.name = "test", .n_insns = 1, .n_ctas = 1};
  assert_true(weir_l1_kernel_begin(g->l1, &k, 0, g->now += 100));
}

/* One set of 4 x 128 bytes; further assignments, ended by NULL. */
static inline bool rig_try(struct rig *g, struct weir_err *err, const char *const *more) {
  const char *set[32] = {"l1.sets=1",   "l1.ways=4",         "l1.line=128",
                         "l2.line=128", "l1.hit_latency=10", "l1.miss_queue=8"};
  struct weir_l1_host host = {.sm = g, .id = g->sm, .view = rig_view, .broadcast = rig_broadcast};
  size_t n = 0;
  while (set[n] != NULL)
    n++;
  while (more != NULL && *more != NULL)
    set[n++] = *more++;
  machine_init(&g->x, NULL, set);
  if (g->d.org_cfg == NULL) /* else the test's own organisation */
    g->d.org_cfg = g->d.org == &weir_org_tagsplit ? (const void *)&g->tsc : &g->lines;
  g->l1 = weir_l1_create(&g->x.m, &g->d, &host, err);
  if (g->l1 == NULL) machine_free(&g->x);
  return g->l1 != NULL;
}

static inline void rig_open(struct rig *g, ...) {
  const char *more[24];
  size_t n = 0;
  struct weir_err err;
  va_list ap;
  va_start(ap, g);
  while ((more[n] = va_arg(ap, const char *)) != NULL)
    n++;
  va_end(ap);
  if (!rig_try(g, &err, more)) fail_msg("%s", err.msg);
  rig_kernel(g);
}

static inline struct weir_chain *rig_chain(const struct rig *g) {
  return (struct weir_chain *)g->l1; /* its first member */
}

/* Part 0 is the organisation. */
static inline struct weir_policy *rig_part(const struct rig *g, uint32_t i) {
  const struct weir_part *is;
  return weir_chain_part(rig_chain(g), i, &is);
}

static inline void rig_verify(const struct rig *g) {
  struct weir_chain *c = rig_chain(g);
  const struct weir_part *is;
  if (weir_l1_fault(g->l1) != NULL) fail_msg("%s", weir_l1_fault(g->l1));
  for (uint32_t i = 0; i <= c->n; i++) {
    const struct weir_policy *p = weir_chain_part(c, i, &is);
    const char *bad = is->verify != NULL ? is->verify(p) : NULL;
    if (bad != NULL) fail_msg("%s: %s", is->name, bad);
  }
}

static inline const struct weir_l1_stats *rig_stats(const struct rig *g) {
  return weir_l1_get_stats(g->l1, g->now);
}

static inline struct weir_l1_result rig_present(struct rig *g, enum weir_op op, uint64_t line,
                                                uint32_t sectors) {
  struct weir_l1_req q = {.a = {.addr = line * (uint64_t)g->x.m.l1.line,
                                .pc = g->pc,
                                .sectors = (uint16_t)sectors,
                                .full = (uint16_t)sectors,
                                .op = (uint8_t)op},
                          .id = g->next_id};
  uint64_t before = g->is_fast ? 0 : weir_chain_hash(rig_chain(g));
  struct weir_l1_result r = weir_l1_present(g->l1, &q, 0, g->now += 10);
  const struct weir_msg *m;
  if (r.answer == WEIR_L1_FAILED) {
    assert_true(g->is_fast || weir_chain_hash(rig_chain(g)) == before);
    return r;
  }
  g->next_id++;
  while ((m = weir_l1_peek(g->l1)) != NULL) {
    g->last = *m;
    assert_true(g->n_sent < RIG_SENT);
    if (m->kind == WEIR_MSG_READ) g->sent[g->n_sent++] = *m;
    weir_l1_pop(g->l1);
  }
  if (!g->is_fast) rig_verify(g);
  return r;
}

/* What kind of access was it? The number of the shortage for a refused one, plus 100. */
enum { RIG_REFUSED = 100, RIG_STORED = 50, RIG_BYPASSED = 51 };

static inline int rig_load(struct rig *g, uint64_t line, uint32_t sectors) {
  const struct weir_l1_stats *s = rig_stats(g);
  struct weir_l1_stats was = *s;
  struct weir_l1_result r = rig_present(g, WEIR_LOAD, line, sectors);
  if (r.answer == WEIR_L1_FAILED) return RIG_REFUSED + (int)r.why;
  assert_int_equal(s->loads, was.loads + 1);
  if (s->bypassed > was.bypassed) return RIG_BYPASSED;
  if (s->hits > was.hits) return WEIR_HIT;
  if (s->hit_reserved > was.hit_reserved) return WEIR_HIT_PENDING;
  if (s->partial_misses > was.partial_misses) return WEIR_PARTIAL;
  assert_int_equal(s->misses, was.misses + 1);
  return WEIR_MISS;
}

static inline void rig_store(struct rig *g, uint64_t line, uint32_t sectors) {
  assert_int_equal(rig_present(g, WEIR_STORE, line, sectors).answer, WEIR_L1_SENT);
}

/* The reply to a read. Returns how many loads were answered. */
static inline unsigned rig_reply(struct rig *g, uint32_t i) {
  struct weir_msg m = g->sent[i];
  unsigned n = 0;
  m.kind = WEIR_MSG_DATA;
  memmove(&g->sent[i], &g->sent[i + 1], (--g->n_sent - i) * sizeof m);
  if (m.flags & WEIR_REQ_BYPASS) {
    const struct weir_access a = {.addr = m.addr, .pc = g->pc, .op = WEIR_LOAD};
    weir_l1_bypass_return(g->l1, &a, &m, g->now += 10);
    n++;
  } else
    assert_true(weir_l1_fill(g->l1, &m, g->now += 10));
  while (weir_l1_drain(g->l1, ++g->now) != UINT32_MAX)
    n++;
  if (!g->is_fast) rig_verify(g);
  return n;
}

static inline void rig_settle(struct rig *g) {
  while (g->n_sent > 0)
    rig_reply(g, 0);
}

/* A load whose data are there afterwards. */
static inline int rig_read(struct rig *g, uint64_t line, uint32_t sectors) {
  int outcome = rig_load(g, line, sectors);
  rig_settle(g);
  return outcome;
}

static inline void rig_close(struct rig *g) {
  rig_settle(g);
  const char *bad = weir_l1_verify(g->l1);
  if (bad != NULL) fail_msg("%s", bad);
  if (weir_l1_fault(g->l1) != NULL) fail_msg("%s", weir_l1_fault(g->l1));
  weir_l1_destroy(g->l1);
  machine_free(&g->x);
}

/* The line in a way of set 0, and which sectors; the NRU bit. */
static inline struct weir_line rig_way(const struct rig *g, uint32_t way) {
  return rig_chain(g)->org_ops->view(rig_part(g, 0), 0).line[way];
}
static inline void rig_expect(const struct rig *g, uint32_t way, uint64_t line, uint32_t sectors) {
  struct weir_line l = rig_way(g, way);
  assert_int_equal(l.tag, line + 1);
  assert_int_equal(l.valid_mask | l.pending_mask, sectors);
}
static inline void rig_expect_empty(const struct rig *g, uint32_t way) {
  assert_int_equal(rig_way(g, way).tag, 0);
}
static inline bool rig_used(const struct rig *g, uint32_t way) {
  return weir_nru_used(rig_part(g, 0), 0, way) != 0;
}

/* ---- through the engine: the same results whatever the engine does ---- */

/* A machine and two kernels from a seed. False: the design cannot stand on that machine. */
static inline bool rig_engine_random(const struct weir_design *d, uint64_t seed,
                                     struct weir_sim_result *first) {
  struct machine x;
  struct synth s[2], *const kernels[2] = {&s[0], &s[1]};
  struct weir_err err;
  uint32_t n_refused = 0;
  machine_random(&x, seed, &n_refused);
  if (weir_design_check(d, &x.m, &err) != WEIR_OK || x.m.l1.line < 64) {
    machine_free(&x);
    return false;
  }
  synth_random(&s[0], 2 * seed);
  synth_random(&s[1], 2 * seed + 1);
  struct weir_sim_result r[2];
  engine_same(&x, d, kernels, 2, r);
  *first = r[1];
  synth_free(&s[0]);
  synth_free(&s[1]);
  machine_free(&x);
  return true;
}

#endif
