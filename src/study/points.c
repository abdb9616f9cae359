#include "study/points.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/demangle.h"
#include "base/mem.h"
#include "base/number.h"
#include "base/suggest.h"
#include "study/store_db.h"

static const char *const fixed_names[WEIR_FIXED_KEYS] = {"workload", "input", "gpu",
                                                         "scheme",   "seed",  "kernel"};

static enum weir_status no_memory(struct weir_err *err) {
  return weir_fail(err, WEIR_ENOMEM, "out of memory");
}

/* ---- values ---- */

static bool is_number(const char *text, double *out) {
  int64_t whole;
  if (!weir_parse_int(text, &whole)) return weir_parse_real(text, out);
  *out = (double)whole;
  return true;
}

bool weir_value_equal(const char *a, const char *b) {
  double x, y;
  return strcmp(a, b) == 0 || (is_number(a, &x) && is_number(b, &y) && x == y);
}

int weir_value_order(const char *a, const char *b) {
  double x, y;
  bool is_a = is_number(a, &x), is_b = is_number(b, &y);
  if (is_a && is_b && x != y) return x < y ? -1 : 1;
  if (is_a != is_b) return is_a ? -1 : 1;
  bool is_none_a = strcmp(a, "-") == 0, is_none_b = strcmp(b, "-") == 0;
  if (is_none_a != is_none_b) return is_none_a ? 1 : -1;
  return strcmp(a, b);
}

bool weir_key_is_seed(const struct weir_key *k) {
  return strcmp(k->name, "jitter.seed") == 0 || strcmp(k->name, fixed_names[WEIR_KEY_SEED]) == 0;
}

const char *weir_key_text(const struct weir_key *k, size_t point) {
  return k->values.v[k->of[point]];
}

static bool find_value(const struct weir_key *k, const char *text, uint32_t *out) {
  for (uint32_t i = 1; i < k->values.n; i++)
    if (strcmp(k->values.v[i], text) == 0) {
      *out = i;
      return true;
    }
  for (uint32_t i = 1; k->is_setting && i < k->values.n; i++)
    if (weir_value_equal(k->values.v[i], text)) {
      *out = i;
      return true;
    }
  return false;
}

/* Its number among the values of a key; NULL has 0. False: no memory. */
static bool add_value(struct weir_points *p, struct weir_key *k, const char *text, uint32_t *out) {
  *out = 0;
  if (text == NULL) return true;
  *out = k->n_before; /* neighbours are alike */
  if (*out > 0 && strcmp(k->values.v[*out], text) == 0) return true;
  if (!find_value(k, text, out)) {
    const char *copy = weir_arena_strndup(&p->arena, text, strlen(text));
    if (copy == NULL || !WEIR_PUSH(k->values, copy)) return false;
    *out = (uint32_t)(k->values.n - 1);
  }
  k->n_before = *out;
  return true;
}

static struct weir_key *add_key(struct weir_points *p, const char *name, bool is_setting) {
  struct weir_key k = {.name = weir_arena_strndup(&p->arena, name, strlen(name)),
                       .is_setting = is_setting};
  k.of = weir_arena_array(&p->arena, p->points.n + 1, sizeof *k.of);
  if (k.name == NULL || k.of == NULL || !WEIR_PUSH(k.values, "-")) return NULL;
  if (WEIR_PUSH(p->keys, k)) return &p->keys.v[p->keys.n - 1];
  free(k.values.v);
  return NULL;
}

/* ---- keys ---- */

const struct weir_key *weir_points_key(const struct weir_points *p, const char *name) {
  for (size_t i = 0; i < p->keys.n; i++)
    if (strcmp(p->keys.v[i].name, name) == 0) return &p->keys.v[i];
  return NULL;
}

