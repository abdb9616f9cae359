#include "l1/scheme.h"

#include <stdio.h>
#include <string.h>

#include "base/file.h"
#include "base/suggest.h"
#include "base/text.h"

/* ---- names ---- */

enum { MAX_NAMES = 64 };

/* `where` is "FILE:LINE:COL: " or an option. */
static enum weir_status unknown(const char *where, const char *what, const char *text,
                                const char *const *names, size_t n, struct weir_err *err) {
  const char *near = weir_nearest(text, names, n);
  weir_fail(err, WEIR_EINVAL, "%sthere is no %s '%s'", where, what, text);
  if (near != NULL) weir_err_add(err, "did you mean '%s'?", near);
  weir_err_add(err, "'weir list policies' shows all");
  return WEIR_EINVAL;
}

static enum weir_status find_org(const char *where, const char *text,
                                 const struct weir_org_ops **out, struct weir_err *err) {
  const char *names[MAX_NAMES];
  size_t n = 0;
  *out = weir_organisation_find(text);
  for (; weir_organisations[n] != NULL && n < MAX_NAMES; n++)
    names[n] = weir_organisations[n]->part.name;
  return *out != NULL ? WEIR_OK : unknown(where, "organisation", text, names, n, err);
}

static enum weir_status find_policy(const char *where, const char *text,
                                    const struct weir_policy_ops **out, struct weir_err *err) {
  const char *names[MAX_NAMES];
  size_t n = 0;
  *out = weir_policy_find(text);
  for (; weir_policies[n] != NULL && n < MAX_NAMES; n++)
    names[n] = weir_policies[n]->part.name;
  return *out != NULL ? WEIR_OK : unknown(where, "policy", text, names, n, err);
}

static const char *entry_place(const struct weir_config *c, uint32_t i, char *buf, size_t len) {
  snprintf(buf, len, "%s:%u:%u: ", c->file, c->entry[i].line, c->entry[i].col);
  return buf;
}

/* ---- certainty ---- */

enum { N_CERTAINTIES = WEIR_CERTAIN_STAND_IN + 1 };

const char *weir_certainty_name(enum weir_certainty c) {
  static const char *const names[N_CERTAINTIES] = {"text", "model", "stand-in"};
  return names[c];
}

const char *weir_certainty_said(enum weir_certainty c) {
  return c != WEIR_CERTAIN_TEXT ? weir_certainty_name(c) : NULL;
}

const char *weir_certainty_label(struct weir_arena *a, const char *name, enum weir_certainty c) {
  if (c == WEIR_CERTAIN_TEXT) return name;
  return weir_arena_printf(a, "%s (%s)", name, weir_certainty_name(c));
}

static enum weir_status rename_scheme(struct weir_scheme *s, const char *name,
                                      struct weir_err *err) {
  s->name = name;
  s->label = name != NULL ? weir_certainty_label(&s->arena, name, s->certainty) : NULL;
  return s->label != NULL ? WEIR_OK : weir_fail(err, WEIR_ENOMEM, "out of memory");
}

/* ---- files ---- */

static enum weir_status read_parts(struct weir_scheme *s, struct weir_config *c,
                                   struct weir_err *err) {
  uint32_t org = 0, list = 0;
  char place[4200];
  enum weir_status st = weir_config_child(c, 0, "organisation", WEIR_SCALAR, false, &org, err);
  if (st == WEIR_OK && org != 0)
    st = find_org(entry_place(c, org, place, sizeof place), c->entry[org].text, &s->org, err);
  if (st == WEIR_OK) st = weir_config_child(c, 0, "policies", WEIR_SEQ, false, &list, err);
  if (st != WEIR_OK || list == 0) return st;
  for (uint32_t i = weir_config_first(c, list); i != 0; i = weir_config_next(c, i)) {
    if (s->n_policies == WEIR_MAX_PARTS - 1)
      return weir_fail(err, WEIR_ELIMIT, "%s:%u: at most %d policies", c->file, c->entry[i].line,
                       WEIR_MAX_PARTS - 1);
    st = weir_config_want(c, i, WEIR_SCALAR, err);
    if (st == WEIR_OK)
      st = find_policy(entry_place(c, i, place, sizeof place), c->entry[i].text,
                       &s->policy[s->n_policies], err);
    if (st != WEIR_OK) return st;
    s->n_policies++;
  }
  return WEIR_OK;
}

