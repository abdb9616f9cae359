/* What commands that time a matrix of runs share: their options, preparing, running. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/number.h"
#include "cli/cmd.h"
#include "cli/compare.h"
#include "cli/job.h"
#include "cli/prepare.h"
#include "cli/sweep_slurm.h"

static enum weir_status no_memory(struct weir_err *err) {
  return weir_fail(err, WEIR_ENOMEM, "out of memory");
}

/* ---- options ---- */

static enum weir_status set_repeats(const char *text, uint32_t *out, struct weir_err *err) {
  int64_t n;
  if (!weir_parse_int(text, &n) || n < 1 || n > WEIR_MAX_REPEATS)
    return weir_fail(err, WEIR_EINVAL, "--repeat %s: want a number from 1 (once) to %d", text,
                     WEIR_MAX_REPEATS);
  *out = (uint32_t)n;
  return WEIR_OK;
}

static enum weir_status set_wait(const char *text, uint32_t *out, struct weir_err *err) {
  enum { MOST = 86400, MS = 1000 };
  int64_t n;
  if (!weir_parse_int(text, &n) || n < 0 || n > MOST)
    return weir_fail(err, WEIR_EINVAL, "--wait %s: want seconds, from 0 to %d", text, MOST);
  *out = (uint32_t)n * MS;
  return WEIR_OK;
}

static enum weir_status set_memory(const char *text, uint64_t *out, struct weir_err *err) {
  int64_t n;
  if (!weir_parse_int(text, &n) || n < 1 << 20)
    return weir_fail(err, WEIR_EINVAL, "--memory %s: want bytes, such as 8G; 1M at least", text);
  *out = (uint64_t)n;
  return WEIR_OK;
}

/* Four fifths of the memory of the machine. */
static uint64_t usual_memory(void) {
  long pages = sysconf(_SC_PHYS_PAGES), bytes = sysconf(_SC_PAGESIZE);
  return pages > 0 && bytes > 0 ? (uint64_t)pages * (uint64_t)bytes / 5 * 4 : 0;
}

static enum weir_status set_l2(struct weir_comparison *c, const char *name, struct weir_err *err) {
  enum weir_status st = weir_opt_l2(&c->l2, name, err);
  if (st != WEIR_OK) return st;
  const char *set = weir_arena_printf(&c->arena, WEIR_L2_KEY "=%s", name + strlen("--"));
  return set != NULL && WEIR_PUSH(c->sets, set) ? WEIR_OK : no_memory(err);
}

enum weir_status weir_comparison_option(struct weir_comparison *c, int id, const char *value,
                                        struct weir_err *err) {
  switch (id) {
  case WEIR_OPT_WORD:
    return weir_comparison_name(&c->workloads, "workload", value, err);
  case WEIR_CMP_WORKLOADS:
    return weir_comparison_names(c, &c->workloads, "workload", value, err);
  case WEIR_CMP_SCHEMES:
    return weir_comparison_names(c, &c->schemes, "scheme", value, err);
  case WEIR_CMP_GPUS:
    return weir_comparison_names(c, &c->gpus, "machine", value, err);
  case WEIR_CMP_NO_CONTRACT:
    return WEIR_PUSH(c->sets, WEIR_NO_CONTRACT) ? WEIR_OK : no_memory(err);
  case WEIR_CMP_COLD:
  case WEIR_CMP_WARM:
    return set_l2(c, id == WEIR_CMP_WARM ? "--warm" : "--cold", err);
  case WEIR_CMP_SET:
    if (c->is_sweep) return weir_comparison_axis(c, "--set ", value, err);
    return WEIR_PUSH(c->sets, value) ? WEIR_OK : no_memory(err);
  case WEIR_CMP_BEST:
    return WEIR_PUSH(c->bests, value) ? WEIR_OK : no_memory(err);
  case WEIR_CMP_SEARCH:
    if (strcmp(value, "all") != 0 && strcmp(value, "coarse") != 0)
      return weir_fail(err, WEIR_EINVAL, "--search %s: want coarse or all", value);
    c->searches_all = strcmp(value, "all") == 0;
    break;
  case WEIR_CMP_CONFIG:
    return WEIR_PUSH(c->configs, value) ? WEIR_OK : no_memory(err);
  case WEIR_CMP_INPUT:
    c->input = value;
    break;
  case WEIR_CMP_TAGS:
    c->tags = value;
    break;
  case WEIR_CMP_BYPASS:
    return WEIR_PUSH(c->bypasses, value) ? WEIR_OK : no_memory(err);
  case WEIR_CMP_STORE:
    c->store_path = value;
    break;
  case WEIR_CMP_RETRY:
    c->keeping.retry = true;
    break;
  case WEIR_CMP_WAIT:
    return set_wait(value, &c->store_options.wait_ms, err);
  case WEIR_CMP_MEMORY:
    return set_memory(value, &c->study.memory, err);
  case WEIR_CMP_CHECK:
    c->check = true;
    break;
  case WEIR_CMP_DECISIONS:
    c->study.decisions = true;
    break;
  case WEIR_CMP_QUIET:
    c->quiet = true;
    break;
  case WEIR_CMP_PLUGIN: /* loaded already */
    break;
  case WEIR_CMP_REPEAT:
    return set_repeats(value, &c->study.repeats, err);
  case WEIR_CMP_JOBS:
    return weir_cli_jobs(value, &c->jobs, err);
  default:
    return weir_program_option(&c->choice, id, value, err);
  }
  return WEIR_OK;
}

