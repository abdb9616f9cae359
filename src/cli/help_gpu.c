/* weir help gpu NAME, and what 'weir list gpus' says of each. */
#include <stdio.h>
#include <string.h>

#include "base/table.h"
#include "cli/cmd.h"
#include "cli/help_parts.h"
#include "cli/timing.h"
#include "machine/bounds.h"
#include "session/effects.h"

static bool is_machine_group(const struct weir_param_group *g) {
  static const struct weir_param_group *const groups[] = {
      &weir_core_params, &weir_sm_params, &weir_l1_params,   &weir_noc_params,
      &weir_l2_params,   &weir_l3_params, &weir_dram_params, &weir_reorder_params};
  for (size_t i = 0; i < sizeof groups / sizeof *groups; i++)
    if (groups[i] == g) return true;
  return false;
}

/* A machine with its settings. What a scheme decides is taken to be so that it is felt. */
struct gpu {
  struct weir_settings s;
  struct weir_machine m;
  struct weir_setup any_scheme;
  struct weir_fact table[WEIR_N_FACTS + 1];
  struct weir_facts facts;
};

static enum weir_status gpu_open(struct gpu *g, const char *name, struct weir_err *err) {
  *g = (struct gpu){0};
  enum weir_status st = weir_settings_init(&g->s, weir_param_groups(), err);
  if (st == WEIR_OK) st = weir_data_machine(&g->s, name, err);
  if (st == WEIR_OK) st = weir_machine_fill(&g->m, name, &g->s, err);
  if (st == WEIR_OK) st = weir_machine_settle(&g->m, &g->s, err);
  g->facts = weir_facts_of(&(struct weir_use){.setup = &g->any_scheme}, g->table);
  return st;
}

static void gpu_free(struct gpu *g) {
  weir_settings_free(&g->s);
}

/* ---- the parameters ---- */

static const char *file_name(const char *path) {
  const char *slash = strrchr(path, '/');
  return slash != NULL ? slash + 1 : path;
}

static const char *source_name(const struct weir_setting *v) {
  enum weir_evidence by = weir_setting_evidence(v);
  if (by == WEIR_BY_GUESS) return "? guess";
  if (weir_setting_is_off(v)) return "off";
  if (by == WEIR_BY_NOBODY && v->layer == WEIR_LAYER_DEFAULT) return "default";
  return weir_evidence_names[by];
}

static void set_by_cell(struct weir_table *t, const struct weir_settings *s,
                        const struct weir_setting *v) {
  bool has_several_files = s->n_sources > 1; /* it extends another: lines of which? */
  if (v->derived != NULL)
    weir_table_cell(t, "from %s", v->derived);
  else if (v->layer == WEIR_LAYER_DEFAULT)
    weir_table_cell(t, "default");
  else if (has_several_files)
    weir_table_cell(t, "%s:%u", file_name(v->where.file), v->where.line);
  else
    weir_table_cell(t, "line %u", v->where.line);
}

/* Every parameter of a machine that has an effect, with its value, source and origin. */
static enum weir_status gpu_table(const struct gpu *g, struct weir_text *out,
                                  struct weir_err *err) {
  static const struct weir_column columns[] = {
      {"parameter", NULL, WEIR_LEFT}, {"value", NULL, WEIR_RIGHT}, {"unit", NULL, WEIR_LEFT},
      {"source", NULL, WEIR_LEFT},    {"set by", NULL, WEIR_LEFT}, {"meaning", NULL, WEIR_LEFT}};
  struct weir_table *t = weir_table_new(columns, sizeof columns / sizeof *columns);
  if (t == NULL) return weir_fail(err, WEIR_ENOMEM, "out of memory");
  for (size_t i = 0; i < g->s.n; i++) {
    const struct weir_setting *v = &g->s.v[i];
    if (!is_machine_group(v->group) || !weir_has_effect(&g->s, v, &g->facts, NULL)) continue;
    weir_table_cell(t, "%s.%s", v->group->prefix, v->param->name);
    weir_table_cell(t, "%s", v->text);
    weir_table_cell(t, "%s", v->param->unit != NULL ? v->param->unit : "");
    weir_table_cell(t, "%s", source_name(v));
    set_by_cell(t, &g->s, v);
    weir_table_cell(t, "%s", v->param->help);
  }
  enum weir_status st = weir_table_text(t, out, err);
  weir_table_free(t);
  return st;
}

