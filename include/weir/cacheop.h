/* What an instruction says about caching: PTX cache operators and eviction priorities. */
#ifndef WEIR_CACHEOP_H
#define WEIR_CACHEOP_H

enum weir_cache_op {
  WEIR_CO_NONE,
  WEIR_CO_CA,
  WEIR_CO_CG,
  WEIR_CO_CS,
  WEIR_CO_LU,
  WEIR_CO_CV,
  WEIR_CO_WB,
  WEIR_CO_WT,
  WEIR_CO_NC,
  WEIR_CO_VOLATILE,
  WEIR_CO_RELAXED,
  WEIR_CO_ACQUIRE,
  WEIR_CO_RELEASE,
  WEIR_N_CACHE_OPS
};

enum weir_evict_hint {
  WEIR_EV_NONE,
  WEIR_EV_NORMAL,
  WEIR_EV_UNCHANGED,
  WEIR_EV_FIRST,
  WEIR_EV_LAST,
  WEIR_EV_NO_ALLOCATE
};

#endif
