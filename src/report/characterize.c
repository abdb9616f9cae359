/* A characterised workload, for people. */
#include "report/characterize.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/demangle.h"
#include "base/mem.h"
#include "base/table.h"
#include "report/bar.h"
#include "sim/derived.h"

enum { ALL = UINT32_MAX, BAR = 30, MOST_PAIRS = 10, MOST_STRETCHES = 12 };

static bool is_same_site(const struct weir_character *c, uint32_t a, uint32_t b) {
  const struct weir_static *x = weir_character_insn(c, a), *y = weir_character_insn(c, b);
  const char *m = weir_character_array(c, a), *n = weir_character_array(c, b);
  return c->locality.loads.v[a].kernel == c->locality.loads.v[b].kernel && x->line > 0 &&
         x->line == y->line && x->file == y->file && m != NULL && n != NULL && strcmp(m, n) == 0;
}

static bool find_sites(struct weir_characterize_view *v) {
  uint32_t *site = weir_malloc((v->n_loads + 1) * sizeof *site), n = 0;
  if (site == NULL) return false;
  for (size_t i = 0; i < v->n_loads; i++) {
    size_t k = 0;
    while (k < i && !is_same_site(v->c, v->loads[k], v->loads[i]))
      k++;
    site[v->loads[i]] = k < i ? site[v->loads[k]] : n++;
  }
  bool ok = weir_sites_make(&v->sites, &v->c->locality, site, n);
  free(site);
  return ok;
}

bool weir_characterize_view(struct weir_characterize_view *v, const struct weir_character *c,
                            const struct weir_characterize_about *about,
                            const struct weir_run_classes *classes) {
  *v = (struct weir_characterize_view){.c = c, .about = *about, .classes = classes};
  v->loads = weir_character_loads(c, &v->n_loads);
  return v->loads != NULL && find_sites(v) && weir_advise(&v->sites, &v->advice);
}

void weir_characterize_view_free(struct weir_characterize_view *v) {
  free(v->loads);
  weir_sites_free(&v->sites);
  *v = (struct weir_characterize_view){0};
}

/* ---- cells ---- */

static void percent(struct weir_table *t, uint64_t part, uint64_t whole) {
  if (whole == 0)
    weir_table_cell(t, "-");
  else
    weir_table_cell(t, "%.1f", 100.0 * (double)part / (double)whole);
}

static void number(struct weir_table *t, uint64_t n) {
  char num[27];
  weir_table_cell(t, "%s", weir_text_thousands(n, num));
}

static void kernel_cell(struct weir_table *t, const struct weir_characterize_view *v,
                        uint32_t kernel) {
  char name[WEIR_DEMANGLED];
  weir_table_cell(t, "%s",
                  weir_demangle(weir_character_timed(v->c, kernel)->kernel, name, sizeof name));
}

/* "spmv.cu:14 0xb8"; of several loads on a line the address tells which. */
static void load_cell(struct weir_table *t, const struct weir_characterize_view *v, uint32_t load) {
  char text[96];
  const struct weir_static *s = weir_character_insn(v->c, load);
  weir_character_source(v->c, load, text, sizeof text);
  if (s->line == 0 && s->ptx_line == 0)
    weir_table_cell(t, "%s", text);
  else
    weir_table_cell(t, "%s 0x%x", text, s->pc);
}

/* The bin in which the middle one is, as "8", or ">2048"; `first` have no distance. */
static void median_cell(struct weir_table *t, const uint64_t bins[WEIR_DISTANCES]) {
  uint64_t all = 0, n = 0;
  for (uint32_t i = 0; i < WEIR_DISTANCES; i++)
    all += bins[i];
  for (uint32_t i = 0; all > 0 && i < WEIR_DISTANCES; i++)
    if ((n += bins[i]) * 2 >= all) {
      if (i == WEIR_FAR)
        weir_table_cell(t, ">2048");
      else
        weir_table_cell(t, "%" PRIu64, weir_distance_most(i));
      return;
    }
  weir_table_cell(t, "-");
}