static enum weir_status copy_text(struct weir_scheme *s, struct weir_config *c, const char *key,
                                  bool required, const char **out, struct weir_err *err) {
  uint32_t i;
  enum weir_status st = weir_config_child(c, 0, key, WEIR_SCALAR, required, &i, err);
  if (st != WEIR_OK || i == 0) return st;
  *out = weir_arena_strndup(&s->arena, c->entry[i].text, strlen(c->entry[i].text));
  return *out != NULL ? WEIR_OK : weir_fail(err, WEIR_ENOMEM, "out of memory");
}

static enum weir_status read_certainty(struct weir_scheme *s, struct weir_config *c,
                                       struct weir_err *err) {
  const char *names[N_CERTAINTIES];
  uint32_t i;
  enum weir_status st = weir_config_child(c, 0, "certainty", WEIR_SCALAR, false, &i, err);
  if (st != WEIR_OK || i == 0) return st;
  for (int k = 0; k < N_CERTAINTIES; k++) {
    names[k] = weir_certainty_name((enum weir_certainty)k);
    if (strcmp(c->entry[i].text, names[k]) != 0) continue;
    s->certainty = (enum weir_certainty)k;
    return rename_scheme(s, s->name, err);
  }
  weir_config_fail(c, i, WEIR_EINVAL, err, "there is no such certainty");
  const char *near = weir_nearest(c->entry[i].text, names, N_CERTAINTIES);
  if (near != NULL) weir_err_add(err, "did you mean '%s'?", near);
  weir_err_add(err, "there are: text, model, stand-in");
  return WEIR_EINVAL;
}

enum { N_ROLES = WEIR_ROLE_BOUND + 1 };
static const char *const roles[N_ROLES] = {"design", "control", "comparator", "bound"};

const char *weir_role_name(enum weir_role r) {
  return roles[r];
}

static enum weir_status read_role(struct weir_scheme *s, struct weir_config *c,
                                  struct weir_err *err) {
  uint32_t i;
  enum weir_status st = weir_config_child(c, 0, "role", WEIR_SCALAR, false, &i, err);
  if (st != WEIR_OK || i == 0) return st;
  for (unsigned r = 0; r < N_ROLES; r++)
    if (strcmp(c->entry[i].text, roles[r]) == 0) {
      s->role = (enum weir_role)r;
      return WEIR_OK;
    }
  weir_config_fail(c, i, WEIR_EINVAL, err, "there is no such role");
  const char *near = weir_nearest(c->entry[i].text, roles, N_ROLES);
  if (near != NULL) weir_err_add(err, "did you mean '%s'?", near);
  weir_err_add(err, "there are: design, control, comparator, bound");
  return WEIR_EINVAL;
}

/* A name is seen from the scheme's folder. */
static enum weir_status read_tags(struct weir_scheme *s, struct weir_config *c,
                                  struct weir_err *err) {
  const char *name = NULL;
  enum weir_status st = copy_text(s, c, "tags", false, &name, err);
  if (st != WEIR_OK || name == NULL) return st;
  s->tags = weir_file_beside(&s->arena, c->file, name);
  return s->tags != NULL ? WEIR_OK : weir_fail(err, WEIR_ENOMEM, "out of memory");
}

bool weir_prepares_tags(const char *name) {
  return name != NULL &&
         (strcmp(name, WEIR_PREPARE_CLASSIFY) == 0 || strcmp(name, WEIR_PREPARE_TRAFFIC) == 0);
}

