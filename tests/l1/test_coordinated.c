/* coordinated, block by block and in the engine.
 *   test_l1_coordinated SOURCE_FOLDER */
#include "l1/inspect.h"
#include "rig_pol.h"
#include "session/tags.h"

#define COUNT(a) ((unsigned)(sizeof(a) / sizeof *(a)))

static const char *folder;
static const struct weir_policy_ops *const policy = &weir_policy_coordinated;

static struct port t;
static struct part_cfg cfg;
static uint64_t start; /* of the kernel */

static const char *const machine8[] = {"sm.count=1", "sm.blocks=8",     "sm.warps=64", "l1.sets=64",
                                       "l1.ways=64", "l1.index=linear", NULL};

static bool is_dynamic;

static void defaults(void) {
  part_defaults(&policy->part, &cfg);
  is_dynamic = true;
}
static void choose(const char *name, const char *text) {
  part_set(&policy->part, &cfg, name, text);
  if (strcmp(name, "cm") == 0) is_dynamic = strcmp(text, "dynamic") == 0;
}

static const struct weir_coordinated *state_of(void) {
  return weir_state_peek(port_policy(&t));
}

static void kernel(uint32_t n_ctas, uint32_t per_sm) {
  const struct weir_kernel k = {
      .name = "k", .n_insns = 1, .n_ctas = n_ctas, .ctas_per_sm = per_sm, .warps_per_cta = 1};
  assert_true(weir_l1_kernel_begin(t.l1, &k, 0, t.now));
}

/* ---- blocks ---- */

enum { SLOTS = 8, NOBODY = -1 };
static int in_slot[SLOTS]; /* blocks by number */

static void open_with(uint32_t n_ctas, uint32_t per_sm) {
  port_open(&t, policy, &cfg, machine8);
  t.now = start = 1000;
  kernel(n_ctas, per_sm);
  for (unsigned i = 0; i < SLOTS; i++)
    in_slot[i] = NOBODY;
}

static int slot_of(int block) {
  for (int i = 0; i < SLOTS; i++)
    if (in_slot[i] == block) return i;
  fail_msg("no block %d", block);
  return NOBODY;
}

/* Warps: one for each block, in the slot of its number. */
static struct weir_cta cta_of(int slot, int block) {
  return (struct weir_cta){
      .slot = (uint32_t)slot, .uid = (uint32_t)block, .warps = UINT64_C(1) << slot};
}

static void arrive(int block) {
  int slot = slot_of(NOBODY);
  const struct weir_cta c = cta_of(slot, block);
  in_slot[slot] = block;
  weir_l1_cta_begin(t.l1, &c, t.now);
}

static void retire(int block) {
  int slot = slot_of(block);
  const struct weir_cta c = cta_of(slot, block);
  weir_l1_cta_end(t.l1, &c, t.now);
  in_slot[slot] = NOBODY;
}

static bool is_bg(int block) {
  return state_of()->bg >> slot_of(block) & 1;
}

/* Block whose life is the period; NOBODY: none. */
static int sampler(void) {
  return state_of()->sampler > 0 ? in_slot[state_of()->sampler - 1] : NOBODY;
}

/* ---- learning ---- */

/* Blocks come and go in order; a period in which the target was i ends with the i-th score. What
 * the targets were. */
static void walk(const uint64_t *score, uint32_t max, unsigned n, uint32_t *targets) {
  int next = 0;
  open_with(1000, max);
  for (uint32_t i = 0; i < max; i++)
    arrive(next++);
  for (unsigned done = 0; done < n;) {
    int oldest = next - (int)max;
    t.now += 10;
    if (oldest == sampler()) {
      targets[done++] = state_of()->target;
      t.view.l1_hits += score[state_of()->target];
      t.view.resv_stall_cycles += 1;
    }
    retire(oldest);
    arrive(next++);
  }
  assert_int_equal(STAT(periods), n);
  assert_int_equal(STAT(blocks), next);
  port_close(&t);
}

