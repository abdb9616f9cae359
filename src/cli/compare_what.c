/* What weir compare compares: workloads, machines and schemes by name, and the setups of these. */
#include <stdlib.h>
#include <string.h>

#include "base/suggest.h"
#include "cli/cmd.h"
#include "cli/compare.h"
#include "launch/launchfile.h"
#include "session/effects.h"
#include "study/worker.h"
#include "trace/accelsim.h"

static enum weir_status no_memory(struct weir_err *err) {
  return weir_fail(err, WEIR_ENOMEM, "out of memory");
}

static bool ends_with(const char *s, const char *suffix) {
  size_t n = strlen(s), m = strlen(suffix);
  return n > m && strcmp(s + n - m, suffix) == 0;
}

/* ---- names ---- */

static bool is_in(const struct weir_names *list, const char *name) {
  for (size_t i = 0; i < list->n; i++)
    if (strcmp(list->v[i], name) == 0) return true;
  return false;
}

enum weir_status weir_comparison_name(struct weir_names *list, const char *what, const char *name,
                                      struct weir_err *err) {
  if (is_in(list, name))
    return weir_fail(err, WEIR_EINVAL, "the %s '%s' is named twice", what, name);
  return WEIR_PUSH(*list, name) ? WEIR_OK : no_memory(err);
}

/* "a,b,c" */
enum weir_status weir_comparison_names(struct weir_comparison *c, struct weir_names *list,
                                       const char *what, const char *text, struct weir_err *err) {
  enum weir_status st = WEIR_OK;
  for (const char *p = text; st == WEIR_OK && p != NULL;) {
    size_t n = strcspn(p, ",");
    const char *name = weir_arena_strndup(&c->arena, p, n);
    if (n == 0)
      st = weir_fail(err, WEIR_EINVAL, "'%s': a name is missing; want NAME,NAME,...", text);
    else
      st = name != NULL ? weir_comparison_name(list, what, name, err) : no_memory(err);
    p = p[n] == ',' ? p + n + 1 : NULL;
  }
  return st;
}

typedef enum weir_status lister(struct weir_arena *a, const char *const **names, size_t *n,
                                struct weir_err *err);

/* 'all', alone or among others, stands for every name that there is, and so does another word of
 * `also` (may be NULL), if they are meant by it; none comes twice by it. */
static enum weir_status
expand(struct weir_comparison *c, struct weir_names *list, lister *all, const char *also,
       bool (*is_meant)(const struct weir_comparison *, const char *name, bool by_all),
       struct weir_err *err) {
  struct weir_names out = {0};
  enum weir_status st = WEIR_OK;
  for (size_t i = 0; st == WEIR_OK && i < list->n; i++) {
    bool by_all = strcmp(list->v[i], "all") == 0;
    bool is_all = by_all || (also != NULL && strcmp(list->v[i], also) == 0);
    const char *const *names = &list->v[i];
    size_t n = 1;
    if (is_all) st = all(&c->arena, &names, &n, err);
    for (size_t k = 0; st == WEIR_OK && k < n; k++)
      if (!is_in(&out, names[k]) &&
          (!is_all || is_meant == NULL || is_meant(c, names[k], by_all)) &&
          !WEIR_PUSH(out, names[k]))
        st = no_memory(err);
  }
  free(list->v);
  *list = out;
  return st;
}

/* ---- workloads ---- */

/* What is wrong with a file is said before anything runs. */
static enum weir_status check_trace(const char *path, struct weir_err *err) {
  struct weir_wtrace *t;
  enum weir_status st = weir_wtrace_open(path, &t, err);
  if (st == WEIR_OK) weir_wtrace_close(t);
  return st;
}

