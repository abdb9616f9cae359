/* weir advise WORKLOAD|FILE.yaml, weir advise -- PROGRAM */
#include <jansson.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/number.h"
#include "cli/advise_patch.h"
#include "cli/cmd.h"
#include "cli/hinted_ptx.h"
#include "cli/job.h"
#include "cli/provenance.h"
#include "report/advise.h"
#include "session/effects.h"

enum {
  OPT_GPU = 1,
  OPT_INPUT,
  OPT_OUTPUT,
  OPT_PATCH,
  OPT_JSON,
  OPT_TRIALS,
  OPT_REPEAT,
  OPT_MIN_GAIN,
  OPT_CONFIG,
  OPT_SET,
  OPT_NO_CONTRACT,
  OPT_JOBS,
  OPT_CHECK,
  OPT_QUIET
};

enum {
  MAX_OUTPUTS = WEIR_LF_MODULES,
  TRIALS = 64,
  MAX_TRIALS = 4096,
  REPEATS = 5,
  MAX_REPEATS = 100
};

static const struct weir_usage usage = {
    .command = "advise",
    .synopsis = "WORKLOAD|FILE.yaml [-o FILE.ptx] [--patch FILE] [options]\n"
                "       weir advise [options] -- PROGRAM [ARGUMENT ...]",
    .about =
        "Which hints on loads make it faster? It is executed once, and what it did is timed again "
        "and\n"
        "again with loads past the L1 (.cg, L1::no_allocate) or kept long (L1::evict_last), and "
        "with "
        "every\n"
        "division of L1 and shared memory that the machine has. What is best is timed with small "
        "delays\n"
        "by chance, and advised if it is faster than the text as it is in spite of them.\n"
        "\n"
        "The advice goes into the PTX (-o), for weir, for ptxas and a real GPU, or becomes a patch "
        "of the\n"
        "CUDA source (--patch), where the PTX has its lines (nvcc -lineinfo). Loads that have an "
        "operator,\n"
        "an L1 priority or an order of memory (volatile, relaxed, acquire) keep it. docs/advise.md "
        "says\n"
        "more.\n"
        "\n"
        "A CUDA program (see 'weir help run') runs once; its output goes to stderr. Of its PTX "
        "that "
        "is in\n"
        "use, -o FILE.ptx writes the second module to FILE-2.ptx, and so on.",
    .has_program = 1,
    .neutral = " output patch json config set jobs check quiet" WEIR_PROV_NEUTRAL,
    .opts =
        (const struct weir_opt[]){
            {"gpu", 'g', "NAME",
             "the machine: one of 'weir list gpus', or a file ending in .yaml (default: h200)",
             OPT_GPU},
            {"input", 'i', "NAME",
             "which of the file's inputs (default: profile if there is one, else the first)",
             OPT_INPUT},
            {"output", 'o', "FILE",
             "write the PTX with the hints on its loads, otherwise unchanged; once for each module "
             "of\n"
             "the launch file, in their order",
             OPT_OUTPUT},
            {"patch", 0, "FILE",
             "write the hints as a patch of the CUDA source, for patch -p1 ('-': to stdout, "
             "instead "
             "of\n"
             "the table)",
             OPT_PATCH},
            {"json", 'j', "FILE", "write all counts as JSON ('-': to stdout, instead of the table)",
             OPT_JSON},
            {"trials", 0, "N", "timings of the search at most (default: 64)", OPT_TRIALS},
            {"repeat", 0, "N",
             "timings with delays by chance, of the text as it is and of what was found (default: "
             "5)",
             OPT_REPEAT},
            {"min-gain", 0, "PERCENT", "what gains less is not advised (default: 1)", OPT_MIN_GAIN},
            {"config", 'c', "FILE", "read settings from a file (KEY: VALUE); --set wins over it",
             OPT_CONFIG},
            {"set", 's', "KEY=VALUE", "set a parameter ('weir list params'); may be repeated",
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
    .examples = "  weir advise gather\n"
                "  weir advise gather -o gather-advised.ptx --patch gather.patch\n"
                "  weir advise spmv --gpu v100 --trials 20 --min-gain 2\n"
                "  weir advise --patch app.patch --count 3 -- ./app 1000\n",
};

struct advise {
  const char *target, *gpu, *input, *json, *patch, *outputs[MAX_OUTPUTS];
  uint32_t n_outputs, jobs, trials, repeats;
  double least;
  bool check, quiet, showed;
  struct weir_settings settings;
  struct weir_arena arena;
  const char *path;
  struct ptx_exec_cfg exec;
  struct weir_cls_cfg cls;
  struct weir_setup setup;
  struct weir_advised advised;
  struct weir_advise_verdict verdict;
  struct weir_classify_about about;
  char **argv; /* of a program; NULL: it is a workload */
  struct weir_program_choice choice;
  struct weir_classify_program program;
  struct weir_prov prov;
};

/* ---- what to look at ---- */

static enum weir_status find_program(struct advise *c, struct weir_err *err) {
  enum weir_status st =
      weir_classify_program_open(&c->program, c->argv, &c->settings, c->gpu, &c->choice, err);
  c->program.left_out = "left as it is";
  c->about =
      (struct weir_classify_about){.workload = c->program.program.name, .input = "", .gpu = c->gpu};
  return st;
}

/* The launch file, and which of its inputs. */
static enum weir_status find_target(struct advise *c, struct weir_err *err) {
  struct weir_launchfile *lf;
  enum weir_status st = WEIR_OK;
  if (c->argv != NULL) return find_program(c, err);
  c->path = c->target;
  if (!weir_is_launch_file(c->target)) st = weir_data_workload(&c->arena, c->target, &c->path, err);
  if (st == WEIR_OK) st = weir_profile_input(c->path, c->input, &c->arena, &c->input, err);
  if (st == WEIR_OK) st = weir_launchfile_load(c->path, c->input, &lf, err);
  if (st != WEIR_OK) return st;
  c->about = (struct weir_classify_about){
      .workload = weir_arena_printf(&c->arena, "%s", lf->name),
      .input = weir_arena_printf(&c->arena, "%s", lf->input != NULL ? lf->input : ""),
      .gpu = c->gpu};
  if (c->about.workload == NULL || c->about.input == NULL) st = weir_no_memory(err);
  if (st == WEIR_OK) st = weir_hinted_ptx_check(c->path, lf, c->n_outputs, err);
  weir_launchfile_free(lf);
  return st;
}

static enum weir_status tell_provenance(struct advise *c, struct weir_err *err) {
  enum weir_status st = weir_prov_open(&c->prov, c->json != NULL, err);
  weir_prov_option(&c->prov, "gpu", c->gpu);
  if (c->argv == NULL && c->input != NULL) weir_prov_option(&c->prov, "input", c->input);
  if (st == WEIR_OK) st = weir_prov_setup(&c->prov, c->gpu, "baseline", NULL, &c->settings, err);
  if (st == WEIR_OK && c->argv != NULL)
    st = weir_prov_program(&c->prov, c->argv[0], c->program.program.path, err);
  else if (st == WEIR_OK)
    st = weir_prov_workload(&c->prov, c->target, c->path, c->input, err);
  return st == WEIR_OK ? weir_prov_close(&c->prov, err) : st;
}

/* The machine's own L1. */
static enum weir_status open_setup(struct advise *c, struct weir_err *err) {
  struct weir_line_up line_up = {.scheme = "baseline"};
  const struct weir_settings *settings = &c->settings;
  enum weir_status st = weir_settings_fill(&c->settings, &ptx_exec_params, &c->exec, err);
  if (st == WEIR_OK) st = weir_settings_fill(&c->settings, &weir_cls_params, &c->cls, err);
  if (st == WEIR_OK) st = weir_setup_open(&c->setup, c->gpu, &line_up, &c->settings, c->check, err);
  if (st != WEIR_OK) return st;
  return weir_uses_check(&settings,
                         &(struct weir_use){.setup = &c->setup,
                                            .is_executed = true,
                                            .is_program = c->argv != NULL,
                                            .has_streams = true},
                         1, err);
}

/* ---- the search ---- */

static void show_progress(void *self, uint32_t done, uint32_t most) {
  struct advise *c = self;
  if (most == 0)
    fprintf(stderr, "\r\033[Krecording %s", c->about.workload);
  else
    fprintf(stderr, "\r\033[K%s: %u timings, at most %u", c->about.workload, done, most);
  fflush(stderr);
  c->showed = true;
}

static enum weir_status search(struct advise *c, struct weir_err *err) {
  struct weir_advise_request r = {
      .what = {.path = c->path,
               .trace = c->argv != NULL ? c->program.trace : NULL,
               .programs = c->program.programs,
               .n_programs = c->program.n_programs,
               .input = c->input,
               .exec = &c->exec,
               .cls = &c->cls,
               .jobs = c->jobs,
               .check = c->check,
               .progress = isatty(STDERR_FILENO) && !c->quiet ? show_progress : NULL,
               .is_stopped = weir_cli_is_stopped,
               .self = c},
      .setup = &c->setup,
      .trials = c->trials,
      .repeats = c->repeats,
      .least = c->least};
  weir_cli_signals_hold();
  enum weir_status st = weir_advise_run(&r, &c->advised, err);
  weir_cli_signals_release();
  if (c->showed) fputs("\r\033[K", stderr);
  if (st != WEIR_OK) return st;
  c->verdict = weir_advise_judge(&c->advised, c->least);
  if (!c->verdict.is_good) weir_advised_drop(&c->advised);
  return WEIR_OK;
}

/* ---- files and reports ---- */

static enum weir_hint hint_of(const void *self, uint32_t kernel, uint32_t load) {
  const struct weir_advised *a = self;
  return a->loads[a->profile.kernels[kernel].first + load].hint;
}

static enum weir_status write_ptx(struct advise *c, struct weir_err *err) {
  struct weir_hinted_ptx h = {.paths = c->outputs,
                              .n_paths = c->n_outputs,
                              .profile = &c->advised.profile,
                              .program = c->argv != NULL ? &c->program : NULL,
                              .hint = hint_of,
                              .self = &c->advised,
                              .is_quiet = c->quiet,
                              .arena = &c->arena};
  return weir_hinted_ptx_write(&h, err);
}

static enum weir_status write_patch(struct advise *c, struct weir_err *err) {
  struct weir_text out = {0};
  enum weir_status st = weir_advise_patch(&c->advised, c->path, c->quiet, &out, err);
  if (st == WEIR_OK) st = weir_cli_put(c->patch, out.v != NULL ? out.v : "", out.n, err);
  weir_text_free(&out);
  return st;
}

static enum weir_status write_json(const struct advise *c, struct weir_err *err) {
  json_t *root = weir_provenance_first(weir_prov_shown(&c->prov),
                                       weir_advise_json(&c->advised, &c->verdict, &c->about));
  char *text = root != NULL ? json_dumps(root, JSON_INDENT(1) | JSON_REAL_PRECISION(9)) : NULL;
  struct weir_text out = {0};
  json_decref(root);
  if (text != NULL) weir_text_printf(&out, "%s\n", text);
  enum weir_status st =
      text != NULL && !out.failed ? weir_cli_put(c->json, out.v, out.n, err) : weir_no_memory(err);
  free(text);
  weir_text_free(&out);
  return st;
}

static enum weir_status write_text(const struct advise *c, struct weir_err *err) {
  struct weir_text out = weir_cli_text();
  enum weir_status st = weir_advise_text(&c->advised, &c->verdict, &c->about, c->least, &out, err);
  if (st != WEIR_OK) {
    weir_text_free(&out);
    return st;
  }
  return weir_cli_print(&out) == 0 ? WEIR_OK : weir_fail(err, WEIR_EIO, "cannot write to stdout");
}

/* How many outputs go to stdout, which then has no table. */
static uint32_t n_stdout(const struct advise *c) {
  uint32_t n = (uint32_t)weir_cli_is_stdout(c->json) + (uint32_t)weir_cli_is_stdout(c->patch);
  for (uint32_t i = 0; i < c->n_outputs; i++)
    n += weir_cli_is_stdout(c->outputs[i]);
  return n;
}

static enum weir_status report(struct advise *c, struct weir_err *err) {
  enum weir_status st = write_ptx(c, err);
  if (st == WEIR_OK && c->patch != NULL) st = write_patch(c, err);
  if (st == WEIR_OK && c->json != NULL) st = write_json(c, err);
  if (st == WEIR_OK) st = weir_cli_commit(err);
  return st == WEIR_OK && !c->quiet && n_stdout(c) == 0 ? write_text(c, err) : st;
}

static enum weir_status open_outputs(const struct advise *c, struct weir_err *err) {
  enum weir_status st = weir_cli_output("--json", c->json, err);
  if (st == WEIR_OK) st = weir_cli_output("--patch", c->patch, err);
  for (uint32_t i = 0; st == WEIR_OK && i < c->n_outputs; i++)
    st = weir_cli_output("--output", c->outputs[i], err);
  return st;
}

/* ---- the command ---- */

static enum weir_status set_number(const char *option, const char *text, int64_t least,
                                   int64_t most, uint32_t *out, struct weir_err *err) {
  int64_t n;
  if (!weir_parse_int(text, &n) || n < least || n > most)
    return weir_fail(err, WEIR_EINVAL, "%s %s: want a number from %lld to %lld", option, text,
                     (long long)least, (long long)most);
  *out = (uint32_t)n;
  return WEIR_OK;
}

static enum weir_status set_percent(const char *text, double *out, struct weir_err *err) {
  double v;
  if (!weir_parse_real(text, &v) || !(v >= 0 && v <= 100))
    return weir_fail(err, WEIR_EINVAL, "--min-gain %s: want percent, from 0 to 100", text);
  *out = v / 100;
  return WEIR_OK;
}

static enum weir_status set_output(struct advise *c, const char *value, struct weir_err *err) {
  if (c->n_outputs == MAX_OUTPUTS)
    return weir_fail(err, WEIR_EINVAL, "at most %d outputs", MAX_OUTPUTS);
  c->outputs[c->n_outputs++] = value;
  return WEIR_OK;
}

static enum weir_status set_option(struct advise *c, int id, const char *value,
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
    return set_output(c, value, err);
  case OPT_PATCH:
    c->patch = value;
    break;
  case OPT_JSON:
    c->json = value;
    break;
  case OPT_TRIALS:
    return set_number("--trials", value, 1, MAX_TRIALS, &c->trials, err);
  case OPT_REPEAT:
    return set_number("--repeat", value, 2, MAX_REPEATS, &c->repeats, err);
  case OPT_MIN_GAIN:
    return set_percent(value, &c->least, err);
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
static int parse_options(int argc, char **argv, struct advise *c) {
  struct weir_args args = {.argc = argc, .argv = argv, .at = 1};
  struct weir_err err;
  for (int id; (id = weir_opt_next(&args, &usage)) != WEIR_OPT_END;) {
    if (id == WEIR_OPT_DONE) return args.exit_code;
    if (weir_is_prov_option(id)) continue; /* looked at already */
    if (set_option(c, id, args.value, &err) != WEIR_OK) return weir_cli_error(&err);
  }
  c->argv = args.program;
  const struct weir_one_target given = {"advise", c->target, c->input, c->argv, c->n_outputs};
  const int done = weir_program_or_workload(&given, &c->choice);
  if (done >= 0) return done;
  if (n_stdout(c) > 1) return weir_cli_usage("advise", "one output can go to stdout, not several");
  return -1;
}

static enum weir_status advise(struct advise *c, struct weir_err *err) {
  enum weir_status st = weir_data_machine(&c->settings, c->gpu, err);
  if (st == WEIR_OK) st = find_target(c, err);
  if (st == WEIR_OK) st = open_outputs(c, err);
  if (st == WEIR_OK) st = open_setup(c, err);
  if (st == WEIR_OK) st = tell_provenance(c, err);
  if (st == WEIR_OK && c->argv != NULL)
    st = weir_classify_program_run(&c->program, &c->exec, c->quiet, err);
  if (st == WEIR_OK) st = search(c, err);
  if (st != WEIR_OK) return st;
  st = report(c, err);
  weir_advised_free(&c->advised);
  return st;
}

int weir_cmd_advise(int argc, char **argv) {
  struct advise c = {.gpu = "h200",
                     .jobs = weir_cli_cores(),
                     .trials = TRIALS,
                     .repeats = REPEATS,
                     .least = 0.01,
                     .choice = WEIR_PROGRAM_ALL};
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
    bool is_good = advise(&c, &err) == WEIR_OK;
    code = is_good ? WEIR_EXIT_OK : weir_cli_error(&err);
    if (!is_good && weir_cli_signal() != 0) code = 128 + weir_cli_signal();
    if (is_good && (c.program.recording.n_failed > 0 || c.program.result.is_failed))
      code = WEIR_EXIT_FAILED;
    if (c.program.result.exit_code != 0) code = c.program.result.exit_code;
  }
  weir_setup_free(&c.setup);
  weir_classify_program_free(&c.program);
  weir_settings_free(&c.settings);
  weir_prov_free(&c.prov);
  weir_arena_free(&c.arena);
  return code;
}
