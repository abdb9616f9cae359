/* Random machines and random streams: the same bytes from the event-driven and the literal engine,
 * from every window and number of threads; all conservation rules; no deadlock.
 *   test_property [CASES [FIRST]]     or WEIR_PROPERTY_CASES */
#include "synth.h"

#include <inttypes.h>

#include "../stream/util.h"

static uint64_t n_cases = 60, first_case;

static void conserve(const struct machine *x, const struct synth *s,
                     const struct weir_sim_result *r) {
  const struct weir_l1_stats *l1 = &r->l1;
  uint64_t slots = 0, n_insns = 0, n_threads = 0;
  assert_int_equal(l1->loads,
                   l1->hits + l1->hit_reserved + l1->misses + l1->partial_misses + l1->bypassed);
  assert_int_equal(r->sm.requests, l1->loads + l1->stores + l1->atomics);
  for (unsigned i = 0; i < WEIR_N_ISSUE_SLOTS; i++)
    slots += r->sm.slot[i];
  assert_int_equal(slots, r->cycles * (uint64_t)(x->m.sm.schedulers * x->m.sm.count));
  assert_int_equal(r->sm.slot[WEIR_SLOT_ISSUED], r->sm.warp_insns);
  for (unsigned i = 0; i < WEIR_N_SHORTAGES; i++) {
    /* With several probes a request may fail in a cycle in which the one before it was taken. */
    uint64_t least = x->m.l1.probes_per_cycle == 1 ? r->sm.resv_fail[i] : 0;
    assert_in_range(r->sm.stall[i], least,
                    r->sm.resv_fail[i] == 0 ? 0 : r->cycles * (uint64_t)x->m.sm.count);
    assert_in_range(r->sm.resv_fail[i], 0, r->sm.requests);
  }
  assert_int_equal(l1->requests, r->l2.reads + r->l2.writes + r->l2.atomics);
  assert_int_equal(r->l2.reads,
                   r->l2.read_hits + r->l2.read_pending + r->l2.read_misses + r->l2.read_partial);
  assert_int_equal(r->l2.writes, r->l2.write_hits + r->l2.write_misses);
  uint64_t atoms = 32 / (uint64_t)x->m.dram.atom_bytes;
  assert_int_equal(r->dram.reads, r->l2.fills * atoms);
  assert_int_equal(r->dram.writes, r->l2.writeback_sectors * atoms);
  assert_int_equal(r->dram.row_hits + r->dram.row_misses + r->dram.row_conflicts,
                   r->dram.reads + r->dram.writes);
  assert_int_equal(r->dram.busy_cyc,
                   (r->dram.reads + r->dram.writes) * (uint64_t)x->m.dram.burst_cyc);
  for (size_t i = 0; i < s->n; i++) {
    n_insns++;
    n_threads += (unsigned)__builtin_popcount(s->ops[i].mask);
  }
  assert_int_equal(r->sm.warp_insns, n_insns);
  assert_int_equal(r->sm.thread_insns, n_threads);
  assert_int_equal(r->sm.blocks, s->n_blocks);
}

static bool fits(const struct machine *x, const struct synth *s) {
  const char *why;
  return weir_sm_fit(&x->m, &s->info, &why) > 0;
}

static void run_case(uint64_t seed) {
  static const struct weir_sim_options ways[] = {
      {.threads = 1, .literal = true},
      {.threads = 1, .window = 1},
      {.threads = 1, .window = 2},
      {.threads = 2},
      {.threads = 3},
  };
  static const char *const names[] = {"literal", "window 1", "window 2", "2 threads", "3 threads"};
  struct machine x;
  struct synth s;
  struct weir_sim_result want, got;
  uint32_t n_refused = 0;
  for (uint64_t again = 0;; again++) {
    machine_random(&x, seed + (again << 32), &n_refused);
    synth_random(&s, seed + (again << 32));
    if (fits(&x, &s)) break;
    synth_free(&s);
    machine_free(&x);
  }
  struct weir_sim_options o = {.threads = 1, .watchdog = 200000, .check = true};
  synth_run(&x, &s, &o, &want);
  conserve(&x, &s, &want);
  for (size_t i = 0; i < sizeof ways / sizeof *ways; i++) {
    o = ways[i];
    o.watchdog = 200000;
    o.check = true;
    synth_run(&x, &s, &o, &got);
    if (!same_result(&want, &got)) {
      machine_print(&x);
      fail_msg("case %" PRIu64 ": %s differs", seed, names[i]);
    }
  }
  synth_free(&s);
  machine_free(&x);
}

static void test_random(void **state) {
  (void)state;
  for (uint64_t i = first_case; i < first_case + n_cases; i++) {
    if (getenv("WEIR_PROPERTY_VERBOSE") != NULL) print_message("case %" PRIu64 "\n", i);
    run_case(i);
  }
}

int main(int argc, char **argv) {
  const char *n = argc > 1 ? argv[1] : getenv("WEIR_PROPERTY_CASES");
  if (n != NULL) n_cases = strtoull(n, NULL, 10);
  if (argc > 2) first_case = strtoull(argv[2], NULL, 10);
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_random)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
