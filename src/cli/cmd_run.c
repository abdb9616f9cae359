/* weir run WORKLOAD|FILE.yaml, weir run -- PROGRAM */
#include <inttypes.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include <xxhash.h>

#include "base/config.h"
#include "base/json.h"
#include "base/stat_io.h"
#include "cli/cmd.h"
#include "cli/job.h"
#include "cli/provenance.h"
#include "cli/run_program.h"
#include "cli/timeline.h"
#include "cli/timing.h"
#include "cli/timing_opts.h"
#include "session/effects.h"

enum {
  OPT_INPUT = 1,
  OPT_MAX,
  OPT_NO_CONTRACT,
  OPT_STREAMS,
  OPT_OUTPUT,
  OPT_FUNCTIONAL,
  OPT_PER_LAUNCH,
  OPT_GPU,
  OPT_PLUGIN
};

static const struct weir_usage usage = {
    .command = "run",
    .synopsis = "WORKLOAD|FILE.yaml ... [options]\n       weir run [options] -- PROGRAM "
                "[ARGUMENT ...]",
    .about =
        "Run built-in workloads (see 'weir list workloads'; the name of a set, or 'all', stands "
        "for\n"
        "every one of it that has the input) or launch files: execute their kernels, check the "
        "expected\n"
        "results and print what was executed. With --gpu their kernels are timed on that machine, "
        "too,\n"
        "with the L1 design that --scheme names: cycles, hits and misses, stalls, traffic, "
        "energy.\n"
        "The exit code is 0 if everything ran and all expected results came out, 1 if not, 2 for\n"
        "mistakes in the input.\n"
        "\n"
        "Or run a CUDA program as it is, here, without a GPU: it does its work on the host, and "
        "weir\n"
        "executes its kernels and times them on --gpu (default: " WEIR_PROGRAM_GPU
        "). It must hold PTX and not\n"
        "be stripped, or be linked with 'nvcc -cudart shared'; if weir cannot run it, it says so "
        "before it\n"
        "does. The program's input, output and exit code are its own; weir's tables go to stderr.\n"
        "docs/programs.md says more.",
    .has_program = 1,
    .neutral =
        " streams per-launch max-instructions output" WEIR_TIMING_NEUTRAL WEIR_TIMELINE_NEUTRAL
            WEIR_PROV_NEUTRAL,
    .repeated = " plugin bypass",
    .opts =
        (const struct weir_opt[]){
            {"input", 'i', "NAME",
             "which of the file's inputs (default: the first); NAME@BUILD: and of its builds",
             OPT_INPUT},
            {"gpu", 'g', "NAME",
             "time the kernels on a machine: one of 'weir list gpus', or a file ending in .yaml",
             OPT_GPU},
            {"plugin", 'p', "FILE.so",
             "load a policy of your own (docs/tutorial-own-policy.md); it comes before those of "
             "the\n"
             "scheme, unless --policies says where; may be repeated; the machine is fermi-s3 "
             "unless\n"
             "--gpu names one",
             OPT_PLUGIN},
            {"functional", 'f', NULL, "execute only, without timing (a workload: as without --gpu)",
             OPT_FUNCTIONAL},
            {"streams", 0, NULL, "produce warp streams as well, and say how large they are",
             OPT_STREAMS},
            {"per-launch", 0, NULL,
             "show every launch, besides the sums of each kernel (in JSON always)", OPT_PER_LAUNCH},
            {"max-instructions", 'm', "N",
             "stop with an error after N warp instructions in a launch", OPT_MAX},
            WEIR_NO_CONTRACT_OPTION(OPT_NO_CONTRACT),
            {"output", 'o', "BUFFER=FILE",
             "write a buffer's final contents as raw bytes; may be repeated", OPT_OUTPUT},
            WEIR_PROGRAM_OPTIONS,
            WEIR_TIMING_OPTIONS,
            WEIR_TIMELINE_OPTIONS,
            WEIR_PROV_OPTIONS,
            {.name = NULL}},
    .examples = "  weir run spmv\n"
                "  weir run kernels --input profile\n"
                "  weir run spmv --gpu fermi-s3\n"
                "  weir run spmv --plugin ./my_policy.so\n"
                "  weir run spmv --gpu fermi-s3 --organisation tag-split --policies "
                "pc-bypass,tsc-plus\n"
                "  weir run spmv --gpu fermi-s4 --bypass spmv.cu:12\n"
                "  weir run spmv --input profile --gpu fermi-s3 --timeline spmv.trace.json\n"
                "  weir run spmv --input profile --json spmv.json\n"
                "  weir run --like spmv.json --set l1.mshr_entries=64 --gpu fermi-s3\n"
                "  weir run my/launch.yaml --set exec.quantum=64 -o y=y.bin\n"
                "  nvcc -arch=sm_75 -o app app.cu && weir run -- ./app 1000\n"
                "  weir run --gpu a100 --kernels spmv --count 10 --json app.json -- ./app 1000\n"
                "  weir run --profiler-region -- ./app 1000\n"
                "  weir run --gpu a100 --clocks -- ./app 1000\n",
};

