#include "study/prepare.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <xxhash.h>

#include "base/file.h"
#include "base/mem.h"
#include "sim/model.h"
#include "study/identity.h"
#include "study/prepare_rows.h"

/* ---- what it depends on ---- */

static void hash_text(XXH3_state_t *h, const char *text) {
  XXH3_128bits_update(h, text, strlen(text) + 1);
}

/* Of a policy's own parameters: do its rows depend on it? */
static bool is_of_rows(const char *policy, const struct weir_param *param) {
  const struct weir_policy_ops *o = weir_policy_find(policy);
  return o == NULL || o->row_params == NULL || weir_is_listed(o->row_params, param->name);
}

static bool counts(const struct weir_setting *v, const char *name) {
  const struct weir_param_group *const groups[] = {
      &ptx_exec_params, &weir_core_params, &weir_sm_params,   &weir_l1_params, &weir_noc_params,
      &weir_l2_params,  &weir_l3_params,   &weir_dram_params, &weir_cls_params};
  for (size_t g = 0; g < sizeof groups / sizeof *groups; g++)
    if (v->group == groups[g]) return true;
  /* Those of a policy, too. */
  return strcmp(v->group->prefix, name) == 0 && is_of_rows(name, v->param);
}

/* What has its default value is left out, as in the identity of a run. */
static enum weir_status hash_settings(XXH3_state_t *h, const struct weir_settings *s,
                                      const char *name, struct weir_err *err) {
  struct weir_filled f = {0};
  enum weir_status st = WEIR_OK;
  for (size_t i = 0; st == WEIR_OK && i < s->n; i++) {
    struct weir_canonical c;
    if (!counts(&s->v[i], name)) continue;
    st = weir_setting_canonical(&f, s, &s->v[i], &c, err);
    if (st != WEIR_OK || c.is_default) continue;
    hash_text(h, c.key);
    hash_text(h, c.value);
  }
  weir_filled_free(&f);
  return st;
}

static enum weir_status hash_file(XXH3_state_t *h, const char *path, struct weir_err *err) {
  char *text;
  size_t len;
  enum weir_status st = weir_file_read(path, 0, NULL, &text, &len, err);
  if (st != WEIR_OK) return st;
  XXH3_128bits_update(h, &len, sizeof len);
  XXH3_128bits_update(h, text, len);
  free(text);
  return WEIR_OK;
}

/* What was recorded, and the PTX that it comes from. */
static enum weir_status hash_trace(XXH3_state_t *h, const struct weir_prepare_request *r,
                                   struct weir_err *err) {
  char text[WEIR_HASH_TEXT];
  for (uint32_t i = 0; i < r->profile.n_programs; i++) {
    const struct ptx_module *m = ptx_program_module(r->profile.programs[i]);
    XXH3_128bits_update(h, &m->source_len, sizeof m->source_len);
    XXH3_128bits_update(h, m->source, m->source_len);
  }
  for (size_t i = 0; i < r->n_opcodes; i++)
    hash_text(h, r->opcode_class[i]);
  if (r->choice != NULL) XXH3_128bits_update(h, r->choice, sizeof *r->choice);
  enum weir_status st = weir_hash_trace(r->profile.trace, text, err);
  if (st == WEIR_OK) hash_text(h, text);
  return st;
}

/* By its files, as in the identity of a run: to evaluate what its buffers hold takes seconds. */
static enum weir_status hash_workload(XXH3_state_t *h, const char *path, const char *input,
                                      struct weir_err *err) {
  char text[WEIR_HASH_TEXT];
  enum weir_status st = weir_hash_launchfile(path, input, text, NULL, NULL, err);
  if (st == WEIR_OK) hash_text(h, text);
  return st;
}

/* A policy of a plug-in may be another one under the same name. */
static enum weir_status hash_preparer(XXH3_state_t *h, const char *name, struct weir_err *err) {
  const struct weir_policy_ops *o = weir_policy_find(name);
  const char *file = o != NULL ? weir_policy_file(o) : NULL;
  hash_text(h, name);
  return file != NULL ? hash_file(h, file, err) : WEIR_OK;
}

