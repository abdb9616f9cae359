#include "study/keeper.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/mem.h"
#include "study/keeper_inside.h"

static enum weir_status no_memory(struct weir_err *err) {
  return weir_fail(err, WEIR_ENOMEM, "out of memory");
}

/* ---- identities ---- */

static bool is_executed(const struct weir_study_workload *w) {
  return !w->is_trace;
}

static enum weir_status setup_identity(struct weir_keeper *k, size_t setup, bool executed,
                                       const char **out, struct weir_err *err) {
  const char **kept = &k->setups[setup][executed];
  if (*kept == NULL) {
    struct weir_text text = {0};
    enum weir_status st = weir_setup_identity(&k->study->setups[setup], executed, &text, err);
    if (st == WEIR_OK) {
      *kept = weir_arena_strndup(&k->arena, text.v, text.n);
      if (*kept == NULL) st = no_memory(err);
    }
    weir_text_free(&text);
    if (st != WEIR_OK) return st;
  }
  *out = *kept;
  return WEIR_OK;
}

static uint64_t seed_of(const struct weir_study *s, const struct weir_study_place *at) {
  const struct weir_study_setup *setup = weir_study_setup(s, at->gpu, at->scheme);
  return weir_study_repeats(s) > 1 ? weir_study_seed(setup, at->repeat)
                                   : (uint64_t)setup->setup->machine.jitter.seed;
}

/* Names are part of it: the same machine under another name is another row of a study. */
static enum weir_status identify_point(struct weir_keeper *k, size_t run, struct weir_err *err) {
  const struct weir_study *s = k->study;
  struct weir_study_place at = weir_study_place(s, run);
  const struct weir_study_workload *w = &s->workloads[at.workload];
  const char *setup;
  enum weir_status st =
      setup_identity(k, at.gpu * s->n_schemes + at.scheme, is_executed(w), &setup, err);
  if (st != WEIR_OK) return st;
  k->identity.n = 0;
  weir_text_printf(&k->identity,
                   "workload %s\ninput %s\nstreams %s\ngpu %s\nscheme %s\nseed %" PRIu64 "\n%s",
                   w->name, k->workloads[at.workload].input, k->workloads[at.workload].hash,
                   s->gpus[at.gpu], s->schemes[at.scheme], seed_of(s, &at), setup);
  return k->identity.failed ? no_memory(err) : WEIR_OK;
}

static enum weir_status identify(struct weir_keeper *k, size_t run, struct weir_err *err) {
  const struct weir_study *s = k->study;
  struct weir_study_place at = weir_study_place(s, run);
  enum weir_status st = identify_point(k, run, err);
  if (st != WEIR_OK) return st;
  return weir_prep_identity(weir_study_prep(s, at.workload, at.gpu, at.scheme), &k->identity, err);
}

enum weir_status weir_keeper_point(struct weir_keeper *k, size_t run, char out[WEIR_HASH_TEXT],
                                   struct weir_err *err) {
  enum weir_status st = identify_point(k, run, err);
  if (st == WEIR_OK) weir_store_identity(k->identity.v, out);
  return st;
}

enum weir_status weir_keeper_has(struct weir_keeper *k, struct weir_store *store, size_t run,
                                 enum weir_stored *status, struct weir_err *err) {
  enum weir_status st = identify(k, run, err);
  return st == WEIR_OK ? weir_store_has(store, k->identity.v, status, err) : st;
}

/* ---- finding ---- */

static bool is_mine_by_hash(const struct weir_keeper *k) {
  enum { FIRST = 7, DIGITS = 15 }; /* after "xxh128:"; what a number holds */
  char hash[WEIR_HASH_TEXT], digits[DIGITS + 1];
  if (k->options.n_shards <= 1) return true;
  weir_store_identity(k->identity.v, hash);
  memcpy(digits, hash + FIRST, DIGITS);
  digits[DIGITS] = '\0';
  return strtoull(digits, NULL, 16) % k->options.n_shards == k->options.shard - 1;
}

static enum weir_status is_mine_by_plan(struct weir_keeper *k, size_t run, bool *is_mine,
                                        struct weir_err *err) {
  const struct weir_study *s = k->study;
  struct weir_study_place at = weir_study_place(s, run);
  char point[WEIR_HASH_TEXT];
  uint32_t shard = 0;
  enum weir_status st = weir_keeper_point(k, run, point, err);
  if (st != WEIR_OK) return st;
  if (!weir_plan_find(k->options.plan, point, &shard)) {
    weir_fail(err, WEIR_EINVAL, "%s with %s on %s is not in the plan",
              s->workloads[at.workload].name, s->schemes[at.scheme], s->gpus[at.gpu]);
    weir_err_add(err, "the arguments are not those that it was made for, or a file has changed");
    weir_err_add(err, "remedy: make a new one, with the command that made this one");
    return WEIR_EINVAL;
  }
  *is_mine = shard != 0 && (k->options.n_shards == 0 || shard == k->options.shard);
  return WEIR_OK;
}

