/* weir run WORKLOAD|FILE.yaml */
#include <inttypes.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include <xxhash.h>

#include "base/config.h"
#include "base/file.h"
#include "base/stat_io.h"
#include "base/table.h"
#include "cli/cmd.h"
#include "cli/job.h"
#include "cli/opt.h"
#include "cli/timing.h"
#include "ptx/workload.h"
#include "report/bar.h"

enum {
  OPT_INPUT = 1,
  OPT_JSON,
  OPT_SET,
  OPT_MAX,
  OPT_STREAMS,
  OPT_QUIET,
  OPT_CHECK,
  OPT_OUTPUT,
  OPT_ALL,
  OPT_SCHEME,
  OPT_TAGS,
  OPT_PER_LOAD,
  OPT_PER_SM,
  OPT_FUNCTIONAL,
  OPT_GPU,
  OPT_THREADS,
  OPT_CONFIG,
  OPT_POLICIES,
  OPT_ORGANISATION,
  OPT_PLUGIN
};

static const struct weir_usage usage = {
    .command = "run",
    .synopsis = "WORKLOAD|FILE.yaml ... [options]",
    .about =
        "Run built-in workloads (see 'weir list workloads'; 'all' runs every one that has the "
        "input) or\n"
        "launch files: execute their kernels, check the expected results and print what was "
        "executed.\n"
        "The exit code is 0 if everything ran and all expected results came out, 1 if not, 2 for\n"
        "mistakes in the input.",
    .opts =
        (const struct weir_opt[]){
            {"input", 'i', "NAME", "which of the file's inputs (default: the first)", OPT_INPUT},
            {"gpu", 'g', "NAME",
             "time the kernels on a machine: one of 'weir list gpus', or a file ending in .yaml",
             OPT_GPU},
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
             "scheme, unless --policies says where; may be repeated; the machine is fermi-s3 "
             "unless\n"
             "--gpu names one",
             OPT_PLUGIN},
            {"threads", 't', "N",
             "host threads for timing; the results are the same for any number", OPT_THREADS},
            {"functional", 'f', NULL, "execute only, without timing (as without --gpu)",
             OPT_FUNCTIONAL},
            {"streams", 0, NULL, "produce warp streams as well, and say how large they are",
             OPT_STREAMS},
            {"config", 'c', "FILE", "read settings from a file (KEY: VALUE); --set wins over it",
             OPT_CONFIG},
            {"set", 's', "KEY=VALUE", "set a parameter ('weir list params'); may be repeated",
             OPT_SET},
            {"max-instructions", 'm', "N",
             "stop with an error after N warp instructions in a launch", OPT_MAX},
            {"json", 'j', "FILE",
             "write all statistics as JSON ('-': to stdout, instead of the table)", OPT_JSON},
            {"output", 'o', "BUFFER=FILE",
             "write a buffer's final contents as raw bytes; may be repeated", OPT_OUTPUT},
            {"per-load", 0, NULL,
             "show what each memory instruction did in the L1 (in JSON always)", OPT_PER_LOAD},
            {"per-sm", 0, NULL, "show what each SM did, in JSON too", OPT_PER_SM},
            {"all", 'a', NULL, "print every statistic with its meaning", OPT_ALL},
            {"check", 0, NULL, "verify the conservation rules of the statistics", OPT_CHECK},
            {"quiet", 'q', NULL, "print nothing but errors", OPT_QUIET},
            {.name = NULL}},
    .examples = "  weir run spmv\n"
                "  weir run all --input profile\n"
                "  weir run spmv --gpu fermi-s3\n"
                "  weir run spmv --plugin ./my_policy.so\n"
                "  weir run spmv --gpu fermi-s3 --organisation tag-split --policies "
                "pc-bypass,tsc-plus\n"
                "  weir run spmv --input profile --json spmv.json\n"
                "  weir run my/launch.yaml --set exec.quantum=64 -o y=y.bin\n",
};

enum { MAX_OUTPUTS = 64 };

