/* Schedulers: which warp each of them picks, that the engine asks them at the right times, and what
 * an SM says about its slots.
 *   test_l1_schedulers SOURCE_FOLDER */
#include "rig_pol.h"

static const char *folder;

static const struct weir_policy_ops *const schedulers[] = {&weir_policy_lrr,
                                                           &weir_policy_gto,
                                                           &weir_policy_gty,
                                                           &weir_policy_oldest,
                                                           &weir_policy_two_level_active,
                                                           &weir_policy_fetch_groups};
/* What sm.scheduler calls them. */
static const enum weir_scheduler own[] = {WEIR_LRR,    WEIR_GTO,       WEIR_GTY,
                                          WEIR_OLDEST, WEIR_TWO_LEVEL, WEIR_FETCH_GROUPS};
enum { N_SCHEDULERS = sizeof schedulers / sizeof *schedulers };

/* ---- by hand: a scheduler and what it sees ---- */

static struct port t;
static struct weir_sched_view v;
static const uint32_t age[WEIR_MAX_WARPS] = {5, 2, 9, 1, 7, 8};

/* `n`: its parameter, if it has one. */
static void open_one(const struct weir_policy_ops *o, int64_t n, const char *set) {
  static int64_t cfg;
  const char *const sets[] = {set, NULL};
  cfg = n;
  port_open(&t, o, &cfg, sets);
  port_kernel(&t, 0);
  v = (struct weir_sched_view){.warps = 0x3f, .age = age};
}

static int pick(uint64_t ready) {
  weir_l1_sched_update(t.l1, &v, t.now);
  uint64_t before = weir_l1_parts_hash(t.l1);
  weir_l1_sched_update(t.l1, &v, t.now);
  int w = weir_l1_pick_warp(t.l1, &v, ready);
  assert_int_equal(weir_l1_parts_hash(t.l1), before);
  if (w < 0) return -1;
  v.last = (uint32_t)w;
  weir_l1_issued(t.l1, v.scheduler, (uint32_t)w, t.now);
  return w;
}

/* Picked one after the other, a digit each; '-': none. */
static void expect(uint64_t ready, const char *want) {
  for (const char *p = want; *p != '\0'; p++)
    assert_int_equal(pick(ready), *p == '-' ? -1 : *p - '0');
}

static void test_lrr(void **state) {
  (void)state;
  open_one(&weir_policy_lrr, 0, NULL);
  expect(0x3f, "1234501");
  expect(0x15, "2402");
  expect(0x04, "22");
  v.last = 63;
  expect(0x3f, "01");
  port_close(&t);
}

static void test_gto(void **state) {
  (void)state;
  open_one(&weir_policy_gto, 0, NULL);
  expect(0x3f, "00");
  expect(0x3e, "33"); /* the oldest, and then it is the greedy one */
  expect(0x3f, "3");
  expect(0x37, "11");
  expect(0x34, "44"); /* of ages 9, 7 and 8 */
  port_close(&t);
}

static void test_gty(void **state) {
  (void)state;
  open_one(&weir_policy_gty, 0, NULL);
  expect(0x3f, "00");
  expect(0x3e, "22"); /* the youngest, of age 9 */
  expect(0x3f, "2");
  expect(0x3b, "55");
  expect(0x0b, "00"); /* of ages 5, 2 and 1 */
  port_close(&t);
}

static void test_oldest(void **state) {
  (void)state;
  open_one(&weir_policy_oldest, 0, NULL);
  expect(0x3f, "33");
  expect(0x37, "1");
  expect(0x3f, "3");
  expect(0x35, "00");
  expect(0x34, "4");
  port_close(&t);
}

