/* Rounding modes of instructions. */
#ifndef WEIR_PTX_ROUNDING_H
#define WEIR_PTX_ROUNDING_H

/* PTX_RNA (ties away from zero) is for cvt only. */
enum ptx_rnd { PTX_RN, PTX_RZ, PTX_RM, PTX_RP, PTX_RNA };

#endif
