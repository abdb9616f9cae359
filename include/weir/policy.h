/* The contract between weir and a cache policy: one table of functions, any of which may be empty.
 *
 * A policy either decides or observes. Deciding hooks get a policy they cannot change and an access
 * without a time; they may be asked any number of times, because a request that finds no room is
 * presented again. Observing hooks are told once, when something has happened, and are the only
 * place where state changes: a request that was refused leaves no trace.
 *
 * An L1 has a chain of policies. The first answer other than PASS wins, the core's own rule comes
 * last; every policy of the chain is told what happened, in order. All memory of a policy (its
 * state, so many bytes for each set and for each way) belongs to the core, which allocates, zeroes,
 * copies and frees it. A policy must not allocate, print, keep pointers, or use globals, clocks or
 * rand(): weir_pick() is its source of random choices.
 *
 * Where a policy orders requests: queue, queued; later next_queue, and then the calls of the
 * request, with left_queue as the last of them once it is accepted.
 *
 * Order of calls for a load: route; on BYPASS the tags see nothing. Else the tags are read; after a
 * miss admit; victim where a way is needed; blocked if a resource is missing, and then nothing is
 * told. When it was accepted: lookup, evict, alloc; bypass if it bypasses the cache. When the
 * reply comes: fill or bypass_return. Stores: store, then lookup and what follows from it.
 *
 * Warps: sched_update tells what a scheduler sees, pick_warp chooses among the warps that can
 * issue, gate may hold that one back, and then pick_warp is asked again without it; issued.
 *
 * A policy of your own needs this header and no function of weir. It is one file that ends with
 *
 *   const struct weir_policy_ops weir_policy_mine = {.part = {WEIR_PART("mine", "..."), ...}, ...};
 *
 * compiled with cc -O2 -shared -fPIC -I DIR -o mine.so mine.c, and used as weir run spmv --plugin
 * ./mine.so. Every variable weir_policy_* that a file exports is a policy; the name that users
 * write is .part.name. weir check-policy ./mine.so says whether it keeps the rules.
 *
 * What a plug-in answers is looked at, and so is what lies around its memory: a hook that breaks
 * the contract ends the run with an error that names it. A hook that crashes ends the process by
 * the signal, after the command line has named it; in weir compare each run is a process. */
#ifndef WEIR_POLICY_H
#define WEIR_POLICY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "weir/cacheop.h"
#include "weir/err.h"
#include "weir/param.h"
#include "weir/stat.h"

#define WEIR_POLICY_ABI 4
#define WEIR_NEVER      UINT64_MAX

enum weir_op {
  WEIR_LOAD,
  WEIR_STORE,
  WEIR_ATOMIC,
  WEIR_PREFETCH,
  WEIR_OTHER, /* no access to global or local memory; only `gate` is asked about these */
  WEIR_N_OPS
};

enum weir_outcome {
  WEIR_HIT,
  WEIR_HIT_PENDING, /* what it wants is on its way; nothing was sent */
  WEIR_PARTIAL,     /* its line is there or on its way, further sectors were sent for */
  WEIR_MISS
};

enum weir_cause { /* of the end of a line */
                  WEIR_BY_REPLACEMENT,
                  WEIR_BY_STORE,
                  WEIR_BY_FLUSH,      /* a kernel began */
                  WEIR_BY_COLLATERAL, /* something else that was replaced took it along */
                  WEIR_N_CAUSES
};

/* What can be missing, in the order in which it is asked for. */
enum weir_shortage {
  WEIR_NO_DATA_PORT,
  WEIR_NO_INFLIGHT, /* loads of the SM that wait for a reply */
  WEIR_NO_LINE,     /* all ways are reserved, or `victim` said stall */
  WEIR_NO_QUEUE,    /* miss queue */
  WEIR_NO_MERGE,    /* the MSHR entry of its line has as many waiters as it can */
  WEIR_NO_MSHR,
  WEIR_NO_ICNT,  /* bypass buffer */
  WEIR_NO_ORDER, /* the queue in front of the L1 that an order policy chose is full */
  WEIR_N_SHORTAGES
};

/* A warp runs from its block's arrival on. */
enum weir_warp_event {
  WEIR_WARP_WAITS, /* at a barrier */
  WEIR_WARP_RUNS,  /* on after it */
  WEIR_WARP_ENDS   /* its block may stay */
};

