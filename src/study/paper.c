#include "study/paper.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

#include "base/suggest.h"

#define TRY(call)                                                                                  \
  do {                                                                                             \
    enum weir_status try_status = (call);                                                          \
    if (try_status != WEIR_OK) return try_status;                                                  \
  } while (0)
#define NEW(v, n)                                                                                  \
  do {                                                                                             \
    (v) = weir_arena_array(&r->p->arena, (n) + 1, sizeof *(v));                                    \
    if ((v) == NULL) return weir_fail(r->err, WEIR_ENOMEM, "out of memory");                       \
  } while (0)
#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

#define CONTROL "random"
#define BOUND   "bound"

struct reader {
  struct weir_paper *p;
  struct weir_config *c;
  struct weir_err *err;
  struct weir_paper_row *rows;
  struct weir_paper_column *columns;
  const char *gpu, *baseline;
};

static const char *text_at(struct reader *r, uint32_t i) {
  return r->c->entry[i].text;
}

/* A scalar of a map; *out is NULL if it is not there. */
static enum weir_status read_text(struct reader *r, uint32_t map, const char *key, bool is_needed,
                                  const char **out) {
  uint32_t i;
  *out = NULL;
  TRY(weir_config_child(r->c, map, key, WEIR_SCALAR, is_needed, &i, r->err));
  if (i != 0) *out = text_at(r, i);
  return WEIR_OK;
}

/* A list of texts, or one text. */
static enum weir_status read_texts(struct reader *r, uint32_t map, const char *key,
                                   const char *const **out, size_t *n) {
  uint32_t at = weir_config_find(r->c, map, key);
  const char **v;
  *n = 0;
  *out = NULL;
  if (at == 0) return WEIR_OK;
  bool is_list = r->c->entry[at].kind == WEIR_SEQ;
  NEW(v, is_list ? weir_config_count(r->c, at) : 1);
  for (uint32_t i = is_list ? weir_config_first(r->c, at) : at; i != 0;
       i = is_list ? weir_config_next(r->c, i) : 0) {
    TRY(weir_config_want(r->c, i, WEIR_SCALAR, r->err));
    v[(*n)++] = text_at(r, i);
  }
  *out = v;
  return WEIR_OK;
}

/* ---- rows and columns ---- */

static enum weir_status read_groups(struct reader *r) {
  uint32_t map, n = 0;
  TRY(weir_config_child(r->c, 0, "groups", WEIR_MAP, true, &map, r->err));
  for (uint32_t g = weir_config_first(r->c, map); g != 0; g = weir_config_next(r->c, g)) {
    TRY(weir_config_want(r->c, g, WEIR_MAP, r->err));
    n += weir_config_count(r->c, g);
  }
  NEW(r->rows, n);
  for (uint32_t g = weir_config_first(r->c, map); g != 0; g = weir_config_next(r->c, g))
    for (uint32_t i = weir_config_first(r->c, g); i != 0; i = weir_config_next(r->c, i)) {
      TRY(weir_config_want(r->c, i, WEIR_SCALAR, r->err));
      const char *workload = text_at(r, i);
      r->rows[r->p->n_rows++] =
          (struct weir_paper_row){.group = r->c->entry[g].key,
                                  .name = r->c->entry[i].key,
                                  .workload = strcmp(workload, "-") != 0 ? workload : NULL};
    }
  r->p->rows = r->rows;
  return WEIR_OK;
}

static enum weir_status read_sets(struct reader *r, uint32_t column,
                                  struct weir_paper_column *out) {
  const char **v;
  uint32_t map;
  TRY(weir_config_child(r->c, column, "set", WEIR_MAP, false, &map, r->err));
  if (map == 0) return WEIR_OK;
  NEW(v, weir_config_count(r->c, map));
  for (uint32_t i = weir_config_first(r->c, map); i != 0; i = weir_config_next(r->c, i)) {
    TRY(weir_config_want(r->c, i, WEIR_SCALAR, r->err));
    v[out->n_sets] = weir_arena_printf(&r->p->arena, "%s=%s", r->c->entry[i].key, text_at(r, i));
    if (v[out->n_sets++] == NULL) return weir_fail(r->err, WEIR_ENOMEM, "out of memory");
  }
  out->sets = v;
  return WEIR_OK;
}

static size_t column_of(const struct reader *r, const char *name) {
  for (size_t i = 0; i < r->p->n_columns; i++)
    if (strcmp(r->columns[i].name, name) == 0) return i;
  return SIZE_MAX;
}