static void bar_cell(struct weir_table *t, uint64_t part, uint64_t whole) {
  char text[4 * BAR];
  weir_table_cell(t, "%s",
                  weir_bar(whole > 0 ? BAR * (double)part / (double)whole : 0, text, sizeof text));
}

static uint64_t lost(const struct weir_locality *l) {
  return l->cause[WEIR_CAPACITY] + l->cause[WEIR_CONFLICT];
}

static enum weir_status put_table(struct weir_table *t, const char *title, struct weir_text *out,
                                  struct weir_err *err) {
  if (t == NULL) return weir_no_memory(err);
  weir_text_puts(out, "\n");
  weir_text_heading(out, title);
  enum weir_status st = weir_table_text(t, out, err);
  weir_table_free(t);
  return st;
}
#define TABLE(columns) weir_table_new(columns, sizeof(columns) / sizeof *(columns))

/* ---- the top ---- */

static void put_size(struct weir_text *out, const struct weir_l1_cfg *c, uint32_t lines) {
  weir_text_printf(out, "%g KB", (double)lines * (double)c->line / 1024);
}

static void head(const struct weir_characterize_view *v, struct weir_text *out) {
  const struct weir_machine *m = &v->c->setup->machine;
  const struct weir_locality_set *s = &v->c->locality;
  uint32_t most = 0, least = UINT32_MAX;
  for (size_t k = 0; k < s->kernels.n; k++) {
    if (s->kernels.v[k].lines_most > most) most = s->kernels.v[k].lines_most;
    if (s->kernels.v[k].lines_least < least) least = s->kernels.v[k].lines_least;
  }
  weir_text_printf(out, "%s%s%s on %s: an L1 of ", v->about.workload,
                   v->about.input[0] != 0 ? ", input " : "", v->about.input, v->about.gpu);
  if (least < most) {
    put_size(out, &m->l1, least);
    weir_text_puts(out, " to ");
  }
  put_size(out, &m->l1, most);
  weir_text_printf(
      out, " on each of %" PRId64 " SMs: %" PRId64 " sets of lines of %" PRId64 " bytes%s\n",
      m->sm.count, m->l1.sets, m->l1.line, m->l1.sectored ? ", in sectors" : "");
}

static void advice(const struct weir_characterize_view *v, struct weir_text *out) {
  struct weir_locality sum;
  weir_locality_sum(&v->c->locality, ALL, &sum);
  size_t width = out->screen != NULL ? out->screen->width : 0;
  weir_text_puts(out, "\n");
  weir_text_heading(out, "what to do, by the share of load requests that it concerns");
  if (v->advice.n == 0)
    weir_text_puts(out, sum.references == 0 ? "  no load uses the L1: there is nothing to say\n"
                                            : "  no rule applies\n");
  for (uint32_t i = 0; i < v->advice.n; i++) {
    enum { BEFORE = 11 };
    struct weir_text one = {0};
    size_t at = out->n;
    const struct weir_advice *a = &v->advice.v[i];
    weir_text_pad(&one, '.', BEFORE); /* the place of the number, which is no blank to break at */
    weir_advice_text(v, a, &one);
    if (!one.failed)
      weir_text_wrap(out, one.v, width > 0 && width < 110 ? width : 110, "           ");
    weir_text_puts(out, "\n");
    out->failed |= one.failed;
    weir_text_free(&one);
    if (out->failed) return;
    char share[BEFORE + 8];
    snprintf(share, sizeof share, "  %5.1f %%  ",
             100.0 * (double)a->concerned / (double)sum.references);
    memcpy(out->v + at, share, BEFORE);
  }
  if (v->advice.n_found > v->advice.n)
    weir_text_printf(out, "  %u more left out\n", v->advice.n_found - v->advice.n);
}

/* ---- classes ---- */

static void class_run(const struct weir_run_classes *c, enum weir_class_run run, const char *what,
                      struct weir_text *out) {
  double v = weir_class_speedup(c, run);
  if (!isnan(v))
    weir_text_printf(out, "%s: %.3f times as fast", what, v);
  else if (c->why[run] != NULL)
    weir_text_printf(out, "%s: failed: %s", what, c->why[run]);
}

