/* What a machine file can say: every parameter of a machine, declared once. */
#include "machine/machine.h"

#define P(S, f, d, lo, hi, u, h, ...)                                                              \
  WEIR_PARAM(S, f, d, .min = lo, .max = hi, .unit = u, .help = h, __VA_ARGS__)

static const struct weir_param core_table[] = {
    P(weir_core_cfg, clock_mhz, "1000", 1, 100000, "MHz",
      "core clock; all times without a unit are its cycles", .when = "; or program"),
    WEIR_PARAM_END};
const struct weir_param_group weir_core_params = {"core", "The core clock.", core_table,
                                                  sizeof(struct weir_core_cfg), "timed"};

/* Latency and issue interval of an instruction class. */
#define CLASS_ROW(id, text, what, field, value, more)                                              \
  {                                                                                                \
    .name = text "_" #field, .def = value, .min = 0, .max = 100000, .unit = "cycle",               \
    .help = what ": " #field " of " text more, .type = WEIR_INT,                                   \
    .offset = offsetof(struct weir_sm_cfg, field) + sizeof(int64_t) * WEIR_C_##id                  \
  }
/* The default is never used: classes.c. */
#define PART_ROW(id, text, whole, what, field, value)                                              \
  CLASS_ROW(id, text, what, field, value,                                                          \
            "; that of sm." whole "_" #field ", unless it is set with that or after it")

static const struct weir_param sm_table[] = {
    P(weir_sm_cfg, count, "15", 1, 4096, NULL, "streaming multiprocessors", .when = "; or program"),
    P(weir_sm_cfg, warps, "48", 1, 64, "warp", "warp slots of an SM"),
    P(weir_sm_cfg, threads, "1536", 32, 4096, "thread", "thread slots of an SM",
      .when = "; or program"),
    P(weir_sm_cfg, blocks, "8", 1, 64, "block", "block slots of an SM", .when = "; or program"),
    P(weir_sm_cfg, registers, "32768", 256, 1048576, NULL, "32-bit registers of an SM",
      .when = "; or program"),
    P(weir_sm_cfg, register_unit, "64", 1, 4096, NULL,
      "registers of a warp are allocated in multiples of this"),
    P(weir_sm_cfg, max_registers_per_thread, "0", 0, 1024, NULL,
      "a kernel that was compiled to more is taken to have that many, without the loads and stores "
      "that spilling would add (0: no limit)"),
    P(weir_sm_cfg, shared_bytes, "48K", 0, 1048576, "byte", "shared memory of an SM",
      .when = "; or program"),
    P(weir_sm_cfg, shared_unit, "128", 1, 65536, "byte",
      "shared memory of a block is allocated in multiples of this"),
    P(weir_sm_cfg, shared_per_block, "0", 0, 65536, "byte",
      "on a unified array: shared memory that a block takes besides its own, for the system",
      .when = "l1.unified_bytes>0"),
    P(weir_sm_cfg, schedulers, "2", 1, 4, NULL,
      "warp schedulers; warp slot w belongs to scheduler w modulo this"),
    WEIR_PARAM(weir_sm_cfg, scheduler, "gto", .choices = WEIR_CHOICES(WEIR_SCHEDULERS),
               .help = "which warp issues, where no policy picks one", .when = "own_scheduler"),
    P(weir_sm_cfg, active_warps, "8", 1, 64, "warp",
      "warps of a scheduler's active set (two-level) or of a group (fetch-groups)",
      .when = "scheduler=two-level|fetch-groups and own_scheduler"),
    WEIR_PARAM(weir_sm_cfg, units, "class", .choices = WEIR_CHOICES(WEIR_UNITS),
               .help = "which instructions keep others of their scheduler from issuing for their "
                       "interval; class: those of the same class. imul-on-sfu: one unit for "
                       "divisions, approximations and integer multiplications, which the "
                       "schedulers of an SM share, and one of each scheduler for other "
                       "arithmetic, as in GPGPU-Sim 3.2; fp64-on-sfu: doubles share the first "
                       "one, not integer multiplications, as in its version 4 without DP units"),
    P(weir_sm_cfg, launch_latency, "0", 0, 1e9, "cycle",
      "from the end of a kernel to the start of the next"),
    P(weir_sm_cfg, dispatch_latency, "20", 1, 1e6, "cycle",
      "from a block's end to the arrival of the next one"),
    P(weir_sm_cfg, dispatch_interval, "0", 0, 1e6, "cycle",
      "from one block's arrival on an SM to the next one's, and a cycle more for each warp (0: "
      "those of a launch arrive one in a cycle, others when they may)",
      .source = "off"),
    P(weir_sm_cfg, dispatch_warp_cyc, "0", 0, 1e6, "cycle",
      "for each warp, if that is longer than dispatch_interval has it", .source = "off",
      .when = "dispatch_interval>0"),
    P(weir_sm_cfg, retire_tenths, "0", 0, 1e6, NULL,
      "tenths of a cycle that each block that has ended takes the GPU, one after the other: only "
      "then does its place count as free, and a kernel ends with the last of them",
      .source = "off"),
    P(weir_sm_cfg, store_end_cyc, "0", 0, 1e6, "cycle",
      "that a block which has stored takes to end when its last store has left the L1; its place "
      "and the kernel do not wait for acknowledgements then (0: they do)",
      .source = "off"),
    P(weir_sm_cfg, load_end_cyc, "0", 0, 1e6, "cycle",
      "that a block which has loaded and not stored takes to end when its last load has come",
      .source = "off"),
    P(weir_sm_cfg, access_end_cyc, "0", 0, 1e6, "cycle",
      "at least, that a kernel takes behind its last block if it has accessed global or local "
      "memory",
      .source = "off"),
    P(weir_sm_cfg, broadcast_latency, "100", 1, 1e6, "cycle", "of what one SM tells the others",
      .source = "guess", .when = "count>1 and broadcasts"),
    P(weir_sm_cfg, shared_latency, "26", 1, 1e6, "cycle", "shared-memory load, without conflicts"),
    P(weir_sm_cfg, const_latency, "8", 1, 1e6, "cycle", "constant and parameter reads that hit",
      .source = "guess"),
    P(weir_sm_cfg, const_bytes, "0", 0, 1 << 16, "byte",
      "of an SM's cache for constants, lines of 64 bytes, fully associative, least recently used, "
      "empty when a kernel begins (0: all reads hit)",
      .source = "off"),
    P(weir_sm_cfg, const_miss_cyc, "70", 0, 1e6, "cycle",
      "more for a line that is not in it, but in 256 bytes of which the SM has read some",
      .source = "guess", .when = "const_bytes>0"),
    P(weir_sm_cfg, const_cold_cyc, "290", 0, 1e6, "cycle",
      "more for the first line of such 256 bytes", .source = "guess", .when = "const_bytes>0"),
    P(weir_sm_cfg, param_cold_cyc, "0", 0, 1e6, "cycle",
      "more for what an SM reads of a kernel's parameters until the first such read has been "
      "answered",
      .source = "off"),
    P(weir_sm_cfg, code_bytes, "0", 0, 1 << 24, "byte",
      "of an SM's cache for instructions, 16 bytes each, lines of 8, directly mapped; a kernel "
      "that "
      "is launched again finds there what it left (0: instructions are always there)",
      .source = "off"),
    P(weir_sm_cfg, code_cold_cyc, "10", 0, 1e6, "cycle",
      "that 8 instructions take more which are not in it", .source = "guess",
      .when = "code_bytes>0"),
    P(weir_sm_cfg, branch_next_cyc, "1", 1, 1e6, "cycle",
      "from a branch to the warp's next instruction", .source = "off"),
    P(weir_sm_cfg, branch_guard_cyc, "0", 0, 1e6, "cycle",
      "more than for other instructions until a branch can issue on what it depends on",
      .source = "off"),
    P(weir_sm_cfg, rejoin_cyc, "0", 0, 1e6, "cycle",
      "that an instruction waits which has lanes that the one before it did not have, where lanes "
      "that had parted come together again (kernels that were PTX)",
      .source = "off"),
    P(weir_sm_cfg, load_extra, "0", 0, 1e6, "cycle",
      "from the end of the L1 to a dependent instruction"),
    P(weir_sm_cfg, dependent_extra, "0", 0, 1e6, "cycle",
      "after the latency of an instruction, or of a read of shared or constant memory, until a "
      "dependent instruction can issue; load_extra is that of other loads"),
    P(weir_sm_cfg, start_delay, "0", 0, 1e6, "cycle",
      "from a block's arrival to the first instructions of its warps"),
    WEIR_PARAM(weir_sm_cfg, atom_waits, "false",
               .help = "a warp issues nothing until its atomics on global memory have come back, "
                       "those without a result too; false: only what needs the result waits"),
    P(weir_sm_cfg, collector_units, "0", 0, 64, NULL,
      "operand collectors of an SM, which its schedulers have equal shares of: between issue and "
      "unit an instruction that is no access to memory waits for one, in it for its registers, "
      "and behind it for the unit (0: it does not; only its unit's interval is waited for)"),
    P(weir_sm_cfg, register_banks, "16", 1, 64, NULL,
      "banks of registers of an SM, which its schedulers have equal shares of; register r of warp "
      "slot w is in bank r + w modulo that share",
      .when = "collector_units>0"),
    P(weir_sm_cfg, register_ports, "1", 1, 16, NULL,
      "registers that a bank gives in a cycle, the first not in one in which a result is written "
      "to it",
      .when = "collector_units>0"),
    P(weir_sm_cfg, ldst_queue, "8", 1, 4096, NULL, "requests between coalescer and L1"),
    P(weir_sm_cfg, load_next_cyc, "1", 1, 1e6, "cycle",
      "from a load of a warp to its next one, of global or local memory or a texture",
      .source = "off"),
    P(weir_sm_cfg, inflight, "1024", 1, 65536, NULL, "load requests of an SM that wait for a reply",
      .source = "guess"),
    P(weir_sm_cfg, coalesce_per_cycle, "1", 1, 64, NULL,
      "requests that the coalescer gives in a cycle"),
    WEIR_PARAM(weir_sm_cfg, coalesce_by, "lines", .choices = WEIR_CHOICES(WEIR_COALESCE_BYS),
               .help =
                   "what an access takes the coalescer for: its lines; or, if that is longer, the "
                   "passes over 32 banks of 4 bytes, as in shared memory, with its requests spread "
                   "over them. The L1 then has no banks and no port of its own",
               .source = "off"),
    WEIR_PARAM(weir_sm_cfg, passes_back, "false",
               .help = "a load takes its passes again when its data have come, on their way to the "
                       "registers: it is a cycle later for each but the first",
               .source = "off", .when = "coalesce_by=banks"),
    P(weir_sm_cfg, texture_bytes, "0", 0, 1 << 20, "byte",
      "of a cache for texture reads alone, whole lines, empty when a kernel begins; what it lacks "
      "is "
      "read past the L1 (0: texture reads go through the L1)",
      .source = "off"),
    P(weir_sm_cfg, texture_ways, "24", 1, 1024, NULL, "of that cache", .source = "off",
      .when = "texture_bytes>0"),
    P(weir_sm_cfg, texture_lanes, "0", 0, 32, "lane",
      "of a texture read that the coalescer takes in a cycle: groups of so many lanes, those with "
      "an active one (0: it takes a texture read as a load)",
      .source = "off"),
    P(weir_sm_cfg, texture_extra, "0", 0, 1e6, "cycle",
      "that a texture read takes besides a load's", .source = "off"),
    P(weir_sm_cfg, fetch_lanes, "0", 0, 32, "lane",
      "texture_lanes of reads by index of one dimension (tex1Dfetch), of which a line takes at "
      "least a cycle (0: they are as other texture reads)",
      .source = "off"),
    P(weir_sm_cfg, fetch_extra, "0", 0, 1e6, "cycle",
      "texture_extra of those, where they have lanes of their own", .source = "off",
      .when = "fetch_lanes>0"),
    P(weir_sm_cfg, idiv_slots, "1", 1, 1000, NULL,
      "issue slots that an integer division takes of its scheduler: instructions of machine code",
      .source = "off"),
    P(weir_sm_cfg, fdiv_slots, "1", 1, 1000, NULL,
      "the same of a single-precision division or square root", .source = "off"),
    P(weir_sm_cfg, ddiv_slots, "1", 1, 1000, NULL, "the same in double precision", .source = "off"),
    P(weir_sm_cfg, idiv_next_cyc, "1", 1, 1e6, "cycle",
      "from an integer division to the warp's next instruction: machine code begins no other "
      "before "
      "its own are issued",
      .source = "off"),
    P(weir_sm_cfg, fdiv_next_cyc, "1", 1, 1e6, "cycle",
      "the same of a single-precision division or square root", .source = "off"),
    P(weir_sm_cfg, ddiv_next_cyc, "1", 1, 1e6, "cycle", "the same in double precision",
      .source = "off"),
#define WEIR_CLASS(id, text, number, help)                                                         \
  CLASS_ROW(id, text, help, latency, "4", ""), CLASS_ROW(id, text, help, interval, "1", ""),
#define WEIR_CLASS_PART(id, text, whole, whole_text, number, help)                                 \
  PART_ROW(id, text, whole_text, help, latency, "4"),                                              \
      PART_ROW(id, text, whole_text, help, interval, "1"),
#include "stream/classes.def"
    WEIR_PARAM_END};
const struct weir_param_group weir_sm_params = {"sm", "Streaming multiprocessors.", sm_table,
                                                sizeof(struct weir_sm_cfg), "timed"};

static const struct weir_param l1_table[] = {
    WEIR_PARAM(weir_l1_cfg, enabled, "true",
               .help = "false: every global and local access bypasses the L1"),
    WEIR_PARAM(
        weir_l1_cfg, perfect, "false",
        .help =
            "every load that does not bypass hits, and local stores stay if local_wb lets them: "
            "a bound, not a design",
        .when = "enabled=true"),
    WEIR_PARAM(weir_l1_cfg, sectored, "false", .help = "sectors, fetched on demand",
               .when = "enabled=true and own_l1"),
    P(weir_l1_cfg, line, "128", 32, 256, "byte", "line size, a power of two; need not be l2.line",
      .when = "; or program"),
    P(weir_l1_cfg, sector, "32", 8, 32, "byte",
      "part of a line that loads ask for; a power of two. The L2 keeps 32 bytes together"),
    P(weir_l1_cfg, size, "16K", 32, 0x1p35, "byte",
      "data of an SM's L1. Of size, sets and ways two give the third; size alone keeps the sets. "
      "On "
      "a unified array: the most of it that the L1 gets, if shared memory leaves so much",
      .when = "enabled=true and perfect=false; or program"),
    P(weir_l1_cfg, sets, "32", 1, 65536, NULL, "sets, a power of two; alone it keeps the ways",
      .when = "enabled=true and perfect=false; or program"),
    P(weir_l1_cfg, ways, "4", 1, 2048, NULL, "ways; alone it keeps the sets",
      .when = "enabled=true and perfect=false; or program"),
    WEIR_PARAM(weir_l1_cfg, index, "linear", .choices = WEIR_CHOICES(WEIR_L1_INDEXES),
               .help = "how a line finds its set",
               .when = "enabled=true and perfect=false and sets>1"),
    P(weir_l1_cfg, hit_latency, "1", 1, 1e6, "cycle",
      "of a hit: from the accepted probe to the data, or in front of the tags (latency_at)",
      .when = "enabled=true"),
    WEIR_PARAM(weir_l1_cfg, latency_at, "data", .choices = WEIR_CHOICES(WEIR_L1_LATENCY_ATS),
               .help = "where hit_latency lies: behind the probe, so that only hits have it, or in "
                       "a pipeline in front of the tags, as in GPGPU-Sim 4: hits, misses and "
                       "stores have it; loads that bypass without a lookup and atomics do not",
               .when = "enabled=true"),
    P(weir_l1_cfg, mshr_entries, "32", 1, 65536, NULL, "lines that can be waited for",
      .when = "enabled=true and perfect=false"),
    P(weir_l1_cfg, mshr_merge, "8", 1, 65536, NULL, "requests that can wait for one line",
      .when = "enabled=true and perfect=false"),
    P(weir_l1_cfg, miss_queue, "8", 1, 65536, NULL,
      "requests between L1 and interconnect; one is a packet for each l2.line that it touches"),
    P(weir_l1_cfg, bypass_queue, "8", 1, 65536, NULL,
      "requests between the bypass path and interconnect", .source = "guess"),
    P(weir_l1_cfg, probes_per_cycle, "1", 1, 64, NULL, "requests taken in a cycle"),
    P(weir_l1_cfg, banks, "1", 1, 64, NULL, "banks; two requests of a cycle must not share one",
      .when = "sm.coalesce_by=lines and enabled=true or sm.coalesce_by=lines and "
              "probes_per_cycle>1"),
    P(weir_l1_cfg, bank_bytes, "32", 4, 4096, "byte", "interleaving of banks",
      .when = "sm.coalesce_by=lines and banks>1 and enabled=true or sm.coalesce_by=lines and "
              "banks>1 and probes_per_cycle>1"),
    P(weir_l1_cfg, port_bytes, "128", 4, 4096, "byte",
      "width of the data port; each bank has its share of it",
      .when = "sm.coalesce_by=lines and enabled=true"),
    WEIR_PARAM(weir_l1_cfg, write, "evict", .choices = WEIR_CHOICES(WEIR_L1_WRITES),
               .help = "stores to global memory", .when = "enabled=true"),
    WEIR_PARAM(weir_l1_cfg, alloc, "miss", .choices = WEIR_CHOICES(WEIR_L1_ALLOCS),
               .help = "when a way is chosen", .when = "enabled=true and perfect=false and lines"),
    WEIR_PARAM(weir_l1_cfg, bypass_gran, "sector", .choices = WEIR_CHOICES(WEIR_BYPASS_GRANS),
               .help = "what a bypassed load asks for: its sectors, the smallest aligned 32, 64, "
                       "128 ... bytes that have them (CUDA's coalescing before sectors), the line",
               .when = "line>l1.sector"),
    WEIR_PARAM(weir_l1_cfg, atomics, "line", .choices = WEIR_CHOICES(WEIR_ATOMICS),
               .help = "what a request of an atomic is for: a line, a sector of one, or different "
                       "words of a line: lanes that change the same one take one request each"),
    WEIR_PARAM(weir_l1_cfg, local_wb, "true",
               .help = "stores to local memory stay in the L1 until evicted",
               .when = "enabled=true and dirty"),
    WEIR_PARAM(weir_l1_cfg, flush_on_kernel, "true", .help = "a kernel starts with an empty L1",
               .when = "enabled=true and perfect=false and unified_bytes=0 (a unified array is "
                       "emptied before each kernel)"),
    WEIR_PARAM(weir_l1_cfg, store_poisons_pending, "true",
               .help = "a store to a pending line drops it on arrival",
               .when = "enabled=true and perfect=false"),
    WEIR_PARAM(weir_l1_cfg, bypass_room, "false",
               .help = "a load that bypasses takes the data of a line of the L1 until it is "
                       "answered, and waits where all are taken by what is on its way "
                       "(organisations conventional and sectored)",
               .source = "off", .when = "enabled=true and perfect=false"),
    WEIR_PARAM(weir_l1_cfg, store_words, "false",
               .help =
                   "a load finds the words that a store left in a sector, though the others are "
                   "not there (lines of up to 128 bytes, sectors of 32)",
               .source = "off",
               .when = "enabled=true and perfect=false and write=alloc_nofetch and sectored=true"),
    WEIR_PARAM(weir_l1_cfg, hr_needs_mq, "false",
               .help = "a merge needs a free miss-queue slot, as in GPGPU-Sim",
               .when = "enabled=true and perfect=false"),
    P(weir_l1_cfg, unified_bytes, "0", 0, 1048576, "byte",
      "L1 and shared memory in one array of this size: what a kernel's blocks leave is L1, up to "
      "l1.size (0: fixed size)",
      .when = "enabled=true and perfect=false; or program"),
    P(weir_l1_cfg, reserved_bytes, "0", 0, 1048576, "byte",
      "of that array, what neither L1 nor shared memory can have",
      .when = "enabled=true and perfect=false and unified_bytes>0"),
    WEIR_PARAM(
        weir_l1_cfg, pool, "false",
        .help = "how that array is shared: false: what is left gives each set as many ways; true: "
                "sets and ways are those of the tags and stay, and what is left are the lines "
                "that they can hold. When all of these are taken, a line goes of one set after "
                "the other. Organisations other than conventional and sectored have ways",
        .when = "enabled=true and perfect=false and unified_bytes>0"),
    WEIR_PARAM(
        weir_l1_cfg, carveout_spare, "false",
        .help = "of that array, a kernel without a preference has more shared memory than its "
                "blocks need, as an H200's driver gives it: without any of its own 4 KB a block "
                "up to 32, else the next size, where 4 to 16 blocks fit into one of up to 100 KB",
        .when = "enabled=true and perfect=false and unified_bytes>0"),
    WEIR_PARAM(weir_l1_cfg, carveouts, "",
               .help = "sizes that shared memory can have in that array, if there is one, as in "
                       "0,8K,16K (empty: any)",
               .when = "enabled=true and perfect=false and unified_bytes>0; or program"),
    WEIR_PARAM_END};
const struct weir_param_group weir_l1_params = {"l1", "The L1 data cache.", l1_table,
                                                sizeof(struct weir_l1_cfg), "timed"};

static const struct weir_param noc_table[] = {
    P(weir_noc_cfg, request_cyc, "80", 1, 1e6, "cycle",
      "SM to L2, fixed pipeline delay before the L2 included"),
    P(weir_noc_cfg, reply_cyc, "40", 1, 1e6, "cycle", "L2 to SM"),
    P(weir_noc_cfg, spread_cyc, "0", 0, 1e6, "cycle",
      "more that it takes from some slices to some SMs: each pair has its own number of cycles, 0 "
      "to so many",
      .source = "off", .when = "crossbar=ideal"),
    P(weir_noc_cfg, credit_cyc, "20", 1, 1e6, "cycle",
      "a freed buffer place becomes known to the sender", .source = "guess"),
    P(weir_noc_cfg, flit_bytes, "32", 1, 1024, "byte", "moved by a port in one core cycle"),
    P(weir_noc_cfg, header_bytes, "8", 0, 64, "byte", "of a packet"),
    P(weir_noc_cfg, sm_flits, "1", 1, 64, NULL,
      "flits that the reply port of an SM takes in a cycle", .source = "off",
      .when = "crossbar=ideal"),
    P(weir_noc_cfg, slice_tenths, "10", 10, 1000, NULL,
      "tenths of a cycle that a flit of a request takes at the port of a slice, whose clock may be "
      "slower",
      .source = "off", .when = "crossbar=ideal"),
    P(weir_noc_cfg, reply_tenths, "10", 1, 1000, NULL,
      "tenths of a cycle that a flit of a reply takes there", .source = "off",
      .when = "crossbar=ideal"),
    WEIR_PARAM(weir_noc_cfg, request_flits, "bytes", .choices = WEIR_CHOICES(WEIR_REQUEST_FLITS),
               .help = "flits of a request: of its bytes and header; or one of a read or of an "
                       "atomic on one word, and else one for each sector, and one more if a store "
                       "leaves a part of one or it is an atomic",
               .source = "off"),
    P(weir_noc_cfg, request_buffer, "64", 1, 1e6, NULL,
      "flits that an SM may have under way to one slice; behind a fifo crossbar, all SMs"),
    P(weir_noc_cfg, reply_buffer, "256", 1, 1e6, NULL,
      "flits that a slice may have under way to one SM; behind a fifo crossbar, all slices"),
    WEIR_PARAM(weir_noc_cfg, read_request, "line", .choices = WEIR_CHOICES(WEIR_READ_REQUESTS),
               .help =
                   "a read of several sectors of a line asks for them in one packet, or has the "
                   "flits of a packet for each"),
    WEIR_PARAM(weir_noc_cfg, crossbar, "ideal", .choices = WEIR_CHOICES(WEIR_CROSSBARS),
               .help = "ideal: packets wait at ports only; fifo: a crossbar with one queue at each "
                       "input, whose head holds up those behind it, and outputs that take a flit "
                       "per cycle from the heads by turns"),
    P(weir_noc_cfg, input_buffer, "512", 1, 1e6, NULL, "flits in the queue of an input",
      .when = "crossbar=fifo"),
    P(weir_noc_cfg, input_speedup, "1", 1, 4096, NULL,
      "flits that an input can give in a cycle, to outputs in ascending order",
      .when = "crossbar=fifo"),
    WEIR_PARAM_END};
const struct weir_param_group weir_noc_params = {"noc", "The interconnect.", noc_table,
                                                 sizeof(struct weir_noc_cfg), "timed"};

static const struct weir_param l2_table[] = {
    P(weir_l2_cfg, slices, "12", 1, 4096, NULL, "slices, a multiple of the DRAM channels",
      .when = "; or program"),
    P(weir_l2_cfg, sets, "64", 1, 1048576, NULL, "sets of a slice, a power of two",
      .when = "; or program"),
    P(weir_l2_cfg, ways, "8", 1, 1024, NULL, "ways", .when = "; or program"),
    P(weir_l2_cfg, line, "128", 32, 256, "byte", "line size, a power of two",
      .when = "; or program"),
    WEIR_PARAM(weir_l2_cfg, sectored, "true", .help = "sectors, fetched on demand"),
    WEIR_PARAM(weir_l2_cfg, whole_lines, "false",
               .help = "a line without sectors is one piece: there when all of it has come, and "
                       "written back as a whole",
               .when = "sectored=false"),
    P(weir_l2_cfg, fetch_bytes, "32", 32, 256, "byte",
      "of a line with sectors, what a read that misses fetches: the aligned bytes that its sectors "
      "lie in, a power of two up to the line",
      .source = "off", .when = "sectored=true"),
    WEIR_PARAM(weir_l2_cfg, partial_reads, "false",
               .help = "a sector of which the L2 has only what was written is read from the DRAM "
                       "when it is written back, as memory with ECC needs it",
               .source = "off", .when = "sectored=true and l3.enabled=false"),
    WEIR_PARAM(weir_l2_cfg, merge_writes, "false",
               .help = "a sector is whole when as many words were written to it as it has, by "
                       "several stores together; false: only by one store",
               .source = "off",
               .when = "sectored=true and noc.request_flits=sectors and line=128 and l1.line=128 "
                       "and l1.sector=32"),
    P(weir_l2_cfg, store_wait_cyc, "0", 0, 1e6, "cycle",
      "a store to a line of which sectors are on their way stays at the head of its slice's input "
      "until they are there, and one to a line that was read, from the L2 or just now from the "
      "DRAM, keeps the input until so long after that; 0: neither",
      .source = "off"),
    P(weir_l2_cfg, merge_reads, "1", 1, 64, NULL,
      "reads of the same sectors that are one at most, if they come to a slice soon after another, "
      "of whatever SM: one look-up, and one reply for all",
      .source = "off", .when = "noc.crossbar=ideal"),
    P(weir_l2_cfg, merge_cyc, "100", 1, 1e6, "cycle", "so soon",
      .when = "merge_reads>1 and noc.crossbar=ideal"),
    P(weir_l2_cfg, merge_groups, "1", 1, 64, NULL,
      "groups of SMs, of pairs in turn; only reads of SMs of one group are one", .source = "off",
      .when = "merge_reads>1 and noc.crossbar=ideal"),
    WEIR_PARAM(weir_l2_cfg, multicast, "false",
               .help = "replies to reads that wait for a slice's port go with the first one that "
                       "has the same data, one to each SM",
               .source = "off", .when = "noc.crossbar=ideal"),
    P(weir_l2_cfg, partitions, "1", 1, 2, NULL,
      "halves of the L2, and of the SMs: in each set, each half of the SMs has as many of the "
      "lines near as one of them has ways",
      .source = "off", .when = "noc.crossbar=ideal"),
    P(weir_l2_cfg, far_cyc, "0", 0, 1e6, "cycle",
      "more for a read that finds its line in the L2, but not near",
      .when = "partitions>1 and noc.crossbar=ideal"),
    WEIR_PARAM(weir_l2_cfg, home, "false",
               .help =
                   "a line that comes to the L2 is near to a half by its address (the parity of "
                   "its number), too, whichever half has asked for it or written it",
               .source = "off", .when = "partitions>1 and noc.crossbar=ideal"),
    P(weir_l2_cfg, latency, "1", 1, 1e6, "cycle", "from the accepted access to the reply"),
    P(weir_l2_cfg, mshr_entries, "32", 1, 65536, NULL, "lines that a slice can wait for"),
    P(weir_l2_cfg, mshr_merge, "4", 1, 65536, NULL, "requests that can wait for one line"),
    P(weir_l2_cfg, write_queue, "64", 1, 65536, "sector",
      "sectors of a channel between L2 and DRAM queue; at least a line, two with write_miss "
      "forward",
      .source = "guess", .when = "dram.input_queue=0 or l3.enabled=true"),
    WEIR_PARAM(weir_l2_cfg, write_miss, "take", .choices = WEIR_CHOICES(WEIR_L2_WRITE_MISSES),
               .help =
                   "a store that does not find its sectors: takes them without a fetch, or goes "
                   "on to the DRAM while they are fetched, and is answered then"),
    P(weir_l2_cfg, interleave, "256", 32, 65536, "byte", "consecutive bytes of one slice",
      .when = "slices>1"),
    WEIR_PARAM(weir_l2_cfg, hash, "linear", .choices = WEIR_CHOICES(WEIR_L2_HASHES),
               .help =
                   "how addresses are spread over slices; ipoly: by the remainder of a division "
                   "of polynomials (Rau 1991)",
               .when = "slices>1"),
    WEIR_PARAM(weir_l2_cfg, index, "xor", .choices = WEIR_CHOICES(WEIR_L2_INDEXES),
               .help = "how a line finds its set in a slice; linear: by the low bits of its number "
                       "among the lines of the slice",
               .when = "sets>1"),
    P(weir_l2_cfg, port_bytes, "0", 0, 4096, "byte",
      "width of a slice's data port, which what is read, written or written back occupies; fills "
      "have a port of their own (0: as wide as need be)"),
    WEIR_PARAM_END};
const struct weir_param_group weir_l2_params = {"l2", "The L2 cache.", l2_table,
                                                sizeof(struct weir_l2_cfg), "timed"};

static const struct weir_param l3_table[] = {
    WEIR_PARAM(weir_l3_cfg, enabled, "false",
               .help = "a slice for each DRAM channel, between it and its L2 slices"),
    P(weir_l3_cfg, sets, "1024", 1, 1048576, NULL, "sets of a slice, a power of two",
      .when = "enabled=true"),
    P(weir_l3_cfg, ways, "16", 1, 1024, NULL, "ways; a line is l2.line", .when = "enabled=true"),
    WEIR_PARAM(weir_l3_cfg, sectored, "true", .help = "sectors, fetched on demand",
               .when = "enabled=true"),
    P(weir_l3_cfg, latency, "40", 1, 1e6, "cycle",
      "from the accepted read, or from the data of the DRAM, to the L2", .source = "guess",
      .when = "enabled=true"),
    P(weir_l3_cfg, mshr_entries, "64", 1, 65536, NULL, "lines that a slice can wait for",
      .source = "guess", .when = "enabled=true"),
    P(weir_l3_cfg, mshr_merge, "4", 1, 65536, NULL, "reads that can wait for one line",
      .source = "guess", .when = "enabled=true"),
    P(weir_l3_cfg, queue, "32", 1, 65536, NULL, "reads between L2 and L3", .source = "guess",
      .when = "enabled=true"),
    P(weir_l3_cfg, write_queue, "64", 1, 65536, "sector",
      "dirty sectors between L3 and DRAM queue; at least a line", .source = "guess",
      .when = "enabled=true and dram.input_queue=0"),
    WEIR_PARAM_END};
const struct weir_param_group weir_l3_params = {
    "l3", "An L3 cache between L2 and device memory, if there is one.", l3_table,
    sizeof(struct weir_l3_cfg), "timed"};

static const struct weir_param dram_table[] = {
    P(weir_dram_cfg, channels, "6", 1, 1024, NULL, "channels", .when = "; or program"),
    P(weir_dram_cfg, banks, "16", 1, 256, NULL, "banks of a channel"),
    P(weir_dram_cfg, bank_groups, "4", 1, 64, NULL, "bank groups of a channel"),
    P(weir_dram_cfg, row_bytes, "2048", 32, 1048576, "byte", "of a row in one channel"),
    P(weir_dram_cfg, atom_bytes, "32", 8, 256, "byte", "moved by one column command",
      .when = "; or program"),
    P(weir_dram_cfg, burst_cyc, "1", 1, 64, NULL,
      "DRAM cycles that the data of one column command take", .when = "; or program"),
    P(weir_dram_cfg, queue, "64", 1, 4096, NULL, "accesses that a channel can reorder"),
    WEIR_PARAM(weir_dram_cfg, queue_counts, "columns", .choices = WEIR_CHOICES(WEIR_DRAM_COUNTS),
               .help = "what takes a place of the queue: each column access, or a request for any "
                       "part of a line until a bank is at work on it"),
    WEIR_PARAM(weir_dram_cfg, page, "open", .choices = WEIR_CHOICES(WEIR_DRAM_PAGES),
               .help = "what becomes of a row that nothing in the queue wants: it stays open until "
                       "another one of its bank is wanted, or is closed by its last access",
               .source = "off"),
    P(weir_dram_cfg, input_queue, "0", 0, 65536, NULL,
      "requests that can wait in front of the queue, in order (0: reads wait in the L2, and writes "
      "in a queue of their own)"),
    P(weir_dram_cfg, extra_latency, "100", 0, 1e6, "cycle", "on the way from the DRAM to the L2"),
    P(weir_dram_cfg, clock_mhz, "924", 1, 100000, "MHz", "command clock", .when = "; or program"),
    WEIR_PARAM(weir_dram_cfg, map, "rotate",
               .help =
                   "bits of a byte's place in its channel, the highest first: row (R), bank (B), "
                   "column (C), byte of the atom (S); rotate: whole rows, the banks by turns"),
    WEIR_PARAM(weir_dram_cfg, dual_bus, "true", .help = "row and column commands have a bus each"),
#define T(f, d, h) P(weir_dram_cfg, f, d, 0, 10000, NULL, h)
    T(t_ccd, "2", "column to column, different bank groups (DRAM cycles)"),
    T(t_ccdl, "3", "column to column, same bank group"),
    T(t_rrd, "6", "activate to activate"),
    T(t_rcd, "12", "activate to column"),
    T(t_ras, "28", "activate to precharge"),
    T(t_rp, "12", "precharge to activate"),
    T(t_rc, "40", "activate to activate, same bank"),
    T(t_cl, "12", "read command to data"),
    T(t_wl, "4", "write command to data"),
    T(t_cdlr, "5", "write data to read command"),
    T(t_wr, "12", "write data to precharge"),
    T(t_rtpl, "2", "read to precharge"),
#undef T
    WEIR_PARAM_END};
const struct weir_param_group weir_dram_params = {"dram", "Device memory.", dram_table,
                                                  sizeof(struct weir_dram_cfg), "timed"};

/* ---- checks: rules between parameters, each naming the parameters it is about ---- */
