/* weir characterize WORKLOAD|FILE.yaml|TRACE, weir characterize -- PROGRAM */
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "base/number.h"
#include "cli/characterize_classes.h"
#include "cli/classify_program.h"
#include "cli/cmd.h"
#include "cli/job.h"
#include "cli/opt.h"
#include "cli/provenance.h"
#include "cli/timing.h"
#include "report/characterize.h"
#include "session/effects.h"
#include "session/streams.h"
#include "trace/accelsim.h"

enum {
  OPT_GPU = 1,
  OPT_INPUT,
  OPT_STRETCH,
  OPT_CONFIG,
  OPT_SET,
  OPT_NO_CONTRACT,
  OPT_OPCODE,
  OPT_THREADS,
  OPT_CLASSES,
  OPT_JOBS,
  OPT_JSON,
  OPT_CSV,
  OPT_STORE,
  OPT_CHECK,
  OPT_QUIET
};

/* Unless another is named: that of compare. */
#define DEFAULT_GPU "fermi-s3"
enum { DEFAULT_STRETCH = 1024, MAX_OPCODES = 256, STORE_WAIT_MS = 60000 };

static const struct weir_usage usage = {
    .command = "characterize",
    .synopsis = "WORKLOAD|FILE.yaml|FILE.wtrace|kernelslist.g [options]\n"
                "       weir characterize [options] -- PROGRAM [ARGUMENT ...]",
    .about =
        "What kind of workload is this, and what should I do about it? One timed run of the "
        "machine's own\n"
        "L1, and from the requests of each SM, for each load, array and kernel: how often lines "
        "are "
        "used\n"
        "again and how far apart, what misses are due to (first use, size, sets, stores), which "
        "loads and\n"
        "warps take each other's lines, how much of a line is used, how many lines would be "
        "enough, "
        "and the\n"
        "most hits that any L1 of that size can have. Sentences at the top say what follows, "
        "with the\n"
        "number of requests that each concerns; docs/characterize.md has all definitions and "
        "rules.\n"
        "\n"
        "A CUDA program (see 'weir help run') runs once; its output goes to stderr.",
    .has_program = 1,
    .neutral = " threads jobs config set json csv store check quiet" WEIR_PROV_NEUTRAL,
    .repeated = " opcode-class",
    .opts =
        (const struct weir_opt[]){
            {"gpu", 'g', "NAME",
             "the machine: one of 'weir list gpus', or a file ending in .yaml "
             "(default: " DEFAULT_GPU ", for\n"
             "programs " WEIR_PROGRAM_GPU ")",
             OPT_GPU},
            {"input", 'i', "NAME",
             "which of the file's inputs (default: the first); NAME@BUILD: and of its builds",
             OPT_INPUT},
            {"stretch", 0, "N",
             "count the footprint in stretches of N load requests of an SM (default: 1024)",
             OPT_STRETCH},
            {"config", 'c', "FILE", "read settings from a file (KEY: VALUE); --set wins over it",
             OPT_CONFIG},
            {"set", 's', "KEY=VALUE", "set a parameter ('weir list params'); may be repeated",
             OPT_SET},
            WEIR_NO_CONTRACT_OPTION(OPT_NO_CONTRACT),
            {"opcode-class", 0, "NAME=CLASS",
             "class of an opcode of an Accel-Sim trace that weir does not know; may be repeated",
             OPT_OPCODE},
            WEIR_PROGRAM_OPTIONS,
            {"threads", 't', "N",
             "host threads for timing; the results are the same for any number", OPT_THREADS},
            {"classes", 0, NULL,
             "four more runs, for classes: is it faster without the L1 (CNF, CI, CF), with "
             "shorter\n"
             "lines (CLN, CLP), and is it sensitive to the L1 at all?",
             OPT_CLASSES},
            {"jobs", 0, "N",
             "of these runs at a time (default: one for each core); the results are the same",
             OPT_JOBS},
            {"json", 'j', "FILE",
             "write everything as JSON ('-': to stdout, instead of the tables)", OPT_JSON},
            {"csv", 0, "FILE",
             "write a row of counts for the workload, each kernel and each load ('-': to stdout)",
             OPT_CSV},
            {"store", 0, "FILE",
             "keep the counts in a store (docs/store.md), as a run with statistics characterize.*",
             OPT_STORE},
            {"check", 0, NULL, "verify the conservation rules of the statistics", OPT_CHECK},
            {"quiet", 'q', NULL, "print nothing but errors", OPT_QUIET},
            WEIR_PROV_OPTIONS,
            {.name = NULL}},
    .examples = "  weir characterize spmv\n"
                "  weir characterize spmv --gpu v100 --json spmv.json\n"
                "  weir characterize gather --classes\n"
                "  weir characterize bfs --set l1.size=32K     the same with twice the L1\n"
                "  weir characterize spmv.wtrace --csv loads.csv\n"
                "  weir characterize spmv --store s.db\n"
                "  weir characterize --kernels spmv --count 3 -- ./app 1000\n",
};

