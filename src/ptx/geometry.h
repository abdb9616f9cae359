/* What the modifiers of texture and surface instructions say of the coordinates. */
#ifndef WEIR_PTX_GEOMETRY_H
#define WEIR_PTX_GEOMETRY_H

#include "ptx/ir.h"

struct ptx_geometry {
  uint8_t dim;    /* enum ptx_tex_dim */
  uint8_t n_axes; /* coordinates without the layer: a direction has three */
  bool is_layered;
};

static inline struct ptx_geometry ptx_geometry_of(const struct ptx_insn *in) {
  for (unsigned i = 0; i < in->n_mods; i++) {
    switch ((int)in->mods[i]) {
    case PTX_M_g1d:
      return (struct ptx_geometry){1, 1, false};
    case PTX_M_g2d:
      return (struct ptx_geometry){2, 2, false};
    case PTX_M_g3d:
      return (struct ptx_geometry){3, 3, false};
    case PTX_M_a1d:
      return (struct ptx_geometry){1, 1, true};
    case PTX_M_a2d:
      return (struct ptx_geometry){2, 2, true};
    case PTX_M_cube:
      return (struct ptx_geometry){4, 3, false};
    case PTX_M_acube:
      return (struct ptx_geometry){4, 3, true};
    default:
      break;
    }
  }
  return (struct ptx_geometry){0};
}

#endif
