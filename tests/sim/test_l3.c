/* One L3 slice, driven without a channel: when it answers, what it keeps, and what it asks of the
 * DRAM. */
#include "synth.h"

#include "../stream/util.h"

enum { LATENCY = 9 };

struct bed {
  struct machine x;
  struct weir_dram dram;
  struct weir_l3 l3;
  uint64_t now;
};

/* Two ways of one set; further assignments, ended by NULL. */
static void bed_open(struct bed *b, const char *a, const char *c) {
  const char *set[] = {"l3.enabled=true",
                       "l3.latency=9",
                       "l3.sets=1",
                       "l3.ways=2",
                       "l3.queue=2",
                       "l3.mshr_entries=2",
                       "l3.mshr_merge=2",
                       "dram.queue=8",
                       "l3.write_queue=4",
                       "l2.write_queue=8",
                       a,
                       a != NULL ? c : NULL,
                       NULL};
  memset(b, 0, sizeof *b);
  machine_init(&b->x, NULL, set);
  assert_true(weir_dram_init(&b->dram, &b->x.m.dram, 128, b->x.m.l3.write_queue));
  assert_true(weir_l3_init(&b->l3, &b->x.m, &b->dram));
}

static void bed_close(struct bed *b) {
  weir_l3_free(&b->l3);
  weir_dram_free(&b->dram);
  machine_free(&b->x);
}

static bool step(struct bed *b) {
  return weir_l3_cycle(&b->l3, ++b->now);
}

/* The next answer, which comes `LATENCY` cycles after this one. */
static void answers(struct bed *b, uint32_t token, unsigned sector) {
  assert_true(b->l3.answers.n > 0);
  assert_int_equal(b->l3.answers.v[b->l3.answers.head].at, b->now + LATENCY);
  assert_int_equal(b->l3.answers.v[b->l3.answers.head].token, token << 8 | 1u << sector);
  WEIR_FIFO_POP(b->l3.answers);
}

/* All sectors that the DRAM was asked for; returns how many. */
static unsigned serve(struct bed *b) {
  uint64_t next, done_at;
  uint32_t token;
  unsigned n = 0;
  for (uint64_t t = 10000 * ++b->now; b->dram.n > 0; t++)
    if (weir_dram_step(&b->dram, t, &token, &done_at, &next) > 0) {
      weir_l3_fill(&b->l3, token, b->now);
      n++;
    }
  return n;
}

static void test_read(void **state) {
  (void)state;
  struct bed b;
  bed_open(&b, NULL, NULL);
  weir_l3_read(&b.l3, 0, 3, 1 << 8);
  assert_true(step(&b));
  assert_int_equal(b.l3.answers.n, 0);
  assert_int_equal(serve(&b), 2);
  answers(&b, 1, 0);
  answers(&b, 1, 1);
  weir_l3_read(&b.l3, 0, 7, 2 << 8); /* two are here, one is not */
  assert_true(step(&b));
  answers(&b, 2, 0);
  answers(&b, 2, 1);
  assert_int_equal(serve(&b), 1);
  answers(&b, 2, 2);
  weir_l3_read(&b.l3, 0, 5, 0);
  assert_true(step(&b));
  answers(&b, 0, 0);
  answers(&b, 0, 2);
  assert_false(step(&b));
  assert_true(weir_l3_is_idle(&b.l3));
  const struct weir_l3_stats *s = &b.l3.stats;
  assert_int_equal(s->read_misses, 1);
  assert_int_equal(s->read_partial, 1);
  assert_int_equal(s->read_hits, 1);
  bed_close(&b);
}

/* Whole lines: the second read waits for what the first sent for, the third finds no place. */
static void test_merge(void **state) {
  (void)state;
  struct bed b;
  bed_open(&b, "l3.sectored=false", NULL);
  weir_l3_read(&b.l3, 0, 1, 0);
  weir_l3_read(&b.l3, 0, 2, 1 << 8);
  assert_false(weir_l3_has_read_room(&b.l3));
  assert_true(step(&b));
  assert_true(step(&b));
  assert_true(weir_l3_has_read_room(&b.l3));
  weir_l3_read(&b.l3, 0, 4, 2 << 8);
  assert_false(step(&b));
  assert_int_equal(b.l3.stats.read_pending, 1);
  assert_int_equal(serve(&b), 4);
  answers(&b, 0, 0);
  answers(&b, 1, 1);
  assert_true(step(&b));
  answers(&b, 2, 2);
  assert_true(weir_l3_is_idle(&b.l3));
  bed_close(&b);
}

/* A write-back takes a line without asking the DRAM; sectors written in part are fetched when they
 * are read. What is dirty goes to DRAM when its line is replaced, if there is room. */
static void test_write(void **state) {
  (void)state;
  struct bed b;
  bed_open(&b, NULL, NULL);
  weir_l3_write(&b.l3, 0, 7, 3);
  assert_true(step(&b));
  assert_int_equal(b.dram.n, 0);
  weir_l3_read(&b.l3, 0, 7, 0);
  assert_true(step(&b));
  answers(&b, 0, 0);
  answers(&b, 0, 1);
  assert_int_equal(serve(&b), 1);
  answers(&b, 0, 2);
  weir_l3_write(&b.l3, 128, 3, 3);
  assert_true(step(&b));
  assert_int_equal(b.l3.stats.write_misses, 2);
  weir_l3_read(&b.l3, 256, 1, 1 << 8); /* instead of line 0 */
  assert_true(step(&b));
  assert_int_equal(b.l3.stats.writeback_sectors, 3);
  assert_int_equal(b.dram.input.n, 3);
  weir_l3_write(&b.l3, 384, 1, 1); /* instead of line 128: two sectors, but room for one */
  assert_false(step(&b));
  WEIR_FIFO_POP(b.dram.input);
  b.dram.input.places--;
  assert_true(step(&b));
  assert_int_equal(b.dram.input.n, 4);
  serve(&b);
  bed_close(&b);
}

/* The write-back waits for the write queue and has the turn. A read that hits passes it; one that
 * needs the DRAM queue, which has room, does not. */
static void test_turn(void **state) {
  (void)state;
  struct bed b;
  bed_open(&b, NULL, NULL);
  weir_l3_write(&b.l3, 0, 15, 15);
  assert_true(step(&b));
  weir_l3_write(&b.l3, 128, 15, 15);
  assert_true(step(&b));
  b.dram.input.limit = 0;
  weir_l3_write(&b.l3, 256, 15, 15);
  b.l3.is_write_turn = true;
  weir_l3_read(&b.l3, 0, 15, 0);
  assert_true(step(&b));
  assert_int_equal(b.l3.stats.read_hits, 1);
  assert_int_equal(b.l3.writes.n, 1);
  b.l3.lines.v[0].valid = 1; /* now it would miss */
  weir_l3_read(&b.l3, 0, 15, 0);
  assert_false(step(&b));
  b.dram.input.limit = 4;
  assert_true(step(&b));
  assert_int_equal(b.l3.writes.n, 0);
  assert_true(step(&b));
  assert_int_equal(b.l3.reads.n, 0);
  bed_close(&b);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_read),
      cmocka_unit_test(test_merge),
      cmocka_unit_test(test_write),
      cmocka_unit_test(test_turn),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
