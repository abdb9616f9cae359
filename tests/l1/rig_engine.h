/* Runs of the whole engine with a design, in every way that they can be cut: the same results. */
#ifndef TESTS_L1_RIG_ENGINE_H
#define TESTS_L1_RIG_ENGINE_H

#include <inttypes.h>
#include <stdio.h>

#include "../sim/synth.h"
#include "../stream/util.h"
#include "launch/workload.h"

/* Random cases, and ways to run the engine. A sanitizer is slow, and looks for other things than
 * results that differ. */
#ifdef __SANITIZE_ADDRESS__
#define CASES(n) ((n) / 4)
enum { ENGINE_WAYS = 1, ENGINE_WAYS_TAGGED = 1 };
#else
#define CASES(n) (((n) + 1) / 2)
enum { ENGINE_WAYS = 4, ENGINE_WAYS_TAGGED = 5 };
#endif

static inline void must(enum weir_status st, const struct weir_err *err) {
  if (st != WEIR_OK) fail_msg("%s", err->msg);
}

/* Parameters of a part, "threshold=3", ended by NULL, beside the defaults of the others. */
static inline void rig_params(const struct weir_param *table, void *cfg,
                              const char *const *params) {
  struct weir_err err;
  weir_param_defaults(table, cfg);
  for (; *params != NULL; params++) {
    char name[64];
    const char *eq = strchr(*params, '=');
    snprintf(name, sizeof name, "%.*s", (int)(eq - *params), *params);
    must(weir_param_set(table, cfg, name, eq + 1, NULL, &err), &err);
  }
}

/* ---- a part's parameters and statistics by name ---- */

struct part_cfg { /* the parameters of any part */
  _Alignas(16) unsigned char bytes[512];
};

static inline const struct weir_param *part_param(const struct weir_part *part, const char *name) {
  const struct weir_param *p = weir_param_find(part->params, name);
  if (p == NULL) fail_msg("%s has no parameter %s", part->name, name);
  return p;
}

static inline void part_defaults(const struct weir_part *part, struct part_cfg *cfg) {
  assert_true(part->cfg_bytes <= sizeof *cfg);
  weir_param_defaults(part->params, cfg);
}

/* Any text that a user may write. */
static inline void part_set(const struct weir_part *part, struct part_cfg *cfg, const char *name,
                            const char *text) {
  struct weir_err err;
  must(weir_param_set(part->params, cfg, part_param(part, name)->name, text, NULL, &err), &err);
}

/* Any number, also one that a user may not write. */
static inline void part_put(const struct weir_part *part, struct part_cfg *cfg, const char *name,
                            double value) {
  const struct weir_param *p = part_param(part, name);
  void *field = cfg->bytes + p->offset;
  if (p->type == WEIR_BOOL)
    *(bool *)field = value != 0;
  else if (p->type == WEIR_INT)
    *(int64_t *)field = (int64_t)value;
  else if (p->type == WEIR_REAL)
    *(double *)field = value;
  else
    fail_msg("%s.%s is not a number", part->name, name);
}

static inline int64_t part_get(const struct weir_part *part, const struct part_cfg *cfg,
                               const char *name) {
  const struct weir_param *p = part_param(part, name);
  assert_int_equal(p->type, WEIR_INT);
  return *(const int64_t *)(const void *)(cfg->bytes + p->offset);
}

static inline uint64_t *part_stat(const struct weir_part *part, const void *stats,
                                  const char *name) {
  for (const struct weir_stat *s = part->stats; s->name != NULL; s++)
    if (strcmp(s->name, name) == 0 && s->kind != WEIR_RATIO)
      return (uint64_t *)((const char *)stats + s->offset);
  fail_msg("%s has no statistic %s", part->name, name);
  return NULL;
}

/* ---- ways ---- */

enum { MAX_LAUNCHES = 64 };
static const struct weir_sim_options engine_ways[] = {
    {.threads = 1, .check = true, .watchdog = 500000},
    {.threads = 2, .check = true, .watchdog = 500000},
    {.threads = 1, .check = true, .watchdog = 500000, .literal = true},
    {.threads = 1, .check = true, .watchdog = 500000, .window = 1},
    {.threads = 3, .check = true, .watchdog = 500000},
};
static const char *const engine_way_names[] = {"event-driven", "2 threads", "literal", "window 1",
                                               "3 threads"};

/* ---- kernels ---- */

static inline void engine_kernels(const struct machine *x, const struct weir_design *d,
                                  struct synth *const *kernels, unsigned n,
                                  const struct weir_sim_options *o, struct weir_sim_result *r) {
  struct weir_err err;
  struct weir_sim *sim;
  must(weir_sim_new(&x->m, d, o, &sim, &err), &err);
  for (unsigned i = 0; i < n; i++)
    if (weir_sim_kernel(sim, synth_source(kernels[i]), &r[i], &err) != WEIR_OK) {
      machine_print(x);
      fail_msg("%s", err.msg);
    }
  weir_sim_free(sim);
}