/* Those without one, with what governs instead. */
static enum weir_status idle_table(const struct gpu *g, struct weir_text *out,
                                   struct weir_err *err) {
  static const struct weir_column columns[] = {{"no effect here", NULL, WEIR_LEFT},
                                               {"value", NULL, WEIR_RIGHT},
                                               {"because", NULL, WEIR_LEFT}};
  struct weir_table *t = weir_table_new(columns, sizeof columns / sizeof *columns);
  if (t == NULL) return weir_fail(err, WEIR_ENOMEM, "out of memory");
  bool has_any = false;
  for (size_t i = 0; i < g->s.n; i++) {
    const struct weir_setting *v = &g->s.v[i];
    struct weir_text why = {0};
    if (!is_machine_group(v->group) || weir_has_effect(&g->s, v, &g->facts, &why)) continue;
    weir_table_cell(t, "%s.%s", v->group->prefix, v->param->name);
    weir_table_cell(t, "%s", v->text);
    weir_table_cell(t, "%.*s", why.v != NULL ? (int)strcspn(why.v, "\n(") : 0, why.v);
    weir_text_free(&why);
    has_any = true;
  }
  if (has_any) weir_text_puts(out, "\n");
  enum weir_status st = has_any ? weir_table_text(t, out, err) : WEIR_OK;
  weir_table_free(t);
  return st;
}

/* ---- the sources ---- */

static void put_counts(const struct gpu *g, struct weir_text *out) {
  unsigned n[WEIR_N_EVIDENCES] = {0};
  const char *mark = "";
  for (size_t i = 0; i < g->s.n; i++)
    if (is_machine_group(g->s.v[i].group) && weir_has_effect(&g->s, &g->s.v[i], &g->facts, NULL))
      n[weir_setting_evidence(&g->s.v[i])]++;
  for (unsigned k = 1; k <= WEIR_N_EVIDENCES; k++) {
    unsigned by = k % WEIR_N_EVIDENCES; /* what nobody says, last */
    if (n[by] == 0) continue;
    weir_text_printf(out, "%s%u %s", mark, n[by], weir_evidence_names[by]);
    mark = ", ";
  }
}

/* Which document each kind of source is, in each file. */
static void put_documents(const struct gpu *g, struct weir_text *out) {
  for (unsigned k = 1; k < WEIR_N_EVIDENCES; k++)
    for (size_t i = 0; i < g->s.n; i++) {
      const struct weir_setting *v = &g->s.v[i];
      bool is_new = v->kind == k && v->document != NULL;
      for (size_t j = 0; is_new && j < i; j++)
        is_new = g->s.v[j].document != v->document;
      if (!is_new) continue;
      weir_text_printf(out, "  %s (%s): ", weir_evidence_names[k], file_name(v->where.file));
      weir_text_wrap(out, v->document, 110, "    ");
      weir_text_puts(out, "\n");
    }
}

enum weir_status weir_gpu_sources(const char *name, struct weir_text *out, struct weir_err *err) {
  struct gpu g;
  enum weir_status st = gpu_open(&g, name, err);
  if (st == WEIR_OK) put_counts(&g, out);
  gpu_free(&g);
  return st;
}

/* ---- bandwidths ---- */

/* Flows of the table of caps; loads that bypass the L1 differ only by what they avoid. */
static const enum weir_flow shown[] = {WEIR_FLOW_L1_READ, WEIR_FLOW_L2_READ, WEIR_FLOW_L2_WRITE,
                                       WEIR_FLOW_DRAM_READ, WEIR_FLOW_DRAM_WRITE};
enum { N_SHOWN = sizeof shown / sizeof *shown };

static void cap_row(struct weir_table *t, const struct weir_machine *m, enum weir_cap_id id) {
  struct weir_cap cap[N_SHOWN], any = {0};
  bool has[N_SHOWN];
  for (unsigned i = 0; i < N_SHOWN; i++) {
    has[i] = weir_cap(m, id, shown[i], &cap[i]);
    if (has[i]) any = cap[i];
  }
  if (any.where == NULL) return;
  weir_table_cell(t, "%s", any.where);
  weir_table_cell(t, "%llu", (unsigned long long)any.units);
  for (unsigned i = 0; i < N_SHOWN; i++)
    if (has[i])
      weir_table_cell(t, "%.1f", weir_cap_value(&cap[i]));
    else
      weir_table_cell(t, "-");
  weir_table_cell(t, "%s", any.params);
}

