/* A characterised workload as JSON and CSV. */
#include <string.h>

#include "analysis/traits.h"
#include "base/demangle.h"
#include "base/json.h"
#include "base/mem.h"
#include "base/stat_io.h"
#include "base/table.h"
#include "report/characterize.h"
#include "sim/derived.h"

enum { ALL = UINT32_MAX };

/* ---- JSON ---- */

static json_t *locality_json(const struct weir_locality *l) {
  struct weir_text text = {0};
  weir_traits_json(l, &text);
  json_t *o = text.failed ? NULL : json_loads(text.v, 0, NULL);
  weir_text_free(&text);
  return o;
}

static json_t *curve_json(const struct weir_characterize_view *v, const struct weir_locality *l) {
  json_t *list = json_array();
  int64_t line = v->c->setup->machine.l1.line;
  for (uint32_t i = 0; l->references > 0 && i < WEIR_SIZES; i++) {
    uint64_t hits = weir_locality_hits(l, i);
    weir_json_push(&list, json_pack("{s:I, s:I, s:f}", "lines", (json_int_t)(INT64_C(1) << i),
                                    "bytes", (json_int_t)((INT64_C(1) << i) * line), "miss_ratio",
                                    (double)(l->references - hits) / (double)l->references));
    if (hits == l->references - l->first) break;
  }
  return list;
}

static json_t *source_json(const struct weir_characterize_view *v, uint32_t load) {
  const struct weir_timed_kernel *k =
      weir_character_timed(v->c, v->c->locality.loads.v[load].kernel);
  const struct weir_static *s = weir_character_insn(v->c, load);
  const char *file = s->line > 0 && s->file < k->n_files ? k->files[s->file] : NULL;
  return json_pack("{s:o, s:I, s:I, s:I, s:o, s:I, s:o}", "kernel", weir_json_text(k->kernel),
                   "insn", (json_int_t)v->c->locality.loads.v[load].insn, "pc", (json_int_t)s->pc,
                   "ptx_line", (json_int_t)s->ptx_line, "file", weir_json_text_or_null(file),
                   "line", (json_int_t)s->line, "array",
                   weir_json_text_or_null(weir_character_array(v->c, load)));
}

/* Enough to find the load among those of its kernel. */
static json_t *place_json(const struct weir_characterize_view *v, uint32_t load) {
  const struct weir_locality_load *l = &v->c->locality.loads.v[load];
  return json_pack("{s:o, s:I}", "kernel",
                   weir_json_text(weir_character_timed(v->c, l->kernel)->kernel), "insn",
                   (json_int_t)l->insn);
}

/* The loads of a site. */
static json_t *site_json(const struct weir_characterize_view *v, uint32_t site) {
  if (site == ALL) return json_null();
  json_t *o = source_json(v, v->sites.v[site].first);
  weir_json_put(&o, "instructions", json_integer((json_int_t)v->sites.v[site].n));
  return o;
}

static json_t *loads_json(const struct weir_characterize_view *v, uint32_t kernel) {
  json_t *list = json_array();
  for (size_t i = 0; i < v->n_loads; i++) {
    const struct weir_locality_load *l = &v->c->locality.loads.v[v->loads[i]];
    if (l->kernel != kernel) continue;
    json_t *o = source_json(v, v->loads[i]);
    weir_json_put(&o, "locality", locality_json(&l->of));
    weir_json_push(&list, o);
  }
  return list;
}

/* Each array that is known, with all its loads in the kernel. */
static json_t *arrays_json(const struct weir_characterize_view *v, uint32_t kernel) {
  json_t *o = json_object();
  for (size_t i = 0; i < v->n_loads; i++) {
    const struct weir_locality_load *l = &v->c->locality.loads.v[v->loads[i]];
    const char *array = weir_character_array(v->c, v->loads[i]);
    if (l->kernel != kernel || array == NULL || json_object_get(o, array) != NULL) continue;
    struct weir_locality sum = {0};
    for (size_t k = i; k < v->n_loads; k++) {
      const char *other = weir_character_array(v->c, v->loads[k]);
      const struct weir_locality_load *m = &v->c->locality.loads.v[v->loads[k]];
      if (m->kernel == kernel && other != NULL && strcmp(other, array) == 0)
        weir_locality_add(&sum, &m->of);
    }
    weir_json_put(&o, array, locality_json(&sum));
  }
  return o;
}

