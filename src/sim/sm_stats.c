/* What an SM counts. */
#include "sim/sm.h"

#define S(f, u, h) WEIR_STAT(weir_sm_stats, f, u, h)
#define SLOT(i, n, h)                                                                              \
  {                                                                                                \
    .name = n, .unit = "slot", .help = h,                                                          \
    .offset = offsetof(struct weir_sm_stats, slot) + sizeof(uint64_t) * (i)                        \
  }
#define KIND(f, n, i, u, h)                                                                        \
  {                                                                                                \
    .name = n, .unit = u, .help = h,                                                               \
    .offset = offsetof(struct weir_sm_stats, f) + sizeof(uint64_t) * (i)                           \
  }
const struct weir_stat weir_sm_stat_table[] = {
    S(warp_insns, "insn", "warp instructions executed"),
    S(insns_left_out, "insn",
      "of these, those that issue nothing: what unrolled iterations of a loop share (sched.order)"),
    S(thread_insns, "insn", "thread instructions executed"),
    S(blocks, "block", "blocks retired"),
    S(mem_insns, "insn", "memory instructions issued, shared and constant memory included"),
    S(load_insns, "insn", "load instructions from global and local memory that were answered"),
    S(load_insns_missed, "insn", "of these, those with a request that sent for something"),
    S(requests, "request", "line-sized requests to global and local memory"),
    S(texture_requests, "request", "of these, those that a texture cache took (sm.texture_bytes)"),
    S(texture_hits, "request", "of these, hits"),
    S(texture_joins, "request",
      "... that joined a line on its way; the others read it past the L1"),
    S(shared_passes, "pass", "passes over the banks of shared memory"),
    SLOT(WEIR_SLOT_ISSUED, "slots_issued", "scheduler slots that issued an instruction"),
    SLOT(WEIR_SLOT_NO_WARP, "slots_no_warp", "no warp was resident"),
    SLOT(WEIR_SLOT_BARRIER, "slots_barrier", "the oldest warp waited at a barrier"),
    SLOT(WEIR_SLOT_LOAD, "slots_load", "the oldest warp waited for a load"),
    SLOT(WEIR_SLOT_DEPENDENCY, "slots_dependency", "the oldest warp waited for another result"),
    SLOT(WEIR_SLOT_UNIT, "slots_unit",
         "the oldest warp waited for an execution unit, or for the rest of a division's slots"),
    SLOT(WEIR_SLOT_FENCE, "slots_fence", "the oldest warp waited at a fence"),
    SLOT(WEIR_SLOT_GATE, "slots_gate", "a policy held the oldest warp back"),
    SLOT(WEIR_SLOT_LDST + WEIR_NO_DATA_PORT, "slots_ldst_data_port",
         "the LD/ST unit was full; its head waited for the data port"),
    SLOT(WEIR_SLOT_LDST + WEIR_NO_INFLIGHT, "slots_ldst_inflight",
         "... for the limit of loads in flight"),
    SLOT(WEIR_SLOT_LDST + WEIR_NO_LINE, "slots_ldst_line",
         "... because all ways of its set were reserved"),
    SLOT(WEIR_SLOT_LDST + WEIR_NO_QUEUE, "slots_ldst_queue", "... for the miss queue"),
    SLOT(WEIR_SLOT_LDST + WEIR_NO_MERGE, "slots_ldst_merge",
         "... because its line had too many waiters"),
    SLOT(WEIR_SLOT_LDST + WEIR_NO_MSHR, "slots_ldst_mshr", "... for a free MSHR"),
    SLOT(WEIR_SLOT_LDST + WEIR_NO_ICNT, "slots_ldst_icnt", "... for the interconnect's buffer"),
    SLOT(WEIR_SLOT_LDST + WEIR_NO_ORDER, "slots_ldst_order",
         "... for a place in its queue, where a policy orders requests"),
    SLOT(WEIR_SLOT_LDST + WEIR_N_SHORTAGES, "slots_ldst_busy",
         "... for nothing: requests were moving"),
    KIND(stall, "stall_data_port", WEIR_NO_DATA_PORT, "cycle",
         "the LD/ST head waited for the data port"),
    KIND(stall, "stall_inflight", WEIR_NO_INFLIGHT, "cycle",
         "... for the limit of loads in flight"),
    KIND(stall, "stall_line", WEIR_NO_LINE, "cycle",
         "... because all ways of its set were reserved"),
    KIND(stall, "stall_queue", WEIR_NO_QUEUE, "cycle", "... for the miss queue"),
    KIND(stall, "stall_merge", WEIR_NO_MERGE, "cycle", "... because its line had too many waiters"),
    KIND(stall, "stall_mshr", WEIR_NO_MSHR, "cycle", "... for a free MSHR"),
    KIND(stall, "stall_icnt", WEIR_NO_ICNT, "cycle", "... for the interconnect's buffer"),
    KIND(stall, "stall_order", WEIR_NO_ORDER, "cycle",
         "... for a place in its queue, where a policy orders requests"),
    S(stall_probed, "cycle", "of all these, those of requests whose tags were read"),
    KIND(resv_fail, "fail_data_port", WEIR_NO_DATA_PORT, "request",
         "requests that failed at least once: data port"),
    KIND(resv_fail, "fail_inflight", WEIR_NO_INFLIGHT, "request", "... loads in flight"),
    KIND(resv_fail, "fail_line", WEIR_NO_LINE, "request", "... line reserved"),
    KIND(resv_fail, "fail_queue", WEIR_NO_QUEUE, "request", "... miss queue"),
    KIND(resv_fail, "fail_merge", WEIR_NO_MERGE, "request", "... merge limit"),
    KIND(resv_fail, "fail_mshr", WEIR_NO_MSHR, "request", "... MSHR entries"),
    KIND(resv_fail, "fail_icnt", WEIR_NO_ICNT, "request", "... interconnect"),
    KIND(resv_fail, "fail_order", WEIR_NO_ORDER, "request", "... a policy's queue"),
    WEIR_STAT_END};
static const struct weir_check sm_checks[] = {
    {"slots_issued + insns_left_out == warp_insns", "a slot that issues issues one instruction"},
    {"stall_probed <= stall_data_port + stall_inflight + stall_line + stall_queue + stall_merge + "
     "stall_mshr + stall_icnt + stall_order",
     "a head that waits has read its tags or not"},
    {"texture_requests >= texture_hits + texture_joins", "a texture read has one class"},
    {NULL, NULL}};
const struct weir_stat_group weir_sm_stat_group = {"sm", "What the SMs did.", weir_sm_stat_table,
                                                   sm_checks};
