/* Memory request prioritisation buffer. */
#ifndef WEIR_L1_ORDER_MRPB_H
#define WEIR_L1_ORDER_MRPB_H

#include "l1/parts.h"

struct weir_mrpb_cfg {
  const char *sig, *drain, *bypass_on;
  bool reorder;
  int64_t nq, depth;
};

#endif
