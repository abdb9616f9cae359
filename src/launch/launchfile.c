/* Reading launch files. Everything that depends only on variables is computed here, so that a
 * loaded file is known to be sound before anything runs; what depends on the repetition `k` or on
 * elements is kept as compiled expressions. */
#include "launch/launchfile.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/file.h"
#include "base/mem.h"
#include "base/number.h"
#include "base/output.h"
#include "base/suggest.h"
#include "launch/launchfile_load.h"

enum weir_status weir_lf_no_memory(struct loader *l) {
  return weir_fail(l->err, WEIR_ENOMEM, "out of memory while reading '%s'", l->c->file);
}

enum weir_status weir_lf_limit_count(struct loader *l, uint32_t i, uint32_t limit,
                                     const char *what) {
  uint32_t n = weir_config_count(l->c, i);
  if (n <= limit) return WEIR_OK;
  return weir_config_fail(l->c, i, WEIR_EINVAL, l->err, "%" PRIu32 " %s; at most %" PRIu32, n, what,
                          limit);
}

/* ---- names ---- */

static struct weir_expr_name slot_name(const char *name, enum weir_expr_slot slot, bool is_double) {
  return (struct weir_expr_name){
      .name = name, .kind = WEIR_EXPR_SLOT, .index = slot, .value.is_double = is_double};
}

static size_t add_buffer_names(const struct loader *l, struct weir_expr_name *v,
                               enum weir_expr_kind kind) {
  for (uint32_t b = 0; b < l->n_buffers; b++)
    v[b] = (struct weir_expr_name){.name = l->buffers[b].name,
                                   .kind = kind,
                                   .index = b,
                                   .value.is_double = ptx_type_is_float(l->buffers[b].type)};
  return l->n_buffers;
}

/* What the expressions of launches see: k and the variables; arguments also addresses. */
static enum weir_status launch_scopes(struct loader *l) {
  struct weir_expr_name *v;
  NEW(v, l->vars.n + 1 + l->n_buffers + l->n_textures);
  v[0] = slot_name("k", WEIR_SLOT_K, false);
  for (size_t k = 0; k < l->vars.n; k++)
    v[1 + k] = l->vars.v[k];
  l->launch_scope = (struct weir_expr_scope){v, 1 + l->vars.n};
  l->args_scope = l->launch_scope;
  l->args_scope.n += add_buffer_names(l, v + l->args_scope.n, WEIR_EXPR_ADDRESS);
  for (uint32_t t = 0; t < l->n_textures; t++)
    v[l->args_scope.n++] = (struct weir_expr_name){
        .name = l->textures[t].name, .kind = WEIR_EXPR_ADDRESS, .index = l->n_buffers + t};
  return WEIR_OK;
}

/* i, prev, the variables, and at() for the buffers declared so far. The array is used again for
 * the next formula. */
static enum weir_status formula_scope(struct loader *l, bool prev_is_double,
                                      struct weir_expr_scope *out) {
  struct weir_expr_name *v = l->formula_names;
  if (!v) NEW(v, WEIR_LF_VARS + 2 + WEIR_LF_BUFFERS);
  l->formula_names = v;
  v[0] = slot_name("i", WEIR_SLOT_I, false);
  v[1] = slot_name("prev", WEIR_SLOT_PREV, prev_is_double);
  for (size_t k = 0; k < l->vars.n; k++)
    v[2 + k] = l->vars.v[k];
  out->names = v;
  out->n = 2 + l->vars.n;
  out->n += add_buffer_names(l, v + out->n, WEIR_EXPR_BUFFER);
  return WEIR_OK;
}

enum weir_status weir_lf_check_name(struct loader *l, uint32_t i, const char *what) {
  const char *name = entry(l, i)->key;
  struct weir_where where = weir_config_key_where(l->c, i);
  if (!weir_expr_is_name(name)) {
    weir_fail_at(l->err, WEIR_EINVAL, &where, "'%.60s' cannot name a %s", name, what);
    weir_err_add(l->err, "a name is a letter or _, then letters, digits and _; at most 64");
    return WEIR_EINVAL;
  }
  if (!weir_expr_is_reserved(name)) return WEIR_OK;
  weir_fail_at(l->err, WEIR_EINVAL, &where, "'%s' has a meaning in expressions", name);
  weir_err_add(l->err, "choose another name for the %s", what);
  return WEIR_EINVAL;
}

