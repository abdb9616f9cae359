/* What a machine can do at best, in closed form: pure functions of its description.
 *
 * Loading a machine refuses one with a cap of zero, `weir help gpu` shows the caps, and the tests
 * of the model expect what these functions say: docs/timing.md derives the formulas. */
#ifndef WEIR_MACHINE_BOUNDS_H
#define WEIR_MACHINE_BOUNDS_H

#include "machine/machine.h"

/* Payload: so many bytes in so many core cycles. A ratio of integers, because clocks are. */
struct weir_rate {
  uint64_t bytes, cycles;
};

static inline double weir_rate_value(struct weir_rate r) {
  return (double)r.bytes / (double)r.cycles;
}

/* ---- latencies of a load on an idle machine, from its issue to a dependent instruction ---- */

uint64_t weir_l1_latency(const struct weir_machine *m);
/* Of these, in front of the tags: what a load that bypasses the L1 without a lookup is faster. */
uint64_t weir_tags_latency(const struct weir_machine *m);
/* `sectors` of one line, of a load that misses in the L1 if there is one. */
uint64_t weir_l2_latency(const struct weir_machine *m, unsigned sectors);
/* The same from the L3. */
uint64_t weir_l3_latency(const struct weir_machine *m, unsigned sectors);
/* How a request finds its bank. */
enum weir_bank { WEIR_BANK_HAS_ROW, WEIR_BANK_CLOSED, WEIR_BANK_HAS_OTHER };
/* What the DRAM, and an L3 in front of it, add to that of the L2: from the core cycle `at`, in
 * which the L2 accepts the request, until the last of `sectors` is in the L2. */
uint64_t weir_dram_latency(const struct weir_machine *m, unsigned sectors, uint64_t at,
                           enum weir_bank bank);
/* Sectors that a load of one sector fetches from the L2, and from DRAM. */
unsigned weir_l2_fetch(const struct weir_machine *m);
unsigned weir_dram_fetch(const struct weir_machine *m);

/* Flits of the largest request, or of the largest reply. */
uint32_t weir_most_flits(const struct weir_machine *m, bool is_reply);

/* ---- bandwidth of one DRAM channel ---- */

/* How a stream uses a channel. Zeros stand for: all banks, all bank groups, reads only. */
struct weir_dram_use {
  uint64_t columns; /* accesses for each opened row */
  uint64_t banks, groups;
  uint64_t run_reads, run_writes; /* accesses between two changes of direction */
};
struct weir_rate weir_dram_rate(const struct weir_machine *m, const struct weir_dram_use *use);
/* What the queue lets through if accesses come strictly in the order of the rows, one row after the
 * other, which with dram.map rotate is that of addresses. Not a cap: a stream in a looser order
 * opens rows earlier and can be faster, or disturbs itself and is slower.
 */
struct weir_rate weir_dram_window(const struct weir_machine *m);

/* ---- bandwidth caps ---- */

/* Streams of whole lines by all SMs. A DRAM stream goes through the rows of each channel in order,
 * from end to end. */
enum weir_flow {
  WEIR_FLOW_L1_READ,   /* L1 hits */
  WEIR_FLOW_L2_READ,   /* L2 hits of loads that enter the L1 */
  WEIR_FLOW_L2_BYPASS, /* L2 hits of loads that bypass it */
  WEIR_FLOW_L2_WRITE,
  WEIR_FLOW_DRAM_READ,
  WEIR_FLOW_DRAM_BYPASS,
  WEIR_FLOW_DRAM_WRITE,
  WEIR_N_FLOWS
};
extern const char *const weir_flow_names[WEIR_N_FLOWS];

/* What a flow passes. */
enum weir_cap_id {
  WEIR_CAP_ISSUE,
  WEIR_CAP_L1_HIT,
  WEIR_CAP_L1_FILL,
  WEIR_CAP_L1_MSHR,
  WEIR_CAP_INFLIGHT,
  WEIR_CAP_REPLY_PORT,
  WEIR_CAP_REQUEST_PORT,
  WEIR_CAP_REQUEST_QUEUE,
  WEIR_CAP_REQUEST_CREDIT,
  WEIR_CAP_SLICE_IN,
  WEIR_CAP_SLICE_OUT,
  WEIR_CAP_L2_PORT,
  WEIR_CAP_REPLY_QUEUE,
  WEIR_CAP_REPLY_CREDIT,
  WEIR_CAP_L2_MSHR,
  WEIR_CAP_L3,
  WEIR_CAP_L3_MSHR,
  WEIR_CAP_DRAM,
  WEIR_N_CAPS
};

struct weir_cap {
  const char *where, *params;
  struct weir_rate each;
  uint64_t units;
};

/* The cap that an obstacle puts on a flow; false: the flow does not pass it, or the machine has no
 * such flow (l1.enabled) or obstacle (l3.enabled, l2.port_bytes, noc.crossbar). Head-of-line
 * blocking is no cap: what it costs depends on the order of packets. */
bool weir_cap(const struct weir_machine *m, enum weir_cap_id id, enum weir_flow flow,
              struct weir_cap *cap);
static inline double weir_cap_value(const struct weir_cap *c) {
  return weir_rate_value(c->each) * (double)c->units;
}
/* The smallest; `where` is NULL if there is no such flow. */
struct weir_cap weir_bottleneck(const struct weir_machine *m, enum weir_flow flow);

/* The first cap of zero, with the parameters that make it so. */
enum weir_status weir_bounds_check(const struct weir_machine *m, struct weir_err *err);

#endif
