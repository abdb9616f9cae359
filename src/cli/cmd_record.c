/* weir record -o FILE.wtrace WORKLOAD|FILE.yaml|kernelslist.g, weir record -o FILE.wtrace --
 * PROGRAM */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/number.h"
#include "base/text.h"
#include "cli/cmd.h"
#include "cli/job.h"
#include "cli/opt.h"
#include "cli/program_record.h"
#include "cli/provenance.h"
#include "cli/timing.h"
#include "session/effects.h"
#include "session/streams.h"
#include "trace/accelsim.h"

enum {
  OPT_OUTPUT = 1,
  OPT_INPUT,
  OPT_SET,
  OPT_NO_CONTRACT,
  OPT_LEVEL,
  OPT_OPCODE,
  OPT_QUIET,
  OPT_GPU
};

static const struct weir_usage usage = {
    .command = "record",
    .synopsis = "-o FILE.wtrace WORKLOAD|FILE.yaml|kernelslist.g [options]\n"
                "       weir record -o FILE.wtrace [options] -- PROGRAM [ARGUMENT ...]",
    .about = "Execute a built-in workload or a launch file, or read an Accel-Sim trace, and write "
             "the warp\nstreams of all kernels to a .wtrace file. Replaying it gives the same "
             "simulation without\nexecuting anything.\n"
             "\n"
             "Or run a CUDA program (see 'weir help run') and write those of its launches. Its "
             "output goes to\n"
             "stderr.",
    .has_program = 1,
    .neutral = " output set quiet" WEIR_PROV_NEUTRAL,
    .repeated = " opcode-class",
    .opts =
        (const struct weir_opt[]){
            {"output", 'o', "FILE", "the trace to write", OPT_OUTPUT},
            {"input", 'i', "NAME",
             "which of the file's inputs (default: the first); NAME@BUILD: and of its builds",
             OPT_INPUT},
            {"set", 's', "KEY=VALUE", "set a parameter ('weir list params'); may be repeated",
             OPT_SET},
            WEIR_NO_CONTRACT_OPTION(OPT_NO_CONTRACT),
            {"level", 'l', "N", "how hard to compress, 1 to 19 (default: 15)", OPT_LEVEL},
            {"opcode-class", 0, "NAME=CLASS",
             "class of an opcode of an Accel-Sim trace; may be repeated", OPT_OPCODE},
            {"gpu", 'g', "NAME",
             "the machine that a program is told it runs on: one of 'weir list gpus', or a file "
             "ending in\n"
             ".yaml (default: " WEIR_PROGRAM_GPU ")",
             OPT_GPU},
            WEIR_PROGRAM_OPTIONS,
            {"quiet", 'q', NULL, "print nothing but errors", OPT_QUIET},
            WEIR_PROV_OPTIONS,
            {.name = NULL}},
    .examples = "  weir record -o spmv.wtrace spmv --input profile\n"
                "  weir record -o app.wtrace traces/kernelslist.g\n"
                "  weir record -o app.wtrace --count 10 -- ./app 1000\n",
};

enum { MAX_OPCODES = 256 };

struct record {
  const char *target, *path, *input, *gpu, *opcodes[MAX_OPCODES];
  char **program;
  struct weir_program_choice choice;
  int program_exit, program_signal; /* signal 0: none ended it */
  size_t n_opcodes;
  int level;
  bool quiet, is_terminal, showed;
  struct weir_settings settings;
  struct weir_prov prov;
  struct weir_text made; /* the provenance; empty: none */
  uint64_t n_launches;
  time_t shown;
};

static void show_progress(struct record *r, const char *kernel, uint64_t block) {
  time_t now = time(NULL);
  if (!r->is_terminal || r->quiet || now == r->shown) return;
  if (r->shown) {
    fprintf(stderr, "\r\033[K%s: launch %" PRIu64 ", block %" PRIu64, kernel, r->n_launches, block);
    fflush(stderr);
    r->showed = true;
  }
  r->shown = now;
}

/* A source that says now and then how far it is. */
struct watched {
  struct weir_block_source pub, *inner;
  struct record *r;
};

