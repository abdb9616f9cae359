/* What a loaded launch file is for: contents of buffers, shapes and parameter blocks of launches,
 * and the comparison of results. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

#include "base/file.h"
#include "base/hash.h"
#include "base/mem.h"
#include "launch/launchfile.h"

#define TRY(call)                                                                                  \
  do {                                                                                             \
    enum weir_status try_status = (call);                                                          \
    if (try_status != WEIR_OK) return try_status;                                                  \
  } while (0)

/* ---- contents ---- */

static enum weir_status fill_formula(struct weir_launchfile *lf, const struct weir_contents *c,
                                     const struct weir_lf_buffer *b, char *dst,
                                     struct weir_err *err) {
  struct weir_expr_ctx ctx = {.arrays = lf->arrays};
  for (uint64_t i = 0; i < b->count; i++, dst += b->element_bytes) {
    struct weir_value v;
    ctx.slot[WEIR_SLOT_I] = (int64_t)i;
    TRY(weir_expr_eval(c->formula, &ctx, &v, err));
    weir_element_store(b->type, dst, v);
    v = weir_element_load(b->type, dst);
    if (v.is_double)
      memcpy(&ctx.slot[WEIR_SLOT_PREV], &v.d, sizeof v.d);
    else
      ctx.slot[WEIR_SLOT_PREV] = v.i;
  }
  return WEIR_OK;
}

static void fill_uniform(const struct weir_contents *c, const struct weir_lf_buffer *b, char *dst) {
  struct weir_value v = {.is_double = ptx_type_is_float(b->type)};
  uint64_t span = (uint64_t)c->hi.i - (uint64_t)c->lo.i + 1;
  for (uint64_t i = 0; i < b->count; i++, dst += b->element_bytes) {
    uint32_t h = weir_hash32(c->seed, i);
    if (v.is_double)
      v.d = c->lo.d + (c->hi.d - c->lo.d) * h / 4294967296.0;
    else
      v.i = (int64_t)((uint64_t)c->lo.i + h % span);
    weir_element_store(b->type, dst, v);
  }
}

static enum weir_status fill_file(const struct weir_contents *c, const struct weir_lf_buffer *b,
                                  void *dst, struct weir_err *err) {
  char *data;
  size_t len;
  /* Compressed data that does not compress is a little longer than what it stands for. */
  uint64_t limit = b->bytes + b->bytes / 64 + 4096;
  enum weir_status st = weir_file_read(c->path, limit, &c->where, &data, &len, err);
  if (st != WEIR_OK && st != WEIR_ELIMIT) return st;
  if (st == WEIR_OK && len == b->bytes) {
    memcpy(dst, data, len);
    free(data);
    return WEIR_OK;
  }
  if (st == WEIR_OK)
    weir_fail_at(err, WEIR_EINVAL, &c->where, "'%.200s' holds %zu bytes, buffer '%s' has %" PRIu64,
                 c->path, len, b->name, b->bytes);
  else
    weir_fail_at(err, WEIR_EINVAL, &c->where,
                 "'%.200s' holds more than the %" PRIu64 " bytes of buffer '%s'", c->path, b->bytes,
                 b->name);
  weir_err_add(err, "a file must hold exactly the buffer's bytes: change 'count' or the file");
  free(data);
  return WEIR_EINVAL;
}

static enum weir_status fill(struct weir_launchfile *lf, const struct weir_contents *c,
                             const struct weir_lf_buffer *b, void *dst, struct weir_err *err) {
  switch (c->kind) {
  case WEIR_CONTENTS_FORMULA:
    return fill_formula(lf, c, b, dst, err);
  case WEIR_CONTENTS_UNIFORM:
    fill_uniform(c, b, dst);
    return WEIR_OK;
  case WEIR_CONTENTS_VALUES:
    memcpy(dst, c->values, b->bytes);
    return WEIR_OK;
  case WEIR_CONTENTS_FILE:
    return fill_file(c, b, dst, err);
  case WEIR_CONTENTS_ZERO:
    memset(dst, 0, b->bytes);
    return WEIR_OK;
  case WEIR_CONTENTS_CHECKSUM:
    break;
  }
  return weir_fail(err, WEIR_EBUG, "a checksum has no elements");
}