enum weir_status weir_points_no_key(const struct weir_points *p, const char *option,
                                    const char *name, struct weir_err *err) {
  struct {
    const char **v;
    size_t n, cap;
  } names = {0};
  for (size_t i = 0; i < p->keys.n; i++)
    if (!WEIR_PUSH(names, p->keys.v[i].name)) break;
  const char *near = weir_nearest(name, names.v, names.n);
  free(names.v);
  weir_fail(err, WEIR_ENOENT, "%s: there is no key '%.200s'", option, name);
  if (near != NULL)
    weir_err_add(err, "did you mean '%s'?", near);
  else
    weir_err_add(err, "keys are workload, input, gpu, scheme, seed, kernel, and settings of the "
                      "runs, such as l1.size");
  return WEIR_ENOENT;
}

/* ---- conditions ---- */

static int by_value(void *self, int n_a, const void *a, int n_b, const void *b) {
  char x[256], y[256];
  (void)self;
  snprintf(x, sizeof x, "%.*s", n_a, (const char *)a);
  snprintf(y, sizeof y, "%.*s", n_b, (const char *)b);
  return weir_value_equal(x, y) ? 0 : weir_value_order(x, y);
}

static bool is_there(sqlite3 *db, const char *sql, const char *text) {
  sqlite3_stmt *q = NULL;
  bool is_found = sqlite3_prepare_v2(db, sql, -1, &q, NULL) == SQLITE_OK &&
                  sqlite3_bind_text(q, 1, text, -1, SQLITE_STATIC) == SQLITE_OK &&
                  sqlite3_step(q) == SQLITE_ROW;
  sqlite3_finalize(q);
  return is_found;
}

static bool is_setting(sqlite3 *db, const char *name) {
  return is_there(db, "SELECT 1 FROM settings WHERE key = ?1 LIMIT 1", name);
}

static bool is_statistic(sqlite3 *db, const char *name) {
  return is_there(db, "SELECT 1 FROM names WHERE name = ?1", name);
}

/* Of the settings that stand in brackets in a condition, columns. They are texts that compare as
 * numbers where both are. */
static void put_setting_columns(struct weir_text *sql, sqlite3 *db, const char *where,
                                const char *run) {
  char name[128];
  for (const char *at = strpbrk(where, "[\""); at != NULL; at = strpbrk(at, "[\"")) {
    char close = *at == '[' ? ']' : '"';
    const char *end = strchr(++at, close);
    if (end == NULL) return;
    snprintf(name, sizeof name, "%.*s", (int)(end - at), at);
    at = end + 1;
    if (!is_setting(db, name)) continue;
    char *column = sqlite3_mprintf(",\n(SELECT value FROM settings WHERE run = %s AND key = %Q)"
                                   " COLLATE weir_value AS \"%w\"",
                                   run, name, name);
    if (column == NULL)
      sql->failed = true;
    else
      weir_text_puts(sql, column);
    sqlite3_free(column);
  }
}

static void put_query(struct weir_text *sql, sqlite3 *db, const struct weir_points_want *want) {
  const char *where = want->where != NULL ? want->where : "1";
  weir_text_printf(sql,
                   "SELECT run, workload, input, gpu, scheme, seed, status, message, %s FROM (\n",
                   want->by_kernel ? "kernel, kernel_name" : "0, NULL");
  weir_text_puts(sql, want->by_kernel
                          ? "SELECT r.id AS run, r.workload, r.input, r.gpu, r.scheme, r.seed,"
                            " r.status, r.message, r.host, r.seconds, k.*"
                          : "SELECT r.*");
  put_setting_columns(sql, db, where, want->by_kernel ? "r.id" : "r.run");
  weir_text_puts(sql, want->by_kernel
                          ? " FROM runs AS r LEFT JOIN kernel_results AS k ON k.run = r.id"
                          : " FROM run_results AS r");
  weir_text_printf(sql, ") WHERE (\n%s\n) ORDER BY 1, 9", where);
}

