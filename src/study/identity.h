/* What the results of a run depend on, as canonical text: equal texts, equal results. */
#ifndef WEIR_STUDY_IDENTITY_H
#define WEIR_STUDY_IDENTITY_H

#include "base/config.h"
#include "base/text.h"
#include "study/input_hash.h"
#include "study/matrix.h"

/* A workload as it is read and executed, and its registers estimated where nobody counted them. */
struct weir_workload_identity {
  char hash[WEIR_HASH_TEXT];
  char input[WEIR_INPUT_NAME]; /* that is chosen; "": it has none */
};
enum weir_status weir_workload_identity(const struct weir_study_workload *w,
                                        struct weir_workload_identity *out, struct weir_err *err);

/* Appends lines for a machine with a scheme: its parts, the files of plug-ins, tags, and every
 * parameter that counts and does not have its default value. A new parameter whose default changes
 * nothing leaves it as it is. */
enum weir_status weir_setup_identity(const struct weir_study_setup *s, bool is_executed,
                                     struct weir_text *out, struct weir_err *err);
/* Appends lines for what was prepared; `prep` may be NULL. */
enum weir_status weir_prep_identity(const struct weir_study_prep *prep, struct weir_text *out,
                                    struct weir_err *err);

/* Does a parameter belong to the machine, to a part of the scheme or, `is_executed`, to the
 * execution? Others cannot change what is timed. */
bool weir_setting_counts(const struct weir_study_setup *s, const struct weir_setting *v,
                         bool is_executed);
/* Calls `each` for all parameters that count, with their values as they are always written. False
 * ends it: no memory. */
struct weir_canonical {
  const struct weir_setting *setting;
  const char *key, *value; /* as long as the call */
  bool is_default;
};
enum weir_status weir_settings_canonical(const struct weir_study_setup *s, bool is_executed,
                                         bool (*each)(void *self, const struct weir_canonical *c),
                                         void *self, struct weir_err *err);
/* One of any settings; what it points to is in `f`, which is zeros at first and kept between calls
 * for the same settings. */
struct weir_filled {
  const struct weir_param_group *group;
  void *is, *would_be; /* the group's parameters, as they are and by default */
  char key[128], value[4096], usual[4096];
};
enum weir_status weir_setting_canonical(struct weir_filled *f, const struct weir_settings *s,
                                        const struct weir_setting *v, struct weir_canonical *out,
                                        struct weir_err *err);
void weir_filled_free(struct weir_filled *f);

#endif
