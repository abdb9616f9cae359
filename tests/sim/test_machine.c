/* Impossible machines are refused, with a message that names the parameters: every rule between
 * parameters has an example here. */
#include "synth.h"

#include <stdio.h>

#include "../stream/util.h"

/* Up to three assignments to the default machine; the whole message. */
static void refuse(const char *a, const char *b, const char *c, const char *message) {
  const char *const set[] = {a, b, c, NULL};
  char first[512];
  struct machine x;
  struct weir_err err;
  assert_int_equal(machine_try(&x, NULL, set, &err), WEIR_EINVAL);
  const char *at = strncmp(err.msg, "--set: ", 7) == 0 ? err.msg + 7 : err.msg;
  assert_memory_equal(at, "machine test: ", 14);
  snprintf(first, sizeof first, "%.*s", (int)strcspn(at + 14, "\n"), at + 14);
  assert_string_equal(first, message);
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
  refuse("l1.sets=33", NULL, NULL, "l1.sets (33) must be a power of two");
  refuse("l1.line=96", "l2.line=128", NULL, "l1.line (96) must be a power of two");
  refuse("l1.sector=12", NULL, NULL, "l1.sector (12) must be a power of two");
  refuse("l2.sets=3", NULL, NULL, "l2.sets (3) must be a power of two");
  refuse("l2.line=96", NULL, NULL, "l2.line (96) must be a power of two");
  refuse("l2.interleave=384", NULL, NULL, "l2.interleave (384) must be a power of two");
  refuse("l2.interleave=64", NULL, NULL, "l2.interleave (64) is less than l2.line (128)");
  accept("l2.interleave=128", NULL, NULL);
}

static void test_dram_geometry(void **state) {
  (void)state;
  const char *geometry =
      "dram.row_bytes and dram.atom_bytes must be powers of two, a row at least "
      "an l2.line, an atom at most one, and dram.banks a multiple of dram.bank_groups";
  refuse("dram.row_bytes=1000", NULL, NULL, geometry);
  refuse("dram.atom_bytes=12", NULL, NULL, geometry);
  refuse("dram.row_bytes=64", NULL, NULL, geometry);
  refuse("dram.atom_bytes=64", "l2.line=32", NULL, geometry);
  refuse("dram.atom_bytes=256", NULL, NULL, geometry);
  accept("dram.atom_bytes=128", NULL, NULL);
  refuse("dram.banks=6", NULL, NULL, geometry);
  accept("dram.row_bytes=128", "dram.atom_bytes=8", "dram.banks=4");
}

static void test_sizes_that_must_agree(void **state) {
  (void)state;
  accept("l1.line=64", "l2.line=64", NULL);
  accept("l1.line=32", "l2.line=256", NULL);
  accept("l1.line=256", "l2.line=32", NULL);
  refuse("l1.line=256", "l1.sector=8", NULL, "l1.line (256) is more than 16 of l1.sector (8)");
  refuse("l1.index=fermi_xor", "l1.sets=16", NULL,
         "l1.index fermi_xor is defined for 32 or 64 l1.sets, not 16");
  accept("l1.index=fermi_xor", "l1.sets=64", NULL);
  refuse("l2.slices=8", NULL, NULL, "l2.slices (8) must be a multiple of dram.channels (6)");
  accept("l2.slices=6", NULL, NULL);
}

static void test_limits(void **state) {
  (void)state;
  refuse("l2.slices=33", "dram.channels=1", NULL,
         "33 l2.slices for each of dram.channels; at most 32");
  accept("l2.slices=32", "dram.channels=1", NULL);
  const char *waiters = "mshr_entries times mshr_merge is more than 4194304 in l1 or l2";
  refuse("l1.mshr_entries=65536", "l1.mshr_merge=65", NULL, waiters);
  refuse("l2.mshr_entries=65536", "l2.mshr_merge=65", NULL, waiters);
  accept("l1.mshr_entries=65536", "l1.mshr_merge=64", NULL);
}

