/* All parts that an L1 can be put together from. The list is made from meson.build. */
#ifndef WEIR_L1_PARTS_H
#define WEIR_L1_PARTS_H

#include "l1/core.h"

#define ORGANISATION(name) extern const struct weir_org_ops weir_org_##name;
#define POLICY(name)       extern const struct weir_policy_ops weir_policy_##name;
#include "l1/parts.inc"
#undef ORGANISATION
#undef POLICY

#endif
