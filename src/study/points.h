/* The runs of a store as points: what tells them apart, and one statistic of each. */
#ifndef WEIR_STUDY_POINTS_H
#define WEIR_STUDY_POINTS_H

#include "base/arena.h"
#include "base/number.h"
#include "study/store.h"

/* Something by which points differ: what was run, or a setting. */
struct weir_key {
  const char *name;
  struct {
    const char **v; /* each once; of a setting 16K and 16384 are the same. v[0], "-": none */
    size_t n, cap;
  } values;
  uint32_t *of; /* of each point its value's number */
  bool is_setting;
  const struct weir_key *certainty; /* of schemes: what stands beside their names; NULL: nothing */
  bool is_users;                    /* the user set it, and not to the same value in all runs */
  bool is_set;                      /* private: on some command line */
  bool is_said;                     /* private: in some file */
  bool is_derived;                  /* private: in some run it follows from others */
  uint32_t n_before;                /* private: the number that was found last */
  const struct weir_store_setting *before; /* private: the setting of the run before */
};

/* The first keys; settings follow. */
enum weir_fixed_key {
  WEIR_KEY_WORKLOAD,
  WEIR_KEY_INPUT,
  WEIR_KEY_GPU,
  WEIR_KEY_SCHEME,
  WEIR_KEY_SEED,
  WEIR_KEY_KERNEL, /* "2:NAME"; without kernels all have none */
  WEIR_FIXED_KEYS
};

struct weir_point {
  int64_t run;
  enum weir_stored status;
  const char *message; /* NULL: none */
  double value;        /* NaN: none */
  int64_t kernel;      /* 0: the whole run */
};

struct weir_points {
  struct weir_arena arena;
  struct {
    struct weir_point *v; /* by run, then by kernel */
    size_t n, cap;
  } points;
  struct {
    struct weir_key *v;
    size_t n, cap;
  } keys;
  bool are_chosen; /* by a condition */
};

struct weir_points_want {
  /* Or a metric of the store, or an expression with names in brackets; NULL: values are not asked
   * for. */
  const char *statistic;
  const char *where; /* a condition (study/condition.h); NULL: all */
  bool by_kernel;    /* a point for each kernel; one for each run that has none */
};

/* At one moment, though another process may write. WEIR_EINVAL, WEIR_ENOENT: what is wanted makes
 * no sense, or is not there; no run at all is no error. Freed by weir_points_free in any case. */
enum weir_status weir_points_load(struct weir_store *s, const struct weir_points_want *want,
                                  struct weir_points *out, struct weir_err *err);
void weir_points_free(struct weir_points *p);

/* NULL: there is none of this name. */
const struct weir_key *weir_points_key(const struct weir_points *p, const char *name);
/* WEIR_ENOENT with the nearest. */
enum weir_status weir_points_no_key(const struct weir_points *p, const char *option,
                                    const char *name, struct weir_err *err);
const char *weir_key_text(const struct weir_key *k, size_t point);
/* What is to be said beside a value, where people read it: of a scheme that is not of a text, which
 * certainty it has. Else NULL. */
const char *weir_key_said(const struct weir_key *k, size_t point);
/* The setting that a seed becomes: it does not tell runs apart that the seed does not. */
bool weir_key_is_seed(const struct weir_key *k);

#endif
