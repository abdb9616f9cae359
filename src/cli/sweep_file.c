/* A study from a file. */
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/config.h"
#include "cli/cmd.h"
#include "cli/sweep.h"
#include "session/groups.h"
#include "session/stat_rows.h"

#define VERSION_KEY "weir-study"
enum { VERSION = 1 };

static const char *const keys[] = {VERSION_KEY, "about", "workloads", "traces",      "programs",
                                   "input",     "gpus",  "schemes",   "plugins",     "tags",
                                   "config",    "set",   "seeds",     "constraints", "metrics"};

static enum weir_status no_memory(struct weir_err *err) {
  return weir_fail(err, WEIR_ENOMEM, "out of memory");
}

static bool ends_with(const char *s, const char *suffix) {
  size_t n = strlen(s), m = strlen(suffix);
  return n > m && strcmp(s + n - m, suffix) == 0;
}

bool weir_is_study_file(const char *path) {
  struct weir_config f;
  if (!ends_with(path, ".yaml") && !ends_with(path, ".yml")) return false;
  if (weir_config_load_settings(&f, path, NULL) != WEIR_OK) return false;
  /* One without its version is not taken for a workload. */
  bool is = weir_config_find(&f, 0, VERSION_KEY) != 0 || weir_config_find(&f, 0, "workloads") != 0;
  weir_config_free(&f);
  return is;
}

/* ---- lists ---- */

/* A scalar is a list of one. False from `each`: no memory. */
static enum weir_status each_of(struct weir_config *f, const char *key,
                                enum weir_status (*each)(void *self, const char *text,
                                                         struct weir_err *err),
                                void *self, struct weir_err *err) {
  uint32_t at = weir_config_find(f, 0, key);
  enum weir_status st = WEIR_OK;
  struct weir_err why;
  if (at == 0) return WEIR_OK;
  if (f->entry[at].kind == WEIR_MAP)
    return weir_config_fail(f, at, WEIR_EINVAL, err, "want a list: [a, b]");
  bool is_list = f->entry[at].kind == WEIR_SEQ;
  for (uint32_t i = is_list ? weir_config_first(f, at) : at; st == WEIR_OK && i != 0;
       i = is_list ? weir_config_next(f, i) : 0) {
    st = weir_config_want(f, i, WEIR_SCALAR, err);
    if (st == WEIR_OK && each(self, f->entry[i].text, &why) != WEIR_OK)
      st = weir_config_fail(f, i, why.code, err, "%s", why.msg);
  }
  return st;
}

struct names {
  struct weir_comparison *c;
  struct weir_names *list;
  const char *what;
};

/* The file's texts do not outlive it. */
static enum weir_status add_name(void *self, const char *text, struct weir_err *err) {
  struct names *n = self;
  const char *copy = weir_arena_strndup(&n->c->arena, text, strlen(text));
  return copy != NULL ? weir_comparison_name(n->list, n->what, copy, err) : no_memory(err);
}

static enum weir_status add_names(struct weir_comparison *c, struct weir_config *f, const char *key,
                                  struct weir_names *list, const char *what, struct weir_err *err) {
  struct names n = {c, list, what};
  return each_of(f, key, add_name, &n, err);
}

static enum weir_status load_plugin(void *self, const char *text, struct weir_err *err) {
  (void)self;
  return weir_groups_plugin(text, NULL, err);
}

/* ---- settings ---- */

/* "[0, 8K]" in a list is one value that has commas. */
static bool put_list(struct weir_config *f, uint32_t list, struct weir_text *out) {
  const char *mark = "";
  for (uint32_t i = weir_config_first(f, list); i != 0; i = weir_config_next(f, i)) {
    const struct weir_entry *e = &f->entry[i];
    weir_text_puts(out, mark);
    mark = ",";
    if (e->kind == WEIR_SEQ) {
      weir_text_puts(out, "[");
      if (!put_list(f, i, out)) return false;
      weir_text_puts(out, "]");
    } else if (e->kind == WEIR_SCALAR) {
      weir_text_puts(out, e->text);
    } else {
      return false;
    }
  }
  return true;
}

