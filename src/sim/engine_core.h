/* Inside of the engine: what its files share. */
#ifndef WEIR_SIM_ENGINE_CORE_H
#define WEIR_SIM_ENGINE_CORE_H

#include "sim/engine.h"
#include "sim/xbar.h"

/* Of a thread. The exchange asks here, not the components: most of those lie in the caches of other
 * cores, and fetching a few lines of each would take as long as a part of the window. */
struct share {
  struct weir_outbox out;
  uint16_t *components; /* its own: SMs, then channels */
  uint32_t n_components;
  uint32_t n_steps;           /* of the last burst */
  _Alignas(64) uint64_t wake; /* next event of its components */
  uint64_t soft_wake;         /* of its SMs without work: next event of their policies */
  uint64_t last_events;       /* of its SMs, summed up: they change while anything goes on */
  bool is_busy, is_failed;
  uint32_t n_retiring;
  uint16_t *retiring; /* SMs on which blocks ended */
};

struct weir_sim {
  const struct weir_machine *m;
  struct weir_sim_options o;
  struct weir_sm *sms;
  struct weir_channel *channels;
  uint32_t n_sms, n_channels;
  uint64_t now, end;     /* first cycle of the burst, and the one after it */
  uint64_t step_cyc;     /* cycles of a step */
  uint64_t step;         /* number of the next */
  uint32_t depth, burst; /* steps in which mail arrives at the soonest; steps of a burst */
  struct weir_block_source *source;
  bool is_source_done;
  uint64_t blocks_done;
  struct share *shares;   /* of each thread */
  bool *has_retired;      /* of each SM, in the exchange: blocks ended */
  uint64_t retire_free;   /* tenths of a cycle: the next one can be taken note of */
  uint64_t retired_at;    /* the last one was */
  struct weir_pool *pool; /* NULL: one thread */
  uint8_t *box_of;        /* of each receiver, SMs and then slices */
  bool has_fifo;          /* packets go through these crossbars, in the exchange */
  struct weir_xbar requests, replies;
  uint64_t weigh_at; /* step from which on the threads' work is to be compared */
  bool is_broken;    /* a kernel failed */
  bool has_soft;     /* a part of the L1 wakes by itself, or hears others */
  uint32_t n_kernels;
  struct weir_sim_unit *units, *units_before; /* of each SM: in the last kernel; until now */
  struct weir_sim_result total;               /* until now */
  struct weir_reordered
      *reordered; /* the kernel, in the order that it runs in; NULL: as it comes */
  struct weir_pc_stats *insns;
  uint32_t n_insns;
  struct weir_clock_pairs clocks;
};

/* ---- mail ---- */

static inline uint32_t weir_sim_component(const struct weir_sim *sim, uint32_t dst) {
  return dst < sim->n_sms ? dst : sim->n_sms + (dst - sim->n_sms) / sim->channels[0].n_slices;
}

static inline bool weir_sim_deliver(struct weir_sim *sim, uint32_t component,
                                    const struct weir_msg *q) {
  if (component >= sim->n_sms) return weir_channel_put(&sim->channels[component - sim->n_sms], q);
  struct weir_sm *sm = &sim->sms[component];
  const bool is_credit = q->kind == WEIR_MSG_CREDIT;
  if (!is_credit || sm->port.wants_credit) sm->wake = weir_min64(sm->wake, q->at);
  return weir_inbox_put(is_credit ? &sm->port.credits : &sm->port.replies, q);
}

/* ---- carry.c: with crossbars ---- */

/* False: out of memory. */
bool weir_sim_init_xbars(struct weir_sim *sim);
/* All mail of a step goes through the crossbars, as far as they come until its end. False: out of
 * memory. */
bool weir_sim_carry(struct weir_sim *sim);
bool weir_sim_is_carrying(const struct weir_sim *sim);
/* At the end of a kernel: has everything been given back? */
enum weir_status weir_sim_rest_xbars(struct weir_sim *sim, struct weir_err *err);

/* A policy or plug-in of the SM is at fault. */
enum weir_status weir_sim_fault(const struct weir_sm *sm, struct weir_err *err);

/* ---- sample.c: nothing, without a sampler ---- */

/* What the SM looks like in cycle sm->sample_at, before which everything has happened. */
void weir_sim_sample(const struct weir_sim *sim, struct weir_sm *sm);
/* A kernel begins now; the last cycle before `end` was its last. */
void weir_sim_samples_begin(struct weir_sim *sim);
void weir_sim_samples_end(struct weir_sim *sim, uint64_t end);

/* ---- result.c ---- */

/* All that was counted since the simulation began: of each SM, and summed. */
void weir_sim_add_up(const struct weir_sim *sim, struct weir_sim_unit *units,
                     struct weir_sim_result *r);
/* What was counted since `before`. */
void weir_sim_subtract(const struct weir_sim *sim, struct weir_sim_result *r,
                       const struct weir_sim_result *before);
/* What each SM and each instruction did in the kernel that ended; it began in cycle `start`. False:
 * out of memory. */
bool weir_sim_keep_details(struct weir_sim *sim, uint64_t start);

#endif
