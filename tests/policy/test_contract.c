/* The contract itself: the order of calls, who wins, what is refused, and the services; with
 * policies made for it. */
#include <inttypes.h>
#include <stdio.h>

#include "../sim/rig.h"

/* ---- a policy that writes down what it is asked and told ---- */

struct script { /* what it answers; read by hooks that may not have globals of their own */
  enum weir_answer route, admit, blocked;
  enum weir_write store;
  uint32_t widen;
  int64_t gate_below; /* warps from here on may not load */
};

static struct script script;
static char calls[4096];
static void call(const char *text) {
  strncat(calls, text, sizeof calls - strlen(calls) - 1);
}

static enum weir_answer say_route(const struct weir_policy *p, const struct weir_access *a) {
  (void)p, (void)a;
  assert_int_equal(a->cycle, 0); /* deciding hooks see no time */
  call("route ");
  return script.route;
}
static enum weir_answer say_admit(const struct weir_policy *p, const struct weir_access *a,
                                  struct weir_set set) {
  (void)p, (void)a;
  assert_int_equal(a->cycle, 0);
  assert_int_equal(set.index, a->set);
  call("admit ");
  return script.admit;
}
static enum weir_answer say_blocked(const struct weir_policy *p, const struct weir_access *a,
                                    enum weir_shortage why) {
  (void)p, (void)a;
  char text[32];
  snprintf(text, sizeof text, "blocked:%d ", (int)why);
  call(text);
  return script.blocked;
}
static enum weir_write say_store(const struct weir_policy *p, const struct weir_access *a,
                                 struct weir_set set, int way) {
  (void)p, (void)a, (void)set, (void)way;
  call("store ");
  return script.store;
}
static uint32_t say_mask(const struct weir_policy *p, const struct weir_access *a,
                         uint32_t missing) {
  (void)p, (void)a, (void)missing;
  return script.widen;
}
static bool say_gate(const struct weir_policy *p, uint32_t warp, enum weir_op op) {
  (void)p;
  return op != WEIR_LOAD || (int64_t)warp < script.gate_below;
}
static void told_lookup(struct weir_policy *p, const struct weir_access *a, struct weir_set set,
                        int way, enum weir_outcome o) {
  (void)p, (void)a, (void)set, (void)way;
  static const char *const name[] = {"hit", "pending", "partial", "miss"};
  call("lookup:");
  call(name[o]);
  call(" ");
}
static void told_alloc(struct weir_policy *p, const struct weir_access *a, struct weir_set set,
                       int way) {
  (void)p;
  assert_int_equal(set.line[way].tag, a->addr / 128 + 1);
  call("alloc ");
}
static void told_fill(struct weir_policy *p, const struct weir_access *a, struct weir_set set,
                      int way, uint32_t flags) {
  (void)p, (void)a, (void)set, (void)flags;
  call(way >= 0 ? "fill " : "fill:nowhere ");
}
static void told_evict(struct weir_policy *p, const struct weir_access *a, struct weir_set set,
                       int way, enum weir_cause cause) {
  (void)p, (void)a;
  assert_true(set.line[way].tag != 0);
  static const char *const name[] = {"replacement", "store", "flush", "collateral"};
  call("evict:");
  call(name[cause]);
  call(" ");
}
static void told_bypass(struct weir_policy *p, const struct weir_access *a) {
  (void)p, (void)a;
  call("bypass ");
}
static void told_return(struct weir_policy *p, const struct weir_access *a, uint32_t flags) {
  (void)p, (void)a;
  call(flags & WEIR_REPLY_MARKED ? "return:marked " : "return ");
}

static const struct weir_policy_ops recorder = {
    .part = {.abi = WEIR_POLICY_ABI, .name = "recorder", .help = "writes down what happens"},
    .reason = WEIR_R_PREDICTOR,
    .route = say_route,
    .admit = say_admit,
    .blocked = say_blocked,
    .store = say_store,
    .lookup = told_lookup,
    .alloc = told_alloc,
    .fill = told_fill,
    .evict = told_evict,
    .bypass = told_bypass,
    .bypass_return = told_return};

/* ---- a small machine with a design ---- */

struct fixture {
  struct rig g;
  struct weir_design d;
  struct synth s;
  struct code c;
  struct weir_sim_result r;
};

