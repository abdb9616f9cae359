/* Speed of functional execution: million warp instructions per CPU second for every built-in
 * workload that has an input named `bench`, without and with warp streams, and where the time goes.
 *
 *   bench [--runs N] [--quick] [--workload NAME]... [--set KEY=VALUE]... [--json FILE]
 *
 * Runs go round the workloads, so that a slow minute of the machine hits all of them, and a fixed
 * calibration loop stands beside each run to show such minutes. */
#include <jansson.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

#include "base/file.h"
#include "base/number.h"
#include "base/settings.h"
#include "base/table.h"
#include "launch/workload.h"
#include "profile.h"
#include "session/data.h"

enum { MAX_RUNS = 99, MAX_WORKLOADS = 64, MODES = 2, PROFILE_REPEATS = 8 };
#define MIN_INSNS UINT64_C(20000000)
#define PROFILE_S 1.0

struct series {
  double v[MAX_RUNS];
  unsigned n;
};

struct entry {
  const char *name, *path;
  struct series load_s, calibration_s, run_s[MODES]; /* mode 1: with streams */
  uint64_t insns, stream_bytes;
  struct prof_counts profile;
};

struct bench {
  struct weir_arena arena;
  struct weir_settings settings;
  struct ptx_exec_cfg cfg;
  const char *only[MAX_WORKLOADS], *json;
  unsigned n_only, runs;
  struct entry entries[MAX_WORKLOADS];
  size_t n;
};