/* ---- expressions ---- */

enum weir_status weir_lf_expr(struct loader *l, uint32_t i, const struct weir_expr_scope *scope,
                              const struct weir_expr **out) {
  struct weir_expr *e = NULL;
  TRY(weir_config_want(l->c, i, WEIR_SCALAR, l->err));
  struct weir_where where = weir_config_where(l->c, i);
  const char *text = entry(l, i)->text;
  enum weir_status st = weir_expr_parse(l->arena, text, strlen(text), scope, &where, &e, l->err);
  *out = e;
  return st;
}

static enum weir_status not_integer(struct loader *l, uint32_t i) {
  weir_config_fail(l->c, i, WEIR_EINVAL, l->err, "must be an integer, but this is a double");
  weir_err_add(l->err, "write int(...) around it, or leave out the point and exponent");
  return WEIR_EINVAL;
}

enum weir_status weir_lf_int_expr(struct loader *l, uint32_t i, const struct weir_expr_scope *scope,
                                  const struct weir_expr **out) {
  TRY(weir_lf_expr(l, i, scope, out));
  return weir_expr_is_double(*out) ? not_integer(l, i) : WEIR_OK;
}

enum weir_status weir_lf_value(struct loader *l, uint32_t i, struct weir_value *out) {
  const struct weir_expr_scope scope = {l->vars.v, l->vars.n};
  const struct weir_expr *e;
  TRY(weir_lf_expr(l, i, &scope, &e));
  return weir_expr_eval(e, NULL, out, l->err);
}

enum weir_status weir_lf_flag(struct loader *l, uint32_t map, const char *key, bool *out) {
  uint32_t i;
  *out = false;
  TRY(weir_config_child(l->c, map, key, WEIR_SCALAR, false, &i, l->err));
  if (i != 0 && !weir_parse_bool(entry(l, i)->text, out))
    return weir_config_fail(l->c, i, WEIR_EINVAL, l->err, "expected true or false");
  return WEIR_OK;
}

enum weir_status weir_lf_int(struct loader *l, uint32_t i, int64_t lo, int64_t hi, int64_t *out) {
  struct weir_value v = {0};
  TRY(weir_lf_value(l, i, &v));
  if (v.is_double) return not_integer(l, i);
  *out = v.i;
  if (v.i >= lo && v.i <= hi) return WEIR_OK;
  weir_config_fail(l->c, i, WEIR_EINVAL, l->err, "%" PRId64 " is out of range", v.i);
  weir_err_add(l->err, "accepted: %" PRId64 " to %" PRId64, lo, hi);
  return WEIR_EINVAL;
}

enum weir_status weir_lf_buffer_ref(struct loader *l, const char *name,
                                    const struct weir_where *where, uint32_t *out) {
  const char *names[WEIR_LF_BUFFERS];
  for (uint32_t b = 0; b < l->n_buffers; b++) {
    names[b] = l->buffers[b].name;
    *out = b;
    if (strcmp(names[b], name) == 0) return WEIR_OK;
  }
  weir_fail_at(l->err, WEIR_ENOENT, where, "there is no buffer '%.60s'", name);
  const char *near = weir_nearest(name, names, l->n_buffers);
  if (near)
    weir_err_add(l->err, "did you mean '%s'?", near);
  else
    weir_err_add(l->err, "declare it under 'buffers'");
  return WEIR_ENOENT;
}

/* ---- inputs and variables ---- */

