/* Writes a store of a study that was never run, for tests of the commands that read one:
 *
 *     sample_store FILE [again|later]
 *
 * Three workloads on two machines with three schemes, an L1 of 16K and of 32K, and two seeds: 72
 * runs, of which one was refused and one failed. All numbers follow from what was run.
 *
 * again: the same results in another order, on another host, in other times. later: the results of
 * a model in which tsc is faster; gather has not run, and scan has. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "study/store.h"

enum { SETTINGS_MOST = 16, STATS_MOST = 24, KERNELS_MOST = 3, RUNS = 72 };

static const struct workload {
  const char *name;
  const char *kernels[KERNELS_MOST];
  uint64_t insns, loads;      /* of each kernel */
  unsigned reuse;             /* percent of loads that hit 16K */
  unsigned tsc, bypass, size; /* percent of cycles that a scheme, and 32K, save */
} workloads[] = {{"spmv", {"spmv_csr", "norm", "spmv_csr"}, 400000, 120000, 41, 18, 9, 12},
                 {"gather", {"gather_kernel"}, 900000, 310000, 22, 7, 21, 4},
                 {"vecadd", {"vecadd"}, 655360, 0, 0, 0, 1, 0}},
  scan = {"scan", {"scan_up", "scan_down"}, 300000, 80000, 30, 2, 3, 5};

static const struct machine {
  const char *name, *clock_mhz, *sms;
  uint64_t speed;
} machines[] = {{"fermi-s3", "700", "15", 10}, {"v100", "1132", "80", 45}};

static const char *const schemes[] = {"baseline", "tsc", "pc-bypass"};
static const char *const sizes[] = {"16K", "32K"};

enum { BASELINE, TSC, PC_BYPASS };

/* ---- one run ---- */

struct point {
  const struct workload *workload;
  const struct machine *machine;
  unsigned scheme, size, seed;
  bool is_again, is_later;
};

struct filled {
  char identity[256], seed[8];
  struct weir_store_setting settings[SETTINGS_MOST];
  struct weir_store_stat stats[KERNELS_MOST + 1][STATS_MOST];
  size_t n_stats;
  struct weir_store_kernel kernels[KERNELS_MOST];
  struct weir_store_run run;
};

static void set(struct filled *f, const char *key, const char *value, const char *origin) {
  f->settings[f->run.n_settings++] = (struct weir_store_setting){key, value, origin};
}

static void fill_settings(struct filled *f, const struct point *p) {
  const char *file = p->machine->speed > 20 ? "v100.yaml:9" : "fermi-s3.yaml:9";
  snprintf(f->seed, sizeof f->seed, "%u", p->seed);
  set(f, "core.clock_mhz", p->machine->clock_mhz, file);
  set(f, "sm.count", p->machine->sms, file);
  set(f, "l1.size", sizes[p->size], "--set");
  set(f, "l1.sets", "32", "default");
  set(f, "l1.ways", p->size == 0 ? "4" : "8", "follows from l1.size and l1.sets");
  set(f, "l1.mshr_entries", "32", "default");
  set(f, "dram.channels", "6", file);
  set(f, "jitter.dispatch", "16", "--set");
  set(f, "jitter.seed", f->seed, "--set");
  if (p->scheme == TSC) set(f, "tag-split.chunk_bytes", "32", "default");
  if (p->scheme == PC_BYPASS) set(f, "pc-bypass.threshold", "8", "default");
}

static void count(struct filled *f, unsigned k, const char *name, uint64_t n) {
  f->stats[k][f->n_stats++] = (struct weir_store_stat){name, WEIR_STORE_COUNT, n, 0};
}

static void ratio(struct filled *f, unsigned k, const char *name, uint64_t part, uint64_t of) {
  f->stats[k][f->n_stats++] =
      (struct weir_store_stat){name, of > 0 ? WEIR_STORE_REAL : WEIR_STORE_ABSENT, 0,
                               of > 0 ? (double)part / (double)of : 0};
}