static json_t *footprint_json(const struct weir_characterize_view *v, uint32_t kernel) {
  const struct weir_locality_kernel *k = &v->c->locality.kernels.v[kernel];
  json_t *list = json_array();
  for (size_t i = 0; i < k->stretches.n; i++) {
    const struct weir_stretch *x = &k->stretches.v[i];
    weir_json_push(&list, json_pack("{s:I, s:I, s:I, s:I}", "sms_and_launches", (json_int_t)x->n,
                                    "references", (json_int_t)x->references, "lines",
                                    (json_int_t)x->lines, "new_lines", (json_int_t)x->fresh));
  }
  return list;
}

static json_t *timing_json(const struct weir_characterize_view *v,
                           const struct weir_sim_result *r) {
  struct weir_derived d;
  weir_derive(r, (uint32_t)v->c->setup->machine.sm.count, &d);
  return json_pack("{s:I, s:o, s:o, s:o}", "cycles", (json_int_t)r->cycles, "derived",
                   weir_stat_json(weir_derived_stat_table, &d), "sm",
                   weir_stat_json(weir_sm_stat_table, &r->sm), "l1",
                   weir_stat_json(weir_l1_stat_table, &r->l1));
}

static json_t *kernel_json(const struct weir_characterize_view *v, uint32_t kernel) {
  const struct weir_timed_kernel *k = weir_character_timed(v->c, kernel);
  const struct weir_locality_kernel *lk = &v->c->locality.kernels.v[kernel];
  struct weir_locality sum;
  weir_locality_sum(&v->c->locality, kernel, &sum);
  json_t *o = json_pack("{s:o, s:I, s:I, s:I, s:i, s:s, s:i}", "kernel", weir_json_text(k->kernel),
                        "launches", (json_int_t)k->launches, "l1_lines", (json_int_t)lk->lines_most,
                        "l1_lines_least", (json_int_t)lk->lines_least, "blocks_per_sm",
                        (int)k->result.blocks_per_sm, "blocks_limited_by", k->result.limited_by,
                        "warps_per_block", (int)lk->warps);
  weir_json_put(&o, "timing", timing_json(v, &k->result));
  weir_json_put(&o, "locality", locality_json(&sum));
  weir_json_put(&o, "miss_ratio_curve", curve_json(v, &sum));
  weir_json_put(&o, "footprint", footprint_json(v, kernel));
  weir_json_put(&o, "arrays", arrays_json(v, kernel));
  weir_json_put(&o, "loads", loads_json(v, kernel));
  return o;
}

static json_t *evictions_json(const struct weir_characterize_view *v) {
  static const char *const names[WEIR_BETWEENS] = {"same_warp", "same_block", "same_launch",
                                                   "earlier_launch"};
  json_t *list = json_array();
  for (size_t i = 0; i < v->c->locality.evictions.n; i++) {
    const struct weir_eviction *e = &v->c->locality.evictions.v[i];
    json_t *o = json_pack("{s:o, s:o}", "by", place_json(v, e->by), "of", place_json(v, e->of));
    for (uint32_t w = 0; w < WEIR_BETWEENS; w++)
      weir_json_put(&o, names[w], json_integer((json_int_t)e->n[w]));
    weir_json_push(&list, o);
  }
  return list;
}

static const char *const kinds[WEIR_ADVICE_KINDS] = {
    "streams", "sparse",     "pollutes",    "each_other", "size",  "conflicts",
    "sectors", "warp_again", "block_again", "warps",      "bound", "enough"};

static json_t *advice_json(const struct weir_characterize_view *v) {
  json_t *list = json_array();
  for (uint32_t i = 0; i < v->advice.n; i++) {
    const struct weir_advice *a = &v->advice.v[i];
    struct weir_text text = {0};
    weir_advice_text(v, a, &text);
    json_t *o =
        json_pack("{s:s, s:I, s:o}", "rule", kinds[a->kind], "concerned", (json_int_t)a->concerned,
                  "text", text.failed ? NULL : weir_json_text(text.v));
    weir_text_free(&text);
    weir_json_put(&o, "load", site_json(v, a->load));
    weir_json_put(&o, "other", site_json(v, a->other));
    weir_json_push(&list, o);
  }
  return list;
}