static enum weir_status unknown(struct reader *r, uint32_t i, const char *what, const char *name,
                                const char *const *names, size_t n) {
  weir_config_fail(r->c, i, WEIR_ENOENT, r->err, "there is no %s '%.60s'", what, name);
  const char *near = weir_nearest(name, names, n);
  if (near != NULL) weir_err_add(r->err, "did you mean '%s'?", near);
  return WEIR_ENOENT;
}

static enum weir_status find_column(struct reader *r, uint32_t i, const char *name, size_t *out) {
  const char **names;
  *out = column_of(r, name);
  if (*out != SIZE_MAX) return WEIR_OK;
  NEW(names, r->p->n_columns);
  for (size_t k = 0; k < r->p->n_columns; k++)
    names[k] = r->columns[k].name;
  return unknown(r, i, "column", name, names, r->p->n_columns);
}

/* Those of the file, then the control and the bound. */
static enum weir_status read_columns(struct reader *r) {
  static const char *const keys[] = {"scheme", "set", "instead_of"};
  const char *control, *bound;
  uint32_t map;
  size_t of;
  TRY(weir_config_child(r->c, 0, "columns", WEIR_MAP, true, &map, r->err));
  NEW(r->columns, weir_config_count(r->c, map) + 2);
  r->p->columns = r->columns;
  for (uint32_t i = weir_config_first(r->c, map); i != 0; i = weir_config_next(r->c, i)) {
    struct weir_paper_column *out = &r->columns[r->p->n_columns];
    TRY(weir_config_want(r->c, i, WEIR_MAP, r->err));
    TRY(weir_config_only(r->c, i, keys, COUNT(keys), r->err));
    out->name = r->c->entry[i].key;
    TRY(read_text(r, i, "scheme", true, &out->scheme));
    TRY(read_text(r, i, "instead_of", false, &out->instead_of));
    if (out->instead_of != NULL) TRY(find_column(r, i, out->instead_of, &of));
    TRY(read_sets(r, i, out));
    r->p->n_columns++;
  }
  TRY(read_text(r, 0, "control", false, &control));
  TRY(read_text(r, 0, "bound", false, &bound));
  if (control != NULL) {
    r->p->control = CONTROL;
    r->columns[r->p->n_columns++] = (struct weir_paper_column){.name = CONTROL, .scheme = control};
  }
  if (bound != NULL) {
    r->p->bound = BOUND;
    r->columns[r->p->n_columns++] = (struct weir_paper_column){.name = BOUND, .scheme = bound};
  }
  return WEIR_OK;
}

/* ---- claims ---- */

/* The first column that an expression names, between quotes. */
static const char *column_in(const struct reader *r, const char *text) {
  for (const char *p = text; p != NULL && (p = strchr(p, '\'')) != NULL; p++)
    for (size_t i = 0; i < r->p->n_columns; i++) {
      size_t n = strlen(r->columns[i].name);
      if (strncmp(p + 1, r->columns[i].name, n) == 0 && p[n + 1] == '\'' &&
          strcmp(r->columns[i].name, r->baseline) != 0)
        return r->columns[i].name;
    }
  return NULL;
}

static enum weir_status check_claim(struct reader *r, uint32_t i,
                                    const struct weir_paper_claim *out) {
  bool is_compared = out->ours != NULL;
  int ways = is_compared + (out->n_holds > 0) + (out->not_comparable != NULL);
  if (ways == 1 && (!is_compared || out->has_paper)) return WEIR_OK;
  weir_config_fail(r->c, i, WEIR_EINVAL, r->err, "nothing says whether the claim came true");
  weir_err_add(r->err, "give 'ours' with 'paper', or 'holds', or 'not_comparable'");
  return WEIR_EINVAL;
}

static enum weir_status read_choice(struct reader *r, uint32_t map, const char *key,
                                    const char *const *names, size_t n, size_t missing,
                                    size_t *out) {
  const char *text;
  uint32_t at = weir_config_find(r->c, map, key);
  *out = missing;
  TRY(read_text(r, map, key, false, &text));
  if (text == NULL) return WEIR_OK;
  for (*out = 0; *out < n; (*out)++)
    if (strcmp(names[*out], text) == 0) return WEIR_OK;
  return unknown(r, at, "such choice as", text, names, n);
}

