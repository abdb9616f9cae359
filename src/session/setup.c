#include "session/setup.h"

#include <string.h>

#include "base/stat_io.h"
#include "l1/guard.h"
#include "l1/l1.h"
#include "session/data.h"
#include "session/groups.h"
#include "sim/need.h"

enum weir_status weir_setup_load(struct weir_setup *s, const char *scheme, const char *path,
                                 struct weir_settings *settings, struct weir_err *err) {
  *s = (struct weir_setup){0};
  enum weir_status st = weir_scheme_load(&s->scheme, scheme, path, settings, err);
  if (st == WEIR_OK && s->scheme.tags != NULL) st = weir_setup_tags(s, s->scheme.tags, err);
  if (st != WEIR_OK) weir_setup_free(s);
  return st;
}

enum weir_status weir_setup_tags(struct weir_setup *s, const char *path, struct weir_err *err) {
  weir_tags_free(s->tags);
  return weir_tags_load(&s->tags, path, err);
}

enum weir_status weir_setup_bypass(struct weir_setup *s, const char *line, struct weir_err *err) {
  enum weir_status st = s->tags == NULL ? weir_tags_new(&s->tags) : WEIR_OK;
  if (st != WEIR_OK) return weir_fail(err, st, "out of memory");
  return weir_tags_bypass(s->tags, line, err);
}

static enum weir_status sum_storage(const struct weir_machine *m, const struct weir_design *d,
                                    uint64_t *sum, struct weir_err *err) {
  uint64_t bits[WEIR_MAX_PARTS];
  enum weir_status st = weir_l1_storage(m, d, bits, err);
  if (st == WEIR_OK) *sum = weir_l1_storage_sum(bits);
  return st;
}

static enum weir_status find_storage(struct weir_setup *s, struct weir_err *err) {
  struct weir_design baseline;
  weir_design_baseline(&baseline, &s->machine);
  s->l2_bits = weir_l2_storage(&s->machine, &s->design);
  enum weir_status st = sum_storage(&s->machine, &s->design, &s->storage_bits, err);
  return st == WEIR_OK ? sum_storage(&s->machine, &baseline, &s->baseline_bits, err) : st;
}

/* The hits that a bound has are those of launches that come once. Where the L1 keeps its lines a
 * second one could have more. */
static enum weir_status check_launch(const struct weir_setup *s, struct weir_err *err) {
  const struct weir_l1_cfg *l1 = &s->machine.l1;
  const char *prepare = s->design.org->prepare;
  if (s->launch.l2 != WEIR_L2_WARM || prepare == NULL || strcmp(prepare, WEIR_PREPARE_OPT) != 0 ||
      l1->flush_on_kernel || l1->unified_bytes > 0)
    return WEIR_OK;
  weir_fail(err, WEIR_EINVAL,
            "scheme %s is no bound with launch.l2=warm (--warm) on an L1 that keeps its lines "
            "between launches",
            s->scheme.name);
  weir_err_add(err, "leave it out, or let the L1 be emptied: --set l1.flush_on_kernel=true");
  return WEIR_EINVAL;
}

enum weir_status weir_setup_fit(struct weir_setup *s, const char *gpu,
                                struct weir_settings *settings,
                                const struct weir_param_group *const *groups,
                                struct weir_err *err) {
  enum weir_status st = weir_machine_fill(&s->machine, gpu, settings, err);
  if (st == WEIR_OK) st = weir_machine_settle(&s->machine, settings, err);
  if (st == WEIR_OK)
    st = weir_scheme_design(&s->scheme, &s->machine, settings, groups, &s->design, err);
  if (st == WEIR_OK) st = weir_machine_affordable(&s->machine, &s->design, err);
  if (st == WEIR_OK) st = weir_l1_try(&s->machine, &s->design, err);
  if (st == WEIR_OK) st = find_storage(s, err);
  if (st == WEIR_OK) st = weir_settings_fill(settings, &weir_reorder_params, &s->order, err);
  if (st == WEIR_OK) st = weir_settings_fill(settings, &weir_launch_params, &s->launch, err);
  if (st == WEIR_OK) st = check_launch(s, err);
  return st == WEIR_OK ? weir_settings_fill(settings, &weir_energy_params, &s->energy, err) : st;
}

void weir_setup_free(struct weir_setup *s) {
  weir_scheme_free(&s->scheme);
  weir_tags_free(s->tags);
  *s = (struct weir_setup){0};
}

/* ---- by name ---- */

enum weir_status weir_setup_named(struct weir_setup *setup, const char *scheme,
                                  struct weir_settings *s, struct weir_err *err) {
  struct weir_arena a = {0};
  const char *path;
  const struct weir_policy_ops *policy =
      weir_data_has_scheme(scheme) ? NULL : weir_policy_find(scheme);
  enum weir_status st = weir_data_scheme(&a, policy != NULL ? "baseline" : scheme, &path, err);
  if (st == WEIR_OK)
    st = weir_setup_load(setup, policy != NULL ? "baseline" : scheme, path, s, err);
  if (st == WEIR_OK && policy != NULL) st = weir_scheme_put_first(&setup->scheme, policy, err);
  weir_arena_free(&a);
  return st;
}

