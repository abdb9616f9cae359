/* One memory channel, driven without SMs: what a read does to the mark of its line, how
 * write-backs hold requests up, and how slices share the DRAM queue. */
#include "synth.h"

#include "../stream/util.h"

static const char *const two_slices[] = {
    "sm.count=1",   "l2.slices=2",           "l2.sets=64",        "dram.channels=1",
    "dram.queue=4", "noc.reply_buffer=1000", "l2.interleave=256", NULL};
static const char *const many_mshrs[] = {
    "sm.count=1",          "l2.slices=2",           "l2.sets=64", "dram.channels=1", "dram.queue=4",
    "l2.mshr_entries=200", "noc.reply_buffer=1000", NULL};
static const char *const small[] = {"sm.count=2", "l2.slices=1",     "l2.sets=1",
                                    "l2.ways=2",  "dram.channels=1", NULL};

struct bed {
  struct machine x;
  struct weir_channel c;
  uint64_t now;
  uint32_t sm; /* the one that sends */
  struct weir_outbox out;
};

static void bed_open(struct bed *b, const char *const *set) {
  memset(b, 0, sizeof *b);
  machine_init(&b->x, NULL, set);
  assert_true(weir_channel_init(&b->c, &b->x.m, 0));
  b->c.outbox = &b->out;
}

static void bed_close(struct bed *b) {
  weir_channel_free(&b->c);
  weir_outbox_free(&b->out);
  machine_free(&b->x);
}

/* A request that arrives in the next cycle. */
static void send(struct bed *b, enum weir_msg_kind kind, uint64_t line, uint8_t sectors,
                 uint8_t flags, uint32_t id) {
  struct weir_msg q = {.at = b->now + 1,
                       .addr = line * 128,
                       .src = (uint16_t)b->sm,
                       .dst = (uint16_t)(b->c.n_sms + weir_slice_of(&b->x.m, line * 128)),
                       .id = id,
                       .flits = 1,
                       .kind = (uint8_t)kind,
                       .sectors = sectors,
                       .full = sectors,
                       .flags = flags};
  assert_true(weir_channel_put(&b->c, &q));
}

/* Run until nothing is under way; the replies are left in the outbox. */
static void settle(struct bed *b) {
  b->out.box[0][0].n = 0;
  do
    weir_channel_cycle(&b->c, ++b->now);
  while (!weir_channel_is_idle(&b->c));
}

static uint8_t flags_of(const struct bed *b, uint32_t id) {
  for (uint32_t i = 0; i < b->out.box[0][0].n; i++) {
    const struct weir_msg *r = &b->out.box[0][0].v[i];
    if (r->kind != WEIR_MSG_CREDIT && r->id == id) return r->flags;
  }
  fail_msg("no reply to %u", id);
  return 0;
}

/* One read from start to end: was it told of a mark? */
static bool is_told(struct bed *b, uint64_t line, uint8_t sectors, uint8_t flags) {
  send(b, WEIR_MSG_READ, line, sectors, flags, 7);
  settle(b);
  assert_int_equal(flags_of(b, 7) & ~WEIR_REP_MARKED, flags);
  return (flags_of(b, 7) & WEIR_REP_MARKED) != 0;
}

static void expect(const struct bed *b, uint64_t set, uint64_t returned) {
  assert_int_equal(b->c.slices[0].stats.marks_set, set);
  assert_int_equal(b->c.slices[0].stats.marks_returned, returned);
}

static void test_hit_takes_mark(void **state) {
  (void)state;
  struct bed b;
  bed_open(&b, small);
  assert_false(is_told(&b, 1, 1, 0)); /* a miss that wishes nothing */
  assert_false(is_told(&b, 1, 1, 0));
  assert_false(is_told(&b, 1, 1, WEIR_REQ_MARK)); /* a hit that sets it */
  assert_true(is_told(&b, 1, 1, 0));
  assert_false(is_told(&b, 1, 1, 0));
  expect(&b, 1, 1);
  bed_close(&b);
}

static void test_miss_sets_mark(void **state) {
  (void)state;
  struct bed b;
  bed_open(&b, small);
  assert_false(is_told(&b, 1, 1, WEIR_REQ_MARK));
  assert_true(is_told(&b, 1, 1, WEIR_REQ_MARK)); /* told, and set again */
  assert_true(is_told(&b, 1, 1, WEIR_REQ_BYPASS));
  assert_false(is_told(&b, 1, 1, 0));
  expect(&b, 2, 2);
  bed_close(&b);
}

