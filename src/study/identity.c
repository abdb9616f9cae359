#include "study/identity.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "exec/exec.h"
#include "l1/design.h"
#include "sched/reorder.h"
#include "sim/model.h"

static enum weir_status no_memory(struct weir_err *err) {
  return weir_fail(err, WEIR_ENOMEM, "out of memory");
}

enum weir_status weir_workload_identity(const struct weir_study_workload *w,
                                        struct weir_workload_identity *out, struct weir_err *err) {
  bool is_estimated = false;
  char text[WEIR_HASH_TEXT + 32];
  out->input[0] = '\0';
  enum weir_status st = w->is_trace ? weir_hash_trace(w->path, out->hash, err)
                                    : weir_hash_launchfile(w->path, w->input, out->hash, out->input,
                                                           &is_estimated, err);
  if (st != WEIR_OK || !is_estimated) return st;
  int n = snprintf(text, sizeof text, "%s registers %d", out->hash, WEIR_MODEL_REGISTERS);
  weir_hash_bytes(text, (size_t)n, out->hash);
  return WEIR_OK;
}

/* ---- parameters ---- */

static bool is_part_of(const struct weir_scheme *s, const char *prefix) {
  if (s->org != NULL && strcmp(s->org->part.name, prefix) == 0) return true;
  for (uint32_t i = 0; i < s->n_policies; i++)
    if (strcmp(s->policy[i]->part.name, prefix) == 0) return true;
  return false;
}

/* Parts that the machine brings, besides those of the scheme. */
static bool is_part_of_design(const struct weir_setup *s, const char *prefix) {
  const struct weir_part *part;
  for (uint32_t i = 0; (part = weir_setup_part(s, i)) != NULL; i++)
    if (strcmp(part->name, prefix) == 0) return true;
  return false;
}

static bool is_seed(const struct weir_setting *v) {
  return v->group == &weir_jitter_params && strcmp(v->param->name, "seed") == 0;
}

bool weir_setting_counts(const struct weir_study_setup *s, const struct weir_setting *v,
                         bool is_executed) {
  const struct weir_param_group *const machine[] = {
      &weir_core_params,   &weir_sm_params,     &weir_l1_params,    &weir_noc_params,
      &weir_l2_params,     &weir_l3_params,     &weir_dram_params,  &weir_reorder_params,
      &weir_launch_params, &weir_jitter_params, &weir_energy_params};
  for (size_t i = 0; i < sizeof machine / sizeof *machine; i++)
    if (v->group == machine[i]) return true;
  if (v->group == &ptx_exec_params) return is_executed;
  return is_part_of(&s->setup->scheme, v->group->prefix) ||
         is_part_of_design(s->setup, v->group->prefix);
}

static enum weir_status fill(struct weir_filled *f, const struct weir_settings *s,
                             const struct weir_param_group *group, struct weir_err *err) {
  weir_filled_free(f);
  f->group = group;
  f->is = weir_calloc(1, group->cfg_bytes + 1);
  f->would_be = weir_calloc(1, group->cfg_bytes + 1);
  if (f->is == NULL || f->would_be == NULL) return no_memory(err);
  weir_param_defaults(group->table, f->would_be);
  return weir_settings_fill(s, group, f->is, err);
}

void weir_filled_free(struct weir_filled *f) {
  free(f->is);
  free(f->would_be);
  f->is = f->would_be = NULL;
}

enum weir_status weir_setting_canonical(struct weir_filled *f, const struct weir_settings *s,
                                        const struct weir_setting *v, struct weir_canonical *out,
                                        struct weir_err *err) {
  enum weir_status st = f->is == NULL || v->group != f->group ? fill(f, s, v->group, err) : WEIR_OK;
  if (st != WEIR_OK) return st;
  snprintf(f->key, sizeof f->key, "%s.%s", v->group->prefix, v->param->name);
  weir_param_show(v->param, f->is, f->value, sizeof f->value);
  weir_param_show(v->param, f->would_be, f->usual, sizeof f->usual);
  *out = (struct weir_canonical){v, f->key, f->value, strcmp(f->value, f->usual) == 0};
  return WEIR_OK;
}

