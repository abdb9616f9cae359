/* weir compare WORKLOAD... --schemes NAME,... [-- PROGRAM] */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/suggest.h"
#include "cli/classify_program.h"
#include "cli/cmd.h"
#include "cli/compare_progress.h"
#include "cli/job.h"
#include "cli/opt.h"
#include "cli/prepare.h"
#include "cli/provenance.h"
#include "cli/timing.h"
#include "launch/launchfile.h"
#include "report/compare.h"
#include "session/effects.h"
#include "trace/accelsim.h"

enum {
  OPT_WORKLOADS = 1,
  OPT_SCHEMES,
  OPT_GPUS,
  OPT_TAGS,
  OPT_INPUT,
  OPT_BASELINE,
  OPT_CONFIG,
  OPT_SET,
  OPT_NO_CONTRACT,
  OPT_JOBS,
  OPT_CSV,
  OPT_JSON,
  OPT_CHECK,
  OPT_QUIET,
  OPT_PLUGIN
};

static const struct weir_usage usage = {
    .command = "compare",
    .synopsis = "WORKLOAD... [--schemes NAME,...] [--gpus NAME,...] [options]\n"
                "       weir compare [WORKLOAD...] [options] -- PROGRAM [ARGUMENT ...]",
    .about =
        "Which L1 design is faster, on which workload, and why? Every workload is executed once "
        "and\n"
        "timed with every scheme on every machine, several runs at a time. For each machine there "
        "is a\n"
        "table of speed-ups over the first scheme, and one of what lies behind them: hits, "
        "bypasses,\n"
        "stalls, traffic and energy. L1 hits are loads that found their line there or on its way.\n"
        "\n"
        "A scheme with 'prepare: classify' (static, coordinated) has the loads of each workload\n"
        "classified first, by profiling runs on its input 'profile'; their tags are kept for the "
        "next\n"
        "time. --tags FILE gives them instead.\n"
        "\n"
        "A CUDA program (see 'weir help run') runs once, as on the first machine; its output goes "
        "to\n"
        "stderr, and its exit code is weir's if it is not 0.\n"
        "\n"
        "A run that fails is shown as such, with the reason below the table, and the others go on "
        "(exit\n"
        "code 1). Ctrl-C ends the comparison with the runs that have ended (exit code 130).",
    .has_program = 1,
    .neutral = " workloads config set jobs csv json check quiet" WEIR_PROV_NEUTRAL,
    .repeated = " plugin",
    .opts =
        (const struct weir_opt[]){
            {"workloads", 'w', "LIST",
             "what to run, as the arguments: names of 'weir list workloads', launch files "
             "(.yaml),\n"
             "traces (.wtrace); 'all': every built-in one but simt/*, if it has the input",
             OPT_WORKLOADS},
            {"schemes", 'S', "LIST",
             "L1 designs: names of 'weir list schemes', files ending in .yaml, or a policy's name, "
             "for the\n"
             "baseline with that policy (default: 'all' that can run, and the policies of "
             "plug-ins)",
             OPT_SCHEMES},
            {"plugin", 'p', "FILE.so",
             "load a policy of your own (docs/tutorial-own-policy.md); may be repeated",
             OPT_PLUGIN},
            {"gpus", 'g', "LIST",
             "machines: names of 'weir list gpus', or files ending in .yaml (default: fermi-s3)",
             OPT_GPUS},
            {"tags", 0, "FILE",
             "what a compiler says about the loads, for schemes that decide by it: made by\n"
             "'weir classify'",
             OPT_TAGS},
            {"input", 'i', "NAME", "which of the workloads' inputs (default: their first)",
             OPT_INPUT},
            WEIR_PROGRAM_OPTIONS,
            {"baseline", 'b', "NAME", "the scheme to compare with (default: the first)",
             OPT_BASELINE},
            {"config", 'c', "FILE", "read settings from a file (KEY: VALUE); --set wins over it",
             OPT_CONFIG},
            {"set", 's', "KEY=VALUE",
             "set a parameter ('weir list params') in all runs; may be repeated", OPT_SET},
            WEIR_NO_CONTRACT_OPTION(OPT_NO_CONTRACT),
            {"jobs", 0, "N",
             "runs at a time (default: one for each core); the results are the same for any number",
             OPT_JOBS},
            {"csv", 0, "FILE",
             "write a row of statistics for each run ('-': to stdout, instead of the tables)",
             OPT_CSV},
            {"json", 'j', "FILE",
             "write everything as JSON ('-': to stdout, instead of the tables)", OPT_JSON},
            {"check", 0, NULL, "verify the conservation rules of the statistics", OPT_CHECK},
            {"quiet", 'q', NULL, "print nothing but errors", OPT_QUIET},
            WEIR_PROV_OPTIONS,
            {.name = NULL}},
    .examples =
        "  weir compare spmv gather --input profile         all schemes, in a second or two\n"
        "  weir compare all --schemes baseline,decoupled,pc-bypass,tsc+ --csv results.csv\n"
        "  weir compare all -S baseline,tsc+ -g fermi-s3,fermi-s0,gtx480-cfg\n"
        "  weir compare spmv -S tsc,tsc+ -b tsc --set tag-split.chunk_bytes=64\n"
        "  weir compare spmv -S baseline,pc-bypass,mine --plugin ./mine.so\n"
        "  weir compare app.wtrace my-launch.yaml -S baseline,my-scheme.yaml\n"
        "  weir compare -S baseline,decoupled,tsc+ --kernels spmv --count 3 -- ./app 1000\n",
};