/* A read that lacks a sector is no hit: it is not told, and takes nothing away. */
static void test_partial_miss(void **state) {
  (void)state;
  struct bed b;
  bed_open(&b, small);
  assert_false(is_told(&b, 1, 1, WEIR_REQ_MARK));
  assert_false(is_told(&b, 1, 3, 0));
  assert_true(is_told(&b, 1, 3, 0));
  assert_false(is_told(&b, 1, 12, WEIR_REQ_MARK));
  assert_true(is_told(&b, 1, 15, 0));
  expect(&b, 2, 2);
  bed_close(&b);
}

static void test_merge(void **state) {
  (void)state;
  struct bed b;
  bed_open(&b, small);
  send(&b, WEIR_MSG_READ, 1, 1, WEIR_REQ_MARK, 1);
  send(&b, WEIR_MSG_READ, 1, 1, 0, 2);
  settle(&b);
  assert_int_equal(b.c.slices[0].stats.read_pending, 1);
  assert_int_equal(flags_of(&b, 1) | flags_of(&b, 2), WEIR_REQ_MARK);
  assert_true(is_told(&b, 1, 1, 0)); /* the second has not taken it away */
  send(&b, WEIR_MSG_READ, 2, 1, 0, 1);
  send(&b, WEIR_MSG_READ, 2, 1, WEIR_REQ_MARK, 2);
  settle(&b);
  assert_true(is_told(&b, 2, 1, 0)); /* the second has set it */
  expect(&b, 2, 2);
  bed_close(&b);
}

static void test_replaced_line_loses_mark(void **state) {
  (void)state;
  struct bed b;
  bed_open(&b, small);
  assert_false(is_told(&b, 1, 1, WEIR_REQ_MARK));
  assert_false(is_told(&b, 2, 1, 0));
  assert_false(is_told(&b, 3, 1, 0)); /* two ways: line 1 goes */
  assert_false(is_told(&b, 1, 1, 0));
  assert_false(is_told(&b, 1, 1, 0));
  expect(&b, 1, 0);
  bed_close(&b);
}

/* The mark does not say whose it is; the reply does. */
static void test_mark_of_another_sm(void **state) {
  (void)state;
  struct bed b;
  bed_open(&b, small);
  b.sm = 1;
  assert_false(is_told(&b, 1, 1, WEIR_REQ_MARK));
  b.sm = 0;
  send(&b, WEIR_MSG_READ, 1, 1, WEIR_REQ_MARK, 3); /* told of SM 1's, sets its own */
  settle(&b);
  assert_int_equal(flags_of(&b, 3), WEIR_REQ_MARK | WEIR_REP_MARKED | WEIR_REP_OTHER);
  assert_true(is_told(&b, 1, 1, 0)); /* its own, and nothing else */
  send(&b, WEIR_MSG_READ, 1, 1, 0, 4);
  settle(&b);
  assert_int_equal(flags_of(&b, 4), 0);
  expect(&b, 2, 2);
  bed_close(&b);
}

/* L1s with lines of 64 bytes: two of them in a line of the L2, which has one mark. A reply says
 * which of the two was asked for, also if both waited for the line. */
static void test_mark_of_half(void **state) {
  (void)state;
  const char *const set[] = {"sm.count=1", "l2.slices=1", "dram.channels=1", "l1.line=64", NULL};
  struct bed b;
  bed_open(&b, set);
  for (uint32_t k = 0; k < 4; k++) {
    uint32_t half = k % 2;
    struct weir_msg q = {.at = b.now + 1,
                         .addr = 0x1000 + 64 * half,
                         .dst = (uint16_t)b.c.n_sms,
                         .id = k,
                         .flits = 1,
                         .kind = WEIR_MSG_READ,
                         .parts = 3,
                         .sectors = half ? 0xc : 0x3,
                         .flags = k == 2 ? WEIR_REQ_MARK : 0};
    assert_true(weir_channel_put(&b.c, &q));
    if (k == 0) continue; /* the other half comes while it waits */
    settle(&b);
    for (uint32_t i = 0; i < b.out.box[0][0].n; i++) {
      const struct weir_msg *r = &b.out.box[0][0].v[i];
      if (r->kind == WEIR_MSG_CREDIT) continue;
      assert_int_equal(r->addr, 0x1000 + 64 * (r->id % 2));
      assert_int_equal(r->flags & WEIR_REP_MARKED, r->id == 3 ? WEIR_REP_MARKED : 0);
    }
  }
  assert_int_equal(b.c.slices[0].stats.read_misses, 1);
  assert_int_equal(b.c.slices[0].stats.read_partial, 1);
  assert_int_equal(b.c.slices[0].stats.read_hits, 2);
  assert_int_equal(b.c.slices[0].stats.fills, 4);
  expect(&b, 1, 1);
  bed_close(&b);
}

