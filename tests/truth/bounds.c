#include <math.h>
#include <string.h>

#include "coverage.h"
#include "exec/fp.h"

enum metric { ULP, REL, ABS };

struct bound {
  const char *insn;
  double from, to;
  enum metric metric;
  double stated, documented;
};

static const struct bound bounds[] = {
#define TRUTH_BOUND(insn, from, to, metric, stated, documented)                                    \
  {insn, from, to, metric, stated, documented},
#define TRUTH_SUM(type, stated)
#include "bounds.def"
#undef TRUTH_SUM
#undef TRUTH_BOUND
};

static struct {
  enum ptx_type type;
  double stated, measured;
} sums[] = {
#define TRUTH_BOUND(insn, from, to, metric, stated, documented)
#define TRUTH_SUM(type, stated) {PTX_T_##type, stated, 0},
#include "bounds.def"
#undef TRUTH_SUM
#undef TRUTH_BOUND
};
enum { N_SUMS = sizeof sums / sizeof *sums };

enum { N_BOUNDS = sizeof bounds / sizeof *bounds };

static double measured[N_BOUNDS];
static size_t n_cases[N_BOUNDS];

static bool is_pair(enum ptx_type t) {
  return t == PTX_T_f16x2 || t == PTX_T_bf16x2;
}

static double value_of(enum ptx_type t, uint64_t x) {
  if (t == PTX_T_f16 || t == PTX_T_f16x2) return ptx_half_value((uint16_t)x, false);
  if (t == PTX_T_bf16 || t == PTX_T_bf16x2) return ptx_half_value((uint16_t)x, true);
  if (t == PTX_T_f64) {
    double d;
    memcpy(&d, &x, sizeof d);
    return d;
  }
  float f;
  uint32_t y = (uint32_t)x;
  memcpy(&f, &y, sizeof f);
  return (double)f;
}

/* Floating-point numbers as integers in their order. */
static int64_t ordered(enum ptx_type t, uint64_t x) {
  if (truth_type_bytes(t) == 2 || is_pair(t))
    return x >> 15 & 1 ? -(int64_t)(x & 0x7fff) : (int64_t)(x & 0x7fff);
  if (t == PTX_T_f32) return x >> 31 ? -(int64_t)(x & 0x7fffffff) : (int64_t)x;
  return x >> 63 ? -(int64_t)(x & INT64_MAX) : (int64_t)x;
}

static const struct bound *find(const struct truth_variant *v, double x) {
  for (unsigned b = 0; b < N_BOUNDS; b++) {
    size_t len = strlen(bounds[b].insn);
    if (strncmp(v->name, bounds[b].insn, len) != 0) continue;
    if (fabs(x) >= bounds[b].from && (fabs(x) < bounds[b].to || isinf(bounds[b].to)))
      return &bounds[b];
  }
  return NULL;
}

static double error_of(enum metric metric, enum ptx_type t, uint64_t got, uint64_t want) {
  double a = value_of(t, got), b = value_of(t, want);
  if (isnan(a) || isnan(b) || (metric != ULP && (isinf(a) || isinf(b)))) return INFINITY;
  switch (metric) {
  case ULP:
    return fabs((double)(ordered(t, got) - ordered(t, want)));
  case REL:
    return b == 0 || a == 0 ? INFINITY : fabs(a - b) / fabs(b);
  default:
    return fabs(a - b);
  }
}

static bool allow(const struct truth_variant *v, enum ptx_type t, uint64_t x, uint64_t got,
                  uint64_t want) {
  if (is_pair(t) && (uint16_t)got == (uint16_t)want) return true;
  const struct bound *b = find(v, value_of((enum ptx_type)v->in_type[0], x));
  if (!b) return false;
  double e = error_of(b->metric, t, got, want);
  if (!(e <= b->stated)) return false;
  if (e > measured[b - bounds]) measured[b - bounds] = e;
  n_cases[b - bounds]++;
  return true;
}

