/* weir run WORKLOAD|FILE.yaml */
#include <inttypes.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/file.h"
#include "base/stat_io.h"
#include "base/table.h"
#include "cli/cmd.h"
#include "cli/opt.h"
#include "ptx/workload.h"

enum { OPT_INPUT = 1, OPT_JSON, OPT_SET, OPT_MAX, OPT_STREAMS, OPT_QUIET, OPT_CHECK, OPT_OUTPUT, OPT_ALL, OPT_FUNCTIONAL };

static const struct weir_usage usage = {
    .command = "run",
    .synopsis = "WORKLOAD|FILE.yaml [options]",
    .about = "Run a built-in workload (see 'weir list workloads') or a launch file: execute its kernels, check\n"
             "the expected results and print what was executed. The exit code is 0 if everything ran and\n"
             "all expected results came out, 1 if not, 2 for mistakes in the input.",
    .opts =
        (const struct weir_opt[]){
            {"input", 'i', "NAME", "which of the file's inputs (default: the first)", OPT_INPUT},
            {"functional", 'f', NULL, "execute only, without timing (the only mode so far)", OPT_FUNCTIONAL},
            {"streams", 0, NULL, "produce warp streams as well, and say how large they are", OPT_STREAMS},
            {"set", 's', "KEY=VALUE", "set a parameter ('weir list params'); may be repeated", OPT_SET},
            {"max-instructions", 'm', "N", "stop with an error after N warp instructions in a launch", OPT_MAX},
            {"json", 'j', "FILE", "write all statistics as JSON ('-': to stdout, instead of the table)", OPT_JSON},
            {"output", 'o', "BUFFER=FILE", "write a buffer's final contents as raw bytes; may be repeated", OPT_OUTPUT},
            {"all", 'a', NULL, "print every statistic with its meaning", OPT_ALL},
            {"check", 0, NULL, "verify the conservation rules of the statistics", OPT_CHECK},
            {"quiet", 'q', NULL, "print nothing but errors", OPT_QUIET},
            {.name = NULL}},
    .examples = "  weir run spmv\n"
                "  weir run spmv --input profile --json spmv.json\n"
                "  weir run my/launch.yaml --set exec.quantum=64 -o y=y.bin\n",
};

enum { MAX_OUTPUTS = 64 };

struct run_opts {
  const char *target, *input, *json, *outputs[MAX_OUTPUTS];
  unsigned n_outputs;
  bool streams, quiet, check, all;
  struct weir_settings settings;
};

struct kernel_row { /* launches of one kernel, added up */
  char *name;
  uint64_t launches, stream_bytes;
  struct weir_func_stats stats;
  uint32_t grid[3], block[3];
  bool is_interleaved, reads_clock;
};

struct run_state {
  struct kernel_row *rows;
  size_t n_rows, cap_rows;
  struct weir_func_stats total;
  uint64_t stream_bytes, launches;
  json_t *json_launches; /* NULL unless JSON is wanted */
  bool is_terminal, is_failed, showed_progress;
  time_t started, shown;
};

static struct kernel_row *row_of(struct run_state *st, const struct weir_launch_report *r) {
  for (size_t i = 0; i < st->n_rows; i++)
    if (strcmp(st->rows[i].name, r->kernel) == 0) return &st->rows[i];
  struct {
    struct kernel_row *v;
    size_t n, cap;
  } vec = {st->rows, st->n_rows, st->cap_rows};
  struct kernel_row row = {.name = strdup(r->kernel)};
  if (row.name == NULL || !WEIR_PUSH(vec, row)) {
    free(row.name);
    return NULL;
  }
  st->rows = vec.v, st->n_rows = vec.n, st->cap_rows = vec.cap;
  return &st->rows[st->n_rows - 1];
}

