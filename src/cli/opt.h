/* Options of a command as a table: parsing and --help come from the same rows. */
#ifndef WEIR_CLI_OPT_H
#define WEIR_CLI_OPT_H

#include "weir/err.h"

struct weir_opt {
  const char *name; /* without "--" */
  char letter;      /* short form, or 0 */
  const char *arg;  /* name of its value in the help, or NULL if it takes none */
  const char *help; /* '\n' continues on the next line */
  int id;           /* what weir_opt_next returns; above 0 */
};

struct weir_usage {
  const char *command, *synopsis, *about;
  const struct weir_opt *opts; /* ends with a NULL name; --color and --help are added */
  const char *examples;        /* may be NULL */
  int has_program;             /* -- ends the options, and what follows is not the command's */
  /* Names, each after a space. Neutral: options that cannot change a result (threads, where outputs
   * go, what is shown) or whose effect is known by other means (settings), so that they are no part
   * of an output's provenance. Repeated: of which each counts, not only the last. May be NULL. */
  const char *neutral, *repeated;
};

/* A row for commands that execute kernels; it does what --set WEIR_NO_CONTRACT does. */
#define WEIR_NO_CONTRACT "exec.contract=false"
#define WEIR_NO_CONTRACT_OPTION(id)                                                                \
  {                                                                                                \
    "no-contract", 0, NULL,                                                                        \
        "execute mul and add as the text has them; an assembler makes one fused operation of\n"    \
        "them where it may, and so does weir",                                                     \
        id                                                                                         \
  }

/* Rows for commands that time kernels; they do what --set WEIR_L2_KEY=cold and =warm do. */
#define WEIR_L2_KEY "launch.l2"
#define WEIR_L2_OPTIONS(cold_id, warm_id)                                                          \
  {"cold", 0, NULL,                                                                                \
   "each launch finds the L2 empty; without it and --warm, as those before left it", cold_id},     \
  {                                                                                                \
    "warm", 0, NULL,                                                                               \
        "each launch finds the L2 as it leaves it itself: it is timed twice in a row, and\nthe "   \
        "second time counts",                                                                      \
        warm_id                                                                                    \
  }

enum {
  WEIR_OPT_END = 0,
  WEIR_OPT_WORD = -1, /* not an option */
  WEIR_OPT_DONE =
      -2 /* --help was printed, or the line is wrong and that was said: return `exit_code` */
};

struct weir_args {
  int argc;
  char **argv;
  int at;              /* start with 1 */
  const char *value;   /* of the option, or the word */
  const char *cluster; /* private: rest of -abc */
  int words_only;      /* private: after -- */
  char **program;      /* what follows --, if the command has a program; else NULL */
  int exit_code;
};

/* --name value, --name=value, -n value, -nvalue, -ab, and -- before words. */
int weir_opt_next(struct weir_args *a, const struct weir_usage *u);
void weir_opt_help(const struct weir_usage *u);

/* --cold or --warm, not both: *said (NULL before the first) is the one that was given. */
enum weir_status weir_opt_l2(const char **said, const char *name, struct weir_err *err);

#endif
