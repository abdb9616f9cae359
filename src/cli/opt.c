/* Command-line options. */
#include "cli/opt.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "base/suggest.h"
#include "cli/cmd.h"

enum { OPTS_MAX = 64, HELP_COLUMN = 28 };

static void help_row(char letter, const char *name, const char *arg, const char *help) {
  char left[80];
  int n = snprintf(left, sizeof left, letter ? "  -%c, --%s%s%s" : "  %c   --%s%s%s",
                   letter ? letter : ' ', name, arg ? " " : "", arg ? arg : "");
  printf("%-*s", HELP_COLUMN, left);
  if (n >= HELP_COLUMN) printf("\n%*s", HELP_COLUMN, "");
  for (; *help; help++) {
    putchar(*help);
    if (*help == '\n') printf("%*s", HELP_COLUMN, "");
  }
  putchar('\n');
}

void weir_opt_help(const struct weir_usage *u) {
  printf("Usage: weir %s %s\n\n%s\n\nOptions:\n", u->command, u->synopsis, u->about);
  for (const struct weir_opt *o = u->opts; o->name; o++) {
    help_row(o->letter, o->name, o->arg, o->help);
  }
  help_row('h', "help", NULL, "this text");
  if (u->examples) printf("\nExamples:\n%s", u->examples);
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
  names[count++] = "help";
  snprintf(word, sizeof word, "%.*s", n, name);
  const char *near = weir_nearest(word, names, count);
  return done(a, weir_cli_usage(u->command,
                                near ? "unknown option '--%s'; did you mean '--%s'?"
                                     : "unknown option '--%s'",
                                word, near));
}

static int long_option(struct weir_args *a, const struct weir_usage *u, const char *text) {
  size_t n = strcspn(text, "=");
  if (n == 4 && !memcmp(text, "help", n) && !text[n]) return show_help(a, u);
  for (const struct weir_opt *o = u->opts; o->name; o++) {
    if (strlen(o->name) != n || memcmp(o->name, text, n) != 0) continue;
    if (!o->arg && text[n]) {
      return done(a, weir_cli_usage(u->command, "--%s takes no value", o->name));
    }
    if (!o->arg) return o->id;
    if (!text[n]) return take_value(a, u, o);
    a->value = text + n + 1;
    return o->id;
  }
  return unknown_long(a, u, text, (int)n);
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
