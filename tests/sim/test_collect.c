/* Operand collectors, at the exact cycle: what an instruction waits for between issue and unit. A
 * kernel without memory accesses ends when its last instruction has its unit. */
#include "rig.h"

#include <stdio.h>

enum { LATENCY = 4, EXTRA_DEP = 5, TO_UNIT = 3 };

#define ON                                                                                         \
  "sm.dependent_extra=5", "sm.collector_units=2", "sm.register_banks=4", "sm.register_ports=2"

static uint64_t run_and_free(struct rig *g, struct synth *s) {
  struct weir_sim_result r;
  uint64_t t = rig_run(g, s, &r);
  synth_free(s);
  return t;
}

/* An instruction that reads registers, up to the first -1. */
static uint32_t reads(struct synth *s, enum weir_class cls, int dst, int a, int b, int c) {
  const int src[] = {a, b, c};
  uint32_t i = synth_insn(s, cls, dst, -1);
  for (unsigned k = 0; k < 3 && src[k] >= 0; k++)
    s->insns[i].src[s->insns[i].n_src++] = (uint16_t)src[k];
  s->info.n_regs = 16;
  return i;
}

static uint64_t chain(struct rig *g, int a, int b, int c) {
  struct synth s;
  synth_init(&s, 1, 1);
  uint32_t i = reads(&s, WEIR_C_INT, 0, a, b, c);
  for (unsigned k = 0; k < 10; k++)
    synth_put(&s, 0, 0, i);
  return run_and_free(g, &s);
}

/* Two reads of a bank in a cycle cost nothing, three one. */
static void test_banks(void **state) {
  (void)state;
  struct rig g;
  enum { STEP = LATENCY + EXTRA_DEP, PLAIN = 9 * STEP + TO_UNIT };
  rig_open(&g, ON, NULL);
  assert_int_equal(chain(&g, 0, 1, 2), PLAIN);
  assert_int_equal(chain(&g, 0, 4, 1), PLAIN);
  assert_int_equal(chain(&g, 0, 4, 8), PLAIN + 10);
  assert_int_equal(chain(&g, 0, 0, 0), PLAIN);
  rig_close(&g);
  rig_open(&g, ON, "sm.register_banks=16", NULL);
  assert_int_equal(chain(&g, 0, 4, 8), PLAIN);
  rig_close(&g);
  /* Enter, read, leave: a cycle each. */
  rig_open(&g, ON, "sm.register_ports=1", NULL);
  assert_int_equal(chain(&g, 0, 1, 2), PLAIN + 10);
  assert_int_equal(chain(&g, 0, 4, 8), PLAIN + 30);
  rig_close(&g);
}

/* A unit takes one in its interval, whatever waits in front of it. */
static void test_interval(void **state) {
  (void)state;
  struct rig g;
  struct synth s;
  rig_open(&g, ON, "sm.int_interval=4", NULL);
  synth_init(&s, 1, 1);
  uint32_t i = reads(&s, WEIR_C_INT, -1, 0, -1, -1);
  for (unsigned k = 0; k < 10; k++)
    synth_put(&s, 0, 0, i);
  assert_int_equal(run_and_free(&g, &s), TO_UNIT + 9 * 4);
  rig_close(&g);
}

/* The first read of a cycle in which a result is written waits: the result comes in cycle 9, and
 * the second of two reads of one bank, by an instruction that issues in cycle 7, is due then. */
static void test_write(void **state) {
  (void)state;
  struct rig g;
  rig_open(&g, ON, NULL);
  for (int bank = 0; bank < 2; bank++) {
    struct synth s;
    synth_init(&s, 1, 1);
    uint32_t write = reads(&s, WEIR_C_INT, bank, 3, -1, -1),
             other = synth_insn(&s, WEIR_C_PRED, -1, -1),
             read = reads(&s, WEIR_C_INT, -1, 4, 8, -1);
    synth_put(&s, 0, 0, write);
    for (unsigned k = 0; k < 6; k++)
      synth_put(&s, 0, 0, other);
    synth_put(&s, 0, 0, read);
    assert_int_equal(run_and_free(&g, &s), 7 + TO_UNIT + (bank == 0));
  }
  rig_close(&g);
}

/* Warp 0 fills unit, latch and collector of its scheduler; its fourth instruction, issued in cycle
 * 3, is the oldest until cycle 10, and what warp 1 issues in cycle 4 on the other scheduler comes
 * behind it, though a collector is free there. */
static void test_oldest_first(void **state) {
  (void)state;
  struct rig g;
  enum { STEP = LATENCY + EXTRA_DEP, REST = STEP - TO_UNIT + 9 * STEP + TO_UNIT };
  for (unsigned more = 0; more < 2; more++) {
    struct synth s;
    rig_open(&g, ON, "sm.schedulers=2", "sm.int_interval=8",
             more ? "sm.collector_units=8" : "sm.collector_units=2", NULL);
    synth_init(&s, 1, 2);
    uint32_t i = synth_insn(&s, WEIR_C_INT, -1, -1), other = synth_insn(&s, WEIR_C_PRED, -1, -1),
             first = synth_insn(&s, WEIR_C_INT, 1, -1), next = synth_insn(&s, WEIR_C_MOVE, 1, 1);
    for (unsigned k = 0; k < 4; k++) {
      synth_put(&s, 0, 0, i);
      synth_put(&s, 0, 1, other);
    }
    synth_put(&s, 0, 1, first);
    for (unsigned k = 0; k < 10; k++)
      synth_put(&s, 0, 1, next);
    assert_int_equal(run_and_free(&g, &s), (more ? 6 : 11) + REST);
    rig_close(&g);
  }
}