/* Who gives tags to loads; those that are tagged run with three threads too. */
struct engine_tags {
  enum weir_status (*match)(const void *self, const struct weir_kernel_info *k, const uint8_t **out,
                            struct weir_err *err);
  const void *self;
};

static inline struct weir_sim_options engine_way(unsigned i, const struct engine_tags *t) {
  struct weir_sim_options o = engine_ways[i];
  if (t != NULL) {
    o.tags = t->match;
    o.tags_self = t->self;
  }
  return o;
}

/* Kernels in every way: the same statistics, those of the parts included. The result of the first
 * way is left in `r`. */
static inline void engine_same_tagged(const struct machine *x, const struct weir_design *d,
                                      struct synth *const *kernels, unsigned n,
                                      const struct engine_tags *t, struct weir_sim_result *r) {
  struct weir_sim_result got[8];
  assert_true(n <= 8);
  for (unsigned i = 0; i < (t != NULL ? ENGINE_WAYS_TAGGED : ENGINE_WAYS); i++) {
    struct weir_sim_options o = engine_way(i, t);
    engine_kernels(x, d, kernels, n, &o, i == 0 ? r : got);
    for (unsigned k = 0; i > 0 && k < n; k++)
      if (!same_result(&r[k], &got[k])) {
        machine_print(x);
        fail_msg("kernel %u: %s differs", k, engine_way_names[i]);
      }
  }
}

static inline void engine_same(const struct machine *x, const struct weir_design *d,
                               struct synth *const *kernels, unsigned n,
                               struct weir_sim_result *r) {
  engine_same_tagged(x, d, kernels, n, NULL, r);
}

/* ---- built-in workloads ---- */

struct launches {
  struct weir_sim *sim;
  struct weir_sim_result r[MAX_LAUNCHES];
  uint32_t n;
};

static inline enum weir_status engine_launch(void *self, struct weir_block_source *src,
                                             struct weir_err *err) {
  struct launches *l = self;
  assert_true(l->n < MAX_LAUNCHES);
  return weir_sim_kernel(l->sim, src, &l->r[l->n++], err);
}

static inline void engine_gpu(const char *folder, const char *gpu, struct machine *x) {
  char path[4096];
  snprintf(path, sizeof path, "%s/gpus/%s.yaml", folder, gpu);
  machine_init(x, path, NULL);
}

static inline void engine_workload(const char *folder, const char *workload,
                                   const struct machine *x, const struct weir_design *d,
                                   const struct weir_sim_options *o, struct launches *l) {
  char path[4096];
  struct weir_err err;
  struct ptx_exec_cfg cfg;
  struct ptx_device dev;
  struct weir_workload *w;
  struct weir_settings settings;
  const struct weir_param_group *const groups[] = {&ptx_exec_params, NULL};
  memset(l, 0, sizeof *l);
  snprintf(path, sizeof path, "%s/workloads/%s/%s.yaml", folder, workload, workload);
  must(weir_settings_init(&settings, groups, &err), &err);
  must(weir_settings_fill(&settings, &ptx_exec_params, &cfg, &err), &err);
  must(ptx_device_init(&dev, &cfg, &err), &err);
  must(weir_workload_open(&dev, path, "test", &w, &err), &err);
  must(weir_sim_new(&x->m, d, o, &l->sim, &err), &err);
  struct weir_workload_hooks h = {.simulate = engine_launch, .self = l, .want_streams = true};
  must(weir_workload_run(w, &h, &err), &err);
  weir_sim_free(l->sim);
  weir_workload_close(w);
  ptx_device_free(&dev);
  weir_settings_free(&settings);
}

/* In every way; returns the results of the first, which the next call overwrites. */
static inline const struct launches *engine_workload_same(const char *folder, const char *workload,
                                                          const struct machine *x,
                                                          const struct weir_design *d) {
  static struct launches want, got;
  for (unsigned i = 0; i < ENGINE_WAYS; i++) {
    engine_workload(folder, workload, x, d, &engine_ways[i], i == 0 ? &want : &got);
    if (i > 0) assert_int_equal(got.n, want.n);
    for (uint32_t k = 0; i > 0 && k < want.n; k++)
      if (!same_result(&want.r[k], &got.r[k]))
        fail_msg("%s, launch %u: %s differs", workload, k, engine_way_names[i]);
  }
  assert_true(want.n > 0 && want.r[0].l1.loads > 0);
  return &want;
}

/* On fermi-s3. */
static inline const struct launches *engine_on_fermi(const char *folder, const char *workload,
                                                     const struct weir_design *d) {
  struct machine x;
  engine_gpu(folder, "fermi-s3", &x);
  const struct launches *l = engine_workload_same(folder, workload, &x, d);
  machine_free(&x);
  return l;
}

#endif