/* In the order of the command line, before what the scheme has. */
static enum weir_status put_plugins_first(struct weir_scheme *s, struct weir_err *err) {
  enum weir_status st = WEIR_OK;
  size_t n = 0;
  while (weir_policies[n] != NULL)
    n++;
  while (st == WEIR_OK && n-- > 0)
    if (weir_policy_file(weir_policies[n]) != NULL && !weir_scheme_has(s, weir_policies[n]) &&
        !weir_only_prepares(weir_policies[n]))
      st = weir_scheme_put_first(s, weir_policies[n], err);
  return st;
}

/* A plug-in that is loaded and has no part in the run is a mistake. */
static enum weir_status check_plugins_used(const struct weir_scheme *s, const char *policies,
                                           struct weir_err *err) {
  for (size_t i = 0; weir_policies[i] != NULL; i++) {
    const char *file = weir_policy_file(weir_policies[i]), *name = weir_policies[i]->part.name;
    if (file == NULL || weir_scheme_uses(s, weir_policies[i])) continue;
    if (policies == NULL)
      return weir_fail(err, WEIR_EINVAL,
                       "policy %s of %s only prepares, and no policy of scheme %s reads its rows",
                       name, file, s->name);
    weir_fail(err, WEIR_EINVAL, "policy %s of %s is not in --policies %s", name, file, policies);
    weir_err_add(err, "add it: --policies %s,%s", name, policies);
    return WEIR_EINVAL;
  }
  return WEIR_OK;
}

const char *weir_line_up_scheme(const struct weir_line_up *l) {
  if (l->scheme != NULL) return l->scheme;
  return l->bypass != NULL && l->policies == NULL ? "static" : "baseline";
}

enum weir_status weir_setup_line_up(struct weir_setup *setup, const struct weir_line_up *l,
                                    struct weir_settings *s, struct weir_err *err) {
  struct weir_scheme *scheme = &setup->scheme;
  enum weir_status st = weir_setup_named(setup, weir_line_up_scheme(l), s, err);
  if (st == WEIR_OK && l->tags != NULL) st = weir_setup_tags(setup, l->tags, err);
  for (const char *const *b = l->bypass; st == WEIR_OK && b != NULL && *b != NULL; b++)
    st = weir_setup_bypass(setup, *b, err);
  if (st == WEIR_OK) st = weir_scheme_change(scheme, l->organisation, l->policies, err);
  if (st == WEIR_OK && l->policies == NULL) st = put_plugins_first(scheme, err);
  return st == WEIR_OK ? check_plugins_used(scheme, l->policies, err) : st;
}

void weir_setup_watch_plugins(struct weir_setup *setup) {
  for (uint32_t i = 0; i < setup->design.n_policies; i++)
    setup->design.paranoid |= weir_policy_file(setup->design.policy[i].ops) != NULL;
}

/* ---- tags ---- */

bool weir_setup_needs_tags(const struct weir_setup *s) {
  bool any = false;
  for (uint32_t i = 0; i < s->design.n_policies; i++) {
    const struct weir_policy_ops *o = s->design.policy[i].ops;
    any |= o->needs_tags != NULL && weir_ask_needs_tags(o, s->design.policy[i].cfg);
  }
  return any;
}

enum weir_status weir_setup_bypasses(const struct weir_setup *s, struct weir_err *err) {
  if (weir_setup_needs_tags(s)) return WEIR_OK;
  weir_fail(err, WEIR_EINVAL, "--bypass tags loads, and no policy of scheme %s decides by tags",
            s->scheme.name);
  weir_err_add(err, "scheme static does; before other policies: --policies coordinated,... --set "
                    "coordinated.cm=ca");
  return WEIR_EINVAL;
}

const char *weir_setup_tags_by(const struct weir_setup *s) {
  bool are_made = weir_prepares_tags(s->scheme.prepare) && s->tags == NULL;
  return are_made && weir_setup_needs_tags(s) ? s->scheme.prepare : NULL;
}

bool weir_setup_is_classified(const struct weir_setup *s) {
  return weir_setup_tags_by(s) != NULL;
}

void weir_setup_say_tags(const struct weir_setup *s, const char *how, struct weir_err *err) {
  const char *by = weir_setup_tags_by(s);
  if (by == NULL || strcmp(by, WEIR_PREPARE_CLASSIFY) == 0)
    weir_err_add(err, "%s", how);
  else
    weir_err_add(err, "weir run WORKLOAD --scheme %s keeps its tags as a file %s-KEY.yaml",
                 s->scheme.name, by);
}

uint32_t weir_setup_preparations(const struct weir_setup *s, const char *names[WEIR_MAX_PARTS]) {
  uint32_t n = 0;
  if (weir_setup_is_classified(s)) names[n++] = weir_setup_tags_by(s);
  if (s->design.org != NULL && s->design.org->prepare != NULL) names[n++] = s->design.org->prepare;
  for (uint32_t i = 0; i < s->design.n_policies; i++) {
    const char *name = weir_scheme_preparer(&s->scheme, s->design.policy[i].ops);
    bool is_new = name != NULL;
    for (uint32_t k = 0; is_new && k < n; k++)
      is_new = strcmp(names[k], name) != 0;
    if (is_new) names[n++] = name;
  }
  return n;
}