struct characterize {
  const char *target, *gpu, *input, *json, *csv, *store_path, *opcodes[MAX_OPCODES];
  size_t n_opcodes;
  uint32_t stretch, threads, jobs; /* jobs 0: nobody said */
  bool check, quiet, is_trace, has_classes;
  struct weir_settings settings, given; /* given: on the command line alone */
  struct weir_arena arena;
  const char *path;
  struct weir_setup setup;
  struct weir_cli_watch watch;
  struct weir_character character;
  struct weir_characterize_about about;
  struct weir_store *store;
  struct weir_study_workload class_workload;
  struct weir_class_runs class_runs;
  struct weir_run_classes classes;
  struct ptx_exec_cfg exec;
  struct ptx_device dev; /* of a workload */
  bool has_device;
  struct weir_workload *workload;
  char **argv; /* of a program; NULL: there is none */
  struct weir_program_choice choice;
  struct weir_classify_program program;
  struct weir_prov prov;
};

/* ---- what it is ---- */

static bool ends_with(const char *s, const char *suffix) {
  size_t n = strlen(s), m = strlen(suffix);
  return n > m && strcmp(s + n - m, suffix) == 0;
}

static enum weir_status find_target(struct characterize *c, struct weir_err *err) {
  c->path = c->target;
  if (c->argv != NULL)
    return weir_classify_program_open(&c->program, c->argv, &c->settings, c->gpu, &c->choice, err);
  c->is_trace = ends_with(c->target, ".wtrace") || weir_is_accelsim(c->target);
  if (c->is_trace && c->input != NULL)
    return weir_fail(err, WEIR_EINVAL, "--input goes with a launch file, and %s is a trace",
                     c->target);
  if (c->n_opcodes > 0 && !weir_is_accelsim(c->target))
    return weir_fail(err, WEIR_EINVAL, "--opcode-class goes with an Accel-Sim trace");
  if (c->has_classes && weir_is_accelsim(c->target)) {
    weir_fail(err, WEIR_EINVAL,
              "--classes times a trace again and again, and %s is an Accel-Sim trace", c->target);
    weir_err_add(err, "make a .wtrace of it first: weir record -o app.wtrace %s", c->target);
    return WEIR_EINVAL;
  }
  if (c->is_trace || weir_is_launch_file(c->target)) return WEIR_OK;
  return weir_data_workload(&c->arena, c->target, &c->path, err);
}

static enum weir_status tell_provenance(struct characterize *c, struct weir_err *err) {
  enum weir_status st =
      weir_prov_open(&c->prov, c->json != NULL || c->csv != NULL || c->store_path != NULL, err);
  weir_prov_option(&c->prov, "gpu", c->gpu);
  if (st == WEIR_OK) st = weir_prov_setup(&c->prov, c->gpu, "baseline", NULL, &c->settings, err);
  if (st != WEIR_OK) return st;
  if (c->argv != NULL)
    st = weir_prov_program(&c->prov, c->argv[0], c->program.program.path, err);
  else if (c->is_trace)
    st = weir_prov_trace(&c->prov, c->path, err);
  else
    st = weir_prov_workload(&c->prov, c->target, c->path, c->input, err);
  return st == WEIR_OK ? weir_prov_close(&c->prov, err) : st;
}

/* The machine's own L1. */
static enum weir_status open_setup(struct characterize *c, struct weir_err *err) {
  struct weir_line_up line_up = {.scheme = "baseline"};
  const struct weir_settings *settings = &c->settings;
  enum weir_status st = weir_settings_fill(&c->settings, &ptx_exec_params, &c->exec, err);
  if (st == WEIR_OK) st = weir_data_machine(&c->settings, c->gpu, err);
  if (st == WEIR_OK) st = find_target(c, err);
  if (st == WEIR_OK) st = weir_setup_open(&c->setup, c->gpu, &line_up, &c->settings, c->check, err);
  if (st != WEIR_OK) return st;
  return weir_uses_check(&settings,
                         &(struct weir_use){.setup = &c->setup,
                                            .is_executed = !c->is_trace,
                                            .is_program = c->argv != NULL,
                                            .has_streams = !c->is_trace},
                         1, err);
}

