#include "report/classify.h"

#include <string.h>

#include "base/demangle.h"
#include "base/json.h"
#include "base/table.h"

/* ---- text ---- */

void weir_hits_cell(struct weir_table *t, uint64_t hits, uint64_t accesses) {
  if (accesses == 0)
    weir_table_cell(t, "-");
  else
    weir_table_cell(t, "%.1f", 100.0 * (double)hits / (double)accesses);
}

void weir_source_cell(struct weir_table *t, const struct weir_static_load *load) {
  if (load->line > 0 && load->file != NULL)
    weir_table_cell(t, "%s:%u", load->file, load->line);
  else
    weir_table_cell(t, "PTX line %u", load->ptx->line);
}

/* Parameters are called after their kernels. */
void weir_array_cell(struct weir_table *t, const struct weir_loads *l, const char *array) {
  size_t n = strlen(l->kernel);
  char name[WEIR_DEMANGLED];
  if (array == NULL)
    weir_table_cell(t, "?");
  else if (strncmp(array, l->kernel, n) == 0)
    weir_table_cell(t, "%s%s", weir_demangle(l->kernel, name, sizeof name), array + n);
  else
    weir_table_cell(t, "%s", array);
}

static void load_row(struct weir_table *t, const struct weir_profiled_kernel *k, uint32_t i) {
  const struct weir_static_load *load = &k->loads.v[i];
  const struct weir_load_counts *c = &k->counts[i];
  char num[27], name[WEIR_DEMANGLED];
  weir_table_cell(t, "%s", i == 0 ? weir_demangle(k->loads.kernel, name, sizeof name) : "");
  weir_table_cell(t, "0x%x", 8 * load->insn);
  weir_source_cell(t, load);
  weir_array_cell(t, &k->loads, load->array);
  if (load->is_fixed) {
    for (int n = 0; n < 4; n++)
      weir_table_cell(t, "-");
    weir_table_cell(t, "own");
    return;
  }
  weir_table_cell(t, "%u", load->group + 1);
  weir_table_cell(t, "%s", weir_text_thousands(c->accesses, num));
  weir_hits_cell(t, c->alone, c->accesses);
  if (weir_loads_in_group(&k->loads, load->group) > 1)
    weir_hits_cell(t, c->together, c->accesses);
  else
    weir_table_cell(t, "-");
  weir_table_cell(t, "%s", weir_tag_name(k->tags[i]));
}

struct totals {
  uint32_t loads, groups, of[WEIR_TAG_CM + 1], unknown, unused;
};

static struct totals count(const struct weir_profile *p) {
  struct totals n = {0};
  for (uint32_t k = 0; k < p->n_kernels; k++) {
    const struct weir_profiled_kernel *kernel = &p->kernels[k];
    n.groups += kernel->loads.n_groups;
    for (uint32_t i = 0; i < kernel->loads.n; i++) {
      bool is_fixed = kernel->loads.v[i].is_fixed;
      n.loads++;
      n.of[kernel->tags[i]]++;
      n.unknown += !is_fixed && kernel->loads.v[i].array == NULL;
      n.unused += !is_fixed && kernel->counts[i].accesses == 0;
    }
  }
  return n;
}

static const char *plural(uint32_t n) {
  return n == 1 ? "" : "s";
}

static void sum_up(const struct weir_profile *p, const struct weir_classify_about *about,
                   struct weir_text *out) {
  struct totals n = count(p);
  weir_text_printf(out, "%u load%s in %u group%s: %u ca, %u cm, %u cg; %u profiling run%s on %s",
                   n.loads, plural(n.loads), n.groups, plural(n.groups), n.of[WEIR_TAG_CA],
                   n.of[WEIR_TAG_CM], n.of[WEIR_TAG_CG], p->n_runs, plural(p->n_runs), about->gpu);
  if (about->input[0] != 0) weir_text_printf(out, ", input %s", about->input);
  weir_text_puts(out, "\n");
  if (n.of[WEIR_TAG_NONE] > 0)
    weir_text_printf(out,
                     "own: %u load%s with a cache operator, an L1 priority or an order of memory "
                     "keep%s that\n",
                     n.of[WEIR_TAG_NONE], plural(n.of[WEIR_TAG_NONE]),
                     n.of[WEIR_TAG_NONE] == 1 ? "s" : "");
  if (n.unknown > 0)
    weir_text_printf(out, "?: where %u load%s read%s is not known; such a load is in no group\n",
                     n.unknown, plural(n.unknown), n.unknown == 1 ? "s" : "");
  if (n.unused > 0)
    weir_text_printf(out, "%u load%s did not run with this input, and %s cm\n", n.unused,
                     plural(n.unused), n.unused == 1 ? "is" : "are");
}

