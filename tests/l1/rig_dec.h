/* One L1 with the decoupled organisation and LRU, driven request by request: a set whose lines are
 * called A, B, C, ..., and a memory that answers at once or when the test says so. */
#ifndef TESTS_L1_RIG_DEC_H
#define TESTS_L1_RIG_DEC_H

#include "l1/inspect.h"
#include "l1/parts.h"
#include "rig_engine.h"

struct rig_dec {
  struct machine x;
  struct part_cfg cfg;
  struct weir_design design;
  struct weir_l1 *l1;
  struct weir_policy *org;
  uint64_t now, begin;
  uint32_t n_requests, inflight;
  bool holds; /* replies wait for rig_answer */
  struct weir_msg held[64];
  unsigned n_held;
  uint64_t cast[4];
  unsigned n_casts;
  struct weir_l1_result last;
  uint64_t sent_at; /* of the last packet */
};

static inline void rig_nothing(void *sm, struct weir_sm_view *v) {
  (void)sm;
  *v = (struct weir_sm_view){0};
}
static inline void rig_broadcast(void *sm, uint32_t part, const uint64_t v[4]) {
  struct rig_dec *g = sm;
  assert_int_equal(part, 0);
  memcpy(g->cast, v, sizeof g->cast);
  g->n_casts++;
}

static inline void rig_kernel(struct rig_dec *g) {
  const struct weir_kernel k = {.name = "test", .n_insns = 1};
  g->begin = g->now += 1000;
  assert_true(weir_l1_kernel_begin(g->l1, &k, 0, g->now));
}

/* By the rig's design. */
static inline enum weir_status rig_create(struct rig_dec *g, uint32_t sm, struct weir_err *err) {
  struct weir_l1_host host = {.sm = g, .id = sm, .view = rig_nothing, .broadcast = rig_broadcast};
  g->l1 = weir_l1_create(&g->x.m, &g->design, &host, err);
  if (g->l1 == NULL) return WEIR_EINVAL;
  g->org = &((struct weir_chain *)g->l1)->org; /* the chain is the L1's first member */
  rig_kernel(g);
  return WEIR_OK;
}

/* Parameters "threshold=3", ended by NULL; `set`: those of the machine. */
static inline enum weir_status rig_try(struct rig_dec *g, uint32_t sm, const char *const *set,
                                       const char *const *params, struct weir_err *err) {
  memset(g, 0, sizeof *g);
  machine_init(&g->x, NULL, set);
  rig_params(weir_org_decoupled.part.params, &g->cfg, params);
  g->design = (struct weir_design){
      .org = &weir_org_decoupled, .org_cfg = &g->cfg, .n_policies = 1, .paranoid = true};
  g->design.policy[0].ops = &weir_policy_lru;
  return rig_create(g, sm, err);
}

#define SET(...)  ((const char *const[]){__VA_ARGS__, NULL})
#define NO_PARAMS ((const char *const[]){NULL})

static inline void rig_open_at(struct rig_dec *g, uint32_t sm, const char *const *set,
                               const char *const *params) {
  struct weir_err err;
  if (rig_try(g, sm, set, params, &err) != WEIR_OK) fail_msg("%s", err.msg);
}
/* One SM, one set of two data ways, four tags. */
static inline void rig_small(struct rig_dec *g, const char *const *params) {
  rig_open_at(g, 0, SET("l1.sets=1", "l1.ways=2", "sm.count=1"), params);
}
/* Of three SMs. */
static inline void rig_of_three(struct rig_dec *g, uint32_t sm, const char *const *params) {
  rig_open_at(g, sm, SET("l1.sets=1", "l1.ways=2", "sm.count=3"), params);
}

static inline void rig_shut(struct rig_dec *g) {
  weir_l1_destroy(g->l1);
  machine_free(&g->x);
}

/* A statistic of the organisation, of those that rig_stats gives or of others. */
#define DEC(stats, field) (*part_stat(&weir_org_decoupled.part, stats, #field))
static inline const void *rig_stats(const struct rig_dec *g) {
  return weir_l1_part_stats(g->l1, 0);
}
static inline const struct weir_l1_stats *rig_l1(const struct rig_dec *g) {
  return weir_l1_get_stats(g->l1, g->now);
}

static inline void rig_check(const struct rig_dec *g) {
  const char *bad = weir_org_decoupled.part.verify(g->org);
  if (bad != NULL) fail_msg("%s", bad);
  if (weir_l1_fault(g->l1) != NULL) fail_msg("%s", weir_l1_fault(g->l1));
}

