/* The micro-operation of texture and surface instructions. */
#ifndef WEIR_EXEC_TEX_INSN_H
#define WEIR_EXEC_TEX_INSN_H

#include "exec/core.h"
#include "ptx/geometry.h"

/* Coordinates are held in this order, whatever the order in the instruction. */
enum { PTX_TEX_X, PTX_TEX_Y, PTX_TEX_Z, PTX_TEX_LAYER, PTX_TEX_COORDS };

enum ptx_tex_action {
  PTX_TEX_SAMPLE,
  PTX_TEX_GATHER,
  PTX_SURF_LOAD,
  PTX_SURF_STORE,
  PTX_SURF_REDUCE
};
enum ptx_surf_clamp { PTX_SURF_TRAP, PTX_SURF_CLAMP, PTX_SURF_ZERO };

/* What a micro-operation of PTX_H_tex means. Its size, n_vec and reg_bytes are those of `data`. */
struct ptx_tex_op {
  struct ptx_geometry geometry;
  uint8_t action;    /* enum ptx_tex_action */
  uint8_t component; /* gather: the channel */
  uint8_t clamp;     /* surfaces: enum ptx_surf_clamp */
  uint8_t atom;      /* reduce: enum ptx_atom */
  uint8_t type;      /* of the data: enum ptx_type */
  bool is_formatted; /* surfaces: coordinates in texels, data converted to their format */
  bool is_integer;   /* textures: coordinates */
  bool has_offset;
  uint32_t object;                /* slot of the handle */
  uint32_t coord[PTX_TEX_COORDS]; /* slots */
  uint32_t offset[3];             /* slots */
  uint32_t pred;        /* slot of the predicate that says "resident"; UINT32_MAX = none */
  const uint32_t *data; /* slots; UINT32_MAX = not wanted */
};

enum ptx_tex_problem {
  PTX_TEX_NO_OBJECT,
  PTX_TEX_UNBOUND,
  PTX_TEX_NO_TEXTURE, /* a surface where a texture is wanted */
  PTX_TEX_NO_SURFACE,
  PTX_TEX_GEOMETRY,
  PTX_TEX_MEMORY, /* its memory is no longer there */
  PTX_TEX_READ_ONLY,
  PTX_TEX_FORMAT /* texels that cannot be reduced as such */
};

enum ptx_tex_query {
  PTX_Q_WIDTH,
  PTX_Q_HEIGHT,
  PTX_Q_DEPTH,
  PTX_Q_ARRAY_SIZE,
  PTX_Q_DATA_TYPE,
  PTX_Q_ORDER,
  PTX_Q_NORMALISED,
  PTX_Q_LEVELS,
  PTX_Q_SAMPLES,
  PTX_Q_FILTER,
  PTX_Q_ADDRESS_0,
  PTX_Q_ADDRESS_1,
  PTX_Q_ADDRESS_2,
  PTX_Q_UNNORMALISED,
  PTX_Q_LAYOUT
};

void ptx_tex_exec(struct ptx_warp *w, const struct ptx_uop *u, uint32_t mask);
/* txq and suq: d, handle in a; aux is an enum ptx_tex_query. */
void ptx_tex_query(struct ptx_warp *w, const struct ptx_uop *u, uint32_t mask);

#endif
