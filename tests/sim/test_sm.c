/* Schedulers, barriers and shared memory, at the exact cycle. */
#include "rig.h"

#include <stdio.h>

/* ---- which warp issues in each cycle: an SM alone, called by hand ---- */

enum { STEPS = 64, NONE = 99 };

static void issue_order(struct synth *s, const char *scheduler, uint8_t order[STEPS]) {
  char policy[64];
  const char *set[sizeof rig_set / sizeof *rig_set + 4];
  size_t n = sizeof rig_set / sizeof *rig_set;
  struct machine x;
  struct weir_sm sm;
  struct weir_err err;
  struct weir_block_stream *b;
  struct weir_block_source *src = synth_source(s);
  memcpy(set, rig_set, sizeof rig_set);
  snprintf(policy, sizeof policy, "sm.scheduler=%s", scheduler);
  set[n++] = policy;
  set[n++] = "sm.active_warps=2";
  set[n++] = "sm.shared_latency=10";
  set[n] = NULL;
  machine_init(&x, NULL, set);
  assert_int_equal(weir_sm_init(&sm, &x.m, NULL, 0, &err), WEIR_OK);
  assert_true(weir_sm_kernel(&sm, &s->info, NULL, 0, 1, 0));
  assert_int_equal(src->next(src, &b, &err), WEIR_OK);
  weir_sm_place(&sm, b, 0);
  for (uint64_t t = 0; t < STEPS; t++) {
    uint64_t before = sm.stats.warp_insns;
    weir_sm_cycle(&sm, t);
    order[t] = sm.stats.warp_insns == before ? NONE : (uint8_t)sm.sched[0].view.last;
  }
  assert_int_equal(sm.n_retired, 1);
  weir_sm_abandon(&sm, src);
  weir_sm_free(&sm);
  machine_free(&x);
}

static void expect(const uint8_t *order, const char *want) {
  for (size_t i = 0; want[i] != '\0'; i++) {
    uint8_t w = want[i] == '-' ? NONE : (uint8_t)(want[i] - '0');
    if (order[i] != w) fail_msg("cycle %zu: warp %u, not %u", i, order[i], w);
  }
}

/* Three warps of three independent instructions. */
static void three_by_three(struct synth *s) {
  synth_init(s, 1, 3);
  struct code c = rig_code(s, WEIR_SP_GLOBAL);
  for (uint32_t w = 0; w < 3; w++)
    for (uint32_t i = 0; i < 3; i++)
      synth_put(s, 0, w, c.add);
}

static void test_lrr(void **state) {
  (void)state;
  uint8_t order[STEPS];
  struct synth s;
  three_by_three(&s);
  issue_order(&s, "lrr", order);
  expect(order, "120120120-");
  synth_free(&s);
}

static void test_gto(void **state) {
  (void)state;
  uint8_t order[STEPS];
  struct synth s;
  three_by_three(&s);
  issue_order(&s, "gto", order);
  expect(order, "000111222-");
  synth_free(&s);
}

/* Two warps are active; the third gets its turn when one of them has ended. */
static void test_two_level(void **state) {
  (void)state;
  uint8_t order[STEPS];
  struct synth s;
  three_by_three(&s);
  issue_order(&s, "two-level", order);
  expect(order, "101012");
  synth_free(&s);
}

/* Groups of two: the second one's turn comes when the first has ended. */
static void test_fetch_groups(void **state) {
  (void)state;
  uint8_t order[STEPS];
  struct synth s;
  three_by_three(&s);
  issue_order(&s, "fetch-groups", order);
  expect(order, "010101222-");
  synth_free(&s);
}

/* Two warps: the second instruction of the first waits for 4 cycles, those of the other never do.
 */
