/* Random machines and random streams: the same bytes from the event-driven and the literal engine,
 * from every window and number of threads; all conservation rules; no deadlock.
 *   test_property [CASES [FIRST]]     or WEIR_PROPERTY_CASES */
#include "synth.h"

#include <inttypes.h>

#include "../stream/util.h"

static uint64_t n_cases = 80, first_case;

static void conserve_l3(const struct machine *x, const struct weir_sim_result *r) {
  const struct weir_l3_stats *l3 = &r->l3, none = {0};
  if (!x->m.l3.enabled) {
    assert_memory_equal(l3, &none, sizeof none);
    return;
  }
  assert_int_equal(l3->reads,
                   l3->read_hits + l3->read_pending + l3->read_misses + l3->read_partial);
  assert_int_equal(l3->writes, l3->write_hits + l3->write_misses);
  assert_int_equal(l3->read_sectors, r->l2.fills);
  assert_int_equal(l3->write_sectors, r->l2.writeback_sectors);
  assert_in_range(l3->fills, l3->read_sectors_missed, UINT64_MAX);
  assert_in_range(l3->evictions, 0, l3->read_misses + l3->write_misses);
}

/* A column that is wider than a sector brings one at least, and at most all that it holds. */
static void conserve_columns(const struct machine *x, uint64_t columns, uint64_t sectors) {
  uint64_t atom = (uint64_t)x->m.dram.atom_bytes;
  if (atom <= 32)
    assert_int_equal(columns, sectors * (32 / atom));
  else
    assert_in_range(sectors, columns, columns * (atom / 32));
}

/* Of a texture instruction, which `first` began. */
static bool is_further_record(const struct synth *s, const struct synth_op *first,
                              const struct synth_op *op) {
  return first != NULL && first->block == op->block && first->warp == op->warp &&
         first->insn == op->insn && op->has_addr && s->insns[op->insn].space == WEIR_SP_TEX &&
         first->mask != 0 && (op->mask & ~first->mask) == 0;
}