static void open_with(struct fixture *f, const struct weir_policy_ops *o, const char *a,
                      const char *b) {
  struct weir_err err;
  struct weir_sim_options so = {.threads = 1, .watchdog = 100000, .check = true};
  rig_open(&f->g, a, b, NULL);
  weir_sim_free(f->g.sim);
  weir_design_baseline(&f->d, &f->g.x.m);
  f->d.paranoid = true;
  f->d.policy[f->d.n_policies++].ops = o;
  if (weir_sim_new(&f->g.x.m, &f->d, &so, &f->g.sim, &err) != WEIR_OK) fail_msg("%s", err.msg);
  synth_init(&f->s, 1, 2);
  f->c = rig_code(&f->s, WEIR_SP_GLOBAL);
  script = (struct script){.gate_below = INT64_MAX};
  calls[0] = '\0';
}

static uint64_t run(struct fixture *f) {
  calls[0] = '\0';
  return rig_run(&f->g, &f->s, &f->r);
}

static void shut(struct fixture *f) {
  synth_free(&f->s);
  rig_close(&f->g);
}

static void load(struct fixture *f, uint64_t addr) {
  synth_stride(&f->s, 0, 0, f->c.ld0, UINT32_MAX, addr, 4);
  synth_put(&f->s, 0, 0, f->c.use0);
}

#define CALLS(text) assert_string_equal(calls, text)
#define SET1        "l1.sets=1", "l1.ways=1"

static void test_order_of_a_miss_and_a_hit(void **state) {
  (void)state;
  struct fixture f;
  open_with(&f, &recorder, SET1);
  load(&f, 0x1000);
  load(&f, 0x1000);
  load(&f, 0x2000);
  run(&f);
  CALLS("route admit lookup:miss alloc fill "
        "route lookup:hit "
        "route admit lookup:miss evict:replacement alloc fill ");
  assert_int_equal(f.r.l1.evictions_unused, 0);
  run(&f); /* the next kernel finds the L1 empty */
  assert_int_equal(strncmp(calls, "evict:flush route", 17), 0);
  shut(&f);
}

static void test_route_leaves_tags_alone(void **state) {
  (void)state;
  struct fixture f;
  open_with(&f, &recorder, SET1);
  script.route = WEIR_BYPASS;
  load(&f, 0x1000);
  load(&f, 0x1000);
  run(&f);
  CALLS("route bypass return route bypass return ");
  assert_int_equal(f.r.l1.probes, 0);
  assert_int_equal(f.r.l1.bypass_reason[WEIR_R_PREDICTOR], 2);
  shut(&f);
}

static void test_admit_bypasses_after_the_probe(void **state) {
  (void)state;
  struct fixture f;
  open_with(&f, &recorder, SET1);
  script.admit = WEIR_BYPASS_MARKED;
  load(&f, 0x1000);
  load(&f, 0x1000);
  run(&f);
  /* The second one finds the line in the L2, with the mark that the first one asked for. */
  CALLS("route admit lookup:miss bypass return route admit lookup:miss bypass return:marked ");
  assert_int_equal(f.r.l1.probes, 2);
  shut(&f);
}

static void test_joins_are_not_asked(void **state) {
  (void)state;
  struct fixture f;
  open_with(&f, &recorder, SET1);
  synth_stride(&f.s, 0, 0, f.c.ld0, UINT32_MAX, 0x1000, 4);
  synth_stride(&f.s, 0, 0, f.c.ld1, UINT32_MAX, 0x1000, 4);
  run(&f);
  CALLS("route admit lookup:miss alloc route lookup:pending fill ");
  shut(&f);
}

static void test_blocked_may_bypass(void **state) {
  (void)state;
  struct fixture f;
  open_with(&f, &recorder, SET1);
  script.blocked = WEIR_BYPASS;
  synth_stride(&f.s, 0, 0, f.c.ld0, UINT32_MAX, 0x1000, 4);
  synth_stride(&f.s, 0, 0, f.c.ld1, UINT32_MAX, 0x2000, 4);
  run(&f);
  CALLS("route admit lookup:miss alloc route admit blocked:2 lookup:miss bypass fill return ");
  assert_int_equal(f.r.l1.bypass_reason[WEIR_R_STALL], 1);
  assert_int_equal(f.r.sm.stall[WEIR_NO_LINE], 0);
  shut(&f);
}