/* The nearest of all columns that a condition may name. */
static void suggest_column(sqlite3 *db, const char *name, struct weir_err *err) {
  struct weir_arena a = {0};
  struct {
    const char **v;
    size_t n, cap;
  } names = {0};
  sqlite3_stmt *q = NULL;
  static const char sql[] =
      "SELECT name FROM pragma_table_info('run_results') UNION ALL SELECT DISTINCT key FROM "
      "settings UNION ALL SELECT 'kernel' UNION ALL SELECT 'kernel_name'";
  if (sqlite3_prepare_v2(db, sql, -1, &q, NULL) == SQLITE_OK)
    while (sqlite3_step(q) == SQLITE_ROW) {
      const char *text = (const char *)sqlite3_column_text(q, 0);
      const char *copy = text != NULL ? weir_arena_strndup(&a, text, strlen(text)) : NULL;
      if (copy == NULL || !WEIR_PUSH(names, copy)) break;
    }
  sqlite3_finalize(q);
  const char *near = weir_nearest(name, names.v, names.n);
  if (near != NULL)
    weir_err_add(err, strchr(near, '.') != NULL ? "did you mean [%s]?" : "did you mean '%s'?",
                 near);
  free(names.v);
  weir_arena_free(&a);
}

static enum weir_status refuse_where(sqlite3 *db, const struct weir_points_want *want,
                                     struct weir_err *err) {
  static const char no_column[] = "no such column: ";
  char said[300];
  snprintf(said, sizeof said, "%s", sqlite3_errmsg(db));
  const char *name =
      strncmp(said, no_column, sizeof no_column - 1) == 0 ? said + sizeof no_column - 1 : NULL;
  weir_fail(err, WEIR_EINVAL, "--where \"%.300s\": %s", want->where, said);
  if (name != NULL && (is_setting(db, name) || is_statistic(db, name)))
    weir_err_add(err, "remedy: a name with dots in brackets: [%s]", name);
  else if (name != NULL && !want->by_kernel && strncmp(name, "kernel", 6) == 0)
    weir_err_add(err, "remedy: kernel on an axis: --rows workload,kernel");
  else if (name != NULL)
    suggest_column(db, name, err);
  else
    weir_err_add(err,
                 "it is a condition of SQL, such as \"workload = 'spmv' AND [l1.size] > '16K'\"");
  return WEIR_EINVAL;
}

/* ---- points ---- */

static enum weir_stored status_of(const char *name) {
  for (unsigned i = WEIR_STORED_OK; i <= WEIR_STORED_FAILED; i++)
    if (name != NULL && strcmp(weir_stored_name(i), name) == 0) return i;
  return WEIR_STORED_FAILED;
}

static enum weir_status add_point(struct weir_points *p, sqlite3_stmt *q, struct weir_err *err) {
  struct weir_point point = {.run = sqlite3_column_int64(q, 0),
                             .status = status_of((const char *)sqlite3_column_text(q, 6)),
                             .value = (double)NAN,
                             .kernel = sqlite3_column_int64(q, 8)};
  bool is_good = true;
  for (int i = 0; i < WEIR_KEY_KERNEL; i++)
    is_good = is_good && add_value(p, &p->keys.v[i], (const char *)sqlite3_column_text(q, i + 1),
                                   &point.fixed[i]);
  const char *message = (const char *)sqlite3_column_text(q, 7);
  if (message != NULL) point.message = weir_arena_strndup(&p->arena, message, strlen(message));
  is_good = is_good && (message == NULL || point.message != NULL);
  const char *kernel = (const char *)sqlite3_column_text(q, 9);
  if (is_good && kernel != NULL) {
    char name[WEIR_DEMANGLED], text[WEIR_DEMANGLED + 24];
    snprintf(text, sizeof text, "%" PRId64 ":%s", point.kernel,
             weir_demangle(kernel, name, sizeof name));
    is_good = add_value(p, &p->keys.v[WEIR_KEY_KERNEL], text, &point.fixed[WEIR_KEY_KERNEL]);
  }
  return is_good && WEIR_PUSH(p->points, point) ? WEIR_OK : no_memory(err);
}