static void mark_arrays(const struct weir_contents *c, bool *needed) {
  size_t pos = 0;
  uint32_t index;
  if (c->kind != WEIR_CONTENTS_FORMULA) return;
  while (weir_expr_next_array(c->formula, &pos, &index))
    needed[index] = true;
}

/* Make the initial contents that `c` reads with at(), and those they read in turn. A formula reads
 * only buffers before its own, so one walk back and one forward suffice. */
static enum weir_status make_arrays(struct weir_launchfile *lf, const struct weir_contents *c,
                                    struct weir_err *err) {
  bool needed[WEIR_LF_BUFFERS] = {false};
  mark_arrays(c, needed);
  for (uint32_t b = lf->n_buffers; b-- > 0;)
    if (needed[b] && !lf->arrays[b].data) mark_arrays(&lf->buffers[b].init, needed);
  for (uint32_t b = 0; b < lf->n_buffers; b++) {
    if (!needed[b] || lf->arrays[b].data) continue;
    const struct weir_lf_buffer *buffer = &lf->buffers[b];
    void *data = weir_malloc(buffer->bytes);
    if (!data)
      return weir_fail_at(err, WEIR_ENOMEM, &buffer->where,
                          "out of memory: %" PRIu64 " bytes for buffer '%s'", buffer->bytes,
                          buffer->name);
    enum weir_status st = fill(lf, &buffer->init, buffer, data, err);
    if (st != WEIR_OK) {
      free(data);
      return st;
    }
    lf->arrays[b].data = data;
  }
  return WEIR_OK;
}

enum weir_status weir_buffer_generate(struct weir_launchfile *lf, uint32_t index, void *dst,
                                      struct weir_err *err) {
  const struct weir_lf_buffer *b = &lf->buffers[index];
  if (lf->arrays[index].data) {
    memcpy(dst, lf->arrays[index].data, b->bytes);
    return WEIR_OK;
  }
  TRY(make_arrays(lf, &b->init, err));
  return fill(lf, &b->init, b, dst, err);
}

/* ---- launches ---- */

static enum weir_status eval_int(const struct weir_expr *e, uint32_t k,
                                 const struct weir_where *where, const char *what, int64_t lo,
                                 int64_t hi, int64_t *out, struct weir_err *err) {
  struct weir_expr_ctx ctx = {.slot[WEIR_SLOT_K] = k};
  struct weir_value v = {0};
  TRY(weir_expr_eval(e, &ctx, &v, err));
  *out = v.i;
  if (v.i >= lo && v.i <= hi) return WEIR_OK;
  weir_fail_at(err, WEIR_EINVAL, where, "%s is %" PRId64, what, v.i);
  weir_err_add(err, "accepted: %" PRId64 " to %" PRId64, lo, hi);
  if (k) weir_err_add(err, "with k = %" PRIu32, k);
  return WEIR_EINVAL;
}

enum weir_status weir_launch_shape(const struct weir_launchfile *lf, uint32_t launch, uint32_t k,
                                   struct weir_launch_shape *out, struct weir_err *err) {
  /* CUDA C++ Programming Guide, "Technical Specifications per Compute Capability" */
  static const int64_t grid_max[3] = {INT32_MAX, 65535, 65535}, block_max[3] = {1024, 1024, 64};
  static const char *const names[2][3] = {{"grid.x", "grid.y", "grid.z"},
                                          {"block.x", "block.y", "block.z"}};
  const struct weir_lf_launch *l = &lf->launches[launch];
  int64_t n;
  for (int d = 0; d < 3; d++) {
    out->grid[d] = out->block[d] = 1;
    if (l->grid[d]) {
      TRY(eval_int(l->grid[d], k, &l->grid_where[d], names[0][d], 1, grid_max[d], &n, err));
      out->grid[d] = (uint32_t)n;
    }
    if (l->block[d]) {
      TRY(eval_int(l->block[d], k, &l->block_where[d], names[1][d], 1, block_max[d], &n, err));
      out->block[d] = (uint32_t)n;
    }
  }
  uint64_t threads = weir_volume(out->block);
  if (threads > 1024) {
    weir_fail_at(err, WEIR_EINVAL, &l->block_where[0], "the block has %" PRIu64 " threads",
                 threads);
    weir_err_add(err, "accepted: at most 1024, the product of its sizes");
    return WEIR_EINVAL;
  }
  out->dyn_shared_bytes = 0;
  if (!l->dyn_shared) return WEIR_OK;
  TRY(eval_int(l->dyn_shared, k, &l->shared_where, "shared", 0, WEIR_LF_SHARED, &n, err));
  out->dyn_shared_bytes = (uint32_t)n;
  return WEIR_OK;
}