static bool is_given(const struct weir_comparison *c, const char *key) {
  size_t n = strlen(key);
  for (size_t i = 0; i < c->axes.n; i++)
    if (strcmp(c->axes.v[i].key, key) == 0) return true;
  for (size_t i = 0; i < c->sets.n; i++)
    if (strncmp(c->sets.v[i], key, n) == 0 && c->sets.v[i][n] == '=') return true;
  return false;
}

static enum weir_status check_key(const struct weir_config *f, uint32_t i, const char *key,
                                  struct weir_err *err) {
  struct weir_settings s;
  struct weir_where where = weir_config_key_where(f, i);
  enum weir_status st = weir_settings_init(&s, weir_param_groups(), err);
  if (st != WEIR_OK) return st;
  if (weir_settings_find(&s, key) == NULL) st = weir_settings_unknown(&s, key, &where, err);
  weir_settings_free(&s);
  return st;
}

static enum weir_status add_setting(struct weir_comparison *c, struct weir_config *f, uint32_t i,
                                    const char *key, struct weir_err *err) {
  struct weir_text text = {0};
  struct weir_err why;
  enum weir_status st = check_key(f, i, key, err);
  if (st != WEIR_OK) return st;
  weir_text_printf(&text, "%s=", key);
  if (f->entry[i].kind == WEIR_SCALAR)
    weir_text_puts(&text, f->entry[i].text);
  else if (!put_list(f, i, &text))
    st = weir_config_fail(f, i, WEIR_EINVAL, err, "want a value or a list of values");
  if (st == WEIR_OK && text.failed) st = no_memory(err);
  if (st == WEIR_OK && !is_given(c, key) && weir_comparison_axis(c, "", text.v, &why) != WEIR_OK)
    st = weir_config_fail(f, i, why.code, err, "%s", why.msg);
  weir_text_free(&text);
  return st;
}

/* Keys with dots, or groups as maps: both are the same parameter. */
static enum weir_status add_settings(struct weir_comparison *c, struct weir_config *f, uint32_t map,
                                     const char *prefix, struct weir_err *err) {
  enum weir_status st = WEIR_OK;
  for (uint32_t i = weir_config_first(f, map); st == WEIR_OK && i != 0;
       i = weir_config_next(f, i)) {
    const char *key = prefix != NULL
                          ? weir_arena_printf(&c->arena, "%s.%s", prefix, f->entry[i].key)
                          : f->entry[i].key;
    if (key == NULL)
      st = no_memory(err);
    else if (f->entry[i].kind == WEIR_MAP)
      st = add_settings(c, f, i, key, err);
    else
      st = add_setting(c, f, i, key, err);
  }
  weir_config_use_all(f, map);
  return st;
}

/* ---- the rest ---- */

static enum weir_status set_text(struct weir_comparison *c, struct weir_config *f, const char *key,
                                 const char **out, struct weir_err *err) {
  uint32_t at;
  enum weir_status st = weir_config_child(f, 0, key, WEIR_SCALAR, false, &at, err);
  if (st != WEIR_OK || at == 0 || *out != NULL) return st;
  *out = weir_arena_strndup(&c->arena, f->entry[at].text, strlen(f->entry[at].text));
  return *out != NULL ? WEIR_OK : no_memory(err);
}

static enum weir_status set_seeds(struct weir_comparison *c, struct weir_config *f,
                                  struct weir_err *err) {
  uint32_t at;
  int64_t n;
  enum weir_status st = weir_config_child(f, 0, "seeds", WEIR_SCALAR, false, &at, err);
  if (st != WEIR_OK || at == 0) return st;
  st = weir_config_int(f, at, 1, WEIR_MAX_REPEATS, &n, err);
  if (st == WEIR_OK && c->study.repeats == 0) c->study.repeats = (uint32_t)n;
  return st;
}

/* Its words, as a shell would hand them over. */
static enum weir_status add_program(struct weir_comparison *c, struct weir_config *f, uint32_t at,
                                    struct weir_err *err) {
  uint32_t n = weir_config_count(f, at), k = 0;
  char **argv = weir_arena_array(&c->arena, n + 1, sizeof *argv);
  enum weir_status st = weir_config_want(f, at, WEIR_SEQ, err);
  if (st == WEIR_OK && n == 0)
    st = weir_config_fail(f, at, WEIR_EINVAL, err, "want [./program, argument, ...]");
  if (argv == NULL) return no_memory(err);
  for (uint32_t i = weir_config_first(f, at); st == WEIR_OK && i != 0; i = weir_config_next(f, i)) {
    st = weir_config_want(f, i, WEIR_SCALAR, err);
    argv[k] = weir_arena_strndup(&c->arena, f->entry[i].text, strlen(f->entry[i].text));
    if (st == WEIR_OK && argv[k++] == NULL) st = no_memory(err);
  }
  return st == WEIR_OK ? weir_comparison_add_program(c, argv, err) : st;
}