static void assert_walk(const uint64_t *score, uint32_t max, const uint32_t *want, unsigned n) {
  uint32_t got[32];
  walk(score, max, n, got);
  for (unsigned i = 0; i < n; i++)
    if (got[i] != want[i]) fail_msg("period %u: target %u, not %u", i, got[i], want[i]);
}

static void test_optimistic_walk(void **state) {
  (void)state;
  static const uint64_t scores[] = {3, 5, 9, 7, 4}, equal[] = {5, 5, 5, 5, 5},
                        high[] = {1, 2, 3, 4, 5}, low[] = {5, 4, 3, 2, 1};
  static const uint32_t want[] = {4, 3, 2, 1, 0, 1, 2, 2, 2, 2},
                        down[] = {4, 3, 2, 1, 0, 0, 0, 0}, /* of equals it stays */
      back[] = {4, 3, 2, 1, 0, 1, 2, 3, 4, 4, 4};
  defaults();
  assert_walk(scores, 4, want, COUNT(want));
  assert_walk(equal, 4, down, COUNT(down));
  assert_walk(low, 4, down, COUNT(down));
  assert_walk(high, 4, back, COUNT(back));
}

static void test_slope(void **state) {
  (void)state;
  static const uint64_t scores[] = {9, 5, 9, 7, 4}, equal[] = {5, 5, 5, 5, 5},
                        high[] = {1, 2, 3, 4, 5}, low[] = {5, 4, 3, 2, 1};
  static const uint32_t want[] = {4, 3, 2, 1, 2, 2, 2}, /* 0 is never tried */
      level[] = {4, 3, 3, 3, 3}, down[] = {4, 3, 2, 1, 0, 0, 0}, back[] = {4, 3, 4, 4, 4};
  defaults();
  choose("init", "slope");
  assert_walk(scores, 4, want, COUNT(want));
  assert_walk(equal, 4, level, COUNT(level));
  assert_walk(low, 4, down, COUNT(down));
  assert_walk(high, 4, back, COUNT(back));
}

/* Later scores replace earlier ones. */
static void test_scores_change(void **state) {
  (void)state;
  uint64_t score[] = {1, 5, 4};
  uint32_t seen[16];
  int next = 2;
  defaults();
  open_with(1000, 2);
  arrive(0);
  arrive(1);
  for (unsigned done = 0; done < 12;) {
    t.now += 10;
    if (next - 2 == sampler()) {
      if (done == 6) score[1] = 2; /* the best becomes worse than 2 was */
      seen[done++] = state_of()->target;
      t.view.l1_hits += score[state_of()->target];
      t.view.resv_stall_cycles++;
    }
    retire(next - 2);
    arrive(next++);
  }
  static const uint32_t want[] = {2, 1, 0, 1, 1, 1, 1, 2, 2, 2, 2, 2};
  assert_memory_equal(seen, want, sizeof want);
  assert_int_equal(STAT(lowered), 2);
  assert_int_equal(STAT(raised), 2);
  assert_int_equal(STAT(kept), 8);
  assert_int_equal(STAT(at_0), 1);
  assert_int_equal(STAT(at_1), 5);
  assert_int_equal(STAT(at_2), 6);
  port_close(&t);
}

/* ---- tagging: the paper's example, with targets 4, 3, 2 ---- */

struct example {
  const int *retired; /* in this order, each followed by the next block's arrival */
  unsigned n;
  const int *bg, *periods, *last_bg; /* blocks, each list ended by NOBODY */
};

static bool is_in(const int *list, int block) {
  for (; *list != NOBODY; list++)
    if (*list == block) return true;
  return false;
}

