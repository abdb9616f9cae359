#include "report/advise.h"

#include <inttypes.h>
#include <math.h>

#include "base/demangle.h"
#include "base/json.h"
#include "base/mem.h"

struct weir_advise_verdict weir_advise_judge(const struct weir_advised *a, double least) {
  struct weir_advise_verdict v = {.is_good = false};
  double logs[1024];
  uint32_t n = a->n_repeats < 1024 ? a->n_repeats : 1024;
  for (uint32_t i = 0; i < n; i++)
    logs[i] = log(a->before[i] / a->after[i]);
  v.before = weir_interval_of(a->before, n);
  v.after = weir_interval_of(a->after, n);
  v.gain = weir_interval_of_logs(logs, n);
  v.is_good = n >= 2 && v.after.high < v.before.low && v.gain.mean - 1 >= least;
  return v;
}

/* ---- text ---- */

static void hint_cells(struct weir_table *t, const struct weir_advised_load *l,
                       const struct weir_static_load *load) {
  if (load->is_fixed)
    weir_table_cell(t, "own");
  else
    weir_table_cell(t, "%s", l->hint != WEIR_HINT_NONE ? weir_hint_word(l->hint) : "-");
  if (l->hint != WEIR_HINT_NONE) weir_table_style(t, WEIR_BEST);
  if (l->is_tried)
    weir_table_cell(t, "%+.1f", 100 * l->alone);
  else
    weir_table_cell(t, "-");
}

static void load_row(struct weir_table *t, const struct weir_advised *a, uint32_t kernel,
                     uint32_t i) {
  const struct weir_profiled_kernel *k = &a->profile.kernels[kernel];
  const struct weir_static_load *load = &k->loads.v[i];
  const struct weir_advised_load *l = &a->loads[k->first + i];
  char num[27], name[WEIR_DEMANGLED];
  weir_table_cell(t, "%s", i == 0 ? weir_demangle(k->loads.kernel, name, sizeof name) : "");
  weir_table_cell(t, "0x%x", 8 * load->insn);
  weir_source_cell(t, load);
  weir_array_cell(t, &k->loads, load->array);
  weir_table_cell(t, "%s", weir_text_thousands(l->requests, num));
  weir_hits_cell(t, l->hits, l->requests);
  hint_cells(t, l, load);
}

static void put_carveouts(const struct weir_advised *a, struct weir_text *out) {
  char name[WEIR_DEMANGLED];
  for (uint32_t k = 0; k < a->profile.n_kernels; k++)
    if (a->kernels[k].carveout != 0)
      weir_text_printf(
          out, "cudaFuncSetAttribute(%s, cudaFuncAttributePreferredSharedMemoryCarveout, %d);\n",
          weir_demangle(a->profile.kernels[k].loads.kernel, name, sizeof name),
          a->kernels[k].carveout - 1);
}

static void put_where(const struct weir_advised *a, const struct weir_classify_about *about,
                      struct weir_text *out) {
  weir_text_printf(out, " on %s", about->gpu);
  if (about->input[0] != 0) weir_text_printf(out, ", input %s", about->input);
  weir_text_printf(out, "; %u trial%s", a->n_trials, a->n_trials == 1 ? "" : "s");
  if (a->n_repeats > 0) weir_text_printf(out, ", 2 x %u repeats", a->n_repeats);
  weir_text_puts(out, "\n");
}

static void put_promise(const struct weir_advised *a, const struct weir_advise_verdict *v,
                        const struct weir_classify_about *about, double least,
                        struct weir_text *out) {
  char before[27], after[27];
  if (v->is_good) {
    uint32_t n = weir_advised_hints(a);
    weir_text_printf(out, "promised: %+.1f %% (%+.1f to %+.1f) by hints on %u load%s: ",
                     100 * (v->gain.mean - 1), 100 * (v->gain.low - 1), 100 * (v->gain.high - 1), n,
                     n == 1 ? "" : "s");
    weir_text_printf(out, "%s cycles instead of %s",
                     weir_text_thousands((unsigned long long)v->after.mean, after),
                     weir_text_thousands((unsigned long long)v->before.mean, before));
  } else if (a->n_repeats == 0) {
    weir_text_printf(out,
                     "nothing is advised: the best that was found gains %.1f %%, and no kernel "
                     "%.1f %%",
                     100 * a->found, 100 * least);
  } else {
    weir_text_printf(
        out,
        "nothing is advised: what was found gains %.1f %% (%+.1f to %+.1f), less than %.1f %% or "
        "no more than chance does",
        100 * (v->gain.mean - 1), 100 * (v->gain.low - 1), 100 * (v->gain.high - 1), 100 * least);
  }
  put_where(a, about, out);
}