static enum weir_status next(struct weir_block_source *src, struct weir_block_stream **out,
                             struct weir_err *err) {
  struct watched *w = src->self;
  enum weir_status st = w->inner->next(w->inner, out, err);
  if (!st && *out) show_progress(w->r, src->kernel->name, (*out)->id);
  return st;
}

static void release(struct weir_block_source *src, struct weir_block_stream *b) {
  struct watched *w = src->self;
  w->inner->release(w->inner, b);
}

static enum weir_status record_kernel(void *self, struct weir_wtrace_writer *writer,
                                      struct weir_block_source *src, struct weir_err *err) {
  struct record *r = self;
  struct watched w = {.inner = src, .r = r};
  w.pub = (struct weir_block_source){
      .kernel = src->kernel, .next = next, .release = release, .self = &w};
  r->n_launches++;
  return weir_wtrace_record(writer, &w.pub, err);
}

/* What is recorded has been told already. */
static enum weir_status close_provenance(struct record *r, struct weir_err *err) {
  enum weir_status st = weir_prov_close(&r->prov, err);
  weir_provenance_text(weir_prov_shown(&r->prov), &r->made);
  return !st && r->made.failed ? weir_fail(err, WEIR_ENOMEM, "out of memory") : st;
}

static enum weir_status tell_workload(struct record *r, const char *path, struct weir_err *err) {
  enum weir_status st = weir_prov_open(&r->prov, true, err);
  if (!st) st = weir_prov_setup(&r->prov, NULL, NULL, NULL, &r->settings, err);
  if (!st) st = weir_prov_workload(&r->prov, r->target, path, r->input, err);
  return st ? st : close_provenance(r, err);
}

static enum weir_status tell_trace(struct record *r, struct weir_err *err) {
  enum weir_status st = weir_prov_open(&r->prov, true, err);
  if (!st) st = weir_prov_setup(&r->prov, NULL, NULL, NULL, &r->settings, err);
  if (!st) st = weir_prov_trace(&r->prov, r->target, err);
  return st ? st : close_provenance(r, err);
}

static enum weir_status tell_program(struct record *r, const struct weir_program *p,
                                     struct weir_err *err) {
  enum weir_status st = weir_prov_open(&r->prov, true, err);
  weir_prov_option(&r->prov, "gpu", r->gpu);
  if (!st) st = weir_prov_setup(&r->prov, r->gpu, NULL, NULL, &r->settings, err);
  if (!st) st = weir_prov_program(&r->prov, r->program[0], p->path, err);
  return st ? st : close_provenance(r, err);
}

static enum weir_status record_workload(struct record *r, const char *path,
                                        struct weir_wtrace_counts *total, struct weir_err *err) {
  struct ptx_exec_cfg cfg;
  struct weir_recording recording = {.path = path,
                                     .input = r->input,
                                     .exec = &cfg,
                                     .out = r->path,
                                     .output = weir_cli_opened(r->path),
                                     .level = r->level,
                                     .kernel = record_kernel,
                                     .self = r};
  enum weir_status st = weir_settings_fill(&r->settings, &ptx_exec_params, &cfg, err);
  if (!st) st = tell_workload(r, path, err);
  recording.provenance = r->made.v;
  return st ? st : weir_record(&recording, total, err);
}

static enum weir_status copy_accelsim(struct record *r, struct weir_accelsim *t,
                                      struct weir_wtrace_writer *writer, struct weir_err *err) {
  struct weir_accelsim_event e = {.kind = WEIR_ACCELSIM_KERNEL};
  enum weir_status st = WEIR_OK;
  while (!st && e.kind != WEIR_ACCELSIM_END) {
    st = weir_accelsim_next(t, &e, err);
    if (!st && e.kind == WEIR_ACCELSIM_MEMCPY)
      st = weir_wtrace_copy(writer, WEIR_EVENT_COPY_TO_DEVICE, e.addr, e.bytes, err);
    if (!st && e.kind == WEIR_ACCELSIM_KERNEL) st = record_kernel(r, writer, e.source, err);
  }
  return st;
}

