/* weir sweep WORKLOAD... --set KEY=VALUE,... --store FILE, and weir worker, which does its share.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/number.h"
#include "cli/cmd.h"
#include "cli/job.h"
#include "cli/sweep.h"
#include "cli/sweep_slurm.h"
#include "study/recorded.h"

enum { OPT_SHARD = WEIR_SWEEP_ONLY_FAILED + 1, OPT_WHERE, OPT_PLAN, OPT_STREAMS, OPT_PREPARE };

#define SET_HELP                                                                                   \
  "set a parameter ('weir list params'), or several values of it, each of which is run:\n"         \
  "l1.size=16K,32K, or 16K..128K x2, or 4..16 +4; a value that has commas stands in brackets:\n"   \
  "l1.carveouts=[0,8K],[0,96K]; may be repeated"
#define WHERE_HELP                                                                                 \
  "run only points for which this is true, an SQL expression of gpu, scheme and parameters:\n"     \
  "'l1.size / l1.ways >= 2048'; may be repeated"
#define SWEEP_OPTIONS                                                                              \
  WEIR_CMP_STORING,                                                                                \
      {"only-failed", 0, NULL, "run nothing but those that failed before",                         \
       WEIR_SWEEP_ONLY_FAILED},                                                                    \
      WEIR_CMP_DECISIONS_OPTION,                                                                   \
      {"check", 0, NULL, "verify the conservation rules of the statistics", WEIR_CMP_CHECK}, {     \
    "quiet", 'q', NULL, "print nothing but errors", WEIR_CMP_QUIET                                 \
  }

static const struct weir_usage sweep_usage = {
    .command = "sweep",
    .synopsis = "WORKLOAD... --set KEY=VALUE,... --store FILE [options]\n"
                "       weir sweep STUDY.yaml --store FILE [options]\n"
                "       weir sweep [WORKLOAD...] --store FILE [options] -- PROGRAM [ARGUMENT ...]",
    .about =
        "Runs every workload on every machine with every scheme and every combination of values, "
        "and\n"
        "keeps each run in a store (docs/store.md) when it ends. Whatever ends the sweep, the "
        "same\n"
        "command goes on where it was: a run that the store has is not run again, whichever sweep "
        "it\n"
        "came from. A workload is executed once and timed by many; the longest runs come first, as "
        "far\n"
        "as the store knows what they take.\n"
        "\n"
        "A point that its set-up refuses (an L1 that cannot be cut into so many ways) is kept with "
        "the\n"
        "reason and is no failure. A run that fails is kept, too, and the exit code is 1; --retry "
        "runs\n"
        "it again.\n"
        "\n"
        "STUDY.yaml has the same in a file (docs/studies.md). Look at the results with 'weir "
        "show'.\n"
        "With --slurm the runs are those of jobs on a cluster (docs/cluster.md).",
    .has_program = 1,
    .neutral = WEIR_CMP_NEUTRAL " only-failed" WEIR_SLURM_NEUTRAL WEIR_PROV_NEUTRAL,
    .repeated = " plugin set where bypass sbatch-option",
    .opts = (const struct weir_opt[]){WEIR_CMP_WHAT,
                                      WEIR_CMP_SETTINGS("KEY=VALUES", SET_HELP),
                                      {"where", 0, "CONDITION", WHERE_HELP, OPT_WHERE},
                                      WEIR_CMP_HOW,
                                      {"store", 0, "FILE",
                                       "where the runs are kept; it is made if it is not there",
                                       WEIR_CMP_STORE},
                                      SWEEP_OPTIONS,
                                      WEIR_SLURM_OPTIONS,
                                      {.name = NULL}},
    .examples =
        "  weir sweep spmv gather -S baseline,tsc+ --set l1.size=16K,32K,64K --store s.db\n"
        "  weir sweep spmv -g fermi-s3,fermi-s0 -S baseline --set 'l1.ways=2..8 x2' --store s.db\n"
        "  weir sweep spmv -S decoupled --set decoupled.threshold=1,2,3 --repeat 5 --store s.db\n"
        "  weir sweep study.yaml --store s.db\n"
        "  weir sweep study.yaml --store s.db --slurm --array 64 --time 4:00:00 --dry-run\n",
};

static const struct weir_usage worker_usage = {
    .command = "worker",
    .synopsis = "[arguments of sweep] --shard I/N --store FOLDER [options]",
    .about =
        "Does its share of a sweep: of N workers with the same arguments, on one machine or on "
        "many, each\n"
        "runs the points of its shard and keeps them in a file of its own in the folder. Workers "
        "need not\n"
        "know of one another, and one that was ended is started again with the same command.\n"
        "'weir merge FOLDER -o s.db' joins the files.\n"
        "\n"
        "Which runs a shard has follows from what they are, or is said by a plan: 'weir sweep "
        "--slurm'\n"
        "writes one, and starts workers with it.",
    .has_program = 1,
    .neutral = WEIR_CMP_NEUTRAL " only-failed plan streams prepare" WEIR_PROV_NEUTRAL,
    .repeated = " plugin set where bypass",
    .opts =
        (const struct weir_opt[]){WEIR_CMP_WHAT,
                                  WEIR_CMP_SETTINGS("KEY=VALUES", SET_HELP),
                                  {"where", 0, "CONDITION", WHERE_HELP, OPT_WHERE},
                                  {"shard", 0, "I/N", "which share it is: 1/8 to 8/8", OPT_SHARD},
                                  {"plan", 0, "FILE", "which share each run belongs to", OPT_PLAN},
                                  {"streams", 0, "FOLDER",
                                   "streams of workloads, for all workers; those that are not "
                                   "there are recorded",
                                   OPT_STREAMS},
                                  {"prepare", 0, NULL,
                                   "record the streams, make what schemes need to be prepared, "
                                   "and run nothing",
                                   OPT_PREPARE},
                                  WEIR_CMP_HOW,
                                  {"store", 0, "FOLDER",
                                   "where the files are; it is made if it is not there",
                                   WEIR_CMP_STORE},
                                  SWEEP_OPTIONS,
                                  {.name = NULL}},
    .examples =
        "  weir worker spmv -S baseline,tsc+ --set l1.size=16K,32K --shard 1/2 --store shards\n"
        "  weir worker spmv -S baseline,tsc+ --set l1.size=16K,32K --shard 2/2 --store shards\n",
};

/* ---- options ---- */

