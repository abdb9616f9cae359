#include "report/clocks.h"

#include <inttypes.h>

#include "base/demangle.h"
#include "base/json.h"
#include "base/mem.h"
#include "base/table.h"
#include "report/timing.h"

static double mean(const struct weir_clock_pair *p) {
  return (double)p->sum / (double)p->n;
}

static void read_cells(struct weir_table *t, const struct weir_timed_kernel *k, uint32_t insn) {
  char text[96];
  weir_table_cell(t, "%s", weir_insn_source(k, &k->insns[insn], text, sizeof text));
  weir_table_cell(t, "0x%x", k->insns[insn].pc);
}

static void add_rows(struct weir_table *t, const struct weir_timed_kernel *k) {
  for (size_t i = 0; i < k->clocks.n; i++) {
    const struct weir_clock_pair *p = &k->clocks.v[i];
    char num[27], name[WEIR_DEMANGLED];
    weir_table_cell(t, "%s", i == 0 ? weir_demangle(k->kernel, name, sizeof name) : "");
    read_cells(t, k, p->from);
    read_cells(t, k, p->to);
    weir_table_cell(t, "%s", weir_text_thousands(p->n, num));
    weir_table_cell(t, "%s", weir_text_thousands(p->min, num));
    weir_table_cell(t, "%.1f", mean(p));
    weir_table_cell(t, "%s", weir_text_thousands(p->max, num));
  }
}

static bool names_reads(const struct weir_timed_kernel *k) {
  for (uint32_t i = 0; i < k->n_insns; i++)
    if (k->insns[i].reads_clock) return true;
  return false;
}

static void add_note(const struct weir_timed_kernel *k, struct weir_text *out) {
  char name[WEIR_DEMANGLED];
  if (!k->reads_clock) return;
  weir_demangle(k->kernel, name, sizeof name);
  if (!names_reads(k))
    weir_text_printf(out,
                     "clocks: %s reads them, but the trace, which an older weir wrote, does not "
                     "say where: record it again\n",
                     name);
  else if (k->clocks.n == 0)
    weir_text_printf(out, "clocks: no thread of %s read one twice\n", name);
  if (k->clocks.n_lost > 0)
    weir_text_printf(out,
                     "clocks: %s has more than %d pairs of reads; %" PRIu64
                     " intervals of others are left out\n",
                     name, WEIR_CLOCK_PAIRS, k->clocks.n_lost);
}

enum weir_status weir_clocks_text(const struct weir_timing *t, struct weir_text *out,
                                  struct weir_err *err) {
  static const struct weir_column columns[] = {
      {"kernel", NULL, WEIR_LEFT},     {"from a read", "source", WEIR_LEFT},
      {"", "pc", WEIR_RIGHT},          {"to the next", "source", WEIR_LEFT},
      {"", "pc", WEIR_RIGHT},          {"count", NULL, WEIR_RIGHT},
      {"least", "cycles", WEIR_RIGHT}, {"mean", "cycles", WEIR_RIGHT},
      {"most", "cycles", WEIR_RIGHT}};
  struct weir_table *table = weir_table_new(columns, sizeof columns / sizeof *columns);
  if (table == NULL) return weir_no_memory(err);
  bool any_reads = false, any_pairs = false;
  for (size_t i = 0; i < t->kernels.n; i++) {
    const struct weir_timed_kernel *k = &t->kernels.v[i];
    any_reads |= k->reads_clock;
    any_pairs |= k->clocks.n > 0;
    add_rows(table, k);
  }
  enum weir_status st = any_pairs ? weir_table_text(table, out, err) : WEIR_OK;
  weir_table_free(table);
  for (size_t i = 0; i < t->kernels.n; i++)
    add_note(&t->kernels.v[i], out);
  if (!any_reads) weir_text_puts(out, "clocks: no kernel that was timed reads one\n");
  return st;
}

static json_t *read_json(const struct weir_kernel_info *k, uint32_t insn) {
  const struct weir_static *s = &k->insns[insn];
  const char *file = s->line > 0 && s->file < k->n_files ? k->files[s->file] : NULL;
  return json_pack("{s:I, s:I, s:I, s:o}", "pc", (json_int_t)s->pc, "ptx_line",
                   (json_int_t)s->ptx_line, "line", (json_int_t)s->line, "file",
                   file != NULL ? weir_json_text(file) : json_null());
}

json_t *weir_clocks_json(const struct weir_clock_pairs *p, const struct weir_kernel_info *k) {
  json_t *list = json_array();
  for (size_t i = 0; list != NULL && i < p->n; i++) {
    const struct weir_clock_pair *x = &p->v[i];
    json_t *o = json_pack("{s:o, s:o, s:I, s:I, s:o, s:I}", "from", read_json(k, x->from), "to",
                          read_json(k, x->to), "count", (json_int_t)x->n, "min", (json_int_t)x->min,
                          "mean", weir_json_real(mean(x)), "max", (json_int_t)x->max);
    if (json_array_append_new(list, o) != 0) {
      json_decref(list);
      return NULL;
    }
  }
  return list;
}