static enum weir_status read_vars(struct loader *l, uint32_t map) {
  for (uint32_t i = weir_config_first(l->c, map); i; i = weir_config_next(l->c, i)) {
    struct weir_expr_name var = {.name = entry(l, i)->key, .kind = WEIR_EXPR_CONST};
    TRY(weir_lf_check_name(l, i, "variable"));
    for (size_t k = 0; k < l->vars.n; k++) {
      if (strcmp(l->vars.v[k].name, var.name) != 0) continue;
      struct weir_where where = weir_config_key_where(l->c, i);
      weir_fail_at(l->err, WEIR_EINVAL, &where, "variable '%s' is defined twice", var.name);
      weir_err_add(l->err, "the input sets it as well: leave it out in one place");
      return WEIR_EINVAL;
    }
    TRY(weir_lf_value(l, i, &var.value));
    if (l->vars.n >= WEIR_LF_VARS)
      return weir_config_fail(l->c, i, WEIR_EINVAL, l->err, "more than %d variables", WEIR_LF_VARS);
    if (!WEIR_PUSH(l->vars, var)) return weir_lf_no_memory(l);
  }
  return WEIR_OK;
}

/* ---- contents ---- */

enum weir_status weir_lf_path(struct loader *l, uint32_t i, uint64_t bytes, const char **out) {
  TRY(weir_config_want(l->c, i, WEIR_SCALAR, l->err));
  const char *name = entry(l, i)->text, *mark = strstr(name, "$input");
  if (!*name) return weir_config_fail(l->c, i, WEIR_EINVAL, l->err, "expected the name of a file");
  if (mark)
    name = weir_arena_printf(l->arena, "%.*s%s%s", (int)(mark - name), name, l->lf->input_key,
                             mark + strlen("$input"));
  char *path = name ? weir_file_beside(l->arena, l->lf->path, name) : NULL;
  if (!path) return weir_lf_no_memory(l);
  *out = path;
  struct stat st;
  if (stat(path, &st) != 0) {
    weir_config_fail(l->c, i, errno == ENOENT ? WEIR_ENOENT : WEIR_EIO, l->err,
                     "cannot open '%.200s': %s", path, strerror(errno));
    weir_err_add(l->err, "names of files are relative to the launch file");
    return errno == ENOENT ? WEIR_ENOENT : WEIR_EIO;
  }
  if (!S_ISREG(st.st_mode))
    return weir_config_fail(l->c, i, WEIR_EINVAL, l->err, "'%.200s' is not a plain file", path);
  const struct weir_where where = weir_config_where(l->c, i);
  TRY(weir_input_found(&st, path, &where, l->err));
  size_t n = strlen(path);
  if (bytes == 0 || (n > 4 && strcmp(path + n - 4, ".zst") == 0)) return WEIR_OK;
  if ((uint64_t)st.st_size == bytes) return WEIR_OK;
  weir_config_fail(l->c, i, WEIR_EINVAL, l->err,
                   "'%.200s' has %" PRIu64 " bytes, the buffer has %" PRIu64, path,
                   (uint64_t)st.st_size, bytes);
  weir_err_add(l->err, "a file must hold exactly the buffer's bytes: change 'count' or the file");
  return WEIR_EINVAL;
}

static enum weir_status read_values(struct loader *l, uint32_t i, const struct weir_lf_buffer *b,
                                    struct weir_contents *out) {
  TRY(weir_config_want(l->c, i, WEIR_SEQ, l->err));
  uint64_t n = weir_config_count(l->c, i);
  if (n != b->count) {
    weir_config_fail(l->c, i, WEIR_EINVAL, l->err,
                     "%" PRIu64 " values for the %" PRIu64 " elements of buffer '%s'", n, b->count,
                     b->name);
    weir_err_add(l->err, "give one value per element");
    return WEIR_EINVAL;
  }
  char *values;
  values = weir_arena_array(l->arena, b->count, b->element_bytes);
  if (!values) return weir_lf_no_memory(l);
  out->values = values;
  /* The compiled values are not needed afterwards, and there may be a million. */
  struct weir_arena *keep = l->arena, scratch = {0};
  enum weir_status st = WEIR_OK;
  l->arena = &scratch;
  for (uint32_t v = weir_config_first(l->c, i); v && st == WEIR_OK; v = weir_config_next(l->c, v)) {
    struct weir_value value = {0};
    st = weir_lf_value(l, v, &value);
    if (st == WEIR_OK) weir_element_store(b->type, values, value);
    values += b->element_bytes;
  }
  l->arena = keep;
  weir_arena_free(&scratch);
  return st;
}

/* Bounds of `uniform`: integers for integer types, at most 2^32 apart because the hash has 32 bits.
 */
