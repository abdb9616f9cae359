#include "session/timing.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "session/ceiling.h"

void weir_timing_begin(struct weir_timing *t, const struct weir_setup *setup,
                       const struct weir_timing_options *o) {
  *t = (struct weir_timing){.setup = setup, .options = *o};
}

/* ---- the simulator ---- */

static bool watch(void *self, uint64_t cycle, uint64_t blocks) {
  const struct weir_timing *t = self;
  return t->options.progress(t->options.self, t, cycle, blocks);
}

enum weir_status weir_timing_restart(struct weir_timing *t, struct weir_err *err) {
  struct weir_sim_options o = {
      .threads = t->options.threads, .watchdog = WEIR_WATCHDOG_CYCLES, .check = t->options.check};
  o.sampler = t->options.sampler;
  o.clocks = t->options.clocks;
  o.tape = t->options.check || t->options.read_tape != NULL;
  if (t->options.progress != NULL) {
    o.progress = watch;
    o.self = t;
  }
  if (t->prepared.tags != NULL) {
    o.tags = weir_tags_match;
    o.tags_self = t->prepared.tags;
  }
  weir_sim_free(t->sim);
  t->sim = NULL;
  t->design = t->setup->design;
  t->design.org_rows = t->prepared.org_rows;
  for (uint32_t i = 0; i < t->design.n_policies; i++)
    t->design.policy[i].rows = t->prepared.rows[i];
  return weir_setup_sim(t->setup, &t->design, &o, &t->sim, err);
}

enum weir_status weir_timing_workload(struct weir_timing *t, const char *workload,
                                      const struct weir_prepared *prepared, struct weir_err *err) {
  enum weir_status st = weir_timing_rewind(t, err);
  if (st != WEIR_OK) return st;
  t->workload = workload;
  t->prepared = prepared != NULL ? *prepared : (struct weir_prepared){0};
  t->first = t->kernels.n;
  t->sum = (struct weir_sim_result){0};
  return weir_timing_restart(t, err);
}

/* ---- tapes ---- */

enum weir_status weir_timing_rewind(struct weir_timing *t, struct weir_err *err) {
  enum weir_status st = WEIR_OK;
  struct weir_tape *tape;
  if (t->sim == NULL) return WEIR_OK;
  for (uint32_t i = 0; st == WEIR_OK && (tape = weir_sim_tape(t->sim, i)) != NULL; i++) {
    if (tape->n == 0) continue;
    if (t->options.check) st = weir_ceiling_check(t, i, tape, err);
    if (st == WEIR_OK && t->options.read_tape != NULL)
      st = t->options.read_tape(t->options.tape_self, t, i, tape, err);
    tape->n = 0;
  }
  return st;
}

/* Nothing that an L1 has can come from an earlier kernel: what was taped stands by itself. */
static bool is_emptied(const struct weir_machine *m) {
  return m->l1.flush_on_kernel || m->l1.unified_bytes > 0;
}

/* ---- rows ---- */

static char *copy_text(const char *text) {
  size_t n = strlen(text) + 1;
  char *copy = weir_malloc(n);
  return copy != NULL ? memcpy(copy, text, n) : NULL;
}

/* The kernel's table of instructions does not outlive its launch: copied. */
static bool copy_insns(struct weir_timed_kernel *row, const struct weir_kernel_info *k,
                       uint32_t n_sms) {
  row->insns = weir_calloc(k->n_insns + 1, sizeof *row->insns);
  row->insn_stats = weir_calloc(k->n_insns + 1, sizeof *row->insn_stats);
  row->files = weir_calloc(k->n_files + 1, sizeof *row->files);
  row->units = weir_calloc(n_sms, sizeof *row->units);
  if (row->insns == NULL || row->insn_stats == NULL || row->files == NULL || row->units == NULL)
    return false;
  row->n_insns = k->n_insns;
  row->reads_clock = k->reads_clock;
  row->n_units = n_sms;
  if (k->n_insns > 0) memcpy(row->insns, k->insns, k->n_insns * sizeof *row->insns);
  for (; row->n_files < k->n_files; row->n_files++) {
    const char *name = k->files[row->n_files]; /* numbers of files may have gaps */
    if (name != NULL && (row->files[row->n_files] = copy_text(name)) == NULL) return false;
  }
  return true;
}

