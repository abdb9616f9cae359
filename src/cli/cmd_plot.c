/* weir plot: one figure as SVG. */
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/number.h"
#include "base/suggest.h"
#include "cli/cmd.h"
#include "cli/page_output.h"
#include "report/plot.h"

enum {
  OPT_FIGURE = 1,
  OPT_OUTPUT,
  OPT_BASELINE,
  OPT_ONLY,
  OPT_WHERE,
  OPT_X,
  OPT_Y,
  OPT_VALUE,
  OPT_WIDTH,
  OPT_HEIGHT,
  OPT_TITLE
};

static const struct weir_usage usage = {
    .command = "plot",
    .synopsis = "STORE|COMPARE.json|CHARACTERIZE.json... --figure FIGURE -o FILE.svg [OPTION]...",
    .about =
        "Draws one figure of results as SVG, for papers; 'rsvg-convert -f pdf -o f.pdf f.svg' "
        "makes\n"
        "PDF of it. The numbers are those of 'weir report', which has them all on one page.\n\n"
        "Figures:\n"
        "  speedup       each scheme over the baseline, by workload, with geometric means and, of\n"
        "                several seeds, 95 % intervals\n"
        "  composition   loads that hit, joined a pending line, missed, or bypassed the L1\n"
        "  stalls        what scheduler slots were spent on\n"
        "  energy        energy of the L1 against speed-up, geometric means\n"
        "  storage       hardware of the L1 beside tags and data against speed-up, geometric "
        "means\n"
        "  heat          speed-up, or any statistic, by two keys that were varied\n"
        "  mrc           miss ratio by the size of the L1, of characterised workloads",
    .opts =
        (const struct weir_opt[]){
            {"figure", 'f', "FIGURE", "one of the above", OPT_FIGURE},
            {"output", 'o', "FILE", "the SVG; '-' is stdout", OPT_OUTPUT},
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
            {"x", 0, "KEY", "columns of the heat map; without this what was varied", OPT_X},
            {"y", 0, "KEY", "its rows", OPT_Y},
            {"value", 0, "STAT", "what it shows: 'speedup' or a statistic", OPT_VALUE},
            {"width", 0, "N", "of the figure; without this as it needs", OPT_WIDTH},
            {"height", 0, "N", "likewise", OPT_HEIGHT},
            {"title", 0, "TEXT", "above the figure, instead of what it shows; '' for none",
             OPT_TITLE},
            {.name = NULL}},
    .examples =
        "  weir plot s.db --figure speedup --only gpu=v100 --only l1.size=16K -o speedup.svg\n"
        "  weir plot s.db --figure heat --x l1.size --y workload --only gpu=v100 --only "
        "scheme=tsc -o heat.svg\n"
        "  weir plot compared.json --figure composition -o composition.svg\n"
        "  weir plot compared.json --figure energy --title '' -o energy.svg\n"
        "  weir plot loads.json --figure mrc -o mrc.svg\n",
};

struct opts {
  const char *output;
  struct weir_cli_names files, only;
  struct weir_page_options page;
  struct weir_plot_options plot;
};

static enum weir_status set_size(const char *option, const char *value, double *out,
                                 struct weir_err *err) {
  int64_t n;
  if (!weir_parse_int(value, &n) || n < 100 || n > 10000)
    return weir_fail(err, WEIR_EINVAL, "%s %s: want a number from 100 to 10000", option, value);
  *out = (double)n;
  return WEIR_OK;
}

static enum weir_status set_figure(struct opts *o, const char *value, struct weir_err *err) {
  struct weir_text all = {0};
  size_t n = 0;
  for (; weir_plot_figures[n] != NULL; n++) {
    if (strcmp(weir_plot_figures[n], value) == 0) o->plot.figure = weir_plot_figures[n];
    weir_text_printf(&all, "%s%s", n > 0 ? ", " : "", weir_plot_figures[n]);
  }
  if (o->plot.figure == NULL) {
    const char *near = weir_nearest(value, weir_plot_figures, n);
    weir_fail(err, WEIR_EINVAL, "--figure %.100s: there is no such figure", value);
    if (near != NULL)
      weir_err_add(err, "did you mean '%s'?", near);
    else
      weir_err_add(err, "figures are %s", all.v != NULL ? all.v : "in the help");
  }
  weir_text_free(&all);
  return o->plot.figure != NULL ? WEIR_OK : WEIR_EINVAL;
}

static enum weir_status push(struct weir_cli_names *list, const char *value, struct weir_err *err) {
  return WEIR_PUSH(*list, value) ? WEIR_OK : weir_fail(err, WEIR_ENOMEM, "out of memory");
}

static enum weir_status take(struct opts *o, int id, const char *value, struct weir_err *err) {
  const char **texts[] = {[OPT_OUTPUT] = &o->output,    [OPT_BASELINE] = &o->page.baseline,
                          [OPT_WHERE] = &o->page.where, [OPT_X] = &o->plot.x,
                          [OPT_Y] = &o->plot.y,         [OPT_VALUE] = &o->plot.value,
                          [OPT_TITLE] = &o->plot.title};
  switch (id) {
  case OPT_FIGURE:
    return set_figure(o, value, err);
  case OPT_WIDTH:
    return set_size("--width", value, &o->plot.width, err);
  case OPT_HEIGHT:
    return set_size("--height", value, &o->plot.height, err);
  case OPT_ONLY:
    return push(&o->only, value, err);
  case WEIR_OPT_WORD:
    return push(&o->files, value, err);
  default:
    *texts[id] = value;
    return WEIR_OK;
  }
}

/* Returns -1 to go on, else the exit code. */
static int parse_options(int argc, char **argv, struct opts *o) {
  struct weir_args args = {.argc = argc, .argv = argv, .at = 1};
  struct weir_err err;
  for (int id; (id = weir_opt_next(&args, &usage)) != WEIR_OPT_END;) {
    if (id == WEIR_OPT_DONE) return args.exit_code;
    if (take(o, id, args.value, &err) != WEIR_OK) return weir_cli_error(&err);
  }
  bool is_heat = o->plot.figure != NULL && strcmp(o->plot.figure, "heat") == 0;
  if (o->files.n == 0) return weir_cli_usage("plot", "which store, or which JSON?");
  if (o->plot.figure == NULL) return weir_cli_usage("plot", "which figure? --figure speedup");
  if (o->output == NULL)
    return weir_cli_usage("plot", "where to? -o figure.svg (or '-o -' for stdout)");
  if (!is_heat && (o->plot.x != NULL || o->plot.y != NULL || o->plot.value != NULL))
    return weir_cli_usage("plot", "--x, --y and --value are for --figure heat");
  o->page.only = o->only.v;
  o->page.n_only = o->only.n;
  if (o->plot.value != NULL && strcmp(o->plot.value, "speedup") != 0) {
    o->page.stats = &o->plot.value;
    o->page.n_stats = 1;
  }
  return -1;
}

static enum weir_status draw(const struct weir_page *page, const void *self, struct weir_text *out,
                             struct weir_err *err) {
  return weir_plot(page, self, out, err);
}

int weir_cmd_plot(int argc, char **argv) {
  struct opts o = {0};
  int code = parse_options(argc, argv, &o);
  if (code < 0) code = weir_cli_page(&o.files, &o.page, o.output, draw, &o.plot);
  free(o.files.v);
  free(o.only.v);
  return code;
}