static void run_example(const struct example *e) {
  int next = 0;
  defaults();
  open_with(1000, 4);
  const int *period = e->periods;
  for (unsigned i = 0; i < 4 + e->n; i++) {
    t.now += 10;
    if (i >= 4) retire(e->retired[i - 4]);
    int before = sampler();
    arrive(next);
    assert_int_equal(is_bg(next), is_in(e->bg, next));
    if (before == NOBODY && sampler() != NOBODY) {
      assert_int_equal(sampler(), next); /* the block whose coming made it so */
      assert_int_equal(sampler(), *period++);
    }
    next++;
  }
  assert_int_equal(*period, NOBODY);
  assert_int_equal(state_of()->target, 2);
  for (int i = 0; i < SLOTS; i++)
    if (in_slot[i] != NOBODY) assert_int_equal(is_bg(in_slot[i]), is_in(e->last_bg, in_slot[i]));
  assert_int_equal(state_of()->cur, 2);
  assert_int_equal(STAT(periods), 2);
  assert_int_equal(STAT(lowered), 2);
  port_close(&t);
}

static void test_tagging(void **state) {
  (void)state;
  static const int retired[] = {0, 1, 2, 3, 4, 5, 6, 8, 9, 7, 10},
                   bg[] = {0, 1, 2, 3, 4, 5, 6, 8, 9, 10, 11, 12, NOBODY},
                   periods[] = {3, 7, 14, NOBODY}, last[] = {11, 12, NOBODY};
  run_example(&(struct example){retired, COUNT(retired), bg, periods, last});
}

static void test_tagging_in_order(void **state) {
  (void)state;
  static const int retired[] = {0, 1, 2, 3, 4, 5, 6, 7, 8},
                   bg[] = {0, 1, 2, 3, 4, 5, 6, 8, 9, 10, NOBODY}, periods[] = {3, 7, 12, NOBODY},
                   last[] = {9, 10, NOBODY};
  run_example(&(struct example){retired, COUNT(retired), bg, periods, last});
}

/* A grid that gives an SM fewer blocks than fit. */
static void test_few_blocks(void **state) {
  (void)state;
  const char *const three[] = {"sm.count=3", "sm.blocks=8", "sm.warps=64", NULL};
  static const struct {
    uint32_t n_ctas, per_sm, max[3];
  } cases[] = {{7, 4, {3, 2, 2}},
               {12, 4, {4, 4, 4}},
               {100, 4, {4, 4, 4}},
               {2, 8, {1, 1, 0}},
               {100, 16, {8, 8, 8}}};
  defaults();
  for (uint32_t sm = 0; sm < 3; sm++)
    for (size_t i = 0; i < COUNT(cases); i++) {
      port_open_at(&t, sm, policy, &cfg, three);
      kernel(cases[i].n_ctas, cases[i].per_sm);
      assert_int_equal(state_of()->max, cases[i].max[sm]);
      assert_int_equal(state_of()->target, cases[i].max[sm]);
      port_close(&t);
    }
  open_with(2, 4); /* and the second one is a period */
  arrive(0);
  assert_int_equal(sampler(), NOBODY);
  arrive(1);
  assert_int_equal(sampler(), 1);
  port_close(&t);
}

static void test_kernels_begin_anew(void **state) {
  (void)state;
  defaults();
  open_with(100, 2);
  arrive(0);
  arrive(1);
  t.now += 50;
  retire(1);
  assert_int_equal(state_of()->target, 1);
  retire(0);
  weir_l1_kernel_end(t.l1, t.now);
  assert_int_equal(STAT(last_target), 1);
  assert_int_equal(STAT(learners), 1);
  assert_int_equal(STAT(cycles), 50);
  assert_int_equal(STAT(target_cycles), 100);
  kernel(100, 3);
  assert_int_equal(state_of()->target, 3);
  assert_int_equal(state_of()->cur, 0);
  for (uint32_t i = 0; i <= 3; i++)
    assert_true(state_of()->chss[i] < 0);
  port_close(&t);
}

/* ---- scores ---- */