static enum weir_status set_shard(struct weir_comparison *c, const char *text,
                                  struct weir_err *err) {
  enum { MOST = 100000 };
  struct weir_arena a = {0};
  const char *slash = strchr(text, '/');
  int64_t i = 0, n = 0;
  const char *first = slash != NULL ? weir_arena_strndup(&a, text, (size_t)(slash - text)) : NULL;
  bool is_good = first != NULL && weir_parse_int(first, &i) && weir_parse_int(slash + 1, &n) &&
                 i >= 1 && n >= i && n <= MOST;
  weir_arena_free(&a);
  if (!is_good)
    return weir_fail(err, WEIR_EINVAL, "--shard %s: want I/N, such as 1/8, with I from 1 to N",
                     text);
  c->keeping.shard = (uint32_t)i;
  c->keeping.n_shards = (uint32_t)n;
  return WEIR_OK;
}

/* A word may be the file of a study. */
static enum weir_status set_option(struct weir_comparison *c, int id, const char *value,
                                   struct weir_err *err) {
  if (id == WEIR_SWEEP_ONLY_FAILED) {
    c->keeping.only_failed = true;
    return WEIR_OK;
  }
  if (id == OPT_SHARD) return set_shard(c, value, err);
  if (id == OPT_PLAN) c->plan_path = value;
  if (id == OPT_STREAMS) c->streams = value;
  if (id == OPT_PREPARE) c->study.only_records = true;
  if (id == OPT_PLAN || id == OPT_STREAMS || id == OPT_PREPARE) return WEIR_OK;
  if (weir_is_slurm_option(id)) return weir_slurm_option(c, id, value, err);
  if (id == OPT_WHERE)
    return WEIR_PUSH(c->constraints, value) ? WEIR_OK
                                            : weir_fail(err, WEIR_ENOMEM, "out of memory");
  if (id != WEIR_OPT_WORD || !weir_is_study_file(value))
    return weir_comparison_option(c, id, value, err);
  if (c->study_file != NULL)
    return weir_fail(err, WEIR_EINVAL, "%s and %s: one study at a time", c->study_file, value);
  c->study_file = value;
  return WEIR_OK;
}

