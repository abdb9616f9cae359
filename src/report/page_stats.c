/* Which statistics a page has, and what its stacks are made of. */
#include <string.h>

#include "report/page.h"

const char *const weir_page_stats[] = {
    "cycles", /* those of kernels, too */
    "derived.ipc",
    "derived.hit_rate_l1",
    "derived.bypass_rate",
    "derived.mpki",
    "derived.stall_frac",
    "l1.loads",
    "l1.hits",
    "l1.hit_reserved",
    "l1.partial_misses",
    "l1.misses",
    "l1.bypassed",
    "energy.total_nj",
    "launches", /* of runs alone from here on */
    "derived.hit_rate_stream",
    "derived.l2_hit_rate",
    "derived.l2_apki",
    "derived.dram_apki",
    "sm.thread_insns",
    "sm.slots_issued",
    "sm.slots_no_warp",
    "sm.slots_barrier",
    "sm.slots_load",
    "sm.slots_dependency",
    "sm.slots_unit",
    "sm.slots_fence",
    "sm.slots_gate",
    "sm.slots_ldst_data_port",
    "sm.slots_ldst_inflight",
    "sm.slots_ldst_line",
    "sm.slots_ldst_queue",
    "sm.slots_ldst_merge",
    "sm.slots_ldst_mshr",
    "sm.slots_ldst_icnt",
    "sm.slots_ldst_order",
    "sm.slots_ldst_busy",
    "energy.tag_nj",
    "energy.data_nj",
    "energy.table_nj",
    "energy.static_nj",
    "storage.bits_per_sm",
    "storage.baseline_bits_per_sm",
};

size_t weir_page_n_stats(void) {
  return sizeof weir_page_stats / sizeof *weir_page_stats;
}

/* Colours that people with other eyes can tell apart (after M. Okabe and K. Ito), and greys. */
const struct weir_page_stack weir_page_stacks[] = {
    {"composition",
     "What became of load requests",
     "share of loads",
     "l1.loads",
     {{"hit", "#0072b2", {"l1.hits"}},
      {"joined a pending line", "#56b4e9", {"l1.hit_reserved"}},
      {"partial miss", "#f0b840", {"l1.partial_misses"}},
      {"miss", "#d55e00", {"l1.misses"}},
      {"bypassed", "#8a8f98", {"l1.bypassed"}}}},
    {"stalls",
     "What scheduler slots were spent on",
     "share of slots",
     NULL,
     {{"issued", "#009e73", {"sm.slots_issued"}},
      {"waits for a load", "#0072b2", {"sm.slots_load"}},
      {"waits for a result", "#56b4e9", {"sm.slots_dependency"}},
      {"waits for a unit", "#7f6fc7", {"sm.slots_unit"}},
      {"barrier or fence", "#cc79a7", {"sm.slots_barrier", "sm.slots_fence"}},
      {"held back by a policy", "#8c510a", {"sm.slots_gate"}},
      {"LD/ST: line reserved", "#d55e00", {"sm.slots_ldst_line"}},
      {"LD/ST: MSHR", "#e69f00", {"sm.slots_ldst_mshr"}},
      {"LD/ST: merges", "#f0e442", {"sm.slots_ldst_merge"}},
      {"LD/ST: miss queue", "#b2452f", {"sm.slots_ldst_queue"}},
      {"LD/ST: interconnect", "#7a0c2e", {"sm.slots_ldst_icnt"}},
      {"LD/ST: other",
       "#b9a27c",
       {"sm.slots_ldst_data_port", "sm.slots_ldst_inflight", "sm.slots_ldst_order",
        "sm.slots_ldst_busy"}},
      {"no warp", "#b5bac2", {"sm.slots_no_warp"}}}},
    {.name = NULL}};

const struct weir_page_stack *weir_page_stack(const char *name) {
  for (const struct weir_page_stack *s = weir_page_stacks; s->name != NULL; s++)
    if (strcmp(s->name, name) == 0) return s;
  return NULL;
}
