/* What a warp's path costs besides its instructions, at the exact cycle: branches, lanes that come
 * together again, parameters and constants that are not there yet, and the end of a block that has
 * stored. */
#include "stream/outline.h"

#include "rig.h"

enum { A = 0x10000, ADD = 4, CONST = 8 };

static struct rig g;
static struct synth s;
static struct weir_sim_result r;

static uint64_t end(void) {
  uint64_t cycles = rig_run(&g, &s, &r);
  synth_free(&s);
  rig_close(&g);
  return cycles;
}

/* ---- branches ---- */

/* A chain of additions, a branch behind each: cycle in which the last addition issues. */
static uint64_t chain(unsigned n, const char *a, const char *b) {
  rig_open(&g, a, b, NULL);
  synth_init(&s, 1, 1);
  uint32_t add = synth_insn(&s, WEIR_C_INT, 0, 0), bra = synth_insn(&s, WEIR_C_BRANCH, -1, 0);
  for (unsigned i = 0; i < n; i++) {
    synth_put(&s, 0, 0, add);
    if (i + 1 < n) synth_put(&s, 0, 0, bra);
  }
  return end();
}

static void test_branch(void **state) {
  (void)state;
  /* the branch issues when the sum is there, and the next addition a cycle later */
  assert_int_equal(chain(11, NULL, NULL), 10 * (ADD + 1));
  assert_int_equal(chain(11, "sm.branch_next_cyc=10", NULL), 10 * (ADD + 10));
  assert_int_equal(chain(11, "sm.branch_guard_cyc=10", NULL), 10 * (ADD + 10 + 1));
  /* as on an H200, tools/hw/results, loops: 24 for each round behind what is compared */
  assert_int_equal(chain(11, "sm.branch_next_cyc=10", "sm.branch_guard_cyc=10"), 10 * (ADD + 20));
}

/* A branch that depends on nothing delays what follows it, and nothing else. */
static void test_branch_alone(void **state) {
  (void)state;
  rig_open(&g, "sm.branch_next_cyc=10", "sm.branch_guard_cyc=10", NULL);
  synth_init(&s, 1, 2);
  uint32_t add = synth_insn(&s, WEIR_C_INT, -1, -1), bra = synth_insn(&s, WEIR_C_BRANCH, -1, -1);
  synth_put(&s, 0, 0, bra);
  synth_put(&s, 0, 0, add);
  for (unsigned i = 0; i < 8; i++)
    synth_put(&s, 0, 1, add); /* another warp goes on meanwhile */
  assert_int_equal(end(), 10);
  assert_int_equal(r.sm.slot[WEIR_SLOT_ISSUED], 10);
}

/* ---- divisions ---- */

/* n divisions that do not depend on one another, by each of so many warps: when an instruction
 * behind the last of them issues. */
static uint64_t divisions(unsigned warps, unsigned n) {
  rig_open(&g, "sm.fdiv_next_cyc=57", "sm.fdiv_latency=57", "sm.fdiv_interval=17", NULL);
  synth_init(&s, 1, warps);
  uint32_t div = synth_insn(&s, WEIR_C_FDIV, -1, -1), add = synth_insn(&s, WEIR_C_INT, -1, -1);
  for (unsigned w = 0; w < warps; w++) {
    for (unsigned i = 0; i < n; i++)
      synth_put(&s, 0, w, div);
    synth_put(&s, 0, w, add);
  }
  return end();
}

static void test_divisions(void **state) {
  (void)state;
  /* a warp has one at a time, as on an H200 (arith_rate), and other warps use the unit meanwhile */
  assert_int_equal(divisions(1, 8), 8 * 57);
  assert_int_equal(divisions(2, 8), 17 + 8 * 57);
}

/* ---- loads ---- */

/* n loads of a warp, of lines that the L2 has and that do not depend on one another. */
static uint64_t loads(unsigned n, const char *next) {
  rig_open(&g, next, NULL);
  rig_warm_l2(&g, A, n);
  synth_init(&s, 1, 1);
  uint32_t ld = synth_access(&s, WEIR_C_LOAD, WEIR_SP_GLOBAL, 4, -1, -1);
  for (unsigned i = 0; i < n; i++)
    synth_stride(&s, 0, 0, ld, UINT32_MAX, A + 128 * i, 4);
  return end();
}