static void test_blocked_waits_without_a_trace(void **state) {
  (void)state;
  struct fixture f;
  open_with(&f, &recorder, SET1);
  synth_stride(&f.s, 0, 0, f.c.ld0, UINT32_MAX, 0x1000, 4);
  synth_stride(&f.s, 0, 0, f.c.ld1, UINT32_MAX, 0x2000, 4);
  run(&f);
  assert_int_equal(f.r.l1.loads, 2);
  assert_true(f.r.sm.stall[WEIR_NO_LINE] > 10);
  assert_int_equal(f.r.sm.resv_fail[WEIR_NO_LINE], 1);
  /* Asked again and again, told once. */
  const char *told = strstr(calls, "lookup:miss ");
  assert_non_null(told);
  told = strstr(told + 1, "lookup:miss ");
  assert_non_null(told);
  assert_null(strstr(told + 1, "lookup:"));
  shut(&f);
}

static void test_stores(void **state) {
  (void)state;
  struct fixture f;
  open_with(&f, &recorder, SET1);
  load(&f, 0x1000);
  synth_stride(&f.s, 0, 0, f.c.st, UINT32_MAX, 0x1000, 4);
  run(&f);
  CALLS("route admit lookup:miss alloc fill store lookup:hit evict:store ");
  script.store = WEIR_WRITE_THROUGH;
  run(&f);
  CALLS("route admit lookup:miss alloc fill store lookup:hit ");
  shut(&f);
}

/* ---- the chain ---- */

static enum weir_answer cache(const struct weir_policy *p, const struct weir_access *a) {
  (void)p, (void)a;
  return WEIR_CACHE;
}
static const struct weir_policy_ops first = {
    .part = {.abi = WEIR_POLICY_ABI, .name = "first", .help = "wants everything cached"},
    .route = cache,
    .lookup = told_lookup};

static void test_the_first_answer_wins_and_all_are_told(void **state) {
  (void)state;
  struct fixture f;
  struct weir_err err;
  struct weir_sim_options o = {.threads = 1, .check = true};
  open_with(&f, &first, SET1);
  weir_sim_free(f.g.sim);
  f.d.policy[f.d.n_policies++].ops = &recorder;
  assert_int_equal(weir_sim_new(&f.g.x.m, &f.d, &o, &f.g.sim, &err), WEIR_OK);
  script.route = WEIR_BYPASS; /* never asked */
  load(&f, 0x1000);
  run(&f);
  CALLS("admit lookup:miss lookup:miss alloc fill ");
  shut(&f);
}

static void refused(const struct weir_design *d, const struct weir_machine *m, const char *text) {
  struct weir_err err;
  assert_int_equal(weir_design_check(d, m, &err), WEIR_EINVAL);
  assert_string_equal(err.msg, text);
}

static const struct weir_policy_ops old = {.part = {.abi = 0, .name = "old", .help = "x"}};
static const struct weir_policy_ops picky = {
    .part = {.abi = WEIR_POLICY_ABI, .name = "picky", .help = "x"}, .organisations = "tiles|boxes"};
static const struct weir_policy_ops masks = {
    .part = {.abi = WEIR_POLICY_ABI, .name = "masks", .help = "x"}, .fetch_mask = say_mask};
static const struct weir_policy_ops gates = {
    .part = {.abi = WEIR_POLICY_ABI, .name = "gates", .help = "x"}, .gate = say_gate};

static void test_combinations_are_refused_with_a_reason(void **state) {
  (void)state;
  struct machine x;
  struct weir_design d;
  machine_init(&x, NULL, NULL);
  weir_design_baseline(&d, &x.m);
  d.n_policies = 2;
  d.policy[1].ops = &old;
  refused(&d, &x.m, "policy old was made for version 0 of the policy contract; this is 4");
  d.policy[1].ops = &picky;
  refused(&d, &x.m, "policy picky works with the organisations tiles|boxes, not with conventional");
  d.policy[1] = d.policy[0];
  refused(&d, &x.m, "two replacement policies: lru and lru");
  d.policy[1].ops = &masks;
  refused(&d, &x.m, "policy masks chooses sectors; organisation conventional fetches whole lines");
  d.policy[1].ops = &gates;
  d.policy[2].ops = &gates;
  d.n_policies = 3;
  refused(&d, &x.m, "two policies that hold warps back: gates and gates");
  d.policy[1].ops = weir_policy_find("gto");
  d.policy[2].ops = weir_policy_find("lrr");
  refused(&d, &x.m, "two policies that pick warps: gto and lrr");
  d.n_policies = 0;
  refused(&d, &x.m, "organisation conventional needs a replacement policy, such as lru");
  machine_free(&x);
}

