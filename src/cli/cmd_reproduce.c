/* weir reproduce PAPER [FIGURE ...]: runs a paper's figures and judges its claims. */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/config.h"
#include "cli/cmd.h"
#include "cli/job.h"
#include "cli/sweep.h"
#include "report/paper.h"
#include "session/data.h"

enum { OPT_STORE = 1, OPT_QUICK, OPT_MARKDOWN, OPT_SHARD, OPT_JOBS, OPT_LIST, OPT_KEPT, OPT_QUIET };

static const struct weir_usage usage = {
    .command = "reproduce",
    .synopsis = "PAPER|all|FILE.yaml [FIGURE ...] [options]",
    .about =
        "Run the figures and tables of a paper on the machine, the designs and the workloads that "
        "it\n"
        "names, print them in its layout with its numbers beside, with a coin (random bypass at "
        "its best)\n"
        "and the bound, and say of each claim: reproduced, direction only, not, or not "
        "comparable, and\n"
        "what the statistics say about it. The rules are the same for all papers "
        "(docs/paper-files.md).\n"
        "\n"
        "S0: Decoupled L1D. S1: two-level bypassing. S2: PC-based bypassing. S3: tag-split cache.\n"
        "S4: coordinated static and dynamic bypassing.\n"
        "\n"
        "Each run is kept in a store when it ends: the same command goes on where it was. A whole "
        "paper\n"
        "takes an hour or several; --quick takes small inputs, to see that all works: its numbers "
        "mean\n"
        "nothing.",
    .opts =
        (const struct weir_opt[]){
            {"store", 0, "FILE", "where the runs are kept (default: reproduce.db)", OPT_STORE},
            {"quick", 0, NULL, "the workloads' inputs 'test', in a minute or two", OPT_QUICK},
            {"markdown", 0, "FILE", "write what came out as Markdown, too", OPT_MARKDOWN},
            {"shard", 0, "I/N",
             "do one share of the runs, as 'weir worker' does: --store is a folder, and there are "
             "no\n"
             "tables; 'weir merge FOLDER -o FILE', then the same command without it",
             OPT_SHARD},
            {"jobs", 0, "N", "runs at a time (default: one for each core)", OPT_JOBS},
            {"kept", 0, NULL,
             "time nothing: figures and verdicts from what the store has, with what is missing "
             "left "
             "blank",
             OPT_KEPT},
            {"list", 0, NULL, "print the figures and their claims, and run nothing", OPT_LIST},
            {"quiet", 'q', NULL, "print nothing but errors", OPT_QUIET},
            {.name = NULL}},
    .examples = "  weir reproduce S3 --quick\n"
                "  weir reproduce S0 'Fig 8' --store s0.db\n"
                "  weir reproduce all --store all.db --markdown reproduction.md\n",
};

struct words {
  const char **v;
  size_t n, cap;
};

struct reproduce {
  struct words words; /* the paper, then figures */
  const char *store, *markdown, *shard, *jobs;
  bool is_quick, is_list, is_kept, is_quiet, was_checked; /* the store, by a run before */
  struct weir_arena arena;
  struct weir_text text, page, counts; /* counts: rows of the page's first table */
  struct weir_paper_counts all;
  size_t n_found, n_failed;
};

static enum weir_status no_memory(struct weir_err *err) {
  return weir_fail(err, WEIR_ENOMEM, "out of memory");
}

/* ---- which figures ---- */

/* "fig8" is "Fig 8". */
static bool is_same_id(const char *a, const char *b) {
  for (;; a++, b++) {
    a += strspn(a, " .");
    b += strspn(b, " .");
    if (tolower((unsigned char)*a) != tolower((unsigned char)*b)) return false;
    if (*a == 0) return true;
  }
}

static bool is_wanted(const struct reproduce *o, const struct weir_paper_figure *f) {
  for (size_t i = 1; i < o->words.n; i++)
    if (is_same_id(o->words.v[i], f->id)) return true;
  return o->words.n == 1;
}