enum weir_answer {
  WEIR_PASS, /* no opinion: ask the next */
  WEIR_CACHE,
  WEIR_BYPASS,
  WEIR_BYPASS_MARKED /* bypass, and have the L2 mark the line; see WEIR_REPLY_MARKED */
};

/* What the bypasses of a policy are counted as. */
enum weir_reason {
  WEIR_R_STATIC,    /* the instruction says so: operator or compiler's tag */
  WEIR_R_PREDICTOR, /* a prediction for this access */
  WEIR_R_STALL,     /* a resource was missing */
  WEIR_R_MODE,      /* the cache is switched off while a mode lasts */
  WEIR_R_THRESHOLD, /* the line has not shown enough reuse */
  WEIR_R_PROFILE,
  WEIR_N_REASONS
};

enum weir_write { WEIR_WRITE_PASS, WEIR_WRITE_BACK, WEIR_WRITE_THROUGH, WEIR_WRITE_EVICT };

enum { WEIR_WAY_PASS = -1, WEIR_WAY_STALL = -2, WEIR_WAY_NONE = -1 };
enum { WEIR_WARP_PASS = -1, WEIR_WARP_NONE = -2 }; /* besides the number of a slot */

/* What a reply says. MARKED: the line was found in the L2 with its mark set; the mark is gone.
 * OTHER_SM, besides: another SM had asked for the mark. That is for statistics; an L2 with one bit
 * per line cannot tell. */
enum { WEIR_REPLY_MARKED = 1, WEIR_REPLY_OTHER_SM = 2 };

/* Besides sectors, from fetch_mask: they should lie together, where parts of a line need not. */
#define WEIR_FETCH_TOGETHER UINT32_C(0x10000)

enum weir_tag { WEIR_TAG_NONE, WEIR_TAG_CA, WEIR_TAG_CG, WEIR_TAG_CM };

/* One line-sized access of one warp instruction. A mask has one bit for each sector of the line. */
struct weir_access {
  uint64_t addr;            /* of the line */
  uint64_t pc;              /* in bytes */
  uint64_t cycle;           /* since the kernel began; 0 in deciding hooks */
  uint32_t set;             /* the set that the line belongs to */
  uint32_t insn;            /* number of the instruction in its kernel */
  uint32_t warp, warp_uid;  /* slot; number of the warp since the kernel began on this SM */
  uint32_t cta, cta_uid;    /* slot; number of the block in its grid */
  uint32_t cta_warp, nth;   /* number of the warp in its block; of the request in its warp */
  uint32_t kernel;          /* number of the launch */
  uint16_t sectors;         /* touched */
  uint16_t full;            /* of these, those that a store writes whole */
  uint16_t fetch;           /* sent for; 0 until it was accepted */
  uint8_t op;               /* enum weir_op */
  uint8_t hint, evict_hint; /* enum weir_cache_op, enum weir_evict_hint */
  uint8_t tag;              /* enum weir_tag: what a compiler said of a global load */
  bool is_local;            /* local memory, else global */
  bool first_of_mshr;       /* it opened its MSHR entry; false until it was accepted */
  uint8_t shortage;         /* in `bypass`: enum weir_shortage that `blocked` was asked about;
                               WEIR_N_SHORTAGES: it was not */
};

/* A way as policies see it. What a way is, the organisation says: a line, or a part of one. */
struct weir_line {
  uint64_t tag; /* line number + 1; 0: empty */
  uint16_t valid_mask, dirty_mask, pending_mask;
  uint16_t written_mask; /* sectors of which some bytes were written and the others are not there */
};
struct weir_set {
  const struct weir_line *line;
  uint32_t index, ways;
};

/* Queues between the LD/ST unit and the L1; 0: none, requests come as the coalescer made them. */
struct weir_order {
  uint32_t queues, depth; /* at most WEIR_MAX_QUEUES and WEIR_MAX_DEPTH */
};
enum { WEIR_MAX_QUEUES = 64, WEIR_MAX_DEPTH = 1024 };

enum { WEIR_MAX_WARPS = 64, WEIR_MAX_SCHEDULERS = 4 }; /* of an SM */
struct weir_geometry {
  uint32_t sets, ways; /* ways: the most that there can be; a set view says how many there are */
  uint32_t line_bytes, sector_bytes, sectors; /* sectors: of a line */
  uint32_t sm, n_sms, warps, ctas;            /* warps, ctas: slots of an SM */
  uint32_t schedulers;                        /* warp slot w belongs to w modulo this */
  uint64_t seed;
};

