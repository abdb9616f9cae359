/* Operand collectors, at the exact cycle: what an instruction waits for between issue and unit. A
 * kernel without memory accesses ends when its last instruction has its unit. */
#include "rig.h"

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
      cmocka_unit_test(test_banks), cmocka_unit_test(test_interval), cmocka_unit_test(test_write),
      cmocka_unit_test(test_oldest_first), cmocka_unit_test(test_refused)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
