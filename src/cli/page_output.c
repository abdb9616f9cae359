#include "cli/page_output.h"

#include "cli/cmd.h"
#include "cli/job.h"

int weir_cli_page(const struct weir_cli_names *files, const struct weir_page_options *o,
                  const char *output, weir_page_draw draw, const void *self) {
  struct weir_page page = {0};
  struct weir_text out = {0};
  struct weir_err err;
  enum weir_status st = weir_page_read(&page, files->v, files->n, o, &err);
  if (st == WEIR_OK) st = draw(&page, self, &out, &err);
  if (st == WEIR_OK) st = weir_cli_output("--output", output, &err);
  if (st == WEIR_OK) st = weir_cli_put(output, out.v, out.n, &err);
  if (st == WEIR_OK) st = weir_cli_commit(&err);
  weir_text_free(&out);
  weir_page_free(&page);
  return st == WEIR_OK ? WEIR_EXIT_OK : weir_cli_error(&err);
}
