/* `textures` and `surfaces` of launch files: buffers seen as texels, row after row. */
#include <inttypes.h>
#include <string.h>

#include "base/suggest.h"
#include "launch/launchfile_load.h"

/* One of `names`, ended by NULL; its position. */
static enum weir_status read_choice(struct loader *l, uint32_t i, const char *const *names,
                                    unsigned *out) {
  size_t n = 0;
  TRY(weir_config_want(l->c, i, WEIR_SCALAR, l->err));
  const char *text = entry(l, i)->text;
  for (; names[n] != NULL; n++) {
    *out = (unsigned)n;
    if (strcmp(names[n], text) == 0) return WEIR_OK;
  }
  weir_config_fail(l->c, i, WEIR_EINVAL, l->err, "'%.60s' is none of the choices", text);
  const char *near = weir_nearest(text, names, n);
  if (near != NULL) weir_err_add(l->err, "did you mean '%s'?", near);
  for (size_t k = 0; near == NULL && k < n; k++)
    weir_err_add(l->err, "accepted: %s", names[k]);
  return WEIR_EINVAL;
}

/* An optional key with one of `names`; *out is not touched if it is missing. */
static enum weir_status read_option(struct loader *l, uint32_t map, const char *key,
                                    const char *const *names, uint8_t *out) {
  uint32_t i;
  unsigned n = 0;
  TRY(weir_config_child(l->c, map, key, WEIR_SCALAR, false, &i, l->err));
  if (!i) return WEIR_OK;
  TRY(read_choice(l, i, names, &n));
  *out = (uint8_t)n;
  return WEIR_OK;
}

static enum weir_status read_number(struct loader *l, uint32_t map, const char *key, int64_t lo,
                                    int64_t hi, int64_t missing, int64_t *out) {
  uint32_t i;
  *out = missing;
  TRY(weir_config_child(l->c, map, key, WEIR_SCALAR, false, &i, l->err));
  return i ? weir_lf_int(l, i, lo, hi, out) : WEIR_OK;
}

static enum weir_status read_size(struct loader *l, uint32_t map, struct ptx_texels *t) {
  uint32_t list, size[3] = {0};
  TRY(weir_config_child(l->c, map, "size", WEIR_SEQ, true, &list, l->err));
  uint32_t n = weir_config_count(l->c, list), k = 0;
  if (n < 1 || n > 3)
    return weir_config_fail(l->c, list, WEIR_EINVAL, l->err, "one to three sizes, not %" PRIu32, n);
  for (uint32_t i = weir_config_first(l->c, list); i; i = weir_config_next(l->c, i)) {
    int64_t v;
    TRY(weir_lf_int(l, i, 1, UINT32_MAX, &v));
    size[k++] = (uint32_t)v;
  }
  t->dim = (enum ptx_tex_dim)n;
  t->width = size[0], t->height = size[1], t->depth = size[2];
  return WEIR_OK;
}

/* Layers, and whether the texels are the six faces of cubes. */
static enum weir_status read_layers(struct loader *l, uint32_t map, struct ptx_texels *t) {
  int64_t layers, is_cube;
  TRY(read_number(l, map, "layers", 1, UINT32_MAX, 0, &layers));
  TRY(read_number(l, map, "cube", 0, 1, 0, &is_cube));
  t->is_layered = layers > 0;
  t->layers = (uint32_t)layers;
  if (is_cube && t->dim != PTX_TEX_1D)
    return weir_config_fail(l->c, map, WEIR_EINVAL, l->err,
                            "a cubemap has one size, that of its faces' edges");
  if (is_cube) t->dim = PTX_TEX_CUBE, t->height = t->width;
  if (t->is_layered && t->dim == PTX_TEX_3D)
    return weir_config_fail(l->c, map, WEIR_EINVAL, l->err, "what has three sizes has no layers");
  return WEIR_OK;
}

