#include "l1/conform/conform.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/settings.h"
#include "l1/conform/bench.h"
#include "l1/hooks.h"

enum { CFG_BYTES = 1024, STEPS = 1200, STEPS_OF_PAIRS = 400, SEED = 42 };

/* ---- designs ---- */

struct setup {
  struct weir_design d;
  char cfg[4][CFG_BYTES]; /* organisation, up to two policies, a replacement policy */
  char name[sizeof((struct weir_conform_progress *)0)->trying];
};

struct trial {
  struct setup s;
  struct weir_bench bench[4];
  struct weir_settings settings;
  struct weir_machine m;
  struct weir_rows rows; /* for policies that read some */
  bool is_unprepared;    /* they get none */
  const struct weir_policy_ops *only;
  unsigned n_steps;
  struct weir_conform_progress *progress;
  struct weir_err *err;
};

static enum weir_status broken(struct trial *t, const char *rule) {
  return weir_fail(t->err, WEIR_EFAULT, "%s: %s", t->s.name, rule);
}

static const void *defaults(const struct weir_part *part, char *cfg) {
  memset(cfg, 0, CFG_BYTES);
  if (part->params != NULL && part->cfg_bytes <= CFG_BYTES) weir_param_defaults(part->params, cfg);
  return cfg;
}

static void add(struct trial *t, const struct weir_policy_ops *o, char *cfg) {
  struct weir_design *d = &t->s.d;
  d->policy[d->n_policies].ops = o;
  d->policy[d->n_policies].rows = o->prepare != NULL && !t->is_unprepared ? &t->rows : NULL;
  d->policy[d->n_policies].prepares = o->row != NULL && d->policy[d->n_policies].rows == NULL;
  d->policy[d->n_policies++].cfg = defaults(&o->part, cfg);
}

/* False: these do not go together. An organisation that needs a replacement policy gets the first
 * that goes with it. */
static bool build(struct trial *t, const struct weir_org_ops *org, const struct weir_policy_ops *a,
                  const struct weir_policy_ops *b) {
  struct setup *s = &t->s;
  struct weir_err why;
  if (t->only != NULL && a != t->only && b != t->only) return false;
  if ((a == &weir_conform_asks || b == &weir_conform_asks) && t->m.l1.miss_queue < 2)
    return false; /* there stores cannot be kept */
  s->d = (struct weir_design){.org = org, .seed = SEED, .paranoid = true};
  s->d.org_cfg = defaults(&org->part, s->cfg[0]);
  if (a != NULL) add(t, a, s->cfg[1]);
  if (b != NULL) add(t, b, s->cfg[2]);
  snprintf(s->name, sizeof s->name, "%s%s%s%s%s", org->part.name, a != NULL ? " + " : "",
           a != NULL ? a->part.name : "", b != NULL ? " + " : "", b != NULL ? b->part.name : "");
  bool has_victim = (a != NULL && a->victim != NULL) || (b != NULL && b->victim != NULL);
  uint32_t n = s->d.n_policies;
  if (org->has_victim_rule || has_victim) return weir_design_check(&s->d, &t->m, &why) == WEIR_OK;
  for (size_t i = 0; weir_policies[i] != NULL; i++) {
    if (weir_policies[i]->victim == NULL || weir_policy_file(weir_policies[i]) != NULL) continue;
    s->d.n_policies = n;
    add(t, weir_policies[i], s->cfg[3]);
    if (weir_design_check(&s->d, &t->m, &why) == WEIR_OK) return true;
  }
  return false;
}

/* ---- runs ---- */

static enum weir_status start(struct trial *t, struct weir_bench *b, uint64_t seed) {
  struct weir_err why;
  if (!weir_bench_init(b, &t->m, &t->s.d, seed, &why)) return broken(t, why.msg);
  weir_bench_kernel(b);
  return WEIR_OK;
}

static enum weir_status steps(struct trial *t, struct weir_bench *b, unsigned n) {
  for (unsigned i = 0; i < n && b->bad == NULL; i++)
    weir_bench_step(b);
  return b->bad == NULL ? WEIR_OK : broken(t, b->bad);
}

static enum weir_status drain(struct trial *t, struct weir_bench *b) {
  weir_bench_drain(b);
  return b->bad == NULL ? WEIR_OK : broken(t, b->bad);
}