struct weir_kernel {
  const char *name;
  uint64_t id;              /* the same for all launches of a kernel, in every run; not 0 */
  uint32_t uid;             /* number of the launch */
  uint32_t n_insns, n_ctas; /* n_ctas: of the grid; UINT32_MAX: so many or more */
  uint32_t warps_per_cta, ctas_per_sm;
  bool is_flushed; /* the L1 was emptied for it; known from kernel_begin on */
};

struct weir_cta {
  uint32_t slot, uid; /* uid: number in the grid */
  uint64_t warps;     /* slots, one bit each */
};

/* What an SM knows about itself, settled to now. */
struct weir_sm_view {
  uint32_t warps_resident, warps_active; /* active: not finished and not at a barrier */
  uint32_t ctas_resident, ctas_max;
  /* Since the simulation began. */
  uint64_t l1_hits, l1_loads, resv_stall_cycles, insns_issued;
  uint64_t issue_slots;  /* of its schedulers, one for each in a cycle */
  uint64_t idle_slots;   /* of these, without a warp */
  uint64_t memory_slots; /* of these, lost: the oldest warp waited for a load or the LD/ST unit */
};

/* A warp scheduler, of which an SM has geometry.schedulers. Each bit of a mask is a warp slot. */
struct weir_sched_view {
  uint32_t scheduler;    /* its slots are those that are this, modulo the number of schedulers */
  uint32_t last;         /* the slot that it issued from last; 0 before it has in this kernel */
  uint64_t warps;        /* that run: not ended, not at a barrier or a fence */
  uint64_t waits_memory; /* of these: the next instruction waits for the result of a load */
  uint64_t uses_memory;  /* of these: the next instruction needs the LD/ST unit */
  uint64_t held;         /* of these: ready, but `gate` holds them back; in sched_update only */
  const uint32_t *age;   /* of these, by slot: the smaller, the longer the warp has been there */
};

/* What a run that was made before says about a kernel, under a key that the policy chose: a pc, a
 * line, an SM, or several of them in one number. */
struct weir_row {
  /* struct weir_kernel's id, or another number that reader and maker agree on, as uid + 1; 0: any
   */
  uint64_t kernel;
  uint64_t key, v[4];
};

struct weir_policy;

/* What every part of an L1, policy or organisation, declares. */
struct weir_part {
  uint32_t abi; /* WEIR_POLICY_ABI */
  const char *name, *help;
  const char *reference;           /* paper or manual section */
  const struct weir_param *params; /* may be NULL; keys are NAME.param */
  const struct weir_stat *stats;   /* may be NULL; names are NAME.stat */
  uint32_t l2_line_bits;           /* hardware it needs in every line of the L2 */
  bool is_per_gpu;                 /* what storage_bits says is there once, not on every SM */
  size_t cfg_bytes, state_bytes, set_bytes, line_bytes, stats_bytes;
  /* If state_bytes depends on parameters or geometry; NULL: state_bytes. */
  size_t (*state_size)(const void *cfg, const struct weir_geometry *g);
  /* Hardware that it adds to a conventional L1, in bits, by parameters and geometry alone. NULL: it
   * is not declared, and neither is that of a scheme with it. No hardware: weir_no_storage. */
  uint64_t (*storage_bits)(const void *cfg, const struct weir_geometry *g);
  enum weir_status (*init)(struct weir_policy *, struct weir_err *); /* state is zero */
  const char *(*verify)(const struct weir_policy *);                 /* NULL: all is well */
  /* Observing. */
  void (*kernel_begin)(struct weir_policy *, const struct weir_kernel *);
  void (*kernel_end)(struct weir_policy *, const struct weir_kernel *, uint64_t cycle);
  void (*cta_begin)(struct weir_policy *, const struct weir_cta *, uint64_t cycle);
  void (*cta_end)(struct weir_policy *, const struct weir_cta *, uint64_t cycle);
  void (*warp)(struct weir_policy *, uint32_t slot, enum weir_warp_event, uint64_t cycle);
  /* In the cycle that weir_ask_wake named, counted from the kernel's beginning. */
  void (*tick)(struct weir_policy *, uint64_t now);
  /* From the same part of another SM. */
  void (*broadcast_received)(struct weir_policy *, uint32_t from_sm, const uint64_t v[4],
                             uint64_t cycle);
};