bool bounds_allow(const struct truth_variant *v, unsigned i, enum ptx_type t, uint64_t got,
                  uint64_t want) {
  if (v->n_in == 0) return false;
  uint64_t x = truth_operand((enum truth_kind)v->in_kind[0], 0, i);
  if (!allow(v, t, x, got, want)) return false;
  return !is_pair(t) || allow(v, t, x >> 16, got >> 16, want >> 16);
}

bool bounds_allow_sums(enum ptx_type t, uint64_t got, uint64_t want, uint64_t magnitude) {
  unsigned bits = 8 * truth_type_bytes(t), n = 64 / bits, s = 0;
  while (s < N_SUMS && sums[s].type != t)
    s++;
  for (unsigned i = 0; i < n; i++, got >>= bits, want >>= bits, magnitude >>= bits) {
    uint64_t all = (UINT64_C(1) << bits) - 1;
    if (((got ^ want) & all) == 0) continue;
    double e = fabs(value_of(t, got) - value_of(t, want)) / value_of(t, magnitude);
    if (s == N_SUMS || !(e <= sums[s].stated)) return false;
    if (e > sums[s].measured) sums[s].measured = e;
  }
  return true;
}

static const char *const metric_names[] = {"ulp", "relative", "absolute"};

static void show(enum metric metric, double x, char *buf, size_t len) {
  if (metric == ULP || x == 0)
    snprintf(buf, len, "%g", x);
  else
    snprintf(buf, len, "2^%.2f", log2(x));
}

int bounds_report(void) {
  int rc = 0;
  for (unsigned i = 0; i < N_BOUNDS; i++) {
    const struct bound *b = &bounds[i];
    char m[32], s[32], d[32];
    show(b->metric, measured[i], m, sizeof m);
    show(b->metric, b->stated, s, sizeof s);
    show(b->metric, b->documented, d, sizeof d);
    bool over = b->documented > 0 && b->stated > b->documented;
    printf("%-22s |x| in [%g, %g): %s measured %s, stated %s, documented %s%s\n", b->insn, b->from,
           b->to, metric_names[b->metric], m, s, b->documented > 0 ? d : "none",
           over ? ": THE STATED BOUND IS TOO LARGE" : "");
    rc |= over;
  }
  for (unsigned i = 0; i < N_SUMS; i++) {
    char m[32], s[32];
    show(REL, sums[i].measured, m, sizeof m);
    show(REL, sums[i].stated, s, sizeof s);
    printf("matrix products, D of %s: %s of the magnitudes measured, stated %s\n",
           truth_type_name(sums[i].type), m, s);
  }
  return rc;
}

void bounds_text(const struct truth_variant *v, char *buf, size_t len) {
  size_t n = 0;
  buf[0] = 0;
  for (unsigned i = 0; i < N_SUMS; i++)
    if (v->d_type == sums[i].type) {
      char m[32], s[32];
      show(REL, sums[i].measured, m, sizeof m);
      show(REL, sums[i].stated, s, sizeof s);
      snprintf(buf, len, "D of %s: %s of the magnitudes (measured %s)",
               truth_type_name(sums[i].type), s, m);
      return;
    }
  const struct bound *seen = NULL;
  for (unsigned i = 0; i < N_BOUNDS && n < len; i++) {
    const struct bound *b = &bounds[i];
    if (strncmp(v->name, b->insn, strlen(b->insn)) != 0 ||
        (seen && strcmp(seen->insn, b->insn) != 0))
      continue;
    char m[32], s[32], d[32], where[64] = "";
    show(b->metric, measured[i], m, sizeof m);
    show(b->metric, b->stated, s, sizeof s);
    show(b->metric, b->documented, d, sizeof d);
    if (isfinite(b->to))
      snprintf(where, sizeof where, "%g ≤ abs(x) < %g: ", b->from, b->to);
    else if (b->from > 0)
      snprintf(where, sizeof where, "abs(x) ≥ %g: ", b->from);
    n += (size_t)snprintf(buf + n, len - n, "%s%s%s %s (measured %s, manual %s)", seen ? "; " : "",
                          where, s, metric_names[b->metric], m, b->documented > 0 ? d : "none");
    seen = b;
  }
}