struct list {
  const char **v;
  size_t n, cap;
};

struct compare {
  struct list workloads, schemes, gpus, sets, configs;
  const char *input, *baseline_name, *tags, *csv, *json;
  uint32_t jobs;
  bool check, quiet;
  char **argv; /* of a program; NULL: there is none */
  struct weir_program_choice choice;
  /* Made from these. */
  struct weir_arena arena;
  struct weir_settings exec_settings;
  struct ptx_exec_cfg exec;
  struct weir_settings *settings; /* [gpu][scheme], as the next two */
  struct weir_setup *setups;
  struct weir_study_setup *study_setups;
  size_t n_setups, baseline;
  struct weir_preparation *preparations; /* [workload][gpu][scheme], as the next */
  struct weir_study_prep *preps;
  size_t n_preparations;
  struct weir_study study;
  struct weir_compare_progress progress;
  struct weir_classify_program program;
  struct weir_prov prov;
};

static enum weir_status no_memory(struct weir_err *err) {
  return weir_fail(err, WEIR_ENOMEM, "out of memory");
}

static bool ends_with(const char *s, const char *suffix) {
  size_t n = strlen(s), m = strlen(suffix);
  return n > m && strcmp(s + n - m, suffix) == 0;
}

/* ---- names ---- */

static bool is_in(const struct list *list, const char *name) {
  for (size_t i = 0; i < list->n; i++)
    if (strcmp(list->v[i], name) == 0) return true;
  return false;
}

static enum weir_status add_name(struct list *list, const char *what, const char *name,
                                 struct weir_err *err) {
  if (is_in(list, name))
    return weir_fail(err, WEIR_EINVAL, "the %s '%s' is named twice", what, name);
  return WEIR_PUSH(*list, name) ? WEIR_OK : no_memory(err);
}

/* "a,b,c" */
static enum weir_status add_names(struct compare *c, struct list *list, const char *what,
                                  const char *text, struct weir_err *err) {
  enum weir_status st = WEIR_OK;
  for (const char *p = text; st == WEIR_OK && p != NULL;) {
    size_t n = strcspn(p, ",");
    const char *name = weir_arena_strndup(&c->arena, p, n);
    if (n == 0)
      st = weir_fail(err, WEIR_EINVAL, "'%s': a name is missing; want NAME,NAME,...", text);
    else
      st = name != NULL ? add_name(list, what, name, err) : no_memory(err);
    p = p[n] == ',' ? p + n + 1 : NULL;
  }
  return st;
}

typedef enum weir_status lister(struct weir_arena *a, const char *const **names, size_t *n,
                                struct weir_err *err);

/* 'all', alone or among others, stands for every name that there is; none comes twice by it. */
static enum weir_status expand(struct compare *c, struct list *list, lister *all,
                               bool (*is_meant)(const struct compare *, const char *),
                               struct weir_err *err) {
  struct list out = {0};
  enum weir_status st = WEIR_OK;
  for (size_t i = 0; st == WEIR_OK && i < list->n; i++) {
    bool is_all = strcmp(list->v[i], "all") == 0;
    const char *const *names = &list->v[i];
    size_t n = 1;
    if (is_all) st = all(&c->arena, &names, &n, err);
    for (size_t k = 0; st == WEIR_OK && k < n; k++)
      if (!is_in(&out, names[k]) && (!is_all || is_meant == NULL || is_meant(c, names[k])) &&
          !WEIR_PUSH(out, names[k]))
        st = no_memory(err);
  }
  free(list->v);
  *list = out;
  return st;
}

static bool has_input(const struct compare *c, const char *path) {
  struct weir_launchfile *lf;
  if (weir_launchfile_load(path, c->input, &lf, NULL) != WEIR_OK) return false;
  weir_launchfile_free(lf);
  return true;
}

/* Kernels that test correctness are too small to time. */
static bool is_of_all(const struct compare *c, const char *name) {
  struct weir_arena a = {0};
  const char *path;
  bool is = strchr(name, '/') == NULL && weir_data_workload(&a, name, &path, NULL) == WEIR_OK &&
            (c->input == NULL || has_input(c, path));
  weir_arena_free(&a);
  return is;
}

/* ---- workloads ---- */

/* What is wrong with a file is said before anything runs. */
static enum weir_status check_trace(const char *path, struct weir_err *err) {
  struct weir_wtrace *t;
  enum weir_status st = weir_wtrace_open(path, &t, err);
  if (st == WEIR_OK) weir_wtrace_close(t);
  return st;
}