static void expect_stall(const char *scheduler, const char *want) {
  uint8_t order[STEPS];
  struct synth s;
  synth_init(&s, 1, 2);
  uint32_t make = synth_insn(&s, WEIR_C_INT, 0, -1), use = synth_insn(&s, WEIR_C_INT, 1, 0),
           add = synth_insn(&s, WEIR_C_INT, -1, -1);
  synth_put(&s, 0, 0, make);
  synth_put(&s, 0, 0, use);
  for (unsigned i = 0; i < 6; i++)
    synth_put(&s, 0, 1, add);
  issue_order(&s, scheduler, order);
  expect(order, want);
  synth_free(&s);
}

/* The oldest one stalls for 4 cycles, and is the first again when it is ready, in the midst of what
 * another does. */
static void test_oldest(void **state) {
  (void)state;
  expect_stall("oldest", "01110111-");
}

/* The greedy warp stalls for 4 cycles: the oldest other one runs, and goes on when the first is
 * ready again. */
static void test_gto_stall(void **state) {
  (void)state;
  expect_stall("gto", "01111110-");
}

/* A result after `int_latency`. */
static void test_dependency(void **state) {
  (void)state;
  uint8_t order[STEPS];
  struct synth s;
  synth_init(&s, 1, 1);
  uint32_t make = synth_insn(&s, WEIR_C_INT, 0, -1), use = synth_insn(&s, WEIR_C_INT, 1, 0);
  synth_put(&s, 0, 0, make);
  synth_put(&s, 0, 0, use);
  issue_order(&s, "gto", order);
  expect(order, "0---0-");
  synth_free(&s);
}

/* ---- barriers ---- */

/* Warp 0 arrives in cycle 0, warp 1 in cycle 6; both go on in the next. */
static void test_barrier(void **state) {
  (void)state;
  uint8_t order[STEPS];
  struct synth s;
  synth_init(&s, 1, 2);
  uint32_t make = synth_insn(&s, WEIR_C_INT, 0, -1), use = synth_insn(&s, WEIR_C_INT, 1, 0),
           bar = synth_insn(&s, WEIR_C_BARRIER, -1, -1), add = synth_insn(&s, WEIR_C_INT, -1, -1);
  synth_put(&s, 0, 0, bar);
  synth_put(&s, 0, 0, add);
  synth_put(&s, 0, 1, make);
  synth_put(&s, 0, 1, use);
  synth_put(&s, 0, 1, bar);
  synth_put(&s, 0, 1, add);
  issue_order(&s, "gto", order);
  expect(order, "01---1110-");
  synth_free(&s);
}

/* A warp that has ended is not waited for. */
static void test_barrier_after_exit(void **state) {
  (void)state;
  uint8_t order[STEPS];
  struct synth s;
  synth_init(&s, 1, 2);
  uint32_t bar = synth_insn(&s, WEIR_C_BARRIER, -1, -1), add = synth_insn(&s, WEIR_C_INT, -1, -1);
  synth_put(&s, 0, 0, bar);
  synth_put(&s, 0, 0, add);
  synth_put(&s, 0, 1, add);
  issue_order(&s, "gto", order);
  expect(order, "010-");
  synth_free(&s);
}

/* Kernels of up to four warps, one text each: letters are instructions of `code`. */
static void barriers(const struct weir_static *code, const char *const *warp, uint32_t n_warps,
                     const char *want) {
  uint8_t order[STEPS];
  struct synth s;
  uint32_t letter[26] = {0};
  synth_init(&s, 1, n_warps);
  uint32_t make = synth_insn(&s, WEIR_C_INT, 0, -1), use = synth_insn(&s, WEIR_C_INT, 1, 0),
           add = synth_insn(&s, WEIR_C_INT, -1, -1);
  for (unsigned i = 0; code[i].cls == WEIR_C_BARRIER; i++)
    letter[i] = synth_barrier(&s, code[i].bar_id, code[i].bar_warps, code[i].bar_arrive);
  for (uint32_t w = 0; w < n_warps; w++)
    for (const char *p = warp[w]; *p != '\0'; p++)
      synth_put(&s, 0, w, *p == 'm' ? make : *p == 'u' ? use : *p == '+' ? add : letter[*p - 'A']);
  issue_order(&s, "gto", order);
  expect(order, want);
  synth_free(&s);
}

