/* The closed forms themselves, at the small machine of rig.h, where every number can be worked out
 * by hand. */
#include "rig.h"

#include "machine/bounds.h"

static void open_rig(struct machine *x, const char *a, const char *b, const char *c) {
  const char *set[64];
  size_t n = sizeof rig_set / sizeof *rig_set;
  memcpy(set, rig_set, sizeof rig_set);
  set[n++] = a;
  if (a != NULL) set[n++] = b;
  if (a != NULL && b != NULL) set[n++] = c;
  set[n] = NULL;
  machine_init(x, NULL, set);
}

static void rate_is(struct weir_rate r, uint64_t bytes, uint64_t cycles) {
  if (r.bytes * cycles != bytes * r.cycles)
    fail_msg("%llu / %llu, not %llu / %llu", (unsigned long long)r.bytes,
             (unsigned long long)r.cycles, (unsigned long long)bytes, (unsigned long long)cycles);
}

static void cap_is(const struct weir_machine *m, enum weir_cap_id id, enum weir_flow flow,
                   uint64_t bytes, uint64_t cycles, uint64_t units) {
  struct weir_cap c;
  assert_true(weir_cap(m, id, flow, &c));
  rate_is(c.each, bytes, cycles);
  assert_int_equal(c.units, units);
}

static void test_latencies(void **state) {
  (void)state;
  struct machine x;
  open_rig(&x, NULL, NULL, NULL);
  assert_int_equal(weir_l1_latency(&x.m), L1_HIT);
  assert_int_equal(weir_l2_latency(&x.m, 4), L2_LINE);
  assert_int_equal(weir_l2_latency(&x.m, 1), L2_SECTOR);
  for (uint64_t at = 0; at < 3; at++) { /* equal clocks: any cycle will do */
    assert_int_equal(weir_dram_latency(&x.m, 1, at, WEIR_BANK_CLOSED), DRAM_ONE);
    assert_int_equal(weir_dram_latency(&x.m, 4, at, WEIR_BANK_CLOSED), DRAM_ONE + 3 * CCDL);
    assert_int_equal(weir_dram_latency(&x.m, 1, at, WEIR_BANK_HAS_ROW), DRAM_ONE - RCD);
    assert_int_equal(weir_dram_latency(&x.m, 1, at, WEIR_BANK_HAS_OTHER), DRAM_ONE + RP);
  }
  assert_int_equal(weir_l2_fetch(&x.m), 4);
  assert_int_equal(weir_dram_fetch(&x.m), 4);
  machine_free(&x);
  open_rig(&x, "l1.sectored=true", "sm.load_extra=3", "dram.clock_mhz=400");
  assert_int_equal(weir_l1_latency(&x.m), L1_HIT + 3);
  assert_int_equal(weir_l2_latency(&x.m, 1), L2_SECTOR + 3);
  assert_int_equal(weir_l2_fetch(&x.m), 1);
  /* From core cycle 4, DRAM cycle 1 has begun (at 2.5): command in 2, data end after 12 + 11 + 1
   * more, in DRAM cycle 26, core cycle 65. */
  assert_int_equal(weir_dram_latency(&x.m, 1, 4, WEIR_BANK_CLOSED), 65 - 4 + EXTRA);
  machine_free(&x);
  open_rig(&x, "l3.enabled=true", "l3.latency=9", NULL);
  assert_int_equal(weir_l3_latency(&x.m, 4), L2_LINE + 9);
  assert_int_equal(weir_dram_latency(&x.m, 1, 0, WEIR_BANK_CLOSED), DRAM_ONE + 9);
  cap_is(&x.m, WEIR_CAP_L3, WEIR_FLOW_DRAM_WRITE, 128, 1, 1);
  cap_is(&x.m, WEIR_CAP_L3_MSHR, WEIR_FLOW_DRAM_READ, 64 * 128, DRAM_ONE + 3 * CCDL + RP, 1);
  machine_free(&x);
  open_rig(&x, "l1.sectored=true", "l3.enabled=true", "l3.sectored=false");
  assert_int_equal(weir_dram_fetch(&x.m), 4);
  machine_free(&x);
  open_rig(&x, "l1.sectored=true", "l2.sectored=false", NULL);
  assert_int_equal(weir_dram_fetch(&x.m), 4);
  machine_free(&x);
}