enum { MAX_OUTPUTS = 64 };

struct words {
  const char **v;
  size_t n, cap;
};

struct run_opts {
  struct words targets;
  const char *input, *outputs[MAX_OUTPUTS];
  unsigned n_outputs;
  bool streams, is_functional, per_launch, has_plugin;
  struct weir_timing_opts t;
  struct weir_program_choice choice;
  struct weir_cli_timeline timeline;
  char **program;
  struct weir_prov prov;
};

struct run_state {
  struct weir_setup setup;
  struct weir_timing timing;
  struct weir_cli_watch watch;
  struct weir_timed_profiles profiles;
  struct weir_run_report report;
  uint64_t n_unchecked;
  bool is_terminal, showed_progress;
  time_t started, shown;
};

static void launched(void *self, const struct weir_launch_report *l) {
  struct run_state *st = self;
  weir_run_report_launch(&st->report, l);
}

static enum weir_status simulate(void *self, struct weir_block_source *source,
                                 struct weir_err *err) {
  struct run_state *st = self;
  return weir_timing_kernel(&st->timing, source, err);
}

/* A line on a terminal once something takes longer than two seconds. */
static void progress(void *self, const char *kernel, uint64_t done, uint64_t n) {
  struct run_state *st = self;
  if (!st->is_terminal) return;
  time_t now = time(NULL);
  if (now - st->started < 2 || now == st->shown) return;
  st->shown = now;
  st->showed_progress = true;
  fprintf(stderr, "\r\033[K%s %s: block %" PRIu64 " of %" PRIu64 " (%.0f %%), launch %" PRIu64,
          st->report.workload, kernel, done, n, n ? 100.0 * (double)done / (double)n : 100.0,
          st->report.launches + 1);
  fflush(stderr);
}

static enum weir_status report_text(const struct run_opts *o, const struct run_state *st,
                                    struct weir_err *err) {
  struct weir_text out = weir_cli_text();
  uint64_t n = st->report.n_runs;
  enum weir_status code = weir_run_report_text(&st->report, o->streams, &o->t.views, &out, err);
  if (st->n_unchecked == 0)
    weir_text_printf(&out, "%" PRIu64 " run%s: all expected results came out\n", n,
                     n == 1 ? "" : "s");
  else
    weir_text_printf(&out,
                     "%" PRIu64 " run%s, of which %" PRIu64
                     " give no expected results; all others came out\n",
                     n, n == 1 ? "" : "s", st->n_unchecked);
  if (code == WEIR_OK && weir_cli_print(&out) != 0)
    return weir_fail(err, WEIR_EIO, "cannot write to stdout");
  if (code != WEIR_OK) weir_text_free(&out);
  return code;
}