static enum weir_status read_texel(struct loader *l, uint32_t map, const struct weir_lf_buffer *b,
                                   struct ptx_texel *x) {
  int64_t channels, is_half;
  TRY(read_number(l, map, "channels", 1, 4, 1, &channels));
  TRY(read_number(l, map, "half", 0, 1, 0, &is_half));
  x->channels = (uint8_t)channels;
  x->bits = (uint8_t)(8 * b->element_bytes);
  x->kind = is_half || ptx_type_is_float(b->type) ? PTX_CHANNEL_FLOAT
            : ptx_type_is_signed(b->type)         ? PTX_CHANNEL_SIGNED
                                                  : PTX_CHANNEL_UNSIGNED;
  if (channels != 3 && b->element_bytes <= 4 && (!is_half || b->type == PTX_T_u16)) return WEIR_OK;
  weir_config_fail(l->c, map, WEIR_EINVAL, l->err,
                   "%" PRId64 " channels of type %s%s cannot be a texel", channels,
                   weir_element_name(b->type), is_half ? " as half" : "");
  weir_err_add(l->err, "accepted: 1, 2 or 4 channels of u8 s8 u16 s16 u32 s32 f32, or of u16 with "
                       "'half: 1'");
  return WEIR_EINVAL;
}

/* The texels of a buffer: all of it, without gaps. */
static enum weir_status read_texels(struct loader *l, uint32_t map, struct weir_lf_texture *out) {
  struct ptx_texels *t = &out->desc.texels;
  uint32_t i;
  TRY(weir_config_child(l->c, map, "buffer", WEIR_SCALAR, true, &i, l->err));
  struct weir_where where = weir_config_where(l->c, i);
  TRY(weir_lf_buffer_ref(l, entry(l, i)->text, &where, &out->buffer));
  const struct weir_lf_buffer *b = &l->buffers[out->buffer];
  TRY(read_size(l, map, t));
  TRY(read_layers(l, map, t));
  TRY(read_texel(l, map, b, &t->texel));
  uint64_t bytes = ptx_texel_bytes(t->texel), rows = t->height ? t->height : 1;
  uint64_t slices = ptx_texels_slices(t), wanted;
  t->pitch = (uint64_t)t->width * bytes;
  if (__builtin_mul_overflow(t->pitch, rows, &t->slice) ||
      __builtin_mul_overflow(t->slice, slices, &wanted) || wanted != b->bytes)
    return weir_config_fail(l->c, map, WEIR_EINVAL, l->err,
                            "%" PRIu32 " by %" PRIu64 " by %" PRIu64 " texels of %" PRIu64
                            " bytes are not the %" PRIu64 " bytes of buffer '%s'",
                            t->width, rows, slices, bytes, b->bytes, b->name);
  return WEIR_OK;
}

/* One mode for all coordinates, or a list. */
static enum weir_status read_address(struct loader *l, uint32_t map, uint8_t address[3]) {
  static const char *const modes[] = {"wrap", "clamp", "mirror", "border", NULL};
  unsigned n = PTX_TEX_CLAMP, k = 0;
  memset(address, PTX_TEX_CLAMP, 3);
  uint32_t at = weir_config_find(l->c, map, "address");
  if (!at) return WEIR_OK;
  if (entry(l, at)->kind != WEIR_SEQ) {
    TRY(read_choice(l, at, modes, &n));
    memset(address, (int)n, 3);
    return WEIR_OK;
  }
  if (weir_config_count(l->c, at) > 3)
    return weir_config_fail(l->c, at, WEIR_EINVAL, l->err, "at most three modes");
  for (uint32_t i = weir_config_first(l->c, at); i; i = weir_config_next(l->c, i)) {
    TRY(read_choice(l, i, modes, &n));
    address[k++] = (uint8_t)n;
  }
  return WEIR_OK;
}

static enum weir_status read_border(struct loader *l, uint32_t map, float border[4]) {
  uint32_t list, k = 0;
  TRY(weir_config_child(l->c, map, "border", WEIR_SEQ, false, &list, l->err));
  if (!list) return WEIR_OK;
  if (weir_config_count(l->c, list) != 4)
    return weir_config_fail(l->c, list, WEIR_EINVAL, l->err, "a border has four channels");
  for (uint32_t i = weir_config_first(l->c, list); i; i = weir_config_next(l->c, i)) {
    struct weir_value v = {0};
    TRY(weir_lf_value(l, i, &v));
    border[k++] = v.is_double ? (float)v.d : (float)v.i;
  }
  return WEIR_OK;
}

