/* weir lint FILE.ptx...: parse, check, and say what would not run. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/mem.h"
#include "base/suggest.h"
#include "base/table.h"
#include "cli/cmd.h"
#include "cli/opt.h"
#include "ptx/isa.h"

enum { OPT_DOT = 1, OPT_PRINT, OPT_STATS };

static const struct weir_usage usage = {
    .command = "lint",
    .synopsis = "[--dot KERNEL | --print | --stats] FILE.ptx...",
    .about =
        "Parse PTX, check it, and list the kernels and everything that cannot be executed yet.\n"
        "Exit code: 0 all runs, 1 something is not supported, 2 the file has errors.",
    .opts =
        (const struct weir_opt[]){
            {"dot", 'd', "KERNEL",
             "write the control-flow graph of a kernel or function for\n"
             "Graphviz, with immediate post-dominators",
             OPT_DOT},
            {"print", 'p', NULL, "write the module back as PTX", OPT_PRINT},
            {"stats", 's', NULL, "count the instructions by opcode", OPT_STATS},
            {.name = NULL}},
    .examples = "  weir lint kernel.ptx\n"
                "  weir lint --dot vecadd vecadd.ptx | dot -Tsvg > vecadd.svg\n",
};

struct request {
  const char *dot;
  bool print, stats;
};

static int out_of_memory(void) {
  struct weir_err err;
  weir_fail(&err, WEIR_ENOMEM, "out of memory");
  return weir_cli_error(&err);
}

static uint64_t shared_bytes(const struct ptx_module *m, const struct ptx_func *f) {
  uint64_t bytes = 0;
  for (uint32_t i = 0; i < m->n_vars; i++)
    if (m->vars[i]->space == PTX_SPACE_shared) bytes += m->vars[i]->bytes;
  for (uint32_t i = 0; i < f->n_vars; i++)
    if (f->vars[i]->space == PTX_SPACE_shared) bytes += f->vars[i]->bytes;
  return bytes;
}

/* Loops are counted by their back edges: branches to a block at or before the branch. */
static unsigned count_loops(const struct ptx_func *f) {
  unsigned n = 0;
  for (uint32_t i = 0; i < f->cfg.n_blocks; i++) {
    const struct ptx_block *b = &f->cfg.blocks[i];
    for (uint32_t s = 0; b->in_loop && s < b->n_succ; s++)
      n += b->succ[s] <= i;
  }
  return n;
}

static int summary(const struct ptx_module *m) {
  static const struct weir_column columns[] = {
      {"function", NULL, WEIR_LEFT},      {"kind", NULL, WEIR_LEFT},
      {"instructions", NULL, WEIR_RIGHT}, {"registers", NULL, WEIR_RIGHT},
      {"parameters", NULL, WEIR_RIGHT},   {"param", "byte", WEIR_RIGHT},
      {"shared", "byte", WEIR_RIGHT},     {"blocks", NULL, WEIR_RIGHT},
      {"loops", NULL, WEIR_RIGHT}};
  struct weir_table *t = weir_table_new(columns, sizeof columns / sizeof *columns);
  struct weir_text out = weir_cli_text();
  struct weir_err err;
  if (!t) return out_of_memory();
  for (uint32_t i = 0; i < m->n_funcs; i++) {
    const struct ptx_func *f = m->funcs[i];
    if (!f->has_body) continue;
    weir_table_cell(t, "%s", f->name);
    weir_table_cell(t, "%s", f->is_entry ? "kernel" : "function");
    weir_table_cell(t, "%u", f->n_insns);
    weir_table_cell(t, "%u", f->n_regs);
    weir_table_cell(t, "%u", f->n_params);
    weir_table_cell(t, "%llu", (unsigned long long)f->param_bytes);
    weir_table_cell(t, "%llu", (unsigned long long)shared_bytes(m, f));
    weir_table_cell(t, "%u", f->cfg.n_blocks);
    weir_table_cell(t, "%u", count_loops(f));
  }
  enum weir_status status = weir_table_text(t, &out, &err);
  weir_table_free(t);
  if (status) {
    weir_text_free(&out);
    return weir_cli_error(&err);
  }
  return weir_cli_print(&out);
}