/* A checksum of each buffer as the run left it, in the form that `expect` of a launch file takes.
 */
static json_t *buffers_json(struct weir_workload *w) {
  const struct weir_launchfile *lf = weir_workload_file(w);
  json_t *o = json_object();
  for (uint32_t i = 0; o != NULL && i < lf->n_buffers; i++) {
    char text[32];
    uint64_t bytes;
    const void *data = weir_workload_buffer(w, lf->buffers[i].name, &bytes);
    snprintf(text, sizeof text, "xxh64:%016" PRIx64, (uint64_t)XXH64(data, (size_t)bytes, 0));
    if (json_object_set_new(o, lf->buffers[i].name, json_string(text)) != 0) {
      json_decref(o);
      o = NULL;
    }
  }
  return o;
}

static json_t *run_json(struct weir_workload *w) {
  const struct weir_launchfile *lf = weir_workload_file(w);
  return json_pack("{s:o, s:o, s:b, s:o, s:I}", "workload", weir_json_text(lf->name), "input",
                   weir_json_text(lf->input != NULL ? lf->input : ""), "results_checked",
                   (int)(lf->n_expects > 0), "buffers", buffers_json(w), "buffer_bytes",
                   (json_int_t)lf->total_bytes);
}

/* BUFFER=FILE of one --output. */
static enum weir_status find_output(const char *text, struct weir_workload *w, const char **file,
                                    const void **data, uint64_t *bytes, struct weir_err *err) {
  const char *eq = strchr(text, '=');
  char name[256];
  if (eq == NULL || (size_t)(eq - text) >= sizeof name)
    return weir_fail(err, WEIR_EINVAL, "--output %.200s: want BUFFER=FILE", text);
  memcpy(name, text, (size_t)(eq - text));
  name[eq - text] = 0;
  *file = eq + 1;
  *data = weir_workload_buffer(w, name, bytes);
  if (*data != NULL) return WEIR_OK;
  const struct weir_launchfile *lf = weir_workload_file(w);
  weir_fail(err, WEIR_EINVAL, "--output: there is no buffer '%s'", name);
  for (uint32_t i = 0; i < lf->n_buffers; i++)
    weir_err_add(err, "%s has: %s", lf->name, lf->buffers[i].name);
  return WEIR_EINVAL;
}

/* With `write` false they are only opened: a long run should not end with a typing error. */
static enum weir_status put_outputs(const struct run_opts *o, struct weir_workload *w, bool write,
                                    struct weir_err *err) {
  enum weir_status st = WEIR_OK;
  for (unsigned i = 0; st == WEIR_OK && i < o->n_outputs; i++) {
    const char *file;
    const void *data;
    uint64_t bytes;
    st = find_output(o->outputs[i], w, &file, &data, &bytes, err);
    if (st == WEIR_OK && !write) st = weir_cli_output("--output", file, err);
    if (st == WEIR_OK && write) st = weir_cli_put(file, data, (size_t)bytes, err);
  }
  return st;
}

/* Outputs that go to stdout: tables and what kernels print are not mixed with them. */
static unsigned n_stdout(const struct run_opts *o) {
  unsigned n = weir_cli_is_stdout(o->t.json) + weir_cli_is_stdout(o->timeline.file);
  for (unsigned i = 0; i < o->n_outputs; i++) {
    const char *eq = strchr(o->outputs[i], '=');
    n += eq != NULL && weir_cli_is_stdout(eq + 1);
  }
  return n;
}

/* Output of printf in kernels. */
static void print_text(void *self, const char *text, size_t n) {
  fwrite(text, 1, n, self);
}

static void note_lost(const struct ptx_device *dev) {
  if (dev->n_lost == 0) return;
  fprintf(stderr, "weir: the text of %llu printf calls was lost: exec.printf_bytes is %lld\n",
          (unsigned long long)dev->n_lost, (long long)dev->cfg.printf_bytes);
}

