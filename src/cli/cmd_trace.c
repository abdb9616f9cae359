/* weir trace info|kernels|head|verify FILE */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/demangle.h"
#include "base/mem.h"
#include "base/number.h"
#include "base/suggest.h"
#include "base/table.h"
#include "cli/cmd.h"
#include "cli/opt.h"
#include "report/provenance.h"
#include "trace/wtrace.h"

enum { OPT_COUNT = 1, OPT_KERNEL, OPT_BLOCK, OPT_WARP };

static const struct weir_usage usage = {
    .command = "trace",
    .synopsis = "info|kernels|head|verify FILE.wtrace [options]",
    .about = "Look into a trace that 'weir record' wrote, or check it:\n"
             "\n"
             "  info      what the file holds, in a few lines\n"
             "  kernels   a table of its kernel launches\n"
             "  head      the first instructions of a warp\n"
             "  verify    check every checksum, decode everything, compare all counts",
    .opts =
        (const struct weir_opt[]){
            {"count", 'n', "N", "head: how many instructions (default: 20)", OPT_COUNT},
            {"kernel", 'k', "K", "head: which launch (default: 0)", OPT_KERNEL},
            {"block", 'b', "B", "head: which block (default: the first)", OPT_BLOCK},
            {"warp", 'w', "W", "head: which warp (default: 0)", OPT_WARP},
            {.name = NULL}},
    .examples = "  weir trace info spmv.wtrace\n"
                "  weir trace head spmv.wtrace --kernel 0 --block 7 --warp 1 -n 50\n",
};

struct trace_opts {
  const char *verb, *path;
  int64_t count, kernel, block, warp;
};

/* ---- kernels ---- */

struct row {
  struct weir_kernel_info *info;
  struct weir_wtrace_counts counts;
  uint64_t launches;
};

static void add_counts(struct weir_wtrace_counts *to, const struct weir_wtrace_counts *c) {
  to->n_blocks += c->n_blocks;
  to->n_insns += c->n_insns;
  to->n_mem += c->n_mem;
  to->stream_bytes += c->stream_bytes;
  to->file_bytes += c->file_bytes;
}

static void ratio(struct weir_table *table, uint64_t num, uint64_t den) {
  if (den)
    weir_table_cell(table, "%.3f", (double)num / (double)den);
  else
    weir_table_cell(table, "-");
}

static void show_row(struct weir_table *table, uint32_t number, const struct row *r, bool merged) {
  char num[27], name[WEIR_DEMANGLED];
  const struct weir_kernel_info *k = r->info;
  weir_table_cell(table, "%" PRIu64, merged ? r->launches : number);
  weir_table_cell(table, "%s%s%s", weir_demangle(k->name, name, sizeof name),
                  k->is_interleaved ? " *" : "", k->reads_clock ? " +" : "");
  weir_table_cell(table, "%ux%ux%u", k->grid[0], k->grid[1], k->grid[2]);
  weir_table_cell(table, "%ux%ux%u", k->block[0], k->block[1], k->block[2]);
  if (k->regs_per_thread)
    weir_table_cell(table, "%s%u", k->regs_estimated ? "~" : "", k->regs_per_thread);
  else
    weir_table_cell(table, "-");
  weir_table_cell(table, "%u", k->static_shared + k->dyn_shared);
  weir_table_cell(table, "%s", weir_text_thousands(r->counts.n_insns, num));
  weir_table_cell(table, "%s", weir_text_thousands(r->counts.n_mem, num));
  weir_table_cell(table, "%s", weir_text_thousands(r->counts.file_bytes, num));
  ratio(table, r->counts.file_bytes, r->counts.n_insns);
}

static void show_rows(struct weir_table *table, const struct row *rows, size_t n, bool merged) {
  for (size_t i = 0; i < n; i++)
    show_row(table, (uint32_t)i, &rows[i], merged);
}

