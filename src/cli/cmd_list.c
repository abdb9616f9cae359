/* weir list workloads|gpus|schemes|papers|policies|preparations|params|stats */
#include <stdio.h>
#include <string.h>

#include "base/config.h"
#include "base/reference.h"
#include "base/suggest.h"
#include "base/table.h"
#include "cli/cmd.h"
#include "cli/help_parts.h"
#include "cli/opt.h"
#include "cli/timing.h"
#include "study/paper.h"

enum { OPT_NAMES = 1, OPT_PLUGIN };

static const struct weir_usage usage = {
    .command = "list",
    .synopsis = "workloads|gpus|schemes|papers|policies|preparations|params|stats [--names]\n"
                "                 [--plugin FILE.so]...",
    .about =
        "List the built-in workloads, the machines, the L1 designs (schemes), the papers whose\n"
        "figures can be run, the parts that designs are made of (policies), what can be prepared "
        "for\n"
        "them before a run, the parameters that --set accepts, or the statistics that a run "
        "prints.",
    .opts =
        (const struct weir_opt[]){{"names", 'n', NULL, "names only, one per line", OPT_NAMES},
                                  {"plugin", 'p', "FILE.so",
                                   "with the policies of a plug-in; may be repeated", OPT_PLUGIN},
                                  {.name = NULL}},
    .examples = "  weir list workloads        what can be run\n"
                "  weir list gpus             on what\n"
                "  weir list schemes          with which L1\n"
                "  weir list params | grep l1.\n",
};

static int print_table(struct weir_table *t) {
  struct weir_text out = weir_cli_text();
  struct weir_err err;
  if (!t) {
    weir_fail(&err, WEIR_ENOMEM, "out of memory");
    return weir_cli_error(&err);
  }
  enum weir_status status = weir_table_text(t, &out, &err);
  weir_table_free(t);
  if (status) {
    weir_text_free(&out);
    return weir_cli_error(&err);
  }
  return weir_cli_print(&out);
}

/* The words of the launch file itself say what a workload is. */
static enum weir_status workload_row(struct weir_table *t, struct weir_arena *a, const char *name,
                                     struct weir_err *err) {
  const char *path;
  struct weir_config c;
  enum weir_status status = weir_data_workload(a, name, &path, err);
  if (!status) status = weir_config_load(&c, path, err);
  if (status) return status;
  const char *about = weir_config_get(&c, "about");
  struct weir_text inputs = {0}, sets = {0};
  uint32_t top = weir_config_at(&c, "inputs"), groups = weir_config_at(&c, "sets");
  for (uint32_t i = top ? weir_config_first(&c, top) : 0; i; i = weir_config_next(&c, i)) {
    if (c.entry[i].key) weir_text_printf(&inputs, "%s%s", inputs.n ? ", " : "", c.entry[i].key);
  }
  for (uint32_t i = groups ? weir_config_first(&c, groups) : 0; i; i = weir_config_next(&c, i))
    if (c.entry[i].text) weir_text_printf(&sets, "%s%s", sets.n ? ", " : "", c.entry[i].text);
  weir_table_cell(t, "%s", name);
  weir_table_cell(t, "%s", sets.v ? sets.v : "");
  weir_table_cell(t, "%s", inputs.v ? inputs.v : "");
  weir_table_cell(t, "%s", about ? about : "");
  weir_text_free(&inputs);
  weir_text_free(&sets);
  weir_config_free(&c);
  return WEIR_OK;
}

static int list_workloads(bool names_only) {
  static const struct weir_column columns[] = {{"workload", NULL, WEIR_LEFT},
                                               {"sets", NULL, WEIR_LEFT},
                                               {"inputs", NULL, WEIR_LEFT},
                                               {"what it does", NULL, WEIR_LEFT}};
  struct weir_arena a = {0};
  struct weir_err err;
  const char *const *names;
  size_t n;
  enum weir_status status = weir_data_workloads(&a, &names, &n, &err);
  struct weir_table *t = weir_table_new(columns, 4);
  for (size_t i = 0; !status && i < n; i++) {
    if (names_only) {
      puts(names[i]);
    } else if (t) {
      status = workload_row(t, &a, names[i], &err);
    }
  }
  weir_arena_free(&a);
  if (!status && !names_only) return print_table(t);
  weir_table_free(t);
  return status ? weir_cli_error(&err) : WEIR_EXIT_OK;
}