/* ---- policies that break the rules ---- */

static enum weir_answer cheat(const struct weir_policy *p, const struct weir_access *a) {
  (void)a;
  ++*(uint64_t *)p->state; /* what const and the peek functions are there to prevent */
  return WEIR_PASS;
}
static const struct weir_policy_ops cheater = {
    .part = {.abi = WEIR_POLICY_ABI, .name = "cheater", .help = "x", .state_bytes = 8},
    .route = cheat};
static int nonsense(const struct weir_policy *p, const struct weir_access *a, struct weir_set s) {
  (void)p, (void)a;
  return (int)s.ways;
}
static const struct weir_policy_ops blind = {
    .part = {.abi = WEIR_POLICY_ABI, .name = "blind", .help = "x"}, .victim = nonsense};

static void fails_with(struct fixture *f, enum weir_status code, const char *text) {
  struct weir_err err;
  assert_int_equal(weir_sim_kernel(f->g.sim, synth_source(&f->s), &f->r, &err), code);
  if (strstr(err.msg, text) == NULL) fail_msg("%s", err.msg);
}
static void fails(struct fixture *f, const char *text) {
  fails_with(f, WEIR_EBUG, text);
}

/* A miss that replaces a dirty line sends two packets at once: it would wait for ever. */
static void test_kept_stores_need_a_miss_queue(void **state) {
  (void)state;
  struct fixture f;
  open_with(&f, &recorder, "l1.miss_queue=1", "l1.local_wb=false");
  load(&f, 0x1000);
  synth_stride(&f.s, 0, 0, f.c.st, UINT32_MAX, 0x1000, 4);
  script.store = WEIR_WRITE_BACK;
  fails_with(&f, WEIR_EINVAL, "l1.miss_queue must be at least 2");
  shut(&f);
}

static void test_a_hook_that_decides_must_not_change_state(void **state) {
  (void)state;
  struct fixture f;
  open_with(&f, &cheater, SET1);
  load(&f, 0x1000);
  fails(&f, "policy cheater: the deciding hook 'route' changed the state of a policy");
  shut(&f);
}

/* ---- order ---- */

static struct weir_order two_queues(const struct weir_policy *p) {
  (void)p;
  return (struct weir_order){.queues = 2, .depth = (uint32_t)script.gate_below};
}
static uint32_t say_queue(const struct weir_policy *p, const struct weir_access *a) {
  (void)p;
  assert_int_equal(a->cycle, 0);
  call("queue ");
  return script.widen;
}
static uint32_t say_next(const struct weir_policy *p, const uint32_t *n) {
  (void)p;
  call("next ");
  return script.route == WEIR_PASS ? n[0] == 0 : 0;
}
static void told_queued(struct weir_policy *p, const struct weir_access *a, uint32_t queue) {
  (void)p, (void)a;
  call(queue == 1 ? "queued:1 " : "queued:0 ");
}
static void told_left(struct weir_policy *p, const struct weir_access *a, uint32_t queue) {
  (void)p, (void)a;
  call(queue == 1 ? "left:1 " : "left:0 ");
}
static const struct weir_policy_ops orders = {
    .part = {.abi = WEIR_POLICY_ABI, .name = "orders", .help = "x"},
    .lookup = told_lookup,
    .order = two_queues,
    .queue = say_queue,
    .next_queue = say_next,
    .queued = told_queued,
    .left_queue = told_left};
static const struct weir_policy_ops half = {
    .part = {.abi = WEIR_POLICY_ABI, .name = "half", .help = "x"}, .order = two_queues};

static void test_order(void **state) {
  (void)state;
  struct fixture f;
  script.gate_below = 4;
  open_with(&f, &orders, SET1);
  script.widen = 1;
  synth_uniform(&f.s, 0, 0, f.c.ld0, 0x1000);
  run(&f);
  CALLS("queue queued:1 next lookup:miss left:1 ");
  shut(&f);
}

static void test_order_must_name_queues(void **state) {
  (void)state;
  struct fixture f;
  script.gate_below = 4;
  open_with(&f, &orders, SET1);
  script.widen = 2;
  load(&f, 0x1000);
  fails(&f, "policy orders: 'queue' named a queue that there is not");
  shut(&f);
  script.gate_below = 4;
  open_with(&f, &orders, SET1);
  script.widen = 1;
  script.route = WEIR_CACHE; /* always queue 0 */
  load(&f, 0x1000);
  fails(&f, "policy orders: 'next_queue' named a queue that is empty or not there");
  shut(&f);
}