static enum weir_status add_points(struct weir_store *s, const struct weir_points_want *want,
                                   struct weir_points *p, struct weir_err *err) {
  struct weir_text sql = {0};
  sqlite3_stmt *q = NULL;
  const char *rest = NULL;
  put_query(&sql, s->db, want);
  if (sql.failed) {
    weir_text_free(&sql);
    return no_memory(err);
  }
  int code = sqlite3_prepare_v2(s->db, sql.v, -1, &q, &rest);
  enum weir_status st = WEIR_OK;
  if (code != SQLITE_OK)
    st = code == SQLITE_ERROR && want->where != NULL ? refuse_where(s->db, want, err)
                                                     : weir_store_fail(s, err);
  else if (*rest != 0)
    st = weir_fail(err, WEIR_EINVAL, "--where \"%.300s\": it is more than one condition",
                   want->where);
  weir_text_free(&sql);
  bool is_row = true;
  while (st == WEIR_OK && (st = weir_store_step(s, q, &is_row, err)) == WEIR_OK && is_row)
    st = add_point(p, q, err);
  sqlite3_finalize(q);
  for (size_t k = 0; st == WEIR_OK && k < WEIR_FIXED_KEYS; k++) {
    p->keys.v[k].of = weir_arena_array(&p->arena, p->points.n + 1, sizeof(uint32_t));
    if (p->keys.v[k].of == NULL) return no_memory(err);
    for (size_t i = 0; i < p->points.n; i++)
      p->keys.v[k].of[i] = p->points.v[i].fixed[k];
  }
  return st;
}

/* ---- settings ---- */

/* Runs have the same keys in the same order, or nearly so. */
static struct weir_key *setting_key(struct weir_points *p, const char *name, size_t *at) {
  if (*at < p->keys.n && strcmp(p->keys.v[*at].name, name) == 0) return &p->keys.v[(*at)++];
  for (size_t i = WEIR_FIXED_KEYS; i < p->keys.n; i++)
    if (strcmp(p->keys.v[i].name, name) == 0) {
      *at = i + 1;
      return &p->keys.v[i];
    }
  *at = p->keys.n + 1;
  return add_key(p, name, true);
}

static void note_origin(struct weir_key *k, const char *origin) {
  if (origin == NULL)
    k->is_said = true;
  else if (strncmp(origin, "--", 2) == 0)
    k->is_set = true;
  else if (strncmp(origin, "follows from", 12) == 0)
    k->is_derived = true;
  else if (strcmp(origin, "default") != 0)
    k->is_said = true;
}

/* Of the points [first, end), which are one run. */
static enum weir_status add_run_settings(struct weir_store *s, struct weir_points *p,
                                         sqlite3_stmt *q, size_t first, size_t end,
                                         struct weir_err *err) {
  bool is_row = true;
  size_t at = WEIR_FIXED_KEYS;
  enum weir_status st = WEIR_OK;
  sqlite3_bind_int64(q, 1, p->points.v[first].run);
  while ((st = weir_store_step(s, q, &is_row, err)) == WEIR_OK && is_row) {
    const char *name = (const char *)sqlite3_column_text(q, 0);
    const char *value = (const char *)sqlite3_column_text(q, 1);
    struct weir_key *k = setting_key(p, name != NULL ? name : "", &at);
    uint32_t number;
    if (k == NULL || !add_value(p, k, value, &number)) return no_memory(err);
    note_origin(k, (const char *)sqlite3_column_text(q, 2));
    for (size_t i = first; i < end; i++)
      k->of[i] = number;
  }
  return st;
}

static enum weir_status add_settings(struct weir_store *s, struct weir_points *p,
                                     struct weir_err *err) {
  sqlite3_stmt *q;
  enum weir_status st = weir_store_prepared(s, WEIR_STMT_READ_SETTINGS, &q, err);
  for (size_t i = 0, end; st == WEIR_OK && i < p->points.n; i = end) {
    for (end = i + 1; end < p->points.n && p->points.v[end].run == p->points.v[i].run;)
      end++;
    st = add_run_settings(s, p, q, i, end, err);
  }
  return st;
}