static void test_score(void **state) {
  (void)state;
  defaults();
  assert_true(weir_chss(200, 10, 4, 400, 100) == 125); /* 10 x 200 / (4 x 4) */
  assert_true(weir_chss(200, 10, 0, 400, 100) == 500); /* as with one cycle */
  assert_true(weir_chss(200, 0, 7, 400, 100) == 0);
  assert_true(weir_chss(200, 1, 1, 0, 0) == 200);
  assert_true(weir_chss(100, 10, 4, 400, 100) == 62.5);
}

/* Active warps: not ended, and not at a barrier. */
static void test_active_warps(void **state) {
  (void)state;
  defaults();
  open_with(100, 2);
  t.view.l1_hits = 77; /* before the period */
  t.view.resv_stall_cycles = 55;
  arrive(0);
  t.now += 100;
  arrive(1); /* the period: two warps */
  t.now += 10;
  weir_l1_warp(t.l1, 0, WEIR_WARP_WAITS, t.now);
  t.now += 20; /* one */
  weir_l1_warp(t.l1, 0, WEIR_WARP_RUNS, t.now);
  t.now += 30; /* two */
  weir_l1_warp(t.l1, 0, WEIR_WARP_ENDS, t.now);
  t.now += 40; /* one */
  t.view.l1_hits += 6;
  t.view.resv_stall_cycles += 3;
  retire(1);
  double warps = (10 * 2 + 20 + 30 * 2 + 40) / 100.0;
  assert_true(state_of()->chss[2] == 6 * 200 / (3 * warps));
  assert_int_equal(STAT(sampled_cycles), 100);
  assert_int_equal(STAT(sampled_hits), 6);
  assert_int_equal(STAT(sampled_stall), 3);
  port_close(&t);
}

/* ---- one learns, the others hear ---- */

static void test_others_hear(void **state) {
  (void)state;
  const char *const three[] = {"sm.count=3", "sm.blocks=8", "sm.warps=64", NULL};
  defaults();
  port_open_at(&t, 1, policy, &cfg, three);
  for (unsigned i = 0; i < SLOTS; i++)
    in_slot[i] = NOBODY;
  t.now = 1000;
  kernel(100, 4);
  for (int i = 0; i < 4; i++)
    arrive(i);
  assert_int_equal(sampler(), NOBODY);
  weir_l1_broadcast_received(t.l1, 2, 1, (const uint64_t[4]){0}, t.now); /* not SM 0 */
  assert_int_equal(state_of()->target, 4);
  t.now += 10;
  weir_l1_broadcast_received(t.l1, 0, 1, (const uint64_t[4]){3}, t.now);
  assert_int_equal(state_of()->target, 3);
  assert_int_equal(state_of()->cur, 4);
  retire(0);
  arrive(4);
  assert_false(is_bg(4));
  assert_int_equal(sampler(), NOBODY);
  weir_l1_broadcast_received(t.l1, 0, 1, (const uint64_t[4]){9}, t.now);
  assert_int_equal(state_of()->target, 4);
  retire(4);
  arrive(5);
  assert_true(is_bg(5));
  weir_l1_kernel_end(t.l1, t.now);
  assert_int_equal(STAT(learners), 0);
  assert_int_equal(STAT(target_cycles), 40);
  port_close(&t);

  SET(central, false);
  port_open_at(&t, 1, policy, &cfg, three);
  kernel(100, 4);
  for (unsigned i = 0; i < SLOTS; i++)
    in_slot[i] = NOBODY;
  for (int i = 0; i < 4; i++)
    arrive(i);
  assert_int_equal(sampler(), 3);
  weir_l1_broadcast_received(t.l1, 0, 1, (const uint64_t[4]){2}, t.now);
  assert_int_equal(state_of()->target, 4);
  port_close(&t);
}

/* ---- loads ---- */

static uint64_t next_line = 100;