static enum weir_status read_causes(struct reader *r, uint32_t claim,
                                    struct weir_paper_claim *out) {
  static const char *const keys[] = {"says", "shows"};
  struct weir_paper_cause *v;
  uint32_t list;
  TRY(weir_config_child(r->c, claim, "because", WEIR_SEQ, false, &list, r->err));
  if (list == 0) return WEIR_OK;
  NEW(v, weir_config_count(r->c, list));
  out->causes = v;
  for (uint32_t i = weir_config_first(r->c, list); i != 0; i = weir_config_next(r->c, i)) {
    struct weir_paper_cause *cause = &v[out->n_causes++];
    TRY(weir_config_want(r->c, i, WEIR_MAP, r->err));
    TRY(weir_config_only(r->c, i, keys, COUNT(keys), r->err));
    cause->where = weir_config_where(r->c, i);
    TRY(read_text(r, i, "says", true, &cause->says));
    TRY(read_text(r, i, "shows", false, &cause->shows));
  }
  return WEIR_OK;
}

static enum weir_status read_claim(struct reader *r, uint32_t i, enum weir_paper_show show,
                                   struct weir_paper_claim *out) {
  static const char *const keys[] = {"says",  "ours",   "paper",          "as",
                                     "holds", "column", "not_comparable", "because"};
  static const char *const as[] = {"gain", "share", "number"};
  uint32_t paper;
  size_t choice;
  TRY(weir_config_want(r->c, i, WEIR_MAP, r->err));
  TRY(weir_config_only(r->c, i, keys, COUNT(keys), r->err));
  out->where = weir_config_where(r->c, i);
  TRY(read_text(r, i, "says", true, &out->says));
  TRY(read_text(r, i, "ours", false, &out->ours));
  TRY(read_text(r, i, "column", false, &out->column));
  TRY(read_text(r, i, "not_comparable", false, &out->not_comparable));
  TRY(read_texts(r, i, "holds", &out->holds, &out->n_holds));
  TRY(read_causes(r, i, out));
  TRY(weir_config_child(r->c, i, "paper", WEIR_SCALAR, false, &paper, r->err));
  if (paper != 0) {
    out->has_paper = true;
    TRY(weir_config_real(r->c, paper, &out->paper, r->err));
  }
  TRY(read_choice(r, i, "as", as, COUNT(as), show == WEIR_SHOW_VALUE ? WEIR_AS_SHARE : WEIR_AS_GAIN,
                  &choice));
  out->as = (enum weir_claim_as)choice;
  if (out->column == NULL) out->column = column_in(r, out->ours);
  for (size_t k = 0; out->column == NULL && k < out->n_holds; k++)
    out->column = column_in(r, out->holds[k]);
  if (out->column != NULL) TRY(find_column(r, i, out->column, &choice));
  return check_claim(r, i, out);
}

/* ---- figures ---- */

static enum weir_status add_rows(struct reader *r, uint32_t i, const char *name, size_t *v,
                                 size_t *n) {
  const char **names;
  size_t n_names = 0, before = *n;
  NEW(names, 2 * r->p->n_rows);
  for (size_t k = 0; k < r->p->n_rows; k++) {
    const struct weir_paper_row *row = &r->rows[k];
    names[n_names++] = row->group;
    names[n_names++] = row->name;
    bool is_there = false;
    for (size_t j = 0; j < *n; j++)
      is_there |= v[j] == k;
    if (!is_there && (strcmp(row->group, name) == 0 || strcmp(row->name, name) == 0)) v[(*n)++] = k;
  }
  return *n > before ? WEIR_OK
                     : unknown(r, i, "further group or application", name, names, n_names);
}

static enum weir_status read_rows(struct reader *r, uint32_t figure,
                                  struct weir_paper_figure *out) {
  size_t *v;
  uint32_t list;
  TRY(weir_config_child(r->c, figure, "rows", WEIR_SEQ, false, &list, r->err));
  NEW(v, r->p->n_rows);
  out->rows = v;
  for (uint32_t i = list != 0 ? weir_config_first(r->c, list) : 0; i != 0;
       i = weir_config_next(r->c, i)) {
    TRY(weir_config_want(r->c, i, WEIR_SCALAR, r->err));
    TRY(add_rows(r, i, text_at(r, i), v, &out->n_rows));
  }
  return WEIR_OK;
}

static bool has_column(const struct weir_paper_figure *f, size_t column) {
  for (size_t i = 0; i < f->n_columns; i++)
    if (f->columns[i] == column) return true;
  return false;
}