static void test_ports(void **state) {
  (void)state;
  struct machine x;
  open_rig(&x, "sm.count=3", "l2.slices=4", NULL);
  const struct weir_machine *m = &x.m;
  cap_is(m, WEIR_CAP_ISSUE, WEIR_FLOW_L1_READ, 128, 1, 3);
  cap_is(m, WEIR_CAP_L1_HIT, WEIR_FLOW_L1_READ, 128, 1, 3);
  cap_is(m, WEIR_CAP_L1_FILL, WEIR_FLOW_L2_READ, 128, 2, 3);
  cap_is(m, WEIR_CAP_L1_MSHR, WEIR_FLOW_L2_READ, 32 * 128, L2_LINE - 1, 3);
  cap_is(m, WEIR_CAP_L1_MSHR, WEIR_FLOW_DRAM_READ, 32 * 128, DRAM_LINE + RP - 1, 3);
  cap_is(m, WEIR_CAP_INFLIGHT, WEIR_FLOW_DRAM_BYPASS, 1024 * 128, DRAM_LINE + RP - 1, 3);
  /* A read is a header, 8 bytes: one flit; a line with its header, 136 bytes: five. */
  cap_is(m, WEIR_CAP_REQUEST_PORT, WEIR_FLOW_L2_READ, 128, 1, 3);
  cap_is(m, WEIR_CAP_REQUEST_PORT, WEIR_FLOW_L2_WRITE, 128, 5, 3);
  cap_is(m, WEIR_CAP_REPLY_PORT, WEIR_FLOW_L2_READ, 128, 5, 3);
  cap_is(m, WEIR_CAP_REPLY_PORT, WEIR_FLOW_L2_WRITE, 128, 1, 3);
  cap_is(m, WEIR_CAP_SLICE_IN, WEIR_FLOW_L2_READ, 128, 1, 4);
  cap_is(m, WEIR_CAP_SLICE_IN, WEIR_FLOW_L2_WRITE, 128, 5, 4);
  cap_is(m, WEIR_CAP_SLICE_OUT, WEIR_FLOW_L2_READ, 128, 5, 4);
  cap_is(m, WEIR_CAP_SLICE_OUT, WEIR_FLOW_L2_WRITE, 128, 1, 4);
  /* 64 places: 64 reads or 12 lines; 256: 51 lines. */
  cap_is(m, WEIR_CAP_REQUEST_CREDIT, WEIR_FLOW_L2_READ, 64 * 128, REQUEST + CREDIT, 12);
  cap_is(m, WEIR_CAP_REQUEST_CREDIT, WEIR_FLOW_L2_WRITE, 12 * 128, 4 + REQUEST + CREDIT, 12);
  cap_is(m, WEIR_CAP_REPLY_CREDIT, WEIR_FLOW_L2_READ, 51 * 128, 4 + REPLY + CREDIT, 12);
  cap_is(m, WEIR_CAP_L2_MSHR, WEIR_FLOW_DRAM_READ, 32 * 128, DRAM_ONE + 3 * CCDL + RP, 4);
  struct weir_cap c;
  assert_false(weir_cap(m, WEIR_CAP_L2_PORT, WEIR_FLOW_L2_READ, &c)); /* as wide as need be */
  c = weir_bottleneck(m, WEIR_FLOW_L2_READ);
  assert_string_equal(c.where, "reply port of an SM"); /* three of them, against four slices */
  c = weir_bottleneck(m, WEIR_FLOW_L2_WRITE);
  assert_string_equal(c.where, "request port of an SM");
  machine_free(&x);
  /* Four lines of four columns are a quarter of a row under way, and inherit as much of its wait.
   */
  open_rig(&x, "l1.mshr_entries=4", NULL, NULL);
  cap_is(&x.m, WEIR_CAP_L1_MSHR, WEIR_FLOW_DRAM_READ, 4 * 4 * 128,
         4 * (DRAM_LINE - RCD - 1) + RCD + RP, 1);
  machine_free(&x);
  open_rig(&x, "l2.port_bytes=24", "l2.slices=4", NULL); /* 128 bytes: six cycles */
  cap_is(&x.m, WEIR_CAP_L2_PORT, WEIR_FLOW_L2_READ, 128, 6, 4);
  cap_is(&x.m, WEIR_CAP_L2_PORT, WEIR_FLOW_L2_WRITE, 128, 6, 4);
  cap_is(&x.m, WEIR_CAP_L2_PORT, WEIR_FLOW_DRAM_WRITE, 128, 12, 4);
  assert_false(weir_cap(&x.m, WEIR_CAP_L2_PORT, WEIR_FLOW_DRAM_READ, &c));
  assert_string_equal(weir_bottleneck(&x.m, WEIR_FLOW_L2_READ).where, "reply port of an SM");
  machine_free(&x);
  /* A crossbar: all SMs share the room of a slice, and the queue of an SM is free when its packets
   * have left it. */
  open_rig(&x, "sm.count=3", "noc.crossbar=fifo", "noc.input_buffer=24");
  cap_is(&x.m, WEIR_CAP_REQUEST_QUEUE, WEIR_FLOW_L2_READ, 24 * 128, CREDIT, 3);
  cap_is(&x.m, WEIR_CAP_REQUEST_QUEUE, WEIR_FLOW_L2_WRITE, 4 * 128, 4 + CREDIT, 3);
  cap_is(&x.m, WEIR_CAP_REPLY_QUEUE, WEIR_FLOW_L2_READ, 4 * 128, 4 + CREDIT, 1);
  cap_is(&x.m, WEIR_CAP_REQUEST_CREDIT, WEIR_FLOW_L2_READ, 64 * 128, REQUEST + CREDIT, 1);
  cap_is(&x.m, WEIR_CAP_REPLY_CREDIT, WEIR_FLOW_L2_READ, 51 * 128, 4 + REPLY + CREDIT, 3);
  machine_free(&x);
  /* A read of four sectors has four flits. */
  open_rig(&x, "noc.read_request=sector", NULL, NULL);
  cap_is(&x.m, WEIR_CAP_REQUEST_PORT, WEIR_FLOW_L2_READ, 128, 4, 1);
  cap_is(&x.m, WEIR_CAP_SLICE_IN, WEIR_FLOW_L2_READ, 128, 4, 1);
  assert_int_equal(weir_l2_latency(&x.m, 4), L2_LINE + 3);
  machine_free(&x);
  open_rig(&x, "l1.port_bytes=48", "sm.load_interval=6", NULL);
  cap_is(&x.m, WEIR_CAP_L1_HIT, WEIR_FLOW_L1_READ, 128, 3, 1);
  cap_is(&x.m, WEIR_CAP_ISSUE, WEIR_FLOW_L1_READ, 128, 6, 1);
  machine_free(&x);
}

