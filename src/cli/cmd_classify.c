/* weir classify WORKLOAD|FILE.yaml, weir classify -- PROGRAM */
#include <jansson.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/classify_program.h"
#include "cli/cmd.h"
#include "cli/hinted_ptx.h"
#include "cli/job.h"
#include "cli/opt.h"
#include "cli/provenance.h"
#include "cli/timing.h"
#include "report/classify.h"
#include "session/effects.h"

enum {
  OPT_GPU = 1,
  OPT_INPUT,
  OPT_OUTPUT,
  OPT_CM,
  OPT_TAGS,
  OPT_JSON,
  OPT_GRAPH,
  OPT_CONFIG,
  OPT_SET,
  OPT_NO_CONTRACT,
  OPT_JOBS,
  OPT_CHECK,
  OPT_QUIET
};

static const struct weir_usage usage = {
    .command = "classify",
    .synopsis = "WORKLOAD|FILE.yaml [-o FILE.ptx] [--tags FILE] [options]\n"
                "       weir classify [options] -- PROGRAM [ARGUMENT ...]",
    .about =
        "Which loads should use the L1? Each global load is timed alone in the L1, with all others "
        "bypassing\n"
        "it, and each group of loads that can find each other's lines together. A load that "
        "hits often\n"
        "is ca (use the L1), one that seldom does is cg (bypass it), one in between is cm: for a "
        "scheme\n"
        "that decides while the kernel runs.\n"
        "\n"
        "The classes go into the PTX as cache operators (-o), for weir, for ptxas and a real GPU, "
        "or into a\n"
        "file of tags (--tags) for 'weir run', 'replay' and 'compare'. Loads that have an "
        "operator, "
        "an L1\n"
        "priority or an order of memory (volatile, relaxed, acquire) keep it. docs/classify.md "
        "says "
        "more.\n"
        "\n"
        "A CUDA program (see 'weir help run') runs once; its output goes to stderr. Of its PTX "
        "that is in\n"
        "use, -o FILE.ptx writes the second module to FILE-2.ptx, and so on.",
    .has_program = 1,
    .neutral = " output cm tags json graph config set jobs check quiet" WEIR_PROV_NEUTRAL,
    .opts =
        (const struct weir_opt[]){
            {"gpu", 'g', "NAME",
             "the machine: one of 'weir list gpus', or a file ending in .yaml (default: fermi-s4)",
             OPT_GPU},
            {"input", 'i', "NAME",
             "which of the file's inputs (default: profile if there is one, else the first)",
             OPT_INPUT},
            {"output", 'o', "FILE",
             "write the PTX with .ca and .cg on its loads, otherwise unchanged; once for each "
             "module of\n"
             "the launch file, in their order",
             OPT_OUTPUT},
            {"cm", 0, "ca|cg", "what cm loads get there (default: nothing, as they are)", OPT_CM},
            {"tags", 0, "FILE", "write the classes as a file of tags", OPT_TAGS},
            {"json", 'j', "FILE", "write all counts as JSON ('-': to stdout, instead of the table)",
             OPT_JSON},
            {"graph", 0, "FILE",
             "write the graph of each kernel's loads for Graphviz ('-': to stdout, instead of the "
             "table)",
             OPT_GRAPH},
            {"config", 'c', "FILE", "read settings from a file (KEY: VALUE); --set wins over it",
             OPT_CONFIG},
            {"set", 's', "KEY=VALUE",
             "set a parameter ('weir list params', cls.* are those of the classes); may be "
             "repeated",
             OPT_SET},
            WEIR_NO_CONTRACT_OPTION(OPT_NO_CONTRACT),
            WEIR_PROGRAM_OPTIONS,
            {"jobs", 0, "N",
             "runs at a time (default: one for each core); the results are the same for any number",
             OPT_JOBS},
            {"check", 0, NULL, "verify the conservation rules of the statistics", OPT_CHECK},
            {"quiet", 'q', NULL, "print nothing but errors", OPT_QUIET},
            WEIR_PROV_OPTIONS,
            {.name = NULL}},
    .examples = "  weir classify spmv\n"
                "  weir classify spmv --gpu v100-cfg -o spmv-tagged.ptx --cm ca\n"
                "  weir classify spmv --tags spmv-tags.yaml\n"
                "  weir run spmv --gpu fermi-s4 --scheme static --tags spmv-tags.yaml\n"
                "  weir classify my/launch.yaml --set cls.high=0.6 --graph - | dot -Tsvg > "
                "loads.svg\n"
                "  weir classify --tags app-tags.yaml --count 3 -- ./app 1000\n",
};

