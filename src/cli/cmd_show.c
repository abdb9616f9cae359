/* weir show STORE */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/number.h"
#include "base/suggest.h"
#include "cli/cmd.h"
#include "report/pivot.h"

enum {
  OPT_ROWS = 1,
  OPT_COLUMNS,
  OPT_VALUE,
  OPT_BASELINE,
  OPT_RELATIVE,
  OPT_WHERE,
  OPT_BEST,
  OPT_FORMAT,
  OPT_WIDTH
};

static const struct weir_usage usage = {
    .command = "show",
    .synopsis = "STORE [--value STAT] [--rows KEYS] [--columns KEYS] [--baseline KEY=VALUE]\n"
                "                 [--where CONDITION] [--format FORMAT] [OPTION]...",
    .about =
        "Show the results in a store as a table: one statistic of its runs, a row for each "
        "workload, a\n"
        "column for each scheme and for each value of the settings that were swept, a table for "
        "each\n"
        "machine. With a baseline every cell is relative to the run that is the same but for the "
        "keys of\n"
        "the baseline, and the last row is a geometric mean, over the rows that all columns have.\n"
        "\n"
        "Keys are workload, input, gpu, scheme, seed, kernel, and the settings of the runs, such "
        "as\n"
        "l1.size. Runs that differ in the seed alone share a cell: the mean and its 95 % interval. "
        "No mean\n"
        "is made of runs that differ in anything else. A cell of which a run failed or was refused "
        "says so,\n"
        "and the reasons stand below the table. Numbers stand in the order of their values, 16K "
        "before\n"
        "128K, names in that of the alphabet; what the baseline has stands first.",
    .opts =
        (const struct weir_opt[]){
            {"value", 'v', "STAT", "the statistic, one of 'weir list stats' (default: cycles)",
             OPT_VALUE},
            {"rows", 'r', "KEYS",
             "what has a row each (default: workload, and input if a workload has several)",
             OPT_ROWS},
            {"columns", 'c', "KEYS",
             "what has a column each (default: scheme, and the settings that were set and differ)",
             OPT_COLUMNS},
            {"baseline", 'b', "KEY=VALUE[,...]",
             "what cells are relative to, such as scheme=baseline. Without --relative, cycles\n"
             "and others of which less is better are shown as speed-up, the others as ratio",
             OPT_BASELINE},
            {"relative", 0, "HOW",
             "ratio: value / baseline. speedup: above 1 is better, so baseline / value unless\n"
             "more of it is better. percent: by how much the ratio differs from 1",
             OPT_RELATIVE},
            {"where", 'w', "CONDITION",
             "only runs for which this condition of SQL is true; columns are those of the\n"
             "store's views (docs/store.md), names with dots in brackets: [l1.hits], and so\n"
             "are settings: [l1.size] = '16K'",
             OPT_WHERE},
            {"best", 0, "WHICH",
             "the number of each row that stands out: min, max or none (default: as the statistic\n"
             "asks for, where that is known)",
             OPT_BEST},
            {"format", 'f', "FORMAT", "text, markdown, csv or json", OPT_FORMAT},
            {"width", 0, "N",
             "break tables into blocks of at most so many characters (default: as wide as the\n"
             "terminal is; without a terminal, and with 0: never)",
             OPT_WIDTH},
            {.name = NULL}},
    .examples =
        "  weir show s.db\n"
        "  weir show s.db --baseline scheme=baseline\n"
        "  weir show s.db --baseline scheme=baseline,l1.size=16K --format markdown\n"
        "  weir show s.db --value l1.hits --columns l1.size --where \"scheme = 'tsc'\"\n"
        "  weir show s.db --rows workload,kernel --where \"gpu = 'v100' AND [l1.size] = '16K'\"\n",
};

enum format { TEXT, MARKDOWN, CSV, JSON };

struct show {
  const char *store;
  struct weir_pivot_want want;
  const char *where;
  enum format format;
  int64_t width; /* -1: the terminal's */
};

/* ---- options ---- */

/* The number of a word among others; an error names them. */
static enum weir_status choose(const char *option, const char *word, const char *const *words,
                               size_t n, unsigned *out, struct weir_err *err) {
  struct weir_text all = {0};
  for (unsigned i = 0; i < n; i++) {
    if (strcmp(words[i], word) == 0) {
      *out = i;
      weir_text_free(&all);
      return WEIR_OK;
    }
    weir_text_printf(&all, "%s%s", i == 0 ? "" : i + 1 == n ? " or " : ", ", words[i]);
  }
  weir_fail(err, WEIR_EINVAL, "%s %s: want %s", option, word, all.v != NULL ? all.v : "another");
  const char *near = weir_nearest(word, words, n);
  if (near != NULL) weir_err_add(err, "did you mean '%s'?", near);
  weir_text_free(&all);
  return WEIR_EINVAL;
}