/* Who is being given a value, for messages. */
struct target {
  const char *part, *kernel, *param; /* part: "" or "a field of " */
  enum ptx_type type;
  unsigned bytes;
  const struct weir_where *where;
};

static const char *type_text(enum ptx_type t) {
  static const char *const names[PTX_N_TYPES] = {
      [PTX_T_u8] = "u8",
      [PTX_T_u16] = "u16",
      [PTX_T_u32] = "u32",
      [PTX_T_u64] = "u64",
      [PTX_T_s8] = "s8",
      [PTX_T_s16] = "s16",
      [PTX_T_s32] = "s32",
      [PTX_T_s64] = "s64",
      [PTX_T_b8] = "b8",
      [PTX_T_b16] = "b16",
      [PTX_T_b32] = "b32",
      [PTX_T_b64] = "b64",
      [PTX_T_b128] = "b128",
      [PTX_T_f16] = "f16",
      [PTX_T_f16x2] = "f16x2",
      [PTX_T_bf16] = "bf16",
      [PTX_T_bf16x2] = "bf16x2",
      [PTX_T_tf32] = "tf32",
      [PTX_T_f32] = "f32",
      [PTX_T_f64] = "f64",
      [PTX_T_pred] = "pred",
      [PTX_T_texref] = "texref",
      [PTX_T_samplerref] = "samplerref",
      [PTX_T_surfref] = "surfref",
  };
  return t < PTX_N_TYPES && names[t] ? names[t] : "?";
}

__attribute__((format(printf, 3, 4))) static enum weir_status
mismatch(struct weir_err *err, const struct target *t, const char *fmt, ...) {
  char text[256];
  va_list ap;
  va_start(ap, fmt);
  vsnprintf(text, sizeof text, fmt, ap);
  va_end(ap);
  return weir_fail_at(err, WEIR_EINVAL, t->where,
                      "%sparameter '%.100s' of kernel '%.100s' is .%s; %s", t->part, t->param,
                      t->kernel, type_text(t->type), text);
}

static enum weir_status store_int(const struct target *t, const struct weir_value *v, void *dst,
                                  struct weir_err *err) {
  if (v->is_double) {
    mismatch(err, t, "the argument is the double %.9g", v->d);
    weir_err_add(err, "give an integer, or write int(...) around it");
    return WEIR_EINVAL;
  }
  unsigned bits = t->bytes * 8;
  if (bits < 64) {
    int64_t lo = -(INT64_C(1) << (bits - 1)), hi = (INT64_C(1) << bits) - 1;
    if (ptx_type_is_signed(t->type)) hi = -(lo + 1);
    if (v->i < lo || v->i > hi) {
      mismatch(err, t, "the argument is %" PRId64, v->i);
      weir_err_add(err, "accepted: %" PRId64 " to %" PRId64, lo, hi);
      return WEIR_EINVAL;
    }
  }
  for (unsigned byte = 0; byte < t->bytes; byte++)
    ((uint8_t *)dst)[byte] = (uint8_t)((uint64_t)v->i >> (8 * byte));
  return WEIR_OK;
}