enum { MAX_OUTPUTS = WEIR_LF_MODULES };

struct classify {
  const char *target, *gpu, *input, *tags, *json, *graph, *outputs[MAX_OUTPUTS];
  uint32_t n_outputs, jobs;
  enum weir_hint cm;
  bool check, quiet;
  struct weir_settings settings;
  struct weir_arena arena;
  const char *path;
  struct weir_machine machine;
  struct weir_profile profile;
  struct weir_classify_about about;
  bool showed;
  char **argv; /* of a program; NULL: it is a workload */
  struct weir_program_choice choice;
  struct weir_classify_program program;
  struct weir_prov prov;
};

/* ---- what to profile ---- */

static bool ends_with(const char *s, const char *suffix) {
  size_t n = strlen(s), m = strlen(suffix);
  return n > m && strcmp(s + n - m, suffix) == 0;
}

static enum weir_status find_program(struct classify *c, struct weir_err *err) {
  enum weir_status st = weir_data_machine(&c->settings, c->gpu, err);
  if (st == WEIR_OK)
    st = weir_classify_program_open(&c->program, c->argv, &c->settings, c->gpu, &c->choice, err);
  c->about =
      (struct weir_classify_about){.workload = c->program.program.name, .input = "", .gpu = c->gpu};
  return st;
}

/* The launch file, and which of its inputs. */
static enum weir_status find_target(struct classify *c, struct weir_err *err) {
  struct weir_launchfile *lf;
  enum weir_status st = WEIR_OK;
  if (c->argv != NULL) return find_program(c, err);
  c->path = c->target;
  if (!ends_with(c->target, ".yaml") && !ends_with(c->target, ".yml"))
    st = weir_data_workload(&c->arena, c->target, &c->path, err);
  if (st == WEIR_OK) st = weir_profile_input(c->path, c->input, &c->arena, &c->input, err);
  if (st == WEIR_OK) st = weir_launchfile_load(c->path, c->input, &lf, err);
  if (st != WEIR_OK) return st;
  c->about = (struct weir_classify_about){
      .workload = weir_arena_printf(&c->arena, "%s", lf->name),
      .input = weir_arena_printf(&c->arena, "%s", lf->input != NULL ? lf->input : ""),
      .gpu = c->gpu};
  if (c->about.workload == NULL || c->about.input == NULL)
    st = weir_fail(err, WEIR_ENOMEM, "out of memory");
  if (st == WEIR_OK) st = weir_hinted_ptx_check(c->path, lf, c->n_outputs, err);
  weir_launchfile_free(lf);
  return st;
}

/* ---- profiling ---- */

static void show_progress(void *self, uint32_t done, uint32_t n_runs) {
  struct classify *c = self;
  if (n_runs == 0)
    fprintf(stderr, "\r\033[Krecording %s", c->about.workload);
  else
    fprintf(stderr, "\r\033[K%s: %u of %u profiling runs", c->about.workload, done, n_runs);
  fflush(stderr);
  c->showed = true;
}

/* The runs are those of the machine's own L1. */
static enum weir_status check_effects(const struct classify *c, struct weir_err *err) {
  struct weir_setup setup = {.machine = c->machine};
  const struct weir_settings *settings = &c->settings;
  weir_design_baseline(&setup.design, &setup.machine);
  return weir_uses_check(&settings,
                         &(struct weir_use){.setup = &setup,
                                            .is_executed = true,
                                            .is_program = c->argv != NULL,
                                            .has_streams = true,
                                            .tags_by = WEIR_PREPARE_CLASSIFY},
                         1, err);
}