/* Its kernels, timed if there is a machine. */
static enum weir_status run_kernels(const struct run_opts *o, const char *path,
                                    struct weir_workload *w, struct run_state *state,
                                    struct weir_err *err) {
  struct weir_prepared prepared;
  const char *name = weir_workload_file(w)->name;
  bool timed = o->t.gpu != NULL;
  struct weir_workload_hooks h = {.launched = launched,
                                  .progress = timed ? NULL : progress,
                                  .simulate = timed ? simulate : NULL,
                                  .self = state,
                                  .want_streams = o->streams || timed};
  enum weir_status st = WEIR_OK;
  weir_run_report_begin(&state->report, name);
  if (timed)
    st = weir_cli_prepare_timed(&state->profiles,
                                &(struct weir_cli_preparing){.workload = name,
                                                             .path = path,
                                                             .input = o->input,
                                                             .setup = &state->setup,
                                                             .settings = &o->t.settings,
                                                             .jobs = weir_cli_cores(),
                                                             .check = o->t.check},
                                &prepared, err);
  if (timed && st == WEIR_OK) st = weir_timing_workload(&state->timing, name, &prepared, err);
  if (st == WEIR_OK) st = weir_workload_run(w, &h, err);
  if (state->showed_progress) fputs("\r\033[K", stderr);
  return st;
}

static enum weir_status check_run(const struct run_opts *o, struct weir_workload *w,
                                  struct run_state *state, struct weir_err *err) {
  enum weir_status st = WEIR_OK;
  if (o->t.check)
    st = weir_stat_verify(weir_func_stat_table, weir_func_checks, &state->report.total, err);
  if (st == WEIR_OK && o->t.check) st = weir_timing_check(&state->timing, err);
  return st == WEIR_OK ? weir_workload_check(w, err) : st;
}

static enum weir_status run_one(const struct run_opts *o, const char *path, struct run_state *state,
                                struct weir_err *err) {
  struct weir_run_report *report = &state->report;
  struct ptx_exec_cfg cfg;
  struct ptx_device dev;
  struct weir_workload *w = NULL;
  enum weir_status st = weir_settings_fill(&o->t.settings, &ptx_exec_params, &cfg, err);
  if (st == WEIR_OK) st = ptx_device_init(&dev, &cfg, err);
  if (st != WEIR_OK) return st;
  dev.output = (struct ptx_output){.self = n_stdout(o) > 0 ? stderr : stdout, .print = print_text};
  st = weir_workload_open(&dev, path, o->input, &w, err);
  if (st == WEIR_OK) st = put_outputs(o, w, false, err);
  if (st == WEIR_OK) st = run_kernels(o, path, w, state, err);
  note_lost(&dev);
  if (st == WEIR_OK) st = check_run(o, w, state, err);
  if (st == WEIR_OK) st = put_outputs(o, w, true, err);
  if (st == WEIR_OK)
    st = weir_run_report_end(report, report->json_runs != NULL ? run_json(w) : NULL, err);
  if (st == WEIR_OK) state->n_unchecked += weir_workload_file(w)->n_expects == 0;
  weir_workload_close(w);
  ptx_device_free(&dev);
  return st;
}

/* A word that stands for several workloads gives way to their names. */
static enum weir_status expand_sets(struct run_opts *o, struct weir_arena *a,
                                    struct weir_err *err) {
  struct words words = o->targets;
  enum weir_status st = WEIR_OK;
  o->targets = (struct words){0};
  for (size_t i = 0; st == WEIR_OK && i < words.n; i++) {
    const char *const *names;
    size_t n;
    st = weir_data_set(a, words.v[i], o->input, &names, &n, err);
    bool is_set = st == WEIR_OK && names != NULL;
    for (size_t k = 0; st == WEIR_OK && k < (is_set ? n : 1); k++)
      if (!WEIR_PUSH(o->targets, is_set ? names[k] : words.v[i]))
        st = weir_fail(err, WEIR_ENOMEM, "out of memory");
  }
  free(words.v);
  return st;
}

