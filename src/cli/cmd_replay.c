/* weir replay TRACE --gpu NAME */
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "cli/cmd.h"
#include "cli/job.h"
#include "cli/program.h"
#include "cli/provenance.h"
#include "cli/timing.h"
#include "cli/timing_opts.h"
#include "session/effects.h"
#include "session/streams.h"
#include "trace/accelsim.h"

enum { OPT_GPU = 1, OPT_OPCODE, OPT_PLUGIN };

static const struct weir_usage usage = {
    .command = "replay",
    .synopsis = "FILE.wtrace|kernelslist.g --gpu NAME [options]",
    .about = "Time the kernels of a trace on a machine: a .wtrace that 'weir record' wrote, or an "
             "Accel-Sim\n"
             "list of kernels. Nothing is executed; the streams are read back.",
    .neutral = WEIR_TIMING_NEUTRAL WEIR_PROV_NEUTRAL,
    .repeated = " plugin bypass opcode-class",
    .opts =
        (const struct weir_opt[]){
            {"gpu", 'g', "NAME", "machine: one of 'weir list gpus', or a file ending in .yaml",
             OPT_GPU},
            {"plugin", 'p', "FILE.so",
             "load a policy of your own (docs/tutorial-own-policy.md); it comes before those of "
             "the\n"
             "scheme, unless --policies says where; may be repeated",
             OPT_PLUGIN},
            {"opcode-class", 0, "NAME=CLASS",
             "class of an opcode that weir does not know; may be repeated", OPT_OPCODE},
            {"skip", 0, "N", "leave out the first N launches of the trace", WEIR_PROGRAM_OPT_SKIP},
            {"count", 0, "N", "time N launches at most", WEIR_PROGRAM_OPT_COUNT},
            WEIR_TIMING_OPTIONS,
            WEIR_PROV_OPTIONS,
            {.name = NULL}},
    .examples = "  weir record -o spmv.wtrace spmv\n"
                "  weir replay spmv.wtrace --gpu fermi-s3\n"
                "  weir replay app.wtrace --gpu fermi-s3 --count 10\n"
                "  weir replay traces/kernelslist.g --gpu v100-cfg --threads 2\n",
};

enum { MAX_OPCODES = 256 };

struct replay {
  const char *file, *opcodes[MAX_OPCODES];
  size_t n_opcodes;
  struct weir_program_choice choice;
  struct weir_launch_choice launches; /* the same */
  struct weir_timing_opts t;
  struct weir_setup setup;
  struct weir_timing timing;
  struct weir_cli_watch watch;
  struct weir_timed_profiles profiles;
  json_t *json_kernels;
  struct weir_prov prov;
};

static enum weir_status time_kernel(void *self, struct weir_block_source *source,
                                    struct weir_err *err) {
  struct replay *r = self;
  enum weir_status st = weir_timing_kernel(&r->timing, source, err);
  if (st != WEIR_OK || r->json_kernels == NULL) return st;
  json_t *o = json_pack("{s:o, s:o}", "kernel", weir_json_text(source->kernel->name), "timing",
                        weir_timing_json(&r->timing, source->kernel, r->t.views.per_sm));
  if (o == NULL || json_array_append_new(r->json_kernels, o) != 0)
    return weir_fail(err, WEIR_ENOMEM, "out of memory");
  return WEIR_OK;
}

/* NULL: all launches. */
static const struct weir_launch_choice *chosen(const struct replay *r) {
  return weir_program_is_chosen(&r->choice) ? &r->launches : NULL;
}

static enum weir_status replay(struct replay *r, struct weir_err *err) {
  const struct weir_source source = {.kind = weir_is_accelsim(r->file) ? WEIR_SOURCE_ACCELSIM
                                                                       : WEIR_SOURCE_TRACE,
                                     .path = r->file,
                                     .opcode_class = r->opcodes,
                                     .n_opcodes = r->n_opcodes,
                                     .choice = chosen(r)};
  if (r->n_opcodes > 0 && source.kind == WEIR_SOURCE_TRACE)
    return weir_fail(err, WEIR_EINVAL, "--opcode-class goes with an Accel-Sim trace");
  return weir_source_run(&source, time_kernel, r, err);
}

/* Which launches these are, if not all. */
static void add_choice(const struct replay *r, struct weir_text *out) {
  unsigned long long first = r->choice.skip + 1, n = r->timing.launches;
  if (chosen(r) == NULL) return;
  weir_text_printf(out, "launch%s %llu", n == 1 ? "" : "es", first);
  if (n > 1) weir_text_printf(out, " to %llu", first + n - 1);
  weir_text_puts(out, " of the trace; --skip and --count leave the others out\n");
}

