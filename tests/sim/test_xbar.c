/* The crossbar with a queue at each input: closed forms at the exact cycle, and that it is the same
 * however time is cut into windows. */
#include "rig.h"

#include "base/hash.h"
#include "sim/xbar.h"

enum { IN = 4, OUT = 4, HOP = 30, BACK = 10, MAX = 4096 };

/* Inputs are components 0 to 3, outputs 10 to 13. */
struct bench {
  struct weir_xbar x;
  struct weir_msg got[MAX];
  uint32_t n, n_credits, credited;
};

static void take(void *self, const struct weir_msg *m) {
  struct bench *b = self;
  if (m->kind == WEIR_MSG_CREDIT) {
    assert_in_range(m->dst, 0, IN - 1);
    b->n_credits++;
    b->credited += m->flits;
    return;
  }
  assert_true(b->n < MAX);
  b->got[b->n++] = *m;
}

static void open_bench(struct bench *b, uint32_t room, uint32_t most, uint32_t speedup) {
  const struct weir_xbar_shape shape = {.n_in = IN,
                                        .first_out = 10,
                                        .n_out = OUT,
                                        .room = room,
                                        .most = most,
                                        .speedup = speedup,
                                        .hop = HOP,
                                        .credit_cyc = BACK};
  b->n = b->n_credits = b->credited = 0;
  assert_true(weir_xbar_init(&b->x, &shape));
}

static void put(struct bench *b, uint32_t in, uint32_t out, uint16_t flits, uint64_t at) {
  struct weir_msg m = {.at = at,
                       .src = (uint16_t)in,
                       .dst = (uint16_t)(10 + out),
                       .flits = flits,
                       .kind = WEIR_MSG_READ};
  assert_true(weir_xbar_put(&b->x, &m));
}

static void run(struct bench *b, uint64_t from, uint64_t to) {
  const struct weir_xbar_sink sink = {.put = take, .self = b};
  weir_xbar_run(&b->x, from, to, &sink);
}

/* What has arrived is what was sent, and every place is given back. */
static void close_bench(struct bench *b) {
  for (uint32_t i = 0; i < b->n; i++) {
    struct weir_msg m = {.at = b->got[i].at, .src = b->got[i].dst, .flits = b->got[i].flits};
    assert_true(weir_xbar_credit(&b->x, &m));
  }
  assert_int_equal(b->n_credits, b->n);
  assert_int_equal(b->credited, b->x.flits_in);
  assert_null(weir_xbar_rest(&b->x));
  weir_xbar_free(&b->x);
}

static uint64_t left_at(const struct bench *b, uint32_t i) {
  return b->got[i].at - HOP;
}

/* Two inputs for one output have half of it each, by turns. */
static void test_two_to_one(void **state) {
  (void)state;
  static struct bench b;
  open_bench(&b, 1000, 1, 1);
  for (uint64_t t = 0; t < 10; t++)
    for (uint32_t i = 0; i < 2; i++)
      put(&b, i, 2, 1, t);
  run(&b, 0, 1000);
  assert_int_equal(b.n, 20);
  for (uint32_t i = 0; i < 20; i++) {
    assert_int_equal(left_at(&b, i), i);
    assert_int_equal(b.got[i].src, i % 2);
  }
  close_bench(&b);
}

/* Every input has an output of its own: nobody waits. */
static void test_permutation(void **state) {
  (void)state;
  static struct bench b;
  open_bench(&b, 1000, 1, 1);
  for (uint64_t t = 0; t < 10; t++)
    for (uint32_t i = 0; i < IN; i++)
      put(&b, i, (i + (uint32_t)t) % OUT, 1, t);
  run(&b, 0, 1000);
  assert_int_equal(b.n, 10 * IN);
  for (uint32_t i = 0; i < b.n; i++)
    assert_int_equal(left_at(&b, i), i / IN);
  close_bench(&b);
}

/* Input 1 loses the first cycle, and with it goes its packet for an output that nobody else wants.
 */