/* Packets carry the smaller line: 64 bytes with their header are three flits, 32 are two. */
static void test_lines(void **state) {
  (void)state;
  struct machine x;
  open_rig(&x, "l1.line=256", "l2.line=64", NULL);
  const struct weir_machine *m = &x.m;
  uint64_t line = 1 + REQUEST + L2 + 2 + REPLY + 3 * 3; /* three packets follow the first */
  assert_int_equal(weir_l2_latency(m, 8), line);
  assert_int_equal(weir_l2_latency(m, 2), line - 3 * 3);
  assert_int_equal(weir_l2_latency(m, 1), L2_SECTOR);
  assert_int_equal(weir_l2_fetch(m), 8);
  assert_int_equal(weir_dram_fetch(m), 8);
  cap_is(m, WEIR_CAP_L1_FILL, WEIR_FLOW_L2_READ, 256, 3, 1);
  cap_is(m, WEIR_CAP_L1_MSHR, WEIR_FLOW_L2_READ, 32 * 256, line - 1, 1);
  /* Columns take as long as ports: the last of eight, and then the last packet. */
  cap_is(m, WEIR_CAP_L1_MSHR, WEIR_FLOW_DRAM_READ, 32 * 256,
         line - 3 * 3 - 1 + DRAM_ONE + 7 * CCDL + RP, 1);
  cap_is(m, WEIR_CAP_REPLY_PORT, WEIR_FLOW_L2_READ, 64, 3, 1);
  cap_is(m, WEIR_CAP_REQUEST_PORT, WEIR_FLOW_L2_READ, 64, 1, 1);
  cap_is(m, WEIR_CAP_REQUEST_CREDIT, WEIR_FLOW_L2_WRITE, 21 * 64, 2 + REQUEST + CREDIT, 1);
  cap_is(m, WEIR_CAP_L2_MSHR, WEIR_FLOW_DRAM_READ, 32 * 64, DRAM_ONE + CCDL + RP, 1);
  machine_free(&x);
  open_rig(&x, "l1.line=32", "l2.mshr_merge=3", "l3.enabled=true");
  assert_int_equal(weir_l2_latency(m, 1), L2_SECTOR);
  assert_int_equal(weir_dram_fetch(m), 1);
  cap_is(m, WEIR_CAP_REPLY_PORT, WEIR_FLOW_L2_READ, 32, 2, 1);
  cap_is(m, WEIR_CAP_L3, WEIR_FLOW_DRAM_READ, 32, 1, 1);
  cap_is(m, WEIR_CAP_L3, WEIR_FLOW_DRAM_WRITE, 128, 1, 1);
  /* Three sectors of a line can be waited for. */
  cap_is(m, WEIR_CAP_L2_MSHR, WEIR_FLOW_DRAM_READ, 32 * 96, DRAM_ONE + 40 + 2 * CCDL + RP, 1);
  machine_free(&x);
  open_rig(&x, "l1.line=32", "l2.sectored=false", NULL);
  assert_int_equal(weir_dram_fetch(m), 4);
  machine_free(&x);
}