/* ---- the run ---- */

/* Output of printf in kernels. */
static void print_text(void *self, const char *text, size_t n) {
  fwrite(text, 1, n, self);
}

static enum weir_status begin(struct characterize *c, struct weir_err *err) {
  struct weir_timing_options with = {.threads = c->threads, .check = c->check};
  weir_cli_watch(&c->watch, false, &with);
  return weir_character_begin(&c->character, &c->setup, &with, c->about.workload, c->stretch, err);
}

static enum weir_status run_workload(struct characterize *c, struct weir_err *err) {
  enum weir_status st = ptx_device_init(&c->dev, &c->exec, err);
  c->has_device = st == WEIR_OK;
  if (st != WEIR_OK) return st;
  c->dev.output = (struct ptx_output){.self = stderr, .print = print_text};
  st = weir_workload_open(&c->dev, c->path, c->input, &c->workload, err);
  if (st != WEIR_OK) return st;
  const struct weir_launchfile *lf = weir_workload_file(c->workload);
  c->about.workload = lf->name;
  c->about.input = lf->input != NULL ? lf->input : "";
  st = begin(c, err);
  for (uint32_t i = 0; st == WEIR_OK && i < lf->n_launches; i++)
    st = weir_character_know(&c->character, weir_workload_program(c->workload, i), err);
  struct weir_workload_hooks h = {
      .simulate = weir_character_kernel, .self = &c->character, .want_streams = true};
  if (st == WEIR_OK) st = weir_workload_run(c->workload, &h, err);
  return st == WEIR_OK ? weir_workload_check(c->workload, err) : st;
}

static enum weir_status run_program(struct characterize *c, struct weir_err *err) {
  c->about.workload = c->program.program.name;
  c->program.left_out = "shown without arrays";
  enum weir_status st = weir_classify_program_run(&c->program, &c->exec, c->quiet, err);
  if (st == WEIR_OK) st = begin(c, err);
  for (uint32_t i = 0; st == WEIR_OK && i < c->program.n_programs; i++)
    st = weir_character_know(&c->character, c->program.programs[i], err);
  return st == WEIR_OK ? weir_replay(c->program.trace, weir_character_kernel, &c->character, err)
                       : st;
}

static enum weir_status run_trace(struct characterize *c, struct weir_err *err) {
  c->about.workload = c->path;
  enum weir_status st = begin(c, err);
  if (st != WEIR_OK) return st;
  const struct weir_source source = {.kind = weir_is_accelsim(c->path) ? WEIR_SOURCE_ACCELSIM
                                                                       : WEIR_SOURCE_TRACE,
                                     .path = c->path,
                                     .opcode_class = c->opcodes,
                                     .n_opcodes = c->n_opcodes};
  return weir_source_run(&source, weir_character_kernel, &c->character, err);
}

static enum weir_status run(struct characterize *c, struct weir_err *err) {
  c->about = (struct weir_characterize_about){.input = "", .gpu = c->gpu};
  enum weir_status st = c->argv != NULL ? run_program(c, err)
                        : c->is_trace   ? run_trace(c, err)
                                        : run_workload(c, err);
  return st == WEIR_OK ? weir_character_end(&c->character, c->check, err) : st;
}

/* ---- classes ---- */

/* As studies have it. */
static struct weir_study_workload study_workload(const struct characterize *c) {
  return (struct weir_study_workload){.name = c->argv != NULL ? c->program.program.name : c->target,
                                      .path = c->argv != NULL ? c->program.trace : c->path,
                                      .input = c->about.input[0] != 0 ? c->about.input : NULL,
                                      .is_trace = c->is_trace || c->argv != NULL};
}

static enum weir_status run_classes(struct characterize *c, struct weir_err *err) {
  struct weir_sim_result sum;
  if (!c->has_classes) return WEIR_OK;
  c->class_workload = study_workload(c);
  c->class_runs = (struct weir_class_runs){.gpu = c->gpu,
                                           .machine = &c->setup.machine,
                                           .given = &c->given,
                                           .exec = &c->exec,
                                           .jobs = c->jobs > 0 ? c->jobs : weir_cli_cores(),
                                           .check = c->check,
                                           .is_quiet = c->quiet};
  weir_timing_total(&c->character.timing, &sum);
  c->classes.own = sum.cycles;
  return weir_class_runs(&c->class_runs, &c->class_workload, &c->classes, err);
}