static enum weir_status check_launchfile(struct compare *c, struct weir_study_workload *w,
                                         struct weir_err *err) {
  struct weir_launchfile *lf;
  enum weir_status st = weir_launchfile_load(w->path, c->input, &lf, err);
  if (st != WEIR_OK) return st;
  if (lf->input != NULL && lf->input[0] != 0) {
    w->input = weir_arena_strndup(&c->arena, lf->input, strlen(lf->input));
    if (w->input == NULL) st = no_memory(err);
  }
  weir_launchfile_free(lf);
  return st;
}

static enum weir_status find_workload(struct compare *c, const char *name,
                                      struct weir_study_workload *w, struct weir_err *err) {
  *w = (struct weir_study_workload){
      .name = name, .path = name, .is_trace = ends_with(name, ".wtrace")};
  if (w->is_trace) return check_trace(name, err);
  if (weir_is_accelsim(name)) {
    weir_fail(err, WEIR_EINVAL, "%s is an Accel-Sim trace", name);
    weir_err_add(err, "make a .wtrace of it first: weir record -o app.wtrace %s", name);
    return WEIR_EINVAL;
  }
  enum weir_status st = WEIR_OK;
  if (!ends_with(name, ".yaml") && !ends_with(name, ".yml"))
    st = weir_data_workload(&c->arena, name, &w->path, err);
  return st == WEIR_OK ? check_launchfile(c, w, err) : st;
}

/* The program's launches will be a trace. */
static void add_program(struct compare *c, struct weir_study_workload *w) {
  const char *slash = strrchr(c->argv[0], '/');
  *w = (struct weir_study_workload){
      .name = slash != NULL ? slash + 1 : c->argv[0], .path = c->program.trace, .is_trace = true};
  c->study.n_workloads++;
}

static bool is_program(const struct compare *c, const struct weir_study_workload *w) {
  return w->path == c->program.trace;
}

static enum weir_status find_workloads(struct compare *c, struct weir_err *err) {
  enum weir_status st = expand(c, &c->workloads, weir_data_workloads, is_of_all, err);
  if (st == WEIR_OK && c->workloads.n == 0 && c->argv == NULL) {
    st = weir_fail(err, WEIR_ENOENT, "no built-in workload has an input '%s'", c->input);
    weir_err_add(err, "'weir list workloads' shows the inputs");
  }
  struct weir_study_workload *v =
      st == WEIR_OK ? weir_arena_array(&c->arena, c->workloads.n + 1, sizeof *v) : NULL;
  if (st == WEIR_OK && v == NULL) st = no_memory(err);
  bool any = c->input == NULL;
  for (size_t i = 0; st == WEIR_OK && i < c->workloads.n; i++) {
    st = find_workload(c, c->workloads.v[i], &v[i], err);
    any |= !v[i].is_trace;
  }
  if (st == WEIR_OK && !any)
    st = weir_fail(err, WEIR_EINVAL, "--input goes with workloads; a trace has one input");
  c->study.workloads = v;
  c->study.n_workloads = c->workloads.n;
  if (st == WEIR_OK && c->argv != NULL) add_program(c, &v[c->workloads.n]);
  return st;
}

/* ---- machines and schemes ---- */

/* Files go by their names without folder and ending, as long as these are different. */
static bool label(struct compare *c, const char *const *names, size_t n, const char **labels) {
  for (size_t i = 0; i < n; i++) {
    const char *from = strrchr(names[i], '/'), *dot = strrchr(names[i], '.');
    bool is_file = ends_with(names[i], ".yaml") || ends_with(names[i], ".yml");
    labels[i] = names[i];
    if (!is_file) continue;
    from = from != NULL ? from + 1 : names[i];
    const char *text = weir_arena_strndup(&c->arena, from, (size_t)(dot - from));
    if (text == NULL) return false;
    bool is_taken = *text == '\0';
    for (size_t k = 0; k < n; k++)
      is_taken |=
          k != i && (strcmp(names[k], text) == 0 || (k < i && strcmp(labels[k], text) == 0));
    if (!is_taken) labels[i] = text;
  }
  return true;
}

static enum weir_status user_settings(const struct compare *c, struct weir_settings *s,
                                      struct weir_err *err) {
  enum weir_status st = weir_settings_init(s, weir_param_groups(), err);
  for (size_t i = 0; st == WEIR_OK && i < c->configs.n; i++)
    st = weir_settings_file(s, c->configs.v[i], err);
  for (size_t i = 0; st == WEIR_OK && i < c->sets.n; i++)
    st = weir_settings_assign(s, c->sets.v[i], err);
  return st;
}

