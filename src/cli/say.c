/* What commands say to the user: errors, wrong usage, texts. */
#include <stdarg.h>
#include <stdio.h>

#include "cli/cmd.h"

int weir_cli_error(const struct weir_err *err) {
  fflush(stdout);
  fprintf(stderr, "weir: %s\n", err->msg);
  return weir_status_exit(err->code);
}

int weir_cli_usage(const char *command, const char *fmt, ...) {
  fflush(stdout);
  fprintf(stderr, "weir %s: ", command);
  va_list ap;
  va_start(ap, fmt);
  vfprintf(stderr, fmt, ap);
  va_end(ap);
  fprintf(stderr, "\nTry 'weir help %s'.\n", command);
  return WEIR_EXIT_USAGE;
}

int weir_cli_print(struct weir_text *text) {
  bool good = !text->failed;
  if (!good) fputs("weir: out of memory\n", stderr);
  if (text->n) fwrite(text->v, 1, text->n, stdout);
  weir_text_free(text);
  return good ? WEIR_EXIT_OK : WEIR_EXIT_FAILED;
}
