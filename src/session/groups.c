/* A new component adds its line here. */
#include "session/groups.h"

#include <pthread.h>
#include <stdio.h>
#include <string.h>

#include "base/config.h"
#include "base/stat_io.h"
#include "exec/exec.h"
#include "l1/design.h"
#include "l1/plugin.h"
#include "sched/reorder.h"
#include "session/effects.h"
#include "session/energy.h"
#include "session/launches.h"
#include "sim/derived.h"
#include "stream/func_stats.h"

static const struct weir_param_group *const fixed_params[] = {
    &ptx_exec_params,
    &weir_core_params,
    &weir_sm_params,
    &weir_l1_params,
    &weir_noc_params,
    &weir_l2_params,
    &weir_l3_params,
    &weir_dram_params,
    &weir_reorder_params,
    &weir_launch_params,
    &weir_jitter_params,
    &weir_energy_params,
    NULL,
};

static const struct weir_stat_group *const fixed_stats[] = {
    &weir_func_stat_group,   &weir_derived_stat_group,
    &weir_sm_stat_group,     &weir_l1_stat_group,
    &weir_pc_stat_group,     &weir_l2_stat_group,
    &weir_l3_stat_group,     &weir_dram_stat_group,
    &weir_energy_stat_group, NULL,
};

/* The parts of an L1 have tables too; their names are the prefixes. */
enum { MAX_GROUPS = 96, MAX_MORE = 8 };
static const struct weir_param_group *more_params[MAX_MORE];
static size_t n_more;
static struct weir_param_group part_params[MAX_GROUPS];
static struct weir_stat_group part_stats[MAX_GROUPS];
static const struct weir_param_group *all_params[2 * MAX_GROUPS];
static const struct weir_stat_group *all_stats[2 * MAX_GROUPS];
/* Sessions of several threads may be the first to ask. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static bool is_built;

enum { N_PARAMS = sizeof fixed_params / sizeof *fixed_params - 1 };

/* A part must be there; what chooses lines needs some, what chooses loads an L1 to keep them from.
 * Who orders requests, holds warps back or picks them does so without an L1 too. */
static const char *part_condition(const struct weir_part *part, unsigned axes, char *buf,
                                  size_t len) {
  bool has_tags = axes != 0 && !(axes & ~(unsigned)(WEIR_AXIS_REPLACEMENT | WEIR_AXIS_FETCH));
  bool is_free = axes & (WEIR_AXIS_ORDER | WEIR_AXIS_THREADS);
  snprintf(buf, len, "part=%s%s%s", part->name, is_free ? "" : " and l1.enabled=true",
           has_tags ? " and l1.perfect=false" : "");
  return buf;
}

static void add_part(const struct weir_part *part, unsigned axes, size_t *n_params,
                     size_t *n_stats) {
  static char when[MAX_GROUPS][128];
  if (part->params != NULL) {
    struct weir_param_group *g = &part_params[*n_params];
    *g = (struct weir_param_group){
        part->name, part->help, part->params, part->cfg_bytes,
        part_condition(part, axes, when[*n_params], sizeof when[*n_params])};
    all_params[N_PARAMS + n_more + (*n_params)++] = g;
  }
  if (part->stats != NULL) {
    struct weir_stat_group *g = &part_stats[*n_stats];
    *g = (struct weir_stat_group){part->name, part->help, part->stats, NULL};
    all_stats[sizeof fixed_stats / sizeof *fixed_stats - 1 + (*n_stats)++] = g;
  }
}

static void build(void) {
  size_t n_params = 0, n_stats = 0;
  for (size_t i = 0; i < N_PARAMS; i++)
    all_params[i] = fixed_params[i];
  for (size_t i = 0; i < n_more; i++)
    all_params[N_PARAMS + i] = more_params[i];
  for (size_t i = 0; fixed_stats[i] != NULL; i++)
    all_stats[i] = fixed_stats[i];
  for (size_t i = 0; weir_organisations[i] != NULL; i++)
    add_part(&weir_organisations[i]->part, WEIR_AXIS_REPLACEMENT, &n_params, &n_stats);
  for (size_t i = 0; weir_policies[i] != NULL; i++)
    add_part(&weir_policies[i]->part, weir_policy_axes(weir_policies[i]), &n_params, &n_stats);
}

static void build_once(void) {
  pthread_mutex_lock(&lock);
  if (!is_built) build();
  is_built = true;
  pthread_mutex_unlock(&lock);
}

void weir_groups_add(const struct weir_param_group *g) {
  pthread_mutex_lock(&lock);
  if (n_more < MAX_MORE) more_params[n_more++] = g;
  is_built = false;
  pthread_mutex_unlock(&lock);
}

static bool is_fixed_group(const char *name) {
  for (size_t i = 0; i < N_PARAMS; i++)
    if (strcmp(fixed_params[i]->prefix, name) == 0) return true;
  for (size_t i = 0; i < n_more; i++)
    if (strcmp(more_params[i]->prefix, name) == 0) return true;
  for (size_t i = 0; fixed_stats[i] != NULL; i++)
    if (strcmp(fixed_stats[i]->prefix, name) == 0) return true;
  return false;
}

/* The conditions of its parameters may name those of all parts, so all must be known. */
static enum weir_status check_conditions(const char *path, struct weir_err *err) {
  struct weir_settings s;
  struct weir_err why;
  enum weir_status st = weir_settings_init(&s, weir_param_groups(), err);
  if (st != WEIR_OK) return st;
  if (weir_effects_sound(&s, weir_fact_table, &why) != WEIR_OK)
    st = weir_fail(err, WEIR_EINVAL, "%s: %s", path, why.msg);
  weir_settings_free(&s);
  return st;
}

enum weir_status weir_groups_plugin(const char *path, const struct weir_policy_ops **first,
                                    struct weir_err *err) {
  enum weir_status st = weir_plugin_load(path, first, err);
  for (size_t i = 0; st == WEIR_OK && weir_policies[i] != NULL; i++) {
    const char *name = weir_policies[i]->part.name;
    if (weir_policy_file(weir_policies[i]) == NULL || !is_fixed_group(name)) continue;
    st = weir_fail(err, WEIR_EINVAL, "%s: '%s' is the name of a part of the machine", path, name);
    weir_err_add(err, "give .part.name another name");
  }
  pthread_mutex_lock(&lock);
  is_built = false;
  pthread_mutex_unlock(&lock);
  return st == WEIR_OK ? check_conditions(path, err) : st;
}

const struct weir_param_group *const *weir_param_groups(void) {
  build_once();
  return all_params;
}

const struct weir_stat_group *const *weir_stat_groups(void) {
  build_once();
  return all_stats;
}

const struct weir_stat *weir_stat_named(const char *name, const struct weir_stat_group **group) {
  for (size_t g = 0; weir_stat_groups()[g] != NULL; g++) {
    const struct weir_stat_group *at = weir_stat_groups()[g];
    size_t n = strlen(at->prefix);
    if (strncmp(name, at->prefix, n) != 0 || name[n] != '.') continue;
    const struct weir_stat *row = weir_stat_find(at->table, name + n + 1);
    if (row == NULL) continue;
    if (group != NULL) *group = at;
    return row;
  }
  return NULL;
}

enum weir_status weir_settings_file(struct weir_settings *s, const char *path,
                                    struct weir_err *err) {
  struct weir_config c;
  enum weir_status status = weir_config_load_settings(&c, path, err);
  if (!status) status = weir_settings_config(s, WEIR_LAYER_USER, &c, 0, err);
  weir_config_free(&c);
  return status;
}