/* ---- what passes through at issue, against the literal engine, which takes every step ---- */

static void random_kernel(struct synth *s, uint64_t *r) {
  static const uint8_t classes[] = {WEIR_C_INT,  WEIR_C_FP32, WEIR_C_FFMA,  WEIR_C_SFU,
                                    WEIR_C_MOVE, WEIR_C_PRED, WEIR_C_BRANCH};
  enum { CODE = 24, REGS = 16 };
  const uint32_t n_blocks = 1 + below(r, 4), n_warps = 1 + below(r, 12), fewest = below(r, 3);
  synth_init(s, n_blocks, n_warps);
  uint32_t load = synth_access(s, WEIR_C_LOAD, WEIR_SP_GLOBAL, 4, 0, 1);
  uint32_t bar = synth_barrier(s, 0, 0, false);
  for (uint32_t k = 0; k < CODE; k++) {
    uint32_t i = synth_insn(s, classes[below(r, sizeof classes)],
                            below(r, 4) == 0 ? -1 : (int)below(r, REGS), -1);
    for (uint32_t n = fewest + below(r, 3); n > 0; n--)
      s->insns[i].src[s->insns[i].n_src++] = (uint16_t)below(r, REGS);
  }
  s->info.n_regs = REGS;
  for (uint32_t w = 0; w < n_blocks * n_warps; w++)
    for (uint32_t k = 0; k < 80; k++) {
      uint32_t i = below(r, 2 * CODE);
      if (k == 40)
        synth_put(s, w / n_warps, w % n_warps, bar);
      else if (i < 2)
        synth_uniform(s, w / n_warps, w % n_warps, load, 0x10000 + 128 * below(r, 64));
      else
        synth_put(s, w / n_warps, w % n_warps, bar + 1 + i % CODE);
    }
}

static void random_collectors(struct machine *x, uint64_t *r) {
  char set[10][40];
  const char *list[11] = {NULL};
  const unsigned schedulers = 1u << below(r, 3), intervals = 1 + below(r, 4);
  unsigned n = 0;
  snprintf(set[n++], sizeof *set, "sm.count=%u", 1 + below(r, 2));
  snprintf(set[n++], sizeof *set, "sm.schedulers=%u", schedulers);
  snprintf(set[n++], sizeof *set, "sm.dependent_extra=%u", 3 + below(r, 3));
  snprintf(set[n++], sizeof *set, "sm.collector_units=%u", schedulers * (1 + below(r, 3)));
  snprintf(set[n++], sizeof *set, "sm.register_banks=%u", schedulers * (1 + below(r, 5)));
  snprintf(set[n++], sizeof *set, "sm.register_ports=%u", 1 + below(r, 3));
  snprintf(set[n++], sizeof *set, "sm.fp32_interval=%u", intervals);
  snprintf(set[n++], sizeof *set, "sm.int_interval=%u", 1 + below(r, 2));
  snprintf(set[n++], sizeof *set, "sm.int_latency=%u", below(r, 5));
  snprintf(set[n++], sizeof *set, "sm.ffma_interval=%u", 1 + below(r, 4));
  for (unsigned i = 0; i < n; i++)
    list[i] = set[i];
  machine_init(x, NULL, list);
}

static void test_literal(void **state) {
  (void)state;
  static const struct weir_sim_options ways[] = {{.threads = 1, .literal = true, .check = true},
                                                 {.threads = 1, .check = true},
                                                 {.threads = 1, .window = 1, .check = true},
                                                 {.threads = 1, .window = 2, .check = true},
                                                 {.threads = 2, .check = true}};
  static struct random_design d;
  for (uint64_t seed = 0; seed < (IS_SANITIZED ? 20 : 200); seed++) {
    uint64_t random = seed * 2 + 1;
    struct weir_sim_result want[2], got[2];
    struct machine x;
    struct synth s;
    struct synth *const twice[] = {&s, &s};
    random_collectors(&x, &random);
    random_kernel(&s, &random);
    design_random(&d, &x.m, seed);
    for (unsigned i = 0; i < sizeof ways / sizeof *ways; i++) {
      synth_run(&x, &d.d, twice, 2, &ways[i], i == 0 ? want : got);
      if (i == 0 || (same_result(&want[0], &got[0]) && same_result(&want[1], &got[1]))) continue;
      machine_print(&x);
      fail_msg("seed %u, %s: way %u differs from the literal engine", (unsigned)seed, d.name, i);
    }
    synth_free(&s);
    machine_free(&x);
  }
}

static void test_refused(void **state) {
  (void)state;
  static const struct {
    const char *set[5], *says;
  } bad[] = {
      {{"sm.dependent_extra=5", "sm.collector_units=3", NULL}, "multiples of sm.schedulers"},
      {{"sm.dependent_extra=5", "sm.collector_units=2", "sm.register_banks=5", NULL},
       "multiples of sm.schedulers"},
      {{"sm.dependent_extra=2", "sm.collector_units=2", NULL}, "sm.dependent_extra"},
      {{"sm.dependent_extra=5", "sm.collector_units=2", "sm.units=imul-on-sfu", NULL}, "sm.units"}};
  for (unsigned i = 0; i < sizeof bad / sizeof *bad; i++) {
    struct machine x;
    struct weir_err err;
    assert_int_equal(machine_try(&x, NULL, bad[i].set, &err), WEIR_EINVAL);
    assert_non_null(strstr(err.msg, bad[i].says));
    machine_free(&x);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_banks),   cmocka_unit_test(test_interval),
      cmocka_unit_test(test_write),   cmocka_unit_test(test_oldest_first),
      cmocka_unit_test(test_literal), cmocka_unit_test(test_refused)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
