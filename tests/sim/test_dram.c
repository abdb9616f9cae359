/* One DRAM channel: every command at its first legal cycle. */
#include "sim/dram.h"

#include "../stream/util.h"
#include "machine/msg.h"

/* Every parameter is different, so that none can stand for another. */
static const struct weir_dram_cfg slow = {.channels = 1,
                                          .banks = 4,
                                          .bank_groups = 2,
                                          .row_bytes = 1024,
                                          .atom_bytes = 32,
                                          .queue = 16,
                                          .t_ccd = 3,
                                          .t_ccdl = 5,
                                          .t_rrd = 7,
                                          .t_rcd = 11,
                                          .t_ras = 40,
                                          .t_rp = 17,
                                          .t_rc = 90,
                                          .t_cl = 19,
                                          .t_wl = 9,
                                          .t_cdlr = 23,
                                          .t_wr = 43,
                                          .t_rtpl = 53,
                                          .burst_cyc = 2,
                                          .dual_bus = true};

static struct weir_dram dram;
static struct weir_dram_cfg cfg;

/* The address of a column in a row of a bank, as weir_dram_push takes it apart. */
static uint64_t at(unsigned bank, uint64_t row, unsigned column) {
  uint64_t n = (uint64_t)cfg.banks, in_row = (bank + n - row % n) % n;
  return (row * n + in_row) * (uint64_t)cfg.row_bytes + column * 32u;
}

static void begin(const struct weir_dram_cfg *c) {
  cfg = *c;
  assert_true(weir_dram_init(&dram, &cfg));
}

static void read_at(unsigned bank, uint64_t row, unsigned column, uint32_t token) {
  weir_dram_push(&dram, at(bank, row, column), false, token);
}
static void write_at(unsigned bank, uint64_t row, unsigned column) {
  weir_dram_push(&dram, at(bank, row, column), true, 0);
}

/* Step through every cycle from `from` on until `*counter` moves; returns that cycle. Nothing may
 * happen earlier than the step function said. */
static uint64_t until(uint64_t from, const uint64_t *counter, uint64_t *done_at) {
  uint64_t before = *counter, next = from, promised = from;
  for (uint64_t t = from; t < from + 1000; t++) {
    uint32_t token;
    uint64_t end = 0;
    struct weir_dram_stats was = dram.stats;
    unsigned n = weir_dram_step(&dram, t, &token, &end, &next);
    if (n > 0 && done_at != NULL) *done_at = end;
    if (memcmp(&was, &dram.stats, sizeof was) != 0) assert_true(t >= promised);
    promised = next;
    if (*counter != before) return t;
  }
  fail_msg("nothing happened");
  return 0;
}

static void end(void) {
  weir_dram_free(&dram);
}

static void test_row_miss(void **state) {
  (void)state;
  uint64_t done;
  begin(&slow);
  read_at(0, 0, 0, 1);
  assert_int_equal(until(10, &dram.stats.activates, NULL), 10);
  assert_int_equal(until(11, &dram.stats.reads, &done), 10 + 11); /* t_rcd */
  assert_int_equal(done, 21 + 19 + 2);                            /* t_cl, burst */
  assert_int_equal(dram.stats.row_misses, 1);
  assert_int_equal(dram.stats.row_hits + dram.stats.row_conflicts, 0);
  end();
}

static void test_row_hit(void **state) {
  (void)state;
  begin(&slow);
  read_at(0, 0, 0, 1);
  until(10, &dram.stats.reads, NULL);
  read_at(0, 0, 1, 2);
  assert_int_equal(until(200, &dram.stats.reads, NULL), 200);
  assert_int_equal(dram.stats.row_hits, 1);
  assert_int_equal(dram.stats.activates, 1);
  end();
}