/* The rest of the first kernel, and a short second one. */
static enum weir_status second_kernel(struct trial *t, struct weir_bench *b) {
  enum weir_status st = drain(t, b);
  if (st != WEIR_OK) return st;
  weir_bench_kernel(b);
  st = steps(t, b, t->n_steps / 4);
  return st == WEIR_OK ? drain(t, b) : st;
}

/* Two kernels; a copy taken in the middle of the first must go the same way, whatever else runs
 * beside it, and so must a second run from the beginning. */
static enum weir_status run_all(struct trial *t) {
  struct weir_bench *one = &t->bench[0], *two = &t->bench[1], *copy = &t->bench[2],
                    *other = &t->bench[3];
  enum weir_status st = start(t, one, 1);
  if (st == WEIR_OK) st = start(t, other, 2);
  if (st == WEIR_OK) st = steps(t, one, t->n_steps / 2);
  if (st == WEIR_OK && !weir_bench_clone(copy, one)) st = broken(t, "out of memory");
  for (unsigned i = 0; st == WEIR_OK && i < t->n_steps / 2; i++) {
    st = steps(t, other, 1);
    if (st == WEIR_OK) st = steps(t, copy, 1);
  }
  if (st == WEIR_OK) st = steps(t, one, t->n_steps / 2);
  if (st == WEIR_OK && weir_bench_hash(one) != weir_bench_hash(copy))
    st = broken(t, "a copy taken half-way went another way: is there state outside the policy's?");
  if (st == WEIR_OK) st = second_kernel(t, one);
  if (st == WEIR_OK) st = start(t, two, 1);
  if (st == WEIR_OK) st = steps(t, two, t->n_steps);
  if (st == WEIR_OK) st = second_kernel(t, two);
  if (st == WEIR_OK && weir_bench_hash(one) != weir_bench_hash(two))
    st = broken(t, "a second run with the same input differs from the first");
  return st;
}

static void free_benches(struct trial *t) {
  for (size_t i = 0; i < sizeof t->bench / sizeof *t->bench; i++) {
    weir_bench_free(&t->bench[i]);
    t->bench[i] = (struct weir_bench){0};
  }
}

static void count(struct trial *t) {
  t->progress->n++;
  memcpy(t->progress->trying, t->s.name, sizeof t->progress->trying);
}

static enum weir_status run(struct trial *t) {
  count(t);
  enum weir_status st = run_all(t);
  free_benches(t);
  return st;
}

/* ---- machines ---- */

static const char *const machines[][8] = {
    {"l1.sets=8", "l1.ways=2", "l1.mshr_entries=4", "l1.mshr_merge=3", "l1.miss_queue=4", NULL},
    {"l1.sets=4", "l1.ways=4", "l1.line=128", "l1.banks=4", "l1.probes_per_cycle=4",
     "l1.write=through", "sm.scheduler=two-level", NULL},
    {"l1.sets=1", "l1.ways=1", "l1.bypass_queue=1", "l1.miss_queue=2", "sm.inflight=6",
     "sm.scheduler=lrr", NULL},
    {"l1.sets=2", "l1.ways=2", "l1.local_wb=false", "l1.miss_queue=1", "sm.scheduler=fetch-groups",
     "sm.active_warps=3", NULL},
};
enum { N_MACHINES = sizeof machines / sizeof *machines };

static enum weir_status set_machine(struct trial *t, size_t k) {
  static const struct weir_param_group *const groups[] = {
      &weir_core_params, &weir_sm_params, &weir_l1_params,   &weir_noc_params,
      &weir_l2_params,   &weir_l3_params, &weir_dram_params, NULL};
  enum weir_status st = weir_settings_init(&t->settings, groups, t->err);
  for (size_t i = 0; st == WEIR_OK && machines[k][i] != NULL; i++)
    st = weir_settings_assign(&t->settings, machines[k][i], t->err);
  return st == WEIR_OK ? weir_machine_fill(&t->m, "small", &t->settings, t->err) : st;
}

/* ---- which designs ---- */

static enum weir_status alone(struct trial *t, const struct weir_org_ops *org) {
  enum weir_status st = build(t, org, NULL, NULL) ? run(t) : WEIR_OK;
  if (st == WEIR_OK && build(t, org, &weir_conform_asks, NULL)) st = run(t);
  for (size_t i = 0; st == WEIR_OK && weir_policies[i] != NULL; i++) {
    t->is_unprepared = weir_policies[i]->prepare != NULL; /* as in the run that prepares */
    if (t->is_unprepared && build(t, org, weir_policies[i], NULL)) st = run(t);
    t->is_unprepared = false;
    if (st == WEIR_OK && build(t, org, weir_policies[i], NULL)) st = run(t);
    if (st == WEIR_OK && build(t, org, weir_policies[i], &weir_conform_asks)) st = run(t);
  }
  return st;
}