/* Stores and atomics are no reads of an L1. */
static void test_others_leave_mark(void **state) {
  (void)state;
  struct bed b;
  bed_open(&b, small);
  assert_false(is_told(&b, 1, 1, WEIR_REQ_MARK));
  send(&b, WEIR_MSG_WRITE, 1, 1, 0, 1);
  send(&b, WEIR_MSG_ATOM, 1, 1, 0, 2);
  settle(&b);
  assert_int_equal(flags_of(&b, 1) | flags_of(&b, 2), 0);
  assert_true(is_told(&b, 1, 1, 0));
  expect(&b, 1, 1);
  bed_close(&b);
}

/* The write queue and the DRAM queue hold one line each; both ways of the set are dirty. The third
 * store in cycle 3 and the fourth in cycle 4 each replace a line. The first of these moves into the
 * DRAM queue in cycle 4, opens its row and issues its columns in 4 + t_rcd = 16, 19, 22, 25; the
 * last place for the second is there in cycle 26, and then the write queue is empty. */
static void test_write_queue(void **state) {
  (void)state;
  static const char *const set[] = {"sm.count=1",
                                    "l2.slices=1",
                                    "l2.sets=1",
                                    "l2.ways=2",
                                    "dram.queue=4",
                                    "dram.channels=1",
                                    "dram.t_rcd=12",
                                    "dram.t_ccdl=3",
                                    "dram.t_wl=4",
                                    "core.clock_mhz=900",
                                    "l2.write_queue=4",
                                    "dram.clock_mhz=900",
                                    NULL};
  const struct weir_l2_stats *st;
  for (unsigned is_read = 0; is_read < 2; is_read++) {
    struct bed b;
    bed_open(&b, set);
    st = &b.c.slices[0].stats;
    for (uint64_t i = 0; i < 4; i++)
      send(&b, WEIR_MSG_WRITE, i, 15, 0, (uint32_t)i);
    send(&b, is_read ? WEIR_MSG_READ : WEIR_MSG_WRITE, 4, 1, 0, 4);
    /* A read needs a place in the DRAM queue too, which the next column frees in cycle 28. */
    uint64_t last = is_read ? 28 : 26;
    while (b.now < last) {
      assert_int_equal(b.c.slices[0].in.n, b.now < 4 ? 5 - b.now : 1);
      weir_channel_cycle(&b.c, ++b.now);
    }
    assert_int_equal(b.c.slices[0].in.n, 0);
    assert_int_equal(st->stall_writeback, 26 - 5);
    assert_int_equal(st->stall_dram, last - 26);
    settle(&b);
    assert_int_equal(st->writeback_sectors, 12);
    assert_int_equal(b.c.dram.stats.writes, 12);
    bed_close(&b);
  }
}

/* A line without dirty sectors can be replaced while the write queue is full. */
static void test_clean_line_passes(void **state) {
  (void)state;
  static const char *const set[] = {
      "sm.count=1",      "l2.slices=1",  "l2.sets=1",        "l2.ways=3",
      "dram.channels=1", "dram.queue=4", "l2.write_queue=4", NULL};
  struct bed b;
  bed_open(&b, set);
  send(&b, WEIR_MSG_WRITE, 0, 15, 0, 0);
  send(&b, WEIR_MSG_WRITE, 1, 15, 0, 1);
  send(&b, WEIR_MSG_READ, 2, 1, 0, 2);
  settle(&b);
  for (uint64_t i = 3; i < 6; i++) /* in place of lines 0, 1 and 2 */
    send(&b, WEIR_MSG_WRITE, i, 15, 0, 3);
  uint64_t start = b.now;
  while (b.c.slices[0].in.n > 0)
    weir_channel_cycle(&b.c, ++b.now);
  assert_int_equal(b.now - start, 3);
  assert_true(b.c.dram.input.n > 0); /* no room for a line */
  assert_int_equal(b.c.slices[0].stats.stall_writeback, 0);
  settle(&b);
  bed_close(&b);
}