static enum weir_status find_ended(struct weir_keeper *k, size_t run, enum weir_stored was,
                                   struct weir_err *err) {
  struct weir_run *r = &k->study->runs[run];
  r->state = was == WEIR_STORED_OK ? WEIR_RUN_DONE : WEIR_RUN_FAILED;
  r->was_known = true;
  r->seconds = NAN;
  if (was != WEIR_STORED_OK)
    return weir_store_read(k->options.store, k->identity.v, NULL, &r->error, err);
  return k->options.wants_results ? weir_keeper_load(k, run, err) : WEIR_OK;
}

/* A run without samples, where they are wanted, is run again; it gets them then. */
static enum weir_status find_decisions(struct weir_keeper *k, size_t run, enum weir_stored *was,
                                       struct weir_err *err) {
  struct weir_run *r = &k->study->runs[run];
  if (!k->study->decisions || *was != WEIR_STORED_OK) return WEIR_OK;
  enum weir_status st = weir_store_decisions(k->options.store, k->identity.v, &r->decisions, err);
  if (r->decisions == NULL) *was = WEIR_STORED_NONE;
  if (!k->options.wants_results) weir_run_forget(r);
  return st;
}

/* Is it of this shard, and what does the store have of it? */
static enum weir_status look(struct weir_keeper *k, size_t run, bool *is_mine,
                             enum weir_stored *was, struct weir_err *err) {
  *was = WEIR_STORED_NONE;
  *is_mine = true;
  enum weir_status st = k->options.plan != NULL ? is_mine_by_plan(k, run, is_mine, err) : WEIR_OK;
  if (st == WEIR_OK) st = identify(k, run, err);
  if (st != WEIR_OK) return st;
  if (k->options.plan == NULL) *is_mine = is_mine_by_hash(k);
  if (!*is_mine || k->options.store == NULL) return WEIR_OK;
  return weir_store_has(k->options.store, k->identity.v, was, err);
}

enum weir_status weir_keeper_is_todo(struct weir_keeper *k, size_t run, bool *is_todo,
                                     struct weir_err *err) {
  const struct weir_keeper_options *o = &k->options;
  enum weir_stored was;
  bool is_mine;
  enum weir_status st = look(k, run, &is_mine, &was, err);
  if (st != WEIR_OK) return st;
  if (was == WEIR_STORED_FAILED)
    *is_todo = o->retry || o->only_failed;
  else
    *is_todo = (was == WEIR_STORED_NONE || k->study->decisions) && !o->only_failed && !o->only_kept;
  *is_todo &= is_mine;
  return WEIR_OK;
}

static enum weir_status find(void *self, const struct weir_study *s, size_t run,
                             struct weir_err *err) {
  struct weir_keeper *k = self;
  enum weir_stored was;
  bool is_mine;
  enum weir_status st = look(k, run, &is_mine, &was, err);
  if (st != WEIR_OK) return st;
  if (!is_mine) {
    s->runs[run].state = WEIR_RUN_LEFT;
    return WEIR_OK;
  }
  if (k->options.store == NULL) return WEIR_OK;
  st = find_decisions(k, run, &was, err);
  if (st != WEIR_OK) return st;
  if (was == WEIR_STORED_FAILED && (k->options.retry || k->options.only_failed)) return WEIR_OK;
  if (was != WEIR_STORED_NONE) return find_ended(k, run, was, err);
  if (k->options.only_failed || k->options.only_kept) s->runs[run].state = WEIR_RUN_LEFT;
  return WEIR_OK;
}

/* ---- keeping ---- */

struct settings {
  struct weir_arena *arena;
  struct {
    struct weir_store_setting *v;
    size_t n, cap;
  } list;
};

static bool add_setting(void *self, const struct weir_canonical *c) {
  struct settings *s = self;
  char origin[4096];
  weir_setting_origin(c->setting, origin, sizeof origin);
  struct weir_store_setting v = {weir_arena_strndup(s->arena, c->key, strlen(c->key)),
                                 weir_arena_strndup(s->arena, c->value, strlen(c->value)),
                                 weir_arena_strndup(s->arena, origin, strlen(origin))};
  return v.key != NULL && v.value != NULL && v.origin != NULL && WEIR_PUSH(s->list, v);
}

/* No parameter, but as good as one to whoever reads the store. Runs of a text have none, as all had
 * before there were others. */
static enum weir_status add_certainty(struct settings *s, enum weir_certainty c,
                                      struct weir_err *err) {
  struct weir_store_setting v = {WEIR_CERTAINTY_KEY, weir_certainty_said(c),
                                 "follows from the scheme"};
  return v.value == NULL || WEIR_PUSH(s->list, v) ? WEIR_OK : no_memory(err);
}

