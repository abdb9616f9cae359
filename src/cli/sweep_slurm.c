/* weir sweep ... --slurm: what is missing in the store is dealt out to the tasks of a job array. */
#include "cli/sweep_slurm.h"

#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/number.h"
#include "cli/cmd.h"
#include "cli/job.h"
#include "cli/sweep.h"
#include "study/recorded.h"

enum { USUAL_TASKS = 16, MOST_TASKS = 100000 };

/* ---- options ---- */

static enum weir_status set_array(struct weir_slurm *s, struct weir_arena *a, const char *text,
                                  struct weir_err *err) {
  const char *percent = strchr(text, '%');
  size_t len = percent != NULL ? (size_t)(percent - text) : strlen(text);
  const char *first = weir_arena_strndup(a, text, len);
  int64_t n = 0, at_once = MOST_TASKS;
  if (first == NULL) return weir_no_memory(err);
  bool is_good = weir_parse_int(first, &n) && n >= 1 && n <= MOST_TASKS;
  if (percent != NULL) is_good = is_good && weir_parse_int(percent + 1, &at_once) && at_once >= 1;
  if (!is_good)
    return weir_fail(err, WEIR_EINVAL,
                     "--array %s: want a number of tasks, from 1 to %d, or N%%M: M at a time", text,
                     MOST_TASKS);
  s->most_tasks = (uint32_t)n;
  s->at_once = percent != NULL && at_once < n ? (uint32_t)at_once : 0;
  return WEIR_OK;
}

/* Others than those that weir gives itself, and has to. */
static enum weir_status add_sbatch_option(struct weir_slurm *s, const char *text,
                                          struct weir_err *err) {
  static const struct {
    const char *name, *letter, *instead;
  } taken[] = {{"--array", "-a", "--array of weir"},
               {"--dependency", "-d", NULL},
               {"--output", "-o", NULL},
               {"--chdir", "-D", NULL},
               {"--parsable", "--parsable", NULL},
               {"--wrap", "--wrap", NULL},
               {"--test-only", "--test-only", "--dry-run"},
               {"--wait", "-W", NULL},
               {"--clusters", "-M", "a login node of that cluster"},
               {"--cluster", "--cluster", "a login node of that cluster"},
               {"--ntasks", "-n", NULL},
               {"--cpus-per-task", "-c", "--jobs N"}};
  size_t n = strcspn(text, "=");
  if (text[0] != '-' || text[1] == '\0')
    return weir_fail(err, WEIR_EINVAL,
                     "--sbatch-option %s: want an option of sbatch, such as --constraint=avx2",
                     text);
  for (size_t i = 0; i < sizeof taken / sizeof *taken; i++) {
    bool is_long = strlen(taken[i].name) == n && strncmp(taken[i].name, text, n) == 0;
    bool is_short = text[1] != '-' && strncmp(taken[i].letter, text, 2) == 0;
    if (!is_long && !is_short) continue;
    weir_fail(err, WEIR_EINVAL, "--sbatch-option %s: %s is weir's to set", text, taken[i].name);
    if (taken[i].instead != NULL) weir_err_add(err, "remedy: %s", taken[i].instead);
    return WEIR_EINVAL;
  }
  return WEIR_PUSH(s->extra, text) ? WEIR_OK : weir_no_memory(err);
}

static enum weir_status set_text(const char *option, const char *value, const char **out,
                                 struct weir_err *err) {
  *out = value;
  return value[0] != '\0' ? WEIR_OK
                          : weir_fail(err, WEIR_EINVAL, "--%s: its value is empty", option);
}

enum weir_status weir_slurm_option(struct weir_comparison *c, int id, const char *value,
                                   struct weir_err *err) {
  static const char *const names[] = {"slurm",   "array", "partition",     "time",
                                      "account", "qos",   "sbatch-option", "dry-run"};
  if (c->slurm == NULL) c->slurm = weir_arena_alloc(&c->arena, sizeof *c->slurm);
  struct weir_slurm *s = c->slurm;
  if (s == NULL) return weir_no_memory(err);
  const char *name = names[id - WEIR_SLURM_ON];
  if (id != WEIR_SLURM_ON && s->needs_it == NULL) s->needs_it = name;
  switch (id) {
  case WEIR_SLURM_ON:
    s->is_on = true;
    return WEIR_OK;
  case WEIR_SLURM_ARRAY:
    return set_array(s, &c->arena, value, err);
  case WEIR_SLURM_PARTITION:
    return set_text(name, value, &s->partition, err);
  case WEIR_SLURM_TIME:
    return set_text(name, value, &s->time, err);
  case WEIR_SLURM_ACCOUNT:
    return set_text(name, value, &s->account, err);
  case WEIR_SLURM_QOS:
    return set_text(name, value, &s->qos, err);
  case WEIR_SLURM_OPTION:
    return add_sbatch_option(s, value, err);
  default:
    s->is_dry = true;
    return WEIR_OK;
  }
}

