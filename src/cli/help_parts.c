#include "cli/help_parts.h"

#include <inttypes.h>
#include <string.h>

#include "base/reference.h"
#include "base/suggest.h"
#include "base/table.h"
#include "cli/cmd.h"
#include "cli/timing.h"
#include "l1/l1.h"

#define DEFAULT_GPU "fermi-s3"

static enum weir_status put_table(struct weir_table *t, struct weir_text *out,
                                  struct weir_err *err) {
  enum weir_status st = weir_table_text(t, out, err);
  weir_table_free(t);
  return st;
}

static struct weir_table *new_table(const struct weir_column *columns, size_t n,
                                    struct weir_err *err) {
  struct weir_table *t = weir_table_new(columns, n);
  if (t == NULL) weir_fail(err, WEIR_ENOMEM, "out of memory");
  return t;
}

/* ---- axes ---- */

static const struct {
  unsigned axis;
  const char *name, *nobody; /* what holds if no part answers */
} axes[] = {
    {WEIR_AXIS_ADMISSION, "admission",
     "what the organisation takes, unless a load's operator says otherwise"},
    {WEIR_AXIS_REPLACEMENT, "replacement", "the organisation's own rule"},
    {WEIR_AXIS_FETCH, "fetch", "what the organisation needs: the line, or the touched sectors"},
    {WEIR_AXIS_ORDER, "order", "requests in the order in which they come"},
    {WEIR_AXIS_THREADS, "threads", "every ready warp may issue; sm.scheduler chooses"},
};
enum { N_AXES = sizeof axes / sizeof *axes };

/* One that also says who may enter is called by what it cannot share. */
const char *weir_axis_name(const struct weir_policy_ops *o) {
  unsigned its = weir_policy_axes(o);
  if (its & WEIR_AXIS_REPLACEMENT) its = WEIR_AXIS_REPLACEMENT;
  for (unsigned i = 0; i < N_AXES; i++)
    if (its & axes[i].axis) return axes[i].name;
  return "none";
}

static void axis_row(struct weir_table *t, const char *axis, const struct weir_part *part) {
  weir_table_cell(t, "%s", axis);
  weir_table_cell(t, "%s", part->name);
  weir_table_cell(t, "%s", part->help);
}

static enum weir_status axis_table(const struct weir_design *d, struct weir_text *out,
                                   struct weir_err *err) {
  static const struct weir_column columns[] = {
      {"axis", NULL, WEIR_LEFT}, {"part", NULL, WEIR_LEFT}, {"what it does", NULL, WEIR_LEFT}};
  struct weir_table *t = new_table(columns, 3, err);
  if (t == NULL) return WEIR_ENOMEM;
  axis_row(t, "organisation", &d->org->part);
  for (unsigned k = 0; k < N_AXES; k++) {
    bool is_answered = false;
    for (uint32_t i = 0; i < d->n_policies; i++) {
      if (!(weir_policy_axes(d->policy[i].ops) & axes[k].axis)) continue;
      axis_row(t, is_answered ? "" : axes[k].name, &d->policy[i].ops->part);
      is_answered = true;
    }
    if (is_answered) continue;
    weir_table_cell(t, "%s", axes[k].name);
    weir_table_cell(t, "-");
    weir_table_cell(t, "%s", axes[k].nobody);
  }
  for (uint32_t i = 0; i < d->n_policies; i++)
    if (weir_policy_axes(d->policy[i].ops) == 0) axis_row(t, "none", &d->policy[i].ops->part);
  return put_table(t, out, err);
}

/* ---- parameters ---- */

/* `s` NULL: without the values that hold. */
static void param_row(struct weir_table *t, const struct weir_part *part,
                      const struct weir_param *p, const struct weir_settings *s) {
  char path[128], range[256];
  snprintf(path, sizeof path, "%s.%s", part->name, p->name);
  weir_table_cell(t, "%s", path);
  weir_table_cell(t, "%s", p->def);
  if (s != NULL) {
    const struct weir_setting *v = weir_settings_find(s, path);
    weir_table_cell(t, "%s", v != NULL && v->layer != WEIR_LAYER_DEFAULT ? v->text : "");
  }
  weir_table_cell(t, "%s", weir_param_range(p, range, sizeof range));
  weir_table_cell(t, "%s", p->unit != NULL ? p->unit : "");
  weir_table_cell(t, "%s", p->help);
}

