/* What stdout and stderr are shown on. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "base/number.h"
#include "cli/cmd.h"

enum { LEAST_WIDTH = 20, MOST_WIDTH = 100000 };

static enum { COLOR_AUTO, COLOR_ALWAYS, COLOR_NEVER } color;

bool weir_cli_set_color(const char *when) {
  static const char *const names[] = {
      [COLOR_AUTO] = "auto", [COLOR_ALWAYS] = "always", [COLOR_NEVER] = "never"};
  for (unsigned i = 0; i < sizeof names / sizeof *names; i++)
    if (strcmp(when, names[i]) == 0) {
      color = i;
      return true;
    }
  return false;
}

/* NO_COLOR (no-color.org): set, and to more than nothing. */
static bool is_wanted(bool is_terminal) {
  const char *no = getenv("NO_COLOR"), *term = getenv("TERM");
  if (color != COLOR_AUTO) return color == COLOR_ALWAYS;
  return is_terminal && (no == NULL || *no == 0) && term != NULL && strcmp(term, "dumb") != 0;
}

/* COLUMNS is the user's word; shells that only know it do not export it. */
static size_t width_of(int fd) {
  const char *columns = getenv("COLUMNS");
  struct winsize size;
  int64_t n = 0;
  if (columns == NULL || !weir_parse_int(columns, &n) || n <= 0 || n > MOST_WIDTH)
    n = ioctl(fd, TIOCGWINSZ, &size) == 0 ? size.ws_col : 0;
  return n > 0 && n < LEAST_WIDTH ? LEAST_WIDTH : (size_t)n;
}

const struct weir_screen *weir_cli_screen(int fd) {
  static struct weir_screen screens[2];
  struct weir_screen *s = &screens[fd == STDERR_FILENO];
  int before = errno; /* of what is about to be reported */
  bool is_terminal = isatty(fd);
  s->width = is_terminal ? width_of(fd) : 0;
  s->has_colour = is_wanted(is_terminal);
  errno = before;
  return s;
}

struct weir_text weir_cli_text(void) {
  return (struct weir_text){.screen = weir_cli_screen(STDOUT_FILENO)};
}

const char *weir_cli_style(FILE *to, enum weir_style style) {
  return weir_cli_screen(fileno(to))->has_colour ? weir_style_code(style) : "";
}