#define BAR(id, n, arrive)                                                                         \
  { .cls = WEIR_C_BARRIER, .bar_id = id, .bar_warps = n, .bar_arrive = arrive }

/* A consumer waits for its producer and for nobody else. */
static void test_named_barrier(void **state) {
  (void)state;
  const struct weir_static code[] = {BAR(1, 2, false), BAR(1, 2, true), {0}};
  const char *const warps[] = {"A+", "muB+", "+++"};
  barriers(code, warps, 3, "012221110-");
}

/* Who arrives goes on, and counts although it has ended before the other came. */
static void test_barrier_arrive(void **state) {
  (void)state;
  const struct weir_static code[] = {BAR(1, 2, true), BAR(1, 2, false), {0}};
  const char *const warps[] = {"A++", "B+"};
  barriers(code, warps, 2, "00011-");
}

/* Two pairs, each with its own barrier; one is late. Then all meet. */
static void test_barrier_counts(void **state) {
  (void)state;
  const struct weir_static code[] = {BAR(2, 2, false), BAR(3, 2, false), BAR(0, 0, false), {0}};
  const char *const warps[] = {"A+C+", "A+C", "B+C", "muB+C"};
  barriers(code, warps, 4, "01110023---3333220-");
}

/* A ring of one element: "full" and "empty" in turn. */
static void test_barriers_alternate(void **state) {
  (void)state;
  const struct weir_static code[] = {
      BAR(1, 2, true), BAR(1, 2, false), BAR(2, 2, true), BAR(2, 2, false), {0}};
  const char *const warps[] = {"ADAD+", "BCBC+"};
  barriers(code, warps, 2, "0011100110-");
}

/* A barrier that is the last of its warp. */
static void test_barrier_at_the_end(void **state) {
  (void)state;
  const struct weir_static code[] = {BAR(1, 2, false), BAR(0, 0, false), {0}};
  const char *const counted[] = {"A", "+A+"}, *const all[] = {"B", "+B+"};
  barriers(code, counted, 2, "0111-");
  barriers(code, all, 2, "0111-");
}

/* Records that name another barrier than their instruction, that have only some lanes, or none. */
static void test_barrier_records(void **state) {
  (void)state;
  uint8_t order[STEPS];
  struct synth s;
  synth_init(&s, 1, 3);
  uint32_t bar = synth_barrier(&s, 0, 0, false), add = synth_insn(&s, WEIR_C_INT, -1, -1);
  struct weir_barrier five = {.id = 5, .warps = 2},
                      part = {.id = 5, .warps = 2, .is_partial = true};
  synth_stride(&s, 0, 0, bar, 0xffff, weir_barrier_pack(part), 0);
  synth_put(&s, 0, 0, add);
  synth_stride(&s, 0, 0, bar, 0xffff0000, weir_barrier_pack(five), 0);
  synth_put(&s, 0, 0, add);
  synth_put(&s, 0, 1, add);
  synth_uniform(&s, 0, 1, bar, weir_barrier_pack(five));
  synth_put(&s, 0, 1, add);
  synth_put(&s, 0, 2, bar);
  s.ops[s.n - 1].mask = 0;
  synth_put(&s, 0, 2, add);
  issue_order(&s, "gto", order);
  expect(order, "000111022-");
  synth_free(&s);
}

/* ---- shared memory ---- */

static void test_shared(void **state) {
  (void)state;
  static const struct {
    int64_t stride;
    unsigned passes;
  } t[] = {{4, 1}, {0, 1}, {8, 2}, {32, 8}, {128, 32}};
  for (size_t i = 0; i < sizeof t / sizeof *t; i++) {
    struct rig g;
    struct synth s;
    struct weir_sim_result r;
    rig_open(&g, "sm.shared_latency=20", NULL);
    synth_init(&s, 1, 1);
    struct code c = rig_code(&s, WEIR_SP_SHARED);
    synth_stride(&s, 0, 0, c.ld0, UINT32_MAX, 0, t[i].stride);
    synth_stride(&s, 0, 0, c.ld1, UINT32_MAX, 0, 4); /* issued when the passes are over */
    synth_put(&s, 0, 0, c.use0);
    synth_put(&s, 0, 0, c.use1);
    assert_int_equal(rig_run(&g, &s, &r), t[i].passes + 20);
    assert_int_equal(r.sm.shared_passes, t[i].passes + 1);
    synth_free(&s);
    rig_close(&g);
  }
}

