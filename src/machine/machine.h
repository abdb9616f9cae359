/* A machine: every number of the timing model, and what follows from them.
 *
 * Times are core cycles unless a name says otherwise. Each group is one parameter table; a machine
 * is a file of gpus/. */
#ifndef WEIR_MACHINE_MACHINE_H
#define WEIR_MACHINE_MACHINE_H

#include "base/registry.h"
#include "machine/addr_map.h"
#include "machine/jitter.h"
#include "stream/stream.h"

#define WEIR_SCHEDULERS(X)                                                                         \
  X(WEIR_LRR, "lrr")                                                                               \
  X(WEIR_GTO, "gto")                                                                               \
  X(WEIR_GTY, "gty")                                                                               \
  X(WEIR_TWO_LEVEL, "two-level")                                                                   \
  X(WEIR_OLDEST, "oldest") X(WEIR_FETCH_GROUPS, "fetch-groups")
enum weir_scheduler { WEIR_SCHEDULERS(WEIR_CHOICE_ID) };

/* Which instructions share a unit: each class has its own; or as in GPGPU-Sim's Fermi. */
#define WEIR_UNITS(X)                                                                              \
  X(WEIR_UNITS_BY_CLASS, "class")                                                                  \
  X(WEIR_UNITS_IMUL_ON_SFU, "imul-on-sfu") X(WEIR_UNITS_FP64_ON_SFU, "fp64-on-sfu")
enum weir_units { WEIR_UNITS(WEIR_CHOICE_ID) };

/* What an access of a warp takes the coalescer for. */
#define WEIR_COALESCE_BYS(X) X(WEIR_BY_LINES, "lines") X(WEIR_BY_BANKS, "banks")
enum weir_coalesce_by { WEIR_COALESCE_BYS(WEIR_CHOICE_ID) };

/* With operand collectors: cycles from issue to unit of an instruction that waits for nothing. */
enum { WEIR_COLLECT_CYCLES = 3 };

struct weir_sm_cfg {
  int64_t count, warps, threads, blocks, registers, shared_bytes, shared_unit, shared_per_block,
      register_unit;
  int64_t max_registers_per_thread;
  int64_t schedulers, active_warps;
  enum weir_scheduler scheduler;
  enum weir_units units;
  int64_t launch_latency, broadcast_latency, dispatch_latency;
  int64_t dispatch_interval, dispatch_warp_cyc, retire_tenths;
  int64_t shared_latency, const_latency, load_extra;
  int64_t const_bytes, const_miss_cyc, const_cold_cyc, param_cold_cyc;
  int64_t branch_next_cyc, branch_guard_cyc, rejoin_cyc, code_bytes, code_cold_cyc;
  int64_t store_end_cyc, load_end_cyc, access_end_cyc, load_next_cyc;
  int64_t dependent_extra, start_delay;
  bool atom_waits, passes_back;
  int64_t collector_units, register_banks, register_ports;
  int64_t ldst_queue, inflight, coalesce_per_cycle;
  enum weir_coalesce_by coalesce_by;
  int64_t texture_bytes, texture_ways, texture_lanes, texture_extra, fetch_lanes, fetch_extra;
  int64_t latency[WEIR_N_CLASSES], interval[WEIR_N_CLASSES];
  int64_t idiv_slots, fdiv_slots, ddiv_slots, idiv_next_cyc, fdiv_next_cyc, ddiv_next_cyc;
};

#define WEIR_L1_INDEXES(X)                                                                         \
  X(WEIR_L1_LINEAR, "linear") X(WEIR_L1_FERMI_XOR, "fermi_xor") X(WEIR_L1_POLY, "poly")
enum weir_l1_index { WEIR_L1_INDEXES(WEIR_CHOICE_ID) };
#define WEIR_L1_WRITES(X)                                                                          \
  X(WEIR_L1_WRITE_EVICT, "evict")                                                                  \
  X(WEIR_L1_WRITE_THROUGH, "through") X(WEIR_L1_WRITE_ALLOCATE, "alloc_nofetch")
