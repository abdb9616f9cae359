/* Classified loads, as text and JSON. */
#ifndef WEIR_REPORT_CLASSIFY_H
#define WEIR_REPORT_CLASSIFY_H

#include <jansson.h>

#include "base/table.h"
#include "base/text.h"
#include "study/profile.h"

/* Where the counts come from. */
struct weir_classify_about {
  const char *workload, *input, *gpu; /* input may be "" */
};

/* A table of loads, and a line that sums them up. */
enum weir_status weir_classify_text(const struct weir_profile *p,
                                    const struct weir_classify_about *about, struct weir_text *out,
                                    struct weir_err *err);
/* NULL: no memory. */
json_t *weir_classify_json(const struct weir_profile *p, const struct weir_classify_about *about);

/* Cells of tables of loads: percent of accesses that hit, place in the source, array. */
void weir_hits_cell(struct weir_table *t, uint64_t hits, uint64_t accesses);
void weir_source_cell(struct weir_table *t, const struct weir_static_load *load);
void weir_array_cell(struct weir_table *t, const struct weir_loads *l, const char *array);

#endif