int weir_slurm_check(const struct weir_comparison *c, const char *command) {
  const struct weir_slurm *s = c->slurm;
  if (s == NULL) return -1;
  if (!s->is_on) return weir_cli_usage(command, "--%s goes with --slurm", s->needs_it);
  if (c->programs.n > 0)
    return weir_cli_usage(command,
                          "a program runs here, not on a cluster: record it, and sweep the trace:\n"
                          "  weir record -o app.wtrace -- PROGRAM");
  return -1;
}

void weir_slurm_free(struct weir_slurm *s) {
  if (s == NULL) return;
  free(s->extra.v);
  free(s->line.v);
}

/* ---- what workers are told ---- */

static const char *name_of(const struct weir_usage *u, int id) {
  const struct weir_opt *o = u->opts;
  while (o->name != NULL && o->id != id)
    o++;
  return o->name;
}

/* What the plan says, or what is said otherwise. */
static bool is_for_workers(int id) {
  return !weir_is_slurm_option(id) && id != WEIR_CMP_STORE && id != WEIR_CMP_JOBS &&
         id != WEIR_CMP_MEMORY && id != WEIR_CMP_RETRY && id != WEIR_CMP_QUIET &&
         id != WEIR_SWEEP_ONLY_FAILED;
}

static enum weir_status make_line(struct weir_comparison *c, int argc, char **argv,
                                  const struct weir_usage *u, struct weir_err *err) {
  struct weir_slurm *s = c->slurm;
  struct weir_args args = {.argc = argc, .argv = argv, .at = 1};
  bool retries = false, ok = true;
  s->cpus = 1;
  s->memory = c->study.memory;
  for (int id; ok && (id = weir_opt_next(&args, u)) != WEIR_OPT_END && id != WEIR_OPT_DONE;) {
    const char *word = args.value;
    if (id == WEIR_CMP_JOBS) s->cpus = c->jobs;
    retries |= id == WEIR_CMP_RETRY || id == WEIR_SWEEP_ONLY_FAILED;
    if (id != WEIR_OPT_WORD && !is_for_workers(id)) continue;
    if (id != WEIR_OPT_WORD)
      word = args.value != NULL
                 ? weir_arena_printf(&c->arena, "--%s=%s", name_of(u, id), args.value)
                 : weir_arena_printf(&c->arena, "--%s", name_of(u, id));
    ok = word != NULL && WEIR_PUSH(s->line, word);
  }
  if (ok && retries) ok = WEIR_PUSH(s->line, "--retry");
  return ok ? WEIR_OK : weir_no_memory(err);
}

static enum weir_status make_paths(struct weir_comparison *c, struct weir_err *err) {
  struct weir_slurm *s = c->slurm;
  char cwd[PATH_MAX], program[PATH_MAX];
  ssize_t n = readlink("/proc/self/exe", program, sizeof program - 1);
  if (n < 0 || getcwd(cwd, sizeof cwd) == NULL)
    return weir_fail(err, WEIR_EIO, "cannot find out where weir or this folder is: %s",
                     strerror(errno));
  s->program = weir_arena_strndup(&c->arena, program, (size_t)n);
  s->cwd = weir_arena_strndup(&c->arena, cwd, strlen(cwd));
  s->store = c->store_path[0] == '/' ? c->store_path
                                     : weir_arena_printf(&c->arena, "%s/%s", cwd, c->store_path);
  s->folder = s->store != NULL ? weir_arena_printf(&c->arena, "%s.slurm", s->store) : NULL;
  return s->program != NULL && s->cwd != NULL && s->folder != NULL ? WEIR_OK : weir_no_memory(err);
}

/* ---- what there is ---- */

struct look {
  struct weir_comparison *c;
  struct weir_keeper *keeper;
  size_t n_runs, n_all; /* all: but for those that are not meant */
  enum weir_stored *merged, *best;
  double *costs; /* of those to be run */
  uint32_t *shards;
  size_t *runs; /* to be run */
  size_t n_todo, n_merged, n_apart, n_failed;
};