static void test_flows(void **state) {
  (void)state;
  struct machine x;
  struct weir_cap c;
  open_rig(&x, "l1.enabled=false", NULL, NULL);
  assert_false(weir_cap(&x.m, WEIR_CAP_L1_HIT, WEIR_FLOW_L1_READ, &c));
  assert_null(weir_bottleneck(&x.m, WEIR_FLOW_L1_READ).where);
  assert_null(weir_bottleneck(&x.m, WEIR_FLOW_DRAM_READ).where);
  assert_non_null(weir_bottleneck(&x.m, WEIR_FLOW_DRAM_BYPASS).where);
  machine_free(&x);
  open_rig(&x, NULL, NULL, NULL);
  assert_false(weir_cap(&x.m, WEIR_CAP_L1_MSHR, WEIR_FLOW_L2_BYPASS, &c));
  assert_false(weir_cap(&x.m, WEIR_CAP_DRAM, WEIR_FLOW_L2_READ, &c));
  machine_free(&x);
}

/* t_ccd 2, t_ccdl 3, t_rrd 6, t_rcd 12, t_ras 28, t_rp 12, t_rc 40, t_cl 11, t_wl 4, t_cdlr 5,
 * t_wr 12, t_rtpl 2; 16 banks in 4 groups; a row of 64 columns. */