enum weir_l1_write { WEIR_L1_WRITES(WEIR_CHOICE_ID) };
#define WEIR_L1_ALLOCS(X) X(WEIR_L1_ON_MISS, "miss") X(WEIR_L1_ON_FILL, "fill")
enum weir_l1_alloc_at { WEIR_L1_ALLOCS(WEIR_CHOICE_ID) };
#define WEIR_L1_LATENCY_ATS(X) X(WEIR_L1_AT_DATA, "data") X(WEIR_L1_AT_TAGS, "tags")
enum weir_l1_latency_at { WEIR_L1_LATENCY_ATS(WEIR_CHOICE_ID) };
#define WEIR_BYPASS_GRANS(X)                                                                       \
  X(WEIR_BYPASS_SECTORS, "sector")                                                                 \
  X(WEIR_BYPASS_SEGMENT, "segment") X(WEIR_BYPASS_LINE, "line")
enum weir_bypass_gran { WEIR_BYPASS_GRANS(WEIR_CHOICE_ID) };

#define WEIR_ATOMICS(X)                                                                            \
  X(WEIR_ATOM_LINE, "line") X(WEIR_ATOM_SECTOR, "sector") X(WEIR_ATOM_WORDS, "words")
enum weir_atomics { WEIR_ATOMICS(WEIR_CHOICE_ID) };

struct weir_l1_cfg {
  bool enabled, perfect, sectored, local_wb, flush_on_kernel, store_poisons_pending, hr_needs_mq,
      pool, carveout_spare, store_words, bypass_room;
  int64_t size, line, ways, sets; /* on a unified array: the most that the L1 gets of it */
  int64_t hit_latency, mshr_entries, mshr_merge, miss_queue, bypass_queue, probes_per_cycle, banks,
      sector, bank_bytes, port_bytes, unified_bytes, reserved_bytes;
  enum weir_l1_index index;
  enum weir_l1_write write;
  enum weir_l1_alloc_at alloc;
  enum weir_l1_latency_at latency_at;
  enum weir_bypass_gran bypass_gran;
  enum weir_atomics atomics;
  const char *carveouts;
};

#define WEIR_CROSSBARS(X) X(WEIR_XBAR_IDEAL, "ideal") X(WEIR_XBAR_FIFO, "fifo")
enum weir_crossbar { WEIR_CROSSBARS(WEIR_CHOICE_ID) };
#define WEIR_READ_REQUESTS(X) X(WEIR_READ_LINE, "line") X(WEIR_READ_SECTOR, "sector")
enum weir_read_request { WEIR_READ_REQUESTS(WEIR_CHOICE_ID) };

#define WEIR_REQUEST_FLITS(X) X(WEIR_FLITS_BYTES, "bytes") X(WEIR_FLITS_SECTORS, "sectors")
enum weir_request_flits { WEIR_REQUEST_FLITS(WEIR_CHOICE_ID) };

struct weir_noc_cfg {
  int64_t request_cyc, reply_cyc, spread_cyc, credit_cyc, flit_bytes, header_bytes, request_buffer,
      reply_buffer, input_buffer, input_speedup, sm_flits, slice_tenths, reply_tenths;
  enum weir_crossbar crossbar;
  enum weir_request_flits request_flits;
  enum weir_read_request read_request;
};

#define WEIR_L2_HASHES(X)                                                                          \
  X(WEIR_L2_HASH_LINEAR, "linear")                                                                 \
  X(WEIR_L2_HASH_XOR, "xor")                                                                       \
  X(WEIR_L2_HASH_IPOLY, "ipoly") X(WEIR_L2_HASH_DEALT, "dealt")
enum weir_l2_hash { WEIR_L2_HASHES(WEIR_CHOICE_ID) };
#define WEIR_L2_INDEXES(X)                                                                         \
  X(WEIR_L2_INDEX_XOR, "xor")                                                                      \
  X(WEIR_L2_INDEX_IPOLY, "ipoly") X(WEIR_L2_INDEX_LINEAR, "linear")
