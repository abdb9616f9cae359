/* weir help [COMMAND | gpu NAME | scheme NAME | policy NAME] */
#include <stdio.h>
#include <string.h>

#include "base/table.h"
#include "cli/cmd.h"
#include "cli/help_parts.h"
#include "cli/opt.h"
#include "cli/timing.h"
#include "machine/bounds.h"

enum { OPT_GPU = 1, OPT_PLUGIN };

static const struct weir_usage usage = {
    .command = "help",
    .synopsis = "[COMMAND | gpu NAME | scheme NAME [--gpu NAME] | policy NAME [--plugin FILE.so]]",
    .about =
        "Explain a command, with its options and examples; without a name, list the commands.\n"
        "'help gpu NAME' shows every number of a machine, where it was set, and what bandwidth "
        "follows;\n"
        "'help scheme NAME' what an L1 design is made of, its parameters and what it costs in "
        "bits;\n"
        "'help policy NAME' the parameters and statistics of one of its parts.",
    .opts =
        (const struct weir_opt[]){
            {"gpu", 'g', "NAME", "the machine on which a scheme is shown (default: fermi-s3)",
             OPT_GPU},
            {"plugin", 'p', "FILE.so", "with the policies of a plug-in", OPT_PLUGIN},
            {.name = NULL}},
    .examples = "  weir help run\n  weir help gpu fermi-s3\n"
                "  weir help scheme pc-bypass --gpu gcn-s2\n  weir help policy decoupled\n",
};

static bool is_machine_group(const struct weir_param_group *g) {
  static const struct weir_param_group *const groups[] = {
      &weir_core_params, &weir_sm_params, &weir_l1_params,  &weir_noc_params,
      &weir_l2_params,   &weir_l3_params, &weir_dram_params};
  for (size_t i = 0; i < sizeof groups / sizeof *groups; i++)
    if (groups[i] == g) return true;
  return false;
}

static const char *file_name(const char *path) {
  const char *slash = strrchr(path, '/');
  return slash != NULL ? slash + 1 : path;
}

/* A machine that extends another: lines of which file? */
static bool has_several_files(const struct weir_settings *s) {
  return s->n_sources > 1;
}

/* Every parameter of a machine with its value and origin. */
static enum weir_status gpu_table(const struct weir_settings *s, struct weir_text *out,
                                  struct weir_err *err) {
  static const struct weir_column columns[] = {{"parameter", NULL, WEIR_LEFT},
                                               {"value", NULL, WEIR_RIGHT},
                                               {"unit", NULL, WEIR_LEFT},
                                               {"set by", NULL, WEIR_LEFT},
                                               {"meaning", NULL, WEIR_LEFT}};
  struct weir_table *t = weir_table_new(columns, 5);
  if (t == NULL) return weir_fail(err, WEIR_ENOMEM, "out of memory");
  for (size_t i = 0; i < s->n; i++) {
    const struct weir_setting *v = &s->v[i];
    if (!is_machine_group(v->group)) continue;
    bool is_guess = v->layer == WEIR_LAYER_DEFAULT && v->param->source != NULL;
    weir_table_cell(t, "%s.%s", v->group->prefix, v->param->name);
    weir_table_cell(t, "%s", v->text);
    weir_table_cell(t, "%s", v->param->unit != NULL ? v->param->unit : "");
    if (v->derived != NULL)
      weir_table_cell(t, "from %s", v->derived);
    else if (v->layer == WEIR_LAYER_DEFAULT)
      weir_table_cell(t, "default%s%s", is_guess ? ": " : "", is_guess ? v->param->source : "");
    else if (has_several_files(s))
      weir_table_cell(t, "%s:%u", file_name(v->where.file), v->where.line);
    else
      weir_table_cell(t, "line %u", v->where.line);
    weir_table_cell(t, "%s", v->param->help);
  }
  enum weir_status st = weir_table_text(t, out, err);
  weir_table_free(t);
  return st;
}

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

static int help_gpu(const char *name) {
  struct weir_settings s;
  struct weir_err err;
  struct weir_text out = {0};
  struct weir_machine m;
  if (name == NULL) return weir_cli_usage("help", "which machine? See 'weir list gpus'");
  enum weir_status st = weir_settings_init(&s, weir_param_groups(), &err);
  if (st != WEIR_OK) return weir_cli_error(&err);
  st = weir_data_machine(&s, name, &err);
  if (st == WEIR_OK) st = weir_machine_fill(&m, name, &s, &err);
  if (st == WEIR_OK) st = weir_machine_settle(&m, &s, &err);
  if (st == WEIR_OK) {
    weir_text_printf(&out,
                     "machine %s; 'line' is of its file, whose comments give the sources\n"
                     "window: %llu cycles\n\n",
                     name, (unsigned long long)m.window);
    st = gpu_table(&s, &out, &err);
    if (st == WEIR_OK) st = bounds_text(&m, &out, &err);
  }
  weir_settings_free(&s);
  if (st == WEIR_OK) return weir_cli_print(&out);
  weir_text_free(&out);
  return weir_cli_error(&err);
}

/* "gpu", "scheme" and "policy" are followed by a name. */
static bool takes_name(const char *topic) {
  return strcmp(topic, "gpu") == 0 || strcmp(topic, "scheme") == 0 || strcmp(topic, "policy") == 0;
}

static int help_command(const char *name) {
  const struct weir_command *c = weir_command_find(name);
  if (!c) return weir_cli_unknown_command(name);
  char *ask[] = {(char *)c->name, (char *)"--help", NULL};
  return c->run(2, ask);
}

int weir_cmd_help(int argc, char **argv) {
  struct weir_args args = {.argc = argc, .argv = argv, .at = 1};
  const char *topic = NULL, *name = NULL, *gpu = NULL;
  int code = weir_cli_plugins(argc, argv, &usage, OPT_PLUGIN);
  if (code >= 0) return code;
  for (int opt; (opt = weir_opt_next(&args, &usage)) != WEIR_OPT_END;) {
    if (opt == WEIR_OPT_DONE) return args.exit_code;
    if (opt == OPT_GPU) {
      gpu = args.value;
      continue;
    }
    if (opt == OPT_PLUGIN) continue; /* loaded already */
    if (topic && (name || !takes_name(topic)))
      return weir_cli_usage("help", "one command at a time");
    if (topic)
      name = args.value;
    else
      topic = args.value;
  }
  if (!topic) {
    weir_cli_overview(stdout);
    return WEIR_EXIT_OK;
  }
  if (gpu && strcmp(topic, "scheme") != 0)
    return weir_cli_usage("help", "--gpu goes with 'help scheme NAME'");
  if (strcmp(topic, "gpu") == 0) return help_gpu(name);
  if (strcmp(topic, "scheme") == 0) return weir_help_scheme(name, gpu);
  return strcmp(topic, "policy") == 0 ? weir_help_policy(name) : help_command(topic);
}