static enum weir_status record_accelsim(struct record *r, struct weir_wtrace_counts *total,
                                        struct weir_err *err) {
  struct weir_stream_pool pool;
  struct weir_accelsim *t = NULL;
  struct weir_wtrace_writer *writer = NULL;
  struct weir_wtrace_opts opts = {
      .level = r->level, .source = r->target, .output = weir_cli_opened(r->path)};
  enum weir_status st = weir_stream_pool_init(&pool, WEIR_REPLAY_POOL_BYTES, NULL, err);
  if (st) return st;
  st = weir_accelsim_open(r->target, r->opcodes, r->n_opcodes, &pool, &t, err);
  if (!st) st = tell_trace(r, err);
  if (!st) st = weir_wtrace_create(r->path, &opts, &writer, err);
  if (!st && r->made.v) st = weir_wtrace_provenance(writer, r->made.v, err);
  if (!st) st = copy_accelsim(r, t, writer, err);
  if (st)
    weir_wtrace_abandon(writer);
  else
    st = weir_wtrace_finish(writer, total, err);
  weir_accelsim_close(t);
  weir_stream_pool_free(&pool);
  return st;
}

static enum weir_status record_program(struct record *r, struct weir_wtrace_counts *total,
                                       struct weir_err *err) {
  struct weir_program_recording recording = {
      .out = r->path, .output = weir_cli_opened(r->path), .level = r->level, .is_quiet = r->quiet};
  struct weir_program_result result = {0};
  struct weir_program p = {0};
  enum weir_status st = weir_data_machine(&r->settings, r->gpu, err);
  if (!st) st = weir_program_open(&p, r->program, &r->settings, r->gpu, &r->choice, err);
  if (!st) st = tell_program(r, &p, err);
  recording.provenance = r->made.v;
  if (!st) st = weir_program_record(&p, &recording, &result, err);
  r->program_signal = result.signal;
  if (!st) {
    *total = recording.total;
    r->program_exit = result.exit_code;
    if (!r->program_exit && (result.is_failed || recording.n_failed))
      r->program_exit = WEIR_EXIT_FAILED;
  }
  weir_program_recording_free(&recording);
  weir_program_result_free(&result);
  weir_program_free(&p);
  return st;
}

static bool ends_with(const char *s, const char *suffix) {
  size_t n = strlen(s), m = strlen(suffix);
  return n > m && !strcmp(s + n - m, suffix);
}

static enum weir_status check_effects(const struct record *r, struct weir_err *err) {
  bool is_executed = r->program || !weir_is_accelsim(r->target);
  const struct weir_settings *settings = &r->settings;
  return weir_uses_check(&settings,
                         &(struct weir_use){.is_executed = is_executed,
                                            .is_program = r->program != NULL,
                                            .has_streams = is_executed},
                         1, err);
}

static enum weir_status record_target(struct record *r, struct weir_wtrace_counts *total,
                                      struct weir_err *err) {
  if (r->program) return record_program(r, total, err);
  if (weir_is_accelsim(r->target)) return record_accelsim(r, total, err);
  if (r->n_opcodes)
    return weir_fail(err, WEIR_EINVAL, "--opcode-class goes with an Accel-Sim trace");
  if (ends_with(r->target, ".yaml") || ends_with(r->target, ".yml"))
    return record_workload(r, r->target, total, err);
  struct weir_arena a = {0};
  const char *path;
  enum weir_status st = weir_data_workload(&a, r->target, &path, err);
  if (!st) st = record_workload(r, path, total, err);
  weir_arena_free(&a);
  return st;
}

static enum weir_status record(struct record *r, struct weir_wtrace_counts *total,
                               struct weir_err *err) {
  if (weir_cli_is_stdout(r->path))
    return weir_fail(err, WEIR_EINVAL, "a trace goes to a file of its own, not to stdout");
  enum weir_status st = check_effects(r, err);
  if (!st) st = weir_cli_output("--output", r->path, err);
  if (!st) st = record_target(r, total, err);
  if (!st && weir_cli_signal())
    st = weir_fail(err, WEIR_ELIMIT, "interrupted: '%s' is not written", r->path);
  return st ? st : weir_cli_commit(err);
}