/* One value into `t->bytes` bytes. */
static enum weir_status store_arg(const struct weir_expr *e, const struct weir_expr_ctx *ctx,
                                  const struct target *t, void *dst, struct weir_err *err) {
  struct weir_value v = {0};
  bool is_float = ptx_type_is_float(t->type);
  if (weir_expr_has_address(e) && (is_float || t->bytes != 8)) {
    mismatch(err, t, "the argument is an address");
    weir_err_add(err, "an address needs a 64-bit integer parameter");
    return WEIR_EINVAL;
  }
  TRY(weir_expr_eval(e, ctx, &v, err));
  if (t->type == PTX_T_f32 || t->type == PTX_T_f64) {
    weir_element_store(t->type, dst, v);
    return WEIR_OK;
  }
  if (t->type == PTX_T_none || t->type >= PTX_T_pred || t->bytes > 8) {
    mismatch(err, t, "launch files cannot give arguments of this type");
    return WEIR_EINVAL;
  }
  /* Half-precision types take their bits, as the host's __half does. */
  return store_int(t, &v, dst, err);
}

static enum weir_status store_fields(const struct weir_lf_launch *l, const struct weir_lf_arg *a,
                                     const struct weir_lf_param *p, const struct weir_expr_ctx *ctx,
                                     char *dst, struct weir_err *err) {
  uint64_t at = 0, align_max = 1;
  for (uint32_t f = 0; f < a->n_fields; f++) {
    const struct weir_lf_field *field = &a->fields[f];
    unsigned bytes = weir_element_bytes(field->type);
    struct target t = {"a field of ", l->kernel, p->name, field->type, bytes, &field->where};
    uint8_t value[8];
    TRY(store_arg(field->value, ctx, &t, value, err));
    at = (at + bytes - 1) / bytes * bytes;
    if (at + bytes <= p->bytes) memcpy(dst + at, value, bytes);
    at += bytes;
    if (bytes > align_max) align_max = bytes;
  }
  at = (at + align_max - 1) / align_max * align_max;
  if (at == p->bytes) return WEIR_OK;
  weir_fail_at(err, WEIR_EINVAL, &a->where,
               "parameter '%.100s' of kernel '%.100s' has %" PRIu64
               " bytes, the fields take %" PRIu64,
               p->name, l->kernel, p->bytes, at);
  weir_err_add(err, "fields are laid out with natural alignment; padding is a field as well");
  return WEIR_EINVAL;
}

static enum weir_status wrong_count(const struct weir_lf_launch *l,
                                    const struct weir_lf_param *params, uint32_t n_params,
                                    struct weir_err *err) {
  weir_fail_at(err, WEIR_EINVAL, &l->args_where,
               "kernel '%.100s' has %" PRIu32 " parameter%s, %" PRIu32 " argument%s given",
               l->kernel, n_params, n_params == 1 ? "" : "s", l->n_args,
               l->n_args == 1 ? " is" : "s are");
  for (uint32_t p = 0; p < n_params && p < 12; p++) {
    if (params[p].is_array)
      weir_err_add(err, "%" PRIu32 ": %.80s, %" PRIu64 " bytes", p + 1, params[p].name,
                   params[p].bytes);
    else
      weir_err_add(err, "%" PRIu32 ": %.80s, .%s", p + 1, params[p].name,
                   type_text(params[p].type));
  }
  return WEIR_EINVAL;
}

enum weir_status weir_launch_args(const struct weir_launchfile *lf, uint32_t launch, uint32_t k,
                                  const uint64_t *addresses, const struct weir_lf_param *params,
                                  uint32_t n_params, void *block, size_t block_bytes,
                                  struct weir_err *err) {
  const struct weir_lf_launch *l = &lf->launches[launch];
  struct weir_expr_ctx ctx = {.slot[WEIR_SLOT_K] = k, .addresses = addresses};
  if (block_bytes) memset(block, 0, block_bytes);
  if (l->n_args != n_params) return wrong_count(l, params, n_params, err);
  for (uint32_t p = 0; p < n_params; p++) {
    const struct weir_lf_arg *a = &l->args[p];
    struct target t = {
        "", l->kernel, params[p].name, params[p].type, (unsigned)params[p].bytes, &a->where};
    if (params[p].offset > block_bytes || params[p].bytes > block_bytes - params[p].offset)
      return weir_fail(err, WEIR_EBUG, "parameter '%s' lies outside its block", params[p].name);
    char *dst = (char *)block + params[p].offset;
    if (params[p].is_array && a->value) {
      weir_fail_at(err, WEIR_EINVAL, &a->where,
                   "parameter '%.100s' of kernel '%.100s' is an array of %" PRIu64 " bytes",
                   params[p].name, l->kernel, params[p].bytes);
      weir_err_add(err, "write {bytes: [{u32: 1}, {u64: $buffer}, ...]}");
      return WEIR_EINVAL;
    }
    if (!params[p].is_array && !a->value) {
      mismatch(err, &t, "the argument is a list of bytes");
      weir_err_add(err, "give a single value");
      return WEIR_EINVAL;
    }
    if (a->value)
      TRY(store_arg(a->value, &ctx, &t, dst, err));
    else
      TRY(store_fields(l, a, &params[p], &ctx, dst, err));
  }
  return WEIR_OK;
}