static int opcode_counts(const struct ptx_module *m) {
  static const struct weir_column columns[] = {{"opcode", NULL, WEIR_LEFT},
                                               {"count", NULL, WEIR_RIGHT}};
  struct weir_table *t = weir_table_new(columns, 2);
  struct weir_text out = weir_cli_text();
  struct weir_err err;
  uint32_t count[PTX_N_OPS] = {0};
  if (!t) return out_of_memory();
  for (uint32_t i = 0; i < m->n_funcs; i++)
    for (uint32_t k = 0; k < m->funcs[i]->n_insns; k++)
      count[m->funcs[i]->insns[k].op]++;
  for (unsigned op = 0; op < PTX_N_OPS; op++) {
    if (!count[op]) continue;
    weir_table_cell(t, "%s", ptx_op_name((enum ptx_op)op));
    weir_table_cell(t, "%u", count[op]);
  }
  enum weir_status status = weir_table_text(t, &out, &err);
  weir_table_free(t);
  if (status) {
    weir_text_free(&out);
    return weir_cli_error(&err);
  }
  return weir_cli_print(&out);
}

static int list_unsupported(const struct ptx_module *m, const char *path) {
  size_t n = ptx_unsupported(m, NULL, 0);
  struct ptx_unsupported *u = weir_calloc(n ? n : 1, sizeof *u);
  if (!u) return out_of_memory();
  ptx_unsupported(m, u, n);
  if (n) printf("%s: %zu construct%s cannot be executed yet:\n", path, n, n == 1 ? "" : "s");
  for (size_t i = 0; i < n; i++) {
    printf("  line %u: %s", u[i].first_line, u[i].what);
    if (u[i].count > 1) printf(" (%u times)", u[i].count);
    putchar('\n');
  }
  free(u);
  return n ? WEIR_EXIT_FAILED : WEIR_EXIT_OK;
}

static int unknown_function(const struct ptx_module *m, const char *path, const char *name) {
  struct weir_err err;
  const char **names = weir_calloc((size_t)m->n_funcs + 1, sizeof *names);
  if (!names) return out_of_memory();
  for (uint32_t i = 0; i < m->n_funcs; i++)
    names[i] = m->funcs[i]->name;
  weir_fail(&err, WEIR_ENOENT, "%s has no kernel or function '%.200s'", path, name);
  const char *near = weir_nearest(name, names, m->n_funcs);
  if (near) weir_err_add(&err, "did you mean '%s'?", near);
  free(names);
  return weir_cli_error(&err);
}

static int write_text(char *text) {
  if (!text) return out_of_memory();
  fputs(text, stdout);
  free(text);
  return WEIR_EXIT_OK;
}

static int report(const struct ptx_module *m, const char *path, const struct request *r) {
  if (r->dot) {
    const struct ptx_func *f = ptx_find_func(m, r->dot);
    return f && f->has_body ? write_text(ptx_print_dot(f)) : unknown_function(m, path, r->dot);
  }
  int code = r->print ? write_text(ptx_print(m)) : r->stats ? opcode_counts(m) : summary(m);
  if (code || r->print) return code;
  return list_unsupported(m, path);
}

static int lint_file(const char *path, const struct request *r) {
  struct ptx_module *m = NULL;
  struct ptx_diags diags = {0};
  struct weir_err err;
  char *text;
  size_t len;
  if (weir_file_read(path, (size_t)1 << 30, NULL, &text, &len, &err)) return weir_cli_error(&err);
  int code = WEIR_EXIT_OK;
  enum weir_status status = ptx_parse(text, len, path, &m, &diags);
  free(text);
  if (status) {
    for (size_t i = 0; i < diags.n; i++)
      fprintf(stderr, "%s\n", diags.v[i].msg);
    fprintf(stderr, "%zu error%s\n", diags.n, diags.n == 1 ? "" : "s");
    code = weir_status_exit(status);
  } else {
    code = report(m, path, r);
  }
  ptx_module_free(m);
  ptx_diags_free(&diags);
  return code;
}

int weir_cmd_lint(int argc, char **argv) {
  struct weir_args args = {.argc = argc, .argv = argv, .at = 1};
  struct request r = {0};
  int n_files = 0, worst = WEIR_EXIT_OK;
  for (int opt; (opt = weir_opt_next(&args, &usage)) != WEIR_OPT_END;) {
    if (opt == WEIR_OPT_DONE) return args.exit_code;
    if (opt == OPT_DOT) r.dot = args.value;
    if (opt == OPT_PRINT) r.print = true;
    if (opt == OPT_STATS) r.stats = true;
    if (opt == WEIR_OPT_WORD)
      argv[n_files++] = (char *)args.value; /* before args.at: read already */
  }
  if (!n_files) return weir_cli_usage("lint", "which file?");
  if ((r.dot != NULL) + r.print + r.stats > 1)
    return weir_cli_usage("lint", "one of --dot, --print and --stats at a time");
  for (int i = 0; i < n_files; i++) {
    int code = lint_file(argv[i], &r);
    if (code > worst) worst = code;
  }
  return worst;
}
