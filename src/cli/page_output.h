/* What weir report and weir plot have in common: results are read, drawn, and written to one file.
 */
#ifndef WEIR_CLI_PAGE_OUTPUT_H
#define WEIR_CLI_PAGE_OUTPUT_H

#include "report/page.h"

struct weir_cli_names {
  const char **v;
  size_t n, cap;
};

typedef enum weir_status (*weir_page_draw)(const struct weir_page *page, const void *self,
                                           struct weir_text *out, struct weir_err *err);
/* Returns the exit code. */
int weir_cli_page(const struct weir_cli_names *files, const struct weir_page_options *o,
                  const char *output, weir_page_draw draw, const void *self);

#endif
