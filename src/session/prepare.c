#include "session/prepare.h"

#include <stdio.h>
#include <string.h>

#include "base/config.h"
#include "launch/launchfile.h"
#include "session/groups.h"

/* ---- inputs ---- */

enum weir_status weir_profile_input(const char *path, const char *want, struct weir_arena *a,
                                    const char **out, struct weir_err *err) {
  struct weir_launchfile *lf;
  enum weir_status st = weir_launchfile_load(path, want, &lf, err);
  if (st != WEIR_OK) return st;
  const char *name = lf->input;
  for (uint32_t i = 0; want == NULL && i < lf->n_inputs; i++)
    if (strcmp(lf->inputs[i], WEIR_PROFILE_INPUT) == 0) name = WEIR_PROFILE_INPUT;
  *out = NULL;
  if (name != NULL && name[0] != 0) {
    *out = weir_arena_printf(a, "%s", name);
    if (*out == NULL) st = weir_fail(err, WEIR_ENOMEM, "out of memory");
  }
  weir_launchfile_free(lf);
  return st;
}

enum weir_status weir_preparation_input(const char *path, const char *timed, char *out,
                                        bool *is_same, struct weir_err *err) {
  struct weir_launchfile *lf;
  enum weir_status st = weir_launchfile_load(path, timed, &lf, err);
  if (st != WEIR_OK) return st;
  const char *name = lf->input != NULL ? lf->input : "", *of = name;
  for (uint32_t i = 0; i < lf->n_inputs; i++)
    if (strcmp(lf->inputs[i], WEIR_PROFILE_INPUT) == 0) of = WEIR_PROFILE_INPUT;
  *is_same = strcmp(of, name) == 0;
  snprintf(out, WEIR_CONFIG_KEY + 1, "%s", of);
  weir_launchfile_free(lf);
  return WEIR_OK;
}

/* ---- rows ---- */

/* The machine's own L1 with the policy before its others. That it can was seen when the setup was
 * fitted. */
static enum weir_status open_setup(struct weir_setup *out, const struct weir_setup *setup,
                                   const struct weir_settings *settings, const char *name,
                                   struct weir_err *err) {
  const struct weir_policy_ops *o = weir_policy_find(name);
  *out = (struct weir_setup){.machine = setup->machine};
  out->machine.jitter = (struct weir_jitter_cfg){0}; /* what is prepared serves all its seeds */
  out->scheme = (struct weir_scheme){.name = name, .policy = {o}, .n_policies = 1};
  enum weir_status st = weir_scheme_design(&out->scheme, &out->machine, settings,
                                           weir_param_groups(), &out->design, err);
  out->design.seed = setup->design.seed;
  out->design.paranoid = setup->design.paranoid;
  return st;
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
  with.rows = rows;
  with.rows_part = 1;
  enum weir_status st = open_setup(&own, setup, settings, name, err);
  weir_timing_begin(&t, &own, &with);
  if (st == WEIR_OK) st = weir_timing_workload(&t, name, NULL, err);
  if (st == WEIR_OK) st = weir_source_run(source, weir_timing_kernel, &t, err);
  if (st == WEIR_OK) st = weir_timing_digest(&t, err);
  weir_timing_end(&t);
  weir_setup_free(&own);
  if (st != WEIR_OK) weir_rows_free(rows);
  return st;
}

void weir_prepared_put(struct weir_prepared *p, const struct weir_setup *setup, const char *name,
                       const struct weir_rows *rows) {
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