static void test_order_is_refused(void **state) {
  (void)state;
  struct machine x;
  struct weir_design d;
  struct weir_sim *sim;
  struct weir_err err;
  const struct weir_sim_options o = {.threads = 1};
  machine_init(&x, NULL, NULL);
  weir_design_baseline(&d, &x.m);
  d.n_policies = 2;
  d.policy[1].ops = &half;
  refused(&d, &x.m, "policy half has 'order' without 'queue' or 'next_queue'");
  d.policy[1].ops = &orders;
  script.gate_below = 0;
  assert_int_equal(weir_sim_new(&x.m, &d, &o, &sim, &err), WEIR_EINVAL);
  assert_string_equal(
      err.msg, "policy orders asks for 2 queues of 0 requests; there can be 64 of 1 to 1024");
  d.n_policies = 3;
  d.policy[2].ops = &orders;
  refused(&d, &x.m, "two policies that order requests: orders and orders");
  machine_free(&x);
}

static void test_a_victim_must_be_a_way(void **state) {
  (void)state;
  struct fixture f;
  struct weir_err err;
  struct weir_sim_options o = {.threads = 1};
  open_with(&f, &recorder, SET1);
  weir_sim_free(f.g.sim);
  f.d.n_policies = 1;
  f.d.policy[0].ops = &blind;
  assert_int_equal(weir_sim_new(&f.g.x.m, &f.d, &o, &f.g.sim, &err), WEIR_OK);
  load(&f, 0x1000);
  load(&f, 0x2000);
  fails(&f, "policy blind: 'victim' named a way that is empty, pending or outside the set");
  shut(&f);
}

static int pick_next(const struct weir_policy *p, const struct weir_sched_view *v, uint64_t ready) {
  (void)p, (void)v;
  return __builtin_ctzll(ready) + 1;
}
static int pick_none(const struct weir_policy *p, const struct weir_sched_view *v, uint64_t ready) {
  (void)p, (void)v, (void)ready;
  return WEIR_WARP_NONE;
}
static void ask_on_update(struct weir_policy *p, const struct weir_sched_view *v) {
  (void)v;
  weir_ask_prefetch(p, 0x1000, 1);
}
static const struct weir_policy_ops next = {
    .part = {.abi = WEIR_POLICY_ABI, .name = "next", .help = "x"}, .pick_warp = pick_next};
static const struct weir_policy_ops none = {
    .part = {.abi = WEIR_POLICY_ABI, .name = "none", .help = "x"}, .pick_warp = pick_none};
static const struct weir_policy_ops nags = {
    .part = {.abi = WEIR_POLICY_ABI, .name = "nags", .help = "x"}, .sched_update = ask_on_update};

static void test_a_scheduler_must_pick_what_is_ready(void **state) {
  (void)state;
  static const struct {
    const struct weir_policy_ops *o;
    const char *text;
  } wrong[] = {
      {&next, "policy next: 'pick_warp' named a warp that is not ready"},
      {&none, "SM 0 warp 0 at pc 0x0 is ready; its scheduler does not pick it"},
      {&nags, "policy nags: 'sched_update' asked for something"},
  };
  for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
    struct fixture f;
    open_with(&f, wrong[i].o, SET1);
    load(&f, 0x1000);
    fails(&f, wrong[i].text);
    shut(&f);
  }
}

/* ---- services ---- */

struct log {
  uint64_t ticks, last_tick, heard, heard_at, heard_from, heard_value, ctas, ends;
};

