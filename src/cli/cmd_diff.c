/* weir diff A B */
#include <stdlib.h>

#include "base/number.h"
#include "cli/cmd.h"
#include "cli/job.h"
#include "cli/opt.h"
#include "report/diff.h"

enum { OPT_TOP = 1, OPT_MIN, OPT_KERNELS, OPT_JSON, OPT_EXIT_CODE };

static const struct weir_usage usage = {
    .command = "diff",
    .synopsis = "A B [--kernels] [--top N] [--min PERCENT] [--json] [--exit-code]",
    .about = "Compare two results: which settings differ, and which statistics differ most, the "
             "largest\n"
             "change first. A and B are stores of results (docs/store.md) or the JSON of weir run, "
             "replay\n"
             "or compare. FILE#N is one run: of a store the run with the number N, else the N-th.\n"
             "Runs are paired by workload, input, machine, scheme, seed and the settings that were "
             "swept;\n"
             "what is the same in all runs of a file does not count, so that two runs are a pair, "
             "whatever\n"
             "they are. A statistic is shown where it changed most: in percent of A, and rates in "
             "points\n"
             "(0.40 to 0.42 are 2 points).",
    .opts =
        (const struct weir_opt[]){
            {"kernels", 'k', NULL, "kernel by kernel; a comparison has none", OPT_KERNELS},
            {"top", 'n', "N", "rows of each list (default: 20; 0: all; with --json all)", OPT_TOP},
            {"min", 'm', "PERCENT", "statistics that changed by so much, or so many points",
             OPT_MIN},
            {"json", 0, NULL, "as JSON (weir_diff: 1)", OPT_JSON},
            {"exit-code", 0, NULL, "exit with 1 if the results differ", OPT_EXIT_CODE},
            {.name = NULL}},
    .examples = "  weir diff s.db#1 s.db#5\n"
                "  weir diff s.db later.db --min 1\n"
                "  weir diff before.json after.json --kernels\n",
};

struct opts {
  const char *name[2];
  int n_names;
  struct weir_diff_view view;
  bool has_kernels, is_json, has_exit_code, has_top;
};

/* Both are looked at before a store is open. */
static enum weir_status read_both(const struct opts *o, struct weir_diff *d, struct weir_err *err) {
  struct weir_arena a = {0};
  struct weir_diff_source sources[2];
  struct weir_diff_side sides[2] = {0};
  enum weir_status st = WEIR_OK;
  for (int i = 0; st == WEIR_OK && i < 2; i++)
    st = weir_diff_source(o->name[i], &a, &sources[i], err);
  for (int i = 0; st == WEIR_OK && i < 2; i++)
    st = weir_diff_read(&sources[i], o->has_kernels, &sides[i], err);
  if (st == WEIR_OK) st = weir_diff(&sides[0], &sides[1], d, err);
  for (int i = 0; i < 2; i++)
    weir_diff_side_free(&sides[i]);
  weir_arena_free(&a);
  return st;
}

static enum weir_status show(const struct opts *o, const struct weir_diff *d,
                             struct weir_err *err) {
  struct weir_text text = {0};
  if (!o->is_json) text = weir_cli_text();
  enum weir_status st = WEIR_OK;
  if (o->is_json) {
    json_t *json = weir_diff_json(d, &o->view);
    char *dumped = json != NULL ? json_dumps(json, JSON_INDENT(1)) : NULL;
    json_decref(json);
    if (dumped != NULL) weir_text_printf(&text, "%s\n", dumped);
    if (dumped == NULL || text.failed) st = weir_fail(err, WEIR_ENOMEM, "out of memory");
    free(dumped);
  } else {
    st = weir_diff_text(d, &o->view, &text, err);
  }
  if (st == WEIR_OK) st = weir_cli_put("-", text.v, text.n, err);
  weir_text_free(&text);
  return st;
}

static int diff(const struct opts *o) {
  struct weir_diff d;
  struct weir_err err;
  enum weir_status st = read_both(o, &d, &err);
  if (st != WEIR_OK) return weir_cli_error(&err);
  st = show(o, &d, &err);
  bool is_equal = weir_diff_is_equal(&d);
  weir_diff_free(&d);
  if (st != WEIR_OK) return weir_cli_error(&err);
  return o->has_exit_code && !is_equal ? WEIR_EXIT_FAILED : WEIR_EXIT_OK;
}

/* -1: go on. */
static int take(struct opts *o, int opt, const char *value) {
  int64_t n;
  if (opt == OPT_KERNELS) o->has_kernels = true;
  if (opt == OPT_JSON) o->is_json = true;
  if (opt == OPT_EXIT_CODE) o->has_exit_code = true;
  if (opt == OPT_TOP) {
    if (!weir_parse_int(value, &n) || n < 0)
      return weir_cli_usage("diff", "--top '%s': how many rows, 0 for all", value);
    o->view.top = (size_t)n;
    o->has_top = true;
  }
  if (opt == OPT_MIN && (!weir_parse_real(value, &o->view.least) || o->view.least < 0))
    return weir_cli_usage("diff", "--min '%s': a number of percent, 0 or more", value);
  if (opt == WEIR_OPT_WORD) {
    if (o->n_names == 2)
      return weir_cli_usage("diff", "two results are compared; '%s' is a third", value);
    o->name[o->n_names++] = value;
  }
  return -1;
}

int weir_cmd_diff(int argc, char **argv) {
  enum { TOP = 20 };
  struct weir_args args = {.argc = argc, .argv = argv, .at = 1};
  struct opts o = {0};
  int code = -1;
  for (int opt; code < 0 && (opt = weir_opt_next(&args, &usage)) != WEIR_OPT_END;) {
    if (opt == WEIR_OPT_DONE) return args.exit_code;
    code = take(&o, opt, args.value);
  }
  if (code >= 0) return code;
  if (o.n_names < 2) return weir_cli_usage("diff", "compare which two? weir diff A B");
  if (!o.has_top) o.view.top = o.is_json ? 0 : TOP;
  return diff(&o);
}
