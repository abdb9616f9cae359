#include "cli/timing.h"

#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/config.h"
#include "base/stat_io.h"
#include "base/suggest.h"
#include "base/table.h"
#include "cli/cmd.h"
#include "l1/l1.h"

/* ---- machines ---- */

static int by_name(const void *a, const void *b) {
  return strcmp(*(const char *const *)a, *(const char *const *)b);
}

enum weir_status weir_cli_gpus(struct weir_arena *a, const char *const **names, size_t *n,
                               struct weir_err *err) {
  struct {
    const char **v;
    size_t n, cap;
  } list = {0};
  const char *folder = weir_arena_printf(a, "%s/gpus", weir_cli_data_dir());
  DIR *dir = folder != NULL ? opendir(folder) : NULL;
  if (dir == NULL)
    return weir_fail(err, WEIR_ENOENT, "cannot read the machines in %s: %s",
                     folder != NULL ? folder : "gpus", strerror(errno));
  bool ok = true;
  for (struct dirent *d; ok && (d = readdir(dir)) != NULL;) {
    size_t len = strlen(d->d_name);
    if (len <= 5 || strcmp(d->d_name + len - 5, ".yaml") != 0) continue;
    const char *name = weir_arena_strndup(a, d->d_name, len - 5);
    ok = name != NULL && WEIR_PUSH(list, name);
  }
  closedir(dir);
  const char **out = ok ? weir_arena_array(a, list.n + 1, sizeof *out) : NULL;
  if (out == NULL) {
    free(list.v);
    return weir_fail(err, WEIR_ENOMEM, "out of memory");
  }
  if (list.n > 0) memcpy(out, list.v, list.n * sizeof *out);
  qsort(out, list.n, sizeof *out, by_name);
  free(list.v);
  *names = out;
  *n = list.n;
  return WEIR_OK;
}

static bool is_file_name(const char *gpu) {
  size_t n = strlen(gpu);
  return n > 5 && strcmp(gpu + n - 5, ".yaml") == 0;
}

/* The path of a machine's file, or an error that names the nearest one. */
static enum weir_status machine_path(struct weir_arena *a, const char *gpu, const char **path,
                                     struct weir_err *err) {
  *path = gpu;
  if (is_file_name(gpu)) return WEIR_OK;
  const char *const *names;
  size_t n;
  enum weir_status st = weir_cli_gpus(a, &names, &n, err);
  if (st != WEIR_OK) return st;
  for (size_t i = 0; i < n; i++)
    if (strcmp(names[i], gpu) == 0) {
      *path = weir_arena_printf(a, "%s/gpus/%s.yaml", weir_cli_data_dir(), gpu);
      return *path != NULL ? WEIR_OK : weir_fail(err, WEIR_ENOMEM, "out of memory");
    }
  weir_fail(err, WEIR_ENOENT, "there is no machine '%s'", gpu);
  const char *near = weir_nearest(gpu, names, n);
  if (near != NULL) weir_err_add(err, "did you mean '%s'?", near);
  weir_err_add(err, "'weir list gpus' shows all; a file must end in .yaml");
  return WEIR_ENOENT;
}

enum weir_status weir_cli_gpu_settings(struct weir_settings *s, const char *gpu,
                                       struct weir_err *err) {
  struct weir_arena a = {0};
  struct weir_config c;
  const char *path;
  enum weir_status st = machine_path(&a, gpu, &path, err);
  if (st == WEIR_OK) st = weir_config_load(&c, path, err);
  if (st == WEIR_OK) {
    uint32_t top = weir_config_at(&c, "machine");
    if (top == 0)
      st = weir_fail(err, WEIR_EPARSE, "%s: no 'machine:' in this file", path);
    else
      st = weir_settings_config(s, WEIR_LAYER_FILE, &c, top, err);
    weir_config_free(&c);
  }
  weir_arena_free(&a);
  return st;
}

/* ---- running ---- */

enum { WATCHDOG_CYCLES = 5000000 };

static enum weir_status new_sim(struct weir_timing *t, struct weir_err *err) {
  struct weir_sim_options o = {
      .threads = t->threads, .watchdog = WATCHDOG_CYCLES, .check = t->check};
  weir_sim_free(t->sim);
  t->sim = NULL;
  return weir_sim_new(&t->machine, &weir_l1_pipeline, NULL, &o, &t->sim, err);
}

enum weir_status weir_timing_begin(struct weir_timing *t, const struct weir_settings *s,
                                   const char *gpu, uint32_t threads, bool check,
                                   struct weir_err *err) {
  *t = (struct weir_timing){.threads = threads, .check = check};
  enum weir_status st = weir_machine_fill(&t->machine, gpu, s, err);
  return st == WEIR_OK ? new_sim(t, err) : st;
}

