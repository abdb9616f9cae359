/* Three designs of an L1 on one workload, through libweir:
 *
 *   compare [WORKLOAD [INPUT [MACHINE]]]   cycles, speed-up and hits of each; exit code 0: good */
#include <stdio.h>

#include "weir/sim.h"
#include "weir/version.h"

static int failed(const struct weir_err *err) {
  fprintf(stderr, "compare: %s\n", err->msg);
  return 1;
}

/* The sum over all kernels; NaN where there is nothing to divide by. */
static enum weir_status value(const struct weir_session *s, size_t design, const char *name,
                              double *out, struct weir_err *err) {
  struct weir_statistic v;
  enum weir_status st = weir_session_stat(s, design, WEIR_ALL_KERNELS, name, &v, err);
  if (st == WEIR_OK) *out = v.value;
  return st;
}

static enum weir_status print_designs(const struct weir_session *s, struct weir_err *err) {
  double first = 0;
  printf("%-12s %10s %9s %8s %9s\n", "scheme", "cycles", "speed-up", "L1 hits", "bypassed");
  for (size_t i = 0; i < weir_session_n_designs(s); i++) {
    double cycles, hits, bypassed;
    enum weir_status st = value(s, i, "cycles", &cycles, err);
    if (st == WEIR_OK) st = value(s, i, "derived.hit_rate_stream", &hits, err);
    if (st == WEIR_OK) st = value(s, i, "derived.bypass_rate", &bypassed, err);
    if (st != WEIR_OK) return st;
    if (i == 0) first = cycles;
    printf("%-12s %10.0f %9.3f %6.1f %% %7.1f %%\n", weir_session_design(s, i), cycles,
           first / cycles, 100 * hits, 100 * bypassed);
  }
  return WEIR_OK;
}

/* Every kernel of the first design, one count of each. */
static enum weir_status print_kernels(const struct weir_session *s, struct weir_err *err) {
  enum weir_status st = WEIR_OK;
  for (size_t k = 0; st == WEIR_OK && k < weir_session_n_kernels(s); k++) {
    struct weir_statistic v;
    st = weir_session_stat(s, 0, k, "l1.loads", &v, err);
    if (st == WEIR_OK)
      printf("kernel %s: %llu %s (%s)\n", weir_session_kernel(s, k), (unsigned long long)v.count,
             v.unit, v.help);
  }
  return st;
}

int main(int argc, char **argv) {
  static const char *const schemes[] = {"baseline", "decoupled", "pc-bypass"};
  const char *workload = argc > 1 ? argv[1] : "gather", *input = argc > 2 ? argv[2] : "profile",
             *machine = argc > 3 ? argv[3] : "fermi-s3";
  struct weir_session *s;
  struct weir_err err;
  if (weir_session_open(&s, machine, NULL, &err)) return failed(&err);
  enum weir_status st = WEIR_OK;
  for (size_t i = 0; st == WEIR_OK && i < sizeof schemes / sizeof *schemes; i++) {
    struct weir_line_up design = {.scheme = schemes[i]};
    st = weir_session_add(s, &design, &err);
  }
  if (st == WEIR_OK) st = weir_session_run(s, workload, input, &err);
  if (st == WEIR_OK) {
    printf("%s, input %s, on %s with weir %s\n", workload, input, machine, weir_version());
    st = print_designs(s, &err);
  }
  if (st == WEIR_OK) st = print_kernels(s, &err);
  weir_session_close(s);
  return st == WEIR_OK ? 0 : failed(&err);
}
