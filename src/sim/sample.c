/* Samples of SMs: what they look like before anything happens in the sample's cycle. */
#include "sim/sample.h"

#include "sim/engine_core.h"
#include "sim/sm_core.h"

static enum weir_warp_look look_of(const struct weir_sm *sm, uint32_t slot, uint64_t now) {
  const struct weir_sm_warp *w = &sm->warps[slot];
  const struct weir_sched *c = &sm->sched[sm->sched_of[slot]];
  if (w->state == WEIR_W_FREE || w->state == WEIR_W_DONE) return WEIR_LOOK_ABSENT;
  if (c->label == WEIR_SLOT_ISSUED && c->view.last == slot) return WEIR_LOOK_ISSUED;
  if (w->state == WEIR_W_BARRIER) return WEIR_LOOK_BARRIER;
  if (w->state == WEIR_W_FENCE) return WEIR_LOOK_FENCE;
  if (w->state != WEIR_W_RUN ||
      (sm->ready_at[slot] == WEIR_NEVER && !weir_sm_is_collecting(w, now)))
    return WEIR_LOOK_LOAD;
  if (sm->ready_at[slot] > now) return WEIR_LOOK_DEPENDENCY;
  if (w->next.has_addr && (sm->ldst.coalescer.is_busy || sm->ldst.shared_free > now ||
                           (sm->ldst.free_load == UINT32_MAX && sm->unit[slot] != WEIR_C_STORE)))
    return WEIR_LOOK_LDST;
  if (c->unit_free[sm->unit[slot]] > now) return WEIR_LOOK_UNIT;
  return weir_sm_is_gated(sm, slot) ? WEIR_LOOK_GATE : WEIR_LOOK_READY;
}

void weir_sim_sample(const struct weir_sim *sim, struct weir_sm *sm) {
  struct weir_sample s = {.sm = sm->id,
                          .n_warps = (uint32_t)sm->m->sm.warps,
                          .cycle = sm->sample_at,
                          .blocks = sm->n_blocks,
                          .ldst_queue = weir_ldst_waiting(&sm->ldst),
                          .inflight = sm->ldst.inflight,
                          .l1 = weir_l1_levels(sm->l1),
                          .issued = sm->stats.warp_insns,
                          .l1_stats = weir_l1_get_stats(sm->l1, 0)};
  for (uint32_t i = 0; i < sm->n_order; i++) {
    uint32_t slot = sm->order[i];
    s.look[slot] = (uint8_t)look_of(sm, slot, sm->sample_at);
  }
  for (uint32_t i = 0; i < WEIR_MAX_PARTS; i++) {
    s.part[i] = weir_l1_part(sm->l1, i);
    if (s.part[i] != NULL && !sm->is_settled) s.part_stats[i] = weir_l1_part_stats(sm->l1, i);
  }
  sim->o.sampler->sample(sim->o.sampler->self, &s);
  sm->sample_at += sim->o.sampler->every;
}

void weir_sim_samples_begin(struct weir_sim *sim) {
  const struct weir_sampler *s = sim->o.sampler;
  if (s == NULL) return;
  for (uint32_t i = 0; i < sim->n_sms; i++)
    sim->sms[i].sample_at = i < s->n_sms && s->sms[i] ? sim->now : WEIR_NEVER;
  s->begin(s->self, sim->source->kernel, sim->now);
}

/* The last one shows the end; unless it ran on, which shows the same. */
static void finish(const struct weir_sim *sim, struct weir_sm *sm, uint64_t end) {
  if (sm->sample_at == WEIR_NEVER) return;
  while (sm->sample_at < end)
    weir_sim_sample(sim, sm);
  if (sm->sample_at - sim->o.sampler->every >= end) return;
  sm->sample_at = end;
  weir_sim_sample(sim, sm);
}

void weir_sim_samples_end(struct weir_sim *sim, uint64_t end) {
  const struct weir_sampler *s = sim->o.sampler;
  if (s == NULL) return;
  for (uint32_t i = 0; i < sim->n_sms; i++)
    finish(sim, &sim->sms[i], end);
  s->end(s->self, end);
}
