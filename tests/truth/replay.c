/* truth_replay: runs every variant in the interpreter and compares with the results of the GPU.
 *
 *   truth_replay [--verbose] [--only TEXT] [--simd WIDTH] [--coverage FILE] [--check FILE]
 *   truth_replay --show VARIANT
 *
 * --simd sets exec.simd; the exit status is 77 where the host has not that width. --coverage writes
 * the coverage page, --check compares it with FILE. --show prints a variant's kernel, and operands
 * and the GPU's results of every case. Fails when a result differs, when an approximate one is
 * beyond its bound, or when stored results belong to other operands. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "coverage.h"
#include "exec/exec.h"
#include "store.h"

struct options {
  bool verbose;
  const char *only, *coverage, *check, *show;
};

static struct options opt;
static struct ptx_exec_cfg cfg;
static size_t n_printed;

enum { SHOWN = 12, MOST_CASES = 65536 };

static void complain(const struct truth_variant *v, const char *what) {
  if (opt.verbose || n_printed < SHOWN) printf("%s: %s\n", v->name, what);
  if (n_printed++ == SHOWN && !opt.verbose) printf("... (--verbose shows all)\n");
}

/* ---- comparing ---- */

static void show_case(const struct truth_variant *v, unsigned i, unsigned slot, uint64_t got,
                      uint64_t want) {
  char text[512];
  size_t n = (size_t)snprintf(text, sizeof text, "case %u:", i);
  for (unsigned s = 0; s < v->n_in; s++)
    n += (size_t)snprintf(text + n, sizeof text - n, " %llx",
                          (unsigned long long)truth_operand((enum truth_kind)v->in_kind[s], s, i));
  snprintf(text + n, sizeof text - n, " -> result %u is %llx, the GPU has %llx", slot,
           (unsigned long long)got, (unsigned long long)want);
  complain(v, text);
}

static uint64_t result_of(const struct truth_variant *v, const uint8_t *out, unsigned i,
                          unsigned slot) {
  uint64_t x = 0;
  memcpy(&x, out + (size_t)i * TRUTH_OUT_BYTES + slot * 8,
         truth_out_bytes((enum ptx_type)v->out_type[slot]));
  return x;
}

/* `magnitudes`: what a matrix product gives for operands without signs, else NULL. */
static bool is_allowed(const struct truth_variant *v, unsigned i, unsigned slot, uint64_t got,
                       uint64_t want, const uint8_t *magnitudes) {
  if (!magnitudes) return bounds_allow(v, i, (enum ptx_type)v->out_type[slot], got, want);
  return bounds_allow_sums((enum ptx_type)v->d_type, got, want, result_of(v, magnitudes, i, slot));
}

static void compare(const struct truth_variant *v, const uint8_t *out, const uint8_t *want,
                    const uint8_t *magnitudes, struct coverage_row *row) {
  unsigned shown = 0;
  for (unsigned i = 0; i < v->n_cases; i++) {
    bool ok = true;
    for (unsigned s = 0; s < v->n_out; s++) {
      uint64_t a = result_of(v, out, i, s), b = result_of(v, want, i, s);
      if (a == b || is_allowed(v, i, s, a, b, magnitudes)) continue;
      ok = false;
      if (shown++ < (opt.verbose ? 40u : 1u)) show_case(v, i, s, a, b);
    }
    row->agree += ok;
  }
  row->state = row->agree == v->n_cases ? COVERED : DIFFERS;
  if (shown > 1 && opt.verbose) {
    char text[64];
    snprintf(text, sizeof text, "%zu of %u cases differ", v->n_cases - row->agree, v->n_cases);
    complain(v, text);
  }
}

/* ---- running ---- */

struct params {
  uint64_t in, out;
  uint8_t blob[TRUTH_BLOB];
};