enum weir_l2_index { WEIR_L2_INDEXES(WEIR_CHOICE_ID) };
#define WEIR_L2_WRITE_MISSES(X) X(WEIR_L2_TAKE, "take") X(WEIR_L2_FORWARD, "forward")
enum weir_l2_write_miss { WEIR_L2_WRITE_MISSES(WEIR_CHOICE_ID) };

struct weir_l2_cfg {
  int64_t slices, sets, line, ways, latency, mshr_entries, mshr_merge, write_queue, interleave,
      port_bytes, fetch_bytes, partitions, far_cyc, merge_reads, merge_cyc, merge_groups,
      store_wait_cyc;
  bool sectored, whole_lines, partial_reads, merge_writes, multicast, home;
  enum weir_l2_hash hash;
  enum weir_l2_index index;
  enum weir_l2_write_miss write_miss;
};

struct weir_l3_cfg {
  bool enabled, sectored;
  int64_t sets, ways, latency, mshr_entries, mshr_merge, queue, write_queue;
};

#define WEIR_DRAM_COUNTS(X) X(WEIR_DRAM_COLUMNS, "columns") X(WEIR_DRAM_REQUESTS, "requests")
enum weir_dram_count { WEIR_DRAM_COUNTS(WEIR_CHOICE_ID) };
#define WEIR_DRAM_PAGES(X) X(WEIR_DRAM_OPEN, "open") X(WEIR_DRAM_CLOSED, "closed")
enum weir_dram_page { WEIR_DRAM_PAGES(WEIR_CHOICE_ID) };

struct weir_dram_cfg {
  int64_t channels, banks, bank_groups, row_bytes, atom_bytes, queue, input_queue, extra_latency,
      clock_mhz;
  int64_t t_ccd, t_ccdl, t_rrd, t_rcd, t_ras, t_rp, t_rc, t_cl, t_wl, t_cdlr, t_wr, t_rtpl,
      burst_cyc;
  bool dual_bus;
  enum weir_dram_count queue_counts;
  enum weir_dram_page page;
  const char *map;
};

struct weir_core_cfg {
  int64_t clock_mhz;
};

enum { WEIR_MAX_CARVEOUTS = 16 };
enum weir_class_field { WEIR_LATENCY, WEIR_INTERVAL, WEIR_N_CLASS_FIELDS };

struct weir_machine {
  const char *name;
  struct weir_core_cfg core;
  struct weir_sm_cfg sm;
  struct weir_l1_cfg l1;
  struct weir_noc_cfg noc;
  struct weir_l2_cfg l2;
  struct weir_l3_cfg l3;
  struct weir_dram_cfg dram;
  struct weir_jitter_cfg jitter;
  struct weir_addr_map map;
  uint32_t carveout[WEIR_MAX_CARVEOUTS]; /* sizes that shared memory can have, ascending */
  uint32_t n_carveouts;
  /* By class: its unit, named by one of the classes that use it, and whether it has its latency and
   * interval from the class that it is part of (a bit each). */
  uint8_t unit[WEIR_N_CLASSES];
  uint16_t slots[WEIR_N_CLASSES];    /* of the scheduler that one takes */
  uint32_t next_cyc[WEIR_N_CLASSES]; /* from one to the warp's next instruction */
  uint32_t class_follows[WEIR_N_CLASS_FIELDS];
  uint8_t unit_of_sm;     /* the unit that all schedulers share; WEIR_N_CLASSES: none */
  uint64_t window;        /* W: the smallest latency of a message */
  const char *l1_from[3]; /* what l1.size, l1.sets and l1.ways follow from; NULL: it was set */
};

/* Do stores say how many words of each sector they write? (l2.merge_writes, where it has an effect)
 */
static inline bool weir_merges_writes(const struct weir_machine *m) {
  return m->l2.merge_writes && m->l2.sectored && m->noc.request_flits == WEIR_FLITS_SECTORS &&
         m->l1.line == 128 && m->l2.line == 128 && m->l1.sector == 32;
}

