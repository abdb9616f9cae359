#include "l1/design.h"

#include <string.h>

#include "l1/organisation/lines.h"

#define ORGANISATION(name) &weir_org_##name,
#define POLICY(name)
const struct weir_org_ops *const weir_organisations[] = {
#include "l1/parts.inc"
    NULL};
#undef ORGANISATION
#undef POLICY

/* The built-in ones, then those of plug-ins. */
#define ORGANISATION(name)
#define POLICY(name) &weir_policy_##name,
static const struct weir_policy_ops *policies[WEIR_MAX_POLICIES + 1] = {
#include "l1/parts.inc"
};
#undef ORGANISATION
#undef POLICY
static const char *policy_file[WEIR_MAX_POLICIES];
const struct weir_policy_ops *const *const weir_policies = policies;

const struct weir_org_ops *weir_organisation_find(const char *name) {
  for (size_t i = 0; weir_organisations[i] != NULL; i++)
    if (strcmp(weir_organisations[i]->part.name, name) == 0) return weir_organisations[i];
  return NULL;
}

const struct weir_policy_ops *weir_policy_find(const char *name) {
  for (size_t i = 0; weir_policies[i] != NULL; i++)
    if (strcmp(weir_policies[i]->part.name, name) == 0) return weir_policies[i];
  return NULL;
}

bool weir_policy_add(const struct weir_policy_ops *o, const char *file) {
  size_t n = 0;
  while (policies[n] != NULL)
    n++;
  if (n == WEIR_MAX_POLICIES) return false;
  policies[n] = o;
  policy_file[n] = file;
  return true;
}

const char *weir_policy_file(const struct weir_policy_ops *o) {
  for (size_t i = 0; policies[i] != NULL; i++)
    if (policies[i] == o) return policy_file[i];
  return NULL;
}

static const struct weir_lines_cfg on_miss = {.on_fill = false}, on_fill = {.on_fill = true};

void weir_design_baseline(struct weir_design *d, const struct weir_machine *m) {
  *d = (struct weir_design){
      .org = m->l1.sectored ? &weir_org_sectored : &weir_org_conventional,
      .org_cfg = m->l1.alloc == WEIR_L1_ON_FILL ? &on_fill : &on_miss,
      .n_policies = 1,
  };
  d->policy[0].ops = &weir_policy_lru;
}

bool weir_design_is_plain(const struct weir_design *d) {
  return (d->org == &weir_org_sectored || d->org == &weir_org_conventional) && d->n_policies == 1 &&
         d->policy[0].ops == &weir_policy_lru;
}

bool weir_is_listed(const char *list, const char *name) {
  size_t n = strlen(name);
  for (const char *s = list; s != NULL; s = strchr(s, '|') != NULL ? strchr(s, '|') + 1 : NULL)
    if (strncmp(s, name, n) == 0 && (s[n] == '\0' || s[n] == '|')) return true;
  return false;
}

enum weir_status weir_design_check(const struct weir_design *d, const struct weir_machine *m,
                                   struct weir_err *err) {
  const char *org = d->org->part.name, *replacement = NULL, *threads = NULL, *order = NULL,
             *scheduler = NULL;
  if (d->org->part.abi != WEIR_POLICY_ABI)
    return weir_fail(err, WEIR_EINVAL, "organisation %s was made for another version of weir", org);
  for (uint32_t i = 0; i < d->n_policies; i++) {
    const struct weir_policy_ops *o = d->policy[i].ops;
    const char *name = o->part.name;
    if (o->part.abi != WEIR_POLICY_ABI)
      return weir_fail(err, WEIR_EINVAL,
                       "policy %s was made for version %u of the policy contract; this is %d", name,
                       o->part.abi, WEIR_POLICY_ABI);
    if (o->organisations != NULL && !weir_is_listed(o->organisations, org))
      return weir_fail(err, WEIR_EINVAL, "policy %s works with the organisations %s, not with %s",
                       name, o->organisations, org);
    if (o->victim != NULL) {
      if (d->org->has_victim_rule)
        return weir_fail(err, WEIR_EINVAL,
                         "organisation %s has its own replacement; policy %s cannot be added", org,
                         name);
      if (replacement != NULL)
        return weir_fail(err, WEIR_EINVAL, "two replacement policies: %s and %s", replacement,
                         name);
      replacement = name;
    }
    if (o->gate != NULL) {
      if (threads != NULL)
        return weir_fail(err, WEIR_EINVAL, "two policies that hold warps back: %s and %s", threads,
                         name);
      threads = name;
    }
    if (o->pick_warp != NULL) {
      if (scheduler != NULL)
        return weir_fail(err, WEIR_EINVAL, "two policies that pick warps: %s and %s", scheduler,
                         name);
      scheduler = name;
    }
    if (o->order != NULL) {
      if (o->queue == NULL || o->next_queue == NULL)
        return weir_fail(err, WEIR_EINVAL, "policy %s has 'order' without 'queue' or 'next_queue'",
                         name);
      if (order != NULL)
        return weir_fail(err, WEIR_EINVAL, "two policies that order requests: %s and %s", order,
                         name);
      order = name;
    }
    if (o->fetch_mask != NULL && !d->org->is_sectored)
      return weir_fail(err, WEIR_EINVAL,
                       "policy %s chooses sectors; organisation %s fetches whole lines", name, org);
  }
  if (!d->org->has_victim_rule && replacement == NULL)
    return weir_fail(err, WEIR_EINVAL, "organisation %s needs a replacement policy, such as lru",
                     org);
  if (m->l1.unified_bytes > 0 && d->org->ways != NULL)
    return weir_fail(err, WEIR_EINVAL,
                     "organisation %s has a fixed size; machine %s takes its L1 from "
                     "l1.unified_bytes",
                     org, m->name);
  return WEIR_OK;
}