static void list_figure(struct reproduce *o, const struct weir_paper_figure *f) {
  weir_text_printf(&o->text, "%s: %s (%zu rows, %zu columns)\n", f->id, f->title, f->n_rows,
                   f->n_columns);
  for (size_t i = 0; i < f->n_claims; i++)
    weir_text_printf(&o->text, "  - %s\n", f->claims[i].says);
}

/* ---- rows ---- */

/* What must not count: a sketch, or nothing at all. */
static enum weir_status find_sketches(struct reproduce *o, struct weir_paper_table *t,
                                      struct weir_err *err) {
  for (size_t r = 0; r < t->figure->n_rows; r++) {
    const struct weir_paper_row *row = &t->paper->rows[t->figure->rows[r]];
    const char *path, *sketch;
    struct weir_config c;
    t->sketches[r] = row->workload == NULL ? "there is no workload for it" : NULL;
    if (row->workload == NULL) continue;
    enum weir_status st = weir_data_workload(&o->arena, row->workload, &path, err);
    if (st == WEIR_OK) st = weir_config_load(&c, path, err);
    if (st != WEIR_OK) return st;
    sketch = weir_config_get(&c, "origin.sketch");
    if (sketch != NULL) t->sketches[r] = weir_arena_printf(&o->arena, "%s", sketch);
    weir_config_free(&c);
    if (sketch != NULL && t->sketches[r] == NULL) return no_memory(err);
  }
  return WEIR_OK;
}

/* ---- runs ---- */

static bool has_same_sets(const struct weir_paper_column *a, const struct weir_paper_column *b) {
  bool is_same = a->n_sets == b->n_sets;
  for (size_t i = 0; is_same && i < a->n_sets; i++)
    is_same = strcmp(a->sets[i], b->sets[i]) == 0;
  return is_same;
}

static const struct weir_paper_column *column_of(const struct weir_paper_table *t, size_t c) {
  return &t->paper->columns[t->figure->columns[c]];
}

static bool add_once(struct words *list, const char *word) {
  for (size_t i = 0; i < list->n; i++)
    if (strcmp(list->v[i], word) == 0) return true;
  return WEIR_PUSH(*list, word);
}

/* The best of several values is found when all shares are there. */
static bool is_left_out(struct reproduce *o, const char *scheme) {
  const char *path;
  struct weir_config c;
  if (o->shard == NULL || weir_data_scheme(&o->arena, scheme, &path, NULL) != WEIR_OK ||
      weir_config_load_settings(&c, path, NULL) != WEIR_OK)
    return false;
  bool is = weir_config_find(&c, 0, "best") != 0;
  weir_config_free(&c);
  return is;
}

/* The line of weir sweep that runs columns with the settings of column `like`. */
static bool make_line(struct reproduce *o, const struct weir_paper_table *t, size_t like,
                      struct words *line) {
  const struct weir_paper_figure *f = t->figure;
  struct words workloads = {0}, schemes = {0};
  bool ok = WEIR_PUSH(*line, o->shard != NULL ? "worker" : "sweep");
  for (size_t r = 0; ok && r < f->n_rows; r++)
    if (t->paper->rows[f->rows[r]].workload != NULL)
      ok = add_once(&workloads, t->paper->rows[f->rows[r]].workload);
  for (size_t c = 0; ok && c < f->n_columns; c++)
    if (has_same_sets(column_of(t, like), column_of(t, c)) &&
        !is_left_out(o, column_of(t, c)->scheme))
      ok = add_once(&schemes, column_of(t, c)->scheme);
  for (size_t i = 0; ok && i < workloads.n; i++)
    ok = WEIR_PUSH(*line, workloads.v[i]);
  const char *all = "";
  for (size_t i = 0; ok && i < schemes.n; i++)
    ok =
        (all = weir_arena_printf(&o->arena, "%s%s%s", all, i > 0 ? "," : "", schemes.v[i])) != NULL;
  const char *input = o->is_quick ? "test" : f->input != NULL ? f->input : "eval";
  const char *const options[][2] = {{"--schemes", all},    {"--gpus", f->gpu},
                                    {"--input", input},    {"--store", o->store},
                                    {"--shard", o->shard}, {"--jobs", o->jobs}};
  for (size_t i = 0; ok && i < sizeof options / sizeof options[0]; i++)
    if (options[i][1] != NULL)
      ok = WEIR_PUSH(*line, options[i][0]) && WEIR_PUSH(*line, options[i][1]);
  for (size_t i = 0; ok && i < column_of(t, like)->n_sets; i++)
    ok = WEIR_PUSH(*line, "--set") && WEIR_PUSH(*line, column_of(t, like)->sets[i]);
  if (ok && o->is_quiet) ok = WEIR_PUSH(*line, "--quiet");
  free(workloads.v);
  free(schemes.v);
  return ok && WEIR_PUSH(*line, NULL);
}

