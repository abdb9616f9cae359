/* A study as CSV and JSON. */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "base/mem.h"
#include "base/stat_io.h"
#include "base/table.h"
#include "report/compare.h"
#include "report/timing.h"
#include "sim/derived.h"
#include "study/search.h"

/* The statistics of a run, group by group. */
struct source {
  const struct weir_stat_group *group;
  const void *base; /* NULL: the machine has no such thing */
};
enum { N_SOURCES = 7 };

/* Computed from counters. */
struct computed {
  struct weir_derived derived;
  struct weir_energy energy;
};

static void sources_of(const struct weir_sim_result *r, const struct computed *c, bool has_l3,
                       struct source v[N_SOURCES]) {
  v[0] = (struct source){&weir_derived_stat_group, &c->derived};
  v[1] = (struct source){&weir_sm_stat_group, &r->sm};
  v[2] = (struct source){&weir_l1_stat_group, &r->l1};
  v[3] = (struct source){&weir_l2_stat_group, &r->l2};
  v[4] = (struct source){&weir_l3_stat_group, has_l3 ? &r->l3 : NULL};
  v[5] = (struct source){&weir_dram_stat_group, &r->dram};
  v[6] = (struct source){&weir_energy_stat_group, &c->energy};
}

static void results_of(const struct weir_study *s, size_t gpu, size_t scheme,
                       const struct weir_sim_result *r, struct computed *c,
                       struct source v[N_SOURCES]) {
  const struct weir_setup *setup = weir_study_setup(s, gpu, scheme)->setup;
  weir_derive(r, (uint32_t)setup->machine.sm.count, &c->derived);
  weir_energy(&setup->energy, &setup->machine, r, &c->energy);
  sources_of(r, c, setup->machine.l3.enabled, v);
}

static const char *state_name(enum weir_run_state state) {
  return state == WEIR_RUN_DONE ? "ok" : state == WEIR_RUN_FAILED ? "failed" : "missing";
}

/* ---- CSV ---- */

/* Shorter than "%.17g" and still one value for each double that differs in a way that matters. */
static void real_cell(struct weir_table *t, double v) {
  if (isnan(v))
    weir_table_cell(t, "%s", "");
  else
    weir_table_cell(t, "%.9g", v);
}

static void stat_cells(struct weir_table *t, const struct source *src) {
  for (const struct weir_stat *row = src->group->table; row->name != NULL; row++)
    if (src->base == NULL)
      weir_table_cell(t, "%s", "");
    else if (row->kind == WEIR_RATIO)
      real_cell(t, weir_stat_value(row, src->base));
    else
      weir_table_cell(t, "%llu", (unsigned long long)weir_stat_count_of(row, src->base));
}

static void profile_cells(struct weir_table *t, const struct weir_study *s, size_t w, size_t g,
                          size_t c) {
  const struct weir_study_prep *prep = weir_study_prep(s, w, g, c);
  weir_table_cell(t, "%s", prep != NULL ? prep->input : "");
  weir_table_cell(t, "%s", prep == NULL ? "" : prep->is_same_input ? "yes" : "no");
}

/* Which of the repeats it is, and what all of them say. */
static void repeat_cells(struct weir_table *t, const struct weir_study *s, size_t w, size_t g,
                         size_t c, size_t repeat, size_t baseline) {
  if (weir_study_repeats(s) == 1) return;
  struct weir_interval all = weir_compare_speedup(s, w, g, c, baseline);
  weir_table_cell(t, "%zu", repeat + 1);
  weir_table_cell(t, "%" PRIu64, weir_study_seed(weir_study_setup(s, g, c), repeat));
  real_cell(t, all.mean);
  real_cell(t, all.low);
  real_cell(t, all.high);
}

/* The same on every machine. */
static enum weir_certainty certainty_of(const struct weir_study *s, size_t c) {
  return weir_study_setup(s, 0, c)->setup->scheme.certainty;
}

