#include "stream/func_stats.h"

#define ROW(n, member, u, h)                                                                       \
  {                                                                                                \
    .name = n, .unit = u, .help = h, .kind = WEIR_COUNTER,                                         \
    .offset = offsetof(struct weir_func_stats, member)                                             \
  }
#define MEM(n, space, dir, h)    ROW(n, mem[WEIR_SP_##space][WEIR_DIR_##dir], "insn", h)
#define RATIO(n, num, den, u, h) WEIR_STAT_RATIO(weir_func_stats, n, num, den, u, h)

const struct weir_stat weir_func_stat_table[] = {
    WEIR_STAT(weir_func_stats, warp_insns, "insn", "warp instructions executed"),
    WEIR_STAT(weir_func_stats, thread_insns, "insn",
              "thread instructions executed: the sum of active lanes"),
    RATIO("lanes_per_insn", thread_insns, warp_insns, "lane", "active lanes per warp instruction"),
#define WEIR_CLASS(id, text, number, help) ROW("class_" text, by_class[WEIR_C_##id], "insn", help),
#include "stream/classes.def"
    WEIR_STAT(weir_func_stats, mem_insns, "insn", "warp instructions that access memory"),
    WEIR_STAT(weir_func_stats, mem_lanes, "lane", "active lanes of memory instructions, summed"),
    RATIO("lanes_per_mem_insn", mem_lanes, mem_insns, "lane",
          "active lanes per memory instruction"),
    MEM("global_loads", GLOBAL, LOAD, "warp loads from global memory"),
    MEM("global_stores", GLOBAL, STORE, "warp stores to global memory"),
    MEM("global_atomics", GLOBAL, ATOM, "warp atomics and reductions on global memory"),
    MEM("shared_loads", SHARED, LOAD, "warp loads from shared memory"),
    MEM("shared_stores", SHARED, STORE, "warp stores to shared memory"),
    MEM("shared_atomics", SHARED, ATOM, "warp atomics and reductions on shared memory"),
    MEM("local_loads", LOCAL, LOAD, "warp loads from local memory"),
    MEM("local_stores", LOCAL, STORE, "warp stores to local memory"),
    MEM("const_loads", CONST, LOAD, "warp loads from constant memory"),
    MEM("tex_loads", TEX, LOAD, "warp texture and surface reads"),
    MEM("tex_stores", TEX, STORE, "warp surface writes"),
    MEM("tex_atomics", TEX, ATOM, "warp surface reductions"),
    ROW("global_load_requests", global_requests[WEIR_DIR_LOAD], "request",
        "128-byte lines touched by global loads, counted per instruction"),
    ROW("global_load_sectors", global_sectors[WEIR_DIR_LOAD], "sector",
        "32-byte sectors touched by global loads, counted per instruction"),
    ROW("global_store_requests", global_requests[WEIR_DIR_STORE], "request",
        "128-byte lines touched by global stores, counted per instruction"),
    ROW("global_store_sectors", global_sectors[WEIR_DIR_STORE], "sector",
        "32-byte sectors touched by global stores, counted per instruction"),
    ROW("global_atomic_requests", global_requests[WEIR_DIR_ATOM], "request",
        "128-byte lines touched by global atomics, counted per instruction"),
    ROW("global_atomic_sectors", global_sectors[WEIR_DIR_ATOM], "sector",
        "32-byte sectors touched by global atomics, counted per instruction"),
    WEIR_STAT(weir_func_stats, global_insns, "insn", "global loads, stores and atomics"),
    ROW("global_requests", all_global_requests, "request",
        "128-byte lines touched by global loads, stores and atomics"),
    ROW("global_sectors", all_global_sectors, "sector",
        "32-byte sectors touched by global loads, stores and atomics"),
    RATIO("requests_per_global_load", global_requests[WEIR_DIR_LOAD],
          mem[WEIR_SP_GLOBAL][WEIR_DIR_LOAD], "request", "requests per global load instruction"),
    RATIO("requests_per_global_insn", all_global_requests, global_insns, "request",
          "requests per global memory instruction"),
    RATIO("sectors_per_request", all_global_sectors, all_global_requests, "sector",
          "sectors per global request, 4 at most"),
    WEIR_STAT(weir_func_stats, local_requests, "request",
              "128-byte lines touched by local loads and stores"),
    WEIR_STAT(weir_func_stats, local_sectors, "sector",
              "32-byte sectors touched by local loads and stores"),
    WEIR_STAT(weir_func_stats, shared_insns, "insn", "shared loads, stores and atomics"),
    WEIR_STAT(weir_func_stats, shared_passes, "pass",
              "passes over the 32 banks of shared memory, conflicts included"),
    RATIO("passes_per_shared_insn", shared_passes, shared_insns, "pass",
          "bank passes per shared memory instruction"),
    WEIR_STAT(weir_func_stats, branches, "insn", "branch instructions"),
    WEIR_STAT(weir_func_stats, divergent_branches, "insn",
              "branches whose active lanes went different ways"),
    RATIO("divergence_rate", divergent_branches, branches, "share",
          "share of branches that diverged"),
    WEIR_STAT(weir_func_stats, barriers, "insn", "block-wide barriers, counted per warp"),
    WEIR_STAT_END};

const struct weir_check weir_func_checks[] = {
    {"mem_insns == global_loads + global_stores + global_atomics + shared_loads + shared_stores + "
     "shared_atomics + local_loads + local_stores + const_loads + tex_loads + tex_stores + "
     "tex_atomics",
     "every memory instruction has one space and one direction"},
    {"global_insns == global_loads + global_stores + global_atomics", "the sum of its parts"},
    {"shared_insns == shared_loads + shared_stores + shared_atomics", "the sum of its parts"},
    {"global_requests == global_load_requests + global_store_requests + global_atomic_requests",
     "the sum of its parts"},
    {"global_sectors == global_load_sectors + global_store_sectors + global_atomic_sectors",
     "the sum of its parts"},
    {"warp_insns == "
#define WEIR_CLASS(id, text, number, help) "class_" text " + "
#include "stream/classes.def"
     "0",
     "every instruction has one class"},
    {NULL, NULL}};

const struct weir_stat_group weir_func_stat_group = {
    .prefix = "func",
    .about = "what a launch executed, before any timing",
    .table = weir_func_stat_table,
    .checks = weir_func_checks};

void weir_count_mem(struct weir_func_stats *s, struct weir_line_counter *c, enum weir_mem_dir dir,
                    const struct weir_addrs *a, uint32_t mask, unsigned width) {
  unsigned lines, sectors;
  s->mem_insns++;
  s->mem_lanes += weir_mask_lanes(mask);
  s->mem[a->space][dir]++;
  switch (a->space) {
  case WEIR_SP_GLOBAL:
    lines = weir_count_lines(c, a, mask, width, &sectors);
    s->global_insns++;
    s->global_requests[dir] += lines;
    s->global_sectors[dir] += sectors;
    s->all_global_requests += lines;
    s->all_global_sectors += sectors;
    break;
  case WEIR_SP_LOCAL:
    s->local_requests += weir_count_lines(c, a, mask, width, &sectors);
    s->local_sectors += sectors;
    break;
  case WEIR_SP_SHARED:
    s->shared_insns++;
    s->shared_passes += weir_bank_passes_addrs(a, mask, width);
    break;
  default:
    break;
  }
}