static enum weir_status collect_rows(const struct weir_wtrace *t, bool merged, struct row *rows,
                                     size_t *n_rows, struct weir_err *err) {
  for (uint32_t k = 0; k < weir_wtrace_n_kernels(t); k++) {
    struct row r = {.counts = weir_wtrace_kernel_counts(t, k), .launches = 1};
    enum weir_status st = weir_wtrace_info(t, k, &r.info, err);
    if (st) return st;
    size_t i = merged ? 0 : *n_rows;
    while (i < *n_rows && strcmp(rows[i].info->name, r.info->name) != 0)
      i++;
    if (i < *n_rows) {
      add_counts(&rows[i].counts, &r.counts);
      rows[i].launches++;
      weir_wtrace_info_free(r.info);
    } else {
      rows[(*n_rows)++] = r;
    }
  }
  return WEIR_OK;
}

enum weir_status weir_cli_trace_kernels(const struct weir_wtrace *t, bool merged,
                                        struct weir_text *out, struct weir_err *err) {
  const struct weir_column columns[] = {
      {merged ? "launches" : "launch", NULL, WEIR_RIGHT},
      {"kernel", NULL, WEIR_LEFT},
      {"grid", NULL, WEIR_RIGHT},
      {"block", "threads", WEIR_RIGHT},
      {"registers", "per thread", WEIR_RIGHT},
      {"shared", "bytes", WEIR_RIGHT},
      {"warp insns", NULL, WEIR_RIGHT},
      {"accesses", "warp insns", WEIR_RIGHT},
      {"stored", "bytes", WEIR_RIGHT},
      {"stored", "bytes/insn", WEIR_RIGHT},
  };
  struct row *rows = weir_calloc(weir_wtrace_n_kernels(t) + (size_t)1, sizeof *rows);
  struct weir_table *table = weir_table_new(columns, sizeof columns / sizeof *columns);
  size_t n = 0;
  enum weir_status st =
      rows && table ? WEIR_OK : weir_fail(err, WEIR_ENOMEM, "out of memory for a table");
  if (!st) st = collect_rows(t, merged, rows, &n, err);
  if (!st) {
    show_rows(table, rows, n, merged);
    st = weir_table_text(table, out, err);
  }
  for (size_t i = 0; rows != NULL && i < n; i++)
    weir_wtrace_info_free(rows[i].info);
  free(rows);
  weir_table_free(table);
  return st;
}

/* ---- info ---- */

static void info_line(struct weir_text *out, const char *name, uint64_t value) {
  char num[27];
  weir_text_printf(out, "%-22s %s\n", name, weir_text_thousands(value, num));
}

static enum weir_status show_info(const struct weir_wtrace *t, struct weir_text *out) {
  struct weir_wtrace_counts all = {0};
  uint64_t groups = 0, copies = 0, copied = 0;
  for (uint32_t k = 0; k < weir_wtrace_n_kernels(t); k++) {
    struct weir_wtrace_counts c = weir_wtrace_kernel_counts(t, k);
    add_counts(&all, &c);
    groups += weir_wtrace_n_groups(t, k);
  }
  for (uint32_t i = 0; i < weir_wtrace_n_events(t); i++) {
    struct weir_event e = weir_wtrace_event(t, i);
    copies += e.kind != WEIR_EVENT_KERNEL;
    copied += e.bytes;
  }
  weir_text_printf(out, "%-22s %u\n", "version", weir_wtrace_version(t));
  weir_text_printf(out, "%-22s %s\n", "recorded from", weir_wtrace_source_text(t));
  if (weir_wtrace_provenance_text(t)) {
    weir_text_printf(out, "%-22s ", "made by");
    weir_provenance_summary(weir_wtrace_provenance_text(t), out);
    weir_text_puts(out, "\n");
  }
  info_line(out, "kernel launches", weir_wtrace_n_kernels(t));
  info_line(out, "memory copies", copies);
  if (copies) info_line(out, "bytes copied", copied);
  info_line(out, "blocks", all.n_blocks);
  info_line(out, "warp instructions", all.n_insns);
  info_line(out, "with addresses", all.n_mem);
  info_line(out, "block groups", groups);
  info_line(out, "bytes as streams", all.stream_bytes);
  info_line(out, "bytes of the file", weir_wtrace_file_bytes(t));
  if (all.n_insns)
    weir_text_printf(out, "%-22s %.3f\n", "bytes per instruction",
                     (double)weir_wtrace_file_bytes(t) / (double)all.n_insns);
  return WEIR_OK;
}

/* ---- head ---- */

static const char *const space_name[WEIR_N_SPACES] = {"-",     "global", "shared", "local",
                                                      "const", "param",  "tex",    "generic"};