static enum weir_status read_uniform(struct loader *l, uint32_t i, uint32_t seed,
                                     const struct weir_lf_buffer *b, struct weir_contents *out) {
  TRY(weir_config_want(l->c, i, WEIR_SEQ, l->err));
  if (weir_config_count(l->c, i) != 2)
    return weir_config_fail(l->c, i, WEIR_EINVAL, l->err, "expected [lowest, highest]");
  uint32_t lo = weir_config_first(l->c, i), hi = weir_config_next(l->c, lo);
  TRY(weir_lf_value(l, lo, &out->lo));
  TRY(weir_lf_value(l, hi, &out->hi));
  if (seed) {
    int64_t s;
    TRY(weir_lf_int(l, seed, INT64_MIN, INT64_MAX, &s));
    out->seed = (uint64_t)s;
  }
  if (ptx_type_is_float(b->type)) {
    double low = out->lo.is_double ? out->lo.d : (double)out->lo.i;
    double high = out->hi.is_double ? out->hi.d : (double)out->hi.i;
    out->lo = (struct weir_value){.is_double = true, .d = low};
    out->hi = (struct weir_value){.is_double = true, .d = high};
    if (isfinite(low) && isfinite(high) && low <= high) return WEIR_OK;
    return weir_config_fail(l->c, i, WEIR_EINVAL, l->err, "the bounds must be finite and in order");
  }
  if (out->lo.is_double) return not_integer(l, lo);
  if (out->hi.is_double) return not_integer(l, hi);
  if (out->lo.i > out->hi.i)
    return weir_config_fail(l->c, i, WEIR_EINVAL, l->err, "the bounds are out of order");
  if ((uint64_t)out->hi.i - (uint64_t)out->lo.i <= UINT32_MAX) return WEIR_OK;
  weir_config_fail(l->c, i, WEIR_EINVAL, l->err, "the bounds are more than 2^32 - 1 apart");
  weir_err_add(l->err, "use a formula with two hashes");
  return WEIR_EINVAL;
}

static enum weir_status read_checksum(struct loader *l, uint32_t i, uint64_t *out) {
  TRY(weir_config_want(l->c, i, WEIR_SCALAR, l->err));
  const char *text = entry(l, i)->text, *digits = text + strlen("xxh64:");
  if (strncmp(text, "xxh64:", strlen("xxh64:")) == 0 && strlen(digits) == 16 &&
      strspn(digits, "0123456789abcdefABCDEF") == 16) {
    *out = strtoull(digits, NULL, 16);
    return WEIR_OK;
  }
  weir_config_fail(l->c, i, WEIR_EINVAL, l->err, "'%.60s' is not a checksum", text);
  weir_err_add(l->err, "write xxh64: and 16 hexadecimal digits");
  return WEIR_EINVAL;
}

static enum weir_status read_formula(struct loader *l, uint32_t i, const struct weir_lf_buffer *b,
                                     struct weir_contents *out) {
  struct weir_expr_scope scope;
  TRY(formula_scope(l, ptx_type_is_float(b->type), &scope));
  return weir_lf_expr(l, i, &scope, &out->formula);
}

static const struct {
  const char *key;
  enum weir_contents_kind kind;
} contents_keys[] = {
    {"formula", WEIR_CONTENTS_FORMULA},   {"uniform", WEIR_CONTENTS_UNIFORM},
    {"values", WEIR_CONTENTS_VALUES},     {"file", WEIR_CONTENTS_FILE},
    {"checksum", WEIR_CONTENTS_CHECKSUM},
};

enum weir_status weir_lf_find_contents(struct loader *l, uint32_t map, const char *choices,
                                       uint32_t *at, enum weir_contents_kind *kind) {
  *at = 0;
  for (size_t k = 0; k < COUNT(contents_keys); k++) {
    uint32_t i = weir_config_find(l->c, map, contents_keys[k].key);
    if (i && *at) {
      struct weir_where where = weir_config_key_where(l->c, i);
      weir_fail_at(l->err, WEIR_EINVAL, &where, "both '%s' and '%s' are given", entry(l, *at)->key,
                   entry(l, i)->key);
      weir_err_add(l->err, "keep one of %s", choices);
      return WEIR_EINVAL;
    }
    if (i) {
      *at = i;
      *kind = contents_keys[k].kind;
    }
  }
  if (*at) return WEIR_OK;
  weir_config_fail(l->c, map, WEIR_EINVAL, l->err, "nothing says what the elements are");
  weir_err_add(l->err, "give one of %s", choices);
  return WEIR_EINVAL;
}