struct run_opts {
  struct {
    const char **v;
    size_t n, cap;
  } targets;
  const char *input, *json, *gpu, *outputs[MAX_OUTPUTS];
  struct weir_line_up line_up;
  unsigned n_outputs;
  uint32_t threads;
  struct weir_timing_views views;
  bool streams, quiet, check;
  struct weir_settings settings;
};

struct kernel_row { /* launches of one kernel of one run, added up */
  char *workload, *name;
  uint64_t launches, stream_bytes;
  struct weir_func_stats stats;
  uint32_t grid[3], block[3];
  bool is_interleaved, reads_clock;
};

struct run_state {
  struct {
    struct kernel_row *v;
    size_t n, cap;
  } rows;
  size_t first_row; /* of the workload that runs */
  const char *workload;
  struct weir_func_stats total, all; /* of the workload; of all */
  uint64_t launches, n_runs, n_unchecked;
  json_t *json_runs, *json_launches; /* NULL unless JSON is wanted */
  struct weir_timing timing;         /* .sim NULL: no machine was named */
  bool is_terminal, is_failed, showed_progress, per_sm;
  time_t started, shown;
};

static struct kernel_row *row_of(struct run_state *st, const struct weir_launch_report *r) {
  for (size_t i = st->first_row; i < st->rows.n; i++)
    if (strcmp(st->rows.v[i].name, r->kernel) == 0) return &st->rows.v[i];
  struct kernel_row row = {.workload = strdup(st->workload), .name = strdup(r->kernel)};
  if (row.name == NULL || row.workload == NULL || !WEIR_PUSH(st->rows, row)) {
    free(row.name);
    free(row.workload);
    return NULL;
  }
  return &st->rows.v[st->rows.n - 1];
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
  st->launches++;
  if (st->json_launches == NULL) return;
  json_t *o = json_pack(
      "{s:s, s:i, s:[i,i,i], s:[i,i,i], s:b, s:b, s:o}", "kernel", r->kernel, "repetition",
      (int)r->k, "grid", (int)r->info->grid[0], (int)r->info->grid[1], (int)r->info->grid[2],
      "block", (int)r->info->block[0], (int)r->info->block[1], (int)r->info->block[2],
      "interleaved", (int)r->info->is_interleaved, "reads_clock", (int)r->info->reads_clock,
      "statistics", weir_stat_json(weir_func_stat_table, &r->stats));
  if (o != NULL && st->timing.sim != NULL &&
      json_object_set_new(o, "timing", weir_timing_json(&st->timing, r->info, st->per_sm)) != 0)
    st->is_failed = true;
  if (o == NULL || json_array_append_new(st->json_launches, o) != 0) st->is_failed = true;
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
          st->workload, kernel, done, n, n ? 100.0 * (double)done / (double)n : 100.0,
          st->launches + 1);
  fflush(stderr);
}

static void show_ratio(struct weir_table *t, uint64_t num, uint64_t den) {
  if (den == 0)
    weir_table_cell(t, "-");
  else
    weir_table_cell(t, "%.2f", (double)num / (double)den);
}