static struct weir_table *param_table(bool has_values, struct weir_err *err) {
  static const struct weir_column with[] = {
      {"parameter", NULL, WEIR_LEFT}, {"default", NULL, WEIR_RIGHT}, {"set to", NULL, WEIR_RIGHT},
      {"accepted", NULL, WEIR_LEFT},  {"unit", NULL, WEIR_LEFT},     {"meaning", NULL, WEIR_LEFT}};
  static const struct weir_column without[] = {{"parameter", NULL, WEIR_LEFT},
                                               {"default", NULL, WEIR_RIGHT},
                                               {"accepted", NULL, WEIR_LEFT},
                                               {"unit", NULL, WEIR_LEFT},
                                               {"meaning", NULL, WEIR_LEFT}};
  return has_values ? new_table(with, 6, err) : new_table(without, 5, err);
}

static enum weir_status scheme_params(const struct weir_setup *setup, const struct weir_settings *s,
                                      struct weir_text *out, struct weir_err *err) {
  struct weir_table *t = param_table(true, err);
  if (t == NULL) return WEIR_ENOMEM;
  const struct weir_part *part;
  bool any = false;
  for (uint32_t i = 0; (part = weir_setup_part(setup, i)) != NULL; i++)
    for (const struct weir_param *p = part->params; p != NULL && p->name != NULL; p++, any = true)
      param_row(t, part, p, s);
  if (any) {
    weir_text_puts(out, "\n");
    return put_table(t, out, err);
  }
  weir_table_free(t);
  weir_text_puts(out,
                 "\nno parameters of its own; those of the L1 are 'l1.*' of 'weir list params'\n");
  return WEIR_OK;
}

/* ---- what it costs ---- */

static void bits_row(struct weir_table *t, const char *name, uint64_t bits) {
  weir_table_cell(t, "%s", name);
  weir_table_cell(t, bits == WEIR_NOT_DECLARED ? "not declared" : "%" PRIu64, bits);
  weir_table_cell(t, bits == WEIR_NOT_DECLARED ? "-" : "%.10g", (double)bits / 8);
}

static void difference_row(struct weir_table *t, const char *name, uint64_t sum, uint64_t base) {
  if (sum == WEIR_NOT_DECLARED) {
    bits_row(t, name, sum);
    return;
  }
  int64_t bits = (int64_t)sum - (int64_t)base;
  weir_table_cell(t, "%s", name);
  weir_table_cell(t, "%+" PRId64, bits);
  weir_table_cell(t, "%+.10g", (double)bits / 8);
}

static enum weir_status storage_table(const struct weir_setup *setup, struct weir_text *out,
                                      struct weir_err *err) {
  static const struct weir_column columns[] = {{"storage", NULL, WEIR_LEFT},
                                               {"bits", "per SM", WEIR_RIGHT},
                                               {"bytes", "per SM", WEIR_RIGHT}};
  const struct weir_machine *m = &setup->machine;
  struct weir_design baseline;
  uint64_t bits[WEIR_MAX_PARTS], base[WEIR_MAX_PARTS];
  weir_design_baseline(&baseline, m);
  enum weir_status st = weir_l1_storage(m, &setup->design, bits, err);
  if (st == WEIR_OK) st = weir_l1_storage(m, &baseline, base, err);
  if (st != WEIR_OK) return st;
  struct weir_table *t = new_table(columns, 3, err);
  if (t == NULL) return WEIR_ENOMEM;
  const struct weir_part *part;
  for (uint32_t i = 0; (part = weir_setup_part(setup, i)) != NULL; i++) {
    char name[96];
    snprintf(name, sizeof name, "%s%s", part->name, part->is_per_gpu ? " (once per GPU)" : "");
    bits_row(t, name, bits[i]);
  }
  weir_table_rule(t);
  bits_row(t, "all parts", weir_l1_storage_sum(bits));
  bits_row(t, "the machine's own L1", weir_l1_storage_sum(base));
  difference_row(t, "added", weir_l1_storage_sum(bits), weir_l1_storage_sum(base));
  weir_text_printf(out, "\non %s, besides the tags and data of a conventional L1:\n\n", m->name);
  st = put_table(t, out, err);
  uint64_t l2 = weir_l2_storage(m, &setup->design);
  if (l2 > 0)
    weir_text_printf(out, "and in the L2, for all SMs: %" PRIu64 " bits = %" PRIu64 " bytes\n", l2,
                     l2 / 8);
  return st;
}

/* ---- a scheme ---- */