static bool run_kernel(struct ptx_device *dev, const struct ptx_image *image,
                       const struct truth_variant *v, size_t index, uint64_t in, uint64_t out,
                       bool signs, struct weir_err *err) {
  struct ptx_program *prog = NULL;
  struct weir_func_stats stats;
  char name[32];
  snprintf(name, sizeof name, "t%zu", index);
  if (ptx_program_build(image, name, &cfg, &prog, err) != WEIR_OK) return false;
  struct params p = {.in = in, .out = out};
  truth_fill_blob(p.blob);
  struct ptx_launch launch = {
      .grid = {v->n_cases / TRUTH_BLOCK, 1, 1}, .block = {TRUTH_BLOCK, 1, 1}, .params = &p};
  memset(ptx_mem_host(&dev->mem, out), 0, (size_t)v->n_cases * TRUTH_OUT_BYTES);
  (signs ? truth_fill_inputs : truth_fill_magnitudes)(v, ptx_mem_host(&dev->mem, in));
  bool ok = ptx_run_all(dev, prog, &launch, &stats, err) == WEIR_OK;
  ptx_program_free(prog);
  return ok;
}

static void run_variant(struct ptx_device *dev, const struct ptx_image *image,
                        const struct truth_set *s, size_t i, uint64_t in, uint64_t out,
                        const struct store_record *r, struct coverage_row *row) {
  const struct truth_variant *v = &s->v[i];
  struct weir_err err;
  static uint8_t want[MOST_CASES * TRUTH_OUT_BYTES], magnitudes[MOST_CASES * TRUTH_OUT_BYTES];
  size_t bytes = (size_t)v->n_cases * TRUTH_OUT_BYTES;
  bool ok = !v->d_type || run_kernel(dev, image, v, i, in, out, false, &err);
  if (ok && v->d_type) memcpy(magnitudes, ptx_mem_host(&dev->mem, out), bytes);
  if (!ok || !run_kernel(dev, image, v, i, in, out, true, &err)) {
    row->state = FAILS;
    complain(v, err.msg);
    return;
  }
  if (!r) {
    row->state = NO_DATA; /* the coverage page says so */
    return;
  }
  bool fits =
      r->n_cases == v->n_cases && r->n_out == v->n_out && r->input_hash == truth_input_hash(v);
  for (unsigned o = 0; o < v->n_out && fits; o++)
    fits = r->bytes[o] == truth_out_bytes((enum ptx_type)v->out_type[o]);
  if (!fits) {
    row->state = FAILS;
    complain(v, "the stored result is of other operands");
    return;
  }
  truth_unpack(v, r->packed, want);
  compare(v, ptx_mem_host(&dev->mem, out), want, v->d_type ? magnitudes : NULL, row);
}

/* Modules that do not load are tried kernel by kernel. */
static void run_range(const struct truth_set *s, const struct store *data,
                      struct coverage_row *rows, size_t from, size_t to) {
  char *text = truth_module_text(s, from, to);
  struct ptx_module *mod = NULL;
  struct ptx_diags diags = {0};
  struct ptx_device dev;
  struct ptx_image *image = NULL;
  struct weir_err err = {0};
  uint64_t in = 0, out = 0;
  if (!text) abort();
  bool ok = ptx_parse(text, strlen(text), "truth.ptx", &mod, &diags) == WEIR_OK;
  if (!ok && diags.n) err = diags.v[0];
  bool have_dev = ok && ptx_device_init(&dev, &cfg, &err) == WEIR_OK;
  ok = have_dev && ptx_image_load(&dev, mod, &image, &err) == WEIR_OK &&
       ptx_mem_alloc(&dev.mem, 4096 * TRUTH_IN_BYTES, 512, "in", false, &in, &err) == WEIR_OK &&
       ptx_mem_alloc(&dev.mem, 4096 * TRUTH_OUT_BYTES, 512, "out", false, &out, &err) == WEIR_OK;
  if (!ok && to - from == 1) {
    rows[from].state = FAILS;
    complain(&s->v[from], err.msg);
  }
  for (size_t i = from; i < to; i++) {
    if (!truth_has_kernel(&s->v[i]) || (opt.only && !strstr(s->v[i].name, opt.only))) continue;
    if (ok)
      run_variant(&dev, image, s, i, in, out, store_find(data, s->v[i].name), &rows[i]);
    else if (to - from > 1)
      run_range(s, data, rows, i, i + 1);
  }
  ptx_image_free(image);
  if (have_dev) ptx_device_free(&dev);
  ptx_module_free(mod);
  ptx_diags_free(&diags);
  free(text);
}

