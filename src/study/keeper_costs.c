/* What runs took before, for the order in which they are begun and for when they will have ended.
 */
#include <math.h>
#include <sqlite3.h>
#include <string.h>

#include "base/mem.h"
#include "study/keeper_inside.h"

static const char *column(struct weir_keeper *k, sqlite3_stmt *q, int at) {
  const char *text = (const char *)sqlite3_column_text(q, at);
  return weir_arena_strndup(&k->arena, text != NULL ? text : "", text != NULL ? strlen(text) : 0);
}

static bool add(struct weir_keeper *k, sqlite3_stmt *q) {
  struct weir_keeper_cost c = {column(k, q, 0), column(k, q, 1), column(k, q, 2), column(k, q, 3),
                               sqlite3_column_double(q, 4)};
  return c.workload != NULL && c.input != NULL && c.gpu != NULL && c.scheme != NULL &&
         WEIR_PUSH(k->known, c);
}

/* A store that cannot be asked now costs order, and no result. */
enum weir_status weir_keeper_learn(struct weir_keeper *k, struct weir_store *store,
                                   struct weir_err *err) {
  sqlite3_stmt *q;
  bool is_short = false;
  const char *sql = "SELECT workload, input, gpu, scheme, avg(seconds) FROM runs"
                    " WHERE status = 'ok' AND seconds > 0 GROUP BY 1, 2, 3, 4";
  if (sqlite3_prepare_v2(weir_store_sql(store), sql, -1, &q, NULL) != SQLITE_OK) return WEIR_OK;
  while (!is_short && sqlite3_step(q) == SQLITE_ROW)
    is_short = !add(k, q);
  sqlite3_finalize(q);
  return is_short ? weir_no_memory(err) : WEIR_OK;
}

/* Of the same workload, machine and scheme; else of the workload's others. */
static double cost_of(const struct weir_keeper *k, const struct weir_study_place *at) {
  const struct weir_study *s = k->study;
  const struct weir_study_workload *w = &s->workloads[at->workload];
  double sum = 0;
  size_t n = 0;
  for (size_t i = 0; i < k->known.n; i++) {
    const struct weir_keeper_cost *c = &k->known.v[i];
    if (strcmp(c->workload, w->name) != 0 ||
        strcmp(c->input, k->workloads[at->workload].input) != 0)
      continue;
    if (strcmp(c->gpu, s->gpus[at->gpu]) == 0 && strcmp(c->scheme, s->schemes[at->scheme]) == 0)
      return c->seconds;
    sum += c->seconds;
    n++;
  }
  return n > 0 ? sum / (double)n : NAN;
}

enum weir_status weir_keeper_costs(struct weir_keeper *k, const double **out,
                                   struct weir_err *err) {
  const struct weir_study *s = k->study;
  size_t n = weir_study_n_runs(s);
  enum weir_status st =
      k->options.store != NULL ? weir_keeper_learn(k, k->options.store, err) : WEIR_OK;
  if (st != WEIR_OK) return st;
  k->costs = weir_calloc(n + 1, sizeof *k->costs);
  if (k->costs == NULL) return weir_no_memory(err);
  for (size_t i = 0; i < n; i++) {
    struct weir_study_place at = weir_study_place(s, i);
    k->costs[i] = at.repeat > 0 ? k->costs[i - 1] : cost_of(k, &at);
  }
  *out = k->costs;
  return WEIR_OK;
}