/* What was run, and what became of it. */
static void identity_cells(struct weir_table *t, const struct weir_study *s, size_t w, size_t g,
                           size_t c, size_t repeat) {
  const char *reason = weir_compare_reason(s, w, g, c, repeat);
  weir_table_cell(t, "%s", s->gpus[g]);
  weir_table_cell(t, "%s", s->workloads[w].name);
  weir_table_cell(t, "%s", s->workloads[w].input != NULL ? s->workloads[w].input : "");
  weir_table_cell(t, "%s", s->schemes[c]);
  weir_table_cell(t, "%s", state_name(weir_study_repeat(s, w, g, c, repeat)->state));
  weir_table_cell(t, "%.*s", reason != NULL ? (int)strcspn(reason, "\n") : 0,
                  reason != NULL ? reason : "");
}

/* Of a search: the value, and whether it is the best; nothing for what is not searched. */
static void search_cells(struct weir_table *t, const struct weir_study *s, size_t w, size_t g,
                         size_t c) {
  size_t trial;
  const struct weir_study_search *x = weir_search_of(s, c, &trial);
  if (s->n_searches == 0) return;
  if (x == NULL) {
    weir_table_cell(t, "%s", "");
    weir_table_cell(t, "%s", "");
    return;
  }
  size_t value = trial != SIZE_MAX ? trial : weir_search_best(s, x, w, g);
  weir_table_cell(t, "%s=%s", x->key, value != SIZE_MAX ? x->values[value] : "");
  weir_table_cell(t, "%s", trial == SIZE_MAX ? "yes" : "no");
}

/* The best of a search has the row of the column that shows it; a value that was not tried has
 * none.
 */
static bool has_row(const struct weir_study *s, size_t w, size_t g, size_t c) {
  size_t trial;
  const struct weir_study_search *x = weir_search_of(s, c, &trial);
  return x == NULL || trial == SIZE_MAX ||
         (weir_search_is_tried(s, x, w, g, trial) && trial != weir_search_best(s, x, w, g));
}

enum { RESULTS = 6 }; /* cells between those and this one, which a run without results has too */

static void certainty_cell(struct weir_table *t, const struct weir_study *s, size_t c) {
  weir_table_cell(t, "%s", weir_certainty_name(certainty_of(s, c)));
}

static void storage_cell(struct weir_table *t, uint64_t bits) {
  if (bits == WEIR_NOT_DECLARED)
    weir_table_cell(t, "%s", "");
  else
    weir_table_cell(t, "%llu", (unsigned long long)bits);
}

static void stats_cells(struct weir_table *t, const struct weir_study *s, size_t g, size_t c,
                        const struct weir_sim_result *r) {
  struct computed computed;
  struct source sources[N_SOURCES];
  results_of(s, g, c, r, &computed, sources);
  for (size_t i = 0; i < N_SOURCES; i++)
    stat_cells(t, &sources[i]);
}

static void csv_row(struct weir_table *t, const struct weir_study *s, size_t w, size_t g, size_t c,
                    size_t repeat, size_t baseline) {
  const struct weir_run *run = weir_study_repeat(s, w, g, c, repeat);
  identity_cells(t, s, w, g, c, repeat);
  if (run->state == WEIR_RUN_DONE) {
    weir_table_cell(t, "%llu", (unsigned long long)run->launches);
    storage_cell(t, run->storage_bits);
    weir_table_cell(t, "%llu", (unsigned long long)run->sum.cycles);
    real_cell(t, weir_compare_repeat(s, w, g, c, repeat, baseline));
    profile_cells(t, s, w, g, c);
    certainty_cell(t, s, c);
    stats_cells(t, s, g, c, &run->sum);
    repeat_cells(t, s, w, g, c, repeat, baseline);
    search_cells(t, s, w, g, c);
  } else {
    for (int i = 0; i < RESULTS; i++)
      weir_table_cell(t, "%s", "");
    certainty_cell(t, s, c);
  }
  weir_table_end_row(t);
}

