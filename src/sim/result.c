/* What a simulation has counted. */
#include "base/mem.h"
#include "sim/engine_core.h"

static void add_part(const struct weir_sm *sm, uint32_t i, uint64_t *into) {
  const struct weir_part *part = weir_l1_part(sm->l1, i);
  if (part != NULL && part->stats != NULL)
    weir_stat_sum(part->stats, into, weir_l1_part_stats(sm->l1, i));
}

void weir_sim_add_up(const struct weir_sim *sim, struct weir_sim_unit *units,
                     struct weir_sim_result *r) {
  memset(r, 0, sizeof *r);
  for (uint32_t i = 0; i < sim->n_sms; i++) {
    const struct weir_sm *sm = &sim->sms[i];
    units[i].sm = sm->stats;
    units[i].l1 = *weir_l1_get_stats(sm->l1, sim->now);
    weir_stat_sum(weir_sm_stat_table, &r->sm, &units[i].sm);
    weir_stat_sum(weir_l1_stat_table, &r->l1, &units[i].l1);
    for (uint32_t k = 0; k < WEIR_MAX_PARTS; k++)
      add_part(sm, k, r->part[k]);
  }
  for (uint32_t i = 0; i < sim->n_channels; i++) {
    for (uint32_t k = 0; k < sim->channels[i].n_slices; k++)
      weir_stat_sum(weir_l2_stat_table, &r->l2, &sim->channels[i].slices[k].stats);
    weir_stat_sum(weir_l3_stat_table, &r->l3, &sim->channels[i].l3.stats);
    weir_stat_sum(weir_dram_stat_table, &r->dram, &sim->channels[i].dram.stats);
  }
}

void weir_sim_result_add(struct weir_sim_result *into, const struct weir_sim_result *from) {
  into->cycles += from->cycles;
  into->drain += from->drain;
  into->blocks_per_sm = from->blocks_per_sm;
  into->limited_by = from->limited_by;
  weir_stat_sum(weir_sm_stat_table, &into->sm, &from->sm);
  weir_stat_sum(weir_l1_stat_table, &into->l1, &from->l1);
  weir_stat_sum(weir_l2_stat_table, &into->l2, &from->l2);
  weir_stat_sum(weir_l3_stat_table, &into->l3, &from->l3);
  weir_stat_sum(weir_dram_stat_table, &into->dram, &from->dram);
  for (uint32_t i = 0; i < WEIR_MAX_PARTS; i++) {
    into->parts[i] = from->parts[i];
    if (from->parts[i] != NULL && from->parts[i]->stats != NULL)
      weir_stat_sum(from->parts[i]->stats, into->part[i], from->part[i]);
  }
}

void weir_sim_subtract(const struct weir_sim *sim, struct weir_sim_result *r,
                       const struct weir_sim_result *before) {
  weir_stat_subtract(weir_sm_stat_table, &r->sm, &before->sm);
  weir_stat_subtract(weir_l1_stat_table, &r->l1, &before->l1);
  weir_stat_subtract(weir_l2_stat_table, &r->l2, &before->l2);
  weir_stat_subtract(weir_l3_stat_table, &r->l3, &before->l3);
  weir_stat_subtract(weir_dram_stat_table, &r->dram, &before->dram);
  for (uint32_t i = 0; i < WEIR_MAX_PARTS; i++) {
    const struct weir_part *part = weir_sim_part(sim, i);
    if (part != NULL && part->stats != NULL)
      weir_stat_subtract(part->stats, r->part[i], before->part[i]);
  }
}

static bool join_clocks(struct weir_sim *sim) {
  bool ok = true;
  sim->clocks.n = 0;
  sim->clocks.n_lost = 0;
  for (uint32_t i = 0; ok && sim->o.clocks && i < sim->n_sms; i++)
    ok = weir_clock_pairs_join(&sim->clocks, weir_clocks_pairs(sim->sms[i].clocks));
  return ok;
}

