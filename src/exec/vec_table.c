/* The handlers of this vector width, by number. */
#include "exec/vec.h"

extern const ptx_fn VEC_CAT(ptx_handlers, WEIR_VEC_SUFFIX)[PTX_N_HANDLERS];
const ptx_fn VEC_CAT(ptx_handlers, WEIR_VEC_SUFFIX)[PTX_N_HANDLERS] = {
#define PTX_H(id) [PTX_H_##id] = HN(id),
#include "exec/handlers.def"
#undef PTX_H
};
