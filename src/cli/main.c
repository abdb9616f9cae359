/* The program: finds the command and calls it. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/suggest.h"
#include "cli/cmd.h"
#include "cli/job.h"
#include "cli/version.h"

const struct weir_command weir_commands[] = {
#define GROUP(what)              {what, NULL, NULL},
#define COMMAND(name, help, run) {name, help, run},
#define HIDDEN(name, run)        {name, NULL, run},
#include "cli/commands.def"
    {NULL, NULL, NULL},
};

const struct weir_command *weir_command_find(const char *name) {
  for (const struct weir_command *c = weir_commands; c->name; c++) {
    if (c->run && !strcmp(c->name, name)) return c;
  }
  return NULL;
}

void weir_cli_overview(FILE *out) {
  const char *bold = weir_cli_style(out, WEIR_BOLD), *plain = weir_cli_style(out, WEIR_PLAIN);
  fprintf(out,
          "weir simulates the memory hierarchy of a GPU: it executes CUDA kernels from their PTX\n"
          "without a GPU, and says how long their loads and stores take on a machine, with which\n"
          "L1 design, and why.\n\n"
          "%sUsage:%s weir COMMAND [OPTION]... [ARGUMENT]...\n\n%sCommands:%s\n",
          bold, plain, bold, plain);
  for (const struct weir_command *c = weir_commands; c->name; c++) {
    if (!c->run) fprintf(out, " %s\n", c->name);
    if (c->help) fprintf(out, "  %-14s%s\n", c->name, c->help);
  }
  fprintf(out,
          "\n%sOptions:%s\n"
          "      --color WHEN          colours: auto (on a terminal), always or never\n"
          "  -V, --version             the version\n"
          "  -h, --help                this text\n\n"
          "A first run:  weir run vecadd\n"
          "Then:         weir compare gather --input profile\n"
          "More:         weir help COMMAND, weir list workloads, man weir\n"
          "Exit codes:   0 good, 1 the run failed, 2 wrong usage or input, 3 weir itself is "
          "wrong\n",
          bold, plain);
}

int weir_cli_unknown_command(const char *name) {
  const char *names[sizeof weir_commands / sizeof *weir_commands];
  size_t n = 0;
  for (const struct weir_command *c = weir_commands; c->name; c++) {
    if (c->help) names[n++] = c->name;
  }
  const char *near = weir_nearest(name, names, n);
  fprintf(stderr, "%sweir: there is no command '%s'%s\n", weir_cli_style(stderr, WEIR_LOSS), name,
          weir_cli_style(stderr, WEIR_PLAIN));
  if (near) fprintf(stderr, "  did you mean '%s'?\n", near);
  fputs("Try 'weir --help'.\n", stderr);
  return WEIR_EXIT_USAGE;
}

/* --color may stand before the command, too. Words that it took, or -1: that was wrong. */
static int take_color(int argc, char **argv) {
  static const char name[] = "--color";
  size_t n = sizeof name - 1;
  if (argc < 2 || strncmp(argv[1], name, n) != 0 || (argv[1][n] != 0 && argv[1][n] != '='))
    return 0;
  const char *when = argv[1][n] == '=' ? argv[1] + n + 1 : argc > 2 ? argv[2] : "";
  if (weir_cli_set_color(when)) return argv[1][n] == '=' ? 1 : 2;
  fprintf(stderr, "weir: --color %s: want auto, always or never\n", when);
  return -1;
}

static int dispatch(int argc, char **argv) {
  int taken = take_color(argc, argv);
  if (taken < 0) return WEIR_EXIT_USAGE;
  argc -= taken;
  argv += taken;
  if (argc < 2) {
    weir_cli_overview(stderr);
    return WEIR_EXIT_USAGE;
  }
  if (!strcmp(argv[1], "--version") || !strcmp(argv[1], "-V")) {
    printf("weir %s (%s)\n", weir_cli_version(), weir_cli_commit_id());
    return WEIR_EXIT_OK;
  }
  if (!strcmp(argv[1], "--help") || !strcmp(argv[1], "-h")) {
    weir_cli_overview(stdout);
    return WEIR_EXIT_OK;
  }
  const struct weir_command *c = weir_command_find(argv[1]);
  return c ? c->run(argc - 1, argv + 1) : weir_cli_unknown_command(argv[1]);
}

/* A file that is opened must not become stdout because that was closed. What is put there refuses
 * to be written. */
static void fill_standard(void) {
  for (int fd = 0; fd <= STDERR_FILENO; fd++)
    if (fcntl(fd, F_GETFD) < 0 && errno == EBADF)
      open("/dev/null", fd == STDIN_FILENO ? O_WRONLY : O_RDONLY);
}

int main(int argc, char **argv) {
  fill_standard();
  weir_cli_signals_begin();
  weir_cli_groups_begin();
  int exit_code = dispatch(argc, argv);
  weir_cli_discard();
  /* A full disk must not look like success. */
  if (fflush(stdout) != 0 || ferror(stdout)) {
    perror("weir: cannot write the output");
    return exit_code != WEIR_EXIT_OK ? exit_code : WEIR_EXIT_FAILED;
  }
  return exit_code;
}