/* After the row of its run. */
static void kernel_row(struct weir_table *t, const struct weir_study *s,
                       const struct weir_study_place *at, size_t kernel, size_t baseline) {
  size_t w = at->workload, g = at->gpu, c = at->scheme;
  const struct weir_run *run = weir_study_repeat(s, w, g, c, at->repeat);
  const struct weir_run_kernel *k = &run->kernels[kernel];
  struct weir_interval all = weir_compare_kernel(s, w, g, c, kernel, baseline);
  identity_cells(t, s, w, g, c, at->repeat);
  weir_table_cell(t, "%llu", (unsigned long long)k->launches);
  storage_cell(t, run->storage_bits);
  weir_table_cell(t, "%llu", (unsigned long long)k->result.cycles);
  real_cell(t, weir_compare_kernel_repeat(s, w, g, c, kernel, at->repeat, baseline));
  profile_cells(t, s, w, g, c);
  certainty_cell(t, s, c);
  stats_cells(t, s, g, c, &k->result);
  if (weir_study_repeats(s) > 1) {
    weir_table_cell(t, "%zu", at->repeat + 1);
    weir_table_cell(t, "%" PRIu64, weir_study_seed(weir_study_setup(s, g, c), at->repeat));
    real_cell(t, all.mean);
    real_cell(t, all.low);
    real_cell(t, all.high);
  }
  search_cells(t, s, w, g, c);
  weir_table_cell(t, "%zu", kernel + 1);
  weir_table_cell(t, "%s", k->name);
  weir_table_end_row(t);
}

/* Names of columns, which live in the arena. */
static struct weir_table *csv_table(const struct weir_study *s, bool per_kernel,
                                    struct weir_arena *a) {
  static const char *const first[] = {"gpu",      "workload", "input",         "scheme",
                                      "status",   "reason",   "launches",      "storage_bits",
                                      "cycles",   "speedup",  "profile_input", "profile_is_timed",
                                      "certainty"};
  static const char *const last[] = {"repeat", "seed", "speedup_mean", "speedup_low",
                                     "speedup_high"};
  static const char *const searched[] = {"searched", "is_best"};
  static const char *const kernel[] = {"kernel", "kernel_name"};
  size_t n_searched = s->n_searches > 0 ? sizeof searched / sizeof *searched : 0;
  size_t n_last = weir_study_repeats(s) > 1 ? sizeof last / sizeof *last : 0;
  size_t n_kernel = per_kernel ? sizeof kernel / sizeof *kernel : 0;
  struct source sources[N_SOURCES];
  size_t n = sizeof first / sizeof *first + n_last + n_searched + n_kernel, at = 0;
  sources_of(&(struct weir_sim_result){0}, &(struct computed){0}, false, sources);
  for (size_t i = 0; i < N_SOURCES; i++)
    n += weir_stat_count(sources[i].group->table);
  struct weir_column *columns = weir_arena_array(a, n, sizeof *columns);
  if (columns == NULL) return NULL;
  for (; at < sizeof first / sizeof *first; at++)
    columns[at] = (struct weir_column){first[at], NULL, WEIR_LEFT};
  for (size_t i = 0; i < N_SOURCES; i++)
    for (const struct weir_stat *row = sources[i].group->table; row->name != NULL; row++) {
      const char *name = weir_arena_printf(a, "%s.%s", sources[i].group->prefix, row->name);
      if (name == NULL) return NULL;
      columns[at++] = (struct weir_column){name, NULL, WEIR_LEFT};
    }
  for (size_t i = 0; i < n_last; i++)
    columns[at++] = (struct weir_column){last[i], NULL, WEIR_LEFT};
  for (size_t i = 0; i < n_searched; i++)
    columns[at++] = (struct weir_column){searched[i], NULL, WEIR_LEFT};
  for (size_t i = 0; i < n_kernel; i++)
    columns[at++] = (struct weir_column){kernel[i], NULL, WEIR_LEFT};
  return weir_table_new(columns, n);
}