enum weir_status weir_lf_contents(struct loader *l, uint32_t i, enum weir_contents_kind kind,
                                  const struct weir_lf_buffer *b, uint32_t seed,
                                  struct weir_contents *out) {
  out->kind = kind;
  out->where = weir_config_where(l->c, i);
  switch (kind) {
  case WEIR_CONTENTS_ZERO:
    return WEIR_OK;
  case WEIR_CONTENTS_FORMULA:
    return read_formula(l, i, b, out);
  case WEIR_CONTENTS_UNIFORM:
    return read_uniform(l, i, seed, b, out);
  case WEIR_CONTENTS_VALUES:
    return read_values(l, i, b, out);
  case WEIR_CONTENTS_FILE:
    return weir_lf_path(l, i, b->bytes, &out->path);
  case WEIR_CONTENTS_CHECKSUM:
    return read_checksum(l, i, &out->checksum);
  }
  return WEIR_OK;
}

/* ---- buffers ---- */

static enum weir_status read_type(struct loader *l, uint32_t i, enum ptx_type *out) {
  const char *names[PTX_N_TYPES];
  size_t n = 0;
  for (int t = 1; t < PTX_N_TYPES; t++) {
    if (!weir_element_bytes((enum ptx_type)t)) continue;
    names[n] = weir_element_name((enum ptx_type)t);
    *out = (enum ptx_type)t;
    if (strcmp(names[n++], entry(l, i)->text) == 0) return WEIR_OK;
  }
  weir_config_fail(l->c, i, WEIR_EINVAL, l->err, "there is no type '%.60s'", entry(l, i)->text);
  weir_err_add(l->err, "types: u8 s8 u16 s16 u32 s32 u64 s64 f32 f64");
  return WEIR_EINVAL;
}

static enum weir_status read_init(struct loader *l, uint32_t init, struct weir_lf_buffer *b) {
  static const char *const keys[] = {"formula", "uniform", "values", "file", "seed"};
  enum weir_contents_kind kind = WEIR_CONTENTS_ZERO;
  uint32_t at;
  TRY(weir_config_only(l->c, init, keys, COUNT(keys), l->err));
  TRY(weir_lf_find_contents(l, init, "formula, uniform, values, file", &at, &kind));
  uint32_t seed = weir_config_find(l->c, init, "seed");
  if (seed && kind != WEIR_CONTENTS_UNIFORM)
    return weir_config_fail(l->c, seed, WEIR_EINVAL, l->err,
                            "only 'uniform' has a seed; in a formula, use hash(seed, i)");
  return weir_lf_contents(l, at, kind, b, seed, &b->init);
}

static enum weir_status read_buffer(struct loader *l, uint32_t i) {
  static const char *const keys[] = {"type", "count", "init"};
  struct weir_lf_buffer *b = &l->buffers[l->n_buffers];
  uint32_t type, count, init;
  int64_t n;
  TRY(weir_lf_check_name(l, i, "buffer"));
  TRY(weir_config_want(l->c, i, WEIR_MAP, l->err));
  TRY(weir_config_only(l->c, i, keys, COUNT(keys), l->err));
  TRY(weir_config_child(l->c, i, "type", WEIR_SCALAR, true, &type, l->err));
  TRY(weir_config_child(l->c, i, "count", WEIR_SCALAR, true, &count, l->err));
  TRY(weir_config_child(l->c, i, "init", WEIR_MAP, false, &init, l->err));
  b->name = entry(l, i)->key;
  b->where = weir_config_key_where(l->c, i);
  TRY(read_type(l, type, &b->type));
  b->element_bytes = weir_element_bytes(b->type);
  TRY(weir_lf_int(l, count, 1, (int64_t)(WEIR_LF_BYTES / b->element_bytes), &n));
  b->count = (uint64_t)n;
  b->bytes = b->count * b->element_bytes;
  l->lf->total_bytes += b->bytes;
  if (l->lf->total_bytes > WEIR_LF_BYTES)
    return weir_config_fail(l->c, count, WEIR_EINVAL, l->err,
                            "the buffers so far take %" PRIu64 " bytes; at most %" PRIu64,
                            l->lf->total_bytes, WEIR_LF_BYTES);
  if (init) TRY(read_init(l, init, b));
  l->n_buffers++;
  return WEIR_OK;
}