static size_t index_of(const char *const *v, size_t n, const char *name) {
  for (size_t i = 0; i < n; i++)
    if (strcmp(v[i], name) == 0) return i;
  return n;
}

/* What one comparison found, into its cells. */
static enum weir_status take(struct reproduce *o, struct weir_paper_table *t, size_t like,
                             const struct weir_comparison *c, struct weir_err *err) {
  const struct weir_study *s = &c->study;
  enum weir_status st = WEIR_OK;
  for (size_t i = 0; st == WEIR_OK && i < t->figure->n_rows * t->figure->n_columns; i++) {
    size_t row = i / t->figure->n_columns, column = i % t->figure->n_columns, w = 0;
    const char *name = t->paper->rows[t->figure->rows[row]].workload;
    if (name == NULL || !has_same_sets(column_of(t, like), column_of(t, column))) continue;
    while (w < s->n_workloads && strcmp(s->workloads[w].name, name) != 0)
      w++;
    size_t k = index_of(c->schemes.v, c->schemes.n, column_of(t, column)->scheme);
    if (w == s->n_workloads || k == c->schemes.n) continue;
    const struct weir_run *run = weir_study_at(s, w, 0, k);
    if (run->state == WEIR_RUN_DONE) {
      st = weir_paper_table_put(t, row, column, weir_study_setup(s, 0, k)->setup, run, err);
      continue;
    }
    const char *why = weir_study_reason(s, (size_t)(run - s->runs));
    const char *text = weir_arena_printf(&o->arena, "%s", why != NULL ? why : "not run");
    if (text == NULL) return no_memory(err);
    weir_paper_cell(t, row, column)->why = text;
    weir_paper_cell(t, row, column)->is_left = run->state == WEIR_RUN_LEFT;
    o->n_failed += run->state == WEIR_RUN_FAILED && weir_study_setup(s, 0, k)->error == NULL;
  }
  return st;
}

/* Returns -1 to go on, else the exit code. */
static int run_group(struct reproduce *o, struct weir_paper_table *t, size_t like) {
  struct words line = {0};
  struct weir_comparison c;
  struct weir_err err;
  if (!make_line(o, t, like, &line)) {
    free(line.v);
    no_memory(&err);
    return weir_cli_error(&err);
  }
  char **argv = (char **)(uintptr_t)line.v; /* sweep writes to none of them */
  int code = weir_sweep_begin((int)line.n - 1, argv, o->shard != NULL, &c);
  c.keeping.wants_results = o->shard == NULL;
  c.keeping.only_kept = o->is_kept;
  c.may_search = o->shard == NULL;
  c.store_options.was_checked = o->was_checked;
  if (code < 0) {
    enum weir_status st = weir_sweep_run(&c, &err);
    if (st == WEIR_OK && weir_cli_signal() == 0 && o->shard == NULL)
      st = take(o, t, like, &c, &err);
    o->was_checked |= st == WEIR_OK;
    if (st != WEIR_OK) code = weir_cli_error(&err);
    if (weir_cli_signal() != 0) code = 128 + weir_cli_signal();
  }
  weir_comparison_free(&c);
  free(line.v);
  return code;
}

static int run_columns(struct reproduce *o, struct weir_paper_table *t) {
  int code = -1;
  for (size_t c = 0; code < 0 && c < t->figure->n_columns; c++) {
    bool is_first = true;
    for (size_t k = 0; k < c; k++)
      is_first &= !has_same_sets(column_of(t, k), column_of(t, c));
    if (is_first) code = run_group(o, t, c);
  }
  return code;
}