static void classes(const struct weir_characterize_view *v, struct weir_text *out) {
  const struct weir_run_classes *c = v->classes;
  const char *cache = weir_class_cache(c), *line = weir_class_line(c);
  weir_text_puts(out, "\n");
  weir_text_heading(out, "classes, by further runs");
  weir_text_printf(out, "  %-4s %s\n       ", cache != NULL ? cache : "-",
                   cache == NULL               ? "not known whether it is faster without the L1"
                   : strcmp(cache, "CNF") == 0 ? "faster without the L1"
                   : strcmp(cache, "CF") == 0  ? "slower without the L1"
                                               : "as fast without the L1");
  class_run(c, WEIR_CLASS_BYPASS, "all loads bypassing it", out);
  weir_text_printf(out, "\n  %-4s %s\n       ", line != NULL ? line : "-",
                   line == NULL               ? "no class by the length of lines"
                   : strcmp(line, "CLN") == 0 ? "faster with shorter lines"
                                              : "not faster with shorter lines");
  class_run(c, WEIR_CLASS_LINE_32, "lines of 32 bytes", out);
  if (c->cycles[WEIR_CLASS_LINE_64] > 0) weir_text_puts(out, "; ");
  class_run(c, WEIR_CLASS_LINE_64, "of 64", out);
  weir_text_printf(out, "\n  %s to the L1\n       ",
                   c->cycles[WEIR_CLASS_PERFECT] == 0 ? "not known whether it is sensitive"
                   : weir_class_is_sensitive(c)       ? "sensitive"
                                                      : "not sensitive");
  class_run(c, WEIR_CLASS_PERFECT, "an L1 that has everything, first uses too", out);
  weir_text_puts(out, "\n");
}

/* ---- kernels ---- */

static void kernel_row(struct weir_table *t, const struct weir_locality *l) {
  number(t, l->references);
  percent(t, l->answered, l->references);
  percent(t, l->pending, l->references);
  percent(t, l->opt, l->references);
  percent(t, l->opt_chunk, l->references);
  percent(t, l->lone, l->references);
  percent(t, l->lone, l->lines);
  for (uint32_t i = WEIR_COMPULSORY; i < WEIR_MISS_CAUSES; i++)
    percent(t, l->cause[i], l->references);
}

static enum weir_status kernels(const struct weir_characterize_view *v, struct weir_text *out,
                                struct weir_err *err) {
  static const struct weir_column columns[] = {{"kernel", NULL, WEIR_LEFT},
                                               {"requests", NULL, WEIR_RIGHT},
                                               {"hits", "%", WEIR_RIGHT},
                                               {"pending", "%", WEIR_RIGHT},
                                               {"opt", "%", WEIR_RIGHT},
                                               {"opt-chunk", "%", WEIR_RIGHT},
                                               {"no reuse", "% requests", WEIR_RIGHT},
                                               {"no reuse", "% lines", WEIR_RIGHT},
                                               {"compulsory", "%", WEIR_RIGHT},
                                               {"store", "%", WEIR_RIGHT},
                                               {"capacity", "%", WEIR_RIGHT},
                                               {"conflict", "%", WEIR_RIGHT},
                                               {"sector", "%", WEIR_RIGHT}};
  struct weir_table *t = TABLE(columns);
  struct weir_locality l;
  size_t n = v->c->locality.kernels.n;
  for (uint32_t k = 0; t != NULL && k < n; k++) {
    weir_locality_sum(&v->c->locality, k, &l);
    kernel_cell(t, v, k);
    kernel_row(t, &l);
  }
  if (t != NULL && n > 1) {
    weir_locality_sum(&v->c->locality, ALL, &l);
    weir_table_rule(t);
    weir_table_cell(t, "all");
    kernel_row(t, &l);
  }
  enum weir_status st = put_table(
      t, "kernels: load requests, in the run and at best; misses of a least-recently-used L1", out,
      err);
  weir_locality_sum(&v->c->locality, ALL, &l);
  if (l.past > 0)
    weir_text_printf(
        out, "%" PRIu64 " more load requests go past the L1, %s, and count nowhere else\n", l.past,
        v->c->setup->machine.l1.enabled ? "by their operator" : "which is off");
  return st;
}