/* A load of a new line. */
static bool is_bypassed(enum weir_tag tag, uint32_t cta, bool is_local) {
  const struct weir_access a = {.addr = 128 * next_line++,
                                .sectors = 1,
                                .cta = cta,
                                .tag = (uint8_t)tag,
                                .is_local = is_local};
  t.now += 10;
  return port_is_bypassed(&t, &a);
}

/* Block 0 in slot 0 bypasses, block 1 in slot 1 does not. */
static void open_blocks(void) {
  open_with(100, 2);
  arrive(0);
  if (!is_dynamic) return;
  arrive(1);
  t.now += 10;
  retire(1);
  arrive(2);
  assert_true(is_bg(0));
  assert_false(is_bg(2));
}

static void test_behaviour(void **state) {
  (void)state;
  for (unsigned all = 0; all < 2; all++) {
    defaults();
    SET(all_cm, all == 1);
    open_blocks();
    for (uint32_t cta = 0; cta < 2; cta++) {
      bool bg = cta == 0;
      assert_int_equal(is_bypassed(WEIR_TAG_CA, cta, false), all ? bg : false);
      assert_int_equal(is_bypassed(WEIR_TAG_CG, cta, false), all ? bg : true);
      assert_int_equal(is_bypassed(WEIR_TAG_CM, cta, false), bg);
      assert_int_equal(is_bypassed(WEIR_TAG_NONE, cta, false), all ? bg : false);
      for (unsigned tag = 0; tag < 4; tag++)
        assert_false(is_bypassed((enum weir_tag)tag, cta, true)); /* local memory */
    }
    assert_int_equal(STAT(cg_bypassed), all ? 0 : 2);
    assert_int_equal(STAT(cm_bypassed), all ? 4 : 1);
    assert_int_equal(STAT(ca_loads), all ? 0 : 2);
    assert_int_equal(STAT(cm_loads), all ? 4 : 1);
    assert_int_equal(STAT(untagged), all ? 0 : 2);
    assert_int_equal(STAT(blocks_bg), 2);
    port_close(&t);
  }
}

static void test_static_alone(void **state) {
  (void)state;
  static const char *const cms[] = {"ca", "cg"};
  for (unsigned i = 0; i < 2; i++) {
    defaults();
    choose("cm", cms[i]);
    open_blocks();
    assert_false(is_bypassed(WEIR_TAG_CA, 0, false));
    assert_true(is_bypassed(WEIR_TAG_CG, 0, false));
    assert_int_equal(is_bypassed(WEIR_TAG_CM, 0, false), i == 1);
    assert_false(is_bypassed(WEIR_TAG_NONE, 0, false));
    weir_l1_kernel_end(t.l1, t.now);
    assert_int_equal(STAT(blocks) + STAT(periods) + STAT(cycles) + STAT(learners), 0);
    port_close(&t);
  }
}

static void test_hits_by_class(void **state) {
  (void)state;
  defaults();
  open_blocks();
  for (unsigned i = 0; i < 6; i++) {
    struct weir_l1_req q = {
        .a = {.addr = 0, .sectors = 1, .cta = 1, .tag = i < 2 ? WEIR_TAG_CA : WEIR_TAG_CM}};
    t.now += 100;
    struct weir_l1_result r = weir_l1_present(t.l1, &q, 0, t.now);
    assert_int_equal(r.answer, i == 0 ? WEIR_L1_WAIT : WEIR_L1_HIT);
    if (i > 0) continue;
    struct weir_msg m = *weir_l1_peek(t.l1);
    weir_l1_pop(t.l1);
    assert_true(weir_l1_fill(t.l1, &m, t.now + 50));
    assert_int_equal(weir_l1_drain(t.l1, t.now + 51), 0);
  }
  assert_int_equal(STAT(ca_loads), 2);
  assert_int_equal(STAT(ca_hits), 1);
  assert_int_equal(STAT(cm_loads), 4);
  assert_int_equal(STAT(cm_hits), 4);
  port_close(&t);
}

/* ---- reports ---- */

