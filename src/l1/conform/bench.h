/* Two L1s of one design between hand-made SMs and a memory with marks: enough to call every hook,
 * and small enough to compare runs state by state. */
#ifndef WEIR_L1_CONFORM_BENCH_H
#define WEIR_L1_CONFORM_BENCH_H

#include "l1/order.h"

enum {
  BENCH_SMS = 2,
  BENCH_LOADS = 64,
  BENCH_MSGS = 512,
  BENCH_LINES = 256,
  BENCH_INSNS = 8,
  BENCH_KERNELS = 2
};

struct weir_bench;
struct weir_bench_sm {
  struct weir_bench *b;
  uint32_t id;
  struct weir_l1 *l1;
  struct weir_order_queues order;
  struct weir_l1_req req; /* at the head; op WEIR_N_OPS: none */
  struct weir_access load[BENCH_LOADS];
  bool used[BENCH_LOADS];
  uint32_t inflight, n_presented;
  uint64_t loads, answered, stores, acked;
  uint64_t gated; /* of the warps, when last asked */
  uint32_t ctas;  /* resident */
  /* Warps, as schedulers see them. */
  uint32_t age[WEIR_MAX_WARPS], next_age, last[WEIR_MAX_SCHEDULERS];
  uint64_t at_barrier, offered, picked; /* slots; choices that were asked for, and made */
};

struct weir_bench_cast {
  uint64_t at, v[4];
  uint32_t from, part;
};

struct weir_bench {
  const struct weir_machine *m;
  struct weir_bench_sm sm[BENCH_SMS];
  struct weir_msg msg[BENCH_MSGS]; /* under way, in order of sending */
  uint32_t n_msgs;
  struct weir_bench_cast cast[64];
  uint32_t n_casts;
  uint8_t marked[BENCH_LINES], known[BENCH_LINES]; /* of the lines in the L2 */
  uint64_t now, seed, log;                         /* log: a hash of all answers */
  uint32_t uid;
  const char *bad;
};

/* NULL design: the machine's own. `err` says why it cannot be built. */
bool weir_bench_init(struct weir_bench *b, const struct weir_machine *m,
                     const struct weir_design *d, uint64_t seed, struct weir_err *err);
void weir_bench_free(struct weir_bench *b);
/* The same state in other memory. */
bool weir_bench_clone(struct weir_bench *to, const struct weir_bench *from);
void weir_bench_kernel(struct weir_bench *b);
void weir_bench_step(struct weir_bench *b);
/* Until nothing is under way; then the kernel ends. */
void weir_bench_drain(struct weir_bench *b);
/* Of all that the L1s remember. */
uint64_t weir_bench_hash(const struct weir_bench *b);

/* Rows as a preparation might have made them: for pcs, lines and SMs of the benches. */
enum weir_status weir_bench_rows(struct weir_rows *rows, struct weir_err *err);

/* The policy that stands beside every part (asks.c). */
extern const struct weir_policy_ops weir_conform_asks;

#endif