static enum weir_status kernel_table(const struct run_state *st, bool streams,
                                     struct weir_text *out, struct weir_err *err) {
  static const struct weir_column columns[] = {
      {"workload", NULL, WEIR_LEFT},          {"kernel", NULL, WEIR_LEFT},
      {"launches", NULL, WEIR_RIGHT},         {"blocks", "x threads", WEIR_RIGHT},
      {"warp insns", NULL, WEIR_RIGHT},       {"lanes", "of 32", WEIR_RIGHT},
      {"memory", "% of insns", WEIR_RIGHT},   {"divergent", "% of branches", WEIR_RIGHT},
      {"sectors", "per request", WEIR_RIGHT}, {"stream", "bytes/insn", WEIR_RIGHT},
      {"requests", "per access", WEIR_RIGHT}, {"", "", WEIR_LEFT}};
  enum { N = sizeof columns / sizeof *columns, STREAM = 9, LINES_PER_CHAR = 2 };
  struct weir_column used[N];
  size_t n = 0;
  for (size_t i = 0; i < N; i++)
    if (i != STREAM || streams) used[n++] = columns[i];
  struct weir_table *t = weir_table_new(used, n);
  if (t == NULL) return weir_fail(err, WEIR_ENOMEM, "out of memory");
  for (size_t i = 0; i < st->rows.n; i++) {
    const struct kernel_row *r = &st->rows.v[i];
    const struct weir_func_stats *s = &r->stats;
    char num[27], text[80];
    bool is_first = i == 0 || strcmp(st->rows.v[i - 1].workload, r->workload) != 0;
    weir_table_cell(t, "%s", is_first ? r->workload : "");
    weir_table_cell(t, "%s%s%s", r->name, r->is_interleaved ? " *" : "",
                    r->reads_clock ? " +" : "");
    weir_table_cell(t, "%" PRIu64, r->launches);
    weir_table_cell(t, "%" PRIu64 " x %u", (uint64_t)r->grid[0] * r->grid[1] * r->grid[2],
                    r->block[0] * r->block[1] * r->block[2]);
    weir_table_cell(t, "%s", weir_text_thousands(s->warp_insns, num));
    show_ratio(t, s->thread_insns, s->warp_insns);
    show_ratio(t, 100 * s->mem_insns, s->warp_insns);
    show_ratio(t, 100 * s->divergent_branches, s->branches);
    show_ratio(t, s->all_global_sectors, s->all_global_requests);
    if (streams) show_ratio(t, r->stream_bytes, s->warp_insns);
    show_ratio(t, s->all_global_requests, s->global_insns);
    weir_table_cell(t, "%s",
                    weir_bar(s->global_insns ? (double)s->all_global_requests /
                                                   (double)s->global_insns / LINES_PER_CHAR
                                             : 0,
                             text, sizeof text));
  }
  enum weir_status code = weir_table_text(t, out, err);
  weir_table_free(t);
  return code;
}