enum weir_status weir_compare_csv(const struct weir_study *s, size_t baseline, bool per_kernel,
                                  struct weir_text *out, struct weir_err *err) {
  struct weir_arena a = {0};
  struct weir_table *t = csv_table(s, per_kernel, &a);
  size_t n = weir_study_repeats(s);
  for (size_t g = 0; t != NULL && g < s->n_gpus; g++)
    for (size_t w = 0; w < s->n_workloads; w++)
      for (size_t i = 0; i < s->n_schemes * n; i++) {
        struct weir_study_place at = {w, g, i / n, i % n};
        if (!has_row(s, w, g, at.scheme)) continue;
        const struct weir_run *run = weir_study_repeat(s, w, g, at.scheme, at.repeat);
        csv_row(t, s, w, g, at.scheme, at.repeat, baseline);
        for (size_t k = 0; per_kernel && k < run->n_kernels; k++)
          kernel_row(t, s, &at, k, baseline);
      }
  enum weir_status st =
      t != NULL ? weir_table_csv(t, out, err) : weir_fail(err, WEIR_ENOMEM, "out of memory");
  weir_table_free(t);
  weir_arena_free(&a);
  return st;
}

/* ---- JSON ---- */

/* Beside the name of a scheme that is not of a text. NULL as `o` is handed on. */
static json_t *with_certainty(json_t *o, const struct weir_study *s, size_t c) {
  const char *said = weir_certainty_said(certainty_of(s, c));
  if (o == NULL || said == NULL || json_object_set_new(o, "certainty", json_string(said)) == 0)
    return o;
  json_decref(o);
  return NULL;
}

static json_t *real_json(double v) {
  return isnan(v) ? json_null() : json_real(v);
}

static json_t *parts_json(const struct weir_setup *setup, const struct weir_sim_result *r) {
  json_t *o = json_object();
  const struct weir_part *part;
  for (uint32_t i = 0; o != NULL && (part = weir_setup_part(setup, i)) != NULL; i++) {
    json_t *stats = part->stats != NULL ? weir_stat_json(part->stats, r->part[i]) : json_object();
    if (stats == NULL || json_object_set_new(o, part->name, stats) != 0) {
      json_decref(o);
      return NULL;
    }
  }
  return o;
}

static bool add_stats(json_t *o, const struct weir_study *s, size_t g, size_t c,
                      const struct weir_sim_result *r) {
  struct computed computed;
  struct source sources[N_SOURCES];
  bool ok = true;
  results_of(s, g, c, r, &computed, sources);
  for (size_t i = 0; ok && i < N_SOURCES; i++)
    if (sources[i].base != NULL)
      ok = json_object_set_new(o, sources[i].group->prefix,
                               weir_stat_json(sources[i].group->table, sources[i].base)) == 0;
  return ok &&
         json_object_set_new(o, "parts", parts_json(weir_study_setup(s, g, c)->setup, r)) == 0;
}

static bool add_results(json_t *o, const struct weir_study *s, size_t w, size_t g, size_t c,
                        size_t repeat, size_t baseline) {
  const struct weir_run *run = weir_study_repeat(s, w, g, c, repeat);
  return json_object_set_new(o, "launches", json_integer((json_int_t)run->launches)) == 0 &&
         json_object_set_new(o, "cycles", json_integer((json_int_t)run->sum.cycles)) == 0 &&
         json_object_set_new(o, "speedup",
                             real_json(weir_compare_repeat(s, w, g, c, repeat, baseline))) == 0 &&
         json_object_set_new(o, "storage_bits", weir_storage_json(run->storage_bits)) == 0 &&
         add_stats(o, s, g, c, &run->sum);
}