/* Unless the command line has one. */
static enum weir_status add_programs(struct weir_comparison *c, struct weir_config *f,
                                     struct weir_err *err) {
  uint32_t list;
  enum weir_status st = weir_config_child(f, 0, "programs", WEIR_SEQ, false, &list, err);
  if (st != WEIR_OK || list == 0) return st;
  bool is_given = c->programs.n > 0;
  for (uint32_t i = weir_config_first(f, list); st == WEIR_OK && !is_given && i != 0;
       i = weir_config_next(f, i))
    st = add_program(c, f, i, err);
  weir_config_use_all(f, list);
  return st;
}

static enum weir_status add_metrics(struct weir_comparison *c, struct weir_config *f,
                                    struct weir_err *err) {
  uint32_t map;
  enum weir_status st = weir_config_child(f, 0, "metrics", WEIR_MAP, false, &map, err);
  if (st != WEIR_OK || map == 0) return st;
  for (uint32_t i = weir_config_first(f, map); st == WEIR_OK && i != 0;
       i = weir_config_next(f, i)) {
    const struct weir_entry *e = &f->entry[i];
    struct weir_metric m = {weir_arena_strndup(&c->arena, e->key, strlen(e->key)),
                            weir_arena_strndup(&c->arena, e->text, strlen(e->text))};
    st = weir_config_want(f, i, WEIR_SCALAR, err);
    if (st == WEIR_OK && (m.name == NULL || m.expression == NULL || !WEIR_PUSH(c->metrics, m)))
      st = no_memory(err);
  }
  return st;
}

/* ---- are the metrics right? ---- */

/* A table with a column for each statistic that a run may have. */
static enum weir_status put_columns(const struct weir_comparison *c, struct weir_text *sql,
                                    struct weir_err *err) {
  struct weir_arena a = {0};
  enum weir_status st = WEIR_OK;
  weir_text_puts(sql, "CREATE TABLE r (workload, input, gpu, scheme, seed, seconds");
  for (size_t k = 0; st == WEIR_OK && k < c->schemes.n; k++) {
    struct weir_stat_rows rows = {0};
    st = weir_stat_rows(&c->setups[k], &a, &rows, err);
    for (size_t i = 0; st == WEIR_OK && i < rows.n; i++) {
      bool is_part = rows.v[i].place == WEIR_IN_PART;
      char column[160];
      snprintf(column, sizeof column, ", [%s]", rows.v[i].name);
      if (rows.v[i].place == WEIR_IN_EXECUTION || (k > 0 && !is_part)) continue;
      if (!is_part || strstr(sql->v, column) == NULL) weir_text_puts(sql, column);
    }
    free(rows.v);
  }
  weir_text_puts(sql, ")");
  weir_arena_free(&a);
  return st == WEIR_OK && sql->failed ? no_memory(err) : st;
}

static enum weir_status check_metric(sqlite3 *db, const struct weir_metric *m,
                                     struct weir_err *err) {
  struct weir_text sql = {0};
  sqlite3_stmt *q = NULL;
  enum weir_status st = WEIR_OK;
  weir_text_printf(&sql, "SELECT (%s) FROM r", m->expression);
  if (sql.failed) {
    st = no_memory(err);
  } else if (sqlite3_prepare_v2(db, sql.v, -1, &q, NULL) != SQLITE_OK) {
    st = weir_fail(err, WEIR_EINVAL, "metric %s: %s", m->name, sqlite3_errmsg(db));
    weir_err_add(err, "it is an SQL expression of statistics ('weir list stats') in brackets, such "
                      "as 1.0 * [l1.bypassed] / [l1.loads]");
  }
  sqlite3_finalize(q);
  weir_text_free(&sql);
  return st;
}