static enum weir_status report_text(const struct run_opts *o, const struct run_state *st,
                                    struct weir_err *err) {
  struct weir_text out = {0};
  enum weir_status code = kernel_table(st, o->streams, &out, err);
  if (code == WEIR_OK && st->timing.sim != NULL) {
    weir_text_puts(&out, "\n");
    code = weir_timing_text(&st->timing, &o->views, &out, err);
    weir_text_puts(&out, "\n");
  }
  bool interleaved = false, clocks = false;
  for (size_t i = 0; i < st->rows.n; i++)
    interleaved |= st->rows.v[i].is_interleaved, clocks |= st->rows.v[i].reads_clock;
  weir_text_puts(&out, "requests: 128-byte lines that one global load, store or atomic of a warp "
                       "touches (1 is ideal, 32 the most)\n");
  if (interleaved)
    weir_text_puts(&out, "* interleaved: blocks of this kernel can feel one another; spin counts "
                         "and shares of work are those\n"
                         "  of weir's fixed order (exec.wave, exec.quantum), not of a GPU\n");
  if (clocks)
    weir_text_puts(
        &out,
        "+ reads clocks, which count executed instructions times exec.clock_factor, not cycles\n");
  if (code == WEIR_OK && o->views.all) {
    weir_text_puts(&out, "\n");
    code = weir_stat_text(weir_func_stat_table, NULL, &st->all, &out, err);
  }
  if (st->n_unchecked == 0)
    weir_text_printf(&out, "%" PRIu64 " run%s: all expected results came out\n", st->n_runs,
                     st->n_runs == 1 ? "" : "s");
  else
    weir_text_printf(&out,
                     "%" PRIu64 " run%s, of which %" PRIu64
                     " give no expected results; all others came out\n",
                     st->n_runs, st->n_runs == 1 ? "" : "s", st->n_unchecked);
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

static enum weir_status keep_json(struct weir_workload *w, struct run_state *st,
                                  struct weir_err *err) {
  const struct weir_launchfile *lf = weir_workload_file(w);
  json_t *o =
      json_pack("{s:s, s:s, s:b, s:o, s:o, s:o}", "workload", lf->name, "input", lf->input,
                "results_checked", (int)(lf->n_expects > 0), "buffers", buffers_json(w), "launches",
                st->json_launches, "total", weir_stat_json(weir_func_stat_table, &st->total));
  st->json_launches = json_array(); /* the run has taken the old one */
  json_t *profile = weir_timing_profile_json(&st->timing);
  if (o != NULL && profile != NULL && json_object_set_new(o, "profile", profile) != 0) {
    json_decref(o);
    o = NULL;
  }
  if (o == NULL || st->json_launches == NULL || json_array_append_new(st->json_runs, o) != 0)
    return weir_fail(err, WEIR_ENOMEM, "out of memory");
  return WEIR_OK;
}

static enum weir_status report_json(const struct run_opts *o, const struct run_state *st,
                                    struct weir_err *err) {
  json_t *root = json_pack("{s:i, s:O}", "weir_result", 1, "runs", st->json_runs);
  char *text = root != NULL ? json_dumps(root, JSON_INDENT(1)) : NULL;
  json_decref(root);
  if (text == NULL) return weir_fail(err, WEIR_ENOMEM, "out of memory");
  enum weir_status code = WEIR_OK;
  if (strcmp(o->json, "-") == 0) {
    if (puts(text) < 0 || fflush(stdout) != 0)
      code = weir_fail(err, WEIR_EIO, "cannot write to stdout");
  } else
    code = weir_file_write(o->json, text, strlen(text), err);
  free(text);
  return code;
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

/* With `write` false only the names are checked: a long run should not end with a typing error. */
static enum weir_status put_outputs(const struct run_opts *o, struct weir_workload *w, bool write,
                                    struct weir_err *err) {
  enum weir_status st = WEIR_OK;
  for (unsigned i = 0; st == WEIR_OK && i < o->n_outputs; i++) {
    const char *file;
    const void *data;
    uint64_t bytes;
    st = find_output(o->outputs[i], w, &file, &data, &bytes, err);
    if (st == WEIR_OK && write) st = weir_file_write(file, data, (size_t)bytes, err);
  }
  return st;
}

static bool is_launch_file(const char *name) {
  size_t n = strlen(name);
  return (n > 5 && strcmp(name + n - 5, ".yaml") == 0) ||
         (n > 4 && strcmp(name + n - 4, ".yml") == 0);
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

static enum weir_status run_one(const struct run_opts *o, const char *path, struct run_state *state,
                                struct weir_err *err) {
  struct ptx_exec_cfg cfg;
  struct ptx_device dev;
  struct weir_workload *w = NULL;
  enum weir_status st = weir_settings_fill(&o->settings, &ptx_exec_params, &cfg, err);
  if (st == WEIR_OK) st = ptx_device_init(&dev, &cfg, err);
  if (st != WEIR_OK) return st;
  bool json_on_stdout = o->json != NULL && strcmp(o->json, "-") == 0;
  dev.output = (struct ptx_output){.self = json_on_stdout ? stderr : stdout, .print = print_text};
  st = weir_workload_open(&dev, path, o->input, &w, err);
  if (st == WEIR_OK) st = put_outputs(o, w, false, err);
  if (st == WEIR_OK) {
    bool timed = o->gpu != NULL;
    struct weir_workload_hooks h = {.launched = launched,
                                    .progress = timed ? NULL : progress,
                                    .simulate = timed ? simulate : NULL,
                                    .self = state,
                                    .want_streams = o->streams || timed};
    state->workload = weir_workload_file(w)->name;
    if (timed)
      st = weir_timing_prepare(&state->timing, &o->settings, state->workload, path, o->input, err);
    if (timed && st == WEIR_OK) st = weir_timing_workload(&state->timing, state->workload, err);
    state->first_row = state->rows.n;
    memset(&state->total, 0, sizeof state->total);
    if (st == WEIR_OK) st = weir_workload_run(w, &h, err);
    if (state->showed_progress) fputs("\r\033[K", stderr);
    note_lost(&dev);
  }
  if (st == WEIR_OK && state->is_failed) st = weir_fail(err, WEIR_ENOMEM, "out of memory");
  if (st == WEIR_OK && o->check)
    st = weir_stat_verify(weir_func_stat_table, weir_func_checks, &state->total, err);
  if (st == WEIR_OK && o->check) st = weir_timing_check(&state->timing, err);
  if (st == WEIR_OK) st = weir_workload_check(w, err);
  if (st == WEIR_OK) st = put_outputs(o, w, true, err);
  if (st == WEIR_OK && state->json_runs != NULL) st = keep_json(w, state, err);
  if (st == WEIR_OK) {
    weir_stat_sum(weir_func_stat_table, &state->all, &state->total);
    state->n_runs++;
    state->n_unchecked += weir_workload_file(w)->n_expects == 0;
  }
  weir_workload_close(w);
  ptx_device_free(&dev);
  return st;
}

/* 'all': every built-in workload that has the input asked for. */
static enum weir_status expand_all(struct run_opts *o, struct weir_arena *a, struct weir_err *err) {
  const char *const *names;
  size_t n;
  enum weir_status st = weir_cli_workloads(a, &names, &n, err);
  for (size_t i = 0; st == WEIR_OK && i < n; i++) {
    const char *path;
    struct weir_config c;
    st = weir_cli_workload_path(a, names[i], &path, err);
    if (st == WEIR_OK) st = weir_config_load(&c, path, err);
    if (st != WEIR_OK) break;
    char key[300];
    snprintf(key, sizeof key, "inputs.%.280s", o->input != NULL ? o->input : "eval");
    bool has_input = weir_config_at(&c, key) != 0;
    weir_config_free(&c);
    if (has_input && !WEIR_PUSH(o->targets, names[i]))
      st = weir_fail(err, WEIR_ENOMEM, "out of memory");
  }
  return st;
}

static enum weir_status run(struct run_opts *o, struct run_state *state, struct weir_err *err) {
  struct weir_arena a = {0};
  enum weir_status st = WEIR_OK;
  if (o->targets.n == 1 && strcmp(o->targets.v[0], "all") == 0) {
    o->targets.n = 0;
    st = expand_all(o, &a, err);
  }
  if (st == WEIR_OK && o->gpu != NULL) {
    st = weir_cli_gpu_settings(&o->settings, o->gpu, err);
    if (st == WEIR_OK)
      st = weir_timing_begin(&state->timing, &o->settings, o->gpu, &o->line_up, o->threads,
                             o->check, err);
  }
  state->started = time(NULL);
  state->per_sm = o->views.per_sm;
  for (size_t i = 0; st == WEIR_OK && i < o->targets.n; i++) {
    const char *path = o->targets.v[i];
    if (!is_launch_file(path)) st = weir_cli_workload_path(&a, path, &path, err);
    if (st == WEIR_OK) st = run_one(o, path, state, err);
  }
  if (st == WEIR_OK && o->json != NULL) st = report_json(o, state, err);
  if (st == WEIR_OK && !o->quiet && !(o->json != NULL && strcmp(o->json, "-") == 0))
    st = report_text(o, state, err);
  weir_arena_free(&a);
  return st;
}

/* Returns -1 to go on, else the exit code. */
static int parse_options(int argc, char **argv, struct run_opts *o) {
  struct weir_args args = {.argc = argc, .argv = argv, .at = 1};
  struct weir_err err;
  char text[64];
  bool is_functional = false;
  for (int id; (id = weir_opt_next(&args, &usage)) != WEIR_OPT_END;) {
    enum weir_status st = WEIR_OK;
    switch (id) {
    case WEIR_OPT_WORD:
      if (!WEIR_PUSH(o->targets, args.value)) st = weir_fail(&err, WEIR_ENOMEM, "out of memory");
      break;
    case OPT_INPUT:
      o->input = args.value;
      break;
    case OPT_JSON:
      o->json = args.value;
      break;
    case OPT_CONFIG:
      st = weir_cli_settings_file(&o->settings, args.value, &err);
      break;
    case OPT_SET:
      st = weir_settings_assign(&o->settings, args.value, &err);
      break;
    case OPT_MAX:
      snprintf(text, sizeof text, "exec.max_instructions=%.32s", args.value);
      st = weir_settings_assign(&o->settings, text, &err);
      break;
    case OPT_OUTPUT:
      if (o->n_outputs == MAX_OUTPUTS)
        return weir_cli_usage("run", "at most %d outputs", MAX_OUTPUTS);
      o->outputs[o->n_outputs++] = args.value;
      break;
    case OPT_STREAMS:
      o->streams = true;
      break;
    case OPT_QUIET:
      o->quiet = true;
      break;
    case OPT_CHECK:
      o->check = true;
      break;
    case OPT_ALL:
      o->views.all = true;
      break;
    case OPT_SCHEME:
      o->line_up.scheme = args.value;
      break;
    case OPT_POLICIES:
      o->line_up.policies = args.value;
      break;
    case OPT_ORGANISATION:
      o->line_up.organisation = args.value;
      break;
    case OPT_TAGS:
      o->line_up.tags = args.value;
      break;
    case OPT_PER_LOAD:
      o->views.per_load = true;
      break;
    case OPT_PER_SM:
      o->views.per_sm = true;
      break;
    case OPT_PLUGIN: /* loaded already; a policy is there to be timed */
      if (o->gpu == NULL && !is_functional) o->gpu = "fermi-s3";
      break;
    case OPT_FUNCTIONAL:
      o->gpu = NULL;
      is_functional = true;
      break;
    case OPT_GPU:
      o->gpu = args.value;
      break;
    case OPT_THREADS:
      o->threads = (uint32_t)strtoul(args.value, NULL, 10);
      if (o->threads < 1 || o->threads > 256)
        return weir_cli_usage("run", "--threads takes 1 to 256");
      break;
    default:
      return args.exit_code;
    }
    if (st != WEIR_OK) return weir_cli_error(&err);
  }
  if (o->targets.n == 0)
    return weir_cli_usage("run",
                          "which workload? See 'weir list workloads', or name a launch file");
  if (o->gpu == NULL && (o->line_up.scheme || o->line_up.policies || o->line_up.organisation))
    return weir_cli_usage("run", "--%s says what to time: add --gpu NAME",
                          o->line_up.scheme     ? "scheme"
                          : o->line_up.policies ? "policies"
                                                : "organisation");
  if (o->gpu == NULL && o->line_up.tags != NULL)
    return weir_cli_usage("run", "--tags is for timed runs: add --gpu NAME");
  if (o->gpu == NULL && (o->views.per_load || o->views.per_sm))
    return weir_cli_usage("run", "--per-load and --per-sm show timed runs: add --gpu NAME");
  if (o->n_outputs > 0 && (o->targets.n > 1 || strcmp(o->targets.v[0], "all") == 0))
    return weir_cli_usage("run", "--output goes with one workload");
  return -1;
}

int weir_cmd_run(int argc, char **argv) {
  struct run_opts o = {.threads = 1};
  struct run_state state = {.is_terminal = isatty(STDERR_FILENO)};
  struct weir_err err;
  int code = weir_cli_plugins(argc, argv, &usage, OPT_PLUGIN);
  if (code >= 0) return code;
  enum weir_status st = weir_settings_init(&o.settings, weir_cli_param_groups(), &err);
  if (st != WEIR_OK) return weir_cli_error(&err);
  code = parse_options(argc, argv, &o);
  if (code < 0) {
    state.json_launches = o.json != NULL ? json_array() : NULL;
    state.json_runs = o.json != NULL ? json_array() : NULL;
    st = run(&o, &state, &err);
    code = st == WEIR_OK ? WEIR_EXIT_OK : weir_cli_error(&err);
    if (st != WEIR_OK && weir_cli_signal() != 0) code = 128 + weir_cli_signal();
  }
  json_decref(state.json_launches);
  json_decref(state.json_runs);
  weir_timing_end(&state.timing);
  for (size_t i = 0; i < state.rows.n; i++) {
    free(state.rows.v[i].name);
    free(state.rows.v[i].workload);
  }
  free(state.rows.v);
  free(o.targets.v);
  weir_settings_free(&o.settings);
  return code;
}
