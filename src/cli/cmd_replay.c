/* weir replay TRACE --gpu NAME */
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "cli/cmd.h"
#include "cli/opt.h"
#include "cli/timing.h"
#include "study/streams.h"
#include "trace/accelsim.h"

enum {
  OPT_GPU = 1,
  OPT_SET,
  OPT_THREADS,
  OPT_JSON,
  OPT_ALL,
  OPT_SCHEME,
  OPT_TAGS,
  OPT_PER_LOAD,
  OPT_PER_SM,
  OPT_CHECK,
  OPT_OPCODE,
  OPT_QUIET,
  OPT_CONFIG,
  OPT_POLICIES,
  OPT_ORGANISATION,
  OPT_PLUGIN
};

static const struct weir_usage usage = {
    .command = "replay",
    .synopsis = "FILE.wtrace|kernelslist.g --gpu NAME [options]",
    .about = "Time the kernels of a trace on a machine: a .wtrace that 'weir record' wrote, or an "
             "Accel-Sim\n"
             "list of kernels. Nothing is executed; the streams are read back.",
    .opts =
        (const struct weir_opt[]){
            {"gpu", 'g', "NAME", "machine: one of 'weir list gpus', or a file ending in .yaml",
             OPT_GPU},
            {"config", 'c', "FILE", "read settings from a file (KEY: VALUE); --set wins over it",
             OPT_CONFIG},
            {"set", 's', "KEY=VALUE", "set a parameter ('weir list params'); may be repeated",
             OPT_SET},
            {"scheme", 'S', "NAME",
             "L1 design: one of 'weir list schemes', or a file ending in .yaml (default: baseline)",
             OPT_SCHEME},
            {"tags", 0, "FILE",
             "what a compiler says about the loads, for schemes that decide by it: made by\n"
             "'weir classify'",
             OPT_TAGS},
            {"policies", 'P', "LIST",
             "the L1's chain of policies, instead of the scheme's: names of 'weir list policies'; "
             "the\n"
             "first answer counts",
             OPT_POLICIES},
            {"organisation", 'O', "NAME", "the L1's organisation, instead of the scheme's",
             OPT_ORGANISATION},
            {"plugin", 'p', "FILE.so",
             "load a policy of your own (docs/tutorial-own-policy.md); it comes before those of "
             "the\n"
             "scheme, unless --policies says where; may be repeated",
             OPT_PLUGIN},
            {"threads", 't', "N", "host threads; the results are the same for any number",
             OPT_THREADS},
            {"json", 'j', "FILE",
             "write all statistics as JSON ('-': to stdout, instead of the table)", OPT_JSON},
            {"opcode-class", 0, "NAME=CLASS",
             "class of an opcode that weir does not know; may be repeated", OPT_OPCODE},
            {"per-load", 0, NULL,
             "show what each memory instruction did in the L1 (in JSON always)", OPT_PER_LOAD},
            {"per-sm", 0, NULL, "show what each SM did, in JSON too", OPT_PER_SM},
            {"all", 'a', NULL, "print every statistic with its meaning", OPT_ALL},
            {"check", 0, NULL, "verify the conservation rules of the statistics", OPT_CHECK},
            {"quiet", 'q', NULL, "print nothing but errors", OPT_QUIET},
            {.name = NULL}},
    .examples = "  weir record -o spmv.wtrace spmv\n"
                "  weir replay spmv.wtrace --gpu fermi-s3\n"
                "  weir replay traces/kernelslist.g --gpu v100-cfg --threads 2\n",
};

enum { MAX_OPCODES = 256 };

struct replay {
  const char *file, *gpu, *json, *opcodes[MAX_OPCODES];
  struct weir_line_up line_up;
  size_t n_opcodes;
  uint32_t threads;
  struct weir_timing_views views;
  bool check, quiet;
  struct weir_settings settings;
  struct weir_timing timing;
  json_t *json_kernels;
};

static enum weir_status time_kernel(void *self, struct weir_block_source *source,
                                    struct weir_err *err) {
  struct replay *r = self;
  enum weir_status st = weir_timing_kernel(&r->timing, source, err);
  if (st != WEIR_OK || r->json_kernels == NULL) return st;
  json_t *o = json_pack("{s:s, s:o}", "kernel", source->kernel->name, "timing",
                        weir_timing_json(&r->timing, source->kernel, r->views.per_sm));
  if (o == NULL || json_array_append_new(r->json_kernels, o) != 0)
    return weir_fail(err, WEIR_ENOMEM, "out of memory");
  return WEIR_OK;
}

static enum weir_status replay_accelsim(struct replay *r, struct weir_err *err) {
  struct weir_stream_pool pool;
  struct weir_accelsim *t = NULL;
  struct weir_accelsim_event e = {.kind = WEIR_ACCELSIM_MEMCPY};
  enum weir_status st = weir_stream_pool_init(&pool, WEIR_REPLAY_POOL_BYTES, NULL, err);
  if (st != WEIR_OK) return st;
  st = weir_accelsim_open(r->file, r->opcodes, r->n_opcodes, &pool, &t, err);
  while (st == WEIR_OK && e.kind != WEIR_ACCELSIM_END) {
    st = weir_accelsim_next(t, &e, err);
    if (st == WEIR_OK && e.kind == WEIR_ACCELSIM_KERNEL) st = time_kernel(r, e.source, err);
  }
  weir_accelsim_close(t);
  weir_stream_pool_free(&pool);
  return st;
}

static enum weir_status replay_wtrace(struct replay *r, struct weir_err *err) {
  if (r->n_opcodes > 0)
    return weir_fail(err, WEIR_EINVAL, "--opcode-class goes with an Accel-Sim trace");
  return weir_replay(r->file, time_kernel, r, err);
}