/* A buffer or queue that what must pass it does not fit into: a bandwidth of zero. */
static void test_no_bandwidth(void **state) {
  (void)state;
  /* 8 + 128 bytes: five flits of 32. A store's data need the request buffer, a load's the reply
   * buffer. */
  refuse("noc.request_buffer=4", NULL, NULL,
         "stores to L2 have no bandwidth: a packet has up to 5 flits, but noc.request_buffer holds "
         "only 4");
  refuse(
      "noc.reply_buffer=4", NULL, NULL,
      "L2 hits have no bandwidth: a packet has up to 5 flits, but noc.reply_buffer holds only 4");
  refuse("noc.reply_buffer=4", "l1.enabled=false", NULL,
         "L2 hits, bypass have no bandwidth: a packet has up to 5 flits, but noc.reply_buffer "
         "holds only 4");
  accept("noc.request_buffer=5", "noc.reply_buffer=5", NULL);
  refuse("noc.flit_bytes=1", NULL, NULL,
         "stores to L2 have no bandwidth: a packet has up to 136 flits, but noc.request_buffer "
         "holds only 64");
  accept("noc.flit_bytes=1", "noc.request_buffer=136", NULL);
  refuse("noc.request_flits=sectors", "noc.request_buffer=4", NULL, /* four sectors and a mask */
         "stores to L2 have no bandwidth: a packet has up to 5 flits, but noc.request_buffer holds "
         "only 4");
  accept("noc.request_flits=sectors", "noc.request_buffer=5", NULL);
  refuse("dram.queue=3", NULL, NULL,
         "DRAM reads have no bandwidth: one is 4 column accesses, but dram.queue holds only 3");
  accept("dram.queue=4", NULL, NULL);
  refuse("dram.queue=4", "dram.atom_bytes=16", NULL,
         "DRAM reads have no bandwidth: one is 8 column accesses, but dram.queue holds only 4");
  refuse("l2.fetch_bytes=128", "l1.line=32", "dram.queue=3", /* more than a load is for */
         "DRAM reads have no bandwidth: one is 4 column accesses, but dram.queue holds only 3");
  accept("dram.queue=1", "dram.queue_counts=requests", NULL);
  accept("dram.queue=1", "dram.atom_bytes=128", NULL);
  refuse("dram.queue=4096", "dram.queue_counts=requests", "dram.atom_bytes=8",
         "requests of dram.queue (4096) and dram.banks (16) would have 65792 columns of "
         "dram.atom_bytes (8); at most 65535");
}