static int show(const struct truth_set *s, const struct store *data) {
  const struct store_record *r = store_find(data, opt.show);
  static uint8_t want[MOST_CASES * TRUTH_OUT_BYTES];
  for (size_t n = 0; n < s->n; n++) {
    const struct truth_variant *v = &s->v[n];
    if (strcmp(v->name, opt.show) != 0) continue;
    printf("%s", v->text ? v->text : "no kernel\n");
    if (!r || r->n_cases != v->n_cases || r->n_out != v->n_out) break;
    truth_unpack(v, r->packed, want);
    for (unsigned i = 0; i < v->n_cases; i++) {
      printf("%u:", i);
      for (unsigned o = 0; o < v->n_in; o++)
        printf(" %llx", (unsigned long long)truth_operand((enum truth_kind)v->in_kind[o], o, i));
      printf(" ->");
      for (unsigned o = 0; o < v->n_out; o++)
        printf(" %llx", (unsigned long long)result_of(v, want, i, o));
      printf("\n");
    }
    return 0;
  }
  printf("%s: no such variant, or no result that fits it\n", opt.show);
  return 1;
}

static int summary(const struct truth_set *s, const struct coverage_row *rows) {
  size_t n[N_STATES] = {0}, cases = 0, all = 0;
  for (size_t i = 0; i < s->n; i++) {
    n[rows[i].state]++;
    cases += rows[i].agree;
    if (rows[i].state == COVERED || rows[i].state == DIFFERS) all += s->v[i].n_cases;
  }
  printf("%zu variants agree with the GPU, %zu differ, %zu do not run, %zu have no stored result; "
         "%zu of %zu cases agree\n",
         n[COVERED], n[DIFFERS], n[FAILS], n[NO_DATA], cases, all);
  return n[DIFFERS] || n[FAILS] || n[COVERED] == 0;
}

/* Can this host run exec.simd as asked? */
static bool have_simd(void) {
#if defined(__x86_64__)
  bool avx2 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") &&
              __builtin_cpu_supports("bmi2");
  if (cfg.simd == PTX_SIMD_AVX2) return avx2;
  if (cfg.simd == PTX_SIMD_AVX512)
    return avx2 && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
           __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl") &&
           __builtin_cpu_supports("avx512cd");
#endif
  return cfg.simd == PTX_SIMD_AUTO || cfg.simd == PTX_SIMD_BASE;
}

static bool arguments(int argc, char **argv) {
  for (int i = 1; i < argc; i++) {
    if (!strcmp(argv[i], "--verbose"))
      opt.verbose = true;
    else if (!strcmp(argv[i], "--only") && i + 1 < argc)
      opt.only = argv[++i];
    else if (!strcmp(argv[i], "--coverage") && i + 1 < argc)
      opt.coverage = argv[++i];
    else if (!strcmp(argv[i], "--check") && i + 1 < argc)
      opt.check = argv[++i];
    else if (!strcmp(argv[i], "--simd") && i + 1 < argc) {
      if (weir_param_set(ptx_exec_table, &cfg, "simd", argv[++i], NULL, NULL)) return false;
    } else if (!strcmp(argv[i], "--show") && i + 1 < argc)
      opt.show = argv[++i];
    else
      return false;
  }
  return true;
}

int main(int argc, char **argv) {
  struct truth_set s;
  struct store data;
  weir_param_defaults(ptx_exec_table, &cfg);
  if (!arguments(argc, argv)) {
    fprintf(stderr,
            "usage: truth_replay [--verbose] [--only TEXT] [--simd WIDTH] [--coverage FILE] "
            "[--check FILE] | --show VARIANT\n");
    return 2;
  }
  if (!have_simd()) return 77;
  char *refused = store_refused();
  if (!truth_build(&s, refused) || !store_open(&data)) return 1;
  if (opt.show) return show(&s, &data);
  struct coverage_row *rows = calloc(s.n + 1, sizeof *rows);
  if (!rows) return 1;
  for (size_t from = 0; from < s.n;) {
    size_t to = truth_module(&s, &from);
    if (from >= s.n) break;
    run_range(&s, &data, rows, from, to);
    from = to;
  }
  int rc = summary(&s, rows) | bounds_report();
  if (opt.coverage && !coverage_write(&s, rows, opt.coverage)) rc = 1;
  if (opt.check && !coverage_check(&s, rows, opt.check)) rc = 1;
  free(rows);
  store_close(&data);
  truth_free(&s);
  free(refused);
  return rc;
}