static enum weir_status report(const struct record *r, const struct weir_wtrace_counts *total,
                               struct weir_err *err) {
  struct weir_wtrace *t;
  struct weir_text out = weir_cli_text();
  char num[27];
  enum weir_status st = weir_wtrace_open(r->path, &t, err);
  if (st) return st;
  st = weir_cli_trace_kernels(t, true, &out, err);
  weir_wtrace_close(t);
  weir_text_printf(&out, "%s: %s bytes", r->path, weir_text_thousands(total->file_bytes, num));
  if (total->n_insns)
    weir_text_printf(&out, ", %.3f per warp instruction",
                     (double)total->file_bytes / (double)total->n_insns);
  weir_text_puts(&out, "\n");
  if (!st && weir_cli_print(&out) != 0) return weir_fail(err, WEIR_EIO, "cannot write to stdout");
  if (st) weir_text_free(&out);
  return st;
}

/* Returns -1 to go on, else the exit code. */
static int parse_options(int argc, char **argv, struct record *r) {
  struct weir_args args = {.argc = argc, .argv = argv, .at = 1};
  struct weir_err err;
  int64_t level;
  for (int id; (id = weir_opt_next(&args, &usage)) != WEIR_OPT_END;) {
    if (weir_is_prov_option(id)) continue; /* looked at already */
    switch (id) {
    case WEIR_OPT_WORD:
      if (r->target) return weir_cli_usage("record", "one workload or trace at a time");
      r->target = args.value;
      break;
    case OPT_OUTPUT:
      r->path = args.value;
      break;
    case OPT_INPUT:
      r->input = args.value;
      break;
    case OPT_NO_CONTRACT:
      args.value = WEIR_NO_CONTRACT; /* fall through */
    case OPT_SET:
      if (weir_settings_assign(&r->settings, args.value, &err)) return weir_cli_error(&err);
      break;
    case OPT_LEVEL:
      if (!weir_parse_int(args.value, &level) || level < 1 || level > 19)
        return weir_cli_usage("record", "--level %s: want a number from 1 to 19", args.value);
      r->level = (int)level;
      break;
    case OPT_OPCODE:
      if (r->n_opcodes == MAX_OPCODES)
        return weir_cli_usage("record", "at most %d opcode classes", MAX_OPCODES);
      r->opcodes[r->n_opcodes++] = args.value;
      break;
    case OPT_GPU:
      r->gpu = args.value;
      break;
    case OPT_QUIET:
      r->quiet = true;
      break;
    case WEIR_OPT_DONE:
      return args.exit_code;
    default:
      if (weir_program_option(&r->choice, id, args.value, &err)) return weir_cli_error(&err);
    }
  }
  r->program = args.program;
  if (r->program && !r->program[0])
    return weir_cli_usage("record", "which program? It comes after --");
  if (r->program && (r->target || r->input || r->n_opcodes))
    return weir_cli_usage("record", "workloads, --input and --opcode-class do not go with a "
                                    "program");
  if (!r->program && (weir_program_is_chosen(&r->choice) || r->gpu))
    return weir_cli_usage("record", "--gpu, " WEIR_PROGRAM_NAMES " go with a "
                                    "program: -- PROGRAM");
  if (!r->gpu) r->gpu = WEIR_PROGRAM_GPU;
  if (!r->target && !r->program)
    return weir_cli_usage("record", "which workload? See 'weir list workloads'");
  if (!r->path) return weir_cli_usage("record", "where to? Give -o FILE.wtrace");
  return -1;
}

int weir_cmd_record(int argc, char **argv) {
  struct record r = {.is_terminal = isatty(STDERR_FILENO), .choice = WEIR_PROGRAM_ALL};
  struct weir_wtrace_counts total;
  struct weir_err err;
  int code = weir_prov_begin(&r.prov, &usage, &argc, &argv);
  if (code >= 0) {
    weir_prov_free(&r.prov);
    return code;
  }
  enum weir_status st = weir_settings_init(&r.settings, weir_param_groups(), &err);
  code = st ? weir_cli_error(&err) : parse_options(argc, argv, &r);
  if (code < 0) {
    st = record(&r, &total, &err);
    if (r.showed) fputs("\r\033[K", stderr);
    if (!st && !r.quiet) st = report(&r, &total, &err);
    code = st ? weir_cli_error(&err) : r.program_exit;
    if (r.program_signal) code = 128 + r.program_signal;
    if (weir_cli_signal()) code = 128 + weir_cli_signal();
  }
  weir_settings_free(&r.settings);
  weir_text_free(&r.made);
  weir_prov_free(&r.prov);
  return code;
}