static void test_loads_in_turn(void **state) {
  (void)state;
  enum { FLITS = 5 }; /* a reply takes the port for so many cycles */
  assert_int_equal(loads(8, NULL), 7 * FLITS + L2_LINE);
  assert_int_equal(loads(8, "sm.load_next_cyc=6"), 7 * 6 + L2_LINE);
  assert_int_equal(loads(8, "sm.load_next_cyc=20"), 7 * 20 + L2_LINE);
}

/* A load of words `apart` bytes from one another, and what needs it. */
static uint64_t one_load(unsigned apart, const char *back) {
  rig_open(&g, "sm.coalesce_by=banks", "l1.sets=64", back, NULL);
  synth_init(&s, 1, 1);
  struct code c = rig_code(&s, WEIR_SP_GLOBAL);
  synth_stride(&s, 0, 0, c.ld0, UINT32_MAX, A, apart);
  synth_put(&s, 0, 0, c.use0);
  return end();
}

static void test_passes_back(void **state) {
  (void)state;
  assert_int_equal(one_load(4, "sm.passes_back=true"), one_load(4, NULL));
  assert_int_equal(one_load(128, "sm.passes_back=true"), one_load(128, NULL) + 31);
  assert_int_equal(one_load(8, "sm.passes_back=true"), one_load(8, NULL) + 1);
}

/* Loads that depend on one another, of a line of each of 32 slices, twice: the second time the L2
 * has them. */
static uint64_t far_and_near(const char *spread) {
  enum { SLICES = 32 };
  rig_open(&g, "l2.slices=32", "l2.hash=linear", "l2.interleave=128", "l1.enabled=false", spread,
           NULL);
  rig_warm_l2(&g, 0, SLICES);
  synth_init(&s, 1, 1);
  uint32_t ld = synth_access(&s, WEIR_C_LOAD, WEIR_SP_GLOBAL, 4, 0, 0);
  for (unsigned i = 0; i < SLICES; i++)
    synth_uniform(&s, 0, 0, ld, 128 * i);
  return end();
}

static void test_spread(void **state) {
  (void)state;
  const uint64_t all_near = far_and_near(NULL), spread = far_and_near("noc.spread_cyc=60");
  assert_int_equal(all_near, 32 * L2_SECTOR);
  assert_in_range(spread - all_near, 32 * 24, 32 * 36); /* 30 on average */
}

/* ---- lanes ---- */

/* Masks of additions, one after the other; bit i of `guarded`: the i-th is under a predicate. */
static uint64_t lanes(const uint32_t *mask, unsigned n, unsigned guarded, bool is_ptx) {
  enum { MOST = 8 };
  static struct weir_outline_insn text[MOST];
  static struct weir_outline outline;
  rig_open(&g, "sm.rejoin_cyc=17", NULL);
  synth_init(&s, 1, 1);
  for (unsigned i = 0; i < n; i++) {
    text[i] = (struct weir_outline_insn){.flags = guarded >> i & 1 ? WEIR_OUTLINE_GUARDED : 0,
                                         .base = WEIR_NO_REG};
    synth_insn(&s, WEIR_C_INT, -1, -1);
    synth_put(&s, 0, 0, i);
    s.ops[i].mask = mask[i];
  }
  outline = (struct weir_outline){.insns = text};
  if (is_ptx) s.info.outline = &outline;
  return end();
}

static void test_lanes(void **state) {
  (void)state;
  static const uint32_t all = UINT32_MAX, low = 0xffff, high = 0xffff0000;
  const uint32_t same[] = {all, all, all, all}, joins[] = {all, low, all, all},
                 turns[] = {low, high, all, all};
  assert_int_equal(lanes(same, 4, 0, true), 3);
  assert_int_equal(lanes(joins, 4, 0, true), 3 + 17);
  assert_int_equal(lanes(turns, 4, 0, true), 3 + 2 * 17); /* other lanes, then all */
  assert_int_equal(lanes(joins, 4, 1 << 1, true), 3);     /* that one was guarded */
  assert_int_equal(lanes(joins, 4, 0, false), 3);         /* machine code */
}