static void launched(void *self, const struct weir_launch_report *r) {
  struct run_state *st = self;
  struct kernel_row *row = row_of(st, r);
  if (row == NULL) {
    st->is_failed = true;
    return;
  }
  row->launches++;
  row->stream_bytes += r->stream_bytes;
  memcpy(row->grid, r->info->grid, sizeof row->grid);
  memcpy(row->block, r->info->block, sizeof row->block);
  row->is_interleaved = r->info->is_interleaved;
  row->reads_clock = r->info->reads_clock;
  weir_stat_sum(weir_func_stat_table, &row->stats, &r->stats);
  weir_stat_sum(weir_func_stat_table, &st->total, &r->stats);
  st->stream_bytes += r->stream_bytes;
  st->launches++;
  if (st->json_launches == NULL) return;
  json_t *o = json_pack("{s:s, s:i, s:[i,i,i], s:[i,i,i], s:b, s:b, s:o}", "kernel", r->kernel, "repetition", (int)r->k,
                        "grid", (int)r->info->grid[0], (int)r->info->grid[1], (int)r->info->grid[2], "block",
                        (int)r->info->block[0], (int)r->info->block[1], (int)r->info->block[2], "interleaved",
                        (int)r->info->is_interleaved, "reads_clock", (int)r->info->reads_clock, "statistics",
                        weir_stat_json(weir_func_stat_table, &r->stats));
  if (o == NULL || json_array_append_new(st->json_launches, o) != 0) st->is_failed = true;
}

/* A line on a terminal once something takes longer than two seconds. */
static void progress(void *self, const char *kernel, uint64_t done, uint64_t n) {
  struct run_state *st = self;
  if (!st->is_terminal) return;
  time_t now = time(NULL);
  if (now - st->started < 2 || now == st->shown) return;
  st->shown = now;
  st->showed_progress = true;
  fprintf(stderr, "\r\033[K%s: block %" PRIu64 " of %" PRIu64 " (%.0f %%), launch %" PRIu64, kernel, done, n,
          n ? 100.0 * (double)done / (double)n : 100.0, st->launches + 1);
  fflush(stderr);
}

static void show_ratio(struct weir_table *t, uint64_t num, uint64_t den) {
  if (den == 0) weir_table_cell(t, "-");
  else weir_table_cell(t, "%.2f", (double)num / (double)den);
}

static enum weir_status kernel_table(const struct run_state *st, bool streams, struct weir_text *out, struct weir_err *err) {
  static const struct weir_column columns[] = {
      {"kernel", NULL, WEIR_LEFT},           {"launches", NULL, WEIR_RIGHT},       {"grid", NULL, WEIR_RIGHT},
      {"block", NULL, WEIR_RIGHT},           {"warp insns", NULL, WEIR_RIGHT},     {"lanes", "of 32", WEIR_RIGHT},
      {"memory", "% of insns", WEIR_RIGHT},  {"requests", "per insn", WEIR_RIGHT}, {"sectors", "per request", WEIR_RIGHT},
      {"divergent", "% of branches", WEIR_RIGHT}, {"stream", "bytes per insn", WEIR_RIGHT}};
  size_t n = sizeof columns / sizeof *columns - (streams ? 0 : 1);
  struct weir_table *t = weir_table_new(columns, n);
  if (t == NULL) return weir_fail(err, WEIR_ENOMEM, "out of memory");
  for (size_t i = 0; i < st->n_rows; i++) {
    const struct kernel_row *r = &st->rows[i];
    const struct weir_func_stats *s = &r->stats;
    char num[27];
    weir_table_cell(t, "%s%s%s", r->name, r->is_interleaved ? " (interleaved)" : "", r->reads_clock ? " (reads clock)" : "");
    weir_table_cell(t, "%" PRIu64, r->launches);
    weir_table_cell(t, "%u,%u,%u", r->grid[0], r->grid[1], r->grid[2]);
    weir_table_cell(t, "%u,%u,%u", r->block[0], r->block[1], r->block[2]);
    weir_table_cell(t, "%s", weir_text_thousands(s->warp_insns, num));
    show_ratio(t, s->thread_insns, s->warp_insns);
    show_ratio(t, 100 * s->mem_insns, s->warp_insns);
    show_ratio(t, s->all_global_requests, s->global_insns);
    show_ratio(t, s->all_global_sectors, s->all_global_requests);
    show_ratio(t, 100 * s->divergent_branches, s->branches);
    if (streams) show_ratio(t, r->stream_bytes, s->warp_insns);
  }
  enum weir_status code = weir_table_text(t, out, err);
  weir_table_free(t);
  return code;
}

