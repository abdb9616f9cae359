/* The reference pages, in Markdown, from the declarations. Groups end with NULL. */
#ifndef WEIR_BASE_REFERENCE_H
#define WEIR_BASE_REFERENCE_H

#include "base/effect.h"
#include "base/registry.h"
#include "base/text.h"

/* `facts` are those that conditions may name. */
void weir_reference_params(const struct weir_param_group *const *groups,
                           const struct weir_fact *facts, struct weir_text *out);
void weir_reference_stats(const struct weir_stat_group *const *groups, struct weir_text *out);
/* "0 .. 64", "a, b or c", ">= 1", or "any". Returns `buf`. */
const char *weir_param_range(const struct weir_param *p, char *buf, size_t len);

#endif