static double cpu_s(void) {
  struct timespec t;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static int by_value(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

static double median(const struct series *s) {
  double v[MAX_RUNS];
  if (!s->n) return 0;
  memcpy(v, s->v, s->n * sizeof *v);
  qsort(v, s->n, sizeof *v, by_value);
  return s->n % 2 ? v[s->n / 2] : (v[s->n / 2 - 1] + v[s->n / 2]) / 2;
}

static void add(struct series *s, double v) {
  if (s->n < MAX_RUNS) s->v[s->n++] = v;
}

/* A fixed amount of dependent integer work over memory that fits a second-level cache. */
static double calibrate(void) {
  enum { WORDS = 1 << 16, STEPS = 90000000 };
  static uint32_t table[WORDS];
  static volatile uint32_t sink;
  double t0 = cpu_s();
  uint32_t x = 1;
  for (uint32_t i = 0; i < STEPS; i++) {
    x = x * 1664525u + 1013904223u;
    table[x >> 16] ^= x + table[i % WORDS];
  }
  sink = x + table[x >> 16];
  (void)sink;
  return cpu_s() - t0;
}

/* ---- runs ---- */

/* A line that the next one overwrites. */
static void progress(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
static void progress(const char *fmt, ...) {
  va_list ap;
  if (!isatty(STDERR_FILENO)) return;
  va_start(ap, fmt);
  fputs("\r\033[K", stderr);
  vfprintf(stderr, fmt, ap);
  va_end(ap);
}

struct totals {
  uint64_t insns, stream_bytes;
};

static void launched(void *self, const struct weir_launch_report *r) {
  struct totals *t = self;
  t->insns += r->stats.warp_insns;
  t->stream_bytes += r->stream_bytes;
}

struct timing {
  double load_s, run_s;
  struct totals totals;
};

/* Load, run, and (if asked) check the results. Each run has a device of its own. */
static enum weir_status run_once(const struct bench *b, const struct entry *e, bool streams,
                                 bool check, bool profile, struct timing *out,
                                 struct weir_err *err) {
  struct ptx_device dev;
  struct weir_workload *w = NULL;
  *out = (struct timing){0};
  double t0 = cpu_s();
  enum weir_status st = ptx_device_init(&dev, &b->cfg, err);
  if (st) return st;
  st = weir_workload_open(&dev, e->path, "bench", &w, err);
  out->load_s = cpu_s() - t0;
  if (!st) {
    struct weir_workload_hooks h = {
        .launched = launched, .self = &out->totals, .want_streams = streams};
    if (profile) prof_start();
    t0 = cpu_s();
    st = weir_workload_run(w, &h, err);
    out->run_s = cpu_s() - t0;
    if (profile) prof_stop();
  }
  if (!st && check) st = weir_workload_check(w, err);
  weir_workload_close(w);
  ptx_device_free(&dev);
  return st;
}

static enum weir_status measure(const struct bench *b, struct entry *e, int mode, bool check,
                                struct weir_err *err) {
  struct timing t;
  add(&e->calibration_s, calibrate());
  enum weir_status st = run_once(b, e, mode == 1, check, false, &t, err);
  if (st) return st;
  if (e->insns && e->insns != t.totals.insns)
    return weir_fail(err, WEIR_EBUG, "%s: two runs executed different numbers of instructions",
                     e->name);
  add(&e->load_s, t.load_s);
  add(&e->run_s[mode], t.run_s);
  e->insns = t.totals.insns;
  if (mode == 1) e->stream_bytes = t.totals.stream_bytes;
  return WEIR_OK;
}

static enum weir_status measure_all(struct bench *b, struct weir_err *err) {
  for (unsigned r = 0; r < b->runs; r++)
    for (int mode = 0; mode < MODES; mode++)
      for (size_t i = 0; i < b->n; i++) {
        progress("run %u of %u, %s%s", r + 1, b->runs, b->entries[i].name,
                 mode ? " with streams" : "");
        enum weir_status st = measure(b, &b->entries[i], mode, r == 0, err);
        if (st) return st;
      }
  return WEIR_OK;
}

static enum weir_status profile_all(struct bench *b, struct weir_err *err) {
  for (size_t i = 0; i < b->n; i++) {
    struct entry *e = &b->entries[i];
    double sum = 0;
    progress("profile, %s", e->name);
    for (int k = 0; k < PROFILE_REPEATS && sum < PROFILE_S; k++) {
      struct timing t;
      enum weir_status st = run_once(b, e, false, false, true, &t, err);
      if (st) return st;
      sum += t.run_s;
    }
    prof_settle(&e->profile);
  }
  return WEIR_OK;
}

/* ---- report ---- */

static double rate(const struct entry *e, int mode) {
  double s = median(&e->run_s[mode]);
  return s > 0 ? 1e-6 * (double)e->insns / s : 0;
}

/* The middle one of the workloads' calibrations; the fastest and the slowest of all. */
static double all_calibrations(const struct bench *b, double *lo, double *hi) {
  struct series medians = {0};
  *lo = INFINITY;
  *hi = 0;
  for (size_t i = 0; i < b->n; i++) {
    add(&medians, median(&b->entries[i].calibration_s));
    for (unsigned k = 0; k < b->entries[i].calibration_s.n; k++) {
      *lo = fmin(*lo, b->entries[i].calibration_s.v[k]);
      *hi = fmax(*hi, b->entries[i].calibration_s.v[k]);
    }
  }
  return median(&medians);
}

static double geometric_mean(const struct bench *b, int mode, double *least, const char **which) {
  double sum = 0;
  *least = INFINITY;
  *which = "";
  for (size_t i = 0; i < b->n; i++) {
    double r = rate(&b->entries[i], mode);
    sum += log(r);
    if (r < *least) *least = r, *which = b->entries[i].name;
  }
  return exp(sum / (double)b->n);
}

static enum weir_status speed_table(const struct bench *b, struct weir_text *out,
                                    struct weir_err *err) {
  static const struct weir_column columns[] = {
      {"workload", NULL, WEIR_LEFT},    {"warp insns", "M", WEIR_RIGHT},
      {"load", "CPU s", WEIR_RIGHT},    {"run", "CPU s", WEIR_RIGHT},
      {"rate", "M insn/s", WEIR_RIGHT}, {"with streams", "CPU s", WEIR_RIGHT},
      {"rate", "M insn/s", WEIR_RIGHT}, {"stream", "B/insn", WEIR_RIGHT},
      {"calibration", "ms", WEIR_RIGHT}};
  struct weir_table *t = weir_table_new(columns, sizeof columns / sizeof *columns);
  if (!t) return weir_fail(err, WEIR_ENOMEM, "out of memory");
  for (size_t i = 0; i < b->n; i++) {
    const struct entry *e = &b->entries[i];
    weir_table_cell(t, "%s%s", e->name, e->insns < MIN_INSNS ? " (too small)" : "");
    weir_table_cell(t, "%.1f", 1e-6 * (double)e->insns);
    weir_table_cell(t, "%.2f", median(&e->load_s));
    weir_table_cell(t, "%.3f", median(&e->run_s[0]));
    weir_table_cell(t, "%.1f", rate(e, 0));
    weir_table_cell(t, "%.3f", median(&e->run_s[1]));
    weir_table_cell(t, "%.1f", rate(e, 1));
    weir_table_cell(t, "%.2f", (double)e->stream_bytes / (double)e->insns);
    weir_table_cell(t, "%.0f", 1e3 * median(&e->calibration_s));
  }
  enum weir_status st = weir_table_text(t, out, err);
  weir_table_free(t);
  return st;
}

static void summary(const struct bench *b, struct weir_text *out) {
  static const char *const names[MODES] = {"without streams", "with streams"};
  for (int mode = 0; mode < MODES; mode++) {
    double least;
    const char *which;
    double mean = geometric_mean(b, mode, &least, &which);
    weir_text_printf(out,
                     "%-16s geometric mean %.1f, least %.1f (%s) million warp instructions/s\n",
                     names[mode], mean, least, which);
  }
  double lo, hi, mid = all_calibrations(b, &lo, &hi);
  weir_text_printf(
      out,
      "calibration      median %.0f ms, from %.0f to %.0f: always the same work, so the "
      "spread is the machine's\n",
      1e3 * mid, 1e3 * lo, 1e3 * hi);
}

static enum weir_status profile_table(const struct bench *b, struct weir_text *out,
                                      struct weir_err *err) {
  struct weir_column columns[PROF_EXECUTION_END + 2] = {{"workload", NULL, WEIR_LEFT},
                                                        {"samples", NULL, WEIR_RIGHT}};
  for (int g = 0; g < PROF_EXECUTION_END; g++)
    columns[g + 2] = (struct weir_column){prof_group_names[g], "%", WEIR_RIGHT};
  struct weir_table *t = weir_table_new(columns, PROF_EXECUTION_END + 2);
  if (!t) return weir_fail(err, WEIR_ENOMEM, "out of memory");
  for (size_t i = 0; i < b->n; i++) {
    const struct prof_counts *p = &b->entries[i].profile;
    weir_table_cell(t, "%s", b->entries[i].name);
    weir_table_cell(t, "%llu", (unsigned long long)p->n);
    for (int g = 0; g < PROF_EXECUTION_END; g++)
      weir_table_cell(t, "%.1f", p->n ? 100 * (double)p->group[g] / (double)p->n : 0);
  }
  enum weir_status st = weir_table_text(t, out, err);
  weir_table_free(t);
  return st;
}

static enum weir_status hot_table(const struct bench *b, struct weir_text *out,
                                  struct weir_err *err) {
  static const struct weir_column columns[] = {
      {"hottest function", NULL, WEIR_LEFT}, {"part", NULL, WEIR_LEFT}, {"time", "%", WEIR_RIGHT}};
  struct prof_hot hot[10];
  size_t n = prof_hottest(hot, sizeof hot / sizeof *hot);
  uint64_t total = 0;
  for (size_t i = 0; i < b->n; i++)
    total += b->entries[i].profile.n;
  struct weir_table *t = weir_table_new(columns, sizeof columns / sizeof *columns);
  if (!t) return weir_fail(err, WEIR_ENOMEM, "out of memory");
  for (size_t i = 0; i < n; i++) {
    weir_table_cell(t, "%s", hot[i].name);
    weir_table_cell(t, "%s", prof_group_names[hot[i].group]);
    weir_table_cell(t, "%.1f", 100 * (double)hot[i].n / (double)total);
  }
  enum weir_status st = weir_table_text(t, out, err);
  weir_table_free(t);
  return st;
}

static const char *simd_of(const struct bench *b, char *buf, size_t len) {
  return weir_param_show(weir_param_find(ptx_exec_table, "simd"), &b->cfg, buf, len);
}

static enum weir_status report(const struct bench *b, struct weir_err *err) {
  struct weir_text out = {0};
  char simd[16];
  weir_text_printf(&out,
                   "\nFunctional execution on one thread, statistics included, exec.simd=%s; CPU "
                   "time, median of %u.\n\n",
                   simd_of(b, simd, sizeof simd), b->runs);
  enum weir_status st = speed_table(b, &out, err);
  if (!st) {
    weir_text_puts(&out, "\n");
    summary(b, &out);
    weir_text_puts(
        &out,
        "\nWhere the time goes, without streams (sampled; functions inlined into others count "
        "there):\nloop: warp loop, branches, barriers, exchanges; arith, memory: handlers of "
        "micro-operations;\ncount: coalescing and bank passes; blocks: set-up of launches and "
        "blocks.\n\n");
    st = profile_table(b, &out, err);
  }
  if (!st) {
    weir_text_puts(&out, "\n");
    st = hot_table(b, &out, err);
  }
  if (!st && (out.failed || fputs(out.v, stdout) < 0 || fflush(stdout)))
    st = weir_fail(err, WEIR_EIO, "cannot write the report");
  weir_text_free(&out);
  return st;
}

static json_t *series_json(const struct series *s) {
  json_t *a = json_array();
  for (unsigned i = 0; i < s->n; i++)
    json_array_append_new(a, json_real(s->v[i]));
  return a;
}

static json_t *entry_json(const struct entry *e) {
  json_t *shares = json_object();
  for (int g = 0; g < PROF_EXECUTION_END; g++)
    json_object_set_new(
        shares, prof_group_names[g],
        json_real(e->profile.n ? (double)e->profile.group[g] / (double)e->profile.n : 0));
  return json_pack("{s:s, s:I, s:I, s:f, s:f, s:o, s:o, s:o, s:o, s:o}", "workload", e->name,
                   "warp_insns", (json_int_t)e->insns, "stream_bytes", (json_int_t)e->stream_bytes,
                   "rate_per_s", 1e6 * rate(e, 0), "rate_with_streams_per_s", 1e6 * rate(e, 1),
                   "run_s", series_json(&e->run_s[0]), "run_with_streams_s",
                   series_json(&e->run_s[1]), "load_s", series_json(&e->load_s), "calibration_s",
                   series_json(&e->calibration_s), "time_shares", shares);
}

static enum weir_status write_json(const struct bench *b, struct weir_err *err) {
  struct utsname host;
  double least[MODES], mean[MODES];
  const char *which;
  char simd[16];
  for (int mode = 0; mode < MODES; mode++)
    mean[mode] = geometric_mean(b, mode, &least[mode], &which);
  json_t *all = json_array();
  for (size_t i = 0; i < b->n; i++)
    json_array_append_new(all, entry_json(&b->entries[i]));
  json_t *root =
      json_pack("{s:i, s:s, s:s, s:i, s:f, s:f, s:f, s:f, s:o}", "weir_bench", 1, "machine",
                uname(&host) == 0 ? host.machine : "", "simd", simd_of(b, simd, sizeof simd),
                "runs", (int)b->runs, "geometric_mean_per_s", 1e6 * mean[0], "least_per_s",
                1e6 * least[0], "geometric_mean_with_streams_per_s", 1e6 * mean[1],
                "least_with_streams_per_s", 1e6 * least[1], "workloads", all);
  char *text = root ? json_dumps(root, JSON_INDENT(1) | JSON_REAL_PRECISION(8)) : NULL;
  json_decref(root);
  if (!text) return weir_fail(err, WEIR_ENOMEM, "out of memory");
  enum weir_status st = weir_file_write(b->json, text, strlen(text), err);
  free(text);
  return st;
}

/* ---- what to run ---- */

static bool is_wanted(const struct bench *b, const char *name) {
  for (unsigned i = 0; i < b->n_only; i++)
    if (strcmp(b->only[i], name) == 0) return true;
  return b->n_only == 0;
}

static bool has_bench_input(const struct weir_launchfile *lf) {
  for (uint32_t i = 0; i < lf->n_inputs; i++)
    if (strcmp(lf->inputs[i], "bench") == 0) return true;
  return false;
}

static enum weir_status find_workloads(struct bench *b, struct weir_err *err) {
  const char *const *names;
  size_t n;
  enum weir_status st = weir_data_workloads(&b->arena, &names, &n, err);
  for (size_t i = 0; !st && i < n && b->n < MAX_WORKLOADS; i++) {
    struct weir_launchfile *lf;
    struct entry *e = &b->entries[b->n];
    if (!is_wanted(b, names[i])) continue;
    st = weir_data_workload(&b->arena, names[i], &e->path, err);
    if (!st) st = weir_launchfile_load(e->path, NULL, &lf, err);
    if (st) return st;
    e->name = names[i];
    b->n += has_bench_input(lf);
    weir_launchfile_free(lf);
  }
  if (!st && !b->n)
    st = weir_fail(err, WEIR_ENOENT, "there is no such workload with an input named 'bench'");
  return st;
}

static int usage(const char *why) {
  fprintf(stderr,
          "bench: %s\nusage: bench [--runs N] [--quick] [--workload NAME]... [--set KEY=VALUE]... "
          "[--json FILE]\n",
          why);
  return 2;
}

/* Returns 0 to go on, else the exit code. */
static int parse_options(struct bench *b, int argc, char **argv, struct weir_err *err) {
  for (int i = 1; i < argc; i++) {
    const char *o = argv[i];
    if (strcmp(o, "--quick") == 0) {
      b->runs = 1;
      continue;
    }
    if (i + 1 == argc) return usage("unknown option, or its value is missing");
    const char *value = argv[++i];
    if (strcmp(o, "--runs") == 0) {
      int64_t n;
      if (!weir_parse_int(value, &n) || n < 1 || n > MAX_RUNS)
        return usage("--runs wants a number from 1 to 99");
      b->runs = (unsigned)n;
    } else if (strcmp(o, "--workload") == 0 && b->n_only < MAX_WORKLOADS) {
      b->only[b->n_only++] = value;
    } else if (strcmp(o, "--json") == 0) {
      b->json = value;
    } else if (strcmp(o, "--set") == 0) {
      if (weir_settings_assign(&b->settings, value, err)) return usage(err->msg);
    } else {
      return usage("unknown option");
    }
  }
  return 0;
}

int main(int argc, char **argv) {
  static const struct weir_param_group *const groups[] = {&ptx_exec_params, NULL};
  static struct bench b = {.runs = 5};
  struct weir_err err;
  enum weir_status st = weir_settings_init(&b.settings, groups, &err);
  int code = st ? 0 : parse_options(&b, argc, argv, &err);
  if (!st && !code) {
    st = weir_settings_fill(&b.settings, &ptx_exec_params, &b.cfg, &err);
    if (!st) st = find_workloads(&b, &err);
    if (!prof_open())
      fputs("bench: this program has no symbols; its time cannot be split up\n", stderr);
    if (!st) st = measure_all(&b, &err);
    if (!st) st = profile_all(&b, &err);
    progress("%s", "");
    if (!st) st = report(&b, &err);
    if (!st && b.json) st = write_json(&b, &err);
    prof_close();
  }
  if (st) {
    fprintf(stderr, "bench: %s\n", err.msg);
    code = weir_status_exit(st);
  }
  weir_settings_free(&b.settings);
  weir_arena_free(&b.arena);
  return code;
}