/* ---- which settings the user set ---- */

static int by_what_was_run(const void *a, const void *b, void *self) {
  const struct weir_points *p = self;
  for (int k = 0; k <= WEIR_KEY_SCHEME; k++) {
    uint32_t x = p->points.v[*(const size_t *)a].fixed[k],
             y = p->points.v[*(const size_t *)b].fixed[k];
    if (x != y) return x < y ? -1 : 1;
  }
  return 0;
}

/* Files of machines, schemes and launches say the same whenever the same is run. */
static bool differs_within(const struct weir_points *p, const size_t *order,
                           const struct weir_key *k) {
  for (size_t i = 1; i < p->points.n; i++) {
    size_t a = order[i - 1], b = order[i];
    if (by_what_was_run(&a, &b, (void *)p) == 0 && k->of[a] != 0 && k->of[b] != 0 &&
        k->of[a] != k->of[b])
      return true;
  }
  return false;
}

static enum weir_status find_users(struct weir_points *p, struct weir_err *err) {
  size_t *order = weir_arena_array(&p->arena, p->points.n + 1, sizeof *order);
  if (order == NULL) return no_memory(err);
  for (size_t i = 0; i < p->points.n; i++)
    order[i] = i;
  qsort_r(order, p->points.n, sizeof *order, by_what_was_run, p);
  for (size_t i = WEIR_FIXED_KEYS; i < p->keys.n; i++) {
    struct weir_key *k = &p->keys.v[i];
    k->is_users = k->values.n > 2 && !weir_key_is_seed(k) &&
                  (k->is_set || (k->is_said && !k->is_derived && differs_within(p, order, k)));
  }
  return WEIR_OK;
}

/* ---- the statistic ---- */

static enum weir_status no_statistic(struct weir_store *s, const char *name, struct weir_err *err) {
  struct weir_arena a = {0};
  struct {
    const char **v;
    size_t n, cap;
  } names = {0};
  sqlite3_stmt *q = NULL;
  if (sqlite3_prepare_v2(s->db, "SELECT name FROM names ORDER BY name", -1, &q, NULL) == SQLITE_OK)
    while (sqlite3_step(q) == SQLITE_ROW) {
      const char *text = (const char *)sqlite3_column_text(q, 0);
      const char *copy = text != NULL ? weir_arena_strndup(&a, text, strlen(text)) : NULL;
      if (copy == NULL || !WEIR_PUSH(names, copy)) break;
    }
  sqlite3_finalize(q);
  weir_fail(err, WEIR_ENOENT, "--value: no run of '%s' has a statistic '%.200s'", s->path, name);
  const char *near = weir_nearest(name, names.v, names.n);
  if (near != NULL)
    weir_err_add(err, "did you mean '%s'?", near);
  else
    weir_err_add(err, "'weir list stats' shows what there is");
  free(names.v);
  weir_arena_free(&a);
  return WEIR_ENOENT;
}

/* An expression that is named in the store, or is written out: with names in brackets. NULL: it is
 * none; freed by the caller. */
static char *expression_of(sqlite3 *db, const char *name) {
  sqlite3_stmt *q = NULL;
  char *found = NULL;
  if (strchr(name, '[') != NULL) return weir_strdup(name);
  if (sqlite3_prepare_v2(db, "SELECT expression FROM metrics WHERE name = ?1", -1, &q, NULL) ==
          SQLITE_OK &&
      sqlite3_bind_text(q, 1, name, -1, SQLITE_STATIC) == SQLITE_OK &&
      sqlite3_step(q) == SQLITE_ROW)
    found = weir_strdup((const char *)sqlite3_column_text(q, 0));
  sqlite3_finalize(q);
  return found;
}