static json_t *classes_json(const struct weir_run_classes *c) {
  static const char *const names[WEIR_CLASS_RUNS] = {"bypass_all", "perfect_l1", "line_32",
                                                     "line_64"};
  const char *cache = weir_class_cache(c), *line = weir_class_line(c);
  json_t *o = json_pack("{s:o, s:o, s:o}", "cache", weir_json_text_or_null(cache), "line",
                        weir_json_text_or_null(line), "is_sensitive",
                        c->cycles[WEIR_CLASS_PERFECT] > 0 ? json_boolean(weir_class_is_sensitive(c))
                                                          : json_null());
  for (uint32_t i = 0; i < WEIR_CLASS_RUNS; i++) {
    if (c->cycles[i] == 0 && c->why[i] == NULL) continue;
    weir_json_put(&o, names[i],
                  json_pack("{s:I, s:o, s:o}", "cycles", (json_int_t)c->cycles[i], "speedup",
                            weir_json_real(weir_class_speedup(c, i)), "error",
                            weir_json_text_or_null(c->why[i])));
  }
  return o;
}

json_t *weir_characterize_json(const struct weir_characterize_view *v) {
  const struct weir_locality_set *s = &v->c->locality;
  struct weir_locality sum;
  struct weir_sim_result r;
  weir_locality_sum(s, ALL, &sum);
  weir_timing_total(&v->c->timing, &r);
  json_t *kernels = json_array();
  for (uint32_t k = 0; k < s->kernels.n; k++)
    weir_json_push(&kernels, kernel_json(v, k));
  json_t *o = json_pack("{s:i, s:o, s:o, s:o, s:I}", "weir_characterize", 1, "workload",
                        weir_json_text(v->about.workload), "input", weir_json_text(v->about.input),
                        "gpu", weir_json_text(v->about.gpu), "stretch", (json_int_t)s->stretch);
  weir_json_put(&o, "advice", advice_json(v));
  if (v->classes != NULL) weir_json_put(&o, "classes", classes_json(v->classes));
  weir_json_put(&o, "timing", timing_json(v, &r));
  weir_json_put(&o, "locality", locality_json(&sum));
  weir_json_put(&o, "miss_ratio_curve", curve_json(v, &sum));
  weir_json_put(&o, "evictions", evictions_json(v));
  weir_json_put(&o, "kernels", kernels);
  return o;
}

/* ---- CSV ---- */

static void csv_head(struct weir_text *out) {
  static const char *const first[] = {"scope", "workload", "kernel", "pc", "source", "array"};
  char buf[24], name[64];
  for (size_t i = 0; i < sizeof first / sizeof *first; i++)
    weir_csv_cell(out, i == 0, first[i]);
  for (const struct weir_trait *t = weir_traits; t->name != NULL; t++)
    for (uint32_t i = 0; i < t->n; i++) {
      snprintf(name, sizeof name, "%s.%s", t->name, weir_trait_part(t, i, buf));
      weir_csv_cell(out, false, t->n > 1 ? name : t->name);
    }
  weir_text_puts(out, "\n");
}

static void csv_row(struct weir_text *out, const char *const first[6],
                    const struct weir_locality *l) {
  char num[24];
  for (size_t i = 0; i < 6; i++)
    weir_csv_cell(out, i == 0, first[i]);
  for (const struct weir_trait *t = weir_traits; t->name != NULL; t++)
    for (uint32_t i = 0; i < t->n; i++) {
      snprintf(num, sizeof num, "%llu", (unsigned long long)weir_trait_value(t, l, i));
      weir_csv_cell(out, false, num);
    }
  weir_text_puts(out, "\n");
}

enum weir_status weir_characterize_csv(const struct weir_characterize_view *v,
                                       struct weir_text *out, struct weir_err *err) {
  const struct weir_locality_set *s = &v->c->locality;
  struct weir_locality sum;
  csv_head(out);
  weir_locality_sum(s, ALL, &sum);
  csv_row(out, (const char *const[6]){"workload", v->about.workload, "", "", "", ""}, &sum);
  for (uint32_t k = 0; k < s->kernels.n; k++) {
    const char *kernel = weir_character_timed(v->c, k)->kernel;
    weir_locality_sum(s, k, &sum);
    csv_row(out, (const char *const[6]){"kernel", v->about.workload, kernel, "", "", ""}, &sum);
  }
  for (size_t i = 0; i < v->n_loads; i++) {
    const struct weir_locality_load *l = &s->loads.v[v->loads[i]];
    const char *array = weir_character_array(v->c, v->loads[i]);
    char pc[16], source[96];
    snprintf(pc, sizeof pc, "0x%x", weir_character_insn(v->c, v->loads[i])->pc);
    weir_character_source(v->c, v->loads[i], source, sizeof source);
    csv_row(out,
            (const char *const[6]){"load", v->about.workload,
                                   weir_character_timed(v->c, l->kernel)->kernel, pc, source,
                                   array != NULL ? array : ""},
            &l->of);
  }
  return out->failed ? weir_no_memory(err) : WEIR_OK;
}