/* 'all' leaves out what can only fail. Whatever else is wrong with a scheme is said later. */
static bool can_have_tags(const struct compare *c, const char *name) {
  struct weir_arena a = {0};
  struct weir_settings settings = {0};
  struct weir_setup setup = {0};
  const char *path, *gpu = c->gpus.v[0];
  if (c->tags != NULL) return true;
  bool is_traced = true; /* only traces, which cannot be classified */
  for (size_t i = 0; i < c->study.n_workloads; i++)
    is_traced &= c->study.workloads[i].is_trace && !is_program(c, &c->study.workloads[i]);
  bool is = weir_data_scheme(&a, name, &path, NULL) != WEIR_OK ||
            user_settings(c, &settings, NULL) != WEIR_OK ||
            weir_data_machine(&settings, gpu, NULL) != WEIR_OK ||
            weir_setup_load(&setup, name, path, &settings, NULL) != WEIR_OK ||
            weir_setup_fit(&setup, gpu, &settings, weir_param_groups(), NULL) != WEIR_OK ||
            (weir_setup_has_tags(&setup, NULL) == WEIR_OK &&
             !(is_traced && weir_setup_is_prepared(&setup)));
  weir_setup_free(&setup);
  weir_settings_free(&settings);
  weir_arena_free(&a);
  return is;
}

/* Wrong names and files end the command; a scheme that cannot stand on a machine is a result. */
static enum weir_status make_setup(struct compare *c, size_t i, struct weir_err *err) {
  const char *gpu = c->gpus.v[i / c->schemes.n], *scheme = c->schemes.v[i % c->schemes.n];
  struct weir_err unfit;
  enum weir_status st = user_settings(c, &c->settings[i], err);
  if (st == WEIR_OK) st = weir_data_machine(&c->settings[i], gpu, err);
  if (st == WEIR_OK) st = weir_setup_named(&c->setups[i], scheme, &c->settings[i], err);
  if (st == WEIR_OK && c->tags != NULL) st = weir_setup_tags(&c->setups[i], c->tags, err);
  if (st != WEIR_OK) return st;
  c->study_setups[i] =
      (struct weir_study_setup){.setup = &c->setups[i], .settings = &c->settings[i]};
  st = weir_setup_fit(&c->setups[i], gpu, &c->settings[i], weir_param_groups(), &unfit);
  if (st == WEIR_OK) st = weir_setup_has_tags(&c->setups[i], &unfit);
  if (st == WEIR_OK && c->check) weir_setup_watch_plugins(&c->setups[i]);
  if (st == WEIR_OK) return WEIR_OK;
  c->study_setups[i].error = weir_arena_strndup(&c->arena, unfit.msg, strlen(unfit.msg));
  return c->study_setups[i].error != NULL ? WEIR_OK : no_memory(err);
}

/* If nothing can run, what is wrong is most likely on the command line. */
static enum weir_status check_any_fits(const struct compare *c, struct weir_err *err) {
  for (size_t i = 0; i < c->n_setups; i++)
    if (c->study_setups[i].error == NULL) return WEIR_OK;
  return weir_fail(err, WEIR_EINVAL, "%s", c->study_setups[0].error);
}

static enum weir_status check_plugins_used(const struct compare *c, struct weir_err *err) {
  for (size_t i = 0; weir_policies[i] != NULL; i++) {
    const char *file = weir_policy_file(weir_policies[i]), *name = weir_policies[i]->part.name;
    bool is_used = file == NULL;
    for (size_t k = 0; !is_used && k < c->n_setups; k++)
      is_used = weir_scheme_has(&c->setups[k].scheme, weir_policies[i]);
    if (is_used) continue;
    weir_fail(err, WEIR_EINVAL, "policy %s of %s is in none of the schemes", name, file);
    weir_err_add(err, "add it to --schemes: %s is the baseline with it", name);
    return WEIR_EINVAL;
  }
  return WEIR_OK;
}

static enum weir_status make_setups(struct compare *c, struct weir_err *err) {
  enum weir_status st = expand(c, &c->gpus, weir_data_gpus, NULL, err);
  if (st == WEIR_OK) st = expand(c, &c->schemes, weir_data_schemes, can_have_tags, err);
  if (st != WEIR_OK) return st;
  size_t n = c->gpus.n * c->schemes.n;
  c->settings = weir_arena_array(&c->arena, n, sizeof *c->settings);
  c->setups = weir_arena_array(&c->arena, n, sizeof *c->setups);
  c->study_setups = weir_arena_array(&c->arena, n, sizeof *c->study_setups);
  if (c->settings == NULL || c->setups == NULL || c->study_setups == NULL) return no_memory(err);
  for (c->n_setups = 0; st == WEIR_OK && c->n_setups < n; c->n_setups++)
    st = make_setup(c, c->n_setups, err);
  c->study.gpus = c->gpus.v;
  c->study.n_gpus = c->gpus.n;
  const char **labels = weir_arena_array(&c->arena, c->schemes.n, sizeof *labels);
  if (st == WEIR_OK && (labels == NULL || !label(c, c->schemes.v, c->schemes.n, labels)))
    st = no_memory(err);
  c->study.schemes = labels;
  c->study.n_schemes = c->schemes.n;
  c->study.setups = c->study_setups;
  if (st == WEIR_OK) st = check_plugins_used(c, err);
  return st == WEIR_OK ? check_any_fits(c, err) : st;
}