/* Of kernel `k`, or of the run (0), which does as much as all of its kernels. */
static void fill_stats(struct filled *f, const struct point *p, unsigned k, uint64_t shares) {
  const struct workload *w = p->workload;
  unsigned saved = (p->scheme == TSC         ? w->tsc
                    : p->scheme == PC_BYPASS ? w->bypass
                                             : 0) +
                   (p->size > 0 ? w->size : 0);
  if (p->is_later && p->scheme == TSC) saved += 5;
  uint64_t insns = w->insns * shares, loads = w->loads * shares, clock = p->machine->speed;
  uint64_t cycles = (insns + 4 * loads) * (100 - saved) / (10 * clock) + 37 * p->seed * shares;
  uint64_t bypassed = p->scheme == PC_BYPASS ? loads / 5 : 0;
  uint64_t hits = (loads - bypassed) * (w->reuse + saved) / 100;
  uint64_t misses = loads - bypassed - hits, reads = misses + bypassed;
  f->n_stats = 0;
  count(f, k, "launches", shares);
  count(f, k, "cycles", cycles);
  ratio(f, k, "derived.ipc", insns, cycles);
  ratio(f, k, "derived.hit_rate_l1", hits, loads - bypassed);
  ratio(f, k, "derived.bypass_rate", bypassed, loads);
  count(f, k, "sm.thread_insns", insns);
  count(f, k, "l1.loads", loads);
  count(f, k, "l1.hits", hits);
  count(f, k, "l1.misses", misses);
  count(f, k, "l1.bypassed", bypassed);
  count(f, k, "l2.reads", reads);
  count(f, k, "l2.read_hits", reads * 2 / 3);
  count(f, k, "dram.reads", reads - reads * 2 / 3);
  count(f, k, "dram.row_hits", (reads - reads * 2 / 3) / 2);
  ratio(f, k, "energy.total_nj", 3 * cycles + 40 * loads, 1000);
  if (p->scheme == TSC) count(f, k, "tag-split.victims", misses / 2);
  if (p->scheme == PC_BYPASS) count(f, k, "pc-bypass.predictions", reads);
}

static void fill_results(struct filled *f, const struct point *p) {
  unsigned n = 0;
  while (n < KERNELS_MOST && p->workload->kernels[n] != NULL)
    n++;
  for (unsigned k = 1; k <= n; k++) {
    fill_stats(f, p, k, 1);
    f->kernels[k - 1] =
        (struct weir_store_kernel){p->workload->kernels[k - 1], f->stats[k], f->n_stats};
  }
  fill_stats(f, p, 0, n);
  f->run.stats = f->stats[0];
  f->run.n_stats = f->n_stats;
  f->run.kernels = f->kernels;
  f->run.n_kernels = n;
}

static bool is_at(const struct point *p, const char *workload, unsigned scheme, unsigned size) {
  return strcmp(p->workload->name, workload) == 0 && p->machine == &machines[1] &&
         p->scheme == scheme && p->size == size && p->seed == 1;
}

static void fill(struct filled *f, const struct point *p) {
  *f = (struct filled){0};
  snprintf(f->identity, sizeof f->identity,
           "model 1\nmachine %s\nscheme %s\nworkload %s\ninput eval\nl1.size %s\nseed %u\n",
           p->machine->name, schemes[p->scheme], p->workload->name, sizes[p->size], p->seed);
  f->run = (struct weir_store_run){.identity = f->identity,
                                   .workload = p->workload->name,
                                   .input = "eval",
                                   .gpu = p->machine->name,
                                   .scheme = schemes[p->scheme],
                                   .seed = p->seed,
                                   .status = WEIR_STORED_OK,
                                   .host = p->is_again ? "other" : "sample",
                                   .seconds = p->is_again ? 1.25 : 0.5 + p->size,
                                   .provenance = "{}",
                                   .settings = f->settings};
  fill_settings(f, p);
  if (is_at(p, "vecadd", TSC, 1)) {
    f->run.status = WEIR_STORED_REFUSED;
    f->run.message = "l1.size: 32768 bytes, more than the tag-split L1 of v100 can have";
    f->run.seconds = (double)NAN;
  } else if (is_at(p, "spmv", PC_BYPASS, 0)) {
    f->run.status = WEIR_STORED_FAILED;
    f->run.message = "no progress for 1,000,000 cycles\n  kernel norm, block 7";
  } else {
    fill_results(f, p);
  }
}

/* ---- all of them ---- */

/* The `i`-th of the study. */
static struct point point_at(unsigned i, bool is_again, bool is_later) {
  struct point p = {.is_again = is_again, .is_later = is_later};
  if (is_again) i = RUNS - 1 - i;
  p.seed = i % 2;
  p.size = i / 2 % 2;
  p.scheme = i / 4 % 3;
  p.machine = &machines[i / 12 % 2];
  p.workload = &workloads[i / 24];
  if (is_later && strcmp(p.workload->name, "gather") == 0) p.workload = &scan;
  return p;
}

int main(int argc, char **argv) {
  struct weir_store *s;
  struct weir_err err;
  bool is_again = argc == 3 && strcmp(argv[2], "again") == 0;
  bool is_later = argc == 3 && strcmp(argv[2], "later") == 0;
  if (argc != 2 && !is_again && !is_later) {
    fputs("usage: sample_store FILE [again|later]\n", stderr);
    return 2;
  }
  enum weir_status st = weir_store_open(argv[1], WEIR_STORE_WRITE, NULL, &s, &err);
  for (unsigned i = 0; st == WEIR_OK && i < RUNS; i++) {
    struct filled f;
    struct point p = point_at(i, is_again, is_later);
    fill(&f, &p);
    st = weir_store_put(s, &f.run, NULL, &err);
  }
  weir_store_close(s);
  if (st != WEIR_OK) fprintf(stderr, "sample_store: %s\n", err.msg);
  return st == WEIR_OK ? 0 : 1;
}