static enum weir_status hash_all(XXH3_state_t *h, const struct weir_prepare_request *r,
                                 struct weir_preparation *p, struct weir_err *err) {
  const char *input = p->input[0] != 0 ? p->input : NULL;
  XXH3_128bits_reset(h);
  char model[96];
  snprintf(model, sizeof model, "preparation 3, model %d %d %d", WEIR_MODEL, WEIR_MODEL_TRACES,
           WEIR_MODEL_REGISTERS);
  hash_text(h, model);
  hash_text(h, p->input);
  enum weir_status st = hash_settings(h, r->settings, r->name, err);
  if (st == WEIR_OK) st = hash_preparer(h, r->name, err);
  if (st == WEIR_OK)
    st = r->profile.trace != NULL ? hash_trace(h, r, err)
                                  : hash_workload(h, r->profile.path, input, err);
  if (st != WEIR_OK) return st;
  XXH128_hash_t key = XXH3_128bits_digest(h);
  snprintf(p->key, sizeof p->key, "%016" PRIx64 "%016" PRIx64, (uint64_t)key.high64,
           (uint64_t)key.low64);
  return WEIR_OK;
}

static enum weir_status find_key(const struct weir_prepare_request *r, struct weir_preparation *p,
                                 struct weir_err *err) {
  XXH3_state_t *h = XXH3_createState();
  if (h == NULL) return weir_fail(err, WEIR_ENOMEM, "out of memory");
  p->is_same_input = true;
  enum weir_status st = WEIR_OK;
  if (r->profile.trace == NULL)
    st = weir_preparation_input(r->name, r->profile.path, r->profile.input, p->input,
                                &p->is_same_input, err);
  if (st == WEIR_OK) st = hash_all(h, r, p, err);
  XXH3_freeState(h);
  return st;
}

/* ---- the folder ---- */

static void file_of(const struct weir_prepare_request *r, const struct weir_preparation *p,
                    char *path, size_t len) {
  snprintf(path, len, "%s/%s-%s.%s", r->folder, r->name, p->key,
           weir_prepares_tags(r->name) ? "yaml" : "rows");
}

/* With the folders above it. */
static void make_folder(const char *path) {
  char part[4096];
  for (const char *s = strchr(path + 1, '/'); s != NULL; s = strchr(s + 1, '/')) {
    snprintf(part, sizeof part, "%.*s", (int)(s - path), path);
    mkdir(part, 0777);
  }
  mkdir(path, 0777);
}

static bool is_in_folder(const struct weir_prepare_request *r, const struct weir_preparation *p) {
  char path[4096];
  if (r->folder == NULL) return false;
  file_of(r, p, path, sizeof path);
  return access(path, R_OK) == 0;
}

/* A file that cannot be read is made again. */
static bool load_kept(const struct weir_prepare_request *r, struct weir_preparation *p) {
  char path[4096];
  struct weir_err err;
  if (!is_in_folder(r, p)) return false;
  file_of(r, p, path, sizeof path);
  p->was_kept = (weir_prepares_tags(r->name) ? weir_tags_load(&p->tags, path, &err)
                                             : weir_rows_load(&p->rows, path, &err)) == WEIR_OK;
  return p->was_kept;
}

static void keep(const struct weir_prepare_request *r, struct weir_preparation *p) {
  char path[4096], about[512];
  if (r->folder == NULL) return;
  make_folder(r->folder);
  file_of(r, p, path, sizeof path);
  snprintf(about, sizeof about, "weir %.50s %.200s on %.100s, input %.100s", r->name,
           r->profile.path != NULL ? r->profile.path : "a trace", r->profile.machine->name,
           p->input);
  if (weir_prepares_tags(r->name))
    weir_tags_save(p->tags, path, about, &p->keep_error);
  else
    weir_rows_save(&p->rows, path, about, &p->keep_error);
}

/* ---- all of it ---- */