enum weir_status weir_keeper_settings(const struct weir_study_setup *s, bool is_executed,
                                      struct weir_arena *a, struct weir_store_run *out,
                                      struct weir_err *err) {
  struct settings settings = {.arena = a};
  enum weir_status st = weir_settings_canonical(s, is_executed, add_setting, &settings, err);
  if (st == WEIR_OK) st = add_certainty(&settings, s->setup->scheme.certainty, err);
  struct weir_store_setting *v =
      st == WEIR_OK ? weir_arena_array(a, settings.list.n + 1, sizeof *v) : NULL;
  if (st == WEIR_OK && v == NULL) st = no_memory(err);
  if (v != NULL && settings.list.n > 0) memcpy(v, settings.list.v, settings.list.n * sizeof *v);
  out->settings = v;
  out->n_settings = settings.list.n;
  free(settings.list.v);
  return st;
}

/* A set-up that cannot be built, and not one that fails when it runs. */
static bool is_refused(const struct weir_study *s, const struct weir_study_place *at,
                       const struct weir_run *r) {
  return r->error == NULL && weir_study_setup(s, at->gpu, at->scheme)->error != NULL;
}

static struct weir_store_run describe(const struct weir_keeper *k, size_t run) {
  const struct weir_study *s = k->study;
  const struct weir_run *r = &s->runs[run];
  struct weir_study_place at = weir_study_place(s, run);
  const struct weir_study_workload *w = &s->workloads[at.workload];
  return (struct weir_store_run){.identity = k->identity.v,
                                 .workload = w->name,
                                 .input = k->workloads[at.workload].input,
                                 .gpu = s->gpus[at.gpu],
                                 .scheme = s->schemes[at.scheme],
                                 .seed = (int64_t)seed_of(s, &at),
                                 .status = r->state == WEIR_RUN_DONE ? WEIR_STORED_OK
                                           : is_refused(s, &at, r)   ? WEIR_STORED_REFUSED
                                                                     : WEIR_STORED_FAILED,
                                 .message = weir_study_reason(s, run),
                                 .host = k->host,
                                 .seconds = r->seconds > 0 ? r->seconds : NAN,
                                 .provenance = k->options.provenance,
                                 .decisions = r->decisions};
}

static enum weir_status keep(void *self, const struct weir_study *s, size_t run,
                             struct weir_err *err) {
  struct weir_keeper *k = self;
  struct weir_arena arena = {0};
  struct weir_study_place at = weir_study_place(s, run);
  enum weir_status st = identify(k, run, err);
  if (st != WEIR_OK) return st;
  struct weir_store_run r = describe(k, run);
  st = weir_keeper_settings(weir_study_setup(s, at.gpu, at.scheme),
                            is_executed(&s->workloads[at.workload]), &arena, &r, err);
  if (st == WEIR_OK && r.status == WEIR_STORED_OK) st = weir_keeper_stats(k, run, &arena, &r, err);
  if (st == WEIR_OK) st = weir_store_put(k->options.store, &r, NULL, err);
  if (!k->options.wants_results) weir_run_forget(&s->runs[run]);
  weir_arena_free(&arena);
  return st;
}

/* ---- beginning and end ---- */

enum weir_status weir_keeper_new(const struct weir_study *s, const struct weir_keeper_options *o,
                                 struct weir_keeper **out, struct weir_err *err) {
  struct weir_keeper *k = weir_calloc(1, sizeof *k);
  *out = k;
  if (k == NULL) return no_memory(err);
  size_t n_setups = s->n_gpus * s->n_schemes;
  k->study = s;
  k->options = *o;
  k->workloads = weir_arena_array(&k->arena, s->n_workloads + 1, sizeof *k->workloads);
  k->setups = weir_arena_array(&k->arena, n_setups + 1, sizeof *k->setups);
  k->rows = weir_arena_array(&k->arena, n_setups + 1, sizeof *k->rows);
  enum weir_status st =
      k->workloads != NULL && k->setups != NULL && k->rows != NULL ? WEIR_OK : no_memory(err);
  /* One with a fault has no streams, and its runs fail. */
  for (size_t i = 0; st == WEIR_OK && i < s->n_workloads; i++)
    if (s->workloads[i].fault == NULL)
      st = weir_workload_identity(&s->workloads[i], &k->workloads[i], err);
  if (gethostname(k->host, sizeof k->host - 1) != 0) k->host[0] = '\0';
  if (st == WEIR_OK) return WEIR_OK;
  weir_keeper_free(k);
  *out = NULL;
  return st;
}

void weir_keeper_free(struct weir_keeper *k) {
  if (k == NULL) return;
  for (size_t i = 0; k->rows != NULL && i < k->study->n_gpus * k->study->n_schemes; i++)
    free(k->rows[i].v);
  free(k->known.v);
  free(k->costs);
  weir_text_free(&k->identity);
  weir_arena_free(&k->arena);
  free(k);
}

void weir_keeper_hook(struct weir_keeper *k, struct weir_study_hooks *hooks) {
  hooks->find = find;
  hooks->keep = k->options.store != NULL ? keep : NULL;
  hooks->keeper = k;
}
