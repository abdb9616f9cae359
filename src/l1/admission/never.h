/* Everything goes past the L1. */
#ifndef WEIR_L1_ADMISSION_NEVER_H
#define WEIR_L1_ADMISSION_NEVER_H

#include "l1/parts.h"

struct weir_bypass_all_cfg {
  bool keep_local; /* local memory stays cached */
};

#endif