static void test_two_level_active(void **state) {
  (void)state;
  open_one(&weir_policy_two_level_active, 2, NULL);
  expect(0x3f, "1313"); /* the two oldest, in turn */
  expect(0x35, "--");   /* others are ready, and have no place */
  v.waits_memory = 0x02;
  expect(0x3d, "0303"); /* 1 leaves its place to 0 */
  v.waits_memory = 0;
  expect(0x3f, "03"); /* and does not get it back while that one needs it */
  v.held = 0x08;
  expect(0x37, "0101"); /* one that a gate holds back has no place either */
  v.held = 0;
  v.warps = 0x34;
  expect(0x34, "4545");
  v.warps = 0;
  expect(0x00, "-");
  v.warps = 0x01;
  expect(0x01, "00");
  port_kernel(&t, 0);
  v.warps = 0x3f;
  expect(0x3f, "1313"); /* nobody is active when a kernel begins */
  port_close(&t);
}

static uint64_t switches(void) {
  return *(const uint64_t *)port_policy(&t)->stats;
}

static void test_fetch_groups(void **state) {
  (void)state;
  open_one(&weir_policy_fetch_groups, 2, "sm.schedulers=1");
  expect(0x3f, "010"); /* 0 and 1 are a group */
  expect(0x3c, "--");  /* neither is ready, but they do not wait for memory */
  v.waits_memory = 0x01;
  expect(0x3e, "111");
  assert_int_equal(switches(), 0);
  v.waits_memory = 0x03;
  expect(0x3c, "232");
  assert_int_equal(switches(), 1);
  v.waits_memory = 0;
  expect(0x3f, "323"); /* the first group has its data, and must wait for its turn */
  v.waits_memory = 0x0c;
  expect(0x33, "454");
  v.warps = 0x0f; /* those have ended */
  v.waits_memory = 0x08;
  expect(0x07, "0101"); /* after the last group comes the first; its turn goes on after 1 */
  v.waits_memory = 0x01;
  v.held = 0x02;
  expect(0x06, "22"); /* one waits, one is held back; 3 was the last of the second group */
  assert_int_equal(switches(), 4);
  v.waits_memory = 0x0f;
  expect(0, "-"); /* nobody to go to */
  assert_int_equal(switches(), 4);
  port_close(&t);
}

/* Slots of two schedulers: each has groups, and an active one, of its own. */
static void test_fetch_groups_of_two(void **state) {
  (void)state;
  open_one(&weir_policy_fetch_groups, 1, "sm.schedulers=2");
  v.warps = 0x15;
  expect(0x15, "00");
  v.waits_memory = 0x01;
  expect(0x14, "22");
  v.scheduler = 1;
  v.warps = 0x2a;
  v.waits_memory = 0;
  expect(0x2a, "11");
  v.scheduler = 0;
  v.warps = 0x15;
  expect(0x15, "22");
  port_close(&t);
}

/* ---- with the engine ---- */

/* Tells what it sees; static, for one SM on one thread. */
static struct {
  uint8_t warp[4096];
  unsigned n;
  uint64_t schedulers;
} seen;
static void see_issued(struct weir_policy *p, uint32_t scheduler, uint32_t warp, uint64_t cycle) {
  const struct weir_sm_view s = weir_sm_view(p);
  assert_int_equal(warp % weir_geometry(p)->schedulers, scheduler);
  assert_true(seen.n < sizeof seen.warp);
  seen.warp[seen.n++] = (uint8_t)warp;
  /* Those of cycles before this one. */
  assert_int_equal(s.issue_slots, cycle * weir_geometry(p)->schedulers);
  assert_true(s.idle_slots + s.memory_slots + s.insns_issued <= s.issue_slots + seen.schedulers);
}
static const struct weir_policy_ops sees = {
    .part = {.abi = WEIR_POLICY_ABI, .name = "sees", .help = "x"}, .issued = see_issued};

/* The baseline with a scheduler (or none) and another policy, or none. `n`: the scheduler's
 * parameter. */