static json_t *kernels_json(const struct weir_study *s, const struct weir_study_place *at,
                            size_t baseline) {
  const struct weir_run *run = weir_study_repeat(s, at->workload, at->gpu, at->scheme, at->repeat);
  json_t *all = json_array();
  bool ok = all != NULL;
  for (size_t i = 0; ok && i < run->n_kernels; i++) {
    const struct weir_run_kernel *k = &run->kernels[i];
    double speedup =
        weir_compare_kernel_repeat(s, at->workload, at->gpu, at->scheme, i, at->repeat, baseline);
    json_t *o = json_pack("{s:o, s:I, s:I, s:o}", "name", weir_json_text(k->name), "launches",
                          (json_int_t)k->launches, "cycles", (json_int_t)k->result.cycles,
                          "speedup", real_json(speedup));
    ok = o != NULL && add_stats(o, s, at->gpu, at->scheme, &k->result);
    if (ok)
      ok = json_array_append_new(all, o) == 0;
    else
      json_decref(o);
  }
  if (ok) return all;
  json_decref(all);
  return NULL;
}

static bool add_seed(json_t *o, const struct weir_study *s, size_t g, size_t c, size_t repeat) {
  uint64_t seed = weir_study_seed(weir_study_setup(s, g, c), repeat);
  return weir_study_repeats(s) == 1 ||
         (json_object_set_new(o, "repeat", json_integer((json_int_t)repeat + 1)) == 0 &&
          json_object_set_new(o, "seed", json_integer((json_int_t)seed)) == 0);
}

static json_t *run_json(const struct weir_study *s, size_t w, size_t g, size_t c, size_t repeat,
                        size_t baseline, bool per_kernel) {
  const struct weir_run *run = weir_study_repeat(s, w, g, c, repeat);
  const char *reason = weir_compare_reason(s, w, g, c, repeat);
  const char *input = s->workloads[w].input;
  json_t *o = json_pack("{s:o, s:o, s:o, s:o, s:s}", "gpu", weir_json_text(s->gpus[g]), "workload",
                        weir_json_text(s->workloads[w].name), "input",
                        input != NULL ? weir_json_text(input) : json_null(), "scheme",
                        weir_json_text(s->schemes[c]), "status", state_name(run->state));
  o = with_certainty(o, s, c);
  bool ok = o != NULL && add_seed(o, s, g, c, repeat);
  if (ok && reason != NULL) ok = json_object_set_new(o, "reason", weir_json_text(reason)) == 0;
  const struct weir_study_prep *prep = weir_study_prep(s, w, g, c);
  if (ok && prep != NULL && prep->n_made > 0)
    ok = json_object_set_new(o, "profile", weir_profile_json(prep->made, prep->n_made)) == 0;
  if (ok && run->state == WEIR_RUN_DONE) ok = add_results(o, s, w, g, c, repeat, baseline);
  if (ok && run->decisions != NULL)
    ok = json_object_set_new(o, "decisions", json_loads(run->decisions, 0, NULL)) == 0;
  if (ok && run->state == WEIR_RUN_DONE && per_kernel)
    ok = json_object_set_new(
             o, "kernels",
             kernels_json(s, &(struct weir_study_place){w, g, c, repeat}, baseline)) == 0;
  if (ok) return o;
  json_decref(o);
  return NULL;
}

/* Of several repeats; NULL as `o` is handed on. */
static json_t *add_interval(json_t *o, const struct weir_study *s, const struct weir_interval *i) {
  if (o == NULL || weir_study_repeats(s) == 1) return o;
  bool is_known = !isnan(i->low);
  if (json_object_set_new(o, "repeats", json_integer((json_int_t)weir_study_repeats(s))) == 0 &&
      json_object_set_new(o, "speedup_low", real_json(i->low)) == 0 &&
      json_object_set_new(o, "speedup_high", real_json(i->high)) == 0 &&
      json_object_set_new(o, "differs",
                          is_known ? json_boolean(!weir_interval_is_open(i)) : json_null()) == 0)
    return o;
  json_decref(o);
  return NULL;
}