static void expect_behind_head(uint32_t speedup, uint32_t first, uint32_t second, uint64_t want) {
  static struct bench b;
  open_bench(&b, 1000, 1, speedup);
  put(&b, 0, first, 1, 0);
  put(&b, 1, first, 1, 0);
  put(&b, 1, second, 1, 0);
  run(&b, 0, 1000);
  assert_int_equal(b.n, 3);
  assert_int_equal(left_at(&b, 0), 0);
  assert_int_equal(b.got[0].src, 0);
  assert_int_equal(left_at(&b, 1), 1);
  assert_int_equal(b.got[2].dst, 10 + second);
  assert_int_equal(left_at(&b, 2), want);
  close_bench(&b);
}

static void test_head_of_line(void **state) {
  (void)state;
  expect_behind_head(1, 2, 3, 2);
  expect_behind_head(1, 2, 1, 2);
  /* With a speedup it can go in the cycle of the head, if its output chooses after that one's. */
  expect_behind_head(2, 2, 3, 1);
  expect_behind_head(2, 2, 1, 2);
  expect_behind_head(2, 2, 2, 2);
}

/* Flits of two packets take turns at an output; the packets leave with their last. */
static void test_flits(void **state) {
  (void)state;
  static struct bench b;
  open_bench(&b, 1000, 4, 1);
  put(&b, 0, 0, 4, 0);
  put(&b, 1, 0, 4, 0);
  put(&b, 2, 1, 4, 5);
  run(&b, 0, 1000);
  assert_int_equal(left_at(&b, 0), 6);
  assert_int_equal(left_at(&b, 1), 7);
  assert_int_equal(left_at(&b, 2), 8); /* alone: a flit per cycle, as it comes */
  close_bench(&b);
}

/* A packet begins when the receiver has room for the largest. */
static void test_room(void **state) {
  (void)state;
  static struct bench b;
  const struct weir_msg early = {.at = 50, .src = 10, .flits = 1},
                        rest = {.at = 60, .src = 10, .flits = 3};
  open_bench(&b, 4, 4, 1);
  put(&b, 0, 0, 4, 0);
  put(&b, 1, 0, 1, 0);
  put(&b, 2, 1, 1, 0);
  run(&b, 0, 20);
  assert_int_equal(b.n, 2);
  assert_true(weir_xbar_credit(&b.x, &early));
  run(&b, 20, 40);
  assert_true(weir_xbar_credit(&b.x, &rest));
  run(&b, 40, 100);
  assert_int_equal(b.n, 3);
  assert_int_equal(left_at(&b, 2), 60);
  assert_true(weir_xbar_is_empty(&b.x));
  assert_int_equal(b.x.flits_in, 6);
  assert_int_equal(b.x.flits_out, 6);
  weir_xbar_free(&b.x);
}

/* Traffic made from a seed, run in windows of `window` cycles, in each of which only what is sent
 * in it is known. The receiver gives its places back 40 cycles after a packet has left. */
static void traffic(struct bench *b, uint64_t window, uint32_t speedup) {
  enum { END = 1200 };
  uint64_t free_at[IN] = {0}, seed = 7;
  open_bench(b, 12, 4, speedup);
  for (uint64_t from = 0; from < 2 * END; from += window) {
    uint32_t before = b->n;
    for (uint64_t t = from; t < from + window && t < END; t++)
      for (uint32_t i = 0; i < IN; i++) {
        uint64_t r = weir_splitmix64(seed + t * IN + i);
        uint16_t flits = (uint16_t)(1 + (r >> 8) % 4);
        if (free_at[i] > t || r % 32 > 2) continue;
        put(b, i, (uint32_t)(r >> 16) % OUT, flits, t);
        free_at[i] = t + flits;
      }
    run(b, from, from + window);
    for (uint32_t k = before; k < b->n; k++) {
      struct weir_msg m = {.at = b->got[k].at + 10, .src = b->got[k].dst, .flits = b->got[k].flits};
      assert_true(weir_xbar_credit(&b->x, &m));
    }
  }
  assert_null(weir_xbar_rest(&b->x));
  weir_xbar_free(&b->x);
}