static void design_of(struct weir_design *d, const struct weir_machine *m,
                      const struct weir_policy_ops *scheduler, int64_t n,
                      const struct weir_policy_ops *other, const void *cfg) {
  static int64_t of[4];
  static unsigned next;
  weir_design_baseline(d, m);
  d->policy[0].cfg = NULL;
  if (scheduler != NULL) {
    of[++next % 4] = n;
    d->policy[d->n_policies].cfg = &of[next % 4];
    d->policy[d->n_policies++].ops = scheduler;
  }
  if (other == NULL) return;
  d->policy[d->n_policies].cfg = cfg;
  d->policy[d->n_policies++].ops = other;
}

/* Eight warps: six additions, a load from memory of its own line, six additions that need it. Where
 * in the sequence of all instructions each warp issues its load. */
enum { WARPS = 8, ADDS = 6 };
static void loads_at(const struct weir_policy_ops *scheduler, unsigned at[WARPS],
                     struct weir_sim_result *r) {
  struct machine x;
  struct weir_design d;
  struct synth s;
  struct synth *const kernels[1] = {&s};
  unsigned n[WARPS] = {0};
  const struct weir_sim_options o = {.threads = 1, .check = true};
  machine_init(&x, NULL, rig_and(NULL, NULL, NULL, NULL));
  design_of(&d, &x.m, scheduler, 4, &sees, NULL);
  synth_init(&s, 1, WARPS);
  struct code c = rig_code(&s, WEIR_SP_GLOBAL);
  for (uint32_t w = 0; w < WARPS; w++) {
    for (unsigned i = 0; i < ADDS; i++)
      synth_put(&s, 0, w, c.add);
    synth_stride(&s, 0, w, c.ld0, UINT32_MAX, 0x10000 + 128 * w, 4);
    for (unsigned i = 0; i < ADDS; i++)
      synth_put(&s, 0, w, c.use0);
  }
  seen.n = 0;
  seen.schedulers = 1;
  engine_kernels(&x, &d, kernels, 1, &o, r);
  for (unsigned i = 0; i < seen.n; i++)
    if (n[seen.warp[i]]++ == ADDS) at[seen.warp[i]] = i;
  assert_int_equal(seen.n, WARPS * (2 * ADDS + 1));
  synth_free(&s);
  machine_free(&x);
}

/* By turns all warps come to their loads together, and then all wait. With groups of four the first
 * four have loaded when the others have not yet added anything: these compute while those wait. */
static void test_groups_load_apart(void **state) {
  (void)state;
  struct weir_sim_result lrr, groups;
  unsigned at[WARPS];
  loads_at(&weir_policy_lrr, at, &lrr);
  for (unsigned w = 0; w < WARPS; w++) /* the turn begins with warp 1 */
    assert_int_equal(at[w], WARPS * ADDS + (w + WARPS - 1) % WARPS);
  loads_at(&weir_policy_fetch_groups, at, &groups);
  for (unsigned w = 0; w < WARPS; w++)
    assert_int_equal(at[w], w < 4 ? 4 * ADDS + w : 4 * (ADDS + 1) + 4 * ADDS + w - 4);
  /* At least to the second group and back. */
  assert_true(groups.part[2][0] >= 2);
  /* The slots in which everybody waits for memory are fewer: 4 * ADDS additions fill some. */
  assert_true(groups.sm.slot[WEIR_SLOT_LOAD] + 4 * ADDS <= lrr.sm.slot[WEIR_SLOT_LOAD] + ADDS);
}

static bool next_machine(struct machine *x, struct synth *s, uint64_t seed) {
  const char *why;
  uint32_t n_refused = 0;
  machine_random(x, seed * 7919, &n_refused);
  synth_random(s, seed);
  if (weir_sm_fit(&x->m, &s->info, &why) > 0) return true;
  synth_free(s);
  machine_free(x);
  return false;
}

