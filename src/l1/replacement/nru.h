/* Not recently used. */
#ifndef WEIR_L1_REPLACEMENT_NRU_H
#define WEIR_L1_REPLACEMENT_NRU_H

#include "l1/parts.h"

struct weir_nru_cfg {
  const char *unit;
  bool hr_touch;
};

#endif
