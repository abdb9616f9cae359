/* Cycles between clock reads, against closed forms: chains of instructions, pointer chases, loops,
 * lanes that part; the same for any number of threads, and without effect on results.
 *   test_clocks SOURCE_FOLDER */
#include "rig.h"

#include <stdio.h>

#include "base/hash.h"
#include "machine/bounds.h"

static const char *folder;

/* From a read to the first instruction behind it, and from the last one to the next read. */
enum { AROUND = 2 };

/* `name` NULL: the machine of rig.h. */
static void open_machine(struct rig *g, const char *name, const char *const *set) {
  char path[4096];
  const char *own[sizeof rig_set / sizeof *rig_set + 1] = {NULL};
  struct weir_err err;
  const struct weir_sim_options o = {
      .threads = 1, .watchdog = 1000000, .check = true, .clocks = true};
  memcpy(own, rig_set, sizeof rig_set);
  snprintf(path, sizeof path, "%s/gpus/%s.yaml", folder, name != NULL ? name : "");
  machine_init_plain(&g->x, name != NULL ? path : NULL, name != NULL ? set : own);
  assert_int_equal(weir_sim_new(&g->x.m, NULL, &o, &g->sim, &err), WEIR_OK);
}

static uint32_t clock_read(struct synth *s, int dst) {
  uint32_t i = synth_insn(s, WEIR_C_MOVE, dst, -1);
  s->insns[i].reads_clock = true;
  return i;
}

static void put_lanes(struct synth *s, uint32_t block, uint32_t insn, uint32_t lanes) {
  synth_put(s, block, 0, insn);
  s->ops[s->n - 1].mask = lanes;
}

static const struct weir_clock_pairs *run(struct rig *g, struct synth *s) {
  struct weir_sim_result r;
  rig_run(g, s, &r);
  const struct weir_clock_pairs *p = weir_sim_clocks(g->sim);
  assert_non_null(p);
  assert_int_equal(p->n_lost, 0);
  return p;
}

static void assert_pair(const struct weir_clock_pairs *p, uint32_t from, uint32_t to, uint64_t n,
                        uint64_t cycles) {
  for (size_t i = 0; i < p->n; i++) {
    if (p->v[i].from != from || p->v[i].to != to) continue;
    assert_int_equal(p->v[i].n, n);
    assert_int_equal(p->v[i].min, cycles);
    assert_int_equal(p->v[i].max, cycles);
    assert_int_equal(p->v[i].sum, n * cycles);
    return;
  }
  fail_msg("no interval from %u to %u", from, to);
}

/* ---- closed forms ---- */

static const char *const machines[] = {"fermi-s0",  "fermi-s3",   "fermi-s4", "gtx480-cfg",
                                       "pascal-s1", "pascal-cfg", "gcn-s2",   "v100-cfg",
                                       "v100",      "a100",       "h200"};
enum { MACHINES = sizeof machines / sizeof *machines };

/* A chain of n, then an instruction that needs its result: the second read issues behind that. */
static void test_chain(void **state) {
  (void)state;
  static const unsigned lengths[] = {1, 2, 10, 100};
  for (unsigned k = 0; k < MACHINES; k++) {
    struct rig g;
    open_machine(&g, machines[k], NULL);
    const struct weir_sm_cfg *sm = &g.x.m.sm;
    for (unsigned i = 0; i < sizeof lengths / sizeof *lengths; i++) {
      struct synth s;
      synth_init(&s, 1, 1);
      uint32_t from = clock_read(&s, 1), ffma = synth_insn(&s, WEIR_C_FFMA, 0, 0),
               use = synth_insn(&s, WEIR_C_FP32, 2, 0), to = clock_read(&s, 3);
      synth_put(&s, 0, 0, from);
      for (unsigned n = 0; n < lengths[i]; n++)
        synth_put(&s, 0, 0, ffma);
      synth_put(&s, 0, 0, use);
      synth_put(&s, 0, 0, to);
      const struct weir_clock_pairs *p = run(&g, &s);
      assert_int_equal(p->n, 1);
      uint64_t latency = (uint64_t)(sm->latency[WEIR_C_FFMA] + sm->dependent_extra);
      assert_pair(p, from, to, 1, lengths[i] * latency + AROUND);
      synth_free(&s);
    }
    rig_close(&g);
  }
}