/* A scheduler is the same, whether the machine has it or a scheme names it. */
static void test_own_is_the_part(void **state) {
  (void)state;
  for (uint64_t seed = 1, done = 0; done < 10; seed++) {
    struct machine x;
    struct synth s;
    struct synth *const kernels[2] = {&s, &s};
    struct weir_design with, without;
    struct weir_sim_result a[2], b[2];
    if (!next_machine(&x, &s, seed)) continue;
    unsigned k = (unsigned)(done++ % N_SCHEDULERS);
    design_of(&with, &x.m, schedulers[k], x.m.sm.active_warps, NULL, NULL);
    design_of(&without, &x.m, NULL, 0, NULL, NULL);
    x.m.sm.scheduler = own[(k + 1) % N_SCHEDULERS];
    engine_kernels(&x, &with, kernels, 2, &engine_ways[0], a);
    x.m.sm.scheduler = own[k];
    engine_kernels(&x, &without, kernels, 2, &engine_ways[0], b);
    for (unsigned i = 0; i < 2; i++) {
      assert_int_equal(a[i].cycles, b[i].cycles);
      assert_memory_equal(&a[i].sm, &b[i].sm, sizeof a[i].sm);
      assert_memory_equal(&a[i].l1, &b[i].l1, sizeof a[i].l1);
    }
    synth_free(&s);
    machine_free(&x);
  }
}

/* Only even or odd slots, by turns, and none of them while it waits for a second one: what it picks
 * changes by a clock of its own, and by what is ready. */
struct moods {
  uint64_t turn;
};
static void moods_begin(struct weir_policy *p, const struct weir_kernel *k) {
  (void)k;
  ((struct moods *)weir_state_edit(p))->turn = 0;
  weir_ask_wake(p, 13);
}
static void moods_tick(struct weir_policy *p, uint64_t now) {
  ((struct moods *)weir_state_edit(p))->turn++;
  weir_ask_wake(p, now + 13);
}
static int moods_pick(const struct weir_policy *p, const struct weir_sched_view *s,
                      uint64_t ready) {
  const struct moods *m = weir_state_peek(p);
  uint64_t able = s->warps & ~s->waits_memory;
  uint64_t mine = UINT64_C(0x3333333333333333) << 2 * (m->turn & 1);
  if (m->turn % 3 == 2) return WEIR_WARP_PASS;
  if (__builtin_popcountll(able) > 1 && __builtin_popcountll(ready) == 1) return WEIR_WARP_NONE;
  return (ready & mine) != 0 ? __builtin_ctzll(ready & mine) : WEIR_WARP_NONE;
}
static const struct weir_policy_ops moods = {.part = {.abi = WEIR_POLICY_ABI,
                                                      .name = "moods",
                                                      .help = "x",
                                                      .state_bytes = sizeof(struct moods),
                                                      .kernel_begin = moods_begin,
                                                      .tick = moods_tick},
                                             .pick_warp = moods_pick};

/* Random machines and kernels: literally and event-driven, in other windows, on two threads. The
 * scheduler is a part of the scheme or the machine's, alone or with a policy that holds warps back:
 * with each of them everybody gets to the end. */
static void exact(const struct weir_policy_ops *scheduler, enum weir_scheduler is, uint64_t first,
                  uint64_t cases) {
  for (uint64_t seed = first, done = 0; done < cases; seed++) {
    struct machine x;
    struct synth s;
    struct synth *const kernels[2] = {&s, &s};
    struct weir_design d;
    struct weir_sim_result r[2];
    struct part_cfg cfg;
    if (!next_machine(&x, &s, seed)) continue;
    x.m.sm.scheduler = is;
    x.m.sm.active_warps = 1 + (int64_t)(seed % 4);
    const struct weir_policy_ops *const gates[] = {NULL, &weir_policy_swl, &weir_policy_ccws};
    const struct weir_policy_ops *gate = gates[done % 3];
    if (gate != NULL) part_defaults(&gate->part, &cfg);
    if (gate == &weir_policy_swl) part_set(&gate->part, &cfg, "warps", "2");
    design_of(&d, &x.m, scheduler, x.m.sm.active_warps, gate, &cfg);
    d.paranoid = done % 4 == 0;
    engine_same(&x, &d, kernels, 2, r);
    done++;
    synth_free(&s);
    machine_free(&x);
  }
}

