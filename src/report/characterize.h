/* A characterised workload as text, JSON and CSV. */
#ifndef WEIR_REPORT_CHARACTERIZE_H
#define WEIR_REPORT_CHARACTERIZE_H

#include <jansson.h>

#include "analysis/advice.h"
#include "base/text.h"
#include "study/character.h"
#include "study/run_classes.h"

struct weir_characterize_about {
  const char *workload, *input, *gpu; /* input may be "" */
};

struct weir_characterize_view {
  const struct weir_character *c;
  struct weir_characterize_about about;
  const struct weir_run_classes *classes; /* NULL: nobody asked */
  struct weir_advices advice;
  uint32_t *loads; /* as weir_character_loads */
  size_t n_loads;
  struct weir_sites sites; /* loads of one source line that read one array */
};

/* False: no memory. */
bool weir_characterize_view(struct weir_characterize_view *v, const struct weir_character *c,
                            const struct weir_characterize_about *about,
                            const struct weir_run_classes *classes);
void weir_characterize_view_free(struct weir_characterize_view *v);

/* Tables and histograms. */
enum weir_status weir_characterize_text(const struct weir_characterize_view *v,
                                        struct weir_text *out, struct weir_err *err);
/* A piece of advice as a sentence. */
void weir_advice_text(const struct weir_characterize_view *v, const struct weir_advice *a,
                      struct weir_text *out);
/* NULL: no memory. */
json_t *weir_characterize_json(const struct weir_characterize_view *v);
/* A row for the workload, each kernel and each load. */
enum weir_status weir_characterize_csv(const struct weir_characterize_view *v,
                                       struct weir_text *out, struct weir_err *err);

#endif