static uint64_t ldst_slots(const struct weir_sm_stats *s) {
  uint64_t n = 0;
  for (unsigned i = WEIR_SLOT_LDST; i < WEIR_N_ISSUE_SLOTS; i++)
    n += s->slot[i];
  return n;
}

static void stall_row(struct weir_table *t, const struct weir_characterize_view *v, uint32_t k) {
  const struct weir_timed_kernel *row = weir_character_timed(v->c, k);
  const struct weir_machine *m = &v->c->setup->machine;
  const struct weir_sim_result *r = &row->result;
  struct weir_derived d;
  uint64_t slots = 0;
  for (unsigned i = 0; i < WEIR_N_ISSUE_SLOTS; i++)
    slots += r->sm.slot[i];
  weir_derive(r, (uint32_t)m->sm.count, &d);
  kernel_cell(t, v, k);
  number(t, r->cycles);
  weir_table_cell(t, "%.2f", r->cycles ? (double)r->sm.thread_insns / (double)r->cycles : 0.0);
  weir_table_cell(t, "%u (%s)", r->blocks_per_sm, r->limited_by);
  percent(t, (uint64_t)r->blocks_per_sm * v->c->locality.kernels.v[k].warps, (uint64_t)m->sm.warps);
  percent(t, r->sm.slot[WEIR_SLOT_ISSUED], slots);
  percent(t, r->sm.slot[WEIR_SLOT_LOAD], slots);
  percent(t, ldst_slots(&r->sm), slots);
  percent(t, r->sm.slot[WEIR_SLOT_DEPENDENCY], slots);
  percent(t, r->sm.slot[WEIR_SLOT_UNIT], slots);
  percent(t, r->sm.slot[WEIR_SLOT_BARRIER] + r->sm.slot[WEIR_SLOT_FENCE], slots);
  percent(t, r->sm.slot[WEIR_SLOT_NO_WARP], slots);
  percent(t, d.stalls, d.sm_cycles);
  percent(t, d.resv_stalls, d.sm_cycles);
}

static enum weir_status stalls(const struct weir_characterize_view *v, struct weir_text *out,
                               struct weir_err *err) {
  static const struct weir_column columns[] = {{"kernel", NULL, WEIR_LEFT},
                                               {"cycles", NULL, WEIR_RIGHT},
                                               {"insns", "per cycle", WEIR_RIGHT},
                                               {"blocks", "per SM", WEIR_RIGHT},
                                               {"warps", "% of most", WEIR_RIGHT},
                                               {"issued", "% slots", WEIR_RIGHT},
                                               {"load", "% slots", WEIR_RIGHT},
                                               {"LD/ST", "% slots", WEIR_RIGHT},
                                               {"depend", "% slots", WEIR_RIGHT},
                                               {"unit", "% slots", WEIR_RIGHT},
                                               {"barrier", "% slots", WEIR_RIGHT},
                                               {"no warp", "% slots", WEIR_RIGHT},
                                               {"LD/ST stall", "% cycles", WEIR_RIGHT},
                                               {"for the L1", "% cycles", WEIR_RIGHT}};
  struct weir_table *t = TABLE(columns);
  for (uint32_t k = 0; t != NULL && k < v->c->locality.kernels.n; k++)
    stall_row(t, v, k);
  return put_table(t, "occupancy, and what issue slots went to", out, err);
}

/* ---- loads and arrays ---- */