/* Loads of `n` lines, each of whose address depends on the one before, between two reads. */
static uint64_t chase(struct rig *g, unsigned n, unsigned rounds_before) {
  struct synth s;
  synth_init(&s, 1, 1);
  uint32_t from = clock_read(&s, 1), ld = synth_access(&s, WEIR_C_LOAD, WEIR_SP_GLOBAL, 4, 0, 0),
           use = synth_insn(&s, WEIR_C_INT, 2, 0), to = clock_read(&s, 3);
  uint64_t line = (uint64_t)g->x.m.l1.line;
  for (unsigned i = 0; i < n * rounds_before; i++)
    synth_uniform(&s, 0, 0, ld, 0x100000 + i % n * line);
  synth_put(&s, 0, 0, use);
  synth_put(&s, 0, 0, from);
  for (unsigned i = 0; i < n; i++)
    synth_uniform(&s, 0, 0, ld, 0x100000 + i * line);
  synth_put(&s, 0, 0, use);
  synth_put(&s, 0, 0, to);
  const struct weir_clock_pairs *p = run(g, &s);
  assert_int_equal(p->n, 1);
  assert_int_equal(p->v[0].n, 1);
  uint64_t cycles = p->v[0].sum;
  synth_free(&s);
  return cycles - AROUND;
}

static void test_l1(void **state) {
  (void)state;
  for (unsigned k = 0; k < MACHINES; k++) {
    struct rig g;
    open_machine(&g, machines[k], NULL);
    assert_int_equal(chase(&g, 8, 1), 8 * weir_l1_latency(&g.x.m));
    rig_close(&g);
  }
}

/* More lines than an L1 of one way has, and fewer than the L2; the second time. */
static void test_l2(void **state) {
  (void)state;
  static const char *const small[] = {"l1.unified_bytes=0", "l1.ways=1", "l1.flush_on_kernel=true",
                                      NULL};
  for (unsigned k = 0; k < MACHINES; k++) {
    struct rig g;
    open_machine(&g, machines[k], small);
    const struct weir_machine *m = &g.x.m;
    unsigned n = 2 * (unsigned)m->l1.sets;
    chase(&g, n, 0);
    assert_int_equal(chase(&g, n, 0), n * weir_l2_latency(m, weir_l2_fetch(m)));
    rig_close(&g);
  }
}

static void test_dram(void **state) {
  (void)state;
  struct rig g;
  open_machine(&g, NULL, NULL);
  assert_int_equal(chase(&g, 1, 0), DRAM_LINE);
  assert_int_equal(chase(&g, 1, 0), L2_LINE);
  rig_close(&g);
}

/* ---- who has read what ---- */

/* A read in a loop, and what comes behind it. */
static void test_loop(void **state) {
  (void)state;
  struct rig g;
  struct synth s;
  open_machine(&g, NULL, NULL);
  synth_init(&s, 1, 1);
  uint32_t in = clock_read(&s, -1), add = synth_insn(&s, WEIR_C_INT, -1, -1),
           out = clock_read(&s, -1);
  for (unsigned i = 0; i < 10; i++) {
    synth_put(&s, 0, 0, in);
    for (unsigned n = 0; n < 4; n++)
      synth_put(&s, 0, 0, add);
  }
  synth_put(&s, 0, 0, out);
  const struct weir_clock_pairs *p = run(&g, &s);
  assert_int_equal(p->n, 2);
  assert_pair(p, in, in, 9, 5);
  assert_pair(p, in, out, 1, 5);
  synth_free(&s);
  rig_close(&g);
}