/* The DRAM queue is full all the time: both slices get their share of it, and neither is done long
 * before the other. */
static void test_slices_take_turns(void **state) {
  (void)state;
  enum { N = 40 };
  struct bed b;
  bed_open(&b, two_slices);
  for (uint32_t i = 0; i < 2 * N; i++)
    send(&b, WEIR_MSG_READ, 2 * i, 1, 0, i); /* one line of each block: the slices by turns */
  assert_int_equal(b.c.slices[0].in.n, N);
  while (b.c.slices[0].in.n + b.c.slices[1].in.n > 0) {
    uint32_t left[2] = {b.c.slices[0].in.n, b.c.slices[1].in.n};
    assert_in_range(left[0] + 1, left[1], left[1] + 2);
    weir_channel_cycle(&b.c, ++b.now);
  }
  assert_true(b.c.slices[0].stats.stall_dram > 0 && b.c.slices[1].stats.stall_dram > 0);
  settle(&b);
  bed_close(&b);
}

/* A read of a whole line needs all four places of the DRAM queue, while the other slice has reads
 * of one sector: as many as it likes would pass. */
static void test_large_request_is_not_passed(void **state) {
  (void)state;
  enum { N = 100 };
  struct bed b;
  bed_open(&b, many_mshrs);
  for (uint32_t i = 0; i < N; i++)
    send(&b, WEIR_MSG_READ, 4 * i + 2, 1, 0, i);
  assert_int_equal(b.c.slices[1].in.n, N);
  while (b.c.dram.n < 4)
    weir_channel_cycle(&b.c, ++b.now);
  send(&b, WEIR_MSG_READ, 0, 15, 0, N);
  uint32_t left = b.c.slices[1].in.n;
  while (b.c.slices[0].in.n > 0)
    weir_channel_cycle(&b.c, ++b.now);
  assert_in_range(left - b.c.slices[1].in.n, 0, 1); /* it may have had the turn in that cycle */
  settle(&b);
  bed_close(&b);
}

/* Every store of one slice replaces a dirty line, and write-backs go before reads: the read of the
 * other slice comes in when the first store that waits behind it has waited long enough. */
static void test_read_is_not_passed_by_stores(void **state) {
  (void)state;
  enum { N = 100 };
  static const char *const set[] = {"sm.count=1",       "l2.slices=2",           "l2.sets=1",
                                    "l2.ways=1",        "dram.channels=1",       "dram.queue=4",
                                    "l2.write_queue=8", "noc.reply_buffer=1000", NULL};
  struct bed b;
  bed_open(&b, set);
  for (uint32_t i = 0; i < N; i++)
    send(&b, WEIR_MSG_WRITE, 4 * i + 2, 15, 0, i);
  while (b.c.slices[1].head_wait != WEIR_L2_WRITEBACK)
    weir_channel_cycle(&b.c, ++b.now);
  send(&b, WEIR_MSG_READ, 0, 1, 0, N);
  uint32_t left = b.c.slices[1].in.n;
  while (b.c.slices[0].in.n > 0)
    weir_channel_cycle(&b.c, ++b.now);
  assert_in_range(left - b.c.slices[1].in.n, 0, 1);
  settle(&b);
  bed_close(&b);
}

/* When the reply to `id` left, after the channel has come to rest. */
static uint64_t reply_at(const struct bed *b, uint32_t id) {
  for (uint32_t i = 0; i < b->out.box[0][0].n; i++) {
    const struct weir_msg *r = &b->out.box[0][0].v[i];
    if (r->kind != WEIR_MSG_CREDIT && r->id == id) return r->at;
  }
  fail_msg("no reply to %u", id);
  return 0;
}

#define ONE_CHANNEL                                                                                \
  "sm.count=1", "l2.slices=1", "dram.channels=1", "core.clock_mhz=900", "dram.clock_mhz=900",      \
      "dram.t_ccdl=3", "noc.flit_bytes=256"

/* Four columns, three cycles apart: a read of the first sector is answered when that one has come,
 * or when the line has; and so is one that comes between the two, which is no hit then. */
