/* The host runs out of memory at any point of a simulator's life: an error that says so, blocks
 * given back, and nothing left behind (the sanitizers look). */
#include "synth.h"

#include "../base/testing.h"
#include "../stream/util.h"

static const char *const small[] = {
    "sm.count=2", "sm.warps=8",      "sm.blocks=2",  "l1.sets=4",    "l1.ways=2",   "l2.slices=2",
    "l2.sets=16", "dram.channels=2", "dram.queue=8", "l3.enabled=1", "l1.line=256", "l2.line=64",
    NULL};

static struct machine x;
static struct random_design design;
static struct synth kernel;
static uint32_t n_threads;

static bool simulate(void) {
  struct weir_err err = {0};
  struct weir_sim *sim = NULL;
  struct weir_sim_result r;
  struct weir_sim_options o = {
      .threads = n_threads, .watchdog = 100000, .check = true, .clocks = true};
  struct weir_block_source *source = synth_source(&kernel);
  enum weir_status st = weir_sim_new(&x.m, &design.d, &o, &sim, &err);
  for (int i = 0; st == WEIR_OK && i < 2; i++)
    st = weir_sim_kernel(sim, source = synth_source(&kernel), &r, &err);
  if (st != WEIR_OK) {
    assert_int_equal(st, WEIR_ENOMEM);
    assert_contains(err.msg, "out of memory");
    assert_int_equal(kernel.n_released, kernel.next_block);
    struct weir_err again;
    if (sim != NULL) assert_int_equal(weir_sim_kernel(sim, source, &r, &again), WEIR_EINVAL);
  }
  weir_sim_free(sim);
  return st == WEIR_OK;
}

/* The first allocation fails, then the second, ... until all succeed. Returns how many did not. The
 * kernel is a new one each time: a pool of streams stays broken. */
static int fail_each(void) {
  for (int n = 0;; n++) {
    synth_random(&kernel, 7);
    for (uint32_t i = 0; i < kernel.info.n_insns; i++)
      kernel.insns[i].reads_clock = kernel.insns[i].width == 0;
    weir_malloc_fail_after(n);
    bool good = simulate();
    weir_malloc_fail_after(-1);
    synth_free(&kernel);
    if (good) return n;
  }
}

/* Designs are drawn, so that their parts allocate, too. */
static void run_with(uint32_t threads, uint64_t designs) {
  n_threads = threads;
  machine_init(&x, NULL, small);
  for (uint64_t seed = 0; seed < designs; seed++) {
    design_random(&design, &x.m, seed);
    assert_true(fail_each() > 50);
  }
  machine_free(&x);
}

static void test_one_thread(void **state) {
  (void)state;
  run_with(1, 20);
}

/* The hook is the calling thread's: what workers allocate does not fail here. */
static void test_threads(void **state) {
  (void)state;
  run_with(3, 3);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_one_thread),
      cmocka_unit_test(test_threads),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
