/* Kernels whose lanes and warps meet from anywhere (tests/truth/meet_cases.h), timed: whatever ends
 * when it is executed ends in the timing model as well, and everything is given back.
 *   test_meet SOURCE_FOLDER */
#include "synth.h"

#include <stdio.h>

#include "../stream/util.h"
#include "meet_run.h"

static const char *folder;

static enum weir_status next_block(struct weir_block_source *src, struct weir_block_stream **out,
                                   struct weir_err *err) {
  return ptx_run_next(src->self, out, err);
}

static void release_block(struct weir_block_source *src, struct weir_block_stream *b) {
  ptx_run_release(src->self, b);
}

/* True if the case ended; one that does not when it is executed says nothing about timing. */
static bool time_case(struct weir_sim *sim, const struct meet_case *c) {
  struct meet_vm vm;
  struct ptx_run *run;
  struct weir_err err = {0};
  struct weir_sim_result result;
  struct weir_func_stats stats;
  meet_open(&vm, c);
  meet_must(ptx_run_begin(&vm.dev, vm.prog, &vm.launch, true, &run, &err), &err);
  struct weir_block_source source = {
      .kernel = ptx_run_info(run), .next = next_block, .release = release_block, .self = run};
  enum weir_status st = weir_sim_kernel(sim, &source, &result, &err);
  bool ends = ptx_run_fault(run) == PTX_F_NONE;
  if (ends && st != WEIR_OK) fail_msg("%s: %s", c->name, err.msg);
  ptx_run_stats(run, &stats);
  if (ends) assert_int_equal(result.sm.warp_insns, stats.warp_insns);
  ptx_run_end(run);
  meet_close(&vm);
  return ends;
}

static void time_all(const char *gpu) {
  const struct weir_sim_options o = {.threads = 1, .check = true, .watchdog = 1000000};
  char path[4096];
  struct machine x;
  struct weir_err err;
  struct weir_sim *sim = NULL;
  size_t n, n_ended = 0;
  struct meet_case *cases = meet_cases(&n);
  assert_non_null(cases);
  snprintf(path, sizeof path, "%s/gpus/%s.yaml", folder, gpu);
  machine_init(&x, path, NULL);
  for (size_t i = 0; i < n; i++) {
    if (sim == NULL) meet_must(weir_sim_new(&x.m, NULL, &o, &sim, &err), &err);
    if (time_case(sim, &cases[i])) {
      n_ended++;
      continue;
    }
    weir_sim_free(sim); /* after a failure it can only be freed */
    sim = NULL;
  }
  if (sim != NULL) weir_sim_free(sim);
  assert_true(n_ended > n / 2);
  machine_free(&x);
  meet_cases_free(cases, n);
}

static void on_fermi(void **state) {
  (void)state;
  time_all("fermi-s3");
}

static void on_volta(void **state) {
  (void)state;
  if (IS_SANITIZED) skip();
  time_all("v100");
}

int main(int argc, char **argv) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(on_fermi), cmocka_unit_test(on_volta)};
  if (argc != 2) return 2;
  folder = argv[1];
  return cmocka_run_group_tests(tests, NULL, NULL);
}
