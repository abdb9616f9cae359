/* What to do, as sentences. */
#include <inttypes.h>
#include <string.h>

#include "base/demangle.h"
#include "report/characterize.h"

static const char *kernel_name(const struct weir_characterize_view *v, uint32_t kernel, char *name,
                               size_t len) {
  return weir_demangle(weir_character_timed(v->c, kernel)->kernel, name, len);
}

/* "spmv.cu:14 (param_2)", of several kernels "reduction.cu:10 (reduce_first, param_0)". */
static void put_load(const struct weir_characterize_view *v, uint32_t site, struct weir_text *out) {
  char text[96], name[WEIR_DEMANGLED];
  const struct weir_site *s = &v->sites.v[site];
  const char *array = weir_character_array(v->c, s->first), *mark = " (", *end = "";
  weir_text_puts(out, weir_character_source(v->c, s->first, text, sizeof text));
  if (v->c->locality.kernels.n > 1) {
    weir_text_printf(out, "%s%s", mark, kernel_name(v, s->kernel, name, sizeof name));
    mark = ", ";
    end = ")";
  }
  if (array != NULL || strncmp(text, "0x", 2) != 0) {
    weir_text_puts(out, mark);
    if (array != NULL)
      weir_text_puts(out, array);
    else
      weir_text_printf(out, "0x%x", weir_character_insn(v->c, s->first)->pc);
    end = ")";
  }
  weir_text_puts(out, end);
}

static void put_count(struct weir_text *out, double n) {
  char num[27];
  weir_text_puts(out, weir_text_thousands((unsigned long long)n, num));
}

static void put_bytes(struct weir_text *out, double bytes) {
  if (bytes < 1 << 20)
    weir_text_printf(out, "%g KB", bytes / 1024);
  else
    weir_text_printf(out, "%g MB", bytes / (1 << 20));
}

/* How a load is kept out of the L1. */
static const char *remedy(const struct weir_characterize_view *v, uint32_t site) {
  switch (weir_character_insn(v->c, v->sites.v[site].first)->space) {
  case WEIR_SP_LOCAL:
    return "it reads local memory: avoid what is spilled, or arrays of a thread's own";
  case WEIR_SP_TEX:
    return "it reads a texture: plain loads could be kept out of the L1 (ld.global.cg, __ldcg)";
  default:
    return "keep it out of the L1 (ld.global.cg, __ldcg)";
  }
}

static void put_within(struct weir_text *out, const struct weir_advice *a) {
  bool is_far = a->v[2] != 0, is_next = !is_far && a->v[1] == 0;
  weir_text_puts(out, is_far    ? ", most of them more than 2,048 requests before"
                      : is_next ? ", nine of ten times with the very request before"
                                : ", nine of ten times within ");
  if (is_far || is_next) return;
  put_count(out, a->v[1]);
  weir_text_puts(out, a->v[1] == 1 ? " request" : " requests");
}

static void put_about_load(const struct weir_characterize_view *v, const struct weir_advice *a,
                           struct weir_text *out) {
  weir_text_puts(out, "load ");
  put_load(v, a->load, out);
  switch (a->kind) {
  case WEIR_ADVICE_STREAMS:
    weir_text_printf(
        out, " streams: %.1f %% of its requests are to lines that no other request uses; %s",
        100 * a->v[0], remedy(v, a->load));
    break;
  case WEIR_ADVICE_SPARSE:
    weir_text_printf(
        out,
        " misses with %.1f %% of its requests, and each is for %.1f of the %.0f sectors "
        "that come with a line; lay out its data so that a warp reads neighbours, or "
        "ask for sectors alone (ld.global.cg)",
        100 * a->v[2], a->v[0], a->v[1]);
    break;
  case WEIR_ADVICE_WARP_AGAIN:
    weir_text_printf(out, ": %.1f %% of its requests are to lines that the same warp used last",
                     100 * a->v[0]);
    put_within(out, a);
    weir_text_puts(out, "; keep the data in registers, or read more at a time (float4)");
    break;
  case WEIR_ADVICE_BLOCK_AGAIN:
    weir_text_printf(
        out, ": %.1f %% of its requests are to lines that another warp of the block used last",
        100 * a->v[0]);
    put_within(out, a);
    weir_text_puts(out, "; let the block read them once into shared memory");
    break;
  case WEIR_ADVICE_SECTORS:
    weir_text_printf(out,
                     ": %.1f %% of its requests find their line, and not the sectors that they are "
                     "for; read whole lines at a time (float4, neighbouring lanes)",
                     100 * a->v[0]);
    break;
  default: /* WEIR_ADVICE_CONFLICTS */
    weir_text_printf(out,
                     ": %.1f %% of its requests miss only because lines share sets; pad rows so "
                     "that they do not lie a power of two apart",
                     100 * a->v[0]);
  }
}

