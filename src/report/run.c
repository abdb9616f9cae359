#include "report/run.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/demangle.h"
#include "base/json.h"
#include "base/mem.h"
#include "base/stat_io.h"
#include "base/table.h"
#include "report/bar.h"

static enum weir_status no_memory(struct weir_err *err) {
  return weir_fail(err, WEIR_ENOMEM, "out of memory");
}

enum weir_status weir_run_report_init(struct weir_run_report *r, bool json, struct weir_err *err) {
  *r = (struct weir_run_report){0};
  if (!json) return WEIR_OK;
  r->json_runs = json_array();
  return r->json_runs != NULL ? WEIR_OK : no_memory(err);
}

static void free_launches(struct weir_run_report *r) {
  for (size_t i = 0; i < r->per_launch.n; i++) {
    free(r->per_launch.v[i].workload);
    free(r->per_launch.v[i].kernel);
  }
  free(r->per_launch.v);
}

void weir_run_report_free(struct weir_run_report *r) {
  free_launches(r);
  json_decref(r->json_launch);
  json_decref(r->json_runs);
  weir_spool_close(&r->spool);
  for (size_t i = 0; i < r->spools.n; i++)
    weir_spool_close(&r->spools.v[i]);
  free(r->spools.v);
  for (size_t i = 0; i < r->rows.n; i++) {
    free(r->rows.v[i].name);
    free(r->rows.v[i].workload);
  }
  free(r->rows.v);
}

/* ---- collecting ---- */

void weir_run_report_begin(struct weir_run_report *r, const char *workload) {
  r->workload = workload;
  r->first_row = r->rows.n;
  r->n_of_run = 0;
  r->total = (struct weir_func_stats){0};
}

static struct weir_kernel_row *row_of(struct weir_run_report *r, const char *kernel) {
  for (size_t i = r->first_row; i < r->rows.n; i++)
    if (strcmp(r->rows.v[i].name, kernel) == 0) return &r->rows.v[i];
  struct weir_kernel_row row = {.workload = weir_strdup(r->workload), .name = weir_strdup(kernel)};
  if (row.name == NULL || row.workload == NULL || !WEIR_PUSH(r->rows, row)) {
    free(row.name);
    free(row.workload);
    return NULL;
  }
  return &r->rows.v[r->rows.n - 1];
}

static json_t *launch_json(struct weir_run_report *r, const struct weir_launch_report *l) {
  const struct weir_kernel_info *k = l->info;
  json_t *o = json_pack(
      "{s:o, s:I, s:[I,I,I], s:[I,I,I], s:b, s:b, s:o}", "kernel", weir_json_text(l->kernel),
      "repetition", (json_int_t)l->k, "grid", (json_int_t)k->grid[0], (json_int_t)k->grid[1],
      (json_int_t)k->grid[2], "block", (json_int_t)k->block[0], (json_int_t)k->block[1],
      (json_int_t)k->block[2], "interleaved", (int)k->is_interleaved, "reads_clock",
      (int)k->reads_clock, "statistics", weir_stat_json(weir_func_stat_table, &l->stats));
  if (o != NULL && r->timing != NULL &&
      json_object_set_new(o, "timing", weir_timing_json(r->timing, k, r->per_sm)) != 0)
    r->is_failed = true;
  if (o == NULL) r->is_failed = true;
  if (!r->is_failed) return o;
  json_decref(o);
  return NULL;
}

static void keep_times(struct weir_launch_row *row, const struct weir_sim_result *r) {
  row->cycles = r->cycles;
  row->l1_loads = r->l1.loads;
  row->l1_hits = r->l1.hits + r->l1.hit_reserved;
  row->bypassed = r->l1.bypassed;
  row->l2_sectors = r->l2.read_sectors;
  row->l2_hits = r->l2.read_sectors - r->l2.read_sectors_missed;
  row->dram = r->dram.reads + r->dram.writes;
}