static void wakes(struct weir_policy *p, const struct weir_kernel *k) {
  (void)k;
  weir_ask_wake(p, 30);
}
static void ticked(struct weir_policy *p, uint64_t now) {
  struct log *l = weir_state_edit(p);
  l->ticks++;
  l->last_tick = now;
  const uint64_t v[4] = {now, 0, 0, weir_geometry(p)->sm};
  if (weir_geometry(p)->sm == 0) weir_ask_broadcast(p, v);
  weir_ask_wake(p, now + 50);
}
static void hears(struct weir_policy *p, uint32_t from, const uint64_t v[4], uint64_t cycle) {
  struct log *l = weir_state_edit(p);
  l->heard++;
  l->heard_from = from;
  l->heard_value = v[0];
  l->heard_at = cycle;
  uint64_t *st = weir_stats_edit(p);
  st[0]++;
  st[1] += cycle - v[0];
}
static void cta_comes(struct weir_policy *p, const struct weir_cta *c, uint64_t cycle) {
  (void)cycle;
  struct log *l = weir_state_edit(p);
  struct weir_sm_view v = weir_sm_view(p);
  assert_true(v.ctas_resident > 0 && c->warps != 0);
  l->ctas++;
  uint64_t *st = weir_stats_edit(p);
  st[2]++;
}
static void cta_goes(struct weir_policy *p, const struct weir_cta *c, uint64_t cycle) {
  (void)c, (void)cycle;
  uint64_t *st = weir_stats_edit(p);
  st[3]++;
}
static void kernel_ends(struct weir_policy *p, const struct weir_kernel *k, uint64_t cycle) {
  (void)k;
  struct log *l = weir_state_edit(p);
  uint64_t *st = weir_stats_edit(p);
  st[4] += l->ticks;
  st[5] += cycle;
  l->ticks = 0;
}
struct talk_stats {
  uint64_t heard, delay, ctas, ended, ticks, cycles;
};
#define T(f) WEIR_STAT(talk_stats, f, "event", "x")
static const struct weir_stat talk_table[] = {T(heard), T(delay),  T(ctas),      T(ended),
                                              T(ticks), T(cycles), WEIR_STAT_END};
static const struct weir_policy_ops talker = {.part = {.abi = WEIR_POLICY_ABI,
                                                       .name = "talker",
                                                       .help = "wakes and talks",
                                                       .state_bytes = sizeof(struct log),
                                                       .stats = talk_table,
                                                       .stats_bytes = sizeof(struct talk_stats),
                                                       .kernel_begin = wakes,
                                                       .kernel_end = kernel_ends,
                                                       .cta_begin = cta_comes,
                                                       .cta_end = cta_goes,
                                                       .tick = ticked,
                                                       .broadcast_received = hears}};

/* Work on SM 0 only, of four: the others sleep, tick and hear all the same; and what happens after
 * the kernel's end does not happen, in whatever windows time is cut. */
static void test_wakeups_and_broadcasts(void **state) {
  (void)state;
  const struct weir_sim_options ways[] = {{.threads = 1},
                                          {.threads = 1, .literal = true},
                                          {.threads = 1, .window = 1},
                                          {.threads = 1, .window = 2},
                                          {.threads = 3}};
  struct talk_stats want = {0};
  for (size_t i = 0; i < sizeof ways / sizeof *ways; i++) {
    struct fixture f;
    struct weir_err err;
    open_with(&f, &talker, "sm.count=4", "sm.broadcast_latency=37");
    weir_sim_free(f.g.sim);
    assert_int_equal(weir_sim_new(&f.g.x.m, &f.d, &ways[i], &f.g.sim, &err), WEIR_OK);
    for (unsigned k = 0; k < 5; k++)
      load(&f, 0x1000 + 128 * k);
    struct talk_stats got = {0};
    for (unsigned k = 0; k < 3; k++) {
      uint64_t end = run(&f) + 1, ticks = (end - 1 - 30) / 50 + 1;
      const struct talk_stats *t = (const struct talk_stats *)f.r.part[2];
      assert_int_equal(t->ticks, 4 * ticks);
      assert_int_equal(t->heard, 3 * ticks); /* three SMs hear SM 0; the last one at the end */
      assert_int_equal(t->ctas, 1);
      assert_int_equal(t->ended, 1);
      assert_int_equal(t->cycles, 4 * end);
      weir_stat_sum(talk_table, &got, t);
    }
    if (i == 0) want = got;
    assert_memory_equal(&want, &got, sizeof want);
    assert_string_equal(weir_sim_part(f.g.sim, 2)->name, "talker");
    assert_null(weir_sim_part(f.g.sim, 3));
    shut(&f);
  }
}

static void asks(struct weir_policy *p, const struct weir_access *a, struct weir_set set, int way,
                 enum weir_outcome o) {
  (void)way;
  if (o == WEIR_MISS && a->op == WEIR_LOAD) assert_true(weir_ask_prefetch(p, a->addr + 128, 0xf));
  if (o == WEIR_HIT) assert_true(weir_ask_invalidate(p, set.index, way));
}
static const struct weir_policy_ops asker = {
    .part = {.abi = WEIR_POLICY_ABI, .name = "asker", .help = "x"}, .lookup = asks};

