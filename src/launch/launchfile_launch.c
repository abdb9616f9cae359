/* The launches and expected results of a launch file. */
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "base/suggest.h"
#include "launch/launchfile_load.h"

/* ---- launches ---- */

static enum weir_status read_dims(struct loader *l, uint32_t launch, const char *key,
                                  const struct weir_expr_scope *scope,
                                  const struct weir_expr *dims[3], struct weir_where where[3]) {
  uint32_t list;
  TRY(weir_config_child(l->c, launch, key, WEIR_SEQ, true, &list, l->err));
  uint32_t n = weir_config_count(l->c, list), d = 0;
  if (n < 1 || n > 3)
    return weir_config_fail(l->c, list, WEIR_EINVAL, l->err,
                            "%" PRIu32 " sizes; expected one to three: [x], [x, y] or [x, y, z]",
                            n);
  for (uint32_t i = weir_config_first(l->c, list); i; i = weir_config_next(l->c, i), d++) {
    where[d] = weir_config_where(l->c, i);
    TRY(weir_lf_int_expr(l, i, scope, &dims[d]));
  }
  return WEIR_OK;
}

static enum weir_status read_fields(struct loader *l, uint32_t arg,
                                    const struct weir_expr_scope *scope, struct weir_lf_arg *out) {
  static const char *const keys[] = {"bytes"};
  struct weir_lf_field *fields;
  uint32_t list, f = 0;
  TRY(weir_config_only(l->c, arg, keys, COUNT(keys), l->err));
  TRY(weir_config_child(l->c, arg, "bytes", WEIR_SEQ, true, &list, l->err));
  TRY(weir_lf_limit_count(l, list, 8192, "fields"));
  out->n_fields = weir_config_count(l->c, list);
  NEW(fields, out->n_fields);
  out->fields = fields;
  for (uint32_t i = weir_config_first(l->c, list); i; i = weir_config_next(l->c, i), f++) {
    TRY(weir_config_want(l->c, i, WEIR_MAP, l->err));
    if (weir_config_count(l->c, i) != 1)
      return weir_config_fail(l->c, i, WEIR_EINVAL, l->err, "expected {TYPE: VALUE}");
    uint32_t v = weir_config_first(l->c, i);
    fields[f].type = PTX_T_none;
    for (int t = 1; t < PTX_N_TYPES; t++)
      if (weir_element_bytes((enum ptx_type)t) &&
          strcmp(weir_element_name((enum ptx_type)t), entry(l, v)->key) == 0)
        fields[f].type = (enum ptx_type)t;
    if (fields[f].type == PTX_T_none) {
      struct weir_where where = weir_config_key_where(l->c, v);
      weir_fail_at(l->err, WEIR_EINVAL, &where, "there is no type '%s'", entry(l, v)->key);
      weir_err_add(l->err, "types: u8 s8 u16 s16 u32 s32 u64 s64 f32 f64");
      return WEIR_EINVAL;
    }
    fields[f].where = weir_config_where(l->c, v);
    TRY(weir_lf_expr(l, v, scope, &fields[f].value));
  }
  return WEIR_OK;
}

static enum weir_status read_args(struct loader *l, uint32_t launch, struct weir_lf_launch *out) {
  struct weir_lf_arg *args;
  uint32_t list, a = 0;
  out->args_where = out->where;
  TRY(weir_config_child(l->c, launch, "args", WEIR_SEQ, false, &list, l->err));
  if (!list) return WEIR_OK;
  TRY(weir_lf_limit_count(l, list, WEIR_LF_ARGS, "arguments"));
  out->args_where = weir_config_where(l->c, list);
  out->n_args = weir_config_count(l->c, list);
  NEW(args, out->n_args);
  out->args = args;
  for (uint32_t i = weir_config_first(l->c, list); i; i = weir_config_next(l->c, i), a++) {
    args[a].where = weir_config_where(l->c, i);
    if (entry(l, i)->kind == WEIR_MAP)
      TRY(read_fields(l, i, &l->args_scope, &args[a]));
    else
      TRY(weir_lf_expr(l, i, &l->args_scope, &args[a].value));
  }
  return WEIR_OK;
}