enum weir_status weir_study_check_metrics(const struct weir_comparison *c, struct weir_err *err) {
  struct weir_text sql = {0};
  sqlite3 *db = NULL;
  if (c->metrics.n == 0) return WEIR_OK;
  enum weir_status st = put_columns(c, &sql, err);
  if (st == WEIR_OK && (sqlite3_open(":memory:", &db) != SQLITE_OK ||
                        sqlite3_exec(db, sql.v, NULL, NULL, NULL) != SQLITE_OK))
    st = no_memory(err);
  for (size_t i = 0; st == WEIR_OK && i < c->metrics.n; i++)
    st = check_metric(db, &c->metrics.v[i], err);
  sqlite3_close(db);
  weir_text_free(&sql);
  return st;
}

/* ---- the file ---- */

static enum weir_status check_version(struct weir_config *f, struct weir_err *err) {
  uint32_t at;
  int64_t n;
  enum weir_status st = weir_config_child(f, 0, VERSION_KEY, WEIR_SCALAR, true, &at, err);
  if (st == WEIR_OK) st = weir_config_int(f, at, 1, INT32_MAX, &n, err);
  if (st == WEIR_OK && n != VERSION)
    st = weir_config_fail(f, at, WEIR_EINVAL, err, "this weir reads version %d", VERSION);
  weir_config_find(f, 0, "about");
  return st;
}

/* Workloads and traces are one list; if the command line has one, neither counts. */
static enum weir_status add_workloads(struct weir_comparison *c, struct weir_config *f, bool counts,
                                      struct weir_err *err) {
  struct weir_names other = {0};
  struct weir_names *list = counts ? &c->workloads : &other;
  enum weir_status st = add_names(c, f, "workloads", list, "workload", err);
  if (st == WEIR_OK) st = add_names(c, f, "traces", list, "trace", err);
  free(other.v);
  return st;
}

static enum weir_status add_lists(struct weir_comparison *c, struct weir_config *f,
                                  struct weir_err *err) {
  struct weir_names other = {0};
  enum weir_status st = add_workloads(c, f, c->workloads.n == 0, err);
  if (st == WEIR_OK)
    st = add_names(c, f, "gpus", c->gpus.n == 0 ? &c->gpus : &other, "machine", err);
  other.n = 0;
  if (st == WEIR_OK)
    st = add_names(c, f, "schemes", c->schemes.n == 0 ? &c->schemes : &other, "scheme", err);
  if (st == WEIR_OK) st = add_names(c, f, "config", &c->configs, "file", err);
  if (st == WEIR_OK) st = add_names(c, f, "constraints", &c->constraints, "constraint", err);
  uint32_t plugins = weir_config_find(f, 0, "plugins"); /* loaded already */
  if (plugins != 0) weir_config_use_all(f, plugins);
  free(other.v);
  return st;
}

enum weir_status weir_study_file(struct weir_comparison *c, const char *path,
                                 struct weir_err *err) {
  struct weir_config f;
  uint32_t set = 0;
  enum weir_status st = weir_config_load_settings(&f, path, err);
  if (st != WEIR_OK) return st;
  st = check_version(&f, err);
  if (st == WEIR_OK) st = weir_config_only(&f, 0, keys, sizeof keys / sizeof *keys, err);
  if (st == WEIR_OK) st = add_lists(c, &f, err);
  if (st == WEIR_OK) st = add_programs(c, &f, err);
  if (st == WEIR_OK) st = set_text(c, &f, "input", &c->input, err);
  if (st == WEIR_OK) st = set_text(c, &f, "tags", &c->tags, err);
  if (st == WEIR_OK) st = set_seeds(c, &f, err);
  if (st == WEIR_OK) st = add_metrics(c, &f, err);
  if (st == WEIR_OK) st = weir_config_child(&f, 0, "set", WEIR_MAP, false, &set, err);
  if (st == WEIR_OK && set != 0) st = add_settings(c, &f, set, NULL, err);
  if (st == WEIR_OK) st = weir_config_unused(&f, keys, sizeof keys / sizeof *keys, err);
  weir_config_free(&f);
  return st;
}

enum weir_status weir_study_file_plugins(const char *path, struct weir_err *err) {
  struct weir_config f;
  enum weir_status st = weir_config_load_settings(&f, path, err);
  if (st != WEIR_OK) return st;
  st = each_of(&f, "plugins", load_plugin, NULL, err);
  weir_config_free(&f);
  return st;
}