static void example(struct weir_text *out, const struct weir_setup *setup) {
  const char *scheme = setup->scheme.name, *gpu = setup->machine.name;
  const char *tags = weir_setup_has_tags(setup, NULL) != WEIR_OK ? " --tags FILE" : "";
  weir_text_printf(out,
                   "\n  weir run spmv --gpu %s --scheme %s%s\n"
                   "  weir compare spmv --gpus %s --schemes baseline%s%s%s\n",
                   gpu, scheme, tags, gpu, strcmp(scheme, "baseline") != 0 ? "," : "",
                   strcmp(scheme, "baseline") != 0 ? scheme : "", tags);
}

static const char model_note[] =
    "model: its paper is known from an abstract only; the idea is theirs, rules and sizes are "
    "ours\n";
static const char *const certainty_notes[] = {
    [WEIR_CERTAIN_TEXT] = "",
    [WEIR_CERTAIN_MODEL] = model_note,
    [WEIR_CERTAIN_STAND_IN] =
        "stand-in: no description of it was found; rules and sizes are ours\n"};

static enum weir_status scheme_text(const struct weir_setup *setup, const struct weir_settings *s,
                                    struct weir_text *out, struct weir_err *err) {
  const struct weir_scheme *scheme = &setup->scheme;
  weir_text_printf(out, "scheme %s: %s\n", scheme->label, scheme->about);
  if (scheme->reference != NULL) weir_text_printf(out, "reference: %s\n", scheme->reference);
  weir_text_puts(out, certainty_notes[scheme->certainty]);
  const char *names[WEIR_MAX_PARTS];
  uint32_t n = weir_setup_preparations(setup, names);
  for (uint32_t i = 0; i < n; i++)
    weir_text_printf(out, "%s%s%s", i == 0 ? "prepared for each workload by: " : ", ", names[i],
                     i + 1 == n ? "\n" : "");
  weir_text_puts(out, "\n");
  enum weir_status st = axis_table(&setup->design, out, err);
  if (st == WEIR_OK) st = scheme_params(setup, s, out, err);
  if (st == WEIR_OK) st = storage_table(setup, out, err);
  example(out, setup);
  return st;
}

static enum weir_status load(struct weir_setup *setup, const char *name, const char *gpu,
                             struct weir_settings *s, struct weir_err *err) {
  struct weir_arena a = {0};
  const char *path;
  enum weir_status st = weir_data_machine(s, gpu, err);
  if (st == WEIR_OK) st = weir_data_scheme(&a, name, &path, err);
  if (st == WEIR_OK) st = weir_setup_load(setup, name, path, s, err);
  if (st == WEIR_OK) st = weir_setup_fit(setup, gpu, s, weir_param_groups(), err);
  weir_arena_free(&a);
  return st;
}

int weir_help_scheme(const char *name, const char *gpu) {
  struct weir_settings s;
  struct weir_setup setup = {0};
  struct weir_text out = weir_cli_text();
  struct weir_err err;
  if (name == NULL) return weir_cli_usage("help", "which scheme? See 'weir list schemes'");
  if (weir_settings_init(&s, weir_param_groups(), &err) != WEIR_OK) return weir_cli_error(&err);
  enum weir_status st = load(&setup, name, gpu != NULL ? gpu : DEFAULT_GPU, &s, &err);
  if (st == WEIR_OK) st = scheme_text(&setup, &s, &out, &err);
  weir_setup_free(&setup);
  weir_settings_free(&s);
  if (st == WEIR_OK) return weir_cli_print(&out);
  weir_text_free(&out);
  return weir_cli_error(&err);
}

/* ---- a part ---- */

static enum weir_status part_params(const struct weir_part *part, struct weir_text *out,
                                    struct weir_err *err) {
  if (part->params == NULL) {
    weir_text_puts(out, "\nno parameters\n");
    return WEIR_OK;
  }
  struct weir_table *t = param_table(false, err);
  if (t == NULL) return WEIR_ENOMEM;
  for (const struct weir_param *p = part->params; p->name != NULL; p++)
    param_row(t, part, p, NULL);
  weir_text_puts(out, "\n");
  return put_table(t, out, err);
}

static enum weir_status part_stats(const struct weir_part *part, struct weir_text *out,
                                   struct weir_err *err) {
  static const struct weir_column columns[] = {
      {"statistic", NULL, WEIR_LEFT}, {"unit", NULL, WEIR_LEFT}, {"meaning", NULL, WEIR_LEFT}};
  if (part->stats == NULL) return WEIR_OK;
  struct weir_table *t = new_table(columns, 3, err);
  if (t == NULL) return WEIR_ENOMEM;
  for (const struct weir_stat *v = part->stats; v->name != NULL; v++) {
    weir_table_cell(t, "%s.%s", part->name, v->name);
    weir_table_cell(t, "%s", v->unit);
    weir_table_cell(t, "%s", v->help);
  }
  weir_text_puts(out, "\n");
  return put_table(t, out, err);
}