static enum weir_status read_until(struct loader *l, uint32_t launch,
                                   const struct weir_expr_scope *scope,
                                   struct weir_lf_launch *out) {
  static const char *const keys[] = {"buffer", "index", "equals"};
  uint32_t map, buffer, index, equals;
  TRY(weir_config_child(l->c, launch, "until", WEIR_MAP, false, &map, l->err));
  if (!map) return WEIR_OK;
  TRY(weir_config_only(l->c, map, keys, COUNT(keys), l->err));
  TRY(weir_config_child(l->c, map, "buffer", WEIR_SCALAR, true, &buffer, l->err));
  TRY(weir_config_child(l->c, map, "index", WEIR_SCALAR, true, &index, l->err));
  TRY(weir_config_child(l->c, map, "equals", WEIR_SCALAR, true, &equals, l->err));
  out->has_until = true;
  out->until_where = weir_config_key_where(l->c, map);
  struct weir_where where = weir_config_where(l->c, buffer);
  TRY(weir_lf_buffer_ref(l, entry(l, buffer)->text, &where, &out->until_buffer));
  TRY(weir_lf_int_expr(l, index, scope, &out->until_index));
  return weir_lf_expr(l, equals, scope, &out->until_equals);
}

static enum weir_status read_sets(struct loader *l, uint32_t launch,
                                  const struct weir_expr_scope *scope, struct weir_lf_launch *out) {
  struct weir_lf_set *sets;
  uint32_t map, s = 0;
  TRY(weir_config_child(l->c, launch, "set", WEIR_MAP, false, &map, l->err));
  if (!map) return WEIR_OK;
  out->n_sets = weir_config_count(l->c, map);
  NEW(sets, out->n_sets);
  out->sets = sets;
  for (uint32_t i = weir_config_first(l->c, map); i; i = weir_config_next(l->c, i), s++) {
    struct weir_where where = weir_config_key_where(l->c, i);
    TRY(weir_lf_buffer_ref(l, entry(l, i)->key, &where, &sets[s].buffer));
    TRY(weir_lf_expr(l, i, scope, &sets[s].value));
  }
  return WEIR_OK;
}

static enum weir_status read_small(struct loader *l, uint32_t launch, const char *key, int64_t lo,
                                   int64_t hi, int64_t missing, int64_t *out) {
  uint32_t i;
  *out = missing;
  TRY(weir_config_child(l->c, launch, key, WEIR_SCALAR, false, &i, l->err));
  return i ? weir_lf_int(l, i, lo, hi, out) : WEIR_OK;
}

static enum weir_status read_launch(struct loader *l, uint32_t i, struct weir_lf_launch *out) {
  static const char *const keys[] = {"kernel",    "grid",          "block",      "shared",
                                     "registers", "static_shared", "args",       "repeat",
                                     "until",     "set",           "cooperative"};
  uint32_t kernel, shared;
  int64_t n;
  TRY(weir_config_want(l->c, i, WEIR_MAP, l->err));
  TRY(weir_config_only(l->c, i, keys, COUNT(keys), l->err));
  TRY(weir_config_child(l->c, i, "kernel", WEIR_SCALAR, true, &kernel, l->err));
  out->kernel = entry(l, kernel)->text;
  out->where = weir_config_where(l->c, kernel);
  if (!*out->kernel)
    return weir_config_fail(l->c, kernel, WEIR_EINVAL, l->err, "expected the name of a kernel");
  TRY(read_dims(l, i, "grid", &l->launch_scope, out->grid, out->grid_where));
  TRY(read_dims(l, i, "block", &l->launch_scope, out->block, out->block_where));
  TRY(weir_config_child(l->c, i, "shared", WEIR_SCALAR, false, &shared, l->err));
  if (shared) {
    out->shared_where = weir_config_where(l->c, shared);
    TRY(weir_lf_int_expr(l, shared, &l->launch_scope, &out->dyn_shared));
  }
  TRY(read_small(l, i, "registers", 1, WEIR_LF_REGISTERS, -1, &n));
  out->registers = (int)n;
  TRY(read_small(l, i, "static_shared", 0, WEIR_LF_SHARED, -1, &n));
  out->static_shared = (int)n;
  TRY(read_small(l, i, "repeat", 1, WEIR_LF_REPEAT, 1, &n));
  out->repeat = (uint32_t)n;
  out->together = 1;
  TRY(weir_lf_flag(l, i, "cooperative", &out->cooperative));
  TRY(read_args(l, i, out));
  TRY(read_until(l, i, &l->launch_scope, out));
  return read_sets(l, i, &l->launch_scope, out);
}