static void test_storage(void **state) {
  (void)state;
  const char *const sixteen[] = {"sm.blocks=16", "sm.warps=64", NULL};
  defaults();
  open_with(100, 2);
  assert_int_equal(
      policy->part.storage_bits(weir_cfg(port_policy(&t)), weir_geometry(port_policy(&t))),
      8 * 72 + 8 + 2 * 4);
  port_close(&t);
  port_open_at(&t, 0, policy, &cfg, sixteen);
  assert_int_equal(
      policy->part.storage_bits(weir_cfg(port_policy(&t)), weir_geometry(port_policy(&t))),
      17 * 64 + 16 + 2 * 5);
  port_close(&t);
  choose("cm", "ca");
  open_with(100, 2);
  assert_int_equal(
      policy->part.storage_bits(weir_cfg(port_policy(&t)), weir_geometry(port_policy(&t))), 0);
  port_close(&t);
}

static void test_needs_tags(void **state) {
  (void)state;
  defaults();
  assert_true(policy->needs_tags(&cfg));
  choose("cm", "ca");
  assert_true(policy->needs_tags(&cfg));
  SET(all_cm, true);
  assert_false(policy->needs_tags(&cfg));
}

static void test_verify(void **state) {
  (void)state;
  defaults();
  open_with(100, 2);
  arrive(0);
  arrive(1);
  struct weir_policy *p = port_policy(&t);
  struct weir_coordinated *s = weir_state_edit(p), good = *s;
  assert_null(policy->part.verify(p));
  s->target = 3;
  assert_non_null(policy->part.verify(p));
  *s = good;
  s->cur = 1;
  assert_non_null(policy->part.verify(p));
  *s = good;
  s->bg |= 4, s->cur = 3;
  assert_non_null(policy->part.verify(p));
  *s = good;
  s->sampler = 5;
  assert_non_null(policy->part.verify(p));
  *s = good;
  STAT(raised)++;
  assert_non_null(policy->part.verify(p));
  STAT(periods)++;
  assert_non_null(policy->part.verify(p));
  STAT(at_8_up)++;
  assert_null(policy->part.verify(p));
  port_close(&t);
}

/* ---- the engine ---- */

/* A tag for every load that can have one, by chance or all the same. */
static void tag_loads(struct weir_tags *tags, const struct weir_kernel_info *k, uint64_t seed,
                      enum weir_tag all) {
  for (uint32_t i = 0; i < k->n_insns; i++) {
    if (!weir_is_global_load(&k->insns[i])) continue;
    enum weir_tag tag = all != WEIR_TAG_NONE ? all : (enum weir_tag)((seed + i * 7) % 4);
    assert_int_equal(weir_tags_put(tags, k->name, i, k->insns[i].pc, 0, tag), WEIR_OK);
  }
}

static bool same_but_parts(const struct weir_sim_result *a, const struct weir_sim_result *b) {
  return a->cycles == b->cycles && memcmp(&a->sm, &b->sm, sizeof a->sm) == 0 &&
         memcmp(&a->l1, &b->l1, sizeof a->l1) == 0 && memcmp(&a->l2, &b->l2, sizeof a->l2) == 0 &&
         memcmp(&a->l3, &b->l3, sizeof a->l3) == 0 &&
         memcmp(&a->dram, &b->dram, sizeof a->dram) == 0;
}

static void add_stats(uint64_t *sum, const struct weir_sim_result *r) {
  weir_stat_sum(policy->part.stats, sum, r->part[1]);
}

