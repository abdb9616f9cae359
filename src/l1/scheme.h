/* A scheme: a named line-up of an organisation and policies with parameters, written in a file. */
#ifndef WEIR_L1_SCHEME_H
#define WEIR_L1_SCHEME_H

#include "base/settings.h"
#include "l1/design.h"

/* Preparations that are no policies: tags from profiling runs, by hit rates or by traffic, unless
 * the scheme has some; what the organisation `opt` answers. */
#define WEIR_PREPARE_CLASSIFY "classify"
#define WEIR_PREPARE_TRAFFIC  "traffic"
#define WEIR_PREPARE_OPT      "opt"
/* Is that what it makes? `name` may be NULL. */
bool weir_prepares_tags(const char *name);

/* How much of what somebody published stands behind a scheme. */
enum weir_certainty {
  WEIR_CERTAIN_TEXT,    /* the text was read, or the scheme is weir's own */
  WEIR_CERTAIN_MODEL,   /* an abstract alone was: the idea is theirs, rules and sizes are ours */
  WEIR_CERTAIN_STAND_IN /* not even that */
};
/* The setting under which stores and comparisons have it, of schemes that are not of a text. */
#define WEIR_CERTAINTY_KEY "scheme.certainty"

/* What it is there for. */
enum weir_role {
  WEIR_ROLE_DESIGN,     /* to be judged */
  WEIR_ROLE_CONTROL,    /* what a design must beat to have chosen anything */
  WEIR_ROLE_COMPARATOR, /* what papers compared theirs with */
  WEIR_ROLE_BOUND       /* what nothing can exceed */
};

struct weir_scheme {
  const char *name, *about, *reference; /* reference may be NULL */
  const char *label;                    /* its name for people: "apcm (model)" */
  enum weir_certainty certainty;
  enum weir_role role;
  /* "KEY=VALUES": it is the best of these, which a search finds for each workload; NULL: none. */
  const char *best;
  const char *tags;               /* file with the tags of loads; NULL: none */
  const struct weir_org_ops *org; /* NULL: what the machine has */
  const struct weir_policy_ops *policy[WEIR_MAX_PARTS - 1];
  uint32_t n_policies;
  /* What is done once for each workload and machine before it runs: tags are made
   * (weir_prepares_tags), or rows by this policy for those that read some, instead of the ones they
   * name. NULL: neither. */
  const char *prepare;
  struct weir_arena arena;
};

/* Read a file; its `set:` goes into the file layer of the settings (NULL: it is only checked for
 * form). */
enum weir_status weir_scheme_load(struct weir_scheme *s, const char *name, const char *path,
                                  struct weir_settings *settings, struct weir_err *err);
void weir_scheme_free(struct weir_scheme *s);

/* "model", as files have it. */
const char *weir_certainty_name(enum weir_certainty c);
/* NULL for a text, where nothing has to be said. */
const char *weir_certainty_said(enum weir_certainty c);
/* A scheme's name as people are to read it, in the arena or the name itself; NULL: no memory. */
const char *weir_certainty_label(struct weir_arena *a, const char *name, enum weir_certainty c);

const char *weir_role_name(enum weir_role r);

bool weir_scheme_has(const struct weir_scheme *s, const struct weir_policy_ops *o);
/* One more policy, that is asked before the others. The name says so. */
enum weir_status weir_scheme_put_first(struct weir_scheme *s, const struct weir_policy_ops *o,
                                       struct weir_err *err);
/* The policy that makes the rows for one of its policies; NULL: that reads none. */
const char *weir_scheme_preparer(const struct weir_scheme *s, const struct weir_policy_ops *o);
/* Is it in the chain, or does it prepare one that is? */
bool weir_scheme_uses(const struct weir_scheme *s, const struct weir_policy_ops *o);
/* A policy that is there for others: it makes rows, and does not read its own. */
bool weir_only_prepares(const struct weir_policy_ops *o);
/* Another organisation, another chain ("a,b"), or both; NULL: as it is. The name says so; another
 * chain is no longer the scheme's, and as certain as its parts. */
enum weir_status weir_scheme_change(struct weir_scheme *s, const char *organisation,
                                    const char *policies, struct weir_err *err);

/* The design that it stands for on a machine, with the values of the settings. `groups` are those
 * the settings were made from; their prefixes are the names of parts. Parameters live in the
 * scheme. */
enum weir_status weir_scheme_design(struct weir_scheme *s, const struct weir_machine *m,
                                    const struct weir_settings *settings,
                                    const struct weir_param_group *const *groups,
                                    struct weir_design *d, struct weir_err *err);

#endif
