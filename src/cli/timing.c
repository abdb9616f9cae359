#include "cli/timing.h"

#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/config.h"
#include "base/demangle.h"
#include "base/suggest.h"
#include "base/table.h"
#include "cli/cmd.h"
#include "cli/job.h"
#include "cli/prepare.h"
#include "machine/machine_file.h"

/* ---- machines ---- */

static int by_name(const void *a, const void *b) {
  return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* Files NAME.yaml of a data folder. */
static enum weir_status list_files(struct weir_arena *a, const char *what,
                                   const char *const **names, size_t *n, struct weir_err *err) {
  struct {
    const char **v;
    size_t n, cap;
  } list = {0};
  const char *folder = weir_arena_printf(a, "%s/%s", weir_cli_data_dir(), what);
  DIR *dir = folder != NULL ? opendir(folder) : NULL;
  if (dir == NULL)
    return weir_fail(err, WEIR_ENOENT, "cannot read the folder %s: %s",
                     folder != NULL ? folder : what, strerror(errno));
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

enum weir_status weir_cli_gpus(struct weir_arena *a, const char *const **names, size_t *n,
                               struct weir_err *err) {
  return list_files(a, "gpus", names, n, err);
}

enum weir_status weir_cli_schemes(struct weir_arena *a, const char *const **names, size_t *n,
                                  struct weir_err *err) {
  return list_files(a, "schemes", names, n, err);
}

static bool is_file_name(const char *gpu) {
  size_t n = strlen(gpu);
  return n > 5 && strcmp(gpu + n - 5, ".yaml") == 0;
}

/* The path of NAME.yaml in a data folder, or an error that names the nearest one. */
static enum weir_status find_file(struct weir_arena *a, const char *folder, const char *what,
                                  const char *name, const char **path, struct weir_err *err) {
  *path = name;
  if (is_file_name(name)) return WEIR_OK;
  const char *const *names;
  size_t n;
  enum weir_status st = list_files(a, folder, &names, &n, err);
  if (st != WEIR_OK) return st;
  for (size_t i = 0; i < n; i++)
    if (strcmp(names[i], name) == 0) {
      *path = weir_arena_printf(a, "%s/%s/%s.yaml", weir_cli_data_dir(), folder, name);
      return *path != NULL ? WEIR_OK : weir_fail(err, WEIR_ENOMEM, "out of memory");
    }
  weir_fail(err, WEIR_ENOENT, "there is no %s '%s'", what, name);
  const char *near = weir_nearest(name, names, n);
  if (near != NULL) weir_err_add(err, "did you mean '%s'?", near);
  weir_err_add(err, "'weir list %s' shows all; a file must end in .yaml", folder);
  return WEIR_ENOENT;
}

static enum weir_status machine_path(struct weir_arena *a, const char *gpu, const char **path,
                                     struct weir_err *err) {
  return find_file(a, "gpus", "machine", gpu, path, err);
}

enum weir_status weir_cli_scheme_path(struct weir_arena *a, const char *scheme, const char **path,
                                      struct weir_err *err) {
  return find_file(a, "schemes", "scheme", scheme, path, err);
}

static enum weir_status find_machine(void *self, struct weir_arena *a, const char *name,
                                     const char **path, struct weir_err *err) {
  (void)self;
  return machine_path(a, name, path, err);
}

enum weir_status weir_cli_gpu_settings(struct weir_settings *s, const char *gpu,
                                       struct weir_err *err) {
  struct weir_arena a = {0};
  const char *path;
  enum weir_status st = machine_path(&a, gpu, &path, err);
  if (st == WEIR_OK) st = weir_machine_load(s, path, find_machine, NULL, err);
  weir_arena_free(&a);
  return st;
}

/* ---- running ---- */

static bool watch(void *self, uint64_t cycle, uint64_t blocks);

static enum weir_status new_sim(struct weir_timing *t, struct weir_err *err) {
  struct weir_sim_options o = {
      .threads = t->threads, .watchdog = WEIR_WATCHDOG_CYCLES, .check = t->check};
  t->is_shown = isatty(STDERR_FILENO);
  if (t->is_shown || t->is_stoppable) {
    o.progress = watch;
    o.self = t;
  }
  if (t->tags != NULL) {
    o.tags = weir_tags_match;
    o.tags_self = t->tags;
  }
  weir_sim_free(t->sim);
  t->sim = NULL;
  return weir_setup_sim(&t->setup, &o, &t->sim, err);
}

static bool is_scheme(struct weir_arena *a, const char *name) {
  const char *path = weir_arena_printf(a, "%s/schemes/%s.yaml", weir_cli_data_dir(), name);
  return is_file_name(name) || (path != NULL && access(path, F_OK) == 0);
}

enum weir_status weir_cli_setup(struct weir_setup *setup, const char *scheme,
                                struct weir_settings *s, struct weir_err *err) {
  struct weir_arena a = {0};
  const char *path;
  const struct weir_policy_ops *policy = is_scheme(&a, scheme) ? NULL : weir_policy_find(scheme);
  enum weir_status st = weir_cli_scheme_path(&a, policy != NULL ? "baseline" : scheme, &path, err);
  if (st == WEIR_OK)
    st = weir_setup_load(setup, policy != NULL ? "baseline" : scheme, path, s, err);
  if (st == WEIR_OK && policy != NULL) st = weir_scheme_put_first(&setup->scheme, policy, err);
  weir_arena_free(&a);
  return st;
}

/* In the order of the command line, before what the scheme has. */
static enum weir_status put_plugins_first(struct weir_scheme *s, struct weir_err *err) {
  enum weir_status st = WEIR_OK;
  size_t n = 0;
  while (weir_policies[n] != NULL)
    n++;
  while (st == WEIR_OK && n-- > 0)
    if (weir_policy_file(weir_policies[n]) != NULL && !weir_scheme_has(s, weir_policies[n]))
      st = weir_scheme_put_first(s, weir_policies[n], err);
  return st;
}

/* A plug-in that is loaded and has no part in the run is a mistake. */
static enum weir_status check_plugins_used(const struct weir_scheme *s, const char *policies,
                                           struct weir_err *err) {
  for (size_t i = 0; weir_policies[i] != NULL; i++) {
    const char *file = weir_policy_file(weir_policies[i]), *name = weir_policies[i]->part.name;
    if (file == NULL || weir_scheme_has(s, weir_policies[i])) continue;
    weir_fail(err, WEIR_EINVAL, "policy %s of %s is not in --policies %s", name, file, policies);
    weir_err_add(err, "add it: --policies %s,%s", name, policies);
    return WEIR_EINVAL;
  }
  return WEIR_OK;
}

static enum weir_status load_line_up(struct weir_timing *t, struct weir_settings *s,
                                     const struct weir_line_up *l, struct weir_err *err) {
  struct weir_scheme *scheme = &t->setup.scheme;
  enum weir_status st =
      weir_cli_setup(&t->setup, l->scheme != NULL ? l->scheme : "baseline", s, err);
  if (st == WEIR_OK && l->tags != NULL) st = weir_setup_tags(&t->setup, l->tags, err);
  if (st == WEIR_OK) st = weir_scheme_change(scheme, l->organisation, l->policies, err);
  if (st != WEIR_OK) return st;
  return l->policies != NULL ? check_plugins_used(scheme, l->policies, err)
                             : put_plugins_first(scheme, err);
}

void weir_cli_watch_plugins(struct weir_setup *setup) {
  for (uint32_t i = 0; i < setup->design.n_policies; i++)
    setup->design.paranoid |= weir_policy_file(setup->design.policy[i].ops) != NULL;
}

enum weir_status weir_timing_begin(struct weir_timing *t, struct weir_settings *s, const char *gpu,
                                   const struct weir_line_up *line_up, uint32_t threads, bool check,
                                   struct weir_err *err) {
  *t = (struct weir_timing){.threads = threads, .check = check};
  enum weir_status st = load_line_up(t, s, line_up, err);
  if (st == WEIR_OK) st = weir_setup_fit(&t->setup, gpu, s, weir_cli_param_groups(), err);
  if (st == WEIR_OK && check) weir_cli_watch_plugins(&t->setup);
  return st == WEIR_OK && !weir_setup_is_prepared(&t->setup) ? new_sim(t, err) : st;
}

enum weir_status weir_timing_prepare(struct weir_timing *t, const struct weir_settings *s,
                                     const char *workload, const char *path, const char *input,
                                     struct weir_err *err) {
  struct weir_timed_profile new = {.workload = strdup(workload)};
  struct weir_cli_preparing r = {.workload = workload,
                                 .path = path,
                                 .input = input,
                                 .setup = &t->setup,
                                 .settings = s,
                                 .jobs = weir_cli_cores(),
                                 .check = t->check};
  t->tags = NULL;
  if (!weir_setup_is_prepared(&t->setup)) {
    free(new.workload);
    return WEIR_OK;
  }
  weir_cli_signals_hold();
  enum weir_status st = weir_cli_prepare(&r, &new.found, err);
  weir_cli_signals_release();
  if (st == WEIR_OK && weir_cli_signal() != 0) st = weir_fail(err, WEIR_ELIMIT, "interrupted");
  if (st == WEIR_OK && (new.workload == NULL || !WEIR_PUSH(t->profiles, new)))
    st = weir_fail(err, WEIR_ENOMEM, "out of memory");
  if (st != WEIR_OK) {
    free(new.workload);
    weir_preparation_free(&new.found);
    return st;
  }
  t->tags = t->profiles.v[t->profiles.n - 1].found.tags;
  return WEIR_OK;
}

enum weir_status weir_timing_restart(struct weir_timing *t, struct weir_err *err) {
  return new_sim(t, err);
}

void weir_timing_share(struct weir_timing *t, const struct weir_timing *from) {
  *t = (struct weir_timing){.setup = from->setup,
                            .is_shared = true,
                            .is_stoppable = from->is_stoppable,
                            .tags = from->tags,
                            .threads = from->threads,
                            .check = from->check};
}

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

enum weir_status weir_timing_workload(struct weir_timing *t, const char *workload,
                                      struct weir_err *err) {
  t->workload = workload;
  t->first = t->kernels.n;
  return new_sim(t, err);
}

/* The kernel's table of instructions does not outlive its launch: copied. */
static bool copy_insns(struct weir_timed_kernel *row, const struct weir_kernel_info *k,
                       uint32_t n_sms) {
  row->insns = calloc(k->n_insns + 1, sizeof *row->insns);
  row->insn_stats = calloc(k->n_insns + 1, sizeof *row->insn_stats);
  row->files = calloc(k->n_files + 1, sizeof *row->files);
  row->units = calloc(n_sms, sizeof *row->units);
  if (row->insns == NULL || row->insn_stats == NULL || row->files == NULL || row->units == NULL)
    return false;
  row->n_insns = k->n_insns;
  row->n_units = n_sms;
  if (k->n_insns > 0) memcpy(row->insns, k->insns, k->n_insns * sizeof *row->insns);
  for (; row->n_files < k->n_files; row->n_files++) {
    const char *name = k->files[row->n_files]; /* numbers of files may have gaps */
    if (name != NULL && (row->files[row->n_files] = strdup(name)) == NULL) return false;
  }
  return true;
}

/* Launches of one kernel are one row. */
static struct weir_timed_kernel *row_of(struct weir_timing *t, const struct weir_kernel_info *k) {
  for (size_t i = t->first; i < t->kernels.n; i++)
    if (strcmp(t->kernels.v[i].kernel, k->name) == 0 && t->kernels.v[i].n_insns == k->n_insns)
      return &t->kernels.v[i];
  struct weir_timed_kernel row = {.workload = strdup(t->workload), .kernel = strdup(k->name)};
  if (row.workload == NULL || row.kernel == NULL || !WEIR_PUSH(t->kernels, row)) {
    free(row.workload);
    free(row.kernel);
    return NULL;
  }
  struct weir_timed_kernel *at = &t->kernels.v[t->kernels.n - 1];
  return copy_insns(at, k, (uint32_t)t->setup.machine.sm.count) ? at : NULL;
}

static void add_details(struct weir_timing *t, struct weir_timed_kernel *row) {
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
}

/* ---- progress, on a terminal ---- */

enum { FIRST_MS = 2000, EVERY_MS = 200 };

uint64_t weir_cli_ms(void) {
  struct timespec ts;
  clock_gettime(CLOCK_MONOTONIC, &ts);
  return (uint64_t)ts.tv_sec * 1000 + (uint64_t)ts.tv_nsec / 1000000;
}

static void show_progress(struct weir_timing *t, uint64_t cycle, uint64_t blocks) {
  uint64_t now = weir_cli_ms();
  if (now < t->show_at) return;
  t->show_at = now + EVERY_MS;
  t->showed = true;
  double s = (double)(now - t->began) / 1000;
  uint64_t insns = weir_sim_issued(t->sim);
  char cycles[27], name[WEIR_DEMANGLED];
  fprintf(stderr, "\r\033[K%s %s: block %" PRIu64, t->workload,
          weir_demangle(t->running->name, name, sizeof name), blocks);
  if (t->n_blocks > 0)
    fprintf(stderr, " of %" PRIu64 " (%.0f %%)", t->n_blocks,
            100.0 * (double)blocks / (double)t->n_blocks);
  fprintf(stderr, ", %s cycles, %.2f M warp insns/s", weir_text_thousands(cycle, cycles),
          (double)insns / 1e6 / (s > 0 ? s : 1));
  /* Blocks are taken to be alike; the first say little. */
  if (blocks * 50 > t->n_blocks && blocks < t->n_blocks)
    fprintf(stderr, ", %.0f s left", s * (double)(t->n_blocks - blocks) / (double)blocks);
  fflush(stderr);
}

static bool watch(void *self, uint64_t cycle, uint64_t blocks) {
  struct weir_timing *t = self;
  if (t->is_shown) show_progress(t, cycle, blocks);
  return !t->is_stoppable || weir_cli_signal() == 0;
}

static void begin_progress(struct weir_timing *t, const struct weir_kernel_info *k) {
  t->running = k;
  t->n_blocks = weir_volume(k->grid);
  t->began = weir_cli_ms();
  t->show_at = t->began + FIRST_MS;
  t->showed = false;
}

enum weir_status weir_timing_kernel(void *self, struct weir_block_source *source,
                                    struct weir_err *err) {
  struct weir_timing *t = self;
  begin_progress(t, source->kernel);
  enum weir_status st = weir_sim_kernel(t->sim, source, &t->last, err);
  if (t->showed) fputs("\r\033[K", stderr);
  if (st != WEIR_OK) return st;
  struct weir_timed_kernel *row = row_of(t, source->kernel);
  if (row == NULL) return weir_fail(err, WEIR_ENOMEM, "out of memory");
  row->launches++;
  row->registers = source->kernel->regs_per_thread;
  row->registers_got = weir_sm_registers(&t->setup.machine, source->kernel);
  row->regs_estimated = source->kernel->regs_estimated;
  weir_sim_result_add(&row->result, &t->last);
  add_details(t, row);
  return WEIR_OK;
}

enum weir_status weir_timing_check(const struct weir_timing *t, struct weir_err *err) {
  enum weir_status st = WEIR_OK;
  for (size_t i = 0; st == WEIR_OK && i < t->kernels.n; i++)
    st = weir_setup_check(&t->kernels.v[i].result, err);
  return st;
}

void weir_timing_end(struct weir_timing *t) {
  weir_sim_free(t->sim);
  if (!t->is_shared) weir_setup_free(&t->setup);
  for (size_t i = 0; i < t->kernels.n; i++) {
    struct weir_timed_kernel *k = &t->kernels.v[i];
    free(k->workload);
    free(k->kernel);
    for (uint32_t f = 0; f < k->n_files; f++)
      free(k->files[f]);
    free(k->files);
    free(k->insns);
    free(k->insn_stats);
    free(k->units);
  }
  free(t->kernels.v);
  for (size_t i = 0; i < t->profiles.n; i++) {
    free(t->profiles.v[i].workload);
    weir_preparation_free(&t->profiles.v[i].found);
  }
  free(t->profiles.v);
  *t = (struct weir_timing){0};
}