/* Random machines and kernels with random tags: the same in every way they can be cut. */
static void run_random(uint64_t cases, uint64_t *sum) {
  for (uint64_t seed = 1, done = 0; done < cases; seed++) {
    struct machine x;
    struct weir_design d;
    struct weir_sim_result want[2];
    struct synth s;
    struct weir_tags *tags;
    const char *why;
    uint32_t n_refused = 0;
    machine_random(&x, seed * 7919, &n_refused);
    synth_random(&s, seed);
    assert_int_equal(weir_tags_new(&tags), WEIR_OK);
    tag_loads(tags, &s.info, seed, WEIR_TAG_NONE);
    const struct engine_tags by = {weir_tags_match, tags};
    if (weir_sm_fit(&x.m, &s.info, &why) > 0) {
      struct synth *const kernels[2] = {&s, &s};
      design_with(&d, &x.m, policy, &cfg, done % 4 == 0);
      engine_same_tagged(&x, &d, kernels, 2, &by, want);
      add_stats(sum, &want[0]);
      add_stats(sum, &want[1]);
      done++;
    }
    weir_tags_free(tags);
    synth_free(&s);
    machine_free(&x);
  }
}

static void test_engine_exact(void **state) {
  (void)state;
  uint64_t sum[WEIR_MAX_PART_STATS] = {0};
  defaults();
  run_random(12, sum);
  assert_true(STAT_OF(sum, periods) > 0 && STAT_OF(sum, lowered) > 0 &&
              STAT_OF(sum, cg_bypassed) > 0 && STAT_OF(sum, cm_bypassed) > 0);
  SET(central, false);
  choose("init", "slope");
  run_random(20, sum);
  assert_true(STAT_OF(sum, ca_loads) > 0 && STAT_OF(sum, cm_loads) > 0 &&
              STAT_OF(sum, untagged) > 0);
}

/* A built-in workload in one way, with tags from `make` (which sees each kernel when it begins). */
struct tagged {
  struct weir_tags *tags;
  enum weir_tag all;
};

static enum weir_status make_tags(const void *self, const struct weir_kernel_info *k,
                                  const uint8_t **out, struct weir_err *err) {
  const struct tagged *g = self;
  tag_loads(g->tags, k, 3, g->all);
  return weir_tags_match(g->tags, k, out, err);
}

static void run_workload(const char *name, const struct weir_policy_ops *o, const void *c,
                         enum weir_tag all, unsigned how, struct launches *l) {
  struct machine x;
  struct weir_design d;
  struct tagged g = {.all = all};
  const struct engine_tags by = {make_tags, &g};
  assert_int_equal(weir_tags_new(&g.tags), WEIR_OK);
  engine_gpu(folder, "fermi-s4", &x);
  if (o != NULL)
    design_with(&d, &x.m, o, c, false);
  else
    weir_design_baseline(&d, &x.m);
  struct weir_sim_options w = engine_way(how, &by);
  engine_workload(folder, name, &x, &d, &w, l);
  assert_true(l->n > 0);
  weir_tags_free(g.tags);
  machine_free(&x);
}

static struct launches one, two;

static void test_workload_exact(void **state) {
  (void)state;
  uint64_t sum[WEIR_MAX_PART_STATS] = {0};
  defaults();
  for (unsigned w = 0; w < 2; w++)
    for (unsigned i = 0; i < ENGINE_WAYS_TAGGED; i++) {
      const char *name = w == 0 ? "spmv" : "gather";
      run_workload(name, policy, &cfg, WEIR_TAG_NONE, i, i == 0 ? &one : &two);
      for (uint32_t k = 0; k < one.n; k++)
        if (i > 0 && !same_result(&one.r[k], &two.r[k]))
          fail_msg("%s, launch %u: %s differs", name, k, engine_way_names[i]);
        else if (i == 0)
          add_stats(sum, &one.r[k]);
    }
  assert_true(STAT_OF(sum, periods) > 0 && STAT_OF(sum, blocks_bg) > 0 &&
              STAT_OF(sum, blocks_bg) < STAT_OF(sum, blocks));
}