static enum weir_status tell_provenance(struct classify *c, struct weir_err *err) {
  enum weir_status st = weir_prov_open(&c->prov, c->json != NULL, err);
  weir_prov_option(&c->prov, "gpu", c->gpu);
  if (c->argv == NULL && c->input != NULL) weir_prov_option(&c->prov, "input", c->input);
  if (st == WEIR_OK) st = weir_prov_setup(&c->prov, c->gpu, NULL, NULL, &c->settings, err);
  if (st == WEIR_OK && c->argv != NULL)
    st = weir_prov_program(&c->prov, c->argv[0], c->program.program.path, err);
  else if (st == WEIR_OK)
    st = weir_prov_workload(&c->prov, c->target, c->path, c->input, err);
  return st == WEIR_OK ? weir_prov_close(&c->prov, err) : st;
}

static enum weir_status profile(struct classify *c, struct weir_err *err) {
  struct ptx_exec_cfg exec;
  struct weir_cls_cfg cls;
  enum weir_status st = weir_settings_fill(&c->settings, &ptx_exec_params, &exec, err);
  if (st == WEIR_OK) st = weir_settings_fill(&c->settings, &weir_cls_params, &cls, err);
  if (st == WEIR_OK) st = weir_data_machine(&c->settings, c->gpu, err);
  if (st == WEIR_OK) st = weir_machine_fill(&c->machine, c->gpu, &c->settings, err);
  if (st == WEIR_OK) st = weir_machine_settle(&c->machine, &c->settings, err);
  if (st == WEIR_OK) st = check_effects(c, err);
  if (st == WEIR_OK) st = tell_provenance(c, err);
  if (st == WEIR_OK && c->argv != NULL)
    st = weir_classify_program_run(&c->program, &exec, c->quiet, err);
  if (st != WEIR_OK) return st;
  struct weir_profile_request r = {.path = c->path,
                                   .trace = c->argv != NULL ? c->program.trace : NULL,
                                   .programs = c->program.programs,
                                   .n_programs = c->program.n_programs,
                                   .input = c->input,
                                   .exec = &exec,
                                   .machine = &c->machine,
                                   .cls = &cls,
                                   .jobs = c->jobs,
                                   .check = c->check,
                                   .progress = isatty(STDERR_FILENO) ? show_progress : NULL,
                                   .is_stopped = weir_cli_is_stopped,
                                   .self = c};
  weir_cli_signals_hold();
  st = weir_profile_run(&r, &c->profile, err);
  weir_cli_signals_release();
  if (c->showed) fputs("\r\033[K", stderr);
  return st;
}

/* ---- PTX ---- */

static enum weir_hint hint_of(const void *self, uint32_t kernel, uint32_t load) {
  const struct classify *c = self;
  enum weir_tag tag = c->profile.kernels[kernel].tags[load];
  return tag == WEIR_TAG_CA ? WEIR_HINT_CA : tag == WEIR_TAG_CG ? WEIR_HINT_CG : WEIR_HINT_NONE;
}

static enum weir_status write_all_ptx(struct classify *c, struct weir_err *err) {
  struct weir_hinted_ptx h = {.paths = c->outputs,
                              .n_paths = c->n_outputs,
                              .profile = &c->profile,
                              .program = c->argv != NULL ? &c->program : NULL,
                              .hint = hint_of,
                              .self = c,
                              .otherwise = c->cm,
                              .is_quiet = c->quiet,
                              .arena = &c->arena};
  return weir_hinted_ptx_write(&h, err);
}

/* ---- files and reports ---- */

static enum weir_status write_tags(const struct classify *c, struct weir_err *err) {
  struct weir_tags *tags;
  enum weir_status st = weir_profile_tags(&c->profile, &tags, err);
  if (st != WEIR_OK) return st;
  struct weir_text about = {0}, out = {0};
  weir_text_printf(&about, "weir classify %s on %s", c->about.workload, c->about.gpu);
  if (c->about.input[0] != 0) weir_text_printf(&about, ", input %s", c->about.input);
  if (!about.failed) weir_tags_text(tags, about.v, &out);
  st = about.failed || out.failed ? weir_fail(err, WEIR_ENOMEM, "out of memory")
                                  : weir_cli_put(c->tags, out.v, out.n, err);
  weir_text_free(&about);
  weir_text_free(&out);
  weir_tags_free(tags);
  return st;
}