static void add_column(size_t *v, struct weir_paper_figure *out, size_t column) {
  if (column != SIZE_MAX && !has_column(out, column)) v[out->n_columns++] = column;
}

/* Each with its other readings behind it. */
static enum weir_status read_figure_columns(struct reader *r, uint32_t figure,
                                            struct weir_paper_figure *out) {
  size_t *v, column, baseline = column_of(r, r->baseline);
  uint32_t list;
  bool is_relative = out->show != WEIR_SHOW_VALUE;
  TRY(weir_config_child(r->c, figure, "columns", WEIR_SEQ, false, &list, r->err));
  NEW(v, r->p->n_columns);
  out->columns = v;
  out->baseline = SIZE_MAX;
  if (list == 0) return WEIR_OK;
  if (is_relative) add_column(v, out, baseline);
  for (uint32_t i = weir_config_first(r->c, list); i != 0; i = weir_config_next(r->c, i)) {
    TRY(weir_config_want(r->c, i, WEIR_SCALAR, r->err));
    TRY(find_column(r, i, text_at(r, i), &column));
    add_column(v, out, column);
    for (size_t k = 0; k < r->p->n_columns; k++)
      if (r->columns[k].instead_of != NULL &&
          strcmp(r->columns[k].instead_of, r->columns[column].name) == 0)
        add_column(v, out, k);
  }
  if (out->show == WEIR_SHOW_SPEEDUP) {
    if (r->p->control != NULL) add_column(v, out, column_of(r, CONTROL));
    if (r->p->bound != NULL) add_column(v, out, column_of(r, BOUND));
  }
  for (size_t i = 0; i < out->n_columns; i++)
    if (v[i] == baseline) out->baseline = i;
  return WEIR_OK;
}

/* {COLUMN: {ROW: number}} */
static enum weir_status read_printed(struct reader *r, uint32_t figure,
                                     struct weir_paper_figure *out) {
  struct weir_paper_printed *v;
  uint32_t map;
  TRY(weir_config_child(r->c, figure, "printed", WEIR_MAP, false, &map, r->err));
  if (map == 0) return WEIR_OK;
  NEW(v, weir_config_count(r->c, map) * r->p->n_rows);
  out->printed = v;
  for (uint32_t c = weir_config_first(r->c, map); c != 0; c = weir_config_next(r->c, c)) {
    size_t column;
    TRY(find_column(r, c, r->c->entry[c].key, &column));
    TRY(weir_config_want(r->c, c, WEIR_MAP, r->err));
    for (uint32_t i = weir_config_first(r->c, c); i != 0; i = weir_config_next(r->c, i)) {
      struct weir_paper_printed *x = &v[out->n_printed++];
      for (x->row = 0; x->row < r->p->n_rows; x->row++)
        if (strcmp(r->rows[x->row].name, r->c->entry[i].key) == 0) break;
      if (x->row == r->p->n_rows) return unknown(r, i, "application", r->c->entry[i].key, NULL, 0);
      x->column = column;
      TRY(weir_config_real(r->c, i, &x->value, r->err));
    }
  }
  return WEIR_OK;
}

double weir_paper_printed(const struct weir_paper_figure *f, size_t row, size_t column) {
  for (size_t i = 0; i < f->n_printed; i++)
    if (f->printed[i].column == f->columns[column] &&
        (row == SIZE_MAX || f->printed[i].row == f->rows[row]))
      return f->printed[i].value;
  return NAN;
}

static enum weir_status check_figure(struct reader *r, uint32_t i,
                                     const struct weir_paper_figure *f) {
  if (f->n_columns > 0 && f->n_rows == 0)
    return weir_config_fail(r->c, i, WEIR_EINVAL, r->err, "columns without rows: name groups");
  if (f->n_columns > WEIR_PAPER_COLUMNS)
    return weir_config_fail(r->c, i, WEIR_EINVAL, r->err, "%zu columns; at most %d", f->n_columns,
                            WEIR_PAPER_COLUMNS);
  if (f->n_columns > 0 && f->show != WEIR_SHOW_SPEEDUP && f->value == NULL)
    return weir_config_fail(r->c, i, WEIR_EINVAL, r->err,
                            "'value' is missing: which statistic is shown?");
  for (size_t k = 0; k < f->n_claims; k++)
    if (f->n_columns == 0 && f->claims[k].not_comparable == NULL)
      return weir_fail_at(r->err, WEIR_EINVAL, &f->claims[k].where,
                          "the figure has no columns, so nothing can be compared");
  return WEIR_OK;
}