/* ---- figures and papers ---- */

static enum weir_status report(struct reproduce *o, struct weir_paper_table *t,
                               struct weir_paper_counts *counts, struct weir_err *err) {
  struct weir_paper_counts again = {0};
  enum weir_status st = weir_paper_table_show(t, err);
  if (st == WEIR_OK) st = weir_paper_figure(t, WEIR_PAPER_TEXT, counts, &o->text, err);
  if (st == WEIR_OK && o->markdown != NULL)
    st = weir_paper_figure(t, WEIR_PAPER_MARKDOWN, &again, &o->page, err);
  return st;
}

static int run_figure(struct reproduce *o, const struct weir_paper *p,
                      const struct weir_paper_figure *f, struct weir_paper_counts *counts) {
  struct weir_paper_table t;
  struct weir_err err;
  int code = -1;
  if (!o->is_quiet) fprintf(stderr, "%s %s: %s\n", p->name, f->id, f->title);
  enum weir_status st = weir_paper_table_open(&t, p, f, &err);
  if (st == WEIR_OK) st = find_sketches(o, &t, &err);
  if (st == WEIR_OK) code = run_columns(o, &t);
  if (st == WEIR_OK && code < 0 && o->shard == NULL) st = report(o, &t, counts, &err);
  if (st != WEIR_OK) code = weir_cli_error(&err);
  weir_paper_table_close(&t);
  return code;
}

static int run_paper(struct reproduce *o, const char *path) {
  struct weir_paper p;
  struct weir_paper_counts counts = {0};
  struct weir_err err;
  int code = -1;
  enum weir_status st = weir_paper_load(path, &p, &err);
  if (st != WEIR_OK) return weir_cli_error(&err);
  st = weir_paper_head(&p, WEIR_PAPER_TEXT, &o->text, &err);
  if (st == WEIR_OK) st = weir_paper_head(&p, WEIR_PAPER_MARKDOWN, &o->page, &err);
  for (size_t i = 0; st == WEIR_OK && code < 0 && i < p.n_figures; i++) {
    if (!is_wanted(o, &p.figures[i])) continue;
    o->n_found++;
    if (o->is_list)
      list_figure(o, &p.figures[i]);
    else
      code = run_figure(o, &p, &p.figures[i], &counts);
  }
  if (!o->is_list && o->shard == NULL) {
    weir_text_printf(&o->text, "%s: ", p.name);
    weir_paper_sum(&counts, &o->text);
    weir_text_printf(&o->page, "**%s in all.** ", p.name);
    weir_paper_sum(&counts, &o->page);
    weir_text_puts(&o->page, "\n");
    weir_paper_counts_row(p.name, &counts, &o->counts);
    for (size_t v = 0; v < WEIR_N_VERDICTS; v++)
      o->all.n[v] += counts.n[v];
    o->all.by_chance += counts.by_chance;
  }
  weir_text_puts(&o->text, "\n");
  weir_paper_free(&p);
  return st == WEIR_OK ? code : weir_cli_error(&err);
}

/* The page of several papers begins with what came of all. */
static void put_front(struct reproduce *o) {
  struct weir_text page = {0};
  weir_text_puts(&page, "# What came of the papers\n\n");
  weir_text_printf(&page, "Written by `weir reproduce %s --markdown`. ", o->words.v[0]);
  weir_text_puts(&page, "[paper-files.md](paper-files.md) has the rules of the verdicts, which\n"
                        "were fixed before anything was run. *Random* is bypassing by chance with "
                        "the probability that\nis best for each workload, *bound* the most that "
                        "any L1 of the size could hit.\n\n");
  weir_paper_counts_head(&page);
  weir_text_puts(&page, o->counts.v);
  weir_paper_counts_row("all", &o->all, &page);
  weir_text_puts(&page, "\n");
  weir_text_puts(&page, o->page.v);
  page.failed |= o->page.failed || o->counts.failed;
  weir_text_free(&o->page);
  o->page = page;
}