static enum weir_status gpu_row(struct weir_table *t, struct weir_arena *a, const char *name,
                                struct weir_err *err) {
  struct weir_config c;
  struct weir_text sources = {0};
  const char *path = weir_arena_printf(a, "%s/gpus/%s.yaml", weir_data_dir(), name);
  if (!path) return weir_fail(err, WEIR_ENOMEM, "out of memory");
  enum weir_status status = weir_config_load_tagged(&c, path, err);
  if (status) return status;
  status = weir_gpu_sources(name, &sources, err);
  if (!status) {
    const char *about = weir_config_get(&c, "about");
    weir_table_cell(t, "%s", name);
    weir_table_cell(t, "%s", sources.v ? sources.v : "");
    weir_table_cell(t, "%s", about ? about : "");
  }
  weir_text_free(&sources);
  weir_config_free(&c);
  return status;
}

static int list_gpus(bool names_only) {
  static const struct weir_column columns[] = {{"machine", NULL, WEIR_LEFT},
                                               {"values by source", NULL, WEIR_LEFT},
                                               {"what it is", NULL, WEIR_LEFT}};
  struct weir_arena a = {0};
  struct weir_err err;
  const char *const *names;
  size_t n;
  enum weir_status status = weir_data_gpus(&a, &names, &n, &err);
  struct weir_table *t = names_only ? NULL : weir_table_new(columns, 3);
  for (size_t i = 0; !status && i < n; i++) {
    if (names_only) {
      puts(names[i]);
    } else if (t) {
      status = gpu_row(t, &a, names[i], &err);
    }
  }
  weir_arena_free(&a);
  if (!status && !names_only) return print_table(t);
  weir_table_free(t);
  return status ? weir_cli_error(&err) : WEIR_EXIT_OK;
}

static void scheme_row(struct weir_table *t, const struct weir_scheme *s) {
  weir_table_cell(t, "%s", s->label);
  weir_table_cell(t, "%s", weir_role_name(s->role));
  weir_table_cell(t, "%s", s->org != NULL ? s->org->part.name : "the machine's");
  struct weir_text chain = {0};
  for (uint32_t i = 0; i < s->n_policies; i++)
    weir_text_printf(&chain, "%s%s", i > 0 ? ", " : "", s->policy[i]->part.name);
  weir_table_cell(t, "%s", chain.v != NULL ? chain.v : "");
  weir_table_cell(t, "%s", s->about);
  weir_text_free(&chain);
}

static int list_schemes(bool names_only) {
  static const struct weir_column columns[] = {{"scheme", NULL, WEIR_LEFT},
                                               {"role", NULL, WEIR_LEFT},
                                               {"organisation", NULL, WEIR_LEFT},
                                               {"policies", NULL, WEIR_LEFT},
                                               {"what it is", NULL, WEIR_LEFT}};
  struct weir_arena a = {0};
  struct weir_err err;
  const char *const *names;
  size_t n;
  enum weir_status status = weir_data_schemes(&a, &names, &n, &err);
  struct weir_table *t = names_only ? NULL : weir_table_new(columns, 5);
  for (size_t i = 0; !status && i < n; i++) {
    struct weir_scheme s;
    const char *path;
    if (names_only) puts(names[i]);
    if (!t) continue;
    status = weir_data_scheme(&a, names[i], &path, &err);
    if (!status) status = weir_scheme_load(&s, names[i], path, NULL, &err);
    if (status) break;
    scheme_row(t, &s);
    weir_scheme_free(&s);
  }
  weir_arena_free(&a);
  if (!status && !names_only) return print_table(t);
  weir_table_free(t);
  return status ? weir_cli_error(&err) : WEIR_EXIT_OK;
}