static void locality_cells(struct weir_table *t, const struct weir_locality *l) {
  number(t, l->references);
  percent(t, l->answered + l->pending, l->references);
  percent(t, l->lone, l->references);
  number(t, l->lines);
  for (uint32_t i = 0; i < WEIR_REUSE_COUNTS; i++)
    percent(t, l->reuse[i], l->lines);
  median_cell(t, l->access);
  median_cell(t, l->stack);
  percent(t, lost(l), l->references);
  for (uint32_t i = 0; i < WEIR_BETWEENS; i++)
    percent(t, l->after[i], l->references);
}
#define LOCALITY_COLUMNS                                                                           \
  {"requests", NULL, WEIR_RIGHT}, {"found", "%", WEIR_RIGHT},                                      \
      {"no reuse", "% requests", WEIR_RIGHT}, {"lines", NULL, WEIR_RIGHT},                         \
      {"used 1x", "% lines", WEIR_RIGHT}, {"2x", "%", WEIR_RIGHT}, {"3x", "%", WEIR_RIGHT},        \
      {"more", "%", WEIR_RIGHT}, {"distance", "median", WEIR_RIGHT},                               \
      {"stack", "median", WEIR_RIGHT}, {"lost", "%", WEIR_RIGHT}, {"warp", "%", WEIR_RIGHT},       \
      {"block", "%", WEIR_RIGHT}, {"grid", "%", WEIR_RIGHT}, {                                     \
    "earlier", "%", WEIR_RIGHT                                                                     \
  }

static enum weir_status loads(const struct weir_characterize_view *v, struct weir_text *out,
                              struct weir_err *err) {
  static const struct weir_column columns[] = {{"kernel", NULL, WEIR_LEFT},
                                               {"load", NULL, WEIR_LEFT},
                                               {"array", NULL, WEIR_LEFT},
                                               LOCALITY_COLUMNS};
  struct weir_table *t = TABLE(columns);
  const struct weir_locality_set *s = &v->c->locality;
  for (size_t i = 0; t != NULL && i < v->n_loads; i++) {
    const struct weir_locality_load *l = &s->loads.v[v->loads[i]];
    const char *array = weir_character_array(v->c, v->loads[i]);
    if (l->of.references == 0) continue;
    if (i == 0 || s->loads.v[v->loads[i - 1]].kernel != l->kernel)
      kernel_cell(t, v, l->kernel);
    else
      weir_table_cell(t, "%s", "");
    load_cell(t, v, v->loads[i]);
    weir_table_cell(t, "%s", array != NULL ? array : "?");
    locality_cells(t, &l->of);
  }
  return put_table(t,
                   "loads; lost: capacity and conflict misses; warp, block, grid, earlier launch: "
                   "who used the line "
                   "before",
                   out, err);
}

/* The loads of a kernel that read the same array as load i, which is the first of them. */
static uint32_t sum_array(const struct weir_characterize_view *v, size_t i,
                          struct weir_locality *sum) {
  const struct weir_locality_set *s = &v->c->locality;
  const char *array = weir_character_array(v->c, v->loads[i]);
  uint32_t n = 0;
  *sum = (struct weir_locality){0};
  for (size_t k = 0; array != NULL && k < v->n_loads; k++) {
    const struct weir_locality_load *l = &s->loads.v[v->loads[k]];
    const char *other = weir_character_array(v->c, v->loads[k]);
    if (l->kernel != s->loads.v[v->loads[i]].kernel || other == NULL || strcmp(other, array) != 0)
      continue;
    if (k < i) return 0;
    n++;
    weir_locality_add(sum, &l->of);
  }
  return n;
}