/* ---- blocks ---- */

/* The next block arrives `dispatch_latency` after the end of the one before. */
static void test_dispatch(void **state) {
  (void)state;
  struct rig g;
  struct synth s;
  struct weir_sim_result r;
  rig_open(&g, "sm.blocks=1", NULL);
  synth_init(&s, 3, 1);
  uint32_t add = synth_insn(&s, WEIR_C_INT, -1, -1);
  for (uint32_t b = 0; b < 3; b++)
    synth_put(&s, b, 0, add);
  assert_int_equal(rig_run(&g, &s, &r), 2 * 10);
  assert_int_equal(r.blocks_per_sm, 1);
  assert_string_equal(r.limited_by, "sm.blocks");
  assert_int_equal(r.sm.slot[WEIR_SLOT_NO_WARP], 2 * 10 + 1 - 3);
  synth_free(&s);
  rig_close(&g);
}

/* Two blocks end in the same cycle: the SM with the lower number gets the next one. Its line is
 * still there. */
static void test_dispatch_order(void **state) {
  (void)state;
  struct rig g;
  struct synth s;
  struct weir_sim_result r;
  rig_open(&g, "sm.count=2", "sm.blocks=1", "l2.slices=2", "dram.channels=2", "l2.interleave=256",
           NULL);
  synth_init(&s, 3, 1);
  struct code c = rig_code(&s, WEIR_SP_GLOBAL);
  for (uint32_t b = 0; b < 3; b++)
    synth_stride(&s, b, 0, c.ld0, UINT32_MAX, 0x10000 + 256 * (b % 2), 4);
  rig_run(&g, &s, &r);
  assert_int_equal(r.l1.misses, 2);
  assert_int_equal(r.l1.hits, 1);
  synth_free(&s);
  rig_close(&g);
}

static void test_fit(void **state) {
  (void)state;
  static const struct {
    const char *set, *by;
    uint32_t fit;
  } t[] = {{"sm.blocks=3", "sm.blocks", 3},
           {"sm.warps=9", "sm.warps", 2},
           {"sm.threads=640", "sm.threads", 5},
           {"sm.registers=8192", "sm.registers", 4},
           {"sm.shared_bytes=8K", "sm.shared_bytes", 7},
           {"sm.warps=3", "sm.warps", 0}};
  struct weir_kernel_info k = {.block = {128, 1, 1},
                               .n_warps = 4,
                               .regs_per_thread = 15, /* 480 a warp, rounded up to 512 */
                               .static_shared = 1000, /* with the next 1025: nine units of 128 */
                               .dyn_shared = 25};
  for (size_t i = 0; i < sizeof t / sizeof *t; i++) {
    const char *const set[] = {"sm.blocks=64",
                               "sm.warps=64",
                               "sm.threads=4096",
                               "sm.registers=1048576",
                               "sm.shared_bytes=1M",
                               t[i].set,
                               NULL};
    struct machine x;
    const char *why;
    machine_init(&x, NULL, set);
    assert_int_equal(weir_sm_fit(&x.m, &k, &why), t[i].fit);
    assert_string_equal(why, t[i].by);
    machine_free(&x);
  }
}