static enum weir_status begin_timing(struct run_opts *o, struct run_state *state,
                                     struct weir_err *err) {
  struct weir_timing_options with = {
      .threads = o->t.threads, .check = o->t.check, .clocks = o->t.views.clocks};
  enum weir_status st = weir_data_machine(&o->t.settings, o->t.gpu, err);
  if (st == WEIR_OK)
    st = weir_setup_open(&state->setup, o->t.gpu, &o->t.line_up, &o->t.settings, o->t.check, err);
  if (st == WEIR_OK) st = weir_cli_timeline_open(&o->timeline, &state->setup, &with, err);
  weir_cli_watch(&state->watch, false, &with);
  weir_timing_begin(&state->timing, &state->setup, &with);
  state->report.timing = &state->timing;
  state->report.profiles = &state->profiles;
  return st;
}

static enum weir_status check_effects(const struct run_opts *o, const struct weir_setup *setup,
                                      struct weir_err *err) {
  bool timed = o->t.gpu != NULL;
  const struct weir_settings *settings = &o->t.settings;
  return weir_uses_check(&settings,
                         &(struct weir_use){.setup = timed ? setup : NULL,
                                            .is_executed = true,
                                            .has_streams = timed || o->streams,
                                            .tags_by = timed ? weir_setup_tags_by(setup) : NULL,
                                            .has_results = timed},
                         1, err);
}

/* After the settings are complete. */
static enum weir_status tell_provenance(struct run_opts *o, struct weir_arena *a,
                                        struct weir_err *err) {
  const char *scheme = weir_line_up_scheme(&o->t.line_up);
  struct weir_prov *p = &o->prov;
  enum weir_status st = weir_prov_open(p, o->t.json != NULL, err);
  if (st != WEIR_OK || p->block.root == NULL) return st;
  weir_prov_words(p, o->targets.v, o->targets.n);
  if (o->t.gpu != NULL) {
    weir_prov_option(p, "gpu", o->t.gpu);
    weir_prov_option(p, "scheme", scheme);
  }
  st = weir_prov_setup(p, o->t.gpu, o->t.gpu != NULL ? scheme : NULL, o->t.line_up.tags,
                       &o->t.settings, err);
  for (size_t i = 0; st == WEIR_OK && i < o->targets.n; i++) {
    const char *path = o->targets.v[i];
    if (!weir_is_launch_file(path)) st = weir_data_workload(a, path, &path, err);
    if (st == WEIR_OK) st = weir_prov_workload(p, o->targets.v[i], path, o->input, err);
  }
  return st == WEIR_OK ? weir_prov_close(p, err) : st;
}

static enum weir_status run(struct run_opts *o, struct run_state *state, struct weir_err *err) {
  struct weir_arena a = {0};
  enum weir_status st = weir_cli_output("--json", o->t.json, err);
  if (st == WEIR_OK) st = weir_run_report_init(&state->report, o->t.json != NULL, err);
  if (st == WEIR_OK) st = expand_sets(o, &a, err);
  if (st == WEIR_OK && o->n_outputs > 0 && o->targets.n > 1)
    st = weir_fail(err, WEIR_EINVAL, "--output goes with one workload");
  if (st == WEIR_OK && o->t.gpu != NULL) st = begin_timing(o, state, err);
  if (st == WEIR_OK) st = check_effects(o, &state->setup, err);
  if (st == WEIR_OK) st = tell_provenance(o, &a, err);
  state->report.provenance = weir_prov_shown(&o->prov);
  state->started = time(NULL);
  state->report.per_sm = o->t.views.per_sm;
  state->report.keeps_launches = o->per_launch;
  for (size_t i = 0; st == WEIR_OK && i < o->targets.n; i++) {
    const char *path = o->targets.v[i];
    if (!weir_is_launch_file(path)) st = weir_data_workload(&a, path, &path, err);
    if (st == WEIR_OK) st = run_one(o, path, state, err);
  }
  if (st == WEIR_OK) st = weir_tags_check_used(state->setup.tags, err);
  if (st == WEIR_OK) st = weir_prov_profiles(&o->prov, o->t.gpu, &state->profiles, err);
  if (st == WEIR_OK && o->t.json != NULL)
    st = weir_timing_opts_json(&state->report, o->t.json, err);
  if (st == WEIR_OK) st = weir_cli_timeline_write(&o->timeline, err);
  if (st == WEIR_OK) st = weir_cli_commit(err);
  if (st == WEIR_OK && !o->t.quiet && n_stdout(o) == 0) st = report_text(o, state, err);
  weir_arena_free(&a);
  return st;
}

