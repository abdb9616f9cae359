/* Impossible machines are refused, with a message that names the parameters. */
#include "synth.h"

#include "../stream/util.h"

static void refuse(const char *a, const char *b, const char *c, const char *names) {
  const char *const set[] = {a, b, c, NULL};
  struct machine x;
  struct weir_err err;
  assert_int_equal(machine_try(&x, NULL, set, &err), WEIR_EINVAL);
  if (strstr(err.msg, names) == NULL) fail_msg("'%s' is not in: %s", names, err.msg);
  machine_free(&x);
}

static void accept(const char *a, const char *b, const char *c) {
  const char *const set[] = {a, b, c, NULL};
  struct machine x;
  machine_init(&x, NULL, set);
  machine_free(&x);
}

static void test_powers_of_two(void **state) {
  (void)state;
  refuse("l1.sets=33", NULL, NULL, "l1.sets");
  refuse("l1.line=96", "l2.line=96", NULL, "l1.line");
  refuse("l2.sets=3", NULL, NULL, "l2.sets");
  refuse("l2.interleave=384", NULL, NULL, "l2.interleave");
  refuse("dram.row_bytes=1000", NULL, NULL, "dram.row_bytes");
  refuse("dram.atom_bytes=12", NULL, NULL, "dram.atom_bytes");
}

static void test_sizes_that_must_agree(void **state) {
  (void)state;
  refuse("l1.line=64", NULL, NULL, "l2.line");
  accept("l1.line=64", "l2.line=64", NULL);
  refuse("l1.index=fermi_xor", "l1.sets=16", NULL, "fermi_xor");
  accept("l1.index=fermi_xor", "l1.sets=64", NULL);
  refuse("l2.slices=8", NULL, NULL, "dram.channels");
  refuse("l2.interleave=64", NULL, NULL, "l2.interleave");
  refuse("dram.row_bytes=64", NULL, NULL, "a row at least a line");
  refuse("dram.atom_bytes=64", NULL, NULL, "dram.atom_bytes");
  refuse("dram.banks=6", NULL, NULL, "dram.bank_groups");
}

static void test_limits(void **state) {
  (void)state;
  refuse("l2.slices=33", "dram.channels=1", NULL, "dram.channels");
  accept("l2.slices=32", "dram.channels=1", NULL);
  refuse("l1.mshr_entries=65536", "l1.mshr_merge=65536", NULL, "mshr_merge");
  refuse("l2.mshr_entries=65536", "l2.mshr_merge=65536", NULL, "mshr_merge");
}

/* Each of these would stop a run for ever. */
static void test_deadlocks(void **state) {
  (void)state;
  /* 8 + 128 bytes: five flits of 32. */
  refuse("noc.request_buffer=4", NULL, NULL, "noc.request_buffer is 4");
  refuse("noc.reply_buffer=4", NULL, NULL, "noc.reply_buffer 4");
  accept("noc.request_buffer=5", "noc.reply_buffer=5", NULL);
  refuse("noc.flit_bytes=1", NULL, NULL, "136 flits");
  refuse("dram.queue=3", NULL, NULL, "dram.queue");
  accept("dram.queue=4", NULL, NULL);
  refuse("dram.queue=4", "dram.atom_bytes=16", NULL, "dram.queue");
  refuse("l1.miss_queue=1", NULL, NULL, "l1.miss_queue");
  accept("l1.miss_queue=1", "l1.local_wb=false", NULL);
  refuse("l1.unified_bytes=2K", NULL, NULL, "l1.unified_bytes");
  accept("l1.unified_bytes=2K", "l1.sets=16", NULL);
}

static void test_window(void **state) {
  (void)state;
  const char *const set[] = {"noc.request_cyc=9",     "noc.reply_cyc=8",        "noc.credit_cyc=7",
                             "sm.dispatch_latency=6", "sm.broadcast_latency=5", NULL};
  for (unsigned i = 0; i < 5; i++) {
    struct machine x;
    const char *some[6];
    memcpy(some, set, sizeof some);
    some[5 - i] = NULL;
    machine_init(&x, NULL, some);
    assert_int_equal(x.m.window, 5 + i);
    machine_free(&x);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_powers_of_two), cmocka_unit_test(test_sizes_that_must_agree),
      cmocka_unit_test(test_limits),        cmocka_unit_test(test_deadlocks),
      cmocka_unit_test(test_window),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