/* An estimate gives way, a compiler's figure does not. */
static void test_fit_estimated(void **state) {
  (void)state;
  static const struct {
    uint32_t regs, n_warps, fit, got;
  } t[] = {{80, 32, 1, 64},  {65, 32, 1, 64},  {64, 32, 1, 64},  {32, 32, 2, 32},
           {255, 24, 1, 80}, {255, 32, 1, 64}, {255, 8, 1, 255}, {0, 32, 2, 0}};
  static const char *const set[] = {"sm.blocks=64",       "sm.warps=64",          "sm.threads=2048",
                                    "sm.registers=65536", "sm.register_unit=256", NULL};
  struct machine x;
  const char *why;
  machine_init(&x, NULL, set);
  for (size_t i = 0; i < sizeof t / sizeof *t; i++) {
    struct weir_kernel_info k = {.block = {32 * t[i].n_warps, 1, 1},
                                 .n_warps = t[i].n_warps,
                                 .regs_per_thread = t[i].regs,
                                 .regs_estimated = true};
    assert_int_equal(weir_sm_registers(&x.m, &k), t[i].got);
    assert_int_equal(weir_sm_fit(&x.m, &k, &why), t[i].fit);
    k.regs_estimated = false;
    assert_int_equal(weir_sm_registers(&x.m, &k), t[i].regs);
    assert_int_equal(weir_sm_fit(&x.m, &k, &why), t[i].got < t[i].regs ? 0 : t[i].fit);
  }
  machine_free(&x);
}

/* A machine that lets a thread have so many: more is taken as that, whoever counted them. */
static void test_fit_limited(void **state) {
  (void)state;
  static const struct {
    const char *limit;
    uint32_t regs, got, fit;
  } t[] = {
      {"sm.max_registers_per_thread=0", 80, 80, 1},  {"sm.max_registers_per_thread=63", 80, 63, 2},
      {"sm.max_registers_per_thread=63", 64, 63, 2}, {"sm.max_registers_per_thread=63", 63, 63, 2},
      {"sm.max_registers_per_thread=63", 20, 20, 6}, {"sm.max_registers_per_thread=63", 0, 0, 6}};
  for (size_t i = 0; i < sizeof t / sizeof *t; i++) {
    const char *const set[] = {"sm.registers=32768", "sm.threads=1536", t[i].limit, NULL};
    struct weir_kernel_info k = {.block = {256, 1, 1}, .n_warps = 8, .regs_per_thread = t[i].regs};
    struct machine x;
    const char *why;
    machine_init(&x, NULL, set);
    for (unsigned e = 0; e < 2; e++) {
      k.regs_estimated = e;
      assert_int_equal(weir_sm_registers(&x.m, &k), t[i].got);
      assert_int_equal(weir_sm_fit(&x.m, &k, &why), t[i].fit);
    }
    machine_free(&x);
  }
}

/* Parts of an L1 have 32 bits for the blocks of a grid, whose product must not wrap. */
static void test_grid(void **state) {
  (void)state;
  static const struct {
    uint32_t grid[3], n;
  } t[] = {{{7, 5, 3}, 105},
           {{65536, 65535, 1}, 4294901760},
           {{65536, 65536, 1}, UINT32_MAX}, /* 2^32, 0 in 32 bits */
           {{65537, 65535, 3}, UINT32_MAX},
           {{INT32_MAX, 65535, 65535}, UINT32_MAX}};
  for (size_t i = 0; i < sizeof t / sizeof *t; i++) {
    struct weir_kernel_info k = {.name = "k", .n_warps = 4, .n_insns = 9};
    memcpy(k.grid, t[i].grid, sizeof k.grid);
    struct weir_kernel about = weir_sm_about(&k, 3, 2);
    assert_true(about.n_ctas == t[i].n);
    assert_int_equal(about.uid, 3);
    assert_int_equal(about.ctas_per_sm, 2);
  }
  assert_true(weir_volume((const uint32_t[]){INT32_MAX, 65535, 65535}) == 9223090559730712575u);
}

/* ---- asynchronous copies ---- */

enum { ADDS = 400 };

/* One warp: the instructions named by letters, then many others, which show when it went on. l, m:
 * loads of two lines; u, v: what needs them; c, d: copies of these lines; e: ends a group; 0, 1:
 * waits until so many groups are left; a: ends a group and waits for all. */