static enum weir_status report_text(const struct run_opts *o, struct weir_workload *w, const struct run_state *st,
                                    struct weir_err *err) {
  const struct weir_launchfile *lf = weir_workload_file(w);
  struct weir_text out = {0};
  weir_text_printf(&out, "%s%s%s: %s\n", lf->name, lf->input[0] ? ", input " : "", lf->input,
                   lf->n_expects > 0 ? "all expected results came out" : "no expected results are given");
  enum weir_status code = kernel_table(st, o->streams, &out, err);
  bool interleaved = false, clocks = false;
  for (size_t i = 0; i < st->n_rows; i++) interleaved |= st->rows[i].is_interleaved, clocks |= st->rows[i].reads_clock;
  if (interleaved)
    weir_text_puts(&out, "interleaved: blocks of this kernel can feel one another; spin counts and shares of work are those\n"
                         "of weir's fixed order (exec.wave, exec.quantum), not of a GPU.\n");
  if (clocks)
    weir_text_puts(&out, "reads clock: clocks count executed instructions times exec.clock_factor, not cycles.\n");
  if (code == WEIR_OK && o->all) {
    weir_text_puts(&out, "\n");
    code = weir_stat_text(weir_func_stat_table, NULL, &st->total, &out, err);
  }
  if (code == WEIR_OK && weir_cli_print(&out) != 0) return weir_fail(err, WEIR_EIO, "cannot write to stdout");
  if (code != WEIR_OK) weir_text_free(&out);
  return code;
}

static enum weir_status report_json(const struct run_opts *o, struct weir_workload *w, struct run_state *st,
                                    struct weir_err *err) {
  const struct weir_launchfile *lf = weir_workload_file(w);
  json_t *root = json_pack("{s:i, s:s, s:s, s:b, s:O, s:o}", "weir_result", 1, "workload", lf->name, "input", lf->input,
                           "results_checked", (int)(lf->n_expects > 0), "launches", st->json_launches, "total",
                           weir_stat_json(weir_func_stat_table, &st->total));
  char *text = root != NULL ? json_dumps(root, JSON_INDENT(1)) : NULL;
  json_decref(root);
  if (text == NULL) return weir_fail(err, WEIR_ENOMEM, "out of memory");
  enum weir_status code = WEIR_OK;
  if (strcmp(o->json, "-") == 0) {
    if (puts(text) < 0 || fflush(stdout) != 0) code = weir_fail(err, WEIR_EIO, "cannot write to stdout");
  } else code = weir_file_write(o->json, text, strlen(text), err);
  free(text);
  return code;
}

static enum weir_status write_outputs(const struct run_opts *o, struct weir_workload *w, struct weir_err *err) {
  for (unsigned i = 0; i < o->n_outputs; i++) {
    const char *eq = strchr(o->outputs[i], '=');
    char name[256];
    if (eq == NULL || (size_t)(eq - o->outputs[i]) >= sizeof name)
      return weir_fail(err, WEIR_EINVAL, "--output %s: want BUFFER=FILE", o->outputs[i]);
    memcpy(name, o->outputs[i], (size_t)(eq - o->outputs[i]));
    name[eq - o->outputs[i]] = 0;
    uint64_t bytes;
    const void *data = weir_workload_buffer(w, name, &bytes);
    if (data == NULL) return weir_fail(err, WEIR_EINVAL, "--output: the launch file has no buffer '%s'", name);
    enum weir_status st = weir_file_write(eq + 1, data, (size_t)bytes, err);
    if (st != WEIR_OK) return st;
  }
  return WEIR_OK;
}