/* What each port, buffer and channel lets pass. */
static enum weir_status cap_table(const struct weir_machine *m, struct weir_text *out,
                                  struct weir_err *err) {
  struct weir_column columns[2 + N_SHOWN + 1] = {{"limit", NULL, WEIR_LEFT},
                                                 {"units", NULL, WEIR_RIGHT}};
  for (unsigned i = 0; i < N_SHOWN; i++)
    columns[2 + i] = (struct weir_column){weir_flow_names[shown[i]], NULL, WEIR_RIGHT};
  columns[2 + N_SHOWN] = (struct weir_column){"follows from", NULL, WEIR_LEFT};
  struct weir_table *t = weir_table_new(columns, 2 + N_SHOWN + 1);
  if (t == NULL) return weir_fail(err, WEIR_ENOMEM, "out of memory");
  for (unsigned id = 0; id < WEIR_N_CAPS; id++)
    cap_row(t, m, id);
  enum weir_status st = weir_table_text(t, out, err);
  weir_table_free(t);
  return st;
}

static enum weir_status bottleneck_table(const struct weir_machine *m, struct weir_text *out,
                                         struct weir_err *err) {
  static const struct weir_column columns[] = {{"stream", NULL, WEIR_LEFT},
                                               {"bytes", "per cycle", WEIR_RIGHT},
                                               {"GB/s", NULL, WEIR_RIGHT},
                                               {"bottleneck", NULL, WEIR_LEFT}};
  struct weir_table *t = weir_table_new(columns, sizeof columns / sizeof *columns);
  if (t == NULL) return weir_fail(err, WEIR_ENOMEM, "out of memory");
  for (unsigned flow = 0; flow < WEIR_N_FLOWS; flow++) {
    struct weir_cap c = weir_bottleneck(m, flow);
    if (c.where == NULL) continue;
    double v = weir_cap_value(&c);
    weir_table_cell(t, "%s", weir_flow_names[flow]);
    weir_table_cell(t, "%.1f", v);
    weir_table_cell(t, "%.1f", v * (double)m->core.clock_mhz / 1000);
    weir_table_cell(t, "%s", c.where);
  }
  enum weir_status st = weir_table_text(t, out, err);
  weir_table_free(t);
  return st;
}

static enum weir_status bounds_text(const struct weir_machine *m, struct weir_text *out,
                                    struct weir_err *err) {
  weir_text_printf(out, "\nbandwidth caps: bytes per core cycle of all units together, for streams "
                        "of whole lines (docs/timing.md)\n\n");
  enum weir_status st = cap_table(m, out, err);
  weir_text_puts(out, "\n");
  if (st == WEIR_OK) st = bottleneck_table(m, out, err);
  struct weir_cap channels;
  double in_order = weir_rate_value(weir_dram_window(m)) * (double)m->dram.channels;
  if (strcmp(m->dram.map, "rotate") == 0 &&
      weir_cap(m, WEIR_CAP_DRAM, WEIR_FLOW_DRAM_BYPASS, &channels) &&
      in_order < weir_cap_value(&channels))
    weir_text_printf(out,
                     "\ndram.queue cannot hide the opening of rows: read strictly in order, all "
                     "channels give %.1f bytes per cycle\n",
                     in_order);
  return st;
}

static enum weir_status gpu_text(const struct gpu *g, const char *name, struct weir_text *out,
                                 struct weir_err *err) {
  weir_text_printf(out, "machine %s; 'line' is of its file\nwindow: %llu cycles\n\n", name,
                   (unsigned long long)g->m.window);
  enum weir_status st = gpu_table(g, out, err);
  if (st == WEIR_OK) st = idle_table(g, out, err);
  weir_text_puts(out, "\nsources: ");
  put_counts(g, out);
  weir_text_puts(out, "\n");
  put_documents(g, out);
  return st == WEIR_OK ? bounds_text(&g->m, out, err) : st;
}

int weir_help_gpu(const char *name) {
  struct gpu g;
  struct weir_err err;
  struct weir_text out = weir_cli_text();
  if (name == NULL) return weir_cli_usage("help", "which machine? See 'weir list gpus'");
  enum weir_status st = gpu_open(&g, name, &err);
  if (st == WEIR_OK) st = gpu_text(&g, name, &out, &err);
  gpu_free(&g);
  if (st == WEIR_OK) return weir_cli_print(&out);
  weir_text_free(&out);
  return weir_cli_error(&err);
}
