#include "analysis/traits.h"

#include <inttypes.h>
#include <stdio.h>

static const char *const distances[WEIR_DISTANCES] = {
    "0", "1", "2", "4", "8", "16", "32", "64", "128", "256", "512", "1024", "2048", "more"};
static const char *const counts[WEIR_REUSE_COUNTS] = {"1", "2", "3", "more"};
static const char *const betweens[WEIR_BETWEENS] = {"same_warp", "same_block", "same_launch",
                                                    "earlier_launch"};
static const char *const causes[WEIR_MISS_CAUSES] = {"none",     "compulsory", "by_a_store",
                                                     "capacity", "conflict",   "sector"};
static const char *const sectors[WEIR_CHUNK_COUNTS] = {
    "0", "1", "2", "3", "4", "5", "6", "7", "8", "9", "10", "11", "12", "13", "14", "15", "16"};

#define ONE(f, h)                                                                                  \
  { .name = #f, .help = h, .offset = offsetof(struct weir_locality, f), .n = 1 }
#define MANY(name_, f, p, h)                                                                       \
  {                                                                                                \
    .name = name_, .help = h, .offset = offsetof(struct weir_locality, f),                         \
    .n = sizeof(((struct weir_locality *)0)->f) / sizeof(uint64_t), .parts = p                     \
  }
const struct weir_trait weir_traits[] = {
    ONE(references, "load requests that an L1 could answer"),
    ONE(past, "load requests that go past the L1 by their operator, and are no references"),
    ONE(sectors, "sectors that the references touch"),
    ONE(answered, "in the run: references whose line was there"),
    ONE(pending, "in the run: references whose line was on its way"),
    ONE(sent, "in the run: references that sent for something"),
    ONE(partial, "of these, those whose line was there without all of their sectors"),
    ONE(lines, "lines that it was the first to use: on an SM, since the L1 was emptied or a store "
               "ended the line"),
    MANY("reuse", reuse, counts, "of these lines, those with so many references by any load"),
    ONE(lone, "references without another one to their line"),
    ONE(first, "references with no earlier one to their line"),
    MANY("access_distance", access, distances,
         "the others, by references in between: up to so many"),
    MANY("stack_distance", stack, distances,
         "and by their depth in the stack of least recently used lines: up to so many"),
    MANY("needs_lines", needs, NULL,
         "references that hit with so many lines anywhere, and not with half as many"),
    ONE(fits, "references that hit with as many lines anywhere as the L1 has"),
    MANY("used_before_by", after, betweens,
         "references that are not first, by who used the line "
         "before"),
    MANY("same_warp_distance", after_access[WEIR_SAME_WARP], distances,
         "those of the same warp, by references in between"),
    MANY("same_block_distance", after_access[WEIR_SAME_BLOCK], distances,
         "those of another warp of the block"),
    MANY("same_launch_distance", after_access[WEIR_SAME_LAUNCH], distances,
         "those of another block"),
    MANY("earlier_launch_distance", after_access[WEIR_EARLIER_LAUNCH], distances,
         "those of an earlier launch"),
    MANY("misses", cause, causes,
         "references by why they miss in an L1 of the machine's lines and sets that replaces the "
         "least recently used"),
    ONE(evicted, "lines that it brought and that another one replaced, in that L1"),
    MANY("used_sectors", used, sectors, "of these lines, those with so many sectors hit later"),
    MANY("evicted_by", lost, betweens, "capacity and conflict misses, by who had evicted the line"),
    MANY("evicted_by_warp_distance", lost_warps, distances,
         "of these, those of the same launch, by the distance of the warps' numbers"),
    ONE(opt, "hits that no L1 with as many lines can exceed, unless it prefetches"),
    ONE(opt_chunk, "the same with as many lines as the L1 has chunks of 32 bytes"),
    {.name = NULL}};

uint64_t weir_trait_value(const struct weir_trait *t, const struct weir_locality *v,
                          uint32_t part) {
  return ((const uint64_t *)((const char *)v + t->offset))[part];
}

const char *weir_trait_part(const struct weir_trait *t, uint32_t part, char buf[24]) {
  if (t->parts != NULL) return t->parts[part];
  snprintf(buf, 24, "%llu", 1ULL << part);
  return buf;
}

void weir_traits_json(const struct weir_locality *v, struct weir_text *out) {
  char buf[24];
  for (const struct weir_trait *t = weir_traits; t->name != NULL; t++) {
    uint32_t n = t->n;
    while (t->parts == NULL && n > 1 && weir_trait_value(t, v, n - 1) == 0)
      n--;
    weir_text_printf(out, "%s\"%s\":%s", t == weir_traits ? "{" : ",", t->name,
                     t->n > 1 ? "{" : "");
    for (uint32_t i = 0; i < n; i++) {
      if (t->n > 1)
        weir_text_printf(out, "%s\"%s\":", i > 0 ? "," : "", weir_trait_part(t, i, buf));
      weir_text_printf(out, "%" PRIu64, weir_trait_value(t, v, i));
    }
    if (t->n > 1) weir_text_puts(out, "}");
  }
  weir_text_puts(out, "}");
}