enum weir_status weir_classify_text(const struct weir_profile *p,
                                    const struct weir_classify_about *about, struct weir_text *out,
                                    struct weir_err *err) {
  static const struct weir_column columns[] = {
      {"kernel", NULL, WEIR_LEFT},     {"pc", NULL, WEIR_RIGHT},
      {"source", NULL, WEIR_LEFT},     {"array", NULL, WEIR_LEFT},
      {"group", NULL, WEIR_RIGHT},     {"accesses", NULL, WEIR_RIGHT},
      {"hits alone", "%", WEIR_RIGHT}, {"in group", "%", WEIR_RIGHT},
      {"class", NULL, WEIR_LEFT}};
  struct weir_table *t = weir_table_new(columns, sizeof columns / sizeof *columns);
  if (t == NULL) return weir_fail(err, WEIR_ENOMEM, "out of memory");
  for (uint32_t k = 0; k < p->n_kernels; k++)
    for (uint32_t i = 0; i < p->kernels[k].loads.n; i++)
      load_row(t, &p->kernels[k], i);
  enum weir_status st = weir_table_text(t, out, err);
  weir_table_free(t);
  sum_up(p, about, out);
  return st;
}

/* ---- JSON ---- */

static json_t *load_json(const struct weir_profiled_kernel *k, uint32_t i) {
  const struct weir_static_load *load = &k->loads.v[i];
  const struct weir_load_counts *c = &k->counts[i];
  json_t *o = json_pack("{s:I, s:I, s:I, s:o, s:I, s:o}", "insn", (json_int_t)load->insn, "pc",
                        (json_int_t)load->insn * 8, "ptx_line", (json_int_t)load->ptx->line, "file",
                        weir_json_text_or_null(load->line > 0 ? load->file : NULL), "line",
                        (json_int_t)load->line, "array", weir_json_text_or_null(load->array));
  json_t *found =
      load->is_fixed
          ? json_pack("{s:n}", "class")
          : json_pack("{s:I, s:I, s:I, s:I, s:s}", "group", (json_int_t)load->group + 1, "accesses",
                      (json_int_t)c->accesses, "hits_alone", (json_int_t)c->alone, "hits_in_group",
                      (json_int_t)c->together, "class", weir_tag_name(k->tags[i]));
  if (o == NULL || found == NULL || json_object_update(o, found) != 0) {
    json_decref(o);
    o = NULL;
  }
  json_decref(found);
  return o;
}

/* Those of several loads. */
static json_t *groups_json(const struct weir_profiled_kernel *k) {
  json_t *list = json_array();
  for (uint32_t g = 0; list != NULL && g < k->loads.n_groups; g++) {
    uint32_t n = weir_loads_in_group(&k->loads, g);
    json_t *o = json_pack("{s:I, s:I, s:I}", "group", (json_int_t)g + 1, "loads", (json_int_t)n,
                          "extra_hits", (json_int_t)weir_group_extra(&k->loads, k->counts, g));
    if (n < 2)
      json_decref(o);
    else if (o == NULL || json_array_append_new(list, o) != 0) {
      json_decref(list);
      return NULL;
    }
  }
  return list;
}

static json_t *kernel_json(const struct weir_profiled_kernel *k) {
  json_t *loads = json_array();
  for (uint32_t i = 0; loads != NULL && i < k->loads.n; i++)
    if (json_array_append_new(loads, load_json(k, i)) != 0) {
      json_decref(loads);
      return NULL;
    }
  return json_pack("{s:o, s:I, s:o, s:o}", "kernel", weir_json_text(k->loads.kernel), "n_groups",
                   (json_int_t)k->loads.n_groups, "groups", groups_json(k), "loads", loads);
}

json_t *weir_classify_json(const struct weir_profile *p, const struct weir_classify_about *about) {
  json_t *kernels = json_array();
  for (uint32_t k = 0; kernels != NULL && k < p->n_kernels; k++)
    if (json_array_append_new(kernels, kernel_json(&p->kernels[k])) != 0) {
      json_decref(kernels);
      return NULL;
    }
  return json_pack("{s:i, s:o, s:o, s:o, s:I, s:o}", "weir_classify", 1, "workload",
                   weir_json_text(about->workload), "input", weir_json_text(about->input), "gpu",
                   weir_json_text(about->gpu), "profiling_runs", (json_int_t)p->n_runs, "kernels",
                   kernels);
}