static enum weir_status make_tags(const struct weir_prepare_request *r, struct weir_preparation *p,
                                  struct weir_err *err) {
  struct weir_profile_request request = r->profile;
  struct weir_profile profile;
  struct weir_machine still = *request.machine;
  still.jitter = (struct weir_jitter_cfg){0}; /* what is prepared serves all its seeds */
  request.machine = &still;
  request.by_traffic = strcmp(r->name, WEIR_PREPARE_TRAFFIC) == 0;
  request.input = p->input[0] != 0 ? p->input : NULL;
  enum weir_status st = weir_profile_run(&request, &profile, err);
  if (st != WEIR_OK) return st;
  p->n_runs = profile.n_runs;
  st = weir_profile_tags(&profile, &p->tags, err);
  weir_profile_free(&profile);
  return st;
}

static enum weir_status make_rows(const struct weir_prepare_request *r, struct weir_preparation *p,
                                  struct weir_err *err) {
  struct weir_prepare_request request = *r;
  request.profile.input = p->input[0] != 0 ? p->input : NULL;
  p->n_runs = 1;
  return weir_prepare_rows_apart(&request, &p->rows, err);
}

static void free_one(struct weir_preparation *p) {
  if (p == NULL) return;
  weir_tags_free(p->tags);
  weir_rows_free(&p->rows);
  free(p->name);
  free(p);
}

static enum weir_status make(const struct weir_prepare_request *r, struct weir_preparation *p,
                             struct weir_err *err) {
  if (p->is_made) return WEIR_OK;
  enum weir_status st = WEIR_OK;
  if (!load_kept(r, p)) {
    st = weir_prepares_tags(r->name) ? make_tags(r, p, err) : make_rows(r, p, err);
    if (st == WEIR_OK) keep(r, p);
  }
  p->is_made = st == WEIR_OK;
  return st;
}

/* A new one, or the equal one of `all`. */
static enum weir_status name(struct weir_preparations *all, const struct weir_prepare_request *r,
                             struct weir_preparation **out, struct weir_err *err) {
  struct weir_preparation *p = weir_calloc(1, sizeof *p);
  *out = NULL;
  if (p == NULL) return weir_fail(err, WEIR_ENOMEM, "out of memory");
  p->name = weir_strdup(r->name);
  enum weir_status st =
      p->name != NULL ? find_key(r, p, err) : weir_fail(err, WEIR_ENOMEM, "out of memory");
  for (size_t i = 0; st == WEIR_OK && i < all->n; i++)
    if (strcmp(all->v[i]->key, p->key) == 0) *out = all->v[i];
  if (st == WEIR_OK) p->is_kept = is_in_folder(r, p);
  if (st == WEIR_OK && *out == NULL) {
    if (WEIR_PUSH(*all, p)) {
      *out = p;
      return WEIR_OK;
    }
    st = weir_fail(err, WEIR_ENOMEM, "out of memory");
  }
  free_one(p);
  return st;
}

enum weir_status weir_prepare(struct weir_preparations *all, const struct weir_prepare_request *r,
                              const struct weir_preparation **out, struct weir_err *err) {
  struct weir_preparation *p;
  enum weir_status st = name(all, r, &p, err);
  *out = p;
  return st != WEIR_OK || r->only_name ? st : make(r, p, err);
}

void weir_preparations_free(struct weir_preparations *all) {
  for (size_t i = 0; i < all->n; i++)
    free_one(all->v[i]);
  free(all->v);
  *all = (struct weir_preparations){0};
}

const struct weir_preparation *weir_preparation_named(const struct weir_preparation *const *made,
                                                      uint32_t n) {
  for (uint32_t i = 0; i < n; i++)
    if (made[i]->is_same_input) return made[i];
  return made[0];
}

void weir_preparation_use(const struct weir_preparation *p, const struct weir_setup *setup,
                          struct weir_prepared *prepared) {
  if (p->tags != NULL)
    prepared->tags = p->tags;
  else
    weir_prepared_put(prepared, setup, p->name, &p->rows);
}