static bool is_meant(const struct weir_study *s, size_t run) {
  struct weir_study_place at = weir_study_place(s, run);
  return !weir_study_setup(s, at.gpu, at.scheme)->is_left;
}

static bool is_unprepared(const struct weir_study *s, size_t run) {
  struct weir_study_place at = weir_study_place(s, run);
  const struct weir_study_prep *prep = weir_study_prep(s, at.workload, at.gpu, at.scheme);
  for (uint32_t i = 0; prep != NULL && i < prep->n_made; i++)
    if (!prep->made[i]->is_kept) return true;
  return false;
}

static bool is_better(enum weir_stored a, enum weir_stored than) {
  static const int rank[] = {[WEIR_STORED_NONE] = 0,
                             [WEIR_STORED_FAILED] = 1,
                             [WEIR_STORED_REFUSED] = 2,
                             [WEIR_STORED_OK] = 2};
  return rank[a] > rank[than];
}

static enum weir_status look_at(struct look *l, const char *path, bool is_merged,
                                struct weir_err *err) {
  const struct weir_study *s = &l->c->study;
  struct weir_store *store = NULL;
  if (access(path, F_OK) != 0 || weir_store_is_empty(path)) return WEIR_OK;
  enum weir_status st = weir_store_open(path, WEIR_STORE_READ, NULL, &store, err);
  for (size_t i = 0; st == WEIR_OK && i < l->n_runs; i++) {
    enum weir_stored was = WEIR_STORED_NONE;
    if (!is_meant(s, i)) continue;
    st = weir_keeper_has(l->keeper, store, i, &was, err);
    if (is_merged) l->merged[i] = was;
    if (is_better(was, l->best[i])) l->best[i] = was;
  }
  if (st == WEIR_OK) st = weir_keeper_learn(l->keeper, store, err);
  weir_store_close(store);
  return st;
}

static int is_store_name(const struct dirent *e) {
  size_t n = strlen(e->d_name);
  return n > 3 && e->d_name[0] != '.' && strcmp(e->d_name + n - 3, ".db") == 0;
}

static enum weir_status look_at_shards(struct look *l, const char *folder, struct weir_err *err) {
  struct dirent **entries = NULL;
  enum weir_status st = WEIR_OK;
  int n = scandir(folder, &entries, is_store_name, alphasort);
  if (n < 0 && errno != ENOENT)
    return weir_fail(err, WEIR_EIO, "cannot read the folder '%s': %s", folder, strerror(errno));
  for (int i = 0; i < n; i++) {
    const char *path = weir_arena_printf(&l->c->arena, "%s/%s", folder, entries[i]->d_name);
    if (st == WEIR_OK) st = path != NULL ? look_at(l, path, false, err) : weir_no_memory(err);
    free(entries[i]);
  }
  free(entries);
  return st;
}

static bool is_todo(const struct look *l, size_t run) {
  const struct weir_keeper_options *o = &l->c->keeping;
  if (l->best[run] == WEIR_STORED_FAILED) return o->retry || o->only_failed;
  return l->best[run] == WEIR_STORED_NONE && !o->only_failed;
}

/* A set-up that is refused takes no time. */
static double cost_of(const struct weir_study *s, const double *costs, size_t run) {
  struct weir_study_place at = weir_study_place(s, run);
  return weir_study_setup(s, at.gpu, at.scheme)->error != NULL ? 0 : costs[run];
}

static enum weir_status count(struct look *l, struct weir_err *err) {
  const double *costs;
  enum weir_status st = weir_keeper_costs(l->keeper, &costs, err);
  for (size_t i = 0; st == WEIR_OK && i < l->n_runs; i++) {
    if (!is_meant(&l->c->study, i)) continue;
    l->n_all++;
    l->n_failed += l->best[i] == WEIR_STORED_FAILED;
    l->n_merged += l->merged[i] != WEIR_STORED_NONE;
    l->n_apart += is_better(l->best[i], l->merged[i]);
    if (!is_todo(l, i)) continue;
    l->runs[l->n_todo] = i;
    l->costs[l->n_todo++] = cost_of(&l->c->study, costs, i);
  }
  return st;
}

