/* Command-line options. */
#include "cli/opt.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "base/suggest.h"
#include "cli/cmd.h"

enum { OPTS_MAX = 64, HELP_COLUMN = 28, LEAST_HELP = 20 };
enum { OPT_COLOR = 1, OPT_HELP };

/* What every command has. */
static const struct weir_opt common[] = {
    {"color", 0, "WHEN", "colours: auto (on a terminal), always or never", OPT_COLOR},
    {"help", 'h', NULL, "this text", OPT_HELP},
    {.name = NULL}};

/* Is a line of it wider? */
static bool is_wider(const char *text, size_t width) {
  for (const char *line = text; *line != 0; line += strcspn(line, "\n"), line += *line == '\n')
    if (weir_text_width_of(line, strcspn(line, "\n")) > width) return true;
  return false;
}

/* Lines were broken for a wide page. For a narrower one, those of a paragraph are joined and broken
 * again; one that begins with a blank stands for itself. */
static void wrap(struct weir_text *out, const char *text, size_t width) {
  while (*text != 0) {
    struct weir_text line = {0};
    bool is_open = true;
    while (is_open) {
      size_t n = strcspn(text, "\n");
      is_open = *text != ' ' && n > 0 && text[n] != 0 && strchr(" \n", text[n + 1]) == NULL;
      weir_text_add(&line, text, n);
      weir_text_puts(&line, is_open ? " " : "");
      text += n + (text[n] == '\n');
    }
    out->failed |= line.failed;
    if (!line.failed && line.v[0] != ' ')
      weir_text_wrap(out, line.v, width, "");
    else if (!line.failed)
      weir_text_puts(out, line.v);
    if (*text != 0) weir_text_puts(out, "\n");
    weir_text_free(&line);
  }
}

/* `text`, whose first line begins after `indent` columns. */
static void put_lines(struct weir_text *out, const char *text, size_t indent) {
  size_t width = out->screen != NULL ? out->screen->width : 0;
  struct weir_text wrapped = {0};
  if (width > indent + LEAST_HELP && is_wider(text, width - indent)) {
    wrap(&wrapped, text, width - indent);
    out->failed |= wrapped.failed;
    if (wrapped.v != NULL) text = wrapped.v;
  }
  while (*text != 0) {
    size_t n = strcspn(text, "\n");
    weir_text_add(out, text, n);
    text += n;
    if (*text == '\n') weir_text_puts(out, "\n");
    if (*text == '\n' && text[1] != '\n') weir_text_pad(out, ' ', indent);
    text += *text == '\n';
  }
  weir_text_puts(out, "\n");
  weir_text_free(&wrapped);
}

static void help_row(struct weir_text *out, const struct weir_opt *o) {
  char left[80];
  int n = snprintf(left, sizeof left, o->letter ? "  -%c, --%s%s%s" : "  %c   --%s%s%s",
                   o->letter ? o->letter : ' ', o->name, o->arg ? " " : "", o->arg ? o->arg : "");
  weir_text_printf(out, "%-*s", HELP_COLUMN, left);
  if (n >= HELP_COLUMN) weir_text_printf(out, "\n%*s", HELP_COLUMN, "");
  put_lines(out, o->help, HELP_COLUMN);
}

void weir_opt_help(const struct weir_usage *u) {
  struct weir_text out = weir_cli_text();
  weir_text_style(&out, WEIR_BOLD);
  weir_text_puts(&out, "Usage:");
  weir_text_style(&out, WEIR_PLAIN);
  weir_text_printf(&out, " weir %s %s\n\n", u->command, u->synopsis);
  put_lines(&out, u->about, 0);
  weir_text_puts(&out, "\n");
  weir_text_heading(&out, "Options:");
  for (const struct weir_opt *o = u->opts; o->name; o++)
    help_row(&out, o);
  for (const struct weir_opt *o = common; o->name; o++)
    help_row(&out, o);
  if (u->examples) {
    weir_text_puts(&out, "\n");
    weir_text_heading(&out, "Examples:");
    weir_text_puts(&out, u->examples);
  }
  weir_cli_print(&out);
}

static int done(struct weir_args *a, int exit_code) {
  a->exit_code = exit_code;
  return WEIR_OPT_DONE;
}

static int show_help(struct weir_args *a, const struct weir_usage *u) {
  weir_opt_help(u);
  return done(a, WEIR_EXIT_OK);
}

