/* Texture and surface micro-operations: a warp's lanes one after the other.
 *
 * In the stream an instruction is one record of texel addresses or, where a lane reads texels of
 * several sectors, several records of the same instruction in a row: the first has all active
 * lanes, the following ones those with a further sector. Lanes that read no texel (a border, a
 * write outside the surface) stand in the first record at another lane's address; if all are so,
 * the record has no addresses. */
#include <string.h>

#include "exec/stray.h"
#include "exec/tex_insn.h"
#include "exec/tex_object.h"
#include "exec/tex_sample.h"
#include "stream/writer.h"

#define EACH_BIT(i, mask)                                                                          \
  for (uint32_t i##_left = (mask), i; i##_left != 0 && (i = (uint32_t)__builtin_ctz(i##_left), 1); \
       i##_left &= i##_left - 1)

/* ---- registers ---- */

static uint32_t get32(const struct ptx_warp *w, uint32_t slot, unsigned lane) {
  uint32_t v;
  memcpy(&v, w->reg + slot + 4 * (size_t)lane, sizeof v);
  return v;
}

static uint64_t get64(const struct ptx_warp *w, uint32_t slot, unsigned lane) {
  uint64_t v;
  memcpy(&v, w->reg + slot + 8 * (size_t)lane, sizeof v);
  return v;
}

/* A register of any size; values are cut or extended with zeros. */
static uint64_t get_data(const struct ptx_warp *w, const struct ptx_uop *u, unsigned k,
                         unsigned lane) {
  uint64_t v = 0;
  memcpy(&v, w->reg + u->x.tex->data[k] + (size_t)u->reg_bytes * lane, u->reg_bytes);
  return v;
}

static void put_data(struct ptx_warp *w, const struct ptx_uop *u, unsigned k, unsigned lane,
                     uint64_t v) {
  uint32_t slot = u->x.tex->data[k];
  if (slot != UINT32_MAX) memcpy(w->reg + slot + (size_t)u->reg_bytes * lane, &v, u->reg_bytes);
}

/* ---- what the stream gets ---- */

struct touched {
  uint8_t n[LANES];
  uint64_t addr[LANES][PTX_TEX_MAX_TEXELS];
};

/* Of texels in one sector one address is enough. */
static void touch(struct touched *t, unsigned lane, uint64_t addr) {
  for (unsigned k = 0; k < t->n[lane]; k++)
    if (t->addr[lane][k] / WEIR_SECTOR_BYTES == addr / WEIR_SECTOR_BYTES) return;
  t->addr[lane][t->n[lane]++] = addr;
}

static struct weir_addrs shape_of(const uint64_t lane[LANES], uint32_t mask) {
  unsigned first = (unsigned)__builtin_ctz(mask);
  uint32_t rest = mask & (mask - 1);
  uint64_t stride = 0, off = 0;
  if (rest != 0) {
    unsigned next = (unsigned)__builtin_ctz(rest);
    stride = next - first == 1 ? lane[next] - lane[first] : 0;
  }
  uint64_t base = lane[first] - stride * first;
  EACH_BIT(i, mask) off |= lane[i] ^ (base + stride * i);
  return (struct weir_addrs){.kind = off != 0      ? WEIR_ADDR_LIST
                                     : stride == 0 ? WEIR_ADDR_UNIFORM
                                                   : WEIR_ADDR_STRIDE,
                             .space = WEIR_SP_TEX,
                             .base = base,
                             .stride = (int64_t)stride,
                             .lane = lane};
}

/* Lanes of `mask` that have a k-th address. */
static uint32_t lanes_with(const struct touched *t, uint32_t mask, unsigned k) {
  uint32_t with = 0;
  EACH_BIT(i, mask) with |= t->n[i] > k ? 1u << i : 0;
  return with;
}

static void account(struct ptx_warp *w, const struct ptx_uop *u, uint32_t mask,
                    const struct touched *t) {
  uint64_t lane[LANES];
  uint32_t with = lanes_with(t, mask, 0), pc = (uint32_t)(u - w->code);
  enum ptx_tex_action action = u->x.tex->action;
  enum weir_mem_dir dir = action == PTX_SURF_STORE    ? WEIR_DIR_STORE
                          : action == PTX_SURF_REDUCE ? WEIR_DIR_ATOM
                                                      : WEIR_DIR_LOAD;
  if (with == 0) {
    if (w->writer != NULL) weir_put(w->writer, pc, mask);
    return;
  }
  uint64_t any = t->addr[__builtin_ctz(with)][0];
  EACH_BIT(i, mask) lane[i] = t->n[i] > 0 ? t->addr[i][0] : any;
  struct weir_addrs a = shape_of(lane, mask);
  weir_count_mem(w->func_stats, w->counter, dir, &a, mask, 1);
  if (w->writer == NULL) return;
  weir_put_mem(w->writer, pc, mask, &a);
  for (unsigned k = 1; (with = lanes_with(t, mask, k)) != 0; k++) {
    EACH_BIT(i, with) lane[i] = t->addr[i][k];
    a = shape_of(lane, with);
    weir_put_mem(w->writer, pc, with, &a);
  }
}

/* ---- objects ---- */

static bool refuse(struct ptx_warp *w, enum ptx_tex_problem why, unsigned lane, uint64_t handle) {
  w->fault.kind = PTX_F_TEXTURE;
  w->fault.lane = lane;
  w->fault.addr = handle;
  w->fault.bytes = why;
  return false;
}

static bool find_object(struct ptx_warp *w, uint64_t handle, unsigned lane, bool is_surface,
                        const struct ptx_tex_object **out) {
  const struct ptx_tex_object *o = *out = ptx_tex_object(w->tex, handle);
  if (o == NULL) return refuse(w, PTX_TEX_NO_OBJECT, lane, handle);
  if (o->kind == PTX_OBJECT_UNBOUND) return refuse(w, PTX_TEX_UNBOUND, lane, handle);
  if ((o->kind == PTX_OBJECT_SURFACE) != is_surface)
    return refuse(w, is_surface ? PTX_TEX_NO_SURFACE : PTX_TEX_NO_TEXTURE, lane, handle);
  return true;
}

/* The object of a handle, if the instruction can use it, and where its texels are; `is_loose`: not
 * all of them in an allocation. A surface of a cubemap is accessed as layers. */
static bool open_object(struct ptx_warp *w, const struct ptx_tex_op *op, uint64_t handle,
                        unsigned lane, const struct ptx_tex_object **out, uint8_t **texels,
                        bool *is_loose) {
  bool is_surface = op->action >= PTX_SURF_LOAD;
  if (!find_object(w, handle, lane, is_surface, out)) return false;
  const struct ptx_texels *t = &(*out)->desc.texels;
  bool is_cube = is_surface && t->dim == PTX_TEX_CUBE;
  unsigned dim = is_cube ? PTX_TEX_2D : t->dim;
  if (op->geometry.dim != dim || op->geometry.is_layered != (t->is_layered || is_cube))
    return refuse(w, PTX_TEX_GEOMETRY, lane, handle);
  const struct ptx_alloc *a = ptx_mem_find(w->mem, t->addr);
  uint64_t bytes = ptx_texels_bytes(t);
  *is_loose = a == NULL || bytes > a->bytes || t->addr - a->base > a->bytes - bytes;
  bool is_there = !is_surface && w->strays != NULL && ptx_mem_is_mapped(w->mem, t->addr, bytes);
  if (*is_loose && !is_there) return refuse(w, PTX_TEX_MEMORY, lane, handle);
  if (op->action >= PTX_SURF_STORE && a->is_read_only)
    return refuse(w, PTX_TEX_READ_ONLY, lane, handle);
  if (op->action == PTX_SURF_REDUCE && op->is_formatted && ptx_texel_bytes(t->texel) != 4)
    return refuse(w, PTX_TEX_FORMAT, lane, handle);
  *texels = ptx_mem_host(w->mem, t->addr);
  return true;
}

/* ---- textures ---- */

/* Texels that a lane has read, of a texture that is not in an allocation, or not all of it. */
static void note_strays(struct ptx_warp *w, const struct ptx_uop *u, unsigned lane,
                        const struct ptx_texels *texels, const struct touched *t) {
  unsigned bytes = ptx_texel_bytes(texels->texel);
  for (unsigned k = 0; k < t->n[lane]; k++) {
    const struct ptx_fault f = {.kind = PTX_F_BOUNDS,
                                .pc = (uint32_t)(u - w->code),
                                .lane = lane,
                                .addr = t->addr[lane][k],
                                .bytes = bytes,
                                .space = PTX_SPACE_global};
    if (ptx_mem_find(w->mem, f.addr) == NULL) ptx_stray_note(w, &f);
  }
}

static void read_texture(struct ptx_warp *w, const struct ptx_uop *u, unsigned lane,
                         const struct ptx_tex_desc *desc, const uint8_t *texels,
                         struct touched *t) {
  const struct ptx_tex_op *op = u->x.tex;
  struct ptx_tex_point p = {.is_integer = op->is_integer};
  struct ptx_tex_touch at = {0};
  uint32_t out[4];
  for (unsigned k = 0; k < op->geometry.n_axes; k++) {
    uint32_t v = get32(w, op->coord[k], lane);
    p.s[k] = (int32_t)v;
    memcpy(&p.f[k], &v, sizeof v);
    if (op->has_offset) p.offset[k] = (int32_t)get32(w, op->offset[k], lane);
  }
  if (op->geometry.is_layered) p.layer = get32(w, op->coord[PTX_TEX_LAYER], lane);
  if (op->action == PTX_TEX_GATHER)
    ptx_tex_gather(desc, texels, &p, op->component, out, &at);
  else
    ptx_tex_sample(desc, texels, &p, out, &at);
  for (unsigned k = 0; k < 4; k++)
    put_data(w, u, k, lane, out[k]);
  for (unsigned k = 0; k < at.n; k++)
    touch(t, lane, desc->texels.addr + at.at[k]);
}

/* ---- surfaces ---- */

/* Puts a coordinate into 0 .. n - 1; false: the access lies outside. */
static bool clamp_to(uint8_t how, int64_t *c, uint64_t n) {
  if (*c >= 0 && (uint64_t)*c < n) return true;
  if (how != PTX_SURF_CLAMP) return false;
  *c = *c < 0 ? 0 : (int64_t)n - 1;
  return true;
}

/* Where in the surface a lane's access is; false: outside of it. */
static bool place_in_surface(const struct ptx_warp *w, const struct ptx_tex_op *op, unsigned lane,
                             unsigned bytes, const struct ptx_texels *t, uint64_t *at) {
  unsigned texel = ptx_texel_bytes(t->texel);
  uint64_t row = (uint64_t)t->width * texel;
  int64_t c[3] = {0}, layer = 0;
  for (unsigned k = 0; k < op->geometry.n_axes; k++)
    c[k] = (int32_t)get32(w, op->coord[k], lane);
  if (op->geometry.is_layered) layer = get32(w, op->coord[PTX_TEX_LAYER], lane);
  if (op->geometry.dim == PTX_TEX_3D) layer = c[2];
  /* x counts bytes, or texels if the access is formatted; whole accesses fit or do not. */
  uint64_t unit = op->is_formatted ? texel : bytes;
  int64_t x = op->is_formatted ? c[0] : c[0] >= 0 ? c[0] / (int64_t)unit : -1;
  if (!clamp_to(op->clamp, &x, row / unit) || !clamp_to(op->clamp, &c[1], t->height) ||
      !clamp_to(op->clamp, &layer, ptx_texels_slices(t)))
    return false;
  *at = (uint64_t)layer * t->slice + (uint64_t)c[1] * t->pitch + (uint64_t)x * unit;
  return true;
}

static uint64_t reduce(const struct ptx_tex_op *op, uint64_t old, uint64_t b, unsigned bytes) {
  unsigned shift = 64 - 8 * bytes;
  int64_t so = (int64_t)(old << shift) >> shift, sb = (int64_t)(b << shift) >> shift;
  bool is_signed = ptx_type_is_signed((enum ptx_type)op->type);
  bool is_less = is_signed ? sb < so : b < old;
  switch ((enum ptx_atom)op->atom) {
  case PTX_ATOM_MIN:
    return is_less ? b : old;
  case PTX_ATOM_MAX:
    return is_less ? old : b;
  case PTX_ATOM_AND:
    return old & b;
  case PTX_ATOM_OR:
    return old | b;
  default:
    return old + b;
  }
}

static void move_raw(struct ptx_warp *w, const struct ptx_uop *u, unsigned lane, uint8_t *at) {
  for (unsigned k = 0; k < u->n_vec; k++, at += u->size) {
    uint64_t v = 0;
    if (u->x.tex->action == PTX_SURF_LOAD) {
      memcpy(&v, at, u->size);
      put_data(w, u, k, lane, v);
    } else {
      v = get_data(w, u, k, lane);
      memcpy(at, &v, u->size);
    }
  }
}

static void move_formatted(struct ptx_warp *w, const struct ptx_uop *u, unsigned lane,
                           struct ptx_texel x, uint8_t *at) {
  uint32_t v[4] = {0};
  if (u->x.tex->action == PTX_SURF_LOAD) {
    ptx_texel_load(x, at, v);
    for (unsigned k = 0; k < u->n_vec; k++)
      put_data(w, u, k, lane, v[k]);
    return;
  }
  for (unsigned k = 0; k < u->n_vec; k++)
    v[k] = (uint32_t)get_data(w, u, k, lane);
  ptx_texel_store(x, at, v);
}

static bool access_surface(struct ptx_warp *w, const struct ptx_uop *u, unsigned lane,
                           const struct ptx_texels *s, uint64_t handle, uint8_t *texels,
                           struct touched *t) {
  const struct ptx_tex_op *op = u->x.tex;
  unsigned bytes = op->is_formatted ? ptx_texel_bytes(s->texel) : (unsigned)u->size * u->n_vec;
  uint32_t x = get32(w, op->coord[PTX_TEX_X], lane);
  uint64_t at;
  if (!op->is_formatted && x % bytes != 0) {
    w->fault = (struct ptx_fault){.kind = PTX_F_ALIGN,
                                  .lane = lane,
                                  .addr = x,
                                  .bytes = bytes,
                                  .space = PTX_SPACE_tex,
                                  .is_store = op->action != PTX_SURF_LOAD};
    return false;
  }
  if (!place_in_surface(w, op, lane, bytes, s, &at)) {
    if (op->clamp == PTX_SURF_TRAP) {
      w->fault = (struct ptx_fault){.kind = PTX_F_SURFACE,
                                    .lane = lane,
                                    .addr = handle,
                                    .bytes = bytes,
                                    .space = PTX_SPACE_tex,
                                    .is_store = op->action != PTX_SURF_LOAD};
      return false;
    }
    for (unsigned k = 0; op->action == PTX_SURF_LOAD && k < u->n_vec; k++)
      put_data(w, u, k, lane, 0);
    return true;
  }
  touch(t, lane, s->addr + at);
  if (op->action == PTX_SURF_REDUCE) {
    uint64_t old = 0, now;
    memcpy(&old, texels + at, u->size);
    now = reduce(op, old, get_data(w, u, 0, lane), u->size);
    memcpy(texels + at, &now, u->size);
  } else if (op->is_formatted) {
    move_formatted(w, u, lane, s->texel, texels + at);
  } else {
    move_raw(w, u, lane, texels + at);
  }
  return true;
}

/* ---- a warp's instruction ---- */

/* Lanes with the same object as the first of them. */
static uint32_t same_object(const struct ptx_warp *w, uint32_t slot, uint32_t mask,
                            uint64_t handle) {
  uint32_t same = 0;
  EACH_BIT(i, mask) same |= get64(w, slot, i) == handle ? 1u << i : 0;
  return same;
}

void ptx_tex_exec(struct ptx_warp *w, const struct ptx_uop *u, uint32_t mask) {
  const struct ptx_tex_op *op = u->x.tex;
  const struct ptx_tex_object *o;
  uint8_t *texels;
  w->is_stored |= op->action >= PTX_SURF_STORE;
  for (uint32_t left = mask; left != 0;) {
    unsigned first = (unsigned)__builtin_ctz(left);
    uint64_t handle = get64(w, op->object, first);
    uint32_t now = same_object(w, op->object, left, handle);
    struct touched t;
    memset(t.n, 0, sizeof t.n);
    bool is_loose;
    if (!open_object(w, op, handle, first, &o, &texels, &is_loose)) return;
    EACH_BIT(i, now) {
      if (op->action <= PTX_TEX_GATHER)
        read_texture(w, u, i, &o->desc, texels, &t);
      else if (!access_surface(w, u, i, &o->desc.texels, handle, texels, &t))
        return;
    }
    EACH_BIT(i, is_loose ? now : 0) note_strays(w, u, i, &o->desc.texels, &t);
    account(w, u, now, &t);
    /* Each object is a warp instruction of its own to the stream, and so to the statistics. */
    if (left != mask) w->stat[u - w->code].execs++;
    left &= ~now;
  }
  if (op->pred != UINT32_MAX) {
    uint32_t *p = (uint32_t *)(void *)(w->reg + op->pred);
    *p |= mask; /* all of a texture is there */
  }
}

/* ---- queries ---- */

/* PTX ISA, "Channel Data Type and Channel Order Fields": the numbers of OpenCL. */
static uint32_t data_type_of(const struct ptx_tex_desc *d, bool is_surface) {
  struct ptx_texel x = d->texels.texel;
  bool is_normalised = d->read == PTX_TEX_NORMALISED_FLOAT && !is_surface;
  unsigned size = x.bits / 16u; /* 0, 1, 2 */
  switch ((enum ptx_channel)x.kind) {
  case PTX_CHANNEL_SIGNED:
    return is_normalised ? 0x10d0 + size : 0x10d7 + size;
  case PTX_CHANNEL_UNSIGNED:
    return is_normalised ? 0x10d2 + size : 0x10da + size;
  default:
    return x.bits == 16 ? 0x10dd : 0x10de;
  }
}

static uint32_t order_of(struct ptx_texel x) {
  return x.channels == 1 ? 0x10b0 : x.channels == 2 ? 0x10b2 : 0x10b5;
}

static uint32_t answer(const struct ptx_tex_desc *d, unsigned query, bool is_surface) {
  const struct ptx_texels *t = &d->texels;
  switch ((enum ptx_tex_query)query) {
  case PTX_Q_WIDTH:
    return t->width;
  /* Layers count as one more dimension (H200); a surface sees a cubemap as layers. */
  case PTX_Q_HEIGHT:
    if (t->dim != PTX_TEX_1D) return t->height;
    return t->is_layered ? t->layers : is_surface ? 0 : 1;
  case PTX_Q_DEPTH:
    if (t->dim == PTX_TEX_3D) return t->depth;
    if (t->dim == PTX_TEX_CUBE && is_surface) return (uint32_t)ptx_texels_slices(t);
    return t->is_layered && t->dim != PTX_TEX_1D ? t->layers : 0;
  case PTX_Q_ARRAY_SIZE:
    return t->is_layered ? t->layers : 0;
  case PTX_Q_DATA_TYPE:
    return data_type_of(d, is_surface);
  case PTX_Q_ORDER:
    return order_of(t->texel);
  case PTX_Q_NORMALISED:
    return d->is_normalised;
  case PTX_Q_LEVELS:
    return 1;
  case PTX_Q_SAMPLES:
    return 1;
  case PTX_Q_FILTER:
    return d->filter;
  case PTX_Q_ADDRESS_0:
  case PTX_Q_ADDRESS_1:
  case PTX_Q_ADDRESS_2:
    return d->address[query - PTX_Q_ADDRESS_0];
  case PTX_Q_UNNORMALISED:
    return !d->is_normalised;
  default:
    return 0;
  }
}

void ptx_tex_query(struct ptx_warp *w, const struct ptx_uop *u, uint32_t mask) {
  EACH_BIT(i, mask) {
    const struct ptx_tex_object *o;
    if (!find_object(w, get64(w, u->a, i), i, u->aux2, &o)) return;
    uint32_t v = answer(&o->desc, u->aux, u->aux2);
    memcpy(w->reg + u->d + 4 * (size_t)i, &v, sizeof v);
  }
  if (w->writer != NULL) weir_put(w->writer, (uint32_t)(u - w->code), mask);
}
