#include "study/plan.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/file.h"
#include "base/mem.h"
#include "base/number.h"
#include "base/text.h"

#define FIRST_LINE "weir-plan: 1"
#define SHARDS_KEY "shards: "

/* ---- dealing out ---- */

struct piece {
  double cost;
  size_t run;
};

/* The longest first; equal ones in their order. */
static int by_cost(const void *a, const void *b) {
  const struct piece *x = a, *y = b;
  if (x->cost != y->cost) return x->cost > y->cost ? -1 : 1;
  return x->run < y->run ? -1 : 1;
}

static double mean_of_known(const double *costs, size_t n) {
  double sum = 0;
  size_t known = 0;
  for (size_t i = 0; i < n; i++) {
    if (isnan(costs[i])) continue;
    sum += costs[i];
    known++;
  }
  return sum > 0 ? sum / (double)known : 1;
}

static void deal(const struct piece *pieces, size_t n, double *loads, uint32_t n_shards,
                 uint32_t *shards) {
  for (size_t i = 0; i < n; i++) {
    uint32_t least = 0;
    for (uint32_t s = 1; s < n_shards; s++)
      if (loads[s] < loads[least]) least = s;
    loads[least] += pieces[i].cost;
    shards[pieces[i].run] = least + 1;
  }
}

enum weir_status weir_plan_deal(const double *costs, size_t n, uint32_t n_shards, uint32_t *shards,
                                struct weir_err *err) {
  struct piece *pieces = weir_calloc(n + 1, sizeof *pieces);
  double *loads = weir_calloc((size_t)n_shards + 1, sizeof *loads);
  bool is_short = pieces == NULL || loads == NULL;
  if (!is_short) {
    double usual = mean_of_known(costs, n);
    for (size_t i = 0; i < n; i++)
      pieces[i] = (struct piece){isnan(costs[i]) ? usual : costs[i], i};
    qsort(pieces, n, sizeof *pieces, by_cost);
    deal(pieces, n, loads, n_shards, shards);
  }
  free(pieces);
  free(loads);
  return is_short ? weir_no_memory(err) : WEIR_OK;
}

/* ---- the file ---- */

static int by_point(const void *a, const void *b) {
  return strcmp(((const struct weir_plan_row *)a)->point, ((const struct weir_plan_row *)b)->point);
}

enum weir_status weir_plan_write(struct weir_plan *p, const char *path, struct weir_err *err) {
  struct weir_text text = {0};
  if (p->n > 0) qsort(p->v, p->n, sizeof *p->v, by_point);
  weir_text_printf(&text, FIRST_LINE "\n" SHARDS_KEY "%" PRIu32 "\n", p->n_shards);
  for (size_t i = 0; i < p->n; i++)
    weir_text_printf(&text, "%s %" PRIu32 "\n", p->v[i].point, p->v[i].shard);
  enum weir_status st =
      text.failed ? weir_no_memory(err) : weir_file_write(path, text.v, text.n, err);
  weir_text_free(&text);
  return st;
}

static bool is_point(const char *text) {
  static const char begin[] = "xxh128:";
  size_t n = strlen(begin);
  return strlen(text) == WEIR_HASH_TEXT - 1 && memcmp(text, begin, n) == 0 &&
         strspn(text + n, "0123456789abcdef") == WEIR_HASH_TEXT - 1 - n;
}

static bool take_number(const char *text, int64_t least, int64_t most, uint32_t *out) {
  int64_t n;
  if (!weir_parse_int(text, &n) || n < least || n > most) return false;
  *out = (uint32_t)n;
  return true;
}

/* False: the line is wrong, or *is_short. */
static bool take_line(struct weir_plan *p, size_t number, char *line, bool *is_short) {
  if (number == 1) return strcmp(line, FIRST_LINE) == 0;
  if (number == 2)
    return strncmp(line, SHARDS_KEY, strlen(SHARDS_KEY)) == 0 &&
           take_number(line + strlen(SHARDS_KEY), 1, UINT32_MAX, &p->n_shards);
  struct weir_plan_row row = {.shard = 0};
  char *blank = strchr(line, ' ');
  if (blank == NULL) return false;
  *blank = '\0';
  if (!is_point(line) || !take_number(blank + 1, 0, p->n_shards, &row.shard)) return false;
  memcpy(row.point, line, sizeof row.point);
  *is_short = !WEIR_PUSH(*p, row);
  return !*is_short;
}

enum weir_status weir_plan_read(struct weir_plan *p, const char *path, struct weir_err *err) {
  char *text = NULL;
  size_t len, number = 1;
  bool is_short = false;
  *p = (struct weir_plan){0};
  enum weir_status st = weir_file_read(path, 0, NULL, &text, &len, err);
  for (char *line = text, *end; st == WEIR_OK && line < text + len; line = end + 1, number++) {
    end = strchr(line, '\n');
    if (end != NULL) *end = '\0';
    if (end != NULL && take_line(p, number, line, &is_short)) continue;
    st = is_short ? weir_no_memory(err)
                  : weir_fail(err, WEIR_EINVAL, "%s:%zu: this is no line of a plan", path, number);
    if (!is_short)
      weir_err_add(err, "remedy: 'weir sweep --slurm' writes plans; have it write this one anew");
    break;
  }
  free(text);
  if (st == WEIR_OK && p->n_shards == 0)
    st = weir_fail(err, WEIR_EINVAL, "%s: this is no plan of a sweep", path);
  if (st == WEIR_OK && p->n > 0) qsort(p->v, p->n, sizeof *p->v, by_point);
  return st;
}

void weir_plan_free(struct weir_plan *p) {
  free(p->v);
  *p = (struct weir_plan){0};
}

bool weir_plan_find(const struct weir_plan *p, const char *point, uint32_t *shard) {
  struct weir_plan_row key = {.shard = 0};
  snprintf(key.point, sizeof key.point, "%s", point);
  const struct weir_plan_row *row =
      p->n > 0 ? bsearch(&key, p->v, p->n, sizeof *p->v, by_point) : NULL;
  if (row != NULL) *shard = row->shard;
  return row != NULL;
}