static enum weir_status list_preparations(const char *text, struct weir_err *err) {
  const char *names[MAX_NAMES] = {WEIR_PREPARE_CLASSIFY, WEIR_PREPARE_TRAFFIC};
  size_t n = 2;
  for (size_t i = 0; weir_policies[i] != NULL && n < MAX_NAMES; i++)
    if (weir_policies[i]->row != NULL) names[n++] = weir_policies[i]->part.name;
  const char *near = weir_nearest(text, names, n);
  if (near != NULL) weir_err_add(err, "did you mean '%s'?", near);
  struct weir_text all = {0};
  for (size_t i = 0; i < n; i++)
    weir_text_printf(&all, "%s%s", i > 0 ? ", " : "", names[i]);
  if (!all.failed) weir_err_add(err, "there are: %s", all.v);
  weir_text_free(&all);
  return WEIR_EINVAL;
}

static enum weir_status read_prepare(struct weir_scheme *s, struct weir_config *c,
                                     struct weir_err *err) {
  uint32_t i;
  enum weir_status st = weir_config_child(c, 0, "prepare", WEIR_SCALAR, false, &i, err);
  if (st != WEIR_OK || i == 0) return st;
  s->prepare = weir_arena_strndup(&s->arena, c->entry[i].text, strlen(c->entry[i].text));
  if (s->prepare == NULL) return weir_fail(err, WEIR_ENOMEM, "out of memory");
  const struct weir_policy_ops *o = weir_policy_find(s->prepare);
  if (weir_prepares_tags(s->prepare) || (o != NULL && o->row != NULL)) return WEIR_OK;
  weir_config_fail(c, i, WEIR_EINVAL, err, "there is no such preparation");
  return list_preparations(s->prepare, err);
}

static enum weir_status read_file(struct weir_scheme *s, struct weir_config *c,
                                  struct weir_settings *settings, struct weir_err *err) {
  static const char *const keys[] = {"weir", "about",     "reference",    "role",
                                     "best", "certainty", "organisation", "policies",
                                     "tags", "prepare",   "set"};
  uint32_t version, set;
  int64_t number;
  enum weir_status st = weir_config_child(c, 0, "weir", WEIR_SCALAR, true, &version, err);
  if (st == WEIR_OK) st = weir_config_int(c, version, 1, 1, &number, err);
  if (st == WEIR_OK) st = copy_text(s, c, "about", true, &s->about, err);
  if (st == WEIR_OK) st = copy_text(s, c, "reference", false, &s->reference, err);
  if (st == WEIR_OK) st = copy_text(s, c, "best", false, &s->best, err);
  if (st == WEIR_OK) st = read_role(s, c, err);
  if (st == WEIR_OK) st = read_certainty(s, c, err);
  if (st == WEIR_OK) st = read_parts(s, c, err);
  if (st == WEIR_OK) st = read_tags(s, c, err);
  if (st == WEIR_OK) st = read_prepare(s, c, err);
  if (st == WEIR_OK) st = weir_config_child(c, 0, "set", WEIR_MAP, false, &set, err);
  if (st != WEIR_OK) return st;
  if (set != 0 && settings != NULL)
    st = weir_settings_config(settings, WEIR_LAYER_FILE, c, set, err);
  else if (set != 0)
    weir_config_use_all(c, set);
  return st == WEIR_OK ? weir_config_only(c, 0, keys, sizeof keys / sizeof *keys, err) : st;
}

enum weir_status weir_scheme_load(struct weir_scheme *s, const char *name, const char *path,
                                  struct weir_settings *settings, struct weir_err *err) {
  struct weir_config c;
  *s = (struct weir_scheme){0};
  enum weir_status st = weir_config_load_settings(&c, path, err);
  if (st != WEIR_OK) return st;
  st = rename_scheme(s, weir_arena_strndup(&s->arena, name, strlen(name)), err);
  if (st == WEIR_OK) st = read_file(s, &c, settings, err);
  weir_config_free(&c);
  if (st != WEIR_OK) weir_scheme_free(s);
  return st;
}