static void test_row_conflict(void **state) {
  (void)state;
  uint64_t done;
  begin(&slow);
  read_at(0, 0, 0, 1);
  until(10, &dram.stats.reads, NULL);
  read_at(0, 1, 0, 2);
  assert_int_equal(until(200, &dram.stats.precharges, NULL), 200);
  assert_int_equal(until(201, &dram.stats.activates, NULL), 217); /* t_rp */
  assert_int_equal(until(218, &dram.stats.reads, &done), 228);
  assert_int_equal(done, 228 + 21);
  assert_int_equal(dram.stats.row_conflicts, 1);
  end();
}

/* Two columns of different bank groups: t_ccd; of one: t_ccdl. */
static void test_ccd(void **state) {
  (void)state;
  for (unsigned other = 1; other <= 2; other++) { /* bank 1: the other group, 2: the same */
    begin(&slow);
    read_at(0, 0, 0, 1);
    read_at(other, 0, 0, 2);
    until(10, &dram.stats.reads, NULL);
    until(22, &dram.stats.reads, NULL);
    read_at(0, 0, 1, 3);
    read_at(other, 0, 1, 4);
    assert_int_equal(until(200, &dram.stats.reads, NULL), 200);
    assert_int_equal(until(201, &dram.stats.reads, NULL), 200 + (other == 1 ? 3 : 5));
    end();
  }
}

static void test_data_bus(void **state) {
  (void)state;
  struct weir_dram_cfg c = slow;
  c.burst_cyc = 8; /* longer than t_ccd and t_ccdl */
  begin(&c);
  read_at(0, 0, 0, 1);
  read_at(0, 0, 1, 2);
  until(10, &dram.stats.reads, NULL);
  assert_int_equal(until(22, &dram.stats.reads, NULL), 21 + 8);
  assert_int_equal(dram.stats.busy_cyc, 16);
  end();
}

static void test_rrd(void **state) {
  (void)state;
  begin(&slow);
  read_at(0, 0, 0, 1);
  read_at(1, 0, 0, 2);
  assert_int_equal(until(10, &dram.stats.activates, NULL), 10);
  assert_int_equal(until(11, &dram.stats.activates, NULL), 10 + 7);
  end();
}

static void test_ras(void **state) {
  (void)state;
  struct weir_dram_cfg c = slow;
  c.t_rtpl = 1;
  begin(&c);
  read_at(0, 0, 0, 1);
  read_at(0, 1, 0, 2);
  assert_int_equal(until(10, &dram.stats.precharges, NULL), 10 + 40);
  end();
}

static void test_rtpl(void **state) {
  (void)state;
  begin(&slow);
  read_at(0, 0, 0, 1);
  read_at(0, 1, 0, 2);
  assert_int_equal(until(10, &dram.stats.precharges, NULL), 21 + 53);
  end();
}

static void test_rc(void **state) {
  (void)state;
  struct weir_dram_cfg c = slow;
  c.t_rtpl = 1;
  begin(&c);
  read_at(0, 0, 0, 1);
  read_at(0, 1, 0, 2);
  until(10, &dram.stats.precharges, NULL); /* 50; t_rp would allow 67 */
  assert_int_equal(until(51, &dram.stats.activates, NULL), 10 + 90);
  end();
}

static void test_wl_and_cdlr(void **state) {
  (void)state;
  begin(&slow);
  write_at(0, 0, 0);
  read_at(0, 0, 1, 1);
  assert_int_equal(until(10, &dram.stats.writes, NULL), 21);
  assert_int_equal(until(22, &dram.stats.reads, NULL), 21 + 9 + 2 + 23); /* t_wl, data, t_cdlr */
  end();
}

static void test_wr(void **state) {
  (void)state;
  begin(&slow);
  write_at(0, 0, 0);
  read_at(0, 1, 1, 1);
  until(10, &dram.stats.writes, NULL);
  assert_int_equal(until(22, &dram.stats.precharges, NULL), 21 + 9 + 2 + 43);
  end();
}