enum weir_status weir_launch_set(const struct weir_launchfile *lf, uint32_t launch, uint32_t set,
                                 uint32_t k, void *dst, struct weir_err *err) {
  const struct weir_lf_set *s = &lf->launches[launch].sets[set];
  const struct weir_lf_buffer *b = &lf->buffers[s->buffer];
  struct weir_expr_ctx ctx = {.slot[WEIR_SLOT_K] = k};
  struct weir_value v = {0};
  char element[8];
  TRY(weir_expr_eval(s->value, &ctx, &v, err));
  weir_element_store(b->type, element, v);
  for (uint64_t i = 0; i < b->count; i++)
    memcpy((char *)dst + i * b->element_bytes, element, b->element_bytes);
  return WEIR_OK;
}

enum weir_status weir_until_offset(const struct weir_launchfile *lf, uint32_t launch, uint32_t k,
                                   uint64_t *offset, struct weir_err *err) {
  const struct weir_lf_launch *l = &lf->launches[launch];
  const struct weir_lf_buffer *b = &lf->buffers[l->until_buffer];
  int64_t index;
  TRY(eval_int(l->until_index, k, &l->until_where, "the index of 'until'", 0, (int64_t)b->count - 1,
               &index, err));
  *offset = (uint64_t)index * b->element_bytes;
  return WEIR_OK;
}

enum weir_status weir_until_holds(const struct weir_launchfile *lf, uint32_t launch, uint32_t k,
                                  const void *element, bool *holds, struct weir_err *err) {
  const struct weir_lf_launch *l = &lf->launches[launch];
  enum ptx_type type = lf->buffers[l->until_buffer].type;
  struct weir_expr_ctx ctx = {.slot[WEIR_SLOT_K] = k};
  struct weir_value want = {0}, got = weir_element_load(type, element);
  char converted[8];
  TRY(weir_expr_eval(l->until_equals, &ctx, &want, err));
  weir_element_store(type, converted, want);
  want = weir_element_load(type, converted);
  *holds = got.is_double ? got.d == want.d : got.i == want.i;
  return WEIR_OK;
}

/* ---- expected results ---- */

/* Floats in their order, as integers: neighbours differ by one. */
static int64_t ordered(enum ptx_type type, const void *at) {
  if (type == PTX_T_f32) {
    int32_t bits;
    memcpy(&bits, at, sizeof bits);
    return bits < 0 ? -(int64_t)(bits & INT32_MAX) : bits;
  }
  int64_t bits;
  memcpy(&bits, at, sizeof bits);
  return bits < 0 ? -(bits & INT64_MAX) : bits;
}

static uint64_t distance(int64_t a, int64_t b) {
  return a > b ? (uint64_t)a - (uint64_t)b : (uint64_t)b - (uint64_t)a;
}

static bool near_float(const struct weir_lf_expect *x, enum ptx_type type, const void *want,
                       const void *got) {
  double w = weir_element_load(type, want).d, g = weir_element_load(type, got).d;
  if (isnan(w) || isnan(g)) return isnan(w) && isnan(g);
  if (w == g) return true;
  if (isinf(w) || isinf(g)) return false;
  double gap = fabs(w - g);
  if (x->abs_max >= 0 && gap <= x->abs_max) return true;
  if (x->rel_max >= 0 && gap <= x->rel_max * fabs(w)) return true;
  return x->ulp_max >= 0 &&
         distance(ordered(type, want), ordered(type, got)) <= (uint64_t)x->ulp_max;
}

