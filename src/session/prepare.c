#include "session/prepare.h"

#include <stdio.h>
#include <string.h>

#include "base/config.h"
#include "l1/organisation/opt.h"
#include "launch/launchfile.h"
#include "session/ceiling.h"
#include "session/groups.h"

/* ---- inputs ---- */

enum weir_status weir_profile_input(const char *path, const char *want, struct weir_arena *a,
                                    const char **out, struct weir_err *err) {
  struct weir_launchfile *lf;
  enum weir_status st = weir_launchfile_load(path, want, &lf, err);
  if (st != WEIR_OK) return st;
  const char *name = lf->input;
  if (want == NULL && weir_launchfile_has_input(lf, WEIR_PROFILE_INPUT)) name = WEIR_PROFILE_INPUT;
  *out = NULL;
  if (name != NULL && name[0] != 0) {
    *out = weir_arena_printf(a, "%s", name);
    if (*out == NULL) st = weir_fail(err, WEIR_ENOMEM, "out of memory");
  }
  weir_launchfile_free(lf);
  return st;
}

static bool is_on_timed(const char *name) {
  const struct weir_policy_ops *o = weir_policy_find(name);
  return strcmp(name, WEIR_PREPARE_OPT) == 0 || (o != NULL && o->prepares_on_timed);
}

enum weir_status weir_preparation_input(const char *name, const char *path, const char *timed,
                                        char *out, bool *is_same, struct weir_err *err) {
  struct weir_launchfile *lf;
  enum weir_status st = weir_launchfile_load(path, timed, &lf, err);
  if (st != WEIR_OK) return st;
  const char *build = strchr(lf->input, '@'); /* the same code is profiled */
  bool has_own = !is_on_timed(name) && weir_launchfile_has_input(lf, WEIR_PROFILE_INPUT);
  snprintf(out, WEIR_INPUT_NAME, "%s%s", has_own ? WEIR_PROFILE_INPUT : lf->input,
           has_own && build != NULL ? build : "");
  *is_same = strcmp(out, lf->input) == 0;
  weir_launchfile_free(lf);
  return WEIR_OK;
}

/* ---- rows ---- */

/* The machine's own L1 with the policy, if it is one, before its others. That it can was seen when
 * the setup was fitted. */
static enum weir_status open_setup(struct weir_setup *out, const struct weir_setup *setup,
                                   const struct weir_settings *settings, const char *name,
                                   struct weir_err *err) {
  const struct weir_policy_ops *o = weir_policy_find(name);
  *out = (struct weir_setup){.machine = setup->machine};
  out->machine.jitter = (struct weir_jitter_cfg){0}; /* what is prepared serves all its seeds */
  out->scheme =
      (struct weir_scheme){.name = name, .label = name, .policy = {o}, .n_policies = o != NULL};
  enum weir_status st = weir_scheme_design(&out->scheme, &out->machine, settings,
                                           weir_param_groups(), &out->design, err);
  out->design.policy[0].prepares = o != NULL;
  out->design.seed = setup->design.seed;
  out->design.paranoid = setup->design.paranoid;
  return st;
}

/* The choice of a bound, on what an L1 has accepted. */
struct choosing {
  uint32_t factor; /* times the lines of the L1 */
  struct weir_rows *rows;
};

static enum weir_status choose(void *self, const struct weir_timing *t, uint32_t sm,
                               const struct weir_tape *tape, struct weir_err *err) {
  const struct choosing *c = self;
  struct weir_opt opt;
  (void)sm;
  enum weir_status st =
      weir_opt_run(tape, c->factor, weir_opt_extra(&t->setup->machine), &opt, err);
  if (st != WEIR_OK) return st;
  st = weir_ceiling_rows(tape, &opt, c->rows, err);
  weir_opt_free(&opt);
  return st;
}

/* Lines of the bound for each line of the L1. */
static uint32_t bound_factor(const struct weir_setup *setup) {
  const struct weir_opt_cfg *cfg = setup->design.org_cfg;
  const struct weir_l1_cfg *l1 = &setup->machine.l1;
  return cfg != NULL && cfg->chunks ? (uint32_t)(l1->line / l1->sector) : 1;
}

enum weir_status weir_prepare_rows(const struct weir_setup *setup,
                                   const struct weir_settings *settings, const char *name,
                                   const struct weir_source *source,
                                   const struct weir_timing_options *options,
                                   struct weir_rows *rows, struct weir_err *err) {
  struct weir_timing t;
  struct weir_setup own;
  struct weir_timing_options with = *options;
  *rows = (struct weir_rows){0};
  struct choosing bound = {.rows = rows};
  bool is_bound = strcmp(name, WEIR_PREPARE_OPT) == 0;
  if (is_bound) {
    bound.factor = bound_factor(setup);
    with.read_tape = choose;
    with.tape_self = &bound;
  } else {
    with.rows = rows;
    with.rows_part = 1;
  }
  enum weir_status st = open_setup(&own, setup, settings, name, err);
  weir_timing_begin(&t, &own, &with);
  if (st == WEIR_OK) st = weir_timing_workload(&t, name, NULL, err);
  if (st == WEIR_OK) st = weir_source_run(source, weir_timing_kernel, &t, err);
  if (st == WEIR_OK) st = is_bound ? weir_timing_rewind(&t, err) : weir_timing_digest(&t, err);
  if (st == WEIR_OK) weir_rows_settle(rows);
  weir_timing_end(&t);
  weir_setup_free(&own);
  if (st != WEIR_OK) weir_rows_free(rows);
  return st;
}

void weir_prepared_put(struct weir_prepared *p, const struct weir_setup *setup, const char *name,
                       const struct weir_rows *rows) {
  const char *of_org = setup->design.org->prepare;
  if (of_org != NULL && strcmp(of_org, name) == 0) p->org_rows = rows;
  for (uint32_t i = 0; i < setup->design.n_policies; i++) {
    const char *its = weir_scheme_preparer(&setup->scheme, setup->design.policy[i].ops);
    if (its != NULL && strcmp(its, name) == 0) p->rows[i] = rows;
  }
}

/* ---- tags ---- */

static weir_make_tags *tag_maker;

void weir_tag_maker_set(weir_make_tags *maker) {
  tag_maker = maker;
}

weir_make_tags *weir_tag_maker(void) {
  return tag_maker;
}