/* All ca: the baseline, in every figure but its own. */
static void test_all_ca_is_the_baseline(void **state) {
  (void)state;
  static const char *const names[] = {"spmv", "gather"};
  defaults();
  for (unsigned i = 0; i < 2; i++) {
    run_workload(names[i], policy, &cfg, WEIR_TAG_CA, 0, &one);
    run_workload(names[i], NULL, NULL, WEIR_TAG_CA, 0, &two);
    for (uint32_t k = 0; k < one.n; k++) {
      assert_true(same_but_parts(&one.r[k], &two.r[k]));
      assert_int_equal(one.r[k].l1.bypassed, 0);
    }
  }
}

/* All cg, static alone: bypass-all for global memory. What the bypasses are counted as differs. */
static void test_all_cg_is_bypass_all(void **state) {
  (void)state;
  static const char *const names[] = {"spmv", "gather"};
  struct part_cfg keeps;
  part_defaults(&weir_policy_bypass_all.part, &keeps);
  part_put(&weir_policy_bypass_all.part, &keeps, "keep_local", true);
  defaults();
  choose("cm", "ca");
  for (unsigned i = 0; i < 2; i++) {
    run_workload(names[i], policy, &cfg, WEIR_TAG_CG, 0, &one);
    run_workload(names[i], &weir_policy_bypass_all, &keeps, WEIR_TAG_CG, 0, &two);
    for (uint32_t k = 0; k < one.n; k++) {
      uint64_t *a = one.r[k].l1.bypass_reason, *b = two.r[k].l1.bypass_reason;
      assert_true(a[WEIR_R_STATIC] > 0);
      assert_int_equal(a[WEIR_R_STATIC], b[WEIR_R_MODE]);
      const void *st = one.r[k].part[1];
      assert_int_equal(STAT_OF(st, cg_bypassed), one.r[k].l1.bypassed);
      b[WEIR_R_STATIC] = b[WEIR_R_MODE];
      b[WEIR_R_MODE] = 0;
      assert_true(same_but_parts(&one.r[k], &two.r[k]));
    }
  }
}

/* Dynamic with all blocks bypassing would be the same; here the first target, and no other. */
static void test_one_learner_or_all(void **state) {
  (void)state;
  uint64_t sum[2][WEIR_MAX_PART_STATS] = {{0}, {0}};
  defaults();
  SET(all_cm, true);
  for (unsigned i = 0; i < 2; i++) {
    SET(central, i == 0);
    run_workload("gather", policy, &cfg, WEIR_TAG_NONE, 0, &one);
    for (uint32_t k = 0; k < one.n; k++)
      add_stats(sum[i], &one.r[k]);
  }
  assert_int_equal(STAT_OF(sum[0], learners), one.n);
  assert_int_equal(STAT_OF(sum[1], learners), 15 * one.n);
  assert_true(STAT_OF(sum[1], periods) > 10 * STAT_OF(sum[0], periods));
  assert_true(STAT_OF(sum[0], target_cycles) <
              STAT_OF(sum[0], cycles) * 8); /* the others have heard of lower ones */
  assert_int_equal(
      STAT_OF(sum[0], ca_loads) + STAT_OF(sum[0], cg_bypassed) + STAT_OF(sum[0], untagged), 0);
}

#define T(f) cmocka_unit_test(f)
int main(int argc, char **argv) {
  if (argc != 2) return 2;
  folder = argv[1];
  const struct CMUnitTest tests[] = {T(test_optimistic_walk),
                                     T(test_slope),
                                     T(test_scores_change),
                                     T(test_tagging),
                                     T(test_tagging_in_order),
                                     T(test_few_blocks),
                                     T(test_kernels_begin_anew),
                                     T(test_score),
                                     T(test_active_warps),
                                     T(test_others_hear),
                                     T(test_behaviour),
                                     T(test_static_alone),
                                     T(test_hits_by_class),
                                     T(test_storage),
                                     T(test_needs_tags),
                                     T(test_verify),
                                     T(test_engine_exact),
                                     T(test_workload_exact),
                                     T(test_all_ca_is_the_baseline),
                                     T(test_all_cg_is_bypass_all),
                                     T(test_one_learner_or_all)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