static int take_value(struct weir_args *a, const struct weir_usage *u, const struct weir_opt *o) {
  if (a->at >= a->argc) {
    return done(
        a, weir_cli_usage(u->command, "--%s needs a value: --%s %s", o->name, o->name, o->arg));
  }
  a->value = a->argv[a->at++];
  return o->id;
}

static int unknown_long(struct weir_args *a, const struct weir_usage *u, const char *name, int n) {
  const char *names[OPTS_MAX];
  char word[80];
  size_t count = 0;
  for (const struct weir_opt *o = u->opts; o->name && count < OPTS_MAX - 1; o++) {
    names[count++] = o->name;
  }
  for (const struct weir_opt *o = common; o->name && count < OPTS_MAX; o++)
    names[count++] = o->name;
  snprintf(word, sizeof word, "%.*s", n, name);
  const char *near = weir_nearest(word, names, count);
  return done(a, weir_cli_usage(u->command,
                                near ? "unknown option '--%s'; did you mean '--%s'?"
                                     : "unknown option '--%s'",
                                word, near));
}

static bool has_name(const struct weir_opt *o, const char *name, size_t n) {
  return strlen(o->name) == n && memcmp(o->name, name, n) == 0;
}

/* With its value in a->value; or, for what every command has, what comes of it. */
static int take(struct weir_args *a, const struct weir_usage *u, const struct weir_opt *o,
                bool is_common) {
  if (!is_common) return o->id;
  if (o->id == OPT_HELP) return show_help(a, u);
  if (!weir_cli_set_color(a->value))
    return done(a, weir_cli_usage(u->command, "--color %s: want auto, always or never", a->value));
  return weir_opt_next(a, u);
}

static int long_option(struct weir_args *a, const struct weir_usage *u, const char *text) {
  size_t n = strcspn(text, "=");
  bool is_common = false;
  const struct weir_opt *o = u->opts;
  while (o->name && !has_name(o, text, n))
    o++;
  if (!o->name) {
    is_common = true;
    for (o = common; o->name && !has_name(o, text, n);)
      o++;
  }
  if (!o->name) return unknown_long(a, u, text, (int)n);
  if (!o->arg && text[n])
    return done(a, weir_cli_usage(u->command, "--%s takes no value", o->name));
  if (o->arg && !text[n]) {
    if (take_value(a, u, o) == WEIR_OPT_DONE) return WEIR_OPT_DONE;
  } else if (o->arg) {
    a->value = text + n + 1;
  }
  return take(a, u, o, is_common);
}

static int short_option(struct weir_args *a, const struct weir_usage *u) {
  char letter = *a->cluster++;
  if (letter == 'h') return show_help(a, u);
  for (const struct weir_opt *o = u->opts; o->name; o++) {
    if (o->letter != letter) continue;
    if (!o->arg) return o->id;
    if (!*a->cluster) return take_value(a, u, o);
    a->value = a->cluster;
    a->cluster = NULL;
    return o->id;
  }
  return done(a, weir_cli_usage(u->command, "unknown option '-%c'", letter));
}

int weir_opt_next(struct weir_args *a, const struct weir_usage *u) {
  a->value = NULL;
  if (a->cluster && *a->cluster) return short_option(a, u);
  if (a->at >= a->argc) return WEIR_OPT_END;
  const char *word = a->argv[a->at++];
  if (u->has_program && !strcmp(word, "--")) {
    a->program = a->argv + a->at;
    a->at = a->argc;
    return WEIR_OPT_END;
  }
  if (!a->words_only && !strcmp(word, "--")) {
    a->words_only = 1;
    return weir_opt_next(a, u);
  }
  if (a->words_only || word[0] != '-' || !word[1]) {
    a->value = word;
    return WEIR_OPT_WORD;
  }
  if (word[1] == '-') return long_option(a, u, word + 2);
  a->cluster = word + 1;
  return short_option(a, u);
}

enum weir_status weir_opt_l2(const char **said, const char *name, struct weir_err *err) {
  const char *before = *said;
  *said = name;
  if (before == NULL || strcmp(before, name) == 0) return WEIR_OK;
  weir_fail(err, WEIR_EINVAL, "--cold and --warm: the L2 is one or the other");
  weir_err_add(err,
               "leave one out; both beside each other: weir sweep --set " WEIR_L2_KEY "=cold,warm");
  return WEIR_EINVAL;
}