static enum weir_status report(const struct replay *r, struct weir_err *err) {
  enum weir_status st = WEIR_OK;
  if (r->json != NULL) {
    json_t *root =
        json_pack("{s:i, s:s, s:s, s:s, s:O}", "weir_result", 1, "trace", r->file, "gpu", r->gpu,
                  "scheme", r->timing.setup.scheme.name, "kernels", r->json_kernels);
    char *text = root != NULL ? json_dumps(root, JSON_INDENT(1)) : NULL;
    json_decref(root);
    if (text == NULL) return weir_fail(err, WEIR_ENOMEM, "out of memory");
    if (strcmp(r->json, "-") == 0)
      puts(text);
    else
      st = weir_file_write(r->json, text, strlen(text), err);
    free(text);
  }
  if (st != WEIR_OK || r->quiet || (r->json != NULL && strcmp(r->json, "-") == 0)) return st;
  struct weir_text out = {0};
  st = weir_timing_text(&r->timing, &r->views, &out, err);
  if (st != WEIR_OK) {
    weir_text_free(&out);
    return st;
  }
  return weir_cli_print(&out) == 0 ? WEIR_OK : weir_fail(err, WEIR_EIO, "cannot write to stdout");
}

static enum weir_status run(struct replay *r, struct weir_err *err) {
  enum weir_status st = weir_cli_gpu_settings(&r->settings, r->gpu, err);
  if (st == WEIR_OK)
    st =
        weir_timing_begin(&r->timing, &r->settings, r->gpu, &r->line_up, r->threads, r->check, err);
  if (st == WEIR_OK && weir_setup_is_prepared(&r->timing.setup)) {
    st =
        weir_fail(err, WEIR_EINVAL, "scheme %s classifies loads by their PTX, and a trace has none",
                  r->timing.setup.scheme.name);
    weir_err_add(err, "make tags of the workload: weir classify WORKLOAD --tags FILE");
    weir_err_add(err, "then give them: --tags FILE");
  }
  if (st != WEIR_OK) {
    weir_timing_end(&r->timing);
    return st;
  }
  r->timing.workload = r->file;
  st = weir_is_accelsim(r->file) ? replay_accelsim(r, err) : replay_wtrace(r, err);
  if (st == WEIR_OK && r->check) st = weir_timing_check(&r->timing, err);
  if (st == WEIR_OK) st = report(r, err);
  weir_timing_end(&r->timing);
  return st;
}

/* Returns -1 to go on, else the exit code. */
static int parse_options(int argc, char **argv, struct replay *r) {
  struct weir_args args = {.argc = argc, .argv = argv, .at = 1};
  struct weir_err err;
  for (int id; (id = weir_opt_next(&args, &usage)) != WEIR_OPT_END;) {
    enum weir_status st = WEIR_OK;
    switch (id) {
    case WEIR_OPT_WORD:
      if (r->file != NULL) return weir_cli_usage("replay", "one trace at a time");
      r->file = args.value;
      break;
    case OPT_GPU:
      r->gpu = args.value;
      break;
    case OPT_CONFIG:
      st = weir_cli_settings_file(&r->settings, args.value, &err);
      break;
    case OPT_SET:
      st = weir_settings_assign(&r->settings, args.value, &err);
      break;
    case OPT_THREADS:
      r->threads = (uint32_t)strtoul(args.value, NULL, 10);
      if (r->threads < 1 || r->threads > 256)
        return weir_cli_usage("replay", "--threads takes 1 to 256");
      break;
    case OPT_JSON:
      r->json = args.value;
      break;
    case OPT_OPCODE:
      if (r->n_opcodes == MAX_OPCODES)
        return weir_cli_usage("replay", "at most %d opcodes", MAX_OPCODES);
      r->opcodes[r->n_opcodes++] = args.value;
      break;
    case OPT_ALL:
      r->views.all = true;
      break;
    case OPT_SCHEME:
      r->line_up.scheme = args.value;
      break;
    case OPT_POLICIES:
      r->line_up.policies = args.value;
      break;
    case OPT_ORGANISATION:
      r->line_up.organisation = args.value;
      break;
    case OPT_PLUGIN: /* loaded already */
      break;
    case OPT_TAGS:
      r->line_up.tags = args.value;
      break;
    case OPT_PER_LOAD:
      r->views.per_load = true;
      break;
    case OPT_PER_SM:
      r->views.per_sm = true;
      break;
    case OPT_CHECK:
      r->check = true;
      break;
    case OPT_QUIET:
      r->quiet = true;
      break;
    default:
      return args.exit_code;
    }
    if (st != WEIR_OK) return weir_cli_error(&err);
  }
  if (r->file == NULL) return weir_cli_usage("replay", "which trace?");
  if (r->gpu == NULL)
    return weir_cli_usage("replay", "which machine? --gpu NAME, see 'weir list gpus'");
  return -1;
}

int weir_cmd_replay(int argc, char **argv) {
  struct replay r = {.threads = 1};
  struct weir_err err;
  int code = weir_cli_plugins(argc, argv, &usage, OPT_PLUGIN);
  if (code >= 0) return code;
  enum weir_status st = weir_settings_init(&r.settings, weir_cli_param_groups(), &err);
  if (st != WEIR_OK) return weir_cli_error(&err);
  code = parse_options(argc, argv, &r);
  if (code < 0) {
    r.json_kernels = r.json != NULL ? json_array() : NULL;
    st = run(&r, &err);
    code = st == WEIR_OK ? WEIR_EXIT_OK : weir_cli_error(&err);
  }
  json_decref(r.json_kernels);
  weir_settings_free(&r.settings);
  return code;
}