static void test_windows(void **state) {
  (void)state;
  static struct bench want, got;
  for (uint32_t speedup = 1; speedup <= 3; speedup += 2) {
    traffic(&want, 1, speedup);
    assert_in_range(want.n, 300, MAX);
    for (uint64_t window = 2; window <= 40; window += 19) {
      traffic(&got, window, speedup);
      assert_int_equal(got.n, want.n);
      assert_memory_equal(got.got, want.got, want.n * sizeof *want.got);
    }
  }
}

/* ---- in a machine ---- */

/* Nobody is in the way of a single warp: the same cycles as without a crossbar. */
static void test_alone(void **state) {
  (void)state;
  struct rig g;
  struct synth s;
  struct weir_sim_result r;
  rig_open(&g, "noc.crossbar=fifo", NULL);
  synth_init(&s, 1, 1);
  uint32_t ld = synth_access(&s, WEIR_C_LOAD, WEIR_SP_GLOBAL, 4, 0, 0);
  for (unsigned k = 0; k < 4; k++)
    synth_stride(&s, 0, 0, ld, UINT32_MAX, 0x1000, 4);
  assert_int_equal(rig_run(&g, &s, &r), DRAM_LINE + 3 * L1_HIT);
  synth_free(&s);
  rig_close(&g);
}

/* A request for four sectors has four flits, with either crossbar. */
static void test_read_request(void **state) {
  (void)state;
  const char *const kind[] = {"noc.crossbar=ideal", "noc.crossbar=fifo"};
  for (unsigned i = 0; i < 2; i++) {
    struct rig g;
    struct synth s;
    struct weir_sim_result r;
    rig_open(&g, "noc.read_request=sector", kind[i], NULL);
    synth_init(&s, 1, 1);
    uint32_t ld = synth_access(&s, WEIR_C_LOAD, WEIR_SP_GLOBAL, 4, 0, 0);
    synth_stride(&s, 0, 0, ld, UINT32_MAX, 0x1000, 4);
    assert_int_equal(rig_run(&g, &s, &r), DRAM_LINE + 3);
    assert_int_equal(r.l1.request_flits, 4);
    synth_free(&s);
    rig_close(&g);
  }
}

/* Two SMs load lines of one slice, one slice each way: with 5 flits for a line the crossbar's
 * output to each SM is free half of the time, but the slice's queue gives one flit per cycle. */
static void test_shared_slice(void **state) {
  (void)state;
  enum { LINES = 64 };
  struct rig g;
  struct synth s;
  struct weir_sim_result r;
  rig_open(&g, "noc.crossbar=fifo", "sm.count=2", "l1.enabled=false", "l1.miss_queue=64",
           "l1.bypass_queue=64", NULL);
  rig_warm_l2(&g, 0, LINES);
  synth_init(&s, 2, 1);
  uint32_t ld = synth_access(&s, WEIR_C_LOAD, WEIR_SP_GLOBAL, 4, 0, -1);
  s.insns[ld].n_dst = 0; /* no load waits for another */
  for (uint32_t b = 0; b < 2; b++)
    for (uint32_t k = 0; k < LINES; k++)
      synth_stride(&s, b, 0, ld, UINT32_MAX, 128 * k, 4);
  /* The first reply leaves the slice as if it were alone; the last flit of all 2 x LINES follows.
   */
  assert_int_equal(rig_run(&g, &s, &r), L2_LINE + 5 * (2 * LINES - 1));
  assert_int_equal(r.l2.read_hits, 2 * LINES);
  synth_free(&s);
  rig_close(&g);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_two_to_one),   cmocka_unit_test(test_permutation),
      cmocka_unit_test(test_head_of_line), cmocka_unit_test(test_flits),
      cmocka_unit_test(test_room),         cmocka_unit_test(test_windows),
      cmocka_unit_test(test_alone),        cmocka_unit_test(test_read_request),
      cmocka_unit_test(test_shared_slice)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
