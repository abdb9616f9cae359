/* weir compare WORKLOAD... --schemes NAME,... [-- PROGRAM] */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/number.h"
#include "cli/cmd.h"
#include "cli/compare.h"
#include "cli/job.h"
#include "cli/opt.h"
#include "cli/prepare.h"
#include "report/compare.h"

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
  OPT_REPEAT,
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
        "Is a difference real? A block that arrives a cycle later can move results by 2 %.\n"
        "--repeat N runs everything N times with small delays by chance, and shows mean, 95 % "
        "interval,\n"
        "and an ≈ where the interval contains 1. Quote a gain only if its interval leaves 1 out "
        "and, for\n"
        "a design that chooses what to bypass, if it is above that of random-bypass, which throws "
        "a coin.\n"
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
            {"repeat", 'r', "N",
             "run each workload N times on each machine with each scheme, with seeds 1 to N of "
             "delays\n"
             "by chance: jitter.dispatch and jitter.memory, 0 to 16 cycles unless set",
             OPT_REPEAT},
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
        "  weir compare spmv -S baseline,random-bypass,pc-bypass --repeat 10    is it real?\n"
        "  weir compare spmv -S tsc,tsc+ -b tsc --set tag-split.chunk_bytes=64\n"
        "  weir compare spmv -S baseline,pc-bypass,mine --plugin ./mine.so\n"
        "  weir compare app.wtrace my-launch.yaml -S baseline,my-scheme.yaml\n"
        "  weir compare -S baseline,decoupled,tsc+ --kernels spmv --count 3 -- ./app 1000\n",
};

static enum weir_status no_memory(struct weir_err *err) {
  return weir_fail(err, WEIR_ENOMEM, "out of memory");
}

/* ---- preparing ---- */

static enum weir_status keep_text(struct weir_comparison *c, const char *text, const char **out,
                                  struct weir_err *err) {
  *out = weir_arena_strndup(&c->arena, text, strlen(text));
  return *out != NULL ? WEIR_OK : no_memory(err);
}

static enum weir_status prepare_one(struct weir_comparison *c, size_t workload, size_t setup,
                                    struct weir_err *err) {
  const struct weir_study_workload *w = &c->study.workloads[workload];
  struct weir_study_prep *prep = &c->preps[workload * c->n_setups + setup];
  bool is_program = weir_comparison_is_program(c, w);
  struct weir_cli_preparing r = {.workload = w->name,
                                 .path = w->is_trace ? NULL : w->path,
                                 .trace = w->is_trace ? w->path : NULL,
                                 .programs = is_program ? c->program.programs : NULL,
                                 .n_programs = is_program ? c->program.n_programs : 0,
                                 .input = w->input,
                                 .setup = &c->setups[setup],
                                 .settings = &c->settings[setup],
                                 .jobs = c->jobs,
                                 .check = c->check};
  struct weir_err why;
  prep->input = "";
  if (w->is_trace && !is_program && weir_setup_is_classified(r.setup))
    return keep_text(c,
                     "loads are classified by their PTX, and a trace has none; give tags with "
                     "--tags FILE",
                     &prep->error, err);
  uint32_t n = 0;
  enum weir_status st = weir_cli_prepare(&c->preparations, &r, prep->made, &n, &why);
  if (weir_cli_signal() != 0) return WEIR_OK;
  if (st != WEIR_OK) return keep_text(c, why.msg, &prep->error, err);
  for (uint32_t i = 0; i < n; i++)
    weir_provenance_preparation(&c->prov.block, w->name, c->gpus.v[setup / c->schemes.n],
                                prep->made[i]);
  prep->n_made = n;
  prep->prepared = weir_cli_prepared(r.setup, prep->made, n);
  prep->is_same_input = prep->made[0]->is_same_input;
  return keep_text(c, prep->made[0]->input, &prep->input, err);
}

static bool is_prepared(const struct weir_comparison *c, size_t setup) {
  const char *names[WEIR_MAX_PARTS];
  return c->study_setups[setup].error == NULL &&
         weir_setup_preparations(&c->setups[setup], names) > 0;
}