static bool keep_launch(struct weir_run_report *r, const struct weir_launch_report *l) {
  struct weir_launch_row row = {.workload = weir_strdup(r->workload),
                                .kernel = weir_strdup(l->kernel),
                                .number = r->n_of_run,
                                .warp_insns = l->stats.warp_insns};
  memcpy(row.grid, l->info->grid, sizeof row.grid);
  memcpy(row.block, l->info->block, sizeof row.block);
  if (r->timing != NULL) keep_times(&row, &r->timing->last);
  if (row.workload != NULL && row.kernel != NULL && WEIR_PUSH(r->per_launch, row)) return true;
  free(row.workload);
  free(row.kernel);
  return false;
}

/* How deep the elements of "launches" lie. */
enum { LAUNCH_DEPTH = 4 };

/* Nothing is added to the last launch any more. */
static void spool_last(struct weir_run_report *r) {
  if (r->json_launch == NULL) return;
  if (!r->is_failed &&
      weir_spool_add(&r->spool, r->json_launch, LAUNCH_DEPTH, &r->error) != WEIR_OK)
    r->is_failed = true;
  json_decref(r->json_launch);
  r->json_launch = NULL;
}

json_t *weir_run_report_launch(struct weir_run_report *r, const struct weir_launch_report *l) {
  struct weir_kernel_row *row = row_of(r, l->kernel);
  if (row == NULL) {
    r->is_failed = true;
    return NULL;
  }
  row->launches++;
  row->stream_bytes += l->stream_bytes;
  memcpy(row->grid, l->info->grid, sizeof row->grid);
  memcpy(row->block, l->info->block, sizeof row->block);
  row->is_interleaved = l->info->is_interleaved;
  row->reads_clock = l->info->reads_clock;
  weir_stat_sum(weir_func_stat_table, &row->stats, &l->stats);
  weir_stat_sum(weir_func_stat_table, &r->total, &l->stats);
  r->launches++;
  r->n_of_run++;
  if (r->keeps_launches && !keep_launch(r, l)) r->is_failed = true;
  if (r->json_runs == NULL) return NULL;
  spool_last(r);
  return r->json_launch = launch_json(r, l);
}

/* Where launches will stand in the text. A line of its own at this depth is a key of a run: texts
 * of a user have no line ends in JSON, and the provenance has no such key. */
#define PLACE "\n   \"launches\": null"
#define KEY   "\n   \"launches\": "

static enum weir_status keep_json(struct weir_run_report *r, json_t *o, struct weir_err *err) {
  json_t *profile = weir_timing_profile_json(r->timing, r->profiles);
  spool_last(r);
  bool ok = json_object_set_new(o, "launches", json_null()) == 0 &&
            json_object_set_new(o, "total", weir_stat_json(weir_func_stat_table, &r->total)) == 0;
  if (profile != NULL) ok = json_object_set_new(o, "profile", profile) == 0 && ok;
  ok = json_array_append_new(r->json_runs, o) == 0 && ok;
  bool is_moved = WEIR_PUSH(r->spools, r->spool);
  if (is_moved) r->spool = (struct weir_spool){0};
  return ok && is_moved ? WEIR_OK : no_memory(err);
}

enum weir_status weir_run_report_status(const struct weir_run_report *r, struct weir_err *err) {
  if (!r->is_failed) return WEIR_OK;
  if (r->error.code == WEIR_OK) return no_memory(err);
  *err = r->error;
  return r->error.code;
}

enum weir_status weir_run_report_end(struct weir_run_report *r, json_t *o, struct weir_err *err) {
  weir_stat_sum(weir_func_stat_table, &r->all, &r->total);
  r->n_runs++;
  if (r->json_runs != NULL && o == NULL) r->is_failed = true;
  if (o != NULL && keep_json(r, o, err) != WEIR_OK) r->is_failed = true;
  return weir_run_report_status(r, err);
}