static void part_row(struct weir_table *t, const char *axis, const struct weir_part *part) {
  weir_table_cell(t, "%s", part->name);
  weir_table_cell(t, "%s", axis);
  weir_table_cell(t, "%s", part->help);
}

static int list_policies(bool names_only) {
  static const struct weir_column columns[] = {
      {"part", NULL, WEIR_LEFT}, {"axis", NULL, WEIR_LEFT}, {"what it does", NULL, WEIR_LEFT}};
  struct weir_table *t = names_only ? NULL : weir_table_new(columns, 3);
  for (size_t i = 0; weir_organisations[i] != NULL; i++) {
    if (names_only) puts(weir_organisations[i]->part.name);
    if (t) part_row(t, "organisation", &weir_organisations[i]->part);
  }
  for (size_t i = 0; weir_policies[i] != NULL; i++) {
    if (names_only) puts(weir_policies[i]->part.name);
    if (t) part_row(t, weir_axis_name(weir_policies[i]), &weir_policies[i]->part);
  }
  return names_only ? WEIR_EXIT_OK : print_table(t);
}

/* By their names in 'prepare:'. */
static int list_preparations(bool names_only) {
  static const struct weir_column columns[] = {{"preparation", NULL, WEIR_LEFT},
                                               {"makes", NULL, WEIR_LEFT},
                                               {"what it does", NULL, WEIR_LEFT}};
  struct weir_table *t = names_only ? NULL : weir_table_new(columns, 3);
  static const char *const others[][3] = {
      {WEIR_PREPARE_CLASSIFY, "tags",
       "loads are timed alone and in groups: use the L1, or bypass it"},
      {WEIR_PREPARE_TRAFFIC, "tags",
       "loads are timed alone, in pairs and without the L1: use it if that saves traffic"},
      {WEIR_PREPARE_OPT, "rows",
       "the most hits that there can be, for the organisation opt alone"}};
  for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
    if (names_only) puts(others[i][0]);
    for (size_t k = 0; t && k < 3; k++)
      weir_table_cell(t, "%s", others[i][k]);
  }
  for (size_t i = 0; weir_policies[i] != NULL; i++) {
    if (weir_policies[i]->row == NULL) continue;
    if (names_only) puts(weir_policies[i]->part.name);
    if (t) part_row(t, "rows", &weir_policies[i]->part);
  }
  return names_only ? WEIR_EXIT_OK : print_table(t);
}

static int list_params(bool names_only) {
  static const struct weir_column columns[] = {{"parameter", NULL, WEIR_LEFT},
                                               {"default", NULL, WEIR_RIGHT},
                                               {"unit", NULL, WEIR_LEFT},
                                               {"accepted", NULL, WEIR_LEFT},
                                               {"meaning", NULL, WEIR_LEFT}};
  struct weir_table *t = names_only ? NULL : weir_table_new(columns, 5);
  for (size_t g = 0; weir_param_groups()[g]; g++) {
    const struct weir_param_group *group = weir_param_groups()[g];
    for (const struct weir_param *p = group->table; p->name; p++) {
      char range[256];
      if (names_only) printf("%s.%s\n", group->prefix, p->name);
      if (!t) continue;
      weir_table_cell(t, "%s.%s", group->prefix, p->name);
      weir_table_cell(t, "%s", p->def);
      weir_table_cell(t, "%s", p->unit ? p->unit : "");
      weir_table_cell(t, "%s", weir_param_range(p, range, sizeof range));
      weir_table_cell(t, "%s", p->help);
    }
  }
  return names_only ? WEIR_EXIT_OK : print_table(t);
}