static void conserve(const struct machine *x, const struct synth *s,
                     const struct weir_sim_result *r) {
  const struct weir_l1_stats *l1 = &r->l1;
  uint64_t slots = 0, n_insns = 0, n_threads = 0;
  assert_int_equal(l1->loads,
                   l1->hits + l1->hit_reserved + l1->misses + l1->partial_misses + l1->bypassed);
  assert_int_equal(r->sm.requests - r->sm.texture_hits - r->sm.texture_joins,
                   l1->loads + l1->stores + l1->atomics);
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
  assert_int_equal(l1->requests, r->l2.reads + r->l2.merged + r->l2.writes + r->l2.atomics);
  assert_int_equal(r->l2.reads,
                   r->l2.read_hits + r->l2.read_pending + r->l2.read_misses + r->l2.read_partial);
  assert_int_equal(r->l2.writes, r->l2.write_hits + r->l2.write_misses);
  conserve_l3(x, r);
  conserve_columns(x, r->dram.reads,
                   x->m.l3.enabled ? r->l3.fills : r->l2.fills + r->l2.partial_sectors);
  conserve_columns(x, r->dram.writes,
                   x->m.l3.enabled ? r->l3.writeback_sectors : r->l2.writeback_sectors);
  assert_int_equal(r->dram.row_hits + r->dram.row_misses + r->dram.row_conflicts,
                   r->dram.reads + r->dram.writes);
  assert_int_equal(r->dram.busy_cyc,
                   (r->dram.reads + r->dram.writes) * (uint64_t)x->m.dram.burst_cyc);
  const struct synth_op *first = NULL;
  for (size_t i = 0; i < s->n; i++) {
    if (is_further_record(s, first, &s->ops[i])) continue;
    first = &s->ops[i];
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

enum { KERNELS = 3 }; /* the third is the first again: caches may still know it */

static struct weir_sim_result sum; /* of all cases */

static void add(const struct weir_sim_result *r) {
  weir_stat_sum(weir_sm_stat_table, &sum.sm, &r->sm);
  weir_stat_sum(weir_l1_stat_table, &sum.l1, &r->l1);
  weir_stat_sum(weir_l2_stat_table, &sum.l2, &r->l2);
  weir_stat_sum(weir_l3_stat_table, &sum.l3, &r->l3);
  weir_stat_sum(weir_dram_stat_table, &sum.dram, &r->dram);
}

static void compare_ways(uint64_t seed, const struct machine *x, const struct random_design *d,
                         struct synth *const *kernels) {
  static const struct weir_sim_options ways[] = {
      {.threads = 1},
      {.threads = 1, .literal = true},
      {.threads = 1, .window = 1},
      {.threads = 1, .window = 2},
      {.threads = 2},
      {.threads = 3},
  };
  static const char *const names[] = {"event-driven", "literal",   "window 1",
                                      "window 2",     "2 threads", "3 threads"};
  struct weir_sim_result want[KERNELS], got[KERNELS];
  for (size_t i = 0; i < sizeof ways / sizeof *ways; i++) {
    struct weir_sim_options o = ways[i];
    o.watchdog = 200000;
    o.check = true;
    synth_run(x, &d->d, kernels, KERNELS, &o, i == 0 ? want : got);
    for (unsigned k = 0; k < KERNELS; k++)
      if (i == 0) {
        conserve(x, kernels[k], &want[k]);
        add(&want[k]);
      } else if (!same_result(&want[k], &got[k])) {
        machine_print(x);
        fail_msg("case %" PRIu64 ", %s, kernel %u: %s differs", seed, d->name, k, names[i]);
      }
  }
}

static void run_case(uint64_t seed) {
  static struct random_design d;
  struct machine x;
  struct synth a, b;
  struct synth *const kernels[KERNELS] = {&a, &b, &a};
  uint32_t n_refused = 0;
  for (uint64_t again = 0;; again++) {
    machine_random(&x, seed + (again << 32), &n_refused);
    synth_random(&a, seed + (again << 32));
    synth_random(&b, ~(seed + (again << 32)));
    bool ok = fits(&x, &a) && fits(&x, &b);
    if (ok) {
      design_random(&d, &x.m, seed);
      if (getenv("WEIR_PROPERTY_VERBOSE") != NULL) print_message(" %s\n", d.name);
      compare_ways(seed, &x, &d, kernels);
    }
    synth_free(&a);
    synth_free(&b);
    machine_free(&x);
    if (ok) return;
  }
}

/* A statistic that never moves would be one that nobody tests. These have tests of their own: a
 * full reply queue is rare, and so is an L3 that fetches more than it was asked for and is then
 * asked for the rest, or a load of nothing but words that a store left; whether a policy does these
 * things depends on the draw; these kernels were no PTX, whose loops are unrolled. */
static bool is_rare(const struct weir_stat_group *g, const char *name) {
  if (g == &weir_l3_stat_group && strcmp(name, "read_pending") == 0) return true;
  static const char *const names[] = {
      "stall_reply",      "slots_gate",  "prefetches", "prefetches_dropped", "evictions_collateral",
      "slots_ldst_order", "stall_order", "fail_order", "insns_left_out",     "sectors_hit_stored"};
  for (size_t i = 0; i < sizeof names / sizeof *names; i++)
    if (strcmp(name, names[i]) == 0) return true;
  return strncmp(name, "bypassed_", 9) == 0 || strncmp(name, "marks_", 6) == 0;
}

static void reached(const struct weir_stat_group *g, const void *stats) {
  for (const struct weir_stat *t = g->table; t->name != NULL; t++) {
    uint64_t v;
    memcpy(&v, (const char *)stats + t->offset, sizeof v);
    if (v == 0 && !is_rare(g, t->name)) fail_msg("%s.%s was 0 in all cases", g->prefix, t->name);
  }
}

static void test_random(void **state) {
  (void)state;
  for (uint64_t i = first_case; i < first_case + n_cases; i++) {
    if (getenv("WEIR_PROPERTY_VERBOSE") != NULL) print_message("case %" PRIu64 "\n", i);
    run_case(i);
  }
}

static void test_coverage(void **state) {
  (void)state;
  if (n_cases < 80) skip();
  reached(&weir_sm_stat_group, &sum.sm);
  reached(&weir_l1_stat_group, &sum.l1);
  reached(&weir_l2_stat_group, &sum.l2);
  reached(&weir_l3_stat_group, &sum.l3);
  reached(&weir_dram_stat_group, &sum.dram);
}

int main(int argc, char **argv) {
  const char *n = argc > 1 ? argv[1] : getenv("WEIR_PROPERTY_CASES");
  if (n != NULL) n_cases = strtoull(n, NULL, 10);
  if (argc > 2) first_case = strtoull(argv[2], NULL, 10);
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_random),
                                     cmocka_unit_test(test_coverage)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