static void test_whole_lines(void **state) {
  (void)state;
  static const char *const set[] = {ONE_CHANNEL, "l2.sectored=false", NULL};
  static const char *const whole[] = {ONE_CHANNEL, "l2.sectored=false", "l2.whole_lines=true",
                                      NULL};
  uint64_t first[2], second[2];
  for (unsigned k = 0; k < 2; k++) {
    struct bed b;
    bed_open(&b, k ? whole : set);
    send(&b, WEIR_MSG_READ, 1, 1, 0, 1);
    const struct weir_l2_stats *st = &b.c.slices[0].stats;
    while (st->fills == 0)
      weir_channel_cycle(&b.c, ++b.now);
    send(&b, WEIR_MSG_READ, 1, 1, 0, 2);
    while (!weir_channel_is_idle(&b.c)) /* as settle(), but the first reply may have gone */
      weir_channel_cycle(&b.c, ++b.now);
    first[k] = reply_at(&b, 1);
    second[k] = reply_at(&b, 2);
    assert_int_equal(st->fills, 4);
    assert_int_equal(st->read_sectors_missed, 1);
    assert_int_equal(st->read_hits, k == 0);
    assert_int_equal(st->read_pending, k);
    bed_close(&b);
  }
  assert_int_equal(first[1], first[0] + 9);
  assert_int_equal(second[0], first[0] + 1);
  assert_int_equal(second[1], first[1] + 1);
}

/* A line that is one piece has one dirty bit, also for an atomic. One that was only written is
 * written back as far as it is there. */
static void test_whole_write_back(void **state) {
  (void)state;
  static const char *const set[] = {ONE_CHANNEL, "l2.sectored=false", "l2.whole_lines=true",
                                    "l2.sets=1", "l2.ways=1",         NULL};
  static const struct {
    enum weir_msg_kind kind;
    bool is_read; /* before it */
    uint8_t sectors;
    uint64_t back;
  } cases[] = {{WEIR_MSG_WRITE, true, 2, 4},
               {WEIR_MSG_ATOM, true, 2, 4},
               {WEIR_MSG_ATOM, false, 8, 4},
               {WEIR_MSG_READ, true, 8, 0},
               {WEIR_MSG_WRITE, false, 6, 2}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    struct bed b;
    bed_open(&b, set);
    if (cases[i].is_read) send(&b, WEIR_MSG_READ, 1, 1, 0, 1);
    settle(&b);
    send(&b, cases[i].kind, 1, cases[i].sectors, 0, 2);
    settle(&b);
    send(&b, WEIR_MSG_READ, 2, 1, 0, 3); /* in its place */
    settle(&b);
    assert_int_equal(b.c.slices[0].stats.writeback_sectors, cases[i].back);
    assert_int_equal(b.c.dram.stats.writes, cases[i].back);
    bed_close(&b);
  }
}

/* A port of 48 bytes: a line takes three cycles and a sector one, of reads that hit and of writes;
 * what is replaced is read too if it is dirty, and a miss has nothing to read. */
static void test_data_port(void **state) {
  (void)state;
  static const char *const set[] = {ONE_CHANNEL, "l2.port_bytes=48", "l2.sets=1", "l2.ways=2",
                                    NULL};
  static const struct {
    enum weir_msg_kind kind;
    uint64_t line, cycles;
    uint8_t sectors;
  } steps[] = {{WEIR_MSG_READ, 1, 3, 15},  {WEIR_MSG_READ, 1, 1, 1}, {WEIR_MSG_WRITE, 1, 3, 15},
               {WEIR_MSG_READ, 2, 1, 15},  {WEIR_MSG_ATOM, 1, 1, 1}, {WEIR_MSG_READ, 2, 1, 1},
               {WEIR_MSG_WRITE, 3, 6, 15}, {WEIR_MSG_READ, 3, 1, 1}};
  enum { N = sizeof steps / sizeof *steps };
  struct bed b;
  bed_open(&b, set);
  send(&b, WEIR_MSG_READ, 1, 15, 0, 99);
  settle(&b);
  for (uint32_t i = 0; i < N; i++) {
    send(&b, steps[i].kind, steps[i].line, steps[i].sectors, 0, i);
    if (steps[i].line == 2) /* a miss holds up none behind it; its line is there for the next */
      settle(&b);
    else
      while (b.c.slices[0].in.n > 0)
        weir_channel_cycle(&b.c, ++b.now);
    uint64_t busy = b.c.slices[0].eject_free;
    if (steps[i].line != 2) assert_int_equal(busy - b.now, steps[i].cycles);
  }
  settle(&b);
  bed_close(&b);
}

/* A store that misses goes on to the DRAM, and is answered when its line has been fetched behind
 * it. It comes in cycle 1, opens its row in 2 and is written in 14; the data of the read come t_cl
 * and the way back after t_wl, a cycle of data and t_cdlr. The line is clean then. */