void weir_scheme_free(struct weir_scheme *s) {
  weir_arena_free(&s->arena);
  *s = (struct weir_scheme){0};
}

/* ---- changes ---- */

bool weir_scheme_has(const struct weir_scheme *s, const struct weir_policy_ops *o) {
  for (uint32_t i = 0; i < s->n_policies; i++)
    if (s->policy[i] == o) return true;
  return false;
}

const char *weir_scheme_preparer(const struct weir_scheme *s, const struct weir_policy_ops *o) {
  bool is_named = s->prepare != NULL && !weir_prepares_tags(s->prepare);
  return o->prepare != NULL && is_named ? s->prepare : o->prepare;
}

bool weir_scheme_uses(const struct weir_scheme *s, const struct weir_policy_ops *o) {
  bool any = weir_scheme_has(s, o);
  for (uint32_t i = 0; !any && i < s->n_policies; i++) {
    const char *name = weir_scheme_preparer(s, s->policy[i]);
    any = name != NULL && strcmp(name, o->part.name) == 0;
  }
  return any;
}

bool weir_only_prepares(const struct weir_policy_ops *o) {
  return o->row != NULL && (o->prepare == NULL || strcmp(o->prepare, o->part.name) != 0);
}

static enum weir_status cannot_prepare(const struct weir_scheme *s, const char *name,
                                       const char *why, struct weir_err *err) {
  weir_fail(err, WEIR_EINVAL, "scheme %s is to be prepared by '%s', %s", s->name, name, why);
  weir_err_add(err, "'weir list preparations' shows all");
  return WEIR_EINVAL;
}

/* Can everything that is to be prepared be, and is it for somebody? */
static enum weir_status check_preparers(const struct weir_scheme *s, struct weir_err *err) {
  bool is_read = s->prepare == NULL || weir_prepares_tags(s->prepare);
  for (uint32_t i = 0; i < s->n_policies; i++) {
    const char *name = weir_scheme_preparer(s, s->policy[i]);
    const struct weir_policy_ops *o = name != NULL ? weir_policy_find(name) : NULL;
    if (name == NULL) continue;
    is_read = true;
    if (o == NULL) return cannot_prepare(s, name, "which is no policy", err);
    if (o->row == NULL) return cannot_prepare(s, name, "which makes no rows", err);
    if (o->prepare != NULL && weir_only_prepares(o))
      return cannot_prepare(s, name, "which would have to be prepared itself", err);
  }
  return is_read ? WEIR_OK : cannot_prepare(s, s->prepare, "and no policy of it reads rows", err);
}

enum weir_status weir_scheme_put_first(struct weir_scheme *s, const struct weir_policy_ops *o,
                                       struct weir_err *err) {
  if (s->n_policies == WEIR_MAX_PARTS - 1)
    return weir_fail(err, WEIR_ELIMIT, "scheme %s has %d policies; there is no room for %s",
                     s->name, WEIR_MAX_PARTS - 1, o->part.name);
  memmove(s->policy + 1, s->policy, s->n_policies * sizeof *s->policy);
  s->policy[0] = o;
  s->n_policies++;
  return rename_scheme(s, weir_arena_printf(&s->arena, "%s + %s", o->part.name, s->name), err);
}