/* A setting without an effect in any of the runs is a mistake. */
static enum weir_status check_effects(struct compare *c, struct weir_err *err) {
  struct weir_use *uses = weir_arena_array(&c->arena, c->n_setups, sizeof *uses);
  const struct weir_settings **settings =
      weir_arena_array(&c->arena, c->n_setups, sizeof *settings);
  bool is_executed = c->argv != NULL;
  if (uses == NULL || settings == NULL) return no_memory(err);
  for (size_t i = 0; i < c->study.n_workloads; i++)
    is_executed |= !c->study.workloads[i].is_trace;
  for (size_t i = 0; i < c->n_setups; i++) {
    settings[i] = &c->settings[i];
    uses[i] = (struct weir_use){.setup = &c->setups[i],
                                .is_executed = is_executed,
                                .is_program = c->argv != NULL,
                                .has_streams = is_executed,
                                .is_classified = weir_setup_is_prepared(&c->setups[i]),
                                .has_energy = true};
  }
  return weir_uses_check(settings, uses, c->n_setups, err);
}

static enum weir_status find_baseline(struct compare *c, struct weir_err *err) {
  if (c->baseline_name == NULL) return WEIR_OK;
  for (size_t i = 0; i < c->schemes.n; i++)
    if (strcmp(c->schemes.v[i], c->baseline_name) == 0) {
      c->baseline = i;
      return WEIR_OK;
    }
  weir_fail(err, WEIR_EINVAL, "--baseline %s: it is not one of the schemes that are compared",
            c->baseline_name);
  const char *near = weir_nearest(c->baseline_name, c->schemes.v, c->schemes.n);
  if (near != NULL)
    weir_err_add(err, "did you mean '%s'?", near);
  else
    weir_err_add(err, "add it to --schemes");
  return WEIR_EINVAL;
}

/* ---- preparing ---- */

static enum weir_status keep_text(struct compare *c, const char *text, const char **out,
                                  struct weir_err *err) {
  *out = weir_arena_strndup(&c->arena, text, strlen(text));
  return *out != NULL ? WEIR_OK : no_memory(err);
}

static enum weir_status prepare_one(struct compare *c, size_t workload, size_t setup,
                                    struct weir_err *err) {
  const struct weir_study_workload *w = &c->study.workloads[workload];
  size_t i = workload * c->n_setups + setup;
  struct weir_preparation *p = &c->preparations[i];
  struct weir_study_prep *prep = &c->preps[i];
  struct weir_cli_preparing r = {.workload = w->name,
                                 .path = w->path,
                                 .input = w->input,
                                 .setup = &c->setups[setup],
                                 .settings = &c->settings[setup],
                                 .before = c->preparations,
                                 .n_before = i,
                                 .jobs = c->jobs,
                                 .check = c->check};
  struct weir_err why;
  prep->input = "";
  if (is_program(c, w)) {
    r.path = NULL;
    r.trace = c->program.trace;
    r.programs = c->program.programs;
    r.n_programs = c->program.n_programs;
  } else if (w->is_trace)
    return keep_text(c,
                     "loads are classified by their PTX, and a trace has none; give tags with "
                     "--tags FILE",
                     &prep->error, err);
  enum weir_status st = weir_cli_prepare(&r, p, &why);
  if (weir_cli_signal() != 0) return WEIR_OK;
  if (st != WEIR_OK) return keep_text(c, why.msg, &prep->error, err);
  prep->tags = p->tags;
  prep->is_same_input = p->is_same_input;
  return keep_text(c, p->input, &prep->input, err);
}

static bool is_anything_prepared(const struct compare *c) {
  for (size_t i = 0; i < c->n_setups; i++)
    if (c->study_setups[i].error == NULL && weir_setup_is_prepared(&c->setups[i])) return true;
  return false;
}

/* Once for each workload and machine, before anything is timed. */
static enum weir_status prepare_all(struct compare *c, struct weir_err *err) {
  enum weir_status st = WEIR_OK;
  if (!is_anything_prepared(c)) return WEIR_OK;
  size_t n = c->study.n_workloads * c->n_setups;
  c->preparations = weir_arena_array(&c->arena, n, sizeof *c->preparations);
  c->preps = weir_arena_array(&c->arena, n, sizeof *c->preps);
  if (c->preparations == NULL || c->preps == NULL) return no_memory(err);
  c->n_preparations = n;
  c->study.preps = c->preps;
  for (size_t i = 0; st == WEIR_OK && i < n && weir_cli_signal() == 0; i++) {
    size_t setup = i % c->n_setups;
    if (c->study.workloads[i / c->n_setups].fault != NULL) continue;
    if (c->study_setups[setup].error == NULL && weir_setup_is_prepared(&c->setups[setup]))
      st = prepare_one(c, i / c->n_setups, setup, err);
  }
  return st;
}