/* ---- parameters and constants ---- */

static void test_parameters(void **state) {
  (void)state;
  for (unsigned second = 0; second < 2; second++) { /* another block, later: they are there */
    rig_open(&g, "sm.param_cold_cyc=150", "sm.move_latency=4", NULL);
    synth_init(&s, 1 + second, 1);
    uint32_t param = synth_insn(&s, WEIR_C_MOVE, 0, -1), use = synth_insn(&s, WEIR_C_INT, -1, 0);
    s.insns[param].space = WEIR_SP_PARAM;
    for (unsigned b = 0; b <= second; b++) {
      synth_put(&s, b, 0, param);
      synth_put(&s, b, 0, use);
    }
    const uint64_t other = 1; /* block 1 arrives a cycle later, and waits for the same */
    assert_int_equal(end(), 150 + second * other);
  }
}

/* Constants at these places, each used before the next: the cycle in which the last is used. */
static uint64_t constants(const unsigned *at, unsigned n, const char *bytes) {
  rig_open(&g, bytes, "sm.const_latency=8", "sm.const_miss_cyc=70", "sm.const_cold_cyc=290", NULL);
  synth_init(&s, 1, 1);
  uint32_t ld = synth_access(&s, WEIR_C_LOAD, WEIR_SP_CONST, 4, 0, -1),
           use = synth_insn(&s, WEIR_C_INT, -1, 0);
  for (unsigned i = 0; i < n; i++) {
    synth_uniform(&s, 0, 0, ld, A + at[i]);
    s.ops[s.n - 1].addrs.space = WEIR_SP_CONST;
    synth_put(&s, 0, 0, use);
  }
  return end() - (n - 1);
}

static void test_constants(void **state) {
  (void)state;
  static const unsigned at[] = {0, 60, 64, 256, 0, 128, 192, 64};
  const uint64_t cold = CONST + 290, near = CONST + 70;
  assert_int_equal(constants(at, 1, "sm.const_bytes=2048"), cold);
  assert_int_equal(constants(at, 2, "sm.const_bytes=2048"), cold + CONST);
  assert_int_equal(constants(at, 3, "sm.const_bytes=2048"), cold + CONST + near);
  assert_int_equal(constants(at, 4, "sm.const_bytes=2048"), 2 * cold + CONST + near);
  assert_int_equal(constants(at, 5, "sm.const_bytes=2048"), 2 * cold + 2 * CONST + near);
  /* two lines: the one that was read longest ago goes, and comes back from near */
  assert_int_equal(constants(at, 5, "sm.const_bytes=128"), 2 * cold + CONST + 2 * near);
  assert_int_equal(constants(at, 8, "sm.const_bytes=0"), 8 * CONST);
}

/* 20 instructions are three lines of code, which a second pass and a second launch find. */
static void test_code(void **state) {
  (void)state;
  enum { N = 20, LINES = 3 };
  for (unsigned cold = 0; cold < 2; cold++) {
    rig_open(&g, cold ? "sm.code_bytes=1024" : NULL, "sm.code_cold_cyc=10", NULL);
    for (unsigned launch = 0; launch < 2; launch++) {
      synth_init(&s, 1, 1);
      for (unsigned i = 0; i < N; i++)
        synth_insn(&s, WEIR_C_INT, -1, -1);
      for (unsigned i = 0; i < 2 * N; i++)
        synth_put(&s, 0, 0, i % N);
      const uint64_t cycles = rig_run(&g, &s, &r);
      assert_int_equal(cycles, 2 * N - 1 + (cold && launch == 0 ? 10 * LINES : 0));
      synth_free(&s);
    }
    rig_close(&g);
  }
}

/* ---- the end ---- */