/* It has no share, and no store. */
static int check_preparing(const struct weir_comparison *c, const char *command) {
  if (c->streams == NULL)
    return weir_cli_usage(command, "where are the streams to be kept? Say --streams FOLDER");
  if (c->programs.n > 0)
    return weir_cli_usage(command, "--prepare goes with workloads, and not with a program");
  if (c->keeping.n_shards > 0 || c->store_path != NULL)
    return weir_cli_usage(command,
                          "--prepare is for all shards: it goes with no --shard or --store");
  return -1;
}

/* Returns -1 to go on, else the exit code. */
static int check_line(const struct weir_comparison *c, const char *command) {
  if (c->workloads.n == 0 && c->programs.n == 0)
    return weir_cli_usage(
        command, "which workloads? See 'weir list workloads', or say 'all' or the name of a set");
  if (c->programs.n == 0 && weir_program_is_chosen(&c->choice))
    return weir_cli_usage(command, WEIR_PROGRAM_NAMES " go with a program: -- PROGRAM");
  if (c->study.only_records) return check_preparing(c, command);
  if (c->store_path == NULL)
    return weir_cli_usage(command, "where are the runs to be kept? Say --store %s",
                          c->store_options.is_shard ? "FOLDER" : "FILE");
  if (c->store_options.is_shard && c->keeping.n_shards == 0)
    return weir_cli_usage(command, "which share of the sweep is it? Say --shard I/N");
  return weir_slurm_check(c, command);
}

static int parse_options(int argc, char **argv, const struct weir_usage *u,
                         struct weir_comparison *c) {
  struct weir_args args = {.argc = argc, .argv = argv, .at = 1};
  struct weir_err err;
  for (int id; (id = weir_opt_next(&args, u)) != WEIR_OPT_END;) {
    if (id == WEIR_OPT_DONE) return args.exit_code;
    if (set_option(c, id, args.value, &err) != WEIR_OK) return weir_cli_error(&err);
  }
  if (args.program != NULL && args.program[0] == NULL)
    return weir_cli_usage(u->command, "which program? It comes after --");
  if (args.program != NULL && weir_comparison_add_program(c, args.program, &err) != WEIR_OK)
    return weir_cli_error(&err);
  if (c->study_file != NULL && weir_study_file(c, c->study_file, &err) != WEIR_OK)
    return weir_cli_error(&err);
  int code = check_line(c, u->command);
  if (code < 0 && !weir_comparison_defaults(c)) {
    weir_fail(&err, WEIR_ENOMEM, "out of memory");
    code = weir_cli_error(&err);
  }
  return code;
}

/* Before anything else, as weir_cli_plugins. */
static int load_study_plugins(int argc, char **argv, const struct weir_usage *u) {
  struct weir_args args = {.argc = argc, .argv = argv, .at = 1};
  struct weir_err err;
  for (int id; (id = weir_opt_next(&args, u)) != WEIR_OPT_END;) {
    if (id == WEIR_OPT_DONE) return args.exit_code;
    if (id == WEIR_OPT_WORD && weir_is_study_file(args.value) &&
        weir_study_file_plugins(args.value, &err) != WEIR_OK)
      return weir_cli_error(&err);
  }
  return -1;
}

/* ---- the files of workers ---- */

static enum weir_status make_folder(const char *folder, struct weir_err *err) {
  if (mkdir(folder, 0777) == 0 || errno == EEXIST) return WEIR_OK;
  return weir_fail(err, WEIR_EIO, "cannot make the folder '%s': %s", folder, strerror(errno));
}

static enum weir_status choose_shard(struct weir_comparison *c, struct weir_err *err) {
  if (!c->store_options.is_shard || c->study.only_records) return WEIR_OK;
  const char *folder = c->store_path;
  enum weir_status st = make_folder(folder, err);
  if (st != WEIR_OK) return st;
  struct stat is;
  if (stat(folder, &is) != 0 || !S_ISDIR(is.st_mode))
    return weir_fail(err, WEIR_EINVAL, "--store %s: want a folder, in which each worker has a file",
                     folder);
  c->store_path = weir_arena_printf(&c->arena, "%s/shard-%u-of-%u.db", folder, c->keeping.shard,
                                    c->keeping.n_shards);
  return c->store_path != NULL ? WEIR_OK : weir_fail(err, WEIR_ENOMEM, "out of memory");
}