static enum weir_status prepare_value(struct weir_store *s, const char *name, bool by_kernel,
                                      sqlite3_stmt **q, struct weir_err *err) {
  static const char plain[] = "SELECT value FROM statistics WHERE run = ?1 AND kernel = ?2 AND "
                              "name_id = (SELECT id FROM names WHERE name = ?3)";
  struct weir_text sql = {0};
  bool is_plain = is_statistic(s->db, name);
  char *expression = is_plain ? NULL : expression_of(s->db, name);
  if (!is_plain && expression == NULL) return no_statistic(s, name, err);
  if (is_plain)
    weir_text_puts(&sql, plain);
  else
    weir_text_printf(&sql, "SELECT (%s) FROM %s WHERE run = ?1 AND %s = ?2", expression,
                     by_kernel ? "kernel_results" : "run_results", by_kernel ? "kernel" : "0");
  free(expression);
  enum weir_status st = WEIR_OK;
  if (sql.failed)
    st = no_memory(err);
  else if (sqlite3_prepare_v2(s->db, sql.v, -1, q, NULL) != SQLITE_OK)
    st = weir_fail(err, WEIR_EINVAL, "--value %s: %s", name, sqlite3_errmsg(s->db));
  weir_text_free(&sql);
  if (st == WEIR_OK && is_plain) sqlite3_bind_text(*q, 3, name, -1, SQLITE_STATIC);
  return st;
}

static enum weir_status add_values(struct weir_store *s, const struct weir_points_want *want,
                                   struct weir_points *p, struct weir_err *err) {
  sqlite3_stmt *q = NULL;
  bool is_row;
  enum weir_status st = prepare_value(s, want->statistic, want->by_kernel, &q, err);
  for (size_t i = 0; st == WEIR_OK && i < p->points.n; i++) {
    sqlite3_bind_int64(q, 1, p->points.v[i].run);
    sqlite3_bind_int64(q, 2, p->points.v[i].kernel);
    st = weir_store_step(s, q, &is_row, err);
    if (st == WEIR_OK && is_row && sqlite3_column_type(q, 0) != SQLITE_NULL)
      p->points.v[i].value = sqlite3_column_double(q, 0);
    sqlite3_reset(q);
  }
  sqlite3_finalize(q);
  return st;
}

/* ---- all of it ---- */

static enum weir_status load(struct weir_store *s, const struct weir_points_want *want,
                             struct weir_points *p, struct weir_err *err) {
  for (int i = 0; i < WEIR_FIXED_KEYS; i++)
    if (add_key(p, fixed_names[i], false) == NULL) return no_memory(err);
  if (sqlite3_create_collation(s->db, "weir_value", SQLITE_UTF8, NULL, by_value) != SQLITE_OK)
    return weir_store_fail(s, err);
  enum weir_status st = weir_store_exec(s, "BEGIN", err);
  if (st != WEIR_OK) return st;
  st = add_points(s, want, p, err);
  if (st == WEIR_OK) st = add_settings(s, p, err);
  if (st == WEIR_OK) st = find_users(p, err);
  if (st == WEIR_OK && p->points.n > 0) st = add_values(s, want, p, err);
  for (int i = 0; i < WEIR_N_STMTS; i++)
    sqlite3_reset(s->stmt[i]);
  if (!sqlite3_get_autocommit(s->db)) sqlite3_exec(s->db, "COMMIT", NULL, NULL, NULL);
  return st;
}

enum weir_status weir_points_load(struct weir_store *s, const struct weir_points_want *want,
                                  struct weir_points *out, struct weir_err *err) {
  *out = (struct weir_points){.are_chosen = want->where != NULL};
  return load(s, want, out, err);
}

void weir_points_free(struct weir_points *p) {
  for (size_t i = 0; i < p->keys.n; i++)
    free(p->keys.v[i].values.v);
  free(p->keys.v);
  free(p->points.v);
  weir_arena_free(&p->arena);
  *p = (struct weir_points){0};
}