static int finish(struct reproduce *o) {
  struct weir_err err;
  if (strcmp(o->words.v[0], "all") == 0 && !o->is_list && o->shard == NULL) put_front(o);
  enum weir_status st = o->text.failed || o->page.failed ? no_memory(&err) : WEIR_OK;
  if (st == WEIR_OK && o->markdown != NULL)
    st = weir_cli_put(o->markdown, o->page.v, o->page.n, &err);
  if (st == WEIR_OK) st = weir_cli_commit(&err);
  if (st != WEIR_OK) return weir_cli_error(&err);
  if (!o->is_quiet && o->shard == NULL && !weir_cli_is_stdout(o->markdown)) {
    int code = weir_cli_print(&o->text);
    o->text = (struct weir_text){0};
    if (code != 0) return code;
  }
  return o->n_failed > 0 ? WEIR_EXIT_FAILED : WEIR_EXIT_OK;
}

static int reproduce(struct reproduce *o) {
  const char *const *names;
  size_t n;
  struct weir_err err;
  int code = -1;
  enum weir_status st = weir_cli_output("--markdown", o->markdown, &err);
  if (st == WEIR_OK && strcmp(o->words.v[0], "all") == 0) {
    st = weir_data_papers(&o->arena, &names, &n, &err);
  } else {
    names = o->words.v;
    n = 1;
  }
  for (size_t i = 0; st == WEIR_OK && code < 0 && i < n; i++) {
    const char *path;
    st = weir_data_paper(&o->arena, names[i], &path, &err);
    if (st == WEIR_OK) code = run_paper(o, path);
  }
  if (st != WEIR_OK) return weir_cli_error(&err);
  if (code >= 0) return code;
  if (o->n_found == 0)
    return weir_cli_usage("reproduce", "%s has no such figure; --list shows what there is",
                          o->words.v[0]);
  return finish(o);
}

/* Returns -1 to go on, else the exit code. */
static int parse_options(int argc, char **argv, struct reproduce *o) {
  struct weir_args args = {.argc = argc, .argv = argv, .at = 1};
  struct weir_err err;
  for (int id; (id = weir_opt_next(&args, &usage)) != WEIR_OPT_END;) {
    const char **const texts[] = {[OPT_STORE] = &o->store,
                                  [OPT_MARKDOWN] = &o->markdown,
                                  [OPT_SHARD] = &o->shard,
                                  [OPT_JOBS] = &o->jobs};
    bool *const flags[] = {[OPT_QUICK] = &o->is_quick,
                           [OPT_LIST] = &o->is_list,
                           [OPT_KEPT] = &o->is_kept,
                           [OPT_QUIET] = &o->is_quiet};
    if (id == WEIR_OPT_DONE) return args.exit_code;
    if (id == WEIR_OPT_WORD) {
      if (WEIR_PUSH(o->words, args.value)) continue;
      no_memory(&err);
      return weir_cli_error(&err);
    }
    if (id < (int)(sizeof flags / sizeof flags[0]) && flags[id] != NULL)
      *flags[id] = true;
    else
      *texts[id] = args.value;
  }
  if (o->words.n == 0)
    return weir_cli_usage("reproduce",
                          "which paper? S0 to S4, all, or a file (docs/paper-files.md)");
  if (o->is_kept && o->shard != NULL)
    return weir_cli_usage("reproduce", "--kept runs nothing, and --shard a share: choose one");
  if (o->store == NULL && o->shard != NULL)
    return weir_cli_usage("reproduce", "where do shares go? Say --store FOLDER");
  if (o->store == NULL) o->store = "reproduce.db";
  return -1;
}

int weir_cmd_reproduce(int argc, char **argv) {
  struct reproduce o = {0};
  int code = parse_options(argc, argv, &o);
  o.text = weir_cli_text();
  if (code < 0) code = reproduce(&o);
  free(o.words.v);
  weir_text_free(&o.text);
  weir_text_free(&o.page);
  weir_text_free(&o.counts);
  weir_arena_free(&o.arena);
  return code;
}