static enum weir_status write_json(const struct classify *c, struct weir_err *err) {
  json_t *root =
      weir_provenance_first(weir_prov_shown(&c->prov), weir_classify_json(&c->profile, &c->about));
  char *text = root != NULL ? json_dumps(root, JSON_INDENT(1)) : NULL;
  struct weir_text out = {0};
  json_decref(root);
  if (text != NULL) weir_text_printf(&out, "%s\n", text);
  enum weir_status st = text != NULL && !out.failed ? weir_cli_put(c->json, out.v, out.n, err)
                                                    : weir_fail(err, WEIR_ENOMEM, "out of memory");
  free(text);
  weir_text_free(&out);
  return st;
}

static enum weir_status write_graph(const struct classify *c, struct weir_err *err) {
  struct weir_text out = {0};
  for (uint32_t k = 0; k < c->profile.n_kernels; k++)
    weir_loads_dot(&c->profile.kernels[k].loads, &out);
  enum weir_status st = out.failed ? weir_fail(err, WEIR_ENOMEM, "out of memory")
                                   : weir_cli_put(c->graph, out.v, out.n, err);
  weir_text_free(&out);
  return st;
}

static enum weir_status write_text(const struct classify *c, struct weir_err *err) {
  struct weir_text out = weir_cli_text();
  enum weir_status st = weir_classify_text(&c->profile, &c->about, &out, err);
  if (st != WEIR_OK) {
    weir_text_free(&out);
    return st;
  }
  return weir_cli_print(&out) == 0 ? WEIR_OK : weir_fail(err, WEIR_EIO, "cannot write to stdout");
}

/* How many outputs go to stdout, which then has no table. */
static uint32_t n_stdout(const struct classify *c) {
  uint32_t n = (uint32_t)weir_cli_is_stdout(c->json) + (uint32_t)weir_cli_is_stdout(c->graph) +
               (uint32_t)weir_cli_is_stdout(c->tags);
  for (uint32_t i = 0; i < c->n_outputs; i++)
    n += weir_cli_is_stdout(c->outputs[i]);
  return n;
}

static enum weir_status report(struct classify *c, struct weir_err *err) {
  enum weir_status st = write_all_ptx(c, err);
  if (st == WEIR_OK && c->tags != NULL) st = write_tags(c, err);
  if (st == WEIR_OK && c->json != NULL) st = write_json(c, err);
  if (st == WEIR_OK && c->graph != NULL) st = write_graph(c, err);
  if (st == WEIR_OK) st = weir_cli_commit(err);
  return st == WEIR_OK && !c->quiet && n_stdout(c) == 0 ? write_text(c, err) : st;
}

static enum weir_status open_outputs(const struct classify *c, struct weir_err *err) {
  enum weir_status st = weir_cli_output("--tags", c->tags, err);
  if (st == WEIR_OK) st = weir_cli_output("--json", c->json, err);
  if (st == WEIR_OK) st = weir_cli_output("--graph", c->graph, err);
  for (uint32_t i = 0; st == WEIR_OK && i < c->n_outputs; i++)
    st = weir_cli_output("--output", c->outputs[i], err);
  return st;
}

/* ---- the command ---- */

