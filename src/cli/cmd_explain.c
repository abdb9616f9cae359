/* weir explain KEY... */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/reference.h"
#include "base/stat_io.h"
#include "base/suggest.h"
#include "cli/cmd.h"
#include "cli/opt.h"
#include "cli/timing.h"
#include "machine/bounds.h"
#include "session/effects.h"

enum { OPT_SET = 1, OPT_CONFIG, OPT_GPU, OPT_PLUGIN };

static const struct weir_usage usage = {
    .command = "explain",
    .synopsis = "[--gpu NAME] [--config FILE] [--set KEY=VALUE]... KEY...",
    .about =
        "Say what a parameter or a statistic means: value, default, accepted values, unit, where\n"
        "the default comes from and where the value was set; with a machine, which bandwidth caps "
        "it\n"
        "has a part in.",
    .opts =
        (const struct weir_opt[]){
            {"gpu", 'g', "NAME", "read a machine, as 'weir run' would", OPT_GPU},
            {"config", 'c', "FILE", "read a settings file, as 'weir run' would", OPT_CONFIG},
            {"set", 's', "KEY=VALUE", "set a parameter, as 'weir run' would", OPT_SET},
            {"plugin", 'p', "FILE.so", "load a policy of your own, as 'weir run' would",
             OPT_PLUGIN},
            {.name = NULL}},
    .examples = "  weir explain exec.quantum\n"
                "  weir explain --gpu fermi-s3 l1.mshr_merge\n"
                "  weir explain --set exec.quantum=64 exec.quantum\n",
};

static void line(const char *label, const char *text) {
  if (text && *text) printf("  %-10s%s\n", label, text);
}

/* Does a list of parameters name this one? "dram.t_*" names all that begin so. */
static bool names(const char *params, const char *path) {
  for (const char *p = params; *p; p += strcspn(p, " ,"), p += strspn(p, " ,")) {
    size_t n = strcspn(p, " ,");
    bool is_prefix = n > 0 && p[n - 1] == '*';
    if (!strncmp(p, path, is_prefix ? n - 1 : n) && (is_prefix || path[n] == '\0')) return true;
  }
  return false;
}

/* The bandwidth caps that a parameter of the machine has a part in. */
static void explain_caps(const struct weir_machine *m, const struct weir_setting *v) {
  char path[128], text[256];
  snprintf(path, sizeof path, "%s.%s", v->group->prefix, v->param->name);
  for (unsigned id = 0; id < WEIR_N_CAPS; id++)
    for (unsigned flow = 0; flow < WEIR_N_FLOWS; flow++) {
      struct weir_cap c;
      if (flow == WEIR_FLOW_L2_BYPASS || flow == WEIR_FLOW_DRAM_BYPASS) continue; /* a subset */
      if (!weir_cap(m, id, flow, &c) || !names(c.params, path)) continue;
      struct weir_cap least = weir_bottleneck(m, flow);
      snprintf(text, sizeof text, "%s at %.1f bytes per cycle: %s%s", weir_flow_names[flow],
               weir_cap_value(&c), c.where,
               !strcmp(least.where, c.where) ? " (the bottleneck)" : "");
      line("limits", text);
    }
}

static void explain_param(const struct weir_setting *v) {
  const struct weir_param *p = v->param;
  char range[256], origin[512], value[512];
  printf("%s.%s\n", v->group->prefix, p->name);
  snprintf(value, sizeof value, "%s%s%s", v->text, p->unit ? " " : "", p->unit ? p->unit : "");
  line("value", value);
  line("set by", weir_setting_origin(v, origin, sizeof origin));
  line("default", p->def);
  line("accepted", weir_param_range(p, range, sizeof range));
  line("unit", p->unit);
  line("meaning", p->help);
  struct weir_text when = {0};
  weir_effect_text(v->group, NULL, weir_fact_table, &when);
  if (p->when && when.n) weir_text_puts(&when, "; ");
  weir_effect_text(v->group, p, weir_fact_table, &when);
  line("effect if", when.v);
  weir_text_free(&when);
  const char *by = weir_evidence_names[weir_setting_evidence(v)];
  if (v->layer == WEIR_LAYER_FILE && v->document) {
    snprintf(value, sizeof value, "%s: %s", by, v->document);
    line("source", value);
  } else {
    line("source", p->source);
  }
}

