#include "study/setup.h"

#include "base/stat_io.h"
#include "l1/l1.h"

enum weir_status weir_setup_load(struct weir_setup *s, const char *scheme, const char *path,
                                 struct weir_settings *settings, struct weir_err *err) {
  *s = (struct weir_setup){0};
  return weir_scheme_load(&s->scheme, scheme, path, settings, err);
}

enum weir_status weir_setup_fit(struct weir_setup *s, const char *gpu,
                                const struct weir_settings *settings,
                                const struct weir_param_group *const *groups,
                                struct weir_err *err) {
  enum weir_status st = weir_machine_fill(&s->machine, gpu, settings, err);
  return st == WEIR_OK
             ? weir_scheme_design(&s->scheme, &s->machine, settings, groups, &s->design, err)
             : st;
}

void weir_setup_free(struct weir_setup *s) {
  weir_scheme_free(&s->scheme);
  *s = (struct weir_setup){0};
}

enum weir_status weir_setup_sim(const struct weir_setup *s, const struct weir_sim_options *o,
                                struct weir_sim **sim, struct weir_err *err) {
  return weir_sim_new(&s->machine, &weir_l1_pipeline, &s->design, o, sim, err);
}

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
    st = weir_stat_verify(weir_l3_stat_table, weir_l3_stat_group.checks, &r->l3, err);
  return st;
}