static enum weir_status report(const struct replay *r, struct weir_err *err) {
  enum weir_status st = WEIR_OK;
  if (r->t.json != NULL) {
    json_t *root = json_pack("{s:i, s:o, s:o, s:o, s:O}", "weir_result", 1, "trace",
                             weir_json_text(r->file), "gpu", weir_json_text(r->t.gpu), "scheme",
                             weir_json_text(r->setup.scheme.name), "kernels", r->json_kernels);
    json_t *profile = weir_timing_profile_json(&r->timing, &r->profiles);
    const char *certainty = weir_certainty_said(r->setup.scheme.certainty);
    if (certainty != NULL) weir_json_put(&root, "certainty", json_string(certainty));
    if (profile != NULL) weir_json_put(&root, "profile", profile);
    root = weir_provenance_first(weir_prov_shown(&r->prov), root);
    char *text = root != NULL ? json_dumps(root, JSON_INDENT(1)) : NULL;
    json_decref(root);
    if (text == NULL) return weir_fail(err, WEIR_ENOMEM, "out of memory");
    st = weir_cli_put(r->t.json, text, strlen(text), err);
    if (st == WEIR_OK && weir_cli_is_stdout(r->t.json)) st = weir_cli_put(r->t.json, "\n", 1, err);
    free(text);
    if (st == WEIR_OK) st = weir_cli_commit(err);
  }
  if (st != WEIR_OK || r->t.quiet || weir_cli_is_stdout(r->t.json)) return st;
  struct weir_text out = weir_cli_text();
  st = weir_timing_text(&r->timing, &r->profiles, &r->t.views, &out, err);
  add_choice(r, &out);
  if (st != WEIR_OK) {
    weir_text_free(&out);
    return st;
  }
  return weir_cli_print(&out) == 0 ? WEIR_OK : weir_fail(err, WEIR_EIO, "cannot write to stdout");
}

static enum weir_status tell_provenance(struct replay *r, struct weir_err *err) {
  const char *scheme = weir_line_up_scheme(&r->t.line_up);
  enum weir_status st = weir_prov_open(&r->prov, r->t.json != NULL, err);
  weir_prov_option(&r->prov, "scheme", scheme);
  if (st == WEIR_OK)
    st = weir_prov_setup(&r->prov, r->t.gpu, scheme, r->t.line_up.tags, &r->t.settings, err);
  if (st == WEIR_OK) st = weir_prov_trace(&r->prov, r->file, err);
  return st == WEIR_OK ? weir_prov_close(&r->prov, err) : st;
}

static enum weir_status open_setup(struct replay *r, struct weir_err *err) {
  enum weir_status st = weir_data_machine(&r->t.settings, r->t.gpu, err);
  if (st == WEIR_OK)
    st = weir_setup_open(&r->setup, r->t.gpu, &r->t.line_up, &r->t.settings, r->t.check, err);
  if (st == WEIR_OK && weir_setup_is_classified(&r->setup)) {
    st =
        weir_fail(err, WEIR_EINVAL, "scheme %s classifies loads by their PTX, and a trace has none",
                  r->setup.scheme.name);
    weir_setup_say_tags(&r->setup, "make tags of the workload: weir classify WORKLOAD --tags FILE",
                        err);
    weir_err_add(err, "then give them: --tags FILE");
  }
  const struct weir_settings *settings = &r->t.settings;
  return st == WEIR_OK
             ? weir_uses_check(&settings,
                               &(struct weir_use){.setup = &r->setup, .has_results = true}, 1, err)
             : st;
}

static enum weir_status prepare(struct replay *r, struct weir_prepared *prepared,
                                struct weir_err *err) {
  return weir_cli_prepare_timed(&r->profiles,
                                &(struct weir_cli_preparing){.workload = r->file,
                                                             .trace = r->file,
                                                             .setup = &r->setup,
                                                             .settings = &r->t.settings,
                                                             .opcode_class = r->opcodes,
                                                             .n_opcodes = r->n_opcodes,
                                                             .choice = chosen(r),
                                                             .jobs = weir_cli_cores(),
                                                             .check = r->t.check},
                                prepared, err);
}

/* Opcodes such as CS2R read any special register, and its name is not in the trace. */
static enum weir_status refuse_clocks(const struct replay *r, struct weir_err *err) {
  if (!r->t.views.clocks || !weir_is_accelsim(r->file)) return WEIR_OK;
  weir_fail(err, WEIR_EINVAL,
            "--clocks: %s is an Accel-Sim trace, which does not say what reads a "
            "clock",
            r->file);
  weir_err_add(err,
               "give a trace of weir record, or the program itself: weir run --clocks -- PROGRAM");
  return WEIR_EINVAL;
}