static void test_prefetch_and_invalidate(void **state) {
  (void)state;
  struct fixture f;
  open_with(&f, &asker, "l1.sets=4", "l1.ways=2");
  load(&f, 0x1000); /* a miss: 0x1080 is fetched too */
  for (unsigned i = 0; i < 20; i++)
    synth_put(&f.s, 0, 0, f.c.add); /* until it is there */
  load(&f, 0x1080);                 /* a hit: invalidated after it */
  load(&f, 0x1080);                 /* so it misses; 0x1100 comes along */
  run(&f);
  assert_int_equal(f.r.l1.hits, 1);
  assert_int_equal(f.r.l1.misses, 2);
  assert_int_equal(f.r.l1.prefetches, 2);
  assert_int_equal(f.r.l1.evictions[WEIR_BY_COLLATERAL], 1);
  shut(&f);
  open_with(&f, &asker, "l1.mshr_entries=1", NULL);
  load(&f, 0x1000); /* no second MSHR: the prefetch is dropped */
  run(&f);
  assert_int_equal(f.r.l1.prefetches, 0);
  assert_int_equal(f.r.l1.prefetches_dropped, 1);
  shut(&f);
}

static void test_gate(void **state) {
  (void)state;
  struct fixture f;
  open_with(&f, &gates, SET1);
  for (uint32_t w = 0; w < 2; w++) {
    synth_stride(&f.s, 0, w, f.c.ld0, UINT32_MAX, 0x1000 * (w + 1), 4);
    synth_put(&f.s, 0, w, f.c.use0);
  }
  run(&f);
  assert_int_equal(f.r.sm.slot[WEIR_SLOT_GATE], 0);
  script.gate_below = 1; /* warp 1 may never load: the run cannot end */
  struct weir_err err;
  assert_int_equal(weir_sim_kernel(f.g.sim, synth_source(&f.s), &f.r, &err), WEIR_EBUG);
  assert_non_null(strstr(err.msg, "a policy holds it back"));
  shut(&f);
}

static bool hold_others(const struct weir_policy *p, uint32_t warp, enum weir_op op) {
  (void)p;
  return op != WEIR_OTHER || (int64_t)warp < script.gate_below;
}
static const struct weir_policy_ops holds_all = {
    .part = {.abi = WEIR_POLICY_ABI, .name = "holds", .help = "x"}, .gate = hold_others};

/* A gate is asked about every instruction, not only about memory. */
static void test_gate_of_arithmetic(void **state) {
  (void)state;
  struct fixture f;
  struct weir_err err;
  open_with(&f, &holds_all, SET1);
  synth_put(&f.s, 0, 0, f.c.add);
  synth_stride(&f.s, 0, 1, f.c.ld0, UINT32_MAX, 0x1000, 4);
  synth_put(&f.s, 0, 1, f.c.use0);
  script.gate_below = 1;
  assert_int_equal(weir_sim_kernel(f.g.sim, synth_source(&f.s), &f.r, &err), WEIR_EBUG);
  assert_non_null(strstr(err.msg, "a policy holds it back"));
  shut(&f);
}

static void told_warp(struct weir_policy *p, uint32_t slot, enum weir_warp_event e,
                      uint64_t cycle) {
  (void)p, (void)cycle;
  char text[32];
  snprintf(text, sizeof text, "%c%u ", "wre"[e], slot);
  call(text);
}
static void told_cta(struct weir_policy *p, const struct weir_cta *c, uint64_t cycle) {
  (void)p, (void)c, (void)cycle;
  call("begin ");
}
static void told_kernel(struct weir_policy *p, const struct weir_kernel *k) {
  (void)p;
  call(k->is_flushed ? "flushed " : "kept ");
}
static const struct weir_policy_ops listener = {.part = {.abi = WEIR_POLICY_ABI,
                                                         .name = "listener",
                                                         .help = "x",
                                                         .kernel_begin = told_kernel,
                                                         .cta_begin = told_cta,
                                                         .warp = told_warp}};

/* Warp 0 waits for warp 1 and goes on with it (GTO: after it); warp 2 has nothing to do and ends as
 * it comes. */
