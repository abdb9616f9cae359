/* What Slurm is given: scripts, and the commands that submit them. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "cli/cmd.h"
#include "cli/sweep_slurm.h"

const char *weir_slurm_name(enum weir_slurm_kind kind) {
  static const char *const names[] = {"prepare", "tasks", "merge"};
  return names[kind];
}

const char *weir_slurm_path(const struct weir_slurm *s, struct weir_arena *a, const char *name) {
  return weir_arena_printf(a, "%s/%s", s->folder, name);
}

/* One word of a shell. */
static void put_word(struct weir_text *out, const char *word) {
  static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
                              "_./:=,@%+-";
  if (*word != '\0' && strspn(word, plain) == strlen(word)) {
    weir_text_puts(out, word);
    return;
  }
  weir_text_puts(out, "'");
  for (const char *at = word; *at != '\0'; at++) {
    if (*at == '\'')
      weir_text_puts(out, "'\\''");
    else
      weir_text_add(out, at, 1);
  }
  weir_text_puts(out, "'");
}

/* ---- scripts ---- */

static void put_path(const struct weir_slurm *s, const char *option, const char *name,
                     struct weir_text *out) {
  struct weir_text path = {0};
  weir_text_printf(&path, "%s/%s", s->folder, name);
  weir_text_printf(out, " --%s=", option);
  if (!path.failed) put_word(out, path.v);
  out->failed |= path.failed;
  weir_text_free(&path);
}

static void put_variable(const char *name, const char *value, struct weir_text *out) {
  weir_text_printf(out, "export %s=", name);
  put_word(out, value);
  weir_text_puts(out, "\n");
}

/* What it needs of where it was submitted; the rest of the environment is sbatch's business. */
static void put_environment(const struct weir_slurm *s, struct weir_text *out) {
  struct weir_text cache = {0};
  weir_text_printf(&cache, "%s/cache", s->folder);
  if (!cache.failed) put_variable("WEIR_CACHE", cache.v, out);
  out->failed |= cache.failed;
  weir_text_free(&cache);
  if (getenv("WEIR_DATA") != NULL) put_variable("WEIR_DATA", getenv("WEIR_DATA"), out);
}

/* Runs need what they need, and the process that starts them some, too. */
static void put_limits(const struct weir_slurm *s, struct weir_text *out) {
  weir_text_printf(out, " --jobs=%" PRIu32, s->cpus);
  if (s->memory > 0) weir_text_printf(out, " --memory=%" PRIu64, s->memory / 5 * 4);
}

static void put_worker(const struct weir_slurm *s, struct weir_text *out) {
  weir_text_puts(out, " worker");
  for (size_t i = 0; i < s->line.n; i++) {
    weir_text_puts(out, " ");
    put_word(out, s->line.v[i]);
  }
  put_path(s, "plan", "plan", out);
  put_path(s, "streams", "streams", out);
}

void weir_slurm_script(const struct weir_slurm *s, enum weir_slurm_kind kind,
                       struct weir_text *out) {
  static const char *const about[] = {
      "Before the tasks: streams are recorded, and what schemes need is prepared.",
      "One task: its share of the runs, into a store of its own. Started again, it goes on.",
      "After the tasks, whatever became of them: what they have goes into one store."};
  weir_text_printf(out, "#!/bin/sh\n# %s\n# Written by 'weir sweep --slurm'.\n", about[kind]);
  put_environment(s, out);
  weir_text_puts(out, "exec ");
  put_word(out, s->program);
  if (kind == WEIR_SLURM_MERGE) {
    weir_text_puts(out, " merge ");
    struct weir_text shards = {0};
    weir_text_printf(&shards, "%s/shards", s->folder);
    if (!shards.failed) put_word(out, shards.v);
    out->failed |= shards.failed;
    weir_text_free(&shards);
    weir_text_puts(out, " -o ");
    put_word(out, s->store);
    weir_text_puts(out, "\n");
    return;
  }
  put_worker(s, out);
  put_limits(s, out);
  if (kind == WEIR_SLURM_PREPARE)
    weir_text_puts(out, " --prepare");
  else
    weir_text_printf(out, " --shard=\"$SLURM_ARRAY_TASK_ID/%" PRIu32 "\"", s->n_tasks);
  if (kind == WEIR_SLURM_TASKS) put_path(s, "store", "shards", out);
  weir_text_puts(out, "\n");
}

/* ---- commands ---- */

/* In the name of a log a percent sign is the beginning of something. */
static const char *log_path(const struct weir_slurm *s, const char *name, struct weir_arena *a) {
  struct weir_text folder = {0};
  for (const char *at = s->folder; *at != '\0'; at++)
    weir_text_add(&folder, *at == '%' ? "%%" : at, *at == '%' ? 2 : 1);
  const char *path =
      folder.failed ? NULL : weir_arena_printf(a, "--output=%s/logs/%s.log", folder.v, name);
  weir_text_free(&folder);
  return path;
}

