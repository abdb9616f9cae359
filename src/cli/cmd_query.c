/* weir query STORE SQL */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "cli/cmd.h"
#include "cli/job.h"
#include "cli/opt.h"
#include "report/query.h"
#include "study/store.h"

enum { OPT_FILE = 1, OPT_CSV, OPT_JSON, OPT_TABLES };

static const struct weir_usage usage = {
    .command = "query",
    .synopsis = "STORE [SQL | - | -f FILE] [--csv | --json]",
    .about =
        "Ask a store of results (docs/store.md) with SQL. Without SQL: what there is to ask "
        "about.\n"
        "The views run_results and kernel_results have a column for each statistic; names with\n"
        "dots stand in brackets. Besides the functions of SQLite there are\n"
        "  geomean(x), median(x)   of the rows of a group\n"
        "  bytes('16K')            16384, so that sizes can be put in order\n"
        "  setting(run, 'l1.size') the value of a setting of a run\n"
        "Several statements have a table each. Nothing is written, whatever the statement is.",
    .opts =
        (const struct weir_opt[]){
            {"file", 'f', "FILE", "read the SQL from a file; '-': from stdin", OPT_FILE},
            {"csv", 0, NULL, "as CSV (RFC 4180), with all digits", OPT_CSV},
            {"json", 0, NULL,
             "as JSON: a list with an object for each row; of several statements a\n"
             "list of such lists",
             OPT_JSON},
            {"tables", 't', NULL, "what there is: runs, tables and columns, statistics",
             OPT_TABLES},
            {.name = NULL}},
    .examples =
        "  weir query s.db\n"
        "  weir query s.db 'SELECT workload, scheme, [cycles] FROM run_results'\n"
        "  weir query s.db \"SELECT workload, message FROM runs WHERE status <> 'ok'\"\n"
        "  weir query s.db \"SELECT scheme, median([derived.ipc]) FROM run_results GROUP BY 1\"\n"
        "  weir query s.db --csv \"SELECT *, setting(run, 'l1.size') AS size FROM run_results\"\n",
};

struct query_opts {
  const char *store, *sql, *file;
  bool is_csv, is_json, is_overview;
};

/* ---- the text ---- */

static enum weir_status read_stdin(struct weir_text *out, struct weir_err *err) {
  char piece[4096];
  for (size_t n; (n = fread(piece, 1, sizeof piece, stdin)) > 0;)
    weir_text_add(out, piece, n);
  if (ferror(stdin))
    return weir_fail(err, WEIR_EIO, "cannot read the query from stdin: %s", strerror(errno));
  return out->failed ? weir_fail(err, WEIR_ENOMEM, "out of memory") : WEIR_OK;
}

static enum weir_status read_sql(const struct query_opts *o, struct weir_text *out,
                                 const char **origin, struct weir_err *err) {
  char *data;
  size_t n;
  enum weir_status st = WEIR_OK;
  *origin = o->file != NULL ? o->file : "SQL";
  if (o->file != NULL && strcmp(o->file, "-") == 0) {
    *origin = "stdin";
    st = read_stdin(out, err);
  } else if (o->file != NULL) {
    st = weir_file_read(o->file, 0, NULL, &data, &n, err);
    if (st != WEIR_OK) return st;
    weir_text_add(out, data, n);
    free(data);
  } else {
    weir_text_puts(out, o->sql);
  }
  weir_text_puts(out, "");
  if (st == WEIR_OK && out->failed) st = weir_fail(err, WEIR_ENOMEM, "out of memory");
  if (st == WEIR_OK && strlen(out->v) != out->n)
    st = weir_fail(err, WEIR_EPARSE, "%s: it is no text: it has a byte 0", *origin);
  return st;
}

/* ---- the answer ---- */

static enum weir_status put(void *self, const char *text, size_t n, struct weir_err *err) {
  (void)self;
  return weir_cli_put("-", text, n, err);
}