/* ---- reports ---- */

static enum weir_status write_json(const struct characterize *c,
                                   const struct weir_characterize_view *v, struct weir_err *err) {
  json_t *root = weir_provenance_first(weir_prov_shown(&c->prov), weir_characterize_json(v));
  char *text = root != NULL ? json_dumps(root, JSON_INDENT(1)) : NULL;
  struct weir_text out = {0};
  json_decref(root);
  if (text != NULL) weir_text_printf(&out, "%s\n", text);
  enum weir_status st =
      text != NULL && !out.failed ? weir_cli_put(c->json, out.v, out.n, err) : weir_no_memory(err);
  free(text);
  weir_text_free(&out);
  return st;
}

static enum weir_status write_csv(const struct characterize *c,
                                  const struct weir_characterize_view *v, struct weir_err *err) {
  struct weir_text out = {0};
  weir_provenance_lines(weir_prov_shown(&c->prov), &out);
  enum weir_status st = weir_characterize_csv(v, &out, err);
  if (st == WEIR_OK) st = weir_cli_put(c->csv, out.v, out.n, err);
  weir_text_free(&out);
  return st;
}

static enum weir_status keep(const struct characterize *c, struct weir_err *err) {
  const struct weir_provenance *p = weir_prov_shown(&c->prov);
  struct weir_study_workload w = study_workload(c);
  char *text = p != NULL && p->root != NULL ? json_dumps(p->root, JSON_COMPACT) : NULL;
  enum weir_status st = weir_character_keep(
      &c->character,
      &(struct weir_character_run){.workload = &w,
                                   .settings = &c->settings,
                                   .gpu = c->gpu,
                                   .provenance = text,
                                   .classes = c->has_classes ? &c->classes : NULL},
      c->store, err);
  free(text);
  return st;
}

static enum weir_status write_text(const struct weir_characterize_view *v, struct weir_err *err) {
  struct weir_text out = weir_cli_text();
  enum weir_status st = weir_characterize_text(v, &out, err);
  if (st != WEIR_OK) {
    weir_text_free(&out);
    return st;
  }
  return weir_cli_print(&out) == 0 ? WEIR_OK : weir_fail(err, WEIR_EIO, "cannot write to stdout");
}

static enum weir_status report(const struct characterize *c, struct weir_err *err) {
  struct weir_characterize_view v;
  enum weir_status st =
      weir_characterize_view(&v, &c->character, &c->about, c->has_classes ? &c->classes : NULL)
          ? WEIR_OK
          : weir_no_memory(err);
  if (st == WEIR_OK && c->json != NULL) st = write_json(c, &v, err);
  if (st == WEIR_OK && c->csv != NULL) st = write_csv(c, &v, err);
  if (st == WEIR_OK && c->store != NULL) st = keep(c, err);
  if (st == WEIR_OK) st = weir_cli_commit(err);
  if (st == WEIR_OK && !c->quiet && !weir_cli_is_stdout(c->json) && !weir_cli_is_stdout(c->csv))
    st = write_text(&v, err);
  weir_characterize_view_free(&v);
  return st;
}

/* ---- the command ---- */

static enum weir_status set_number(const char *option, const char *text, int64_t most,
                                   uint32_t *out, struct weir_err *err) {
  int64_t n;
  if (!weir_parse_int(text, &n) || n < 1 || n > most)
    return weir_fail(err, WEIR_EINVAL, "%s %s: want a number from 1 to %lld", option, text,
                     (long long)most);
  *out = (uint32_t)n;
  return WEIR_OK;
}