static void explain_stat(const struct weir_stat_group *g, const struct weir_stat *s) {
  static const char *const kinds[] = {"a counter; adds up over kernels and units",
                                      "a maximum; over kernels and units, the largest counts",
                                      "a ratio; computed from the sums when shown"};
  printf("%s.%s\n", g->prefix, s->name);
  line("kind", kinds[s->kind]);
  line("unit", s->unit);
  line("meaning", s->help);
}

/* Neither: parameters and statistics share one namespace, so the nearest of both is meant. */
static enum weir_status unknown_key(const struct weir_settings *s, const char *key,
                                    struct weir_err *err) {
  struct weir_arena a = {0};
  struct {
    const char **v;
    size_t n, cap;
  } names = {0};
  for (size_t i = 0; i < s->n; i++) {
    const char *name = weir_arena_printf(&a, "%s.%s", s->v[i].group->prefix, s->v[i].param->name);
    if (!name || !WEIR_PUSH(names, name)) break;
  }
  for (size_t g = 0; weir_stat_groups()[g]; g++) {
    for (const struct weir_stat *stat = weir_stat_groups()[g]->table; stat->name; stat++) {
      const char *name = weir_arena_printf(&a, "%s.%s", weir_stat_groups()[g]->prefix, stat->name);
      if (!name || !WEIR_PUSH(names, name)) break;
    }
  }
  weir_fail(err, WEIR_ENOENT, "there is no parameter or statistic '%.200s'", key);
  const char *near = weir_nearest(key, names.v, names.n);
  if (near) {
    weir_err_add(err, "did you mean '%s'?", near);
  } else {
    weir_err_add(err, "'weir list params' and 'weir list stats' show all");
  }
  free(names.v);
  weir_arena_free(&a);
  return WEIR_ENOENT;
}

static enum weir_status explain(const struct weir_settings *s, const char *key,
                                const struct weir_machine *m, struct weir_err *err) {
  const struct weir_setting *v = weir_settings_find(s, key);
  const struct weir_stat_group *g = NULL;
  const struct weir_stat *stat = v ? NULL : weir_stat_named(key, &g);
  if (v) {
    explain_param(v);
    if (m) explain_caps(m, v);
  } else if (stat) {
    explain_stat(g, stat);
  } else {
    return unknown_key(s, key, err);
  }
  return WEIR_OK;
}

static int explain_all(int argc, char **argv, struct weir_settings *s) {
  struct weir_args args = {.argc = argc, .argv = argv, .at = 1};
  struct weir_err err;
  enum weir_status status = WEIR_OK;
  struct weir_machine m;
  const char *gpu = NULL;
  int n_keys = 0;
  for (int opt; !status && (opt = weir_opt_next(&args, &usage)) != WEIR_OPT_END;) {
    if (opt == WEIR_OPT_DONE) return args.exit_code;
    if (opt == OPT_SET) status = weir_settings_assign(s, args.value, &err);
    if (opt == OPT_CONFIG) status = weir_settings_file(s, args.value, &err);
    if (opt == OPT_GPU) {
      gpu = args.value;
      status = weir_data_machine(s, gpu, &err);
    }
    if (opt == WEIR_OPT_WORD)
      argv[n_keys++] = (char *)args.value; /* before args.at: read already */
  }
  if (!status && !n_keys) return weir_cli_usage("explain", "explain which parameter?");
  if (!status && gpu) status = weir_machine_fill(&m, gpu, s, &err);
  if (!status && gpu) status = weir_machine_settle(&m, s, &err);
  for (int i = 0; !status && i < n_keys; i++)
    status = explain(s, argv[i], gpu ? &m : NULL, &err);
  return status ? weir_cli_error(&err) : WEIR_EXIT_OK;
}

int weir_cmd_explain(int argc, char **argv) {
  struct weir_settings s;
  struct weir_err err;
  int code = weir_cli_plugins(argc, argv, &usage, OPT_PLUGIN);
  if (code >= 0) return code;
  if (weir_settings_init(&s, weir_param_groups(), &err) != WEIR_OK) return weir_cli_error(&err);
  int exit_code = explain_all(argc, argv, &s);
  weir_settings_free(&s);
  return exit_code;
}