/* ---- provenance ---- */

static const char *join(struct compare *c, const struct list *names) {
  const char *all = names->v[0];
  for (size_t i = 1; all != NULL && i < names->n; i++)
    all = weir_arena_printf(&c->arena, "%s,%s", all, names->v[i]);
  return all;
}

/* What 'all' and defaults stand for is written out. */
static enum weir_status tell_names(struct compare *c, struct weir_err *err) {
  const char *schemes = join(c, &c->schemes), *gpus = join(c, &c->gpus);
  if (schemes == NULL || gpus == NULL) return no_memory(err);
  weir_prov_words(&c->prov, c->workloads.v, c->workloads.n);
  weir_prov_option(&c->prov, "schemes", schemes);
  weir_prov_option(&c->prov, "gpus", gpus);
  weir_prov_option(&c->prov, "baseline", c->schemes.v[c->baseline]);
  return WEIR_OK;
}

static enum weir_status tell_provenance(struct compare *c, struct weir_err *err) {
  struct weir_prov *p = &c->prov;
  enum weir_status st = weir_prov_open(p, c->csv != NULL || c->json != NULL, err);
  if (st != WEIR_OK || p->block.root == NULL) return st;
  st = tell_names(c, err);
  for (size_t i = 0; st == WEIR_OK && i < c->n_setups; i++)
    st = weir_prov_setup(p, c->gpus.v[i / c->schemes.n], c->schemes.v[i % c->schemes.n], c->tags,
                         &c->settings[i], err);
  for (size_t i = 0; st == WEIR_OK && i < c->study.n_workloads; i++) {
    const struct weir_study_workload *w = &c->study.workloads[i];
    if (is_program(c, w))
      st = weir_prov_program(p, c->argv[0], c->program.program.path, err);
    else if (w->is_trace)
      st = weir_prov_trace(p, w->path, err);
    else
      st = weir_prov_workload(p, w->name, w->path, w->input, err);
  }
  return st == WEIR_OK ? weir_prov_close(p, err) : st;
}

/* ---- running ---- */

/* Before all others, which do not wait for it: it has the terminal for itself. */
static enum weir_status record_program(struct compare *c, struct weir_err *err) {
  const struct weir_program_result *r = &c->program.result;
  uint64_t n_failed;
  enum weir_status st = weir_classify_program_run(
      &c->program, is_anything_prepared(c) ? &c->exec : NULL, c->quiet, err);
  if (st == WEIR_OK && r->exit_code != 0 && r->signal == 0)
    fprintf(stderr, "weir: %s ended with exit code %d; what it launched is compared\n",
            c->program.program.name, r->exit_code);
  n_failed = c->program.recording.n_failed;
  if (st != WEIR_OK || n_failed == 0) return st;
  /* Times of half a kernel, or of what is left without it, are no result. */
  const char *why =
      weir_arena_printf(&c->arena, "%" PRIu64 " of its %" PRIu64 " launches did not end properly",
                        n_failed, r->n_launches);
  c->study.workloads[c->study.n_workloads - 1].fault = why;
  return why != NULL ? WEIR_OK : no_memory(err);
}

static enum weir_status run_study(struct compare *c, struct weir_err *err) {
  struct weir_study_hooks hooks = {.event = weir_compare_progress_event,
                                   .is_stopped = weir_cli_is_stopped,
                                   .self = &c->progress};
  c->study.jobs = c->jobs;
  c->study.check = c->check;
  c->study.exec = &c->exec;
  weir_cli_signals_hold();
  enum weir_status st = prepare_all(c, err);
  if (st == WEIR_OK) st = weir_compare_progress_begin(&c->progress, &c->study, err);
  if (st == WEIR_OK) st = weir_study_run(&c->study, &hooks, err);
  weir_cli_signals_release();
  weir_compare_progress_end(&c->progress);
  return st;
}

/* ---- reports ---- */

static enum weir_status write_csv(const struct compare *c, struct weir_err *err) {
  struct weir_text out = {0};
  weir_provenance_lines(weir_prov_shown(&c->prov), &out);
  enum weir_status st = weir_compare_csv(&c->study, c->baseline, &out, err);
  if (st == WEIR_OK) st = weir_cli_put(c->csv, out.v, out.n, err);
  weir_text_free(&out);
  return st;
}

static enum weir_status write_json(const struct compare *c, struct weir_err *err) {
  json_t *root =
      weir_provenance_first(weir_prov_shown(&c->prov), weir_compare_json(&c->study, c->baseline));
  char *text = root != NULL ? json_dumps(root, JSON_INDENT(1)) : NULL;
  struct weir_text out = {0};
  json_decref(root);
  if (text != NULL) weir_text_printf(&out, "%s\n", text);
  enum weir_status st =
      text != NULL && !out.failed ? weir_cli_put(c->json, out.v, out.n, err) : no_memory(err);
  free(text);
  weir_text_free(&out);
  return st;
}