static enum weir_status check_launchfile(struct weir_comparison *c, struct weir_study_workload *w,
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

static enum weir_status find_workload(struct weir_comparison *c, const char *name,
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

/* Programs go by their names without folder, as long as these are different. */
static const char *name_program(struct weir_comparison *c, size_t at) {
  char **argv = c->programs.v[at].argv;
  const char *slash = strrchr(argv[0], '/'), *name = slash != NULL ? slash + 1 : argv[0];
  bool is_taken = false;
  for (size_t i = 0; i < c->programs.n; i++) {
    const char *other = c->programs.v[i].argv[0];
    slash = strrchr(other, '/');
    is_taken |= i != at && strcmp(name, slash != NULL ? slash + 1 : other) == 0;
  }
  for (size_t i = 1; is_taken && name != NULL && argv[i] != NULL; i++)
    name = weir_arena_printf(&c->arena, "%s %s", name, argv[i]);
  return name;
}

/* Their launches will be traces. */
static enum weir_status add_programs(struct weir_comparison *c, struct weir_err *err) {
  for (size_t i = 0; i < c->programs.n; i++) {
    struct weir_study_workload *w = &c->study.workloads[c->study.n_workloads++];
    *w = (struct weir_study_workload){
        .name = name_program(c, i), .path = c->programs.v[i].it.trace, .is_trace = true};
    if (w->name == NULL) return no_memory(err);
  }
  return WEIR_OK;
}

struct weir_compared_program *weir_comparison_program(const struct weir_comparison *c,
                                                      const struct weir_study_workload *w) {
  for (size_t i = 0; i < c->programs.n; i++)
    if (w->path == c->programs.v[i].it.trace) return &c->programs.v[i];
  return NULL;
}

/* 'all' and the names of sets give way to their workloads; none comes twice by them. Kernels that
 * test correctness are too small to time. */
static enum weir_status expand_sets(struct weir_comparison *c, struct weir_err *err) {
  struct weir_names words = c->workloads, *out = &c->workloads;
  enum weir_status st = WEIR_OK;
  *out = (struct weir_names){0};
  for (size_t i = 0; st == WEIR_OK && i < words.n; i++) {
    const char *const *names;
    size_t n;
    st = weir_data_set(&c->arena, words.v[i], c->input, &names, &n, err);
    bool is_set = names != NULL;
    for (size_t k = 0; st == WEIR_OK && k < (is_set ? n : 1); k++) {
      const char *name = is_set ? names[k] : words.v[i];
      bool is_left_out = is_in(out, name) || (is_set && strchr(name, '/') != NULL);
      if (!is_left_out && !WEIR_PUSH(*out, name)) st = no_memory(err);
    }
  }
  free(words.v);
  return st;
}

enum weir_status weir_comparison_workloads(struct weir_comparison *c, struct weir_err *err) {
  enum weir_status st = expand_sets(c, err);
  if (st != WEIR_OK) return st;
  struct weir_study_workload *v =
      weir_arena_array(&c->arena, c->workloads.n + c->programs.n + 1, sizeof *v);
  if (v == NULL) return no_memory(err);
  bool any = c->input == NULL;
  for (size_t i = 0; st == WEIR_OK && i < c->workloads.n; i++) {
    st = find_workload(c, c->workloads.v[i], &v[i], err);
    any |= !v[i].is_trace;
  }
  if (st == WEIR_OK && !any)
    st = weir_fail(err, WEIR_EINVAL, "--input goes with workloads; a trace has one input");
  c->study.workloads = v;
  c->study.n_workloads = c->workloads.n;
  return st == WEIR_OK ? add_programs(c, err) : st;
}

/* ---- machines and schemes ---- */

/* Files go by their names without folder and ending, as long as these are different. */
static bool label(struct weir_comparison *c, const char *const *names, size_t n,
                  const char **labels) {
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

enum weir_status weir_comparison_settings(const struct weir_comparison *c, struct weir_settings *s,
                                          struct weir_err *err) {
  enum weir_status st = weir_settings_init(s, weir_param_groups(), err);
  for (size_t i = 0; st == WEIR_OK && i < c->configs.n; i++)
    st = weir_settings_file(s, c->configs.v[i], err);
  for (size_t i = 0; st == WEIR_OK && i < c->sets.n; i++)
    st = weir_settings_assign(s, c->sets.v[i], err);
  return st;
}

/* ---- does a scheme stand on a machine? ---- */

struct fit {
  struct weir_setup *setup;
  struct weir_settings *settings;
  const char *gpu;
};
struct fit_answer {
  enum weir_status status;
  struct weir_err err;
};

static enum weir_status fit_here(const struct fit *f, struct weir_err *err) {
  enum weir_status st = weir_setup_fit(f->setup, f->gpu, f->settings, weir_param_groups(), err);
  return st == WEIR_OK ? weir_setup_has_tags(f->setup, err) : st;
}

static void try_fit(const void *self, void *answer) {
  struct fit_answer *a = answer;
  a->status = fit_here(self, &a->err);
}

static bool has_plugin(const struct weir_scheme *s) {
  for (size_t i = 0; weir_policies[i] != NULL; i++)
    if (weir_policy_file(weir_policies[i]) != NULL && weir_scheme_has(s, weir_policies[i]))
      return true;
  return false;
}

/* Plug-ins are asked in a process of its own first: one that crashes costs its scheme, not the
 * comparison. */
static enum weir_status fit_setup(const struct fit *f, struct weir_err *err) {
  struct fit_answer a = {0};
  struct weir_worker w;
  if (!has_plugin(&f->setup->scheme)) return fit_here(f, err);
  enum weir_status st = weir_worker_start(&w, try_fit, f, sizeof a, err);
  if (st == WEIR_OK) st = weir_worker_end(&w, &a, sizeof a, err);
  if (st == WEIR_OK && a.status != WEIR_OK) {
    *err = a.err;
    return a.status;
  }
  return st == WEIR_OK ? fit_here(f, err) : st;
}

/* 'all' leaves out what can only fail, 'designs' what others compared theirs with, too. Whatever
 * else is wrong with a scheme is said later. */
static bool is_scheme_meant(const struct weir_comparison *c, const char *name, bool by_all) {
  struct weir_arena a = {0};
  struct weir_settings settings = {0};
  struct weir_setup setup = {0};
  const char *path, *gpu = c->gpus.v[0];
  bool is_traced = true; /* only traces, which cannot be classified */
  for (size_t i = 0; i < c->study.n_workloads; i++)
    is_traced &= c->study.workloads[i].is_trace &&
                 weir_comparison_program(c, &c->study.workloads[i]) == NULL;
  bool is = weir_data_scheme(&a, name, &path, NULL) != WEIR_OK ||
            weir_comparison_settings(c, &settings, NULL) != WEIR_OK ||
            weir_data_machine(&settings, gpu, NULL) != WEIR_OK ||
            weir_setup_load(&setup, name, path, &settings, NULL) != WEIR_OK ||
            has_plugin(&setup.scheme) ||
            weir_setup_fit(&setup, gpu, &settings, weir_param_groups(), NULL) != WEIR_OK ||
            c->tags != NULL || c->bypasses.n > 0 ||
            (weir_setup_has_tags(&setup, NULL) == WEIR_OK &&
             !(is_traced && weir_setup_is_classified(&setup)));
  is &= by_all || setup.scheme.role != WEIR_ROLE_COMPARATOR;
  is &= !c->is_sweep || c->may_search || setup.scheme.best == NULL; /* a sweep has no searches */
  weir_setup_free(&setup);
  weir_settings_free(&settings);
  weir_arena_free(&a);
  return is;
}

/* Repeats differ by delays, of a size that is a guess unless it was set: some cycles of hundreds.
 */
static enum weir_status set_jitter(const struct weir_comparison *c, struct weir_settings *s,
                                   struct weir_err *err) {
  static const char *const keys[] = {"jitter.dispatch", "jitter.memory"};
  bool any = c->study.repeats <= 1;
  for (size_t i = 0; c->study.repeats > 1 && i < 2; i++) {
    const struct weir_setting *v = weir_settings_find(s, keys[i]);
    enum weir_status st = WEIR_OK;
    if (v->layer == WEIR_LAYER_DEFAULT)
      st = weir_settings_derive(s, keys[i], "16", "--repeat", err);
    if (st != WEIR_OK) return st;
    any |= strcmp(v->text, "0") != 0;
  }
  if (any) return WEIR_OK;
  weir_fail(err, WEIR_EINVAL,
            "--repeat %u: all repeats would be the same: jitter.dispatch and jitter.memory are 0",
            c->study.repeats);
  weir_err_add(err, "remedy: do not set one of them, or set it to some cycles");
  return WEIR_EINVAL;
}

/* Does the column show what a search finds? */
static bool is_searched(const struct weir_comparison *c, size_t setup) {
  for (size_t i = 0; i < c->searches.n; i++)
    if (c->searches.v[i].column == setup % c->schemes.n) return true;
  return false;
}

/* Wrong names and files end the command; a scheme that cannot stand on a machine is a result. */
static enum weir_status make_setup(struct weir_comparison *c, size_t i, struct weir_err *err) {
  const struct weir_variant *variant = &c->variants[i / c->schemes.n];
  const char *gpu = variant->gpu, *scheme = c->schemes.v[i % c->schemes.n];
  struct weir_err unfit;
  bool is_meant;
  enum weir_status st = weir_comparison_settings(c, &c->settings[i], err);
  if (st == WEIR_OK) st = weir_variant_assign(c, variant, &c->settings[i], err);
  const char *trial = c->trials[i % c->schemes.n];
  if (st == WEIR_OK && trial != NULL) st = weir_settings_assign(&c->settings[i], trial, err);
  if (st == WEIR_OK) st = weir_data_machine(&c->settings[i], gpu, err);
  if (st == WEIR_OK) st = weir_setup_named(&c->setups[i], scheme, &c->settings[i], err);
  if (st == WEIR_OK && c->tags != NULL) st = weir_setup_tags(&c->setups[i], c->tags, err);
  for (size_t k = 0; st == WEIR_OK && k < c->bypasses.n; k++)
    st = weir_setup_bypass(&c->setups[i], c->bypasses.v[k], err);
  if (st == WEIR_OK) st = set_jitter(c, &c->settings[i], err);
  if (st != WEIR_OK) return st;
  c->study_setups[i] =
      (struct weir_study_setup){.setup = &c->setups[i], .settings = &c->settings[i]};
  st = fit_setup(&(struct fit){&c->setups[i], &c->settings[i], gpu}, &unfit);
  if (weir_comparison_holds(c, i, &is_meant, err) != WEIR_OK) return err->code;
  /* A value that cannot be is no trial; what shows the best of them does not run. */
  c->study_setups[i].is_left = !is_meant || (trial != NULL && st != WEIR_OK) || is_searched(c, i);
  if (st == WEIR_OK && c->check) weir_setup_watch_plugins(&c->setups[i]);
  if (st == WEIR_OK) return WEIR_OK;
  c->study_setups[i].error = weir_arena_strndup(&c->arena, unfit.msg, strlen(unfit.msg));
  return c->study_setups[i].error != NULL ? WEIR_OK : no_memory(err);
}

/* If nothing can run, what is wrong is most likely on the command line. */
static enum weir_status check_any_fits(const struct weir_comparison *c, struct weir_err *err) {
  for (size_t i = 0; i < c->n_setups; i++)
    if (c->study_setups[i].error == NULL) return WEIR_OK;
  return weir_fail(err, WEIR_EINVAL, "%s", c->study_setups[0].error);
}

static enum weir_status check_bypasses(const struct weir_comparison *c, struct weir_err *err) {
  if (c->bypasses.n == 0) return WEIR_OK;
  for (size_t i = 0; i < c->n_setups; i++)
    if (weir_setup_needs_tags(&c->setups[i])) return WEIR_OK;
  return weir_setup_bypasses(&c->setups[0], err);
}

static enum weir_status check_plugins_used(const struct weir_comparison *c, struct weir_err *err) {
  for (size_t i = 0; weir_policies[i] != NULL; i++) {
    const char *file = weir_policy_file(weir_policies[i]), *name = weir_policies[i]->part.name;
    bool is_used = file == NULL;
    for (size_t k = 0; !is_used && k < c->n_setups; k++)
      is_used = weir_scheme_uses(&c->setups[k].scheme, weir_policies[i]);
    if (is_used) continue;
    if (weir_only_prepares(weir_policies[i]))
      return weir_fail(err, WEIR_EINVAL,
                       "policy %s of %s only prepares, and no policy of the schemes reads its rows",
                       name, file);
    weir_fail(err, WEIR_EINVAL, "policy %s of %s is in none of the schemes", name, file);
    weir_err_add(err, "add it to --schemes: %s is the baseline with it", name);
    return WEIR_EINVAL;
  }
  return WEIR_OK;
}

/* For people, with what is to be said of how certain a scheme is. */
static enum weir_status label_schemes(struct weir_comparison *c, const char *const *names,
                                      struct weir_err *err) {
  const char **labels = weir_arena_array(&c->arena, c->schemes.n, sizeof *labels);
  if (labels == NULL) return no_memory(err);
  for (size_t i = 0; i < c->schemes.n; i++) {
    labels[i] = weir_certainty_label(&c->arena, names[i], c->setups[i].scheme.certainty);
    if (labels[i] == NULL) return no_memory(err);
  }
  c->study.labels = labels;
  return WEIR_OK;
}

enum weir_status weir_comparison_setups(struct weir_comparison *c, struct weir_err *err) {
  enum weir_status st = expand(c, &c->gpus, weir_data_gpus, NULL, NULL, err);
  if (st == WEIR_OK)
    st = expand(c, &c->schemes, weir_data_schemes, "designs", is_scheme_meant, err);
  if (st != WEIR_OK) return st;
  st = weir_comparison_searches(c, err);
  if (st == WEIR_OK) st = weir_comparison_variants(c, err);
  if (st != WEIR_OK) return st;
  size_t n = c->n_variants * c->schemes.n;
  c->settings = weir_arena_array(&c->arena, n, sizeof *c->settings);
  c->setups = weir_arena_array(&c->arena, n, sizeof *c->setups);
  c->study_setups = weir_arena_array(&c->arena, n, sizeof *c->study_setups);
  if (c->settings == NULL || c->setups == NULL || c->study_setups == NULL) return no_memory(err);
  for (c->n_setups = 0; st == WEIR_OK && c->n_setups < n; c->n_setups++)
    st = make_setup(c, c->n_setups, err);
  const char **labels = weir_arena_array(&c->arena, c->schemes.n, sizeof *labels);
  if (st == WEIR_OK && (labels == NULL || !label(c, c->schemes.v, c->schemes.n, labels)))
    st = no_memory(err);
  if (st == WEIR_OK) st = label_schemes(c, labels, err);
  c->study.schemes = labels;
  c->study.n_schemes = c->schemes.n;
  c->study.setups = c->study_setups;
  c->study.n_shown = c->n_shown;
  c->study.searches = c->searches.v;
  c->study.n_searches = c->searches.n;
  if (st == WEIR_OK) st = check_plugins_used(c, err);
  if (st == WEIR_OK) st = check_bypasses(c, err);
  return st == WEIR_OK && !c->is_sweep ? check_any_fits(c, err) : st;
}

enum weir_status weir_comparison_effects(struct weir_comparison *c, struct weir_err *err) {
  struct weir_use *uses = weir_arena_array(&c->arena, c->n_setups, sizeof *uses);
  const struct weir_settings **settings =
      weir_arena_array(&c->arena, c->n_setups, sizeof *settings);
  bool is_executed = c->programs.n > 0;
  if (uses == NULL || settings == NULL) return no_memory(err);
  for (size_t i = 0; i < c->study.n_workloads; i++)
    is_executed |= !c->study.workloads[i].is_trace;
  size_t n = 0;
  for (size_t i = 0; i < c->n_setups; i++) {
    if (c->study_setups[i].is_left) continue;
    settings[n] = &c->settings[i];
    uses[n++] = (struct weir_use){.setup = &c->setups[i],
                                  .is_executed = is_executed,
                                  .is_program = c->programs.n > 0,
                                  .has_streams = is_executed,
                                  .tags_by = weir_setup_tags_by(&c->setups[i]),
                                  .has_results = true};
  }
  return weir_uses_check(settings, uses, n, err);
}

enum weir_status weir_comparison_baseline(struct weir_comparison *c, struct weir_err *err) {
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
