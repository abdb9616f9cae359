/* What commands say to the user: errors, wrong usage, texts. */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "cli/cmd.h"

int weir_cli_error(const struct weir_err *err) {
  fflush(stdout);
  int n = (int)strcspn(err->msg, "\n");
  fprintf(stderr, "%sweir: %.*s%s%s\n", weir_cli_style(stderr, WEIR_LOSS), n, err->msg,
          weir_cli_style(stderr, WEIR_PLAIN), err->msg + n);
  return weir_status_exit(err->code);
}

int weir_cli_usage(const char *command, const char *fmt, ...) {
  fflush(stdout);
  fprintf(stderr, "%sweir %s: ", weir_cli_style(stderr, WEIR_LOSS), command);
  va_list ap;
  va_start(ap, fmt);
  vfprintf(stderr, fmt, ap);
  va_end(ap);
  fprintf(stderr, "%s\nTry 'weir help %s'.\n", weir_cli_style(stderr, WEIR_PLAIN), command);
  return WEIR_EXIT_USAGE;
}

int weir_cli_print(struct weir_text *text) {
  bool good = !text->failed;
  if (!good) fputs("weir: out of memory\n", stderr);
  if (text->n) fwrite(text->v, 1, text->n, stdout);
  weir_text_free(text);
  return good ? WEIR_EXIT_OK : WEIR_EXIT_FAILED;
}
