/* Loads and stores. */
#include "exec/spin.h"
#include "exec/tex_insn.h"
#include "exec/vec_access.h"

/* One scalar register of T, memory of the same width. */
#define MOVE_IN(T)                                                                                 \
  do {                                                                                             \
    T *d = REG(T, u->d);                                                                           \
    if (x->kind == WEIR_ADDR_UNIFORM && p.lane_step == 0) {                                        \
      T v;                                                                                         \
      memcpy(&v, AT(x->base), sizeof v);                                                           \
      if (mask == FULL) {                                                                          \
        EACH_LANE d[i] = v;                                                                        \
      } else {                                                                                     \
        EACH_LANE d[i] = (mask >> i) & 1 ? v : d[i];                                               \
      }                                                                                            \
    } else if (mask == FULL && x->kind == WEIR_ADDR_STRIDE && x->stride == (int64_t)sizeof(T) &&   \
               p.lane_step == 0) {                                                                 \
      memcpy(d, AT(x->base), sizeof(T) * LANES);                                                   \
    } else if (mask == FULL) {                                                                     \
      for (unsigned i = 0; i < LANES; i++)                                                         \
        memcpy(&d[i], HOST(i), sizeof(T));                                                         \
    } else {                                                                                       \
      for (uint32_t m = mask; m != 0; m &= m - 1) {                                                \
        unsigned i = (unsigned)__builtin_ctz(m);                                                   \
        memcpy(&d[i], HOST(i), sizeof(T));                                                         \
      }                                                                                            \
    }                                                                                              \
  } while (0)

#define MOVE_OUT(T)                                                                                \
  do {                                                                                             \
    const T *b = REG(T, u->b);                                                                     \
    if (mask == FULL && x->kind == WEIR_ADDR_STRIDE && x->stride == (int64_t)sizeof(T) &&          \
        p.lane_step == 0) {                                                                        \
      memcpy(AT(x->base), b, sizeof(T) * LANES);                                                   \
    } else {                                                                                       \
      for (uint32_t m = mask; m != 0; m &= m - 1) {                                                \
        unsigned i = (unsigned)__builtin_ctz(m);                                                   \
        memcpy(HOST(i), &b[i], sizeof(T));                                                         \
      }                                                                                            \
    }                                                                                              \
  } while (0)

static inline void load_data(struct ptx_warp *w, const struct ptx_uop *u, const struct access *x,
                             uint32_t mask, struct place p) {
  if (u->n_vec == 1 && u->size == u->reg_bytes && u->size == 4) {
    MOVE_IN(uint32_t);
    return;
  }
  if (u->n_vec == 1 && u->size == u->reg_bytes && u->size == 8) {
    MOVE_IN(uint64_t);
    return;
  }
  for (uint32_t m = mask; m != 0; m &= m - 1) {
    unsigned i = (unsigned)__builtin_ctz(m);
    const uint8_t *s = HOST(i);
    if (u->size == 16)
      memcpy(w->reg + u->d + 16 * (size_t)i, s, 16);
    else if (u->n_vec == 1)
      lane_put(w, u->d, u->reg_bytes, i, read_bytes(s, u->size, u->is_signed));
    else
      for (unsigned k = 0; k < u->n_vec; k++)
        if (u->x.list[k] != UINT32_MAX)
          lane_put(w, u->x.list[k], u->reg_bytes, i,
                   read_bytes(s + k * u->size, u->size, u->is_signed));
  }
}

static inline void store_data(struct ptx_warp *w, const struct ptx_uop *u, const struct access *x,
                              uint32_t mask, struct place p) {
  if (u->n_vec == 1 && u->size == u->reg_bytes && u->size == 4) {
    MOVE_OUT(uint32_t);
    return;
  }
  if (u->n_vec == 1 && u->size == u->reg_bytes && u->size == 8) {
    MOVE_OUT(uint64_t);
    return;
  }
  for (uint32_t m = mask; m != 0; m &= m - 1) {
    unsigned i = (unsigned)__builtin_ctz(m);
    uint8_t *t = HOST(i);
    if (u->size == 16)
      memcpy(t, w->reg + u->b + 16 * (size_t)i, 16);
    else if (u->n_vec == 1) {
      uint64_t v = lane_get(w, u->b, u->reg_bytes, i);
      memcpy(t, &v, u->size);
    } else
      for (unsigned k = 0; k < u->n_vec; k++) {
        uint64_t v = lane_get(w, u->x.list[k], u->reg_bytes, i);
        memcpy(t + k * u->size, &v, u->size);
      }
  }
}

HANDLER(ld) {
  access_memory(w, u, mask, u->space, u->size, u->n_vec, WEIR_DIR_LOAD, load_data);
}
HANDLER(st) {
  w->is_stored = true;
  access_memory(w, u, mask, u->space, u->size, u->n_vec, WEIR_DIR_STORE, store_data);
}

/* The common ones with everything known at compile time. */
#define LOAD_DATA(T)                                                                               \
  static inline void load_##T(struct ptx_warp *w, const struct ptx_uop *u, const struct access *x, \
                              uint32_t mask, struct place p) {                                     \
    p.lane_step = 0;                                                                               \
    MOVE_IN(T);                                                                                    \
  }                                                                                                \
  static inline void store_##T(struct ptx_warp *w, const struct ptx_uop *u,                        \
                               const struct access *x, uint32_t mask, struct place p) {            \
    p.lane_step = 0;                                                                               \
    MOVE_OUT(T);                                                                                   \
  }
LOAD_DATA(uint32_t)
LOAD_DATA(uint64_t)
HANDLER(ldg_b32) {
  access_memory(w, u, mask, PTX_SPACE_global, 4, 1, WEIR_DIR_LOAD, load_uint32_t);
}
HANDLER(ldg_b64) {
  access_memory(w, u, mask, PTX_SPACE_global, 8, 1, WEIR_DIR_LOAD, load_uint64_t);
}
HANDLER(stg_b32) {
  w->is_stored = true;
  access_memory(w, u, mask, PTX_SPACE_global, 4, 1, WEIR_DIR_STORE, store_uint32_t);
}
HANDLER(stg_b64) {
  w->is_stored = true;
  access_memory(w, u, mask, PTX_SPACE_global, 8, 1, WEIR_DIR_STORE, store_uint64_t);
}
HANDLER(lds_b32) {
  access_memory(w, u, mask, PTX_SPACE_shared, 4, 1, WEIR_DIR_LOAD, load_uint32_t);
}
HANDLER(sts_b32) {
  w->is_stored = true;
  access_memory(w, u, mask, PTX_SPACE_shared, 4, 1, WEIR_DIR_STORE, store_uint32_t);
}

/* In place of a load, store or atomic while the launch is watched (spin.h). A load may overwrite
 * its address. */
HANDLER(watch) {
  uint64_t addr[LANES] __attribute__((aligned(64)));
  lane_addresses(w, u, addr);
  struct ptx_spin_before before = ptx_spin_before(w, u, mask, addr);
  w->spin->plain[u - w->code].fn(w, u, mask);
  if (w->fault.kind == PTX_F_NONE) ptx_spin_note(w, u, mask, addr, &before);
}

/* A read of the kernel's parameters through an address in a register. */
HANDLER(ldparam) {
  access_memory(w, u, mask, PTX_SPACE_param, u->size, u->n_vec, WEIR_DIR_LOAD, load_data);
}

/* Textures and surfaces: nothing there becomes vector code. */
HANDLER(tex) {
  ptx_tex_exec(w, u, mask);
}
HANDLER(tex_query) {
  ptx_tex_query(w, u, mask);
}