static void test_warps(void **state) {
  (void)state;
  struct fixture f;
  open_with(&f, &listener, "l1.flush_on_kernel=false", NULL);
  synth_free(&f.s);
  synth_init(&f.s, 1, 3);
  f.c = rig_code(&f.s, WEIR_SP_GLOBAL);
  synth_put(&f.s, 0, 0, f.c.bar);
  synth_put(&f.s, 0, 0, f.c.add);
  synth_stride(&f.s, 0, 1, f.c.ld0, UINT32_MAX, 0x1000, 4);
  synth_put(&f.s, 0, 1, f.c.use0);
  synth_put(&f.s, 0, 1, f.c.bar);
  synth_put(&f.s, 0, 1, f.c.add);
  run(&f);
  CALLS("kept begin e2 w0 w1 r0 r1 e1 e0 ");
  shut(&f);
  open_with(&f, &listener, NULL, NULL);
  synth_put(&f.s, 0, 0, f.c.bar); /* the last that is left ends: nobody waits */
  run(&f);
  CALLS("flushed begin e1 e0 ");
  shut(&f);
}

static void test_fetch_mask(void **state) {
  (void)state;
  struct fixture f;
  open_with(&f, &masks, "l1.sectored=true", "l1.sets=4");
  script.widen = 6;
  synth_uniform(&f.s, 0, 0, f.c.ld0, 0x1000);
  synth_put(&f.s, 0, 0, f.c.use0);
  synth_uniform(&f.s, 0, 0, f.c.ld0, 0x1020);
  run(&f);
  assert_int_equal(f.r.l1.fill_sectors, 3);
  assert_int_equal(f.r.l1.sectors_missed, 1); /* of those that were asked for */
  assert_int_equal(f.r.l1.hits, 1);
  shut(&f);
}

static uint32_t one(const struct weir_policy *p, const struct weir_kernel *k) {
  (void)p;
  return k->ctas_per_sm > 1 ? 1 : k->ctas_per_sm;
}
static const struct weir_policy_ops limit = {
    .part = {.abi = WEIR_POLICY_ABI, .name = "limit", .help = "x"}, .max_ctas = one};

static void test_max_ctas(void **state) {
  (void)state;
  struct fixture f;
  open_with(&f, &limit, SET1);
  load(&f, 0x1000);
  run(&f);
  assert_int_equal(f.r.blocks_per_sm, 1);
  assert_string_equal(f.r.limited_by, "policy");
  shut(&f);
}

static void test_pick(void **state) {
  (void)state;
  struct weir_geometry g = {.seed = 7, .sm = 3};
  uint64_t accepted = 0;
  struct weir_policy p = {.geometry = &g, .accepted = &accepted};
  unsigned count[5] = {0};
  for (; accepted < 5000; accepted++) {
    uint32_t v = weir_pick(&p, 5, 0);
    assert_int_equal(v, weir_pick(&p, 5, 0));
    assert_true(v < 5);
    count[v]++;
  }
  for (unsigned i = 0; i < 5; i++)
    assert_in_range(count[i], 900, 1100);
  assert_int_equal(weir_pick(&p, 1, 0), 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_order_of_a_miss_and_a_hit),
      cmocka_unit_test(test_route_leaves_tags_alone),
      cmocka_unit_test(test_admit_bypasses_after_the_probe),
      cmocka_unit_test(test_joins_are_not_asked),
      cmocka_unit_test(test_blocked_may_bypass),
      cmocka_unit_test(test_blocked_waits_without_a_trace),
      cmocka_unit_test(test_stores),
      cmocka_unit_test(test_kept_stores_need_a_miss_queue),
      cmocka_unit_test(test_the_first_answer_wins_and_all_are_told),
      cmocka_unit_test(test_combinations_are_refused_with_a_reason),
      cmocka_unit_test(test_a_hook_that_decides_must_not_change_state),
      cmocka_unit_test(test_a_victim_must_be_a_way),
      cmocka_unit_test(test_a_scheduler_must_pick_what_is_ready),
      cmocka_unit_test(test_order),
      cmocka_unit_test(test_order_must_name_queues),
      cmocka_unit_test(test_order_is_refused),
      cmocka_unit_test(test_wakeups_and_broadcasts),
      cmocka_unit_test(test_prefetch_and_invalidate),
      cmocka_unit_test(test_gate),
      cmocka_unit_test(test_gate_of_arithmetic),
      cmocka_unit_test(test_warps),
      cmocka_unit_test(test_fetch_mask),
      cmocka_unit_test(test_max_ctas),
      cmocka_unit_test(test_pick),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
