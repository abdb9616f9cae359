/* What schemes need to know before they run: the tags of loads, or the rows of a policy that
 * watched a run. They are made on a machine and kept in a folder, by a hash of all that they depend
 * on. */
#ifndef WEIR_STUDY_PREPARE_H
#define WEIR_STUDY_PREPARE_H

#include "base/settings.h"
#include "study/profile.h"

struct weir_prepare_request {
  const char *name; /* what makes tags (weir_prepares_tags), or the policy that makes rows */
  /* Its input is the one that will be timed; another is profiled if the file has one for that. Of a
   * trace, what was recorded is profiled. Machine, jobs, progress and the like are for rows, too.
   */
  struct weir_profile_request profile;
  const struct weir_setup *setup;       /* what will be timed, for rows */
  const struct weir_settings *settings; /* those that the machine was filled from */
  const char *const *opcode_class;      /* of a trace that is a list of Accel-Sim's */
  size_t n_opcodes;
  const struct weir_launch_choice *choice; /* of a trace, what is timed; NULL: all of it */
  const char *folder;                      /* NULL: nothing is kept */
  bool only_name;                          /* it is not made: what is its key? */
};

enum { WEIR_PREPARE_KEY = 33 };

struct weir_preparation {
  char *name;
  bool is_made;                /* else it has no more than name, key and input */
  struct weir_tags *tags;      /* if that is what it makes, else NULL */
  struct weir_rows rows;       /* of a policy */
  char key[WEIR_PREPARE_KEY];  /* equal keys: equal contents */
  char input[WEIR_INPUT_NAME]; /* that was profiled; empty: the file has no inputs */
  bool is_same_input;          /* as will be timed */
  bool is_kept;                /* it is in the folder, or was when it got its name */
  bool was_kept;               /* no run was needed */
  uint32_t n_runs;             /* profiling runs that were made */
  struct weir_err keep_error;  /* code not 0: why it could not be kept */
};

/* All that a command has: what is equal is made once. */
struct weir_preparations {
  struct weir_preparation **v;
  size_t n, cap;
};

/* *out is one of `all`, and lives as long. WEIR_ELIMIT: it was stopped. */
enum weir_status weir_prepare(struct weir_preparations *all, const struct weir_prepare_request *r,
                              const struct weir_preparation **out, struct weir_err *err);
void weir_preparations_free(struct weir_preparations *all);
/* The one of n whose input a result names: one that was made on what is timed, else the first. */
const struct weir_preparation *weir_preparation_named(const struct weir_preparation *const *made,
                                                      uint32_t n);
/* Gives it to what is timed with `setup`. */
void weir_preparation_use(const struct weir_preparation *p, const struct weir_setup *setup,
                          struct weir_prepared *prepared);

#endif