enum weir_status weir_run_report_join(struct weir_run_report *r, struct weir_run_report *from,
                                      struct weir_err *err) {
  size_t moved = 0;
  while (moved < from->rows.n && WEIR_PUSH(r->rows, from->rows.v[moved]))
    moved++;
  bool ok = moved == from->rows.n;
  for (; moved < from->rows.n; moved++) {
    free(from->rows.v[moved].name);
    free(from->rows.v[moved].workload);
  }
  from->rows.n = 0;
  for (moved = 0; moved < from->per_launch.n; moved++)
    if (!WEIR_PUSH(r->per_launch, from->per_launch.v[moved])) break;
  ok = moved == from->per_launch.n && ok;
  from->per_launch.n -= moved;
  if (moved > 0)
    memmove(from->per_launch.v, from->per_launch.v + moved,
            from->per_launch.n * sizeof *from->per_launch.v);
  if (r->json_runs != NULL) ok = json_array_extend(r->json_runs, from->json_runs) == 0 && ok;
  for (moved = 0; moved < from->spools.n && WEIR_PUSH(r->spools, from->spools.v[moved]); moved++)
    from->spools.v[moved] = (struct weir_spool){0};
  ok = moved == from->spools.n && ok;
  weir_stat_sum(weir_func_stat_table, &r->all, &from->all);
  r->launches += from->launches;
  r->n_runs += from->n_runs;
  weir_run_report_free(from);
  *from = (struct weir_run_report){0};
  return ok ? WEIR_OK : no_memory(err);
}

/* ---- showing ---- */

static void show_ratio(struct weir_table *t, uint64_t num, uint64_t den) {
  if (den == 0)
    weir_table_cell(t, "-");
  else
    weir_table_cell(t, "%.2f", (double)num / (double)den);
}