/* An interval is one that a thread has seen. */
static void test_lanes(void **state) {
  (void)state;
  struct rig g;
  struct synth s;
  open_machine(&g, NULL, NULL);
  synth_init(&s, 1, 1);
  uint32_t all = clock_read(&s, -1), low = clock_read(&s, -1), high = clock_read(&s, -1),
           none = clock_read(&s, -1), again = clock_read(&s, -1);
  put_lanes(&s, 0, all, UINT32_MAX);
  put_lanes(&s, 0, low, 0x0000ffff);
  put_lanes(&s, 0, high, 0xffff0000);
  put_lanes(&s, 0, none, 0);
  put_lanes(&s, 0, again, UINT32_MAX);
  const struct weir_clock_pairs *p = run(&g, &s);
  assert_int_equal(p->n, 4);
  assert_pair(p, all, low, 1, 1);
  assert_pair(p, all, high, 1, 2);
  assert_pair(p, low, again, 1, 3);
  assert_pair(p, high, again, 1, 2);
  synth_free(&s);
  rig_close(&g);
}

/* Each lane by itself, and then together: as many intervals as lanes. */
static void test_each_lane(void **state) {
  (void)state;
  struct rig g;
  struct synth s;
  open_machine(&g, NULL, NULL);
  synth_init(&s, 1, 1);
  uint32_t one = clock_read(&s, -1), all = clock_read(&s, -1);
  for (unsigned i = 0; i < WEIR_LANES; i++)
    put_lanes(&s, 0, one, UINT32_C(1) << i);
  put_lanes(&s, 0, all, UINT32_MAX);
  put_lanes(&s, 0, one, UINT32_MAX);
  const struct weir_clock_pairs *p = run(&g, &s);
  assert_int_equal(p->n, 2);
  assert_int_equal(p->v[0].n, WEIR_LANES);
  assert_int_equal(p->v[0].min, 1);
  assert_int_equal(p->v[0].max, WEIR_LANES);
  assert_int_equal(p->v[0].sum, WEIR_LANES * (WEIR_LANES + 1) / 2);
  assert_pair(p, all, one, 1, 1);
  synth_free(&s);
  rig_close(&g);
}

/* Blocks follow one another in a warp slot, launches on an SM: no interval goes from one to the
 * next. */
static void test_ends(void **state) {
  (void)state;
  struct rig g;
  struct synth s;
  open_machine(&g, NULL, NULL);
  synth_init(&s, 100, 1);
  uint32_t from = clock_read(&s, -1), to = clock_read(&s, -1);
  for (unsigned b = 0; b < 100; b++) {
    synth_put(&s, b, 0, from);
    synth_put(&s, b, 0, to);
  }
  for (unsigned i = 0; i < 3; i++) {
    const struct weir_clock_pairs *p = run(&g, &s);
    assert_int_equal(p->n, 1);
    assert_int_equal(p->v[0].from, from);
    assert_int_equal(p->v[0].to, to);
    assert_int_equal(p->v[0].n, 100);
  }
  synth_free(&s);
  rig_close(&g);
}

/* ---- threads ---- */

struct seen {
  struct weir_sim_result result;
  struct weir_clock_pair v[4096];
  size_t n;
};

static void see(const struct machine *x, struct synth *s, const struct weir_sim_options *o,
                struct seen *out) {
  struct weir_err err;
  struct weir_sim *sim;
  memset(out, 0, sizeof *out);
  assert_int_equal(weir_sim_new(&x->m, NULL, o, &sim, &err), WEIR_OK);
  if (weir_sim_kernel(sim, synth_source(s), &out->result, &err) != WEIR_OK) fail_msg("%s", err.msg);
  const struct weir_clock_pairs *p = weir_sim_clocks(sim);
  assert_int_equal(p != NULL, o->clocks);
  out->n = p != NULL ? p->n : 0;
  assert_true(out->n <= sizeof out->v / sizeof *out->v);
  if (out->n > 0) memcpy(out->v, p->v, out->n * sizeof *p->v);
  weir_sim_free(sim);
}