/* Launches that are repeated in turn, from v[0] on: {repeat: N, launches: [..]}. */
static enum weir_status read_group(struct loader *l, uint32_t group, struct weir_lf_launch *v) {
  static const char *const keys[] = {"repeat", "launches"}, *const own[] = {"repeat", "until"};
  uint32_t list, n = 0;
  int64_t repeat;
  TRY(weir_config_only(l->c, group, keys, COUNT(keys), l->err));
  TRY(read_small(l, group, "repeat", 1, WEIR_LF_REPEAT, 1, &repeat));
  TRY(weir_config_child(l->c, group, "launches", WEIR_SEQ, true, &list, l->err));
  for (uint32_t i = weir_config_first(l->c, list); i; i = weir_config_next(l->c, i), n++) {
    TRY(read_launch(l, i, &v[n]));
    for (uint32_t k = 0; k < COUNT(own); k++) {
      uint32_t at = weir_config_find(l->c, i, own[k]);
      if (at)
        return weir_config_fail(l->c, at, WEIR_EINVAL, l->err,
                                "this launch is repeated with its group; '%s' is for one alone",
                                own[k]);
    }
    v[n].repeat = (uint32_t)repeat;
  }
  v[0].together = n;
  return WEIR_OK;
}

/* Launches of an entry of the list: one, or a group. */
static enum weir_status count_launches(struct loader *l, uint32_t i, uint32_t *n) {
  uint32_t list;
  *n = 1;
  if (entry(l, i)->kind != WEIR_MAP || !weir_config_find(l->c, i, "launches")) return WEIR_OK;
  TRY(weir_config_child(l->c, i, "launches", WEIR_SEQ, true, &list, l->err));
  TRY(weir_lf_limit_count(l, list, WEIR_LF_LAUNCHES, "launches"));
  *n = weir_config_count(l->c, list);
  if (*n == 0)
    return weir_config_fail(l->c, list, WEIR_EINVAL, l->err, "nothing is launched in this group");
  return WEIR_OK;
}

static enum weir_status check_launch(struct loader *l, uint32_t k) {
  struct weir_launch_shape shape;
  uint64_t offset;
  TRY(weir_launch_shape(l->lf, k, 0, &shape, l->err));
  return l->lf->launches[k].has_until ? weir_until_offset(l->lf, k, 0, &offset, l->err) : WEIR_OK;
}

enum weir_status weir_lf_launches(struct loader *l) {
  struct weir_lf_launch *v;
  uint32_t list, all = 0, more;
  TRY(weir_config_child(l->c, 0, "launches", WEIR_SEQ, true, &list, l->err));
  TRY(weir_lf_limit_count(l, list, WEIR_LF_LAUNCHES, "launches"));
  uint32_t n = weir_config_count(l->c, list);
  if (n == 0)
    return weir_config_fail(l->c, list, WEIR_EINVAL, l->err,
                            "nothing is launched; write - {kernel: NAME, grid: [..], block: [..]}");
  for (uint32_t i = weir_config_first(l->c, list); i; i = weir_config_next(l->c, i), all += more) {
    TRY(count_launches(l, i, &more));
    if (all + more > WEIR_LF_LAUNCHES)
      return weir_config_fail(l->c, i, WEIR_EINVAL, l->err, "more than %d launches",
                              WEIR_LF_LAUNCHES);
  }
  NEW(v, all);
  l->lf->launches = v;
  for (uint32_t i = weir_config_first(l->c, list); i; i = weir_config_next(l->c, i)) {
    uint32_t first = l->lf->n_launches;
    bool is_group = entry(l, i)->kind == WEIR_MAP && weir_config_find(l->c, i, "launches");
    TRY(is_group ? read_group(l, i, &v[first]) : read_launch(l, i, &v[first]));
    l->lf->n_launches += v[first].together;
    for (uint32_t k = first; k < l->lf->n_launches; k++)
      TRY(check_launch(l, k));
  }
  return weir_lf_build_registers(l, v, l->lf->n_launches);
}

/* ---- expected results ---- */

static enum weir_status read_tolerance(struct loader *l, uint32_t i, const char *key, double *out) {
  struct weir_value v = {0};
  uint32_t at;
  *out = -1;
  TRY(weir_config_child(l->c, i, key, WEIR_SCALAR, false, &at, l->err));
  if (!at) return WEIR_OK;
  TRY(weir_lf_value(l, at, &v));
  *out = v.is_double ? v.d : (double)v.i;
  if (isfinite(*out) && *out >= 0) return WEIR_OK;
  return weir_config_fail(l->c, at, WEIR_EINVAL, l->err,
                          "a tolerance must be finite and not negative");
}