static enum weir_status ask(struct weir_store *s, const struct query_opts *o, const char *sql,
                            const char *origin, struct weir_err *err) {
  const struct weir_query_options options = {.origin = origin, .is_stopped = weir_cli_is_stopped};
  const struct weir_sink to = {.put = put, .screen = weir_cli_screen(STDOUT_FILENO)};
  struct weir_query *q;
  enum weir_query_format format = o->is_csv    ? WEIR_QUERY_CSV
                                  : o->is_json ? WEIR_QUERY_JSON
                                               : WEIR_QUERY_TABLE;
  enum weir_status st = weir_query_open(s, sql, &options, &q, err);
  if (st == WEIR_OK) st = weir_query_show(q, format, &to, err);
  weir_query_close(q);
  return st;
}

static enum weir_status answer(struct weir_store *s, const struct query_opts *o,
                               struct weir_err *err) {
  struct weir_text text = weir_cli_text();
  const char *origin;
  enum weir_status st;
  if (o->is_overview) {
    st = weir_store_overview(s, o->store, &text, err);
    if (st == WEIR_OK) st = weir_cli_put("-", text.v, text.n, err);
  } else {
    st = read_sql(o, &text, &origin, err);
    weir_cli_signals_hold();
    if (st == WEIR_OK) st = ask(s, o, text.v, origin, err);
    weir_cli_signals_release();
  }
  weir_text_free(&text);
  return st;
}

/* ---- the command line ---- */

/* -1: go on. */
static int take_word(struct query_opts *o, const char *word) {
  if (o->store == NULL)
    o->store = word;
  else if (o->sql == NULL)
    o->sql = word;
  else
    return weir_cli_usage("query", "one text of SQL, in quotes: '%s' or '%s'?", o->sql, word);
  return -1;
}

static int check_options(struct query_opts *o) {
  if (o->store == NULL)
    return weir_cli_usage("query", "query which store? weir query STORE 'SELECT ...'");
  if (o->sql != NULL && o->file != NULL)
    return weir_cli_usage("query", "SQL on the command line, or --file: both are given");
  if (o->sql != NULL && strcmp(o->sql, "-") == 0) o->file = "-";
  bool is_asked = o->sql != NULL || o->file != NULL;
  if (o->is_overview && is_asked)
    return weir_cli_usage("query", "--tables shows what there is, and takes no SQL");
  if (o->is_csv && o->is_json) return weir_cli_usage("query", "--csv or --json, not both");
  if (!is_asked && (o->is_csv || o->is_json))
    return weir_cli_usage("query", "%s is for the rows of a query, and there is no SQL",
                          o->is_csv ? "--csv" : "--json");
  o->is_overview = !is_asked;
  return -1;
}

int weir_cmd_query(int argc, char **argv) {
  struct weir_args args = {.argc = argc, .argv = argv, .at = 1};
  struct query_opts o = {0};
  struct weir_store *s;
  struct weir_err err;
  int code = -1;
  for (int opt; code < 0 && (opt = weir_opt_next(&args, &usage)) != WEIR_OPT_END;) {
    if (opt == WEIR_OPT_DONE) return args.exit_code;
    if (opt == OPT_FILE) o.file = args.value;
    if (opt == OPT_CSV) o.is_csv = true;
    if (opt == OPT_JSON) o.is_json = true;
    if (opt == OPT_TABLES) o.is_overview = true;
    if (opt == WEIR_OPT_WORD) code = take_word(&o, args.value);
  }
  if (code < 0) code = check_options(&o);
  if (code >= 0) return code;
  enum weir_status st = weir_store_open(o.store, WEIR_STORE_READ, NULL, &s, &err);
  if (st == WEIR_OK) st = answer(s, &o, &err);
  weir_store_close(s);
  if (st == WEIR_OK) return WEIR_EXIT_OK;
  code = weir_cli_error(&err);
  return weir_cli_signal() != 0 ? 128 + weir_cli_signal() : code;
}
