/* Memory is bounded by the resident blocks, not by the kernel: a block's streams are made when it
 * is dispatched and given back when it retires. WEIR_LONG_TESTS=1: 100 million instructions. */
#include "flow.h"

#include <stdio.h>
#include <sys/resource.h>

enum { SMS = 4, RESIDENT = 3, WARPS = 8, EACH = 500 };

struct count {
  struct flow flow;
  uint32_t live, peak;
};

static enum weir_status counted_next(struct weir_block_source *src, struct weir_block_stream **out,
                                     struct weir_err *err) {
  struct count *c = src->self; /* begins with its flow */
  enum weir_status st = flow_next(src, out, err);
  if (st == WEIR_OK && *out != NULL && ++c->live > c->peak) c->peak = c->live;
  return st;
}

static void counted_release(struct weir_block_source *src, struct weir_block_stream *b) {
  struct count *c = src->self;
  c->live--;
  flow_release(src, b);
}

/* Random lines: streams that do not compress to nothing. */
static uint64_t random_line(const struct flow *f, uint32_t warp, uint32_t i) {
  (void)f;
  uint64_t state = UINT64_C(1000003) * warp + i;
  return rnd(&state) % 64 * 128;
}

static void count_init(struct count *c, uint32_t n_blocks) {
  *c = (struct count){.peak = 0};
  flow_init(&c->flow, WEIR_C_LOAD, n_blocks, WARPS, 32);
  c->flow.each = EACH;
  c->flow.addr = random_line;
}

/* Bytes of buffers that one block takes. */
static size_t bytes_of_block(void) {
  struct count c;
  struct weir_block_stream *b;
  struct weir_err err;
  count_init(&c, 1);
  struct weir_block_source *src = flow_source(&c.flow);
  assert_int_equal(flow_next(src, &b, &err), WEIR_OK);
  size_t bytes = c.flow.pool.held;
  weir_block_release(b);
  flow_free(&c.flow);
  return bytes;
}

/* Most bytes of buffers at any time, and the instructions that were run. */
static size_t peak_of(uint32_t n_blocks, uint64_t *insns) {
  const char *const set[] = {"sm.count=4", "sm.blocks=3", "sm.warps=24", "l1.sets=64", NULL};
  struct machine x;
  struct count c;
  struct weir_err err;
  struct weir_sim *sim;
  struct weir_sim_result r;
  struct weir_sim_options o = {.threads = 1, .watchdog = 1000000, .check = true};
  machine_init(&x, NULL, set);
  assert_int_equal(weir_sim_new(&x.m, NULL, &o, &sim, &err), WEIR_OK);
  count_init(&c, n_blocks);
  struct weir_block_source *src = flow_source(&c.flow);
  src->next = counted_next;
  src->release = counted_release;
  if (weir_sim_kernel(sim, src, &r, &err) != WEIR_OK) fail_msg("%s", err.msg);
  assert_int_equal(r.blocks_per_sm, RESIDENT);
  assert_int_equal(c.live, 0);
  assert_int_equal(c.peak, SMS * RESIDENT);
  assert_int_equal(c.flow.pool.n_spilled, 0);
  *insns = r.sm.warp_insns;
  size_t peak = c.flow.pool.peak_held;
  weir_sim_free(sim);
  flow_free(&c.flow);
  machine_free(&x);
  return peak;
}

static void test_streams(void **state) {
  (void)state;
  uint64_t few, many;
  size_t one = bytes_of_block(), a = peak_of(60, &few), b = peak_of(600, &many);
  assert_int_equal(few, 60 * WARPS * EACH);
  assert_int_equal(many, 10 * few);
  assert_true(one > 0);
  if (a > SMS * RESIDENT * one) fail_msg("%zu bytes for %d blocks of %zu", a, SMS * RESIDENT, one);
  if (b > a) fail_msg("%zu bytes, but %zu in a kernel of a tenth of the length", b, a);
}

static void test_hundred_million(void **state) {
  (void)state;
  if (getenv("WEIR_LONG_TESTS") == NULL) skip();
  uint64_t insns;
  struct rusage use;
  peak_of(25000, &insns);
  assert_int_equal(insns, 100000000);
  assert_int_equal(getrusage(RUSAGE_SELF, &use), 0);
  print_message("%ld KiB resident at most\n", use.ru_maxrss);
  assert_true(use.ru_maxrss < 1 << 20);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_streams),
      cmocka_unit_test(test_hundred_million),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