static bool add_plugins(struct weir_comparison *c) {
  for (size_t i = 0; weir_policies[i] != NULL; i++)
    if (weir_policy_file(weir_policies[i]) != NULL && !weir_only_prepares(weir_policies[i]) &&
        !WEIR_PUSH(c->schemes, weir_policies[i]->part.name))
      return false;
  return true;
}

/* Of all schemes the baseline comes first, whatever the others are called. */
bool weir_comparison_defaults(struct weir_comparison *c) {
  if (c->gpus.n == 0 && !WEIR_PUSH(c->gpus, "fermi-s3")) return false;
  bool is_listed = c->schemes.n > 0 && strcmp(c->schemes.v[0], "all") != 0 &&
                   strcmp(c->schemes.v[0], "designs") != 0;
  if (is_listed) return true;
  if (c->schemes.n == 0 && !(WEIR_PUSH(c->schemes, "designs") && add_plugins(c))) return false;
  if (!WEIR_PUSH(c->schemes, c->schemes.v[0])) return false;
  c->schemes.v[0] = "baseline";
  return true;
}

/* ---- preparing ---- */

static enum weir_status keep_text(struct weir_comparison *c, const char *text, const char **out,
                                  struct weir_err *err) {
  *out = weir_arena_strndup(&c->arena, text, strlen(text));
  return *out != NULL ? WEIR_OK : no_memory(err);
}

static struct weir_study_prep *prep_of(const struct weir_comparison *c, size_t workload,
                                       size_t setup) {
  return &c->preps[workload * c->n_setups + setup];
}

static struct weir_cli_preparing preparing(const struct weir_comparison *c, size_t workload,
                                           size_t setup, bool only_name) {
  const struct weir_study_workload *w = &c->study.workloads[workload];
  const struct weir_compared_program *program = weir_comparison_program(c, w);
  return (struct weir_cli_preparing){.workload = w->name,
                                     .path = w->is_trace ? NULL : w->path,
                                     .trace = w->is_trace ? w->path : NULL,
                                     .programs = program != NULL ? program->it.programs : NULL,
                                     .n_programs = program != NULL ? program->it.n_programs : 0,
                                     .input = w->input,
                                     .setup = &c->setups[setup],
                                     .settings = &c->settings[setup],
                                     .jobs = c->jobs,
                                     .check = c->check,
                                     .only_name = only_name};
}

static enum weir_status name_one(struct weir_comparison *c, size_t workload, size_t setup,
                                 struct weir_err *err) {
  struct weir_study_prep *prep = prep_of(c, workload, setup);
  const struct weir_cli_preparing r = preparing(c, workload, setup, true);
  struct weir_err why;
  prep->input = "";
  if (r.trace != NULL && r.programs == NULL && weir_setup_is_classified(r.setup))
    return keep_text(c,
                     "loads are classified by their PTX, and a trace has none; give tags with "
                     "--tags FILE",
                     &prep->error, err);
  uint32_t n = 0;
  enum weir_status st = weir_cli_prepare(&c->preparations, &r, prep->made, &n, &why);
  if (weir_cli_signal() != 0) return WEIR_OK;
  if (st != WEIR_OK) return keep_text(c, why.msg, &prep->error, err);
  for (uint32_t i = 0; i < n; i++)
    weir_provenance_preparation(&c->prov.block, r.workload, c->variants[setup / c->schemes.n].gpu,
                                prep->made[i]);
  prep->n_made = n;
  const struct weir_preparation *named = weir_preparation_named(prep->made, n);
  prep->is_same_input = named->is_same_input;
  return keep_text(c, named->input, &prep->input, err);
}