static uint64_t copy_time(const char *code) {
  struct rig g;
  struct synth s;
  struct weir_sim_result r;
  rig_open(&g, NULL);
  synth_init(&s, 1, 1);
  struct code c = rig_code(&s, WEIR_SP_GLOBAL);
  uint32_t copy = synth_access(&s, WEIR_C_LOAD, WEIR_SP_GLOBAL, 4, -1, -1);
  uint32_t end = synth_insn(&s, WEIR_C_OTHER, -1, -1), all = synth_insn(&s, WEIR_C_OTHER, -1, -1);
  uint32_t none = synth_insn(&s, WEIR_C_OTHER, -1, -1), one = synth_insn(&s, WEIR_C_OTHER, -1, -1);
  s.insns[copy].is_copy = s.insns[end].ends_copies = s.insns[all].ends_copies = true;
  s.insns[all].waits_copies = s.insns[none].waits_copies = 1;
  s.insns[one].waits_copies = 2;
  for (; *code != '\0'; code++) {
    bool second = *code == 'm' || *code == 'd';
    uint32_t i = *code == 'u'   ? c.use0
                 : *code == 'v' ? c.use1
                 : *code == 'e' ? end
                 : *code == '0' ? none
                 : *code == '1' ? one
                 : *code == 'a' ? all
                                : c.add;
    if (*code == 'l' || *code == 'm' || *code == 'c' || *code == 'd')
      synth_stride(&s, 0, 0, *code >= 'l' ? second ? c.ld1 : c.ld0 : copy, UINT32_MAX,
                   second ? 0x20000 : 0x10000, 4);
    else
      synth_put(&s, 0, 0, i);
  }
  for (unsigned i = 0; i < ADDS; i++)
    synth_put(&s, 0, 0, c.add);
  uint64_t t = rig_run(&g, &s, &r);
  synth_free(&s);
  rig_close(&g);
  return t;
}

/* What waits for a load issues when the data are there; a wait for copies has issued before, and
 * what follows it can. */
static void test_copies(void **state) {
  (void)state;
  uint64_t waits = copy_time("l++u") - 1, runs = copy_time("l+++");
  assert_int_equal(waits, runs + DRAM_LINE - 4);
  assert_int_equal(copy_time("ce+0"), waits);
  assert_int_equal(copy_time("c++a"), waits);
  assert_int_equal(copy_time("ce+1"), runs);   /* one group may be under way */
  assert_int_equal(copy_time("c++0"), runs);   /* the group has not been ended */
  assert_int_equal(copy_time("ce+e1"), waits); /* an empty group came after it */
  /* Of two groups the older one, or both. */
  assert_int_equal(copy_time("cede1"), copy_time("l+m+u") - 1);
  assert_int_equal(copy_time("cede0"), copy_time("l+m+v") - 1);
  assert_int_equal(copy_time("cdea"), copy_time("lm+v") - 1);
  /* Eight groups later nothing is told apart any more, and nothing hangs. */
  assert_int_equal(copy_time("cceeeeeeeeee0"), copy_time("cc++++++++++a"));
}

#define T(f) cmocka_unit_test(f)
int main(void) {
  const struct CMUnitTest tests[] = {
      T(test_lrr),
      T(test_gto),
      T(test_two_level),
      T(test_fetch_groups),
      T(test_oldest),
      T(test_gto_stall),
      T(test_dependency),
      T(test_barrier),
      T(test_barrier_after_exit),
      T(test_named_barrier),
      T(test_barrier_arrive),
      T(test_barrier_counts),
      T(test_barriers_alternate),
      T(test_barrier_at_the_end),
      T(test_barrier_records),
      T(test_shared),
      T(test_dispatch),
      T(test_dispatch_order),
      T(test_fit),
      T(test_fit_estimated),
      T(test_fit_limited),
      T(test_grid),
      T(test_copies),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
