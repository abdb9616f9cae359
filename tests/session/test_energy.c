/* Energy from counts that are known. */
#include "session/energy.h"

#include <stdio.h>
#include <string.h>

#include "base/stat_io.h"
#include "l1/parts.h"
#include "testing.h"

static struct weir_energy_cfg cfg;
static struct weir_machine machine;
static struct weir_sim_result result;

static void begin(void) {
  weir_param_defaults(weir_energy_params.table, &cfg);
  machine = (struct weir_machine){.core.clock_mhz = 700, .sm.count = 15};
  result = (struct weir_sim_result){.parts = {&weir_org_conventional.part, &weir_policy_lru.part}};
}

static struct weir_energy energy(void) {
  struct weir_energy e;
  weir_energy(&cfg, &machine, &result, &e);
  return e;
}

static void is_near(uint64_t fj, double nj) {
  if (weir_energy_nj(fj) < nj - 0.001 || weir_energy_nj(fj) > nj + 0.001)
    fail_msg("%.6f nJ, not %.6f", weir_energy_nj(fj), nj);
}

/* A million looks at the tags and 400,000 accesses to the data. */
static void accesses(void **state) {
  (void)state;
  begin();
  result.l1.probes = 900000;
  result.sm.stall_probed = 100000;
  result.sm.stall[WEIR_NO_ICNT] = 12345; /* of requests that were not probed */
  result.l1.data_reads = 100000;
  result.l1.fills = 250000;
  result.l1.data_writes = 50000;
  struct weir_energy e = energy();
  assert_int_equal(e.tag_accesses, 1000000);
  assert_int_equal(e.data_accesses, 400000);
  is_near(e.tag_fj, 1340.96);
  is_near(e.data_fj, 42573.6);
  is_near(e.dynamic_fj, 43914.56);
  is_near(e.total_fj, 43914.56); /* no time has passed */
}

/* A millisecond of 15 L1s: 700,000 cycles of 700 MHz. */
static void leakage(void **state) {
  (void)state;
  begin();
  result.cycles = 700000;
  is_near(energy().static_fj, 7.538627 * 1000 * 15);
  machine.core.clock_mhz = 1400;
  is_near(energy().static_fj, 7.538627 * 500 * 15);
}

static void count(uint64_t *counters, const struct weir_part *part, const char *name, uint64_t n) {
  const struct weir_stat *row = weir_stat_find(part->stats, name);
  assert_non_null(row);
  memcpy((char *)counters + row->offset, &n, sizeof n);
}

/* The slides' constants with the predictor, and one access to its table for each look and each
 * change. */
static void predictor(void **state) {
  (void)state;
  static const char *const uses[] = {"predictions", "trained_up", "trained_down", "feedback_bypass",
                                     "feedback_fill"};
  begin();
  result.parts[2] = &weir_policy_pc_bypass.part;
  for (size_t i = 0; i < sizeof uses / sizeof *uses; i++)
    count(result.part[2], result.parts[2], uses[i], 1000000);
  count(result.part[2], result.parts[2], "sampled", 777);
  result.l1.probes = 1000000;
  result.cycles = 700000;
  struct weir_energy e = energy();
  assert_int_equal(e.table_accesses, 5000000);
  is_near(e.table_fj, 5 * 126.232);
  is_near(e.tag_fj, 1786.7);
  is_near(e.static_fj, 7.72904 * 1000 * 15);
  is_near(e.total_fj, 5 * 126.232 + 1786.7 + 7.72904 * 1000 * 15);
}

static void organisations(void **state) {
  (void)state;
  begin();
  result.l1.probes = 1000000;
  result.cycles = 700000;
  result.parts[0] = &weir_org_decoupled.part;
  is_near(energy().tag_fj, 1340.96 + 2000);
  is_near(energy().static_fj, (7.538627 + 0.113333) * 1000 * 15);
  result.parts[0] = &weir_org_tagsplit.part;
  is_near(energy().tag_fj, 1340.96 + 800);
  is_near(energy().static_fj, (7.538627 + 0.5) * 1000 * 15);
}

static void constants_can_be_set(void **state) {
  (void)state;
  begin();
  assert_int_equal(weir_param_set(weir_energy_params.table, &cfg, "tag_nj", "1", NULL, NULL),
                   WEIR_OK);
  result.l1.probes = 5;
  is_near(energy().tag_fj, 5);
}

static void notes(void **state) {
  (void)state;
  char text[160];
  begin();
  machine.l1 = (struct weir_l1_cfg){.sets = 32, .ways = 4, .line = 128, .size = 16384};
  assert_string_equal(weir_energy_size_note(&machine, text, sizeof text), "");
  machine.l1.ways = 8;
  machine.l1.size = 32768;
  assert_non_null(strstr(weir_energy_size_note(&machine, text, sizeof text), "here it has 32 KB"));
  machine.l1.unified_bytes = machine.l1.size = 131072;
  assert_non_null(strstr(weir_energy_size_note(&machine, text, sizeof text), "128 KB, shared"));
  assert_true(weir_energy_is_known(&weir_policy_lru.part));
  assert_true(weir_energy_is_known(&weir_policy_pc_bypass.part));
  assert_false(weir_energy_is_known(&weir_policy_ccws.part));
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(accesses),
                                     cmocka_unit_test(leakage),
                                     cmocka_unit_test(predictor),
                                     cmocka_unit_test(organisations),
                                     cmocka_unit_test(constants_can_be_set),
                                     cmocka_unit_test(notes)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