/* All repeats of a cell. */
static json_t *cell_json(const struct weir_study *s, size_t w, size_t g, size_t c,
                         size_t baseline) {
  struct weir_interval all = weir_compare_speedup(s, w, g, c, baseline);
  json_t *o = json_pack(
      "{s:o, s:o, s:o, s:s, s:o}", "gpu", weir_json_text(s->gpus[g]), "workload",
      weir_json_text(s->workloads[w].name), "scheme", weir_json_text(s->schemes[c]), "status",
      state_name(weir_study_at(s, w, g, c)->state), "speedup", real_json(all.mean));
  return add_interval(with_certainty(o, s, c), s, &all);
}

static json_t *mean_json(const struct weir_study *s, size_t g, size_t c, size_t baseline) {
  struct weir_compare_mean m = weir_compare_mean(s, g, c, baseline);
  json_t *o = json_pack(
      "{s:o, s:o, s:I, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:I, s:o}", "gpu",
      weir_json_text(s->gpus[g]), "scheme", weir_json_text(s->schemes[c]), "workloads",
      (json_int_t)m.n, "speedup", real_json(m.speedup.mean), "hit_rate_l1",
      real_json(m.hit_rate_l1), "hit_rate_stream", real_json(m.hit_rate_stream), "bypass_rate",
      real_json(m.bypass_rate), "stall_frac", real_json(m.stall_frac), "l1_requests",
      real_json(m.requests), "l1_flits", real_json(m.flits), "dram_accesses", real_json(m.dram),
      "l1_energy", real_json(m.energy), "cycles", (json_int_t)m.cycles, "added_storage_bits",
      m.has_storage ? json_integer(m.storage_bits) : json_null());
  size_t bound = weir_compare_bound(s, g, c);
  if (o != NULL && bound != SIZE_MAX &&
      json_object_set_new(o, "share_of_bound", real_json(weir_compare_share(s, g, c, baseline))) +
              json_object_set_new(o, "bound", weir_json_text(s->schemes[bound])) !=
          0) {
    json_decref(o);
    return NULL;
  }
  return add_interval(with_certainty(o, s, c), s, &m.speedup);
}

/* What was simulated: the parts, and every setting that is not the default. */
static json_t *setup_json(const struct weir_study *s, size_t g, size_t c) {
  const struct weir_study_setup *setup = weir_study_setup(s, g, c);
  json_t *parts = json_array(), *settings = json_object();
  const struct weir_part *part;
  bool ok = parts != NULL && settings != NULL;
  for (uint32_t i = 0; ok && (part = weir_setup_part(setup->setup, i)) != NULL; i++)
    ok = json_array_append_new(parts, weir_json_text(part->name)) == 0;
  for (size_t i = 0; ok && i < setup->settings->n; i++) {
    const struct weir_setting *v = &setup->settings->v[i];
    char key[128];
    if (v->layer == WEIR_LAYER_DEFAULT) continue;
    snprintf(key, sizeof key, "%s.%s", v->group->prefix, v->param->name);
    ok = json_object_set_new(settings, key, weir_json_text(v->text)) == 0;
  }
  json_t *o = ok ? json_pack("{s:o, s:o, s:O, s:O}", "gpu", weir_json_text(s->gpus[g]), "scheme",
                             weir_json_text(s->schemes[c]), "parts", parts, "settings", settings)
                 : NULL;
  o = with_certainty(o, s, c);
  json_decref(parts);
  json_decref(settings);
  const struct weir_jitter_cfg *jitter = &setup->setup->machine.jitter;
  if (o == NULL || weir_study_repeats(s) == 1 ||
      json_object_set_new(o, "jitter",
                          json_pack("{s:I, s:I}", "dispatch", (json_int_t)jitter->dispatch,
                                    "memory", (json_int_t)jitter->memory)) == 0)
    return o;
  json_decref(o);
  return NULL;
}