enum weir_status weir_settings_canonical(const struct weir_study_setup *s, bool is_executed,
                                         bool (*each)(void *self, const struct weir_canonical *c),
                                         void *self, struct weir_err *err) {
  struct weir_filled f = {0};
  enum weir_status st = WEIR_OK;
  for (size_t i = 0; st == WEIR_OK && i < s->settings->n; i++) {
    struct weir_canonical c;
    if (!weir_setting_counts(s, &s->settings->v[i], is_executed)) continue;
    st = weir_setting_canonical(&f, s->settings, &s->settings->v[i], &c, err);
    if (st == WEIR_OK && !each(self, &c)) st = no_memory(err);
  }
  weir_filled_free(&f);
  return st;
}

static bool put_parameter(void *self, const struct weir_canonical *c) {
  struct weir_text *out = self;
  if (c->is_default || is_seed(c->setting)) return true;
  weir_text_printf(out, "%s=%s\n", c->key, c->value);
  return !out->failed;
}

/* ---- a machine with a scheme ---- */

/* A policy of a plug-in may be another one under the same name. */
static enum weir_status put_part(const struct weir_policy_ops *o, struct weir_text *out,
                                 struct weir_err *err) {
  const char *file = weir_policy_file(o);
  char hash[WEIR_HASH_TEXT];
  weir_text_printf(out, "policy %s", o->part.name);
  if (file != NULL) {
    enum weir_status st = weir_hash_file(file, hash, err);
    if (st != WEIR_OK) return st;
    weir_text_printf(out, " %s", hash);
  }
  weir_text_puts(out, "\n");
  return WEIR_OK;
}

static enum weir_status put_tags(const struct weir_tags *t, struct weir_text *out,
                                 struct weir_err *err) {
  struct weir_text text = {0};
  char hash[WEIR_HASH_TEXT];
  if (t == NULL) return WEIR_OK;
  weir_tags_text(t, NULL, &text);
  bool is_whole = !text.failed;
  if (is_whole) {
    weir_hash_bytes(text.v, text.n, hash);
    weir_text_printf(out, "tags %s\n", hash);
  }
  weir_text_free(&text);
  return is_whole ? WEIR_OK : no_memory(err);
}

enum weir_status weir_setup_identity(const struct weir_study_setup *s, bool is_executed,
                                     struct weir_text *out, struct weir_err *err) {
  const struct weir_scheme *scheme = &s->setup->scheme;
  enum weir_status st = WEIR_OK;
  weir_text_printf(out, "model %d\n", WEIR_MODEL);
  if (!is_executed) weir_text_printf(out, "traces %d\n", WEIR_MODEL_TRACES);
  if (scheme->org != NULL) weir_text_printf(out, "organisation %s\n", scheme->org->part.name);
  for (uint32_t i = 0; st == WEIR_OK && i < scheme->n_policies; i++)
    st = put_part(scheme->policy[i], out, err);
  if (st == WEIR_OK) st = put_tags(s->setup->tags, out, err);
  if (st == WEIR_OK) st = weir_settings_canonical(s, is_executed, put_parameter, out, err);
  return st == WEIR_OK && out->failed ? no_memory(err) : st;
}

/* ---- what was prepared ---- */

/* By its key, which has all that it depends on: a run is found without what it needs. */
enum weir_status weir_prep_identity(const struct weir_study_prep *prep, struct weir_text *out,
                                    struct weir_err *err) {
  for (uint32_t i = 0; prep != NULL && i < prep->n_made; i++)
    weir_text_printf(out, "prepared %s %s\n", prep->made[i]->name, prep->made[i]->key);
  return out->failed ? no_memory(err) : WEIR_OK;
}