static void count_runs(const struct weir_study *s, size_t *ended, size_t *failed) {
  *ended = *failed = 0;
  for (size_t i = 0; i < weir_study_n_runs(s); i++) {
    *ended += s->runs[i].state == WEIR_RUN_DONE;
    *failed += s->runs[i].state == WEIR_RUN_FAILED;
  }
}

static enum weir_status write_text(const struct compare *c, struct weir_err *err) {
  struct weir_text out = {0};
  size_t ended, failed;
  enum weir_status st = weir_compare_text(&c->study, c->baseline, &out, err);
  count_runs(&c->study, &ended, &failed);
  if (st == WEIR_OK && weir_cli_signal() != 0)
    weir_text_printf(&out, "interrupted: %zu of %zu runs ended\n", ended + failed,
                     weir_study_n_runs(&c->study));
  if (st != WEIR_OK) {
    weir_text_free(&out);
    return st;
  }
  return weir_cli_print(&out) == 0 ? WEIR_OK : weir_fail(err, WEIR_EIO, "cannot write to stdout");
}

/* What the tables would say of failures, without them. */
static void say_failures(const struct compare *c) {
  const struct weir_study *s = &c->study;
  size_t ended, failed;
  for (size_t i = 0; i < weir_study_n_runs(s); i++) {
    size_t w = i / c->n_setups, g = i % c->n_setups / s->n_schemes, k = i % s->n_schemes;
    const char *reason = weir_compare_reason(s, w, g, k);
    if (weir_study_at(s, w, g, k)->state == WEIR_RUN_FAILED)
      fprintf(stderr, "weir: %s with %s on %s: %s\n", s->workloads[w].name, s->schemes[k],
              s->gpus[g], reason != NULL ? reason : "failed");
  }
  count_runs(s, &ended, &failed);
  if (weir_cli_signal() != 0)
    fprintf(stderr, "weir: interrupted: %zu of %zu runs ended\n", ended + failed,
            weir_study_n_runs(s));
}

/* Interrupted before anything ended, there is nothing that could take the place of an older file.
 */
static enum weir_status write_files(const struct compare *c, struct weir_err *err) {
  size_t ended, failed;
  count_runs(&c->study, &ended, &failed);
  if (weir_cli_signal() != 0 && ended == 0) return WEIR_OK;
  enum weir_status st = c->csv != NULL ? write_csv(c, err) : WEIR_OK;
  if (st == WEIR_OK && c->json != NULL) st = write_json(c, err);
  return st == WEIR_OK ? weir_cli_commit(err) : st;
}

static enum weir_status report(const struct compare *c, struct weir_err *err) {
  enum weir_status st = write_files(c, err);
  bool has_tables = !c->quiet && !weir_cli_is_stdout(c->csv) && !weir_cli_is_stdout(c->json);
  if (st == WEIR_OK && has_tables) return write_text(c, err);
  say_failures(c);
  return st;
}

/* ---- the command ---- */

static enum weir_status set_option(struct compare *c, int id, const char *value,
                                   struct weir_err *err) {
  switch (id) {
  case WEIR_OPT_WORD:
    return add_name(&c->workloads, "workload", value, err);
  case OPT_WORKLOADS:
    return add_names(c, &c->workloads, "workload", value, err);
  case OPT_SCHEMES:
    return add_names(c, &c->schemes, "scheme", value, err);
  case OPT_GPUS:
    return add_names(c, &c->gpus, "machine", value, err);
  case OPT_NO_CONTRACT:
    value = WEIR_NO_CONTRACT; /* fall through */
  case OPT_SET:
    return WEIR_PUSH(c->sets, value) ? WEIR_OK : no_memory(err);
  case OPT_CONFIG:
    return WEIR_PUSH(c->configs, value) ? WEIR_OK : no_memory(err);
  case OPT_INPUT:
    c->input = value;
    break;
  case OPT_TAGS:
    c->tags = value;
    break;
  case OPT_BASELINE:
    c->baseline_name = value;
    break;
  case OPT_CSV:
    c->csv = value;
    break;
  case OPT_JSON:
    c->json = value;
    break;
  case OPT_CHECK:
    c->check = true;
    break;
  case OPT_QUIET:
    c->quiet = true;
    break;
  case OPT_PLUGIN: /* loaded already */
    break;
  case OPT_JOBS:
    return weir_cli_jobs(value, &c->jobs, err);
  default:
    return weir_program_option(&c->choice, id, value, err);
  }
  return WEIR_OK;
}

static bool add_plugins(struct compare *c) {
  for (size_t i = 0; weir_policies[i] != NULL; i++)
    if (weir_policy_file(weir_policies[i]) != NULL &&
        !WEIR_PUSH(c->schemes, weir_policies[i]->part.name))
      return false;
  return true;
}