struct weir_policy_ops {
  struct weir_part part;
  enum weir_reason reason;   /* of the bypasses by route and admit */
  const char *organisations; /* "a|b": those it works with; NULL: all */
  /* The policy whose rows it reads by weir_prepared; it may name itself. A scheme can name another.
   * NULL: it reads none. */
  const char *prepare;
  /* Of one that makes rows: the run before is made on the input that will be timed, and not on
   * 'profile', because its keys mean nothing with other data (addresses). Results say so. */
  bool prepares_on_timed;
  /* "a|b": those of its parameters that its rows depend on; with other values of the others the
   * same rows serve. NULL: all. */
  const char *row_params;
  /* Does it, with these parameters, decide by the tags of loads? Then a run without tags is
   * refused. NULL: no. */
  bool (*needs_tags)(const void *cfg);

  /* Deciding. */
  enum weir_answer (*route)(const struct weir_policy *, const struct weir_access *);
  enum weir_answer (*admit)(const struct weir_policy *, const struct weir_access *,
                            struct weir_set);
  int (*victim)(const struct weir_policy *, const struct weir_access *, struct weir_set);
  enum weir_answer (*blocked)(const struct weir_policy *, const struct weir_access *,
                              enum weir_shortage);
  enum weir_write (*store)(const struct weir_policy *, const struct weir_access *, struct weir_set,
                           int way);
  /* Sectors to ask for, at least `missing`, and WEIR_FETCH_TOGETHER or not. An organisation that
   * stores parts of lines apart asks before its lookup, with the touched ones; others ask after
   * it. */
  uint32_t (*fetch_mask)(const struct weir_policy *, const struct weir_access *, uint32_t missing);
  /* May it issue now? Of warps that are ready; asked as long as they are. */
  bool (*gate)(const struct weir_policy *, uint32_t warp, enum weir_op);
  uint32_t (*max_ctas)(const struct weir_policy *, const struct weir_kernel *);
  /* Which of the warps that can issue in this cycle does so; of one policy of a chain. `ready` is
   * not 0; a slot of it, or WEIR_WARP_NONE: none of them now. Asked again with fewer if `gate`
   * holds that warp back. */
  int (*pick_warp)(const struct weir_policy *, const struct weir_sched_view *, uint64_t ready);

  /* Observing. */
  void (*lookup)(struct weir_policy *, const struct weir_access *, struct weir_set, int way,
                 enum weir_outcome);
  void (*alloc)(struct weir_policy *, const struct weir_access *, struct weir_set, int way);
  void (*fill)(struct weir_policy *, const struct weir_access *, struct weir_set, int way,
               uint32_t reply_flags); /* way -1: nowhere, its waiters alone get the data */
  /* The way still holds what it is about to lose. */
  void (*evict)(struct weir_policy *, const struct weir_access *, struct weir_set, int way,
                enum weir_cause);
  void (*bypass)(struct weir_policy *, const struct weir_access *);
  void (*bypass_return)(struct weir_policy *, const struct weir_access *, uint32_t reply_flags);
  /* Before a scheduler chooses, whenever its view has changed. Perhaps without a change too: to be
   * told the same again must change nothing, so it asks for nothing and reads no weir_sm_view. */
  void (*sched_update)(struct weir_policy *, const struct weir_sched_view *);
  /* A warp has issued an instruction. */
  void (*issued)(struct weir_policy *, uint32_t scheduler, uint32_t warp, uint64_t cycle);

  /* Order, of one policy of a chain. Requests wait in queues, each of them in the order they came;
   * one that came in a cycle is presented in the next, or later. Asked once, after init: */
  struct weir_order (*order)(const struct weir_policy *);
  /* Deciding: the queue that it goes into; while that is full it waits, and all behind it. */
  uint32_t (*queue)(const struct weir_policy *, const struct weir_access *);
  /* Deciding: the queue whose oldest request is presented next; n[i] wait in queue i, this one must
   * not be empty. If the L1 cannot take it, nothing else is presented in this cycle. */
  uint32_t (*next_queue)(const struct weir_policy *, const uint32_t *n);
  /* Observing: it went into its queue; it left it, because the L1 has taken it. */
  void (*queued)(struct weir_policy *, const struct weir_access *, uint32_t queue);
  void (*left_queue)(struct weir_policy *, const struct weir_access *, uint32_t queue);