static enum weir_status set_option(struct classify *c, int id, const char *value,
                                   struct weir_err *err) {
  switch (id) {
  case WEIR_OPT_WORD:
    if (c->target != NULL)
      return weir_fail(err, WEIR_EINVAL, "one workload at a time: '%s' or '%s'", c->target, value);
    c->target = value;
    break;
  case OPT_GPU:
    c->gpu = value;
    break;
  case OPT_INPUT:
    c->input = value;
    break;
  case OPT_OUTPUT:
    if (c->n_outputs == MAX_OUTPUTS)
      return weir_fail(err, WEIR_EINVAL, "at most %d outputs", MAX_OUTPUTS);
    c->outputs[c->n_outputs++] = value;
    break;
  case OPT_CM:
    if (strcmp(value, "ca") != 0 && strcmp(value, "cg") != 0)
      return weir_fail(err, WEIR_EINVAL, "--cm %s: want ca or cg", value);
    c->cm = value[1] == 'a' ? WEIR_HINT_CA : WEIR_HINT_CG;
    break;
  case OPT_TAGS:
    c->tags = value;
    break;
  case OPT_JSON:
    c->json = value;
    break;
  case OPT_GRAPH:
    c->graph = value;
    break;
  case OPT_CONFIG:
    return weir_settings_file(&c->settings, value, err);
  case OPT_NO_CONTRACT:
    return weir_settings_assign(&c->settings, WEIR_NO_CONTRACT, err);
  case OPT_SET:
    return weir_settings_assign(&c->settings, value, err);
  case OPT_JOBS:
    return weir_cli_jobs(value, &c->jobs, err);
  case OPT_CHECK:
    c->check = true;
    break;
  case OPT_QUIET:
    c->quiet = true;
    break;
  default:
    return weir_program_option(&c->choice, id, value, err);
  }
  return WEIR_OK;
}

/* Returns -1 to go on, else the exit code. */
static int parse_options(int argc, char **argv, struct classify *c) {
  struct weir_args args = {.argc = argc, .argv = argv, .at = 1};
  struct weir_err err;
  for (int id; (id = weir_opt_next(&args, &usage)) != WEIR_OPT_END;) {
    if (id == WEIR_OPT_DONE) return args.exit_code;
    if (weir_is_prov_option(id)) continue; /* looked at already */
    if (set_option(c, id, args.value, &err) != WEIR_OK) return weir_cli_error(&err);
  }
  c->argv = args.program;
  const struct weir_one_target given = {"classify", c->target, c->input, c->argv, c->n_outputs};
  const int done = weir_program_or_workload(&given, &c->choice);
  if (done >= 0) return done;
  if (c->cm != WEIR_HINT_NONE && c->n_outputs == 0)
    return weir_cli_usage("classify", "--cm says what goes into the PTX: add -o FILE");
  if (n_stdout(c) > 1)
    return weir_cli_usage("classify", "one output can go to stdout, not several");
  return -1;
}

static enum weir_status classify(struct classify *c, struct weir_err *err) {
  enum weir_status st = find_target(c, err);
  if (st == WEIR_OK) st = open_outputs(c, err);
  if (st == WEIR_OK) st = profile(c, err);
  if (st != WEIR_OK) return st;
  st = report(c, err);
  weir_profile_free(&c->profile);
  return st;
}

int weir_cmd_classify(int argc, char **argv) {
  struct classify c = {.gpu = "fermi-s4", .jobs = weir_cli_cores(), .choice = WEIR_PROGRAM_ALL};
  struct weir_err err;
  int code = weir_prov_begin(&c.prov, &usage, &argc, &argv);
  if (code >= 0) {
    weir_prov_free(&c.prov);
    return code;
  }
  code = weir_settings_init(&c.settings, weir_param_groups(), &err) == WEIR_OK
             ? parse_options(argc, argv, &c)
             : weir_cli_error(&err);
  if (code < 0) {
    bool is_good = classify(&c, &err) == WEIR_OK;
    code = is_good ? WEIR_EXIT_OK : weir_cli_error(&err);
    if (!is_good && weir_cli_signal() != 0) code = 128 + weir_cli_signal();
    if (is_good && (c.program.recording.n_failed > 0 || c.program.result.is_failed))
      code = WEIR_EXIT_FAILED;
    if (c.program.result.exit_code != 0) code = c.program.result.exit_code;
  }
  weir_classify_program_free(&c.program);
  weir_settings_free(&c.settings);
  weir_prov_free(&c.prov);
  weir_arena_free(&c.arena);
  return code;
}