static void test_dram(void **state) {
  (void)state;
  struct machine x;
  open_rig(&x, NULL, NULL, NULL);
  const struct weir_machine *m = &x.m;
  struct weir_dram_use all = {.columns = 64}, one_group = {.columns = 64, .groups = 1},
                       one_bank = {.columns = 64, .banks = 1, .groups = 1}, rows = {.columns = 1},
                       two_banks = {.columns = 1, .banks = 2, .groups = 2},
                       written = {.columns = 1, .banks = 2, .groups = 2, .run_writes = 1},
                       mixed = {.columns = 64, .run_reads = 8, .run_writes = 8};
  rate_is(weir_dram_rate(m, &all), 32, 2);       /* t_ccd */
  rate_is(weir_dram_rate(m, &one_group), 32, 3); /* t_ccdl */
  /* The last of 64 columns at 12 + 63 * 3, precharge after 2, open again after 12. */
  rate_is(weir_dram_rate(m, &one_bank), 64 * 32, 12 + 63 * 3 + 2 + 12);
  rate_is(weir_dram_rate(m, &rows), 32, 6);           /* t_rrd */
  rate_is(weir_dram_rate(m, &two_banks), 2 * 32, 40); /* t_rc */
  rate_is(weir_dram_rate(m, &written), 2 * 32, 12 + 4 + 1 + 12 + 12);
  /* To writes: 11 + 1 - 4 cycles instead of 2; back: 4 + 1 + 5 instead of 2. */
  rate_is(weir_dram_rate(m, &mixed), 16 * 32, 16 * 2 + 6 + 8);
  cap_is(m, WEIR_CAP_DRAM, WEIR_FLOW_DRAM_READ, 32, 2, 1);
  /* 64 places, one row: T = 25 + 2 * (64 - T / 3), so 5 / 3 * T = 153. */
  rate_is(weir_dram_window(m), 64 * 32 * 5, 3 * 153);
  machine_free(&x);
  open_rig(&x, "dram.clock_mhz=924", "core.clock_mhz=700", "dram.burst_cyc=4");
  rate_is(weir_dram_rate(&x.m, &all), 32 * 924, 4 * 700);
  machine_free(&x);
  open_rig(&x, "dram.queue=8", NULL, NULL); /* eight columns are over before the next row is open */
  rate_is(weir_dram_window(&x.m), 64 * 32, 25 + 3 * (64 - 8));
  machine_free(&x);
  /* 16 - 25 / 3 columns are left when the next row is open; two rows by turns take four cycles. */
  open_rig(&x, "dram.queue=16", NULL, NULL);
  rate_is(weir_dram_window(&x.m), 3 * 64 * 32, 3 * (25 + 3 * (64 - 16)) + 3 * 16 - 25);
  machine_free(&x);
  open_rig(&x, "dram.queue=8", "dram.row_bytes=128", NULL); /* rows of four columns */
  rate_is(weir_dram_window(&x.m), 8 * 32, 25);
  machine_free(&x);
  open_rig(&x, "dram.dual_bus=false", "dram.t_rrd=1", "dram.t_rc=10");
  rate_is(weir_dram_rate(&x.m, &rows), 32, 3); /* activation, column, precharge on one bus */
  machine_free(&x);
}

/* Columns of 64 bytes: a line is two of them, a sector one. */
static void test_wide_columns(void **state) {
  (void)state;
  struct machine x;
  open_rig(&x, "dram.atom_bytes=64", "dram.burst_cyc=2", NULL);
  const struct weir_machine *m = &x.m;
  assert_int_equal(weir_dram_latency(m, 1, 0, WEIR_BANK_CLOSED), DRAM_ONE + 1);
  assert_int_equal(weir_dram_latency(m, 2, 0, WEIR_BANK_CLOSED), DRAM_ONE + 1);
  assert_int_equal(weir_dram_latency(m, 4, 0, WEIR_BANK_CLOSED), DRAM_ONE + 1 + CCDL);
  cap_is(m, WEIR_CAP_DRAM, WEIR_FLOW_DRAM_READ, 64, 2, 1);
  machine_free(&x);
  open_rig(&x, "dram.atom_bytes=64", "l1.line=32", NULL); /* half of each is for nothing */
  cap_is(m, WEIR_CAP_DRAM, WEIR_FLOW_DRAM_READ, 32, 2, 1);
  cap_is(m, WEIR_CAP_DRAM, WEIR_FLOW_DRAM_WRITE, 64, 2, 1);
  machine_free(&x);
  open_rig(&x, "l2.write_miss=forward", NULL, NULL); /* what is written is read besides */
  cap_is(m, WEIR_CAP_DRAM, WEIR_FLOW_DRAM_WRITE, 32, 4, 1);
  machine_free(&x);
  /* A request at work and one that waits, each of four columns, as eight places for columns. */
  open_rig(&x, "dram.queue=1", "dram.queue_counts=requests", NULL);
  rate_is(weir_dram_window(m), 64 * 32, 25 + 3 * (64 - 8));
  machine_free(&x);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_latencies), cmocka_unit_test(test_ports),
      cmocka_unit_test(test_lines),     cmocka_unit_test(test_flows),
      cmocka_unit_test(test_dram),      cmocka_unit_test(test_wide_columns),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
