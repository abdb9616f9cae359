/* The L1 pipeline as its parts see it: what organisations call, and the layout that the files of
 * the pipeline share. */
#ifndef WEIR_L1_CORE_H
#define WEIR_L1_CORE_H

#include "l1/hooks.h"
#include "l1/l1.h"
#include "l1/scheduler/own.h"

/* ---- for organisations ---- */

/* A way of the set for the access, chosen by the policies among those without pending sectors; -1:
 * none can be had. */
int weir_l1_victim(const struct weir_policy *org, const struct weir_access *a, struct weir_set set);
/* The way is about to lose what it holds: tells the policies, counts, writes dirty sectors back. */
void weir_l1_evict(struct weir_policy *org, const struct weir_access *a, struct weir_set set,
                   int way, enum weir_cause cause);
/* The way now belongs to the line of the access. */
void weir_l1_alloc(struct weir_policy *org, const struct weir_access *a, struct weir_set set,
                   int way);

/* A hit found part of its data in this way; for organisations whose probes name no single way. */
void weir_l1_reused(struct weir_policy *org, uint32_t set, int way);

/* ---- the chain ---- */

/* Who fills a hook, in order: policies by their index, for a hook of parts parts by their number.
 */
struct weir_hook_list {
  uint8_t n, who[WEIR_MAX_PARTS];
};

struct weir_ask { /* of a hook, carried out after it */
  uint64_t addr;
  uint32_t set, sectors;
  uint32_t part; /* that asked */
  int way;
  bool is_prefetch;
};
enum { WEIR_MAX_ASKS = 16 };

/* Organisation and policies of one L1, with their memory. */
struct weir_chain {
  struct weir_policy org, policy[WEIR_MAX_PARTS - 1];
  const struct weir_org_ops *org_ops;
  const struct weir_policy_ops *ops[WEIR_MAX_PARTS - 1];
  uint32_t n;
  struct weir_hook_list hook[WEIR_N_HOOKS];
  /* The machine's scheduler, the last to be asked; no part of the scheme. */
  struct weir_policy own;
  const struct weir_policy_ops *own_ops;
  union weir_own_cfg own_cfg;
  struct weir_geometry geometry;
  uint64_t accepted, kernel_id;
  uint64_t wake[WEIR_MAX_PARTS], next_wake; /* cycles of the kernel; 0 is the organisation */
  struct weir_ask asks[WEIR_MAX_ASKS];
  uint32_t n_asks;
  struct weir_rows notes; /* of part `noting` in this kernel */
  uint32_t noting;        /* 0: this is no run that prepares */
  struct weir_l1_host host;
  void *memory;
  size_t memory_bytes;
  bool paranoid;
  uint64_t n_questions; /* paranoid: so far */
  struct {              /* the last refusal that holds requests or warps up */
    const char *policy;
    enum weir_hook hook;
    uint64_t accepted; /* requests until then */
  } refusal;
  char fault[512]; /* who broke the contract, and how */
  enum weir_status fault_code;
};

/* Memory that the parts take for sets and ways, about. What a plug-in says of its own state is not
 * asked for here. */
double weir_chain_bytes(const struct weir_design *d, const struct weir_geometry *g);
bool weir_chain_init(struct weir_chain *c, const struct weir_machine *m,
                     const struct weir_design *d, const struct weir_geometry *g,
                     const struct weir_l1_host *host, struct weir_err *err);
void weir_chain_free(struct weir_chain *c);
/* `to` has the contents of `from`, pointers included: give it memory of its own. */
bool weir_chain_clone(struct weir_chain *to, const struct weir_chain *from,
                      const struct weir_l1_host *host);
struct weir_policy *weir_chain_part(struct weir_chain *c, uint32_t i, const struct weir_part **is);
uint64_t weir_chain_hash(const struct weir_chain *c);
void weir_chain_fault(const struct weir_chain *c, const char *policy, const char *what);
/* Nobody's fault: this design cannot run on this machine. */
void weir_chain_refuse(const struct weir_chain *c, const char *why);
/* Is what lies between the pieces of the parts' memory as it was? */
bool weir_chain_is_sound(const struct weir_chain *c);
/* Nothing moves any more: if a policy has refused since the last request was accepted, that is its
 * fault. */
void weir_chain_blame_refusal(struct weir_chain *c);

/* Deciding: the first answer other than PASS. *who: the policy that gave it. */
enum weir_answer weir_chain_route(const struct weir_chain *c, const struct weir_access *a,
                                  uint32_t *who);
enum weir_answer weir_chain_admit(const struct weir_chain *c, const struct weir_access *a,
                                  struct weir_set set, uint32_t *who);
int weir_chain_victim(const struct weir_chain *c, const struct weir_access *a, struct weir_set set);
enum weir_answer weir_chain_blocked(const struct weir_chain *c, const struct weir_access *a,
                                    enum weir_shortage why);
enum weir_write weir_chain_store(const struct weir_chain *c, const struct weir_access *a,
                                 struct weir_set set, int way);
uint32_t weir_chain_fetch_mask(const struct weir_chain *c, const struct weir_access *a,
                               uint32_t missing);
bool weir_chain_gate(const struct weir_chain *c, uint32_t warp, enum weir_op op);
/* The least that any allows. */
uint32_t weir_chain_max_ctas(const struct weir_chain *c, const struct weir_kernel *k);
/* One of the ready warps; negative: none of them. */
int weir_chain_pick_warp(const struct weir_chain *c, const struct weir_sched_view *v,
                         uint64_t ready);
/* Which queue; of the policy that orders requests. */
uint32_t weir_chain_queue(const struct weir_chain *c, const struct weir_access *a,
                          uint32_t n_queues);
uint32_t weir_chain_next_queue(const struct weir_chain *c, const uint32_t *n, uint32_t n_queues);

/* Observing: weir_chain_lookup(c, a, set, way, outcome) and so on, for all that is told to all. */
#define TELLS_OBSERVE(name, params) void weir_chain_##name(struct weir_chain *c, WEIR_REST params);
#define TELLS_PURE(...)
#define TELLS_SETUP(...)
#define TELLS_DECIDE(...)
#define TELLS_EVENT(...)
#define HOOK(in, kind, axis, name, type, params, ...) TELLS_##kind(name, params)
#include "l1/hooks.def"
/* After a hook that must ask for nothing: whoever did is at fault. */
void weir_chain_forbid_asks(struct weir_chain *c, enum weir_hook hook);
/* A kernel begins: what was asked for before is not told any more. */
void weir_chain_forget_wakes(struct weir_chain *c);
void weir_chain_tick(struct weir_chain *c, uint64_t now);
void weir_chain_broadcast_received(struct weir_chain *c, uint32_t part, uint32_t from,
                                   const uint64_t v[4], uint64_t cycle);
/* What a policy has prepared; `part` is not the organisation. */
enum { WEIR_MAX_ROWS = 1 << 22 }; /* of a kernel on an SM */
bool weir_chain_row(const struct weir_chain *c, uint32_t part, uint32_t i, struct weir_row *row);
/* Those that it noted go to `rows`, and are forgotten. */
enum weir_status weir_chain_take_notes(struct weir_chain *c, uint32_t part, struct weir_rows *rows,
                                       struct weir_err *err);
size_t weir_chain_digest(const struct weir_chain *c, uint32_t part, struct weir_row *rows,
                         size_t n);

#endif
