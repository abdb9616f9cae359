/* Speed of the timing model: traces replayed on a machine, CPU time on one thread, wall time on
 * two.
 *
 *   timing [--gpu NAME] [--runs N] [FILE.wtrace]...
 *
 * Without files every built-in workload (input eval) is recorded to a temporary folder first. Runs
 * go round the traces, so that a slow minute of the machine hits all of them. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/number.h"
#include "base/table.h"
#include "profile.h"
#include "session/data.h"
#include "session/groups.h"
#include "session/streams.h"
#include "weir/sim.h"

enum { MAX_TRACES = 64, MAX_RUNS = 99 };

struct trace {
  const char *name;
  char path[512];
  double cpu_s[MAX_RUNS], wall2_s[MAX_RUNS];
  uint64_t warp_insns, cycles, requests, l1, l2, dram; /* events of components */
  struct prof_counts profile;
};

struct bench {
  struct weir_arena arena;
  struct weir_settings settings;
  struct weir_session *session;
  const char *gpu;
  unsigned runs;
  struct trace traces[MAX_TRACES];
  size_t n;
  char folder[64];
};

static void die(const struct weir_err *err) {
  fprintf(stderr, "timing: %s\n", err->msg);
  exit(1);
}

static double clock_s(clockid_t id) {
  struct timespec t;
  clock_gettime(id, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static int by_value(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

static double median(double *v, unsigned n) {
  qsort(v, n, sizeof *v, by_value);
  return n % 2 ? v[n / 2] : (v[n / 2 - 1] + v[n / 2]) / 2;
}

/* ---- recording ---- */

static void record(struct bench *b, const char *name, struct trace *t) {
  struct weir_err err;
  struct ptx_exec_cfg cfg;
  struct weir_recording r = {.input = "eval", .exec = &cfg, .out = t->path, .level = 3};
  snprintf(t->path, sizeof t->path, "%s/%.200s.wtrace", b->folder, name);
  if (weir_data_workload(&b->arena, name, &r.path, &err) ||
      weir_settings_fill(&b->settings, &ptx_exec_params, &cfg, &err) || weir_record(&r, NULL, &err))
    die(&err);
}

static void record_all(struct bench *b) {
  struct weir_err err;
  const char *const *names;
  size_t n;
  if (weir_data_workloads(&b->arena, &names, &n, &err)) die(&err);
  snprintf(b->folder, sizeof b->folder, "/tmp/weir-timing-XXXXXX");
  if (mkdtemp(b->folder) == NULL) {
    perror("timing: a temporary folder");
    exit(1);
  }
  for (size_t i = 0; i < n && b->n < MAX_TRACES; i++) {
    if (strchr(names[i], '/') != NULL) continue; /* correctness kernels, too small to time */
    b->traces[b->n].name = names[i];
    record(b, names[i], &b->traces[b->n++]);
  }
}

/* ---- replaying ---- */

/* The sum of several statistics, all kernels together. */
static uint64_t count(const struct bench *b, const char *const *names) {
  uint64_t sum = 0;
  for (; *names != NULL; names++) {
    struct weir_statistic v;
    struct weir_err err;
    if (weir_session_stat(b->session, 0, WEIR_ALL_KERNELS, *names, &v, &err)) die(&err);
    sum += v.count;
  }
  return sum;
}
#define COUNT(b, ...) count(b, (const char *const[]){__VA_ARGS__, NULL})

static void replay(struct bench *b, struct trace *t, uint32_t threads) {
  struct weir_err err;
  if (weir_session_threads(b->session, threads, &err) ||
      weir_session_run(b->session, t->path, NULL, &err))
    die(&err);
  t->warp_insns = COUNT(b, "sm.warp_insns");
  t->cycles = COUNT(b, "cycles");
  t->requests = COUNT(b, "sm.requests");
  t->l1 = COUNT(b, "l1.loads", "l1.stores", "l1.atomics");
  t->l2 = COUNT(b, "l2.reads", "l2.writes", "l2.atomics");
  t->dram = COUNT(b, "dram.reads", "dram.writes", "dram.activates", "dram.precharges");
}

static void measure(struct bench *b) {
  for (unsigned r = 0; r < b->runs; r++)
    for (size_t i = 0; i < b->n; i++) {
      double start = clock_s(CLOCK_PROCESS_CPUTIME_ID);
      replay(b, &b->traces[i], 1);
      b->traces[i].cpu_s[r] = clock_s(CLOCK_PROCESS_CPUTIME_ID) - start;
      start = clock_s(CLOCK_MONOTONIC);
      replay(b, &b->traces[i], 2);
      b->traces[i].wall2_s[r] = clock_s(CLOCK_MONOTONIC) - start;
    }
  /* Once more under the profiler, until there are some hundred samples. */
  for (size_t i = 0; i < b->n; i++) {
    struct trace *t = &b->traces[i];
    double enough = clock_s(CLOCK_PROCESS_CPUTIME_ID) + 1;
    prof_start();
    do
      replay(b, t, 1);
    while (clock_s(CLOCK_PROCESS_CPUTIME_ID) < enough);
    prof_stop();
    prof_settle(&t->profile);
  }
}

static double share(const struct trace *t, enum prof_group g) {
  return t->profile.n > 0 ? (double)t->profile.group[g] / (double)t->profile.n : 0;
}

/* Nanoseconds of a component for each of its events. */
static void per_event(struct weir_table *t, double seconds, uint64_t events) {
  if (events == 0)
    weir_table_cell(t, "-");
  else
    weir_table_cell(t, "%.0f", 1e9 * seconds / (double)events);
}

static void report_shares(struct bench *b) {
  static const enum prof_group groups[] = {PROF_SM,       PROF_L1,     PROF_L2,      PROF_DRAM,
                                           PROF_EXCHANGE, PROF_STREAM, PROF_LIBRARY, PROF_OTHER};
  enum { N = sizeof groups / sizeof *groups };
  struct weir_column columns[N + 5] = {{"trace", NULL, WEIR_LEFT}};
  for (size_t g = 0; g < N; g++)
    columns[g + 1] = (struct weir_column){prof_group_names[groups[g]], "%", WEIR_RIGHT};
  columns[N + 1] = (struct weir_column){"SM", "ns/insn", WEIR_RIGHT};
  columns[N + 2] = (struct weir_column){"L1", "ns/access", WEIR_RIGHT};
  columns[N + 3] = (struct weir_column){"L2", "ns/access", WEIR_RIGHT};
  columns[N + 4] = (struct weir_column){"DRAM", "ns/command", WEIR_RIGHT};
  struct weir_table *t = weir_table_new(columns, N + 5);
  struct weir_text out = {0};
  struct weir_err err;
  for (size_t i = 0; t != NULL && i < b->n; i++) {
    struct trace *k = &b->traces[i];
    double s = median(k->cpu_s, b->runs);
    weir_table_cell(t, "%s", k->name);
    for (size_t g = 0; g < N; g++)
      weir_table_cell(t, "%.1f", 100 * share(k, groups[g]));
    per_event(t, s * share(k, PROF_SM), k->warp_insns);
    per_event(t, s * share(k, PROF_L1), k->l1);
    per_event(t, s * share(k, PROF_L2), k->l2);
    per_event(t, s * share(k, PROF_DRAM), k->dram);
  }
  if (t == NULL || weir_table_text(t, &out, &err)) return;
  weir_table_free(t);
  printf("\nWhere the time of one thread goes (sampled; functions inlined into others count "
         "there), and what an\nissued instruction, an L1 or L2 access and a DRAM command cost in "
         "their own component.\n\n%s",
         out.v);
  weir_text_free(&out);
}

static void report(struct bench *b) {
  static const struct weir_column columns[] = {
      {"trace", NULL, WEIR_LEFT},        {"warp insns", "M", WEIR_RIGHT},
      {"cycles", "M", WEIR_RIGHT},       {"requests", "M", WEIR_RIGHT},
      {"CPU", "s", WEIR_RIGHT},          {"rate", "M insn/s", WEIR_RIGHT},
      {"", "M cycle/s", WEIR_RIGHT},     {"per insn", "ns", WEIR_RIGHT},
      {"per request", "ns", WEIR_RIGHT}, {"2 threads", "x faster", WEIR_RIGHT}};
  struct weir_table *t = weir_table_new(columns, sizeof columns / sizeof *columns);
  struct weir_text out = {0};
  struct weir_err err;
  double rates = 0, gains = 0;
  for (size_t i = 0; t != NULL && i < b->n; i++) {
    struct trace *k = &b->traces[i];
    double s = median(k->cpu_s, b->runs), two = median(k->wall2_s, b->runs);
    double insns = (double)k->warp_insns, requests = (double)k->requests;
    rates += log(insns / s);
    gains += log(s / two);
    weir_table_cell(t, "%s", k->name);
    weir_table_cell(t, "%.2f", insns / 1e6);
    weir_table_cell(t, "%.2f", (double)k->cycles / 1e6);
    weir_table_cell(t, "%.2f", requests / 1e6);
    weir_table_cell(t, "%.3f", s);
    weir_table_cell(t, "%.2f", insns / s / 1e6);
    weir_table_cell(t, "%.2f", (double)k->cycles / s / 1e6);
    weir_table_cell(t, "%.0f", s / insns * 1e9);
    weir_table_cell(t, "%.0f", requests > 0 ? s / requests * 1e9 : 0.0);
    weir_table_cell(t, "%.2f", s / two);
  }
  if (t == NULL || weir_table_text(t, &out, &err)) return;
  weir_table_free(t);
  printf("\nReplay on %s: CPU time on one thread and wall time on two, median of %u.\n\n%s", b->gpu,
         b->runs, out.v);
  printf("\ngeometric mean %.2f million warp instructions/s, %.2f times faster on two threads\n",
         exp(rates / (double)b->n) / 1e6, exp(gains / (double)b->n));
  weir_text_free(&out);
}

int main(int argc, char **argv) {
  static struct bench b = {.gpu = "fermi-s3", .runs = 3};
  struct weir_err err;
  for (int i = 1; i < argc; i++) {
    int64_t n;
    if (strcmp(argv[i], "--gpu") == 0 && i + 1 < argc)
      b.gpu = argv[++i];
    else if (strcmp(argv[i], "--runs") == 0 && i + 1 < argc && weir_parse_int(argv[i + 1], &n) &&
             n >= 1 && n <= MAX_RUNS)
      b.runs = (unsigned)n, i++;
    else if (argv[i][0] != '-' && b.n < MAX_TRACES) {
      b.traces[b.n].name = argv[i];
      snprintf(b.traces[b.n++].path, sizeof b.traces[0].path, "%s", argv[i]);
    } else {
      fprintf(stderr, "usage: timing [--gpu NAME] [--runs N] [FILE.wtrace]...\n");
      return 2;
    }
  }
  if (b.runs < 1 || b.runs > MAX_RUNS) b.runs = 3;
  if (weir_settings_init(&b.settings, weir_param_groups(), &err) ||
      weir_session_open(&b.session, b.gpu, NULL, &err) ||
      weir_session_add(b.session, &(struct weir_line_up){.scheme = "baseline"}, &err))
    die(&err);
  if (b.n == 0) record_all(&b);
  bool has_symbols = prof_open();
  measure(&b);
  report(&b);
  if (has_symbols) report_shares(&b);
  prof_close();
  for (size_t i = 0; b.folder[0] != 0 && i < b.n; i++)
    unlink(b.traces[i].path);
  if (b.folder[0] != 0) rmdir(b.folder);
  weir_session_close(b.session);
  weir_settings_free(&b.settings);
  weir_arena_free(&b.arena);
  return 0;
}
