/* Reference pages. They are compared to the committed ones by a test, so their text must not depend
 * on anything but the declarations. */
#include "base/reference.h"

#include <string.h>

#include "base/table.h"

static const char *type_name(enum weir_type type) {
  static const char *const names[] = {"boolean", "integer", "real", "text", "choice"};
  return names[type];
}

/* A table that could not be written marks `out` as failed. */
static void finish(struct weir_table *t, struct weir_text *out) {
  if (!t || weir_table_markdown(t, out, NULL) != WEIR_OK) out->failed = true;
  weir_table_free(t);
}

/* A paragraph, or an item of a list; frees `s`. */
static void put_wrapped(struct weir_text *s, const char *indent, struct weir_text *out) {
  enum { COLUMNS = 120 };
  weir_text_wrap(out, s->v ? s->v : "", COLUMNS, indent);
  out->failed |= s->failed;
  weir_text_free(s);
}

static void group_of_params(const struct weir_param_group *g, const struct weir_fact *facts,
                            struct weir_text *out) {
  static const struct weir_column columns[] = {
      {"parameter", NULL, WEIR_LEFT},        {"type", NULL, WEIR_LEFT},
      {"default", NULL, WEIR_LEFT},          {"unit", NULL, WEIR_LEFT},
      {"accepted", NULL, WEIR_LEFT},         {"meaning", NULL, WEIR_LEFT},
      {"has an effect if", NULL, WEIR_LEFT}, {"source", NULL, WEIR_LEFT}};
  struct weir_text about = {0};
  weir_text_puts(&about, g->about);
  if (g->when) {
    weir_text_puts(&about, g->about[strlen(g->about) - 1] == '.' ? " These have" : ". These have");
    weir_text_puts(&about, " an effect in set-ups in which ");
    weir_effect_text(g, NULL, facts, &about);
    weir_text_puts(&about, ".");
  }
  weir_text_printf(out, "\n## %s\n\n", g->prefix);
  put_wrapped(&about, "", out);
  weir_text_puts(out, "\n\n");
  struct weir_table *t = weir_table_new(columns, sizeof columns / sizeof *columns);
  for (const struct weir_param *p = g->table; t && p->name; p++) {
    char range[256];
    weir_table_cell(t, "`%s.%s`", g->prefix, p->name);
    weir_table_cell(t, "%s", type_name(p->type));
    weir_table_cell(t, "%s%s%s", *p->def ? "`" : "", p->def, *p->def ? "`" : "");
    weir_table_cell(t, "%s", p->unit ? p->unit : "");
    weir_table_cell(t, "%s", weir_param_range(p, range, sizeof range));
    weir_table_cell(t, "%s", p->help);
    struct weir_text when = {0};
    weir_effect_text(g, p, facts, &when);
    weir_table_cell(t, "%s", when.v ? when.v : "");
    out->failed |= when.failed;
    weir_text_free(&when);
    weir_table_cell(t, "%s", p->source ? p->source : "");
  }
  finish(t, out);
}

void weir_reference_params(const struct weir_param_group *const *groups,
                           const struct weir_fact *facts, struct weir_text *out) {
  weir_text_puts(out, "# Parameters\n\n"
                      "Written by `make docs` from the declarations in the code; do not edit.\n"
                      "`weir explain KEY` says what holds and where it was set; "
                      "`--set KEY=VALUE` changes it.\n\n"
                      "A setting that has no effect in the set-up of a run is an error that names "
                      "what governs instead; in\n"
                      "a command with several runs only if it has none in any of them. The set-up "
                      "decides, not the data.\n");
  for (size_t i = 0; groups[i]; i++)
    group_of_params(groups[i], facts, out);
}

static const char *kind_name(enum weir_stat_kind kind) {
  static const char *const names[] = {"sum", "maximum", "ratio", "level"};
  return names[kind];
}

static void group_of_stats(const struct weir_stat_group *g, struct weir_text *out) {
  static const struct weir_column columns[] = {{"statistic", NULL, WEIR_LEFT},
                                               {"unit", NULL, WEIR_LEFT},
                                               {"over kernels", NULL, WEIR_LEFT},
                                               {"meaning", NULL, WEIR_LEFT}};
  struct weir_text about = {0};
  weir_text_puts(&about, g->about);
  weir_text_printf(out, "\n## %s\n\n", g->prefix);
  put_wrapped(&about, "", out);
  weir_text_puts(out, "\n\n");
  struct weir_table *t = weir_table_new(columns, sizeof columns / sizeof *columns);
  for (const struct weir_stat *s = g->table; t && s->name; s++) {
    weir_table_cell(t, "`%s.%s`", g->prefix, s->name);
    weir_table_cell(t, "%s", s->unit ? s->unit : "");
    weir_table_cell(t, "%s", kind_name(s->kind));
    weir_table_cell(t, "%s", s->help);
  }
  finish(t, out);
  if (!g->checks || !g->checks->rule) return;
  weir_text_puts(out, "\nAlways true (checked at the end of a run):\n\n");
  for (const struct weir_check *c = g->checks; c->rule; c++) {
    struct weir_text item = {0};
    weir_text_printf(&item, "- `%s`%s%s", c->rule, c->why ? ": " : "", c->why ? c->why : "");
    put_wrapped(&item, "  ", out);
    weir_text_puts(out, "\n");
  }
}

void weir_reference_stats(const struct weir_stat_group *const *groups, struct weir_text *out) {
  weir_text_puts(out, "# Statistics\n\n"
                      "Written by `make docs` from the declarations in the code; do not edit.\n");
  for (size_t i = 0; groups[i]; i++)
    group_of_stats(groups[i], out);
}