static enum weir_status read_texture(struct loader *l, uint32_t map, struct weir_lf_texture *out) {
  static const char *const filters[] = {"point", "linear", NULL},
                           *const by[] = {"index", "coordinate", NULL},
                           *const reads[] = {"element", "normalised", NULL};
  struct ptx_tex_desc *d = &out->desc;
  int64_t is_normalised;
  uint8_t by_coordinate = 0;
  TRY(read_option(l, map, "filter", filters, &d->filter));
  TRY(read_option(l, map, "read", reads, &d->read));
  TRY(read_option(l, map, "by", by, &by_coordinate));
  TRY(read_address(l, map, d->address));
  TRY(read_number(l, map, "normalised", 0, 1, 0, &is_normalised));
  d->is_normalised = is_normalised != 0;
  d->texels.is_buffer = d->texels.dim == PTX_TEX_1D && !d->texels.is_layered && !by_coordinate;
  return read_border(l, map, d->border);
}

static enum weir_status is_new_name(struct loader *l, uint32_t i) {
  const char *name = entry(l, i)->key;
  bool is_used = false;
  TRY(weir_lf_check_name(l, i, "texture"));
  for (uint32_t b = 0; b < l->n_buffers; b++)
    is_used |= strcmp(l->buffers[b].name, name) == 0;
  for (uint32_t t = 0; t < l->n_textures; t++)
    is_used |= strcmp(l->textures[t].name, name) == 0;
  if (!is_used) return WEIR_OK;
  struct weir_where where = weir_config_key_where(l->c, i);
  weir_fail_at(l->err, WEIR_EINVAL, &where, "'%s' is the name of a buffer or texture already",
               name);
  return WEIR_EINVAL;
}

static enum weir_status read_map(struct loader *l, uint32_t map, bool is_surface) {
  static const char *const keys[] = {"buffer",   "size",       "layers", "cube",
                                     "channels", "half",       "filter", "address",
                                     "by",       "normalised", "read",   "border"};
  for (uint32_t i = weir_config_first(l->c, map); i; i = weir_config_next(l->c, i)) {
    struct weir_lf_texture *t = &l->textures[l->n_textures];
    *t = (struct weir_lf_texture){.name = entry(l, i)->key,
                                  .is_surface = is_surface,
                                  .where = weir_config_key_where(l->c, i)};
    TRY(is_new_name(l, i));
    TRY(weir_config_want(l->c, i, WEIR_MAP, l->err));
    TRY(weir_config_only(l->c, i, keys, is_surface ? 6 : COUNT(keys), l->err));
    TRY(read_texels(l, i, t));
    if (!is_surface) TRY(read_texture(l, i, t));
    l->n_textures++;
  }
  return WEIR_OK;
}

enum weir_status weir_lf_textures(struct loader *l) {
  uint32_t textures, surfaces, n = 0;
  TRY(weir_config_child(l->c, 0, "textures", WEIR_MAP, false, &textures, l->err));
  TRY(weir_config_child(l->c, 0, "surfaces", WEIR_MAP, false, &surfaces, l->err));
  if (textures) TRY(weir_lf_limit_count(l, textures, WEIR_LF_BUFFERS, "textures"));
  if (surfaces) TRY(weir_lf_limit_count(l, surfaces, WEIR_LF_BUFFERS, "surfaces"));
  n += textures ? weir_config_count(l->c, textures) : 0;
  n += surfaces ? weir_config_count(l->c, surfaces) : 0;
  NEW(l->textures, n);
  if (textures) TRY(read_map(l, textures, false));
  if (surfaces) TRY(read_map(l, surfaces, true));
  l->lf->textures = l->textures;
  l->lf->n_textures = l->n_textures;
  return WEIR_OK;
}