/* One block after the other, each an addition and a store: when the last has ended. */
static uint64_t blocks(unsigned n, const char *early) {
  rig_open(&g, "sm.blocks=1", early, NULL);
  rig_warm_l2(&g, A, 1);
  synth_init(&s, n, 1);
  uint32_t add = synth_insn(&s, WEIR_C_INT, 0, 0),
           st = synth_access(&s, WEIR_C_STORE, WEIR_SP_GLOBAL, 4, -1, -1);
  for (unsigned b = 0; b < n; b++) {
    synth_put(&s, b, 0, add);
    synth_stride(&s, b, 0, st, UINT32_MAX, A, 4);
  }
  return end();
}

/* A block that has loaded ends later, and a kernel that has done so after its last block. */
static void test_load_ends(void **state) {
  (void)state;
  uint64_t cycles[3];
  static const char *const later[3] = {NULL, "sm.load_end_cyc=55", "sm.access_end_cyc=230"};
  for (unsigned k = 0; k < 3; k++) {
    rig_open(&g, "sm.blocks=1", later[k], NULL);
    synth_init(&s, 4, 1);
    struct code c = rig_code(&s, WEIR_SP_GLOBAL);
    for (unsigned b = 0; b < 4; b++) {
      synth_put(&s, b, 0, c.add);
      if (b < 3) synth_stride(&s, b, 0, c.ld0, UINT32_MAX, A, 4);
    }
    cycles[k] = end();
    assert_int_equal(r.drain, k == 2 ? 230 : 0);
  }
  assert_int_equal(cycles[1], cycles[0] + 3 * 55);
  assert_int_equal(cycles[2], cycles[0] + 230);
  rig_open(&g, later[2], NULL); /* nothing is accessed */
  synth_init(&s, 1, 1);
  synth_put(&s, 0, 0, synth_insn(&s, WEIR_C_INT, -1, -1));
  assert_int_equal(end(), 0);
}

static void test_stores(void **state) {
  (void)state;
  enum { SENT = 1 + 1 }; /* the store issues in cycle 1 and leaves the L1 a cycle later */
  assert_true(blocks(1, NULL) > SENT + REQUEST + L2 + REPLY);
  const uint64_t all = blocks(1, "sm.store_end_cyc=12");
  assert_int_equal(all - r.drain, SENT + 12);
  assert_int_equal(all, blocks(1, NULL)); /* a kernel ends when all is acknowledged */
  assert_int_equal(r.drain, 0);
  const uint64_t each = blocks(3, "sm.store_end_cyc=12") - blocks(2, "sm.store_end_cyc=12");
  const uint64_t waits = blocks(3, NULL) - blocks(2, NULL);
  assert_int_equal(each, SENT + 12 + 10); /* sm.dispatch_latency */
  assert_true(waits >= SENT + REQUEST + REPLY + 10);
}

/* A fence waits all the same, and acknowledgements that come when a warp has ended are counted. */
static void test_fence(void **state) {
  (void)state;
  uint64_t at[2];
  for (unsigned early = 0; early < 2; early++) {
    rig_open(&g, early ? "sm.store_end_cyc=1" : NULL, NULL);
    rig_warm_l2(&g, A, 1);
    synth_init(&s, 1, 1);
    struct code c = rig_code(&s, WEIR_SP_GLOBAL);
    synth_stride(&s, 0, 0, c.st, UINT32_MAX, A, 4);
    synth_put(&s, 0, 0, c.fence);
    synth_put(&s, 0, 0, c.add);
    at[early] = end();
  }
  assert_int_equal(at[1], at[0] + 1); /* the block had stored */
}

int main(void) {
#define T(f) cmocka_unit_test(f)
  const struct CMUnitTest tests[] = {
      T(test_branch),      T(test_branch_alone), T(test_divisions), T(test_loads_in_turn),
      T(test_passes_back), T(test_spread),       T(test_lanes),     T(test_parameters),
      T(test_constants),   T(test_code),         T(test_load_ends), T(test_stores),
      T(test_fence),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
