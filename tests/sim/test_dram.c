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
  assert_true(weir_dram_init(&dram, &cfg, 128, 64));
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

/* A row that nobody wants is closed by its last access, when the bank may: t_ras after it was
 * opened, t_rtpl after the read; then the next one opens as if there had been none. */
static void test_closed_page(void **state) {
  (void)state;
  struct weir_dram_cfg c = slow;
  c.page = WEIR_DRAM_CLOSED;
  begin(&c);
  read_at(0, 0, 0, 1);
  read_at(0, 0, 1, 2);
  until(10, &dram.stats.reads, NULL);
  assert_int_equal(dram.stats.precharges, 0); /* the second is waiting */
  until(22, &dram.stats.reads, NULL);
  assert_int_equal(dram.stats.precharges, 1);
  assert_int_equal(dram.stats.activates, 1);
  for (unsigned row = 0; row < 2; row++) { /* the same row again, another one */
    read_at(0, row, 0, 3);
    assert_int_equal(until(1000 * (row + 1), &dram.stats.activates, NULL), 1000 * (row + 1));
    assert_int_equal(until(1000 * (row + 1) + 1, &dram.stats.reads, NULL), 1000 * (row + 1) + 11);
  }
  assert_int_equal(dram.stats.row_hits, 1);
  assert_int_equal(dram.stats.row_misses, 3);
  assert_int_equal(dram.stats.row_conflicts, 0);
  read_at(0, 0, 0, 4); /* t_rc after the row before */
  assert_int_equal(until(2012, &dram.stats.activates, NULL), 2000 + 90);
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

/* The next read that is issued from `from` on; *now: its cycle. */
static uint32_t next_token(uint64_t from, uint64_t *now) {
  uint64_t done, next;
  uint32_t token;
  for (*now = from; *now < from + 1000; ++*now)
    if (weir_dram_step(&dram, *now, &token, &done, &next) > 0) return token;
  fail_msg("no read was issued");
  return 0;
}

/* Columns of two sectors: neighbours are one access, and each gives back what was asked for. */
static void test_wide_columns(void **state) {
  (void)state;
  static const struct {
    uint8_t sectors, first, second;
  } cases[] = {{15, 3, 12}, {1, 1, 0}, {2, 2, 0}, {3, 3, 0}, {6, 2, 4}, {9, 1, 8}, {12, 12, 0}};
  struct weir_dram_cfg c = slow;
  c.atom_bytes = 64;
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    uint64_t t;
    begin(&c);
    assert_int_equal(weir_dram_columns(&dram, cases[i].sectors), 1 + (cases[i].second != 0));
    assert_true(weir_dram_read(&dram, at(1, 0, 0), cases[i].sectors, 5 << 8));
    assert_int_equal(next_token(10, &t), 5 << 8 | cases[i].first);
    assert_int_equal(t, 10 + 11);
    if (cases[i].second != 0) {
      assert_int_equal(next_token(t + 1, &t), 5 << 8 | cases[i].second);
      assert_int_equal(t, 10 + 11 + 5); /* t_ccdl */
    }
    assert_true(weir_dram_is_idle(&dram));
    assert_int_equal(dram.stats.reads, 1 + (cases[i].second != 0));
    end();
  }
  c.atom_bytes = 128;
  begin(&c);
  assert_int_equal(weir_dram_columns(&dram, 15), 1);
  assert_int_equal(weir_dram_columns(&dram, 0x18), 2);
  end();
}

/* Two places for requests of four columns; the bank has a third at work. A place is free when that
 * one has issued its last column, and the bank is at work on the next. */
static void test_requests(void **state) {
  (void)state;
  struct weir_dram_cfg c = slow;
  uint64_t t = 9;
  c.queue = 2;
  c.queue_counts = WEIR_DRAM_REQUESTS;
  begin(&c);
  for (unsigned i = 0; i < 3; i++) {
    assert_true(weir_dram_has_read_room(&dram, weir_dram_read_places(&dram, 15), 0));
    assert_true(weir_dram_read(&dram, at(0, 0, 4 * i), 15, i << 8));
  }
  assert_false(weir_dram_has_read_room(&dram, 1, 0));
  for (unsigned i = 0; i < 4; i++) {
    assert_false(weir_dram_has_room(&dram, 1));
    assert_int_equal(next_token(t + 1, &t), 1u << i);
    assert_int_equal(t, 21 + 5 * i);
  }
  assert_true(weir_dram_has_room(&dram, 1));
  assert_false(weir_dram_has_room(&dram, 2));
  /* An idle bank takes one at once. */
  assert_true(weir_dram_read(&dram, at(1, 0, 0), 1, 3 << 8));
  assert_true(weir_dram_has_room(&dram, 1));
  while (!weir_dram_is_idle(&dram))
    next_token(t + 1, &t);
  assert_int_equal(dram.n_requests + dram.n_busy, 0);
  assert_int_equal(dram.stats.reads, 13);
  end();
}

/* What waits in front of the queue enters it in order, whichever way it goes. */
static void test_input_queue(void **state) {
  (void)state;
  struct weir_dram_cfg c = slow;
  c.queue = 4;
  c.input_queue = 3;
  begin(&c);
  assert_int_equal(weir_dram_read_places(&dram, 15), 1);
  assert_int_equal(weir_dram_write_places(&dram, 15), 1);
  assert_true(weir_dram_write(&dram, at(0, 0, 0), 15));
  assert_true(weir_dram_read(&dram, at(0, 0, 4), 1, 0));
  assert_true(weir_dram_has_read_room(&dram, 1, 0));
  assert_false(weir_dram_has_read_room(&dram, 1, 1));
  assert_true(weir_dram_write(&dram, at(0, 0, 8), 3));
  assert_false(weir_dram_has_write_room(&dram, 1));
  /* Four columns enter in cycle 10 and open the row; the read follows in cycle 22, when the first
   * of them has gone, and one column of the last write in each of 27 and 32. */
  until(10, &dram.stats.activates, NULL);
  assert_int_equal(dram.n, 4);
  assert_int_equal(dram.input.places, 2);
  assert_int_equal(until(11, &dram.stats.writes, NULL), 21);
  assert_int_equal(until(22, &dram.stats.writes, NULL), 26);
  assert_int_equal(dram.input.places, 1);
  assert_int_equal(dram.n + dram.input.n, 2 + 1 + 2);
  /* The last of the four in cycle 36; t_wl, data, t_cdlr. */
  assert_int_equal(until(27, &dram.stats.reads, NULL), 36 + 9 + 2 + 23);
  assert_int_equal(dram.stats.writes, 4);
  until(until(71, &dram.stats.writes, NULL) + 1, &dram.stats.writes, NULL);
  assert_true(weir_dram_is_idle(&dram));
  assert_int_equal(dram.input.places, 0);
  end();
}

#define T(f) cmocka_unit_test(f)
int main(void) {
  const struct CMUnitTest tests[] = {
      T(test_row_miss),      T(test_row_hit),     T(test_row_conflict), T(test_closed_page),
      T(test_ccd),           T(test_data_bus),    T(test_rrd),          T(test_ras),
      T(test_rtpl),          T(test_rc),          T(test_wl_and_cdlr),  T(test_wr),
      T(test_read_to_write), T(test_turn_around), T(test_fr_fcfs),      T(test_oldest_hit),
      T(test_dual_bus),      T(test_queue),       T(test_wide_columns), T(test_requests),
      T(test_input_queue),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