static enum weir_status kernel_table(const struct weir_run_report *st, bool streams,
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
    const struct weir_kernel_row *r = &st->rows.v[i];
    const struct weir_func_stats *s = &r->stats;
    char num[27], text[80], name[WEIR_DEMANGLED];
    bool is_first = i == 0 || strcmp(st->rows.v[i - 1].workload, r->workload) != 0;
    weir_table_cell(t, "%s", is_first ? r->workload : "");
    weir_table_cell(t, "%s%s%s", weir_demangle(r->name, name, sizeof name),
                    r->is_interleaved ? " *" : "", r->reads_clock ? " +" : "");
    weir_table_cell(t, "%" PRIu64, r->launches);
    weir_table_cell(t, "%" PRIu64 " x %" PRIu64, weir_volume(r->grid), weir_volume(r->block));
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

static void show_percent(struct weir_table *t, uint64_t part, uint64_t whole) {
  if (whole == 0)
    weir_table_cell(t, "-");
  else
    weir_table_cell(t, "%.1f", 100.0 * (double)part / (double)whole);
}

static void timed_cells(struct weir_table *t, const struct weir_launch_row *l) {
  char num[27];
  weir_table_cell(t, "%s", weir_text_thousands(l->cycles, num));
  show_ratio(t, l->warp_insns, l->cycles);
  show_percent(t, l->l1_hits, l->l1_loads);
  show_percent(t, l->bypassed, l->l1_loads);
  show_percent(t, l->l2_hits, l->l2_sectors);
  weir_table_cell(t, "%s", weir_text_thousands(l->dram, num));
}

static enum weir_status launch_table(const struct weir_run_report *r, struct weir_text *out,
                                     struct weir_err *err) {
  static const struct weir_column columns[] = {
      {"workload", NULL, WEIR_LEFT},         {"launch", NULL, WEIR_RIGHT},
      {"kernel", NULL, WEIR_LEFT},           {"grid", NULL, WEIR_RIGHT},
      {"block", "threads", WEIR_RIGHT},      {"warp insns", NULL, WEIR_RIGHT},
      {"cycles", NULL, WEIR_RIGHT},          {"warp insns", "per cycle", WEIR_RIGHT},
      {"L1 hits", "% of loads", WEIR_RIGHT}, {"bypassed", "% of loads", WEIR_RIGHT},
      {"L2 hits", "% sectors", WEIR_RIGHT},  {"DRAM", "accesses", WEIR_RIGHT}};
  enum { N = sizeof columns / sizeof *columns, UNTIMED = 6 };
  bool is_timed = r->timing != NULL;
  struct weir_table *t = weir_table_new(columns, is_timed ? N : UNTIMED);
  if (t == NULL) return no_memory(err);
  for (size_t i = 0; i < r->per_launch.n; i++) {
    const struct weir_launch_row *l = &r->per_launch.v[i];
    char num[27], name[WEIR_DEMANGLED];
    bool is_first = i == 0 || strcmp(l[-1].workload, l->workload) != 0;
    weir_table_cell(t, "%s", is_first ? l->workload : "");
    weir_table_cell(t, "%" PRIu64, l->number);
    weir_table_cell(t, "%s", weir_demangle(l->kernel, name, sizeof name));
    weir_table_cell(t, "%ux%ux%u", l->grid[0], l->grid[1], l->grid[2]);
    weir_table_cell(t, "%ux%ux%u", l->block[0], l->block[1], l->block[2]);
    weir_table_cell(t, "%s", weir_text_thousands(l->warp_insns, num));
    if (is_timed) timed_cells(t, l);
  }
  weir_text_puts(out, "\n");
  enum weir_status st = weir_table_text(t, out, err);
  weir_table_free(t);
  return st;
}

enum weir_status weir_run_report_text(const struct weir_run_report *r, bool streams,
                                      const struct weir_timing_views *views, struct weir_text *out,
                                      struct weir_err *err) {
  bool interleaved = false, clocks = false;
  enum weir_status code = kernel_table(r, streams, out, err);
  if (code == WEIR_OK && r->timing != NULL) {
    weir_text_puts(out, "\n");
    code = weir_timing_text(r->timing, r->profiles, views, out, err);
    weir_text_puts(out, "\n");
  }
  for (size_t i = 0; i < r->rows.n; i++)
    interleaved |= r->rows.v[i].is_interleaved, clocks |= r->rows.v[i].reads_clock;
  weir_text_puts(out, "requests: 128-byte lines that one global load, store or atomic of a warp "
                      "touches (1 is ideal, 32 the most)\n");
  if (interleaved)
    weir_text_puts(out, "* interleaved: blocks of this kernel can feel one another; spin counts "
                        "and shares of work are those\n"
                        "  of weir's fixed order (exec.wave, exec.quantum), not of a GPU\n");
  if (clocks)
    weir_text_printf(
        out, "+ reads clocks, which count executed instructions times exec.clock_factor, not %s\n",
        views->clocks       ? "the cycles above"
        : r->timing != NULL ? "cycles; --clocks shows those"
                            : "cycles");
  if (code == WEIR_OK && r->keeps_launches) code = launch_table(r, out, err);
  if (code == WEIR_OK && views->all) {
    weir_text_puts(out, "\n");
    code = weir_stat_text(weir_func_stat_table, NULL, &r->all, out, err);
  }
  return code;
}

typedef enum weir_status putter(void *self, const char *text, size_t n, struct weir_err *err);

static enum weir_status put_text(const struct weir_run_report *r, const char *text, putter *put,
                                 void *self, struct weir_err *err) {
  enum weir_status st = WEIR_OK;
  for (size_t i = 0; st == WEIR_OK && i < r->spools.n; i++) {
    const char *place = strstr(text, PLACE);
    if (place == NULL) return weir_fail(err, WEIR_EBUG, "a run without launches");
    st = put(self, text, (size_t)(place - text) + strlen(KEY), err);
    if (st == WEIR_OK) st = weir_spool_copy(&r->spools.v[i], LAUNCH_DEPTH, put, self, err);
    text = place + strlen(PLACE);
  }
  return st == WEIR_OK ? put(self, text, strlen(text), err) : st;
}

enum weir_status weir_run_report_json(const struct weir_run_report *r, putter *put, void *self,
                                      struct weir_err *err) {
  json_t *root = json_pack("{s:i, s:O}", "weir_result", 1, "runs", r->json_runs);
  root = weir_provenance_first(r->provenance, root);
  char *text = root != NULL ? json_dumps(root, JSON_INDENT(1)) : NULL;
  json_decref(root);
  if (text == NULL) return no_memory(err);
  enum weir_status st = put_text(r, text, put, self, err);
  free(text);
  return st;
}