static enum weir_status look(struct look *l, struct weir_err *err) {
  struct weir_comparison *c = l->c;
  struct weir_arena *a = &c->arena;
  l->n_runs = weir_study_n_runs(&c->study);
  l->merged = weir_arena_array(a, l->n_runs + 1, sizeof *l->merged);
  l->best = weir_arena_array(a, l->n_runs + 1, sizeof *l->best);
  l->costs = weir_arena_array(a, l->n_runs + 1, sizeof *l->costs);
  l->shards = weir_arena_array(a, l->n_runs + 1, sizeof *l->shards);
  l->runs = weir_arena_array(a, l->n_runs + 1, sizeof *l->runs);
  const char *shards = weir_slurm_path(c->slurm, a, "shards");
  if (l->merged == NULL || l->best == NULL || l->costs == NULL || l->shards == NULL ||
      l->runs == NULL || shards == NULL)
    return weir_no_memory(err);
  enum weir_status st =
      weir_keeper_new(&c->study, &(struct weir_keeper_options){0}, &l->keeper, err);
  if (st == WEIR_OK) st = look_at(l, c->slurm->store, true, err);
  if (st == WEIR_OK) st = look_at_shards(l, shards, err);
  return st == WEIR_OK ? count(l, err) : st;
}

/* ---- what is to be done ---- */

/* A first job, if a task would have to do what others need, too. */
static bool is_preparing_needed(const struct look *l) {
  const struct weir_study *s = &l->c->study;
  for (size_t i = 0; i < l->n_todo; i++) {
    const struct weir_study_workload *w = &s->workloads[weir_study_place(s, l->runs[i]).workload];
    if (w->streams != NULL && access(w->streams, R_OK) != 0) return true;
    if (is_unprepared(s, l->runs[i])) return true;
  }
  return false;
}

static enum weir_status plan(struct look *l, struct weir_plan *p, struct weir_err *err) {
  struct weir_slurm *s = l->c->slurm;
  uint32_t most = s->most_tasks > 0 ? s->most_tasks : USUAL_TASKS;
  s->n_tasks = l->n_todo < most ? (uint32_t)l->n_todo : most;
  s->is_wanted[WEIR_SLURM_PREPARE] = is_preparing_needed(l);
  s->is_wanted[WEIR_SLURM_TASKS] = l->n_todo > 0;
  s->is_wanted[WEIR_SLURM_MERGE] = l->n_todo > 0 || l->n_apart > 0;
  p->n_shards = s->n_tasks;
  if (l->n_todo == 0) return WEIR_OK;
  enum weir_status st = weir_plan_deal(l->costs, l->n_todo, s->n_tasks, l->shards, err);
  size_t next = 0;
  for (size_t i = 0; st == WEIR_OK && i < l->n_runs; i++) {
    struct weir_plan_row row = {.shard = 0};
    if (!is_meant(&l->c->study, i)) continue;
    if (next < l->n_todo && l->runs[next] == i) row.shard = l->shards[next++];
    st = weir_keeper_point(l->keeper, i, row.point, err);
    if (st == WEIR_OK && !WEIR_PUSH(*p, row)) st = weir_no_memory(err);
  }
  return st;
}

static void say_counts(const struct look *l, struct weir_text *out) {
  const struct weir_comparison *c = l->c;
  weir_text_printf(out, "%zu runs: %zu in %s", l->n_all, l->n_merged, c->store_path);
  if (l->n_apart > 0)
    weir_text_printf(out, ", %zu more in %s.slurm/shards", l->n_apart, c->store_path);
  if (l->n_failed > 0) weir_text_printf(out, ", %zu failed", l->n_failed);
  if (l->n_todo > 0)
    weir_text_printf(out, "; %zu to run in %" PRIu32 " task%s", l->n_todo, c->slurm->n_tasks,
                     c->slurm->n_tasks > 1 ? "s" : "");
  weir_text_puts(out, "\n");
}

static void say_submitted(const struct look *l, const char *const ids[WEIR_SLURM_KINDS],
                          struct weir_text *out) {
  static const char *const does[] = {"prepares", "runs", "merges"};
  const char *mark = "submitted: ";
  for (enum weir_slurm_kind i = 0; i < WEIR_SLURM_KINDS; i++) {
    if (ids[i] == NULL) continue;
    weir_text_printf(out, "%sjob %s %s", mark, ids[i], does[i]);
    mark = ", ";
  }
  weir_text_printf(out,
                   "\nscripts and logs are in %s.slurm; the same command again submits what is "
                   "missing when they have ended\n",
                   l->c->store_path);
}

