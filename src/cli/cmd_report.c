/* weir report: results as one HTML page. */
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "cli/cmd.h"
#include "cli/page_output.h"
#include "cli/version.h"
#include "report/page.h"

enum { OPT_OUTPUT = 1, OPT_BASELINE, OPT_ONLY, OPT_WHERE, OPT_STAT, OPT_SOURCE, OPT_TITLE };

static const struct weir_usage usage = {
    .command = "report",
    .synopsis = "STORE|COMPARE.json|CHARACTERIZE.json... -o PAGE.html [OPTION]...",
    .about =
        "Writes results as one HTML page with charts and tables, to be looked at in a browser, "
        "sent\n"
        "to somebody or kept: the file needs nothing else, and asks nothing of any network.\n\n"
        "Of a study (a store of weir sweep, or the JSON of weir compare) it has speed-ups with "
        "their\n"
        "geometric means and intervals, what became of loads, what scheduler slots were spent on,\n"
        "energy and storage against speed-up, a map of what was swept, kernels and all runs; of "
        "each\n"
        "characterised workload (JSON of weir characterize) miss-ratio curves, reuse distances, "
        "and\n"
        "its loads beside the source text. One study and any number of these make a page.\n\n"
        "Charts are drawn by Chart.js, which is taken from Debian's package libjs-chart.js (or "
        "from\n"
        "the file that WEIR_CHART_JS names) and put into the page with its licence.",
    .opts =
        (const struct weir_opt[]){
            {"output", 'o', "FILE", "the page; '-' is stdout", OPT_OUTPUT},
            {"baseline", 'b', "KEY=VALUE[,...]",
             "what speed-ups are relative to: the run that is the same but for these keys.\n"
             "Without this the scheme baseline, or that of the comparison",
             OPT_BASELINE},
            {"only", 0, "KEY=VALUE[,...]",
             "only runs with one of these values; keys are workload, input, gpu, scheme, seed\n"
             "and settings that were varied. May be given several times",
             OPT_ONLY},
            {"where", 'w', "CONDITION",
             "of a store, only runs for which this condition of SQL is true (docs/store.md)",
             OPT_WHERE},
            {"stat", 0, "NAME", "one more statistic in the tables; may be given several times",
             OPT_STAT},
            {"source", 0, "DIR",
             "look for the source files of loads here, too; may be given several times",
             OPT_SOURCE},
            {"title", 0, "TEXT", "its title, instead of the name of the file", OPT_TITLE},
            {.name = NULL}},
    .examples =
        "  weir report s.db -o page.html\n"
        "  weir report s.db --only gpu=v100 --baseline scheme=baseline,l1.size=16K -o v100.html\n"
        "  weir report compared.json -o compared.html --title 'Two designs'\n"
        "  weir report compared.json loads.json -o all.html\n"
        "  weir report loads.json --source my -o loads.html\n",
};

struct opts {
  const char *output;
  struct weir_cli_names files, only, stats, sources;
  struct weir_page_options page;
};

static bool take(struct opts *o, int id, const char *value) {
  switch (id) {
  case OPT_OUTPUT:
    o->output = value;
    return true;
  case OPT_BASELINE:
    o->page.baseline = value;
    return true;
  case OPT_WHERE:
    o->page.where = value;
    return true;
  case OPT_TITLE:
    o->page.title = value;
    return true;
  case OPT_ONLY:
    return WEIR_PUSH(o->only, value);
  case OPT_STAT:
    return WEIR_PUSH(o->stats, value);
  case OPT_SOURCE:
    return WEIR_PUSH(o->sources, value);
  default:
    return WEIR_PUSH(o->files, value);
  }
}

/* Returns -1 to go on, else the exit code. */
static int parse_options(int argc, char **argv, struct opts *o) {
  struct weir_args args = {.argc = argc, .argv = argv, .at = 1};
  for (int id; (id = weir_opt_next(&args, &usage)) != WEIR_OPT_END;) {
    if (id == WEIR_OPT_DONE) return args.exit_code;
    if (!take(o, id, args.value)) {
      struct weir_err err;
      weir_fail(&err, WEIR_ENOMEM, "out of memory");
      return weir_cli_error(&err);
    }
  }
  if (o->files.n == 0) return weir_cli_usage("report", "which store, or which JSON?");
  if (o->output == NULL)
    return weir_cli_usage("report", "where to? -o page.html (or '-o -' for stdout)");
  o->page.only = o->only.v;
  o->page.n_only = o->only.n;
  o->page.stats = o->stats.v;
  o->page.n_stats = o->stats.n;
  o->page.sources = o->sources.v;
  o->page.n_sources = o->sources.n;
  return -1;
}

static enum weir_status draw(const struct weir_page *page, const void *self, struct weir_text *out,
                             struct weir_err *err) {
  (void)self;
  return weir_page_html(page, weir_cli_version(), out, err);
}

int weir_cmd_report(int argc, char **argv) {
  struct opts o = {0};
  int code = parse_options(argc, argv, &o);
  if (code < 0) code = weir_cli_page(&o.files, &o.page, o.output, draw, NULL);
  free(o.files.v);
  free(o.only.v);
  free(o.stats.v);
  free(o.sources.v);
  return code;
}
