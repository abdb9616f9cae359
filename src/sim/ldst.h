/* The LD/ST unit of an SM: the coalescer, the queue in front of the L1 with those that a policy
 * orders, and the loads in flight. */
#ifndef WEIR_SIM_LDST_H
#define WEIR_SIM_LDST_H

#include "l1/order.h"
#include "stream/coalesce.h"
#include "stream/stream.h"

struct weir_load {      /* a load instruction that waits for requests */
  struct weir_access a; /* what its requests have in common */
  uint32_t insn;        /* of the kernel; a.insn is what policies see */
  uint32_t n_left, next_free;
  uint32_t back_cyc; /* that its data take on the way to the registers (sm.passes_back) */
  uint64_t ready_at;
  bool is_missing; /* a request of it sent for something */
  bool is_copy;    /* asynchronous, of group `group` */
  bool has_texels; /* of the texture cache */
  uint32_t group;
};

/* The instruction whose requests are made. */
struct weir_coalescer {
  bool is_busy;
  struct weir_access a; /* what its requests have in common */
  uint32_t id;          /* of its requests: the load, or the warp of a store */
  uint32_t n, next;
  uint32_t passes, pass; /* cycles that it takes, and so far; 0: what the requests take */
  uint32_t full;         /* sectors of each line that a store writes whole */
  bool is_exact;         /* by the bytes of its lanes, instead of `full` */
  bool reads_words;      /* of a load, the words that its lanes read matter */
  bool is_texture;
  bool has_texels;                 /* which a texture cache may have */
  bool merges_writes;              /* and says how many words of each sector are written */
  unsigned width;                  /* of a lane */
  uint64_t lane[WEIR_LANES];       /* is_exact, reads_words */
  const struct weir_request *list; /* one of the two below */
  struct weir_requests of_warp;
  struct weir_request
      words[WEIR_MAX_ACCESS_BYTES / 4 * 2 * WEIR_LANES]; /* local, wide: of all its words;
                                                            textures: of all its records */
};

struct weir_ldst {
  struct weir_coalescer coalescer;
  struct {
    struct weir_l1_req *v;
    uint32_t head, n, cap;
  } queue;                          /* coalescer to L1 */
  struct weir_order_queues order;   /* behind it, where a policy orders requests */
  bool has_words;                   /* l1.store_words: a store has left a part of a sector */
  uint8_t failed;                   /* what the head waits for; WEIR_N_SHORTAGES: nothing */
  bool is_probed;                   /* to find that out, tags were read */
  uint64_t since;                   /* counted until then */
  struct weir_texture *texture;     /* NULL: texture reads go through the L1 */
  struct weir_constants *constants; /* NULL: constants are always there */
  struct weir_load *loads;
  uint32_t free_load, n_loads;
  uint32_t inflight;    /* requests of loads and atomics that wait for an answer */
  uint32_t stores;      /* acknowledgements that have not come */
  uint64_t shared_free; /* passes over shared memory end */
};

struct weir_sm;
struct weir_err;
/* `l1` is that of the SM. */
enum weir_status weir_ldst_init(struct weir_ldst *u, const struct weir_machine *m,
                                const struct weir_l1 *l1, struct weir_err *err);
void weir_ldst_free(struct weir_ldst *u);

/* The warp's next instruction accesses memory: shared and constant memory answer at once, requests
 * to others go through the coalescer, which is free. */
void weir_ldst_start(struct weir_sm *sm, uint32_t slot, uint64_t now);
/* From the coalescer into the queue; true: some have moved. */
bool weir_ldst_coalesce(struct weir_sm *sm);
/* From the queues to the L1; true: some have moved. */
bool weir_ldst_present(struct weir_sm *sm, uint64_t now);
/* Requests between the coalescer and the L1. */
static inline uint32_t weir_ldst_waiting(const struct weir_ldst *u) {
  return u->queue.n + u->order.total;
}
/* A request of the load was answered, with data in cycle `at`. */
void weir_ldst_answer(struct weir_sm *sm, uint32_t load, uint64_t at);
/* A load that went past the L1 has its line: the texture cache keeps it, and those that waited for
 * it are answered. */
void weir_ldst_texels(struct weir_sm *sm, uint32_t load, uint64_t addr, uint64_t now);
/* A store request of the warp was acknowledged. */
void weir_ldst_acknowledge(struct weir_sm *sm, uint32_t slot);
/* Count what the head waited for until now. */
void weir_ldst_settle(struct weir_sm *sm, uint64_t now);
/* Copies of the groups that a warp waits for if `keep` ended ones may be under way; *ready: when
 * the last of them is there, as far as it is known. */
struct weir_sm_warp;
uint32_t weir_ldst_copies(const struct weir_sm_warp *w, uint32_t keep, uint64_t *ready);

#endif