/* Read data must have left the bus before write data come. */
static void test_read_to_write(void **state) {
  (void)state;
  begin(&slow);
  read_at(0, 0, 0, 1);
  write_at(0, 0, 1);
  until(10, &dram.stats.reads, NULL);
  assert_int_equal(until(22, &dram.stats.writes, NULL), 21 + 19 + 2 - 9);
  end();
}

/* Writes and reads by turns, each older than the next: a pair costs both turn-arounds. */
static void test_turn_around(void **state) {
  (void)state;
  uint64_t t = 10;
  begin(&slow);
  for (unsigned i = 0; i < 8; i++) {
    write_at(0, 0, 2 * i);
    read_at(0, 0, 2 * i + 1, i);
  }
  for (unsigned i = 0; i < 8; i++)
    t = until(t, &dram.stats.reads, NULL) + 1;
  uint64_t pair =
      23 + 19 + 2 * 2; /* t_cdlr, t_cl, two bursts: t_wl is in one and out of the other */
  assert_int_equal(t - 1, 21 + 7 * pair + 9 + 2 + 23);
  end();
}

/* A hit of a younger request goes before the row that an older one needs. */
static void test_fr_fcfs(void **state) {
  (void)state;
  begin(&slow);
  read_at(0, 0, 0, 1);
  until(10, &dram.stats.reads, NULL);
  read_at(0, 1, 0, 2);
  read_at(0, 0, 1, 3);
  uint32_t token = 0;
  uint64_t done, next;
  assert_int_equal(weir_dram_step(&dram, 200, &token, &done, &next), 1);
  assert_int_equal(token, 3);
  assert_int_equal(dram.stats.precharges, 0);
  end();
}

/* Among hits, the oldest. */
static void test_oldest_hit(void **state) {
  (void)state;
  begin(&slow);
  read_at(0, 0, 0, 1);
  read_at(1, 0, 0, 2);
  until(10, &dram.stats.reads, NULL);
  until(22, &dram.stats.reads, NULL);
  read_at(1, 0, 1, 3);
  read_at(0, 0, 1, 4);
  uint32_t token = 0;
  uint64_t done, next;
  assert_int_equal(weir_dram_step(&dram, 200, &token, &done, &next), 1);
  assert_int_equal(token, 3);
  end();
}

/* With two buses a row and a column command go in one cycle. */
static void test_dual_bus(void **state) {
  (void)state;
  for (unsigned dual = 0; dual < 2; dual++) {
    struct weir_dram_cfg c = slow;
    c.dual_bus = dual != 0;
    begin(&c);
    read_at(0, 0, 0, 1);
    until(10, &dram.stats.reads, NULL);
    read_at(0, 0, 1, 2);
    read_at(1, 0, 0, 3);
    uint32_t token;
    uint64_t done, next;
    weir_dram_step(&dram, 200, &token, &done, &next);
    assert_int_equal(dram.stats.reads, 2);
    assert_int_equal(dram.stats.activates, 1 + dual);
    end();
  }
}

static void test_queue(void **state) {
  (void)state;
  begin(&slow);
  for (unsigned i = 0; i < 16; i++) {
    assert_true(weir_dram_has_room(&dram, 1));
    read_at(i % 4, 0, i, i);
  }
  assert_false(weir_dram_has_room(&dram, 1));
  until(10, &dram.stats.reads, NULL);
  assert_true(weir_dram_has_room(&dram, 1));
  assert_false(weir_dram_has_room(&dram, 2));
  end();
}

#define T(f) cmocka_unit_test(f)
int main(void) {
  const struct CMUnitTest tests[] = {
      T(test_row_miss),    T(test_row_hit),     T(test_row_conflict), T(test_ccd),
      T(test_data_bus),    T(test_rrd),         T(test_ras),          T(test_rtpl),
      T(test_rc),          T(test_wl_and_cdlr), T(test_wr),           T(test_read_to_write),
      T(test_turn_around), T(test_fr_fcfs),     T(test_oldest_hit),   T(test_dual_bus),
      T(test_queue),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
