/* How an output was made: one block that every JSON, CSV and trace carries at a fixed place, with
 * all that can change results and nothing else (docs/outputs.md). It is filled before anything
 * runs, but for what is prepared, and read back to repeat the run. */
#ifndef WEIR_REPORT_PROVENANCE_H
#define WEIR_REPORT_PROVENANCE_H

#include <jansson.h>

#include "base/settings.h"
#include "base/text.h"
#include "study/prepare.h"

enum { WEIR_PROVENANCE_FORMAT = 1, WEIR_CSV_FORMAT = 1 };

struct weir_provenance {
  json_t *root; /* NULL: none is wanted, and all that follows does nothing */
  bool failed;  /* for want of memory: kept, and said in the end */
};

/* `version` and `commit` are those of the program. */
void weir_provenance_init(struct weir_provenance *p, const char *version, const char *commit,
                          const char *command);
void weir_provenance_free(struct weir_provenance *p);
enum weir_status weir_provenance_check(const struct weir_provenance *p, struct weir_err *err);

/* The command line that stands for the run: what a shell would hand over. */
void weir_provenance_argument(struct weir_provenance *p, const char *text);
/* What a user gave: what `s` has other than `base`, and what other values of `s` follow from. */
void weir_provenance_settings(struct weir_provenance *p, const struct weir_settings *s,
                              const struct weir_settings *base);
/* A machine, as files put it into `s`. One of the user's own, `is_own`, comes with its values. A
 * name that is there already is not added again: false. */
bool weir_provenance_machine(struct weir_provenance *p, const char *name,
                             const struct weir_settings *s, bool is_own);
/* Of the machine that was added last, one of the user's own: its file, and those that it extends.
 * Their values alone would not do: which was said later counts. */
void weir_provenance_machine_file(struct weir_provenance *p, const char *name, const char *text);
/* A scheme, whose file put values into `s` as source `first`; `text` is that of the user's own
 * file, else NULL. */
void weir_provenance_scheme(struct weir_provenance *p, const char *name,
                            const struct weir_scheme *of, const struct weir_settings *s,
                            uint32_t first, const char *text);
/* A file that is needed as it is: its text is kept. */
void weir_provenance_file(struct weir_provenance *p, const char *name, const char *text);
/* Something that is only known by its fingerprint. `input` and `made` may be NULL: which input of a
 * launch file; the provenance of a trace. */
void weir_provenance_input(struct weir_provenance *p, const char *kind, const char *name,
                           const char *input, const char *hash, const char *made);
/* What was prepared for a workload on a machine, by its key; added while things run. */
void weir_provenance_preparation(struct weir_provenance *p, const char *workload,
                                 const char *machine, const struct weir_preparation *made);

/* ---- in outputs ---- */

/* `root` with the block as its first key. `root` is taken; NULL: no memory. */
json_t *weir_provenance_first(const struct weir_provenance *p, json_t *root);
/* Lines that begin with "# ", for the top of a CSV: the block and the number of the CSV's format.
 */
void weir_provenance_lines(const struct weir_provenance *p, struct weir_text *out);
/* For traces; nothing is added if none is wanted. */
void weir_provenance_text(const struct weir_provenance *p, struct weir_text *out);

/* ---- back ---- */

/* The block of an output: JSON, CSV or trace. */
enum weir_status weir_provenance_read(const char *path, json_t **out, struct weir_err *err);
/* One line of the text in a trace: which weir, and its command line. */
void weir_provenance_summary(const char *text, struct weir_text *out);
/* Is what `p` says of machines, schemes, files and inputs what `earlier` says of those of the same
 * name? *kind and *name: of the first that is not, as they stand in JSON. */
bool weir_provenance_is_like(const struct weir_provenance *p, const json_t *earlier,
                             const char **kind, const char **name);

#endif