/* Each of these would stop a run for ever, or leave no cache. */
static void test_deadlocks(void **state) {
  (void)state;
  refuse("l2.write_queue=7", "l2.write_miss=forward", NULL,
         "l2.write_queue (7 sectors) has no room for the dirty sectors of a line and a store "
         "besides: l2.line is 128");
  accept("l2.write_queue=8", "l2.write_miss=forward", NULL);
  refuse("dram.input_queue=1", NULL, NULL,
         "dram.input_queue (1) must be 0 or at least 2: a line may be written back while another "
         "is fetched");
  refuse("dram.input_queue=2", "l2.write_miss=forward", NULL,
         "dram.input_queue (2) must be 0 or at least 3: a line may be written back and a store "
         "sent on while another is fetched");
  accept("dram.input_queue=3", "l2.write_miss=forward", "l2.write_queue=1");
  refuse("l1.miss_queue=1", NULL, NULL,
         "with l1.local_wb a miss may send a line and ask for another: l1.miss_queue must be at "
         "least 2");
  accept("l1.miss_queue=1", "l1.local_wb=false", NULL);
  refuse("l1.unified_bytes=2K", NULL, NULL,
         "l1.unified_bytes (2048) has no room for one way: l1.line times l1.sets is 4096");
  accept("l1.unified_bytes=2K", "l1.sets=16", NULL);
  refuse("l1.unified_bytes=64K", "l1.carveouts=0,80K", NULL,
         "l1.carveouts '0,80K' must be at most 16 ascending sizes, such as 0,8K,16K, of at most "
         "l1.unified_bytes (65536)");
  refuse("l1.unified_bytes=64K", "l1.carveouts=16K,8K", NULL,
         "l1.carveouts '16K,8K' must be at most 16 ascending sizes, such as 0,8K,16K, of at most "
         "l1.unified_bytes (65536)");
  refuse("l1.unified_bytes=64K", "l1.carveouts=8K;", NULL,
         "l1.carveouts '8K;' must be at most 16 ascending sizes, such as 0,8K,16K, of at most "
         "l1.unified_bytes (65536)");
  accept("l1.unified_bytes=64K", "l1.carveouts=0,8K,64K", NULL);
  refuse("l2.write_queue=3", NULL, NULL,
         "l2.write_queue (3 sectors) has no room for the dirty sectors of a line: l2.line is 128");
  accept("l2.write_queue=4", NULL, NULL);
  refuse("l3.enabled=true", "l3.write_queue=3", NULL,
         "l3.write_queue (3 sectors) has no room for the dirty sectors of a line: l2.line is 128");
  accept("l3.write_queue=3", NULL, NULL);
  refuse("l3.enabled=true", "l3.sets=3", NULL, "l3.sets must be a power of two");
  refuse("l3.enabled=true", "l3.mshr_entries=65536", "l3.mshr_merge=65536",
         "mshr_entries times mshr_merge is more than 4194304 in l3");
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

/* The smallest size that holds what the blocks use. */
static void test_carveouts(void **state) {
  (void)state;
  struct machine x;
  const char *const set[] = {"l1.unified_bytes=64K", "l1.carveouts=0,8K,48K", NULL};
  machine_init(&x, NULL, set);
  assert_int_equal(weir_carveout(&x.m, 0), 0);
  assert_int_equal(weir_carveout(&x.m, 1), 8192);
  assert_int_equal(weir_carveout(&x.m, 8192), 8192);
  assert_int_equal(weir_carveout(&x.m, 8193), 49152);
  assert_int_equal(weir_carveout(&x.m, 50000), 50000);
  machine_free(&x);
}

/* Of size, sets and ways two give the third: what was said last counts, the sets are kept. */
static void shape(const char *file, const char *a, const char *b, int64_t size, int64_t sets,
                  int64_t ways) {
  const char *const set[] = {a, b, NULL};
  struct machine x;
  struct weir_err err;
  struct weir_machine again;
  machine_init(&x, file, set);
  for (unsigned i = 0; i < 2; i++) { /* what follows, put into the settings, says the same */
    assert_int_equal(weir_machine_fill(&again, "test", &x.settings, &err), WEIR_OK);
    assert_int_equal(again.l1.size, size);
    assert_int_equal(again.l1.sets, sets);
    assert_int_equal(again.l1.ways, ways);
    assert_int_equal(weir_machine_settle(&again, &x.settings, &err), WEIR_OK);
  }
  machine_free(&x);
}

static void test_shape(void **state) {
  const char *root = *state;
  char v100[4096], fermi[4096];
  snprintf(v100, sizeof v100, "%s/gpus/v100.yaml", root);
  snprintf(fermi, sizeof fermi, "%s/gpus/fermi-s3.yaml", root);
  shape(NULL, NULL, NULL, 16384, 32, 4);
  shape(NULL, "l1.size=8K", NULL, 8192, 32, 2);
  shape(NULL, "l1.ways=8", NULL, 32768, 32, 8);
  shape(NULL, "l1.sets=64", NULL, 32768, 64, 4);
  shape(fermi, "l1.size=64K", "l1.ways=8", 65536, 64, 8);
  shape(fermi, "l1.size=64K", "l1.sets=64", 65536, 64, 8);
  shape(v100, NULL, NULL, 131072, 4, 256);
  shape(v100, "l1.size=32K", NULL, 32768, 4, 64);
  shape(v100, "l1.ways=64", NULL, 32768, 4, 64);
  shape(v100, "l1.sets=8", NULL, 131072, 8, 128);
  shape(v100, "l1.sets=8", "l1.ways=8", 8192, 8, 8);
  shape(v100, "l1.unified_bytes=96K", NULL, 98304, 4, 192);
  shape(v100, "l1.line=64", "l2.line=64", 131072, 4, 512);
  shape(v100, "l1.unified_bytes=0", "l1.size=16K", 16384, 4, 32);
  refuse("l1.size=1000", NULL, NULL,
         "l1.size (1000) is no multiple of l1.line times l1.sets (4096)");
  refuse("l1.size=48K", "l1.ways=4", NULL,
         "l1.size (49152) would need 96 l1.sets; a power of two is accepted, up to 65536");
  refuse("l1.size=16K", "l1.ways=4", "l1.sets=64",
         "l1.size (16384) is not what l1.sets (64) and l1.ways (4) give: 32768");
  refuse("l1.size=64K", "l1.unified_bytes=32K", NULL,
         "l1.size (65536) is more than l1.unified_bytes (32768), of which it is a part");
}

/* The whole array is what the blocks leave; a part of it is no more than that. */
static void test_lines_of_a_kernel(void **state) {
  char v100[4096];
  struct machine x;
  snprintf(v100, sizeof v100, "%s/gpus/v100.yaml", (const char *)*state);
  machine_init(&x, v100, NULL);
  assert_int_equal(weir_l1_lines(&x.m, 0), 256 * 4);
  assert_int_equal(weir_l1_lines(&x.m, 40000), 128 * 4);
  assert_int_equal(weir_l1_lines(&x.m, 98304), 64 * 4);
  machine_free(&x);
  machine_init(&x, v100, (const char *const[]){"l1.size=64K", NULL});
  assert_int_equal(weir_l1_lines(&x.m, 0), 128 * 4);
  assert_int_equal(weir_l1_lines(&x.m, 40000), 128 * 4);
  assert_int_equal(weir_l1_lines(&x.m, 98304), 64 * 4);
  machine_free(&x);
}

int main(int argc, char **argv) {
  char *root = argc > 1 ? argv[1] : (char *)".";
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_powers_of_two),
      cmocka_unit_test(test_dram_geometry),
      cmocka_unit_test(test_sizes_that_must_agree),
      cmocka_unit_test(test_limits),
      cmocka_unit_test(test_no_bandwidth),
      cmocka_unit_test(test_deadlocks),
      cmocka_unit_test(test_window),
      cmocka_unit_test(test_carveouts),
      cmocka_unit_test_prestate(test_shape, root),
      cmocka_unit_test_prestate(test_lines_of_a_kernel, root),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