/* Of all schemes the baseline comes first, whatever the others are called. */
static bool add_defaults(struct compare *c) {
  if (c->gpus.n == 0 && !WEIR_PUSH(c->gpus, "fermi-s3")) return false;
  if (c->schemes.n > 0 && strcmp(c->schemes.v[0], "all") != 0) return true;
  if (c->schemes.n == 0 && !(WEIR_PUSH(c->schemes, "all") && add_plugins(c))) return false;
  if (!WEIR_PUSH(c->schemes, c->schemes.v[0])) return false;
  c->schemes.v[0] = "baseline";
  return true;
}

/* Returns -1 to go on, else the exit code. */
static int parse_options(int argc, char **argv, struct compare *c) {
  struct weir_args args = {.argc = argc, .argv = argv, .at = 1};
  struct weir_err err;
  for (int id; (id = weir_opt_next(&args, &usage)) != WEIR_OPT_END;) {
    if (id == WEIR_OPT_DONE) return args.exit_code;
    if (weir_is_prov_option(id)) continue; /* looked at already */
    if (set_option(c, id, args.value, &err) != WEIR_OK) return weir_cli_error(&err);
  }
  c->argv = args.program;
  if (c->argv != NULL && c->argv[0] == NULL)
    return weir_cli_usage("compare", "which program? It comes after --");
  if (c->workloads.n == 0 && c->argv == NULL)
    return weir_cli_usage("compare", "which workloads? See 'weir list workloads', or say 'all'");
  if (c->argv == NULL && weir_program_is_chosen(&c->choice))
    return weir_cli_usage(
        "compare", "--kernels, --skip, --count and --memcheck go with a program: -- PROGRAM");
  if (weir_cli_is_stdout(c->csv) && weir_cli_is_stdout(c->json))
    return weir_cli_usage("compare", "--csv or --json can go to stdout, not both");
  if (!add_defaults(c)) {
    weir_fail(&err, WEIR_ENOMEM, "out of memory");
    return weir_cli_error(&err);
  }
  return -1;
}

static enum weir_status compare(struct compare *c, struct weir_err *err) {
  enum weir_status st = user_settings(c, &c->exec_settings, err);
  if (st == WEIR_OK) st = weir_settings_fill(&c->exec_settings, &ptx_exec_params, &c->exec, err);
  if (st == WEIR_OK) st = find_workloads(c, err);
  if (st == WEIR_OK) st = make_setups(c, err);
  if (st == WEIR_OK) st = find_baseline(c, err);
  if (st == WEIR_OK) st = check_effects(c, err);
  if (st == WEIR_OK) st = weir_cli_output("--csv", c->csv, err);
  if (st == WEIR_OK) st = weir_cli_output("--json", c->json, err);
  if (st == WEIR_OK && c->argv != NULL)
    st = weir_classify_program_open(&c->program, c->argv, &c->settings[0], c->gpus.v[0], &c->choice,
                                    err);
  if (st == WEIR_OK) st = tell_provenance(c, err);
  if (st == WEIR_OK && c->argv != NULL) st = record_program(c, err);
  if (st == WEIR_OK) st = run_study(c, err);
  return st == WEIR_OK ? report(c, err) : st;
}

static void free_all(struct compare *c) {
  weir_study_free(&c->study);
  weir_classify_program_free(&c->program);
  for (size_t i = 0; i < c->n_preparations; i++)
    weir_preparation_free(&c->preparations[i]);
  for (size_t i = 0; i < c->n_setups; i++) {
    weir_setup_free(&c->setups[i]);
    weir_settings_free(&c->settings[i]);
  }
  weir_settings_free(&c->exec_settings);
  free(c->workloads.v);
  free(c->schemes.v);
  free(c->gpus.v);
  free(c->sets.v);
  free(c->configs.v);
  weir_prov_free(&c->prov);
  weir_arena_free(&c->arena);
}

int weir_cmd_compare(int argc, char **argv) {
  struct compare c = {.jobs = weir_cli_cores(), .choice = WEIR_PROGRAM_ALL};
  struct weir_err err;
  int code = weir_prov_begin(&c.prov, &usage, &argc, &argv);
  if (code < 0) code = weir_cli_plugins(argc, argv, &usage, OPT_PLUGIN);
  if (code < 0) code = parse_options(argc, argv, &c);
  if (code < 0) {
    size_t ended, failed;
    code = WEIR_EXIT_OK;
    if (compare(&c, &err) != WEIR_OK) {
      code = weir_cli_error(&err);
      if (weir_cli_signal() != 0) code = 128 + weir_cli_signal();
      if (c.program.result.signal != 0) code = c.program.result.exit_code;
    } else if (weir_cli_signal() != 0) {
      code = 128 + weir_cli_signal();
    } else {
      count_runs(&c.study, &ended, &failed);
      if (failed > 0 || c.program.result.is_failed) code = WEIR_EXIT_FAILED;
      if (c.program.result.exit_code != 0) code = c.program.result.exit_code;
    }
  }
  free_all(&c);
  return code;
}