static enum weir_status make_folders(const struct weir_slurm *s, struct weir_arena *a,
                                     struct weir_err *err) {
  static const char *const names[] = {"", "logs", "streams", "shards", "cache"};
  for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
    const char *path = *names[i] == '\0' ? s->folder : weir_slurm_path(s, a, names[i]);
    if (path == NULL) return weir_no_memory(err);
    if (mkdir(path, 0777) == 0 || errno == EEXIST) continue;
    weir_fail(err, WEIR_EIO, "cannot make the folder '%s': %s", path, strerror(errno));
    weir_err_add(err, "remedy: a store in a folder that may be written, and that all nodes see");
    return WEIR_EIO;
  }
  return WEIR_OK;
}

static enum weir_status submit(struct look *l, struct weir_plan *p, struct weir_text *out,
                               struct weir_err *err) {
  const struct weir_slurm *s = l->c->slurm;
  struct weir_arena *a = &l->c->arena;
  const char *jobs, *ids[WEIR_SLURM_KINDS], *path = weir_slurm_path(s, a, "plan");
  if (path == NULL) return weir_no_memory(err);
  enum weir_status st = weir_slurm_is_here(err);
  if (st == WEIR_OK) st = weir_slurm_active(s, a, &jobs, err);
  if (st != WEIR_OK) return st;
  if (jobs != NULL) {
    weir_text_printf(out, "nothing is submitted: its jobs still wait or run: %s\n", jobs);
    return WEIR_OK;
  }
  st = make_folders(s, a, err);
  if (st == WEIR_OK && l->n_todo > 0) st = weir_plan_write(p, path, err);
  if (st == WEIR_OK) st = weir_slurm_submit(s, a, ids, err);
  if (st == WEIR_OK) say_submitted(l, ids, out);
  return st;
}

/* ---- all of it ---- */

/* The store is not opened for writing: a job does that. */
static enum weir_status open_comparison(struct weir_comparison *c, struct weir_err *err) {
  const char *store = c->store_path, *streams = weir_slurm_path(c->slurm, &c->arena, "streams");
  const char *cache = weir_slurm_path(c->slurm, &c->arena, "cache");
  bool retry = c->keeping.retry;
  if (streams == NULL || cache == NULL || setenv("WEIR_CACHE", cache, 1) != 0)
    return weir_no_memory(err);
  c->store_path = NULL;
  c->keeping.retry = false;
  enum weir_status st = weir_comparison_open(c, err);
  c->store_path = store;
  c->keeping.retry = retry;
  if (st == WEIR_OK) st = weir_study_check_metrics(c, err);
  if (st == WEIR_OK) st = weir_comparison_provenance(c, true, err);
  if (st == WEIR_OK)
    st = weir_recorded_names(&c->study, &c->exec_settings, streams, &c->arena, err);
  return st == WEIR_OK ? weir_comparison_name_preps(c, err) : st;
}

static enum weir_status sweep(struct look *l, struct weir_text *out, struct weir_err *err) {
  struct weir_comparison *c = l->c;
  struct weir_plan p = {0};
  enum weir_status st = open_comparison(c, err);
  if (st == WEIR_OK) st = look(l, err);
  if (st == WEIR_OK) st = plan(l, &p, err);
  if (st == WEIR_OK) say_counts(l, out);
  if (st == WEIR_OK && c->slurm->is_wanted[WEIR_SLURM_MERGE])
    st =
        c->slurm->is_dry ? weir_slurm_show(c->slurm, &c->arena, out, err) : submit(l, &p, out, err);
  else if (st == WEIR_OK && l->n_failed > 0)
    weir_text_puts(out, "nothing is submitted; --retry runs again what failed\n");
  weir_plan_free(&p);
  return st;
}

int weir_slurm_sweep(struct weir_comparison *c, int argc, char **argv, const struct weir_usage *u) {
  struct look l = {.c = c};
  struct weir_text out = {0};
  struct weir_err err;
  enum weir_status st = make_paths(c, &err);
  if (st == WEIR_OK) st = make_line(c, argc, argv, u, &err);
  if (st == WEIR_OK) st = sweep(&l, &out, &err);
  int code = st == WEIR_OK ? WEIR_EXIT_OK : weir_cli_error(&err);
  if (st == WEIR_OK && (!c->quiet || c->slurm->is_dry)) code = weir_cli_print(&out);
  if (st == WEIR_OK && code == WEIR_EXIT_OK && l.n_todo == 0 && l.n_failed > 0)
    code = WEIR_EXIT_FAILED;
  weir_text_free(&out);
  weir_keeper_free(l.keeper);
  return code;
}
