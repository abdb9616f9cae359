/* What the L2 counts. */
#include "sim/memory.h"

#define S(f, u, h) WEIR_STAT(weir_l2_stats, f, u, h)
const struct weir_stat weir_l2_stat_table[] = {
    S(merged, "request", "reads that were one with another that came before (l2.merge_reads)"),
    S(merged_sectors, "sector", "sectors of these"),
    S(reads, "request", "read requests accepted, without those"),
    S(read_hits, "request", "reads that found all their sectors"),
    S(read_pending, "request", "reads whose missing sectors were all on their way"),
    S(read_misses, "request", "reads whose line was not there"),
    S(read_partial, "request", "reads whose line was there without all sectors"),
    S(read_sectors, "sector", "sectors read, by atomics too"),
    S(read_sectors_missed, "sector", "of these, neither there nor on their way"),
    S(load_sectors, "sector", "sectors read for loads: without those of atomics"),
    S(load_sectors_missed, "sector", "of these, neither there nor on their way"),
    S(atomic_sectors, "sector", "sectors read for atomics"),
    S(writes, "request", "write requests accepted"),
    S(write_hits, "request", "writes whose line was there"),
    S(write_misses, "request", "writes whose line was not there"),
    S(write_sectors, "sector", "sectors written"),
    S(write_sectors_missed, "sector", "of these, not there before"),
    S(atomics, "request", "atomic requests accepted"),
    S(fills, "sector", "sectors that came from DRAM or L3"),
    S(evictions, "line", "lines replaced"),
    S(partial_sectors, "sector",
      "of these, read first: a part of them was never here (l2.partial_reads)"),
    S(far_reads, "request", "reads that found all their sectors, in the other half of the L2"),
    S(writeback_sectors, "sector",
      "sectors sent to DRAM or L3: dirty ones, and with l2.write_miss forward those of stores"),
    S(marks_set, "request", "reads that marked their line"),
    S(marks_returned, "request", "reads that were told of a mark and took it away"),
    S(stall_mshr, "cycle", "the head of the input waited for a free MSHR"),
    S(stall_merge, "cycle", "the head of the input waited because its line had too many waiters"),
    S(stall_line, "cycle", "the head of the input waited because all ways of its set were pending"),
    S(stall_pending, "cycle",
      "the head of the input, a store, waited for sectors of its line (l2.store_wait_cyc)"),
    S(stall_dram, "cycle", "the head of the input waited for the queue of the DRAM or L3"),
    S(stall_writeback, "cycle",
      "the head of the input waited because the dirty sectors of the line that it replaces had no "
      "room in the write queue"),
    S(stall_reply, "cycle", "the head of the input waited for the reply queue"),
    WEIR_STAT_END};
static const struct weir_check l2_checks[] = {
    {"reads == read_hits + read_pending + read_misses + read_partial",
     "every read has one outcome"},
    {"writes == write_hits + write_misses", "every write has one outcome"},
    {"read_sectors == load_sectors + atomic_sectors", "what is read is for a load or an atomic"},
    {"load_sectors_missed <= read_sectors_missed", "a part of them"},
    {NULL, NULL}};
const struct weir_stat_group weir_l2_stat_group = {"l2", "What the L2 slices did.",
                                                   weir_l2_stat_table, l2_checks};
