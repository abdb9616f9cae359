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

enum { OPT_BASELINE = 1, OPT_CSV, OPT_JSON, OPT_PER_KERNEL };

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
    .neutral = WEIR_CMP_NEUTRAL " set cold warm csv json per-kernel" WEIR_PROV_NEUTRAL,
    .repeated = " plugin best bypass",
    .opts =
        (const struct weir_opt[]){
            WEIR_CMP_WHAT,
            {"baseline", 'b', "NAME", "the scheme to compare with (default: the first)",
             OPT_BASELINE},
            WEIR_CMP_SETTINGS("KEY=VALUE", "set a parameter ('weir list params') in all runs; may "
                                           "be repeated"),
            {"best", 0, "KEY=VALUES",
             "search: show schemes that have the parameter at its best value for each workload\n"
             "(\"pdp.distance=1..256\", \"random-bypass.p=0.1..0.9 +0.1\"; pdp, T, swl, tlp, k "
             "and\n"
             "random stand for those of papers); may be repeated",
             WEIR_CMP_BEST},
            {"search", 0, "coarse|all",
             "of many values: some first, then those around the best (default), or every one",
             WEIR_CMP_SEARCH},
            WEIR_CMP_HOW,
            {"store", 0, "FILE",
             "keep each run in a store (docs/store.md) when it ends, and take those from it that "
             "it has",
             WEIR_CMP_STORE},
            WEIR_CMP_STORING,
            {"per-kernel", 0, NULL, "show each kernel as well: in the tables, in CSV and in JSON",
             OPT_PER_KERNEL},
            WEIR_CMP_DECISIONS_OPTION,
            {"csv", 0, "FILE",
             "write a row of statistics for each run ('-': to stdout, instead of the tables)",
             OPT_CSV},
            {"json", 'j', "FILE",
             "write everything as JSON ('-': to stdout, instead of the tables)", OPT_JSON},
            {"check", 0, NULL, "verify the conservation rules of the statistics", WEIR_CMP_CHECK},
            {"quiet", 'q', NULL, "print nothing but errors", WEIR_CMP_QUIET},
            WEIR_PROV_OPTIONS,
            {.name = NULL}},
    .examples =
        "  weir compare spmv gather --input profile         all schemes, in some seconds\n"
        "  weir compare kernels --schemes baseline,decoupled,pc-bypass,tsc+ --csv results.csv\n"
        "  weir compare kernels -S baseline,tsc+ -g fermi-s3,fermi-s0,gtx480-cfg\n"
        "  weir compare spmv -S baseline,random-bypass,pc-bypass --repeat 10    is it real?\n"
        "  weir compare spmv -S tsc,tsc+ -b tsc --set tag-split.chunk_bytes=64\n"
        "  weir compare spmv -S baseline,static --bypass spmv.cu:12\n"
        "  weir compare spmv -S baseline,pc-bypass,mine --plugin ./mine.so\n"
        "  weir compare app.wtrace my-launch.yaml -S baseline,my-scheme.yaml\n"
        "  weir compare -S baseline,decoupled,tsc+ --kernels spmv --count 3 -- ./app 1000\n",
};

static enum weir_status no_memory(struct weir_err *err) {
  return weir_fail(err, WEIR_ENOMEM, "out of memory");
}

/* ---- reports ---- */

static enum weir_status write_csv(const struct weir_comparison *c, struct weir_err *err) {
  struct weir_text out = {0};
  weir_provenance_lines(weir_prov_shown(&c->prov), &out);
  enum weir_status st = weir_compare_csv(&c->study, c->baseline, c->per_kernel, &out, err);
  if (st == WEIR_OK) st = weir_cli_put(c->csv, out.v, out.n, err);
  weir_text_free(&out);
  return st;
}

static enum weir_status write_json(const struct weir_comparison *c, struct weir_err *err) {
  json_t *root = weir_provenance_first(weir_prov_shown(&c->prov),
                                       weir_compare_json(&c->study, c->baseline, c->per_kernel));
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

static enum weir_status write_text(const struct weir_comparison *c, struct weir_err *err) {
  struct weir_text out = weir_cli_text();
  size_t ended, failed;
  enum weir_status st = weir_compare_text(&c->study, c->baseline, c->per_kernel, &out, err);
  weir_comparison_count(&c->study, &ended, &failed);
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
    fprintf(stderr, "weir: %s with %s on %s: %s\n", s->workloads[w].name, weir_study_label(s, k),
            s->gpus[g], reason != NULL ? reason : "failed");
  }
  weir_comparison_count(s, &ended, &failed);
  if (weir_cli_signal() != 0)
    fprintf(stderr, "weir: interrupted: %zu of %zu runs ended\n", ended + failed,
            weir_study_n_runs(s));
}