enum weir_status weir_timing_workload(struct weir_timing *t, const char *workload,
                                      struct weir_err *err) {
  t->workload = workload;
  t->first = t->kernels.n;
  return new_sim(t, err);
}

static struct weir_timed_kernel *row_of(struct weir_timing *t, const char *kernel) {
  for (size_t i = t->first; i < t->kernels.n; i++)
    if (strcmp(t->kernels.v[i].kernel, kernel) == 0) return &t->kernels.v[i];
  struct weir_timed_kernel row = {.workload = strdup(t->workload), .kernel = strdup(kernel)};
  if (row.workload == NULL || row.kernel == NULL || !WEIR_PUSH(t->kernels, row)) {
    free(row.workload);
    free(row.kernel);
    return NULL;
  }
  return &t->kernels.v[t->kernels.n - 1];
}

enum weir_status weir_timing_kernel(void *self, struct weir_block_source *source,
                                    struct weir_err *err) {
  struct weir_timing *t = self;
  enum weir_status st = weir_sim_kernel(t->sim, source, &t->last, err);
  if (st != WEIR_OK) return st;
  struct weir_timed_kernel *row = row_of(t, source->kernel->name);
  if (row == NULL) return weir_fail(err, WEIR_ENOMEM, "out of memory");
  row->launches++;
  row->registers = source->kernel->regs_per_thread;
  row->regs_estimated = source->kernel->regs_estimated;
  row->result.cycles += t->last.cycles;
  row->result.blocks_per_sm = t->last.blocks_per_sm;
  row->result.limited_by = t->last.limited_by;
  weir_stat_sum(weir_sm_stat_table, &row->result.sm, &t->last.sm);
  weir_stat_sum(weir_l1_stat_table, &row->result.l1, &t->last.l1);
  weir_stat_sum(weir_l2_stat_table, &row->result.l2, &t->last.l2);
  weir_stat_sum(weir_dram_stat_table, &row->result.dram, &t->last.dram);
  return WEIR_OK;
}

enum weir_status weir_timing_check(const struct weir_timing *t, struct weir_err *err) {
  enum weir_status st = WEIR_OK;
  for (size_t i = 0; st == WEIR_OK && i < t->kernels.n; i++) {
    const struct weir_sim_result *r = &t->kernels.v[i].result;
    st = weir_stat_verify(weir_sm_stat_table, weir_sm_stat_group.checks, &r->sm, err);
    if (st == WEIR_OK)
      st = weir_stat_verify(weir_l1_stat_table, weir_l1_stat_group.checks, &r->l1, err);
  }
  return st;
}

/* ---- reports ---- */

static void percent(struct weir_table *t, uint64_t part, uint64_t whole) {
  if (whole == 0)
    weir_table_cell(t, "-");
  else
    weir_table_cell(t, "%.1f", 100.0 * (double)part / (double)whole);
}

static uint64_t ldst_slots(const struct weir_sm_stats *s) {
  uint64_t n = 0;
  for (unsigned i = WEIR_SLOT_LDST; i < WEIR_N_ISSUE_SLOTS; i++)
    n += s->slot[i];
  return n;
}

static void add_row(struct weir_table *t, const struct weir_timed_kernel *k, bool is_first) {
  const struct weir_sim_result *r = &k->result;
  uint64_t slots = 0;
  char num[27];
  for (unsigned i = 0; i < WEIR_N_ISSUE_SLOTS; i++)
    slots += r->sm.slot[i];
  weir_table_cell(t, "%s", is_first ? k->workload : "");
  weir_table_cell(t, "%s", k->kernel);
  weir_table_cell(t, "%s", weir_text_thousands(r->cycles, num));
  weir_table_cell(t, "%.2f", r->cycles ? (double)r->sm.warp_insns / (double)r->cycles : 0.0);
  weir_table_cell(t, "%u (%s)%s", r->blocks_per_sm, r->limited_by,
                  k->regs_estimated || k->registers == 0 ? "*" : "");
  percent(t, r->l1.hits + r->l1.hit_reserved, r->l1.loads - r->l1.bypassed);
  percent(t, r->l2.read_sectors - r->l2.read_sectors_missed, r->l2.read_sectors);
  weir_table_cell(t, "%s", weir_text_thousands(r->dram.reads + r->dram.writes, num));
  percent(t, r->sm.slot[WEIR_SLOT_ISSUED], slots);
  percent(t, r->sm.slot[WEIR_SLOT_LOAD], slots);
  percent(t, ldst_slots(&r->sm), slots);
  percent(t, r->sm.slot[WEIR_SLOT_BARRIER], slots);
  percent(t, r->sm.slot[WEIR_SLOT_NO_WARP], slots);
}