static enum weir_status make_one(struct weir_comparison *c, size_t workload, size_t setup,
                                 struct weir_err *err) {
  struct weir_study_prep *prep = prep_of(c, workload, setup);
  const struct weir_cli_preparing r = preparing(c, workload, setup, false);
  struct weir_err why;
  uint32_t n = 0;
  enum weir_status st = weir_cli_prepare(&c->preparations, &r, prep->made, &n, &why);
  if (weir_cli_signal() != 0) return WEIR_OK;
  if (st != WEIR_OK) return keep_text(c, why.msg, &prep->error, err);
  prep->prepared = weir_cli_prepared(r.setup, prep->made, n);
  prep->is_ready = true;
  return WEIR_OK;
}

static bool can_stand(const struct weir_comparison *c, size_t setup) {
  return c->study_setups[setup].error == NULL && !c->study_setups[setup].is_left;
}

static bool is_prepared(const struct weir_comparison *c, size_t setup) {
  const char *names[WEIR_MAX_PARTS];
  return can_stand(c, setup) && weir_setup_preparations(&c->setups[setup], names) > 0;
}

/* Its PTX is needed, besides its streams. */
static bool is_anything_classified(const struct weir_comparison *c) {
  for (size_t i = 0; i < c->n_setups; i++)
    if (can_stand(c, i) && weir_setup_is_classified(&c->setups[i])) return true;
  return false;
}

static bool is_anything_prepared(const struct weir_comparison *c) {
  for (size_t i = 0; i < c->n_setups; i++)
    if (is_prepared(c, i)) return true;
  return false;
}

enum weir_status weir_comparison_name_preps(struct weir_comparison *c, struct weir_err *err) {
  enum weir_status st = WEIR_OK;
  if (!is_anything_prepared(c)) return WEIR_OK;
  size_t n = c->study.n_workloads * c->n_setups;
  c->preps = weir_arena_array(&c->arena, n, sizeof *c->preps);
  if (c->preps == NULL) return no_memory(err);
  c->study.preps = c->preps;
  for (size_t i = 0; st == WEIR_OK && i < n && weir_cli_signal() == 0; i++) {
    if (c->study.workloads[i / c->n_setups].fault != NULL) continue;
    if (is_prepared(c, i % c->n_setups)) st = name_one(c, i / c->n_setups, i % c->n_setups, err);
  }
  return st;
}

/* Of runs that are to be made; what a store has is not prepared again. */
static enum weir_status make_preps(struct weir_comparison *c, struct weir_err *err) {
  const struct weir_study *s = &c->study;
  enum weir_status st = WEIR_OK;
  for (size_t i = 0; c->preps != NULL && st == WEIR_OK && i < weir_study_n_runs(s); i++) {
    const struct weir_study_place at = weir_study_place(s, i);
    const size_t setup = at.gpu * s->n_schemes + at.scheme;
    const struct weir_study_prep *prep = prep_of(c, at.workload, setup);
    bool is_todo = true;
    if (prep->n_made == 0 || prep->is_ready || prep->error != NULL) continue;
    if (weir_cli_signal() != 0) break;
    if (c->keeper != NULL) st = weir_keeper_is_todo(c->keeper, i, &is_todo, err);
    if (st == WEIR_OK && is_todo) st = make_one(c, at.workload, setup, err);
  }
  return st;
}

/* ---- provenance ---- */

static const char *join(struct weir_comparison *c, const struct weir_names *names) {
  const char *all = names->v[0];
  for (size_t i = 1; all != NULL && i < names->n; i++)
    all = weir_arena_printf(&c->arena, "%s,%s", all, names->v[i]);
  return all;
}

/* What 'all' and defaults stand for is written out. */
static enum weir_status tell_names(struct weir_comparison *c, struct weir_err *err) {
  const struct weir_names shown = {.v = c->schemes.v, .n = c->n_shown};
  const char *schemes = join(c, &shown), *gpus = join(c, &c->gpus);
  if (schemes == NULL || gpus == NULL) return no_memory(err);
  weir_prov_words(&c->prov, c->workloads.v, c->workloads.n);
  weir_prov_option(&c->prov, "schemes", schemes);
  weir_prov_option(&c->prov, "gpus", gpus);
  if (!c->is_sweep) weir_prov_option(&c->prov, "baseline", c->schemes.v[c->baseline]);
  return WEIR_OK;
}