static void test_forward(void **state) {
  (void)state;
  static const char *const set[] = {ONE_CHANNEL,           "l2.sectored=false",
                                    "l2.whole_lines=true", "l2.sets=1",
                                    "l2.ways=1",           "l2.write_miss=forward",
                                    "dram.input_queue=3",  "dram.t_rcd=12",
                                    "dram.t_wl=4",         "dram.t_cdlr=5",
                                    "dram.t_cl=12",        "dram.extra_latency=100",
                                    "dram.atom_bytes=128", "l2.latency=7",
                                    "noc.reply_cyc=40",    NULL};
  struct bed b;
  bed_open(&b, set);
  const struct weir_l2_stats *st = &b.c.slices[0].stats;
  uint64_t fetched = 14 + 4 + 1 + 5 + 12 + 1 + 100;
  send(&b, WEIR_MSG_WRITE, 1, 2, 0, 1);
  settle(&b);
  assert_int_equal(reply_at(&b, 1), fetched + 7 + 40);
  assert_int_equal(st->write_misses, 1);
  assert_int_equal(st->writeback_sectors, 1);
  assert_int_equal(st->fills, 4);
  assert_int_equal(st->read_sectors_missed, 0);
  assert_int_equal(b.c.dram.stats.writes + b.c.dram.stats.reads, 2);
  send(&b, WEIR_MSG_READ, 1, 15, 0, 2); /* all of it is there */
  settle(&b);
  assert_int_equal(st->read_hits, 1);
  send(&b, WEIR_MSG_READ, 2, 15, 0, 3); /* and nothing to be written back */
  settle(&b);
  assert_int_equal(st->writeback_sectors, 1);
  send(&b, WEIR_MSG_WRITE, 2, 1, 0, 4); /* a store that hits stays here */
  settle(&b);
  assert_int_equal(b.c.dram.stats.writes, 1);
  send(&b, WEIR_MSG_WRITE, 3, 1, 0, 5); /* three requests: the old line, the store, the new line */
  settle(&b);
  assert_int_equal(st->writeback_sectors, 1 + 4 + 1);
  assert_int_equal(b.c.dram.stats.writes, 3);
  assert_int_equal(b.c.dram.stats.reads, 3);
  bed_close(&b);
}

/* Stores to a line that is on its way go on too, and wait for it with the first. */
static void test_forward_merges(void **state) {
  (void)state;
  static const char *const set[] = {ONE_CHANNEL, "l2.write_miss=forward", "l2.mshr_merge=2", NULL};
  struct bed b;
  bed_open(&b, set);
  const struct weir_l2_stats *st = &b.c.slices[0].stats;
  for (uint32_t i = 1; i <= 3; i++)
    send(&b, WEIR_MSG_WRITE, 1, 1, 0, i);
  settle(&b);
  assert_int_equal(reply_at(&b, 2), reply_at(&b, 1) + 1);
  assert_true(reply_at(&b, 3) > reply_at(&b, 2));
  assert_true(st->stall_merge > 0); /* the third found the line: it stays here */
  assert_int_equal(b.c.dram.stats.writes, 2);
  assert_int_equal(b.c.dram.stats.reads, 1);
  assert_int_equal(st->write_hits, 2);
  send(&b, WEIR_MSG_WRITE, 1, 3, 0, 4); /* of two sectors one is here: both go on, one is fetched */
  settle(&b);
  assert_int_equal(b.c.dram.stats.writes, 4);
  assert_int_equal(b.c.dram.stats.reads, 2);
  assert_int_equal(st->write_sectors_missed, 1 + 1 + 1);
  bed_close(&b);
}

#define T(f) cmocka_unit_test(f)
int main(void) {
  const struct CMUnitTest tests[] = {
      T(test_hit_takes_mark),
      T(test_miss_sets_mark),
      T(test_partial_miss),
      T(test_merge),
      T(test_replaced_line_loses_mark),
      T(test_mark_of_another_sm),
      T(test_mark_of_half),
      T(test_others_leave_mark),
      T(test_write_queue),
      T(test_clean_line_passes),
      T(test_slices_take_turns),
      T(test_large_request_is_not_passed),
      T(test_read_is_not_passed_by_stores),
      T(test_whole_lines),
      T(test_whole_write_back),
      T(test_data_port),
      T(test_forward),
      T(test_forward_merges),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