/* There are many: one machine each, in turn. */
static enum weir_status pairs(struct trial *t, const struct weir_org_ops *org, size_t turn) {
  enum weir_status st = WEIR_OK;
  for (size_t i = 0; weir_policies[i] != NULL; i++)
    for (size_t j = 0; st == WEIR_OK && weir_policies[j] != NULL; j++)
      if (i != j && (i + j + turn) % N_MACHINES == 0 &&
          build(t, org, weir_policies[i], weir_policies[j]))
        st = run(t);
  return st;
}

static enum weir_status run_short(struct trial *t) {
  struct weir_err why;
  enum weir_status st = WEIR_OK;
  count(t);
  if (!weir_bench_init(&t->bench[0], &t->m, &t->s.d, 3, &why))
    st = why.msg[0] != '\0' ? WEIR_OK : broken(t, "refused without a reason");
  else {
    weir_bench_kernel(&t->bench[0]);
    st = steps(t, &t->bench[0], t->n_steps / 4);
    if (st == WEIR_OK) st = drain(t, &t->bench[0]);
  }
  free_benches(t);
  return st;
}

/* "a|b": the values of a parameter that are tried. */
static const char *ends_of(const struct weir_param *p, char *buf, size_t len) {
  if (p->type == WEIR_BOOL) return "true|false";
  if (p->type == WEIR_STR || p->type == WEIR_ENUM) return p->choices;
  if (p->min == 0 && p->max == 0) return p->def; /* without limits */
  snprintf(buf, len, p->type == WEIR_INT ? "%.0f|%.0f" : "%g|%g", p->min, p->max);
  return buf;
}

static enum weir_status at_ends(struct trial *t, const struct weir_part *part, char *cfg) {
  enum weir_status st = WEIR_OK;
  struct weir_err why;
  char text[64], whole[sizeof t->s.name], buf[256];
  memcpy(whole, t->s.name, sizeof whole);
  for (const struct weir_param *p = part->params; p != NULL && p->name != NULL; p++)
    for (const char *at = ends_of(p, buf, sizeof buf);
         st == WEIR_OK && at != NULL && *at != '\0';) {
      size_t len = strcspn(at, "|");
      snprintf(text, sizeof text, "%.*s", (int)len, at);
      defaults(part, cfg);
      snprintf(t->s.name, sizeof t->s.name, "%.80s, %.40s=%.32s", whole, p->name, text);
      if (weir_param_set(part->params, cfg, p->name, text, NULL, &why) != WEIR_OK)
        st = broken(t, why.msg);
      else
        st = run_short(t);
      at += len;
      if (*at == '|') at++;
    }
  return st;
}

static enum weir_status parameters(struct trial *t, const struct weir_org_ops *org) {
  enum weir_status st = WEIR_OK;
  if (build(t, org, NULL, NULL)) st = at_ends(t, &org->part, t->s.cfg[0]);
  for (size_t i = 0; st == WEIR_OK && weir_policies[i] != NULL; i++)
    if (build(t, org, weir_policies[i], NULL))
      st = at_ends(t, &weir_policies[i]->part, t->s.cfg[1]);
  return st;
}

/* ---- declarations ---- */

static enum weir_status bad_part(const struct weir_part *part, const char *why,
                                 struct weir_err *err) {
  return weir_fail(err, WEIR_EFAULT, "%s: %s", part->name != NULL ? part->name : "?", why);
}

static enum weir_status check_part(const struct weir_part *part, struct weir_err *err) {
  struct weir_err why;
  struct weir_param_group params = {part->name, part->help, part->params, part->cfg_bytes, NULL};
  struct weir_stat_group stats = {part->name, part->help, part->stats, NULL};
  if (part->abi != WEIR_POLICY_ABI) return bad_part(part, "made for another version", err);
  if (part->name == NULL || part->help == NULL || part->help[0] == '\0')
    return bad_part(part, "a text is missing", err);
  if (part->cfg_bytes > CFG_BYTES) return bad_part(part, "its parameters are too large", err);
  if (part->params != NULL && weir_param_group_check(&params, &why) != WEIR_OK)
    return bad_part(part, why.msg, err);
  if (part->stats != NULL && weir_stat_group_check(&stats, &why) != WEIR_OK)
    return bad_part(part, why.msg, err);
  for (const struct weir_stat *s = part->stats; s != NULL && s->name != NULL; s++)
    if (s->offset + sizeof(uint64_t) > part->stats_bytes)
      return bad_part(part, "a statistic lies outside stats_bytes", err);
  if (part->stats_bytes > WEIR_MAX_PART_STATS * sizeof(uint64_t))
    return bad_part(part, "it has too many statistics", err);
  return WEIR_OK;
}