static void put_about_pair(const struct weir_characterize_view *v, const struct weir_advice *a,
                           struct weir_text *out) {
  weir_text_puts(out, a->kind == WEIR_ADVICE_POLLUTES ? "load " : "loads ");
  put_load(v, a->load, out);
  if (a->kind == WEIR_ADVICE_POLLUTES) {
    weir_text_puts(out, " streams, and evicts lines before load ");
    put_load(v, a->other, out);
    weir_text_printf(
        out, " uses them again, which costs the latter %.1f %% of its requests; of the former: %s",
        100 * a->v[0], remedy(v, a->load));
    return;
  }
  weir_text_puts(out, " and ");
  put_load(v, a->other, out);
  weir_text_puts(out, " evict each other's lines: ");
  put_count(out, a->v[0]);
  weir_text_puts(out, " requests of the first and ");
  put_count(out, a->v[1]);
  weir_text_puts(out, " of the second miss for it; use them in turns, on smaller pieces, or keep "
                      "the one with less reuse out of the L1");
}

static void put_about_kernel(const struct weir_characterize_view *v, const struct weir_advice *a,
                             struct weir_text *out) {
  char name[WEIR_DEMANGLED];
  double line = (double)v->c->setup->machine.l1.line;
  uint32_t lines = v->c->locality.kernels.v[a->kernel].lines_most;
  weir_text_printf(out, "kernel %s: ", kernel_name(v, a->kernel, name, sizeof name));
  switch (a->kind) {
  case WEIR_ADVICE_SIZE:
    weir_text_puts(out, "what is used again would fit into ");
    put_bytes(out, a->v[0] * line);
    weir_text_puts(out, " for each SM, and the L1 has ");
    put_bytes(out, lines * line);
    weir_text_printf(
        out,
        ": %.1f %% of requests would hit, and not %.1f %%; work on smaller pieces, let "
        "fewer blocks run at a time, or use a larger L1",
        100 * a->v[1], 100 * a->v[2]);
    break;
  case WEIR_ADVICE_WARPS:
    weir_text_printf(out,
                     "%.1f %% of requests miss because another warp had evicted the line (%.1f %% "
                     "of all lines lost); with fewer warps at a time more would hit "
                     "(try schemes swl and ccws)",
                     100 * a->v[0], 100 * a->v[1]);
    break;
  case WEIR_ADVICE_BOUND:
    weir_text_printf(
        out,
        "the L1 has, or is getting, the lines of %.1f %% of requests, and one that knew the "
        "future those of %.1f %%; a better choice of what to keep can pay (weir compare)",
        100 * a->v[0], 100 * a->v[1]);
    break;
  default: /* WEIR_ADVICE_ENOUGH */
    weir_text_printf(
        out,
        "the L1 has, or is getting, the lines of %.1f %% of requests, and one that knew the "
        "future those of %.1f %%; no choice of what to keep can do much better",
        100 * a->v[0], 100 * a->v[1]);
  }
}

void weir_advice_text(const struct weir_characterize_view *v, const struct weir_advice *a,
                      struct weir_text *out) {
  if (a->kind == WEIR_ADVICE_POLLUTES || a->kind == WEIR_ADVICE_EACH_OTHER)
    put_about_pair(v, a, out);
  else if (a->load != UINT32_MAX)
    put_about_load(v, a, out);
  else
    put_about_kernel(v, a, out);
}