static enum weir_status check_tags(const struct weir_setup *s, struct weir_err *err) {
  if (s->tags != NULL || !weir_setup_needs_tags(s)) return WEIR_OK;
  weir_fail(err, WEIR_EINVAL, "scheme %s decides by the tags of loads, and there are none",
            s->scheme.name);
  weir_err_add(err, "make them: weir classify WORKLOAD --tags FILE");
  weir_err_add(err, "then give them: --tags FILE, or 'tags: FILE' in the scheme");
  return WEIR_EINVAL;
}

enum weir_status weir_setup_has_tags(const struct weir_setup *s, struct weir_err *err) {
  return weir_setup_is_classified(s) ? WEIR_OK : check_tags(s, err);
}

/* One run has one value. */
static enum weir_status check_best(const struct weir_setup *s, const struct weir_settings *settings,
                                   struct weir_err *err) {
  char key[WEIR_CONFIG_KEY + 1];
  const char *best = s->scheme.best;
  if (best == NULL) return WEIR_OK;
  snprintf(key, sizeof key, "%.*s", (int)strcspn(best, "="), best);
  const struct weir_setting *v = weir_settings_find(settings, key);
  if (v != NULL && v->layer >= WEIR_LAYER_USER) return WEIR_OK;
  weir_fail(err, WEIR_EINVAL, "scheme %s is the best of several runs: %s", s->scheme.name, best);
  weir_err_add(err, "weir compare finds it; for one run say which value: --set %s=VALUE", key);
  return WEIR_EINVAL;
}

enum weir_status weir_setup_open(struct weir_setup *s, const char *gpu,
                                 const struct weir_line_up *l, struct weir_settings *settings,
                                 bool check, struct weir_err *err) {
  enum weir_status st = weir_setup_line_up(s, l, settings, err);
  if (st == WEIR_OK) st = check_best(s, settings, err);
  if (st == WEIR_OK) st = weir_setup_fit(s, gpu, settings, weir_param_groups(), err);
  if (st == WEIR_OK && check) weir_setup_watch_plugins(s);
  if (st == WEIR_OK && l->bypass != NULL) st = weir_setup_bypasses(s, err);
  return st == WEIR_OK ? weir_setup_has_tags(s, err) : st;
}

static bool has_global_load(const struct weir_kernel_info *k) {
  for (uint32_t i = 0; i < k->n_insns; i++)
    if (weir_is_global_load(&k->insns[i])) return true;
  return false;
}

/* Loads without a tag are loads of the baseline: a file that does not know the kernel would go
 * unnoticed. */
static enum weir_status match_tags(const void *self, const struct weir_kernel_info *k,
                                   const uint8_t **tags, struct weir_err *err) {
  const struct weir_setup *s = self;
  enum weir_status st = weir_tags_match(s->tags, k, tags, err);
  if (st != WEIR_OK || *tags != NULL || !weir_setup_needs_tags(s) || !has_global_load(k)) return st;
  weir_fail(err, WEIR_EINVAL, "scheme %s decides by the tags of loads, and kernel %s has none",
            s->scheme.name, k->name);
  weir_err_add(err, "make tags of this workload: weir classify WORKLOAD --tags FILE");
  return WEIR_EINVAL;
}

enum weir_status weir_setup_sim(const struct weir_setup *s, const struct weir_design *design,
                                const struct weir_sim_options *o, struct weir_sim **sim,
                                struct weir_err *err) {
  struct weir_sim_options with = *o;
  *sim = NULL;
  with.order = &s->order;
  with.cold = s->launch.l2 == WEIR_L2_COLD;
  if (with.tags == NULL) {
    enum weir_status st = check_tags(s, err);
    if (st != WEIR_OK) return st;
    with.tags = s->tags != NULL ? match_tags : NULL;
    with.tags_self = s;
  }
  return weir_sim_new(&s->machine, design != NULL ? design : &s->design, &with, sim, err);
}

/* ---- parts and checks ---- */

const struct weir_part *weir_setup_part(const struct weir_setup *s, uint32_t i) {
  if (i == 0) return s->design.org != NULL ? &s->design.org->part : NULL;
  return i <= s->design.n_policies ? &s->design.policy[i - 1].ops->part : NULL;
}

enum weir_status weir_setup_check(const struct weir_sim_result *r, struct weir_err *err) {
  enum weir_status st =
      weir_stat_verify(weir_sm_stat_table, weir_sm_stat_group.checks, &r->sm, err);
  if (st == WEIR_OK)
    st = weir_stat_verify(weir_l1_stat_table, weir_l1_stat_group.checks, &r->l1, err);
  if (st == WEIR_OK)
    st = weir_stat_verify(weir_l2_stat_table, weir_l2_stat_group.checks, &r->l2, err);
  if (st == WEIR_OK)
    st = weir_stat_verify(weir_l3_stat_table, weir_l3_stat_group.checks, &r->l3, err);
  return st;
}
