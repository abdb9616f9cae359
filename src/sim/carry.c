/* The engine's crossbars (noc.crossbar fifo): what components send goes through them in the
 * exchange. */
#include "machine/bounds.h"
#include "sim/engine_core.h"

struct carrier {
  struct weir_sim *sim;
  bool is_failed;
};

static void arrive(void *self, const struct weir_msg *m) {
  struct carrier *c = self;
  struct share *s = &c->sim->shares[0];
  c->is_failed |= !weir_sim_deliver(c->sim, weir_sim_component(c->sim, m->dst), m);
  s->wake = weir_min64(s->wake, m->at);
  s->is_busy = true;
}

/* What a component sent in the last step: a packet, or that it has taken one. */
static bool hand_in(struct weir_sim *sim, const struct weir_msg *m) {
  bool is_sm = m->src < sim->n_sms;
  if (m->kind == WEIR_MSG_CREDIT)
    return weir_xbar_credit(is_sm ? &sim->replies : &sim->requests, m);
  return weir_xbar_put(is_sm ? &sim->requests : &sim->replies, m);
}

bool weir_sim_carry(struct weir_sim *sim) {
  struct carrier c = {.sim = sim};
  const struct weir_xbar_sink sink = {.put = arrive, .self = &c};
  bool ok = true;
  for (uint32_t i = 0; i < sim->o.threads; i++) {
    struct weir_outbox *o = &sim->shares[i].out;
    const struct weir_mail *b = &o->box[o->side][0];
    for (uint32_t k = 0; k < b->n; k++)
      ok &= hand_in(sim, &b->v[k]);
    weir_outbox_turn(o, o->side);
  }
  weir_xbar_run(&sim->requests, sim->now, sim->end, &sink);
  weir_xbar_run(&sim->replies, sim->now, sim->end, &sink);
  return ok && !c.is_failed;
}

bool weir_sim_is_carrying(const struct weir_sim *sim) {
  return sim->has_fifo &&
         !(weir_xbar_is_empty(&sim->requests) && weir_xbar_is_empty(&sim->replies));
}

bool weir_sim_init_xbars(struct weir_sim *sim) {
  const struct weir_noc_cfg *n = &sim->m->noc;
  const uint32_t slices = (uint32_t)sim->m->l2.slices;
  const struct weir_xbar_shape requests = {.n_in = sim->n_sms,
                                           .first_out = sim->n_sms,
                                           .n_out = slices,
                                           .room = (uint32_t)n->request_buffer,
                                           .most = weir_most_flits(sim->m, false),
                                           .speedup = (uint32_t)n->input_speedup,
                                           .hop = (uint64_t)n->request_cyc,
                                           .credit_cyc = (uint64_t)n->credit_cyc},
                               replies = {.first_in = sim->n_sms,
                                          .n_in = slices,
                                          .n_out = sim->n_sms,
                                          .room = (uint32_t)n->reply_buffer,
                                          .most = weir_most_flits(sim->m, true),
                                          .speedup = (uint32_t)n->input_speedup,
                                          .hop = (uint64_t)n->reply_cyc,
                                          .credit_cyc = (uint64_t)n->credit_cyc};
  return weir_xbar_init(&sim->requests, &requests) && weir_xbar_init(&sim->replies, &replies);
}

enum weir_status weir_sim_rest_xbars(struct weir_sim *sim, struct weir_err *err) {
  const char *bad = weir_xbar_rest(&sim->requests);
  if (bad == NULL) bad = weir_xbar_rest(&sim->replies);
  if (bad == NULL) return WEIR_OK;
  return weir_fail(err, WEIR_EBUG, "crossbar, after the kernel: %s do not agree", bad);
}