/* All values that were tried of a search, for one workload on one machine. */
static json_t *search_json(const struct weir_study *s, const struct weir_study_search *x, size_t w,
                           size_t g) {
  size_t best = weir_search_best(s, x, w, g);
  json_t *tried = json_array();
  bool ok = tried != NULL;
  for (size_t k = 0; ok && k < x->n; k++) {
    const struct weir_run *run = weir_study_repeat(s, w, g, x->first + k, 0);
    if (!weir_search_is_tried(s, x, w, g, k)) continue;
    ok = json_array_append_new(tried, json_pack("{s:s, s:s, s:o}", "value", x->values[k], "status",
                                                state_name(run->state), "cycles",
                                                run->state == WEIR_RUN_DONE
                                                    ? json_integer((json_int_t)run->sum.cycles)
                                                    : json_null())) == 0;
  }
  json_t *o =
      ok ? json_pack("{s:o, s:o, s:o, s:s, s:o, s:I, s:O}", "gpu", weir_json_text(s->gpus[g]),
                     "workload", weir_json_text(s->workloads[w].name), "scheme",
                     weir_json_text(s->schemes[x->column]), "key", x->key, "best",
                     best != SIZE_MAX ? json_string(x->values[best]) : json_null(), "values",
                     (json_int_t)x->n, "tried", tried)
         : NULL;
  json_decref(tried);
  return o;
}

static bool add_searches(json_t *root, const struct weir_study *s) {
  json_t *all = json_array();
  bool ok = all != NULL;
  for (size_t i = 0; i < s->n_searches; i++)
    for (size_t g = 0; g < s->n_gpus; g++)
      for (size_t w = 0; ok && w < s->n_workloads; w++)
        ok = json_array_append_new(all, search_json(s, &s->searches[i], w, g)) == 0;
  if (ok && s->n_searches > 0) ok = json_object_set(root, "searches", all) == 0;
  json_decref(all);
  return ok;
}

json_t *weir_compare_json(const struct weir_study *s, size_t baseline, bool per_kernel) {
  json_t *setups = json_array(), *means = json_array(), *runs = json_array(), *cells = json_array();
  size_t n = weir_study_repeats(s);
  bool ok = setups != NULL && means != NULL && runs != NULL && cells != NULL;
  for (size_t g = 0; g < s->n_gpus; g++) {
    for (size_t c = 0; ok && c < weir_study_shown(s); c++)
      ok = json_array_append_new(setups, setup_json(s, g, c)) == 0 &&
           json_array_append_new(means, mean_json(s, g, c, baseline)) == 0;
    for (size_t w = 0; w < s->n_workloads; w++)
      for (size_t i = 0; ok && i < weir_study_shown(s) * n; i++)
        ok =
            (i % n != 0 || n == 1 ||
             json_array_append_new(cells, cell_json(s, w, g, i / n, baseline)) == 0) &&
            json_array_append_new(runs, run_json(s, w, g, i / n, i % n, baseline, per_kernel)) == 0;
  }
  json_t *root = ok ? json_pack("{s:i, s:o, s:I, s:I, s:O, s:O, s:O}", "weir_compare", 1,
                                "baseline", weir_json_text(s->schemes[baseline]), "executions",
                                (json_int_t)s->n_executions, "replays", (json_int_t)s->n_replays,
                                "setups", setups, "means", means, "runs", runs)
                    : NULL;
  if (root != NULL &&
      ((n > 1 && json_object_set(root, "cells", cells) != 0) || !add_searches(root, s))) {
    json_decref(root);
    root = NULL;
  }
  json_decref(cells);
  json_decref(setups);
  json_decref(means);
  json_decref(runs);
  return root;
}
