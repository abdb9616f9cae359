/* weir docs OUTDIR: for developers, writes the generated reference pages. */
#include <errno.h>
#include <string.h>
#include <sys/stat.h>

#include "base/file.h"
#include "base/reference.h"
#include "cli/cmd.h"
#include "cli/opt.h"
#include "cuda/symbols.h"
#include "session/effects.h"

static const struct weir_usage usage = {
    .command = "docs",
    .synopsis = "FOLDER",
    .about = "Write the reference pages that come from the declarations: params.md, stats.md and\n"
             "cuda-symbols.md.",
    .opts = (const struct weir_opt[]){{.name = NULL}},
    .examples = "  weir docs docs/reference\n",
};

static enum weir_status write_page(const char *dir, const char *name, struct weir_text *page,
                                   struct weir_err *err) {
  struct weir_text path = {0};
  weir_text_printf(&path, "%s/%s", dir, name);
  enum weir_status status = page->failed || path.failed
                                ? weir_fail(err, WEIR_ENOMEM, "out of memory for '%s'", name)
                                : weir_file_write(path.v, page->v, page->n, err);
  weir_text_free(&path);
  weir_text_free(page);
  return status;
}

/* The declarations are sound, so that the pages are worth writing. A test runs this command. */
static enum weir_status check_tables(struct weir_err *err) {
  enum weir_status status = WEIR_OK;
  for (size_t g = 0; !status && weir_param_groups()[g]; g++) {
    status = weir_param_group_check(weir_param_groups()[g], err);
  }
  for (size_t g = 0; !status && weir_stat_groups()[g]; g++) {
    status = weir_stat_group_check(weir_stat_groups()[g], err);
  }
  return status;
}

int weir_cmd_docs(int argc, char **argv) {
  struct weir_args args = {.argc = argc, .argv = argv, .at = 1};
  const char *dir = NULL;
  for (int opt; (opt = weir_opt_next(&args, &usage)) != WEIR_OPT_END;) {
    if (opt == WEIR_OPT_DONE) return args.exit_code;
    if (dir) return weir_cli_usage("docs", "one folder");
    dir = args.value;
  }
  if (!dir) return weir_cli_usage("docs", "into which folder?");
  struct weir_err err;
  if (check_tables(&err) != WEIR_OK) return weir_cli_error(&err);
  if (mkdir(dir, 0777) != 0 && errno != EEXIST) {
    weir_fail(&err, WEIR_EIO, "cannot make the folder '%s': %s", dir, strerror(errno));
    return weir_cli_error(&err);
  }
  struct weir_text params = {0}, stats = {0}, symbols = {0};
  weir_reference_params(weir_param_groups(), weir_fact_table, &params);
  weir_reference_stats(weir_stat_groups(), &stats);
  weir_cuda_symbols_page(&symbols);
  enum weir_status st[] = {write_page(dir, "params.md", &params, &err),
                           write_page(dir, "stats.md", &stats, &err),
                           write_page(dir, "cuda-symbols.md", &symbols, &err)};
  return st[0] || st[1] || st[2] ? weir_cli_error(&err) : WEIR_EXIT_OK;
}