/* Launches of one kernel are one row. */
static struct weir_timed_kernel *row_of(struct weir_timing *t, const struct weir_kernel_info *k) {
  for (size_t i = t->first; i < t->kernels.n; i++)
    if (strcmp(t->kernels.v[i].kernel, k->name) == 0 && t->kernels.v[i].n_insns == k->n_insns)
      return &t->kernels.v[i];
  struct weir_timed_kernel row = {.workload = copy_text(t->workload), .kernel = copy_text(k->name)};
  if (row.workload == NULL || row.kernel == NULL || !WEIR_PUSH(t->kernels, row)) {
    free(row.workload);
    free(row.kernel);
    return NULL;
  }
  struct weir_timed_kernel *at = &t->kernels.v[t->kernels.n - 1];
  return copy_insns(at, k, (uint32_t)t->setup->machine.sm.count) ? at : NULL;
}

/* False: out of memory. */
static bool add_details(struct weir_timing *t, struct weir_timed_kernel *row) {
  uint32_t n;
  const struct weir_sim_unit *u = weir_sim_units(t->sim, &n);
  for (uint32_t i = 0; i < n; i++) {
    row->units[i].cycles += u[i].cycles;
    weir_stat_sum(weir_sm_stat_table, &row->units[i].sm, &u[i].sm);
    weir_stat_sum(weir_l1_stat_table, &row->units[i].l1, &u[i].l1);
  }
  const struct weir_pc_stats *p = weir_sim_insns(t->sim, &n);
  for (uint32_t i = 0; i < n; i++)
    weir_stat_sum(weir_pc_stat_table, &row->insn_stats[i], &p[i]);
  const struct weir_clock_pairs *clocks = weir_sim_clocks(t->sim);
  return clocks == NULL || weir_clock_pairs_join(&row->clocks, clocks);
}

/* ---- the loop ---- */

static enum weir_status run_launch(struct weir_timing *t, struct weir_block_source *source,
                                   struct weir_err *err) {
  const struct weir_kernel_info *kernel = source->kernel;
  t->preferring = *kernel;
  t->preferring.carveout = weir_launch_carveout(&t->setup->launch, kernel->carveout);
  if (t->preferring.carveout != kernel->carveout) source->kernel = &t->preferring;
  t->running = source->kernel;
  enum weir_status st = weir_sim_kernel(t->sim, source, &t->last, err);
  t->running = NULL;
  source->kernel = kernel;
  if (t->options.ended != NULL) t->options.ended(t->options.self);
  return st;
}

static enum weir_status time_launch(struct weir_timing *t, struct weir_block_source *source,
                                    struct weir_err *err) {
  enum weir_status st = run_launch(t, source, err);
  if (st != WEIR_OK) return st;
  struct weir_timed_kernel *row = row_of(t, source->kernel);
  if (row == NULL) return weir_fail(err, WEIR_ENOMEM, "out of memory");
  t->launches++;
  row->launches++;
  row->registers = source->kernel->regs_per_thread;
  row->registers_got = weir_sm_registers(&t->setup->machine, source->kernel);
  row->regs_estimated = source->kernel->regs_estimated;
  weir_sim_result_add(&row->result, &t->last);
  weir_sim_result_add(&t->sum, &t->last);
  if (!add_details(t, row)) return weir_no_memory(err);
  const struct weir_timing_options *o = &t->options;
  if (is_emptied(&t->setup->machine)) st = weir_timing_rewind(t, err);
  if (st != WEIR_OK) return st;
  return o->rows != NULL ? weir_sim_rows(t->sim, o->rows_part, o->rows, err) : WEIR_OK;
}

