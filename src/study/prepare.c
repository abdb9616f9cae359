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

/* ---- what tags depend on ---- */

static void hash_text(XXH3_state_t *h, const char *text) {
  XXH3_128bits_update(h, text, strlen(text) + 1);
}

static void hash_settings(XXH3_state_t *h, const struct weir_settings *s) {
  const struct weir_param_group *const groups[] = {
      &ptx_exec_params, &weir_core_params, &weir_sm_params,   &weir_l1_params, &weir_noc_params,
      &weir_l2_params,  &weir_l3_params,   &weir_dram_params, &weir_cls_params};
  for (size_t i = 0; i < s->n; i++)
    for (size_t g = 0; g < sizeof groups / sizeof *groups; g++) {
      if (s->v[i].group != groups[g]) continue;
      hash_text(h, groups[g]->prefix);
      hash_text(h, s->v[i].param->name);
      hash_text(h, s->v[i].text);
    }
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

/* The workload as it will run: its text, its modules and the contents of its buffers, some of which
 * may come from further files. */
static enum weir_status hash_workload(XXH3_state_t *h, struct weir_workload *w, const char *path,
                                      struct weir_err *err) {
  const struct weir_launchfile *lf = weir_workload_file(w);
  enum weir_status st = hash_file(h, path, err);
  for (uint32_t i = 0; st == WEIR_OK && i < lf->n_modules; i++) {
    const struct ptx_module *m = weir_workload_module(w, i);
    XXH3_128bits_update(h, &m->source_len, sizeof m->source_len);
    XXH3_128bits_update(h, m->source, m->source_len);
  }
  for (uint32_t i = 0; st == WEIR_OK && i < lf->n_buffers; i++) {
    uint64_t bytes;
    const void *data = weir_workload_buffer(w, lf->buffers[i].name, &bytes);
    XXH3_128bits_update(h, &bytes, sizeof bytes);
    XXH3_128bits_update(h, data, (size_t)bytes);
  }
  return st;
}

/* What was recorded, and the PTX that it comes from. */
static enum weir_status hash_trace(XXH3_state_t *h, const struct weir_profile_request *r,
                                   struct weir_err *err) {
  for (uint32_t i = 0; i < r->n_programs; i++) {
    const struct ptx_module *m = ptx_program_module(r->programs[i]);
    XXH3_128bits_update(h, &m->source_len, sizeof m->source_len);
    XXH3_128bits_update(h, m->source, m->source_len);
  }
  return hash_file(h, r->trace, err);
}

static enum weir_status open_and_hash(XXH3_state_t *h, const struct weir_profile_request *r,
                                      const char *input, struct weir_err *err) {
  struct ptx_device dev;
  struct weir_workload *w = NULL;
  enum weir_status st = ptx_device_init(&dev, r->exec, err);
  if (st != WEIR_OK) return st;
  st = weir_workload_open(&dev, r->path, input, &w, err);
  if (st == WEIR_OK) st = hash_workload(h, w, r->path, err);
  weir_workload_close(w);
  ptx_device_free(&dev);
  return st;
}

static enum weir_status hash_all(XXH3_state_t *h, const struct weir_prepare_request *r,
                                 struct weir_preparation *p, struct weir_err *err) {
  const char *input = p->input[0] != 0 ? p->input : NULL;
  XXH3_128bits_reset(h);
  hash_text(h, "classify 1");
  hash_text(h, p->input);
  hash_settings(h, r->settings);
  /* Any change of the program may change the model. */
  enum weir_status st = hash_file(h, "/proc/self/exe", err);
  if (st == WEIR_OK)
    st = r->profile.trace != NULL ? hash_trace(h, &r->profile, err)
                                  : open_and_hash(h, &r->profile, input, err);
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
  enum weir_status st = hash_all(h, r, p, err);
  XXH3_freeState(h);
  return st;
}

/* ---- which input ---- */

static enum weir_status find_input(const struct weir_prepare_request *r, struct weir_preparation *p,
                                   struct weir_err *err) {
  struct weir_arena a = {0};
  const char *profiled = NULL, *timed;
  struct weir_launchfile *lf;
  p->is_same_input = true;
  if (r->profile.trace != NULL) return WEIR_OK;
  enum weir_status st = weir_launchfile_load(r->profile.path, r->profile.input, &lf, err);
  if (st != WEIR_OK) return st;
  timed = lf->input != NULL ? lf->input : "";
  st = weir_profile_input(r->profile.path, NULL, &a, &profiled, err);
  /* Without one for it: the one that is timed. */
  if (profiled == NULL || strcmp(profiled, WEIR_PROFILE_INPUT) != 0) profiled = timed;
  p->is_same_input = strcmp(profiled, timed) == 0;
  snprintf(p->input, sizeof p->input, "%s", profiled);
  weir_launchfile_free(lf);
  weir_arena_free(&a);
  return st;
}

/* ---- the folder ---- */

static void file_of(const struct weir_prepare_request *r, const struct weir_preparation *p,
                    char *path, size_t len) {
  snprintf(path, len, "%s/classify-%s.yaml", r->folder, p->key);
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

/* A file that cannot be read is made again. */
static bool load_kept(const struct weir_prepare_request *r, struct weir_preparation *p) {
  char path[4096];
  struct weir_err err;
  if (r->folder == NULL) return false;
  file_of(r, p, path, sizeof path);
  p->was_kept = access(path, R_OK) == 0 && weir_tags_load(&p->own, path, &err) == WEIR_OK;
  return p->was_kept;
}

static void keep(const struct weir_prepare_request *r, struct weir_preparation *p) {
  char path[4096], about[512];
  if (r->folder == NULL) return;
  make_folder(r->folder);
  file_of(r, p, path, sizeof path);
  snprintf(about, sizeof about, "weir classify %.200s on %.100s, input %.100s",
           r->profile.path != NULL ? r->profile.path : "a program", r->profile.machine->name,
           p->input);
  weir_tags_save(p->own, path, about, &p->keep_error);
}

/* ---- all of it ---- */

static bool find_before(const struct weir_prepare_request *r, struct weir_preparation *p) {
  for (size_t i = 0; p->tags == NULL && i < r->n_before; i++)
    if (strcmp(r->before[i].key, p->key) == 0) p->tags = r->before[i].tags;
  return p->tags != NULL;
}

static enum weir_status make_tags(const struct weir_prepare_request *r, struct weir_preparation *p,
                                  struct weir_err *err) {
  struct weir_profile_request request = r->profile;
  struct weir_profile profile;
  request.input = p->input[0] != 0 ? p->input : NULL;
  enum weir_status st = weir_profile_run(&request, &profile, err);
  if (st != WEIR_OK) return st;
  p->n_runs = profile.n_runs;
  st = weir_profile_tags(&profile, &p->own, err);
  weir_profile_free(&profile);
  return st;
}

enum weir_status weir_prepare(const struct weir_prepare_request *r, struct weir_preparation *p,
                              struct weir_err *err) {
  *p = (struct weir_preparation){0};
  enum weir_status st = find_input(r, p, err);
  if (st == WEIR_OK) st = find_key(r, p, err);
  if (st != WEIR_OK || find_before(r, p)) return st;
  if (!load_kept(r, p)) {
    st = make_tags(r, p, err);
    if (st == WEIR_OK) keep(r, p);
  }
  p->tags = p->own;
  return st;
}

void weir_preparation_free(struct weir_preparation *p) {
  weir_tags_free(p->own);
  *p = (struct weir_preparation){0};
}