static enum weir_status read_buffers(struct loader *l) {
  uint32_t map;
  TRY(weir_config_child(l->c, 0, "buffers", WEIR_MAP, false, &map, l->err));
  if (!map) return WEIR_OK;
  TRY(weir_lf_limit_count(l, map, WEIR_LF_BUFFERS, "buffers"));
  NEW(l->buffers, weir_config_count(l->c, map));
  for (uint32_t i = weir_config_first(l->c, map); i; i = weir_config_next(l->c, i))
    TRY(read_buffer(l, i));
  l->lf->buffers = l->buffers;
  l->lf->n_buffers = l->n_buffers;
  NEW(l->lf->arrays, l->n_buffers);
  for (uint32_t b = 0; b < l->n_buffers; b++)
    l->lf->arrays[b] = (struct weir_expr_array){NULL, l->buffers[b].count, l->buffers[b].type};
  return WEIR_OK;
}

/* ---- the whole ---- */

static enum weir_status read_all(struct loader *l, const char *input) {
  uint32_t vars, chosen;
  TRY(weir_lf_head(l));
  TRY(weir_lf_choose(l, input, &chosen));
  if (chosen) TRY(read_vars(l, chosen));
  TRY(weir_config_child(l->c, 0, "vars", WEIR_MAP, false, &vars, l->err));
  if (vars) TRY(read_vars(l, vars));
  TRY(weir_lf_modules(l));
  TRY(read_buffers(l));
  TRY(weir_lf_textures(l));
  TRY(launch_scopes(l));
  TRY(weir_lf_launches(l));
  return weir_lf_expects(l);
}

static enum weir_status build(struct weir_launchfile *lf, const char *path, const char *input,
                              struct weir_err *err) {
  struct loader l = {.lf = lf, .c = &lf->config, .arena = &lf->arena, .err = err};
  lf->path = weir_arena_strndup(&lf->arena, path, strlen(path));
  enum weir_status st = lf->path ? read_all(&l, input) : weir_lf_no_memory(&l);
  free(l.vars.v);
  return st;
}

enum weir_status weir_launchfile_parse(const char *path, const char *text, size_t len,
                                       const char *input, struct weir_launchfile **out,
                                       struct weir_err *err) {
  *out = NULL;
  struct weir_launchfile *lf = weir_calloc(1, sizeof *lf);
  if (!lf) return weir_fail(err, WEIR_ENOMEM, "out of memory while reading '%s'", path);
  enum weir_status st = weir_config_parse(&lf->config, path, text, len, err);
  if (st == WEIR_OK) st = build(lf, path, input, err);
  if (st == WEIR_OK)
    *out = lf;
  else
    weir_launchfile_free(lf);
  return st;
}

enum weir_status weir_launchfile_load(const char *path, const char *input,
                                      struct weir_launchfile **out, struct weir_err *err) {
  char *text;
  size_t len;
  *out = NULL;
  TRY(weir_file_read(path, WEIR_CONFIG_BYTES, NULL, &text, &len, err));
  enum weir_status st = weir_launchfile_parse(path, text, len, input, out, err);
  free(text);
  return st;
}

void weir_launchfile_free(struct weir_launchfile *lf) {
  if (!lf) return;
  for (uint32_t b = 0; lf->arrays && b < lf->n_buffers; b++)
    free((void *)(uintptr_t)lf->arrays[b].data);
  weir_config_free(&lf->config);
  weir_arena_free(&lf->arena);
  free(lf);
}

int weir_launchfile_buffer(const struct weir_launchfile *lf, const char *name) {
  for (uint32_t b = 0; b < lf->n_buffers; b++)
    if (strcmp(lf->buffers[b].name, name) == 0) return (int)b;
  return -1;
}
