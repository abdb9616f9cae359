#include "coverage.h"

#include <stdlib.h>
#include <string.h>

struct counts {
  size_t variants, truth, cases, no_result, refused, not_run, no_data;
  const char *refused_why, *not_run_why;
};

static void count(const struct truth_set *s, const struct coverage_row *rows, size_t form,
                  struct counts *c) {
  for (size_t i = 0; i < s->n; i++) {
    const struct truth_variant *v = &s->v[i];
    if (v->form != form) continue;
    c->variants++;
    switch (v->status) {
    case TS_TRUTH:
      c->no_data += rows[i].state == NO_DATA;
      if (rows[i].state != COVERED) break;
      c->truth++;
      c->cases += rows[i].agree;
      break;
    case TS_NO_RESULT:
      c->no_result++;
      break;
    case TS_REFUSED:
      c->refused++;
      c->refused_why = v->why;
      break;
    case TS_NOT_RUN:
      c->not_run++;
      c->not_run_why = v->why;
      break;
    }
  }
}

/* Text of a table cell: bars of choices would end it. */
static void put_cell(FILE *f, const char *s, size_t len) {
  for (size_t i = 0; i < len; i++) {
    if (s[i] == '|') putc('\\', f);
    putc(s[i], f);
  }
}

static void put_why(FILE *f, const struct counts *c) {
  const char *sep = "";
  size_t differ = c->variants - c->truth - c->no_result - c->refused - c->not_run - c->no_data;
  if (differ) {
    fprintf(f, "%zu do not agree", differ);
    sep = "; ";
  }
  if (c->no_data) {
    fprintf(f, "%s%zu not yet run on a GPU", sep, c->no_data);
    sep = "; ";
  }
  if (c->no_result) {
    fprintf(f, "%s%zu without a result to compare (run on both)", sep, c->no_result);
    sep = "; ";
  }
  if (c->refused) {
    fprintf(f, "%s%zu refused by ptxas for sm_90: ", sep, c->refused);
    put_cell(f, c->refused_why, strcspn(c->refused_why, "\n"));
    sep = "; ";
  }
  if (c->not_run) fprintf(f, "%s%zu not run: %s", sep, c->not_run, c->not_run_why);
}

static const char intro[] =
    "# PTX coverage and ground truth\n\n"
    "<!-- Written by truth_replay --coverage; do not edit. -->\n\n"
    "Every executable form of `src/ptx/isa.def` is turned into kernels, one for each chosen "
    "combination of modifiers, which\nran on an NVIDIA H200 (`tests/truth/data/PROVENANCE.txt`). "
    "The tests replay them in the interpreter: exact instructions\nmust agree bit for bit in every "
    "case, approximate ones within the bound given here, which never exceeds the manual's.\n\n"
    "- Combinations: all of them, but for `ld`, `st`, `atom`, `red`, video instructions and `set` "
    "with a Boolean operator a\n  choice in which every pair of modifiers that may stand together "
    "does so.\n"
    "- Left out: what needs a newer GPU than sm_90 (`.v8`, vectors of 32 bytes, `.L2::evict_*` of "
    "loads and stores).\n"
    "- Operands: edge cases, boundary cases, random bits and numbers of ordinary size. A *case* is "
    "one thread's operands and\n  results. Where the manual leaves a result open (division by "
    "zero, say), the H200's is what must come out.\n"
    "- `tests/truth/data/simt_h200.txt` has the results of the kernels under `workloads/simt`, "
    "`flag` and `workqueue` on the\n  same GPU.\n"
    "- Textures and surfaces are more than instructions: `tests/truth/tex_cases.h` has cases of "
    "geometries, formats, address\n  modes, filters and coordinates, whose results on the same GPU "
    "are replayed bit for bit by `tex_replay`.\n\n";

static void put_totals(FILE *f, const struct truth_set *s, const struct coverage_row *rows) {
  struct counts t = {0};
  size_t forms = 0, executable = 0;
  for (size_t row = 0; row < ptx_n_forms(); row++) {
    forms++;
    executable += ptx_form(row)->exec;
    count(s, rows, row, &t);
  }
  fprintf(f,
          "| | |\n| --- | ---: |\n| forms | %zu |\n| executable forms | %zu |\n| variants of those "
          "| %zu |\n",
          forms, executable, t.variants);
  fprintf(f,
          "| with ground truth, all agreeing | %zu |\n| cases | %zu |\n| without a result to "
          "compare | %zu |\n",
          t.truth, t.cases, t.no_result);
  fprintf(f, "| refused by ptxas | %zu |\n| not run | %zu |\n\n", t.refused, t.not_run);
}

static void put_form(FILE *f, const struct truth_set *s, const struct coverage_row *rows,
                     size_t row) {
  const struct ptx_form *form = ptx_form(row);
  struct counts c = {0};
  char bound[1024] = "";
  count(s, rows, row, &c);
  for (size_t i = 0; i < s->n && !*bound; i++)
    if (s->v[i].form == row) bounds_text(&s->v[i], bound, sizeof bound);
  fprintf(f, "| `%s", ptx_op_name(form->op));
  put_cell(f, form->syntax, strlen(form->syntax));
  fprintf(f, "` | %zu | %zu | %zu | %s | ", c.variants, c.truth, c.cases,
          c.truth == 0 ? ""
          : *bound     ? bound
                       : "exact");
  put_why(f, &c);
  fprintf(f, " |\n");
}

static void put_page(FILE *f, const struct truth_set *s, const struct coverage_row *rows) {
  fputs(intro, f);
  put_totals(f, s, rows);
  fputs("## Executable forms\n\n| form | variants | with ground truth | cases | error bound | "
        "without ground truth |\n"
        "| --- | ---: | ---: | ---: | --- | --- |\n",
        f);
  for (size_t row = 0; row < ptx_n_forms(); row++)
    if (ptx_form(row)->exec) put_form(f, s, rows, row);
  fputs("\n## Forms that are recognised but not executed\n\nNo ground truth; a module that uses "
        "one is reported when it is "
        "loaded.\n\n| form |\n| --- |\n",
        f);
  for (size_t row = 0; row < ptx_n_forms(); row++) {
    const struct ptx_form *form = ptx_form(row);
    if (form->exec) continue;
    fprintf(f, "| `%s", ptx_op_name(form->op));
    put_cell(f, form->syntax, strlen(form->syntax));
    fputs("` |\n", f);
  }
}

bool coverage_write(const struct truth_set *s, const struct coverage_row *rows, const char *path) {
  FILE *f = fopen(path, "w");
  if (!f) {
    perror(path);
    return false;
  }
  put_page(f, s, rows);
  return fclose(f) == 0;
}

bool coverage_check(const struct truth_set *s, const struct coverage_row *rows, const char *path) {
  char *fresh = NULL;
  size_t len = 0;
  FILE *mem = open_memstream(&fresh, &len);
  if (!mem) return false;
  put_page(mem, s, rows);
  fclose(mem);
  FILE *f = fopen(path, "r");
  size_t at = 0;
  unsigned line = 1;
  int c = f ? getc(f) : EOF;
  for (; c != EOF && at < len && c == (unsigned char)fresh[at]; c = getc(f), at++)
    if (c == '\n') line++;
  bool same = f && c == EOF && at == len;
  if (!same) printf("%s: line %u is not what truth_replay --coverage writes now\n", path, line);
  if (f) fclose(f);
  free(fresh);
  return same;
}