static void show_regs(struct weir_text *out, const char *before, const uint16_t *reg, unsigned n) {
  for (unsigned i = 0; i < n; i++)
    weir_text_printf(out, "%s%u", i ? "," : before, reg[i]);
}

static void show_addrs(struct weir_text *out, const struct weir_dyn *d, unsigned width) {
  weir_text_printf(out, "  %s %ux", space_name[d->addrs.space], width);
  if (d->addrs.kind == WEIR_ADDR_UNIFORM) {
    weir_text_printf(out, " 0x%" PRIx64, d->addrs.base);
  } else if (d->addrs.kind == WEIR_ADDR_STRIDE) {
    weir_text_printf(out, " 0x%" PRIx64 " %+" PRId64, d->addrs.base, d->addrs.stride);
  } else {
    uint64_t lane[WEIR_LANES];
    weir_expand(d, lane);
    for (unsigned i = 0; i < WEIR_LANES; i++)
      if (d->mask >> i & 1) weir_text_printf(out, " 0x%" PRIx64, lane[i]);
  }
}

static void show_barrier(struct weir_text *out, const struct weir_static *s,
                         const struct weir_dyn *d) {
  struct weir_barrier b = weir_barrier_of(s, d);
  weir_text_printf(out, "  barrier %u", b.id);
  if (b.warps != 0) weir_text_printf(out, " of %u warps", b.warps);
  if (s->bar_arrive) weir_text_puts(out, ", arrives");
  if (b.is_partial && d->mask != 0) weir_text_puts(out, ", other lanes follow");
}

static void show_insn(struct weir_text *out, const struct weir_kernel_info *k,
                      const struct weir_dyn *d) {
  const struct weir_static *s = &k->insns[d->insn];
  weir_text_printf(out, "%6x  %08x  %-8s", s->pc, d->mask,
                   weir_class_name((enum weir_class)s->cls));
  struct weir_text regs = {0};
  show_regs(&regs, "r", s->dst, s->n_dst);
  show_regs(&regs, " <- r", s->src, s->n_src);
  weir_text_printf(out, " %-24s", regs.v ? regs.v : "");
  weir_text_free(&regs);
  if (s->line) {
    const char *file = s->file < k->n_files && k->files[s->file] ? k->files[s->file] : "";
    const char *slash = strrchr(file, '/');
    weir_text_printf(out, " %s:%u", slash ? slash + 1 : file, s->line);
  } else if (s->ptx_line) {
    weir_text_printf(out, " ptx:%u", s->ptx_line);
  }
  if (s->cls == WEIR_C_BARRIER)
    show_barrier(out, s, d);
  else if (d->has_addr)
    show_addrs(out, d, s->width);
  if (s->reads_clock) weir_text_puts(out, "  reads a clock");
  weir_text_puts(out, "\n");
}

static enum weir_status show_warp(const struct trace_opts *o, struct weir_block_source *src,
                                  struct weir_block_stream *b, struct weir_text *out,
                                  struct weir_err *err) {
  struct weir_warp_reader r;
  struct weir_dyn d;
  char num[27];
  if (o->warp >= b->n_warps)
    return weir_fail(err, WEIR_EINVAL, "kernel %s has %u warps in a block, counted from 0",
                     src->kernel->name, b->n_warps);
  weir_text_printf(out, "%s, block %" PRIu64 ", warp %" PRId64 ": %s instructions\n",
                   src->kernel->name, b->id, o->warp,
                   weir_text_thousands(b->warps[o->warp].n_insns, num));
  weir_text_puts(out, "    pc  lanes     class    registers                where and what\n");
  weir_reader_open(&r, &b->warps[o->warp], src->kernel, false);
  for (int64_t i = 0; i < o->count && weir_next(&r, &d); i++)
    show_insn(out, src->kernel, &d);
  enum weir_status st = weir_reader_error(&r, err);
  weir_reader_close(&r);
  return st;
}

