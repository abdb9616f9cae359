#include "session/effects.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

enum {
  TIMED,
  EXECUTED,
  PROGRAM,
  STREAMS,
  CLASSIFIED,
  CHOSEN,
  ENERGY,
  MEASURED,
  OWN_L1,
  LINES,
  DIRTY,
  BROADCASTS,
  WIDENS,
  OWN_SCHEDULER
};

const struct weir_fact weir_fact_table[WEIR_N_FACTS + 1] = {
    [TIMED] = {"timed", "kernels are timed", "nothing is timed here",
               "--gpu NAME times the kernels, in the commands that have it", false, NULL},
    [EXECUTED] = {"executed", "kernels are executed", "nothing is executed here: a trace is read",
                  "set it when the trace is made: weir record --set KEY=VALUE", false, NULL},
    [PROGRAM] = {"program", "a CUDA program runs", "no CUDA program runs", "-- PROGRAM", false,
                 NULL},
    [STREAMS] = {"streams", "warp streams are kept: kernels are timed or recorded",
                 "no warp streams are kept", "--gpu NAME, or --streams", false, NULL},
    [CLASSIFIED] = {"classified", "loads are classified first", "no loads are classified",
                    "weir classify, or a scheme with 'prepare: classify' and without --tags", false,
                    NULL},
    [CHOSEN] = {"chosen", "loads are chosen by traffic first", "no loads are chosen by traffic",
                "a scheme with 'prepare: traffic' and without --tags", false, NULL},
    [ENERGY] = {"energy", "energy is reported", "no energy is reported here",
                "weir run or replay with --gpu NAME, or weir compare", false, NULL},
    [MEASURED] = {"measured", "the cycles of launches are reported",
                  "cycles of launches are not what is reported here",
                  "weir run or replay with --gpu NAME, weir compare or weir sweep", false, NULL},
    [OWN_L1] = {"own_l1", "the scheme names no organisation",
                "the scheme says which organisation the L1 has", "another --scheme", false, NULL},
    [LINES] = {"lines", "the organisation is conventional or sectored",
               "the L1's organisation has a rule of its own", "another --scheme", false, NULL},
    [DIRTY] = {"dirty", "the organisation keeps modified lines (conventional, decoupled)",
               "the L1's organisation keeps no modified lines", NULL, false, NULL},
    [BROADCASTS] = {"broadcasts", "a part of the L1 tells other SMs something",
                    "no part of the L1 tells other SMs anything", NULL, false, NULL},
    [WIDENS] = {"widens", "a policy of the L1 chooses what is fetched",
                "no policy of the L1 chooses what is fetched", NULL, false, NULL},
    [OWN_SCHEDULER] = {"own_scheduler", "no policy picks warps", "a policy picks warps",
                       "--policies without it, or another --scheme", false, NULL},
};

/* An L1 that does not fit its machine has no design: what it was meant to have counts. */
static bool has_part(const void *self, const char *name) {
  const struct weir_setup *s = self;
  const struct weir_part *part;
  if (s == NULL) return false;
  for (uint32_t i = 0; (part = weir_setup_part(s, i)) != NULL; i++)
    if (strcmp(part->name, name) == 0) return true;
  if (s->scheme.org != NULL && strcmp(s->scheme.org->part.name, name) == 0) return true;
  for (uint32_t i = 0; i < s->scheme.n_policies; i++) {
    const char *preparer = weir_scheme_preparer(&s->scheme, s->scheme.policy[i]);
    if (strcmp(s->scheme.policy[i]->part.name, name) == 0) return true;
    if (preparer != NULL && strcmp(preparer, name) == 0) return true;
  }
  return false;
}

static void facts_of_design(const struct weir_design *d, struct weir_fact *f) {
  const struct weir_org_ops *own = weir_organisation_find("conventional"),
                            *sectored = weir_organisation_find("sectored");
  f[OWN_L1].who = f[LINES].who = f[DIRTY].who = d->org->part.name;
  f[LINES].holds = d->org == own || d->org == sectored;
  f[DIRTY].holds = d->org->has_dirty;
  f[OWN_SCHEDULER].holds = true;
  f[BROADCASTS].holds = d->org->part.broadcast_received != NULL;
  for (uint32_t i = 0; i < d->n_policies; i++) {
    const struct weir_policy_ops *o = d->policy[i].ops;
    f[BROADCASTS].holds |= o->part.broadcast_received != NULL;
    f[WIDENS].holds |= o->fetch_mask != NULL;
    if (o->pick_warp == NULL) continue;
    f[OWN_SCHEDULER].holds = false;
    f[OWN_SCHEDULER].who = o->part.name;
  }
}

struct weir_facts weir_facts_of(const struct weir_use *u,
                                struct weir_fact table[WEIR_N_FACTS + 1]) {
  memcpy(table, weir_fact_table, sizeof weir_fact_table);
  table[TIMED].holds = u->setup != NULL;
  table[EXECUTED].holds = u->is_executed;
  table[PROGRAM].holds = u->is_program;
  table[STREAMS].holds = u->has_streams;
  table[CLASSIFIED].holds = u->tags_by != NULL && strcmp(u->tags_by, WEIR_PREPARE_CLASSIFY) == 0;
  table[CHOSEN].holds = u->tags_by != NULL && strcmp(u->tags_by, WEIR_PREPARE_TRAFFIC) == 0;
  table[ENERGY].holds = table[MEASURED].holds = u->has_results;
  if (u->setup != NULL) {
    table[OWN_L1].holds = u->setup->scheme.org == NULL;
    if (u->setup->design.org != NULL)
      facts_of_design(&u->setup->design, table);
    else
      for (unsigned i = LINES; i <= OWN_SCHEDULER; i++)
        table[i].holds = true;
  }
  return (struct weir_facts){.v = table, .has_part = has_part, .self = u->setup};
}

enum weir_status weir_uses_check(const struct weir_settings *const *s, const struct weir_use *uses,
                                 size_t n, struct weir_err *err) {
  struct store {
    struct weir_facts facts;
    struct weir_fact table[WEIR_N_FACTS + 1];
  } *v = weir_calloc(n, sizeof *v);
  const struct weir_facts **list = weir_calloc(n, sizeof *list);
  bool ok = v != NULL && list != NULL;
  for (size_t i = 0; ok && i < n; i++) {
    v[i].facts = weir_facts_of(&uses[i], v[i].table);
    list[i] = &v[i].facts;
  }
  enum weir_status st =
      ok ? weir_effects_check(s, list, n, err) : weir_fail(err, WEIR_ENOMEM, "out of memory");
  free(v);
  free(list);
  return st;
}