/* Its PTX is needed, besides its streams. */
static bool is_anything_classified(const struct weir_comparison *c) {
  for (size_t i = 0; i < c->n_setups; i++)
    if (c->study_setups[i].error == NULL && weir_setup_is_classified(&c->setups[i])) return true;
  return false;
}

static bool is_anything_prepared(const struct weir_comparison *c) {
  for (size_t i = 0; i < c->n_setups; i++)
    if (is_prepared(c, i)) return true;
  return false;
}

/* Once for each workload and machine, before anything is timed. */
static enum weir_status prepare_all(struct weir_comparison *c, struct weir_err *err) {
  enum weir_status st = WEIR_OK;
  if (!is_anything_prepared(c)) return WEIR_OK;
  size_t n = c->study.n_workloads * c->n_setups;
  c->preps = weir_arena_array(&c->arena, n, sizeof *c->preps);
  if (c->preps == NULL) return no_memory(err);
  c->study.preps = c->preps;
  for (size_t i = 0; st == WEIR_OK && i < n && weir_cli_signal() == 0; i++) {
    if (c->study.workloads[i / c->n_setups].fault != NULL) continue;
    if (is_prepared(c, i % c->n_setups)) st = prepare_one(c, i / c->n_setups, i % c->n_setups, err);
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
  const char *schemes = join(c, &c->schemes), *gpus = join(c, &c->gpus);
  if (schemes == NULL || gpus == NULL) return no_memory(err);
  weir_prov_words(&c->prov, c->workloads.v, c->workloads.n);
  weir_prov_option(&c->prov, "schemes", schemes);
  weir_prov_option(&c->prov, "gpus", gpus);
  weir_prov_option(&c->prov, "baseline", c->schemes.v[c->baseline]);
  return WEIR_OK;
}

static enum weir_status tell_provenance(struct weir_comparison *c, struct weir_err *err) {
  struct weir_prov *p = &c->prov;
  enum weir_status st = weir_prov_open(p, c->csv != NULL || c->json != NULL, err);
  if (st != WEIR_OK || p->block.root == NULL) return st;
  st = tell_names(c, err);
  for (size_t i = 0; st == WEIR_OK && i < c->n_setups; i++)
    st = weir_prov_setup(p, c->gpus.v[i / c->schemes.n], c->schemes.v[i % c->schemes.n], c->tags,
                         &c->settings[i], err);
  for (size_t i = 0; st == WEIR_OK && i < c->study.n_workloads; i++) {
    const struct weir_study_workload *w = &c->study.workloads[i];
    if (weir_comparison_is_program(c, w))
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
static enum weir_status record_program(struct weir_comparison *c, struct weir_err *err) {
  const struct weir_program_result *r = &c->program.result;
  uint64_t n_failed;
  enum weir_status st = weir_classify_program_run(
      &c->program, is_anything_classified(c) ? &c->exec : NULL, c->quiet, err);
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

static enum weir_status run_study(struct weir_comparison *c, struct weir_err *err) {
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

static enum weir_status write_csv(const struct weir_comparison *c, struct weir_err *err) {
  struct weir_text out = {0};
  weir_provenance_lines(weir_prov_shown(&c->prov), &out);
  enum weir_status st = weir_compare_csv(&c->study, c->baseline, &out, err);
  if (st == WEIR_OK) st = weir_cli_put(c->csv, out.v, out.n, err);
  weir_text_free(&out);
  return st;
}

static enum weir_status write_json(const struct weir_comparison *c, struct weir_err *err) {
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

static enum weir_status write_text(const struct weir_comparison *c, struct weir_err *err) {
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
static void say_failures(const struct weir_comparison *c) {
  const struct weir_study *s = &c->study;
  size_t ended, failed;
  for (size_t i = 0; i < s->n_workloads * c->n_setups; i++) {
    size_t w = i / c->n_setups, g = i % c->n_setups / s->n_schemes, k = i % s->n_schemes;
    const struct weir_run *run = weir_study_at(s, w, g, k),
                          *first = weir_study_repeat(s, w, g, k, 0);
    if (run->state != WEIR_RUN_FAILED) continue;
    const char *reason = weir_compare_reason(s, w, g, k, (size_t)(run - first));
    fprintf(stderr, "weir: %s with %s on %s: %s\n", s->workloads[w].name, s->schemes[k], s->gpus[g],
            reason != NULL ? reason : "failed");
  }
  count_runs(s, &ended, &failed);
  if (weir_cli_signal() != 0)
    fprintf(stderr, "weir: interrupted: %zu of %zu runs ended\n", ended + failed,
            weir_study_n_runs(s));
}

/* Interrupted before anything ended, there is nothing that could take the place of an older file.
 */
static enum weir_status write_files(const struct weir_comparison *c, struct weir_err *err) {
  size_t ended, failed;
  count_runs(&c->study, &ended, &failed);
  if (weir_cli_signal() != 0 && ended == 0) return WEIR_OK;
  enum weir_status st = c->csv != NULL ? write_csv(c, err) : WEIR_OK;
  if (st == WEIR_OK && c->json != NULL) st = write_json(c, err);
  return st == WEIR_OK ? weir_cli_commit(err) : st;
}

static enum weir_status report(const struct weir_comparison *c, struct weir_err *err) {
  enum weir_status st = write_files(c, err);
  bool has_tables = !c->quiet && !weir_cli_is_stdout(c->csv) && !weir_cli_is_stdout(c->json);
  if (st == WEIR_OK && has_tables) return write_text(c, err);
  say_failures(c);
  return st;
}

/* ---- the command ---- */

static enum weir_status set_repeats(const char *text, uint32_t *out, struct weir_err *err) {
  int64_t n;
  if (!weir_parse_int(text, &n) || n < 1 || n > WEIR_MAX_REPEATS)
    return weir_fail(err, WEIR_EINVAL, "--repeat %s: want a number from 1 (once) to %d", text,
                     WEIR_MAX_REPEATS);
  *out = (uint32_t)n;
  return WEIR_OK;
}

static enum weir_status set_option(struct weir_comparison *c, int id, const char *value,
                                   struct weir_err *err) {
  switch (id) {
  case WEIR_OPT_WORD:
    return weir_comparison_name(&c->workloads, "workload", value, err);
  case OPT_WORKLOADS:
    return weir_comparison_names(c, &c->workloads, "workload", value, err);
  case OPT_SCHEMES:
    return weir_comparison_names(c, &c->schemes, "scheme", value, err);
  case OPT_GPUS:
    return weir_comparison_names(c, &c->gpus, "machine", value, err);
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
  case OPT_REPEAT:
    return set_repeats(value, &c->study.repeats, err);
  case OPT_JOBS:
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
static bool add_defaults(struct weir_comparison *c) {
  if (c->gpus.n == 0 && !WEIR_PUSH(c->gpus, "fermi-s3")) return false;
  if (c->schemes.n > 0 && strcmp(c->schemes.v[0], "all") != 0) return true;
  if (c->schemes.n == 0 && !(WEIR_PUSH(c->schemes, "all") && add_plugins(c))) return false;
  if (!WEIR_PUSH(c->schemes, c->schemes.v[0])) return false;
  c->schemes.v[0] = "baseline";
  return true;
}

/* Returns -1 to go on, else the exit code. */
static int parse_options(int argc, char **argv, struct weir_comparison *c) {
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

static enum weir_status compare(struct weir_comparison *c, struct weir_err *err) {
  enum weir_status st = weir_comparison_settings(c, &c->exec_settings, err);
  if (st == WEIR_OK) st = weir_settings_fill(&c->exec_settings, &ptx_exec_params, &c->exec, err);
  if (st == WEIR_OK) st = weir_comparison_workloads(c, err);
  if (st == WEIR_OK) st = weir_comparison_setups(c, err);
  if (st == WEIR_OK) st = weir_comparison_baseline(c, err);
  if (st == WEIR_OK) st = weir_comparison_effects(c, err);
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

static void free_all(struct weir_comparison *c) {
  weir_study_free(&c->study);
  weir_classify_program_free(&c->program);
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
  free(c->configs.v);
  weir_prov_free(&c->prov);
  weir_arena_free(&c->arena);
}

int weir_cmd_compare(int argc, char **argv) {
  struct weir_comparison c = {.jobs = weir_cli_cores(), .choice = WEIR_PROGRAM_ALL};
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
