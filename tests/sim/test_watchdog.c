/* A run that cannot go on says who waits for what. The mistakes are made by an L1 that loses what
 * it is given. */
#include "synth.h"

#include "../stream/util.h"

/* The linker puts these in place of two functions of the L1 (meson.build). */
static enum { SOUND, LOSES_FILLS, REFUSES_FILLS, KEEPS_PACKETS } l1_is;

bool __real_weir_l1_fill(struct weir_l1 *l1, const struct weir_msg *reply, uint64_t now);
bool __wrap_weir_l1_fill(struct weir_l1 *l1, const struct weir_msg *reply, uint64_t now);
bool __wrap_weir_l1_fill(struct weir_l1 *l1, const struct weir_msg *reply, uint64_t now) {
  if (l1_is == LOSES_FILLS) return true;
  return l1_is != REFUSES_FILLS && __real_weir_l1_fill(l1, reply, now);
}

const struct weir_msg *__real_weir_l1_peek(const struct weir_l1 *l1);
const struct weir_msg *__wrap_weir_l1_peek(const struct weir_l1 *l1);
const struct weir_msg *__wrap_weir_l1_peek(const struct weir_l1 *l1) {
  return l1_is == KEEPS_PACKETS ? NULL : __real_weir_l1_peek(l1);
}

static const char *trace; /* the file that the kernel is said to come from */

static void run_stuck(struct synth *s, const char *const *set, const struct weir_sim_options *o,
                      struct weir_err *err) {
  struct machine x;
  struct weir_sim *sim;
  struct weir_sim_result r;
  machine_init(&x, NULL, set);
  assert_int_equal(weir_sim_new(&x.m, NULL, o, &sim, err), WEIR_OK);
  struct weir_block_source *source = synth_source(s);
  source->file = trace;
  assert_int_equal(weir_sim_kernel(sim, source, &r, err), trace != NULL ? WEIR_EFAULT : WEIR_EBUG);
  assert_int_equal(s->n_released, s->next_block); /* no block is lost */
  struct weir_err again;
  assert_int_equal(weir_sim_kernel(sim, synth_source(s), &r, &again), WEIR_EINVAL);
  weir_sim_free(sim);
  machine_free(&x);
  l1_is = SOUND;
}

static void says(const struct weir_err *err, const char *text) {
  if (strstr(err->msg, text) == NULL) fail_msg("'%s' is not in:\n%s", text, err->msg);
}

static void test_lost_fill(void **state) {
  (void)state;
  struct weir_sim_options o = {.threads = 1, .watchdog = 100000};
  struct weir_err err;
  struct synth s;
  l1_is = LOSES_FILLS;
  synth_init(&s, 1, 2);
  uint32_t ld = synth_access(&s, WEIR_C_LOAD, WEIR_SP_GLOBAL, 4, 0, -1),
           add = synth_insn(&s, WEIR_C_INT, 1, 0), bar = synth_insn(&s, WEIR_C_BARRIER, -1, -1);
  synth_uniform(&s, 0, 0, ld, 0x4000);
  synth_put(&s, 0, 0, add);
  synth_put(&s, 0, 0, bar);
  synth_put(&s, 0, 1, bar);
  synth_put(&s, 0, 1, add);
  run_stuck(&s, NULL, &o, &err);
  says(&err, "no progress");
  says(&err, "SM 0 warp 0 at pc 0x8 waits for one of 1 loads");
  says(&err, "SM 0 warp 1 at pc 0x8 waits at barrier 0: 1 of 2 warps are there");
  says(&err, "SM 0 L1: 1 MSHRs; that of line 0x4000 waits for sectors 0xf with 1 loads");
  says(&err, "1 loads in flight");
  synth_free(&s);
}

static void test_missing_warps(void **state) {
  (void)state;
  struct weir_sim_options o = {.threads = 1, .watchdog = 1000};
  struct weir_err err;
  struct synth s;
  synth_init(&s, 1, 2);
  uint32_t pair = synth_barrier(&s, 3, 4, false), add = synth_insn(&s, WEIR_C_INT, -1, -1);
  for (uint32_t w = 0; w < 2; w++) {
    synth_put(&s, 0, w, pair);
    synth_put(&s, 0, w, add);
  }
  run_stuck(&s, NULL, &o, &err);
  says(&err, "SM 0 warp 1 at pc 0x8 waits at barrier 3: 2 of 4 warps are there");
  synth_free(&s);
}

