/* The conventional and the sectored organisation. */
#ifndef WEIR_L1_ORGANISATION_LINES_H
#define WEIR_L1_ORGANISATION_LINES_H

#include "l1/parts.h"

struct weir_lines_cfg {
  bool on_fill; /* a way is chosen when the data come, not when they are asked for */
};

#endif