/* Does the L1 know the words that stores left? (l1.store_words, where it has an effect) */
static inline bool weir_keeps_words(const struct weir_machine *m) {
  const struct weir_l1_cfg *c = &m->l1;
  return c->store_words && c->enabled && !c->perfect && c->sectored &&
         c->write == WEIR_L1_WRITE_ALLOCATE && c->line <= 128 && c->sector == 32;
}

/* Flits of a packet with that much data: at least one. */
static inline uint16_t weir_flits(const struct weir_noc_cfg *n, unsigned bytes) {
  int64_t flits = (n->header_bytes + (int64_t)bytes + n->flit_bytes - 1) / n->flit_bytes;
  return (uint16_t)(flits > 0 ? flits : 1);
}

/* Of a request that reads so many bytes of a line. */
static inline uint16_t weir_read_flits(const struct weir_noc_cfg *n, unsigned bytes) {
  unsigned packets = n->read_request == WEIR_READ_SECTOR ? (bytes + 31) / 32 : 1;
  return (uint16_t)(packets * weir_flits(n, 0));
}

/* What the unified array gives to shared memory so that `used` bytes of it fit. */
uint32_t weir_carveout(const struct weir_machine *m, uint32_t used);
/* What a kernel prefers it to give: `carveout` as in struct weir_kernel_info. 0 where nothing is
 * preferred, or can be. */
uint32_t weir_preferred_carveout(const struct weir_machine *m, uint8_t carveout);

extern const struct weir_param_group weir_core_params, weir_sm_params, weir_l1_params,
    weir_noc_params, weir_l2_params, weir_l3_params, weir_dram_params;
struct weir_settings;
/* Fill and check. Strings point into the settings. */
enum weir_status weir_machine_fill(struct weir_machine *m, const char *name,
                                   const struct weir_settings *s, struct weir_err *err);
/* Put what follows from other parameters of a machine that was filled (of l1.size, l1.sets and
 * l1.ways what the other two give; what a class has from the one it is part of) back into its
 * settings, so that they say what holds. */
enum weir_status weir_machine_settle(const struct weir_machine *m, struct weir_settings *s,
                                     struct weir_err *err);
/* The set of line number n in an L1 with so many sets. */
/* Of degree log2(sets), irreducible: what number n leaves, as a polynomial over GF(2), is another
 * for each of `sets` neighbours at any stride of 2^k. */
extern const uint32_t weir_set_poly[17];
static inline uint32_t weir_poly_set(uint32_t sets, uint64_t n) {
  const int degree = __builtin_ctz(sets);
  while (n >= sets)
    n ^= (uint64_t)weir_set_poly[degree] << (63 - __builtin_clzll(n) - degree);
  return (uint32_t)n;
}
static inline uint32_t weir_l1_set_of(enum weir_l1_index index, uint32_t sets, uint64_t n) {
  if (index == WEIR_L1_LINEAR) return (uint32_t)(n & (sets - 1));
  if (index == WEIR_L1_POLY) return weir_poly_set(sets, n);
  /* GPGPU-Sim's Fermi hash, at line number n: low five bits with bits 6, 7, 8, 10, 12 of it. */
  uint64_t up = (n >> 6 & 7) | (n >> 7 & 8) | (n >> 8 & 16), set = (n & 31) ^ up;
  return (uint32_t)(sets == 64 ? set | (n & 32) : set);
}
/* What a block takes of shared memory besides its own. */
uint64_t weir_shared_of_system(const struct weir_machine *m);
/* What so many blocks make the driver take of that array for shared memory, if each asks for `own`
 * bytes and the kernel prefers nothing; as much as they need, unless l1.carveout_spare. */
uint32_t weir_shared_of_blocks(const struct weir_machine *m, uint32_t blocks, uint64_t own);
/* Lines that the L1 has while a kernel's blocks use so many bytes of shared memory; of whole ways,
 * unless they are a pool. */
uint32_t weir_l1_lines(const struct weir_machine *m, uint32_t shared_used);

#endif
