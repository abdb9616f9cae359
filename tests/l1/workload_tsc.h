/* Built-in workloads on fermi-s3 with an L1 of the test's choice: the same statistics however the
 * engine runs. */
#ifndef TESTS_L1_WORKLOAD_TSC_H
#define TESTS_L1_WORKLOAD_TSC_H

#include <stdio.h>

#include "../sim/synth.h"
#include "../stream/util.h"
#include "launch/workload.h"

static const char *folder;

enum { MAX_KERNELS = 64 };

struct run {
  struct weir_sim *sim;
  struct weir_sim_result kernel[MAX_KERNELS];
  uint32_t n;
};

static inline void must(enum weir_status st, const struct weir_err *err) {
  if (st != WEIR_OK) fail_msg("%s", err->msg);
}

static inline enum weir_status simulate(void *self, struct weir_block_source *src,
                                        struct weir_err *err) {
  struct run *r = self;
  assert_true(r->n < MAX_KERNELS);
  return weir_sim_kernel(r->sim, src, &r->kernel[r->n++], err);
}

static inline void run_workload(struct run *r, const char *workload, const struct weir_design *d,
                                const struct weir_sim_options *o) {
  char path[4096];
  struct weir_err err;
  struct ptx_exec_cfg cfg;
  struct ptx_device dev;
  struct weir_workload *w;
  struct weir_settings settings;
  struct machine x;
  const struct weir_param_group *const groups[] = {&ptx_exec_params, NULL};
  memset(r, 0, sizeof *r);
  snprintf(path, sizeof path, "%s/gpus/fermi-s3.yaml", folder);
  machine_init(&x, path, NULL);
  snprintf(path, sizeof path, "%s/workloads/%s/%s.yaml", folder, workload, workload);
  must(weir_settings_init(&settings, groups, &err), &err);
  must(weir_settings_fill(&settings, &ptx_exec_params, &cfg, &err), &err);
  must(ptx_device_init(&dev, &cfg, &err), &err);
  must(weir_workload_open(&dev, path, "profile", &w, &err), &err);
  must(weir_sim_new(&x.m, d, o, &r->sim, &err), &err);
  struct weir_workload_hooks h = {.simulate = simulate, .self = r, .want_streams = true};
  must(weir_workload_run(w, &h, &err), &err);
  weir_sim_free(r->sim);
  weir_workload_close(w);
  ptx_device_free(&dev);
  weir_settings_free(&settings);
  machine_free(&x);
}

/* Returns the results of the plain run. */
static inline const struct run *compare_workload(const char *workload,
                                                 const struct weir_design *d) {
  static const struct weir_sim_options ways[] = {{.threads = 1, .check = true},
                                                 {.threads = 2, .check = true},
                                                 {.threads = 1, .literal = true, .check = true},
                                                 {.threads = 1, .window = 1, .check = true}};
  static struct run want, got;
  run_workload(&want, workload, d, &ways[0]);
  assert_true(want.n > 0 && want.kernel[0].l1.loads > 0);
  for (size_t i = 1; i < sizeof ways / sizeof *ways; i++) {
    run_workload(&got, workload, d, &ways[i]);
    assert_int_equal(got.n, want.n);
    for (uint32_t k = 0; k < want.n; k++)
      if (!same_result(&want.kernel[k], &got.kernel[k]))
        fail_msg("%s, kernel %u: run %u differs", workload, k, (unsigned)i);
  }
  return &want;
}

#endif