static enum weir_status show_head(const struct weir_wtrace *t, const struct trace_opts *o,
                                  struct weir_text *out, struct weir_err *err) {
  enum { POOL_BYTES = 64 << 20 };
  struct weir_stream_pool pool;
  struct weir_block_source *src = NULL;
  struct weir_block_stream *b = NULL;
  enum weir_status st = weir_stream_pool_init(&pool, POOL_BYTES, NULL, err);
  if (st) return st;
  st = weir_wtrace_source_open(t, (uint32_t)o->kernel, (uint64_t)o->block, &pool, &src, err);
  if (!st) st = src->next(src, &b, err);
  if (!st && b && (!o->block || b->id == (uint64_t)o->block))
    st = show_warp(o, src, b, out, err);
  else if (!st)
    st = weir_fail(err, WEIR_EINVAL, "launch %" PRId64 " (%s) has no block %" PRId64 " in %s",
                   o->kernel, src->kernel->name, o->block, o->path);
  weir_block_release(b);
  weir_wtrace_source_close(src);
  weir_stream_pool_free(&pool);
  return st;
}

/* ---- verify ---- */

static enum weir_status show_verify(const struct weir_wtrace *t, const char *path,
                                    struct weir_text *out, struct weir_err *err) {
  enum weir_status st = weir_wtrace_verify(t, err);
  uint64_t n = 0;
  char num[27];
  for (uint32_t k = 0; k < weir_wtrace_n_kernels(t); k++)
    n += weir_wtrace_kernel_counts(t, k).n_insns;
  if (!st)
    weir_text_printf(out, "%s: sound: %u kernel launch%s, %s warp instructions\n", path,
                     weir_wtrace_n_kernels(t), weir_wtrace_n_kernels(t) == 1 ? "" : "es",
                     weir_text_thousands(n, num));
  return st;
}

static enum weir_status run(const struct trace_opts *o, struct weir_text *out,
                            struct weir_err *err) {
  struct weir_wtrace *t;
  enum weir_status st = weir_wtrace_open(o->path, &t, err);
  if (st) return st;
  if (!strcmp(o->verb, "info"))
    st = show_info(t, out);
  else if (!strcmp(o->verb, "kernels"))
    st = weir_cli_trace_kernels(t, false, out, err);
  else if (!strcmp(o->verb, "head"))
    st = show_head(t, o, out, err);
  else
    st = show_verify(t, o->path, out, err);
  weir_wtrace_close(t);
  return st;
}

static bool number(const char *text, int64_t *out) {
  return weir_parse_int(text, out) && *out >= 0 && *out <= INT64_C(0xffffffff);
}

int weir_cmd_trace(int argc, char **argv) {
  static const char *const verbs[] = {"info", "kernels", "head", "verify"};
  enum { N_VERBS = sizeof verbs / sizeof *verbs };
  struct trace_opts o = {.count = 20};
  struct weir_args args = {.argc = argc, .argv = argv, .at = 1};
  for (int id; (id = weir_opt_next(&args, &usage)) != WEIR_OPT_END;) {
    int64_t *to = id == OPT_COUNT    ? &o.count
                  : id == OPT_KERNEL ? &o.kernel
                  : id == OPT_BLOCK  ? &o.block
                                     : &o.warp;
    if (id == WEIR_OPT_DONE) return args.exit_code;
    if (id == WEIR_OPT_WORD && o.path) return weir_cli_usage("trace", "one file at a time");
    if (id == WEIR_OPT_WORD)
      *(o.verb ? &o.path : &o.verb) = args.value;
    else if (!number(args.value, to))
      return weir_cli_usage("trace", "'%s' is not a number from 0 to 4294967295", args.value);
  }
  size_t v = 0;
  while (o.verb && v < N_VERBS && strcmp(verbs[v], o.verb) != 0)
    v++;
  if (!o.verb) return weir_cli_usage("trace", "what to do? info, kernels, head or verify");
  if (v == N_VERBS) {
    const char *near = weir_nearest(o.verb, verbs, N_VERBS);
    return weir_cli_usage("trace", "there is no 'weir trace %s'%s%s%s", o.verb,
                          near ? "; did you mean '" : "", near ? near : "", near ? "'?" : "");
  }
  if (!o.path) return weir_cli_usage("trace", "which file?");
  struct weir_text out = weir_cli_text();
  struct weir_err err;
  enum weir_status st = run(&o, &out, &err);
  if (!st) return weir_cli_print(&out);
  weir_text_free(&out);
  return weir_cli_error(&err);
}