static void test_same(void **state) {
  (void)state;
  static const struct weir_sim_options other[] = {{.threads = 1, .clocks = true, .literal = true},
                                                  {.threads = 1, .clocks = true, .window = 1},
                                                  {.threads = 2, .clocks = true},
                                                  {.threads = 3, .clocks = true},
                                                  {.threads = 8, .clocks = true},
                                                  {.threads = 1}};
  static struct seen want, got;
  uint64_t n_all = 0;
  for (uint64_t seed = 1; seed <= 40; seed++) {
    struct machine x;
    struct synth s;
    uint32_t n_refused = 0;
    machine_random(&x, seed, &n_refused);
    synth_random(&s, seed);
    for (uint32_t i = 0; i < s.info.n_insns; i++)
      s.insns[i].reads_clock = s.insns[i].width == 0 && weir_splitmix64(seed * 64 + i) % 2 == 0;
    see(&x, &s, &(struct weir_sim_options){.threads = 1, .clocks = true}, &want);
    n_all += want.n;
    for (size_t i = 1; i < want.n; i++)
      assert_true(want.v[i - 1].from < want.v[i].from ||
                  (want.v[i - 1].from == want.v[i].from && want.v[i - 1].to < want.v[i].to));
    for (size_t i = 0; i < sizeof other / sizeof *other; i++) {
      see(&x, &s, &other[i], &got);
      assert_true(same_result(&want.result, &got.result));
      if (!other[i].clocks) continue;
      assert_int_equal(got.n, want.n);
      assert_memory_equal(got.v, want.v, want.n * sizeof *want.v);
    }
    synth_free(&s);
    machine_free(&x);
  }
  assert_true(n_all > 1000);
}

/* ---- bounds ---- */

static void test_full(void **state) {
  (void)state;
  struct weir_clock_pairs p = {0}, q = {0};
  for (uint32_t i = WEIR_CLOCK_PAIRS + 5; i > 0; i--)
    assert_true(weir_clock_pairs_add(
        &p, &(struct weir_clock_pair){
                .from = i / 7, .to = i % 7, .n = 2, .min = i, .max = i + 1, .sum = 2 * i + 1}));
  assert_int_equal(p.n, WEIR_CLOCK_PAIRS);
  assert_int_equal(p.n_lost, 2 * 5);
  for (size_t i = 1; i < p.n; i++)
    assert_true(p.v[i - 1].from * 7 + p.v[i - 1].to < p.v[i].from * 7 + p.v[i].to);
  const struct weir_clock_pair again = {
      .from = p.v[9].from, .to = p.v[9].to, .n = 1, .min = 1, .max = 90000, .sum = 90000};
  const uint64_t sum = p.v[9].sum;
  assert_true(weir_clock_pairs_add(&p, &again));
  assert_int_equal(p.v[9].n, 3);
  assert_int_equal(p.v[9].min, 1);
  assert_int_equal(p.v[9].max, 90000);
  assert_int_equal(p.v[9].sum, sum + 90000);
  assert_true(weir_clock_pairs_join(&q, &p) && weir_clock_pairs_join(&q, &p));
  assert_int_equal(q.n, p.n);
  assert_int_equal(q.v[9].n, 6);
  assert_int_equal(q.n_lost, 4 * 5);
  weir_clock_pairs_free(&p);
  weir_clock_pairs_free(&q);
}

int main(int argc, char **argv) {
  (void)argc;
  folder = argv[1];
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_chain), cmocka_unit_test(test_l1),        cmocka_unit_test(test_l2),
      cmocka_unit_test(test_dram),  cmocka_unit_test(test_loop),      cmocka_unit_test(test_lanes),
      cmocka_unit_test(test_ends),  cmocka_unit_test(test_each_lane), cmocka_unit_test(test_same),
      cmocka_unit_test(test_full),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