/* Returns -1 to go on, else the exit code. */
static int set_option(struct run_opts *o, int id, const char *value) {
  static const struct weir_where max_option = {.file = "--max-instructions"};
  struct weir_err err;
  switch (id) {
  case WEIR_OPT_WORD:
    if (WEIR_PUSH(o->targets, value)) break;
    weir_fail(&err, WEIR_ENOMEM, "out of memory");
    return weir_cli_error(&err);
  case OPT_INPUT:
    o->input = value;
    break;
  case OPT_MAX:
    if (weir_settings_set(&o->t.settings, WEIR_LAYER_SET, "exec.max_instructions", value,
                          &max_option, &err) != WEIR_OK)
      return weir_cli_error(&err);
    break;
  case OPT_NO_CONTRACT:
    if (weir_settings_assign(&o->t.settings, WEIR_NO_CONTRACT, &err) != WEIR_OK)
      return weir_cli_error(&err);
    break;
  case OPT_OUTPUT:
    if (o->n_outputs == MAX_OUTPUTS)
      return weir_cli_usage("run", "at most %d outputs", MAX_OUTPUTS);
    o->outputs[o->n_outputs++] = value;
    break;
  case OPT_STREAMS:
    o->streams = true;
    break;
  case OPT_PER_LAUNCH:
    o->per_launch = true;
    break;
  case OPT_PLUGIN: /* loaded already */
    o->has_plugin = true;
    break;
  case OPT_FUNCTIONAL:
    o->is_functional = true;
    break;
  default: /* OPT_GPU */
    o->t.gpu = value;
  }
  return -1;
}

/* An option that only makes sense when something is timed, or NULL. */
static const char *timed_only(const struct run_opts *o) {
  const char *name = weir_timing_only(&o->t);
  return name == NULL && o->timeline.file != NULL ? "timeline" : name;
}

static int check_workloads(struct run_opts *o) {
  if (o->is_functional) o->t.gpu = NULL;
  const char *timed = timed_only(o);
  if (o->targets.n == 0)
    return weir_cli_usage("run", "which workload? See 'weir list workloads', or name a launch "
                                 "file, or give a program after --");
  if (timed != NULL && o->t.gpu == NULL)
    return weir_cli_usage("run", "--%s is for timed runs: add --gpu NAME", timed);
  if (o->n_outputs > 0 && o->targets.n > 1)
    return weir_cli_usage("run", "--output goes with one workload");
  if (n_stdout(o) > 1) return weir_cli_usage("run", "one output can go to stdout, not several");
  if (weir_program_is_chosen(&o->choice))
    return weir_cli_usage("run", WEIR_PROGRAM_NAMES " go with a program: "
                                                    "-- PROGRAM");
  return -1;
}

