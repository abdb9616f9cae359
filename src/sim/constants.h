/* A cache for constants, for machines that have one (sm.const_bytes): lines of 64
 * bytes, fully associative, least recently used. Behind it every 256 bytes of which the SM has read
 * some are near; others come from afar. A kernel finds nothing. */
#ifndef WEIR_SIM_CONSTANTS_H
#define WEIR_SIM_CONSTANTS_H

#include <stdbool.h>
#include <stdint.h>

struct weir_dyn;
struct weir_sm_cfg;
struct weir_constants;

/* NULL: out of memory. */
struct weir_constants *weir_constants_new(const struct weir_sm_cfg *cfg);
void weir_constants_free(struct weir_constants *c);
void weir_constants_empty(struct weir_constants *c);
/* Cycles that an access waits more than one that hits: for the last of its lines, sent for now or
 * on its way. */
uint64_t weir_constants_read(struct weir_constants *c, const struct weir_dyn *d, uint64_t now);

#endif