static enum weir_status run(struct replay *r, struct weir_err *err) {
  struct weir_timing_options with = {
      .threads = r->t.threads, .check = r->t.check, .clocks = r->t.views.clocks};
  struct weir_prepared prepared;
  weir_cli_watch(&r->watch, false, &with);
  enum weir_status st = refuse_clocks(r, err);
  if (st == WEIR_OK) st = weir_cli_output("--json", r->t.json, err);
  if (st == WEIR_OK) st = open_setup(r, err);
  if (st == WEIR_OK) st = tell_provenance(r, err);
  weir_timing_begin(&r->timing, &r->setup, &with);
  if (st == WEIR_OK) st = prepare(r, &prepared, err);
  if (st == WEIR_OK) st = weir_timing_workload(&r->timing, r->file, &prepared, err);
  if (st == WEIR_OK) st = replay(r, err);
  if (st == WEIR_OK) st = weir_tags_check_used(r->setup.tags, err);
  if (st == WEIR_OK && r->t.check) st = weir_timing_check(&r->timing, err);
  if (st == WEIR_OK) st = weir_prov_profiles(&r->prov, r->t.gpu, &r->profiles, err);
  if (st == WEIR_OK) st = report(r, err);
  weir_timing_end(&r->timing);
  weir_timed_profiles_free(&r->profiles);
  weir_setup_free(&r->setup);
  return st;
}

/* Returns -1 to go on, else the exit code. */
static int set_option(struct replay *r, int id, const char *value) {
  struct weir_err err;
  switch (id) {
  case WEIR_OPT_WORD:
    if (r->file != NULL) return weir_cli_usage("replay", "one trace at a time");
    r->file = value;
    break;
  case OPT_GPU:
    r->t.gpu = value;
    break;
  case OPT_OPCODE:
    if (r->n_opcodes == MAX_OPCODES)
      return weir_cli_usage("replay", "at most %d opcodes", MAX_OPCODES);
    r->opcodes[r->n_opcodes++] = value;
    break;
  case WEIR_PROGRAM_OPT_SKIP:
  case WEIR_PROGRAM_OPT_COUNT:
    if (weir_program_option(&r->choice, id, value, &err) != WEIR_OK) return weir_cli_error(&err);
    break;
  default: /* OPT_PLUGIN: loaded already */
    break;
  }
  return -1;
}

/* Returns -1 to go on, else the exit code. */
static int parse_options(int argc, char **argv, struct replay *r) {
  struct weir_args args = {.argc = argc, .argv = argv, .at = 1};
  for (int id; (id = weir_opt_next(&args, &usage)) != WEIR_OPT_END;) {
    if (id == WEIR_OPT_DONE) return args.exit_code;
    if (weir_is_prov_option(id)) continue; /* looked at already */
    int code = weir_is_timing_option(id) ? weir_timing_option(&r->t, "replay", id, args.value)
                                         : set_option(r, id, args.value);
    if (code >= 0) return code;
  }
  if (r->file == NULL) return weir_cli_usage("replay", "which trace?");
  if (r->choice.count == 0) return weir_cli_usage("replay", "--count 0: nothing would be timed");
  r->launches = (struct weir_launch_choice){r->choice.skip, r->choice.count};
  if (r->t.gpu == NULL)
    return weir_cli_usage("replay", "which machine? --gpu NAME, see 'weir list gpus'");
  return -1;
}

int weir_cmd_replay(int argc, char **argv) {
  struct replay r = {.t.threads = 1, .choice = WEIR_PROGRAM_ALL};
  struct weir_err err;
  int code = weir_prov_begin(&r.prov, &usage, &argc, &argv);
  if (code < 0) code = weir_cli_plugins(argc, argv, &usage, OPT_PLUGIN);
  if (code >= 0) {
    weir_prov_free(&r.prov);
    return code;
  }
  enum weir_status st = weir_settings_init(&r.t.settings, weir_param_groups(), &err);
  code = st == WEIR_OK ? parse_options(argc, argv, &r) : weir_cli_error(&err);
  if (code < 0) {
    r.json_kernels = r.t.json != NULL ? json_array() : NULL;
    st = run(&r, &err);
    code = st == WEIR_OK ? WEIR_EXIT_OK : weir_cli_error(&err);
    if (st != WEIR_OK && weir_cli_signal() != 0) code = 128 + weir_cli_signal();
  }
  json_decref(r.json_kernels);
  weir_timing_opts_free(&r.t);
  weir_prov_free(&r.prov);
  return code;
}