static enum weir_status set_word(struct show *s, int id, const char *value, struct weir_err *err) {
  static const char *const relatives[] = {"ratio", "speedup", "percent"},
                           *const bests[] = {"none", "min", "max"},
                           *const formats[] = {"text", "markdown", "csv", "json"};
  unsigned n = 0;
  enum weir_status st = WEIR_OK;
  switch (id) {
  case OPT_RELATIVE:
    st = choose("--relative", value, relatives, 3, &n, err);
    s->want.relative = WEIR_RELATIVE_RATIO + n;
    break;
  case OPT_BEST:
    st = choose("--best", value, bests, 3, &n, err);
    s->want.best = WEIR_BEST_NONE + n;
    break;
  default:
    st = choose("--format", value, formats, 4, &n, err);
    s->format = (enum format)n;
  }
  return st;
}

static enum weir_status set_option(struct show *s, int id, const char *value,
                                   struct weir_err *err) {
  switch (id) {
  case OPT_ROWS:
    s->want.rows = value;
    break;
  case OPT_COLUMNS:
    s->want.columns = value;
    break;
  case OPT_VALUE:
    s->want.statistic = value;
    break;
  case OPT_BASELINE:
    s->want.baseline = value;
    break;
  case OPT_WHERE:
    s->where = value;
    break;
  case OPT_WIDTH:
    if (weir_parse_int(value, &s->width) && s->width >= 0 && s->width <= 100000) break;
    return weir_fail(err, WEIR_EINVAL, "--width %s: want a number from 0 (any) to 100000", value);
  default:
    return set_word(s, id, value, err);
  }
  return WEIR_OK;
}

/* Returns -1 to go on, else the exit code. */
static int parse_options(int argc, char **argv, struct show *s) {
  struct weir_args args = {.argc = argc, .argv = argv, .at = 1};
  struct weir_err err;
  for (int id; (id = weir_opt_next(&args, &usage)) != WEIR_OPT_END;) {
    if (id == WEIR_OPT_DONE) return args.exit_code;
    if (id == WEIR_OPT_WORD) {
      if (s->store != NULL)
        return weir_cli_usage("show",
                              "one store at a time: '%s' or '%s'? 'weir merge' joins stores",
                              s->store, args.value);
      s->store = args.value;
    } else if (set_option(s, id, args.value, &err) != WEIR_OK) {
      return weir_cli_error(&err);
    }
  }
  if (s->store == NULL) return weir_cli_usage("show", "which store?");
  if (s->want.relative != WEIR_RELATIVE_AUTO && s->want.baseline == NULL)
    return weir_cli_usage("show", "--relative goes with a baseline: --baseline scheme=baseline");
  if (s->width >= 0 && s->format != TEXT)
    return weir_cli_usage("show", "--width goes with the format text");
  return -1;
}

/* ---- the table ---- */

static enum weir_status put_json(const struct weir_pivot *p, struct weir_text *out,
                                 struct weir_err *err) {
  json_t *root = weir_pivot_json(p);
  char *text = root != NULL ? json_dumps(root, JSON_INDENT(1)) : NULL;
  if (text != NULL) weir_text_printf(out, "%s\n", text);
  json_decref(root);
  free(text);
  return text != NULL ? WEIR_OK : weir_fail(err, WEIR_ENOMEM, "out of memory");
}

static enum weir_status put(const struct show *s, const struct weir_pivot *p, struct weir_text *out,
                            struct weir_err *err) {
  switch (s->format) {
  case MARKDOWN:
    return weir_pivot_markdown(p, out, err);
  case CSV:
    return weir_pivot_csv(p, out, err);
  case JSON:
    return put_json(p, out, err);
  case TEXT:
    break;
  }
  return weir_pivot_text(p, out, err);
}

static enum weir_status load(const struct show *s, struct weir_points *points,
                             struct weir_err *err) {
  struct weir_store *store;
  struct weir_points_want want = {.statistic = s->want.statistic,
                                  .where = s->where,
                                  .by_kernel = weir_pivot_is_by_kernel(&s->want)};
  *points = (struct weir_points){0};
  enum weir_status st = weir_store_open(s->store, WEIR_STORE_READ, NULL, &store, err);
  if (st != WEIR_OK) return st;
  st = weir_points_load(store, &want, points, err);
  weir_store_close(store);
  if (st != WEIR_OK || points->points.n > 0) return st;
  return s->where != NULL
             ? weir_fail(err, WEIR_ENOENT, "--where \"%.300s\": true for no run of '%s'", s->where,
                         s->store)
             : weir_fail(err, WEIR_ENOENT, "'%s' has no runs yet", s->store);
}

int weir_cmd_show(int argc, char **argv) {
  struct show s = {.want.statistic = "cycles", .width = -1};
  struct weir_points points;
  struct weir_pivot pivot = {0};
  struct weir_err err;
  int code = parse_options(argc, argv, &s);
  if (code >= 0) return code;
  struct weir_screen screen = *weir_cli_screen(STDOUT_FILENO);
  if (s.width >= 0) screen.width = (size_t)s.width;
  struct weir_text out = {.screen = s.format == TEXT ? &screen : NULL};
  enum weir_status st = load(&s, &points, &err);
  if (st == WEIR_OK) st = weir_pivot_make(&pivot, &points, &s.want, &err);
  if (st == WEIR_OK) st = put(&s, &pivot, &out, &err);
  if (st == WEIR_OK) {
    code = weir_cli_print(&out);
  } else {
    weir_text_free(&out);
    code = weir_cli_error(&err);
  }
  weir_pivot_free(&pivot);
  weir_points_free(&points);
  return code;
}