static bool uses(const struct weir_scheme *s, const struct weir_part *part) {
  if (s->org != NULL && &s->org->part == part) return true;
  for (uint32_t i = 0; i < s->n_policies; i++)
    if (&s->policy[i]->part == part) return true;
  return false;
}

/* The schemes that name it in their files. */
static enum weir_status part_users(const struct weir_part *part, struct weir_text *out,
                                   struct weir_err *err) {
  struct weir_arena a = {0};
  const char *const *names, *path;
  size_t n = 0;
  const char *mark = "\nschemes that name it: ";
  enum weir_status st = weir_data_schemes(&a, &names, &n, err);
  for (size_t i = 0; st == WEIR_OK && i < n; i++) {
    struct weir_scheme s;
    st = weir_data_scheme(&a, names[i], &path, err);
    if (st == WEIR_OK) st = weir_scheme_load(&s, names[i], path, NULL, err);
    if (st != WEIR_OK) break;
    if (uses(&s, part)) {
      weir_text_printf(out, "%s%s", mark, s.label);
      mark = ", ";
    }
    weir_scheme_free(&s);
  }
  weir_text_puts(
      out, mark[0] == ',' ? "\n" : "\nno scheme names it; docs/policies.md shows how one would\n");
  weir_arena_free(&a);
  return st;
}

/* `policy` NULL: it is an organisation. */
static enum weir_status part_text(const struct weir_part *part,
                                  const struct weir_policy_ops *policy, struct weir_text *out,
                                  struct weir_err *err) {
  const char *kind = policy != NULL ? weir_axis_name(policy) : "organisation";
  weir_text_printf(out, "%s %s: %s\n", kind, part->name, part->help);
  if (part->reference != NULL) weir_text_printf(out, "reference: %s\n", part->reference);
  if (policy != NULL && policy->organisations != NULL)
    weir_text_printf(out, "works with: %s\n", policy->organisations);
  if (policy != NULL && policy->prepare != NULL)
    weir_text_printf(out, "reads rows that %s makes in a run before\n", policy->prepare);
  if (policy != NULL && policy->row != NULL)
    weir_text_printf(out, "makes rows for policies that are prepared by %s%s\n", part->name,
                     policy->prepares_on_timed ? ", on the input that is timed" : "");
  if (part->l2_line_bits > 0)
    weir_text_printf(out, "in every line of the L2: %u bit%s\n", part->l2_line_bits,
                     part->l2_line_bits > 1 ? "s" : "");
  enum weir_status st = part_params(part, out, err);
  if (st == WEIR_OK) st = part_stats(part, out, err);
  return st == WEIR_OK ? part_users(part, out, err) : st;
}

static enum weir_status unknown_part(const char *name, struct weir_err *err) {
  enum { MOST = 128 };
  const char *names[MOST];
  size_t n = 0;
  for (size_t i = 0; weir_organisations[i] != NULL && n < MOST; i++)
    names[n++] = weir_organisations[i]->part.name;
  for (size_t i = 0; weir_policies[i] != NULL && n < MOST; i++)
    names[n++] = weir_policies[i]->part.name;
  weir_fail(err, WEIR_ENOENT, "there is no part '%s'", name);
  const char *near = weir_nearest(name, names, n);
  if (near != NULL) weir_err_add(err, "did you mean '%s'?", near);
  weir_err_add(err, "'weir list policies' shows all");
  return WEIR_ENOENT;
}

int weir_help_policy(const char *name) {
  struct weir_text out = weir_cli_text();
  struct weir_err err;
  enum weir_status st;
  if (name == NULL) return weir_cli_usage("help", "which part? See 'weir list policies'");
  const struct weir_org_ops *org = weir_organisation_find(name);
  const struct weir_policy_ops *policy = weir_policy_find(name);
  if (org != NULL)
    st = part_text(&org->part, NULL, &out, &err);
  else if (policy != NULL)
    st = part_text(&policy->part, policy, &out, &err);
  else
    st = unknown_part(name, &err);
  if (st == WEIR_OK) return weir_cli_print(&out);
  weir_text_free(&out);
  return weir_cli_error(&err);
}