static void add_notes(const struct weir_timing *t, struct weir_text *out) {
  for (size_t i = 0; i < t->kernels.n; i++) {
    const struct weir_timed_kernel *k = &t->kernels.v[i];
    if (k->registers == 0)
      weir_text_printf(out, "* %s: registers per thread are not known and limit nothing\n",
                       k->kernel);
    else if (k->regs_estimated)
      weir_text_printf(out, "* %s: registers per thread estimated from liveness: %u\n", k->kernel,
                       k->registers);
  }
}

enum weir_status weir_timing_text(const struct weir_timing *t, bool all, struct weir_text *out,
                                  struct weir_err *err) {
  static const struct weir_column columns[] = {
      {"workload", NULL, WEIR_LEFT},        {"kernel", NULL, WEIR_LEFT},
      {"cycles", NULL, WEIR_RIGHT},         {"warp insns", "per cycle", WEIR_RIGHT},
      {"blocks", "per SM", WEIR_RIGHT},     {"L1 hits", "% of loads", WEIR_RIGHT},
      {"L2 hits", "% sectors", WEIR_RIGHT}, {"DRAM", "accesses", WEIR_RIGHT},
      {"issued", "% slots", WEIR_RIGHT},    {"load", "% slots", WEIR_RIGHT},
      {"LD/ST", "% slots", WEIR_RIGHT},     {"barrier", "% slots", WEIR_RIGHT},
      {"no warp", "% slots", WEIR_RIGHT}};
  struct weir_table *table = weir_table_new(columns, sizeof columns / sizeof *columns);
  if (table == NULL) return weir_fail(err, WEIR_ENOMEM, "out of memory");
  for (size_t i = 0; i < t->kernels.n; i++)
    add_row(table, &t->kernels.v[i],
            i == 0 || strcmp(t->kernels.v[i].workload, t->kernels.v[i - 1].workload) != 0);
  weir_text_printf(out, "machine %s\n", t->machine.name);
  enum weir_status st = weir_table_text(table, out, err);
  weir_table_free(table);
  add_notes(t, out);
  if (st != WEIR_OK || !all) return st;
  struct weir_sim_result sum = {0};
  for (size_t i = 0; i < t->kernels.n; i++) {
    const struct weir_sim_result *r = &t->kernels.v[i].result;
    weir_stat_sum(weir_sm_stat_table, &sum.sm, &r->sm);
    weir_stat_sum(weir_l1_stat_table, &sum.l1, &r->l1);
    weir_stat_sum(weir_l2_stat_table, &sum.l2, &r->l2);
    weir_stat_sum(weir_dram_stat_table, &sum.dram, &r->dram);
  }
  weir_text_puts(out, "\n");
  st = weir_stat_text(weir_sm_stat_table, "sm", &sum.sm, out, err);
  if (st == WEIR_OK) st = weir_stat_text(weir_l1_stat_table, "l1", &sum.l1, out, err);
  if (st == WEIR_OK) st = weir_stat_text(weir_l2_stat_table, "l2", &sum.l2, out, err);
  if (st == WEIR_OK) st = weir_stat_text(weir_dram_stat_table, "dram", &sum.dram, out, err);
  return st;
}

json_t *weir_timing_json(const struct weir_sim_result *r, const struct weir_kernel_info *k) {
  return json_pack("{s:I, s:i, s:s, s:o, s:b, s:o, s:o, s:o, s:o}", "cycles", (json_int_t)r->cycles,
                   "blocks_per_sm", (int)r->blocks_per_sm, "blocks_limited_by", r->limited_by,
                   "registers_per_thread",
                   k->regs_per_thread != 0 ? json_integer(k->regs_per_thread) : json_null(),
                   "registers_estimated", (int)k->regs_estimated, "sm",
                   weir_stat_json(weir_sm_stat_table, &r->sm), "l1",
                   weir_stat_json(weir_l1_stat_table, &r->l1), "l2",
                   weir_stat_json(weir_l2_stat_table, &r->l2), "dram",
                   weir_stat_json(weir_dram_stat_table, &r->dram));
}

void weir_timing_end(struct weir_timing *t) {
  weir_sim_free(t->sim);
  for (size_t i = 0; i < t->kernels.n; i++) {
    free(t->kernels.v[i].workload);
    free(t->kernels.v[i].kernel);
  }
  free(t->kernels.v);
  *t = (struct weir_timing){0};
}