/* "a,b" in place of its own chain. */
static enum weir_status set_policies(struct weir_scheme *s, const char *list,
                                     struct weir_err *err) {
  enum weir_status st = WEIR_OK;
  s->n_policies = 0;
  for (const char *p = list; st == WEIR_OK && p != NULL;) {
    size_t n = strcspn(p, ",");
    const char *name = weir_arena_strndup(&s->arena, p, n);
    const struct weir_policy_ops *o = NULL;
    if (name == NULL) return weir_fail(err, WEIR_ENOMEM, "out of memory");
    if (n == 0)
      return weir_fail(err, WEIR_EINVAL, "--policies '%s': a name is missing; want NAME,NAME,...",
                       list);
    st = find_policy("--policies: ", name, &o, err);
    if (st != WEIR_OK) weir_err_add(err, "'weir list schemes' shows which ones a scheme has");
    if (st == WEIR_OK && weir_scheme_has(s, o))
      st = weir_fail(err, WEIR_EINVAL, "--policies: '%s' is named twice", name);
    if (st == WEIR_OK && s->n_policies == WEIR_MAX_PARTS - 1)
      st = weir_fail(err, WEIR_ELIMIT, "--policies: at most %d", WEIR_MAX_PARTS - 1);
    if (st == WEIR_OK) s->policy[s->n_policies++] = o;
    p = p[n] == ',' ? p + n + 1 : NULL;
  }
  return st;
}

enum weir_status weir_scheme_change(struct weir_scheme *s, const char *organisation,
                                    const char *policies, struct weir_err *err) {
  enum weir_status st = WEIR_OK;
  const char *name = s->name;
  if (organisation != NULL) {
    st = find_org("--organisation: ", organisation, &s->org, err);
    name = weir_arena_printf(&s->arena, "%s on %s", name, organisation);
  }
  if (st == WEIR_OK && policies != NULL) {
    st = set_policies(s, policies, err);
    s->certainty = WEIR_CERTAIN_TEXT;
    name = weir_arena_printf(&s->arena, "%s on %s", policies,
                             s->org != NULL ? s->org->part.name : "the machine's L1");
  }
  return st == WEIR_OK ? rename_scheme(s, name, err) : st;
}

/* ---- designs ---- */

static enum weir_status fill_cfg(struct weir_scheme *s, const struct weir_part *part,
                                 const struct weir_settings *settings,
                                 const struct weir_param_group *const *groups, const void **out,
                                 struct weir_err *err) {
  *out = NULL;
  if (part->params == NULL) return WEIR_OK;
  for (size_t i = 0; groups[i] != NULL; i++) {
    if (groups[i]->table != part->params) continue;
    void *cfg = weir_arena_array(&s->arena, 1, part->cfg_bytes);
    if (cfg == NULL) return weir_fail(err, WEIR_ENOMEM, "out of memory");
    *out = cfg;
    return weir_settings_fill(settings, groups[i], cfg, err);
  }
  return weir_fail(err, WEIR_EBUG, "the parameters of %s are not known", part->name);
}

enum weir_status weir_scheme_design(struct weir_scheme *s, const struct weir_machine *m,
                                    const struct weir_settings *settings,
                                    const struct weir_param_group *const *groups,
                                    struct weir_design *d, struct weir_err *err) {
  weir_design_baseline(d, m);
  enum weir_status st = check_preparers(s, err);
  const struct weir_part *line_up = s->org != NULL ? &s->org->part : NULL;
  if (st == WEIR_OK && line_up != NULL && s->org != d->org) {
    d->org = s->org;
    /* Lines allocate when the machine says, sectored or not; others have parameters of their own.
     */
    if (line_up->params != NULL) st = fill_cfg(s, line_up, settings, groups, &d->org_cfg, err);
  }
  d->n_policies = 0;
  bool has_victim = d->org->has_victim_rule;
  for (uint32_t i = 0; st == WEIR_OK && i < s->n_policies; i++) {
    d->policy[i].ops = s->policy[i];
    st = fill_cfg(s, &s->policy[i]->part, settings, groups, &d->policy[i].cfg, err);
    has_victim |= s->policy[i]->victim != NULL;
    d->n_policies++;
  }
  if (st == WEIR_OK && !has_victim && d->n_policies < WEIR_MAX_PARTS - 1)
    d->policy[d->n_policies++].ops = weir_policy_find("lru");
  return st == WEIR_OK ? weir_design_check(d, m, err) : st;
}
