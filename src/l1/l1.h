/* The L1 data cache that an SM of the engine talks to. */
#ifndef WEIR_L1_L1_H
#define WEIR_L1_L1_H

#include "l1/design.h"

/* Its `design` is a struct weir_design. */
extern const struct weir_l1_ops weir_l1_pipeline;

#endif