static int check_program(const struct run_opts *o) {
  if (o->program[0] == NULL) return weir_cli_usage("run", "which program? It comes after --");
  if (o->targets.n > 0)
    return weir_cli_usage("run", "'%s' before -- and a program after it: one or the other",
                          o->targets.v[0]);
  if (o->input != NULL || o->n_outputs > 0 || o->streams)
    return weir_cli_usage("run", "--input, --output and --streams go with workloads");
  if (weir_cli_is_stdout(o->t.json))
    return weir_cli_usage("run", "stdout is the program's: name a file for --json");
  if (weir_cli_is_stdout(o->timeline.file))
    return weir_cli_usage("run", "stdout is the program's: name a file for --timeline");
  const char *timed = timed_only(o);
  if (timed != NULL && o->is_functional)
    return weir_cli_usage("run", "--%s is for timed runs, and --functional asks for none", timed);
  return -1;
}

/* Returns -1 to go on, else the exit code. */
static int parse_options(int argc, char **argv, struct run_opts *o) {
  struct weir_args args = {.argc = argc, .argv = argv, .at = 1};
  struct weir_err err;
  for (int id; (id = weir_opt_next(&args, &usage)) != WEIR_OPT_END;) {
    if (id == WEIR_OPT_DONE) return args.exit_code;
    int code = -1;
    if (weir_is_prov_option(id)) continue; /* looked at already */
    if (weir_is_timing_option(id))
      code = weir_timing_option(&o->t, "run", id, args.value);
    else if (weir_is_timeline_option(id))
      code = weir_timeline_option(&o->timeline, "run", id, args.value);
    else if (!weir_is_program_option(id))
      code = set_option(o, id, args.value);
    else if (weir_program_option(&o->choice, id, args.value, &err) != WEIR_OK)
      code = weir_cli_error(&err);
    if (code >= 0) return code;
  }
  o->program = args.program;
  /* A policy is there to be timed. */
  if (o->has_plugin && o->t.gpu == NULL && !o->is_functional) o->t.gpu = "fermi-s3";
  if (o->timeline.tuned != NULL && o->timeline.file == NULL)
    return weir_cli_usage("run", "--%s goes with --timeline FILE", o->timeline.tuned);
  return o->program != NULL ? check_program(o) : check_workloads(o);
}

int weir_cmd_run(int argc, char **argv) {
  struct run_opts o = {.t.threads = 1, .choice = WEIR_PROGRAM_ALL, .timeline = WEIR_CLI_TIMELINE};
  struct run_state state = {.is_terminal = isatty(STDERR_FILENO)};
  struct weir_err err;
  int code = weir_prov_begin(&o.prov, &usage, &argc, &argv);
  if (code < 0) code = weir_cli_plugins(argc, argv, &usage, OPT_PLUGIN);
  if (code >= 0) {
    weir_prov_free(&o.prov);
    return code;
  }
  enum weir_status st = weir_settings_init(&o.t.settings, weir_param_groups(), &err);
  code = st == WEIR_OK ? parse_options(argc, argv, &o) : weir_cli_error(&err);
  if (code < 0 && o.program != NULL) {
    code = weir_run_program(&(struct weir_run_program){.argv = o.program,
                                                       .t = &o.t,
                                                       .prov = &o.prov,
                                                       .choice = o.choice,
                                                       .is_functional = o.is_functional,
                                                       .per_launch = o.per_launch,
                                                       .timeline = &o.timeline});
  } else if (code < 0) {
    st = run(&o, &state, &err);
    code = st == WEIR_OK ? WEIR_EXIT_OK : weir_cli_error(&err);
    if (st != WEIR_OK && weir_cli_signal() != 0) code = 128 + weir_cli_signal();
  }
  weir_run_report_free(&state.report);
  weir_timing_end(&state.timing);
  weir_timed_profiles_free(&state.profiles);
  weir_setup_free(&state.setup);
  free(o.targets.v);
  weir_cli_timeline_free(&o.timeline);
  weir_timing_opts_free(&o.t);
  weir_prov_free(&o.prov);
  return code;
}