static enum weir_status set_option(struct characterize *c, int id, const char *value,
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
  case OPT_STRETCH:
    return set_number("--stretch", value, 1 << 30, &c->stretch, err);
  case OPT_CONFIG:
    return weir_settings_file(&c->settings, value, err);
  case OPT_SET:
    return weir_settings_assign(&c->settings, value, err);
  case OPT_NO_CONTRACT:
    return weir_settings_assign(&c->settings, WEIR_NO_CONTRACT, err);
  case OPT_OPCODE:
    if (c->n_opcodes == MAX_OPCODES)
      return weir_fail(err, WEIR_EINVAL, "at most %d opcodes", MAX_OPCODES);
    c->opcodes[c->n_opcodes++] = value;
    break;
  case OPT_THREADS:
    return set_number("--threads", value, 256, &c->threads, err);
  case OPT_CLASSES:
    c->has_classes = true;
    break;
  case OPT_JOBS:
    return weir_cli_jobs(value, &c->jobs, err);
  case OPT_JSON:
    c->json = value;
    break;
  case OPT_CSV:
    c->csv = value;
    break;
  case OPT_STORE:
    c->store_path = value;
    break;
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

static int check_program(const struct characterize *c) {
  if (c->argv[0] == NULL) return weir_cli_usage("characterize", "which program? It comes after --");
  if (c->target != NULL || c->input != NULL)
    return weir_cli_usage("characterize", "workloads and --input do not go with a program");
  if (c->n_opcodes > 0)
    return weir_cli_usage("characterize", "--opcode-class goes with an Accel-Sim trace");
  return -1;
}

/* Returns -1 to go on, else the exit code. */
static int parse_options(int argc, char **argv, struct characterize *c) {
  struct weir_args args = {.argc = argc, .argv = argv, .at = 1};
  struct weir_err err;
  for (int id; (id = weir_opt_next(&args, &usage)) != WEIR_OPT_END;) {
    if (id == WEIR_OPT_DONE) return args.exit_code;
    if (weir_is_prov_option(id)) continue; /* looked at already */
    if (set_option(c, id, args.value, &err) != WEIR_OK) return weir_cli_error(&err);
  }
  c->argv = args.program;
  if (c->gpu == NULL) c->gpu = c->argv != NULL ? WEIR_PROGRAM_GPU : DEFAULT_GPU;
  if (c->jobs > 0 && !c->has_classes)
    return weir_cli_usage("characterize", "--jobs is for the runs of --classes");
  if (weir_cli_is_stdout(c->json) && weir_cli_is_stdout(c->csv))
    return weir_cli_usage("characterize", "one output can go to stdout, not several");
  if (c->argv != NULL) return check_program(c);
  if (weir_program_is_chosen(&c->choice))
    return weir_cli_usage("characterize", WEIR_PROGRAM_NAMES " go with a "
                                                             "program: -- PROGRAM");
  if (c->target == NULL)
    return weir_cli_usage("characterize",
                          "which workload? See 'weir list workloads', or name a launch file, a "
                          "trace, or a program after --");
  return -1;
}

static enum weir_status characterize(struct characterize *c, struct weir_err *err) {
  enum weir_status st = weir_settings_copy(&c->given, &c->settings, err);
  if (st == WEIR_OK) st = open_setup(c, err);
  if (st == WEIR_OK) st = weir_cli_output("--json", c->json, err);
  if (st == WEIR_OK) st = weir_cli_output("--csv", c->csv, err);
  if (st == WEIR_OK) st = tell_provenance(c, err);
  if (st == WEIR_OK && c->store_path != NULL)
    st = weir_store_open(c->store_path, WEIR_STORE_WRITE,
                         &(struct weir_store_options){.wait_ms = STORE_WAIT_MS}, &c->store, err);
  if (st == WEIR_OK) st = run(c, err);
  if (st == WEIR_OK) st = run_classes(c, err);
  return st == WEIR_OK ? report(c, err) : st;
}

static void free_all(struct characterize *c) {
  weir_store_close(c->store);
  weir_character_free(&c->character);
  if (c->workload != NULL) weir_workload_close(c->workload);
  if (c->has_device) ptx_device_free(&c->dev);
  weir_classify_program_free(&c->program);
  weir_setup_free(&c->setup);
  weir_class_runs_free(&c->class_runs);
  weir_settings_free(&c->settings);
  weir_settings_free(&c->given);
  weir_arena_free(&c->arena);
  weir_prov_free(&c->prov);
}

int weir_cmd_characterize(int argc, char **argv) {
  struct characterize c = {.stretch = DEFAULT_STRETCH, .threads = 1, .choice = WEIR_PROGRAM_ALL};
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
    bool is_good = characterize(&c, &err) == WEIR_OK;
    code = is_good ? WEIR_EXIT_OK : weir_cli_error(&err);
    if (!is_good && weir_cli_signal() != 0) code = 128 + weir_cli_signal();
    if (is_good && (c.program.recording.n_failed > 0 || c.program.result.is_failed))
      code = WEIR_EXIT_FAILED;
    if (c.program.result.exit_code != 0) code = c.program.result.exit_code;
  }
  free_all(&c);
  return code;
}
