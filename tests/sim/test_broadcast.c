/* What policies of one SM tell those of others, while some SMs have no work: the same in the
 * event-driven and the literal engine. */
#include "rig.h"

#include "l1/parts.h"

/* SM 0 tells its cycle again and again; the others note when they hear of it. */
enum { INTERVAL = 500, LATENCY = 100 };
struct notes {
  uint64_t n, cycles, late; /* late: arrived after more than the latency of a broadcast */
  uint64_t last;            /* the cycle of the last one */
};
#define N(f) WEIR_STAT(notes, f, "1", "for this test")
static const struct weir_stat note_table[] = {N(n),
                                              N(cycles),
                                              N(late),
                                              {.name = "last",
                                               .unit = "cycle",
                                               .help = "for this test",
                                               .kind = WEIR_MAXIMUM,
                                               .offset = offsetof(struct notes, last)},
                                              WEIR_STAT_END};

static void begin(struct weir_policy *p, const struct weir_kernel *k) {
  (void)k;
  if (weir_geometry(p)->sm == 0) weir_ask_wake(p, INTERVAL);
}
static void tick(struct weir_policy *p, uint64_t now) {
  weir_ask_broadcast(p, (const uint64_t[4]){now, 0, 0, 0});
  weir_ask_wake(p, now + INTERVAL);
}
static void broadcast_received(struct weir_policy *p, uint32_t from, const uint64_t v[4],
                               uint64_t cycle) {
  (void)from;
  struct notes *n = weir_stats_edit(p);
  n->n++;
  n->cycles += cycle;
  n->late += cycle > v[0] + LATENCY;
  n->last = cycle;
}
static const struct weir_policy_ops drum = {.part = {.abi = WEIR_POLICY_ABI,
                                                     .name = "drum",
                                                     .stats = note_table,
                                                     .stats_bytes = sizeof(struct notes),
                                                     .kernel_begin = begin,
                                                     .tick = tick,
                                                     .broadcast_received = broadcast_received}};

/* SM 0 is without work at once; on SM 2 a warp sleeps for long, and nothing else happens. `n`
 * launches of this. */
static void run(const struct weir_sim_options *o, unsigned n, struct weir_sim_result *r) {
  static const char *const set[] = {"sm.count=3", "sm.broadcast_latency=100", "sm.int_latency=2000",
                                    NULL};
  struct machine x;
  struct synth s;
  struct weir_sim *sim;
  struct weir_err err;
  machine_init(&x, NULL, set);
  synth_init(&s, 3, 1);
  uint32_t add = synth_insn(&s, WEIR_C_INT, 0, 0);
  for (int i = 0; i < 4; i++)
    synth_put(&s, 2, 0, add);
  struct weir_design d;
  weir_design_baseline(&d, &x.m);
  d.policy[d.n_policies++].ops = &drum;
  assert_int_equal(weir_sim_new(&x.m, &d, o, &sim, &err), WEIR_OK);
  for (unsigned i = 0; i < n; i++)
    if (weir_sim_kernel(sim, synth_source(&s), &r[i], &err) != WEIR_OK) fail_msg("%s", err.msg);
  weir_sim_free(sim);
  synth_free(&s);
  machine_free(&x);
}

static void test_idle_speaker(void **state) {
  (void)state;
  static const struct weir_sim_options ways[] = {{.threads = 1, .check = true},
                                                 {.threads = 1, .check = true, .literal = true},
                                                 {.threads = 1, .check = true, .window = 1},
                                                 {.threads = 2, .check = true}};
  struct weir_sim_result want, got;
  run(&ways[0], 1, &want);
  const struct notes *n = (const struct notes *)want.part[2];
  assert_true(want.cycles > 6000);
  assert_int_equal(n->n, 2 * ((want.cycles - 1) / INTERVAL));
  assert_int_equal(n->late, 0);
  for (size_t i = 1; i < sizeof ways / sizeof *ways; i++) {
    run(&ways[i], 1, &got);
    assert_true(same_result(&want, &got));
    assert_memory_equal(want.part, got.part, sizeof got.part);
  }
}

/* Counters add up over SMs, and are those of the launch; a maximum is the largest of an SM. */
static void test_kinds(void **state) {
  (void)state;
  const struct weir_sim_options o = {.threads = 1, .check = true};
  struct weir_sim_result r[2];
  run(&o, 2, r);
  for (unsigned k = 0; k < 2; k++) {
    const struct notes *n = (const struct notes *)r[k].part[2];
    uint64_t times = (r[k].cycles - 1) / INTERVAL;
    assert_int_equal(n->n, 2 * times);
    assert_in_range(n->last, times * INTERVAL, times * INTERVAL + LATENCY);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_idle_speaker),
                                     cmocka_unit_test(test_kinds)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