static enum weir_status read_tolerances(struct loader *l, uint32_t i, struct weir_lf_expect *out) {
  TRY(read_tolerance(l, i, "abs", &out->abs_max));
  TRY(read_tolerance(l, i, "rel", &out->rel_max));
  TRY(read_small(l, i, "ulp", 0, INT64_MAX, -1, &out->ulp_max));
  uint32_t ulp = weir_config_find(l->c, i, "ulp");
  if (ulp && !ptx_type_is_float(l->buffers[out->buffer].type))
    return weir_config_fail(l->c, ulp, WEIR_EINVAL, l->err,
                            "buffer '%s' has integers, which have no ulp; use abs",
                            l->buffers[out->buffer].name);
  out->has_tolerance = out->abs_max >= 0 || out->rel_max >= 0 || out->ulp_max >= 0;
  if (!out->has_tolerance || out->want.kind != WEIR_CONTENTS_CHECKSUM) return WEIR_OK;
  weir_fail_at(l->err, WEIR_EINVAL, &out->where, "a checksum has no tolerance");
  weir_err_add(l->err, "leave out abs, rel and ulp, or compare with values, a file or a formula");
  return WEIR_EINVAL;
}

/* Does this expectation hold for the chosen input? */
static enum weir_status is_for_input(struct loader *l, uint32_t i, bool *yes) {
  uint32_t input;
  *yes = true;
  TRY(weir_config_child(l->c, i, "input", WEIR_SCALAR, false, &input, l->err));
  if (!input) return WEIR_OK;
  const char *name = entry(l, input)->text;
  *yes = strcmp(name, l->lf->input_key) == 0;
  for (uint32_t k = 0; k < l->lf->n_inputs; k++)
    if (strcmp(l->lf->inputs[k], name) == 0) return WEIR_OK;
  weir_config_fail(l->c, input, WEIR_ENOENT, l->err, "there is no input '%.60s'", name);
  const char *near = weir_nearest(name, l->lf->inputs, l->lf->n_inputs);
  if (near)
    weir_err_add(l->err, "did you mean '%s'?", near);
  else
    weir_err_add(l->err, "define it under 'inputs'");
  return WEIR_ENOENT;
}

static enum weir_status read_expect(struct loader *l, uint32_t i, struct weir_lf_expect *out,
                                    bool *mine) {
  static const char *const keys[] = {"buffer", "input", "checksum", "formula", "values",
                                     "file",   "abs",   "rel",      "ulp"};
  enum weir_contents_kind kind = WEIR_CONTENTS_ZERO;
  uint32_t buffer, at;
  TRY(weir_config_want(l->c, i, WEIR_MAP, l->err));
  TRY(weir_config_only(l->c, i, keys, COUNT(keys), l->err));
  TRY(weir_config_child(l->c, i, "buffer", WEIR_SCALAR, true, &buffer, l->err));
  struct weir_where where = weir_config_where(l->c, buffer);
  TRY(weir_lf_buffer_ref(l, entry(l, buffer)->text, &where, &out->buffer));
  TRY(weir_lf_find_contents(l, i, "checksum, formula, values, file", &at, &kind));
  TRY(is_for_input(l, i, mine));
  if (!*mine) return WEIR_OK;
  out->where = weir_config_key_where(l->c, at);
  const struct weir_lf_buffer *b = &l->buffers[out->buffer];
  TRY(weir_lf_contents(l, at, kind, b, 0, &out->want));
  return read_tolerances(l, i, out);
}

enum weir_status weir_lf_expects(struct loader *l) {
  struct weir_lf_expect *v;
  uint32_t list;
  TRY(weir_config_child(l->c, 0, "expect", WEIR_SEQ, false, &list, l->err));
  if (!list) return WEIR_OK;
  TRY(weir_lf_limit_count(l, list, WEIR_LF_EXPECTS, "expected results"));
  NEW(v, weir_config_count(l->c, list));
  l->lf->expects = v;
  for (uint32_t i = weir_config_first(l->c, list); i; i = weir_config_next(l->c, i)) {
    bool mine = false;
    v[l->lf->n_expects] = (struct weir_lf_expect){0};
    TRY(read_expect(l, i, &v[l->lf->n_expects], &mine));
    l->lf->n_expects += mine;
  }
  return WEIR_OK;
}