/* With the same number of shards as the others. */
static enum weir_status read_plan(struct weir_comparison *c, struct weir_err *err) {
  if (c->plan_path == NULL) return WEIR_OK;
  enum weir_status st = weir_plan_read(&c->plan, c->plan_path, err);
  if (st != WEIR_OK) return st;
  c->keeping.plan = &c->plan;
  if (c->keeping.n_shards == 0 || c->keeping.n_shards == c->plan.n_shards) return WEIR_OK;
  return weir_fail(err, WEIR_EINVAL, "--shard %u/%u: the plan %s has %u shards", c->keeping.shard,
                   c->keeping.n_shards, c->plan_path, c->plan.n_shards);
}

static enum weir_status name_streams(struct weir_comparison *c, struct weir_err *err) {
  if (c->streams == NULL) return WEIR_OK;
  enum weir_status st = make_folder(c->streams, err);
  return st == WEIR_OK
             ? weir_recorded_names(&c->study, &c->exec_settings, c->streams, &c->arena, err)
             : st;
}

/* ---- what came out ---- */

struct counts {
  size_t all, left, waiting, ended, known, refused, failed;
};

static bool is_refused(const struct weir_study *s, size_t run) {
  struct weir_study_place at = weir_study_place(s, run);
  return weir_study_setup(s, at.gpu, at.scheme)->error != NULL;
}

static struct counts count(const struct weir_study *s) {
  struct counts n = {0};
  for (size_t i = 0; s->runs != NULL && i < weir_study_n_runs(s); i++) {
    const struct weir_run *r = &s->runs[i];
    n.all++;
    n.left += r->state == WEIR_RUN_LEFT;
    n.waiting += r->state == WEIR_RUN_WAITING;
    n.known += r->was_known && r->state == WEIR_RUN_DONE;
    n.ended += r->state == WEIR_RUN_DONE;
    if (r->state == WEIR_RUN_FAILED) *(is_refused(s, i) ? &n.refused : &n.failed) += 1;
  }
  return n;
}

/* The first of each kind: of thousands, the store has the others. */
static void say_failures(const struct weir_comparison *c) {
  enum { MOST = 10 };
  const struct weir_study *s = &c->study;
  size_t said = 0, all = 0;
  for (size_t i = 0; i < weir_study_n_runs(s); i++) {
    struct weir_study_place at = weir_study_place(s, i);
    if (s->runs[i].state != WEIR_RUN_FAILED || is_refused(s, i)) continue;
    if (all++ >= MOST) continue;
    const char *reason = weir_study_reason(s, i), *label = s->variants[at.gpu];
    fprintf(stderr, "weir: %s with %s on %s%s%s: %s\n", s->workloads[at.workload].name,
            weir_study_label(s, at.scheme), s->gpus[at.gpu], *label != '\0' ? ", " : "", label,
            reason != NULL ? reason : "failed");
    said++;
  }
  if (all > said)
    fprintf(stderr,
            "weir: and %zu more; weir query %s \"SELECT workload, gpu, scheme, message FROM "
            "runs WHERE status = 'failed'\"\n",
            all - said, c->store_path);
}

/* Streams that could not be recorded: a worker says it once more, of each run. */
static enum weir_status report_preparing(const struct weir_comparison *c, struct weir_err *err) {
  const struct weir_study *s = &c->study;
  struct weir_text out = {0};
  uint64_t n_failed = 0;
  for (size_t i = 0; i < s->n_workloads; i++) {
    if (s->workloads[i].error == NULL) continue;
    fprintf(stderr, "weir: %s: %s\n", s->workloads[i].name, s->workloads[i].error);
    n_failed++;
  }
  if (c->quiet) return WEIR_OK;
  weir_text_printf(&out, "streams of %" PRIu64 " workloads recorded in %s\n",
                   s->n_executions - n_failed, c->streams);
  return weir_cli_print(&out) == 0 ? WEIR_OK : weir_fail(err, WEIR_EIO, "cannot write to stdout");
}