/* Barriers that are never met are a trace's mistake, not weir's. */
static void test_missing_warps_of_a_trace(void **state) {
  (void)state;
  struct weir_sim_options o = {.threads = 1, .watchdog = 1000};
  struct weir_err err;
  struct synth s;
  synth_init(&s, 1, 2);
  uint32_t bar = synth_barrier(&s, 3, 4, false), add = synth_insn(&s, WEIR_C_INT, -1, -1);
  for (uint32_t w = 0; w < 2; w++) {
    synth_put(&s, 0, w, bar);
    synth_put(&s, 0, w, add);
  }
  trace = "some.wtrace";
  run_stuck(&s, NULL, &o, &err);
  trace = NULL;
  says(&err, "some.wtrace: kernel ");
  says(&err, "never come to it");
  synth_free(&s);
}

/* The literal engine never runs out of calls: the watchdog ends it. */
static void test_watchdog(void **state) {
  (void)state;
  struct weir_sim_options o = {.threads = 1, .watchdog = 3000, .literal = true};
  struct weir_err err;
  struct synth s;
  l1_is = LOSES_FILLS;
  synth_init(&s, 1, 1);
  uint32_t ld = synth_access(&s, WEIR_C_LOAD, WEIR_SP_GLOBAL, 4, 0, -1);
  synth_uniform(&s, 0, 0, ld, 0x4000);
  run_stuck(&s, NULL, &o, &err);
  says(&err, "SM 0 warp 0 has ended; 1 loads and 0 stores are unanswered");
  synth_free(&s);
}

static void test_full_queues(void **state) {
  (void)state;
  struct weir_sim_options o = {.threads = 1, .watchdog = 3000};
  const char *const set[] = {"sm.count=4", "sm.ldst_queue=2", "l1.miss_queue=2", NULL};
  struct weir_err err;
  struct synth s;
  l1_is = KEEPS_PACKETS;
  synth_init(&s, 16, 4);
  uint32_t st = synth_access(&s, WEIR_C_STORE, WEIR_SP_GLOBAL, 4, -1, -1),
           fence = synth_insn(&s, WEIR_C_FENCE, -1, -1), add = synth_insn(&s, WEIR_C_INT, 1, 0);
  for (uint32_t b = 0; b < 16; b++)
    for (uint32_t w = 0; w < 4; w++) {
      synth_uniform(&s, b, w, st, 0x4000 + 512 * b + 128 * w);
      synth_put(&s, b, w, fence);
      synth_put(&s, b, w, add);
    }
  run_stuck(&s, set, &o, &err);
  says(&err, "waits at a fence for 1 acknowledgements");
  says(&err, "SM 0 LD/ST queue: 2 of 2; line 0x");
  says(&err, "waits for the miss queue");
  says(&err, "miss queue 2 of 2");
  says(&err, "more warps");
  says(&err, "and 2 more SMs");
  assert_true(strlen(err.msg) < WEIR_ERR_TEXT - 1); /* all of it is there */
  synth_free(&s);
}

/* A reply buffer that is never emptied: by an L1 that takes no fill. */
static void test_credits(void **state) {
  (void)state;
  const char *const set[] = {"sm.count=1",
                             "l2.slices=1",
                             "dram.channels=1",
                             "noc.reply_buffer=5",
                             "noc.request_buffer=5",
                             "l2.mshr_entries=1",
                             NULL};
  struct weir_sim_options o = {.threads = 1, .watchdog = 20000};
  struct weir_err err;
  struct synth s;
  l1_is = REFUSES_FILLS;
  synth_init(&s, 1, 1);
  uint32_t ld = synth_access(&s, WEIR_C_LOAD, WEIR_SP_GLOBAL, 4, -1, -1);
  for (uint32_t i = 0; i < 32; i++)
    synth_uniform(&s, 0, 0, ld, 0x4000 + 128 * i);
  run_stuck(&s, set, &o, &err);
  says(&err, "L2 slice 0 replies: ");
  says(&err, "the first has 5 flits for SM 0, credit for 0");
  says(&err, "fills wait for the L1");
  synth_free(&s);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_lost_fill),
      cmocka_unit_test(test_missing_warps),
      cmocka_unit_test(test_missing_warps_of_a_trace),
      cmocka_unit_test(test_watchdog),
      cmocka_unit_test(test_full_queues),
      cmocka_unit_test(test_credits),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