/* Interrupted before anything ended, there is nothing that could take the place of an older file.
 */
static enum weir_status write_files(const struct weir_comparison *c, struct weir_err *err) {
  size_t ended, failed;
  weir_comparison_count(&c->study, &ended, &failed);
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

/* Returns -1 to go on, else the exit code. */
static int parse_options(int argc, char **argv, struct weir_comparison *c) {
  struct weir_args args = {.argc = argc, .argv = argv, .at = 1};
  struct weir_err err;
  for (int id; (id = weir_opt_next(&args, &usage)) != WEIR_OPT_END;) {
    if (id == WEIR_OPT_DONE) return args.exit_code;
    if (weir_is_prov_option(id)) continue; /* looked at already */
    if (id == OPT_BASELINE)
      c->baseline_name = args.value;
    else if (id == OPT_CSV)
      c->csv = args.value;
    else if (id == OPT_JSON)
      c->json = args.value;
    else if (id == OPT_PER_KERNEL)
      c->per_kernel = true;
    else if (weir_comparison_option(c, id, args.value, &err) != WEIR_OK)
      return weir_cli_error(&err);
  }
  if (args.program != NULL && args.program[0] == NULL)
    return weir_cli_usage("compare", "which program? It comes after --");
  if (args.program != NULL && weir_comparison_add_program(c, args.program, &err) != WEIR_OK)
    return weir_cli_error(&err);
  if (c->workloads.n == 0 && c->programs.n == 0)
    return weir_cli_usage(
        "compare", "which workloads? See 'weir list workloads', or say 'all' or the name of a set");
  if (c->programs.n == 0 && weir_program_is_chosen(&c->choice))
    return weir_cli_usage("compare", WEIR_PROGRAM_NAMES " go with a program: -- PROGRAM");
  if (weir_cli_is_stdout(c->csv) && weir_cli_is_stdout(c->json))
    return weir_cli_usage("compare", "--csv or --json can go to stdout, not both");
  if (c->study.decisions && c->json == NULL && c->store_path == NULL)
    return weir_cli_usage("compare", "--decisions goes with --json or --store, which keep them");
  if (!weir_comparison_defaults(c)) {
    weir_fail(&err, WEIR_ENOMEM, "out of memory");
    return weir_cli_error(&err);
  }
  return -1;
}

static enum weir_status compare(struct weir_comparison *c, struct weir_err *err) {
  enum weir_status st = weir_comparison_open(c, err);
  if (st == WEIR_OK) st = weir_comparison_baseline(c, err);
  if (st == WEIR_OK) st = weir_cli_output("--csv", c->csv, err);
  if (st == WEIR_OK) st = weir_cli_output("--json", c->json, err);
  if (st == WEIR_OK)
    st = weir_comparison_provenance(c, c->csv != NULL || c->json != NULL || c->store_path != NULL,
                                    err);
  if (st == WEIR_OK) st = weir_comparison_run(c, err);
  return st == WEIR_OK ? report(c, err) : st;
}

int weir_cmd_compare(int argc, char **argv) {
  struct weir_comparison c = {.jobs = weir_cli_cores(),
                              .choice = WEIR_PROGRAM_ALL,
                              .store_options.wait_ms = WEIR_CMP_WAIT_MS,
                              .keeping.wants_results = true};
  struct weir_err err;
  int code = weir_prov_begin(&c.prov, &usage, &argc, &argv);
  if (code < 0) code = weir_cli_plugins(argc, argv, &usage, WEIR_CMP_PLUGIN);
  if (code < 0) code = parse_options(argc, argv, &c);
  if (code < 0) {
    size_t ended, failed;
    if (compare(&c, &err) != WEIR_OK) {
      code = weir_cli_error(&err);
      if (weir_cli_signal() != 0) code = 128 + weir_cli_signal();
      if (weir_comparison_exit(&c, true) != 0) code = weir_comparison_exit(&c, true);
    } else if (weir_cli_signal() != 0) {
      code = 128 + weir_cli_signal();
    } else {
      weir_comparison_count(&c.study, &ended, &failed);
      code = weir_comparison_exit(&c, false);
      if (failed > 0 && code == 0) code = WEIR_EXIT_FAILED;
    }
  }
  weir_comparison_free(&c);
  return code;
}