enum weir_status weir_comparison_provenance(struct weir_comparison *c, bool is_wanted,
                                            struct weir_err *err) {
  struct weir_prov *p = &c->prov;
  enum weir_status st = weir_prov_open(p, is_wanted, err);
  if (st != WEIR_OK || p->block.root == NULL) return st;
  st = tell_names(c, err);
  if (st == WEIR_OK && c->study_file != NULL) st = weir_prov_file(p, c->study_file, err);
  size_t each = c->n_variants / c->gpus.n; /* values of axes stand in the arguments */
  for (size_t i = 0; st == WEIR_OK && i < c->gpus.n * c->n_shown; i++) {
    size_t gpu = i / c->n_shown, scheme = i % c->n_shown;
    st = weir_prov_setup(
        p, c->gpus.v[gpu], c->schemes.v[scheme], c->tags,
        c->axes.n > 0 ? &c->exec_settings : &c->settings[gpu * each * c->schemes.n + scheme], err);
  }
  for (size_t i = 0; st == WEIR_OK && i < c->study.n_workloads; i++) {
    const struct weir_study_workload *w = &c->study.workloads[i];
    const struct weir_compared_program *program = weir_comparison_program(c, w);
    if (program != NULL)
      st = weir_prov_program(p, program->argv[0], program->it.program.path, err);
    else if (w->is_trace)
      st = weir_prov_trace(p, w->path, err);
    else
      st = weir_prov_workload(p, w->name, w->path, w->input, err);
  }
  return st == WEIR_OK ? weir_prov_close(p, err) : st;
}

/* ---- running ---- */

/* Before all others, which do not wait for it: it has the terminal for itself. */
static enum weir_status record_program(struct weir_comparison *c, struct weir_study_workload *w,
                                       struct weir_err *err) {
  struct weir_classify_program *program = &weir_comparison_program(c, w)->it;
  const struct weir_program_result *r = &program->result;
  uint64_t n_failed;
  enum weir_status st = weir_classify_program_run(
      program, is_anything_classified(c) ? &c->exec : NULL, c->quiet, err);
  if (st == WEIR_OK && r->exit_code != 0 && r->signal == 0)
    fprintf(stderr, "weir: %s ended with exit code %d; what it launched is compared\n",
            program->program.name, r->exit_code);
  n_failed = program->recording.n_failed;
  if (st != WEIR_OK || n_failed == 0) return st;
  /* Times of half a kernel, or of what is left without it, are no result. */
  w->fault =
      weir_arena_printf(&c->arena, "%" PRIu64 " of its %" PRIu64 " launches did not end properly",
                        n_failed, r->n_launches);
  return w->fault != NULL ? WEIR_OK : no_memory(err);
}

int weir_comparison_exit(const struct weir_comparison *c, bool is_error) {
  int code = 0;
  for (size_t i = 0; i < c->programs.n && code == 0; i++) {
    const struct weir_program_result *r = &c->programs.v[i].it.result;
    if (!is_error || r->signal != 0) code = r->exit_code;
    if (code == 0 && !is_error && r->is_failed) code = WEIR_EXIT_FAILED;
  }
  return code;
}

/* What is stored with each run about how it came about. */
static enum weir_status keep_provenance(struct weir_comparison *c, struct weir_err *err) {
  const struct weir_provenance *p = weir_prov_shown(&c->prov);
  if (p == NULL || p->root == NULL) return WEIR_OK;
  char *text = json_dumps(p->root, JSON_COMPACT);
  c->keeping.provenance = text != NULL ? weir_arena_strndup(&c->arena, text, strlen(text)) : NULL;
  free(text);
  return c->keeping.provenance != NULL ? WEIR_OK : no_memory(err);
}

static enum weir_status begin_keeping(struct weir_comparison *c, struct weir_study_hooks *hooks,
                                      struct weir_err *err) {
  if (c->keeping.store == NULL && c->keeping.plan == NULL) return WEIR_OK;
  enum weir_status st = keep_provenance(c, err);
  if (st == WEIR_OK) st = weir_keeper_new(&c->study, &c->keeping, &c->keeper, err);
  if (st == WEIR_OK) st = weir_keeper_costs(c->keeper, &c->study.costs, err);
  if (st == WEIR_OK) weir_keeper_hook(c->keeper, hooks);
  return st;
}

