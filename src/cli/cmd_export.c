/* weir export STORE */
#include <errno.h>
#include <string.h>
#include <sys/stat.h>

#include "base/suggest.h"
#include "cli/cmd.h"
#include "cli/job.h"
#include "cli/opt.h"
#include "report/export.h"
#include "study/store.h"

enum {
  OPT_CSV = 1,
  OPT_LAYOUT,
  OPT_KERNELS,
  OPT_SETTINGS,
  OPT_STATS,
  OPT_WHERE,
  OPT_STATUS,
  OPT_NO_TIMES,
  OPT_DUMP
};

static const struct weir_usage usage = {
    .command = "export",
    .synopsis = "STORE [--csv FILE] [--layout wide|long] [--kernels] [--dump FILE]\n"
                "                   [--settings LIST] [--stats LIST] [--where CONDITION]",
    .about =
        "Write a store of results (docs/store.md) as CSV: what was run, the settings that differ\n"
        "between runs, and the statistics. Rows are in the order of what was run; stores with the\n"
        "same results give the same bytes, with --no-times. In a LIST, '*' and '?' stand for any\n"
        "letters: --stats 'cycles,l1.*'.",
    .opts =
        (const struct weir_opt[]){
            {"csv", 0, "FILE", "where to (default: -, which is stdout)", OPT_CSV},
            {"layout", 'l', "wide|long",
             "wide (default): a row for each run, a column for each statistic;\n"
             "long: a row for each statistic of each run ('name' and 'value')",
             OPT_LAYOUT},
            {"kernels", 'k', NULL, "kernels instead of runs", OPT_KERNELS},
            {"settings", 's', "LIST",
             "which settings are columns: their names, or all, none, or varying\n"
             "(default): those that are not the same in all rows",
             OPT_SETTINGS},
            {"stats", 'S', "LIST", "which statistics (default: all)", OPT_STATS},
            {"where", 'w', "CONDITION",
             "only runs for which this condition of SQL is true; with --kernels,\n"
             "kernels. Columns are those of the store's views (docs/store.md), names\n"
             "with dots in brackets, and so are settings: [l1.size] >= '32K'",
             OPT_WHERE},
            {"status", 0, "ok|all",
             "ok: runs that ended; all (default): also those that failed or were\n"
             "refused, which have no statistics",
             OPT_STATUS},
            {"no-times", 0, NULL,
             "without what may differ when the same is run again: host, seconds,\n"
             "message",
             OPT_NO_TIMES},
            {"dump", 0, "FILE",
             "instead of CSV, or besides --csv: all results as sorted text, to\n"
             "compare two stores byte for byte",
             OPT_DUMP},
            {.name = NULL}},
    .examples = "  weir export s.db --csv results.csv\n"
                "  weir export s.db --kernels --stats 'cycles,l1.*'\n"
                "  weir export s.db --layout long --where \"scheme = 'tsc'\" --settings l1.size\n"
                "  weir export s.db --where \"gpu = 'v100' AND [l1.size] >= '32K'\" --no-times\n"
                "  weir export s.db --dump s.txt\n",
};

struct opts {
  const char *store, *csv, *dump;
  struct weir_export_options e;
  const char *shape; /* an option that only CSV has */
};

/* ---- outputs ---- */

static enum weir_status put(void *self, const char *text, size_t n, struct weir_err *err) {
  return weir_cli_put(self, text, n, err);
}

struct dump {
  const char *path;
  struct weir_err err;
};

static ssize_t put_dump(void *self, const char *text, size_t n) {
  struct dump *d = self;
  if (weir_cli_put(d->path, text, n, &d->err) == WEIR_OK) return (ssize_t)n;
  errno = EIO;
  return 0;
}

/* What went wrong with the output is said as that says it. */
static enum weir_status write_dump(struct weir_store *s, const char *path, struct weir_err *err) {
  struct dump d = {.path = path};
  FILE *f = fopencookie(&d, "w", (cookie_io_functions_t){.write = put_dump});
  if (f == NULL) return weir_fail(err, WEIR_ENOMEM, "out of memory");
  enum weir_status st = weir_store_dump(s, f, err);
  if (fclose(f) != 0 && st == WEIR_OK) st = WEIR_EIO;
  if (d.err.code != WEIR_OK) *err = d.err;
  return st;
}