static enum weir_status run(struct run_opts *o, struct run_state *state, struct weir_err *err) {
  struct ptx_exec_cfg cfg;
  struct ptx_device dev;
  struct weir_arena a = {0};
  struct weir_workload *w = NULL;
  const char *path = o->target;
  enum weir_status st = weir_settings_fill(&o->settings, &ptx_exec_params, &cfg, err);
  size_t n = strlen(path);
  bool is_file = (n > 5 && strcmp(path + n - 5, ".yaml") == 0) || (n > 4 && strcmp(path + n - 4, ".yml") == 0);
  if (st == WEIR_OK && !is_file) st = weir_cli_workload_path(&a, o->target, &path, err);
  if (st != WEIR_OK) {
    weir_arena_free(&a);
    return st;
  }
  st = ptx_device_init(&dev, &cfg, err);
  if (st == WEIR_OK) st = weir_workload_open(&dev, path, o->input, &w, err);
  if (st == WEIR_OK) {
    struct weir_workload_hooks h = {
        .launched = launched, .progress = progress, .self = state, .want_streams = o->streams};
    state->started = time(NULL);
    st = weir_workload_run(w, &h, err);
    if (state->showed_progress) fputs("\r\033[K", stderr);
  }
  if (st == WEIR_OK && state->is_failed) st = weir_fail(err, WEIR_ENOMEM, "out of memory");
  if (st == WEIR_OK && o->check)
    st = weir_stat_verify(weir_func_stat_table, weir_func_checks, &state->total, err);
  if (st == WEIR_OK) st = weir_workload_check(w, err);
  if (st == WEIR_OK) st = write_outputs(o, w, err);
  if (st == WEIR_OK && o->json != NULL) st = report_json(o, w, state, err);
  if (st == WEIR_OK && !o->quiet && !(o->json != NULL && strcmp(o->json, "-") == 0)) st = report_text(o, w, state, err);
  weir_workload_close(w);
  ptx_device_free(&dev);
  weir_arena_free(&a);
  return st;
}

/* Returns -1 to go on, else the exit code. */
static int parse_options(int argc, char **argv, struct run_opts *o) {
  struct weir_args args = {.argc = argc, .argv = argv, .at = 1};
  struct weir_err err;
  char text[64];
  for (int id; (id = weir_opt_next(&args, &usage)) != WEIR_OPT_END;) {
    enum weir_status st = WEIR_OK;
    switch (id) {
    case WEIR_OPT_WORD:
      if (o->target != NULL) return weir_cli_usage("run", "one workload at a time: '%s' or '%s'", o->target, args.value);
      o->target = args.value;
      break;
    case OPT_INPUT: o->input = args.value; break;
    case OPT_JSON: o->json = args.value; break;
    case OPT_SET: st = weir_settings_assign(&o->settings, args.value, &err); break;
    case OPT_MAX:
      snprintf(text, sizeof text, "exec.max_instructions=%.32s", args.value);
      st = weir_settings_assign(&o->settings, text, &err);
      break;
    case OPT_OUTPUT:
      if (o->n_outputs == MAX_OUTPUTS) return weir_cli_usage("run", "at most %d outputs", MAX_OUTPUTS);
      o->outputs[o->n_outputs++] = args.value;
      break;
    case OPT_STREAMS: o->streams = true; break;
    case OPT_QUIET: o->quiet = true; break;
    case OPT_CHECK: o->check = true; break;
    case OPT_ALL: o->all = true; break;
    case OPT_FUNCTIONAL: break;
    default: return args.exit_code;
    }
    if (st != WEIR_OK) return weir_cli_error(&err);
  }
  if (o->target == NULL) return weir_cli_usage("run", "which workload? See 'weir list workloads', or name a launch file");
  return -1;
}

int weir_cmd_run(int argc, char **argv) {
  struct run_opts o = {0};
  struct run_state state = {.is_terminal = isatty(STDERR_FILENO)};
  struct weir_err err;
  enum weir_status st = weir_settings_init(&o.settings, weir_param_groups, &err);
  if (st != WEIR_OK) return weir_cli_error(&err);
  int code = parse_options(argc, argv, &o);
  if (code < 0) {
    state.json_launches = o.json != NULL ? json_array() : NULL;
    st = run(&o, &state, &err);
    code = st == WEIR_OK ? WEIR_EXIT_OK : weir_cli_error(&err);
  }
  json_decref(state.json_launches);
  for (size_t i = 0; i < state.n_rows; i++) free(state.rows[i].name);
  free(state.rows);
  weir_settings_free(&o.settings);
  return code;
}