static int list_stats(bool names_only) {
  static const struct weir_column columns[] = {
      {"statistic", NULL, WEIR_LEFT}, {"unit", NULL, WEIR_LEFT}, {"meaning", NULL, WEIR_LEFT}};
  struct weir_table *t = names_only ? NULL : weir_table_new(columns, 3);
  for (size_t g = 0; weir_stat_groups()[g]; g++) {
    const struct weir_stat_group *group = weir_stat_groups()[g];
    for (const struct weir_stat *s = group->table; s->name; s++) {
      if (names_only) printf("%s.%s\n", group->prefix, s->name);
      if (!t) continue;
      weir_table_cell(t, "%s.%s", group->prefix, s->name);
      weir_table_cell(t, "%s", s->unit ? s->unit : "");
      weir_table_cell(t, "%s", s->help);
    }
  }
  return names_only ? WEIR_EXIT_OK : print_table(t);
}

static enum weir_status paper_row(struct weir_table *t, struct weir_arena *a, const char *name,
                                  struct weir_err *err) {
  const char *path;
  struct weir_paper p;
  enum weir_status st = weir_data_paper(a, name, &path, err);
  if (st == WEIR_OK) st = weir_paper_load(path, &p, err);
  if (st != WEIR_OK) return st;
  size_t n_claims = 0;
  for (size_t i = 0; i < p.n_figures; i++)
    n_claims += p.figures[i].n_claims;
  weir_table_cell(t, "%s", p.name);
  weir_table_cell(t, "%zu", p.n_figures);
  weir_table_cell(t, "%zu", n_claims);
  weir_table_cell(t, "%s", p.title);
  weir_paper_free(&p);
  return WEIR_OK;
}

static int list_papers(bool names_only) {
  static const struct weir_column columns[] = {{"paper", NULL, WEIR_LEFT},
                                               {"figures", NULL, WEIR_RIGHT},
                                               {"claims", NULL, WEIR_RIGHT},
                                               {"title", NULL, WEIR_LEFT}};
  struct weir_arena a = {0};
  struct weir_err err;
  const char *const *names;
  size_t n;
  enum weir_status status = weir_data_papers(&a, &names, &n, &err);
  struct weir_table *t = names_only ? NULL : weir_table_new(columns, 4);
  for (size_t i = 0; !status && i < n; i++) {
    if (names_only)
      puts(names[i]);
    else if (t)
      status = paper_row(t, &a, names[i], &err);
  }
  weir_arena_free(&a);
  if (!status && !names_only) return print_table(t);
  weir_table_free(t);
  return status ? weir_cli_error(&err) : WEIR_EXIT_OK;
}

int weir_cmd_list(int argc, char **argv) {
  static const struct {
    const char *name;
    int (*list)(bool names_only);
  } kinds[] = {{"workloads", list_workloads}, {"gpus", list_gpus},
               {"schemes", list_schemes},     {"papers", list_papers},
               {"policies", list_policies},   {"preparations", list_preparations},
               {"params", list_params},       {"stats", list_stats}};
  struct weir_args args = {.argc = argc, .argv = argv, .at = 1};
  bool names_only = false;
  const char *what = NULL;
  int code = weir_cli_plugins(argc, argv, &usage, OPT_PLUGIN);
  if (code >= 0) return code;
  for (int opt; (opt = weir_opt_next(&args, &usage)) != WEIR_OPT_END;) {
    if (opt == WEIR_OPT_DONE) return args.exit_code;
    if (opt == OPT_PLUGIN) continue; /* loaded already */
    if (opt == OPT_NAMES) {
      names_only = true;
    } else if (what) {
      return weir_cli_usage("list", "one list at a time: '%s' or '%s'?", what, args.value);
    } else {
      what = args.value;
    }
  }
  if (!what)
    return weir_cli_usage(
        "list",
        "list what? workloads, gpus, schemes, papers, policies, preparations, params or stats");
  const char *names[sizeof kinds / sizeof *kinds];
  for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
    if (!strcmp(kinds[i].name, what)) return kinds[i].list(names_only);
    names[i] = kinds[i].name;
  }
  const char *near = weir_nearest(what, names, sizeof kinds / sizeof *kinds);
  if (near) return weir_cli_usage("list", "there is no list '%s'; did you mean '%s'?", what, near);
  return weir_cli_usage("list",
                        "there is no list '%s', only workloads, gpus, schemes, papers, policies, "
                        "preparations, params and stats",
                        what);
}