static enum weir_status run_study(struct weir_comparison *c, struct weir_err *err) {
  struct weir_study_hooks hooks = {.event = weir_compare_progress_event,
                                   .is_stopped = weir_cli_is_stopped,
                                   .self = &c->progress};
  c->study.jobs = c->jobs;
  c->study.check = c->check;
  c->study.exec = &c->exec;
  if (c->study.memory == 0) c->study.memory = usual_memory();
  weir_cli_signals_hold();
  enum weir_status st = weir_comparison_name_preps(c, err);
  if (st == WEIR_OK && weir_cli_signal() == 0) st = begin_keeping(c, &hooks, err);
  if (st == WEIR_OK) st = make_preps(c, err);
  if (st == WEIR_OK && !c->quiet && !c->study.only_records)
    st = weir_compare_progress_begin(&c->progress, &c->study, err);
  if (st == WEIR_OK) st = weir_study_run(&c->study, &hooks, err);
  weir_cli_signals_release();
  weir_compare_progress_end(&c->progress);
  return st;
}

enum weir_status weir_comparison_run(struct weir_comparison *c, struct weir_err *err) {
  enum weir_status st = WEIR_OK;
  for (size_t i = 0; st == WEIR_OK && i < c->study.n_workloads; i++)
    if (weir_comparison_program(c, &c->study.workloads[i]) != NULL)
      st = record_program(c, &c->study.workloads[i], err);
  return st == WEIR_OK ? run_study(c, err) : st;
}

/* ---- beginning and end ---- */

enum weir_status weir_comparison_add_program(struct weir_comparison *c, char **argv,
                                             struct weir_err *err) {
  return WEIR_PUSH(c->programs, (struct weir_compared_program){.argv = argv}) ? WEIR_OK
                                                                              : no_memory(err);
}

static enum weir_status open_store(struct weir_comparison *c, struct weir_err *err) {
  if (c->store_path == NULL && c->keeping.retry)
    return weir_fail(err, WEIR_EINVAL, "--retry goes with --store FILE");
  if (c->store_path == NULL) return WEIR_OK;
  return weir_store_open(c->store_path, WEIR_STORE_WRITE, &c->store_options, &c->keeping.store,
                         err);
}

enum weir_status weir_comparison_open(struct weir_comparison *c, struct weir_err *err) {
  enum weir_status st = weir_comparison_settings(c, &c->exec_settings, err);
  if (st == WEIR_OK) st = weir_settings_fill(&c->exec_settings, &ptx_exec_params, &c->exec, err);
  if (st == WEIR_OK) st = weir_comparison_workloads(c, err);
  if (st == WEIR_OK) st = weir_comparison_setups(c, err);
  if (st == WEIR_OK) st = weir_comparison_effects(c, err);
  for (size_t i = 0; st == WEIR_OK && i < c->programs.n; i++)
    st = weir_classify_program_open(&c->programs.v[i].it, c->programs.v[i].argv, &c->settings[0],
                                    c->gpus.v[0], &c->choice, err);
  return st == WEIR_OK ? open_store(c, err) : st;
}

void weir_comparison_count(const struct weir_study *s, size_t *ended, size_t *failed) {
  *ended = *failed = 0;
  for (size_t i = 0; i < weir_study_n_runs(s); i++) {
    *ended += s->runs[i].state == WEIR_RUN_DONE;
    *failed += s->runs[i].state == WEIR_RUN_FAILED;
  }
}

void weir_comparison_free(struct weir_comparison *c) {
  weir_study_free(&c->study);
  weir_keeper_free(c->keeper);
  weir_store_close(c->keeping.store);
  for (size_t i = 0; i < c->programs.n; i++)
    weir_classify_program_free(&c->programs.v[i].it);
  free(c->programs.v);
  weir_preparations_free(&c->preparations);
  for (size_t i = 0; i < c->n_setups; i++) {
    weir_setup_free(&c->setups[i]);
    weir_settings_free(&c->settings[i]);
  }
  weir_settings_free(&c->exec_settings);
  free(c->workloads.v);
  free(c->schemes.v);
  free(c->gpus.v);
  free(c->sets.v);
  free(c->bests.v);
  free(c->bypasses.v);
  free(c->searches.v);
  free(c->configs.v);
  free(c->constraints.v);
  free(c->axes.v);
  free(c->metrics.v);
  weir_plan_free(&c->plan);
  weir_slurm_free(c->slurm);
  weir_prov_free(&c->prov);
  weir_arena_free(&c->arena);
}