/* Where some array is read by several loads; else the table of loads says it. */
static enum weir_status arrays(const struct weir_characterize_view *v, struct weir_text *out,
                               struct weir_err *err) {
  static const struct weir_column columns[] = {{"kernel", NULL, WEIR_LEFT},
                                               {"array", NULL, WEIR_LEFT},
                                               {"loads", NULL, WEIR_RIGHT},
                                               LOCALITY_COLUMNS};
  struct weir_table *t = TABLE(columns);
  uint32_t last = ALL, most = 0;
  for (size_t i = 0; t != NULL && i < v->n_loads; i++) {
    struct weir_locality sum;
    uint32_t kernel = v->c->locality.loads.v[v->loads[i]].kernel, n = sum_array(v, i, &sum);
    if (n == 0) continue;
    if (n > most) most = n;
    if (kernel != last)
      kernel_cell(t, v, kernel);
    else
      weir_table_cell(t, "%s", "");
    last = kernel;
    weir_table_cell(t, "%s", weir_character_array(v->c, v->loads[i]));
    weir_table_cell(t, "%u", n);
    locality_cells(t, &sum);
  }
  if (most > 1) return put_table(t, "arrays: all their loads together", out, err);
  weir_table_free(t);
  return t != NULL ? WEIR_OK : weir_no_memory(err);
}

/* ---- histograms ---- */

static enum weir_status distances(const struct weir_locality *l, struct weir_text *out,
                                  struct weir_err *err) {
  static const struct weir_column columns[] = {{"up to", NULL, WEIR_RIGHT},
                                               {"requests", "%", WEIR_RIGHT},
                                               {"in between", NULL, WEIR_LEFT},
                                               {"lines", "%", WEIR_RIGHT},
                                               {"in between", NULL, WEIR_LEFT}};
  struct weir_table *t = TABLE(columns);
  for (uint32_t i = 0; t != NULL && i <= WEIR_DISTANCES; i++) {
    uint64_t a = i < WEIR_DISTANCES ? l->access[i] : l->first;
    uint64_t b = i < WEIR_DISTANCES ? l->stack[i] : l->first;
    if (i < WEIR_FAR)
      weir_table_cell(t, "%" PRIu64, weir_distance_most(i));
    else
      weir_table_cell(t, "%s", i == WEIR_FAR ? "more" : "first use");
    percent(t, a, l->references);
    bar_cell(t, a, l->references);
    percent(t, b, l->references);
    bar_cell(t, b, l->references);
  }
  return put_table(t, "reuse distance: requests, and different lines, since the line was used last",
                   out, err);
}

/* From one line to the size with which everything that can hit does. */
static enum weir_status curve(const struct weir_characterize_view *v, const struct weir_locality *l,
                              struct weir_text *out, struct weir_err *err) {
  static const struct weir_column columns[] = {{"lines", NULL, WEIR_RIGHT},
                                               {"size", "KB", WEIR_RIGHT},
                                               {"misses", "%", WEIR_RIGHT},
                                               {"", NULL, WEIR_LEFT}};
  struct weir_table *t = TABLE(columns);
  double line = (double)v->c->setup->machine.l1.line;
  uint64_t reuse = l->references - l->first, hits = 0;
  for (uint32_t i = 0; t != NULL && i < WEIR_SIZES; i++) {
    hits = weir_locality_hits(l, i);
    weir_table_cell(t, "%" PRIu64, UINT64_C(1) << i);
    weir_table_cell(t, "%g", (double)(UINT64_C(1) << i) * line / 1024);
    percent(t, l->references - hits, l->references);
    bar_cell(t, l->references - hits, l->references);
    if (hits == reuse) break;
  }
  enum weir_status st = put_table(
      t, "misses by size: as many lines anywhere, the least recently used replaced", out, err);
  if (st != WEIR_OK || l->references == 0) return st;
  weir_text_printf(out, "the L1's own size: %.1f %%; with its sets: %.1f %%; in the run: %.1f %%\n",
                   100.0 * (double)(l->references - l->fits) / (double)l->references,
                   100.0 * (double)(l->references - l->cause[WEIR_NO_MISS]) / (double)l->references,
                   100.0 * (double)l->sent / (double)l->references);
  return st;
}