  /* Preparing, of a policy that another one names in `prepare`: it is part of a run of the
   * machine's own L1, made before the timed one on the workload's input 'profile'. After each
   * kernel, when kernel_end was told, it is asked on every SM for rows 0, 1, ... of that kernel.
   * *row is 0 but for the kernel. False: there are no more. What it cannot keep until then it hands
   * over by weir_note. */
  bool (*row)(const struct weir_policy *, uint32_t i, struct weir_row *row);
  /* May be NULL. At the end, for the first SM's policy: all rows, sorted by kernel and key; those
   * of equal kernel and key, of several SMs or launches, are one, with the sums of their values. It
   * may change any and keeps the first so many as it returns. */
  size_t (*digest)(const struct weir_policy *, struct weir_row *rows, size_t n);
};

/* ---- what a policy may ask for: carried out after the hook returned ---- */

struct weir_services {
  void (*wake)(struct weir_policy *, uint64_t cycle);
  bool (*broadcast)(struct weir_policy *, const uint64_t v[4]);
  bool (*invalidate)(struct weir_policy *, uint32_t set, int way);
  bool (*prefetch)(struct weir_policy *, uint64_t addr, uint32_t sectors);
  void (*view)(struct weir_policy *, struct weir_sm_view *);
  bool (*note)(struct weir_policy *, const struct weir_row *);
};

/* The layout is the core's; policies use the functions below. */
struct weir_policy {
  const void *cfg;
  void *state, *sets, *lines, *stats;
  size_t set_bytes, line_bytes, state_bytes;
  const struct weir_geometry *geometry;
  const uint64_t *accepted; /* requests accepted so far */
  const struct weir_services *services;
  void *core;
  uint32_t index; /* in the chain; the same on every SM */
  size_t n_rows;
  const struct weir_row *rows; /* sorted by kernel and key */
  const uint64_t *kernel_id;
};

static inline const void *weir_cfg(const struct weir_policy *p) {
  return p->cfg;
}
static inline const struct weir_geometry *weir_geometry(const struct weir_policy *p) {
  return p->geometry;
}
static inline const void *weir_state_peek(const struct weir_policy *p) {
  return p->state;
}
static inline void *weir_state_edit(struct weir_policy *p) {
  return p->state;
}
static inline const void *weir_set_peek(const struct weir_policy *p, uint32_t set) {
  return (const char *)p->sets + set * p->set_bytes;
}
static inline void *weir_set_edit(struct weir_policy *p, uint32_t set) {
  return (char *)p->sets + set * p->set_bytes;
}
static inline const void *weir_line_peek(const struct weir_policy *p, uint32_t set, int way) {
  return (const char *)p->lines + ((size_t)set * p->geometry->ways + (size_t)way) * p->line_bytes;
}
static inline void *weir_line_edit(struct weir_policy *p, uint32_t set, int way) {
  return (char *)p->lines + ((size_t)set * p->geometry->ways + (size_t)way) * p->line_bytes;
}
/* Counters: a struct of uint64_t that part.stats describes. What a policy has decided, as it is now
 * (a selector, a mode, a limit), may stand there too, as a WEIR_STAT_LEVEL that it sets when it
 * changes: --timeline and --decisions show it over time. */
static inline void *weir_stats_edit(struct weir_policy *p) {
  return p->stats;
}

/* ---- what a policy declares ---- */

/* For struct weir_part: {WEIR_PART("mine", "what it does"), WEIR_PART_PARAMS(table, my_cfg), ...}.
 * A table and the struct that it describes are named together. */
#define WEIR_PART(text_name, text_help) .abi = WEIR_POLICY_ABI, .name = text_name, .help = text_help
#define WEIR_PART_PARAMS(table, S)      .params = table, .cfg_bytes = sizeof(struct S)
#define WEIR_PART_STATS(table, S)       .stats = table, .stats_bytes = sizeof(struct S)

/* Bits that tell n things apart; a counter below n has as many. */
static inline uint32_t weir_bits(uint64_t n) {
  return n > 1 ? 64 - (uint32_t)__builtin_clzll(n - 1) : 0;
}
/* So many bits in every line, in every set. */
static inline uint64_t weir_bits_of_lines(const struct weir_geometry *g, uint64_t bits) {
  return bits * g->sets * g->ways;
}
static inline uint64_t weir_bits_of_sets(const struct weir_geometry *g, uint64_t bits) {
  return bits * g->sets;
}
/* As storage_bits: it declares that it adds no hardware. */
static inline uint64_t weir_no_storage(const void *cfg, const struct weir_geometry *g) {
  (void)cfg, (void)g;
  return 0;
}