static bool near_int(const struct weir_lf_expect *x, enum ptx_type type, const void *want,
                     const void *got) {
  int64_t w = weir_element_load(type, want).i, g = weir_element_load(type, got).i;
  double size, gap;
  if (type == PTX_T_u64) {
    uint64_t uw = (uint64_t)w, ug = (uint64_t)g;
    gap = (double)(uw > ug ? uw - ug : ug - uw);
    size = (double)uw;
  } else {
    gap = (double)distance(w, g);
    size = fabs((double)w);
  }
  return (x->abs_max >= 0 && gap <= x->abs_max) || (x->rel_max >= 0 && gap <= x->rel_max * size);
}

static bool matches(const struct weir_lf_expect *x, const struct weir_lf_buffer *b,
                    const void *want, const void *got) {
  if (memcmp(want, got, b->element_bytes) == 0) return true;
  if (!x->has_tolerance) return false;
  return ptx_type_is_float(b->type) ? near_float(x, b->type, want, got)
                                    : near_int(x, b->type, want, got);
}

/* An element and, for floats, its bits: two floats that differ may print alike. */
static const char *element_text(enum ptx_type type, const void *at, char buf[64]) {
  struct weir_value v = weir_element_load(type, at);
  uint32_t w = 0;
  uint64_t x = 0;
  if (type == PTX_T_f32) {
    memcpy(&w, at, 4);
    snprintf(buf, 64, "%.9g (0x%08" PRIx32 ")", v.d, w);
  } else if (type == PTX_T_f64) {
    memcpy(&x, at, 8);
    snprintf(buf, 64, "%.17g (0x%016" PRIx64 ")", v.d, x);
  } else if (type == PTX_T_u64) {
    snprintf(buf, 64, "%" PRIu64, (uint64_t)v.i);
  } else {
    snprintf(buf, 64, "%" PRId64, v.i);
  }
  return buf;
}

static enum weir_status compare(const struct weir_lf_expect *x, const struct weir_lf_buffer *b,
                                const char *want, const char *got, struct weir_err *err) {
  uint64_t first = 0, n = 0;
  if (memcmp(want, got, b->bytes) == 0) return WEIR_OK;
  for (uint64_t i = 0; i < b->count; i++) {
    uint64_t at = i * b->element_bytes;
    if (matches(x, b, want + at, got + at)) continue;
    if (n++ == 0) first = i;
  }
  if (n == 0) return WEIR_OK;
  char want_text[64], got_text[64];
  uint64_t at = first * b->element_bytes;
  weir_fail_at(err, WEIR_EFAULT, &x->where, "buffer '%s', element %" PRIu64 ": expected %s, got %s",
               b->name, first, element_text(b->type, want + at, want_text),
               element_text(b->type, got + at, got_text));
  weir_err_add(err, "%" PRIu64 " of %" PRIu64 " elements differ%s", n, b->count,
               x->has_tolerance ? " by more than the tolerance" : "");
  return WEIR_EFAULT;
}

enum weir_status weir_expect_check(struct weir_launchfile *lf, uint32_t expect, const void *actual,
                                   struct weir_err *err) {
  const struct weir_lf_expect *x = &lf->expects[expect];
  const struct weir_lf_buffer *b = &lf->buffers[x->buffer];
  if (x->want.kind == WEIR_CONTENTS_CHECKSUM) {
    uint64_t sum = XXH64(actual, b->bytes, 0);
    if (sum == x->want.checksum) return WEIR_OK;
    return weir_fail_at(err, WEIR_EFAULT, &x->where,
                        "buffer '%s': expected checksum xxh64:%016" PRIx64
                        ", got xxh64:%016" PRIx64,
                        b->name, x->want.checksum, sum);
  }
  TRY(make_arrays(lf, &x->want, err));
  char *want = weir_malloc(b->bytes);
  if (!want)
    return weir_fail_at(err, WEIR_ENOMEM, &x->where,
                        "out of memory: %" PRIu64 " bytes to compare buffer '%s'", b->bytes,
                        b->name);
  enum weir_status st = fill(lf, &x->want, b, want, err);
  if (st == WEIR_OK) st = compare(x, b, want, actual, err);
  free(want);
  return st;
}