static enum weir_status usage(const struct weir_characterize_view *v, const struct weir_locality *l,
                              struct weir_text *out, struct weir_err *err) {
  static const struct weir_column columns[] = {{"sectors", NULL, WEIR_RIGHT},
                                               {"of line", "%", WEIR_RIGHT},
                                               {"lines", "%", WEIR_RIGHT},
                                               {"", NULL, WEIR_LEFT}};
  const struct weir_l1_cfg *c = &v->c->setup->machine.l1;
  uint32_t n = (uint32_t)(c->line / c->sector);
  struct weir_sim_result sum;
  weir_timing_total(&v->c->timing, &sum);
  uint64_t gone = sum.l1.evictions[WEIR_BY_REPLACEMENT];
  if (l->evicted == 0 && gone == 0) {
    weir_text_puts(out, "\nno line was replaced\n");
    return WEIR_OK;
  }
  struct weir_table *t = TABLE(columns);
  for (uint32_t i = 0; t != NULL && i <= n; i++) {
    weir_table_cell(t, "%u", i);
    percent(t, i, n);
    percent(t, l->used[i], l->evicted);
    bar_cell(t, l->used[i], l->evicted);
  }
  enum weir_status st = put_table(
      t, "replaced lines, by how much of them was hit after what they were fetched for", out, err);
  weir_text_printf(out,
                   "of %" PRIu64
                   " lines in an L1 that replaces the least recently used; in the run, "
                   "%" PRIu64 " of %" PRIu64 " replaced lines were never hit",
                   l->evicted, sum.l1.evictions_unused, gone);
  if (gone > 0)
    weir_text_printf(out, " (%.1f %%)", 100.0 * (double)sum.l1.evictions_unused / (double)gone);
  weir_text_puts(out, "\n");
  return st;
}

/* ---- contention ---- */

static void site_cell(struct weir_table *t, const struct weir_characterize_view *v, uint32_t site) {
  char text[96];
  uint32_t load = v->sites.v[site].first;
  const char *array = weir_character_array(v->c, load);
  if (array != NULL)
    weir_table_cell(t, "%s %s", weir_character_source(v->c, load, text, sizeof text), array);
  else
    load_cell(t, v, load);
}

static enum weir_status pairs(const struct weir_characterize_view *v, uint64_t all,
                              struct weir_text *out, struct weir_err *err) {
  static const struct weir_column columns[] = {
      {"load that evicted", NULL, WEIR_LEFT}, {"load that missed", NULL, WEIR_LEFT},
      {"misses", NULL, WEIR_RIGHT},           {"of lost", "%", WEIR_RIGHT},
      {"same warp", "%", WEIR_RIGHT},         {"same block", "%", WEIR_RIGHT},
      {"other block", "%", WEIR_RIGHT},       {"earlier launch", "%", WEIR_RIGHT}};
  struct weir_table *t = TABLE(columns);
  size_t n = v->sites.evictions.n;
  for (size_t i = 0; t != NULL && i < n && i < MOST_PAIRS; i++) {
    const struct weir_eviction *e = &v->sites.evictions.v[i];
    uint64_t misses = weir_eviction_total(e);
    site_cell(t, v, e->by);
    site_cell(t, v, e->of);
    number(t, misses);
    percent(t, misses, all);
    for (uint32_t w = 0; w < WEIR_BETWEENS; w++)
      percent(t, e->n[w], misses);
  }
  enum weir_status st = put_table(
      t, "who evicts whom: capacity and conflict misses, by who had evicted the line", out, err);
  if (n > MOST_PAIRS) weir_text_printf(out, "the first %d of %zu pairs\n", MOST_PAIRS, n);
  return st;
}

static enum weir_status warps(const struct weir_locality *l, struct weir_text *out,
                              struct weir_err *err) {
  static const struct weir_column columns[] = {
      {"warps apart", "up to", WEIR_RIGHT}, {"misses", "%", WEIR_RIGHT}, {"", NULL, WEIR_LEFT}};
  struct weir_table *t = TABLE(columns);
  uint64_t all = 0;
  for (uint32_t i = 0; i < WEIR_DISTANCES; i++)
    all += l->lost_warps[i];
  for (uint32_t i = 0; t != NULL && i < WEIR_DISTANCES; i++) {
    if (i == WEIR_FAR)
      weir_table_cell(t, "more");
    else
      weir_table_cell(t, "%" PRIu64, weir_distance_most(i));
    percent(t, l->lost_warps[i], all);
    bar_cell(t, l->lost_warps[i], all);
  }
  return put_table(t, "distance of the warp that evicted a line from the one that missed it", out,
                   err);
}