static enum weir_status export(const struct opts *o, struct weir_err *err) {
  struct weir_store *s = NULL; const struct weir_sink to = {.put = put, .self = (void *)o->csv};
  struct stat info;
  enum weir_status st = weir_store_open(o->store, WEIR_STORE_READ, NULL, &s, err);
  if (st == WEIR_OK && stat(o->store, &info) == 0)
      st = weir_input_found(&info, o->store, NULL, err);
  if (st == WEIR_OK) st = weir_cli_output("--csv", o->csv, err);
  if (st == WEIR_OK) st = weir_cli_output("--dump", o->dump, err);
  if (st == WEIR_OK && o->csv != NULL) st = weir_export_csv(s, &o->e, &to, err);
  if (st == WEIR_OK && o->dump != NULL) st = write_dump(s, o->dump, err);
  weir_store_close(s);
  return st == WEIR_OK ? weir_cli_commit(err) : st;
}

/* ---- the command line ---- */

/* A word of two; -1: go on. */
static int choose(const char *option, const char *word, const char *a, const char *b, bool *is_b) {
  const char *const words[] = {a, b};
  const char *near = weir_nearest(word, words, 2);
  *is_b = strcmp(word, b) == 0;
  if (*is_b || strcmp(word, a) == 0) return -1;
  if (near != NULL)
    return weir_cli_usage("export", "%s '%s': did you mean '%s'?", option, word, near);
  return weir_cli_usage("export", "%s '%s': it is %s or %s", option, word, a, b);
}

static int take(struct opts *o, int opt, const char *value) {
  bool is_all = false;
  int code = -1;
  switch (opt) {
  case OPT_CSV:
    o->csv = value;
    return -1;
  case OPT_DUMP:
    o->dump = value;
    return -1;
  case OPT_LAYOUT:
    o->shape = "--layout";
    return choose("--layout", value, "wide", "long", &o->e.is_long);
  case OPT_KERNELS:
    o->shape = "--kernels";
    o->e.has_kernels = true;
    return -1;
  case OPT_SETTINGS:
    o->shape = "--settings";
    o->e.settings = value;
    return -1;
  case OPT_STATS:
    o->shape = "--stats";
    o->e.stats = value;
    return -1;
  case OPT_WHERE:
    o->shape = "--where";
    o->e.where = value;
    return -1;
  case OPT_STATUS:
    o->shape = "--status";
    code = choose("--status", value, "ok", "all", &is_all);
    o->e.only_ok = !is_all;
    return code;
  case OPT_NO_TIMES:
    o->shape = "--no-times";
    o->e.no_times = true;
    return -1;
  default:
    if (o->store != NULL)
      return weir_cli_usage("export", "one store at a time: '%s' or '%s'?", o->store, value);
    o->store = value;
    return -1;
  }
}

static int check_options(struct opts *o) {
  if (o->store == NULL)
    return weir_cli_usage("export", "export which store? weir export STORE --csv FILE");
  if (o->csv == NULL && o->dump != NULL && o->shape != NULL)
    return weir_cli_usage("export", "%s is for CSV, and a dump has all; --csv writes both",
                          o->shape);
  if (o->csv == NULL && o->dump == NULL) o->csv = "-";
  if (weir_cli_is_stdout(o->csv) && weir_cli_is_stdout(o->dump))
    return weir_cli_usage("export", "--csv and --dump both go to stdout");
  return -1;
}

int weir_cmd_export(int argc, char **argv) {
  struct weir_args args = {.argc = argc, .argv = argv, .at = 1};
  struct opts o = {0};
  struct weir_err err;
  int code = -1;
  for (int opt; code < 0 && (opt = weir_opt_next(&args, &usage)) != WEIR_OPT_END;) {
    if (opt == WEIR_OPT_DONE) return args.exit_code;
    code = take(&o, opt, args.value);
  }
  if (code < 0) code = check_options(&o);
  if (code >= 0) return code;
  return export(&o, &err) == WEIR_OK ? WEIR_EXIT_OK : weir_cli_error(&err);
}