enum weir_status weir_advise_text(const struct weir_advised *a, const struct weir_advise_verdict *v,
                                  const struct weir_classify_about *about, double least,
                                  struct weir_text *out, struct weir_err *err) {
  static const struct weir_column columns[] = {
      {"kernel", NULL, WEIR_LEFT}, {"pc", NULL, WEIR_RIGHT},          {"source", NULL, WEIR_LEFT},
      {"array", NULL, WEIR_LEFT},  {"accesses", NULL, WEIR_RIGHT},    {"hits", "%", WEIR_RIGHT},
      {"hint", NULL, WEIR_LEFT},   {"past L1 alone", "%", WEIR_RIGHT}};
  struct weir_table *t = weir_table_new(columns, sizeof columns / sizeof *columns);
  if (t == NULL) return weir_no_memory(err);
  for (uint32_t k = 0; k < a->profile.n_kernels; k++)
    for (uint32_t i = 0; i < a->profile.kernels[k].loads.n; i++)
      load_row(t, a, k, i);
  enum weir_status st = weir_table_text(t, out, err);
  weir_table_free(t);
  put_carveouts(a, out);
  put_promise(a, v, about, least, out);
  return st;
}

/* ---- JSON ---- */

static json_t *load_json(const struct weir_static_load *load, const struct weir_advised_load *l) {
  json_t *hint = l->hint != WEIR_HINT_NONE ? json_string(weir_hint_word(l->hint)) : json_null();
  return json_pack("{s:I, s:I, s:I, s:o, s:I, s:o, s:I, s:I, s:b, s:o, s:o}", "insn",
                   (json_int_t)load->insn, "pc", (json_int_t)load->insn * 8, "ptx_line",
                   (json_int_t)load->ptx->line, "file",
                   weir_json_text_or_null(load->line > 0 ? load->file : NULL), "line",
                   (json_int_t)load->line, "array", weir_json_text_or_null(load->array), "accesses",
                   (json_int_t)l->requests, "hits", (json_int_t)l->hits, "free", l->is_free, "hint",
                   hint, "gain_alone", l->is_tried ? json_real(l->alone) : json_null());
}

static json_t *kernel_json(const struct weir_advised *a, uint32_t kernel) {
  const struct weir_profiled_kernel *k = &a->profile.kernels[kernel];
  const struct weir_advised_kernel *got = &a->kernels[kernel];
  json_t *loads = json_array();
  for (uint32_t i = 0; loads != NULL && i < k->loads.n; i++)
    if (json_array_append_new(loads, load_json(&k->loads.v[i], &a->loads[k->first + i])) != 0) {
      json_decref(loads);
      return NULL;
    }
  return json_pack(
      "{s:o, s:I, s:I, s:I, s:I, s:o, s:o}", "kernel", weir_json_text(k->loads.kernel), "launches",
      (json_int_t)got->launches, "cycles", (json_int_t)got->cycles, "cycles_advised",
      (json_int_t)got->best, "shared_bytes", (json_int_t)got->had.shared_bytes, "carveout",
      got->carveout != 0 ? json_integer(got->carveout - 1) : json_null(), "loads", loads);
}

static json_t *interval_json(const struct weir_interval *i, double less) {
  return json_pack("{s:f, s:f, s:f}", "mean", i->mean - less, "low", i->low - less, "high",
                   i->high - less);
}

static json_t *repeats_json(const struct weir_advised *a, const struct weir_advise_verdict *v) {
  if (a->n_repeats < 2) return json_null();
  return json_pack("{s:I, s:o, s:o, s:o}", "n", (json_int_t)a->n_repeats, "cycles",
                   interval_json(&v->before, 0), "cycles_advised", interval_json(&v->after, 0),
                   "gain", interval_json(&v->gain, 1));
}

json_t *weir_advise_json(const struct weir_advised *a, const struct weir_advise_verdict *v,
                         const struct weir_classify_about *about) {
  json_t *kernels = json_array();
  for (uint32_t k = 0; kernels != NULL && k < a->profile.n_kernels; k++)
    if (json_array_append_new(kernels, kernel_json(a, k)) != 0) {
      json_decref(kernels);
      return NULL;
    }
  return json_pack("{s:i, s:o, s:o, s:o, s:I, s:I, s:f, s:b, s:o, s:o}", "weir_advise", 1,
                   "workload", weir_json_text(about->workload), "input",
                   weir_json_text(about->input), "gpu", weir_json_text(about->gpu), "trials",
                   (json_int_t)a->n_trials, "cycles", (json_int_t)a->cycles, "gain_found", a->found,
                   "advised", v->is_good, "repeats", repeats_json(a, v), "kernels", kernels);
}