static enum weir_status contention(const struct weir_characterize_view *v,
                                   const struct weir_locality *l, struct weir_text *out,
                                   struct weir_err *err) {
  if (lost(l) == 0) {
    weir_text_puts(out, "\nno line was evicted before it was used again\n");
    return WEIR_OK;
  }
  enum weir_status st = pairs(v, lost(l), out, err);
  return st == WEIR_OK ? warps(l, out, err) : st;
}

/* ---- footprint ---- */

/* Several stretches are one row, if there are many: their mean, and where they end. */
static void footprint_rows(struct weir_table *t, const struct weir_characterize_view *v,
                           uint32_t k) {
  const struct weir_locality_kernel *kernel = &v->c->locality.kernels.v[k];
  size_t n = kernel->stretches.n, each = (n + MOST_STRETCHES - 1) / MOST_STRETCHES;
  double grown = 0;
  for (size_t i = 0; i < n; i += each) {
    double lines = 0;
    uint64_t running = 0;
    size_t end = i + each < n ? i + each : n;
    for (size_t j = i; j < end; j++) {
      const struct weir_stretch *x = &kernel->stretches.v[j];
      lines += (double)x->lines / (double)x->n / (double)(end - i);
      grown += (double)x->fresh / (double)kernel->stretches.v[0].n;
      running = x->n;
    }
    char text[4 * BAR];
    if (i == 0)
      kernel_cell(t, v, k);
    else
      weir_table_cell(t, "%s", "");
    number(t, (uint64_t)end * v->c->locality.stretch);
    number(t, running);
    weir_table_cell(t, "%.1f", lines);
    weir_table_cell(t, "%s",
                    weir_bar(BAR * lines / (double)v->c->locality.stretch, text, sizeof text));
    weir_table_cell(t, "%.1f", grown);
  }
}

static enum weir_status footprint(const struct weir_characterize_view *v, struct weir_text *out,
                                  struct weir_err *err) {
  static const struct weir_column columns[] = {{"kernel", NULL, WEIR_LEFT},
                                               {"requests", "up to", WEIR_RIGHT},
                                               {"SMs", "x launches", WEIR_RIGHT},
                                               {"lines", "per stretch", WEIR_RIGHT},
                                               {"", NULL, WEIR_LEFT},
                                               {"new lines", "so far", WEIR_RIGHT}};
  struct weir_table *t = TABLE(columns);
  char title[160];
  for (uint32_t k = 0; t != NULL && k < v->c->locality.kernels.n; k++)
    footprint_rows(t, v, k);
  snprintf(
      title, sizeof title,
      "footprint: different lines of an SM in each %u load requests of a launch, and lines that "
      "it never had before",
      v->c->locality.stretch);
  return put_table(t, title, out, err);
}

enum weir_status weir_characterize_text(const struct weir_characterize_view *v,
                                        struct weir_text *out, struct weir_err *err) {
  struct weir_locality sum;
  weir_locality_sum(&v->c->locality, ALL, &sum);
  head(v, out);
  advice(v, out);
  if (v->classes != NULL) classes(v, out);
  enum weir_status st = kernels(v, out, err);
  if (st == WEIR_OK) st = stalls(v, out, err);
  if (sum.references == 0) return st;
  if (st == WEIR_OK) st = loads(v, out, err);
  if (st == WEIR_OK) st = arrays(v, out, err);
  if (st == WEIR_OK) st = distances(&sum, out, err);
  if (st == WEIR_OK) st = curve(v, &sum, out, err);
  if (st == WEIR_OK) st = usage(v, &sum, out, err);
  if (st == WEIR_OK) st = contention(v, &sum, out, err);
  return st == WEIR_OK ? footprint(v, out, err) : st;
}