static enum weir_status read_figure(struct reader *r, uint32_t i, struct weir_paper_figure *out) {
  static const char *const keys[] = {"id",    "title",  "rows",  "columns", "gpu",    "show",
                                     "value", "kernel", "input", "note",    "claims", "printed"};
  static const char *const shows[] = {"speedup", "ratio", "value"};
  struct weir_paper_claim *claims;
  uint32_t list;
  size_t show;
  TRY(weir_config_want(r->c, i, WEIR_MAP, r->err));
  TRY(weir_config_only(r->c, i, keys, COUNT(keys), r->err));
  TRY(read_text(r, i, "id", true, &out->id));
  TRY(read_text(r, i, "title", true, &out->title));
  TRY(read_text(r, i, "gpu", false, &out->gpu));
  TRY(read_text(r, i, "value", false, &out->value));
  TRY(read_text(r, i, "kernel", false, &out->kernel));
  TRY(read_text(r, i, "input", false, &out->input));
  TRY(read_text(r, i, "note", false, &out->note));
  if (out->gpu == NULL) out->gpu = r->gpu;
  TRY(read_choice(r, i, "show", shows, COUNT(shows), WEIR_SHOW_SPEEDUP, &show));
  out->show = (enum weir_paper_show)show;
  TRY(read_rows(r, i, out));
  TRY(read_figure_columns(r, i, out));
  TRY(read_printed(r, i, out));
  TRY(weir_config_child(r->c, i, "claims", WEIR_SEQ, false, &list, r->err));
  NEW(claims, list != 0 ? weir_config_count(r->c, list) : 0);
  out->claims = claims;
  for (uint32_t k = list != 0 ? weir_config_first(r->c, list) : 0; k != 0;
       k = weir_config_next(r->c, k))
    TRY(read_claim(r, k, out->show, &claims[out->n_claims++]));
  return check_figure(r, i, out);
}

static enum weir_status read_all(struct reader *r) {
  static const char *const keys[] = {"weir-paper", "name",     "title",   "about",
                                     "gpu",        "baseline", "control", "bound",
                                     "open",       "groups",   "columns", "figures"};
  struct weir_paper *p = r->p;
  struct weir_paper_figure *figures;
  const char *version;
  uint32_t list;
  size_t baseline;
  TRY(weir_config_only(r->c, 0, keys, COUNT(keys), r->err));
  TRY(read_text(r, 0, "weir-paper", true, &version));
  if (strcmp(version, "1") != 0)
    return weir_fail(r->err, WEIR_EINVAL, "%s: version '%.20s' of paper files is not known",
                     r->c->file, version);
  TRY(read_text(r, 0, "name", true, &p->name));
  TRY(read_text(r, 0, "title", true, &p->title));
  TRY(read_text(r, 0, "about", false, &p->about));
  TRY(read_text(r, 0, "gpu", true, &r->gpu));
  TRY(read_text(r, 0, "baseline", true, &r->baseline));
  TRY(read_texts(r, 0, "open", &p->open, &p->n_open));
  TRY(read_groups(r));
  TRY(read_columns(r));
  TRY(find_column(r, weir_config_find(r->c, 0, "baseline"), r->baseline, &baseline));
  TRY(weir_config_child(r->c, 0, "figures", WEIR_SEQ, true, &list, r->err));
  NEW(figures, weir_config_count(r->c, list));
  p->figures = figures;
  for (uint32_t i = weir_config_first(r->c, list); i != 0; i = weir_config_next(r->c, i))
    TRY(read_figure(r, i, &figures[p->n_figures++]));
  return WEIR_OK;
}

enum weir_status weir_paper_load(const char *path, struct weir_paper *out, struct weir_err *err) {
  *out = (struct weir_paper){0};
  enum weir_status st = weir_config_load_named(&out->config, path, err);
  if (st != WEIR_OK) return st;
  struct reader r = {.p = out, .c = &out->config, .err = err};
  st = read_all(&r);
  if (st != WEIR_OK) weir_paper_free(out);
  return st;
}

void weir_paper_free(struct weir_paper *p) {
  weir_config_free(&p->config);
  weir_arena_free(&p->arena);
  *p = (struct weir_paper){0};
}
