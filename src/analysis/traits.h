/* The counters of a struct weir_locality by name: what JSON, CSV and stores are written from. */
#ifndef WEIR_ANALYSIS_TRAITS_H
#define WEIR_ANALYSIS_TRAITS_H

#include "analysis/locality.h"
#include "base/text.h"

struct weir_trait {
  const char *name, *help;
  size_t offset;
  uint32_t n;               /* 1: a number; else so many, each with a name: */
  const char *const *parts; /* of these; NULL: powers of two from 1 on */
};
extern const struct weir_trait weir_traits[]; /* ends with a NULL name */

uint64_t weir_trait_value(const struct weir_trait *t, const struct weir_locality *v, uint32_t part);
/* The name of a part, in `buf` if it must. */
const char *weir_trait_part(const struct weir_trait *t, uint32_t part, char buf[24]);
/* All of them as JSON; parts beyond the last that is not 0 are left out where their number has no
 * end. */
void weir_traits_json(const struct weir_locality *v, struct weir_text *out);

#endif