static enum weir_status report(const struct weir_comparison *c, struct weir_err *err) {
  struct counts n = count(&c->study);
  struct weir_text out = {0};
  if (c->study.only_records) return report_preparing(c, err);
  say_failures(c);
  if (c->quiet) return WEIR_OK;
  weir_text_printf(&out, "%zu of %zu runs in %s: %zu ended", n.ended + n.refused + n.failed,
                   n.all - n.left, c->store_path, n.ended - n.known);
  if (n.known > 0) weir_text_printf(&out, ", %zu were there", n.known);
  if (n.refused > 0) weir_text_printf(&out, ", %zu refused by their set-up", n.refused);
  if (n.failed > 0) weir_text_printf(&out, ", %zu failed", n.failed);
  if (n.left > 0) weir_text_printf(&out, "; %zu left out", n.left);
  weir_text_printf(&out, "\nexecutions: %" PRIu64 ", runs timed from them: %" PRIu64 "\n",
                   c->study.n_executions, c->study.n_replays);
  if (weir_cli_signal() != 0) weir_text_printf(&out, "interrupted: the same command goes on\n");
  return weir_cli_print(&out) == 0 ? WEIR_OK : weir_fail(err, WEIR_EIO, "cannot write to stdout");
}

/* ---- the commands ---- */

enum weir_status weir_sweep_run(struct weir_comparison *c, struct weir_err *err) {
  enum weir_status st = choose_shard(c, err);
  if (st == WEIR_OK) st = read_plan(c, err);
  if (st == WEIR_OK) st = weir_comparison_open(c, err);
  if (st == WEIR_OK) st = name_streams(c, err);
  if (st == WEIR_OK) st = weir_study_check_metrics(c, err);
  for (size_t i = 0; st == WEIR_OK && c->keeping.store != NULL && i < c->metrics.n; i++)
    st = weir_store_metric(c->keeping.store, c->metrics.v[i].name, c->metrics.v[i].expression, err);
  if (st == WEIR_OK) st = weir_comparison_provenance(c, true, err);
  return st == WEIR_OK ? weir_comparison_run(c, err) : st;
}

static int exit_code(const struct weir_comparison *c) {
  if (weir_cli_signal() != 0) return 128 + weir_cli_signal();
  int code = weir_comparison_exit(c, false);
  return code == 0 && count(&c->study).failed > 0 ? WEIR_EXIT_FAILED : code;
}

int weir_sweep_begin(int argc, char **argv, bool is_shard, struct weir_comparison *c) {
  const struct weir_usage *u = is_shard ? &worker_usage : &sweep_usage;
  *c = (struct weir_comparison){
      .jobs = weir_cli_cores(),
      .choice = WEIR_PROGRAM_ALL,
      .is_sweep = true,
      .store_options = {.wait_ms = WEIR_CMP_WAIT_MS, .is_shard = is_shard}};
  int code = weir_prov_begin(&c->prov, u, &argc, &argv);
  if (code < 0) code = weir_cli_plugins(argc, argv, u, WEIR_CMP_PLUGIN);
  if (code < 0) code = load_study_plugins(argc, argv, u);
  return code < 0 ? parse_options(argc, argv, u, c) : code;
}

static int run(int argc, char **argv, bool is_shard) {
  struct weir_comparison c;
  struct weir_err err;
  int code = weir_sweep_begin(argc, argv, is_shard, &c);
  if (code < 0 && c.slurm != NULL) code = weir_slurm_sweep(&c, argc, argv, &sweep_usage);
  if (code < 0) {
    enum weir_status st = weir_sweep_run(&c, &err);
    if (st == WEIR_OK) st = report(&c, &err);
    code = st == WEIR_OK ? exit_code(&c) : weir_cli_error(&err);
    if (st != WEIR_OK && weir_cli_signal() != 0) code = 128 + weir_cli_signal();
  }
  weir_comparison_free(&c);
  return code;
}

int weir_cmd_sweep(int argc, char **argv) {
  return run(argc, argv, false);
}

int weir_cmd_worker(int argc, char **argv) {
  return run(argc, argv, true);
}