static void test_exact(void **state) {
  (void)state;
  for (unsigned i = 0; i < N_SCHEDULERS; i++) {
    exact(schedulers[i], WEIR_LRR, 100 + 50 * i, 6);
    exact(NULL, own[i], 400 + 50 * i, 6);
  }
  exact(&moods, WEIR_TWO_LEVEL, 700, 9);
}

static void test_exact_workload(void **state) {
  (void)state;
  struct weir_sim_result r;
  int64_t cfg = 3;
  uint64_t sum = 0;
  engine_exact(folder, "reduction", &weir_policy_fetch_groups, &cfg, &sum, &r);
  assert_true(sum > 0);
  engine_exact(folder, "gather", &weir_policy_two_level_active, &cfg, NULL, &r);
}

/* ---- what an SM says about its slots ---- */

static struct weir_sm_view at_end;
static void look(struct weir_policy *p, const struct weir_kernel *k, uint64_t cycle) {
  (void)k, (void)cycle;
  at_end = weir_sm_view(p);
}
static const struct weir_policy_ops looks = {
    .part = {.abi = WEIR_POLICY_ABI, .name = "looks", .help = "x", .kernel_end = look}};

/* After two kernels, in every way, the sums of the statistics. */
static void test_slots(void **state) {
  (void)state;
  struct machine x;
  struct synth s;
  struct weir_design d;
  struct weir_sim_result r[2];
  struct synth *const kernels[2] = {&s, &s};
  machine_init(&x, NULL, rig_and("sm.schedulers=2", "sm.ldst_queue=1", "sm.blocks=1", NULL));
  design_of(&d, &x.m, NULL, 0, &looks, NULL);
  synth_init(&s, 2, 4);
  struct code c = rig_code(&s, WEIR_SP_GLOBAL);
  for (uint32_t b = 0; b < 2; b++)
    for (uint32_t w = 0; w < 4; w++) {
      synth_stride(&s, b, w, c.ld0, UINT32_MAX, 0x10000 + 0x1000 * (4 * b + w), 128);
      synth_stride(&s, b, w, c.ld1, UINT32_MAX, 0x80000 + 0x1000 * (4 * b + w), 4);
      synth_put(&s, b, w, c.use1);
    }
  for (unsigned i = 0; i < ENGINE_WAYS; i++) {
    engine_kernels(&x, &d, kernels, 2, &engine_ways[i], r);
    uint64_t load = 0, ldst = 0, idle = 0;
    for (unsigned k = 0; k < 2; k++) {
      load += r[k].sm.slot[WEIR_SLOT_LOAD];
      idle += r[k].sm.slot[WEIR_SLOT_NO_WARP];
      for (unsigned n = WEIR_SLOT_LDST; n < WEIR_N_ISSUE_SLOTS; n++)
        ldst += r[k].sm.slot[n];
    }
    assert_true(load > 0 && ldst > 0 && idle > 0);
    assert_int_equal(at_end.issue_slots, 2 * (r[0].cycles + r[1].cycles));
    assert_int_equal(at_end.memory_slots, load + ldst);
    assert_int_equal(at_end.idle_slots, idle);
  }
  synth_free(&s);
  machine_free(&x);
}

int main(int argc, char **argv) {
  if (argc != 2) return 2;
  folder = argv[1];
#define T(f) cmocka_unit_test(f)
  const struct CMUnitTest tests[] = {T(test_lrr),
                                     T(test_gto),
                                     T(test_gty),
                                     T(test_oldest),
                                     T(test_two_level_active),
                                     T(test_fetch_groups),
                                     T(test_fetch_groups_of_two),
                                     T(test_groups_load_apart),
                                     T(test_own_is_the_part),
                                     T(test_exact),
                                     T(test_exact_workload),
                                     T(test_slots)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
