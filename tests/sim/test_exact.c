/* Built-in workloads: the same statistics from the event-driven and the literal engine, with every
 * window and number of threads.
 *   test_exact SOURCE_FOLDER */
#include "synth.h"

#include <stdio.h>

#include "../stream/util.h"
#include "launch/workload.h"

static const char *folder;

enum { MAX_KERNELS = 64 };

struct run {
  struct weir_sim *sim;
  struct weir_sim_result kernel[MAX_KERNELS];
  uint32_t n;
};

static void must(enum weir_status st, const struct weir_err *err) {
  if (st != WEIR_OK) fail_msg("%s", err->msg);
}

static enum weir_status simulate(void *self, struct weir_block_source *src, struct weir_err *err) {
  struct run *r = self;
  assert_true(r->n < MAX_KERNELS);
  return weir_sim_kernel(r->sim, src, &r->kernel[r->n++], err);
}

static void run_workload(struct run *r, const char *workload, const struct machine *x,
                         const struct weir_sim_options *o) {
  char path[4096];
  struct weir_err err;
  struct ptx_exec_cfg cfg;
  struct ptx_device dev;
  struct weir_workload *w;
  struct weir_settings settings;
  const struct weir_param_group *const groups[] = {&ptx_exec_params, NULL};
  memset(r, 0, sizeof *r);
  snprintf(path, sizeof path, "%s/workloads/%s/%s.yaml", folder, workload, workload);
  must(weir_settings_init(&settings, groups, &err), &err);
  must(weir_settings_fill(&settings, &ptx_exec_params, &cfg, &err), &err);
  must(ptx_device_init(&dev, &cfg, &err), &err);
  must(weir_workload_open(&dev, path, "test", &w, &err), &err);
  must(weir_sim_new(&x->m, NULL, o, &r->sim, &err), &err);
  struct weir_workload_hooks h = {.simulate = simulate, .self = r, .want_streams = true};
  must(weir_workload_run(w, &h, &err), &err);
  weir_sim_free(r->sim);
  weir_workload_close(w);
  ptx_device_free(&dev);
  weir_settings_free(&settings);
}

static void compare(const char *workload, const char *gpu, const char *const *set) {
  static const struct weir_sim_options other[] = {
      {.threads = 1, .literal = true, .check = true},
      {.threads = 1, .window = 1, .check = true},
      {.threads = 1, .window = 2, .check = true},
      {.threads = 2, .check = true},
      {.threads = 3, .check = true},
      {.threads = 1, .check = true}, /* and again: nothing depends on where memory lies */
  };
  static const char *const name[] = {"literal",   "window 1",  "window 2",
                                     "2 threads", "3 threads", "the same again"};
  static struct run want, got;
  char path[4096];
  struct machine x;
  snprintf(path, sizeof path, "%s/gpus/%s.yaml", folder, gpu);
  machine_init(&x, path, set);
  run_workload(&want, workload, &x, &other[5]);
  assert_true(want.n > 0 && want.kernel[0].cycles > 0 && want.kernel[0].l1.loads > 0);
  for (size_t i = 0; i < sizeof other / sizeof *other; i++) {
    run_workload(&got, workload, &x, &other[i]);
    assert_int_equal(got.n, want.n);
    for (uint32_t k = 0; k < want.n; k++)
      if (!same_result(&want.kernel[k], &got.kernel[k]))
        fail_msg("%s on %s, kernel %u: %s differs", workload, gpu, k, name[i]);
  }
  machine_free(&x);
}

static void test_fermi(void **state) {
  (void)state;
  compare("gather", "fermi-s3", NULL);
  compare("histogram", "fermi-s3", NULL);
  if (!IS_SANITIZED) compare("reduction", "fermi-s3", NULL);
}

static void test_v100(void **state) {
  (void)state;
  if (IS_SANITIZED) skip();
  compare("gather", "v100-cfg", NULL);
  compare("histogram", "v100-cfg", NULL);
  compare("reduction", "v100-cfg", NULL);
}

/* The L1's latency in front of its tags, with and without banks. */
static void test_tags(void **state) {
  (void)state;
  if (IS_SANITIZED) skip();
  static const char *const set[] = {"l1.latency_at=tags", "sm.count=8", NULL};
  compare("gather", "pascal-s1", set);
  compare("histogram", "v100-cfg", set);
}

/* The memory side of GPGPU-Sim 3.2, short of everything. */
static void test_older(void **state) {
  (void)state;
  static const char *const set[] = {
      "l2.sectored=false",          "l2.whole_lines=true",   "l2.index=linear",
      "l2.port_bytes=32",           "l2.write_miss=forward", "l2.mshr_entries=8",
      "dram.atom_bytes=64",         "dram.burst_cyc=2",      "dram.queue=4",
      "dram.queue_counts=requests", "dram.input_queue=5",    NULL};
  compare("histogram", "fermi-s3", set);
  if (!IS_SANITIZED) compare("transpose", "fermi-s3", set);
}

/* What packets and atomics of others can hold up, crosses windows and threads. */
static void test_peer(void **state) {
  (void)state;
  static const char *const set[] = {"noc.crossbar=fifo",    "noc.read_request=sector",
                                    "l1.atomics=sector",    "sm.atom_waits=true",
                                    "sm.dependent_extra=5", NULL};
  if (!IS_SANITIZED) compare("histogram", "v100-cfg", set);
  compare("gather", "fermi-s3", set);
}

int main(int argc, char **argv) {
  if (argc != 2) return 2;
  folder = argv[1];
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_fermi), cmocka_unit_test(test_v100),
                                     cmocka_unit_test(test_tags), cmocka_unit_test(test_older),
                                     cmocka_unit_test(test_peer)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