/* Are those that "a|b" lists parameters of it? */
static bool has_params(const struct weir_part *part, const char *list) {
  size_t wanted = 0, found = 0;
  for (const char *s = list; s != NULL; s = strchr(s, '|') != NULL ? strchr(s, '|') + 1 : NULL)
    wanted++;
  for (const struct weir_param *p = part->params; p != NULL && p->name != NULL; p++)
    found += list != NULL && weir_is_listed(list, p->name);
  return found == wanted;
}

static enum weir_status check_policy(const struct weir_policy_ops *o, struct weir_err *err) {
  enum weir_status st = check_part(&o->part, err);
  if (st == WEIR_OK && o->row == NULL && (o->prepares_on_timed || o->row_params != NULL))
    st = bad_part(&o->part, "it says how its rows are made and has no 'row'", err);
  if (st == WEIR_OK && !has_params(&o->part, o->row_params))
    st = bad_part(&o->part, "'row_params' names what is no parameter of it", err);
  if (st == WEIR_OK && o->digest != NULL && o->row == NULL)
    st = bad_part(&o->part, "it has 'digest' and no 'row'", err);
  if (st == WEIR_OK && o->prepare != NULL &&
      (weir_policy_find(o->prepare) == NULL || weir_policy_find(o->prepare)->row == NULL))
    st = bad_part(&o->part, "'prepare' names no policy that has 'row'", err);
  if (st == WEIR_OK && weir_policy_find(o->part.name) != o)
    st = bad_part(&o->part, "another policy has the same name", err);
  if (st == WEIR_OK && !weir_policy_has_hooks(o))
    st = bad_part(&o->part, "it has no hook that decides or observes: it would do nothing", err);
  return st;
}

static enum weir_status declarations(const struct weir_policy_ops *only, unsigned *n,
                                     struct weir_err *err) {
  enum weir_status st = WEIR_OK;
  for (size_t i = 0; only == NULL && st == WEIR_OK && weir_organisations[i] != NULL; i++, ++*n)
    st = check_part(&weir_organisations[i]->part, err);
  for (size_t i = 0; st == WEIR_OK && weir_policies[i] != NULL; i++) {
    if (only != NULL && weir_policies[i] != only) continue;
    st = check_policy(weir_policies[i], err);
    ++*n;
  }
  return st;
}

/* ---- all of it ---- */

static enum weir_status on_machine(struct trial *t, enum weir_conform what, size_t k) {
  enum weir_status st = set_machine(t, k);
  for (size_t o = 0; st == WEIR_OK && weir_organisations[o] != NULL; o++)
    if (what == WEIR_CONFORM_ALONE)
      st = alone(t, weir_organisations[o]);
    else if (what == WEIR_CONFORM_PAIRS)
      st = pairs(t, weir_organisations[o], o + N_MACHINES - k);
    else if (k == 0)
      st = parameters(t, weir_organisations[o]);
  weir_settings_free(&t->settings);
  return st;
}

enum weir_status weir_conform(enum weir_conform what, const struct weir_policy_ops *only,
                              struct weir_conform_progress *progress, struct weir_err *err) {
  *progress = (struct weir_conform_progress){0};
  if (what == WEIR_CONFORM_DECLARATIONS) return declarations(only, &progress->n, err);
  struct trial *t = weir_calloc(1, sizeof *t);
  if (t == NULL) return weir_fail(err, WEIR_ENOMEM, "out of memory");
  t->only = only;
  t->progress = progress;
  t->err = err;
  t->n_steps = what == WEIR_CONFORM_PAIRS ? STEPS_OF_PAIRS : STEPS;
  enum weir_status st = weir_bench_rows(&t->rows, err);
  for (size_t k = 0; st == WEIR_OK && k < N_MACHINES; k++)
    st = on_machine(t, what, k);
  weir_rows_free(&t->rows);
  free(t);
  return st;
}