/* Those of copies count for the instruction that they are of. */
static void add_insns(struct weir_sim *sim, const struct weir_pc_stats *pc) {
  const struct weir_reordered *r = sim->reordered;
  bool is_own = r != NULL && r->has_own_pcs;
  for (uint32_t k = 0; k < (is_own ? r->info.n_insns : sim->n_insns); k++)
    weir_stat_sum(weir_pc_stat_table, &sim->insns[is_own ? r->origin[k] : k], &pc[k]);
}

bool weir_sim_keep_details(struct weir_sim *sim, uint64_t start) {
  free(sim->insns);
  sim->n_insns = sim->source->kernel->n_insns;
  sim->insns = weir_calloc(sim->n_insns + 1, sizeof *sim->insns);
  if (sim->insns == NULL) return false;
  for (uint32_t i = 0; i < sim->n_sms; i++) {
    const struct weir_sm *sm = &sim->sms[i];
    struct weir_sim_unit *u = &sim->units[i], until_now = *u;
    u->cycles = sm->stats.blocks > sim->units_before[i].sm.blocks ? sm->last_event + 1 - start : 0;
    weir_stat_subtract(weir_sm_stat_table, &u->sm, &sim->units_before[i].sm);
    weir_stat_subtract(weir_l1_stat_table, &u->l1, &sim->units_before[i].l1);
    sim->units_before[i] = until_now;
    if (u->sm.blocks > 0) add_insns(sim, weir_l1_get_pc_stats(sm->l1));
  }
  return join_clocks(sim);
}

const struct weir_sim_unit *weir_sim_units(const struct weir_sim *sim, uint32_t *n) {
  *n = sim->n_sms;
  return sim->units;
}

const struct weir_pc_stats *weir_sim_insns(const struct weir_sim *sim, uint32_t *n) {
  *n = sim->n_insns;
  return sim->insns;
}

const struct weir_clock_pairs *weir_sim_clocks(const struct weir_sim *sim) {
  return sim->o.clocks ? &sim->clocks : NULL;
}

void weir_sim_repeat(struct weir_sim *sim) {
  sim->n_kernels--;
}

uint64_t weir_sim_issued(const struct weir_sim *sim) {
  uint64_t n = 0;
  for (uint32_t i = 0; i < sim->n_sms; i++)
    n += sim->sms[i].stats.warp_insns - sim->units_before[i].sm.warp_insns;
  return n;
}

const struct weir_part *weir_sim_part(const struct weir_sim *sim, uint32_t i) {
  return weir_l1_part(sim->sms[0].l1, i);
}

struct weir_tape *weir_sim_tape(const struct weir_sim *sim, uint32_t sm) {
  return sm < sim->n_sms ? weir_l1_tape(sim->sms[sm].l1) : NULL;
}

/* ---- preparing ---- */

enum weir_status weir_sim_rows(const struct weir_sim *sim, uint32_t part, struct weir_rows *rows,
                               struct weir_err *err) {
  struct weir_row row;
  enum weir_status st = WEIR_OK;
  for (uint32_t s = 0; st == WEIR_OK && s < sim->n_sms; s++) {
    for (uint32_t i = 0; st == WEIR_OK && weir_l1_row(sim->sms[s].l1, part, i, &row); i++)
      st = weir_rows_add(rows, &row, err);
    if (st == WEIR_OK) st = weir_l1_take_notes(sim->sms[s].l1, part, rows, err);
    if (st == WEIR_OK) st = weir_sim_fault(&sim->sms[s], err);
  }
  return st;
}

enum weir_status weir_sim_digest(const struct weir_sim *sim, uint32_t part, struct weir_rows *rows,
                                 struct weir_err *err) {
  weir_rows_settle(rows);
  rows->n = weir_l1_digest(sim->sms[0].l1, part, rows->v, rows->n);
  weir_rows_settle(rows); /* it may have changed keys */
  return weir_sim_fault(&sim->sms[0], err);
}