/* Does the way hold a line that can be replaced? One that waits for data cannot. */
static inline bool weir_can_go(struct weir_set set, uint32_t way) {
  return set.line[way].tag != 0 && set.line[way].pending_mask == 0;
}

/* The id of the kernel that runs; 0 before the first. */
static inline uint64_t weir_kernel_id(const struct weir_policy *p) {
  return *p->kernel_id;
}

static inline const struct weir_row *weir_find_row(const struct weir_row *rows, size_t n,
                                                   uint64_t kernel, uint64_t key) {
  size_t first = 0;
  while (n > 0) {
    const struct weir_row *r = &rows[first + n / 2];
    if (r->kernel == kernel && r->key == key) return r;
    if (r->kernel < kernel || (r->kernel == kernel && r->key < key)) {
      first += n / 2 + 1;
      n -= n / 2 + 1;
    } else
      n /= 2;
  }
  return NULL;
}
/* The row that `prepare` made for a kernel and a key, or for any kernel and this key. NULL: there
 * is none; so it is with all of them in the run that prepares. */
static inline const struct weir_row *weir_prepared(const struct weir_policy *p, uint64_t kernel,
                                                   uint64_t key) {
  const struct weir_row *r = weir_find_row(p->rows, p->n_rows, kernel, key);
  return r != NULL ? r : weir_find_row(p->rows, p->n_rows, 0, key);
}

/* In observing hooks: one more row, as if `row` had given it at the kernel's end. Those of equal
 * kernel and key are added up, so that a policy can count what it has no state for: lines, say. If
 * there are too many, the run ends with an error. False: this is no run that prepares. */
static inline bool weir_note(struct weir_policy *p, const struct weir_row *row) {
  return p->services->note(p, row);
}

/* What `init` returns if parameters do not go together or with the machine. */
static inline enum weir_status weir_refuse(struct weir_err *err, const char *why) {
  size_t n = 0;
  if (err == NULL) return WEIR_EINVAL;
  for (; why[n] != '\0' && n < sizeof err->msg - 1; n++)
    err->msg[n] = why[n];
  err->msg[n] = '\0';
  err->code = WEIR_EINVAL;
  return WEIR_EINVAL;
}

/* Requests accepted so far: the same in all calls about one of them, from the first question to the
 * last that is told when it is accepted. */
static inline uint64_t weir_accepted(const struct weir_policy *p) {
  return *p->accepted;
}

/* A number below n, the same whenever it is asked before the next request is accepted. A decision
 * that needs several numbers gives each its own `index`. */
static inline uint32_t weir_pick(const struct weir_policy *p, uint32_t n, uint32_t index) {
  uint64_t x = p->geometry->seed + UINT64_C(0x9e3779b97f4a7c15) * (weir_accepted(p) + 1);
  x ^= ((uint64_t)p->geometry->sm << 32 | index) * UINT64_C(0xbf58476d1ce4e5b9);
  x = (x ^ (x >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
  x = (x ^ (x >> 27)) * UINT64_C(0x94d049bb133111eb);
  x ^= x >> 31;
  return n > 1 ? (uint32_t)(((x >> 32) * n) >> 32) : 0;
}

/* Call tick once in that cycle (of the kernel). The earliest cycle asked for holds; all of them are
 * forgotten when tick is called, which asks again if it wants to be. A cycle that is over means the
 * next one. */
static inline void weir_ask_wake(struct weir_policy *p, uint64_t cycle) {
  p->services->wake(p, cycle);
}
/* Tell the same policy of all other SMs; it arrives sm.broadcast_latency cycles later. False: more
 * than 16 were asked for in one hook. */
static inline bool weir_ask_broadcast(struct weir_policy *p, const uint64_t v[4]) {
  return p->services->broadcast(p, v);
}
/* Carried out unless the way is empty or pending, or dirty while the miss queue has no room for its
 * write-back; `evict` tells of it. False: more than 16 were asked for in one hook. */
static inline bool weir_ask_invalidate(struct weir_policy *p, uint32_t set, int way) {
  return p->services->invalidate(p, set, way);
}
/* Carried out if all resources are free, else dropped. */
static inline bool weir_ask_prefetch(struct weir_policy *p, uint64_t addr, uint32_t sectors) {
  return p->services->prefetch(p, addr, sectors);
}
/* In observing hooks only: what it says changes from cycle to cycle. */
static inline struct weir_sm_view weir_sm_view(struct weir_policy *p) {
  struct weir_sm_view v;
  p->services->view(p, &v);
  return v;
}

#endif
