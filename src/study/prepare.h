/* What schemes with `prepare: classify` need to know before they run: the loads' tags, profiled on
 * a machine. They are kept in a folder, by a hash of all that they depend on. */
#ifndef WEIR_STUDY_PREPARE_H
#define WEIR_STUDY_PREPARE_H

#include "base/settings.h"
#include "study/profile.h"

struct weir_preparation;
struct weir_prepare_request {
  /* Its input is the one that will be timed; another is profiled if the file has one for that. Of a
   * trace, what was recorded is profiled. */
  struct weir_profile_request profile;
  const struct weir_settings *settings;  /* those that the machine was filled from */
  const char *folder;                    /* NULL: nothing is kept */
  const struct weir_preparation *before; /* earlier ones, whose tags need not be made again */
  size_t n_before;
};

enum { WEIR_PREPARE_KEY = 33 };

struct weir_preparation {
  const struct weir_tags *tags;    /* its own, or those of an equal one before it */
  struct weir_tags *own;           /* NULL: it is equal to one before it */
  char key[WEIR_PREPARE_KEY];      /* equal keys: equal tags */
  char input[WEIR_CONFIG_KEY + 1]; /* that was profiled; empty: the file has no inputs */
  bool is_same_input;              /* as will be timed */
  bool was_kept;                   /* no run was needed */
  uint32_t n_runs;                 /* profiling runs that were made */
  struct weir_err keep_error;      /* code not 0: why it could not be kept */
};

enum weir_status weir_prepare(const struct weir_prepare_request *r, struct weir_preparation *p,
                              struct weir_err *err);
void weir_preparation_free(struct weir_preparation *p);

#endif