static bool add(struct weir_names *out, const char *word) {
  return word != NULL && WEIR_PUSH(*out, word);
}

/* "--NAME=VALUE"; none without a value. */
static bool add_value(struct weir_names *out, struct weir_arena *a, const char *name,
                      const char *value) {
  return value == NULL || add(out, weir_arena_printf(a, "--%s=%s", name, value));
}

static bool add_resources(const struct weir_slurm *s, enum weir_slurm_kind kind,
                          struct weir_arena *a, struct weir_names *out) {
  enum { MIB = 20 };
  uint32_t cpus = kind == WEIR_SLURM_MERGE ? 1 : s->cpus;
  bool ok =
      add(out, "--ntasks=1") && add(out, weir_arena_printf(a, "--cpus-per-task=%" PRIu32, cpus));
  if (s->memory > 0)
    ok = ok &&
         add(out, weir_arena_printf(a, "--mem=%" PRIu64 "M", (s->memory + (1 << MIB) - 1) >> MIB));
  ok = ok && add_value(out, a, "time", s->time) && add_value(out, a, "partition", s->partition) &&
       add_value(out, a, "account", s->account) && add_value(out, a, "qos", s->qos);
  for (size_t i = 0; ok && i < s->extra.n; i++)
    ok = add(out, s->extra.v[i]);
  return ok;
}

static bool add_array(const struct weir_slurm *s, struct weir_arena *a, struct weir_names *out) {
  return add(out, s->at_once > 0 ? weir_arena_printf(a, "--array=1-%" PRIu32 "%%%" PRIu32,
                                                     s->n_tasks, s->at_once)
                                 : weir_arena_printf(a, "--array=1-%" PRIu32, s->n_tasks));
}

/* On the command line, which wins over variables of the environment, as lines of a script would
 * not. */
bool weir_slurm_sbatch(const struct weir_slurm *s, enum weir_slurm_kind kind, const char *after,
                       struct weir_arena *a, struct weir_names *out) {
  const char *name = weir_slurm_name(kind);
  bool is_array = kind == WEIR_SLURM_TASKS;
  const char *log = weir_arena_printf(a, is_array ? "%s-%%A-%%a" : "%s-%%j", name);
  bool ok = log != NULL && add(out, "sbatch") && add(out, "--parsable") &&
            add(out, weir_arena_printf(a, "--job-name=weir-%s", name)) &&
            add_value(out, a, "chdir", s->cwd) && add(out, log_path(s, log, a)) &&
            add(out, "--open-mode=append") && add(out, "--requeue");
  if (ok && is_array) ok = add_array(s, a, out);
  if (ok && after != NULL) ok = add(out, weir_arena_printf(a, "--dependency=afterany:%s", after));
  ok = ok && add_resources(s, kind, a, out);
  return ok && add(out, weir_arena_printf(a, "%s/%s.sh", s->folder, name));
}

/* ---- for people ---- */

static bool show_command(const struct weir_slurm *s, enum weir_slurm_kind kind, const char *after,
                         struct weir_arena *a, struct weir_text *out) {
  struct weir_names words = {0};
  bool ok = weir_slurm_sbatch(s, kind, after, a, &words);
  weir_text_printf(out, "%s=$(", weir_slurm_name(kind));
  for (size_t i = 0; ok && i < words.n; i++) {
    if (i > 0) weir_text_puts(out, " ");
    if (strncmp(words.v[i], "--dependency=", strlen("--dependency=")) == 0)
      weir_text_puts(out, words.v[i]); /* "$prepare" is not to be quoted */
    else
      put_word(out, words.v[i]);
  }
  weir_text_puts(out, ")\n");
  free(words.v);
  return ok;
}

enum weir_status weir_slurm_show(const struct weir_slurm *s, struct weir_arena *a,
                                 struct weir_text *out, struct weir_err *err) {
  const char *after = NULL;
  bool ok = true;
  for (enum weir_slurm_kind i = 0; i < WEIR_SLURM_KINDS; i++) {
    if (!s->is_wanted[i]) continue;
    weir_text_printf(out, "\n==> %s/%s.sh\n", s->folder, weir_slurm_name(i));
    weir_slurm_script(s, i, out);
  }
  weir_text_puts(out, "\n==> commands\n");
  for (enum weir_slurm_kind i = 0; ok && i < WEIR_SLURM_KINDS; i++) {
    if (!s->is_wanted[i]) continue;
    ok = show_command(s, i, after, a, out);
    after = weir_arena_printf(a, "$%s", weir_slurm_name(i));
    ok = ok && after != NULL;
  }
  return ok ? WEIR_OK : weir_no_memory(err);
}
