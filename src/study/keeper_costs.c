/* What runs took before, for the order in which they are begun and for when they will have ended.
 */
#include <math.h>
#include <sqlite3.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "study/keeper_inside.h"

struct cost { /* the mean of all runs of one kind */
  char *workload, *input, *gpu, *scheme;
  double seconds;
};
struct costs {
  struct cost *v;
  size_t n, cap;
};

static void free_one(struct cost *c) {
  free(c->workload);
  free(c->input);
  free(c->gpu);
  free(c->scheme);
}

static char *column(sqlite3_stmt *q, int at) {
  const char *text = (const char *)sqlite3_column_text(q, at);
  return weir_strdup(text != NULL ? text : "");
}

static bool add(struct costs *all, sqlite3_stmt *q) {
  struct cost c = {column(q, 0), column(q, 1), column(q, 2), column(q, 3),
                   sqlite3_column_double(q, 4)};
  if (c.workload != NULL && c.input != NULL && c.gpu != NULL && c.scheme != NULL &&
      WEIR_PUSH(*all, c))
    return true;
  free_one(&c);
  return false;
}

/* A store that cannot be asked now costs order, and no result. */
static void read_costs(struct weir_store *s, struct costs *all) {
  sqlite3_stmt *q;
  const char *sql = "SELECT workload, input, gpu, scheme, avg(seconds) FROM runs"
                    " WHERE status = 'ok' AND seconds > 0 GROUP BY 1, 2, 3, 4";
  if (sqlite3_prepare_v2(weir_store_sql(s), sql, -1, &q, NULL) != SQLITE_OK) return;
  while (sqlite3_step(q) == SQLITE_ROW && add(all, q)) {
  }
  sqlite3_finalize(q);
}

/* Of the same workload, machine and scheme; else of the workload's others. */
static double cost_of(const struct costs *all, const struct weir_keeper *k,
                      const struct weir_study_place *at) {
  const struct weir_study *s = k->study;
  const struct weir_study_workload *w = &s->workloads[at->workload];
  double sum = 0;
  size_t n = 0;
  for (size_t i = 0; i < all->n; i++) {
    const struct cost *c = &all->v[i];
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
  struct costs all = {0};
  k->costs = weir_calloc(n + 1, sizeof *k->costs);
  if (k->costs == NULL) return weir_fail(err, WEIR_ENOMEM, "out of memory");
  read_costs(k->options.store, &all);
  for (size_t i = 0; i < n; i++) {
    struct weir_study_place at = weir_study_place(s, i);
    k->costs[i] = at.repeat > 0 ? k->costs[i - 1] : cost_of(&all, k, &at);
  }
  for (size_t i = 0; i < all.n; i++)
    free_one(&all.v[i]);
  free(all.v);
  *out = k->costs;
  return WEIR_OK;
}