/* All replies that are held arrive. */
static inline void rig_answer(struct rig_dec *g) {
  for (unsigned i = 0; i < g->n_held; i++) {
    struct weir_msg m = g->held[i];
    g->now += 10;
    m.kind = WEIR_MSG_DATA;
    if (m.flags & WEIR_REQ_BYPASS) {
      weir_l1_bypass_return(g->l1, &(struct weir_access){.op = WEIR_LOAD}, &m, g->now);
      g->inflight--;
      continue;
    }
    assert_true(weir_l1_fill(g->l1, &m, g->now));
    while (weir_l1_drain(g->l1, g->now) != UINT32_MAX)
      g->inflight--;
  }
  g->n_held = 0;
  rig_check(g);
}

static inline void rig_take_packets(struct rig_dec *g) {
  for (const struct weir_msg *m; (m = weir_l1_peek(g->l1)) != NULL; weir_l1_pop(g->l1)) {
    g->sent_at = m->at;
    if (m->kind != WEIR_MSG_WRITE) g->held[g->n_held++] = *m;
  }
  if (!g->holds) rig_answer(g);
}

static inline uint64_t rig_addr(const struct rig_dec *g, char name) {
  return (uint64_t)(name - 'A') * 128 * (uint64_t)g->x.m.l1.sets;
}

static inline struct weir_l1_result rig_present(struct rig_dec *g, enum weir_op op, char name) {
  struct weir_l1_req q = {
      .a = {.addr = rig_addr(g, name), .sectors = 0xf, .full = 0xf, .op = (uint8_t)op},
      .id = g->n_requests++};
  g->now += 10;
  uint64_t before = weir_chain_hash((const struct weir_chain *)g->l1);
  g->last = weir_l1_present(g->l1, &q, g->inflight, g->now);
  if (g->last.answer == WEIR_L1_FAILED)
    assert_int_equal(weir_chain_hash((const struct weir_chain *)g->l1), before);
  if (g->last.answer == WEIR_L1_WAIT) g->inflight++;
  rig_check(g);
  return g->last;
}

/* H hit, R on its way, M miss, B bypass; F: refused. */
static inline char rig_load(struct rig_dec *g, char name) {
  struct weir_l1_stats b = *rig_l1(g);
  rig_present(g, WEIR_LOAD, name);
  const struct weir_l1_stats *n = rig_l1(g);
  char what = n->hits > b.hits                   ? 'H'
              : n->hit_reserved > b.hit_reserved ? 'R'
              : n->misses > b.misses             ? 'M'
              : n->bypassed > b.bypassed         ? 'B'
                                                 : 'F';
  if (what != 'F') rig_take_packets(g);
  return what;
}

static inline void rig_store(struct rig_dec *g, char name) {
  assert_int_equal(rig_present(g, WEIR_STORE, name).answer, WEIR_L1_SENT);
  rig_take_packets(g);
}

/* The tags of the set in the order of their insertion: "A*:2 B:0", * has data. */
static inline const char *rig_tags(const struct rig_dec *g) {
  static char text[256];
  uint32_t n;
  const struct weir_dec_tag *t = weir_decoupled_tags(g->org, 0, &n), *last = NULL;
  size_t len = 0;
  text[0] = '\0';
  for (;;) {
    const struct weir_dec_tag *next = NULL;
    for (uint32_t i = 0; i < n; i++)
      if (t[i].key != 0 && (last == NULL || t[i].inserted > last->inserted) &&
          (next == NULL || t[i].inserted < next->inserted))
        next = &t[i];
    if (next == NULL) return text;
    len += (size_t)snprintf(text + len, sizeof text - len, "%s%c%s:%u", last != NULL ? " " : "",
                            (char)('A' + (next->key - 1) / (uint64_t)g->x.m.l1.sets),
                            next->way != 0 ? "*" : "", next->rc);
    last = next;
  }
}

static inline void rig_expect(struct rig_dec *g, char name, char what, const char *tags) {
  char got = rig_load(g, name);
  if (got != what) fail_msg("load of %c: %c, not %c", name, got, what);
  if (strcmp(rig_tags(g), tags) != 0)
    fail_msg("after the load of %c: '%s', not '%s'", name, rig_tags(g), tags);
}

/* Loads of "ABA" must come out as "BBM". */
static inline void rig_loads(struct rig_dec *g, const char *names, const char *what) {
  for (; *names != '\0'; names++, what++) {
    char got = rig_load(g, *names);
    if (got != *what) fail_msg("load of %c: %c, not %c (%s)", *names, got, *what, rig_tags(g));
  }
}

#endif