/* The same, without leaving anything but what the caches and policies remember. */
static enum weir_status warm_up(struct weir_timing *t, struct weir_block_source *source,
                                struct weir_err *err) {
  enum weir_status st = run_launch(t, source, err);
  if (st == WEIR_OK && is_emptied(&t->setup->machine)) st = weir_timing_rewind(t, err);
  if (st == WEIR_OK) weir_sim_repeat(t->sim);
  return st;
}

static enum weir_status time_twice(struct weir_timing *t, struct weir_block_source *source,
                                   struct weir_err *err) {
  struct weir_kept_launch kept;
  struct weir_block_source *again;
  enum weir_status st = weir_launch_keep(&kept, source, err);
  for (unsigned i = 0; st == WEIR_OK && i < 2; i++) {
    st = weir_launch_again(&kept, &again, err);
    if (st != WEIR_OK) break;
    st = i == 0 ? warm_up(t, again, err) : time_launch(t, again, err);
    weir_wtrace_source_close(again);
  }
  weir_launch_free(&kept);
  return st;
}

/* Who reads what an L1 has accepted, or what policies prepare, wants each launch once. */
static bool is_warmed(const struct weir_timing *t) {
  return t->setup->launch.l2 == WEIR_L2_WARM && t->options.read_tape == NULL &&
         t->options.rows == NULL;
}

enum weir_status weir_timing_kernel(void *self, struct weir_block_source *source,
                                    struct weir_err *err) {
  struct weir_timing *t = self;
  return is_warmed(t) ? time_twice(t, source, err) : time_launch(t, source, err);
}

enum weir_status weir_timing_digest(struct weir_timing *t, struct weir_err *err) {
  return weir_sim_digest(t->sim, t->options.rows_part, t->options.rows, err);
}

/* ---- afterwards ---- */

enum weir_status weir_timing_join(struct weir_timing *into, struct weir_timing *t,
                                  struct weir_err *err) {
  size_t moved = 0;
  while (moved < t->kernels.n && WEIR_PUSH(into->kernels, t->kernels.v[moved]))
    moved++;
  bool is_whole = moved == t->kernels.n;
  t->kernels.n -= moved;
  if (moved > 0) memmove(t->kernels.v, t->kernels.v + moved, t->kernels.n * sizeof *t->kernels.v);
  weir_timing_end(t);
  return is_whole ? WEIR_OK : weir_fail(err, WEIR_ENOMEM, "out of memory");
}

void weir_timing_total(const struct weir_timing *t, struct weir_sim_result *sum) {
  *sum = (struct weir_sim_result){0};
  for (size_t i = 0; i < t->kernels.n; i++)
    weir_sim_result_add(sum, &t->kernels.v[i].result);
}

enum weir_status weir_timing_check(struct weir_timing *t, struct weir_err *err) {
  enum weir_status st = weir_timing_rewind(t, err);
  for (size_t i = 0; st == WEIR_OK && i < t->kernels.n; i++)
    st = weir_setup_check(&t->kernels.v[i].result, err);
  return st;
}

void weir_timing_stop(struct weir_timing *t) {
  weir_sim_free(t->sim);
  t->sim = NULL;
}

static void free_row(struct weir_timed_kernel *k) {
  free(k->workload);
  free(k->kernel);
  for (uint32_t f = 0; f < k->n_files; f++)
    free(k->files[f]);
  free(k->files);
  free(k->insns);
  free(k->insn_stats);
  free(k->units);
  weir_clock_pairs_free(&k->clocks);
}

void weir_timing_end(struct weir_timing *t) {
  weir_timing_stop(t);
  for (size_t i = 0; i < t->kernels.n; i++)
    free_row(&t->kernels.v[i]);
  free(t->kernels.v);
  *t = (struct weir_timing){0};
}
