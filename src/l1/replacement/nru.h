/* Not recently used. */
#ifndef WEIR_L1_REPLACEMENT_NRU_H
#define WEIR_L1_REPLACEMENT_NRU_H

#include "l1/parts.h"

#define WEIR_NRU_UNITS(X) X(WEIR_NRU_LINE, "line") X(WEIR_NRU_SECTOR, "sector")
enum weir_nru_unit { WEIR_NRU_UNITS(WEIR_CHOICE_ID) };
struct weir_nru_cfg {
  enum weir_nru_unit unit;
  bool hr_touch;
};

#endif
