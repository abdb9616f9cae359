/* Memory request prioritisation buffer. */
#ifndef WEIR_L1_ORDER_MRPB_H
#define WEIR_L1_ORDER_MRPB_H

#include "l1/parts.h"

#define WEIR_MRPB_BYPASSES(X)                                                                      \
  X(WEIR_MRPB_NEVER, "none") X(WEIR_MRPB_ASSOC, "assoc") X(WEIR_MRPB_ANY, "any")
enum weir_mrpb_bypass { WEIR_MRPB_BYPASSES(WEIR_CHOICE_ID) };
#define WEIR_MRPB_DRAINS(X)                                                                        \
  X(WEIR_MRPB_FIXED, "fixed")                                                                      \
  X(WEIR_MRPB_GREEDY, "greedy") X(WEIR_MRPB_LONGEST, "longest") X(WEIR_MRPB_RR, "rr")
enum weir_mrpb_drain { WEIR_MRPB_DRAINS(WEIR_CHOICE_ID) };
#define WEIR_MRPB_SIGS(X) X(WEIR_MRPB_BY_WARP, "warp") X(WEIR_MRPB_BY_CTA, "cta")
enum weir_mrpb_sig { WEIR_MRPB_SIGS(WEIR_CHOICE_ID) };
struct weir_mrpb_cfg {
  enum weir_mrpb_sig sig;
  enum weir_mrpb_drain drain;
  enum weir_mrpb_bypass bypass_on;
  bool reorder;
  int64_t nq, depth;
};

#endif
